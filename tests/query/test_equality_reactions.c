/* Forces of equalities, and of joints whose bodies equalities hold, against closed forms. */
#include "reactions.h"

/* Two rods of 1 m, the first on the world, swinging about y; as a tree, or as free bodies that
 * connects hold. */
static Run double_pendulum(bool tree, double timestep)
{
    Scene scene = scene_begin();
    scene.option.timestep = timestep;
    const double half[3] = {0, 0, -0.5}, origin[3] = {0, 0, 0}, elbow[3] = {0, 0, -1};
    TnBodyId first = part_body(&scene, TN_BODY_WORLD, origin, 1.0, half, 0.08);
    TnBodyId second = part_body(&scene, tree ? first : TN_BODY_WORLD, elbow, 2.0, half, 0.2);
    TnJointType type = tree ? TN_JOINT_HINGE : TN_JOINT_FREE;
    TnJointDef joint = part_joint(first, type, 0, 1, 0);
    tn_builder_add_joint(scene.builder, &joint);
    joint = part_joint(second, type, 0, 1, 0);
    tn_builder_add_joint(scene.builder, &joint);
    TnEqualityDef connect = tn_equality_def();
    connect.type = TN_EQUALITY_CONNECT;
    connect.body1 = first; /* to the world */
    if (!tree) tn_builder_add_equality(scene.builder, &connect);
    connect.body1 = second;
    connect.body2 = first;
    if (!tree) tn_builder_add_equality(scene.builder, &connect);
    return run_start(&scene, 4000);
}

/* Largest difference of the two forces over half a second, in shares of the weight. */
static double tree_against_connects(double timestep)
{
    Run tree = double_pendulum(true, timestep), loose = double_pendulum(false, timestep);
    double worst = 0.0, rates[2] = {3.0, -2.0};
    double free_rates[12] = {0, 0, 0, 0, 3, 0, -3, 0, 0, 0, 1, 0};
    if (!tree.world || !loose.world) return NAN;
    tn_world_set_state(tree.world, NULL, rates, NULL);
    tn_world_set_state(loose.world, NULL, free_rates, NULL);
    for (int k = 0; k < (int)lround(0.5 / timestep); k++) {
        tn_world_step(tree.world);
        tn_world_step(loose.world);
        if (k < 2) continue;           /* velocities that the connects do not like are sorted out */
        for (int j = 1; j <= 2; j++) { /* the connects' are on the parent */
            TnReaction a = tn_world_joint_reaction(tree.world, j),
                       b = tn_world_equality_reaction(loose.world, j);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst, fabs(a.force[i] + b.force[i]) / (3.0 * G));
        }
    }
    run_end(&tree);
    run_end(&loose);
    return worst;
}

TEST(a_double_pendulum_pulls_alike_as_a_tree_and_held_by_connects)
{
    double coarse = tree_against_connects(0.004), fine = tree_against_connects(0.001);
    printf("    %.1e, %.1e of the weight\n", coarse, fine);
    CHECK(coarse < 1e-3); /* two schemes of second order, at rates of 4 rad/s */
    CHECK(fine < 0.15 * coarse);
}

/* Two cranks of 1 m that hang from x = 0 and x = 2, and a coupler of 4 kg between their lower
 * ends with 6 kg more at x = 0.5 on it. */
TEST(a_four_bar_at_rest_carries_its_load_by_the_lever_rule)
{
    Scene scene = scene_begin();
    TnBodyId left =
        part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0, (double[3]){0, 0, -0.5}, 0.1);
    TnJointDef joint = part_joint(left, TN_JOINT_HINGE, 0, 1, 0);
    TnJointId top_left = tn_builder_add_joint(scene.builder, &joint);
    TnBodyId coupler =
        part_body(&scene, left, (double[3]){0, 0, -1}, 4.0, (double[3]){1, 0, 0}, 0.3);
    joint = part_joint(coupler, TN_JOINT_HINGE, 0, 1, 0);
    TnJointId elbow = tn_builder_add_joint(scene.builder, &joint);
    TnBodyId load =
        part_body(&scene, coupler, (double[3]){0.5, 0, 0}, 6.0, (double[3]){0, 0, 0}, 0.1);
    TnBodyId right =
        part_body(&scene, TN_BODY_WORLD, (double[3]){2, 0, 0}, 1.0, (double[3]){0, 0, -0.5}, 0.1);
    joint = part_joint(right, TN_JOINT_HINGE, 0, 1, 0);
    TnJointId top_right = tn_builder_add_joint(scene.builder, &joint);
    TnEqualityDef connect = tn_equality_def();
    connect.type = TN_EQUALITY_CONNECT;
    connect.body1 = right;
    connect.body2 = coupler;
    connect.anchor[2] = -1.0;
    TnEqualityId pin = tn_builder_add_equality(scene.builder, &connect);
    Run run = run_start(&scene, 2000);
    REQUIRE(run.world);
    for (int k = 0; k < 20; k++) tn_world_step(run.world);
    /* moments about the elbow: 4 g · 1 + 6 g · 0.5 = 2 R; with a fixed count 1e-5 is left */
    double R = 3.5 * G, tolerance = 1e-4;
    TnReaction r = tn_world_equality_reaction(run.world, pin);
    check_vector("force of the pin on the coupler", r.force, 0, 0, R, tolerance);
    check_vector("place of the pin", r.pos, 2, 0, -1, 1e-6);
    r = tn_world_joint_reaction(run.world, elbow);
    check_vector("force of the elbow", r.force, 0, 0, 10.0 * G - R, tolerance);
    CHECK_NEAR(r.torque[1], 0.0, tolerance);
    r = tn_world_joint_reaction(run.world, top_left);
    check_vector("force of the left hinge", r.force, 0, 0, 11.0 * G - R, tolerance);
    r = tn_world_joint_reaction(run.world, top_right);
    check_vector("force of the right hinge", r.force, 0, 0, 1.0 * G + R, tolerance);
    r = tn_world_body_reaction(run.world, load);
    check_vector("force of the load", r.force, 0, 0, 6.0 * G, tolerance);
    run_end(&run);
}

TEST(a_weld_between_free_bodies_carries_weight_and_moment)
{
    Scene scene = scene_begin();
    double size[3] = {0.1, 0.1, 0.1};
    TnBodyId bodies[2] = {
        scene_free(&scene, TN_GEOM_BOX, size, 1.0, (double[3]){0, 0, 1}, 1.0, 0.0),
        scene_free(&scene, TN_GEOM_BOX, size, 2.0, (double[3]){0.5, 0, 1}, 1.0, 0.0)};
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = bodies[0]; /* to the world: the world is body2 */
    TnEqualityId to_world = tn_builder_add_equality(scene.builder, &weld);
    weld.body2 = bodies[1];
    weld.anchor[0] = -0.5; /* at the first body's centre */
    TnEqualityId between = tn_builder_add_equality(scene.builder, &weld);
    weld.active = false;
    TnEqualityId idle = tn_builder_add_equality(scene.builder, &weld);
    Run run = run_start(&scene, 2000);
    REQUIRE(run.world);
    for (int k = 0; k < 20; k++) tn_world_step(run.world);
    double tolerance = 1e-4; /* a fixed count */
    TnReaction r = tn_world_equality_reaction(run.world, between);
    check_vector("force on the second body", r.force, 0, 0, 2.0 * G, tolerance);
    check_vector("torque on it", r.torque, 0, -2.0 * G * 0.5, 0, tolerance);
    check_vector("place", r.pos, 0, 0, 1, 1e-6);
    r = tn_world_equality_reaction(run.world, to_world);
    check_vector("force on the world", r.force, 0, 0, -3.0 * G, tolerance);
    r = tn_world_equality_reaction(run.world, idle);
    CHECK(r.known);
    check_vector("force of one that is not active", r.force, 0, 0, 0, 0.0);
    r = tn_world_body_reaction(run.world, bodies[1]);
    CHECK(r.known);
    check_vector("force of a free joint", r.force, 0, 0, 0, 0.0);
    run_end(&run);
}

TEST(a_gear_between_two_sliders_has_the_force_that_couples_them)
{
    const double m1 = 2.0, m2 = 3.0;
    Scene scene = scene_begin();
    TnJointId joints[2];
    part_slider(&scene, m1, 2, NULL, &joints[0]);
    part_slider(&scene, m2, 2, NULL, &joints[1]);
    TnEqualityDef gear = tn_equality_def();
    gear.type = TN_EQUALITY_JOINT;
    gear.joint1 = joints[0];
    gear.joint2 = joints[1];
    gear.polycoef[1] = 2.0;
    TnEqualityId id = tn_builder_add_equality(scene.builder, &gear);
    Run run = run_start(&scene, 2000);
    REQUIRE(run.world);
    for (int k = 0; k < 5; k++) tn_world_step(run.world);
    double lambda = -G / (1.0 / m1 + 4.0 / m2);
    CHECK_NEAR(tn_world_equality_reaction(run.world, id).generalized, lambda, 1e-5);
    TnReaction r = tn_world_joint_reaction(run.world, joints[0]);
    check_vector("force of the first slide", r.force, 0, 0, lambda, 1e-5);
    r = tn_world_joint_reaction(run.world, joints[1]);
    check_vector("force of the second slide", r.force, 0, 0, -2.0 * lambda, 1e-5);
    run_end(&run);
}

TEST(a_wheel_that_keeps_its_height_carries_what_stands_on_it)
{
    Scene scene = scene_begin();
    TnJointId slide, axle;
    TnBodyId frame = part_slider(&scene, 5.0, 2, NULL, &slide);
    TnBodyId body = part_body(&scene, frame, (double[3]){0, 0, 0}, 1.0, (double[3]){0, 0, 0}, 0.01);
    TnJointDef joint = part_joint(body, TN_JOINT_HINGE, 0, 1, 0);
    axle = tn_builder_add_joint(scene.builder, &joint);
    TnWheelDef wheel = tn_wheel_def();
    wheel.body = body;
    wheel.radius = 0.2;
    wheel.keep_height = true;
    tn_builder_add_wheel(scene.builder, &wheel);
    Run run = run_start(&scene, 500);
    REQUIRE(run.world);
    for (int k = 0; k < 10; k++) tn_world_step(run.world);
    TnReaction r = tn_world_joint_reaction(run.world, slide);
    check_vector("force of the slide", r.force, 0, 0, 0, 1e-6);
    r = tn_world_joint_reaction(run.world, axle);
    check_vector("force on the wheel by its frame", r.force, 0, 0, -5.0 * G, 1e-6);
    run_end(&run);
}
