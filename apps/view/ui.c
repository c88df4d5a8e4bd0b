/* ui.c: passes, panels and menus; see ui.h.
 *
 * Each pass runs the program's calls twice. The first half measures: it gives every panel its place
 * and lists what the Tab key stops at. Then it is known which panel lies under the mouse, and the
 * second half reacts or draws. A row is drawn where all of it is inside its panel, so nothing has
 * to be clipped. */
#include "ui_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const OverlayColor ui_white = {1, 1, 1, 1}, ui_gray = {0.75f, 0.78f, 0.82f, 1};
const OverlayColor ui_accent = {0.45f, 0.8f, 1, 1}, ui_amber = {1, 0.8f, 0.35f, 1};
const OverlayColor ui_red = {1, 0.42f, 0.38f, 1}, ui_shade = {0.05f, 0.06f, 0.08f, 0.78f};
const OverlayColor ui_rail_color = {1, 1, 1, 0.2f};
const OverlayColor ui_dim = {1, 1, 1, 0.35f};
static const OverlayColor hover = {1, 1, 1, 0.12f};

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

bool ui_draws(const Ui *ui) { return !ui->measures && ui->event.kind == UI_DRAW; }

bool ui_inside(UiRect box, float x, float y)
{
    return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

void ui_paint_rect(const Ui *ui, UiRect box, OverlayColor color)
{
    if (ui_draws(ui)) ui->paint.rect(ui->paint.context, box, color);
}

/* Letters of a text in UTF-8. */
int ui_letters(const char *text)
{
    int count = 0;
    for (; *text; text++) count += (*text & 0xc0) != 0x80;
    return count;
}

/* As much of the text as fits: its start, or, where `tail`, its end, which tells names apart. */
void ui_paint_text(const Ui *ui, float x, float y, float width, OverlayColor color,
                   const char *text, bool tail)
{
    char cut[TEXT_ROOM];
    int count = ui_letters(text), room = (int)(width / ui->paint.letter + 0.01f);
    if (!ui_draws(ui) || room < 1 || (count > room && room < 3)) return;
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
void ui_row_text(const Ui *ui, UiRect box, OverlayColor color, const char *text)
{
    ui_paint_text(ui, box.x, box.y + 0.5f * (box.height - ui->paint.line), box.width, color, text,
                  false);
}

/* ---- a pass ---- */

static UiPanel *shown_at(Ui *ui, float x, float y)
{
    for (int i = ui->shown_count - 1; i >= 0; i--)
        if (ui_inside(ui->panels[ui->shown[i]].box, x, y)) return &ui->panels[ui->shown[i]];
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
    bool hit = ui_inside((UiRect){rail.x - wide, rail.y, 2 * wide, rail.height}, ui->x, ui->y);
    if (most > 0 && ui->event.kind == UI_PRESS && ui->hot == panel->id && hit)
        ui->active = panel->id;
    if (ui->active == panel->id && (ui->event.kind == UI_PRESS || ui->event.kind == UI_MOVE))
        panel->scroll = row * roundf(most * (ui->y - box.y) / box.height / row);
    panel->scroll = fminf(fmaxf(panel->scroll, 0), most);
    if (!(most > 0)) return;
    rail.height = fmaxf(box.height * box.height / (box.height + most), row); /* to be held */
    rail.y += (box.height - rail.height) * panel->scroll / most;
    ui_paint_rect(ui, rail, ui->active == panel->id ? ui_accent : ui_dim);
}

static void open_panel(Ui *ui, UiId id, UiRect box)
{
    UiPanel *panel = panel_of(ui, id);
    float margin = ui_margin(&ui->paint);
    if (ui->measures)
        panel->box = box;
    else {
        ui_paint_rect(ui, panel->box, ui_shade);
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

UiRect ui_next_box(Ui *ui, float height)
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

bool ui_is_seen(const Ui *ui, UiRect box)
{
    UiRect panel = ui->panel->box;
    float margin = ui_margin(&ui->paint) - 0.5f;
    return !ui->measures && box.y >= panel.y + margin &&
           box.y + box.height <= panel.y + panel.height - margin;
}

void ui_tell(const Ui *ui, const char *name, UiRect box)
{
    if (!ui->measures && ui->event.kind == UI_TELL && ui->paint.tell)
        ui->paint.tell(ui->paint.context, name, box);
}

/* Something that can be pressed, by the mouse or by Enter where it has the focus. */
UiCell ui_cell_in(Ui *ui, const char *label, UiRect box, bool seen)
{
    UiCell cell = {.box = box, .id = id_of(ui->seed, label), .seen = seen};
    if (ui->measures) {
        if (ui->order_count < UI_ORDER_ROOM)
            ui->order[ui->order_count++] = (struct UiStop){cell.id, (int)(ui->panel - ui->panels),
                                                           box.y + ui->panel->scroll - ui->top};
        ui->layout = mix(ui->layout, &cell.id, sizeof cell.id);
        return cell;
    }
    cell.focused = ui->focus == cell.id;
    cell.under = seen && ui->hot == ui->panel->id && ui_inside(box, ui->x, ui->y) &&
                 (!ui->active || ui->active == cell.id);
    cell.pressed = cell.under && ui->event.kind == UI_PRESS && !ui->active;
    if (cell.focused && ui->event.kind == UI_KEY && ui->event.key == UI_KEY_ENTER)
        cell.pressed = ui->taken = true;
    if (seen) ui_tell(ui, label, box);
    if (cell.under && !ui->active) ui_paint_rect(ui, box, hover);
    if (cell.focused && seen)
        ui_paint_rect(ui, (UiRect){box.x, box.y + box.height - 2, box.width, 2}, ui_accent);
    return cell;
}

UiCell ui_next_cell(Ui *ui, const char *label)
{
    UiRect box = ui_next_box(ui, row_of(ui));
    return ui_cell_in(ui, label, box, ui_is_seen(ui, box));
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
    float width = ui->paint.letter * (float)(ui_letters(label) + 2), row = row_of(ui);
    UiRect button = {ui->bar_x, ui->bar.y, width, row}, text = button;
    UiPanel *bar = ui->panel;
    ui->seed = bar->id;
    UiCell cell = ui_cell_in(ui, label, button, !ui->measures);
    ui->bar_x += width;
    if (cell.pressed) ui->menu = ui->menu == cell.id ? 0 : cell.id;
    if (ui->menu == cell.id) ui_paint_rect(ui, button, ui_rail_color);
    text.x += ui->paint.letter;
    ui_row_text(ui, text, ui_white, label);
    if (ui->menu != cell.id) return false;
    UiRect box = {button.x, button.y + row, ui->paint.letter * (float)letters,
                  ui->bar.height - row};
    box.x = fmaxf(fminf(box.x, ui->bar.x + ui->bar.width - box.width), ui->bar.x);
    open_panel(ui, cell.id, box);
    ui_paint_rect(ui, ui->panel->box, (OverlayColor){0.05f, 0.06f, 0.08f, 0.7f});
    return true;
}

void ui_menu_end(Ui *ui)
{
    ui_panel_end(ui);
    ui->panel = panel_of(ui, id_of(start, "bar"));
}

void ui_bar_end(Ui *ui, OverlayColor color, const char *text)
{
    float width = ui->paint.letter * (float)ui_letters(text);
    float x = ui->bar.x + ui->bar.width - width - ui->paint.letter;
    if (x > ui->bar_x) ui_row_text(ui, (UiRect){x, ui->bar.y, width + 1, row_of(ui)}, color, text);
    ui->panel = NULL;
}
