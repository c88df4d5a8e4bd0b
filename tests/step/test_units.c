/* A world has no units: all lengths, masses or times a thousand times as large or as small take the same iterations. */
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

static TnBodyId link(Scene *s, Units u, TnBodyId parent, double z)
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
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

/* An arm of two links, one joint at its limit and one driven, that presses on a box. */
static void robot(Scene *s, Units u)
{
    double torque = u.mass * u.length * u.length / (u.time * u.time);
    scene_plane(s, 0.5);
    TnBodyId parent = TN_BODY_WORLD;
    for (int i = 0; i < 2; i++) {
        parent = link(s, u, parent, i ? 0.0 : 0.26);
        TnJointDef joint = tn_joint_def();
        joint.body = parent;
        joint.axis[1] = 1.0;
        joint.axis[2] = 0.0;
        joint.limited = true;
        joint.range[0] = -0.2;
        joint.range[1] = i ? 0.01 : 1.0;
        joint.friction_loss = 0.1 * torque;
        TnJointId id = tn_builder_add_joint(s->builder, &joint);
        TnActuatorDef motor = tn_actuator_def();
        motor.joint = id;
        motor.gain = 0.0;
        motor.bias[0] = (i ? 0.5 : 2.0) * torque;
        tn_builder_add_actuator(s->builder, &motor);
    }
    box(s, u, 0.45, 0.1, 0.1, 3.0);
}

/* Iterations of twenty steps; 0: some step was not solved. */
static int count(void (*build)(Scene *, Units), Units u, TnMethod method)
{
    int sum = 0;
    TnError err = {0};
    Scene s = scene_begin();
    s.option.timestep *= u.time;
    for (int k = 0; k < 3; k++) s.option.gravity[k] *= u.length / (u.time * u.time);
    build(&s, u);
    TnModel *model = scene_compile(&s);
    TnWorldDef def = tn_world_def();
    def.solver.method = method;
    def.solver.iterations = 20000;
    def.solver.tolerance = 1e-5;
    TnWorld *world = tn_world_create(&def, model, &err);
    bool solved = world;
    for (int step = 0; solved && step < 20; step++) {
        TnStepReport report = tn_world_step(world);
        solved = report.converged && report.contact_count > 0;
        sum += report.iterations;
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
    return solved ? sum : 0;
}

static const Units metres = {1, 1, 1};
static const Units others[] = {{1e3, 1, 1},  {1e-3, 1, 1}, {1, 1e3, 1},
                               {1, 1e-3, 1}, {1, 1, 1e3},  {1, 1, 1e-3}};

/* Of the paper's five; how often other methods change their minds hangs on rounding. */
static bool is_counted(TnMethod method)
{
    return method == TN_METHOD_SUBADMM || method >= TN_METHOD_PGS;
}

static void check_units(void (*build)(Scene *, Units))
{
    for (int m = 0; m < METHODS; m++) {
        if (!is_counted(methods[m])) continue;
        int before = count(build, metres, methods[m]);
        CHECK(before > 0);
        printf("    %s %d:", tn_method_name(methods[m]), before);
        for (int i = 0; i < 6; i++) {
            int after = count(build, others[i], methods[m]);
            printf(" %d", after);
            CHECK(10 * abs(after - before) <= before);
        }
        printf("\n");
    }
}

TEST(a_stack_of_boxes_takes_the_same_iterations_in_any_units) { check_units(stack); }
TEST(a_pile_takes_the_same_iterations_in_any_units) { check_units(pile); }
TEST(a_robot_takes_the_same_iterations_in_any_units) { check_units(robot); }
