/* ui_internal.h: what the files of the layer share: cells of rows, and painting. */
#ifndef TENON_VIEW_UI_INTERNAL_H
#define TENON_VIEW_UI_INTERNAL_H

#include "ui.h"

enum { TEXT_ROOM = 256 };

/* Something that can be pressed. */
typedef struct UiCell {
    UiRect box;
    UiId id;
    bool seen, under, pressed, focused;
} UiCell;

extern const OverlayColor ui_dim;

static inline float row_of(const Ui *ui) { return ui_row_height(&ui->paint); }
bool ui_draws(const Ui *ui); /* this half of a pass */
bool ui_inside(UiRect box, float x, float y);
int ui_letters(const char *text); /* of a text in UTF-8 */
void ui_paint_rect(const Ui *ui, UiRect box, OverlayColor color);
/* As much of the text as fits: its start, or, where `tail`, its end, which tells names apart. */
void ui_paint_text(const Ui *ui, float x, float y, float width, OverlayColor color,
                   const char *text, bool tail);
void ui_row_text(const Ui *ui, UiRect box, OverlayColor color,
                 const char *text);       /* in its middle */
UiRect ui_next_box(Ui *ui, float height); /* the place of the next row, or its part in columns */
bool ui_is_seen(const Ui *ui, UiRect box);
void ui_tell(const Ui *ui, const char *name, UiRect box);
UiCell ui_cell_in(Ui *ui, const char *label, UiRect box, bool seen);
UiCell ui_next_cell(Ui *ui, const char *label);

#endif
