/* dynamics.h: each subsystem's smooth dynamics over one step as a linear system in the step's
 * velocity v̂,
 *     A v̂ = b + Jᵀλ,   v̂ = (1-θ) v + θ v⁺,   q⁺ = q ⊕ t v̂.
 *
 * Rigid subsystems use the twist at the centre of mass in world axes, (linear, angular); trees use
 * the coordinates of qvel. Forces, inertia and Coriolis terms are taken at the midpoint q ⊕ θt v̂.
 *
 * Arrays named qpos, qvel, frames and wrench are whole-model arrays; S, M, A, b, bias, J, v_free
 * and vhat belong to the subsystem and count from its dof_start. */
#ifndef TN_DYNAMICS_DYNAMICS_H
#define TN_DYNAMICS_DYNAMICS_H

#include "../base/arena.h"
#include "../math/chain.h"
#include "../model/joint_motion.h"

typedef struct TnSystems TnSystems; /* systems.h */

typedef struct TnDynamicsInput {
    const TnModel *model;
    double t, theta;
    int passes;    /* of trees in free motion, at most */
    bool settles;  /* they go on until they agree to rounding: for derivatives */
    bool measured; /* steps are as short as an accuracy asks for: fast trees need no shorter ones,
                      which would hide how far a step is off */
    const double *qpos, *qvel;
    const double *inputs; /* per actuator (tn_actuator_inputs); NULL: zero */
    const double *last;   /* per dof: v̂ of the last step, where the passes begin. NULL: unknown */
    const double *expected; /* per dof: the v̂ that constraints are expected to leave: trees are
                               linear about it. NULL: about their free motion */
    const double *blend; /* per subsystem: the share w of v⁺ in the displacement t((1-w) v̂ + w v⁺)
                            that the step is planned with. NULL: 0 */
    const double *pressed; /* per subsystem: not 0 where contacts pressed it in the last step, so
                              that `last` tells how it will turn. NULL: none is */
    const double (*wrench)[6]; /* per link: force at the com, torque; world axes. NULL: none */
    const int32_t *asleep;     /* per subsystem: nonzero where it is left out. NULL: none is */
} TnDynamicsInput;

/* J */
typedef struct TnJointWork {
    double actuators; /* done by them */
    double damping;   /* taken away, by dampers of joints and tendons and by a medium */
} TnJointWork;

/* I⁻¹ x in world axes, of a link turned to quat. */
void tn_rigid_divide_by_inertia(const TnLink *link, const double quat[4], const double x[3],
                                double out[3]);
/* A displacement t((1-w) v̂ + w v⁺) = p v̂ - r v, in seconds. */
typedef struct TnReach {
    double p, r;
} TnReach;
static inline TnReach tn_reach(const TnDynamicsInput *in, double w)
{
    return (TnReach){in->t * (1.0 - w + w / in->theta), in->t * w * (1.0 - in->theta) / in->theta};
}

static inline void tn_rigid_way(const TnDynamicsInput *in, const double v[6], const double vhat[6],
                                double w, double share, double way[6])
{
    TnReach reach = tn_reach(in, w);
    for (int k = 0; k < 6; k++) way[k] = share * (reach.p * vhat[k] - reach.r * v[k]);
}

static inline bool tn_left_out(const TnDynamicsInput *in, int subsystem)
{
    return in->asleep && in->asleep[subsystem];
}

/* ---- kinematics.c ---- */
/* Frames of links [link_start, link_start + link_count); parents outside the range must be done.
 * frames[0], the world, is written by the range that starts with it. */
void tn_kinematics(const TnModel *model, const double *qpos, int link_start, int link_count,
                   TnLinkFrame *frames);
/* Twist of each link of the range (linear at its com, angular; world axes) from qvel; twists[0] = 0
 * as above. */
void tn_kinematics_twists(const TnModel *model, const double *qpos, const double *qvel,
                          const TnLinkFrame *frames, int link_start, int link_count,
                          double (*twists)[6]);
/* Where the joints of links with several of them act, by the model's joints; and twists from these.
 * Frames tell that of a single joint. places NULL: found from qpos, as above. */
void tn_kinematics_places(const TnModel *model, const double *qpos, const TnLinkFrame *frames,
                          int link_start, int link_count, TnJointPlace *places);
void tn_kinematics_twists_at(const TnModel *model, const double *qpos, const double *qvel,
                             const TnLinkFrame *frames, const TnJointPlace *places, int link_start,
                             int link_count, double (*twists)[6]);
/* Frames and twists at once. */
void tn_kinematics_all(const TnModel *model, const double *qpos, const double *qvel, int link_start,
                       int link_count, TnLinkFrame *frames, double (*twists)[6]);
/* The frame of a mocap body from its pose; and moved on by a constant twist. Its centre of mass is
 * its origin. */
void tn_mocap_frame(const double pose[7], TnLinkFrame *frame);
void tn_mocap_carry(const TnLinkFrame *from, const double twist[6], double time, TnLinkFrame *to);
void tn_body_pose(const TnModel *model, const TnLinkFrame *frames, int body, double pos[3],
                  double quat[4]);

/* ---- rigid/rigid.c: one free body: a rigid subsystem, or a segment of a rod ---- */
typedef struct TnRigidSystem {
    double mass_rate;       /* m / (θ t): the linear part of A is this times I */
    double inertia_rate[9]; /* angular part of A: world inertia / (θ t) */
    double v[6];            /* twist at the step's start: linear at com, angular; world axes */
    double v_free[6];       /* v̂ without constraints; b = A v_free */
} TnRigidSystem;
void tn_rigid_assemble(const TnDynamicsInput *in, int link, const TnLinkFrame *frame,
                       TnRigidSystem *out);
/* Advances qpos and qvel (whole-model arrays, only this link's entries are written) from v̂.
 * way: its displacement, m and rad in world axes, t((1-w) v̂ + w v⁺) where nothing is in the way: w
 * = 0 is the θ rule, w = 1 moves with the end velocity (bodies that were hit in this step). Angular
 * momentum is balanced exactly: L⁺ = L + tτ + contact impulses. */
void tn_rigid_advance(const TnDynamicsInput *in, int link, const TnLinkFrame *frame,
                      const TnRigidSystem *system, const double vhat[6], const double way[6],
                      double *qpos, double *qvel);

/* ---- articulated/: trees of any shape ---- */
/* Motion axes: S[d] = (linear velocity at the point `origin`, angular velocity), world axes, per
 * unit of dof d (index from the subsystem's dof_start). qpos is read only for links with several
 * joints, whose inner axes the frames do not tell. */
void tn_tree_axes(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                  const TnLinkFrame *frames, const double origin[3], double (*S)[6]);
/* n × n, row-major, symmetric, armature included: composite rigid bodies. */
void tn_tree_mass_matrix(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                         const double origin[3], const double (*S)[6], TnArena *scratch, double *M);
/* Recursive Newton–Euler at zero acceleration: c(q, v) with gravity, n numbers. */
void tn_tree_bias(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], const double *qvel,
                  TnArena *scratch, double *bias);
/* 6 × n, row-major: rows linear at `point`, angular; world axes. `point` moves with `link`. */
void tn_tree_jacobian(const TnModel *model, const TnSubsystem *sub, const double origin[3],
                      const double (*S)[6], int link, const double point[3], double *J);
/* A tree over one step. */
typedef struct TnTreeSystem {
    double *A, *b, *v_free; /* n × n, n, n: A v_free = b */
    double w; /* share of v⁺ in its displacement that its forces are written for, no less than was
                 planned, */
    double damped;    /* and what its dampers ask for */
    bool foretold;    /* there was one pass, about what constraints are expected to leave */
    bool bounded;     /* they did not converge */
    double *free_end; /* of a tree too fast for the step: where its free motion ends, in its own
                         entries of qpos. NULL: q ⊕ t v_free */
    /* what its joints do, for the account of energy (work.c) */
    double *theta_damping; /* per dof, then per tendon of the model: damping acts at (1-θ_d) v + θ_d
                              v⁺ */
    double *damping;       /* per dof: of the joint's damper */
    double *servo_force; /* per actuator of the tree: it does force - slope · rate of v̂ along its
                            coordinate, */
    double *servo_slope; /* gear included */
    double *drag_slope; /* n × n: a medium's forces are drag_force - drag_slope · v̂. NULL: none */
    double *drag_force;
    TnJointWork free_work; /* of a tree too fast for the step: along its free motion */
    /* where A and b are taken, the middle of the step; by the subsystem's dofs and links. NULL:
     * unused */
    double origin[3], (*S)[6]; /* motion axes about the origin */
    double (*com)[3];
    double (*bias)[6]; /* of a link: how its velocity field, as it is about the world's origin
                          `origin`, changes at constant joint rates: linear there, angular */
} TnTreeSystem;
/* Memory for a tree. False: there is none. */
bool tn_tree_reserve(const TnModel *model, const TnSubsystem *sub, TnArena *arena,
                     TnTreeSystem *out);
/* And for the middle of the step. */
bool tn_tree_reserve_middle(const TnSubsystem *sub, TnArena *arena, TnTreeSystem *out);
/* False: A not positive definite or not finite. */
bool tn_tree_assemble(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                      TnArena *scratch, TnTreeSystem *out);
/* A factor of a tree's A, with its sparsity, to ask for cᵀ A⁻¹ c, c by the tree's dofs. */
typedef struct TnTreeFactor {
    const TnModel *model;
    const TnSubsystem *sub;
    double *L, *y; /* n × n; n numbers of scratch */
    int *run;
    bool regular; /* A is positive definite */
} TnTreeFactor;
/* False: no memory. */
bool tn_tree_factor_of(const TnModel *model, const TnSubsystem *sub, const double *A,
                       TnArena *arena, TnTreeFactor *out);
double tn_tree_factor_compliance(const TnTreeFactor *factor, const double *c);
void tn_tree_advance(const TnDynamicsInput *in, const TnSubsystem *sub, const TnTreeSystem *system,
                     const double *vhat, double w, double reach, double *qpos, double *qvel);
/* What actuators and dampers of a tree did over the step that was solved for v̂, and moved it by
 * `reach` of its way. */
TnJointWork tn_tree_work(const TnDynamicsInput *in, const TnSubsystem *sub,
                         const TnTreeSystem *system, const double *vhat, double w, double reach);

/* ---- rod/: chains of free segments with elastic joints between neighbours ---- */
/* The spring of a cut joint over one step: wrenches on its two segments, one after the other, of
 * -(f + K z), z = (v̂_a, v̂_b). K is symmetric and positive semidefinite. */
typedef struct TnRodBond {
    double K[144], f[12];
} TnRodBond;
/* Unknowns: the segments' twists one after the other. A is block-tridiagonal. */
typedef struct TnRodSystem {
    int count;
    bool loose; /* segments that the world holds keep their equations: for what holds them */
    int cut_count;
    const int *cuts;         /* joints that are bonds instead of parts of A, ascending */
    const double *expected;  /* 6·count: v̂ as far as it is known, NULL: the start's v */
    TnRigidSystem *segments; /* each alone: inertia rates, v, v_free without the joints */
    double *D;               /* count × 36, row-major: diagonal blocks of A */
    double *E;               /* (count-1) × 36: block (k+1, k); zero for a cut joint */
    double *b;               /* 6·count */
    TnRodBond *bonds;        /* of the cuts */
    double *v_free;          /* 6·count, for the solver: v̂ without constraints, bonds included */
    /* of a rod with cuts: all its segments as one chain, and the factor of A with the bonds put
     * back */
    const TnChain *whole;
    double *whole_D, *whole_E;
    double w;   /* share of v⁺ in the displacement */
    bool alone; /* nothing pushes or holds it: in free flight */
} TnRodSystem;
/* Fills `out`, which is zero but for the cuts and `whole` before the first call, from the arena;
 * not v_free. The springs depend on how the rod will move, t((1-w) v̂ + w v⁺): w = 0 free, w = 1
 * where it may be pushed. A rod that moves too fast for the step takes more than it is given
 * (out->w). The equations of a segment that the world holds say its velocity. False: no memory. */
bool tn_rod_assemble(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                     double w, TnArena *arena, TnRodSystem *out);
/* How far v̂ leads a joint's ends from where the assembly expected them, against each other and in
 * lengths of a segment: the largest. */
double tn_rod_surprise(const TnDynamicsInput *in, const TnSubsystem *sub, const TnRodSystem *system,
                       const double *vhat);
/* Of a rod with cuts: A with the bonds put back, factored. False: no memory, or not positive
 * definite. */
bool tn_rod_join(TnRodSystem *system, TnArena *arena);
/* v̂ of the whole rod under wrenches on its segments (6·count; NULL: none), once joined. */
void tn_rod_solve_whole(const TnRodSystem *system, const double *wrenches, double *v);
/* As tn_rigid_advance, for all segments. In free flight the rod's linear and angular momentum stay
 * as they are. */
void tn_rod_advance(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                    const TnRodSystem *system, const double *vhat, double reach, double *qpos,
                    double *qvel);
double tn_rod_energy(const TnModel *model, const TnSubsystem *sub,
                     const TnLinkFrame *frames); /* elastic, J */

/* q ⊕ h·v for one subsystem, in qpos/qvel coordinates: hinge and slide add, ball and free rotate by
 * the Cayley map. */
void tn_integrate_qpos(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                       const double *qvel, double h, double *out);

/* ---- predict.c ---- */
/* v̂ of this step from v and the last v̂. Smooth motion goes on changing as it did; after a large
 * change (a hit, or a state set by hand) v itself is the better guess. Returns
 * whether it was smooth. */
bool tn_predict_velocity(int n, const double *v, const double *last, double *out);

/* ---- lift.c ---- */
/* Forces of gravity compensation on the dofs of a tree, n numbers; S as for tn_tree_mass_matrix. */
void tn_tree_lift(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], double *lift);

/* A state and what actuators act by; frames and twists are those of the links. */
typedef struct TnDriven {
    const double *qpos, *qvel, *inputs; /* inputs (tn_actuator_inputs) may be NULL */
    const TnLinkFrame *frames;
    const double (*twists)[6];
} TnDriven;

/* ---- passive.c ---- */
/* Adds those of all joints and tendons, dof_count numbers. */
void tn_springs_and_dampers(const TnModel *model, const TnDriven *at, double *force);

/* ---- drag.c ---- */
/* Adds the forces of a medium on the dofs of a tree at a velocity v (the subsystem's), S as for
 * tn_tree_mass_matrix. False: no memory. */
bool tn_tree_drag(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], const double *v, TnArena *scratch,
                  double *force);

/* ---- affine.c ---- */
/* constant + by_length · length + by_velocity · velocity, before any limit; gear not included.
 * Exact, but of muscles linear about the length and velocity given. */
typedef struct TnAffineForce {
    double constant, by_length, by_velocity;
} TnAffineForce;
TnAffineForce tn_actuator_affine(const TnActuator *a, double input, double length, double velocity);

/* ---- actuation.c ---- */
/* Gear included. */
double tn_actuator_length(const TnModel *model, int actuator, const TnDriven *at);
double tn_actuator_velocity(const TnModel *model, int actuator, const TnDriven *at);
/* Scalar force of actuator a before gear, clamped to its force range. */
double tn_actuator_force(const TnModel *model, int actuator, const TnDriven *at);
/* Of all actuators on the dof of a hinge or slide, gear included, within the joint's range; `lift`
 * is what gravity compensation adds, where the joint counts it. */
double tn_actuator_force_on(const TnModel *model, int dof, const TnDriven *at, double lift);

/* ---- muscle.c ---- */
/* Force per unit of activation and its derivatives by length and velocity; and without any. */
void tn_muscle_active(const TnMuscles *muscles, double length, double velocity, double out[3]);
void tn_muscle_passive(const TnMuscles *muscles, double length, double out[2]);

/* ---- activation.c ---- */
/* What drives actuators over a step of t from a time. ctrl, act: NULL: zero. */
typedef struct TnDrive {
    double time, t;
    const double *ctrl, *act, *qpos;
    const TnLinkFrame *frames;
} TnDrive;
/* What an actuator acts by: its control within its range, its activation, or the force of a
 * controller. next: its activations at the end of the step, where it has any. */
double tn_actuator_input(const TnModel *model, int actuator, const TnDrive *drive, double next[2]);
/* Those of all; act may be NULL. */
void tn_actuator_inputs(const TnModel *model, const TnDrive *drive, double *inputs, double *act);

#endif
