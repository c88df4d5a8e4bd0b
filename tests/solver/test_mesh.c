/* Mesh blocks against the same problems with full matrices. */
#include "../check.h"

#include "base/base.h"
#include "mesh_problem.h"
#include "papers.h"
#include "solver/block/mesh.h"

/* How SubADMM runs: as the library has it, or as the paper. */
typedef struct Way {
    Weights weights;
    bool papers_form;
} Way;
static const Way ours = {OUR_WEIGHTS, false};

static void solve(TnProblem *p, TnSolverDef def, TnPool *pool)
{
    REQUIRE(tn_problem_prepare(p, &def, pool));
    tn_subadmm_solve(p, &def, pool);
}

static void solve_by(Way way, TnProblem *p, const TnSolverDef *def)
{
    TnSolveResult result;
    REQUIRE(prepare_with(p, def, way.weights));
    if (way.papers_form)
        REQUIRE(tn_subadmm_paper_solve(p, def, &result));
    else
        tn_subadmm_solve(p, def, NULL);
}

static void compare(MeshChoice c, uint64_t seed, TnSolverDef def, Way way, double tolerance)
{
    if (def.anderson < 0) def.anderson = 0; /* the default goes by the kind of block */
    TnArena arenas[2];
    TnProblem problems[2];
    MeshRig rigs[MESHES];
    REQUIRE(mesh_rigs_create(rigs, c.large));
    for (int i = 0; i < 2; i++) {
        c.full = i;
        REQUIRE(tn_arena_init(&arenas[i], "a", 1 << 22));
        REQUIRE(random_mesh_problem(&problems[i], &arenas[i], seed, rigs, c));
        solve_by(way, &problems[i], &def);
    }
    double difference = largest_difference(&problems[0], &problems[1]);
    if (!(difference < tolerance))
        printf("    touch %d, %d iterations\n", (int)c.touch, def.iterations);
    CHECK_NEAR(difference, 0.0, tolerance);
    TnAccuracy a = tn_problem_accuracy(&problems[0]), b = tn_problem_accuracy(&problems[1]);
    if (def.tolerance <= 0.0 && problems[0].contact_count) {
        CHECK_NEAR(pow(10.0, -a.aac), pow(10.0, -b.aac), tolerance);
        CHECK_NEAR(pow(10.0, -a.aal), pow(10.0, -b.aal), tolerance);
    }
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
    mesh_rigs_destroy(rigs);
}

/* 1e-11: rounding of numbers of order 1 … 10 over iterations that contract errors. */
static void same_iterates(TnSolverDef def, Way way, double tolerance)
{
    for (MeshTouch touch = NOTHING; touch < TOUCHES; touch++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (def.iterations = 1; def.iterations <= 41; def.iterations += 20)
                compare((MeshChoice){.touch = touch, .stiffness = 1.0, .shift = (int)seed}, seed,
                        def, way, tolerance);
}

TEST(a_mesh_makes_the_iterates_of_the_full_matrix) { same_iterates(fixed_count(), ours, 1e-11); }

/* So many that the iterations solve with a factor instead of multiplying by an inverse. */
TEST(a_mesh_with_many_touched_nodes_makes_the_iterates_of_the_full_matrix)
{
    TnSolverDef def = fixed_count();
    def.iterations = 20;
    compare((MeshChoice){.touch = ALL, .stiffness = 1.0, .large = true}, 1, def, ours, 1e-11);
    compare((MeshChoice){.touch = ALL, .stiffness = 1.0, .large = true}, 2, def,
            (Way){OUR_WEIGHTS, true}, 1e-11);
}

TEST(a_mesh_makes_the_iterates_of_the_full_matrix_with_the_papers_weights)
{
    same_iterates(fixed_count(), (Way){PAPERS_WEIGHTS, false}, 1e-11);
}

TEST(a_mesh_makes_the_iterates_of_the_full_matrix_in_the_papers_form)
{
    same_iterates(fixed_count(), (Way){OUR_WEIGHTS, true}, 1e-11);
    same_iterates(fixed_count(), (Way){PAPERS_WEIGHTS, true}, 1e-11);
}

/* 1e-9 where Anderson mixes: a combination of differences magnifies their rounding. */
TEST(a_mesh_makes_the_iterates_of_the_full_matrix_with_anderson_acceleration)
{
    TnSolverDef def = fixed_count();
    def.anderson = 5;
    same_iterates(def, ours, 1e-9);
}

/* 1e-7: entries of 1e6 and more beside masses of 1 make v_free itself uncertain by 1e-9. */
TEST(a_stiff_mesh_converges_to_the_solution_of_the_full_matrix)
{
    TnSolverDef def = fixed_count();
    def.iterations = 4000;
    def.tolerance = 1e-13;
    compare((MeshChoice){.touch = FEW, .stiffness = 1e6}, 2, def, ours, 1e-7);
}

typedef struct Solved {
    TnArena arena;
    TnProblem problem;
    MeshRig rigs[MESHES];
} Solved;

static void solved_create(Solved *s, MeshChoice c, uint64_t seed, TnPool *pool)
{
    REQUIRE(mesh_rigs_create(s->rigs, c.large) && tn_arena_init(&s->arena, "a", 1 << 22));
    REQUIRE(random_mesh_problem(&s->problem, &s->arena, seed, s->rigs, c));
    solve(&s->problem, fixed_count(), pool);
}

static void solved_free(Solved *s)
{
    tn_arena_free(&s->arena);
    mesh_rigs_destroy(s->rigs);
}

TEST(as_many_nodes_are_kept_as_are_touched)
{
    for (MeshTouch touch = NOTHING; touch < TOUCHES; touch++) {
        Solved s;
        solved_create(&s, (MeshChoice){.touch = touch, .stiffness = 1.0}, 1, NULL);
        const TnLargeBlock *d = &s.problem.large[1];
        if (touch == FEW)
            CHECK(d->solved > 3 * 5 && d->solved < d->dim);
        else
            CHECK(d->solved == (touch == ALL ? d->dim : 0));
        solved_free(&s);
    }
}

TEST(a_mesh_that_nothing_touches_moves_freely)
{
    Solved s;
    solved_create(&s, (MeshChoice){.touch = NOTHING, .stiffness = 1.0}, 1, NULL);
    for (int i = 1; i <= MESHES; i++) {
        const TnLargeBlock *d = &s.problem.large[i];
        size_t bytes = sizeof(double) * (size_t)d->dim;
        double *v_free = malloc(bytes);
        memcpy(v_free, d->b, bytes);
        d->kind->solve_A(d, v_free); /* the same operations: the same bits */
        CHECK(memcmp(d->v, v_free, bytes) == 0);
        free(v_free);
    }
    solved_free(&s);
}

/* A v - b is zero on nodes that nothing touches, to the rounding of numbers of 1e7 times velocities
 * of 1 … 10. */
TEST(untouched_nodes_of_a_stiff_mesh_move_with_the_others)
{
    Solved s;
    solved_create(&s, (MeshChoice){.touch = FEW, .stiffness = 1e6}, 1, NULL);
    const TnLargeBlock *d = &s.problem.large[1];
    const TnMeshBlock *m = tn_mesh_block(d);
    BoxGraph g = s.rigs[0].graph;
    double *Av = TN_ARENA_ZERO(&s.arena, double, d->dim), force = 0.0;
    bool *kept = TN_ARENA_ZERO(&s.arena, bool, m->node_count);
    REQUIRE(Av && kept);
    for (int k = 0; k < m->kept_count; k++) kept[m->kept[k]] = true;
    for (int k = 0; k < g.node_count; k++)
        for (int i = 0; i < 9; i++) Av[3 * k + i / 3] += m->blocks[k][i] * d->v[3 * k + i % 3];
    for (int e = 0; e < g.edge_count; e++)
        for (int i = 0; i < 9; i++) {
            int row = 3 * g.edges[e][0] + i / 3, column = 3 * g.edges[e][1] + i % 3;
            Av[row] += m->blocks[g.node_count + e][i] * d->v[column];
            Av[column] += m->blocks[g.node_count + e][i] * d->v[row];
        }
    for (int k = 0; k < d->dim; k++) {
        if (kept[k / 3])
            force = fmax(force, fabs(Av[k] - d->b[k]));
        else
            CHECK_NEAR(Av[k], d->b[k], 1e-6);
    }
    CHECK(force > 0.1);
    solved_free(&s);
}

static void check_same_bits(const TnProblem *a, const TnProblem *b)
{
    CHECK(memcmp(a->twist, b->twist, sizeof(double[8]) * (size_t)a->table_rows) == 0);
    CHECK(memcmp(a->lambda, b->lambda, sizeof(double[3]) * (size_t)a->contact_count) == 0);
    for (int r = 0; r < a->row_count; r++) CHECK(a->rows[r].lambda == b->rows[r].lambda);
    for (int i = 0; i < a->large_count; i++)
        CHECK(memcmp(a->large[i].v, b->large[i].v, sizeof(double) * (size_t)a->large[i].dim) == 0);
}

TEST(any_number_of_threads_gives_the_same_bits_with_meshes)
{
    for (MeshTouch touch = FEW; touch <= ALL; touch++) {
        MeshChoice c = {.touch = touch, .stiffness = 4.0, .large = true};
        Solved one;
        solved_create(&one, c, 1, NULL);
        for (int threads = 1; threads <= 8; threads = MORE_THREADS(threads)) {
            Solved s;
            TnPool *pool = tn_pool_create(threads);
            REQUIRE(pool);
            solved_create(&s, c, 1, pool);
            check_same_bits(&one.problem, &s.problem);
            tn_pool_destroy(pool);
            solved_free(&s);
        }
        solved_free(&one);
    }
}

/* One problem after the other with the same meshes: as each with meshes of its own. */
TEST(what_a_mesh_remembers_changes_no_bit)
{
    MeshRig rigs[MESHES];
    TnArena arena;
    REQUIRE(mesh_rigs_create(rigs, false) && tn_arena_init(&arena, "a", 1 << 22));
    const MeshChoice choices[] = {{.touch = FEW, .stiffness = 1.0},
                                  {.touch = FEW, .stiffness = 2.0},
                                  {.touch = FEW, .stiffness = 2.0, .shift = 3},
                                  {.touch = NOTHING, .stiffness = 1.0},
                                  {.touch = ALL, .stiffness = 1.0},
                                  {.touch = FEW, .stiffness = 1.0}};
    for (int i = 0; i < (int)(sizeof choices / sizeof *choices); i++) {
        TnProblem p;
        Solved alone;
        tn_arena_reset(&arena);
        REQUIRE(random_mesh_problem(&p, &arena, 4, rigs, choices[i]));
        solve(&p, fixed_count(), NULL);
        solved_create(&alone, choices[i], 4, NULL);
        check_same_bits(&p, &alone.problem);
        solved_free(&alone);
    }
    tn_arena_free(&arena);
    mesh_rigs_destroy(rigs);
}

/* Also when the touched nodes change, once the memory has seen as large a plan. */
TEST(a_warm_solve_with_meshes_takes_nothing_from_the_heap)
{
    MeshRig rigs[MESHES];
    TnArena arena;
    REQUIRE(mesh_rigs_create(rigs, false) && tn_arena_init(&arena, "a", 1 << 22));
    for (int i = 0; i < 12; i++) {
        TnProblem p;
        tn_arena_reset(&arena);
        REQUIRE(random_mesh_problem(&p, &arena, 4, rigs,
                                    (MeshChoice){.touch = i == 0 ? ALL : FEW, .shift = i / 2 % 2}));
        long before = tn_malloc_count();
        solve(&p, fixed_count(), NULL);
        if (i > 6) CHECK(tn_malloc_count() == before);
    }
    tn_arena_free(&arena);
    mesh_rigs_destroy(rigs);
}

TEST(a_mesh_that_is_not_positive_definite_is_refused)
{
    for (MeshTouch touch = NOTHING; touch < TOUCHES; touch++) {
        MeshRig rigs[MESHES];
        TnArena arena;
        TnProblem p;
        TnSolverDef def = fixed_count();
        REQUIRE(mesh_rigs_create(rigs, false) && tn_arena_init(&arena, "a", 1 << 22));
        REQUIRE(random_mesh_problem(&p, &arena, 4, rigs,
                                    (MeshChoice){.touch = touch, .stiffness = -1.0}));
        CHECK(!tn_problem_prepare(&p, &def, NULL));
        tn_arena_free(&arena);
        mesh_rigs_destroy(rigs);
    }
}

/* The arena falls back on the heap, which fails at every place in turn. */
TEST(a_mesh_without_memory_is_refused_and_leaks_nothing)
{
    bool done = false;
    for (long calls = 0; !done; calls++) {
        MeshRig rigs[MESHES];
        TnArena arena;
        TnProblem p;
        TnSolverDef def = fixed_count();
        REQUIRE(mesh_rigs_create(rigs, false) && tn_arena_init(&arena, "a", 0));
        REQUIRE(
            random_mesh_problem(&p, &arena, 4, rigs, (MeshChoice){.touch = FEW, .stiffness = 1.0}));
        tn_malloc_fail_after(calls);
        done = tn_problem_prepare(&p, &def, NULL);
        tn_malloc_fail_after(-1);
        if (!done && calls % 5 == 0) { /* the memory is as good as new */
            TnArena again;
            REQUIRE(tn_arena_init(&again, "a", 1 << 22));
            REQUIRE(random_mesh_problem(&p, &again, 4, rigs,
                                        (MeshChoice){.touch = FEW, .stiffness = 1.0}));
            CHECK(tn_problem_prepare(&p, &def, NULL));
            tn_arena_free(&again);
        }
        tn_arena_free(&arena);
        mesh_rigs_destroy(rigs);
    }
    tn_malloc_fail_after(0);
    CHECK(!tn_mesh_memory_create());
    tn_malloc_fail_after(-1);
}

/* A box whose nodes `first`, first + 1, … have a port and a contact with the floor each; `empty`
 * more ports have no nodes. */
typedef struct Floor {
    TnArena arena;
    TnProblem problem;
    MeshRig rigs[MESHES];
    int nodes[16];
    double M[9];
} Floor;

static void floor_create(Floor *f, int count, int empty)
{
    static const double zero[3], up[3] = {0, 0, 1};
    MeshChoice c = {.stiffness = 1.0};
    REQUIRE(mesh_rigs_create(f->rigs, false) && tn_arena_init(&f->arena, "a", 1 << 20));
    TnProblem *p = &f->problem;
    int ports = count + empty;
    REQUIRE(tn_problem_init(
        p, &f->arena,
        (TnProblemSize){
            .larges = 1, .ports = ports, .contacts = ports, .rows = 2, .sides = 2, .entries = 2}));
    REQUIRE(random_mesh(p, 0, &f->rigs[0], c, 0));
    p->large[0].port_count = ports;
    BoxGraph g = f->rigs[0].graph;
    /* masses and springs of 1 */
    double(*A)[9] = (double(*)[9])(uintptr_t)tn_mesh_block(&p->large[0])->blocks;
    memset(A, 0, sizeof(double[9]) * (size_t)(g.node_count + g.edge_count));
    for (int i = 0; i < 9; i += 4) {
        for (int k = 0; k < g.node_count; k++) A[k][i] = 1.0;
        for (int e = 0; e < g.edge_count; e++) {
            A[g.node_count + e][i] = -1.0;
            for (int side = 0; side < 2; side++) A[g.edges[e][side]][i] += 1.0;
        }
    }
    for (int k = 0; k < p->large[0].dim; k++) p->large[0].b[k] = k % 3 == 2 ? -1.0 : 0.5;
    memcpy(f->M, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof f->M);
    for (int k = 0; k < ports; k++) {
        f->nodes[k] = k;
        if (k < count)
            tn_problem_set_point_port(p, k, 0, 1, &f->nodes[k], (const double(*)[9])f->M);
        else
            tn_problem_set_point_port(p, k, 0, 0, NULL, NULL);
        tn_problem_set_contact(p, k, 0, p->port_row + k, zero, zero, up, zero, 0.5, zero);
    }
    for (int r = 0; r < 2; r++) { /* the same, but for the scale */
        p->rows[r] = (TnRow){.side_start = r, .side_count = 1, .scale = r ? 5.0 : 0.0};
        p->sides[r] = (TnRowSide){.start = r, .count = 1};
        p->index[r] = p->large[0].dim - 1;
        p->coefficient[r] = 1.0;
    }
}

static void floor_free(Floor *f)
{
    tn_arena_free(&f->arena);
    mesh_rigs_destroy(f->rigs);
}

TEST(weights_on_a_mesh_go_by_the_compliance_there_and_by_the_scale_of_rows)
{
    for (int count = 1; count <= 9; count += 4) {
        Floor f;
        floor_create(&f, count, 0);
        solve(&f.problem, fixed_count(), NULL);
        const TnPort *port = &f.problem.ports[0];
        double alone = fixed_count().weight_scale / port->compliance[14];
        CHECK_NEAR(f.problem.beta[0][2] / alone, 1.0, 1e-12);
        CHECK_NEAR(f.problem.sides[1].beta / f.problem.sides[0].beta, 5.0, 1e-12);
        floor_free(&f);
    }
}

TEST(a_point_without_nodes_takes_no_force_and_changes_nothing)
{
    Floor with, without;
    floor_create(&without, 4, 0);
    floor_create(&with, 4, 2);
    solve(&without.problem, fixed_count(), NULL);
    solve(&with.problem, fixed_count(), NULL);
    const TnLargeBlock *a = &without.problem.large[0], *b = &with.problem.large[0];
    for (int k = 0; k < a->dim; k++) CHECK(a->v[k] == b->v[k]);
    for (int k = 4; k < 6; k++)
        for (int i = 0; i < 3; i++) CHECK(with.problem.lambda[k][i] == 0.0);
    CHECK(with.problem.lambda[0][2] > 0.0);
    floor_free(&with);
    floor_free(&without);
}
