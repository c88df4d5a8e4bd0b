/* triangle.c: the two factorizations of a fit: row echelon form by Householder reflections, and
 * singular values by one-sided Jacobi rotations, which finds small ones to their own digits. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "parts.h"

#define SWEEPS 60

/* Reflects rows from `top` on so that column j has one number there. w: n numbers. */
static void reflect(double *A, int m, int n, int top, int j, double length, double *w)
{
    double *head = A + (size_t)top * (size_t)n, alpha = head[j] > 0.0 ? -length : length;
    double first = head[j] - alpha, norm = first * first;
    for (int i = top + 1; i < m; i++) {
        double x = A[(size_t)i * (size_t)n + (size_t)j];
        norm += x * x;
    }
    memset(w, 0, sizeof(double) * (size_t)n);
    for (int i = top; i < m; i++) {
        const double *row = A + (size_t)i * (size_t)n;
        double v = i == top ? first : row[j];
        if (v != 0.0)
            for (int k = j + 1; k < n; k++) w[k] += v * row[k];
    }
    for (int i = top; i < m; i++) {
        double *row = A + (size_t)i * (size_t)n, v = i == top ? first : row[j];
        if (v != 0.0)
            for (int k = j + 1; k < n; k++) row[k] -= 2.0 / norm * v * w[k];
        row[j] = i == top ? alpha : 0.0;
    }
}

int tn_fit_triangle(double *A, int m, int n, int *pivots, double *scratch)
{
    double *whole = scratch, *w = scratch + n;
    memset(whole, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double x = A[(size_t)i * (size_t)n + (size_t)j];
            whole[j] += x * x;
        }
    int top = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = top; i < m; i++) {
            double x = A[(size_t)i * (size_t)n + (size_t)j];
            sum += x * x;
        }
        pivots[j] = -1;
        if (top >= m || !(sqrt(sum) > TN_ROUND_OFF * sqrt(whole[j]))) continue;
        reflect(A, m, n, top, j, sqrt(sum), w);
        pivots[j] = top++;
    }
    return top;
}

/* Turns columns p and q by the angle that makes them orthogonal; false: they are. */
static bool turn(double *B, int m, double *V, int n, int p, int q)
{
    double *x = B + (size_t)p * (size_t)m, *y = B + (size_t)q * (size_t)m, a = 0, b = 0, c = 0;
    for (int i = 0; i < m; i++) {
        a += x[i] * x[i];
        b += y[i] * y[i];
        c += x[i] * y[i];
    }
    if (c == 0.0 || fabs(c) <= 1e-15 * sqrt(a * b)) return false;
    double zeta = (b - a) / (2.0 * c), t = 1.0 / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    if (zeta < 0.0) t = -t;
    double cs = 1.0 / sqrt(1.0 + t * t), sn = cs * t;
    for (int i = 0; i < m; i++) {
        double xi = x[i];
        x[i] = cs * xi - sn * y[i];
        y[i] = sn * xi + cs * y[i];
    }
    for (int i = 0; i < n; i++) {
        double *row = V + (size_t)i * (size_t)n, vp = row[p];
        row[p] = cs * vp - sn * row[q];
        row[q] = sn * vp + cs * row[q];
    }
    return true;
}

static void swap_columns(double *B, int m, double *V, int n, double *s, int p, int q)
{
    double x = s[p];
    s[p] = s[q];
    s[q] = x;
    for (int i = 0; i < m; i++) {
        x = B[(size_t)p * (size_t)m + (size_t)i];
        B[(size_t)p * (size_t)m + (size_t)i] = B[(size_t)q * (size_t)m + (size_t)i];
        B[(size_t)q * (size_t)m + (size_t)i] = x;
    }
    for (int i = 0; i < n; i++) {
        double *row = V + (size_t)i * (size_t)n;
        x = row[p];
        row[p] = row[q];
        row[q] = x;
    }
}

void tn_fit_singular(double *B, int m, int n, double *V, double *s)
{
    memset(V, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) V[(size_t)i * (size_t)n + (size_t)i] = 1.0;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) turned = turn(B, m, V, n, p, q) || turned;
    }
    for (int p = 0; p < n; p++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++) {
            double x = B[(size_t)p * (size_t)m + (size_t)i];
            sum += x * x;
        }
        s[p] = sqrt(sum);
    }
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++)
            if (s[q] > s[p]) swap_columns(B, m, V, n, s, p, q);
}
