/* Projected Gauss-Seidel. */
#include "../check.h"

#include "any_problem.h"
#include "solver/pgs.h"
#include "stack_problem.h"

static bool run_pgs(Rig *rig, TnPgsChoice choice, int iterations, TnPool *pool,
                    TnBaselineResult *result)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = iterations;
    TnBaselineInput in = {
        .problem = &rig->problem, .def = &def, .D = &rig->D, .plans = rig->plans, .pool = pool};
    return tn_pgs_with(&in, choice, result);
}

static bool prepared(Rig *rig, int which)
{
    return rig_create(rig) && make_problem(rig, which) && tn_problem_prepare_A(&rig->problem, NULL) &&
           tn_compliances(&rig->problem, &rig->D);
}

/* Of the twists at v_λ to 1e-8; the natural map a hundred times below what would show there. */
TEST(the_solution_is_that_of_assembled_admm)
{
    for (int which = 0; which < PROBLEMS; which++)
        for (int accelerated = 0; accelerated < 2; accelerated++) {
            Rig rig, other;
            TnMethodResult found;
            TnBaselineResult result;
            REQUIRE(prepared(&rig, which));
            REQUIRE(rig_create(&other) && make_problem(&other, which) && assemble(&other));
            REQUIRE(tn_assembled_admm(&other.assembly, &other.problem, &other.D, 1e-10, 2000,
                                      &found));
            REQUIRE(run_pgs(&rig, (TnPgsChoice){.accelerated = accelerated}, 2000, NULL, &result));
            double difference = apart(&rig, &other);
            printf("    problem %d %s: %s, %.1e, map %.1e\n", which, accelerated ? "cg" : "plain",
                   result.form, difference, error_of(&rig));
            CHECK_NEAR(difference, 0.0, 1e-8);
            rig_destroy(&rig);
            rig_destroy(&other);
        }
}
