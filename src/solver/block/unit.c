/* unit.c: A = I, which is what condense.c makes of a large block: ports are linear ones over first
 * unknowns, and so are rows. There may be a thousand unknowns and more: JᵀWJ is added up in chunks
 * that stay in the cache, and H is inverted and applied by the dense kernels. */
#include <string.h>

#include "dense.h"

bool tn_problem_set_unit(TnProblem *p, int block, int dim, double filled, int port_start,
                         int port_count)
{
    size_t square = (size_t)dim * (size_t)dim;
    int stride = (dim + 7) / 8 * 8; /* what the dense kernels take */
    TnDenseBlock *own = tn_dense_set(p, block, &tn_block_unit, dim, stride, port_start, port_count);
    if (!own) return false;
    p->large[block].filled = filled;
    own->A = own->A_factor = TN_ARENA_ZERO(p->arena, double, square);
    own->A_factored = true;
    own->stiffness = TN_ARENA_NEW(p->arena, double, square);
    if (!own->A || !own->stiffness) return false;
    for (long k = 0; k < dim; k++) own->A[k * (dim + 1)] = 1.0;
    return true;
}

/* ---- H ---- */

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

/* JᵀWJ; ports are linear ones and rows, too, begin at the first unknown. */
static void set_stiffness(const TnProblem *p, int large, double *C)
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
static bool invert(const TnLargeBlock *d, const double *C)
{
    const TnDenseBlock *h = tn_dense_block(d);
    int n = d->dim;
    size_t stride = (size_t)h->stride;
    for (int i = 0; i < n; i++) {
        memcpy(h->work + (size_t)i * stride, C + (long)i * n, sizeof(double) * (size_t)n);
        h->work[(size_t)i * stride + (size_t)i] += 1.0;
    }
    if (!tn_dense_factor(n, h->work, stride)) return false;
    tn_dense_inverse(n, h->work, stride, h->H_inverse, stride);
    for (int i = 0; i < n; i++) /* columns below the diagonal to rows */
        for (int j = 0; j < i; j++)
            h->H_inverse[(size_t)i * stride + (size_t)j] =
                h->H_inverse[(size_t)j * stride + (size_t)i];
    return true;
}

static bool factor_H(TnProblem *p, int block)
{
    return tn_dense_factor_H(p, block, set_stiffness, invert);
}

static bool double_A(TnLargeBlock *d)
{
    const TnDenseBlock *h = tn_dense_block(d);
    memset(h->H_inverse, 0, sizeof(double) * (size_t)d->dim * (size_t)h->stride);
    for (long k = 0; k < d->dim; k++) h->H_inverse[k * h->stride + k] = 0.5;
    memcpy(d->g, d->b, sizeof(double) * (size_t)d->dim);
    return true;
}

static void update(TnProblem *p, int block, double alpha)
{
    const TnLargeBlock *d = &p->large[block];
    const TnDenseBlock *h = tn_dense_block(d);
    int n = d->dim, first = p->port_row + d->port_start;
    double *x = h->work; /* of no other use after prepare */
    tn_table_forces(p, first, first + d->port_count);
    tn_large_gather(p, block);
    for (int k = 0; k < n; k++) x[k] = d->b[k] + d->g[k] + 2.0 * d->F[k];
    tn_dense_multiply(n, h->H_inverse, (size_t)h->stride, x, d->v);
    for (int k = 0; k < n; k++) d->g[k] += alpha * (d->b[k] + d->F[k] - d->v[k]);
    tn_ports_spread(p, d, d->v, p->twist);
}

/* ---- A = I ---- */

/* A⁻¹ and L⁻¹ */
static void leave(const TnLargeBlock *d, double *x) { (void)d, (void)x; }

static double side_compliance(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side)
{
    double sum = 0.0;
    (void)d;
    for (int e = side->start; e < side->start + side->count; e++)
        sum += p->coefficient[e] * p->coefficient[e];
    return sum;
}

const TnBlockKind tn_block_unit = {.name = "unit",
                                   .size = sizeof(TnDenseBlock),
                                   .grain = 16,
                                   .factor_A = tn_dense_factor_A,
                                   .factor_H = factor_H,
                                   .double_A = double_A,
                                   .update = update,
                                   .solve_H = tn_dense_solve_H,
                                   .work = tn_dense_work,
                                   .solve_A = leave,
                                   .forward = leave,
                                   .side_compliance = side_compliance,
                                   .scale = tn_dense_scale,
                                   .trace = tn_dense_trace,
                                   .matrix = tn_dense_matrix,
                                   .write_node = tn_dense_write_node};
