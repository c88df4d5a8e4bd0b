/* Subsystems put together from several parts: what is solved together must not matter to the
 * result. */
#include "../check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

enum { SEGMENTS = 32 };

/* A rod of 0.32 m along x, held by one or two arms of two hinges each, or by nothing. */
typedef struct Setup {
    int arms;     /* 0, 1, 2 */
    bool loop;    /* the first arm holds the other end too */
    bool ring;    /* the ends are welded to each other */
    bool payload; /* a free body of 0.2 kg on the last segment */
    bool clamp;   /* the arm holds the second segment as well */
    bool bar;     /* something to lie on */
    TnDivisionDef division;
    double tolerance;
    double timestep; /* 0: 10 ms */
} Setup;

static TnBodyId add_arm(TnModelBuilder *b, double x, double sign, const char *name)
{
    TnBodyId parent = 0;
    for (int k = 0; k < 2; k++) {
        TnBodyDef body = tn_body_def();
        if (k) body.parent = parent;
        body.name = k ? name : NULL;
        body.pos[0] = k ? 0.2 * sign : x - 0.4 * sign;
        body.pos[2] = k ? 0.0 : 0.5;
        parent = tn_builder_add_body(b, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = parent;
        joint.axis[0] = 0, joint.axis[1] = k ? 1 : 0.6, joint.axis[2] = k ? 0 : 0.8;
        joint.damping = 0.05;
        tn_builder_add_joint(b, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = parent;
        geom.type = TN_GEOM_BOX;
        geom.pos[0] = 0.1 * sign;
        geom.size[0] = 0.1, geom.size[1] = geom.size[2] = 0.01;
        geom.contact_type = geom.contact_affinity = 0;
        tn_builder_add_geom(b, &geom);
    }
    return parent;
}

static void add_weld(TnModelBuilder *b, TnBodyId body1, TnBodyId body2)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = body1;
    weld.body2 = body2;
    tn_builder_add_equality(b, &weld);
}

static void add_ring(TnRodDef *rod, double *points)
{
    for (int i = 0; i <= SEGMENTS;
         i++) { /* one segment more than closes it: first and last coincide */
        double a = 2 * 3.14159265358979323846 * i / (SEGMENTS - 1);
        points[3 * i] = 0.06 * cos(a);
        points[3 * i + 1] = 0.06 * sin(a);
        points[3 * i + 2] = 0.5;
    }
    rod->points = points;
}

static TnWorld *make(Setup setup, TnModel **model)
{
    TnModelBuilder *b = tn_builder_create();
    TnOption option = tn_option();
    if (setup.timestep > 0) option.timestep = setup.timestep;
    tn_builder_set_option(b, &option, (TnSource){0});
    TnError err = {0};
    double points[3 * (SEGMENTS + 1)];
    TnBodyId arms[2] = {0};
    for (int i = 0; i < setup.arms; i++)
        arms[i] = add_arm(b, i ? 0.32 : 0.0, i ? -1 : 1, i ? "right" : "left");
    TnRodDef rod = tn_rod_def();
    rod.name = "rod";
    rod.segment_count = SEGMENTS;
    rod.end[0] = 0.32;
    rod.start[2] = rod.end[2] = 0.5;
    rod.radius = 0.004;
    rod.youngs_modulus = 1e6;
    if (setup.ring) add_ring(&rod, points);
    TnBodyId first = tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod)).body,
             last = first + SEGMENTS - 1;
    if (setup.arms > 0) add_weld(b, arms[0], first);
    if (setup.clamp) add_weld(b, first + 1, arms[0]);
    if (setup.arms > 1) add_weld(b, last, arms[1]);
    if (setup.loop) add_weld(b, arms[0], last);
    if (setup.ring) add_weld(b, first, last);
    if (setup.payload) {
        TnBodyDef body = tn_body_def();
        body.pos[0] = 0.34, body.pos[2] = 0.5;
        TnBodyId load = tn_builder_add_body(b, &body);
        TnJointDef joint = tn_joint_def();
        joint.type = TN_JOINT_FREE;
        joint.body = load;
        tn_builder_add_joint(b, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = load;
        geom.size[0] = 0.02;
        geom.contact_type = geom.contact_affinity = 0;
        tn_builder_add_geom(b, &geom);
        add_weld(b, load, last);
    }
    if (setup.bar) {
        TnGeomDef geom = tn_geom_def();
        geom.type = TN_GEOM_CAPSULE;
        geom.pos[0] = 0.2, geom.pos[2] = 0.485;
        geom.quat[0] = geom.quat[1] = sqrt(0.5); /* along y */
        geom.size[0] = 0.01, geom.size[1] = 0.1;
        tn_builder_add_geom(b, &geom);
    }
    *model = tn_builder_compile(b, &err);
    tn_builder_destroy(b);
    TnWorldDef def = tn_world_def();
    def.division = setup.division;
    def.passes = 3; /* an iterated weld is linear about what was found, one inside is exact */
    if (setup.tolerance > 0) {
        def.solver.tolerance = setup.tolerance;
        def.solver.iterations = 20000;
    }
    TnWorld *world = tn_world_create(&def, *model, &err);
    if (!world) printf("%s\n", err.message);
    return world;
}

/* Largest difference of a coordinate after some steps. */
static double difference(Setup setup, TnDivisionDef other, int steps)
{
    TnModel *models[2];
    TnWorld *worlds[2];
    double most = 0;
    for (int i = 0; i < 2; i++) {
        if (i) setup.division = other;
        worlds[i] = make(setup, &models[i]);
        if (!worlds[i]) return INFINITY;
        for (int k = 0; k < steps; k++)
            if (tn_world_step(worlds[i]).diverged) most = INFINITY;
    }
    TnStateView a = tn_world_state(worlds[0]), b = tn_world_state(worlds[1]);
    for (int i = 0; i < a.qpos_count; i++) most = fmax(most, fabs(a.qpos[i] - b.qpos[i]));
    for (int i = 0; i < 2; i++) {
        tn_world_destroy(worlds[i]);
        tn_model_destroy(models[i]);
    }
    return most;
}

static const TnDivisionDef whole = {.kind = TN_DIVISION_WHOLE};

static TnDivisionDef groups(int size)
{
    return (TnDivisionDef){.kind = TN_DIVISION_GROUPS, .group_size = size};
}

TEST(groups_of_a_free_rod_agree_with_the_whole)
{
    /* The same equations in other pieces, solved to 1e-11 m/s: twenty steps of 10 ms add up 2e-12 m
     * per step, and a soft rod spreads that; 1e-8 leaves room. */
    Setup setup = {.division = whole, .tolerance = 1e-11};
    const int sizes[] = {1, 4, 16};
    for (int i = 0; i < 3; i++) CHECK(difference(setup, groups(sizes[i]), 20) < 1e-8);
}

TEST(groups_of_a_rod_on_a_bar_agree_with_the_whole)
{
    /* Contacts part the way of v̂ to its limit from one division to the other: 1e-6 is asked for. */
    Setup setup = {.bar = true, .division = whole, .tolerance = 1e-11};
    const int sizes[] = {1, 4, 16};
    for (int i = 0; i < 3; i++)
        CHECK(difference(setup, groups(sizes[i]), UNLESS_SANITIZED(20, 2)) < 1e-6);
}

TEST(robots_apart_agree_with_robots_inside)
{
    /* An iterated weld asks for the same v̂ = T q̇̂ that is put in where the robot is inside: 1e-13
     * measured without contacts; with them 1e-6 is asked for. */
    const int sizes[] = {4, 16, SEGMENTS};
    for (int arms = 1; arms <= 2; arms++)
        for (int i = 0; i < UNLESS_SANITIZED(3, 1); i++) {
            Setup setup = {.arms = arms, .clamp = arms == 2, .division = whole, .tolerance = 1e-11};
            CHECK(difference(setup, groups(sizes[i]), 20) <
                  1e-7); /* 1e-12 m/s wrong in twenty steps of soft rods */
            setup.bar = true;
            /* a few steps: which contacts are listed, and which of them strike, is decided, not
             * solved for, and parts the ways; a robot's link is on its arc in the middle of the
             * step, a segment on its chord: (t ω)² of the way in a step */
            CHECK(difference(setup, groups(sizes[i]), 4) < 1e-5);
        }
}

static double tie_error(const TnWorld *world, TnBodyId holder, TnBodyId segment,
                        const double pos[3], const double quat[4])
{
    double p[3], q[4], at[3], turn[4], most = 0;
    tn_world_body_pose(world, holder, p, q);
    tn_world_body_pose(world, segment, at, turn);
    /* segment in the holder's axes, by the quaternion product written out for its vector part */
    const double c[4] = {q[0], -q[1], -q[2], -q[3]};
    double d[3] = {at[0] - p[0], at[1] - p[1], at[2] - p[2]}, u[3] = {c[1], c[2], c[3]}, t[3];
    t[0] = 2 * (u[1] * d[2] - u[2] * d[1]);
    t[1] = 2 * (u[2] * d[0] - u[0] * d[2]);
    t[2] = 2 * (u[0] * d[1] - u[1] * d[0]);
    d[0] += c[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    d[1] += c[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    d[2] += c[0] * t[2] + u[0] * t[1] - u[1] * t[0];
    double r[4] = {c[0] * turn[0] - c[1] * turn[1] - c[2] * turn[2] - c[3] * turn[3],
                   c[0] * turn[1] + c[1] * turn[0] + c[2] * turn[3] - c[3] * turn[2],
                   c[0] * turn[2] - c[1] * turn[3] + c[2] * turn[0] + c[3] * turn[1],
                   c[0] * turn[3] + c[1] * turn[2] - c[2] * turn[1] + c[3] * turn[0]};
    double same = fabs(r[0] * quat[0] + r[1] * quat[1] + r[2] * quat[2] + r[3] * quat[3]);
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(d[k] - pos[k]));
    return fmax(most, 1 - same);
}

TEST(carried_segment_stays_with_its_holder_to_rounding)
{
    TnModel *model;
    TnWorld *world = make((Setup){.arms = 2, .clamp = true, .bar = true}, &model);
    REQUIRE(world);
    CHECK(tn_world_subsystem_count(world) == 1);
    CHECK(tn_world_bond_count(world) == 0);
    TnSubsystemInfo info = tn_world_subsystem_info(world, 0);
    CHECK(info.trees == 2);
    CHECK(info.segments == SEGMENTS);
    CHECK(info.unknowns == 4 + 6 * (SEGMENTS - 3));
    TnBodyId left = tn_model_find_body(model, "left"), first = tn_model_find_body(model, "rod_0");
    CHECK(tn_world_body_subsystem(world, left) == tn_world_body_subsystem(world, first));
    double p0[3], q0[4], p[3], q[4];
    tn_world_body_pose(world, left, p0, q0); /* axes of the world */
    tn_world_body_pose(world, first, p, q);
    for (int k = 0; k < 3; k++) p0[k] = p[k] - p0[k];
    for (int k = 0; k < 300; k++) REQUIRE(!tn_world_step(world).diverged);
    /* a few roundings of numbers below one */
    CHECK(tie_error(world, left, first, p0, q) < 1e-14);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(loop_ring_and_payload_are_iterated_and_hold)
{
    const Setup setups[] = {{.arms = 1, .loop = true},
                            {.arms = 1, .loop = true, .timestep = 0.0025},
                            {.ring = true},
                            {.arms = 1, .payload = true},
                            {.arms = 1, .payload = true, .timestep = 0.0025}};
    for (int i = 0; i < 5; i++) {
        double t = setups[i].timestep > 0 ? setups[i].timestep : 0.01;
        TnModel *model;
        TnWorld *world = make(setups[i], &model);
        REQUIRE(world);
        CHECK(tn_world_bond_count(world) == 1);
        TnBodyId holder = setups[i].loop   ? tn_model_find_body(model, "left")
                          : setups[i].ring ? tn_model_find_body(model, "rod_0")
                                           : tn_model_info(model).body_count,
                 last = tn_model_find_body(model, "rod_31");
        double p0[3], q0[4], p[3], q[4];
        tn_world_body_pose(world, holder, p0, q0);
        tn_world_body_pose(world, last, p, q);
        double local[3] = {p[0] - p0[0], p[1] - p0[1], p[2] - p0[2]},
               turn[4] = {q[0], q[1], q[2], q[3]};
        if (setups[i].ring) { /* first and last coincide */
            memset(local, 0, sizeof local);
            turn[0] = 1, turn[1] = turn[2] = turn[3] = 0;
        }
        double worst = 0;
        for (int k = 0; k < 2.0 / t; k++) {
            REQUIRE(!tn_world_step(world).diverged);
            worst = fmax(worst, tie_error(world, holder, last, local, turn));
        }
        /* second order: what the velocity across a weld turns by in a step, with accelerations of
         * some 20 m/s² */
        CHECK(worst < 20.0 * t * t);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(division_says_why)
{
    const struct {
        TnDivisionDef division;
        int subsystems, bonds;
        const char *words;
    } cases[] = {{{.kind = TN_DIVISION_AUTO}, 1, 0, "a cable is one subsystem"},
                 {{.kind = TN_DIVISION_PAPER}, 10, 9, "paper"},
                 {{.kind = TN_DIVISION_GROUPS, .group_size = 5}, 9, 8, "groups of 5"}};
    for (int i = 0; i < 3; i++) {
        TnModel *model;
        TnWorld *world = make((Setup){.arms = 2, .division = cases[i].division}, &model);
        REQUIRE(world);
        CHECK(tn_world_subsystem_count(world) == cases[i].subsystems);
        CHECK(tn_world_bond_count(world) == cases[i].bonds);
        CHECK(strstr(tn_world_division_reason(world), cases[i].words));
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* An arm of one hinge along x from the origin, 0.2 m, and 0.2 m of bar at its end: as a stiff rod
 * of so many segments that it carries, or (0) as a part of it. */
static TnWorld *pendulum(int segments, TnModel **model)
{
    TnModelBuilder *b = tn_builder_create();
    TnOption option = tn_option();
    TnError err = {0};
    option.timestep = 1e-3;
    tn_builder_set_option(b, &option, (TnSource){0});
    TnBodyDef body = tn_body_def();
    TnBodyId arm = tn_builder_add_body(b, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 0;
    tn_builder_add_joint(b, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = arm;
    geom.type = TN_GEOM_CYLINDER;
    geom.pos[0] = 0.1;
    geom.quat[0] = geom.quat[2] = sqrt(0.5); /* along x */
    geom.size[0] = 0.01, geom.size[1] = 0.1;
    tn_builder_add_geom(b, &geom);
    if (segments) {
        TnRodDef rod = tn_rod_def();
        rod.segment_count = segments;
        rod.start[0] = 0.2, rod.end[0] = 0.4;
        rod.radius = 0.01;
        rod.youngs_modulus = 1e9;
        add_weld(b, arm, tn_builder_rod_parts(b, tn_builder_add_rod(b, &rod)).body);
    } else {
        geom.pos[0] = 0.3;
        tn_builder_add_geom(b, &geom);
    }
    *model = tn_builder_compile(b, &err);
    tn_builder_destroy(b);
    TnWorldDef def = tn_world_def();
    return tn_world_create(&def, *model, &err);
}

TEST(stiff_rod_swings_with_its_arm_as_one_body)
{
    TnModel *models[2];
    TnWorld *worlds[2] = {pendulum(0, &models[0]), pendulum(8, &models[1])};
    REQUIRE(worlds[0] && worlds[1]);
    double most = 0;
    for (int k = 0; k < 1000; k++) {
        for (int i = 0; i < 2; i++) REQUIRE(!tn_world_step(worlds[i]).diverged);
        most =
            fmax(most, fabs(tn_world_state(worlds[0]).qpos[0] - tn_world_state(worlds[1]).qpos[0]));
    }
    /* The rod bends by about w L⁴ / 8 E I = 1e-6 m of 0.2 m, and the step is second order: 5e-5 of
     * 3 rad measured. The carried segment's inertia taken from its own velocity gave 5e-4, half of
     * that at half the step. */
    CHECK(most < 1e-4);
    for (int i = 0; i < 2; i++) {
        tn_world_destroy(worlds[i]);
        tn_model_destroy(models[i]);
    }
}

TEST(restored_world_with_carried_segments_continues_bit_for_bit)
{
    const TnDivisionDef divisions[] = {{.kind = TN_DIVISION_WHOLE},
                                       {.kind = TN_DIVISION_GROUPS, .group_size = 4}};
    for (int i = 0; i < 2; i++) {
        TnModel *model;
        TnError err = {0};
        TnWorld *world =
            make((Setup){.arms = 2, .clamp = true, .bar = true, .division = divisions[i]}, &model);
        REQUIRE(world);
        for (int k = 0; k < 40; k++) tn_world_step(world);
        size_t size = tn_world_save_size(world);
        void *state = malloc(size);
        REQUIRE(state && tn_world_save(world, state, size, &err) == TN_OK);
        uint64_t hash = 0;
        for (int again = 0; again < 2; again++) {
            for (int k = 0; k < 20; k++) REQUIRE(!tn_world_step(world).diverged);
            if (again) CHECK(tn_world_hash(world) == hash);
            hash = tn_world_hash(world);
            REQUIRE(tn_world_restore(world, state, size, &err) == TN_OK);
        }
        free(state);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

TEST(groups_have_the_same_bits_on_any_number_of_threads)
{
    uint64_t hash = 0;
    for (int threads = 1; threads <= 4; threads = MORE_THREADS(threads)) {
        TnModelBuilder *b = tn_builder_create();
        TnError err = {0};
        TnRodDef rod = tn_rod_def();
        rod.segment_count = 300;
        rod.end[0] = 1.5;
        rod.start[2] = rod.end[2] = 0.02;
        rod.radius = 0.005;
        rod.youngs_modulus = 1e5;
        tn_builder_add_rod(b, &rod);
        TnGeomDef ground = tn_geom_def();
        ground.type = TN_GEOM_PLANE;
        tn_builder_add_geom(b, &ground);
        TnModel *model = tn_builder_compile(b, &err);
        tn_builder_destroy(b);
        TnWorldDef def = tn_world_def();
        def.division = groups(2); /* 149 springs between groups: enough for threads */
        def.thread_count = threads;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        CHECK(tn_world_bond_count(world) == 149);
        for (int k = 0; k < 30; k++) REQUIRE(!tn_world_step(world).diverged);
        if (threads > 1) CHECK(tn_world_hash(world) == hash);
        hash = tn_world_hash(world);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}
