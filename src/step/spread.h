/* spread.h: a world that ranks step in parts.
 *
 * Each rank has a world of its own free bodies and of those near them (near.h), with all that is
 * fixed, and with all movers near these (spread_movers.c). Bodies belong to ranks in ranges of a
 * curve that fills space (spread_curve.c), and near is what own bodies may meet in some steps
 * (spread_meet.c). As long as nobody has come farther than that, a step needs what neighbours tell:
 * velocities in each iteration, and the new states of their bodies. Then bodies are handed to
 * neighbours (spread_move.c), and who is near is found anew. Nothing that is computed depends on
 * who owns what.
 *
 * The user's world has the whole model and, once somebody asks, the whole state. */
#ifndef TN_STEP_SPREAD_H
#define TN_STEP_SPREAD_H

#include <string.h>

#include "../model/part.h"
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
    int s, index; /* subsystem of the whole; its link or node */
    int unit;
    double center[3], radius;
    double room;  /* m: so far it may get */
    double reach; /* m: radius and room, and how far ahead contacts are listed */
} TnBall;

/* Movers that are joined are a unit. Units whose balls meet are a cluster, and the lowest of them
 * stands for it. A cluster has one owner; ranks with bodies near it have it, too. */
typedef struct TnUnits {
    int count;
    int *of;        /* per subsystem of the whole: its unit; -1: a free body */
    bool *common;   /* per unit: all ranks have it */
    int *cluster;   /* per unit: a disjoint set of them, */
    int *owner;     /* and the rank that tells of it */
    uint8_t *there; /* [rank][unit that stands for a cluster]: the rank has it */
    TnPlace *near;  /* the unit that stands for a cluster as key, and an own body near it */
    int near_count, near_capacity;
} TnUnits;

typedef struct TnSpread {
    TnModel *model; /* this rank's part; NULL: space is not divided yet */
    TnWorld *world;
    TnArena arena;        /* of the part before, for the next one */
    int count, own_count; /* own_count: without movers */
    int *subsystem;       /* per subsystem of the part: which one of the whole */
    int *geom;            /* per geom: likewise */
    TnNear near;
    double (*start)[3]; /* per subsystem: where it was when space was divided */
    double *room;       /* per subsystem, m: farther from there it may not get, the way of the step
                           to come included */
    double size;        /* m: no point of a free body is farther from its place, and */
    double contact_margin;    /* so much of it is a margin */
    bool *mover;              /* per subsystem of the whole */
    int *movers, mover_count; /* which these are, */
    int *here, here_count;    /* and which of them are in the part */
    TnUnits units;
    TnBall *balls;
    int ball_count;
    double more_room; /* m: for balls, since some step wanted it */
    double lacked;    /* m: by so much the last step wanted more than there was */
    bool stopped;     /* for that, or since somebody could not be assembled */
    double *kept;     /* of movers, what a step changes that may have to be taken back */
    TnCurve curve;
    uint64_t *first_key; /* per rank: where its range of the curve begins */
    int *local;          /* per subsystem of the whole: which one of the part, or -1 */
    int *local_geom;     /* per geom of the whole, if it is here */
    TnModelIndex index;
    /* with neighbours, after a step */
    TnRankLink *links;
    double *sent, *received;
    void *exchange;
    double margin;  /* for how much more than the least way bodies have room */
    int steps;      /* since who is near was found, */
    double work;    /* s of the processor that these took, without waits; 0: not known */
    int64_t ghosts; /* of all ranks then */
    bool put;       /* the whole's state is another one: divide */
    bool far;       /* somebody came too far: find anew who is near */
    bool ahead;     /* the parts' state is newer than the whole's */
} TnSpread;

/* Numbers that tell the state of a free body. */
enum { TN_SPREAD_NUMBERS = 7 + 6 + 6 };

typedef struct TnSpreadBody {
    int64_t s;                         /* subsystem of the whole */
    double reach;                      /* m: no farther from its place it meets anybody */
    int64_t shared;                    /* it is near a mover that the other rank has */
    double numbers[TN_SPREAD_NUMBERS]; /* qpos, qvel, vhat */
} TnSpreadBody;

/* It has a free body of the part. */
static inline bool tn_spread_owns(const TnSpread *spread, int k)
{
    return spread->near.own[k] && !(spread->near.mover && spread->near.mover[k]);
}

/* From and to where a state has the numbers of a body. */
static inline void tn_spread_pack(const TnState *state, long qpos, long dof, double *to)
{
    memcpy(to, state->qpos + qpos, sizeof(double[7]));
    memcpy(to + 7, state->qvel + dof, sizeof(double[6]));
    memcpy(to + 13, state->vhat + dof, sizeof(double[6]));
}
static inline void tn_spread_unpack(TnState *state, long qpos, long dof, const double *from)
{
    memcpy(state->qpos + qpos, from, sizeof(double[7]));
    memcpy(state->qvel + dof, from + 7, sizeof(double[6]));
    memcpy(state->vhat + dof, from + 13, sizeof(double[6]));
}

/* What a rank owns, before it has a part. */
typedef struct TnOwned {
    TnSpreadBody *bodies; /* ascending */
    int count;
    TnWarmContact *contacts; /* that they have but with movers, geoms of the whole */
    int contact_count;
    TnWarmContact *mover_contacts; /* of all movers */
    int mover_contact_count;
} TnOwned;

/* Who is near whom. */
typedef struct TnMeeting {
    TnSpreadBody *ghosts; /* of others, ascending for each of them */
    int *owner;           /* whose */
    int ghost_count;
    TnPlace *sends; /* the rank as key, and own bodies that are ghosts there, ascending */
    int send_count;
    double *room; /* per own body */
} TnMeeting;

/* False: *err says why. Does nothing to a world that is not spread. */
bool tn_spread_create(TnWorld *world, TnError *err);
void tn_spread_destroy(TnWorld *world);
TnStepReport tn_spread_step(TnWorld *world);
/* The state is another one, not from steps. */
void tn_spread_note_state(TnWorld *world);

/* ---- spread_curve.c ---- */
/* Fills a cube about a box; cells are not smaller than `least`. */
TnCurve tn_curve_through(const double low[3], const double high[3], double least);
uint64_t tn_curve_key(const TnCurve *curve, const double x[3]);
/* By key, those of one key in their order. False: no memory. */
bool tn_curve_sort(TnPlace *places, int count);

/* ---- spread_divide.c ---- */
/* This rank's part of the whole's state. False: no memory. */
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

/* What owners of movers tell of their contacts. Collective. False: no memory. */
bool tn_spread_share_mover_contacts(TnWorld *world, TnOwned *own);
/* Contacts are grouped by their first geom. False: no memory. */
bool tn_spread_group_contacts(TnWarmContact *contacts, int count);

/* ---- spread_meet.c ---- */
/* m: so far something that moves so fast (m/s) may get until who is near is found anew. */
double tn_spread_room(const TnWorld *world, double speed);
/* Sets the reach of own bodies, and finds who is near. Collective. False: no memory. */
bool tn_spread_meet(TnWorld *world, TnOwned *own, TnMeeting *out);

/* ---- spread_movers.c ---- */
/* Which subsystems are movers. False: no memory. */
bool tn_spread_find_movers(TnWorld *world);
/* The model has what makes tn_model_part_with_movers necessary. */
static inline bool tn_spread_is_mixed(const TnWorld *world)
{
    const TnModel *m = world->model;
    return world->spread->mover_count || m->mocap_count || m->pair_count || m->exclude_count;
}

/* Which movers each rank has, from own bodies near them, and how far own bodies may get for all
 * that others do (m). Collective. False: no memory. */
bool tn_spread_meet_movers(TnWorld *world, const TnOwned *own, double size, double *most);
/* Marks own bodies that are near a mover which the rank has. */
void tn_spread_mark_for(const TnSpread *spread, int rank, TnSpreadBody *own, int count);
/* This rank and another one have some mover. */
bool tn_spread_share_movers(const TnSpread *spread, int rank, int other);
bool tn_spread_is_mover(const TnWorld *world, int geom); /* of the whole */
/* The rank that tells of a mover. */
int tn_spread_mover_owner(const TnSpread *spread, int subsystem);

/* ---- spread_mover_state.c ---- */
/* The part's movers are those of the whole's state, and the other way round: then all ranks know
 * all of them. */
bool tn_spread_put_movers(TnWorld *world); /* false: no memory */
bool tn_spread_get_movers(TnWorld *world); /* the same; collective */
/* What users set for the next step. */
void tn_spread_drive_movers(TnWorld *world);
/* What a step may change of them, and back. */
void tn_spread_keep_movers(TnSpread *spread);
void tn_spread_take_back_movers(TnSpread *spread);
/* How far movers may have come behind the next step, in shares of their room. */
double tn_spread_movers_gone(const TnSpread *spread);
/* Of all ranks that have a contact of these geoms of the part, this one tells of it. */
bool tn_spread_tells(const TnWorld *world, int geom1, int geom2);

/* ---- spread_part.c ---- */
/* Model and world of own bodies and those near them. Collective. False: no memory. */
bool tn_spread_make_part(TnWorld *world, TnOwned *own);
void tn_spread_release_part(TnSpread *spread);

/* ---- spread_tell.c ---- */
/* Compares two TnSpreadBody, for qsort and bsearch. */
int tn_spread_by_number(const void *a, const void *b);
/* Opens the exchange with neighbours. False: no memory. */
bool tn_spread_connect(TnSpread *spread);
/* Bytes for each of some ranks, which have some for this one; `bytes` per rank. What came from rank
 * i of these is at in[start[i]] to start[i + 1]. To be freed; NULL: no memory. */
char *tn_spread_swap(const TnRanks *ranks, const int *with, int count, const char *const *out,
                     const size_t *bytes, size_t *start);
/* States of others' bodies. */
void tn_spread_tell_near(TnSpread *spread);
/* The whole's state from all parts. False: no memory. */
bool tn_spread_gather(TnWorld *world);

#endif
