/* loop_rig.h: what is asked of every variant of SubADMM's loop. */
#ifndef TN_TESTS_LOOP_RIG_H
#define TN_TESTS_LOOP_RIG_H

#include "any_problem.h"
#include "base/base.h"

/* Of twists, in shares of the largest. */
static inline double largest_gap(const TnProblem *a, const TnProblem *b)
{
    double worst = 0.0, size = 0.0;
    for (int r = 1; r < a->table_rows; r++)
        for (int k = 0; k < 8; k++) {
            worst = fmax(worst, fabs(a->twist[r][k] - b->twist[r][k]));
            size = fmax(size, fabs(a->twist[r][k]));
        }
    return worst / size;
}

/* Large enough for four threads, with spins. */
static inline bool large_solved(TnSolverDef def, int threads, TnArena *arena, TnProblem *p)
{
    const ChainChoice choice = {
        .reach = NEAR, .twists = 2000, .contacts = 8000, .rows = 70, .stiffness = 4.0};
    TnPool *pool = tn_pool_create(threads);
    bool ok = tn_arena_init(arena, "problem", 1 << 20) && pool &&
              random_chain_problem(p, arena, 3, choice) && tn_problem_prepare(p, &def, pool);
    if (ok) tn_subadmm_solve(p, &def, pool);
    tn_pool_destroy(pool);
    return ok;
}

static inline bool one_and_four_threads_agree(TnSolverDef def)
{
    TnArena arenas[2];
    TnProblem p[2];
    bool same = true;
    for (int i = 0; i < 2; i++) same = large_solved(def, i ? 4 : 1, &arenas[i], &p[i]) && same;
    same = same && largest_difference(&p[0], &p[1]) == 0.0;
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    return same;
}

/* Towards the tolerance, by SubADMM alone. */
static inline bool islands_reach_their_tolerance(TnSolverDef def)
{
    bool reached = true;
    def.method = TN_METHOD_SUBADMM;
    def.iterations = 100000;
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnIslandResult result;
        reached = rig_create(&rig) && make_problem(&rig, which) &&
                  tn_problem_prepare_A(&rig.problem, NULL) &&
                  tn_solve_island(&rig.problem, &def, rig.plans, NULL, false, &result) &&
                  result.report.converged && result.report.error < def.tolerance && reached;
        rig_destroy(&rig);
    }
    return reached;
}

#endif
