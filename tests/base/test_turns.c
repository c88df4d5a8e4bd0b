/* Things that take turns on several threads: each look must find what it finds when they are looked
 * at one after the other. A thing here draws the numbers of its two keys together, in a way that
 * rounds differently in any other order. */
#include "../check.h"

#include <math.h>

#include "base/bucket.h"
#include "base/turns.h"

enum { THINGS = 9000, KEYS = 3000, COUNTS = 3 };
static const int thread_counts[COUNTS] = {1, 7, 16};

typedef struct Net {
    int32_t keys[THINGS][2], start[KEYS + 1], of[2 * THINGS];
    double number[KEYS];
    double near; /* two that differ by no more stay as they are */
    int looks[THINGS];
} Net;

static unsigned state = 1;
static int random_below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

/* Neighbours along a line share things, as in space; some things have one key. `hub`: key 0 is
 * that of every fourth. */
static void make(Net *net, bool hub)
{
    state = 1;
    for (int i = 0; i < THINGS; i++) {
        int a = (int)((long)i * KEYS / THINGS), b = (a + 1 + random_below(40)) % KEYS;
        net->keys[i][0] = hub && i % 4 == 0 ? 0 : a;
        net->keys[i][1] = random_below(20) && b != net->keys[i][0] ? b : -1;
    }
    for (int k = 0; k < KEYS; k++) net->number[k] = random_below(1000000) / 7.0;
    net->near = 1000.0;
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "test", 1 << 16));
    REQUIRE(tn_buckets_fill(NULL, &arena, net->keys[0], 2 * THINGS, KEYS, net->start, net->of));
    tn_arena_free(&arena);
}

static unsigned draw_together(void *context, int thing)
{
    Net *net = context;
    const int32_t *keys = net->keys[thing];
    net->looks[thing]++;
    if (keys[1] < 0) {
        if (net->number[keys[0]] < 9000.0) return 0;
        net->number[keys[0]] *= 0.9;
        return 1;
    }
    double *a = &net->number[keys[0]], *b = &net->number[keys[1]], d = *a - *b;
    if (fabs(d) <= net->near) return 0;
    *a -= 0.3 * d;
    /* the other stays where it is light */
    if (thing % 3 == 0) return 1;
    *b += 0.4 * d;
    return 3;
}

/* One after the other: a queue. */
static int queue[THINGS], head, waiting;
static bool waits[THINGS];

static void line_up(int thing)
{
    if (!waits[thing]) queue[(head + waiting++) % THINGS] = thing;
    waits[thing] = true;
}

static long expect(Net *net, long most)
{
    long looks = 0;
    head = waiting = 0;
    memset(waits, 0, sizeof waits);
    for (int i = 0; i < THINGS; i++) line_up(i);
    for (; waiting > 0 && looks < most; looks++) {
        int thing = queue[head];
        head = (head + 1) % THINGS;
        waiting--;
        waits[thing] = false;
        unsigned changed = draw_together(net, thing);
        for (int k = 0; k < 2; k++) {
            if (!(changed >> k & 1)) continue;
            const int32_t *start = &net->start[net->keys[thing][k]];
            for (int e = start[0]; e < start[1]; e++) line_up(net->of[e] / 2);
        }
    }
    return looks;
}

static void check_turns(bool hub, long most)
{
    static Net one, net;
    static int first[THINGS];
    memset(one.looks, 0, sizeof one.looks);
    make(&one, hub);
    long looks = expect(&one, most);
    for (int i = 0; i < THINGS; i++) first[i] = i;
    for (int t = 0; t < COUNTS; t++) {
        TnArena arena;
        TnPool *pool = tn_pool_create(thread_counts[t]);
        REQUIRE(pool && tn_arena_init(&arena, "test", 1 << 20));
        memset(net.looks, 0, sizeof net.looks);
        make(&net, hub);
        TnTurns turns = {.count = THINGS,
                         .keys = (const int32_t(*)[2])net.keys,
                         .start = net.start,
                         .of = net.of,
                         .look = draw_together,
                         .context = &net};
        size_t used = arena.used;
        CHECK(tn_turns_take(pool, &arena, &turns, first, THINGS, most) == looks);
        CHECK(arena.used == used);
        CHECK(memcmp(net.number, one.number, sizeof net.number) == 0);
        CHECK(memcmp(net.looks, one.looks, sizeof net.looks) == 0);
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
}

/* Rounds get smaller: the last ones are not shared. */
TEST(turns_on_threads_end_as_one_after_the_other) { check_turns(false, 1000000); }

TEST(turns_on_threads_stop_after_so_many_looks) { check_turns(false, 3 * THINGS + 4321); }

/* It is in the way of all others that have it. */
TEST(turns_on_threads_with_a_key_of_many_things) { check_turns(true, 2 * THINGS); }
