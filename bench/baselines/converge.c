/* converge.c: the solution of a problem as exactly as it can be had, for measuring others against
 * it.
 *
 * First the road that the problem was on, so that what nearly is a solution leads to the nearest
 * one; then islands by the method that suits them. Piles with friction need more: SubADMM and
 * projected Gauss-Seidel are maps that need not contract, and often go round in circles at 1e-5
 * m/s; the augmented Lagrangian (proximal.c) comes from 1e-5 to 1e-10 in one go, or not at all. So
 * they take turns, each from the best forces so far and followed by the augmented Lagrangian; and
 * when a turn of all has gained little, the forces are shaken. */
#include "converge.h"

#include <math.h>
#include <string.h>

#define GOOD_ENOUGH 1e-11 /* m/s: what is left to do would be mostly rounding */
#define TURNS 5           /* of all methods */
#define LITTLE_GAIN 0.3   /* of the error: a turn that leaves more */
#define SHAKE 0.5         /* of each force, up to so much of itself */
#define FIRST_SHARE 4     /* the first turn has this part of the iterations, then twice that, … */
#define MOST_SWEEPS 5000  /* of Gauss-Seidel, which cost more */
#define PROXIMAL_STEPS 60
#define PROXIMAL_PASSES 3
#define MOST_FLOPS 1e8 /* of a factorization, that a hundred steps are worth */

typedef struct Search {
    TnProblem *problem;
    TnSolverDef def;
    TnSolverMemory *memory;
    TnPool *pool;
    TnPerConstraint best_lambda, lambda, u;
    TnVelocities v;
    double best;   /* natural map of best_lambda, m/s */
    double now;    /* and of the problem's λ */
    unsigned seed; /* of shaking: the same for every problem */
} Search;

static bool arrived(const Search *s) { return s->best < TN_CONVERGED; }

/* The natural map at the problem's λ, after tn_problem_prepare_A; λ is kept where it is the best.
 */
static void judge(Search *s, const TnCompliances *D)
{
    TnProblem *p = s->problem;
    tn_velocities_implied(p, &s->v);
    tn_constraint_velocities(p, &s->v, &s->u);
    tn_lambda_take(p, &s->lambda);
    s->now = tn_natural_map(p, D, &s->u, &s->lambda).largest;
    if (!(s->now < s->best)) return;
    s->best = s->now;
    tn_per_constraint_copy(&s->best_lambda, &s->lambda);
}

static bool look(Search *s)
{
    TnCompliances D;
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = tn_problem_prepare_A(s->problem, s->pool) && tn_compliances(s->problem, &D);
    if (ok) judge(s, &D);
    tn_arena_release(s->problem->arena, mark);
    return ok;
}

/* The augmented Lagrangian, as long as it gains. */
static bool polish(Search *s)
{
    TnProblem *p = s->problem;
    TnCompliances D;
    TnAssembly assembly;
    TnMethodResult result;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_problem_prepare_A(p, s->pool) && tn_compliances(p, &D) &&
              tn_assembly_build(p, tn_solver_memory_plans(s->memory), &assembly);
    bool gains = ok && assembly.plan->flops <= MOST_FLOPS;
    if (ok) judge(s, &D);
    for (int i = 0; gains && i < PROXIMAL_PASSES && !arrived(s); i++) {
        double before = s->now;
        size_t inner = tn_arena_mark(p->arena);
        ok = tn_proximal(&assembly, p, &D, &s->u, 0.1 * TN_CONVERGED, PROXIMAL_STEPS, &result);
        tn_arena_release(p->arena, inner);
        if (ok) judge(s, &D);
        gains = ok && s->now < LITTLE_GAIN * before;
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

static bool by_islands(Search *s, TnMethod method, int iterations)
{
    TnSolverDef def = s->def;
    TnSolution solution;
    size_t bytes, mark = tn_arena_mark(s->problem->arena);
    def.method = method;
    def.iterations = iterations;
    def.tolerance = 0.5 * TN_CONVERGED / def.velocity_scale;
    bool ok = tn_solve(s->problem, &def, s->memory, s->pool, &solution);
    tn_solver_memory_reset(s->memory, &bytes);
    tn_arena_release(s->problem->arena, mark);
    return ok && look(s);
}

static bool split(Search *s, int anderson, int iterations)
{
    TnProblem *p = s->problem;
    TnSolverDef def = s->def;
    size_t mark = tn_arena_mark(p->arena);
    def.tolerance = 0.1 * TN_CONVERGED; /* of what an iteration changes */
    def.anderson = anderson;
    def.iterations = iterations;
    tn_problem_start_at_lambda(p);
    bool ok = tn_problem_prepare(p, &def, s->pool);
    if (ok) tn_subadmm_solve(p, &def, s->pool);
    tn_arena_release(p->arena, mark);
    return ok && look(s);
}

/* λ as given, and v that belongs to it. */
static bool restart(Search *s, const TnPerConstraint *lambda)
{
    tn_lambda_put(s->problem, lambda);
    if (!look(s)) return false;
    tn_velocities_put(s->problem, &s->v);
    return true;
}

static bool shake(Search *s)
{
    tn_per_constraint_copy(&s->lambda, &s->best_lambda);
    for (size_t i = 0; i < s->lambda.count; i++) {
        s->seed = s->seed * 1664525u + 1013904223u;
        s->lambda.all[i] *= 1.0 + SHAKE * ((double)(s->seed >> 8) / (double)(1 << 23) - 1.0);
    }
    return restart(s, &s->lambda);
}

/* One turn of all; shaken forces are handed from one to the next, which may make them worse. */
static bool turn(Search *s, int iterations, bool shaken)
{
    static const int anderson[] = {3, -1, 10, -1}; /* -1: Gauss-Seidel */
    if (shaken && !shake(s)) return false;
    for (int i = 0; i < 4 && !arrived(s); i++) {
        if (!shaken && !restart(s, &s->best_lambda)) return false;
        bool ok = anderson[i] < 0 ? by_islands(s, TN_METHOD_PGS,
                                               iterations < MOST_SWEEPS ? iterations : MOST_SWEEPS)
                                  : split(s, anderson[i], iterations);
        if (!ok || (!arrived(s) && !polish(s))) return false;
    }
    return true;
}

static bool search(Search *s, bool solved_to_tolerance)
{
    int iterations = s->def.iterations, least = iterations / FIRST_SHARE + 1;
    bool shaken = false;
    if (!look(s)) return false;
    if (!arrived(s) && !solved_to_tolerance && !split(s, s->def.anderson, iterations)) return false;
    if (!arrived(s) && !by_islands(s, TN_METHOD_AUTO, iterations)) return false;
    if (!arrived(s) && solved_to_tolerance && !split(s, s->def.anderson, iterations)) return false;
    for (int i = 0; i < TURNS && s->best > GOOD_ENOUGH; i++) {
        double before = s->best;
        if (!turn(s, least < iterations ? least : iterations, shaken)) return false;
        shaken = s->best > LITTLE_GAIN * before;
        least *= 2;
    }
    /* near a solution SubADMM mostly contracts */
    return arrived(s) || (restart(s, &s->best_lambda) && split(s, 10, iterations));
}

bool tn_converge(TnProblem *p, const TnSolverDef *def, int iterations, TnSolverMemory *memory,
                 TnPool *pool, double *reached)
{
    Search s = {
        .problem = p, .def = *def, .memory = memory, .pool = pool, .best = INFINITY, .seed = 1};
    s.def.iterations = iterations;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_per_constraint_alloc(p, &s.best_lambda) && tn_per_constraint_alloc(p, &s.lambda) &&
              tn_per_constraint_alloc(p, &s.u) && tn_velocities_alloc(p, &s.v) &&
              search(&s, def->tolerance > 0.0) && restart(&s, &s.best_lambda);
    *reached = s.best;
    tn_arena_release(p->arena, mark);
    return ok;
}
