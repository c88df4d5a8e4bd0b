/* corotational.c: linear elasticity in the axes that turn with the element.
 *
 *     ψ = μ |ε|² + ½ λ θ²,   ε = RᵀF - 1,   θ = tr ε,   R from tn_polar,   and squeeze.h
 *     P = 2 μ (F - R) + λ θ R
 * RᵀF is symmetric, so the turning of R does no work: P is the exact gradient of ψ, also where the
 * element is inverted; there the sign of s_2 makes ε large, and the force turns the element back.
 *
 * In corners, f = -R K_0 (Rᵀx - X) with the stiffness K_0 of linear elasticity. The tangent leaves
 * R as it is, R K_0 Rᵀ, and is positive semidefinite for every F: dP = R (μ (D + Dᵀ) + λ tr D),   D
 * = Rᵀ dF which is the same in all axes; those of the singular vectors are as good as R's. What it
 * lacks is the turning of R under stress; the step's kernels add it where elements are pulled
 * (fem_lanes.h). */
#include "element.h"
#include "squeeze.h"

void tn_fem_corotational_stress(const TnFemMaterial *material, const TnFemPlace *place,
                                TnFemMatrix P, double energy[TN_FEM_LANES])
{
    double mu = material->mu, lambda = material->lambda;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < TN_FEM_LANES; l++)
            P[i][l] = 2.0 * mu * (place->F[i][l] - place->polar.R[i][l]) +
                      lambda * place->dilatation[l] * place->polar.R[i][l];
    for (int l = 0; l < TN_FEM_LANES; l++) {
        double a = place->polar.s[0][l] - 1.0, b = place->polar.s[1][l] - 1.0;
        double c = place->polar.s[2][l] - 1.0, d = place->dilatation[l];
        energy[l] = mu * (a * a + b * b + c * c) + 0.5 * lambda * d * d;
    }
    tn_fem_add_squeeze(material, place, P, energy);
}
