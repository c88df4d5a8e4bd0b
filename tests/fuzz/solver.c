/* solver.c: problems of the solver, from files and from calls, solved and judged.
 *
 * What a solve calls converged, the judge, which looks at the problem alone, has to confirm. */
#include "fuzz.h"

#include <math.h>
#include <string.h>
#include <tenon/problem_file.h>

/* The error that a solve may claim at most so wrongly: both sum the same rows in another order, of
 * forces that may be much larger than what is left of them. */
static double slack(const double *lambda, int count)
{
    double largest = 1.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(lambda[i]));
    return 1e-8 * largest;
}

static void solve_and_judge(TnSolver *solver, const TnSolverDef *def, double well_scaled)
{
    TnError err = {0};
    TnJudgement judgement;
    int unknowns = tn_solver_unknown_count(solver), rows = tn_solver_lambda_count(solver);
    double *v = calloc((size_t)unknowns + 1, sizeof *v);
    double *lambda = calloc((size_t)rows + 1, sizeof *lambda);
    FUZZ_CHECK(v && lambda);
    TnSolveReport report = tn_solver_solve(solver, NULL, v, lambda);
    for (int i = 0; i < unknowns; i++) FUZZ_CHECK(isfinite(v[i]));
    for (int i = 0; i < rows; i++) FUZZ_CHECK(isfinite(lambda[i]));
    if (report.status == TN_OK &&
        tn_solver_judge(solver, NULL, v, lambda, NULL, &judgement, &err) == TN_OK &&
        well_scaled > 0.0 && report.converged && def->tolerance > 0.0)
        FUZZ_CHECK(judgement.natural_map <=
                   1.01 * def->tolerance * def->velocity_scale + slack(lambda, rows) * well_scaled);
    free(v);
    free(lambda);
}

static bool is_small(const TnProblemFileInfo *info)
{
    return info->unknowns <= 200 && info->rows <= 200;
}

void fuzz_problem(const uint8_t *data, size_t size)
{
    TnError err = {0};
    FuzzFile file = fuzz_file(data, size);
    TnProblemFile *problem = tn_problem_read(file.path, &err);
    FUZZ_CHECK(problem || err.count > 0);
    if (problem) {
        TnProblemFileInfo info = tn_problem_file_info(problem);
        TnSolverDef def = tn_solver_def();
        def.iterations = 50;
        TnSolver *solver = tn_problem_solver(problem, &def, &err);
        if (solver && is_small(&info) && tn_solver_prepare(solver, &err) == TN_OK) {
            tn_problem_start(problem, solver);
            solve_and_judge(solver, &def, 0.0);
        }
        tn_solver_destroy(solver);
        tn_problem_file_destroy(problem);
    }
    fuzz_file_close(&file);
}

/* ---- from calls ---- */

enum { MOST_DIM = 6 };

/* B Bᵀ + I: its condition stays below 1e4. */
static void choose_block(FuzzBytes *b, TnSolver *solver, int dims[], int *count)
{
    double B[MOST_DIM * MOST_DIM], A[MOST_DIM * MOST_DIM], right[MOST_DIM];
    int n = 1 + fuzz_pick(b, MOST_DIM);
    for (int i = 0; i < n * n; i++) B[i] = fuzz_real(b, -2.0, 2.0);
    for (int i = 0; i < n; i++) {
        right[i] = fuzz_real(b, -10.0, 10.0);
        for (int j = 0; j < n; j++) {
            A[i * n + j] = i == j;
            for (int k = 0; k < n; k++) A[i * n + j] += B[i * n + k] * B[j * n + k];
        }
    }
    TnBlockDef def = {.dim = n, .A = A, .b = right};
    dims[(*count)++] = n;
    tn_solver_add_block(solver, &def);
}

static void choose_constraint(FuzzBytes *b, TnSolver *solver, const int dims[], int blocks,
                              int *friction)
{
    double J[2][3 * MOST_DIM];
    TnConstraintDef c = {.set = (TnSet)fuzz_pick(b, TN_SET_ROLL + 1)};
    if (c.set >= TN_SET_SPIN && !*friction) c.set = TN_SET_FRICTION;
    int rows = c.set == TN_SET_FRICTION ? 3 : c.set == TN_SET_ROLL ? 2 : 1;
    for (int s = 0; s < 1 + fuzz_pick(b, 2); s++) {
        int block = fuzz_pick(b, blocks);
        if (s && c.block[0] == block + 1) break;
        c.block[s] = block + 1;
        c.J[s] = J[s];
        for (int i = 0; i < rows * dims[block]; i++) J[s][i] = fuzz_real(b, -1.0, 1.0);
    }
    for (int k = 0; k < rows; k++) c.e[k] = fuzz_real(b, -3.0, 3.0);
    c.mu = fuzz_real(b, 0.0, 2.0);
    c.contact = *friction;
    c.k = fuzz_real(b, 1.0, 1000.0);
    c.alpha = fuzz_real(b, 0.01, 0.1);
    c.lower = fuzz_real(b, -5.0, 0.0);
    c.upper = c.lower + fuzz_real(b, 0.0, 5.0);
    TnConstraintId id = tn_solver_add_constraint(solver, &c);
    if (c.set == TN_SET_FRICTION) *friction = id;
}

void fuzz_solver(const uint8_t *data, size_t size)
{
    static const double tolerances[] = {1e-3, 1e-6, 1e-9};
    FuzzBytes b = {data, size};
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    def.method = (TnMethod)fuzz_pick(&b, TN_METHOD_CHOICES);
    def.tolerance = tolerances[fuzz_pick(&b, 3)];
    def.iterations = 1 + fuzz_pick(&b, 200);
    TnSolver *solver = tn_solver_create(&def, &err);
    FUZZ_CHECK(solver);
    int dims[8], blocks = 0, friction = 0;
    for (int i = 1 + fuzz_pick(&b, 8); i > 0; i--) choose_block(&b, solver, dims, &blocks);
    for (int i = 1 + fuzz_pick(&b, 16); i > 0; i--)
        choose_constraint(&b, solver, dims, blocks, &friction);
    if (tn_solver_prepare(solver, &err) == TN_OK)
        solve_and_judge(solver, &def, 1.0);
    else
        FUZZ_CHECK(err.count > 0);
    tn_solver_destroy(solver);
}
