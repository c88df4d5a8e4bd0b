/* ui.c: panels and what is in them; see ui.h.
 *
 * Each pass runs the program's calls twice. The first half measures: it gives every panel its place
 * and lists what the Tab key stops at. Then it is known which panel lies under the mouse, and the
 * second half reacts or draws. A row is drawn where all of it is inside its panel, so nothing has
 * to be clipped. */
#include "ui.h"

#include "platform/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const OverlayColor ui_white = {1, 1, 1, 1}, ui_gray = {0.75f, 0.78f, 0.82f, 1};
const OverlayColor ui_accent = {0.45f, 0.8f, 1, 1}, ui_amber = {1, 0.8f, 0.35f, 1};
const OverlayColor ui_red = {1, 0.42f, 0.38f, 1}, ui_shade = {0.05f, 0.06f, 0.08f, 0.78f};
const OverlayColor ui_rail_color = {1, 1, 1, 0.2f};
static const OverlayColor hover = {1, 1, 1, 0.12f}, ground = {1, 1, 1, 0.07f},
                          dim = {1, 1, 1, 0.35f};

enum { VALUE_LETTERS = 11, TEXT_ROOM = 256 };

typedef struct Cell {
    UiRect box;
    UiId id;
    bool seen, under, pressed, focused;
} Cell;

/* FNV-1a */
static UiId mix(UiId seed, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) seed = (seed ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return seed;
}

static UiId id_of(UiId seed, const char *label)
{
    UiId id = mix(seed, label, strlen(label) + 1);
    return id ? id : 1;
}

static const UiId start = 2166136261u;

float ui_row_height(const UiPainter *painter) { return roundf(1.25f * painter->line); }

float ui_margin(const UiPainter *painter) { return roundf(0.4f * painter->line); }

static float row_of(const Ui *ui) { return ui_row_height(&ui->paint); }

static bool draws(const Ui *ui) { return !ui->measures && ui->event.kind == UI_DRAW; }

static bool inside(UiRect box, float x, float y)
{
    return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

static void paint_rect(const Ui *ui, UiRect box, OverlayColor color)
{
    if (draws(ui)) ui->paint.rect(ui->paint.context, box, color);
}

/* Letters of a text in UTF-8. */
static int letters_of(const char *text)
{
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* As much of the text as fits: its start, or, where `tail`, its end, which tells names apart. */
static void paint_text(const Ui *ui, float x, float y, float width, OverlayColor color,
                       const char *text, bool tail)
{
    char cut[TEXT_ROOM];
    int count = letters_of(text), room = (int)(width / ui->paint.letter + 0.01f);
    if (!draws(ui) || room < 1 || (count > room && room < 3)) return;
    if (count > room && tail) {
        for (int skip = count - room + 2; skip > 0 || (*text & 0xc0) == 0x80; text++)
            skip -= (text[1] & 0xc0) != 0x80;
        snprintf(cut, sizeof cut, "..%s", text);
        text = cut;
    } else if (count > room) {
        size_t size = 0;
        for (int kept = 0; size + 4 < sizeof cut && text[size]; size++) {
            kept += (text[size] & 0xc0) != 0x80;
            if (kept > room - 2) break;
            cut[size] = text[size];
        }
        memcpy(cut + size, "..", 3);
        text = cut;
    }
    ui->paint.text(ui->paint.context, x, y, color, text);
}

/* In the middle of a row's height. */
static void row_text(const Ui *ui, UiRect box, OverlayColor color, const char *text)
{
    paint_text(ui, box.x, box.y + 0.5f * (box.height - ui->paint.line), box.width, color, text,
               false);
}

/* ---- a pass ---- */

static UiPanel *shown_at(Ui *ui, float x, float y)
{
    for (int i = ui->shown_count - 1; i >= 0; i--)
        if (inside(ui->panels[ui->shown[i]].box, x, y)) return &ui->panels[ui->shown[i]];
    return NULL;
}

static void scroll_to(Ui *ui, const struct UiStop *stop)
{
    UiPanel *panel = &ui->panels[stop->panel];
    float room = panel->box.height - 2 * ui_margin(&ui->paint) - row_of(ui);
    if (stop->place < panel->scroll) panel->scroll = stop->place;
    if (stop->place > panel->scroll + room)
        panel->scroll = row_of(ui) * ceilf((stop->place - room) / row_of(ui));
}

/* To what the Tab key stops at next, in a ring; of the menu alone where one is open. */
static UiId next_stop(Ui *ui, int by)
{
    int at = by > 0 ? -1 : ui->order_count, count = ui->order_count;
    for (int i = 0; i < count; i++)
        if (ui->order[i].id == ui->focus) at = i;
    for (int tries = 0; tries < count; tries++) {
        at = (at + by + count) % count;
        if (ui->menu && ui->panels[ui->order[at].panel].id != ui->menu) continue;
        scroll_to(ui, &ui->order[at]);
        return ui->order[at].id;
    }
    return 0;
}

static bool is_typed(const Ui *ui) { return ui->focus && ui->edit_of == ui->focus; }

static void begin_key(Ui *ui)
{
    UiKey key = ui->event.key;
    ui->taken = is_typed(ui);
    if (key == UI_KEY_TAB || key == UI_KEY_BACK_TAB) {
        ui->next_focus = next_stop(ui, key == UI_KEY_TAB ? 1 : -1);
        ui->taken = ui->next_focus != 0;
    } else if (key == UI_KEY_ESCAPE) {
        ui->taken = ui->focus || ui->menu;
        ui->next_focus = ui->menu = 0;
    }
}

/* What happens to the event before any widget sees it. */
static void begin_event(Ui *ui)
{
    const UiEvent *event = &ui->event;
    if (event->kind == UI_PRESS || event->kind == UI_MOVE || event->kind == UI_RELEASE) {
        ui->x = event->x;
        ui->y = event->y;
    }
    const UiPanel *hot = shown_at(ui, ui->x, ui->y);
    ui->hot = hot ? hot->id : 0;
    ui->next_focus = event->kind == UI_PRESS ? 0 : ui->focus;
    ui->taken = false;
    switch (event->kind) {
    case UI_PRESS:
        ui->taken = hot != NULL;
        if (ui->menu && ui->hot != ui->menu && ui->hot != id_of(start, "bar")) {
            ui->menu = ui->hot = 0; /* a press beside a menu closes it and does no more */
            ui->taken = true;
        }
        break;
    case UI_WHEEL:
        ui->taken = hot != NULL;
        break;
    case UI_MOVE:
    case UI_RELEASE:
        ui->taken = ui->active != 0;
        break;
    case UI_KEY:
        begin_key(ui);
        break;
    case UI_LETTER:
        ui->taken = is_typed(ui);
        break;
    case UI_DRAW:
    case UI_TELL:
        break;
    }
}

bool ui_pass(Ui *ui, const UiPainter *painter, UiEvent event, UiContent content, void *context)
{
    ui->paint = *painter;
    ui->event = event;
    ui->measures = true;
    ui->layout = start;
    ui->shown_count = ui->order_count = 0;
    content(context);
    bool there = false; /* is what had the keys still to be seen? */
    for (int i = 0; i < ui->order_count; i++) there |= ui->order[i].id == ui->focus;
    if (!there) ui->focus = 0;
    begin_event(ui);
    ui->measures = false;
    ui->shown_count = 0;
    content(context);
    if (event.kind == UI_RELEASE) ui->active = 0;
    ui->focus = ui->next_focus;
    if (ui->edit_of != ui->focus) ui->edit_of = 0;
    return ui->taken;
}

/* ---- panels ---- */

static UiPanel *panel_of(Ui *ui, UiId id)
{
    for (int i = 0; i < ui->panel_count; i++)
        if (ui->panels[i].id == id) return &ui->panels[i];
    UiPanel *panel = &ui->panels[ui->panel_count < UI_PANEL_ROOM ? ui->panel_count++ : 0];
    *panel = (UiPanel){.id = id};
    return panel;
}

static float most_scroll(const Ui *ui, const UiPanel *panel)
{
    float over = panel->content + 2 * ui_margin(&ui->paint) - panel->box.height;
    return over > 0.5f ? row_of(ui) * ceilf(over / row_of(ui)) : 0;
}

static void scroll_panel(Ui *ui, UiPanel *panel)
{
    float most = most_scroll(ui, panel), wide = 0.5f * ui->paint.letter, row = row_of(ui);
    UiRect box = panel->box, rail = {box.x + box.width - wide, box.y, wide, box.height};
    if (ui->event.kind == UI_WHEEL && ui->hot == panel->id)
        panel->scroll -= 3 * row * (float)ui->event.notches;
    bool hit = inside((UiRect){rail.x - wide, rail.y, 2 * wide, rail.height}, ui->x, ui->y);
    if (most > 0 && ui->event.kind == UI_PRESS && ui->hot == panel->id && hit)
        ui->active = panel->id;
    if (ui->active == panel->id && (ui->event.kind == UI_PRESS || ui->event.kind == UI_MOVE))
        panel->scroll = row * roundf(most * (ui->y - box.y) / box.height / row);
    panel->scroll = fminf(fmaxf(panel->scroll, 0), most);
    if (!(most > 0)) return;
    rail.height = box.height * box.height / (box.height + most);
    rail.y += (box.height - rail.height) * panel->scroll / most;
    paint_rect(ui, rail, ui->active == panel->id ? ui_accent : dim);
}

static void open_panel(Ui *ui, UiId id, UiRect box)
{
    UiPanel *panel = panel_of(ui, id);
    float margin = ui_margin(&ui->paint);
    if (ui->measures)
        panel->box = box;
    else {
        paint_rect(ui, panel->box, ui_shade);
        scroll_panel(ui, panel);
    }
    if (ui->shown_count < UI_PANEL_ROOM) ui->shown[ui->shown_count++] = (int)(panel - ui->panels);
    ui->panel = panel;
    ui->seed = id;
    ui->row_x = box.x + 1.5f * margin;
    ui->row_width = box.width - 3 * margin;
    ui->top = box.y + margin;
    ui->cursor = ui->top - panel->scroll;
    ui->columns = 1;
    ui->column = 0;
}

void ui_panel_begin(Ui *ui, const char *name, UiRect box)
{
    open_panel(ui, id_of(start, name), box);
}

void ui_panel_end(Ui *ui)
{
    UiPanel *panel = ui->panel;
    ui_columns(ui, 1);
    ui->panel = NULL;
    if (!ui->measures) return;
    panel->content = ui->cursor + panel->scroll - ui->top;
    panel->box.height = fminf(panel->box.height, panel->content + 2 * ui_margin(&ui->paint));
    panel->scroll = fminf(panel->scroll, most_scroll(ui, panel));
    ui->layout = mix(ui->layout, &panel->box, sizeof panel->box);
    ui->layout = mix(ui->layout, &panel->scroll, sizeof panel->scroll);
}

void ui_columns(Ui *ui, int count)
{
    if (ui->column > 0) ui->cursor += row_of(ui);
    ui->column = 0;
    ui->columns = count > 1 ? count : 1;
}

/* ---- what all widgets have ---- */

static UiRect next_box(Ui *ui, float height)
{
    float gap = ui->paint.letter, count = (float)ui->columns;
    float width = (ui->row_width - gap * (count - 1)) / count;
    UiRect box = {ui->row_x + (float)ui->column * (width + gap), ui->cursor, width, height};
    if (++ui->column == ui->columns) {
        ui->column = 0;
        ui->cursor += height;
    }
    return box;
}

static bool is_seen(const Ui *ui, UiRect box)
{
    UiRect panel = ui->panel->box;
    float margin = ui_margin(&ui->paint) - 0.5f;
    return !ui->measures && box.y >= panel.y + margin &&
           box.y + box.height <= panel.y + panel.height - margin;
}

static void tell(const Ui *ui, const char *name, UiRect box)
{
    if (!ui->measures && ui->event.kind == UI_TELL && ui->paint.tell)
        ui->paint.tell(ui->paint.context, name, box);
}

/* Something that can be pressed, by the mouse or by Enter where it has the focus. */
static Cell cell_in(Ui *ui, const char *label, UiRect box, bool seen)
{
    Cell cell = {.box = box, .id = id_of(ui->seed, label), .seen = seen};
    if (ui->measures) {
        if (ui->order_count < UI_ORDER_ROOM)
            ui->order[ui->order_count++] = (struct UiStop){cell.id, (int)(ui->panel - ui->panels),
                                                           box.y + ui->panel->scroll - ui->top};
        ui->layout = mix(ui->layout, &cell.id, sizeof cell.id);
        return cell;
    }
    cell.focused = ui->focus == cell.id;
    cell.under = seen && ui->hot == ui->panel->id && inside(box, ui->x, ui->y) &&
                 (!ui->active || ui->active == cell.id);
    cell.pressed = cell.under && ui->event.kind == UI_PRESS && !ui->active;
    if (cell.focused && ui->event.kind == UI_KEY && ui->event.key == UI_KEY_ENTER)
        cell.pressed = ui->taken = true;
    if (seen) tell(ui, label, box);
    if (cell.under && !ui->active) paint_rect(ui, box, hover);
    if (cell.focused && seen)
        paint_rect(ui, (UiRect){box.x, box.y + box.height - 2, box.width, 2}, ui_accent);
    return cell;
}

static Cell next_cell(Ui *ui, const char *label)
{
    UiRect box = next_box(ui, row_of(ui));
    return cell_in(ui, label, box, is_seen(ui, box));
}

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
    Cell cell = next_cell(ui, label);
    struct UiFold *fold = fold_of(ui, cell.id, open_at_first);
    if (cell.pressed) fold->open = !fold->open;
    ui->seed = cell.id;
    if (cell.seen) {
        snprintf(text, sizeof text, "%s %s", fold->open ? "\u25bc" : "\u25b6", label);
        paint_rect(ui, cell.box, ground);
        row_text(ui, cell.box, ui_amber, text);
    }
    return fold->open;
}

void ui_text(Ui *ui, OverlayColor color, const char *text)
{
    UiRect box = next_box(ui, row_of(ui));
    if (is_seen(ui, box)) row_text(ui, box, color, text);
}

void ui_value(Ui *ui, const char *label, OverlayColor color, const char *format, ...)
{
    char text[TEXT_ROOM];
    UiRect box = next_box(ui, row_of(ui)), value = box;
    float indent = 18 * ui->paint.letter;
    va_list args;
    if (!is_seen(ui, box)) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    box.width = fminf(box.width, indent);
    row_text(ui, box, ui_gray, label);
    value.x += indent;
    value.width -= indent;
    row_text(ui, value, color, text);
}

bool ui_button(Ui *ui, const char *label)
{
    Cell cell = next_cell(ui, label);
    if (!cell.seen) return false;
    UiRect face = {cell.box.x, cell.box.y + 1, cell.box.width, cell.box.height - 2}, text = face;
    float spare = face.width - ui->paint.letter * (float)letters_of(label);
    paint_rect(ui, face, cell.pressed ? ui_accent : ui_rail_color);
    text.x += fmaxf(0.5f * spare, 0);
    text.width -= fmaxf(0.5f * spare, 0);
    row_text(ui, text, ui_white, label);
    return cell.pressed;
}

static void label_and_hint(const Ui *ui, const Cell *cell, const char *label, const char *hint)
{
    UiRect text = cell->box;
    float indent = 2 * ui->paint.letter, behind = ui->paint.letter * (float)letters_of(hint);
    text.x += indent;
    text.width -= indent + (behind > 0 ? behind + ui->paint.letter : 0);
    row_text(ui, text, ui_white, label);
    text.x = cell->box.x + cell->box.width - behind;
    text.width = behind;
    row_text(ui, text, ui_gray, hint);
}

bool ui_check(Ui *ui, const char *label, const char *hint, bool value)
{
    Cell cell = next_cell(ui, label);
    if (!cell.seen) return cell.pressed;
    float size = roundf(0.75f * ui->paint.line);
    UiRect box = {cell.box.x, cell.box.y + roundf(0.5f * (cell.box.height - size)), size, size};
    float rim = fmaxf(1, roundf(0.2f * size));
    paint_rect(ui, box, value ? ui_accent : ui_rail_color);
    if (value) /* a dark mark within, so that it does not depend on the colour alone */
        paint_rect(ui,
                   (UiRect){box.x + rim, box.y + rim, box.width - 2 * rim, box.height - 2 * rim},
                   (OverlayColor){0.05f, 0.12f, 0.2f, 1});
    if (value)
        paint_rect(
            ui,
            (UiRect){box.x + 2 * rim, box.y + 2 * rim, box.width - 4 * rim, box.height - 4 * rim},
            ui_accent);
    label_and_hint(ui, &cell, label, hint);
    return cell.pressed;
}

bool ui_item(Ui *ui, const char *label, const char *hint)
{
    Cell cell = next_cell(ui, label);
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
    Cell cell = next_cell(ui, s->label);
    bool slides = s->high > s->low;
    float behind = VALUE_LETTERS * ui->paint.letter, gap = ui->paint.letter;
    UiRect rail = cell.box;
    rail.width = roundf(0.28f * rail.width);
    rail.x = cell.box.x + cell.box.width - behind - gap - rail.width;
    if (cell.seen && slides) {
        snprintf(text, sizeof text, "%s slider", s->label);
        tell(ui, text, rail);
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
        bool on_rail = ui->event.kind == UI_PRESS && slides && inside(reach, ui->x, ui->y);
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
    if (!cell.seen || !draws(ui)) return done;
    UiRect name = cell.box;
    name.width = rail.x - name.x - gap;
    paint_text(ui, name.x, name.y + 0.5f * (name.height - ui->paint.line), name.width, s->color,
               s->label, true);
    float thick = roundf(0.2f * ui->paint.line), middle = rail.y + 0.5f * rail.height;
    UiRect line = {rail.x, middle - 0.5f * thick, rail.width, thick};
    paint_rect(ui, line, slides ? ui_rail_color : ground);
    if (slides) {
        float share = (float)clamp_to((*value - s->low) / (s->high - s->low), 0, 1);
        if (isfinite(*value))
            paint_rect(ui,
                       (UiRect){rail.x + share * rail.width - thick, middle - 2 * thick, 2 * thick,
                                4 * thick},
                       s->moves ? ui_accent : dim);
    } else if (isfinite(*value) && s->high > 0) { /* a bar from the middle */
        float share = (float)clamp_to(*value / s->high, -1, 1), half = 0.5f * rail.width;
        line.x = rail.x + half + fminf(share, 0) * half;
        line.width = fabsf(share) * half;
        paint_rect(ui, line, ui_accent);
        paint_rect(ui, (UiRect){rail.x + half, middle - thick, 1, 2 * thick}, dim);
    }
    snprintf(text, sizeof text, "%.5g", *value);
    row_text(ui,
             (UiRect){cell.box.x + cell.box.width - behind, cell.box.y, behind, cell.box.height},
             ui_white, text);
    return done;
}

bool ui_rail(Ui *ui, const char *label, const char *text, double *share)
{
    float behind = ui->paint.letter * (float)(letters_of(text) + 2);
    UiRect row = next_box(ui, row_of(ui)), rail = row;
    rail.x += behind;
    rail.width = fmaxf(rail.width - behind, 1);
    Cell cell = cell_in(ui, label, rail, is_seen(ui, rail));
    if (cell.pressed && ui->event.kind == UI_PRESS) ui->active = cell.id;
    bool drags = !ui->measures && ui->active == cell.id &&
                 (ui->event.kind == UI_PRESS || ui->event.kind == UI_MOVE);
    if (drags) *share = clamp_to((double)(ui->x - rail.x) / (double)rail.width, 0, 1);
    if (!cell.seen) return drags;
    float thick = roundf(0.4f * ui->paint.line), middle = rail.y + 0.5f * rail.height;
    float at = rail.x + rail.width * (float)*share;
    row_text(ui, row, ui_white, text);
    paint_rect(ui, (UiRect){rail.x, middle - 0.5f * thick, rail.width, thick}, ui_rail_color);
    paint_rect(ui, (UiRect){rail.x, middle - 0.5f * thick, at - rail.x, thick}, ui_accent);
    paint_rect(ui, (UiRect){at - 0.5f * thick, middle - thick, thick, 2 * thick}, ui_white);
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
static bool edit_number(Ui *ui, const Cell *cell, double *value, double low, double high)
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
    Cell cell = next_cell(ui, label);
    bool changed = false, typed = ui->focus == cell.id;
    if (typed && ui->edit_of != cell.id) {
        ui->edit_of = cell.id;
        ui->edit_fresh = true;
        tn_number_write(ui->edit, *value, 6);
    }
    if (typed && !ui->measures) changed = edit_number(ui, &cell, value, low, high);
    if (cell.pressed && ui->event.kind == UI_PRESS) ui->next_focus = cell.id;
    if (!cell.seen || !draws(ui)) return changed;
    char text[UI_EDIT_ROOM + 8];
    double any;
    UiRect field = cell.box, name = cell.box;
    field.width = fminf(0.5f * field.width, 14 * ui->paint.letter);
    field.x = cell.box.x + cell.box.width - field.width;
    name.width -= field.width;
    row_text(ui, name, ui_gray, label);
    paint_rect(ui, (UiRect){field.x, field.y + 1, field.width, field.height - 2},
               typed ? ui_rail_color : ground);
    field.x += 0.5f * ui->paint.letter;
    if (typed)
        snprintf(text, sizeof text, "%s_", ui->edit);
    else
        snprintf(text, sizeof text, "%.6g", *value);
    bool wrong = typed && !typed_number(ui, low, high, &any);
    row_text(ui, field, wrong ? ui_red : typed && ui->edit_fresh ? ui_accent : ui_white, text);
    return changed;
}

UiRect ui_area(Ui *ui, float lines)
{
    ui_columns(ui, 1);
    UiRect box = next_box(ui, roundf(lines * ui->paint.line));
    if (!is_seen(ui, box) || !draws(ui)) box.width = 0;
    return box;
}

/* ---- menus ---- */

void ui_bar_begin(Ui *ui, UiRect box)
{
    UiRect row = {box.x, box.y, box.width, row_of(ui)};
    open_panel(ui, id_of(start, "bar"), row);
    ui->bar = box;
    ui->bar_x = box.x;
}

bool ui_menu_begin(Ui *ui, const char *label, int letters)
{
    float width = ui->paint.letter * (float)(letters_of(label) + 2), row = row_of(ui);
    UiRect button = {ui->bar_x, ui->bar.y, width, row}, text = button;
    UiPanel *bar = ui->panel;
    ui->seed = bar->id;
    Cell cell = cell_in(ui, label, button, !ui->measures);
    ui->bar_x += width;
    if (cell.pressed) ui->menu = ui->menu == cell.id ? 0 : cell.id;
    if (ui->menu == cell.id) paint_rect(ui, button, ui_rail_color);
    text.x += ui->paint.letter;
    row_text(ui, text, ui_white, label);
    if (ui->menu != cell.id) return false;
    UiRect box = {button.x, button.y + row, ui->paint.letter * (float)letters,
                  ui->bar.height - row};
    box.x = fmaxf(fminf(box.x, ui->bar.x + ui->bar.width - box.width), ui->bar.x);
    open_panel(ui, cell.id, box);
    paint_rect(ui, ui->panel->box, (OverlayColor){0.05f, 0.06f, 0.08f, 0.7f});
    return true;
}

void ui_menu_end(Ui *ui)
{
    ui_panel_end(ui);
    ui->panel = panel_of(ui, id_of(start, "bar"));
}

void ui_bar_end(Ui *ui, OverlayColor color, const char *text)
{
    float width = ui->paint.letter * (float)letters_of(text);
    float x = ui->bar.x + ui->bar.width - width - ui->paint.letter;
    if (x > ui->bar_x) row_text(ui, (UiRect){x, ui->bar.y, width + 1, row_of(ui)}, color, text);
    ui->panel = NULL;
}
