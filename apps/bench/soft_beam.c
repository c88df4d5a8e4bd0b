/* The beam of the scaling benchmark; see soft_beam.h. */
#include "soft_beam.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double half[3] = {0.25, 0.025, 0.025}; /* m */
static const double shelf_half[3] = {0.025, 0.05, 0.01};
static const double drop = 0.0001; /* m of air above the shelf at the start */
enum { TETS_PER_CELL = 6 };

static void no_memory(int elements, TnError *err)
{
    *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
    snprintf(err->message, sizeof err->message, "no memory for a beam of %d elements", elements);
}

/* Cells across from elements = 6 · across² · (half[0]/half[1] · across), then as many along as fit.
 */
static bool make_mesh(int elements, TnTetMesh *mesh, TnError *err)
{
    double across = round(cbrt(elements / (TETS_PER_CELL * half[0] / half[1])));
    across = fmax(across, 1);
    double along = fmax(round(elements / (TETS_PER_CELL * across * across)), 1);
    const int cells[3] = {(int)along, (int)across, (int)across};
    return tn_tet_mesh_box(half, cells, TETS_PER_CELL, mesh, err);
}

/* The nodes of the face at -x; to be freed. NULL without memory. */
static TnSoftHoldDef *hold_face(const TnTetMesh *mesh, int *count)
{
    TnSoftHoldDef *holds = malloc((size_t)mesh->node_count * sizeof *holds);
    *count = 0;
    for (int i = 0; holds && i < mesh->node_count; i++)
        if (mesh->nodes[3 * i] < -half[0] + 1e-9)
            holds[(*count)++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
    return holds;
}

static void add_shelf(TnModelBuilder *builder)
{
    TnGeomDef shelf = tn_geom_def();
    shelf.body = TN_BODY_WORLD;
    shelf.type = TN_GEOM_BOX;
    for (int k = 0; k < 3; k++) shelf.size[k] = shelf_half[k];
    shelf.pos[0] = half[0] - shelf_half[0];
    shelf.pos[2] = -half[2] - shelf_half[2] - drop;
    shelf.friction[0] = 0.5;
    tn_builder_add_geom(builder, &shelf);
}

TnModel *soft_beam_model(int elements, TnError *err)
{
    TnSoftDef soft = tn_soft_def();
    if (!make_mesh(elements, &soft.mesh, err)) return NULL;
    TnSoftHoldDef *holds = hold_face(&soft.mesh, &soft.hold_count);
    TnModelBuilder *builder = tn_builder_create();
    TnModel *model = NULL;
    if (holds && builder) {
        TnOption option = tn_option();
        soft.name = "beam";
        soft.youngs_modulus = 1e7;
        soft.poisson_ratio = 0.45;
        soft.damping_stiffness = 0.01;
        soft.friction[0] = 0.5;
        soft.holds = holds;
        tn_builder_set_name(builder, "beam on a shelf");
        tn_builder_set_option(builder, &option, (TnSource){0});
        add_shelf(builder);
        tn_builder_add_soft(builder, &soft);
        model = tn_builder_compile(builder, err);
    } else {
        no_memory(elements, err);
    }
    tn_builder_destroy(builder);
    free(holds);
    tn_tet_mesh_free(&soft.mesh);
    return model;
}
