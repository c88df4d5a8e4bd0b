/* Builds with assertions end a program that uses what it has destroyed. A model must also outlive
 * its worlds. */
#include "../check.h"

#include <sys/wait.h>
#include <tenon/batch.h>
#include <tenon/tenon.h>
#include <unistd.h>

static TnModel *make_model(void)
{
    TnError err = {0};
    return tn_model_load_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body>"
                                "</worldbody></mujoco>",
                                NULL, NULL, &err);
}

static TnWorld *make_world(const TnModel *model)
{
    TnWorldDef def = tn_world_def();
    return tn_world_create(&def, model, NULL);
}

static void destroy_twice(void)
{
    TnWorld *world = make_world(make_model());
    tn_world_destroy(world);
    tn_world_destroy(world);
}

static void step_after(void)
{
    TnWorld *world = make_world(make_model());
    tn_world_destroy(world);
    tn_world_step(world);
}

static void ask_after(void)
{
    double pos[3], quat[4];
    TnWorld *world = make_world(make_model());
    tn_world_destroy(world);
    tn_world_body_pose(world, 1, pos, quat);
}

static void model_before_its_world(void)
{
    TnModel *model = make_model();
    TnWorld *world = make_world(model);
    tn_model_destroy(model);
    tn_world_step(world);
}

static void model_after(void)
{
    TnModel *model = make_model();
    tn_model_destroy(model);
    tn_model_info(model);
}

static void batch_after(void)
{
    TnBatchDef def = tn_batch_def();
    TnBatch *batch = tn_batch_create(&def, make_model(), NULL);
    tn_batch_destroy(batch);
    tn_batch_step(batch, NULL, NULL);
}

static void solver_after(void)
{
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, NULL);
    tn_solver_destroy(solver);
    tn_solver_prepare(solver, NULL);
}

/* In a process of its own, whose last words nobody needs. */
static bool ends_badly(void (*run)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        run();
        _exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

TEST(what_was_destroyed_is_noticed_by_builds_with_assertions)
{
#ifdef NDEBUG
    test_skip("this build has no assertions");
    (void)ends_badly;
    (void)destroy_twice, (void)step_after, (void)ask_after, (void)model_before_its_world;
    (void)model_after, (void)batch_after, (void)solver_after;
#else
    CHECK(ends_badly(destroy_twice));
    CHECK(ends_badly(step_after));
    CHECK(ends_badly(ask_after));
    CHECK(ends_badly(model_before_its_world));
    CHECK(ends_badly(model_after));
    CHECK(ends_badly(batch_after));
    CHECK(ends_badly(solver_after));
#endif
}
