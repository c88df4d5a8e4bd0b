/* Contacts of rods with themselves, each other and balls, against all pairs one by one. */
#include "../../src/collision/collider.h"
#include "scene.h"

enum { SEGMENTS = 150 }; /* more than two blocks of 64, and no multiple of eight */

static void add_rod(Scene *s, int segments, double radius)
{
    TnRodDef rod = tn_rod_def();
    rod.segment_count = segments;
    rod.radius = radius;
    rod.end[0] = 0.02 * segments;
    rod.self_contact = true;
    tn_builder_add_rod(s->builder, &rod);
}

/* Segments lie anywhere, as in no rod: many pairs of all distances along it meet. */
static bool tangle(Scene *s, Random *r)
{
    scene_begin(s);
    add_rod(s, SEGMENTS, 0.01);
    add_rod(s, 20, 0.012);
    for (int i = 0; i < 20; i++) add_geom(s, add_free_body(s), TN_GEOM_SPHERE, 0.015, 0, 0);
    if (!scene_end(s)) return false;
    for (int link = 1; link < s->model->link_count; link++) put_random(s, link, 0.08, 0.0, r);
    return true;
}

/* Of two geoms that are pieces of one rod, how far apart along it they are; otherwise -1. */
static int apart_along(const Scene *s, int g, int h)
{
    for (int i = 0; i < s->model->rod_count; i++) {
        const TnRod *rod = &s->model->rods[i];
        int a = g - rod->geom_start, b = h - rod->geom_start, n = rod->segment_count;
        if (a >= 0 && a < n && b >= 0 && b < n) return abs(a - b) < rod->near ? 0 : abs(a - b);
    }
    return -1;
}

static int count_of(const TnContactList *list, int g, int h)
{
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        count += (p->geom1 == g && p->geom2 == h) || (p->geom1 == h && p->geom2 == g);
    }
    return count;
}

TEST(all_pairs_that_touch_are_listed_once_but_near_ones_along_a_rod)
{
    const double slack = 1e-3;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Random r = {seed};
        Scene s;
        int own = 0, others = 0;
        REQUIRE(tangle(&s, &r));
        TnContactList list = detect(&s, 0.01, slack, NULL);
        for (int g = 0; g < s.model->geom_count; g++)
            for (int h = g + 1; h < s.model->geom_count; h++) {
                TnShape a = geom_shape(&s, g), b = geom_shape(&s, h);
                TnTransform at_a = geom_place(&s, g), at_b = geom_place(&s, h);
                TnManifold m;
                int along = apart_along(&s, g, h), expected = 0;
                bool close = false;
                if (along && tn_collide(&a, &at_a, &b, &at_b, 1.0, &m))
                    for (int k = 0; k < m.count; k++) {
                        expected += m.points[k].gap <= slack;
                        close |= fabs(m.points[k].gap - slack) < 1e-9; /* rounding decides */
                    }
                if (close) continue;
                CHECK(count_of(&list, g, h) == expected);
                *(along > 0 ? &own : &others) += expected;
            }
        CHECK(own > 100 && others > 100);
        scene_free(&s);
    }
}

/* A detection that looks at some links alone lists what the whole one has of them. */
TEST(some_links_alone_find_their_part_of_the_list)
{
    const double slack = 1e-3;
    Random r = {7};
    Scene s;
    REQUIRE(tangle(&s, &r));
    uint8_t only[SEGMENTS + 60] = {0};
    REQUIRE(s.model->link_count <= (int)sizeof only);
    for (int link = 1; link < s.model->link_count; link += 7) only[link] = 1;
    TnContactList all = detect(&s, 0.01, slack, NULL), some = {0};
    TnContactPoint *kept = malloc(sizeof *kept * (size_t)all.count);
    int expected = 0;
    for (int i = 0; i < all.count; i++) {
        const TnContactPoint *p = &all.points[i];
        int a = s.model->geoms[p->geom1].link, b = s.model->geoms[p->geom2].link;
        if (only[a] || only[b]) kept[expected++] = *p;
    }
    TnMotionInput motion = {.frames = s.frames,
                            .twists = (const double(*)[6])s.twists,
                            .t = 0.01,
                            .slack = slack,
                            .only = only};
    tn_arena_reset(&s.arena);
    CHECK(tn_collision_detect(s.collider, &motion, &s.arena, NULL, &some));
    CHECK(some.count == expected && expected > 50);
    for (int i = 0; i < expected; i++)
        CHECK(count_of(&some, kept[i].geom1, kept[i].geom2) ==
              count_of(&(TnContactList){.points = kept, .count = expected}, kept[i].geom1,
                       kept[i].geom2));
    free(kept);
    scene_free(&s);
}
