/* SubADMM's loop: both forms, convergence, threads. */
#include "../check.h"

#include "papers.h"
#include "random_problem.h"

#include "base/base.h"

static TnSolverDef plain(int iterations)
{
    TnSolverDef def = fixed_count();
    def.iterations = iterations;
    def.over_relaxation = 1.0;
    return def;
}

/* 1e-11: rounding of numbers of order 1 … 10 over 50 iterations that contract errors; the two forms
 * share no arithmetic. */
static void forms_agree(Weights weights)
{
    for (int iterations = 1; iterations <= 50; iterations += 7) {
        TnArena arena1, arena2;
        TnProblem reduced, literal;
        REQUIRE(tn_arena_init(&arena1, "a", 1 << 20) && tn_arena_init(&arena2, "b", 1 << 20));
        REQUIRE(random_problem(&reduced, &arena1, 5, 11, 30, 21) &&
                random_problem(&literal, &arena2, 5, 11, 30, 21));
        TnSolverDef def = plain(iterations);
        TnSolveResult result;
        REQUIRE(prepare_with(&reduced, &def, weights) && prepare_with(&literal, &def, weights));
        tn_subadmm_solve(&reduced, &def, NULL);
        REQUIRE(tn_subadmm_paper_solve(&literal, &def, &result));
        CHECK_NEAR(largest_difference(&reduced, &literal), 0.0, 1e-11);
        tn_arena_free(&arena1);
        tn_arena_free(&arena2);
    }
}

TEST(reduced_and_literal_form_make_the_same_iterates) { forms_agree(OUR_WEIGHTS); }
TEST(reduced_and_literal_form_agree_with_the_papers_weights) { forms_agree(PAPERS_WEIGHTS); }

TEST(converged_solution_satisfies_every_law_and_the_dynamics)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        TnArena arena;
        TnProblem p;
        REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
        REQUIRE(random_problem(&p, &arena, seed, 11, 14, 7));
        TnSolverDef def = fixed_count();
        def.iterations = 20000;
        def.tolerance = 1e-13;
        REQUIRE(tn_problem_prepare(&p, &def, NULL));
        TnSolveResult result = tn_subadmm_solve(&p, &def, NULL);
        CHECK(result.converged);
        /* The error is recomputed from the raw data at v̂ and at A⁻¹(b + Jᵀλ). 9 digits: the loop
         * stops at a residual of 1e-13 per iteration, and its slowest mode contracts by no less
         * than 1e-4 per iteration on these problems. */
        TnAccuracy accuracy = tn_problem_accuracy(&p);
        CHECK(accuracy.aac > 9.0);
        CHECK(accuracy.aal > 9.0);
        tn_arena_free(&arena);
    }
}

TEST(over_relaxation_and_weights_do_not_change_the_solution)
{
    TnArena arena1, arena2;
    TnProblem a, b;
    REQUIRE(tn_arena_init(&arena1, "a", 1 << 20) && tn_arena_init(&arena2, "b", 1 << 20));
    REQUIRE(random_problem(&a, &arena1, 3, 11, 14, 7) && random_problem(&b, &arena2, 3, 11, 14, 7));
    TnSolverDef one = fixed_count(), two = plain(100000);
    one.iterations = 100000;
    one.tolerance = two.tolerance = 1e-13;
    REQUIRE(tn_problem_prepare(&a, &one, NULL) && prepare_with(&b, &two, PAPERS_WEIGHTS));
    CHECK(tn_subadmm_solve(&a, &one, NULL).converged);
    CHECK(tn_subadmm_solve(&b, &two, NULL).converged);
    for (int r = 0; r < a.table_rows; r++)
        for (int k = 0; k < 8; k++)
            CHECK_NEAR(a.twist[r][k], b.twist[r][k], 1e-8); /* both converged to about 1e-9 */
    tn_arena_free(&arena1);
    tn_arena_free(&arena2);
}

/* What a solve leaves behind: velocities, forces, and where the next iteration would go on. */
typedef struct Left {
    double *numbers;
    size_t count;
} Left;

static void keep(Left *left, const void *numbers, size_t count)
{
    if (left->numbers) memcpy(left->numbers + left->count, numbers, sizeof(double) * count);
    left->count += count;
}

static void keep_all(const TnProblem *p, const TnSolveResult *result, Left *left)
{
    left->count = 0;
    keep(left, &result->residual, 1);
    keep(left, p->twist, 8 * (size_t)p->table_rows);
    keep(left, p->lambda, 3 * (size_t)p->contact_count);
    for (int i = 0; i < p->contact_batches; i++) keep(left, p->contact_batch[i].t, 3 * TN_LANES);
    for (int i = 0; i < p->twist_batches; i++) keep(left, p->twist_batch[i].g, 6 * TN_LANES);
    for (int i = 0; i < p->large_count; i++) {
        keep(left, p->large[i].v, (size_t)p->large[i].dim);
        keep(left, p->large[i].g, (size_t)p->large[i].dim);
    }
}

/* Without rows threads have shares of their own (shares.c). */
static void threads_agree(int twists, int contacts, int rows, int iterations)
{
    TnArena arena;
    TnProblem p;
    Left reference = {0}, now = {0};
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnPool *pool = tn_pool_create(threads);
        REQUIRE(pool && tn_arena_init(&arena, "a", 1 << 20));
        REQUIRE(random_problem(&p, &arena, 2, twists, contacts, rows));
        TnSolverDef def = fixed_count();
        def.iterations = iterations;
        REQUIRE(tn_problem_prepare(&p, &def, pool));
        TnSolveResult result = tn_subadmm_solve(&p, &def, pool);
        CHECK(result.iterations == iterations);
        Left *left = threads == 1 ? &reference : &now;
        if (!left->numbers) {
            keep_all(&p, &result, left);
            left->numbers = tn_malloc(sizeof(double) * left->count);
            REQUIRE(left->numbers);
        }
        keep_all(&p, &result, left);
        CHECK(reference.count == left->count &&
              memcmp(reference.numbers, left->numbers, sizeof(double) * left->count) == 0);
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
    tn_free(reference.numbers);
    tn_free(now.numbers);
}

/* large enough that eight threads share them, on any number of processors */
TEST(any_number_of_threads_gives_the_same_bits) { threads_agree(3000, 13000, 70, 20); }
TEST(shares_give_the_same_bits) { threads_agree(3000, 13000, 0, 20); }
TEST(shares_of_an_even_number_of_iterations_give_the_same_bits)
{
    threads_agree(3000, 13000, 0, 21);
}
/* Most contacts are on large blocks or the world, and most shares have no twist block. */
TEST(shares_of_few_blocks_give_the_same_bits) { threads_agree(9, 13000, 0, 9); }

TEST(a_tolerance_stops_early_and_is_kept)
{
    TnArena arena;
    TnProblem p;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
    REQUIRE(random_problem(&p, &arena, 4, 11, 14, 7));
    TnSolverDef def = fixed_count();
    def.iterations = 100000;
    def.tolerance = 1e-6;
    REQUIRE(tn_problem_prepare(&p, &def, NULL));
    TnSolveResult result = tn_subadmm_solve(&p, &def, NULL);
    CHECK(result.converged);
    CHECK(result.residual < 1e-6);
    CHECK(result.iterations < 5000);
    def.iterations = 2;
    def.tolerance = 1e-15;
    CHECK(!tn_subadmm_solve(&p, &def, NULL).converged);
    tn_arena_free(&arena);
}
