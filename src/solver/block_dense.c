/* block_dense.c: a block with a full matrix, as a robot has. Contacts reach it through its ports,
 * v_port = T v. */
#include "block_kind.h"

#include <math.h>
#include <string.h>

#include "../math/cholesky.h"

static int unit_count(const TnProblem *p) { return p->large_count; }

static void multiply(double *y, const double *M, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < n; j++) s += M[(long)i * n + j] * x[j];
        y[i] = s;
    }
}

/* compliance = T A⁻¹ Tᵀ, with A⁻¹ Tᵀ row by row in the block's scratch F. */
static void port_compliance(const TnLargeBlock *d, TnPort *port)
{
    int n = port->count, rows = port->linear ? 3 : 6;
    double *x = d->F;
    memset(port->compliance, 0, sizeof port->compliance);
    for (int r = 0; r < rows; r++) {
        memset(x, 0, (size_t)d->dim * sizeof(double));
        memcpy(x + port->start, port->T + (long)r * n, (size_t)n * sizeof(double));
        if (!d->unit) tn_cholesky_solve(d->A_factor, d->dim, x);
        for (int s = 0; s < rows; s++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += port->T[(long)s * n + k] * x[port->start + k];
            port->compliance[6 * r + s] = sum;
        }
    }
}

static bool factor_A(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        if (d->chain || d->mesh) continue;
        if (!d->A_factored) {
            memcpy(d->A_factor, d->A, sizeof(double) * (size_t)d->dim * (size_t)d->dim);
            if (!tn_cholesky(d->A_factor, d->dim)) return false;
        }
        for (int k = d->port_start; !d->ports_known && k < d->port_start + d->port_count; k++)
            port_compliance(d, &p->ports[k]);
    }
    return true;
}

/* H += Tᵀ K T for each port. */
static void add_port_stiffness(const TnProblem *p, const TnLargeBlock *d, double *H)
{
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        const double *K = p->K[p->port_row + k], *T = port->T;
        int n = port->count, rows = port->linear ? 3 : 6;
        for (int r = 0; r < rows; r++)
            for (int s = 0; s < rows; s++) {
                double w = K[r <= s ? tn_sym6(r, s) : tn_sym6(s, r)];
                if (w == 0.0) continue;
                for (int i = 0; i < n; i++) {
                    double wi = w * T[(long)r * n + i];
                    double *to = H + (long)(port->start + i) * d->dim + port->start;
                    for (int j = 0; j < n; j++) to[j] += wi * T[(long)s * n + j];
                }
            }
    }
}

static void add_row_stiffness(const TnProblem *p, int block, double *H, int n)
{
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int a = side->start; a < side->start + side->count; a++)
            for (int b = side->start; b < side->start + side->count; b++)
                H[(long)p->index[a] * n + p->index[b]] +=
                    side->beta * p->coefficient[a] * p->coefficient[b];
    }
}

static bool factor_H(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        if (d->chain || d->mesh) continue;
        int n = d->dim;
        size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
        tn_ports_spread(p, d, d->v, p->twist);
        tn_large_gather(p, i);
        /* JᵀWJ first on its own, for g = JᵀWJ v⁰ - F */
        double *H = d->H_inverse, *C = d->stiffness ? d->stiffness : H;
        if (!p->H_known) {
            memset(C, 0, bytes);
            add_port_stiffness(p, d, C);
            add_row_stiffness(p, p->twist_count + i, C, n);
        }
        multiply(d->g, C, d->v, n);
        for (int k = 0; k < n; k++) d->g[k] -= d->F[k];
        if (p->H_known) continue;
        for (long k = 0; k < (long)n * n; k++) H[k] = C[k] + d->A[k];
        memcpy(d->work, H, bytes);
        if (!tn_cholesky(d->work, n)) return false;
        tn_cholesky_inverse(d->work, n, d->H_inverse);
    }
    return true;
}

static void update(TnProblem *p, int begin, int end, double alpha)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        if (d->chain || d->mesh) continue;
        int n = d->dim;
        tn_table_forces(p, p->port_row + d->port_start,
                        p->port_row + d->port_start + d->port_count);
        tn_large_gather(p, i);
        for (int r = 0; r < n; r++) d->v[r] = 0.0;
        for (int c = 0; c < n;
             c++) { /* symmetric: column c is row c, which makes the loop a sum of rows */
            double x = d->b[c] + d->g[c] + 2.0 * d->F[c];
            const double *row = d->H_inverse + (long)c * n;
            for (int r = 0; r < n; r++) d->v[r] += x * row[r];
        }
        for (int r = 0; r < n; r++) {
            const double *row = d->A + (long)r * n;
            double Av = d->unit ? d->v[r] : 0.0;
            for (int c = 0; c < n && !d->unit; c++) Av += row[c] * d->v[c];
            d->g[r] += alpha * (d->b[r] + d->F[r] - Av);
        }
        tn_ports_spread(p, d, d->v, p->twist);
    }
}

const TnBlockKind tn_block_dense = {.name = "dense",
                                    .grain = 16,
                                    .unit_count = unit_count,
                                    .factor_A = factor_A,
                                    .factor_H = factor_H,
                                    .update = update};
