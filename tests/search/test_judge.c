/* What the random search's judge says of energy that is lost: ../search/judge.h. */
#include "../check.h"

#include <math.h>
#include <stdlib.h>

#include "../search/model.h"
#include "shrink.h"

/* A rod of 0.2 m on a hinge, turned up by 45 degrees. */
static Sketch pendulum(void)
{
    Sketch s = {.timestep = 0.01, .gravity = 9.81, .steps = 200, .lossless = true, .part_count = 1};
    s.parts[0] = (Part){
        .kind = PART_BODY, .form = FORM_CAPSULE, .joint = JOINT_HINGE, .a = WORLD, .b = NOBODY};
    s.parts[0].condim = 3;
    s.parts[0].n[N_SIZE_X] = 0.02;
    s.parts[0].n[N_SIZE_Y] = s.parts[0].n[N_AHEAD] = 0.1;
    s.parts[0].n[N_DENSITY] = 1000.0;
    s.parts[0].n[N_AXIS_Y] = 1.0;
    s.parts[0].n[N_TURN_Y] = -45.0;
    return s;
}

/* A box on a floor. */
static Sketch lying(double height)
{
    Sketch s = pendulum();
    s.part_count = 2;
    s.parts[0].form = FORM_BOX;
    s.parts[0].joint = JOINT_FREE;
    s.parts[0].rests = true;
    s.parts[0].n[N_AHEAD] = s.parts[0].n[N_TURN_Y] = 0.0;
    s.parts[0].n[N_SIZE_Z] = 0.05;
    s.parts[0].n[N_VEL_X] = 0.5;
    s.parts[1] =
        (Part){.kind = PART_STATIC, .form = FORM_PLANE, .condim = 3, .a = NOBODY, .b = NOBODY};
    sketch_rest(&s);
    s.parts[0].n[N_Z] += height;
    return s;
}

static Verdict judged(const Sketch *s)
{
    Verdict v;
    judge(s, &v);
    CHECK(v.steps == s->steps && !v.overlaps);
    return v;
}

TEST(what_swings_or_flies_freely_loses_nothing)
{
    Sketch swings = pendulum(), flies = pendulum();
    flies.parts[0].joint = JOINT_FREE;
    for (int k = 0; k < 6; k++) flies.parts[0].n[N_VEL_X + k] = 1.0 + k;
    /* the balance of each step restores smooth motion to rounding */
    CHECK(judged(&swings).amount[FINDING_LOST] < 1e-9);
    CHECK(judged(&flies).amount[FINDING_LOST] < 1e-9);
}

/* D/I = 0.14 1/s takes a quarter of the swing in 2 s, which is half of what is around, kinetic
 * energy and height: 0.06 per s. The swing of 45 degrees is not small, and of the last 0.5 s the
 * least counts. */
TEST(a_damper_that_was_smuggled_in_is_found)
{
    Sketch s = pendulum();
    s.parts[0].n[N_DAMPING] = 6e-4;
    Verdict v = judged(&s);
    CHECK(verdict_has(&v, FINDING_LOST) && !v.hit);
    CHECK_NEAR(v.amount[FINDING_LOST], 0.05, 0.015);
    CHECK(v.step[FINDING_LOST] > 0 && v.step[FINDING_LOST] < s.steps);
}

TEST(implicit_euler_is_found_and_what_is_left_of_the_model_is_the_pendulum)
{
    Sketch s = pendulum();
    s.theta = 1.0;
    s.parts[s.part_count++] =
        (Part){.kind = PART_STATIC, .form = FORM_PLANE, .condim = 3, .a = NOBODY, .b = NOBODY};
    Verdict v = judged(&s);
    CHECK(verdict_has(&v, FINDING_LOST));
    shrink(&s, FINDING_LOST, &v);
    CHECK(s.part_count == 1 && verdict_has(&v, FINDING_LOST));
}

TEST(a_hit_is_no_loss_and_ends_what_is_looked_at)
{
    Sketch lies = lying(0.0), falls = lying(0.05);
    Verdict v = judged(&lies);
    /* forces are right to 1e-6 of gravity, and so is what holds the box */
    CHECK(!v.hit && v.amount[FINDING_LOST] < 1e-6);
    v = judged(&falls);
    CHECK(v.hit && v.amount[FINDING_LOST] < 1e-6);
}

/* Friction where nothing was said of it: the account calls it friction, and so it was announced. */
TEST(nothing_in_a_lossless_model_dissipates)
{
    for (uint64_t seed = 1; seed <= UNLESS_SANITIZED(200, 40); seed++) {
        Sketch s;
        sketch_generate_lossless(&s, seed, (Theme)(seed % THEME_COUNT));
        CHECK(sketch_valid(&s) && s.lossless && !sketch_is_damped(&s));
        for (int i = 0; i < s.part_count; i++) {
            const Part *p = &s.parts[i];
            CHECK(p->servo == SERVO_NONE && p->condim <= 3);
            CHECK(p->n[N_DAMPING] == 0.0 && p->n[N_DRY] == 0.0 && p->n[N_LIMIT] == 0.0);
            CHECK(p->n[N_RESTITUTION] == 0.0);
            CHECK(p->n[N_FRICTION] == 0.0 || p->n[N_FRICTION] == 2.0); /* 2: it sticks */
        }
    }
}

/* Gaps below 1 nm, for texts have nine digits. */
TEST(what_rests_touches_from_the_start)
{
    for (uint64_t seed = 1; seed <= UNLESS_SANITIZED(200, 40); seed++) {
        Sketch s;
        TnError err = {0};
        TnModel *model = NULL;
        int resting = 0;
        sketch_generate_lossless(&s, seed, (Theme)(seed % THEME_COUNT));
        for (int i = 0; i < s.part_count; i++) resting += s.parts[i].rests;
        free(sketch_text(&s, &model, &err));
        TnWorldDef def = tn_world_def();
        def.halvings = 0; /* contacts are those of the start */
        TnWorld *world = tn_world_create(&def, model, &err);
        CHECK(world);
        TnStepReport report = tn_world_step(world);
        int touching = 0;
        for (int i = 0; i < tn_world_contact_count(world); i++)
            touching += fabs(tn_world_contact(world, i).gap) < 1e-9;
        CHECK(touching >= resting && report.max_penetration < 1e-9);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}
