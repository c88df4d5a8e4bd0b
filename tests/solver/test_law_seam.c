/* The seam of the laws (solver/law/law.h): what projects, the natural map, the error and the line
 * of a law say the same. */
#include "../check.h"

#include "any_problem.h"
#include "solver/law/law.h"

enum { ROUNDS = 400, SETS = 6 };

/* A row of set k with random numbers; a rolling pair has its second behind it. */
static void random_row_of(Random *r, int k, TnRow row[2])
{
    static const TnRowSet sets[SETS] = {TN_ROW_EQUALITY, TN_ROW_INEQUALITY, TN_ROW_SOFT,
                                        TN_ROW_BOX,      TN_ROW_SPIN,       TN_ROW_ROLL};
    for (int i = 0; i < 2; i++)
        row[i] = (TnRow){.set = i ? TN_ROW_ROLL_PARTNER : sets[k],
                         .e = uniform(r),
                         .k = 1.0 + 10.0 * fabs(uniform(r)),
                         .alpha = 0.5 + fabs(uniform(r)),
                         .lower = -fabs(uniform(r)),
                         .upper = fabs(uniform(r))};
}

/* With λ = Π(t) and u = D (λ - t), t is λ - u/D: λ and u are a solution, and λ moved off it is
 * none. Numbers are of the size of one and D up to 1.1, so 1e-14 is tens of roundings. */
TEST(what_is_projected_has_no_natural_map_and_no_error)
{
    Random r = {11};
    int follows[SETS][2] = {{0}};
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < SETS; k++) {
            TnRow row[2];
            random_row_of(&r, k, row);
            int count = tn_row_group(row);
            double D = 0.1 + fabs(uniform(&r)), radius = fabs(uniform(&r)), lambda[2], u[2];
            const double t[2] = {2.0 * uniform(&r), 2.0 * uniform(&r)};
            CHECK(count == (k == 5 ? 2 : 1));
            CHECK(tn_row_is_disc(row) == (k >= 4) && tn_row_is_soft(row) == (k == 2));
            double share = tn_row_project(row, 1.0 / D, radius, t, lambda);
            follows[k][share == 1.0]++;
            for (int i = 0; i < count; i++) u[i] = D * (lambda[i] - t[i]);
            CHECK_NEAR(sqrt(tn_row_map(row, D, radius, u, lambda)), 0.0, 1e-14);
            CHECK_NEAR(sqrt(tn_row_error(row, D, radius, u, lambda)), 0.0, 1e-14);
            lambda[0] += 0.1;
            u[0] += 0.1;
            CHECK(tn_row_map(row, D, radius, u, lambda) > 1e-8);
            CHECK(tn_row_error(row, D, radius, u, lambda) > 1e-8);
            CHECK(tn_row_map(row, 0.0, radius, u, lambda) == 0.0); /* nothing yields */
            tn_row_project(row, 0.0, radius, t, lambda);
            for (int i = 0; i < count; i++) CHECK(lambda[i] == (k == 2 ? -row->k * row->e : 0.0));
        }
    for (int k = 0; k < SETS; k++) {
        bool bounded = k != 0 && k != 2; /* no equality and no soft row */
        CHECK(follows[k][1] > 10 && (bounded ? follows[k][0] > 30 : follows[k][0] == 0));
    }
}

/* The line meets the law at u, and where nothing is at a bound it is the law nearby: a change of
 * 1e-3 within one class is linear, so rounding alone is left, times gains of up to R/D = 100. */
TEST(the_line_of_a_row_is_its_law_nearby)
{
    Random r = {12};
    int held = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < SETS; k++) {
            TnRow row[2];
            random_row_of(&r, k, row);
            TnRowSoftening soft = {0.1 + fabs(uniform(&r)), 10.0, 10.0, fabs(uniform(&r))};
            const double centre[2] = {0.3 * uniform(&r), 0.3 * uniform(&r)};
            double u[2] = {0.01 * uniform(&r), 0.01 * uniform(&r)}, force[2], moved[2], a[2], G[2];
            unsigned char state[2] = {0}, again[2];
            int count = tn_row_group(row);
            tn_row_line(row, &soft, centre, u, force, a, G, state);
            tn_row_force(row, &soft, centre, u, moved);
            for (int i = 0; i < count; i++) {
                CHECK(moved[i] == force[i]);
                CHECK_NEAR(a[i] - G[i] * u[i], force[i], 1e-13);
                u[i] += 1e-3;
            }
            double b[2], H[2];
            memcpy(again, state, sizeof state);
            bool changed = tn_row_line(row, &soft, centre, u, moved, b, H, again);
            if (changed) continue;
            held++;
            for (int i = 0; i < count; i++) CHECK_NEAR(a[i] - G[i] * u[i], moved[i], 1e-13);
        }
    CHECK(held > ROUNDS);
}

static void random_unit(Random *r, double n[3])
{
    for (int k = 0; k < 3; k++) n[k] = uniform(r);
    v3_normalize(n);
}

/* As for rows. With D_n = D_t the projection has one weight. */
TEST(a_projected_contact_has_no_natural_map_and_no_error)
{
    Random r = {13};
    int seen[3] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        double n[3], t[3], lambda[3], u[3], mu = fabs(uniform(&r)), D = 0.1 + fabs(uniform(&r));
        random_unit(&r, n);
        for (int k = 0; k < 3; k++) t[k] = uniform(&r) + 0.5 * n[k];
        tn_contact_project(n, mu, t, lambda);
        for (int k = 0; k < 3; k++) u[k] = D * (lambda[k] - t[k]);
        TnContactPair at = tn_contact_pair(n, u), force = tn_contact_pair(n, lambda);
        seen[!(force.n > 0.0) ? 0 : v3_norm(at.t) < 1e-14 ? 1 : 2]++;
        CHECK_NEAR(sqrt(tn_contact_map(at, force, mu, D, D)), 0.0, 1e-14);
        /* |λ_t| - μ λ_n is rounded before a root: FB has that of 1e-16 */
        CHECK_NEAR(sqrt(tn_contact_error(at, force, mu, D, D)), 0.0, 1e-14);
        /* a solution wants no step; rounding times R/D = 100 */
        TnContactLine line = tn_contact_line(n, D, D, mu, u, lambda, 10.0);
        CHECK_NEAR(v3_norm(line.a), 0.0, 1e-12);
        force.n += 0.1;
        at.n += 0.1;
        CHECK(tn_contact_map(at, force, mu, D, D) > 1e-8);
        CHECK(tn_contact_error(at, force, mu, D, D) > 1e-8);
    }
    for (int i = 0; i < 3; i++) CHECK(seen[i] > 30);
}

/* math/kernels is the fast form: at rest, with e = 0 and B any, contact_update leaves t = λ and Π
 * of it. */
TEST(eight_at_a_time_obey_the_same_law)
{
    Random r = {14};
    _Alignas(64) TnContactBatch batch = {0};
    _Alignas(64) static const double twist[1][8] = {{0}};
    for (int round = 0; round < ROUNDS / 8; round++) {
        _Alignas(64) double lambda[TN_LANES][3];
        double expected[TN_LANES][3], again[TN_LANES][3];
        for (int l = 0; l < TN_LANES; l++) {
            double n[3];
            random_unit(&r, n);
            batch.mu[l] = fabs(uniform(&r));
            batch.Bn[l] = batch.Bt[l] = 1.0;
            for (int k = 0; k < 3; k++) {
                batch.normal[k][l] = n[k];
                batch.t[k][l] = lambda[l][k] = uniform(&r) + 0.5 * n[k];
            }
            tn_contact_project(n, batch.mu[l], lambda[l], expected[l]);
        }
        tn_kernels()->contact_update(&batch, NULL, 0, 1, twist, lambda, 1.0, NULL);
        tn_contact_project_batch(&batch, again);
        for (int l = 0; l < TN_LANES; l++)
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(lambda[l][k], expected[l][k], 1e-14); /* sums in another order */
                CHECK_NEAR(again[l][k], expected[l][k], 1e-14);
            }
    }
}

/* A soft bond's line is its law: the force on it at any z has no natural map, and another has. */
TEST(soft_bonds_on_their_line_have_no_natural_map)
{
    int soft = 0;
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnPerConstraint u, lambda;
        REQUIRE(rig_create(&rig) && make_problem(&rig, which) && assemble(&rig) &&
                state_of(&rig, &u, &lambda));
        TnProblem *p = &rig.problem;
        for (int i = 0; i < p->bond_count; i++) {
            TnBond *bond = &p->bonds[i];
            double a[12], G[144], on[12], *z = u.bond[i];
            if (bond->hard) continue;
            tn_bond_line(p, bond, 1.0, NULL, a, G);
            for (int k = 0; k < 12; k++) {
                on[k] = a[k];
                for (int j = 0; j < 12; j++) on[k] -= G[12 * k + j] * z[j];
                if (!(k / 6 ? bond->row_b : bond->row_a)) on[k] = 0.0;
            }
            double size = sqrt(tn_bond_squared_velocity(bond, on)) + sqrt(tn_bond_squared(bond, z));
            CHECK_NEAR(sqrt(tn_bond_map(bond, z, on)), 0.0,
                       1e-9 * size); /* weights range over 1e6 */
            on[bond->row_a ? 0 : 6] += 1.0 + fabs(on[0]);
            CHECK(sqrt(tn_bond_map(bond, z, on)) > 1e-12 * size);
            soft++;
        }
        rig_destroy(&rig);
    }
    CHECK(soft > 0);
}
