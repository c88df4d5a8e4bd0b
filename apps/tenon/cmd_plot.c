/* tenon plot: columns of a CSV file as an SVG plot. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/plot_file.h"
#include "commands.h"
#include "csv_read.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_Y_COLUMNS = 8 }; /* so many are drawn without being named */

typedef struct PlotOptions {
    const char *data, *output, *x, *y, *low, *high, *title, *x_label, *y_label, *size;
    const char *x_line, *y_line;
    int kind, fit;
    bool log_x, log_y, stacked, quiet, energy;
    NumberList x_range, y_range;
} PlotOptions;

static const char *const kind_choices[] = {"line", "scatter", "bars", NULL}; /* PlotKind */
static const char *const fit_choices[] = {"none", "linear", "power", NULL};  /* PlotFit */

static int option_table(Option *table, PlotOptions *o)
{
    int n = 0;
    table[n++] = option_text("-o", &o->output, "FILE", "the SVG file to write; default: stdout");
    table[n++] =
        option_text("--x", &o->x, "COLUMN", "column for x, by name or number from 1; default 1");
    table[n++] = option_text("--y", &o->y, "COLUMNS",
                             "columns for y, such as a,b,c; default: all others, if there are at "
                             "most 8");
    table[n++] = option_set("--energy", &o->energy,
                            "plot the energies of 'tenon run --csv' and the energy that steps "
                            "created");
    table[n++] = option_text("--low", &o->low, "COLUMNS",
                             "columns for the lower ends of error bars, one per y");
    table[n++] =
        option_text("--high", &o->high, "COLUMNS", "columns for the upper ends of error bars");
    table[n++] = option_choice("--kind", &o->kind, "KIND", kind_choices,
                               "line (default), scatter or bars (x may be text)");
    table[n++] = option_set("--stacked", &o->stacked, "stack bars");
    table[n++] = option_set("--log-x", &o->log_x, "logarithmic x axis");
    table[n++] = option_set("--log-y", &o->log_y, "logarithmic y axis");
    table[n++] =
        option_reals("--x-range", &o->x_range, "LOW,HIGH", "range of x; default: from the data");
    table[n++] =
        option_reals("--y-range", &o->y_range, "LOW,HIGH", "range of y; default: from the data");
    table[n++] =
        option_text("--x-line", &o->x_line, "X[=TEXT]", "draw a dashed vertical line with a label");
    table[n++] = option_text("--y-line", &o->y_line, "Y[=TEXT]",
                             "draw a dashed horizontal line with a label");
    table[n++] = option_choice("--fit", &o->fit, "FIT", fit_choices,
                               "fit a scatter plot by least squares: linear or power");
    table[n++] = option_text("--title", &o->title, "TEXT", "title of the plot");
    table[n++] = option_text("--x-label", &o->x_label, "TEXT",
                             "label of the x axis; default: the name of the column");
    table[n++] = option_text("--y-label", &o->y_label, "TEXT",
                             "label of the y axis; default: the name of a single y");
    table[n++] =
        option_text("--size", &o->size, "WxH", "size in pixels, 120 ... 8000; default 720x440");
    table[n++] =
        option_set("--quiet", &o->quiet, "do not report points that are left out or thinned");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon plot DATA.csv [OPTIONS]\n\n"
        "Plots columns of a CSV file (- reads stdin) as SVG. Columns are given by the names in "
        "the\n"
        "first line or by number, from 1; use the number if a name contains a comma. Empty\n"
        "fields, nan and inf are left out and counted, as are values that are not positive on a\n"
        "logarithmic axis. Any other text that is not a number is an error.\n");
    options_help(table, count);
    printf("\nWith --fit the legend shows the slope or the exponent, and R\u00b2 (of the "
           "logarithms, "
           "for power).\n"
           "Lines with more points than pixels are thinned; the picture stays the same.\n"
           "\nExamples:\n"
           "  tenon run robot.xml --duration 2 --csv out/robot.csv --quiet\n"
           "  tenon plot out/robot.csv -o out/angles.svg --x time --y elbow.q0,wrist.q0 \\\n"
           "             --x-label 'time, s' --y-label 'angle, rad' --y-line 1.57='upper limit'\n"
           "  tenon plot out/robot.csv -o out/phase.svg --x elbow.q0 --y elbow.v0\n"
           "  tenon plot out/robot.csv -o out/energy.svg --energy\n"
           "  tenon plot sizes.csv -o out/cost.svg --x spheres --y ms --kind scatter \\\n"
           "             --log-x --log-y --fit power\n"
           "  tenon plot phases.csv --kind bars --stacked > out/phases.svg\n");
}

/* The columns that an option names, separated by commas; -1 in *count after a message. */
static void find_columns(const CsvTable *table, const char *option, const char *list,
                         int columns[PLOT_MAX_SERIES], int *count)
{
    char *copy = strdup(list);
    int found = 0;
    *count = -1;
    if (!copy) {
        say("plot", "no memory");
        return;
    }
    for (char *name = copy, *end; name; name = end ? end + 1 : NULL) {
        end = strchr(name, ',');
        if (end) *end = '\0';
        if (found == PLOT_MAX_SERIES) {
            say("plot", "%s: at most %d columns", option, PLOT_MAX_SERIES);
            found = -1;
            break;
        }
        columns[found] = csv_table_find(table, "plot", option, name);
        if (columns[found] < 0) {
            found = -1;
            break;
        }
        found++;
    }
    *count = found;
    free(copy);
}

/* Columns of the table as they are drawn: x, then y, then the ends of the error bars. */
enum { MAX_COLUMNS = 1 + 3 * PLOT_MAX_SERIES };
typedef struct Data {
    int columns[MAX_COLUMNS], column_count;
    int y_count;
    bool has_errors;
    double *values[MAX_COLUMNS]; /* owned */
    char **texts;                /* owned; bars: x as it stands in the file */
    int64_t rows, capacity;
} Data;

static void free_data(Data *data)
{
    for (int i = 0; i < MAX_COLUMNS; i++) free(data->values[i]);
    free(data->texts);
}

static bool choose_all_others(const CsvTable *table, Data *data)
{
    int x = data->columns[0];
    if (table->column_count - 1 > DEFAULT_Y_COLUMNS || table->column_count < 2) {
        say("plot", "--y is missing: %s has %d columns; choose some, such as --y '%s'", table->path,
            table->column_count, table->names[table->column_count > 1 && x == 0 ? 1 : 0]);
        return false;
    }
    for (int i = 0; i < table->column_count; i++)
        if (i != x) data->columns[1 + data->y_count++] = i;
    return true;
}

static bool choose_columns(const CsvTable *table, const PlotOptions *o, Data *data)
{
    data->columns[0] = o->x ? csv_table_find(table, "plot", "--x", o->x) : 0;
    if (data->columns[0] < 0) return false;
    if (o->y)
        find_columns(table, "--y", o->y, data->columns + 1, &data->y_count);
    else if (!choose_all_others(table, data))
        return false;
    if (data->y_count < 0) return false;
    data->column_count = 1 + data->y_count;
    const char *const lists[] = {o->low, o->high}, *const names[] = {"--low", "--high"};
    for (int k = 0; k < 2 && (o->low || o->high); k++) {
        int count = 0, columns[PLOT_MAX_SERIES];
        if (lists[k]) find_columns(table, names[k], lists[k], columns, &count);
        if (count < 0) return false;
        if (count != data->y_count) {
            say("plot", "%s has %d columns and --y has %d; give one per series", names[k], count,
                data->y_count);
            return false;
        }
        for (int i = 0; i < count; i++) data->columns[data->column_count++] = columns[i];
        data->has_errors = true;
    }
    return true;
}

static bool grow(Data *data)
{
    int64_t capacity = data->capacity ? 2 * data->capacity : 1024;
    for (int i = 0; i < data->column_count; i++) {
        double *grown = realloc(data->values[i], (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        data->values[i] = grown;
    }
    char **texts = realloc(data->texts, (size_t)capacity * sizeof *texts);
    if (!texts) return false;
    data->texts = texts;
    data->capacity = capacity;
    return true;
}

static bool read_rows(CsvTable *table, bool x_is_text, Data *data)
{
    CsvRow row;
    while ((row = csv_table_next(table, "plot")) == CSV_ROW) {
        if (data->rows == data->capacity && !grow(data)) {
            say("plot", "no memory for row %lld", (long long)data->rows + 1);
            return false;
        }
        data->texts[data->rows] = table->fields[data->columns[0]];
        for (int i = x_is_text; i < data->column_count; i++) {
            const char *field = table->fields[data->columns[i]];
            if (csv_number(field, &data->values[i][data->rows])) continue;
            say("plot", "%s:%lld: '%.40s' in column '%s' is not a number", table->path,
                (long long)table->line, field, table->names[data->columns[i]]);
            return false;
        }
        data->rows++;
    }
    return row == CSV_END;
}

static bool read_size(const char *text, int *width, int *height)
{
    char *end;
    if (!text) return true;
    long w = strtol(text, &end, 10), h = 0;
    bool fine = isdigit((unsigned char)text[0]) && *end == 'x' && isdigit((unsigned char)end[1]);
    if (fine) h = strtol(end + 1, &end, 10);
    if (!fine || *end || w < PLOT_MIN_SIZE || w > PLOT_MAX_SIZE || h < PLOT_MIN_SIZE ||
        h > PLOT_MAX_SIZE) {
        say("plot", "--size: '%s' must be two numbers within %d ... %d, such as 720x440", text,
            PLOT_MIN_SIZE, PLOT_MAX_SIZE);
        return false;
    }
    *width = (int)w;
    *height = (int)h;
    return true;
}

static bool read_range(const char *option, const NumberList *list, PlotAxis *axis)
{
    if (!list->given) return true;
    if (list->count != 2 || !(list->values[0] < list->values[1]) ||
        (axis->scale == PLOT_LOG && list->values[0] <= 0)) {
        say("plot", "%s takes two numbers, the lower first%s", option,
            axis->scale == PLOT_LOG ? " and above zero" : "");
        return false;
    }
    axis->lower = list->values[0];
    axis->upper = list->values[1];
    return true;
}

/* `1.5` or `1.5=label`, appended to the references. */
static bool read_line(const char *option, const char *text, bool vertical,
                      PlotReference references[2], int *count)
{
    char *end;
    if (!text) return true;
    PlotReference line = {.vertical = vertical, .value = strtod(text, &end)};
    if (end == text || (*end && *end != '=') || !isfinite(line.value)) {
        say("plot", "%s: '%s' must start with a number, such as 1.5 or 1.5=label", option, text);
        return false;
    }
    if (*end) line.label = end + 1;
    references[(*count)++] = line;
    return true;
}

/* What is wrong with the options by themselves. */
static bool check_options(const PlotOptions *o, PlotFigure *figure, Plot *plot,
                          PlotReference references[2])
{
    plot->x = (PlotAxis){.label = o->x_label, .scale = o->log_x ? PLOT_LOG : PLOT_LINEAR};
    plot->y = (PlotAxis){.label = o->y_label, .scale = o->log_y ? PLOT_LOG : PLOT_LINEAR};
    plot->stacked = o->stacked;
    figure->title = o->title;
    if (!read_size(o->size, &figure->width, &figure->height) ||
        !read_range("--x-range", &o->x_range, &plot->x) ||
        !read_range("--y-range", &o->y_range, &plot->y) ||
        !read_line("--x-line", o->x_line, true, references, &plot->reference_count) ||
        !read_line("--y-line", o->y_line, false, references, &plot->reference_count))
        return false;
    plot->references = references;
    const char *wrong = NULL;
    if (o->fit != PLOT_FIT_NONE && o->kind != PLOT_SCATTER) wrong = "--fit needs --kind scatter";
    if (o->stacked && o->kind != PLOT_BARS) wrong = "--stacked needs --kind bars";
    if (o->stacked && o->log_y) wrong = "--stacked and --log-y exclude each other";
    if (o->stacked && (o->low || o->high)) wrong = "--stacked bars have no error bars";
    if (o->kind == PLOT_BARS && (o->log_x || o->x_range.given || o->x_line))
        wrong = "bars have no scale along x: no --log-x, --x-range, --x-line";
    if (!o->low != !o->high) wrong = "--low and --high go together";
    if (wrong) say("plot", "%s", wrong);
    return !wrong;
}

static int draw(const CsvTable *table, const PlotOptions *o, const Data *data, PlotFigure *figure,
                Plot *plot)
{
    PlotSeries series[PLOT_MAX_SERIES];
    int n = data->y_count;
    for (int i = 0; i < n; i++)
        series[i] = (PlotSeries){
            .name = n > 1 || o->fit != PLOT_FIT_NONE ? table->names[data->columns[1 + i]] : NULL,
            .kind = (PlotKind)o->kind,
            .x = data->values[0],
            .y = data->values[1 + i],
            .low = data->has_errors ? data->values[1 + n + i] : NULL,
            .top = data->has_errors ? data->values[1 + 2 * n + i] : NULL,
            .count = data->rows,
            .fit = (PlotFit)o->fit};
    if (o->kind == PLOT_BARS) {
        plot->categories = (const char *const *)data->texts;
        plot->category_count = data->rows < INT32_MAX ? (int)data->rows : INT32_MAX;
    }
    if (!plot->x.label) plot->x.label = table->names[data->columns[0]];
    if (!plot->y.label && n == 1) plot->y.label = table->names[data->columns[1]];
    plot->series = series;
    plot->series_count = n;
    figure->panels = plot;
    figure->panel_count = 1;
    return save_plot("plot", o->output ? o->output : "-", figure, o->quiet);
}

static int plot_table(const PlotOptions *o)
{
    PlotFigure figure = {0};
    Plot plot = {0};
    PlotReference references[2];
    CsvTable table;
    Data data = {0};
    if (!check_options(o, &figure, &plot, references)) return EXIT_USAGE;
    if (o->output && is_same_file(o->output, o->data)) {
        say("plot", "-o: %s is the data itself", o->output);
        return EXIT_USAGE;
    }
    int code = EXIT_IO;
    if (csv_table_read(&table, "plot", o->data)) {
        if (!choose_columns(&table, o, &data))
            code = EXIT_USAGE;
        else if (read_rows(&table, o->kind == PLOT_BARS, &data))
            code = draw(&table, o, &data, &figure, &plot);
    }
    free_data(&data);
    csv_table_free(&table);
    return code;
}

/* --energy stands for columns that run and export write; false and a message beside --y. */
static bool choose_energy(PlotOptions *o)
{
    if (!o->energy) return true;
    if (o->y) {
        say("plot", "--energy selects the columns; remove --y");
        return false;
    }
    o->y = "kinetic,potential,total,created_sum";
    if (!o->x) o->x = "time";
    if (!o->x_label) o->x_label = "time, s";
    if (!o->y_label) o->y_label = "energy, J";
    return true;
}

int cmd_plot(int argc, char **argv)
{
    PlotOptions o = {0};
    Option table[24];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("plot", table, count, print_help, "DATA.csv", &o.data, argc, argv, &code))
        code = choose_energy(&o) ? plot_table(&o) : EXIT_USAGE;
    number_list_free(&o.x_range);
    number_list_free(&o.y_range);
    return code;
}
