/* Full ADMM, the paper's baseline, on problems with every kind of block and constraint. */
#include "../check.h"

#include "own_method_rig.h"
#include "solver/method/assembled_admm.h"

/* 1e-9: that with soft bodies does not come below 2e-10 in 5000 iterations. */
/* On the mesh rounding leaves 1e-9 to 1.03e-8 m/s of an error, by compiler and instruction set. */
TEST(it_ends_where_subadmm_does)
{
    for (int which = 0; which < PROBLEMS; which++)
        CHECK(ends_where_subadmm_does(tn_full_admm, which, 5000, which == 5 ? 2e-8 : 1e-9));
}

TEST(a_start_at_the_solution_stays_there)
{
    for (int which = 0; which < PROBLEMS; which++)
        CHECK(stays_at_the_solution(tn_full_admm, which));
}

/* Exactly as many iterations as asked for; v and λ are its own, and finite. */
TEST(a_fixed_count_is_exact_and_leaves_velocities_of_its_own)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnOwnResult result;
        REQUIRE(method_rig(&rig, which));
        double before = error_of(&rig);
        REQUIRE(run_method(tn_full_admm, &rig, 37, NULL, &result));
        CHECK(result.iterations == 37);
        CHECK(result.own_v);
        CHECK(is_finite(&rig.problem));
        /* v that obey dynamics with forces that obey the laws: better than the start in any case */
        double after = error_left(&rig, &result);
        if (!(after < 0.1 * before)) printf("    problem %d: %g of %g\n", which, after, before);
        CHECK(after < 0.1 * before);
        rig_destroy(&rig);
    }
}

/* From weights a hundred times too small. Measured: 77 iterations with four factorizations; with
 * one, 300 leave 0.15 of g·t. */
TEST(weights_that_do_not_fit_are_adapted)
{
    StackChoice tower = {10, 1.0, 1.0, 0.0015, 0.05};
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        Rig rig;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, tower) &&
                assemble(&rig));
        TnAdmmChoice choice = {.scale = 0.05,
                               .equality = 1.0,
                               .relaxation = 1.8,
                               .adaptive = adaptive,
                               .tolerance = 1e-5 * g_t,
                               .iterations = 300};
        REQUIRE(tn_admm_run(&rig.assembly, &rig.problem, &rig.D, &choice, NULL, &result));
        CHECK((result.error < choice.tolerance) == adaptive);
        CHECK((result.factorizations > 1) == adaptive);
        rig_destroy(&rig);
    }
}

TEST(redundant_rows_survive) { CHECK(survives_redundant_rows(tn_full_admm, 5000)); }

TEST(contradictions_end_finite) { CHECK(contradictions_end_finite(tn_full_admm, 500)); }

TEST(a_watcher_ends_it) { CHECK(ends_when_watched(tn_full_admm)); }

TEST(threads_do_not_change_bits)
{
    for (int which = 0; which < PROBLEMS; which++)
        CHECK(same_bits_for_threads(tn_full_admm, which, 25));
}
