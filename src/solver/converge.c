/* converge.c: the solution of a problem as exactly as it can be had, for measuring others against
 * it.
 *
 * Roads are tried in turn until one arrives, each from the best forces so far: the one that the
 * problem was on, so that what nearly is a solution leads to the nearest one; islands by the method
 * that suits them; SubADMM with and without acceleration, with other weights, and from rest.
 * SubADMM on piles is a map that need not contract: what circles from one start often arrives from
 * another. */
#include "converge.h"

#include <math.h>
#include <string.h>

typedef struct Search {
    TnProblem *problem;
    TnSolverDef def;
    TnSolverMemory *memory;
    TnPool *pool;
    TnPerConstraint start, best_lambda, lambda, u;
    TnVelocities start_v, v;
    double best;
} Search;

/* The natural map at the problem's λ, which is kept where it is the best. */
static bool look(Search *s)
{
    TnProblem *p = s->problem;
    TnCompliances D;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_problem_prepare_A(p, s->pool) && tn_compliances(p, &D);
    if (ok) {
        tn_velocities_implied(p, &s->v);
        tn_constraint_velocities(p, &s->v, &s->u);
        tn_lambda_take(p, &s->lambda);
        double map = tn_natural_map(p, &D, &s->u, &s->lambda).largest;
        if (map < s->best) {
            s->best = map;
            tn_per_constraint_copy(&s->best_lambda, &s->lambda);
        }
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

static bool by_islands(Search *s, TnMethod method)
{
    TnSolverDef def = s->def;
    TnSolution solution;
    size_t bytes, mark = tn_arena_mark(s->problem->arena);
    def.method = method;
    def.tolerance = TN_CONVERGED / def.velocity_scale;
    bool ok = tn_solve(s->problem, &def, s->memory, s->pool, &solution);
    tn_solver_memory_reset(s->memory, &bytes);
    tn_arena_release(s->problem->arena, mark);
    return ok && look(s);
}

typedef struct Road {
    bool from_rest;
    int anderson;
    double scale, over_relaxation;
} Road;

static bool split(Search *s, const Road *road)
{
    TnProblem *p = s->problem;
    TnSolverDef def = s->def;
    size_t mark = tn_arena_mark(p->arena);
    def.tolerance = 0.1 * TN_CONVERGED; /* of what an iteration changes */
    if (road) {
        def.anderson = road->anderson;
        def.weight_scale = road->scale;
        def.over_relaxation = road->over_relaxation;
        tn_lambda_put(p, &s->start);
        tn_velocities_put(p, &s->start_v);
        if (road->from_rest) {
            memset(s->lambda.all, 0, sizeof(double) * s->lambda.count);
            tn_lambda_put(p, &s->lambda);
        }
    }
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            p->contact_batch[c / TN_LANES].t[k][c % TN_LANES] = p->lambda[c][k];
    for (int r = 0; r < p->row_count; r++) p->rows[r].t = p->rows[r].lambda;
    bool ok = tn_problem_prepare(p, &def, s->pool);
    if (ok) tn_subadmm_solve(p, &def, s->pool);
    tn_arena_release(p->arena, mark);
    return ok && look(s);
}

static bool arrived(const Search *s) { return s->best < TN_CONVERGED; }

static bool search(Search *s, bool solved_to_tolerance)
{
    static const Road roads[] = {
        {false, 3, 2.5, 1.7}, {false, 10, 2.5, 1.7}, {true, 5, 2.5, 1.7}, {false, 0, 6.0, 1.0}};
    if (!look(s)) return false;
    if (!solved_to_tolerance && !split(s, NULL)) return false;
    if (!arrived(s) && !by_islands(s, TN_METHOD_AUTO)) return false;
    if (!arrived(s) && solved_to_tolerance && !split(s, NULL)) return false;
    for (size_t i = 0; i < sizeof roads / sizeof *roads && !arrived(s); i++)
        if (!split(s, &roads[i])) return false;
    return true;
}

bool tn_converge(TnProblem *p, const TnSolverDef *def, int iterations, TnSolverMemory *memory,
                 TnPool *pool, double *reached)
{
    Search s = {.problem = p, .def = *def, .memory = memory, .pool = pool, .best = INFINITY};
    s.def.form = TN_ADMM_REDUCED;
    s.def.weights = TN_WEIGHTS_COMPLIANCE;
    s.def.contact_model = TN_CONTACT_EXACT;
    s.def.iterations = iterations;
    size_t mark = tn_arena_mark(p->arena);
    bool ok = tn_per_constraint_alloc(p, &s.start) && tn_per_constraint_alloc(p, &s.best_lambda) &&
              tn_per_constraint_alloc(p, &s.lambda) && tn_per_constraint_alloc(p, &s.u) &&
              tn_velocities_alloc(p, &s.start_v) && tn_velocities_alloc(p, &s.v);
    if (ok) {
        tn_lambda_take(p, &s.start);
        tn_velocities_copy(p, &s.start_v);
        ok = search(&s, tn_solves_to_tolerance(def));
        tn_lambda_put(p, &s.best_lambda);
        ok = ok && look(&s);
        tn_velocities_put(p, &s.v);
        *reached = s.best;
    }
    tn_arena_release(p->arena, mark);
    return ok;
}
