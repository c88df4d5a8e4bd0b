/* plots.c: a small line of the newest values, with the range of its axis. */
#include "window.h"

#include <math.h>

void plot_add(Samples *samples, double value)
{
    int place = (samples->first + samples->count) % PLOT_ROOM;
    samples->values[place] = (float)value;
    if (samples->count < PLOT_ROOM)
        samples->count++;
    else
        samples->first = (samples->first + 1) % PLOT_ROOM;
}

static double value_at(const Samples *samples, int i)
{
    return samples->values[(samples->first + i) % PLOT_ROOM];
}

/* The next of 1, 2, 5, 10, … that is not below. */
static double round_up(double x)
{
    if (!(x > 0)) return 1;
    double power = pow(10, floor(log10(x)));
    const double steps[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++)
        if (x <= steps[i] * power * (1 + 1e-9)) return steps[i] * power;
    return 10 * power;
}

/* Decades of a logarithmic axis, at least two; values that are not positive do not count. */
static void decades(const Samples *samples, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < samples->count; i++) {
        double x = value_at(samples, i);
        if (!(x > 0) || !isfinite(x)) continue;
        *low = fmin(*low, floor(log10(x)));
        *high = fmax(*high, ceil(log10(x)));
    }
    if (*low > *high) {
        *low = -6;
        *high = 0;
    }
    if (*high < *low + 2) *low = *high - 2;
    if (*high > *low + 8) *low = *high - 8; /* one tiny value must not flatten the rest */
}

void plot_draw(Overlay *overlay, const Samples *samples, const PlotStyle *style, float x, float y,
               float width, float height, float scale)
{
    const OverlayColor ground = {1, 1, 1, 0.07f}, rim = {1, 1, 1, 0.2f}, gray = {1, 1, 1, 0.6f};
    float line_height = overlay_line_height(overlay), top = y + line_height;
    char text[64], number[32];
    double low = 0, high = style->least_top;
    if (style->logarithmic) {
        decades(samples, &low, &high);
        snprintf(text, sizeof text, "1e%.0f ... 1e%.0f", low, high);
    } else {
        for (int i = 0; i < samples->count; i++)
            if (isfinite(value_at(samples, i))) high = fmax(high, value_at(samples, i));
        high = round_up(high);
        snprintf(number, sizeof number, "%g", high);
        snprintf(text, sizeof text, "0 ... %s", number);
    }
    overlay_text(overlay, x, y, style->color, style->name);
    overlay_text(overlay, x + width - overlay_text_width(overlay, text), y, gray, text);
    overlay_rect(overlay, x, top, width, height, ground);
    float base[] = {x, top + height, x + width, top + height};
    overlay_line(overlay, base, 2, scale, rim);
    float points[2 * PLOT_ROOM];
    int count = 0;
    for (int i = 0; i < samples->count; i++) {
        double value = value_at(samples, i);
        if (style->logarithmic) value = value > 0 ? log10(value) : low;
        double share = isfinite(value) ? fmin(fmax((value - low) / (high - low), 0), 1) : 0;
        int place = PLOT_ROOM - samples->count + i; /* the newest at the right */
        points[2 * count] = x + width * (float)place / (PLOT_ROOM - 1);
        points[2 * count + 1] = top + height * (1 - (float)share);
        count++;
    }
    if (count > 1) overlay_line(overlay, points, count, 1.5f * scale, style->color);
}
