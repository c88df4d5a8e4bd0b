/* Islands: found, cut out, solved apart and put together again. */
#include "../check.h"

#include "base/base.h"
#include "mesh_problem.h"
#include "papers.h"
#include "solver/solve.h"

/* ---- finding ---- */

/* Breadth-first search with the definition and nothing else: which blocks a constraint is on. */
typedef struct Members {
    int count, blocks[16];
} Members;

static void add_table_row(const TnProblem *p, int row, Members *m)
{
    if (row)
        m->blocks[m->count++] =
            row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static void add_contact(const TnProblem *p, int c, Members *m)
{
    add_table_row(p, p->contact_batch[c / TN_LANES].row_a[c % TN_LANES], m);
    add_table_row(p, p->contact_batch[c / TN_LANES].row_b[c % TN_LANES], m);
}

/* Contacts, then rows, then bonds. */
static Members members_of(const TnProblem *p, int constraint)
{
    Members m = {0};
    int r = constraint - p->contact_count;
    if (r < 0) {
        add_contact(p, constraint, &m);
    } else if (r < p->row_count) {
        const TnRow *row = &p->rows[r];
        if (row->side_count && row->set >= TN_ROW_SPIN) {
            add_contact(p, row->contact, &m);
            if (!m.count) return m; /* bounded by nothing */
        }
        for (int s = 0; s < row->side_count; s++)
            m.blocks[m.count++] = p->sides[row->side_start + s].block;
    } else {
        add_table_row(p, p->bonds[r - p->row_count].row_a, &m);
        add_table_row(p, p->bonds[r - p->row_count].row_b, &m);
    }
    return m;
}

/* Labels of blocks by floods from block after block; returns how many. */
static int flood(const TnProblem *p, int *label)
{
    int blocks = p->twist_count + p->large_count, islands = 0;
    int constraints = p->contact_count + p->row_count + p->bond_count;
    for (int b = 0; b < blocks; b++) label[b] = -1;
    for (int first = 0; first < blocks; first++) {
        bool constrained = false, grew = true;
        if (label[first] >= 0) continue;
        label[first] = islands;
        while (grew) {
            grew = false;
            for (int k = 0; k < constraints; k++) {
                Members m = members_of(p, k);
                bool reached = false;
                for (int i = 0; i < m.count; i++)
                    reached = reached || label[m.blocks[i]] == islands;
                constrained = constrained || reached;
                for (int i = 0; reached && i < m.count; i++)
                    if (label[m.blocks[i]] < 0) label[m.blocks[i]] = islands, grew = true;
            }
        }
        if (constrained)
            islands++;
        else
            label[first] = -2; /* alone */
    }
    for (int b = 0; b < blocks; b++)
        if (label[b] == -2) label[b] = -1;
    return islands;
}

static void check_list(int islands, int count, const int *start, const int *list,
                       const int *expected)
{
    int in_some = 0;
    for (int i = 0; i < count; i++) in_some += expected[i] >= 0;
    CHECK(start[0] == 0 && start[islands] == in_some);
    for (int g = 0; g < islands; g++)
        for (int k = start[g]; k < start[g + 1]; k++) {
            CHECK(expected[list[k]] == g);
            if (k > start[g]) CHECK(list[k] > list[k - 1]);
        }
}

static void check_islands(const TnProblem *p, TnIslands *out)
{
    int label[256], of[512], blocks = p->twist_count + p->large_count;
    REQUIRE(blocks <= 256 && p->contact_count <= 512 && tn_islands_find(p, NULL, out));
    TnIslands islands = *out;
    CHECK(islands.count == flood(p, label));
    for (int b = 0; b < blocks; b++) CHECK(islands.island_of[b] == label[b]);
    check_list(islands.count, blocks, islands.block_start, islands.blocks, label);
    const int counts[3] = {p->contact_count, p->row_count, p->bond_count};
    const int *starts[3] = {islands.contact_start, islands.row_start, islands.bond_start};
    const int *lists[3] = {islands.contacts, islands.rows, islands.bonds};
    for (int kind = 0, first = 0; kind < 3; first += counts[kind++]) {
        for (int i = 0; i < counts[kind]; i++) {
            Members m = members_of(p, first + i);
            of[i] = m.count ? label[m.blocks[0]] : -1;
        }
        check_list(islands.count, counts[kind], starts[kind], lists[kind], of);
    }
}

/* ---- problems that fall apart ---- */

/* Sides that no row has any more leave the list. */
static void close_up_sides(TnProblem *p)
{
    p->side_count = 0;
    for (int i = 0; i < p->row_count; i++) {
        TnRow *row = &p->rows[i];
        memmove(p->sides + p->side_count, p->sides + row->side_start,
                sizeof(TnRowSide) * (size_t)row->side_count);
        row->side_start = p->side_count;
        p->side_count += row->side_count;
    }
}

/* Most contacts, rows and bonds lose one side to the fixed world, some contacts and rows both. */
static void loosen(TnProblem *p, uint64_t seed, double share)
{
    Random r = {seed * 31 + 7};
    for (int c = 0; c < p->contact_count; c++) {
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        if (fabs(uniform(&r)) < share && batch->row_b[l]) batch->row_a[l] = 0;
        if (fabs(uniform(&r)) < 0.05) batch->row_a[l] = batch->row_b[l] = 0;
    }
    for (int i = 0; i < p->row_count; i++) {
        TnRow *row = &p->rows[i];
        if (row->set == TN_ROW_ROLL_PARTNER) {
            row->side_count = row[-1].side_count;
            continue;
        }
        if (fabs(uniform(&r)) < share) row->side_count = 1;
        bool idle = fabs(uniform(&r)) < 0.05;
        if (row->set >=
            TN_ROW_SPIN) { /* nothing moves by force of habit where the contact has none */
            const TnContactBatch *batch = &p->contact_batch[row->contact / TN_LANES];
            int l = row->contact % TN_LANES;
            idle = idle || (!batch->row_a[l] && !batch->row_b[l]);
        }
        if (idle) row->side_count = 0;
    }
    for (int i = 0; i < p->bond_count; i++)
        if (fabs(uniform(&r)) < share && p->bonds[i].row_b) p->bonds[i].row_a = 0;
    close_up_sides(p);
}

/* The rows and contacts of the meshes contradict each other; in the last family none are
 * touched. */
enum { BODIES, CHAINED, MESHED, MESHES_APART, KINDS };

/* Of any of the three families, the same for the same numbers. */
static bool make(TnProblem *p, TnArena *arena, MeshRig *rigs, int kind, uint64_t seed)
{
    ChainChoice chains = {
        .reach = NEAR, .twists = 20, .contacts = 25, .rows = 14, .stiffness = 3.0};
    MeshChoice meshes = {
        .touch = kind == MESHED ? FEW : NOTHING, .stiffness = 1.0, .shift = (int)seed};
    bool ok = kind == BODIES    ? random_problem(p, arena, seed, 43, 30, 14)
              : kind == CHAINED ? random_chain_problem(p, arena, seed, chains)
                                : random_mesh_problem(p, arena, seed, rigs, meshes);
    if (ok) loosen(p, seed, kind == BODIES ? 0.3 : 0.9);
    return ok;
}

typedef struct Pair {
    TnArena arenas[2];
    MeshRig rigs[2][MESHES];
    TnProblem p[2];
} Pair;

static bool pair_make(Pair *pair, int kind, uint64_t seed)
{
    bool ok = true;
    for (int i = 0; i < 2; i++)
        ok = ok && tn_arena_init(&pair->arenas[i], "a", 1 << 22) &&
             mesh_rigs_create(pair->rigs[i], false) &&
             make(&pair->p[i], &pair->arenas[i], pair->rigs[i], kind, seed);
    return ok;
}

static void pair_free(Pair *pair)
{
    for (int i = 0; i < 2; i++) {
        tn_arena_free(&pair->arenas[i]);
        mesh_rigs_destroy(pair->rigs[i]);
    }
}

TEST(islands_of_a_small_problem_are_as_drawn)
{
    /* twists 0 … 5, dense blocks 6 … 8 with two ports each; contacts 0–3, 5–port of 7, 4–world; a
     * row on 3 and 1; 2, 6 and 8 stay alone; the last contact has no moving side */
    TnArena arena;
    TnProblem p;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 18));
    REQUIRE(random_problem(&p, &arena, 1, 6, 4, 1));
    const int rows[4][2] = {{1, 4}, {6, p.port_row + 3}, {0, 5}, {0, 0}};
    for (int c = 0; c < 4; c++) {
        p.contact_batch[0].row_a[c] = rows[c][0];
        p.contact_batch[0].row_b[c] = rows[c][1];
    }
    p.rows[0].side_count = 2;
    p.sides[0].block = 3;
    p.sides[1].block = 1;
    TnIslands s;
    check_islands(&p, &s);
    const int island_of[9] = {0, 0, -1, 0, 1, 2, -1, 2, -1}, place[9] = {0, 1, -1, 2, 0, 0, -1, 0};
    REQUIRE(s.count == 3);
    for (int b = 0; b < 9; b++) {
        CHECK(s.island_of[b] == island_of[b]);
        if (island_of[b] >= 0) CHECK(s.place[b] == place[b]);
    }
    CHECK(s.contacts[0] == 0 && s.contacts[1] == 2 && s.contacts[2] == 1 &&
          s.contact_start[3] == 3);
    CHECK(s.row_start[1] == 1 && s.row_start[3] == 1);
    tn_arena_free(&arena);
}

TEST(islands_are_what_a_flood_reaches)
{
    int most = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            Pair pair = {0};
            REQUIRE(pair_make(&pair, kind, seed));
            TnIslands islands = {0};
            check_islands(&pair.p[0], &islands);
            if (islands.count > most) most = islands.count;
            pair_free(&pair);
        }
    CHECK(most > 5);
}

/* ---- cutting out ---- */

/* Blocks without constraints are not in any part and not compared. */
static bool same_bits(const TnProblem *a, const TnProblem *b, const int *island_of)
{
    bool same = true;
    for (int k = 0; k < a->twist_count; k++)
        if (island_of[k] >= 0)
            same = same && memcmp(a->twist[k + 1], b->twist[k + 1], sizeof(double[8])) == 0;
    for (int i = 0; i < a->large_count; i++) {
        const TnLargeBlock *d = &a->large[i];
        if (island_of[a->twist_count + i] < 0) continue;
        same = same && memcmp(d->v, b->large[i].v, sizeof(double) * (size_t)d->dim) == 0;
        for (int k = d->port_start; k < d->port_start + d->port_count; k++)
            same = same && memcmp(a->twist[a->port_row + k], b->twist[b->port_row + k],
                                  sizeof(double[8])) == 0;
    }
    return same;
}

/* λ of what is in no island is left out. */
static bool same_forces(const TnProblem *a, const TnProblem *b, const TnIslands *s)
{
    bool same = true;
    for (int k = 0; k < s->contact_start[s->count]; k++)
        same = same &&
               memcmp(a->lambda[s->contacts[k]], b->lambda[s->contacts[k]], sizeof(double[3])) == 0;
    for (int k = 0; k < s->row_start[s->count]; k++)
        same = same && a->rows[s->rows[k]].lambda == b->rows[s->rows[k]].lambda;
    for (int k = 0; k < s->bond_start[s->count]; k++)
        same = same && memcmp(a->bonds[s->bonds[k]].lambda, b->bonds[s->bonds[k]].lambda,
                              sizeof(double[12])) == 0;
    return same;
}

static void parts_make_the_bits_of_the_whole(int kind, Weights weights)
{
    TnSolverDef def = tn_solver_def();
    def.anderson = 0; /* that combines with numbers of the whole problem */
    def.iterations = 23;
    def.tolerance = 0.0; /* each part would stop where it is good enough */
    int most = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        Pair pair = {0};
        TnIslands islands;
        TnArena arena;
        REQUIRE(tn_arena_init(&arena, "part", 1 << 22) && pair_make(&pair, kind, seed));
        REQUIRE(prepare_with(&pair.p[0], &def, weights));
        tn_subadmm_solve(&pair.p[0], &def, NULL);
        REQUIRE(tn_islands_find(&pair.p[1], NULL, &islands));
        if (islands.count > most) most = islands.count;
        for (int i = islands.count; i-- > 0;) {
            TnProblem part;
            REQUIRE(tn_island_extract(&pair.p[1], &islands, i, &arena, &part));
            REQUIRE(prepare_with(&part, &def, weights));
            tn_subadmm_solve(&part, &def, NULL);
            tn_island_return(&part, &islands, i, &pair.p[1]);
            tn_arena_reset(&arena);
        }
        CHECK(same_bits(&pair.p[0], &pair.p[1], islands.island_of));
        CHECK(same_forces(&pair.p[0], &pair.p[1], &islands));
        tn_arena_free(&arena);
        pair_free(&pair);
    }
    CHECK(most > 2);
}

TEST(parts_of_bodies_and_robots_make_the_bits_of_the_whole)
{
    parts_make_the_bits_of_the_whole(BODIES, OUR_WEIGHTS);
    parts_make_the_bits_of_the_whole(BODIES, PAPERS_WEIGHTS);
}
TEST(parts_with_chains_make_the_bits_of_the_whole)
{
    parts_make_the_bits_of_the_whole(CHAINED, OUR_WEIGHTS);
}
TEST(parts_with_meshes_and_bonds_make_the_bits_of_the_whole)
{
    parts_make_the_bits_of_the_whole(MESHED, OUR_WEIGHTS);
}

/* ---- solving ---- */

static TnSolverDef careful(void)
{
    TnSolverDef def = tn_solver_def();
    def.method = TN_METHOD_SUBADMM;
    def.iterations = 20000;
    def.tolerance = 1e-10;
    return def;
}

/* 1e-7: errors of 1e-10 in constraints, and what couples them amplifies by less than a thousand
 * here. */
TEST(a_problem_solved_in_parts_has_the_solution_of_the_whole)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; kind != MESHED && seed <= 3; seed++) {
            Pair pair = {0};
            TnSolution solution;
            TnSolverDef def = careful(), plain = careful();
            plain.tolerance = 1e-14;
            TnSolverMemory *memory = tn_solver_memory_create(1);
            REQUIRE(memory && pair_make(&pair, kind, seed));
            TnProblem *whole = &pair.p[0], *p = &pair.p[1];
            REQUIRE(tn_problem_prepare(whole, &plain, NULL));
            tn_subadmm_solve(whole, &plain, NULL);
            REQUIRE(tn_solve(p, &def, memory, NULL, &solution));
            TnSolutionSummary sum = tn_solution_summary(&solution, def.velocity_scale);
            /* contacts of the last family contradict each other on the robot, too */
            if (kind < MESHED) CHECK(sum.converged && sum.error < 1e-10);
            for (int r = 0; r < p->table_rows; r++)
                for (int k = 0; k < 8; k++) CHECK_NEAR(p->twist[r][k], whole->twist[r][k], 1e-7);
            for (int i = 0; i < p->large_count; i++)
                for (int k = 0; k < p->large[i].dim; k++)
                    CHECK_NEAR(p->large[i].v[k], whole->large[i].v[k], 1e-7);
            pair_free(&pair);
            tn_solver_memory_destroy(memory);
        }
}

TEST(constraints_between_things_that_do_not_move_are_in_no_island_and_get_no_force)
{
    Pair pair = {0};
    TnSolution solution;
    TnSolverDef def = careful();
    TnSolverMemory *memory = tn_solver_memory_create(1);
    REQUIRE(memory && pair_make(&pair, BODIES, 1));
    TnProblem *p = &pair.p[0];
    p->contact_batch[0].row_a[2] = p->contact_batch[0].row_b[2] = 0;
    p->rows[4].side_count = 0;
    close_up_sides(p);
    p->lambda[2][1] = p->rows[4].lambda = 1.0;
    REQUIRE(tn_solve(p, &def, memory, NULL, &solution));
    const TnIslands *s = &solution.islands;
    for (int k = 0; k < s->contact_start[s->count]; k++) CHECK(s->contacts[k] != 2);
    for (int k = 0; k < s->row_start[s->count]; k++) CHECK(s->rows[k] != 4);
    CHECK(p->lambda[2][1] == 0.0 && p->rows[4].lambda == 0.0);
    CHECK(tn_solution_summary(&solution, def.velocity_scale).converged);
    tn_solver_memory_destroy(memory);
    pair_free(&pair);
}

/* Many small islands and one of more than a thread's share of the work. */
static bool uneven(TnProblem *p, TnArena *arena)
{
    const int small = 900, large = 2400;
    if (!random_problem(p, arena, 3, small + large / 2, 2 * small + 2 * large, 40)) return false;
    Random r = {5};
    for (int c = 0; c < p->contact_count; c++) {
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES, other = (int)(fabs(uniform(&r)) * large / 2);
        if (c < 2 * small) {
            batch->row_a[l] = c % 2 ? 1 + (c / 2 ^ 1) : 0;
            batch->row_b[l] = 1 + c / 2;
        } else {
            batch->row_a[l] = c % 5 ? 0 : 1 + small + other;
            batch->row_b[l] = 1 + small + (c - 2 * small) % (large / 2);
            if (batch->row_a[l] == batch->row_b[l]) batch->row_a[l] = 0;
        }
    }
    for (int k = 0; k < p->row_count; k++) {
        p->rows[k].contact = 2 * (k % 7); /* roll and its partner: on the same one */
        if (p->rows[k].set == TN_ROW_ROLL_PARTNER) p->rows[k].contact = p->rows[k - 1].contact;
    }
    return true;
}

TEST(any_number_of_threads_makes_the_same_bits)
{
    TnArena arenas[2];
    TnProblem p[2];
    TnSolution one, many;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-5;
    TnSolverMemory *alone = tn_solver_memory_create(1);
    REQUIRE(tn_arena_init(&arenas[0], "a", 1 << 24) && tn_arena_init(&arenas[1], "b", 1 << 24));
    REQUIRE(alone && uneven(&p[0], &arenas[0]));
    REQUIRE(tn_solve(&p[0], &def, alone, NULL, &one));
    CHECK(one.islands.count > 100);
    for (int threads = 2; threads <= 8; threads = MORE_THREADS(threads)) {
        TnPool *pool = tn_pool_create(threads);
        TnSolverMemory *memory = tn_solver_memory_create(threads);
        REQUIRE(pool && memory && uneven(&p[1], &arenas[1]));
        REQUIRE(tn_solve(&p[1], &def, memory, pool, &many));
        CHECK(memcmp(p[0].twist, p[1].twist, sizeof(double[8]) * (size_t)p[0].table_rows) == 0);
        CHECK(memcmp(p[0].lambda, p[1].lambda, sizeof(double[3]) * (size_t)p[0].contact_count) ==
              0);
        CHECK(same_forces(&p[0], &p[1], &one.islands));
        for (int i = 0; i < one.islands.count; i++) {
            CHECK(one.results[i].report.error == many.results[i].report.error);
            CHECK(one.results[i].report.contacts == many.results[i].report.contacts);
            CHECK(one.results[i].worst_index == many.results[i].worst_index);
        }
        tn_arena_reset(&arenas[1]);
        tn_solver_memory_destroy(memory);
        tn_pool_destroy(pool);
    }
    tn_solver_memory_destroy(alone);
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
}

/* Whichever arena gets which island. */
TEST(once_warm_threads_do_not_ask_the_heap)
{
    TnArena arena;
    TnProblem p;
    TnSolution solution;
    TnSolverDef def = tn_solver_def();
    def.tolerance = 1e-5;
    TnPool *pool = tn_pool_create(4);
    TnSolverMemory *memory = tn_solver_memory_create(4);
    REQUIRE(pool && memory && tn_arena_init(&arena, "a", 1 << 24));
    for (int round = 0; round < 8; round++) {
        size_t bytes;
        long before = tn_malloc_count();
        REQUIRE(uneven(&p, &arena));
        REQUIRE(tn_solve(&p, &def, memory, pool, &solution));
        int helps = tn_solver_memory_reset(memory, &bytes);
        CHECK(bytes > 0);
        if (round == 0) CHECK(helps > 0);
        if (round > 2) CHECK(helps == 0 && tn_malloc_count() == before);
        tn_arena_reset(&arena);
    }
    tn_solver_memory_destroy(memory);
    tn_pool_destroy(pool);
    tn_arena_free(&arena);
}

/* AddressSanitizer sees what is left behind. */
TEST(without_memory_a_solve_fails_and_leaves_nothing_behind)
{
    bool enough = false;
    for (int n = 0; n < 5000 && !enough; n++) {
        TnArena arena;
        TnProblem p;
        TnSolution solution;
        TnSolverDef def = careful();
        def.iterations = 3;
        REQUIRE(tn_arena_init(&arena, "a", 1 << 20) && random_problem(&p, &arena, 2, 20, 12, 7));
        tn_malloc_fail_after(n);
        TnSolverMemory *memory = tn_solver_memory_create(2);
        enough = memory && tn_solve(&p, &def, memory, NULL, &solution);
        tn_malloc_fail_after(-1);
        tn_solver_memory_destroy(memory);
        tn_arena_free(&arena);
    }
    CHECK(enough);
}

TEST(a_matrix_that_is_not_positive_definite_is_refused)
{
    for (int touched = 0; touched < 2; touched++)
        for (int large = 0; large < 2; large++) {
            TnArena arena;
            TnProblem p;
            TnSolution solution;
            TnSolverDef def = careful();
            TnSolverMemory *memory = tn_solver_memory_create(1);
            REQUIRE(memory && tn_arena_init(&arena, "a", 1 << 20));
            REQUIRE(random_problem(&p, &arena, 2, 10, 1, 0));
            p.contact_batch[0].row_a[0] = 0;
            p.contact_batch[0].row_b[0] = !touched ? 5 : large ? p.port_row : 3;
            if (large)
                tn_problem_dense_A(&p, 0)[0] = -1.0;
            else
                p.twist_batch[0].a[2] = -1.0;
            CHECK(!tn_solve(&p, &def, memory, NULL, &solution));
            tn_solver_memory_destroy(memory);
            tn_arena_free(&arena);
        }
}
