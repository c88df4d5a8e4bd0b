/* Rays, distances and overlaps: against closed forms, sampling, and what MuJoCo 4.0.0 gave. */
#include <tenon/tenon.h>

#include "../check.h"
#include "../random.h"
#include "../step/text_scene.h"

#define CUBE                                                                                       \
    "<asset><mesh name='m' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 "     \
    "1'/></asset>"

static TnRayHit cast(const TextScene *s, double x, double y, double z, double dx, double dy,
                     double dz, const TnRayFilter *filter)
{
    TnRay ray = {{x, y, z}, {dx, dy, dz}};
    TnRayHit hit = {0};
    CHECK(tn_world_cast_rays(s->world, &ray, 1, filter, &hit, NULL) == TN_OK);
    return hit;
}

TEST(rays_meet_each_shape_where_mujoco_meets_it)
{
    /* from above, from inside, from below, beside: numbers of mj_ray */
    static const struct {
        const char *geom;
        double above, inside, below, beside;
    } cases[] = {{"<geom size='1'/>", 2, 1.2, 2, -1},
                 {"<geom type='box' size='1 1 1'/>", 2, 1.2, 2, -1},
                 {"<geom type='plane' size='1 1 1'/>", 3, 0.2, -1, -1},
                 {"<geom type='plane' size='0 0 1'/>", 3, 0.2, -1, 3},
                 {"<geom type='capsule' size='0.5 1'/>", 1.5, 1.7, 1.5, -1},
                 {"<geom type='cylinder' size='0.5 1'/>", 2, 1.2, 2, -1},
                 {"<geom type='ellipsoid' size='1 0.5 0.5'/>", 2.5, 0.7, 2.5, -1},
                 {"<geom type='mesh' mesh='m'/>", 2, 1.2, 2, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TextScene s;
        char text[512];
        snprintf(text, sizeof text, CUBE "<worldbody>%s</worldbody>", cases[i].geom);
        if (!text_open(&s, 0.01, "0 0 -9.81", text)) return;
        CHECK_NEAR(cast(&s, 0, 0, 3, 0, 0, -1, NULL).distance, cases[i].above, 1e-12);
        CHECK_NEAR(cast(&s, 0, 0, 3, 0, 0, -2, NULL).distance, cases[i].above / 2, 1e-12);
        CHECK_NEAR(cast(&s, 0, 0, 0.2, 0, 0, -1, NULL).distance, cases[i].inside, 1e-12);
        CHECK_NEAR(cast(&s, 0, 0, -3, 0, 0, 1, NULL).distance, cases[i].below, 1e-12);
        CHECK_NEAR(cast(&s, 5, 0, 3, 0, 0, -1, NULL).distance, cases[i].beside, 1e-12);
        TnRayHit hit = cast(&s, 0, 0, 3, 0, 0, -1, NULL);
        CHECK(hit.geom == 1);
        CHECK_NEAR(hit.normal[2], 1.0, 1e-12);
        text_close(&s);
    }
}

TEST(hits_lie_on_the_surface_and_nothing_lies_before_them)
{
    TextScene s;
    Random r = {5};
    if (!text_open(&s, 0.01, "0 0 -9.81",
                   CUBE "<worldbody><geom type='capsule' size='0.3 0.5' pos='2 0 0' "
                        "euler='0.3 0.5 0'/><geom type='cylinder' size='0.5 0.3' pos='-2 0 0' "
                        "euler='0.7 0.2 0'/><geom type='ellipsoid' size='0.3 0.5 0.7' pos='0 2 0' "
                        "euler='0.7 0.2 1'/><geom type='box' size='0.3 0.5 0.7' pos='0 -2 0' "
                        "euler='0.7 0.2 1'/><geom type='mesh' mesh='m' pos='0 0 2' "
                        "euler='0.1 0.2 0.3'/><geom size='0.5' pos='0 0 -1'/></worldbody>"))
        return;
    int hits = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double p[3], d[3];
        for (int k = 0; k < 3; k++) {
            p[k] = 4 * uniform(&r);
            d[k] = uniform(&r);
        }
        TnRayHit hit = cast(&s, p[0], p[1], p[2], d[0], d[1], d[2], NULL);
        /* a small ball along the ray touches nothing before it touches the geom */
        TnShape ball = {.type = TN_GEOM_SPHERE, .size = {1e-6}};
        TnTransform at = {.rot = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        double end = hit.distance < 0 ? 12.0 : hit.distance;
        TnGeomId found[8];
        for (int k = 0; k < 3; k++) at.pos[k] = p[k];
        bool inside = tn_world_overlaps(s.world, &ball, &at, 0, found, 8) > 0;
        for (int step = 0; step < 20 && !inside; step++) {
            double share = end * (step + 0.5) / 20.0;
            for (int k = 0; k < 3; k++) at.pos[k] = p[k] + share * d[k];
            CHECK(hit.distance < 0 || tn_world_overlaps(s.world, &ball, &at, 0, found, 8) == 0);
            if (hit.distance < 0) CHECK(tn_world_overlaps(s.world, &ball, &at, 0, NULL, 0) == 0);
        }
        if (hit.distance < 0) continue;
        hits++;
        for (int k = 0; k < 3; k++) at.pos[k] = p[k] + hit.distance * d[k];
        int count = tn_world_overlaps(s.world, &ball, &at, 1e-9, found, 8);
        CHECK(count == 1 && found[0] == hit.geom);
        double along = 0, length = 0;
        for (int k = 0; k < 3; k++) along += hit.normal[k] * d[k];
        for (int k = 0; k < 3; k++) length += hit.normal[k] * hit.normal[k];
        CHECK_NEAR(length, 1.0, 1e-12);
        if (!inside) CHECK(along <= 0.0);
    }
    CHECK(hits > 100);
    text_close(&s);
}

TEST(filters_leave_out_groups_bodies_what_is_fixed_and_what_is_invisible)
{
    TextScene s;
    if (!text_open(&s, 0.01, "0 0 -9.81",
                   "<worldbody><geom type='plane' size='0 0 1'/>"
                   "<geom size='0.1' pos='0 0 1' group='3'/>"
                   "<geom size='0.1' pos='0 0 4' rgba='1 1 1 0'/>"
                   "<body name='b' pos='0 0 2'><freejoint/><geom size='0.1' contype='0' "
                   "conaffinity='0'/></body></worldbody>"))
        return;
    TnBodyId b = tn_model_find_body(s.model, "b");
    CHECK_NEAR(cast(&s, 0, 0, 5, 0, 0, -1, NULL).distance, 2.9, 1e-12);
    CHECK_NEAR(cast(&s, 0, 0, 5, 0, 0, -1, &(TnRayFilter){.exclude = b}).distance, 3.9, 1e-12);
    CHECK_NEAR(cast(&s, 0, 0, 5, 0, 0, -1, &(TnRayFilter){.exclude = b, .groups = 1}).distance, 5,
               1e-12);
    CHECK_NEAR(cast(&s, 0, 0, 1.5, 0, 0, -1, &(TnRayFilter){.skip_fixed = true}).distance, -1, 0);
    CHECK_NEAR(cast(&s, 0, 0, 5, 0, 0, -1, &(TnRayFilter){.max_distance = 2}).distance, -1, 0);
    TnRay bad = {{0, 0, 0}, {0, 0, 0}};
    TnRayHit hit;
    CHECK(tn_world_cast_rays(s.world, &bad, 1, NULL, &hit, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_cast_rays(NULL, &bad, 1, NULL, &hit, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_cast_rays(s.world, NULL, 1, NULL, &hit, NULL) == TN_ERROR_USAGE);
    text_close(&s);
}

TEST(many_rays_at_once_are_the_same_on_any_number_of_threads)
{
    enum { COUNT = 500 };
    static TnRay rays[COUNT];
    static TnRayHit first[COUNT], hits[COUNT];
    Random r = {9};
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++) {
            rays[i].origin[k] = 2 * uniform(&r);
            rays[i].direction[k] = uniform(&r);
        }
    for (int threads = 1; threads <= 4; threads *= 2) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        if (!text_open_of(&s, 0.01, "0 0 -9.81",
                          "<worldbody><geom type='plane' size='0 0 1'/><geom size='0.5'/>"
                          "<geom type='box' size='0.3 0.3 0.3' pos='1 0 0'/></worldbody>",
                          def))
            return;
        CHECK(tn_world_cast_rays(s.world, rays, COUNT, NULL, hits, NULL) == TN_OK);
        if (threads == 1) memcpy(first, hits, sizeof hits);
        for (int i = 0; i < COUNT; i++)
            CHECK(hits[i].distance == first[i].distance && hits[i].geom == first[i].geom);
        text_close(&s);
    }
}

TEST(rays_meet_the_surface_of_a_soft_body)
{
    TextScene s;
    if (!text_open(&s, 0.01, "0 0 0",
                   "<worldbody><flexcomp name='f' type='grid' dim='3' count='3 3 3' "
                   "spacing='0.1 0.1 0.1' mass='1' pos='0 0 1'><elasticity young='1e5'/></flexcomp>"
                   "</worldbody>"))
        return;
    TnRayHit hit = cast(&s, 0.02, 0.01, 3, 0, 0, -1, NULL);
    CHECK_NEAR(hit.distance, 1.9, 1e-9);
    CHECK_NEAR(hit.normal[2], 1.0, 1e-9);
    text_close(&s);
}

TEST(distances_are_those_of_closed_forms_and_of_mujoco)
{
    TextScene s;
    if (!text_open(
            &s, 0.01, "0 0 0",
            "<compiler angle='degree'/><worldbody><body><freejoint/>"
            "<geom type='box' size='0.1 0.2 0.3' euler='10 20 30'/></body>"
            "<body pos='0.7 0.1 0.2'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
            "<geom size='0.25' pos='0 0 3'/><geom type='plane' size='0 0 1'/>"
            "</worldbody>"))
        return;
    TnDistance d = tn_world_geom_distance(s.world, 3, 4, 10);
    CHECK(d.known);
    CHECK_NEAR(d.distance, 0.35924741415351785, 1e-9); /* mj_geomDistance, version 4.0.0 */
    double apart = 0;
    for (int k = 0; k < 3; k++) apart += (d.point2[k] - d.point1[k]) * (d.point2[k] - d.point1[k]);
    CHECK_NEAR(sqrt(apart), d.distance, 1e-9);
    CHECK(!tn_world_geom_distance(s.world, 3, 4, 0.3).known);
    CHECK(tn_world_geom_distance(s.world, 3, 4, 0.3).distance == 0.3);
    CHECK_NEAR(tn_world_geom_distance(s.world, 1, 2, 10).distance, 2.75, 1e-12);
    CHECK_NEAR(tn_world_geom_distance(s.world, 2, 1, 10).normal[2], 1.0, 1e-12);
    CHECK(!tn_world_geom_distance(s.world, 1, 99, 10).known);
    CHECK(!tn_world_geom_distance(NULL, 1, 2, 10).known);
    CHECK(tn_world_overlaps(NULL, NULL, NULL, 0, NULL, 0) == 0);
    text_close(&s);
}
