/* islands.h: the connected parts of a problem. Blocks are connected by contacts, rows and bonds; the
 * fixed world connects nothing. An island can be solved alone, and is solved as a problem of its own.
 *
 * Islands are numbered by their first block, and everything in them keeps its order, so an island's
 * numbers do not depend on what else there is. Blocks without any constraint are in none. */
#ifndef TN_SOLVER_ISLANDS_H
#define TN_SOLVER_ISLANDS_H

#include "problem.h"

typedef struct TnIslands {
    int count;
    int *island_of;            /* per block (twists, then large ones): its island; -1: no constraint */
    int *block_start, *blocks; /* count + 1; all rising */
    int *contact_start, *contacts;
    int *row_start, *rows;
    int *bond_start, *bonds;
} TnIslands;

/* From the problem's arena; needs no preparation. False: no memory. */
bool tn_islands_find(const TnProblem *problem, TnIslands *out);
/* The island as a problem in `arena` (the problem's own or another one), not prepared. Large blocks,
 * ports' matrices and row entries are shared where they are only read; v of large blocks is the
 * problem's own. */
bool tn_island_extract(const TnProblem *problem, const TnIslands *islands, int island,
                       TnArena *arena, TnProblem *out);
/* v and λ of a solved island back into the problem. */
void tn_island_return(const TnProblem *part, const TnIslands *islands, int island,
                      TnProblem *problem);

#endif
