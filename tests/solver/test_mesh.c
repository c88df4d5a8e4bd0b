/* Mesh blocks against the same problems with full matrices. */
#include "../check.h"

#include "base/base.h"
#include "mesh_problem.h"
#include "solver/mesh.h"

static void solve(TnProblem *p, TnSolverDef def, TnPool *pool)
{
    TnSolveResult result;
    REQUIRE(tn_problem_prepare(p, &def, pool));
    if (def.form == TN_ADMM_PAPER)
        REQUIRE(tn_subadmm_paper_solve(p, &def, &result));
    else
        tn_subadmm_solve(p, &def, pool);
}

static void compare(MeshChoice c, uint64_t seed, TnSolverDef def, double tolerance)
{
    TnArena arenas[2];
    TnProblem problems[2];
    MeshRig rigs[MESHES];
    REQUIRE(mesh_rigs_create(rigs));
    for (int i = 0; i < 2; i++) {
        c.full = i;
        REQUIRE(tn_arena_init(&arenas[i], "a", 1 << 22));
        REQUIRE(random_mesh_problem(&problems[i], &arenas[i], seed, rigs, c));
        solve(&problems[i], def, NULL);
    }
    double difference = largest_difference(&problems[0], &problems[1]);
    if (!(difference < tolerance))
        printf("    touch %d, %d iterations\n", (int)c.touch, def.iterations);
    CHECK_NEAR(difference, 0.0, tolerance);
    TnAccuracy a = tn_problem_accuracy(&problems[0]), b = tn_problem_accuracy(&problems[1]);
    if (def.tolerance <= 0.0 && problems[0].contact_count) {
        CHECK_NEAR(pow(10.0, -a.aac), pow(10.0, -b.aac), tolerance);
        CHECK_NEAR(pow(10.0, -a.aal), pow(10.0, -b.aal), tolerance);
    }
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    mesh_rigs_destroy(rigs);
}

/* 1e-11: rounding of numbers of order 1 … 10 over iterations that contract errors. */
static void same_iterates(TnSolverDef def, double tolerance)
{
    for (MeshTouch touch = NOTHING; touch < TOUCHES; touch++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (def.iterations = 1; def.iterations <= 41; def.iterations += 20)
                compare((MeshChoice){.touch = touch, .stiffness = 1.0, .shift = (int)seed}, seed,
                        def, tolerance);
}

TEST(a_mesh_makes_the_iterates_of_the_full_matrix) { same_iterates(tn_solver_def(), 1e-11); }

TEST(a_mesh_makes_the_iterates_of_the_full_matrix_with_the_papers_weights)
{
    TnSolverDef def = tn_solver_def();
    def.weights = TN_WEIGHTS_PAPER;
    same_iterates(def, 1e-11);
}

TEST(a_mesh_makes_the_iterates_of_the_full_matrix_in_the_papers_form)
{
    TnSolverDef def = tn_solver_def();
    def.form = TN_ADMM_PAPER;
    same_iterates(def, 1e-11);
    def.weights = TN_WEIGHTS_PAPER;
    same_iterates(def, 1e-11);
}
