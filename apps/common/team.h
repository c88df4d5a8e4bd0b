/* team.h: processes that run one command together (tenon-mpi). Only the first of them writes, and
 * all end together. A program that is alone is a team of one. */
#ifndef TENON_TEAM_H
#define TENON_TEAM_H

#include <tenon/tenon.h>

void team_set(const TnRanks *ranks);
const TnRanks *team_ranks(void); /* NULL: alone */
bool team_writes(void);          /* this is the process that does */
/* What each of them says, to all, by rank; to be freed. All must ask, and there must be a team. */
void *team_gather(const void *here, size_t size);
/* Whether it is so for any of them; all must ask. */
bool team_any(bool here);
/* What the first of them says, to all, in place; all must ask. */
void team_follow(void *what, size_t size);
/* A number that all of them get, and that no other team is likely to; all must ask. */
uint64_t team_number(void);

#endif
