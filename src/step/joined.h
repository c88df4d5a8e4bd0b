/* joined.h: subsystems that forces joined in a step. */
#ifndef TN_STEP_JOINED_H
#define TN_STEP_JOINED_H

#include "step.h"

typedef struct TnJoinedGroup {
    bool bound;   /* something fixed acts on it */
    bool touched; /* by contacts with force */
    bool pushed;  /* that, or a limit that was hit, or too fast for the step, or in its way: what it lost stays lost */
    bool stopped; /* by something in its way (limit.c) */
    bool tied;    /* by equalities, wheels or holds */
    bool stiff;   /* it has cables or soft bodies, whose step is meant to lose */
    bool alone;   /* one free body that nothing touches, and no equality: all is right as it is */
} TnJoinedGroup;

typedef struct TnJoined {
    int *root;             /* per subsystem: the one that stands for its group */
    TnJoinedGroup *groups; /* by root */
    int *first, *next;     /* members that are awake: first[root], then next[]; -1 ends */
} TnJoined;

/* Of the step that was solved; false: no memory. */
bool tn_joined_find(TnStep *step, TnJoined *out);

#endif
