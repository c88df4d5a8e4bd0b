/* kernels_lanes.h: the kernels of kernels.h with W lanes at a time. Included once per instruction
 * set, after its vocabulary (W, vd, v_sqrt, v_max, v_min, v_sum, v_if_positive, v_gather_rows,
 * v_scatter_rows, v_gather3, v_integers, v_load3, v_store3). */

#include <stddef.h>

#include "../kernels.h"

#define AT(FIELD) (*(vd *)((FIELD) + h))

static inline void v_cross_add(vd r[3], const vd a[3], const vd b[3], const vd c[3])
{
    r[0] = c[0] + a[1] * b[2] - a[2] * b[1];
    r[1] = c[1] + a[2] * b[0] - a[0] * b[2];
    r[2] = c[2] + a[0] * b[1] - a[1] * b[0];
}

static void contact_update(TnContactBatch *batches, const TnContactGive *give, int begin, int end,
                           const double (*twist)[8], double (*lambda)[3], double alpha,
                           double *residual)
{
    const vd zero = {0}, one = zero + 1.0, tiny = zero + 1e-300, small = zero + 1e-100;
    for (int i = begin; i < end; i++) {
        TnContactBatch *c = &batches[i];
        double sum = 0.0;
        for (int h = 0; h < TN_LANES; h += W) {
            vd row[6], arm[3], pa[3], pb[3], n[3], u[3], d[3], t[3], l[3];
            double *lambda_here = lambda[(long)i * TN_LANES + h];
            for (int k = 0; k < 3; k++) arm[k] = AT(c->arm_a[k]);
            v_gather_rows(row, twist, c->row_a + h);
            v_cross_add(pa, row + 3, arm, row);
            for (int k = 0; k < 3; k++) arm[k] = AT(c->arm_b[k]);
            v_gather_rows(row, twist, c->row_b + h);
            v_cross_add(pb, row + 3, arm, row);
            for (int k = 0; k < 3; k++) {
                n[k] = AT(c->normal[k]);
                u[k] = pb[k] - pa[k] + AT(c->e[k]);
            }
            vd Bn = AT(c->Bn), Bt = AT(c->Bt);
            v_load3(l, lambda_here);
            if (give) {
                vd share = AT(give[i].share[1]);
                vd ln = (AT(give[i].share[0]) - share) * (n[0] * l[0] + n[1] * l[1] + n[2] * l[2]);
                for (int k = 0; k < 3; k++) {
                    u[k] += AT(give[i].e[k]);
                    l[k] = share * l[k] + ln * n[k];
                }
            }
            vd un = (Bn - Bt) * (n[0] * u[0] + n[1] * u[1] + n[2] * u[2]);
            for (int k = 0; k < 3; k++) {
                t[k] = AT(c->t[k]);
                d[k] = l[k] - (Bt * u[k] + un * n[k]) - t[k];
            }
            if (residual) {
                vd dn = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
                vd dt2 = v_max(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - dn * dn, zero);
                /* unused lanes have d = 0 and B = 0 */
                vd wn = 1.0 / v_max(Bn, small), wt = 1.0 / v_max(Bt, small);
                sum += v_sum(dn * dn * wn * wn + dt2 * wt * wt);
            }
            for (int k = 0; k < 3; k++) t[k] += alpha * d[k];
            vd tn = n[0] * t[0] + n[1] * t[1] + n[2] * t[2], mu = AT(c->mu), tt[3];
            for (int k = 0; k < 3; k++) tt[k] = t[k] - tn * n[k];
            vd length = v_max(v_sqrt(tt[0] * tt[0] + tt[1] * tt[1] + tt[2] * tt[2]), tiny);
            vd ln = v_max(tn, zero);
            vd scale = v_min(mu * ln / length, one);
            for (int k = 0; k < 3; k++) {
                l[k] = ln * n[k] + scale * tt[k];
                AT(c->t[k]) = t[k];
            }
            v_store3(lambda_here, l);
        }
        if (residual) residual[i] = sum;
    }
}

static void contact_take(const TnContactBatch *batches, int begin, int end, const double *root,
                         double *now, double *x)
{
    for (int i = begin; i < end; i++, root += 3 * TN_LANES, now += 3 * TN_LANES, x += 3 * TN_LANES)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnContactBatch *c = &batches[i];
            vd n[3], r[3], across = AT(root), along = AT(root + TN_LANES);
            for (int k = 0; k < 3; k++) {
                vd t = AT(c->t[k]);
                n[k] = AT(c->normal[k]);
                r[k] = t - AT(x + TN_LANES * k);
                AT(now + TN_LANES * k) = t;
            }
            along *= n[0] * r[0] + n[1] * r[1] + n[2] * r[2];
            for (int k = 0; k < 3; k++) AT(x + TN_LANES * k) = across * r[k] + along * n[k];
        }
}

static inline void tell(const TnContactBatch *c, int h, const vd n[3], const vd t[3], const vd l[3],
                        double *z_here)
{
    vd e[3], z[3], Bt = AT(c->Bt);
    for (int k = 0; k < 3; k++) e[k] = AT(c->e[k]);
    vd en = (AT(c->Bn) - Bt) * (n[0] * e[0] + n[1] * e[1] + n[2] * e[2]);
    for (int k = 0; k < 3; k++) z[k] = 2.0 * l[k] - t[k] - Bt * e[k] - en * n[k];
    v_store3(z_here, z);
}

static void contact_tell(const TnContactBatch *batches, int begin, int end,
                         const double (*lambda)[3], double (*z)[3])
{
    for (int i = begin; i < end; i++)
        for (int h = 0; h < TN_LANES; h += W) {
            const TnContactBatch *c = &batches[i];
            vd n[3], t[3], l[3];
            for (int k = 0; k < 3; k++) {
                n[k] = AT(c->normal[k]);
                t[k] = AT(c->t[k]);
            }
            v_load3(l, lambda[(long)i * TN_LANES + h]);
            tell(c, h, n, t, l, z[(long)i * TN_LANES + h]);
        }
}

static void contact_put(TnContactBatch *batches, int begin, int end, const double *x,
                        double (*lambda)[3], double (*z)[3])
{
    const vd zero = {0}, one = zero + 1.0, tiny = zero + 1e-300;
    for (int i = begin; i < end; i++, x += 3 * TN_LANES)
        for (int h = 0; h < TN_LANES; h += W) {
            TnContactBatch *c = &batches[i];
            vd n[3], t[3], tt[3], l[3];
            for (int k = 0; k < 3; k++) {
                n[k] = AT(c->normal[k]);
                AT(c->t[k]) = t[k] = AT(x + TN_LANES * k);
            }
            vd tn = n[0] * t[0] + n[1] * t[1] + n[2] * t[2], ln = v_max(tn, zero);
            for (int k = 0; k < 3; k++) tt[k] = t[k] - tn * n[k];
            vd length = v_max(v_sqrt(tt[0] * tt[0] + tt[1] * tt[1] + tt[2] * tt[2]), tiny);
            vd scale = v_min(AT(c->mu) * ln / length, one);
            for (int k = 0; k < 3; k++) l[k] = ln * n[k] + scale * tt[k];
            v_store3(lambda[(long)i * TN_LANES + h], l);
            if (z) tell(c, h, n, t, l, z[(long)i * TN_LANES + h]);
        }
}

/* One side's wrench in four lanes: force in f; the torque arm × λ as its cyclic permutation, put
 * right once at the end. */
typedef double v4 __attribute__((vector_size(32), may_alias));
/* Three numbers and whatever follows them: the fourth lane is never looked at. */
typedef double v4_unaligned __attribute__((vector_size(32), may_alias, aligned(8)));
static inline v4 load4(const double *p) { return *(const v4_unaligned *)p; }
typedef long long v4i __attribute__((vector_size(32)));
static inline v4 turn(v4 a) { return SHUFFLE(v4i, a, a, 1, 2, 0, 3); }

/* One loop over both kinds of sides: two short ones of unknown length would cost more in
 * mispredicted ends. */
static inline void row_force(double F[8], int row, const TnSides *sides, const double (*lambda)[3])
{
    static const double signs[2] = {-1.0, 1.0};
    v4 force = {0}, moment = {0};
    int mid = sides->mid[row], end = sides->start[row + 1];
    for (int s = sides->start[row]; s < end; s++) {
        v4 l = load4(lambda[sides->contact[s]]) * signs[s < mid], r = load4(sides->arm[s]);
        force += l;
        moment += r * turn(l) - turn(r) * l;
    }
    *(v4 *)F = force;
    *(v4 *)(F + 4) = turn(moment);
}

static void row_forces(const TnSides *sides, int begin, int end, const double (*lambda)[3],
                       double (*F)[8])
{
    for (int row = begin; row < end; row++) row_force(F[row], row, sides, lambda);
}

/* K = Σ βt JᵀJ + (βn - βt) j jᵀ with J = [I, -[r]×] and j = Jᵀn = (n, r × n). */
static void row_stiffness(const TnSides *sides, int begin, int end, const double (*normals)[4],
                          const double (*beta)[4], double (*K)[TN_SYM6])
{
    for (int row = begin; row < end; row++) {
        v4 ll[3] = {{0}}, lw[3] = {{0}}, ww[3] = {{0}}, rr[3] = {{0}}, first = {0};
        double total = 0.0;
        int mid = sides->mid[row];
        for (int s = sides->start[row]; s < sides->start[row + 1]; s++) {
            int c = sides->contact[s];
            const double *weight = beta[c] + (s < mid ? 2 : 0);
            double bt = weight[1], delta = weight[0] - weight[1];
            v4 n = *(const v4 *)normals[c], r = load4(sides->arm[s]);
            v4 m = turn(r * turn(n) - turn(r) * n), dn = n * delta, dm = m * delta, br = r * bt;
            for (int i = 0; i < 3; i++) {
                ll[i] += dn[i] * n;
                lw[i] += dn[i] * m;
                ww[i] += dm[i] * m;
                rr[i] += br[i] * r;
            }
            first += br;
            total += bt;
        }
        double *k = K[row], trace = rr[0][0] + rr[1][1] + rr[2][2];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++) {
                k[tn_sym6(i, j)] = ll[i][j] + (i == j ? total : 0.0);
                k[tn_sym6(3 + i, 3 + j)] = ww[i][j] - rr[i][j] + (i == j ? trace : 0.0);
            }
        /* upper right block: -[r]× summed */
        double cross[3][3] = {
            {0, first[2], -first[1]}, {-first[2], 0, first[0]}, {first[1], -first[0], 0}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) k[tn_sym6(i, 3 + j)] = lw[i][j] + cross[i][j];
    }
}

/* F of W rows of a batch. Each sums its sides in their order, as row_force does. */
static inline void column_forces(vd F[6], const TnSideColumns *columns, int batch, int h,
                                 const double (*lambda)[3])
{
    const vi zero = {0}, minus = zero + (long long)(1ULL << 63);
    vi as_b = v_integers(columns->counts[batch][0] + h),
       all = v_integers(columns->counts[batch][1] + h);
    int first = columns->start[batch], end = columns->start[batch + 1];
    vd moment[3] = {{0}}; /* turned, as in row_force */
    for (int k = 0; k < 6; k++) F[k] = (vd)zero;
    for (int j = first; j < end; j++) {
        vd l[3], r[3];
        vi place = zero + (j - first), keep = place < all, sign = minus & ~(place < as_b);
        v_gather3(l, lambda, columns->contact[j] + h);
        for (int k = 0; k < 3; k++) {
            l[k] = (vd)(((vi)l[k] ^ sign) & keep);
            r[k] = AT(columns->arm[j][k]);
            F[k] += l[k];
        }
        for (int k = 0; k < 3; k++) moment[k] += r[k] * l[(k + 1) % 3] - r[(k + 1) % 3] * l[k];
    }
    for (int k = 0; k < 3; k++) F[3 + k] = moment[(k + 1) % 3];
}

static void twist_update(TnTwistBatch *batches, int begin, int end, const TnSides *sides,
                         const TnSideColumns *columns, const double (*lambda)[3],
                         const double (*extra)[8], double (*twist)[8], double alpha)
{
    static const int32_t consecutive[TN_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int i = begin; i < end; i++) {
        TnTwistBatch *block = &batches[i];
        int first = i * TN_LANES + 1;
        _Alignas(64) double wrench[TN_LANES][8];
        for (int l = 0; !columns && l < TN_LANES; l++)
            row_force(wrench[l], first + l, sides, lambda);
        for (int h = 0; h < TN_LANES; h += W) {
            vd F[6], x[6], v[6], Av[6];
            if (columns)
                column_forces(F, columns, i, h, lambda);
            else
                v_gather_rows(F, (const double(*)[8])(wrench + h), consecutive);
            if (extra) {
                vd more[6];
                v_gather_rows(more, extra + first + h, consecutive);
                for (int k = 0; k < 6; k++) F[k] += more[k];
            }
            for (int k = 0; k < 6; k++) x[k] = AT(block->b[k]) + AT(block->g[k]) + 2.0 * F[k];
            for (int r = 0; r < 6; r++) v[r] = AT(block->Hinv[tn_sym6(r, r)]) * x[r];
#pragma GCC unroll 6
            for (int r = 0; r < 6; r++)
#pragma GCC unroll 6
                for (int s = r + 1; s < 6; s++) {
                    vd entry = AT(block->Hinv[tn_sym6(r, s)]);
                    v[r] += entry * x[s];
                    v[s] += entry * x[r];
                }
            for (int k = 0; k < 3; k++) Av[k] = AT(block->a) * v[k];
            vd S[6];
            for (int k = 0; k < 6; k++) S[k] = AT(block->S[k]);
            Av[3] = S[0] * v[3] + S[1] * v[4] + S[2] * v[5];
            Av[4] = S[1] * v[3] + S[3] * v[4] + S[4] * v[5];
            Av[5] = S[2] * v[3] + S[4] * v[4] + S[5] * v[5];
            for (int k = 0; k < 6; k++) AT(block->g[k]) += alpha * (AT(block->b[k]) + F[k] - Av[k]);
            v_scatter_rows(twist + first + h, v);
        }
    }
}

static inline void v_invert3(vd out[6], const vd m[6]) /* symmetric: xx xy xz yy yz zz */
{
    vd c0 = m[3] * m[5] - m[4] * m[4], c1 = m[2] * m[4] - m[1] * m[5];
    vd c2 = m[1] * m[4] - m[2] * m[3], d = 1.0 / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    out[0] = c0 * d;
    out[1] = c1 * d;
    out[2] = c2 * d;
    out[3] = (m[0] * m[5] - m[2] * m[2]) * d;
    out[4] = (m[1] * m[2] - m[0] * m[4]) * d;
    out[5] = (m[0] * m[3] - m[1] * m[1]) * d;
}

/* [P Q; Qᵀ R]⁻¹ by the Schur complement T = R - Qᵀ P⁻¹ Q. */
static void twist_factor(TnTwistBatch *batches, int begin, int end)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int n = begin; n < end; n++) {
        TnTwistBatch *block = &batches[n];
        for (int h = 0; h < TN_LANES; h += W) {
            vd P[6], R[6], Q[3][3], Pi[6], Ti[6], PiQ[3][3], X[3][3];
            for (int i = 0; i < 3; i++) {
                for (int j = i; j < 3; j++) {
                    P[at[i][j]] = AT(block->Hinv[tn_sym6(i, j)]);
                    R[at[i][j]] = AT(block->Hinv[tn_sym6(3 + i, 3 + j)]) + AT(block->S[at[i][j]]);
                }
                P[at[i][i]] += AT(block->a);
                for (int j = 0; j < 3; j++) Q[i][j] = AT(block->Hinv[tn_sym6(i, 3 + j)]);
            }
            v_invert3(Pi, P);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    PiQ[i][j] =
                        Pi[at[i][0]] * Q[0][j] + Pi[at[i][1]] * Q[1][j] + Pi[at[i][2]] * Q[2][j];
            for (int i = 0; i < 3; i++)
                for (int j = i; j < 3; j++)
                    R[at[i][j]] -= Q[0][i] * PiQ[0][j] + Q[1][i] * PiQ[1][j] + Q[2][i] * PiQ[2][j];
            v_invert3(Ti, R);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    X[i][j] = PiQ[i][0] * Ti[at[0][j]] + PiQ[i][1] * Ti[at[1][j]] +
                              PiQ[i][2] * Ti[at[2][j]];
            for (int i = 0; i < 3; i++) {
                for (int j = i; j < 3; j++) {
                    AT(block->Hinv[tn_sym6(i, j)]) = Pi[at[i][j]] + X[i][0] * PiQ[j][0] +
                                                     X[i][1] * PiQ[j][1] + X[i][2] * PiQ[j][2];
                    AT(block->Hinv[tn_sym6(3 + i, 3 + j)]) = Ti[at[i][j]];
                }
                for (int j = 0; j < 3; j++) AT(block->Hinv[tn_sym6(i, 3 + j)]) = -X[i][j];
            }
        }
    }
}
