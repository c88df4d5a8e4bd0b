/* linear_rows.c: bonds as rows, see law.h.
 *
 * Soft: K = L Lᵀ by a pivoted Cholesky factorization that stops at K's rank, pivots measured
 * against K's own diagonal, so that forces and torques may differ as they like. Springs between two
 * bodies have rank six. */

#include <string.h>

#include "law.h"

#include "../../base/rounding.h"

/* Gauss-Jordan in place, the best pivot first. */
void tn_small_inverse(int n, const double *M, double *out)
{
    double A[144];
    bool done[12] = {false};
    memcpy(A, M, sizeof(double) * (size_t)(n * n));
    for (int step = 0; step < n; step++) {
        int k = -1;
        double best = TN_ROUND_OFF;
        for (int i = 0; i < n; i++)
            if (!done[i] && M[(n + 1) * i] > 0.0 && A[(n + 1) * i] > best * M[(n + 1) * i]) {
                best = A[(n + 1) * i] / M[(n + 1) * i];
                k = i;
            }
        if (k < 0) break;
        double d = A[(n + 1) * k];
        for (int j = 0; j < n; j++)
            if (j != k) A[n * k + j] /= d;
        for (int i = 0; i < n; i++) {
            double b = A[n * i + k];
            if (i == k) continue;
            for (int j = 0; j < n; j++)
                if (j != k) A[n * i + j] -= b * A[n * k + j];
            A[n * i + k] = -b / d;
        }
        A[(n + 1) * k] = 1.0 / d;
        done[k] = true;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[n * i + j] = done[i] && done[j] ? 0.5 * (A[n * i + j] + A[n * j + i]) : 0.0;
}

static bool on_world(const TnBond *bond, int k) { return !(k < 6 ? bond->row_a : bond->row_b); }

static void factor(const TnBond *bond, TnBondRows *out)
{
    double A[12][12];
    bool done[12];
    for (int i = 0; i < 12; i++) {
        done[i] = on_world(bond, i);
        for (int j = 0; j < 12; j++)
            A[i][j] = done[i] || on_world(bond, j)
                          ? 0.0
                          : 0.5 * (bond->K[12 * i + j] + bond->K[12 * j + i]);
    }
    for (; out->count < 12; out->count++) {
        int k = -1;
        double best = TN_ROUND_OFF;
        for (int i = 0; i < 12; i++)
            if (!done[i] && bond->K[13 * i] > 0.0 && A[i][i] > best * bond->K[13 * i]) {
                best = A[i][i] / bond->K[13 * i];
                k = i;
            }
        if (k < 0) break;
        double root = sqrt(A[k][k]), *l = out->J[out->count];
        out->pivot[out->count] = k;
        done[k] = true;
        l[k] = root;
        for (int i = 0; i < 12; i++)
            if (!done[i]) l[i] = A[i][k] / root;
        for (int i = 0; i < 12; i++)
            for (int j = 0; !done[i] && j < 12; j++) A[i][j] -= l[i] * l[j];
    }
}

void tn_bond_rows(const TnBond *bond, TnBondRows *out)
{
    *out = (TnBondRows){.count = bond->hard};
    if (!bond->hard) factor(bond, out);
    for (int i = 0; i < bond->hard; i++)
        for (int k = 0; k < 12; k++) out->J[i][k] = on_world(bond, k) ? 0.0 : bond->J[12 * i + k];
    for (int i = 0; i < out->count; i++) {
        int pivot = out->pivot[i];
        out->lever[i] = bond->hard ? tn_bond_row_lever(bond, i)
                                   : (pivot % 6 < 3 ? 1.0 : tn_bond_lever(bond)) / out->J[i][pivot];
    }
}

void tn_bond_rows_solve(const TnBondRows *rows, const double x[12], double *c)
{
    for (int i = 0; i < rows->count; i++) {
        c[i] = x[rows->pivot[i]];
        for (int j = 0; j < i; j++) c[i] -= rows->J[j][rows->pivot[i]] * c[j];
        c[i] /= rows->J[i][rows->pivot[i]];
    }
}

void tn_bond_rows_start(const TnBond *bond, const TnBondRows *rows, double *mu)
{
    int n = rows->count;
    double M[36] = {0}, X[36], y[12] = {0};
    if (!bond->hard) {
        for (int k = 0; k < 12; k++) y[k] = bond->lambda[k] + bond->f[k];
        tn_bond_rows_solve(rows, y, mu);
        return;
    }
    for (int i = 0; i < n; i++) /* J Jᵀ μ = J λ */
        for (int k = 0; k < 12; k++) {
            y[i] += rows->J[i][k] * bond->lambda[k];
            for (int j = 0; j < n; j++) M[n * i + j] += rows->J[i][k] * rows->J[j][k];
        }
    tn_small_inverse(n, M, X);
    for (int i = 0; i < n; i++) {
        mu[i] = 0.0;
        for (int j = 0; j < n; j++) mu[i] += X[n * i + j] * y[j];
    }
}

void tn_bond_rows_put(TnBond *bond, const TnBondRows *rows, const double *mu)
{
    for (int k = 0; k < 12; k++) {
        double x = bond->hard || on_world(bond, k) ? 0.0 : -bond->f[k];
        for (int i = 0; mu && i < rows->count; i++) x += rows->J[i][k] * mu[i];
        bond->lambda[k] = x;
    }
}

void tn_bond_rows_velocity(const TnBond *bond, const TnBondRows *rows, const double z[12],
                           double *u)
{
    for (int i = 0; i < rows->count; i++) {
        u[i] = bond->hard ? bond->e[i] : 0.0;
        for (int k = 0; k < 12; k++) u[i] += rows->J[i][k] * z[k];
    }
}

void tn_bond_rows_step(int count, double slack, const double *inverse, const double *u, double *mu)
{
    double r[12];
    for (int i = 0; i < count; i++) r[i] = u[i] + slack * mu[i];
    for (int i = 0; i < count; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) sum += inverse[count * i + j] * r[j];
        mu[i] -= sum;
    }
}
