/* small_laws.c: the natural map of a small island, and sweeps of projected Gauss-Seidel (the laws
 * of one group at a time, as method/pgs_laws.c has them), in the axes of its constraints. */
#include <float.h>

#include "../law/law.h"
#include "small.h"

static double positive(double x) { return x > 0.0 ? x : 0.0; }

static double radius_of(const TnSmallGroup *g, const double *lambda)
{
    return g->normal < 0 ? 0.0 : g->mu * positive(lambda[g->normal]);
}

/* ---- the map ---- */

/* Squared. */
static double map_of(const TnSmall *s, const TnSmallGroup *g, const double *lambda, const double *u)
{
    const double *l = lambda + g->at, *v = u + g->at;
    if (g->row >= 0) {
        double lever = s->lever[g->at];
        return lever * lever *
               tn_row_map(&s->problem->rows[g->row], g->D[0], radius_of(g, lambda), v, l);
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

double tn_small_rounding(const TnSmall *s, const double *lambda)
{
    double most = 0.0;
    for (int i = 0; i < s->n; i++) {
        double size = s->lever[i] * s->W[(long)i * (s->ld + 1)] * fabs(lambda[i]);
        if (!(size <= most)) most = size;
    }
    return DBL_EPSILON * most;
}

/* ---- sweeps ---- */

static void invert(const TnSmall *s, TnSmallGroup *g)
{
    double M[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) M[3 * i + k] = s->W[(long)(g->at + i) * s->ld + g->at + k];
    tn_small_inverse(3, M, g->inverse);
}

static void solve_contact(const TnSmall *s, TnSmallGroup *g, const double *u, double *l)
{
    const double *W = s->W + (long)g->at * s->ld + g->at;
    int ld = s->ld;
    double r[3], stick[3];
    if (!(g->inverse[0] > 0.0)) invert(s, g);
    for (int i = 0; i < 3; i++)
        r[i] = u[i] - W[i * ld] * l[0] - W[i * ld + 1] * l[1] - W[i * ld + 2] * l[2];
    if (r[0] >= 0.0) {
        l[0] = l[1] = l[2] = 0.0;
        return;
    }
    const double *V = g->inverse;
    for (int i = 0; i < 3; i++)
        stick[i] = -(V[3 * i] * r[0] + V[3 * i + 1] * r[1] + V[3 * i + 2] * r[2]);
    double bound = g->mu * stick[0];
    if (V[0] > 0.0 && V[4] > 0.0 && V[8] > 0.0 && stick[0] > 0.0 &&
        stick[1] * stick[1] + stick[2] * stick[2] <= bound * bound) {
        memcpy(l, stick, sizeof stick);
        return;
    }
    double w = fmax(W[ld + 1], W[2 * ld + 2]);
    l[0] = positive(-(r[0] + W[1] * l[1] + W[2] * l[2]) / W[0]);
    double x = l[1] - (r[1] + W[ld] * l[0] + W[ld + 1] * l[1] + W[ld + 2] * l[2]) / w;
    double y = l[2] - (r[2] + W[2 * ld] * l[0] + W[2 * ld + 1] * l[1] + W[2 * ld + 2] * l[2]) / w;
    double share = tn_disc_share(sqrt(x * x + y * y), g->mu * l[0]);
    l[1] = share * x;
    l[2] = share * y;
}

static void solve_row(const TnSmall *s, const TnSmallGroup *g, const double *u, double *l)
{
    double D = s->W[(long)g->at * (s->ld + 1)], t[2];
    for (int i = 1; i < g->count; i++) D = fmax(D, s->W[(long)(g->at + i) * (s->ld + 1)]);
    double B = D > 0.0 ? 1.0 / D : 0.0;
    for (int i = 0; i < g->count; i++) t[i] = l[i] - u[i] * B;
    tn_row_project(&s->problem->rows[g->row], B, radius_of(g, s->lambda), t, l);
}

void tn_small_sweep(TnSmall *s)
{
    for (int i = 0; i < s->group_count; i++) {
        TnSmallGroup *g = &s->groups[i];
        double *l = s->lambda + g->at, *u = s->u + g->at, change[3];
        for (int k = 0; k < g->count; k++) change[k] = -l[k];
        if (g->law == TN_SMALL_DEAD) continue;
        if (g->law == TN_SMALL_CONTACT)
            solve_contact(s, g, u, l);
        else if (g->law == TN_SMALL_SMOOTH)
            l[0] = positive(l[0] - u[0] / s->W[(long)g->at * (s->ld + 1)]);
        else
            solve_row(s, g, u, l);
        bool moved = false;
        for (int k = 0; k < g->count; k++) {
            change[k] += l[k];
            moved = moved || change[k] != 0.0;
        }
        if (moved) s->kernels->add(s->ld, s->W + (long)g->at * s->ld, g->count, change, s->u);
    }
}
