/* shared_tasks.h: islands, and large blocks without constraints, divided among ranks.
 *
 * All ranks have the problem and know the same tasks in the same order, so that each can tell which
 * rank does what. Each solves its own; then all are told forces, velocities and reports of all. */
#ifndef TN_SOLVER_SHARED_TASKS_H
#define TN_SOLVER_SHARED_TASKS_H

#include "solve.h"

typedef struct TnSharedTasks {
    const TnRanks *ranks; /* NULL: each does all tasks */
    const int *tasks;     /* as in solve.c: islands, then large blocks */
    int count;
    int *rank_of; /* per place in the list */
} TnSharedTasks;

/* Tasks by falling cost, each to the rank that has least; cost is per task. False: no memory. */
bool tn_shared_assign(const TnRanks *ranks, TnArena *arena, const int *tasks, int count,
                      const double *cost, TnSharedTasks *out);
/* Collective. `failed`: some task of this rank did, then of any. False: no memory. */
bool tn_shared_tell(const TnSharedTasks *shared, TnProblem *problem, TnSolution *solution,
                    bool *failed);

#endif
