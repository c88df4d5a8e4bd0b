/* solver_blocks.c: A of the public solver's blocks in each of its forms.
 *
 *     form        factor                                       A⁻¹ x            A x
 *     dense       Cholesky                                     yes              yes
 *     banded      Cholesky within the band (math/banded.h)     yes              yes
 *     sparse      multifrontal Cholesky on nodes of up to      yes              yes
 *                 three neighbouring unknowns
 *     inverse     none                                         a product        no
 *     functions   the user's                                   the user's       the user's, if any
 *     */
#include "solver_blocks.h"

#include <string.h>

#include "../../base/base.h"
#include "../../math/banded.h"
#include "../../math/cholesky.h"
#include "solver_parts.h"

void tn_block_factor_free(TnBlockFactor *factor)
{
    tn_free(factor->values);
    tn_free(factor->place);
    tn_free(factor->work);
    if (factor->sparse) tn_sparse_free(factor->sparse);
    *factor = (TnBlockFactor){0};
}

typedef enum Outcome { FINE, NO_MEMORY, NOT_POSITIVE } Outcome;

static Outcome factor_dense(TnSolverBlock *block)
{
    int n = block->def.dim;
    block->factor.values = tn_copy(block->def.A, sizeof(double) * (size_t)n * (size_t)n);
    if (!block->factor.values) return NO_MEMORY;
    return tn_cholesky(block->factor.values, n) ? FINE : NOT_POSITIVE;
}

static Outcome factor_banded(TnSolverBlock *block)
{
    int n = block->def.dim, width = block->def.bandwidth;
    double *L = tn_calloc((size_t)n * (size_t)(width + 1), sizeof(double));
    block->factor.values = L;
    if (!L) return NO_MEMORY;
    for (int k = 0; k <= width; k++)
        for (int i = 0; i + k < n; i++) /* (i + k, i) */
            L[(long)(i + k) * (width + 1) + width - k] = block->def.A_banded[(long)k * n + i];
    return tn_banded_factor(L, n, width) ? FINE : NOT_POSITIVE;
}

/* ---- sparse ---- */

/* A sparse matrix as sparse_cholesky.h takes it: nodes of three, edges, a 3×3 block for each. */
typedef struct Nodes {
    int count, edge_count;
    int *member; /* 3 per node: the unknown; -1: none, and a 1 on the diagonal */
    int (*edges)[2];
    double (*blocks)[9];
    int *seen, *edge; /* per node: by which other node last, and the edge between them */
} Nodes;

static void free_nodes(Nodes *nodes)
{
    tn_free(nodes->member);
    tn_free(nodes->edges);
    tn_free(nodes->blocks);
    tn_free(nodes->seen);
    tn_free(nodes->edge);
}

/* Each unknown with the first of its neighbours that are free: x, y and z of a point if they follow
 * each other, and pieces of a chain otherwise. */
static void group(const TnBlockDef *def, int *place, Nodes *nodes)
{
    const TnSparseMatrix *A = def->A_sparse;
    for (int i = 0; i < def->dim; i++) place[i] = -1;
    for (int i = 0; i < def->dim; i++) {
        if (place[i] >= 0) continue;
        int node = nodes->count++, members = 0;
        place[i] = 3 * node + members++;
        for (int k = A->row_start[i]; k < A->row_start[i + 1] && members < 3; k++)
            if (place[A->column[k]] < 0) place[A->column[k]] = 3 * node + members++;
    }
    for (int k = 0; k < 3 * nodes->count; k++) nodes->member[k] = -1;
    for (int i = 0; i < def->dim; i++) nodes->member[place[i]] = i;
}

static void set_entry(Nodes *nodes, int node, int k, int other, double value)
{
    int b = other / 3, l = other % 3;
    if (b == node) {
        nodes->blocks[node][3 * k + l] = value;
        return;
    }
    if (nodes->seen[b] != node) {
        nodes->seen[b] = node;
        nodes->edge[b] = nodes->edge_count;
        nodes->edges[nodes->edge_count][0] = node;
        nodes->edges[nodes->edge_count++][1] = b;
    }
    nodes->blocks[nodes->count + nodes->edge[b]][3 * k + l] = value;
}

static bool make_nodes(const TnBlockDef *def, int *place, Nodes *nodes)
{
    const TnSparseMatrix *A = def->A_sparse;
    size_t n = (size_t)def->dim, entries = (size_t)A->row_start[n];
    nodes->member = tn_malloc(sizeof(int) * 3 * n);
    nodes->seen = tn_malloc(sizeof(int) * n);
    nodes->edge = tn_malloc(sizeof(int) * n);
    nodes->edges = tn_malloc(sizeof(int[2]) * entries);
    nodes->blocks = tn_calloc(n + entries, sizeof(double[9]));
    if (!nodes->member || !nodes->seen || !nodes->edge || !nodes->edges || !nodes->blocks)
        return false;
    group(def, place, nodes);
    for (int a = 0; a < nodes->count; a++) nodes->seen[a] = -1;
    for (int a = 0; a < nodes->count; a++)
        for (int k = 0; k < 3; k++) {
            int i = nodes->member[3 * a + k];
            if (i < 0) {
                nodes->blocks[a][4 * k] = 1.0;
                continue;
            }
            for (int e = A->row_start[i]; e < A->row_start[i + 1]; e++)
                if (place[A->column[e]] / 3 <= a)
                    set_entry(nodes, a, k, place[A->column[e]], A->value[e]);
        }
    return true;
}

static Outcome factor_nodes(TnBlockFactor *factor, const Nodes *nodes)
{
    TnError ignored = {0}; /* the graph is fine, so it is memory */
    TnSparseDef def = {.node_count = nodes->count,
                       .edge_count = nodes->edge_count,
                       .edges = (const int(*)[2])nodes->edges};
    factor->node_count = nodes->count;
    factor->sparse = tn_sparse_plan(&def, &ignored);
    if (!factor->sparse) return NO_MEMORY;
    TnSparseSizes sizes = tn_sparse_sizes(factor->sparse);
    size_t each = 3 * (size_t)nodes->count + sizes.solve_work;
    double *work = tn_aligned_alloc(sizeof(double) * sizes.factor_work);
    factor->values = tn_aligned_alloc(sizeof(double) * sizes.factor);
    factor->work = tn_aligned_alloc(sizeof(double) * TN_SOLVE_BATCH * each);
    Outcome outcome = !work || !factor->values || !factor->work ? NO_MEMORY : FINE;
    if (outcome == FINE &&
        !tn_sparse_factor(factor->sparse, (const double(*)[9])nodes->blocks, factor->values, work))
        outcome = NOT_POSITIVE;
    tn_free(work);
    return outcome;
}

static Outcome factor_sparse(TnSolverBlock *block)
{
    Nodes nodes = {0};
    block->factor.place = tn_malloc(sizeof(int) * (size_t)block->def.dim);
    Outcome outcome = !block->factor.place || !make_nodes(&block->def, block->factor.place, &nodes)
                          ? NO_MEMORY
                          : factor_nodes(&block->factor, &nodes);
    free_nodes(&nodes);
    return outcome;
}

/* At most TN_SOLVE_BATCH vectors. */
static void solve_sparse(const TnSolverBlock *block, double *x, int count)
{
    const TnBlockFactor *f = &block->factor;
    int n = block->def.dim, padded = 3 * f->node_count;
    double *y = f->work;
    memset(y, 0, sizeof(double) * (size_t)padded * (size_t)count);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++) y[(long)k * padded + f->place[i]] = x[(long)k * n + i];
    tn_sparse_solve(f->sparse, f->values, count, y, y + (long)TN_SOLVE_BATCH * padded);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < n; i++) x[(long)k * n + i] = y[(long)k * padded + f->place[i]];
}

/* ---- all ---- */

static Outcome factor_block(TnSolverBlock *block)
{
    const TnBlockDef *def = &block->def;
    if (def->A) return factor_dense(block);
    if (def->A_banded) return factor_banded(block);
    if (def->A_sparse) return factor_sparse(block);
    if (def->A_inverse)
        return (block->factor.work = tn_malloc(sizeof(double) * (size_t)def->dim)) ? FINE
                                                                                   : NO_MEMORY;
    if (def->functions && def->functions->factor)
        return def->functions->factor(def->functions->context) ? FINE : NOT_POSITIVE;
    return FINE;
}

bool tn_solver_factor_blocks(TnSolver *solver, TnError *err)
{
    int before = err->count;
    for (int i = 0; i < solver->block_count; i++) {
        TnSolverBlock *block = &solver->blocks[i];
        /* copies do not change; what functions refer to may */
        if (block->factor.ready && !block->def.functions) continue;
        Outcome outcome = factor_block(block);
        block->factor.ready = outcome == FINE;
        if (outcome == FINE) continue;
        tn_block_factor_free(&block->factor);
        if (outcome == NO_MEMORY) {
            tn_error_add(err, TN_ERROR_MEMORY, "block %d: no memory", i + 1);
            return false;
        }
        tn_error_add(err, TN_ERROR_USAGE, "block %d: A is not positive definite", i + 1);
    }
    return err->count == before;
}

/* y = M x of a symmetric matrix, by rows. */
static void multiply_dense(const double *M, int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += M[(long)i * n + j] * x[j];
        y[i] = sum;
    }
}

bool tn_solver_multiply(const TnSolver *solver, int block, const double *x, double *y)
{
    const TnBlockDef *def = &solver->blocks[block].def;
    int n = def->dim;
    if (def->A_inverse || (def->functions && !def->functions->multiply)) return false;
    if (def->functions) def->functions->multiply(def->functions->context, x, y);
    if (def->A) multiply_dense(def->A, n, x, y);
    if (def->A_sparse || def->A_banded) memset(y, 0, sizeof(double) * (size_t)n);
    for (int i = 0; def->A_sparse && i < n; i++)
        for (int k = def->A_sparse->row_start[i]; k < def->A_sparse->row_start[i + 1]; k++)
            y[i] += def->A_sparse->value[k] * x[def->A_sparse->column[k]];
    for (int k = 0; def->A_banded && k <= def->bandwidth; k++)
        for (int i = 0; i + k < n; i++) {
            double a = def->A_banded[(long)k * n + i];
            y[i + k] += a * x[i];
            if (k) y[i] += a * x[i + k];
        }
    return true;
}

void tn_solver_solve_A(const TnSolver *solver, int block, double *x, int count)
{
    const TnSolverBlock *b = &solver->blocks[block];
    const TnBlockDef *def = &b->def;
    int n = def->dim;
    if (def->functions) def->functions->solve(def->functions->context, x, count);
    for (int k = 0; def->A_sparse && k < count; k += TN_SOLVE_BATCH)
        solve_sparse(b, x + (long)k * n, count - k < TN_SOLVE_BATCH ? count - k : TN_SOLVE_BATCH);
    for (int k = 0; k < count; k++, x += n) {
        if (def->A) tn_cholesky_solve(b->factor.values, n, x);
        if (def->A_banded) tn_banded_solve(b->factor.values, n, def->bandwidth, x);
        if (def->A_inverse) {
            multiply_dense(def->A_inverse, n, x, b->factor.work);
            memcpy(x, b->factor.work, sizeof(double) * (size_t)n);
        }
    }
}
