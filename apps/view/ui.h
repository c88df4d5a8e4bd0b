/* ui.h: an immediate-mode layer: panels, buttons, check boxes, sliders, menus, lists, numbers.
 *
 * A program describes what there is by calls, in the same order in every pass. An event and a
 * picture are a pass each: nothing is lost between two pictures, and what a call returns is true in
 * one pass only. The layer draws through a table of functions and has no window, no OpenGL and no
 * memory of its own beside the struct. */
#ifndef TENON_VIEW_UI_H
#define TENON_VIEW_UI_H

#include "../render/overlay.h"

typedef uint32_t UiId;

typedef struct UiRect {
    float x, y, width, height; /* pixels */
} UiRect;

typedef struct UiPainter {
    void *context;
    float letter, line; /* pixels: width of a letter, height of a line; all others follow */
    void (*text)(void *context, float x, float y, OverlayColor color, const char *text);
    void (*rect)(void *context, UiRect box, OverlayColor color);
    /* For UI_TELL: what can be pressed, and where it is. NULL: not needed */
    void (*tell)(void *context, const char *name, UiRect box);
} UiPainter;

typedef enum UiEventKind {
    UI_DRAW,
    UI_PRESS, /* of the left button, at x, y */
    UI_MOVE,
    UI_RELEASE,
    UI_WHEEL,
    UI_KEY,
    UI_LETTER, /* a character was typed */
    UI_TELL
} UiEventKind;

typedef enum UiKey {
    UI_KEY_OTHER,
    UI_KEY_ENTER,
    UI_KEY_ESCAPE,
    UI_KEY_TAB,
    UI_KEY_BACK_TAB,
    UI_KEY_LEFT,
    UI_KEY_RIGHT,
    UI_KEY_BACKSPACE
} UiKey;

typedef struct UiEvent {
    UiEventKind kind;
    float x, y; /* pixels: of press, move and release */
    double notches;
    UiKey key;
    unsigned letter;
} UiEvent;

enum { UI_PANEL_ROOM = 16, UI_FOLD_ROOM = 64, UI_ORDER_ROOM = 1024, UI_EDIT_ROOM = 40 };

typedef struct UiPanel {
    UiId id;
    UiRect box;
    float content, scroll; /* pixels: height of all rows, and of what is above the first one seen */
} UiPanel;

/* Zero at first. */
typedef struct Ui {
    UiPainter paint;
    UiEvent event;
    bool measures; /* the half of a pass that only finds where things are */
    bool taken;    /* the event was for a panel */
    float x, y;    /* of the mouse */
    UiId hot;      /* the panel under the mouse */
    UiId active;   /* what the mouse holds */
    UiId menu;     /* that is open */
    UiId focus;    /* what keys are for; 0: the program */
    UiId next_focus;
    uint32_t layout; /* another number where something that can be pressed is elsewhere */

    UiPanel panels[UI_PANEL_ROOM]; /* of all passes */
    int panel_count, shown[UI_PANEL_ROOM], shown_count;
    UiPanel *panel; /* that is open now, and of it: */
    UiId seed;
    float top, row_x, row_width, cursor;
    int columns, column;
    float bar_x; /* the next menu's place */
    UiRect bar;

    struct UiFold {
        UiId id;
        bool open;
    } folds[UI_FOLD_ROOM];
    int fold_count;
    struct UiStop {
        UiId id;
        int panel;
        float place;        /* pixels, from the top of the panel's rows */
    } order[UI_ORDER_ROOM]; /* of the Tab key */
    int order_count;
    char edit[UI_EDIT_ROOM]; /* the number that is typed, */
    UiId edit_of;            /* and where */
    bool edit_fresh;         /* the next letter takes the place of all */
} Ui;

typedef void (*UiContent)(void *context);
/* A pass: calls `content` twice, first to find where everything is. True where the event was for a
 * panel; the program leaves it alone then. */
bool ui_pass(Ui *ui, const UiPainter *painter, UiEvent event, UiContent content, void *context);
float ui_row_height(const UiPainter *painter);
float ui_margin(const UiPainter *painter); /* around the rows of a panel */

/* A panel of this width, as high as its rows, but no higher than the box; what does not fit is
 * scrolled by the wheel. Later panels lie above earlier ones. */
void ui_panel_begin(Ui *ui, const char *name, UiRect box);
void ui_panel_end(Ui *ui);
/* The widgets that follow share rows, so many in each; 1: no longer. */
void ui_columns(Ui *ui, int count);

/* A heading that folds what is under it; true where it is open. */
bool ui_section(Ui *ui, const char *label, bool open_at_first);
void ui_text(Ui *ui, OverlayColor color, const char *text);
/* A label and what is written behind it. */
void ui_value(Ui *ui, const char *label, OverlayColor color, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool ui_button(Ui *ui, const char *label);
/* True where it was pressed; the program changes the value. `hint` is the key that does the same,
 * or "". */
bool ui_check(Ui *ui, const char *label, const char *hint, bool value);
bool ui_item(Ui *ui, const char *label, const char *hint); /* a button of a menu */
typedef enum UiSlide { UI_SLIDE_NOTHING, UI_SLIDE_VALUE, UI_SLIDE_NAME, UI_SLIDE_REFUSED } UiSlide;
/* A name, a slider and its value. What was done: the value was set, the name was pressed, or the
 * slider, which is not to be moved now. Where low = high there is no slider, but a bar: the value
 * as a share of `high`. */
typedef struct UiSlider {
    const char *label;
    double low, high;
    bool moves;
    OverlayColor color; /* of the label */
} UiSlider;
UiSlide ui_slider(Ui *ui, const UiSlider *slider, double *value);
/* A text and a wide bar behind it; true where a share of it was chosen. */
bool ui_rail(Ui *ui, const char *label, const char *text, double *share);
/* A text field; true where a number within the range was entered. */
bool ui_number(Ui *ui, const char *label, double *value, double low, double high);
/* Room for a drawing, in lines; width 0: it is not seen, or nothing is drawn in this pass. */
UiRect ui_area(Ui *ui, float lines);

/* A row of menus in a panel: begin, the menus, end. An item that is a button closes its menu. */
void ui_bar_begin(Ui *ui, UiRect box);
bool ui_menu_begin(Ui *ui, const char *label, int letters); /* true where it is open */
void ui_menu_end(Ui *ui);
void ui_bar_end(Ui *ui, OverlayColor color, const char *text); /* and text at its right */

/* The colours of all panels. */
extern const OverlayColor ui_white, ui_gray, ui_accent, ui_amber, ui_red, ui_shade, ui_rail_color;

#endif
