/* The page docs/verification.md and its plots, from what a run found. */
#include "../common/app.h"
#include "../common/output_file.h"
#include "../common/plot_file.h"
#include "run.h"

#include <limits.h>
#include <string.h>

static const char introduction[] =
    "# Verification\n\n"
    "`tenon verify` writes this page: every figure below was measured by that command. Each row "
    "is one number that a\n"
    "simulation gives with default settings, beside what is known from elsewhere: a closed form, "
    "a published table, or an\n"
    "independent integration of the reduced equations inside the row (Runge and Kutta's method, "
    "steps so small that its\n"
    "error does not count). A row fails if its error exceeds its tolerance, and the reason of "
    "each tolerance is given.\n"
    "Statics of cables and soft bodies use long implicit steps (`theta` 1) until nothing moves any "
    "more.\n\n"
    "```\n"
    "build/tenon verify                         # all rows; exit code 1 if one does not hold\n"
    "build/tenon verify contact cable.capstan   # a family, a row\n"
    "build/tenon verify --out docs              # write this page and its plots\n"
    "```\n\n"
    "Errors are |value - reference|, or that as a fraction of the reference where the tolerance "
    "has a %. Rows named\n"
    "`….order` refine a step or a mesh, give the errors, and compare the observed order of "
    "convergence with that of the\n"
    "method. The sources are in `apps/verify/`, one file per family.\n";

static const char weak_heading[] =
    "\n## Where tenon is not good\n\n"
    "These rows hold, too, but their tolerances are as wide as the errors are today. Look here "
    "first.\n\n";

static const char table_heading[] = "| row | value | reference | error | tolerance |\n"
                                    "|---|---|---|---|---|\n";

static void write_error(FILE *out, const VerifyRow *row, double error)
{
    if (row->relative)
        fprintf(out, "%.2g %%", 100 * error);
    else
        fprintf(out, "%.2g", error);
}

static void write_cells(FILE *out, const VerifyRow *row, const Finding *finding)
{
    fprintf(out, "| %s | ", row->name);
    if (finding->trouble[0]) {
        fprintf(out, "not measured | | | |");
        return;
    }
    fprintf(out, "%.6g%s%s | %.6g | ", finding->value, row->unit[0] ? " " : "", row->unit,
            finding->reference);
    write_error(out, row, finding_error(row, finding));
    fprintf(out, " | ");
    write_error(out, row, row->tolerance);
    fprintf(out, "%s |", finding_holds(row, finding) ? "" : " **FAILED**");
}

static void write_details(FILE *out, const VerifyRow *row, const Finding *finding)
{
    fprintf(out, "- **%s**%s %s *Reference:* %s *Tolerance:* %s", row->name,
            row->weak ? " (weak)." : ".", row->shows, row->source, row->reason);
    if (finding->note[0]) fprintf(out, " *Measured:* %s.", finding->note);
    if (finding->not_converged)
        fprintf(out, " %d steps did not reach the solver's tolerance.", finding->not_converged);
    if (finding->trouble[0]) fprintf(out, " **Not measured:** %s.", finding->trouble);
    fprintf(out, "\n");
    if (finding->curve_count) fprintf(out, "  ![%s](verification/%s.svg)\n", row->name, row->name);
}

static bool in_family(const VerifyFamily *family, const VerifyRow *row)
{
    return row >= family->rows && row < family->rows + family->count;
}

static void write_family(FILE *out, const VerifyFamily *family, const VerifyRun *run)
{
    bool any = false;
    for (int i = 0; i < run->count; i++) {
        if (!in_family(family, run->rows[i])) continue;
        if (!any) fprintf(out, "\n## %s\n\n%s", family->title, table_heading);
        any = true;
        write_cells(out, run->rows[i], &run->findings[i]);
        fputc('\n', out);
    }
    if (any) fputc('\n', out);
    for (int i = 0; i < run->count; i++)
        if (in_family(family, run->rows[i])) write_details(out, run->rows[i], &run->findings[i]);
}

static void write_page(FILE *out, const void *what)
{
    const VerifyRun *run = what;
    int weak = 0;
    fputs(introduction, out);
    for (int i = 0; i < run->count; i++) weak += run->rows[i]->weak;
    if (weak) fputs(weak_heading, out);
    for (int i = 0; i < run->count; i++) {
        if (!run->rows[i]->weak) continue;
        fprintf(out, "- %s, %s", run->rows[i]->name,
                run->findings[i].trouble[0] ? "not measured" : "error ");
        if (!run->findings[i].trouble[0])
            write_error(out, run->rows[i], finding_error(run->rows[i], &run->findings[i]));
        fprintf(out, ": %s\n", run->rows[i]->reason);
    }
    for (int i = 0; i < verify_family_count; i++) write_family(out, verify_families[i], run);
}

/* Few points are enough for a small picture. */
enum { PLOT_POINTS = 160 };

static void thin(FindingCurve *curve)
{
    if (curve->count <= PLOT_POINTS) return;
    for (int i = 0; i < PLOT_POINTS; i++) {
        int from = (int)((long long)i * (curve->count - 1) / (PLOT_POINTS - 1));
        curve->x[i] = curve->x[from];
        curve->y[i] = curve->y[from];
    }
    curve->count = PLOT_POINTS;
}

static int write_plot(const char *command, const char *path, const VerifyRow *row, Finding *finding)
{
    PlotSeries series[FINDING_CURVES] = {0};
    for (int i = 0; i < finding->curve_count; i++) {
        FindingCurve *curve = &finding->curves[i];
        thin(curve);
        series[i] = (PlotSeries){.name = curve->name,
                                 .kind = curve->marks ? PLOT_SCATTER : PLOT_LINE,
                                 .x = curve->x,
                                 .y = curve->y,
                                 .count = curve->count,
                                 .dashed = curve->dashed};
    }
    Plot plot = {.x = {.label = finding->x_label, .scale = finding->log_x ? PLOT_LOG : PLOT_LINEAR},
                 .y = {.label = finding->y_label, .scale = finding->log_y ? PLOT_LOG : PLOT_LINEAR},
                 .series = series,
                 .series_count = finding->curve_count};
    PlotFigure figure = {
        .title = row->name, .width = 480, .height = 300, .panels = &plot, .panel_count = 1};
    return save_plot(command, path, &figure, true);
}

int verify_write_page(const char *command, const char *folder, const VerifyRun *run)
{
    char path[PATH_MAX];
    int code = EXIT_FINE;
    for (int i = 0; i < run->count && code == EXIT_FINE; i++) {
        if (!run->findings[i].curve_count) continue;
        snprintf(path, sizeof path, "%s/verification/%s.svg", folder, run->rows[i]->name);
        code = write_plot(command, path, run->rows[i], &run->findings[i]);
    }
    snprintf(path, sizeof path, "%s/verification.md", folder);
    return code == EXIT_FINE ? write_output(command, path, write_page, run) : code;
}
