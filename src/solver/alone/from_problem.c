/* from_problem.c: a step's problem handed to the public solver by its public calls.
 *
 *     twist block      dense 6 × 6, diag(a I, S)
 *     chain, mesh      sparse
 *     contact          friction in the axes (normal, two tangents); J = (r, arm × r) of a row of
 *                      the twist table, through the port's T or nodes where that is a large block
 *     soft bond        λ = -(f + K z) with K = Σ k_i j_i j_iᵀ by pivoted Cholesky factorization: a
 *                      soft row each, λ_i = -k_i (e_i + j_i z) with f = Σ k_i e_i j_i + f_0. What K
 *                      cannot bear, f_0, goes into b. j_i is one in its pivot's place, so that the
 *                      row is a velocity whatever the units
 *     hard bond        equality rows
 *
 * What moves no block (a contact between two pinned nodes) is left out. */
#include <stdlib.h>
#include <string.h>

#include "../../base/base.h"
#include "../../math/vec3.h"
#include "../law/law.h"
#include "from_problem.h"

typedef struct Entry {
    int column;
    double x[3];
} Entry;

/* One side of a constraint while it is written. */
typedef struct Side {
    int block; /* from 0 */
    int count;
    Entry *entries;
} Side;

typedef struct Writer {
    const TnProblem *p;
    TnSolver *solver;
    TnArena arena; /* emptied after each constraint */
    double *b, *v, *lambda;
    int blocks, unknowns, numbers;
    int *block_at;
    TnConstraintDef def;
    Side sides[TN_MAX_SIDES];
    int side_count, rows;
    TnConstraintId
        *contacts; /* per contact of the problem: its constraint, 0 of what is left out */
    int left_out;
} Writer;

static int dim_of(const TnProblem *p, int block)
{
    return block < p->twist_count ? 6 : p->large[block - p->twist_count].dim;
}

/* ---- J ---- */

static void begin(Writer *w, TnSet set, int rows)
{
    tn_arena_reset(&w->arena);
    w->def = (TnConstraintDef){.set = set};
    w->rows = rows;
    w->side_count = 0;
}

/* A side on this block with room for `count` entries; NULL: no memory. */
static Side *add_side(Writer *w, int block, int count)
{
    Side *side = &w->sides[w->side_count++];
    *side = (Side){block, 0, TN_ARENA_NEW(&w->arena, Entry, count)};
    return side->entries ? side : NULL;
}

static void add_entry(Side *side, int column, int rows, const double x[3])
{
    Entry *entry = &side->entries[side->count++];
    entry->column = column;
    for (int r = 0; r < rows; r++) entry->x[r] = x[r];
}

/* J of up to three rows over the twist (linear, angular) of a row of the table. */
static bool add_twist_side(Writer *w, int row, double (*J)[6])
{
    const TnProblem *p = w->p;
    double x[3];
    Side *side;
    if (row == 0) return true;
    const TnPort *port = row < p->port_row ? NULL : &p->ports[row - p->port_row];
    int block = port ? p->twist_count + port->block : row - 1;
    int count = !port ? 6 : port->count ? port->count : 3 * port->node_count;
    if (!(side = add_side(w, block, count))) return false;
    if (port && !port->count) {
        for (int i = 0; i < port->node_count; i++)
            for (int c = 0; c < 3; c++) {
                for (int r = 0; r < w->rows; r++)
                    x[r] = J[r][0] * port->M[i][c] + J[r][1] * port->M[i][3 + c] +
                           J[r][2] * port->M[i][6 + c];
                add_entry(side, 3 * port->nodes[i] + c, w->rows, x);
            }
        return true;
    }
    for (int c = 0; c < count; c++) {
        for (int r = 0; r < w->rows; r++) {
            x[r] = port && port->T ? 0.0 : J[r][c];
            for (int k = 0; port && port->T && k < 6; k++)
                x[r] += J[r][k] * port->T[(long)k * count + c];
        }
        add_entry(side, (port ? port->start : 0) + c, w->rows, x);
    }
    return true;
}

static int by_column(const void *a, const void *b)
{
    return ((const Entry *)a)->column - ((const Entry *)b)->column;
}

/* J and columns of a side, entries of one column added up. */
static bool finish_side(Writer *w, int s)
{
    Side *side = &w->sides[s];
    int n = 0, rows = w->rows;
    qsort(side->entries, (size_t)side->count, sizeof(Entry), by_column);
    for (int i = 0; i < side->count; i++) {
        if (n && side->entries[n - 1].column == side->entries[i].column) {
            for (int r = 0; r < rows; r++) side->entries[n - 1].x[r] += side->entries[i].x[r];
        } else {
            side->entries[n++] = side->entries[i];
        }
    }
    double *J = TN_ARENA_NEW(&w->arena, double, rows *n);
    int *column = TN_ARENA_NEW(&w->arena, int, n);
    if (!J || !column) return false;
    for (int i = 0; i < n; i++) {
        column[i] = side->entries[i].column;
        for (int r = 0; r < rows; r++) J[r * n + i] = side->entries[i].x[r];
    }
    w->def.block[s] = side->block + 1;
    w->def.J[s] = J;
    w->def.column[s] = n < dim_of(w->p, side->block) ? column : NULL;
    w->def.column_count[s] = n;
    return true;
}

/* The constraint with its sides and λ; *id may stay 0 where nothing moves. */
static bool end(Writer *w, const double *lambda, TnConstraintId *id)
{
    int kept = 0;
    for (int s = 0; s < w->side_count; s++)
        if (w->sides[s].count) w->sides[kept++] = w->sides[s];
    w->side_count = kept;
    if (id) *id = 0;
    if (!kept) {
        w->left_out++;
        return true;
    }
    for (int s = 0; s < kept; s++)
        if (!finish_side(w, s)) return false;
    TnConstraintId added = tn_solver_add_constraint(w->solver, &w->def);
    if (id) *id = added;
    for (int r = 0; r < w->rows; r++) w->lambda[w->numbers++] = lambda[r];
    return true; /* what is wrong with it prepare says */
}

/* ---- contacts and rows ---- */

static bool add_contact(Writer *w, int c)
{
    const TnProblem *p = w->p;
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES, row[2] = {batch->row_a[l], batch->row_b[l]};
    double axes[3][3], lambda[3], e[3], arm[2][3], J[3][6];
    v3_copy(axes[0], p->normals[c]);
    v3_tangents(axes[0], axes[1], axes[2]);
    for (int k = 0; k < 3; k++) {
        arm[0][k] = batch->arm_a[k][l];
        arm[1][k] = batch->arm_b[k][l];
        e[k] = batch->e[k][l];
    }
    begin(w, TN_SET_FRICTION, 3);
    w->def.mu = batch->mu[l];
    for (int r = 0; r < 3; r++) {
        w->def.e[r] = v3_dot(axes[r], e);
        lambda[r] = v3_dot(axes[r], p->lambda[c]);
    }
    for (int side = 1; side >= 0; side--) {
        for (int r = 0; r < 3; r++) {
            v3_scale(J[r], axes[r], side ? 1.0 : -1.0);
            v3_cross(J[r] + 3, arm[side], J[r]);
        }
        if (!add_twist_side(w, row[side], J)) return false;
    }
    return end(w, lambda, &w->contacts[c]);
}

/* A row, or a rolling pair: *r moves past it. */
static bool add_row(Writer *w, int *r)
{
    static const TnSet sets[] = {
        [TN_ROW_EQUALITY] = TN_SET_EQUALITY, [TN_ROW_INEQUALITY] = TN_SET_INEQUALITY,
        [TN_ROW_SOFT] = TN_SET_SOFT,         [TN_ROW_BOX] = TN_SET_BOX,
        [TN_ROW_SPIN] = TN_SET_SPIN,         [TN_ROW_ROLL] = TN_SET_ROLL};
    const TnProblem *p = w->p;
    const TnRow *row = &p->rows[*r];
    int rows = tn_row_group(row);
    double lambda[2];
    begin(w, sets[row->set], rows);
    w->def.k = row->k;
    w->def.alpha = row->alpha;
    w->def.lower = row->lower;
    w->def.upper = row->upper;
    w->def.mu = row->mu;
    w->def.lever = row->lever;
    *r += rows - 1;
    if (tn_row_is_disc(row) && !(w->def.contact = w->contacts[row->contact])) {
        w->left_out++;
        return true;
    }
    for (int s = 0; s < row->side_count; s++) {
        int count = 0;
        for (int k = 0; k < rows; k++) count += p->sides[row[k].side_start + s].count;
        Side *side = add_side(w, p->sides[row->side_start + s].block, count);
        if (!side) return false;
        for (int k = 0; k < rows; k++) {
            const TnRowSide *from = &p->sides[row[k].side_start + s];
            for (int e = from->start; e < from->start + from->count; e++) {
                double x[3] = {0.0};
                x[k] = p->coefficient[e];
                add_entry(side, p->index[e], rows, x);
            }
        }
    }
    for (int k = 0; k < rows; k++) {
        w->def.e[k] = row[k].e;
        lambda[k] = row[k].lambda;
    }
    return end(w, lambda, NULL);
}

/* ---- bonds ---- */

/* One row over z = (v_a, v_b). */
static bool add_bond_row(Writer *w, const TnBond *bond, const double j[12], double lambda)
{
    double J[2][1][6];
    memcpy(J, j, sizeof J);
    return add_twist_side(w, bond->row_a, J[0]) && add_twist_side(w, bond->row_b, J[1]) &&
           end(w, &lambda, NULL);
}

/* c with f = Σ L_r c_r + f_0. */
static void split_bond(const TnBond *bond, const TnBondRows *rows, double c[12], double f0[12])
{
    tn_bond_rows_solve(rows, bond->f, c);
    for (int i = 0; i < 12; i++) {
        f0[i] = bond->f[i];
        for (int r = 0; r < rows->count; r++) f0[i] -= rows->J[r][i] * c[r];
    }
}

static bool add_bond(Writer *w, const TnBond *bond)
{
    TnBondRows rows;
    double c[12] = {0}, f0[12], mu[12];
    tn_bond_rows(bond, &rows);
    tn_bond_rows_start(bond, &rows, mu); /* of a soft one λ + f */
    if (!bond->hard) split_bond(bond, &rows, c, f0);
    for (int r = 0; r < rows.count; r++) {
        double root = bond->hard ? 1.0 : rows.J[r][rows.pivot[r]], j[12];
        for (int i = 0; i < 12; i++) j[i] = rows.J[r][i] / root;
        begin(w, bond->hard ? TN_SET_EQUALITY : TN_SET_SOFT, 1);
        w->def.k = bond->hard ? 0.0 : root * root;
        w->def.alpha = bond->hard ? 0.0 : 1.0;
        w->def.e[0] = bond->hard ? bond->e[r] : c[r] / root;
        w->def.lever = rows.lever[r] * root;
        if (!add_bond_row(w, bond, j, (mu[r] - c[r]) * root)) return false;
    }
    return true;
}

/* b -= what a spring pulls with whatever moves. */
static void add_constant_forces(Writer *w)
{
    const TnProblem *p = w->p;
    for (int i = 0; i < p->bond_count; i++) {
        const TnBond *bond = &p->bonds[i];
        if (bond->hard) continue;
        TnBondRows rows;
        double c[12], f0[12];
        tn_bond_rows(bond, &rows);
        split_bond(bond, &rows, c, f0);
        for (int side = 0; side < 2; side++) {
            int row = side ? bond->row_b : bond->row_a;
            const double *f = f0 + 6L * side;
            if (row == 0) continue;
            if (row < p->port_row) {
                for (int k = 0; k < 6; k++) w->b[w->block_at[row - 1] + k] -= f[k];
                continue;
            }
            const TnPort *port = &p->ports[row - p->port_row];
            double wrench[8] = {-f[0], -f[1], -f[2], 0.0, -f[3], -f[4], -f[5], 0.0};
            tn_port_gather(port, wrench, w->b + w->block_at[p->twist_count + port->block]);
        }
    }
}

/* ---- all ---- */

/* v and b of all blocks one after the other. */
static void take_velocities(Writer *w)
{
    const TnProblem *p = w->p;
    for (int k = 0; k < p->twist_count; k++) {
        const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        tn_problem_twist(p, k, w->v + w->block_at[k]);
        for (int i = 0; i < 6; i++) w->b[w->block_at[k] + i] = batch->b[i][k % TN_LANES];
    }
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        int at = w->block_at[p->twist_count + i];
        memcpy(w->v + at, d->v, sizeof(double) * (size_t)d->dim);
        memcpy(w->b + at, d->b, sizeof(double) * (size_t)d->dim);
    }
}

static bool reserve(Writer *w)
{
    const TnProblem *p = w->p;
    w->blocks = p->twist_count + p->large_count;
    w->block_at = tn_calloc((size_t)w->blocks + 1, sizeof(int));
    w->contacts = tn_calloc((size_t)p->contact_count + 1, sizeof *w->contacts);
    /* most numbers that constraints may have */
    size_t numbers = 3 * (size_t)p->contact_count + (size_t)p->row_count;
    numbers += 12 * (size_t)p->bond_count;
    w->lambda = tn_calloc(numbers + 1, sizeof(double));
    if (!w->block_at || !w->contacts || !w->lambda) return false;
    for (int i = 0; i < w->blocks; i++) w->block_at[i + 1] = w->block_at[i] + dim_of(p, i);
    w->unknowns = w->block_at[w->blocks];
    w->b = tn_calloc((size_t)w->unknowns + 1, sizeof(double));
    w->v = tn_calloc((size_t)w->unknowns + 1, sizeof(double));
    return w->b && w->v;
}

static bool write_all(Writer *w)
{
    const TnProblem *p = w->p;
    if (!reserve(w)) return false;
    take_velocities(w);
    add_constant_forces(w);
    for (int i = 0; i < w->blocks; i++) {
        tn_arena_reset(&w->arena);
        if (!tn_solver_add_problem_block(w->solver, p, i, w->b + w->block_at[i], &w->arena))
            return false;
    }
    for (int c = 0; c < p->contact_count; c++)
        if (!add_contact(w, c)) return false;
    for (int r = 0; r < p->row_count; r++)
        if (!add_row(w, &r)) return false;
    for (int i = 0; i < p->bond_count; i++)
        if (!add_bond(w, &p->bonds[i])) return false;
    return true;
}

TnSolver *tn_solver_from_problem(const TnProblem *p, const TnSolverDef *def, int *left_out,
                                 TnError *err)
{
    Writer w = {.p = p, .solver = tn_solver_create(def, err)};
    if (!w.solver) return NULL;
    bool ok = tn_arena_init(&w.arena, "constraint", 1 << 14), memory = ok && write_all(&w);
    if (!memory) tn_error_add(err, TN_ERROR_MEMORY, "problem: no memory");
    ok = memory && tn_solver_prepare(w.solver, err) == TN_OK;
    if (ok) tn_solver_start(w.solver, w.v, w.lambda);
    if (left_out) *left_out = w.left_out;
    if (w.arena.name) tn_arena_free(&w.arena);
    tn_free(w.block_at);
    tn_free(w.contacts);
    tn_free(w.lambda);
    tn_free(w.b);
    tn_free(w.v);
    if (ok) return w.solver;
    tn_solver_destroy(w.solver);
    return NULL;
}
