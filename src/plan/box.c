/* box.c: a small quadratic problem with limits, by Newton steps on the unknowns that no limit
 * holds, projected back into the box. */
#include <math.h>
#include <string.h>

#include "../math/cholesky.h"
#include "plan.h"

#define MOST_STEPS 100
#define MOST_HALVES 30
#define SLOPE 0.1 /* of the decrease that the gradient promises */

/* ½ xᵀHx + gᵀx, and H x + g. */
static double value(int n, const double *H, const double *g, const double *x, double *gradient)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double Hx = 0.0;
        for (int k = 0; k < n; k++) Hx += H[i * n + k] * x[k];
        sum += x[i] * (0.5 * Hx + g[i]);
        gradient[i] = Hx + g[i];
    }
    return sum;
}

/* The free part of H, with unit rows where a limit holds. */
static bool factorize(int n, const double *H, const uint8_t *held, double *factor)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            factor[i * n + k] = held[i] || held[k] ? (i == k ? 1.0 : 0.0) : H[i * n + k];
    return tn_cholesky(factor, n);
}

bool tn_box_qp(int n, const double *H, const double *g, const double *low, const double *high,
               double *x, uint8_t *held, double *factor, double *scratch)
{
    double *gradient = scratch, *way = scratch + n, *to = scratch + 2 * n;
    for (int i = 0; i < n; i++) x[i] = tn_within(x[i], low[i], high[i]);
    double at = value(n, H, g, x, gradient);
    for (int step = 0; step < MOST_STEPS; step++) {
        for (int i = 0; i < n; i++)
            held[i] = (x[i] <= low[i] && gradient[i] > 0.0) ||
                      (x[i] >= high[i] && gradient[i] < 0.0) || low[i] >= high[i];
        if (!factorize(n, H, held, factor)) return false;
        for (int i = 0; i < n; i++) way[i] = held[i] ? 0.0 : -gradient[i];
        tn_cholesky_solve(factor, n, way);
        double promised = 0.0;
        for (int i = 0; i < n; i++) promised += gradient[i] * way[i];
        if (!(promised < -1e-14 * fabs(at) - 1e-300)) return true;
        double share = 1.0, there = at;
        bool moved = false;
        for (int k = 0; k < MOST_HALVES && !moved; k++, share *= 0.5) {
            double slope = 0.0;
            for (int i = 0; i < n; i++) {
                to[i] = tn_within(x[i] + share * way[i], low[i], high[i]);
                slope += gradient[i] * (to[i] - x[i]);
            }
            there = value(n, H, g, to, to + n);
            moved = there <= at + SLOPE * slope && there < at;
        }
        if (!moved) return true; /* rounding is all that is left */
        memcpy(x, to, sizeof(double) * (size_t)n);
        at = value(n, H, g, x, gradient);
    }
    return true;
}
