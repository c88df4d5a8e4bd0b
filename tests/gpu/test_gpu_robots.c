/* Robots, cables and mocap bodies among free bodies on a device, as loops on the host
 * (src/gpu/parallel.h): steps against the CPU's. */
#include "agreement.h"

#include "base/base.h"
#include "gpu/gpu.h"

extern int tn_gpu_waits_left; /* of parallel.h */

/* Slow enough that contacts are listed where they are (narrow.cu follows fewer pairs on their way).
 */
static TnModel *open_scene(const char *robots, const char *more, int bodies, const char *geom)
{
    static Text text;
    text.length = 0;
    text_add(&text,
             "<mujoco><option timestep='.005'/><default><geom friction='.2'/></default>"
             "<worldbody>" GROUND "%s",
             robots);
    for (int i = 0; i < bodies; i++)
        text_add(&text, "<body pos='%g %g %g'><freejoint/>%s</body>", .25 + 0.11 * (i % 3),
                 0.1 + 0.11 * (i / 3 % 3), 0.05 + 0.11 * (i / 9), geom);
    text_add(&text, "</worldbody>%s</mujoco>", more);
    return open_model(text.text);
}

#define SPHERE "<geom size='.05'/>"
#define BOX "<geom type='box' size='.05 .05 .05'/>"
#define ARM                                                                                        \
    "<body name='arm' pos='0 0 .3'><joint name='a' axis='0 0 1' armature='.5' damping='1'/>"       \
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/>"                                      \
    "<body name='tip' pos='.3 0 0'><joint name='b' axis='0 1 0' range='-20 20' limited='true' "    \
    "armature='.1' stiffness='1' frictionloss='.05'/>"                                             \
    "<geom type='capsule' fromto='0 0 0 .1 0 -.2' size='.03'/></body></body>"
#define SERVOS "<actuator><position joint='a' kp='20' kv='5'/><motor joint='b'/></actuator>"

TEST(an_arm_among_spheres)
{
    Agreement a = compare(TN_DEVICE_CUDA64, open_scene(ARM, SERVOS, 9, SPHERE), 1e-12, 120);
    check_agreement("double", a, 60, 1e-9);
    CHECK(a.rows > a.compared / 2);
    a = compare(TN_DEVICE_CUDA, open_scene(ARM, SERVOS, 9, SPHERE), 1e-5, 60);
    check_agreement("single", a, 30, 1e-4);
}

TEST(an_arm_among_boxes)
{
    Agreement a = compare(TN_DEVICE_CUDA64, open_scene(ARM, SERVOS, 2, BOX), 1e-12, 60);
    check_agreement("boxes", a, 20, 1e-9);
}

/* It stands on four feet, and its legs are driven. */
TEST(a_floating_robot)
{
    static const char *const walker =
        "<body pos='.3 .2 .3'><freejoint/><geom type='box' size='.15 .1 .03'/>"
        "<body pos='.12 0 0'><joint name='a' axis='0 1 0' damping='.2'/>"
        "<geom type='capsule' fromto='0 0 0 .05 .1 -.12' size='.02'/>"
        "<geom type='capsule' fromto='0 0 0 .05 -.1 -.12' size='.02'/></body>"
        "<body pos='-.12 0 0'><joint name='b' type='ball' damping='.2'/>"
        "<geom type='capsule' fromto='0 0 0 -.05 .1 -.12' size='.02'/>"
        "<geom type='capsule' fromto='0 0 0 -.05 -.1 -.12' size='.02'/></body></body>";
    Agreement a = compare(
        TN_DEVICE_CUDA64,
        open_scene(walker, "<actuator><position joint='a' kp='5'/></actuator>", 4, BOX), 1e-12, 60);
    check_agreement("walker", a, 20, 1e-9);
    CHECK(a.contacts > 15 * a.compared);
}

/* Joints that follow each other, within a robot and between two; and two robots that are connected.
 */
TEST(equalities_of_robots)
{
    static const char *const two =
        ARM "<body name='other' pos='.9 0 .3'><joint name='c' axis='0 0 1' damping='1'/>"
            "<geom type='capsule' fromto='0 0 0 -.25 0 0' size='.03'/>"
            "<body name='end' pos='-.3 0 0'><joint name='d' type='slide' axis='0 0 1'/>"
            "<geom size='.04'/></body></body>";
    static const char *const joints =
        "<equality><joint joint1='a' joint2='c' polycoef='0 -1 0 0 0'/>"
        "<joint joint1='b' joint2='d' polycoef='0 5 0 0 0'/></equality>" SERVOS;
    static const char *const connect =
        "<equality><connect body1='tip' body2='end' anchor='.15 0 0'/></equality>" SERVOS;
    check_agreement("joints",
                    compare(TN_DEVICE_CUDA64, open_scene(two, joints, 9, SPHERE), 1e-12, 80), 40,
                    1e-9);
    check_agreement("connect",
                    compare(TN_DEVICE_CUDA64, open_scene(two, connect, 9, SPHERE), 1e-12, 40), 15,
                    1e-9);
}

/* A hand that is led through the spheres, and one that leads an arm. */
TEST(mocap_bodies)
{
    static const char *const hand = "<body name='hand' mocap='true' pos='.19 .15 .1'>"
                                    "<geom type='box' size='.03 .03 .1' euler='0 0 20'/></body>";
    check_agreement("mocap", compare(TN_DEVICE_CUDA64, open_scene(hand, "", 9, SPHERE), 1e-12, 60),
                    20, 1e-9);
    static const char *const led =
        "<body name='hand' mocap='true' pos='.19 .15 .1'/><body name='arm' pos='-.2 .15 .3'>"
        "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/>"
        "<body name='tip' pos='.3 0 0'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .1 0 -.2' size='.03'/></body></body>";
    check_agreement("led",
                    compare(TN_DEVICE_CUDA64,
                            open_scene(led,
                                       "<equality><connect body1='tip' body2='hand' "
                                       "anchor='.1 0 -.2'/></equality>",
                                       9, SPHERE),
                            1e-12, 60),
                    20, 1e-9);
}

#define CABLE(offset, initial)                                                                     \
    "<composite type='cable' prefix='rope' curve='s' count='21 1 1' size='.5' offset='" offset     \
    "' initial='" initial "'><plugin plugin='mujoco.elasticity.cable'><config key='twist' "        \
    "value='1e6'/><config key='bend' value='1e6'/></plugin><joint kind='main' damping='.002'/>"    \
    "<geom type='capsule' size='.012' density='1000'/></composite>"

/* It falls onto spheres; it is held by the world; an arm holds it. */
TEST(cables)
{
    static const char *const weld =
        "<equality><weld body1='tip' body2='ropeB_first'/></equality>" SERVOS;
    TnModel *models[3] = {open_scene(CABLE("0 .1 .13", "free"), "", 9, SPHERE),
                          open_scene(CABLE("0 .1 .13", "none"), "", 9, SPHERE),
                          open_scene(ARM CABLE(".4 0 .1", "free"), weld, 9, SPHERE)};
    const char *const names[3] = {"free", "held", "robot"};
    for (int i = 0; i < 3; i++)
        check_agreement(names[i], compare(TN_DEVICE_CUDA64, models[i], 1e-12, 60), 15, 1e-9);
}

/* Parts that overlap by design, parts that are told not to collide, and parts that do. */
TEST(robots_meet_themselves_as_on_the_cpu)
{
    static const char *const curled =
        "<body name='b1' pos='.1 .5 .4'><joint axis='0 1 0' damping='5' stiffness='20'/>"
        "<geom type='box' size='.1 .03 .03'/><body name='b2' pos='.1 0 0'>"
        "<joint axis='0 1 0' damping='5' stiffness='50'/><geom type='capsule' fromto='0 0 0 0 0 "
        ".06' size='.015'/><body name='b3' pos='0 0 .06'><joint axis='0 1 0'/><geom size='.05'/>"
        "<geom type='capsule' fromto='0 0 0 -.12 0 0' size='.02'/><body name='b4' pos='-.12 0 0'>"
        "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 -.1 0 0' size='.02'/></body>"
        "</body></body></body>";
    Agreement a = compare(
        TN_DEVICE_CUDA64,
        open_scene(curled, "<contact><exclude body1='b1' body2='b4'/></contact>", 9, SPHERE), 1e-12,
        100);
    check_agreement("curled", a, 30, 1e-9);
    CHECK(a.contacts > 9 * a.compared + 10); /* nine are of spheres */
}

static uint64_t run(TnWorldDef def, const TnModel *model, int steps)
{
    TnWorld *world = open_world(def, model);
    for (int k = 0; world && k < steps; k++) CHECK(!tn_world_step(world).diverged);
    uint64_t hash = tn_world_hash(world);
    tn_world_destroy(world);
    return hash;
}

TEST(two_runs_have_the_same_bits)
{
    TnModel *model = open_scene(ARM CABLE(".4 0 .1", "free"), SERVOS, 9, SPHERE);
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 30);
    CHECK(run(def, model, 60) == run(def, model, 60));
    tn_model_destroy(model);
}

#define WALKER                                                                                     \
    "<body name='trunk' pos='.3 .2 .2'><freejoint/><geom type='box' size='.15 .1 .03'/>"           \
    "<body pos='.12 0 0'><joint axis='0 1 0' damping='1'/>"                                        \
    "<geom type='capsule' fromto='0 0 0 .05 .1 -.12' size='.02'/></body></body>"

/* A robot and a cable lie on boxes and on the ground: forces from the ground carry all of it. */
TEST(forces_carry_the_weight)
{
    TnModel *model = open_scene(WALKER CABLE("0 .1 .13", "free"), "", 4, BOX);
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 1e-5, 600), model);
    enum { STEPS = UNLESS_SANITIZED(500, 50) };
    for (int k = 0; k < STEPS; k++) CHECK(!tn_world_step(world).diverged);
    double up = 0.0, weight = 9.81 * tn_model_info(model).total_mass;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        if (tn_model_geom_info(model, c.geom2).body == 1) up -= c.force[2];
    }
    if (STEPS == 500) { /* 3 %: what is left of the motion after 2.5 s */
        CHECK_NEAR(up, weight, 0.03 * weight);
        CHECK(tn_world_energy(world).kinetic < 1e-2);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* An arm that hangs falls among spheres, and a cable with it: nothing drives them, so their energy
 * does not grow. */
TEST(energy_is_not_created)
{
    static const char *const hanging =
        "<body pos='0 .2 .5'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .25 0 0' "
        "size='.03'/><body pos='.25 0 0'><joint axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.03'/></body></body>";
    for (int pass = 0; pass < 2; pass++) {
        TnModel *model = open_scene(hanging, "", 9, SPHERE);
        if (pass) {
            tn_model_destroy(model);
            model = open_scene(CABLE("0 .1 .2", "free"), "", 9, SPHERE);
        }
        TnWorldDef def = tn_world_def(); /* as anybody has it */
        def.device = TN_DEVICE_CUDA;
        TnWorld *world = open_world(def, model);
        TnEnergy e = tn_world_energy(world);
        double start = e.kinetic + e.potential + e.elastic, last = start, most = 0.0;
        for (int k = 0; k < 300; k++) {
            CHECK(!tn_world_step(world).diverged);
            e = tn_world_energy(world);
            double now = e.kinetic + e.potential + e.elastic;
            most = fmax(most, now - last);
            last = now;
        }
        /* of the energy that there is to lose; spheres that overlap come apart */
        CHECK(most < 2e-3 * start);
        CHECK(last < start);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* What users do between steps: forces, controls, states, a reset. */
TEST(a_robot_is_driven_and_asked)
{
    TnError err = {0};
    TnModel *model =
        open_model("<mujoco><option gravity='0 0 0' timestep='.01'/><worldbody><body name='slider'>"
                   "<joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/></body>"
                   "<body pos='5 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
                   "<actuator><motor joint='x'/></actuator></mujoco>");
    TnWorldDef def = definition(TN_DEVICE_CUDA, 0.0, 5);
    for (int substeps = 1; substeps < 4; substeps += 2) {
        def.substeps = substeps;
        TnWorld *world = open_world(def, model);
        const double force[3] = {6.0, 0.0, 0.0}, push = 4.0, none = 0.0;
        double pos[3];
        tn_world_apply_wrench(world, tn_model_find_body(model, "slider"), force, NULL);
        (void)tn_world_step(world);
        CHECK_NEAR(tn_world_state(world).qvel[0], 0.03, 1e-12);
        (void)tn_world_step(world);
        CHECK_NEAR(tn_world_state(world).qvel[0], 0.03, 1e-12);
        CHECK(tn_world_set_ctrl(world, &push, &err) == TN_OK);
        (void)tn_world_step(world);
        CHECK_NEAR(tn_world_state(world).qvel[0], 0.05, 1e-12);
        CHECK(tn_world_set_ctrl(world, &none, &err) == TN_OK);
        (void)tn_world_step(world);
        TnStateView s = tn_world_state(world);
        CHECK_NEAR(s.qvel[0], 0.05, 1e-12);
        tn_world_body_pose(world, tn_model_find_body(model, "slider"), pos, NULL);
        CHECK_NEAR(pos[0], s.qpos[0], 1e-12);
        CHECK_NEAR(tn_world_energy(world).kinetic, 0.5 * 2.0 * 0.05 * 0.05, 1e-12);
        tn_world_reset(world, 0);
        (void)tn_world_step(world);
        CHECK_NEAR(tn_world_state(world).qvel[0], 0.0, 1e-12);
        CHECK_NEAR(tn_world_state(world).qpos[0], 0.0, 1e-12);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}

/* Gravity that changes makes the scene again; so do states that are not finite refuse a step. */
TEST(a_robot_in_a_changed_world)
{
    TnError err = {0};
    TnModel *model = open_scene(ARM, SERVOS, 3, SPHERE);
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 1e-8, 500), model),
            *here = open_world(definition(TN_DEVICE_CPU, 1e-8, 500), model);
    const double up[3] = {0.0, 0.0, 3.0};
    for (int k = 0; k < 20; k++) (void)tn_world_step(world);
    TnStateView s = tn_world_state(world);
    CHECK(tn_world_set_state(here, s.qpos, s.qvel, &err) == TN_OK);
    CHECK(tn_world_set_gravity(world, up, &err) == TN_OK);
    CHECK(tn_world_set_gravity(here, up, &err) == TN_OK);
    for (int k = 0; k < 3; k++) {
        CHECK(!tn_world_step(world).diverged);
        CHECK(!tn_world_step(here).diverged);
    }
    TnStateView a = tn_world_state(world), b = tn_world_state(here);
    CHECK(largest_difference(a.qvel, b.qvel, a.dof_count) < 1e-6);
    tn_world_destroy(world);
    tn_world_destroy(here);
    tn_model_destroy(model);
}

/* A device that is lost in any of its calls: the host has the state that it last asked for, robots
 * included. */
TEST(a_lost_device_leaves_the_last_state)
{
    TnModel *model = open_scene(ARM, SERVOS, 9, SPHERE);
    for (int wait = 1; wait < 12; wait++) {
        TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 1e-5, 200), model);
        for (int k = 0; k < 5; k++) CHECK(!tn_world_step(world).diverged);
        uint64_t hash = tn_world_hash(world);
        tn_gpu_waits_left = wait;
        TnStepReport r = {0};
        for (int k = 0; k < 20 && !r.diverged; k++) r = tn_world_step(world);
        tn_gpu_waits_left = 0;
        CHECK(r.diverged);
        CHECK(tn_world_hash(world) == hash);
        CHECK(tn_world_step(world).diverged);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}
