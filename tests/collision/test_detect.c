/* The contact list against all pairs one by one, its order, and its independence of threads. */
#include "../../src/collision/collider.h"
#include "scene.h"

/* A heap of shapes of all kinds and sizes over a floor, among fixed obstacles. */
static bool mixed_scene(Scene *s, int count, double spread, double speed, Random *r)
{
    double vertices[3 * RANDOM_MESH_VERTICES];
    static const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_SPHERE,    TN_GEOM_CAPSULE,
                                       TN_GEOM_BOX,    TN_GEOM_ELLIPSOID, TN_GEOM_CYLINDER,
                                       TN_GEOM_MESH};
    scene_begin(s);
    add_geom(s, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    for (int i = 0; i < count; i++) {
        bool fixed = i % 10 == 9;
        /* sizes over two decades */
        double scale = 0.05 * pow(10.0, uniform(r, -1.0, 1.0));
        TnShape shape = random_shape(r, types[i % 7], scale, vertices);
        TnGeomDef g = geom_def(fixed ? TN_BODY_WORLD : add_free_body(s), shape.type, shape.size[0],
                               shape.size[1], shape.size[2]);
        if (g.type == TN_GEOM_MESH) {
            TnMeshDef mesh = tn_mesh_def();
            mesh.vertices = shape.mesh_vertices;
            mesh.vertex_count = shape.mesh_vertex_count;
            g.mesh = tn_builder_add_mesh(s->builder, &mesh);
        }
        g.margin = i % 3 == 0 ? 0.01 : 0.0;
        for (int k = 0; k < 3; k++)
            g.pos[k] = fixed ? uniform(r, -spread, spread) : uniform(r, -0.02, 0.02);
        for (int k = 0; k < 4; k++) g.quat[k] = uniform(r, -1, 1);
        tn_builder_add_geom(s->builder, &g);
        if (i % 5 == 0 && !fixed) { /* a second geom on the same body */
            TnGeomDef ball = geom_def(g.body, TN_GEOM_SPHERE, 0.5 * scale, 0, 0);
            ball.pos[0] = scale;
            tn_builder_add_geom(s->builder, &ball);
        }
    }
    if (!scene_end(s)) return false;
    for (int link = 1; link < s->model->link_count; link++) put_random(s, link, spread, speed, r);
    return true;
}

static int find(const TnContactList *list, int g1, int g2, const double *pos)
{
    int found = 0;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        bool same = (p->geom1 == g1 && p->geom2 == g2) || (p->geom1 == g2 && p->geom2 == g1);
        if (!same) continue;
        /* the same routine at places that differ by rounding of 10 m */
        if (!pos ||
            (fabs(p->pos[0] - pos[0]) + fabs(p->pos[1] - pos[1]) + fabs(p->pos[2] - pos[2]) < 1e-9))
            found++;
    }
    return found;
}

/* Every point of every pair of geoms at rest is in the list exactly when the rule says so. */
static void check_points(Scene *s, double slack)
{
    TnContactList list = detect(s, 0.01, slack, NULL);
    int n = s->model->geom_count, expected = 0, listed_pairs = 0;
    for (int g = 0; g < n; g++)
        for (int h = g + 1; h < n; h++) {
            const TnGeom *a = &s->model->geoms[g], *b = &s->model->geoms[h];
            if (a->link == b->link) continue;
            TnShape sa = geom_shape(s, g), sb = geom_shape(s, h);
            TnTransform ta = geom_place(s, g), tb = geom_place(s, h);
            double allowed = a->margin + b->margin + slack;
            TnManifold m;
            /* which of a box's clipped corners stay depends on how many there are */
            bool boxes = a->type == TN_GEOM_BOX && b->type == TN_GEOM_BOX;
            if (!tn_collide(&sa, &ta, &sb, &tb, boxes ? allowed : 1.0, &m)) {
                CHECK(find(&list, g, h, NULL) == 0);
                continue;
            }
            /* which of many clipped points are kept may depend on the margin: of round caps and
             * meshes only contact itself is compared */
            bool exact = a->type != TN_GEOM_CYLINDER && b->type != TN_GEOM_CYLINDER &&
                         a->type != TN_GEOM_MESH && b->type != TN_GEOM_MESH;
            if (m.count && lowest_gap(&m) < allowed - 1e-9) CHECK(find(&list, g, h, NULL) > 0);
            if (!exact) continue;
            for (int k = 0; k < m.count; k++) {
                double spare = allowed - m.points[k].gap;
                if (fabs(spare) < 1e-9) continue; /* rounding decides */
                expected += spare > 0.0;
                CHECK(find(&list, g, h, m.points[k].pos) == (spare > 0.0));
            }
            listed_pairs += find(&list, g, h, NULL);
        }
    CHECK(expected == listed_pairs);
    CHECK(list.count > 0);
}

/* A geom's place after so many seconds of its link's twist. */
static TnTransform place_later(const Scene *s, int geom, double time)
{
    int link = s->model->geoms[geom].link;
    const double *twist = s->twists[link], *com = s->frames[link].com;
    TnTransform out = geom_place(s, geom), now = out;
    double rate = sqrt(dot3(twist + 3, twist + 3)), angle = time * rate;
    double axis[3] = {1.0, 0.0, 0.0}, c = cos(angle), d = sin(angle), R[9], arm[3];
    for (int k = 0; k < 3 && rate > 0.0; k++) axis[k] = twist[3 + k] / rate;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j; /* of the axis, where i and j differ */
            double skew = i == j ? 0.0 : ((j - i + 3) % 3 == 1 ? -axis[k] : axis[k]);
            R[3 * i + j] = (i == j ? c : 0.0) + (1.0 - c) * axis[i] * axis[j] + d * skew;
        }
    for (int k = 0; k < 3; k++) arm[k] = now.pos[k] - com[k];
    for (int i = 0; i < 3; i++) {
        out.pos[i] = com[i] + time * twist[i] + dot3(R + 3 * i, arm);
        for (int j = 0; j < 3; j++)
            out.rot[3 * i + j] = R[3 * i] * now.rot[j] + R[3 * i + 1] * now.rot[3 + j] +
                                 R[3 * i + 2] * now.rot[6 + j];
    }
    return out;
}

/* The smallest gap on the way, looked at so many times. */
static double nearest(const Scene *s, int g, int h, double t, int looks)
{
    TnShape sa = geom_shape(s, g), sb = geom_shape(s, h);
    double low = INFINITY;
    for (int k = 0; k <= looks; k++) {
        TnTransform ta = place_later(s, g, t * k / looks), tb = place_later(s, h, t * k / looks);
        TnManifold m;
        if (tn_collide(&sa, &ta, &sb, &tb, 1.0, &m) && m.count) low = fmin(low, lowest_gap(&m));
    }
    return low;
}

/* Of things in motion those are listed that overlap anywhere on their way, and nothing that stays
 * apart. */
static void check_paths(Scene *s, double t, double slack)
{
    enum { LOOKS = 40 };
    TnContactList list = detect(s, t, slack, NULL);
    int n = s->model->geom_count, met = 0;
    for (int g = 0; g < n; g++)
        for (int h = g + 1; h < n; h++) {
            const TnGeom *a = &s->model->geoms[g], *b = &s->model->geoms[h];
            if (a->link == b->link) continue;
            double gap = nearest(s, g, h, t, LOOKS), thin = INFINITY;
            bool listed = find(&list, g, h, NULL) > 0;
            for (int k = 0; k < 2; k++) {
                TnShape shape = geom_shape(s, k ? h : g);
                double half[3] = {1e3, 1e3, 1e3};
                if (shape.type == TN_GEOM_MESH) continue; /* its own extents do not matter here */
                if (shape.type == TN_GEOM_BOX || shape.type == TN_GEOM_ELLIPSOID)
                    for (int i = 0; i < 3; i++) half[i] = shape.size[i];
                thin = fmin(thin, tn_shape_thinness(&shape, half));
            }
            if (thin == INFINITY) thin = 0.5;
            /* short ways are taken for straight, and between two looks the gap may be smaller */
            double room = a->margin + b->margin + slack + TN_FAR * thin, between = 0.0;
            for (int k = 0; k < 2; k++) {
                const double *v = s->twists[s->model->geoms[k ? h : g].link];
                between += t / LOOKS * (sqrt(dot3(v, v)) + 0.6 * sqrt(dot3(v + 3, v + 3)));
            }
            met += gap < 0.0;
            if (gap < -1e-6) CHECK(listed);
            if (gap > room + between && listed)
                test_fail(__FILE__, __LINE__, "geoms %d %d (types %d %d) stay %g apart", g, h,
                          a->type, b->type, gap);
        }
    CHECK(met > 0);
}

TEST(at_rest_the_list_holds_exactly_the_points_that_the_rule_admits)
{
    Random r = {11};
    for (int round = 0; round < 3; round++) {
        Scene s;
        double spreads[3] = {0.4, 0.6, 1.0};
        REQUIRE(mixed_scene(&s, 140, spreads[round], 0.0, &r));
        check_points(&s, 1e-4);
        scene_free(&s);
    }
}

TEST(in_motion_the_list_holds_whoever_meets_and_nobody_else)
{
    Random r = {11};
    for (int round = 0; round < 3; round++) {
        Scene s;
        /* from a dense heap to a thin one in fast motion */
        double speeds[3] = {1.0, 5.0, 20.0}, spreads[3] = {0.6, 1.0, 3.0};
        REQUIRE(mixed_scene(&s, 140, spreads[round], speeds[round], &r));
        check_paths(&s, 0.01, 1e-4);
        scene_free(&s);
    }
}

TEST(a_few_geoms_need_no_grid_and_give_the_same_list)
{
    Random r = {12};
    Scene s;
    REQUIRE(mixed_scene(&s, 14, 0.15, 0.0, &r));
    check_points(&s, 1e-4);
    scene_free(&s);
}

TEST(stragglers_far_away_do_not_hide_any_pair)
{
    Random r = {13};
    Scene s;
    REQUIRE(mixed_scene(&s, 140, 0.5, 0.0, &r));
    /* the grid would need 1e15 cells: it wraps around instead */
    const double far[3][3] = {{1e4, 0, 0}, {-3e3, 2e4, 50}, {0, 0, -5e4}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) s.frames[k + 2].pos[i] = s.frames[k + 2].com[i] = far[k][i];
    check_points(&s, 1e-4);
    scene_free(&s);
}

TEST(points_of_one_geom_are_contiguous_and_it_moves)
{
    Random r = {14};
    Scene s;
    REQUIRE(mixed_scene(&s, 200, 0.5, 1.0, &r));
    TnContactList list = detect(&s, 0.01, 1e-4, NULL);
    char *seen = calloc((size_t)s.model->geom_count, 1);
    for (int i = 0; i < list.count; i++) {
        const TnContactPoint *p = &list.points[i];
        CHECK(s.model->geoms[p->geom1].link != 0);
        CHECK(s.model->geoms[p->geom1].link != s.model->geoms[p->geom2].link);
        bool begins = i == 0 || list.points[i - 1].geom1 != p->geom1;
        CHECK(!(begins && seen[p->geom1]));
        seen[p->geom1] = 1;
        CHECK_NEAR(dot3(p->normal, p->normal), 1.0, 1e-12); /* rounding */
    }
    free(seen);
    scene_free(&s);
}

static bool sphere_heap(Scene *s, int count, Random *r)
{
    scene_begin(s);
    add_geom(s, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    add_geom(s, TN_BODY_WORLD, TN_GEOM_BOX, 0.5, 0.5, 0.05);
    for (int i = 0; i < count; i++)
        add_geom(s, add_free_body(s), i % 50 ? TN_GEOM_SPHERE : TN_GEOM_BOX, 0.05, 0.05, 0.05);
    if (!scene_end(s)) return false;
    for (int link = 1; link < s->model->link_count; link++) put_random(s, link, 0.6, 1.0, r);
    return true;
}

/* Spheres alone, so that the expected list is a matter of distances. */
static bool sphere_cloud(Scene *s, int count, int per_body, double spread, Random *r)
{
    scene_begin(s);
    for (int i = 0; i < count; i++) {
        TnBodyId body = add_free_body(s);
        for (int k = 0; k < per_body; k++) add_geom(s, body, TN_GEOM_SPHERE, 0.05, 0, 0);
    }
    if (!scene_end(s)) return false;
    for (int link = 1; link < s->model->link_count; link++) put_random(s, link, spread, 0.0, r);
    return true;
}

static void check_spheres(Scene *s)
{
    TnContactList list = detect(s, 0.01, 0.0, NULL);
    int n = s->model->geom_count, expected = 0;
    for (int g = 0; g < n; g++)
        for (int h = g + 1; h < n; h++) {
            const double *p = s->frames[s->model->geoms[g].link].pos,
                         *q = s->frames[s->model->geoms[h].link].pos;
            double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
            expected += s->model->geoms[g].link != s->model->geoms[h].link && dot3(d, d) <= 0.01;
        }
    CHECK(list.count == expected);
    CHECK(expected > 0);
    /* with the right number, right distances and no pair twice, the list is the right one */
    for (int i = 0; i < list.count; i++) {
        const TnContactPoint *c = &list.points[i];
        const double *p = s->frames[s->model->geoms[c->geom1].link].pos,
                     *q = s->frames[s->model->geoms[c->geom2].link].pos;
        double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
        CHECK_NEAR(c->gap, sqrt(dot3(d, d)) - 0.1, 1e-12); /* rounding of positions up to 1e4 m */
        for (int j = i - 1; j >= 0 && list.points[j].geom1 == c->geom1; j--)
            CHECK(list.points[j].geom2 != c->geom2);
    }
}

TEST(several_chunks_close_up_to_the_list_of_all_pairs)
{
    Random r = {19};
    Scene s;
    REQUIRE(sphere_cloud(&s, 3000, 1, 0.8, &r));
    check_spheres(&s);
    scene_free(&s);
}

/* 72 spheres on 36 bodies: their pairs are few enough to be listed once, and no grid cuts them into
 * chunks. */
TEST(a_list_of_pairs_with_more_geoms_than_a_chunk_has_each_point_once)
{
    Random r = {27};
    Scene s;
    REQUIRE(sphere_cloud(&s, 36, 2, 0.25, &r));
    REQUIRE(s.collider->list && s.collider->moving_count > TN_CHUNK);
    check_spheres(&s);
    scene_free(&s);
}

TEST(a_grid_that_wraps_around_misses_nothing_at_its_seam)
{
    Random r = {20};
    Scene s;
    REQUIRE(sphere_cloud(&s, 300, 1, 0.4, &r));
    /* a lonely sphere far out makes the grid wrap, each time at another place of the cloud */
    for (int k = 0; k < 60; k++) {
        for (int i = 0; i < 3; i++)
            s.frames[1].pos[i] = s.frames[1].com[i] = i == k % 3 ? -100.0 - 0.37 * k : -0.05 * k;
        check_spheres(&s);
    }
    scene_free(&s);
}

TEST(one_to_eight_threads_give_the_same_bytes)
{
    Random r = {15};
    Scene s;
    REQUIRE(sphere_heap(&s, 5000, &r));
    TnContactList first = detect(&s, 0.01, 1e-4, NULL);
    REQUIRE(first.count > 5000);
    TnContactPoint *copy = malloc(sizeof *copy * (size_t)first.count);
    memcpy(copy, first.points, sizeof *copy * (size_t)first.count);
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnPool *pool = tn_pool_create(threads);
        REQUIRE(pool);
        TnContactList list = detect(&s, 0.01, 1e-4, pool);
        CHECK(list.count == first.count);
        if (list.count == first.count)
            CHECK(memcmp(list.points, copy, sizeof *copy * (size_t)list.count) == 0);
        tn_pool_destroy(pool);
    }
    free(copy);
    scene_free(&s);
}

TEST(neighbours_in_the_list_are_neighbours_in_space)
{
    Random r = {16};
    Scene s;
    REQUIRE(sphere_heap(&s, 3000, &r));
    TnContactList list = detect(&s, 0.01, 1e-4, NULL);
    double near = 0.0, any = 0.0;
    for (int i = 1; i < list.count; i++) {
        const double *p = list.points[i - 1].pos, *q = list.points[i].pos,
                     *o = list.points[(i * 7919) % list.count].pos;
        near += fabs(p[1] - q[1]) + fabs(p[2] - q[2]);
        any += fabs(o[1] - q[1]) + fabs(o[2] - q[2]);
    }
    /* cells go along x: the other two coordinates of successive points differ by a cell at most, of
     * 16 across the heap */
    CHECK(near < 0.2 * any);
    scene_free(&s);
}

TEST(a_warm_step_allocates_nothing)
{
    Random r = {17};
    Scene s;
    REQUIRE(mixed_scene(&s, 200, 0.4, 1.0, &r));
    detect(&s, 0.01, 1e-4, NULL);
    detect(&s, 0.01, 1e-4, NULL);
    tn_arena_reset(&s.arena);
    long before = tn_malloc_count();
    for (int k = 0; k < 5; k++) {
        for (int link = 1; link < s.model->link_count; link++) s.frames[link].pos[0] += 1e-4;
        detect(&s, 0.01, 1e-4, NULL);
    }
    CHECK(tn_malloc_count() == before);
    scene_free(&s);
}

TEST(running_out_of_memory_is_reported_and_leaks_nothing)
{
    Random r = {18};
    Scene s;
    REQUIRE(mixed_scene(&s, 60, 0.3, 1.0, &r));
    /* create: every allocation in turn fails; leaks are for the address sanitizer to find */
    int failures = 0;
    for (long k = 0;; k++) {
        tn_malloc_fail_after(k);
        TnCollider *c = tn_collider_create(s.model);
        tn_malloc_fail_after(-1);
        tn_collider_destroy(c);
        if (c) break;
        failures++;
    }
    CHECK(failures >= 2);
    /* detect: the arena is too small and the heap gives nothing */
    TnArena tiny;
    REQUIRE(tn_arena_init(&tiny, "tiny", 64));
    TnContactList list;
    tn_malloc_fail_after(0);
    TnMotionInput motion = {.frames = s.frames, .twists = (const double(*)[6])s.twists, .t = 0.01};
    bool ok = tn_collision_detect(s.collider, &motion, &tiny, NULL, &list);
    tn_malloc_fail_after(-1);
    CHECK(!ok);
    CHECK(list.count == 0);
    tn_arena_free(&tiny);
    scene_free(&s);
}

TEST(a_model_without_moving_geoms_has_no_contacts)
{
    Scene s;
    scene_begin(&s);
    add_geom(&s, TN_BODY_WORLD, TN_GEOM_BOX, 1, 1, 1);
    add_geom(&s, TN_BODY_WORLD, TN_GEOM_SPHERE, 1, 0, 0);
    REQUIRE(scene_end(&s));
    CHECK(detect(&s, 0.01, 1e-4, NULL).count == 0);
    scene_free(&s);
}
