/* patch.h: the patches of mean dilatation, for mesh.c. */
#ifndef TN_DYNAMICS_FEM_PATCH_H
#define TN_DYNAMICS_FEM_PATCH_H

#include "fem.h"

/* Fills the mesh's patches from those given, or chosen for NULL (model/division/soft_patches.h). */
bool tn_fem_patches_create(TnFemMesh *mesh, const TnFemMeshDef *def, TnError *err);

#endif
