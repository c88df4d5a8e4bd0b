/* tenon/tet_mesh.h: tetrahedral meshes for soft bodies: from files, from generators, checked. */
#ifndef TENON_TET_MESH_H
#define TENON_TET_MESH_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Positive volume: nodes 1, 2, 3 of an element turn counterclockwise when seen from outside, from
 * the side away from node 0: (x1 - x0) · ((x2 - x0) × (x3 - x0)) > 0. A mesh may be made by hand,
 * by one of the generators, or come from a file; only the latter two are freed with
 * tn_tet_mesh_free. */
typedef struct TnTetMesh {
    int node_count, tet_count;
    double *nodes; /* 3 per node, m */
    int32_t *tets; /* 4 per element, from 0, positive volume */
} TnTetMesh;
TN_API void tn_tet_mesh_free(TnTetMesh *mesh); /* leaves an empty mesh */

/* Reads gmsh 2.x and 4.1 (.msh, text and binary), TetGen (.node with .ele beside it; either may be
 * named) and legacy VTK (.vtk, text and binary), leaves out nodes that no element names, and checks
 * the mesh as tn_tet_mesh_check does. Points, lines and faces in the file are passed over; other
 * solid elements are refused. After a failure *out is empty. */
TN_API bool tn_tet_mesh_load(const char *path, TnTetMesh *out, TnError *err);

/* False, with all problems in err, where numbers are not finite, an element names a node that is
 * not there or one twice, is flat, or comes twice, where elements differ in orientation, a node has
 * no element, a face has more than two, or an edge of the surface other than two triangles. A mesh
 * whose elements are all inverted is put right. `name` stands before each message; NULL is fine. */
TN_API bool tn_tet_mesh_check(TnTetMesh *mesh, const char *name, TnError *err);
TN_API double tn_tet_mesh_volume(const TnTetMesh *mesh); /* m³ */

/* The faces that one element only has, counterclockwise seen from outside, in the order of the
 * elements. */
typedef struct TnTetSurface {
    int triangle_count;
    int32_t *triangles; /* 3 nodes of the mesh each */
    int32_t *tets;      /* the element behind each */
} TnTetSurface;
TN_API bool tn_tet_mesh_surface(const TnTetMesh *mesh, TnTetSurface *out, TnError *err);
TN_API void tn_tet_surface_free(TnTetSurface *surface);

/* Generators. All are centred at the origin and sized as geoms are: half lengths, radius, half
 * length along z. Curved surfaces have their nodes on the true surface, so that the volume is a
 * little too small and comes closer with the square of the division. */
TN_API bool tn_tet_mesh_box(const double half[3], const int cells[3], int tets_per_cell,
                            TnTetMesh *out, TnError *err); /* 5 or 6 per cell */
/* `rings` elements from the axis to the side (18 rings² per layer), `layers` along z. */
TN_API bool tn_tet_mesh_cylinder(double radius, double half_length, int rings, int layers,
                                 TnTetMesh *out, TnError *err);
/* `shells` elements from the centre to the surface (20 shells³ in all). */
TN_API bool tn_tet_mesh_ball(double radius, int shells, TnTetMesh *out, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
