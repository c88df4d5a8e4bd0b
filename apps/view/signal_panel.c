/* signal_panel.c: the list of signals as rows of a panel, and their curves.
 *
 * A section for each kind. A line has name, slider and value; a press on the name adds or removes
 * its curve. What is only measured has a bar in place of the slider, as a share of the largest
 * value that was seen. */
#include "window.h"

#include <math.h>
#include <stdio.h>

static const OverlayColor colors[CURVE_COUNT] = {{0.45f, 0.8f, 1, 1},
                                                 {1, 0.5f, 0.7f, 1},
                                                 {1, 0.65f, 0.3f, 1},
                                                 {0.5f, 0.9f, 0.5f, 1},
                                                 {0.85f, 0.75f, 1, 1}};

static double value_of(const Viewer *viewer, int signal)
{
    return signal < viewer->frame->signal_count ? viewer->frame->signals[signal] : (double)NAN;
}

static int curve_of(const Viewer *viewer, int signal)
{
    for (int i = 0; i < viewer->signals.curve_count; i++)
        if (viewer->signals.curves[i].signal == signal) return i;
    return -1;
}

void signals_toggle_curve(Viewer *viewer, int signal)
{
    bool on = curves_toggle(&viewer->signals, signal,
                            viewer->playback ? viewer->playback->recording : NULL);
    if (on && !viewer->playback) curves_sample(&viewer->signals, viewer->frame);
    event_begin(viewer->def.events, "curve");
    event_text(viewer->def.events, "name", viewer->scene->signals[signal].name);
    event_bool(viewer->def.events, "value", on);
    event_end(viewer->def.events);
    viewer->redraw = true;
}

static void set_value(Viewer *viewer, const SignalRow *row, double value)
{
    bool is_ctrl = row->actuator >= 0;
    if (!simulation_set(viewer->simulation, is_ctrl ? COMMAND_CTRL : COMMAND_JOINT,
                        is_ctrl ? row->actuator : (int)row->joint, value))
        return; /* the next move of the mouse comes soon */
    event_begin(viewer->def.events, "slider");
    event_text(viewer->def.events, "name", viewer->scene->signals[row->signal].name);
    event_number(viewer->def.events, "value", value);
    event_end(viewer->def.events);
}

static void signal_row(Viewer *viewer, SignalRow *row)
{
    int curve = curve_of(viewer, row->signal);
    double value = value_of(viewer, row->signal);
    if (fabs(value) > row->seen && isfinite(value)) row->seen = fabs(value);
    bool slides = row->high > row->low;
    UiSlider slider = {.label = viewer->scene->signals[row->signal].name,
                       .low = slides ? row->low : row->seen,
                       .high = slides ? row->high : row->seen,
                       .moves = row->actuator >= 0 || viewer->status.paused,
                       .color = curve >= 0 ? colors[curve] : ui_gray};
    switch (ui_slider(&viewer->ui, &slider, &value)) {
    case UI_SLIDE_VALUE:
        set_value(viewer, row, value);
        break;
    case UI_SLIDE_NAME:
        signals_toggle_curve(viewer, row->signal);
        break;
    case UI_SLIDE_REFUSED:
        viewer_say(viewer, "joints move by hand while the simulation is paused (Space)");
        break;
    case UI_SLIDE_NOTHING:
        break;
    }
}

void signals_rows(Viewer *viewer)
{
    static const char *const names[TN_SIGNAL_COUNT] = {
        [TN_SIGNAL_CTRL] = "Controls",  [TN_SIGNAL_POSITION] = "Joints",
        [TN_SIGNAL_SENSOR] = "Sensors", [TN_SIGNAL_VELOCITY] = "Velocities",
        [TN_SIGNAL_FORCE] = "Forces",   [TN_SIGNAL_ACTIVATION] = "Activations"};
    int last = -1;
    bool open = false;
    for (int i = 0; i < viewer->signals.row_count; i++) {
        SignalRow *row = &viewer->signals.rows[i];
        int kind = (int)viewer->scene->signals[row->signal].kind;
        if (kind != last) open = ui_section(&viewer->ui, names[kind], true);
        last = kind;
        if (open) signal_row(viewer, row);
    }
}

/* ---- curves ---- */

static void ranges_of(const Viewer *viewer, double times[2], double values[2])
{
    times[0] = values[0] = INFINITY;
    times[1] = values[1] = -INFINITY;
    for (int i = 0; i < viewer->signals.curve_count; i++) {
        const Curve *curve = &viewer->signals.curves[i];
        for (int k = 0; k < curve->count; k++) {
            times[0] = fmin(times[0], curve->times[k]);
            times[1] = fmax(times[1], curve->times[k]);
            if (!isfinite((double)curve->values[k])) continue;
            values[0] = fmin(values[0], (double)curve->values[k]);
            values[1] = fmax(values[1], (double)curve->values[k]);
        }
    }
    if (!(times[1] >= times[0])) times[0] = times[1] = 0; /* there is nothing yet */
    if (!(times[1] > times[0])) times[1] = times[0] + 1;
    if (!(values[1] >= values[0])) values[0] = values[1] = 0;
    double rim = values[1] > values[0] ? 0 : fmax(0.1 * fabs(values[0]), 1e-3);
    values[0] -= rim;
    values[1] += rim;
}

static void draw_curve(const Viewer *viewer, const Curve *curve, const float box[4],
                       const double times[2], const double values[2], OverlayColor color)
{
    float points[2 * CURVE_ROOM];
    int count = 0;
    for (int k = 0; k < curve->count; k++) {
        if (!isfinite((double)curve->values[k])) continue;
        double x = (curve->times[k] - times[0]) / (times[1] - times[0]);
        double y = ((double)curve->values[k] - values[0]) / (values[1] - values[0]);
        points[2 * count] = box[0] + box[2] * (float)x;
        points[2 * count + 1] = box[1] + box[3] * (1 - (float)y);
        count++;
    }
    if (count > 1) overlay_line(viewer->overlay, points, count, 1.5f * viewer->scale, color);
}

void curves_draw(const Viewer *viewer, UiRect box)
{
    Overlay *overlay = viewer->overlay;
    const Signals *signals = &viewer->signals;
    float line = overlay_line_height(overlay), x = box.x, y = box.y, room = box.width;
    double times[2], values[2];
    char text[96];
    ranges_of(viewer, times, values);
    overlay_rect(overlay, x, y, room, box.height, ui_shade);
    float at = x + 0.5f * line;
    for (int i = 0; i < signals->curve_count; i++) {
        int signal = signals->curves[i].signal;
        snprintf(text, sizeof text, "%.60s %.4g  ", viewer->scene->signals[signal].name,
                 value_of(viewer, signal));
        float width = overlay_text_width(overlay, text);
        if (at + width > x + room + line) break; /* the colour of its name in the list tells it */
        overlay_text(overlay, at, y + 0.2f * line, colors[i], text);
        at += width;
    }
    float labels = overlay_text_width(overlay, "-0.0001234  ");
    float plot[4] = {x + labels, y + 1.5f * line, room - labels - 0.5f * line,
                     box.height - 3 * line};
    overlay_rect(overlay, plot[0], plot[1], plot[2], plot[3], (OverlayColor){1, 1, 1, 0.06f});
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%.4g", values[1 - k]);
        overlay_text(overlay, x + 0.5f * line, plot[1] + (k ? plot[3] - line : 0), ui_gray, text);
        snprintf(text, sizeof text, "%.3g s", times[k]);
        float shift = k ? plot[2] - overlay_text_width(overlay, text) : 0;
        overlay_text(overlay, plot[0] + shift, plot[1] + plot[3] + 0.2f * line, ui_gray, text);
    }
    for (int i = 0; i < signals->curve_count; i++)
        draw_curve(viewer, &signals->curves[i], plot, times, values, colors[i]);
    double now = viewer->playback ? viewer->playback->time : viewer->frame->time;
    float share = (float)fmin(fmax((now - times[0]) / (times[1] - times[0]), 0), 1);
    float cursor[] = {plot[0] + plot[2] * share, plot[1], plot[0] + plot[2] * share,
                      plot[1] + plot[3]};
    overlay_line(overlay, cursor, 2, viewer->scale, ui_white);
}
