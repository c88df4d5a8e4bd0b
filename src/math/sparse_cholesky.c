/* sparse_cholesky.c: the numeric factorization. Front by front, children before parents:
 *     panel and U ← blocks of A + Σ children's U,   panel ← L,   U ← U - L₂₁L₂₁ᵀ.
 * Children are added in the plan's order, so the same bits come out whoever works on them. */
#include "sparse_cholesky.h"

#include <string.h>

#include "kernels/dense_kernels.h"
#include "sparse_plan.h"

static void add_blocks(const TnSparse *plan, const TnSparseFront *front, const double (*blocks)[9],
                       double *panel)
{
    int ld = front->ld;
    for (int e = front->entry_begin; e < front->entry_end; e++) {
        const TnSparseEntry *entry = &plan->entries[e];
        const double *B = blocks[entry->block];
        double *to = panel + 3L * entry->column * ld + 3 * entry->row;
        int by_row = entry->transposed ? 1 : 3, by_column = entry->transposed ? 3 : 1;
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++) to[(long)c * ld + r] += B[r * by_row + c * by_column];
    }
}

/* Adds a child's U to the front's panel and U, column by column in runs of rows. */
static void add_child(const TnSparse *plan, const TnSparseFront *child, const TnSparseFront *front,
                      const double *child_U, double *panel, double *U)
{
    int child_base = (3 * child->width) & ~7, base = (3 * front->width) & ~7;
    long child_ld = child->ld - child_base, update_ld = front->ld - base;
    const TnSparseRun *end = plan->runs + child->run_end;
    for (const TnSparseRun *columns = plan->runs + child->run_begin; columns < end; columns++)
        for (int k = 0; k < 3 * columns->count; k++) {
            const double *from =
                child_U + (3 * columns->from + k) * child_ld + 3 * child->width - child_base;
            int column = 3 * columns->to + k;
            double *to = column < 3 * front->width
                             ? panel + (long)column * front->ld
                             : U + (column - 3 * front->width) * update_ld - base;
            int skip = k; /* above the diagonal */
            for (const TnSparseRun *rows = columns; rows < end; rows++, skip = 0) {
                const double *a = from + 3 * rows->from;
                double *b = to + 3 * rows->to;
                for (int i = skip; i < 3 * rows->count; i++) b[i] += a[i];
            }
        }
}

/* A front's part of A and its children's contributions. */
static void assemble(const TnSparse *plan, const TnSparseFront *front, const double (*blocks)[9],
                     const double *work, double *panel, double *U)
{
    int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
    memset(panel, 0, sizeof(double) * (size_t)ld * (size_t)width);
    memset(U, 0, sizeof(double) * (size_t)(ld - (width & ~7)) * (size_t)below);
    add_blocks(plan, front, blocks, panel);
    for (int c = front->child; c >= 0; c = plan->fronts[c].sibling)
        add_child(plan, &plan->fronts[c], front, work + plan->fronts[c].update, panel, U);
}

static bool factor_fronts(const TnSparse *plan, const double (*blocks)[9], int count,
                          double *factor, double *work)
{
    for (int f = 0; f < count; f++) {
        const TnSparseFront *front = &plan->fronts[f];
        int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
        double *panel = factor + front->panel, *U = work + front->update;
        assemble(plan, front, blocks, work, panel, U);
        if (!plan->kernels->factor(width + below, width, panel, ld)) return false;
        if (below > 0) plan->kernels->update(width + below, width, panel, ld, U);
    }
    return true;
}

bool tn_sparse_factor(const TnSparse *plan, const double (*blocks)[9], double *factor, double *work)
{
    return factor_fronts(plan, blocks, plan->front_count, factor, work);
}

bool tn_sparse_reduce(const TnSparse *plan, const double (*blocks)[9], double *factor, double *work,
                      double *S, size_t stride, TnPool *pool)
{
    (void)pool;
    if (plan->last_count == 0) return tn_sparse_factor(plan, blocks, factor, work);
    if (!factor_fronts(plan, blocks, plan->front_count - 1, factor, work)) return false;
    TnSparseFront front = plan->fronts[plan->front_count - 1];
    size_t n = 3 * (size_t)front.width;
    front.ld = (int)stride;
    assemble(plan, &front, blocks, work, S, work);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) S[i * stride + j] = S[j * stride + i];
    return true;
}
