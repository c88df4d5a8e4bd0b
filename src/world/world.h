/* world.h (internal): one simulation. step.c advances it, world.c does everything around that. */
#ifndef TN_WORLD_WORLD_H
#define TN_WORLD_WORLD_H

#include <tenon/world.h>

#include "../account/energy.h"
#include "../account/groups.h"
#include "../collision/collision.h"
#include "../constraint/constraint.h"
#include "../solver/solve.h"
#include "../state/state.h"
#include "../subsystem/systems.h"
#include "undo.h"

/* What is known of a step that is not to be trusted (trouble.c). */
typedef struct TnTroubleNote {
    TnTroubleKind kind;
    int island;    /* TnStepReport.worst_island of a step that was taken */
    int subsystem; /* of a rejected one, where it began; -1: not known */
    int dof;       /* of it, from 0; -1: not known */
    double error;  /* TnStepReport.error */
} TnTroubleNote;

/* Parts of the model that a world may have of its own (own.h). */
typedef enum TnOwnPart {
    TN_OWN_LINKS,
    TN_OWN_BODY_MASSES,
    TN_OWN_JOINTS,
    TN_OWN_GEOMS,
    TN_OWN_SITES,
    TN_OWN_ACTUATORS,
    TN_OWN_EQUALITIES,
    TN_OWN_COUNT
} TnOwnPart;

/* How a step that is too long is taken (check.c). */
typedef struct TnHalving {
    int left;       /* so many times halves may be halved */
    double whole;   /* by how many times what this is a quarter of exceeded its limits */
    double exceeds; /* of the step that was refused for it; 0: none was */
    TnCheck check;
} TnHalving;

struct TnSpreadStart;

enum { TN_WORST_SIZE = 256 };

struct TnWorld {
    const TnModel *model;  /* `own`, */
    const TnModel *shared; /* which is a copy of this that shares all arrays but those changed */
    TnModel own;
    void *parts[TN_OWN_COUNT]; /* these */
    uint32_t alive;            /* TN_ALIVE */
    bool changed;              /* own differs from shared */
    TnWorldDef def;
    unsigned version; /* counts changes of parameters and solver */
    int substeps;     /* of a step, at least 1, */
    double t;         /* s: and how long one of them is */
    int parts_left;   /* of the step, as long as the one that runs, which is the first of them */
    bool begun;       /* there were others before it */
    TnHalving halving;
    void
        *start; /* the state that the step began with, as saved; NULL: no step was taken in parts */
    size_t start_capacity;
    char worst[TN_WORST_SIZE]; /* in words: the worst constraint of an earlier sub-step than the
                        last, if that has the step's largest error */
    TnTroubleNote trouble;     /* of the last step */
    bool at_start;             /* contacts as on devices, docs/gpu.md; tests compare */
    TnPool *pool;
    TnPool *team; /* the pool, or NULL for a step that is too small to share */
    TnDivision *division;
    TnGroups *groups;
    TnCollider *collider;
    TnArena arena; /* all of a step's scratch; what the last step left there stays until the next */
    TnArena asked; /* scratch of a question */
    TnState state;
    struct TnTimeMemory *time_memory; /* NULL: no accuracy was asked for (time_control.c) */
    TnUndo undo;                      /* of the step that runs */
    TnLinkFrame *frames;              /* per link, at state.qpos */
    double (*twists)[6]; /* per link, at state.qvel: linear at the com, angular; world axes */
    double (*wrench)[6]; /* per link, for the next step */
    bool wrench_set;
    double (*applied)[6], (*last_applied)[6]; /* per body, for the next step and in the last one */
    bool was_applied;                         /* there was something in the last step */
    double *node_force; /* on dofs of soft bodies, whole-model, for the next step */
    bool node_force_set;
    TnSoftElements *elements; /* of soft bodies; NULL without */
    TnMeshMemory **mesh_memory;
    bool *loops, *tied, *minds; /* per subsystem (plan.c) */
    atomic_uchar *touched;      /* per subsystem: a sleeper, by something awake (tn_collider_sleep).
                                   NULL: nothing sleeps */
    TnSolverMemory *solver_memory;
    /* where a step leads, before that is taken over; between steps next_qpos and next_qvel are what
     * the last one began with */
    double *next_qpos, *next_qvel;
    TnLinkFrame *next_frames;
    double (*next_twists)[6];
    TnEnergy *energies; /* per subsystem, of the state */
    bool energies_known;
    /* of the last step; contacts.count is 0 where there was none */
    TnContactList contacts;
    TnConstraintSet set;
    TnSystems systems;
    const double *start_qpos, *start_qvel; /* the real state that it began with */
    struct TnReactions *reactions; /* found on the first call that needs them (reaction.h) */
    struct TnImpact *impacts;      /* of the last step (impact.h) */
    int impact_count;
    bool bounces;           /* some geom has restitution */
    TnStepFn before, after; /* what users want to be called; NULL: nothing */
    void *callback_user;
    const struct TnNear *near;   /* it is one rank's part of a scene (near.h); NULL: all of it */
    struct TnSpread *spread;     /* ranks step it in parts (spread.h); NULL: it is stepped here */
    struct TnDeviceSide *device; /* where steps run there (device.h); NULL: here */
    const struct TnInstead *instead; /* of the solver (step.h); NULL: it solves */
    bool stepping;                   /* a step runs, or one of those */
    bool untimed;     /* the times of the steps to come are not measured: they are zero */
    bool settles;     /* as TnDynamicsInput.settles */
    bool mocap_moves; /* some mocap body does, in this step */
    bool has_problem;
    bool by_islands;     /* that problem was solved to a tolerance, and is not prepared */
    TnSolution solution; /* of it then; no islands otherwise */
};

static inline bool tn_world_has_body(const TnWorld *world, TnBodyId body)
{
    TN_ASSERT_ALIVE(world);
    return world && body >= 1 && body <= world->model->body_count;
}
/* As tn_world_create; `start`: of a rank that steps it with others in parts (spread.h). */
TnWorld *tn_world_create_here(const TnWorldDef *def, const TnModel *model,
                              struct TnSpreadStart *start, TnError *err);
/* Adds the reason, and returns TN_ERROR_USAGE. */
TnStatus tn_world_refuse(TnError *err, const char *why);
/* The solver's settings as the user gave them, in the world's units. */
TnSolverDef tn_world_solver(const TnWorld *world);
/* Its velocity_scale: gravity × timestep, m/s. */
double tn_world_velocity_scale(const TnWorld *world);
static inline TnInstant tn_world_now(const TnWorld *world)
{
    return (TnInstant){world->state.qpos, world->state.qvel, world->frames,
                       (const double(*)[6])world->twists, NULL};
}
/* Where the step leads. */
static inline TnInstant tn_world_next(const TnWorld *world)
{
    return (TnInstant){world->next_qpos, world->next_qvel, world->next_frames,
                       (const double(*)[6])world->next_twists, NULL};
}
/* What the last step left no longer belongs to the state. */
void tn_world_forget_step(TnWorld *world);
/* And twists, after the state of these subsystems changed (NULL: of all). */
void tn_world_update_frames(TnWorld *world, const int *subsystems, int count);

#endif
