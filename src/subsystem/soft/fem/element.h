/* element.h: one batch of elements: gradients, stresses, forces. Their derivatives are in kernels/.
 */
#ifndef TN_DYNAMICS_FEM_ELEMENT_H
#define TN_DYNAMICS_FEM_ELEMENT_H

#include "fem.h"

/* Stress and energy density of the two laws. */
void tn_fem_corotational_stress(const TnFemMaterial *material, const TnFemPlace *place,
                                TnFemMatrix P, double energy[TN_FEM_LANES]);
void tn_fem_neo_hookean_stress(const TnFemMaterial *material, const TnFemPlace *place,
                               TnFemMatrix P, double energy[TN_FEM_LANES]);

/* x[3 a + i], g[3 a + i] of corner a */
typedef double TnFemCorners[12][TN_FEM_LANES];
void tn_fem_gather(const TnFemBatch *batch, const double *x, TnFemCorners out);
/* F of corner values: positions, or velocities for the rate of F. */
void tn_fem_gradient(const TnFemBatch *batch, TnFemCorners x, TnFemMatrix F);
/* out_a = V P g_a */
void tn_fem_divergence(const TnFemBatch *batch, TnFemMatrix P, TnFemCorners out);

#endif
