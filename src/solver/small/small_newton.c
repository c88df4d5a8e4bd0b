/* small_newton.c: a step of Newton's method on the laws of a small island.
 *
 * The natural map's trial t = λ - u/D tells what each law does, and with that the laws are linear:
 *
 *     open, at a bound     λ⁺ = 0, λ⁺ = bound
 *     holds                u⁺ + D/R (λ⁺ - λ) = 0: exact where λ stays; R tells forces apart that
 *                          do the same (four feet of a table), and shares what contradicts
 *     slips, d = t/|t|     λ⁺ = μ λ_n⁺ d + x e,  e across d,  (1 - κ) D x + κ u⁺_e = 0,
 *                          κ = μ t_n/|t|: λ_n of this very step, so that contacts and their
 * spinning and rolling friction arrive together soft                 as it is
 *
 * What holds is an unknown x_j, a column C_j of up to six numbers (a normal force takes with it the
 * friction that follows it), and an equation a_j x_j + c_jᵀ u⁺ = r_j; so, with E = cᵀY and F = CᵀY,
 *
 *     (diag(a) + E Fᵀ) x = r
 *
 * of what is active only; or, where there are more of these than velocities, for w = Fᵀx
 *
 *     (I + Fᵀ diag(1/a) E) w = Fᵀ diag(1/a) r,   x = (r - E w) / a. */
#include "../law/law.h"
#include "small.h"

enum { MOST_PARTS = 6 };

/* Σ value · number */
typedef struct Parts {
    int count, at[MOST_PARTS];
    double value[MOST_PARTS];
} Parts;

typedef struct TnSmallUnknown {
    Parts force;    /* what it adds to λ */
    Parts equation; /* of u⁺ */
    double a, rhs;  /* a x + equation · u⁺ = rhs */
    int held;       /* its number, if it holds that at rest; else -1 */
} Unknown;

typedef struct Step {
    TnSmall *small;
    double softness; /* 1/R */
    int count;
    Unknown *unknowns;
    int *unknown_of;
} Step;

bool tn_small_reserve_steps(TnSmall *s)
{
    s->unknowns = TN_ARENA_NEW(s->problem->arena, Unknown, s->n);
    return s->unknowns;
}

/* Friction of a seventh number and more lags by a step. */
static void add_part(Parts *parts, int at, double value)
{
    if (parts->count == MOST_PARTS) return;
    parts->at[parts->count] = at;
    parts->value[parts->count++] = value;
}

/* Its parts are added in place: made elsewhere and copied, they cost more than all else of a law.
 */
static Unknown *add(Step *s, double a, double rhs)
{
    Unknown *x = &s->unknowns[s->count++];
    x->force.count = x->equation.count = 0;
    x->a = a;
    x->rhs = rhs;
    x->held = -1;
    return x;
}

/* ---- laws ---- */

static void hold(Step *s, int at, double D)
{
    Unknown *x = add(s, D * s->softness, 0.0);
    add_part(&x->force, at, 1.0);
    add_part(&x->equation, at, 1.0);
    x->held = at;
}

static void release(Step *s, const TnSmallGroup *g, int from)
{
    for (int k = from; k < g->count; k++)
        s->small->change[g->at + k] = -s->small->lambda[g->at + k];
}

/* Two numbers at `at` on their disc: along d they follow the normal force, or are what they may be
 * at most where that is given; across d they slide. */
static void slide(Step *s, int at, double D, double mu, int normal, const double t[2],
                  double length, double bound)
{
    TnSmall *w = s->small;
    double d[2] = {t[0] / length, t[1] / length}, kappa = bound / length;
    const double *l = w->lambda + at;
    double along = d[0] * l[0] + d[1] * l[1], across = d[0] * l[1] - d[1] * l[0];
    double now = w->bound ? bound : mu * (w->lambda[normal] + w->change[normal]);
    int j = s->unknown_of[normal];
    w->change[at] = (now - along) * d[0];
    w->change[at + 1] = (now - along) * d[1];
    if (!(bound > 0.0) || (!w->bound && j < 0)) { /* no normal force: the disc is a point */
        w->change[at] = -l[0];
        w->change[at + 1] = -l[1];
        return;
    }
    if (!w->bound) {
        add_part(&s->unknowns[j].force, at, mu * d[0]);
        add_part(&s->unknowns[j].force, at + 1, mu * d[1]);
    }
    double a = (1.0 - kappa) * D + D * s->softness;
    Unknown *x = add(s, a, -(1.0 - kappa) * D * across);
    add_part(&x->force, at, -d[1]);
    add_part(&x->force, at + 1, d[0]);
    add_part(&x->equation, at, -kappa * d[1]);
    add_part(&x->equation, at + 1, kappa * d[0]);
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
    hold(s, g->at, g->D[0]);
    if (g->law == TN_SMALL_SMOOTH) return;
    for (int k = 0; k < 2; k++) t[k] = l[1 + k] - u[1 + k] / g->D[1];
    double length = sqrt(t[0] * t[0] + t[1] * t[1]), bound = tn_small_radius(s->small, g, tn);
    if (length <= bound && bound > 0.0) {
        hold(s, g->at + 1, g->D[1]);
        hold(s, g->at + 2, g->D[1]);
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
        hold(s, g->at, g->D[0]);
    else
        w->change[g->at] = to - w->lambda[g->at];
}

/* D (λ⁺ + k (e + α (u⁺ - e))) / (1 + D k α) = 0 */
static void line_soft(Step *s, const TnSmallGroup *g)
{
    const TnSmall *w = s->small;
    const TnRow *row = &w->problem->rows[g->row];
    double gain = tn_soft_gain(row), scale = g->D[0] > 0.0 ? g->D[0] / (1.0 + g->D[0] * gain) : 1.0;
    Unknown *x = add(s, scale, scale * (tn_soft_force(row, 0.0) - w->lambda[g->at]));
    add_part(&x->force, g->at, 1.0);
    add_part(&x->equation, g->at, scale * gain);
}

static void line_disc(Step *s, const TnSmallGroup *g)
{
    TnSmall *w = s->small;
    const double *l = w->lambda + g->at, *u = w->u + g->at;
    double normal = w->lambda[g->normal] - w->u[g->normal] / w->own[g->normal];
    double bound = tn_small_radius(w, g, normal), t[2] = {0};
    int j = s->unknown_of[g->normal];
    for (int k = 0; k < g->count; k++) t[k] = l[k] - u[k] / g->D[0];
    double length = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (!(bound > 0.0) || (!w->bound && j < 0)) {
        release(s, g, 0);
    } else if (length <= bound) {
        for (int k = 0; k < g->count; k++) hold(s, g->at + k, g->D[0]);
    } else if (g->count == 2) {
        slide(s, g->at, g->D[0], g->mu, g->normal, t, length, bound);
    } else if (w->bound) {
        w->change[g->at] = copysign(bound, t[0]) - l[0];
    } else {
        double mu = t[0] > 0.0 ? g->mu : -g->mu;
        add_part(&s->unknowns[j].force, g->at, mu);
        w->change[g->at] = mu * (w->lambda[g->normal] + w->change[g->normal]) - l[0];
    }
}

static void line_all(Step *s)
{
    TnSmall *w = s->small;
    memset(w->change, 0, sizeof(double) * (size_t)w->n);
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

/* Of the rows of Y. */
static void combine(const TnSmall *w, const Parts *parts, double *out)
{
    const double *row = w->Y + (long)parts->at[0] * w->ld;
    for (int k = 0; k < w->ld; k++) out[k] = parts->value[0] * row[k];
    for (int i = 1; i < parts->count; i++)
        w->kernels->add(1, w->ld, w->Y + (long)parts->at[i] * w->ld, &parts->value[i], out);
}

static int padded(int n) { return (n + 7) & ~7; }

/* Columns of Fᵀ that are written at once: one after the other they would each touch all its rows.
 */
enum { COLUMNS = 8 };

/* Columns j … of Fᵀ, rows of ldf: `from` times `scale`; nothing from `count` on. */
static void write_columns(int rows, const double *const from[COLUMNS], const double scale[COLUMNS],
                          double *restrict to, int ldf)
{
    const double *restrict f[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) f[c] = from[c];
    for (int k = 0; k < rows; k++, to += ldf)
        for (int c = 0; c < COLUMNS; c++) to[c] = scale[c] * f[c][k];
}

/* E, count × ld; and Fᵀ, its columns divided by `a` or not, dim × ldf. True: F is E, and the system
 * symmetric. wide: COLUMNS × ld numbers of scratch. */
static bool write_factors(const Step *s, double *E, double *Ft, int ldf, bool divided, double *wide)
{
    const TnSmall *w = s->small;
    bool symmetric = true;
    for (int j = 0; j < ldf; j += COLUMNS) {
        const double *from[COLUMNS];
        double scale[COLUMNS];
        for (int c = 0; c < COLUMNS; c++) {
            from[c] = w->none;
            scale[c] = 0.0;
            if (j + c >= s->count) continue;
            const Unknown *x = &s->unknowns[j + c];
            double *e = E + (long)(j + c) * w->ld;
            from[c] = e;
            scale[c] = divided ? 1.0 / x->a : 1.0;
            combine(w, &x->equation, e);
            if (x->force.count == 1 && x->equation.count == 1 && x->equation.value[0] == 1.0)
                continue;
            from[c] = wide + (long)c * w->ld;
            combine(w, &x->force, wide + (long)c * w->ld);
            symmetric = false;
        }
        write_columns(w->dim, from, scale, Ft + j, ldf);
    }
    return symmetric;
}

/* Into w->x; r lies there. */
static bool solve_forces(const Step *s, double *E, double *Ft, double *M, double *wide)
{
    TnSmall *w = s->small;
    int n = s->count, ld = padded(n + 1);
    bool symmetric = write_factors(s, E, Ft, ld, false, wide);
    w->kernels->multiply(n, w->dim, E, w->ld, Ft, ld, M, symmetric);
    for (int i = 0; i < n; i++) {
        M[(long)i * ld + i] += s->unknowns[i].a;
        M[(long)i * ld + n] = w->x[i];
    }
    return w->kernels->solve(n, ld, M, w->x, symmetric);
}

static bool solve_velocities(const Step *s, double *E, double *Ft, double *M, double *wide)
{
    TnSmall *w = s->small;
    int n = w->dim, ld = padded(n + 1), count = s->count, ldf = padded(count);
    double *right = M; /* E with rows of ld: its column n has r */
    bool symmetric = write_factors(s, E, Ft, ldf, true, wide);
    for (int i = 0; i < count; i++) {
        double *to = right + (long)i * ld;
        memcpy(to, E + (long)i * w->ld, sizeof(double) * (size_t)n);
        to[n] = w->x[i];
        for (int k = n + 1; k < ld; k++) to[k] = 0.0;
    }
    double *H = right + (long)count * ld;
    w->kernels->multiply(n, count, Ft, ldf, right, ld, H, symmetric);
    for (int k = 0; k < n; k++) H[(long)k * ld + k] += 1.0;
    if (!w->kernels->solve(n, ld, H, w->z, symmetric)) return false;
    for (int k = n; k < w->ld; k++) w->z[k] = 0.0;
    double *along = w->next; /* scratch until the step is added up */
    w->kernels->dots(count, w->ld, E, w->z, w->none, along);
    for (int i = 0; i < count; i++) w->x[i] = (w->x[i] - along[i]) / s->unknowns[i].a;
    return true;
}

static bool solve_system(const Step *s)
{
    TnSmall *w = s->small;
    TnArena *arena = w->problem->arena;
    bool few = s->count <= w->dim;
    size_t mark = tn_arena_mark(arena), count = (size_t)padded(s->count + 1), dim = (size_t)w->ld;
    size_t ld = (size_t)padded(w->dim + 1), matrix = few ? count * count : (count + dim) * ld;
    double *E = TN_ARENA_NEW(arena, double, (2 * count + COLUMNS) * dim + matrix);
    if (!E) return false;
    double *Ft = E + count * dim, *wide = Ft + count * dim, *M = wide + COLUMNS * dim;
    tn_small_apply(w, w->change, w->u, w->next_u);
    for (int i = 0; i < s->count; i++)
        w->x[i] = s->unknowns[i].rhs - take(&s->unknowns[i].equation, w->next_u);
    bool ok = few ? solve_forces(s, E, Ft, M, wide) : solve_velocities(s, E, Ft, M, wide);
    tn_arena_release(arena, mark);
    return ok;
}

bool tn_small_step(TnSmall *w, double R)
{
    Step s = {
        .small = w, .softness = 1.0 / R, .unknowns = w->unknowns, .unknown_of = w->unknown_of};
    line_all(&s);
    if (!solve_system(&s)) return false;
    for (int i = 0; i < w->n; i++) w->next[i] = w->lambda[i] + w->change[i];
    for (int i = 0; i < s.count; i++) {
        const Parts *force = &s.unknowns[i].force;
        for (int k = 0; k < force->count; k++) w->next[force->at[k]] += force->value[k] * w->x[i];
    }
    tn_small_apply(w, w->next, w->q, w->next_u);
    w->unknown_count = s.count;
    return true;
}

double tn_small_left(const TnSmall *w, double *left)
{
    double asked = 0.0;
    memset(left, 0, sizeof(double) * (size_t)w->n);
    for (int j = 0; j < w->unknown_count; j++) {
        const Unknown *x = &w->unknowns[j];
        if (x->held < 0) continue;
        left[x->held] = w->next_u[x->held];
        asked += x->a * w->x[j] * w->x[j];
    }
    return asked;
}

double tn_small_moved(const TnSmall *w)
{
    double sum = 0.0;
    for (int i = 0; i < w->n; i++) w->change[i] = w->next[i] - w->lambda[i];
    memset(w->z, 0, sizeof(double) * (size_t)w->ld);
    tn_small_add(w, w->change, w->z);
    for (int k = 0; k < w->dim; k++) sum += w->z[k] * w->z[k];
    return sum;
}
