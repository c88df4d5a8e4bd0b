/* problem.c: memory and filling of a problem, and the order of preparation. */
#include "problem.h"

#include <stdatomic.h>
#include <string.h>

#include "block/block.h"
#include "law/law.h"
#include "method/anderson.h"

bool tn_problem_init(TnProblem *p, TnArena *arena, TnProblemSize size)
{
    return tn_problem_init_shared(p, arena, size, NULL);
}

static void *cleared(TnArena *arena, TnPool *pool, size_t bytes)
{
    void *memory = tn_arena_alloc(arena, bytes);
    if (memory) tn_pool_clear(pool, memory, bytes);
    return memory;
}

bool tn_problem_init_shared(TnProblem *p, TnArena *arena, TnProblemSize size, TnPool *pool)
{
    *p = (TnProblem){.arena = arena, .kernels = tn_kernels()};
    p->twist_count = size.twists;
    p->twist_batches = (size.twists + TN_LANES - 1) / TN_LANES;
    p->large_count = size.larges;
    p->port_count = size.ports;
    p->port_row = 1 + p->twist_batches * TN_LANES;
    p->table_rows = p->port_row + size.ports;
    p->contact_count = size.contacts;
    p->contact_batches = (size.contacts + TN_LANES - 1) / TN_LANES;
    p->row_count = size.rows;
    p->side_count = size.sides;
    p->entry_count = size.entries;
    p->bond_count = size.bonds;

    int lanes = p->contact_batches * TN_LANES, blocks = size.twists + size.larges;
    p->twist_batch = TN_ARENA_NEW(arena, TnTwistBatch, p->twist_batches);
    p->large = TN_ARENA_ZERO(arena, TnLargeBlock, size.larges);
    p->ports = TN_ARENA_ZERO(arena, TnPort, size.ports);
    p->twist = cleared(arena, pool, sizeof(double[8]) * (size_t)p->table_rows);
    p->contact_batch = TN_ARENA_NEW(arena, TnContactBatch, p->contact_batches);
    p->lambda = cleared(arena, pool, sizeof(double[3]) * (size_t)(lanes + 1));
    p->memory = cleared(arena, pool, sizeof(double[3]) * (size_t)lanes);
    p->yield = cleared(arena, pool, sizeof(double[2]) * (size_t)lanes);
    p->normals = tn_arena_alloc(arena, sizeof(double[4]) * (size_t)lanes);
    p->beta = tn_arena_alloc(arena, sizeof(double[4]) * (size_t)lanes);
    p->rows = TN_ARENA_ZERO(arena, TnRow, size.rows);
    p->sides = TN_ARENA_ZERO(arena, TnRowSide, size.sides);
    p->index = TN_ARENA_NEW(arena, int, size.entries);
    p->coefficient = TN_ARENA_NEW(arena, double, size.entries);
    p->block_side_start = TN_ARENA_ZERO(arena, int, blocks + 2);
    p->block_sides = TN_ARENA_NEW(arena, int, size.sides);
    p->side_start = TN_ARENA_NEW(arena, int32_t, p->table_rows + 1);
    p->side_mid = TN_ARENA_NEW(arena, int32_t, p->table_rows);
    p->side_contact = TN_ARENA_NEW(arena, int32_t, 2 * lanes);
    p->side_arm = cleared(arena, pool, sizeof(double[3]) * (size_t)(2 * lanes + 1));
    p->K = tn_arena_alloc(arena, sizeof(double[TN_SYM6]) * (size_t)p->table_rows);
    p->F = cleared(arena, pool, sizeof(double[8]) * (size_t)p->table_rows);
    p->inverse = tn_arena_alloc(arena, sizeof(double[8]) * (size_t)p->twist_batches * TN_LANES);
    p->residual = TN_ARENA_ZERO(arena, double, p->contact_batches);
    p->bonds = TN_ARENA_ZERO(arena, TnBond, size.bonds);
    if (!p->twist_batch || !p->large || !p->ports || !p->twist || !p->contact_batch || !p->lambda ||
        !p->memory || !p->yield || !p->normals || !p->beta || !p->rows || !p->sides || !p->index ||
        !p->coefficient || !p->block_side_start || !p->block_sides || !p->side_start ||
        !p->side_mid || !p->side_contact || !p->side_arm || !p->K || !p->F || !p->inverse ||
        !p->residual || !p->bonds)
        return false;

    /* Lanes that no block or contact uses must stay harmless: unit matrices, weightless
     * constraints. They are in the last batches; all others are filled by the caller. */
    if (p->twist_batches) memset(&p->twist_batch[p->twist_batches - 1], 0, sizeof(TnTwistBatch));
    if (p->contact_batches)
        memset(&p->contact_batch[p->contact_batches - 1], 0, sizeof(TnContactBatch));
    for (int k = size.twists; k < p->twist_batches * TN_LANES; k++) {
        TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        batch->a[k % TN_LANES] = 1.0;
        batch->S[0][k % TN_LANES] = batch->S[3][k % TN_LANES] = batch->S[5][k % TN_LANES] = 1.0;
    }
    for (int c = size.contacts; c < lanes; c++)
        p->contact_batch[c / TN_LANES].normal[2][c % TN_LANES] = 1.0;
    return true;
}

void tn_problem_set_twist(TnProblem *p, int block, double a, const double S[9], const double b[6],
                          const double v0[6])
{
    TnTwistBatch *batch = &p->twist_batch[block / TN_LANES];
    int l = block % TN_LANES;
    const double upper[6] = {S[0], S[1], S[2], S[4], S[5], S[8]};
    batch->a[l] = a;
    for (int k = 0; k < 6; k++) {
        batch->S[k][l] = upper[k];
        batch->b[k][l] = b[k];
        p->twist[block + 1][k < 3 ? k : k + 1] = v0[k];
    }
}

void tn_problem_set_contact(TnProblem *p, int contact, int row_a, int row_b, const double arm_a[3],
                            const double arm_b[3], const double normal[3], const double e[3],
                            double mu, const double lambda[3])
{
    TnContactBatch *batch = &p->contact_batch[contact / TN_LANES];
    int l = contact % TN_LANES;
    batch->row_a[l] = row_a;
    batch->row_b[l] = row_b;
    batch->mu[l] = mu;
    for (int k = 0; k < 3; k++) {
        batch->arm_a[k][l] = arm_a[k];
        batch->arm_b[k][l] = arm_b[k];
        batch->normal[k][l] = p->normals[contact][k] = normal[k];
        batch->e[k][l] = e[k];
        batch->t[k][l] = p->lambda[contact][k] = lambda[k];
    }
    p->normals[contact][3] = 0.0;
}

void tn_problem_start_at_lambda(TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            p->contact_batch[c / TN_LANES].t[k][c % TN_LANES] = p->lambda[c][k];
    for (int r = 0; r < p->row_count; r++) p->rows[r].t = p->rows[r].lambda;
}

void tn_problem_contact_lambda(const TnProblem *p, int contact, double lambda[3])
{
    memcpy(lambda, p->lambda[contact], 3 * sizeof(double));
}

void tn_problem_twist(const TnProblem *p, int block, double v[6])
{
    memcpy(v, p->twist[block + 1], 3 * sizeof(double));
    memcpy(v + 3, p->twist[block + 1] + 4, 3 * sizeof(double));
}

/* ---- preparation ---- */

typedef struct BondPhase {
    TnProblem *problem;
    const TnSolverDef *def;
    atomic_bool failed;
} BondPhase;

static void bond_range(void *context, int begin, int end)
{
    BondPhase *phase = context;
    for (int i = begin; i < end; i++)
        if (!tn_bond_prepare(phase->problem, phase->def, i))
            atomic_store_explicit(&phase->failed, true, memory_order_relaxed);
}

static bool prepare_bonds(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    BondPhase phase = {.problem = p, .def = def};
    tn_pool_run(pool, p->bond_count, 8, bond_range, &phase);
    return !atomic_load_explicit(&phase.failed, memory_order_relaxed);
}

/* Of the contacts and bonds on each table row: JᵀWJ, and Jᵀλ of the starting guess. */
static void gather_rows(void *context, int begin, int end)
{
    TnProblem *p = context;
    p->kernels->row_stiffness(&p->contact_sides, begin, end, (const double(*)[4])p->normals,
                              (const double(*)[4])p->beta, p->K);
    tn_bonds_add_stiffness(p, begin, end, p->K);
    tn_table_forces(p, begin, end);
}

bool tn_problem_prepare_A(TnProblem *p, TnPool *pool)
{
    return tn_problem_build_sides(p, pool) && tn_blocks_choose(p, pool) &&
           tn_blocks_factor_A(p, pool);
}

bool tn_problem_factor_H(TnProblem *p, TnPool *pool)
{
    tn_pool_run(pool, p->table_rows, 32, gather_rows, p);
    return tn_blocks_factor_H(p, pool);
}

bool tn_problem_prepare_H(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    if (!p->H_known && !p->block_beta) tn_problem_weights(p, def, pool);
    return prepare_bonds(p, def, pool) && tn_problem_factor_H(p, pool) &&
           tn_anderson_prepare(p, def);
}

bool tn_problem_prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    return tn_problem_prepare_A(p, pool) && tn_problem_prepare_H(p, def, pool);
}
