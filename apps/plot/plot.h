/* plot.h: plots as SVG: lines, points with a fitted curve, bars; linear and logarithmic axes.
 *
 * A PlotFigure is one picture: a title over one or more panels side by side, and a panel (Plot) is
 * a pair of axes with its series. All arrays and texts stay the caller's. Zeroed fields are the
 * defaults: no label, linear axis, automatic range, no fit.
 *
 * The same figure gives the same bytes: no date, no random id, no locale. Texts are UTF-8; what is
 * not, and what XML cannot hold, becomes U+FFFD. */
#ifndef TENON_PLOT_H
#define TENON_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum PlotScale { PLOT_LINEAR, PLOT_LOG } PlotScale;
typedef enum PlotKind { PLOT_LINE, PLOT_SCATTER, PLOT_BARS } PlotKind;
typedef enum PlotFit { PLOT_FIT_NONE, PLOT_FIT_LINEAR, PLOT_FIT_POWER } PlotFit;

enum { PLOT_MAX_SERIES = 32, PLOT_MAX_REFERENCES = 8, PLOT_MAX_PANELS = 8, PLOT_ERROR_SIZE = 256 };
enum { PLOT_MIN_SIZE = 120, PLOT_MAX_SIZE = 8000 }; /* px, of a panel's width and height */

typedef struct PlotAxis {
    const char *label; /* with its unit: "time, ms" */
    PlotScale scale;
    double lower, upper; /* the range, where lower < upper; otherwise from the data */
} PlotAxis;

typedef struct PlotSeries {
    const char *name; /* for the legend; NULL: not in it */
    PlotKind kind;
    const double *x;         /* not read for bars: bar i belongs to category i */
    const double *y;         /* NaN: no point there, and a gap in a line */
    const double *low, *top; /* ends of the error bars, NULL: none */
    int64_t count;           /* for bars at most category_count */
    PlotFit fit;             /* scatter only */
    int style;               /* colour and marker 1 ... 8; 0: those of its place in the order */
    bool dashed;             /* a line, to tell it from another of the same style */
} PlotSeries;

typedef struct PlotReference { /* a dashed line across the panel */
    bool vertical;
    double value;
    const char *label; /* may be NULL */
} PlotReference;

typedef struct Plot {
    const char *title; /* of the panel; may be NULL */
    PlotAxis x, y;
    const PlotSeries *series;
    int series_count;
    const PlotReference *references;
    int reference_count;
    /* Bars only; then all series are bars and the x axis shows these labels. */
    const char *const *categories;
    int category_count;
    bool stacked; /* bars on top of each other; otherwise beside each other */
} Plot;

typedef struct PlotFigure {
    const char *title;       /* may be NULL */
    const char *description; /* for screen readers; NULL: made from the labels */
    int width, height;       /* px; 0: 720 × 440 for each panel */
    const Plot *panels;
    int panel_count;
} PlotFigure;

/* What became of the points, over all panels. */
typedef struct PlotReport {
    int64_t drawn;
    int64_t left_out; /* not finite, or not positive on a logarithmic axis */
    int64_t outside;  /* fine, but outside a given range */
    int64_t thinned;  /* of the drawn ones: not written one by one, too close to tell apart */
} PlotReport;

/* Writes the figure. False and one line in `error` where there is nothing to draw, the figure is
 * wrong, or there is no memory; then nothing was written. Trouble of the stream is left to ferror.
 * `report` may be NULL. */
bool plot_write(FILE *out, const PlotFigure *figure, PlotReport *report,
                char error[PLOT_ERROR_SIZE]);

/* A line y = a + b x by least squares, or a power y = a x^b as the line through the logarithms.
 * Points that are not finite, or not positive for the power, do not count. */
typedef struct PlotFitResult {
    double a, b;         /* NaN where there are not two different x */
    double r_squared;    /* of the line, or of that through the logarithms; NaN where all y agree */
    int64_t count;       /* points that counted */
    double x_min, x_max; /* of these */
} PlotFitResult;

PlotFitResult plot_fit(PlotFit kind, const double *x, const double *y, int64_t count);
double plot_fit_value(PlotFit kind, const PlotFitResult *fit, double x);

#endif
