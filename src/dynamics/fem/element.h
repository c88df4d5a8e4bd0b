/* element.h: one batch of elements. What a law gives is the stress P and, in the frame of the singular
 * vectors of F = U diag(s) Vᵀ, the derivative of P (symmetric, positive semidefinite). With
 * D = Uᵀ dF V and Q = Uᵀ dP V, an isotropic law couples
 *     the diagonal       Q_ii = Σ_k A_ik D_kk
 *     each pair i ≠ j    Q_ij = own_k D_ij + cross_k D_ji,   k the third axis
 * and nothing else, so 12 numbers hold the 9 × 9 derivative. */
#ifndef TN_DYNAMICS_FEM_ELEMENT_H
#define TN_DYNAMICS_FEM_ELEMENT_H

#include "fem.h"

typedef struct TnFemTangent {
    TnFemMatrix A;
    double own[3][TN_FEM_LANES], cross[3][TN_FEM_LANES];
} TnFemTangent;

/* Stress and energy density of the two laws; lambda is 0 in a tangent whose patch holds that part. */
void tn_fem_corotational_stress(const TnFemMaterial *material, const TnFemPlace *place,
                                TnFemMatrix P, double energy[TN_FEM_LANES]);
void tn_fem_corotational_tangent(const TnFemMaterial *material, double lambda, TnFemTangent *out);
void tn_fem_neo_hookean_stress(const TnFemMaterial *material, const TnFemPlace *place,
                               TnFemMatrix P, double energy[TN_FEM_LANES]);
void tn_fem_neo_hookean_tangent(const TnFemMaterial *material, const TnFemPlace *place,
                                TnFemTangent *out);
/* That of the mesh. */
void tn_fem_tangent(const TnFemMesh *mesh, const TnFemPlace *place, TnFemTangent *out);

/* x[3 a + i], g[3 a + i] of corner a */
typedef double TnFemCorners[12][TN_FEM_LANES];
void tn_fem_gather(const TnFemBatch *batch, const double *x, TnFemCorners out);
void tn_fem_shape_gradients(const TnFemBatch *batch, TnFemCorners g);
/* F of corner values: positions, or velocities for the rate of F. */
void tn_fem_gradient(const TnFemBatch *batch, TnFemCorners x, TnFemMatrix F);
/* out_a = V P g_a */
void tn_fem_divergence(const TnFemBatch *batch, TnFemMatrix P, TnFemCorners out);
/* dP of dF */
void tn_fem_tangent_apply(const TnFemPlace *place, const TnFemTangent *tangent, TnFemMatrix dF,
                          TnFemMatrix dP);
/* K_ab for a <= b, in the order 00 01 02 03 11 12 13 22 23 33. */
void tn_fem_tangent_blocks(const TnFemBatch *batch, const TnFemPlace *place,
                           const TnFemTangent *tangent, TnFemMatrix K[10]);

/* Adds the patches' share: scale · K to blocks, scale · K v to out (mean dilatation). */
void tn_fem_patch_add_stiffness(const TnFemMesh *mesh, const TnFemPlace *places,
                                const TnFemMap *map, double scale, double *patches, double *blocks);
void tn_fem_patch_add_product(const TnFemMesh *mesh, const TnFemPlace *places, double scale,
                              const double *v, double *patches, double *out);

#endif
