/* soft.h: short ways to say the soft bodies of these tests. */
#ifndef TN_TESTS_MODEL_SOFT_H
#define TN_TESTS_MODEL_SOFT_H

#include "build.h"

/* Cells of 0.1 m, 5 elements each, centred at the definition's pos; adds it and frees the mesh. */
static inline TnSoftId add_block(TnModelBuilder *b, TnSoftDef def, int nx, int ny, int nz)
{
    const double half[3] = {0.05 * nx, 0.05 * ny, 0.05 * nz};
    const int cells[3] = {nx, ny, nz};
    CHECK(tn_tet_mesh_box(half, cells, 5, &def.mesh, NULL));
    TnSoftId id = tn_builder_add_soft(b, &def);
    tn_tet_mesh_free(&def.mesh);
    return id;
}

/* At (x, y, z), everything else as the defaults have it. */
static inline TnSoftDef soft_at(const char *name, double x, double y, double z)
{
    TnSoftDef def = tn_soft_def();
    def.name = name;
    v3_set(def.pos, x, y, z);
    return def;
}

#endif
