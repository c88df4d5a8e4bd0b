/* Least-squares fits.
 *
 * A line y = a + b x: b = Sxy / Sxx, a = mean y - b mean x, R² = Sxy² / (Sxx Syy), with sums S over
 * deviations from the means. The deviations are scaled by their largest, so that squares of very
 * large or small numbers stay in range. A power y = a x^b is the line through (ln x, ln y). */
#include "plot.h"

#include <math.h>

static bool counts(PlotFit kind, double x, double y)
{
    return isfinite(x) && isfinite(y) && (kind != PLOT_FIT_POWER || (x > 0 && y > 0));
}

static double mapped(PlotFit kind, double value)
{
    return kind == PLOT_FIT_POWER ? log(value) : value;
}

typedef struct Moments {
    double mean_x, mean_y, scale_x, scale_y, sxx, sxy, syy;
} Moments;

static Moments moments(PlotFit kind, const double *x, const double *y, int64_t count, double n)
{
    Moments m = {0};
    for (int64_t i = 0; i < count; i++)
        if (counts(kind, x[i], y[i])) {
            m.mean_x += mapped(kind, x[i]) / n;
            m.mean_y += mapped(kind, y[i]) / n;
        }
    for (int64_t i = 0; i < count; i++)
        if (counts(kind, x[i], y[i])) {
            m.scale_x = fmax(m.scale_x, fabs(mapped(kind, x[i]) - m.mean_x));
            m.scale_y = fmax(m.scale_y, fabs(mapped(kind, y[i]) - m.mean_y));
        }
    /* deviations that are rounding errors of the mean are none */
    if (!(m.scale_x > 1e-15 * fabs(m.mean_x))) m.scale_x = 0;
    if (!(m.scale_y > 1e-15 * fabs(m.mean_y))) m.scale_y = 0;
    for (int64_t i = 0; i < count; i++)
        if (counts(kind, x[i], y[i])) {
            double u = m.scale_x > 0 ? (mapped(kind, x[i]) - m.mean_x) / m.scale_x : 0;
            double v = m.scale_y > 0 ? (mapped(kind, y[i]) - m.mean_y) / m.scale_y : 0;
            m.sxx += u * u;
            m.sxy += u * v;
            m.syy += v * v;
        }
    return m;
}

PlotFitResult plot_fit(PlotFit kind, const double *x, const double *y, int64_t count)
{
    PlotFitResult fit = {
        .a = NAN, .b = NAN, .r_squared = NAN, .x_min = INFINITY, .x_max = -INFINITY};
    for (int64_t i = 0; i < count; i++)
        if (counts(kind, x[i], y[i])) {
            fit.count++;
            fit.x_min = fmin(fit.x_min, x[i]);
            fit.x_max = fmax(fit.x_max, x[i]);
        }
    Moments m = moments(kind, x, y, count, (double)fit.count);
    if (m.sxx > 0) {
        fit.b = m.sxy / m.sxx * (m.scale_y / m.scale_x);
        fit.a = m.mean_y - fit.b * m.mean_x;
        if (kind == PLOT_FIT_POWER) fit.a = exp(fit.a);
    }
    if (m.sxx > 0 && m.syy > 0) fit.r_squared = m.sxy * m.sxy / (m.sxx * m.syy);
    return fit;
}

double plot_fit_value(PlotFit kind, const PlotFitResult *fit, double x)
{
    return kind == PLOT_FIT_POWER ? fit->a * pow(x, fit->b) : fit->a + fit->b * x;
}
