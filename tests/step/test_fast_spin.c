/* What turns fast: a heavy top, a body without torque, a double pendulum for long. */
#include "text_scene.h"

static const double G = 9.81;

/* ---- a heavy top ---- */

/* A disc of 1 kg, its centre 0.05 m from the pivot, leaning by 0.5 rad; I about the pivot across
 * its axis 0.0047, along it 0.004 kg m². */
static const char top[] =
    "<worldbody><body euler='.5 0 0'><joint type='ball'/><inertial pos='0 0 .05' mass='1' "
    "diaginertia='.0022 .0022 .004'/></body></worldbody>";

/* Slow steady precession: I1 cos θ Ω² - I3 ω3 Ω + m g l = 0, ω3 the whole turning about the axis.
 */
static double precession(double spin)
{
    double a = 0.0047 * cos(0.5), b = 0.004 * spin, c = G * 0.05;
    return (b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
}

/* Precession in a second, as an angle, and how far the lean went from where it was. */
static double precessed(double t, double spin, double *nods)
{
    TextScene s;
    TnError err = {0};
    double rate = precession(spin), angle = 0.0, last = -M_PI / 2.0;
    if (!text_open(&s, t, "0 0 -9.81", top)) return NAN;
    /* body axes: Ω has components sin θ along y and cos θ along z there, of which spin is all along
     * z */
    CHECK(tn_world_set_state(s.world, NULL, (double[]){0.0, rate * sin(0.5), spin}, &err) == TN_OK);
    *nods = 0.0;
    for (int k = 0; k < (int)(1.0 / t + 0.5); k++) {
        double x[3];
        CHECK(!tn_world_step(s.world).diverged);
        text_body_com(&s, 2, x);
        double now = atan2(x[1], x[0]);
        angle += remainder(now - last, 2.0 * M_PI);
        last = now;
        *nods = fmax(*nods, fabs(acos(x[2] / 0.05) - 0.5));
    }
    text_close(&s);
    return angle;
}

/* At up to 200 rad/s, 4 rad in a step of 20 ms. Measured: 1e-3 off at 100 rad/s, 1.8e-3 at 200; it
 * nods by less than 1e-4 rad. */
TEST(a_heavy_top_precesses_as_it_should)
{
    for (double spin = 50.0; spin < 300.0; spin *= 2.0)
        for (int i = 0; i < TEXT_STEPS; i++) {
            double nods, angle = precessed(text_steps[i], spin, &nods), expected = precession(spin);
            CHECK_NEAR(angle, expected, 3e-3 * expected);
            CHECK(nods < 1e-3);
        }
}

/* ---- no torque ---- */

static const char brick[] = "<worldbody><body name='b'><freejoint/><inertial pos='0 0 0' mass='1' "
                            "diaginertia='.001 .002 .0025'/>"
                            "</body></worldbody>";

/* About each axis, the middle one included, which is unstable: rounding of 10000 steps. */
TEST(a_body_without_torque_keeps_energy_and_momentum)
{
    static const double starts[][3] = {{20, .1, .1}, {.1, 20, .1}, {.1, .1, 20}, {15, 10, -12}};
    for (int i = 0; i < 4 * TEXT_STEPS; i++) {
        TextScene s;
        TnError err = {0};
        const double *w = starts[i / TEXT_STEPS];
        REQUIRE(text_open(&s, text_steps[i % TEXT_STEPS], "0 0 0", brick));
        tn_world_set_state(s.world, NULL, (double[]){1, 2, 3, w[0], w[1], w[2]}, &err);
        TextWhole start = text_whole(&s);
        double e0 = text_energy(&s), energy = 0.0, turn = 0.0;
        for (int k = 0; k * s.t < UNLESS_SANITIZED(10.0, 1.0); k++) {
            CHECK(!tn_world_step(s.world).diverged);
            TextWhole now = text_whole(&s);
            energy = fmax(energy, fabs(text_energy(&s) - e0));
            for (int j = 0; j < 3; j++) turn = fmax(turn, fabs(now.L[j] - start.L[j]));
        }
        CHECK(energy < 1e-11 * e0 && turn < 1e-11 * sqrt(2.0 * e0 * 0.0025));
        text_close(&s);
    }
}

/* Turning in body axes after 0.5 s. */
static void tumble(double t, double w[3])
{
    TextScene s;
    TnError err = {0};
    REQUIRE(text_open(&s, t, "0 0 0", brick));
    tn_world_set_state(s.world, NULL, (double[]){0, 0, 0, 15, 10, -12}, &err);
    for (int k = 0; k < (int)(0.5 / t + 0.5); k++) CHECK(!tn_world_step(s.world).diverged);
    memcpy(w, tn_world_state(s.world).qvel + 3, sizeof(double[3]));
    text_close(&s);
}

TEST(a_tumbling_body_is_where_it_should_be_at_second_order)
{
    double exact[3], w[3], errors[5] = {0};
    tumble(5e-5, exact);
    for (int i = 0; i < 5; i++) {
        tumble(0.02 / (1 << i), w);
        for (int k = 0; k < 3; k++) errors[i] = hypot(errors[i], w[k] - exact[k]);
    }
    for (int i = 1; i < 5; i++) /* to a quarter with half the step */
        CHECK(errors[i] > 0.0 && errors[i - 1] / errors[i] > 3.5);
}

/* ---- a double pendulum ---- */

static const char double_pendulum[] =
    "<worldbody><body><joint axis='0 1 0'/><inertial pos='0 0 -1' mass='1' diaginertia='1e-6 1e-6 "
    "1e-6'/>"
    "<body pos='0 0 -1'><joint axis='0 1 0'/><inertial pos='0 0 -1' mass='1' diaginertia='1e-6 "
    "1e-6 1e-6'/>"
    "</body></body></worldbody><keyframe><key name='start' qpos='2 1'/></keyframe>";

TEST(a_double_pendulum_keeps_its_energy_for_long)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", double_pendulum));
        double start = text_energy(&s), worst = 0.0, moving = 0.0;
        for (int k = 0; k * s.t < UNLESS_SANITIZED(100.0, 2.0); k++) {
            CHECK(!tn_world_step(s.world).diverged);
            worst = fmax(worst, fabs(text_energy(&s) - start));
            moving = fmax(moving, tn_world_energy(s.world).kinetic);
        }
        CHECK(worst <
              1e-8 * moving); /* what smooth motion makes is balanced step by step (balance.c) */
        text_close(&s);
    }
}
