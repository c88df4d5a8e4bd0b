/* Joint limits, dry friction of joints and servos that meet them, in whole steps against closed
 * forms. */
#include "../check.h"

#include "../constraint/parts.h"

#include "world/world.h"

static const double G = 9.81;

/* Sum of the forces of all limits and of dry friction on one joint (index from 0). */
static double joint_lambda(const TnWorld *world, int joint, int kind)
{
    return world->state.row_lambda[tn_row_slot_joint(world->model, joint, kind)];
}

static TnWorld *finish(Scene *scene, int iterations, TnModel **model)
{
    *model = scene_compile(scene);
    return *model ? scene_world(*model, iterations) : NULL;
}

static void discard(TnWorld *world, TnModel *model)
{
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* ---- limits ---- */

/* A pendulum about y, length l below the anchor, angle from hanging; gravity pulls it to zero. */
static TnWorld *pendulum(double theta, double mass, double length, double low, double high,
                         TnModel **model)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    TnBodyId rod = part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, mass,
                             (double[3]){0, 0, -length}, 0.01);
    TnJointDef joint = part_joint(rod, TN_JOINT_HINGE, 0, 1, 0);
    joint.limited = true;
    joint.range[0] = low;
    joint.range[1] = high;
    tn_builder_add_joint(scene.builder, &joint);
    return finish(&scene, 200, model);
}

TEST(a_pendulum_falls_on_its_limit_and_rests_there_with_the_right_torque)
{
    for (int i = 0; i < 2; i++) {
        TnModel *model;
        double mass = 1.7, length = 0.6, low = 0.3, start = 1.3;
        TnWorld *world = pendulum(TWO_THETAS[i], mass, length, low, 3.0, &model);
        REQUIRE(world);
        TnError err = {0};
        tn_world_set_state(world, &start, NULL, &err);
        bool hit = false;
        double lowest = 3.0, fastest_after = 0.0, highest_after = 0.0;
        for (int k = 0; k < 300; k++) {
            double before = part_v(world, 0);
            tn_world_step(world);
            if (before < -1.0 && part_v(world, 0) > -1e-9) hit = true;
            lowest = fmin(lowest, part_q(world, 0));
            if (hit) {
                fastest_after = fmax(fastest_after, fabs(part_v(world, 0)));
                highest_after = fmax(highest_after, part_q(world, 0));
            }
        }
        CHECK(hit);
        /* the gap of the hitting step is closed by the end velocity; one row converges to rounding
         */
        CHECK_NEAR(lowest, low, 1e-9);
        CHECK_NEAR(highest_after, low, 1e-9); /* no bounce */
        /* the end velocity of the hitting step is -gap/t: it takes one more step to rest */
        CHECK(fastest_after < fabs(low - start) / 0.01);
        CHECK_NEAR(part_v(world, 0), 0.0, 1e-9);
        /* gravity's torque is taken where the free fall of a step would lead, (θt)² α further down
         */
        double torque = mass * G * length * sin(low), inertia = mass * length * length + 0.01;
        double fall = pow(TWO_THETAS[i] * 0.01, 2) * torque / inertia;
        CHECK_NEAR(joint_lambda(world, 0, 0), torque, 1.01 * mass * G * length * fall);
        CHECK_NEAR(joint_lambda(world, 0, 1), 0.0, 0.0);
        discard(world, model);
    }
}

TEST(a_limit_pushes_but_never_holds)
{
    for (int i = 0; i < 2; i++) {
        TnModel *model;
        TnWorld *world = pendulum(TWO_THETAS[i], 1.0, 0.5, 0.2, 2.0, &model), *free_world;
        REQUIRE(world);
        TnError err = {0};
        /* rests on the limit, then is thrown upwards: from then on as if there were no limit */
        double q = 0.2, v = 2.0;
        tn_world_set_state(world, &q, NULL, &err);
        for (int k = 0; k < 20; k++) tn_world_step(world);
        q = part_q(world, 0);
        CHECK_NEAR(q, 0.2, 1e-9);
        TnModel *free_model;
        free_world = pendulum(TWO_THETAS[i], 1.0, 0.5, -3.0, 3.0, &free_model);
        REQUIRE(free_world);
        tn_world_set_state(world, &q, &v, &err);
        tn_world_set_state(free_world, &q, &v, &err);
        for (int k = 0; k < 20; k++) {
            tn_world_step(world);
            tn_world_step(free_world);
            CHECK_NEAR(part_q(world, 0), part_q(free_world, 0), 1e-12); /* rounding */
        }
        CHECK(part_q(world, 0) > 0.4);
        discard(world, model);
        discard(free_world, free_model);
    }
}

TEST(a_slide_loaded_beyond_its_limit_does_not_pass)
{
    for (int i = 0; i < 2; i++)
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            Scene scene = scene_begin();
            scene.option.theta = TWO_THETAS[i];
            scene.option.gravity[2] = 0.0;
            TnJointDef limits = tn_joint_def();
            limits.limited = true;
            limits.range[0] = -0.1;
            limits.range[1] = 0.1;
            TnBodyId body = part_slider(&scene, 2.0, 0, &limits, NULL);
            TnModel *model;
            TnWorld *world = finish(&scene, 200, &model);
            REQUIRE(world);
            double worst = 0.0;
            for (int k = 0; k < 300; k++) {
                part_push(world, body, sign * 500.0, 0, 0); /* 25 g */
                tn_world_step(world);
                worst = fmax(worst, fabs(part_q(world, 0)) - 0.1);
            }
            CHECK(worst < 1e-9);
            CHECK_NEAR(part_q(world, 0), sign * 0.1, 1e-9);
            CHECK_NEAR(joint_lambda(world, 0, sign > 0.0), 500.0, 1e-6);
            /* let go and pulled back it leaves at once: v = F t / m after one step */
            part_push(world, body, -sign * 10.0, 0, 0);
            tn_world_step(world);
            CHECK_NEAR(part_v(world, 0), -sign * 10.0 * 0.01 / 2.0, 1e-9);
            discard(world, model);
        }
}

TEST(a_start_beyond_the_limit_is_led_back_without_a_kick)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene.option.gravity[2] = 0.0;
        TnJointDef limits = tn_joint_def();
        limits.limited = true;
        limits.range[0] = -0.1;
        limits.range[1] = 0.1;
        part_slider(&scene, 2.0, 0, &limits, NULL);
        TnModel *model;
        TnWorld *world = finish(&scene, 200, &model);
        REQUIRE(world);
        TnError err = {0};
        double q = 0.15, last = q;
        tn_world_set_state(world, &q, NULL, &err);
        for (int k = 0; k < 100; k++) {
            tn_world_step(world);
            CHECK(part_q(world, 0) <= last + 1e-12); /* steadily inwards */
            /* a fifth of the error per step is the speed that may remain */
            CHECK(part_v(world, 0) >= -0.2 * 0.05 / 0.01 - 1e-9);
            last = part_q(world, 0);
        }
        CHECK(last < 0.1 + 1e-6); /* 0.8^100 of 5 cm is far below */
        discard(world, model);
    }
}

TEST(a_ball_joint_stops_at_its_angle_in_any_direction)
{
    for (int i = 0; i < 2; i++)
        for (int direction = 0; direction < 6; direction++) {
            Scene scene = scene_begin();
            scene.option.theta = TWO_THETAS[i];
            scene.option.gravity[2] = 0.0;
            TnBodyId rod = part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0,
                                     (double[3]){0, 0, -0.4}, 0.02);
            TnJointDef joint = part_joint(rod, TN_JOINT_BALL, 0, 0, 1);
            joint.limited = true;
            joint.range[1] = 0.7;
            tn_builder_add_joint(scene.builder, &joint);
            TnModel *model;
            TnWorld *world = finish(&scene, 200, &model);
            REQUIRE(world);
            TnError err = {0};
            double angle = 1.05 * direction, v[3] = {2.0 * cos(angle), 2.0 * sin(angle), 0.0};
            tn_world_set_state(world, NULL, v, &err);
            double widest = 0.0;
            for (int k = 0; k < 200; k++) {
                tn_world_step(world);
                widest = fmax(widest, 2.0 * acos(fmin(1.0, fabs(part_q(world, 0)))));
            }
            /* turning about one axis the angle is the limit's coordinate, up to the Cayley map:
             * (tω)³/12 per step */
            CHECK_NEAR(widest, 0.7, pow(0.01 * 2.0, 3) / 12.0 + 1e-9);
            for (int k = 0; k < 3; k++) CHECK_NEAR(part_v(world, k), 0.0, 1e-9); /* no bounce */
            for (int k = 0; k < 3; k++) v[k] = -v[k];
            tn_world_set_state(world, NULL, v, &err);
            tn_world_step(world);
            CHECK_NEAR(hypot(part_v(world, 0), part_v(world, 1)), 2.0, 1e-9); /* and no sticking */
            discard(world, model);
        }
}

/* A rod that leans outwards on its limit and circles on it at angle a without spin: the rotation
 * vector r = a (cos φ, sin φ, 0) turns, and ω = φ' a (sin a / a, -(1 - cos a) / a) in body axes. */
TEST(a_rod_circling_on_its_ball_limit_stays_on_it)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId rod = part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0,
                                 (double[3]){0, 0, 0.4}, 0.02);
        TnJointDef joint = part_joint(rod, TN_JOINT_BALL, 0, 0, 1);
        joint.limited = true;
        joint.range[1] = 0.5;
        tn_builder_add_joint(scene.builder, &joint);
        TnModel *model;
        TnWorld *world = finish(&scene, 200, &model);
        REQUIRE(world);
        TnError err = {0};
        double rate = 4.0, q[4] = {cos(0.25), sin(0.25), 0, 0};
        double v[3] = {0, rate * sin(0.5), -rate * (1.0 - cos(0.5))}, widest = 0.0, narrowest = 1.0;
        tn_world_set_state(world, q, v, &err);
        TnEnergy e = tn_world_energy(world);
        double start = e.kinetic;
        for (int k = 0; k < 200; k++) {
            tn_world_step(world);
            double angle = 2.0 * acos(fmin(1.0, fabs(part_q(world, 0))));
            widest = fmax(widest, angle);
            narrowest = fmin(narrowest, angle);
        }
        /* a step along the tangent of the cone leads ½(tω)² off it, and no more than one such step
         * remains */
        double off = 0.5 * pow(0.01 * rate, 2);
        CHECK(widest < 0.5 + off && narrowest > 0.5 - off);
        /* the height hardly changes, so the speed must not either. The error is of first order in t
         * (hits that end a step early, and θ = 1): a quarter at 10 ms after 8 rad of the way */
        e = tn_world_energy(world);
        CHECK_NEAR(e.kinetic, start, 0.4 * start);
        discard(world, model);
    }
}

/* ---- dry friction ---- */

TEST(a_slide_with_friction_loss_rests_or_accelerates_with_the_rest_of_the_force)
{
    const double forces[] = {0.0, 1.0, 2.99, 3.01, 4.5, 30.0};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 6; f++)
            for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
                Scene scene = scene_begin();
                scene.option.theta = TWO_THETAS[i];
                TnJointDef friction = tn_joint_def();
                friction.friction_loss = 3.0;
                TnBodyId body = part_slider(&scene, 1.5, 0, &friction, NULL);
                TnModel *model;
                TnWorld *world = finish(&scene, 200, &model);
                REQUIRE(world);
                for (int k = 0; k < 100; k++) {
                    part_push(world, body, sign * forces[f], 0, 0);
                    tn_world_step(world);
                }
                double a = sign * fmax(0.0, forces[f] - 3.0) / 1.5;
                /* a constant force is integrated exactly; one row converges to rounding */
                CHECK_NEAR(part_v(world, 0), a, 1e-9);
                CHECK_NEAR(joint_lambda(world, 0, 2), -sign * fmin(forces[f], 3.0), 1e-8);
                discard(world, model);
            }
}

TEST(dry_friction_stops_a_slide_and_does_not_drive_it_back)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnJointDef friction = tn_joint_def();
        friction.friction_loss = 3.0;
        part_slider(&scene, 1.5, 0, &friction, NULL);
        TnModel *model;
        TnWorld *world = finish(&scene, 200, &model);
        REQUIRE(world);
        TnError err = {0};
        double v = 1.0, last = v;
        tn_world_set_state(world, NULL, &v, &err);
        for (int k = 1; k <= 100; k++) {
            tn_world_step(world);
            CHECK_NEAR(part_v(world, 0), fmax(0.0, 1.0 - 2.0 * 0.01 * k), 1e-9); /* a = f/m = 2 */
            last = part_v(world, 0);
        }
        CHECK_NEAR(last, 0.0, 1e-9);
        /* v²/2a = 0.25 m; the θ rule is exact at ½ and t v/2 short at 1 */
        CHECK_NEAR(part_q(world, 0), i == 0 ? 0.25 : 0.245, 1e-9);
        discard(world, model);
    }
}

TEST(a_hinge_with_friction_loss_does_the_same)
{
    const double torques[] = {0.5, 0.79, 0.81, 2.0};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 4; f++) {
            Scene scene = scene_begin();
            scene.option.theta = TWO_THETAS[i];
            TnBodyId wheel = part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, 1.0,
                                       (double[3]){0, 0, 0}, 0.2);
            TnJointDef joint = part_joint(wheel, TN_JOINT_HINGE, 0, 0, 1);
            joint.friction_loss = 0.8;
            joint.armature = 0.05;
            tn_builder_add_joint(scene.builder, &joint);
            TnModel *model;
            TnWorld *world = finish(&scene, 200, &model);
            REQUIRE(world);
            for (int k = 0; k < 100; k++) {
                tn_world_apply_wrench(world, wheel, (double[3]){0, 0, 0},
                                      (double[3]){0, 0, torques[f]});
                tn_world_step(world);
            }
            CHECK_NEAR(part_v(world, 0), fmax(0.0, torques[f] - 0.8) / 0.25, 1e-9);
            discard(world, model);
        }
}

/* Two hinges in a chain, friction in both: rests as long as gravity's torque stays below. */
TEST(dry_friction_in_a_chain_holds_an_arm_up)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId parent = TN_BODY_WORLD;
        for (int k = 0; k < 2; k++) { /* stretched out horizontally along x */
            parent = part_body(&scene, parent, (double[3]){k ? 0.5 : 0.0, 0, 0}, 1.0,
                               (double[3]){0.25, 0, 0}, 0.01);
            TnJointDef joint = part_joint(parent, TN_JOINT_HINGE, 0, 1, 0);
            joint.friction_loss = k ? 0.25 * G + 0.01 : 1.0 * G + 0.01;
            tn_builder_add_joint(scene.builder, &joint);
        }
        TnModel *model;
        TnWorld *world = finish(&scene, 2000, &model);
        REQUIRE(world);
        for (int k = 0; k < 100; k++) tn_world_step(world);
        for (int k = 0; k < 2; k++) CHECK_NEAR(part_q(world, k), 0.0, 1e-8);
        /* 0.25 + 0.75 kg·m; the torques are those after the free fall of a step, which lowers the
         * arm by some (θt)² g / 0.5 m = 1e-3 rad: 5e-7 of the cosine, 1e-4 by the turning axes */
        CHECK_NEAR(fabs(joint_lambda(world, 0, 2)), 1.0 * G, 1e-4);
        CHECK_NEAR(fabs(joint_lambda(world, 1, 2)), 0.25 * G, 1e-4);
        discard(world, model);
    }
}

/* ---- servos ---- */

TEST(a_saturated_servo_pushes_a_box_against_a_wall_with_its_largest_force)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene.option.gravity[2] = 0.0;
        TnJointId slide;
        TnBodyId pusher = part_slider(&scene, 1.0, 0, NULL, &slide);
        TnGeomDef head = tn_geom_def();
        head.body = pusher;
        head.type = TN_GEOM_BOX;
        for (int k = 0; k < 3; k++) head.size[k] = 0.05;
        tn_builder_add_geom(scene.builder, &head);
        TnGeomDef wall = tn_geom_def();
        wall.body = TN_BODY_WORLD;
        wall.type = TN_GEOM_BOX;
        wall.pos[0] = 0.5;
        for (int k = 0; k < 3; k++) wall.size[k] = 0.1;
        TnGeomId wall_geom = tn_builder_add_geom(scene.builder, &wall);
        TnBodyId box = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 0.7,
                                  (double[3]){0.2, 0, 0}, 0.5, 0.0);
        TnActuatorDef servo = tn_actuator_def();
        servo.joint = slide;
        servo.gain = 1e4;
        servo.bias[1] = -1e4;
        servo.bias[2] = -100.0;
        servo.force_limited = true;
        servo.force_range[0] = -12.0;
        servo.force_range[1] = 12.0;
        tn_builder_add_actuator(scene.builder, &servo);
        TnModel *model;
        TnWorld *world = finish(&scene, 400, &model);
        REQUIRE(world);
        TnError err = {0};
        double ctrl = 1.0; /* far inside the wall */
        tn_world_set_ctrl(world, &ctrl, &err);
        for (int k = 0; k < 300; k++) tn_world_step(world);
        double on_wall = 0.0;
        for (int c = 0; c < tn_world_contact_count(world); c++) {
            TnContact contact = tn_world_contact(world, c);
            if (contact.geom2 == wall_geom) on_wall += contact.force[0];
            if (contact.geom1 == wall_geom) on_wall -= contact.force[0];
        }
        /* pusher at 0.25 - … : box 0.1 long between pusher's head and the wall's face at 0.4 */
        double p[3], q[4];
        tn_world_body_pose(world, box, p, q);
        CHECK_NEAR(on_wall, 12.0, 1e-5); /* 400 warm-started iterations on eight contacts */
        CHECK_NEAR(p[0], 0.35, 1e-6);
        CHECK_NEAR(part_q(world, 0), 0.25, 1e-6);
        CHECK_NEAR(part_v(world, 0), 0.0, 1e-7);
        discard(world, model);
    }
}
