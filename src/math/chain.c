/* chain.c: elimination of a forest of blocks from its leaves to its roots. A node k with parent n
 * and C = A_nk, once its children are gone:
 *
 *     S_k = D_k less what its children took,   L_k = C S_k⁻¹,   D_n -= L_k Cᵀ
 *     forward   x_n -= L_k x_k,   x_k ← S_k⁻¹ x_k
 *     backward  x_k -= L_kᵀ x_n
 *
 * With S = R Rᵀ (Cholesky) and Y = C R⁻ᵀ it is L = Y R⁻¹ and L Cᵀ = Y Yᵀ; by Y, because C S⁻¹ Cᵀ
 * with an inverse of S would lose twice the digits. The factor keeps L in E (between nodes of six
 * as it is, otherwise in the shape of E: L, or Lᵀ where E is Cᵀ). In D it keeps S⁻¹ for a node of
 * six (chain_six.h), and for others X = R⁻¹ in the lower triangle and Xᵀ in the upper, from which
 * both halves of S⁻¹ x = Xᵀ X x are made in place, by rows. */
#include "chain_plan.h"

#include <string.h>

#include "chain_six.h"
#include "cholesky.h"
#include "kernels/chain_kernels.h"

static bool is_six(const TnChainOp *op) { return op->dim == 6 && op->parent_dim == 6; }

/* ---- products of any size ---- */

static inline double dot(const double *restrict x, const double *restrict y, int n)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) a += x[i] * y[i];
    return (a + b) + (c + d);
}

static inline void add_scaled(double *restrict y, const double *restrict x, double s, int n)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

/* y += s M x, M rows × columns */
static inline void add_product(double *restrict y, const double *restrict M,
                               const double *restrict x, int rows, int columns, double s)
{
    for (int i = 0; i < rows; i++) y[i] += s * dot(M + (long)i * columns, x, columns);
}

/* y += s Mᵀ x */
static inline void add_transposed_product(double *restrict y, const double *restrict M,
                                          const double *restrict x, int rows, int columns, double s)
{
    for (int i = 0; i < rows; i++) add_scaled(y, M + (long)i * columns, s * x[i], columns);
}

/* ---- nodes of any size ---- */

/* D: R in the lower triangle becomes X = R⁻¹ there and Xᵀ above. */
static void invert_factor(double *D, int n)
{
    for (int i = 0; i < n; i++) {
        double *row = D + (long)i * n, pivot = 1.0 / row[i];
        /* row i of X is -(Σ_k R_ik X_k)/R_ii; X_k is there, and read by columns from above */
        for (int j = 0; j < i; j++)
            D[(long)j * n + i] = -pivot * dot(row + j, D + (long)j * n + j, i - j);
        for (int j = 0; j < i; j++) row[j] = D[(long)j * n + i];
        row[i] = pivot;
    }
}

/* x ← S⁻¹ x with what D keeps */
static void solve_node(const double *D, int n, double *x)
{
    if (n == 6) {
        double M[36], y[6] = {0};
        tn_six_unpack(M, D);
        add_transposed_product(y, M, x, 6, 6, 1.0);
        memcpy(x, y, sizeof y);
        return;
    }
    for (int i = n - 1; i >= 0; i--) x[i] = dot(D + (long)i * n, x, i + 1);
    for (int i = 0; i < n; i++) x[i] = dot(D + (long)i * n + i, x + i, n - i);
}

/* Z = S⁻¹ with what D keeps */
static void write_inverse(const double *D, int n, double *Z)
{
    if (n == 6) {
        tn_six_unpack(Z, D);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            Z[(long)i * n + j] = Z[(long)j * n + i] =
                dot(D + (long)i * n + i, D + (long)j * n + i, n - i);
}

static bool factor_root(double *D, int n)
{
    if (n == 6) {
        double X[36], inverse[36];
        if (!invert_root(D, X)) return false;
        square(inverse, X);
        tn_six_pack(D, inverse);
        return true;
    }
    if (!tn_cholesky(D, n)) return false;
    invert_factor(D, n);
    return true;
}

/* E, n × m: E ← R⁻¹ E, and E ← R⁻ᵀ E */
static void substitute_forward(const double *R, int n, double *E, int m)
{
    for (int i = 0; i < n; i++) {
        double *row = E + (long)i * m, pivot = 1.0 / R[(long)i * n + i];
        for (int k = 0; k < i; k++) add_scaled(row, E + (long)k * m, -R[(long)i * n + k], m);
        for (int j = 0; j < m; j++) row[j] *= pivot;
    }
}

static void substitute_backward(const double *R, int n, double *E, int m)
{
    for (int i = n - 1; i >= 0; i--) {
        double *row = E + (long)i * m, pivot = 1.0 / R[(long)i * n + i];
        for (int j = 0; j < m; j++) row[j] *= pivot;
        for (int k = 0; k < i; k++) add_scaled(E + (long)k * m, row, -R[(long)i * n + k], m);
    }
}

static bool eliminate_node(double *D, int n, double *next, int m, double *E, bool transposed)
{
    double six[36];
    if (n == 6) memcpy(six, D, sizeof six);
    if (!tn_cholesky(D, n)) return false;
    if (transposed) { /* E = Cᵀ, n × m */
        substitute_forward(D, n, E, m);
        for (int k = 0; k < n; k++) {
            const double *row = E + (long)k * m;
            for (int i = 0; i < m; i++) add_scaled(next + (long)i * m, row, -row[i], m);
        }
        substitute_backward(D, n, E, m);
    } else { /* E = C, m × n */
        for (int i = 0; i < m; i++) tn_cholesky_forward(D, n, E + (long)i * n);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                next[(long)i * m + j] -= dot(E + (long)i * n, E + (long)j * n, n);
        for (int i = 0; i < m; i++) tn_cholesky_backward(D, n, E + (long)i * n);
    }
    if (n != 6) {
        invert_factor(D, n);
        return true;
    }
    memcpy(D, six, sizeof six);
    return factor_root(D, 6);
}

/* Z_k = S⁻¹ + Lᵀ Z_n L, column by column in pieces of Z_n L that a small array holds. */
static void inverse_node(double *Z, const double *D, int n, const double *next, int m,
                         const double *E, bool transposed)
{
    enum { PIECE = 32 };
    /* L_ij = E[i * down + j * right] */
    long down = transposed ? 1 : n, right = transposed ? m : 1;
    write_inverse(D, n, Z);
    for (int j = 0; j < n; j++)
        for (int begin = 0; begin < m; begin += PIECE) {
            double t[PIECE];
            int end = begin + PIECE < m ? begin + PIECE : m;
            for (int a = begin; a < end; a++) {
                t[a - begin] = 0.0;
                for (int b = 0; b < m; b++)
                    t[a - begin] += next[(long)a * m + b] * E[b * down + j * right];
            }
            for (int i = 0; i <= j; i++)
                for (int a = begin; a < end; a++)
                    Z[(long)i * n + j] += E[a * down + i * right] * t[a - begin];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) Z[(long)i * n + j] = Z[(long)j * n + i];
}

/* ---- the whole ---- */

bool tn_chain_factor(const TnChain *chain, double *D, double *E)
{
    const struct TnChainPlan *plan = chain->plan;
    for (int o = 0; o < plan->op_count; o++) {
        const TnChainOp *op = &plan->ops[o];
        for (int i = 0; i < op->count;
             i++) /* one run's node while the other's is still under way */
            for (int r = 0; r < op->run_count; r++) {
                const TnChainRun *run = &op->runs[r];
                double *S = D + run->D + i * run->dD, *next = S + run->dD;
                double *C = E + run->E + i * run->dE;
                if (is_six(op)
                        ? !plan->kernels->eliminate(S, next, C, run->transposed)
                        : !eliminate_node(S, op->dim, next, op->parent_dim, C, run->transposed))
                    return false;
            }
    }
    for (int r = 0; r < plan->root_count; r++) {
        const TnChainNode *root = &chain->nodes[plan->roots[r]];
        if (!factor_root(D + root->D, root->dim)) return false;
    }
    return true;
}

static void forward(const TnChainOp *op, const double *D, const double *E, double *x)
{
    const TnChainRun *run = &op->runs[0];
    double *x_k = x + run->x, *x_n = x_k + run->dx;
    if (run->transposed)
        add_transposed_product(x_n, E + run->E, x_k, op->dim, op->parent_dim, -1.0);
    else
        add_product(x_n, E + run->E, x_k, op->parent_dim, op->dim, -1.0);
    solve_node(D + run->D, op->dim, x_k);
}

static void backward(const TnChainOp *op, const double *E, double *x)
{
    const TnChainRun *run = &op->runs[0];
    double *x_k = x + run->x, *x_n = x_k + run->dx;
    if (run->transposed)
        add_product(x_k, E + run->E, x_n, op->dim, op->parent_dim, -1.0);
    else
        add_transposed_product(x_k, E + run->E, x_n, op->parent_dim, op->dim, -1.0);
}

void tn_chain_solve(const TnChain *chain, const double *D, const double *E, double *x)
{
    const struct TnChainPlan *plan = chain->plan;
    for (int o = 0; o < plan->op_count; o++)
        (is_six(&plan->ops[o]) ? plan->kernels->forward : forward)(&plan->ops[o], D, E, x);
    for (int r = 0; r < plan->root_count; r++) {
        const TnChainNode *root = &chain->nodes[plan->roots[r]];
        solve_node(D + root->D, root->dim, x + root->start);
    }
    for (int o = plan->op_count - 1; o >= 0; o--)
        (is_six(&plan->ops[o]) ? plan->kernels->backward : backward)(&plan->ops[o], E, x);
}

void tn_chain_inverse_blocks(const TnChain *chain, const double *D, const double *E, double *blocks)
{
    const struct TnChainPlan *plan = chain->plan;
    for (int r = 0; r < plan->root_count; r++) {
        const TnChainNode *root = &chain->nodes[plan->roots[r]];
        write_inverse(D + root->D, root->dim, blocks + root->D);
    }
    for (int o = plan->op_count - 1; o >= 0; o--) {
        const TnChainOp *op = &plan->ops[o];
        for (int i = op->count - 1; i >= 0; i--)
            for (int r = 0; r < op->run_count; r++) {
                const TnChainRun *run = &op->runs[r];
                ptrdiff_t at = run->D + i * run->dD, next = at + run->dD;
                const double *L = E + run->E + i * run->dE;
                if (is_six(op))
                    plan->kernels->invert(blocks + at, D + at, L, blocks + next);
                else
                    inverse_node(blocks + at, D + at, op->dim, blocks + next, op->parent_dim, L,
                                 run->transposed);
            }
    }
}

/* y_b += E x_a, y_a += Eᵀ x_b */
static inline void multiply_edge(const double *E, int m, int n, const double *x_a,
                                 const double *x_b, double *y_a, double *y_b)
{
    add_product(y_b, E, x_a, m, n, 1.0);
    add_transposed_product(y_a, E, x_b, m, n, 1.0);
}

void tn_chain_multiply(const TnChain *chain, const double *D, const double *E, const double *x,
                       double *y)
{
    memset(y, 0, sizeof(double) * (size_t)chain->dim);
    for (int k = 0; k < chain->node_count; k++) {
        const TnChainNode *n = &chain->nodes[k];
        if (n->dim == 6)
            add_transposed_product(y + n->start, D + n->D, x + n->start, 6, 6, 1.0);
        else
            add_transposed_product(y + n->start, D + n->D, x + n->start, n->dim, n->dim, 1.0);
    }
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainEdge *edge = &chain->edges[e];
        const TnChainNode *a = &chain->nodes[edge->a], *b = &chain->nodes[edge->b];
        const double *block = E + edge->E, *x_a = x + a->start, *x_b = x + b->start;
        if (a->dim == 6 && b->dim == 6)
            multiply_edge(block, 6, 6, x_a, x_b, y + a->start, y + b->start);
        else
            multiply_edge(block, b->dim, a->dim, x_a, x_b, y + a->start, y + b->start);
    }
}
