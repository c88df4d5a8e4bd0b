/* Projected Gauss-Seidel. */
#include "../check.h"

#include "own_method_rig.h"
#include "solver/method/pgs.h"

static bool plain(const TnOwnInput *in, TnOwnResult *out)
{
    return tn_pgs_with(in, (TnPgsChoice){.accelerated = false}, out);
}

static bool velocities(const TnOwnInput *in, TnOwnResult *out)
{
    return tn_pgs_with(in, (TnPgsChoice){.form = TN_DELASSUS_VELOCITIES, .accelerated = true}, out);
}

static bool rows(const TnOwnInput *in, TnOwnResult *out)
{
    return tn_pgs_with(in, (TnPgsChoice){.form = TN_DELASSUS_ROWS, .accelerated = true}, out);
}

/* Problem 5 is jammed: plain sweeps take more than 20000. */
TEST(it_ends_where_subadmm_does)
{
    for (int which = 0; which < PROBLEMS; which++) {
        CHECK(ends_where_subadmm_does(tn_pgs, which, 20000, 1e-10));
        CHECK(which == 5 || ends_where_subadmm_does(plain, which, 2000, 1e-10));
    }
}

/* u = W μ + q of random forces in either form against velocities computed block by block, in shares
 * of the largest: 1e-10, as stiff chains and meshes have condition numbers of some 1e5. */
TEST(the_operator_is_what_the_blocks_do)
{
    for (int which = 0; which < PROBLEMS; which++)
        for (int form = TN_DELASSUS_CHEAPEST; form <= TN_DELASSUS_ROWS; form++) {
            Rig rig;
            TnDelassus w;
            TnVelocities v;
            TnPerConstraint u;
            REQUIRE(method_rig(&rig, which));
            TnProblem *p = &rig.problem;
            REQUIRE(tn_delassus_build(p, &rig.D, (TnDelassusForm)form, 60, NULL, &w));
            Random r = {7};
            for (int i = 0; i < w.row_count; i++) w.mu[i] = uniform(&r);
            tn_delassus_refresh(&w);
            tn_delassus_put(&w);
            REQUIRE(tn_velocities_alloc(p, &v) && tn_per_constraint_alloc(p, &u));
            tn_velocities_touched(p, &v);
            tn_constraint_velocities(p, &v, &u);
            double worst = 0.0, size = 0.0;
            for (int g = 0; g < w.group_count; g++) {
                double found[TN_GROUP_ROWS], expected[TN_GROUP_ROWS];
                tn_delassus_velocity(&w, &w.groups[g], found);
                tn_delassus_rows_of(&w, &w.groups[g], &u, expected);
                for (int i = 0; i < w.groups[g].count; i++) {
                    worst = fmax(worst, fabs(found[i] - expected[i]));
                    size = fmax(size, fabs(expected[i]));
                }
            }
            CHECK_NEAR(worst / size, 0.0, 1e-10);
            rig_destroy(&rig);
        }
}

/* The forms differ by the order of summation only, which 40 sweeps blow up to 1e-9 of the largest
 * force at most (1e-12 was seen). */
TEST(both_forms_have_the_same_iterates)
{
    const int small[] = {0, 1, 2, 6};
    for (int i = 0; i < 4; i++)
        for (int iterations = 1; iterations <= 40; iterations += 13) {
            Rig rigs[2];
            TnOwnResult result[2];
            double size = 0.0;
            for (int k = 0; k < 2; k++) {
                REQUIRE(method_rig(&rigs[k], small[i]));
                REQUIRE(run_method(k ? rows : velocities, &rigs[k], iterations, NULL, &result[k]));
            }
            const TnProblem *p = &rigs[0].problem;
            for (int c = 0; c < p->contact_count; c++) size = fmax(size, v3_norm(p->lambda[c]));
            for (int r = 0; r < p->row_count; r++) size = fmax(size, fabs(p->rows[r].lambda));
            for (int b = 0; b < p->bond_count; b++)
                for (int k = 0; k < 12; k++) size = fmax(size, fabs(p->bonds[b].lambda[k]));
            CHECK(strcmp(result[0].form, "matrix-free on velocities") == 0);
            CHECK(strcmp(result[1].form, "assembled Delassus operator") == 0);
            CHECK_NEAR(largest_difference(&rigs[0].problem, &rigs[1].problem) / size, 0.0, 1e-9);
            for (int k = 0; k < 2; k++) rig_destroy(&rigs[k]);
        }
}

/* Assembly is shared by threads. */
TEST(threads_do_not_change_bits)
{
    for (int which = 0; which <= PROBLEMS; which++) CHECK(same_bits_for_threads(tn_pgs, which, 20));
}

TEST(a_start_at_the_solution_stays_there)
{
    for (int which = 0; which < PROBLEMS; which++) CHECK(stays_at_the_solution(tn_pgs, which));
}

TEST(a_watcher_ends_it) { CHECK(ends_when_watched(tn_pgs)); }

/* What yields nothing gets no force, whatever the start; a spring there has its own. */
TEST(what_cannot_yield_gets_no_force) { CHECK(gives_no_force_to_what_cannot_yield(tn_pgs)); }

/* Boxes on each other, 1000 sweeps: measured 2.9e-4 and 7e-6 m/s, 1e-4 and 7e-10; a tenth is asked
 * for. */
TEST(conjugate_gradients_save_sweeps)
{
    const StackChoice stacks[] = {{10, 1.0, 1.0, 0.0015, 0.05}, {10, 1.0, 0.7, 0.0015, 0.3}};
    for (int i = 0; i < 2; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            Rig rig;
            TnOwnResult result;
            REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, stacks[i]));
            REQUIRE(method_ready(&rig, NULL) &&
                    run_method(k ? tn_pgs : plain, &rig, 1000, NULL, &result));
            CHECK(result.iterations == 1000);
            error[k] = error_of(&rig);
            rig_destroy(&rig);
        }
        CHECK(error[1] < 0.1 * error[0]);
    }
}

/* The arena gives back what it lent. */
TEST(a_warm_solve_allocates_nothing) { CHECK(allocates_nothing(tn_pgs)); }
