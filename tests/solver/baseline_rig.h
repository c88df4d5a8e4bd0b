/* baseline_rig.h: problems prepared for the solvers of baselines.h, and what is asked of all of them. */
#ifndef TN_TESTS_BASELINE_RIG_H
#define TN_TESTS_BASELINE_RIG_H

#include "any_problem.h"
#include "base/base.h"
#include "solver/baselines.h"
#include "stack_problem.h"

static inline bool baseline_ready(Rig *rig, TnPool *pool)
{
    return tn_problem_prepare_A(&rig->problem, pool) && tn_compliances(&rig->problem, &rig->D);
}

static inline bool baseline_rig(Rig *rig, int which)
{
    return rig_create(rig) && make_problem(rig, which) && baseline_ready(rig, NULL);
}

/* `def` is filled in and must stay. */
static inline TnBaselineInput baseline_input(Rig *rig, TnSolverDef *def, int iterations,
                                             TnPool *pool)
{
    *def = tn_solver_def();
    def->iterations = iterations;
    return (TnBaselineInput){
        .problem = &rig->problem, .def = def, .D = &rig->D, .plans = rig->plans, .pool = pool};
}

static inline bool run_baseline(TnBaseline *method, Rig *rig, int iterations, TnPool *pool,
                                TnBaselineResult *result)
{
    TnSolverDef def;
    TnBaselineInput in = baseline_input(rig, &def, iterations, pool);
    return method(&in, result);
}

static inline bool same_lambda(const TnProblem *a, const TnProblem *b)
{
    bool same = true;
    for (int c = 0; c < a->contact_count; c++)
        same = same && memcmp(a->lambda[c], b->lambda[c], sizeof a->lambda[c]) == 0;
    for (int r = 0; r < a->row_count; r++) same = same && a->rows[r].lambda == b->rows[r].lambda;
    for (int i = 0; i < a->bond_count; i++)
        same =
            same && memcmp(a->bonds[i].lambda, b->bonds[i].lambda, sizeof a->bonds[i].lambda) == 0;
    return same;
}

/* `which` beyond the last: a tower that is work enough for several threads. */
static inline bool make_any(Rig *rig, int which)
{
    const StackChoice tower = {1600, 1.0, 1.0, 0.0015, 0.05};
    return which < PROBLEMS ? make_problem(rig, which)
                            : stack_problem(&rig->problem, &rig->arena, tower);
}

/* Forces of 1, 2 and 4 threads. */
static inline bool same_bits_for_threads(TnBaseline *method, int which, int iterations)
{
    Rig one, more;
    TnBaselineResult result;
    bool same = rig_create(&one) && make_any(&one, which) && baseline_ready(&one, NULL) &&
                run_baseline(method, &one, iterations, NULL, &result);
    for (int threads = 2; threads <= 4; threads += 2) {
        TnPool *pool = tn_pool_create(threads);
        same = same && pool && rig_create(&more) && make_any(&more, which) &&
               baseline_ready(&more, pool) &&
               run_baseline(method, &more, iterations, pool, &result) &&
               same_lambda(&one.problem, &more.problem);
        tn_pool_destroy(pool);
        rig_destroy(&more);
    }
    rig_destroy(&one);
    return same;
}

/* Forces of a solution to 1e-12 or so, then ten iterations: the natural map stays below `most` (m/s). */
static inline bool stays_at_the_solution(TnBaseline *method, int which, double most)
{
    Rig rig;
    TnMethodResult found;
    TnBaselineResult result;
    bool ok = rig_create(&rig) && make_problem(&rig, which) && assemble(&rig) &&
              tn_assembled_admm(&rig.assembly, &rig.problem, &rig.D, 1e-12, 4000, &found) &&
              run_baseline(method, &rig, 10, NULL, &result);
    double error = ok ? error_of(&rig) : INFINITY;
    if (!(error < most)) printf("    problem %d: %g m/s\n", which, error);
    rig_destroy(&rig);
    return error < most;
}

static inline bool enough_after(void *context, const TnSolveResult *so_far)
{
    int *looks = context;
    return ++*looks >= 2 && so_far->iterations > 0;
}

static inline bool ends_when_watched(TnBaseline *method)
{
    Rig rig;
    TnSolverDef def;
    TnBaselineResult result = {0};
    int looks = 0;
    bool ok = baseline_rig(&rig, 0);
    TnBaselineInput in = baseline_input(&rig, &def, 500, NULL);
    in.watch = (TnWatch){enough_after, &looks};
    ok = ok && method(&in, &result) && looks == 2 && result.iterations < 500;
    rig_destroy(&rig);
    return ok;
}

/* A slider along x pushed against a wall across its axis, and rows that reach nothing. */
static inline bool gives_no_force_to_what_cannot_yield(TnBaseline *method)
{
    Rig rig;
    TnBaselineResult result;
    TnProblem *p = &rig.problem;
    bool ok = rig_create(&rig) && pushed_slider(&rig, 2);
    for (int r = 0; ok && r < 2; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 0.0;
        p->rows[r] = (TnRow){.set = r ? TN_ROW_SOFT : TN_ROW_EQUALITY,
                             .side_start = r,
                             .side_count = 1,
                             .e = 0.1,
                             .k = 3.0,
                             .alpha = 0.5,
                             .lambda = 7.0};
    }
    ok = ok && baseline_ready(&rig, NULL) && run_baseline(method, &rig, 20, NULL, &result);
    for (int k = 0; ok && k < 3; k++) ok = fabs(p->lambda[0][k]) < 1e-9;
    ok = ok && p->rows[0].lambda == 0.0 && fabs(p->rows[1].lambda + 0.3) < 1e-15;
    rig_destroy(&rig);
    return ok;
}

/* A second solve with the same arena. */
static inline bool allocates_nothing(TnBaseline *method)
{
    Rig rig;
    TnBaselineResult result;
    bool ok = baseline_rig(&rig, 5);
    long before = tn_malloc_count();
    ok = ok && run_baseline(method, &rig, 10, NULL, &result) && tn_malloc_count() == before;
    rig_destroy(&rig);
    return ok;
}

#endif
