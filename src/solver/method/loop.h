/* loop.h: what loops that iterate on blocks (subadmm.c, bench/baselines/pj.c) have in common: how
 * threads share an iteration. */
#ifndef TN_SOLVER_LOOP_H
#define TN_SOLVER_LOOP_H

/* Below this many contacts and rows two threads lose more to moving cache lines than they gain;
 * the second where threads share processors. */
#define TN_CONTACTS_PER_THREAD 130
#define TN_CONTACTS_PER_CROWDED_THREAD 400
/* Chunks per thread and phase: some more than one each, so that a late thread holds up little. */
#define TN_CHUNKS_PER_THREAD 3
/* Iterations between two looks at the residual when a tolerance is set. */
#define TN_CHECK_EVERY 5
/* Iterations before somebody who watches looks for the first time. */
#define TN_FIRST_LOOK 3

/* Chunk `chunk` of `count` things. */
static inline void tn_share(int count, int chunk, int chunks, int *begin, int *end)
{
    *begin = (int)((long)count * chunk / chunks);
    *end = (int)((long)count * (chunk + 1) / chunks);
}

#endif
