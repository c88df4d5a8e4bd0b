/* condense.c: a block as the constraints that touch it see it.
 *
 * Rows J of a block turn forces into velocities by G = J A⁻¹ Jᵀ and by nothing else. With G = L Lᵀ
 *
 *     A v = b + Jᵀλ,  u = J v + e        and        y = Lᵀλ,  u = L y + e',  e' = e + J v_free
 *
 * have the same u and λ (v_free = A⁻¹b), so a block of any form and size is to the methods a dense
 * block with A = I, J = L and as many unknowns as G has rank; and
 *
 *     v = v_free + A⁻¹ Jᵀ μ,   Lᵀ μ = y                                                         (1)
 *
 * A method may end with a y of its own, next to Lᵀλ (SubADMM's v̂): then μ is solved for on the
 * pivots, where L is a triangle, which gives the v it would have had with the whole block. Else μ =
 * λ.
 *
 * L comes from pivoted Cholesky with rows scaled so that G has ones on its diagonal; where a row
 * has less than rows · 4e-16 of itself left it is a sum of others, as far as rounding can tell. L
 * is a triangle in the order of pivots, so rows have half of its numbers on average. Rows between
 * which G is zero (a block that falls into pieces) become blocks, and so islands, of their own.
 *
 * Not dense blocks are always condensed; dense ones where that costs less: from MANY_UNKNOWNS on
 * with at most half as many rows, as an iteration takes about two products with a square matrix of
 * either size. For methods from outside the library they are not, which may depend on A itself. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/disjoint_sets.h"
#include "../../math/semidefinite.h"
#include "solver_parts.h"

#define MANY_UNKNOWNS 64

/* ---- rows ---- */

/* The constraint's side on a block; -1: none. */
static int side_on(const TnSolverConstraint *c, TnBlockId id)
{
    for (int s = 0; s < c->side_count; s++)
        if (c->def.block[s] == id) return s;
    return -1;
}

static int rows_on(const TnSolver *solver, TnBlockId id, size_t *entries)
{
    int rows = 0;
    *entries = 0;
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        int s = side_on(c, id);
        if (s < 0) continue;
        rows += c->rows;
        *entries += (size_t)c->rows * (size_t)tn_side_columns(solver, &c->def, s);
    }
    return rows;
}

/* What is zero is left out. */
static void set_rows(TnSolver *solver, TnBlockId id, TnCondensedBlock *out)
{
    int row = 0, entry = 0;
    for (int i = 0; i < solver->constraint_count; i++) {
        TnSolverConstraint *c = &solver->constraints[i];
        int s = side_on(c, id);
        if (s < 0) continue;
        int count = tn_side_columns(solver, &c->def, s);
        c->row[s] = row;
        for (int r = 0; r < c->rows; r++) {
            out->lambda[row] = c->offset + r;
            out->start[row++] = entry;
            for (int k = 0; k < count; k++) {
                double value = c->def.J[s][(long)r * count + k];
                if (value == 0.0) continue;
                out->column[entry] = tn_side_column(&c->def, s, k);
                out->value[entry++] = value;
            }
        }
    }
    out->start[row] = entry;
}

static double row_product(const TnCondensedBlock *c, int row, const double *x)
{
    double sum = 0.0;
    for (int k = c->start[row]; k < c->start[row + 1]; k++) sum += c->value[k] * x[c->column[k]];
    return sum;
}

static void add_row_force(const TnCondensedBlock *c, int row, double force, double *x)
{
    for (int k = c->start[row]; k < c->start[row + 1]; k++) x[c->column[k]] += force * c->value[k];
}

/* ---- G ---- */

/* x = A⁻¹ of rows [begin, begin + count); of an inverse by its columns, as J mostly has few. */
static void solve_rows(const TnSolver *solver, int block, const TnCondensedBlock *c, int begin,
                       int count, double *x)
{
    const TnBlockDef *def = &solver->blocks[block].def;
    int n = def->dim;
    memset(x, 0, sizeof(double) * (size_t)n * (size_t)count);
    for (int r = 0; r < count; r++) {
        double *to = x + (long)r * n;
        if (!def->A_inverse) {
            add_row_force(c, begin + r, 1.0, to);
            continue;
        }
        for (int k = c->start[begin + r]; k < c->start[begin + r + 1]; k++) {
            const double *column = def->A_inverse + (long)c->column[k] * n;
            for (int i = 0; i < n; i++) to[i] += c->value[k] * column[i];
        }
    }
    if (!def->A_inverse) tn_solver_solve_A(solver, block, x, count);
}

/* The lower triangle. */
static void set_G(const TnSolver *solver, int block, const TnCondensedBlock *c, double *G,
                  double *x)
{
    int m = c->row_count, n = solver->blocks[block].def.dim;
    for (int j = 0; j < m; j += TN_SOLVE_BATCH) {
        int count = m - j < TN_SOLVE_BATCH ? m - j : TN_SOLVE_BATCH;
        solve_rows(solver, block, c, j, count, x);
        for (int i = j; i < m; i++)
            for (int k = 0; k < count && j + k <= i; k++)
                G[(long)i * m + j + k] = row_product(c, i, x + (long)k * n);
    }
}

/* ---- parts ---- */

/* Rows of one constraint stay together. */
static void find_parts(const TnSolver *solver, TnBlockId id, const double *G, int *parent,
                       TnCondensedBlock *out)
{
    int m = out->row_count;
    for (int i = 0; i < m; i++) parent[i] = i;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            if (G[(long)i * m + j] != 0.0) tn_set_join(parent, i, j);
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        int s = side_on(c, id);
        for (int r = 1; s >= 0 && r < c->rows; r++) tn_set_join(parent, c->row[s], c->row[s] + r);
    }
    for (int i = 0; i < m; i++) {
        int root = tn_set_root(parent, i);
        out->part[i] = root == i ? out->part_count++ : out->part[root];
    }
}

/* Factor S, G of the part's rows in their order, which becomes part->L. */
static bool factor_part(TnArena *arena, TnArena *scratch, const double *G, int m,
                        TnCondensedPart *part, double *negative)
{
    int rows = part->row_count;
    double *S = TN_ARENA_NEW(scratch, double, (size_t)rows *(size_t)rows);
    double *scale = TN_ARENA_NEW(scratch, double, rows);
    double *work = TN_ARENA_NEW(scratch, double, tn_semidefinite_work(rows));
    int *order = TN_ARENA_NEW(scratch, int, rows);
    part->length = TN_ARENA_NEW(arena, int, rows);
    if (!S || !scale || !work || !order || !part->length) return false;
    for (int i = 0; i < rows; i++) {
        double own = G[(long)part->rows[i] * m + part->rows[i]];
        if (own < 0.0) *negative = INFINITY;
        scale[i] = own > 0.0 ? sqrt(own) : 0.0;
        for (int j = 0; j <= i; j++) {
            double d = scale[i] * scale[j];
            S[(long)i * rows + j] = d > 0.0 ? G[(long)part->rows[i] * m + part->rows[j]] / d : 0.0;
            if (S[(long)i * rows + j] != 0.0) part->filled += i == j ? 1.0 : 2.0;
        }
    }
    part->filled /= (double)rows * rows;
    double below;
    part->rank = tn_semidefinite_factor(S, rows, 2.0 * DBL_EPSILON * rows, order, &below, work);
    *negative = fmax(*negative, below);
    part->L = TN_ARENA_ZERO(arena, double, (size_t)rows *(size_t)part->rank);
    part->pivots = TN_ARENA_NEW(arena, int, part->rank);
    if (!part->L || !part->pivots) return false;
    for (int i = 0; i < rows; i++) {
        int row = order[i], length = i < part->rank ? i + 1 : part->rank;
        if (i < part->rank) part->pivots[i] = row;
        part->length[row] = scale[row] > 0.0 ? length : 0;
        for (int k = 0; k < part->length[row]; k++)
            part->L[(long)row * part->rank + k] = scale[row] * S[(long)i * rows + k];
    }
    return true;
}

static bool set_parts(TnSolver *solver, TnBlockId id, const double *G, TnCondensedBlock *out,
                      double *negative)
{
    TnArena *arena = &solver->condensed, *scratch = &solver->scratch;
    int m = out->row_count;
    int *parent = TN_ARENA_NEW(scratch, int, m);
    if (!parent) return false;
    find_parts(solver, id, G, parent, out);
    out->parts = TN_ARENA_ZERO(arena, TnCondensedPart, out->part_count);
    if (!out->parts) return false;
    for (int i = 0; i < m; i++) out->place[i] = out->parts[out->part[i]].row_count++;
    for (int k = 0; k < out->part_count; k++) {
        out->parts[k].rows = TN_ARENA_NEW(arena, int, out->parts[k].row_count);
        if (!out->parts[k].rows) return false;
    }
    for (int i = 0; i < m; i++) out->parts[out->part[i]].rows[out->place[i]] = i;
    for (int k = 0; k < out->part_count; k++) {
        size_t mark = tn_arena_mark(scratch);
        if (!factor_part(arena, scratch, G, m, &out->parts[k], negative)) return false;
        tn_arena_release(scratch, mark);
    }
    return true;
}

/* False: no memory. */
static bool condense(TnSolver *solver, int block, int rows, size_t entries, double *negative)
{
    TnArena *arena = &solver->condensed, *scratch = &solver->scratch;
    TnSolverBlock *b = &solver->blocks[block];
    TnCondensedBlock *out = TN_ARENA_ZERO(arena, TnCondensedBlock, 1);
    if (!out) return false;
    size_t m = (size_t)rows, n = (size_t)b->def.dim;
    out->row_count = rows;
    out->lambda = TN_ARENA_NEW(arena, int, m);
    out->start = TN_ARENA_NEW(arena, int, m + 1);
    out->column = TN_ARENA_NEW(arena, int, entries);
    out->value = TN_ARENA_NEW(arena, double, entries);
    out->part = TN_ARENA_NEW(arena, int, m);
    out->place = TN_ARENA_NEW(arena, int, m);
    out->v_free = TN_ARENA_NEW(arena, double, n);
    tn_arena_reset(scratch);
    double *G = TN_ARENA_NEW(scratch, double, m *m);
    double *x = TN_ARENA_NEW(scratch, double, n *TN_SOLVE_BATCH);
    if (!out->lambda || !out->start || !out->column || !out->value || !out->part || !out->place ||
        !out->v_free || !G || !x)
        return false;
    set_rows(solver, block + 1, out);
    set_G(solver, block, out, G, x);
    if (!set_parts(solver, block + 1, G, out, negative)) return false;
    b->condensed = out;
    return true;
}

bool tn_solver_condense(TnSolver *solver, TnError *err)
{
    int before = err->count;
    tn_arena_reset(&solver->condensed);
    for (int i = 0; i < solver->block_count; i++) {
        TnSolverBlock *b = &solver->blocks[i];
        b->condensed = NULL;
        int n = b->def.dim;
        if (b->def.A && (n < MANY_UNKNOWNS || solver->def.method == TN_METHOD_OWN)) continue;
        size_t entries;
        int rows = rows_on(solver, i + 1, &entries);
        if (b->def.A && rows > n / 2) continue;
        double negative = 0.0;
        if (!condense(solver, i, rows, entries, &negative)) {
            tn_error_add(err, TN_ERROR_MEMORY, "block %d: no memory", i + 1);
            return false;
        }
        if (!(negative <= TN_SAME))
            tn_error_add(err, TN_ERROR_USAGE, "block %d: %s", i + 1,
                         b->def.functions ? "solve gives no symmetric positive definite A⁻¹"
                                          : "A_inverse is not positive semidefinite");
    }
    return err->count == before;
}

/* ---- in a solve ---- */

void tn_condensed_start(TnSolver *solver, int block, const double *b)
{
    const TnSolverBlock *own = &solver->blocks[block];
    const TnCondensedBlock *c = own->condensed;
    const double *v = solver->v + own->offset;
    size_t bytes = sizeof(double) * (size_t)own->def.dim;
    if (b)
        memcpy(c->v_free, b, bytes);
    else
        memset(c->v_free, 0, bytes);
    if (b) tn_solver_solve_A(solver, block, c->v_free, 1);
    for (int k = 0; k < c->part_count; k++) {
        const TnCondensedPart *part = &c->parts[k];
        double *y = solver->problem.large[part->large].v;
        for (int i = 0; i < part->rank; i++) {
            int at = part->pivots[i], row = part->rows[at];
            const double *L = part->L + (long)at * part->rank;
            double u = row_product(c, row, v) - row_product(c, row, c->v_free);
            for (int t = 0; t < i; t++) u -= L[t] * y[t];
            y[i] = u / L[i];
        }
    }
    for (int i = 0; i < c->row_count; i++)
        solver->shift[c->lambda[i]] += row_product(c, i, c->v_free);
}

/* x += Jᵀμ of one part, see (1). */
static void add_part(const TnSolver *solver, const TnCondensedBlock *c, const TnCondensedPart *part,
                     double *x)
{
    double *y = solver->problem.large[part->large].v;
    double *own = solver->problem.large[part->large].F; /* scratch of the block */
    double distance = 0.0, largest = 0.0;
    int rank = part->rank;
    memset(own, 0, sizeof(double) * (size_t)rank);
    for (int i = 0; i < part->row_count; i++)
        for (int k = 0; k < part->length[i]; k++)
            own[k] += part->L[(long)i * rank + k] * solver->lambda[c->lambda[part->rows[i]]];
    for (int k = 0; k < rank; k++) {
        distance = fmax(distance, fabs(y[k] - own[k]));
        largest = fmax(largest, fabs(y[k]));
    }
    if (!(distance > TN_ROUND_OFF * largest)) {
        for (int i = 0; i < part->row_count; i++)
            add_row_force(c, part->rows[i], solver->lambda[c->lambda[part->rows[i]]], x);
        return;
    }
    for (int i = rank - 1; i >= 0; i--) {
        const double *L = part->L + (long)part->pivots[i] * rank;
        double mu = y[i] / L[i];
        for (int t = 0; t < i; t++) y[t] -= mu * L[t];
        add_row_force(c, part->rows[part->pivots[i]], mu, x);
    }
}

void tn_condensed_finish(TnSolver *solver, int block)
{
    const TnSolverBlock *own = &solver->blocks[block];
    const TnCondensedBlock *c = own->condensed;
    double *v = solver->v + own->offset;
    memset(v, 0, sizeof(double) * (size_t)own->def.dim);
    for (int k = 0; k < c->part_count; k++) add_part(solver, c, &c->parts[k], v);
    if (c->row_count) tn_solver_solve_A(solver, block, v, 1);
    for (int i = 0; i < own->def.dim; i++) v[i] += c->v_free[i];
}
