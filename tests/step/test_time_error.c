/* test_time_error.c: steps as short as the accuracy takes that is asked for (time_control.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text_scene.h"

static bool open_asked(TextScene *s, double t, double accuracy, const char *parts)
{
    TnWorldDef def = tn_world_def();
    CHECK(def.accuracy == 0.0);
    def.accuracy = accuracy;
    return text_open_of(s, t, "0 0 -9.81", parts, def);
}

/* 1 kg on a spring of 100 N/m, along x: 10 rad/s, 0.1 m from rest. */
static const char spring[] = "<worldbody><body><joint type='slide' axis='1 0 0' stiffness='100' "
                             "springref='.1'/><geom size='.1' mass='1'/></body></worldbody>";
/* m: where it is, exactly. */
static double spring_at(double time) { return 0.1 - 0.1 * cos(10.0 * time); }

/* A ball 0.5 m from a hinge. */
static const char pendulum[] = "<worldbody><body><joint axis='0 1 0'/><geom size='.05' pos='.5 0 "
                               "0'/></body></worldbody>";

/* rad/s²: 2/5 r² of the ball itself */
static double pendulum_turns(double angle)
{
    double l = 0.5, r = 0.05;
    return 9.81 * l * cos(angle) / (l * l + 0.4 * r * r);
}

/* rad: by the fourth-order method of Runge and Kutta, in so short steps that it errs by rounding.
 */
static double pendulum_at(double time)
{
    double q = 0.0, v = 0.0, h = 1e-4;
    for (int k = 0; k < lround(time / h); k++) {
        double a1 = pendulum_turns(q), v2 = v + 0.5 * h * a1, a2 = pendulum_turns(q + 0.5 * h * v);
        double v3 = v + 0.5 * h * a2, a3 = pendulum_turns(q + 0.5 * h * v2);
        double v4 = v + h * a3, a4 = pendulum_turns(q + h * v3);
        q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return q;
}

/* m: how far the mass is from where it should be after a second, and how many parts that took. */
static double error_after_a_second(const char *parts, double accuracy, int *count)
{
    TextScene s;
    *count = 0;
    if (!open_asked(&s, 0.05, accuracy, parts)) return NAN;
    for (int k = 0; k < 20; k++) {
        TnStepReport report = tn_world_step(s.world);
        CHECK(report.time_error <= accuracy && !report.inaccurate);
        CHECK(report.parts >= 2 && report.shortest <= 0.025);
        CHECK(2 * report.tries >= 3 * report.parts); /* as a whole, too */
        *count += report.parts;
    }
    double q = tn_world_state(s.world).qpos[0];
    CHECK_NEAR(tn_world_state(s.world).time, 1.0, 1e-12);
    text_close(&s);
    return parts == spring ? fabs(q - spring_at(1.0)) : 0.5 * fabs(q - pendulum_at(1.0));
}

TEST(after_a_second_a_spring_and_a_pendulum_are_as_near_as_was_asked_for)
{
    const char *const scenes[] = {spring, pendulum};
    for (int i = 0; i < 2; i++) {
        int last = 0;
        for (double accuracy = 1e-1; accuracy > 5e-4; accuracy *= 0.1) {
            int count;
            double error = error_after_a_second(scenes[i], accuracy, &count);
            CHECK(error <= accuracy);
            /* a tenth of the error takes √10 times as many parts; lengths are powers of two */
            CHECK(count >= last && (last == 0 || count <= 8 * last));
            last = count;
        }
        CHECK(last >= (i == 0 ? 160 : 40)); /* that is no accident */
    }
}

/* A mass on a spring has moved by the mean velocity: what is told errs by the order that is assumed
 * between 1 and 2 for motion of order 2, 1.64, and by what higher orders do. */
TEST(the_error_that_is_told_is_the_error)
{
    TextScene s;
    REQUIRE(open_asked(&s, 0.02, 1.0, spring));
    for (int k = 0; k < 20; k++) {
        TnStateView state = tn_world_state(s.world);
        double x = state.qpos[0] - 0.1, v = state.qvel[0], c = cos(0.2), d = sin(0.2);
        double place = 0.1 + x * c + v / 10.0 * d, speed = v * c - 10.0 * x * d;
        TnStepReport report = tn_world_step(s.world);
        state = tn_world_state(s.world);
        double error = hypot(state.qpos[0] - place, 0.02 * (state.qvel[0] - speed)) / 0.02;
        CHECK(report.time_error > 1.2 * error && report.time_error < 2.2 * error);
    }
    text_close(&s);
}

#define GROUND "<geom type='plane' size='5 5 1'/>"
static const char robot[] =
    "<worldbody>" GROUND "<body name='a' pos='0 0 .5'><freejoint/><geom type='box' size='.1 .1 .1' "
    "mass='1'/><body pos='.1 0 0'><joint name='j' axis='0 1 0' damping='.1' range='-90 90'/><geom "
    "type='capsule' fromto='0 0 0 .3 0 0' size='.03'/></body></body></worldbody><actuator>"
    "<position joint='j' kp='20'/></actuator>";
static const char pile[] =
    "<worldbody>" GROUND "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body><body "
    "pos='.01 0 .35'><freejoint/><geom name='b' type='box' size='.1 .1 .1'/></body></worldbody>"
    "<tenon><geom name='b' restitution='.5'/></tenon>";
static const char cable[] =
    "<extension><plugin plugin='mujoco.elasticity.cable'/></extension><worldbody>" GROUND
    "<composite type='cable' prefix='c' curve='s' count='11 1 1' size='.5' offset='0 0 .3' "
    "initial='free'><plugin plugin='mujoco.elasticity.cable'><config key='bend' value='1e6'/>"
    "<config key='twist' value='1e6'/></plugin><geom type='capsule' size='.01' density='1000'/>"
    "</composite></worldbody>";
static const char soft[] =
    "<worldbody>" GROUND "<body name='a' pos='0 0 .3'><freejoint/><geom type='box' size='.03 .03 "
    ".03' mass='.1'/></body></worldbody><tenon><soft name='s' box='.1 .1 .05' cells='3 3 2' pos='0 "
    "0 .0601' young='1e5' poisson='.4' density='500'/></tenon>";

static const struct {
    const char *name, *parts;
} scenes[] = {{"spring", spring}, {"pendulum", pendulum}, {"robot", robot},
              {"pile", pile},     {"cable", cable},       {"soft", soft}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static uint64_t hash_after(const char *parts, TnWorldDef def, int steps)
{
    TextScene s;
    uint64_t hash = 0;
    if (!text_open_of(&s, 0.01, "0 0 -9.81", parts, def)) return 0;
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(s.world);
        CHECK(!report.diverged && report.parts >= 1);
        CHECK(isnan(report.time_error) == !(def.accuracy > 0.0 && isfinite(def.accuracy)));
    }
    hash = tn_world_hash(s.world);
    text_close(&s);
    return hash;
}

/* Nothing of what was tried is left: what is not asked for much is taken in halves, to the bits of
 * two sub-steps. */
TEST(little_accuracy_is_two_substeps_to_the_last_bit)
{
    for (int i = 0; i < SCENES; i++) {
        TnWorldDef asked = tn_world_def(), two = tn_world_def();
        asked.accuracy = 1e9;
        asked.sleep = two.sleep = TN_SLEEP_PASSIVE;
        asked.halvings = two.halvings = 0; /* of both kinds of parts others fail */
        two.substeps = 2;
        if (hash_after(scenes[i].parts, asked, 80) != hash_after(scenes[i].parts, two, 80))
            test_fail(__FILE__, __LINE__, "%s: other bits", scenes[i].name);
    }
}

TEST(an_infinite_accuracy_is_none)
{
    for (int i = 0; i < SCENES; i++) {
        TnWorldDef none = tn_world_def(), infinite = tn_world_def();
        infinite.accuracy = INFINITY;
        CHECK(hash_after(scenes[i].parts, none, 20) == hash_after(scenes[i].parts, infinite, 20));
    }
}

TEST(any_number_of_threads_and_a_restored_world_give_the_same_bits)
{
    for (int i = 0; i < SCENES; i++) {
        TnWorldDef def = tn_world_def();
        TextScene s;
        TnError err = {0};
        def.accuracy = 1e-3;
        def.sleep = TN_SLEEP_PASSIVE;
        uint64_t one = hash_after(scenes[i].parts, def, 40);
        def.thread_count = 3;
        CHECK(hash_after(scenes[i].parts, def, 40) == one);
        REQUIRE(text_open_of(&s, 0.01, "0 0 -9.81", scenes[i].parts, def));
        for (int k = 0; k < 25; k++) tn_world_step(s.world);
        size_t size = tn_world_save_size(s.world);
        void *bytes = malloc(size);
        REQUIRE(bytes && tn_world_save(s.world, bytes, size, &err) == TN_OK);
        for (int k = 0; k < 7; k++) tn_world_step(s.world);
        CHECK(tn_world_restore(s.world, bytes, size, &err) == TN_OK);
        for (int k = 0; k < 15; k++) tn_world_step(s.world);
        CHECK(tn_world_hash(s.world) == one);
        free(bytes);
        text_close(&s);
    }
}

/* A ball falls on the ground under gravity that leans: when it is there, it stops falling and
 * rolls. That time is known to the shortest part at best, a 128th of the step. */
TEST(what_cannot_be_had_is_told)
{
    static const char fall[] = "<worldbody>" GROUND "<body pos='0 0 .3042'><freejoint/><geom "
                               "size='.1'/></body></worldbody>";
    TextScene s;
    int inaccurate = 0;
    TnWorldDef def = tn_world_def();
    def.accuracy = 1e-7;
    REQUIRE(text_open_of(&s, 0.01, "3 0 -9.81", fall, def));
    for (int k = 0; k < 40; k++) {
        TnStepReport report = tn_world_step(s.world);
        CHECK(report.inaccurate == (report.time_error > 1e-7));
        if (!report.inaccurate) continue;
        inaccurate++;
        CHECK_NEAR(report.shortest, 0.01 / 128.0, 1e-12);
        CHECK(!report.diverged && report.converged);
    }
    CHECK(inaccurate >= 1 && inaccurate <= 5); /* in free flight there is no error */
    text_close(&s);
}

TEST(the_model_may_ask_and_the_world_has_the_last_word)
{
    char text[1024];
    TnWorldDef def = tn_world_def();
    snprintf(text, sizeof text, "%s<tenon accuracy='1e-3'/>", spring);
    def.accuracy = 1e-3;
    uint64_t asked = hash_after(spring, def, 20);
    def.accuracy = INFINITY;
    CHECK(hash_after(text, def, 20) == hash_after(spring, tn_world_def(), 20));
    TextScene s;
    REQUIRE(open_asked(&s, 0.01, 0.0, text));
    CHECK(tn_model_info(s.model).option.accuracy == 1e-3);
    for (int k = 0; k < 20; k++) CHECK(tn_world_step(s.world).time_error <= 1e-3);
    CHECK(tn_world_hash(s.world) == asked);
    text_close(&s);
}

TEST(accuracies_that_make_no_sense_are_refused)
{
    const double wrong[] = {-1e-3, NAN, -INFINITY};
    TextScene s;
    REQUIRE(open_asked(&s, 0.01, 0.0, spring));
    for (int i = 0; i < 3; i++) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.accuracy = wrong[i];
        CHECK(!tn_world_create(&def, s.model, &err));
        CHECK_STR(err.message, "accuracy");
        def.accuracy = 1e-3;
        def.device = TN_DEVICE_CUDA;
        CHECK(!tn_world_create(&def, s.model, &err));
    }
    text_close(&s);
}
