/* Armature and damping of actuators, armature of tendons: the mass matrix and forces of MuJoCo
 * 4.0.0, and motion whose answer is known. */
#include "mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

static TnError err;

#define ROUNDING 1e-14 /* of a few products of numbers of size 1 */

#define ARM(TENDON, ACTUATOR)                                                                      \
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 1 0'/>"             \
    "<inertial mass='1' pos='.2 0 0' diaginertia='.01 .01 .01'/>"                                  \
    "<body pos='.3 0 0'><joint name='k' axis='0 1 0'/>"                                            \
    "<inertial mass='2' pos='.1 0 0' diaginertia='.02 .02 .02'/></body></body></worldbody>"        \
    "<tendon><fixed name='t' " TENDON "><joint joint='j' coef='2'/><joint joint='k' coef='-1'/>"   \
    "</fixed></tendon><actuator>" ACTUATOR "</actuator></mujoco>"

static void find(const char *text, double M[4], double passive[2])
{
    const double qpos[2] = {.3, .4}, qvel[2] = {.7, -.5};
    TnEval out = {.mass_matrix = M, .passive = passive};
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    REQUIRE(tn_model_eval(m, qpos, qvel, NULL, &out, &err) == TN_OK);
    tn_model_destroy(m);
}

/* The differences to the bare arm are those that mj_forward of MuJoCo 4.0.0 gives for these. */
TEST(rotors_count_with_the_square_of_their_gear)
{
    static const struct {
        const char *text;
        double M[4], passive[2];
    } cases[] = {
        {ARM("", "<motor joint='j' gear='3' armature='.1'/>"), {.9, 0, 0, 0}, {0, 0}},
        {ARM("", "<motor joint='j' gear='3' damping='.1'/>"), {0, 0, 0, 0}, {-.63, 0}},
        {ARM("", "<motor joint='j' gear='3' damping='.1 .2 .3'/>"), {0, 0, 0, 0}, {-2.4381, 0}},
        {ARM("", "<motor tendon='t' gear='3' armature='.1'/>"), {3.6, -1.8, -1.8, .9}, {0, 0}},
        {ARM("", "<motor tendon='t' gear='3' damping='.1'/>"), {0, 0, 0, 0}, {-3.42, 1.71}},
        {ARM("armature='.1'", ""), {.4, -.2, -.2, .1}, {0, 0}},
        {ARM("armature='.1' stiffness='1' springlength='-9 9'", ""), {.4, -.2, -.2, .1}, {0, 0}},
        {ARM("", "<motor joint='j' gear='3' damping='.1' forcerange='-.01 .01'/>"),
         {0, 0, 0, 0},
         {-.63, 0}},
    };
    double bare[4], none[2];
    find(ARM("", ""), bare, none);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double M[4], passive[2];
        find(cases[i].text, M, passive);
        for (int k = 0; k < 4; k++) CHECK_NEAR(M[k] - bare[k], cases[i].M[k], ROUNDING);
        for (int k = 0; k < 2; k++) CHECK_NEAR(passive[k], cases[i].passive[k], ROUNDING);
    }
}

/* As MuJoCo's flags: a rotor damps and weighs although its actuator is off. */
TEST(flags_turn_off_the_damping_of_rotors_but_not_with_the_actuators)
{
    static const char *const form =
        "<mujoco><option><flag %s='disable'/></option><worldbody><body>"
        "<joint name='j'/><geom size='.1'/></body></worldbody><actuator>"
        "<motor joint='j' gear='2' armature='.1' damping='.3'/>"
        "</actuator></mujoco>";
    for (int k = 0; k < 2; k++) {
        char text[500];
        snprintf(text, sizeof text, form, k ? "damper" : "actuation");
        TnModel *m = load_text(text, &err);
        REQUIRE(m);
        CHECK(m->joints[0].armature == 4 * .1);
        CHECK(m->joints[0].damping == (k ? 0.0 : 4 * .3));
        tn_model_destroy(m);
    }
}

/* On ball and free joints the first number of the gear counts, for all dofs; a free body with a
 * rotor is no longer a plain rigid body. */
TEST(rotors_of_ball_and_free_joints_are_on_all_their_dofs)
{
    TnModel *m = load_text(
        "<mujoco><worldbody><body><joint name='b' type='ball'/><geom size='.1'/></body>"
        "<body pos='1 0 0'><freejoint name='f'/><geom size='.1'/></body></worldbody><actuator>"
        "<motor joint='b' gear='2 3 4' armature='.1'/><motor jointinparent='f' gear='2 3 4 5 6 7' "
        "damping='.1'/></actuator></mujoco>",
        &err);
    REQUIRE(m);
    CHECK(m->joints[0].armature == 4 * .1 && m->joints[0].damping == 0.0);
    CHECK(m->joints[1].damping == 4 * .1 && m->joints[1].armature == 0.0);
    CHECK(m->subsystems[1].kind == TN_SUBSYSTEM_TREE);
    tn_model_destroy(m);
}

/* Springs by time constant and damping ratios go by the inertia with rotors; MuJoCo 4.0.0 has
 * 0.45864306 and, of the servo, 2.14159535 for a sphere of 0.1 m at 0.1 m from the axis. */
TEST(springs_and_servos_by_ratios_know_the_rotors)
{
    static const char *const form =
        "<mujoco><worldbody><body><joint name='j' %s/><geom size='.1' pos='.1 0 0'/></body>"
        "</worldbody><tendon><fixed name='t' armature='%s'><joint joint='j' coef='2'/></fixed>"
        "</tendon><actuator><%s joint='j' gear='2' armature='%s'/></actuator></mujoco>";
    for (int tendon = 0; tendon < 2; tendon++)
        for (int servo = 0; servo < 2; servo++) {
            char text[700];
            snprintf(text, sizeof text, form, servo ? "" : "springdamper='1 1'",
                     tendon ? ".1" : "0", servo ? "position kp='10' dampratio='1'" : "motor",
                     tendon ? "0" : ".1");
            TnModel *m = load_text(text, &err);
            REQUIRE(m);
            if (servo)
                CHECK_NEAR(-m->actuators[0].bias[2], 2.14159535, 5e-9); /* digits given */
            else
                CHECK_NEAR(m->joints[0].stiffness, 0.45864306, 5e-9);
            tn_model_destroy(m);
        }
}

/* Two slides on a third: a force along a heavy tendon across branches moves them as M Δv = τ t
 * says, and its work is their energy and the tendon's. */
TEST(a_heavy_tendon_across_branches_moves_as_its_mass_says_and_keeps_the_account)
{
    TnModel *m = load_text(
        "<mujoco><option gravity='0 0 0'/><default><joint type='slide' axis='1 0 0'/></default>"
        "<worldbody><body><joint name='a'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
        "<body><joint name='b'/><inertial mass='2' pos='0 0 0' diaginertia='1 1 1'/></body>"
        "<body><joint name='c'/><inertial mass='3' pos='0 0 0' diaginertia='1 1 1'/></body>"
        "</body></worldbody><tendon><fixed name='t' armature='4'><joint joint='b' coef='1'/>"
        "<joint joint='c' coef='-2'/></fixed></tendon><actuator><motor tendon='t' gear='.5' "
        "armature='8'/></actuator></mujoco>",
        &err);
    REQUIRE(m);
    /* bodies, and 4 + 8/4 = 6 along (0, 1, -2) */
    static const double M[3][3] = {{6, 2, 3}, {2, 2 + 6, -12}, {3, -12, 3 + 24}};
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    const double ctrl[1] = {3.0}, force[3] = {0.0, 1.5, -3.0};
    REQUIRE(tn_world_set_ctrl(world, ctrl, &err) == TN_OK);
    double work = 0.0;
    for (int k = 1; k <= 10; k++) {
        TnStepReport report = tn_world_step(world);
        const double *v = tn_world_state(world).qvel;
        double twice = 0.0;
        work += report.energy.actuators;
        for (int r = 0; r < 3; r++) {
            double p = M[r][0] * v[0] + M[r][1] * v[1] + M[r][2] * v[2];
            twice += p * v[r];
            CHECK_NEAR(p, force[r] * 0.002 * k, 1e-13); /* rounding of ten steps */
        }
        CHECK_NEAR(tn_world_energy(world).kinetic, 0.5 * twice, 1e-14);
        CHECK_NEAR(report.energy.created, 0.0, 1e-14);
    }
    CHECK_NEAR(tn_world_energy(world).kinetic, work, 1e-13);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* A double pendulum with heavy tendon swings; the midpoint rule keeps its energy to second order.
 */
TEST(a_swinging_arm_with_a_heavy_tendon_keeps_its_energy)
{
    double drift[2];
    for (int run = 0; run < 2; run++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='%s'/><worldbody><body><joint name='j' axis='0 1 0'/>"
                 "<inertial mass='1' pos='.2 0 0' diaginertia='.01 .01 .01'/><body pos='.3 0 0'>"
                 "<joint name='k' axis='0 1 0'/><inertial mass='2' pos='.1 0 0' "
                 "diaginertia='.02 .02 .02'/></body></body></worldbody><tendon><fixed "
                 "armature='.05'><joint joint='j' coef='1'/><joint joint='k' coef='-1'/></fixed>"
                 "</tendon></mujoco>",
                 run ? ".001" : ".002");
        TnModel *m = load_text(text, &err);
        REQUIRE(m);
        TnWorldDef def = tn_world_def();
        TnWorld *world = tn_world_create(&def, m, &err);
        REQUIRE(world);
        TnEnergy start = tn_world_energy(world);
        drift[run] = 0.0;
        for (int k = 0; k < (run ? 1000 : 500); k++) {
            tn_world_step(world);
            TnEnergy now = tn_world_energy(world);
            drift[run] = fmax(drift[run],
                              fabs(now.kinetic + now.potential - start.kinetic - start.potential));
        }
        tn_world_destroy(world);
        tn_model_destroy(m);
    }
    CHECK(drift[0] < 1e-4); /* of about 6 J that it falls through */
    CHECK(drift[1] < drift[0] / 3.0 || drift[0] < 1e-9);
}

/* A bead on a rail past a post, drawn to it by a light cord with inertia: (m + a x²/L²) ẋ² stays.
 * Largest error of ẋ until the bead is 1 m away, and of the account. */
static double bead_error(const char *timestep, double *created)
{
    char text[900];
    double error = 0.0;
    *created = 0.0;
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%s' gravity='0 0 0'/><worldbody><site name='post' "
             "pos='0 0 .2'/><body><joint type='slide' axis='1 0 0'/><inertial mass='2' pos='0 0 0' "
             "diaginertia='1 1 1'/><site name='bead'/></body></worldbody><tendon><spatial "
             "armature='3'><site site='post'/><site site='bead'/></spatial></tendon></mujoco>",
             timestep);
    TnModel *m = load_text(text, &err);
    TnWorldDef def = tn_world_def();
    TnWorld *world = m ? tn_world_create(&def, m, &err) : NULL;
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    const double qpos[1] = {-.5}, qvel[1] = {2.0};
    double moving = 2.0 + 3.0 * .25 / .29;
    bool ok = world && tn_world_set_state(world, qpos, qvel, &err) == TN_OK;
    while (ok && tn_world_state(world).qpos[0] < 1.0) {
        TnStepReport report = tn_world_step(world);
        double x = tn_world_state(world).qpos[0], v = tn_world_state(world).qvel[0];
        double mass = 2.0 + 3.0 * x * x / (x * x + .04);
        error = fmax(error, fabs(v - 2.0 * sqrt(moving / mass)));
        *created = fmax(*created, fabs(report.energy.created));
        CHECK_NEAR(tn_world_energy(world).kinetic, 0.5 * mass * v * v, 1e-13);
    }
    tn_world_destroy(world);
    tn_model_destroy(m);
    return ok ? error : NAN;
}

TEST(a_cord_with_inertia_slows_what_pulls_it)
{
    double created, error = bead_error(".004", &created);
    CHECK_NEAR(error, 0.0, 1e-12); /* steps keep the energy of one dof to rounding */
    CHECK_NEAR(created, 0.0, 1e-12);
}

/* What two bodies do to each other through a cord that was jerked: the momentum stays, and the jerk
 * moves both as the reduced masses with the cord's say. */
TEST(a_cord_with_inertia_shares_a_jerk_between_two_bodies)
{
    TnModel *m = load_text(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><inertial mass='2' pos='0 0 "
        "0' "
        "diaginertia='1 1 1'/><site name='a'/></body><body pos='1 0 0'><freejoint/><inertial "
        "mass='3' pos='0 0 0' diaginertia='1 1 1'/><site name='b'/></body></worldbody><tendon>"
        "<spatial name='t' armature='4'><site site='a'/><site site='b'/></spatial></tendon>"
        "<actuator><motor tendon='t'/></actuator></mujoco>",
        &err);
    REQUIRE(m);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    const double ctrl[1] = {6.0}; /* pushes apart */
    REQUIRE(tn_world_set_ctrl(world, ctrl, &err) == TN_OK);
    tn_world_step(world);
    const double *v = tn_world_state(world).qvel;
    /* (2 + 4) a1 - 4 a2 = -6, -4 a1 + (3 + 4) a2 = 6 */
    CHECK_NEAR(v[0], .002 * (-6.0 * 7 + 4 * 6.0) / (42 - 16), 1e-9); /* the solver's tolerance */
    CHECK_NEAR(v[6], .002 * (6.0 * 6 - 4 * 6.0) / (42 - 16), 1e-9);
    CHECK_NEAR(2 * v[0] + 3 * v[6], 0.0, 1e-12);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(rotors_without_a_place_are_refused)
{
#define SITES                                                                                      \
    "<mujoco><worldbody><site name='o' pos='0 0 1'/><body><joint name='j'/><geom size='.1'/>"      \
    "<site name='s' pos='.1 0 0'/></body><body pos='1 0 0'><joint name='k'/><geom size='.1'/>"     \
    "</body></worldbody>\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {SITES "<actuator><motor site='s' armature='.1'/></actuator></mujoco>",
         "armature and damping are for actuators on joints and tendons"},
        {SITES "<actuator><motor site='s' damping='.1'/></actuator></mujoco>",
         "armature and damping are for actuators on joints and tendons"},
        {SITES "<actuator><motor joint='j' damping='-1'/></actuator></mujoco>",
         "must not be negative"},
        {SITES "<actuator><motor joint='j' armature='-1'/></actuator></mujoco>",
         "must not be negative"},
        {SITES "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator>"
               "<motor tendon='t' damping='1 2'/></actuator></mujoco>",
         "damping with coefficients of higher powers is not supported yet on tendons"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        err = (TnError){0};
        TnModel *m = load_text(cases[i].text, &err);
        CHECK(!m);
        if (!strstr(err.message, cases[i].message))
            test_fail(__FILE__, __LINE__, "case %zu: %s", i, err.message);
        tn_model_destroy(m);
    }
}
