/* block_dense.c: a block with a full matrix, as a robot has. Contacts reach it through its ports,
 * v_port = T v. One with A = I (condense.c) may have a thousand unknowns and more: its JᵀWJ is added
 * up in chunks that stay in the cache, and H is inverted and applied by the dense kernels. */
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

/* ---- A = I ---- */

/* w x xᵀ over the first `count` unknowns */
typedef struct Term {
    const double *x;
    double w;
    int count;
} Term;
enum { TERMS = 24 };

/* The lower triangle of C += Σ w x xᵀ. */
static void add_terms(const Term *terms, int count, int n, double *C)
{
    for (int i = 0; i < n; i++) {
        double *row = C + (long)i * n;
        for (int t = 0; t < count; t++) {
            if (i >= terms[t].count) continue;
            const double *x = terms[t].x;
            double w = terms[t].w * x[i];
            for (int j = 0; j <= i; j++) row[j] += w * x[j];
        }
    }
}

/* JᵀWJ of a block with A = I, whose ports are linear ones and whose rows, too, begin at its first
 * unknown. */
static void set_unit_stiffness(const TnProblem *p, int large, double *C)
{
    const TnLargeBlock *d = &p->large[large];
    int n = d->dim, count = 0, block = p->twist_count + large;
    Term terms[TERMS + 3];
    memset(C, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        /* of contacts without arms and with the normal x: a diagonal */
        for (int r = 0; r < 3; r++)
            terms[count++] = (Term){port->T + (long)r * port->count,
                                    p->K[p->port_row + k][tn_sym6(r, r)], port->count};
        if (count < TERMS) continue;
        add_terms(terms, count, n, C);
        count = 0;
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        terms[count++] = (Term){p->coefficient + side->start, side->beta, side->count};
        if (count < TERMS) continue;
        add_terms(terms, count, n, C);
        count = 0;
    }
    add_terms(terms, count, n, C);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) C[(long)j * n + i] = C[(long)i * n + j];
}

/* (I + C)⁻¹, both triangles. */
static bool invert_unit(const TnLargeBlock *d, const double *C)
{
    int n = d->dim;
    size_t stride = (size_t)d->stride;
    for (int i = 0; i < n; i++) {
        memcpy(d->work + (size_t)i * stride, C + (long)i * n, sizeof(double) * (size_t)n);
        d->work[(size_t)i * stride + (size_t)i] += 1.0;
    }
    if (!tn_dense_factor(n, d->work, stride)) return false;
    tn_dense_inverse(n, d->work, stride, d->H_inverse, stride);
    for (int i = 0; i < n; i++) /* columns below the diagonal to rows */
        for (int j = 0; j < i; j++)
            d->H_inverse[(size_t)i * stride + (size_t)j] =
                d->H_inverse[(size_t)j * stride + (size_t)i];
    return true;
}

/* v ← H⁻¹ (b + g + 2F), g ← g + α (b + F - v) */
static void update_unit(const TnLargeBlock *d, double alpha)
{
    int n = d->dim;
    double *x = d->work; /* of no other use after prepare */
    for (int k = 0; k < n; k++) x[k] = d->b[k] + d->g[k] + 2.0 * d->F[k];
    tn_dense_multiply(n, d->H_inverse, (size_t)d->stride, x, d->v);
    for (int k = 0; k < n; k++) d->g[k] += alpha * (d->b[k] + d->F[k] - d->v[k]);
}

/* ---- any A ---- */

static void set_stiffness(const TnProblem *p, int large, double *C)
{
    const TnLargeBlock *d = &p->large[large];
    memset(C, 0, sizeof(double) * (size_t)d->dim * (size_t)d->dim);
    add_port_stiffness(p, d, C);
    add_row_stiffness(p, p->twist_count + large, C, d->dim);
}

/* H becomes (A + C)⁻¹; C may be H. */
static bool invert(const TnLargeBlock *d, const double *C, double *H)
{
    int n = d->dim;
    for (long k = 0; k < (long)n * n; k++) H[k] = C[k] + d->A[k];
    memcpy(d->work, H, sizeof(double) * (size_t)n * (size_t)n);
    if (!tn_cholesky(d->work, n)) return false;
    tn_cholesky_inverse(d->work, n, H);
    return true;
}

static bool factor_H(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        if (d->chain || d->mesh) continue;
        tn_ports_spread(p, d, d->v, p->twist);
        tn_large_gather(p, i);
        /* JᵀWJ first on its own, for g = JᵀWJ v⁰ - F */
        double *C = d->stiffness ? d->stiffness : d->H_inverse;
        if (!p->H_known) (d->unit ? set_unit_stiffness : set_stiffness)(p, i, C);
        multiply(d->g, C, d->v, d->dim);
        for (int k = 0; k < d->dim; k++) d->g[k] -= d->F[k];
        if (!p->H_known && !(d->unit ? invert_unit(d, C) : invert(d, C, d->H_inverse)))
            return false;
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
        if (d->unit) {
            update_unit(d, alpha);
            tn_ports_spread(p, d, d->v, p->twist);
            continue;
        }
        for (int r = 0; r < n; r++) d->v[r] = 0.0;
        for (int c = 0; c < n;
             c++) { /* symmetric: column c is row c, which makes the loop a sum of rows */
            double x = d->b[c] + d->g[c] + 2.0 * d->F[c];
            const double *row = d->H_inverse + (long)c * n;
            for (int r = 0; r < n; r++) d->v[r] += x * row[r];
        }
        for (int r = 0; r < n; r++) {
            const double *row = d->A + (long)r * n;
            double Av = 0.0;
            for (int c = 0; c < n; c++) Av += row[c] * d->v[c];
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
