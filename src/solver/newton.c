/* newton.c: Newton's method on an island as one system (assembly.h).
 *
 * Every constraint's law is linearized where it stands (newton_law.c), λ⁺ = a - G u⁺, and
 *
 *     (A + JᵀGJ) x⁺ = Jᵀ (a - G e'),   u⁺ = J x⁺ + e',   λ⁺ = a - G u⁺
 *
 * is solved with one factorization. The dynamics A x = Jᵀλ hold exactly at every iterate and between two
 * of them, so the laws are all that is left to judge by: the natural map. Where the classes stay and
 * nothing slips, the factor is kept and a = λ: steps of an augmented Lagrangian, each of which
 * takes the remaining error down by R.
 *
 * A step is taken at 1, ½, ¼ or ⅛ of its length, the first that gains. */
#include <math.h>
#include <string.h>

#include "newton_law.h"
#include "solve.h"

#define STIFFNESS 1e6 /* R */
#define LEAST_GAIN 0.9
#define CUTS 4
#define FIRST_SHARE 0.0 /* of λ that held constraints start from in the first step */

typedef struct Newton {
    const TnAssembly *assembly;
    const TnProblem *problem;
    const TnCompliances *D;
    TnLaws laws;
    TnPerConstraint u, lambda, next_u, next_lambda, trial_u, trial_lambda, best_lambda, force;
    double *values, *x;
    bool factored;
} Newton;

static bool reserve(Newton *n)
{
    const TnProblem *p = n->problem;
    TnPerConstraint *all[] = {&n->u,       &n->lambda,       &n->next_u,      &n->next_lambda,
                              &n->trial_u, &n->trial_lambda, &n->best_lambda, &n->force};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    n->values = TN_ARENA_NEW(p->arena, double, 2 * n->assembly->plan->size);
    n->x = TN_ARENA_NEW(p->arena, double, n->assembly->dim);
    return n->values && n->x && tn_laws_alloc(p, &n->laws);
}

/* All numbers of the constraints lie one after the other. */
static double *numbers(const TnPerConstraint *x) { return (double *)x->contact; }

/* out = from + s (to - from) */
static void blend(double s, const TnPerConstraint *from,
                  const TnPerConstraint *to, TnPerConstraint *out)
{
    const double *x = numbers(from), *y = numbers(to);
    double *z = numbers(out);
    for (size_t i = 0; i < out->count; i++) z[i] = x[i] + s * (y[i] - x[i]);
}

static void copy(const TnPerConstraint *from, TnPerConstraint *to)
{
    memcpy(numbers(to), numbers(from), sizeof(double) * from->count);
}

static void swap(TnPerConstraint *a, TnPerConstraint *b)
{
    TnPerConstraint t = *a;
    *a = *b;
    *b = t;
}

/* x⁺, u⁺ and λ⁺ of the linearized laws with the factor there is. */
static void solve(Newton *n)
{
    const TnAssembly *s = n->assembly;
    const TnPerConstraint *a = &n->laws.a;
    double *u = numbers(&n->next_u);
    const double *e = numbers(&s->e);
    tn_laws_force(n->problem, &n->laws, a, &s->e, &n->force);
    tn_assembly_gather(s, &n->force, n->x);
    tn_assembly_solve(s, n->laws.G.symmetric, n->values, n->x);
    tn_assembly_apply(s, n->x, &n->next_u);
    for (size_t i = 0; i < s->e.count; i++) u[i] += e[i];
    tn_laws_force(n->problem, &n->laws, a, &n->next_u, &n->next_lambda);
}

/* The next iterate in next_u, next_lambda. False: the matrix has no factor. */
static bool step(Newton *n, double share, TnMethodResult *out)
{
    const TnProblem *p = n->problem;
    bool same = tn_laws_classify(p, n->D, &n->u, &n->lambda, &n->laws);
    if (n->factored && same && !n->laws.any_slip) {
        tn_laws_restart(p, &n->lambda, STIFFNESS, &n->laws);
    } else {
        tn_laws_linearize(p, n->D, &n->u, &n->lambda, share, STIFFNESS, &n->laws);
        out->factorizations++;
        n->factored = tn_assembly_factor(n->assembly, &n->laws.G, n->values);
        if (!n->factored) return false;
    }
    solve(n);
    return true;
}

void tn_lambda_take(const TnProblem *p, TnPerConstraint *out)
{
    if (p->contact_count)
        memcpy(out->contact, p->lambda, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) out->row[r] = p->rows[r].lambda;
    for (int i = 0; i < p->bond_count; i++)
        memcpy(out->bond[i], p->bonds[i].lambda, sizeof p->bonds[i].lambda);
}

void tn_lambda_put(TnProblem *p, const TnPerConstraint *from)
{
    if (p->contact_count)
        memcpy(p->lambda, from->contact, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = from->row[r];
    for (int i = 0; i < p->bond_count; i++)
        memcpy(p->bonds[i].lambda, from->bond[i], sizeof p->bonds[i].lambda);
}

/* From (u, λ) towards the next ones: the first length that gains enough, else the one that is best. The
 * iterate is in trial_u, trial_lambda. */
static TnNaturalMap search(Newton *n, double before)
{
    const TnProblem *p = n->problem;
    TnNaturalMap best = {.rms = INFINITY};
    double length = 1.0, best_length = 1.0;
    for (int cut = 0; cut < CUTS; cut++, length *= 0.5) {
        blend(length, &n->u, &n->next_u, &n->trial_u);
        blend(length, &n->lambda, &n->next_lambda, &n->trial_lambda);
        TnNaturalMap map = tn_natural_map(p, n->D, &n->trial_u, &n->trial_lambda);
        if (map.rms < best.rms) {
            best = map;
            best_length = length;
        }
        if (map.rms < LEAST_GAIN * before) return map;
    }
    if (best_length != 2.0 * length) { /* not the last one tried */
        blend(best_length, &n->u, &n->next_u, &n->trial_u);
        blend(best_length, &n->lambda, &n->next_lambda, &n->trial_lambda);
    }
    return best;
}

bool tn_newton(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
               const TnPerConstraint *start, double tolerance, int most_steps, TnMethodResult *out)
{
    Newton n = {.assembly = assembly, .problem = p, .D = D};
    *out = (TnMethodResult){0};
    if (!reserve(&n)) return false;
    tn_lambda_take(p, &n.lambda);
    copy(start, &n.u);
    copy(&n.lambda, &n.best_lambda);
    TnNaturalMap map = tn_natural_map(p, D, &n.u, &n.lambda), best = map;
    int poor = 0;
    while (best.largest >= tolerance && out->iterations < most_steps && poor < 2) {
        out->iterations++;
        if (!step(&n, out->iterations == 1 ? FIRST_SHARE : 1.0, out)) break;
        double before = map.rms;
        map = search(&n, before);
        swap(&n.u, &n.trial_u);
        swap(&n.lambda, &n.trial_lambda);
        poor = map.rms < LEAST_GAIN * before ? 0 : poor + 1;
        if (map.rms < best.rms) {
            best = map;
            copy(&n.lambda, &n.best_lambda);
        }
    }
    tn_lambda_put(p, &n.best_lambda);
    out->error = best.largest;
    out->stagnated = best.largest >= tolerance;
    return true;
}
