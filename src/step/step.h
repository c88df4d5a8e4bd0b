/* step.h (internal): what the stages of a step hand to each other. step.c runs them, smooth.c has the
 * first one. */
#ifndef TN_STEP_STEP_H
#define TN_STEP_STEP_H

#include <stdatomic.h>

#include "world.h"

/* Subsystems per chunk of parallel work. */
#define TN_SUBSYSTEM_GRAIN 256

/* Arrays live in the world's arena. */
typedef struct TnStep {
    TnWorld *world;
    const TnModel *model;
    double t, theta;
    int *awake; /* subsystems that take part, ascending */
    int awake_count;
    TnDynamicsInput dynamics;
    TnRigidSystem *rigid;
    double **tree_A, **tree_b, **tree_free;
    TnRodSystem *rods;
    TnChainSystem *chains; /* of the division */
    double **chain_free;   /* per large block: v_free, of chains only */
    atomic_bool failed;    /* some chain is not positive definite, some new state not finite */
    TnFollowerMotion *followers;
    TnAssembledInput assembled;
    double (*end_twists)[6]; /* per link: v⁺ of the free motion */
    double *end_qvel;        /* v⁺ of the free motion, dofs of trees only */
    double *blend;           /* per subsystem */
    TnSoftInput soft_input;
    TnSoftSystem *softs;
    bool *softs_hit; /* per soft body: by a contact that the prediction does not close */
    TnMeshSystem *meshes;
    TnConstraintInput constraint;
    const double *found; /* per dof: v̂ of the pass before; NULL: there was none */
    const TnContactCourse *courses;
    double (*guess)[3]; /* per contact; NULL: not solved to a tolerance */
    double *row_guess;  /* per row */
} TnStep;

static inline bool tn_all_finite(const double *x, int count)
{
    double sum = 0.0; /* one NaN or infinity makes 0·x NaN, and the sum with it */
    for (int i = 0; i < count; i++) sum += 0.0 * x[i];
    return sum == 0.0;
}

/* ---- smooth.c ---- */
/* A, b and the free motion of every part and chain. False: no memory, or not positive definite. */
bool tn_step_assemble(TnStep *step);
/* Rods that come to touch something in this step are assembled again. */
bool tn_step_reassemble_rods(TnStep *step);
/* A and b of trees and rods about the v̂ that a pass before found. */
bool tn_step_reassemble(TnStep *step);
/* A and b of the mesh blocks, once the contacts are known. */
bool tn_step_assemble_softs(TnStep *step);
/* Velocity of geom2 against geom1 along a contact's normal, nodes and links as predicted but for nodes of
 * `end_qvel` (whole-model). */
double tn_step_separation(const TnStep *step, const TnContactList *contacts,
                          const TnContactPoint *c, const double *end_qvel);
/* v̂ of the soft bodies' nodes from that of the blocks. False: no memory. */
bool tn_step_gather_softs(TnStep *step);
/* v̂ of the rods' segments from that of the blocks. False: no memory. */
bool tn_step_gather_rods(TnStep *step);

/* ---- missed.c ---- */
/* Lists what the motion that was found runs into and nobody foresaw; `again`: there was such a contact. False:
 * no memory. */
bool tn_step_list_missed(TnStep *step, bool *again);

/* ---- guess.c ---- */
/* The forces that a solve starts from; false: no memory. */
bool tn_step_note_guess(TnStep *step);
/* What the next step starts from, once the state has this step's forces. */
void tn_step_keep_guess(const TnStep *step);

/* ---- relinearize.c ---- */
/* The next pass: everything that can be is linear about what the last one found. `go`: it makes sense. False: no
 * memory, or not positive definite. */
bool tn_step_relinearize(TnStep *step, bool *go);
/* That pass starts from the forces of `last`. */
void tn_step_start_from(TnProblem *problem, const TnProblem *last);

/* ---- integrate.c ---- */
/* The state at the step's end into next_qpos and next_qvel. False: it would not be finite, or no memory. */
bool tn_step_advance(TnStep *step);
/* False: the new state would not be finite, and the old one stays; or no memory. */
bool tn_step_integrate(TnStep *step, bool converged);

/* ---- step.c ---- */
/* How far ahead of the predicted motion contacts are listed, m. */
double tn_step_slack(const TnStep *step);

#endif
