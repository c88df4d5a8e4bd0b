/* Chains that are iterated on fewer nodes than they have, against the same problems with full
 * matrices. */
#include "../check.h"

#include "papers.h"
#include "random_problem.h"

#include "base/base.h"
#include "solver/block/chain.h"

enum { LONGEST = 24, BLOCKS = 2, TWISTS = 3, MOST_PORTS = LONGEST + 2 };

typedef struct Form {
    const char *name;
    int node_count, dims[LONGEST];
    int edge_count, edges[LONGEST][2];
} Form;

static void add_node(Form *f, int dim, int to)
{
    f->dims[f->node_count] = dim;
    if (to >= 0) {
        f->edges[f->edge_count][0] = to;
        f->edges[f->edge_count++][1] = f->node_count;
    }
    f->node_count++;
}

enum { CABLE, HELD, HUB, FOREST, FORMS };
static Form form_of(int which)
{
    static const char *const names[FORMS] = {"cable", "held by two robots", "three arms",
                                             "a robot with two cables, and a cable"};
    Form f = {.name = names[which]};
    switch (which) {
    case CABLE:
        for (int k = 0; k < LONGEST; k++) add_node(&f, 6, k - 1);
        break;
    case HELD:
        for (int k = 0; k < 20; k++) add_node(&f, k == 0 ? 10 : k == 19 ? 7 : 6, k - 1);
        break;
    case HUB:
        add_node(&f, 6, -1);
        for (int k = 1; k < 22; k++) add_node(&f, 6, k % 7 == 1 ? 0 : k - 1);
        break;
    default:
        add_node(&f, 9, -1);
        for (int k = 1; k < 15; k++) add_node(&f, 6, k == 8 ? 0 : k - 1);
        for (int k = 15; k < 24; k++) add_node(&f, 6, k == 15 ? -1 : k - 1);
    }
    return f;
}

/* Which nodes are touched: bit k for node k. */
static const uint32_t touches[] = {
    0, 1, 1u << 18, 1u << 9, 0x40001, 0x1000ff, 0x888888, 0x111111, 0x00fff000, 0x555555ff, ~0u,
};
enum { TOUCHES = sizeof touches / sizeof *touches };

typedef struct Choice {
    int form;
    uint32_t touched;
    double stiffness;
    bool full;
} Choice;

static const TnChain *plan_of(int which)
{
    static TnChain chains[FORMS];
    Form f = form_of(which);
    if (!chains[which].plan && !tn_chain_plan(&chains[which], f.node_count, f.dims, f.edge_count,
                                              (const int(*)[2])f.edges))
        abort();
    return &chains[which];
}

static bool is_touched(Choice c, int node) { return c.touched >> node & 1; }

static bool set_block(Random *r, TnProblem *p, int block, Choice c, int port, int count)
{
    const TnChain *chain = plan_of(c.form);
    TnChainMatrix matrix = {.D = TN_ARENA_NEW(p->arena, double, chain->D_size),
                            .E = TN_ARENA_NEW(p->arena, double, chain->E_size),
                            .b = TN_ARENA_NEW(p->arena, double, chain->dim)};
    if (!matrix.D || !matrix.E || !matrix.b) return false;
    random_chain(r, chain, c.stiffness, matrix.D, matrix.E);
    if (c.full ? !tn_problem_set_dense(p, block, chain->dim, port, count)
               : !tn_problem_set_chain(p, block, chain, matrix, port, count))
        return false;
    TnLargeBlock *d = &p->large[block];
    if (c.full) fill_full(tn_problem_dense_A(p, block), chain, matrix.D, matrix.E);
    for (int k = 0; k < d->dim; k++) d->b[k] = 3.0 * uniform(r), d->v[k] = uniform(r);
    for (int node = 0; node < chain->node_count; node++) {
        if (!is_touched(c, node)) continue;
        const TnChainNode *at = &chain->nodes[node];
        int m = at->dim;
        double *T = TN_ARENA_ZERO(p->arena, double, 6 * m);
        if (!T) return false;
        for (int i = 0; i < 6 * m; i++) T[i] = m == 6 ? i % 7 == 0 : uniform(r);
        if (!c.full) {
            if (!tn_problem_set_node_port(p, port++, block, node, m == 6 ? NULL : T)) return false;
            continue;
        }
        if (!tn_problem_set_port(p, port, block)) return false;
        for (int i = 0; i < 6; i++)
            memcpy(p->ports[port].T + i * d->dim + at->start, T + i * m,
                   sizeof(double) * (size_t)m);
        port++;
    }
    return true;
}

/* On a touched node, and on the one behind it if that is touched and next to it; one more, on an
 * untouched node, if there is one: a row alone touches it. */
static void set_rows(Random *r, TnProblem *p, Choice c)
{
    const TnChain *chain = plan_of(c.form);
    int side = 0, entry = 0;
    p->row_count = 0;
    for (int e = 0; e < chain->edge_count && p->row_count < 6; e++) {
        int a = chain->edges[e].a, b = chain->edges[e].b;
        bool lonely = p->row_count == 0 && c.touched && !is_touched(c, a);
        if (!lonely && !is_touched(c, a)) continue;
        TnRow *row = &p->rows[p->row_count++];
        *row = (TnRow){.set = p->row_count % 2 ? TN_ROW_EQUALITY : TN_ROW_INEQUALITY,
                       .side_start = side,
                       .side_count = 1,
                       .e = 0.3 * uniform(r)};
        int start = entry;
        random_node_entries(r, p, &entry, &chain->nodes[a]);
        if (!lonely && is_touched(c, b)) random_node_entries(r, p, &entry, &chain->nodes[b]);
        p->sides[side++] = (TnRowSide){.block = TWISTS, .start = start, .count = entry - start};
        row->t = row->lambda = 0.1 * uniform(r);
    }
    p->side_count = side;
    p->entry_count = entry;
}

static void set_bond(Random *r, TnBond *bond, int row_a, int row_b)
{
    bond->row_a = row_a;
    bond->row_b = row_b;
    for (int n = 0; n < 6; n++) {
        double x[12];
        for (int i = 0; i < 12; i++) x[i] = uniform(r);
        for (int i = 0; i < 144; i++) bond->K[i] += x[i / 12] * x[i % 12];
    }
    for (int i = 0; i < 12; i++) bond->f[i] = uniform(r);
}

/* Two such chains with a bond between their last ports, and free bodies that touch them. */
static bool create(TnProblem *p, TnArena *arena, uint64_t seed, Choice c)
{
    Random r = {seed * 7817 + 11};
    const TnChain *chain = plan_of(c.form);
    int ports = 0;
    for (int k = 0; k < chain->node_count; k++) ports += is_touched(c, k);
    int contacts = 2 * BLOCKS * ports + TWISTS;
    TnProblemSize size = {.twists = TWISTS,
                          .larges = BLOCKS,
                          .ports = BLOCKS * ports,
                          .contacts = contacts,
                          .rows = 6,
                          .sides = 6,
                          .entries = 6 * 20,
                          .bonds = ports > 0};
    if (!tn_problem_init(p, arena, size)) return false;
    for (int i = 0; i < TWISTS; i++) {
        double S[9], b[6], v[6];
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) b[k] = 3.0 * uniform(&r), v[k] = uniform(&r);
        tn_problem_set_twist(p, i, 1.5 + uniform(&r), S, b, v);
    }
    for (int i = 0; i < BLOCKS; i++)
        if (!set_block(&r, p, i, c, i * ports, ports)) return false;
    for (int i = 0; i < contacts; i++) {
        double arm_a[3], arm_b[3], n[3], e[3], lambda[3];
        int b = i < TWISTS ? 1 + i : p->port_row + (i - TWISTS) / 2,
            a = i < TWISTS ? 0 : (int)(fabs(uniform(&r)) * (TWISTS + 1));
        for (int k = 0; k < 3; k++) {
            arm_a[k] = uniform(&r), arm_b[k] = uniform(&r), n[k] = uniform(&r),
            e[k] = 0.3 * uniform(&r), lambda[k] = 0.2 * uniform(&r);
        }
        v3_normalize(n);
        tn_problem_set_contact(p, i, a, b, arm_a, arm_b, n, e, 0.5, lambda);
    }
    set_rows(&r, p, c);
    if (ports) set_bond(&r, &p->bonds[0], p->port_row + ports - 1, p->port_row + 2 * ports - 1);
    return true;
}

/* A choice as chains and with full matrices, solved; *condensed counts the chains with fewer nodes.
 */
static void compare(Choice c, TnSolverDef def, bool papers, double tolerance, int *condensed)
{
    TnArena arenas[2];
    TnProblem problems[2];
    for (int i = 0; i < 2; i++) {
        c.full = i;
        REQUIRE(tn_arena_init(&arenas[i], "a", 1 << 20));
        REQUIRE(create(&problems[i], &arenas[i], 3, c));
        REQUIRE(prepare_with(&problems[i], &def, papers ? PAPERS_WEIGHTS : OUR_WEIGHTS));
        TnSolveResult result;
        if (papers)
            REQUIRE(tn_subadmm_paper_solve(&problems[i], &def, &result));
        else
            tn_subadmm_solve(&problems[i], &def, NULL);
    }
    double difference = largest_difference(&problems[0], &problems[1]);
    if (!(difference < tolerance)) printf("    %s, %x\n", form_of(c.form).name, c.touched);
    CHECK_NEAR(difference, 0.0, tolerance);
    TnAccuracy a = tn_problem_accuracy(&problems[0]), b = tn_problem_accuracy(&problems[1]);
    if (def.tolerance <= 0.0) {
        CHECK_NEAR(pow(10.0, -a.aac), pow(10.0, -b.aac), tolerance);
        CHECK_NEAR(pow(10.0, -a.aal), pow(10.0, -b.aal), tolerance);
    }
    *condensed += problems[0].large[0].solved < problems[0].large[0].dim;
    for (int i = 0; i < 2; i++) tn_arena_free(&arenas[i]);
}

/* 1e-11: rounding of numbers of order 1 … 10 over iterations that contract errors. */
static void same_iterates(bool papers)
{
    int condensed = 0;
    for (int f = 0; f < FORMS; f++)
        for (int t = 0; t < TOUCHES; t++)
            for (int iterations = UNLESS_SANITIZED(1, 41); iterations <= 41; iterations += 20) {
                TnSolverDef def = fixed_count();
                def.anderson = 0; /* iterates are compared */
                def.iterations = iterations;
                compare((Choice){f, touches[t], 4.0, false}, def, papers, 1e-11, &condensed);
            }
    CHECK(condensed >=
          UNLESS_SANITIZED(3, 1) * FORMS * 8); /* all but the last three touches are few */
}

TEST(few_nodes_make_the_iterates_of_the_full_matrix) { same_iterates(false); }
TEST(few_nodes_make_the_iterates_of_the_full_matrix_in_the_papers_form) { same_iterates(true); }

/* 1e-6: entries of 1e7 beside masses of 1, as in test_chain.c, and a hundred unknowns or more;
 * chains with all their nodes come as near. */
TEST(few_nodes_of_a_stiff_chain_converge_to_the_solution_of_the_full_matrix)
{
    int condensed = 0;
    TnSolverDef def = fixed_count();
    def.iterations = 3000;
    def.tolerance = 1e-14;
    for (int f = 0; f < FORMS; f++)
        for (int t = 0; t < UNLESS_SANITIZED(3, 1); t++)
            compare((Choice){f, touches[t], 1e6, false}, def, false, 1e-6, &condensed);
    CHECK(condensed == UNLESS_SANITIZED(3, 1) * FORMS);
}

/* The dynamics hold on all nodes with the forces that the touched ones feel: A v - b is zero
 * elsewhere, to the rounding of numbers of 1e7. */
TEST(untouched_nodes_of_a_stiff_chain_move_with_the_others)
{
    for (int f = 0; f < FORMS; f++) {
        TnArena arena;
        TnProblem p;
        Choice c = {f, 0x888888, 1e6, false};
        REQUIRE(tn_arena_init(&arena, "a", 1 << 20) && create(&p, &arena, 3, c));
        p.row_count = p.side_count = 0;
        TnSolverDef def = fixed_count();
        REQUIRE(tn_problem_prepare(&p, &def, NULL));
        tn_subadmm_solve(&p, &def, NULL);
        const TnLargeBlock *d = &p.large[0];
        double *Av = TN_ARENA_NEW(&arena, double, d->dim), force = 0.0;
        const TnChainBlock *own = tn_chain_block(d);
        REQUIRE(Av && d->solved < d->dim);
        tn_chain_multiply(own->chain, own->D, own->E, d->v, Av);
        for (int k = 0; k < d->dim; k++) {
            if (is_touched(c, own->chain->node_of[k]))
                force = fmax(force, fabs(Av[k] - d->b[k]));
            else
                CHECK_NEAR(Av[k], d->b[k], 1e-7); /* 1e7 · 10 · 1e-16 · some */
        }
        CHECK(force > 0.1);
        tn_arena_free(&arena);
    }
}

TEST(a_chain_that_nothing_touches_moves_freely)
{
    TnArena arena;
    TnProblem p;
    REQUIRE(tn_arena_init(&arena, "a", 1 << 20) &&
            create(&p, &arena, 3, (Choice){CABLE, 0, 4.0, false}));
    TnSolverDef def = fixed_count();
    REQUIRE(tn_problem_prepare(&p, &def, NULL));
    tn_subadmm_solve(&p, &def, NULL);
    const TnLargeBlock *d = &p.large[0];
    CHECK(d->solved == 0);
    CHECK(memcmp(d->v, tn_chain_block(d)->v_free, sizeof(double) * (size_t)d->dim) == 0);
    tn_arena_free(&arena);
}

TEST(any_number_of_threads_gives_the_same_bits_on_few_nodes)
{
    for (int f = 0; f < FORMS; f++) {
        double reference[BLOCKS][6 * LONGEST + 16];
        for (int threads = 1; threads <= 4; threads = MORE_THREADS(threads)) {
            TnArena arena;
            TnProblem p;
            TnPool *pool = tn_pool_create(threads);
            REQUIRE(pool && tn_arena_init(&arena, "a", 1 << 20));
            REQUIRE(create(&p, &arena, 3, (Choice){f, 0x888888, 4.0, false}));
            TnSolverDef def = fixed_count();
            REQUIRE(tn_problem_prepare(&p, &def, pool));
            tn_subadmm_solve(&p, &def, pool);
            for (int i = 0; i < BLOCKS; i++) {
                size_t bytes = sizeof(double) * (size_t)p.large[i].dim;
                if (threads == 1) memcpy(reference[i], p.large[i].v, bytes);
                CHECK(memcmp(reference[i], p.large[i].v, bytes) == 0);
            }
            tn_arena_free(&arena);
            tn_pool_destroy(pool);
        }
    }
}
