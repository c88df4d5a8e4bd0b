/* tenon's own problem files: what was added comes back bit for bit, whichever kind of block or
 * constraint; messages name the line; a Siconos file becomes one, too. */
#include "../check.h"
#include "base/base.h"
#include "io/problem/problem_file.h"

#include <locale.h>
#include <unistd.h>

static TnError err;
#define DATA TENON_SOURCE_DIR "/tests/io/data/problems/"

static const char *temporary(int k)
{
    static char path[2][64];
    snprintf(path[k], sizeof path[k], "/tmp/tenon_own_%d_%d.tnp", (int)getpid(), k);
    return path[k];
}

static char *load(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (in) CHECK(fread(text, 1, (1 << 16) - 1, in) > 0);
    if (in) fclose(in);
    CHECK(in);
    return text;
}

/* A prepared solver of a file, its start set; NULL and a failed check. */
static TnSolver *solver_of(const char *path)
{
    TnSolverDef def = tn_solver_def();
    err = (TnError){0};
    TnProblemFile *file = tn_problem_read(path, &err);
    TnSolver *solver = file ? tn_problem_solver(file, &def, &err) : NULL;
    if (!solver || tn_solver_prepare(solver, &err) != TN_OK) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        tn_solver_destroy(solver);
        solver = NULL;
    } else {
        tn_problem_start(file, solver);
    }
    tn_problem_file_destroy(file);
    return solver;
}

/* As bits. */
static bool same(const double *a, const double *b, size_t count)
{
    return (!a && !b) || (a && b && !memcmp(a, b, count * sizeof *a));
}

static void check_same_problem(const TnSolver *a, const TnSolver *b)
{
    int blocks = tn_solver_block_count(a), constraints = tn_solver_constraint_count(a);
    CHECK(tn_solver_block_count(b) == blocks && tn_solver_constraint_count(b) == constraints);
    for (int i = 1; i <= blocks; i++) {
        TnBlockDef x = tn_solver_block(a, i), y = tn_solver_block(b, i);
        size_t n = (size_t)x.dim;
        CHECK(x.dim == y.dim && x.bandwidth == y.bandwidth);
        CHECK(same(x.A, y.A, n * n) && same(x.A_inverse, y.A_inverse, n * n));
        CHECK(same(x.A_banded, y.A_banded, n * ((size_t)x.bandwidth + 1)));
        for (size_t k = 0; k < n; k++) /* none at all is zero, and written so */
            CHECK((x.b ? x.b[k] : 0.0) == (y.b ? y.b[k] : 0.0));
        CHECK(!x.A_sparse == !y.A_sparse);
        if (!x.A_sparse || !y.A_sparse) continue;
        size_t entries = (size_t)x.A_sparse->row_start[n];
        CHECK(!memcmp(x.A_sparse->row_start, y.A_sparse->row_start, (n + 1) * sizeof(int)));
        CHECK(!memcmp(x.A_sparse->column, y.A_sparse->column, entries * sizeof(int)));
        CHECK(same(x.A_sparse->value, y.A_sparse->value, entries));
    }
    for (int i = 1; i <= constraints; i++) {
        TnConstraintDef x = tn_solver_constraint(a, i), y = tn_solver_constraint(b, i);
        size_t rows = (size_t)tn_problem_rows(x.set);
        CHECK(x.set == y.set && x.mu == y.mu && x.contact == y.contact && x.k == y.k);
        CHECK(x.alpha == y.alpha && x.lower == y.lower && x.upper == y.upper);
        CHECK(x.lever == y.lever);
        CHECK(same(x.e, y.e, rows));
        for (int s = 0; s < TN_MAX_SIDES && x.block[s]; s++) {
            CHECK(x.block[s] == y.block[s] && !x.column[s] == !y.column[s]);
            size_t columns = x.column[s] ? (size_t)x.column_count[s]
                                         : (size_t)tn_solver_block(a, x.block[s]).dim;
            CHECK(same(x.J[s], y.J[s], rows * columns));
            if (x.column[s]) CHECK(!memcmp(x.column[s], y.column[s], columns * sizeof(int)));
        }
    }
}

TEST(every_kind_of_block_and_constraint_comes_back_bit_for_bit)
{
    TnSolver *first = solver_of(DATA "every_kind.tnp");
    if (!first) return;
    double v[11], lambda[10], again[21];
    for (int i = 0; i < 11; i++) v[i] = 1.0 / (i + 3.0); /* all 53 bits of them */
    for (int i = 0; i < 10; i++) lambda[i] = i % 2 ? -0.0 : 1e-300 / (i + 7.0);
    tn_solver_start(first, v, lambda);
    CHECK(tn_problem_write(first, temporary(0), &err) == TN_OK);
    TnSolver *second = solver_of(temporary(0));
    if (second) {
        check_same_problem(first, second);
        tn_solver_solution(second, again, again + 11);
        CHECK(same(v, again, 11) && same(lambda, again + 11, 10));
        CHECK(tn_problem_write(second, temporary(1), &err) == TN_OK);
        char *one = load(temporary(0)), *two = load(temporary(1));
        CHECK(!strcmp(one, two));
        free(one);
        free(two);
    }
    tn_solver_destroy(first);
    tn_solver_destroy(second);
    unlink(temporary(0));
    unlink(temporary(1));
}

TEST(a_siconos_problem_survives_the_other_format)
{
    static const char *const names[] = {"local_blocks.dat", "global_sparse.dat", "plane.dat",
                                        "rolling.dat"};
    for (int k = 0; k < 4; k++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", names[k]);
        TnSolver *first = solver_of(path);
        if (!first) continue;
        CHECK(tn_problem_write(first, temporary(0), &err) == TN_OK);
        TnSolver *second = solver_of(temporary(0));
        if (second) check_same_problem(first, second);
        tn_solver_destroy(first);
        tn_solver_destroy(second);
        unlink(temporary(0));
    }
}

TEST(every_small_problem_is_solved_to_its_own_error)
{
    static const char *const names[] = {"local_dense.dat", "global_dense.dat",   "plane.dat",
                                        "rolling.dat",     "rolling_global.dat", "no_contacts.dat"};
    for (int k = 0; k < 6; k++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", names[k]);
        TnSolverDef def = tn_solver_def();
        def.tolerance = 1e-10;
        def.iterations = 1000;
        err = (TnError){0};
        TnProblemFile *file = tn_problem_read(path, &err);
        TnSolver *solver = file ? tn_problem_solver(file, &def, &err) : NULL;
        if (!solver || tn_solver_prepare(solver, &err) != TN_OK) {
            test_fail(__FILE__, __LINE__, "%s: %s", path, err.message);
        } else {
            double v[16], lambda[16], as_read, symmetric;
            TnSolveReport report = tn_solver_solve(solver, NULL, v, lambda);
            CHECK(report.status == TN_OK);
            tn_problem_file_error(file, v, lambda, &as_read, &symmetric);
            /* the natural map is below 1e-10 m/s per constraint; compliances between 0.2 and 3 and
             * two norms leave a factor of ten */
            if (!(symmetric < 1e-9)) test_fail(__FILE__, __LINE__, "%s: %g", path, symmetric);
        }
        tn_solver_destroy(solver);
        tn_problem_file_destroy(file);
    }
}

static void solve_nothing(void *context, double *x, int count)
{
    (void)context;
    (void)x;
    (void)count;
}

TEST(what_cannot_be_written_is_said)
{
    TnSolverDef def = tn_solver_def();
    TnSolver *solver = tn_solver_create(&def, &err);
    TnBlockFunctions functions = {.solve = solve_nothing};
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 2, .functions = &functions});
    CHECK(tn_solver_prepare(solver, &err) == TN_OK);
    err = (TnError){0};
    CHECK(tn_problem_write(solver, temporary(0), &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, "block 1 is given by functions");
    CHECK(access(temporary(0), F_OK) != 0);
    tn_solver_destroy(solver);
    solver = solver_of(DATA "every_kind.tnp");
    err = (TnError){0};
    if (solver) CHECK(tn_problem_write(solver, "/nowhere/at/all.tnp", &err) == TN_ERROR_IO);
    CHECK_STR(err.message, "/nowhere/at/all.tnp");
    tn_solver_destroy(solver);
}

TEST(a_comma_for_decimals_in_the_users_language_changes_nothing)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        test_skip("no locale with decimal commas is installed");
        return;
    }
    TnSolver *first = solver_of(DATA "every_kind.tnp");
    if (first) CHECK(tn_problem_write(first, temporary(0), &err) == TN_OK);
    TnSolver *second = first ? solver_of(temporary(0)) : NULL;
    if (second) check_same_problem(first, second);
    setlocale(LC_NUMERIC, "C");
    tn_solver_destroy(first);
    tn_solver_destroy(second);
    unlink(temporary(0));
}

static void check_refused(const char *text, int line, const char *part)
{
    char place[96];
    FILE *out = fopen(temporary(0), "w");
    CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
    err = (TnError){0};
    TnProblemFile *file = tn_problem_read(temporary(0), &err);
    CHECK(!file);
    snprintf(place, sizeof place, "%s:%d: ", temporary(0), line);
    CHECK_STR(err.message, place);
    CHECK_STR(err.message, part);
    tn_problem_file_destroy(file);
    unlink(temporary(0));
}

#define ONE "tenon-problem 1\nblocks 1\nblock dense 1\nA 2\nb 1\n"

TEST(messages_name_the_line_and_what_is_wrong)
{
    check_refused("tenon-problem 2\n", 1, "the version of the format is 2");
    check_refused("tenon-problem 1\nblocks one\n", 2, "'one' is none");
    check_refused("tenon-problem 1\nblocks 1\nblock round 3 1 1 1 1\n", 3,
                  "dense, banded, sparse, inverse");
    check_refused("tenon-problem 1\nblocks 1\nblock dense 2\nA 1 0 0 x\nb 0 0\n", 4,
                  "number 4 of 4");
    check_refused("tenon-problem 1\nblocks 1\nblock dense 2\nA 1 0 0 1\n0 0\n", 5,
                  "'b' should stand here");
    check_refused("tenon-problem 1\nblocks 1\nblock sparse 2 2\nA 1 0 1\n1 2 1\nb 0 0\n", 5,
                  "a column of A, rising within its row, is 2, must be 0 to 1");
    check_refused(ONE "constraints 1\nconstraint sticky sides 1 e 0\nside 1 all J 1\n", 7,
                  "a set should stand here (equality,");
    check_refused(ONE "constraints 1\nconstraint equality sides 1 e 0\nside 2 all J 1\n", 8,
                  "a side's block is 2");
    check_refused(ONE "constraints 1\nconstraint spin sides 1 mu 1 contact 1 e 0\n", 7,
                  "contact is 1");
    check_refused(ONE "constraints 1\nconstraint friction sides 1 mu -1 e 0 0 0\n", 7, "mu is -1");
    check_refused(ONE "constraints 0\nstart\nv 0 0\n", 8, "'lambda' should stand here");
    check_refused(ONE "constraints 0\nend\nblocks\n", 8, "behind 'end'");
}
