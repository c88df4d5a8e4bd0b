/* spread.h: a world that ranks step in parts.
 *
 * Each rank has a world of its own free bodies and of those near them (near.h), with all that is
 * fixed, and with all movers near these (spread_movers.c). Bodies belong to ranks in ranges of a
 * curve that fills space (spread_curve.c), and near is what own bodies may meet in some steps
 * (spread_meet.c). As long as no body has come farther than that, a step needs what neighbours
 * tell: velocities in each iteration, and the new states of their bodies. Then bodies are handed to
 * neighbours (spread_move.c), and neighbours are found anew. Nothing that is computed depends on
 * ownership.
 *
 * Rank 0 has the user's world with the whole model and, on request, the whole state. It
 * hands bodies out with their definitions (spread_divide.c), which go with them from rank to rank.
 * What is no free body all ranks have, in a world of its own (`common`): movers where their owners
 * last told they are. Other ranks may have the whole, too; then they are told its state as rank 0
 * is. Whatever users set is taken from rank 0 (spread_orders.c). */
#ifndef TN_RANKS_SPREAD_H
#define TN_RANKS_SPREAD_H

#include <string.h>

#include "../model/part/part.h"
#include "near.h"

/* A cube with 2^16 cells along an edge. */
typedef struct TnCurve {
    double low[3], edge; /* of the cube, and of its cells */
} TnCurve;

typedef struct TnPlace {
    uint64_t key; /* on the curve */
    int s;
} TnPlace;

/* About a link of a mover, or about a node of a soft body and the surface next to it. */
typedef struct TnBall {
    int s, index; /* mover; its link or node */
    int unit;
    double center[3], radius;
    double room;  /* m: so far it may get */
    double reach; /* m: radius and room, and how far ahead contacts are listed */
} TnBall;

/* Movers that are joined are a unit. Units whose balls meet are a cluster, and the lowest of them
 * stands for it. A cluster has one owner; ranks with bodies near it have it, too. */
typedef struct TnUnits {
    int count;
    int *of;        /* per mover */
    bool *common;   /* per unit: all ranks have it */
    int *cluster;   /* per unit: a disjoint set of them, */
    int *owner;     /* and the rank that tells of it */
    uint8_t *there; /* [rank][unit that stands for a cluster]: the rank has it */
    TnPlace *near;  /* the unit that stands for a cluster as key, and an own body near it */
    int near_count, near_capacity;
} TnUnits;

/* What parts need of the whole. */
typedef struct TnSpreadScene {
    double size;           /* m: no point of a free body is farther from its place, and */
    double contact_margin; /* so much of it is a margin */
    double cell;           /* m: tn_collider_cell */
    double mean_mass;      /* kg, of a subsystem */
    double extent;         /* m: no point of a link is farther from its centre of mass */
    int subsystems, free;  /* how many there are, and how many of them are free bodies */
    bool bounces;          /* some geom has restitution */
} TnSpreadScene;

/* A force that a user set, for one step. */
typedef struct TnSpreadWrench {
    int32_t number, link; /* subsystem of the whole; which of its links */
    double wrench[6];
} TnSpreadWrench;

/* Subsystems that are no free bodies, and free bodies that something is joined to, are movers; they
 * are counted as in `common`. Subsystems of the part are counted from 0, and known to other ranks
 * by their numbers in the whole. */
typedef struct TnSpread {
    bool has_whole;  /* the world has the whole model, */
    bool *whole_at;  /* per rank: likewise */
    TnBase base;     /* what all ranks have, */
    TnWorld *common; /* and its state: movers as owners last told, what users set */
    TnSpreadScene scene;
    TnPart all; /* rank 0: the whole */
    TnPart part;
    TnWorld *world;        /* of the part; NULL: space is not divided yet */
    TnArena arena;         /* of the part before, for the next one */
    int count, own_count;  /* subsystems of the part; own_count: without movers */
    int *mover;            /* per subsystem of the part: which one it is; -1: a free body */
    int *place;            /* per mover: where the part has it; -1: nowhere */
    int *here, here_count; /* movers in the part */
    TnNear near;
    double (*start)[3]; /* per subsystem: where it was when space was divided */
    double *room;       /* per subsystem, m: farther from there it may not get, the way of the step
                           to come included */
    TnUnits units;
    TnBall *balls;
    int ball_count;
    double more_room; /* m: since some step wanted it; for balls, and bodies that are watched */
    double lacked;    /* m: by so much the last step wanted more than there was */
    bool stopped;     /* for that, or since a subsystem could not be assembled */
    double *kept;     /* of movers, what a step changes that may have to be taken back */
    TnSpreadWrench *wrenches;
    int wrench_count, wrench_room;
    TnCurve curve;
    uint64_t *first_key; /* per rank: where its range of the curve begins */
    /* with neighbours, after a step */
    TnRankLink *links;
    double *sent, *received;
    void *exchange;
    double margin;  /* for how much more than the least way bodies have room */
    int steps;      /* since neighbours were found, */
    double work;    /* s of the processor that these took, without waits; 0: not known */
    int64_t ghosts; /* of all ranks then */
    struct TnStartOfStep *began; /* with sub-steps: the state that the step began with */
    bool ordered;                /* what users set for this step is there */
    bool put;                    /* the whole's state is another one: divide */
    bool far;                    /* a body came too far: find neighbours anew */
    bool ahead;                  /* the parts' state is newer than the whole's */
} TnSpread;

/* Numbers that tell the state of a free body. */
enum { TN_SPREAD_NUMBERS = 7 + 6 + 6 + 1 };

typedef struct TnSpreadBody {
    int64_t number; /* subsystem of the whole */
    double reach;   /* m: radius about its place within which it can touch something */
    double lever;   /* m: times its angular velocity, what turning adds to the
                       speed of its points */
    double pushed;  /* m: by forces that users set, in a step */
    int64_t shared; /* it is near a mover that the other rank has */
    double numbers[TN_SPREAD_NUMBERS]; /* qpos, qvel, vhat, owed */
} TnSpreadBody;

/* A contact on its way: geoms and subsystems of the whole, -1: fixed. */
typedef struct TnSpreadContact {
    TnWarmContact contact;
    int32_t side[2];
} TnSpreadContact;

/* It has a free body of the part. */
static inline bool tn_spread_owns(const TnSpread *spread, int k)
{
    return spread->near.own[k] && spread->mover[k] < 0;
}

static inline int tn_spread_rank(const TnWorld *world)
{
    return world->def.ranks ? world->def.ranks->rank : 0;
}

/* From and to where a state has the numbers of a body. */
static inline void tn_spread_pack(const TnState *state, const TnModel *model, int s, double *to)
{
    const TnSubsystem *sub = &model->subsystems[s];
    memcpy(to, state->qpos + sub->qpos_start, sizeof(double[7]));
    memcpy(to + 7, state->qvel + sub->dof_start, sizeof(double[6]));
    memcpy(to + 13, state->vhat + sub->dof_start, sizeof(double[6]));
    to[19] = state->owed[s];
}
static inline void tn_spread_unpack(TnState *state, const TnModel *model, int s, const double *from)
{
    const TnSubsystem *sub = &model->subsystems[s];
    memcpy(state->qpos + sub->qpos_start, from, sizeof(double[7]));
    memcpy(state->qvel + sub->dof_start, from + 7, sizeof(double[6]));
    memcpy(state->vhat + sub->dof_start, from + 13, sizeof(double[6]));
    state->owed[s] = from[19];
}

/* What a rank owns, before it has a part. */
typedef struct TnOwned {
    TnSpreadBody *bodies; /* ascending */
    int count;
    TnSpreadContact *contacts; /* that they have but with movers */
    int contact_count;
    TnSpreadContact *mover_contacts; /* of all movers */
    int mover_contact_count;
    /* definitions: */
    TnPart from;           /* a part that has some of them, */
    bool borrowed;         /* kept elsewhere */
    TnBodySource *arrived; /* others, ascending, */
    int arrived_count;
    void **blocks; /* in here */
    int block_count;
    /* what neighbours have of it: ascending numbers for each of them */
    int known_count, *known_rank, *known_start, *known;
} TnOwned;
void tn_owned_free(TnOwned *own);

/* Which bodies are near each other. */
typedef struct TnMeeting {
    TnSpreadBody *ghosts; /* of others, ascending for each of them */
    int *owner;           /* whose */
    int ghost_count;
    TnPlace
        *sends; /* the rank as key, and numbers of own bodies that are ghosts there, ascending */
    int send_count;
    double *room; /* per own body */
} TnMeeting;

/* ---- spread_open.c ---- */
/* As tn_world_create, by all of several ranks, of which all but rank 0 may come without a model. */
TnWorld *tn_spread_create_world(const TnWorldDef *def, const TnModel *model, TnError *err);
/* What a rank without a model is told before it can make a world. */
typedef struct TnSpreadStart {
    bool *whole_at; /* per rank: it has a model */
    TnBase base;    /* taken */
    TnSpreadScene scene;
} TnSpreadStart;
/* False: *err says why. Does nothing to a world that is not spread. `start`: NULL where this rank
 * is alone. */
bool tn_spread_create(TnWorld *world, TnSpreadStart *start, TnError *err);
void tn_spread_destroy(TnWorld *world);
/* Base, `common` and `all` of the model as it is now. False: no memory. */
bool tn_spread_renew_base(TnWorld *world);
/* Some rank has no model, so it cannot be changed. */
bool tn_spread_is_fixed(const TnWorld *world);

/* ---- spread.c ---- */
/* Before a step, and one of its sub-steps. */
void tn_spread_begin(TnWorld *world);
TnStepReport tn_spread_once(TnWorld *world);
/* The state is another one, not from steps. */
void tn_spread_note_state(TnWorld *world);

/* ---- spread_orders.c ---- */
/* What users set for the step to come, from rank 0 to all: whether it is to divide, forces,
 * controls, places of mocap bodies. Collective. False: no memory. */
bool tn_spread_take_orders(TnWorld *world);
/* m: by so much the forces that users set may move a free body in a step. */
double tn_spread_pushed(const TnWorld *world, int number, const TnLink *link);
/* The part gets what is for it. */
void tn_spread_hand_over_orders(TnWorld *world);

/* ---- spread_start.c ---- */
/* The state that a step of several sub-steps begins with. Collective. False: no memory. */
bool tn_spread_keep_start(TnWorld *world);
/* It is the whole's state again. Collective. */
void tn_spread_return_to_start(TnWorld *world);
void tn_spread_forget_start(TnSpread *spread);

/* ---- spread_curve.c ---- */
/* Fills a cube about a box; cells are not smaller than `least`. */
TnCurve tn_curve_through(const double low[3], const double high[3], double least);
uint64_t tn_curve_key(const TnCurve *curve, const double x[3]);
/* By key, those of one key in their order. False: no memory. */
bool tn_curve_sort(TnPlace *places, int count);

/* ---- spread_divide.c ---- */
/* Parts of the state that rank 0 has. Collective. False: no memory. */
bool tn_spread_divide(TnWorld *world);
/* Ranges of equal weight: where each rank's begins, from weights of places in the curve's order. */
void tn_spread_cut(const TnPlace *places, const int64_t *weight, int count, int ranks,
                   uint64_t *first_key);
/* Whose range a place on the curve is in. */
int tn_spread_owner(const TnSpread *spread, int ranks, uint64_t key);
/* Of its kind: a body counts so much, and 1 for each of its contacts. */
enum { TN_SPREAD_BODY_WEIGHT = 2 };

/* ---- spread_move.c ---- */
/* The part anew, after bodies that have left the rank's range went to neighbours. */
bool tn_spread_renew(TnWorld *world);
/* A contact of the part. */
TnSpreadContact tn_spread_contact(const TnSpread *spread, int index);
/* Contacts are grouped by their first geom. False: no memory. */
bool tn_spread_group_contacts(TnWarmContact *contacts, int count);

/* Something may move free bodies farther than their speed and gravity do, and there are others that
 * would need their places. */
static inline bool tn_spread_watches(const TnWorld *world)
{
    const TnSpread *spread = world->spread;
    return world->def.ranks && world->def.ranks->count > 1 &&
           (spread->scene.bounces || spread->base.model->adhesion_count > 0);
}

/* ---- spread_meet.c ---- */
/* m: so far something that moves so fast (m/s) may get until neighbours are found anew. */
double tn_spread_room(const TnWorld *world, double speed);
/* Sets the reach of own bodies, and finds neighbours. Collective. False: no memory. */
bool tn_spread_meet(TnWorld *world, TnOwned *own, TnMeeting *out);

/* ---- spread_movers.c ---- */
/* How much more room than usual there is to be, by what the last step lacked. Collective. False: no
 * memory. */
bool tn_spread_set_more_room(TnWorld *world);
/* Movers that are joined. False: no memory. */
bool tn_spread_find_units(TnWorld *world);
/* Which movers each rank has, from own bodies near them, and how far own bodies may get for all
 * that others do (m). Collective. False: no memory. */
bool tn_spread_meet_movers(TnWorld *world, const TnOwned *own, double size, double *most);
/* Marks own bodies that are near a mover which the rank has. */
void tn_spread_mark_for(const TnSpread *spread, int rank, TnSpreadBody *own, int count);
/* This rank and another one have some mover. */
bool tn_spread_share_movers(const TnSpread *spread, int rank, int other);
static inline int tn_spread_mover_count(const TnSpread *spread)
{
    return spread->base.model->subsystem_count;
}
/* The mover that a subsystem of the whole is; -1: it is none. */
static inline int tn_spread_mover(const TnSpread *spread, int number)
{
    return tn_part_find(spread->base.subsystem, tn_spread_mover_count(spread), number);
}
/* The rank that tells of a mover. */
static inline int tn_spread_mover_owner(const TnSpread *spread, int mover)
{
    return spread->units.owner[spread->units.of[mover]];
}

/* Where `common` has a mover. */
const double *tn_spread_mover_place(const TnWorld *common, int mover);

/* ---- spread_mover_state.c ---- */
/* The part's movers are those of `common`, and the other way round: then all ranks have all of
 * them. */
bool tn_spread_put_movers(TnWorld *world); /* false: no memory */
bool tn_spread_get_movers(TnWorld *world); /* the same; collective */
/* Between the whole and `common`, on a rank that has both. */
void tn_spread_movers_from_whole(TnWorld *world);
void tn_spread_movers_to_whole(TnWorld *world);
/* What a step may change of them, and back. */
void tn_spread_keep_movers(TnSpread *spread);
void tn_spread_take_back_movers(TnSpread *spread);
/* How far movers may have come behind the next step, in shares of their room. */
double tn_spread_movers_gone(const TnSpread *spread);
/* Of all ranks that have a contact of these geoms of the part, this one tells of it. */
bool tn_spread_tells(const TnWorld *world, int geom1, int geom2);

/* ---- spread_part.c ---- */
/* A world of some of the subsystems, as the user has set the whole. NULL: no memory. */
TnWorld *tn_spread_world_of(const TnWorld *world, const TnModel *model, int threads);
/* Model and world of own bodies and those near them. Collective. False: no memory. */
bool tn_spread_make_part(TnWorld *world, TnOwned *own);
/* `part`: the model and numbers, if they are requested; else they are freed, too. */
void tn_spread_release_part(TnSpread *spread, TnPart *part);

/* ---- spread_define.c ---- */
/* Bodies that came, one after the other in a block, which is taken. False: no memory. */
bool tn_owned_add_definitions(TnOwned *own, void *block, size_t bytes);
/* What neighbours have of the part. False: no memory. */
bool tn_owned_note_known(const TnSpread *spread, TnOwned *own);
/* Bodies that own ones meet bring their definitions where they are not known yet. Collective.
 * False: no memory. */
bool tn_spread_swap_definitions(TnWorld *world, TnOwned *own, const TnMeeting *met);
/* Where the definition of a body is. */
TnBodySource tn_owned_source(const TnOwned *own, int number);

/* ---- spread_tell.c ---- */
/* Compares two TnSpreadBody, for qsort and bsearch. */
int tn_spread_by_number(const void *a, const void *b);
/* Opens the exchange with neighbours. False: no memory. */
bool tn_spread_connect(TnSpread *spread);
/* Bytes for each of some ranks, which have some for this one; `bytes` per rank. What came from rank
 * i of these is at in[start[i]] to start[i + 1]. To be freed; NULL: no memory. */
char *tn_spread_swap(const TnRanks *ranks, const int *with, int count, const char *const *out,
                     const size_t *bytes, size_t *start);
/* Bytes of one rank to another one, in pieces. What is received is to be freed. False: no memory.
 */
bool tn_spread_send(const TnRanks *ranks, int to, const void *bytes, size_t count);
bool tn_spread_receive(const TnRanks *ranks, int from, void **bytes, size_t *count);
/* From rank 0 to all; does nothing where it is alone. */
bool tn_spread_broadcast(const TnRanks *ranks, void *bytes, size_t count);
/* States of others' bodies. */
void tn_spread_tell_near(TnSpread *spread);

/* ---- spread_gather.c ---- */
/* Of all ranks, one after the other: things of `size` bytes, of which this one has `count`. */
typedef struct TnLists {
    size_t *start; /* bytes, per rank and one more */
    char *things;
} TnLists;
/* Room for them, those of this rank to be filled in, then to be shared. False: no memory. */
bool tn_lists_open(const TnRanks *ranks, int count, size_t size, TnLists *out);
void tn_lists_close(TnLists *lists);
/* A state of the part as it is told to ranks that have the whole. */
typedef struct TnTold {
    void *bodies, *contacts;
    size_t body_bytes, contact_bytes;
} TnTold;
bool tn_spread_tell_of(const TnWorld *world, TnTold *out); /* false: no memory */
void tn_told_free(TnTold *told);
/* What all ranks tell becomes free bodies and contacts of the whole, where a rank has it. `from`
 * is what this rank tells. Collective. False: no memory. */
bool tn_spread_collect(TnWorld *world, const TnTold *from);
/* What owners of movers tell of their contacts. Collective. False: no memory. */
bool tn_spread_share_mover_contacts(TnWorld *world, TnOwned *own);
/* The whole's state from all parts, where a rank has it. False: no memory. */
bool tn_spread_gather(TnWorld *world);

#endif
