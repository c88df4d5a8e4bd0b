/* What the public solver refuses, and in which words. */
#include "../check.h"

#include "alone_problem.h"
#include "base/base.h"

static void check_block(const TnBlockDef *block, const char *words)
{
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    tn_solver_add_block(solver, block);
    CHECK(tn_solver_prepare(solver, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "block 1: ");
    CHECK_STR(err.message, words);
    double v[2];
    CHECK(tn_solver_solve(solver, NULL, v, NULL).status == TN_ERROR_USAGE);
    tn_solver_destroy(solver);
}

static bool never(void *context)
{
    (void)context;
    return false;
}
static void leave(void *context, double *x, int count) { (void)context, (void)x, (void)count; }
static void lopsided(void *context, double *x, int count)
{
    (void)context;
    for (int k = 0; k < count; k++) x[2 * k + 1] = -x[2 * k + 1];
}

TEST(a_block_is_given_in_exactly_one_form)
{
    const double A[4] = {1, 0, 0, 1};
    check_block(&(TnBlockDef){.dim = 2}, "A is given in 0 forms");
    check_block(&(TnBlockDef){.A = A}, "dim is 0");
    check_block(&(TnBlockDef){.dim = 2, .A = A, .A_inverse = A}, "A is given in 2 forms");
    check_block(&(TnBlockDef){.dim = 2, .functions = &(TnBlockFunctions){0}}, "must include solve");
}

TEST(numbers_of_a_block_are_finite_and_its_matrix_symmetric_and_positive)
{
    const double bad[4] = {1, NAN, NAN, 1}, odd[4] = {1, 0.5, 0, 1}, negative[4] = {1, 2, 2, 1};
    const double fine[4] = {1, 0, 0, 1}, below[4] = {1, 0, 0, -1}, infinite[2] = {0, INFINITY};
    check_block(&(TnBlockDef){.dim = 2, .A = bad}, "A has a number that is not finite");
    check_block(&(TnBlockDef){.dim = 2, .A = odd}, "A is not symmetric at (1, 0)");
    check_block(&(TnBlockDef){.dim = 2, .A = negative}, "A is not positive definite");
    check_block(&(TnBlockDef){.dim = 2, .A = fine, .b = infinite}, "b has a number that is not");
    check_block(&(TnBlockDef){.dim = 2, .A_inverse = bad}, "A_inverse has a number that is not");
    check_block(&(TnBlockDef){.dim = 2, .A_inverse = odd}, "A_inverse is not symmetric");
    check_block(&(TnBlockDef){.dim = 2, .A_banded = fine, .bandwidth = 2}, "bandwidth is 2");
    check_block(&(TnBlockDef){.dim = 2, .A_banded = fine, .bandwidth = -1}, "bandwidth is -1");
    check_block(&(TnBlockDef){.dim = 2, .A_banded = below + 2, .bandwidth = 0},
                "A is not positive definite");
    check_block(&(TnBlockDef){.dim = 2, .functions = &(TnBlockFunctions){NULL, never, leave, NULL}},
                "A is not positive definite");
}

TEST(a_sparse_block_has_rising_columns_both_triangles_and_a_diagonal)
{
    const int starts[3] = {0, 2, 4}, one[3] = {0, 1, 2}, late[3] = {1, 2, 4}, falls[3] = {0, 2, 1};
    const int both[4] = {0, 1, 0, 1}, swapped[4] = {1, 0, 0, 1}, outside[4] = {0, 2, 0, 1};
    const int off[2] = {1, 0};
    const double value[4] = {2, 1, 1, 2}, odd[4] = {2, 1, 0.5, 2}, negative[4] = {1, 2, 2, 1};
    const double infinite[4] = {2, 1, 1, INFINITY};
    const struct {
        TnSparseMatrix A;
        const char *words;
    } cases[] = {
        {{starts, NULL, value}, "needs row_start, column and value"},
        {{late, both, value}, "row_start begins with 1"},
        {{falls, both, value}, "row_start decreases after row 1"},
        {{starts, swapped, value}, "has column 0 in row 0; columns must increase"},
        {{starts, outside, value}, "has column 2 in row 0"},
        {{one, off, value}, "no diagonal in row 0"},
        {{starts, both, odd}, "A_sparse is not symmetric at (0, 1)"},
        {{starts, both, infinite}, "not finite"},
        {{starts, both, negative}, "A is not positive definite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_block(&(TnBlockDef){.dim = 2, .A_sparse = &cases[i].A}, cases[i].words);
}

static void check_constraints(const TnBlockDef *block, const TnConstraintDef *defs, int count,
                              const char *words)
{
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    for (int i = 0; i < 3; i++) tn_solver_add_block(solver, block);
    for (int i = 0; i < count; i++) tn_solver_add_constraint(solver, &defs[i]);
    CHECK(tn_solver_prepare(solver, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, words);
    tn_solver_destroy(solver);
}

TEST(an_inverse_or_solve_that_is_not_positive_is_found_by_the_rows_that_see_it)
{
    const double negative[4] = {1, 0, 0, -1}, mixed[4] = {1, 2, 2, 1}, I[2][2] = {{1, 0}, {0, 1}};
    const TnConstraintDef rows[2] = {{.block = {1}, .J = {I[0]}}, {.block = {1}, .J = {I[1]}}};
    const TnBlockFunctions odd = {NULL, NULL, lopsided, NULL};
    check_constraints(&(TnBlockDef){.dim = 2, .A_inverse = negative}, rows, 2,
                      "block 1: A_inverse is not positive semidefinite");
    check_constraints(&(TnBlockDef){.dim = 2, .A_inverse = mixed}, rows, 2,
                      "block 1: A_inverse is not positive semidefinite");
    check_constraints(&(TnBlockDef){.dim = 2, .functions = &odd}, rows, 2,
                      "block 1: solve gives no symmetric positive definite");
}

TEST(a_constraint_says_what_is_wrong_with_it)
{
    const double A[4] = {1, 0, 0, 1}, J[6] = {1, 0, 0, 1, 1, 1}, bad[2] = {NAN, 0};
    const TnBlockDef block = {.dim = 2, .A = A};
    const int twice[2] = {1, 1}, outside[2] = {0, 2};
    const struct {
        TnConstraintDef def;
        const char *words;
    } cases[] = {
        {{.set = (TnSet)17, .block = {1}, .J = {J}}, "unknown set 17"},
        {{.block = {0}}, "has no block"},
        {{.block = {4}, .J = {J}}, "side 1 needs a block added before and its J"},
        {{.block = {1, 2}, .J = {J}}, "side 2 needs a block added before and its J"},
        {{.block = {1}, .J = {bad}}, "J of side 1 has a number that is not finite"},
        {{.block = {1}, .J = {J}, .e = {INFINITY}}, "e has a number that is not finite"},
        {{.block = {1}, .J = {J}, .column = {twice}, .column_count = {2}}, "column 1"},
        {{.block = {1}, .J = {J}, .column = {outside}, .column_count = {2}},
         "column 2; columns must be 0"},
        {{.block = {1}, .J = {J}, .column = {outside}, .column_count = {3}}, "has 3 columns"},
        {{.set = TN_SET_FRICTION, .block = {1, 2, 3}, .J = {J, J, J}}, "at most two blocks"},
        {{.set = TN_SET_FRICTION, .block = {1}, .J = {J}, .mu = NAN}, "mu is nan"},
        {{.set = TN_SET_SOFT, .block = {1}, .J = {J}, .k = 1.0}, "k > 0 and alpha > 0"},
        {{.set = TN_SET_BOX, .block = {1}, .J = {J}, .lower = 1.0}, "lower is above upper"},
        {{.set = TN_SET_BOX, .block = {1}, .J = {J}, .lower = NAN}, "lower is above upper"},
        {{.set = TN_SET_SPIN, .block = {1}, .J = {J}, .contact = 1}, "contact is 1, must be a"},
        {{.set = TN_SET_ROLL, .block = {1}, .J = {J}}, "contact is 0, must be a friction"},
        {{.set = TN_SET_ROLL, .block = {1}, .J = {J}, .mu = -1.0}, "mu is -1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_constraints(&block, &cases[i].def, 1, cases[i].words);
    const TnConstraintDef later[2] = {{.set = TN_SET_EQUALITY, .block = {1}, .J = {J}},
                                      {.set = TN_SET_SPIN, .block = {1}, .J = {J}, .contact = 1}};
    check_constraints(&block, later, 2, "constraint 2: contact is 1, must be a friction");
}

TEST(a_right_side_that_is_not_finite_solves_nothing)
{
    Alone p;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    const Form forms[BLOCKS] = {DENSE, BANDED, SPARSE};
    double v[BLOCKS * DIM];
    alone_start(&p, 1);
    TnSolver *solver = alone_solver(&p, &def, forms, false, 1, &err);
    REQUIRE(solver);
    p.b[30] = NAN;
    CHECK(tn_solver_solve(solver, p.b, v, NULL).status == TN_ERROR_USAGE);
    p.b[30] = 0.0;
    CHECK(tn_solver_solve(solver, p.b, v, NULL).converged);
    tn_solver_destroy(solver);
}

TEST(every_failed_allocation_with_any_form_is_an_error_and_leaks_nothing)
{
    /* leaks are for the address sanitizer to see */
    static Alone p;
    const Form forms[2][BLOCKS] = {{DENSE, BANDED, SPARSE}, {INVERSE, FUNCTIONS, SPARSE}};
    TnSolverDef def = tn_solver_def();
    def.tolerance = 0.0; /* all of it that can fail is in preparation */
    def.iterations = 1;
    alone_start(&p, 1);
    for (int k = 0; k < 2; k++) {
        bool done = false;
        for (long calls = 0; !done && calls < 2000; calls++) {
            TnError err = {0};
            double v[BLOCKS * DIM];
            tn_malloc_fail_after(calls);
            TnSolver *solver = alone_solver(&p, &def, forms[k], true, 1, &err);
            TnStatus status = TN_ERROR_MEMORY;
            if (solver)
                status = tn_solver_solve(solver, p.b, v, NULL).status;
            else
                CHECK(err.count > 0);
            done = status == TN_OK;
            CHECK(done || status == TN_ERROR_MEMORY);
            tn_malloc_fail_after(-1);
            tn_solver_destroy(solver);
        }
        CHECK(done);
    }
}
