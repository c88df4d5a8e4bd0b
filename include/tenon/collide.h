/* tenon/collide.h: the narrow phase as a function: contacts between two shapes. */
#ifndef TENON_COLLIDE_H
#define TENON_COLLIDE_H

#include <tenon/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnShape {
    TnGeomType type;
    double size[3];              /* as in TnGeomDef */
    const double *mesh_vertices; /* convex mesh: 3 × count, local axes */
    int mesh_vertex_count;
    const struct TnHull *hull; /* of the same vertices, from a model; NULL: linear search over
                                  the vertices */
} TnShape;

typedef struct TnTransform {
    double pos[3];
    double rot[9]; /* row-major rotation, local to world */
} TnTransform;

#define TN_MANIFOLD_MAX 8
typedef struct TnManifoldPoint {
    double pos[3];    /* m, world, halfway between the surfaces */
    double gap;       /* m, negative: penetration */
    uint32_t feature; /* stays the same as long as the same corners, edges or faces touch */
} TnManifoldPoint;

typedef struct TnManifold {
    int count;
    double normal[3]; /* unit, from the first shape to the second, shared by all points */
    TnManifoldPoint points[TN_MANIFOLD_MAX];
} TnManifold;

/* Contacts with gap <= margin. Returns false if the pair of shapes is not supported (plane with
 * plane, height fields). */
TN_API bool tn_collide(const TnShape *a, const TnTransform *ta, const TnShape *b,
                       const TnTransform *tb, double margin, TnManifold *out);

#ifdef __cplusplus
}
#endif
#endif
