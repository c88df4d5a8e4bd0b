/* The public solver used again and again: new b, new settings, new starts, more constraints. */
#include "../check.h"

#include "alone_problem.h"
#include "base/base.h"
#include "baselines/baselines.h"

enum { UNKNOWNS = BLOCKS * DIM };
static const Form mixed[BLOCKS] = {FUNCTIONS, DENSE, SPARSE};
static const Form of_functions[BLOCKS] = {FUNCTIONS, FUNCTIONS, FUNCTIONS};

typedef struct Numbers {
    double v[UNKNOWNS], lambda[LAMBDAS];
} Numbers;

static bool same(const Numbers *a, const Numbers *b) { return !memcmp(a, b, sizeof *a); }

/* SubADMM with a fixed count in three variants, then methods with a tolerance. */
static TnSolverDef variant(int k)
{
    TnSolverDef def = tn_solver_def();
    if (k < 3) def.tolerance = 0.0;
    if (k == 1 || k == 2) def.method = TN_METHOD_OWN;
    if (k == 1) def.own = &tn_own_paper_form;
    if (k == 2) def.own = &tn_own_paper_weights;
    if (k == 3) def.method = TN_METHOD_SUBADMM;
    if (k == 4) def.method = TN_METHOD_NEWTON;
    if (k == 5) def.anderson = 4;
    return def;
}
enum { VARIANTS = 7 };

TEST(a_new_solve_from_the_same_start_gives_the_same_bits_as_a_new_solver)
{
    Alone p;
    alone_start(&p, 1);
    for (int k = 0; k < VARIANTS; k++) {
        TnError err = {0};
        TnSolverDef def = variant(k);
        Numbers first, again, warm, other;
        TnSolver *solver = alone_solver(&p, &def, mixed, false, 1, &err);
        REQUIRE(solver);
        tn_solver_solve(solver, p.b, first.v, first.lambda);
        for (int i = 0; i < UNKNOWNS; i++) p.b[i] += 0.1;
        tn_solver_solve(solver, p.b, warm.v, warm.lambda);
        for (int i = 0; i < UNKNOWNS; i++) p.b[i] -= 0.1;
        CHECK(!same(&first, &warm));
        tn_solver_start(solver, NULL, NULL);
        alone_start(&p, 1); /* b was rounded */
        tn_solver_solve(solver, p.b, again.v, again.lambda);
        CHECK(same(&first, &again));
        /* and warm in another solver, from what this one left */
        TnSolver *fresh = alone_solver(&p, &def, mixed, false, 1, &err);
        REQUIRE(fresh);
        tn_solver_start(fresh, first.v, first.lambda);
        tn_solver_solve(fresh, p.b, other.v, other.lambda);
        tn_solver_solve(solver, p.b, again.v, again.lambda);
        CHECK(same(&other, &again));
        tn_solver_solution(solver, warm.v, warm.lambda);
        CHECK(same(&warm, &again));
        tn_solver_destroy(fresh);
        tn_solver_destroy(solver);
    }
}

TEST(users_functions_factor_once_and_solve_twice_per_solve)
{
    Alone p;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    Numbers out;
    alone_start(&p, 2);
    TnSolver *solver = alone_solver(&p, &def, of_functions, false, 2, &err);
    REQUIRE(solver);
    /* rows on each block: every λ of the constraints that touch it, in alone_problem.h */
    const int rows[BLOCKS] = {8, 10, 7};
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(p.matrix[i].factor_calls == 1);
        CHECK(p.matrix[i].solved_vectors == rows[i]);
        CHECK(p.matrix[i].multiply_calls == 0);
    }
    for (int k = 1; k <= 3; k++) {
        p.b[k] += 1.0;
        CHECK(tn_solver_solve(solver, p.b, out.v, out.lambda).converged);
        for (int i = 0; i < BLOCKS; i++) {
            CHECK(p.matrix[i].factor_calls == 1);
            CHECK(p.matrix[i].solved_vectors == rows[i] + 2 * k); /* A⁻¹b, A⁻¹Jᵀλ */
        }
    }
    def.method = TN_METHOD_SUBADMM;
    CHECK(tn_solver_set(solver, &def, &err) == TN_OK);
    CHECK(p.matrix[0].factor_calls == 1 && p.matrix[0].solved_vectors == rows[0] + 6);
    CHECK(tn_solver_prepare(solver, &err) == TN_OK); /* A may have changed */
    CHECK(p.matrix[0].factor_calls == 2);
    tn_solver_destroy(solver);
}

TEST(a_second_solve_starts_where_the_first_ended_and_allocates_nothing_once_warm)
{
    Alone p;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    Numbers first, second;
    alone_start(&p, 3);
    TnSolver *solver = alone_solver(&p, &def, mixed, false, 3, &err);
    REQUIRE(solver);
    def.tolerance = 1e-12; /* so good that the looser tolerance finds nothing to do */
    CHECK(tn_solver_set(solver, &def, &err) == TN_OK);
    CHECK(tn_solver_solve(solver, p.b, first.v, first.lambda).converged);
    def.tolerance = 1e-6;
    CHECK(tn_solver_set(solver, &def, &err) == TN_OK);
    TnSolveReport report = tn_solver_solve(solver, p.b, second.v, second.lambda);
    CHECK(report.converged && report.iterations == 0);
    CHECK(report.islands_by_method[TN_METHOD_AUTO] == 1);
    for (int k = 0; k < LAMBDAS; k++) CHECK_NEAR(second.lambda[k], first.lambda[k], 0.0);
    /* cold and with all of b the memory has grown to what it takes */
    for (int k = 0; k < 3; k++) {
        tn_solver_start(solver, NULL, NULL);
        tn_solver_solve(solver, p.b, first.v, first.lambda);
    }
    long before = tn_malloc_count();
    tn_solver_start(solver, NULL, NULL);
    tn_solver_solve(solver, p.b, first.v, first.lambda);
    CHECK(tn_malloc_count() == before);
    tn_solver_destroy(solver);
}

TEST(another_method_between_solves_gives_what_its_own_solver_would)
{
    Alone p;
    TnError err = {0};
    alone_start(&p, 4);
    TnSolverDef def = tn_solver_def();
    TnSolver *changing = alone_solver(&p, &def, mixed, false, 4, &err);
    REQUIRE(changing);
    for (int k = 0; k < VARIANTS; k++) {
        Numbers a, b;
        def = variant(k);
        def.thread_count = 3; /* stays as it was */
        CHECK(tn_solver_set(changing, &def, &err) == TN_OK);
        def.thread_count = 1;
        TnSolver *own = alone_solver(&p, &def, mixed, false, 4, &err);
        REQUIRE(own);
        tn_solver_start(changing, NULL, NULL);
        tn_solver_solve(changing, p.b, a.v, a.lambda);
        tn_solver_solve(own, p.b, b.v, b.lambda);
        CHECK(same(&a, &b));
        tn_solver_destroy(own);
    }
    def.iterations = -1;
    CHECK(tn_solver_set(changing, &def, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "iterations is -1");
    CHECK(tn_solver_solve(changing, p.b, (Numbers){0}.v, NULL).status == TN_OK);
    tn_solver_destroy(changing);
}

TEST(what_is_added_later_joins_and_the_rest_starts_warm)
{
    const double A[4] = {2, 0, 0, 2}, J[2] = {1, 0}, K[2] = {0, 1}, b[2] = {-3, -4};
    double v[2], lambda[2];
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    TnConstraintDef c = {.set = TN_SET_INEQUALITY, .block = {1}, .J = {J}};
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .A = A, .b = b});
    tn_solver_add_constraint(solver, &c);
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    CHECK(tn_solver_solve(solver, NULL, v, lambda).converged);
    c.J[0] = K;
    tn_solver_add_constraint(solver, &c);
    CHECK(tn_solver_solve(solver, NULL, v, lambda).status == TN_ERROR_USAGE); /* not prepared */
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    tn_solver_solution(solver, v, lambda);
    CHECK_NEAR(lambda[0], 3.0, 1e-6);
    CHECK_NEAR(lambda[1], 0.0, 0.0);
    CHECK(tn_solver_solve(solver, NULL, v, lambda).converged);
    CHECK_NEAR(lambda[1], 4.0, 1e-6);
    tn_solver_destroy(solver);
}

TEST(what_was_added_can_be_read_again)
{
    Alone p;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    alone_start(&p, 5);
    for (int form = 0; form < FORMS; form++) {
        const Form forms[BLOCKS] = {(Form)form, DENSE, DENSE};
        TnSolver *solver = alone_solver(&p, &def, forms, true, 5, &err);
        REQUIRE(solver);
        CHECK(tn_solver_block_count(solver) == BLOCKS);
        CHECK(tn_solver_unknown_count(solver) == UNKNOWNS);
        CHECK(tn_solver_constraint_count(solver) == 10);
        CHECK(tn_solver_lambda_count(solver) == LAMBDAS);
        TnBlockDef block = tn_solver_block(solver, 1);
        CHECK(block.dim == DIM && !block.b);
        const Matrix *m = &p.matrix[0];
        if (form == DENSE) CHECK(!memcmp(block.A, m->A, sizeof m->A) && block.A != m->A);
        if (form == BANDED)
            CHECK(block.bandwidth == WIDTH && !memcmp(block.A_banded, m->banded, sizeof m->banded));
        if (form == SPARSE) CHECK(block.A_sparse->row_start[DIM] == m->row_start[DIM]);
        if (form == INVERSE) CHECK(!memcmp(block.A_inverse, m->inverse, sizeof m->inverse));
        if (form == FUNCTIONS) CHECK(block.functions->context == m);
        TnConstraintDef c = tn_solver_constraint(solver, 8);
        CHECK(c.set == TN_SET_SPIN && c.contact == 1 && c.mu == 0.05 && c.block[1] == 2);
        CHECK(c.column_count[0] == 5 && c.column[0][1] == c.column[0][0] + 2 && !c.block[2]);
        tn_solver_destroy(solver);
    }
}

TEST(constraints_that_contradict_each_other_end_with_a_status_and_finite_numbers)
{
    /* one unknown of a banded pair must be 0 and 1; a wall on each side leaves no room; alone and
     * with every other set around */
    Alone p;
    const double one = 1.0, minus = -1.0;
    const int column = 3;
    for (int k = 0; k < VARIANTS; k++)
        for (int kind = 0; kind < 2; kind++)
            for (int form = 0; form < FORMS; form++) {
                TnError err = {0};
                TnSolverDef def = variant(k);
                const Form forms[BLOCKS] = {(Form)form, DENSE, SPARSE};
                alone_start(&p, 7);
                TnSolver *solver = alone_solver(&p, &def, forms, false, 7, &err);
                REQUIRE(solver);
                for (int side = 0; side < 2; side++)
                    tn_solver_add_constraint(
                        solver,
                        &(TnConstraintDef){.set = kind ? TN_SET_INEQUALITY : TN_SET_EQUALITY,
                                           .block = {1},
                                           .J = {kind && side ? &minus : &one},
                                           .column = {&column},
                                           .column_count = {1},
                                           .e = {kind ? -1.0 : side}});
                REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
                double v[UNKNOWNS], lambda[LAMBDAS + 2];
                for (int again = 0; again < 3; again++) {
                    TnSolveReport report = tn_solver_solve(solver, p.b, v, lambda);
                    CHECK(report.status == TN_OK && report.iterations <= def.iterations);
                    if (def.tolerance > 0.0) CHECK(!report.converged && report.error > 1e-3);
                    CHECK(isfinite(report.residual) && report.aac < 3.0);
                    for (int i = 0; i < UNKNOWNS; i++) CHECK(isfinite(v[i]));
                    for (int i = 0; i < LAMBDAS + 2; i++) CHECK(isfinite(lambda[i]));
                }
                tn_solver_destroy(solver);
            }
}
