/* public_problem.h: problems for the public solver (tenon/solver.h) that a test can permute, split
 * and scale: A and J are full matrices over all unknowns, and which blocks a constraint touches is
 * read off J. */
#ifndef TN_TESTS_PUBLIC_PROBLEM_H
#define TN_TESTS_PUBLIC_PROBLEM_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tenon/solver.h>

#include "../gauss.h"
#include "../random.h"
#include "methods.h"

enum { MOST_UNKNOWNS = 96, MOST_ROWS = 192, MOST_BLOCKS = 48, MOST_CONSTRAINTS = 192 };

typedef struct Law {
    TnSet set;
    int row, rows; /* of J */
    int home;      /* the block that is named where J is zero */
    double e[3], mu, k, alpha, lower, upper;
} Law;

typedef struct Problem {
    int block_count, start[MOST_BLOCKS + 1]; /* unknowns of block i: start[i] … start[i + 1] */
    int row_count, law_count;
    double A[MOST_UNKNOWNS][MOST_UNKNOWNS], b[MOST_UNKNOWNS];
    double J[MOST_ROWS][MOST_UNKNOWNS];
    Law laws[MOST_CONSTRAINTS];
    double velocity_scale;
} Problem;

static inline void problem_clear(Problem *p)
{
    memset(p, 0, sizeof *p);
    p->velocity_scale = 1.0;
}

static inline int problem_unknowns(const Problem *p) { return p->start[p->block_count]; }

/* The first of its unknowns; A and b are left zero. */
static inline int problem_add_block(Problem *p, int dim)
{
    int first = problem_unknowns(p);
    p->start[++p->block_count] = first + dim;
    return first;
}

/* J is left zero. */
static inline Law *problem_add_law(Problem *p, TnSet set)
{
    Law *law = &p->laws[p->law_count++];
    *law = (Law){.set = set, .row = p->row_count, .rows = set == TN_SET_FRICTION ? 3 : 1};
    p->row_count += law->rows;
    return law;
}

/* ---- the public solver on it ---- */

static inline bool law_touches(const Problem *p, const Law *law, int block)
{
    for (int r = law->row; r < law->row + law->rows; r++)
        for (int k = p->start[block]; k < p->start[block + 1]; k++)
            if (p->J[r][k] != 0.0) return true;
    return false;
}

static inline void problem_add_to(const Problem *p, const Law *law, TnSolver *solver)
{
    double J[TN_MAX_SIDES][3 * MOST_UNKNOWNS];
    TnConstraintDef c = {.set = law->set,
                         .mu = law->mu,
                         .k = law->k,
                         .alpha = law->alpha,
                         .lower = law->lower,
                         .upper = law->upper};
    memcpy(c.e, law->e, sizeof c.e);
    int sides = 0;
    for (int i = 0; i < p->block_count && sides < TN_MAX_SIDES; i++) {
        int dim = p->start[i + 1] - p->start[i];
        if (!law_touches(p, law, i)) continue;
        for (int r = 0; r < law->rows; r++)
            memcpy(J[sides] + r * dim, p->J[law->row + r] + p->start[i],
                   sizeof(double) * (size_t)dim);
        c.block[sides] = i + 1;
        c.J[sides] = J[sides];
        sides++;
    }
    if (!sides) {
        memset(J[0], 0, sizeof J[0]);
        c.block[0] = law->home + 1;
        c.J[0] = J[0];
    }
    tn_solver_add_constraint(solver, &c);
}

/* NULL: refused, and the reason is printed. */
static inline TnSolver *problem_solver(const Problem *p, const TnSolverDef *def)
{
    TnError err = {0};
    TnSolver *solver = tn_solver_create(def, &err);
    for (int i = 0; solver && i < p->block_count; i++) {
        double A[MOST_UNKNOWNS * MOST_UNKNOWNS];
        int first = p->start[i], dim = p->start[i + 1] - first;
        for (int k = 0; k < dim; k++)
            memcpy(A + k * dim, p->A[first + k] + first, sizeof(double) * (size_t)dim);
        tn_solver_add_block(solver, &(TnBlockDef){.dim = dim, .A = A});
    }
    for (int i = 0; solver && i < p->law_count; i++) problem_add_to(p, &p->laws[i], solver);
    if (solver && tn_solver_prepare(solver, &err) == TN_OK) return solver;
    printf("    %s\n", err.message);
    tn_solver_destroy(solver);
    return NULL;
}

typedef struct Answer {
    TnSolveReport report;
    double v[MOST_UNKNOWNS], lambda[MOST_ROWS];
} Answer;

/* From nothing, by one method, with its tolerance in shares of the problem's velocity scale. */
static inline Answer problem_solve(const Problem *p, Method method, double tolerance,
                                   int iterations)
{
    Answer out = {.report = {.status = TN_ERROR_USAGE}};
    TnSolverDef def = tn_solver_def();
    def.method = method.method;
    def.own = method.own;
    def.tolerance = tolerance;
    def.iterations = iterations;
    def.velocity_scale = p->velocity_scale;
    TnSolver *solver = problem_solver(p, &def);
    if (!solver) return out;
    out.report = tn_solver_solve(solver, p->b, out.v, out.lambda);
    tn_solver_destroy(solver);
    return out;
}

static inline bool answer_is_finite(const Problem *p, const Answer *a)
{
    for (int i = 0; i < problem_unknowns(p); i++)
        if (!isfinite(a->v[i])) return false;
    for (int i = 0; i < p->row_count; i++)
        if (!isfinite(a->lambda[i])) return false;
    return true;
}

static inline double largest_apart(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]);
    return most;
}

/* ---- what a test knows by itself ---- */

/* v = A⁻¹(b + Jᵀλ) by Gauss. */
static inline void problem_velocities(const Problem *p, const double *lambda, double *v)
{
    static double M[MOST_UNKNOWNS * MOST_UNKNOWNS];
    int n = problem_unknowns(p);
    for (int i = 0; i < n; i++) {
        memcpy(M + i * n, p->A[i], sizeof(double) * (size_t)n);
        v[i] = p->b[i];
        for (int r = 0; r < p->row_count; r++) v[i] += p->J[r][i] * lambda[r];
    }
    gauss(n, M, v, 0.0);
}

/* J v + e of a row. */
static inline double row_velocity(const Problem *p, const Law *law, int row, const double *v)
{
    double u = law->e[row];
    for (int i = 0; i < problem_unknowns(p); i++) u += p->J[law->row + row][i] * v[i];
    return u;
}

static inline double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* How far λ is from the law at v: |λ - Π(λ - u)| with unit weights, of a soft one what λ misses. */
static inline double law_error(const Problem *p, const Law *law, const double *v,
                               const double *lambda)
{
    const double *l = lambda + law->row;
    double u[3], t[3];
    for (int k = 0; k < law->rows; k++) {
        u[k] = row_velocity(p, law, k, v);
        t[k] = l[k] - u[k];
    }
    switch (law->set) {
    case TN_SET_EQUALITY:
        return fabs(u[0]);
    case TN_SET_INEQUALITY:
        return fabs(l[0] - fmax(t[0], 0.0));
    case TN_SET_SOFT:
        return fabs(l[0] + law->k * (law->e[0] + law->alpha * (u[0] - law->e[0])));
    case TN_SET_BOX:
        return fabs(l[0] - clamp(t[0], law->lower, law->upper));
    default:
        break;
    }
    double normal = fmax(t[0], 0.0), length = hypot(t[1], t[2]);
    double share = length > law->mu * normal ? law->mu * normal / length : 1.0;
    return hypot(l[0] - normal, hypot(l[1] - share * t[1], l[2] - share * t[2]));
}

static inline double problem_error(const Problem *p, const double *v, const double *lambda)
{
    double most = 0.0;
    for (int i = 0; i < p->law_count; i++) {
        double error = law_error(p, &p->laws[i], v, lambda);
        if (!(error <= most)) most = error;
    }
    return most;
}

/* ---- random ones ---- */

static inline int pick(Random *r, int count) { return (int)(fabs(uniform(r)) * count); }

/* A = mass (I + XᵀX). */
static inline void random_block(Problem *p, Random *r, int dim, double mass)
{
    double X[MOST_UNKNOWNS];
    int first = problem_add_block(p, dim);
    for (int i = 0; i < dim; i++) p->A[first + i][first + i] = mass;
    for (int k = 0; k < dim; k++) {
        for (int i = 0; i < dim; i++) X[i] = uniform(r);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) p->A[first + i][first + j] += mass * X[i] * X[j];
    }
    for (int i = 0; i < dim; i++) p->b[first + i] = mass * 3.0 * uniform(r);
}

/* Three orthonormal rows. */
static inline void random_frame(Random *r, double R[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) R[i][k] = uniform(r);
        for (int j = 0; j < i; j++) {
            double d = R[i][0] * R[j][0] + R[i][1] * R[j][1] + R[i][2] * R[j][2];
            for (int k = 0; k < 3; k++) R[i][k] -= d * R[j][k];
        }
        double length = sqrt(R[i][0] * R[i][0] + R[i][1] * R[i][1] + R[i][2] * R[i][2]);
        for (int k = 0; k < 3; k++) R[i][k] /= length;
    }
}

/* Of friction: the first three unknowns in a frame of the contact's, as if they were a velocity,
 * and some of the others. */
static inline void random_side(Problem *p, Random *r, const Law *law, int block, double frame[3][3])
{
    for (int k = 0; k < law->rows; k++)
        for (int j = p->start[block], i = 0; j < p->start[block + 1]; j++, i++) {
            double x = uniform(r);
            p->J[law->row + k][j] = law->rows == 1 ? x + copysign(0.3, x)
                                    : i < 3        ? frame[k][i]
                                                   : 0.5 * x;
        }
}

/* Whether every row is by a fifth of its length off the span of those before it. */
static inline bool rows_are_independent(const Problem *p)
{
    static double Q[MOST_ROWS][MOST_UNKNOWNS];
    int n = problem_unknowns(p);
    for (int r = 0; r < p->row_count; r++) {
        double before = 0.0, after = 0.0;
        for (int i = 0; i < n; i++) {
            Q[r][i] = p->J[r][i];
            before += Q[r][i] * Q[r][i];
        }
        for (int q = 0; q < r; q++) {
            double d = 0.0;
            for (int i = 0; i < n; i++) d += Q[q][i] * Q[r][i];
            for (int i = 0; i < n; i++) Q[r][i] -= d * Q[q][i];
        }
        for (int i = 0; i < n; i++) after += Q[r][i] * Q[r][i];
        if (!(after > 0.04 * before)) return false;
        for (int i = 0; i < n; i++) Q[r][i] /= sqrt(after);
    }
    return true;
}

/* On one block or between two; friction, on blocks of three unknowns or more. */
static inline void random_law(Problem *p, Random *r, TnSet set, double mu)
{
    double frame[3][3];
    Law *law = problem_add_law(p, set);
    int side[2];
    for (int s = 0; s < 2; s++) do
            side[s] = pick(r, p->block_count);
        while (set == TN_SET_FRICTION && p->start[side[s] + 1] - p->start[side[s]] < 3);
    law->home = side[0];
    law->mu = mu;
    law->k = 2.0;
    law->alpha = 0.7;
    law->lower = -0.4;
    law->upper = 0.3;
    for (int k = 0; k < law->rows; k++) law->e[k] = 0.3 * uniform(r);
    random_frame(r, frame);
    random_side(p, r, law, side[0], frame);
    for (int k = 0; k < 9; k++) frame[k / 3][k % 3] *= -1.0;
    if (side[1] != side[0]) random_side(p, r, law, side[1], frame);
}

static inline void forget_last_law(Problem *p)
{
    const Law *law = &p->laws[--p->law_count];
    p->row_count = law->row;
    for (int k = 0; k < law->rows; k++) memset(p->J[law->row + k], 0, sizeof p->J[0]);
}

/* Blocks of one to six unknowns, and constraints of all kinds as long as half of the unknowns stay
 * free, so that λ is unique; little friction, so that v is. */
static inline void random_problem(Problem *p, uint64_t seed, int blocks)
{
    static const TnSet sets[] = {TN_SET_FRICTION,   TN_SET_EQUALITY, TN_SET_FRICTION,
                                 TN_SET_INEQUALITY, TN_SET_SOFT,     TN_SET_BOX};
    Random r = {seed * 7919 + 17};
    problem_clear(p);
    for (int i = 0; i < blocks; i++) random_block(p, &r, 1 + (i + 2) % 6, 1.5 + uniform(&r));
    while (2 * (p->row_count + 3) <= problem_unknowns(p)) {
        random_law(p, &r, sets[p->law_count % 6], 0.1 + 0.4 * fabs(uniform(&r)));
        if (!rows_are_independent(p)) forget_last_law(p);
    }
}

static inline TnJudgement judged(TnSolver *solver, const double *b, const double *v,
                                 const double *lambda, const double *v_star)
{
    TnJudgement out = {.aac = NAN};
    TnError err = {0};
    if (!solver || tn_solver_judge(solver, b, v, lambda, v_star, &out, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return out;
}

#endif
