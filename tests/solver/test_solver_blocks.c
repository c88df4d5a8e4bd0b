/* The public solver's blocks: the same matrix in any form is the same problem. */
#include "../check.h"

#include "alone_problem.h"
#include "solver/solver_blocks.h"

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

static Answer answer(Alone *p, const TnSolverDef *def, const Form form[BLOCKS], bool sparse,
                     unsigned seed)
{
    Answer a = {.report = {.status = TN_ERROR_MEMORY}};
    TnError err = {0};
    TnSolver *solver = alone_solver(p, def, form, sparse, seed, &err);
    if (!solver) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        return a;
    }
    CHECK(tn_solver_lambda_count(solver) == LAMBDAS);
    a.report = tn_solver_solve(solver, p->b, a.v, a.lambda);
    tn_solver_destroy(solver);
    return a;
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

TEST(a_condensed_block_takes_the_same_iterations_with_its_own_velocities)
{
    /* condensing changes coordinates, no iterate; 12 iterations are far from converged */
    Alone p;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 0.0;
    def.iterations = 12;
    for (int form = 0; form < 2; form++) {
        def.form = form ? TN_ADMM_PAPER : TN_ADMM_REDUCED;
        alone_start(&p, 3);
        Answer dense = answer(&p, &def, all_dense, false, 3);
        CHECK(dense.report.iterations == 12 && dense.report.aac < 4.0);
        for (int k = 0; k < MIXTURES; k++) {
            Answer other = answer(&p, &def, mixtures[k], false, 3);
            CHECK_NEAR(other.report.aac, dense.report.aac, 1e-6);
            /* rounding, 12 times */
            CHECK_NEAR(largest_difference(dense.v, other.v, BLOCKS * DIM), 0.0, 1e-11);
            CHECK_NEAR(largest_difference(dense.lambda, other.lambda, LAMBDAS), 0.0, 1e-11);
        }
    }
}
