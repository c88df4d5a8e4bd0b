/* turns.c: see turns.h.
 *
 * A round on several threads: places are numbered from 1, and each thing is told how many of its
 * keys have others before it. Those with none are ready. What was visited makes the next of
 * each of its keys ready, if it was the last that this one waited for; a thread goes on with those
 * itself for a while, and leaves the rest to all. A thing that waits again stands in the next round
 * where the first in this one stands that changed a key of it and did not find it waiting. */
#include "turns.h"

#include <stdatomic.h>

#include "select.h"

#define WORTH_SHARING 2048  /* things in a round; to keep order costs four times what looks do, */
#define LEAST_THREADS 6     /* so only many threads gain */
#define MOST_OF_KEY 64      /* they are gone through for each of them; bits of a word */
#define STRETCH 256         /* places of a round that one thread takes at a time */
#define LOOKS_IN_A_ROW 1024 /* that a thread goes on for before others may help */
#define AHEAD 8             /* turns before it is looked at, memory is asked for */
#define DEPTH 128           /* things that it has ready for itself */

typedef struct Queue {
    const TnTurns *turns;
    int *now, *next; /* this round and the next */
    int now_count, next_count;
    int *place; /* per thing: from 1 in this round; 0: it does not wait */
    /* of shared rounds */
    int *urgency;          /* per thing: of the first that makes it wait again; 0: none */
    uint8_t *before;       /* per thing: keys with others before it that were not visited */
    uint8_t *changed;      /* per place: bits of its keys */
    uint64_t (*called)[2]; /* per place that changed something: a bit per thing of its keys */
    int *first;            /* per stretch: how many it makes wait, then the place of the first */
    int *ready;            /* things; each is listed once at most */
    atomic_int ready_end;
    int ready_begin, ready_count, chunks, threads;
} Queue;

/* ---- on one thread ---- */

static void make_wait(Queue *q, int key)
{
    const TnTurns *t = q->turns;
    for (int k = t->start[key]; k < t->start[key + 1]; k++) {
        int thing = t->of[k] / 2;
        if (q->place[thing]) continue;
        q->place[thing] = 1;
        q->next[q->next_count++] = thing;
    }
}

static void take_alone(Queue *q)
{
    const TnTurns *t = q->turns;
    for (int i = 0; i < q->now_count; i++) {
        int thing = q->now[i];
        if (t->ahead && i + AHEAD < q->now_count) t->ahead(t->context, q->now[i + AHEAD]);
        q->place[thing] = 0;
        unsigned changed = t->look(t->context, thing);
        for (int k = 0; k < 2; k++)
            if (changed >> k & 1) make_wait(q, t->keys[thing][k]);
    }
}

/* ---- on several ---- */

static void number_range(void *context, int begin, int end)
{
    const Queue *q = context;
    for (int i = begin; i < end; i++) q->place[q->now[i]] = i + 1;
}

static void forget_range(void *context, int begin, int end)
{
    const Queue *q = context;
    for (int i = begin; i < end; i++) q->place[q->now[i]] = 0;
}

/* Those of the next round wait from now on. */
static void wait_range(void *context, int begin, int end)
{
    const Queue *q = context;
    for (int i = begin; i < end; i++) {
        q->place[q->next[i]] = 1;
        q->urgency[q->next[i]] = 0;
    }
}

static bool has_earlier(const Queue *q, int key, int place)
{
    const TnTurns *t = q->turns;
    for (int k = t->start[key]; k < t->start[key + 1]; k++) {
        int other = q->place[t->of[k] / 2];
        if (other > 0 && other < place) return true;
    }
    return false;
}

static void add_ready(Queue *q, const int *things, int count)
{
    int at = atomic_fetch_add_explicit(&q->ready_end, count, memory_order_relaxed);
    for (int i = 0; i < count; i++) q->ready[at + i] = things[i];
}

static void find_ready(void *context, int begin, int end)
{
    Queue *q = context;
    int found[DEPTH], count = 0;
    for (int i = begin; i < end; i++) {
        int thing = q->now[i];
        unsigned before = 0;
        for (int k = 0; k < 2; k++) {
            int32_t key = q->turns->keys[thing][k];
            before += key >= 0 && has_earlier(q, key, i + 1);
        }
        q->before[thing] = (uint8_t)before;
        if (before) continue;
        if (count == DEPTH) {
            add_ready(q, found, count);
            count = 0;
        }
        found[count++] = thing;
    }
    add_ready(q, found, count);
}

/* A thing that does not wait any more waits again, behind the first that calls it. */
static void call(const Queue *q, int thing, int urgency)
{
    int seen = __atomic_load_n(&q->urgency[thing], __ATOMIC_RELAXED);
    while (seen < urgency && !__atomic_compare_exchange_n(&q->urgency[thing], &seen, urgency, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* Behind a look: calls those of a key that was changed. The next of the key that is ready now; -1:
 * there is none, or it waits for another one as well. */
static int go_on(const Queue *q, int32_t key, int place, bool changed)
{
    const TnTurns *t = q->turns;
    int least = INT32_MAX, next = -1;
    for (int k = t->start[key]; k < t->start[key + 1]; k++) {
        int thing = t->of[k] / 2, other = q->place[thing];
        if (other > place && other < least) {
            least = other;
            next = thing;
        }
        if (changed && other <= place) call(q, thing, INT32_MAX - place);
    }
    if (next < 0 || __atomic_fetch_sub(&q->before[next], 1, __ATOMIC_ACQ_REL) > 1) return -1;
    return next;
}

static int next_ready(void *context)
{
    Queue *q = context;
    q->ready_begin += q->ready_count;
    q->ready_count = atomic_load_explicit(&q->ready_end, memory_order_relaxed) - q->ready_begin;
    q->chunks = (q->ready_count + 7) / 8;
    if (q->chunks > 3 * q->threads) q->chunks = 3 * q->threads;
    return q->chunks;
}

/* Things that a thread has ready for itself: a ring. By the time that one comes up its memory was
 * asked for. */
typedef struct Own {
    int things[DEPTH], head, count, looks;
} Own;

static void add_own(const Queue *q, Own *own, int thing)
{
    own->things[(own->head + own->count++) % DEPTH] = thing;
    if (q->turns->ahead) q->turns->ahead(q->turns->context, thing);
}

static void take_own(Queue *q, Own *own)
{
    const TnTurns *t = q->turns;
    int thing = own->things[own->head], place = q->place[thing];
    own->head = (own->head + 1) % DEPTH;
    own->count--;
    own->looks++;
    unsigned changed = t->look(t->context, thing);
    q->changed[place - 1] = (uint8_t)changed;
    for (int k = 0; k < 2; k++) {
        int32_t key = t->keys[thing][k];
        int next = key < 0 ? -1 : go_on(q, key, place, changed >> k & 1);
        if (next < 0) continue;
        if (own->looks < LOOKS_IN_A_ROW && own->count < DEPTH)
            add_own(q, own, next);
        else
            add_ready(q, &next, 1);
    }
}

static void run_ready(void *context, int chunk)
{
    Queue *q = context;
    const int *ready = q->ready + q->ready_begin;
    int at = (int)((long)q->ready_count * chunk / q->chunks),
        end = (int)((long)q->ready_count * (chunk + 1) / q->chunks);
    Own own = {.head = 0};
    while (at < end || own.count > 0) {
        while (at < end && own.count < AHEAD) add_own(q, &own, ready[at++]);
        take_own(q, &own);
    }
}

static bool has_key(const TnTurns *t, int thing, int32_t key)
{
    return t->keys[thing][0] == key || t->keys[thing][1] == key;
}

/* Marks what the thing at a place makes wait, of each key it changed; how many. */
static int count_called(const Queue *q, int index)
{
    const TnTurns *t = q->turns;
    const int32_t *keys = t->keys[q->now[index]];
    int count = 0, urgency = INT32_MAX - (index + 1);
    for (int k = 0; k < 2; k++) {
        uint64_t called = 0;
        int first = q->changed[index] >> k & 1 ? t->start[keys[k]] : 0,
            end = q->changed[index] >> k & 1 ? t->start[keys[k] + 1] : 0;
        for (int e = first; e < end; e++) {
            int thing = t->of[e] / 2;
            bool twice = k && (q->changed[index] & 1) && has_key(t, thing, keys[0]);
            bool counts = q->urgency[thing] == urgency && !twice;
            called |= (uint64_t)counts << (e - first);
            count += counts;
        }
        q->called[index][k] = called;
    }
    return count;
}

static void count_stretches(void *context, int begin, int end)
{
    const Queue *q = context;
    for (int s = begin; s < end; s++) {
        q->first[s] = 0;
        for (int i = s * STRETCH; i < q->now_count && i < (s + 1) * STRETCH; i++)
            if (q->changed[i]) q->first[s] += count_called(q, i);
    }
}

static int list_called(const Queue *q, int index, int *out)
{
    const TnTurns *t = q->turns;
    int count = 0;
    for (int k = 0; k < 2; k++)
        for (uint64_t left = q->called[index][k]; left; left &= left - 1)
            out[count++] = t->of[t->start[t->keys[q->now[index]][k]] + __builtin_ctzll(left)] / 2;
    return count;
}

static void list_stretches(void *context, int begin, int end)
{
    const Queue *q = context;
    for (int s = begin; s < end; s++)
        for (int i = s * STRETCH, at = q->first[s]; i < q->now_count && i < (s + 1) * STRETCH; i++)
            if (q->changed[i]) at += list_called(q, i, q->next + at);
}

static void take_shared(Queue *q, TnPool *pool)
{
    int stretches = (q->now_count + STRETCH - 1) / STRETCH;
    tn_pool_run(pool, q->now_count, STRETCH, number_range, q);
    atomic_store_explicit(&q->ready_end, 0, memory_order_relaxed);
    q->ready_begin = q->ready_count = 0;
    tn_pool_run(pool, q->now_count, STRETCH, find_ready, q);
    tn_pool_phases(pool, q->threads, (TnPhases){next_ready, run_ready, q});
    tn_pool_run(pool, stretches, 1, count_stretches, q);
    for (int s = 0; s < stretches; s++) {
        int here = q->first[s];
        q->first[s] = q->next_count;
        q->next_count += here;
    }
    tn_pool_run(pool, stretches, 1, list_stretches, q);
    tn_pool_run(pool, q->now_count, STRETCH, forget_range, q);
    tn_pool_run(pool, q->next_count, STRETCH, wait_range, q);
}

/* ---- rounds ---- */

static bool is_large_key(const void *context, int index)
{
    const TnTurns *t = context;
    int32_t key = t->keys[index / 2][index % 2];
    return key >= 0 && t->start[key + 1] - t->start[key] > MOST_OF_KEY;
}

/* False: no memory. */
static bool open_shared(Queue *q, TnPool *pool, TnArena *scratch)
{
    int n = q->turns->count;
    q->threads = tn_pool_threads(pool);
    q->urgency = TN_ARENA_NEW(scratch, int, n);
    q->before = TN_ARENA_NEW(scratch, uint8_t, n);
    q->changed = TN_ARENA_NEW(scratch, uint8_t, n);
    q->ready = TN_ARENA_NEW(scratch, int, n);
    q->called = tn_arena_alloc(scratch, sizeof *q->called * (size_t)n);
    q->first = TN_ARENA_NEW(scratch, int, (n + STRETCH - 1) / STRETCH);
    if (!q->urgency || !q->before || !q->changed || !q->ready || !q->called || !q->first)
        return false;
    tn_pool_clear(pool, q->urgency, sizeof *q->urgency * (size_t)n);
    return true;
}

/* In the last round nothing waits for those that are not visited. */
static void cut_round(Queue *q, long most)
{
    for (; q->now_count > most; q->now_count--) q->place[q->now[q->now_count - 1]] = 0;
}

long tn_turns_take(TnPool *pool, TnArena *scratch, const TnTurns *turns, const int *first,
                   int first_count, long most)
{
    int n = turns->count;
    size_t mark = tn_arena_mark(scratch);
    bool may_share = tn_pool_threads(pool) >= LEAST_THREADS && n >= WORTH_SHARING &&
                     !tn_any(pool, 2 * n, is_large_key, turns);
    long looks = 0;
    Queue q = {.turns = turns,
               .now = TN_ARENA_NEW(scratch, int, n),
               .next = TN_ARENA_NEW(scratch, int, n),
               .place = TN_ARENA_NEW(scratch, int, n),
               .now_count = first_count};
    if (!q.now || !q.next || !q.place || (may_share && !open_shared(&q, pool, scratch))) return -1;
    tn_pool_clear(pool, q.place, sizeof *q.place * (size_t)n);
    for (int i = 0; i < first_count; i++) q.place[q.now[i] = first[i]] = 1;
    while (q.now_count > 0 && looks < most) {
        cut_round(&q, most - looks);
        looks += q.now_count;
        q.next_count = 0;
        if (may_share && q.now_count >= WORTH_SHARING)
            take_shared(&q, pool);
        else
            take_alone(&q);
        int *now = q.now;
        q.now = q.next;
        q.next = now;
        q.now_count = q.next_count;
    }
    tn_arena_release(scratch, mark);
    return looks;
}
