/* See team.h. */
#include "team.h"

#include <stdlib.h>

static const TnRanks *team;

void team_set(const TnRanks *ranks) { team = ranks && ranks->count > 1 ? ranks : NULL; }

const TnRanks *team_ranks(void) { return team; }

bool team_writes(void) { return !team || team->rank == 0; }

bool team_any(bool here)
{
    if (!team) return here;
    size_t n = (size_t)team->count, *start = malloc(sizeof *start * (n + 1));
    char *said = calloc(n, 1);
    if (!start || !said) abort(); /* the others wait */
    for (size_t r = 0; r <= n; r++) start[r] = r;
    said[team->rank] = here;
    team->share(team->context, said, start);
    for (size_t r = 0; r < n; r++) here = here || said[r];
    free(start);
    free(said);
    return here;
}
