/* weights.c: the penalty weights β_ij, which decide how fast ADMM converges.
 *
 *     β = s / (J A⁻¹ Jᵀ)  per constraint and side: the inverse of what the block yields locally.
 *
 * A contact's normal and its two tangents apart (the tangents share one, or the closed-form
 * friction update would not be exact).
 *
 * A constraint then combines its sides to B = 1 / Σ 1/β, a compliant contact to 1 / (C + Σ 1/β). A
 * side on the fixed world yields nothing: 1/β = 0. Bonds have full matrices instead, see
 * law/linear_weights.c. */
#include "problem.h"

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "block/block.h"
#include "law/law.h"

/* fmax without its care for NaN, which costs a call. */
static inline double larger(double a, double b) { return a > b ? a : b; }

/* Compliance of a point at an arm: normal part, and mean of the two tangential parts. */
typedef struct Compliance {
    double normal, tangent;
    double scale; /* size of the terms they are sums of: what rounding is measured by */
} Compliance;

/* J A⁻¹ Jᵀ = I/a + [r]× S⁻¹ [r]×ᵀ for a twist block. */
static Compliance twist_compliance(const double inverse[8], const double r[3], const double n[3])
{
    double m[3];
    v3_cross(m, r, n);
    double xx = inverse[1], xy = inverse[2], xz = inverse[3], yy = inverse[4], yz = inverse[5],
           zz = inverse[6];
    double spin = m[0] * (xx * m[0] + 2.0 * (xy * m[1] + xz * m[2])) +
                  m[1] * (yy * m[1] + 2.0 * yz * m[2]) + zz * m[2] * m[2];
    /* tr([r]× S⁻¹ [r]×ᵀ) = |r|² tr S⁻¹ - rᵀ S⁻¹ r */
    double quadratic = r[0] * (xx * r[0] + 2.0 * (xy * r[1] + xz * r[2])) +
                       r[1] * (yy * r[1] + 2.0 * yz * r[2]) + zz * r[2] * r[2];
    double trace = v3_dot(r, r) * (xx + yy + zz) - quadratic;
    double scale = inverse[0] + v3_dot(r, r) * (xx + yy + zz);
    return (Compliance){inverse[0] + spin, inverse[0] + 0.5 * (trace - spin), scale};
}

static Compliance port_compliance(const double C[36], const double r[3], const double n[3])
{
    /* columns of [r]× in Jᵀ = [I; [r]×] */
    const double J[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
    double P[3][3], normal = 0.0, trace = 0.0;
    for (int i = 0; i < 3; i++) {
        double x[6]; /* column i of C Jᵀ: C is symmetric */
        for (int k = 0; k < 6; k++)
            x[k] = C[6 * i + k] + J[i][0] * C[18 + k] + J[i][1] * C[24 + k] + J[i][2] * C[30 + k];
        for (int j = 0; j < 3; j++)
            P[i][j] = x[j] + J[j][0] * x[3] + J[j][1] * x[4] + J[j][2] * x[5];
        trace += P[i][i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) normal += n[i] * P[i][j] * n[j];
    double scale = C[0] + C[7] + C[14] + v3_dot(r, r) * (C[21] + C[28] + C[35]);
    return (Compliance){normal, 0.5 * (trace - normal), scale};
}

static Compliance row_compliance(const TnProblem *p, int row, const double r[3], const double n[3])
{
    if (row == 0) return (Compliance){0};
    if (row < p->port_row) return twist_compliance(p->inverse[row - 1], r, n);
    return port_compliance(p->ports[row - p->port_row].compliance, r, n);
}

static bool is_dead(double total, Compliance a, Compliance b)
{
    double all = a.normal + a.tangent + b.normal + b.tangent;
    return !(total > TN_DEAD * all && total > TN_ROUND_OFF * (a.scale + b.scale));
}

/* A side may yield (almost) nothing in some direction, e.g. an arm along its own axis. Its weight
 * is then bounded by what the other side makes of it: a floor of 1e-6 of the pair's compliance.
 * Where neither side yields (a slider across its axis, pressed against a wall) no force can help:
 * the weights are zero and the direction takes no force, rather than one that grows without bound.
 */
static void set_contact_weights(TnProblem *p, int contact, Compliance a, Compliance b, double s)
{
    TnContactBatch *batch = &p->contact_batch[contact / TN_LANES];
    int l = contact % TN_LANES;
    const double sides[2][2] = {{a.normal, a.tangent}, {b.normal, b.tangent}};
    double B[2];
    for (int k = 0; k < 2; k++) {
        double total = sides[0][k] + sides[1][k], w = 0.0;
        bool dead = is_dead(total, a, b);
        for (int side = 0; side < 2; side++) {
            int row = side ? batch->row_b[l] : batch->row_a[l];
            double compliance = larger(sides[side][k], 1e-6 * total);
            p->beta[contact][2 * side + k] = row && !dead ? s / compliance : 0.0;
            if (row) w += compliance / s;
        }
        B[k] = dead ? 0.0 : 1.0 / w;
        if (p->give && !dead) {
            TnContactGive *give = &p->give[contact / TN_LANES];
            B[k] = 1.0 / (w + p->yield[contact][k]);
            give->share[k][l] = B[k] * w;
        }
    }
    batch->Bn[l] = B[0];
    batch->Bt[l] = B[1];
}

typedef struct Task {
    TnProblem *problem;
    double scale;
} Task;

static void contact_compliance(const TnProblem *p, int c, Compliance sides[2])
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    double ra[3], rb[3];
    for (int k = 0; k < 3; k++) {
        ra[k] = batch->arm_a[k][l];
        rb[k] = batch->arm_b[k][l];
    }
    sides[0] = row_compliance(p, batch->row_a[l], ra, p->normals[c]);
    sides[1] = row_compliance(p, batch->row_b[l], rb, p->normals[c]);
}

static double scale_of(const TnProblem *p, int row)
{
    const TnPort *port = &p->ports[row < p->port_row ? 0 : row - p->port_row];
    return row < p->port_row ? 1.0 : port->scale;
}

/* Of a pair: the larger scale above one, times the smaller one below. */
static double pair_scale(double a, double b)
{
    return larger(larger(a, b), 1.0) / larger(larger(1.0 / a, 1.0 / b), 1.0);
}

static void contact_range(void *context, int begin, int end)
{
    const Task *task = context;
    const TnProblem *p = task->problem;
    for (int c = begin; c < end; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        double scale = pair_scale(scale_of(p, batch->row_a[l]), scale_of(p, batch->row_b[l]));
        Compliance sides[2];
        contact_compliance(p, c, sides);
        set_contact_weights(task->problem, c, sides[0], sides[1], scale * task->scale);
    }
}

void tn_contact_compliance(const TnProblem *p, int contact, double *normal, double *tangent)
{
    Compliance sides[2];
    contact_compliance(p, contact, sides);
    *normal = sides[0].normal + sides[1].normal;
    *tangent = sides[0].tangent + sides[1].tangent;
}

static void port_yield(const TnProblem *p, int c, TnContactYield *out)
{
    Compliance sides[2];
    int l = c % TN_LANES;
    contact_compliance(p, c, sides);
    const double D[2] = {sides[0].normal + sides[1].normal, sides[0].tangent + sides[1].tangent};
    for (int k = 0; k < 2; k++) {
        bool dead = is_dead(D[k], sides[0], sides[1]);
        out->D[k][l] = dead ? 0.0 : D[k];
        out->inverse[k][l] = dead ? 0.0 : 1.0 / D[k];
    }
}

void tn_contact_yields(const TnProblem *p, TnContactYield *out)
{
    tn_contact_kernels()->yields(p->contact_batch, 0, p->contact_batches, p->twist_count,
                                 (const double(*)[8])p->inverse, TN_DEAD, TN_ROUND_OFF, out);
    for (int c = 0; p->port_count && c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        if (batch->row_a[c % TN_LANES] >= p->port_row || batch->row_b[c % TN_LANES] >= p->port_row)
            port_yield(p, c, &out[c / TN_LANES]);
    }
}

/* J A⁻¹ Jᵀ of one side of a scalar row. */
static double side_compliance(const TnProblem *p, const TnRowSide *side)
{
    if (side->block < p->twist_count) {
        const double *inverse = p->inverse[side->block];
        double c[6] = {0};
        for (int e = side->start; e < side->start + side->count; e++)
            c[p->index[e]] += p->coefficient[e];
        const double *w = c + 3;
        return inverse[0] * v3_dot(c, c) + inverse[1] * w[0] * w[0] + inverse[4] * w[1] * w[1] +
               inverse[6] * w[2] * w[2] +
               2.0 *
                   (inverse[2] * w[0] * w[1] + inverse[3] * w[0] * w[2] + inverse[5] * w[1] * w[2]);
    }
    const TnLargeBlock *d = &p->large[side->block - p->twist_count];
    return d->kind->side_compliance(p, d, side);
}

double tn_row_compliance(const TnProblem *p, const TnRow *row)
{
    double total = 0.0;
    for (int i = 0; i < row->side_count; i++)
        total += side_compliance(p, &p->sides[row->side_start + i]);
    return total;
}

/* The two rows of a rolling pair share their weights: their disc projection is exact for isotropic
 * ones only. */
static void row_weights(TnProblem *p, double scale)
{
    for (int r = 0; r < p->row_count; r++) {
        TnRow *row = &p->rows[r];
        int group = tn_row_group(row);
        double s = row->scale > 0.0 ? scale * row->scale : scale;
        double compliance[TN_MAX_SIDES] = {0}, total = 0.0, w = 0.0;
        for (int g = 0; g < group; g++)
            for (int i = 0; i < row->side_count; i++)
                compliance[i] += side_compliance(p, &p->sides[row[g].side_start + i]) / group;
        for (int i = 0; i < row->side_count; i++) total += compliance[i];
        bool dead = !(total > 0.0); /* nothing yields: weightless, see law/law.h */
        for (int i = 0; i < row->side_count; i++) {
            double c = larger(compliance[i], 1e-6 * total);
            for (int g = 0; g < group; g++)
                p->sides[row[g].side_start + i].beta = dead ? 0.0 : s / c;
            w += c / s;
        }
        for (int g = 0; g < group; g++) row[g].B = dead ? 0.0 : 1.0 / w;
        r += group - 1;
    }
}

void tn_problem_weights(TnProblem *p, const TnSolverDef *def, TnPool *pool)
{
    Task task = {p, def->weight_scale};
    tn_pool_run(pool, p->contact_count, 128, contact_range, &task);
    row_weights(p, def->weight_scale);
}
