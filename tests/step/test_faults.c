/* Every allocation fails in turn, alone and with all that follow it, where models are loaded and
 * worlds made, stepped, asked and saved: an error, nothing that leaks, and a state without a bit
 * changed. A step that does without what it did not get must come to the same bits. */
#include "../check.h"

#include "base/base.h"
#include "world/world.h"

#include <tenon/tenon.h>

typedef struct Scene {
    const char *name, *text;
    int steps; /* before the one that lacks memory; UNTIL_SOMEBODY_WAKES: up to the one that does */
    TnSleep sleep;
    int substeps;
    double accuracy;
    bool fixed; /* a fixed number of iterations */
} Scene;
enum { UNTIL_SOMEBODY_WAKES = -1 };

#define HEAD "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='5 5 1'/>"
#define BALL(X, Z) "<body pos='" X " 0 " Z "'><freejoint/><geom size='.1'/></body>"
#define BOX(X, Z) "<body pos='" X " 0 " Z "'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
#define PILE BALL("0", ".1") BALL(".05", ".29") BOX("1", ".1") BOX("1.02", ".29")
#define ROBOT                                                                                      \
    "<body name='arm' pos='0 1 .6'><joint name='a' axis='0 1 0' damping='.1' limited='true' "      \
    "range='-60 60'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.05'/>"                      \
    "<body name='hand' pos='.4 0 0'><joint name='b' axis='0 1 0' frictionloss='.05'/>"             \
    "<geom type='capsule' fromto='0 0 0 .3 0 -.3' size='.04'/><site name='tip'/></body></body>"
#define DRIVES                                                                                     \
    "<equality><connect body1='hand' body2='load' anchor='.2 0 -.3'/></equality>"                  \
    "<tendon><fixed name='t' stiffness='1' limited='true' range='-1 1'><joint joint='a' "          \
    "coef='1'/>"                                                                                   \
    "<joint joint='b' coef='1'/></fixed></tendon>"                                                 \
    "<actuator><position name='lift' joint='a' kp='10'/><motor name='turn' joint='b' "             \
    "gear='2'/></actuator>"                                                                        \
    "<sensor><jointpos joint='a'/><force site='tip'/></sensor>"
#define CABLE                                                                                      \
    "<tenon><rod name='rope' start='-.5 0 .3' end='.5 0 .25' segments='8' radius='.02' "           \
    "young='1e6'/></tenon>"
#define SOFT                                                                                       \
    "<tenon><soft name='cube' box='.1 .1 .1' cells='1 1 1' pos='0 0 .099' young='1e5'/></tenon>"
#define TRACK "<tenon><track file='track.csv' loop_from='0'/></tenon>"
#define LOAD "<body name='load' pos='.6 1 .2'><freejoint/><geom size='.05'/></body></worldbody>"
#define TAIL "</mujoco>"

static const Scene scenes[] = {
    {.name = "rigid", .text = HEAD PILE "</worldbody>" TAIL},
    {.name = "rigid, warm", .text = HEAD PILE "</worldbody>" TAIL, .steps = 8},
    {.name = "rigid, sub-steps", .text = HEAD PILE "</worldbody>" TAIL, .steps = 2, .substeps = 3},
    {.name = "rigid, accuracy",
     .text = HEAD PILE BALL("3", ".14") "</worldbody>" TAIL,
     .steps = 8,
     .accuracy = 1e-1},
    {.name = "rigid, fixed", .text = HEAD PILE "</worldbody>" TAIL, .steps = 3, .fixed = true},
    {.name = "bounce",
     .text = HEAD "<body pos='0 0 .15'><freejoint/><geom name='b' size='.1'/></body></worldbody>"
                  "<tenon><geom name='b' restitution='.5'/></tenon>" TAIL,
     .steps = 9},
    {.name = "robot", .text = HEAD ROBOT LOAD DRIVES TAIL, .steps = 2},
    {.name = "robot on a track",
     .text = HEAD ROBOT LOAD DRIVES TRACK TAIL,
     .steps = 3,
     .sleep = TN_SLEEP_ALL},
    {.name = "cable", .text = HEAD BALL("0", ".1") "</worldbody>" CABLE TAIL, .steps = 12},
    {.name = "soft", .text = HEAD BALL("0", ".35") "</worldbody>" SOFT TAIL, .steps = 3},
    {.name = "islands",
     .text = HEAD PILE BALL("2", ".1") BALL("3", ".1") BOX("3", ".3") "</worldbody>" TAIL,
     .steps = 1},
    {.name = "falling asleep",
     .text = HEAD BOX("0", ".1") BOX("1", ".1") "</worldbody>" TAIL,
     .steps = 2,
     .sleep = TN_SLEEP_PASSIVE},
    {.name = "waking",
     .text = HEAD BOX("0", ".1") BOX("1", ".1") BALL("0", ".4") "</worldbody>" TAIL,
     .steps = UNTIL_SOMEBODY_WAKES,
     .sleep = TN_SLEEP_PASSIVE},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

typedef struct Bytes {
    char *data;
    size_t size;
} Bytes;

static Bytes save(const TnWorld *world)
{
    TnError err = {0};
    Bytes s = {.size = tn_world_save_size(world)};
    s.data = malloc(s.size);
    if (!s.data || tn_world_save(world, s.data, s.size, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return s;
}

static bool same(Bytes a, Bytes b) { return a.size == b.size && !memcmp(a.data, b.data, a.size); }

static TnModel *load(const char *text, TnError *err)
{
    static const char track[] = "time,lift,turn\n0,0,1\n0.02,0.1,-1\n0.05,0,1\n";
    const TnMemoryFile file = {"track.csv", track, sizeof track - 1};
    TnLoadDef def = tn_load_def();
    def.text = text;
    def.files = &file;
    def.file_count = 1;
    TnModelBuilder *builder = tn_builder_load("scene.xml", &def, NULL, err);
    TnModel *model = builder ? tn_builder_compile(builder, err) : NULL;
    tn_builder_destroy(builder);
    return model;
}

static TnWorldDef def_of(const Scene *scene)
{
    TnWorldDef def = tn_world_def();
    def.sleep = scene->sleep;
    def.sleep_time = 0.03;
    def.sleep_speed = 1e-2;
    def.substeps = scene->substeps;
    def.accuracy = scene->accuracy;
    if (scene->fixed) def.solver.tolerance = 0.0;
    return def;
}

/* Fails call `n` alone, or it and all others. */
static void fail(long n, bool once)
{
    if (once)
        tn_malloc_fail_once(n);
    else
        tn_malloc_fail_after(n);
}

/* A world that has come so far as the scene says, with memory that has not: its arena is empty, so
 * that whatever a step wants from it comes from the heap. */
static TnWorld *begin(const Scene *scene, const TnModel *model, const Bytes *state)
{
    TnError err = {0};
    TnWorldDef def = def_of(scene);
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world || (state && tn_world_restore(world, state->data, state->size, &err) != TN_OK))
        test_fail(__FILE__, __LINE__, "%s: %s", scene->name, err.message);
    tn_arena_free(&world->arena);
    tn_arena_init(&world->arena, "step", 0);
    return world;
}

TEST(loading_and_creating_without_memory_is_an_error)
{
    for (int s = 0; s < SCENES; s++)
        for (int once = 0; once < 2; once++) {
            bool done = false;
            long n = 0;
            for (; !done && n < 20000; n++) {
                TnError err = {0};
                long live = tn_malloc_live(), calls = tn_malloc_count();
                TnWorldDef def = def_of(&scenes[s]);
                fail(n, once);
                TnModel *model = load(scenes[s].text, &err);
                TnWorld *world = model ? tn_world_create(&def, model, &err) : NULL;
                fail(-1, false);
                done = tn_malloc_count() - calls <= n;
                if (!world && err.code != TN_ERROR_MEMORY)
                    test_fail(__FILE__, __LINE__, "%s, call %ld: %s", scenes[s].name, n,
                              err.message);
                tn_world_destroy(world);
                tn_model_destroy(model);
                if (tn_malloc_live() != live)
                    test_fail(__FILE__, __LINE__, "%s, call %ld leaks", scenes[s].name, n);
            }
            CHECK(done && n > 50);
        }
}

/* The state that the scene's step starts from; of a scene that wakes, the one before it does. */
static Bytes start_of(const Scene *scene, const TnModel *model)
{
    TnWorld *world = begin(scene, model, NULL);
    Bytes before = save(world);
    for (int k = 0, slept = 0; scene->steps == UNTIL_SOMEBODY_WAKES ? k < 100 : k < scene->steps;
         k++) {
        free(before.data);
        before = save(world);
        int asleep = tn_world_step(world).asleep_count;
        if (scene->steps == UNTIL_SOMEBODY_WAKES && asleep < slept) break;
        slept = asleep;
    }
    if (scene->steps >= 0) {
        free(before.data);
        before = save(world);
    }
    tn_world_destroy(world);
    return before;
}

typedef struct Tally {
    int refused, taken;
} Tally;

/* The step with call n refused; true: it made no such call. */
static bool try_step(const Scene *scene, const TnModel *model, Bytes before, Bytes after, long n,
                     bool once, Tally *tally)
{
    TnWorld *world = begin(scene, model, &before);
    long calls = tn_malloc_count();
    fail(n, once);
    TnStepReport report = tn_world_step(world);
    fail(-1, false);
    bool done = tn_malloc_count() - calls <= n;
    Bytes now = save(world);
    if (report.diverged) {
        tally->refused++;
        if (tn_world_trouble(world).kind != TN_TROUBLE_MEMORY)
            test_fail(__FILE__, __LINE__, "%s, call %ld: %s", scene->name, n,
                      tn_world_trouble(world).what);
        if (!same(now, before))
            test_fail(__FILE__, __LINE__, "%s, call %ld: a refused step changed the state",
                      scene->name, n);
        CHECK(!tn_world_step(world).diverged);
        free(now.data);
        now = save(world);
    } else {
        tally->taken += !done;
    }
    if (!same(now, after))
        test_fail(__FILE__, __LINE__, "%s, call %ld%s, %s: not the state that it should be",
                  scene->name, n, once ? " alone" : "", report.diverged ? "refused" : "taken");
    free(now.data);
    tn_world_destroy(world);
    return done;
}

TEST(a_step_without_memory_is_refused_and_changes_nothing)
{
    for (int s = 0; s < SCENES; s++) {
        TnError err = {0};
        const Scene *scene = &scenes[s];
        TnModel *model = load(scene->text, &err);
        REQUIRE(model);
        Bytes before = start_of(scene, model);
        TnWorld *world = begin(scene, model, &before);
        CHECK(!tn_world_step(world).diverged);
        Bytes after = save(world);
        tn_world_destroy(world);
        Tally tally = {0};
        for (int once = 0; once < 2; once++) {
            bool done = false;
            for (long n = 0; !done && n < 3000; n++) {
                long live = tn_malloc_live();
                done = try_step(scene, model, before, after, n, once, &tally);
                if (tn_malloc_live() != live)
                    test_fail(__FILE__, __LINE__, "%s, call %ld leaks", scene->name, n);
            }
            CHECK(done);
        }
        printf("     %s: %d steps refused, %d did without\n", scene->name, tally.refused,
               tally.taken);
        CHECK(tally.refused > 0);
        free(before.data);
        free(after.data);
        tn_model_destroy(model);
    }
}

/* What is asked of a world needs memory, too. */
static bool ask(TnWorld *world, TnError *err)
{
    double sensors[8], q[64], v[64];
    TnModelInfo info = tn_model_info(tn_world_model(world));
    TnEval eval = {.sensors = sensors};
    memcpy(q, tn_world_state(world).qpos, sizeof(double) * (size_t)info.qpos_count);
    memcpy(v, tn_world_state(world).qvel, sizeof(double) * (size_t)info.dof_count);
    TnScene *scene = tn_scene_create_of(world, err);
    TnFrame *frame = scene ? tn_frame_create(scene, err) : NULL;
    bool fine = frame && tn_frame_capture(frame, world, NULL, true, err) == TN_OK &&
                tn_frame_capture_signals(frame, world, err) == TN_OK;
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    TnSolverDef def = tn_world_def().solver;
    TnSolver *problem = fine ? tn_world_problem(world, &def, err) : NULL;
    tn_solver_destroy(problem);
    return problem && tn_world_sensors(world, sensors, err) == TN_OK &&
           tn_model_eval(tn_world_model(world), q, v, NULL, &eval, err) == TN_OK &&
           tn_world_body_reaction(world, 2).known;
}

TEST(questions_without_memory_are_errors_and_change_nothing)
{
    TnError err = {0};
    const Scene scene = {.name = "robot", .text = HEAD ROBOT LOAD DRIVES TAIL};
    TnModel *model = load(scene.text, &err);
    REQUIRE(model && tn_model_info(model).qpos_count <= 64);
    for (int once = 0; once < 2; once++) {
        bool done = false;
        for (long n = 0; !done && n < 2000; n++) {
            long live = tn_malloc_live();
            TnWorld *world = begin(&scene, model, NULL);
            for (int k = 0; k < 2; k++) tn_world_step(world);
            Bytes before = save(world);
            long calls = tn_malloc_count();
            err = (TnError){0};
            fail(n, once);
            bool fine = ask(world, &err);
            fail(-1, false);
            done = tn_malloc_count() - calls <= n;
            CHECK(fine || err.code == TN_ERROR_MEMORY || err.code == TN_OK);
            if (done) CHECK(fine);
            Bytes after = save(world);
            CHECK(same(before, after));
            CHECK(ask(world, &err));
            free(before.data);
            free(after.data);
            tn_world_destroy(world);
            if (tn_malloc_live() != live) test_fail(__FILE__, __LINE__, "call %ld leaks", n);
        }
        CHECK(done);
    }
    tn_model_destroy(model);
}

TEST(a_batch_without_memory_refuses_steps_of_worlds_and_goes_on)
{
    TnError err = {0};
    TnModel *model = load(HEAD PILE "</worldbody>" TAIL, &err);
    REQUIRE(model);
    TnBatchDef def = tn_batch_def();
    def.count = 2;
    uint64_t wanted = 0;
    bool done = false;
    int refused = 0;
    for (long n = -1; !done && n < 3000; n++) { /* first with all the memory that it wants */
        long live = tn_malloc_live();
        TnBatch *batch = tn_batch_create(&def, model, &err);
        REQUIRE(batch);
        for (int i = 0; i < 2; i++) {
            TnArena *arena = &tn_batch_world(batch, i)->arena;
            tn_arena_free(arena);
            tn_arena_init(arena, "step", 0);
        }
        uint64_t first = tn_world_hash(tn_batch_world(batch, 0));
        long calls = tn_malloc_count();
        fail(n, true);
        tn_batch_step(batch, NULL, &err);
        fail(-1, false);
        done = n >= 0 && tn_malloc_count() - calls <= n;
        for (int i = 0; i < 2; i++) {
            TnWorld *world = tn_batch_world(batch, i);
            bool was_refused = tn_batch_view(batch).diverged[i];
            refused += was_refused;
            if (n < 0) wanted = tn_world_hash(world);
            CHECK(tn_world_hash(world) == (was_refused ? first : wanted));
        }
        tn_batch_destroy(batch);
        if (tn_malloc_live() != live) test_fail(__FILE__, __LINE__, "call %ld leaks", n);
    }
    CHECK(done && refused > 50);
    tn_model_destroy(model);
}
