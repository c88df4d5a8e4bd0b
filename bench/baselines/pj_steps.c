/* pj_steps.c: how far projected Jacobi may step. With W = Σ_b J_b A_b⁻¹ J_bᵀ over the blocks it
 * needs a diagonal M >= W. Mass splitting gives each of the n constraints on a block an nth of its
 * mass:
 *
 *     M = Σ_b n_b D_b,   D_b the constraints' own compliances J_jb A_b⁻¹ J_jbᵀ
 *
 * n_b is a bound of what counts, ρ_b = the largest eigenvalue of A_b⁻¹ Σ_j J_jbᵀ D_jb⁻¹ J_jb, which
 * is found by a few power iterations: on a body that is touched all around it is well below n, and
 * on a cable or a soft body, of which most constraints yield without moving others, far below.
 *
 * A block's update in SubADMM, v = H⁻¹(b + g + 2F), g ← g + α (b + F - A v), is v = A⁻¹(b + F) with
 * H = 2A, g = b and α = 0; chains and meshes, which iterate on v - v_free, have g = 0 instead. So
 * the same kernels serve. */
#include <math.h>
#include <string.h>

#include "pj.h"
#include "solver/block/block.h"
#include "solver/law/law.h"

#define POWER_ITERATIONS 12
#define MARGIN 1.1 /* power iterations come from below */

typedef struct Steps {
    TnProblem *p;
    const TnCompliances *D;
    double *share; /* per block: ρ */
    double sharing;
} Steps;

/* ---- the constraints' own weights: β = 1/D of each side ---- */

static void set_unit_weights(Steps *s, TnPool *pool)
{
    TnProblem *p = s->p;
    TnSolverDef unit = tn_solver_def();
    unit.weight_scale = 1.0;
    tn_problem_weights(p, &unit, pool);
    for (int c = 0; c < p->contact_count; c++) { /* without the scales of ports and rows */
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        double n = batch->Bn[l] * tn_normal_compliance(s->D, c),
               t = batch->Bt[l] * tn_tangent_compliance(s->D, c);
        for (int side = 0; side < 2; side++) {
            p->beta[c][2 * side] = n > 0.0 ? p->beta[c][2 * side] / n : 0.0;
            p->beta[c][2 * side + 1] = t > 0.0 ? p->beta[c][2 * side + 1] / t : 0.0;
        }
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r], *first = tn_row_is_second(row) ? row - 1 : row;
        double scale = first->scale > 0.0 ? first->scale : 1.0;
        for (int i = row->side_start; i < row->side_start + row->side_count; i++)
            p->sides[i].beta /= scale;
    }
}

static void add_bond_weights(const TnProblem *p)
{
    for (int i = 0; i < p->bond_count; i++)
        for (int side = 0; side < 2; side++) {
            int row = side ? p->bonds[i].row_b : p->bonds[i].row_a;
            double C[36], X[36];
            if (!row) continue;
            tn_table_compliance(p, row, C);
            tn_small_inverse(6, C, X);
            for (int r = 0; r < 6; r++)
                for (int t = r; t < 6; t++) p->K[row][tn_sym6(r, t)] += X[6 * r + t];
        }
}

/* ---- ρ of a block ---- */

static void multiply_packed(const double K[TN_SYM6], const double x[6], double y[6])
{
    for (int r = 0; r < 6; r++) {
        y[r] = 0.0;
        for (int t = 0; t < 6; t++) y[r] += K[r <= t ? tn_sym6(r, t) : tn_sym6(t, r)] * x[t];
    }
}

static void add_rows(const TnProblem *p, int block, const double *x, double *y)
{
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double s = 0.0;
        for (int e = side->start; e < side->start + side->count; e++)
            s += p->coefficient[e] * x[p->index[e]];
        s *= side->beta;
        for (int e = side->start; e < side->start + side->count; e++)
            y[p->index[e]] += s * p->coefficient[e];
    }
}

/* f = C x and y = A⁻¹ f */
static void apply(TnProblem *p, int block, const double *x, double *f, double *y)
{
    if (block < p->twist_count) {
        double v[8];
        multiply_packed(p->K[block + 1], x, f);
        add_rows(p, block, x, f);
        tn_twist_solve(p, block, f, v);
        memcpy(y, v, 3 * sizeof(double));
        memcpy(y + 3, v + 4, 3 * sizeof(double));
        return;
    }
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    if (d->kind->respond) {
        d->kind->respond(p, block - p->twist_count, x, f, y);
        return;
    }
    memset(f, 0, sizeof(double) * (size_t)d->dim);
    tn_ports_spread(p, d, x, p->twist);
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        double *row = p->twist[p->port_row + k], w[6];
        const double v[6] = {row[0], row[1], row[2], row[4], row[5], row[6]};
        multiply_packed(p->K[p->port_row + k], v, w);
        const double wrench[8] = {w[0], w[1], w[2], 0.0, w[3], w[4], w[5], 0.0};
        tn_port_gather(&p->ports[k], wrench, f);
    }
    add_rows(p, block, x, f);
    memcpy(y, f, sizeof(double) * (size_t)d->dim);
    d->kind->solve_A(d, y);
}

static int dim_of(const TnProblem *p, int block)
{
    if (block < p->twist_count) return 6;
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    return d->kind->respond ? d->solved : d->dim;
}

/* Some x whose parts, metres and radians, are worth about the same in the norm of A. */
static void set_start(const TnProblem *p, int block, double *x)
{
    int n = dim_of(p, block);
    for (int k = 0; k < n; k++) x[k] = 1.0 + 0.37 * ((k * 7) % 5) - 0.61 * (k % 3);
    if (block < p->twist_count) {
        static const int diagonal[6] = {0, 0, 0, 1, 4, 6};
        for (int k = 0; k < 6; k++) x[k] *= sqrt(p->inverse[block][diagonal[k]]);
        return;
    }
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    d->kind->scale(d, x);
}

/* By Rayleigh's quotient in the norm of C, which has no units. x, f and y have room for the
 * block. */
static double largest_eigenvalue(TnProblem *p, int block, double *x, double *f, double *y)
{
    int n = dim_of(p, block);
    double value = 0.0;
    set_start(p, block, x);
    for (int i = 0; i < POWER_ITERATIONS; i++) {
        double before = 0.0, after = 0.0;
        apply(p, block, x, f, y);
        for (int k = 0; k < n; k++) {
            before += x[k] * f[k];
            after += y[k] * f[k];
        }
        if (!(before > 0.0 && after > 0.0)) return value;
        value = after / before;
        double scale = 1.0 / sqrt(after);
        for (int k = 0; k < n; k++) x[k] = scale * y[k];
    }
    return value;
}

static bool set_shares(Steps *s)
{
    TnProblem *p = s->p;
    int blocks = p->twist_count + p->large_count, most = 6;
    for (int b = 0; b < blocks; b++)
        if (dim_of(p, b) > most) most = dim_of(p, b);
    double *x = TN_ARENA_ZERO(p->arena, double, most + 8),
           *f = TN_ARENA_ZERO(p->arena, double, most + 8),
           *y = TN_ARENA_ZERO(p->arena, double, most + 8);
    s->share = TN_ARENA_NEW(p->arena, double, blocks);
    if (!x || !f || !y || !s->share) return false;
    for (int b = 0; b < blocks; b++)
        s->share[b] = s->sharing * fmax(1.0, MARGIN * largest_eigenvalue(p, b, x, f, y));
    return true;
}

/* ---- steps ---- */

static int block_of_row(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static double share_of_row(const Steps *s, int row)
{
    return row ? s->share[block_of_row(s->p, row)] : 0.0;
}

static void set_steps(const Steps *s)
{
    TnProblem *p = s->p;
    for (int c = 0; c < p->contact_count; c++) {
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        const double *beta = p->beta[c];
        double a = share_of_row(s, batch->row_a[l]), b = share_of_row(s, batch->row_b[l]);
        double M[2];
        for (int k = 0; k < 2; k++)
            M[k] =
                (beta[k] > 0.0 ? a / beta[k] : 0.0) + (beta[2 + k] > 0.0 ? b / beta[2 + k] : 0.0);
        batch->Bn[l] = M[0] > 0.0 ? 1.0 / M[0] : 0.0;
        batch->Bt[l] = M[1] > 0.0 ? 1.0 / M[1] : 0.0;
    }
    for (int r = 0; r < p->row_count; r++) {
        TnRow *row = &p->rows[r];
        double M = 0.0;
        for (int i = row->side_start; i < row->side_start + row->side_count; i++)
            if (p->sides[i].beta > 0.0) M += s->share[p->sides[i].block] / p->sides[i].beta;
        row->B = M > 0.0 ? 1.0 / M : 0.0;
    }
}

static void set_bond(const Steps *s, int index, TnPjBond *out)
{
    const TnProblem *p = s->p;
    const TnBond *bond = &p->bonds[index];
    double M[144] = {0};
    tn_bond_rows(bond, &out->rows);
    int n = out->rows.count;
    for (int side = 0; side < 2; side++) {
        int row = side ? bond->row_b : bond->row_a;
        double C[36], share = share_of_row(s, row);
        tn_table_compliance(p, row, C);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 6; k++)
                    for (int l = 0; l < 6; l++)
                        M[n * i + j] += share * out->rows.J[i][6 * side + k] * C[6 * k + l] *
                                        out->rows.J[j][6 * side + l];
    }
    for (int i = 0; i < n; i++) M[(n + 1) * i] += tn_bond_rows_slack(bond);
    tn_small_inverse(n, M, out->inverse);
    tn_bond_rows_start(bond, &out->rows, out->mu);
    memcpy(out->last, out->mu, sizeof out->mu);
}

/* ---- v = A⁻¹(b + F) ---- */

static void set_twists(TnProblem *p)
{
    for (int k = 0; k < p->twist_batches * TN_LANES; k++) {
        TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        int l = k % TN_LANES;
        double C[36];
        tn_table_compliance(p, k + 1, C);
        for (int i = 0; i < 6; i++) {
            batch->g[i][l] = batch->b[i][l];
            for (int j = i; j < 6; j++) batch->Hinv[tn_sym6(i, j)][l] = 0.5 * C[6 * i + j];
        }
    }
}

bool tn_pj_prepare(TnProblem *p, const TnCompliances *D, TnPjBond *bonds, double sharing,
                   TnPool *pool)
{
    Steps s = {.p = p, .D = D, .sharing = sharing};
    set_unit_weights(&s, pool);
    p->kernels->row_stiffness(&p->contact_sides, 0, p->table_rows, (const double(*)[4])p->normals,
                              (const double(*)[4])p->beta, p->K);
    add_bond_weights(p);
    if (!set_shares(&s)) return false;
    set_steps(&s);
    for (int i = 0; i < p->bond_count; i++) set_bond(&s, i, &bonds[i]);
    set_twists(p);
    for (int i = 0; i < p->large_count; i++)
        if (!p->large[i].kind->double_A(&p->large[i])) return false;
    return true;
}
