/* spread.h: a world that ranks step in parts.
 *
 * Each rank has a world of its own free bodies and of those near them (near.h), with all that is
 * fixed. Bodies belong to ranks in ranges of a curve that fills space (spread_divide.c), and near
 * is what own bodies may meet in some steps. As long as nobody has come farther than that, a step
 * needs what neighbours tell: velocities in each iteration, and the new states of their bodies.
 * Then the state is gathered and space is divided anew.
 *
 * The user's world has the whole model and, once somebody asks, the whole state. */
#ifndef TN_STEP_SPREAD_H
#define TN_STEP_SPREAD_H

#include "near.h"

typedef struct TnSpread {
    TnModel *model; /* this rank's part; NULL: space is not divided yet */
    TnWorld *world;
    TnArena arena; /* of the part before, for the next one */
    int count, own_count;
    int *subsystem; /* per subsystem of the part: which one of the whole */
    int *geom;      /* per geom: likewise */
    TnNear near;
    double (*start)[3]; /* per subsystem: where it was when space was divided */
    double *room;       /* per subsystem, m: farther from there it may not get, the way of the step
                           to come included */
    double size;        /* m: no point of a free body is farther from its place */
    /* with neighbours, after a step */
    TnRankLink *links;
    double *sent, *received;
    void *exchange;
    bool put;   /* the whole's state is another one: divide */
    bool far;   /* somebody came too far: gather and divide */
    bool ahead; /* the parts' state is newer than the whole's */
} TnSpread;

/* Numbers that tell the state of a free body. */
enum { TN_SPREAD_NUMBERS = 7 + 6 + 6 };

/* False: *err says why. Does nothing to a world that is not spread. */
bool tn_spread_create(TnWorld *world, TnError *err);
void tn_spread_destroy(TnWorld *world);
TnStepReport tn_spread_step(TnWorld *world);
/* The state is another one, not from steps. */
void tn_spread_note_state(TnWorld *world);

/* ---- spread_divide.c ---- */
/* This rank's part of the whole's state. False: no memory. */
bool tn_spread_divide(TnWorld *world);
void tn_spread_release(TnSpread *spread);

/* ---- spread_tell.c ---- */
/* Opens the exchange with neighbours. False: no memory. */
bool tn_spread_connect(TnSpread *spread);
/* States of others' bodies. */
void tn_spread_tell_near(TnSpread *spread);
/* The whole's state from all parts. False: no memory. */
bool tn_spread_gather(TnWorld *world);

#endif
