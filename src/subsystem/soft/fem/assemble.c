/* assemble.c: all elements of a mesh: where they are, their forces and their energy. */
#include "element.h"

enum { LANES = TN_FEM_LANES };

void tn_fem_place(const TnFemMesh *mesh, const double *x, TnFemPlace *places, double *patches)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        TnFemPlace *place = &places[k];
        TnFemCorners corners;
        tn_fem_gather(&mesh->batches[k], x, corners);
        tn_fem_gradient(&mesh->batches[k], corners, place->F);
        tn_polar(place->F, &place->polar);
        for (int l = 0; l < LANES; l++)
            place->dilatation[l] = (place->polar.s[0][l] - 1.0) + (place->polar.s[1][l] - 1.0) +
                                   (place->polar.s[2][l] - 1.0);
    }
    tn_fem_place_patches(mesh, places, patches);
}

static void scatter(const TnFemBatch *batch, TnFemCorners f, double scale, double *out)
{
    for (int l = 0; l < batch->count; l++)
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < 3; i++)
                out[3 * (size_t)batch->node[a][l] + (size_t)i] += scale * f[3 * a + i][l];
}

double tn_fem_add_forces(const TnFemMesh *mesh, const TnFemPlace *places, double *f)
{
    double sum = 0.0;
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        TnFemMatrix P;
        TnFemCorners corners;
        double energy[LANES];
        if (mesh->material.law == TN_FEM_NEO_HOOKEAN)
            tn_fem_neo_hookean_stress(&mesh->material, &places[k], P, energy);
        else
            tn_fem_corotational_stress(&mesh->material, &places[k], P, energy);
        for (int l = 0; l < batch->count; l++) sum += batch->volume[l] * energy[l];
        if (!f) continue;
        tn_fem_divergence(batch, P, corners);
        scatter(batch, corners, -1.0, f);
    }
    return sum;
}
