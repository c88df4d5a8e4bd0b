/* Joint equalities with polynomials of degree four, as splines between the joints of a skeleton:
 * they hold at the end of every step, and their motion keeps energy. */
#include "text_scene.h"

#include <math.h>

/* Four hinges in two trees; three follow the first, quartic over ± 1 rad. */
#define LINK(NAME, Y, MORE)                                                                        \
    "<body pos='0 " Y " 0'><joint name='" NAME "' axis='0 1 0'/><geom type='capsule' fromto="      \
    "'0 0 0 .3 0 0' size='.03' contype='0' conaffinity='0'/>" MORE "</body>"
#define SKELETON                                                                                   \
    "<worldbody>" LINK("lead", "0",                                                                \
                       "<body pos='.3 0 0'><joint name='two' axis='0 0 1'/><geom "                 \
                       "type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' "              \
                       "conaffinity='0'/></body>") LINK("three", ".5", "")                         \
        LINK("four", "1", "") "</worldbody><equality>"                                             \
                              "<joint joint1='two' joint2='lead' polycoef='.1 .3 -.5 .4 .6'/>"     \
                              "<joint joint1='three' joint2='lead' polycoef='0 .5 .8 -.6 .9'/>"    \
                              "<joint joint1='four' joint2='three' polycoef='0 1 .2'/></equality>" \
                              "<keyframe><key name='start' qpos='0 .1 0 0'/></keyframe>"

static double polynomial(const double c[5], double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}

/* rad: how far one is off, of angles up to 2 */
static double open_by(const TextScene *s)
{
    static const double two[5] = {.1, .3, -.5, .4, .6}, three[5] = {0, .5, .8, -.6, .9},
                        four[5] = {0, 1, .2};
    const double *q = tn_world_state(s->world).qpos; /* lead, two, three, four */
    double most = fabs(q[1] - polynomial(two, q[0]));
    most = fmax(most, fabs(q[2] - polynomial(three, q[0])));
    return fmax(most, fabs(q[3] - polynomial(four, q[2])));
}

TEST(a_motor_drives_quartic_couplings_and_every_step_holds_them)
{
    static const char parts[] =
        SKELETON "<actuator><position joint='lead' kp='50' kv='2'/></actuator>";
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        double most = 0.0, turned = 0.0;
        int missed = 0;
        for (int k = 0; k < (int)(4.0 / s.t); k++) {
            double ctrl = sin(2.0 * 3.14159265358979 * 0.5 * k * s.t);
            CHECK(tn_world_set_ctrl(s.world, &ctrl, NULL) == TN_OK);
            TnStepReport report = tn_world_step(s.world);
            missed += !report.converged || report.diverged;
            most = fmax(most, open_by(&s));
            turned = fmax(turned, fabs(tn_world_state(s.world).qpos[0]));
        }
        CHECK(missed == 0);
        CHECK(turned > 0.9);         /* it goes through the curved part */
        CHECK_NEAR(most, 0.0, 2e-6); /* 1e-6 of angles up to 2 rad */
        text_close(&s);
    }
}

TEST(couplings_that_swing_freely_keep_energy)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", SKELETON));
        double start = text_energy(&s), drift = 0.0, moving = 0.0;
        for (int k = 0; k < (int)(3.0 / s.t); k++) {
            TnStepReport report = tn_world_step(s.world);
            CHECK(report.converged);
            drift = fmax(drift, fabs(text_energy(&s) - start));
            moving = fmax(moving, tn_world_energy(s.world).kinetic);
        }
        CHECK(moving > 0.5);
        CHECK_NEAR(drift, 0.0, 1e-2 * moving);
        CHECK_NEAR(open_by(&s), 0.0, 2e-6);
        text_close(&s);
    }
}

TEST(an_equality_that_starts_open_closes_calmly)
{
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", SKELETON));
    double qpos[4] = {0.3, 0.6, 0.1, -0.4}, fastest = 0.0;
    CHECK(tn_world_set_state(s.world, qpos, NULL, NULL) == TN_OK);
    for (int k = 0; k < 300; k++) {
        CHECK(tn_world_step(s.world).converged);
        for (int j = 0; j < 4; j++) fastest = fmax(fastest, fabs(tn_world_state(s.world).qvel[j]));
    }
    CHECK_NEAR(open_by(&s), 0.0, 2e-6);
    CHECK(fastest < 20.0); /* not 0.6 rad in one step */
    text_close(&s);
}
