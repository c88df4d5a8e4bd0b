/* The public solver's blocks: the same matrix in any form is the same problem. */
#include "../check.h"

#include "alone_problem.h"
#include "methods.h"
#include "solver/alone/solver_parts.h"

static double largest_difference(const double *a, const double *b, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) return INFINITY;
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

typedef struct Answer {
    TnSolveReport report;
    double v[BLOCKS * DIM], lambda[LAMBDAS];
} Answer;

/* start: v and λ; NULL: zero */
static Answer answer_from(Alone *p, const TnSolverDef *def, const Form form[BLOCKS], bool sparse,
                          unsigned seed, const double *start)
{
    Answer a = {.report = {.status = TN_ERROR_MEMORY}};
    TnError err = {0};
    TnSolver *solver = alone_solver(p, def, form, sparse, seed, &err);
    if (!solver) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        return a;
    }
    CHECK(tn_solver_lambda_count(solver) == LAMBDAS);
    if (start) tn_solver_start(solver, start, start);
    a.report = tn_solver_solve(solver, p->b, a.v, a.lambda);
    tn_solver_destroy(solver);
    return a;
}

static Answer answer(Alone *p, const TnSolverDef *def, const Form form[BLOCKS], bool sparse,
                     unsigned seed)
{
    return answer_from(p, def, form, sparse, seed, NULL);
}

/* All of one form, then some mixtures. */
static const Form mixtures[][BLOCKS] = {
    {BANDED, BANDED, BANDED},          {SPARSE, SPARSE, SPARSE}, {INVERSE, INVERSE, INVERSE},
    {FUNCTIONS, FUNCTIONS, FUNCTIONS}, {DENSE, BANDED, SPARSE},  {INVERSE, DENSE, FUNCTIONS},
};
enum { MIXTURES = sizeof mixtures / sizeof *mixtures };
static const Form all_dense[BLOCKS] = {DENSE, DENSE, DENSE};

TEST(one_matrix_in_five_forms_gives_one_solution)
{
    Alone p;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-12;
    for (unsigned seed = 1; seed <= 8; seed++) {
        alone_start(&p, seed);
        Answer dense = answer(&p, &def, all_dense, false, seed);
        CHECK(dense.report.converged);
        for (int k = 0; k < MIXTURES; k++) {
            Answer other = answer(&p, &def, mixtures[k], false, seed);
            CHECK(other.report.converged);
            /* errors of 1e-12 in velocities, entries and compliances about 1 */
            CHECK_NEAR(largest_difference(dense.v, other.v, BLOCKS * DIM), 0.0, 1e-10);
            CHECK_NEAR(largest_difference(dense.lambda, other.lambda, LAMBDAS), 0.0, 1e-10);
        }
    }
}

TEST(every_method_solves_every_form)
{
    /* NNewton promises no convergence */
    Alone p;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-12;
    alone_start(&p, 2);
    Answer dense = answer(&p, &def, all_dense, false, 2);
    def.tolerance = 1e-9;
    def.iterations = 20000;
    for (int m = 0; m < METHODS; m++) {
        TnMethod method = def.method = methods[m].method;
        def.own = methods[m].own;
        if (method == TN_METHOD_AUTO || def.own == &tn_own_nnewton) continue;
        for (int k = 0; k < MIXTURES; k++) {
            Answer other = answer(&p, &def, mixtures[k], false, 2);
            CHECK(other.report.converged);
            int own = other.report.islands_by_method[method];
            if (method == TN_METHOD_NEWTON) /* by what it calls */
                own += other.report.islands_by_method[TN_METHOD_INTERIOR] +
                       other.report.islands_by_method[TN_METHOD_PROXIMAL];
            CHECK(own == 1);
            /* the tolerance times what the worst direction amplifies it by */
            CHECK_NEAR(largest_difference(dense.v, other.v, BLOCKS * DIM), 0.0, 1e-7);
            CHECK_NEAR(largest_difference(dense.lambda, other.lambda, LAMBDAS), 0.0, 1e-7);
        }
    }
}

TEST(a_condensed_block_takes_the_same_iterations_with_its_own_velocities)
{
    /* condensing changes coordinates, no iterate; 12 iterations are far from converged */
    Alone p;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 0.0;
    def.iterations = 12;
    for (int form = 0; form < 2; form++) {
        def.method = form ? TN_METHOD_OWN : TN_METHOD_SUBADMM;
        def.own = &tn_own_paper_form;
        alone_start(&p, 3);
        const double *start = p.b; /* as good as any */
        Answer dense = answer_from(&p, &def, all_dense, false, 3, start);
        CHECK(dense.report.iterations == 12 && dense.report.aac < 4.0);
        for (int k = 0; k < MIXTURES; k++) {
            Answer other = answer_from(&p, &def, mixtures[k], false, 3, start);
            CHECK_NEAR(other.report.aac, dense.report.aac, 1e-6);
            /* rounding, 12 times */
            CHECK_NEAR(largest_difference(dense.v, other.v, BLOCKS * DIM), 0.0, 1e-11);
            CHECK_NEAR(largest_difference(dense.lambda, other.lambda, LAMBDAS), 0.0, 1e-11);
        }
    }
}

TEST(a_solution_with_few_columns_of_J_is_bit_for_bit_that_with_zeros_between)
{
    Alone p;
    for (int fixed = 0; fixed < 2; fixed++) {
        TnSolverDef def = tn_solver_def();
        if (fixed) def.tolerance = 0.0;
        alone_start(&p, 5);
        for (int k = -1; k < MIXTURES; k++) {
            const Form *form = k < 0 ? all_dense : mixtures[k];
            Answer full = answer(&p, &def, form, false, 5), few = answer(&p, &def, form, true, 5);
            CHECK(!memcmp(full.v, few.v, sizeof full.v));
            CHECK(!memcmp(full.lambda, few.lambda, sizeof full.lambda));
        }
    }
}

TEST(columns_may_come_in_any_order_and_a_block_twice)
{
    const double A[9] = {2, 0, 0, 0, 3, 0, 0, 0, 5}, J[2] = {7.0, 4.0}, e = 1.0;
    const double half[2] = {3.5, 2.0}, other[3] = {2.0, 0.0, 3.5};
    const int column[2] = {2, 0};
    for (int twice = 0; twice < 2; twice++) {
        TnError err = {0};
        TnSolverDef def = tn_solver_def();
        def.tolerance = 1e-13;
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A = A});
        tn_solver_add_constraint(solver, &(TnConstraintDef){.block = {1, twice},
                                                            .J = {twice ? half : J, other},
                                                            .column = {column},
                                                            .column_count = {2},
                                                            .e = {e}});
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        double v[3], lambda, expected = -e / (7.0 * 7.0 / 5.0 + 4.0 * 4.0 / 2.0);
        CHECK(tn_solver_solve(solver, NULL, v, &lambda).converged);
        CHECK_NEAR(lambda, expected, 1e-14); /* one row: one division */
        CHECK_NEAR(v[0], 4.0 * expected / 2.0, 1e-14);
        CHECK_NEAR(v[1], 0.0, 0.0);
        CHECK_NEAR(v[2], 7.0 * expected / 5.0, 1e-14);
        tn_solver_destroy(solver);
    }
}

TEST(A_and_its_inverse_undo_each_other_in_every_form)
{
    Alone p;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    enum { COUNT = 37 }; /* more than are solved at a time */
    double x[COUNT * DIM], y[COUNT * DIM];
    unsigned seed = 9;
    alone_start(&p, 4);
    for (int form = 0; form < FORMS; form++) {
        const Form forms[BLOCKS] = {(Form)form, DENSE, DENSE};
        TnSolver *solver = alone_solver(&p, &def, forms, false, 4, &err);
        REQUIRE(solver);
        for (int i = 0; i < COUNT * DIM; i++) x[i] = alone_random(&seed);
        for (int k = 0; k < COUNT; k++)
            if (!tn_solver_multiply(solver, 0, x + k * DIM, y + k * DIM)) {
                CHECK(form == INVERSE);
                call_multiply(&p.matrix[0], x + k * DIM, y + k * DIM);
            }
        tn_solver_solve_A(solver, 0, y, COUNT);
        CHECK_NEAR(largest_difference(x, y, COUNT * DIM), 0.0, 1e-14); /* condition number < 10 */
        tn_solver_destroy(solver);
    }
}

TEST(what_a_singular_inverse_does_not_allow_does_not_move)
{
    /* three unknowns, A⁻¹ of rank 1: only (1, 2, 0) moves. A contact pushes against it, an equality
     * on unknown 2 cannot be fulfilled by any force and takes none */
    const double direction[3] = {1.0, 2.0, 0.0}, J[3] = {1.0, 0.0, 0.0}, K[3] = {0.0, 0.0, 1.0};
    double W[9], v[3], lambda[2];
    for (int i = 0; i < 9; i++) W[i] = direction[i / 3] * direction[i % 3];
    const double b[3] = {-1.0, -1.0, 5.0};
    for (int fixed = 0; fixed < 2; fixed++) {
        TnError err = {0};
        TnSolverDef def = tn_solver_def();
        def.tolerance = fixed ? 0.0 : 1e-12;
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A_inverse = W});
        tn_solver_add_constraint(
            solver,
            &(TnConstraintDef){.set = TN_SET_INEQUALITY, .block = {1}, .J = {J}, .e = {1.0}});
        tn_solver_add_constraint(
            solver, &(TnConstraintDef){.set = TN_SET_EQUALITY, .block = {1}, .J = {K}});
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        TnSolveReport report = tn_solver_solve(solver, b, v, lambda);
        CHECK(report.status == TN_OK);
        /* v_free = -3 (1, 2, 0); v_0 = -1 by λ = 2 */
        CHECK_NEAR(lambda[0], 2.0, 1e-8); /* 60 iterations by -0.7 each leave 1e-9 */
        CHECK_NEAR(lambda[1], 0.0, 0.0);
        for (int i = 0; i < 3; i++) CHECK_NEAR(v[i], -direction[i], 1e-8);
        tn_solver_destroy(solver);
    }
}

TEST(rows_that_are_sums_of_others_add_no_unknowns)
{
    /* ten equalities in two directions over a banded block: λ is not unique, v is */
    const double A[6] = {2.0, 3.0, 4.0, 1.0, 1.0, 0.0}, b[3] = {1.0, 2.0, 3.0};
    const double J[2][3] = {{1.0, -1.0, 2.0}, {0.3, 0.4, -0.1}};
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-12;
    double v[2][3], lambda[10];
    for (int times = 0; times < 2; times++) {
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        tn_solver_add_block(solver, &(TnBlockDef){.dim = 3, .A_banded = A, .bandwidth = 1});
        for (int i = 0; i < (times ? 10 : 2); i++) {
            double row[3], c = times ? cos(i + 1.0) : 1.0 - i, s = times ? sin(i + 1.0) : i;
            for (int k = 0; k < 3; k++) row[k] = c * J[0][k] + s * J[1][k];
            tn_solver_add_constraint(solver, &(TnConstraintDef){.block = {1}, .J = {row}});
        }
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        CHECK(solver->problem.large_count == 1 && solver->problem.large[0].dim == 2);
        CHECK(tn_solver_solve(solver, b, v[times], lambda).converged);
        tn_solver_destroy(solver);
    }
    CHECK_NEAR(largest_difference(v[0], v[1], 3), 0.0, 1e-11);
}

TEST(a_dense_block_of_many_unknowns_and_few_rows_is_solved_on_its_rows)
{
    /* with the paper's weights it is not, and the solution is the same */
    enum { N = 80, ROWS = 12 };
    static double A[N * N], J[ROWS][N], b[N], v[2][N];
    unsigned seed = 2;
    double lambda[2][ROWS];
    for (int i = 0; i < N; i++) {
        b[i] = alone_random(&seed);
        for (int j = 0; j <= i; j++)
            A[i * N + j] = A[j * N + i] = 0.1 * alone_random(&seed) + (i == j ? 10.0 : 0.0);
    }
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) J[r][i] = alone_random(&seed);
    for (int paper = 0; paper < 2; paper++) {
        TnError err = {0};
        TnSolverDef def = tn_solver_def();
        def.tolerance = 1e-12;
        def.iterations = 10000;
        def.method = paper ? TN_METHOD_OWN : TN_METHOD_NEWTON; /* which is not condensed */
        def.own = &tn_own_paper_weights;
        TnSolver *solver = tn_solver_create(&def, &err);
        REQUIRE(solver);
        tn_solver_add_block(solver, &(TnBlockDef){.dim = N, .A = A, .b = b});
        for (int r = 0; r < ROWS; r++)
            tn_solver_add_constraint(
                solver, &(TnConstraintDef){
                            .set = TN_SET_INEQUALITY, .block = {1}, .J = {J[r]}, .e = {-0.1}});
        REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
        CHECK(tn_solver_solve(solver, NULL, v[paper], lambda[paper]).converged);
        tn_solver_destroy(solver);
    }
    CHECK_NEAR(largest_difference(v[0], v[1], N), 0.0, 1e-11);
    CHECK_NEAR(largest_difference(lambda[0], lambda[1], ROWS), 0.0, 1e-10);
}

TEST(a_block_that_falls_into_pieces_is_as_many_islands)
{
    /* four unknowns, the first two and the last two coupled; a contact cannot be torn apart */
    const double W[16] = {2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 3}, one = 1.0;
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    REQUIRE(solver);
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 4, .A_inverse = W});
    for (int i = 0; i < 4; i++)
        tn_solver_add_constraint(solver, &(TnConstraintDef){.set = TN_SET_INEQUALITY,
                                                            .block = {1},
                                                            .J = {&one},
                                                            .column = {&i},
                                                            .column_count = {1},
                                                            .e = {-1.0}});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    double v[4], lambda[4];
    TnSolveReport report = tn_solver_solve(solver, NULL, v, lambda);
    CHECK(report.converged && report.island_count == 2);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(v[i], 1.0, 1e-6); /* tolerance 1e-6 */
        CHECK_NEAR(lambda[i], i < 2 ? 1.0 / 3.0 : 0.25, 1e-6);
    }
    const double J[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    tn_solver_add_constraint(
        solver, &(TnConstraintDef){.set = TN_SET_FRICTION, .block = {1}, .J = {J}, .mu = 0.5});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    CHECK(tn_solver_solve(solver, NULL, v, NULL).island_count == 1);
    tn_solver_destroy(solver);
}

TEST(a_contact_between_two_points_of_one_block_is_their_difference)
{
    /* J₁ and J₂ on one block are J₁ + J₂ on it */
    Alone p;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-12;
    unsigned seed = 6;
    double J[2][3 * DIM], sum[3 * DIM], v[2][DIM], lambda[2][3];
    alone_start(&p, 6);
    for (int i = 0; i < 3 * DIM; i++) {
        J[0][i] = alone_random(&seed);
        J[1][i] = alone_random(&seed);
        sum[i] = J[0][i] + J[1][i];
    }
    for (int form = 0; form < FORMS; form++) {
        for (int twice = 0; twice < 2; twice++) {
            TnError err = {0};
            TnSolver *solver = tn_solver_create(&def, &err);
            REQUIRE(solver);
            TnBlockDef block = block_in_form(&p.matrix[0], (Form)form);
            tn_solver_add_block(solver, &block);
            TnConstraintDef c = {.set = TN_SET_FRICTION, .mu = 0.3, .e = {-1.0, 0.5, 0.2}};
            c.block[0] = 1;
            c.J[0] = twice ? J[0] : sum;
            c.block[1] = twice;
            c.J[1] = J[1];
            tn_solver_add_constraint(solver, &c);
            REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
            CHECK(tn_solver_solve(solver, p.b, v[twice], lambda[twice]).converged);
            tn_solver_destroy(solver);
        }
        CHECK(!memcmp(v[0], v[1], sizeof v[0]) && !memcmp(lambda[0], lambda[1], sizeof lambda[0]));
    }
}
