/* method.c: one island, by the method that suits it.
 *
 *     start         Where the starting guess leaves next to nothing, nothing is to be done: a stack
 *                   at rest.
 *     SubADMM       Islands with cables or soft bodies, whose own factors carry most of the
 *                   problem, islands of many blocks, and those whose matrix would cost more to
 *                   factor than some tens of iterations.
 *     second order  All others, and cables and soft bodies where SubADMM gets stuck: Newton's
 *                   steps, and where these do not arrive interior points, the augmented Lagrangian
 *                   and assembled ADMM in turn. The latter also starts what is cold.
 *     SubADMM       Again, where all of that ends in something rough.
 *
 * All are judged by the natural map at v_λ = A⁻¹(b + Jᵀλ). What is chosen depends on counts and on
 * errors within this solve, on no clock and no history, so that it is the same in every run. */
#include <math.h>
#include <string.h>

#include "baselines.h"
#include "mesh.h"
#include "solve.h"
#include "steady.h"

/* Newton is considered up to so many blocks, if a factorization takes at most so many
 * multiplications per constraint: about what 60 iterations of SubADMM cost. */
#define FEW_BLOCKS 150
#define FLOPS_PER_CONSTRAINT 1000.0
#define FLOPS_AT_LEAST 1e5
/* A guess is taken as it is only where it leaves next to nothing: see steady.h. */
#define STILL 0.03
#define NEARLY 100.0 /* tolerances: near rest, */
#define RESTING 1e-3 /* and at most so much of velocity_scale */
#define NEWTON_STEPS 6
#define PROXIMAL_STEPS 30
#define COLD_ITERATIONS 10
#define INTERIOR_STEPS 40
#define RESCUE 40
#define SWEEPS 100
#define MOST_FLOPS 1e10 /* of a factorization, where all is tried */
#define FINE 1e-4       /* velocity_scale: v_λ of such forces is what a step moves with */
#define ROUGH 1e-2      /* velocity_scale: v_λ of such forces is worth less than SubADMM's own v */
/* Of SubADMM with a second method behind it: looks in a row that gain less than this are enough. */
#define STUCK_LOOKS 4
#define STUCK_GAIN 0.9
/* Of SubADMM: forces that nothing tells apart can wander for long after the laws hold. */
#define LATE_LOOK 100

typedef struct Island {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPlanCache *plans;
    TnPool *pool;
    TnCompliances D;
    TnAssembly assembly;
    TnVelocities implied;
    TnPerConstraint u, lambda, best_lambda, guess;
    const char *form;
    TnNaturalMap map; /* at the problem's λ */
    double best;      /* largest map of best_lambda */
    bool absurd;      /* the problem's λ is so large that rounding exceeds the tolerance */
    double tolerance; /* m/s */
    double stop;      /* SubADMM's own residual below which the map is looked at, */
    int look;         /* and the iteration from which on it is in any case */
    bool may_give_up; /* SubADMM, when stuck */
    int stuck_looks;
    double last_residual;
    TnIslandReport report;
} Island;

static bool done(const Island *s) { return s->map.largest < s->tolerance; }

/* The map at the problem's λ, and whether it will do. Constraints that contradict each other drive forces up until rounding
 * hides the contradiction: such forces are not the best, whatever their map. */
static bool judge(Island *s)
{
    tn_velocities_touched(s->problem, &s->implied);
    tn_constraint_velocities(s->problem, &s->implied, &s->u);
    tn_lambda_take(s->problem, &s->lambda);
    s->map = tn_natural_map(s->problem, &s->D, &s->u, &s->lambda);
    if (!(s->map.largest < s->best)) return done(s);
    double rounding = tn_natural_map_rounding(s->problem, &s->D, &s->lambda);
    s->absurd = !(rounding < s->tolerance);
    if (s->absurd) {
        s->map.largest = fmax(s->map.largest, rounding);
    } else {
        s->best = s->map.largest;
        tn_per_constraint_copy(&s->best_lambda, &s->lambda);
    }
    return done(s);
}

/* Back to the best forces, or none. */
static void go_back(Island *s)
{
    tn_lambda_put(s->problem, &s->best_lambda);
    judge(s);
}

static bool has_large_factors(const TnProblem *p)
{
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].chain || p->large[i].mesh) return true;
    return false;
}

/* Whether the starting guess may be good enough: of large blocks v_λ is not to be had for nothing,
 * so they are first looked at with the velocities of the last step. */
static bool at_rest(Island *s)
{
    TnProblem *p = s->problem;
    s->map.largest = INFINITY;
    if (!has_large_factors(p) || s->def->method > TN_METHOD_SUBADMM) return true;
    for (int i = 0; i < p->large_count; i++)
        tn_ports_spread(p, &p->large[i], p->large[i].v, p->twist);
    tn_velocities_copy(p, &s->implied);
    tn_constraint_velocities(p, &s->implied, &s->u);
    tn_lambda_take(p, &s->lambda);
    return tn_natural_map(p, &s->D, &s->u, &s->lambda).largest < NEARLY * s->tolerance;
}

/* ---- SubADMM ---- */

static bool enough(void *context, const TnSolveResult *so_far)
{
    Island *s = context;
    s->stuck_looks = so_far->residual > STUCK_GAIN * s->last_residual ? s->stuck_looks + 1 : 0;
    s->last_residual = so_far->residual;
    if (s->may_give_up && s->stuck_looks >= STUCK_LOOKS) return true;
    if (so_far->residual >= s->stop && so_far->iterations < s->look) return false;
    if (judge(s)) return true;
    if (so_far->iterations >= s->look) s->look += s->look / 4;
    s->stop = so_far->residual * fmin(0.9, fmax(0.1, s->tolerance / s->map.largest));
    return false;
}

static bool split(Island *s)
{
    TnProblem *p = s->problem;
    TnSolverDef def = *s->def;
    def.tolerance = 0.0;
    tn_problem_start_at_lambda(p);
    if (!tn_problem_prepare_H(p, &def, s->pool)) return false;
    s->stop = s->tolerance;
    s->look = LATE_LOOK;
    s->stuck_looks = 0;
    s->last_residual = INFINITY;
    TnSolveResult result = tn_subadmm_watched(p, &def, (TnWatch){enough, s}, s->pool);
    s->report.subadmm_iterations += result.iterations;
    s->report.method = TN_METHOD_SUBADMM;
    if (!done(s)) judge(s);
    return true;
}

/* ---- the paper's other solvers ---- */

static bool judge_baseline(void *context, const TnSolveResult *so_far)
{
    (void)so_far;
    return judge(context);
}

static bool baseline(Island *s, TnMethod method, int iterations)
{
    TnBaselineResult result;
    TnSolverDef def = *s->def;
    def.iterations = iterations;
    TnBaselineInput in = {.problem = s->problem,
                          .def = &def,
                          .D = &s->D,
                          .plans = s->plans,
                          .pool = s->pool,
                          .watch = {judge_baseline, s}};
    if (!tn_baseline(method)(&in, &result)) return false;
    s->report.method = method;
    s->report.baseline_iterations += result.iterations;
    s->report.factorizations += result.factorizations;
    s->form = result.form;
    judge(s);
    return true;
}

/* ---- assembled ADMM, Newton ---- */

static bool is_cold(const TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (p->lambda[c][k] != 0.0) return false;
    for (int r = 0; r < p->row_count; r++)
        if (p->rows[r].lambda != 0.0) return false;
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++)
            if (p->bonds[i].lambda[k] != 0.0) return false;
    return true;
}

static bool admm(Island *s, int iterations)
{
    TnMethodResult result;
    if (!tn_assembled_admm(&s->assembly, s->problem, &s->D, s->tolerance, iterations, &result))
        return false;
    s->report.assembled_iterations += result.iterations;
    s->report.factorizations += result.factorizations;
    s->report.method = TN_METHOD_ASSEMBLED;
    judge(s);
    return true;
}

/* All that it leaves is forces, so its memory is free for the next. */
static bool run(Island *s, TnSecondOrder *method, const TnPerConstraint *u, int steps)
{
    TnMethodResult result;
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = method(&s->assembly, s->problem, &s->D, u, s->tolerance, steps, &result);
    tn_arena_release(s->problem->arena, mark);
    if (!ok) return false;
    s->report.newton_steps += result.iterations;
    s->report.factorizations += result.factorizations;
    s->report.method = TN_METHOD_NEWTON;
    judge(s);
    if (s->absurd) go_back(s);
    return true;
}

static bool newton(Island *s) { return run(s, tn_newton, &s->u, NEWTON_STEPS); }
static bool interior(Island *s) { return run(s, tn_interior, NULL, INTERIOR_STEPS); }
static bool interior_again(Island *s) { return run(s, tn_interior, &s->u, INTERIOR_STEPS); }
static bool proximal(Island *s) { return run(s, tn_proximal, &s->u, PROXIMAL_STEPS); }
static bool rescue(Island *s)
{
    if (!admm(s, RESCUE)) return false;
    if (s->absurd) go_back(s);
    return true;
}

/* One of the paper's solvers; the better one's forces and name stay. */
static bool instead(Island *s, TnMethod method, int iterations, TnMethod last)
{
    if (!baseline(s, method, iterations)) return false;
    if (s->map.largest <= s->best) return true;
    go_back(s);
    s->report.method = last;
    return true;
}

/* What is held between two sides that leave it hardly any room defeats methods that look at all of it at once, and is
 * nothing to one that goes from contact to contact. */
static bool sweep(Island *s)
{
    if (s->def->method != TN_METHOD_AUTO || has_large_factors(s->problem)) return true;
    TnMethod last = s->report.method;
    tn_lambda_put(s->problem, &s->guess); /* where forces are absurd it takes long */
    int most = s->def->thorough || s->def->iterations < SWEEPS ? s->def->iterations : SWEEPS;
    return instead(s, TN_METHOD_PGS, most, last);
}

static bool assembled_instead(Island *s)
{
    if (s->def->method != TN_METHOD_AUTO || !s->def->thorough) return true;
    memset(s->u.all, 0,
           sizeof(double) *
               s->u.count); /* from nothing: where others are stuck, it would be, too */
    tn_lambda_put(s->problem, &s->u);
    return instead(s, TN_METHOD_FADMM, s->def->iterations, s->report.method);
}

/* Each is tried where those before it did not arrive. */
static bool second_order(Island *s)
{
    static bool (*const methods[])(Island *) = {interior, newton,         proximal,
                                                rescue,   interior_again, newton,
                                                proximal, sweep,          assembled_instead};
    if (is_cold(s->problem) && !admm(s, COLD_ITERATIONS)) return false;
    if (!newton(s)) return false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !done(s); i++)
        if (!methods[i](s)) return false;
    return true;
}

/* ---- the choice ---- */

static bool few_blocks(const TnProblem *p) { return p->twist_count + p->large_count <= FEW_BLOCKS; }

/* Beside SubADMM's iterations, or beside what the meshes have cost already. */
static bool is_cheap(const TnProblem *p, double flops)
{
    double constraints = p->contact_count + p->row_count + 6.0 * p->bond_count, own = 0.0;
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].mesh) own += p->large[i].mesh->flops;
    return flops <= fmax(fmax(FLOPS_AT_LEAST, own), FLOPS_PER_CONSTRAINT * constraints);
}

/* What the touched nodes of meshes take at least. */
static double mesh_flops(const TnProblem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].mesh) sum += pow(p->large[i].mesh->size, 3.0) / 6.0;
    return sum;
}

/* Newton's matrices are asked for before it is known whether they are needed, so that the first
 * time they are finds an arena that has grown before. */
static void expect_newton(const TnProblem *p)
{
    size_t n = 0, mark = tn_arena_mark(p->arena);
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].mesh) n += (size_t)p->large[i].mesh->size;
    (void)TN_ARENA_NEW(p->arena, double, 3 * n * n);
    tn_arena_release(p->arena, mark);
}

/* SubADMM first, then Newton where that got stuck and is cheap. */
static bool split_then_newton(Island *s)
{
    TnProblem *p = s->problem;
    s->may_give_up = few_blocks(p) && is_cheap(p, mesh_flops(p));
    s->report.why = "large factors of their own";
    if (s->may_give_up) expect_newton(p);
    if (!split(s)) return false;
    if (done(s) || !s->may_give_up) return true;
    /* SubADMM's factors lie where the meshes' matrices were */
    if (!tn_meshes_factor_A(p, s->pool)) return false;
    if (!tn_assembly_build(p, s->plans, &s->assembly)) return false;
    s->may_give_up = false;
    if (!is_cheap(p, s->assembly.plan->flops)) return split(s);
    s->report.why = "SubADMM was stuck";
    return second_order(s);
}

/* After SubADMM, where all is to be tried: what drifts by a little in each of them, and for millions, is a
 * step of Newton's. */
static bool go_on(Island *s)
{
    if (done(s) || !s->def->thorough || s->assembly.plan->flops > MOST_FLOPS) return true;
    go_back(s);
    if (!instead(s, TN_METHOD_PGS, s->def->iterations, s->report.method)) return false;
    if (!done(s) && s->best < FINE * s->def->velocity_scale) {
        s->report.why = "SubADMM was stuck";
        if (!newton(s) || (!done(s) && !proximal(s))) return false;
    }
    return done(s) || assembled_instead(s);
}

static bool newton_then_split(Island *s)
{
    if (!tn_assembly_build(s->problem, s->plans, &s->assembly)) return false;
    if (!is_cheap(s->problem, s->assembly.plan->flops)) {
        s->report.why = "a factorization costs too much";
        return split(s) && go_on(s);
    }
    s->report.why = "a factorization is cheap";
    return second_order(s);
}

static bool choose(Island *s)
{
    s->report.why = "asked for";
    if (tn_baseline(s->def->method))
        return done(s) || baseline(s, s->def->method, s->def->iterations);
    switch (s->def->method) {
    case TN_METHOD_SUBADMM:
        return done(s) || split(s);
    case TN_METHOD_ASSEMBLED:
    case TN_METHOD_NEWTON:
        if (!tn_assembly_build(s->problem, s->plans, &s->assembly)) return false;
        if (s->def->method == TN_METHOD_NEWTON) return second_order(s);
        return done(s) || admm(s, s->def->iterations);
    default:
        break;
    }
    if (has_large_factors(s->problem)) return split_then_newton(s);
    if (few_blocks(s->problem)) return newton_then_split(s);
    s->report.why = "many blocks";
    if (!done(s) && !split(s)) return false;
    if (done(s) || !s->def->thorough) return true;
    return tn_assembly_build(s->problem, s->plans, &s->assembly) && go_on(s);
}

/* SubADMM where Newton ended in something rough, and from the starting guess: where constraints contradict each other,
 * Newton's forces would grow from step to step. */
static bool split_instead(Island *s)
{
    s->report.why = "Newton ended in something rough";
    tn_lambda_put(s->problem, &s->guess);
    return split(s);
}

/* SubADMM's own velocities are the better ones as long as λ is rough: v_λ amplifies what is wrong with λ where
 * something light is between heavy ones. Fine λ gives dynamics, and so momentum, that hold exactly. */
static bool prefers_own_v(const Island *s)
{
    return s->report.method == TN_METHOD_SUBADMM && s->map.largest > FINE * s->def->velocity_scale;
}

bool tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     TnIslandResult *out)
{
    Island s = {.problem = p,
                .def = def,
                .plans = plans,
                .pool = pool,
                .best = INFINITY,
                .tolerance = def->tolerance * def->velocity_scale,
                .report = {.blocks = p->twist_count + p->large_count,
                           .contacts = p->contact_count,
                           .rows = p->row_count + 6 * p->bond_count,
                           .method = TN_METHOD_AUTO,
                           .why = "the starting guess was good enough"}};
    TnSteady steady = {0};
    if (!tn_compliances(p, &s.D) || !tn_velocities_alloc(p, &s.implied) ||
        !tn_per_constraint_alloc(p, &s.u) || !tn_per_constraint_alloc(p, &s.lambda) ||
        !tn_per_constraint_alloc(p, &s.best_lambda) || !tn_per_constraint_alloc(p, &s.guess))
        return false;
    tn_lambda_take(p, &s.guess);
    if (at_rest(&s)) judge(&s);
    if (s.map.largest >= STILL * s.tolerance) {
        if (s.map.largest < fmin(NEARLY * s.tolerance, RESTING * def->velocity_scale) &&
            !tn_steady_start(p, &s.u, &steady))
            return false;
        if (!choose(&s)) return false;
    }
    bool own_v = prefers_own_v(&s);
    if (s.report.method != TN_METHOD_SUBADMM && !(s.map.largest <= s.best && isfinite(s.best)))
        go_back(&s);
    if (!own_v && s.map.largest > ROUGH * def->velocity_scale && def->method == TN_METHOD_AUTO) {
        if (!split_instead(&s)) return false;
        own_v = prefers_own_v(&s);
    }
    s.report.converged = done(&s);
    s.report.error = s.map.largest / def->velocity_scale;
    if (own_v)
        tn_subadmm_finish(p, pool);
    else
        tn_velocities_finish(p, &s.implied);
    *out = (TnIslandResult){.report = s.report,
                            .keep = tn_steady_share(&steady, &s.u),
                            .form = s.form,
                            .worst = s.map.worst,
                            .worst_index = s.map.worst_index};
    return true;
}
