/* box_graph.h: the graph of a box of tetrahedra (six to a cube around one diagonal), and positive
 * definite matrices on a graph. */
#ifndef TN_TESTS_BOX_GRAPH_H
#define TN_TESTS_BOX_GRAPH_H

#include <stdint.h>
#include <stdlib.h>

#include "math/sparse/sparse_cholesky.h"

static inline double box_uniform(uint64_t *state) /* in (-1, 1) */
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(int64_t)(*state >> 11) / (double)(1ull << 52) - 1.0;
}

typedef struct BoxGraph {
    int node_count, edge_count;
    int (*edges)[2];
} BoxGraph;

/* Node (x, y, z) has number numbers[x + nx (y + ny z)]; without numbers, that index. */
static inline BoxGraph box_graph(int nx, int ny, int nz, const int *numbers)
{
    BoxGraph g = {nx * ny * nz, 0, NULL};
    g.edges = malloc(sizeof *g.edges * 7 * (size_t)g.node_count);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                for (int k = 1; k < 8; k++) { /* towards corners with no smaller coordinate */
                    int u = x + (k & 1), v = y + (k >> 1 & 1), w = z + (k >> 2);
                    if (u >= nx || v >= ny || w >= nz) continue;
                    int i = x + nx * (y + ny * z), j = u + nx * (v + ny * w);
                    g.edges[g.edge_count][0] = numbers ? numbers[i] : i;
                    g.edges[g.edge_count++][1] = numbers ? numbers[j] : j;
                }
    return g;
}

/* Every edge adds (X Y)ᵀ(X Y) with random 3×3 X, Y over its two nodes, and every node the identity:
 * eigenvalues between 1 and about 100. */
static inline double (*box_blocks(BoxGraph g, uint64_t seed))[9]
{
    double(*blocks)[9] = calloc((size_t)(g.node_count + g.edge_count), sizeof *blocks);
    for (int i = 0; i < g.node_count; i++)
        for (int k = 0; k < 3; k++) blocks[i][4 * k] = 1.0;
    for (int e = 0; e < g.edge_count; e++) {
        double X[2][9];
        for (int k = 0; k < 18; k++) X[k / 9][k % 9] = box_uniform(&seed);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                for (int k = 0; k < 3; k++) {
                    for (int s = 0; s < 2; s++)
                        blocks[g.edges[e][s]][3 * r + c] += X[s][3 * k + r] * X[s][3 * k + c];
                    blocks[g.node_count + e][3 * r + c] += X[0][3 * k + r] * X[1][3 * k + c];
                }
    }
    return blocks;
}

#endif
