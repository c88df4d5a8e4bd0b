/* method.c: one island, by the method that suits it.
 *
 *     start     Where the starting guess meets the tolerance, nothing is to be done: a stack at rest.
 *     Newton    Where a factorization of the island's matrix is cheap (few blocks, or blocks in a row). A cold
 *               start gets some iterations of assembled ADMM first; where Newton gets stuck, more of them
 *               rescue it, twice.
 *     SubADMM   Otherwise, each block alone, up to def->iterations.
 *
 * All are judged by the natural map at v_λ = A⁻¹(b + Jᵀλ). What is chosen depends on counts and on errors within
 * this solve, on no clock and no history, so that it is the same in every run. */
#include <math.h>

#include "solve.h"
#include "steady.h"

/* Newton is considered up to so many blocks, or any number of them with few cycles between them. */
#define FEW_BLOCKS 150
#define FEW_CYCLES 1.3
/* A factorization may cost so many multiplications per contact: what some tens of SubADMM's iterations
 * take. */
/* Forces that leave a velocity behind must take it back in the next step and are wrong again for the one
 * after: a starting guess is taken as it is only where it leaves next to none. */
#define STILL 0.1
/* A guess that is off by less than so many tolerances was meant for rest. */
#define NEARLY 10.0
#define NEWTON_STEPS 20
#define COLD_ITERATIONS 10
#define FIRST_RESCUE 20
#define LAST_RESCUE 40

typedef struct Island {
    TnProblem *problem;
    const TnSolverDef *def;
    TnCompliances D;
    TnAssembly assembly;
    TnVelocities implied;
    TnPerConstraint u, lambda, best_lambda;
    TnNaturalMap map, best;
    double tolerance; /* m/s */
    double stop;      /* SubADMM's own residual below which the map is looked at */
    TnIslandReport report;
} Island;

/* The map at the problem's λ, and whether it will do. */
static bool judge(Island *s)
{
    tn_velocities_implied(s->problem, &s->implied);
    tn_constraint_velocities(s->problem, &s->implied, &s->u);
    tn_lambda_take(s->problem, &s->lambda);
    s->map = tn_natural_map(s->problem, &s->D, &s->u, &s->lambda);
    return s->map.largest < s->tolerance;
}

/* ---- SubADMM ---- */

static bool enough(void *context, const TnSolveResult *so_far)
{
    Island *s = context;
    if (so_far->residual >= s->stop) return false;
    if (judge(s)) return true;
    s->stop = fmin(s->stop, so_far->residual) * 0.3;
    return false;
}

/* t is where an iteration starts from. */
static void restart_at_lambda(TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            p->contact_batch[c / TN_LANES].t[k][c % TN_LANES] = p->lambda[c][k];
    for (int r = 0; r < p->row_count; r++) p->rows[r].t = p->rows[r].lambda;
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++) p->bonds[i].t[k] = p->bonds[i].lambda[k];
}

static bool split(Island *s, TnPool *pool)
{
    TnSolverDef def = *s->def;
    restart_at_lambda(s->problem);
    def.tolerance = 0.0;
    if (!tn_problem_prepare_H(s->problem, &def, pool)) return false;
    s->stop = s->tolerance;
    TnSolveResult result =
        tn_subadmm_watched(s->problem, &def, (TnWatch){enough, s}, pool);
    s->report.subadmm_iterations += result.iterations;
    s->report.method = TN_METHOD_SUBADMM;
    judge(s);
    return true;
}

/* ---- assembled ---- */

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

static bool newton(Island *s)
{
    TnMethodResult result;
    if (!tn_newton(&s->assembly, s->problem, &s->D, &s->u, s->tolerance, NEWTON_STEPS, &result))
        return false;
    s->report.newton_steps += result.iterations;
    s->report.factorizations += result.factorizations;
    s->report.method = TN_METHOD_NEWTON;
    judge(s);
    return true;
}

static bool done(const Island *s) { return s->map.largest < s->tolerance; }

static bool second_order(Island *s)
{
    static const int rescues[] = {FIRST_RESCUE, LAST_RESCUE};
    if (is_cold(s->problem) && !admm(s, COLD_ITERATIONS)) return false;
    if (!newton(s)) return false;
    for (int i = 0; i < 2 && !done(s); i++) {
        if (!admm(s, rescues[i])) return false;
        if (!done(s) && !newton(s)) return false;
    }
    return true;
}

/* ---- the choice ---- */

static bool newton_may_pay(const TnProblem *p)
{
    int blocks = p->twist_count + p->large_count;
    return blocks <= FEW_BLOCKS;
}

static bool choose(Island *s, TnPlanCache *plans, TnPool *pool)
{
    TnMethod method = s->def->method;
    if (method == TN_METHOD_AUTO)
        method = newton_may_pay(s->problem) ? TN_METHOD_NEWTON : TN_METHOD_SUBADMM;
    s->report.why = s->def->method != TN_METHOD_AUTO ? "asked for"
                    : method == TN_METHOD_NEWTON     ? "few blocks"
                                                     : "too many blocks for a factorization";
    if (method == TN_METHOD_SUBADMM) return done(s) || split(s, pool);
    if (!tn_assembly_build(s->problem, plans, &s->assembly)) return false;
    if (method == TN_METHOD_ASSEMBLED) return done(s) || admm(s, s->def->iterations);
    return second_order(s);
}

bool tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     TnIslandResult *out)
{
    Island s = {.problem = p,
                .def = def,
                .tolerance = def->tolerance * def->velocity_scale,
                .report = {.blocks = p->twist_count + p->large_count,
                           .contacts = p->contact_count,
                           .rows = p->row_count + 6 * p->bond_count,
                           .method = TN_METHOD_AUTO,
                           .why = "the starting guess was good enough"}};
    if (!tn_compliances(p, &s.D) || !tn_velocities_alloc(p, &s.implied) ||
        !tn_per_constraint_alloc(p, &s.u) || !tn_per_constraint_alloc(p, &s.lambda) ||
        !tn_per_constraint_alloc(p, &s.best_lambda))
        return false;
    TnSteady steady = {0};
    judge(&s);
    if (s.map.largest >= STILL * s.tolerance && s.map.largest < NEARLY * s.tolerance &&
        !tn_steady_start(p, &s.u, &steady))
        return false;
    if (s.map.largest >= STILL * s.tolerance && !choose(&s, plans, pool)) return false;
    s.report.converged = done(&s);
    s.report.error = s.map.largest / def->velocity_scale;
    /* Short of the tolerance SubADMM's own velocities are the better ones: v_λ amplifies what is wrong
     * with λ where a light block is between heavy ones. */
    if (s.report.converged || s.report.method != TN_METHOD_SUBADMM)
        tn_velocities_put(p, &s.implied);
    *out = (TnIslandResult){
        .report = s.report, .keep = tn_steady_share(&steady, &s.u), .worst = s.map.worst, .worst_index = s.map.worst_index};
    return true;
}
