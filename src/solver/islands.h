/* islands.h: the connected parts of a problem. Blocks are connected by contacts, rows and bonds;
 * the fixed world connects nothing. An island can be solved alone, and is solved as a problem of
 * its own.
 *
 * Islands are numbered by their first block, and everything in them keeps its order, so an island's
 * numbers do not depend on what else there is. Blocks without any constraint are in none, and
 * neither are constraints without any block: contacts between things that are held, whose forces
 * move nothing. */
#ifndef TN_SOLVER_ISLANDS_H
#define TN_SOLVER_ISLANDS_H

#include "problem.h"

typedef struct TnIslands {
    int count;
    int *island_of; /* per block (twists, then large ones): its island; -1: no constraint */
    int *place;     /* per block of an island: which of its twist or large blocks it is */
    int *block_start, *blocks; /* count + 1; all rising */
    int *contact_start, *contacts;
    int *row_start, *rows;
    int *bond_start, *bonds;
} TnIslands;

/* From the problem's arena; needs no preparation. False: no memory. */
bool tn_islands_find(const TnProblem *problem, TnPool *pool, TnIslands *out);
/* The island as a problem in `arena` (the problem's own or another one), not prepared, with the
 * bits of the problem's numbers. Matrices and vectors of large blocks (v included) and of ports are
 * the problem's own, and preparing the part overwrites what preparing the problem left there.
 * False: no memory. */
bool tn_island_extract(const TnProblem *problem, const TnIslands *islands, int island,
                       TnArena *arena, TnProblem *out);
/* v and λ of a solved island back into the problem. */
void tn_island_return(const TnProblem *part, const TnIslands *islands, int island,
                      TnProblem *problem);
/* One large block alone, without constraints. */
bool tn_block_extract(const TnProblem *problem, int large, TnArena *arena, TnProblem *out);
/* λ of what is in no island becomes zero. */
void tn_islands_clear_rest(TnProblem *problem, const TnIslands *islands);

#endif
