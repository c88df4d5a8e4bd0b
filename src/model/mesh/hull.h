/* hull.h: convex hulls of meshes: the triangles (quickhull.c), and the form in which collision
 * walks over them (hull.c). */
#ifndef TN_MODEL_HULL_H
#define TN_MODEL_HULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TnHullStatus {
    TN_HULL_GOOD,
    TN_HULL_FEW,    /* fewer than four different points */
    TN_HULL_FLAT,   /* thinner than a millionth of its size */
    TN_HULL_MEMORY, /* no memory */
} TnHullStatus;

/* Triangles counter-clockwise from outside, over the points' own numbering, and for each edge (from
 * corner i to corner i + 1) the triangle on its other side. */
typedef struct TnHullTriangles {
    int count;
    int32_t *corners; /* 3 × count; the block to free */
    int32_t *across;  /* 3 × count, in the same block */
} TnHullTriangles;

/* The hull of `count` points (3 numbers each, finite). Free out->corners with tn_free. */
TnHullStatus tn_quickhull(const double *points, int count, TnHullTriangles *out);

/* Directions of the table of starts: a cube with this many cells along each edge. */
#define TN_HULL_CELLS 8
#define TN_HULL_STARTS (6 * TN_HULL_CELLS * TN_HULL_CELLS)

/* Corners, edges and flat faces of a hull. Positions are about its centre, the middle of its box.
 * Lists of a vertex v stand at [start[v], start[v + 1]). */
typedef struct TnHull {
    double center[3];      /* in the mesh's axes */
    double half_extent[3]; /* of the box about the centre */
    double radius;         /* of the ball about the centre */
    int vertex_count, face_count;
    double *vertices;            /* 3 × vertex_count: only those on the hull */
    int32_t *edge_start, *edges; /* neighbours of a vertex */
    int32_t *face_start, *faces; /* flat faces at a vertex */
    double *normals;             /* 3 × face_count, unit, outward */
    int32_t *starts; /* per cell of directions a vertex near the farthest one (tn_hull_cell) */
} TnHull;

/* The cell of a direction: which side of the cube it leaves through, and where. */
static inline int tn_hull_cell(const double d[3])
{
    int axis = 0;
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        double size = d[k] < 0.0 ? -d[k] : d[k];
        if (size > most) most = size, axis = k;
    }
    if (!(most > 0.0)) return 0;
    double scale = 0.5 * TN_HULL_CELLS / most;
    int u = (int)((d[(axis + 1) % 3] + most) * scale),
        v = (int)((d[(axis + 2) % 3] + most) * scale);
    if (u > TN_HULL_CELLS - 1) u = TN_HULL_CELLS - 1;
    if (v > TN_HULL_CELLS - 1) v = TN_HULL_CELLS - 1;
    return ((axis + (d[axis] < 0.0 ? 3 : 0)) * TN_HULL_CELLS + u) * TN_HULL_CELLS + v;
}

/* The farthest vertex along d, from vertex `at` uphill. */
int tn_hull_climb(const TnHull *hull, int at, const double d[3]);
/* The farthest vertex along d (mesh axes, any length). */
int tn_hull_support(const TnHull *hull, const double d[3]);
/* All vertices that lie at most `band` (times the length of d) below the farthest one, in
 * ascending order; -1 where they are more than `max` or the hull is too large for this. */
int tn_hull_above(const TnHull *hull, const double d[3], double band, int32_t *list, int max);
/* Normal of the flat face at the farthest vertex that looks most along d. */
const double *tn_hull_face_normal(const TnHull *hull, const double d[3]);

/* Works out the hull from its triangles (tn_quickhull's), all in one block of the heap that starts
 * at `vertices`; false: no memory. Free with tn_hull_free. */
bool tn_hull_create(const double *points, int count, const TnHullTriangles *triangles, TnHull *out);
void tn_hull_free(TnHull *hull);

#endif
