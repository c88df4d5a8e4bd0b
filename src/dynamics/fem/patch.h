/* patch.h: the patches of mean dilatation, for mesh.c. */
#ifndef TN_DYNAMICS_FEM_PATCH_H
#define TN_DYNAMICS_FEM_PATCH_H

#include "fem.h"

/* Groups the elements; returns the number of patches, -1: no memory. */
int tn_fem_patches_choose(const TnFemMesh *mesh, int *patch);
/* Fills the mesh's patches from those given, or chosen for NULL. */
bool tn_fem_patches_create(TnFemMesh *mesh, const int *given, TnError *err);

#endif
