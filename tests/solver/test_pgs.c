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
    return rig_create(rig) && make_problem(rig, which) &&
           tn_problem_prepare_A(&rig->problem, NULL) && tn_compliances(&rig->problem, &rig->D);
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
            REQUIRE(
                tn_assembled_admm(&other.assembly, &other.problem, &other.D, 1e-10, 2000, &found));
            REQUIRE(run_pgs(&rig, (TnPgsChoice){.accelerated = accelerated}, 2000, NULL, &result));
            double difference = apart(&rig, &other);
            printf("    problem %d %s: %s, %.1e, map %.1e\n", which, accelerated ? "cg" : "plain",
                   result.form, difference, error_of(&rig));
            CHECK_NEAR(difference, 0.0, 1e-8);
            rig_destroy(&rig);
            rig_destroy(&other);
        }
}

/* u = W μ + q of random forces in either form against velocities computed block by block, in shares of the largest:
 * 1e-10, as stiff chains and meshes have condition numbers of some 1e5. */
TEST(the_operator_is_what_the_blocks_do)
{
    for (int which = 0; which < PROBLEMS; which++)
        for (int form = TN_DELASSUS_CHEAPEST; form <= TN_DELASSUS_ROWS; form++) {
            Rig rig;
            TnDelassus w;
            TnVelocities v;
            TnPerConstraint u;
            REQUIRE(prepared(&rig, which));
            TnProblem *p = &rig.problem;
            REQUIRE(tn_delassus_build(p, &rig.D, (TnDelassusForm)form, NULL, &w));
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
