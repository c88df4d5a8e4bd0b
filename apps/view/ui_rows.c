/* ui_rows.c: what panels have: headings, values, buttons, check boxes, sliders, numbers; see ui.h.
 */
#include "ui_internal.h"

#include "platform/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const OverlayColor ground = {1, 1, 1, 0.07f};

enum { VALUE_LETTERS = 11 };

/* ---- rows ---- */

static struct UiFold *fold_of(Ui *ui, UiId id, bool open_at_first)
{
    for (int i = 0; i < ui->fold_count; i++)
        if (ui->folds[i].id == id) return &ui->folds[i];
    struct UiFold *fold = &ui->folds[ui->fold_count];
    if (ui->fold_count + 1 < UI_FOLD_ROOM) ui->fold_count++; /* the last is shared by the rest */
    *fold = (struct UiFold){id, open_at_first};
    return fold;
}

bool ui_section(Ui *ui, const char *label, bool open_at_first)
{
    char text[TEXT_ROOM];
    ui_columns(ui, 1);
    ui->seed = ui->panel->id;
    UiCell cell = ui_next_cell(ui, label);
    struct UiFold *fold = fold_of(ui, cell.id, open_at_first);
    if (cell.pressed) fold->open = !fold->open;
    ui->seed = cell.id;
    if (cell.seen) {
        snprintf(text, sizeof text, "%s %s", fold->open ? "\u25bc" : "\u25b6", label);
        ui_paint_rect(ui, cell.box, ground);
        ui_row_text(ui, cell.box, ui_amber, text);
    }
    return fold->open;
}

void ui_text(Ui *ui, OverlayColor color, const char *text)
{
    UiRect box = ui_next_box(ui, row_of(ui));
    if (ui_is_seen(ui, box)) ui_row_text(ui, box, color, text);
}

void ui_value(Ui *ui, const char *label, OverlayColor color, const char *format, ...)
{
    char text[TEXT_ROOM];
    UiRect box = ui_next_box(ui, row_of(ui)), value = box;
    float indent = 18 * ui->paint.letter;
    va_list args;
    if (!ui_is_seen(ui, box)) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    box.width = fminf(box.width, indent);
    ui_row_text(ui, box, ui_gray, label);
    value.x += indent;
    value.width -= indent;
    ui_row_text(ui, value, color, text);
}

bool ui_button(Ui *ui, const char *label)
{
    UiCell cell = ui_next_cell(ui, label);
    if (!cell.seen) return false;
    UiRect face = {cell.box.x, cell.box.y + 1, cell.box.width, cell.box.height - 2}, text = face;
    float spare = face.width - ui->paint.letter * (float)ui_letters(label);
    ui_paint_rect(ui, face, cell.pressed ? ui_accent : ui_rail_color);
    text.x += fmaxf(0.5f * spare, 0);
    text.width -= fmaxf(0.5f * spare, 0);
    ui_row_text(ui, text, ui_white, label);
    return cell.pressed;
}

static void label_and_hint(const Ui *ui, const UiCell *cell, const char *label, const char *hint)
{
    UiRect text = cell->box;
    float indent = 2 * ui->paint.letter, behind = ui->paint.letter * (float)ui_letters(hint);
    text.x += indent;
    text.width -= indent + (behind > 0 ? behind + ui->paint.letter : 0);
    ui_row_text(ui, text, ui_white, label);
    text.x = cell->box.x + cell->box.width - behind;
    text.width = behind;
    ui_row_text(ui, text, ui_gray, hint);
}

bool ui_check(Ui *ui, const char *label, const char *hint, bool value)
{
    UiCell cell = ui_next_cell(ui, label);
    if (!cell.seen) return cell.pressed;
    float size = roundf(0.75f * ui->paint.line);
    UiRect box = {cell.box.x, cell.box.y + roundf(0.5f * (cell.box.height - size)), size, size};
    float rim = fmaxf(1, roundf(0.2f * size));
    ui_paint_rect(ui, box, value ? ui_accent : ui_rail_color);
    if (value) /* a dark mark within, so that it does not depend on the colour alone */
        ui_paint_rect(ui,
                      (UiRect){box.x + rim, box.y + rim, box.width - 2 * rim, box.height - 2 * rim},
                      (OverlayColor){0.05f, 0.12f, 0.2f, 1});
    if (value)
        ui_paint_rect(
            ui,
            (UiRect){box.x + 2 * rim, box.y + 2 * rim, box.width - 4 * rim, box.height - 4 * rim},
            ui_accent);
    label_and_hint(ui, &cell, label, hint);
    return cell.pressed;
}

bool ui_item(Ui *ui, const char *label, const char *hint)
{
    UiCell cell = ui_next_cell(ui, label);
    if (cell.seen) label_and_hint(ui, &cell, label, hint);
    if (cell.pressed) ui->menu = 0;
    return cell.pressed;
}

/* ---- numbers ---- */

static double clamp_to(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

UiSlide ui_slider(Ui *ui, const UiSlider *s, double *value)
{
    char text[TEXT_ROOM];
    UiCell cell = ui_next_cell(ui, s->label);
    bool slides = s->high > s->low;
    float behind = VALUE_LETTERS * ui->paint.letter, gap = ui->paint.letter;
    UiRect rail = cell.box;
    rail.width = roundf(0.28f * rail.width);
    rail.x = cell.box.x + cell.box.width - behind - gap - rail.width;
    if (cell.seen && slides) {
        snprintf(text, sizeof text, "%s slider", s->label);
        ui_tell(ui, text, rail);
    }
    UiRect reach = {rail.x - gap, rail.y, rail.width + 2 * gap, rail.height};
    bool key = cell.focused && ui->event.kind == UI_KEY && slides && s->moves &&
               (ui->event.key == UI_KEY_LEFT || ui->event.key == UI_KEY_RIGHT);
    UiSlide done = UI_SLIDE_NOTHING;
    if (key) {
        double by = (ui->event.key == UI_KEY_LEFT ? -0.02 : 0.02) * (s->high - s->low);
        *value = clamp_to(*value + by, s->low, s->high);
        ui->taken = true;
        done = UI_SLIDE_VALUE;
    }
    if (cell.pressed) {
        bool on_rail = ui->event.kind == UI_PRESS && slides && ui_inside(reach, ui->x, ui->y);
        done = !on_rail ? UI_SLIDE_NAME : s->moves ? UI_SLIDE_VALUE : UI_SLIDE_REFUSED;
        if (done == UI_SLIDE_VALUE) ui->active = cell.id;
    }
    bool drags = !ui->measures && ui->active == cell.id &&
                 (ui->event.kind == UI_PRESS || ui->event.kind == UI_MOVE);
    if (drags) {
        double share = clamp_to((double)(ui->x - rail.x) / (double)rail.width, 0, 1);
        *value = s->low + share * (s->high - s->low);
        done = UI_SLIDE_VALUE;
    }
    if (!cell.seen || !ui_draws(ui)) return done;
    UiRect name = cell.box;
    name.width = rail.x - name.x - gap;
    ui_paint_text(ui, name.x, name.y + 0.5f * (name.height - ui->paint.line), name.width, s->color,
                  s->label, true);
    float thick = roundf(0.2f * ui->paint.line), middle = rail.y + 0.5f * rail.height;
    UiRect line = {rail.x, middle - 0.5f * thick, rail.width, thick};
    ui_paint_rect(ui, line, slides ? ui_rail_color : ground);
    if (slides) {
        float share = (float)clamp_to((*value - s->low) / (s->high - s->low), 0, 1);
        if (isfinite(*value))
            ui_paint_rect(ui,
                          (UiRect){rail.x + share * rail.width - thick, middle - 2 * thick,
                                   2 * thick, 4 * thick},
                          s->moves ? ui_accent : ui_dim);
    } else if (isfinite(*value) && s->high > 0) { /* a bar from the middle */
        float share = (float)clamp_to(*value / s->high, -1, 1), half = 0.5f * rail.width;
        line.x = rail.x + half + fminf(share, 0) * half;
        line.width = fabsf(share) * half;
        ui_paint_rect(ui, line, ui_accent);
        ui_paint_rect(ui, (UiRect){rail.x + half, middle - thick, 1, 2 * thick}, ui_dim);
    }
    snprintf(text, sizeof text, "%.5g", *value);
    ui_row_text(ui,
                (UiRect){cell.box.x + cell.box.width - behind, cell.box.y, behind, cell.box.height},
                ui_white, text);
    return done;
}

bool ui_rail(Ui *ui, const char *label, const char *text, double *share)
{
    float behind = ui->paint.letter * (float)(ui_letters(text) + 2);
    UiRect row = ui_next_box(ui, row_of(ui)), rail = row;
    rail.x += behind;
    rail.width = fmaxf(rail.width - behind, 1);
    UiCell cell = ui_cell_in(ui, label, rail, ui_is_seen(ui, rail));
    if (cell.pressed && ui->event.kind == UI_PRESS) ui->active = cell.id;
    bool drags = !ui->measures && ui->active == cell.id &&
                 (ui->event.kind == UI_PRESS || ui->event.kind == UI_MOVE);
    if (drags) *share = clamp_to((double)(ui->x - rail.x) / (double)rail.width, 0, 1);
    if (!cell.seen) return drags;
    float thick = roundf(0.4f * ui->paint.line), middle = rail.y + 0.5f * rail.height;
    float at = rail.x + rail.width * (float)*share;
    ui_row_text(ui, row, ui_white, text);
    ui_paint_rect(ui, (UiRect){rail.x, middle - 0.5f * thick, rail.width, thick}, ui_rail_color);
    ui_paint_rect(ui, (UiRect){rail.x, middle - 0.5f * thick, at - rail.x, thick}, ui_accent);
    ui_paint_rect(ui, (UiRect){at - 0.5f * thick, middle - thick, thick, 2 * thick}, ui_white);
    return drags;
}

/* What is typed, where it is a number within the range. */
static bool typed_number(const Ui *ui, double low, double high, double *out)
{
    double value;
    if (!tn_number_is(ui->edit, strlen(ui->edit), &value) || !(value >= low && value <= high))
        return false;
    *out = value;
    return true;
}

static void type_letter(Ui *ui)
{
    unsigned letter = ui->event.letter;
    size_t length = ui->edit_fresh ? 0 : strlen(ui->edit);
    if (letter < '+' || letter > 'e' || !strchr("0123456789+-.eE", (int)letter)) return;
    if (length + 1 >= sizeof ui->edit) return;
    ui->edit[length] = (char)letter;
    ui->edit[length + 1] = '\0';
    ui->edit_fresh = false;
}

/* True where a number was entered: by Enter, Tab, or a press elsewhere. One that cannot be is kept
 * in red after Enter and dropped elsewhere. */
static bool edit_number(Ui *ui, const UiCell *cell, double *value, double low, double high)
{
    const UiEvent *event = &ui->event;
    double entered = *value;
    bool fits = typed_number(ui, low, high, &entered), leaves = false;
    if (event->kind == UI_LETTER) type_letter(ui);
    if (event->kind == UI_KEY && event->key == UI_KEY_BACKSPACE) {
        size_t length = strlen(ui->edit);
        if (ui->edit_fresh) length = 0;
        if (length) length--;
        ui->edit[length] = '\0';
        ui->edit_fresh = false;
    }
    if (event->kind == UI_KEY && event->key == UI_KEY_ENTER && fits) {
        ui->next_focus = 0;
        leaves = true;
    }
    leaves |= event->kind == UI_KEY && (event->key == UI_KEY_TAB || event->key == UI_KEY_BACK_TAB);
    leaves |= event->kind == UI_PRESS && !cell->under;
    if (!leaves || !fits || ui->edit_fresh) return false;
    bool changed = entered != *value;
    *value = entered;
    return changed;
}

bool ui_number(Ui *ui, const char *label, double *value, double low, double high)
{
    UiCell cell = ui_next_cell(ui, label);
    bool changed = false, typed = ui->focus == cell.id;
    if (typed && ui->edit_of != cell.id) {
        ui->edit_of = cell.id;
        ui->edit_fresh = true;
        tn_number_write(ui->edit, *value, 6);
    }
    if (typed && !ui->measures) changed = edit_number(ui, &cell, value, low, high);
    if (cell.pressed && ui->event.kind == UI_PRESS) ui->next_focus = cell.id;
    if (!cell.seen || !ui_draws(ui)) return changed;
    char text[UI_EDIT_ROOM + 8];
    double any;
    UiRect field = cell.box, name = cell.box;
    field.width = fminf(0.5f * field.width, 14 * ui->paint.letter);
    field.x = cell.box.x + cell.box.width - field.width;
    name.width -= field.width;
    ui_row_text(ui, name, ui_gray, label);
    ui_paint_rect(ui, (UiRect){field.x, field.y + 1, field.width, field.height - 2},
                  typed ? ui_rail_color : ground);
    field.x += 0.5f * ui->paint.letter;
    if (typed)
        snprintf(text, sizeof text, "%s_", ui->edit);
    else
        snprintf(text, sizeof text, "%.6g", *value);
    bool wrong = typed && !typed_number(ui, low, high, &any);
    ui_row_text(ui, field, wrong ? ui_red : typed && ui->edit_fresh ? ui_accent : ui_white, text);
    return changed;
}

UiRect ui_area(Ui *ui, float lines)
{
    ui_columns(ui, 1);
    UiRect box = ui_next_box(ui, roundf(lines * ui->paint.line));
    if (!ui_is_seen(ui, box) || !ui_draws(ui)) box.width = 0;
    return box;
}
