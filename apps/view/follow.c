/* follow.c: one frame behind a mutex; see follow.h. */
#include "follow.h"

#include <pthread.h>
#include <stdlib.h>

struct Follow {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    FollowState state;
    TnFrame *frame;
    bool fresh;
};

Follow *follow_create(const TnScene *scene, TnError *err)
{
    Follow *follow = calloc(1, sizeof *follow);
    TnFrame *frame = tn_frame_create(scene, err);
    if (!follow || !frame || pthread_mutex_init(&follow->mutex, NULL)) {
        *err = (TnError){TN_ERROR_MEMORY, 1, "no memory for the frames of a window"};
        tn_frame_destroy(frame);
        free(follow);
        return NULL;
    }
    pthread_cond_init(&follow->changed, NULL);
    follow->frame = frame;
    return follow;
}

void follow_destroy(Follow *follow)
{
    if (!follow) return;
    pthread_cond_destroy(&follow->changed);
    pthread_mutex_destroy(&follow->mutex);
    tn_frame_destroy(follow->frame);
    free(follow);
}

void follow_set(Follow *follow, FollowState state)
{
    pthread_mutex_lock(&follow->mutex);
    if (state > follow->state) follow->state = state;
    pthread_cond_broadcast(&follow->changed);
    pthread_mutex_unlock(&follow->mutex);
}

FollowState follow_state(Follow *follow)
{
    pthread_mutex_lock(&follow->mutex);
    FollowState state = follow->state;
    pthread_mutex_unlock(&follow->mutex);
    return state;
}

FollowState follow_wait(Follow *follow)
{
    pthread_mutex_lock(&follow->mutex);
    while (follow->state == FOLLOW_STARTING) pthread_cond_wait(&follow->changed, &follow->mutex);
    FollowState state = follow->state;
    pthread_mutex_unlock(&follow->mutex);
    return state;
}

TnStatus follow_give(Follow *follow, const TnFrame *frame, TnError *err)
{
    pthread_mutex_lock(&follow->mutex);
    TnStatus status = tn_frame_copy(follow->frame, frame, err);
    follow->fresh = status == TN_OK;
    pthread_mutex_unlock(&follow->mutex);
    return status;
}

bool follow_take(Follow *follow, TnFrame *frame)
{
    pthread_mutex_lock(&follow->mutex);
    bool taken = follow->fresh && tn_frame_copy(frame, follow->frame, NULL) == TN_OK;
    follow->fresh = false;
    pthread_mutex_unlock(&follow->mutex);
    return taken;
}
