/* Soft surfaces against each other and against themselves. */
#include "../../src/base/pool.h"
#include "../../src/collision/soft/soft_surface.h"
#include "soft_scene.h"

static const double HALF[3] = {0.1, 0.1, 0.03};

TEST(nodes_of_a_soft_box_stand_on_the_triangles_of_another)
{
    for (int order = 0; order < 2; order++) {
        SoftScene s;
        soft_scene_begin(&s);
        for (int k = 0; k < 2; k++) {
            bool small = (k == 0) == (order == 0);
            TnSoftDef def = small ? soft_box_def((const double[3]){0.03, 0.02, 0.01},
                                                 (const int[3]){3, 2, 1}, 0.013, 0.007, 0.0125)
                                  : soft_box_def(HALF, (const int[3]){1, 1, 1}, 0, 0, -0.03);
            def.radius = small ? 0.001 : 0.002; /* overlap: 0.5 mm */
            def.friction[0] = small ? 0.3 : 0.7;
            def.contact_dim = small ? 1 : 3;
            add_soft(&s, &def);
        }
        REQUIRE(soft_scene_end(&s));
        TnContactList list = soft_detect(&s, 0.01, 1e-3, NULL);
        int small_geom = s.rigid.model->softs[order].geom;
        CHECK(list.count == 12);
        for (int i = 0; i < list.count; i++) {
            const TnContactPoint *p = &list.points[i];
            double x[3], y[3];
            CHECK(p->geom1 == small_geom && p->geom2 != small_geom && p->dim == 3);
            CHECK(p->friction[0] == 0.7);
            CHECK_NEAR(p->gap, -0.0005, 1e-15);
            CHECK_NEAR(p->normal[2], -1.0, 1e-15);
            soft_point_at(&s, &list, p->soft1, x);
            soft_point_at(&s, &list, p->soft2, y);
            CHECK_NEAR(x[0], y[0], 1e-15);
            CHECK_NEAR(x[1], y[1], 1e-15);
            CHECK_NEAR(y[2], 0.0, 1e-15);
            CHECK_NEAR(p->pos[2], 0.00175, 1e-15); /* between 0.002 and 0.0025 - 0.001 */
            CHECK(list.soft_points[p->soft1].count == 1 && list.soft_points[p->soft2].count == 3);
        }
        soft_scene_free(&s);
    }
}

TEST(a_node_keeps_its_feature_as_it_slides_over_triangles)
{
    SoftScene s;
    soft_scene_begin(&s);
    add_soft_box(&s, (const double[3]){0.005, 0.005, 0.005}, (const int[3]){1, 1, 1}, 0, 0, 0.005);
    add_soft_box(&s, HALF, (const int[3]){8, 8, 2}, 0, 0, -0.03);
    REQUIRE(soft_scene_end(&s));
    uint32_t seen = 0;
    for (int i = 0; i < 60; i++) {
        TnContactList list = soft_detect(&s, 0.01, 1e-4, NULL);
        int small = 0;
        uint32_t features = 0;
        for (int k = 0; k < list.count; k++)
            if (list.points[k].geom1 == s.rigid.model->softs[0].geom &&
                list.soft_points[list.points[k].soft1].count == 1) {
                small++;
                features |= 1u << list.points[k].feature;
            }
        CHECK(small == 4);
        if (i > 0) CHECK(features == seen);
        seen = features;
        move_soft(&s, 0, 0.0007, 0.0004, 0);
    }
    soft_scene_free(&s);
}

static void rotate_soft(SoftScene *s, int soft, const double rot[9])
{
    for (int i = 0; i < s->rigid.model->softs[soft].node_count; i++) {
        double *p = soft_node(s, soft, i), q[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++) p[k] = dot3(rot + 3 * k, q);
    }
}

TEST(ridges_touch_where_they_cross)
{
    const double gaps[2] = {0.0005, -0.001};
    for (int k = 0; k < 2; k++) {
        SoftScene s;
        soft_scene_begin(&s);
        add_soft_box(&s, (const double[3]){0.02, 0.01, 0.01}, (const int[3]){1, 1, 1}, 0, 0, 0);
        add_soft_box(&s, HALF, (const int[3]){1, 1, 1}, 0, 0, -0.03);
        REQUIRE(soft_scene_end(&s));
        const double r = sqrt(0.5), n[3] = {r, 0, r};
        const double rot[9] = {r, n[0] * r, n[0] * r, 0, r, -r, -r, n[2] * r, n[2] * r};
        double away = gaps[k] + 0.01 * sqrt(2.0);
        rotate_soft(&s, 0, rot);
        move_soft(&s, 0, 0.1 + away * n[0], 0.013, away * n[2]);
        TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
        int edges = 0;
        for (int i = 0; i < list.count; i++) {
            const TnContactPoint *p = &list.points[i];
            if (p->feature >> 30 != 2) continue;
            double x[3], y[3];
            edges++;
            CHECK_NEAR(p->gap, gaps[k], 1e-12);
            CHECK(dot3(p->normal, n) < -1.0 + 1e-12);
            soft_point_at(&s, &list, p->soft1, x);
            soft_point_at(&s, &list, p->soft2, y);
            CHECK_NEAR(y[0], 0.1, 1e-12);
            CHECK_NEAR(y[1], 0.013, 1e-12);
            for (int i2 = 0; i2 < 3; i2++) CHECK_NEAR(y[i2] - x[i2], gaps[k] * -n[i2], 1e-12);
        }
        CHECK(edges == 1 && list.count == 1);
        soft_scene_free(&s);
    }
}

/* 2 mm of 4 mm overlap: the sides behind are nearer than half of what is looked at. */
TEST(sheets_on_each_other_touch_with_the_sides_that_face)
{
    SoftScene s;
    const double half[3] = {0.1, 0.1, 0.002};
    soft_scene_begin(&s);
    add_soft_box(&s, half, (const int[3]){8, 8, 1}, 0, 0, 0);
    add_soft_box(&s, half, (const int[3]){8, 8, 1}, 0.003, 0.005, 0.002);
    REQUIRE(soft_scene_end(&s));
    TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
    int seen = 0;
    for (int i = 0; i < list.count; i++) {
        const TnContactPoint *p = &list.points[i];
        double x[3], y[3];
        soft_point_at(&s, &list, p->soft1, x);
        soft_point_at(&s, &list, p->soft2, y);
        if (fabs(x[0]) > 0.08 || fabs(x[1]) > 0.08) continue; /* rims look sideways too */
        bool lower = p->geom1 == s.rigid.model->softs[0].geom;
        seen++;
        CHECK_NEAR(p->gap, -0.002, 1e-12);
        CHECK_NEAR(p->normal[2], lower ? 1.0 : -1.0, 1e-12);
        CHECK_NEAR(x[2], lower ? 0.002 : 0.0, 1e-12);
    }
    CHECK(seen >= 2 * 36);
    soft_scene_free(&s);
}

/* A strip of 4 mm, folded by half a turn about the middle of its length; its inner sides are `gap`
 * apart. */
static void fold(SoftScene *s, double gap, double arc)
{
    const TnSoft *soft = &s->rigid.model->softs[0];
    double radius = 0.5 * gap + 0.002; /* of the middle surface where the arms are parallel */
    for (int i = 0; i < soft->node_count; i++) {
        const double *r = soft->rest + 3 * (size_t)i;
        double *p = soft_node(s, 0, i), a = fmax(-1.0, fmin(1.0, r[0] / arc)) * 0.5 * M_PI;
        double beyond = fmax(0.0, fabs(r[0]) - arc);
        /* z up is the inner side; a drop whose arms are parallel from x = 0 on */
        p[0] = -(0.02 + radius - r[2]) * cos(a) + beyond;
        p[2] = -(radius - r[2] + 0.01 * cos(a) * cos(a)) * sin(a);
        p[1] = r[1];
    }
}

TEST(a_folded_strip_touches_itself_between_its_arms)
{
    SoftScene s;
    soft_scene_begin(&s);
    TnSoftDef def =
        soft_box_def((const double[3]){0.1, 0.01, 0.002}, (const int[3]){40, 4, 1}, 0, 0, 0);
    def.self_contact = true;
    add_soft(&s, &def);
    REQUIRE(soft_scene_end(&s));
    CHECK(soft_detect(&s, 0.01, 1e-3, NULL).count == 0); /* straight */
    for (int i = 0; i < 3 * s.rigid.model->softs[0].node_count; i++)
        s.qvel[s.rigid.model->softs[0].dof_start + i] = 0.3 * ((i * 7) % 5 - 2);
    CHECK(soft_detect(&s, 0.01, 1e-3, NULL).count == 0); /* nor when it trembles */
    memset(s.qvel, 0, sizeof s.qvel[0] * (size_t)s.rigid.model->dof_count);
    const double gaps[3] = {0.005, 0.0005, -0.0005};
    for (int k = 0; k < 3; k++) {
        fold(&s, gaps[k], 0.04);
        TnContactList list = soft_detect(&s, 0.01, 0.001, NULL);
        CHECK(k ? list.count > 60 : list.count == 0);
        for (int i = 0; i < list.count; i++) {
            const TnContactPoint *p = &list.points[i];
            double x[3], y[3];
            soft_point_at(&s, &list, p->soft1, x);
            soft_point_at(&s, &list, p->soft2, y);
            CHECK(p->geom1 == p->geom2);
            /* from one arm to the other; towards the bend the sides part */
            CHECK(p->gap > gaps[k] - 1e-12 && p->gap < 0.001 + 1e-12);
            CHECK(p->normal[2] * y[2] > 0.0 || gaps[k] < 0.0);
            if (x[0] < 0.001) continue;
            CHECK_NEAR(p->gap, gaps[k], 1e-12);
            CHECK_NEAR(fabs(p->normal[2]), 1.0, 1e-12);
        }
    }
    soft_scene_free(&s);
}

TEST(a_strip_pressed_flat_does_not_touch_itself_through_its_thickness)
{
    SoftScene s;
    soft_scene_begin(&s);
    TnSoftDef def =
        soft_box_def((const double[3]){0.1, 0.01, 0.002}, (const int[3]){40, 4, 1}, 0, 0, 0);
    def.self_contact = true;
    add_soft(&s, &def);
    REQUIRE(soft_scene_end(&s));
    for (int i = 0; i < s.rigid.model->softs[0].node_count; i++) soft_node(&s, 0, i)[2] *= 0.25;
    CHECK(soft_detect(&s, 0.01, 1e-3, NULL).count == 0);
    soft_scene_free(&s);
}

/* ---- all nodes against all triangles, and bits ---- */

static void pose(SoftScene *s, uint64_t seed)
{
    Random r = {seed};
    const TnModel *m = s->rigid.model;
    for (int i = 1; i < m->link_count; i++) put_random(&s->rigid, i, 0.15, 1.0, &r);
    memcpy(s->qpos, m->qpos0, sizeof s->qpos[0] * (size_t)m->qpos_count);
    for (int k = 0; k < m->soft_count; k++) {
        double shift[3] = {uniform(&r, -0.1, 0.1), uniform(&r, -0.1, 0.1), uniform(&r, -0.1, 0.1)};
        move_soft(s, k, shift[0], shift[1], shift[2]);
        for (int i = 0; i < 3 * m->softs[k].node_count; i++) {
            s->qpos[m->softs[k].qpos_start + i] += uniform(&r, -0.002, 0.002);
            s->qvel[m->softs[k].dof_start + i] = uniform(&r, -1.0, 1.0);
        }
    }
}

static void make_crowd(SoftScene *s)
{
    const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_BOX, TN_GEOM_CAPSULE, TN_GEOM_CYLINDER,
                                TN_GEOM_ELLIPSOID};
    soft_scene_begin(s);
    add_geom(&s->rigid, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    for (int i = 0; i < 10; i++)
        add_geom(&s->rigid, add_free_body(&s->rigid), types[i % 5], 0.03, 0.02, 0.025);
    for (int i = 0; i < 6; i++) {
        TnSoftDef def =
            soft_box_def((const double[3]){0.06, 0.04, 0.03}, (const int[3]){4, 3, 2}, 0, 0, 0);
        def.self_contact = i % 2;
        def.radius = 0.0005 * i;
        add_soft(s, &def);
    }
    REQUIRE(soft_scene_end(s));
}

static bool same_bits(const TnContactList *a, const TnContactList *b)
{
    return a->count == b->count && a->soft_point_count == b->soft_point_count &&
           memcmp(a->points, b->points, sizeof a->points[0] * (size_t)a->count) == 0 &&
           memcmp(a->soft_points, b->soft_points,
                  sizeof a->soft_points[0] * (size_t)a->soft_point_count) == 0;
}

TEST(the_list_is_the_same_bits_for_any_threads_and_whatever_came_before)
{
    SoftScene fresh, used;
    make_crowd(&used);
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnPool *pool = tn_pool_create(threads);
        for (uint64_t seed = 1; seed <= 6; seed++) {
            make_crowd(&fresh);
            pose(&fresh, seed);
            pose(&used, seed);
            TnContactList a = soft_detect(&fresh, 0.01, 1e-3, NULL),
                          b = soft_detect(&used, 0.01, 1e-3, pool);
            CHECK(a.count > 100 && same_bits(&a, &b));
            int geom1 = -1, groups = 0;
            for (int i = 0; i < a.count; i++) {
                const TnContactPoint *p = &a.points[i];
                if (p->soft1 < 0) continue;
                groups += p->geom1 != geom1;
                geom1 = p->geom1;
                CHECK(p->dim == 3 && p->soft1 < a.soft_point_count &&
                      p->soft2 < a.soft_point_count);
                for (int j = 0; j < i; j++) /* no feature twice within a pair */
                    CHECK(a.points[j].geom1 != p->geom1 || a.points[j].geom2 != p->geom2 ||
                          a.points[j].feature != p->feature);
            }
            CHECK(groups <= 6);
            soft_scene_free(&fresh);
        }
        tn_pool_destroy(pool);
    }
    soft_scene_free(&used);
}

/* The nearest triangle that a node may touch, by looking at all of them; its height, or NAN. */
static double nearest_height(const TnSoftSurface *s, const TnSoftSurface *o, int node, double reach,
                             int *triangle)
{
    double best = NAN;
    for (int k = 0; k < o->triangle_count; k++) {
        const int32_t *c = o->triangles[k];
        const double *x[3] = {o->x[c[0]], o->x[c[1]], o->x[c[2]]};
        double d[3], w[3], n[3], look[3];
        tn_soft_triangle_normal(o, k, n);
        for (int i = 0; i < 3; i++) d[i] = s->x[node][i] - x[0][i];
        double height = dot3(n, d), gap = height - s->radius - o->radius;
        if (gap > reach || gap < -o->depths[k] || !tn_soft_project(x, n, s->x[node], w)) continue;
        for (int i = 0; i < 3; i++) look[i] = 0.0;
        for (int j = s->around_start[node]; j < s->around_start[node + 1]; j++) {
            double m[3];
            tn_soft_triangle_normal(s, s->around[j], m);
            for (int i = 0; i < 3; i++) look[i] += m[i];
        }
        if (dot3(look, n) > 0.0 || fabs(best) <= fabs(height)) continue;
        best = height;
        *triangle = k;
    }
    return best;
}

TEST(a_search_over_all_nodes_and_triangles_finds_the_same_nodes)
{
    SoftScene s;
    make_crowd(&s);
    const TnModel *m = s.rigid.model;
    const double t = 0.01, slack = 1e-3;
    TnSoftSurface surfaces[6];
    int total = 0;
    for (int k = 0; k < 6; k++) REQUIRE(tn_soft_surface_init(&surfaces[k], m, k));
    for (uint64_t seed = 1; seed <= 30; seed++) {
        pose(&s, seed);
        int listed = 0, expected = 0;
        TnContactList list = soft_detect(&s, t, slack, NULL);
        for (int i = 0; i < list.count; i++)
            listed += list.points[i].soft2 >= 0 && list.points[i].geom1 != list.points[i].geom2 &&
                      list.soft_points[list.points[i].soft1].count == 1;
        for (int k = 0; k < 6; k++) tn_soft_surface_update(&surfaces[k], s.qpos, s.qvel, t, slack);
        for (int a = 0; a < 6; a++)
            for (int b = 0; b < 6; b++) {
                const TnSoftSurface *p = &surfaces[a], *q = &surfaces[b];
                double reach = slack + t * tn_soft_cones_speed(&p->cones[0], &q->cones[0]);
                for (int node = 0; node < p->node_count && a != b; node++) {
                    int triangle = -1;
                    double h = nearest_height(p, q, node, reach, &triangle), n[3], w[3], v = 0.0;
                    if (triangle < 0) continue;
                    const int32_t *c = q->triangles[triangle];
                    const double *x[3] = {q->x[c[0]], q->x[c[1]], q->x[c[2]]};
                    tn_soft_triangle_normal(q, triangle, n);
                    tn_soft_project(x, n, p->x[node], w);
                    for (int i = 0; i < 3; i++)
                        v += n[i] * (w[0] * q->v[c[0]][i] + w[1] * q->v[c[1]][i] +
                                     w[2] * q->v[c[2]][i] - p->v[node][i]);
                    expected += h - p->radius - q->radius <= slack + t * fmax(0.0, v);
                }
            }
        CHECK(listed == expected);
        total += expected;
    }
    CHECK(total > 300);
    for (int k = 0; k < 6; k++) tn_soft_surface_free(&surfaces[k]);
    soft_scene_free(&s);
}
