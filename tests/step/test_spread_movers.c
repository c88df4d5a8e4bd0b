/* Robots, cables, soft bodies and mocap bodies in worlds that ranks step in parts: the same bits on
 * any number of ranks, and the motion of a world that is not in parts. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "scene.h"
#include "spread_runs.h"

enum { ROWS = 10 };

/* m: a bed of balls on the ground, ROWS × ROWS in each layer. */
static void add_bed(Scene *scene, int layers)
{
    scene_plane(scene, 0.5);
    for (int i = 0; i < layers * ROWS * ROWS; i++) {
        double pos[3] = {0.021 * (i % ROWS) + 0.0004 * (i % 7),
                         0.021 * (i / ROWS % ROWS) + 1e-5 * i, 0.01 + 0.021 * (i / (ROWS * ROWS))};
        scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.009 + 0.0003 * (i % 4)}, 0.003, pos, 0.4,
                   0.0);
    }
}

static TnBodyId add_body(Scene *scene, TnBodyId parent, const double pos[3])
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
    memcpy(body.pos, pos, sizeof body.pos);
    return tn_builder_add_body(scene->builder, &body);
}

static void add_box(Scene *scene, TnBodyId body, const double size[3], double mass)
{
    TnGeomDef geom = tn_geom_def();
    geom.body = body;
    geom.type = TN_GEOM_BOX;
    memcpy(geom.size, size, sizeof geom.size);
    geom.mass = mass;
    geom.friction[0] = 0.3;
    tn_builder_add_geom(scene->builder, &geom);
}

/* A joint with a servo. */
static TnJointId add_joint(Scene *scene, TnBodyId body, TnJointType type, int axis, double kp)
{
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.type = type;
    memset(joint.axis, 0, sizeof joint.axis);
    joint.axis[axis] = 1.0;
    joint.damping = 0.02;
    TnJointId id = tn_builder_add_joint(scene->builder, &joint);
    TnActuatorDef servo = tn_actuator_def();
    servo.joint = id;
    servo.gain = kp;
    servo.bias[1] = -kp;
    servo.bias[2] = -0.1 * kp;
    if (kp > 0.0) tn_builder_add_actuator(scene->builder, &servo);
    return id;
}

/* A blade on two slides and a hinge that ploughs through the bed. */
static void add_plough(Scene *scene)
{
    TnBodyId cart = add_body(scene, TN_BODY_WORLD, (double[3]){-0.03, 0.1, 0.06});
    add_box(scene, cart, (double[3]){0.01, 0.01, 0.01}, 0.3);
    add_joint(scene, cart, TN_JOINT_SLIDE, 0, 60.0);
    TnBodyId boom = add_body(scene, cart, (double[3]){0.0, 0.0, -0.02});
    add_box(scene, boom, (double[3]){0.005, 0.02, 0.005}, 0.1);
    add_joint(scene, boom, TN_JOINT_HINGE, 2, 2.0);
    TnBodyId blade = add_body(scene, boom, (double[3]){0.0, 0.0, -0.015});
    add_box(scene, blade, (double[3]){0.004, 0.05, 0.02}, 0.1);
    add_joint(scene, blade, TN_JOINT_HINGE, 1, 2.0);
}

static void drive_plough(TnWorld *world, int step)
{
    double s = 0.01 * step, ctrl[3] = {0.03 + 0.2 * s, 0.6 * sin(8.0 * s), 0.2 * sin(5.0 * s)};
    tn_world_set_ctrl(world, ctrl, NULL);
}

/* A floating base with four legs that kick. */
static void add_walker(Scene *scene)
{
    TnBodyId base = scene_free(scene, TN_GEOM_BOX, (double[3]){0.03, 0.02, 0.008}, 0.08,
                               (double[3]){0.1, 0.1, 0.085}, 0.3, 0.0);
    for (int i = 0; i < 4; i++) {
        double pos[3] = {i % 2 ? 0.028 : -0.028, i / 2 ? 0.026 : -0.026, 0.0};
        TnBodyId leg = add_body(scene, base, pos);
        TnGeomDef geom = tn_geom_def();
        geom.body = leg;
        geom.type = TN_GEOM_CAPSULE;
        geom.size[0] = 0.005;
        geom.size[1] = 0.015;
        geom.pos[2] = -0.02;
        geom.mass = 0.01;
        geom.friction[0] = 0.6;
        tn_builder_add_geom(scene->builder, &geom);
        add_joint(scene, leg, TN_JOINT_HINGE, 1, 0.4);
    }
}

static void drive_walker(TnWorld *world, int step)
{
    double ctrl[4];
    for (int i = 0; i < 4; i++) ctrl[i] = 0.8 * sin(0.25 * step + (i == 1 || i == 2 ? 3.14 : 0.0));
    tn_world_set_ctrl(world, ctrl, NULL);
}

/* Above the bed; its segments touch each other where it folds. */
static void add_cable(Scene *scene)
{
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 24;
    rod.radius = 0.004;
    rod.youngs_modulus = 1e6;
    rod.density = 3000.0;
    rod.self_contact = true;
    memcpy(rod.start, (double[3]){-0.03, 0.05, 0.06}, sizeof rod.start);
    memcpy(rod.end, (double[3]){0.23, 0.15, 0.09}, sizeof rod.end);
    tn_builder_add_rod(scene->builder, &rod);
}

/* A block above the bed, and balls above the block. */
static void add_soft(Scene *scene)
{
    TnSoftDef soft = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box((double[3]){0.05, 0.05, 0.015}, (int[3]){4, 4, 2}, 6, &soft.mesh, &err));
    memcpy(soft.pos, (double[3]){0.1, 0.1, 0.06}, sizeof soft.pos);
    soft.youngs_modulus = 3e4;
    soft.density = 500.0;
    tn_builder_add_soft(scene->builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    for (int i = 0; i < 6; i++)
        scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.01}, 0.004,
                   (double[3]){0.07 + 0.022 * (i % 3), 0.09 + 0.025 * (i / 3), 0.1}, 0.4, 0.0);
}

static TnBodyId paddle;

static void add_paddle(Scene *scene)
{
    TnBodyDef body = tn_body_def();
    body.mocap = true;
    memcpy(body.pos, (double[3]){-0.03, 0.1, 0.02}, sizeof body.pos);
    paddle = tn_builder_add_body(scene->builder, &body);
    add_box(scene, paddle, (double[3]){0.005, 0.06, 0.02}, 1.0);
}

static void drive_paddle(TnWorld *world, int step)
{
    double turn = 0.01 * step;
    tn_world_set_mocap(world, paddle, (double[3]){-0.03 + 0.002 * step, 0.1, 0.02},
                       (double[4]){cos(turn), 0.0, 0.0, sin(turn)}, NULL);
}

/* On one rank, and with the same bits on several. Bodies change hands meanwhile. */
static void check_scene(TnModel *model, int steps, double tolerance,
                        void (*drive)(TnWorld *world, int step))
{
    Run alone = run_driven_to(model, steps, tolerance, drive);
    for (int ranks = 1; ranks <= UNLESS_SANITIZED(8, 2); ranks += ranks < 4 ? 1 : 4)
        check_ranks(&alone, ranks, NULL);
    tn_model_destroy(model);
}

TEST(an_arm_that_ploughs_a_bed_has_the_same_bits_on_one_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_plough(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(80, 8), 0.0, drive_plough);
}

TEST(a_robot_that_falls_on_balls_and_kicks_has_the_same_bits_on_one_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_walker(&scene); /* before the bodies */
    add_bed(&scene, 2);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(80, 8), 0.0, drive_walker);
}

TEST(a_cable_that_falls_over_balls_has_the_same_bits_on_one_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_cable(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(60, 8), 0.0, NULL);
}

TEST(a_soft_body_between_balls_has_the_same_bits_on_one_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 1);
    add_soft(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(40, 4), 0.0, NULL);
}

TEST(a_mocap_body_that_sweeps_balls_has_the_same_bits_on_one_to_eight_ranks)
{
    Scene scene = scene_begin();
    add_bed(&scene, 2);
    add_paddle(&scene);
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(60, 8), 0.0, drive_paddle);
}

/* All at once, with what joins and excludes free bodies, to a tolerance. */
TEST(robots_cables_and_soft_bodies_are_solved_to_a_tolerance_with_the_same_bits)
{
    Scene scene = scene_begin();
    add_walker(&scene);
    add_bed(&scene, 1);
    add_cable(&scene);
    add_paddle(&scene);
    TnBodyId pair[3];
    for (int i = 0; i < 3; i++)
        pair[i] = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.008, 0.008, 0.008}, 0.004,
                             (double[3]){0.02 + 0.018 * i, 0.19, 0.04}, 0.4, 0.0);
    TnEqualityDef joined = tn_equality_def();
    joined.type = TN_EQUALITY_CONNECT;
    joined.body1 = pair[0];
    joined.body2 = pair[1];
    memcpy(joined.anchor, (double[3]){0.009, 0.0, 0.0}, sizeof joined.anchor);
    tn_builder_add_equality(scene.builder, &joined);
    tn_builder_add_exclude(scene.builder, pair[1], pair[2], (TnSource){0});
    check_scene(scene_compile(&scene), UNLESS_SANITIZED(24, 4), 1e-6, drive_paddle);
}
