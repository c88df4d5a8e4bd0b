/* sparse_interim.c: plans for last nodes in their simplest form, until sparse_pattern.c has them. */
#include <math.h>
#include <string.h>

#include "kernels/dense_kernels.h"
#include "sparse_plan.h"

struct TnSparsePattern {
    int node_count, edge_count;
    int (*edges)[2];
};

TnSparsePattern *tn_sparse_pattern_create(int node_count, int edge_count, const int (*edges)[2],
                                          TnError *err)
{
    (void)err;
    TnSparsePattern *p = tn_malloc(sizeof *p);
    *p = (TnSparsePattern){node_count, edge_count, tn_malloc(sizeof(int[2]) * (size_t)edge_count)};
    memcpy(p->edges, edges, sizeof(int[2]) * (size_t)edge_count);
    return p;
}

void tn_sparse_pattern_free(TnSparsePattern *p)
{
    if (p) tn_free(p->edges);
    tn_free(p);
}

TnSparse *tn_sparse_plan_last(const TnSparsePattern *p, int last_count, const int *last,
                              TnArena *arena)
{
    (void)arena;
    return tn_sparse_plan(&(TnSparseDef){.node_count = p->node_count,
                                         .edge_count = p->edge_count,
                                         .edges = (const int(*)[2])p->edges,
                                         .last_count = last_count,
                                         .last = last},
                          NULL);
}

bool tn_sparse_reduce(const TnSparse *plan, const double (*blocks)[9], double *factor, double *work,
                      double *S, size_t stride, TnPool *pool)
{
    (void)pool;
    if (!tn_sparse_factor(plan, blocks, factor, work)) return false;
    if (!plan->last_count) return true;
    const TnSparseFront *f = &plan->fronts[plan->front_count - 1];
    int n = 3 * f->width;
    double *P = factor + f->panel;
    memset(S, 0, sizeof(double) * (size_t)n * stride);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0.0;
            for (int k = 0; k <= j; k++) {
                double a = P[(long)k * f->ld + i], b = P[(long)k * f->ld + j];
                s += (k == i ? 1.0 / a : a) * (k == j ? 1.0 / b : b);
            }
            S[(size_t)j * stride + (size_t)i] = S[(size_t)i * stride + (size_t)j] = s;
        }
    return true;
}

bool tn_dense_factor(int n, double *S, size_t stride)
{
    return tn_dense_kernels()->factor(n, n, S, (int)stride);
}

void tn_dense_solve(int n, const double *L, size_t stride, int count, double *x, size_t x_stride)
{
    for (int k = 0; k < count; k++) {
        tn_dense_kernels()->forward(n, n, L, (int)stride, 1, x + (size_t)k * x_stride);
        tn_dense_kernels()->backward(n, n, L, (int)stride, 1, x + (size_t)k * x_stride);
    }
}
