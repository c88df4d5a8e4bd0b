/* alone_problem.h: a problem for the public solver with a constraint of every set between three
 * banded blocks, each of which can be given in any of the five forms. */
#ifndef TN_TESTS_SOLVER_ALONE_PROBLEM_H
#define TN_TESTS_SOLVER_ALONE_PROBLEM_H

#include <tenon/solver.h>

#include "math/cholesky.h"

enum { BLOCKS = 3, DIM = 24, WIDTH = 4, MOST_ENTRIES = DIM * (2 * WIDTH + 1), LAMBDAS = 15 };

typedef enum Form { DENSE, BANDED, SPARSE, INVERSE, FUNCTIONS, FORMS } Form;

/* One matrix in every form; `calls` are those of the functions. */
typedef struct Matrix {
    double A[DIM * DIM], L[DIM * DIM], inverse[DIM * DIM], banded[(WIDTH + 1) * DIM];
    int row_start[DIM + 1], column[MOST_ENTRIES];
    double value[MOST_ENTRIES];
    TnSparseMatrix sparse;
    TnBlockFunctions functions;
    int factor_calls, solve_calls, solved_vectors, multiply_calls;
} Matrix;

static double alone_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 23) - 1.0;
}

static bool call_factor(void *context)
{
    Matrix *m = context;
    m->factor_calls++;
    memcpy(m->L, m->A, sizeof m->L);
    return tn_cholesky(m->L, DIM);
}

static void call_solve(void *context, double *x, int count)
{
    Matrix *m = context;
    m->solve_calls++;
    m->solved_vectors += count;
    for (int k = 0; k < count; k++) tn_cholesky_solve(m->L, DIM, x + (long)k * DIM);
}

static void call_multiply(void *context, const double *x, double *y)
{
    Matrix *m = context;
    m->multiply_calls++;
    for (int i = 0; i < DIM; i++) {
        y[i] = 0.0;
        for (int j = 0; j < DIM; j++) y[i] += m->A[i * DIM + j] * x[j];
    }
}

/* Diagonally dominant, so well conditioned. */
static void make_matrix(Matrix *m, unsigned seed)
{
    memset(m, 0, sizeof *m);
    int entries = 0;
    for (int i = 0; i < DIM; i++)
        for (int k = 0; k <= WIDTH && i + k < DIM; k++) {
            double a = k ? 0.2 * alone_random(&seed) : 3.0 + alone_random(&seed);
            m->A[(i + k) * DIM + i] = m->A[i * DIM + i + k] = m->banded[k * DIM + i] = a;
        }
    for (int i = 0; i < DIM; i++) {
        m->row_start[i] = entries;
        for (int j = 0; j < DIM; j++)
            if (m->A[i * DIM + j] != 0.0) {
                m->column[entries] = j;
                m->value[entries++] = m->A[i * DIM + j];
            }
    }
    m->row_start[DIM] = entries;
    memcpy(m->L, m->A, sizeof m->L);
    tn_cholesky(m->L, DIM);
    tn_cholesky_inverse(m->L, DIM, m->inverse);
    m->sparse = (TnSparseMatrix){m->row_start, m->column, m->value};
    m->functions = (TnBlockFunctions){m, call_factor, call_solve, call_multiply};
}

static TnBlockDef block_in_form(const Matrix *m, Form form)
{
    TnBlockDef def = {.dim = DIM};
    if (form == DENSE) def.A = m->A;
    if (form == BANDED) {
        def.A_banded = m->banded;
        def.bandwidth = WIDTH;
    }
    if (form == SPARSE) def.A_sparse = &m->sparse;
    if (form == INVERSE) def.A_inverse = m->inverse;
    if (form == FUNCTIONS) def.functions = &m->functions;
    return def;
}

typedef struct Alone {
    Matrix matrix[BLOCKS];
    double J[32][3 * DIM], few[32][3 * DIM], b[BLOCKS * DIM];
    int column[32][DIM];
    int used; /* of J */
} Alone;

/* A side with some columns of the block: as they are or with zeros between them. */
static void add_side(Alone *p, TnConstraintDef *c, int side, TnBlockId block, int rows, bool sparse,
                     unsigned *seed)
{
    int at = p->used++, count = 5, first = (int)(*seed >> 5) % (DIM - 2 * count);
    memset(p->J[at], 0, sizeof p->J[at]);
    for (int k = 0; k < count; k++) p->column[at][k] = first + 2 * k;
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < count; k++)
            p->J[at][r * DIM + first + 2 * k] = p->few[at][r * count + k] = alone_random(seed);
    c->block[side] = block;
    c->J[side] = sparse ? p->few[at] : p->J[at];
    if (!sparse) return;
    c->column[side] = p->column[at];
    c->column_count[side] = count;
}

/* Every set once, spin and roll on the first contact: 15 numbers of λ. A seed is a problem. */
static void add_constraints(Alone *p, TnSolver *solver, bool sparse, unsigned seed)
{
    const TnConstraintDef laws[] = {
        {.set = TN_SET_FRICTION, .mu = 0.6, .block = {1, 2}, .e = {-0.6, 0.1, 0.0}},
        {.set = TN_SET_FRICTION, .mu = 0.2, .block = {3}, .e = {-0.9, 0.3, 0.2}},
        {.set = TN_SET_EQUALITY, .block = {1, 2, 3}, .e = {0.4}},
        {.set = TN_SET_INEQUALITY, .block = {2, 3}, .e = {-0.5}},
        {.set = TN_SET_INEQUALITY, .block = {3}, .e = {2.0}},
        {.set = TN_SET_SOFT, .block = {2}, .k = 3.0, .alpha = 0.4, .e = {-0.2}},
        {.set = TN_SET_BOX, .block = {1, 3}, .lower = -0.1, .upper = 0.2, .e = {0.5}},
        {.set = TN_SET_SPIN, .block = {1, 2}, .mu = 0.05, .contact = 1, .e = {0.3}},
        {.set = TN_SET_ROLL, .block = {1, 2}, .mu = 0.04, .contact = 1, .e = {0.3, -0.2}},
        {.set = TN_SET_EQUALITY, .block = {2, 2}, .e = {0.1}}, /* one block twice */
    };
    p->used = 0;
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        TnConstraintDef c = laws[i];
        int rows = c.set == TN_SET_FRICTION ? 3 : c.set == TN_SET_ROLL ? 2 : 1;
        for (int s = 0; s < TN_MAX_SIDES && c.block[s]; s++)
            add_side(p, &c, s, c.block[s], rows, sparse, &seed);
        tn_solver_add_constraint(solver, &c);
    }
}

static void alone_start(Alone *p, unsigned seed)
{
    for (int i = 0; i < BLOCKS; i++) make_matrix(&p->matrix[i], seed + (unsigned)i);
    for (int i = 0; i < BLOCKS * DIM; i++) p->b[i] = 3.0 * alone_random(&seed);
}

/* NULL: refused, err says why. */
static TnSolver *alone_solver(Alone *p, const TnSolverDef *def, const Form form[BLOCKS],
                              bool sparse, unsigned seed, TnError *err)
{
    TnSolver *solver = tn_solver_create(def, err);
    if (!solver) return NULL;
    for (int i = 0; i < BLOCKS; i++) {
        TnBlockDef block = block_in_form(&p->matrix[i], form[i]);
        tn_solver_add_block(solver, &block);
    }
    add_constraints(p, solver, sparse, seed);
    if (tn_solver_prepare(solver, err) == TN_OK) return solver;
    tn_solver_destroy(solver);
    return NULL;
}

#endif
