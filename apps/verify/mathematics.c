/* Numerical tools for references. None of them uses the library. */
#include "verify.h"

#include <math.h>
#include <string.h>

void ode_run(OdeRate rate, const void *system, double *y, int count, double from, double to,
             int steps)
{
    double a[ODE_MOST], b[ODE_MOST], c[ODE_MOST], d[ODE_MOST], at[ODE_MOST];
    double h = (to - from) / steps;
    for (int k = 0; k < steps; k++) {
        double t = from + h * k;
        rate(system, t, y, a);
        for (int i = 0; i < count; i++) at[i] = y[i] + 0.5 * h * a[i];
        rate(system, t + 0.5 * h, at, b);
        for (int i = 0; i < count; i++) at[i] = y[i] + 0.5 * h * b[i];
        rate(system, t + 0.5 * h, at, c);
        for (int i = 0; i < count; i++) at[i] = y[i] + h * c[i];
        rate(system, t + h, at, d);
        for (int i = 0; i < count; i++) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
}

/* Gauss: the arithmetic-geometric mean. */
double elliptic_k(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    while (fabs(a - b) > 1e-15 * a) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return VERIFY_PI / (2 * a);
}

double root_of(double (*f)(double x, const void *system), const void *system, double low,
               double high)
{
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        *(f(middle, system) < 0 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

void solve_linear(double *A, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double share = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= share * A[k * n + j];
            b[i] -= share * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}
