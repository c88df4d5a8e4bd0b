/* paper_weights.c: the paper's weights, one per block, tr A_i / tr J_iᵀJ_i, and SubADMM with them.
 */
#include "baselines.h"
#include "math/vec3.h"
#include "paper.h"
#include "solver/block/block.h"

/* |J T|² */
static double port_squared_norm(const TnPort *port, const double J[6])
{
    double sum = 0.0;
    if (!port->T && port->count)
        for (int k = 0; k < 6; k++) sum += J[k] * J[k];
    for (int i = 0; i < port->node_count; i++)
        for (int c = 0; c < 3; c++) {
            double x = 0.0;
            for (int r = 0; r < 3; r++) x += J[r] * port->M[i][3 * r + c];
            sum += x * x;
        }
    for (int j = 0; port->T && j < port->count; j++) {
        double x = 0.0;
        for (int k = 0; k < 6; k++) x += J[k] * port->T[(long)k * port->count + j];
        sum += x * x;
    }
    return sum;
}

/* tr JᵀJ of the bonds on a row of the table */
static double bonds_squared_norm(const TnProblem *p, int row)
{
    double sum = 0.0;
    if (!p->bond_count) return 0.0;
    const TnPort *port = row < p->port_row ? NULL : &p->ports[row - p->port_row];
    for (int i = p->bond_side_start[row]; i < p->bond_side_start[row + 1]; i++) {
        const TnBond *bond = &p->bonds[p->bond_sides[i] / 2];
        int n = bond->hard ? bond->hard : 6, half = 6 * (p->bond_sides[i] % 2);
        for (int r = 0; r < n; r++) {
            double unit[6] = {0};
            const double *J = bond->hard ? bond->J + 12L * r + half : unit;
            unit[r] = 1.0;
            for (int k = 0; !port && k < 6; k++) sum += J[k] * J[k];
            if (port) sum += port_squared_norm(port, J);
        }
    }
    return sum;
}

static double squared_norm_of_arm(const double arm[3]) { return 3.0 + 2.0 * v3_dot(arm, arm); }

static double squared_norm_at_port(const TnPort *port, const double r[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) { /* axis k: (axis, r × axis) */
        double J[6] = {0};
        J[k] = 1.0;
        v3_cross(J + 3, r, J);
        sum += port_squared_norm(port, J);
    }
    return sum;
}

static double block_weight(const TnProblem *p, int block)
{
    double trace_A = 0.0, trace_J = 0.0;
    const TnSides *sides = &p->contact_sides;
    if (block < p->twist_count) {
        const TnTwistBatch *batch = &p->twist_batch[block / TN_LANES];
        int l = block % TN_LANES;
        trace_A = 3.0 * batch->a[l] + batch->S[0][l] + batch->S[3][l] + batch->S[5][l];
        for (int s = sides->start[block + 1]; s < sides->start[block + 2]; s++)
            trace_J += squared_norm_of_arm(sides->arm[s]);
        trace_J += bonds_squared_norm(p, block + 1);
    } else {
        const TnLargeBlock *d = &p->large[block - p->twist_count];
        trace_A = d->kind->trace(d);
        for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
            int row = p->port_row + k;
            for (int s = sides->start[row]; s < sides->start[row + 1]; s++)
                trace_J += squared_norm_at_port(&p->ports[k], sides->arm[s]);
            trace_J += bonds_squared_norm(p, row);
        }
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++)
            trace_J += p->coefficient[e] * p->coefficient[e];
    }
    return trace_J > 0.0 ? trace_A / trace_J : trace_A;
}

static int block_of_row(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static void set_weights(TnProblem *p)
{
    for (int r = 0; r < p->row_count; r++) p->rows[r].B = 0.0;
    for (int block = 0; block < p->twist_count + p->large_count; block++) {
        double beta = p->block_beta[block] = block_weight(p, block);
        for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
            TnRowSide *side = &p->sides[p->block_sides[i]];
            side->beta = beta;
            p->rows[side->row].B += 1.0 / beta; /* w, inverted below */
        }
    }
    for (int r = 0; r < p->row_count; r++) p->rows[r].B = 1.0 / p->rows[r].B;
    for (int c = 0; c < p->contact_count; c++) {
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        double w = 0.0;
        for (int side = 0; side < 2; side++) {
            int row = side ? batch->row_b[l] : batch->row_a[l];
            double beta = row ? p->block_beta[block_of_row(p, row)] : 0.0;
            p->beta[c][2 * side] = p->beta[c][2 * side + 1] = beta;
            if (row) w += 1.0 / beta;
        }
        batch->Bn[l] = batch->Bt[l] = 1.0 / w;
    }
}

bool tn_paper_prepare(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    p->block_beta = TN_ARENA_ZERO(p->arena, double, p->twist_count + p->large_count);
    if (!p->block_beta) return false;
    if (!p->H_known) set_weights(p);
    bool ok = tn_problem_prepare_H(p, def, pool);
    p->block_beta = NULL;
    return ok;
}

static bool run(const TnOwnInput *in, TnOwnResult *out)
{
    TnSolverDef def = *in->def;
    def.tolerance = 0.0; /* the watch decides */
    if (in->watch.enough) tn_problem_start_at_lambda(in->problem);
    TnSolveResult result = tn_subadmm_watched(in->problem, &def, in->watch, in->pool);
    tn_subadmm_finish(in->problem, in->pool);
    *out =
        (TnOwnResult){.iterations = result.iterations, .residual = result.residual, .own_v = true};
    return true;
}

const TnOwnMethod tn_own_paper_weights = {
    .name = "subadmm", .prepare = tn_paper_prepare, .run = run};
