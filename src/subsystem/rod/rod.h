/* rod.h: the elastic joint between two neighbouring segments of a rod. Internal to subsystem/.
 *
 * Segment a at x_a, R_a and segment b at x_b, R_b (centres, or the ends of the springs next to
 * clamped ends: model/compile/compile_rod.c); d = x_b - x_a, R the frame half way between the two
 * and θ the rotation vector of R_aᵀ R_b, which has the same components in the axes of a, of b and
 * of R, so nothing prefers one end. Energy U = ½ Σ k_r g_r² of seven strains: 0, 1   shear (Rᵀ d -
 * rest)_x,y 2      compression   (Rᵀ d - rest)_z where negative 3..5   bend, twist   θ - rest, up
 * to |θ| = 1; beyond that |θ| counts more, without bound towards π (strain.c): neighbours cannot
 * fold over, where R would flip 6      stretch       |d| - |rest| where positive, with the
 * stiffness of row 2 For small strain rows 2 and 6 are one spring on (Rᵀ d)_z. Tension acts along d
 * and not along the frame: else it would soften shear by as much, and a rod pulled to half again
 * its length would fold into a zigzag. */
#ifndef TN_DYNAMICS_ROD_ROD_H
#define TN_DYNAMICS_ROD_ROD_H

#include "../../model/thresholds.h"
#include "../dynamics.h"

/* rad: half an angle up to which a joint is linear (η₀ in strain.c): strains are the rotation
 * vector up to twice this. */
#define TN_ROD_FAITHFUL 0.5

enum { TN_ROD_ROWS = 8 }; /* seven, and one that is always zero: pairs are what processors like */

/* A joint at one place of its segments; vectors in world axes.
 *     rate of g[0..2]:  Rᵀ (v_b - v_a + d × ω),   ω = ½(ω_a + ω_b) - half × (ω_b - ω_a)
 *     rate of g[3..5]:  Rᵀ T (ω_b - ω_a),         T = across · 1 + along · axis axisᵀ
 *     rate of g[6]:     pull · (v_b - v_a)
 * ω is the turning of R. */
typedef struct TnRodStrain {
    double g[TN_ROD_ROWS];
    double axes[3][3]; /* of R */
    double d[3];
    double inverse;       /* 1/|d| where stretched, else zero */
    double pull[3];       /* d times that */
    bool pushes;          /* row 2 counts */
    double axis[3];       /* sin(|θ|/2) times the axis of θ */
    double half[3];       /* ½ tan(|θ|/4) times the axis of θ */
    double across, along; /* (|θ|/2) / sin(|θ|/2), and what is left to 1 along the axis, |θ| < 1 */
} TnRodStrain;

/* From a segment's centre to where its joint's spring ends, `along` its z; zero but in clamped
 * ends. With that arm: the end's place, the twist there, and a wrench there brought back to the
 * centre. */
void tn_rod_arm(const double quat[4], double along, double arm[3]);
void tn_rod_twist_at(const double arm[3], const double twist[6], double out[6]);
void tn_rod_wrench_from(const double arm[3], double wrench[6]);

/* All but g, inverse, pull and pushes. kink: TnRodJoint's. */
void tn_rod_strain_place(const double x_a[3], const double quat_a[4], const double x_b[3],
                         const double quat_b[4], double kink, TnRodStrain *out);
/* The others, for a rest of that length. */
void tn_rod_strain_measure(const TnRodJoint *joint, double length, TnRodStrain *strain);
/* inverse, pull and pushes where another place decides whether the joint pulls or pushes. */
void tn_rod_strain_follow(const TnRodStrain *other, TnRodStrain *strain);
/* J (twist_a, twist_b) */
void tn_rod_strain_rate(const TnRodStrain *strain, const double twist_a[6], const double twist_b[6],
                        double rate[TN_ROD_ROWS]);
/* Adds -Jᵀ force to the two wrenches: what the joint does to its ends. */
void tn_rod_strain_pull(const TnRodStrain *strain, const double force[TN_ROD_ROWS],
                        double wrench_a[6], double wrench_b[6]);
/* Jᵀ diag(root²) J and `taut` (1 - pull pullᵀ) on v_b - v_a, added to the blocks (a, a) and (b, b)
 * of a matrix and written to (b, a), each 6 × 6. */
void tn_rod_strain_stiffness(const TnRodStrain *strain, const double root[TN_ROD_ROWS], double taut,
                             double *restrict D_a, double *restrict D_b, double *restrict E);

/* What a step resolves as a share of the way to what it does not. */
#define TN_ROD_LATE_FROM (TN_RESOLVED / (TN_UNRESOLVED - TN_RESOLVED))

/* A joint's rows over one step: force k (g + J (p v̂ - r v)), p and r in seconds. */
typedef struct TnRodLaw {
    double k[TN_ROD_ROWS], root[TN_ROD_ROWS] /* √(k p) */, kr[TN_ROD_ROWS]; /* k r */
    double length;                                                          /* of the rest */
    double lead;       /* seconds with which the stiffness of a tension counts where resolved */
    double unresolved; /* late per N/m of it */
} TnRodLaw;
/* Of one joint, between *a and the link behind it, whose bend strain grows `steep` times as fast as
 * its angle; and of all, for 1. */
void tn_rod_weigh_joint(const TnDynamicsInput *in, const TnRod *rod, const TnLink *a, double w,
                        const TnRodJoint *joint, double steep, TnRodLaw *law);
void tn_rod_weigh(const TnDynamicsInput *in, const TnRod *rod, const TnLink *links, double w,
                  TnRodLaw *laws);
/* N s/m of v̂ - v across the rod, for the geometric stiffness T/|d| of a tension T. */
double tn_rod_taut(const TnRodLaw *law, double stiffness);

/* One segment, as tn_rigid_assemble and tn_rigid_advance. */
void tn_rod_segment_assemble(const TnDynamicsInput *in, int link, const TnLinkFrame *frame,
                             TnRigidSystem *out);
void tn_rod_segment_advance(const TnDynamicsInput *in, int link, const TnLinkFrame *frame,
                            const TnRigidSystem *system, const double vhat[6], double w,
                            double reach, double *qpos, double *qvel);

/* Replaces the equations of held segments by their velocity; links and frames of the rod's
 * segments. */
void tn_rod_hold(const TnDynamicsInput *in, const TnLink *links, const TnLinkFrame *frames,
                 TnRodSystem *system);

#endif
