/* thread_ranks.h: ranks (tenon/ranks.h) that are threads of one process, so that what ranks do is
 * tested without MPI, and under sanitizers. */
#ifndef TN_TESTS_THREAD_RANKS_H
#define TN_TESTS_THREAD_RANKS_H

#include "../check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <tenon/ranks.h>

enum { MOST_RANKS = 8 };

typedef struct Mail {
    atomic_int sent, taken; /* how often */
    const void *bytes;      /* the sender's buffer, which stays until it was taken */
} Mail;

typedef struct RankTeam {
    int count;
    pthread_barrier_t barrier;
    void *data[MOST_RANKS]; /* what each shares */
    Mail mail[MOST_RANKS][MOST_RANKS];
} RankTeam;

typedef struct ThreadRank {
    TnRanks ranks;
    TnTraffic traffic;
    RankTeam *team;
} ThreadRank;

typedef struct ThreadExchange {
    ThreadRank *rank;
    int count;
    TnRankLink links[MOST_RANKS];
} ThreadExchange;

static void thread_share(void *context, void *data, const size_t *start)
{
    ThreadRank *rank = context;
    RankTeam *team = rank->team;
    team->data[rank->ranks.rank] = data;
    pthread_barrier_wait(&team->barrier);
    for (int r = 0; r < team->count; r++)
        if (r != rank->ranks.rank)
            memcpy((char *)data + start[r], (char *)team->data[r] + start[r],
                   start[r + 1] - start[r]);
    pthread_barrier_wait(&team->barrier);
}

static void *thread_open(void *context, const TnRankLink *links, int count)
{
    ThreadExchange *e = calloc(1, sizeof *e);
    e->rank = context;
    e->count = count;
    if (count) memcpy(e->links, links, sizeof *links * (size_t)count);
    return e;
}

static void thread_start(void *exchange)
{
    ThreadExchange *e = exchange;
    for (int i = 0; i < e->count; i++) {
        Mail *mail = &e->rank->team->mail[e->rank->ranks.rank][e->links[i].rank];
        if (!e->links[i].send_bytes) continue;
        mail->bytes = e->links[i].send;
        atomic_fetch_add(&mail->sent, 1);
    }
}

static void thread_finish(void *exchange)
{
    ThreadExchange *e = exchange;
    int me = e->rank->ranks.rank;
    for (int i = 0; i < e->count; i++) {
        Mail *mail = &e->rank->team->mail[e->links[i].rank][me];
        if (!e->links[i].receive_bytes) continue;
        while (atomic_load(&mail->sent) == atomic_load(&mail->taken)) sched_yield();
        memcpy(e->links[i].receive, mail->bytes, e->links[i].receive_bytes);
        atomic_fetch_add(&mail->taken, 1);
    }
    for (int i = 0; i < e->count; i++) { /* buffers are free again */
        Mail *mail = &e->rank->team->mail[me][e->links[i].rank];
        if (!e->links[i].send_bytes) continue;
        while (atomic_load(&mail->sent) != atomic_load(&mail->taken)) sched_yield();
    }
}

static void thread_close(void *exchange) { free(exchange); }

/* run(context, rank) in a thread per rank. All that can be shared is. */
typedef struct RankJob {
    ThreadRank rank;
    void (*run)(void *context, const TnRanks *ranks);
    void *context;
} RankJob;

static void *rank_thread(void *argument)
{
    RankJob *job = argument;
    job->run(job->context, &job->rank.ranks);
    return NULL;
}

static inline void run_on_ranks(int count, void (*run)(void *context, const TnRanks *ranks),
                                void *context, TnTraffic *traffic)
{
    RankTeam team = {.count = count};
    RankJob jobs[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    pthread_barrier_init(&team.barrier, NULL, (unsigned)count);
    for (int r = 0; r < count; r++) {
        jobs[r] = (RankJob){.rank.team = &team, .run = run, .context = context};
        jobs[r].rank.ranks = (TnRanks){.rank = r,
                                       .count = count,
                                       .traffic = &jobs[r].rank.traffic,
                                       .context = &jobs[r].rank,
                                       .share = thread_share,
                                       .open = thread_open,
                                       .start = thread_start,
                                       .finish = thread_finish,
                                       .close = thread_close};
    }
    for (int r = 0; r < count; r++)
        CHECK(!pthread_create(&threads[r], NULL, rank_thread, &jobs[r]));
    for (int r = 0; r < count; r++) {
        pthread_join(threads[r], NULL);
        if (traffic) traffic[r] = jobs[r].rank.traffic;
    }
    pthread_barrier_destroy(&team.barrier);
}

#endif
