/* The judge of solutions by the test's own dense algebra, and by whether it can be fooled. */
#include "../check.h"

#include "public_problem.h"

/* ---- against dense algebra ---- */

static double compliance(const Problem *p, int row)
{
    double sum = 0.0; /* blocks do not meet in A: one system has all sides */
    static double M[MOST_UNKNOWNS * MOST_UNKNOWNS];
    double x[MOST_UNKNOWNS];
    int n = problem_unknowns(p);
    for (int i = 0; i < n; i++) {
        memcpy(M + i * n, p->A[i], sizeof(double) * (size_t)n);
        x[i] = p->J[row][i];
    }
    gauss(n, M, x, 0.0);
    for (int i = 0; i < n; i++) sum += p->J[row][i] * x[i];
    return sum;
}

/* The law's error in velocities by scaling rows: J/√D and λ√D make every compliance one, where
 * law_error is the natural map. A contact's tangents share their mean. */
static double scaled_error(const Problem *p, const Law *law, const double *v, const double *lambda)
{
    static Problem unit;
    double root[3] = {0}, scaled[MOST_ROWS];
    unit = *p;
    for (int k = 0; k < law->rows; k++) root[k] = sqrt(compliance(p, law->row + k));
    if (law->rows == 3) root[1] = root[2] = sqrt(0.5 * (root[1] * root[1] + root[2] * root[2]));
    Law *l = &unit.laws[law - p->laws];
    memcpy(scaled, lambda, sizeof scaled);
    if (law->set == TN_SET_SOFT) { /* D (λ + k (e + α v)) / (1 + D α k) */
        double D = root[0] * root[0];
        return D * law_error(p, law, v, lambda) / (1.0 + D * law->alpha * law->k);
    }
    /* normal and tangents have scales of their own; μ takes the difference */
    for (int k = 0; k < law->rows; k++) {
        for (int i = 0; i < problem_unknowns(p); i++) unit.J[law->row + k][i] /= root[k];
        l->e[k] /= root[k];
        scaled[law->row + k] *= root[k];
    }
    l->lower *= root[0];
    l->upper *= root[0];
    if (law->rows == 3) l->mu *= root[1] / root[0];
    double u[3], t[3], out[3];
    for (int k = 0; k < law->rows; k++) {
        u[k] = row_velocity(&unit, l, k, v);
        t[k] = scaled[law->row + k] - u[k];
        out[k] = 0.0;
    }
    if (law->rows == 1) return root[0] * law_error(&unit, l, v, scaled);
    double normal = fmax(t[0], 0.0), length = hypot(t[1], t[2]);
    double share = length > l->mu * normal ? l->mu * normal / length : 1.0;
    out[0] = root[0] * (scaled[law->row] - normal);
    for (int k = 1; k < 3; k++) out[k] = root[k] * (scaled[law->row + k] - share * t[k]);
    return hypot(out[0], hypot(out[1], out[2]));
}

/* |λ - P(λ - û)|² of a contact: the nearest point of the cone by a search for its height. */
static double cone_distance(const double lambda[3], const double u[3], double mu)
{
    double t[3] = {lambda[0] - u[0] - mu * hypot(u[1], u[2]), lambda[1] - u[1], lambda[2] - u[2]};
    double length = hypot(t[1], t[2]), low = 0.0, high = fabs(t[0]) + mu * length + 1.0;
    for (int i = 0; i < 200; i++) { /* thirds of a convex function */
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        double fa = pow(a - t[0], 2) + pow(fmax(length - mu * a, 0.0), 2);
        double fb = pow(b - t[0], 2) + pow(fmax(length - mu * b, 0.0), 2);
        if (fa < fb)
            high = b;
        else
            low = a;
    }
    double s = 0.5 * (low + high), share = length > mu * s ? mu * s / length : 1.0;
    return pow(lambda[0] - s, 2) + pow(lambda[1] - share * t[1], 2) +
           pow(lambda[2] - share * t[2], 2);
}

TEST(figures_agree_with_dense_algebra_on_random_problems)
{
    static Problem p;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        random_problem(&p, seed, 8);
        Random r = {seed};
        int n = problem_unknowns(&p);
        double v[MOST_UNKNOWNS], lambda[MOST_ROWS], implied[MOST_UNKNOWNS], star[MOST_UNKNOWNS];
        double free[MOST_UNKNOWNS], none[MOST_ROWS] = {0};
        for (int i = 0; i < n; i++) v[i] = uniform(&r), star[i] = uniform(&r);
        for (int i = 0; i < p.row_count; i++) lambda[i] = uniform(&r);
        TnSolverDef def = tn_solver_def();
        TnSolver *solver = problem_solver(&p, &def);
        REQUIRE(solver);
        TnJudgement j = judged(solver, p.b, v, lambda, star);
        tn_solver_destroy(solver);
        problem_velocities(&p, lambda, implied);
        problem_velocities(&p, none, free);
        double worst = 0.0, Av[3] = {0}, residual = 0.0, distance = 0.0, cone = 0.0, size[3] = {0};
        int place = 0;
        for (int i = 0; i < p.law_count; i++) {
            double map = scaled_error(&p, &p.laws[i], implied, lambda);
            if (map > worst) worst = map, place = i + 1;
            if (p.laws[i].rows != 3) continue;
            double u[3];
            for (int k = 0; k < 3; k++) {
                double q = row_velocity(&p, &p.laws[i], k, free), l = lambda[p.laws[i].row + k];
                u[k] = row_velocity(&p, &p.laws[i], k, v);
                size[0] += q * q, size[1] += l * l, size[2] += u[k] * u[k];
            }
            cone += cone_distance(lambda + p.laws[i].row, u, p.laws[i].mu);
        }
        for (int i = 0; i < n; i++) {
            double Ai = 0.0, force = 0.0;
            for (int k = 0; k < n; k++) {
                Ai += p.A[i][k] * v[k];
                distance += (v[i] - star[i]) * p.A[i][k] * (v[k] - star[k]);
            }
            for (int k = 0; k < p.row_count; k++) force += p.J[k][i] * lambda[k];
            residual += pow(Ai - p.b[i] - force, 2);
            Av[0] += p.b[i] * p.b[i], Av[1] += Ai * Ai, Av[2] += force * force;
        }
        /* numbers about one; thirds find a minimum to the root of rounding */
        CHECK_NEAR(j.natural_map, worst, 1e-12);
        CHECK(j.worst == place);
        CHECK_NEAR(j.cone_error, sqrt(cone / fmax(size[0], fmax(size[1], size[2]))), 1e-7);
        CHECK_NEAR(j.dynamics, sqrt(residual / fmax(Av[0], fmax(Av[1], Av[2]))), 1e-13);
        CHECK_NEAR(j.aav, -0.5 * log10(distance), 1e-12);
    }
}

/* ---- it cannot be fooled ---- */

typedef struct Solved {
    Problem problem;
    TnSolver *solver;
    Answer answer;
    int unknowns;
} Solved;

static bool solve_random(Solved *s, uint64_t seed)
{
    random_problem(&s->problem, seed, 8);
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-13;
    s->unknowns = problem_unknowns(&s->problem);
    s->solver = problem_solver(&s->problem, &def);
    if (!s->solver) return false;
    s->answer.report = tn_solver_solve(s->solver, s->problem.b, s->answer.v, s->answer.lambda);
    return s->answer.report.converged;
}

static TnJudgement judge_solved(const Solved *s, const double *v, const double *lambda)
{
    return judged(s->solver, s->problem.b, v, lambda, s->answer.v);
}

TEST(a_solution_is_found_good_by_all_figures)
{
    static Solved s;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        REQUIRE(solve_random(&s, seed));
        TnJudgement j = judge_solved(&s, s.answer.v, s.answer.lambda);
        /* the tolerance, and a few of rounding through compliances and forces about one */
        CHECK(j.natural_map < 2e-13 && j.aac > 12.0 && j.aal > 12.0);
        CHECK(j.cone_error < 1e-12 && j.dynamics < 1e-13 && j.aav == 16.0);
        tn_solver_destroy(s.solver);
    }
}

TEST(a_wrong_force_shows_in_all_that_looks_at_forces)
{
    static Solved s;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        REQUIRE(solve_random(&s, seed));
        for (int k = 0; k < s.problem.row_count; k++) {
            double lambda[MOST_ROWS];
            memcpy(lambda, s.answer.lambda, sizeof lambda);
            lambda[k] += 1e-3;
            TnJudgement j = judge_solved(&s, s.answer.v, lambda);
            /* compliances are about one: no row loses more than a factor of a hundred */
            CHECK(j.natural_map > 1e-5 && j.aal < 5.0 && j.dynamics > 1e-5);
            CHECK(j.aav == 16.0); /* v is right */
        }
        tn_solver_destroy(s.solver);
    }
}

TEST(a_wrong_velocity_shows_in_all_that_looks_at_velocities)
{
    static Solved s;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        REQUIRE(solve_random(&s, seed));
        TnJudgement right = judge_solved(&s, s.answer.v, s.answer.lambda);
        for (int k = 0; k < s.unknowns; k++) {
            double v[MOST_UNKNOWNS];
            memcpy(v, s.answer.v, sizeof v);
            v[k] += 1e-3;
            TnJudgement j = judge_solved(&s, v, s.answer.lambda);
            CHECK(j.aav < 4.0 && j.dynamics > 1e-5);
            CHECK(j.natural_map == right.natural_map && j.aal == right.aal); /* λ is right */
        }
        double v[MOST_UNKNOWNS];
        Random r = {seed};
        for (int k = 0; k < s.unknowns; k++) v[k] = s.answer.v[k] + 1e-3 * uniform(&r);
        TnJudgement j = judge_solved(&s, v, s.answer.lambda);
        CHECK(j.aac < 4.0); /* open contacts do not mind, rows do */
        tn_solver_destroy(s.solver);
    }
}

TEST(errors_grow_in_proportion_to_what_is_wrong)
{
    static Solved s;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        REQUIRE(solve_random(&s, seed));
        TnJudgement j[2];
        for (int i = 0; i < 2; i++) {
            double v[MOST_UNKNOWNS], lambda[MOST_ROWS], size = i ? 1e-7 : 1e-5;
            Random r = {seed};
            for (int k = 0; k < s.unknowns; k++) v[k] = s.answer.v[k] + size * uniform(&r);
            for (int k = 0; k < s.problem.row_count; k++)
                lambda[k] = s.answer.lambda[k] + size * uniform(&r);
            j[i] = judge_solved(&s, v, lambda);
        }
        /* two digits; so near the solution laws are straight but for a corner within 1e-5 of it */
        CHECK_NEAR(j[1].aac - j[0].aac, 2.0, 0.05);
        CHECK_NEAR(j[1].aal - j[0].aal, 2.0, 0.05);
        CHECK_NEAR(j[1].aav - j[0].aav, 2.0, 1e-4);
        CHECK_NEAR(log10(j[0].natural_map / j[1].natural_map), 2.0, 0.05);
        CHECK_NEAR(log10(j[0].cone_error / j[1].cone_error), 2.0, 0.05);
        CHECK_NEAR(log10(j[0].dynamics / j[1].dynamics), 2.0, 1e-3);
        tn_solver_destroy(s.solver);
    }
}

/* Blocks in reverse order. */
TEST(the_order_of_blocks_does_not_matter)
{
    static Problem p, q;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        random_problem(&p, seed, 8);
        int n = problem_unknowns(&p), map[MOST_UNKNOWNS];
        problem_clear(&q);
        for (int i = p.block_count - 1; i >= 0; i--)
            for (int k = p.start[i], to = problem_add_block(&q, p.start[i + 1] - p.start[i]);
                 k < p.start[i + 1]; k++)
                map[k] = to++;
        q.row_count = p.row_count;
        q.law_count = p.law_count;
        memcpy(q.laws, p.laws, sizeof q.laws);
        double v[2][MOST_UNKNOWNS], star[2][MOST_UNKNOWNS], lambda[MOST_ROWS];
        Random r = {seed};
        for (int i = 0; i < n; i++) {
            q.b[map[i]] = p.b[i];
            v[1][map[i]] = v[0][i] = uniform(&r);
            star[1][map[i]] = star[0][i] = uniform(&r);
            for (int k = 0; k < n; k++) q.A[map[i]][map[k]] = p.A[i][k];
            for (int k = 0; k < p.row_count; k++) q.J[k][map[i]] = p.J[k][i];
        }
        for (int k = 0; k < p.row_count; k++) lambda[k] = uniform(&r);
        TnSolverDef def = tn_solver_def();
        TnSolver *one = problem_solver(&p, &def), *other = problem_solver(&q, &def);
        REQUIRE(one && other);
        TnJudgement a = judged(one, p.b, v[0], lambda, star[0]);
        TnJudgement b = judged(other, q.b, v[1], lambda, star[1]);
        /* sums in another order */
        CHECK_NEAR(a.aac, b.aac, 1e-13);
        CHECK_NEAR(a.aal, b.aal, 1e-13);
        CHECK_NEAR(a.aav, b.aav, 1e-13);
        CHECK_NEAR(a.natural_map, b.natural_map, 1e-13);
        CHECK_NEAR(a.cone_error, b.cone_error, 1e-13);
        CHECK_NEAR(a.dynamics, b.dynamics, 1e-13);
        CHECK(a.worst == b.worst);
        tn_solver_destroy(one);
        tn_solver_destroy(other);
    }
}
