/* baselines.h: what tenon is compared with, and by: solvers of the paper that are not part of the
 * library, and solutions as exact as they can be had. A solver runs one as
 *
 *     def.method = TN_METHOD_OWN;
 *     def.own = &tn_own_pj;
 *
 * Public headers of tenon are all that this one needs. */
#ifndef TN_BASELINES_H
#define TN_BASELINES_H

#include <tenon/tenon.h>

extern const TnOwnMethod tn_own_pj;      /* projected Jacobi: pj.c */
extern const TnOwnMethod tn_own_nnewton; /* nonsmooth Newton with line search: nnewton.c */
/* SubADMM with one weight per block, with z and u on every side as printed in the paper, and both:
 * paper_weights.c, subadmm_paper.c. The tolerance of the printed form is about the RMS change of
 * constraint velocities, m/s. */
extern const TnOwnMethod tn_own_paper_weights, tn_own_paper_form, tn_own_paper;

const char *tn_own_name(const TnOwnMethod *method); /* "pj", "nnewton", "subadmm" */

/* v* of the last step's problem, dof_count numbers like qvel, where `solver` is the world's.
 * Several methods are tried from the end of the step, SubADMM with max_iterations each, until the
 * natural map of every constraint is below 1e-12 m/s. *reached is the final value, which may be
 * larger. v* may not be unique (docs/accuracy.md). False if out of memory or before the first step.
 * (aav.c) */
bool tn_converged_velocity(TnWorld *world, const TnSolverDef *solver, int max_iterations, double *v,
                           double *reached);
/* AAv of the last step: -log10 of the tn_world_velocity_distance between its v and v*. NaN if out
 * of memory or before the first step. */
double tn_last_aav(TnWorld *world, const TnSolverDef *solver, int max_iterations, double *reached);

#endif
