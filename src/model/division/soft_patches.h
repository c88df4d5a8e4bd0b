/* soft_patches.h: the patches of mean dilatation of a tetrahedral mesh. */
#ifndef TN_MODEL_SOFT_PATCHES_H
#define TN_MODEL_SOFT_PATCHES_H

#include <stdint.h>

/* Groups the elements (4 nodes each) into patches; patch[] holds each one's, from 0 without gaps.
 * Returns the number of patches, -1: no memory. */
int tn_soft_patches(int node_count, int tet_count, const int32_t *tets, int32_t *patch);

#endif
