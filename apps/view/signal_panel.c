/* signal_panel.c: draws the list of signals and their curves, and answers the mouse there.
 *
 *   right   a line per signal: name, slider, value; a press on the name adds or removes its curve
 *   bottom  the curves, with a line at the present time */
#include "window.h"

#include <math.h>
#include <string.h>

static const OverlayColor white = {1, 1, 1, 1}, gray = {0.75f, 0.78f, 0.82f, 1};
static const OverlayColor shade = {0.05f, 0.06f, 0.08f, 0.72f}, rail = {1, 1, 1, 0.2f};
static const OverlayColor dim = {1, 1, 1, 0.35f}, accent = {0.45f, 0.8f, 1, 1};
static const OverlayColor colors[CURVE_COUNT] = {{0.45f, 0.8f, 1, 1},
                                                 {1, 0.5f, 0.7f, 1},
                                                 {1, 0.65f, 0.3f, 1},
                                                 {0.5f, 0.9f, 0.5f, 1},
                                                 {0.85f, 0.75f, 1, 1}};

typedef struct Place {
    float x, y, width, height; /* of the list, pixels */
    float line;
    float name, slider, value; /* where these start */
    float slider_width;
    int rows; /* that fit */
} Place;

static float bottom_of(const Viewer *viewer)
{
    float margin = 10 * viewer->scale, box[4];
    if (!viewer->playback) return (float)viewer->height - margin;
    panels_timeline(viewer, box);
    return box[1] - 2 * overlay_line_height(viewer->overlay);
}

static Place place_list(const Viewer *viewer)
{
    Place p = {.line = 1.15f * overlay_line_height(viewer->overlay)};
    float margin = 10 * viewer->scale, pad = 0.5f * p.line;
    float name = overlay_text_width(viewer->overlay, "a_long_joint_name.q0 ");
    float value = overlay_text_width(viewer->overlay, "-0.00000e-00");
    p.slider_width = 80 * viewer->scale;
    p.width = name + p.slider_width + value + 3 * pad;
    p.x = (float)viewer->width - margin - p.width;
    p.y = margin + 2.2f * overlay_line_height(viewer->overlay);
    float room = bottom_of(viewer) - p.y - 2 * pad;
    p.rows = room > p.line ? (int)(room / p.line) : 0;
    if (p.rows > viewer->signals.row_count) p.rows = viewer->signals.row_count;
    p.height = (float)p.rows * p.line + 2 * pad;
    p.name = p.x + pad;
    p.slider = p.name + name;
    p.value = p.slider + p.slider_width + pad;
    return p;
}

static int last_scroll(const Viewer *viewer, const Place *p)
{
    return viewer->signals.row_count > p->rows ? viewer->signals.row_count - p->rows : 0;
}

static double value_of(const Viewer *viewer, int signal)
{
    return signal < viewer->frame->signal_count ? viewer->frame->signals[signal] : (double)NAN;
}

static bool can_slide(const Viewer *viewer, const SignalRow *row)
{
    return row->high > row->low && (row->actuator >= 0 || viewer->status.paused);
}

static int curve_of(const Viewer *viewer, int signal)
{
    for (int i = 0; i < viewer->signals.curve_count; i++)
        if (viewer->signals.curves[i].signal == signal) return i;
    return -1;
}

static void draw_slider(const Viewer *viewer, const Place *p, const SignalRow *row, float y)
{
    Overlay *overlay = viewer->overlay;
    bool active = can_slide(viewer, row);
    double share = (value_of(viewer, row->signal) - row->low) / (row->high - row->low);
    float at = p->slider + p->slider_width * (float)fmin(fmax(share, 0), 1);
    float thick = 3 * viewer->scale, middle = y + 0.45f * p->line, knob = 3 * viewer->scale;
    overlay_rect(overlay, p->slider, middle - 0.5f * thick, p->slider_width, thick, rail);
    if (isfinite(share))
        overlay_rect(overlay, at - knob, middle - 2 * knob, 2 * knob, 4 * knob,
                     active ? accent : dim);
}

static void draw_list(const Viewer *viewer)
{
    Overlay *overlay = viewer->overlay;
    const Signals *signals = &viewer->signals;
    Place p = place_list(viewer);
    overlay_rect(overlay, p.x, p.y, p.width, p.height, shade);
    float y = p.y + 0.5f * p.line;
    for (int i = 0; i < p.rows; i++, y += p.line) {
        const SignalRow *row = &signals->rows[signals->scroll + i];
        char name[22], value[32];
        const char *whole = viewer->scene->signals[row->signal].name;
        size_t length = strlen(whole); /* the end tells more than the start */
        snprintf(name, sizeof name, "%s%s", length > 20 ? ".." : "",
                 length > 20 ? whole + length - 18 : whole);
        snprintf(value, sizeof value, "%.5g", value_of(viewer, row->signal));
        int curve = curve_of(viewer, row->signal);
        overlay_text(overlay, p.name, y, curve >= 0 ? colors[curve] : gray, name);
        if (row->high > row->low) draw_slider(viewer, &p, row, y);
        overlay_text(overlay, p.value, y, white, value);
    }
    int last = last_scroll(viewer, &p);
    if (last > 0) { /* where in the list this is */
        float share = (float)p.rows / (float)signals->row_count;
        float top = p.y + p.height * (1 - share) * (float)signals->scroll / (float)last;
        overlay_rect(overlay, p.x + p.width - 3 * viewer->scale, top, 3 * viewer->scale,
                     p.height * share, dim);
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

static void draw_curves(const Viewer *viewer)
{
    Overlay *overlay = viewer->overlay;
    const Signals *signals = &viewer->signals;
    float line = overlay_line_height(overlay), margin = 10 * viewer->scale;
    float height = 8 * line, x = margin, bottom = bottom_of(viewer);
    float right = signals->shown ? place_list(viewer).x : (float)viewer->width;
    float y = bottom - height, width = right - margin - x;
    if (width < 4 * line || y < 2 * margin) return;
    double times[2], values[2];
    char text[96];
    ranges_of(viewer, times, values);
    overlay_rect(overlay, x, y, width, height, shade);
    float at = x + 0.5f * line;
    for (int i = 0; i < signals->curve_count; i++) {
        int signal = signals->curves[i].signal;
        snprintf(text, sizeof text, "%.60s %.4g  ", viewer->scene->signals[signal].name,
                 value_of(viewer, signal));
        overlay_text(overlay, at, y + 0.2f * line, colors[i], text);
        at += overlay_text_width(overlay, text);
    }
    float labels = overlay_text_width(overlay, "-0.000e-00 ");
    float box[4] = {x + labels, y + 1.5f * line, width - labels - 0.5f * line, height - 3 * line};
    overlay_rect(overlay, box[0], box[1], box[2], box[3], (OverlayColor){1, 1, 1, 0.06f});
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%.4g", values[1 - k]);
        overlay_text(overlay, x + 0.5f * line, box[1] + (k ? box[3] - line : 0), gray, text);
        snprintf(text, sizeof text, "%.3g s", times[k]);
        float shift = k ? box[2] - overlay_text_width(overlay, text) : 0;
        overlay_text(overlay, box[0] + shift, box[1] + box[3] + 0.2f * line, gray, text);
    }
    for (int i = 0; i < signals->curve_count; i++)
        draw_curve(viewer, &signals->curves[i], box, times, values, colors[i]);
    double now = viewer->playback ? viewer->playback->time : viewer->frame->time;
    float share = (float)fmin(fmax((now - times[0]) / (times[1] - times[0]), 0), 1);
    float cursor[] = {box[0] + box[2] * share, box[1], box[0] + box[2] * share, box[1] + box[3]};
    overlay_line(overlay, cursor, 2, viewer->scale, white);
}

void signals_tell_place(const Viewer *viewer)
{
    FILE *out = viewer->def.events;
    Place p = place_list(viewer);
    event_begin(out, "list");
    event_integer(out, "rows", p.rows);
    event_number(out, "name", (double)p.name);
    event_number(out, "top", (double)(p.y + 0.5f * p.line));
    event_number(out, "line", (double)p.line);
    event_number(out, "slider", (double)p.slider);
    event_number(out, "slider_width", (double)p.slider_width);
    event_end(out);
}

void signals_draw(const Viewer *viewer)
{
    if (viewer->signals.curve_count) draw_curves(viewer);
    if (viewer->signals.shown) draw_list(viewer);
}

/* ---- mouse ---- */

/* The row under the mouse, or -1; `place` is where the list is. False: the mouse is elsewhere. */
static bool row_here(const Viewer *viewer, Place *place, int *row)
{
    *place = place_list(viewer);
    float x = (float)viewer->mouse.x, y = (float)viewer->mouse.y;
    if (!viewer->signals.shown || x < place->x || x > place->x + place->width || y < place->y ||
        y > place->y + place->height)
        return false;
    int index = (int)floorf((y - place->y - 0.5f * place->line) / place->line);
    *row = index >= 0 && index < place->rows ? viewer->signals.scroll + index : -1;
    return true;
}

void signals_toggle_curve(Viewer *viewer, int signal)
{
    bool on = curves_toggle(&viewer->signals, signal,
                            viewer->playback ? viewer->playback->recording : NULL);
    event_begin(viewer->def.events, "curve");
    event_text(viewer->def.events, "name", viewer->scene->signals[signal].name);
    event_bool(viewer->def.events, "value", on);
    event_end(viewer->def.events);
    viewer->redraw = true;
}

void signals_drag(Viewer *viewer)
{
    const SignalRow *row = &viewer->signals.rows[viewer->signals.dragged];
    Place p = place_list(viewer);
    double share = (viewer->mouse.x - (double)p.slider) / (double)p.slider_width;
    double value = row->low + fmin(fmax(share, 0), 1) * (row->high - row->low);
    bool is_ctrl = row->actuator >= 0;
    if (!simulation_set(viewer->simulation, is_ctrl ? COMMAND_CTRL : COMMAND_JOINT,
                        is_ctrl ? row->actuator : (int)row->joint, value))
        return; /* the next move of the mouse comes soon */
    event_begin(viewer->def.events, "slider");
    event_text(viewer->def.events, "name", viewer->scene->signals[row->signal].name);
    event_number(viewer->def.events, "value", value);
    event_end(viewer->def.events);
}

bool signals_press(Viewer *viewer)
{
    Place place;
    int index;
    if (!row_here(viewer, &place, &index)) return false;
    viewer->signals.dragged = -1;
    if (index < 0) return true;
    const SignalRow *row = &viewer->signals.rows[index];
    float x = (float)viewer->mouse.x, rim = 4 * viewer->scale;
    bool on_slider = x >= place.slider - rim && x <= place.slider + place.slider_width + rim;
    if (!on_slider || !(row->high > row->low)) {
        signals_toggle_curve(viewer, row->signal);
    } else if (can_slide(viewer, row)) {
        viewer->signals.dragged = index;
        signals_drag(viewer);
    } else {
        viewer_say(viewer, "joints move by hand while the simulation is paused (Space)");
    }
    return true;
}

bool signals_wheel(Viewer *viewer, double notches)
{
    Place place;
    int index;
    if (!row_here(viewer, &place, &index)) return false;
    int scroll = viewer->signals.scroll - (int)(3 * notches), last = last_scroll(viewer, &place);
    viewer->signals.scroll = scroll < 0 ? 0 : scroll > last ? last : scroll;
    viewer->redraw = true;
    return true;
}
