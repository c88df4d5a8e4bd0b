/* whole_rig.h: the paper's baselines on the problems of any_problem.h and stack_problem.h. */
#ifndef TN_TESTS_WHOLE_RIG_H
#define TN_TESTS_WHOLE_RIG_H

#include "any_problem.h"
#include "solver/assembled_admm.h"
#include "solver/baselines.h"
#include "stack_problem.h"

static inline bool baseline_prepare(Rig *rig)
{
    return tn_problem_prepare_A(&rig->problem, NULL) && tn_compliances(&rig->problem, &rig->D);
}

typedef struct Goal {
    Rig *rig;
    double error; /* m/s */
} Goal;

static inline bool goal_reached(void *context, const TnSolveResult *so_far)
{
    const Goal *goal = context;
    (void)so_far;
    return error_of(goal->rig) < goal->error;
}

static inline bool baseline_run(Rig *rig, TnBaseline *method, Goal *goal, int iterations,
                                TnPool *pool, TnBaselineResult *out)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = iterations;
    TnBaselineInput in = {
        .problem = &rig->problem, .def = &def, .D = &rig->D, .plans = rig->plans, .pool = pool};
    if (goal) in.watch = (TnWatch){goal_reached, goal};
    return method(&in, out);
}

/* Until the natural map is below `error`, m/s. */
static inline bool baseline_to(Rig *rig, TnBaseline *method, double error, int iterations,
                               TnBaselineResult *out)
{
    Goal goal = {rig, error};
    return baseline_run(rig, method, &goal, iterations, NULL, out);
}

static inline bool baseline_fixed(Rig *rig, TnBaseline *method, int iterations,
                                  TnBaselineResult *out)
{
    return baseline_run(rig, method, NULL, iterations, NULL, out);
}

/* By SubADMM, until nothing moves. */
static inline bool converge(Rig *rig)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = 20000;
    def.tolerance = 1e-11;
    def.anderson = 10;
    return tn_problem_prepare(&rig->problem, &def, NULL) &&
           tn_subadmm_solve(&rig->problem, &def, NULL).converged;
}

/* The natural map at the problem's own v. */
static inline double error_at_own_v(Rig *rig)
{
    TnProblem *p = &rig->problem;
    TnVelocities v;
    TnPerConstraint u, lambda;
    if (!tn_velocities_alloc(p, &v) || !tn_per_constraint_alloc(p, &u) ||
        !tn_per_constraint_alloc(p, &lambda))
        return NAN;
    tn_velocities_copy(p, &v);
    tn_constraint_velocities(p, &v, &u);
    tn_lambda_take(p, &lambda);
    return tn_natural_map(p, &rig->D, &u, &lambda).largest;
}

/* Solved to 1e-9, then for some iterations more: no worse than 1e-8, which is ten times that. */
static inline bool stays_at_the_solution(int which, TnBaseline *method, int iterations, int more)
{
    Rig rig;
    TnBaselineResult result;
    bool stays = rig_create(&rig) && make_problem(&rig, which) && baseline_prepare(&rig) &&
                 baseline_to(&rig, method, 1e-9, iterations, &result) && error_of(&rig) < 1e-9 &&
                 baseline_fixed(&rig, method, more, &result) && result.iterations == more &&
                 (result.own_v ? error_at_own_v(&rig) : error_of(&rig)) < 1e-8;
    if (!stays) printf("    problem %d: %g\n", which, error_of(&rig));
    rig_destroy(&rig);
    return stays;
}

/* A slider on an axis and `rows` equalities on it, all u = c v + e. */
static inline bool equalities(Rig *rig, int rows, const double *e)
{
    TnProblem *p = &rig->problem;
    TnProblemSize size = {.larges = 1, .rows = rows, .sides = rows, .entries = rows};
    if (!rig_create(rig) || !tn_problem_init(p, &rig->arena, size) ||
        !tn_problem_set_dense(p, 0, 1, 0, 0))
        return false;
    p->large[0].A[0] = 2.0;
    p->large[0].b[0] = 1.0;
    for (int r = 0; r < rows; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 1.0;
        p->rows[r] = (TnRow){.set = TN_ROW_EQUALITY, .side_start = r, .side_count = 1, .e = e[r]};
    }
    return baseline_prepare(rig);
}

/* The same row five times: together they hold the slider. */
static inline bool survives_redundant_rows(TnBaseline *method, int iterations)
{
    const double e[5] = {0.3, 0.3, 0.3, 0.3, 0.3};
    Rig rig;
    TnBaselineResult result;
    double sum = 0.0;
    bool ok = equalities(&rig, 5, e) && baseline_to(&rig, method, 1e-10, iterations, &result) &&
              error_of(&rig) < 1e-10;
    for (int r = 0; ok && r < 5; r++) sum += rig.problem.rows[r].lambda;
    rig_destroy(&rig);
    return ok && fabs(sum - (2.0 * -0.3 - 1.0)) < 1e-9; /* A v - b */
}

/* Two rows that contradict each other: all iterations are used up, and forces stay finite. */
static inline bool contradictions_end_finite(TnBaseline *method, int iterations)
{
    const double e[2] = {0.3, -0.3};
    Rig rig;
    TnBaselineResult result;
    bool ok = equalities(&rig, 2, e) && baseline_to(&rig, method, 1e-10, iterations, &result) &&
              result.iterations == iterations && is_finite(&rig.problem) &&
              isfinite(error_of(&rig));
    rig_destroy(&rig);
    return ok;
}

static inline bool same_bits_with_threads(TnBaseline *method, int iterations)
{
    bool same = true;
    for (int which = 0; which < PROBLEMS; which++) {
        Rig one, four;
        TnBaselineResult result;
        TnPool *pool = tn_pool_create(4);
        same = same && pool && rig_create(&one) && make_problem(&one, which) &&
               baseline_prepare(&one) && rig_create(&four) && make_problem(&four, which) &&
               baseline_prepare(&four) &&
               baseline_run(&one, method, NULL, iterations, NULL, &result) &&
               baseline_run(&four, method, NULL, iterations, pool, &result);
        if (!same) return false;
        const TnProblem *p = &one.problem, *q = &four.problem;
        size_t contacts = sizeof(double[3]) * (size_t)p->contact_count;
        same = (!contacts || !memcmp(p->lambda, q->lambda, contacts)) &&
               !memcmp(p->twist, q->twist, sizeof(double[8]) * (size_t)p->table_rows);
        for (int r = 0; r < p->row_count; r++)
            same = same && p->rows[r].lambda == q->rows[r].lambda;
        tn_pool_destroy(pool);
        rig_destroy(&one);
        rig_destroy(&four);
    }
    return same;
}

#endif
