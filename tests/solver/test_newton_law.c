/* The laws of contacts, rows and bonds: where the natural map is zero, and the lines and slopes
 * that Newton's method sees. */
#include "../check.h"

#include "any_problem.h"
#include "solver/law/law.h"
#include "solver/method/newton_law.h"

/* ---- the natural map at solutions made by hand ---- */

enum { HAND_ROWS = 6 };
static const TnRowSet hand_sets[HAND_ROWS] = {
    TN_ROW_EQUALITY, TN_ROW_INEQUALITY, TN_ROW_BOX, TN_ROW_SPIN, TN_ROW_ROLL, TN_ROW_ROLL_PARTNER};

/* One free body of a = 2 and S = 1, one contact with the ground at its centre, μ = 0.5, and one row
 * of each kind on the body. D is 1/2 for the contact and 1 for rows, which are about its
 * rotation. */
static bool hand_made(Rig *rig, TnPerConstraint *u, TnPerConstraint *lambda)
{
    TnProblem *p = &rig->problem;
    const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0}, up[3] = {0, 0, 1};
    TnProblemSize size = {
        .twists = 1, .contacts = 1, .rows = HAND_ROWS, .sides = HAND_ROWS, .entries = HAND_ROWS};
    if (!rig_create(rig) || !tn_problem_init(p, &rig->arena, size)) return false;
    tn_problem_set_twist(p, 0, 2.0, S, zero, zero);
    tn_problem_set_contact(p, 0, 0, 1, zero, zero, up, zero, 0.5, zero);
    for (int r = 0; r < HAND_ROWS; r++) {
        p->sides[r] = (TnRowSide){.block = 0, .row = r, .start = r, .count = 1};
        p->index[r] = 3 + r % 3;
        p->coefficient[r] = 1.0;
        p->rows[r] = (TnRow){.set = hand_sets[r],
                             .side_start = r,
                             .side_count = 1,
                             .lower = -1.0,
                             .upper = 2.0,
                             .mu = 0.1};
    }
    return assemble(rig) && tn_per_constraint_alloc(p, u) && tn_per_constraint_alloc(p, lambda);
}

typedef struct HandCase {
    const char *name;
    double u[3], lambda[3]; /* contact, the normal last */
    double row_u[HAND_ROWS], row_lambda[HAND_ROWS];
} HandCase;

static double map_of(Rig *rig, TnPerConstraint *u, TnPerConstraint *lambda, const HandCase *at)
{
    memcpy(u->contact[0], at->u, sizeof at->u);
    memcpy(lambda->contact[0], at->lambda, sizeof at->lambda);
    memcpy(u->row, at->row_u, sizeof at->row_u);
    memcpy(lambda->row, at->row_lambda, sizeof at->row_lambda);
    return tn_natural_map(&rig->problem, &rig->D, u, lambda).largest;
}

/* Numbers of few bits, so that a solution's map is zero to the last one. */
TEST(the_natural_map_is_zero_at_solutions)
{
    static const HandCase cases[] = {
        {"open, all rows at rest", {0.25, -1, 0.5}, {0}, {0}, {0}},
        {"touching without a force", {1, 2, 0}, {0}, {0}, {0}},
        {"sticking", {0}, {0.5, 0.25, 4}, {0}, {3, 2, 1, 0.25, -0.25, 0.125}},
        {"sticking at the bound", {0}, {2, 0, 4}, {0}, {-3, 0, -1, 0.4, 0, 0}},
        {"slipping", {0, -0.5, 0}, {0, 2, 4}, {0, 0.5, 0.5, -1, 0, 0}, {0, 0, -1, 0.4, 0, 0}},
        {"slipping aslant, rolling",
         {-0.75, 1, 0},
         {1.5, -2, 5},
         {0, 0, -2, 1, -3, 4},
         {0, 1, 2, -0.5, 0.3, -0.4}},
    };
    Rig rig;
    TnPerConstraint u, lambda;
    REQUIRE(hand_made(&rig, &u, &lambda));
    CHECK_NEAR(rig.D.contact[0].D[0][0], 0.5, 1e-15);
    CHECK_NEAR(rig.D.row[0], 1.0, 1e-15);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double map = map_of(&rig, &u, &lambda, &cases[i]);
        /* 0.4 = 0.1 · 4 and hypot are rounded */
        if (!(map <= 1e-15)) printf("    %s\n", cases[i].name);
        CHECK_NEAR(map, 0.0, 1e-15);
    }
    rig_destroy(&rig);
}

/* One number off by 0.01, and the map is at least 0.01 times the least that D, or the share of it
 * that a turn of a slipping force makes, leaves of it: 0.001. */
TEST(the_natural_map_is_not_zero_next_to_solutions)
{
    static const HandCase cases[] = {
        {"open with a force", {0.25, -1, 0.5}, {0, 0, 0.01}, {0}, {0}},
        {"open with friction", {0.25, -1, 0.5}, {0.01, 0, 0}, {0}, {0}},
        {"pulling", {0}, {0, 0, -0.01}, {0}, {0}},
        {"penetrating", {0, 0, -0.01}, {0}, {0}, {0}},
        {"lifting with a force", {0, 0, 0.01}, {0.5, 0.25, 4}, {0}, {0}},
        {"creeping", {0.01, 0, 0}, {0.5, 0.25, 4}, {0}, {0}},
        {"creeping across", {0, -0.01, 0}, {0.5, 0.25, 4}, {0}, {0}},
        {"beyond the bound", {0}, {2.01, 0, 4}, {0}, {0}},
        {"slipping with too little", {0, -0.5, 0}, {0, 1.99, 4}, {0}, {0}},
        {"slipping along the force", {0, 0.5, 0}, {0, 2, 4}, {0}, {0}},
        {"slipping turned", {0.01, -0.5, 0}, {0, 2, 4}, {0}, {0}},
        {"slipping and lifting", {0, -0.5, 0.01}, {0, 2, 4}, {0}, {0}},
        {"an equality that moves", {0}, {0}, {0.01, 0, 0, 0, 0, 0}, {3, 0, 0, 0, 0, 0}},
        {"a limit that moves in", {0}, {0}, {0, -0.01, 0, 0, 0, 0}, {0}},
        {"a limit that pulls", {0}, {0}, {0}, {0, -0.01, 0, 0, 0, 0}},
        {"a limit that pushes off", {0}, {0}, {0, 0.01, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}},
        {"a box that slips inside", {0}, {0}, {0, 0, 0.01, 0, 0, 0}, {0}},
        {"a box at the wrong end", {0}, {0}, {0, 0, 0.01, 0, 0, 0}, {0, 0, 2, 0, 0, 0}},
        {"a box beyond its end", {0}, {0}, {0}, {0, 0, 2.01, 0, 0, 0}},
        {"spin beyond its bound", {0}, {0, 0, 4}, {0}, {0, 0, 0, 0.41, 0, 0}},
        {"spin that slips inside", {0}, {0, 0, 4}, {0, 0, 0, 0.01, 0, 0}, {0}},
        {"spin without a normal force", {0, 0, 1}, {0}, {0}, {0, 0, 0, 0.01, 0, 0}},
        {"roll beyond its bound", {0}, {0, 0, 4}, {0}, {0, 0, 0, 0, 0.3, 0.3}},
        {"roll that slips inside", {0}, {0, 0, 4}, {0, 0, 0, 0, 0, 0.01}, {0}},
    };
    Rig rig;
    TnPerConstraint u, lambda;
    REQUIRE(hand_made(&rig, &u, &lambda));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double map = map_of(&rig, &u, &lambda, &cases[i]);
        if (!(map >= 0.001)) printf("    %s\n", cases[i].name);
        CHECK(map >= 0.001);
    }
    rig_destroy(&rig);
}

/* ---- lines and slopes ---- */

typedef struct LawRig {
    Rig rig;
    TnLaws laws;
    TnPerConstraint u, direction, trial, before, after, line, moved;
    unsigned char *class;
} LawRig;

/* Random forces to soften about, and random velocities of the size that changes classes. */
static bool random_laws(LawRig *l, int which, Random *r)
{
    TnProblem *p = &l->rig.problem;
    TnPerConstraint *all[] = {&l->u,     &l->direction, &l->trial, &l->before,
                              &l->after, &l->line,      &l->moved};
    if (!rig_create(&l->rig) || !make_problem(&l->rig, which) || !assemble(&l->rig)) return false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    int classes = p->contact_count + p->row_count;
    l->class = TN_ARENA_NEW(p->arena, unsigned char, classes + 1);
    if (!l->class || !tn_laws_alloc(p, &l->rig.D, &l->laws)) return false;
    l->laws.R = l->laws.reach = 10.0;
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            l->laws.centre.contact[c][k] = 0.6 * p->normals[c][k] + 0.3 * uniform(r);
    for (int i = 0; i < p->row_count; i++) l->laws.centre.row[i] = 0.2 * uniform(r);
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++) l->laws.centre.bond[i][k] = uniform(r);
    return true;
}

/* Some contacts move little enough to stick. */
static void random_motion(Random *r, const LawRig *l, TnPerConstraint *out)
{
    const TnProblem *p = l->laws.problem;
    for (int c = 0; c < p->contact_count; c++) {
        double size = (c % 3 == 0 ? 0.01 : 0.1) * l->rig.D.contact[c / TN_LANES].D[1][c % TN_LANES];
        for (int k = 0; k < 3; k++) out->contact[c][k] = size * uniform(r);
    }
    for (int i = 0; i < p->row_count; i++) out->row[i] = 0.05 * l->rig.D.row[i] * uniform(r);
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++) out->bond[i][k] = 0.01 * uniform(r);
}

static void shift(const TnPerConstraint *from, double s, const TnPerConstraint *way,
                  TnPerConstraint *to)
{
    for (size_t i = 0; i < to->count; i++) to->all[i] = from->all[i] + s * way->all[i];
}

static void law_error(double *worst, double got, double expected, double size)
{
    *worst = fmax(*worst, fabs(got - expected) / (size + 1e-3));
}

/* Of a contact, or, behind them, of a row. */
static unsigned char class_of(const TnLaws *laws, int i)
{
    int contacts = laws->problem->contact_count;
    return i < contacts ? (unsigned char)laws->state[i / TN_LANES][i % TN_LANES]
                        : laws->row_state[i - contacts];
}

/* Spin and rolling friction at their bounds have a force, not a slope: they wait for the normal
 * force. */
static bool has_line(const LawRig *l, int row)
{
    const TnProblem *p = l->laws.problem;
    return !tn_row_is_disc(&p->rows[row]) || l->laws.row_state[row] == TN_STATE_HELD;
}

/* The line meets the law at u to rounding, and changes with it: differences of 1e-6 both ways leave
 * 1e-12 of curvature, and rounding 1e-9; both times the laws' gains, some hundreds. */
TEST(lines_agree_with_the_laws_to_first_order)
{
    Random r = {5};
    int seen[3] = {0};
    for (int which = 0; which < PROBLEMS; which++)
        for (int round = 0; round < 10; round++) {
            LawRig l;
            REQUIRE(random_laws(&l, which, &r));
            const TnProblem *p = &l.rig.problem;
            const double h = 1e-6;
            int classes = p->contact_count + p->row_count;
            double at = 0.0, change = 0.0;
            random_motion(&r, &l, &l.u);
            random_motion(&r, &l, &l.direction);
            for (int side = -1; side <= 1;
                 side += 2) { /* which classes are the same on both sides */
                shift(&l.u, side * h, &l.direction, &l.trial);
                tn_laws_at(&l.laws, &l.trial);
                for (int i = 0; i < classes; i++) {
                    unsigned char class = class_of(&l.laws, i);
                    l.class[i] = side < 0 || l.class[i] == class ? class : 99;
                }
                TnPerConstraint *out = side < 0 ? &l.before : &l.after;
                memcpy(out->all, l.laws.force.all, sizeof(double) * out->count);
                tn_laws_force(&l.laws, &l.trial);
                for (size_t i = 0; i < out->count; i++)
                    law_error(&at, l.laws.force.all[i], out->all[i], fabs(out->all[i]));
            }
            tn_laws_at(&l.laws, &l.u);
            tn_laws_linear(&l.laws, &l.u, &l.line);
            for (size_t i = 0; i < l.u.count; i++)
                law_error(&at, l.line.all[i], l.laws.force.all[i], fabs(l.laws.force.all[i]));
            shift(&l.u, 1.0, &l.direction, &l.trial);
            tn_laws_linear(&l.laws, &l.trial, &l.moved);
            for (int c = 0; c < p->contact_count; c++) {
                if (l.class[c] > 2) continue;
                seen[l.class[c]]++;
                for (int k = 0; k < 3; k++)
                    law_error(&change, (l.after.contact[c][k] - l.before.contact[c][k]) / (2 * h),
                              l.moved.contact[c][k] - l.line.contact[c][k], 1.0);
            }
            for (int i = 0; i < p->row_count; i++)
                if (l.class[p->contact_count + i] <= 2 && has_line(&l, i))
                    law_error(&change, (l.after.row[i] - l.before.row[i]) / (2 * h),
                              l.moved.row[i] - l.line.row[i], 1.0);
            for (int i = 0; i < p->bond_count; i++)
                for (int k = 0; k < 12; k++)
                    law_error(&change, (l.after.bond[i][k] - l.before.bond[i][k]) / (2 * h),
                              l.moved.bond[i][k] - l.line.bond[i][k],
                              fabs(l.laws.force.bond[i][k]));
            CHECK_NEAR(at, 0.0, 1e-11);
            CHECK_NEAR(change, 0.0, 1e-7);
            rig_destroy(&l.rig);
        }
    for (int i = 0; i < 3; i++) CHECK(seen[i] > 30);
}

/* Symmetric, and still the force at u. */
TEST(without_following_normal_forces_lines_are_symmetric_and_meet_the_laws)
{
    Random r = {6};
    int turned = 0;
    for (int which = 0; which < PROBLEMS; which++) {
        LawRig l;
        REQUIRE(random_laws(&l, which, &r));
        const TnProblem *p = &l.rig.problem;
        double worst = 0.0;
        random_motion(&r, &l, &l.u);
        tn_laws_at(&l.laws, &l.u);
        turned += !l.laws.G.symmetric;
        tn_laws_unfollow(&l.laws);
        tn_laws_linear(&l.laws, &l.u, &l.line);
        for (size_t i = 0; i < l.u.count; i++)
            law_error(&worst, l.line.all[i], l.laws.force.all[i], fabs(l.laws.force.all[i]));
        CHECK_NEAR(worst, 0.0, 1e-11); /* rounding, a thousand times what is expected */
        CHECK(l.laws.G.symmetric);
        for (int c = 0; c < p->contact_count; c++)
            for (int k = 0; k < 9; k++) {
                double(*G)[TN_LANES] = l.laws.G.contact[c / TN_LANES];
                law_error(&worst, G[k][c % TN_LANES], G[3 * (k % 3) + k / 3][c % TN_LANES], 1.0);
            }
        CHECK_NEAR(worst, 0.0, 1e-11);
        rig_destroy(&l.rig);
    }
    CHECK(turned >= 4); /* or there was nothing to see */
}

/* -λ(u) is the gradient of a convex function where bounds stay: along every line its slope never
 * rises, and what it falls by in a closed loop adds up to nothing (so it is a gradient: 1e-3 of
 * what was passed, by the trapezoidal rule). */
TEST(slopes_are_those_of_a_convex_function)
{
    enum { POINTS = 200 };
    Random r = {7};
    for (int which = 0; which < PROBLEMS; which++)
        for (int round = 0; round < 5; round++) {
            LawRig l;
            REQUIRE(random_laws(&l, which, &r));
            random_motion(&r, &l, &l.u);
            tn_laws_at(&l.laws, &l.u);
            double at_u = 0.0;
            random_motion(&r, &l, &l.direction);
            for (size_t i = 0; i < l.u.count; i++) at_u += l.direction.all[i] * l.laws.force.all[i];
            double slope = tn_laws_slope(&l.laws, &l.u, &l.direction);
            CHECK_NEAR(slope, at_u, 1e-12 * (1.0 + fabs(at_u)));
            double last = INFINITY, rise = 0.0, size = 0.0;
            for (int i = 0; i <= POINTS; i++) {
                shift(&l.u, 4.0 * i / POINTS - 2.0, &l.direction, &l.trial);
                slope = tn_laws_slope(&l.laws, &l.trial, &l.direction);
                rise = fmax(rise, slope - last);
                size = fmax(size, fabs(slope));
                last = slope;
            }
            CHECK(rise <= 1e-12 * size); /* rounding */
            double around = 0.0,
                   passed = 0.0; /* u, then u + direction, then another point, and back */
            random_motion(&r, &l, &l.line);
            for (int leg = 0; leg < 3; leg++) {
                for (size_t i = 0; i < l.u.count; i++) {
                    double x[3] = {l.u.all[i], l.u.all[i] + l.direction.all[i], l.line.all[i]};
                    l.before.all[i] = x[leg];
                    l.after.all[i] = x[(leg + 1) % 3] - x[leg];
                }
                for (int i = 0; i <= POINTS; i++) {
                    shift(&l.before, (double)i / POINTS, &l.after, &l.trial);
                    double part = tn_laws_slope(&l.laws, &l.trial, &l.after) *
                                  (i % POINTS ? 1.0 : 0.5) / POINTS;
                    around += part;
                    passed += fabs(part);
                }
            }
            CHECK_NEAR(around, 0.0, 1e-3 * passed);
            rig_destroy(&l.rig);
        }
}
