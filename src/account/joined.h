/* joined.h: subsystems that forces joined in a step. */
#ifndef TN_ACCOUNT_JOINED_H
#define TN_ACCOUNT_JOINED_H

#include "../step/step.h"

typedef struct TnJoinedGroup {
    bool bound;   /* something fixed acts on it */
    bool touched; /* by contacts with force */
    bool pushed;  /* that, or a limit that was hit, or too fast for the step, or in its way: what it
                     lost stays lost */
    bool tied;    /* by equalities, wheels or holds */
    bool stiff;   /* it has cables or soft bodies, whose step is meant to lose */
    bool driven;  /* a mocap body that moves acts on it: scaled velocities would leave it */
    bool alone;   /* one free body that nothing touches, and no equality: all is right as it is */
} TnJoinedGroup;

typedef struct TnJoined {
    int *root;             /* per subsystem: the one that stands for its group */
    TnJoinedGroup *groups; /* by root */
    int *first, *next;     /* members that are awake: first[root], then next[]; -1 ends */
} TnJoined;

/* Of the step that was solved; false: no memory. */
bool tn_joined_find(TnStep *step, TnJoined *out);
/* Groups are to be shifted by so much, by root: those that this would move into others, as contacts
 * have it, are kept apart from them (tn_step_keep_apart), and groups are to be found `again`.
 * False: no memory. */
bool tn_joined_extend(TnStep *step, const TnJoined *j, const double (*shift)[3], bool *again);

#endif
