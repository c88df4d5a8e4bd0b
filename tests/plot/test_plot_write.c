/* Figures of apps/plot as text: what is counted, thinned, escaped and refused. Positions and XML
 * are checked from outside, by tests/cli/test_plot.py. */
#include "../../apps/plot/plot.h"
#include "../check.h"
#include "base/platform/files.h"

#include <math.h>

typedef struct Drawn {
    char *text; /* NULL where it was refused */
    size_t size;
    PlotReport report;
    char error[PLOT_ERROR_SIZE];
} Drawn;

static Drawn draw(const PlotFigure *figure)
{
    Drawn drawn = {0};
    FILE *memory = tn_stream_open_memory(&drawn.text, &drawn.size);
    bool fine = memory && plot_write(memory, figure, &drawn.report, drawn.error);
    if (memory) CHECK(tn_stream_close_memory(memory, &drawn.text, &drawn.size) == 0);
    if (!fine) {
        CHECK(drawn.size == 0); /* nothing is written before it is sure to succeed */
        free(drawn.text);
        drawn.text = NULL;
    }
    return drawn;
}

static Drawn draw_one(Plot plot, PlotSeries series)
{
    plot.series = &series;
    plot.series_count = 1;
    return draw(&(PlotFigure){.panels = &plot, .panel_count = 1});
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) count++;
    return count;
}

/* The points of the path of a class: pairs of numbers behind M, L or a blank. */
typedef struct PathReader {
    const char *rest;
    double x, y;
} PathReader;

static PathReader path_of(const char *text, const char *class_name)
{
    char name[64];
    snprintf(name, sizeof name, "class=\"%s\"", class_name);
    const char *path = strstr(text, name);
    return (PathReader){.rest = path ? strstr(path, " d=\"") + 4 : ""};
}

static bool next_point(PathReader *reader)
{
    int length = 0;
    reader->rest += strspn(reader->rest, "ML ");
    if (sscanf(reader->rest, "%lf %lf%n", &reader->x, &reader->y, &length) < 2) return false;
    reader->rest += length;
    return true;
}

TEST(what_is_not_finite_or_not_positive_on_a_log_axis_is_left_out_and_counted)
{
    const double x[] = {1, 2, NAN, 4, 5, 0}, y[] = {1, -1, 3, INFINITY, 5, 6};
    PlotSeries series = {.kind = PLOT_SCATTER, .x = x, .y = y, .count = 6};
    Drawn linear = draw_one((Plot){0}, series);
    REQUIRE(linear.text);
    CHECK(linear.report.drawn == 4 && linear.report.left_out == 2);
    Drawn log_y = draw_one((Plot){.y.scale = PLOT_LOG}, series);
    REQUIRE(log_y.text);
    CHECK(log_y.report.drawn == 3 && log_y.report.left_out == 3);
    Drawn both = draw_one((Plot){.x.scale = PLOT_LOG, .y.scale = PLOT_LOG}, series);
    REQUIRE(both.text);
    CHECK(both.report.drawn == 2 && both.report.left_out == 4);
    free(linear.text);
    free(log_y.text);
    free(both.text);
}

TEST(a_gap_in_the_data_is_a_gap_in_the_line)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {1, 2, NAN, 2, NAN, 3, 4};
    Drawn drawn = draw_one((Plot){0}, (PlotSeries){.kind = PLOT_LINE, .x = x, .y = y, .count = 7});
    REQUIRE(drawn.text);
    const char *line = strstr(drawn.text, "class=\"line\"");
    REQUIRE(line);
    char path[512];
    snprintf(path, sizeof path, "%s", strstr(line, " d=\""));
    path[strcspn(path, ">")] = '\0';
    CHECK(occurrences(path, "M") == 3);  /* two strokes and a dot */
    CHECK(occurrences(path, "h0") == 1); /* the dot between two gaps */
    free(drawn.text);
}

TEST(a_line_of_a_hundred_thousand_points_stays_small_and_keeps_its_extremes)
{
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    REQUIRE(x && y);
    for (int i = 0; i < N; i++) x[i] = i, y[i] = sin(0.37 * i);
    y[54321] = 40; /* a single spike */
    Drawn drawn = draw_one((Plot){0}, (PlotSeries){.kind = PLOT_LINE, .x = x, .y = y, .count = N});
    REQUIRE(drawn.text);
    /* four points of up to 13 bytes for each of at most 720 columns, and the rest */
    CHECK(drawn.size < 4 * 13 * 720 + 8000);
    CHECK(drawn.report.drawn == N && drawn.report.thinned > N - 4 * 720);
    double top = 1e9;
    for (PathReader line = path_of(drawn.text, "line"); next_point(&line);) top = fmin(top, line.y);
    /* the spike of 40 is 4 % of the frame's 400 px below its top at 10; everything else is below
     * the middle */
    CHECK(top > 10 && top < 40);
    free(drawn.text);
    free(x);
    free(y);
}

TEST(scattered_points_beyond_counting_are_one_per_dot)
{
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    REQUIRE(x && y);
    for (int i = 0; i < N; i++)
        x[i] = (double)(i * 7919LL % 10007), y[i] = (double)(i * 104729LL % 10009);
    Drawn drawn =
        draw_one((Plot){0}, (PlotSeries){.kind = PLOT_SCATTER, .x = x, .y = y, .count = N});
    REQUIRE(drawn.text);
    CHECK(drawn.report.drawn == N);
    /* cells of 3 px in 720 × 440 */
    CHECK(N - drawn.report.thinned <= 240 * 147);
    CHECK(N - drawn.report.thinned == occurrences(drawn.text, "h0"));
    free(drawn.text);
    free(x);
    free(y);
}

TEST(texts_are_escaped_and_what_xml_cannot_hold_is_replaced)
{
    const double x[] = {1, 2};
    const char nasty[] = "a<b> & \"c\" \x01 \xff \xc3\xa9 \xed\xa0\x80";
    Drawn drawn =
        draw_one((Plot){.x.label = nasty}, (PlotSeries){.name = "R&D", .x = x, .y = x, .count = 2});
    REQUIRE(drawn.text);
    CHECK_STR(drawn.text, "a&lt;b&gt; &amp; &quot;c&quot; \uFFFD \uFFFD \u00e9 \uFFFD");
    CHECK_STR(drawn.text, "R&amp;D");
    CHECK(!strchr(drawn.text, '\x01') && !strchr(drawn.text, '\xff'));
    free(drawn.text);
}

TEST(the_same_figure_gives_the_same_bytes)
{
    const double x[] = {1, 2, 3}, y[] = {2, 4.1, 5.9};
    PlotSeries series = {.kind = PLOT_SCATTER, .x = x, .y = y, .count = 3, .fit = PLOT_FIT_LINEAR};
    Drawn a = draw_one((Plot){0}, series), b = draw_one((Plot){0}, series);
    REQUIRE(a.text && b.text);
    CHECK(a.size == b.size && memcmp(a.text, b.text, a.size) == 0);
    CHECK_STR(a.text, "fit: slope 1.95, R\u00b2 0.9980"); /* Sxy 3.9, Sxx 2, Syy 7.62 */
    free(a.text);
    free(b.text);
}

TEST(empty_and_wrong_figures_are_refused_with_a_reason)
{
    const double x[] = {1, 2}, bad[] = {NAN, -1};
    PlotSeries good = {.x = x, .y = x, .count = 2};
    CHECK_STR(draw_one((Plot){0}, (PlotSeries){.x = x, .y = x}).error, "no data");
    CHECK_STR(
        draw_one((Plot){.y.scale = PLOT_LOG}, (PlotSeries){.x = x, .y = bad, .count = 2}).error,
        "none of the 2 points is finite and positive");
    CHECK_STR(draw_one((Plot){.x = {.scale = PLOT_LOG, .lower = -1, .upper = 1}}, good).error,
              "must start above 0");
    CHECK_STR(draw(&(PlotFigure){0}).error, "0 panels");
    Plot plot = {.series = &good, .series_count = 1};
    CHECK_STR(
        draw(&(PlotFigure){.width = 50, .height = 50, .panels = &plot, .panel_count = 1}).error,
        "at least 120");
    CHECK_STR(draw_one((Plot){0}, (PlotSeries){.kind = PLOT_BARS, .y = x, .count = 2}).error,
              "every bar needs a category");
    PlotSeries none[1];
    plot = (Plot){.series = none, .series_count = 0};
    CHECK_STR(draw(&(PlotFigure){.panels = &plot, .panel_count = 1}).error, "0 series");
}

TEST(points_outside_a_given_range_are_counted_and_lines_end_at_the_frame)
{
    const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 1e300, -1e300};
    Plot plot = {.x = {.lower = 0, .upper = 2.5}, .y = {.lower = 0, .upper = 2}};
    Drawn drawn = draw_one(plot, (PlotSeries){.x = x, .y = y, .count = 4});
    REQUIRE(drawn.text);
    CHECK(drawn.report.drawn == 2 && drawn.report.outside == 2);
    int points = 0;
    for (PathReader line = path_of(drawn.text, "line"); next_point(&line); points++)
        CHECK(line.x >= 0 && line.x <= 720 && line.y >= 0 && line.y <= 440);
    CHECK(points >= 3); /* the two inside, and where the line leaves the frame */
    free(drawn.text);
}

TEST(stacked_bars_stand_on_each_other_and_panels_beside_each_other)
{
    const double a[] = {1, 2}, b[] = {3, 1};
    const char *const names[] = {"one", "two"};
    PlotSeries series[] = {{.name = "a", .kind = PLOT_BARS, .y = a, .count = 2},
                           {.name = "b", .kind = PLOT_BARS, .y = b, .count = 2}};
    Plot panels[2] = {
        {.series = series,
         .series_count = 2,
         .categories = names,
         .category_count = 2,
         .stacked = true},
        {.series = series, .series_count = 2, .categories = names, .category_count = 2}};
    Drawn drawn = draw(&(PlotFigure){.title = "both", .panels = panels, .panel_count = 2});
    REQUIRE(drawn.text);
    CHECK(occurrences(drawn.text, "class=\"bars\"") == 4);
    CHECK(occurrences(drawn.text, ">one</text>") == 2);
    /* bars are M left bottom V top ...: the second begins where the first ends */
    const char *first = strstr(drawn.text, "class=\"bars\"");
    const char *second = strstr(first + 1, "class=\"bars\"");
    double left, bottom, top, next_left, next_bottom;
    REQUIRE(sscanf(strstr(first, "d=\"M"), "d=\"M%lf %lfV%lf", &left, &bottom, &top) == 3);
    REQUIRE(sscanf(strstr(second, "d=\"M"), "d=\"M%lf %lfV", &next_left, &next_bottom) == 2);
    CHECK(next_left == left && next_bottom == top && top < bottom);
    CHECK_STR(drawn.text, ">4</text>"); /* the sum over the stack */
    free(drawn.text);
}

TEST(reference_lines_are_in_range_and_their_labels_keep_apart)
{
    const double x[] = {1, 2};
    const PlotReference lines[] = {{.value = 5, .label = "first"},
                                   {.value = 5.01, .label = "second"},
                                   {.value = -1, .label = "not on a log axis"},
                                   {.vertical = true, .value = 1.5, .label = "third"},
                                   {.vertical = true, .value = 1.501, .label = "fourth"}};
    Plot plot = {.y.scale = PLOT_LOG, .references = lines, .reference_count = 5};
    Drawn drawn = draw_one(plot, (PlotSeries){.x = x, .y = x, .count = 2});
    REQUIRE(drawn.text);
    CHECK(occurrences(drawn.text, "stroke-dasharray=\"5 4\"") == 4);
    CHECK(!strstr(drawn.text, "not on a log axis"));
    double y[4], left[4];
    const char *const labels[] = {">first<", ">second<", ">third<", ">fourth<"};
    for (int i = 0; i < 4; i++) {
        const char *end = strstr(drawn.text, labels[i]), *start = end;
        REQUIRE(end);
        while (start > drawn.text && strncmp(start, "<text", 5) != 0) start--;
        REQUIRE(sscanf(start, "<text x=\"%lf\" y=\"%lf\"", &left[i], &y[i]) == 2);
        CHECK(y[i] > 0 && y[i] < 440 && left[i] > 0 && left[i] < 720);
    }
    /* a line of text is 11 px high; beside each other they are on both sides of their line */
    CHECK(fabs(y[0] - y[1]) > 11 || fabs(left[0] - left[1]) > 40);
    CHECK(fabs(y[2] - y[3]) > 11 || fabs(left[2] - left[3]) > 40);
    free(drawn.text);
}
