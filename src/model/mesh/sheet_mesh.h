/* sheet_mesh.h: triangles as elements a b c c of a mesh. */
#ifndef TN_MODEL_SHEET_MESH_H
#define TN_MODEL_SHEET_MESH_H

#include <tenon/model.h>

/* Per element three nodes, behind the edges from corner k to k + 1; -1: none. The mesh is checked.
 * False: no memory. */
bool tn_sheet_across(const TnTetMesh *mesh, int32_t *across);

#endif
