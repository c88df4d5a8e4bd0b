/* Hits with restitution, one after the other within a step: columns and rows of balls, bounces in
 * closed form, boxes with friction. */
#include "../step/text_scene.h"

#include "../random.h"

static const double G = 9.81;

static void add_restitution(Text *x, int count, double restitution)
{
    text_add(x, "<tenon>");
    for (int i = 0; i < count; i++)
        text_add(x, "<geom name='g%d' restitution='%g'/>", i, restitution);
    text_add(x, "</tenon>");
}

/* ---- a column ---- */

static bool open_column(TextScene *s, double t, int count, double restitution)
{
    Text x = {{0}, 0};
    text_add(&x, "<worldbody><geom type='plane' size='9 9 1' condim='1'/>");
    for (int i = 0; i < count; i++)
        text_add(
            &x,
            "<body pos='0 0 %g'><freejoint/><geom name='g%d' type='sphere' size='.1' mass='10' "
            "condim='1'/></body>",
            1.101 + 0.21 * i, i);
    text_add(&x, "</worldbody>");
    add_restitution(&x, count, restitution);
    return text_open(s, t, "0 0 -9.81", x.text);
}

/* Without friction each reflection keeps the energy, and free flight does: rounding. Hits that are
 * slower than the speed of rest (0.05 g t) are none, which costs up to 4e-4 of all there is in 5 s
 * at 20 ms (measured). */
TEST(a_column_of_balls_keeps_its_energy)
{
    static const int counts[] = {2, 3, 6};
    const double floor = 0.1 - 1e-9; /* where the lowest ball's centre turns */
    for (int i = 0; i < 3 * TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(open_column(&s, text_steps[i % TEXT_STEPS], counts[i / TEXT_STEPS], 1.0));
        double start = text_energy(&s), above = 0.0, below = 0.0, lowest = 1.0, rising = 0.0;
        for (int k = 0; k * s.t < UNLESS_SANITIZED(5.0, 0.5); k++) {
            CHECK(!tn_world_step(s.world).diverged);
            above = fmax(above, text_energy(&s) - start);
            below = fmax(below, start - text_energy(&s));
            lowest = fmin(lowest, tn_world_state(s.world).qpos[2]);
            rising = fmax(rising, tn_world_state(s.world).qvel[2]);
        }
        CHECK(lowest > floor && rising > 1.0); /* it was thrown back */
        CHECK(above < 1e-12 * start && below < 1e-3 * start);
        if (s.t == 0.001) CHECK(below < 1e-9 * start);
        text_close(&s);
    }
}

/* With ε = 0.9 it comes to rest in 3.4 s, balls touching; until then no hit gains. As it does, hits
 * slower than the speed of rest (0.05 g t) are left to the step, for which contacts last that close
 * by less than 0.1 g t: it lets balls overlap by that speed times t and lifts them again. */
TEST(a_column_of_balls_that_lose_comes_to_rest)
{
    const double rest = 10.0 * G * (0.1 + 0.3 + 0.5);
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(open_column(&s, text_steps[i], 3, 0.9));
        double start = text_energy(&s), last = start;
        for (int k = 0; k * s.t < UNLESS_SANITIZED(5.0, 0.5); k++) {
            CHECK(!tn_world_step(s.world).diverged);
            CHECK(text_energy(&s) <= last + 30.0 * G * 0.1 * G * s.t * s.t);
            last = text_energy(&s);
        }
        if (UNLESS_SANITIZED(1, 0)) CHECK_NEAR(last, rest, 1e-6 * rest);
        text_close(&s);
    }
}

/* ---- a row ---- */

static bool open_row(TextScene *s, double t, double gap)
{
    Text x = {{0}, 0};
    text_add(&x, "<worldbody>");
    for (int i = 0; i < 5; i++)
        text_add(&x,
                 "<body pos='%.17g 0 0'><joint type='slide' axis='1 0 0'/><geom name='g%d' "
                 "type='sphere' size='.05' mass='1' condim='1'/></body>",
                 i ? i * (0.1 + gap) : -0.02, i);
    text_add(&x, "</worldbody><keyframe><key name='start' qvel='1 0 0 0 0'/></keyframe>");
    add_restitution(&x, 5, 1.0);
    return text_open(s, t, "0 0 0", x.text);
}

/* Gaps: some, one micrometre, none. What is at rest may have ten times the tolerance, 1e-6 g t. */
TEST(of_a_row_of_balls_exactly_one_leaves)
{
    static const double gaps[] = {1e-3, 1e-6, 0.0};
    for (int i = 0; i < 3 * TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(open_row(&s, text_steps[i % TEXT_STEPS], gaps[i / TEXT_STEPS]));
        for (int k = 0; k * s.t < 0.2; k++) CHECK(!tn_world_step(s.world).diverged);
        const double *v = tn_world_state(s.world).qvel;
        for (int b = 0; b < 5; b++) CHECK_NEAR(v[b], b == 4 ? 1.0 : 0.0, 1e-5 * G * s.t);
        text_close(&s);
    }
}

/* ---- one ball ---- */

/* Height above the ground of a ball that falls from h, bounces with ε, at a time. */
static double bounced(double h, double epsilon, double time)
{
    double v = 0.0, z = h;
    for (;;) {
        double hit = (v + sqrt(v * v + 2.0 * G * z)) / G;
        if (hit > time) return z + v * time - 0.5 * G * time * time;
        time -= hit;
        v = -epsilon * (v - G * hit);
        z = 0.0;
    }
}

/* Hits are at their time within the step, so nothing is left but rounding. */
TEST(bounces_are_exact)
{
    for (double epsilon = 0.5; epsilon < 0.95; epsilon += 0.2)
        for (double t = 0.02; t > 0.002; t *= 0.5) {
            TextScene s;
            Text x = {{0}, 0};
            text_add(&x, "<worldbody><geom type='plane' size='9 9 1'/><body name='b' pos='0 0 "
                         "1.1'><freejoint/>"
                         "<geom name='g0' type='sphere' size='.1' mass='1'/></body></worldbody>");
            add_restitution(&x, 1, epsilon);
            REQUIRE(text_open(&s, t, "0 0 -9.81", x.text));
            double worst = 0.0;
            for (int k = 1; k * t < 1.1001; k++) {
                CHECK(!tn_world_step(s.world).diverged);
                worst = fmax(worst, fabs(tn_world_state(s.world).qpos[2] - 0.1 -
                                         bounced(1.0, epsilon, k * t)));
            }
            CHECK_NEAR(worst, 0.0, 1e-12);
            text_close(&s);
        }
}

/* ---- a pendulum against a wall ---- */

static const char pendulum[] =
    "<worldbody><geom name='g1' type='box' pos='-.1 0 -.5' size='.06 .2 .2'/><body pos='0 0 0'>"
    "<joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.4' size='.01' mass='.3' "
    "contype='0' "
    "conaffinity='0'/><geom name='g0' type='sphere' pos='0 0 -.5' size='.04' mass='1' "
    "condim='1'/></body>"
    "</worldbody><tenon><geom name='g0' restitution='.5'/></tenon>"
    "<keyframe><key name='start' qpos='-.8'/></keyframe>";

/* Where it is after 1.2 s, and two bounces. */
static double swing(double t)
{
    TextScene s;
    if (!text_open(&s, t, "0 0 -9.81", pendulum)) return NAN;
    int bounces = 0;
    for (int k = 0; k < (int)(1.2 / t + 0.5); k++) {
        double before = tn_world_state(s.world).qvel[0];
        CHECK(!tn_world_step(s.world).diverged);
        bounces += before * tn_world_state(s.world).qvel[0] < -0.1; /* at the top it is slow */
    }
    CHECK(bounces == 2);
    double angle = tn_world_state(s.world).qpos[0];
    text_close(&s);
    return angle;
}

/* The errors are 0.8 to 3 rad/s² · t², depending on where in a step the hits are. */
TEST(a_pendulum_that_bounces_converges_at_second_order)
{
    double exact = swing(5e-5);
    for (double t = 0.02; t > 0.001; t *= 0.5) CHECK_NEAR(swing(t), exact, 4.0 * t * t);
}

/* ---- boxes ---- */

static bool open_boxes(TextScene *s, double t, int variant)
{
    Text x = {{0}, 0};
    Random r = {(uint64_t)variant + 1};
    text_add(&x, "<worldbody><geom type='plane' size='9 9 1' friction='.5'/>");
    for (int i = 0; i < 4; i++) {
        double q[4];
        for (int k = 0; k < 4; k++) q[k] = uniform(&r);
        text_add(&x,
                 "<body pos='%g %g %g' quat='%g %g %g %g'><freejoint/><geom name='g%d' type='box' "
                 "size='.1 .07 .05' mass='%g' friction='.5'/></body>",
                 0.05 * uniform(&r), 0.05 * uniform(&r), 0.4 + 0.35 * i, q[0], q[1], q[2], q[3], i,
                 1.0 + 0.5 * uniform(&r));
    }
    text_add(&x, "</worldbody>");
    add_restitution(&x, 4, 1.0);
    return text_open(s, t, "0 0 -9.81", x.text);
}

/* 1e-6: what a step takes for noise (balance.c); 1e-9 of each hit (impact.c). */
TEST(boxes_with_restitution_one_and_friction_never_have_more_energy_than_at_the_start)
{
    for (int i = 0; i < TEXT_STEPS * UNLESS_SANITIZED(6, 1); i++) {
        TextScene s;
        REQUIRE(open_boxes(&s, text_steps[i % TEXT_STEPS], i / TEXT_STEPS));
        double start = text_energy(&s), above = 0.0, lowest = 1.0, rubbed = 0.0, x[3];
        for (int k = 0; k * s.t < UNLESS_SANITIZED(3.0, 0.3); k++) {
            TnStepReport report = tn_world_step(s.world);
            CHECK(!report.diverged);
            above = fmax(above, text_energy(&s) - start);
            rubbed += report.energy.friction + report.energy.impacts;
            for (TnBodyId id = 2; id <= 5; id++) {
                text_body_com(&s, id, x);
                lowest = fmin(lowest, x[2]);
            }
        }
        CHECK(above < 1e-6 * start);
        CHECK(lowest > 0.0 && rubbed > UNLESS_SANITIZED(0.1, 0.0) * start); /* they did hit */
        text_close(&s);
    }
}
