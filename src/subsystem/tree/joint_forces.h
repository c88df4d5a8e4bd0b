/* joint_forces.h: springs, dampers and actuators of a tree as forces that are linear in v̂. Internal
 * to articulated/.
 *
 * Each acts along a coordinate x = cᵀq: one dof, or the length of a tendon. A force F0 - k ẋ with
 * k >= 0 puts k c cᵀ into A (for one dof: k on the diagonal) and c F0 into b.
 *
 * The tree will move by t u, u = (1-w) v̂ + w v⁺, w = TnDynamicsInput.blend, or 1 - 2/y where that
 * is more, y of damping as below: what it stops within the step does not go half of the way that v
 * leads. With z = K t² cᵀM⁻¹c:
 *
 *   spring   -K(x - ref) at x + β t u̇, u̇ = cᵀu. w = 0: β = θ, which keeps energy at θ = ½. w = 1: β
 * grows from ½ (z <= 4) to 1 (z >= 16). Linear springs then lose (w/2) |v⁺ - v|²_M + Σ (β-½) K (t
 * u̇)² in a step, so no stiffness can make energy. damping  -D((1-θ_d) ẋ + θ_d ẋ⁺), θ_d = max(θ, 1 -
 * 1/y), y = D t cᵀM⁻¹c: second order while y is small, and never past rest. servo    position gain
 * at x + t((1-s) u̇ + s ẋ⁺), s = max(0, 1/8 - 2/z); velocity gain as damping. The end of the step
 * damps; s > 0 keeps the double root -1/3 that z = 16 has for all larger z (s = 0 tends to -1,
 * velocities that alternate for ever). Gains that push away from rest are taken explicitly, at the
 * pass's own prediction.
 *
 * Where a joint's spring is a polynomial, its force is a mean over the step's way; D of a
 * polynomial damper is that at the pass's prediction, so a damper it is, whatever v̂ will be. */
#ifndef TN_DYNAMICS_JOINT_FORCES_H
#define TN_DYNAMICS_JOINT_FORCES_H

#include "tree.h"

/* One actuator as a force clamp(force - slope · cᵀv̂, low, high) along its coordinate. */
typedef struct TnServo {
    const TnActuator *actuator;
    TnAffineForce law; /* of a muscle: linear about the step's start */
    int line;          /* its place in the lists of TnJointForces */
    double force, slope;
    double low, high; /* ∓INFINITY where not limited */
    int held;         /* -1, 1: to be held at its low or high limit */
    int applied;      /* what `held` was when A and b were made */
    /* The first of those along the same line whose sum is bounded, itself where it is alone; that
     * one has the bounds of the sum and whether that is held. */
    int leader;
    double total_low, total_high;
    int total_held, total_applied;
    bool total_settled; /* it stands for all of them (tn_joint_forces_secant) */
} TnServo;

/* Of a medium (drag.c): force + idle - slope · v̂ on the dofs. */
typedef struct TnDragForces {
    double *slope;            /* n × n; NULL: there is no medium */
    double *force, *idle;     /* n; what does no work is `idle` */
    double (*shares)[6];      /* per shape: θ_d over θ of each direction */
    struct TnLinkDrag *links; /* scratch */
    double damped;            /* as TnJointForces.damped */
} TnDragForces;
/* False: no memory. */
bool tn_drag_forces_init(TnDragForces *forces, const TnTree *tree, TnArena *arena);
/* Linearizes about a pass's prediction, at the tree's frames and axes; first: of the step. */
void tn_drag_forces_find(TnDragForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                         const double *v_eval, bool first);
void tn_drag_forces_add(const TnDragForces *forces, int n, double *A, double *b);
void tn_drag_forces_record(const TnDragForces *forces, const TnTree *tree, TnTreeSystem *out);

typedef struct TnJointForces {
    const TnDynamicsInput *in;
    const TnTree *tree;
    double w, damped; /* the latter: what damping alone asks for */
    TnReach reach;
    /* θ_d, s and β of all lines that forces act along: the n dofs, then the model's tendons */
    double *theta_damping;
    double *servo_lead;
    double *spring_share;
    double *stopping; /* their damping that no limit of force bounds */
    double *damping;  /* per dof: of the joint's own damper, as A has it */
    TnServo *servos;
    int servo_count;
    int *first_servo, *servos_along; /* per line: the first of its servos, and how many */
    double *lift; /* of gravity compensation, per dof; NULL: the model has none */
    TnDragForces drag;
} TnJointForces;

/* False: no memory. */
bool tn_joint_forces_init(TnJointForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                          TnArena *scratch);
/* Adds up what acts along each line. False: so little that θ_d, s and β do not depend on M. */
bool tn_joint_forces_sum(TnJointForces *forces);
/* θ_d, s and β from the sums and the factor of M, NULL where that is not needed; y: n numbers of
 * scratch. */
void tn_joint_forces_weigh(TnJointForces *forces, const double *M_factor, double *y);
/* Adds springs, dampers and gravity compensation to A and b, at the point q_eval = q ⊕ h v_eval of
 * the pass.
 */
void tn_joint_forces_passive(const TnJointForces *forces, const double *q_eval,
                             const double *v_eval, double h, double *A, double *b);
/* Finds gravity compensation at frames and axes of the pass; bounds of actuators that share theirs
 * with it move along. */
void tn_joint_forces_lift(TnJointForces *forces, const TnLinkFrame *frames, const double (*S)[6]);
/* Linearizes the actuators at the pass's prediction. */
void tn_joint_forces_servos(TnJointForces *forces, const double *v_eval, double h);
/* Adds the actuators to A and b as they are held now. */
void tn_joint_forces_apply_servos(TnJointForces *forces, double *A, double *b);
/* Holds those at a limit whose force at v̂ is beyond it. True: something changed, A and b no longer
 * fit. */
bool tn_joint_forces_hold(TnJointForces *forces, const double *vhat);
/* All are linear in q and v, and so the same wherever a pass is taken. */
bool tn_joint_forces_are_linear(const TnJointForces *forces);
/* Replaces the slope of limited actuators by the secant between v and v_free: without contact
 * nothing changes, and where a contact stops the joint the actuator pushes with its limit and not
 * more. A v_free = b stays true. */
void tn_joint_forces_secant(TnJointForces *forces, const double *v_free, double *A, double *b);
/* What A and b have in the end. */
void tn_joint_forces_record(const TnJointForces *forces, TnTreeSystem *out);

#endif
