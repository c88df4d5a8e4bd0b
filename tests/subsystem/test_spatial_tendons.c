/* Spatial tendons, tendons over several trees and equalities of tendons in whole steps, against
 * closed forms; energy and momentum; saving, no allocation, threads. */
#include "../account/account_sum.h"
#include "../step/text_scene.h"

#include <math.h>

static const double G = 9.81;

static const double *qpos_of(const TextScene *s) { return tn_world_state(s->world).qpos; }
static const double *qvel_of(const TextScene *s) { return tn_world_state(s->world).qvel; }

static void run_steps(TextScene *s, int count)
{
    for (int k = 0; k < count; k++) {
        TnStepReport report = tn_world_step(s->world);
        if (!report.converged || report.diverged) {
            test_fail(__FILE__, __LINE__, "step %d: error %g", k, report.error);
            return;
        }
    }
}

static double sensor(const TextScene *s, int index)
{
    double data[32] = {0};
    tn_world_sensors(s->world, data, NULL);
    return data[index];
}

/* Two weights that slide down along -z under the ceiling. */
#define WEIGHT(NAME, X, MASS)                                                                      \
    "<body name='" NAME "' pos='" X " 0 -1'><joint name='" NAME "' type='slide' axis='0 0 -1'/>"   \
    "<geom type='box' size='.02 .02 .02' mass='" MASS "' contype='0' conaffinity='0'/>"            \
    "<site name='" NAME "'/></body>"

TEST(a_block_and_tackle_has_the_accelerations_of_its_ratio)
{
    /* x1 + x2 / 2 stays, T on the first, T/2 on the second */
    static const char parts[] =
        "<worldbody><site name='c1' pos='0 0 0'/><site name='c2' pos='1 0 0'/>" //
        WEIGHT("one", "0", "3") WEIGHT("two", "1", "2")                         //
        "</worldbody><tendon><spatial name='rope' range='0 1.5'><site site='c1'/><site site='one'/>"
        "<pulley divisor='2'/><site site='c2'/><site site='two'/></spatial></tendon>"
        "<sensor><tendonpos tendon='rope'/></sensor>";
    double tension = 1.5 * G / (1.0 / 3.0 + 1.0 / 8.0);
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        int count = (int)(0.4 / s.t + 0.5);
        run_steps(&s, count);
        /* the motion is linear: what is left is the solver's tolerance, 1e-6 g t, of every step */
        double time = count * s.t, tolerance = 1e-6 * G * time;
        CHECK_NEAR(qvel_of(&s)[0], (G - tension / 3.0) * time, tolerance);
        CHECK_NEAR(qvel_of(&s)[1], (G - tension / 4.0) * time, tolerance);
        CHECK_NEAR(sensor(&s, 0), 1.5, 1e-6);
        text_close(&s);
    }
}

TEST(a_rope_over_a_smooth_post_has_the_same_tension_on_both_sides)
{
    /* an Atwood machine; the rope leaves the post straight down on either side */
    static const char parts[] =
        "<worldbody><geom name='post' type='cylinder' size='.5 .1' pos='.5 0 0' euler='1.57079632"
        "679489662 0 0' contype='0' conaffinity='0'/><site name='above' pos='.5 0 .9'/>" //
        WEIGHT("one", "0", "3") WEIGHT("two", "1", "2")                                  //
        "</worldbody><tendon><spatial name='rope' range='0 3.5707963267948966'><site site='one'/>"
        "<geom geom='post' sidesite='above'/><site site='two'/></spatial></tendon>"
        "<sensor><tendonpos tendon='rope'/></sensor>";
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        CHECK_NEAR(sensor(&s, 0), 2.0 + 0.5 * 3.14159265358979, 1e-12);
        int count = (int)(0.4 / s.t + 0.5);
        run_steps(&s, count);
        double time = count * s.t, tolerance = 1e-6 * G * time;
        CHECK_NEAR(qvel_of(&s)[0], G / 5.0 * time, tolerance);
        CHECK_NEAR(qvel_of(&s)[1], -G / 5.0 * time, tolerance);
        CHECK_NEAR(sensor(&s, 0), 2.0 + 0.5 * 3.14159265358979, 1e-6);
        text_close(&s);
    }
}

#define BALL(POS, MORE)                                                                            \
    "<body name='ball' pos='" POS "'><freejoint/><geom size='.03' mass='.5' contype='0' "          \
    "conaffinity='0'/><site name='ball'/></body>" MORE

TEST(a_slack_tether_lets_fall_and_then_holds)
{
    static const char parts[] = "<worldbody><site name='cup'/>" BALL(
        "0.1 0 0",
        "") "</worldbody>"
            "<tendon><spatial name='tether' range='0 .3'><site site='cup'/><site site='ball'/>"
            "</spatial></tendon><sensor><tendonpos tendon='tether'/></sensor>";
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        int free = (int)(0.2 / s.t); /* it takes 0.24 s until the tether is tight */
        double most = 0.0, start = text_energy(&s), energy = start;
        run_steps(&s, free);
        CHECK_NEAR(qvel_of(&s)[2], -G * free * s.t, 1e-9);
        for (int k = 0; k < (int)(3.0 / s.t); k++) {
            run_steps(&s, 1);
            most = fmax(most, sensor(&s, 0));
            CHECK(text_energy(&s) < energy + 1e-4); /* of 1.4 J: swinging neither gains */
            energy = fmin(energy, text_energy(&s));
        }
        CHECK_NEAR(most, 0.3, fmax(2e-4, G * s.t * s.t));
        CHECK(energy < start - 0.2); /* it lost what it fell with along the tether */
        text_close(&s);
    }
}

TEST(a_ball_on_a_tight_string_swings_like_a_pendulum)
{
    static const char parts[] = "<worldbody><site name='cup'/>" BALL(
        "0.3 0 0",
        "") "</worldbody>"
            "<tendon><spatial name='tether' range='0 .3'><site site='cup'/><site site='ball'/>"
            "</spatial></tendon><sensor><tendonpos tendon='tether'/></sensor>";
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        double start = text_energy(&s), least = 1.0, most = 0.0, drift = 0.0;
        double scale = 0.5 * G * 0.3; /* J, what it has at the bottom */
        for (int k = 0; k < (int)(4.0 / s.t); k++) {
            run_steps(&s, 1);
            least = fmin(least, sensor(&s, 0));
            most = fmax(most, sensor(&s, 0));
            drift = fmax(drift, fabs(text_energy(&s) - start) / scale);
        }
        /* second order in the step */
        double second = s.t * s.t / (0.01 * 0.01);
        CHECK_NEAR(most, 0.3, 2e-4 * second + 1e-6);
        CHECK_NEAR(least, 0.3, 2e-4 * second + 1e-6);
        CHECK_NEAR(drift, 0.0, 2e-3 * second + 1e-6);
        text_close(&s);
    }
}

/* A weight of 2 kg on a spring tendon of this stiffness under the ceiling, 0.5 m long at rest. */
#define SPRING(K, REST, MORE)                                                                      \
    "<worldbody><site name='c' pos='0 0 0'/>" WEIGHT(                                              \
        "one", "0", "2") "</worldbody><tendon>"                                                    \
                         "<spatial name='spring' stiffness='" K "' springlength='" REST "'" MORE   \
                         "><site site='c'/>"                                                       \
                         "<site site='one'/></spatial></tendon>"

TEST(a_weight_on_a_spring_tendon_has_the_frequency_of_the_midpoint_rule)
{
    static const char parts[] = SPRING("200", ".8", "");
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 0", parts));
        double omega = 10.0, energy = text_energy(&s), start = 0.2;
        CHECK_NEAR(energy, 0.5 * 200.0 * 0.04, 1e-12);
        /* the midpoint rule turns by 2 atan(ω t / 2) in a step */
        double turn = 2.0 * atan(0.5 * omega * s.t);
        for (int k = 1; k <= (int)(2.0 / s.t); k++) {
            run_steps(&s, 1);
            CHECK_NEAR(qpos_of(&s)[0] + 0.2, start * cos(k * turn), 1e-5);
            CHECK_NEAR(text_energy(&s), energy, 1e-8 * energy);
        }
        text_close(&s);
    }
}

TEST(stiff_spring_tendons_are_stable_and_keep_energy)
{
    /* z = K t² / m up to 20: far beyond what the step resolves */
    static const char parts[] = SPRING("1e5", ".99", "");
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        double energy = text_energy(&s);
        for (int k = 0; k < 500; k++) {
            run_steps(&s, 1);
            CHECK_NEAR(text_energy(&s), energy, 1e-8 * fabs(energy));
        }
        text_close(&s);
    }
}

TEST(a_damper_along_a_tendon_takes_energy_as_accounted)
{
    static const char parts[] = SPRING("200", ".8", " damping='3'");
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 0", parts));
        double start = text_energy(&s);
        run_steps(&s, (int)(1.0 / s.t));
        TnEnergyAccount a = tn_world_energy_account(s.world);
        CHECK_NEAR(a.damping, start - text_energy(&s), 1e-8 * start);
        /* e^(-D t / m) of the energy is left in the mean over a period; ω = 10, so a second is 1.6
         * periods and the phase counts: the exact solution tells */
        double g = 0.75, w = sqrt(100.0 - g * g), x0 = 0.2,
               x = exp(-g) * x0 * (cos(w) + g / w * sin(w));
        CHECK_NEAR(qpos_of(&s)[0] + 0.2, x, 0.02 * s.t / 0.005 * s.t / 0.005 + 1e-3);
        text_close(&s);
    }
}

TEST(a_dead_band_has_no_force_within)
{
    static const char parts[] = "<worldbody><site name='c'/>" WEIGHT(
        "one", "0",
        "2") "</worldbody>"
             "<tendon><spatial name='t' stiffness='100' springlength='.9 1.1'><site site='c'/>"
             "<site site='one'/></spatial></tendon>"
             "<keyframe><key name='start' qpos='0' qvel='.01'/></keyframe>";
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", parts));
    run_steps(&s, 500); /* 0.05 m within the band of ± 0.1 m */
    CHECK_NEAR(qvel_of(&s)[0], 0.01, 1e-12);
    CHECK_NEAR(tn_world_energy(s.world).elastic, 0.0, 1e-12);
    run_steps(&s, 1000); /* through its end, and back */
    CHECK(qvel_of(&s)[0] < 0.0);
    CHECK_NEAR(qvel_of(&s)[0], -0.01, 1e-4);
    text_close(&s);
}

/* Two free bodies, tied by a spring tendon with a limit between sites off their centres. */
#define TIED(MORE)                                                                                 \
    "<worldbody><body name='a' pos='0 0 0'><freejoint/><geom type='box' size='.1 .07 .05' "        \
    "contype='0' conaffinity='0'/><site name='a' pos='.1 .05 .03'/></body>"                        \
    "<body name='b' pos='.5 .1 0'><freejoint/><geom type='box' size='.06 .07 .08' contype='0' "    \
    "conaffinity='0'/><site name='b' pos='-.06 .04 .08'/></body></worldbody>"                      \
    "<tendon><spatial name='t' " MORE "><site site='a'/><site site='b'/></spatial></tendon>"       \
    "<keyframe><key name='start' qpos='0 0 0 1 0 0 0 .5 .1 0 1 0 0 0' "                            \
    "qvel='-.3 .2 .1 1 2 -1 .4 -.1 .2 -2 1 .5'/></keyframe>"

static void check_momentum(const char *parts, double created)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 0", parts));
        TextWhole start = text_whole(&s);
        run_steps(&s, 300);
        TextWhole end = text_whole(&s);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(end.P[k], start.P[k], 1e-12);
            CHECK_NEAR(end.L[k], start.L[k], 1e-12);
        }
        CHECK(tn_world_energy_account(s.world).created <= created);
        text_close(&s);
    }
}

TEST(two_free_bodies_that_are_tied_keep_their_momentum)
{
    check_momentum(TIED("stiffness='50' damping='.1'"), 1e-6);
    check_momentum(TIED("stiffness='1e5' springlength='.3'"), 1e-2);
    check_momentum(TIED("range='0 .45'"), 1e-6);
    check_momentum(TIED("frictionloss='.5'"), 1e-6);
}

TEST(a_tendon_over_two_trees_couples_them)
{
    /* a motor on 2 x1 - x2 */
    static const char parts[] = "<worldbody>" WEIGHT("one", "0", "3") WEIGHT(
        "two", "1",
        "2") "</worldbody>"
             "<tendon><fixed name='t'><joint joint='one' coef='2'/><joint joint='two' coef='-1'/>"
             "</fixed></tendon><actuator><motor tendon='t'/></actuator>"
             "<keyframe><key name='start' ctrl='5'/></keyframe>";
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", parts));
    run_steps(&s, 50);
    CHECK_NEAR(qvel_of(&s)[0], 2.0 * 5.0 / 3.0 * 0.5, 1e-10);
    CHECK_NEAR(qvel_of(&s)[1], -5.0 / 2.0 * 0.5, 1e-10);
    TnEnergyAccount a = tn_world_energy_account(s.world);
    CHECK_NEAR(a.actuators, text_energy(&s), 1e-9);
    text_close(&s);
}

TEST(an_equality_of_tendons_holds_their_lengths)
{
    /* the cable of one pulls the other up: l1 - l1⁰ = -(l2 - l2⁰) + 0.3 (l2 - l2⁰)² */
    static const char parts[] =
        "<worldbody><site name='c1' pos='0 0 0'/><site name='c2' pos='1 .3 0'/>" //
        WEIGHT("one", "0", "3") WEIGHT("two", "1", "2")                          //
        "</worldbody><tendon><spatial name='t1'><site site='c1'/><site site='one'/></spatial>"
        "<spatial name='t2'><site site='c2'/><site site='two'/></spatial></tendon>"
        "<equality><tendon tendon1='t1' tendon2='t2' polycoef='0 -1 .3'/></equality>"
        "<sensor><tendonpos tendon='t1'/><tendonpos tendon='t2'/></sensor>";
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(&s, text_steps[i], "0 0 -9.81", parts));
        double x0 = sensor(&s, 0), y0 = sensor(&s, 1), energy = text_energy(&s);
        for (int k = 0; k < (int)(0.5 / s.t); k++) {
            run_steps(&s, 1);
            double x = sensor(&s, 0) - x0, y = sensor(&s, 1) - y0;
            CHECK_NEAR(x, -y + 0.3 * y * y, 1e-6); /* as far as passes go */
            CHECK_NEAR(text_energy(&s), energy, 1e-5);
        }
        CHECK(fabs(sensor(&s, 0) - x0) > 0.1);
        text_close(&s);
    }
}

TEST(a_site_actuator_pushes_its_body)
{
    /* 1.5 N along z of a site that is turned by 90° about x, so along -y; and a torque about it */
    static const char parts[] =
        "<worldbody><body><freejoint/><geom type='box' size='.1 .1 .1' mass='3'/>"
        "<site name='s' euler='1.5707963267948966 0 0'/></body></worldbody>"
        "<actuator><motor site='s' gear='0 0 1.5 0 0 .01'/></actuator>"
        "<keyframe><key name='start' ctrl='1'/></keyframe>";
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 0", parts));
    run_steps(&s, 100);
    CHECK_NEAR(qvel_of(&s)[1], -1.5 / 3.0, 1e-9);
    CHECK_NEAR(qvel_of(&s)[4], -0.01 / (3.0 * 0.04 / 6.0), 1e-9);
    CHECK_NEAR(tn_world_energy_account(s.world).actuators, text_energy(&s), 1e-9);
    text_close(&s);
}

TEST(a_bounded_servo_on_a_tendon_pulls_with_its_bound)
{
    static const char parts[] = "<worldbody><site name='c'/>" WEIGHT(
        "one", "0", "2") "</worldbody><tendon><spatial "
                         "name='t'><site site='c'/><site site='one'/></spatial></tendon><actuator>"
                         "<position tendon='t' kp='5000' kv='200' forcerange='-30 30'/></actuator>"
                         "<keyframe><key name='start' ctrl='.5'/></keyframe>";
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 -9.81", parts));
    run_steps(&s, 10);
    CHECK_NEAR(qvel_of(&s)[0], (G - 15.0) * 0.1, 1e-8); /* 30 N on 2 kg */
    run_steps(&s, 400);
    CHECK_NEAR(qpos_of(&s)[0], -0.5 + 2.0 * G / 5000.0, 1e-6); /* at rest under its weight */
    text_close(&s);
}

TEST(sites_can_be_welded_and_connected)
{
    /* a box that hangs by a weld of sites, turned against each other; then by a connect */
    static const char *const kinds[] = {"weld", "connect"};
    for (int i = 0; i < 2; i++) {
        Text x = {0};
        text_add(&x,
                 "<worldbody><site name='w' pos='.1 .2 .3' euler='.3 .2 .1'/><body pos='.1 .2 .3' "
                 "euler='.3 .2 .1'><freejoint/><geom type='box' size='.1 .1 .1' pos='.2 0 0' "
                 "contype='0' conaffinity='0'/><site name='b'/></body></worldbody>"
                 "<equality><%s site1='w' site2='b'/></equality>"
                 "<sensor><framepos objtype='site' objname='b'/></sensor>",
                 kinds[i]);
        TextScene s;
        REQUIRE(text_open(&s, 0.01, "0 0 -9.81", x.text));
        double before[7];
        memcpy(before, qpos_of(&s), sizeof before);
        run_steps(&s, 100);
        /* a connect swings, and is corrected a little in each step */
        double tolerance = i == 0 ? 1e-6 : 1e-4;
        CHECK_NEAR(sensor(&s, 0), 0.1, tolerance);
        CHECK_NEAR(sensor(&s, 1), 0.2, tolerance);
        CHECK_NEAR(sensor(&s, 2), 0.3, tolerance);
        double turned = 0.0;
        for (int k = 3; k < 7; k++) turned = fmax(turned, fabs(qpos_of(&s)[k] - before[k]));
        if (i == 0)
            CHECK(turned < 1e-6);
        else
            CHECK(turned > 0.1);
        text_close(&s);
    }
}

TEST(worlds_with_tendons_are_saved_allocate_nothing_and_have_the_same_bits_on_all_threads)
{
    static const char parts[] = TIED("stiffness='50' range='0 .5' frictionloss='.1'");
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads *= 2) {
        TnWorldDef def = tn_world_def();
        def.thread_count = threads;
        TextScene s;
        REQUIRE(text_open_of(&s, 0.01, "0 0 0", parts, def));
        run_steps(&s, 20);
        size_t size = tn_world_save_size(s.world);
        void *saved = malloc(size);
        CHECK(tn_world_save(s.world, saved, size, NULL) == TN_OK);
        for (int k = 0; k < 50; k++) CHECK(tn_world_step(s.world).heap_fallbacks == 0);
        uint64_t hash = tn_world_hash(s.world);
        if (threads == 1) first = hash;
        CHECK(hash == first);
        TnError err = {0};
        CHECK(tn_world_restore(s.world, saved, size, &err) == TN_OK);
        run_steps(&s, 50);
        CHECK(tn_world_hash(s.world) == first);
        free(saved);
        text_close(&s);
    }
}

TEST(a_hook_that_is_led_up_lifts_loads_on_a_rope_and_on_a_spring)
{
    static const char parts[] =
        "<worldbody><body name='hook' mocap='true'><site name='h'/></body>"
        "<body pos='0 0 -.5'><freejoint/><geom size='.05' mass='1' contype='0' conaffinity='0'/>"
        "<site name='one'/></body><body pos='0 0 -.598'><freejoint/><geom size='.05' mass='1' "
        "contype='0' conaffinity='0'/><site name='two'/></body></worldbody>"
        "<tendon><spatial name='rope' range='0 .5'><site site='h'/><site site='one'/></spatial>"
        "<spatial name='spring' stiffness='100' springlength='.5' damping='2'><site site='h'/>"
        "<site site='two'/></spatial></tendon><sensor><tendonpos tendon='rope'/></sensor>";
    TextScene s;
    REQUIRE(text_open(&s, 0.01, "0 0 -9.81", parts));
    TnBodyId hook = tn_model_find_body(s.model, "hook");
    double start = text_energy(&s);
    for (int k = 1; k <= 300; k++) {
        const double up = k * s.t, pos[3] = {0, 0, 0.25 * up * up}; /* 0.5 m/s² */
        CHECK(tn_world_set_mocap(s.world, hook, pos, NULL, NULL) == TN_OK);
        run_steps(&s, 1);
    }
    CHECK_NEAR(sensor(&s, 0), 0.5, 1e-5);
    CHECK_NEAR(qvel_of(&s)[2], 1.5, 1e-2); /* both follow */
    CHECK_NEAR(qvel_of(&s)[8], 1.5, 5e-2);
    TnEnergyAccount a = tn_world_energy_account(s.world);
    CHECK_NEAR(change_of(&a), text_energy(&s) - start, 1e-9);
    CHECK(a.created < 1e-3 && a.damping < 0.1 && fabs(a.step) < 0.02 * a.applied);
    text_close(&s);
}
