/* Lasting contacts: no creep, no jitter, the right forces, and rolling that gains no energy. */
#include "../check.h"

#include "parts.h"

#include "math/vec3.h"

static const double G = 9.81;

typedef struct Shape {
    TnGeomType type;
    double size[3], quat[4], height; /* of the centre above the ground */
    bool rocks; /* a lone point carries it: it may rock, undamped, by ever so little */
} Shape;

static const Shape shapes[] = {
    {TN_GEOM_SPHERE, {0.1, 0, 0}, {1, 0, 0, 0}, 0.1, false},
    {TN_GEOM_BOX, {0.1, 0.07, 0.05}, {1, 0, 0, 0}, 0.05, false},
    {TN_GEOM_BOX, {0.1, 0.07, 0.05}, {0.96, 0, 0, 0.28}, 0.05, false},
    {TN_GEOM_CAPSULE,
     {0.05, 0.1, 0},
     {0.70710678118654752440, 0.70710678118654752440, 0, 0},
     0.05,
     false},
    {TN_GEOM_CYLINDER, {0.1, 0.05, 0}, {1, 0, 0, 0}, 0.05, false},
    {TN_GEOM_CYLINDER,
     {0.06, 0.1, 0},
     {0.70710678118654752440, 0, 0.70710678118654752440, 0},
     0.06,
     false},
    {TN_GEOM_ELLIPSOID, {0.1, 0.08, 0.05}, {1, 0, 0, 0}, 0.05, true},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

static TnModel *resting(const Shape *shape, bool on_box, double theta, double drop, TnBodyId *body)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    if (on_box) {
        TnGeomDef table = tn_geom_def();
        table.body = TN_BODY_WORLD;
        table.type = TN_GEOM_BOX;
        table.pos[2] = -0.1;
        table.size[0] = 0.5;
        table.size[1] = 0.4;
        table.size[2] = 0.1;
        tn_builder_add_geom(scene.builder, &table);
    } else {
        scene_plane(&scene, 1.0);
    }
    TnBodyDef def = tn_body_def();
    def.pos[2] = shape->height + drop;
    memcpy(def.quat, shape->quat, sizeof def.quat);
    *body = tn_builder_add_body(scene.builder, &def);
    TnJointDef joint = part_joint(*body, TN_JOINT_FREE, 0, 0, 1);
    tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = *body;
    geom.type = shape->type;
    geom.mass = 1.2;
    memcpy(geom.size, shape->size, sizeof geom.size);
    tn_builder_add_geom(scene.builder, &geom);
    return scene_compile(&scene);
}

static void check_rest(const Shape *shape, bool on_box, double theta, double drop)
{
    TnBodyId body;
    TnModel *model = resting(shape, on_box, theta, drop, &body);
    REQUIRE(model);
    TnWorld *world = scene_world(model, 60);
    for (int k = 0; k < 100; k++) tn_world_step(world); /* falls and settles, where dropped */
    double start[3], quat[4], pos[3], v[3], w[3], moved = 0.0, fastest = 0.0, force_error = 0.0;
    tn_world_body_pose(world, body, start, quat);
    for (int k = 0; k < 500; k++) {
        tn_world_step(world);
        tn_world_body_pose(world, body, pos, quat);
        tn_world_body_velocity(world, body, v, w);
        v3_sub(pos, pos, start);
        moved = fmax(moved, v3_norm(pos));
        fastest = fmax(fastest, v3_norm(v) + 0.1 * v3_norm(w));
        double f[3];
        scene_contact_force(world, f);
        force_error = fmax(force_error, fabs(fabs(f[2]) - 1.2 * G));
    }
    CHECK_NEAR(start[2], shape->height, 1e-6);
    /* on a box the ellipsoid's contact comes from an iteration that finds the point to 1e-5 m or
     * so: about that point it rocks, and nothing damps it */
    CHECK_NEAR(moved, 0.0, shape->rocks ? 1e-5 : 1e-6);
    CHECK_NEAR(force_error, 0.0, 1e-6); /* 60 iterations, warm-started: about 1e-9 */
    CHECK_NEAR(fastest, 0.0, shape->rocks ? 1e-3 : 1e-9);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(bodies_at_rest_on_a_plane_neither_creep_nor_jitter)
{
    for (int i = 0; i < SHAPE_COUNT; i++)
        for (int k = 0; k < 2; k++) {
            check_rest(&shapes[i], false, TWO_THETAS[k], 0.0);
            check_rest(&shapes[i], false, TWO_THETAS[k], 0.001);
        }
}

TEST(bodies_at_rest_on_a_box_neither_creep_nor_jitter)
{
    for (int i = 0; i < SHAPE_COUNT; i++)
        for (int k = 0; k < 2; k++) {
            check_rest(&shapes[i], true, TWO_THETAS[k], 0.0);
            check_rest(&shapes[i], true, TWO_THETAS[k], 0.001);
        }
}

/* An ellipsoid tilted on its flat side rocks for ever, without friction loss, and its contact point
 * wanders. The period of small rolling swings: ω² = m g (R - b) / (I + m b²), with b the height of
 * the centre and R = a²/b the radius of curvature below. */
TEST(a_rocking_ellipsoid_keeps_its_period_and_gains_no_energy)
{
    const double a = 0.1, b = 0.05, tilt = 0.02;
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene_plane(&scene, 1.0);
        TnBodyId body = scene_free(&scene, TN_GEOM_ELLIPSOID, (double[3]){a, a, b}, 1.0,
                                   (double[3]){0, 0, b}, 1.0, 0.0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 200);
        TnError err = {0};
        double q[7] = {
            0, 0, hypot(a * sin(tilt), b * cos(tilt)), cos(0.5 * tilt), 0, sin(0.5 * tilt), 0};
        tn_world_set_state(world, q, NULL, &err);
        double start = tn_world_energy(world).potential - G * b, before = tilt, first = 0, last = 0;
        int crossings = 0;
        for (int k = 0; k < 800; k++) {
            tn_world_step(world);
            TnEnergy e = tn_world_energy(world);
            /* forces at the start of the step and displacement by its end velocity: the energy
             * swings by ωt/2 or so, ω = 17/s, and does not grow */
            CHECK(e.kinetic + e.potential - G * b < 1.1 * start);
            double pos[3], quat[4];
            tn_world_body_pose(world, body, pos, quat);
            double angle = 2.0 * asin(quat[2]);
            if ((angle < 0.0) != (before < 0.0)) {
                last = 0.01 * (k + before / (before - angle));
                if (crossings++ == 0) first = last;
            }
            before = angle;
        }
        double I = (a * a + b * b) / 5.0, omega = sqrt(G * (a * a / b - b) / (I + b * b));
        REQUIRE(crossings > 10);
        /* (ωt)²/24 of the rule is 0.1 %, and the swing is not quite small */
        CHECK_NEAR((last - first) / (crossings - 1), 3.14159265358979 / omega,
                   0.01 * 3.14159265358979 / omega);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* Sum of the vertical contact forces between two geoms, on the upper one. */
static double force_between(const TnWorld *world, TnGeomId lower, TnGeomId upper)
{
    double sum = 0.0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        if (c.geom1 == lower && c.geom2 == upper) sum += c.force[2];
        if (c.geom1 == upper && c.geom2 == lower) sum -= c.force[2];
    }
    return sum;
}

TEST(a_stack_of_three_boxes_passes_the_weights_down)
{
    const double mass[3] = {2.0, 0.5, 1.2};
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnGeomId ground = scene_plane(&scene, 0.6);
        for (int k = 0; k < 3; k++) /* not straight above each other */
            scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.1, 0.05}, mass[k],
                       (double[3]){0.01 * k, -0.02 * k, 0.05 + 0.1 * k}, 0.6, 0.0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 2000);
        REQUIRE(world);
        for (int k = 0; k < 100; k++) tn_world_step(world);
        double above = 0.0;
        for (int k = 2; k >= 0; k--) {
            above += mass[k];
            /* 2000 warm-started iterations have converged */
            CHECK_NEAR(force_between(world, ground + k, ground + k + 1), above * G, 1e-6);
        }
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(part_q(world, 7 * k + 2), 0.05 + 0.1 * k, 1e-7); /* nothing sank */
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* A lever on a hinge with a free ball on its end: the hinge's dry friction is above the torque of
 * both, so all is at rest, and the ball presses with its weight; and a lever that is free is lifted
 * by a ball on the longer arm. */
TEST(a_link_carries_a_free_body_with_its_weight)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId lever =
            part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0, (double[3]){0, 0, 0}, 0.1);
        TnJointDef hinge = part_joint(lever, TN_JOINT_HINGE, 0, 1, 0);
        hinge.friction_loss = 0.5 * G * 0.4 + 0.1;
        tn_builder_add_joint(scene.builder, &hinge);
        TnGeomDef plate = tn_geom_def();
        plate.body = lever;
        plate.type = TN_GEOM_BOX;
        plate.size[0] = 0.5;
        plate.size[1] = 0.1;
        plate.size[2] = 0.02;
        TnGeomId plate_geom = tn_builder_add_geom(scene.builder, &plate);
        scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 0.5,
                   (double[3]){0.4, 0, 0.07}, 0.5, 0.0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 2000);
        REQUIRE(world);
        for (int k = 0; k < 100; k++) tn_world_step(world);
        CHECK_NEAR(force_between(world, plate_geom, plate_geom + 1), 0.5 * G, 1e-6);
        CHECK_NEAR(part_q(world, 0), 0.0, 1e-7);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(a_free_lever_and_a_block_on_it_accelerate_together)
{
    /* A short slide instead of the hinge, so that there is a closed form: a plate of mass M on a
     * vertical slide, pulled up with F, carries a block m: a = (F - (M + m) g)/(M + m), contact
     * force m (g + a). */
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId plate = part_slider(&scene, 2.0, 2, NULL, NULL);
        TnGeomDef geom = tn_geom_def();
        geom.body = plate;
        geom.type = TN_GEOM_BOX;
        geom.size[0] = geom.size[1] = 0.2;
        geom.size[2] = 0.02;
        TnGeomId plate_geom = tn_builder_add_geom(scene.builder, &geom);
        TnBodyId block = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 0.5,
                                    (double[3]){0.03, 0, 0.07}, 0.5, 0.0);
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 2000);
        REQUIRE(world);
        double F = 40.0, a = F / 2.5 - G, v[3], w[3];
        for (int k = 0; k < 50; k++) {
            part_push(world, plate, 0, 0, F);
            tn_world_step(world);
        }
        tn_world_body_velocity(world, block, v, w);
        CHECK_NEAR(part_v(world, 0), 0.5 * a, 1e-7);
        CHECK_NEAR(v[2], 0.5 * a, 1e-7);
        CHECK_NEAR(force_between(world, plate_geom, plate_geom + 1), 0.5 * (G + a), 1e-5);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}
