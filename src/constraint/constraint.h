/* constraint.h: joints' limits and friction, equalities and contacts become rows (J, e) of the
 * solver's problem.
 *
 * With v̂ = (1-θ) v + θ v⁺ as unknown, laws are imposed on the end velocity v⁺ (Moreau–Jean):
 *     θ J v⁺ = J v̂ - (1-θ) J v,
 * so the shift -(1-θ) J v goes into e of normal and tangential rows alike. Imposing them on v̂
 * would let resting forces alternate and make inelastic contacts bounce. Per inequality with gap d:
 *
 *     open (d > 0)          θ (J v⁺ + d/t) >= 0     may close the gap within the step, not more
 *     penetrating           θ (J v⁺ + s d/t) >= 0   s = option.stabilization
 *     hit with restitution  θ (J v⁺ + ε J v) >= 0   when the free motion would close the gap
 *
 * See docs/time-stepping.md. */
#ifndef TN_CONSTRAINT_CONSTRAINT_H
#define TN_CONSTRAINT_CONSTRAINT_H

#include "../collision/collision.h"
#include "../dynamics/assembled.h"
#include "../dynamics/dynamics.h"
#include "../dynamics/soft.h"
#include "../solver/problem.h"
#include "../state/state.h"

/* A contact over the step that a pass before found, in the middle of it: where its laws are linear
 * about. Not of soft points. */
typedef struct TnContactCourse {
    bool known;
    double normal[3], arm1[3], arm2[3];
    double curve; /* m: the gap at the step's end less what the start's gap and these make of it */
} TnContactCourse;

/* What the constraint stage needs from the stages before it. */
typedef struct TnConstraintInput {
    const TnModel *model;
    const TnState *state;
    double t, theta;
    double warm_start;             /* scale of last step's λ */
    double leave;                  /* m: gaps that count as none */
    const TnLinkFrame *frames;     /* per link, at q */
    const double (*twists)[6];     /* per link: velocity at the step's start */
    const double (*end_twists)[6]; /* per link: v⁺ of the free motion */
    const TnRigidSystem *rigid;    /* per rigid subsystem */
    const double *const *tree_A, *const *tree_b, *const *tree_free; /* per tree */
    const TnRodSystem *rods;                                        /* per rod */
    const TnDivision *division;
    const TnChainSystem *chains; /* per chain of the division */
    const TnFollowerMotion *followers;
    const TnSoftSystem *softs;  /* per soft body */
    const TnMeshSystem *meshes; /* per mesh block of the division */
    TnMeshMemory *const *mesh_memory;
    const double *end_qvel; /* v⁺ of soft bodies' nodes as it is predicted, whole-model */
    const TnContactList *contacts;
    /* of a pass before, where the step is linear about what that found; NULL in the first one */
    const double *found;            /* per dof: v̂ */
    const double *blend;            /* per subsystem: share of v⁺ in its displacement */
    const TnContactCourse *courses; /* per contact */
    TnArena *arena;
    TnPool *pool;
} TnConstraintInput;

/* How an inequality came about; decides how the pushed subsystems move (tn_constraint_blend). */
typedef struct TnLaw {
    double e_normal; /* along the normal, the shift included */
    bool resting;    /* touching before, and no approach: a limit that hits nothing */
    double blend;    /* share of v⁺ in the displacement while it pushes, 1 - ε for a hit */
} TnLaw;

/* v: J v at the step's start; v_free_end: J v⁺ without constraints; leave: gaps up to this (either
 * way) count as none. */
TnLaw tn_unilateral_law(double gap, double v, double v_free_end, double restitution, double t,
                        double theta, double stabilization, double gravity, double leave);

typedef struct TnConstraintSet {
    TnProblem problem;
    int *link_row; /* per link: its row in the problem's twist table (a carried segment's is its
                      holder's), -1 where a link of a tree or rod has no port; 0 of what sleeps */
    TnLaw *laws;   /* per contact */
    int *soft_row; /* per soft point of the contacts: the same; 0: all its nodes are pinned */
    double **soft_vhat;     /* per soft body: v̂ of all its nodes; written after the solve */
    double **rod_vhat;      /* per rod: v̂ of all its segments; written after the solve */
    struct TnLimit *limits; /* per limit row */
    int limit_count;
    int *follower_row; /* per follower that is not carried: the port of where its holder wants it */
    int bond_next;     /* bonds written so far */
    int *bond_source;  /* per bond: the link before the cut of a cable; of equalities ~index */
    int *row_slot;     /* per row: place in state.row_lambda, or -1 for spin rows */
} TnConstraintSet;

typedef struct TnLimit {
    int row, subsystem;
    TnLaw law;
} TnLimit;

/* Builds the whole problem (blocks, contacts, rows, starting guess). False: no memory. */
bool tn_constraint_build(const TnConstraintInput *in, TnConstraintSet *out);
/* v̂ of all who are awake, per dof. */
void tn_constraint_vhat(const TnConstraintInput *in, const TnConstraintSet *set, double *vhat);
/* Keeps λ and v̂ for the next step. False: no memory for the contacts (the warm start is then lost,
 * nothing else). */
bool tn_constraint_keep(const TnConstraintInput *in, const TnConstraintSet *set, TnState *state);
/* Per subsystem: share w of v⁺ in the displacement t((1-w) v̂ + w v⁺): 0 where nothing pushes. */
void tn_constraint_blend(const TnConstraintInput *in, const TnConstraintSet *set, double *blend);

/* Takes slip of wheels out of a new state's velocity (wheel_slip.c); writes the frames of their
 * subsystems. False: no memory. */
bool tn_wheels_stop_slip(const TnModel *model, const double *qpos, double *qvel,
                         TnLinkFrame *frames, TnArena *arena);

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
                             TnConstraintSet *set); /* false: no memory */

#endif
