/* sweep.h: the order in which an iteration visits its constraints and blocks.
 *
 * A large problem does not fit the caches, and visiting all of it once per iteration would cost a
 * pass over main memory each. So constraints and blocks are cut into chunks along their (spatial)
 * order, and an iteration follows the one before it through the chunks as closely as their coupling
 * allows, several iterations in one pass over memory:
 *
 *     iteration 1   c0 b0 c1 b1 c2 b2 c3 b3 …
 *     iteration 2            c0 b0 c1 b1 c2 …      c: contacts of a chunk, b: blocks of a chunk
 *     iteration 3                     c0 b0 …
 *
 * Contacts of chunk j may run when the blocks they touch have finished the iteration before; blocks
 * of chunk i when all their contacts have finished this one. Chunks of one iteration run in order,
 * so one number each says how far the others must have come. Every number is computed from the same
 * numbers as without chunks: the result has the same bits. */
#ifndef TN_SOLVER_SWEEP_H
#define TN_SOLVER_SWEEP_H

#include "problem.h"

/* Iterations under way at a time. More save memory traffic, but their chunks must fit the cache
 * together. */
#define TN_SWEEP_DEPTH 3

typedef struct TnSweep {
    int chunk_count;    /* of contacts and of twist blocks alike; at least 1 */
    int *need_blocks;   /* per contact chunk: block chunks that must have finished the iteration
                           before */
    int *need_contacts; /* per block chunk: contact chunks that must have finished this iteration */
    int dense_chunk; /* the block chunk that dense blocks and the contact chunk that scalar rows run
                        with */
} TnSweep;

/* chunk_contacts: contacts per chunk aimed at. False: no memory. */
bool tn_sweep_plan(const TnProblem *problem, int chunk_contacts, TnSweep *sweep);

/* First batch of chunk i when `batches` are shared by `chunks`. */
static inline int tn_sweep_begin(int batches, int chunks, int i)
{
    return (int)((long)batches * i / chunks);
}

#endif
