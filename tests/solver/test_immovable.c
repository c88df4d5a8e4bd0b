/* What cannot move: every method takes it for a wall. */
#include "../check.h"

#include "../step/scene.h"
#include "methods.h"

/* A point that lies on a block that cannot move, A⁻¹ = 0, which touches another such: the first is
 * a wall, and between two walls there is nothing to do, or nothing to be done. */
TEST(blocks_that_cannot_move_are_walls)
{
    const double none[9] = {0}, A[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2},
                 I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, minus[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                 b[9] = {-4, 1, 0};
    for (int closing = 0; closing < 2; closing++)
        for (int m = 0; m < METHODS; m++) {
            TnError err = {0};
            TnSolverDef def = tn_solver_def();
            def.method = methods[m].method;
            def.own = methods[m].own;
            def.tolerance = 1e-10;
            def.iterations = 500;
            TnSolver *solver = tn_solver_create(&def, &err);
            REQUIRE(solver);
            tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A = A});
            for (int i = 0; i < 2; i++)
                tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A_inverse = none});
            for (int i = 1; i < 3; i++)
                tn_solver_add_constraint(solver,
                                         &(TnConstraintDef){.set = TN_SET_FRICTION,
                                                            .mu = 0.5,
                                                            .block = {i, i + 1},
                                                            .J = {I, minus},
                                                            .e = {i == 2 && closing ? -1.0 : 0.0}});
            double v[9], lambda[6];
            REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
            TnSolveReport report = tn_solver_solve(solver, b, v, lambda);
            CHECK_FOR(m, report.status == TN_OK && report.converged == !closing);
            for (int k = 0; k < 9; k++) CHECK_NEAR(v[k], 0.0, 1e-9);
            CHECK_NEAR(lambda[0], 4.0, 1e-8);
            for (int k = 3; k < 6; k++) CHECK_NEAR(lambda[k], 0.0, 0.0);
            tn_solver_destroy(solver);
        }
}

/* A free box on a fixed one that stands halfway in the ground. */
TEST(static_pairs_in_a_world_are_left_alone)
{
    const double half[3] = {0.1, 0.1, 0.1}, at[3] = {0.0, 0.0, 0.2};
    Scene s = scene_begin();
    scene_plane(&s, 0.5);
    TnGeomDef fixed = tn_geom_def();
    fixed.body = TN_BODY_WORLD;
    fixed.type = TN_GEOM_BOX;
    memcpy(fixed.size, half, sizeof half);
    tn_builder_add_geom(s.builder, &fixed);
    tn_builder_add_geom(s.builder, &fixed);
    TnBodyId box = scene_free(&s, TN_GEOM_BOX, half, 1.0, at, 0.5, 0.0);
    TnModel *model = scene_compile(&s);
    REQUIRE(model);
    for (int m = 0; m < METHODS; m++) {
        TnError err = {0};
        TnWorldDef def = tn_world_def();
        def.solver.method = methods[m].method;
        def.solver.own = methods[m].own;
        def.solver.iterations = 10000;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        for (int step = 0; step < 5; step++) {
            TnStepReport report = tn_world_step(world);
            CHECK_FOR(m, report.converged && !report.diverged);
            CHECK_FOR(m, report.contact_count == 8); /* of the box with both */
        }
        double v[3], w[3];
        tn_world_body_velocity(world, box, v, w);
        CHECK_NEAR(v[2], 0.0, 1e-6);
        tn_world_destroy(world);
    }
    tn_model_destroy(model);
}
