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
