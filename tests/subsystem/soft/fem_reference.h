/* fem_reference.h: stiffness, damping and mass of elements in plain C, one matrix at a time: what
 * the step's kernels (subsystem/soft/fem/kernels/) are compared with, and what the laws'
 * derivatives are compared with stresses by.
 *
 * In the frame of the singular vectors of F = U diag(s) Vᵀ the derivative of P is symmetric and
 * positive semidefinite. With D = Uᵀ dF V and Q = Uᵀ dP V, an isotropic law couples the diagonal
 * Q_ii = Σ_k A_ik D_kk each pair i ≠ j    Q_ij = own_k D_ij + cross_k D_ji,   k the third axis and
 * nothing else, so 12 numbers hold the 9 × 9 derivative. */
#ifndef TN_TESTS_FEM_REFERENCE_H
#define TN_TESTS_FEM_REFERENCE_H

#include <math.h>
#include <string.h>

#include "subsystem/soft/fem/element.h"

enum { LANES = TN_FEM_LANES };

typedef struct PlainTangent {
    TnFemMatrix A;
    double own[3][TN_FEM_LANES], cross[3][TN_FEM_LANES];
} PlainTangent;

/* Where the blocks of each element and patch go. Pairs that a pattern lacks (the upper half) are -1
 * and left out. */
typedef struct PlainMap {
    int (*element)[16][TN_FEM_LANES]; /* per batch, [4 a + b] */
    int *patch;                       /* n × n per patch of n nodes, one after the other */
} PlainMap;

typedef struct Moduli {
    double m, n, a;
} Moduli;

static inline Moduli moduli(const TnFemMaterial *material)
{
    double m = 4.0 / 3.0 * material->mu, n = material->lambda + 5.0 / 6.0 * material->mu;
    return (Moduli){m, n, 1.0 + 0.75 * m / n};
}

static inline void plain_map_destroy(PlainMap *map)
{
    tn_free(map->element);
    tn_free(map->patch);
    *map = (PlainMap){0};
}

static inline void scatter(const TnFemBatch *batch, TnFemCorners f, double scale, double *out)
{
    for (int l = 0; l < batch->count; l++)
        for (int a = 0; a < 4; a++)
            for (int i = 0; i < 3; i++)
                out[3 * (size_t)batch->node[a][l] + (size_t)i] += scale * f[3 * a + i][l];
}

static inline void plain_corotational_tangent(const TnFemMaterial *material, double lambda,
                                              PlainTangent *out)
{
    double mu = material->mu;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < TN_FEM_LANES; l++) out->A[i][l] = lambda + (i % 4 ? 0.0 : 2.0 * mu);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < TN_FEM_LANES; l++) out->own[k][l] = out->cross[k][l] = mu;
}

/* A ← |A| */
static inline void project(TnFemMatrix A)
{
    TnPolar polar;
    tn_polar(A, &polar);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            for (int l = 0; l < LANES; l++) {
                double size = 0.0;
                for (int k = 0; k < 3; k++)
                    size += polar.V[3 * i + k][l] * fabs(polar.s[k][l]) * polar.V[3 * j + k][l];
                A[3 * i + j][l] = size;
                A[3 * j + i][l] = A[3 * i + j][l];
            }
}

static inline void plain_neo_hookean_tangent(const TnFemMaterial *material, const TnFemPlace *place,
                                             PlainTangent *out)
{
    Moduli k = moduli(material);
    for (int l = 0; l < LANES; l++) {
        double s[3] = {place->polar.s[0][l], place->polar.s[1][l], place->polar.s[2][l]};
        double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
        double h[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
        double c = k.m * I / (I + 1.0), e = 2.0 * k.m / ((I + 1.0) * (I + 1.0));
        double b = k.n * (J - k.a);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                out->A[3 * i + j][l] =
                    (i == j ? c : b * s[3 - i - j]) + e * s[i] * s[j] + k.n * h[i] * h[j];
        for (int i = 0; i < 3; i++) {
            double even = c - b * s[i], odd = c + b * s[i];
            even = fabs(even);
            odd = odd > 0.0 ? odd : 0.0;
            out->own[i][l] = 0.5 * (even + odd);
            out->cross[i][l] = 0.5 * (even - odd);
        }
    }
    project(out->A);
}

static inline void plain_shape_gradients(const TnFemBatch *batch, TnFemCorners g)
{
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < LANES; l++) {
            double p = batch->inverse[i][l], q = batch->inverse[3 + i][l];
            double r = batch->inverse[6 + i][l];
            g[i][l] = -(p + q + r);
            g[3 + i][l] = p;
            g[6 + i][l] = q;
            g[9 + i][l] = r;
        }
}

/* out = L M Rᵀ, or Lᵀ M R */
static inline void between(TnFemMatrix L, TnFemMatrix M, TnFemMatrix R, bool transposed,
                           TnFemMatrix out)
{
    TnFemMatrix T;
    int row = transposed ? 1 : 3, column = transposed ? 3 : 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < LANES; l++)
                T[3 * i + j][l] = L[row * i][l] * M[j][l] + L[row * i + column][l] * M[3 + j][l] +
                                  L[row * i + 2 * column][l] * M[6 + j][l];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < LANES; l++)
                out[3 * i + j][l] = T[3 * i][l] * R[row * j][l] +
                                    T[3 * i + 1][l] * R[row * j + column][l] +
                                    T[3 * i + 2][l] * R[row * j + 2 * column][l];
}

static inline void plain_tangent_apply(const TnFemPlace *place, const PlainTangent *tangent,
                                       TnFemMatrix dF, TnFemMatrix dP)
{
    TnFemMatrix D, Q;
    TnPolar polar = place->polar;
    between(polar.U, dF, polar.V, true, D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < LANES; l++) {
                if (i == j)
                    Q[4 * i][l] = tangent->A[3 * i][l] * D[0][l] +
                                  tangent->A[3 * i + 1][l] * D[4][l] +
                                  tangent->A[3 * i + 2][l] * D[8][l];
                else
                    Q[3 * i + j][l] = tangent->own[3 - i - j][l] * D[3 * i + j][l] +
                                      tangent->cross[3 - i - j][l] * D[3 * j + i][l];
            }
    between(polar.U, Q, polar.V, false, dP);
}

/* g in the axes of V */
static inline void turned_gradients(const TnFemBatch *batch, const TnFemPlace *place,
                                    TnFemCorners out)
{
    TnFemCorners g;
    plain_shape_gradients(batch, g);
    for (int a = 0; a < 12; a += 3)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < LANES; l++)
                out[a + i][l] = place->polar.V[i][l] * g[a][l] +
                                place->polar.V[3 + i][l] * g[a + 1][l] +
                                place->polar.V[6 + i][l] * g[a + 2][l];
}

static inline void plain_tangent_blocks(const TnFemBatch *batch, const TnFemPlace *place,
                                        const PlainTangent *tangent, TnFemMatrix K[10])
{
    TnFemCorners g;
    TnPolar polar = place->polar;
    turned_gradients(batch, place, g);
    int block = 0;
    for (int a = 0; a < 12; a += 3)
        for (int b = a; b < 12; b += 3, block++) {
            TnFemMatrix M;
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) {
                    int j1 = (i + 1) % 3, j2 = (i + 2) % 3, third = (3 - i - k + 3) % 3;
                    for (int l = 0; l < LANES; l++) {
                        double m = tangent->A[3 * i + k][l] * g[a + i][l] * g[b + k][l];
                        if (i == k)
                            m += tangent->own[j2][l] * g[a + j1][l] * g[b + j1][l] +
                                 tangent->own[j1][l] * g[a + j2][l] * g[b + j2][l];
                        else
                            m += tangent->cross[third][l] * g[a + k][l] * g[b + i][l];
                        M[3 * i + k][l] = m * batch->volume[l];
                    }
                }
            between(polar.U, M, polar.U, false, K[block]);
        }
}

static inline void plain_tangent(const TnFemMesh *mesh, const TnFemPlace *place, PlainTangent *out)
{
    const TnFemMaterial *material = &mesh->material;
    if (material->law == TN_FEM_NEO_HOOKEAN)
        plain_neo_hookean_tangent(material, place, out);
    else
        plain_corotational_tangent(material, mesh->patch_count ? 0.0 : material->lambda, out);
}

/* V_e R_e g_a: how the volume of each element grows with its corners. */
static inline void growth(const TnFemBatch *batch, const TnFemPlace *place, TnFemCorners out)
{
    TnPolar polar = place->polar;
    tn_fem_divergence(batch, polar.R, out);
}

static inline void plain_patch_add_product(const TnFemMesh *mesh, const TnFemPlace *places,
                                           double scale, const double *v, double *patches,
                                           double *out)
{
    if (!mesh->patch_count) return;
    memset(patches, 0, (size_t)mesh->patch_count * sizeof(double));
    for (int back = 0; back < 2; back++)
        for (int k = 0; k < mesh->batch_count; k++) {
            const TnFemBatch *batch = &mesh->batches[k];
            TnFemCorners q;
            growth(batch, &places[k], q);
            for (int l = 0; l < batch->count; l++) {
                int p = batch->patch[l];
                double c = scale * mesh->material.lambda / mesh->patch_volume[p] * patches[p];
                for (int a = 0; a < 4; a++)
                    for (int i = 0; i < 3; i++) {
                        size_t n = 3 * (size_t)batch->node[a][l] + (size_t)i;
                        if (back)
                            out[n] += c * q[3 * a + i][l];
                        else
                            patches[p] += q[3 * a + i][l] * v[n];
                    }
            }
        }
}

static inline void plain_patch_add_stiffness(const TnFemMesh *mesh, const TnFemPlace *places,
                                             const PlainMap *map, double scale, double *patches,
                                             double *blocks)
{
    if (!mesh->patch_count) return;
    memset(patches, 0, (size_t)tn_fem_scratch_count(mesh) * sizeof(double));
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        TnFemCorners q;
        growth(batch, &places[k], q);
        for (int l = 0; l < batch->count; l++)
            for (int a = 0; a < 4; a++) {
                int n = mesh->patch_start[batch->patch[l]] + batch->slot[a][l];
                for (int i = 0; i < 3; i++) patches[3 * (size_t)n + (size_t)i] += q[3 * a + i][l];
            }
    }
    const int *to = map->patch;
    for (int p = 0; p < mesh->patch_count; p++) {
        int first = mesh->patch_start[p], n = mesh->patch_start[p + 1] - first;
        double c = scale * mesh->material.lambda / mesh->patch_volume[p];
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++, to++) {
                const double *qa = patches + 3 * (size_t)(first + a);
                const double *qb = patches + 3 * (size_t)(first + b);
                for (int i = 0; i < 9 && *to >= 0; i++)
                    blocks[9 * (size_t)*to + (size_t)i] += c * qa[i / 3] * qb[i % 3];
            }
    }
}

static inline void plain_add_stiffness(const TnFemMesh *mesh, const TnFemPlace *places,
                                       const PlainMap *map, double scale, double *patches,
                                       double *blocks)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        PlainTangent tangent;
        TnFemMatrix K[10];
        plain_tangent(mesh, &places[k], &tangent);
        plain_tangent_blocks(batch, &places[k], &tangent, K);
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
    plain_patch_add_stiffness(mesh, places, map, scale, patches, blocks);
}

static inline void plain_add_stiffness_product(const TnFemMesh *mesh, const TnFemPlace *places,
                                               double scale, const double *v, double *patches,
                                               double *out)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        PlainTangent tangent;
        TnFemMatrix dF, dP;
        TnFemCorners corners;
        plain_tangent(mesh, &places[k], &tangent);
        tn_fem_gather(batch, v, corners);
        tn_fem_gradient(batch, corners, dF);
        plain_tangent_apply(&places[k], &tangent, dF, dP);
        tn_fem_divergence(batch, dP, corners);
        scatter(batch, corners, scale, out);
    }
    plain_patch_add_product(mesh, places, scale, v, patches, out);
}

static inline void plain_add_damping(const TnFemMesh *mesh, const TnFemPlace *places,
                                     const double *v, double *patches, double *f)
{
    const TnFemMaterial *m = &mesh->material;
    if (m->damp_stiffness > 0.0)
        plain_add_stiffness_product(mesh, places, -m->damp_stiffness, v, patches, f);
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

static inline int find(const int *row_start, const int *column, int i, int j)
{
    int low = row_start[i], high = row_start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row_start[i + 1] && column[low] == j ? low : -1;
}

static inline TnStatus plain_map_create(const TnFemMesh *mesh, const int *row_start,
                                        const int *column, PlainMap *out, TnError *err)
{
    size_t pairs = 0, at = 0;
    for (int p = 0; p < mesh->patch_count; p++) {
        size_t n = (size_t)(mesh->patch_start[p + 1] - mesh->patch_start[p]);
        pairs += n * n;
    }
    *out = (PlainMap){.element = tn_malloc((size_t)mesh->batch_count * sizeof *out->element)};
    if (pairs) out->patch = tn_malloc(pairs * sizeof(int));
    if (!out->element || (pairs && !out->patch)) {
        plain_map_destroy(out);
        tn_error_add(err, TN_ERROR_MEMORY, "soft body: no memory");
        return TN_ERROR_MEMORY;
    }
    bool missing = false;
    for (int k = 0; k < mesh->batch_count; k++)
        for (int ab = 0; ab < 16; ab++)
            for (int l = 0; l < LANES; l++) {
                int i = mesh->batches[k].node[ab / 4][l], j = mesh->batches[k].node[ab % 4][l];
                int to = find(row_start, column, i, j);
                out->element[k][ab][l] = to;
                missing = missing || (to < 0 && find(row_start, column, j, i) < 0);
            }
    for (int p = 0; p < mesh->patch_count; p++) {
        const int *node = mesh->patch_node + mesh->patch_start[p];
        int n = mesh->patch_start[p + 1] - mesh->patch_start[p];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int to = find(row_start, column, node[i], node[j]);
                out->patch[at++] = to;
                missing = missing || (to < 0 && find(row_start, column, node[j], node[i]) < 0);
            }
    }
    if (!missing) return TN_OK;
    plain_map_destroy(out);
    tn_error_add(err, TN_ERROR_USAGE, "soft body: the matrix lacks a pair of coupled nodes");
    return TN_ERROR_USAGE;
}

static inline void plain_add_mass(const TnFemMesh *mesh, const PlainMap *map, double scale,
                                  double *blocks)
{
    for (int k = 0; k < mesh->batch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        for (int l = 0; l < batch->count; l++)
            for (int ab = 0; ab < 16; ab++) {
                int to = map->element[k][ab][l];
                double m = scale * mesh->material.density * batch->volume[l] / 20.0;
                if (to < 0) continue;
                for (int i = 0; i < 3; i++)
                    blocks[9 * (size_t)to + 4 * (size_t)i] += ab % 5 ? m : 2.0 * m;
            }
    }
}

#endif
