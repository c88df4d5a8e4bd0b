/* Newton's method on problems of every kind, and on those that are hard for all methods. */
#include "../check.h"

#include "any_problem.h"
#include "base/base.h"
#include "stack_problem.h"

static const double g_t = 9.81 * 0.01; /* of the stacks, m/s */

/* From the problem's own λ. */
static bool newton(Rig *rig, double tolerance, int steps, TnMethodResult *result)
{
    TnPerConstraint u, lambda;
    return state_of(rig, &u, &lambda) &&
           tn_newton(&rig->assembly, &rig->problem, &rig->D, &u, tolerance, steps, result);
}

static bool solve_island(Rig *rig, TnMethod method, double tolerance, TnIslandResult *out)
{
    TnSolverDef def = tn_solver_def();
    def.method = method;
    def.tolerance = tolerance;
    def.velocity_scale = g_t;
    return tn_solve_island(&rig->problem, &def, rig->plans, NULL, out);
}

/* SubADMM until nothing moves. */
static bool split_solution(Rig *rig)
{
    TnSolverDef def = tn_solver_def();
    def.iterations = 50000;
    def.tolerance = 1e-12;
    def.anderson = 10;
    return tn_problem_prepare(&rig->problem, &def, NULL) &&
           tn_subadmm_solve(&rig->problem, &def, NULL).converged;
}

static bool is_finite(const TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(p->lambda[c][k])) return false;
    for (int r = 0; r < p->row_count; r++)
        if (!isfinite(p->rows[r].lambda)) return false;
    for (int r = 0; r < p->table_rows; r++)
        for (int k = 0; k < 8; k++)
            if (!isfinite(p->twist[r][k])) return false;
    return true;
}

/* ---- every kind of block and row ---- */

/* An error of 1e-7 m/s in constraints, where velocities are of some m/s, and few problems amplify it a hundred times: 1e-5 of the
 * largest velocity. Where SubADMM itself does not settle there is nothing to compare. Rolling friction at its bound has no slope in
 * Newton's lines, and random rolling rows on meshes, which belong to contacts elsewhere, go round in circles now and then. */
TEST(the_solution_is_that_of_the_split_form)
{
    enum { SEEDS = 6 };
    int compared = 0, missed = 0;
    for (int which = 0; which < PROBLEMS; which++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            Rig rig, split;
            TnIslandResult result;
            REQUIRE(rig_create(&rig) && make_seeded(&rig, which, seed));
            REQUIRE(tn_problem_prepare_A(&rig.problem, NULL));
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-7 / g_t, &result));
            CHECK(result.report.converged == (result.report.error < 1e-7 / g_t));
            REQUIRE(rig_create(&split) && make_seeded(&split, which, seed));
            if (!result.report.converged) {
                if (which != 5) printf("    problem %d seed %d\n", which, (int)seed);
                missed += which == 5 ? 1 : 100;
            } else if (split_solution(&split)) {
                double difference = apart(&rig, &split);
                if (!(difference <= 1e-5)) printf("    problem %d seed %d\n", which, (int)seed);
                CHECK_NEAR(difference, 0.0, 1e-5);
                compared++;
            }
            rig_destroy(&rig);
            rig_destroy(&split);
        }
    CHECK(missed <= 2);
    CHECK(compared >= PROBLEMS * SEEDS * 9 / 10);
}

/* The error that is reported is that of the forces that stay in the problem. */
TEST(what_newton_reports_is_what_it_leaves)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig));
        for (int steps = 1; steps <= 40; steps *= 2) {
            REQUIRE(newton(&rig, 1e-9, steps, &result));
            CHECK(result.iterations <= steps);
            /* forces are gains of up to 1e7 times velocities of some m/s that are rounded: 1e-8 m/s, times what stiff rods make of
             * it */
            CHECK_NEAR(error_of(&rig), result.error, 1e-3 * result.error + 1e-6);
        }
        rig_destroy(&rig);
    }
}

/* ---- the interior-point method alone ---- */

/* From no guess at all, to 1e-5 of the largest velocity there is, in all but few: what is left is for Newton. Without rows that bound
 * others, which it leaves to Newton too. */
TEST(the_interior_point_method_comes_near_by_itself)
{
    int near = 0, all = 0;
    for (uint64_t seed = 1; seed <= 20; seed++, all++) {
        Rig rig;
        TnMethodResult result;
        REQUIRE(rig_create(&rig) && make_seeded(&rig, 2, seed) && assemble(&rig));
        REQUIRE(tn_interior(&rig.assembly, &rig.problem, &rig.D, 1e-5, 40, &result));
        CHECK(result.iterations <= 40 && result.stagnated == !(result.error < 1e-5));
        near += result.error < 1e-5;
        /* u is added up step by step, and rounded each time */
        CHECK_NEAR(error_of(&rig), result.error, 1e-3 * result.error + 1e-9);
        rig_destroy(&rig);
    }
    CHECK(near >= all - 1);
}

/* Without contacts or inequalities there is no cone, and nothing is done. */
TEST(the_interior_point_method_needs_contacts)
{
    Rig rig;
    TnMethodResult result;
    RodChoice rod = {.nodes = 12, .group = 1, .stiffness = 1.0, .twists = true};
    REQUIRE(rig_create(&rig) && bonded_rod(&rig.problem, &rig.arena, 1, rod) && assemble(&rig));
    REQUIRE(tn_interior(&rig.assembly, &rig.problem, &rig.D, 1e-5, 40, &result));
    CHECK(result.iterations == 0 && result.stagnated);
    rig_destroy(&rig);
}

/* ---- stacks ---- */

static void set_friction(TnProblem *p, double mu)
{
    for (int c = 0; c < p->contact_count; c++) p->contact_batch[c / TN_LANES].mu[c % TN_LANES] = mu;
}

/* Largest error of an interface's force, in shares of the weight above it. */
static double weight_error(const TnProblem *p, StackChoice choice)
{
    double worst = 0.0, above = 0.0, mass = choice.first * pow(choice.growth, choice.count - 1);
    for (int i = choice.count - 1; i >= 0; i--, mass /= choice.growth) {
        double force = 0.0;
        above += mass * stack_gravity;
        for (int k = 0; k < 4; k++) force += p->lambda[4 * i + k][2];
        worst = fmax(worst, fabs(force - above) / above);
    }
    return worst;
}

/* At a tolerance of 1e-6 of g·t each box may be off by some 1e-6 of its weight, and few boxes add to each other: 1e-5. */
TEST(stacks_carry_their_weight)
{
    static const StackChoice stacks[] = {
        {1, 1.0, 1.0, 0.0, 0.0},       {50, 1.0, 1.0, 0.0015, 0.0}, {20, 1.0, 1.0, 0.0015, 0.02},
        {2, 1.0, 1000.0, 0.0015, 0.0}, {10, 1.0, 2.0, 0.0015, 0.0}, {10, 1024.0, 0.5, 0.0015, 0.0},
        {2, 1.0, 1e6, 0.0015, 0.0},    {2, 1e6, 1e-6, 0.0015, 0.0}, {3, 1e-3, 1e3, 0.0, 0.0},
    };
    static const double frictions[] = {0.5, 0.0, 100.0};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        for (int m = 0; m < 3; m++) {
            Rig rig;
            TnIslandResult cold, again;
            if (frictions[m] == 0.0 && stacks[i].push != 0.0) continue; /* slides off */
            REQUIRE(rig_create(&rig) && stack_problem(&rig.problem, &rig.arena, stacks[i]));
            set_friction(&rig.problem, frictions[m]);
            REQUIRE(tn_problem_prepare_A(&rig.problem, NULL));
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &cold));
            double error = weight_error(&rig.problem, stacks[i]);
            if (!cold.report.converged || !(error < 1e-5))
                printf("    stack %d, friction %g: error %g\n", (int)i, frictions[m],
                       cold.report.error);
            CHECK(cold.report.converged);
            CHECK_NEAR(error, 0.0, 1e-5);
            /* ten times that tolerance from there: nothing to do */
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-4, &again));
            CHECK(again.report.method == TN_METHOD_AUTO && again.report.newton_steps == 0);
            /* a load of one per cent more: few steps, a rescue at most */
            for (int c = 0; c < rig.problem.contact_count; c++)
                for (int k = 0; k < 3; k++) rig.problem.lambda[c][k] *= 0.99;
            REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &again));
            CHECK(again.report.converged && again.report.newton_steps <= 25);
            CHECK_NEAR(weight_error(&rig.problem, stacks[i]), 0.0, 1e-5);
            rig_destroy(&rig);
        }
}

/* Every contact ten times over: forces among them are anybody's guess, their sum is not, nor is the motion. */
TEST(contacts_may_be_redundant)
{
    enum { COPIES = 10 };
    StackChoice choice = {10, 1.0, 1.0, 0.0015, 0.02};
    Rig one, many;
    TnIslandResult result;
    const double zero[3] = {0};
    REQUIRE(rig_create(&one) && stack_problem(&one.problem, &one.arena, choice));
    REQUIRE(rig_create(&many));
    TnProblem *p = &many.problem, *from = &one.problem;
    REQUIRE(tn_problem_init(
        p, &many.arena,
        (TnProblemSize){.twists = choice.count, .contacts = COPIES * 4 * choice.count}));
    memcpy(p->twist_batch, from->twist_batch, sizeof *p->twist_batch * (size_t)p->twist_batches);
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *b = &from->contact_batch[c / COPIES / TN_LANES];
        int l = c / COPIES % TN_LANES;
        const double arm_a[3] = {b->arm_a[0][l], b->arm_a[1][l], b->arm_a[2][l]};
        const double arm_b[3] = {b->arm_b[0][l], b->arm_b[1][l], b->arm_b[2][l]};
        tn_problem_set_contact(p, c, b->row_a[l], b->row_b[l], arm_a, arm_b, (double[]){0, 0, 1},
                               zero, 0.5, zero);
    }
    REQUIRE(tn_problem_prepare_A(p, NULL));
    REQUIRE(solve_island(&many, TN_METHOD_NEWTON, 1e-6, &result));
    CHECK(result.report.converged);
    double mass = choice.count, force[3] = {0};
    for (int c = 0; c < 4 * COPIES; c++) v3_add(force, force, p->lambda[c]);
    CHECK_NEAR(force[2], mass * stack_gravity, 1e-5 * mass * stack_gravity);
    CHECK_NEAR(force[0], -0.02 * mass * stack_gravity, 1e-5 * mass * stack_gravity);
    rig_destroy(&one);
    rig_destroy(&many);
}

/* ---- one body, one wall or two ---- */

typedef struct Push {
    double normal, mu, speed; /* e along the normal */
} Push;

/* A body of 1 kg in a step of 10 ms, weight along -z, and contacts at its centre with normals ± z. */
static bool pushed_body(Rig *rig, const Push *pushes, int count, double sideways)
{
    const double a = 100.0, S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};
    const double b[6] = {sideways * stack_gravity, 0, -stack_gravity, 0, 0, 0};
    if (!rig_create(rig) || !tn_problem_init(&rig->problem, &rig->arena,
                                             (TnProblemSize){.twists = 1, .contacts = count}))
        return false;
    tn_problem_set_twist(&rig->problem, 0, a, S, b, zero);
    for (int c = 0; c < count; c++)
        tn_problem_set_contact(
            &rig->problem, c, 0, 1, zero, zero, (double[]){0, 0, pushes[c].normal},
            (double[]){0, 0, pushes[c].normal * pushes[c].speed}, pushes[c].mu, zero);
    return tn_problem_prepare_A(&rig->problem, NULL);
}

/* Of two contacts at one place that ask for different speeds, the one that asks for more bears all. */
TEST(where_gaps_contradict_the_nearest_one_counts)
{
    const Push pushes[] = {{1, 0.5, 0.0}, {1, 0.5, -0.01}, {1, 0.5, 0.02}};
    Rig rig;
    TnIslandResult result;
    REQUIRE(pushed_body(&rig, pushes, 3, 0.0));
    REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-8, &result));
    CHECK(result.report.converged);
    double v[6];
    tn_problem_twist(&rig.problem, 0, v);
    /* 1e-8 of g·t is 1e-9 m/s, and 1e-7 N at 100 kg/s */
    CHECK_NEAR(v[2], 0.01, 1e-9);
    CHECK_NEAR(rig.problem.lambda[1][2], stack_gravity + 100.0 * 0.01, 1e-6);
    CHECK_NEAR(rig.problem.lambda[0][2], 0.0, 1e-6);
    CHECK_NEAR(rig.problem.lambda[2][2], 0.0, 1e-6);
    rig_destroy(&rig);
}

/* Pushed along by 0.3 of its weight: held from μ = 0.3 on, below it the rest accelerates it. */
TEST(friction_holds_what_it_can)
{
    static const double frictions[] = {0.0, 0.1, 0.29999, 0.30001, 1.0, 100.0};
    for (int i = 0; i < 6; i++) {
        const Push ground = {1, frictions[i], 0.0};
        Rig rig;
        TnIslandResult result;
        REQUIRE(pushed_body(&rig, &ground, 1, 0.3));
        REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-8, &result));
        CHECK(result.report.converged);
        double v[6], expected = fmax(0.0, 0.3 - frictions[i]) * stack_gravity / 100.0;
        tn_problem_twist(&rig.problem, 0, v);
        CHECK_NEAR(v[0], expected, 1e-9); /* 1e-8 of g·t */
        CHECK_NEAR(v[2], 0.0, 1e-9);
        rig_destroy(&rig);
    }
}

/* Floor and ceiling close in on a body: no velocity suits both. The end comes soon, says so, and has numbers in it. */
TEST(walls_that_close_in_end_without_convergence)
{
    const Push pushes[] = {{1, 0.5, -0.1}, {-1, 0.5, -0.1}};
    for (int method = TN_METHOD_AUTO; method <= TN_METHOD_NEWTON; method++) {
        Rig rig;
        TnIslandResult result;
        REQUIRE(pushed_body(&rig, pushes, 2, 0.1));
        REQUIRE(solve_island(&rig, (TnMethod)method, 1e-6, &result));
        CHECK(!result.report.converged);
        CHECK(isfinite(result.report.error) && result.report.error > 1e-6);
        CHECK(result.worst == TN_A_CONTACT);
        CHECK(result.report.newton_steps <= 100 && result.report.assembled_iterations <= 200);
        CHECK(is_finite(&rig.problem));
        rig_destroy(&rig);
    }
}

/* Two equalities on one axis that ask for different speeds. */
TEST(equalities_that_contradict_end_without_convergence)
{
    Rig rig;
    TnIslandResult result;
    TnProblem *p = &rig.problem;
    const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};
    REQUIRE(rig_create(&rig));
    REQUIRE(tn_problem_init(p, &rig.arena,
                            (TnProblemSize){.twists = 1, .rows = 2, .sides = 2, .entries = 2}));
    tn_problem_set_twist(p, 0, 100.0, S, zero, zero);
    for (int r = 0; r < 2; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .row = r, .start = r, .count = 1};
        p->index[r] = 0;
        p->coefficient[r] = 1.0;
        p->rows[r] =
            (TnRow){.set = TN_ROW_EQUALITY, .side_start = r, .side_count = 1, .e = r ? 0.1 : -0.1};
    }
    REQUIRE(tn_problem_prepare_A(p, NULL));
    REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-6, &result));
    CHECK(!result.report.converged && isfinite(result.report.error));
    CHECK(result.worst == TN_A_ROW);
    CHECK(is_finite(p));
    rig_destroy(&rig);
}

/* A slider along x against a wall across it, as the other methods have it: no force, and converged. */
TEST(what_cannot_yield_gets_no_force)
{
    Rig rig;
    TnMethodResult result;
    TnProblem *p = &rig.problem;
    const double zero[3] = {0}, y[3] = {0, 1, 0}, e[3] = {0, -0.1, 0}, start[3] = {1, 2, 3};
    REQUIRE(rig_create(&rig));
    REQUIRE(
        tn_problem_init(p, &rig.arena, (TnProblemSize){.larges = 1, .ports = 1, .contacts = 1}));
    REQUIRE(tn_problem_set_dense(p, 0, 1, 0, 1) && tn_problem_set_port(p, 0, 0));
    p->large[0].A[0] = 2.0;
    p->large[0].b[0] = 1.0;
    p->ports[0].T[0] = 1.0; /* linear x */
    tn_problem_set_contact(p, 0, 0, p->port_row, zero, zero, y, e, 0.5, start);
    REQUIRE(assemble(&rig));
    REQUIRE(newton(&rig, 1e-9, 20, &result));
    CHECK(result.error < 1e-9);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p->lambda[0][k], 0.0, 1e-9);
    rig_destroy(&rig);
}

/* ---- all classes of few contacts, one after the other ---- */

/* Bodies in the plane z = 0, three unknowns each, and contacts in it: by symmetry nothing leaves the plane, a contact is open,
 * sticks, or slips one way or the other, and each of the 4ⁿ choices is a linear system. */
enum { BODIES = 3, MOST = 4 };
typedef struct Plane {
    double mass[BODIES], inertia[BODIES], b[BODIES][3];
    int count, a[MOST], c[MOST]; /* bodies, 0: the world */
    double arm_a[MOST][2], arm_c[MOST][2], n[MOST][2], e[MOST][2], mu[MOST];
} Plane;

static void random_plane(Random *r, Plane *s, int count)
{
    *s = (Plane){.count = count};
    for (int i = 0; i < BODIES; i++) {
        s->mass[i] = 1.5 + uniform(r);
        s->inertia[i] = 1.5 + uniform(r);
        for (int k = 0; k < 3; k++) s->b[i][k] = 2.0 * uniform(r);
    }
    for (int j = 0; j < count; j++) {
        double angle = 3.14159 * uniform(r);
        s->c[j] = 1 + (int)(fabs(uniform(r)) * BODIES);
        do s->a[j] = (int)(fabs(uniform(r)) * (BODIES + 1));
        while (s->a[j] == s->c[j]);
        s->n[j][0] = cos(angle);
        s->n[j][1] = sin(angle);
        s->mu[j] = fabs(uniform(r));
        for (int k = 0; k < 2; k++) {
            s->arm_a[j][k] = uniform(r);
            s->arm_c[j][k] = uniform(r);
            s->e[j][k] = 0.3 * uniform(r);
        }
    }
}

/* u_n or u_t of contact j per unknown of the bodies: 3 each, x y angle. */
static void plane_row(const Plane *s, int j, bool tangent, double J[3 * BODIES])
{
    double d[2] = {s->n[j][0], s->n[j][1]};
    if (tangent) d[0] = -s->n[j][1], d[1] = s->n[j][0];
    memset(J, 0, sizeof(double) * 3 * BODIES);
    for (int side = 0; side < 2; side++) {
        int body = side ? s->c[j] : s->a[j];
        const double *arm = side ? s->arm_c[j] : s->arm_a[j];
        double sign = side ? 1.0 : -1.0, *at = J + 3 * (body - 1);
        if (!body) continue;
        at[0] += sign * d[0];
        at[1] += sign * d[1];
        at[2] += sign * (arm[0] * d[1] - arm[1] * d[0]);
    }
}

/* Gauss with pivots; false: singular. */
static bool dense_solve(int n, double *M, double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[best * n + k])) best = i;
        if (fabs(M[best * n + k]) < 1e-10) return false;
        for (int j = 0; j < n; j++) {
            double t = M[k * n + j];
            M[k * n + j] = M[best * n + j];
            M[best * n + j] = t;
        }
        double t = x[k];
        x[k] = x[best];
        x[best] = t;
        for (int i = k + 1; i < n; i++) {
            double f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= M[k * n + j] * x[j];
        x[k] /= M[k * n + k];
    }
    return true;
}

/* The velocities for one choice (0 open, 1 sticks, 2 and 3 slips with λ_t = ± μ λ_n), and whether all laws hold. */
static bool try_choice(const Plane *s, const int *choice, double v[3 * BODIES])
{
    enum { N = 3 * BODIES };
    double J[2 * MOST][N], way[2 * MOST][N], rest[2 * MOST], M[4 * MOST * MOST], x[2 * MOST];
    double inverse[N];
    int n = 0;
    for (int i = 0; i < N; i++) inverse[i] = 1.0 / (i % 3 < 2 ? s->mass[i / 3] : s->inertia[i / 3]);
    for (int j = 0; j < s->count; j++) {
        double normal[N], tangent[N], et = s->n[j][0] * s->e[j][1] - s->n[j][1] * s->e[j][0],
                                      en = s->n[j][0] * s->e[j][0] + s->n[j][1] * s->e[j][1];
        if (!choice[j]) continue;
        plane_row(s, j, false, normal);
        plane_row(s, j, true, tangent);
        double friction = choice[j] == 2 ? s->mu[j] : choice[j] == 3 ? -s->mu[j] : 0.0;
        for (int i = 0; i < N; i++) {
            J[n][i] = normal[i];
            way[n][i] = normal[i] + friction * tangent[i];
            J[n + 1][i] = way[n + 1][i] = tangent[i];
        }
        rest[n] = en;
        rest[n + 1] = et;
        n += choice[j] == 1 ? 2 : 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -rest[i];
        for (int k = 0; k < N; k++) x[i] -= J[i][k] * inverse[k] * s->b[k / 3][k % 3];
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0.0;
            for (int k = 0; k < N; k++) M[i * n + j] += J[i][k] * inverse[k] * way[j][k];
        }
    }
    if (!dense_solve(n, M, x)) return false;
    for (int k = 0; k < N; k++) {
        v[k] = s->b[k / 3][k % 3];
        for (int i = 0; i < n; i++) v[k] += way[i][k] * x[i];
        v[k] *= inverse[k];
    }
    for (int j = 0, at = 0; j < s->count; j++) {
        double normal[N], tangent[N], et = s->n[j][0] * s->e[j][1] - s->n[j][1] * s->e[j][0],
                                      en = s->n[j][0] * s->e[j][0] + s->n[j][1] * s->e[j][1];
        plane_row(s, j, false, normal);
        plane_row(s, j, true, tangent);
        for (int k = 0; k < N; k++) en += normal[k] * v[k], et += tangent[k] * v[k];
        if (!choice[j]) {
            if (en < 0.0) return false;
            continue;
        }
        if (x[at] < 0.0) return false;
        if (choice[j] == 1 && fabs(x[at + 1]) > s->mu[j] * x[at]) return false;
        if (choice[j] == 2 && et > 0.0) return false;
        if (choice[j] == 3 && et < 0.0) return false;
        at += choice[j] == 1 ? 2 : 1;
    }
    return true;
}

static bool plane_problem(Rig *rig, const Plane *s)
{
    TnProblem *p = &rig->problem;
    const double zero[6] = {0};
    if (!rig_create(rig) ||
        !tn_problem_init(p, &rig->arena, (TnProblemSize){.twists = BODIES, .contacts = s->count}))
        return false;
    for (int i = 0; i < BODIES; i++) {
        const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, s->inertia[i]};
        const double b[6] = {s->b[i][0], s->b[i][1], 0, 0, 0, s->b[i][2]};
        tn_problem_set_twist(p, i, s->mass[i], S, b, zero);
    }
    for (int j = 0; j < s->count; j++)
        tn_problem_set_contact(
            p, j, s->a[j], s->c[j], (double[]){s->arm_a[j][0], s->arm_a[j][1], 0},
            (double[]){s->arm_c[j][0], s->arm_c[j][1], 0}, (double[]){s->n[j][0], s->n[j][1], 0},
            (double[]){s->e[j][0], s->e[j][1], 0}, s->mu[j], zero);
    return tn_problem_prepare_A(p, NULL);
}

/* 1e-7 m/s: velocities are of order one, the error asked for is 1e-10, and few contacts amplify it. Where no choice solves
 * the problem (friction can jam) none must be claimed. */
TEST(few_contacts_end_in_one_of_all_their_classes)
{
    enum { N = 3 * BODIES };
    Random r = {11};
    int solved = 0, several = 0, none = 0, used[4] = {0};
    for (int round = 0; round < UNLESS_SANITIZED(1000, 100); round++) {
        Plane s;
        random_plane(&r, &s, 1 + round % MOST);
        Rig rig;
        TnIslandResult result;
        REQUIRE(plane_problem(&rig, &s));
        REQUIRE(solve_island(&rig, TN_METHOD_NEWTON, 1e-9, &result));
        double nearest = INFINITY;
        int solutions = 0, nearest_choice[MOST] = {0};
        for (int code = 0; code < 1 << (2 * s.count); code++) {
            int choice[MOST];
            double v[N], worst = 0.0;
            for (int j = 0; j < s.count; j++) choice[j] = code >> (2 * j) & 3;
            if (!try_choice(&s, choice, v)) continue;
            solutions++;
            for (int i = 0; i < BODIES; i++) {
                double twist[6];
                tn_problem_twist(&rig.problem, i, twist);
                worst = fmax(worst, fabs(twist[0] - v[3 * i]));
                worst = fmax(worst, fabs(twist[1] - v[3 * i + 1]));
                worst = fmax(worst, fabs(twist[5] - v[3 * i + 2]));
            }
            if (worst < nearest) {
                nearest = worst;
                memcpy(nearest_choice, choice, sizeof choice);
            }
        }
        none += solutions == 0;
        several += solutions > 1;
        if (solutions) {
            solved += result.report.converged;
            if (!result.report.converged || !(nearest < 1e-7))
                printf("    round %d: %d solutions, error %g, %g apart, classes %d %d %d %d\n",
                       round, solutions, result.report.error, nearest, nearest_choice[0],
                       nearest_choice[1], nearest_choice[2], nearest_choice[3]);
            CHECK(result.report.converged);
            CHECK_NEAR(nearest, 0.0, 1e-7);
            for (int j = 0; j < s.count; j++) used[nearest_choice[j]]++;
        } else {
            CHECK(!result.report.converged && is_finite(&rig.problem));
        }
        rig_destroy(&rig);
    }
    printf("    %d solved, %d with several solutions, %d with none\n", solved, several, none);
    for (int i = 0; i < 4; i++) CHECK(used[i] > 0);
}

TEST(a_warm_solve_allocates_nothing)
{
    Rig rig;
    TnMethodResult result;
    REQUIRE(rig_create(&rig) && make_problem(&rig, 5) && assemble(&rig));
    REQUIRE(newton(&rig, 0.0, 10, &result));
    long before = tn_malloc_count();
    REQUIRE(newton(&rig, 0.0, 10, &result));
    CHECK(tn_malloc_count() == before);
    rig_destroy(&rig);
}
