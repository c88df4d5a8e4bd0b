/* sparse_solve.c: systems with a factor. A front's part of the vector, and what it subtracts
 * from or reads of the nodes below it, is gathered into z, where the dense kernels work on whole
 * eights: zeros fill up both z and the panel. */
#include <string.h>

#include "kernels/dense_kernels.h"
#include "sparse_plan.h"

static size_t vector_length(const TnSparse *plan) { return 3 * (size_t)plan->node_count; }
static size_t scratch_at(const TnSparse *plan) { return (vector_length(plan) + 7) & ~(size_t)7; }

/* z₁ ← L₁₁⁻¹y₁, y₂ -= L₂₁z₁; z₁ stays in z too. */
void tn_sparse_forward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                             int count, double *y, double *z)
{
    int width = 3 * front->width, ld = front->ld;
    size_t n = vector_length(plan);
    const int *rows = plan->rows + front->rows;
    for (int r = 0; r < count; r++) {
        double *to = z + (long)r * ld;
        memcpy(to, y + (size_t)r * n + 3L * front->first, sizeof(double) * (size_t)width);
        memset(to + width, 0, sizeof(double) * (size_t)(ld - width));
    }
    plan->kernels->forward(ld, width, factor + front->panel, ld, count, z, ld);
    for (int r = 0; r < count; r++) {
        const double *from = z + (long)r * ld;
        double *to = y + (size_t)r * n;
        memcpy(to + 3L * front->first, from, sizeof(double) * (size_t)width);
        for (int k = 0; k < front->below; k++)
            for (int i = 0; i < 3; i++) to[3L * rows[k] + i] += from[width + 3 * k + i];
    }
}

/* y₁ ← L₁₁⁻ᵀ (y₁ - L₂₁ᵀy₂) */
static void backward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                           int count, double *y, double *z)
{
    int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
    size_t n = vector_length(plan);
    const int *rows = plan->rows + front->rows;
    for (int r = 0; r < count; r++) {
        double *to = z + (long)r * ld;
        const double *from = y + (size_t)r * n;
        memcpy(to, from + 3L * front->first, sizeof(double) * (size_t)width);
        for (int k = 0; k < front->below; k++)
            for (int i = 0; i < 3; i++) to[width + 3 * k + i] = from[3L * rows[k] + i];
        for (int i = width + below; i < ld; i++) to[i] = 0.0;
    }
    plan->kernels->backward(ld, width, factor + front->panel, ld, count, z, ld);
    for (int r = 0; r < count; r++)
        memcpy(y + (size_t)r * n + 3L * front->first, z + (long)r * ld,
               sizeof(double) * (size_t)width);
}

/* Fronts that do not belong to the last nodes. */
static int inner_fronts(const TnSparse *plan)
{
    return plan->front_count - (plan->last_count > 0 ? 1 : 0);
}

void tn_sparse_to_places(const TnSparse *plan, int count, const double *b, double *y)
{
    size_t n = vector_length(plan);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < plan->node_count; k++)
            for (int i = 0; i < 3; i++)
                y[(size_t)r * n + 3 * (size_t)k + (size_t)i] =
                    b[(size_t)r * n + 3 * (size_t)plan->order[k] + (size_t)i];
}

/* In the order in which fronts are factorized. */
void tn_sparse_forward(const TnSparse *plan, const double *factor, int count, const double *b,
                       double *y, double *work)
{
    tn_sparse_to_places(plan, count, b, y);
    for (int t = 0; t < plan->task_count; t++)
        for (int f = plan->tasks[t].begin; f < plan->tasks[t].end; f++)
            tn_sparse_forward_front(plan, factor, &plan->fronts[f], count, y, work);
    for (int f = tn_sparse_outside(plan, 0); f < inner_fronts(plan);
         f = tn_sparse_outside(plan, f + 1))
        tn_sparse_forward_front(plan, factor, &plan->fronts[f], count, y, work);
}

void tn_sparse_solve_last(const TnSparse *plan, const double *factor, int count, double *y_l,
                          size_t stride, double *work)
{
    if (plan->last_count == 0) return;
    const TnSparseFront *front = &plan->fronts[plan->front_count - 1];
    int width = 3 * front->width, ld = front->ld;
    (void)work;
    plan->kernels->forward(width, width, factor + front->panel, ld, count, y_l, (long)stride);
    plan->kernels->backward(width, width, factor + front->panel, ld, count, y_l, (long)stride);
}

void tn_sparse_put_last(const TnSparse *plan, const double *L, size_t stride, double *factor)
{
    if (plan->last_count == 0) return;
    const TnSparseFront *front = &plan->fronts[plan->front_count - 1];
    size_t width = 3 * (size_t)front->width, ld = (size_t)front->ld;
    for (size_t j = 0; j < width; j++) {
        double *column = factor + front->panel + j * ld;
        memcpy(column, L + j * stride, sizeof(double) * width);
        memset(column + width, 0, sizeof(double) * (ld - width));
    }
}

void tn_sparse_backward(const TnSparse *plan, const double *factor, int count, double *y, double *x,
                        double *work)
{
    size_t n = vector_length(plan);
    for (int f = inner_fronts(plan) - 1; f >= 0; f--)
        backward_front(plan, factor, &plan->fronts[f], count, y, work);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < plan->node_count; k++)
            for (int i = 0; i < 3; i++)
                x[(size_t)r * n + 3 * (size_t)plan->order[k] + (size_t)i] =
                    y[(size_t)r * n + 3 * (size_t)k + (size_t)i];
}

void tn_sparse_solve(const TnSparse *plan, const double *factor, int count, double *x, double *work)
{
    size_t n = vector_length(plan);
    double *y = work, *z = work + (size_t)count * scratch_at(plan);
    tn_sparse_forward(plan, factor, count, x, y, z);
    tn_sparse_solve_last(plan, factor, count, y + n - 3 * (size_t)plan->last_count, n, z);
    tn_sparse_backward(plan, factor, count, y, x, z);
}
