/* See beside.h. */
#include "beside.h"
#include "platform/threads.h"

#include <stdlib.h>

struct Beside {
    void (*job)(void *context);
    void *context;
    TnThread thread;
    TnMutex lock;
    TnCondition changed;
    bool busy, over; /* a job is to be done; there will be no more */
};

static void work(void *argument)
{
    Beside *b = argument;
    tn_mutex_lock(&b->lock);
    for (;;) {
        while (!b->busy && !b->over) tn_condition_wait(&b->changed, &b->lock);
        if (!b->busy) break;
        tn_mutex_unlock(&b->lock);
        b->job(b->context);
        tn_mutex_lock(&b->lock);
        b->busy = false;
        tn_condition_wake_all(&b->changed);
    }
    tn_mutex_unlock(&b->lock);
}

Beside *beside_open(void (*job)(void *context), void *context)
{
    Beside *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->job = job;
    b->context = context;
    tn_mutex_init(&b->lock);
    tn_condition_init(&b->changed);
    if (tn_thread_start(&b->thread, work, b)) return b;
    tn_condition_destroy(&b->changed);
    tn_mutex_destroy(&b->lock);
    free(b);
    return NULL;
}

void beside_wait(Beside *b)
{
    if (!b) return;
    tn_mutex_lock(&b->lock);
    while (b->busy) tn_condition_wait(&b->changed, &b->lock);
    tn_mutex_unlock(&b->lock);
}

void beside_start(Beside *b)
{
    tn_mutex_lock(&b->lock);
    while (b->busy) tn_condition_wait(&b->changed, &b->lock);
    b->busy = true;
    tn_condition_wake_all(&b->changed);
    tn_mutex_unlock(&b->lock);
}

void beside_close(Beside *b)
{
    if (!b) return;
    tn_mutex_lock(&b->lock);
    b->over = true;
    tn_condition_wake_all(&b->changed);
    tn_mutex_unlock(&b->lock);
    tn_thread_join(&b->thread);
    tn_condition_destroy(&b->changed);
    tn_mutex_destroy(&b->lock);
    free(b);
}
