/* panel.h: a panel on its way from the definition to SVG: its axes and margins (layout.c), what is
 * drawn of each series in pixels (marks.c), the legend (legend.c). */
#ifndef TENON_PLOT_PANEL_H
#define TENON_PLOT_PANEL_H

#include "axis.h"
#include "plot.h"

enum { TICK_SIZE = 11, LABEL_SIZE = 12, TITLE_SIZE = 14 }; /* px of texts */
enum { LEGEND_MAX = 2 * PLOT_MAX_SERIES, LEGEND_TEXT = 160 };
enum { LEGEND_ROW = 17, LEGEND_SWATCH = 28, LEGEND_BAR_SWATCH = 12, LEGEND_GAP = 6 }; /* px */
#define CATEGORY_TURN 40.0 /* degrees of turned labels */

typedef struct Box {
    double left, top, right, bottom; /* px */
} Box;

/* A point of a series in pixels. */
typedef struct Mark {
    double x, y;
    bool start; /* of a stroke */
    bool data;  /* a point of the series, not an end cut at the frame */
} Mark;

typedef struct Marks {
    Mark *points; /* owned */
    int64_t count, capacity;
    int64_t drawn, left_out, outside, thinned;
    bool small;  /* so many points that small dots show them best */
    bool failed; /* no memory */
} Marks;

typedef struct LegendEntry {
    int series;
    bool is_fit;
    char text[LEGEND_TEXT];
    double x, y; /* px, left end and middle of its row */
} LegendEntry;

typedef struct Legend {
    LegendEntry entries[LEGEND_MAX];
    int count;
    bool strip; /* in rows above the frame instead of inside it */
    double strip_height;
    Box box; /* inside only */
} Legend;

typedef struct Panel {
    const Plot *plot;
    Box outer, frame;
    Axis x, y;
    Marks marks[PLOT_MAX_SERIES];
    PlotFitResult fits[PLOT_MAX_SERIES];
    Legend legend;
    bool categories_turned;
    int category_stride;   /* every so many get a label */
    double category_width; /* px of a label at most */
    double category_left;  /* px that the first one needs on the left */
} Panel;

/* layout.c. False where no point can be drawn. */
bool panel_ranges(Panel *panel);
/* Margins and ticks. False where the frame would get too small. */
bool panel_layout(Panel *panel);
double category_middle(const Panel *panel, int category); /* px */

/* marks.c. False without memory. */
bool panel_marks(Panel *panel);
void panel_free_marks(Panel *panel);
typedef struct Bar {
    Box box;
    bool shown;
} Bar;
/* The bar of a category; stacked ones stand on those of the series before. */
Bar panel_bar(const Panel *panel, int series, int category);

/* The number over a bar, or over a stack where series is 0. */
typedef struct BarNumber {
    double x, y; /* px, middle of its baseline */
    bool shown;
    char text[NUMBER_SIZE];
} BarNumber;
BarNumber panel_bar_number(const Panel *panel, int series, int category);
/* In pixels, inside the frame; false where there is none. */
bool panel_error_bar(const Panel *panel, int series, int64_t i, double *x, double *low,
                     double *top);
/* A point of the fitted curve, from its first (share 0) to its last x (1); false where there is
 * none or it is outside. */
bool panel_fit_point(const Panel *panel, int series, double share, double *x, double *y);

/* references.c */
typedef struct ReferenceMark {
    bool vertical;
    double pixel;
    char text[LEGEND_TEXT]; /* "": no label, or no room for it */
    Box label;
} ReferenceMark;
/* Those that are inside the frame; returns how many. */
int panel_references(const Panel *panel, ReferenceMark marks[PLOT_MAX_REFERENCES]);

/* legend.c */
/* From the left end of an entry to its text, px. */
double legend_text_start(const Panel *panel, const LegendEntry *entry);
void legend_texts(Panel *panel);
/* Where it covers nothing inside the frame, or false. */
bool legend_place_inside(Panel *panel, bool *failed);
/* In rows above the frame; sets strip_height. */
void legend_place_strip(Panel *panel);

/* draw_series.c */
void draw_series(FILE *out, const Panel *panel);
void draw_swatch(FILE *out, const Panel *panel, const LegendEntry *entry);

/* draw.c */
void panel_draw(FILE *out, const Panel *panel);

#endif
