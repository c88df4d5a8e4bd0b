/* Wheels that do not slip: closed forms, order of convergence, slip, energy. Slip is measured in
 * two places: at the state after a step, and in the middle of what the step travelled, where the
 * law is imposed (src/constraint/wheel_rows.c). */
#include "../check.h"
#include "wheels.h"

#define PI 3.14159265358979323846
#define G 9.81

typedef struct Outcome {
    double error;             /* m, largest distance from the closed form */
    double middle_slip, slip; /* m/s, largest: in the middle of a step, at its end */
    double energy;            /* J, largest change */
    double height;            /* m, largest distance of the lowest point from the ground */
} Outcome;

/* Steps until `duration`; `expected` says where the body's origin is at a time. Slip counts from
 * the fifth step on: before, nothing tells the motion's curvature. */
static Outcome follow(Run *run, TnWheelId wheel, double duration,
                      void (*expected)(double time, double pos[3]))
{
    Outcome out = {0};
    double t = tn_model_info(run->model).option.timestep, start = total_energy(run->world);
    TnBodyId body = tn_model_wheel_info(run->model, wheel).body;
    int steps = (int)lround(duration / t);
    for (int i = 1; i <= steps; i++) {
        BodyPose before = body_pose(run->world, body);
        TnStepReport report = tn_world_step(run->world);
        CHECK(!report.diverged);
        if (i > 2) CHECK(report.heap_fallbacks == 0); /* warm */
        BodyPose after = body_pose(run->world, body);
        double pos[3], slip[3];
        expected(i * t, pos);
        out.error = fmax(out.error, distance(after.pos, pos));
        out.energy = fmax(out.energy, fabs(total_energy(run->world) - start));
        out.height = fmax(out.height, fabs(slip_now(run->world, wheel, slip)));
        if (i <= 5) continue;
        out.slip = fmax(out.slip, slip_size(run->model, wheel, slip));
        slip_between(run->model, wheel, &before, &after, t, slip);
        out.middle_slip = fmax(out.middle_slip, slip_size(run->model, wheel, slip));
    }
    return out;
}

/* ---- the knife edge ---- */

#define INCLINE 0.3
#define SPIN 2.0

/* v = s (cos φ, sin φ), φ = ωt; s' = g sin α cos φ, so s = (g sin α / ω) sin ωt; its integral. */
static void knife_path(double time, double pos[3])
{
    double a = G * sin(INCLINE) / (2.0 * SPIN * SPIN), phi = SPIN * time;
    pos[0] = a * sin(phi) * sin(phi);
    pos[1] = a * (phi - 0.5 * sin(2.0 * phi));
    pos[2] = 0.0;
}

/* On a plane that falls along x, spinning, released at rest. */
static Outcome knife(double timestep, double duration)
{
    Scene scene = scene_begin();
    scene.option.timestep = timestep;
    v3_set(scene.option.gravity, G * sin(INCLINE), 0.0, -G * cos(INCLINE));
    TnBodyId body = part_body(&scene, TN_BODY_WORLD, (double[3]){0}, 2.0, (double[3]){0}, 0.1);
    TnJointDef joint = part_joint(body, TN_JOINT_FREE, 0, 0, 1);
    tn_builder_add_joint(scene.builder, &joint);
    TnWheelId wheel = wheel_on(&scene, body, TN_WHEEL_SKATE, 0.0, true);
    Run run = run_start(&scene, CONVERGED);
    Outcome out = {.error = INFINITY};
    if (run.world) {
        const double qvel[6] = {0, 0, 0, 0, 0, SPIN};
        tn_world_set_state(run.world, NULL, qvel, NULL);
        out = follow(&run, wheel, duration, knife_path);
    }
    run_end(&run);
    return out;
}

TEST(knife_edge_on_an_incline_follows_its_closed_form_with_second_order)
{
    Outcome coarse = knife(0.01, 3.0), fine = knife(0.005, 3.0);
    /* measured 2.5e-4 m at 10 ms, of a path that goes 0.36 m down and 2.2 m sideways */
    CHECK(coarse.error < 4e-4);
    /* a second order rule: 4; the first three steps from rest predict nothing and add t³ */
    CHECK_NEAR(coarse.error / fine.error, 4.0, 0.3);
    /* sideways it slips within a step by the error of the prediction, third order: 8;
     * measured 3.6e-7 of 1.4 m/s. At the end of each step nothing is left but rounding. */
    CHECK(coarse.middle_slip < 6e-7);
    CHECK(coarse.slip < 1e-12);
    CHECK(coarse.middle_slip / fine.middle_slip > 6.0);
    /* and the law does next to no work: 8e-5 J of 4 J that come and go */
    CHECK(coarse.energy < 1e-4);
    CHECK(coarse.height < 1e-12);
}

TEST(knife_edge_drifts_sideways_and_not_downhill)
{
    Outcome out = knife(0.01, 20.0); /* six loops; x(t) stays in [0, g sin α / 2ω²] */
    CHECK(out.error < 2e-3);         /* grows with the path: 7 times that of 3 s */
}

TEST(sideways_velocity_of_a_skate_is_gone_after_one_step)
{
    static const double thetas[] = {0.5, 0.75, 1.0};
    for (int k = 0; k < 3; k++) {
        Scene scene = scene_begin();
        scene.option.theta = thetas[k];
        TnBodyId body = part_body(&scene, TN_BODY_WORLD, (double[3]){0}, 2.0, (double[3]){0}, 0.1);
        TnJointDef joint = part_joint(body, TN_JOINT_FREE, 0, 0, 1);
        tn_builder_add_joint(scene.builder, &joint);
        wheel_on(&scene, body, TN_WHEEL_SKATE, 0.0, true);
        Run run = run_start(&scene, CONVERGED);
        REQUIRE(run.world);
        const double qvel[6] = {1, 1, 0, 0, 0, 0};
        tn_world_set_state(run.world, NULL, qvel, NULL);
        tn_world_step(run.world);
        /* it does not turn, so J is constant and the rule is exact */
        CHECK_NEAR(part_v(run.world, 1), 0.0, 1e-12);
        CHECK_NEAR(part_v(run.world, 0), 1.0, 1e-12);
        run_end(&run);
    }
}

/* ---- a disc ---- */

#define RADIUS 0.3
#define PLANE (70.0 * PI / 180.0) /* between disc and ground */
#define PRECESSION 2.0

/* Steady rolling of a thin uniform disc on a circle. e3 the axle, e2 from the contact to the
 * centre, e1 horizontal; α between disc and ground, Ω precession: ω = Ω sin α e2 + ω3 e3, the
 * centre moves with -ω3 R e1. Moments about the centre with the contact force m(a + g z): (I3 + m
 * R²) ω3 Ω sin α - I1 Ω² sin α cos α + m R g cos α = 0,  I3 = m R²/2, I1 = m R²/4, so ω3 = Ω cos α
 * / 6 - 2 g cos α / (3 R Ω sin α). */
static double disc_spin(void)
{
    return PRECESSION * cos(PLANE) / 6.0 -
           2.0 * G * cos(PLANE) / (3.0 * RADIUS * PRECESSION * sin(PLANE));
}

static void disc_path(double time, double pos[3])
{
    double r = -disc_spin() * RADIUS / PRECESSION; /* of the centre's circle */
    pos[0] = r * sin(PRECESSION * time);
    pos[1] = r * (1.0 - cos(PRECESSION * time));
    pos[2] = RADIUS * sin(PLANE);
}

/* As a lone body, or as the root of a tree that carries next to nothing. */
static Outcome circling_disc(double timestep, bool tree)
{
    Scene scene = scene_begin();
    scene.option.timestep = timestep;
    TnBodyId body = disc_body(&scene, RADIUS, PLANE + 0.5 * PI);
    TnWheelId wheel = wheel_on(&scene, body, TN_WHEEL_ROLLING, RADIUS, true);
    if (tree) {
        TnBodyId child = part_body(&scene, body, (double[3]){0}, 1e-9, (double[3]){0}, 1e-9);
        TnJointDef hinge = part_joint(child, TN_JOINT_HINGE, 0, 1, 0);
        tn_builder_add_joint(scene.builder, &hinge);
    }
    Run run = run_start(&scene, CONVERGED);
    Outcome out = {.error = INFINITY};
    if (run.world) {
        double spin = disc_spin();
        /* body axes: x is e1, y is e3, z is -e2 */
        const double qvel[7] = {-spin * RADIUS, 0, 0, 0, spin, -PRECESSION * sin(PLANE), 0};
        tn_world_set_state(run.world, NULL, qvel, NULL);
        out = follow(&run, wheel, 3.0, disc_path);
    }
    run_end(&run);
    return out;
}

TEST(leaning_disc_rolls_on_its_circle_with_second_order)
{
    Outcome coarse = circling_disc(0.01, false), fine = circling_disc(0.005, false);
    /* measured 5.1e-3 m at 10 ms on a circle of 0.58 m, nearly once around, and 4.2 for the ratio
     */
    CHECK(coarse.error < 8e-3);
    CHECK_NEAR(coarse.error / fine.error, 4.0, 0.4);
    /* slip of 1.2 m/s: 5.4e-7 in the middle of steps, third order; rounding at their ends */
    CHECK(coarse.middle_slip < 1e-6 && coarse.slip < 1e-12);
    CHECK(coarse.middle_slip / fine.middle_slip > 7.0);
    /* energy: 1.6e-4 of 3.8 J, third order */
    CHECK(coarse.energy < 3e-4);
    CHECK(coarse.energy / fine.energy > 7.0);
    CHECK(coarse.height < 1e-6); /* 4.8e-7 */
}

TEST(leaning_disc_in_a_tree_rolls_with_second_order_too)
{
    Outcome coarse = circling_disc(0.005, true), fine = circling_disc(0.0025, true);
    /* measured 1.7e-3 m at 5 ms; where the tree's Coriolis forces are those of the free motion, the
     * error is 0.46 m and falls by 2 only */
    CHECK(coarse.error < 3e-3);
    CHECK_NEAR(coarse.error / fine.error, 4.1, 0.3);
    CHECK(coarse.middle_slip / fine.middle_slip > 7.0); /* third order */
    CHECK(coarse.energy < 5e-5);                        /* 2.4e-5 of 3.8 J */
}

static void straight_path(double time, double pos[3]) { v3_set(pos, 1.5 * time, 0.0, RADIUS); }

TEST(upright_disc_keeps_its_speed_and_does_not_slip)
{
    Scene scene = scene_begin();
    TnBodyId body = disc_body(&scene, RADIUS, 0.0);
    TnWheelId wheel = wheel_on(&scene, body, TN_WHEEL_ROLLING, RADIUS, true);
    Run run = run_start(&scene, CONVERGED);
    REQUIRE(run.world);
    const double qvel[6] = {1.5, 0, 0, 0, 1.5 / RADIUS, 0};
    tn_world_set_state(run.world, NULL, qvel, NULL);
    Outcome out = follow(&run, wheel, 5.0, straight_path);
    /* nothing acts along the path; what is left is rounding times 500 steps */
    CHECK(out.error < 1e-9);
    CHECK(out.slip < 1e-9 && out.middle_slip < 1e-9);
    CHECK(out.energy < 1e-9);
    run_end(&run);
}

TEST(disc_set_to_slide_ends_up_rolling_with_the_momentum_that_is_left)
{
    /* 1.5 m/s and no spin: the ground's impulse p gives v = 1.5 - p/m, ω = p R / I, so v = ω R at
     * v = 1.5 m / (m + I/R²) = 1 m/s */
    Scene scene = scene_begin();
    TnBodyId body = disc_body(&scene, RADIUS, 0.0);
    wheel_on(&scene, body, TN_WHEEL_ROLLING, RADIUS, true);
    Run run = run_start(&scene, CONVERGED);
    REQUIRE(run.world);
    const double qvel[6] = {1.5, 0, 0, 0, 0, 0};
    tn_world_set_state(run.world, NULL, qvel, NULL);
    for (int i = 0; i < 3; i++) tn_world_step(run.world);
    CHECK_NEAR(part_v(run.world, 0), 1.0, 1e-9);
    CHECK_NEAR(part_v(run.world, 4), 1.0 / RADIUS, 1e-9);
    run_end(&run);
}

TEST(disc_that_falls_on_its_side_stays_finite)
{
    Scene scene = scene_begin();
    scene.option.timestep = 0.002;
    TnBodyId body = disc_body(&scene, RADIUS, 0.05);
    wheel_on(&scene, body, TN_WHEEL_ROLLING, RADIUS, true);
    Run run = run_start(&scene, CONVERGED);
    REQUIRE(run.world);
    for (int i = 0; i < 1500; i++) { /* through the ground plane and up again: no contact here */
        TnStepReport report = tn_world_step(run.world);
        if (report.diverged) {
            CHECK(!report.diverged);
            break;
        }
    }
    run_end(&run);
}

/* ---- on hinges ---- */

static TnBodyId hinged_wheel(Scene *scene, TnBodyId base, double y, double R, TnJointId *hinge)
{
    TnBodyDef body = tn_body_def();
    body.parent = base;
    body.pos[1] = y;
    body.has_inertia = true;
    body.mass = 0.5;
    body.inertia[0] = body.inertia[2] = 0.25 * 0.5 * R * R;
    body.inertia[1] = 0.5 * 0.5 * R * R;
    TnBodyId id = tn_builder_add_body(scene->builder, &body);
    TnJointDef joint = part_joint(id, TN_JOINT_HINGE, 0, 1, 0);
    *hinge = tn_builder_add_joint(scene->builder, &joint);
    return id;
}

TEST(torque_on_a_wheel_accelerates_the_cart_by_the_analytic_rate)
{
    const double R = 0.1, torque = 0.7;
    Scene scene = scene_begin();
    TnBodyId cart = part_slider(&scene, 4.0, 0, NULL, NULL);
    TnJointId hinge;
    TnBodyId body = hinged_wheel(&scene, cart, 0.0, R, &hinge);
    wheel_on(&scene, body, TN_WHEEL_ROLLING, R, false);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = hinge;
    tn_builder_add_actuator(scene.builder, &motor);
    Run run = run_start(&scene, CONVERGED);
    REQUIRE(run.world);
    tn_world_set_ctrl(run.world, &torque, NULL);
    for (int i = 0; i < 200; i++) tn_world_step(run.world);
    /* 4 kg cart, 0.5 kg wheel with I = m R²/2; a constant force, which the midpoint rule integrates
     * exactly: only rounding and the solver's last digits */
    double a = torque / R / (4.0 + 0.5 + 0.25), t = 2.0;
    CHECK_NEAR(part_v(run.world, 0), a * t, 1e-8);
    CHECK_NEAR(part_q(run.world, 0), 0.5 * a * t * t, 1e-8);
    CHECK_NEAR(part_v(run.world, 1), a * t / R, 1e-7);
    run_end(&run);
}

/* Base on slides and a hinge, its centre of mass between the wheels: left and right speeds stay. */
TEST(differential_drive_follows_its_circle_without_slip)
{
    const double R = 0.1, half = 0.2, left = 8.0, right = 12.0, t = 0.001;
    Scene scene = scene_begin();
    scene.option.timestep = t;
    TnBodyId base =
        part_body(&scene, TN_BODY_WORLD, (double[3]){0, 0, R}, 5.0, (double[3]){0}, 0.1);
    TnJointDef joints[3] = {part_joint(base, TN_JOINT_SLIDE, 1, 0, 0),
                            part_joint(base, TN_JOINT_SLIDE, 0, 1, 0),
                            part_joint(base, TN_JOINT_HINGE, 0, 0, 1)};
    for (int k = 0; k < 3; k++) tn_builder_add_joint(scene.builder, &joints[k]);
    TnJointId hinge;
    TnBodyId bodies[2] = {hinged_wheel(&scene, base, half, R, &hinge),
                          hinged_wheel(&scene, base, -half, R, &hinge)};
    for (int k = 0; k < 2; k++) wheel_on(&scene, bodies[k], TN_WHEEL_ROLLING, R, false);
    Run run = run_start(&scene, CONVERGED);
    REQUIRE(run.world);
    double v = 0.5 * R * (left + right), yaw = R * (right - left) / (2.0 * half);
    const double qvel[5] = {v, 0, yaw, left, right};
    tn_world_set_state(run.world, NULL, qvel, NULL);
    TnWorld *probe = scene_world(run.model, 1);
    REQUIRE(probe);
    double middle = 0.0, end = 0.0, slip[3];
    for (int i = 0; i < 3000; i++) {
        double before[5], midway[5], rate[5];
        memcpy(before, tn_world_state(run.world).qpos, sizeof before);
        tn_world_step(run.world);
        for (int d = 0; d < 5; d++) { /* what the step moved with, where it was half done */
            midway[d] = 0.5 * (before[d] + part_q(run.world, d));
            rate[d] = (part_q(run.world, d) - before[d]) / t;
        }
        tn_world_set_state(probe, midway, rate, NULL);
        for (TnWheelId id = 1; id <= 2 && i >= 5; id++) {
            slip_now(run.world, id, slip);
            end = fmax(end, slip_size(run.model, id, slip));
            slip_now(probe, id, slip);
            middle = fmax(middle, slip_size(run.model, id, slip));
        }
    }
    /* in the middle, where the law is imposed, t³ Ω² v / 4; at the ends of steps what is left is
     * taken out */
    CHECK(middle < 1e-9);
    CHECK(end < 1e-12);
    /* chords in place of the circle: (Ω t)²/24 of the path, and the first step */
    double T = 3.0, r = v / yaw;
    CHECK_NEAR(part_q(run.world, 0), r * sin(yaw * T), 1e-6);
    CHECK_NEAR(part_q(run.world, 1), r * (1.0 - cos(yaw * T)), 1e-6);
    CHECK_NEAR(part_q(run.world, 2), yaw * T, 1e-9);
    CHECK_NEAR(part_v(run.world, 3), left, 1e-5);
    CHECK_NEAR(part_v(run.world, 4), right, 1e-5);
    tn_world_destroy(probe);
    run_end(&run);
}
