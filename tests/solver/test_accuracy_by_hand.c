/* The judge of solutions by hand: one block, A = diag(4, 2, 2, 4, 2, 2), J rows of the identity in
 * order. */
#include "../check.h"

#include "public_problem.h"

/* v is what the dynamics give, so that AAc and AAλ agree; u as asked for by e. */
static TnJudgement judge_tiny(const TnConstraintDef *laws, int count, const double *u,
                              const double *lambda)
{
    double A[36] = {0}, b[6] = {0.3, -0.2, 0.1, 0.4, 0.5, -0.6}, v[6], I[6][6] = {{0}};
    for (int k = 0; k < 6; k++) {
        A[7 * k] = k == 0 || k == 3 ? 4.0 : 2.0;
        I[k][k] = 1.0;
        v[k] = (b[k] + lambda[k]) / A[7 * k];
    }
    TnSolverDef def = tn_solver_def();
    TnError err = {0};
    TnSolver *solver = tn_solver_create(&def, &err);
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 6, .A = A, .b = b});
    for (int i = 0, row = 0; i < count; i++) {
        TnConstraintDef c = laws[i];
        int rows = c.set == TN_SET_FRICTION ? 3 : c.set == TN_SET_ROLL ? 2 : 1;
        c.block[0] = 1;
        c.J[0] = I[row];
        for (int k = 0; k < rows; k++, row++) c.e[k] = u[row] - v[row];
        tn_solver_add_constraint(solver, &c);
    }
    TnJudgement out = {.aac = NAN};
    if (tn_solver_prepare(solver, &err) == TN_OK)
        out = judged(solver, NULL, v, lambda, v);
    else
        test_fail(__FILE__, __LINE__, "%s", err.message);
    tn_solver_destroy(solver);
    /* v is A⁻¹(b + Jᵀλ) to rounding; aav is of v against itself */
    CHECK(out.dynamics < 1e-15);
    CHECK(out.aav == 16.0);
    CHECK_NEAR(out.aac, out.aal, 1e-12);
    return out;
}

static double rms_of(const TnJudgement *j) { return pow(10.0, -j->aac); }

/* Rounding of numbers about one, in eps. */
#define EXACT 1e-14

static TnJudgement contact(double mu, const double u[6], const double lambda[6])
{
    TnConstraintDef c = {.set = TN_SET_FRICTION, .mu = mu};
    return judge_tiny(&c, 1, u, lambda);
}

TEST(contacts_that_are_open_stick_or_slip_have_no_error)
{
    const double u[3][6] = {{2.0, 0.3, -0.4}, {0.0}, {0.0, 0.6, -0.8}};
    const double lambda[3][6] = {{0.0}, {1.0, 0.3, 0.2}, {2.0, -0.6, 0.8}};
    for (int i = 0; i < 3; i++) {
        TnJudgement j = contact(0.5, u[i], lambda[i]);
        CHECK(rms_of(&j) < EXACT && j.natural_map < EXACT && j.cone_error < EXACT);
        CHECK(j.worst == 1);
    }
}

/* D_n = 1/4, D_t = 1/2 */
TEST(what_contacts_do_wrong_is_told_in_metres_per_second)
{
    /* sinks in without a force: FB(-0.3, 0) = -0.6; the map is the velocity itself; the force that
     * the cone would like is 0.3, beside |u| = 0.3 */
    TnJudgement j = contact(0.5, (double[6]){-0.3}, (double[6]){0.0});
    CHECK_NEAR(rms_of(&j), 0.6 / sqrt(3.0), EXACT);
    CHECK_NEAR(j.natural_map, 0.3, EXACT);
    CHECK(j.cone_error > 0.3); /* over |e + J v_free| = |u| here */
    CHECK_NEAR(j.cone_error, 1.0, EXACT);
    /* pulls: λ_n = -1.2 is -0.3 m/s, and nothing may bound friction */
    j = contact(0.0, (double[6]){0.0}, (double[6]){-1.2});
    CHECK_NEAR(rms_of(&j), 0.6 / sqrt(3.0), EXACT);
    CHECK_NEAR(j.natural_map, 0.3, EXACT);
    /* friction of 0.9 with a bound of 0.5 at rest: 0.4 / 2 beyond it; FB(0, -0.2) = -0.4 */
    j = contact(0.5, (double[6]){0.0}, (double[6]){1.0, 0.9});
    CHECK_NEAR(rms_of(&j), 0.4 / sqrt(3.0), EXACT);
    CHECK_NEAR(j.natural_map, 0.2, EXACT);
    /* slides at 0.7 under full friction at right angles: |0.7 · (0, 0.25) + 0.25 · (0.7, 0)| over
     * 0.7 + 0.25 */
    j = contact(0.5, (double[6]){0.0, 0.7, 0.0}, (double[6]){1.0, 0.0, 0.5});
    CHECK_NEAR(rms_of(&j), 0.7 * 0.25 * sqrt(2.0) / 0.95 / sqrt(3.0), EXACT);
    /* slides frictionless: FB(0.7, 0.25) and 0.25 · 0.7 / 0.95 */
    j = contact(0.5, (double[6]){0.0, 0.7}, (double[6]){1.0});
    CHECK_NEAR(rms_of(&j), hypot(0.95 - hypot(0.7, 0.25), 0.175 / 0.95) / sqrt(3.0), EXACT);
}

/* A sliding contact that lifts off by μ|u_t| solves the relaxed problem, and not this one. */
TEST(lifting_off_while_sliding_is_an_error)
{
    TnJudgement j = contact(0.5, (double[6]){0.35, 0.7}, (double[6]){1.0, -0.5});
    CHECK_NEAR(j.natural_map, 0.25, 0.2);
    CHECK(j.natural_map > 0.2 && j.cone_error > 0.1);
}

static TnJudgement row(TnConstraintDef c, double u, double lambda)
{
    return judge_tiny(&c, 1, (double[6]){u}, (double[6]){lambda});
}

TEST(rows_of_every_set_by_hand)
{
    TnJudgement j = row((TnConstraintDef){.set = TN_SET_EQUALITY}, -0.2, 5.0);
    CHECK_NEAR(rms_of(&j), 0.2, EXACT);
    CHECK_NEAR(j.natural_map, 0.2, EXACT);
    j = row((TnConstraintDef){.set = TN_SET_INEQUALITY}, 0.7, 0.8); /* min(0.7, 0.8/4) */
    CHECK_NEAR(rms_of(&j), 0.2, EXACT);
    CHECK_NEAR(j.natural_map, 0.2, EXACT);
    j = row((TnConstraintDef){.set = TN_SET_INEQUALITY}, -0.7, 0.8);
    CHECK_NEAR(rms_of(&j), 0.7, EXACT);
    CHECK(row((TnConstraintDef){.set = TN_SET_INEQUALITY}, 0.7, 0.0).natural_map == 0.0);
    TnConstraintDef box = {.set = TN_SET_BOX, .lower = -1.0, .upper = 2.0};
    CHECK(row(box, 0.7, -1.0).natural_map == 0.0); /* moves on at the bound that pushes back */
    CHECK(row(box, -0.7, 2.0).natural_map == 0.0);
    CHECK_NEAR(row(box, 0.7, 2.0).natural_map, 0.7, EXACT);
    CHECK_NEAR(row(box, 0.7, 1.0).natural_map, 0.5, EXACT); /* (1 - -1) / 4 is nearer */
    CHECK_NEAR(row(box, 0.0, 3.0).natural_map, 0.25, EXACT);
    /* λ = -k (e + α v); with v = (0.3 + λ)/4 and e = u - v */
    TnConstraintDef soft = {.set = TN_SET_SOFT, .k = 3.0, .alpha = 0.4};
    double v = (0.3 + 0.9) / 4.0, e = 0.5 - v, wrong = 0.9 + 3.0 * (e + 0.4 * v);
    j = row(soft, 0.5, 0.9);
    CHECK_NEAR(rms_of(&j), fabs(wrong) / 1.2, EXACT);
    CHECK_NEAR(j.natural_map, fabs(0.25 * wrong) / (1.0 + 0.25 * 1.2), EXACT);
}

/* Spin on the fourth unknown (D 1/4) or roll on the fourth and fifth (D their mean 3/8), bounded by
 * 0.1 λ_n. */
TEST(spins_and_rolls_are_bounded_by_their_contact)
{
    TnConstraintDef laws[2] = {{.set = TN_SET_FRICTION, .mu = 0.5},
                               {.set = TN_SET_SPIN, .mu = 0.1, .contact = 1}};
    double u[6] = {0.0, 0.0, 0.0, 0.6, -0.8}, lambda[6] = {3.0, 0.0, 0.0, -0.3};
    TnJudgement j = judge_tiny(laws, 2, u, lambda);
    CHECK(j.natural_map < EXACT && j.cone_error < EXACT && rms_of(&j) < EXACT);
    lambda[3] = -0.1; /* could be 0.2 more: 0.05 rad/s */
    j = judge_tiny(laws, 2, u, lambda);
    CHECK_NEAR(j.natural_map, 0.05, EXACT);
    CHECK_NEAR(rms_of(&j), 0.05 / 2.0, EXACT);
    CHECK(j.worst == 2 && j.cone_error > 0.01);
    laws[1].set = TN_SET_ROLL;
    lambda[3] = -0.18;
    lambda[4] = 0.24;
    j = judge_tiny(laws, 2, u, lambda);
    CHECK(j.natural_map < EXACT && j.cone_error < EXACT && rms_of(&j) < EXACT);
    lambda[4] = 0.0; /* not against the motion */
    j = judge_tiny(laws, 2, u, lambda);
    CHECK(j.natural_map > 0.05 && j.worst == 2 && j.cone_error > 0.01);
}

TEST(without_constraints_there_are_dynamics_only)
{
    TnSolverDef def = tn_solver_def();
    TnError err = {0};
    TnSolver *solver = tn_solver_create(&def, &err);
    double A[1] = {2.0}, b[1] = {3.0}, v[1] = {1.5}, wrong[1] = {2.0};
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A, .b = b});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    TnJudgement j = judged(solver, NULL, v, NULL, NULL);
    CHECK(isnan(j.aac) && isnan(j.aal) && isnan(j.aav) && j.worst == 0 && j.natural_map == 0.0);
    CHECK(j.dynamics == 0.0 && j.cone_error == 0.0);
    CHECK_NEAR(judged(solver, NULL, wrong, NULL, NULL).dynamics, 0.25, EXACT); /* 1 of 4 */
    tn_solver_destroy(solver);
}
