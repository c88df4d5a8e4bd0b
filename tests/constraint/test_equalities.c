/* Connect and weld in whole steps: bodies hung on a point against the pendulum and the hinge, pairs
 * of free bodies, a welded pair against the same thing made as one body. */
#include "../check.h"

#include "parts.h"

#include "world/world.h"

static const double G = 9.81;
static const double PI = 3.14159265358979323846;

/* ---- a body hung on a point ---- */

enum { HUNG_ITERATIONS = 300 };
static const double ANCHOR[3] = {0, 0, 0.5};
static const double HUNG_MASS = 2.0, HUNG_INERTIA = 2.0 * (0.1 * 0.1 + 0.1 * 0.1) / 12.0;

/* A free cube that a connect hangs half a metre below the point (0, 0, 0.5) of the world, turned by
 * an angle about y. */
static Run hung_body(double theta, double t, double angle, TnBodyId *body)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.timestep = t;
    *body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, HUNG_MASS,
                       (double[3]){0, 0, 0}, 0.5, 0.0);
    TnEqualityDef connect = tn_equality_def();
    connect.body1 = *body;
    memcpy(connect.anchor, ANCHOR, sizeof connect.anchor);
    tn_builder_add_equality(scene.builder, &connect);
    Run run = run_start(&scene, HUNG_ITERATIONS);
    TnError err = {0};
    double q[7] = {-0.5 * sin(angle), 0, 0.5 - 0.5 * cos(angle), cos(0.5 * angle), 0,
                   sin(0.5 * angle),  0};
    if (run.world) tn_world_set_state(run.world, q, NULL, &err);
    return run;
}

static double anchor_drift(const TnWorld *world, TnBodyId body)
{
    double point[3];
    point_of(world, body, ANCHOR, point);
    return distance(point, ANCHOR);
}

/* Mean time between crossings of the vertical, times two. */
static double measured_period(Run *run, TnBodyId body, double t, int steps)
{
    double first = 0.0, last = 0.0, before = -1.0;
    int crossings = 0;
    for (int k = 0; k < steps; k++) {
        tn_world_step(run->world);
        double pos[3], quat[4];
        tn_world_body_pose(run->world, body, pos, quat);
        if (k > 0 && (before < 0.0) != (pos[0] < 0.0)) {
            last = t * (k + before / (before - pos[0]));
            if (crossings++ == 0) first = last;
        }
        before = pos[0];
    }
    return 2.0 * (last - first) / (crossings - 1);
}

TEST(a_body_hung_by_a_connect_swings_with_the_period_of_a_pendulum)
{
    double inertia = HUNG_INERTIA + HUNG_MASS * 0.25, omega = sqrt(HUNG_MASS * G * 0.5 / inertia);
    for (int i = 0; i < 2; i++) {
        TnBodyId body;
        Run run = hung_body(TWO_THETAS[i], 0.01, 0.1, &body);
        REQUIRE(run.world);
        double period = measured_period(&run, body, 0.01, 1500);
        /* 1 + a²/16 for the amplitude a. The midpoint rule turns ωt into 2 atan(ωt/2): (ωt)²/12
         * slower; implicit Euler into atan(ωt): (ωt)²/3, and its amplitude falls */
        double expected = 2.0 * PI / omega * (1.0 + 0.01 / 16.0), x = 0.01 * omega;
        CHECK_NEAR(period, expected, expected * (i == 0 ? x * x / 8.0 : x * x / 2.0 + 0.01 / 16.0));
        run_end(&run);
    }
}

TEST(the_anchor_of_a_wide_swing_drifts_little_and_does_not_go_on_drifting)
{
    for (int i = 0; i < 2; i++) {
        TnBodyId body;
        Run run = hung_body(TWO_THETAS[i], 0.01, 1.5, &body);
        REQUIRE(run.world);
        double start = total_energy(run.world), early = 0.0, late = 0.0;
        for (int k = 0; k < 2000; k++) {
            tn_world_step(run.world);
            double *worst = k < 500 ? &early : &late;
            *worst = fmax(*worst, anchor_drift(run.world, body));
        }
        /* each step errs by (tω)³ L or so, ω at most 6, and takes back a fifth of what is left:
         * 5 · 0.06³ · 0.5 m; measured 4.5e-5 at θ = ½ and 1.7e-4 at 1 */
        CHECK(early < 5e-4 && late < 5e-4);
        CHECK(late < 1.1 * early);
        /* at θ = 1, of third order as well: 2.4 % of 9 J in twenty seconds */
        CHECK_NEAR(total_energy(run.world), start, 0.03 * start);
        run_end(&run);
    }
}

TEST(drift_falls_with_the_third_power_of_the_step_and_energy_stays)
{
    double drift[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        TnBodyId body;
        double t = i == 0 ? 0.01 : 0.005;
        Run run = hung_body(0.5, t, 1.5, &body);
        REQUIRE(run.world);
        double start = total_energy(run.world);
        for (int k = 0; k < (int)(6.0 / t); k++) {
            tn_world_step(run.world);
            drift[i] = fmax(drift[i], anchor_drift(run.world, body));
        }
        /* less than what the solution may be wrong by is left: of a fixed count 0.01 g t */
        double near = getenv("TENON_TESTS_FIXED") ? 1e-2 : 1e-10;
        CHECK_NEAR(total_energy(run.world), start, near * start);
        run_end(&run);
    }
    CHECK(drift[0] / drift[1] > 6.0); /* 8 in the limit */
}

/* The oracle is the tree with a hinge, which has no constraint at all. */
TEST(a_connect_moves_a_body_as_a_hinge_does)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        double t = i == 0 ? 0.01 : 0.005;
        TnBodyId body;
        Run hung = hung_body(0.5, t, 1.5, &body);
        Scene scene = scene_begin();
        scene.option.timestep = t;
        TnBodyId rod = part_body(&scene, TN_BODY_WORLD, ANCHOR, HUNG_MASS, (double[3]){0, 0, -0.5},
                                 HUNG_INERTIA);
        TnJointDef hinge = part_joint(rod, TN_JOINT_HINGE, 0, 1, 0);
        tn_builder_add_joint(scene.builder, &hinge);
        Run hinged = run_start(&scene, 10);
        REQUIRE(hung.world && hinged.world);
        TnError err = {0};
        double angle = 1.5;
        tn_world_set_state(hinged.world, &angle, NULL, &err);
        for (int k = 0; k < (int)(2.0 / t); k++) {
            tn_world_step(hung.world);
            tn_world_step(hinged.world);
        }
        double at[3], expected[3];
        point_of(hung.world, body, (double[3]){0, 0, 0}, at);
        point_of(hinged.world, rod, (double[3]){0, 0, -0.5}, expected);
        error[i] = distance(at, expected);
        run_end(&hung);
        run_end(&hinged);
    }
    CHECK(error[0] < 0.02);           /* two different rules of second order after 1.2 swings */
    CHECK(error[0] / error[1] > 3.0); /* and they meet: 4 in the limit */
}

TEST(a_hit_against_a_connect_is_taken_up_in_one_step_and_does_not_ring)
{
    for (int i = 0; i < 2; i++) {
        TnBodyId body;
        Run run = hung_body(TWO_THETAS[i], 0.01, 0.0, &body);
        REQUIRE(run.world);
        TnError err = {0};
        double v[6] = {0, 0, -2.0, 0, 0, 0}; /* straight away from the anchor */
        tn_world_set_state(run.world, NULL, v, &err);
        double reach = 0.0;
        for (int k = 0; k < 100; k++) {
            tn_world_step(run.world);
            double linear[3], angular[3];
            tn_world_body_velocity(run.world, body, linear, angular);
            reach = fmax(reach, anchor_drift(run.world, body));
            /* v⁺ is right after the first step; then only the error's way back, 0.2 of it a step */
            if (k > 0) CHECK(linear[2] > -1e-6 && linear[2] <= 0.2 * reach / 0.01 + 1e-9);
        }
        CHECK(reach <= 0.01 * 2.0 * (1.0 - TWO_THETAS[i]) + 1e-6); /* t v̂ of the first step */
        CHECK(anchor_drift(run.world, body) < 1e-6);
        run_end(&run);
    }
}

/* ---- two free bodies ---- */

/* Two boxes in empty space, joined by an equality at a point between them. */
static Run pair_of_boxes(double theta, double t, TnEqualityType type, TnBodyId bodies[2])
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.timestep = t;
    scene.option.gravity[2] = 0.0;
    bodies[0] = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 1.0,
                           (double[3]){-0.3, 0, 0}, 0.5, 0.0);
    bodies[1] = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.15, 0.05}, 2.5,
                           (double[3]){0.3, 0.1, 0}, 0.5, 0.0);
    TnEqualityDef def = tn_equality_def();
    def.type = type;
    def.body1 = bodies[0];
    def.body2 = bodies[1];
    def.anchor[0] = type == TN_EQUALITY_CONNECT ? 0.3 : -0.3; /* of body1, or of body2 */
    tn_builder_add_equality(scene.builder, &def);
    return run_start(&scene, 2000);
}

static void check_momentum(double theta, const double v[12], double energy_share)
{
    TnBodyId bodies[2];
    Run run = pair_of_boxes(theta, 0.01, TN_EQUALITY_CONNECT, bodies);
    REQUIRE(run.world);
    TnError err = {0};
    tn_world_set_state(run.world, NULL, v, &err);
    double P0[3], L0[3], P[3], L[3], drift = 0.0, energy = total_energy(run.world);
    tn_world_momentum(run.world, P0, L0);
    for (int k = 0; k < 500; k++) {
        tn_world_step(run.world);
        double a[3], b[3];
        point_of(run.world, bodies[0], (double[3]){0.3, 0, 0}, a);
        point_of(run.world, bodies[1], (double[3]){-0.3, -0.1, 0}, b);
        if (k > 50) drift = fmax(drift, distance(a, b));
    }
    tn_world_momentum(run.world, P, L);
    /* both exactly, whatever the step: forces are equal and opposite and meet in one point */
    CHECK_NEAR(distance(P, P0), 0.0, 1e-9);
    CHECK_NEAR(distance(L, L0), 0.0, 1e-9);
    CHECK(drift < 2e-4); /* (tω)³ · 0.3 m / 0.2, ω about 4; measured 5e-5 */
    if (energy_share > 0.0) CHECK_NEAR(total_energy(run.world), energy, energy_share * energy);
    run_end(&run);
}

TEST(a_connect_between_free_bodies_keeps_linear_and_angular_momentum)
{
    double v[12] = {0.3, -0.2, 0.5, 2.0, 1.0, -3.0, 0, 0, 0, -1.0, 2.0, 1.5}, turn[3];
    v3_cross(turn, v + 3, (double[3]){0.3, 0, 0}); /* one velocity at the common point */
    v3_add(v + 6, v, turn);
    v3_cross(turn, v + 9, (double[3]){-0.3, -0.1, 0});
    v3_sub(v + 6, v + 6, turn);
    check_momentum(0.5, v, 0.01); /* third order: 0.3 % of 5 J in five seconds */
    check_momentum(1.0, v, 0.0);
    for (int k = 0; k < 12; k++) v[k] = k % 5 - 2.0; /* anchors that start apart: a hit */
    for (int i = 0; i < 2; i++) check_momentum(TWO_THETAS[i], v, 0.0);
}

/* The same two boxes as one body of two geoms. */
static Run one_body(double theta, double t, TnBodyId *body)
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.timestep = t;
    scene.option.gravity[2] = 0.0;
    *body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 1.0,
                       (double[3]){-0.3, 0, 0}, 0.5, 0.0);
    TnGeomDef second = tn_geom_def();
    second.body = *body;
    second.type = TN_GEOM_BOX;
    second.mass = 2.5;
    second.pos[0] = 0.6;
    second.pos[1] = 0.1;
    second.size[0] = 0.1;
    second.size[1] = 0.15;
    second.size[2] = 0.05;
    tn_builder_add_geom(scene.builder, &second);
    return run_start(&scene, 1);
}

TEST(welded_bodies_tumble_as_one_rigid_body)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        double t = i == 0 ? 0.01 : 0.005;
        TnBodyId pair[2], single;
        Run welded = pair_of_boxes(0.5, t, TN_EQUALITY_WELD, pair),
            whole = one_body(0.5, t, &single);
        REQUIRE(welded.world && whole.world);
        TnError err = {0};
        /* linear velocity of both origins from one rigid motion; no turn yet, so body = world axes
         */
        double w[3] = {1.0, 2.0, -1.5}, arm[3] = {0.6, 0.1, 0},
               v[12] = {0.3, -0.2, 0.5, 1, 2, -1.5};
        v3_cross(v + 6, w, arm);
        v3_add(v + 6, v + 6, v);
        memcpy(v + 9, w, sizeof w);
        tn_world_set_state(welded.world, NULL, v, &err);
        tn_world_set_state(whole.world, NULL, v, &err);
        double loose = 0.0, turned = 0.0;
        for (int k = 0; k < (int)(2.0 / t); k++) {
            tn_world_step(welded.world);
            tn_world_step(whole.world);
            double a[3], b[3], pa[3], qa[4], pb[4], qb[4];
            point_of(welded.world, pair[0], (double[3]){0.3, 0, 0}, a);
            point_of(welded.world, pair[1], (double[3]){-0.3, -0.1, 0}, b);
            loose = fmax(loose, distance(a, b));
            tn_world_body_pose(welded.world, pair[0], pa, qa);
            tn_world_body_pose(welded.world, pair[1], pb, qb);
            double turn[3], back[4];
            quat_conjugate(back, qa);
            quat_mul(back, back, qb);
            quat_to_rotvec(turn, back);
            turned = fmax(turned, v3_norm(turn));
        }
        double at[3], expected[3];
        point_of(welded.world, pair[1], (double[3]){0.1, 0, 0}, at);
        point_of(whole.world, single, (double[3]){0.7, 0.1, 0}, expected);
        error[i] = distance(at, expected);
        CHECK(loose < 1e-4 && turned < 1e-3);
        run_end(&welded);
        run_end(&whole);
    }
    CHECK(error[0] < 0.01);           /* after 5 rad */
    CHECK(error[0] / error[1] > 1.8); /* at least of first order */
}

TEST(a_weld_to_the_world_holds_a_body_with_its_weight)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 3.0,
                                   (double[3]){0.4, 0, 1.0}, 0.5, 0.0);
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = body; /* against the world, at the world's origin: far off the body */
        tn_builder_add_equality(scene.builder, &weld);
        Run run = run_start(&scene, 1000);
        REQUIRE(run.world);
        for (int k = 0; k < 200; k++) tn_world_step(run.world);
        double p[3], q[4];
        tn_world_body_pose(run.world, body, p, q);
        CHECK_NEAR(p[0], 0.4, 1e-9); /* converged */
        CHECK_NEAR(p[2], 1.0, 1e-9);
        CHECK_NEAR(fabs(q[0]), 1.0, 1e-12);
        const double *lambda = run.world->state.row_lambda + tn_row_slot_equality(0, 0);
        /* rows read (world - body): λ pushes the world down and the body up */
        CHECK_NEAR(lambda[2], -3.0 * G, 1e-6);
        CHECK_NEAR(lambda[0], 0.0, 1e-6);
        CHECK_NEAR(lambda[1], 0.0, 1e-6);
        /* the moment of the weight about the anchor, y: 0.4 m to the side */
        CHECK_NEAR(fabs(lambda[4]), 0.4 * 3.0 * G, 1e-5);
        run_end(&run);
    }
}

TEST(sixty_iterations_hold_a_welded_body_still)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 3.0,
                                   (double[3]){0, 0, 1.0}, 0.5, 0.0);
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body2 = body;
        weld.body1 = TN_BODY_WORLD;
        tn_builder_add_equality(scene.builder, &weld);
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        for (int k = 0; k < 500; k++) tn_world_step(run.world);
        double p[3], q[4];
        tn_world_body_pose(run.world, body, p, q);
        CHECK_NEAR(p[2], 1.0, 1e-6);
        run_end(&run);
    }
}

/* ---- together with contacts ---- */

/* A box on a frictionless ground, pinned to the world by a point half a metre away, goes round for
 * ever. */
TEST(a_pinned_body_circles_on_the_ground_without_drift_or_loss)
{
    const double omega = 6.0;
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene_plane(&scene, 0.0);
        TnBodyId body = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.05, 0.05}, 1.0,
                                   (double[3]){0.5, 0, 0.05}, 0.0, 0.0);
        TnEqualityDef pin = tn_equality_def();
        pin.body1 = body;
        pin.anchor[0] = -0.5;
        tn_builder_add_equality(scene.builder, &pin);
        Run run = run_start(&scene, 1000);
        REQUIRE(run.world);
        TnError err = {0};
        double v[6] = {0, 0.5 * omega, 0, 0, 0, omega}, start, late = 0.0, at[3];
        tn_world_set_state(run.world, NULL, v, &err);
        start = total_energy(run.world);
        for (int k = 0; k < 500; k++) {
            tn_world_step(run.world);
            point_of(run.world, body, (double[3]){-0.5, 0, 0}, at);
            if (k >= 100) late = fmax(late, distance(at, (double[3]){0, 0, 0.05}));
        }
        /* The first step cannot know that the ground will push and errs by (tω)² of the arm, 1 mm;
         * a fifth of that goes in every step. Then each prediction is right. */
        CHECK_NEAR(late, 0.0, 1e-8); /* the solver's error times steps */
        CHECK_NEAR(total_energy(run.world), start, 0.005 * start);
        run_end(&run);
    }
}

TEST(welded_bodies_slide_together_when_one_of_them_touches)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        scene.option.gravity[0] = 5.0;
        scene_plane(&scene, 0.0);
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.2, 0.05}, 1.0,
                                (double[3]){0, 0, 0.05}, 0.0, 0.0);
        weld.body2 = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.05, 0.05, 0.05}, 1.0,
                                (double[3]){0, 0, 0.3}, 0.0, 0.0);
        tn_builder_add_equality(scene.builder, &weld);
        Run run = run_start(&scene, 1000);
        REQUIRE(run.world);
        for (int k = 0; k < 100; k++) {
            tn_world_step(run.world);
            CHECK_NEAR(part_q(run.world, 7), part_q(run.world, 0), 1e-9); /* converged */
            CHECK_NEAR(part_q(run.world, 9), 0.3, 1e-9);
        }
        CHECK_NEAR(part_v(run.world, 0), 5.0, 1e-8);
        CHECK_NEAR(part_v(run.world, 6), 5.0, 1e-8);
        run_end(&run);
    }
}
