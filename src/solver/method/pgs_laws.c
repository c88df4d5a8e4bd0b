/* pgs_laws.c: a sweep of projected Gauss-Seidel: each group's law solved for its own μ.
 *
 *     contact   tn_contact_solve (law/contact.c)
 *     row       μ = Π(μ - u / D), D the larger one of a rolling pair
 *     bond      μ ← μ - (W + slack)⁻¹ (u + slack μ) */
#include "../law/law.h"
#include "pgs.h"

/* ---- u of a group, and x after its μ changed ---- */

static inline double dot8(const double *restrict a, const double *restrict b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           ((a[4] * b[4] + a[5] * b[5]) + (a[6] * b[6] + a[7] * b[7]));
}

static void add_products(const TnKernels *kernels, const TnPiece *piece, int count, const double *x,
                         double *u)
{
    const double *rows = piece->rows;
    int n = piece->n, r = 0;
    if (piece->octets) {
        for (; r < count; r++)
            for (int i = 0; i < piece->octet_count; i++, rows += 8)
                u[r] += dot8(rows, x + piece->octets[i]);
        return;
    }
    if (n == 8) {
        for (; r < count; r++) u[r] += dot8(rows + 8L * r, x);
        return;
    }
    for (; r + 1 < count; r += 2) {
        double sums[2];
        kernels->column_dots(n, x, rows + (long)r * n, rows + (long)(r + 1) * n, sums);
        u[r] += sums[0];
        u[r + 1] += sums[1];
    }
    if (r < count) {
        double sums[2];
        kernels->column_dots(n, x, rows + (long)r * n, rows + (long)r * n, sums);
        u[r] += sums[0];
    }
}

static void add_change(const TnPiece *piece, int count, const double *mu, const double *change,
                       double *x)
{
    int n = piece->n;
    if (piece->local >= 0) {
        memcpy(x + piece->local, mu, sizeof(double) * (size_t)count);
        return;
    }
    x += piece->at;
    for (int r = 0; r < count; r++) {
        const double *restrict row = piece->rows + (long)r * n;
        double *restrict to = x, d = change[r];
        if (n == 8)
            for (int k = 0; k < 8; k++) to[k] += d * row[k];
        else
            for (int k = 0; k < n; k++) to[k] += d * row[k];
    }
}

/* ---- laws ---- */

static void row(const TnDelassus *w, const TnGroup *g, const double *u, double *mu)
{
    double D = g->count > 1 ? fmax(g->W[0], g->W[3]) : g->W[0], t[2];
    double radius = g->normal < 0 ? 0.0 : g->mu * fmax(w->mu[g->normal], 0.0);
    for (int i = 0; i < g->count; i++) t[i] = mu[i] - u[i] / D;
    tn_row_project(&w->problem->rows[g->source], 1.0 / D, radius, t, mu);
}

void tn_delassus_velocity(const TnDelassus *w, const TnGroup *g, double *u)
{
    for (int r = 0; r < g->count; r++) u[r] = w->q[g->first + r];
    for (int k = g->piece; k < g->piece + g->piece_count; k++)
        add_products(w->problem->kernels, &w->pieces[k], g->count, w->x + w->pieces[k].at, u);
}

static void sweep_groups(TnDelassus *w, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const TnGroup *g = &w->groups[i];
        double u[TN_GROUP_ROWS], change[TN_GROUP_ROWS], *mu = w->mu + g->first;
        if (g->law == TN_LAW_NONE) continue;
        tn_delassus_velocity(w, g, u);
        for (int r = 0; r < g->count; r++) change[r] = -mu[r];
        if (g->law == TN_LAW_CONTACT)
            tn_contact_solve(g->W, g->inverse, g->regular, g->mu, u, mu);
        else if (g->law == TN_LAW_ROW)
            row(w, g, u, mu);
        else
            tn_bond_rows_step(g->count, g->slack, g->inverse, u, mu);
        for (int r = 0; r < g->count; r++) change[r] += mu[r];
        for (int k = g->piece; k < g->piece + g->piece_count; k++)
            add_change(&w->pieces[k], g->count, mu, change, w->x);
    }
}

void tn_pgs_sweep(TnDelassus *w)
{
    if (!w->batches) {
        sweep_groups(w, 0, w->group_count);
        return;
    }
    sweep_groups(w, 0, w->batched);
    tn_contact_kernels()->sweep(w->batches, w->batch_count, w->mu + w->batch_first,
                                (double(*)[8])w->state);
    sweep_groups(w, w->batched_end, w->group_count);
}
