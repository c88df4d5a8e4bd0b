/* Anderson acceleration of the ADMM loop, against the plain loop. */
#include "../check.h"

#include "loop_rig.h"
#include "papers.h"
#include "solver/method/anderson.h"

static TnSolverDef def_of(int anderson, int iterations)
{
    TnSolverDef def = fixed_count();
    def.anderson = anderson;
    def.iterations = iterations;
    return def;
}

/* Arms, cables, free bodies; contacts and rows of every kind, or equality rows alone. */
static bool make(TnProblem *p, TnArena *arena, uint64_t seed, int contacts, int rows, bool linear)
{
    ChainChoice choice = {
        .reach = NEAR, .twists = 11, .contacts = contacts, .rows = rows, .stiffness = 4.0};
    if (!tn_arena_init(arena, "problem", 1 << 20) || !random_chain_problem(p, arena, seed, choice))
        return false;
    for (int r = 0; linear && r < rows; r++) p->rows[r].set = TN_ROW_EQUALITY;
    return true;
}

static TnSolveResult solve(TnProblem *p, TnSolverDef def)
{
    bool prepared = tn_problem_prepare(p, &def, NULL);
    CHECK(prepared);
    return prepared ? tn_subadmm_solve(p, &def, NULL) : (TnSolveResult){.residual = NAN};
}

static double largest_distance(const TnProblem *a, const TnProblem *b)
{
    double worst = 0.0;
    for (int r = 0; r < a->table_rows; r++)
        for (int k = 0; k < 8; k++) worst = fmax(worst, fabs(a->twist[r][k] - b->twist[r][k]));
    for (int i = 0; i < a->large_count; i++)
        for (int k = 0; k < a->large[i].dim; k++)
            worst = fmax(worst, fabs(a->large[i].v[k] - b->large[i].v[k]));
    return worst;
}

/* Residual of the iteration after `iterations`. */
static double residual_of(uint64_t seed, int contacts, int rows, bool linear, int anderson,
                          int iterations)
{
    TnArena arena;
    TnProblem p;
    if (!make(&p, &arena, seed, contacts, rows, linear)) return NAN;
    double residual = solve(&p, def_of(anderson, iterations)).residual;
    tn_arena_free(&arena);
    return residual;
}

/* Six equality rows of up to two sides: y has at most twelve numbers, of which the norm sees the
 * six of t. Two iterations go before the first difference; with them 10 to 22 were needed. 1e-11:
 * rounding of numbers of order 1 … 10. The plain loop has 1e-9 to 1e-8 by then, but for two of the
 * ten. */
TEST(equality_rows_converge_in_about_as_many_iterations_as_there_are_numbers)
{
    int slower = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        CHECK(residual_of(seed, 0, 6, true, 12, 26) < 1e-11);
        slower += residual_of(seed, 0, 6, true, 0, 26) > 1e-10;
    }
    CHECK(slower == 8);
}

/* y has twelve numbers. 1e-12 of what is moved at first, about 1 m/s and, in rad/s, 100. */
TEST(a_soft_bond_converges_in_as_many_iterations_as_it_has_numbers)
{
    double residual[2];
    for (int i = 0; i < 2; i++) {
        TnArena arena;
        TnProblem p;
        REQUIRE(tn_arena_init(&arena, "rod", 1 << 20));
        REQUIRE(bonded_rod(&p, &arena, 1, (RodChoice){.nodes = 2, .group = 1, .stiffness = 100.0}));
        residual[i] = solve(&p, def_of(i ? 16 : 0, 18)).residual;
        tn_arena_free(&arena);
    }
    CHECK(residual[1] < 1e-10);
    CHECK(residual[0] > 1e-4);
}

/* From the converged solution, twenty accelerated iterations go nowhere: 1e-9 is the error that
 * a residual of 1e-13 leaves (test_subadmm.c). */
TEST(a_fixed_point_stays_where_it_is)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        TnArena arena;
        TnProblem p;
        REQUIRE(make(&p, &arena, seed, 12, 7, false));
        TnSolverDef def = def_of(5, 20000);
        def.tolerance = 1e-13;
        CHECK(solve(&p, def).converged);
        TnVelocities before;
        REQUIRE(tn_velocities_alloc(&p, &before));
        tn_velocities_copy(&p, &before);
        CHECK(tn_subadmm_solve(&p, &(TnSolverDef){.iterations = 20, .over_relaxation = 1.7}, NULL)
                  .residual < 1e-12);
        for (int r = 0; r < p.table_rows; r++)
            for (int k = 0; k < 8; k++) CHECK_NEAR(before.twist[r][k], p.twist[r][k], 1e-9);
        tn_arena_free(&arena);
    }
}

/* 1e-9 as above; fewer constraints than unknowns, so that the solution is unique. */
TEST(the_solution_is_that_of_the_plain_loop)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        TnArena arenas[2];
        TnProblem p[2];
        int iterations[2];
        for (int i = 0; i < 2; i++) {
            REQUIRE(make(&p[i], &arenas[i], seed, 12, 7, false));
            TnSolverDef def = def_of(i ? 5 : 0, 20000);
            def.tolerance = 1e-13;
            TnSolveResult result = solve(&p[i], def);
            CHECK(result.converged);
            iterations[i] = result.iterations;
        }
        CHECK_NEAR(largest_distance(&p[0], &p[1]), 0.0, 1e-9);
        CHECK(iterations[1] <= iterations[0]);
        for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    }
}

/* Many contacts that stick, slide and open. A residual may double before the history is forgotten,
 * and the plain one is itself uneven: 1.15 times its residual was seen at worst, and in the mean
 * 0.73 digits less. */
TEST(frictional_problems_with_chains_are_never_much_worse_than_plain)
{
    static const int counts[] = {5, 10, 20, 40, 80};
    double gain = 0.0;
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (int i = 0; i < 5; i++) {
            double plain = residual_of(seed, 40, 21, false, 0, counts[i]),
                   fast = residual_of(seed, 40, 21, false, 5, counts[i]);
            CHECK(fast <= 2.0 * plain);
            gain += log10(plain / fast) / 150.0;
        }
    CHECK(gain > 0.5);
}

TEST(one_and_four_threads_give_the_same_bits) { CHECK(one_and_four_threads_agree(def_of(5, 20))); }

TEST(the_papers_form_has_none)
{
    TnArena arenas[2];
    TnProblem p[2];
    for (int i = 0; i < 2; i++) {
        REQUIRE(make(&p[i], &arenas[i], 1, 20, 14, false));
        TnSolverDef def = def_of(i ? 5 : 0, 30);
        TnSolveResult result;
        REQUIRE(tn_problem_prepare(&p[i], &def, NULL));
        REQUIRE(tn_subadmm_paper_solve(&p[i], &def, &result));
    }
    CHECK(largest_distance(&p[0], &p[1]) == 0.0);
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
}
