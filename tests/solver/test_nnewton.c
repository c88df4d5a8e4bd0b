/* The nonsmooth Newton method, the paper's baseline, on problems with every kind of block and
 * constraint. */
#include "../check.h"

#include "baselines/nnewton.h"
#include "own_method_rig.h"
#include "solver/law/law.h"
#include "solver/method/newton_law.h"

/* In mesh problems many rolling rows hang on few contacts; bounds follow normal forces by one step
 * at a time there, and it does not arrive (docs/baselines.md). */
static bool is_expected_to_converge(int which) { return which != 5; }

TEST(it_ends_where_subadmm_does)
{
    for (int which = 0; which < PROBLEMS; which++)
        if (is_expected_to_converge(which))
            CHECK(ends_where_subadmm_does(tn_nnewton, which, 60, 1e-10));
}

/* dλ = a - G du against differences of Π: where F is zero along (du, dλ) to first order, F at a
 * small share of the step falls in proportion: F(s) = (1 - s) F(0) + O(s²), up to what 1/R leaves.
 */
TEST(residuals_fall_in_proportion_to_a_small_step)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnPerConstraint u, lambda, du, dlambda;
        TnNewtonLines lines;
        const double R = 1e3, share = 1e-6;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        TnProblem *p = &rig.problem;
        bool spins = false; /* whose bounds have no derivative here */
        for (int r = 0; r < p->row_count; r++) spins = spins || tn_row_is_disc(&p->rows[r]);
        if (spins) {
            rig_destroy(&rig);
            continue;
        }
        REQUIRE(state_of(&rig, &u, &lambda) && tn_per_constraint_alloc(p, &du) &&
                tn_per_constraint_alloc(p, &dlambda) && tn_per_constraint_alloc(p, &lines.a) &&
                tn_gains_alloc(p, &lines.G));
        double *values = TN_ARENA_NEW(p->arena, double, 2 * rig.assembly.plan->size),
               *x = TN_ARENA_NEW(p->arena, double, rig.assembly.dim);
        tn_nnewton_lines(p, &rig.D, &u, &lambda, R, &lines);
        REQUIRE(tn_assembly_factor(&rig.assembly, &lines.G, values));
        tn_assembly_gather(&rig.assembly, &lines.a, x);
        tn_assembly_solve(&rig.assembly, lines.G.symmetric, values, x);
        tn_assembly_apply(&rig.assembly, x, &du);
        tn_lines_force(p, &lines.a, &lines.G, &du, &dlambda);
        double before = tn_natural_map(p, &rig.D, &u, &lambda).rms;
        double left = tn_nnewton_left(p, &rig.D, &dlambda, R);
        for (size_t i = 0; i < u.count; i++) {
            u.all[i] += share * du.all[i];
            lambda.all[i] += share * dlambda.all[i];
        }
        double fall = (before - tn_natural_map(p, &rig.D, &u, &lambda).rms) / share;
        /* 1e-3: steps are up to some 100 times F, so that s² counts with 1e-4 */
        if (!(fabs(fall - before) <= left + 1e-3 * before))
            printf("    problem %d: %g of %g, %g\n", which, fall, before, left);
        CHECK(fabs(fall - before) <= left + 1e-3 * before);
        rig_destroy(&rig);
    }
}

TEST(a_start_at_the_solution_stays_there)
{
    for (int which = 0; which < PROBLEMS; which++) CHECK(stays_at_the_solution(tn_nnewton, which));
}

/* The best of them is kept, so more steps are never worse. */
TEST(a_fixed_count_is_exact_and_never_worse_than_the_start)
{
    for (int which = 0; which < PROBLEMS; which++) {
        double last = INFINITY;
        for (int steps = 1; steps <= 9; steps += 4) {
            Rig rig;
            TnOwnResult result;
            REQUIRE(method_rig(&rig, which));
            if (steps == 1) last = error_of(&rig);
            REQUIRE(run_method(tn_nnewton, &rig, steps, NULL, &result));
            CHECK(result.iterations == steps && result.factorizations == steps);
            CHECK(!result.own_v);
            CHECK(is_finite(&rig.problem));
            CHECK(result.residual <= last);
            rig_destroy(&rig);
        }
    }
}

/* From no force, to 1e-7 of g·t. Measured: 57, 9, 12, 17; a quarter more for other orders of
 * summation. */
TEST(stacks_take_tens_of_steps)
{
    const StackChoice stacks[] = {{50, 1.0, 1.0, 0.0015, 0.0},
                                  {2, 1.0, 1000.0, 0.0015, 0.0},
                                  {10, 1.0, 2.0, 0.0015, 0.0},
                                  {10, 1.0, 1.0, 0.0015, 0.05}};
    const int most[] = {72, 12, 16, 22};
    for (int i = 0; i < 4; i++) {
        Rig rig;
        TnOwnResult result;
        REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, stacks[i]) &&
                method_ready(&rig, NULL));
        CHECK(solve_method(tn_nnewton, &rig, most[i], 1e-7 * g_t, &result));
        rig_destroy(&rig);
    }
}

TEST(redundant_rows_survive) { CHECK(survives_redundant_rows(tn_nnewton, 60)); }

TEST(contradictions_end_finite) { CHECK(contradictions_end_finite(tn_nnewton, 60)); }

TEST(a_watcher_ends_it) { CHECK(ends_when_watched(tn_nnewton)); }

TEST(threads_do_not_change_bits)
{
    for (int which = 0; which < PROBLEMS; which++)
        CHECK(same_bits_for_threads(tn_nnewton, which, 9));
}
