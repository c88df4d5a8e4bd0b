/* The public solver on small problems with known answers. */
#include "../check.h"

#include <tenon/solver.h>

#include "base/base.h"
#include "baselines/baselines.h"
#include "math/cholesky.h"

static TnSolverDef exact(void)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = 100000;
    def.tolerance = 1e-13;
    return def;
}

TEST(two_blocks_match_direct_kkt)
{
    /* A v = b + Jᵀλ, J v + e = 0  =>  (J A⁻¹ Jᵀ) λ = -e - J A⁻¹ b */
    const double A1[4] = {2.0, 0.3, 0.3, 1.0}, A2[1] = {3.0}, J1[2] = {1.0, -0.5}, J2[1] = {2.0};
    const double b[3] = {1.0, -2.0, 0.5}, e = 0.7;
    TnError err = {0};
    TnSolverDef def = exact();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    TnBlockId one = tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = A1});
    TnBlockId two = tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A2});
    tn_solver_add_constraint(
        solver,
        &(TnConstraintDef){.set = TN_SET_EQUALITY, .block = {one, two}, .J = {J1, J2}, .e = {e}});
    CHECK(tn_solver_prepare(solver, &err) == TN_OK);
    double v[3], lambda[1], L[4], x[2] = {J1[0], J1[1]}, y[2] = {b[0], b[1]};
    TnSolveReport report = tn_solver_solve(solver, b, v, lambda);
    memcpy(L, A1, sizeof L);
    REQUIRE(tn_cholesky(L, 2));
    tn_cholesky_solve(L, 2, x);
    tn_cholesky_solve(L, 2, y);
    double G = J1[0] * x[0] + J1[1] * x[1] + J2[0] * J2[0] / A2[0];
    double r = J1[0] * y[0] + J1[1] * y[1] + J2[0] * b[2] / A2[0];
    double expected = -(e + r) / G;
    CHECK(report.status == TN_OK && report.converged);
    CHECK_NEAR(lambda[0], expected, 1e-11); /* residual 1e-13, well conditioned */
    CHECK_NEAR(v[0], y[0] + x[0] * expected, 1e-11);
    CHECK_NEAR(v[1], y[1] + x[1] * expected, 1e-11);
    CHECK_NEAR(v[2], (b[2] + J2[0] * expected) / A2[0], 1e-11);
    tn_solver_destroy(solver);
}

TEST(one_constraint_between_three_blocks_matches_direct_kkt)
{
    /* v1 + 2 v2 - v3 + e = 0 over three scalar blocks: λ = -(e + Σ J b/a) / Σ J²/a */
    const double a[3] = {2.0, 3.0, 0.5}, J[3] = {1.0, 2.0, -1.0}, b[3] = {1.0, -2.0, 0.7}, e = 0.4;
    TnError err = {0};
    TnSolverDef def = exact();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    TnConstraintDef c = {.set = TN_SET_EQUALITY, .e = {e}};
    double G = 0.0, r = e, v[3], lambda[1];
    for (int i = 0; i < 3; i++) {
        c.block[i] = tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = &a[i]});
        c.J[i] = &J[i];
        G += J[i] * J[i] / a[i];
        r += J[i] * b[i] / a[i];
    }
    tn_solver_add_constraint(solver, &c);
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    CHECK(tn_solver_solve(solver, b, v, lambda).converged);
    CHECK_NEAR(lambda[0], -r / G, 1e-11); /* residual 1e-13, well conditioned */
    for (int i = 0; i < 3; i++) CHECK_NEAR(v[i], (b[i] + J[i] * lambda[0]) / a[i], 1e-11);
    tn_solver_destroy(solver);
}

/* A mass point on a plane: friction with J = I (normal x). */
static TnSolveReport point_on_plane(const double b[3], double mu, double v[3], double lambda[3])
{
    const double A[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    TnError err = {0};
    TnSolverDef def = exact();
    TnSolver *solver = tn_solver_create(&def, &err);
    TnBlockId block = tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A = A});
    tn_solver_add_constraint(
        solver, &(TnConstraintDef){.set = TN_SET_FRICTION, .mu = mu, .block = {block}, .J = {J}});
    CHECK(tn_solver_prepare(solver, &err) == TN_OK);
    TnSolveReport report = tn_solver_solve(solver, b, v, lambda);
    tn_solver_destroy(solver);
    return report;
}

TEST(point_on_plane_opens_sticks_or_slips_as_coulomb_says)
{
    double v[3], lambda[3];
    const double up[3] = {4.0, 1.0, 0.0}, stick[3] = {-4.0, 1.0, 1.0}, slip[3] = {-4.0, 3.0, 4.0};
    point_on_plane(up, 0.5, v, lambda);
    CHECK_NEAR(v[0], 2.0, 1e-11);
    CHECK_NEAR(lambda[0], 0.0, 0.0);
    point_on_plane(stick, 0.5, v, lambda);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(v[k], 0.0, 1e-11);
        CHECK_NEAR(lambda[k], -stick[k], 1e-11);
    }
    point_on_plane(
        slip, 0.5, v,
        lambda); /* |b_t| = 5, μλ_n = 2: slips with what is left, straight on, and does not lift */
    CHECK_NEAR(v[0], 0.0, 1e-11);
    CHECK_NEAR(v[1], 0.5 * 3.0 * (1.0 - 2.0 / 5.0), 1e-11);
    CHECK_NEAR(v[2], 0.5 * 4.0 * (1.0 - 2.0 / 5.0), 1e-11);
    CHECK_NEAR(lambda[1], -2.0 * 3.0 / 5.0, 1e-11);
}

TEST(one_unknown_obeys_inequality_box_and_soft_laws)
{
    const double A[1] = {2.0}, J[1] = {1.0}, b[1] = {-3.0};
    const struct {
        TnConstraintDef def;
        double v, lambda;
    } cases[] = {
        {{.set = TN_SET_INEQUALITY}, 0.0, 3.0},
        {{.set = TN_SET_INEQUALITY, .e = {2.0}}, -1.5, 0.0},
        {{.set = TN_SET_BOX, .lower = -1.0, .upper = 1.0}, -1.0, 1.0},
        {{.set = TN_SET_BOX, .lower = -5.0, .upper = 5.0}, 0.0, 3.0},
        /* λ = -k (e + α v), 2 v = -3 + λ */
        {{.set = TN_SET_SOFT, .k = 4.0, .alpha = 0.5, .e = {0.25}},
         (-3.0 - 1.0) / (2.0 + 2.0),
         -4.0 * (0.25 - 0.5)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnError err = {0};
        TnSolverDef def = exact();
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        TnConstraintDef c = cases[i].def;
        c.block[0] = tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A});
        c.J[0] = J;
        tn_solver_add_constraint(solver, &c);
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        double v[1], lambda[1];
        tn_solver_solve(solver, b, v, lambda);
        CHECK_NEAR(v[0], cases[i].v, 1e-11);
        CHECK_NEAR(lambda[0], cases[i].lambda, 1e-11);
        tn_solver_destroy(solver);
    }
}

TEST(no_constraints_solve_the_blocks_alone)
{
    const double A[4] = {4.0, 1.0, 1.0, 3.0}, b[2] = {1.0, 2.0};
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    double v[2];
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = A});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    tn_solver_solve(solver, b, v, NULL);
    CHECK_NEAR(v[0], 1.0 / 11.0, 1e-14);
    CHECK_NEAR(v[1], 7.0 / 11.0, 1e-14);
    tn_solver_destroy(solver);
}

TEST(redundant_rows_still_give_the_velocity)
{
    /* the same equality ten times: λ is not unique, v is */
    const double A[4] = {2.0, 0.0, 0.0, 1.0}, J[2] = {1.0, 1.0}, b[2] = {1.0, 1.0};
    TnError err = {0};
    TnSolverDef def = exact();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    TnBlockId block = tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = A});
    for (int i = 0; i < 10; i++)
        tn_solver_add_constraint(
            solver, &(TnConstraintDef){.set = TN_SET_EQUALITY, .block = {block}, .J = {J}});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    double v[2], lambda[10], sum = 0.0;
    CHECK(tn_solver_solve(solver, b, v, lambda).converged);
    for (int i = 0; i < 10; i++) sum += lambda[i];
    CHECK_NEAR(sum, -1.0, 1e-10);
    CHECK_NEAR(v[0], 0.0, 1e-10);
    CHECK_NEAR(v[1], 0.0, 1e-10);
    tn_solver_destroy(solver);
}

TEST(mistakes_are_reported_together_and_nothing_is_solved)
{
    TnError err = {0};
    TnSolverDef bad = tn_solver_def();
    bad.iterations = 0;
    bad.over_relaxation = 2.0;
    bad.tolerance = NAN;
    CHECK(!tn_solver_create(&bad, &err));
    CHECK(err.code == TN_ERROR_USAGE && err.count == 3);
    CHECK_STR(err.message, "over_relaxation is 2");

    for (TnMethod method = TN_METHOD_AUTO; method <= TN_METHOD_NEWTON; method++) {
        TnSolverDef fixed = tn_solver_def();
        fixed.method = method;
        fixed.tolerance = 0.0;
        err = (TnError){0};
        bool fine = method != TN_METHOD_NEWTON;
        CHECK((tn_solver_def_check(&fixed, &err) == TN_OK) == fine);
        if (!fine) CHECK_STR(err.message, "needs a tolerance above 0");
        fixed.tolerance = 1e-6;
        CHECK(tn_solver_def_check(&fixed, NULL) == TN_OK);
    }
    TnSolverDef own = tn_solver_def();
    own.method = TN_METHOD_OWN; /* which one is not said */
    CHECK(tn_solver_def_check(&own, NULL) == TN_ERROR_USAGE);
    own.own = &tn_own_pj;
    CHECK(tn_solver_def_check(&own, NULL) == TN_OK);

    TnSolverDef def = tn_solver_def();
    err = (TnError){0};
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    const double lopsided[4] = {1.0, 0.5, -0.5, 1.0}, infinite[1] = {INFINITY}, J[2] = {1.0, 1.0};
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = lopsided});
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = infinite});
    tn_solver_add_constraint(solver, &(TnConstraintDef){.set = TN_SET_EQUALITY});
    tn_solver_add_constraint(
        solver, &(TnConstraintDef){.set = TN_SET_FRICTION, .mu = -1.0, .block = {7}, .J = {J}});
    CHECK(tn_solver_prepare(solver, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "not symmetric");
    CHECK_STR(err.message, "not finite");
    CHECK_STR(err.message, "has no block");
    CHECK_STR(err.message, "mu is -1");
    double v[3], b[3] = {0};
    CHECK(tn_solver_solve(solver, b, v, NULL).status == TN_ERROR_USAGE);
    tn_solver_destroy(solver);
}

TEST(a_matrix_that_is_not_positive_definite_is_refused)
{
    const double A[4] = {1.0, 2.0, 2.0, 1.0};
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = A});
    CHECK(tn_solver_prepare(solver, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "positive definite");
    tn_solver_destroy(solver);
}

TEST(every_failed_allocation_is_an_error_and_leaks_nothing)
{
    const double A[1] = {2.0}, J[1] = {1.0}, b[1] = {-3.0};
    int successes = 0;
    for (long calls = 0; calls < 40; calls++) {
        TnError err = {0};
        double v[1];
        TnSolverDef def = tn_solver_def();
        tn_malloc_fail_after(calls);
        TnSolver *solver = tn_solver_create(&def, &err);
        if (solver) {
            TnBlockId block = tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A});
            tn_solver_add_constraint(
                solver, &(TnConstraintDef){.set = TN_SET_INEQUALITY, .block = {block}, .J = {J}});
            if (tn_solver_prepare(solver, &err) == TN_OK) {
                if (tn_solver_solve(solver, b, v, NULL).status == TN_OK) successes++;
            } else {
                CHECK(err.count > 0);
            }
        } else {
            CHECK(err.code == TN_ERROR_MEMORY);
        }
        tn_malloc_fail_after(-1);
        tn_solver_destroy(solver);
    }
    CHECK(successes > 0);
}

TEST(constraints_that_nothing_can_help_take_no_force)
{
    /* unknown 0 moves; the friction's normal and one row act on nothing */
    const double A[1] = {2.0}, J[3] = {0.0, 1.0, 0.0}, none[1] = {0.0}, b[1] = {-3.0};
    for (int form = 0; form < 2; form++) {
        TnError err = {0};
        TnSolverDef def = tn_solver_def();
        def.method = form ? TN_METHOD_OWN : TN_METHOD_SUBADMM;
        def.own = &tn_own_paper_form;
        def.tolerance = 0.0;
        def.iterations = 1000; /* the tangent's weight makes v creep to b/A */
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        TnBlockId block = tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A});
        tn_solver_add_constraint(
            solver,
            &(TnConstraintDef){
                .set = TN_SET_FRICTION, .mu = 0.5, .block = {block}, .J = {J}, .e = {-1.0}});
        tn_solver_add_constraint(
            solver, &(TnConstraintDef){
                        .set = TN_SET_INEQUALITY, .block = {block}, .J = {none}, .e = {-1.0}});
        tn_solver_add_constraint(
            solver,
            &(TnConstraintDef){.set = TN_SET_EQUALITY, .block = {block}, .J = {none}, .e = {1.0}});
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        double v[1], lambda[5];
        for (int again = 0; again < 3; again++) {
            TnSolveReport report = tn_solver_solve(solver, b, v, lambda);
            CHECK(isfinite(report.residual) && report.aac < 1.0); /* infeasible, and it shows */
            CHECK_NEAR(v[0], -1.5, 1e-12);
            for (int k = 0; k < 5; k++) CHECK_NEAR(lambda[k], 0.0, 0.0);
        }
        tn_solver_destroy(solver);
    }
}
