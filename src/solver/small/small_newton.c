/* small_newton.c: a step of Newton's method on the laws of a small island.
 *
 * The natural map's trial t = λ - u/D tells what each law does, and with that the laws are linear:
 *
 *     open, at a bound     λ⁺ = 0, λ⁺ = bound
 *     holds                u⁺ + D/R (λ⁺ - λ) = 0: exact where λ stays; R tells forces apart that
 *                          do the same (four feet of a table)
 *     slips, d = t/|t|     λ⁺ = μ λ_n⁺ d + x e,  e across d,  (1 - κ) D x + κ u⁺_e = 0,
 *                          κ = μ t_n/|t|: λ_n of this very step, so that contacts and their
 * spinning and rolling friction arrive together soft                 as it is
 *
 * What holds is an unknown x_j, a column C_j of up to six numbers (a normal force takes with it the
 * friction that follows it), and an equation a_j x_j + c_jᵀ u⁺ = …; so the matrix is
 * diag(a) + cᵀ W C, of what is active only. */
#include "../law/law.h"
#include "small.h"

enum { MOST_PARTS = 6 };

/* Σ value · number */
typedef struct Parts {
    int count, at[MOST_PARTS];
    double value[MOST_PARTS];
} Parts;

typedef struct Unknown {
    Parts force;    /* what it adds to λ */
    Parts equation; /* of u⁺ */
    double a, rhs;  /* a x + equation · u⁺ = rhs */
} Unknown;

typedef struct Step {
    TnSmall *small;
    double R, fade;
    int count;
    Unknown *unknowns;
    int *unknown_of; /* per number: a normal force's unknown; -1: none */
} Step;

static Parts one(int at, double value) { return (Parts){1, {at}, {value}}; }
static Parts two(int at, double a, double b) { return (Parts){2, {at, at + 1}, {a, b}}; }

/* Friction of a seventh number and more lags by a step. */
static void add_part(Parts *parts, int at, double value)
{
    if (parts->count == MOST_PARTS) return;
    parts->at[parts->count] = at;
    parts->value[parts->count++] = value;
}

static Unknown *add(Step *s, Parts force, Parts equation, double a, double rhs)
{
    s->unknowns[s->count] = (Unknown){force, equation, a, rhs};
    return &s->unknowns[s->count++];
}

/* ---- laws ---- */

static void hold(Step *s, int at, double D, bool fades)
{
    double a = D / s->R, centre = fades ? s->fade * s->small->lambda[at] : 0.0;
    add(s, one(at, 1.0), one(at, 1.0), a, -a * centre);
}

static void release(Step *s, const TnSmallGroup *g, int from)
{
    for (int k = from; k < g->count; k++)
        s->small->change[g->at + k] = -s->small->lambda[g->at + k];
}

/* Two numbers at `at` on their disc: along d they follow the normal force, across it they slide. */
static void slide(Step *s, int at, double D, double mu, int normal, const double t[2],
                  double length, double bound)
{
    TnSmall *w = s->small;
    double d[2] = {t[0] / length, t[1] / length}, kappa = bound / length;
    const double *l = w->lambda + at;
    double along = d[0] * l[0] + d[1] * l[1], across = d[0] * l[1] - d[1] * l[0];
    double now = mu * (w->lambda[normal] + w->change[normal]) - along;
    int j = s->unknown_of[normal];
    w->change[at] = now * d[0];
    w->change[at + 1] = now * d[1];
    if (j < 0) { /* no normal force: the disc is a point */
        w->change[at] = -l[0];
        w->change[at + 1] = -l[1];
        return;
    }
    add_part(&s->unknowns[j].force, at, mu * d[0]);
    add_part(&s->unknowns[j].force, at + 1, mu * d[1]);
    double a = (1.0 - kappa) * D + D / s->R;
    add(s, two(at, -d[1], d[0]), two(at, -kappa * d[1], kappa * d[0]), a,
        -(1.0 - kappa) * D * across);
}

static void line_contact(Step *s, TnSmallGroup *g)
{
    const double *l = s->small->lambda + g->at, *u = s->small->u + g->at;
    double tn = l[0] - u[0] / g->D[0], t[2];
    if (!(tn > 0.0)) {
        release(s, g, 0);
        return;
    }
    s->unknown_of[g->at] = s->count;
    hold(s, g->at, g->D[0], true);
    if (g->law == TN_SMALL_SMOOTH) return;
    for (int k = 0; k < 2; k++) t[k] = l[1 + k] - u[1 + k] / g->D[1];
    double length = sqrt(t[0] * t[0] + t[1] * t[1]), bound = g->mu * tn;
    if (length <= bound) {
        hold(s, g->at + 1, g->D[1], true);
        hold(s, g->at + 2, g->D[1], true);
    } else {
        slide(s, g->at + 1, g->D[1], g->mu, g->at, t, length, bound);
    }
}

static void line_interval(Step *s, const TnSmallGroup *g)
{
    TnSmall *w = s->small;
    double t = w->lambda[g->at] - w->u[g->at] / g->D[0];
    double to = tn_interval_project(tn_row_interval(&w->problem->rows[g->row], 0.0), t);
    if (to == t)
        hold(s, g->at, g->D[0], false);
    else
        w->change[g->at] = to - w->lambda[g->at];
}

/* D (λ⁺ + k (e + α (u⁺ - e))) / (1 + D k α) = 0 */
static void line_soft(Step *s, const TnSmallGroup *g)
{
    const TnSmall *w = s->small;
    const TnRow *row = &w->problem->rows[g->row];
    double gain = tn_soft_gain(row), scale = g->D[0] > 0.0 ? g->D[0] / (1.0 + g->D[0] * gain) : 1.0;
    add(s, one(g->at, 1.0), one(g->at, scale * gain), scale,
        scale * (tn_soft_force(row, 0.0) - w->lambda[g->at]));
}

static void line_disc(Step *s, const TnSmallGroup *g)
{
    TnSmall *w = s->small;
    const double *l = w->lambda + g->at, *u = w->u + g->at;
    double normal = w->lambda[g->normal] - w->u[g->normal] / w->W[(long)g->normal * (w->ld + 1)];
    double bound = g->mu * (normal > 0.0 ? normal : 0.0), t[2] = {0};
    int j = s->unknown_of[g->normal];
    for (int k = 0; k < g->count; k++) t[k] = l[k] - u[k] / g->D[0];
    double length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (j < 0) {
        release(s, g, 0);
    } else if (length <= bound) {
        for (int k = 0; k < g->count; k++) hold(s, g->at + k, g->D[0], true);
    } else if (g->count == 2) {
        slide(s, g->at, g->D[0], g->mu, g->normal, t, length, bound);
    } else {
        double mu = t[0] > 0.0 ? g->mu : -g->mu;
        add_part(&s->unknowns[j].force, g->at, mu);
        w->change[g->at] = mu * (w->lambda[g->normal] + w->change[g->normal]) - l[0];
    }
}

static void line_all(Step *s)
{
    TnSmall *w = s->small;
    memset(w->change, 0, sizeof(double) * (size_t)w->ld);
    for (int i = 0; i < w->n; i++) s->unknown_of[i] = -1;
    for (int i = 0; i < w->group_count; i++) {
        TnSmallGroup *g = &w->groups[i];
        if (g->law == TN_SMALL_CONTACT || g->law == TN_SMALL_SMOOTH)
            line_contact(s, g);
        else if (g->law == TN_SMALL_INTERVAL)
            line_interval(s, g);
        else if (g->law == TN_SMALL_SOFT)
            line_soft(s, g);
        else if (g->law == TN_SMALL_DISC)
            line_disc(s, g);
    }
}

/* ---- the system ---- */

static double take(const Parts *parts, const double *from)
{
    double sum = 0.0;
    for (int k = 0; k < parts->count; k++) sum += parts->value[k] * from[parts->at[k]];
    return sum;
}

/* Row by row: a row of cᵀ W, as long as λ, then its products with the columns of C. */
static void write_system(const Step *s, int ld)
{
    TnSmall *w = s->small;
    double *row = w->next; /* free until the step is done */
    w->kernels->apply(w->n, w->ld, w->W, w->change, w->u, w->next_u);
    for (int i = 0; i < s->count; i++) {
        const Unknown *x = &s->unknowns[i];
        const double *from = w->W + (long)x->equation.at[0] * w->ld;
        double *to = w->M + (long)i * ld;
        if (x->equation.count > 1 || x->equation.value[0] != 1.0) {
            memset(row, 0, sizeof(double) * (size_t)w->ld);
            for (int k = 0; k < x->equation.count; k++)
                w->kernels->add(w->ld, w->W + (long)x->equation.at[k] * w->ld, 1,
                                &x->equation.value[k], row);
            from = row;
        }
        for (int j = 0; j < s->count; j++) {
            const Parts *force = &s->unknowns[j].force;
            to[j] = force->count == 1 ? from[force->at[0]] : take(force, from);
        }
        to[i] += x->a;
        to[s->count] = x->rhs - take(&x->equation, w->next_u);
        for (int j = s->count + 1; j < ld; j++) to[j] = 0.0;
    }
}

bool tn_small_step(TnSmall *w, double R, double fade)
{
    Unknown unknowns[TN_SMALL_ROWS];
    int unknown_of[TN_SMALL_ROWS];
    Step s = {.small = w, .R = R, .fade = fade, .unknowns = unknowns, .unknown_of = unknown_of};
    line_all(&s);
    int ld = (s.count + 8) & ~7;
    write_system(&s, ld);
    if (!w->kernels->solve(s.count, ld, w->M, w->x)) return false;
    for (int i = 0; i < w->n; i++) w->next[i] = w->lambda[i] + w->change[i];
    for (int i = 0; i < s.count; i++) {
        const Parts *force = &s.unknowns[i].force;
        for (int k = 0; k < force->count; k++) w->next[force->at[k]] += force->value[k] * w->x[i];
    }
    for (int i = w->n; i < w->ld; i++) w->next[i] = 0.0;
    w->kernels->apply(w->n, w->ld, w->W, w->next, w->q, w->next_u);
    return true;
}
