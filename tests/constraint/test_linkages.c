/* Closed loops, chains and geared joints in whole steps. */
#include "../check.h"

#include "parts.h"

#include "world/world.h"

static const double G = 9.81;
static const double PI = 3.14159265358979323846;

/* ---- closed loops ---- */

/* A parallelogram: two cranks of length a and a coupler of length b, hung from two points of the
 * world, as a chain of three hinges that a connect closes. It swings as a pendulum: (2 I_crank +
 * m_coupler a²) φ'' = -(m_crank a + m_coupler a) g sin φ. `tilt` turns the whole about z. */
enum { CRANK = 0, COUPLER = 1, ROCKER = 2 };
static const double CRANK_LENGTH = 0.4, COUPLER_LENGTH = 0.7;

static Run parallelogram(double theta, double t, double tilt, TnBodyId bodies[3])
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.timestep = t;
    double c = cos(tilt), s = sin(tilt), a = CRANK_LENGTH, b = COUPLER_LENGTH;
    const double pos[3][3] = {{0.1, 0.3, 0.7}, {0, 0, -a}, {b * c, b * s, 0}};
    const double com[3][3] = {{0, 0, -a / 2}, {b * c / 2, b * s / 2, 0}, {0, 0, a / 2}};
    TnBodyId parent = TN_BODY_WORLD;
    for (int k = 0; k < 3; k++) {
        bodies[k] = parent =
            part_body(&scene, parent, pos[k], k == COUPLER ? 1.5 : 0.8, com[k], 0.01);
        TnJointDef hinge = part_joint(parent, TN_JOINT_HINGE, -s, c, 0);
        tn_builder_add_joint(scene.builder, &hinge);
    }
    TnEqualityDef close = tn_equality_def();
    close.body1 = bodies[ROCKER];
    close.anchor[2] = a;
    tn_builder_add_equality(scene.builder, &close);
    return run_start(&scene, 600);
}

static void check_parallelogram(double theta, double tilt)
{
    TnBodyId bodies[3];
    Run run = parallelogram(theta, 0.01, tilt, bodies);
    REQUIRE(run.world);
    TnError err = {0};
    double q[3] = {0.3, -0.3, 0.3}; /* the coupler stays level */
    tn_world_set_state(run.world, q, NULL, &err);
    double start = total_energy(run.world), open = 0.0, level = 0.0, first = 0.0, last = 0.0;
    double before = q[0];
    int crossings = 0;
    const double a = CRANK_LENGTH, pivot[3] = {0.1 + COUPLER_LENGTH * cos(tilt),
                                               0.3 + COUPLER_LENGTH * sin(tilt), 0.7};
    for (int k = 0; k < 1000; k++) {
        TnStepReport report = tn_world_step(run.world);
        REQUIRE(!report.diverged);
        double end[3];
        point_of(run.world, bodies[ROCKER], (double[3]){0, 0, a}, end);
        open = fmax(open, distance(end, pivot));
        level = fmax(level, fabs(part_q(run.world, 0) + part_q(run.world, 1)));
        if ((before < 0.0) != (part_q(run.world, 0) < 0.0)) {
            last = 0.01 * (k + before / (before - part_q(run.world, 0)));
            if (crossings++ == 0) first = last;
        }
        before = part_q(run.world, 0);
    }
    /* third order as for the hung body: (tω)³ a / 0.2 with ω at most 1.7 */
    CHECK(open < 1e-5);
    CHECK(level < 1e-4);
    double I = 2.0 * (0.01 + 0.8 * a * a / 4.0) + 1.5 * a * a,
           w = sqrt((0.8 * a + 1.5 * a) * G / I);
    double period = 2.0 * PI / w * (1.0 + 0.09 / 16.0);
    REQUIRE(crossings > 8);
    if (theta == 0.5) {
        CHECK_NEAR(2.0 * (last - first) / (crossings - 1), period,
                   5e-4 * period); /* (ωt)²/12 = 2e-4 */
        CHECK_NEAR(total_energy(run.world), start, 1e-3 * fabs(start));
    } else {
        CHECK(total_energy(run.world) < start + 1e-9);
    }
    run_end(&run);
}

TEST(a_parallelogram_linkage_stays_closed_and_swings_as_it_should)
{
    for (int i = 0; i < 2; i++) check_parallelogram(TWO_THETAS[i], 0.0);
}

/* In a plane that is not one of the world's the three rows of the connect have rank two; almost in
 * it one of them holds nothing but rounding. */
TEST(the_plane_of_a_linkage_does_not_matter)
{
    const double tilts[] = {0.6, 1.5707963267948966, 1e-14, 3e-13, 1e-9};
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++) check_parallelogram(TWO_THETAS[i], tilts[k]);
}

/* ---- joints ---- */

/* Two slides, q1 = poly(q2); in one tree, or in two. A force F on the second. */
static Run geared_slides(double theta, bool chained, const double polycoef[5], TnBodyId bodies[2])
{
    Scene scene = scene_begin();
    scene.option.theta = theta;
    scene.option.gravity[2] = 0.0;
    TnJointId joints[2];
    bodies[0] = part_slider(&scene, 1.5, 0, NULL, &joints[0]);
    if (chained) {
        bodies[1] =
            part_body(&scene, bodies[0], (double[3]){0, 0, 0}, 0.5, (double[3]){0, 0, 0}, 0.1);
        TnJointDef slide = part_joint(bodies[1], TN_JOINT_SLIDE, 0, 1, 0);
        joints[1] = tn_builder_add_joint(scene.builder, &slide);
    } else {
        bodies[1] = part_slider(&scene, 0.5, 1, NULL, &joints[1]);
    }
    TnEqualityDef gear = tn_equality_def();
    gear.type = TN_EQUALITY_JOINT;
    gear.joint1 = joints[0];
    gear.joint2 = joints[1];
    memcpy(gear.polycoef, polycoef, sizeof gear.polycoef);
    tn_builder_add_equality(scene.builder, &gear);
    return run_start(&scene, 1000);
}

TEST(geared_joints_share_a_force_by_their_ratio)
{
    const double polycoef[5] = {0.0, -2.5, 0, 0, 0};
    for (int i = 0; i < 2; i++)
        for (int chained = 0; chained < 2; chained++) {
            TnBodyId bodies[2];
            Run run = geared_slides(TWO_THETAS[i], chained, polycoef, bodies);
            REQUIRE(run.world);
            for (int k = 0; k < 100; k++) {
                part_push(run.world, bodies[1], 0, 3.0, 0);
                tn_world_step(run.world);
            }
            /* x moves the mass 1.5 (and 0.5 more in a chain), y 0.5: F = (0.5 + r² m) a */
            double m = chained ? 2.0 : 1.5, a = 3.0 / (0.5 + 2.5 * 2.5 * m);
            CHECK_NEAR(part_v(run.world, 1), a, 1e-8); /* exact under a constant force */
            CHECK_NEAR(part_v(run.world, 0), -2.5 * a, 1e-8);
            CHECK_NEAR(part_q(run.world, 0), -2.5 * part_q(run.world, 1), 1e-9);
            run_end(&run);
        }
}

TEST(joints_follow_a_polynomial)
{
    const double c[5] = {0.1, 0.5, -1.0, 0.4, 0.3};
    for (int i = 0; i < 2; i++)
        for (int chained = 0; chained < 2; chained++) {
            TnBodyId bodies[2];
            Run run = geared_slides(TWO_THETAS[i], chained, c, bodies);
            REQUIRE(run.world);
            TnError err = {0};
            double q[2] = {0.1, 0.0}, v[2] = {0.5, 1.0}, worst = 0.0, start;
            tn_world_set_state(run.world, q, v, &err);
            start = total_energy(run.world);
            for (int k = 0; k < 150; k++) {
                tn_world_step(run.world);
                double x = part_q(run.world, 1);
                double y = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
                worst = fmax(worst, fabs(part_q(run.world, 0) - y));
            }
            CHECK(part_q(run.world, 1) > 0.5);
            /* t³ v a p'' or so per step, with a and p'' up to 5, five times; measured 2e-5 */
            CHECK_NEAR(worst, 0.0, 1e-4);
            if (i == 0) CHECK_NEAR(total_energy(run.world), start, 1e-3 * start);
            run_end(&run);
        }
}

TEST(an_equality_of_one_joint_holds_it_where_it_says)
{
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnEqualityDef hold = tn_equality_def();
        part_slider(&scene, 1.0, 2, NULL, &hold.joint1);
        hold.type = TN_EQUALITY_JOINT;
        hold.polycoef[0] = 0.2;
        tn_builder_add_equality(scene.builder, &hold);
        Run run = run_start(&scene, 200);
        REQUIRE(run.world);
        /* starts 20 cm off, and comes in as by a twentieth of gravity */
        for (int k = 0; k < 500; k++) tn_world_step(run.world);
        CHECK_NEAR(part_q(run.world, 0), 0.2, 1e-9);
        CHECK_NEAR(run.world->state.row_lambda[0], G, 1e-8);
        run_end(&run);
    }
}

/* ---- what must not matter ---- */

static uint64_t swing_hash(bool with_inactive)
{
    Scene scene = scene_begin();
    TnBodyId a = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 1.0,
                            (double[3]){0, 0, 0}, 0.5, 0.0);
    TnBodyId b = scene_free(&scene, TN_GEOM_BOX, (double[3]){0.2, 0.1, 0.05}, 1.0,
                            (double[3]){1, 0, 0}, 0.5, 0.0);
    TnEqualityDef def = tn_equality_def();
    def.active = false;
    def.body1 = a;
    def.body2 = b;
    if (with_inactive) tn_builder_add_equality(scene.builder, &def);
    def.type = TN_EQUALITY_WELD;
    if (with_inactive) tn_builder_add_equality(scene.builder, &def);
    def.type = TN_EQUALITY_CONNECT;
    def.active = true;
    def.body2 = 0;
    def.anchor[0] = -0.5;
    tn_builder_add_equality(scene.builder, &def);
    Run run = run_start(&scene, 60);
    for (int k = 0; k < 50; k++) tn_world_step(run.world);
    uint64_t hash = tn_world_hash(run.world);
    run_end(&run);
    return hash;
}

TEST(an_inactive_equality_does_nothing) { CHECK(swing_hash(true) == swing_hash(false)); }

/* ---- equalities that hold what is held already ---- */

/* A wheel on a hinge along its x axis, turned any way, with a pendulum on it; and the same with a
 * second point of the hinge's axis joined to the world. */
static void wheel_and_pendulum(const double quat[4], double anchor, double q[2])
{
    Scene scene = scene_begin();
    TnBodyDef def = tn_body_def();
    def.has_inertia = true;
    def.mass = 4.0;
    for (int k = 0; k < 3; k++) def.inertia[k] = 0.0168;
    memcpy(def.quat, quat, sizeof def.quat);
    TnBodyId wheel = tn_builder_add_body(scene.builder, &def);
    TnJointDef hinge = part_joint(wheel, TN_JOINT_HINGE, 1, 0, 0);
    tn_builder_add_joint(scene.builder, &hinge);
    const double at[3] = {0, 0, 0}, com[3] = {0.2, 0, 0};
    TnBodyId pendulum = part_body(&scene, wheel, at, 1.0, com, 0.01);
    hinge = part_joint(pendulum, TN_JOINT_HINGE, 0, 1, 0);
    hinge.friction_loss = 0.02;
    tn_builder_add_joint(scene.builder, &hinge);
    TnEqualityDef connect = tn_equality_def();
    connect.body1 = wheel;
    connect.anchor[0] = anchor;
    if (anchor > 0.0) tn_builder_add_equality(scene.builder, &connect);
    Run run = run_start(&scene, 600);
    for (int k = 0; k < 10 && run.world; k++) tn_world_step(run.world);
    for (int k = 0; k < 2; k++) q[k] = run.world ? part_q(run.world, k) : NAN;
    run_end(&run);
}

/* The rows are zero but for rounding, and what rounding says is not to be followed. */
TEST(a_connect_on_a_hinges_own_axis_changes_nothing)
{
    for (int i = 0; i < 100; i++) {
        const double quat[4] = {0.9, 0.3 * sin(i), 0.2 * cos(3.0 * i), 0.3 * cos(2.0 * i)};
        double q[2], q_held[2];
        wheel_and_pendulum(quat, 0.0, q);
        wheel_and_pendulum(quat, 0.1 + 0.01 * i, q_held);
        /* trees without equalities find the middle of their steps to 1e-4 of it */
        for (int k = 0; k < 2; k++) CHECK_NEAR(q_held[k], q[k], 1e-3);
    }
}

/* ---- a chain of free bodies ---- */

/* Ten rods, end to end, held level and let go: the end whips. What it may do at each whip is lose.
 */
TEST(a_falling_chain_of_connected_bodies_holds_together_and_gains_no_energy)
{
    enum { LINKS = 10 };
    for (int i = 0; i < 2; i++) {
        Scene scene = scene_begin();
        scene.option.theta = TWO_THETAS[i];
        TnBodyId bodies[LINKS];
        for (int k = 0; k < LINKS; k++) {
            bodies[k] = part_body(&scene, TN_BODY_WORLD, (double[3]){0.05 + 0.1 * k, 0, 2}, 0.1,
                                  (double[3]){0, 0, 0}, 1e-4);
            TnJointDef joint = part_joint(bodies[k], TN_JOINT_FREE, 0, 0, 1);
            tn_builder_add_joint(scene.builder, &joint);
            TnEqualityDef connect = tn_equality_def();
            connect.body1 = bodies[k];
            connect.body2 = k ? bodies[k - 1] : 0;
            connect.anchor[0] = -0.05;
            tn_builder_add_equality(scene.builder, &connect);
        }
        Run run = run_start(&scene, 60);
        REQUIRE(run.world);
        double start = total_energy(run.world), most = start, gap = 0.0;
        for (int k = 0; k < 500; k++) {
            TnStepReport report = tn_world_step(run.world);
            REQUIRE(!report.diverged);
            most = fmax(most, total_energy(run.world));
            double before[3] = {0, 0, 2}, at[3];
            for (int b = 0; b < LINKS; b++) {
                point_of(run.world, bodies[b], (double[3]){-0.05, 0, 0}, at);
                gap = fmax(gap, distance(at, before));
                point_of(run.world, bodies[b], (double[3]){0.05, 0, 0}, before);
            }
        }
        /* of the 4.9 J that the fall sets free; third order in t */
        CHECK(most < start + 0.03 * 4.9);
        /* at the whip the last link turns by half a radian in a step, t ω = 0.6: that a step cannot
         * resolve, and it opens by (tω)³ of its half length or so */
        CHECK_NEAR(gap, 0.0, 0.05);
        run_end(&run);
    }
}
