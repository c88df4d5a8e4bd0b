/* Rods that are clamped by a segment at their end: the clamp acts at the segment's outer end, held
 * by the world or by a robot, and what is off falls with the square of the segments' length. Places
 * where nothing is clamped are as they were. */
#include "../../check.h"
#include "rod_scene.h"

static const double none[3] = {0};

typedef enum Holder { BY_WORLD, BY_ROBOT } Holder;

/* A body that slides along y, where no load of these tests pulls, welded to a segment. */
static void hold_by_robot(RodScene *scene, int segment)
{
    TnBodyDef body = tn_body_def();
    body.pos[2] = 0.3;
    TnBodyId id = tn_builder_add_body(scene->builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_SLIDE;
    joint.axis[0] = joint.axis[2] = 0;
    joint.axis[1] = 1;
    tn_builder_add_joint(scene->builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.size[0] = 0.05;
    geom.contact_type = geom.contact_affinity = 0;
    tn_builder_add_geom(scene->builder, &geom);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = id;
    weld.body2 = scene->first + segment;
    tn_builder_add_equality(scene->builder, &weld);
}

static void hold(RodScene *scene, Holder holder, int segment)
{
    if (holder == BY_ROBOT)
        hold_by_robot(scene, segment);
    else
        rod_hold(scene, segment);
}

/* A bar of 1 m from the origin along x, clamped there, and at its other end, too, where `both`. */
static bool bar(RodScene *scene, int segments, Holder holder, bool both, double t, double theta,
                double gravity)
{
    *scene = rod_begin(t, theta, gravity);
    TnRodDef *rod = &scene->rod;
    rod->damping_time = theta == 1 ? 0.1 : 0; /* twisting is slow to settle */
    rod->segment_count = segments;
    rod->end[0] = 1;
    rod->radius = 0.01;
    rod->youngs_modulus = 1e7;
    rod_add(scene);
    hold(scene, holder, 0);
    if (both) hold(scene, BY_WORLD, segments - 1);
    return rod_finish(scene, NULL);
}

/* Place of the bar's free end. */
static void end_of(const RodScene *scene, double end[3])
{
    int n = scene->rod.segment_count;
    double along[3];
    rod_pos(scene, n - 1, end);
    rod_direction(scene, n - 1, along);
    for (int k = 0; k < 3; k++) end[k] += 0.5 / n * along[k];
}

/* Relative error of the end's way down under a force there: F L³/3EI + F L/κGA. */
static double end_force(int n, Holder holder)
{
    RodScene scene;
    if (!bar(&scene, n, holder, false, 4, 1, 0)) return NAN;
    double bend = rod_bend(&scene.rod), f = 3e-3 * bend, end[3];
    const double force[3] = {0, 0, -f}, torque[3] = {0, f * 0.5 / n, 0};
    if (!rod_march(&scene, 100, n - 1, force, torque)) return NAN;
    end_of(&scene, end);
    double right = f / (3 * bend) + f / rod_shear(&scene.rod);
    rod_end(&scene);
    return -end[2] / right - 1;
}

/* Under its own weight: w L⁴/8EI + w L²/2κGA. */
static double own_weight(int n, Holder holder)
{
    const double g = 2e-3;
    RodScene scene;
    if (!bar(&scene, n, holder, false, 4, 1, g)) return NAN;
    double w = scene.rod.density * rod_area(&scene.rod) * g, end[3];
    if (!rod_march(&scene, 100, 0, none, none)) return NAN;
    end_of(&scene, end);
    double right = w / (8 * rod_bend(&scene.rod)) + w / (2 * rod_shear(&scene.rod));
    rod_end(&scene);
    return -end[2] / right - 1;
}

/* Both ends clamped, in the middle under its own weight: w L⁴/384EI + w L²/8κGA. */
static double between_clamps(int n, Holder holder)
{
    const double g = 2e-2;
    RodScene scene;
    if (!bar(&scene, n, holder, true, 4, 1, g)) return NAN;
    double w = scene.rod.density * rod_area(&scene.rod) * g, a[3], b[3];
    if (!rod_march(&scene, 100, 0, none, none)) return NAN;
    rod_pos(&scene, (n - 1) / 2, a);
    rod_pos(&scene, n / 2, b);
    double right = w / (384 * rod_bend(&scene.rod)) + w / (8 * rod_shear(&scene.rod));
    rod_end(&scene);
    return -0.5 * (a[2] + b[2]) / right - 1;
}

#define ROOT 1.8751040687119611 /* of cos x cosh x = -1 */

/* First shape of a swinging cantilever, and its slope. */
static double shape(double x, double *slope)
{
    double b = ROOT * x, s = (cos(ROOT) + cosh(ROOT)) / (sin(ROOT) + sinh(ROOT));
    *slope = ROOT * (sinh(b) + sin(b) - s * (cosh(b) - cos(b)));
    return cosh(b) - cos(b) - s * (sinh(b) - sin(b));
}

/* Set off in that shape, the end comes by twice per swing: ω = ROOT² √(EI/ρA) / L². */
static double first_frequency(int n, Holder holder)
{
    RodScene scene;
    TnError err = {0};
    const double t = 0.005;
    if (!bar(&scene, n, holder, false, t, 0.5, 0)) return NAN;
    TnStateView state = tn_world_state(scene.world);
    double *v = calloc((size_t)state.dof_count, sizeof *v);
    for (int i = 1; v && i < n; i++) {
        int dof = 6 * i; /* the rod's bodies come first */
        double slope, w = shape((i + 0.5) / n, &slope);
        v[dof + 2] = 1e-3 * w;
        /* body axes: z along the rod; turning up is about the world's -y */
        double q[4];
        rod_quat(&scene, i, q);
        double y[3] = {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                       2 * (q[2] * q[3] - q[0] * q[1])};
        for (int k = 0; k < 3; k++) v[dof + 3 + k] = -1e-3 * slope * y[k];
    }
    if (!v || tn_world_set_state(scene.world, NULL, v, &err) != TN_OK) return NAN;
    double before = 0, first = 0, last = 0, end[3];
    int passes = 0;
    for (int k = 1; passes < 9 && k < 10000; k++) {
        tn_world_step(scene.world);
        end_of(&scene, end);
        if (before * end[2] < 0) {
            last = t * (k - end[2] / (end[2] - before));
            if (passes++ == 0) first = last;
        }
        before = end[2];
    }
    double mass = scene.rod.density * rod_area(&scene.rod);
    double right = ROOT * ROOT * sqrt(rod_bend(&scene.rod) / mass);
    free(v);
    rod_end(&scene);
    return PI * (passes - 1) / (last - first) / right - 1;
}

/* Below `most` at 20 segments, and four times less at 40, up to `floor` that no segments take away.
 */
static void check_order(double (*error)(int, Holder), const char *name, double most, double floor)
{
    for (Holder holder = BY_WORLD; holder <= BY_ROBOT; holder++) {
        double e10 = error(10, holder), e20 = error(20, holder), e40 = error(40, holder);
        bool ok = fabs(e20) < most && fabs(e20 - e40) < fabs(e10 - e20) / 3 &&
                  fabs(e40) < fabs(e20) / 3.3 + floor;
        if (!ok) test_fail(__FILE__, __LINE__, "%s: %.3g %.3g %.3g", name, e10, e20, e40);
    }
}

TEST(clamped_bar_bends_under_an_end_force_with_second_order)
{
    check_order(end_force, "end force", 1e-3,
                1e-6); /* about 1/(4 n²), and slopes of 1.5e-3 squared */
}

TEST(clamped_bar_bends_under_its_own_weight_with_second_order)
{
    check_order(own_weight, "own weight", 2e-3, 1e-6); /* about 1/(2 n²) */
}

TEST(bar_between_two_clamps_bends_with_second_order)
{
    /* 8/n²: the same sag as a cantilever's is off by, of one that is 48 times less */
    check_order(between_clamps, "between clamps", 2.5e-2, 1e-5);
}

TEST(clamped_bar_swings_with_the_first_frequency_of_a_cantilever_with_second_order)
{
    /* shear and turning of the cross-sections slow the real bar by 4e-4 */
    check_order(first_frequency, "first frequency", 5e-3, 5e-4);
}

/* The last segment's centre is at L - l/2: twisted and stretched by as much, whatever n is. */
TEST(clamped_bar_twists_and_stretches_exactly)
{
    for (Holder holder = BY_WORLD; holder <= BY_ROBOT; holder++)
        for (int n = 2; n <= 40; n *= 2) {
            RodScene scene;
            REQUIRE(bar(&scene, n, holder, false, 0.1, 1, 0));
            double x = 1 - 0.5 / n, pos[3], before[4], after[4];
            double pull = 1e-3 * scene.rod.youngs_modulus * rod_area(&scene.rod),
                   turn = 0.1 * rod_twist(&scene.rod);
            const double force[3] = {pull, 0, 0}, torque[3] = {turn, 0, 0};
            rod_quat(&scene, n - 1, before);
            CHECK(rod_march(&scene, 1000, n - 1, force, torque));
            rod_pos(&scene, n - 1, pos);
            rod_quat(&scene, n - 1, after);
            double cosine = 0;
            for (int k = 0; k < 4; k++) cosine += before[k] * after[k];
            CHECK_NEAR(pos[0], x * (1 + 1e-3), 1e-10);
            CHECK_NEAR(2 * acos(fmin(fabs(cosine), 1)), 0.1 * x, 1e-8); /* of an acos near 1 */
            rod_end(&scene);
        }
}

/* Held in its middle, a bar bends on both sides from that segment's centre on: each is a cantilever
 * of L. */
TEST(clamp_in_the_middle_acts_at_its_segments_centre)
{
    const int n = 41;
    RodScene scene = rod_begin(4, 1, 0);
    scene.rod.segment_count = n;
    scene.rod.end[0] = 1;
    scene.rod.radius = 0.01;
    scene.rod.youngs_modulus = 1e7;
    rod_add(&scene);
    rod_hold(&scene, n / 2);
    REQUIRE(rod_finish(&scene, NULL));
    double L = 0.5 - 0.5 / n, bend = rod_bend(&scene.rod), f = 3e-3 * bend, pos[3];
    const double force[3] = {0, 0, -f};
    CHECK(rod_march(&scene, 100, n - 1, force, none));
    rod_pos(&scene, n - 1, pos);
    double right = f * L * L * L / (3 * bend) + f * L / rod_shear(&scene.rod);
    CHECK_NEAR(-pos[2] / right, 1, 1e-3); /* 1/(4 · 20²) */
    rod_pos(&scene, 0, pos);
    CHECK_NEAR(pos[2], 0, 1e-14);
    rod_end(&scene);
}

/* A bar that hangs by points at its ends, hinged, under its own weight: 5 w L⁴/384EI + w L²/8κGA,
 * with the L between the points. Nothing is clamped there. */
TEST(hinged_ends_are_where_they_are_connected)
{
    const int n = 41;
    RodScene scene = rod_begin(4, 1, 2e-3);
    scene.rod.segment_count = n;
    scene.rod.end[0] = 1;
    scene.rod.radius = 0.01;
    scene.rod.youngs_modulus = 1e7;
    rod_add(&scene);
    for (int side = 0; side < 2; side++) {
        TnEqualityDef connect = tn_equality_def();
        connect.type = TN_EQUALITY_CONNECT;
        connect.body1 = scene.first + (side ? n - 1 : 0);
        connect.anchor[2] = (side ? 0.5 : -0.5) / n;
        tn_builder_add_equality(scene.builder, &connect);
    }
    REQUIRE(rod_finish(&scene, NULL));
    CHECK(rod_march(&scene, 200, 0, none, none));
    double w = scene.rod.density * rod_area(&scene.rod) * 2e-3, pos[3];
    double right = 5 * w / (384 * rod_bend(&scene.rod)) + w / (8 * rod_shear(&scene.rod));
    rod_pos(&scene, n / 2, pos);
    CHECK_NEAR(-pos[2] / right, 1, 2e-3);
    rod_end(&scene);
}

/* Largest force between anything after some steps of a cable between two posts, or along the
 * ground. */
static double largest_force(RodScene *scene, int steps)
{
    double most = 0;
    for (int k = 0; k < steps; k++) {
        CHECK(!tn_world_step(scene->world).diverged);
        for (int i = 0; i < tn_world_contact_count(scene->world); i++) {
            TnContact c = tn_world_contact(scene->world, i);
            for (int j = 0; j < 3; j++) most = fmax(most, fabs(c.force[j]));
        }
    }
    return most;
}

static RodScene thin_cable(double height)
{
    RodScene scene = rod_begin(0.005, 0.5, 9.81);
    scene.rod.segment_count = 30;
    scene.rod.start[0] = -0.3;
    scene.rod.end[0] = 0.3;
    scene.rod.start[2] = scene.rod.end[2] = height;
    scene.rod.radius = 0.005;
    scene.rod.youngs_modulus = 1e6;
    scene.rod.damping_time = 0.02;
    return scene;
}

static double largest_force_of_posts(double radius, double length)
{
    RodScene scene = thin_cable(0.5);
    for (int side = -1; side <= 1; side += 2) {
        TnGeomDef post = tn_geom_def();
        post.type = TN_GEOM_CYLINDER;
        post.size[0] = radius;
        post.size[1] = 0.3;
        post.pos[0] = 0.3 * side;
        post.pos[2] = 0.3;
        tn_builder_add_geom(scene.builder, &post);
    }
    scene.rod.start[0] = -length;
    scene.rod.end[0] = length;
    rod_add(&scene);
    rod_hold(&scene, 0);
    rod_hold(&scene, 29);
    bool ok = rod_finish(&scene, NULL);
    CHECK(ok);
    double force = ok ? largest_force(&scene, 200) : NAN;
    rod_end(&scene);
    return force;
}

/* Its ends stick in the posts' middles, and the next segments begin at the surfaces of thin posts,
 * in them by a radius. Thick posts contain several segments. */
TEST(posts_that_a_cables_held_ends_are_stuck_in_do_not_push_it_out)
{
    CHECK(largest_force_of_posts(0.02, 0.3) == 0);
    CHECK(largest_force_of_posts(0.05, 0.3) == 0);
    CHECK(largest_force_of_posts(0.12, 0.36) == 0);
}

/* Along the ground one end is held, touching it: the ground does not clamp it, and bears what is
 * not held. */
TEST(ground_that_a_held_end_lies_on_still_bears_the_cable)
{
    RodScene scene = thin_cable(0.005);
    TnGeomDef plane = tn_geom_def();
    plane.type = TN_GEOM_PLANE;
    tn_builder_add_geom(scene.builder, &plane);
    rod_add(&scene);
    rod_hold(&scene, 0);
    REQUIRE(rod_finish(&scene, NULL));
    largest_force(&scene, 200);
    double up = 0, pos[3];
    for (int i = 0; i < tn_world_contact_count(scene.world); i++)
        up += fabs(tn_world_contact(scene.world, i).force[2]);
    double weight = 9.81 * scene.rod.density * rod_area(&scene.rod) * 0.6;
    CHECK_NEAR(up / weight, 29.0 / 30, 1e-3); /* all but the held segment */
    for (int i = 0; i < 30; i++) {
        rod_pos(&scene, i, pos);
        CHECK_NEAR(pos[2], 0.005, 1e-5);
    }
    rod_end(&scene);
}
