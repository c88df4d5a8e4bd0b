/* step.h (internal): what the phases of a step hand to each other. step.c runs them. */
#ifndef TN_STEP_STEP_H
#define TN_STEP_STEP_H

#include <stdatomic.h>

#include "world.h"

/* Subsystems per chunk of parallel work, at least; and where each takes 50 ns and more. */
#define TN_SUBSYSTEM_GRAIN 128
#define TN_MOVE_GRAIN 48

/* Of a subsystem whose way was changed, or that another's was changed for. */
enum { TN_KEPT = 1, TN_KEPT_BY_WORLD = 2 };

/* Arrays live in the world's arena. */
typedef struct TnStep {
    TnWorld *world;
    const TnModel *model;
    TnStepReport *report;
    double clock; /* s: when the phase that runs began */
    double t, theta;
    int *awake; /* subsystems that take part, ascending */
    int awake_count;
    /* impact.c */
    const double *since;     /* s, per link: the state that the step starts from is not real before.
                                NULL: it is */
    const double *left;      /* then: per subsystem, see tn_step_left */
    TnLinkFrame *hit_frames; /* per link, where it is at that time, */
    double (*hit_ways)[6];   /* and how it gets there from the start, as a twist times seconds */
    double *true_qpos, *true_qvel; /* the real one */
    TnLinkFrame *true_frames;
    double (*true_twists)[6];
    double *impact_losses; /* J, per subsystem; NULL: none was hit */
    TnContactList real;    /* contacts of the real one */
    TnDynamicsInput dynamics;
    double *next_act;   /* activations at the step's end */
    TnSystems *systems; /* the world's */
    atomic_bool failed; /* some chain is not positive definite, some new state not finite */
    /* by balancing (balance.c): places of some group, velocities of some group */
    atomic_bool shifted, changed;
    atomic_int blamed;       /* subsystem whose matrix is not positive definite; -1: none */
    double (*end_twists)[6]; /* per link: v⁺ of the free motion, */
    double (*held)[6];       /* and of free bodies that are borne */
    double *end_qvel;        /* v⁺ of the free motion, dofs of trees only */
    double *predicted; /* per dof: v̂ of trees that constraints hold or push; NULL: of none */
    double *blend;     /* per subsystem: share of v⁺ in its displacement, as planned (plan.c), */
    double *pressed;   /* per subsystem: 1: contacts pressed it in the last step */
    const double *outside; /* and as contacts want it that a device has; NULL: there are none */
    bool *replanned;       /* per subsystem: that changed, and it is not assembled for it yet */
    TnSoftInput soft_input;
    bool *softs_hit; /* per soft body: by a contact that the prediction does not close */
    TnConstraintInput constraint;
    /* found.c */
    double *vhat;         /* per dof: what the last solve found */
    double (*moved)[6];   /* per link: it moves by t times this */
    double *moved_qvel;   /* the same of trees' dofs and of soft bodies' nodes */
    double *looked_qvel;  /* moved_qvel at the last look at what it runs into, where there are soft
                             bodies */
    double error;         /* of the solution, in shares of gravity × timestep */
    double exceeds;       /* times its limit: the check that fails most (check.c), */
    TnCheck check;        /* which it is */
    bool too_long;        /* and the step is refused for it */
    const double *owed;   /* per subsystem: as state.owed, of the new state */
    const double *losses; /* per subsystem: J that the step took from it; NULL: not known */
    TnEnergy *after;      /* per subsystem: energies of the new state (account.c) */
    const double *found;  /* per dof: v̂ of the pass before; NULL: there was none */
    const double *about;  /* what that pass was linear about; NULL: the prediction */
    double surprise;      /* rad: how far the last pass of loops ended from what it was about */
    bool settled;         /* loops are done with */
    bool placed;          /* collision has looked at all links where the step starts */
    TnContactList
        missed; /* contacts that the motion closes and the step was not solved with (missed.c), */
    bool missed_all;          /* all of them, whoever may be held back; else */
    const uint8_t *surprised; /* of these links */
    double *reach;            /* per subsystem: share of its way that it is moved by (limit.c), */
    double *strain;           /* and of what that strains it by (balance.c) */
    bool has_extra;
    double (*extra)[6]; /* per link of a free body: added to its way */
    int *kept; /* per subsystem: a disjoint set of those that were kept out of each other. NULL:
                  nobody was */
    uint8_t *kept_by;        /* per subsystem: 0, or TN_KEPT, and whether by the world */
    const int *contact_from; /* per contact: where it stood in the list of the pass before, or -1.
                                NULL: the same */
    double (*guess)[3];      /* per contact; NULL: not solved to a tolerance */
    double *row_guess;       /* per row */
    struct {
        bool *awake, *anchored; /* per subsystem: must stay awake; stands on the world */
        int *parent;            /* disjoint sets of them */
    } sleep;                    /* sleep.c */
} TnStep;

/* ---- step.c ---- */
/* A step of world->t, with inputs that stay for the next one. */
TnStepReport tn_step_once(TnWorld *world);
/* Adds the time since the last call to that of a phase. */
void tn_step_lap(TnStep *step, double *phase);

/* ---- check.c ---- */
/* It exceeds the limit of this check so many times. */
void tn_step_exceeds(TnStep *step, TnCheck check, double times);
/* The new state is not to be taken over: halves are taken instead. */
bool tn_step_is_too_long(TnStep *step);

/* ---- prepare.c ---- */
/* A step with a world, a report and a clock gets memory and inputs; it may be one that was tried
 * before. False: no memory. */
bool tn_step_prepare(TnStep *step);
/* Everything sleeps. */
bool tn_step_is_idle(const TnStep *step);
/* Forces that users set are for one step. */
void tn_step_spend_inputs(TnWorld *world);

/* ---- adhesion.c ---- */
/* Adds what presses bodies to what they touch to the wrenches of the step. False: no memory. */
bool tn_step_adhere(TnStep *step);

/* ---- detect.c ---- */
/* How far ahead of the predicted motion contacts are listed, m. */
double tn_step_slack(const TnStep *step);
/* Contacts of everything that moves by t u over the step, u per link and of soft bodies' nodes;
 * with gaps at the step's start, also of what is not real before. `only`, `alone`: as in
 * TnMotionInput. `surprise` (m): pairs may be left out that go as the free motion does but for so
 * much; 0: none are. False: no memory. */
bool tn_step_detect(TnStep *step, const double (*u)[6], const double *u_nodes, bool alone,
                    double surprise, const uint8_t *only, TnContactList *out);
/* Those of the free motion, so far ahead (m). */
bool tn_step_detect_free(TnStep *step, double slack, const uint8_t *only, TnContactList *out);
/* The step's list. */
bool tn_step_detect_contacts(TnStep *step);
/* The new state as it is, with links at these frames. */
bool tn_step_detect_end(TnStep *step, const TnLinkFrame *frames, TnContactList *out);
/* Any motion: all of the above, hits on their paths and contacts that are followed come to this. */
bool tn_step_collide(TnStep *step, const TnMotionInput *motion, TnContactList *out);

/* ---- solve.c ---- */
/* TnConstraintInput.slow */
double tn_step_slow(const TnStep *step);
/* The constraints, with a starting guess. False: no memory. */
bool tn_step_build(TnStep *step, bool again);
/* Builds the constraints and solves them; `again`: from the solution of the pass before. False: no
 * memory, or not positive definite. */
bool tn_step_solve(TnStep *step, bool again);
/* step->error from the report's. */
void tn_step_note_error(TnStep *step);

/* ---- trouble.c ---- */
/* The subsystem's matrix cannot be used, or there is no memory for it: false. */
bool tn_step_blame(TnStep *step, int subsystem);
/* The step is rejected: why, as far as can be seen. */
void tn_trouble_note_rejected(TnStep *step);
/* The whole step is over. */
void tn_trouble_note_report(TnWorld *world, const TnStepReport *report);

/* ---- report.c ---- */
TnStepReport tn_report_open(void);
void tn_report_idle(const TnStep *step);
/* How deep contacts are, before the step moves on. */
void tn_report_contacts(const TnStep *step);
/* `ok`: the step was taken. */
void tn_report_close(const TnStep *step, bool ok);

/* ---- smooth.c ---- */
/* A, b and the free motion of every part and chain. False: no memory, or not positive definite. */
bool tn_step_assemble(TnStep *step);
/* Trees and rods whose plan changed are assembled again. */
bool tn_step_reassemble_planned(TnStep *step);
/* One of them (kind.h); and a tree alone. */
bool tn_step_reassemble_tree(TnStep *step, int s, bool *chained);
bool tn_step_reassemble_rod(TnStep *step, int s, bool *chained);
bool tn_step_assemble_tree(TnStep *step, const TnSubsystem *sub);
/* A and b of trees and rods about the v̂ that a pass before found; `loops`: only of those that
 * equalities act on. */
bool tn_step_reassemble(TnStep *step, bool loops);
/* A and b of the mesh blocks, once the contacts are known. */
bool tn_step_assemble_softs(TnStep *step);
/* A contact that the free motion closes and that did not touch before. */
bool tn_step_strikes(const TnStep *step, const TnContactList *contacts, const TnContactPoint *c);
/* Velocity of geom2 against geom1 along a contact's normal, nodes and links as predicted but for
 * nodes of `end_qvel` (whole-model). */
double tn_step_separation(const TnStep *step, const TnContactList *contacts,
                          const TnContactPoint *c, const double *end_qvel);

/* ---- plan.c ---- */
/* Per subsystem: equalities act on it; these, wheels or holds do; something in it depends on how it
 * will move. */
void tn_plan_minds(const TnModel *model, bool *loops, bool *tied, bool *minds);
/* The plan before anything is known of the step. */
void tn_plan_begin(TnStep *step);
/* Cables and soft bodies that move too fast for the step take more of v⁺ than was planned; so must
 * those that are joined with them. `changed`: somebody has to be assembled again. False: no memory.
 */
bool tn_plan_share(TnStep *step, bool *changed);
/* What the listed contacts say, and what the solution says: `changed` where someone who minds will
 * be pushed and was not to be. False: no memory. */
bool tn_plan_contacts(TnStep *step, bool *changed);
bool tn_plan_check(TnStep *step, bool *changed);

/* The real state that the step begins with. */
static inline TnInstant tn_step_before(const TnStep *step)
{
    if (!step->since) return tn_world_now(step->world);
    return (TnInstant){step->true_qpos, step->true_qvel, step->true_frames,
                       (const double(*)[6])step->true_twists, NULL};
}

/* The share of the step that is left after a subsystem's last hit, for joints and turning that go
 * on from there; else 1. */
static inline double tn_step_left(const TnStep *step, int subsystem)
{
    return step->since ? step->left[subsystem] : 1.0;
}

/* ---- missed.c ---- */
/* What the motion that was found runs into and nobody foresaw joins the list (`again`, where it
 * may: the step is to be solved once more) or step->missed. False: no memory. */
bool tn_step_list_missed(TnStep *step, bool may_repeat, bool *again);
/* Further passes led a soft body elsewhere than that look knew. */
bool tn_step_softs_went_on(const TnStep *step);
/* step->missed of these links, too, as if either of a pair might stand still. NULL: of all that
 * move. */
bool tn_step_look_again(TnStep *step, const uint8_t *links);

/* ---- limit.c, kept.c ---- */
/* How far everybody gets of its way (step->reach, step->extra). False: no memory. */
bool tn_step_limit(TnStep *step);
/* Two subsystems, or one and the world (-1), are kept out of each other. False: no memory. */
bool tn_step_keep_apart(TnStep *step, int s1, int s2);
/* The same for `count` of several pairs, by their numbers. */
bool tn_step_keep_pairs(TnStep *step, const int32_t (*pairs)[2], const int *which, int count);

/* ---- guess.c ---- */
/* The forces that a solve starts from; false: no memory. */
bool tn_step_note_guess(TnStep *step);
/* The next pass of a step starts from the forces of `last`. */
void tn_step_start_from(TnStep *step, const TnProblem *last);
/* What the next step starts from, once the state has this step's forces. */
void tn_step_keep_guess(TnStep *step);

/* ---- refine.c ---- */
/* Whether equalities and the trees that they tie, or contacts, are far from linear over what was
 * found; then they are taken about it. False: no memory, or not positive definite. */
bool tn_step_refine(TnStep *step, int pass, bool *go);
/* The next pass: everything that can be is linear about what the last one found. `go`: it makes
 * sense. False: no memory, or not positive definite. */
bool tn_step_refine_all(TnStep *step, bool *go);

/* ---- found.c ---- */
/* After a solve; false: no memory. */
bool tn_step_find(TnStep *step);
/* Of a row of force or friction along a path; NULL: it is none. */
const TnPathRow *tn_step_path_row(const TnStep *step, int row);
bool tn_step_is_path_row(const TnStep *step, int row);
/* Rate of the joint or direct tendon that a row of dry friction acts on, and whose it is. */
double tn_step_row_rate(const TnStep *step, int slot, const double *qvel, int *subsystem);
/* Nobody's way is cut. */
void tn_step_full_ways(TnStep *step);
/* moved and moved_qvel, ways as they are cut now. */
void tn_step_find_ways(TnStep *step);
/* Velocity of the displacement of the contact's point on one side; not of soft points. */
void tn_step_point_moved(const TnStep *step, const TnContactPoint *c, int side, double v[3]);
/* Velocity of the displacement of geom2's point against geom1's, along the normal; not of soft
 * points. */
double tn_step_moved_apart(const TnStep *step, const TnContactPoint *c);
/* m: of its smaller side; an element's of soft bodies. */
double tn_step_contact_size(const TnStep *step, const TnContactPoint *c);

/* ---- verify.c ---- */
/* After tn_step_move, where things turn far. False: no memory. */
bool tn_step_verify(TnStep *step);

/* ---- integrate.c ---- */
/* Everybody by its way (step->reach, step->extra) to the new state. False: it would make no sense.
 */
bool tn_step_move(TnStep *step);
/* The state at the step's end beside the present one (world->next_qpos, ...), with ways cut short
 * where something is in the way (limit.c) or not. False: it would make no sense, or no memory. */
bool tn_step_advance(TnStep *step, bool limited);
/* False: the new state would make no sense, or there is no memory; the old one stays. */
bool tn_step_integrate(TnStep *step);
/* The same where a device has the contacts: nobody's way is cut, and there is no account. */
bool tn_step_integrate_outside(TnStep *step);

/* ---- balance.c ---- */
/* Puts momentum and energy of the new state right, and tells where the energy went. `cut`: somebody
 * gets to where it cannot afford to be, its ways are cut (reach, strain), and all else is to be
 * done again. False: no memory. */
bool tn_step_balance(TnStep *step, bool may_cut, TnStepReport *report, bool *cut);

#endif
