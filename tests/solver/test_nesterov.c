/* Restarted Nesterov momentum in the ADMM loop, against the plain loop. */
#include "../check.h"

#include "loop_rig.h"
#include "solver/nesterov.h"

static TnSolverDef def_of(bool nesterov, int iterations)
{
    TnSolverDef def = fixed_count();
    def.anderson = 0;
    def.nesterov = nesterov;
    def.iterations = iterations;
    return def;
}

TEST(momentum_grows_as_long_as_the_residual_falls_and_begins_anew_where_it_does_not)
{
    TnNesterov n;
    tn_nesterov_start(&n);
    double theta = tn_nesterov_momentum(&n, 1.0), last = 0.0, squared = 1.0;
    CHECK(theta == 0.0);
    CHECK(tn_nesterov_momentum(&n, squared *= 0.5) == 0.0); /* a_1 = 1 */
    for (int i = 0; i < 50; i++) {
        theta = tn_nesterov_momentum(&n, squared *= 0.5);
        CHECK(theta > last && theta < 1.0);
        last = theta;
    }
    CHECK(last > 0.9);
    CHECK(tn_nesterov_momentum(&n, 2.0 * squared) == 0.0);
    CHECK(tn_nesterov_momentum(&n, squared) == 0.0);
    CHECK(tn_nesterov_momentum(&n, NAN) == 0.0);
    CHECK(tn_nesterov_momentum(&n, squared) == 0.0);
}

/* Every kind of block and constraint. The loop stops at a residual of 1e-12; 1e-8 of the largest twist is
 * what its slowest modes make of that. */
TEST(the_solution_is_that_of_the_plain_loop)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rigs[2];
        for (int i = 0; i < 2; i++) {
            TnSolverDef def = def_of(i, 200000);
            def.tolerance = 1e-12; /* of the loop, not of a user */
            REQUIRE(rig_create(&rigs[i]) && make_problem(&rigs[i], which) &&
                    tn_problem_prepare(&rigs[i].problem, &def, NULL));
            CHECK(tn_subadmm_solve(&rigs[i].problem, &def, NULL).converged);
        }
        CHECK(largest_gap(&rigs[0].problem, &rigs[1].problem) < 1e-8);
        for (int i = 0; i < 2; i++) rig_destroy(&rigs[i]);
    }
}

/* Residual of the iteration after `iterations`. */
static double residual_of(uint64_t seed, ChainChoice choice, bool nesterov, int iterations)
{
    TnArena arena;
    TnProblem p;
    TnSolverDef def = def_of(nesterov, iterations);
    def.over_relaxation = 1.0;
    if (!tn_arena_init(&arena, "problem", 1 << 20) ||
        !random_chain_problem(&p, &arena, seed, choice) || !tn_problem_prepare(&p, &def, NULL))
        return NAN;
    double residual = tn_subadmm_solve(&p, &def, NULL).residual;
    tn_arena_free(&arena);
    return residual;
}

/* Contacts that stick, slide and open, without over-relaxation, which is a momentum of its own. Residuals are uneven:
 * 2.6 times the plain one was seen at worst, and in the mean 0.43 digits less. */
TEST(frictional_problems_with_chains_are_better_than_plain_and_never_much_worse)
{
    static const int counts[] = {10, 20, 40, 80};
    const ChainChoice choice = {
        .reach = NEAR, .twists = 11, .contacts = 40, .rows = 21, .stiffness = 4.0};
    double gain = 0.0, worst = 0.0;
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (int i = 0; i < 4; i++) {
            double plain = residual_of(seed, choice, false, counts[i]),
                   fast = residual_of(seed, choice, true, counts[i]);
            worst = fmax(worst, fast / plain);
            gain += log10(plain / fast) / 120.0;
        }
    CHECK(worst < 4.0);
    CHECK(gain > 0.3);
}

TEST(one_and_four_threads_give_the_same_bits)
{
    CHECK(one_and_four_threads_agree(def_of(true, 20)));
}

TEST(islands_reach_their_tolerance_with_it)
{
    TnSolverDef def = tn_solver_def();
    def.nesterov = true;
    CHECK(islands_reach_their_tolerance(def));
}

TEST(it_excludes_anderson_and_the_papers_form)
{
    TnSolverDef def = tn_solver_def();
    def.nesterov = true;
    CHECK(tn_solver_def_check(&def, NULL) == TN_OK);
    def.anderson = 3;
    CHECK(tn_solver_def_check(&def, NULL) == TN_ERROR_USAGE);
    def.anderson = 0;
    CHECK(tn_solver_def_check(&def, NULL) == TN_OK);
    def.form = TN_ADMM_PAPER;
    CHECK(tn_solver_def_check(&def, NULL) == TN_ERROR_USAGE);
}
