/* What is hard on solvers, at a tolerance of 1e-6: stacks, mass ratios, arches, grasps and impacts,
 * against statics and mechanics in closed form. */
#include "../check.h"

#include <stdint.h>

#include "scene.h"

static const double G = 9.81, edge = 0.1;
static const double upright[4] = {1, 0, 0, 0};

enum { MOST_BODIES = 64 };
typedef struct Hard {
    Scene scene;
    TnModel *model;
    TnWorld *world;
    TnBodyId body[MOST_BODIES];
    double mass[MOST_BODIES];
    double start[MOST_BODIES][3], start_quat[MOST_BODIES][4];
    int count;
    uint64_t random;
    /* over all steps */
    int not_converged;
    double error; /* largest */
} Hard;

static Hard hard_begin(double friction)
{
    Hard h = {.scene = scene_begin(), .random = 12345};
    if (friction >= 0.0) scene_plane(&h.scene, friction);
    return h;
}

static double uniform(Hard *h) /* in [-1, 1) */
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(h->random >> 11) * 0x1p-52 - 1.0;
}

static TnGeomId add_body(Hard *h, TnGeomDef geom, const double pos[3], const double quat[4])
{
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    memcpy(body.pos, pos, sizeof body.pos);
    memcpy(body.quat, quat, sizeof body.quat);
    geom.body = joint.body = tn_builder_add_body(h->scene.builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(h->scene.builder, &joint);
    h->mass[h->count] = geom.mass;
    h->body[h->count++] = joint.body;
    return tn_builder_add_geom(h->scene.builder, &geom);
}

static void add_box(Hard *h, const double half[3], double mass, double friction,
                    const double pos[3], const double quat[4])
{
    TnGeomDef geom = tn_geom_def();
    geom.type = TN_GEOM_BOX;
    memcpy(geom.size, half, sizeof geom.size);
    geom.mass = mass;
    geom.friction[0] = friction;
    add_body(h, geom, pos, quat);
}

static void add_cube(Hard *h, double x, double y, double z, double mass)
{
    const double half[3] = {edge / 2, edge / 2, edge / 2};
    add_box(h, half, mass, 0.5, (double[]){x, y, z}, upright);
}

static void remember(Hard *h)
{
    for (int i = 0; i < h->count; i++)
        tn_world_body_pose(h->world, h->body[i], h->start[i], h->start_quat[i]);
}

static bool hard_start(Hard *h)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.method = TN_METHOD_AUTO;
    def.solver.tolerance = 1e-6;
    h->model = scene_compile(&h->scene);
    h->world = tn_world_create(&def, h->model, &err);
    if (!h->world) return false;
    remember(h);
    return true;
}

static void hard_end(Hard *h)
{
    tn_world_destroy(h->world);
    tn_model_destroy(h->model);
}

/* Pushes every body by a random share of its weight along each axis. */
static TnStepReport step(Hard *h, double noise)
{
    for (int i = 0; i < h->count && noise > 0.0; i++) {
        double push[3];
        for (int k = 0; k < 3; k++) push[k] = noise * sqrt(3.0) * h->mass[i] * G * uniform(h);
        tn_world_apply_wrench(h->world, h->body[i], push, (double[3]){0});
    }
    TnStepReport report = tn_world_step(h->world);
    h->not_converged += !report.converged;
    h->error = fmax(h->error, report.error);
    return report;
}

static void run(Hard *h, int steps, double noise)
{
    for (int k = 0; k < steps; k++) step(h, noise);
}

/* Largest of all bodies since `remember`. */
typedef struct Motion {
    double way, sink, tilt;
} Motion;

static Motion motion_of(const Hard *h)
{
    Motion m = {0};
    for (int i = 0; i < h->count; i++) {
        double pos[3], q[4], way = 0.0;
        const double *p = h->start_quat[i];
        tn_world_body_pose(h->world, h->body[i], pos, q);
        for (int k = 0; k < 3; k++) way += (pos[k] - h->start[i][k]) * (pos[k] - h->start[i][k]);
        double x = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
        double y = p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3];
        double z = p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1];
        m.way = fmax(m.way, sqrt(way));
        m.sink = fmax(m.sink, h->start[i][2] - pos[2]);
        m.tilt = fmax(m.tilt, 2.0 * asin(fmin(1.0, sqrt(x * x + y * y + z * z))));
    }
    return m;
}

static int index_of(const Hard *h, TnGeomId geom)
{
    TnBodyId body = tn_model_geom_info(h->model, geom).body;
    for (int i = 0; i < h->count; i++)
        if (h->body[i] == body) return i;
    return -1;
}

/* Of a stack at rest, body i lying on body i - 1: the largest error of the force between two, in
 * shares of the weight above. */
static double weight_error(const Hard *h)
{
    double force[MOST_BODIES] = {0}, above = 0.0, worst = 0.0;
    for (int c = 0; c < tn_world_contact_count(h->world); c++) {
        TnContact contact = tn_world_contact(h->world, c);
        int one = index_of(h, contact.geom1), two = index_of(h, contact.geom2);
        int upper = one > two ? one : two;
        force[upper] += two > one ? contact.force[2] : -contact.force[2];
    }
    for (int i = h->count - 1; i >= 0; i--) {
        above += h->mass[i] * G;
        worst = fmax(worst, fabs(force[i] - above) / above);
    }
    return worst;
}

/* ---- stacks ---- */

/* 1.5 mm out of line, pushed by 2 % of its weight in every step. Noise of 2 % would make errors of
 * 2 % if it were not solved for; velocities of 1e-6 of g·t, 1e-7 m/s, make 3e-7 m in 300 steps if
 * they all went one way. */
TEST(a_tower_of_twenty_stands)
{
    Hard h = hard_begin(0.5);
    for (int i = 0; i < 20; i++)
        add_cube(&h, 0.0015 * uniform(&h), 0.0015 * uniform(&h), edge * (i + 0.5), 1.0);
    REQUIRE(hard_start(&h));
    run(&h, UNLESS_SANITIZED(300, 30), 0.02);
    Motion m = motion_of(&h);
    CHECK(h.not_converged == 0);
    CHECK(h.error < 1e-6);
    CHECK(m.sink < 1e-6 && m.tilt < 1e-5 && m.way < 1e-5);
    run(&h, 20, 0.0);
    CHECK_NEAR(weight_error(&h), 0.0, 1e-5);
    hard_end(&h);
}

/* 1e-5 of the weight: ten times the tolerance. */
TEST(each_of_a_heavy_and_of_doubling_boxes_carries_what_is_above)
{
    for (int doubling = 0; doubling < 2; doubling++) {
        Hard h = hard_begin(0.5);
        for (int i = 0; i < (doubling ? 10 : 2); i++)
            add_cube(&h, 0, 0, edge * (i + 0.5), doubling ? ldexp(1.0, i) : i ? 1000.0 : 1.0);
        REQUIRE(hard_start(&h));
        double worst = 0.0;
        for (int k = 0; k < 100; k++) {
            step(&h, 0.0);
            worst = fmax(worst, weight_error(&h));
        }
        CHECK(h.not_converged == 0);
        CHECK_NEAR(worst, 0.0, 1e-5);
        Motion m = motion_of(&h);
        CHECK(m.way < 1e-7 && m.tilt < 1e-6);
        hard_end(&h);
    }
}

/* 1e-8 m in three seconds, a third of the tolerance's 1e-7 m/s if it went one way for one
 * second. */
TEST(a_pyramid_and_a_wall_do_not_move)
{
    for (int wall = 0; wall < 2; wall++) {
        Hard h = hard_begin(0.5);
        if (wall) {
            const double length = 0.2, height = 0.08;
            for (int row = 0; row < 6; row++)
                for (int i = 0; i < 5; i++) {
                    double x = length * (i + (row % 2 ? 0.5 : 0.0)), z = height * (row + 0.5);
                    add_box(&h, (double[]){length / 2, 0.05, height / 2}, 3.0, 0.5,
                            (double[]){x, 0, z}, upright);
                }
        } else {
            for (int row = 0; row < 7; row++)
                for (int i = 0; i < 7 - row; i++)
                    add_cube(&h, 1.2 * edge * (i + 0.5 * row), 0, edge * (row + 0.5), 1.0);
        }
        REQUIRE(hard_start(&h));
        run(&h, 20, 0.0); /* what it takes to put its weight down */
        remember(&h);
        run(&h, UNLESS_SANITIZED(300, 20), 0.0);
        Motion m = motion_of(&h);
        CHECK(h.not_converged == 0);
        CHECK_NEAR(m.way, 0.0, 1e-8);
        hard_end(&h);
    }
}

/* 30 % of g, white, on a tower of twenty: it may fall, but in a way that bodies can. Energy: noise
 * of 0.3 g over steps of t adds at most about (0.3 g t)² n m / 2 a step to what fell, here 0.01 J;
 * ten times the tower's fall of 180 J is out of reach. */
TEST(strong_shaking_is_survived_and_its_error_told)
{
    Hard h = hard_begin(0.5);
    for (int i = 0; i < 20; i++)
        add_cube(&h, 0.0015 * uniform(&h), 0.0015 * uniform(&h), edge * (i + 0.5), 1.0);
    REQUIRE(hard_start(&h));
    TnEnergy start = tn_world_energy(h.world);
    for (int k = 0; k < UNLESS_SANITIZED(50, 5); k++) {
        TnStepReport report = step(&h, 0.3);
        CHECK(!report.diverged);
        CHECK(isfinite(report.error) && report.converged == (report.error < 1e-6));
        CHECK(report.error < 0.1); /* of g·t: what is left out of a step is less than the noise */
        TnEnergy now = tn_world_energy(h.world);
        CHECK(now.kinetic + now.potential < start.potential + 1.0);
    }
    Motion m = motion_of(&h);
    CHECK(m.tilt < 0.1 && m.way < 0.1);
    CHECK(h.not_converged <= 5); /* one or two of fifty are left over */
    hard_end(&h);
}

/* ---- an arch ---- */

/* Twenty wedges of a half circle of 1 m, joints radial. */
static void add_arch(Hard *h, double thickness)
{
    enum { STONES = 20 };
    const double pi = 3.14159265358979323846, width = 0.1;
    for (int i = 0; i < STONES; i++) {
        double vertices[24], centre[2] = {0};
        for (int k = 0; k < 8; k++) {
            double angle = pi * (k % 4 < 2 ? i : i + 1) / STONES;
            double r = 1.0 + (k % 4 == 0 || k % 4 == 3 ? -0.5 : 0.5) * thickness;
            double z = angle == 0.0 || (i + 1 == STONES && k % 4 >= 2) ? 0.0 : r * sin(angle);
            vertices[3 * k] = r * cos(angle);
            vertices[3 * k + 1] = k < 4 ? -width : width;
            vertices[3 * k + 2] = z;
            centre[0] += vertices[3 * k] / 8;
            centre[1] += z / 8;
        }
        for (int k = 0; k < 8; k++) {
            vertices[3 * k] -= centre[0];
            vertices[3 * k + 2] -= centre[1];
        }
        TnMeshDef mesh = tn_mesh_def();
        TnGeomDef stone = tn_geom_def();
        mesh.vertices = vertices;
        mesh.vertex_count = 8;
        stone.type = TN_GEOM_MESH;
        stone.mesh = tn_builder_add_mesh(h->scene.builder, &mesh);
        stone.density = 2000;
        stone.friction[0] = 0.8;
        add_body(h, stone, (double[]){centre[0], 0, centre[1]}, upright);
    }
}

/* Milankovitch's limit of a half circle is t/R = 0.1075: hinges open below it whatever the
 * friction. */
TEST(an_arch_stands_above_its_least_thickness_and_falls_below)
{
    for (int thin = 0; thin < 2; thin++) {
        Hard h = hard_begin(0.8);
        add_arch(&h, thin ? 0.095 : 0.12);
        REQUIRE(hard_start(&h));
        run(&h, UNLESS_SANITIZED(100, 60), 0.0);
        Motion m = motion_of(&h);
        if (thin)
            CHECK(m.sink > 0.05);
        else
            CHECK(m.sink < 1e-6 && m.tilt < 1e-5 && h.not_converged == 0);
        hard_end(&h);
    }
}

/* ---- grasps ---- */

static void add_plate(Hard *h, double side, double mass, double force)
{
    const double radius = 0.004, half[3] = {0.005, 0.03, 0.03};
    TnBodyDef body = tn_body_def();
    TnJointDef slide = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    TnActuatorDef drive = tn_actuator_def();
    body.pos[0] = side * (radius + half[0]);
    geom.body = slide.body = tn_builder_add_body(h->scene.builder, &body);
    slide.type = TN_JOINT_SLIDE;
    slide.axis[0] = 1, slide.axis[2] = 0;
    drive.joint = tn_builder_add_joint(h->scene.builder, &slide);
    drive.bias[0] = -side * force;
    tn_builder_add_actuator(h->scene.builder, &drive);
    geom.type = TN_GEOM_BOX;
    memcpy(geom.size, half, sizeof half);
    geom.mass = mass;
    geom.friction[0] = 0.7;
    tn_builder_add_geom(h->scene.builder, &geom);
}

/* A capsule of 45 g between two plates, held by friction alone: less than 0.1 µm/s. */
TEST(a_pinched_capsule_does_not_creep)
{
    static const double masses[] = {0.1, 5.0}, forces[] = {12.0, 60.0};
    for (int i = 0; i < 4; i++) {
        Hard h = hard_begin(-1.0);
        TnGeomDef capsule = tn_geom_def();
        add_plate(&h, -1, masses[i % 2], forces[i / 2]);
        add_plate(&h, 1, masses[i % 2], forces[i / 2]);
        capsule.type = TN_GEOM_CAPSULE;
        capsule.size[0] = 0.004, capsule.size[1] = 0.02;
        capsule.quat[0] = capsule.quat[1] = sqrt(0.5); /* along y */
        capsule.mass = 0.045;
        capsule.friction[0] = 0.7;
        add_body(&h, capsule, (double[]){0, 0, 0}, upright);
        REQUIRE(hard_start(&h));
        run(&h, 100, 0.0);
        remember(&h);
        run(&h, 300, 0.0);
        CHECK(h.not_converged == 0);
        CHECK_NEAR(motion_of(&h).way / 3.0, 0.0, 1e-7);
        hard_end(&h);
    }
}

/* 200 N along x, and the wall's friction of 0.7 has to bear 2 kg: less than 1e-8 m in three
 * seconds. */
TEST(a_box_pressed_against_a_wall_does_not_slip)
{
    Hard h = hard_begin(-1.0);
    TnGeomDef wall = tn_geom_def();
    wall.body = TN_BODY_WORLD;
    wall.type = TN_GEOM_PLANE;
    wall.quat[0] = sqrt(0.5), wall.quat[2] = -sqrt(0.5);
    wall.pos[0] = edge / 2;
    wall.friction[0] = 0.7;
    tn_builder_add_geom(h.scene.builder, &wall);
    add_box(&h, (double[]){edge / 2, edge / 2, edge / 2}, 2.0, 0.7, (double[]){0, 0, 0}, upright);
    REQUIRE(hard_start(&h));
    for (int k = 0; k < 320; k++) {
        if (k == 20) remember(&h);
        tn_world_apply_wrench(h.world, h.body[0], (double[]){200, 0, 0}, (double[3]){0});
        step(&h, 0.0);
    }
    CHECK(h.not_converged == 0);
    CHECK_NEAR(motion_of(&h).way, 0.0, 1e-8);
    hard_end(&h);
}

/* ---- motion in closed form ---- */

/* Where a box is after one second on a slope, by gravity tilted about y. */
static bool slide(double mu, double angle, double *way, double *speed)
{
    Hard h = hard_begin(mu);
    double v[3], w[3];
    h.scene.option.gravity[0] = G * sin(angle);
    h.scene.option.gravity[2] = -G * cos(angle);
    add_box(&h, (double[]){0.1, 0.1, 0.05}, 1.3, mu, (double[]){0, 0, 0.05}, upright);
    if (!hard_start(&h)) return false;
    run(&h, 100, 0.0);
    tn_world_body_velocity(h.world, h.body[0], v, w);
    *way = motion_of(&h).way;
    *speed = v[0];
    bool converged = h.not_converged == 0;
    hard_end(&h);
    return converged;
}

/* Midpoint steps of a constant acceleration are exact; each may be off by 1e-6 of g·t = 1e-7 m/s,
 * and errors of one sign add up to 1e-5 m/s in 100. In fact the forces repeat, and so do the
 * errors: one step's worth. */
TEST(a_box_slides_down_as_it_should)
{
    for (double mu = 0.1; mu < 0.5; mu += 0.1) {
        double angle = 0.6, a = G * (sin(angle) - mu * cos(angle)), way, speed;
        REQUIRE(slide(mu, angle, &way, &speed));
        CHECK_NEAR(speed, a, 1e-5);
        CHECK_NEAR(way, 0.5 * a, 1e-5); /* the mean velocity in each of 100 steps */
    }
}

/* tan angle 1e-6 below μ: it stays. Friction that pulls a milliradian sideways is a millionth too
 * small, and nothing that a tolerance sees tells it from the right one; so a tenth of what a
 * millionth of g makes in a second is allowed, 1e-6 m/s. 1e-6 above: it goes with 1e-6 g cos angle,
 * 8e-6 m/s after a second, which steps of a tolerance of 1e-7 m/s each cannot tell from rest; so
 * that one is looked at 1e-4 above. */
TEST(the_angle_of_friction_is_met_to_a_millionth)
{
    for (double mu = 0.2; mu < 1.0; mu += 0.3) {
        double way, speed;
        REQUIRE(slide(mu, atan(mu - 1e-6), &way, &speed));
        CHECK_NEAR(speed, 0.0, 1e-6);
        CHECK_NEAR(way, 0.0, 1e-6);
        double angle = atan(mu + 1e-4), a = G * (sin(angle) - mu * cos(angle));
        REQUIRE(slide(mu, angle, &way, &speed));
        CHECK_NEAR(speed, a, 1e-5);
        CHECK(speed > 0.9 * a);
    }
}

/* A tall box leans over its lower edge and falls: ½ I ω² = m g r (cos φ₀ - cos φ) about the edge, φ
 * from the vertical. What touches moves by t v⁺, which is of first order: 4 t/s of it at most. */
static void tip(double timestep)
{
    const double a = 0.05, b = 0.15, mass = 2.0, lean = 0.05;
    double r = hypot(a, b), balance = atan2(a, b), angle = balance + lean, pos[3], q[4], v[3], w[3];
    Hard h = hard_begin(1.0);
    h.scene.option.timestep = timestep;
    /* the edge at x = 0, y along it, turned about y */
    const double half[3] = {a, 0.05, b}, at[3] = {r * sin(lean), 0, r * cos(lean)};
    const double quat[4] = {cos(angle / 2), 0, sin(angle / 2), 0};
    add_box(&h, half, mass, 1.0, at, quat);
    REQUIRE(hard_start(&h));
    double inertia = mass * r * r * 4.0 / 3.0, phi = lean;
    int steps = 0;
    for (; phi < 0.5 && steps < 8000; steps++) {
        step(&h, 0.0);
        tn_world_body_pose(h.world, h.body[0], pos, q);
        phi = 2.0 * atan2(q[2], q[0]) - balance;
    }
    tn_world_body_velocity(h.world, h.body[0], v, w);
    double expected = sqrt(2.0 * mass * G * r * (cos(lean) - cos(phi)) / inertia);
    CHECK(steps < 8000 && h.not_converged == 0);
    CHECK_NEAR(w[1], expected, 4.0 * timestep * expected);
    CHECK_NEAR(pos[0], r * sin(phi), 0.1 * timestep); /* the edge stays where it was */
    CHECK_NEAR(w[0], 0.0, 1e-5);
    hard_end(&h);
}

TEST(a_box_tips_about_its_edge)
{
    tip(1e-3);
    tip(2.5e-4);
}

/* ---- energy and momentum ---- */

/* Boxes dropped in a heap, in several ways: the most that one step gains, of all there is. Not the
 * first one, which pushes apart what overlaps as it starts to fall: 1e-6 for 1.6 mm. */
static double heap_gain(int skipped)
{
    Hard h = hard_begin(0.5);
    for (int i = 0; i < skipped; i++) uniform(&h);
    for (int i = 0; i < 12; i++) {
        double q[4] = {1, 0.4 * uniform(&h), 0.4 * uniform(&h), 0.4 * uniform(&h)}, n = 0.0;
        for (int k = 0; k < 4; k++) n += q[k] * q[k];
        for (int k = 0; k < 4; k++) q[k] /= sqrt(n);
        add_box(&h, (double[]){0.05, 0.04, 0.06}, 1.0 + 0.5 * uniform(&h), 0.5,
                (double[]){0.04 * uniform(&h), 0.04 * uniform(&h), 0.12 + 0.16 * i}, q);
    }
    if (!hard_start(&h)) return INFINITY;
    TnEnergy e = tn_world_energy(h.world);
    double last = e.kinetic + e.potential, fell = last, gain = 0.0;
    for (int k = 0; k < UNLESS_SANITIZED(250, 60); k++) {
        step(&h, 0.0);
        e = tn_world_energy(h.world);
        if (k > 0) gain = fmax(gain, e.kinetic + e.potential - last);
        last = e.kinetic + e.potential;
    }
    hard_end(&h);
    return gain / fell;
}

/* Measured: 1e-11 to 1e-9 in 20 of 24 heaps, which the tolerance of 1e-7 m/s leaves at some m/s;
 * 3e-6 where boxes that overlap by some 10 µm are pushed apart. Which heaps these are depends on
 * roundings: 1e-4 leaves room. */
TEST(passive_scenes_never_gain_energy)
{
    for (int k = 0; k < UNLESS_SANITIZED(24, 2); k++) CHECK(heap_gain(k) < 1e-4);
}

/* No gravity, and bodies that hit each other: whatever λ is, it acts on both, and v = A⁻¹(b +
 * Jᵀλ). */
TEST(colliding_bodies_keep_their_momentum)
{
    Hard h = hard_begin(-1.0);
    memset(h.scene.option.gravity, 0, sizeof h.scene.option.gravity);
    for (int i = 0; i < 8; i++)
        add_cube(&h, 0.13 * (i % 2), 0.13 * (i / 2 % 2), 0.13 * (i / 4), 1.0 + i);
    REQUIRE(hard_start(&h));
    double qvel[48] = {0}, p0[3], l0[3], p[3], l[3], size = 0.0;
    TnStateView state = tn_world_state(h.world);
    double qpos[56];
    memcpy(qpos, state.qpos, sizeof qpos);
    for (int i = 0; i < 8; i++) /* towards the middle, and past it */
        for (int k = 0; k < 3; k++) {
            qvel[6 * i + k] = -3.0 * (qpos[7 * i + k] - 0.065) + 0.1 * uniform(&h);
            size += fabs(qvel[6 * i + k]) * h.mass[i];
        }
    REQUIRE(tn_world_set_state(h.world, qpos, qvel, NULL) == TN_OK);
    tn_world_momentum(h.world, p0, l0);
    int touches = 0;
    for (int k = 0; k < 100; k++) touches += step(&h, 0.0).contact_count;
    tn_world_momentum(h.world, p, l);
    CHECK(touches > 20);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p[k], p0[k], 1e-12 * size);
    /* both sides take the force at one point: the same for its moment, but for the motion in
     * between, which free rotation has too */
    for (int k = 0; k < 3; k++) CHECK_NEAR(l[k], l0[k], 1e-9 * size);
    hard_end(&h);
}

/* Five balls in a row, a gap between each two, restitution 1: each hands on all that it has.
 * Momentum to 1e-12; the gap's share of the last step is lost in place, not in speed. */
TEST(balls_in_a_row_hand_their_speed_on)
{
    enum { BALLS = 5 };
    Hard h = hard_begin(-1.0);
    memset(h.scene.option.gravity, 0, sizeof h.scene.option.gravity);
    h.scene.option.timestep = 1e-3;
    for (int i = 0; i < BALLS; i++) {
        TnGeomDef ball = tn_geom_def();
        ball.type = TN_GEOM_SPHERE;
        ball.size[0] = 0.02;
        ball.mass = 0.1;
        ball.restitution = 1.0;
        add_body(&h, ball, (double[]){0.045 * i, 0, 0}, upright);
    }
    REQUIRE(hard_start(&h));
    double qvel[6 * BALLS] = {1.0}, qpos[7 * BALLS], v[3], w[3];
    memcpy(qpos, tn_world_state(h.world).qpos, sizeof qpos);
    REQUIRE(tn_world_set_state(h.world, qpos, qvel, NULL) == TN_OK);
    run(&h, 100, 0.0);
    CHECK(h.not_converged == 0);
    for (int i = 0; i < BALLS; i++) {
        tn_world_body_velocity(h.world, h.body[i], v, w);
        CHECK_NEAR(v[0], i == BALLS - 1 ? 1.0 : 0.0, 1e-6);
    }
    hard_end(&h);
}
