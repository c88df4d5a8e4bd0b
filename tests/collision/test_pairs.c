/* The list of all pairs of few geoms against the grids, and against itself without a past. */
#include "../../src/collision/collider.h"
#include "../../src/math/vec3.h"
#include "scene.h"

#define BODIES 24

/* Bodies of one to three geoms of all kinds over a floor, among fixed obstacles. */
static bool few_geoms(Scene *s, Random *r)
{
    double vertices[3 * RANDOM_MESH_VERTICES];
    static const TnGeomType types[] = {TN_GEOM_SPHERE,    TN_GEOM_CAPSULE,  TN_GEOM_BOX,
                                       TN_GEOM_ELLIPSOID, TN_GEOM_CYLINDER, TN_GEOM_MESH};
    scene_begin(s);
    add_geom(s, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    for (int i = 0; i < BODIES; i++) {
        TnBodyId body = i % 8 == 7 ? TN_BODY_WORLD : add_free_body(s);
        for (int k = 0; k <= i % 3; k++) {
            TnShape shape = random_shape(r, types[(i + k) % 6], 0.06, vertices);
            TnGeomDef g = geom_def(body, shape.type, shape.size[0], shape.size[1], shape.size[2]);
            if (g.type == TN_GEOM_MESH) {
                TnMeshDef mesh = tn_mesh_def();
                mesh.vertices = shape.mesh_vertices;
                mesh.vertex_count = shape.mesh_vertex_count;
                g.mesh = tn_builder_add_mesh(s->builder, &mesh);
            }
            g.margin = i % 5 == 0 ? 0.01 : 0.0;
            for (int c = 0; c < 3; c++)
                g.pos[c] = body == TN_BODY_WORLD ? uniform(r, -0.4, 0.4) : uniform(r, -0.1, 0.1);
            for (int c = 0; c < 4; c++) g.quat[c] = uniform(r, -1, 1);
            tn_builder_add_geom(s->builder, &g);
        }
    }
    if (!scene_end(s)) return false;
    for (int link = 1; link < s->model->link_count; link++) put_random(s, link, 0.4, 1.0, r);
    return s->collider->list != NULL;
}

static int compare_points(const void *x, const void *y)
{
    const TnContactPoint *a = x, *b = y;
    if (a->geom1 != b->geom1) return a->geom1 - b->geom1;
    if (a->geom2 != b->geom2) return a->geom2 - b->geom2;
    return memcmp(a->pos, b->pos, sizeof a->pos);
}

/* Same points, whatever their order. */
static void check_same(const TnContactList *a, const TnContactList *b)
{
    CHECK(a->count == b->count);
    if (a->count != b->count) return;
    qsort(a->points, (size_t)a->count, sizeof a->points[0], compare_points);
    qsort(b->points, (size_t)b->count, sizeof b->points[0], compare_points);
    CHECK(memcmp(a->points, b->points, sizeof a->points[0] * (size_t)a->count) == 0);
}

static TnContactList detect_with(Scene *s, TnCollider *collider, TnArena *arena, double slack,
                                 const uint8_t *only)
{
    TnContactList list = {0};
    TnMotionInput motion = {.frames = s->frames,
                            .twists = (const double(*)[6])s->twists,
                            .t = 0.005,
                            .slack = slack,
                            .only = only};
    tn_arena_reset(arena);
    CHECK(tn_collision_detect(collider, &motion, arena, NULL, &list));
    return list;
}

/* As in a simulation; now and then somebody is put elsewhere, or all go the same way. */
static void move_on(Scene *s, int step, Random *r)
{
    for (int link = 1; link < s->model->link_count; link++) {
        TnLinkFrame *f = &s->frames[link];
        for (int k = 0; k < 3; k++) {
            double way = 0.005 * s->twists[link][k] + (step % 50 > 40 ? 0.01 : 0.0);
            f->pos[k] += way;
            f->com[k] += way;
        }
        if (step % 7 == link % 7)
            for (int k = 0; k < 6; k++) s->twists[link][k] = uniform(r, -1.0, 1.0);
    }
    if (step % 20 == 19)
        put_random(s, 1 + (int)uniform(r, 0.0, s->model->link_count - 1.0), 0.4, 1.0, r);
}

TEST(a_list_of_few_geoms_and_grids_give_the_same_points)
{
    Random r = {31};
    for (int k = 0; k < UNLESS_SANITIZED(40, 5); k++) {
        Scene s;
        REQUIRE(few_geoms(&s, &r));
        TnCollider *grids = tn_collider_create(s.model);
        TnArena arena;
        REQUIRE(grids && tn_arena_init(&arena, "grids", 1 << 16));
        tn_pairs_destroy(grids->list);
        grids->list = NULL;
        TnContactList a = detect_with(&s, s.collider, &s.arena, 1e-3, NULL),
                      b = detect_with(&s, grids, &arena, 1e-3, NULL);
        CHECK(a.count > 0);
        check_same(&a, &b);
        tn_arena_free(&arena);
        tn_collider_destroy(grids);
        scene_free(&s);
    }
}

TEST(what_a_list_remembers_changes_no_bit)
{
    Random r = {32};
    Scene s;
    REQUIRE(few_geoms(&s, &r));
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "fresh", 1 << 16));
    int points = 0;
    for (int step = 0; step < UNLESS_SANITIZED(400, 60); step++) {
        double slack = step % 30 < 20 ? 1e-3 : 1e-4;
        TnCollider *fresh = tn_collider_create(s.model);
        REQUIRE(fresh);
        TnContactList a = detect_with(&s, s.collider, &s.arena, slack, NULL),
                      b = detect_with(&s, fresh, &arena, slack, NULL);
        CHECK(a.count == b.count);
        if (a.count == b.count && a.count)
            CHECK(memcmp(a.points, b.points, sizeof a.points[0] * (size_t)a.count) == 0);
        points += a.count;
        tn_collider_destroy(fresh);
        move_on(&s, step, &r);
    }
    CHECK(points > 0);
    tn_arena_free(&arena);
    scene_free(&s);
}

TEST(of_marked_links_the_list_has_what_it_has_of_all)
{
    Random r = {33};
    Scene s;
    REQUIRE(few_geoms(&s, &r));
    TnArena arena;
    REQUIRE(tn_arena_init(&arena, "marked", 1 << 16));
    uint8_t *marks = calloc((size_t)s.model->link_count, 1);
    int some = 0;
    for (int step = 0; step < 60; step++) {
        for (int link = 1; link < s.model->link_count; link++)
            marks[link] = uniform(&r, 0, 1) < 0.3;
        TnContactList all = detect_with(&s, s.collider, &arena, 1e-3, NULL);
        int kept = 0;
        for (int i = 0; i < all.count; i++)
            if (marks[s.model->geom_link[all.points[i].geom1]] ||
                marks[s.model->geom_link[all.points[i].geom2]])
                all.points[kept++] = all.points[i];
        all.count = kept;
        TnContactList marked = detect_with(&s, s.collider, &s.arena, 1e-3, marks);
        check_same(&all, &marked);
        some += kept;
        move_on(&s, step, &r);
    }
    CHECK(some > 0);
    free(marks);
    tn_arena_free(&arena);
    scene_free(&s);
}

/* Speeds at which nothing flies (emit_shapes.c): ways stay below TN_FAR of the shapes. */
#define SLOW_SLACK 2e-5
#define LET_PASS 0.05

/* Anywhere, or where the last motion led. */
static void put_slowly(Scene *s, Random *r, bool anywhere, double (*expected)[6])
{
    double speed = SLOW_SLACK / 0.005;
    for (int link = 1; link < s->model->link_count; link++) {
        TnLinkFrame *f = &s->frames[link];
        if (anywhere) put_random(s, link, 0.4, 0.5 * speed, r);
        for (int k = 0; k < 3 && !anywhere; k++) f->pos[k] += 0.005 * s->twists[link][k];
        m3_mul_v(f->com, f->rot, s->model->links[link].com);
        v3_add(f->com, f->com, f->pos);
        double surprise = uniform(r, 0, 1) < 0.5 ? 0.4 * speed : 3.0 * speed;
        for (int k = 0; k < 6; k++) {
            expected[link][k] = uniform(r, -0.5 * speed, 0.5 * speed);
            s->twists[link][k] = expected[link][k] + uniform(r, -surprise, surprise);
        }
    }
}

static TnContactList look_slowly(Scene *s, TnCollider *collider, TnArena *arena,
                                 const double (*twists)[6], const double (*expected)[6])
{
    TnContactList list = {0};
    TnMotionInput motion = {.frames = s->frames,
                            .twists = twists,
                            .t = 0.005,
                            .slack = SLOW_SLACK,
                            .expected = expected,
                            .surprise = (1.0 + LET_PASS) * SLOW_SLACK};
    tn_arena_reset(arena);
    CHECK(tn_collision_detect(collider, &motion, arena, NULL, &list));
    return list;
}

/* What is left of a point's gap after the step, m. */
static double end_gap(const Scene *s, const TnContactPoint *c)
{
    double gap = c->gap;
    for (int side = 0; side < 2; side++) {
        const double *u = s->twists[s->model->geom_link[side ? c->geom2 : c->geom1]];
        double v[3];
        v3_cross(v, u + 3, side ? c->arm2 : c->arm1);
        v3_add(v, v, u);
        gap += (side ? 0.005 : -0.005) * v3_dot(v, c->normal);
    }
    return gap;
}

static bool has(const TnContactList *list, const TnContactPoint *c)
{
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        double d[3];
        v3_sub(d, p->pos, c->pos);
        /* where the search for it began changes it by rounding */
        if (p->geom1 == c->geom1 && p->geom2 == c->geom2 && v3_norm(d) < 1e-12) return true;
    }
    return false;
}

/* A collider that has seen nothing but this step finds the same. */
static void check_without_a_past(Scene *s, const TnContactList *found, const double (*twists)[6],
                                 const double (*expected)[6])
{
    TnCollider *young = tn_collider_create(s->model);
    TnArena arena;
    REQUIRE(young && tn_arena_init(&arena, "young", 1 << 16));
    look_slowly(s, young, &arena, expected, NULL);
    TnContactList again = look_slowly(s, young, &arena, twists, expected);
    CHECK(again.count == found->count);
    if (again.count == found->count && again.count)
        CHECK(memcmp(again.points, found->points, sizeof again.points[0] * (size_t)again.count) ==
              0);
    tn_arena_free(&arena);
    tn_collider_destroy(young);
}

TEST(a_second_look_leaves_out_no_point_that_closes_unlisted)
{
    Random r = {35};
    Scene s;
    REQUIRE(few_geoms(&s, &r));
    TnArena first, second;
    REQUIRE(tn_arena_init(&first, "first", 1 << 16) && tn_arena_init(&second, "second", 1 << 16));
    double(*expected)[6] = calloc((size_t)s.model->link_count, sizeof *expected);
    TnCollider *fresh = tn_collider_create(s.model);
    REQUIRE(expected && fresh);
    int missed = 0, left_out = 0;
    for (int k = 0; k < UNLESS_SANITIZED(16000, 4000); k++) {
        put_slowly(&s, &r, k % 4 == 0, expected);
        const double(*twists)[6] = (const double(*)[6])s.twists,
              (*foreseen)[6] = (const double(*)[6])expected;
        TnContactList listed = look_slowly(&s, s.collider, &first, foreseen, NULL),
                      found = look_slowly(&s, s.collider, &second, twists, foreseen),
                      all = look_slowly(&s, fresh, &s.arena, twists, NULL);
        left_out += all.count - found.count;
        if (k % 9 == 0) check_without_a_past(&s, &found, twists, foreseen);
        for (int i = 0; i < all.count; i++) {
            const TnContactPoint *c = &all.points[i];
            /* which points stand for an overlap depends on how far ahead collision looks */
            if (!(c->gap > 0.0 && end_gap(&s, c) < -LET_PASS * SLOW_SLACK)) continue;
            if (has(&listed, c)) continue;
            CHECK(has(&found, c));
            missed++;
        }
    }
    CHECK(left_out > 1000); /* most of what is listed */
    CHECK(missed > 0);      /* and some were there to be found */
    tn_collider_destroy(fresh);
    free(expected);
    tn_arena_free(&second);
    tn_arena_free(&first);
    scene_free(&s);
}

TEST(a_direction_from_before_shows_that_shapes_are_apart)
{
    Random r = {34};
    int apart = 0, near = 0;
    for (int k = 0; k < 2000; k++) {
        double va[3 * RANDOM_MESH_VERTICES], vb[3 * RANDOM_MESH_VERTICES];
        TnShape a = random_shape(&r, k % 2 ? TN_GEOM_MESH : TN_GEOM_CYLINDER, 0.1, va),
                b = random_shape(&r, k % 3 ? TN_GEOM_MESH : TN_GEOM_ELLIPSOID, 0.1, vb);
        TnTransform ta = random_place(&r, 0.2), tb = random_place(&r, 0.2);
        TnPlaced pa = {&a, &ta}, pb = {&b, &tb};
        TnWitness w;
        tn_convex_witness(&pa, &pb, 0.0, &w);
        if (w.gap < 1e-3) continue;
        double v[3] = {uniform(&r, -1, 1), uniform(&r, -1, 1), uniform(&r, -1, 1)};
        CHECK(!tn_gjk_apart(&pa, &pb, 1.001 * w.gap, v)); /* never more than there is */
        near++;
        for (int i = 0; i < 3; i++) v[i] = -w.gap * w.normal[i];
        apart += tn_gjk_apart(&pa, &pb, 0.999 * w.gap, v);
    }
    CHECK(near > 500);
    CHECK(apart == near); /* the right direction shows it at once */
}
