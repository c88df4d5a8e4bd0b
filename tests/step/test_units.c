/* A world has no units: all lengths, masses or times a thousand times as large or as small take the
 * same iterations.
 *
 * Of powers of two every number is that of the other units but for its exponent, and so every
 * decision must be the same: counts are equal. Others round differently, which changes counts a
 * little. */
#include "../check.h"

#include "../solver/methods.h"
#include "scene.h"

typedef struct Units {
    double length, mass, time;
} Units;

static void box(Scene *s, Units u, double x, double z, double half, double mass)
{
    const double size[3] = {half * u.length, half * u.length, half * u.length};
    const double at[3] = {x * u.length, 0.0, z * u.length};
    scene_free(s, TN_GEOM_BOX, size, mass * u.mass, at, 0.2, 0.0);
}

/* Five boxes on top of each other, each a little aside. */
static void stack(Scene *s, Units u)
{
    scene_plane(s, 0.5);
    for (int i = 0; i < 5; i++) box(s, u, 0.01 * (i % 2), 0.1 + 0.2 * i, 0.1, 1.0 + i % 2);
}

/* Spheres and boxes that have just met. */
static void pile(Scene *s, Units u)
{
    scene_plane(s, 0.5);
    for (int i = 0; i < 6; i++) {
        const double size[3] = {0.1 * u.length, 0.1 * u.length, 0.1 * u.length};
        double at[3] = {0.15 * (i % 3) + 0.03 * (i / 3), 0.14 * (i / 3 % 2), 0.12 + 0.19 * (i / 6)};
        for (int k = 0; k < 3; k++) at[k] *= u.length;
        scene_free(s, i % 3 ? TN_GEOM_SPHERE : TN_GEOM_BOX, size, (1.0 + 0.2 * i) * u.mass, at, 0.4,
                   0.0);
    }
}

static TnBodyId link(Scene *s, Units u, TnBodyId parent, double x, double z)
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
    body.pos[0] = x * u.length;
    body.pos[2] = z * u.length;
    TnBodyId id = tn_builder_add_body(s->builder, &body);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.type = TN_GEOM_CAPSULE;
    geom.size[0] = 0.04 * u.length;
    geom.size[1] = 0.15 * u.length;
    geom.pos[0] = 0.15 * u.length;
    geom.quat[0] = geom.quat[2] = 0.70710678118654757;
    geom.mass = u.mass;
    geom.friction[0] = 0.2;
    tn_builder_add_geom(s->builder, &geom);
    return id;
}

static double force_of(Units u) { return u.mass * u.length / (u.time * u.time); }
static double torque_of(Units u) { return force_of(u) * u.length; }

static TnJointId hinge(Scene *s, Units u, TnBodyId body, double upper, double friction_loss)
{
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.limited = true;
    joint.range[0] = -0.2;
    joint.range[1] = upper;
    joint.friction_loss = friction_loss * torque_of(u);
    return tn_builder_add_joint(s->builder, &joint);
}

/* An arm of two links, one joint at its limit and one driven, that presses on a box. */
static void robot(Scene *s, Units u)
{
    scene_plane(s, 0.5);
    TnBodyId parent = TN_BODY_WORLD;
    for (int i = 0; i < 2; i++) {
        parent = link(s, u, parent, 0.0, i ? 0.0 : 0.26);
        TnActuatorDef motor = tn_actuator_def();
        motor.joint = hinge(s, u, parent, i ? 0.01 : 1.0, 0.1);
        motor.gain = 0.0;
        motor.bias[0] = (i ? 0.5 : 2.0) * torque_of(u);
        tn_builder_add_actuator(s->builder, &motor);
    }
    box(s, u, 0.45, 0.1, 0.1, 3.0);
}

/* Rows of all other kinds: an arm of four links with two joints coupled, tendons of a length and of
 * an angle, and a box welded to its tip; a box beside it that spins and rolls. */
static void machine(Scene *s, Units u)
{
    TnBodyId body[4];
    TnJointId joint[4];
    scene_plane(s, 0.5);
    for (int i = 0; i < 4; i++) {
        body[i] = link(s, u, i ? body[i - 1] : TN_BODY_WORLD, i ? 0.3 : 0.0, i ? 0.0 : 0.5);
        joint[i] = hinge(s, u, body[i], 0.4, i == 1 ? 0.2 : 0.0);
    }
    TnEqualityDef equality = tn_equality_def();
    equality.type = TN_EQUALITY_JOINT;
    equality.joint1 = joint[1];
    equality.joint2 = joint[2];
    tn_builder_add_equality(s->builder, &equality);
    for (int angle = 0; angle < 2; angle++) {
        const TnTendonJoint joints[2] = {{joint[0], angle ? 1.0 : 0.1 * u.length},
                                         {joint[3], angle ? 1.0 : -0.05 * u.length}};
        TnTendonDef tendon = tn_tendon_def();
        tendon.joints = joints;
        tendon.joint_count = 2;
        tendon.limited = true;
        tendon.range[0] = angle ? -1.0 : -0.02 * u.length;
        tendon.range[1] = angle ? 0.05 : 0.0005 * u.length;
        tendon.friction_loss = angle ? 0.02 * torque_of(u) : 0.3 * force_of(u);
        tn_builder_add_tendon(s->builder, &tendon);
    }
    const double size[3] = {0.05 * u.length, 0.05 * u.length, 0.05 * u.length};
    const double at[3] = {1.35 * u.length, 0.0, 0.5 * u.length};
    equality = tn_equality_def();
    equality.type = TN_EQUALITY_WELD;
    equality.body1 = body[3];
    equality.body2 = scene_free(s, TN_GEOM_BOX, size, 0.5 * u.mass, at, 0.3, 0.0);
    tn_builder_add_equality(s->builder, &equality);
    TnBodyDef ball = tn_body_def();
    ball.pos[1] = 0.5 * u.length;
    ball.pos[2] = 0.1 * u.length;
    TnJointDef free = tn_joint_def();
    free.type = TN_JOINT_FREE;
    free.body = tn_builder_add_body(s->builder, &ball);
    tn_builder_add_joint(s->builder, &free);
    TnGeomDef geom = tn_geom_def();
    geom.body = free.body;
    geom.type = TN_GEOM_BOX;
    for (int k = 0; k < 3; k++) geom.size[k] = 0.1 * u.length;
    geom.mass = u.mass;
    geom.contact_dim = 6;
    geom.priority = 1; /* its own friction, not the larger one of the two */
    geom.friction[1] = 0.01 * u.length;
    geom.friction[2] = 0.005 * u.length;
    tn_builder_add_geom(s->builder, &geom);
}

/* Of all that an island can be solved by. */
static int work(const TnWorld *world, const TnStepReport *report)
{
    int sum = 0;
    for (int i = 0; i < report->island_count; i++) {
        TnIslandReport r = tn_world_island(world, i);
        sum += r.subadmm_iterations + r.sweeps + r.own_iterations + r.newton_steps;
    }
    return sum;
}

/* Iterations of twenty steps; 0: some step was not solved. */
static int count(void (*build)(Scene *, Units), Units u, Method method, int anderson)
{
    int sum = 0;
    TnError err = {0};
    Scene s = scene_begin();
    s.option.timestep *= u.time;
    for (int k = 0; k < 3; k++) s.option.gravity[k] *= u.length / (u.time * u.time);
    build(&s, u);
    TnModel *model = scene_compile(&s);
    TnWorldDef def = tn_world_def();
    def.solver.method = method.method;
    def.solver.own = method.own;
    def.solver.iterations = 20000;
    def.solver.tolerance = 1e-5;
    def.solver.anderson = anderson;
    TnWorld *world = tn_world_create(&def, model, &err);
    bool solved = world;
    for (int step = 0; solved && step < 20; step++) {
        TnStepReport report = tn_world_step(world);
        solved = report.converged && report.contact_count > 0;
        sum += work(world, &report);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
    return solved ? sum : 0;
}

/* The paper's five, and what a world does by default. */
static bool is_counted(Method m) { return m.method != TN_METHOD_NEWTON; }

static const Units metres = {1, 1, 1};

/* Counts in units k times as large or as small differ by no more than 1/part of themselves. */
static void check_units(void (*build)(Scene *, Units), Method method, int anderson, double k,
                        int part)
{
    const Units others[] = {{k, 1, 1},     {1 / k, 1, 1}, {1, k, 1},
                            {1, 1 / k, 1}, {1, 1, k},     {1, 1, 1 / k}};
    int before = count(build, metres, method, anderson);
    CHECK(before > 0);
    printf("    %s %d:", method_name(method), before);
    for (int i = 0; i < 6; i++) {
        int after = count(build, others[i], method, anderson);
        printf(" %d", after);
        CHECK((long)part * abs(after - before) <= before);
    }
    printf("\n");
}

/* Rounding changes counts by more where
 *   auto's Newton ends a little above or below the tolerance, which is worth a method more or less:
 *     a dozen iterations in one of twenty steps that take one each;
 *     its LU factors compare forces with torques for their pivots, so lengths change rounding as
 *     well;
 *   Anderson's mixing makes of another last digit another way to the solution: full ADMM takes up
 * to half as many iterations again on the robot, whatever the units. */
static void check_scene(void (*build)(Scene *, Units))
{
    for (int m = 0; m < METHODS; m++) {
        bool automatic = methods[m].method == TN_METHOD_AUTO;
        if (!is_counted(methods[m])) continue;
        check_units(build, methods[m], -1, 1024.0, automatic ? 1 : 1000000);
        bool assembled = methods[m].method == TN_METHOD_ASSEMBLED;
        if (!automatic) check_units(build, methods[m], assembled ? 0 : -1, 1000.0, 10);
    }
}

TEST(a_stack_of_boxes_takes_the_same_iterations_in_any_units) { check_scene(stack); }
TEST(a_pile_takes_the_same_iterations_in_any_units) { check_scene(pile); }
TEST(a_robot_takes_the_same_iterations_in_any_units) { check_scene(robot); }
TEST(rows_of_every_kind_take_the_same_iterations_in_any_units) { check_scene(machine); }
