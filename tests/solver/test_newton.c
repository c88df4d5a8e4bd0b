/* Newton's method on problems of every kind, and on those that are hard for all methods. */
#include "../check.h"

#include "any_problem.h"
#include "base/base.h"
#include "stack_problem.h"

/* From the problem's own λ. */
static bool newton(Rig *rig, double tolerance, int steps, TnMethodResult *result)
{
    TnPerConstraint u, lambda;
    return state_of(rig, &u, &lambda) &&
           tn_newton(&rig->assembly, &rig->problem, &rig->D, &u, tolerance, steps, result);
}

/* SubADMM until nothing moves. */
static bool split_solution(Rig *rig)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = 50000;
    def.tolerance = 1e-12;
    def.anderson = 10;
    return tn_problem_prepare(&rig->problem, &def, NULL) &&
           tn_subadmm_solve(&rig->problem, &def, NULL).converged;
}

/* ---- every kind of block and row ---- */

/* An error of 1e-7 m/s in constraints, where velocities are of some m/s, and few problems amplify
 * it a hundred times: 1e-5 of the largest velocity. Where SubADMM itself does not settle there is
 * nothing to compare. Rolling friction at its bound has no slope in Newton's lines, and random
 * rolling rows on meshes, which belong to contacts elsewhere, go round in circles now and then. */
TEST(the_solution_is_that_of_the_split_form)
{
    enum { SEEDS = 6 };
    int compared = 0, missed = 0;
    for (int which = 0; which < PROBLEMS; which++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            Rig rig, split;
            TnIslandResult result;
            REQUIRE(rig_create(&rig) && make_seeded(&rig, which, seed));
            REQUIRE(tn_problem_prepare_A(&rig.problem, NULL));
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-7 / g_t, &result));
            CHECK(result.report.converged == (result.report.error < 1e-7 / g_t));
            REQUIRE(rig_create(&split) && make_seeded(&split, which, seed));
            if (!result.report.converged) {
                if (which != 5) printf("    problem %d seed %d\n", which, (int)seed);
                missed += which == 5 ? 1 : 100;
            } else if (split_solution(&split)) {
                double difference = apart(&rig, &split);
                if (!(difference <= 1e-5)) printf("    problem %d seed %d\n", which, (int)seed);
                CHECK_NEAR(difference, 0.0, 1e-5);
                compared++;
            }
            rig_destroy(&rig);
            rig_destroy(&split);
        }
    CHECK(missed <= 3);
    CHECK(compared >= PROBLEMS * SEEDS * 9 / 10);
}

/* The error that is reported is that of the forces that stay in the problem. */
TEST(what_newton_reports_is_what_it_leaves)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        for (int steps = 1; steps <= 40; steps *= 2) {
            REQUIRE(newton(&rig, 1e-9, steps, &result));
            CHECK(result.iterations <= steps);
            /* Forces are gains of up to 1e7 times velocities of some m/s that are rounded: 1e-8
             * m/s, times what stiff rods make of it. That is 0.7e-6 with one compiler's options
             * and 1.0e-6 with another's. */
            CHECK_NEAR(error_of(&rig), result.error, 1e-3 * result.error + 3e-6);
        }
        rig_destroy(&rig);
    }
}

/* ---- the interior-point method alone ---- */

/* From no guess at all, to 1e-5 of the largest velocity there is, in all but few: what is left is
 * for Newton. Without rows that bound others, which it leaves to Newton too. */
TEST(the_interior_point_method_comes_near_by_itself)
{
    int near = 0, all = 0;
    for (uint64_t seed = 1; seed <= 20; seed++, all++) {
        Rig rig;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_seeded(&rig, 2, seed) && assemble(&rig));
        REQUIRE(tn_interior(&rig.assembly, &rig.problem, &rig.D, NULL, 1e-5, 40, &result));
        CHECK(result.iterations <= 40);
        near += result.error < 1e-5;
        /* u is added up step by step, and rounded each time */
        CHECK_NEAR(error_of(&rig), result.error, 1e-3 * result.error + 1e-9);
        rig_destroy(&rig);
    }
    CHECK(near >= all - 1);
}

/* Without contacts or inequalities there is no cone, and nothing is done. */
TEST(the_interior_point_method_needs_contacts)
{
    Rig rig;
    TnMethodResult result;
    RodChoice rod = {.nodes = 12, .group = 1, .stiffness = 1.0, .twists = true};
    REQUIRE(rig_create(&rig) && bonded_rod(&rig.problem, &rig.arena, 1, rod) && assemble(&rig));
    REQUIRE(tn_interior(&rig.assembly, &rig.problem, &rig.D, NULL, 1e-5, 40, &result));
    CHECK(result.iterations == 0 && result.error == INFINITY);
    rig_destroy(&rig);
}

/* ---- stacks ---- */

static void set_friction(TnProblem *p, double mu)
{
    for (int c = 0; c < p->contact_count; c++) p->contact_batch[c / TN_LANES].mu[c % TN_LANES] = mu;
}

/* Largest error of an interface's force, in shares of the weight above it. */
static double weight_error(const TnProblem *p, StackChoice choice)
{
    double worst = 0.0, above = 0.0, mass = choice.first * pow(choice.growth, choice.count - 1);
    for (int i = choice.count - 1; i >= 0; i--, mass /= choice.growth) {
        double force = 0.0;
        above += mass * stack_gravity;
        for (int k = 0; k < 4; k++) force += p->lambda[4 * i + k][2];
        worst = fmax(worst, fabs(force - above) / above);
    }
    return worst;
}

/* At a tolerance of 1e-6 of g·t each box may be off by some 1e-6 of its weight, and few boxes add
 * to each other: 1e-5. */
TEST(stacks_carry_their_weight)
{
    static const StackChoice stacks[] = {
        {1, 1.0, 1.0, 0.0, 0.0},       {50, 1.0, 1.0, 0.0015, 0.0}, {20, 1.0, 1.0, 0.0015, 0.02},
        {2, 1.0, 1000.0, 0.0015, 0.0}, {10, 1.0, 2.0, 0.0015, 0.0}, {10, 1024.0, 0.5, 0.0015, 0.0},
        {2, 1.0, 1e6, 0.0015, 0.0},    {2, 1e6, 1e-6, 0.0015, 0.0}, {3, 1e-3, 1e3, 0.0, 0.0},
    };
    static const double frictions[] = {0.5, 0.0, 100.0};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        for (int m = 0; m < 3; m++) {
            Rig rig;
            TnIslandResult cold, again;
            if (frictions[m] == 0.0 && stacks[i].push != 0.0) continue; /* slides off */
            REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, stacks[i]));
            set_friction(&rig.problem, frictions[m]);
            REQUIRE(tn_problem_prepare_A(&rig.problem, NULL));
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &cold));
            double error = weight_error(&rig.problem, stacks[i]);
            if (!cold.report.converged || !(error < 1e-5))
                printf("    stack %d, friction %g: error %g\n", (int)i, frictions[m],
                       cold.report.error);
            CHECK(cold.report.converged);
            CHECK_NEAR(error, 0.0, 1e-5);
            /* ten times that tolerance from there: nothing to do */
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-4, &again));
            CHECK(again.report.method == TN_METHOD_AUTO && again.report.newton_steps == 0);
            /* a load of one per cent more: few steps, a rescue at most */
            for (int c = 0; c < rig.problem.contact_count; c++)
                for (int k = 0; k < 3; k++) rig.problem.lambda[c][k] *= 0.99;
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &again));
            CHECK(again.report.converged && again.report.newton_steps <= 25);
            CHECK_NEAR(weight_error(&rig.problem, stacks[i]), 0.0, 1e-5);
            rig_destroy(&rig);
        }
}

/* Every contact ten times over: forces among them are anybody's guess, their sum is not, nor is the
 * motion. */
TEST(contacts_may_be_redundant)
{
    enum { COPIES = 10 };
    StackChoice choice = {10, 1.0, 1.0, 0.0015, 0.02};
    Rig one, many;
    TnIslandResult result;
    const double zero[3] = {0};
    REQUIRE(rig_create(&one) && stack_problem(&one.problem, &one.arena, choice));
    REQUIRE(rig_create(&many));
    TnProblem *p = &many.problem, *from = &one.problem;
    REQUIRE(tn_problem_init(
        p, &many.arena,
        (TnProblemSize){.twists = choice.count, .contacts = COPIES * 4 * choice.count}));
    memcpy(p->twist_batch, from->twist_batch, sizeof *p->twist_batch * (size_t)p->twist_batches);
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *b = &from->contact_batch[c / COPIES / TN_LANES];
        int l = c / COPIES % TN_LANES;
        const double arm_a[3] = {b->arm_a[0][l], b->arm_a[1][l], b->arm_a[2][l]};
        const double arm_b[3] = {b->arm_b[0][l], b->arm_b[1][l], b->arm_b[2][l]};
        tn_problem_set_contact(p, c, b->row_a[l], b->row_b[l], arm_a, arm_b, (double[]){0, 0, 1},
                               zero, 0.5, zero);
    }
    REQUIRE(tn_problem_prepare_A(p, NULL));
    REQUIRE(solve_island(&many, TN_METHOD_NEWTON, 1e-6, &result));
    CHECK(result.report.converged);
    double mass = choice.count, force[3] = {0};
    for (int c = 0; c < 4 * COPIES; c++) v3_add(force, force, p->lambda[c]);
    CHECK_NEAR(force[2], mass * stack_gravity, 1e-5 * mass * stack_gravity);
    CHECK_NEAR(force[0], -0.02 * mass * stack_gravity, 1e-5 * mass * stack_gravity);
    rig_destroy(&one);
    rig_destroy(&many);
}

/* ---- one body, one wall or two ---- */

typedef struct Push {
    double normal, mu, speed; /* e along the normal */
} Push;

/* A body of 1 kg in a step of 10 ms, weight along -z, and contacts at its centre with normals ±
 * z. */
static bool pushed_body(Rig *rig, const Push *pushes, int count, double sideways)
{
    const double a = 100.0, S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};
    const double b[6] = {sideways * stack_gravity, 0, -stack_gravity, 0, 0, 0};
    if (!rig_create(rig) || !tn_problem_init(&rig->problem, &rig->arena,
                                             (TnProblemSize){.twists = 1, .contacts = count}))
        return false;
    tn_problem_set_twist(&rig->problem, 0, a, S, b, zero);
    for (int c = 0; c < count; c++)
        tn_problem_set_contact(
            &rig->problem, c, 0, 1, zero, zero, (double[]){0, 0, pushes[c].normal},
            (double[]){0, 0, pushes[c].normal * pushes[c].speed}, pushes[c].mu, zero);
    return tn_problem_prepare_A(&rig->problem, NULL);
}

/* Of two contacts at one place that ask for different speeds, the one that asks for more bears
 * all. */
TEST(where_gaps_contradict_the_nearest_one_counts)
{
    const Push pushes[] = {{1, 0.5, 0.0}, {1, 0.5, -0.01}, {1, 0.5, 0.02}};
    Rig rig;
    TnIslandResult result;
    REQUIRE(pushed_body(&rig, pushes, 3, 0.0));
    REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-8, &result));
    CHECK(result.report.converged);
    double v[6];
    tn_problem_twist(&rig.problem, 0, v);
    /* 1e-8 of g·t is 1e-9 m/s, and 1e-7 N at 100 kg/s */
    CHECK_NEAR(v[2], 0.01, 1e-9);
    CHECK_NEAR(rig.problem.lambda[1][2], stack_gravity + 100.0 * 0.01, 1e-6);
    CHECK_NEAR(rig.problem.lambda[0][2], 0.0, 1e-6);
    CHECK_NEAR(rig.problem.lambda[2][2], 0.0, 1e-6);
    rig_destroy(&rig);
}

/* Pushed along by 0.3 of its weight: held from μ = 0.3 on, below it the rest accelerates it. */
TEST(friction_holds_what_it_can)
{
    static const double frictions[] = {0.0, 0.1, 0.29999, 0.30001, 1.0, 100.0};
    for (int i = 0; i < 6; i++) {
        const Push ground = {1, frictions[i], 0.0};
        Rig rig;
        TnIslandResult result;
        REQUIRE(pushed_body(&rig, &ground, 1, 0.3));
        REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-8, &result));
        CHECK(result.report.converged);
        double v[6], expected = fmax(0.0, 0.3 - frictions[i]) * stack_gravity / 100.0;
        tn_problem_twist(&rig.problem, 0, v);
        CHECK_NEAR(v[0], expected, 1e-9); /* 1e-8 of g·t */
        CHECK_NEAR(v[2], 0.0, 1e-9);
        rig_destroy(&rig);
    }
}

/* Floor and ceiling close in on a body: no velocity suits both. The end comes soon, says so, and
 * has numbers in it. */
TEST(walls_that_close_in_end_without_convergence)
{
    const Push pushes[] = {{1, 0.5, -0.1}, {-1, 0.5, -0.1}};
    for (int method = TN_METHOD_AUTO; method <= TN_METHOD_NEWTON; method++) {
        Rig rig;
        TnIslandResult result;
        REQUIRE(pushed_body(&rig, pushes, 2, 0.1));
        REQUIRE(solve_island(&rig, (TnMethod)method, 1e-6, &result));
        CHECK(!result.report.converged);
        CHECK(isfinite(result.report.error) && result.report.error > 1e-6);
        CHECK(result.worst == TN_A_CONTACT);
        CHECK(result.report.newton_steps <= 150 && result.report.sweeps <= 200);
        CHECK(is_finite(&rig.problem));
        rig_destroy(&rig);
    }
}

/* Two equalities on one axis that ask for different speeds. */
TEST(equalities_that_contradict_end_without_convergence)
{
    Rig rig;
    TnIslandResult result;
    TnProblem *p = &rig.problem;
    const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};
    REQUIRE(rig_create(&rig));
    REQUIRE(tn_problem_init(p, &rig.arena,
                            (TnProblemSize){.twists = 1, .rows = 2, .sides = 2, .entries = 2}));
    tn_problem_set_twist(p, 0, 100.0, S, zero, zero);
    for (int r = 0; r < 2; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .row = r, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 1.0;
        p->rows[r] =
            (TnRow){.set = TN_ROW_EQUALITY, .side_start = r, .side_count = 1, .e = r ? 0.1 : -0.1};
    }
    REQUIRE(tn_problem_prepare_A(p, NULL));
    REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &result));
    CHECK(!result.report.converged && isfinite(result.report.error));
    CHECK(result.worst == TN_A_ROW);
    CHECK(is_finite(p));
    rig_destroy(&rig);
}

/* A slider along x against a wall across it, as the other methods have it: no force, and
 * converged. */
TEST(what_cannot_yield_gets_no_force)
{
    Rig rig;
    TnMethodResult result;
    TnProblem *p = &rig.problem;
    REQUIRE(rig_create(&rig) && pushed_slider(&rig, 0));
    REQUIRE(assemble(&rig));
    REQUIRE(newton(&rig, 1e-9, 20, &result));
    CHECK(result.error < 1e-9);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p->lambda[0][k], 0.0, 1e-9);
    rig_destroy(&rig);
}

/* ---- memory ---- */

TEST(a_warm_solve_allocates_nothing)
{
    Rig rig;
    TnMethodResult result;
    REQUIRE(rig_create(&rig) && make_problem(&rig, 5) && assemble(&rig));
    REQUIRE(newton(&rig, 0.0, 10, &result));
    long before = tn_malloc_count();
    REQUIRE(newton(&rig, 0.0, 10, &result));
    CHECK(tn_malloc_count() == before);
    rig_destroy(&rig);
}
