/* small_laws.c: the natural map of a small island, and sweeps of projected Gauss-Seidel, one group
 * after the other, in the axes of its constraints. */
#include "../law/law.h"
#include "small.h"

static double positive(double x) { return x > 0.0 ? x : 0.0; }

static double radius_of(const TnSmall *s, const TnSmallGroup *g, const double *lambda)
{
    return g->normal < 0 ? 0.0 : tn_small_radius(s, g, lambda[g->normal]);
}

/* ---- the map ---- */

/* Squared. */
static double map_of(const TnSmall *s, const TnSmallGroup *g, const double *lambda, const double *u)
{
    const double *l = lambda + g->at, *v = u + g->at;
    if (g->row >= 0) {
        double lever = s->lever[g->at];
        return lever * lever *
               tn_row_map(&s->problem->rows[g->row], g->D[0], radius_of(s, g, lambda), v, l);
    }
    if (s->bound && g->law != TN_SMALL_DEAD) {
        double normal = g->D[0] * (l[0] - positive(l[0] - v[0] / g->D[0]));
        if (g->law == TN_SMALL_SMOOTH) return normal * normal;
        return normal * normal + tn_disc_map(tn_small_radius(s, g, 0.0), g->D[1], v + 1, l + 1);
    }
    return tn_contact_map((TnContactPair){v[0], {v[1], v[2], 0.0}},
                          (TnContactPair){l[0], {l[1], l[2], 0.0}}, g->mu, g->D[0], g->D[1]);
}

TnNaturalMap tn_small_map(const TnSmall *s, const double *lambda, const double *u)
{
    TnNaturalMap map = {0};
    double sum = 0.0;
    for (int i = 0; i < s->group_count; i++) {
        const TnSmallGroup *g = &s->groups[i];
        double squared = map_of(s, g, lambda, u);
        sum += squared;
        if (squared <= map.largest && map.worst != TN_NO_CONSTRAINT) continue;
        map.largest = isnan(squared) ? INFINITY : squared;
        map.worst = g->row >= 0 ? TN_A_ROW : TN_A_CONTACT;
        map.worst_index = g->row >= 0 ? g->row : g->at / 3;
    }
    map.largest = sqrt(map.largest);
    map.rms = s->n ? sqrt(sum / s->n) : 0.0;
    return map;
}

double tn_small_force(const TnSmall *s, const double *lambda)
{
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        double size = s->lever[i] * s->own[i] * fabs(lambda[i]);
        if (!(size <= most)) most = size;
    }
    return most;
}

/* ---- sweeps ---- */

/* A contact's own part of Y Yᵀ, and its inverse. */
static void set_own(const TnSmall *s, TnSmallGroup *g)
{
    for (int i = 0; i < 3; i++) {
        const double none[3] = {0};
        s->kernels->dots(3, s->ld, s->Y + (long)g->at * s->ld, s->Y + (long)(g->at + i) * s->ld,
                         none, g->W + 3 * i);
    }
    tn_small_inverse(3, g->W, g->inverse);
    g->regular = g->inverse[0] > 0.0 && g->inverse[4] > 0.0 && g->inverse[8] > 0.0;
    g->has_own = true;
}

static void solve_row(const TnSmall *s, const TnSmallGroup *g, const double *u, double *l)
{
    double D = s->own[g->at], t[2];
    for (int i = 1; i < g->count; i++) D = fmax(D, s->own[g->at + i]);
    double B = D > 0.0 ? 1.0 / D : 0.0;
    for (int i = 0; i < g->count; i++) t[i] = l[i] - u[i] * B;
    tn_row_project(&s->problem->rows[g->row], B, radius_of(s, g, s->lambda), t, l);
}

static void sweep_once(TnSmall *s)
{
    for (int i = 0; i < s->group_count; i++) {
        TnSmallGroup *g = &s->groups[i];
        const double *Y = s->Y + (long)g->at * s->ld;
        double *l = s->lambda + g->at, u[3], change[3];
        if (g->law == TN_SMALL_DEAD) continue;
        s->kernels->dots(g->count, s->ld, Y, s->z, s->q + g->at, u);
        for (int k = 0; k < g->count; k++) change[k] = -l[k];
        if (g->law == TN_SMALL_CONTACT && s->bound) {
            l[0] = positive(l[0] - u[0] / s->own[g->at]);
            for (int k = 1; k < 3; k++) l[k] -= u[k] / g->D[1];
            double share = tn_disc_share(hypot(l[1], l[2]), tn_small_radius(s, g, 0.0));
            for (int k = 1; k < 3; k++) l[k] *= share;
        } else if (g->law == TN_SMALL_CONTACT) {
            if (!g->has_own) set_own(s, g);
            tn_contact_solve(g->W, g->inverse, g->regular, g->mu, u, l);
        } else if (g->law == TN_SMALL_SMOOTH)
            l[0] = positive(l[0] - u[0] / s->own[g->at]);
        else
            solve_row(s, g, u, l);
        bool moved = false;
        for (int k = 0; k < g->count; k++) {
            change[k] += l[k];
            moved = moved || change[k] != 0.0;
        }
        if (moved) s->kernels->add(g->count, s->ld, Y, change, s->z);
    }
}

void tn_small_sweep(TnSmall *s, int count)
{
    memset(s->z, 0, sizeof(double) * (size_t)s->ld);
    tn_small_add(s, s->lambda, s->z);
    for (int i = 0; i < count; i++) sweep_once(s);
    tn_small_apply(s, s->lambda, s->q, s->u);
}
