/* Actuators that the plugin mujoco.pid drives. Numbers of MuJoCo are those of version 4.0.0. */
#include "mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

static TnError err;

static const char *const TWO =
    "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='shared'>"
    "<config key='kp' value='30'/><config key='ki' value='20'/><config key='kd' value='2'/>"
    "<config key='imax' value='0.4'/><config key='slewmax' value='4'/></instance></plugin>"
    "</extension><option timestep='.01'/><worldbody>"
    "<body><joint name='j' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body>"
    "<body pos='0 1 0'><joint name='k' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body>"
    "</worldbody><actuator>"
    "<plugin joint='j' instance='shared' actdim='2' ctrlrange='-.5 .5'/>"
    "<plugin joint='k' plugin='mujoco.pid' actdim='1' gear='2'>"
    "<config key='kp' value='9'/><config key='ki' value='5'/></plugin></actuator></mujoco>";

static TnWorld *start(TnModel **m, double t)
{
    static const double ctrl[2] = {.8, .4};
    TnWorldDef def = tn_world_def();
    *m = load_text(TWO, &err);
    if (!*m) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (!*m) return NULL;
    (*m)->option.timestep = t;
    TnWorld *world = tn_world_create(&def, *m, &err);
    if (world) tn_world_set_ctrl(world, ctrl, &err);
    return world;
}

TEST(forces_and_activations_are_mujocos)
{
    static const double q[2] = {.2, -.1}, v[2] = {.3, .5}, act[3] = {.01, .1, -.05};
    TnModel *m;
    TnWorld *world = start(&m, .01);
    REQUIRE(world);
    REQUIRE(tn_world_set_state(world, q, v, &err) == TN_OK);
    REQUIRE(tn_world_set_act(world, act, &err) == TN_OK);
    double force[2];
    TnEval out = {.actuator_force = force, .act = act};
    REQUIRE(tn_model_eval(m, q, v, tn_world_state(world).ctrl, &out, &err) == TN_OK);
    CHECK_NEAR(force[0], 8.66, 1e-13);
    CHECK_NEAR(force[1], 5.18, 1e-13);
    tn_world_step(world);
    TnStateView s = tn_world_state(world);
    REQUIRE(s.act_count == 3);
    CHECK_NEAR(s.act[0], .013, 1e-15);
    CHECK_NEAR(s.act[1], .5, 0.0); /* in the first step the control is not held back */
    CHECK_NEAR(s.act[2], -.044, 1e-15);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(the_control_that_it_follows_changes_no_faster_than_it_may)
{
    static const double back[2] = {-.5, .4};
    TnModel *m;
    TnWorld *world = start(&m, .01);
    REQUIRE(world);
    tn_world_step(world);
    tn_world_set_ctrl(world, back, &err);
    for (int k = 0; k < 10; k++) tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).act[1], .5 - 10 * .01 * 4, 1e-14);
    for (int k = 0; k < 30; k++) tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).act[1], -.5, 0.0);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* After 0.3 s, from MuJoCo's steps of 100 and 50 µs, extrapolated. */
static double distance(double t)
{
    static const double mujoco[7] = {2 * 1.0994372515142916 - 1.0994685053358675,
                                     2 * 0.9746810385579959 - 0.9746758856248603,
                                     2 * 1.1948207895390413 - 1.1941307683498794,
                                     2 * 0.04704496244433739 - 0.04695272556561254,
                                     -0.02,
                                     .5,
                                     2 * -0.16675794039067632 + 0.16675772424923616};
    TnModel *m;
    TnWorld *world = start(&m, t);
    double largest = 0.0;
    if (!world) return INFINITY;
    for (int k = (int)lround(0.3 / t); k > 0; k--) tn_world_step(world);
    TnStateView s = tn_world_state(world);
    for (int i = 0; i < 7; i++) {
        double x = i < 2 ? s.qpos[i] : i < 4 ? s.qvel[i - 2] : s.act[i - 4];
        largest = fmax(largest, fabs(x - mujoco[i]));
    }
    tn_world_destroy(world);
    tn_model_destroy(m);
    return largest;
}

TEST(trajectories_become_mujocos_as_the_step_does)
{
    double coarse = distance(2e-3), fine = distance(5e-4);
    CHECK(coarse < 0.05); /* first order: gains act at the end of the step */
    CHECK(fine < 0.35 * coarse);
}

#define ONE(ACTUATOR)                                                                              \
    "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"               \
    "<actuator>\n" ACTUATOR "</actuator></mujoco>"

TEST(wrong_controllers_are_told_at_their_place)
{
    static const Refused cases[] = {
        {ONE("<plugin joint='j' plugin='mujoco.foo'/>"), "2:19", "'mujoco.foo' is not supported"},
        {ONE("<plugin joint='j' instance='x'/>"), "2:19", "no plugin instance named 'x'"},
        {ONE("<plugin joint='j' plugin='mujoco.pid'><config key='ki' value='1'/></plugin>"), "2:1",
         "actdim is 0, but the controller has 1"},
        {ONE("<plugin joint='j' plugin='mujoco.pid'><config key='kq' value='1'/></plugin>"), "2:47",
         "must be one of"},
        {ONE("<plugin joint='j' plugin='mujoco.pid'><config key='kp' value='-1'/></plugin>"),
         "2:56", "not negative"},
    };
    CHECK_REFUSED(cases);
}
