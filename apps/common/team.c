/* See team.h. */
#include "team.h"
#include "platform/clock.h"
#include "platform/process.h"

#include <stdlib.h>
#include <string.h>

static const TnRanks *team;

void team_set(const TnRanks *ranks) { team = ranks && ranks->count > 1 ? ranks : NULL; }

const TnRanks *team_ranks(void) { return team; }

bool team_writes(void) { return !team || team->rank == 0; }

void *team_gather(const void *here, size_t size)
{
    size_t n = (size_t)team->count, *start = malloc(sizeof *start * (n + 1));
    char *said = calloc(n, size);
    if (!start || !said) abort(); /* the others wait */
    for (size_t r = 0; r <= n; r++) start[r] = r * size;
    memcpy(said + start[team->rank], here, size);
    team->share(team->context, said, start);
    free(start);
    return said;
}

void team_follow(void *what, size_t size)
{
    if (!team) return;
    char *all = team_gather(what, size);
    memcpy(what, all, size);
    free(all);
}

uint64_t team_number(void)
{
    uint64_t number = tn_clock_nanoseconds() ^ (uint64_t)tn_process_number() << 48;
    team_follow(&number, sizeof number);
    return number;
}

bool team_any(bool here)
{
    if (!team) return here;
    bool *all = team_gather(&here, sizeof here);
    for (int r = 0; r < team->count; r++) here = here || all[r];
    free(all);
    return here;
}
