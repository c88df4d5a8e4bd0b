/* Surface nodes of soft bodies against rigid geoms. */
#include "soft_scene.h"

static const double HALF[3] = {0.1, 0.06, 0.03};
static const int CELLS[3] = {5, 3, 2};

static bool is_surface(const TnSoft *soft, int node)
{
    for (int i = 0; i < soft->surface_node_count; i++)
        if (soft->surface_nodes[i] == node) return true;
    return false;
}

TEST(nodes_on_a_plane_have_their_height_as_gap)
{
    SoftScene s;
    soft_scene_begin(&s);
    TnGeomId floor = add_geom(&s.rigid, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    TnSoftDef def = soft_box_def(HALF, CELLS, 0, 0, 0.031);
    def.radius = 0.002;
    add_soft(&s, &def);
    REQUIRE(soft_scene_end(&s));
    TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
    const TnSoft *soft = &s.rigid.model->softs[0];
    CHECK(list.count == 24 && list.soft_point_count == 24); /* (5 + 1)(3 + 1) at the bottom */
    for (int i = 0; i < list.count; i++) {
        const TnContactPoint *p = &list.points[i];
        const TnSoftPoint *q = &list.soft_points[p->soft1];
        double x[3];
        soft_point_at(&s, &list, p->soft1, x);
        CHECK(p->geom1 == soft->geom && p->geom2 == (int)floor - 1 && p->soft2 == -1);
        CHECK(q->count == 1 && q->triangle == -1 && q->weight[0] == 1.0);
        CHECK(is_surface(soft, q->node[0]));
        CHECK_NEAR(p->gap, x[2] - 0.002, 1e-15);
        CHECK_NEAR(p->gap, -0.001, 1e-15);
        CHECK(p->normal[0] == 0.0 && p->normal[1] == 0.0 && p->normal[2] == -1.0);
        CHECK_NEAR(p->pos[2], -0.0005, 1e-15); /* half of the overlap below the plane */
        CHECK(p->dim == 3);
    }
    soft_scene_free(&s);
}

/* Oracle: gap, normal and place of a sphere of the surface's radius at the node, by the routines
 * for rigid geoms. */
static void check_against_spheres(SoftScene *s, const TnContactList *list, double tolerance)
{
    const TnSoft *soft = &s->rigid.model->softs[0];
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        /* nodes that are inside and would be pushed through their own body differ by design */
        double margin = s->rigid.model->geoms[p->geom1].margin, gap = p->gap + margin;
        if (list->soft_points[p->soft1].count > 1 || gap < -soft->radius) continue;
        TnShape ball = {.type = TN_GEOM_SPHERE, .size = {soft->radius, 0, 0}},
                shape = geom_shape(&s->rigid, p->geom2);
        TnTransform there = geom_place(&s->rigid, p->geom2), here = at(0, 0, 0);
        soft_point_at(s, list, p->soft1, here.pos);
        TnManifold m;
        CHECK(tn_collide(&ball, &here, &shape, &there, 1.0, &m) && m.count == 1);
        CHECK_NEAR(gap, m.points[0].gap, tolerance);
        CHECK(dot3(p->normal, m.normal) > 1.0 - tolerance);
        for (int k = 0; k < 3; k++) CHECK_NEAR(p->pos[k], m.points[0].pos[k], 1e-6);
    }
}

TEST(nodes_meet_every_geom_as_small_spheres_do)
{
    const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_CAPSULE, TN_GEOM_BOX, TN_GEOM_CYLINDER,
                                TN_GEOM_ELLIPSOID};
    const double sizes[][3] = {
        {0.05, 0, 0}, {0.04, 0.08, 0}, {0.05, 0.04, 0.07}, {0.05, 0.04, 0}, {0.05, 0.04, 0.07}};
    Random r = {7};
    for (int k = 0; k < 5; k++) {
        SoftScene s;
        int seen = 0;
        soft_scene_begin(&s);
        TnGeomId geom = add_geom(&s.rigid, add_free_body(&s.rigid), types[k], sizes[k][0],
                                 sizes[k][1], sizes[k][2]);
        TnSoftDef def = soft_box_def(HALF, CELLS, 0, 0, 0);
        def.radius = 0.003;
        def.margin = 0.02;
        add_soft(&s, &def);
        REQUIRE(soft_scene_end(&s));
        for (int trial = 0; trial < 40; trial++) {
            put_random(&s.rigid, link_of(&s.rigid, geom), 0.15, 0.0, &r);
            TnContactList list = soft_detect(&s, 0.01, 0.0, NULL);
            seen += list.count;
            /* an ellipsoid's normal is iterated to 1e-6, which counts twice in the cosine */
            check_against_spheres(&s, &list, 1e-9);
        }
        CHECK(seen > 40);
        soft_scene_free(&s);
    }
}

/* Every node that the rule lists, by going through all of them, and no other. */
TEST(a_search_over_all_nodes_and_geoms_finds_the_same_nodes)
{
    Random r = {11};
    SoftScene s;
    soft_scene_begin(&s);
    TnGeomId geoms[12];
    add_geom(&s.rigid, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    for (int i = 0; i < 12; i++)
        geoms[i] = add_geom(&s.rigid, add_free_body(&s.rigid),
                            i % 3 == 0   ? TN_GEOM_SPHERE
                            : i % 3 == 1 ? TN_GEOM_BOX
                                         : TN_GEOM_CAPSULE,
                            0.02, 0.03, 0.025);
    for (int i = 0; i < 3; i++) {
        TnSoftDef def = soft_box_def(HALF, CELLS, 0, 0, 0.1 * i);
        def.contact_type = 2; /* not each other */
        def.contact_affinity = 1;
        def.radius = 0.001 * i;
        add_soft(&s, &def);
    }
    REQUIRE(soft_scene_end(&s));
    const TnModel *m = s.rigid.model;
    const double t = 0.01, slack = 1e-3;
    int total = 0;
    for (int trial = 0; trial < 30; trial++) {
        for (int i = 0; i < 12; i++)
            put_random(&s.rigid, link_of(&s.rigid, geoms[i]), 0.2, 2.0, &r);
        memcpy(s.qpos, m->qpos0, sizeof s.qpos[0] * (size_t)m->qpos_count);
        for (int k = 0; k < 3; k++) {
            const TnSoft *soft = &m->softs[k];
            for (int i = 0; i < 3 * soft->node_count; i++) {
                s.qpos[soft->qpos_start + i] += uniform(&r, -0.004, 0.004);
                s.qvel[soft->dof_start + i] = uniform(&r, -2.0, 2.0);
            }
        }
        TnContactList list = soft_detect(&s, t, slack, NULL);
        int first = 0;
        while (first < list.count && list.points[first].soft1 < 0) first++;
        for (int i = first; i < list.count; i++) CHECK(list.points[i].soft1 >= 0);
        int expected = 0, listed = 0;
        for (int i = first; i < list.count; i++)
            listed += list.soft_points[list.points[i].soft1].count == 1;
        for (int k = 0; k < 3; k++) {
            const TnSoft *soft = &m->softs[k];
            for (int j = 0; j < soft->surface_node_count; j++) {
                int node = soft->surface_nodes[j];
                for (int g = 0; g < m->geom_count; g++) {
                    if (m->geoms[g].type == TN_GEOM_SOFT) continue;
                    TnShape ball = {.type = TN_GEOM_SPHERE, .size = {soft->radius, 0, 0}},
                            shape = geom_shape(&s.rigid, g);
                    TnTransform there = geom_place(&s.rigid, g), here = at(0, 0, 0);
                    memcpy(here.pos, soft_node(&s, k, node), sizeof here.pos);
                    TnManifold c;
                    if (!tn_collide(&ball, &here, &shape, &there, 0.2, &c) || c.count == 0)
                        continue;
                    double approach = 0.0, v[3] = {0, 0, 0};
                    const double *w = s.rigid.twists[m->geoms[g].link];
                    if (m->geoms[g].link) {
                        const double *com = s.rigid.frames[m->geoms[g].link].com,
                                     *p = c.points[0].pos;
                        v[0] = w[0] + w[4] * (p[2] - com[2]) - w[5] * (p[1] - com[1]);
                        v[1] = w[1] + w[5] * (p[0] - com[0]) - w[3] * (p[2] - com[2]);
                        v[2] = w[2] + w[3] * (p[1] - com[1]) - w[4] * (p[0] - com[0]);
                    }
                    for (int i = 0; i < 3; i++)
                        approach += c.normal[i] * (soft_node_velocity(&s, k, node)[i] - v[i]);
                    expected += c.points[0].gap <= slack + t * fmax(0.0, approach);
                }
            }
        }
        CHECK(listed == expected);
        total += expected;
    }
    CHECK(total > 1000);
    soft_scene_free(&s);
}

TEST(held_nodes_do_not_meet_their_holder_nor_pinned_ones_the_world)
{
    SoftScene s;
    soft_scene_begin(&s);
    add_geom(&s.rigid, TN_BODY_WORLD, TN_GEOM_PLANE, 0, 0, 0);
    TnBodyId gripper = add_free_body(&s.rigid);
    TnGeomId finger = add_geom(&s.rigid, gripper, TN_GEOM_BOX, 0.2, 0.2, 0.01);
    TnSoftDef def = soft_box_def(HALF, CELLS, 0, 0, 0.03);
    TnSoftHoldDef holds[48];
    int count = 0;
    for (int i = 0; i < def.mesh.node_count; i++) {
        const double *x = def.mesh.nodes + 3 * (size_t)i;
        if (x[0] < -0.09 && x[2] < -0.02) holds[count++] = (TnSoftHoldDef){i, TN_BODY_WORLD};
        if (x[0] > 0.09 && x[2] > 0.02) holds[count++] = (TnSoftHoldDef){i, gripper};
    }
    CHECK(count == 8);
    def.holds = holds;
    def.hold_count = count;
    add_soft(&s, &def);
    REQUIRE(soft_scene_end(&s));
    put(&s.rigid, finger, 0, 0, 0.06);
    TnContactList list = soft_detect(&s, 0.01, 1e-4, NULL);
    int bottom = 0, top = 0;
    for (int i = 0; i < list.count; i++) {
        if (list.points[i].soft1 < 0) continue;
        if (list.points[i].geom2 == (int)finger - 1)
            top++;
        else
            bottom++;
    }
    CHECK(bottom == 20 && top == 20);
    soft_scene_free(&s);
}
