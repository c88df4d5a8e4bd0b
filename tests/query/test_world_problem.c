/* The last step's problem handed to the solver alone: the same problem, the same solution, the same
 * accuracy; and v̂ in the layout of qvel. */
#include "../check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "../step/scene.h"
#include "baselines/baselines.h"
#include "solver/alone/from_problem.h"
#include "world/world.h"

typedef struct Run {
    TnModel *model;
    TnWorld *world;
    TnStepReport report;
} Run;

static TnWorldDef measured(TnDivisionDef division, double tolerance, int iterations)
{
    TnWorldDef def = tn_world_def();
    def.division = division;
    def.substeps = 1; /* the problem is that of the step */
    def.halvings = 0;
    def.measure_accuracy = true;
    def.solver.tolerance = tolerance;
    def.solver.iterations = iterations;
    return def;
}

static bool start(Run *run, const char *scene, TnWorldDef def)
{
    char path[512];
    TnError err = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", TENON_SOURCE_DIR, scene);
    *run = (Run){.model = tn_model_load(path, &err)};
    run->world = tn_world_create(&def, run->model, &err);
    if (!run->world) test_fail(__FILE__, __LINE__, "%s: %s", scene, err.message);
    return run->world;
}

static void stop(Run *run)
{
    tn_world_destroy(run->world);
    tn_model_destroy(run->model);
}

static void step(Run *run, int count)
{
    for (int i = 0; i < count; i++) run->report = tn_world_step(run->world);
}

typedef struct Alone {
    TnSolver *solver;
    double *v, *lambda;
    TnJudgement judgement;
} Alone;

static bool take(const Run *run, TnSolverDef def, Alone *out)
{
    TnError err = {0};
    *out = (Alone){.solver = tn_world_problem(run->world, &def, &err)};
    if (!out->solver) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        return false;
    }
    out->v = calloc((size_t)tn_solver_unknown_count(out->solver) + 1, sizeof(double));
    out->lambda = calloc((size_t)tn_solver_lambda_count(out->solver) + 1, sizeof(double));
    tn_solver_solution(out->solver, out->v, out->lambda);
    return tn_solver_judge(out->solver, NULL, out->v, out->lambda, NULL, &out->judgement, &err) ==
           TN_OK;
}

static void drop(Alone *alone)
{
    tn_solver_destroy(alone->solver);
    free(alone->v);
    free(alone->lambda);
}

/* Two programs that know nothing of each other: the step's metrics on its batches, chains and
 * meshes, and the judge on dense and sparse blocks. */
static void compare(const Run *run, double tolerance)
{
    Alone alone;
    if (!take(run, tn_solver_def(), &alone)) return;
    const TnJudgement *j = &alone.judgement;
    /* both round at 1e-16 of forces and velocities that may be a thousand times the error */
    CHECK_NEAR(j->aac, run->report.aac, 1e-6);
    CHECK_NEAR(j->aal, run->report.aal, 1e-6);
    /* what a tolerance is about is the largest natural map */
    double scale = run->report.residual / run->report.error; /* gravity × step */
    if (tolerance > 0.0) CHECK_NEAR(j->natural_map / (run->report.rigid_error * scale), 1.0, 1e-5);
    drop(&alone);
}

static const TnDivisionDef whole = {0}, paper = {.kind = TN_DIVISION_PAPER};

static void compare_scene(const char *scene, TnWorldDef def, int steps)
{
    Run run;
    if (!start(&run, scene, def)) return;
    step(&run, steps);
    compare(&run, def.solver.tolerance);
    stop(&run);
}

TEST(a_pile_and_an_arm_are_judged_as_in_the_step)
{
    compare_scene("stir", measured(whole, 0.0, 30), UNLESS_SANITIZED(40, 4));
}

TEST(a_tower_is_judged_as_in_the_step) { compare_scene("tower", measured(whole, 0.0, 10), 5); }

TEST(islands_have_the_error_that_they_tell)
{
    compare_scene("stir", measured(whole, 1e-6, 100), 10);
    compare_scene("pyramid", measured(whole, 1e-4, 100), 3);
}

TEST(a_cable_with_its_robots_is_a_sparse_block)
{
    compare_scene("cable", measured(whole, 0.0, 30), UNLESS_SANITIZED(200, 20));
}

TEST(a_soft_body_is_a_sparse_block)
{
    compare_scene("gripper", measured(whole, 0.0, 2), UNLESS_SANITIZED(30, 3));
}

TEST(pieces_of_a_soft_body_and_their_ties_are_judged_as_in_the_step)
{
    compare_scene("gripper", measured((TnDivisionDef){.pieces = 4}, 0.0, 20),
                  UNLESS_SANITIZED(10, 2));
}

TEST(rows_of_wheels_are_judged_as_in_the_step)
{
    compare_scene("rolling_disc", measured(whole, 0.0, 3), 20);
}

/* Balls and boxes that spin and roll, contact_dim 4 and 6. */
static TnModel *rollers(void)
{
    Scene scene = scene_begin();
    TnGeomDef ground = tn_geom_def();
    ground.type = TN_GEOM_PLANE;
    ground.body = TN_BODY_WORLD;
    tn_builder_add_geom(scene.builder, &ground);
    for (int i = 0; i < 6; i++) {
        TnBodyDef body = tn_body_def();
        body.pos[0] = 0.15 * (i % 3);
        body.pos[2] = i < 3 ? 0.0999 : 0.2995;
        TnJointDef joint = tn_joint_def();
        joint.body = tn_builder_add_body(scene.builder, &body);
        joint.type = TN_JOINT_FREE;
        tn_builder_add_joint(scene.builder, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = joint.body;
        geom.type = i % 2 ? TN_GEOM_BOX : TN_GEOM_SPHERE;
        geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
        geom.contact_dim = i < 3 ? 6 : 4;
        geom.friction[1] = 0.02;
        geom.friction[2] = 0.01;
        tn_builder_add_geom(scene.builder, &geom);
    }
    return scene_compile(&scene);
}

TEST(spin_and_rolling_friction_are_judged_as_in_the_step)
{
    TnError err = {0};
    double qvel[36];
    for (int k = 0; k < 36; k++) qvel[k] = k % 6 < 3 ? 0.0 : 3.0 - k % 5;
    for (int i = 0; i < 2; i++) {
        double tolerance = i ? 1e-5 : 0.0;
        TnWorldDef def = measured(whole, tolerance, i ? 300 : 10);
        Run run = {.model = rollers()};
        REQUIRE(run.model);
        run.world = tn_world_create(&def, run.model, &err);
        REQUIRE(run.world);
        CHECK(tn_world_set_state(run.world, tn_world_state(run.world).qpos, qvel, &err) == TN_OK);
        step(&run, 3);
        CHECK(run.report.row_count > 10);
        compare(&run, tolerance);
        stop(&run);
    }
}

/* Springs of a cut cable become rows: the laws are the same, so what solves one solves the other;
 * but an error is spread over other numbers. */
TEST(bonds_become_rows_with_the_same_solution)
{
    Run run;
    Alone alone;
    if (!start(&run, "cable", measured(paper, 1e-8, 20000))) return;
    step(&run, 2);
    if (take(&run, tn_solver_def(), &alone)) {
        const TnJudgement *j = &alone.judgement;
        CHECK(run.report.converged && run.report.row_count > 900);
        /* a bond of six numbers in velocities against its rows of one */
        CHECK(j->natural_map < 10.0 * run.report.residual);
        CHECK(j->dynamics < 1e-12); /* forces that K cannot bear are in b */
        drop(&alone);
    }
    stop(&run);
}

/* The step's own solution is where the solver alone starts. */
TEST(a_solved_problem_needs_no_iterations)
{
    Run run;
    Alone alone;
    if (!start(&run, "pyramid", measured(whole, 1e-6, 300))) return;
    step(&run, 2);
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1.1e-6;
    def.velocity_scale = 9.81 * 0.01;
    if (take(&run, def, &alone)) {
        TnSolveReport report = tn_solver_solve(alone.solver, NULL, alone.v, alone.lambda);
        CHECK(run.report.converged && report.converged && report.iterations == 0);
        CHECK_NEAR(report.error, run.report.error, 1e-5 * run.report.error);
        drop(&alone);
    }
    stop(&run);
}

TEST(without_a_step_there_is_no_problem)
{
    Run run;
    TnError err = {0};
    double v[64];
    if (!start(&run, "tower", measured(whole, 0.0, 60))) return;
    TnSolverDef def = tn_solver_def();
    CHECK(!tn_world_problem(run.world, &def, &err));
    CHECK_STR(err.message, "no step");
    CHECK(!tn_world_last_velocity(run.world, v));
    stop(&run);
}

/* ---- v̂ ---- */

/* v̂ lies between the velocities before and after the step. */
TEST(velocities_are_those_of_the_state)
{
    Run run;
    if (!start(&run, "stir", measured(whole, 0.0, 30))) return;
    step(&run, 10);
    TnStateView before = tn_world_state(run.world);
    size_t bytes = sizeof(double) * (size_t)before.dof_count;
    double *v = malloc(bytes), *old = malloc(bytes), *expected = malloc(bytes);
    memcpy(old, before.qvel, bytes);
    step(&run, 1);
    CHECK(tn_world_last_velocity(run.world, v));
    /* midpoint: v̂ is the mean of v and v⁺ but for what turns within a step */
    TnStateView after = tn_world_state(run.world);
    for (int k = 0; k < after.dof_count; k++) expected[k] = 0.5 * (old[k] + after.qvel[k]);
    double moved = tn_world_velocity_distance(run.world, old, after.qvel);
    double off = tn_world_velocity_distance(run.world, v, expected);
    CHECK(moved > 1e-4 && off < 0.02 * moved);
    CHECK(tn_world_velocity_distance(run.world, v, v) == 0.0);
    free(v), free(old), free(expected);
    stop(&run);
}

/* √(2 E / m) is what the world's own energy says. */
TEST(distance_is_measured_by_mass)
{
    Run run;
    if (!start(&run, "stir", measured(whole, 0.0, 30))) return;
    step(&run, 20);
    TnStateView state = tn_world_state(run.world);
    double *zero = calloc((size_t)state.dof_count, sizeof(double));
    double expected = sqrt(2.0 * tn_world_energy(run.world).kinetic / run.world->model->total_mass);
    CHECK_NEAR(tn_world_velocity_distance(run.world, state.qvel, zero), expected, 1e-15);
    free(zero);
    stop(&run);
}

/* A cable in one piece and in 160, from the same state and each to its end: one velocity. */
TEST(velocities_are_the_same_for_every_division)
{
    Run runs[2];
    double *v[2], reached[2];
    const TnDivisionDef divisions[2] = {whole, paper};
    for (int i = 0; i < 2; i++) {
        if (!start(&runs[i], "cable", measured(divisions[i], 0.0, 30))) return;
        v[i] = calloc((size_t)tn_world_state(runs[i].world).dof_count, sizeof(double));
        step(&runs[i], 1);
        TnSolverDef solver = measured(divisions[i], 0.0, 30).solver;
        CHECK(tn_converged_velocity(runs[i].world, &solver, 3000, v[i], &reached[i]));
        CHECK(reached[i] < 1e-11);
    }
    /* 1e-11 in springs and welds, which a cable's slow motions amplify by some thousand */
    CHECK_NEAR(tn_world_velocity_distance(runs[0].world, v[0], v[1]), 0.0, 1e-7);
    for (int i = 0; i < 2; i++) free(v[i]), stop(&runs[i]);
}

/* Another solver with a tolerance comes to v*, and the step stays as it was. */
TEST(a_step_is_solved_again_by_another_solver)
{
    Run run;
    double residual, reached;
    if (!start(&run, "tower", measured(whole, 0.0, 10))) return;
    step(&run, 5);
    size_t dofs = (size_t)tn_world_state(run.world).dof_count;
    double *v = calloc(4 * dofs, sizeof(double));
    TnSolverDef exact = tn_solver_def(), rough = measured(whole, 0.0, 10).solver;
    exact.tolerance =
        1e-6; /* redundant contacts of boxes that turn contradict each other by 1e-7 */
    CHECK(tn_world_last_velocity(run.world, v));
    CHECK(tn_world_solve_again(run.world, &exact, v + dofs, &residual));
    CHECK(residual < 1e-6 * 9.81 * tn_model_info(run.model).option.timestep);
    CHECK(tn_converged_velocity(run.world, &rough, 1000, v + 2 * dofs, &reached));
    /* errors of 1e-7 m/s at most in constraints, which the tower's slowest motion amplifies */
    CHECK_NEAR(tn_world_velocity_distance(run.world, v + dofs, v + 2 * dofs), 0.0, 1e-5);
    CHECK(tn_world_velocity_distance(run.world, v, v + dofs) > 1e-5); /* ten iterations did not */
    CHECK(tn_world_last_velocity(run.world, v + 3 * dofs));
    CHECK(!memcmp(v, v + 3 * dofs, dofs * sizeof(double)));
    exact.iterations = 0;
    CHECK(!tn_world_solve_again(run.world, &exact, v, &residual));
    free(v);
    stop(&run);
}

/* Asking for v* changes neither the step's solution nor the steps that follow. */
TEST(asking_for_the_end_changes_nothing)
{
    Run run, other;
    double reached;
    if (!start(&run, "tower", measured(whole, 0.0, 10))) return;
    if (!start(&other, "tower", measured(whole, 0.0, 10))) return;
    step(&run, 5);
    step(&other, 5);
    TnSolverDef solver = measured(whole, 0.0, 10).solver;
    double first = tn_last_aav(run.world, &solver, 100, &reached);
    CHECK_NEAR(first, 3.0, 2.9); /* some digits */
    CHECK(tn_last_aav(run.world, &solver, 100, &reached) == first);
    step(&run, 5);
    step(&other, 5);
    CHECK(tn_world_hash(run.world) == tn_world_hash(other.world));
    stop(&run);
    stop(&other);
}
