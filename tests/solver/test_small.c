/* Small islands as one full matrix: W and its laws against the block by block way, solutions
 * against those of the other methods, and what is degenerate. */
#include "../check.h"

#include "any_problem.h"
#include "solver/law/law.h"
#include "solver/small/small.h"

/* Twists and dense blocks with every kind of row and contact, some of them on one block alone. */
enum { SEEDS = 400 };
static bool make(Rig *rig, int seed)
{
    int rows = 2 + seed % 13;
    if (rows % 7 == 6) rows++; /* the last one is a rolling row without its partner */
    tn_arena_reset(&rig->arena);
    return random_problem(&rig->problem, &rig->arena, (uint64_t)seed + 100, 1 + seed % 5,
                          2 + seed % 9, rows);
}

static bool is_self_contact(const TnProblem *p, int c)
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int a = batch->row_a[c % TN_LANES], b = batch->row_b[c % TN_LANES];
    return a >= p->port_row && b >= p->port_row &&
           p->ports[a - p->port_row].block == p->ports[b - p->port_row].block;
}

/* u of random forces: by W, and by solving each block. Well conditioned blocks: rounding. */
TEST(velocities_are_those_of_the_blocks)
{
    static Rig rig;
    REQUIRE(rig_create(&rig));
    for (int seed = 0; seed < SEEDS; seed++) {
        TnProblem *p = &rig.problem;
        TnSmall s;
        TnPerConstraint u, lambda;
        REQUIRE(make(&rig, seed));
        REQUIRE(tn_small_fits(p) && tn_small_build(p, &s));
        tn_small_put(&s); /* without what bears nothing */
        REQUIRE(assemble(&rig) && state_of(&rig, &u, &lambda));
        for (int c = 0; c < p->contact_count; c++) {
            double frame[3][3];
            v3_copy(frame[0], p->normals[c]);
            v3_tangents(frame[0], frame[1], frame[2]);
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(s.u[3 * c + k], v3_dot(frame[k], u.contact[c]), 1e-11);
        }
        for (int r = 0; r < p->row_count; r++)
            CHECK_NEAR(s.u[3 * p->contact_count + r], u.row[r], 1e-11);
        /* v, and J v + e of it */
        tn_small_finish(&s);
        TnVelocities v;
        REQUIRE(tn_velocities_alloc(p, &v));
        tn_velocities_implied(p, &v);
        for (int row = 1; row < p->table_rows; row++)
            for (int k = 0; k < 8; k++) CHECK_NEAR(p->twist[row][k], v.twist[row][k], 1e-11);
        tn_small_velocities(&s, s.next_u);
        for (int i = 0; i < s.n; i++) CHECK_NEAR(s.next_u[i], s.u[i], 1e-11);
    }
    rig_destroy(&rig);
}

/* The same map as everywhere, where D is the same: contacts of a block with itself have a D of
 * their own here, without what cancels between both sides. */
TEST(the_natural_map_is_that_of_all_methods)
{
    static Rig rig;
    int compared = 0;
    REQUIRE(rig_create(&rig));
    for (int seed = 0; seed < SEEDS; seed++) {
        TnProblem *p = &rig.problem;
        TnSmall s;
        TnPerConstraint u, lambda;
        bool self = false;
        REQUIRE(make(&rig, seed));
        for (int c = 0; c < p->contact_count; c++) self = self || is_self_contact(p, c);
        for (int r = 0; r < p->row_count; r++)
            for (int i = 0; i < p->rows[r].side_count; i++) /* and rows with two sides on one */
                for (int k = 0; k < i; k++)
                    self = self || p->sides[p->rows[r].side_start + i].block ==
                                       p->sides[p->rows[r].side_start + k].block;
        if (self) continue;
        REQUIRE(tn_small_build(p, &s));
        tn_small_put(&s);
        REQUIRE(assemble(&rig) && state_of(&rig, &u, &lambda));
        TnNaturalMap map = tn_natural_map(p, &rig.D, &u, &lambda),
                     small = tn_small_map(&s, s.lambda, s.u);
        CHECK_NEAR(small.largest, map.largest, 1e-11 * (1.0 + map.largest));
        CHECK(small.worst == map.worst && small.worst_index == map.worst_index);
        compared++;
    }
    CHECK(compared >= SEEDS / 4);
    rig_destroy(&rig);
}

/* To 1e-10 of g·t, judged by the others' map. Coulomb's law may have several solutions, of which
 * each finds one; in one problem of 400 they differ. */
TEST(solutions_are_those_of_newton)
{
    static Rig rig, other;
    int solved_here = 0, another = 0;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-10;
    def.velocity_scale = g_t;
    REQUIRE(rig_create(&rig) && rig_create(&other));
    for (int seed = 0; seed < SEEDS; seed++) {
        TnIslandResult result, newton;
        REQUIRE(make(&rig, seed) && make(&other, seed));
        REQUIRE(tn_small_solve(&rig.problem, &def, &result));
        REQUIRE(assemble(&other) && solve_island(&other, TN_METHOD_NEWTON, 1e-10, &newton));
        if (!result.report.converged) continue;
        solved_here++;
        REQUIRE(assemble(&rig));
        CHECK_NEAR(error_of(&rig), 0.0, 1e-9 * g_t);
        CHECK(result.report.method == TN_METHOD_SMALL && result.report.converged);
        if (newton.report.converged && !(apart(&rig, &other) < 1e-7)) another++;
    }
    CHECK(solved_here >= SEEDS * 19 / 20);
    CHECK(another <= SEEDS / 100);
    rig_destroy(&other);
    rig_destroy(&rig);
}

/* From its own solution one look is enough, and nothing changes. */
TEST(a_solution_is_left_as_it_is)
{
    static Rig rig;
    TnSolverDef def = tn_solver_def();
    def.velocity_scale = g_t;
    def.tolerance = 1e-6;
    REQUIRE(rig_create(&rig));
    for (int seed = 0; seed < SEEDS; seed++) {
        TnIslandResult result;
        REQUIRE(make(&rig, seed));
        def.tolerance = 1e-9;
        REQUIRE(tn_small_solve(&rig.problem, &def, &result));
        if (!result.report.converged) continue;
        def.tolerance = 1e-6;
        REQUIRE(tn_small_solve(&rig.problem, &def, &result));
        CHECK(result.report.converged && result.report.newton_steps == 0 &&
              result.report.sweeps == 0);
        CHECK(result.report.method == TN_METHOD_AUTO);
    }
    rig_destroy(&rig);
}

/* A direction in which nothing yields takes no force, and does not make it fail. */
TEST(what_yields_nothing_bears_nothing)
{
    static Rig rig;
    TnSolverDef def = tn_solver_def();
    TnIslandResult result;
    def.velocity_scale = g_t;
    REQUIRE(rig_create(&rig));
    REQUIRE(pushed_slider_with_rows(&rig));
    REQUIRE(tn_small_solve(&rig.problem, &def, &result));
    CHECK(is_finite(&rig.problem));
    for (int k = 0; k < 3; k++) CHECK_NEAR(rig.problem.lambda[0][k], 0.0, 0.0);
    CHECK_NEAR(rig.problem.rows[0].lambda, 0.0, 0.0);
    rig_destroy(&rig);
}

/* Chains, meshes and bonds have ways of their own, and so has what is large. */
TEST(what_does_not_fit_is_left_alone)
{
    static Rig rig;
    REQUIRE(rig_create(&rig));
    for (int which = 3; which < PROBLEMS; which++) {
        tn_arena_reset(&rig.arena);
        REQUIRE(make_problem(&rig, which));
        CHECK(!tn_small_fits(&rig.problem));
    }
    tn_arena_reset(&rig.arena);
    REQUIRE(random_problem(&rig.problem, &rig.arena, 1, 4, 520, 0));
    CHECK(!tn_small_fits(&rig.problem));
    rig_destroy(&rig);
}

/* Three equalities on two unknowns. What the third asks for beyond what the others give cannot be:
 * it is what they tell, they hold, and the report says by how much. Where nothing was linearized,
 * it means what it asks for, and the problem has no solution. */
TEST(an_equality_that_others_tell_is_what_they_tell)
{
    static const double J[3][2] = {{1.0, 0.0}, {0.0, 1.0}, {0.6, 0.8}};
    static const double off[] = {0.0, 1e-3, 0.5, 0.5}; /* velocity_scale; the last one exact */
    for (int k = 0; k < 4; k++) {
        Rig rig;
        TnSolverDef def = tn_solver_def();
        TnIslandResult result;
        def.velocity_scale = g_t;
        REQUIRE(rig_create(&rig));
        TnProblem *p = &rig.problem;
        TnProblemSize size = {.larges = 1, .rows = 3, .sides = 3, .entries = 6};
        REQUIRE(tn_problem_init(p, &rig.arena, size) && tn_problem_set_dense(p, 0, 2, 0, 0));
        p->exact = k == 3;
        double *A = tn_problem_dense_A(p, 0);
        A[0] = 2.0, A[3] = 3.0;
        for (int r = 0; r < 3; r++) {
            double e = 0.1 * J[r][0] + 0.2 * J[r][1] + (r == 2 ? off[k] * g_t : 0.0);
            p->rows[r] = (TnRow){.set = TN_ROW_EQUALITY, .side_start = r, .side_count = 1, .e = e};
            p->sides[r] = (TnRowSide){.block = 0, .start = 2 * r, .count = 2};
            for (int i = 0; i < 2; i++) {
                p->index[2 * r + i] = i;
                p->coefficient[2 * r + i] = J[r][i];
            }
        }
        REQUIRE(tn_small_solve(p, &def, &result));
        CHECK(result.report.converged == (k < 3));
        /* rounding of the elimination: some 1e-16 of e */
        CHECK_NEAR(result.report.contradiction, k < 3 ? off[k] * g_t : 0.0, 1e-15);
        for (int i = 0; k < 3 && i < 2; i++)
            CHECK_NEAR(p->large[0].v[i], i ? -0.2 : -0.1, 1e-6 * g_t);
        if (k == 1 || k == 2) CHECK(result.worst == TN_A_ROW && result.worst_index == 2);
        rig_destroy(&rig);
    }
}
