/* The judge of solutions: by hand, by the test's own dense algebra, and by whether it can be fooled. */
#include "../check.h"

#include <tenon/tenon.h>

#include "public_problem.h"

static TnJudgement judge(TnSolver *solver, const double *b, const double *v, const double *lambda,
                         const double *v_star)
{
    TnJudgement out = {.aac = NAN};
    TnError err = {0};
    if (!solver || tn_solver_judge(solver, b, v, lambda, v_star, &out, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return out;
}

/* ---- by hand: one block, A = diag(4, 2, 2, 4, 2, 2), J rows of the identity in order ---- */

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
        out = judge(solver, NULL, v, lambda, v);
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
        TnJudgement j = judge(solver, p.b, v, lambda, star);
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
    return judge(s->solver, s->problem.b, v, lambda, s->answer.v);
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
        TnJudgement a = judge(one, p.b, v[0], lambda, star[0]);
        TnJudgement b = judge(other, q.b, v[1], lambda, star[1]);
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

TEST(without_constraints_there_are_dynamics_only)
{
    TnSolverDef def = tn_solver_def();
    TnError err = {0};
    TnSolver *solver = tn_solver_create(&def, &err);
    double A[1] = {2.0}, b[1] = {3.0}, v[1] = {1.5}, wrong[1] = {2.0};
    tn_solver_add_block(solver, &(TnBlockDef){.dim = 1, .A = A, .b = b});
    REQUIRE(tn_solver_prepare(solver, &err) == TN_OK);
    TnJudgement j = judge(solver, NULL, v, NULL, NULL);
    CHECK(isnan(j.aac) && isnan(j.aal) && isnan(j.aav) && j.worst == 0 && j.natural_map == 0.0);
    CHECK(j.dynamics == 0.0 && j.cone_error == 0.0);
    CHECK_NEAR(judge(solver, NULL, wrong, NULL, NULL).dynamics, 0.25, EXACT); /* 1 of 4 */
    tn_solver_destroy(solver);
}
