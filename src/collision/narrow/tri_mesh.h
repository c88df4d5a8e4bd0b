/* tri_mesh.h (internal): a fixed mesh that collides as its triangles.
 *
 * Corners at one place are one vertex. Triangles lie in the order of a tree of boxes, each leaf a
 * few in a row. A triangle has its neighbour across each edge, and a vertex where its
 * edges lead: so a contact can tell whether an edge is one of the surface, or only of its
 * triangulation. */
#ifndef TN_COLLISION_TRI_MESH_H
#define TN_COLLISION_TRI_MESH_H

#include "../../model/model.h"
#include "narrow.h"

typedef struct TnTriNode {
    float low[3], high[3];
    int32_t first, count; /* count > 0: a leaf, triangles; else its second child; the first is next
                             to it */
} TnTriNode;

typedef struct TnTriangle {
    double normal[3];  /* unit, outward */
    int32_t vertex[3]; /* counter-clockwise from outside */
    int32_t across[3]; /* triangle on the other side of the edge from corner k to k + 1; -1: none */
    uint8_t ridges; /* bit k: edge k stands out of the surface, and the triangle across, if there is
                       one, comes later and leaves it to this one */
} TnTriangle;

typedef struct TnTriMesh {
    int users; /* it is destroyed with the last one */
    int triangle_count, vertex_count, node_count;
    TnTriangle *triangles;
    TnTriNode *nodes;
    int32_t *edge_start,
        *edges;          /* vertices that a vertex has an edge to: [start[v], start[v + 1]) */
    double (*points)[3]; /* per vertex, about the centre of the mesh's box */
} TnTriMesh;

static inline const double *tn_tri_corner(const TnTriMesh *mesh, const TnTriangle *t, int k)
{
    return mesh->points[t->vertex[k]];
}

/* NULL: no memory. */
TnTriMesh *tn_tri_mesh_create(const TnMesh *mesh);
/* One user more, of the same thread. */
TnTriMesh *tn_tri_mesh_share(TnTriMesh *mesh);
void tn_tri_mesh_destroy(TnTriMesh *mesh);

/* ---- tri_query.c ---- */
/* Calls `visit` for the triangles whose boxes meet the box, in order. */
typedef void TnTriVisit(void *context, int triangle);
void tn_tri_mesh_query(const TnTriMesh *mesh, const double low[3], const double high[3],
                       TnTriVisit *visit, void *context);

/* ---- tri_contact.c ---- */
#define TN_TRI_POINTS 64
typedef struct TnTriPoint {
    double normal[3]; /* from the shape to the mesh */
    TnManifoldPoint at;
} TnTriPoint;
typedef struct TnTriContacts {
    int count;
    TnTriPoint points[TN_TRI_POINTS];
} TnTriContacts;
/* The points where a convex shape is nearer than `margin` to the mesh, seen from outside: its
 * middle is in front of a face, or `behind` it by no more. Where there are too many the deepest
 * stay. */
void tn_tri_collide(const TnPlaced *shape, const TnTriMesh *mesh, const TnTransform *at,
                    double margin, double behind, TnTriContacts *out);
/* The box of a placed shape in the axes of a transform. */
void tn_shape_box(const TnPlaced *shape, const TnTransform *axes, double low[3], double high[3]);
/* A triangle as a convex shape of its own, about its middle. */
typedef struct TnTriShape {
    double local[9];
    TnShape shape;
    TnTransform at;
} TnTriShape;
void tn_tri_shape(const TnTriMesh *mesh, const TnTransform *at, int triangle, TnTriShape *out);

#endif
