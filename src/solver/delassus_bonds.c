/* delassus_bonds.c: bonds as groups of rows (delassus.h).
 *
 * Soft: K = L Lᵀ by a pivoted Cholesky factorization that stops at K's rank, pivots measured against K's own
 * diagonal, so that forces and torques may differ as they like. Springs between two bodies have rank six. */
#include <math.h>
#include <string.h>

#include "delassus.h"

#define DEPENDENT 1e-11 /* of its own diagonal: a row that the others determine */

/* Gauss-Jordan in place, the best pivot first. */
void tn_delassus_inverse(int n, const double *M, double *out)
{
    double A[TN_GROUP_ROWS * TN_GROUP_ROWS];
    bool done[TN_GROUP_ROWS] = {false};
    memcpy(A, M, sizeof(double) * (size_t)(n * n));
    for (int step = 0; step < n; step++) {
        int k = -1;
        double best = DEPENDENT;
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

/* Lᵀ, row by row, and the pivots' order; returns the rank. */
static int factor(const TnBond *bond, double *L, int pivot[12])
{
    double A[12][12];
    bool done[12];
    int rank = 0;
    for (int i = 0; i < 12; i++) {
        done[i] = on_world(bond, i);
        for (int j = 0; j < 12; j++)
            A[i][j] = done[i] || on_world(bond, j)
                          ? 0.0
                          : 0.5 * (bond->K[12 * i + j] + bond->K[12 * j + i]);
    }
    memset(L, 0, sizeof(double[144]));
    for (; rank < 12; rank++) {
        int k = -1;
        double best = DEPENDENT;
        for (int i = 0; i < 12; i++)
            if (!done[i] && bond->K[13 * i] > 0.0 && A[i][i] > best * bond->K[13 * i]) {
                best = A[i][i] / bond->K[13 * i];
                k = i;
            }
        if (k < 0) break;
        double root = sqrt(A[k][k]), *l = L + 12L * rank;
        pivot[rank] = k;
        done[k] = true;
        l[k] = root;
        for (int i = 0; i < 12; i++)
            if (!done[i]) l[i] = A[i][k] / root;
        for (int i = 0; i < 12; i++)
            for (int j = 0; !done[i] && j < 12; j++) A[i][j] -= l[i] * l[j];
    }
    return rank;
}

int tn_delassus_bond_rows(TnDelassus *w, int index, const double **J)
{
    const TnBond *bond = &w->problem->bonds[index];
    double *own = w->soft[index];
    *J = own;
    if (!bond->hard) return factor(bond, own, w->soft_pivot[index]);
    for (int i = 0; i < bond->hard; i++)
        for (int k = 0; k < 12; k++)
            own[12 * i + k] = on_world(bond, k) ? 0.0 : bond->J[12 * i + k];
    return bond->hard;
}

double tn_delassus_bond_lever(const TnDelassus *w, int index, int row)
{
    const TnBond *bond = &w->problem->bonds[index];
    int pivot = w->soft_pivot[index][row];
    if (bond->hard) return tn_bond_row_lever(bond, row);
    return (pivot % 6 < 3 ? 1.0 : tn_bond_lever(bond)) / w->soft[index][12 * row + pivot];
}

void tn_delassus_bond_start(const TnDelassus *w, int index, int count, double *mu)
{
    const TnBond *bond = &w->problem->bonds[index];
    const double *L = w->soft[index];
    if (!bond->hard) { /* L μ = λ + f on the pivots, where L is a triangle */
        const int *pivot = w->soft_pivot[index];
        for (int i = 0; i < count; i++) {
            double x = bond->lambda[pivot[i]] + bond->f[pivot[i]];
            for (int j = 0; j < i; j++) x -= L[12 * j + pivot[i]] * mu[j];
            mu[i] = x / L[12 * i + pivot[i]];
        }
        return;
    }
    /* J Jᵀ μ = J λ */
    int n = count;
    double M[36] = {0}, X[36], y[6];
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int k = 0; k < 12; k++) y[i] += L[12 * i + k] * bond->lambda[k];
        for (int j = 0; j < n; j++) {
            M[n * i + j] = 0.0;
            for (int k = 0; k < 12; k++) M[n * i + j] += L[12 * i + k] * L[12 * j + k];
        }
    }
    tn_delassus_inverse(n, M, X);
    for (int i = 0; i < n; i++) {
        mu[i] = 0.0;
        for (int j = 0; j < n; j++) mu[i] += X[n * i + j] * y[j];
    }
}

void tn_delassus_bond_put(const TnDelassus *w, int index, int count, const double *mu)
{
    TnBond *bond = &w->problem->bonds[index];
    const double *L = w->soft[index];
    for (int k = 0; k < 12; k++) {
        double x = bond->hard || on_world(bond, k) ? 0.0 : -bond->f[k];
        for (int i = 0; i < count; i++) x += L[12 * i + k] * mu[i];
        bond->lambda[k] = x;
    }
}
