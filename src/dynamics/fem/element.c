/* element.c: corners to gradients, stresses to forces, tangents to blocks; one batch, all laws. */
#include "element.h"

enum { LANES = TN_FEM_LANES };

void tn_fem_gather(const TnFemBatch *batch, const double *x, TnFemCorners out)
{
    for (int a = 0; a < 4; a++)
        for (int l = 0; l < LANES; l++)
            for (int i = 0; i < 3; i++)
                out[3 * a + i][l] = x[3 * (size_t)batch->node[a][l] + (size_t)i];
}

void tn_fem_shape_gradients(const TnFemBatch *batch, TnFemCorners g)
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

void tn_fem_gradient(const TnFemBatch *batch, TnFemCorners x, TnFemMatrix F)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < LANES; l++)
                F[3 * i + j][l] = (x[3 + i][l] - x[i][l]) * batch->inverse[j][l] +
                                  (x[6 + i][l] - x[i][l]) * batch->inverse[3 + j][l] +
                                  (x[9 + i][l] - x[i][l]) * batch->inverse[6 + j][l];
}

void tn_fem_divergence(const TnFemBatch *batch, TnFemMatrix P, TnFemCorners out)
{
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < LANES; l++) out[i][l] = 0.0;
    for (int a = 1; a < 4; a++)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < LANES; l++) {
                int g = 3 * (a - 1);
                double f = P[3 * i][l] * batch->inverse[g][l] +
                           P[3 * i + 1][l] * batch->inverse[g + 1][l] +
                           P[3 * i + 2][l] * batch->inverse[g + 2][l];
                f *= batch->volume[l];
                out[3 * a + i][l] = f;
                out[i][l] -= f; /* the forces of an element add up to zero */
            }
}

/* out = L M Rᵀ, or Lᵀ M R */
static void between(TnFemMatrix L, TnFemMatrix M, TnFemMatrix R, bool transposed, TnFemMatrix out)
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

void tn_fem_tangent_apply(const TnFemPlace *place, const TnFemTangent *tangent, TnFemMatrix dF,
                          TnFemMatrix dP)
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
static void turned_gradients(const TnFemBatch *batch, const TnFemPlace *place, TnFemCorners out)
{
    TnFemCorners g;
    tn_fem_shape_gradients(batch, g);
    for (int a = 0; a < 12; a += 3)
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < LANES; l++)
                out[a + i][l] = place->polar.V[i][l] * g[a][l] +
                                place->polar.V[3 + i][l] * g[a + 1][l] +
                                place->polar.V[6 + i][l] * g[a + 2][l];
}

void tn_fem_tangent_blocks(const TnFemBatch *batch, const TnFemPlace *place,
                           const TnFemTangent *tangent, TnFemMatrix K[10])
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

void tn_fem_tangent(const TnFemMesh *mesh, const TnFemPlace *place, TnFemTangent *out)
{
    const TnFemMaterial *material = &mesh->material;
    if (material->law == TN_FEM_NEO_HOOKEAN)
        tn_fem_neo_hookean_tangent(material, place, out);
    else
        tn_fem_corotational_tangent(material, mesh->patch_count ? 0.0 : material->lambda, out);
}
