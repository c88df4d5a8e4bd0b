/* Contact physics of whole steps against closed forms. Gravity is tilted instead of the ground,
 * which is the same. */
#include "../check.h"

#include "scene.h"

static const double G = 9.81;

static void tilt(Scene *scene, double angle)
{
    scene->option.gravity[0] = G * sin(angle);
    scene->option.gravity[1] = 0.0;
    scene->option.gravity[2] = -G * cos(angle);
}

static const double half_box[3] = {0.1, 0.1, 0.05};

/* Velocity down the slope after one second for a box that starts at rest. */
static double slide(double mu, double angle, double theta)
{
    Scene scene = scene_begin();
    tilt(&scene, angle);
    scene.option.theta = theta;
    scene_plane(&scene, mu);
    TnBodyId box = scene_free(&scene, TN_GEOM_BOX, half_box, 1.3, (double[3]){0, 0, 0.05}, mu, 0.0);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = scene_world(model, 2000);
    for (int k = 0; k < 100; k++) tn_world_step(world);
    double v[3], w[3];
    tn_world_body_velocity(world, box, v, w);
    tn_world_destroy(world);
    tn_model_destroy(model);
    return v[0];
}

TEST(box_on_an_incline_sticks_just_below_the_friction_angle)
{
    for (double mu = 0.2; mu < 1.0; mu += 0.3) {
        CHECK_NEAR(slide(mu, atan(mu - 1e-4), 0.5), 0.0,
                   1e-9); /* 2000 iterations converge to rounding of the warm start */
        CHECK_NEAR(slide(mu, atan(mu - 1e-4), 1.0), 0.0, 1e-9);
    }
}

TEST(box_on_an_incline_slides_just_above_the_friction_angle)
{
    for (double mu = 0.2; mu < 1.0; mu += 0.3) {
        double angle = atan(mu + 1e-4), a = G * (sin(angle) - mu * cos(angle));
        CHECK(a > 0.0);
        CHECK_NEAR(slide(mu, angle, 0.5), a, 1e-6);
        CHECK_NEAR(slide(mu, angle, 1.0), a, 1e-6);
    }
}

TEST(box_on_an_incline_slides_with_g_sin_minus_mu_cos)
{
    const double mus[] = {0.0, 0.1, 0.3, 0.5}, angles[] = {0.55, 0.7};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            double a = G * (sin(angles[j]) - mus[i] * cos(angles[j]));
            /* 1e-6 of the acceleration over 100 steps of a constant force: the law itself is exact,
             * the solver converges */
            CHECK_NEAR(slide(mus[i], angles[j], 0.5), a, 1e-6);
        }
}

/* The largest deviation of the ground's force from the weight after the first `skip` steps. */
static double force_error(TnGeomType type, const double size[3], double height, double drop,
                          double theta, int skip)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene_plane(&scene, 0.5);
    scene_free(&scene, type, size, 2.0, (double[3]){0, 0, height + drop}, 0.5, 0.0);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = scene_world(model, 1000);
    double worst = 0.0;
    for (int k = 0; k < 200; k++) {
        tn_world_step(world);
        double f[3];
        scene_contact_force(world, f);
        /* geom1 is the body, geom2 the ground: the ground feels the weight downwards */
        if (k >= skip) worst = fmax(worst, fabs(-f[2] - 2.0 * G));
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
    return worst;
}

TEST(resting_force_is_the_weight_in_every_step)
{
    const double sphere[3] = {0.1, 0, 0}, capsule[3] = {0.05, 0.1, 0}, cylinder[3] = {0.1, 0.05, 0};
    for (double theta = 0.5; theta <= 1.0; theta += 0.5) {
        CHECK_NEAR(force_error(TN_GEOM_SPHERE, sphere, 0.1, 0.0, theta, 0), 0.0, 1e-8);
        CHECK_NEAR(force_error(TN_GEOM_BOX, half_box, 0.05, 0.0, theta, 0), 0.0, 1e-8);
        CHECK_NEAR(force_error(TN_GEOM_CYLINDER, cylinder, 0.05, 0.0, theta, 0), 0.0, 1e-8);
        /* dropped from 5 cm it falls for 0.1 s and rests from then on: no alternation, no bounce */
        CHECK_NEAR(force_error(TN_GEOM_SPHERE, sphere, 0.1, 0.05, theta, 15), 0.0, 1e-6);
        CHECK_NEAR(force_error(TN_GEOM_BOX, half_box, 0.05, 0.05, theta, 15), 0.0, 1e-6);
        CHECK_NEAR(force_error(TN_GEOM_CAPSULE, capsule, 0.15, 0.0, theta, 0), 0.0,
                   1e-8); /* upright, on its tip */
    }
}

static TnModel *ball_above_ground(double height, double restitution, double theta, TnBodyId *ball)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene_plane(&scene, 0.5);
    *ball = scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 1.0,
                       (double[3]){0, 0, 0.1 + height}, 0.5, restitution);
    return scene_compile(&scene);
}

TEST(ball_with_restitution_zero_does_not_bounce_and_hardly_penetrates)
{
    for (double height = 0.01; height < 3.0; height *= 1.7)
        for (double theta = 0.5; theta <= 1.0; theta += 0.5) {
            TnBodyId ball;
            TnModel *model = ball_above_ground(height, 0.0, theta, &ball);
            TnWorld *world = scene_world(model, 100);
            bool touched = false;
            double lowest = 1.0, fastest = 0.0;
            for (int k = 0; k < 200; k++) {
                tn_world_step(world);
                double p[3], q[4], v[3], w[3];
                tn_world_body_pose(world, ball, p, q);
                tn_world_body_velocity(world, ball, v, w);
                lowest = fmin(lowest, p[2] - 0.1);
                double f[3];
                scene_contact_force(world, f);
                if (f[2] != 0.0) touched = true;
                if (touched) fastest = fmax(fastest, v[2]);
            }
            CHECK(touched);
            CHECK_NEAR(fastest, 0.0, 1e-9); /* never upwards */
            CHECK(lowest > -1e-9);          /* the gap is closed exactly, by the positional law */
            tn_world_destroy(world);
            tn_model_destroy(model);
        }
}

TEST(ball_with_restitution_one_keeps_its_energy)
{
    for (double height = 0.3; height < 4.0; height *= 1.9) {
        TnBodyId ball;
        TnModel *model = ball_above_ground(height, 1.0, 0.5, &ball);
        TnWorld *world = scene_world(model, 100);
        TnEnergy e0 = tn_world_energy(world);
        int bounces = 0;
        double before = 0.0;
        for (int k = 0; k < 1000; k++) {
            tn_world_step(world);
            TnEnergy e = tn_world_energy(world);
            /* exact at every step but for rounding: free flight by the midpoint rule, reflection of
             * the velocity in place */
            CHECK_NEAR(e.kinetic + e.potential, e0.kinetic + e0.potential, 1e-9);
            double v[3], w[3];
            tn_world_body_velocity(world, ball, v, w);
            if (before < 0.0 && v[2] > 0.0) bounces++;
            before = v[2];
        }
        CHECK(bounces >= 5);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(ball_with_restitution_half_rebounds_with_half_its_speed)
{
    TnBodyId ball;
    TnModel *model = ball_above_ground(1.0, 0.5, 0.5, &ball);
    TnWorld *world = scene_world(model, 100);
    double v[3] = {0}, w[3], hit = sqrt(2.0 / G);
    do {
        tn_world_step(world);
        tn_world_body_velocity(world, ball, v, w);
    } while (v[2] <= 0.0);
    /* at the time of the hit, within the step, and falling on from there */
    CHECK_NEAR(v[2], 0.5 * G * hit - G * (tn_world_state(world).time - hit), 1e-9);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(free_fall_is_exact)
{
    TnBodyId ball;
    TnModel *model = ball_above_ground(1000.0, 0.0, 0.5, &ball);
    TnWorld *world = scene_world(model, 30);
    for (int k = 1; k <= 200; k++) {
        tn_world_step(world);
        double t = 0.01 * k, p[3], q[4], v[3], w[3];
        tn_world_body_pose(world, ball, p, q);
        tn_world_body_velocity(world, ball, v, w);
        CHECK_NEAR(p[2], 1000.1 - 0.5 * G * t * t, 1e-12 * 1000.0); /* 1e-12 of the height */
        CHECK_NEAR(v[2], -G * t, 1e-12);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(rolling_sphere_reaches_five_sevenths_of_its_speed)
{
    /* A sliding ball loses 2/7 of its speed to friction, then rolls without slip: v = 5/7 v0, ω r =
     * v. */
    TnBodyId ball;
    TnModel *model = ball_above_ground(0.0, 0.0, 0.5, &ball);
    TnWorld *world = scene_world(model, 200);
    TnError err = {0};
    double qvel[6] = {3.0, 0, 0, 0, 0, 0}, v[3], w[3];
    tn_world_set_state(world, NULL, qvel, &err);
    for (int k = 0; k < 100; k++) tn_world_step(world);
    tn_world_body_velocity(world, ball, v, w);
    CHECK_NEAR(v[0], 3.0 * 5.0 / 7.0, 1e-9);
    CHECK_NEAR(w[1] * 0.1, v[0], 1e-9);
    CHECK_NEAR(v[2], 0.0, 1e-9); /* strict Coulomb: sliding does not lift */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A ball of 1 kg and 10 cm on ground with this friction (sliding, torsional, rolling), started with
 * qvel; its velocity one second and two seconds later. */
static void roll_on(int contact_dim, const double friction[3], const double qvel[6], double v[2][3],
                    double w[2][3])
{
    Scene scene = scene_begin();
    TnGeomDef ground = tn_geom_def();
    ground.body = TN_BODY_WORLD;
    ground.type = TN_GEOM_PLANE;
    ground.contact_dim = contact_dim;
    memcpy(ground.friction, friction, sizeof ground.friction);
    tn_builder_add_geom(scene.builder, &ground);
    TnBodyId ball = scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 1.0,
                               (double[3]){0, 0, 0.1}, friction[0], 0.0);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = scene_world(model, 500);
    TnError err = {0};
    tn_world_set_state(world, NULL, qvel, &err);
    for (int second = 0; second < 2; second++) {
        for (int k = 0; k < 100; k++) tn_world_step(world);
        tn_world_body_velocity(world, ball, v[second], w[second]);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Torsional friction μ_t λ_n stops a spin about the normal: α = μ_t m g / I. */
TEST(torsional_friction_stops_a_spin_at_the_right_rate)
{
    double v[2][3], w[2][3], I = 0.4 * 0.01;
    roll_on(4, (double[3]){0.0, 0.01, 0.0001}, (double[6]){0, 0, 0, 0, 0, 30.0}, v, w);
    CHECK_NEAR(w[0][2], 30.0 - 0.01 * G / I * 1.0, 1e-8); /* a constant torque, converged */
    CHECK_NEAR(w[1][2], 0.0, 1e-9); /* stopped after 1.22 s, and stays at rest */
}

/* Rolling friction decelerates a rolling ball: m a = F, I α = F r - μ_r m g  =>  a = 5/7 μ_r g / r.
 */
TEST(rolling_friction_slows_a_rolling_ball)
{
    double v[2][3], w[2][3], a = 5.0 / 7.0 * 0.002 * G / 0.1;
    roll_on(6, (double[3]){0.8, 0.005, 0.002}, (double[6]){2.0, 0, 0, 0, 20.0, 0}, v, w);
    CHECK_NEAR(v[0][0], 2.0 - a,
               1e-6); /* sliding and rolling rows converge to about 1e-8 per step */
    CHECK_NEAR(v[1][0], 2.0 - 2.0 * a, 2e-6);
}

/* A slider along x, sunk 1 cm into the floor: the floor cannot push it out, and must not end the
 * run. */
TEST(a_contact_across_a_joint_axis_is_harmless)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    TnBodyId slider = scene_body(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 4.0,
                                 (double[3]){0, 0, 0.09}, 0.5, 0.0);
    TnJointDef joint = tn_joint_def();
    joint.body = slider;
    joint.type = TN_JOINT_SLIDE;
    joint.axis[0] = 1.0;
    joint.axis[2] = 0.0;
    tn_builder_add_joint(scene.builder, &joint);
    TnModel *model = scene_compile(&scene);
    TnWorld *world = scene_world(model, 60);
    TnError err = {0};
    double qvel[1] = {0.5};
    tn_world_set_state(world, NULL, qvel, &err);
    for (int k = 0; k < 200; k++) CHECK(!tn_world_step(world).diverged);
    CHECK_NEAR(tn_world_state(world).qvel[0], 0.5, 1e-9); /* no normal force, no friction */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_body_that_starts_in_the_ground_comes_up_gently)
{
    for (double t = 0.002; t <= 0.01; t += 0.008) {
        Scene scene = scene_begin();
        scene.option.timestep = t;
        scene_plane(&scene, 0.5);
        TnBodyId box = scene_free(&scene, TN_GEOM_BOX, half_box, 1.0, (double[3]){0, 0, 0.0}, 0.5,
                                  0.0); /* 5 cm deep */
        TnModel *model = scene_compile(&scene);
        TnWorld *world = scene_world(model, 100);
        double highest = 0.0, p[3], q[4];
        for (int k = 0; k * t < 2.0; k++) {
            tn_world_step(world);
            tn_world_body_pose(world, box, p, q);
            highest = fmax(highest, p[2]);
        }
        CHECK(highest < 0.05 + 0.025); /* half its depth above the ground at most */
        CHECK_NEAR(p[2], 0.05, 1e-4);  /* and it ends on it, but for the slow end of the push-out */
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}
