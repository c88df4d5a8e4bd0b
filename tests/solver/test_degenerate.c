/* Problems at the edge: every method solves them or says that it does not, within its iterations
 * and without a NaN. */
#include "../check.h"

#include "methods.h"
#include "public_problem.h"

static const double asked = 1e-10, same = 1e-8;

/* A body of six unknowns with unit inertia. */
static int add_body(Problem *p, double mass, double bx)
{
    int at = problem_add_block(p, 6);
    for (int k = 0; k < 6; k++) p->A[at + k][at + k] = mass;
    p->b[at] = bx;
    return at;
}

/* Normal x at an arm along y, between the body with unknowns from `at` and another one or (-1) the
 * world. */
static Law *add_contact(Problem *p, int at, int below, double arm, double mu)
{
    Law *law = problem_add_law(p, TN_SET_FRICTION);
    law->mu = mu;
    for (int k = 0; k < 3; k++) {
        p->J[law->row + k][at + k] = 1.0;
        if (below >= 0) p->J[law->row + k][below + k] = -1.0;
    }
    p->J[law->row][at + 5] = -arm; /* (ω × arm ŷ)_x = -ω_z arm, _z = ω_x arm */
    p->J[law->row + 2][at + 3] = arm;
    if (below >= 0) {
        p->J[law->row][below + 5] = arm;
        p->J[law->row + 2][below + 3] = -arm;
    }
    return law;
}

TEST(blocks_without_constraints_move_freely)
{
    static Problem p;
    Random r = {1};
    problem_clear(&p);
    for (int i = 0; i < 5; i++) random_block(&p, &r, 1 + i, 1.0);
    double v[MOST_UNKNOWNS];
    problem_velocities(&p, NULL, v);
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], asked, 100);
        CHECK_FOR(m, a.report.status == TN_OK && a.report.converged && a.report.iterations == 0);
        CHECK_NEAR(largest_apart(a.v, v, problem_unknowns(&p)), 0.0, 1e-13);
    }
}

TEST(nothing_at_all_is_solved)
{
    static Problem p;
    problem_clear(&p);
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], asked, 100);
        CHECK_FOR(m, a.report.status == TN_OK && a.report.converged);
    }
}

TEST(one_unknown_obeys_each_law)
{
    static const struct {
        Law law;
        double v, lambda;
    } cases[] = {
        {{.set = TN_SET_EQUALITY, .e = {0.5}}, -0.5, 2.0},
        {{.set = TN_SET_INEQUALITY}, 0.0, 3.0},
        {{.set = TN_SET_INEQUALITY, .e = {2.0}}, -1.5, 0.0},
        {{.set = TN_SET_BOX, .lower = -1.0, .upper = 1.0}, -1.0, 1.0},
        {{.set = TN_SET_BOX, .lower = -INFINITY, .upper = INFINITY}, 0.0, 3.0},
        {{.set = TN_SET_BOX, .lower = 1.0, .upper = 1.0}, -1.0, 1.0},
        {{.set = TN_SET_SOFT, .k = 4.0, .alpha = 0.5, .e = {0.25}}, -1.0, 1.0},
        {{.set = TN_SET_FRICTION, .mu = 0.5}, 0.0, 3.0}, /* its tangents act on nothing */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static Problem p;
        problem_clear(&p);
        problem_add_block(&p, 1);
        p.A[0][0] = 2.0;
        p.b[0] = -3.0;
        Law *law = problem_add_law(&p, cases[i].law.set);
        int rows = law->rows;
        *law = cases[i].law;
        law->rows = rows;
        p.J[0][0] = 1.0;
        for (int m = 0; m < METHODS; m++) {
            Answer a = problem_solve(&p, methods[m], asked, 10000);
            CHECK_FOR(m, a.report.converged);
            CHECK_NEAR(a.v[0], cases[i].v, 1e-9);
            CHECK_NEAR(a.lambda[0], cases[i].lambda, 1e-9);
        }
    }
}

TEST(one_iteration_is_one_iteration)
{
    static Problem p;
    random_problem(&p, 4, 9);
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], asked, 1);
        CHECK_FOR(m, a.report.status == TN_OK && answer_is_finite(&p, &a));
        CHECK_FOR(m, a.report.iterations <= 1);
        if (methods[m].method == TN_METHOD_NEWTON) continue;
        a = problem_solve(&p, methods[m], 0.0, 1);
        CHECK_FOR(m, a.report.status == TN_OK && answer_is_finite(&p, &a));
        CHECK_FOR(m, a.report.iterations == 1);
    }
}

TEST(rows_that_act_on_nothing_take_no_force)
{
    static const TnSet sets[] = {TN_SET_EQUALITY, TN_SET_INEQUALITY, TN_SET_BOX, TN_SET_FRICTION};
    static Problem p, with;
    random_problem(&p, 2, 6);
    with = p;
    for (int i = 0; i < 4; i++) {
        Law *law = problem_add_law(&with, sets[i]);
        law->mu = 0.5;
        law->upper = 1.0;
        law->home = i;
    }
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], asked, 10000);
        Answer b = problem_solve(&with, methods[m], asked, 10000);
        CHECK_FOR(m, b.report.converged && answer_is_finite(&with, &b));
        CHECK_NEAR(largest_apart(a.v, b.v, problem_unknowns(&p)), 0.0, same);
        for (int r = p.row_count; r < with.row_count; r++) CHECK_NEAR(b.lambda[r], 0.0, 0.0);
    }
}

/* A block that lies on three points of a plane, pushed down and along. */
static void block_on_plane(Problem *p, double mu)
{
    problem_clear(p);
    int at = add_body(p, 2.0, -4.0);
    p->b[at + 1] = 1.0;
    p->b[at + 2] = 0.5;
    add_contact(p, at, -1, 0.5, mu);
    add_contact(p, at, -1, -0.5, mu);
}

TEST(no_friction_and_endless_friction_are_slip_and_stick)
{
    static Problem p;
    for (int m = 0; m < METHODS; m++) {
        block_on_plane(&p, 0.0);
        Answer a = problem_solve(&p, methods[m], asked, 10000);
        CHECK_FOR(m, a.report.converged);
        CHECK_NEAR(a.v[0], 0.0, same);
        CHECK_NEAR(a.v[1], 0.5, same);
        CHECK_NEAR(a.v[2], 0.25, same);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(hypot(a.lambda[3 * i + 1], a.lambda[3 * i + 2]), 0.0, 0.0);
        block_on_plane(&p, 1e6);
        a = problem_solve(&p, methods[m], asked, 10000);
        CHECK_FOR(m, a.report.converged);
        for (int k = 0; k < 6; k++) CHECK_NEAR(a.v[k], 0.0, same);
    }
}

TEST(every_constraint_ten_times_is_the_same_as_once)
{
    static Problem p, ten;
    random_problem(&p, 7, 4);
    ten = p;
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < p.law_count; i++) {
            Law *law = problem_add_law(&ten, p.laws[i].set);
            int row = law->row;
            *law = p.laws[i];
            law->row = row;
            memcpy(ten.J[row], p.J[p.laws[i].row], sizeof p.J[0] * (size_t)law->rows);
        }
    for (int i = 0; i < ten.law_count; i++) { /* ten springs, ten bounds add up */
        ten.laws[i].k /= 10.0;
        ten.laws[i].lower /= 10.0;
        ten.laws[i].upper /= 10.0;
    }
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], asked, 100000);
        Answer b = problem_solve(&ten, methods[m], asked, 100000);
        CHECK_FOR(m, b.report.converged);
        CHECK_NEAR(largest_apart(a.v, b.v, problem_unknowns(&p)), 0.0, same);
    }
}

/* Three on top of each other, the heavy one below, between or above: methods that know the whole
 * matrix solve all of them. From body to body it takes about as many iterations as the heavy one is
 * heavier than what carries it: too many, and that must be said. */
TEST(a_mass_ratio_of_a_million_is_solved_or_told)
{
    static Problem p;
    for (int heavy = 0; heavy < 3; heavy++) {
        problem_clear(&p);
        double weight = 0.0, below[3];
        int at[3];
        for (int i = 0; i < 3; i++) {
            double mass = i == heavy ? 1e6 : 1.0;
            at[i] = add_body(&p, mass, -0.1 * mass);
            p.b[at[i] + 1] = 0.01 * mass;
            for (int s = -1; s <= 1; s += 2)
                add_contact(&p, at[i], i ? at[i - 1] : -1, 0.5 * s, 0.5);
        }
        for (int i = 2; i >= 0; i--) below[i] = weight += i == heavy ? 1e5 : 0.1;
        for (int m = 0; m < METHODS; m++) {
            Answer a = problem_solve(&p, methods[m], asked, 10000);
            CHECK_FOR(m, a.report.status == TN_OK && answer_is_finite(&p, &a));
            CHECK_FOR(m, a.report.converged || (is_local(methods[m]) && heavy));
            if (methods[m].method == TN_METHOD_AUTO)
                CHECK(a.report.islands_by_method[TN_METHOD_SMALL] == 1);
            CHECK_FOR(m, a.report.converged == (a.report.error < asked));
            if (!a.report.converged) continue;
            for (int i = 0; i < 18; i++) CHECK_NEAR(a.v[i], 0.0, same);
            /* the light one's forces are known to same / 1e-6 of its own compliance, at worst */
            for (int i = 0; i < 3; i++)
                CHECK_NEAR((a.lambda[6 * i] + a.lambda[6 * i + 3]) / below[i], 1.0, 1e-3);
        }
    }
}

/* Two bodies joined by rows move as one, whichever is the heavy one. */
TEST(a_light_body_held_by_a_heavy_one_moves_with_it)
{
    static Problem p;
    for (int heavy = 0; heavy < 2; heavy++) {
        problem_clear(&p);
        for (int i = 0; i < 2; i++) add_body(&p, i == heavy ? 1e6 : 1.0, i == heavy ? 2e6 : 5.0);
        for (int k = 0; k < 6; k++) {
            const Law *law = problem_add_law(&p, TN_SET_EQUALITY);
            p.J[law->row][k] = 1.0;
            p.J[law->row][6 + k] = -1.0;
        }
        for (int m = 0; m < METHODS; m++) {
            Answer a = problem_solve(&p, methods[m], asked, 10000);
            CHECK_FOR(m, a.report.converged);
            for (int i = 0; i < 12; i += 6) CHECK_NEAR(a.v[i], 2000005.0 / 1000001.0, same);
        }
    }
}

/* Bodies between two contacts back to back that leave them a little room, or none. */
TEST(what_is_held_with_little_room_is_solved)
{
    static Problem p;
    Random r = {2};
    int assembled_solved = 0, rounds = UNLESS_SANITIZED(60, 10);
    for (int round = 0; round < rounds; round++) {
        problem_clear(&p);
        for (int i = 0; i < 3; i++) {
            double frame[3][3];
            random_block(&p, &r, 6, 1.0);
            random_frame(&r, frame);
            Law *one = problem_add_law(&p, TN_SET_FRICTION);
            one->mu = 0.6;
            for (int k = 0; k < 3; k++) one->e[k] = 0.05 * uniform(&r);
            random_side(&p, &r, one, i, frame);
            Law *other = problem_add_law(&p, TN_SET_FRICTION);
            other->mu = one->mu;
            for (int k = 0; k < 3; k++) {
                other->e[k] = -one->e[k];
                for (int j = p.start[i]; j < p.start[i + 1]; j++)
                    p.J[other->row + k][j] = -p.J[one->row + k][j];
            }
            if (i) other->e[0] += 0.01 * fabs(uniform(&r));
        }
        for (int m = 0; m < METHODS; m++) {
            /* those who begin with accelerated ADMM go round in circles on some, and say so */
            if (methods[m].method == TN_METHOD_NEWTON) continue;
            Answer a = problem_solve(&p, methods[m], 1e-8, 20000);
            if (methods[m].method == TN_METHOD_ASSEMBLED)
                assembled_solved += a.report.converged;
            else
                CHECK_FOR(m, a.report.converged);
        }
    }
    CHECK(2 * assembled_solved >= rounds);
}

/* ---- what has no solution ---- */

enum { LIMIT = 500 };
static void check_hopeless(const Problem *p)
{
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(p, methods[m], 1e-8, LIMIT);
        CHECK_FOR(m, a.report.status == TN_OK);
        CHECK_FOR(m, !a.report.converged && a.report.error > 1e-8);
        CHECK_FOR(m, a.report.iterations <= LIMIT);
        CHECK_FOR(m, answer_is_finite(p, &a));
    }
}

TEST(equalities_that_contradict_each_other_are_not_solved)
{
    static Problem p;
    random_problem(&p, 3, 5);
    for (int i = 0; i < 2; i++) {
        Law *law = problem_add_law(&p, TN_SET_EQUALITY);
        law->e[0] = i ? 1.0 : -1.0;
        for (int k = 0; k < p.start[1]; k++) p.J[law->row][k] = 1.0;
    }
    check_hopeless(&p);
}

TEST(inequalities_that_contradict_each_other_are_not_solved)
{
    static Problem p;
    random_problem(&p, 3, 5);
    for (int i = 0; i < 2; i++) {
        Law *law = problem_add_law(&p, TN_SET_INEQUALITY);
        law->e[0] = -1.0;
        for (int k = 0; k < p.start[1]; k++) p.J[law->row][k] = i ? 1.0 : -1.0;
    }
    check_hopeless(&p);
}

TEST(a_body_pressed_between_two_walls_that_approach_is_not_solved)
{
    static Problem p;
    problem_clear(&p);
    int at = add_body(&p, 1.0, 0.0);
    add_contact(&p, at, -1, 0.3, 0.5)->e[0] = -1.0;
    const Law *law = add_contact(&p, at, -1, 0.3, 0.5);
    for (int k = 0; k < 18; k++) p.J[law->row + k / 6][at + k % 6] *= -1.0;
    p.laws[1].e[0] = -1.0;
    check_hopeless(&p);
}

TEST(rows_that_act_on_nothing_and_do_not_hold_are_not_solved)
{
    static const TnSet sets[] = {TN_SET_EQUALITY, TN_SET_INEQUALITY, TN_SET_FRICTION};
    static Problem p;
    for (int i = 0; i < 3; i++) {
        random_problem(&p, 3, 5);
        problem_add_law(&p, sets[i])->e[0] = -1.0;
        check_hopeless(&p);
    }
}

/* ---- numbers beyond all measure ---- */

TEST(numbers_out_of_range_end_as_zeros_and_are_not_solved)
{
    static Problem p;
    problem_clear(&p);
    add_body(&p, 1.0, -1e300);
    add_contact(&p, 0, -1, 1e200, 0.5);
    for (int m = 0; m < METHODS; m++) {
        Answer a = problem_solve(&p, methods[m], 1e-8, LIMIT);
        CHECK_FOR(m, a.report.status == TN_OK && !a.report.converged);
        CHECK_FOR(m, answer_is_finite(&p, &a));
    }
}

TEST(bounds_that_leave_no_finite_force_are_refused)
{
    static Problem p;
    problem_clear(&p);
    add_body(&p, 1.0, 1.0);
    Law *law = problem_add_law(&p, TN_SET_BOX);
    law->lower = law->upper = INFINITY;
    p.J[0][0] = 1.0;
    Answer a = problem_solve(&p, (Method){.method = TN_METHOD_AUTO}, 1e-8, LIMIT);
    CHECK(a.report.status == TN_ERROR_USAGE);
}
