/* A problem as one linear system, against its blocks. */
#include "../check.h"

#include "../block_product.h"
#include "base/base.h"
#include "base/pool.h"
#include "bonded_rod.h"
#include "mesh_problem.h"
#include "solver/natural_map.h"

typedef struct Rig {
    TnArena arena;
    TnProblem problem;
    MeshRig meshes[MESHES];
    TnPlanCache *plans;
    TnAssembly assembly;
    Random random;
} Rig;

/* All kinds of blocks and constraints, one after the other. */
enum { PROBLEMS = 10 };
static bool make_problem(Rig *rig, int which)
{
    TnProblem *p = &rig->problem;
    TnArena *arena = &rig->arena;
    ChainChoice chains = {.twists = 5, .contacts = 40, .rows = 28, .stiffness = 3.0};
    MeshChoice mesh = {.touch = FEW, .stiffness = 1.0, .shift = 1};
    switch (which) {
    case 0:
        return random_problem(p, arena, 1, 20, 60, 28);
    case 1:
        return random_problem(p, arena, 2, 1, 8, 0);
    case 2:
        return random_chain_problem(p, arena, 3, chains);
    case 3:
        chains.reach = NEAR;
        return random_chain_problem(p, arena, 4, chains);
    case 4:
        chains.reach = FAR;
        chains.contacts = 4; /* most nodes are eliminated */
        return random_chain_problem(p, arena, 5, chains);
    case 5:
        mesh.touch = NOTHING;
        return random_mesh_problem(p, arena, 6, rig->meshes, mesh);
    case 6:
        return random_mesh_problem(p, arena, 7, rig->meshes, mesh);
    case 7:
        mesh.touch = ALL;
        return random_mesh_problem(p, arena, 8, rig->meshes, mesh);
    case 8:
        return bonded_rod(
            p, arena, 9,
            (RodChoice){
                .nodes = 24, .group = 1, .stiffness = 1.0, .twists = true, .contacts = true});
    default:
        return bonded_rod(
            p, arena, 10,
            (RodChoice){.nodes = 60, .group = 20, .stiffness = 1.0, .contacts = true});
    }
}

static bool rig_create(Rig *rig, int which)
{
    *rig = (Rig){.random = {(uint64_t)which + 99}, .plans = tn_plan_cache_create()};
    return rig->plans && tn_arena_init(&rig->arena, "problem", 1 << 22) &&
           mesh_rigs_create(rig->meshes, true) && make_problem(rig, which) &&
           tn_problem_prepare_A(&rig->problem, NULL) &&
           tn_assembly_build(&rig->problem, rig->plans, &rig->assembly);
}

static void rig_destroy(Rig *rig)
{
    mesh_rigs_destroy(rig->meshes);
    tn_plan_cache_destroy(rig->plans);
    tn_arena_free(&rig->arena);
}

static void random_numbers(Random *r, double *x, size_t count)
{
    for (size_t k = 0; k < count; k++) x[k] = uniform(r);
}

/* Forces, in the problem and in f. */
static void random_forces(Rig *rig, TnPerConstraint *f)
{
    TnProblem *p = &rig->problem;
    random_numbers(&rig->random, f->all, 3 * (size_t)p->contact_count);
    random_numbers(&rig->random, f->row, (size_t)p->row_count);
    if (p->bond_count) random_numbers(&rig->random, (double *)f->bond, 12 * (size_t)p->bond_count);
    memcpy(p->lambda, f->contact, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = f->row[r];
    for (int i = 0; i < p->bond_count; i++)
        memcpy(p->bonds[i].lambda, f->bond[i], sizeof f->bond[i]);
}

static void random_gains(Rig *rig, TnGains *G, bool symmetric)
{
    const TnProblem *p = &rig->problem;
    Random *r = &rig->random;
    for (int c = 0; c < p->contact_count; c++) {
        double M[9];
        random_spd(r, M, 3);
        if (!symmetric) { /* a skew part keeps the matrix regular */
            M[1] += 1.0;
            M[3] -= 1.0;
            M[2] += 0.5;
            M[6] -= 0.5;
        }
        for (int k = 0; k < 9; k++) G->contact[c / TN_LANES][k][c % TN_LANES] = M[k];
    }
    for (int i = 0; i < p->row_count; i++) G->row[i] = i % 5 ? 1.0 + uniform(r) : 0.0;
    for (int i = 0; i < p->bond_count; i++) {
        double X[144];
        random_numbers(r, X, 144);
        for (int k = 0; k < 144; k++) {
            G->bond[i][k] = 0.0;
            for (int m = 0; m < 12; m++) G->bond[i][k] += X[12 * m + k / 12] * X[12 * m + k % 12];
        }
    }
    G->symmetric = symmetric;
}

/* f = G u */
static void apply_gains(const TnProblem *p, const TnGains *G, const TnPerConstraint *u,
                        TnPerConstraint *f)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int i = 0; i < 3; i++) {
            f->contact[c][i] = 0.0;
            for (int k = 0; k < 3; k++)
                f->contact[c][i] +=
                    G->contact[c / TN_LANES][3 * i + k][c % TN_LANES] * u->contact[c][k];
        }
    for (int r = 0; r < p->row_count; r++) f->row[r] = G->row[r] * u->row[r];
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++) {
            f->bond[i][k] = 0.0;
            for (int m = 0; m < 12; m++) f->bond[i][k] += G->bond[i][12 * k + m] * u->bond[i][m];
        }
}

static double largest(const double *x, const double *y, size_t count)
{
    double worst = 0.0;
    for (size_t k = 0; k < count; k++) worst = fmax(worst, fabs(x[k] - (y ? y[k] : 0.0)));
    return worst;
}

/* x = A⁻¹Jᵀλ and u = J x + e' against v_λ, which blocks solve for one by one and on all of their
 * nodes: A, J, Jᵀ, v_free and e' at once. 1e-9 of the velocities: rounding with springs of cables
 * that are thousands of times their inertia. */
TEST(the_system_implies_the_velocities_that_the_blocks_do)
{
    for (int which = 0; which < PROBLEMS; which++) {
        Rig rig;
        TnPerConstraint f, u, expected;
        TnVelocities v;
        TnGains none;
        REQUIRE(rig_create(&rig, which));
        TnProblem *p = &rig.problem;
        const TnAssembly *a = &rig.assembly;
        REQUIRE(tn_per_constraint_alloc(p, &f) && tn_per_constraint_alloc(p, &u) &&
                tn_per_constraint_alloc(p, &expected) && tn_velocities_alloc(p, &v) &&
                tn_gains_alloc(p, &none));
        double *values = TN_ARENA_NEW(p->arena, double, 2 * a->plan->size);
        double *x = TN_ARENA_NEW(p->arena, double, a->dim);
        REQUIRE(values && x);
        memset(none.contact, 0, sizeof(double[9][TN_LANES]) * (size_t)p->contact_batches);
        memset(none.row, 0, sizeof(double) * (size_t)p->row_count);
        memset(none.bond, 0, sizeof(double[144]) * (size_t)p->bond_count);
        random_forces(&rig, &f);
        tn_velocities_implied(p, &v);
        tn_constraint_velocities(p, &v, &expected);
        double size = largest(expected.all, NULL, expected.count);
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            none.symmetric = symmetric;
            REQUIRE(tn_assembly_factor(a, &none, values));
            tn_assembly_gather(a, &f, x);
            tn_assembly_solve(a, symmetric, values, x);
            tn_assembly_apply(a, x, &u);
            for (size_t k = 0; k < u.count; k++) u.all[k] += a->e.all[k];
            double error = largest(u.all, expected.all, u.count);
            if (!(error <= 1e-9 * size)) printf("    problem %d\n", which);
            CHECK_NEAR(error, 0.0, 1e-9 * size);
            CHECK(size > 0.1);
        }
        rig_destroy(&rig);
    }
}

/* (A + JᵀGJ)⁻¹ of A x + Jᵀ(G(J x)) is x, and the symmetric matrix times x the sum itself. 1e-9: as
 * above, x is of order one. */
TEST(a_matrix_with_gains_acts_as_its_parts_do)
{
    for (int which = 0; which < PROBLEMS; which++)
        for (int symmetric = 0; symmetric < 2; symmetric++) {
            Rig rig;
            TnPerConstraint f, u;
            TnGains G;
            REQUIRE(rig_create(&rig, which));
            TnProblem *p = &rig.problem;
            const TnAssembly *a = &rig.assembly;
            REQUIRE(tn_per_constraint_alloc(p, &f) && tn_per_constraint_alloc(p, &u) &&
                    tn_gains_alloc(p, &G));
            size_t n = (size_t)a->dim;
            double *values = TN_ARENA_NEW(p->arena, double, 2 * a->plan->size);
            double *x = TN_ARENA_NEW(p->arena, double, n), *y = TN_ARENA_NEW(p->arena, double, n),
                   *sum = TN_ARENA_NEW(p->arena, double, n);
            REQUIRE(values && x && y && sum);
            random_gains(&rig, &G, symmetric);
            random_numbers(&rig.random, x, n);
            tn_assembly_apply(a, x, &u);
            apply_gains(p, &G, &u, &f);
            tn_assembly_gather(a, &f, sum);
            block_product(a->plan, a->A, x, y);
            for (size_t k = 0; k < n; k++) sum[k] += y[k];
            if (symmetric) {
                tn_assembly_matrix(a, &G, values);
                block_product(a->plan, values, x, y);
                CHECK_NEAR(largest(y, sum, n), 0.0, 1e-12 * largest(sum, NULL, n));
            }
            REQUIRE(tn_assembly_factor(a, &G, values));
            tn_assembly_solve(a, symmetric, values, sum);
            double error = largest(sum, x, n);
            if (!(error <= 1e-9)) printf("    problem %d, symmetric %d\n", which, symmetric);
            CHECK_NEAR(error, 0.0, 1e-9);
            rig_destroy(&rig);
        }
}

/* ---- plans ---- */

/* A ring of `count` nodes. */
static TnBlockGraph ring(int count)
{
    static int dims[300], edges[300][2];
    for (int k = 0; k < count; k++) {
        dims[k] = 6;
        edges[k][0] = k ? k - 1 : 0;
        edges[k][1] = k ? k : count - 1;
    }
    if (count > 2) { /* rising: (0, 1) before (0, count - 1) */
        edges[0][1] = 1;
        edges[1][1] = count - 1;
    }
    return (TnBlockGraph){count, dims, count, (const int(*)[2])edges};
}

typedef struct PlanRig {
    TnPlanCache *cache;
    TnArena scratch;
} PlanRig;

static bool plan_rig_create(PlanRig *rig)
{
    rig->cache = tn_plan_cache_create();
    return tn_arena_init(&rig->scratch, "scratch", 1 << 20) && rig->cache;
}

static void plan_rig_destroy(PlanRig *rig)
{
    tn_plan_cache_destroy(rig->cache);
    tn_arena_free(&rig->scratch);
}

static const TnBlockPlan *ring_plan(PlanRig *rig, int count)
{
    TnBlockGraph graph = ring(count);
    const TnBlockPlan *plan = tn_plan_cache_get(rig->cache, &graph, &rig->scratch);
    CHECK(!plan || tn_block_plan_fits(plan, &graph));
    CHECK(tn_arena_mark(&rig->scratch) == 0);
    return plan;
}

TEST(a_known_graph_has_its_plan_at_once)
{
    PlanRig rig;
    REQUIRE(plan_rig_create(&rig));
    const TnBlockPlan *plan = ring_plan(&rig, 5), *other = ring_plan(&rig, 6);
    CHECK(plan && other && other != plan);
    for (int step = 0; step < 1000; step++) {
        CHECK(ring_plan(&rig, 5) == plan && ring_plan(&rig, 6) == other);
        tn_plan_cache_trim(rig.cache);
    }
    plan_rig_destroy(&rig);
}

/* Every step has graphs that the last ones had not, and one that all have. */
TEST(new_graphs_need_the_heap_no_more_once_warm)
{
    PlanRig rig;
    REQUIRE(plan_rig_create(&rig));
    long before = 0;
    int helps = 0, changes = 0;
    const TnBlockPlan *last = NULL;
    for (int step = 0; step < 2000; step++) {
        if (step == 1) before = tn_malloc_count();
        int one = 3 + 7 * step % 101, two = 3 + (7 * step + 11) % 101;
        const TnBlockPlan *first = ring_plan(&rig, one), *second = ring_plan(&rig, two);
        const TnBlockPlan *same = ring_plan(&rig, 110);
        REQUIRE(first && second && same);
        CHECK(first->node_count == one && second->node_count == two); /* still there */
        changes += same != last;
        last = same;
        helps += tn_plan_cache_trim(rig.cache);
    }
    CHECK(tn_malloc_count() == before && helps == 0);
    CHECK(tn_plan_cache_bytes(rig.cache) == 2 * (128 << 10));
    printf("     forgotten %d times in 2000 steps\n", changes);
    CHECK(changes > 10 && changes < 300); /* forgotten with its generation, and not sooner */
    plan_rig_destroy(&rig);
}

/* Plans of a step may be larger than all that is kept; then that grows with the step, not with
 * time. */
TEST(memory_for_plans_is_bounded_by_the_largest_step)
{
    PlanRig rig;
    REQUIRE(plan_rig_create(&rig));
    size_t step_bytes = 0;
    long before = 0;
    for (int step = 0; step < 100; step++) {
        int first = 3 + step % 5;
        if (step == 1) step_bytes = tn_plan_cache_bytes(rig.cache);
        if (step == 6) before = tn_malloc_count();
        for (int k = first; k < 290; k++) REQUIRE(ring_plan(&rig, k));
        int helps = tn_plan_cache_trim(rig.cache);
        CHECK((helps > 0) == (step == 0));
    }
    CHECK(tn_plan_cache_bytes(rig.cache) == step_bytes && step_bytes > 4 << 20);
    CHECK(tn_malloc_count() == before);
    plan_rig_destroy(&rig);
}

TEST(without_memory_for_plans_later_steps_have_what_they_need)
{
    for (long calls = 0; calls < 30; calls++) {
        PlanRig rig;
        REQUIRE(plan_rig_create(&rig));
        for (int step = 0; step < 12; step++) {
            int most = step < 4 ? 20 : 250; /* it grows */
            if (step % 4 == 0) tn_malloc_fail_after(calls);
            for (int k = 3; k < most; k++) ring_plan(&rig, k);
            if (step % 4 == 1) tn_malloc_fail_after(-1);
            tn_plan_cache_trim(rig.cache);
            if (step % 4 < 2) continue;
            for (int k = 3; k < most; k++) CHECK(ring_plan(&rig, k));
        }
        tn_malloc_fail_after(-1);
        plan_rig_destroy(&rig);
    }
}

enum { ASKED = 64, RINGS = 8 };
typedef struct Shared {
    TnPlanCache *cache;
    TnArena scratch[ASKED];
    const TnBlockPlan *found[ASKED];
    TnBlockGraph graphs[RINGS];
} Shared;

static void get_range(void *context, int begin, int end)
{
    Shared *shared = context;
    for (int k = begin; k < end; k++)
        shared->found[k] =
            tn_plan_cache_get(shared->cache, &shared->graphs[k % RINGS], &shared->scratch[k]);
}

TEST(threads_that_ask_at_once_get_the_same_plans)
{
    static Shared shared;
    static int dims[RINGS][300], edges[RINGS][300][2];
    TnPool *pool = tn_pool_create(4);
    shared.cache = tn_plan_cache_create();
    REQUIRE(pool && shared.cache);
    for (int k = 0; k < ASKED; k++) REQUIRE(tn_arena_init(&shared.scratch[k], "scratch", 1 << 16));
    for (int step = 0; step < 60; step++) {
        for (int g = 0; g < RINGS; g++) {
            TnBlockGraph graph = ring(5 + (step * 31 + g) % 290);
            memcpy(dims[g], graph.dims, sizeof(int) * (size_t)graph.node_count);
            memcpy(edges[g], graph.edges, sizeof(int[2]) * (size_t)graph.edge_count);
            graph.dims = dims[g];
            graph.edges = (const int(*)[2])edges[g];
            shared.graphs[g] = graph;
        }
        tn_pool_run(pool, ASKED, 1, get_range, &shared);
        for (int k = 0; k < ASKED; k++) {
            CHECK(shared.found[k] && shared.found[k] == shared.found[k % RINGS]);
            CHECK(tn_block_plan_fits(shared.found[k], &shared.graphs[k % RINGS]));
        }
        tn_plan_cache_trim(shared.cache);
    }
    for (int k = 0; k < ASKED; k++) tn_arena_free(&shared.scratch[k]);
    tn_plan_cache_destroy(shared.cache);
    tn_pool_destroy(pool);
}

/* ---- memory ---- */

/* All that an assembly needs comes from the heap, as from an arena that is too small. */
TEST(without_memory_nothing_is_built_and_nothing_lost)
{
    Rig rig;
    REQUIRE(rig_create(&rig, 7));
    bool built = false;
    int failures = 0;
    for (long calls = 0; !built && calls < 2000; calls++) {
        TnPlanCache *cache = tn_plan_cache_create();
        TnArena arena;
        TnAssembly assembly;
        REQUIRE(cache && tn_arena_init(&arena, "empty", 0));
        rig.problem.arena = &arena;
        tn_malloc_fail_after(calls);
        built = tn_assembly_build(&rig.problem, cache, &assembly);
        tn_malloc_fail_after(-1);
        failures += !built;
        if (!built) { /* nothing is half made */
            CHECK(tn_assembly_build(&rig.problem, cache, &assembly));
            CHECK(assembly.plan->hash == rig.assembly.plan->hash);
        }
        rig.problem.arena = &rig.arena;
        tn_arena_free(&arena);
        tn_plan_cache_destroy(cache);
    }
    CHECK(built);
    CHECK(failures >= 20); /* of which the plan's scratch are more than ten */
    rig_destroy(&rig);
}
