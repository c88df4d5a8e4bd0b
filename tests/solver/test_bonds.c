/* Bonds: against closed forms, dense systems, uncut chains and the literal form. */
#include "../check.h"

#include "../gauss.h"
#include "bonded_rod.h"
#include "papers.h"

#include "base/base.h"

/* Both forms: rounding of numbers of order 1 … 10 over 50 iterations that contract errors. */
#define TOLERANCE 1e-11

/* J of a weld between two twists: the second body's reference point lies at `arm` from the first's.
 */
static void weld(TnBond *bond, int row_a, int row_b, const double arm[3])
{
    bond->row_a = row_a;
    bond->row_b = row_b;
    bond->hard = 6;
    for (int i = 0; i < 6; i++) {
        bond->J[12 * i + i] = -1.0;
        bond->J[12 * i + 6 + i] = 1.0;
    }
    /* v_b - v_a - ω_a × arm */
    const double cross[3][3] = {{0, -arm[2], arm[1]}, {arm[2], 0, -arm[0]}, {-arm[1], arm[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) bond->J[12 * i + 3 + j] = cross[i][j];
}

static void random_K(Random *r, double scale, double K[144])
{
    double X[12][12];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) X[i][j] = uniform(r);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            K[12 * i + j] = 0.0;
            for (int k = 0; k < 7; k++) K[12 * i + j] += scale * X[k][i] * X[k][j]; /* rank 7 */
        }
}

/* ---- hard ---- */

/* Iterations until both bodies are within 1e-10 of the composite body. */
static int iterations_of_pair(double ratio)
{
    const double arm[3] = {0.3, -0.2, 0.5};
    double S[2][9], b[2][6], zero[6] = {0}, exact[2][6];
    Random r = {11};
    for (int i = 0; i < 2; i++) {
        random_spd(&r, S[i], 3);
        for (int k = 0; k < 6; k++) b[i][k] = uniform(&r);
    }
    const double a[2] = {2.0, 1.3 * ratio};
    for (int k = 0; k < 9; k++) S[1][k] *= ratio;
    for (int k = 0; k < 6; k++) b[1][k] *= ratio;
    /* v_b = X v_a with X = [I, -[arm]×; 0, I]:  (A_a + Xᵀ A_b X) v_a = b_a + Xᵀ b_b */
    double X[6][6] = {{0}}, A[6][6] = {{0}}, sum[36] = {0}, rhs[6];
    TnBond shape = {0};
    weld(&shape, 1, 2, arm);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) X[i][j] = -shape.J[12 * i + j];
    for (int i = 0; i < 3; i++) {
        A[i][i] = a[1];
        for (int j = 0; j < 3; j++) A[3 + i][3 + j] = S[1][3 * i + j];
    }
    for (int i = 0; i < 6; i++) {
        rhs[i] = b[0][i];
        for (int k = 0; k < 6; k++) rhs[i] += X[k][i] * b[1][k];
        for (int j = 0; j < 6; j++) {
            sum[6 * i + j] = i / 3 != j / 3 ? 0.0
                             : i < 3        ? (i == j ? a[0] : 0.0)
                                            : S[0][3 * (i - 3) + j - 3];
            for (int k = 0; k < 6; k++)
                for (int m = 0; m < 6; m++) sum[6 * i + j] += X[k][i] * A[k][m] * X[m][j];
        }
    }
    CHECK(gauss(6, sum, rhs, 1e-14)); /* KKT matrices are not definite */
    for (int i = 0; i < 6; i++) {
        exact[0][i] = rhs[i];
        exact[1][i] = 0.0;
        for (int k = 0; k < 6; k++) exact[1][i] += X[i][k] * rhs[k];
    }
    for (int count = 1; count < 200; count++) {
        TnArena arena;
        TnProblem p;
        double worst = 0.0, v[6];
        TnSolverDef def = fixed_count();
        def.iterations = count;
        if (!tn_arena_init(&arena, "a", 1 << 16) ||
            !tn_problem_init(&p, &arena, (TnProblemSize){.twists = 2, .bonds = 1}))
            return -1;
        for (int i = 0; i < 2; i++) tn_problem_set_twist(&p, i, a[i], S[i], b[i], zero);
        weld(&p.bonds[0], 1, 2, arm);
        if (!tn_problem_prepare(&p, &def, NULL)) return -1;
        tn_subadmm_solve(&p, &def, NULL);
        for (int i = 0; i < 2; i++) {
            tn_problem_twist(&p, i, v);
            for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(v[k] - exact[i][k]));
        }
        tn_arena_free(&arena);
        if (worst < 1e-10) return count;
    }
    return 1000;
}

TEST(two_welded_bodies_move_as_one_whatever_the_ratio_of_their_masses)
{
    /* Weights of 2.5 times the inverse compliance contract by a half per iteration, so 1e-10 of
     * velocities of order 1 takes 33 of them; 33 to 35 were measured. */
    static const double ratios[] = {1.0, 1e3, 1e6, 1e-6};
    for (int i = 0; i < 4; i++) {
        int count = iterations_of_pair(ratios[i]);
        CHECK(count >= 30 && count <= 38);
    }
}

/* An arm of n joints welded to a body or to the world. The last joint moves the port like the one
 * before it, but for a share `apart`: 1e-5 makes an arm close to a singular pose. */
typedef struct Held {
    TnArena arena;
    TnProblem p;
    double T[6 * 8];
} Held;

static bool held_create(Held *h, int joints, double apart, bool world)
{
    Random r = {(uint64_t)(3 + joints)};
    const double arm[3] = {0.1, 0.4, -0.2}, zero[6] = {0};
    double S[9], b[6];
    TnProblemSize size = {.twists = world ? 0 : 1, .larges = 1, .ports = 1, .bonds = 1};
    if (!tn_arena_init(&h->arena, "a", 1 << 16) || !tn_problem_init(&h->p, &h->arena, size) ||
        !tn_problem_set_dense(&h->p, 0, joints, 0, 1) || !tn_problem_set_port(&h->p, 0, 0))
        return false;
    random_spd(&r, tn_problem_dense_A(&h->p, 0), joints);
    for (int k = 0; k < 6 * joints; k++) h->T[k] = uniform(&r);
    for (int k = joints - 1; joints > 1 && k < 6 * joints; k += joints)
        h->T[k] = apart * h->T[k] + (1.0 - apart) * h->T[k - 1];
    memcpy(h->p.ports[0].T, h->T, sizeof(double) * 6 * (size_t)joints);
    for (int k = 0; k < joints; k++) h->p.large[0].b[k] = uniform(&r);
    random_spd(&r, S, 3);
    for (int k = 0; k < 6; k++) b[k] = uniform(&r);
    if (!world) tn_problem_set_twist(&h->p, 0, 1.7, S, b, zero);
    weld(&h->p.bonds[0], h->p.port_row, world ? 0 : 1, arm);
    for (int k = 0; k < 6; k++) h->p.bonds[0].e[k] = 0.1 * uniform(&r);
    return true;
}

static void held_body(int joints, double apart, double tolerance)
{
    Held h;
    double X[19 * 19] = {0}, x[19] = {0};
    int n = joints + 12;
    REQUIRE(held_create(&h, joints, apart, false));
    const TnProblem *p = &h.p;
    const TnBond *bond = &p->bonds[0];
    const TnTwistBatch *batch = &p->twist_batch[0];
    static const int upper[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < joints; i++) {
        x[i] = p->large[0].b[i];
        for (int j = 0; j < joints; j++) X[i * n + j] = tn_problem_dense_A(p, 0)[i * joints + j];
    }
    for (int i = 0; i < 3; i++) {
        X[(joints + i) * n + joints + i] = batch->a[0];
        for (int j = 0; j < 3; j++)
            X[(joints + 3 + i) * n + joints + 3 + j] = batch->S[upper[i][j]][0];
    }
    for (int i = 0; i < 6; i++) {
        int row = joints + 6 + i;
        x[joints + i] = batch->b[i][0];
        x[row] = -bond->e[i];
        for (int j = 0; j < 6; j++) {
            X[row * n + joints + j] = bond->J[12 * i + 6 + j];
            for (int k = 0; k < joints; k++)
                X[row * n + k] += bond->J[12 * i + j] * h.T[j * joints + k];
        }
        for (int k = 0; k < joints + 6; k++) X[k * n + row] = -X[row * n + k];
    }
    CHECK(gauss(n, X, x, 1e-14)); /* KKT matrices are not definite */
    TnSolverDef def = fixed_count();
    def.iterations = 100; /* of which each contracts errors by 0.7, for any number of joints */
    REQUIRE(tn_problem_prepare(&h.p, &def, NULL));
    tn_subadmm_solve(&h.p, &def, NULL);
    double v[6];
    tn_problem_twist(p, 0, v);
    for (int k = 0; k < joints; k++) CHECK_NEAR(p->large[0].v[k], x[k], tolerance);
    for (int k = 0; k < 6; k++) CHECK_NEAR(v[k], x[joints + k], tolerance);
    CHECK(tn_problem_accuracy(p).aac > -log10(tolerance));
    tn_arena_free(&h.arena);
}

TEST(an_arm_with_few_joints_holds_a_body_as_the_dense_system_says)
{
    /* Rounding of numbers of order 1. */
    for (int joints = 1; joints <= 7; joints++) held_body(joints, 1.0, 1e-12);
}

TEST(an_arm_close_to_a_singular_pose_holds_a_body_as_the_dense_system_says)
{
    /* 1e-7: weights of 1e6 round that much worse, and what moves by less than 3e-7 may be left out.
     */
    for (double apart = 0.1; apart > 1e-10; apart *= 0.1) held_body(6, apart, 1e-7);
}

/* The weld asks for six things of one joint. It gets what is nearest, and forces stay finite. */
TEST(a_weld_to_the_world_takes_no_force_where_the_arm_cannot_move)
{
    Held h;
    REQUIRE(held_create(&h, 1, 1.0, true));
    TnBond *bond = &h.p.bonds[0];
    /* e = -J T 0.5 can be met: the joint moves at 0.5 */
    for (int i = 0; i < 6; i++) {
        bond->e[i] = 0.0;
        for (int j = 0; j < 6; j++) bond->e[i] -= 0.5 * bond->J[12 * i + j] * h.T[j];
    }
    TnSolverDef def = fixed_count();
    def.iterations = 200;
    REQUIRE(tn_problem_prepare(&h.p, &def, NULL));
    tn_subadmm_solve(&h.p, &def, NULL);
    CHECK_NEAR(h.p.large[0].v[0], 0.5, 1e-12); /* one unknown of order 1 */
    tn_arena_free(&h.arena);

    REQUIRE(held_create(&h, 1, 1.0, true)); /* e at random */
    def.tolerance = 1e-13;
    REQUIRE(tn_problem_prepare(&h.p, &def, NULL));
    CHECK(tn_subadmm_solve(&h.p, &def, NULL).converged);
    for (int k = 0; k < 12; k++)
        CHECK(fabs(h.p.bonds[0].lambda[k]) < 10.0); /* b, T and e are < 1 */
    tn_arena_free(&h.arena);
}

/* ---- soft, against (A + K) v = b - f ---- */

static void soft_pair(double scale, int row_a, int row_b)
{
    Random r = {29};
    TnArena arena;
    TnProblem p;
    double X[144] = {0}, x[12], zero[6] = {0}, worst = 0.0;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 16) &&
            tn_problem_init(&p, &arena, (TnProblemSize){.twists = 2, .bonds = 1}));
    TnBond *bond = &p.bonds[0];
    for (int i = 0; i < 2; i++) {
        double S[9], *A = X + 78 * i; /* the block (i, i) */
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) x[6 * i + k] = uniform(&r);
        for (int k = 0; k < 3; k++) {
            A[13 * k] = 1.4 + i;
            for (int j = 0; j < 3; j++) A[12 * (3 + k) + 3 + j] = S[3 * k + j];
        }
        tn_problem_set_twist(&p, i, 1.4 + i, S, x + 6 * i, zero);
    }
    bond->row_a = row_a;
    bond->row_b = row_b;
    random_K(&r, scale, bond->K);
    for (int k = 0; k < 12; k++) bond->f[k] = uniform(&r);
    const int row[2] = {row_a, row_b};
    for (int i = 0; i < 12; i++) {
        if (!row[i / 6]) continue;
        int at = 6 * (row[i / 6] - 1) + i % 6;
        x[at] -= bond->f[i];
        for (int j = 0; j < 12; j++)
            if (row[j / 6]) X[12 * at + 6 * (row[j / 6] - 1) + j % 6] += bond->K[12 * i + j];
    }
    CHECK(gauss(12, X, x, 1e-14)); /* KKT matrices are not definite */
    TnSolverDef def = fixed_count();
    def.iterations = 2000;
    def.tolerance = 1e-14;
    REQUIRE(tn_problem_prepare(&p, &def, NULL));
    TnSolveResult result = tn_subadmm_solve(&p, &def, NULL);
    for (int i = 0; i < 2; i++) {
        double v[6];
        tn_problem_twist(&p, i, v);
        for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(v[k] - x[6 * i + k]));
    }
    CHECK_NEAR(worst, 0.0, 1e-10); /* velocities of order 1; rounding of K is 1e-16 · 1e6 */
    CHECK(result.converged && result.iterations < 400);
    TnAccuracy accuracy = tn_problem_accuracy(&p);
    CHECK(accuracy.aac > 9.0 && accuracy.aal > 9.0);
    tn_arena_free(&arena);
}

TEST(a_soft_bond_solves_the_dense_system_from_weak_to_stiff)
{
    for (double scale = 1e-6; scale < 2e6; scale *= 100.0) soft_pair(scale, 1, 2);
}

TEST(a_bond_to_the_world_solves_the_dense_system)
{
    for (double scale = 1e-6; scale < 2e6; scale *= 100.0) {
        soft_pair(scale, 0, 2);
        soft_pair(scale, 1, 0);
    }
}

TEST(a_soft_bond_from_an_arm_with_few_joints_to_the_world_solves_the_dense_system)
{
    for (double scale = 1e-6; scale < 2e6; scale *= 100.0) {
        Held h;
        Random r = {5};
        REQUIRE(held_create(&h, 1, 1.0, true));
        TnBond *bond = &h.p.bonds[0];
        bond->hard = 0;
        random_K(&r, scale, bond->K);
        for (int k = 0; k < 12; k++) bond->f[k] = uniform(&r);
        double A = tn_problem_dense_A(&h.p, 0)[0], b = h.p.large[0].b[0];
        for (int i = 0; i < 6; i++) {
            b -= h.T[i] * bond->f[i];
            for (int j = 0; j < 6; j++) A += h.T[i] * bond->K[12 * i + j] * h.T[j];
        }
        TnSolverDef def = fixed_count();
        def.iterations = 200;
        REQUIRE(tn_problem_prepare(&h.p, &def, NULL));
        tn_subadmm_solve(&h.p, &def, NULL);
        CHECK_NEAR(h.p.large[0].v[0], b / A, 1e-10); /* as above */
        for (int i = 0; i < 6;
             i++) { /* forces across what cannot move are those of the law as well */
            double law = -bond->f[i];
            for (int j = 0; j < 6; j++) law -= bond->K[12 * i + j] * h.T[j] * h.p.large[0].v[0];
            CHECK_NEAR(bond->lambda[i], law, 1e-9 * fmax(1.0, scale));
        }
        tn_arena_free(&h.arena);
    }
}

TEST(a_stiffness_that_is_not_positive_semidefinite_is_refused)
{
    TnArena arena;
    TnProblem p;
    RodChoice choice = {.nodes = 8, .group = 4, .stiffness = 1.0};
    REQUIRE(tn_arena_init(&arena, "a", 1 << 16) && bonded_rod(&p, &arena, 1, choice));
    p.bonds[0].K[13] = -1e6;
    TnSolverDef def = fixed_count();
    CHECK(!tn_problem_prepare(&p, &def, NULL));
    tn_arena_free(&arena);
}

/* ---- a rod in groups ---- */

/* Distance from the uncut rod relative to its motion, after at most so many iterations. */
static double cut_error(RodChoice choice, int iterations)
{
    TnArena arenas[2];
    TnProblem whole, cut;
    TnSolverDef def = fixed_count();
    RodChoice uncut = choice;
    uncut.group = uncut.nodes;
    def.iterations = 20000;
    def.tolerance = 1e-14;
    if (!tn_arena_init(&arenas[0], "a", 1 << 20) || !tn_arena_init(&arenas[1], "b", 1 << 20) ||
        !bonded_rod(&whole, &arenas[0], 1, uncut) || !bonded_rod(&cut, &arenas[1], 1, choice) ||
        !tn_problem_prepare(&whole, &def, NULL))
        return NAN;
    tn_subadmm_solve(&whole, &def, NULL);
    def.iterations = iterations;
    if (!tn_problem_prepare(&cut, &def, NULL)) return NAN;
    tn_subadmm_solve(&cut, &def, NULL);
    double error =
        rod_distance(&cut, &whole, choice.nodes) / rod_distance(&whole, NULL, choice.nodes);
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    return error;
}

TEST(a_rod_in_groups_moves_like_the_uncut_rod)
{
    static const int groups[] = {1, 4, 16};
    for (int i = 0; i < 3; i++) {
        RodChoice choice = {.nodes = 80, .group = groups[i], .stiffness = 1.0};
        CHECK_NEAR(cut_error(choice, 2000), 0.0, 1e-9); /* stops at residuals of 1e-14 */
        choice.stiffness = 100.0;
        if (choice.group > 1) CHECK_NEAR(cut_error(choice, 5000), 0.0, 1e-9);
    }
}

TEST(free_bodies_with_bonds_are_a_rod_as_well)
{
    RodChoice choice = {.nodes = 61, .group = 1, .stiffness = 1.0, .twists = true};
    CHECK_NEAR(cut_error(choice, 2000), 0.0, 1e-9); /* as above */
}

TEST(contacts_and_bonds_on_one_node_find_the_uncut_rods_solution)
{
    static const int groups[] = {1, 3, 4};
    for (int i = 0; i < 3; i++)
        for (int twists = 0; twists < 2; twists++) {
            RodChoice choice = {.nodes = 60,
                                .group = groups[i],
                                .stiffness = 1.0,
                                .contacts = true,
                                .twists = twists > 0};
            CHECK_NEAR(cut_error(choice, 5000), 0.0, 1e-9); /* as above */
        }
}

/* What `--division paper` relies on: a cable's pieces agree within a step's iterations. Measured
 * with 160 groups: 1.1e-5 after 30, 2.4e-10 after 60; not worse with the number of groups. */
TEST(a_cable_in_groups_of_four_converges_in_a_steps_iterations)
{
    RodChoice choice = {.nodes = 160, .group = 4, .stiffness = 1.0};
    CHECK(cut_error(choice, 30) < 1e-4);
    CHECK(cut_error(choice, 60) < 1e-8);
    choice.nodes = 640;
    CHECK(cut_error(choice, 60) < 1e-8);
}

/* ---- both forms, threads, units ---- */

/* Bonds between rows at random, soft and hard in turns, some with one side on the world, some
 * between two ports of one block. */
static bool add_random_bonds(TnProblem *p, uint64_t seed, int count, int rows)
{
    Random r = {seed * 31 + 7};
    p->bonds = TN_ARENA_ZERO(p->arena, TnBond, count);
    p->bond_count = count;
    if (!p->bonds) return false;
    for (int i = 0; i < count; i++) {
        TnBond *bond = &p->bonds[i];
        const double arm[3] = {uniform(&r), uniform(&r), uniform(&r)};
        int row[2] = {0, 0};
        while (row[0] == row[1])
            for (int s = 0; s < 2; s++) {
                int pick = (int)(fabs(uniform(&r)) * (p->twist_count + p->port_count + 1));
                row[s] = pick <= p->twist_count ? pick : p->port_row + pick - p->twist_count - 1;
            }
        weld(bond, row[0], row[1], arm);
        bond->hard = i % 2 ? 1 + i % rows : 0;
        random_K(&r, pow(10.0, 2.0 * uniform(&r)), bond->K);
        for (int k = 0; k < 12; k++) {
            bond->f[k] = uniform(&r);
            bond->lambda[k] = 0.1 * uniform(&r);
        }
        for (int k = 0; k < 6; k++) bond->e[k] = 0.1 * uniform(&r);
    }
    return true;
}

static void forms_agree(Weights weights)
{
    ChainChoice choice = {.reach = 1, .twists = 11, .contacts = 12, .rows = 7, .stiffness = 4.0};
    for (int iterations = 1; iterations <= 50; iterations += 7) {
        TnArena arenas[2];
        TnProblem reduced, literal;
        REQUIRE(tn_arena_init(&arenas[0], "a", 1 << 20) && tn_arena_init(&arenas[1], "b", 1 << 20));
        REQUIRE(random_chain_problem(&reduced, &arenas[0], 5, choice) &&
                random_chain_problem(&literal, &arenas[1], 5, choice));
        REQUIRE(add_random_bonds(&reduced, 5, 16, 6) && add_random_bonds(&literal, 5, 16, 6));
        TnSolverDef def = fixed_count();
        def.iterations = iterations;
        def.over_relaxation = 1.0;
        TnSolveResult result, measured;
        REQUIRE(prepare_with(&reduced, &def, weights) && prepare_with(&literal, &def, weights));
        measured = tn_subadmm_solve(&reduced, &def, NULL);
        REQUIRE(tn_subadmm_paper_solve(&literal, &def, &result));
        CHECK_NEAR(largest_difference(&reduced, &literal), 0.0, TOLERANCE);
        CHECK_NEAR(measured.residual, result.residual, TOLERANCE);
        for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    }
}

TEST(both_forms_make_the_same_iterates_with_bonds) { forms_agree(OUR_WEIGHTS); }
TEST(both_forms_agree_with_bonds_and_the_papers_weights) { forms_agree(PAPERS_WEIGHTS); }

TEST(random_problems_with_bonds_converge)
{
    ChainChoice choice = {.reach = 1, .twists = 21, .contacts = 8, .rows = 7, .stiffness = 4.0};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        TnArena arena;
        TnProblem p;
        TnSolverDef def = fixed_count();
        def.iterations = 20000;
        def.tolerance = 1e-12;
        REQUIRE(tn_arena_init(&arena, "a", 1 << 20));
        REQUIRE(random_chain_problem(&p, &arena, seed, choice) && add_random_bonds(&p, seed, 8, 2));
        REQUIRE(tn_problem_prepare(&p, &def, NULL));
        TnSolveResult result = tn_subadmm_solve(&p, &def, NULL);
        TnAccuracy accuracy = tn_problem_accuracy(&p);
        CHECK(result.converged);
        /* A residual of 1e-12 per iteration over the slowest mode's contraction of about 1e-4. */
        CHECK(accuracy.aac > 8.0 && accuracy.aal > 8.0);
        tn_arena_free(&arena);
    }
}

static void same_bits(RodChoice choice)
{
    TnArena arenas[2];
    TnProblem p[2];
    TnSolverDef def = fixed_count();
    def.iterations = 20;
    def.tolerance = 1e-20; /* residuals are measured, and not met */
    double residual[2];
    for (int i = 0; i < 2; i++) {
        TnPool *pool = tn_pool_create(i ? 4 : 1);
        REQUIRE(pool && tn_arena_init(&arenas[i], "a", 1 << 20));
        REQUIRE(bonded_rod(&p[i], &arenas[i], 1, choice));
        REQUIRE(tn_problem_prepare(&p[i], &def, pool));
        residual[i] = tn_subadmm_solve(&p[i], &def, pool).residual;
        tn_pool_destroy(pool);
    }
    CHECK(memcmp(p[0].twist, p[1].twist, sizeof(double[8]) * (size_t)p[0].table_rows) == 0);
    CHECK(residual[0] == residual[1]);
    for (int i = 0; i < p[0].bond_count; i++)
        CHECK(memcmp(p[0].bonds[i].lambda, p[1].bonds[i].lambda, sizeof(double[12])) == 0);
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
}

TEST(any_number_of_threads_gives_the_same_bits_with_bonds)
{
    /* four times 1500 units of work and more, so that four threads share it */
    same_bits((RodChoice){.nodes = 2000, .group = 4, .stiffness = 1.0, .contacts = true});
    same_bits((RodChoice){.nodes = 1600, .group = 1, .stiffness = 1.0, .twists = true});
}

/* A length of 1 is called 4096: velocities grow by that and forces shrink, energies stay. All of
 * this is exact in binary, and so are the iterates. */
TEST(the_unit_of_length_does_not_matter)
{
    const double c = 4096.0;
    Held h[2];
    double v[2][6];
    for (int i = 0; i < 2; i++) {
        REQUIRE(held_create(&h[i], 2, 1.0, false));
        TnProblem *p = &h[i].p;
        TnBond *bond = &p->bonds[0];
        if (i) {
            p->twist_batch[0].a[0] /= c * c;
            for (int k = 0; k < 3; k++) {
                p->twist_batch[0].b[k][0] /= c;
                bond->e[k] *= c;
                for (int j = 0; j < 2; j++) p->ports[0].T[2 * k + j] *= c;
                for (int j = 0; j < 3; j++) /* rows in m/s: J of linear stays, of angular grows */
                    bond->J[12 * k + 3 + j] *= c, bond->J[12 * k + 9 + j] *= c;
            }
        }
        TnSolverDef def = fixed_count();
        def.iterations = 20;
        REQUIRE(tn_problem_prepare(p, &def, NULL));
        tn_subadmm_solve(p, &def, NULL);
        tn_problem_twist(p, 0, v[i]);
    }
    for (int k = 0; k < 6; k++) CHECK_NEAR(v[1][k], (k < 3 ? c : 1.0) * v[0][k], 1e-12);
    for (int i = 0; i < 2; i++) tn_arena_free(&h[i].arena);
}
