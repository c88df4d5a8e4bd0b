/* assemble.c: all elements of a mesh: where they are, and what they add to forces and matrix. */
#include "element.h"

enum { LANES = TN_FEM_LANES };

void tn_fem_place_range(const TnFemMesh *mesh, const double *x, int first, int last,
                        TnFemPlace *places)
{
    for (int k = first; k < last; k++) {
        TnFemPlace *place = &places[k];
        TnFemCorners corners;
        tn_fem_gather(&mesh->batches[k], x, corners);
        tn_fem_gradient(&mesh->batches[k], corners, place->F);
        tn_polar(place->F, &place->polar);
        for (int l = 0; l < LANES; l++)
            place->dilatation[l] = (place->polar.s[0][l] - 1.0) + (place->polar.s[1][l] - 1.0) +
                                   (place->polar.s[2][l] - 1.0);
    }
}

void tn_fem_place(const TnFemMesh *mesh, const double *x, TnFemPlace *places, double *patches)
{
    tn_fem_place_range(mesh, x, 0, mesh->batch_count, places);
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

void tn_fem_add_stiffness(const TnFemMesh *mesh, const TnFemPlace *places, const TnFemMap *map,
                          double scale, double *patches, double *blocks)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        TnFemTangent tangent;
        TnFemMatrix K[10];
        tn_fem_tangent(mesh, &places[k], &tangent);
        tn_fem_tangent_blocks(batch, &places[k], &tangent, K);
        for (int l = 0; l < batch->count; l++)
            for (int a = 0, block = 0; a < 4; a++)
                for (int b = a; b < 4; b++, block++) {
                    int upper = map->element[k][4 * a + b][l];
                    int lower = map->element[k][4 * b + a][l];
                    for (int i = 0; i < 9 && upper >= 0; i++)
                        blocks[9 * (size_t)upper + (size_t)i] += scale * K[block][i][l];
                    for (int i = 0; i < 9 && lower >= 0 && a != b; i++)
                        blocks[9 * (size_t)lower + (size_t)i] +=
                            scale * K[block][3 * (i % 3) + i / 3][l];
                }
    }
    tn_fem_patch_add_stiffness(mesh, places, map, scale, patches, blocks);
}

void tn_fem_add_stiffness_product(const TnFemMesh *mesh, const TnFemPlace *places, double scale,
                                  const double *v, double *patches, double *out)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        TnFemTangent tangent;
        TnFemMatrix dF, dP;
        TnFemCorners corners;
        tn_fem_tangent(mesh, &places[k], &tangent);
        tn_fem_gather(batch, v, corners);
        tn_fem_gradient(batch, corners, dF);
        tn_fem_tangent_apply(&places[k], &tangent, dF, dP);
        tn_fem_divergence(batch, dP, corners);
        scatter(batch, corners, scale, out);
    }
    tn_fem_patch_add_product(mesh, places, scale, v, patches, out);
}

void tn_fem_add_damping(const TnFemMesh *mesh, const TnFemPlace *places, const double *v,
                        double *patches, double *f)
{
    const TnFemMaterial *m = &mesh->material;
    if (m->damp_stiffness > 0.0)
        tn_fem_add_stiffness_product(mesh, places, -m->damp_stiffness, v, patches, f);
    for (int k = 0; k < mesh->batch_count && m->damp_mass > 0.0; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        for (int l = 0; l < batch->count; l++)
            for (int a = 0; a < 4; a++)
                for (int i = 0; i < 3; i++) {
                    size_t n = 3 * (size_t)batch->node[a][l] + (size_t)i;
                    f[n] -= m->damp_mass * 0.25 * m->density * batch->volume[l] * v[n];
                }
    }
}
