/* neo_hookean.c: a neo-Hookean law that stays finite for flat and inverted elements, after the idea
 * of B. Smith, F. de Goes, T. Kim, "Stable Neo-Hookean Flesh Simulation", ACM Transactions on
 * Graphics 37 (2018): no logarithm of J = det F, and the rest state shifted to where the stress
 * vanishes.
 *
 *     ψ = ½ m (I - 3) - ½ m ln((I + 1)/4) + ½ n (J - a)² - ½ n (1 - a)²,   I = |F|²
 *     m = 4/3 μ,   n = λ + 5/6 μ,   a = 1 + ¾ m/n
 *     P = m I/(I + 1) F + n (J - a) ∂J/∂F
 * m and n are such that small strains see Lamé's λ and μ; ψ(1) = 0. What squeeze.h adds is zero
 * unless an element is shorter than a quarter along some direction.
 *
 * The derivative of P in the frame of the singular vectors (element.h), with c = m I/(I + 1),
 * e = 2 m/(I + 1)², b = n (J - a), and h_i = ∂J/∂s_i the product of the other two s:
 *     A_ij = δ_ij c + e s_i s_j + n h_i h_j + (i ≠ j) b s_k
 *     on a pair, the symmetric part of D:  c - b s_k,   the skew part:  c + b s_k
 * Negative eigenvalues change their sign (H. Chen et al., "Stabler Neo-Hookean Simulation: Absolute
 * Eigenvalue Filtering for Projected Newton", SIGGRAPH 2024): of the symmetric parts directly; A
 * becomes |A| = V |s| Vᵀ from its singular values. As zeros they leave steps far too long where
 * elements are inverted or squeezed, and a step that is taken once explodes. Those of the skew
 * parts become zero: they belong to turning an element under pressure, which nothing should hold
 * back. */
#include "element.h"
#include "squeeze.h"

#include <math.h>

enum { LANES = TN_FEM_LANES };

typedef struct Moduli {
    double m, n, a;
} Moduli;

static Moduli moduli(const TnFemMaterial *material)
{
    double m = 4.0 / 3.0 * material->mu, n = material->lambda + 5.0 / 6.0 * material->mu;
    return (Moduli){m, n, 1.0 + 0.75 * m / n};
}

void tn_fem_neo_hookean_stress(const TnFemMaterial *material, const TnFemPlace *place,
                               TnFemMatrix P, double energy[TN_FEM_LANES])
{
    Moduli k = moduli(material);
    double along[LANES], volume[LANES];
    for (int l = 0; l < LANES; l++) {
        double I = 0.0;
        for (int i = 0; i < 9; i++) I += place->F[i][l] * place->F[i][l];
        double J = place->polar.s[0][l] * place->polar.s[1][l] * place->polar.s[2][l], d = J - k.a;
        along[l] = k.m * I / (I + 1.0);
        volume[l] = k.n * d;
        energy[l] = 0.5 * k.m * (I - 3.0 - log1p(0.25 * (I - 3.0))) +
                    0.5 * k.n * (d * d - (1.0 - k.a) * (1.0 - k.a));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            for (int l = 0; l < LANES; l++) {
                double cofactor = place->F[i1 + j1][l] * place->F[i2 + j2][l] -
                                  place->F[i1 + j2][l] * place->F[i2 + j1][l];
                P[3 * i + j][l] = along[l] * place->F[3 * i + j][l] + volume[l] * cofactor;
            }
        }
    tn_fem_add_squeeze(material, place, P, energy);
}
