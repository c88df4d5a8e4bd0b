/* cholesky.c: A = L Lᵀ by rows, and the 3×3 symmetric eigenproblem by cyclic Jacobi rotations. */
#include "cholesky.h"

#include <math.h>
#include <string.h>

#include "vec3.h"

bool tn_cholesky(double *A, int n)
{
    for (int i = 0; i < n; i++) {
        double *row = A + (long)i * n;
        for (int j = 0; j <= i; j++) {
            const double *other = A + (long)j * n;
            double s = row[j];
            for (int k = 0; k < j; k++) s -= row[k] * other[k];
            if (j < i) {
                row[j] = s / other[j];
            } else {
                if (!(s > 0.0 && s < INFINITY)) return false; /* NaN too */
                row[i] = sqrt(s);
            }
        }
    }
    return true;
}

void tn_cholesky_forward(const double *L, int n, double *x)
{
    for (int i = 0; i < n; i++) {
        const double *row = L + (long)i * n;
        double s = x[i];
        for (int k = 0; k < i; k++) s -= row[k] * x[k];
        x[i] = s / row[i];
    }
}

void tn_cholesky_backward(const double *L, int n, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (long)i * n;
        x[i] /= row[i];
        for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
    }
}

void tn_cholesky_solve(const double *L, int n, double *x)
{
    tn_cholesky_forward(L, n, x);
    tn_cholesky_backward(L, n, x);
}

void tn_cholesky_inverse(const double *L, int n, double *inverse)
{
    /* Column by column; row i of the symmetric result is its column i. */
    for (int i = 0; i < n; i++) {
        double *x = inverse + (long)i * n;
        memset(x, 0, (size_t)n * sizeof(double));
        x[i] = 1.0;
        tn_cholesky_solve(L, n, x);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (inverse[(long)i * n + j] + inverse[(long)j * n + i]);
            inverse[(long)i * n + j] = inverse[(long)j * n + i] = mean;
        }
}

void tn_eigen3(const double A[9], double w[3], double V[9])
{
    double a[9];
    memcpy(a, A, sizeof a);
    double v[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
        double diagonal = a[0] * a[0] + a[4] * a[4] + a[8] * a[8];
        if (!(off > 1e-34 * diagonal)) break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                double apq = a[3 * p + q];
                if (apq == 0.0) continue;
                double tau = (a[4 * q] - a[4 * p]) / (2.0 * apq);
                double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
                double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[3 * k + p], y = a[3 * k + q];
                    a[3 * k + p] = c * x - s * y;
                    a[3 * k + q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[3 * p + k], y = a[3 * q + k];
                    a[3 * p + k] = c * x - s * y;
                    a[3 * q + k] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = v[3 * k + p], y = v[3 * k + q];
                    v[3 * k + p] = c * x - s * y;
                    v[3 * k + q] = s * x + c * y;
                }
            }
    }
    double c0[3], c1[3], c2[3], n[3];
    m3_column(c0, v, 0);
    m3_column(c1, v, 1);
    m3_column(c2, v, 2);
    v3_cross(n, c0, c1);
    if (v3_dot(n, c2) < 0.0)
        for (int k = 0; k < 3; k++) v[3 * k + 2] = -v[3 * k + 2];
    for (int k = 0; k < 3; k++) w[k] = a[4 * k];
    memcpy(V, v, sizeof v);
}
