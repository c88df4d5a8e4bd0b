/* subadmm_paper.c: the iteration as printed in the paper, with z and u kept on every side of every
 * constraint:
 *
 *     x = J v,  y = βx + u,  λ = Prox(-(Σ y/β + e) / Σ 1/β),
 *     z = (y + λ)/β,  u ← u + β(x - z)                         its z and u updates
 *     v = H⁻¹ (b + Jᵀ(βz - u))                                 its v update
 *
 * starting with z = J v⁰, u = -λ⁰. It serves as the reference for subadmm.c and for readers who
 * compare with the paper; plain code, one thread. Weights may be per row (β then is
 * diag(βn, βt, βt) in a contact's own axes); paper_weights.c has the paper's. Where a
 * chain's H is only a bound (block/chain_ports.c), the difference times the last v joins the right
 * side. */
#include "paper.h"

#include <math.h>
#include <string.h>

#include "baselines.h"
#include "math/vec3.h"
#include "solver/block/block.h"
#include "solver/law/law.h"

typedef struct Side3 {
    double z[3], u[3];
} Side3;

typedef struct State {
    Side3 (*contacts)[2];  /* per contact: side a, side b */
    double *row_z, *row_u; /* per side of a scalar row */
    double (*bond_z)[12], (*bond_u)[12];
    double *rhs; /* largest large block */
} State;

/* Weights of directions that yield nothing are zero, and drop out either way. */
static double inverted(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

/* W x for W = βn nnᵀ + βt (I - nnᵀ). */
static void weigh(double out[3], const double beta[2], const double n[3], const double x[3])
{
    double xn = v3_dot(n, x) * (beta[0] - beta[1]);
    for (int k = 0; k < 3; k++) out[k] = beta[1] * x[k] + xn * n[k];
}

/* x = J v on one side; side a enters the constraint with a minus sign. */
static void side_velocity(const TnProblem *p, int c, int side, double x[3])
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES, row = side ? batch->row_b[l] : batch->row_a[l];
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = side ? batch->arm_b[k][l] : batch->arm_a[k][l];
    v3_cross(x, p->twist[row] + 4, arm);
    v3_add(x, x, p->twist[row]);
    if (!side) v3_scale(x, x, -1.0);
}

static int side_row(const TnProblem *p, int c, int side)
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    return side ? batch->row_b[c % TN_LANES] : batch->row_a[c % TN_LANES];
}

static double row_side_velocity(const TnProblem *p, const TnRowSide *side)
{
    TnRow one = {.side_start = (int)(side - p->sides), .side_count = 1};
    return tn_row_velocity(p, &one);
}

static void start_bond(const TnProblem *p, int index, double z[12], double u[12])
{
    const TnBond *bond = &p->bonds[index];
    tn_bond_velocity(bond, (const double(*)[8])p->twist, z);
    for (int k = 0; k < 12; k++) u[k] = -bond->lambda[k];
}

static double update_bond(TnProblem *p, int index, double z[12], double u[12])
{
    TnBond *bond = &p->bonds[index];
    double x[12], y[12], d[12], push[12];
    tn_bond_velocity(bond, (const double(*)[8])p->twist, x);
    tn_bond_weigh(bond->W, x, y);
    for (int k = 0; k < 12; k++) {
        y[k] += u[k];
        d[k] = -y[k] - bond->t[k];
        bond->t[k] = -y[k];
    }
    tn_bond_project(bond, bond->t, bond->lambda);
    for (int k = 0; k < 12; k++) y[k] += bond->lambda[k];
    tn_bond_weigh(bond->w, y, z);
    for (int k = 0; k < 12; k++) y[k] = x[k] - z[k];
    tn_bond_weigh(bond->W, y, push);
    for (int k = 0; k < 12; k++) u[k] += push[k];
    return tn_bond_squared_velocity(bond, d);
}

static void start(const TnProblem *p, State *state)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int side = 0; side < 2; side++) {
            side_velocity(p, c, side, state->contacts[c][side].z);
            v3_scale(state->contacts[c][side].u, p->lambda[c], -1.0);
        }
    for (int s = 0; s < p->side_count; s++) {
        state->row_z[s] = row_side_velocity(p, &p->sides[s]);
        state->row_u[s] = -p->rows[p->sides[s].row].lambda;
    }
    for (int i = 0; i < p->bond_count; i++) start_bond(p, i, state->bond_z[i], state->bond_u[i]);
}

/* Returns the squared fixed-point residual in velocity units. */
static double update_contact(TnProblem *p, State *state, int c)
{
    TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    const double *n = p->normals[c];
    double y[2][3], x[2][3], sum[3], t[3], old[3], lambda[3];
    for (int k = 0; k < 3; k++) sum[k] = batch->e[k][l];
    for (int side = 0; side < 2; side++) {
        if (!side_row(p, c, side)) continue;
        const double *beta = p->beta[c] + 2 * side;
        const double inverse[2] = {inverted(beta[0]), inverted(beta[1])};
        double scaled[3];
        side_velocity(p, c, side, x[side]);
        weigh(y[side], beta, n, x[side]);
        v3_add(y[side], y[side], state->contacts[c][side].u);
        weigh(scaled, inverse, n, y[side]);
        v3_add(sum, sum, scaled);
    }
    const double B[2] = {-batch->Bn[l], -batch->Bt[l]};
    weigh(t, B, n, sum);
    tn_contact_project(n, batch->mu[l], t, lambda);
    for (int k = 0; k < 3; k++) {
        old[k] = batch->t[k][l];
        batch->t[k][l] = t[k];
        p->lambda[c][k] = lambda[k];
    }
    for (int side = 0; side < 2; side++) {
        if (!side_row(p, c, side)) continue;
        const double *beta = p->beta[c] + 2 * side;
        const double inverse[2] = {inverted(beta[0]), inverted(beta[1])};
        Side3 *s = &state->contacts[c][side];
        double sum_y[3], difference[3], push[3];
        v3_add(sum_y, y[side], lambda);
        weigh(s->z, inverse, n, sum_y);
        v3_sub(difference, x[side], s->z);
        weigh(push, beta, n, difference);
        v3_add(s->u, s->u, push);
    }
    double d[3], moved[3];
    const double w[2] = {inverted(batch->Bn[l]), inverted(batch->Bt[l])};
    v3_sub(d, t, old);
    weigh(moved, w, n, d);
    return v3_dot(moved, moved);
}

/* Handles a roll row together with its partner and moves *r past it. */
static double update_row(TnProblem *p, State *state, int *r)
{
    TnRow *rows = &p->rows[*r];
    int pair = tn_row_group(rows);
    double change = 0.0, t[2], lambda[2];
    for (int i = 0; i < pair; i++) {
        TnRow *row = &rows[i];
        double sum = row->e;
        for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
            double beta = p->sides[s].beta, x = row_side_velocity(p, &p->sides[s]);
            sum += x + state->row_u[s] * inverted(beta);
        }
        t[i] = -row->B * sum;
        change += pow(tn_row_lever(row) * (t[i] - row->t) * inverted(row->B), 2.0);
        row->t = t[i];
    }
    tn_row_project(rows, rows->B, tn_row_radius(p, rows, p->lambda), t, lambda);
    for (int i = 0; i < pair; i++) {
        TnRow *row = &rows[i];
        for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
            double beta = p->sides[s].beta, x = row_side_velocity(p, &p->sides[s]);
            state->row_z[s] = (beta * x + state->row_u[s] + lambda[i]) * inverted(beta);
            state->row_u[s] = -lambda[i]; /* u + β(x - z) */
        }
        row->lambda = lambda[i];
    }
    *r += pair - 1;
    return change;
}

/* Jᵀ(βz - u) of the contacts and bonds on one table row as a wrench. */
static void row_wrench(const TnProblem *p, const State *state, int row, double wrench[6])
{
    const TnSides *sides = &p->contact_sides;
    memset(wrench, 0, 6 * sizeof(double));
    for (int s = sides->start[row]; s < sides->start[row + 1]; s++) {
        int c = sides->contact[s], side = s < sides->mid[row];
        double f[3], torque[3], sign = side ? 1.0 : -1.0;
        weigh(f, p->beta[c] + 2 * side, p->normals[c], state->contacts[c][side].z);
        v3_sub(f, f, state->contacts[c][side].u);
        v3_cross(torque, sides->arm[s], f);
        v3_add_scaled(wrench, f, sign);
        v3_add_scaled(wrench + 3, torque, sign);
    }
    if (!p->bond_count) return;
    for (int i = p->bond_side_start[row]; i < p->bond_side_start[row + 1]; i++) {
        int bond = p->bond_sides[i] / 2, half = 6 * (p->bond_sides[i] % 2);
        double force[12];
        tn_bond_weigh(p->bonds[bond].W, state->bond_z[bond], force);
        for (int k = 0; k < 6; k++) wrench[k] += force[half + k] - state->bond_u[bond][half + k];
    }
}

static void add_rows(const TnProblem *p, const State *state, int block, double *rhs)
{
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        int s = p->block_sides[i];
        double f = p->sides[s].beta * state->row_z[s] - state->row_u[s];
        for (int e = p->sides[s].start; e < p->sides[s].start + p->sides[s].count; e++)
            rhs[p->index[e]] += f * p->coefficient[e];
    }
}

static void update_blocks(TnProblem *p, State *state)
{
    for (int k = 0; k < p->twist_count; k++) {
        const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        int l = k % TN_LANES;
        double x[6];
        row_wrench(p, state, k + 1, x);
        add_rows(p, state, k, x);
        for (int i = 0; i < 6; i++) x[i] += batch->b[i][l];
        for (int i = 0; i < 6; i++) {
            double v = 0.0;
            for (int j = 0; j < 6; j++)
                v += batch->Hinv[i <= j ? tn_sym6(i, j) : tn_sym6(j, i)][l] * x[j];
            p->twist[k + 1][i < 3 ? i : i + 1] = v;
        }
    }
    for (int i = 0; i < p->large_count; i++) {
        TnLargeBlock *d = &p->large[i];
        int n = d->dim;
        if (d->kind->eliminates)
            memset(state->rhs, 0, sizeof(double) * (size_t)n);
        else
            memcpy(state->rhs, d->b, sizeof(double) * (size_t)n);
        for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
            double w[6];
            row_wrench(p, state, p->port_row + k, w);
            const double row[8] = {w[0], w[1], w[2], 0.0, w[3], w[4], w[5], 0.0};
            tn_port_gather(&p->ports[k], row, state->rhs);
        }
        add_rows(p, state, p->twist_count + i, state->rhs);
        d->kind->solve_H(p, i, state->rhs);
    }
}

bool tn_subadmm_paper_solve(TnProblem *p, const TnSolverDef *def, TnSolveResult *result)
{
    int largest = 1, count = 3 * p->contact_count + p->row_count;
    for (int i = 0; i < p->bond_count; i++) count += tn_bond_numbers(&p->bonds[i]);
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].dim > largest) largest = p->large[i].dim;
    State state = {.contacts =
                       tn_arena_calloc(p->arena, sizeof(Side3[2]) * (size_t)p->contact_count),
                   .row_z = TN_ARENA_ZERO(p->arena, double, p->side_count),
                   .row_u = TN_ARENA_ZERO(p->arena, double, p->side_count),
                   .bond_z = tn_arena_calloc(p->arena, sizeof(double[12]) * (size_t)p->bond_count),
                   .bond_u = tn_arena_calloc(p->arena, sizeof(double[12]) * (size_t)p->bond_count),
                   .rhs = TN_ARENA_ZERO(p->arena, double, largest)};
    if (!state.contacts || !state.row_z || !state.row_u || !state.bond_z || !state.bond_u ||
        !state.rhs)
        return false;
    start(p, &state);
    *result = (TnSolveResult){.converged = def->tolerance <= 0.0};
    for (int i = 0; i < def->iterations; i++) {
        double sum = 0.0;
        for (int c = 0; c < p->contact_count; c++) sum += update_contact(p, &state, c);
        for (int r = 0; r < p->row_count; r++) sum += update_row(p, &state, &r);
        for (int k = 0; k < p->bond_count; k++)
            sum += update_bond(p, k, state.bond_z[k], state.bond_u[k]);
        update_blocks(p, &state);
        result->iterations = i + 1;
        result->residual = count ? sqrt(sum / count) : 0.0;
        /* the first one is of the starting guess, before any block has moved */
        if (i > 0 && def->tolerance > 0.0 && result->residual < def->tolerance) {
            result->converged = true;
            break;
        }
    }
    tn_blocks_finish(p, NULL);
    return true;
}

/* ---- as a method ---- */

static bool prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    TnSolverDef plain = *def;
    plain.anderson = 0;
    return tn_problem_prepare_H(p, &plain, pool);
}

static bool prepare_weights(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    TnSolverDef plain = *def;
    plain.anderson = 0;
    return tn_paper_prepare(p, &plain, pool);
}

static bool run(const TnOwnInput *in, TnOwnResult *out)
{
    TnSolveResult result;
    if (!tn_subadmm_paper_solve(in->problem, in->def, &result)) return false;
    *out =
        (TnOwnResult){.iterations = result.iterations, .residual = result.residual, .own_v = true};
    return true;
}

const TnOwnMethod tn_own_paper_form = {
    .name = "subadmm", .prepare = prepare, .run = run, .whole = true};
const TnOwnMethod tn_own_paper = {
    .name = "subadmm", .prepare = prepare_weights, .run = run, .whole = true};
