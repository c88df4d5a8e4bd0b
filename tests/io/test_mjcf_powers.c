/* Springs and dampers of joints with coefficients of higher powers: forces of MuJoCo 4.0.0, energy,
 * motion whose answer is known. */
#include "mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

static TnError err;

#define SLIDE(OPTION, JOINT)                                                                       \
    "<mujoco><option gravity='0 0 0' " OPTION "/><worldbody><body><joint name='j' type='slide' "   \
    "axis='1 0 0' " JOINT "/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>"          \
    "</worldbody></mujoco>"

static TnModel *load(const char *text)
{
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

/* One slide that starts at q with v. */
static TnWorld *start(const TnModel *m, double q, double v)
{
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    if (world && tn_world_set_state(world, &q, &v, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return world;
}

static double energy_of(const TnWorld *world)
{
    TnEnergy energy = tn_world_energy(world);
    return energy.kinetic + energy.potential;
}

/* qfrc_passive of mj_forward */
TEST(forces_of_springs_and_dampers_are_mujocos)
{
    TnModel *spring = load(SLIDE("", "stiffness='1 10 100'")),
            *damper = load(SLIDE("", "damping='1 10 100'"));
    REQUIRE(spring && damper);
    static const double q[2] = {.3, -.3}, v[2] = {.7, -.7}, pull[2] = {-3.9, 2.1},
                        drag[2] = {-39.9, 39.9};
    for (int i = 0; i < 2; i++) {
        double force;
        TnEval out = {.passive = &force};
        REQUIRE(tn_model_eval(spring, &q[i], NULL, NULL, &out, &err) == TN_OK);
        CHECK_NEAR(force, pull[i], 1e-14); /* rounding */
        REQUIRE(tn_model_eval(damper, &q[i], &v[i], NULL, &out, &err) == TN_OK);
        CHECK_NEAR(force, drag[i], 1e-13);
    }
    tn_model_destroy(spring);
    tn_model_destroy(damper);
}

/* x'' = -x³ from rest at a: the period is 7.416298709205487/a. */
TEST(a_cubic_spring_has_its_period_and_keeps_its_energy)
{
    double wrong[2];
    for (int run = 0; run < 2; run++) {
        TnModel *m = load(run ? SLIDE("timestep='.005'", "stiffness='0 0 1'")
                              : SLIDE("timestep='.01'", "stiffness='0 0 1'"));
        REQUIRE(m);
        double a = 7.416298709205487 / 8.0;
        TnWorld *world = start(m, a, 0.0);
        REQUIRE(world);
        CHECK_NEAR(energy_of(world), 0.25 * a * a * a * a, 1e-15);
        for (int k = 0; k < (run ? 1600 : 800); k++) {
            TnStepReport report = tn_world_step(world);
            CHECK_NEAR(report.energy.created, 0.0, 1e-11); /* what passes leave */
        }
        /* passes stop at a change of 1e-7 of the velocity, and the last one made it far smaller */
        CHECK_NEAR(energy_of(world), 0.25 * a * a * a * a, 1e-9);
        wrong[run] = fabs(tn_world_state(world).qvel[0]); /* the phase, to first order */
        tn_world_destroy(world);
        tn_model_destroy(m);
    }
    CHECK(wrong[0] < 1e-3);
    CHECK_NEAR(wrong[0] / wrong[1], 4.0, 0.1); /* second order */
}

/* Uneven, stiff (√(k/m) t = 10 and more) and with large steps: energy stays what it is, or falls.
 */
TEST(no_stiffness_makes_energy)
{
    static const char *const models[] = {
        SLIDE("timestep='.01'", "stiffness='5 20 40'"),
        SLIDE("timestep='.01'", "stiffness='1e6 1e3 1e8'"),
        SLIDE("timestep='.05'", "stiffness='10 0 1e5'"),
        SLIDE("timestep='.01'", "stiffness='100 -30 50' range='-.2 .3' limited='true'"),
        SLIDE("timestep='.01'", "stiffness='100 30 50' damping='.1 .2 .3' springref='.2'"),
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        TnModel *m = load(models[i]);
        REQUIRE(m);
        TnWorld *world = start(m, .3, 1.0);
        REQUIRE(world);
        double first = energy_of(world), most = first;
        for (int k = 0; k < 500; k++) {
            tn_world_step(world);
            most = fmax(most, energy_of(world));
        }
        CHECK(most <= first * (1.0 + 1e-8)); /* what passes leave */
        tn_world_destroy(world);
        tn_model_destroy(m);
    }
}

/* v' = -v²: v = 1/(1/v0 + t), and what is lost is the damper's. */
TEST(a_quadratic_damper_slows_down_as_it_should)
{
    double wrong[2];
    for (int run = 0; run < 2; run++) {
        TnModel *m = load(run ? SLIDE("timestep='.0025'", "damping='0 1'")
                              : SLIDE("timestep='.005'", "damping='0 1'"));
        REQUIRE(m);
        TnWorld *world = start(m, 0.0, -2.0);
        REQUIRE(world);
        double lost = 0.0;
        for (int k = 0; k < (run ? 400 : 200); k++) lost += tn_world_step(world).energy.damping;
        wrong[run] = fabs(tn_world_state(world).qvel[0] + 1.0 / 1.5);
        CHECK_NEAR(fabs(lost), 2.0 - energy_of(world), 1e-12); /* rounding of 400 steps */
        tn_world_destroy(world);
        tn_model_destroy(m);
    }
    CHECK(wrong[0] < 1e-4);
    CHECK_NEAR(wrong[0] / wrong[1], 4.0, 0.1); /* second order */
}

/* A damper so strong that a step cannot follow it stops the body and does not throw it back. */
TEST(a_strong_damper_stops_and_never_turns_back)
{
    TnModel *m = load(SLIDE("timestep='.01'", "damping='0 0 1e6'"));
    REQUIRE(m);
    TnWorld *world = start(m, 0.0, 3.0);
    REQUIRE(world);
    double last = 3.0;
    for (int k = 0; k < 100; k++) {
        tn_world_step(world);
        double v = tn_world_state(world).qvel[0];
        CHECK(v >= 0.0 && v <= last);
        last = v;
    }
    CHECK(last < .1);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(springs_that_yield_are_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {SLIDE("", "stiffness='1 10'"), "a spring that yields is not supported"},
        {SLIDE("", "stiffness='1 0 -1'"), "a spring that yields is not supported"},
        {SLIDE("", "stiffness='1 0 1' springdamper='1 1'"), "has no time constant"},
        {SLIDE("", "damping='1 -1'"), "must not be negative"},
        {"<mujoco><worldbody><body><joint type='ball' stiffness='1 0 1'/><geom size='.1'/></body>"
         "</worldbody></mujoco>",
         "is for hinges and slides"},
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
