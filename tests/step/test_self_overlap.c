/* Robots whose parts overlap as they are built: docs/collision.md. */
#include "../check.h"
#include "../io/mjcf_text.h"

#include <math.h>
#include <tenon/tenon.h>

/* A thigh whose capsule reaches into the fixed pelvis, and a shin that reaches the pelvis only when
 * the knee is bent. */
static const char *leg =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<body name='pelvis' pos='0 0 2'><geom name='pelvis' size='0.1'/>"
    "  <body name='thigh' pos='0 0 -0.05'><joint name='hip' axis='0 1 0' damping='0.5'/>"
    "    <geom name='thigh' type='capsule' size='0.04' fromto='0 0 0 0 0 -0.4'/>"
    "    <body name='shin' pos='0 0 -0.4'><joint name='knee' axis='0 1 0' damping='0.1'/>"
    "      <geom name='shin' type='capsule' size='0.03' fromto='0 0 0 0 0 -0.4'/>"
    "    </body></body></body></worldbody>"
    "<actuator><motor joint='knee'/></actuator></mujoco>";

static TnWorld *make_world(const char *text, TnModel **model)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    *model = load_text(text, &err);
    return tn_world_create(&def, *model, &err);
}

static int contacts_between(TnWorld *world, const char *a, const char *b)
{
    const TnModel *model = tn_world_model(world);
    TnGeomId g = tn_model_find_geom(model, a), h = tn_model_find_geom(model, b);
    int count = 0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        count += (c.geom1 == g && c.geom2 == h) || (c.geom1 == h && c.geom2 == g);
    }
    return count;
}

TEST(parts_that_are_built_into_each_other_hang_still)
{
    TnModel *model;
    TnWorld *world = make_world(leg, &model);
    REQUIRE(world);
    CHECK(tn_world_self_overlap_count(world) == 1);
    TnSelfOverlap overlap = tn_world_self_overlap(world, 0);
    CHECK_STR(tn_model_geom_name(model, overlap.geom1), "thigh");
    CHECK_STR(tn_model_geom_name(model, overlap.geom2), "pelvis");
    CHECK_NEAR(overlap.depth, 0.1 + 0.04 - 0.05, 1e-9);
    CHECK(tn_world_self_overlap(world, 1).geom1 == 0);
    CHECK(tn_world_self_overlap(world, -1).geom1 == 0);
    for (int i = 0; i < 200; i++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.converged && report.contact_count == 0);
    }
    TnStateView state = tn_world_state(world);
    CHECK(fabs(state.qvel[0]) < 1e-12 && fabs(state.qvel[1]) < 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* The shin and the pelvis do not overlap in the reference pose, so they stop each other: folded up
 * by the motor, the shin's end leans on the pelvis. */
TEST(other_parts_of_the_same_robot_still_collide)
{
    TnModel *model;
    TnWorld *world = make_world(leg, &model);
    REQUIRE(world);
    const double torque = 8.0;
    CHECK(tn_world_set_ctrl(world, &torque, NULL) == TN_OK);
    double deepest = 0.0;
    for (int i = 0; i < 600; i++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.converged);
        deepest = fmax(deepest, report.max_penetration);
    }
    CHECK(contacts_between(world, "shin", "pelvis") > 0);
    CHECK(contacts_between(world, "thigh", "pelvis") == 0);
    CHECK(deepest < 1e-3);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A leg whose reference pose is folded: the shin is in the pelvis by more than it may be. Turned
 * out and folded again, it is stopped. */
TEST(parts_collide_once_they_have_come_apart)
{
    static const char *text =
        "<mujoco><option timestep='0.005' gravity='0 0 0'/><worldbody>"
        "<body name='pelvis' pos='0 0 2'><geom name='pelvis' size='0.1'/>"
        "  <body name='arm' pos='0 0 -0.5'><joint name='j' axis='0 1 0' ref='90'/>"
        "    <geom name='arm' type='capsule' size='0.03' fromto='0 0 0 0 0 0.45' mass='1'/>"
        "  </body></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>";
    TnModel *model;
    TnWorld *world = make_world(text, &model);
    REQUIRE(world);
    CHECK(tn_world_self_overlap_count(world) == 1);
    const double apart = 0.0, push = 1.0; /* turned by -90 degrees from the reference pose */
    CHECK(tn_world_set_state(world, &apart, NULL, NULL) == TN_OK);
    CHECK(tn_world_set_ctrl(world, &push, NULL) == TN_OK);
    double deepest = 0.0;
    for (int i = 0; i < 400; i++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.converged);
        deepest = fmax(deepest, report.max_penetration);
    }
    CHECK(contacts_between(world, "arm", "pelvis") > 0);
    CHECK(deepest < 1e-3);
    CHECK(tn_world_state(world).qpos[0] < 1.5); /* rad, short of the reference pose */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Two fingers start on the wrong sides of each other, outside their ranges. The limits send them
 * home, through each other. */
TEST(fingers_that_start_crossed_come_through_each_other)
{
    static const char *text =
        "<mujoco><compiler angle='radian'/><option timestep='0.002' gravity='0 0 0'/><worldbody>"
        "<body pos='0 0 1'><joint name='wrist' axis='0 0 1' damping='1'/><geom size='0.02'/>"
        "  <body name='left'><joint name='l' type='slide' axis='1 0 0' range='0.02 0.06' "
        "damping='5'/>"
        "    <geom name='left' type='box' size='0.001 0.01 0.02' pos='-0.0125 0.05 0'/></body>"
        "  <body name='right'><joint name='r' type='slide' axis='-1 0 0' range='0.02 0.06'"
        "      damping='5'/>"
        "    <geom name='right' type='box' size='0.001 0.01 0.02' pos='0.0125 0.05 0'/></body>"
        "</body></worldbody></mujoco>";
    TnModel *model;
    TnWorld *world = make_world(text, &model);
    REQUIRE(world);
    for (int i = 0; i < 1500; i++) CHECK(tn_world_step(world).converged);
    const double *q = tn_world_state(world).qpos;
    CHECK(q[1] > 0.0199 && q[2] > 0.0199);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
