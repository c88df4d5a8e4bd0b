/* loop.h: what loops that iterate on blocks (subadmm.c, bench/baselines/pj.c) have in common: how
 * threads share an iteration. */
#ifndef TN_SOLVER_LOOP_H
#define TN_SOLVER_LOOP_H

#include "../problem.h"

/* Contacts and rows that are worth a thread; the second where threads share processors. */
#define TN_CONTACTS_PER_THREAD 80
#define TN_CONTACTS_PER_CROWDED_THREAD 400
/* Sharing an iteration costs as much as so many contacts: velocities and forces move between the
 * caches, whatever the number of threads. 518 contacts take 5.5 µs on one thread, 5.8 to 6.4 on
 * two, 4.5 on four. */
#define TN_CONTACTS_OF_SHARING 300
/* Chunks per thread and phase: some more than one each, so that a late thread holds up little; of
 * few contacts, where a chunk costs more than that, one each. */
#define TN_CHUNKS_PER_THREAD 3
#define TN_CONTACTS_PER_CHUNK 130
/* Contacts whose iterations caches hold, and so many iterations at least: copies of them in another
 * order (shares.c, TnSideColumns) pay for themselves. */
#define TN_FEW_CONTACTS 13000
#define TN_FEW_ITERATIONS 8
static inline bool tn_copies_pay(const TnProblem *p, const TnSolverDef *def)
{
    return p->contact_count > 0 && p->contact_count <= TN_FEW_CONTACTS &&
           def->iterations >= TN_FEW_ITERATIONS;
}
/* Iterations between two looks at the residual when a tolerance is set. */
#define TN_CHECK_EVERY 5
/* Iterations before the first look of what watches. */
#define TN_FIRST_LOOK 3

/* Chunk `chunk` of `count` things. */
static inline void tn_share(int count, int chunk, int chunks, int *begin, int *end)
{
    *begin = (int)((long)count * chunk / chunks);
    *end = (int)((long)count * (chunk + 1) / chunks);
}

#endif
