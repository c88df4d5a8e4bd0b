/* joint_forces.h: springs, dampers and actuators of a tree as forces that are linear in v̂. Internal
 * to articulated/.
 *
 * Each acts on single dofs, so that a force τ = τ0 - k v̂ with k >= 0 puts k on the diagonal of A
 * and τ0 into b.
 *
 *   spring     -K(q - ref + θt v̂): at the midpoint, keeps energy at θ = ½.
 *   damping    -D((1-θ_d) v + θ_d v⁺), θ_d = max(θ, 1 - 1/x), x = D t (M⁻¹)_dd: second order while
 * x is small, and never past rest. servo      position gain at q + t((1-s) v̂ + s v⁺), s = max(0,
 * 1/8 - 2/z), z = K t² (M⁻¹)_dd; velocity gain as damping. The end of the step damps; s > 0 keeps
 * the double root -1/3 that z = 16 has for all larger z (s = 0 tends to -1, velocities that
 * alternate for ever). gains that push away from rest are taken explicitly, at the pass's own
 * prediction. */
#ifndef TN_DYNAMICS_JOINT_FORCES_H
#define TN_DYNAMICS_JOINT_FORCES_H

#include "tree.h"

/* One actuator as a joint force clamp(force - slope · v̂, low, high). */
typedef struct TnServo {
    int actuator, dof; /* dof in the subsystem */
    double force, slope;
    double low, high; /* ∓INFINITY where not limited */
    int held;         /* -1, 1: to be held at its low or high limit */
    int applied;      /* what `held` was when A and b were made */
} TnServo;

typedef struct TnJointForces {
    const TnDynamicsInput *in;
    const TnTree *tree;
    double *theta_damping; /* n: θ_d */
    double *servo_lead;    /* n: s */
    TnServo *servos;
    int servo_count;
} TnJointForces;

/* False: no memory. */
bool tn_joint_forces_init(TnJointForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                          TnArena *scratch);
/* θ_d and s from the factor of M; y: n numbers of scratch. */
void tn_joint_forces_weigh(TnJointForces *forces, const double *M_factor, double *y);
/* Adds springs and dampers to A's diagonal and b, at the point q_eval = q ⊕ h v_eval of the pass.
 */
void tn_joint_forces_passive(const TnJointForces *forces, const double *q_eval,
                             const double *v_eval, double h, double *A, double *b);
/* Linearizes the actuators at the pass's prediction. */
void tn_joint_forces_servos(TnJointForces *forces, const double *v_eval, double h);
/* Adds the actuators to A's diagonal and b as they are held now. */
void tn_joint_forces_apply_servos(TnJointForces *forces, double *A, double *b);
/* Holds those at a limit whose force at v̂ is beyond it. True: something changed, A and b no longer
 * fit. */
bool tn_joint_forces_hold(TnJointForces *forces, const double *vhat);
/* Replaces the slope of limited actuators by the secant between v and v_free: without contact
 * nothing changes, and where a contact stops the joint the actuator pushes with its limit and not
 * more. A v_free = b stays true. */
void tn_joint_forces_secant(const TnJointForces *forces, const double *v_free, double *A,
                            double *b);

#endif
