/* Reference lines: where they are, and where their labels have room. */
#include "panel.h"

static bool overlaps(const ReferenceMark *marks, int count, Box box)
{
    for (int i = 0; i < count; i++) {
        const Box *other = &marks[i].label;
        if (marks[i].text[0] && box.left < other->right && box.right > other->left &&
            box.top < other->bottom && box.bottom > other->top)
            return true;
    }
    return false;
}

/* Beside its line, at the first of several places inside the frame and away from the labels of the
 * `count` marks before; no text where there is none. */
static void place_label(const Panel *panel, const ReferenceMark *marks, int count,
                        ReferenceMark *mark)
{
    enum { TRIES = 16 };
    const Box *frame = &panel->frame;
    double width = text_width(mark->text, TICK_SIZE), height = TICK_SIZE + 4;
    for (int i = 0; i < TRIES; i++) {
        double left, top;
        if (mark->vertical) {
            left = i % 2 ? mark->pixel - 4 - width : mark->pixel + 4;
            top = frame->top + 2 + i / 2 * height;
        } else {
            left = frame->right - 4 - width - i / 2 * 0.13 * (frame->right - frame->left);
            top = i % 2 ? mark->pixel + 2 : mark->pixel - 2 - height;
        }
        mark->label = (Box){left, top, left + width, top + height};
        if (left >= frame->left && left + width <= frame->right && top >= frame->top &&
            top + height <= frame->bottom && !overlaps(marks, count, mark->label))
            return;
    }
    mark->text[0] = '\0';
}

int panel_references(const Panel *panel, ReferenceMark marks[PLOT_MAX_REFERENCES])
{
    int count = 0;
    for (int i = 0; i < panel->plot->reference_count; i++) {
        const PlotReference *line = &panel->plot->references[i];
        const Axis *axis = line->vertical ? &panel->x : &panel->y;
        ReferenceMark *mark = &marks[count];
        double u;
        if (!axis_value(axis->scale, line->value, &u) || !axis_contains(axis, u)) continue;
        *mark = (ReferenceMark){.vertical = line->vertical, .pixel = axis_pixel(axis, u)};
        if (line->label) {
            text_shorten(line->label, TICK_SIZE, 0.7 * (panel->frame.right - panel->frame.left),
                         mark->text, sizeof mark->text);
            place_label(panel, marks, count, mark);
        }
        count++;
    }
    return count;
}
