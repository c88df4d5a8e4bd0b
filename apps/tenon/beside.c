/* See beside.h. */
#include "beside.h"

#include <pthread.h>
#include <stdlib.h>

struct Beside {
    void (*job)(void *context);
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy, over; /* a job is to be done; there will be no more */
};

static void *work(void *argument)
{
    Beside *b = argument;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->busy && !b->over) pthread_cond_wait(&b->changed, &b->lock);
        if (!b->busy) break;
        pthread_mutex_unlock(&b->lock);
        b->job(b->context);
        pthread_mutex_lock(&b->lock);
        b->busy = false;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

Beside *beside_open(void (*job)(void *context), void *context)
{
    Beside *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->job = job;
    b->context = context;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (pthread_create(&b->thread, NULL, work, b) == 0) return b;
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
    return NULL;
}

void beside_wait(Beside *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    while (b->busy) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void beside_start(Beside *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->busy) pthread_cond_wait(&b->changed, &b->lock);
    b->busy = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void beside_close(Beside *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->over = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
