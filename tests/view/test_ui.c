/* The layer of panels without a window: where things are, what mouse and keys do to them. */
#include "../../apps/view/ui.c"
#include "../../apps/view/ui_rows.c"

#include "../check.h"

enum { LETTER = 8, LINE = 16, ROW = 20, MARGIN = 6, TOLD_ROOM = 200 };

/* What a pass drew and told, and what the panels change. */
typedef struct Desk {
    Ui ui;
    UiPainter painter;
    char names[TOLD_ROOM][32];
    UiRect boxes[TOLD_ROOM];
    int told, texts, marks;
    float left, right, top, bottom; /* of all that was written */
    bool check, covered;
    double slide, number, share, fixed;
    UiSlide slid;
    int presses, items, rows;
    bool entered, moves, open, has_menu, has_cover;
} Desk;

static void note_text(void *context, float x, float y, OverlayColor color, const char *text)
{
    Desk *desk = context;
    (void)color;
    float end = x + LETTER * (float)ui_letters(text);
    desk->left = desk->texts ? fminf(desk->left, x) : x;
    desk->right = desk->texts ? fmaxf(desk->right, end) : end;
    desk->top = desk->texts ? fminf(desk->top, y) : y;
    desk->bottom = desk->texts ? fmaxf(desk->bottom, y + LINE) : y + LINE;
    desk->texts++;
}

static void note_rect(void *context, UiRect box, OverlayColor color)
{
    Desk *desk = context;
    (void)box;
    desk->marks += color.a > 0;
}

static void note_place(void *context, const char *name, UiRect box)
{
    Desk *desk = context;
    if (desk->told == TOLD_ROOM) return;
    snprintf(desk->names[desk->told], sizeof desk->names[0], "%s", name);
    desk->boxes[desk->told++] = box;
}

static void content(void *context)
{
    Desk *desk = context;
    Ui *ui = &desk->ui;
    char name[32];
    ui_panel_begin(ui, "main", (UiRect){10, 40, 320, 400});
    if (ui_check(ui, "check", "C", desk->check)) desk->check = !desk->check;
    if (ui_button(ui, "button")) desk->presses++;
    UiSlider slider = {.label = "slide", .low = -1, .high = 3, .moves = desk->moves};
    UiSlide slid = ui_slider(ui, &slider, &desk->slide);
    if (slid != UI_SLIDE_NOTHING) desk->slid = slid;
    if (ui_number(ui, "number", &desk->number, 0, 100)) desk->entered = true;
    ui_rail(ui, "rail", "0 s", &desk->share);
    ui_columns(ui, 2);
    ui_button(ui, "one");
    ui_button(ui, "two");
    ui_columns(ui, 1);
    desk->open = ui_section(ui, "section", false);
    if (desk->open) ui_value(ui, "a label that is far too long for its place", ui_white, "%s", "0");
    ui_panel_end(ui);
    ui_panel_begin(ui, "list", (UiRect){400, 40, 200, 10 * ROW + 2 * MARGIN});
    for (int i = 0; i < desk->rows; i++) {
        snprintf(name, sizeof name, "row %d", i);
        if (ui_check(ui, name, "", false)) desk->presses = 100 + i;
    }
    ui_panel_end(ui);
    if (desk->has_cover) {
        ui_panel_begin(ui, "cover", (UiRect){10, 40, 320, 50});
        if (ui_check(ui, "covered", "", desk->covered)) desk->covered = !desk->covered;
        ui_text(ui, ui_white, "text");
        ui_panel_end(ui);
    }
    ui_bar_begin(ui, (UiRect){0, 0, 640, 480});
    if (ui_menu_begin(ui, "File", 40)) {
        if (ui_item(ui, "open", "O")) desk->items++;
        if (ui_item(ui, "close", "")) desk->items += 10;
        ui_menu_end(ui);
    }
    ui_bar_end(ui, ui_white, "paused");
}

static Desk make_desk(void)
{
    return (Desk){.painter = {.letter = LETTER,
                              .line = LINE,
                              .text = note_text,
                              .rect = note_rect,
                              .tell = note_place},
                  .number = 5,
                  .rows = 30,
                  .moves = true};
}

static bool pass(Desk *desk, UiEvent event)
{
    desk->painter.context = desk;
    return ui_pass(&desk->ui, &desk->painter, event, content, desk);
}

static UiRect find(Desk *desk, const char *name)
{
    desk->told = 0;
    pass(desk, (UiEvent){.kind = UI_TELL});
    for (int i = 0; i < desk->told; i++)
        if (!strcmp(desk->names[i], name)) return desk->boxes[i];
    return (UiRect){0};
}

static bool mouse(Desk *desk, UiEventKind kind, float x, float y)
{
    return pass(desk, (UiEvent){.kind = kind, .x = x, .y = y});
}

/* In the middle of what has this name, or at a share of its width. */
static bool click_at(Desk *desk, const char *name, float share)
{
    UiRect box = find(desk, name);
    CHECK(box.width > 0);
    float x = box.x + share * box.width, y = box.y + 0.5f * box.height;
    mouse(desk, UI_MOVE, x, y);
    bool taken = mouse(desk, UI_PRESS, x, y);
    mouse(desk, UI_RELEASE, x, y);
    return taken;
}

static bool key(Desk *desk, UiKey what)
{
    return pass(desk, (UiEvent){.kind = UI_KEY, .key = what});
}

static void type(Desk *desk, const char *text)
{
    for (; *text; text++)
        pass(desk, (UiEvent){.kind = UI_LETTER, .letter = (unsigned)(unsigned char)*text});
}

TEST(rows_lie_below_each_other_inside_their_panel)
{
    Desk desk = make_desk();
    const char *names[] = {"check", "button", "slide", "number", "rail", "one", "section"};
    UiRect first = find(&desk, "check");
    CHECK(first.x > 10 && first.x + first.width < 330);
    CHECK_NEAR((double)first.y, 40 + MARGIN, 0);
    for (int i = 0; i < 7; i++) {
        UiRect box = find(&desk, names[i]);
        CHECK_NEAR((double)box.y, (double)first.y + i * ROW, 0);
        CHECK_NEAR((double)box.height, ROW, 0);
    }
    UiRect one = find(&desk, "one"), two = find(&desk, "two");
    CHECK(one.y == two.y && one.width == two.width && one.x + one.width < two.x);
    CHECK_NEAR((double)(two.x + two.width), (double)(first.x + first.width),
               0.5); /* half a pixel */
    /* as high as its rows */
    CHECK_NEAR((double)desk.ui.panels[0].box.height, 7 * ROW + 2 * MARGIN, 0);
}

TEST(a_click_toggles_and_one_elsewhere_is_the_programs)
{
    Desk desk = make_desk();
    CHECK(click_at(&desk, "check", 0.5f) && desk.check);
    CHECK(click_at(&desk, "check", 0.1f) && !desk.check);
    CHECK(click_at(&desk, "button", 0.5f) && desk.presses == 1);
    CHECK(!mouse(&desk, UI_PRESS, 350, 300) && !mouse(&desk, UI_RELEASE, 350, 300));
    CHECK(!desk.check && desk.presses == 1);
    /* on the panel, but on nothing */
    CHECK(mouse(&desk, UI_PRESS, 12, 50));
    mouse(&desk, UI_RELEASE, 12, 50);
    CHECK(!desk.check && desk.presses == 1);
}

TEST(a_drag_moves_a_slider_to_its_ends_and_no_further)
{
    Desk desk = make_desk();
    UiRect rail = find(&desk, "slide slider");
    float y = rail.y + 10;
    CHECK(mouse(&desk, UI_PRESS, rail.x + 0.25f * rail.width, y));
    CHECK_NEAR(desk.slide, 0, 1e-6);                                    /* places are floats */
    CHECK(mouse(&desk, UI_MOVE, rail.x + 0.75f * rail.width, y + 200)); /* off the row */
    CHECK_NEAR(desk.slide, 2, 1e-6);
    mouse(&desk, UI_MOVE, rail.x - 500, y);
    CHECK_NEAR(desk.slide, -1, 0);
    mouse(&desk, UI_MOVE, rail.x + 900, y);
    CHECK_NEAR(desk.slide, 3, 0);
    CHECK(mouse(&desk, UI_RELEASE, rail.x, y));
    CHECK(!mouse(&desk, UI_MOVE, rail.x, y));
    CHECK_NEAR(desk.slide, 3, 0);
    click_at(&desk, "slide", 0.02f);
    CHECK(desk.slid == UI_SLIDE_NAME);
    desk.moves = false;
    click_at(&desk, "slide slider", 0.5f);
    CHECK(desk.slid == UI_SLIDE_REFUSED);
    CHECK_NEAR(desk.slide, 3, 0);
    click_at(&desk, "rail", 0.5f);
    CHECK_NEAR(desk.share, 0.5, 1e-6);
}

TEST(a_number_is_typed_and_one_out_of_range_is_not_taken)
{
    Desk desk = make_desk();
    click_at(&desk, "number", 0.9f);
    type(&desk,
         "4x2"); /* the first letter takes the place of all; what no number has is left out */
    CHECK(key(&desk, UI_KEY_OTHER)); /* keys are the field's, not the program's */
    CHECK(key(&desk, UI_KEY_ENTER) && desk.entered);
    CHECK_NEAR(desk.number, 42, 0);
    CHECK(!key(&desk, UI_KEY_OTHER));
    desk.entered = false;
    click_at(&desk, "number", 0.9f);
    type(&desk, "1e3");
    key(&desk, UI_KEY_ENTER);
    CHECK(!desk.entered); /* beyond 100: it stays, to be mended */
    key(&desk, UI_KEY_BACKSPACE);
    type(&desk, "1");
    click_at(&desk, "check", 0.5f); /* a press elsewhere enters it, too */
    CHECK(desk.entered && desk.check);
    CHECK_NEAR(desk.number, 10, 0);
    click_at(&desk, "number", 0.9f);
    type(&desk, "7");
    CHECK(key(&desk, UI_KEY_ESCAPE));
    CHECK_NEAR(desk.number, 10, 0);
    CHECK(!key(&desk, UI_KEY_ESCAPE));
}

TEST(tab_goes_round_and_keys_do_what_the_mouse_does)
{
    Desk desk = make_desk();
    CHECK(!key(&desk, UI_KEY_ENTER) && !key(&desk, UI_KEY_LEFT));
    CHECK(key(&desk, UI_KEY_TAB) && key(&desk, UI_KEY_ENTER) && desk.check);
    CHECK(key(&desk, UI_KEY_TAB) && key(&desk, UI_KEY_ENTER) && desk.presses == 1);
    CHECK(key(&desk, UI_KEY_TAB) && key(&desk, UI_KEY_RIGHT));
    CHECK_NEAR(desk.slide, 0.08, 1e-15); /* a fiftieth of the range from 0; rounding */
    CHECK(key(&desk, UI_KEY_TAB));
    type(&desk, "8");
    CHECK(key(&desk, UI_KEY_TAB) && desk.entered);
    CHECK_NEAR(desk.number, 8, 0);
    CHECK(key(&desk, UI_KEY_ESCAPE) && !key(&desk, UI_KEY_ENTER));
    /* backwards from the start to the last: the menu */
    CHECK(key(&desk, UI_KEY_BACK_TAB) && key(&desk, UI_KEY_ENTER) && desk.ui.menu);
    CHECK(key(&desk, UI_KEY_TAB) && key(&desk, UI_KEY_ENTER) && desk.items == 1 && !desk.ui.menu);
}

TEST(the_focus_scrolls_a_list_to_where_it_is)
{
    Desk desk = make_desk();
    CHECK(find(&desk, "row 25").width == 0);
    for (int i = 0; i < 8 + 26; i++) key(&desk, UI_KEY_TAB);
    CHECK(find(&desk, "row 25").width > 0);
    CHECK(key(&desk, UI_KEY_ENTER) && desk.presses == 125);
}

TEST(a_list_scrolls_and_what_is_out_of_sight_cannot_be_pressed)
{
    Desk desk = make_desk();
    CHECK(find(&desk, "row 9").width > 0 && find(&desk, "row 10").width == 0);
    mouse(&desk, UI_MOVE, 450, 100);
    CHECK(pass(&desk, (UiEvent){.kind = UI_WHEEL, .notches = -2}));
    CHECK(find(&desk, "row 5").width == 0 && find(&desk, "row 15").width > 0);
    mouse(&desk, UI_PRESS, 450, 40 + MARGIN + 5); /* the first row that is seen */
    CHECK(desk.presses == 106);
    pass(&desk, (UiEvent){.kind = UI_WHEEL, .notches = -100});
    CHECK(find(&desk, "row 29").width > 0 && find(&desk, "row 19").width == 0);
    mouse(&desk, UI_RELEASE, 450, 100);
    /* by its bar: the top */
    mouse(&desk, UI_PRESS, 598, 200);
    mouse(&desk, UI_MOVE, 598, 0);
    CHECK(find(&desk, "row 0").width > 0);
    mouse(&desk, UI_RELEASE, 598, 0);
    desk.rows = 3; /* nothing to scroll */
    pass(&desk, (UiEvent){.kind = UI_WHEEL, .notches = -5});
    CHECK(find(&desk, "row 0").width > 0);
    mouse(&desk, UI_MOVE, 350, 300);
    CHECK(!pass(&desk, (UiEvent){.kind = UI_WHEEL, .notches = 1}));
}

TEST(what_lies_above_takes_the_press)
{
    Desk desk = make_desk();
    UiRect under = find(&desk, "check");
    desk.has_cover = true;
    mouse(&desk, UI_PRESS, under.x + 20, under.y + 10);
    CHECK(desk.covered && !desk.check);
    mouse(&desk, UI_RELEASE, under.x + 20, under.y + 10);
}

TEST(a_menu_opens_covers_and_closes)
{
    Desk desk = make_desk();
    CHECK(find(&desk, "open").width == 0);
    click_at(&desk, "File", 0.5f);
    UiRect item = find(&desk, "open"), under = find(&desk, "check");
    CHECK(item.y < under.y + under.height && under.y < item.y + 2 * ROW); /* they overlap */
    click_at(&desk, "close", 0.5f);
    CHECK(desk.items == 10 && !desk.check && !desk.ui.menu);
    click_at(&desk, "File", 0.5f);
    UiRect button = find(&desk, "section");
    CHECK(
        mouse(&desk, UI_PRESS, button.x + 10, button.y + 10)); /* beside it: closes, and no more */
    CHECK(!desk.ui.menu && !desk.open);
    mouse(&desk, UI_RELEASE, button.x + 10, button.y + 10);
    click_at(&desk, "File", 0.5f);
    CHECK(key(&desk, UI_KEY_ESCAPE) && !desk.ui.menu);
    CHECK(!key(&desk, UI_KEY_ESCAPE)); /* the program's again */
}

TEST(text_stays_inside_its_panel)
{
    Desk desk = make_desk();
    click_at(&desk, "section", 0.5f);
    CHECK(desk.open);
    desk.texts = desk.marks = 0;
    pass(&desk, (UiEvent){.kind = UI_DRAW});
    CHECK(desk.texts > 15 && desk.marks > 10);
    CHECK(desk.left >= 0 && desk.right <= 640 && desk.top >= 0);
    CHECK(desk.bottom <= 40 + 10 * ROW + 2 * MARGIN);
}

TEST(the_layout_has_another_number_only_where_something_moved)
{
    Desk desk = make_desk();
    find(&desk, "check");
    uint32_t before = desk.ui.layout;
    click_at(&desk, "check", 0.5f);
    desk.slide = 2;
    find(&desk, "check");
    CHECK(desk.ui.layout == before);
    click_at(&desk, "section", 0.5f);
    find(&desk, "check");
    CHECK(desk.ui.layout != before);
}
