/* tenon/world.h: one simulation of a model: state, stepping, reports. */
#ifndef TENON_WORLD_H
#define TENON_WORLD_H

#include <tenon/model_info.h>
#include <tenon/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnWorld TnWorld;

/* Islands (bodies connected by contacts and constraints) at rest can be left out of steps until
 * something touches them, their controls change or a call of this header changes them. */
typedef enum TnSleep {
    TN_SLEEP_OFF,
    TN_SLEEP_PASSIVE, /* islands without actuators */
    TN_SLEEP_ALL      /* robots under control too, as long as their controls stay the same */
} TnSleep;

typedef struct TnWorldDef {
    int thread_count; /* 1 … 64, default 1; small scenes stay on one thread whatever is asked for */
    TnDivisionDef division; /* TN_DIVISION_AUTO (default): as the model says */
    TnSolverDef solver;     /* see tenon/solver.h; velocity_scale and thread_count are not read */
    /* Passes of a step. 0 (default): a step is solved again, linear about what it found, where that is far from what was
     * predicted: loops, contacts that turn, soft bodies. 1 … 100: so many for everything but soft bodies, spin and
     * rolling friction. */
    int relinearize;
    /* Fill aac and aal of each step's report; default false. Costs about a tenth of a step. With a
     * tolerance the whole problem is prepared once more: half a step where soft bodies are factored. */
    bool measure_accuracy;
    TnSleep sleep;      /* default TN_SLEEP_OFF */
    double sleep_speed; /* m/s: at rest is what has no faster point, default 1e-4 */
    double sleep_time;  /* s: so long before it sleeps, default 0.5 */
    TnKeyId key;        /* start from this keyframe; 0: the reference pose */
    TnLogFn log;        /* may be NULL; told of refused steps and of an arena that was too small */
    void *log_user;
} TnWorldDef;

/* Seconds spent in the phases of one step. */
typedef struct TnStepTimes {
    double dynamics, collision, constraint, factor, iterate, integrate, total;
} TnStepTimes;

/* J. Kinetic plus potential is all there is. */
typedef struct TnEnergy {
    double kinetic;   /* rotor inertia (armature) included */
    double potential; /* of gravity, and elastic */
    double elastic;   /* the elastic part of it: springs of joints and tendons, cables, soft bodies */
} TnEnergy;

/* Where the energy of a step went, J: kinetic plus potential energy changed by
 *     actuators + applied - friction - damping - impacts - step + created. */
typedef struct TnEnergyAccount {
    double actuators; /* work done by actuators, what their velocity gains take away included */
    double applied;   /* work done by applied forces */
    double friction;  /* lost to friction of contacts and joints */
    double damping;   /* to dampers of joints and tendons */
    double impacts;   /* to hits */
    double step;      /* to the time step, to falling asleep, and to the material damping of cables and soft bodies, which
                         is not told from it. Below zero where smooth motion gets back what it lost before */
    double created;   /* from nowhere: a wrong step. Below zero where what was made before is taken off again */
} TnEnergyAccount;

typedef struct TnStepReport {
    bool converged; /* the tolerance was reached, or a fixed count ran to its end */
    bool diverged; /* the step would have produced a state without sense, not finite or beyond 1e10 m, m/s or rad/s:
                      it was refused, the last good state stays */
    int iterations;   /* of SubADMM or of a baseline, most in one island */
    const char *form; /* of a baseline: which of its forms ran; else NULL */
    /* m/s: RMS change of the constraint velocities in the last iteration; where the solver has a
     * tolerance, the largest natural-map error of a constraint. */
    double residual;
    /* -log10 of the constraint error at v̂ and at v_λ (docs/solver.md); NaN where not measured. */
    double aac, aal;
    /* m, over contacts with a negative gap at the step's start. */
    double mean_penetration, max_penetration;
    /* where the solver has a tolerance; otherwise error is NaN and there are no islands */
    double error; /* largest natural-map error of a constraint, in shares of gravity × timestep */
    int worst_island; /* where, for tn_world_island and tn_world_worst_constraint; -1: none */
    int island_count; /* solved in this step: of those who are awake and have constraints */
    int islands_by_method[TN_METHOD_COUNT]; /* how many with that TnIslandReport.method */
    int asleep_count;                       /* subsystems of the model that sleep after this step */
    int contact_count;                      /* frictional contacts handed to the solver */
    int row_count;                          /* scalar rows of other constraints, and six per bond */
    int heap_fallbacks;      /* times an arena was too small and the heap helped; 0 once warm */
    size_t arena_high_water; /* bytes: the most that a step so far needed */
    TnEnergyAccount energy;  /* all zero where the step was refused */
    /* Of all groups of bodies that forces joined in the step, the largest share that one got from nowhere in its
     * energies: kinetic and elastic before and after, work, losses and the fall. Motion at the speed that gravity gives
     * in a step counts as noise. 0: nothing was created. */
    double created_share;
    TnBodyId created_body; /* who gained most there; 0: a soft body did, or nobody */
    TnSoftId created_soft;
    TnStepTimes times;
} TnStepReport;

/* Borrowed until the next step or destroy. Layout of qpos and qvel: tenon/model.h. */
typedef struct TnStateView {
    double time; /* s */
    const double *qpos;
    int qpos_count;
    const double *qvel;
    int dof_count;
    const double *ctrl;
    int ctrl_count;
} TnStateView;

typedef struct TnContact {
    TnGeomId geom1, geom2;
    double pos[3];    /* m, world */
    double normal[3]; /* from geom1 to geom2 */
    double gap;       /* m, negative: penetration, at the start of the last step */
    double force[3];  /* N, world axes, on geom2, mean over the last step */
} TnContact;

TN_API TnWorldDef tn_world_def(void);
/* A NULL model hands its error on: NULL is returned and *err stays as the loader left it. */
TN_API TnWorld *tn_world_create(const TnWorldDef *def, const TnModel *model, TnError *err);
TN_API void tn_world_destroy(TnWorld *world);
TN_API TnStepReport tn_world_step(TnWorld *world);
TN_API void tn_world_reset(TnWorld *world, TnKeyId key); /* 0: the reference pose */
/* Of the last step, index from 0 and below its island_count. */
TN_API TnIslandReport tn_world_island(const TnWorld *world, int index);
/* The constraint with the island's largest error in words ("contact of geom 'a' with geom 'b'");
 * cut off at size - 1 bytes, empty where there is no such island. */
TN_API void tn_world_worst_constraint(const TnWorld *world, int island, char *text, size_t size);
/* What sleeps has velocity zero, keeps its pose and its forces, and has no contacts in the list
 * below. */
TN_API bool tn_world_body_asleep(const TnWorld *world, TnBodyId body);
TN_API void tn_world_wake(TnWorld *world, TnBodyId body); /* its whole island; 0: everything */
TN_API const TnModel *tn_world_model(const TnWorld *world);

/* A subsystem: what is solved together, with one matrix. */
typedef struct TnSubsystemInfo {
    int unknowns;    /* size of its matrix */
    int free_bodies; /* 1 where it is one free body */
    int trees;       /* robots and mechanisms in it */
    int segments;    /* of cables */
    int soft_nodes;  /* of soft bodies, those without unknowns of their own left out */
    TnBodyId body;   /* its first body, a robot's before a cable's; 0: none */
    TnSoftId soft;   /* its first soft body; 0: none */
} TnSubsystemInfo;
TN_API int tn_world_subsystem_count(const TnWorld *world);
TN_API TnSubsystemInfo tn_world_subsystem_info(const TnWorld *world, int index); /* from 0 */
TN_API int tn_world_body_subsystem(const TnWorld *world, TnBodyId body); /* -1: does not move */
/* Springs and welds that are iterated because they join two subsystems. */
TN_API int tn_world_bond_count(const TnWorld *world);
/* Subsystem of each element of a soft body, from 0. */
TN_API void tn_world_soft_subsystems(const TnWorld *world, TnSoftId soft, int32_t *of_tets);
/* Why the scene is divided as it is: some lines of text. */
TN_API const char *tn_world_division_reason(const TnWorld *world);

TN_API TnStateView tn_world_state(const TnWorld *world);
TN_API TnStatus tn_world_set_state(TnWorld *world, const double *qpos, const double *qvel,
                                   TnError *err);
/* Controls hold until set again. From the first call on, the model's control track is no longer
 * followed. */
TN_API TnStatus tn_world_set_ctrl(TnWorld *world, const double *ctrl, TnError *err);
/* A wrench on a body for the next step only: force at the centre of mass, torque, world axes. */
TN_API void tn_world_apply_wrench(TnWorld *world, TnBodyId body, const double force[3],
                                  const double torque[3]);

/* A force on a node of a soft body for the next step only, world axes. */
TN_API void tn_world_apply_node_force(TnWorld *world, TnSoftId soft, int node,
                                      const double force[3]);
/* Cauchy stress of each element, Pa: xx yy zz xy xz yz; and von Mises' stress. NULL skips one. */
TN_API TnStatus tn_world_soft_stress(const TnWorld *world, TnSoftId soft, double *stress,
                                     double *von_mises, TnError *err);

TN_API void tn_world_body_pose(const TnWorld *world, TnBodyId body, double pos[3], double quat[4]);
TN_API void tn_world_body_velocity(const TnWorld *world, TnBodyId body, double linear_com[3],
                                   double angular[3]);   /* world axes */
TN_API int tn_world_contact_count(const TnWorld *world); /* of the last step */
TN_API TnContact tn_world_contact(const TnWorld *world, int index);

/* A force and torque by which something is held, mean over the last step (docs/reactions.md). World
 * axes; R(quat)⁻¹ turns them into the axes of the body. */
typedef struct TnReaction {
    bool known;         /* false: there was no step, or see below; all numbers are NaN then */
    double pos[3];      /* m, world: the point that the torque is about, in the middle of the step */
    double quat[4];     /* of the body there, of an equality of body2 */
    double force[3];    /* N */
    double torque[3];   /* N·m */
    double generalized; /* of a joint equality: N or N·m on the coordinate of joint1, and all else is
                           zero; joint2 gets -poly'(q2) times as much */
} TnReaction;
/* With which the parent holds the body, through its joints or because it is fixed to it, at the
 * body's origin. All that passes from parent to body is in it: along a joint's axes the forces of
 * motors, springs, dampers, friction and limits, less what turns a motor's rotor (armature). Zero
 * for free bodies. Not known for who sleeps and who carries such a one, and for those fixed to the
 * world that weigh what a mesh without an inertial does.
 *
 * The first question after a step finds all reactions; steps themselves cost nothing more. */
TN_API TnReaction tn_world_body_reaction(TnWorld *world, TnBodyId body);
/* The same at the anchor of one of the body's joints. The joint's axis in body axes: TnJointInfo. */
TN_API TnReaction tn_world_joint_reaction(TnWorld *world, TnJointId joint);
/* On body2, by body1, at the anchor; zero where it is not active. Not known for who sleeps. */
TN_API TnReaction tn_world_equality_reaction(TnWorld *world, TnEqualityId equality);
/* All sensors at the state of now, force and torque of the last step (NaN: there was none);
 * sensor_data_count numbers. */
TN_API TnStatus tn_world_sensors(TnWorld *world, double *data, TnError *err);

TN_API TnEnergy tn_world_energy(const TnWorld *world);
/* Sums over the steps since the world was created or reset; a saved state has them. */
TN_API TnEnergyAccount tn_world_energy_account(const TnWorld *world);
TN_API void tn_world_momentum(const TnWorld *world, double linear[3],
                              double angular[3]); /* about the world's origin */

/* The whole state including warm starts: a restored world continues bit for bit. */
TN_API size_t tn_world_save_size(const TnWorld *world);
TN_API TnStatus tn_world_save(const TnWorld *world, void *buffer, size_t size, TnError *err);
TN_API TnStatus tn_world_restore(TnWorld *world, const void *buffer, size_t size, TnError *err);
TN_API uint64_t tn_world_hash(const TnWorld *world); /* of time, qpos and qvel */

/* The solver can be changed between steps. */
TN_API TnStatus tn_world_set_solver(TnWorld *world, const TnSolverDef *def, TnError *err);

/* Accuracy of the last step against the converged solution v* of the same problem: -log10 of
 * tn_world_velocity_distance of v̂ and v*; NaN: no memory, or there was no step. */
TN_API double tn_world_last_aav(TnWorld *world, int max_iterations, double *reached);

/* The last step's problem for the solver alone (tenon/solver.h), prepared, with what the step found
 * as its solution (tn_solver_solution); the caller's. Bonds become rows. NULL: no memory, or there
 * was no step. */
TN_API TnSolver *tn_world_problem(const TnWorld *world, const TnSolverDef *def, TnError *err);
/* v̂ of the last step, dof_count numbers like qvel: the same for every division. False: there was no
 * step. */
TN_API bool tn_world_last_velocity(const TnWorld *world, double *v);
/* sqrt(dᵀ M d / Σm), m/s, of d = a - b, dof_count numbers each, at the pose of now. */
TN_API double tn_world_velocity_distance(const TnWorld *world, const double *a, const double *b);
/* v* of the last step's problem in the same layout: several methods are tried from where the step
 * ended, with SubADMM for max_iterations each, until the natural map of every constraint is below
 * 1e-12 m/s. *reached tells what it is in the end; it may be more, and v* need not be the only
 * solution (docs/accuracy.md). False: no memory, or there was no step. */
TN_API bool tn_world_converged_velocity(TnWorld *world, int max_iterations, double *v,
                                        double *reached);

/* The model at a state, joints in qpos order. Arrays are the caller's; NULL skips one. */
typedef struct TnEval {
    double *body_poses;     /* body_count × 7: pos, quat; the world included */
    double *mass_matrix;    /* dof × dof, row-major */
    double *bias;           /* dof: Coriolis, centrifugal, gyroscopic and gravity forces (MuJoCo's
                     qfrc_bias); of soft bodies gravity alone */
    double *actuator_force; /* actuator_count */
    double *sensors;        /* sensor_data_count; force and torque are NaN: they need a step, see
                               tn_world_sensors */
} TnEval;
TN_API TnStatus tn_model_eval(const TnModel *model, const double *qpos, const double *qvel,
                              const double *ctrl, TnEval *out, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
