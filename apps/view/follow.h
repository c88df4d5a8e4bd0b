/* follow.h: frames of a world that another thread runs, for a window that only watches.
 *
 * The thread with the world gives frames whenever it likes; the window takes the newest. Each may
 * end it: the window is closed, or the other thread asks to close it. */
#ifndef TENON_VIEW_FOLLOW_H
#define TENON_VIEW_FOLLOW_H

#include <tenon/scene.h>

typedef struct Follow Follow;

typedef enum FollowState {
    FOLLOW_STARTING,
    FOLLOW_OPEN,
    FOLLOW_ENDING, /* is to be closed */
    FOLLOW_CLOSED
} FollowState;

/* NULL and an error where there is no memory. */
Follow *follow_create(const TnScene *scene, TnError *err);
void follow_destroy(Follow *follow); /* NULL is fine */
/* A state never goes back: a window that is closed stays closed. */
void follow_set(Follow *follow, FollowState state);
FollowState follow_state(Follow *follow);
/* Returns when the window is no longer starting. */
FollowState follow_wait(Follow *follow);

/* Copies the frame, which is shown until the next one comes. */
TnStatus follow_give(Follow *follow, const TnFrame *frame, TnError *err);
/* Copies the newest frame; false where there is none since the last call. */
bool follow_take(Follow *follow, TnFrame *frame);

#endif
