/* Friction of a pair that differs in two directions, against closed forms of Coulomb's law with an
 * ellipse: where it sticks, how fast it slides, which way it pulls. */
#include "../io/mjcf_text.h"

#include <tenon/model_info.h>
#include <tenon/world.h>

static TnError err;

/* A box of 0.6 × 0.6 × 0.2 m on a plane; y is the first direction. */
#define BOX(GRAVITY, FRICTION, START)                                                              \
    "<mujoco><option timestep='.001' gravity='" GRAVITY "'/><worldbody>"                           \
    "<geom name='f' type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/>"                    \
    "<geom name='b' type='box' size='.3 .3 .1' mass='2'/></body></worldbody>"                      \
    "<contact><pair geom1='f' geom2='b' friction='" FRICTION "'/></contact>"                       \
    "<keyframe><key qvel='" START "'/></keyframe></mujoco>"

static TnWorld *start(const char *text, const TnModel **model)
{
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnWorldDef def = tn_world_def();
    TnWorld *world = m ? tn_world_create(&def, m, &err) : NULL;
    if (world) tn_world_reset(world, 1);
    *model = m;
    return world;
}

static void stop(TnWorld *world, const TnModel *model)
{
    tn_world_destroy(world);
    tn_model_destroy((TnModel *)(uintptr_t)model);
}

TEST(a_box_sticks_and_slides_with_the_coefficient_of_its_direction)
{
    static const struct {
        const char *text;
        double ax, ay; /* m/s², with g = 10: pull minus friction */
    } cases[] = {{BOX("0 3 -10", ".2 .6", "0 0 0 0 0 0"), 0, 1},
                 {BOX("0 1.9 -10", ".2 .6", "0 0 0 0 0 0"), 0, 0},
                 {BOX("5.9 0 -10", ".2 .6", "0 0 0 0 0 0"), 0, 0},
                 {BOX("7 0 -10", ".2 .6", "0 0 0 0 0 0"), 1, 0},
                 {BOX("0 7 -10", ".6 .2", "0 0 0 0 0 0"), 0, 1},
                 {BOX("0 11 -10", ".2", "0 0 0 0 0 0"), 0, 9}, /* the second one is 1 */
                 {BOX("9 0 -10", ".2", "0 0 0 0 0 0"), 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const TnModel *model;
        TnWorld *world = start(cases[i].text, &model);
        REQUIRE(world);
        for (int k = 0; k < 500; k++) CHECK(tn_world_step(world).converged);
        const double *v = tn_world_state(world).qvel;
        /* a step's tolerance is 1e-6 of g t: 1e-8 m/s, in each of 500 steps */
        CHECK_NEAR(v[0], 0.5 * cases[i].ax, 5e-6);
        CHECK_NEAR(v[1], 0.5 * cases[i].ay, 5e-6);
        double force[3] = {0, 0, 0};
        for (int c = 0; c < tn_world_contact_count(world); c++)
            for (int k = 0; k < 3; k++) {
                TnContact contact = tn_world_contact(world, c);
                force[k] += contact.geom2 == 2 ? contact.force[k] : -contact.force[k];
            }
        TnOption option = tn_model_info(model).option;
        CHECK_NEAR(force[0], 2 * (cases[i].ax - option.gravity[0]),
                   1e-4); /* 1e-8 m/s · 2 kg / t, five times */
        CHECK_NEAR(force[1], 2 * (cases[i].ay - option.gravity[1]), 1e-4);
        CHECK_NEAR(force[2], 20.0, 1e-4);
        stop(world, model);
    }
}

/* The force of largest dissipation: -N (a² u1, b² u2) / |(a u1, b u2)|. It turns the motion, so v
 * follows an equation, which a Runge–Kutta method solves. */
TEST(a_box_that_slides_at_an_angle_is_pulled_as_the_ellipse_says)
{
    const TnModel *model;
    TnWorld *world = start(BOX("0 0 -10", ".2 .6", "2 3 0 0 0 0"), &model);
    REQUIRE(world);
    double v[2] = {2, 3}, lost = 0;
    const int steps = 250, parts = 10;
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.converged);
        lost += report.energy.friction;
        CHECK_NEAR(report.energy.created, 0.0, 1e-6); /* of 13 J: the tolerance of a step */
    }
    for (int k = 0; k < steps * parts; k++) {
        double h = 0.001 / parts, w[2] = {v[0], v[1]};
        for (int stage = 0; stage < 2; stage++) {
            double a = 0.2 * w[1], b = 0.6 * w[0], n = hypot(a, b);
            double f[2] = {-10 * 0.6 * b / n, -10 * 0.2 * a / n};
            for (int i = 0; i < 2; i++) w[i] = v[i] + (stage ? h : h / 2) * f[i];
        }
        memcpy(v, w, sizeof v);
    }
    const double *got = tn_world_state(world).qvel;
    /* a step takes the direction at its end: an error of first order, a thousandth of the change */
    CHECK_NEAR(got[0], v[0], 1e-3);
    CHECK_NEAR(got[1], v[1], 1e-3);
    CHECK_NEAR(got[5], 0.0, 1e-6);
    CHECK_NEAR(lost, 13.0 - got[0] * got[0] - got[1] * got[1], 0.02 * lost);
    stop(world, model);
}

/* A ball of radius r rolls with (5/7) g c / r less each second; it turns about y when it goes along
 * x, and about x when along y. */
TEST(a_ball_rolls_with_the_coefficient_of_its_axis)
{
    static const char *const starts[2] = {"1 0 0 0 10 0", "0 1 0 -10 0 0"};
    const double coefficient[2] = {0.002, 0.006};
    for (int i = 0; i < 2; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='.01' gravity='0 0 -10'/><worldbody>"
                 "<geom name='f' type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/>"
                 "<geom name='b' size='.1'/></body></worldbody><contact><pair geom1='f' geom2='b' "
                 "condim='6' friction='1 1 .005 .002 .006'/></contact><keyframe><key qvel='%s'/>"
                 "</keyframe></mujoco>",
                 starts[i]);
        const TnModel *model;
        TnWorld *world = start(text, &model);
        REQUIRE(world);
        for (int k = 0; k < 100; k++) tn_world_step(world);
        const double *v = tn_world_state(world).qvel;
        /* 100 steps with 1e-7 m/s each */
        CHECK_NEAR(v[i], 1.0 - 10.0 * 5.0 / 7.0 * coefficient[i] / 0.1, 1e-5);
        stop(world, model);
    }
}
