/* tenon/tet_mesh.h: tetrahedral meshes for soft bodies: files, generators, checks. */
#ifndef TENON_TET_MESH_H
#define TENON_TET_MESH_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements have positive volume: (x1 - x0) · ((x2 - x0) × (x3 - x0)) > 0. Seen from outside,
 * opposite to node 0, nodes 1, 2, 3 are counterclockwise. Use tn_tet_mesh_free only for meshes from
 * a generator or a file, not for your own arrays. */
typedef struct TnTetMesh {
    int node_count, tet_count;
    double *nodes; /* 3 per node, m */
    int32_t *tets; /* 4 per element, from 0, positive volume */
} TnTetMesh;
TN_API void tn_tet_mesh_free(TnTetMesh *mesh); /* leaves an empty mesh */

/* Reads gmsh 2.x and 4.1 (.msh, text and binary), TetGen (.node with .ele beside it; path may be
 * either) and legacy VTK (.vtk, text and binary). Drops nodes without elements and checks the mesh
 * with tn_tet_mesh_check. Points, lines and faces in the file are ignored; other solid elements are
 * errors. After a failure *out is empty. */
TN_API bool tn_tet_mesh_load(const char *path, TnTetMesh *out, TnError *err);

/* Returns false and lists all problems in err: numbers that are not finite; elements with a missing
 * or repeated node; flat or duplicate elements; elements of different orientation; nodes without
 * elements; faces with more than two elements; surface edges without exactly two triangles. If all
 * elements are inverted, the mesh is corrected. `name` precedes each message; NULL is allowed. */
TN_API bool tn_tet_mesh_check(TnTetMesh *mesh, const char *name, TnError *err);
TN_API double tn_tet_mesh_volume(const TnTetMesh *mesh); /* m³ */

/* The faces of exactly one element, counterclockwise seen from outside, in the order of the
 * elements. */
typedef struct TnTetSurface {
    int triangle_count;
    int32_t *triangles; /* 3 nodes of the mesh each */
    int32_t *tets;      /* the element behind each */
} TnTetSurface;
TN_API bool tn_tet_mesh_surface(const TnTetMesh *mesh, TnTetSurface *out, TnError *err);
TN_API void tn_tet_surface_free(TnTetSurface *surface);

/* Generators. All are centred at the origin and sized like geoms: half lengths, radius, half length
 * along z. Nodes of curved surfaces lie on the true surface. So the volume is slightly too small;
 * its error is second order in the element size. */
TN_API bool tn_tet_mesh_box(const double half[3], const int cells[3], int tets_per_cell,
                            TnTetMesh *out, TnError *err); /* 5 or 6 per cell */
/* `rings` elements from the axis to the side (18 rings² per layer), `layers` along z. */
TN_API bool tn_tet_mesh_cylinder(double radius, double half_length, int rings, int layers,
                                 TnTetMesh *out, TnError *err);
/* `shells` elements from the centre to the surface (20 shells³ in all). */
TN_API bool tn_tet_mesh_ball(double radius, int shells, TnTetMesh *out, TnError *err);

/* ---- sheets ----
 * Triangles as elements whose fourth node repeats the third. */
/* Two half lengths; a triangle pair per cell, all diagonals in one direction; in the plane z = 0.
 * Node (i, j) is number i · (cells[1] + 1) + j. */
TN_API bool tn_sheet_mesh_rectangle(const double half[2], const int cells[2], TnTetMesh *out,
                                    TnError *err);
/* As tn_tet_mesh_check: false and all problems in err: numbers that are not finite; elements with
 * missing or repeated nodes; triangles without area or given twice; edges with more than two
 * triangles; nodes without triangles. */
TN_API bool tn_sheet_mesh_check(const TnTetMesh *mesh, const char *name, TnError *err);
TN_API double tn_sheet_mesh_area(const TnTetMesh *mesh); /* m² */

#ifdef __cplusplus
}
#endif
#endif
