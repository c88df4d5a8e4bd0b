/* How deep pairs are, as a list of contacts has it: compared with a loop over the list, on several
 * threads, and counted: a question takes as many looks in a long list as in a short one. */
#include "../check.h"

#include <math.h>

#include "step/depths.h"

enum { MOST = 16000, PER_GEOM = 3, NEAR = 6 };

static unsigned state = 1;
static int random_below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

/* Each geom has PER_GEOM contacts with some next to it, in either order of the two; some pairs have
 * several. */
static void make(TnContactPoint *points, int geoms)
{
    for (int i = 0; i < PER_GEOM * geoms; i++) {
        int a = i / PER_GEOM, b = (a + 1 + random_below(NEAR)) % geoms, turned = random_below(2);
        points[i] = (TnContactPoint){.geom1 = turned ? b : a,
                                     .geom2 = turned ? a : b,
                                     .gap = 1e-3 * (random_below(200) - 150)};
    }
}

static double plain(const TnContactList *list, int a, int b)
{
    double depth = 0.0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        if ((p->geom1 == a && p->geom2 == b) || (p->geom1 == b && p->geom2 == a))
            depth = fmax(depth, -p->gap);
    }
    return depth;
}

TEST(depths_of_pairs_are_those_of_the_list_on_any_number_of_threads)
{
    enum { GEOMS = 900 };
    static TnContactPoint points[PER_GEOM * GEOMS];
    TnContactList list = {.points = points, .count = PER_GEOM * GEOMS};
    make(points, GEOMS);
    for (int threads = 1; threads <= 4; threads += 3) {
        TnPool *pool = tn_pool_create(threads);
        TnArena arena;
        TnDepths depths;
        REQUIRE(pool && tn_arena_init(&arena, "test", 1 << 16));
        REQUIRE(tn_depths_open(pool, &arena, &list, GEOMS, &depths));
        int wrong = 0, deep = 0;
        for (int a = 0; a < GEOMS; a += 7)
            for (int b = a + 1; b <= a + NEAR + 1; b++) {
                double depth = tn_depths_of(&depths, a, b % GEOMS);
                wrong += depth != plain(&list, a, b % GEOMS);
                wrong += depth != tn_depths_of(&depths, b % GEOMS, a);
                deep += depth > 0.0;
            }
        CHECK(wrong == 0);
        CHECK(deep > GEOMS / 7);
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
}

/* Looks of one question for each contact of the list, per contact. */
static void count_looks(int geoms, double *per_contact)
{
    static TnContactPoint points[PER_GEOM * MOST];
    TnContactList list = {.points = points, .count = PER_GEOM * geoms};
    TnArena arena;
    TnDepths depths;
    double looks = 0.0;
    make(points, geoms);
    REQUIRE(tn_arena_init(&arena, "test", 1 << 16));
    REQUIRE(tn_depths_open(NULL, &arena, &list, geoms, &depths));
    for (int i = 0; i < list.count; i++) {
        int low = points[i].geom1 < points[i].geom2 ? points[i].geom1 : points[i].geom2;
        looks += depths.start[low + 1] - depths.start[low];
    }
    tn_arena_free(&arena);
    *per_contact = looks / list.count;
}

TEST(a_question_for_a_depth_costs_the_same_in_a_scene_of_any_size)
{
    double few = INFINITY, many = INFINITY;
    count_looks(MOST / 16, &few);
    count_looks(MOST, &many);
    /* a geom has three contacts as the lower one, but for the last ones, whose next are the first:
     * six geoms of 1000, with three more at most each */
    CHECK(few < PER_GEOM + 0.05);
    CHECK(many <= few);
}
