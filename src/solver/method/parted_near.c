/* parted_near.c: SubADMM on a problem that ranks have in parts, a fixed number of iterations or to
 * a tolerance.
 *
 * With a tolerance, all ranks look at the natural map every so many iterations (natural_map.h). It
 * is taken at v_λ = A⁻¹(b + Jᵀλ), of which each rank has that of its own bodies and receives that
 * of ghosts. The largest of all ranks' errors does not depend on which rank has which contact, so
 * all stop at the same iteration, for any number of ranks. Everything is one island here, and as in
 * choose.c, contacts of a large island yield (compliant.h): these are solved to 100 × tolerance. */
#include "../../base/ranks.h"
#include "../compliant.h"
#include "../parts.h"
#include "../solve.h"

#define AUTO_ITERATIONS 16
#define COMPLIANT_PATIENCE 160
#define LOOK_EVERY 20 /* iterations; a look takes as long as one or two */

typedef struct Judge {
    TnProblem *problem;
    TnParts *parts; /* NULL: alone */
    TnSolverDef def;
    TnCompliances D;
    TnVelocities implied;
    TnPerConstraint u, lambda;
    bool compliant;
    double tolerance, error; /* m/s */
    int next;                /* look */
    int patience;            /* the iteration by which */
    double half;             /* the error should be this, or iterations are relaxed less */
    double *errors;          /* of all ranks */
    size_t *start;
} Judge;

static bool start_judge(Judge *j, const TnSolverDef *def)
{
    TnProblem *p = j->problem;
    int ranks = j->parts ? j->parts->ranks->count : 1;
    j->def = *def;
    j->def.tolerance = 0.0;
    j->tolerance = def->tolerance * def->velocity_scale;
    j->error = j->half = INFINITY;
    j->next = LOOK_EVERY;
    j->patience = COMPLIANT_PATIENCE;
    j->errors = TN_ARENA_ZERO(p->arena, double, ranks);
    j->start = TN_ARENA_ZERO(p->arena, size_t, ranks + 1);
    if (!j->errors || !j->start || !tn_compliances(p, &j->D) ||
        !tn_velocities_alloc(p, &j->implied) || !tn_per_constraint_alloc(p, &j->u) ||
        !tn_per_constraint_alloc(p, &j->lambda))
        return false;
    j->compliant = def->method == TN_METHOD_AUTO && def->contact_ratio > 0.0;
    if (def->method == TN_METHOD_AUTO) j->def.iterations *= AUTO_ITERATIONS;
    if (!j->compliant) return true;
    j->tolerance *= TN_NEARLY;
    return !p->contact_count ||
           tn_contacts_yield(p, &j->D, def->contact_ratio, def->contact_stiffness) > 0.0;
}

/* v_λ of ghosts is their ranks'. */
static void tell_implied(Judge *j)
{
    double(*kept)[8] = j->problem->twist;
    j->problem->twist = j->implied.twist;
    tn_parts_send(j->parts);
    tn_parts_receive(j->parts);
    j->problem->twist = kept;
}

/* The largest error of all ranks. */
static double map_of_all(Judge *j)
{
    TnProblem *p = j->problem;
    tn_constraint_velocities(p, &j->implied, &j->u);
    if (p->give) tn_add_give(p, &j->lambda, &j->u);
    double most = tn_natural_map(p, &j->D, &j->u, &j->lambda).largest;
    if (!j->parts) return most;
    const TnRanks *ranks = j->parts->ranks;
    for (int r = 0; r <= ranks->count; r++) j->start[r] = sizeof most * (size_t)r;
    j->errors[ranks->rank] = most;
    tn_ranks_share(ranks, j->errors, j->start);
    for (int r = 0; r < ranks->count; r++) most = fmax(most, j->errors[r]);
    return most;
}

static void look(Judge *j)
{
    tn_velocities_touched(j->problem, &j->implied);
    if (j->parts) tell_implied(j);
    tn_lambda_take(j->problem, &j->lambda);
    j->error = map_of_all(j);
}

/* Where over-relaxation makes a cycle it is taken back. */
static void relax_less(Judge *j, int iterations)
{
    if (j->error <= j->half) {
        j->half = 0.5 * j->error;
        j->patience = iterations + COMPLIANT_PATIENCE;
    } else if (iterations >= j->patience) {
        j->patience = iterations + COMPLIANT_PATIENCE;
        j->def.over_relaxation = j->def.over_relaxation > 1.3 ? 1.3 : 1.0;
    }
}

static bool enough(void *context, const TnSolveResult *so_far)
{
    Judge *j = context;
    if (so_far->iterations < j->next && so_far->iterations < j->def.iterations) return false;
    j->next = so_far->iterations + LOOK_EVERY;
    look(j);
    if (j->compliant) relax_less(j, so_far->iterations);
    return j->error <= j->tolerance;
}

/* Forces that are fine have dynamics that hold exactly; those of rough ones SubADMM's velocities
 * suit better. */
static void finish(Judge *j, TnSolveResult *result, double *rigid_error)
{
    TnProblem *p = j->problem;
    double fine = (j->compliant ? TN_ROUGH : TN_FINE) * j->def.velocity_scale;
    p->give = NULL; /* others judge by rigid contacts */
    result->converged = j->error <= j->tolerance;
    result->residual = j->error;
    *rigid_error = j->compliant ? map_of_all(j) : j->error;
    if (j->error <= fine) tn_velocities_finish(p, &j->implied);
}

/* On all ranks: what one rank cannot factor, no rank iterates on. */
static bool all_are(const TnParts *parts, bool ok)
{
    const TnRanks *ranks = parts->ranks;
    size_t *start = TN_ARENA_NEW(parts->whole->arena, size_t, ranks->count + 1);
    bool *all = TN_ARENA_ZERO(parts->whole->arena, bool, ranks->count);
    if (!start || !all) return false;
    for (int r = 0; r <= ranks->count; r++) start[r] = (size_t)r;
    all[ranks->rank] = ok;
    tn_ranks_share(ranks, all, start);
    for (int r = 0; r < ranks->count; r++) ok = ok && all[r];
    return ok;
}

static bool solve(TnProblem *p, TnParts *parts, bool together, const TnSolverDef *def, TnPool *pool,
                  TnSolveResult *result, double *rigid_error)
{
    Judge judge = {.problem = p, .parts = parts};
    bool ok = tn_problem_prepare_A(p, pool) && (def->tolerance <= 0.0 || start_judge(&judge, def));
    if (def->tolerance <= 0.0) judge.def = *def;
    ok = ok && tn_problem_prepare_H(p, &judge.def, pool);
    if (!(together ? all_are(parts, ok) : ok)) return false;
    TnWatch watch = {def->tolerance > 0.0 ? enough : NULL, &judge};
    *result = parts ? tn_parted_run(parts, &judge.def, watch, pool)
                    : tn_subadmm_watched(p, &judge.def, watch, pool);
    tn_subadmm_finish(p, pool);
    if (together) { /* another solve starts from what was found, of ghosts too */
        tn_parts_send(parts);
        tn_parts_receive(parts);
    }
    if (def->tolerance > 0.0) finish(&judge, result, rigid_error);
    return true;
}

bool tn_parted_near(TnProblem *p, const TnRanks *ranks, const TnNeighbours *neighbours,
                    const TnSolverDef *def, TnPool *pool, TnSolveResult *result,
                    double *rigid_error)
{
    TnParts parts;
    if (tn_ranks_count(ranks) == 1) return solve(p, NULL, false, def, pool, result, rigid_error);
    if (!tn_parts_open_near(p, ranks, neighbours, &parts)) return false;
    bool ok = solve(&parts.part, &parts, neighbours->together, def, pool, result, rigid_error);
    *p = parts.part;
    tn_parts_close(&parts);
    return ok;
}
