/* contact_lanes.h: the kernels of contact_kernels.h with W lanes at a time. Included once per
 * instruction set, after its vocabulary (as kernels_lanes.h, and v_if_positive, v_any_positive,
 * v_column). */

#include <stddef.h>

#include "../contact_kernels.h"

#define AT(FIELD) (*(const vd *)((FIELD) + h))
#define TO(FIELD) (*(vd *)((FIELD) + h))

static inline vd v_dot(const vd a[3], const vd b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* rᵀ S⁻¹ r */
static inline vd v_quadratic(const vd inverse[7], const vd r[3])
{
    return r[0] * (inverse[1] * r[0] + 2.0 * (inverse[2] * r[1] + inverse[3] * r[2])) +
           r[1] * (inverse[4] * r[1] + 2.0 * inverse[5] * r[2]) + inverse[6] * r[2] * r[2];
}

/* Of I/a + [r]× S⁻¹ [r]×ᵀ: along n, the mean across, and the size of the terms. */
static inline void v_add_yield(const int32_t *rows, int twist_count, const double (*inverse)[8],
                               const double (*arm)[TN_LANES], const vd n[3], int h, vd D[2],
                               vd *size)
{
    static const double nothing[8] = {0};
    const double *from[W];
    vd r[3], m[3], z[7];
    for (int l = 0; l < W; l++) {
        int row = rows[h + l];
        from[l] = row > 0 && row <= twist_count ? inverse[row - 1] : nothing;
    }
    for (int k = 0; k < 7; k++) z[k] = v_column(from, k);
    for (int k = 0; k < 3; k++) r[k] = AT(arm[k]);
    m[0] = r[1] * n[2] - r[2] * n[1];
    m[1] = r[2] * n[0] - r[0] * n[2];
    m[2] = r[0] * n[1] - r[1] * n[0];
    vd all = v_dot(r, r) * (z[1] + z[4] + z[6]), spin = v_quadratic(z, m);
    D[0] += z[0] + spin;
    D[1] += z[0] + 0.5 * (all - v_quadratic(z, r) - spin);
    *size += z[0] + all;
}

static void yields(const TnContactBatch *batches, int begin, int end, int twist_count,
                   const double (*inverse)[8], double dead, double rounding, TnContactYield *out)
{
    const vd zero = {0};
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnContactBatch *c = &batches[i];
            vd n[3], D[2] = {zero, zero}, size = zero;
            for (int k = 0; k < 3; k++) n[k] = AT(c->normal[k]);
            v_add_yield(c->row_a, twist_count, inverse, c->arm_a, n, h, D, &size);
            v_add_yield(c->row_b, twist_count, inverse, c->arm_b, n, h, D, &size);
            vd least = v_max(dead * (D[0] + D[1]), rounding * size);
            for (int k = 0; k < 2; k++) {
                TO(out[i].D[k]) = v_if_positive(D[k] - least, D[k], zero);
                TO(out[i].inverse[k]) = v_if_positive(D[k] - least, 1.0 / D[k], zero);
            }
        }
}

static inline void v_point(vd out[3], const double (*twist)[8], const int32_t *rows,
                           const double (*arm)[TN_LANES], int h)
{
    vd row[6], r[3];
    v_gather_rows(row, twist, rows + h);
    for (int k = 0; k < 3; k++) r[k] = AT(arm[k]);
    out[0] = row[0] + row[4] * r[2] - row[5] * r[1];
    out[1] = row[1] + row[5] * r[0] - row[3] * r[2];
    out[2] = row[2] + row[3] * r[1] - row[4] * r[0];
}

static void velocities(const TnContactBatch *batches, int begin, int end, const double (*twist)[8],
                       bool with_e, double (*u)[3])
{
    for (int i = begin; i < end; i++) {
        const TnContactBatch *c = &batches[i];
        for (int h = 0; h < TN_LANES; h += W) {
            vd a[3], b[3];
            v_point(a, twist, c->row_a, c->arm_a, h);
            v_point(b, twist, c->row_b, c->arm_b, h);
            for (int k = 0; k < 3; k++) b[k] -= a[k];
            if (with_e)
                for (int k = 0; k < 3; k++) b[k] += AT(c->e[k]);
            v_store3(u[(long)i * TN_LANES + h], b);
        }
    }
}

static void natural_map(const TnContactBatch *batches, const TnContactYield *yields, int begin,
                        int end, const double (*u)[3], const double (*lambda)[3],
                        double (*squared)[TN_LANES])
{
    const vd zero = {0}, one = zero + 1.0;
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnContactBatch *c = &batches[i];
            const TnContactYield *y = &yields[i];
            vd n[3], v[3], l[3], t[3];
            v_load3(v, u[(long)i * TN_LANES + h]);
            v_load3(l, lambda[(long)i * TN_LANES + h]);
            for (int k = 0; k < 3; k++) n[k] = AT(c->normal[k]);
            vd un = v_dot(n, v), ln = v_dot(n, l), Dn = AT(y->D[0]), Dt = AT(y->D[1]);
            vd tn = v_if_positive(Dn, v_max(ln - AT(y->inverse[0]) * un, zero), zero);
            vd normal = Dn * (ln - tn), sum = normal * normal;
            for (int k = 0; k < 3; k++) {
                l[k] -= ln * n[k];
                t[k] = l[k] - AT(y->inverse[1]) * (v[k] - un * n[k]);
            }
            vd length = v_sqrt(v_dot(t, t)), bound = AT(c->mu) * tn;
            vd share = v_if_positive(length - bound, bound / length, one);
            for (int k = 0; k < 3; k++) {
                vd r = Dt * (l[k] - share * t[k]);
                sum += r * r;
            }
            TO(squared[i]) = sum;
        }
}

typedef struct VTrial {
    vd n[3], centre[3];
    vd ln;        /* λ_c along n */
    vd tn, tt[3]; /* t */
    vd length;    /* |t_t| */
} VTrial;

static inline void v_try(const TnContactBatch *c, const TnContactYield *y, int h, double reach,
                         const double *centre, const double *u, VTrial *t)
{
    const vd zero = {0};
    vd v[3], gn = AT(y->inverse[0]), gt = AT(y->inverse[1]);
    v_load3(v, u);
    v_load3(t->centre, centre);
    for (int k = 0; k < 3; k++) t->n[k] = AT(c->normal[k]);
    vd un = v_dot(t->n, v);
    t->ln = v_dot(t->n, t->centre);
    t->tn = v_if_positive(gn, t->ln - reach * gn * un, zero);
    for (int k = 0; k < 3; k++) {
        vd move = reach * gt * (v[k] - un * t->n[k]);
        t->tt[k] = v_if_positive(gt, t->centre[k] - t->ln * t->n[k] - move, zero);
    }
    t->length = v_sqrt(v_dot(t->tt, t->tt));
}

/* All of them have the form  G = along p nᵀ + across c cᵀ + all I,  a = l p + keep c + hold (λ_c -
 * ln n), force = t_n p + friction t_t: held with p = n, slipping with p = n + μ d, open all
 * zero. */
static int lines(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                 const TnSoftening *soft, const double (*u)[3], const TnContactLines *out)
{
    const vd zero = {0}, one = zero + 1.0, two = zero + 2.0;
    vd moved = zero, turned = zero;
    bool own = soft->reach == soft->R;
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnContactBatch *c = &batches[i];
            const TnContactYield *y = &yields[i];
            long first = (long)i * TN_LANES + h;
            VTrial t;
            v_try(c, y, h, soft->reach, soft->centre[first], u[first], &t);
            vd mu = AT(c->mu), gn = soft->R * AT(y->inverse[0]), gt = soft->R * AT(y->inverse[1]);
            vd normal = v_max(t.tn, zero), bound = mu * normal;
            /* 1 or 0 */
            vd closed = v_if_positive(t.tn, one, zero);
            vd within = v_if_positive(t.length - bound, zero, closed);
            vd held = v_if_positive(mu, within, zero), slips = closed - held;
            vd ways = v_if_positive(mu, v_if_positive(t.length, slips, zero), zero);
            vd state = held + two * slips;
            moved +=
                v_if_positive((state - AT(out->state[i])) * (state - AT(out->state[i])), one, zero);
            turned += ways;

            vd p[3], across[3] = {zero, zero, zero}, keep = zero, share = zero;
            vd along = slips * gn + held * (gn - gt), all = held * gt;
            vd hold = v_if_positive(gt, held, zero), l = closed * t.ln;
            for (int k = 0; k < 3; k++) p[k] = t.n[k];
            if (v_any_positive(ways)) {
                vd inverse = v_if_positive(ways, one / t.length, zero), d[3];
                for (int k = 0; k < 3; k++) {
                    d[k] = inverse * t.tt[k];
                    p[k] += mu * d[k];
                }
                across[0] = t.n[1] * d[2] - t.n[2] * d[1];
                across[1] = t.n[2] * d[0] - t.n[0] * d[2];
                across[2] = t.n[0] * d[1] - t.n[1] * d[0];
                share = bound * inverse;
                if (own)
                    keep = share * v_dot(across, t.centre);
                else
                    share = share / (soft->R * (one - share) + one);
            }
            vd a[3], force[3];
            for (int k = 0; k < 3; k++) {
                a[k] = l * p[k] + keep * across[k] + hold * (t.centre[k] - t.ln * t.n[k]);
                force[k] = normal * p[k] + held * t.tt[k];
                vd pk = along * p[k], ck = share * gt * across[k];
                for (int j = 0; j < 3; j++)
                    TO(out->G[i][3 * k + j]) = pk * t.n[j] + ck * across[j] + (j == k ? all : zero);
            }
            v_store3(out->a[first], a);
            v_store3(out->force[first], force);
            TO(out->state[i]) = state;
            TO(out->bound[i]) = bound;
        }
    return (v_any_positive(moved + turned) ? TN_LINES_MOVED : 0) |
           (v_any_positive(turned) ? TN_LINES_TURN : 0);
}

static void forces(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                   const TnSoftening *soft, const double (*u)[3], const double (*bound)[TN_LANES],
                   double (*force)[3])
{
    const vd zero = {0}, one = zero + 1.0;
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            long first = (long)i * TN_LANES + h;
            VTrial t;
            v_try(&batches[i], &yields[i], h, soft->reach, soft->centre[first], u[first], &t);
            vd normal = v_max(t.tn, zero), f[3];
            vd most = AT(batches[i].mu) * normal;
            if (bound) most = AT(bound[i]);
            vd share = v_if_positive(t.length - most, most / t.length, one);
            for (int k = 0; k < 3; k++) f[k] = normal * t.n[k] + share * t.tt[k];
            v_store3(force[first], f);
        }
}

static void linear(int begin, int end, const double (*a)[3], const double (*G)[9][TN_LANES],
                   const double (*u)[3], double (*out)[3])
{
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const double(*g)[TN_LANES] = G[i];
            long first = (long)i * TN_LANES + h;
            vd x[3], y[3];
            v_load3(x, u[first]);
            v_load3(y, a[first]);
            for (int k = 0; k < 3; k++)
                y[k] -= AT(g[3 * k]) * x[0] + AT(g[3 * k + 1]) * x[1] + AT(g[3 * k + 2]) * x[2];
            v_store3(out[first], y);
        }
}

/* ---- blocks, a contact at a time: rows of 3 × 3 matrices in four lanes, the last one whatever
 * ---- */

typedef double v2 __attribute__((vector_size(16), may_alias, aligned(8)));
typedef double v4 __attribute__((vector_size(32), may_alias));
typedef double v4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long long v4i __attribute__((vector_size(32)));

static inline v4 turn(v4 a) { return SHUFFLE(v4i, a, a, 1, 2, 0, 3); }
static inline v4 lane3(const double (*field)[TN_LANES], int l)
{
    return (v4){field[0][l], field[1][l], field[2][l], field[2][l]};
}

/* B = -G[r]×, whose rows are r × g; M += B */
static inline void right_arm(const v4 G[3], v4 r, v4 B[3], v4 M[3])
{
    v4 r_turned = turn(r);
    for (int i = 0; i < 3; i++) {
        B[i] = turn(r * turn(G[i]) - r_turned * G[i]);
        M[i] += B[i];
    }
}

/* M += [r]×B */
static inline void left_arm(v4 r, const v4 B[3], v4 M[3])
{
    M[0] += r[1] * B[2] - r[2] * B[1];
    M[1] += r[2] * B[0] - r[0] * B[2];
    M[2] += r[0] * B[1] - r[1] * B[0];
}

/* Three rows of a 6 × 6 block. */
static inline void add_rows(double *M, double sign, const v4 left[3], const v4 right[3])
{
    for (int i = 0; i < 3; i++, M += 6) {
        *(v4_unaligned *)M += sign * SHUFFLE(v4i, left[i], right[i], 0, 1, 2, 4);
        *(v2 *)(M + 4) += sign * (v2){right[i][1], right[i][2]};
    }
}

/* Sums of G, -G[r]×, [s]×G and -[s]×G[r]× for rows' arm s and columns' arm r. */
static inline void add_six(double *M, double sign, const v4 G[3], const v4 Gr[3], const v4 sG[3],
                           const v4 sGr[3])
{
    add_rows(M, sign, G, Gr);
    add_rows(M + 18, sign, sG, sGr);
}

static inline __attribute__((always_inline)) void
pair_sums(const TnContactBatch *batches, const double (*gains)[9][TN_LANES], int begin, int end,
          double *blocks[2][2], bool on_a, bool on_b, bool ab, bool ba)
{
    v4 sum[3] = {{0}}, Ga[3] = {{0}}, aG[3] = {{0}}, aGa[3] = {{0}};
    v4 Gb[3] = {{0}}, bG[3] = {{0}}, bGb[3] = {{0}}, aGb[3] = {{0}}, bGa[3] = {{0}};
    for (int c = begin; c < end; c++) {
        const TnContactBatch *batch = &batches[c / TN_LANES];
        const double(*g)[TN_LANES] = gains[c / TN_LANES];
        int l = c % TN_LANES;
        v4 G[3] = {lane3(g, l), lane3(g + 3, l), lane3(g + 6, l)}, Ra[3], Rb[3];
        for (int i = 0; i < 3; i++) sum[i] += G[i];
        if (on_a) {
            v4 a = lane3(batch->arm_a, l);
            right_arm(G, a, Ra, Ga);
            left_arm(a, G, aG);
            left_arm(a, Ra, aGa);
        }
        if (on_b) {
            v4 b = lane3(batch->arm_b, l);
            right_arm(G, b, Rb, Gb);
            left_arm(b, G, bG);
            left_arm(b, Rb, bGb);
        }
        if (ab) left_arm(lane3(batch->arm_a, l), Rb, aGb);
        if (ba) left_arm(lane3(batch->arm_b, l), Ra, bGa);
    }
    if (on_a) add_six(blocks[0][0], 1.0, sum, Ga, aG, aGa);
    if (on_b) add_six(blocks[1][1], 1.0, sum, Gb, bG, bGb);
    if (ab) add_six(blocks[0][1], -1.0, sum, Gb, aG, aGb);
    if (ba) add_six(blocks[1][0], -1.0, sum, Ga, bG, bGa);
}

static void pair_blocks(const TnContactBatch *batches, const double (*G)[9][TN_LANES], int begin,
                        int end, double *blocks[2][2])
{
    bool a = blocks[0][0], b = blocks[1][1], ab = blocks[0][1], ba = blocks[1][0];
    if (a && b && ab && !ba)
        pair_sums(batches, G, begin, end, blocks, true, true, true, false);
    else if (a && b && ba && !ab)
        pair_sums(batches, G, begin, end, blocks, true, true, false, true);
    else if (a && b && ab && ba)
        pair_sums(batches, G, begin, end, blocks, true, true, true, true);
    else {
        if (a) pair_sums(batches, G, begin, end, blocks, true, false, false, false);
        if (b) pair_sums(batches, G, begin, end, blocks, false, true, false, false);
    }
}

/* The law of pgs_laws.c: open, sticks or slips. */
static inline void v_obey(const TnSweepBatch *c, int h, const vd u[3], vd f[3])
{
    const vd zero = {0}, one = zero + 1.0, tiny = zero + 1e-300;
    vd w[6], v[6], r[3], s[3];
    for (int k = 0; k < 6; k++) {
        w[k] = AT(c->own[k]);
        v[k] = AT(c->inverse[k]);
    }
    r[0] = u[0] - (w[0] * f[0] + w[1] * f[1] + w[2] * f[2]);
    r[1] = u[1] - (w[1] * f[0] + w[3] * f[1] + w[4] * f[2]);
    r[2] = u[2] - (w[2] * f[0] + w[4] * f[1] + w[5] * f[2]);
    s[0] = -(v[0] * r[0] + v[1] * r[1] + v[2] * r[2]);
    s[1] = -(v[1] * r[0] + v[3] * r[1] + v[4] * r[2]);
    s[2] = -(v[2] * r[0] + v[4] * r[1] + v[5] * r[2]);
    vd mu = AT(c->mu), held = mu * v_max(s[0], zero);
    vd sticks = v_if_positive(s[0], held * held - s[1] * s[1] - s[2] * s[2], zero);
    vd n = v_max(-(r[0] + w[1] * f[1] + w[2] * f[2]) * AT(c->step[0]), zero);
    vd x = f[1] - (r[1] + w[1] * n + w[3] * f[1] + w[4] * f[2]) * AT(c->step[1]);
    vd y = f[2] - (r[2] + w[2] * n + w[4] * f[1] + w[5] * f[2]) * AT(c->step[1]);
    vd length = v_max(v_sqrt(x * x + y * y), tiny), share = v_min(mu * n / length, one);
    const vd slips[3] = {n, share * x, share * y};
    for (int k = 0; k < 3; k++)
        f[k] = v_if_positive(-r[0], v_if_positive(sticks, s[k], slips[k]), zero);
}

static void sweep(const TnSweepBatch *batches, int count, double *force, double (*x)[8])
{
    for (int i = 0; i < count; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnSweepBatch *c = &batches[i];
            double *at = force + 3L * (TN_LANES * (long)i + h);
            vd u[3], f[3], d[3], v[2][6];
            v_load3(f, at);
            for (int side = 0; side < 2; side++)
                v_gather_rows(v[side], (const double(*)[8])x, c->row[side] + h);
            for (int k = 0; k < 3; k++) {
                u[k] = AT(c->q[k]);
                for (int side = 0; side < 2; side++)
                    for (int j = 0; j < 6; j++) u[k] += AT(c->Y[side][k][j]) * v[side][j];
                d[k] = f[k];
            }
            v_obey(c, h, u, f);
            for (int k = 0; k < 3; k++) d[k] = f[k] - d[k];
            v_store3(at, f);
            for (int side = 0; side < 2; side++) {
                _Alignas(64) double rows[W][8];
                for (int j = 0; j < 6; j++)
                    for (int k = 0; k < 3; k++) v[side][j] += AT(c->Y[side][k][j]) * d[k];
                v_scatter_rows(rows, v[side]);
                for (int l = 0; l < W; l++)
                    for (int j = 0; j < 8; j += W)
                        *(vd *)(x[c->row[side][h + l]] + j) = *(const vd *)(rows[l] + j);
            }
        }
}

#define CONTACT_TABLE(NAME)                                                                        \
    {                                                                                              \
        NAME, yields, velocities, natural_map, lines, forces, linear, pair_blocks, sweep           \
    }
