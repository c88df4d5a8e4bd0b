/* See rank_threads.h. Each pair of ranks has two letter boxes of its own, on cache lines of their
 * own, which letters use in turns; waiting is looking at one of these, or at the count of barriers.
 * A letter is a copy: its sender goes on and need not wait until it is read. A thread that has
 * looked for long enough sleeps, and one that changes something wakes the sleepers, if there are
 * any. */
#include "rank_threads.h"
#include "platform/clock.h"
#include "platform/memory.h"
#include "platform/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, LOOKS = 100000 }; /* looks: some ms */

/* From one rank to another. */
typedef struct Mail {
    _Alignas(LINE) _Atomic(const void *) bytes; /* NULL: none, or it was taken */
} Mail;

typedef struct Team {
    int count, looks;
    TnMutex lock;
    TnCondition changed;
    _Alignas(LINE) atomic_int sleepers;
    _Alignas(LINE) atomic_int arrived;
    _Alignas(LINE) atomic_long round; /* of the barrier */
    void *data[MOST_RANKS];
    Mail mail[MOST_RANKS][MOST_RANKS][2]; /* [from][to] */
    void (*run)(void *context, const TnRanks *ranks);
    void *context;
} Team;

typedef struct Rank {
    TnRanks ranks;
    TnTraffic traffic;
    RankWaits waits;
    Team *team;
    unsigned sent[MOST_RANKS], received[MOST_RANKS]; /* letters to and from each rank */
} Rank;

typedef struct Exchange {
    Rank *rank;
    int count;
    unsigned started;
    size_t bytes;  /* of all that is sent */
    char *letters; /* twice as many: those of this time and of the last */
    TnRankLink links[];
} Exchange;

/* ---- waiting ---- */

typedef struct Wait {
    double clock, processor;
} Wait;

static Wait begin_wait(void) { return (Wait){tn_clock_now(), tn_clock_of_thread()}; }

static void end_wait(Rank *rank, Wait begun, double *sum)
{
    *sum += tn_clock_now() - begun.clock;
    rank->waits.processor += tn_clock_of_thread() - begun.processor;
}

static void wake(Team *team)
{
    if (!atomic_load(&team->sleepers)) return;
    tn_mutex_lock(&team->lock);
    tn_condition_wake_all(&team->changed);
    tn_mutex_unlock(&team->lock);
}

/* What a rank waits for: a letter (full) or that it was taken, or the end of a round. */
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
        tn_thread_relax();
    }
    tn_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (!is_met(team, &event)) tn_condition_wait(&team->changed, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    tn_mutex_unlock(&team->lock);
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
    *e = (Exchange){.rank = context, .count = count};
    if (count) memcpy(e->links, links, sizeof *links * (size_t)count);
    for (int i = 0; i < count; i++) e->bytes += links[i].send_bytes;
    e->letters = malloc(2 * e->bytes + 1);
    if (e->letters) return e;
    free(e);
    return NULL;
}

static Mail *outgoing(const Rank *rank, int to, unsigned number)
{
    return &rank->team->mail[rank->ranks.rank][to][number % 2];
}

static void start_exchange(void *exchange)
{
    Exchange *e = exchange;
    Rank *rank = e->rank;
    char *letter = e->letters + (e->started++ % 2) * e->bytes;
    Wait begun = begin_wait();
    for (int i = 0; i < e->count; i++) {
        const TnRankLink *link = &e->links[i];
        if (!link->send_bytes) continue;
        Mail *mail = outgoing(rank, link->rank, rank->sent[link->rank]++);
        wait_for(rank->team, (Event){.mail = mail});  /* the last but one is read, */
        memcpy(letter, link->send, link->send_bytes); /* so its copy may go */
        atomic_store(&mail->bytes, letter);
        letter += link->send_bytes;
    }
    wake(rank->team);
    end_wait(rank, begun, &rank->waits.exchange);
}

static void finish_exchange(void *exchange)
{
    Exchange *e = exchange;
    Rank *rank = e->rank;
    Team *team = rank->team;
    Wait begun = begin_wait();
    for (int i = 0; i < e->count; i++) {
        const TnRankLink *link = &e->links[i];
        if (!link->receive_bytes) continue;
        Mail *mail = &team->mail[link->rank][rank->ranks.rank][rank->received[link->rank]++ % 2];
        wait_for(team, (Event){.mail = mail, .full = true});
        memcpy(link->receive, atomic_load(&mail->bytes), link->receive_bytes);
        atomic_store(&mail->bytes, NULL);
        wake(team);
    }
    end_wait(rank, begun, &rank->waits.exchange);
}

/* Letters are read before their copies go. */
static void close_exchange(void *exchange)
{
    Exchange *e = exchange;
    Wait begun = begin_wait();
    for (int i = 0; i < e->count; i++)
        for (unsigned k = 0; k < 2 && e->links[i].send_bytes; k++)
            wait_for(e->rank->team, (Event){.mail = outgoing(e->rank, e->links[i].rank, k)});
    end_wait(e->rank, begun, &e->rank->waits.exchange);
    free(e->letters);
    free(e);
}

RankWaits rank_threads_waits(const TnRanks *ranks) { return ((const Rank *)ranks->context)->waits; }

static void run_rank(void *argument)
{
    Rank *rank = argument;
    rank->team->run(rank->team->context, &rank->ranks);
}

bool rank_threads_run(int count, void (*run)(void *context, const TnRanks *ranks), void *context)
{
    Team *team = tn_memory_take_aligned(sizeof *team);
    Rank *ranks = calloc((size_t)count, sizeof *ranks);
    TnThread threads[MOST_RANKS];
    bool ok = team && ranks;
    int started = 0;
    if (ok) {
        memset(team, 0, sizeof *team);
        team->count = count;
        team->looks = count <= tn_thread_processors() ? LOOKS : 0;
        team->run = run;
        team->context = context;
        tn_mutex_init(&team->lock);
        tn_condition_init(&team->changed);
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
        if (!tn_thread_start(&threads[started], run_rank, &ranks[started])) abort();
    for (int r = 0; r < started; r++) tn_thread_join(&threads[r]);
    free(ranks);
    tn_memory_give_back(team);
    return ok;
}
