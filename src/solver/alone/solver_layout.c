/* solver_layout.c: a user's blocks and constraints as a problem of dense blocks: those given dense
 * as they are, others as condense.c has them. A friction constraint's Jacobian on a block becomes a
 * port whose linear rows are that Jacobian; the contact has no arms and the normal x. Everything
 * but b and the starting guess stays from solve to solve. */
#include <string.h>

#include "../../base/base.h"
#include "solver_parts.h"

/* One side of a constraint on a dense block of the problem. */
typedef struct Side {
    int large;
    int count; /* entries in each row, at most */
    const TnCondensedPart *part;
    int place; /* of its first row in the part */
} Side;

static Side side_of(const TnSolver *solver, const TnSolverConstraint *c, int s)
{
    const TnSolverBlock *block = &solver->blocks[c->def.block[s] - 1];
    const TnCondensedBlock *condensed = block->condensed;
    if (!condensed)
        return (Side){.large = block->large, .count = tn_side_columns(solver, &c->def, s)};
    int row = c->row[s];
    const TnCondensedPart *part = &condensed->parts[condensed->part[row]];
    Side side = {.large = part->large, .part = part, .place = condensed->place[row]};
    for (int r = 0; r < c->rows; r++)
        if (part->length[side.place + r] > side.count) side.count = part->length[side.place + r];
    return side;
}

/* Entry k of row r of a side: its unknown, and J there. */
static double entry_of(const TnSolverConstraint *c, int s, const Side *side, int r, int k,
                       int *unknown)
{
    const TnCondensedPart *part = side->part;
    *unknown = part ? k : tn_side_column(&c->def, s, k);
    return part ? part->L[(long)(side->place + r) * part->rank + k]
                : c->def.J[s][(long)r * side->count + k];
}

static TnProblemSize number_blocks(TnSolver *solver)
{
    TnProblemSize size = {0};
    for (int i = 0; i < solver->block_count; i++) {
        TnSolverBlock *block = &solver->blocks[i];
        if (!block->condensed) block->large = size.larges++;
        for (int k = 0; block->condensed && k < block->condensed->part_count; k++)
            block->condensed->parts[k].large = size.larges++;
    }
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        bool contact = c->def.set == TN_SET_FRICTION;
        if (contact)
            size.contacts++;
        else
            size.rows += c->rows;
        for (int s = 0; s < c->side_count; s++) {
            Side side = side_of(solver, c, s);
            if (contact) {
                size.ports++;
            } else {
                size.sides += c->rows;
                size.entries += c->rows * side.count;
            }
        }
    }
    return size;
}

/* Ports of one block must follow each other: they are counted first. */
static void number_ports(const TnSolver *solver, int larges, int *next_port)
{
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        for (int s = 0; c->def.set == TN_SET_FRICTION && s < c->side_count; s++) {
            Side side = side_of(solver, c, s);
            next_port[side.large + 1]++;
        }
    }
    for (int i = 0; i < larges; i++) next_port[i + 1] += next_port[i];
}

static bool set_part(TnProblem *p, const TnCondensedPart *part, const int *port)
{
    int dim = part->rank ? part->rank : 1;
    return tn_problem_set_unit(p, part->large, dim, part->filled, port[part->large],
                               port[part->large + 1] - port[part->large]);
}

static bool set_blocks(const TnSolver *solver, TnProblem *p, const int *port)
{
    for (int i = 0; i < solver->block_count; i++) {
        const TnSolverBlock *b = &solver->blocks[i];
        if (!b->condensed &&
            !tn_problem_set_factored(p, b->large, b->def.dim, b->def.A, b->factor.values,
                                     port[b->large], port[b->large + 1] - port[b->large]))
            return false;
        for (int k = 0; b->condensed && k < b->condensed->part_count; k++)
            if (!set_part(p, &b->condensed->parts[k], port)) return false;
    }
    return true;
}

/* λ acts with +J on row b; a second block enters with its own sign, so its port carries -J as side
 * a. */
static bool set_contact(const TnSolver *solver, TnProblem *p, const TnSolverConstraint *c,
                        int *next_port)
{
    const double zero[3] = {0}, axis[3] = {1.0, 0.0, 0.0};
    int rows[2] = {0, 0};
    for (int s = 0; s < c->side_count; s++) {
        Side side = side_of(solver, c, s);
        int port = next_port[side.large]++;
        int width = side.part ? side.count + !side.count : p->large[side.large].dim;
        if (!tn_problem_set_linear_port(p, port, side.large, width)) return false;
        for (int r = 0; r < 3; r++)
            for (int k = 0, unknown; k < side.count; k++) {
                double J = entry_of(c, s, &side, r, k, &unknown);
                p->ports[port].T[(long)r * width + unknown] = s ? -J : J;
            }
        rows[s] = p->port_row + port;
    }
    tn_problem_set_contact(p, c->place, rows[1], rows[0], zero, zero, axis, c->def.e, c->def.mu,
                           zero);
    return true;
}

TnRow tn_solver_row(const TnConstraintDef *def, int r)
{
    static const TnRowSet sets[] = {
        [TN_SET_EQUALITY] = TN_ROW_EQUALITY, [TN_SET_INEQUALITY] = TN_ROW_INEQUALITY,
        [TN_SET_SOFT] = TN_ROW_SOFT,         [TN_SET_BOX] = TN_ROW_BOX,
        [TN_SET_SPIN] = TN_ROW_SPIN,         [TN_SET_ROLL] = TN_ROW_ROLL};
    return (TnRow){.set = r ? TN_ROW_ROLL_PARTNER : sets[def->set],
                   .k = def->k,
                   .alpha = def->alpha,
                   .lower = def->lower,
                   .upper = def->upper,
                   .mu = def->mu,
                   .lever = def->lever};
}

static void set_row(const TnSolver *solver, TnProblem *p, const TnSolverConstraint *c, int r,
                    int *next_side, int *entry)
{
    const TnConstraintDef *def = &c->def;
    bool bounded = def->set == TN_SET_SPIN || def->set == TN_SET_ROLL;
    TnRow *row = &p->rows[c->place + r];
    *row = tn_solver_row(def, r);
    row->side_start = *next_side;
    row->side_count = c->side_count;
    row->contact = bounded ? solver->constraints[def->contact - 1].place : 0;
    for (int s = 0; s < c->side_count; s++) {
        Side side = side_of(solver, c, s);
        p->sides[(*next_side)++] =
            (TnRowSide){.block = side.large, .start = *entry, .count = side.count};
        for (int k = 0; k < side.count; k++, (*entry)++)
            p->coefficient[*entry] = entry_of(c, s, &side, r, k, &p->index[*entry]);
    }
}

static bool lay_out(TnSolver *solver, TnProblem *p)
{
    TnProblemSize size = number_blocks(solver);
    int *port = TN_ARENA_ZERO(&solver->scratch, int, size.larges + 1);
    if (!port || !tn_problem_init(p, &solver->arena, size)) return false;
    p->exact = true;
    number_ports(solver, size.larges, port);
    if (!set_blocks(solver, p, port)) return false;
    int contact = 0, row = 0, side = 0, entry = 0;
    for (int i = 0; i < solver->constraint_count; i++) {
        TnSolverConstraint *c = &solver->constraints[i];
        if (c->def.set == TN_SET_FRICTION) {
            c->place = contact++;
            if (!set_contact(solver, p, c, port)) return false;
            continue;
        }
        c->place = row;
        row += c->rows;
        for (int r = 0; r < c->rows; r++) set_row(solver, p, c, r, &side, &entry);
    }
    return true;
}

bool tn_solver_layout(TnSolver *solver, TnError *err)
{
    TnProblem *p = &solver->problem;
    tn_arena_reset(&solver->arena);
    tn_arena_reset(&solver->scratch);
    if (!lay_out(solver, p) || !tn_problem_prepare_A(p, solver->pool)) {
        tn_error_add(err, TN_ERROR_MEMORY, "solver: no memory");
        return false;
    }
    for (int i = 0; i < p->large_count; i++) p->large[i].ports_known = true;
    p->arena = &solver->scratch;
    return true;
}

/* ---- in a solve ---- */

static void fill_block(TnSolver *solver, int i, const double *b)
{
    const TnSolverBlock *block = &solver->blocks[i];
    if (block->condensed) {
        tn_condensed_start(solver, i, b);
        return;
    }
    TnLargeBlock *d = &solver->problem.large[block->large];
    size_t bytes = sizeof(double) * (size_t)d->dim;
    if (b)
        memcpy(d->b, b, bytes);
    else
        memset(d->b, 0, bytes);
    memcpy(d->v, solver->v + block->offset, bytes);
}

void tn_solver_fill(TnSolver *solver, const double *b)
{
    TnProblem *p = &solver->problem;
    double warm = tn_solver_warm_start(&solver->def);
    memset(solver->shift, 0, sizeof(double) * (size_t)solver->lambda_count);
    for (int i = 0; i < solver->block_count; i++)
        fill_block(solver, i, b ? b + solver->blocks[i].offset : solver->blocks[i].def.b);
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        for (int k = 0; k < c->rows; k++) {
            double start = warm * solver->lambda[c->offset + k],
                   J_free = solver->shift[c->offset + k];
            if (c->def.set == TN_SET_FRICTION) {
                TnContactBatch *batch = &p->contact_batch[c->place / TN_LANES];
                p->lambda[c->place][k] = batch->t[k][c->place % TN_LANES] = start;
                batch->e[k][c->place % TN_LANES] = c->def.e[k] + J_free;
            } else {
                TnRow *row = &p->rows[c->place + k];
                row->t = row->lambda = start;
                /* λ = -k (e + α J v) */
                row->e = c->def.e[k] + (c->def.set == TN_SET_SOFT ? c->def.alpha : 1.0) * J_free;
            }
        }
    }
}

void tn_solver_take(TnSolver *solver)
{
    const TnProblem *p = &solver->problem;
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        for (int k = 0; k < c->rows; k++)
            solver->lambda[c->offset + k] = c->def.set == TN_SET_FRICTION
                                                ? p->lambda[c->place][k]
                                                : p->rows[c->place + k].lambda;
    }
    for (int i = 0; i < solver->block_count; i++) {
        const TnSolverBlock *b = &solver->blocks[i];
        if (b->condensed)
            tn_condensed_finish(solver, i);
        else
            memcpy(solver->v + b->offset, p->large[b->large].v,
                   sizeof(double) * (size_t)b->def.dim);
    }
}
