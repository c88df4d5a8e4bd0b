/* plots.c: a small line of the newest values, with the range of its axis; and the profiler. */
#include "window.h"

#include <math.h>
#include <stdio.h>

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

void plot_draw(Overlay *overlay, const Samples *samples, const PlotStyle *style, UiRect box,
               float scale)
{
    const OverlayColor ground = {1, 1, 1, 0.07f}, rim = {1, 1, 1, 0.2f}, gray = {1, 1, 1, 0.6f};
    float x = box.x, y = box.y, width = box.width, line_height = overlay_line_height(overlay);
    float top = y + line_height, height = box.height - line_height;
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

/* ---- the profiler: times of the phases, one on top of the other ---- */

void profile_add(Profile *profile, const TnStepTimes *times)
{
    int place = (profile->first + profile->count) % PLOT_ROOM;
    const double *phases = &times->dynamics; /* all members are doubles, the total the last */
    for (int k = 0; k < PHASE_COUNT; k++) profile->values[place][k] = (float)(1e3 * phases[k]);
    if (profile->count < PLOT_ROOM)
        profile->count++;
    else
        profile->first = (profile->first + 1) % PLOT_ROOM;
}

void profile_draw(Overlay *overlay, const Profile *profile, UiRect box)
{
    static const struct {
        const char *name;
        OverlayColor color;
    } phases[PHASE_COUNT] = {
        {"dynamics", {0.40f, 0.62f, 0.95f, 1}},   {"collision", {0.95f, 0.70f, 0.30f, 1}},
        {"constraint", {0.55f, 0.82f, 0.45f, 1}}, {"factor", {0.80f, 0.55f, 0.90f, 1}},
        {"iterate", {0.95f, 0.45f, 0.45f, 1}},    {"integrate", {0.45f, 0.85f, 0.85f, 1}}};
    float line = overlay_line_height(overlay), letter = overlay_text_width(overlay, "m");
    float labels = 22 * letter, pad = 0.5f * line, means[PHASE_COUNT] = {0}, most = 0;
    char text[64];
    for (int i = 0; i < profile->count; i++) {
        float sum = 0;
        for (int k = 0; k < PHASE_COUNT; k++) {
            sum += profile->values[i][k];
            means[k] += profile->values[i][k] / (float)profile->count;
        }
        most = fmaxf(most, sum);
    }
    float top = (float)round_up((double)most);
    overlay_rect(overlay, box.x, box.y, box.width, box.height, ui_shade);
    for (int k = 0; k < PHASE_COUNT; k++) { /* in the order of the bands, the lowest below */
        float y = box.y + pad + (float)(PHASE_COUNT - 1 - k) * line;
        overlay_rect(overlay, box.x + pad, y + 0.25f * line, 0.5f * line, 0.5f * line,
                     phases[k].color);
        snprintf(text, sizeof text, "%-10s %6.3f", phases[k].name, (double)means[k]);
        overlay_text(overlay, box.x + pad + line, y, ui_gray, text);
    }
    overlay_text(overlay, box.x + pad, box.y + box.height - 1.2f * line, ui_gray,
                 "mean, ms per step");
    UiRect plot = {box.x + labels, box.y + 1.5f * line, box.width - labels - pad,
                   box.height - 2 * line};
    snprintf(text, sizeof text, "0 ... %g ms, the last %d", (double)top, profile->count);
    overlay_text(overlay, plot.x, box.y + 0.2f * line, ui_gray, text);
    if (plot.width < line) return;
    overlay_rect(overlay, plot.x, plot.y, plot.width, plot.height, (OverlayColor){1, 1, 1, 0.06f});
    for (int i = 0; i < profile->count; i++) {
        const float *values = profile->values[(profile->first + i) % PLOT_ROOM];
        int place = PLOT_ROOM - profile->count + i; /* the newest at the right */
        float left = floorf(plot.width * (float)place / PLOT_ROOM), y = plot.y + plot.height;
        float right = floorf(plot.width * (float)(place + 1) / PLOT_ROOM);
        for (int k = 0; k < PHASE_COUNT; k++) {
            float height = plot.height * values[k] / top;
            y -= height;
            overlay_rect(overlay, plot.x + left, y, right - left, height, phases[k].color);
        }
    }
}
