/* The convex relaxed contact model: its projection, its fixed point, and what it does to a contact
 * that slides. */
#include "../check.h"

#include "random_problem.h"
#include "solver/natural_map.h"
#include "stack_problem.h"

static TnSolverDef relaxed(int iterations)
{
    TnSolverDef def = fixed_count();
    def.contact_model = TN_CONTACT_RELAXED;
    def.iterations = iterations;
    return def;
}

/* Π of the kernels at t = λ (α = 0 leaves t as it is). */
static void project(const TnKernels *kernels, double Bn, double Bt, double mu, const double t[3],
                    double lambda[3])
{
    _Alignas(64) TnContactBatch batch = {0};
    _Alignas(64) double twist[1][8] = {{0}}, all[TN_LANES + 1][3] = {{0}};
    for (int l = 0; l < TN_LANES; l++) {
        batch.Bn[l] = Bn;
        batch.Bt[l] = Bt;
        batch.mu[l] = mu;
        batch.normal[2][l] = 1.0;
        for (int k = 0; k < 3; k++) batch.t[k][l] = t[k];
    }
    kernels->contact_update_relaxed(&batch, 0, 1, (const double(*)[8])twist, all, 0.0, NULL);
    memcpy(lambda, all[3], sizeof all[3]);
}

/* λ in the cone, u = B⁻¹(λ - t) in its dual, λ·u = 0: that is the projection in the norm of B⁻¹, and no
 * other point is. 1e-12: a few roundings of numbers up to 10. */
TEST(the_projection_on_the_cone_is_that_in_the_norm_of_the_weights)
{
    const TnKernels *all[] = {tn_kernels_generic(), tn_kernels_avx2(), tn_kernels_avx512()};
    for (int which = 0; which < 3; which++) {
        Random r = {5};
        for (int i = 0; all[which] && i < 500; i++) {
            double Bn = exp(2.0 * uniform(&r)), Bt = exp(2.0 * uniform(&r));
            double mu = 1.0 + uniform(&r), lambda[3], t[3];
            for (int k = 0; k < 3; k++) t[k] = uniform(&r);
            project(all[which], Bn, Bt, mu, t, lambda);
            double u[3] = {(lambda[0] - t[0]) / Bt, (lambda[1] - t[1]) / Bt,
                           (lambda[2] - t[2]) / Bn};
            CHECK(hypot(lambda[0], lambda[1]) <= mu * lambda[2] + 1e-12);
            CHECK(mu * hypot(u[0], u[1]) <= u[2] + 1e-12);
            CHECK_NEAR(v3_dot(u, lambda), 0.0, 1e-12);
        }
    }
}

/* A tangent that takes no force leaves the normal alone, and a contact that takes none at all gets
 * none. */
TEST(directions_without_weights_lift_nothing)
{
    const TnKernels *all[] = {tn_kernels_generic(), tn_kernels_avx2(), tn_kernels_avx512()};
    for (int which = 0; which < 3; which++) {
        if (!all[which]) continue;
        double lambda[3];
        project(all[which], 2.0, 0.0, 0.5, (const double[3]){0, 0, 3.0}, lambda);
        CHECK(lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 3.0);
        project(all[which], 0.0, 0.0, 0.5, (const double[3]){0, 0, 0}, lambda);
        CHECK(lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0);
    }
}

/* 1e-11 as in test_subadmm.c. */
TEST(both_forms_make_the_same_iterates)
{
    for (int weights = TN_WEIGHTS_COMPLIANCE; weights <= TN_WEIGHTS_PAPER; weights++)
        for (int iterations = 1; iterations <= 50; iterations += 7) {
            TnArena arenas[2];
            TnProblem p[2];
            TnSolverDef def = relaxed(iterations);
            def.over_relaxation = 1.0;
            def.weights = (TnWeights)weights;
            for (int i = 0; i < 2; i++) {
                REQUIRE(tn_arena_init(&arenas[i], "a", 1 << 20) &&
                        random_problem(&p[i], &arenas[i], 5, 11, 30, 21) &&
                        tn_problem_prepare(&p[i], &def, NULL));
            }
            TnSolveResult result;
            tn_subadmm_solve(&p[0], &def, NULL);
            REQUIRE(tn_subadmm_paper_solve(&p[1], &def, &result));
            CHECK_NEAR(largest_difference(&p[0], &p[1]), 0.0, 1e-11);
            for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
        }
}

/* Whatever the weights, the fixed point is the cone complementarity problem's: λ in the cone, J v + e
 * in its dual, both orthogonal. The loop stops at a residual of 1e-13; 1e-8 is what its slowest
 * modes make of that. */
TEST(the_fixed_point_is_cone_complementarity_for_any_weights_and_with_acceleration)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (int kind = 0; kind < 3; kind++) {
            TnArena arena;
            TnProblem p;
            TnPerConstraint u;
            TnVelocities v;
            TnSolverDef def = relaxed(100000);
            def.tolerance = 1e-13; /* of the loop, not of a user */
            def.weights = kind == 1 ? TN_WEIGHTS_PAPER : TN_WEIGHTS_COMPLIANCE;
            if (kind == 2) def.anderson = 5;
            REQUIRE(tn_arena_init(&arena, "a", 1 << 20) &&
                    random_problem(&p, &arena, seed, 12, 16, 0) &&
                    tn_problem_prepare(&p, &def, NULL));
            CHECK(tn_subadmm_solve(&p, &def, NULL).converged);
            REQUIRE(tn_per_constraint_alloc(&p, &u) && tn_velocities_alloc(&p, &v));
            tn_velocities_implied(&p, &v);
            tn_constraint_velocities(&p, &v, &u);
            for (int c = 0; c < p.contact_count; c++) {
                const double *n = p.normals[c], *l = p.lambda[c], *x = u.contact[c];
                double mu = p.contact_batch[c / TN_LANES].mu[c % TN_LANES], lt[3], xt[3];
                for (int k = 0; k < 3; k++) {
                    lt[k] = l[k] - v3_dot(n, l) * n[k];
                    xt[k] = x[k] - v3_dot(n, x) * n[k];
                }
                CHECK(v3_norm(lt) <= mu * v3_dot(n, l) + 1e-8);
                CHECK(mu * v3_norm(xt) <= v3_dot(n, x) + 1e-8);
                CHECK_NEAR(v3_dot(l, x), 0.0, 1e-8);
            }
            tn_arena_free(&arena);
        }
}

/* A box pushed along a plane by its weight, μ = 0.5, from rest. Exact: friction takes half of the push and
 * nothing lifts. Relaxed: u_n = μ u_x, so that a u_x = b_x - μ N and a u_n = N - m g give
 * u_x = (b_x - μ m g) / (a (1 + μ²)). 1e-9 m/s: the claim about the exact model; the
 * relaxed one converges as far. */
TEST(a_sliding_box_stays_down_in_the_exact_model_and_lifts_by_mu_times_its_slip_in_the_relaxed_one)
{
    for (int form = TN_ADMM_REDUCED; form <= TN_ADMM_PAPER; form++)
        for (int model = TN_CONTACT_EXACT; model <= TN_CONTACT_RELAXED; model++) {
            TnArena arena;
            TnProblem p;
            TnSolverDef def = relaxed(300);
            def.contact_model = (TnContactModel)model;
            REQUIRE(tn_arena_init(&arena, "box", 1 << 20) &&
                    stack_problem(&p, &arena,
                                  (StackChoice){.count = 1, .first = 2, .growth = 1, .push = 1}) &&
                    tn_problem_prepare(&p, &def, NULL));
            TnSolveResult result;
            if (form == TN_ADMM_PAPER)
                REQUIRE(tn_subadmm_paper_solve(&p, &def, &result));
            else
                tn_subadmm_solve(&p, &def, NULL);
            double v[6], mu = 0.5, free = (1.0 - mu) * stack_gravity * stack_step;
            tn_problem_twist(&p, 0, v);
            CHECK_NEAR(v[0], model ? free / (1.0 + mu * mu) : free, 1e-9);
            CHECK_NEAR(v[2], model ? mu * v[0] : 0.0, 1e-9);
            for (int k = 3; k < 6; k++) CHECK_NEAR(v[k], 0.0, 1e-7); /* rad/s at arms of 5 cm */
            tn_arena_free(&arena);
        }
}

/* A box that sticks: both models are the same law there. 1e-9 as above. */
TEST(without_slip_both_models_agree)
{
    double v[2][6];
    for (int model = TN_CONTACT_EXACT; model <= TN_CONTACT_RELAXED; model++) {
        TnArena arena;
        TnProblem p;
        TnSolverDef def = relaxed(600);
        def.contact_model = (TnContactModel)model;
        REQUIRE(tn_arena_init(&arena, "box", 1 << 20) &&
                stack_problem(&p, &arena,
                              (StackChoice){.count = 2, .first = 2, .growth = 1, .push = 0.1}) &&
                tn_problem_prepare(&p, &def, NULL));
        tn_subadmm_solve(&p, &def, NULL);
        tn_problem_twist(&p, 1, v[model]);
        tn_arena_free(&arena);
    }
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(v[0][k], 0.0, 1e-9);
        CHECK_NEAR(v[1][k], 0.0, 1e-9);
    }
}

TEST(the_relaxed_model_is_refused_with_a_tolerance_and_by_other_methods)
{
    TnSolverDef def = relaxed(60);
    CHECK(tn_solver_def_check(&def, NULL) == TN_OK);
    def.tolerance = 1e-6;
    CHECK(tn_solver_def_check(&def, NULL) == TN_ERROR_USAGE);
    def.tolerance = 0.0;
    def.method = TN_METHOD_PGS;
    CHECK(tn_solver_def_check(&def, NULL) == TN_ERROR_USAGE);
}
