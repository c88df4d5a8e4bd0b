/* rod.h: the elastic joint between two neighbouring segments of a rod. Internal to dynamics/.
 *
 * Segment a at x_a, R_a and segment b at x_b, R_b; d = x_b - x_a, θ the rotation vector of R_aᵀ R_b,
 * R = R_a exp(θ/2) the frame half way between the two. Strain and energy:
 *     g = (Rᵀ d, θ) - rest,   U = ½ Σ k_r g_r².
 * θ has the same components in the axes of a, of b and of R, so nothing prefers one end. */
#ifndef TN_DYNAMICS_ROD_ROD_H
#define TN_DYNAMICS_ROD_ROD_H

#include "../dynamics.h"

/* A joint at one place of its segments; vectors in world axes.
 *     rate of g[0..2]:  Rᵀ (v_b - v_a + d × ω),   ω = ½(ω_a + ω_b) - half × (ω_b - ω_a)
 *     rate of g[3..5]:  Rᵀ T (ω_b - ω_a),         T = across · 1 + along · axis axisᵀ
 * ω is the turning of R. */
typedef struct TnRodStrain {
    double g[6];
    double R[9];
    double d[3];
    double axis[3];       /* sin(|θ|/2) times the axis of θ */
    double half[3];       /* ½ tan(|θ|/4) times the axis of θ */
    double across, along; /* (|θ|/2) / sin(|θ|/2), and what is left to 1 along the axis */
} TnRodStrain;

void tn_rod_strain(const TnRodJoint *joint, const double x_a[3], const double quat_a[4],
                   const double x_b[3], const double quat_b[4], TnRodStrain *out);
/* J (twist_a, twist_b) */
void tn_rod_strain_rate(const TnRodStrain *strain, const double twist_a[6], const double twist_b[6],
                        double rate[6]);
/* Adds -Jᵀ force to the two wrenches: what the joint does to its ends. */
void tn_rod_strain_pull(const TnRodStrain *strain, const double force[6], double wrench_a[6],
                        double wrench_b[6]);
/* Replaces the equations of held segments by their velocity; links and frames of the rod's segments. */
void tn_rod_hold(const TnDynamicsInput *in, const TnLink *links, const TnLinkFrame *frames,
                 TnRodSystem *system);
/* Jᵀ diag(k) J, added to the blocks (a, a) and (b, b) of a matrix and written to (b, a), each 6 × 6. */
void tn_rod_strain_stiffness(const TnRodStrain *strain, const double k[6], double *restrict D_a,
                             double *restrict D_b, double *restrict E);

#endif
