/* step.h (internal): what the phases of a step hand to each other. step.c runs them. */
#ifndef TN_STEP_STEP_H
#define TN_STEP_STEP_H

#include <stdatomic.h>

#include "../world/world.h"

/* Subsystems per chunk of parallel work, at least; and where each takes 50 ns and more. */
#define TN_SUBSYSTEM_GRAIN 128
#define TN_MOVE_GRAIN 48

/* Of a subsystem whose way was changed, or that another's was changed for. */
enum { TN_KEPT = 1, TN_KEPT_BY_WORLD = 2 };

/* Arrays live in the world's arena. A phase's struct is written by the files that it names. */

/* Hits with restitution (impact.c): the state that the step starts from is not real before them. */
typedef struct TnStepHits {
    const double *since; /* s, per link: it is real from then on. NULL: nothing was hit */
    const double *left;  /* then: per subsystem, see tn_step_left */
    TnLinkFrame *frames; /* per link, where it is at that time, */
    double (*ways)[6];   /* and how it gets there from the start, as a twist times seconds */
    double *real_qpos, *real_qvel; /* the real one */
    TnLinkFrame *real_frames;
    double (*real_twists)[6];
    TnContactList real; /* contacts of the real one */
    double *losses;     /* J, per subsystem */
} TnStepHits;

/* The step cannot be taken. */
typedef struct TnStepFault {
    atomic_bool failed; /* some chain is not positive definite, some new state not finite */
    atomic_int blamed;  /* subsystem whose matrix is not positive definite; -1: none */
} TnStepFault;

/* The motion without constraints (smooth.c, detect.c). */
typedef struct TnStepFree {
    double (*twists)[6];  /* per link: v⁺, */
    double (*held)[6];    /* and of free bodies that are borne */
    double *qvel;         /* v⁺, dofs of trees and nodes of soft bodies only */
    double *predicted;    /* per dof: v̂ of trees that constraints hold or push; NULL: of none */
    TnJointPlace *places; /* per joint of links with several, at the step's start; NULL: none has */
    bool placed;          /* collision has looked at all links where the step starts */
} TnStepFree;

/* How each subsystem will move (plan.c). */
typedef struct TnStepPlan {
    double *blend;         /* per subsystem: share of v⁺ in its displacement, */
    double *pressed;       /* 1: contacts pressed it in the last step, */
    bool *again;           /* blend changed, and it is not assembled for it yet */
    const double *outside; /* blend as contacts want it that a device has; NULL: there are none */
    bool *softs_hit;       /* per soft body: by a contact that the prediction does not close */
    double raised;         /* by so much at most it grew when it was looked at last */
    bool pushed;           /* the solution asks for more than was planned, on some rank */
} TnStepPlan;

/* What the last solve found (found.c). */
typedef struct TnStepFound {
    double *vhat;       /* per dof */
    double (*moved)[6]; /* per link: it moves by t times this */
    double *moved_qvel; /* the same of trees' dofs and of soft bodies' nodes */
    double error;       /* of the solution, in shares of gravity × timestep */
} TnStepFound;

/* What the step is linear about (refine.c). */
typedef struct TnStepAbout {
    const double *vhat;   /* per dof: v̂ of the pass before; NULL: there was none */
    const double *before; /* what that pass was linear about; NULL: the prediction */
    double surprise;      /* rad: how far the solution of loops ended from what it was about, */
    double last;          /* and that of the pass before; 0: there was none */
    bool settled;         /* loops are done with */
    TnPathMemory paths;   /* of all passes */
} TnStepAbout;

/* Contacts that the motion closes and the step was not solved with (missed.c). */
typedef struct TnStepMissed {
    TnContactList list;
    bool all;             /* all of them, also where something may be held back; else */
    const uint8_t *links; /* of these links */
    double worst;         /* how far the worst is closed, in units of what is let pass; 0: none */
    bool joined;          /* they are in the step's list now, and it is to be solved again */
    double *looked_qvel;  /* found.moved_qvel at the last look, where there are soft bodies */
} TnStepMissed;

/* How far each subsystem gets of its way (limit.c, kept.c, verify.c). */
typedef struct TnStepWay {
    double *reach;  /* per subsystem: share of its way that it is moved by, */
    double *strain; /* and of what that strains it by (balance.c) */
    bool has_extra;
    double (*extra)[6]; /* per link of a free body: added to its way */
    int *kept; /* per subsystem: a disjoint set of those that were kept out of each other. NULL:
                  none were */
    uint8_t *kept_by; /* per subsystem: 0, or TN_KEPT, and whether by the world */
} TnStepWay;

/* The forces that a solve starts from (guess.c). */
typedef struct TnStepStart {
    const int *contact_from; /* per contact: where it stood in the list of the pass before, or -1.
                                NULL: the same */
    double (*contacts)[3];   /* per contact; NULL: not solved to a tolerance */
    double *rows;            /* per row */
} TnStepStart;

/* Momentum and energy of the new state (balance.c, account.c). */
typedef struct TnStepBalance {
    atomic_bool shifted, changed; /* places of some group, velocities of some group */
    const double *owed;           /* per subsystem: as state.owed, of the new state */
    const double *losses;         /* per subsystem: J that the step took from it; NULL: not known */
    TnEnergy *after;              /* per subsystem: energies of the new state */
    double beyond; /* how far some group is strained beyond its means, in units of noise; 0: none is
                      whose ways can still be cut */
} TnStepBalance;

/* Is the step too long (check.c)? */
typedef struct TnStepChecks {
    double exceeds; /* times its limit: the check that fails most, */
    TnCheck which;  /* which it is */
    bool too_long;  /* and the step is refused for it */
} TnStepChecks;

/* What must not sleep (sleep.c). */
typedef struct TnStepSleep {
    bool *awake, *anchored; /* per subsystem: must stay awake; stands on the world */
    int *parent;            /* disjoint sets of them */
} TnStepSleep;

/* Phases, in their order (step.c). */
typedef enum TnPhase {
    TN_PHASE_PREPARE,
    TN_PHASE_ASSEMBLE,
    TN_PHASE_COLLIDE,
    TN_PHASE_PLAN,
    TN_PHASE_SOFTS,
    TN_PHASE_SOLVE,
    TN_PHASE_LOOK,
    TN_PHASE_COMPARE,
    TN_PHASE_LIMIT,
    TN_PHASE_MOVE,
    TN_PHASE_BALANCE,
    TN_PHASE_ACCEPT,
    TN_PHASE_COUNT
} TnPhase;

/* Where the loop is (step.c, again.c). */
typedef struct TnStepLoop {
    unsigned todo, done;        /* sets of phases */
    int repeats[TN_PASS_COUNT]; /* spent of each row's share */
} TnStepLoop;

typedef struct TnStep {
    TnWorld *world;
    const TnModel *model;
    TnStepReport *report;
    double clock; /* s: when the phase that runs began */
    double t;
    int *awake; /* subsystems that take part, ascending */
    int awake_count;
    TnDynamicsInput dynamics;
    TnSoftInput soft_input;
    TnConstraintInput constraint;
    TnSystems *systems; /* the world's */
    double *next_act;   /* activations at the step's end */
    TnStepHits hits;
    TnStepFault fault;
    TnStepFree free;
    TnStepPlan plan;
    TnStepFound found;
    TnStepAbout about;
    TnStepMissed missed;
    TnStepWay way;
    TnStepStart start;
    TnStepBalance balance;
    TnStepChecks check;
    TnStepSleep sleep;
    TnStepLoop loop;
} TnStep;

/* What the balances did to a subsystem's new state. */
typedef enum TnScaledBy {
    TN_SCALED_NOT,     /* nothing, nor would they in states nearby */
    TN_SCALED_BY_OWN,  /* its velocities were scaled by √(1 - take/moving), `moving` its kinetic
                          energy: `take` is what the step made of it, and what was owed */
    TN_SCALED_BY_DEBT, /* the same, of what was owed alone */
    TN_SCALED_ELSE
} TnScaledBy;
typedef struct TnScaled {
    TnScaledBy by;
    double take, moving;
} TnScaled;

/* What watches a step, or solves it in place of the solver (derive/linear.h). */
typedef struct TnInstead {
    /* before rows are built, each time; NULL: nothing. False: no memory */
    bool (*before)(void *context, TnStep *step);
    /* once they are; NULL: the solver does. Such steps look at nothing that was not foreseen and do
     * nothing again. False: it cannot */
    bool (*solve)(void *context, TnStep *step);
    void *context;
    bool plain;      /* ways are not cut, and nothing is balanced */
    bool *assembled; /* per subsystem: becomes true where it is assembled again after a solution.
                        NULL: not needed */
    /* with the new state in the place of the old one, while the step's memory is there. NULL:
     * nothing */
    void (*taken)(void *context, const TnStep *step);
    void *taken_context;
    TnScaled *scaled; /* per subsystem, where a balance is made: it. NULL: not needed */
} TnInstead;
static inline bool tn_step_is_foreseen(const TnStep *step)
{
    return step->world->instead && step->world->instead->solve;
}

/* ---- step.c ---- */
/* A step of world->t, with inputs that stay for the next one. */
TnStepReport tn_step_once(TnWorld *world);
/* These phases, and what checks ask for behind them. False: the step cannot be taken. */
bool tn_step_go(TnStep *step, unsigned phases);
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
/* step->found.error from the report's. */
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
/* A, b and the free motion of every part and chain but soft bodies'. False: no memory, or not
 * positive definite. */
bool tn_step_assemble(TnStep *step);
/* Trees and rods whose plan changed are assembled again. */
bool tn_step_reassemble_planned(TnStep *step);
/* One of them (kind.h); and a tree alone. */
bool tn_step_reassemble_tree(TnStep *step, int s, bool *chained);
bool tn_step_reassemble_rod(TnStep *step, int s, bool *chained);
bool tn_step_assemble_tree(TnStep *step, const TnSubsystem *sub);
/* How soft bodies will move, once the contacts are known; and A and b of the mesh blocks. */
bool tn_step_plan_softs(TnStep *step);
bool tn_step_assemble_softs(TnStep *step);
/* A contact that the free motion closes and that did not touch before. */
bool tn_step_strikes(const TnStep *step, const TnContactList *contacts, const TnContactPoint *c);
/* Velocity of geom2 against geom1 along a contact's normal, nodes and links as predicted but for
 * nodes of `end_qvel` (whole-model). */
double tn_step_separation(const TnStep *step, const TnContactList *contacts,
                          const TnContactPoint *c, const double *end_qvel);

/* ---- plan.c ---- */
/* Per subsystem: equalities act on it that are `iterated` (division.h) or not between a cable's
 * segment and a link; any equalities, wheels or holds do; something in it depends on how it will
 * move. */
void tn_plan_minds(const TnModel *model, const bool *iterated, bool *loops, bool *tied,
                   bool *minds);
/* The plan before anything is known of the step. */
void tn_plan_begin(TnStep *step);
/* Cables and soft bodies that move too fast for the step take more of v⁺ than was planned; so must
 * those that are joined with them. `changed`: some have to be assembled again. False: no memory.
 */
bool tn_plan_share(TnStep *step, bool *changed);
/* What the listed contacts say, and what the solution says: `changed` where something that depends
 * on it will be pushed and was not to be. False: no memory. */
bool tn_plan_contacts(TnStep *step, bool *changed);
bool tn_plan_check(TnStep *step, bool *changed);

/* The real state that the step begins with. */
static inline TnInstant tn_step_before(const TnStep *step)
{
    if (!step->hits.since) return tn_world_now(step->world);
    return (TnInstant){step->hits.real_qpos, step->hits.real_qvel, step->hits.real_frames,
                       (const double(*)[6])step->hits.real_twists, NULL};
}

/* The share of the step that is left after a subsystem's last hit, for joints and turning that go
 * on from there; else 1. */
static inline double tn_step_left(const TnStep *step, int subsystem)
{
    return step->hits.since ? step->hits.left[subsystem] : 1.0;
}

/* ---- missed.c ---- */
/* What the motion that was found runs into and was not foreseen: step->missed. `may_join`: it joins
 * the step's list where that is cheap. False: no memory. */
bool tn_step_list_missed(TnStep *step, bool may_join);
/* Further passes led a soft body elsewhere than that look knew. */
bool tn_step_softs_went_on(const TnStep *step);
/* step->missed.list of these links, too, as if either of a pair might stand still. NULL: of all
 * that move. */
bool tn_step_look_again(TnStep *step, const uint8_t *links);

/* ---- limit.c, kept.c ---- */
/* How far each subsystem gets of its way (step->way). False: no memory. */
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
/* How far what was found is from what the step is linear about: step->about. */
bool tn_step_compare(TnStep *step);
/* Loops, and soft bodies, that are `off` by more than 1 are taken about what was found. `may`:
 * loops get nearer by that. False: no memory. */
bool tn_step_refine_loops(TnStep *step, bool *may, double *off);
bool tn_step_expect_softs(TnStep *step, double *off);
/* The next pass: everything that can be is linear about what the last one found. `go`: it makes
 * sense. False: no memory. */
bool tn_step_refine_all(TnStep *step, bool *go);

/* ---- found.c ---- */
/* After a solve; false: no memory. */
bool tn_step_find(TnStep *step);
/* Of a row of force or friction along a path; NULL: it is none. */
const TnPathRow *tn_step_path_row(const TnStep *step, int row);
bool tn_step_is_path_row(const TnStep *step, int row);
/* Rate of the joint or direct tendon that a row of dry friction acts on, and whose it is. */
double tn_step_row_rate(const TnStep *step, int slot, const double *qvel, int *subsystem);
/* No way is cut. */
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
/* After tn_step_move, where things turn far: ways of what ends too deep are halved. `off`: how deep
 * the worst is, in units of what is let pass. False: no memory. */
bool tn_step_verify(TnStep *step, double *off);

/* ---- integrate.c ---- */
/* Each subsystem by its way (step->way) to the new state. False: it would make no sense.
 */
bool tn_step_move(TnStep *step);
/* All of their ways: the state at the step's end beside the present one (world->next_qpos, ...). */
bool tn_step_move_freely(TnStep *step);
/* Wheels of the new state do not slip, nor do curved equalities drift. False: no memory. */
bool tn_step_stop_slip(const TnStep *step);
bool tn_step_stop_drift(const TnStep *step);
/* Numbers of the new state are finite and not beyond all measure. */
bool tn_step_makes_sense(TnStep *step);
/* The new state becomes the world's. False: no memory. */
bool tn_step_accept(TnStep *step);
/* The same where a device has the contacts: ways are not cut, and there is no account. */
bool tn_step_integrate_outside(TnStep *step);

/* ---- accept.c ---- */
bool tn_step_limit_ways(TnStep *step);
/* The new state is what it should be; step->balance.beyond: ways are cut, it is to be found again.
 */
bool tn_step_put_right(TnStep *step);
/* All of this for one rank's part of a scene. */
bool tn_step_put_part_right(TnStep *step);

/* ---- balance.c ---- */
/* Puts momentum and energy of the new state right, and tells where the energy went. Unless some
 * group gets to where it cannot afford to be (step->balance.beyond): where they may be, its ways
 * are cut (reach, strain), and all else is to be done again. False: no memory. */
bool tn_step_balance(TnStep *step, bool may_cut, TnStepReport *report);

#endif
