/* A panel as SVG: grid, axes, titles, reference lines, legend; the series are in draw_series.c. */
#include "panel.h"

#include <math.h>
#include <string.h>

static void draw_grid(FILE *out, const Panel *panel)
{
    const Box *frame = &panel->frame;
    fputs("<g stroke=\"#e4e4e4\" fill=\"none\">\n", out);
    for (int i = 0; i < panel->y.tick_count; i++) {
        double y = axis_pixel(&panel->y, panel->y.ticks[i]);
        svg_line(out, frame->left, y, frame->right, y, "");
    }
    for (int i = 0; i < panel->x.tick_count; i++) {
        double x = axis_pixel(&panel->x, panel->x.ticks[i]);
        svg_line(out, x, frame->top, x, frame->bottom, "");
    }
    fputs("</g>\n", out);
}

/* The short marks on the frame: 5 px at labels, 3 px at the others. */
static void draw_tick_marks(FILE *out, const Axis *axis, const Box *frame, bool horizontal)
{
    for (int i = 0; i < axis->tick_count + axis->minor_count; i++) {
        bool minor = i >= axis->tick_count;
        double pixel = axis_pixel(axis, minor ? axis->minor[i - axis->tick_count] : axis->ticks[i]);
        double length = minor ? 3 : 5;
        fputc('M', out);
        if (horizontal)
            svg_point(out, pixel, frame->bottom);
        else
            svg_point(out, frame->left, pixel);
        fputc(horizontal ? 'v' : 'h', out);
        svg_number(out, horizontal ? length : -length);
    }
}

static void draw_category_labels(FILE *out, const Panel *panel)
{
    for (int c = 0; c < panel->plot->category_count; c += panel->category_stride) {
        double x = category_middle(panel, c), y = panel->frame.bottom;
        char text[LEGEND_TEXT];
        text_shorten(panel->plot->categories[c], TICK_SIZE, panel->category_width + 0.01, text,
                     sizeof text);
        if (panel->categories_turned)
            svg_text(out, x + 3, y + TICK_SIZE + 2, 'e', -CATEGORY_TURN, "", text);
        else
            svg_text(out, x, y + TICK_SIZE + 7, 'm', 0, "", text);
    }
}

static void draw_axes(FILE *out, const Panel *panel)
{
    const Box *frame = &panel->frame;
    fputs("<path class=\"axes\" fill=\"none\" stroke=\"#555\" d=\"M", out);
    svg_point(out, frame->left, frame->top);
    fputc('V', out);
    svg_number(out, frame->bottom);
    fputc('H', out);
    svg_number(out, frame->right);
    draw_tick_marks(out, &panel->x, frame, true);
    draw_tick_marks(out, &panel->y, frame, false);
    fprintf(out, "\"/>\n<g class=\"x-ticks\" font-size=\"%d\">\n", TICK_SIZE);
    if (panel->plot->categories) draw_category_labels(out, panel);
    for (int i = 0; i < panel->x.tick_count; i++)
        svg_text(out, axis_pixel(&panel->x, panel->x.ticks[i]), frame->bottom + TICK_SIZE + 7, 'm',
                 0, "", panel->x.labels[i]);
    fprintf(out, "</g>\n<g class=\"y-ticks\" font-size=\"%d\">\n", TICK_SIZE);
    for (int i = 0; i < panel->y.tick_count; i++)
        svg_text(out, frame->left - 8, axis_pixel(&panel->y, panel->y.ticks[i]) + 0.36 * TICK_SIZE,
                 'e', 0, "", panel->y.labels[i]);
    fputs("</g>\n", out);
}

static void draw_titles(FILE *out, const Panel *panel)
{
    const Plot *plot = panel->plot;
    const Box *frame = &panel->frame, *outer = &panel->outer;
    char text[512];
    fprintf(out, "<g font-size=\"%d\">\n", LABEL_SIZE);
    if (plot->title) {
        double width = outer->right - outer->left - 20;
        text_shorten(plot->title, 1.1 * LABEL_SIZE, width, text, sizeof text);
        svg_text(out, 0.5 * (outer->left + outer->right), outer->top + TITLE_SIZE + 6, 'm', 0,
                 "font-weight=\"600\"", text);
    }
    double note_width = panel->x.note[0] ? text_width(panel->x.note, TICK_SIZE) + 10 : 0;
    double baseline = outer->bottom - 8;
    if (plot->x.label) {
        text_shorten(plot->x.label, LABEL_SIZE, frame->right - outer->left - 10 - note_width, text,
                     sizeof text);
        /* in the middle of the frame, or as near to it as note and edge allow */
        double half = 0.5 * text_width(text, LABEL_SIZE);
        double x = fmin(0.5 * (frame->left + frame->right), frame->right - note_width - half);
        svg_text(out, fmax(x, outer->left + 8 + half), baseline, 'm', 0, "class=\"x-label\"", text);
    }
    if (plot->y.label) {
        text_shorten(plot->y.label, LABEL_SIZE, outer->bottom - outer->top - 12, text, sizeof text);
        double half = 0.5 * text_width(text, LABEL_SIZE), y = 0.5 * (frame->top + frame->bottom);
        y = fmin(fmax(y, outer->top + 6 + half), outer->bottom - 6 - half);
        svg_text(out, outer->left + LABEL_SIZE + 6, y, 'm', -90, "class=\"y-label\"", text);
    }
    fputs("</g>\n", out);
    fprintf(out, "<g font-size=\"%d\">\n", TICK_SIZE);
    if (panel->x.note[0])
        svg_text(out, frame->right, baseline, 'e', 0, "class=\"x-note\"", panel->x.note);
    if (panel->y.note[0])
        svg_text(out, frame->left, frame->top - 5, 's', 0, "class=\"y-note\"", panel->y.note);
    fputs("</g>\n", out);
}

static void draw_references(FILE *out, const Panel *panel)
{
    static const char stroke[] = "fill=\"none\" stroke=\"#666\" stroke-dasharray=\"5 4\"";
    static const char halo[] =
        "fill=\"#444\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"";
    const Box *frame = &panel->frame;
    ReferenceMark marks[PLOT_MAX_REFERENCES];
    int count = panel_references(panel, marks);
    if (!count) return;
    fprintf(out, "<g class=\"references\" font-size=\"%d\">\n", TICK_SIZE);
    for (int i = 0; i < count; i++) {
        double pixel = marks[i].pixel;
        if (marks[i].vertical)
            svg_line(out, pixel, frame->top, pixel, frame->bottom, stroke);
        else
            svg_line(out, frame->left, pixel, frame->right, pixel, stroke);
        if (marks[i].text[0])
            svg_text(out, marks[i].label.left, marks[i].label.top + TICK_SIZE, 's', 0, halo,
                     marks[i].text);
    }
    fputs("</g>\n", out);
}

static void draw_legend(FILE *out, const Panel *panel)
{
    const Legend *legend = &panel->legend;
    if (!legend->count) return;
    fprintf(out, "<g class=\"legend\" font-size=\"%d\">\n", TICK_SIZE);
    if (!legend->strip)
        svg_rect(out, legend->box.left, legend->box.top, legend->box.right - legend->box.left,
                 legend->box.bottom - legend->box.top,
                 "rx=\"3\" fill=\"#fff\" fill-opacity=\".9\" stroke=\"#ccc\"");
    for (int i = 0; i < legend->count; i++) {
        const LegendEntry *entry = &legend->entries[i];
        draw_swatch(out, panel, entry);
        svg_text(out, entry->x + legend_text_start(panel, entry), entry->y + 0.36 * TICK_SIZE, 's',
                 0, "", entry->text);
    }
    fputs("</g>\n", out);
}

void panel_draw(FILE *out, const Panel *panel)
{
    fputs("<g class=\"panel\">\n", out);
    draw_grid(out, panel);
    /* bars stand behind the axis, points and lines before it */
    if (panel->plot->categories) draw_series(out, panel);
    draw_axes(out, panel);
    draw_titles(out, panel);
    if (!panel->plot->categories) draw_series(out, panel);
    draw_references(out, panel);
    draw_legend(out, panel);
    fputs("</g>\n", out);
}
