/* kernels_scalar.c: the reference kernels, one lane after the other in plain C. */
#include "math/kernels/lanes/column_lanes.h"
#include "scalar.h"

#include <math.h>
#include <stddef.h>

#include "math/vec3.h"

static void point_velocity(double out[3], const double row[8], const double arm[3])
{
    v3_cross(out, row + 4, arm);
    v3_add(out, out, row);
}

static void project(const double n[3], double mu, const double t[3], double lambda[3])
{
    double tn = v3_dot(n, t), tt[3];
    for (int k = 0; k < 3; k++) tt[k] = t[k] - tn * n[k];
    double length = fmax(v3_norm(tt), 1e-300), ln = fmax(0.0, tn);
    double scale = fmin(1.0, mu * ln / length);
    for (int k = 0; k < 3; k++) lambda[k] = ln * n[k] + scale * tt[k];
}

static void contact_lane(TnContactBatch *c, const TnContactGive *give, int l,
                         const double (*twist)[8], double *lambda, double alpha, double *residual)
{
    double arm_a[3], arm_b[3], n[3], e[3], t[3], va[3], vb[3], u[3], Bu[3];
    for (int k = 0; k < 3; k++) {
        arm_a[k] = c->arm_a[k][l];
        arm_b[k] = c->arm_b[k][l];
        n[k] = c->normal[k][l];
        e[k] = c->e[k][l];
        t[k] = c->t[k][l];
    }
    point_velocity(va, twist[c->row_a[l]], arm_a);
    point_velocity(vb, twist[c->row_b[l]], arm_b);
    for (int k = 0; k < 3; k++) u[k] = vb[k] - va[k] + e[k];
    if (give) {
        double ln = v3_dot(n, lambda), share = give->share[1][l];
        for (int k = 0; k < 3; k++) {
            u[k] += give->e[k][l];
            lambda[k] = share * lambda[k] + (give->share[0][l] - share) * ln * n[k];
        }
    }
    double Bn = c->Bn[l], Bt = c->Bt[l], un = v3_dot(n, u);
    for (int k = 0; k < 3; k++) Bu[k] = Bt * u[k] + (Bn - Bt) * un * n[k];

    if (residual && Bn > 0.0) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = lambda[k] - Bu[k] - t[k];
        double dn = v3_dot(n, d), all = v3_dot(d, d);
        *residual += dn * dn / (Bn * Bn) + (all - dn * dn) / (Bt * Bt);
    }
    for (int k = 0; k < 3; k++) t[k] = (1.0 - alpha) * t[k] + alpha * (lambda[k] - Bu[k]);

    project(n, c->mu[l], t, lambda);
    for (int k = 0; k < 3; k++) c->t[k][l] = t[k];
}

static void contact_update(TnContactBatch *batches, const TnContactGive *give, int begin, int end,
                           const double (*twist)[8], double (*lambda)[3], double alpha,
                           double *residual)
{
    for (int i = begin; i < end; i++) {
        if (residual) residual[i] = 0.0;
        for (int l = 0; l < TN_LANES; l++)
            contact_lane(&batches[i], give ? &give[i] : NULL, l, twist,
                         lambda[(long)i * TN_LANES + l], alpha, residual ? &residual[i] : NULL);
    }
}

static void add_wrench(double F[6], const double lambda[3], const double arm[3], double sign)
{
    double torque[3];
    v3_cross(torque, arm, lambda);
    v3_add_scaled(F, lambda, sign);
    v3_add_scaled(F + 3, torque, sign);
}

static void row_force(double F[6], int row, const TnSides *sides, const double (*lambda)[3])
{
    memset(F, 0, 6 * sizeof(double));
    for (int s = sides->start[row]; s < sides->start[row + 1]; s++)
        add_wrench(F, lambda[sides->contact[s]], sides->arm[s], s < sides->mid[row] ? 1.0 : -1.0);
}

static void row_forces(const TnSides *sides, int begin, int end, const double (*lambda)[3],
                       double (*F)[8])
{
    for (int row = begin; row < end; row++) {
        double f[6];
        row_force(f, row, sides, lambda);
        for (int k = 0; k < 6; k++) F[row][k < 3 ? k : k + 1] = f[k];
        F[row][3] = F[row][7] = 0.0;
    }
}

/* K = Σ Jᵀ W J, J = [I, -[r]×], W = βn nnᵀ + βt (I - nnᵀ), multiplied out. */
static void row_stiffness(const TnSides *sides, int begin, int end, const double (*normals)[4],
                          const double (*beta)[4], double (*K)[TN_SYM6])
{
    for (int row = begin; row < end; row++) {
        memset(K[row], 0, sizeof K[row]);
        for (int s = sides->start[row]; s < sides->start[row + 1]; s++) {
            int c = sides->contact[s];
            const double *weight = beta[c] + (s < sides->mid[row] ? 2 : 0), *n = normals[c];
            const double *r = sides->arm[s];
            double J[3][6] = {
                {1, 0, 0, 0, r[2], -r[1]}, {0, 1, 0, -r[2], 0, r[0]}, {0, 0, 1, r[1], -r[0], 0}};
            for (int i = 0; i < 6; i++)
                for (int j = i; j < 6; j++) {
                    double dot = 0.0, ni = 0.0, nj = 0.0;
                    for (int k = 0; k < 3; k++) {
                        dot += J[k][i] * J[k][j];
                        ni += n[k] * J[k][i];
                        nj += n[k] * J[k][j];
                    }
                    K[row][tn_sym6(i, j)] += weight[1] * dot + (weight[0] - weight[1]) * ni * nj;
                }
        }
    }
}

static void twist_lane(TnTwistBatch *block, int l, int row, const TnSides *sides,
                       const double (*lambda)[3], const double (*extra)[8], double *out,
                       double alpha)
{
    double F[6], x[6], v[6];
    row_force(F, row, sides, lambda);
    if (extra)
        for (int k = 0; k < 6; k++) F[k] += extra[row][k < 3 ? k : k + 1];
    for (int k = 0; k < 6; k++) x[k] = block->b[k][l] + block->g[k][l] + 2.0 * F[k];
    for (int i = 0; i < 6; i++) {
        v[i] = 0.0;
        for (int j = 0; j < 6; j++)
            v[i] += block->Hinv[i <= j ? tn_sym6(i, j) : tn_sym6(j, i)][l] * x[j];
    }
    double(*S)[TN_LANES] = block->S;
    double Av[6] = {block->a[l] * v[0],
                    block->a[l] * v[1],
                    block->a[l] * v[2],
                    S[0][l] * v[3] + S[1][l] * v[4] + S[2][l] * v[5],
                    S[1][l] * v[3] + S[3][l] * v[4] + S[4][l] * v[5],
                    S[2][l] * v[3] + S[4][l] * v[4] + S[5][l] * v[5]};
    for (int k = 0; k < 6; k++) {
        block->g[k][l] += alpha * (block->b[k][l] + F[k] - Av[k]);
        out[k < 3 ? k : k + 1] = v[k];
    }
    out[3] = out[7] = 0.0;
}

static void twist_update(TnTwistBatch *batches, int begin, int end, const TnSides *sides,
                         const TnSideColumns *columns, const double (*lambda)[3],
                         const double (*extra)[8], double (*twist)[8], double alpha)
{
    (void)columns; /* nothing is gained where rows are summed one after the other */
    for (int i = begin; i < end; i++)
        for (int l = 0; l < TN_LANES; l++) {
            int row = i * TN_LANES + l + 1;
            twist_lane(&batches[i], l, row, sides, lambda, extra, twist[row], alpha);
        }
}

/* In-place inversion of a symmetric positive definite matrix by Gauss–Jordan sweeps. */
static void invert6(double H[6][6])
{
    for (int p = 0; p < 6; p++) {
        double d = 1.0 / H[p][p];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                if (i != p && j != p) H[i][j] -= H[i][p] * H[p][j] * d;
        for (int k = 0; k < 6; k++)
            if (k != p) {
                H[p][k] *= d;
                H[k][p] *= -d;
            }
        H[p][p] = d;
    }
}

static void twist_factor(TnTwistBatch *batches, int begin, int end)
{
    for (int n = begin; n < end; n++)
        for (int l = 0; l < TN_LANES; l++) {
            TnTwistBatch *block = &batches[n];
            double H[6][6];
            for (int i = 0; i < 6; i++)
                for (int j = i; j < 6; j++) H[i][j] = H[j][i] = block->Hinv[tn_sym6(i, j)][l];
            const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
            for (int i = 0; i < 3; i++) {
                H[i][i] += block->a[l];
                for (int j = 0; j < 3; j++) H[3 + i][3 + j] += block->S[at[i][j]][l];
            }
            invert6(H);
            for (int i = 0; i < 6; i++)
                for (int j = i; j < 6; j++) block->Hinv[tn_sym6(i, j)][l] = H[i][j];
        }
}

static void contact_take(const TnContactBatch *batches, int begin, int end, const double *root,
                         double *now, double *x)
{
    for (int i = begin; i < end; i++, root += 3 * TN_LANES, now += 3 * TN_LANES, x += 3 * TN_LANES)
        for (int l = 0; l < TN_LANES; l++) {
            const TnContactBatch *c = &batches[i];
            double n[3], r[3];
            for (int k = 0; k < 3; k++) {
                n[k] = c->normal[k][l];
                r[k] = c->t[k][l] - x[TN_LANES * k + l];
                now[TN_LANES * k + l] = c->t[k][l];
            }
            double along = root[TN_LANES + l] * v3_dot(n, r);
            for (int k = 0; k < 3; k++) x[TN_LANES * k + l] = root[l] * r[k] + along * n[k];
        }
}

static void contact_tell(const TnContactBatch *batches, int begin, int end,
                         const double (*lambda)[3], double (*z)[3])
{
    for (int i = begin; i < end; i++)
        for (int l = 0; l < TN_LANES; l++) {
            const TnContactBatch *c = &batches[i];
            long at = (long)i * TN_LANES + l;
            double n[3], e[3];
            for (int k = 0; k < 3; k++) {
                n[k] = c->normal[k][l];
                e[k] = c->e[k][l];
            }
            double en = (c->Bn[l] - c->Bt[l]) * v3_dot(n, e);
            for (int k = 0; k < 3; k++)
                z[at][k] = 2.0 * lambda[at][k] - (c->t[k][l] + c->Bt[l] * e[k] + en * n[k]);
        }
}

static void contact_put(TnContactBatch *batches, int begin, int end, const double *x,
                        double (*lambda)[3], double (*z)[3])
{
    for (int i = begin; i < end; i++, x += 3 * TN_LANES)
        for (int l = 0; l < TN_LANES; l++) {
            TnContactBatch *c = &batches[i];
            double n[3], t[3];
            for (int k = 0; k < 3; k++) {
                n[k] = c->normal[k][l];
                c->t[k][l] = t[k] = x[TN_LANES * k + l];
            }
            project(n, c->mu[l], t, lambda[(long)i * TN_LANES + l]);
        }
    if (z) contact_tell(batches, begin, end, (const double(*)[3])lambda, z);
}

const TnKernels *tn_kernels_scalar(void)
{
    static const TnKernels kernels = {"scalar",       contact_update, twist_update, twist_factor,
                                      row_forces,     row_stiffness,  contact_take, contact_put,
                                      contact_tell,   column_step,    columns_dot,  column_dots,
                                      column_subtract};
    return &kernels;
}
