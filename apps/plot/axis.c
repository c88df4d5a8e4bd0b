/* Ranges and ticks; see axis.h.
 *
 * Linear ticks are multiples of 1, 2 or 5 times a power of ten: the smallest such step whose labels
 * have room. Logarithmic ticks are decades, or every 2nd, 5th, 10th ... of them; where the range
 * holds fewer than two decades, 1, 2 and 5 times each; and where even these are too few, linear
 * steps. */
#include "axis.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool axis_value(PlotScale scale, double value, double *u)
{
    if (!isfinite(value) || (scale == PLOT_LOG && !(value > 0))) return false;
    *u = scale == PLOT_LOG ? log10(value) : value;
    return true;
}

/* Halves, because upper - lower may be beyond the largest double. */
static double half_range(const Axis *axis) { return 0.5 * axis->upper - 0.5 * axis->lower; }

double axis_pixel(const Axis *axis, double u)
{
    double share = (0.5 * u - 0.5 * axis->lower) / half_range(axis);
    double pixel = axis->start + share * (axis->end - axis->start);
    return fmin(fmax(pixel, -1e9), 1e9); /* far outside a given range: still a number */
}

bool axis_contains(const Axis *axis, double u)
{
    /* the ends belong to it, with the rounding of log10 */
    double slack = 1e-12 * half_range(axis);
    return u >= axis->lower - slack && u <= axis->upper + slack;
}

static double clamp_finite(double x) { return fmin(fmax(x, -DBL_MAX), DBL_MAX); }

/* Room around values that all agree, or differ by no more than rounding. */
static void widen_equal(Axis *axis, double value)
{
    double room = axis->scale == PLOT_LOG ? 0.5 : value != 0 ? 0.5 * fabs(value) : 1;
    if (room < 1e-290) room = 1e-290; /* steps below are no longer normal numbers */
    axis->lower = clamp_finite(value - room);
    axis->upper = clamp_finite(value + room);
}

void axis_set_range(Axis *axis, const PlotAxis *def, double least, double most, bool from_zero)
{
    axis->scale = def->scale;
    bool zero = from_zero && axis->scale == PLOT_LINEAR;
    if (def->lower < def->upper && axis_value(def->scale, def->lower, &axis->lower) &&
        axis_value(def->scale, def->upper, &axis->upper)) {
        least = axis->lower;
        most = axis->upper;
        if (half_range(axis) > 1e-13 * fmax(fabs(least), fabs(most))) return;
    }
    if (zero) {
        least = fmin(least, 0);
        most = fmax(most, 0);
    }
    axis->lower = least;
    axis->upper = most;
    double half = half_range(axis), largest = fmax(fabs(least), fabs(most));
    bool equal = half <= 1e-290 || half <= 1e-13 * largest;
    if (equal && zero && largest == 0) {
        axis->upper = 1;
    } else if (equal) {
        widen_equal(axis, 0.5 * least + 0.5 * most);
    } else {
        /* 4 % at both ends; over bars 8 %, for their numbers */
        double pad = (zero ? 0.16 : 0.08) * half;
        axis->lower = clamp_finite(least - pad);
        axis->upper = clamp_finite(most + pad);
        /* room around numbers that are never negative does not make them so */
        if (axis->scale == PLOT_LINEAR && least >= 0 && axis->lower < 0) axis->lower = 0;
        if (axis->scale == PLOT_LINEAR && most <= 0 && axis->upper > 0) axis->upper = 0;
    }
}

double axis_label_width(const Axis *axis, double text_size)
{
    double width = 0;
    for (int i = 0; i < axis->tick_count; i++)
        width = fmax(width, text_width(axis->labels[i], text_size));
    return width;
}

/* No label touches the next. */
static bool labels_fit(const Axis *axis, bool horizontal, double text_size)
{
    for (int i = 1; i < axis->tick_count; i++) {
        double distance =
            fabs(axis_pixel(axis, axis->ticks[i]) - axis_pixel(axis, axis->ticks[i - 1]));
        double needed = 1.6 * text_size;
        if (horizontal)
            needed = text_size + 0.5 * (text_width(axis->labels[i], text_size) +
                                        text_width(axis->labels[i - 1], text_size));
        if (distance < needed) return false;
    }
    return true;
}

/* A step of 1, 2 or 5 times ten to the power. */
typedef struct Step {
    int mantissa, power;
} Step;

static Step step_at_least(double size)
{
    int power = (int)floor(log10(size));
    double mantissa = size / pow(10, power);
    if (mantissa <= 1 + 1e-9) return (Step){1, power};
    if (mantissa <= 2 + 1e-9) return (Step){2, power};
    if (mantissa <= 5 + 1e-9) return (Step){5, power};
    return (Step){1, power + 1};
}

static Step next_step(Step step)
{
    switch (step.mantissa) {
    case 1:
        return (Step){2, step.power};
    case 2:
        return (Step){5, step.power};
    default:
        return (Step){1, step.power + 1};
    }
}

static Step smaller_step(Step step)
{
    switch (step.mantissa) {
    case 5:
        return (Step){2, step.power};
    case 2:
        return (Step){1, step.power};
    default:
        return (Step){5, step.power - 1};
    }
}

/* count × step; by division where the power is negative, which rounds to the decimal meant. */
static double times_step(double count, Step step)
{
    double n = count * step.mantissa;
    if (n == 0) return 0; /* also where the power itself is out of range */
    return step.power < 0 ? n / pow(10, -step.power) : n * pow(10, step.power);
}

/* Labels count × step for counts first ... last, less `base` counts, with a common power of ten
 * where the numbers are large or small. */
static void label_steps(Axis *axis, double first, double last, double base, Step step)
{
    double largest =
        fmax(fabs(times_step(first - base, step)), fabs(times_step(last - base, step)));
    int shared = largest > 0 ? (int)floor(log10(largest) + 1e-9) : 0;
    if (shared >= -3 && shared < 5) shared = 0;
    int decimals = shared - step.power > 0 ? shared - step.power : 0;
    Step shown = {step.mantissa, step.power - shared};
    for (int i = 0; i < axis->tick_count; i++)
        number_fixed(times_step(first + i - base, shown), decimals, axis->labels[i]);
    char power[NUMBER_SIZE] = "", offset[NUMBER_SIZE] = "";
    if (shared) number_power_of_ten(shared, power);
    if (base != 0) number_general(times_step(fabs(base), step), 15, offset);
    snprintf(axis->note, sizeof axis->note, "%s%s%s%s", shared ? "\u00d7" : "", power,
             base == 0  ? ""
             : base > 0 ? (shared ? " + " : "+ ")
                        : (shared ? " \u2212 " : "\u2212 "),
             offset);
}

/* False where there would be too many. `lower` and `upper` are values, not u. */
static bool place_steps(Axis *axis, double lower, double upper, Step step)
{
    double unit = times_step(1, step);
    double first = ceil(lower / unit - 1e-9), last = floor(upper / unit + 1e-9);
    if (!(last - first < AXIS_MAX_TICKS)) return false;
    axis->tick_count = last >= first ? (int)(last - first) + 1 : 0;
    for (int i = 0; i < axis->tick_count; i++) {
        double value = times_step(first + i, step);
        axis->ticks[i] = axis->scale == PLOT_LOG ? log10(value) : value;
    }
    /* numbers that differ in the seventh digit are shown as differences from a round one */
    double base = 0;
    if (fmax(fabs(first), fabs(last)) > 1e6) {
        double round = pow(10, ceil(log10(last - first + 2)));
        base = (first >= 0 ? floor(first / round) : ceil(last / round)) * round;
    }
    label_steps(axis, first, last, base, step);
    return true;
}

static void linear_ticks(Axis *axis, bool horizontal, double text_size)
{
    bool log_scale = axis->scale == PLOT_LOG;
    double lower = log_scale ? pow(10, axis->lower) : axis->lower;
    double upper = log_scale ? pow(10, axis->upper) : axis->upper;
    double length = fabs(axis->end - axis->start);
    double wanted = fmax(2, length / (horizontal ? 58 : 42));
    Step step = step_at_least(2 * ((0.5 * upper - 0.5 * lower) / wanted));
    while (!place_steps(axis, lower, upper, step) || !labels_fit(axis, horizontal, text_size))
        step = next_step(step);
    /* one label does not make a scale; a smaller step where it has room */
    Step smaller = smaller_step(step);
    if (axis->tick_count < 2 &&
        !(place_steps(axis, lower, upper, smaller) && labels_fit(axis, horizontal, text_size)))
        place_steps(axis, lower, upper, step);
}

static void add_minor(Axis *axis, double u)
{
    if (axis_contains(axis, u) && axis->minor_count < AXIS_MAX_MINOR)
        axis->minor[axis->minor_count++] = u;
}

/* 2 ... 9 times each power of ten in sight, where they can be told apart. */
static void minor_digits(Axis *axis, double decade_px)
{
    if (decade_px < 25) return;
    for (double e = floor(axis->lower); e <= ceil(axis->upper); e++)
        for (int digit = 2; digit <= 9; digit++) add_minor(axis, e + log10(digit));
}

/* Every stride-th decade, on multiples of the stride. */
static void decade_ticks(Axis *axis, int stride)
{
    double first = ceil(axis->lower / stride - 1e-9) * stride;
    axis->tick_count = 0;
    for (double e = first; axis_contains(axis, e) && axis->tick_count < AXIS_MAX_TICKS;
         e += stride) {
        axis->ticks[axis->tick_count] = e;
        number_power_of_ten((int)e, axis->labels[axis->tick_count++]);
    }
}

/* 1, 2 and 5 times each power of ten; for less than two decades, so there are few. */
static void digit_ticks(Axis *axis)
{
    static const int digits[] = {1, 2, 5};
    axis->tick_count = 0;
    for (double e = floor(axis->lower); e <= ceil(axis->upper); e++)
        for (int i = 0; i < 3; i++) {
            double u = e + log10(digits[i]);
            if (!axis_contains(axis, u)) continue;
            axis->ticks[axis->tick_count] = u;
            if (e >= -4 && e < 5) {
                number_fixed(times_step(1, (Step){digits[i], (int)e}), e < 0 ? (int)-e : 0,
                             axis->labels[axis->tick_count]);
            } else {
                char power[NUMBER_SIZE];
                number_power_of_ten((int)e, power);
                if (digits[i] == 1)
                    snprintf(axis->labels[axis->tick_count], NUMBER_SIZE, "%.40s", power);
                else
                    snprintf(axis->labels[axis->tick_count], NUMBER_SIZE, "%d\u00d7%.20s",
                             digits[i], power);
            }
            axis->tick_count++;
        }
}

static void log_ticks(Axis *axis, bool horizontal, double text_size)
{
    double decades = axis->upper - axis->lower;
    double decade_px = fabs(axis->end - axis->start) / decades;
    if (decades < 2) {
        digit_ticks(axis);
        minor_digits(axis, decade_px);
        if (axis->tick_count >= 2 && labels_fit(axis, horizontal, text_size)) return;
        /* near the ends of the doubles only decades can be named */
        if (axis->tick_count < 2 && axis->lower > -290 && axis->upper < 300) {
            linear_ticks(axis, horizontal, text_size);
            return;
        }
    }
    Step step = {1, 0};
    for (;; step = next_step(step)) {
        decade_ticks(axis, (int)times_step(1, step));
        if (labels_fit(axis, horizontal, text_size)) break;
    }
    axis->minor_count = 0;
    if (times_step(1, step) == 1)
        minor_digits(axis, decade_px);
    else if (decade_px >= 4)
        for (double e = ceil(axis->lower); e <= axis->upper; e++) add_minor(axis, e);
}

void axis_set_ticks(Axis *axis, bool horizontal, double text_size)
{
    axis->tick_count = axis->minor_count = 0;
    axis->note[0] = '\0';
    if (axis->scale == PLOT_LOG)
        log_ticks(axis, horizontal, text_size);
    else
        linear_ticks(axis, horizontal, text_size);
}
