/* constraint.h: joints' limits and friction, equalities and contacts become rows (J, e) of the
 * solver's problem.
 *
 * With v̂ = (1-θ) v + θ v⁺ as unknown, laws are imposed on the end velocity v⁺ (Moreau–Jean):
 *     θ J v⁺ = J v̂ - (1-θ) J v,
 * so the shift -(1-θ) J v goes into e of normal and tangential rows alike. Imposing them on v̂
 * would let resting forces alternate and make inelastic contacts bounce. Per inequality with gap d:
 *
 *     open (d > 0)          θ (J v⁺ + d/t) >= 0     may close the gap within the step, not more
 *     penetrating           θ (J v⁺ - r) >= 0       r = s |d|/t, s = option.stabilization, for deep
 *                                                   ones less
 *     hit with restitution  θ (J v⁺ + ε J v) >= 0   when the free motion would close the gap
 *
 * See docs/time-stepping.md. */
#ifndef TN_CONSTRAINT_CONSTRAINT_H
#define TN_CONSTRAINT_CONSTRAINT_H

#include "../collision/collision.h"
#include "../solver/problem.h"
#include "../state/state.h"
#include "../subsystem/systems.h"
#include "unilateral.h"

/* Of gravity × timestep: contacts that close more slowly last. Of that: those of nodes of soft
 * bodies, which touch more exactly. */
#define TN_SLOW 0.1

/* What the constraint stage needs from the stages before it. */
/* What passes of one step know of paths (path_rows.c). */
typedef struct TnPathMemory {
    struct TnPathCourse **courses; /* per path; NULL: none is known yet */
    int pass;
} TnPathMemory;

typedef struct TnConstraintInput {
    const TnModel *model;
    const TnState *state;
    double t, theta;
    double warm_start; /* scale of last step's λ */
    double leave;      /* m: gaps that count as none */
    double slow; /* m/s: contacts that close more slowly last (TnUnilateral); below 0: none does,
                    and J is that of the step's start */
    const TnLinkFrame *frames;     /* per link, at q */
    const double (*twists)[6];     /* per link: velocity at the step's start */
    const double (*end_twists)[6]; /* per link: v⁺ of the free motion */
    const TnDivision *division;
    const TnSystems *systems;
    TnMeshMemory *const *mesh_memory;
    const double *end_qvel; /* v⁺ of soft bodies' nodes as it is predicted, whole-model */
    const TnContactList *contacts;
    const double *inputs; /* per actuator (tn_actuator_inputs) */
    const double *blend;  /* per subsystem: share w of v⁺ in its displacement, as planned */
    /* of a pass before, where the step is linear about what that found; NULL in the first one */
    const double *found; /* per dof: v̂ */
    TnPathMemory *paths; /* of all passes of this step; NULL: this is the only one */
    const double *since; /* per link: it was hit in this step, and its contacts are those of the hit
                            (impact/impact.h). NULL: none was */
    TnArena *arena;
    TnPool *pool;
} TnConstraintInput;

/* Instead of a place in state.row_lambda: rows of contacts. */
#define TN_SLOT_SPIN (-1)  /* spin and rolling friction */
#define TN_SLOT_SLIDE (-2) /* sliding friction that differs in two directions */

/* A link of a tree that has a port, in the middle of the step: its centre of mass, its twist there
 * with the joint rates of the step's start, and with those that are expected as v̂ and at the end;
 * and how its twist changes, per second, while joint rates stay. */
typedef struct TnPortMiddle {
    int dof_start, dof_count; /* of the tree */
    const double *T;          /* 6 × dof_count: the link's twist there */
    double com[3], twist[6], expected[6], late[6], bias[6];
    double moved[6]; /* by the velocity of the displacement that was found */
} TnPortMiddle;

typedef struct TnConstraintSet {
    TnProblem problem;
    int *link_row; /* per link: its row in the problem's twist table (a carried segment's is its
                      holder's), -1 where a link of a tree or rod has no port; 0 of what sleeps */
    TnUnilateralLaw *laws;      /* per contact */
    TnPortMiddle **port_middle; /* per port; NULL: not of a tree */
    int *soft_row;    /* per soft point of the contacts: the same; 0: all its nodes are pinned */
    double **block_v; /* per large block: its unknowns in the problem */
    struct TnLimit *limits; /* per limit row */
    int limit_count;
    int *follower_row; /* per follower that is not carried: the port of where its holder puts it */
    int bond_next;     /* bonds written so far */
    int *bond_source;  /* per bond: the link before the cut of a cable; of equalities ~index */
    double *row_drive; /* per row: J v of mocap bodies; NULL without */
    double *row_close; /* per row: of J u, what an equality is to be closed by, for the account of
                          energy */
    int *row_slot;     /* per row: place in state.row_lambda, or what a contact's row is */
    double (*row_slope)[3]; /* per row: of e by J dq, by J dv and by the share of v⁺ in the way,
                               where J is the same everywhere; of limits the law tells. NaN: it is
                               not */
    struct TnPathRow *path_rows; /* forces and dry friction along paths */
    int path_row_count;
} TnConstraintSet;

/* A row of force or dry friction along a path, for the account of energy. */
typedef struct TnPathRow {
    int row;
    int tendon, actuator; /* -1: not of one */
    double shift;         /* J v, v at the step's start */
    double drive;         /* of it what mocap bodies make, at any time */
    double damping;       /* of a tendon's own force: D (share · J v̂ - (share - 1) J v) is its */
    double share;
} TnPathRow;

typedef struct TnLimit {
    int row, subsystem;
    double v; /* J v, v at the step's start */
    TnUnilateral given;
    TnUnilateralLaw law;
} TnLimit;

/* The link's twist in the middle of the step with these velocities (whole-model). */
void tn_port_twist(const TnPortMiddle *port, const double *qvel, double twist[6]);
/* A contact over the step that was solved: velocity of the second side's point against the first's,
 * in the middle of the step where its force acts, as links and nodes move by these velocities. */
void tn_contact_moved(const TnConstraintInput *in, const TnConstraintSet *set, int contact,
                      int side, const double (*twists)[6], const double *qvel, double out[3]);
/* Builds the whole problem (blocks, contacts, rows, starting guess). False: no memory. */
bool tn_constraint_build(const TnConstraintInput *in, TnConstraintSet *out);
/* Keeps λ for the next step. The state has room for all contacts (tn_state_reserve_contacts). */
void tn_constraint_keep(const TnConstraintInput *in, const TnConstraintSet *set, TnState *state);

/* ---- blend.c: the share w of v⁺ in the displacement t((1-w) v̂ + w v⁺) ---- */
/* Raises w of every subsystem to what the solution found. */
void tn_constraint_blend_after(const TnConstraintInput *in, const TnConstraintSet *set,
                               double *blend);
/* Subsystems that an equality joins must move by the same rule, or it would open by t(v⁺ - v̂): all
 * get the largest w of those joined with them. */
void tn_constraint_share_blend(const TnModel *model, double *blend);

/* A wheel at one configuration. */
typedef struct TnStand {
    double point[3];               /* lowest of the rim */
    double lateral[3], forward[3]; /* along the ground */
    double height;                 /* of the point above the ground */
} TnStand;
/* False: it lies on its side and has no direction to roll in. */
bool tn_wheel_stand(const TnModel *model, const TnLinkFrame *frames, const TnWheel *wheel,
                    TnStand *out);
/* Takes slip of wheels out of a new state's velocity (wheel_slip.c); writes the frames of their
 * subsystems. Sleepers are left alone. False: no memory. */
bool tn_wheels_stop_slip(const TnModel *model, const TnState *state, const double *qpos,
                         double *qvel, TnLinkFrame *frames, TnArena *arena);
/* Takes what curved equalities of joints and tendons left across them out of a new state's velocity
 * (equality_drift.c); writes the frames of their subsystems, and which these are. False: no memory.
 */
bool tn_equalities_stop_drift(const TnModel *model, const TnState *state, const double *qpos,
                              double *qvel, TnLinkFrame *frames, TnArena *arena, bool *changed);
/* The contact's arm of one side from the centre of mass of the link that it counts for; not of soft
 * points. */
void tn_contact_arm(const TnModel *model, const TnDivision *division, const TnLinkFrame *frames,
                    const TnContactPoint *c, int side, double arm[3]);
/* Velocity of a soft point, from those of its nodes. */
void tn_soft_point_velocity(const TnModel *model, const TnSoftPoint *point, const double *qvel,
                            double v[3]);
/* Rows of contacts (oval.c): what they are rates of, along the world's axes; returns mu. */
double tn_contact_row(const TnModel *model, const TnContactPoint *c, TnRowSet set, int slot,
                      double linear[3], double angular[3]);
/* Does its friction differ in two directions? Then it is in rows, and the contact has none. */
bool tn_is_oval(const TnModel *model, const TnContactPoint *c);
void tn_oval_axes(const double normal[3], double t1[3], double t2[3]);
/* Adds the friction that is in rows. */
void tn_oval_force(const TnModel *model, const TnConstraintSet *set, const TnContactPoint *points,
                   int contact, double force[3]);

/* ---- rows.c (private to the folder) ---- */
typedef struct TnRowCounts {
    int rows, sides, entries, limits;
} TnRowCounts;
TnRowCounts tn_constraint_count_rows(const TnConstraintInput *in); /* upper bounds */
typedef struct TnTreeAxes {
    double origin[3];
    double (*S)[6];
} TnTreeAxes;
bool tn_constraint_fill_rows(const TnConstraintInput *in, const TnTreeAxes *axes,
                             const TnRowCounts *counts,
                             TnConstraintSet *set); /* false: no memory */

#endif
