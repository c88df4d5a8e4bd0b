/* contact_scalar.c: the reference of contact_kernels.h, one contact after the other in plain C. */
#include "scalar.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "math/vec3.h"

/* ---- compliances ---- */

static void take(const double from[3][TN_LANES], int l, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = from[k][l];
}

/* rᵀ S⁻¹ r */
static double quadratic(const double inverse[8], const double r[3])
{
    return inverse[1] * r[0] * r[0] + inverse[4] * r[1] * r[1] + inverse[6] * r[2] * r[2] +
           2.0 * (inverse[2] * r[0] * r[1] + inverse[3] * r[0] * r[2] + inverse[5] * r[1] * r[2]);
}

/* Of I/a + [r]× S⁻¹ [r]×ᵀ: along n, the mean across, and the size of the terms. */
static void add_yield(const double inverse[8], const double r[3], const double n[3], double D[2],
                      double *size)
{
    double m[3], all = v3_dot(r, r) * (inverse[1] + inverse[4] + inverse[6]);
    v3_cross(m, r, n);
    double spin = quadratic(inverse, m);
    D[0] += inverse[0] + spin;
    D[1] += inverse[0] + 0.5 * (all - quadratic(inverse, r) - spin);
    *size += inverse[0] + all;
}

static void yields(const TnContactBatch *batches, int begin, int end, int twist_count,
                   const double (*inverse)[8], double dead, double rounding, TnContactYield *out)
{
    for (int c = begin * TN_LANES; c < end * TN_LANES; c++) {
        const TnContactBatch *batch = &batches[c / TN_LANES];
        TnContactYield *yield = &out[c / TN_LANES];
        int l = c % TN_LANES, a = batch->row_a[l], b = batch->row_b[l];
        double n[3], arm[3], D[2] = {0}, size = 0.0;
        take(batch->normal, l, n);
        take(batch->arm_a, l, arm);
        if (a > 0 && a <= twist_count) add_yield(inverse[a - 1], arm, n, D, &size);
        take(batch->arm_b, l, arm);
        if (b > 0 && b <= twist_count) add_yield(inverse[b - 1], arm, n, D, &size);
        for (int k = 0; k < 2; k++) {
            bool lives = D[k] > dead * (D[0] + D[1]) && D[k] > rounding * size;
            yield->D[k][l] = lives ? D[k] : 0.0;
            yield->inverse[k][l] = lives ? 1.0 / D[k] : 0.0;
        }
    }
}

/* ---- velocities ---- */

static void point_velocity(double out[3], const double row[8], const double arm[3])
{
    v3_cross(out, row + 4, arm);
    v3_add(out, out, row);
}

static void velocities(const TnContactBatch *batches, int begin, int end, const double (*twist)[8],
                       bool with_e, double (*u)[3])
{
    for (int c = begin * TN_LANES; c < end * TN_LANES; c++) {
        const TnContactBatch *batch = &batches[c / TN_LANES];
        int l = c % TN_LANES;
        double arm_a[3], arm_b[3], va[3], vb[3];
        take(batch->arm_a, l, arm_a);
        take(batch->arm_b, l, arm_b);
        point_velocity(va, twist[batch->row_a[l]], arm_a);
        point_velocity(vb, twist[batch->row_b[l]], arm_b);
        for (int k = 0; k < 3; k++) u[c][k] = vb[k] - va[k] + (with_e ? batch->e[k][l] : 0.0);
    }
}

/* ---- laws ---- */

static double map_of(const TnContactBatch *batch, const TnContactYield *yield, int l,
                     const double u[3], const double lambda[3])
{
    double n[3], lt[3], t[3], Dn = yield->D[0][l], Dt = yield->D[1][l];
    take(batch->normal, l, n);
    double un = v3_dot(n, u), ln = v3_dot(n, lambda);
    double tn = Dn > 0.0 ? fmax(0.0, ln - yield->inverse[0][l] * un) : 0.0;
    double normal = Dn * (ln - tn), sum = normal * normal;
    for (int k = 0; k < 3; k++) {
        lt[k] = lambda[k] - ln * n[k];
        t[k] = lt[k] - yield->inverse[1][l] * (u[k] - un * n[k]);
    }
    double length = v3_norm(t), bound = batch->mu[l] * tn;
    double share = length > bound ? bound / length : 1.0;
    for (int k = 0; k < 3; k++) {
        double r = Dt * (lt[k] - share * t[k]);
        sum += r * r;
    }
    return sum;
}

static void natural_map(const TnContactBatch *batches, const TnContactYield *yields, int begin,
                        int end, const double (*u)[3], const double (*lambda)[3],
                        double (*squared)[TN_LANES])
{
    for (int i = begin; i < end; i++)
        for (int l = 0; l < TN_LANES; l++)
            squared[i][l] =
                map_of(&batches[i], &yields[i], l, u[TN_LANES * i + l], lambda[TN_LANES * i + l]);
}

typedef struct Trial {
    double n[3];
    double normal;    /* λ_c along n */
    double tn, tt[3]; /* t */
    double length;    /* |t_t| */
} Trial;

static Trial try_contact(const TnContactBatch *batch, const TnContactYield *yield, int l,
                         const TnSoftening *soft, const double centre[3], const double u[3])
{
    Trial t;
    double gn = yield->inverse[0][l], gt = yield->inverse[1][l];
    take(batch->normal, l, t.n);
    double un = v3_dot(t.n, u);
    t.normal = v3_dot(t.n, centre);
    t.tn = gn > 0.0 ? t.normal - soft->reach * gn * un : 0.0;
    for (int k = 0; k < 3; k++)
        t.tt[k] = gt > 0.0 ? centre[k] - t.normal * t.n[k] - soft->reach * gt * (u[k] - un * t.n[k])
                           : 0.0;
    t.length = v3_norm(t.tt);
    return t;
}

static int line_of(const TnContactBatch *batch, const TnContactYield *yield, int i, int l,
                   const TnSoftening *soft, const double u[3], const TnContactLines *out)
{
    int c = TN_LANES * i + l, flags = 0;
    const double *centre = soft->centre[c];
    double *a = out->a[c], *force = out->force[c], G[9] = {0}, state = 0.0, mu = batch->mu[l];
    double gn = soft->R * yield->inverse[0][l], gt = soft->R * yield->inverse[1][l];
    Trial t = try_contact(batch, yield, l, soft, centre, u);
    const double *n = t.n;
    double bound = mu * fmax(0.0, t.tn);
    v3_zero(a);
    v3_zero(force);
    if (t.tn > 0.0 && t.length <= bound && mu > 0.0) {
        state = 1.0;
        for (int k = 0; k < 3; k++) {
            a[k] = gt > 0.0 ? centre[k] : t.normal * n[k];
            force[k] = t.tn * n[k] + t.tt[k];
            for (int j = 0; j < 3; j++) G[3 * k + j] = (gn - gt) * n[k] * n[j];
            G[4 * k] += gt;
        }
    } else if (t.tn > 0.0) {
        double d[3] = {0}, across[3] = {0}, turn = 0.0, keep = 0.0;
        state = 2.0;
        if (t.length > 0.0 && mu > 0.0) {
            flags = TN_LINES_MOVED | TN_LINES_TURN;
            v3_scale(d, t.tt, 1.0 / t.length);
            v3_cross(across, n, d);
            double kappa = bound / t.length;
            bool own = soft->reach == soft->R;
            turn = gt * (own ? kappa : kappa / (soft->R * (1.0 - kappa) + 1.0));
            keep = own ? kappa * v3_dot(across, centre) : 0.0;
        }
        for (int k = 0; k < 3; k++) {
            double push = n[k] + mu * d[k];
            a[k] = t.normal * push + keep * across[k];
            force[k] = t.tn * push;
            for (int j = 0; j < 3; j++)
                G[3 * k + j] = gn * push * n[j] + turn * across[k] * across[j];
        }
    }
    for (int k = 0; k < 9; k++) out->G[i][k][l] = G[k];
    if (out->state[i][l] != state) flags |= TN_LINES_MOVED;
    out->state[i][l] = state;
    out->bound[i][l] = bound;
    return flags;
}

static int lines(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                 const TnSoftening *soft, const double (*u)[3], const TnContactLines *out)
{
    int flags = 0;
    for (int i = begin; i < end; i++)
        for (int l = 0; l < TN_LANES; l++)
            flags |= line_of(&batches[i], &yields[i], i, l, soft, u[TN_LANES * i + l], out);
    return flags;
}

static void forces(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                   const TnSoftening *soft, const double (*u)[3], const double (*bound)[TN_LANES],
                   double (*force)[3])
{
    for (int c = begin * TN_LANES; c < end * TN_LANES; c++) {
        int i = c / TN_LANES, l = c % TN_LANES;
        Trial t = try_contact(&batches[i], &yields[i], l, soft, soft->centre[c], u[c]);
        double normal = fmax(0.0, t.tn), most = bound ? bound[i][l] : batches[i].mu[l] * normal;
        double share = t.length > most ? most / t.length : 1.0;
        for (int k = 0; k < 3; k++) force[c][k] = normal * t.n[k] + share * t.tt[k];
    }
}

static void linear(int begin, int end, const double (*a)[3], const double (*G)[9][TN_LANES],
                   const double (*u)[3], double (*out)[3])
{
    for (int c = begin * TN_LANES; c < end * TN_LANES; c++) {
        const double(*g)[TN_LANES] = G[c / TN_LANES];
        int l = c % TN_LANES;
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = g[3 * k][l] * u[c][0] + g[3 * k + 1][l] * u[c][1] + g[3 * k + 2][l] * u[c][2];
        for (int k = 0; k < 3; k++) out[c][k] = a[c][k] - x[k];
    }
}

/* ---- blocks ---- */

/* X = (I, -[r]×): the velocity of a point by the twist of its row */
static void point_matrix(const double r[3], double sign, double X[3][6])
{
    memset(X, 0, sizeof(double[3][6]));
    for (int k = 0; k < 3; k++) X[k][k] = sign;
    X[0][4] = sign * r[2];
    X[0][5] = -sign * r[1];
    X[1][3] = -sign * r[2];
    X[1][5] = sign * r[0];
    X[2][3] = sign * r[1];
    X[2][4] = -sign * r[0];
}

static void pair_blocks(const TnContactBatch *batches, const double (*G)[9][TN_LANES], int begin,
                        int end, double *blocks[2][2])
{
    for (int c = begin; c < end; c++) {
        const TnContactBatch *batch = &batches[c / TN_LANES];
        int l = c % TN_LANES;
        double arm[2][3], X[2][3][6], GX[3][6];
        take(batch->arm_a, l, arm[0]);
        take(batch->arm_b, l, arm[1]);
        for (int side = 0; side < 2; side++) point_matrix(arm[side], side ? 1.0 : -1.0, X[side]);
        for (int right = 0; right < 2; right++) {
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 6; j++) {
                    GX[i][j] = 0.0;
                    for (int k = 0; k < 3; k++)
                        GX[i][j] += G[c / TN_LANES][3 * i + k][l] * X[right][k][j];
                }
            for (int left = 0; left < 2; left++)
                for (int i = 0; blocks[left][right] && i < 6; i++)
                    for (int j = 0; j < 6; j++)
                        for (int k = 0; k < 3; k++)
                            blocks[left][right][6 * i + j] += X[left][k][i] * GX[k][j];
        }
    }
}

static void obey(const TnSweepBatch *c, int l, const double u[3], double f[3])
{
    const double W[3][3] = {{c->own[0][l], c->own[1][l], c->own[2][l]},
                            {c->own[1][l], c->own[3][l], c->own[4][l]},
                            {c->own[2][l], c->own[4][l], c->own[5][l]}};
    const double V[3][3] = {{c->inverse[0][l], c->inverse[1][l], c->inverse[2][l]},
                            {c->inverse[1][l], c->inverse[3][l], c->inverse[4][l]},
                            {c->inverse[2][l], c->inverse[4][l], c->inverse[5][l]}};
    double r[3], s[3], mu = c->mu[l];
    for (int k = 0; k < 3; k++) r[k] = u[k] - v3_dot(W[k], f);
    for (int k = 0; k < 3; k++) s[k] = -v3_dot(V[k], r);
    if (!(r[0] < 0.0)) {
        v3_zero(f);
        return;
    }
    if (s[0] > 0.0 && s[1] * s[1] + s[2] * s[2] < mu * s[0] * (mu * s[0])) {
        v3_copy(f, s);
        return;
    }
    double n = fmax(0.0, -(r[0] + W[0][1] * f[1] + W[0][2] * f[2]) * c->step[0][l]);
    double x = f[1] - (r[1] + W[1][0] * n + W[1][1] * f[1] + W[1][2] * f[2]) * c->step[1][l];
    double y = f[2] - (r[2] + W[2][0] * n + W[2][1] * f[1] + W[2][2] * f[2]) * c->step[1][l];
    double length = sqrt(x * x + y * y), share = length > mu * n ? mu * n / length : 1.0;
    v3_set(f, n, share * x, share * y);
}

static void sweep(const TnSweepBatch *batches, int count, double *force, double (*x)[8])
{
    for (int i = 0; i < count * TN_LANES; i++) {
        const TnSweepBatch *c = &batches[i / TN_LANES];
        int l = i % TN_LANES;
        double *f = force + 3L * i, u[3], d[3];
        for (int k = 0; k < 3; k++) {
            u[k] = c->q[k][l];
            for (int side = 0; side < 2; side++)
                for (int j = 0; j < 6; j++)
                    u[k] += c->Y[side][k][j][l] * x[c->row[side][l]][j < 3 ? j : j + 1];
        }
        v3_copy(d, f);
        obey(c, l, u, f);
        v3_sub(d, f, d);
        for (int side = 0; side < 2; side++)
            for (int j = 0; j < 6; j++)
                for (int k = 0; k < 3; k++)
                    x[c->row[side][l]][j < 3 ? j : j + 1] += c->Y[side][k][j][l] * d[k];
    }
}

const TnContactKernels *tn_contact_kernels_scalar(void)
{
    static const TnContactKernels kernels = {"scalar", yields, velocities,  natural_map, lines,
                                             forces,   linear, pair_blocks, sweep};
    return &kernels;
}
