/* Chains against the same problems with full matrices. */
#include "../check.h"

#include "papers.h"
#include "random_problem.h"

#include "base/base.h"
#include "solver/block/chain.h"

typedef struct Pair {
    TnArena arenas[2];
    TnProblem chain, full;
} Pair;

static bool pair_create(Pair *pair, uint64_t seed, ChainChoice choice)
{
    for (int i = 0; i < 2; i++)
        if (!tn_arena_init(&pair->arenas[i], "pair", 1 << 20)) return false;
    choice.full = false;
    if (!random_chain_problem(&pair->chain, &pair->arenas[0], seed, choice)) return false;
    choice.full = true;
    return random_chain_problem(&pair->full, &pair->arenas[1], seed, choice);
}

static void pair_free(Pair *pair)
{
    for (int i = 0; i < 2; i++) tn_arena_free(&pair->arenas[i]);
}

static ChainChoice choice_of(int reach)
{
    return (ChainChoice){
        .reach = reach, .twists = 11, .contacts = 30, .rows = 21, .stiffness = 4.0};
}

/* 1e-11: rounding of numbers of order 1 … 10 over 50 iterations that contract errors. */
static void same_iterates_of(ChainChoice choice, Weights weights, bool paper)
{
    for (int iterations = 1; iterations <= 50; iterations += 7) {
        Pair pair;
        REQUIRE(pair_create(&pair, 5, choice));
        TnSolverDef def = fixed_count();
        def.anderson = 0; /* iterates are compared */
        def.iterations = iterations;
        TnSolveResult result;
        REQUIRE(prepare_with(&pair.chain, &def, weights) &&
                prepare_with(&pair.full, &def, weights));
        if (paper) {
            REQUIRE(tn_subadmm_paper_solve(&pair.chain, &def, &result));
            REQUIRE(tn_subadmm_paper_solve(&pair.full, &def, &result));
        } else {
            tn_subadmm_solve(&pair.chain, &def, NULL);
            tn_subadmm_solve(&pair.full, &def, NULL);
        }
        CHECK_NEAR(largest_difference(&pair.chain, &pair.full), 0.0, 1e-11);
        TnAccuracy a = tn_problem_accuracy(&pair.chain), b = tn_problem_accuracy(&pair.full);
        CHECK_NEAR(a.aac, b.aac, 1e-9); /* digits of numbers that agree to 1e-11 */
        CHECK_NEAR(a.aal, b.aal, 1e-9);
        pair_free(&pair);
    }
}

static void same_iterates(int reach, Weights weights, bool paper)
{
    same_iterates_of(choice_of(reach), weights, paper);
}

/* Ports on nodes whose g t tells, and others. */
static void count_told(const TnProblem *p, int counts[2])
{
    for (int i = 0; i < p->large_count; i++) {
        if (p->large[i].kind != &tn_block_chain) continue;
        const TnChainBlock *c = tn_chain_block(&p->large[i]);
        for (int r = 0; r < c->run_count; r++)
            counts[c->runs[r].told] += c->runs[r].end - c->runs[r].begin;
    }
}

/* Every contact, or every second one; without rows, so that there are nodes that touch nothing
 * else. */
TEST(nodes_that_touch_the_fixed_world_alone_make_the_iterates_of_the_full_matrix)
{
    for (int world = 1; world <= 2; world++)
        for (int weights = 0; weights < 2; weights++) {
            ChainChoice choice = choice_of(0);
            Pair pair;
            int counts[2] = {0};
            choice.rows = 0;
            choice.world = world;
            same_iterates_of(choice, weights ? PAPERS_WEIGHTS : OUR_WEIGHTS, false);
            REQUIRE(pair_create(&pair, 5, choice));
            TnSolverDef def = fixed_count();
            REQUIRE(tn_problem_prepare(&pair.chain, &def, NULL));
            count_told(&pair.chain, counts);
            CHECK(counts[true] > 0);
            CHECK(world == 1 || counts[false] > 2); /* two have a T */
            pair_free(&pair);
        }
}

/* What the norm sees is the same, and so is the way. 1e-8: combinations have coefficients of order
 * ten, and each builds on those before. */
TEST(accelerated_iterates_are_those_of_the_full_matrix)
{
    for (int world = 1; world <= 2; world++)
        for (int iterations = 5; iterations <= 20; iterations += 5) {
            ChainChoice choice = choice_of(0);
            Pair pair;
            choice.rows = 0;
            choice.world = world;
            REQUIRE(pair_create(&pair, 5, choice));
            TnSolverDef def = fixed_count();
            def.anderson = 5;
            def.iterations = iterations;
            REQUIRE(tn_problem_prepare(&pair.chain, &def, NULL) &&
                    tn_problem_prepare(&pair.full, &def, NULL));
            tn_subadmm_solve(&pair.chain, &def, NULL);
            tn_subadmm_solve(&pair.full, &def, NULL);
            CHECK_NEAR(largest_difference(&pair.chain, &pair.full), 0.0, 1e-8);
            pair_free(&pair);
        }
}

TEST(a_chain_makes_the_iterates_of_its_full_matrix) { same_iterates(0, OUR_WEIGHTS, false); }
TEST(rows_across_neighbours_make_the_iterates_of_the_full_matrix)
{
    same_iterates(NEAR, OUR_WEIGHTS, false);
}
TEST(a_chain_takes_the_papers_weights) { same_iterates(NEAR, PAPERS_WEIGHTS, false); }
TEST(a_chain_makes_the_iterates_of_its_full_matrix_in_the_papers_form)
{
    same_iterates(NEAR, OUR_WEIGHTS, true);
}

TEST(both_forms_make_the_same_iterates_where_rows_reach_too_far_for_H)
{
    for (int iterations = 1; iterations <= 50; iterations += 7) {
        TnArena arenas[2];
        TnProblem reduced, literal;
        REQUIRE(tn_arena_init(&arenas[0], "a", 1 << 20) && tn_arena_init(&arenas[1], "b", 1 << 20));
        REQUIRE(random_chain_problem(&reduced, &arenas[0], 5, choice_of(FAR)) &&
                random_chain_problem(&literal, &arenas[1], 5, choice_of(FAR)));
        TnSolverDef def = fixed_count();
        def.anderson = 0;
        def.iterations = iterations;
        def.over_relaxation = 1.0;
        TnSolveResult result;
        REQUIRE(tn_problem_prepare(&reduced, &def, NULL) &&
                tn_problem_prepare(&literal, &def, NULL));
        tn_subadmm_solve(&reduced, &def, NULL);
        REQUIRE(tn_subadmm_paper_solve(&literal, &def, &result));
        CHECK_NEAR(largest_difference(&reduced, &literal), 0.0, 1e-11); /* as above */
        tn_arena_free(&arenas[0]);
        tn_arena_free(&arenas[1]);
    }
}

/* Fewer constraints than unknowns, so that λ is unique. */
static void same_solution(int reach, double stiffness, double tolerance)
{
    for (uint64_t seed = 1; seed <= UNLESS_SANITIZED(10, 2); seed++) {
        Pair pair;
        ChainChoice choice = {
            .reach = reach, .twists = 11, .contacts = 12, .rows = 7, .stiffness = stiffness};
        REQUIRE(pair_create(&pair, seed, choice));
        TnSolverDef def = fixed_count();
        def.iterations = 20000;
        def.tolerance = 1e-14;
        REQUIRE(tn_problem_prepare(&pair.chain, &def, NULL) &&
                tn_problem_prepare(&pair.full, &def, NULL));
        tn_subadmm_solve(&pair.chain, &def, NULL);
        tn_subadmm_solve(&pair.full, &def, NULL);
        CHECK_NEAR(largest_difference(&pair.chain, &pair.full), 0.0, tolerance);
        TnAccuracy accuracy = tn_problem_accuracy(&pair.chain);
        CHECK(accuracy.aac > -log10(tolerance));
        CHECK(accuracy.aal > -log10(tolerance));
        pair_free(&pair);
    }
}

/* 1e-10: rounding of 1e-14 over the slowest mode's contraction of 1e-4 per iteration. */
TEST(a_chain_converges_to_the_solution_of_its_full_matrix) { same_solution(NEAR, 4.0, 1e-10); }
TEST(rows_that_reach_too_far_for_H_do_not_change_the_solution) { same_solution(FAR, 4.0, 1e-10); }
/* 1e-7: entries of 1e7 beside masses of 1, so that rounding moves v and λ by 1e-9 times their size,
 * some units, and what the slowest mode makes of it. */
TEST(a_stiff_chain_converges_to_the_solution_of_its_full_matrix) { same_solution(NEAR, 1e6, 1e-7); }

TEST(nodes_without_contacts_and_rows_carry_no_force)
{
    TnArena arena;
    TnProblem p;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
    ChainChoice choice = choice_of(0);
    choice.rows = 0;
    REQUIRE(random_chain_problem(&p, &arena, 3, choice));
    TnSolverDef def = fixed_count();
    REQUIRE(tn_problem_prepare(&p, &def, NULL));
    tn_subadmm_solve(&p, &def, NULL);
    for (int i = 1; i <= CHAINS; i++)
        for (int k = 0; k < p.large[i].dim; k++)
            if (tn_chain_block(&p.large[i])->chain->node_of[k] % 2)
                CHECK(p.large[i].g[k] == 0.0 && p.large[i].F[k] == 0.0);
    tn_arena_free(&arena);
}

TEST(rows_within_a_node_or_along_an_edge_are_exact_and_others_bounded_by_pieces)
{
    static const int reaches[3] = {0, NEAR, FAR};
    int bounded = 0;
    for (int i = 0; i < 3; i++) {
        TnArena arena;
        TnProblem p;
        REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
        REQUIRE(random_chain_problem(&p, &arena, 3, choice_of(reaches[i])));
        TnSolverDef def = fixed_count();
        REQUIRE(tn_problem_prepare(&p, &def, NULL));
        for (int s = 0; s < p.side_count; s++) {
            int block = p.sides[s].block - p.twist_count;
            if (block < 0 || p.large[block].kind != &tn_block_chain) continue;
            if (reaches[i] != FAR) CHECK(p.sides[s].pieces == 1);
            bounded += p.sides[s].pieces > 1;
        }
        tn_arena_free(&arena);
    }
    CHECK(bounded > 5);
}

TEST(a_factor_that_comes_with_the_matrix_gives_the_same_bits)
{
    TnArena arenas[2];
    TnProblem problems[2];
    TnSolverDef def = fixed_count();
    for (int i = 0; i < 2; i++) {
        TnProblem *p = &problems[i];
        REQUIRE(tn_arena_init(&arenas[i], "a", 1 << 20));
        REQUIRE(random_chain_problem(p, &arenas[i], 4, choice_of(FAR)));
        for (int k = 1; i && k <= CHAINS; k++) {
            const TnLargeBlock *d = &p->large[k];
            TnChainBlock *c = tn_chain_block(d);
            memcpy(c->A_D, c->D, sizeof(double) * c->chain->D_size);
            memcpy(c->A_E, c->E, sizeof(double) * c->chain->E_size);
            REQUIRE(tn_chain_factor(c->chain, c->A_D, c->A_E));
            memcpy(c->v_free, d->b, sizeof(double) * (size_t)d->dim);
            tn_chain_solve(c->chain, c->A_D, c->A_E, c->v_free);
            c->A_factored = true;
        }
        REQUIRE(tn_problem_prepare(p, &def, NULL));
        tn_subadmm_solve(p, &def, NULL);
    }
    CHECK(largest_difference(&problems[0], &problems[1]) == 0.0);
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
}

TEST(any_number_of_threads_gives_the_same_bits_with_chains)
{
    double *reference = NULL;
    for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
        TnArena arena;
        TnProblem p;
        TnPool *pool = tn_pool_create(threads);
        REQUIRE(pool && tn_arena_init(&arena, "a", 1 << 20));
        ChainChoice choice = choice_of(FAR);
        choice.contacts = 13000; /* enough that eight threads share them */
        REQUIRE(random_chain_problem(&p, &arena, 2, choice));
        TnSolverDef def = fixed_count();
        def.iterations = 20;
        REQUIRE(tn_problem_prepare(&p, &def, pool));
        tn_subadmm_solve(&p, &def, pool);
        size_t bytes = sizeof(double) * (size_t)p.large[1].dim;
        if (!reference) {
            reference = tn_malloc(bytes);
            REQUIRE(reference);
            memcpy(reference, p.large[1].v, bytes);
        }
        CHECK(memcmp(reference, p.large[1].v, bytes) == 0);
        tn_arena_free(&arena);
        tn_pool_destroy(pool);
    }
    tn_free(reference);
}

TEST(a_chain_that_is_not_positive_definite_is_refused)
{
    TnArena arena;
    TnProblem p;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
    REQUIRE(random_chain_problem(&p, &arena, 1, choice_of(0)));
    tn_chain_block(&p.large[1])->D[36 * 5 + 7] = -1.0;
    TnSolverDef def = fixed_count();
    CHECK(!tn_problem_prepare(&p, &def, NULL));
    tn_arena_free(&arena);
}
