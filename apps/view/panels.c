/* panels.c: what is over the picture and where: menus, panels, plots, a recording's bar, messages.
 *
 *   top      menus; paused, speed
 *   left     physics (F6) and figures (F2)
 *   right    signals (F3)
 *   bottom   curves and profiler (F4), a recording's bar, a line of messages
 * Each takes its place from what those before it left, from the outside in. */
#include "window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float margin_of(const Viewer *viewer) { return roundf(8 * viewer->scale); }

static float letter_of(const Viewer *viewer) { return viewer->ui.paint.letter; }

/* ---- figures ---- */

/* "1/4" where that is what is meant. */
static void speed_text(double speed, char *text, size_t size)
{
    if (speed < 1 && fabs(1 / speed - round(1 / speed)) < 1e-9)
        snprintf(text, size, "1/%.0f", 1 / speed);
    else
        snprintf(text, size, "%g", speed);
}

static void time_rows(Viewer *viewer)
{
    const TnFrame *frame = viewer->frame;
    const SimulationStatus *status = &viewer->status;
    Ui *ui = &viewer->ui;
    char speed[32];
    speed_text(viewer->speed, speed, sizeof speed);
    if (viewer->playback) {
        const Playback *playback = viewer->playback;
        ui_value(ui, "time", ui_white, "%.3f s of %.3f s", frame->time, playback->info.end);
        ui_value(ui, "frame", ui_white, "%d of %d", playback_index(playback) + 1,
                 playback->info.frame_count);
        ui_value(ui, "speed", ui_white, "%s%s", speed, playback->loop ? ", repeats" : "");
        return;
    }
    ui_value(ui, "time", ui_white, "%.3f s, step %lld", frame->time, (long long)status->step);
    ui_value(ui, "speed", ui_white, "%s", speed);
    if (status->real_time_factor > 0 && !status->paused)
        ui_value(ui, "real-time factor", status->late ? ui_amber : ui_white, "%.3g%s",
                 status->real_time_factor, status->late ? ", late" : "");
    else
        ui_value(ui, "real-time factor", ui_gray, "%s", status->paused ? "paused" : "measuring");
}

static void step_rows(Viewer *viewer)
{
    const TnFrame *frame = viewer->frame;
    const SimulationStatus *status = &viewer->status;
    Ui *ui = &viewer->ui;
    ui_value(ui, "contacts", ui_white, "%d", frame->contact_count);
    ui_value(ui, "iterations", ui_white, "%d", frame->iterations);
    if (viewer->simulation && status->islands > 0) {
        ui_value(ui, "error", status->converged ? ui_white : ui_amber, "%.1e of g\u00b7t%s",
                 status->error, status->converged ? "" : ", missed");
        ui_value(ui, "islands", ui_white, "%d", status->islands);
        if (status->asleep) ui_value(ui, "asleep", ui_white, "%d subsystems", status->asleep);
    } else {
        ui_value(ui, "residual", ui_white, "%.2e m/s", frame->residual);
    }
    ui_value(ui, "energy kinetic", ui_white, "%.4g J", frame->kinetic);
    ui_value(ui, "  potential", ui_white, "%.4g J", frame->potential);
    ui_value(ui, "penetration mean", ui_white, "%.3g mm", 1e3 * frame->mean_penetration);
    ui_value(ui, "  largest", ui_white, "%.3g mm", 1e3 * frame->max_penetration);
    if (viewer->simulation)
        ui_value(ui, "states kept", ui_white, "%d, %.1f MB", status->states,
                 1e-6 * (double)status->state_bytes);
    ui_value(ui, "pictures", ui_white, "%.0f/s, %.1fk triangles", viewer->fps,
             1e-3 * (double)renderer_stats(viewer->renderer).triangles);
    ui_value(ui, "time of a step", ui_white, "%.3f ms", 1e3 * viewer->times.total);
}

static void plot_rows(Viewer *viewer)
{
    const struct {
        const Samples *samples;
        PlotStyle style;
    } plots[] = {{&viewer->residuals, {"residual", true, 0, ui_accent}},
                 {&viewer->contacts, {"contacts", false, 10, ui_accent}},
                 {&viewer->factors, {"real-time factor", false, 1, ui_amber}}};
    int count = viewer->simulation ? 3 : 2; /* recordings have no factor */
    for (int i = 0; i < count; i++) {
        UiRect box = ui_area(&viewer->ui, 3.4f);
        box.height -= 0.2f * overlay_line_height(viewer->overlay);
        if (box.width > 0)
            plot_draw(viewer->overlay, plots[i].samples, &plots[i].style, box, viewer->scale);
    }
}

void panels_sample(Viewer *viewer)
{
    const TnFrame *frame = viewer->frame;
    if (viewer->simulation && viewer->status.paused && viewer->status.step == 0) return;
    plot_add(&viewer->residuals, frame->residual);
    plot_add(&viewer->contacts, frame->contact_count);
    profile_add(&viewer->profile, &frame->times);
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

static void draw_help(const Viewer *viewer, UiRect room)
{
    Overlay *overlay = viewer->overlay;
    HelpRow rows[HELP_ROOM];
    int count = keys_help(viewer->playback != NULL, rows);
    float line = overlay_line_height(overlay), pad = 0.45f * line;
    float label = overlay_text_width(overlay, "Ctrl+right drag ");
    float column = label + overlay_text_width(overlay, "colour soft bodies by stress   ");
    int height = (int)((room.height - 2 * pad) / line);
    int columns = (int)((room.width - 2 * pad) / column);
    if (columns < 1) columns = 1;
    if (height < 1) height = 1;
    int even = (count + columns - 1) / columns + 1; /* as even as possible */
    if (even < height) height = even;
    int used = 0, longest = 0;
    for (int from = 0; from < count && used < columns; used++) {
        int fits = rows_that_fit(rows, count, from, height);
        if (fits > longest) longest = fits;
        from += fits;
    }
    overlay_rect(overlay, room.x, room.y, (float)used * column + 2 * pad,
                 (float)longest * line + 2 * pad, (OverlayColor){0.05f, 0.06f, 0.08f, 0.93f});
    float x = room.x + pad;
    for (int from = 0, c = 0; from < count && c < used; c++, x += column) {
        int fits = rows_that_fit(rows, count, from, height);
        float y = room.y + pad;
        for (int i = from; i < from + fits; i++, y += line) {
            overlay_text(overlay, x, y, rows[i].text ? ui_accent : ui_amber, rows[i].label);
            if (rows[i].text) overlay_text(overlay, x + label, y, ui_white, rows[i].text);
        }
        from += fits;
    }
}

/* ---- top and bottom ---- */

/* Paused, speed, film: at the right of the menus. */
static OverlayColor state_text(const Viewer *viewer, char *text, size_t size)
{
    const SimulationStatus *status = &viewer->status;
    char speed[32];
    bool paused = viewer->playback ? viewer->playback->paused : status->paused;
    const char *film = viewer->reel.film ? "\u25cf film  " : "";
    speed_text(viewer->speed, speed, sizeof speed);
    if (viewer->simulation && status->diverged) {
        snprintf(text, size, "%sdiverged: the last good state", film);
        return ui_red;
    }
    if (paused) {
        snprintf(text, size, "%spaused", film);
        return ui_amber;
    }
    if (viewer->simulation && status->late && status->real_time_factor > 0) {
        snprintf(text, size, "%sspeed %s, reaches %.2g", film, speed, status->real_time_factor);
        return ui_amber;
    }
    snprintf(text, size, "%sspeed %s", film, speed);
    return ui_white;
}

static void menu_bar(Viewer *viewer, UiRect room)
{
    char text[96];
    ui_bar_begin(&viewer->ui, room);
    keys_menus(viewer);
    OverlayColor color = state_text(viewer, text, sizeof text);
    ui_bar_end(&viewer->ui, color, text);
}

/* The bar of a recording; returns its height. */
static float timeline(Viewer *viewer, UiRect room)
{
    Playback *playback = viewer->playback;
    Ui *ui = &viewer->ui;
    char text[64];
    float height = ui_row_height(&ui->paint) + 2 * ui_margin(&ui->paint);
    double span = playback->info.end - playback->info.start;
    double share = span > 0 ? (playback->time - playback->info.start) / span : 1;
    snprintf(text, sizeof text, "%.3f s of %.3f s", playback->time, playback->info.end);
    ui_panel_begin(ui, "timeline",
                   (UiRect){room.x, room.y + room.height - height, room.width, height});
    if (ui_rail(ui, "timeline", text, &share)) {
        playback_seek(playback, playback->info.start + share * span);
        viewer_tell_playback(viewer, "seek");
    }
    ui_panel_end(ui);
    return height;
}

/* A piece of text on its own dark ground; returns where the next one is. */
static float draw_note(const Viewer *viewer, float x, float y, OverlayColor color, const char *text)
{
    float letter = letter_of(viewer), height = ui_row_height(&viewer->ui.paint);
    float width = overlay_text_width(viewer->overlay, text) + 2 * letter;
    overlay_rect(viewer->overlay, x, y, width, height, ui_shade);
    overlay_text(viewer->overlay, x + letter,
                 y + 0.5f * (height - overlay_line_height(viewer->overlay)), color, text);
    return x + width + letter;
}

static void draw_messages(const Viewer *viewer, float x, float y)
{
    double now = glfw.GetTime();
    char text[320], name[32];
    if (viewer->playback && viewer->playback->info.cut_off)
        x = draw_note(viewer, x, y, ui_amber, "the recording was cut off: what is whole is shown");
    if (viewer->selected) {
        snprintf(text, sizeof text, "selected: %s",
                 viewer_body_name(viewer, viewer->selected, name));
        x = draw_note(viewer, x, y, ui_accent, text);
    }
    if (now < viewer->message_until)
        draw_note(viewer, x, y, viewer->message_is_error ? ui_red : ui_white, viewer->message);
    else if (now < viewer->hint_until)
        draw_note(viewer, x, y, ui_gray,
                  viewer->playback
                      ? "F1 help   Space pause   left drag: turn   right drag: move   wheel: zoom"
                      : "F1 help   Space pause   left drag: turn   right drag: move   Ctrl+right "
                        "drag: pull");
}

/* ---- all ---- */

static void left_panel(Viewer *viewer, UiRect room)
{
    Ui *ui = &viewer->ui;
    room.width = fminf(43 * letter_of(viewer), room.width);
    ui_panel_begin(ui, "left", room);
    if (viewer->shows_physics && viewer->simulation) physics_rows(viewer);
    if (viewer->shows_info && ui_section(ui, "Figures", true)) {
        time_rows(viewer);
        step_rows(viewer);
    }
    if (viewer->shows_info && ui_section(ui, "Plots", true)) plot_rows(viewer);
    ui_panel_end(ui);
}

static void right_panel(Viewer *viewer, UiRect room)
{
    float width = fminf(45 * letter_of(viewer), room.width);
    ui_panel_begin(&viewer->ui, "right",
                   (UiRect){room.x + room.width - width, room.y, width, room.height});
    signals_rows(viewer);
    ui_panel_end(&viewer->ui);
}

/* Curves and profiler side by side; returns their height. */
static float plots_below(Viewer *viewer, UiRect room)
{
    bool both = viewer->signals.curve_count && viewer->shows_profile;
    float line = viewer->ui.paint.line, height = 8 * line, gap = margin_of(viewer);
    if (!viewer->signals.curve_count && !viewer->shows_profile) return 0;
    if (height > 0.6f * room.height) return 0;
    UiRect box = {room.x, room.y + room.height - height, room.width, height};
    if (both) box.width = floorf(0.5f * (room.width - gap));
    bool draws = !viewer->ui.measures && viewer->ui.event.kind == UI_DRAW;
    if (draws && viewer->signals.curve_count) curves_draw(viewer, box);
    if (both) box.x += box.width + gap;
    if (draws && viewer->shows_profile) profile_draw(viewer->overlay, &viewer->profile, box);
    return height + gap;
}

static void content(void *context)
{
    Viewer *viewer = context;
    const UiPainter *paint = &viewer->ui.paint;
    float gap = margin_of(viewer), row = ui_row_height(paint);
    UiRect whole = {0, 0, (float)viewer->width, (float)viewer->height};
    UiRect room = {gap, row + gap, whole.width - 2 * gap, whole.height - 2 * row - 3 * gap};
    float message_y = whole.height - gap - row;
    if (viewer->playback && !viewer->lasting) {
        float height =
            timeline(viewer, (UiRect){room.x, room.y, room.width, message_y + row - room.y});
        message_y -= height + gap;
        room.height -= height + gap;
    }
    room.height -= plots_below(viewer, room);
    bool left = viewer->shows_info || viewer->shows_physics, right = viewer->signals.shown;
    UiRect half = room;
    if (left && right) half.width = floorf(0.5f * (room.width - gap));
    if (left) left_panel(viewer, half);
    half.x = room.x + room.width - half.width;
    if (right) right_panel(viewer, half);
    if (viewer->lasting) return;
    bool draws = !viewer->ui.measures && viewer->ui.event.kind == UI_DRAW;
    UiRect below = {gap, row, whole.width - 2 * gap, whole.height - row};
    if (draws && viewer->shows_help) draw_help(viewer, below);
    if (draws && !viewer->shows_help) draw_messages(viewer, gap, message_y);
    if (viewer->shows_menus) menu_bar(viewer, whole);
}

static void paint_text(void *context, float x, float y, OverlayColor color, const char *text)
{
    overlay_text(context, x, y, color, text);
}

static void paint_rect(void *context, UiRect box, OverlayColor color)
{
    overlay_rect(context, box.x, box.y, box.width, box.height, color);
}

static UiPainter painter_of(const Viewer *viewer)
{
    return (UiPainter){.context = viewer->overlay,
                       .letter = overlay_text_width(viewer->overlay, "m"),
                       .line = overlay_line_height(viewer->overlay),
                       .text = paint_text,
                       .rect = paint_rect};
}

static void tell_widget(void *context, const char *name, UiRect box)
{
    FILE *out = context;
    event_begin(out, "widget");
    event_text(out, "name", name);
    event_number(out, "x", (double)box.x);
    event_number(out, "y", (double)box.y);
    event_number(out, "width", (double)box.width);
    event_number(out, "height", (double)box.height);
    event_end(out);
}

bool panels_event(Viewer *viewer, UiEvent event)
{
    UiPainter painter = painter_of(viewer);
    bool taken = ui_pass(&viewer->ui, &painter, event, content, viewer);
    viewer->redraw |= taken;
    return taken;
}

/* An event for everything that can be pressed, after it has moved. */
static void tell_widgets(Viewer *viewer)
{
    if (!viewer->def.events || viewer->told_layout == viewer->ui.layout) return;
    UiPainter painter = painter_of(viewer);
    painter.context = viewer->def.events;
    painter.tell = tell_widget;
    event_begin(viewer->def.events, "widgets");
    event_end(viewer->def.events);
    ui_pass(&viewer->ui, &painter, (UiEvent){.kind = UI_TELL}, content, viewer);
    viewer->told_layout = viewer->ui.layout;
    event_begin(viewer->def.events, "widgets_end");
    event_end(viewer->def.events);
}

void panels_draw(Viewer *viewer, const View *view, PanelSet set, unsigned target)
{
    overlay_begin(viewer->overlay, viewer->width, viewer->height, viewer->scale);
    if (viewer->draw.labels) labels_draw(viewer, view);
    StressScale scale = renderer_stress(viewer->renderer);
    if (scale.shown)
        color_bar_draw(viewer->overlay, &scale, viewer->width, viewer->height, viewer->scale);
    viewer->lasting = set == PANELS_LASTING;
    panels_event(viewer, (UiEvent){.kind = UI_DRAW});
    if (!viewer->lasting) tell_widgets(viewer);
    viewer->lasting = false;
    overlay_end(viewer->overlay, target);
}
