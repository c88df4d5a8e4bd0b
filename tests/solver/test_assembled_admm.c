/* ADMM with the whole problem as one system. */
#include "../check.h"

#include "any_problem.h"
#include "base/base.h"
#include "stack_problem.h"

/* v_λ against v of the split form, both iterated until nothing moves, 1e-8 of the velocities apart
 * at most. 1e-10 m/s is above what rounding leaves in any of these, and far below what is
 * compared. */
TEST(the_fixed_point_is_that_of_the_split_form)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig, split;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        REQUIRE(solve_assembled(&rig, 1e-10, 2000, &result));
        CHECK(result.error < 1e-10);
        CHECK(result.factorizations == 1);
        CHECK_NEAR(error_of(&rig), result.error, 1e-10);

        REQUIRE(rig_create(&split) && make_problem(&split, which));
        TnSolverDef def = tn_solver_def();
        def.iterations = 20000;
        def.tolerance = 1e-11;
        def.anderson = 10;
        REQUIRE(tn_problem_prepare(&split.problem, &def, NULL));
        CHECK(tn_subadmm_solve(&split.problem, &def, NULL).converged);
        double difference = apart(&rig, &split);
        if (!(difference <= 1e-8)) printf("    problem %d\n", which);
        CHECK_NEAR(difference, 0.0, 1e-8);
        rig_destroy(&rig);
        rig_destroy(&split);
    }
}

/* From the forces of a solution the first iterate is that solution, whatever kinds of blocks and
 * laws there are; from half of them it takes fewer iterations than from none. */
TEST(a_start_from_the_solution_ends_at_once)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnMethodResult cold, warm;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        REQUIRE(solve_assembled(&rig, 1e-9, 2000, &cold));
        CHECK(cold.iterations > 1);
        /* 1e-8: some digits more than the solution has */
        REQUIRE(solve_assembled(&rig, 1e-8, 2000, &warm));
        CHECK(warm.iterations == 1);
        CHECK(warm.error < 1e-8);
        rig_destroy(&rig);
    }
}

/* Iterations from no force; -2: the map of the forces found, computed block by block, is not what
 * was said. */
static int iterations_to(StackChoice choice, double share)
{
    Rig rig;
    TnMethodResult result = {.iterations = -1};
    if (!rig_create(&rig) || !stack_problem(&rig.problem, &rig.arena, choice) || !assemble(&rig))
        return -1;
    double tolerance = share * stack_gravity * stack_step;
    solve_assembled(&rig, tolerance, 2000, &result);
    if (!(result.error < tolerance) || !(error_of(&rig) < 1.01 * tolerance)) result.iterations = -2;
    rig_destroy(&rig);
    return result.iterations;
}

static bool within(int count, int most) { return count > 0 && count <= most; }

/* Measured: 13, 31; 9, 9; 11, 17; half as many again, for other orders of summation. The split form
 * takes more than 1000 for the first two of these. */
TEST(stacks_take_few_iterations)
{
    const StackChoice tower = {50, 1.0, 1.0, 0.0015, 0.0}, heavy = {2, 1.0, 1000.0, 0.0015, 0.0},
                      doubling = {10, 1.0, 2.0, 0.0015, 0.0};
    CHECK(within(iterations_to(tower, 1e-3), 20));
    CHECK(within(iterations_to(tower, 1e-5), 45));
    CHECK(within(iterations_to(heavy, 1e-4), 13));
    CHECK(within(iterations_to(heavy, 1e-6), 13));
    CHECK(within(iterations_to(doubling, 1e-4), 16));
    CHECK(within(iterations_to(doubling, 1e-6), 25));
}

/* Boxes at rest are held by forces that add up to their weight: 1e-4 of it, as the tolerance is
 * 1e-7 of g·t and the lowest contacts bear what ten boxes leave. */
TEST(a_tower_is_held_by_its_weight)
{
    Rig rig;
    TnMethodResult result;
    StackChoice tower = {10, 1.0, 1.0, 0.0015, 0.05};
    REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, tower) && assemble(&rig));
    double tolerance = 1e-7 * stack_gravity * stack_step, force[3] = {0};
    REQUIRE(solve_assembled(&rig, tolerance, 1000, &result));
    CHECK(result.error < tolerance);
    for (int c = 0; c < 4; c++) v3_add(force, force, rig.problem.lambda[c]);
    CHECK_NEAR(force[2], 10.0 * stack_gravity, 1e-4 * 10.0 * stack_gravity);
    CHECK_NEAR(force[0], -0.5 * stack_gravity, 1e-4 * 10.0 * stack_gravity);
    rig_destroy(&rig);
}

/* A slider along x that is pushed against a wall across its axis: nothing yields along the normal,
 * so there is no force, nor friction, whatever the start was. A soft row there has its force all
 * the same. */
TEST(what_cannot_yield_gets_no_force)
{
    Rig rig;
    TnMethodResult result;
    TnProblem *p = &rig.problem;
    REQUIRE(rig_create(&rig) && pushed_slider_with_rows(&rig));
    REQUIRE(assemble(&rig));
    REQUIRE(solve_assembled(&rig, 1e-9, 100, &result));
    CHECK(result.error < 1e-9);
    /* no bits: all of these are exact zeros times something */
    for (int k = 0; k < 3; k++) CHECK_NEAR(p->lambda[0][k], 0.0, 1e-9);
    CHECK_NEAR(p->rows[0].lambda, 0.0, 0.0);
    CHECK_NEAR(p->rows[1].lambda, -0.3, 1e-15);
    rig_destroy(&rig);
}

/* The arena gives back what it lent, and where it has too little the heap helps. */
TEST(a_warm_solve_allocates_nothing)
{
    Rig rig;
    TnMethodResult result;
    REQUIRE(rig_create(&rig) && make_problem(&rig, 5) && assemble(&rig));
    long before = tn_malloc_count();
    size_t mark = tn_arena_mark(&rig.arena);
    REQUIRE(solve_assembled(&rig, 0.0, 30, &result));
    CHECK(result.iterations == 30);
    CHECK(tn_arena_mark(&rig.arena) == mark);
    CHECK(tn_malloc_count() == before);
    TnAssembly again;
    REQUIRE(tn_assembly_build(&rig.problem, rig.plans, &again));
    CHECK(again.plan == rig.assembly.plan);
    CHECK(tn_malloc_count() == before);
    rig_destroy(&rig);
}
