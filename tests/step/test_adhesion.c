/* Actuators that press bodies to what they touch. */
#include "../io/mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

static TnError err;

/* A box at the ceiling, a ball there, a box at a wall, and one on another box that is free. */
static const char *const SCENE =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<geom type='plane' size='9 9 1' pos='0 0 1' zaxis='0 0 -1'/>"
    "<geom type='box' pos='4.2 0 -5' size='.1 5 10' friction='.5'/>"
    "<body name='box' pos='0 0 .9'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='ball' pos='2 0 .9'><freejoint/><geom size='.1' mass='1'/></body>"
    "<body name='wall' pos='4 0 .5'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='1' friction='.5'/></body>"
    "<body name='upper' pos='0 5 0'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body name='lower' pos='0 5 -.2'><freejoint/><geom type='box' size='.1 .1 .1' "
    "mass='2'/></body>"
    "</worldbody><actuator><adhesion body='box' gain='10' ctrlrange='0 2'/>"
    "<adhesion body='ball' gain='10' ctrlrange='0 2'/>"
    "<adhesion body='wall' gain='20' ctrlrange='0 2'/>"
    "<adhesion body='upper' gain='10' ctrlrange='0 2'/></actuator></mujoco>";

static TnWorld *start(TnModel **m, const double ctrl[4])
{
    TnWorldDef def = tn_world_def();
    *m = load_text(SCENE, &err);
    if (!*m) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnWorld *world = *m ? tn_world_create(&def, *m, &err) : NULL;
    if (world) tn_world_set_ctrl(world, ctrl, &err);
    return world;
}

static double height(const TnWorld *world, int body)
{
    return tn_world_state(world).qpos[7 * body + 2];
}

/* N: along the normal, of all contacts of a body. */
static double pressure(const TnWorld *world, TnGeomId geom)
{
    double sum = 0.0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        if (c.geom1 != geom && c.geom2 != geom) continue;
        for (int k = 0; k < 3; k++) sum += c.force[k] * c.normal[k];
    }
    return sum;
}

/* At rest the contacts carry the force less the weight, as MuJoCo's do. */
TEST(bodies_hang_from_the_ceiling_by_more_than_their_weight)
{
    const double ctrl[4] = {1.5, 1.5, 1.5, 0.0};
    TnModel *m;
    TnWorld *world = start(&m, ctrl);
    REQUIRE(world);
    int fallbacks = 0;
    for (int k = 0; k < 400; k++) fallbacks += tn_world_step(world).heap_fallbacks * (k > 20);
    CHECK(fallbacks == 0); /* a warm step allocates nothing */
    CHECK_NEAR(height(world, 0), 0.9, 1e-5);
    CHECK_NEAR(height(world, 1), 0.9, 1e-5);
    CHECK_NEAR(height(world, 2), 0.5, 1e-5); /* friction of 0.5 · 30 N holds 9.81 N */
    CHECK_NEAR(pressure(world, 3), 15.0 - 9.81, 1e-4);
    CHECK_NEAR(pressure(world, 4), 15.0 - 9.81, 1e-4);
    CHECK_NEAR(pressure(world, 5), 30.0, 1e-4);
    TnEnergyAccount account = tn_world_energy_account(world);
    CHECK(account.created < 1e-6);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(too_weak_a_force_lets_them_fall_and_slide)
{
    const double ctrl[4] = {0.9, 0.0, 0.5, 0.0}; /* 9 N, none, 0.5 · 10 N of friction */
    TnModel *m;
    TnWorld *world = start(&m, ctrl);
    REQUIRE(world);
    for (int k = 0; k < 40; k++) tn_world_step(world);
    double t = 0.2;
    CHECK_NEAR(height(world, 1), 0.9 - 0.5 * 9.81 * t * t, 1e-9);
    CHECK_NEAR(tn_world_state(world).qvel[14], -(9.81 - 5.0) * t,
               1e-5);                     /* tolerance 1e-6 g t, 40 times */
    CHECK(height(world, 0) < 0.9 - 0.01); /* falls freely once it is off */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* Both sides get the force: the pair falls as one, with its momentum. */
TEST(a_pair_that_sticks_together_falls_freely)
{
    const double ctrl[4] = {1.5, 1.5, 1.5, 2.0};
    TnModel *m;
    TnWorld *world = start(&m, ctrl);
    REQUIRE(world);
    for (int k = 0; k < 40; k++) tn_world_step(world);
    double fall = 0.5 * 9.81 * 0.04;
    CHECK_NEAR(height(world, 3), -fall, 1e-6);
    CHECK_NEAR(height(world, 4), -0.2 - fall, 1e-6);
    CHECK_NEAR(pressure(world, 6), 20.0, 1e-3); /* pressed together by 20 N, no weight between */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(adhesion_is_read_as_mujoco_reads_it)
{
    static const Refused cases[] = {
#define BODY(ACTUATOR)                                                                             \
    "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body></worldbody>"       \
    "<actuator>\n" ACTUATOR "</actuator></mujoco>"
        {BODY("<adhesion body='b'/>"), "2:1", "needs a ctrlrange"},
        {BODY("<adhesion body='b' ctrlrange='-1 1'/>"), "2:20", "needs a ctrlrange"},
        {BODY("<adhesion body='c' ctrlrange='0 1'/>"), "2:11", "no body named 'c'"},
        {BODY("<motor body='b'/>"), "2:8", "only adhesion and general act on bodies"},
    };
    CHECK_REFUSED(cases);
}
