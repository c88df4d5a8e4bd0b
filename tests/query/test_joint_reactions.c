/* Forces by which joints and welded bodies are held, against closed forms. */
#include "reactions.h"

TEST(a_hanging_weight_pulls_at_its_hinge)
{
    Scene scene = scene_begin();
    TnJointId hinge = add_pendulum(&scene, 2.0, 0.7, 0.1);
    Run run = run_start(&scene, 50);
    REQUIRE(run.world);
    CHECK(!tn_world_joint_reaction(run.world, hinge).known); /* no step yet */
    CHECK(isnan(tn_world_joint_reaction(run.world, hinge).force[2]));
    tn_world_step(run.world);
    TnReaction r = tn_world_joint_reaction(run.world, hinge);
    CHECK(r.known);
    check_vector("force", r.force, 0, 0, 2.0 * G, 1e-12);
    check_vector("torque", r.torque, 0, 0, 0, 1e-12);
    tn_world_reset(run.world, 0);
    CHECK(!tn_world_joint_reaction(run.world, hinge).known);
    run_end(&run);
}

/* Largest error of the hinge's force and torque over a second, in shares of the weight, of a
 * pendulum that swings from the horizontal. */
static double swinging_error(double timestep)
{
    const double m = 1.5, l = 0.8, I = 0.05;
    Scene scene = scene_begin();
    scene.option.timestep = timestep;
    TnJointId hinge = add_pendulum(&scene, m, l, I);
    Run run = run_start(&scene, 50);
    double angle = 1.5, worst = 0.0;
    if (!run.world) return NAN;
    tn_world_set_state(run.world, &angle, NULL, NULL);
    for (int k = 0; k < (int)(1.0 / timestep + 0.5); k++) {
        double a0 = part_q(run.world, 0), w0 = part_v(run.world, 0);
        tn_world_step(run.world);
        double a = 0.5 * (a0 + part_q(run.world, 0)), w = 0.5 * (w0 + part_v(run.world, 0));
        TnReaction r = tn_world_joint_reaction(run.world, hinge);
        double alpha = -m * G * l * sin(a) / (I + m * l * l);
        /* the centre is at l (-sin a, 0, -cos a): across and towards the hinge */
        double across = m * (G * sin(a) + l * alpha), along = m * (G * cos(a) + l * w * w);
        double x = along * sin(a) - across * cos(a), z = along * cos(a) + across * sin(a);
        worst = fmax(worst, fabs(r.force[0] - x) / (m * G));
        worst = fmax(worst, fabs(r.force[2] - z) / (m * G));
        worst = fmax(worst, fabs(r.torque[1]) / (m * G * l));
    }
    run_end(&run);
    return worst;
}

TEST(a_swinging_pendulum_pulls_with_its_weight_and_its_centripetal_force)
{
    double at_10 = swinging_error(0.01), at_5 = swinging_error(0.005), at_1 = swinging_error(0.001);
    printf("    %.1e, %.1e, %.1e of the weight\n", at_10, at_5, at_1);
    /* of second order, (ω t)² ω² l/g and less with ω up to 4.7 rad/s */
    CHECK(at_10 < 4e-4);
    CHECK(at_5 < 0.3 * at_10);
    CHECK(at_1 < 0.015 * at_10);
}

/* A boom of three bodies of 1 m fixed to each other along x, and a payload on its end. */
static void add_boom(Scene *scene, TnBodyId first, TnBodyId bodies[4])
{
    bodies[0] = first;
    for (int i = 1; i < 4; i++) {
        double mass = i < 3 ? 1.0 + i : 10.0;
        bodies[i] = part_body(scene, bodies[i - 1], (double[3]){1, 0, 0}, mass,
                              (double[3]){i < 3 ? 0.5 : 0.0, 0, 0}, 0.1);
    }
}

/* Everything beyond a section weighs m (g + a) at its own centre. */
static void check_boom(TnWorld *world, const TnBodyId bodies[4], double weight)
{
    const double masses[4] = {1.0, 2.0, 3.0, 10.0}, centres[4] = {0.5, 1.5, 2.5, 3.0};
    for (int i = 0; i < 4; i++) {
        double force = 0.0, moment = 0.0;
        for (int k = i; k < 4; k++) {
            force += masses[k] * weight;
            moment += masses[k] * weight * (centres[k] - i);
        }
        TnReaction r = tn_world_body_reaction(world, bodies[i]);
        CHECK(r.known);
        check_vector("force of a section", r.force, 0, 0, force, 1e-9 * force);
        check_vector("moment of a section", r.torque, 0, -moment, 0, 1e-9 * force);
    }
}

TEST(sections_of_a_boom_carry_what_is_beyond_them)
{
    /* fixed to the world, where nothing moves, and on a slide that falls with g/3 */
    for (int slides = 0; slides < 2; slides++) {
        Scene scene = scene_begin();
        TnBodyId bodies[4], first = part_body(&scene, TN_BODY_WORLD, (double[3]){0.4, 0.2, 1}, 1.0,
                                              (double[3]){0.5, 0, 0}, 0.1);
        TnJointDef slide = part_joint(first, TN_JOINT_SLIDE, 0, 0, 1);
        if (slides) tn_builder_add_joint(scene.builder, &slide);
        add_boom(&scene, first, bodies);
        if (!slides) add_pendulum(&scene, 1.0, 1.0, 0.1); /* something must move */
        Run run = run_start(&scene, 50);
        REQUIRE(run.world);
        for (int k = 0; k < 5; k++) {
            if (slides) part_push(run.world, bodies[0], 0, 0, 16.0 * G * 2.0 / 3.0);
            tn_world_step(run.world);
        }
        if (!slides) {
            check_boom(run.world, bodies, G);
        } else { /* pushed at the common centre, on the first body: none of it gets further */
            TnReaction r = tn_world_body_reaction(run.world, bodies[1]);
            check_vector("force of a section", r.force, 0, 0, 15.0 * G * 2.0 / 3.0, 1e-9);
            r = tn_world_body_reaction(run.world, bodies[0]);
            check_vector("force of a slide that is free", r.force, 0, 0, 0, 1e-9);
            check_vector("torque of a slide that is pushed at the centre", r.torque, 0, 0, 0, 1e-9);
        }
        run_end(&run);
    }
}

TEST(a_push_on_a_welded_body_passes_through_its_own_section)
{
    Scene scene = scene_begin();
    scene.option.gravity[2] = 0.0;
    TnBodyId bodies[4], first = part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0,
                                          (double[3]){0.5, 0, 0}, 0.1);
    TnJointDef slide = part_joint(first, TN_JOINT_SLIDE, 1, 0, 0);
    tn_builder_add_joint(scene.builder, &slide);
    add_boom(&scene, first, bodies);
    Run run = run_start(&scene, 50);
    REQUIRE(run.world);
    part_push(run.world, bodies[3], 32.0, 5.0, 0); /* 2 m/s² along the boom */
    tn_world_step(run.world);
    TnReaction r = tn_world_body_reaction(run.world, bodies[3]);
    check_vector("force on the payload", r.force, 10.0 * 2.0 - 32.0, -5.0, 0, 1e-10);
    r = tn_world_body_reaction(run.world, bodies[0]);
    check_vector("force of the slide", r.force, 0, -5.0, 0, 1e-10);
    tn_world_step(run.world); /* it was for one step */
    r = tn_world_body_reaction(run.world, bodies[3]);
    check_vector("force on the payload", r.force, 0, 0, 0, 1e-10);
    run_end(&run);
}

TEST(a_rotor_with_its_mass_off_the_axis_pulls_at_its_bearing)
{
    const double m = 2.0, radius = 0.1, w = 30.0, t = 0.01, z = 0.3;
    Scene scene = scene_begin();
    scene.option.gravity[2] = 0.0;
    scene.option.timestep = t;
    TnBodyId rotor =
        part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, m, (double[3]){radius, 0, z}, 0.05);
    TnJointDef joint = part_joint(rotor, TN_JOINT_HINGE, 0, 0, 1);
    TnJointId hinge = tn_builder_add_joint(scene.builder, &joint);
    Run run = run_start(&scene, 50);
    REQUIRE(run.world);
    tn_world_set_state(run.world, NULL, &w, NULL);
    for (int k = 0; k < 50; k++) {
        tn_world_step(run.world);
        TnReaction r = tn_world_joint_reaction(run.world, hinge);
        double force[3], torque[3], back[4];
        quat_conjugate(back, r.quat);
        quat_rotate(force, back, r.force); /* in the rotor's axes half way */
        quat_rotate(torque, back, r.torque);
        /* a force that turns by ω t within the step has a mean of sin(ω t/2)/(ω t/2) of its size */
        double mean = m * radius * w * w * sin(0.5 * w * t) / (0.5 * w * t);
        check_vector("force in the rotor's axes", force, -mean, 0, 0, 1e-9 * mean);
        check_vector("torque in the rotor's axes", torque, 0, -mean * z, 0, 1e-9 * mean);
    }
    run_end(&run);
}

TEST(a_box_on_the_floor_does_not_load_its_slide)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 1.0);
    TnBodyId box = scene_body(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.1, 0.1}, 3.0,
                              (double[3]){0, 0, 0.1}, 1.0, 0.0);
    TnJointDef joint = part_joint(box, TN_JOINT_SLIDE, 0, 0, 1);
    TnJointId slide = tn_builder_add_joint(scene.builder, &joint);
    Run run = run_start(&scene, 300);
    REQUIRE(run.world);
    for (int k = 0; k < 20; k++) {
        part_push(run.world, box, 4.0, 0, 0); /* the slide takes it, and friction does not */
        tn_world_step(run.world);
    }
    TnReaction r = tn_world_joint_reaction(run.world, slide);
    double floor_force[3];
    scene_contact_force(run.world, floor_force);
    CHECK_NEAR(fabs(floor_force[2]), 3.0 * G, 1e-6); /* what a fixed count of iterations leaves */
    CHECK_NEAR(r.force[2], 0.0, 1e-6);
    /* along directions in which it cannot move, slide and floor share as the solver finds it */
    CHECK_NEAR(r.force[0], -4.0 + (floor_force[0] * (floor_force[2] > 0 ? -1 : 1)), 1e-6);
    run_end(&run);
}

TEST(along_its_axis_a_joint_carries_its_motor_less_what_turns_the_rotor)
{
    Scene scene = scene_begin();
    scene.option.gravity[2] = 0.0;
    TnBodyId disc =
        part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0, (double[3]){0, 0, 0}, 0.2);
    TnJointDef joint = part_joint(disc, TN_JOINT_HINGE, 0, 0, 1);
    joint.armature = 0.3;
    joint.friction_loss = 0.1;
    TnJointId hinge = tn_builder_add_joint(scene.builder, &joint);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = hinge;
    motor.gear = 2.0;
    tn_builder_add_actuator(scene.builder, &motor);
    TnSensorDef sensor = tn_sensor_def();
    sensor.type = TN_SENSOR_JOINT_ACTUATOR_FORCE;
    sensor.object = hinge;
    tn_builder_add_sensor(scene.builder, &sensor);
    sensor.type = TN_SENSOR_ACTUATOR_FORCE;
    sensor.object = 1;
    tn_builder_add_sensor(scene.builder, &sensor);
    Run run = run_start(&scene, 500);
    REQUIRE(run.world);
    double ctrl = 0.8, data[2], alpha = (1.6 - 0.1) / 0.5;
    tn_world_set_ctrl(run.world, &ctrl, NULL);
    for (int k = 0; k < 5; k++) tn_world_step(run.world);
    CHECK_NEAR(tn_world_joint_reaction(run.world, hinge).torque[2], 1.6 - 0.1 - 0.3 * alpha, 1e-8);
    CHECK(tn_world_sensors(run.world, data, NULL) == TN_OK);
    CHECK_NEAR(data[0], 1.6, 1e-12);
    CHECK_NEAR(data[1], 0.8, 1e-12);
    run_end(&run);
}

/* A uniform rod on a hinge that hits a wall with restitution, at its middle and at two thirds of
 * its length: there, the centre of percussion, the hinge feels nothing of it. */
TEST(a_hit_at_the_centre_of_percussion_does_not_reach_the_hinge)
{
    double largest[2] = {0.0, 0.0}, hits[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.gravity[2] = 0.0;
        scene.option.timestep = 0.002;
        TnJointId hinge = add_pendulum(&scene, 3.0, 0.5, 0.25);
        TnGeomDef geom = tn_geom_def();
        geom.body = 2;
        geom.type = TN_GEOM_SPHERE;
        geom.size[0] = 0.05;
        geom.pos[2] = i ? -2.0 / 3.0 : -0.5;
        geom.restitution = 0.5;
        geom.friction[0] = 0.0;
        tn_builder_add_geom(scene.builder, &geom);
        geom = tn_geom_def();
        geom.friction[0] = 0.0;
        geom.body = TN_BODY_WORLD;
        geom.type = TN_GEOM_PLANE;
        geom.pos[0] = -0.1;
        geom.quat[0] = geom.quat[2] = sqrt(0.5); /* its normal along x */
        tn_builder_add_geom(scene.builder, &geom);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        double w = 2.0; /* towards -x */
        tn_world_set_state(run.world, NULL, &w, NULL);
        for (int k = 0; k < 100; k++) {
            tn_world_step(run.world);
            largest[i] = fmax(largest[i], fabs(tn_world_joint_reaction(run.world, hinge).force[0]));
            for (int c = 0; c < tn_world_contact_count(run.world); c++)
                hits[i] = fmax(hits[i], fabs(tn_world_contact(run.world, c).force[0]));
        }
        run_end(&run);
    }
    CHECK(hits[0] > 1000.0 && hits[1] > 1000.0);
    /* p at half the length turns the rod by p/2 of m/3, so that its centre takes 3/4 p; the rod
     * leans by 0.1 rad */
    CHECK_NEAR(largest[0] / hits[0], 0.25, 0.01);
    CHECK(largest[1] < 0.01 * hits[1]);
}

TEST(sensors_tell_force_and_torque_in_the_axes_of_their_site)
{
    Scene scene = scene_begin();
    add_pendulum(&scene, 2.0, 0.7, 0.1);
    TnSiteDef site = tn_site_def();
    site.body = 2;
    site.pos[0] = 0.2;
    site.quat[0] = site.quat[1] = sqrt(0.5); /* its z along -y, its y along z */
    TnSensorDef sensor = tn_sensor_def();
    sensor.object = tn_builder_add_site(scene.builder, &site);
    sensor.type = TN_SENSOR_FORCE;
    tn_builder_add_sensor(scene.builder, &sensor);
    sensor.type = TN_SENSOR_TORQUE;
    tn_builder_add_sensor(scene.builder, &sensor);
    Run run = run_start(&scene, 50);
    REQUIRE(run.world);
    double data[6];
    CHECK(tn_world_sensors(run.world, data, NULL) == TN_OK);
    for (int k = 0; k < 6; k++) CHECK(isnan(data[k])); /* no step yet */
    tn_world_step(run.world);
    CHECK(tn_world_sensors(run.world, data, NULL) == TN_OK);
    check_vector("force sensor", data, 0, 2.0 * G, 0, 1e-12);
    /* (-0.2, 0, 0) × (0, 0, m g) = (0, 0.2 m g, 0), and y of the world is -z of the site */
    check_vector("torque sensor", data + 3, 0, 0, -0.2 * 2.0 * G, 1e-12);
    run_end(&run);
}

TEST(who_sleeps_has_no_known_forces)
{
    Scene scene = scene_begin();
    TnJointId hinge = add_pendulum(&scene, 2.0, 0.7, 0.1);
    TnModel *model = scene_compile(&scene);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    def.sleep = TN_SLEEP_ALL;
    def.sleep_time = 0.1;
    TnWorld *world = tn_world_create(&def, model, NULL);
    REQUIRE(world);
    for (int k = 0; k < 100; k++) tn_world_step(world);
    CHECK(tn_world_body_asleep(world, 2));
    CHECK(!tn_world_joint_reaction(world, hinge).known);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
