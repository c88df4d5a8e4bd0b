/* axis.h: one axis: its range, the way from a value to a pixel, and its ticks.
 *
 * Inside, values of a logarithmic axis are their log10 (called u here), so that the mapping to
 * pixels is a straight line for both scales. */
#ifndef TENON_PLOT_AXIS_H
#define TENON_PLOT_AXIS_H

#include "plot.h"
#include "svg.h"

enum { AXIS_MAX_TICKS = 100, AXIS_MAX_MINOR = 900 };

typedef struct Axis {
    PlotScale scale;
    double lower, upper;          /* u */
    double start, end;            /* px at lower and upper */
    double ticks[AXIS_MAX_TICKS]; /* u */
    char labels[AXIS_MAX_TICKS][NUMBER_SIZE];
    int tick_count;
    double minor[AXIS_MAX_MINOR]; /* u; short marks without label */
    int minor_count;
    char note[3 * NUMBER_SIZE]; /* what the labels are to be multiplied by and added to, or "" */
} Axis;

/* False for what the scale cannot show; otherwise *u. */
bool axis_value(PlotScale scale, double value, double *u);
double axis_pixel(const Axis *axis, double u);
bool axis_contains(const Axis *axis, double u);

/* The range that `def` gives, or a little more than least ... most (u). With `from_zero` a linear
 * one contains zero: bars. */
void axis_set_range(Axis *axis, const PlotAxis *def, double least, double most, bool from_zero);
/* Ticks whose labels do not touch each other. start and end must be known. */
void axis_set_ticks(Axis *axis, bool horizontal, double text_size);
double axis_label_width(const Axis *axis, double text_size); /* of the widest label */

#endif
