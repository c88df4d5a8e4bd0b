/* tet_mesh.h: what checks and surfaces of tetrahedral meshes share.
 *
 * Node k of an element is opposite to face k; tn_tet_face_corners lists the faces outward for an
 * element of positive volume. */
#ifndef TN_MODEL_TET_MESH_H
#define TN_MODEL_TET_MESH_H

#include <tenon/model.h>

/* A face or an edge by its nodes in ascending order, with the element and face it comes from. */
typedef struct TnTetSide {
    int32_t nodes[3];  /* an edge has -1 last */
    int32_t tet, face; /* of an edge: the surface triangle's */
} TnTetSide;

extern const int tn_tet_face_corners[4][3];

TnTetSide tn_tet_side(const TnTetMesh *mesh, int32_t tet, int face);
/* All 4 × tet_count faces, equal ones side by side; free with tn_free. NULL: no memory. */
TnTetSide *tn_tet_sides(const TnTetMesh *mesh);
void tn_tet_sides_sort(TnTetSide *sides, size_t count);
bool tn_tet_sides_equal(const TnTetSide *a, const TnTetSide *b);

/* 6 × volume over the cube of the longest edge: 0.71 for a regular element, 0 for a flat one and
 * for what cannot be computed. */
double tn_tet_shape(const TnTetMesh *mesh, int32_t tet);

#endif
