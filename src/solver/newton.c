/* newton.c: Newton's method on an island as one system (assembly.h).
 *
 * The laws are softened by 1/R about forces λ_c (newton_law.c), which makes them functions λ(u), and
 *
 *     A x = Jᵀ λ(J x + e')
 *
 * a smooth enough equation with one solution. With its laws replaced by lines, λ ≈ a - G u, a step is
 *
 *     (A + JᵀGJ) x⁺ = Jᵀ (a - G e'),   u⁺ = J x⁺ + e',   λ⁺ = a - G u⁺
 *
 * where the dynamics A x⁺ = Jᵀλ⁺ hold exactly. They are linear, so they hold for every mixture of iterates as well:
 * u and λ with A x = Jᵀλ are all that is kept, and x is never needed.
 *
 * If friction did not depend on normal forces, the equation would be the gradient of a convex function
 * of x, whose slope along u⁺ - u is
 *
 *     (u⁺ - u) · (λ + s (λ⁺ - λ) - λ(u + s (u⁺ - u))).
 *
 * The step's length s is where that vanishes, with bounds of friction as they are at u; mostly s = 1. When λ(u) and
 * λ agree, λ_c ← λ: an augmented Lagrangian, whose error falls by R in the directions in which blocks yield well. Judged
 * is by the natural map. */
#include <math.h>
#include <string.h>

#include "newton_law.h"
#include "solve.h"

/* R: tried first; smaller ones down to a sure one. */
#define MOST_STIFFNESS 1e7
#define SURE_STIFFNESS 1e3
#define LESS_STIFF 0.01
#define LEAST_GAIN 0.9
#define BOLDER 10.0
#define STIFFER 5.0      /* R grows, where the last λ_c */
#define GOOD_GAIN 0.2    /* left more of the error */
#define ENOUGH_SLOPE 0.2 /* of the slope at s = 0 */
#define SEARCHES 12
/* Where four corners carry what three could, nothing holds the forces that move nothing: what is inconsistent in
 * e drives them by R times itself, step after step, until they end at bounds of friction. The first step is about
 * a little less than the forces there are, so that they fade; it leaves FADE D λ / R. */
#define FADE 0.02
#define INNER_SHARE 0.3 /* of the error that is left: λ(u) and λ agree */

typedef struct Newton {
    const TnAssembly *assembly;
    const TnProblem *problem;
    TnLaws laws;
    TnPerConstraint u, lambda, next_u, next_lambda, trial_u, scratch;
    double *values, *x;
    bool factored;
    double factor_R;
    double sure_R;    /* where sure steps begin */
    TnNaturalMap map; /* at (u, λ) */
    double best;      /* largest natural map of the best λ */
} Newton;

static bool reserve(Newton *n, const TnCompliances *D)
{
    const TnProblem *p = n->problem;
    TnPerConstraint *all[] = {&n->u,           &n->lambda,  &n->next_u,
                              &n->next_lambda, &n->trial_u, &n->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    n->values = TN_ARENA_NEW(p->arena, double, 2 * n->assembly->plan->size);
    n->x = TN_ARENA_NEW(p->arena, double, n->assembly->dim);
    return n->values && n->x && tn_laws_alloc(p, D, &n->laws);
}

/* ---- vectors with a number per constraint ---- */

static void copy(const TnPerConstraint *from, TnPerConstraint *to)
{
    memcpy(to->all, from->all, sizeof(double) * from->count);
}

/* x + s (y - x) */
static void blend(double s, const TnPerConstraint *from, const TnPerConstraint *to,
                  TnPerConstraint *out)
{
    const double *x = from->all, *y = to->all;
    double *z = out->all;
    for (size_t i = 0; i < out->count; i++) z[i] = x[i] + s * (y[i] - x[i]);
}

static void swap(TnPerConstraint *a, TnPerConstraint *b)
{
    TnPerConstraint t = *a;
    *a = *b;
    *b = t;
}

static double dot(const TnPerConstraint *a, const TnPerConstraint *b)
{
    const double *x = a->all, *y = b->all;
    double sum = 0.0;
    for (size_t i = 0; i < a->count; i++) sum += x[i] * y[i];
    return sum;
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

/* ---- a step ---- */

/* u⁺ and λ⁺ for the lines there are. */
static void solve(Newton *n)
{
    const TnAssembly *s = n->assembly;
    double *u = n->next_u.all;
    const double *e = s->e.all;
    tn_laws_linear(&n->laws, &s->e, &n->scratch);
    tn_assembly_gather(s, &n->scratch, n->x);
    tn_assembly_solve(s, n->laws.G.symmetric, n->values, n->x);
    tn_assembly_apply(s, n->x, &n->next_u);
    for (size_t i = 0; i < s->e.count; i++) u[i] += e[i];
    tn_laws_linear(&n->laws, &n->next_u, &n->next_lambda);
}

static bool direction(Newton *n, TnMethodResult *out)
{
    out->factorizations++;
    n->factored = tn_assembly_factor(n->assembly, &n->laws.G, n->values);
    n->factor_R = n->laws.R;
    if (n->factored) solve(n);
    return n->factored;
}

/* Slope of the convex function at s of the way; `way` = u⁺ - u is in scratch. */
static double slope(Newton *n, double s)
{
    double along = (1.0 - s) * dot(&n->scratch, &n->lambda) + s * dot(&n->scratch, &n->next_lambda);
    blend(s, &n->u, &n->next_u, &n->trial_u);
    return along - tn_laws_slope(&n->laws, &n->trial_u, &n->scratch);
}

static void set_way(Newton *n)
{
    const double *from = n->u.all, *to = n->next_u.all;
    double *way = n->scratch.all;
    for (size_t i = 0; i < n->u.count; i++) way[i] = to[i] - from[i];
}

/* Where the slope vanishes: 1 if it is small there, else between two lengths by false position. */
static double length_of(Newton *n, double first)
{
    double low = 0.0, at_low = first, high = 1.0, at_high = slope(n, 1.0), s = 1.0;
    if (fabs(at_high) <= ENOUGH_SLOPE * fabs(first) || at_high < 0.0) return 1.0;
    for (int i = 0; i < SEARCHES; i++) {
        s = (low * at_high - high * at_low) / (at_high - at_low);
        s = fmin(fmax(s, low + 0.1 * (high - low)), high - 0.1 * (high - low));
        double at = slope(n, s);
        if (fabs(at) <= ENOUGH_SLOPE * fabs(first)) break;
        if (at < 0.0) {
            low = s;
            at_low = at;
        } else {
            high = s;
            at_high = at;
        }
    }
    return s;
}

/* ---- the method ---- */

/* Largest D |λ(u) - λ|: how far the softened laws are from being met. */
static double law_error(const Newton *n)
{
    const TnProblem *p = n->problem;
    const TnLaws *laws = &n->laws;
    double worst = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactYield *yield = &laws->D->contact[c / TN_LANES];
        double d = fmax(yield->D[0][c % TN_LANES], yield->D[1][c % TN_LANES]);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, d * fabs(laws->force.contact[c][k] - n->lambda.contact[c][k]));
    }
    for (int r = 0; r < p->row_count; r++)
        worst = fmax(worst, laws->D->row[r] * fabs(laws->force.row[r] - n->lambda.row[r]));
    return worst;
}

/* Lines at `at`, and next_u, next_lambda. The matrix of the last step serves where nothing has changed its
 * class. False: no factor. */
static bool step_from(Newton *n, const TnPerConstraint *at, double fade, TnMethodResult *out)
{
    tn_laws_at(&n->laws, at);
    if (fade > 0.0) tn_laws_fade(&n->laws, fade);
    if (n->factored && n->factor_R == n->laws.R && !n->laws.moved) {
        solve(n);
        return true;
    }
    return direction(n, out);
}

/* The natural map at (u, λ); the best λ so far goes to the problem. */
static void accept(Newton *n, TnProblem *p, TnNaturalMap map)
{
    n->map = map;
    if (!(n->map.largest < n->best)) return;
    n->best = n->map.largest;
    tn_lambda_put(p, &n->lambda);
}

static void judge(Newton *n, TnProblem *p)
{
    accept(n, p, tn_natural_map(p, n->laws.D, &n->u, &n->lambda));
}

/* Full steps about the forces there are, with classes by the natural map's own trial, t = λ - u/D: near a solution, one
 * or two are enough. One that does not gain is taken back and tried with a smaller R. */
static bool bold_steps(Newton *n, TnProblem *p, double tolerance, int most, TnMethodResult *out)
{
    double R = MOST_STIFFNESS;
    n->sure_R = SURE_STIFFNESS;
    while (R >= SURE_STIFFNESS && out->iterations < most) {
        n->laws.R = R;
        n->laws.reach = 1.0;
        double before = n->map.rms;
        copy(&n->lambda, &n->laws.centre);
        if (!step_from(n, &n->u, out->iterations++ ? 0.0 : FADE, out)) return false;
        TnNaturalMap map = tn_natural_map(p, n->laws.D, &n->next_u, &n->next_lambda);
        if (map.rms > LEAST_GAIN * before) {
            R *= LESS_STIFF;
            continue;
        }
        n->sure_R = fmin(MOST_STIFFNESS, BOLDER * R);
        swap(&n->u, &n->next_u);
        swap(&n->lambda, &n->next_lambda);
        accept(n, p, map);
        if (n->best < tolerance || map.rms > GOOD_GAIN * before) break;
    }
    return true;
}

/* Steps down the convex function until λ(u) and λ agree, then λ_c ← λ and on, with a larger R where that gained
 * little. */
static bool sure_steps(Newton *n, TnProblem *p, double tolerance, int most, TnMethodResult *out)
{
    double last = n->map.largest;
    n->laws.R = n->laws.reach = n->sure_R;
    copy(&n->lambda, &n->laws.centre);
    while (n->best >= tolerance && out->iterations < most) {
        out->iterations++;
        if (!step_from(n, &n->u, 0.0, out)) return false;
        set_way(n);
        double first = slope(n, 0.0);
        if (!(first < 0.0) && !n->laws.G.symmetric) { /* no way down: friction must follow later */
            tn_laws_unfollow(&n->laws);
            if (!direction(n, out)) return false;
            set_way(n);
            first = slope(n, 0.0);
        }
        double s = first < 0.0 ? length_of(n, first) : 1.0;
        blend(s, &n->u, &n->next_u, &n->u);
        blend(s, &n->lambda, &n->next_lambda, &n->lambda);
        judge(n, p);
        tn_laws_force(&n->laws, &n->u);
        double inner = law_error(n);
        if (inner < INNER_SHARE * n->map.largest) {
            copy(&n->lambda, &n->laws.centre);
            if (n->map.largest > GOOD_GAIN * last)
                n->laws.R = n->laws.reach = fmin(MOST_STIFFNESS, STIFFER * n->laws.R);
            last = n->map.largest;
        }
    }
    return true;
}

bool tn_newton(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
               const TnPerConstraint *start, double tolerance, int most_steps, TnMethodResult *out)
{
    Newton n = {.assembly = assembly, .problem = p, .best = INFINITY};
    *out = (TnMethodResult){0};
    if (!reserve(&n, D)) return false;
    tn_lambda_take(p, &n.lambda);
    copy(start, &n.u);
    judge(&n, p);
    if (bold_steps(&n, p, tolerance, most_steps, out))
        sure_steps(&n, p, tolerance, most_steps, out);
    out->error = n.best;
    out->stagnated = n.best >= tolerance;
    return true;
}
