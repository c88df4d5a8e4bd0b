/* See rank_threads.h. */
#include "rank_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* From one rank to another. */
typedef struct Mail {
    const void *bytes; /* NULL: none, or it was taken */
} Mail;

typedef struct Team {
    int count;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int arrived;
    long round; /* of the barrier */
    void *data[MOST_RANKS];
    Mail mail[MOST_RANKS][MOST_RANKS]; /* [from][to] */
    void (*run)(void *context, const TnRanks *ranks);
    void *context;
} Team;

typedef struct Rank {
    TnRanks ranks;
    TnTraffic traffic;
    Team *team;
} Rank;

typedef struct Exchange {
    Rank *rank;
    int count;
    TnRankLink links[];
} Exchange;

static void wait_for_all(Team *team)
{
    pthread_mutex_lock(&team->lock);
    long round = team->round;
    if (++team->arrived == team->count) {
        team->arrived = 0;
        team->round++;
        pthread_cond_broadcast(&team->changed);
    }
    while (round == team->round) pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void share(void *context, void *data, const size_t *start)
{
    Rank *rank = context;
    Team *team = rank->team;
    team->data[rank->ranks.rank] = data;
    wait_for_all(team);
    for (int r = 0; r < team->count; r++)
        if (r != rank->ranks.rank)
            memcpy((char *)data + start[r], (char *)team->data[r] + start[r],
                   start[r + 1] - start[r]);
    wait_for_all(team);
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
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < e->count; i++)
        if (e->links[i].send_bytes)
            team->mail[e->rank->ranks.rank][e->links[i].rank].bytes = e->links[i].send;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

/* All have come, and what was sent is taken. */
static void finish_exchange(void *exchange)
{
    Exchange *e = exchange;
    Team *team = e->rank->team;
    int me = e->rank->ranks.rank;
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < e->count; i++) {
        Mail *mail = &team->mail[e->links[i].rank][me];
        if (!e->links[i].receive_bytes) continue;
        while (!mail->bytes) pthread_cond_wait(&team->changed, &team->lock);
        memcpy(e->links[i].receive, mail->bytes, e->links[i].receive_bytes);
        mail->bytes = NULL;
        pthread_cond_broadcast(&team->changed);
    }
    for (int i = 0; i < e->count; i++)
        while (e->links[i].send_bytes && team->mail[me][e->links[i].rank].bytes)
            pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void close_exchange(void *exchange) { free(exchange); }

static void *run_rank(void *argument)
{
    Rank *rank = argument;
    rank->team->run(rank->team->context, &rank->ranks);
    return NULL;
}

bool rank_threads_run(int count, void (*run)(void *context, const TnRanks *ranks), void *context)
{
    Team *team = calloc(1, sizeof *team);
    Rank *ranks = calloc((size_t)count, sizeof *ranks);
    pthread_t threads[MOST_RANKS];
    bool ok = team && ranks;
    int started = 0;
    if (ok) {
        *team = (Team){.count = count, .run = run, .context = context};
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
