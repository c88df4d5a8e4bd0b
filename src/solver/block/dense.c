/* dense.c: a block with a full matrix, as a robot has. Contacts reach it through its ports, v_port
 * = T v. */
#include "dense.h"

#include <math.h>
#include <string.h>

#include "../../base/base.h"
#include "../../math/cholesky.h"

/* ---- filling ---- */

TnDenseBlock *tn_dense_set(TnProblem *p, int block, const TnBlockKind *kind, int dim, int stride,
                           int port_start, int port_count)
{
    TnLargeBlock *d = &p->large[block];
    size_t numbers = (size_t)dim * (size_t)stride;
    if (!tn_block_set(p, block, kind, dim, port_start, port_count)) return NULL;
    TnDenseBlock *own = d->own;
    d->b = TN_ARENA_ZERO(p->arena, double, dim);
    own->stride = stride;
    own->H_inverse = TN_ARENA_NEW(p->arena, double, numbers);
    own->work = TN_ARENA_NEW(p->arena, double, numbers);
    return d->b && own->H_inverse && own->work ? own : NULL;
}

bool tn_problem_set_dense(TnProblem *p, int block, int dim, int port_start, int port_count)
{
    size_t square = (size_t)dim * (size_t)dim;
    TnDenseBlock *own = tn_dense_set(p, block, &tn_block_dense, dim, dim, port_start, port_count);
    if (!own) return false;
    own->A = TN_ARENA_ZERO(p->arena, double, square);
    own->A_factor = TN_ARENA_NEW(p->arena, double, square);
    return own->A && own->A_factor;
}

bool tn_problem_set_dense_A(TnProblem *p, int block, int dim, const double *A, int port_start,
                            int port_count)
{
    TnDenseBlock *own = tn_dense_set(p, block, &tn_block_dense, dim, dim, port_start, port_count);
    if (!own) return false;
    own->A = (double *)A;
    own->A_factor = TN_ARENA_NEW(p->arena, double, (size_t)dim *(size_t)dim);
    return own->A_factor;
}

bool tn_problem_set_factored(TnProblem *p, int block, int dim, const double *A,
                             const double *factor, int port_start, int port_count)
{
    TnDenseBlock *own = tn_dense_set(p, block, &tn_block_dense, dim, dim, port_start, port_count);
    if (!own) return false;
    own->A = (double *)A;
    own->A_factor = (double *)factor;
    own->A_factored = true;
    own->stiffness = TN_ARENA_NEW(p->arena, double, (size_t)dim *(size_t)dim);
    return own->stiffness;
}

double *tn_problem_dense_A(const TnProblem *p, int block)
{
    TN_ASSERT(p->large[block].kind == &tn_block_dense);
    return tn_dense_block(&p->large[block])->A;
}

static bool set_port(TnProblem *p, int port, int block, int count, bool linear)
{
    TN_ASSERT(!p->large[block].kind->eliminates);
    p->ports[port] = (TnPort){.block = block, .scale = 1.0, .count = count, .linear = linear};
    p->ports[port].T = TN_ARENA_ZERO(p->arena, double, 6 * (size_t)count);
    return p->ports[port].T != NULL;
}

bool tn_problem_set_port(TnProblem *p, int port, int block)
{
    return set_port(p, port, block, p->large[block].dim, false);
}

bool tn_problem_set_linear_port(TnProblem *p, int port, int block, int count)
{
    return set_port(p, port, block, count, true);
}

/* ---- A ---- */

static void solve_A(const TnLargeBlock *d, double *x)
{
    tn_cholesky_solve(tn_dense_block(d)->A_factor, d->dim, x);
}

static void forward(const TnLargeBlock *d, double *y)
{
    tn_cholesky_forward(tn_dense_block(d)->A_factor, d->dim, y);
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
        d->kind->solve_A(d, x);
        for (int s = 0; s < rows; s++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += port->T[(long)s * n + k] * x[port->start + k];
            port->compliance[6 * r + s] = sum;
        }
    }
}

bool tn_dense_factor_A(TnProblem *p, int block, TnPool *pool)
{
    const TnLargeBlock *d = &p->large[block];
    const TnDenseBlock *own = tn_dense_block(d);
    (void)pool;
    if (!own->A_factored) {
        memcpy(own->A_factor, own->A, sizeof(double) * (size_t)d->dim * (size_t)d->dim);
        if (!tn_cholesky(own->A_factor, d->dim)) return false;
    }
    for (int k = d->port_start; !d->ports_known && k < d->port_start + d->port_count; k++)
        port_compliance(d, &p->ports[k]);
    return true;
}

/* cᵀ A⁻¹ c = |L⁻¹ c|² */
static double side_compliance(const TnProblem *p, const TnLargeBlock *d, const TnRowSide *side)
{
    double sum = 0.0, *x = d->F;
    for (int k = 0; k < d->dim; k++) x[k] = 0.0;
    for (int e = side->start; e < side->start + side->count; e++)
        x[p->index[e]] += p->coefficient[e];
    for (int i = 0; i < d->dim; i++) {
        const double *row = tn_dense_block(d)->A_factor + (long)i * d->dim;
        for (int k = 0; k < i; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
        sum += x[i] * x[i];
    }
    return sum;
}

static double diagonal(const TnLargeBlock *d, int k)
{
    return tn_dense_block(d)->A[(long)k * (d->dim + 1)];
}

double tn_dense_trace(const TnLargeBlock *d)
{
    double sum = 0.0;
    for (int k = 0; k < d->dim; k++) sum += diagonal(d, k);
    return sum;
}

void tn_dense_scale(const TnLargeBlock *d, double *x)
{
    for (int k = 0; k < d->dim; k++) x[k] /= sqrt(diagonal(d, k));
}

void tn_dense_write_node(const TnLargeBlock *d, int node, double *S, double *v_free)
{
    (void)node;
    memcpy(S, tn_dense_block(d)->A, sizeof(double) * (size_t)d->dim * (size_t)d->dim);
    memcpy(v_free, d->b, sizeof(double) * (size_t)d->dim);
    d->kind->solve_A(d, v_free);
}

bool tn_dense_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out)
{
    (void)arena;
    *out = (TnBlockMatrix){.full = tn_dense_block(d)->A};
    return true;
}

TnBlockWork tn_dense_work(const TnLargeBlock *d)
{
    double n = d->dim;
    return (TnBlockWork){1.0 + n * n * n / TN_FLOPS_PER_CONTACT, n * n / TN_NUMBERS_PER_CONTACT};
}

/* ---- H ---- */

static void multiply(double *y, const double *M, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        double s = 0.0;
        for (int j = 0; j < n; j++) s += M[(long)i * n + j] * x[j];
        y[i] = s;
    }
}

/* The ports' twists at v⁰, and g = C v⁰ - Jᵀλ⁰. */
static void start(TnProblem *p, int block, const double *C)
{
    const TnLargeBlock *d = &p->large[block];
    tn_ports_spread(p, d, d->v, p->twist);
    tn_large_gather(p, block);
    multiply(d->g, C, d->v, d->dim);
    for (int k = 0; k < d->dim; k++) d->g[k] -= d->F[k];
}

void tn_dense_solve_H(TnProblem *p, int block, double *rhs)
{
    const TnLargeBlock *d = &p->large[block];
    const TnDenseBlock *own = tn_dense_block(d);
    for (int r = 0; r < d->dim; r++) {
        d->v[r] = 0.0;
        for (int j = 0; j < d->dim; j++)
            d->v[r] += own->H_inverse[(long)r * own->stride + j] * rhs[j];
    }
    tn_ports_spread(p, d, d->v, p->twist);
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

static void set_stiffness(const TnProblem *p, int block, double *C)
{
    const TnLargeBlock *d = &p->large[block];
    memset(C, 0, sizeof(double) * (size_t)d->dim * (size_t)d->dim);
    add_port_stiffness(p, d, C);
    add_row_stiffness(p, p->twist_count + block, C, d->dim);
}

/* H_inverse becomes (A + C)⁻¹; C may lie there. */
static bool invert(const TnLargeBlock *d, const double *C)
{
    const TnDenseBlock *own = tn_dense_block(d);
    double *H = own->H_inverse, *work = own->work;
    int n = d->dim;
    for (long k = 0; k < (long)n * n; k++) H[k] = C[k] + own->A[k];
    memcpy(work, H, sizeof(double) * (size_t)n * (size_t)n);
    if (!tn_cholesky(work, n)) return false;
    tn_cholesky_inverse(work, n, H);
    return true;
}

bool tn_dense_factor_H(TnProblem *p, int block, TnDenseStiffness *set, TnDenseInvert *invert_H)
{
    const TnLargeBlock *d = &p->large[block];
    const TnDenseBlock *own = tn_dense_block(d);
    double *C = own->stiffness ? own->stiffness : own->H_inverse; /* first on its own, for g */
    if (!p->H_known) set(p, block, C);
    start(p, block, C);
    return p->H_known || invert_H(d, C);
}

static bool factor_H(TnProblem *p, int block)
{
    return tn_dense_factor_H(p, block, set_stiffness, invert);
}

static bool double_A(TnLargeBlock *d)
{
    const TnDenseBlock *own = tn_dense_block(d);
    tn_cholesky_inverse(own->A_factor, d->dim, own->H_inverse);
    for (long k = 0; k < (long)d->dim * d->dim; k++) own->H_inverse[k] *= 0.5;
    memcpy(d->g, d->b, sizeof(double) * (size_t)d->dim);
    return true;
}

static void update(TnProblem *p, int block, double alpha)
{
    const TnLargeBlock *d = &p->large[block];
    const TnDenseBlock *own = tn_dense_block(d);
    int n = d->dim, first = p->port_row + d->port_start;
    tn_table_forces(p, first, first + d->port_count);
    tn_large_gather(p, block);
    for (int r = 0; r < n; r++) d->v[r] = 0.0;
    for (int c = 0; c < n; c++) { /* symmetric: column c is row c, so this is a sum of rows */
        double x = d->b[c] + d->g[c] + 2.0 * d->F[c];
        const double *row = own->H_inverse + (long)c * n;
        for (int r = 0; r < n; r++) d->v[r] += x * row[r];
    }
    for (int r = 0; r < n; r++) {
        const double *row = own->A + (long)r * n;
        double Av = 0.0;
        for (int c = 0; c < n; c++) Av += row[c] * d->v[c];
        d->g[r] += alpha * (d->b[r] + d->F[r] - Av);
    }
    tn_ports_spread(p, d, d->v, p->twist);
}

const TnBlockKind tn_block_dense = {.name = "dense",
                                    .size = sizeof(TnDenseBlock),
                                    .grain = 16,
                                    .full = true,
                                    .factor_A = tn_dense_factor_A,
                                    .factor_H = factor_H,
                                    .double_A = double_A,
                                    .update = update,
                                    .solve_H = tn_dense_solve_H,
                                    .work = tn_dense_work,
                                    .solve_A = solve_A,
                                    .forward = forward,
                                    .side_compliance = side_compliance,
                                    .scale = tn_dense_scale,
                                    .trace = tn_dense_trace,
                                    .matrix = tn_dense_matrix,
                                    .write_node = tn_dense_write_node};
