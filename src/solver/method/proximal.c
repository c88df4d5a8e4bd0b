/* proximal.c: an augmented Lagrangian over an island as one system, for islands where Newton's full
 * steps and the interior-point method get stuck: rows with bounds, rolling friction, odd mixtures.
 *
 * With the laws softened by 1/R about forces λ_c, λ(u) = Π(λ_c - R u/D), the equation
 *
 *     A x = Jᵀ λ(J x + e')
 *
 * has one solution and is found by Newton's steps (newton_step.h). If friction did not depend on
 * normal forces it would be the gradient of a convex function of x, whose slope along u⁺ - u is
 *
 *     (u⁺ - u) · (λ + s (λ⁺ - λ) - λ(u + s (u⁺ - u)))
 *
 * A step's length s is where that vanishes, with bounds of friction as they are at u; mostly s = 1.
 * When λ(u) and λ agree, λ_c ← λ, and R grows where that gained little. */
#include "newton_step.h"

#include <math.h>

#define STIFFER 5.0 /* R grows, where the last λ_c left more than ENOUGH of the error */
#define ENOUGH 0.2  /* of the slope at s = 0: a search ends */
#define SEARCHES 12
#define INNER_SHARE 0.3 /* of the error that is left: λ(u) and λ agree */

typedef struct Search {
    TnNewtonStep *step;
    TnPerConstraint way; /* u⁺ - u */
    TnPerConstraint at;
} Search;

/* x + s (y - x) */
static void blend(double s, const TnPerConstraint *from, const TnPerConstraint *to,
                  TnPerConstraint *out)
{
    const double *x = from->all, *y = to->all;
    double *z = out->all;
    for (size_t i = 0; i < out->count; i++) z[i] = x[i] + s * (y[i] - x[i]);
}

static double dot(const TnPerConstraint *a, const TnPerConstraint *b)
{
    const double *x = a->all, *y = b->all;
    double sum = 0.0;
    for (size_t i = 0; i < a->count; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- the length of a step ---- */

static double slope(const Search *search, double s)
{
    TnNewtonStep *n = search->step;
    double along =
        (1.0 - s) * dot(&search->way, &n->lambda) + s * dot(&search->way, &n->next_lambda);
    TnPerConstraint at = search->at;
    blend(s, &n->u, &n->next_u, &at);
    return along - tn_laws_slope(&n->laws, &at, &search->way);
}

/* The slope at the start of the way. */
static double set_out(Search *search)
{
    const double *from = search->step->u.all, *to = search->step->next_u.all;
    double *way = search->way.all;
    for (size_t i = 0; i < search->way.count; i++) way[i] = to[i] - from[i];
    return slope(search, 0.0);
}

/* Where the slope vanishes: 1 if it is small there, else between two lengths by false position. */
static double length_of(const Search *search, double first)
{
    double low = 0.0, at_low = first, high = 1.0, at_high = slope(search, 1.0), s = 1.0;
    if (fabs(at_high) <= ENOUGH * fabs(first) || at_high < 0.0) return 1.0;
    for (int i = 0; i < SEARCHES; i++) {
        s = (low * at_high - high * at_low) / (at_high - at_low);
        s = fmin(fmax(s, low + 0.1 * (high - low)), high - 0.1 * (high - low));
        double at = slope(search, s);
        if (fabs(at) <= ENOUGH * fabs(first)) break;
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
static double law_error(TnNewtonStep *n)
{
    const TnLaws *laws = &n->laws;
    const TnProblem *p = laws->problem;
    double worst = 0.0;
    tn_laws_force(&n->laws, &n->u);
    for (int c = 0; c < p->contact_count; c++) {
        double d = fmax(tn_normal_compliance(laws->D, c), tn_tangent_compliance(laws->D, c));
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, d * fabs(laws->force.contact[c][k] - n->lambda.contact[c][k]));
    }
    for (int r = 0; r < p->row_count; r++)
        worst = fmax(worst, tn_row_lever(&p->rows[r]) * laws->D->row[r] *
                                fabs(laws->force.row[r] - n->lambda.row[r]));
    return worst;
}

/* To the end of a step of the right length. False: no factor. */
static bool go(Search *search, TnMethodResult *out)
{
    TnNewtonStep *n = search->step;
    if (!tn_newton_step(n, 0.0, out)) return false;
    double first = set_out(search);
    if (!(first < 0.0) && !n->laws.G.symmetric) { /* no way down: friction must follow later */
        tn_laws_unfollow(&n->laws);
        if (!tn_newton_step_again(n, out)) return false;
        first = set_out(search);
    }
    double s = first < 0.0 ? length_of(search, first) : 1.0;
    blend(s, &n->u, &n->next_u, &n->u);
    blend(s, &n->lambda, &n->next_lambda, &n->lambda);
    return true;
}

static void set_laws(TnNewtonStep *n, double R)
{
    n->laws.R = n->laws.reach = R;
    tn_per_constraint_copy(&n->laws.centre, &n->lambda);
}

bool tn_proximal(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
                 const TnPerConstraint *u, double tolerance, int most_steps, TnMethodResult *out)
{
    TnNewtonStep n;
    Search search = {.step = &n};
    *out = (TnMethodResult){0};
    if (!tn_newton_start(&n, assembly, p, D, u) || !tn_per_constraint_alloc(p, &search.way) ||
        !tn_per_constraint_alloc(p, &search.at))
        return false;
    double last = tn_natural_map(p, D, &n.u, &n.lambda).largest, best = last;
    set_laws(&n, TN_LEAST_STIFFNESS);
    while (best >= tolerance && out->iterations < most_steps && go(&search, out)) {
        double error = tn_natural_map(p, D, &n.u, &n.lambda).largest;
        if (error < best) {
            best = error;
            tn_lambda_put(p, &n.lambda);
        }
        if (law_error(&n) >= INNER_SHARE * error) continue;
        bool slow = error > ENOUGH * last;
        set_laws(&n, slow ? fmin(TN_MOST_STIFFNESS, STIFFER * n.laws.R) : n.laws.R);
        last = error;
    }
    out->error = best;
    return true;
}
