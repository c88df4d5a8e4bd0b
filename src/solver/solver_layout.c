/* solver_layout.c: a user's blocks and constraints as a problem of dense blocks. A friction
 * constraint's Jacobian on a block becomes a port whose linear rows are that Jacobian; the contact
 * has no arms and the normal x. Everything but b and the starting guess stays from solve to
 * solve. */
#include <string.h>

#include "../base/base.h"
#include "solver_parts.h"

static TnProblemSize size_of(const TnSolver *solver)
{
    TnProblemSize size = {.larges = solver->block_count};
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        if (c->def.set == TN_SET_FRICTION) {
            size.contacts++;
            size.ports += c->side_count;
            continue;
        }
        size.rows += c->rows;
        size.sides += c->rows * c->side_count;
        for (int s = 0; s < c->side_count; s++)
            size.entries += c->rows * tn_side_columns(solver, &c->def, s);
    }
    return size;
}

/* Ports of one block must follow each other: they are counted first. */
static bool set_blocks(TnSolver *solver, TnProblem *p, int *next_port)
{
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        if (c->def.set == TN_SET_FRICTION)
            for (int s = 0; s < c->side_count; s++) next_port[c->def.block[s]]++;
    }
    for (int i = 0; i < solver->block_count; i++) {
        const TnSolverBlock *block = &solver->blocks[i];
        int count = next_port[i + 1];
        next_port[i + 1] += next_port[i];
        if (!tn_problem_set_factored(p, i, block->def.dim, block->def.A, block->factor,
                                     next_port[i], count))
            return false;
    }
    return true;
}

/* λ acts with +J on row b; a second block enters with its own sign, so its port carries -J as side
 * a. */
static bool set_contact(const TnSolver *solver, TnProblem *p, int contact,
                        const TnSolverConstraint *c, int *next_port)
{
    const double zero[3] = {0}, axis[3] = {1.0, 0.0, 0.0};
    int rows[2] = {0, 0};
    for (int s = 0; s < c->side_count; s++) {
        int block = c->def.block[s] - 1, port = next_port[block]++;
        int dim = solver->blocks[block].def.dim, count = tn_side_columns(solver, &c->def, s);
        if (!tn_problem_set_port(p, port, block)) return false;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < count; k++) {
                double J = c->def.J[s][(long)r * count + k];
                p->ports[port].T[(long)r * dim + tn_side_column(&c->def, s, k)] = s ? -J : J;
            }
        rows[s] = p->port_row + port;
    }
    tn_problem_set_contact(p, contact, rows[1], rows[0], zero, zero, axis, c->def.e, c->def.mu,
                           zero);
    return true;
}

static void set_row(const TnSolver *solver, TnProblem *p, const TnSolverConstraint *c, int r,
                    int row, int *side, int *entry)
{
    static const TnRowSet sets[] = {
        [TN_SET_EQUALITY] = TN_ROW_EQUALITY, [TN_SET_INEQUALITY] = TN_ROW_INEQUALITY,
        [TN_SET_SOFT] = TN_ROW_SOFT,         [TN_SET_BOX] = TN_ROW_BOX,
        [TN_SET_SPIN] = TN_ROW_SPIN,         [TN_SET_ROLL] = TN_ROW_ROLL};
    const TnConstraintDef *def = &c->def;
    bool rolls = def->set == TN_SET_SPIN || def->set == TN_SET_ROLL;
    p->rows[row] = (TnRow){.set = r ? TN_ROW_ROLL_PARTNER : sets[def->set],
                           .side_start = *side,
                           .side_count = c->side_count,
                           .contact = rolls ? solver->constraints[def->contact - 1].place : 0,
                           .e = def->e[r],
                           .k = def->k,
                           .alpha = def->alpha,
                           .lower = def->lower,
                           .upper = def->upper,
                           .mu = def->mu};
    for (int s = 0; s < c->side_count; s++) {
        int count = tn_side_columns(solver, def, s);
        p->sides[(*side)++] =
            (TnRowSide){.block = def->block[s] - 1, .start = *entry, .count = count};
        for (int k = 0; k < count; k++, (*entry)++) {
            p->index[*entry] = tn_side_column(def, s, k);
            p->coefficient[*entry] = def->J[s][(long)r * count + k];
        }
    }
}

static bool lay_out(TnSolver *solver, TnProblem *p)
{
    int *next_port = TN_ARENA_ZERO(&solver->scratch, int, solver->block_count + 1);
    if (!next_port || !tn_problem_init(p, &solver->arena, size_of(solver)) ||
        !set_blocks(solver, p, next_port))
        return false;
    int contact = 0, row = 0, side = 0, entry = 0;
    for (int i = 0; i < solver->constraint_count; i++) {
        TnSolverConstraint *c = &solver->constraints[i];
        if (c->def.set == TN_SET_FRICTION) {
            c->place = contact++;
            if (!set_contact(solver, p, c->place, c, next_port)) return false;
            continue;
        }
        c->place = row;
        for (int r = 0; r < c->rows; r++) set_row(solver, p, c, r, row++, &side, &entry);
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

void tn_solver_fill(TnSolver *solver, const double *b)
{
    TnProblem *p = &solver->problem;
    double warm = tn_solver_warm_start(&solver->def);
    for (int i = 0; i < solver->block_count; i++) {
        const TnSolverBlock *block = &solver->blocks[i];
        size_t bytes = sizeof(double) * (size_t)block->def.dim;
        const double *from = b ? b + block->offset : block->def.b;
        if (from)
            memcpy(p->large[i].b, from, bytes);
        else
            memset(p->large[i].b, 0, bytes);
        memcpy(p->large[i].v, solver->v + block->offset, bytes);
    }
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        for (int k = 0; k < c->rows; k++) {
            double start = warm * solver->lambda[c->offset + k];
            if (c->def.set == TN_SET_FRICTION) {
                p->lambda[c->place][k] = start;
                p->contact_batch[c->place / TN_LANES].t[k][c->place % TN_LANES] = start;
            } else {
                p->rows[c->place + k].t = p->rows[c->place + k].lambda = start;
            }
        }
    }
}

void tn_solver_take(TnSolver *solver)
{
    const TnProblem *p = &solver->problem;
    for (int i = 0; i < solver->block_count; i++)
        memcpy(solver->v + solver->blocks[i].offset, p->large[i].v,
               sizeof(double) * (size_t)p->large[i].dim);
    for (int i = 0; i < solver->constraint_count; i++) {
        const TnSolverConstraint *c = &solver->constraints[i];
        for (int k = 0; k < c->rows; k++)
            solver->lambda[c->offset + k] = c->def.set == TN_SET_FRICTION
                                                ? p->lambda[c->place][k]
                                                : p->rows[c->place + k].lambda;
    }
}
