/* panels.c: what is written over the picture: figures, help, messages, a recording's bar, names.
 *
 *   upper left   figures and plots (F2), or the help (F1)
 *   upper right  paused, speed
 *   lower left   messages, the hint at F1
 *   bottom       the bar of a recording
 * Signals and their curves are drawn by signal_panel.c. */
#include "window.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const OverlayColor white = {1, 1, 1, 1}, gray = {0.75f, 0.78f, 0.82f, 1};
static const OverlayColor accent = {0.45f, 0.8f, 1, 1}, amber = {1, 0.8f, 0.35f, 1};
static const OverlayColor red = {1, 0.42f, 0.38f, 1}, shade = {0.05f, 0.06f, 0.08f, 0.72f};

static float margin_of(const Viewer *viewer) { return 10 * viewer->scale; }

/* ---- a panel: lines of label and value on a dark ground ---- */

enum { PANEL_LINES = 24, LABEL_SIZE = 24, VALUE_SIZE = 48 };
typedef struct Panel {
    char labels[PANEL_LINES][LABEL_SIZE], values[PANEL_LINES][VALUE_SIZE];
    OverlayColor colors[PANEL_LINES];
    int count;
} Panel;

__attribute__((format(printf, 4, 5))) static void
panel_line(Panel *panel, const char *label, OverlayColor color, const char *format, ...)
{
    if (panel->count == PANEL_LINES) return;
    va_list args;
    va_start(args, format);
    snprintf(panel->labels[panel->count], LABEL_SIZE, "%s", label);
    vsnprintf(panel->values[panel->count], VALUE_SIZE, format, args);
    panel->colors[panel->count++] = color;
    va_end(args);
}

/* "1/4" where that is what is meant. */
static void speed_text(double speed, char *text, size_t size)
{
    if (speed < 1 && fabs(1 / speed - round(1 / speed)) < 1e-9)
        snprintf(text, size, "1/%.0f", 1 / speed);
    else
        snprintf(text, size, "%g", speed);
}

static void add_time_lines(const Viewer *viewer, Panel *panel)
{
    const TnFrame *frame = viewer->frame;
    char speed[32];
    speed_text(viewer->speed, speed, sizeof speed);
    if (viewer->playback) {
        const Playback *playback = viewer->playback;
        panel_line(panel, "time", white, "%.3f s of %.3f s", frame->time, playback->info.end);
        panel_line(panel, "frame", white, "%d of %d", playback_index(playback) + 1,
                   playback->info.frame_count);
        panel_line(panel, "speed", white, "%s%s", speed, playback->loop ? ", repeats" : "");
        return;
    }
    const SimulationStatus *status = &viewer->status;
    panel_line(panel, "time", white, "%.3f s, step %lld", frame->time, (long long)status->step);
    panel_line(panel, "speed", white, "%s", speed);
    if (status->paused)
        panel_line(panel, "real-time factor", gray, "paused");
    else if (status->real_time_factor > 0)
        panel_line(panel, "real-time factor", status->late ? amber : white, "%.3g%s",
                   status->real_time_factor, status->late ? ", cannot keep up" : "");
    else
        panel_line(panel, "real-time factor", gray, "measuring");
}

static void add_step_lines(const Viewer *viewer, Panel *panel)
{
    const TnFrame *frame = viewer->frame;
    panel_line(panel, "contacts", white, "%d", frame->contact_count);
    panel_line(panel, "iterations", white, "%d", frame->iterations);
    const SimulationStatus *status = &viewer->status;
    if (viewer->simulation && status->islands > 0) {
        panel_line(panel, "error", status->converged ? white : amber, "%.1e of g\u00b7t%s",
                   status->error, status->converged ? "" : ", missed");
        panel_line(panel, "islands", white, "%d", status->islands);
        if (status->asleep) panel_line(panel, "asleep", white, "%d subsystems", status->asleep);
    } else {
        panel_line(panel, "residual", white, "%.2e m/s", frame->residual);
    }
    panel_line(panel, "energy kinetic", white, "%.4g J", frame->kinetic);
    panel_line(panel, "  potential", white, "%.4g J", frame->potential);
    panel_line(panel, "penetration mean", white, "%.3g mm", 1e3 * frame->mean_penetration);
    panel_line(panel, "  largest", white, "%.3g mm", 1e3 * frame->max_penetration);
    if (viewer->simulation)
        panel_line(panel, "states kept", white, "%d, %.1f MB", viewer->status.states,
                   1e-6 * (double)viewer->status.state_bytes);
    DrawStats stats = renderer_stats(viewer->renderer);
    panel_line(panel, "pictures", white, "%.0f/s, %.3g triangles", viewer->fps,
               (double)stats.triangles);
}

static float draw_panel_lines(const Viewer *viewer, const Panel *panel, float x, float y)
{
    Overlay *overlay = viewer->overlay;
    float column = overlay_text_width(overlay, "penetration mean  ");
    for (int i = 0; i < panel->count; i++, y += overlay_line_height(overlay)) {
        overlay_text(overlay, x, y, gray, panel->labels[i]);
        overlay_text(overlay, x + column, y, panel->colors[i], panel->values[i]);
    }
    return y;
}

static float draw_phases(const Viewer *viewer, float x, float y, float width)
{
    Overlay *overlay = viewer->overlay;
    const TnStepTimes *t = &viewer->times;
    const struct {
        const char *name;
        double seconds;
    } phases[] = {{"dynamics", t->dynamics},     {"collision", t->collision},
                  {"constraint", t->constraint}, {"factor", t->factor},
                  {"iterate", t->iterate},       {"integrate", t->integrate}};
    float line = overlay_line_height(overlay), bar = overlay_text_width(overlay, "constraint  ");
    float text = overlay_text_width(overlay, "0000.000 ms");
    char number[48];
    snprintf(number, sizeof number, "%.3f ms", 1e3 * t->total);
    overlay_text(overlay, x, y, accent, "time of a step");
    overlay_text(overlay, x + width - overlay_text_width(overlay, number), y, white, number);
    y += line;
    for (int i = 0; i < 6; i++, y += line) {
        double share = t->total > 0 ? fmin(phases[i].seconds / t->total, 1) : 0;
        float room = width - bar - text;
        snprintf(number, sizeof number, "%.3f ms", 1e3 * phases[i].seconds);
        overlay_text(overlay, x, y, gray, phases[i].name);
        overlay_rect(overlay, x + bar, y + 0.2f * line, room, 0.6f * line,
                     (OverlayColor){1, 1, 1, 0.07f});
        overlay_rect(overlay, x + bar, y + 0.2f * line, room * (float)share, 0.6f * line, accent);
        overlay_text(overlay, x + width - overlay_text_width(overlay, number), y, white, number);
    }
    return y;
}

static float info_width(const Viewer *viewer)
{
    return overlay_text_width(viewer->overlay, "penetration mean  0000.000 s of 0000.000 s") +
           overlay_line_height(viewer->overlay);
}

static void draw_info(const Viewer *viewer)
{
    Overlay *overlay = viewer->overlay;
    Panel panel = {0};
    float line = overlay_line_height(overlay), margin = margin_of(viewer);
    float x = margin, y = margin, pad = 0.5f * line;
    float width = info_width(viewer) - 2 * pad;
    add_time_lines(viewer, &panel);
    add_step_lines(viewer, &panel);
    bool has_factor = viewer->simulation != NULL;
    int plots = has_factor ? 3 : 2;
    float lines = (float)(panel.count + 8) * line, gap = 0.4f * line;
    float room = (float)viewer->height - 2 * margin - 2 * pad - lines;
    if (viewer->playback) {
        float box[4];
        panels_timeline(viewer, box);
        room -= (float)viewer->height - box[1];
    }
    /* plots take what is left, and are left out where that is too little */
    float plot = fminf(4 * line, room / (float)plots - line - gap);
    bool has_plots = plot > line;
    float height = lines + 2 * pad + (has_plots ? (float)plots * (plot + line + gap) : 0);
    overlay_rect(overlay, x, y, width + 2 * pad, height, shade);
    x += pad;
    y += pad;
    overlay_text(overlay, x, y, accent, viewer->scene->name[0] ? viewer->scene->name : "model");
    y = draw_panel_lines(viewer, &panel, x, y + line);
    y = draw_phases(viewer, x, y, width) + gap;
    if (!has_plots) return;
    const PlotStyle residual = {"residual, m/s", true, 0, {1, 0.6f, 0.35f, 1}};
    const PlotStyle contacts = {"contacts", false, 10, {0.5f, 0.9f, 0.5f, 1}};
    const PlotStyle factor = {"real-time factor", false, 1, {0.45f, 0.8f, 1, 1}};
    plot_draw(overlay, &viewer->residuals, &residual, x, y, width, plot, viewer->scale);
    y += plot + line + gap;
    plot_draw(overlay, &viewer->contacts, &contacts, x, y, width, plot, viewer->scale);
    y += plot + line + gap;
    if (has_factor) plot_draw(overlay, &viewer->factors, &factor, x, y, width, plot, viewer->scale);
}

void panels_sample(Viewer *viewer)
{
    const TnFrame *frame = viewer->frame;
    if (viewer->simulation && viewer->status.paused && viewer->status.step == 0) return;
    plot_add(&viewer->residuals, frame->residual);
    plot_add(&viewer->contacts, frame->contact_count);
    if (!viewer->status.paused) plot_add(&viewer->factors, viewer->status.real_time_factor);
    double *smooth = &viewer->times.dynamics;
    const double *newest = &frame->times.dynamics;
    /* the fields of TnStepTimes, which are all doubles */
    for (size_t i = 0; i < sizeof viewer->times / sizeof(double); i++)
        smooth[i] += (smooth[i] > 0 ? 0.1 : 1.0) * (newest[i] - smooth[i]);
}

/* ---- help ---- */

/* Where a column of the help ends: headings stay with their rows. */
static int rows_that_fit(const HelpRow *rows, int count, int from, int room)
{
    if (count - from <= room) return count - from;
    int fits = room;
    while (fits > 1 && !rows[from + fits - 1].text) fits--;
    return fits;
}

static void draw_help(const Viewer *viewer)
{
    Overlay *overlay = viewer->overlay;
    HelpRow rows[HELP_ROOM];
    int count = keys_help(viewer->playback != NULL, rows);
    float line = overlay_line_height(overlay), margin = margin_of(viewer), pad = 0.7f * line;
    float label = overlay_text_width(overlay, "Ctrl+right drag ");
    float column = label + overlay_text_width(overlay, "free camera, select nothing  ");
    int room = (int)(((float)viewer->height - 2 * margin - 2 * pad) / line);
    int columns = (int)(((float)viewer->width - 2 * margin - 2 * pad) / column);
    if (columns < 1) columns = 1;
    if (room < 1) room = 1;
    /* as even as possible, within what the window has */
    int even = (count + columns - 1) / columns + 1;
    if (even < room) room = even;
    int used = 0, longest = 0;
    for (int from = 0; from < count && used < columns; used++) {
        int fits = rows_that_fit(rows, count, from, room);
        if (fits > longest) longest = fits;
        from += fits;
    }
    overlay_rect(overlay, margin, margin, (float)used * column + 2 * pad,
                 (float)longest * line + 2 * pad, (OverlayColor){0.05f, 0.06f, 0.08f, 0.86f});
    float x = margin + pad;
    for (int from = 0, c = 0; from < count && c < used; c++, x += column) {
        int fits = rows_that_fit(rows, count, from, room);
        float y = margin + pad;
        for (int i = from; i < from + fits; i++, y += line) {
            overlay_text(overlay, x, y, rows[i].text ? amber : accent, rows[i].label);
            if (rows[i].text) overlay_text(overlay, x + label, y, white, rows[i].text);
        }
        from += fits;
    }
}

/* ---- small things ---- */

/* A line of text on its own dark ground, by its lower left corner; returns the top. */
static float draw_note(const Viewer *viewer, float x, float bottom, OverlayColor color,
                       const char *text)
{
    Overlay *overlay = viewer->overlay;
    float line = overlay_line_height(overlay), pad = 0.35f * line;
    float top = bottom - line - 2 * pad;
    overlay_rect(overlay, x, top, overlay_text_width(overlay, text) + 4 * pad, line + 2 * pad,
                 shade);
    overlay_text(overlay, x + 2 * pad, top + pad, color, text);
    return top - 0.3f * line;
}

static void draw_state(const Viewer *viewer)
{
    char text[64], speed[32];
    OverlayColor color = white;
    bool paused = viewer->playback ? viewer->playback->paused : viewer->status.paused;
    speed_text(viewer->speed, speed, sizeof speed);
    if (paused) {
        color = amber;
        snprintf(text, sizeof text, "paused");
    } else if (viewer->simulation && viewer->status.late && viewer->status.real_time_factor > 0) {
        color = amber;
        snprintf(text, sizeof text, "speed %s, reaches %.2g", speed,
                 viewer->status.real_time_factor);
    } else if (viewer->speed != 1) {
        snprintf(text, sizeof text, "speed %s", speed);
    } else {
        return;
    }
    float line = overlay_line_height(viewer->overlay), margin = margin_of(viewer);
    float width = overlay_text_width(viewer->overlay, text) + 1.4f * line;
    draw_note(viewer, (float)viewer->width - margin - width, margin + 1.7f * line, color, text);
}

void panels_timeline(const Viewer *viewer, float box[4])
{
    float margin = margin_of(viewer), height = 8 * viewer->scale;
    box[0] = 2 * margin;
    box[1] = (float)viewer->height - 2 * margin - height;
    box[2] = fmaxf((float)viewer->width - 4 * margin, 1);
    box[3] = height;
}

static void draw_timeline(const Viewer *viewer)
{
    const Playback *playback = viewer->playback;
    Overlay *overlay = viewer->overlay;
    float box[4], line = overlay_line_height(overlay);
    char text[64];
    panels_timeline(viewer, box);
    double span = playback->info.end - playback->info.start;
    double share = span > 0 ? (playback->time - playback->info.start) / span : 1;
    float place = box[0] + box[2] * (float)share, knob = 5 * viewer->scale;
    float margin = margin_of(viewer);
    overlay_rect(overlay, margin, box[1] - 1.5f * line, box[2] + 2 * margin,
                 (float)viewer->height - box[1] + 1.5f * line - margin, shade);
    overlay_rect(overlay, box[0], box[1], box[2], box[3], (OverlayColor){1, 1, 1, 0.22f});
    overlay_rect(overlay, box[0], box[1], place - box[0], box[3], accent);
    overlay_rect(overlay, place - knob, box[1] - 0.5f * knob, 2 * knob, box[3] + knob, white);
    snprintf(text, sizeof text, "%.3f s", playback->time);
    overlay_text(overlay, box[0], box[1] - 1.3f * line, white, text);
    snprintf(text, sizeof text, "%.3f s", playback->info.end);
    overlay_text(overlay, box[0] + box[2] - overlay_text_width(overlay, text), box[1] - 1.3f * line,
                 gray, text);
}

static void draw_messages(const Viewer *viewer)
{
    double now = glfw.GetTime();
    float margin = margin_of(viewer), x = margin, bottom = (float)viewer->height - margin;
    if (viewer->shows_info && !viewer->shows_help) x += info_width(viewer) + margin;
    if (viewer->playback) {
        float box[4];
        panels_timeline(viewer, box);
        bottom = box[1] - 2 * overlay_line_height(viewer->overlay);
        if (viewer->playback->info.cut_off)
            bottom = draw_note(viewer, x, bottom, amber,
                               "the recording was cut off: what is whole is shown");
    }
    if (viewer->simulation && viewer->status.diverged)
        bottom = draw_note(viewer, x, bottom, red,
                           "the simulation diverged: this is the last good state");
    if (now < viewer->message_until)
        bottom =
            draw_note(viewer, x, bottom, viewer->message_is_error ? red : white, viewer->message);
    if (viewer->selected) {
        char name[32], text[320];
        snprintf(text, sizeof text, "selected: %s",
                 viewer_body_name(viewer, viewer->selected, name));
        bottom = draw_note(viewer, x, bottom, accent, text);
    }
    if (now < viewer->hint_until && !viewer->shows_help)
        draw_note(viewer, x, bottom, gray, "F1 help");
}

/* Where a point is in the picture, in pixels; false where it is behind the camera or outside. */
static bool project(const Viewer *viewer, const View *view, const double point[3], float *x,
                    float *y)
{
    const double *f = view->forward, *u = view->up;
    const double right[3] = {f[1] * u[2] - f[2] * u[1], f[2] * u[0] - f[0] * u[2],
                             f[0] * u[1] - f[1] * u[0]};
    double across = 0, upwards = 0, depth = 0;
    for (int k = 0; k < 3; k++) {
        double offset = point[k] - view->eye[k];
        across += offset * right[k];
        upwards += offset * u[k];
        depth += offset * f[k];
    }
    if (depth <= 1e-9) return false;
    double unit = 0.5 * viewer->height / (depth * tan(view->fovy / 2));
    *x = (float)(0.5 * viewer->width + unit * across);
    *y = (float)(0.5 * viewer->height - unit * upwards);
    return *x >= 0 && *y >= 0 && *x < (float)viewer->width && *y < (float)viewer->height;
}

/* Takes the cells of a raster under a text, where all are free. */
enum { CELLS = 64 };
static bool take_cells(const Viewer *viewer, bool cells[CELLS][CELLS], float x, float y,
                       float width, float height)
{
    int left = (int)(x / (float)viewer->width * CELLS),
        top = (int)(y / (float)viewer->height * CELLS);
    int right = (int)((x + width) / (float)viewer->width * CELLS);
    int bottom = (int)((y + height) / (float)viewer->height * CELLS);
    right = right < CELLS ? right : CELLS - 1;
    bottom = bottom < CELLS ? bottom : CELLS - 1;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++)
            if (cells[r][c]) return false;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++) cells[r][c] = true;
    return true;
}

/* Names beside the bodies; one that would lie over another is left out, the selected one never. */
static void draw_labels(const Viewer *viewer, const View *view)
{
    bool cells[CELLS][CELLS] = {{false}};
    float x, y, line = overlay_line_height(viewer->overlay);
    for (int i = 1; i <= viewer->scene->body_count; i++) {
        /* the selected body first */
        TnBodyId body = i > 1 ? i : viewer->selected;
        if (body == 0 || (i > 1 && body == viewer->selected)) continue;
        if (!project(viewer, view, viewer->frame->poses + 7 * (body - 1), &x, &y)) continue;
        char name[32];
        const char *text = viewer_body_name(viewer, body, name);
        if (!take_cells(viewer, cells, x, y, overlay_text_width(viewer->overlay, text), line))
            continue;
        overlay_text(viewer->overlay, x + viewer->scale, y + viewer->scale,
                     (OverlayColor){0, 0, 0, 0.8f}, text);
        overlay_text(viewer->overlay, x, y, body == viewer->selected ? amber : white, text);
    }
}

void panels_draw(Viewer *viewer, const View *view, PanelSet set, unsigned target)
{
    bool all = set == PANELS_ALL;
    overlay_begin(viewer->overlay, viewer->width, viewer->height, viewer->scale);
    if (viewer->draw.labels) draw_labels(viewer, view);
    StressScale scale = renderer_stress(viewer->renderer);
    if (scale.shown)
        color_bar_draw(viewer->overlay, &scale, viewer->width, viewer->height, viewer->scale);
    if (viewer->playback && all) draw_timeline(viewer);
    signals_draw(viewer);
    if (viewer->shows_help && all)
        draw_help(viewer);
    else if (viewer->shows_info)
        draw_info(viewer);
    if (all) {
        if (!viewer->shows_help) draw_state(viewer);
        draw_messages(viewer);
    }
    overlay_end(viewer->overlay, target);
}
