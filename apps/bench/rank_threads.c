/* See rank_threads.h. Each pair of ranks has a letter box of its own, on a cache line of its own;
 * waiting is looking at one of these, or at the count of barriers. Who has looked for long enough
 * sleeps, and whoever changes something wakes the sleepers, if there are any. */
#include "rank_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, LOOKS = 100000 }; /* looks: some ms */

/* From one rank to another. */
typedef struct Mail {
    _Alignas(LINE) _Atomic(const void *) bytes; /* NULL: none, or it was taken */
} Mail;

typedef struct Team {
    int count, looks;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Alignas(LINE) atomic_int sleepers;
    _Alignas(LINE) atomic_int arrived;
    _Alignas(LINE) atomic_long round; /* of the barrier */
    void *data[MOST_RANKS];
    Mail mail[MOST_RANKS][MOST_RANKS]; /* [from][to] */
    void (*run)(void *context, const TnRanks *ranks);
    void *context;
} Team;

typedef struct Rank {
    TnRanks ranks;
    TnTraffic traffic;
    RankWaits waits;
    Team *team;
} Rank;

typedef struct Exchange {
    Rank *rank;
    int count;
    TnRankLink links[];
} Exchange;

/* ---- waiting ---- */

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct Wait {
    double clock, processor;
} Wait;

static Wait begin_wait(void)
{
    return (Wait){seconds(CLOCK_MONOTONIC), seconds(CLOCK_THREAD_CPUTIME_ID)};
}

static void end_wait(Rank *rank, Wait begun, double *sum)
{
    *sum += seconds(CLOCK_MONOTONIC) - begun.clock;
    rank->waits.processor += seconds(CLOCK_THREAD_CPUTIME_ID) - begun.processor;
}

static void wake(Team *team)
{
    if (!atomic_load(&team->sleepers)) return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

/* What somebody waits for: a letter (full) or that it was taken, or the end of a round. */
typedef struct Event {
    const Mail *mail; /* NULL: the round */
    bool full;
    long round;
} Event;

static bool is_met(const Team *team, const Event *event)
{
    if (!event->mail) return atomic_load(&team->round) != event->round;
    return (atomic_load(&event->mail->bytes) != NULL) == event->full;
}

static void wait_for(Team *team, Event event)
{
    for (int k = 0; k < team->looks; k++) {
        if (is_met(team, &event)) return;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (!is_met(team, &event)) pthread_cond_wait(&team->changed, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

static void wait_for_all(Team *team)
{
    Event end = {.round = atomic_load(&team->round)};
    if (atomic_fetch_add(&team->arrived, 1) + 1 < team->count) {
        wait_for(team, end);
        return;
    }
    atomic_store(&team->arrived, 0);
    atomic_fetch_add(&team->round, 1);
    wake(team);
}

/* ---- the functions of TnRanks ---- */

static void share(void *context, void *data, const size_t *start)
{
    Rank *rank = context;
    Team *team = rank->team;
    Wait begun = begin_wait();
    team->data[rank->ranks.rank] = data;
    wait_for_all(team);
    for (int r = 0; r < team->count; r++)
        if (r != rank->ranks.rank)
            memcpy((char *)data + start[r], (char *)team->data[r] + start[r],
                   start[r + 1] - start[r]);
    wait_for_all(team);
    end_wait(rank, begun, &rank->waits.share);
}

static void *open_exchange(void *context, const TnRankLink *links, int count)
{
    Exchange *e = malloc(sizeof *e + sizeof *links * (size_t)count);
    if (!e) return NULL;
    e->rank = context;
    e->count = count;
    if (count) memcpy(e->links, links, sizeof *links * (size_t)count);
    return e;
}

static void start_exchange(void *exchange)
{
    Exchange *e = exchange;
    Team *team = e->rank->team;
    for (int i = 0; i < e->count; i++)
        if (e->links[i].send_bytes)
            atomic_store(&team->mail[e->rank->ranks.rank][e->links[i].rank].bytes,
                         e->links[i].send);
    wake(team);
}

/* All have come, and what was sent is taken. */
static void finish_exchange(void *exchange)
{
    Exchange *e = exchange;
    Team *team = e->rank->team;
    int me = e->rank->ranks.rank;
    Wait begun = begin_wait();
    for (int i = 0; i < e->count; i++) {
        Mail *mail = &team->mail[e->links[i].rank][me];
        if (!e->links[i].receive_bytes) continue;
        wait_for(team, (Event){.mail = mail, .full = true});
        memcpy(e->links[i].receive, atomic_load(&mail->bytes), e->links[i].receive_bytes);
        atomic_store(&mail->bytes, NULL);
        wake(team);
    }
    for (int i = 0; i < e->count; i++)
        if (e->links[i].send_bytes)
            wait_for(team, (Event){.mail = &team->mail[me][e->links[i].rank]});
    end_wait(e->rank, begun, &e->rank->waits.exchange);
}

static void close_exchange(void *exchange) { free(exchange); }

RankWaits rank_threads_waits(const TnRanks *ranks) { return ((const Rank *)ranks->context)->waits; }

static void *run_rank(void *argument)
{
    Rank *rank = argument;
    rank->team->run(rank->team->context, &rank->ranks);
    return NULL;
}

bool rank_threads_run(int count, void (*run)(void *context, const TnRanks *ranks), void *context)
{
    Team *team = aligned_alloc(LINE, sizeof *team);
    Rank *ranks = calloc((size_t)count, sizeof *ranks);
    pthread_t threads[MOST_RANKS];
    bool ok = team && ranks;
    int started = 0;
    if (ok) {
        memset(team, 0, sizeof *team);
        team->count = count;
        team->looks = count <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOKS : 0;
        team->run = run;
        team->context = context;
        pthread_mutex_init(&team->lock, NULL);
        pthread_cond_init(&team->changed, NULL);
    }
    for (int r = 0; ok && r < count; r++)
        ranks[r] = (Rank){.ranks = {.rank = r,
                                    .count = count,
                                    .traffic = &ranks[r].traffic,
                                    .context = &ranks[r],
                                    .share = share,
                                    .open = open_exchange,
                                    .start = start_exchange,
                                    .finish = finish_exchange,
                                    .close = close_exchange},
                          .team = team};
    for (; ok && started < count; started++)
        if (pthread_create(&threads[started], NULL, run_rank, &ranks[started])) abort();
    for (int r = 0; r < started; r++) pthread_join(threads[r], NULL);
    free(ranks);
    free(team);
    return ok;
}
