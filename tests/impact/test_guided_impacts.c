/* Impacts of bodies that joints guide: in some directions neither body can move, and friction is
 * nothing there. Closed forms; 1e-12 of the speeds is rounding. No impact is at a step's very end,
 * where the solver does what is left of it, to its tolerance. */
#include "../step/text_scene.h"

#include "../random.h"

#define ROUNDING 1e-12

/* `bodies` and the keyframe "start" with these velocities; all that is named g0, g1, ... has the
 * restitution. */
static bool open_bodies(TextScene *s, double t, const char *bodies, int geoms, double restitution,
                        const char *qvel)
{
    Text x = {{0}, 0};
    text_add(&x, "<worldbody>%s</worldbody><tenon>", bodies);
    for (int i = 0; i < geoms; i++)
        text_add(&x, "<geom name='g%d' restitution='%g'/>", i, restitution);
    text_add(&x, "</tenon><keyframe><key name='start' qvel='%s'/></keyframe>", qvel);
    return text_open(s, t, "0 0 0", x.text);
}

/* The largest component of a contact's force across `axis`, as a share of it. */
static double sideways(const TextScene *s, const double axis[3])
{
    double worst = 0.0;
    for (int i = 0; i < tn_world_contact_count(s->world); i++) {
        TnContact c = tn_world_contact(s->world, i);
        const double *f = c.force;
        double along = f[0] * axis[0] + f[1] * axis[1] + f[2] * axis[2], size = 0.0, off = 0.0;
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs(f[k] - along * axis[k]));
            size = fmax(size, fabs(f[k]));
        }
        if (size > 0.0) worst = fmax(worst, off / size);
    }
    return worst;
}

/* Two coordinates with these inertias after an impact along both. */
static void collide(const double m[2], const double v[2], double restitution, double out[2])
{
    double mean = (m[0] * v[0] + m[1] * v[1]) / (m[0] + m[1]), apart = restitution * (v[0] - v[1]);
    out[0] = mean - m[1] / (m[0] + m[1]) * apart;
    out[1] = mean + m[0] / (m[0] + m[1]) * apart;
}

static const double axes[][3] = {{1, 0, 0},       {0, 1, 0},       {0, 0, 1},
                                 {0.6, 0.8, 0.0}, {0, 0.28, 0.96}, {0.36, 0.48, 0.8}};
enum { AXES = sizeof axes / sizeof *axes };

/* Both on slides along one axis: no tangent is one along which either body can move. */
TEST(balls_on_slides_along_one_axis_collide_as_points_and_get_no_friction)
{
    static const struct {
        double m[2], restitution;
    } pairs[] = {{{1, 1}, 1}, {{1, 3}, 1}, {{2, 0.1}, 1}, {{1, 1}, 0.5}, {{1, 4}, 0.5}};
    for (int i = 0; i < AXES * TEXT_STEPS; i++)
        for (int k = 0; k < 5; k++) {
            const double *u = axes[i / TEXT_STEPS], *m = pairs[k].m, before[2] = {1.0, -0.5};
            double after[2], most = 0.0;
            TextScene s;
            Text x = {{0}, 0};
            for (int b = 0; b < 2; b++)
                text_add(&x,
                         "<body pos='%.17g %.17g %.17g'><joint type='slide' axis='%.17g %.17g "
                         "%.17g'/><geom name='g%d' size='.1' mass='%g'/></body>",
                         0.5137 * b * u[0], 0.5137 * b * u[1], 0.5137 * b * u[2], u[0], u[1], u[2],
                         b, m[b]);
            REQUIRE(open_bodies(&s, text_steps[i % TEXT_STEPS], x.text, 2, pairs[k].restitution,
                                "1 -.5"));
            double start = text_energy(&s), worst = 0.0;
            for (int n = 0; n * s.t < 0.3; n++) {
                CHECK(!tn_world_step(s.world).diverged);
                most = fmax(most, text_energy(&s));
                worst = fmax(worst, sideways(&s, u));
            }
            collide(m, before, pairs[k].restitution, after);
            for (int b = 0; b < 2; b++)
                CHECK_NEAR(tn_world_state(s.world).qvel[b], after[b], ROUNDING);
            CHECK(most <= start * (1.0 + ROUNDING));
            if (pairs[k].restitution == 1.0) CHECK_NEAR(text_energy(&s), start, ROUNDING * start);
            CHECK(worst < 1e-9); /* the normal of two balls */
            text_close(&s);
        }
}

/* By no more than the last bits. */
TEST(equal_balls_on_slides_exchange_their_velocities)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(
            open_bodies(&s, text_steps[i],
                        "<body><joint type='slide' axis='1 0 0'/><geom name='g0' size='.1' "
                        "mass='1'/></body><body pos='.5137 0 0'><joint type='slide' axis='1 0 0'/>"
                        "<geom name='g1' size='.1' mass='1'/></body>",
                        2, 1.0, "1 0"));
        for (int n = 0; n * s.t < 0.5; n++) CHECK(!tn_world_step(s.world).diverged);
        CHECK_NEAR(tn_world_state(s.world).qvel[0], 0.0, 4e-16);
        CHECK_NEAR(tn_world_state(s.world).qvel[1], 1.0, 4e-16);
        text_close(&s);
    }
}

/* Arms that turn about one axle: where they meet both move along the normal only. The Jacobian is
 * that of the step's start, from which the arms turn by 2 t at most until they meet. */
TEST(arms_on_one_axle_collide_as_points_and_get_no_friction)
{
    static const double restitutions[] = {1.0, 0.5};
    for (int i = 0; i < AXES * 2; i++)
        for (int k = 0; k < TEXT_STEPS; k++) {
            const double *u = axes[i / 2], before[2] = {2.0, -1.0}, m[2] = {1.0, 3.0};
            double after[2];
            TextScene s;
            Text x = {{0}, 0};
            text_add(&x, "<frame pos='.3 -.2 .5' zaxis='%.17g %.17g %.17g'>", u[0], u[1], u[2]);
            for (int b = 0; b < 2; b++)
                text_add(&x,
                         "<body euler='0 0 %g'><joint axis='0 0 1'/><geom name='g%d' pos='.5 0 0' "
                         "size='.1' mass='%g'/></body>",
                         1.0 * b, b, m[b]);
            text_add(&x, "</frame>");
            REQUIRE(open_bodies(&s, text_steps[k], x.text, 2, restitutions[i % 2], "2 -1"));
            double start = text_energy(&s);
            for (int n = 0; n * s.t < 0.5; n++) CHECK(!tn_world_step(s.world).diverged);
            collide(m, before, restitutions[i % 2], after);
            for (int b = 0; b < 2; b++)
                CHECK_NEAR(tn_world_state(s.world).qvel[b], after[b], 2.0 * 2.0 * s.t);
            CHECK(text_energy(&s) < start * (1.0 + ROUNDING));
            text_close(&s);
        }
}

/* The other body is fixed. A ball on a slide straight into a plane; an arm that hits a ball: its
 * one coordinate is reflected, whatever friction (1) does along the way that the surface takes. */
TEST(what_has_one_coordinate_is_reflected_by_what_is_fixed)
{
    static const char *const bodies[] = {
        "<geom name='g0' type='plane' size='1 1 1' zaxis='.36 .48 .8'/>"
        "<body pos='.18 .24 .4'><joint type='slide' axis='-.36 -.48 -.8'/>"
        "<geom name='g1' size='.1' mass='2'/></body>",
        "<geom name='g0' size='.1' pos='0 .5 0'/><body><joint axis='0 0 1'/>"
        "<geom name='g1' pos='.5 0 0' size='.1' mass='2'/></body>",
        "<geom name='g0' type='box' size='.1 .2 .3' pos='0 .5 0'/><body><joint axis='0 0 1'/>"
        "<geom name='g1' type='capsule' fromto='0 0 0 .5 0 0' size='.05' mass='2'/></body>"};
    for (int i = 0; i < 3 * TEXT_STEPS; i++)
        for (int k = 0; k < 2; k++) {
            double restitution = k ? 0.5 : 1.0;
            TextScene s;
            REQUIRE(open_bodies(&s, text_steps[i % TEXT_STEPS], bodies[i / TEXT_STEPS], 2,
                                restitution, "1"));
            for (int n = 0; n * s.t < 1.5; n++) CHECK(!tn_world_step(s.world).diverged);
            CHECK_NEAR(tn_world_state(s.world).qvel[0], -restitution, ROUNDING);
            text_close(&s);
        }
}

/* Slides along the normal and along one tangent `u`, which is none of the two that the law of
 * impacts has: friction acts along u only, and stops the ball there or slows it by μ (1 + ε) u_n.
 */
TEST(friction_acts_along_the_one_tangent_that_a_ball_can_move_along)
{
    static const double tangents[][2] = {
        {1, 0}, {0, 1}, {0.6, 0.8}, {M_SQRT1_2, M_SQRT1_2}, {-M_SQRT1_2, M_SQRT1_2}};
    for (int i = 0; i < 5 * TEXT_STEPS; i++)
        for (int k = 0; k < 4; k++) {
            const double *u = tangents[i / TEXT_STEPS];
            double restitution = k % 2 ? 0.5 : 1.0, mu = k / 2 ? 1.0 : 0.1, slide = 0.4;
            TextScene s;
            Text x = {{0}, 0};
            text_add(&x,
                     "<geom name='g0' type='plane' size='1 1 1' zaxis='-1 0 0' pos='.3137 0 0' "
                     "friction='%g'/><body><joint type='slide' axis='1 0 0'/>"
                     "<joint type='slide' axis='0 %.17g %.17g'/><geom name='g1' size='.1' mass='2' "
                     "friction='%g'/></body>",
                     mu, u[0], u[1], mu);
            REQUIRE(open_bodies(&s, text_steps[i % TEXT_STEPS], x.text, 2, restitution, "1 .4"));
            for (int n = 0; n * s.t < 0.4; n++) CHECK(!tn_world_step(s.world).diverged);
            const double *v = tn_world_state(s.world).qvel;
            CHECK_NEAR(v[0], -restitution, ROUNDING);
            /* sweeps end at a change of 1e-12 */
            CHECK_NEAR(v[1], fmax(0.0, slide - mu * (1.0 + restitution)), 1e-11);
            text_close(&s);
        }
}

/* A ball slides along a tilted floor that it touches and cannot leave: what rounding leaves of the
 * slide's axis along the floor's normal is no way to move, and does not stop the ball as it hits.
 */
TEST(a_floor_along_a_slide_does_not_stop_what_hits_something_else)
{
    for (int i = 0; i < 40; i++) {
        double tilt = 0.04 * i + 0.013, c = cos(tilt), d = sin(tilt);
        TextScene s;
        Text x = {{0}, 0};
        text_add(&x,
                 "<geom type='plane' size='2 2 1' zaxis='%.17g 0 %.17g' contype='2' "
                 "conaffinity='2'/>",
                 d, c);
        for (int b = 0; b < 2; b++)
            text_add(&x,
                     "<body pos='%.17g 0 %.17g'><joint type='slide' axis='%.17g 0 %.17g'/>"
                     "<geom name='g%d' size='.1' mass='1' contype='%d' conaffinity='%d'/></body>",
                     0.1 * d + 0.4 * b * c, 0.1 * c - 0.4 * b * d, c, -d, b, b ? 1 : 3, b ? 1 : 3);
        text_add(&x, "</worldbody><tenon><geom name='g1' restitution='1'/></tenon><worldbody>");
        REQUIRE(open_bodies(&s, text_steps[i % TEXT_STEPS], x.text, 0, 0.0, "1 -1"));
        for (int n = 0; n * s.t < 0.2; n++) CHECK(!tn_world_step(s.world).diverged);
        /* the floor is the solver's in every step: its tolerance, 1e-6 g t, in up to ten */
        CHECK_NEAR(tn_world_state(s.world).qvel[0], -1.0, 1e-4 * s.t);
        CHECK_NEAR(tn_world_state(s.world).qvel[1], 1.0, 1e-4 * s.t);
        text_close(&s);
    }
}

/* Two balls on one or two slides each, along any axes or those of the world, that meet anyhow. */
TEST(random_guided_balls_never_gain_energy_by_an_impact)
{
    int hits = 0;
    for (int i = 0; i < UNLESS_SANITIZED(1000, 50); i++) {
        Random r = {(uint64_t)i + 1};
        TextScene s;
        Text x = {{0}, 0}, v = {{0}, 0};
        for (int b = 0; b < 2; b++) {
            text_add(&x, "<body pos='%g 0 0'>", 0.25 * b);
            int slides = 1 + (uniform(&r) > 0.0);
            bool world = uniform(&r) > 0.0;
            for (int k = 0; k < slides; k++) {
                double u[3];
                for (int n = 0; n < 3; n++) u[n] = world ? n == k : uniform(&r);
                text_add(&x, "<joint type='slide' axis='%.17g %.17g %.17g'/>", u[0], u[1], u[2]);
                text_add(&v, "%.17g ", uniform(&r));
            }
            text_add(&x, "<geom name='g%d' size='.1' mass='%g' friction='%g'/></body>", b,
                     exp(uniform(&r)), 0.5 + 0.5 * uniform(&r));
        }
        REQUIRE(open_bodies(&s, text_steps[i % TEXT_STEPS], x.text, 2,
                            uniform(&r) > 0.0 ? 1.0 : 0.5, v.text));
        double start = text_energy(&s);
        for (int n = 0; n * s.t < 0.5; n++) {
            TnStepReport report = tn_world_step(s.world);
            if (report.diverged || text_energy(&s) > start * (1.0 + 1e-9))
                test_fail(__FILE__, __LINE__, "model %d, step %d: %s", i, n,
                          report.diverged ? "rejected" : "energy gained");
            hits += text_touches(&s);
            if (report.diverged) break;
        }
        text_close(&s);
    }
    CHECK(hits > UNLESS_SANITIZED(200, 5));
}
