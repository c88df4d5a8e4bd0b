/* rows.h: how scalar rows are written. Internal to constraint/.
 *
 * A row is J over the unknowns of the blocks it touches (its sides), e, and a law. Rows are
 * appended one after the other; a row that turns out to constrain nothing is taken back. */
#ifndef TN_CONSTRAINT_ROWS_H
#define TN_CONSTRAINT_ROWS_H

#include "constraint.h"

/* Frames of links and motion axes of trees at one configuration, and a velocity there. */
typedef struct TnPlace {
    const TnLinkFrame *frames;
    const TnTreeAxes *axes;    /* per tree */
    const double (*twists)[6]; /* per link: the velocity that `rate` is taken of, for free bodies */
    const double *qvel;        /* the same for trees */
} TnPlace;

typedef struct TnRowWriter {
    const TnConstraintInput *in;
    TnConstraintSet *set;
    bool limits;   /* some are near */
    TnPlace start; /* at the step's start */
    int row, side, entry;
    double shift; /* Σ J v of the row being written, v at the step's start */
    double rate;  /* the same with the place's velocity; links only */
    double size;  /* sum of squares of its coefficients before any of them cancel */
    double turn;  /* the same of angular ones and of dofs, each over its lever */
    double lever; /* m: the shortest of the links' that it acts on */
    double drive; /* of J v what mocap bodies make: it is known, and goes into e */
} TnRowWriter;

TnRow *tn_row_begin(TnRowWriter *w, TnRowSet set, int slot);
/* Unknowns that a row on a link has: of what it moves with; 0 for the world. */
int tn_dim_of_link(const TnConstraintInput *in, int link);
/* Adds sign · (linear · velocity of the link's point + angular · its angular velocity) at a place.
 */
void tn_row_add_link(TnRowWriter *w, TnRow *row, const TnPlace *place, int link,
                     const double point[3], const double linear[3], const double angular[3],
                     double sign);
void tn_row_add_dof(TnRowWriter *w, TnRow *row, const TnSubsystem *sub, int dof,
                    double coefficient);
/* A row over dofs or angular velocities gets its lever: L with which L J v has coefficients of the
 * length one where all that turns is counted in metres. */
void tn_row_set_lever(const TnRowWriter *w, TnRow *row);
/* Of two links; the world counts as none. */
double tn_pair_lever(const TnModel *model, int link_a, int link_b);
/* Takes the row back where it has no side or only coefficients that rounding left over: two bodies
 * that cannot move against each other in this direction. True: it was taken back. */
bool tn_row_drop_if_empty(TnRowWriter *w, TnRow *row);

const TnSubsystem *tn_subsystem_of_joint(const TnModel *model, const TnJoint *joint);
/* v⁺ of a tree's dof in the free motion. */
double tn_free_end(const TnConstraintInput *in, const TnSubsystem *sub, int dof);
/* A limit is watched when it could be reached within the step, with a share of its range to spare.
 */
bool tn_limit_is_near(double gap, double v, double v_end, double range, double t);
/* Completes the row as a limit with this gap; its coefficients are written. */
void tn_row_close_limit(TnRowWriter *w, TnRow *row, const TnSubsystem *sub, double gap, double v,
                        double v_end);
/* Its J is the same everywhere: what e follows J dq, J dv and the share of v⁺ by, of limits as
 * their law has it. */
void tn_row_is_straight(const TnRowWriter *w, const TnRow *row, double by_place, double by_rate,
                        double by_share);
/* Completes the row as dry friction of this size. */
void tn_row_close_friction(TnRowWriter *w, TnRow *row, double friction);

/* ---- warm.c ---- */
/* Where last step's contacts of a geom stand in the kept list. Large groups (soft surfaces have
 * hundreds) are found through a hash table, open addressing, with indices + 1. */
typedef struct TnWarmGroups {
    int *first, *count; /* per geom */
    int *table;
    uint32_t mask; /* size of the table - 1 */
} TnWarmGroups;
bool tn_warm_find(const TnConstraintInput *in, TnWarmGroups *groups); /* false: no memory */
/* λ and spin of the same contact in the last step, scaled, and λ as it was; zero for a new one. */
void tn_warm_contact(const TnConstraintInput *in, const TnWarmGroups *groups,
                     const TnContactPoint *c, double lambda[3], double spin[3], double memory[3]);
void tn_warm_rows(const TnConstraintInput *in, const TnWarmGroups *groups, TnConstraintSet *set);

/* ---- over_step.c ---- */
/* One side of a contact: its row in the twist table; the velocity of its point at the step's start
 * and at the end of its free motion; in the middle its arm, and the velocity there that the start's
 * is. */
typedef struct TnContactSide {
    int row;
    double v[3], v_end[3];
    double arm[3], v_mid[3];
} TnContactSide;
typedef struct TnContactOverStep {
    TnContactSide side[2];
    double normal[3]; /* in the middle */
    double shift[3];  /* m/s: how J v changes from there to the end while v stays */
} TnContactOverStep;
void tn_contact_over_step(const TnConstraintInput *in, const TnConstraintSet *set, int contact,
                          TnContactOverStep *out);

/* ---- contacts.c ---- */
void tn_constraint_fill_contacts(const TnConstraintInput *in, const TnWarmGroups *groups,
                                 TnConstraintSet *set);

/* ---- blocks.c ---- */
/* Rows in the twist table. Free bodies are numbered as the contacts, which come in spatial order,
 * first name them, so that neighbours in space are neighbours in memory; the others follow. A
 * link of a tree or rod gets a port where a contact or a bond touches it; the ports of a block lie
 * together, first_port says where (one more than there are blocks). False: no memory. */
bool tn_constraint_assign_rows(const TnConstraintInput *in, TnConstraintSet *set, int port_row,
                               int *first_port);
/* A large block that sleeps keeps its place: one unknown that nothing touches. False: no memory. */
bool tn_constraint_fill_sleeper(TnConstraintSet *set, int block, const int *first_port);
/* A, b and the starting guess of every block, and its ports; the trees' axes. False: no memory. */
bool tn_constraint_fill_blocks(const TnConstraintInput *in, TnConstraintSet *set, TnTreeAxes *axes,
                               const int *first_port);

/* ---- tendon_rows.c ---- */
void tn_constraint_count_tendons(const TnConstraintInput *in, TnRowCounts *counts);
void tn_constraint_add_tendons(TnRowWriter *w);

/* ---- path_rows.c ---- */
void tn_constraint_count_paths(const TnConstraintInput *in, TnRowCounts *counts);
bool tn_constraint_add_paths(TnRowWriter *w); /* false: no memory */

/* ---- bonds.c: springs between groups of a rod, and welds of segments that are iterated ---- */
/* Springs and followers; the other welds come from equality.c. */
bool tn_constraint_add_bonds(const TnConstraintInput *in,
                             TnConstraintSet *set); /* after the contacts; false: no memory */
/* J of the weld's bond (rows: place, turn; of the segment against its holder) with arms as at these
 * frames, and the starting guess of λ; e is left to the caller. */
TnBond *tn_constraint_add_weld(const TnConstraintInput *in, TnConstraintSet *set, int equality,
                               const TnLinkFrame *at);
void tn_constraint_keep_welds(const TnConstraintInput *in, const TnConstraintSet *set,
                              double *row_lambda);

/* Bonds that are written: those of sleepers are not. */
int tn_constraint_awake_bonds(const TnConstraintInput *in);

static inline bool tn_rod_asleep(const TnConstraintInput *in, int rod)
{
    return in->state->asleep[in->model->rods[rod].subsystem] != 0;
}
static inline bool tn_piece_tie_asleep(const TnConstraintInput *in, int tie)
{
    int soft = in->division->pieces[in->division->piece_ties[tie].piece_a].soft;
    return in->state->asleep[in->model->softs[soft].subsystem] != 0;
}

/* ---- soft_ports.c ---- */
/* Node of the soft body -> node of a piece that has it. */
int tn_soft_piece_node(const TnSoftPiece *piece, int node);
/* Counts ports of soft points in (row NULL) or numbers them on from the blocks' cursors. */
void tn_constraint_soft_rows(const TnConstraintInput *in, int port_row, int *cursor, int *row);
/* Mesh blocks with the starting guess of their nodes, and ports of soft points. False: no memory.
 */
bool tn_constraint_fill_meshes(const TnConstraintInput *in, TnConstraintSet *set,
                               const int *first_port);

/* ---- soft_rows.c ---- */
bool tn_soft_hold_carried(const TnDivision *division, int soft, const TnSoftHold *hold);
void tn_constraint_count_softs(const TnConstraintInput *in, TnRowCounts *counts);
bool tn_constraint_add_softs(TnRowWriter *w); /* false: no memory */
/* One round of tn_constraint_share_blend over holds and ties; true where something changed. */
bool tn_constraint_share_softs(const TnModel *model, double *blend);

/* ---- equality.c ---- */
bool tn_constraint_add_equalities(TnRowWriter *w); /* false: no memory */

/* ---- motion.c ---- */
/* Where the step is expected to lead (equality.c tells more). Filled by subsystem, on demand. */
typedef struct TnMotion {
    /* `at` is q ⊕ ½ t u₀, in full, and a subsystem is predicted as a whole: one velocity that
     * passes zero is no hit. Else `at` is q ⊕ (1-η) t u₀ */
    bool middle;
    double *eta;         /* per subsystem: it moves by t u, u = (1-η) v + η v⁺ */
    bool *done;          /* per subsystem: what follows is there */
    TnLinkFrame *at;     /* of a free body only com is set, to c + (1-η) t v, unless `middle` */
    TnTreeAxes *axes;    /* there */
    TnLinkFrame *end;    /* q ⊕ t u₀ */
    double (*twists)[6]; /* of free bodies: u₀ */
    double *qvel, *qpos; /* of trees: u₀, and where it leads */
} TnMotion;
bool tn_motion_init(const TnConstraintInput *in, TnMotion *m); /* false: no memory */
/* v̂ of some unknowns; `last` is their place in the state's. */
void tn_velocity_expected(const TnConstraintInput *in, int n, const double *v, const double *last,
                          double *out);
/* v⁺ of a body from v and the last v̂: its velocity and its spin keep their directions, and their
 * sizes change as they did. What turns evenly is not to grow, as it would along a straight line. */
void tn_twist_expected(const double now[6], const double last[6], double end[6]);
/* u₀ of some unknowns from v and the last v̂. */
void tn_motion_predict(const TnConstraintInput *in, double eta, int n, const double *v,
                       const double *last, double *u);
/* Moves the subsystem that a body moves with, that of its carrier where a robot carries it, and
 * tells its η. False: no memory. */
bool tn_motion_of_body(const TnConstraintInput *in, int body, TnMotion *m, double *eta);
/* What a row of C(q) = 0 is about: C at the start and where the prediction leads, J u₀ and J₀ v. Of
 * a row that is a component of a vector: the vector's length at the start; 0: |C|. */
typedef struct TnViolation {
    double C, C_end, rate, start_rate, length;
    bool exact; /* it is closed in full, and tn_equalities_stop_drift is asked afterwards */
} TnViolation;
void tn_row_close_equality(const TnRowWriter *w, TnRow *row, double eta, TnViolation x);

/* ---- wheel_rows.c ---- */
void tn_constraint_count_wheels(const TnConstraintInput *in, TnRowCounts *counts);
bool tn_constraint_add_wheels(TnRowWriter *w); /* false: no memory */

#endif
