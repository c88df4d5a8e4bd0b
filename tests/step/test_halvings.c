/* test_halvings.c: a step that is too long is taken in halves, and what is meant for a step is for
 * all of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "text_scene.h"

/* A ball on a hinge 5 cm off a light one, that falls into a slot as wide as it is. It whirls about
 * the light one by 0.7 rad per step of 10 ms and is 3 cm in the floor where nothing looks at the
 * end. */
#define WHIRL(MORE)                                                                                \
    "<worldbody><geom type='box' size='.1 .3 1.1' pos='-1 0 .9' friction='0'/>"                    \
    "<geom type='box' size='.1 .3 1.1' pos='1 0 .9' friction='0'/>"                                \
    "<geom type='box' size='1.1 .1 1.1' pos='0 -.2 .9' friction='0'/>"                             \
    "<geom type='box' size='1.1 .1 1.1' pos='0 .2 .9' friction='0'/>"                              \
    "<geom type='box' size='1.1 .3 .1' pos='0 0 -.1' friction='0'/>"                               \
    "<geom type='box' size='1.1 .3 .1' pos='0 0 1.9' friction='0'/>"                               \
    "<body pos='0 0 1'><freejoint/><geom size='.02' friction='0'/><body pos='.05 0 0'>"            \
    "<joint type='hinge' axis='0 1 -.2'/><geom size='.1' friction='0'/></body></body>" MORE        \
    "</worldbody>"

static bool open_whirl(TextScene *s, int halvings, int threads)
{
    TnWorldDef def = tn_world_def();
    CHECK(def.halvings == 4);
    def.halvings = halvings;
    def.thread_count = threads;
    return text_open_of(s, 0.01, "0 0 -9.81", WHIRL(""), def);
}

typedef struct Run {
    double deepest;
    int halved, by_depth;
    uint64_t hash;
} Run;

static Run run(TextScene *s, int steps)
{
    Run r = {0};
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(s->world);
        CHECK(!report.diverged && (report.halved > 0) == (report.halved_by != TN_CHECK_NONE));
        r.deepest = fmax(r.deepest, report.max_penetration);
        r.halved += report.halved;
        r.by_depth += report.halved_by == TN_CHECK_DEPTH;
    }
    r.hash = tn_world_hash(s->world);
    return r;
}

TEST(what_turns_into_the_floor_within_a_step_ends_on_it)
{
    TextScene whole, halves;
    REQUIRE(open_whirl(&whole, 0, 1) && open_whirl(&halves, 4, 1));
    Run w = run(&whole, 100), h = run(&halves, 100);
    CHECK(w.halved == 0 && h.by_depth > 0);
    CHECK(h.deepest < 5e-4); /* m: half a percent of its radius */
    text_close(&whole);
    text_close(&halves);
}

TEST(any_number_of_threads_and_a_restored_world_give_the_same_bits)
{
    TextScene one, four, again;
    REQUIRE(open_whirl(&one, 4, 1) && open_whirl(&four, 4, 4) && open_whirl(&again, 4, 1));
    Run a = run(&one, 100), b = run(&four, 100);
    CHECK(a.hash == b.hash && a.halved == b.halved && a.halved > 0);
    run(&again, 40);
    TnError err = {0};
    size_t size = tn_world_save_size(again.world);
    void *bytes = malloc(size);
    REQUIRE(bytes && tn_world_save(again.world, bytes, size, &err) == TN_OK);
    run(&again, 7);
    CHECK(tn_world_restore(again.world, bytes, size, &err) == TN_OK);
    CHECK(run(&again, 60).hash == a.hash);
    free(bytes);
    text_close(&one);
    text_close(&four);
    text_close(&again);
}

/* Time, a mocap body's way, and forces that hold for one step end where whole steps end them. */
TEST(what_is_meant_for_a_step_is_for_all_of_it)
{
    static const char parts[] =
        WHIRL("<body name='hand' mocap='true' pos='2 0 1'><geom size='.01'/></body>"
              "<body name='weight' pos='3 0 1'><freejoint/><geom size='.05'/></body>");
    TextScene s;
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    REQUIRE(text_open_of(&s, 0.01, "0 0 -9.81", parts, def));
    double time = 0.0;
    TnBodyId hand = tn_model_find_body(s.model, "hand"),
             weight = tn_model_find_body(s.model, "weight");
    double lift[3] = {0, 0, 9.81 * tn_model_body_info(s.model, weight).mass}, none[3] = {0};
    int halved = 0;
    for (int k = 1; k <= 100; k++) {
        double pos[3] = {2, 0.01 * k, 1}, quat[4] = {1, 0, 0, 0}, at[3], turn[4];
        CHECK(tn_world_set_mocap(s.world, hand, pos, quat, &err) == TN_OK);
        tn_world_apply_wrench(s.world, weight, lift, none);
        halved += tn_world_step(s.world).halved;
        time += 0.01;
        CHECK_NEAR(tn_world_state(s.world).time, time, 1e-13);
        tn_world_body_pose(s.world, hand, at, turn);
        CHECK(at[1] == pos[1]);
        tn_world_body_pose(s.world, weight, at, turn);
        CHECK_NEAR(at[2], 1.0, 1e-13); /* m; the force is its weight */
    }
    CHECK(halved > 0);
    text_close(&s);
}

TEST(checks_have_names_and_counts_have_limits)
{
    TextScene s;
    TnWorldDef def = tn_world_def();
    CHECK_STR(tn_check_name(TN_CHECK_NONE), "none");
    CHECK_STR(tn_check_name(TN_CHECK_DEPTH), "depth");
    CHECK_STR(tn_check_name(TN_CHECK_ENERGY), "energy");
    CHECK_STR(tn_check_name((TnCheck)99), "none");
    REQUIRE(text_open(&s, 0.01, "0 0 -9.81", "<worldbody/>"));
    for (int wrong = -1; wrong <= 17; wrong += 18) {
        TnError err = {0};
        def.halvings = wrong;
        CHECK(!tn_world_create(&def, s.model, &err));
        CHECK_STR(err.message, "halvings");
    }
    text_close(&s);
}

TEST(without_memory_a_step_is_refused_and_changes_nothing)
{
    bool done = false;
    for (long calls = 0; !done && calls < 40; calls++) {
        TextScene s;
        REQUIRE(open_whirl(&s, 4, 1));
        bool refused = false;
        for (int k = 0; k < 80 && !refused; k++) {
            uint64_t hash = tn_world_hash(s.world);
            tn_malloc_fail_after(calls);
            refused = tn_world_step(s.world).diverged;
            tn_malloc_fail_after(-1);
            if (refused) CHECK(tn_world_hash(s.world) == hash);
        }
        done = !refused;
        text_close(&s);
    }
    CHECK(done);
}

/* Energies of rounding errors alone are no reason: what floats without gravity has no others. */
TEST(what_rests_is_not_halved)
{
    static const char *const parts[] = {
        "<worldbody><geom type='plane' size='9 9 1'/></worldbody><tenon><soft name='a' "
        "box='.1 .1 .1' cells='4 4 4' pos='0 0 .15' young='1e7' poisson='.49'/></tenon>",
        "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .1'><freejoint/>"
        "<geom type='box' size='.1 .1 .1'/></body></worldbody>"};
    for (int i = 0; i < 2; i++) {
        TextScene s;
        REQUIRE(text_open(&s, 0.01, i ? "0 0 -9.81" : "0 0 0", parts[i]));
        CHECK(run(&s, 20).halved == 0);
        text_close(&s);
    }
}
