/* Text, CSV, JSON and figure of `tenon-bench convergence`; see convergence_report.h. */
#include "convergence_report.h"

#include "../common/json.h"
#include "../common/output_file.h"
#include "../common/plot_file.h"
#include "../common/table.h"
#include "machine.h"

#include <math.h>

const char *const error_names[ERROR_COUNT + 1] = {"natural", "aac", "aal", "aav", NULL};

/* m/s */
static double error_of(const ReplayFigures *point, ErrorKind kind)
{
    const double digits[ERROR_COUNT] = {NAN, point->aac, point->aal, point->aav};
    return kind == ERROR_NATURAL ? point->natural_map : pow(10, -digits[kind]);
}

void convergence_print(const Convergence *c)
{
    printf("%s, step %lld at %g s: %d contacts, %d rows, division %s, threads %d\n", c->scene,
           (long long)c->step, c->time, c->contacts, c->rows, c->division, c->threads);
    for (int s = 0; s < CURVE_COUNT; s++) {
        const SolverCurve *curve = &c->curves[s];
        Grid grid;
        grid_start(&grid, 8);
        const char *const headings[] = {curve_label(s), "iterations", "AT ms", "step ms",
                                        "AAc",          "AA\u03bb",   "AAv",   "natural map"};
        for (int i = 0; i < grid.columns; i++) grid_add(&grid, "%s", headings[i]);
        for (int i = 0; i < curve->count; i++) {
            const ReplayFigures *p = &curve->points[i];
            if (p->solver.tolerance > 0)
                grid_add(&grid, "to %.0e", p->solver.tolerance);
            else
                grid_add(&grid, "%s", "");
            grid_number(&grid, 0, p->iterations);
            grid_number(&grid, 3, p->solver_ms);
            grid_number(&grid, 3, p->step_ms);
            grid_number(&grid, 2, p->aac);
            grid_number(&grid, 2, p->aal);
            grid_number(&grid, 2, p->aav);
            if (isnan(p->natural_map))
                grid_add(&grid, "-");
            else
                grid_add(&grid, "%.1e", p->natural_map);
        }
        grid_print(stdout, &grid);
    }
    printf("  natural map in m/s; AAv is the distance from v*, %s at a natural-map error of %.1e "
           "m/s\n",
           c->v_star_converged ? "which was found" : "which did NOT converge: there is none",
           c->v_star_error);
}

void convergence_write_csv(FILE *out, const Convergence *c)
{
    fputs("solver,iterations,tolerance,solver_ms,step_ms,aac,aal,aav,natural_map\n", out);
    for (int s = 0; s < CURVE_COUNT; s++)
        for (int i = 0; i < c->curves[s].count; i++) {
            const ReplayFigures *p = &c->curves[s].points[i];
            fprintf(out, "%s", curve_name(s));
            csv_field(out, p->iterations);
            csv_field(out, p->solver.tolerance > 0 ? p->solver.tolerance : NAN);
            csv_figures(out, p);
            csv_field(out, p->natural_map);
            fputc('\n', out);
        }
}

void convergence_write_json(FILE *out, const Convergence *c)
{
    Json json = json_to(out);
    json_begin_object(&json, NULL);
    json_string(&json, "scene", c->scene);
    json_machine(&json);
    json_integer(&json, "step", c->step);
    json_number(&json, "time", c->time);
    json_string(&json, "division", c->division);
    json_integer(&json, "contacts", c->contacts);
    json_integer(&json, "rows", c->rows);
    json_integer(&json, "threads", c->threads);
    json_integer(&json, "repeats", c->repeats);
    json_hash(&json, "states", c->state);
    json_bool(&json, "v_star_converged", c->v_star_converged);
    json_number(&json, "v_star_error_m_per_s", c->v_star_error);
    json_begin_array(&json, "runs");
    for (int s = 0; s < CURVE_COUNT; s++)
        for (int i = 0; i < c->curves[s].count; i++) {
            const ReplayFigures *p = &c->curves[s].points[i];
            json_begin_object(&json, NULL);
            json_string(&json, "solver", curve_name(s));
            json_number(&json, "iterations", p->iterations);
            json_number(&json, "tolerance", p->solver.tolerance > 0 ? p->solver.tolerance : NAN);
            json_figures(&json, p);
            json_number(&json, "natural_map_m_per_s", p->natural_map);
            json_bool(&json, "refused", p->refused > 0);
            json_hash(&json, "states", p->states);
            if (p->form) json_string(&json, "form", p->form);
            json_end(&json);
        }
    json_end(&json);
    json_end(&json);
}

/* A panel over iterations, of those that have them, and one over time. */
int convergence_plot(const char *path, const Convergence *c, bool quiet)
{
    static const char *const labels[ERROR_COUNT] = {
        "natural map: largest error, m/s", "RMS constraint error of the velocity (AAc), m/s",
        "RMS constraint error of the forces (AA\u03bb), m/s", "distance from v* (AAv), m/s"};
    double x[2][CURVE_COUNT][CURVE_MAX_POINTS], y[CURVE_COUNT][CURVE_MAX_POINTS];
    PlotSeries series[2][CURVE_COUNT];
    int counts[2] = {0};
    for (int s = CURVE_COUNT - 1; s >= 0; s--) {
        const SolverCurve *curve = &c->curves[s];
        for (int i = 0; i < curve->count; i++) {
            x[0][s][i] = curve->points[i].iterations;
            x[1][s][i] = curve->points[i].solver_ms;
            y[s][i] = error_of(&curve->points[i], c->show);
        }
        for (int panel = s == CURVE_AUTO; panel < 2; panel++)
            series[panel][counts[panel]++] = (PlotSeries){.name = curve_label(s),
                                                          .x = x[panel][s],
                                                          .y = y[s],
                                                          .count = curve->count,
                                                          .style = CURVE_COUNT - s};
    }
    Plot panels[2];
    for (int panel = 0; panel < 2; panel++)
        panels[panel] =
            (Plot){.x = {.label = panel ? "solver time, ms" : "iterations", .scale = PLOT_LOG},
                   .y = {.label = labels[c->show], .scale = PLOT_LOG},
                   .series = series[panel],
                   .series_count = counts[panel]};
    char title[160];
    snprintf(title, sizeof title, "%.80s, step %lld: %d contacts, %d rows", c->scene,
             (long long)c->step, c->contacts, c->rows);
    PlotFigure figure = {
        .title = title, .width = 1080, .height = 460, .panels = panels, .panel_count = 2};
    return save_plot("convergence", path, &figure, quiet);
}
