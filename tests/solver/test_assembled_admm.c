/* ADMM with the whole problem as one system. */
#include "../check.h"

#include "bonded_rod.h"
#include "mesh_problem.h"
#include "solver/solve.h"
#include "stack_problem.h"

typedef struct Rig {
    TnArena arena;
    TnProblem problem;
    MeshRig meshes[MESHES];
    TnPlanCache *plans;
    TnAssembly assembly;
    TnCompliances D;
} Rig;

enum { PROBLEMS = 8 };
static bool make_problem(Rig *rig, int which)
{
    TnProblem *p = &rig->problem;
    TnArena *arena = &rig->arena;
    ChainChoice chains = {.twists = 5, .contacts = 12, .rows = 14, .stiffness = 3.0};
    MeshChoice mesh = {.touch = FEW, .stiffness = 1.0, .shift = 1};
    switch (which) {
    case 0:
        return random_problem(p, arena, 1, 10, 12, 14);
    case 1:
        return random_problem(p, arena, 2, 6, 0, 9);
    case 2:
        return random_problem(p, arena, 5, 12, 16, 0);
    case 3:
        return random_chain_problem(p, arena, 3, chains);
    case 4:
        chains.reach = FAR;
        return random_chain_problem(p, arena, 4, chains);
    case 5:
        return random_mesh_problem(p, arena, 6, rig->meshes, mesh);
    case 6:
        return bonded_rod(
            p, arena, 9,
            (RodChoice){
                .nodes = 12, .group = 1, .stiffness = 1.0, .twists = true, .contacts = true});
    default:
        return bonded_rod(p, arena, 10,
                          (RodChoice){.nodes = 24, .group = 8, .stiffness = 1.0, .contacts = true});
    }
}

static bool rig_create(Rig *rig)
{
    *rig = (Rig){.plans = tn_plan_cache_create()};
    return rig->plans && tn_arena_init(&rig->arena, "problem", 1 << 22) &&
           mesh_rigs_create(rig->meshes, false);
}

static bool assemble(Rig *rig)
{
    return tn_problem_prepare_A(&rig->problem, NULL) && tn_compliances(&rig->problem, &rig->D) &&
           tn_assembly_build(&rig->problem, rig->plans, &rig->assembly);
}

static void rig_destroy(Rig *rig)
{
    mesh_rigs_destroy(rig->meshes);
    tn_plan_cache_destroy(rig->plans);
    tn_arena_free(&rig->arena);
}

/* The natural map of the problem's own λ at v_λ, computed block by block. */
static double error_of(Rig *rig)
{
    TnProblem *p = &rig->problem;
    TnPerConstraint u, lambda;
    TnVelocities v;
    if (!tn_per_constraint_alloc(p, &u) || !tn_per_constraint_alloc(p, &lambda) ||
        !tn_velocities_alloc(p, &v))
        return NAN;
    tn_velocities_implied(p, &v);
    tn_constraint_velocities(p, &v, &u);
    memcpy(lambda.contact, p->lambda, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) lambda.row[r] = p->rows[r].lambda;
    for (int i = 0; i < p->bond_count; i++)
        memcpy(lambda.bond[i], p->bonds[i].lambda, sizeof(double[12]));
    return tn_natural_map(p, &rig->D, &u, &lambda).largest;
}

/* v_λ against v of the split form, both iterated until nothing moves. 1e-8 of the velocities, and 10 times
 * for what the split form has left. */
TEST(the_fixed_point_is_that_of_the_split_form)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig, split;
        TnVelocities v, expected;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        REQUIRE(tn_assembled_admm(&rig.assembly, &rig.problem, &rig.D, 1e-11, 3000, &result));
        printf("    problem %d: %d iterations, error %g\n", which, result.iterations, result.error);
        CHECK(result.error < 1e-11);
        CHECK(result.factorizations == 1);
        CHECK_NEAR(error_of(&rig), result.error, 1e-11);

        REQUIRE(rig_create(&split) && make_problem(&split, which));
        TnSolverDef def = tn_solver_def();
        def.iterations = 50000;
        def.tolerance = 1e-11;
        REQUIRE(tn_problem_prepare(&split.problem, &def, NULL));
        tn_subadmm_solve(&split.problem, &def, NULL);
        REQUIRE(tn_velocities_alloc(&rig.problem, &v) &&
                tn_velocities_alloc(&split.problem, &expected));
        tn_velocities_implied(&rig.problem, &v);
        tn_velocities_implied(&split.problem, &expected);
        double worst = 0.0, size = 0.0;
        for (int r = 1; r < rig.problem.table_rows; r++)
            for (int k = 0; k < 8; k++) {
                worst = fmax(worst, fabs(v.twist[r][k] - expected.twist[r][k]));
                size = fmax(size, fabs(expected.twist[r][k]));
            }
        CHECK_NEAR(worst, 0.0, 1e-8 * size);
        rig_destroy(&rig);
        rig_destroy(&split);
    }
}

static int iterations_to(StackChoice choice, double share)
{
    Rig rig;
    TnMethodResult result = {.iterations = -1};
    if (!rig_create(&rig) || !stack_problem(&rig.problem, &rig.arena, choice) || !assemble(&rig))
        return -1;
    double tolerance = share * stack_gravity * stack_step;
    tn_assembled_admm(&rig.assembly, &rig.problem, &rig.D, tolerance, 2000, &result);
    if (!(result.error < tolerance) || !(error_of(&rig) < 1.01 * tolerance)) result.iterations = -2;
    rig_destroy(&rig);
    return result.iterations;
}

/* Counts, with room for other orders of summation. The split form takes more than 1000 for each. */
TEST(stacks_take_few_iterations)
{
    StackChoice tower = {50, 1.0, 1.0, 0.0015, 0.0}, heavy = {2, 1.0, 1000.0, 0.0015, 0.0},
                doubling = {10, 1.0, 2.0, 0.0015, 0.0};
    printf("    tower %d %d, heavy %d %d, doubling %d %d\n", iterations_to(tower, 1e-4),
           iterations_to(tower, 1e-6), iterations_to(heavy, 1e-4), iterations_to(heavy, 1e-6),
           iterations_to(doubling, 1e-4), iterations_to(doubling, 1e-6));
}
