/* tenon/world.h: a simulation of a model: state, stepping, reports. */
#ifndef TENON_WORLD_H
#define TENON_WORLD_H

#include <tenon/collide.h>
#include <tenon/model_info.h>
#include <tenon/ranks.h>
#include <tenon/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Wrong arguments. No world (NULL), or an id or index that does not exist, never crashes, in any
 * build. A function that returns a struct, a number or a bool returns zeros (false, -1 where the
 * comment says so); its outputs are zeros. One that returns TnStatus returns TN_ERROR_USAGE. A
 * setter that returns nothing does nothing. Outputs that are not wanted may be NULL. Arrays must
 * have the sizes that the comments state. An object that was destroyed must not be used; builds
 * with assertions notice it. */

typedef struct TnWorld TnWorld;

/* Sleeping: islands (bodies connected by contacts and constraints) at rest can be left out of steps
 * until something touches them, their controls change or a call changes them (docs/sleeping.md). */
typedef enum TnSleep {
    TN_SLEEP_OFF,
    TN_SLEEP_PASSIVE, /* islands without actuators */
    TN_SLEEP_ALL      /* also robots under control, as long as their controls stay the same */
} TnSleep;

/* Where steps run. The state is the same: a question fetches it. On a device contacts that
 * last are of first order; docs/gpu.md has this and other differences. */
typedef enum TnDevice {
    TN_DEVICE_CPU,
    TN_DEVICE_CUDA,  /* the iteration in single precision, all else in double */
    TN_DEVICE_CUDA64 /* all in double */
} TnDevice;

typedef struct TnDeviceInfo {
    char name[128];
    size_t memory; /* bytes; of the CPU 0 */
} TnDeviceInfo;

/* False: it cannot be used, *err says why. */
TN_API bool tn_device_info(TnDevice device, TnDeviceInfo *info, TnError *err);

typedef struct TnWorldDef {
    int thread_count;       /* 1 … 64, default 1; small scenes always use one thread */
    TnDivisionDef division; /* TN_DIVISION_AUTO (default): as the model says */
    TnSolverDef solver;     /* see tenon/solver.h; velocity_scale and thread_count are ignored */
    /* Passes of a step. 0 (default): automatic; a step is linearized and solved again if its result
     * is far from the prediction (loops, contacts that turn, soft bodies). 1 … 100: fixed number,
     * except for soft bodies, spin and rolling friction. See docs/time-stepping.md. */
    union {
        int passes;
        int relinearize TN_DEPRECATED("now passes"); /* goes with the next version */
    };
    /* A step is taken in so many parts of equal length (docs/time-stepping.md#sub-steps). 0
     * (default): as the model says; 1: none; at most 100. */
    int substeps;
    /* A step that fails its checks (depth, energy: docs/time-stepping.md#halves) is taken again
     * in two halves, and these likewise, so many times at most. Default 4; 0: never; at most
     * 16. */
    int halvings;
    /* m/s: the error of a step in time, per time, that is asked for; a step is taken in as many
     * parts as that takes (docs/time-stepping.md#accuracy-in-time). 0 (default): as the model
     * says; infinite: none. Not on devices, and not by several processes. */
    double accuracy;
    /* Fill aac and aal of each step's report; default false. Costs about 10 % of a step, with soft
     * bodies up to half a step; TnStepTimes do not contain it. */
    bool measure_accuracy;
    TnSleep sleep;      /* default TN_SLEEP_OFF */
    double sleep_speed; /* m/s: an island is at rest if no point is faster; default 1e-4 */
    double sleep_time;  /* s: time at rest before it sleeps; default 0.5 */
    TnKeyId key;        /* initial keyframe; 0: the reference pose */
    TnDevice device;    /* default TN_DEVICE_CPU */
    TnLogFn log;        /* may be NULL; reports rejected steps and an arena that was too small */
    void *log_user;
    /* The world is stepped in parts: each process has its own bodies and those near them, and all
     * else of a step is local, too (docs/scaling.md). For many free bodies; the state has other
     * bits than without, the same for any number of processes. Whatever asks for the state is
     * collective then. Only rank 0 needs the model, and what is set there counts (forces, controls,
     * states, mocap bodies); ranks that came without a model have no free bodies. Default false.
     */
    bool spread;
    const TnRanks *ranks; /* processes that step this world together (docs/scaling.md); borrowed.
                             NULL (default): this one alone */
} TnWorldDef;

/* Seconds spent in the phases of one step. */
typedef struct TnStepTimes {
    double dynamics, collision, constraint, factor, iterate, integrate, total;
} TnStepTimes;

/* J. The total energy is kinetic plus potential. */
typedef struct TnEnergy {
    double kinetic;   /* including rotor inertia (armature) */
    double potential; /* gravity plus elastic */
    double
        elastic; /* elastic part of potential: springs of joints and tendons, cables, soft bodies */
} TnEnergy;

/* Energy balance of a step, J: kinetic plus potential energy changes by
 *     actuators + applied + push_out - friction - damping - impacts - step - unsolved + created. */
typedef struct TnEnergyAccount {
    double actuators; /* work of actuators, including the loss by their velocity gains */
    double applied;   /* work of applied forces */
    double friction;  /* loss to friction of contacts and joints */
    double damping;   /* loss to dampers of joints and tendons */
    double impacts;   /* loss to impacts, also on limits of joints and tendons */
    double
        step; /* loss to time discretization, falling asleep, and material damping of cables and
                 soft bodies (not separated). Negative if smooth motion regains an earlier loss */
    double created;  /* spurious energy: an error of the step that nothing else here explains.
                        Negative if earlier spurious energy is removed */
    double push_out; /* work of the forces that push overlapping bodies apart and close limits and
                        equalities that are open; no more than what was gained. It lifts a box that
                        starts in the floor by its weight times the depth */
    double unsolved; /* loss to friction and damping of bodies whose forces say that these took more
                        than there was, as in a jam that was not solved. Not in the two above */
} TnEnergyAccount;

enum { TN_WORST_EARLIER = -2 }; /* see worst_island */

/* With sub-steps: the largest error, residual, depth and created_share of all of them, the smallest
 * aac and aal, sums of iterations, times, energies, corrections and heap_fallbacks, and the mean of
 * the mean depths; counts and islands are the last one's. converged: all of them were. */
typedef enum TnCheck {
    TN_CHECK_NONE,
    TN_CHECK_DEPTH,  /* something ended up deeper in something else than it was */
    TN_CHECK_ENERGY, /* motion gained energy, or lost some that nothing took */
    TN_CHECK_COUNT
} TnCheck;
TN_API const char *tn_check_name(TnCheck check); /* "none", "depth", "energy" */

/* Why phases of a step are done again: the solution leaves the range in which what was solved holds
 * (docs/time-stepping.md#passes). */
typedef enum TnPass {
    TN_PASS_SLEEPERS,    /* a sleeping body was touched: all of the step, with it */
    TN_PASS_RODS,        /* a cable in free flight ends elsewhere than it was assembled about */
    TN_PASS_ROD_SHARES,  /* a cable moves too fast for the step */
    TN_PASS_CONTACTS,    /* a contact will push what was planned to move freely */
    TN_PASS_SOFT_SHARES, /* a soft body moves too fast for the step */
    TN_PASS_PUSHED,      /* the solution pushes what was planned not to be pushed */
    TN_PASS_MISSED,      /* the solution runs into what was not listed */
    TN_PASS_SOFTS,       /* a soft body ends elsewhere than its elements were taken at */
    TN_PASS_LOOPS,       /* what equalities tie ends elsewhere than they were written about */
    TN_PASS_FIXED,       /* the user asked for a number of passes */
    TN_PASS_WENT_ON,     /* passes led a soft body on: what does it run into? */
    TN_PASS_DEPTH,       /* something that turns ends deeper in something else */
    TN_PASS_STRAIN,      /* a cable or soft body is strained beyond what its group can pay for */
    TN_PASS_LENGTH,      /* the step is too long, and is taken in halves */
    TN_PASS_COUNT
} TnPass;
TN_API const char *tn_pass_name(TnPass pass); /* "contact missed" */
TN_API const char *tn_pass_unit(TnPass pass); /* of TnPassReport.worst: "of what is let pass" */
typedef struct TnPassReport {
    int asked;    /* times that a check failed, */
    int repeated; /* and that something was done again for it; else its share was spent */
    double worst; /* by how much it failed at most */
} TnPassReport;

typedef struct TnStepReport {
    bool converged;   /* the tolerance was reached, or the fixed count has run */
    bool diverged;    /* the new state was not finite or beyond 1e10 m, m/s or rad/s. The step was
                         rejected; the last good    state is kept */
    int iterations;   /* of SubADMM or the method asked for, largest number of any island */
    const char *form; /* of pgs, assembled or an own method: the form that ran; else NULL */
    /* m/s: with a tolerance, the largest natural-map error of a constraint; with a fixed count, the
     * RMS change of the constraint velocities in the last iteration. */
    double residual;
    /* -log10 of the RMS constraint error at v̂ and at v_λ (docs/accuracy.md); NaN if not measured.
     */
    double aac, aal;
    /* m, over contacts with a negative gap at the start of the step. */
    double mean_penetration, max_penetration;
    /* Only with a tolerance; otherwise error is NaN and island_count 0. */
    double
        error; /* largest natural-map error of a constraint, as a fraction of gravity × timestep */
    double rigid_error; /* the same by the laws of rigid contacts: larger than error if contacts of
                           a large island yield (docs/solver.md) */
    /* error above 1, or a contradiction above gravity × timestep: forces do not come close to what
     * is asked for; do not trust the step */
    bool rough;
    /* m/s: largest velocity by which constraints of a small island contradict each other (redundant
     * contacts and equalities, crossed limits, loops that start open). No force mends that, so it
     * is not in `error`, nor in `converged`, which are those of the closest problem that has a
     * solution. */
    double contradiction;
    /* Its island, for tn_world_island and tn_world_worst_constraint; -1: none. TN_WORST_EARLIER: it
     * was in a sub-step before the last one; only the latter function takes this. */
    int worst_island;
    int island_count; /* islands solved in this step: awake and with constraints */
    int islands_by_method[TN_METHOD_COUNT]; /* number of islands by TnIslandReport.method */
    int asleep_count;                       /* subsystems asleep after this step */
    int contact_count;                      /* frictional contacts in the solver */
    int row_count;                          /* scalar rows of other constraints; six per bond */
    int heap_fallbacks;      /* heap allocations because an arena was too small; 0 once warm */
    size_t arena_high_water; /* bytes: largest need of any step so far */
    TnEnergyAccount energy;  /* all zero if the step was rejected */
    /* Largest relative spurious energy of any group of bodies joined by forces in the step: created
     * energy over the energy involved (kinetic and elastic before and after, work, losses, change
     * of height). Motion slower than gravity × timestep counts as noise. 0: none was created. */
    double created_share;
    TnBodyId created_body; /* the body that gained most; 0: a soft body, or none */
    TnSoftId created_soft;
    /* J: largest share of energy.step of one robot, cable, soft body or free body, and which it is,
     * by its first body. 0: none lost any. tn_world_body_loss tells what each lost so far. */
    double step_loss;
    TnBodyId step_loss_body; /* 0: a soft body, or none */
    TnSoftId step_loss_soft;
    /* What scaling of velocities changed, which removes energy that the step created
     * (docs/time-stepping.md#balances): kinetic energy that it took, J, negative: gave back; and
     * the momentum that it gave to bodies that touch something fixed, kg m/s, which forces of
     * contacts do not contain: over a step momentum changes by t (gravity + forces) +
     * corrected_momentum. */
    double corrected_energy, corrected_momentum[3];
    int parts;       /* that the step was taken in; 0: it was taken on a device */
    int tries;       /* steps that were solved for them: these, and those that were not taken */
    double shortest; /* s: the shortest of them */
    /* Where accuracy is asked for: the error of this step in time, estimated, m per s of simulated
     * time (docs/time-stepping.md#accuracy-in-time); else NaN. */
    double time_error;
    bool inaccurate;   /* time_error is more than what was asked for */
    int halved;        /* parts of the step that were too long and were taken in two halves */
    TnCheck halved_by; /* the check that the first of them failed */
    TnPassReport passes[TN_PASS_COUNT]; /* also those of parts that were taken again in halves */
    TnStepTimes times;
} TnStepReport;

/* Pointers are valid until the next step or destroy. Layout of qpos and qvel: tenon/model.h. */
typedef struct TnStateView {
    double time; /* s */
    const double *qpos;
    int qpos_count;
    const double *qvel;
    int dof_count;
    const double *ctrl;
    int ctrl_count;
    const double *act; /* activations of the actuators that have one, in their order */
    int act_count;
} TnStateView;

/* Of the last step; with sub-steps, like islands, reactions and the problem below, of the last of
 * them. */
typedef struct TnContact {
    TnGeomId geom1, geom2;
    double pos[3];    /* m, world */
    double normal[3]; /* from geom1 to geom2 */
    double gap;       /* m, negative: penetration, at the start of the last step */
    double force[3];  /* N, world axes, on geom2, mean over the last step */
} TnContact;

TN_API TnWorldDef tn_world_def(void);
/* If model is NULL, returns NULL and leaves *err unchanged, so the error of the loader is kept; but
 * see TnWorldDef.spread. */
TN_API TnWorld *tn_world_create(const TnWorldDef *def, const TnModel *model, TnError *err);
TN_API void tn_world_destroy(TnWorld *world);
/* A shadow of a world on a device is a world that shows its state, and its contacts if asked for,
 * as they were at the last copy. One thread may look at it while another steps the world itself. It
 * cannot be stepped. */
TN_API TnWorld *tn_world_create_shadow(const TnWorld *world, TnError *err);
TN_API TnStatus tn_world_copy_to_shadow(TnWorld *world, TnWorld *shadow, bool contacts,
                                        TnError *err);
TN_API TnStepReport tn_world_step(TnWorld *world);
/* Called at the beginning of every step, before controls and forces are read, and at its end, once
 * the new state is there; also of steps that others take. They may call everything but
 * tn_world_step and tn_world_destroy. NULL: none. */
typedef void (*TnStepFn)(void *user, TnWorld *world);
TN_API void tn_world_set_callbacks(TnWorld *world, TnStepFn before, TnStepFn after, void *user);
TN_API void tn_world_reset(TnWorld *world, TnKeyId key); /* 0: the reference pose */
/* An island of the last step; index from 0 to island_count - 1. */
TN_API TnIslandReport tn_world_island(const TnWorld *world, int index);
/* Describes the constraint with the island's largest error ("contact of geom 'a' with geom 'b'").
 * The text is cut at size - 1 bytes, and empty if there is no such island. */
TN_API void tn_world_worst_constraint(const TnWorld *world, int island, char *text, size_t size);
/* What is wrong with the last step, where by name, and what usually helps. */
typedef enum TnTroubleKind {
    TN_TROUBLE_NONE,          /* nothing, or no step yet */
    TN_TROUBLE_TOLERANCE,     /* it missed the tolerance */
    TN_TROUBLE_ROUGH,         /* so much that it means nothing: TnStepReport.rough */
    TN_TROUBLE_CONTRADICTION, /* constraints contradict each other by more than a tenth of gravity ×
                                 timestep: TnStepReport.contradiction */
    TN_TROUBLE_NOT_FINITE,    /* rejected: the new state was not finite or beyond 1e10 */
    TN_TROUBLE_INDEFINITE,    /* rejected: a matrix was not positive definite */
    TN_TROUBLE_MEMORY         /* rejected: no memory */
} TnTroubleKind;
typedef struct TnTrouble {
    TnTroubleKind kind;
    char where[256];  /* "contact of geom 'a' with geom 'b'", "joint 'elbow' of body 'arm'",
                         "element 17 of soft body 'pad'"; empty: not known */
    const char *what; /* "the step missed the tolerance" */
    const char *help; /* in a line */
    TnBodyId body;    /* of a rejected step: where that began; 0: a soft body, or not known */
    TnJointId joint;  /* 0: none */
    TnSoftId soft;    /* 0: none, */
    int element;      /* and of its elements, from 0; -1: none */
} TnTrouble;
TN_API TnTrouble tn_world_trouble(const TnWorld *world);
/* A sleeping body has zero velocity, keeps its pose and forces, and has no contacts in the list
 * below. */
TN_API bool tn_world_body_asleep(const TnWorld *world, TnBodyId body);
TN_API void tn_world_wake(TnWorld *world, TnBodyId body); /* its whole island; 0: everything */
TN_API const TnModel *tn_world_model(const TnWorld *world);
TN_API int tn_world_substeps(const TnWorld *world); /* of a step, 1: none */

/* A subsystem: one block of the solver, with one matrix. */
typedef struct TnSubsystemInfo {
    int unknowns;    /* size of its matrix */
    int free_bodies; /* 1 if it is one free body */
    int trees;       /* robots and mechanisms in it */
    int segments;    /* of cables */
    int soft_nodes;  /* of soft bodies, without nodes that have no unknowns */
    TnBodyId body;   /* its first body, robots before cables; 0: none */
    TnSoftId soft;   /* its first soft body; 0: none */
} TnSubsystemInfo;
TN_API int tn_world_subsystem_count(const TnWorld *world);
TN_API TnSubsystemInfo tn_world_subsystem_info(const TnWorld *world, int index); /* from 0 */
TN_API int tn_world_body_subsystem(const TnWorld *world, TnBodyId body); /* -1: does not move */
/* Number of springs and welds between two subsystems, which are iterated. */
TN_API int tn_world_bond_count(const TnWorld *world);
/* Subsystem of each element of a soft body, from 0: of its tetrahedra, or triangles of a sheet. */
TN_API void tn_world_soft_subsystems(const TnWorld *world, TnSoftId soft, int32_t *of_tets);
/* Explanation of the division, some lines of text. */
TN_API const char *tn_world_division_reason(const TnWorld *world);

TN_API double tn_world_time(const TnWorld *world); /* s; no more than that is fetched */
TN_API TnStateView tn_world_state(const TnWorld *world);
TN_API TnStatus tn_world_set_state(TnWorld *world, const double *qpos, const double *qvel,
                                   TnError *err);
/* Controls hold until set again. The first call stops the model's control track. */
TN_API TnStatus tn_world_set_ctrl(TnWorld *world, const double *ctrl, TnError *err);
/* Activations, act_count numbers; they change in each step as the controls say. */
TN_API TnStatus tn_world_set_act(TnWorld *world, const double *act, TnError *err);
/* A wrench on a body for the next step only: force at the centre of mass, torque, world axes. */
TN_API void tn_world_apply_wrench(TnWorld *world, TnBodyId body, const double force[3],
                                  const double torque[3]);

/* Mocap bodies (TnBodyDef.mocap). The body reaches the pose at the end of the next step, and moves
 * there with one velocity, which contacts and equalities notice: a hand that moves by 1 cm in a
 * step of 10 ms pushes at 1 m/s. Then it stays. NULL keeps the position or the orientation. The
 * work that it does is `applied` in the energy account. What sleeps wakes up. */
TN_API TnStatus tn_world_set_mocap(TnWorld *world, TnBodyId body, const double pos[3],
                                   const double quat[4], TnError *err);
/* The same at once, without a motion in between. */
TN_API TnStatus tn_world_place_mocap(TnWorld *world, TnBodyId body, const double pos[3],
                                     const double quat[4], TnError *err);
/* The pose that was set; tn_world_body_pose tells where it is. False: no mocap body. */
TN_API bool tn_world_mocap(const TnWorld *world, TnBodyId body, double pos[3], double quat[4]);

/* A force on a node of a soft body for the next step only, world axes. */
TN_API void tn_world_apply_node_force(TnWorld *world, TnSoftId soft, int node,
                                      const double force[3]);
/* Cauchy stress of each element, Pa: xx yy zz xy xz yz; and von Mises' stress. NULL skips one. */
TN_API TnStatus tn_world_soft_stress(const TnWorld *world, TnSoftId soft, double *stress,
                                     double *von_mises, TnError *err);

TN_API void tn_world_body_pose(const TnWorld *world, TnBodyId body, double pos[3], double quat[4]);
/* The points of a spatial tendon, 3 numbers each, branch by branch (tn_model_tendon_points). */
TN_API void tn_world_tendon_way(const TnWorld *world, TnTendonId tendon, double *points);
TN_API void tn_world_body_velocity(const TnWorld *world, TnBodyId body, double linear_com[3],
                                   double angular[3]); /* world axes */
/* The frame of a site or geom, and the velocity of its origin; world axes. Zeros for the surface of
 * a soft body. */
TN_API void tn_world_site_pose(const TnWorld *world, TnSiteId site, double pos[3], double quat[4]);
TN_API void tn_world_site_velocity(const TnWorld *world, TnSiteId site, double linear[3],
                                   double angular[3]);
TN_API void tn_world_geom_pose(const TnWorld *world, TnGeomId geom, double pos[3], double quat[4]);
TN_API void tn_world_geom_velocity(const TnWorld *world, TnGeomId geom, double linear[3],
                                   double angular[3]);
TN_API int tn_world_contact_count(const TnWorld *world); /* of the last step */
TN_API TnContact tn_world_contact(const TnWorld *world, int index);
/* What contacts push on each body, body_count × 6: the sum of their forces, and of the torques of
 * these about the body's origin as it is now, world axes, mean over the last step. Spin and rolling
 * friction add torques that are not in it. Forces on soft bodies are left out. */
TN_API void tn_world_contact_wrenches(const TnWorld *world, double *wrenches);

/* Reaction force and torque, mean over the last step (docs/reactions.md). World axes; R(quat)⁻¹
 * rotates them into body axes. */
typedef struct TnReaction {
    bool known;         /* false: no step yet, or see below; all numbers are then NaN */
    double pos[3];      /* m, world: reference point of the torque, in the middle of the step */
    double quat[4];     /* orientation of the body there; equality: of body2 */
    double force[3];    /* N */
    double torque[3];   /* N·m */
    double generalized; /* joint equality: N or N·m on the coordinate of joint1, all else is zero;
                           joint2 gets -poly'(q2) times as much */
} TnReaction;
/* Force of the parent on the body, through joints or a fixed connection, at the body's origin. It
 * contains everything that the parent transmits. Along the axes of a joint these are the forces of
 * motors, springs, dampers, friction and limits, minus the force that accelerates the motor's rotor
 * (armature). Zero for free bodies. Unknown for sleeping bodies and those that carry them, and for
 * bodies fixed to the world whose mass comes from a mesh without an inertial.
 *
 * The first call after a step computes all reactions; steps themselves cost nothing more. */
TN_API TnReaction tn_world_body_reaction(TnWorld *world, TnBodyId body);
/* The same at the anchor of one of the body's joints. The joint's axis in body axes: TnJointInfo.
 */
TN_API TnReaction tn_world_joint_reaction(TnWorld *world, TnJointId joint);
/* On body2, by body1, at the anchor; zero if inactive. Unknown for sleeping bodies. */
TN_API TnReaction tn_world_equality_reaction(TnWorld *world, TnEqualityId equality);
/* All sensors at the present state; forces, torques and accelerations of the last step (NaN before
 * the first). sensor_data_count numbers. */
TN_API TnStatus tn_world_sensors(TnWorld *world, double *data, TnError *err);
/* Forces of all actuators at the present state and controls, before gears: N or N·m. */
TN_API TnStatus tn_world_actuator_forces(TnWorld *world, double *forces, TnError *err);

/* Two geoms of one robot that overlap in the reference pose. They collide only after they have come
 * apart (docs/collision.md). */
typedef struct TnSelfOverlap {
    TnGeomId geom1, geom2; /* 0: there is no such index */
    double depth;          /* m, in the reference pose */
} TnSelfOverlap;
TN_API int tn_world_self_overlap_count(const TnWorld *world);
TN_API TnSelfOverlap tn_world_self_overlap(const TnWorld *world, int index); /* from 0 */

/* Equalities between steps. Whether they are active, and the pose that they keep, is part of the
 * state: saved, restored and reset. A weld that holds a cable from the start cannot be switched.
 * These calls, and those below that set parameters, forget contacts and reactions of the last
 * step, and wake up what sleeps. */
TN_API TnStatus tn_world_set_equality(TnWorld *world, TnEqualityId equality, bool active,
                                      TnError *err);
/* A weld keeps the present relative pose from now on, a connect the present place of its anchor on
 * body1: a grasp. tn_world_set_equality lets go. */
TN_API TnStatus tn_world_attach(TnWorld *world, TnEqualityId equality, TnError *err);
TN_API bool tn_world_equality_active(const TnWorld *world, TnEqualityId equality);

/* Parameters of this world; the model, which others may use, stays as it is. They last until they
 * are set again, also over reset and restore. tn_world_model returns the changed model. */
TN_API TnStatus tn_world_set_gravity(TnWorld *world, const double gravity[3], TnError *err);
TN_API TnStatus tn_world_set_timestep(TnWorld *world, double timestep, TnError *err);
/* As in TnGeomDef. Explicit pairs keep their own. Masses do not follow from sizes. */
TN_API TnStatus tn_world_set_geom_friction(TnWorld *world, TnGeomId geom, const double friction[3],
                                           TnError *err);
TN_API TnStatus tn_world_set_geom_size(TnWorld *world, TnGeomId geom, const double size[3],
                                       TnError *err);
/* In the axes of its body; NULL keeps the position or the orientation. Masses and the forces of a
 * medium do not follow. Not of soft bodies and cables. */
TN_API TnStatus tn_world_set_geom_local_pose(TnWorld *world, TnGeomId geom, const double pos[3],
                                             const double quat[4], TnError *err);
/* The same of a site. Sensors follow; tendons, actuators and equalities at it keep the place of the
 * model. */
TN_API TnStatus tn_world_set_site_local_pose(TnWorld *world, TnSiteId site, const double pos[3],
                                             const double quat[4], TnError *err);
/* As in TnActuatorDef; NULL keeps bias. */
TN_API TnStatus tn_world_set_actuator(TnWorld *world, TnActuatorId actuator, double gain,
                                      const double bias[3], TnError *err);
/* As in TnJointDef. Not of a free body's joint. */
typedef struct TnJointForces {
    double stiffness, spring_ref, damping, armature, friction_loss;
} TnJointForces;
TN_API TnJointForces tn_world_joint_forces(const TnWorld *world, TnJointId joint);
TN_API TnStatus tn_world_set_joint_forces(TnWorld *world, TnJointId joint,
                                          const TnJointForces *forces, TnError *err);
/* Of one body alone: mass; centre of mass in body axes, NULL: as it is; inertia about it, xx yy zz
 * xy xz yz in body axes, NULL: scaled with the mass. */
TN_API TnStatus tn_world_set_body_mass(TnWorld *world, TnBodyId body, double mass,
                                       const double com[3], const double inertia[6], TnError *err);

/* Rays x = origin + s · direction, s >= 0. They meet what is visible (alpha is not 0), whether it
 * collides or not: meshes by their triangles, soft bodies by their present surface, planes from the
 * front. From inside a shape they meet its far side. */
typedef struct TnRay {
    double origin[3], direction[3]; /* of any length > 0 */
} TnRay;
typedef struct TnRayFilter {
    uint32_t groups;     /* bit k: geoms of group k count; 0: all do */
    bool skip_fixed;     /* geoms that are fixed to the world do not count */
    TnBodyId exclude;    /* nor those of this body; 0: none */
    double max_distance; /* in lengths of the direction; 0: any */
} TnRayFilter;
typedef struct TnRayHit {
    double distance;  /* s, in lengths of the direction; -1: nothing */
    TnGeomId geom;    /* 0: none */
    double normal[3]; /* unit, outwards, world axes */
} TnRayHit;
/* Many at once, on the threads of the world; filter NULL: everything. */
TN_API TnStatus tn_world_cast_rays(const TnWorld *world, const TnRay *rays, int count,
                                   const TnRayFilter *filter, TnRayHit *hits, TnError *err);

/* Distance of two rigid geoms as they collide (a mesh by its hull; not known of meshes that collide
 * as triangles); negative: how deep they are in each other. */
typedef struct TnDistance {
    bool known;                  /* false: farther than `most`, two planes, or a wrong id */
    double distance;             /* m; `most` if not known */
    double point1[3], point2[3]; /* m, world, on either surface */
    double normal[3];            /* unit, from geom1 to geom2 */
} TnDistance;
TN_API TnDistance tn_world_geom_distance(const TnWorld *world, TnGeomId geom1, TnGeomId geom2,
                                         double most);
/* Rigid geoms that a shape (tenon/collide.h) touches or has within the margin. Writes as many ids
 * as there is room for, ascending, and returns how many there are. */
TN_API int tn_world_overlaps(const TnWorld *world, const TnShape *shape, const TnTransform *at,
                             double margin, TnGeomId *geoms, int room);

TN_API TnEnergy tn_world_energy(const TnWorld *world);
/* Sums over all steps since the world was created or reset; part of a saved state. */
TN_API TnEnergyAccount tn_world_energy_account(const TnWorld *world);
/* J: what time stepping took (`step` of the account) from the robot, cable or free body that the
 * body is part of, and from a soft body, since the world was created or reset; negative: gave. They
 * add up to `step`. Bodies that forces joined share a loss by mass times their change of velocity
 * squared. Part of a saved state; zero of a world in parts or on a device. */
TN_API double tn_world_body_loss(const TnWorld *world, TnBodyId body);
TN_API double tn_world_soft_loss(const TnWorld *world, TnSoftId soft);
typedef struct TnStepLoss {
    double loss;   /* J */
    TnBodyId body; /* the first body of what lost it; 0: a soft body, or none lost any */
    TnSoftId soft; /* 0: none */
} TnStepLoss;
TN_API TnStepLoss tn_world_largest_loss(const TnWorld *world); /* of them */
TN_API void tn_world_momentum(const TnWorld *world, double linear[3],
                              double angular[3]); /* about the world's origin */

/* The complete state including warm starts: a restored world continues with the same bits. In
 * parts, ranks without a model restore with buffer NULL when rank 0 restores a state. */
TN_API size_t tn_world_save_size(const TnWorld *world);
TN_API TnStatus tn_world_save(const TnWorld *world, void *buffer, size_t size, TnError *err);
TN_API TnStatus tn_world_restore(TnWorld *world, const void *buffer, size_t size, TnError *err);
TN_API uint64_t tn_world_hash(const TnWorld *world); /* of time, qpos, qvel and activations */

/* Changes the solver between steps. */
TN_API TnStatus tn_world_set_solver(TnWorld *world, const TnSolverDef *def, TnError *err);

/* The problem of the last step as a prepared solver (tenon/solver.h). Its solution
 * (tn_solver_solution) is that of the step. Bonds become rows. The caller destroys it. NULL if out
 * of memory or before the first step. */
TN_API TnSolver *tn_world_problem(const TnWorld *world, const TnSolverDef *def, TnError *err);
/* v̂ of the last step, dof_count numbers like qvel, for any division. False before the first step.
 */
TN_API bool tn_world_last_velocity(const TnWorld *world, double *v);
/* sqrt(dᵀ M d / Σm), m/s, with d = a - b, dof_count numbers each, at the present pose. */
TN_API double tn_world_velocity_distance(const TnWorld *world, const double *a, const double *b);
/* The problem of the last step solved once more, from where the step ended: v in the same layout,
 * and in *residual what is left, as in TnSolveReport. velocity_scale is the world's. The world
 * stays as it is. False if out of memory or before the first step. */
TN_API bool tn_world_solve_again(TnWorld *world, const TnSolverDef *def, double *v,
                                 double *residual);

/* Evaluates the model at a state, joints in qpos order. Arrays belong to the caller; NULL skips
 * one. */
typedef struct TnEval {
    const double *mocap;    /* input: poses of mocap bodies, 7 numbers each, pos and unit quat;
                               NULL: as in the model */
    const double *qacc;     /* input: accelerations, dof_count, for `inverse`; NULL: zeros */
    double *body_poses;     /* body_count × 7: pos, quat; including the world */
    double *site_poses;     /* site_count × 7 */
    double *geom_poses;     /* geom_count × 7; zeros for soft bodies */
    double *mass_matrix;    /* dof × dof, row-major */
    double *bias;           /* dof: Coriolis, centrifugal, gyroscopic and gravity forces (MuJoCo's
                     qfrc_bias); soft bodies: gravity only */
    double *passive;        /* dof: springs, dampers, gravity compensation, a medium (MuJoCo's
                               qfrc_passive) */
    double *inverse;        /* dof: M qacc + bias, what all other forces must add up to for the
                               model to accelerate so: inverse dynamics */
    double *actuator_force; /* actuator_count */
    double *sensors;        /* sensor_data_count; forces, torques and accelerations need a step
                               and are NaN, see tn_world_sensors; clocks are 0 */
    const double *act;      /* an input: act_count activations; NULL: zero */
} TnEval;
TN_API TnStatus tn_model_eval(const TnModel *model, const double *qpos, const double *qvel,
                              const double *ctrl, TnEval *out, TnError *err);

/* Jacobian of a point that moves with a body: 6 × dof_count, row-major, rows 0 to 2 its velocity,
 * 3 to 5 the angular velocity, world axes, per unit of each number of qvel. The point is in world
 * axes. */
TN_API TnStatus tn_world_jacobian(const TnWorld *world, TnBodyId body, const double point[3],
                                  double *jacobian, TnError *err);
/* The same at a given qpos; the point is in the body's axes. */
TN_API TnStatus tn_model_jacobian(const TnModel *model, const double *qpos, TnBodyId body,
                                  const double point[3], double *jacobian, TnError *err);

/* Inverse kinematics: finds qpos at which sites or points of bodies are where they should be,
 * within the limits of joints, by damped least squares. Contacts and equalities are not looked at.
 */
typedef struct TnIkTarget {
    TnSiteId site;
    TnBodyId body;          /* where site is 0: a point of a body, with the body's axes */
    double point[3];        /* in the body's axes; default its origin */
    bool use_pos, use_quat; /* what counts; default both */
    double pos[3], quat[4]; /* m, world axes */
    double weight;          /* of this target; default 1 */
    double lever;           /* m: an error of 1 rad counts as so much; default 0.1 */
} TnIkTarget;
typedef struct TnIkDef {
    const TnIkTarget *targets;
    int target_count;
    const TnJointId *joints; /* that may move; NULL (default): all that move a site */
    int joint_count;
    int max_iterations; /* default 200 */
    double tolerance;   /* m (and rad × lever): largest error that is good enough; default 1e-6 */
} TnIkDef;
typedef struct TnIkResult {
    bool converged; /* all errors are below the tolerance; otherwise qpos is the best found */
    int iterations;
    double pos_error, quat_error; /* largest of all targets, m and rad */
} TnIkResult;
TN_API TnIkTarget tn_ik_target(void);
TN_API TnIkDef tn_ik_def(void);
/* qpos: the start, and the result; qpos_count numbers. */
TN_API TnStatus tn_model_ik(const TnModel *model, const TnIkDef *def, double *qpos,
                            TnIkResult *result, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
