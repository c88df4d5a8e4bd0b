/* near_groups.h: groups of subsystems that forces joined in a step, in a world that ranks step in
 * parts. A group may span ranks: each rank has a set of its own bodies and of those near them, and
 * has the list of sets of others with which its own are connected. Sums over a group are in whole
 * units (math/whole_sum.h), so that they do not depend on which rank adds up what. */
#ifndef TN_RANKS_NEAR_GROUPS_H
#define TN_RANKS_NEAR_GROUPS_H

#include "../account/account.h"
#include "../math/whole_sum.h"
#include "../subsystem/kind.h"
#include "near.h"

/* Energies, J; the mass is one at the speed that gravity gives in a step. */
enum {
    TN_SUM_KINETIC,
    TN_SUM_KINETIC_BEFORE,
    TN_SUM_CREATED,
    TN_SUM_INVOLVED,
    TN_SUM_PUT_OUT,
    TN_SUM_LOST,
    TN_SUM_OWED,
    TN_SUM_THERE,
    TN_SUM_MASS,
    TN_ENERGY_SUMS
};

/* Of a set, or of a group. */
typedef struct TnSetAccount {
    double id; /* of a set: 2^31 · rank + root; of a mover: -1 - its number */
    TnWholeSum sums[TN_ENERGY_SUMS]; /* of those that this rank counts */
    int32_t bound, left;             /* something fixed acts on it; it is left alone */
    int32_t pushed;                  /* not only by contacts that last */
    int32_t lowest;                  /* number of a member; INT32_MAX: none was counted */
    double at[3];                    /* where that one was */
} TnSetAccount;

/* What becomes of a group: v⁺ ← scale (v⁺ - is) + must. */
typedef struct TnOutcome {
    double scale;
    double owed; /* J: left to later steps, */
    int lowest;  /* by this member */
    bool whole;  /* its motion as a whole changes: */
    TnRigidMotion is, must;
} TnOutcome;

typedef struct TnNearGroups {
    TnStep *step;
    const TnNear *near;
    TnAccounts accounts;
    int *root;         /* per subsystem: of its set */
    bool *touched;     /* per subsystem, and by root: a force acts on it */
    bool *open;        /* by root: others have some of it */
    TnSetAccount *of;  /* by root: of its group */
    double *told;      /* per subsystem: id of the set that its rank has it in */
    TnSetAccount *all; /* of all ranks, by id, those of one group alike */
    int all_count;
    int *all_root; /* of these: the first of the group */
    double unit;   /* J */
} TnNearGroups;

/* It is this rank's to count. Soft bodies have no links, and their groups are left alone. */
static inline bool tn_near_counts(const TnNearGroups *g, int s)
{
    const TnSubsystem *sub = &g->step->model->subsystems[s];
    return sub->link_count && g->near->counts[sub->link_start];
}
static inline bool tn_near_is_mover(const TnNearGroups *g, int s)
{
    return g->near->mover && g->near->mover[s];
}
/* Ranks tell each other of this set, by root. */
static inline bool tn_set_is_told(const TnNearGroups *g, int root)
{
    return g->open[root] && g->touched[root];
}

/* ---- near_groups.c ---- */
double tn_set_id(const TnNearGroups *g, int root);
/* Which of all; -1: none. */
int tn_set_find(const TnNearGroups *g, double id);
/* Accounts of open sets become those of their groups. `refused`: on this rank, then on any.
 * Collective. False: no memory. */
bool tn_near_join_groups(TnNearGroups *g, bool *refused);

/* ---- near_momentum.c ---- */
/* Motion of groups on which nothing fixed acts, as it is and as it must be, into outcomes by root;
 * `energies`: kinetic energy of the first, J, and what the change adds to it. Collective. False: no
 * memory. */
bool tn_near_momentum(TnNearGroups *g, TnOutcome *outcomes, double (*energies)[2]);

#endif
