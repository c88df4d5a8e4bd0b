/* Projected Jacobi. */
#include "../check.h"

#include "baselines/pj.h"
#include "own_method_rig.h"

TEST(it_ends_where_subadmm_does)
{
    for (int which = 0; which < PROBLEMS; which++)
        CHECK(ends_where_subadmm_does(tn_pj, which, 20000, 1e-10));
}

TEST(threads_do_not_change_bits)
{
    for (int which = 0; which <= PROBLEMS; which++) CHECK(same_bits_for_threads(tn_pj, which, 20));
}

TEST(a_start_at_the_solution_stays_there)
{
    for (int which = 0; which < PROBLEMS; which++) CHECK(stays_at_the_solution(tn_pj, which));
}

TEST(a_watcher_ends_it) { CHECK(ends_when_watched(tn_pj)); }

TEST(what_cannot_yield_gets_no_force) { CHECK(gives_no_force_to_what_cannot_yield(tn_pj)); }

TEST(a_warm_solve_allocates_nothing) { CHECK(allocates_nothing(tn_pj)); }
