/* Projected Jacobi. */
#include "../check.h"

#include "baseline_rig.h"

/* Twists at v_λ to 1e-8 of the largest. */
TEST(the_solution_is_that_of_assembled_admm)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig, other;
        TnMethodResult found;
        TnBaselineResult result;
        REQUIRE(baseline_rig(&rig, which));
        REQUIRE(rig_create(&other) && make_problem(&other, which) && assemble(&other));
        REQUIRE(tn_assembled_admm(&other.assembly, &other.problem, &other.D, 1e-10, 2000, &found));
        REQUIRE(run_baseline(tn_pj, &rig, which == 5 ? 20000 : 5000, NULL, &result));
        double difference = apart(&rig, &other);
        if (!(difference < 1e-8)) printf("    problem %d\n", which);
        CHECK_NEAR(difference, 0.0, 1e-8);
        rig_destroy(&rig);
        rig_destroy(&other);
    }
}

TEST(threads_do_not_change_bits)
{
    for (int which = 0; which <= PROBLEMS; which++) CHECK(same_bits_for_threads(tn_pj, which, 20));
}

/* 1e-9 m/s: some digits more than rounding leaves in stiff problems. */
TEST(a_start_at_the_solution_stays_there)
{
    for (int which = 0; which < PROBLEMS; which++) CHECK(stays_at_the_solution(tn_pj, which, 1e-9));
}

TEST(a_watcher_ends_it) { CHECK(ends_when_watched(tn_pj)); }

TEST(what_cannot_yield_gets_no_force) { CHECK(gives_no_force_to_what_cannot_yield(tn_pj)); }

TEST(a_warm_solve_allocates_nothing) { CHECK(allocates_nothing(tn_pj)); }
