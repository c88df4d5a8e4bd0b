/* follow.c: one frame behind a mutex; see follow.h. */
#include "follow.h"
#include "platform/threads.h"

#include <stdlib.h>

struct Follow {
    TnMutex mutex;
    TnCondition changed;
    FollowState state;
    TnFrame *frame;
    bool fresh;
};

Follow *follow_create(const TnScene *scene, TnError *err)
{
    Follow *follow = calloc(1, sizeof *follow);
    TnFrame *frame = tn_frame_create(scene, err);
    if (!follow || !frame || !tn_mutex_init(&follow->mutex)) {
        *err = (TnError){TN_ERROR_MEMORY, 1, "no memory for the frames of a window"};
        tn_frame_destroy(frame);
        free(follow);
        return NULL;
    }
    tn_condition_init(&follow->changed);
    follow->frame = frame;
    return follow;
}

void follow_destroy(Follow *follow)
{
    if (!follow) return;
    tn_condition_destroy(&follow->changed);
    tn_mutex_destroy(&follow->mutex);
    tn_frame_destroy(follow->frame);
    free(follow);
}

void follow_set(Follow *follow, FollowState state)
{
    tn_mutex_lock(&follow->mutex);
    if (state > follow->state) follow->state = state;
    tn_condition_wake_all(&follow->changed);
    tn_mutex_unlock(&follow->mutex);
}

FollowState follow_state(Follow *follow)
{
    tn_mutex_lock(&follow->mutex);
    FollowState state = follow->state;
    tn_mutex_unlock(&follow->mutex);
    return state;
}

FollowState follow_wait(Follow *follow)
{
    tn_mutex_lock(&follow->mutex);
    while (follow->state == FOLLOW_STARTING) tn_condition_wait(&follow->changed, &follow->mutex);
    FollowState state = follow->state;
    tn_mutex_unlock(&follow->mutex);
    return state;
}

TnStatus follow_give(Follow *follow, const TnFrame *frame, TnError *err)
{
    tn_mutex_lock(&follow->mutex);
    TnStatus status = tn_frame_copy(follow->frame, frame, err);
    follow->fresh = status == TN_OK;
    tn_mutex_unlock(&follow->mutex);
    return status;
}

bool follow_take(Follow *follow, TnFrame *frame)
{
    tn_mutex_lock(&follow->mutex);
    bool taken = follow->fresh && tn_frame_copy(frame, follow->frame, NULL) == TN_OK;
    follow->fresh = false;
    tn_mutex_unlock(&follow->mutex);
    return taken;
}
