/* closed.h: is a triangle mesh closed? Corners at the same place count as one. */
#ifndef TN_TESTS_RENDER_CLOSED_H
#define TN_TESTS_RENDER_CLOSED_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Edge {
    double ends[6];
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    for (int k = 0; k < 6; k++)
        if (x->ends[k] != y->ends[k]) return x->ends[k] < y->ends[k] ? -1 : 1;
    return 0;
}

/* How many edges have no partner that runs the other way. `places`: 3 × vertex count. Triangles
 * that have shrunk to an edge are skipped, as at the poles of a capsule. */
static inline int open_edges(const double *places, const uint32_t *indices, int index_count)
{
    Edge *forth = malloc((size_t)index_count * sizeof *forth);
    Edge *back = malloc((size_t)index_count * sizeof *back);
    int count = 0, open = 0;
    for (int t = 0; t < index_count; t += 3) {
        double corner[3][3];
        for (int k = 0; k < 9; k++) /* rounded: sines and cosines differ in the last digits */
            corner[k / 3][k % 3] = round(1e5 * places[3 * indices[t + k / 3] + (uint32_t)(k % 3)]);
        bool flat = false;
        for (int k = 0; k < 3; k++)
            flat = flat || memcmp(corner[k], corner[(k + 1) % 3], sizeof corner[0]) == 0;
        for (int k = 0; k < 3 && !flat; k++, count++) {
            for (int j = 0; j < 3; j++) {
                /* + 0.0: -0 is 0 */
                forth[count].ends[j] = back[count].ends[j + 3] = corner[k][j] + 0.0;
                forth[count].ends[j + 3] = back[count].ends[j] = corner[(k + 1) % 3][j] + 0.0;
            }
        }
    }
    qsort(forth, (size_t)count, sizeof *forth, compare_edges);
    qsort(back, (size_t)count, sizeof *back, compare_edges);
    for (int i = 0, j = 0; i < count; i++) { /* both lists ascend */
        while (j < count && compare_edges(&back[j], &forth[i]) < 0) j++;
        if (j < count && compare_edges(&back[j], &forth[i]) == 0)
            j++;
        else
            open++;
    }
    free(forth);
    free(back);
    return count ? open : -1;
}

/* Six times the volume inside is positive where triangles run counter-clockwise from outside. */
static inline double volume(const double *places, const uint32_t *indices, int index_count)
{
    double sum = 0;
    for (int t = 0; t < index_count; t += 3) {
        const double *a = places + 3 * indices[t], *b = places + 3 * indices[t + 1],
                     *c = places + 3 * indices[t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

#endif
