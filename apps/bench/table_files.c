/* CSV and JSON of `tenon-bench table`; see table_report.h. Both have one flat list of runs. */
#include "../common/json.h"
#include "../common/options.h"
#include "../common/output_file.h"
#include "machine.h"
#include "own_solvers.h"
#include "table_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Where the paper has one, of a column of its table; else NaN. */
static double paper_figure(const TableScene *scene, int solver, int column, bool index)
{
    if (!scene->known->has_paper || solver >= PAPER_SOLVERS || column < 0) return NAN;
    return index ? scene->known->paper_index[solver][column]
                 : scene->known->paper_ms[solver][column];
}

/* Quoted where it must be. */
static void csv_text(FILE *out, const char *text)
{
    bool quote = text[strcspn(text, ",\"\r\n")] != 0;
    if (quote) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quote) fputc('"', out);
}

static void csv_run(FILE *out, const TableScene *scene, Configuration c, int solver, int i)
{
    const SolverCurve *curve = &scene->parts[c].curves[solver];
    const ReplayFigures *point = &curve->points[i];
    csv_text(out, scene->name);
    fprintf(out, ",%s,%s,", configuration_name(c), curve_name(solver));
    if (point->solver.tolerance > 0)
        fprintf(out, ",%g", point->solver.tolerance);
    else
        fprintf(out, "%d,", point->solver.iterations);
    csv_field(out, point->iterations);
    csv_figures(out, point);
    fprintf(out, ",%d,%d,%d,%d", point->aav_count, point->refused, point->missed,
            point->other_contacts);
    csv_field(out, paper_figure(scene, solver, curve->column[i], false));
    csv_field(out, paper_figure(scene, solver, curve->column[i], true));
    fprintf(out, ",%016" PRIx64 "\n", point->states);
}

void table_write_csv(FILE *out, const Table *table)
{
    fputs(
        "scene,configuration,solver,iterations,tolerance,iterations_mean,solver_ms,step_ms,aac,aal,"
        "aav,aav_steps,refused,missed,other_contacts,paper_ms,paper_aa,states\n",
        out);
    for (int k = 0; k < table->scene_count; k++)
        for (int c = 0; c < CONFIG_COUNT; c++)
            for (int s = 0; s < CURVE_COUNT; s++) {
                const TablePart *part = &table->scenes[k].parts[c];
                for (int i = 0; part->measured[s] && i < part->curves[s].count; i++)
                    csv_run(out, &table->scenes[k], (Configuration)c, s, i);
            }
}

static void json_solver(Json *json, const char *key, const TnSolverDef *solver)
{
    json_begin_object(json, key);
    json_string(json, "solver", solver_name(solver));
    json_number(json, "tolerance", solver->tolerance);
    json_integer(json, "iterations", solver->iterations);
    json_string(json, "weights", weights_name(solver));
    json_number(json, "over_relaxation", solver->over_relaxation);
    json_number(json, "warm_start", solver->warm_start);
    json_integer(json, "anderson", solver->anderson);
    json_end(json);
}

static void json_part(Json *json, const TableScene *scene, Configuration c)
{
    const TablePart *part = &scene->parts[c];
    json_begin_object(json, NULL);
    json_string(json, "configuration", configuration_name(c));
    json_integer(json, "subsystems", part->subsystems);
    json_integer(json, "bonds", part->bonds);
    json_number(json, "contacts_mean", part->contacts);
    json_number(json, "rows_mean", part->rows);
    json_integer(json, "v_star_steps", part->v_star_count);
    json_number(json, "v_star_error_m_per_s", part->v_star_error);
    json_hash(json, "states", part->states);
    json_begin_array(json, "steps");
    for (int i = 0; i < scene->step_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "step", scene->steps[i]);
        json_hash(json, "state", part->hashes[i]);
        json_bool(json, "v_star_converged", part->converged[i]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void json_run(Json *json, const TableScene *scene, Configuration c, int solver, int i)
{
    const SolverCurve *curve = &scene->parts[c].curves[solver];
    const ReplayFigures *point = &curve->points[i];
    bool tolerance = point->solver.tolerance > 0;
    json_begin_object(json, NULL);
    json_string(json, "scene", scene->name);
    json_string(json, "configuration", configuration_name(c));
    json_string(json, "solver", curve_name(solver));
    json_number(json, "iterations", tolerance ? NAN : (double)point->solver.iterations);
    json_number(json, "tolerance", tolerance ? point->solver.tolerance : NAN);
    json_number(json, "iterations_mean", point->iterations);
    json_integer(json, "column", curve->column[i]);
    json_figures(json, point);
    json_integer(json, "aav_steps", point->aav_count);
    json_integer(json, "refused", point->refused);
    json_integer(json, "missed", point->missed);
    json_integer(json, "other_contacts", point->other_contacts);
    json_bool(json, "deterministic", point->deterministic);
    json_hash(json, "states", point->states);
    if (point->form) json_string(json, "form", point->form);
    json_number(json, "paper_ms", paper_figure(scene, solver, curve->column[i], false));
    json_number(json, "paper_aa", paper_figure(scene, solver, curve->column[i], true));
    json_end(json);
}

static void json_times_to(Json *json, const TableScene *scene, Configuration c, int solver)
{
    const SolverCurve *curve = &scene->parts[c].curves[solver];
    for (int t = 0; t < TARGET_COUNT; t++) {
        const ReplayFigures *point = curve_first(curve, table_targets[t]);
        bool tolerance = point && point->solver.tolerance > 0;
        json_begin_object(json, NULL);
        json_string(json, "scene", scene->name);
        json_string(json, "configuration", configuration_name(c));
        json_string(json, "solver", curve_name(solver));
        json_number(json, "aav", table_targets[t]);
        json_number(json, "solver_ms", point ? point->solver_ms : NAN);
        json_number(json, "iterations",
                    point && !tolerance ? (double)point->solver.iterations : NAN);
        json_number(json, "tolerance", tolerance ? point->solver.tolerance : NAN);
        json_number(json, "best_aav", curve_best_aav(curve));
        json_end(json);
    }
}

void table_write_json(FILE *out, const Table *table)
{
    Json json = json_to(out);
    json_begin_object(&json, NULL);
    json_machine(&json);
    json_integer(&json, "threads", table->threads);
    json_integer(&json, "repeats", table->repeats);
    json_solver(&json, "reference", &table->reference);
    json_begin_array(&json, "scenes");
    for (int k = 0; k < table->scene_count; k++) {
        const TableScene *scene = &table->scenes[k];
        json_begin_object(&json, NULL);
        json_string(&json, "scene", scene->name);
        json_integer(&json, "dof", scene->dof);
        json_number(&json, "timestep", scene->timestep);
        json_integer(&json, "steps_run", scene->ran);
        json_integer(&json, "steps_that_count", scene->counted);
        json_begin_array(&json, "configurations");
        for (int c = 0; c < CONFIG_COUNT; c++) json_part(&json, scene, (Configuration)c);
        json_end(&json);
        json_end(&json);
    }
    json_end(&json);
    for (int times = 0; times < 2; times++) {
        json_begin_array(&json, times ? "times_to" : "runs");
        for (int k = 0; k < table->scene_count; k++)
            for (int c = 0; c < CONFIG_COUNT; c++)
                for (int s = 0; s < CURVE_COUNT; s++) {
                    const TablePart *part = &table->scenes[k].parts[c];
                    if (times && has_times_to(&table->scenes[k], (Configuration)c, s))
                        json_times_to(&json, &table->scenes[k], (Configuration)c, s);
                    for (int i = 0; !times && part->measured[s] && i < part->curves[s].count; i++)
                        json_run(&json, &table->scenes[k], (Configuration)c, s, i);
                }
        json_end(&json);
    }
    json_end(&json);
}
