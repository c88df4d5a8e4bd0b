/* block_product.h: y = M x for a symmetric matrix of blocks that is not factored
 * (math/block_sparse.h), by the plainest loops: what factors and assemblies are compared with. */
#ifndef TN_TESTS_BLOCK_PRODUCT_H
#define TN_TESTS_BLOCK_PRODUCT_H

#include <string.h>

#include "math/block_plan.h"

static inline void block_product(const TnBlockPlan *plan, const double *values, const double *x,
                                 double *y)
{
    const int *dims = plan->dims, *start = plan->start;
    memset(y, 0, (size_t)plan->dim * sizeof *y);
    for (int k = 0; k < plan->node_count; k++) {
        const double *block = values + plan->diagonal[k];
        for (int i = 0; i < dims[k]; i++)
            for (int j = 0; j < dims[k]; j++)
                y[start[k] + i] += block[(long)i * dims[k] + j] * x[start[k] + j];
    }
    for (int e = 0; e < plan->edge_count; e++) {
        const double *block = values + plan->edge[e];
        int r = plan->program->edges[e][plan->flip[e] ? 0 : 1];
        int c = plan->program->edges[e][plan->flip[e] ? 1 : 0];
        for (int i = 0; i < dims[r]; i++)
            for (int j = 0; j < dims[c]; j++) {
                double m = block[(long)i * dims[c] + j];
                y[start[r] + i] += m * x[start[c] + j];
                y[start[c] + j] += m * x[start[r] + i];
            }
    }
}

#endif
