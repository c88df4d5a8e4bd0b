/* mesh.c: checks a mesh and computes its rest shape, in batches; masses. */
#include "element.h"
#include "patch.h"

#include "../../../math/vec3.h"

#include <math.h>

enum { LANES = TN_FEM_LANES };

static bool positive(double a) { return a > 0.0 && isfinite(a); }

static bool check_material(const TnFemMaterial *m, TnError *err)
{
    bool ok = true;
    if (!positive(m->E) || !positive(m->density)) {
        tn_error_add(err, TN_ERROR_MODEL, "soft body: modulus and density must be positive");
        ok = false;
    }
    if (!(m->nu > -1.0 && m->nu < 0.5)) {
        tn_error_add(err, TN_ERROR_MODEL, "soft body: Poisson's ratio %g is not between -1 and 0.5",
                     m->nu);
        ok = false;
    }
    if (!(m->damp_mass >= 0.0 && isfinite(m->damp_mass)) ||
        !(m->damp_stiffness >= 0.0 && isfinite(m->damp_stiffness))) {
        tn_error_add(err, TN_ERROR_MODEL, "soft body: damping must not be negative");
        ok = false;
    }
    if (m->law == TN_FEM_MEMBRANE && !positive(m->thickness)) {
        tn_error_add(err, TN_ERROR_MODEL, "soft body: the thickness of a sheet must be positive");
        ok = false;
    }
    if (m->mean_dilatation && m->law != TN_FEM_COROTATIONAL) {
        tn_error_add(err, TN_ERROR_MODEL, "soft body: mean dilatation needs the co-rotational law");
        ok = false;
    }
    return ok;
}

/* Edges at rest as columns; returns their determinant, six times the volume. */
static double rest_edges(const TnFemMeshDef *def, const int tet[4], double D[9])
{
    const double *X0 = def->rest + 3 * (size_t)tet[0];
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            D[3 * i + a] = def->rest[3 * (size_t)tet[a + 1] + (size_t)i] - X0[i];
    double c[3];
    v3_cross(c, D + 3, D + 6);
    return v3_dot(D, c);
}

/* Gradients of corners 1 and 2 in axes of the triangle, the first along its first edge; returns
 * twice its area. */
static double rest_triangle(const TnFemMeshDef *def, const int tet[4], double g[2][2])
{
    const double *X = def->rest;
    double u[3], v[3], n[3];
    v3_sub(u, X + 3 * (size_t)tet[1], X + 3 * (size_t)tet[0]);
    v3_sub(v, X + 3 * (size_t)tet[2], X + 3 * (size_t)tet[0]);
    v3_cross(n, u, v);
    double twice = v3_norm(n), base = v3_norm(u), along = v3_dot(u, v) / base,
           height = twice / base;
    g[0][0] = 1.0 / base;
    g[0][1] = -along / twice;
    g[1][0] = 0.0;
    g[1][1] = 1.0 / height;
    return twice;
}

static bool check_shape(const TnFemMeshDef *def, TnError *err)
{
    bool ok = def->node_count > 0 && def->tet_count > 0;
    if (!ok) tn_error_add(err, TN_ERROR_MODEL, "soft body: no elements");
    for (int i = 0; i < 3 * def->node_count; i++)
        if (!isfinite(def->rest[i])) {
            tn_error_add(err, TN_ERROR_MODEL, "soft body: node %d is not finite", i / 3);
            ok = false;
        }
    for (int e = 0; e < def->tet_count; e++) {
        const int *tet = def->tets + 4 * (size_t)e;
        bool inside = true;
        for (int a = 0; a < 4; a++) inside = inside && tet[a] >= 0 && tet[a] < def->node_count;
        double D[9], size = 0.0;
        double six_volumes = inside ? rest_edges(def, tet, D) : 0.0;
        for (int i = 0; i < 9 && inside; i++) size = fmax(size, fabs(D[i]));
        if (inside && def->material.law == TN_FEM_MEMBRANE) { /* as a prism of height `size` */
            double g[2][2];
            six_volumes = size * rest_triangle(def, tet, g);
        }
        if (!inside)
            tn_error_add(err, TN_ERROR_MODEL, "soft body: element %d has no such node", e);
        else if (!(six_volumes > 1e-12 * size * size * size)) /* D⁻¹ would have no digits left */
            tn_error_add(err, TN_ERROR_MODEL, "soft body: element %d is flat or inverted", e);
        else
            continue;
        ok = false;
    }
    return ok;
}

static void fill_lane(const TnFemMeshDef *def, int e, TnFemBatch *batch, int l)
{
    const int *tet = def->tets + 4 * (size_t)e;
    double D[9], c[3], g[2][2];
    for (int a = 0; a < 4; a++) batch->node[a][l] = tet[a];
    if (def->material.law == TN_FEM_MEMBRANE) {
        batch->volume[l] = 0.5 * def->material.thickness * rest_triangle(def, tet, g);
        for (int i = 0; i < 4; i++) batch->inverse[3 * (i / 2) + i % 2][l] = g[i / 2][i % 2];
        return;
    }
    double det = rest_edges(def, tet, D);
    /* column k of D⁻¹: the cross product of the two other rows of D, over the determinant */
    for (int k = 0; k < 3; k++) {
        v3_cross(c, D + 3 * ((k + 1) % 3), D + 3 * ((k + 2) % 3));
        for (int i = 0; i < 3; i++) batch->inverse[3 * i + k][l] = c[i] / det;
    }
    batch->volume[l] = det / 6.0;
}

TnFemMesh *tn_fem_mesh_create(const TnFemMeshDef *def, TnError *err)
{
    bool good = check_material(&def->material, err);
    if (!check_shape(def, err) || !good) return NULL;
    TnFemMesh *mesh = tn_calloc(1, sizeof *mesh);
    int batches = (def->tet_count + LANES - 1) / LANES;
    if (mesh) mesh->batches = tn_aligned_alloc((size_t)batches * sizeof *mesh->batches);
    if (!mesh || !mesh->batches) {
        tn_error_add(err, TN_ERROR_MEMORY, "soft body: no memory");
        tn_fem_mesh_destroy(mesh);
        return NULL;
    }
    memset(mesh->batches, 0, (size_t)batches * sizeof *mesh->batches);
    TnFemMaterial *m = &mesh->material;
    mesh->node_count = def->node_count;
    mesh->tet_count = def->tet_count;
    mesh->batch_count = batches;
    *m = def->material;
    m->mu = m->E / (2.0 * (1.0 + m->nu));
    m->lambda = m->E * m->nu / ((1.0 + m->nu) * (1.0 - 2.0 * m->nu));
    if (m->law == TN_FEM_MEMBRANE) m->lambda = m->E * m->nu / (1.0 - m->nu * m->nu);
    if (m->slack) m->mu = m->lambda = 0.0;
    for (int e = 0; e < batches * LANES; e++) {
        TnFemBatch *batch = &mesh->batches[e / LANES];
        bool used = e < def->tet_count;
        fill_lane(def, used ? e : def->tet_count - 1, batch, e % LANES);
        if (used)
            batch->count++;
        else
            batch->volume[e % LANES] = 0.0;
    }
    if (m->mean_dilatation && !tn_fem_patches_create(mesh, def, err)) {
        tn_fem_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}

void tn_fem_mesh_destroy(TnFemMesh *mesh)
{
    if (!mesh) return;
    tn_free(mesh->batches);
    tn_free(mesh->patch_start);
    tn_free(mesh->patch_node);
    tn_free(mesh->patch_volume);
    tn_free(mesh);
}

void tn_fem_add_lumped_mass(const TnFemMesh *mesh, double *mass)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        int corners = mesh->material.law == TN_FEM_MEMBRANE ? 3 : 4;
        for (int l = 0; l < batch->count; l++)
            for (int a = 0; a < corners; a++)
                mass[batch->node[a][l]] += mesh->material.density * batch->volume[l] / corners;
    }
}
