/* own_method_rig.h: problems prepared for methods of own_method.h, and what is asked of all of
 * them. */
#ifndef TN_TESTS_OWN_METHOD_RIG_H
#define TN_TESTS_OWN_METHOD_RIG_H

#include "any_problem.h"
#include "base/base.h"
#include "solver/method/own_method.h"
#include "stack_problem.h"

static inline bool method_ready(Rig *rig, TnPool *pool)
{
    return tn_problem_prepare_A(&rig->problem, pool) && tn_compliances(&rig->problem, &rig->D);
}

static inline bool method_rig(Rig *rig, int which)
{
    return rig_create(rig) && make_problem(rig, which) && method_ready(rig, NULL);
}

static inline bool run_watched(TnOwnRun *method, Rig *rig, int iterations, TnWatch watch,
                               TnPool *pool, TnOwnResult *out)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = iterations;
    TnOwnInput in = {.problem = &rig->problem,
                     .def = &def,
                     .D = &rig->D,
                     .plans = rig->plans,
                     .pool = pool,
                     .watch = watch};
    return method(&in, out);
}

/* Exactly so many. */
static inline bool run_method(TnOwnRun *method, Rig *rig, int iterations, TnPool *pool,
                              TnOwnResult *out)
{
    return run_watched(method, rig, iterations, (TnWatch){0}, pool, out);
}

typedef struct Goal {
    Rig *rig;
    double error; /* m/s */
} Goal;

static inline bool goal_reached(void *context, const TnSolveResult *so_far)
{
    const Goal *goal = context;
    TnArena *arena = &goal->rig->arena;
    size_t mark = tn_arena_mark(arena);
    bool reached = error_of(goal->rig) < goal->error;
    (void)so_far;
    tn_arena_release(arena, mark);
    return reached;
}

/* At most so many, until the natural map is below `error`, m/s; false: it is not. */
static inline bool solve_method(TnOwnRun *method, Rig *rig, int iterations, double error,
                                TnOwnResult *out)
{
    Goal goal = {rig, error};
    return run_watched(method, rig, iterations, (TnWatch){goal_reached, &goal}, NULL, out) &&
           error_of(rig) < error;
}

/* The natural map at v, where that is the method's own, else at v_λ. */
static inline double error_left(Rig *rig, const TnOwnResult *result)
{
    TnProblem *p = &rig->problem;
    TnVelocities v;
    TnPerConstraint u, lambda;
    if (!result->own_v) return error_of(rig);
    if (!tn_velocities_alloc(p, &v) || !tn_per_constraint_alloc(p, &u) ||
        !tn_per_constraint_alloc(p, &lambda))
        return NAN;
    tn_velocities_copy(p, &v);
    tn_constraint_velocities(p, &v, &u);
    tn_lambda_take(p, &lambda);
    return tn_natural_map(p, &rig->D, &u, &lambda).largest;
}

/* To an error (m/s) of 1e-9 at most, where twists are within 1e-8 of those of SubADMM, iterated
 * until nothing moves: problems are well conditioned. */
static inline bool ends_where_subadmm_does(TnOwnRun *method, int which, int iterations,
                                           double error)
{
    Rig rig, split = {0};
    TnOwnResult result;
    TnSolverDef def = tn_solver_def();
    def.iterations = 20000;
    def.tolerance = 1e-11;
    def.anderson = 10;
    bool ok = method_rig(&rig, which) && solve_method(method, &rig, iterations, error, &result) &&
              rig_create(&split) && make_problem(&split, which) &&
              tn_problem_prepare(&split.problem, &def, NULL) &&
              tn_subadmm_solve(&split.problem, &def, NULL).converged;
    double difference = ok ? apart(&rig, &split) : NAN;
    if (!(difference <= 1e-8)) printf("    problem %d: %g\n", which, difference);
    rig_destroy(&rig);
    rig_destroy(&split);
    return difference <= 1e-8;
}

/* Forces of a solution to 1e-12 or so, then ten iterations: the natural map stays below 1e-9 m/s,
 * some digits more than rounding leaves in stiff problems. */
static inline bool stays_at_the_solution(TnOwnRun *method, int which)
{
    Rig rig;
    TnMethodResult found;
    TnOwnResult result;
    bool ok = rig_create(&rig) && make_problem(&rig, which) && assemble(&rig) &&
              solve_assembled(&rig, 1e-12, 4000, &found) &&
              run_method(method, &rig, 10, NULL, &result) && result.iterations == 10;
    double error = ok ? error_left(&rig, &result) : INFINITY;
    if (!(error < 1e-9)) printf("    problem %d: %g m/s\n", which, error);
    rig_destroy(&rig);
    return error < 1e-9;
}

static inline bool same_bits(const TnProblem *a, const TnProblem *b)
{
    bool same = memcmp(a->twist, b->twist, sizeof(double[8]) * (size_t)a->table_rows) == 0;
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

/* Velocities and forces of 1, 2 and 4 threads. */
static inline bool same_bits_for_threads(TnOwnRun *method, int which, int iterations)
{
    Rig one, more;
    TnOwnResult result;
    bool same = rig_create(&one) && make_any(&one, which) && method_ready(&one, NULL) &&
                run_method(method, &one, iterations, NULL, &result);
    for (int threads = 2; threads <= 4 && same; threads += 2) {
        TnPool *pool = tn_pool_create(threads);
        same = pool && rig_create(&more) && make_any(&more, which) && method_ready(&more, pool) &&
               run_method(method, &more, iterations, pool, &result) &&
               same_bits(&one.problem, &more.problem);
        tn_pool_destroy(pool);
        rig_destroy(&more);
    }
    rig_destroy(&one);
    return same;
}

static inline bool enough_after(void *context, const TnSolveResult *so_far)
{
    int *looks = context;
    return ++*looks >= 2 && so_far->iterations > 0;
}

static inline bool ends_when_watched(TnOwnRun *method)
{
    Rig rig;
    TnOwnResult result = {0};
    int looks = 0;
    bool ok = method_rig(&rig, 0) &&
              run_watched(method, &rig, 500, (TnWatch){enough_after, &looks}, NULL, &result) &&
              looks == 2 && result.iterations < 500;
    rig_destroy(&rig);
    return ok;
}

/* A slider along x pushed against a wall across its axis, and rows that reach nothing. */
static inline bool gives_no_force_to_what_cannot_yield(TnOwnRun *method)
{
    Rig rig;
    TnOwnResult result;
    TnProblem *p = &rig.problem;
    bool ok = rig_create(&rig) && pushed_slider_with_rows(&rig);
    ok = ok && method_ready(&rig, NULL) && run_method(method, &rig, 20, NULL, &result);
    for (int k = 0; ok && k < 3; k++) ok = fabs(p->lambda[0][k]) < 1e-9;
    ok = ok && p->rows[0].lambda == 0.0 && fabs(p->rows[1].lambda + 0.3) < 1e-15;
    rig_destroy(&rig);
    return ok;
}

/* A slider on an axis and `rows` equalities on it, all u = v + e. */
static inline bool equalities(Rig *rig, int rows, const double *e)
{
    TnProblem *p = &rig->problem;
    TnProblemSize size = {.larges = 1, .rows = rows, .sides = rows, .entries = rows};
    if (!rig_create(rig) || !tn_problem_init(p, &rig->arena, size) ||
        !tn_problem_set_dense(p, 0, 1, 0, 0))
        return false;
    tn_problem_dense_A(p, 0)[0] = 2.0;
    p->large[0].b[0] = 1.0;
    for (int r = 0; r < rows; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 1.0;
        p->rows[r] = (TnRow){.set = TN_ROW_EQUALITY, .side_start = r, .side_count = 1, .e = e[r]};
    }
    return method_ready(rig, NULL);
}

/* The same row five times: together they hold the slider. */
static inline bool survives_redundant_rows(TnOwnRun *method, int iterations)
{
    const double e[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
    Rig rig;
    TnOwnResult result;
    double sum = 0.0;
    bool ok = equalities(&rig, 5, e) && solve_method(method, &rig, iterations, 1e-10, &result);
    for (int r = 0; ok && r < 5; r++) sum += rig.problem.rows[r].lambda;
    rig_destroy(&rig);
    return ok && fabs(sum - (2.0 * -0.3 - 1.0)) < 1e-9; /* A v - b */
}

/* Two rows that contradict each other: all iterations are used up, and forces stay finite. */
static inline bool contradictions_end_finite(TnOwnRun *method, int iterations)
{
    const double e[2] = {0.3, -0.3};
    Rig rig;
    TnOwnResult result;
    bool ok = equalities(&rig, 2, e) && !solve_method(method, &rig, iterations, 1e-10, &result) &&
              result.iterations == iterations && is_finite(&rig.problem) &&
              isfinite(error_of(&rig));
    rig_destroy(&rig);
    return ok;
}

/* A second solve with the same arena. */
static inline bool allocates_nothing(TnOwnRun *method)
{
    Rig rig;
    TnOwnResult result;
    bool ok = method_rig(&rig, 5);
    long before = tn_malloc_count();
    ok = ok && run_method(method, &rig, 10, NULL, &result) && tn_malloc_count() == before;
    rig_destroy(&rig);
    return ok;
}

#endif
