/* Text, CSV, JSON and figure of `tenon-bench scaling`; see scaling_report.h. */
#include "scaling_report.h"

#include "../common/json.h"
#include "../common/table.h"
#include "long_cable.h"
#include "machine.h"
#include "pile.h"
#include "scene_plot.h"
#include "soft_beam.h"

#include <math.h>

const SubjectInfo subjects[SUBJECT_COUNT] = {
    {"spheres",
     "sphere",
     "spheres",
     "piles of spheres",
     pile_model,
     1,
     100,
     20,
     5,
     {216, 1000, 4096, 13824, 50000}},
    {"cable",
     "segment",
     "segments",
     "cables on bars",
     long_cable_model,
     2,
     100,
     20,
     8,
     {160, 320, 640, 1280, 2560, 5120, 10240, 20480}},
    {"beam",
     "element",
     "elements",
     "beams on a shelf",
     soft_beam_model,
     6,
     2,
     3,
     6,
     {1000, 3000, 10000, 30000, 100000, 200000}},
};

void scaling_fit(ScalingRun *run)
{
    double seconds[BENCH_MAX_RUNS], bytes[BENCH_MAX_RUNS];
    for (int i = 0; i < run->count; i++) {
        seconds[i] = run->runs[i].times.total;
        bytes[i] = (double)run->runs[i].memory;
    }
    run->line = plot_fit(PLOT_FIT_LINEAR, run->sizes, seconds, run->count);
    run->time = plot_fit(PLOT_FIT_POWER, run->sizes, seconds, run->count);
    run->memory = plot_fit(PLOT_FIT_POWER, run->sizes, bytes, run->count);
}

static void print_run(const ScalingRun *o)
{
    Grid grid;
    bool beam = o->of == BEAM;
    const char *unit = subjects[o->of].unit;
    grid_start(&grid, beam ? 11 : 8);
    grid_add(&grid, "%s", subjects[o->of].units);
    if (beam) grid_add(&grid, "unknowns");
    grid_add(&grid, "contacts");
    grid_add(&grid, "step ms");
    if (beam) grid_add(&grid, "dynamics");
    grid_add(&grid, "solver ms");
    grid_add(&grid, "\u00b5s/%s", unit);
    grid_add(&grid, "ns/c/i");
    if (beam) grid_add(&grid, "MB");
    grid_add(&grid, "AAc");
    grid_add(&grid, "diverged");
    for (int i = 0; i < o->count; i++) {
        const Measure *m = &o->runs[i];
        grid_number(&grid, 0, o->sizes[i]);
        if (beam) grid_number(&grid, 0, m->dof);
        grid_number(&grid, 1, m->contacts_mean);
        grid_number(&grid, 4, 1e3 * m->times.total);
        if (beam) grid_number(&grid, 4, 1e3 * m->times.dynamics);
        grid_number(&grid, 4, solver_ms(m));
        grid_number(&grid, 4, 1e6 * m->times.total / o->sizes[i]);
        grid_number(&grid, 2, ns_per_contact_iteration(m));
        if (beam) grid_number(&grid, 1, 1e-6 * (double)m->memory);
        grid_number(&grid, 3, m->aac);
        grid_add(&grid, "%s", m->diverged ? "yes" : "no");
    }
    printf("%s, %d iterations, %d steps after %d, threads %d\n", subjects[o->of].title,
           o->iterations, o->steps, o->settle, o->threads);
    grid_print(stdout, &grid);
    if (o->count < 2) return;
    if (beam)
        printf("  time grows with elements to the power of %.3f (R\u00b2 %.4f), memory %.3f "
               "(R\u00b2 %.4f)\n",
               o->time.b, o->time.r_squared, o->memory.b, o->memory.r_squared);
    else
        printf("  linear fit: %.4f \u00b5s per %s, R\u00b2 %.5f\n", 1e6 * o->line.b, unit,
               o->line.r_squared);
}

void scaling_print(const Scaling *scaling)
{
    for (int i = 0; i < scaling->count; i++) {
        if (i) printf("\n");
        print_run(&scaling->runs[i]);
    }
}

void scaling_write_csv(FILE *out, const Scaling *scaling)
{
    fputs("of,size,dof,subsystems,contacts_mean,step_ms,solver_ms,dynamics_ms,collision_ms,"
          "us_per_unit,aac,memory_mb,r_squared\n",
          out);
    for (int k = 0; k < scaling->count; k++) {
        const ScalingRun *run = &scaling->runs[k];
        for (int i = 0; i < run->count; i++) {
            const Measure *m = &run->runs[i];
            fprintf(out, "%s,%.0f,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                    subjects[run->of].name, run->sizes[i], m->dof, m->subsystems, m->contacts_mean,
                    1e3 * m->times.total, solver_ms(m), 1e3 * m->times.dynamics,
                    1e3 * m->times.collision, 1e6 * m->times.total / run->sizes[i], m->aac,
                    1e-6 * (double)m->memory, run->line.r_squared);
        }
    }
}

static void json_run(Json *json, const char *key, const ScalingRun *o)
{
    bool diverged = false, deterministic = true;
    char slope[48], per_unit[48];
    snprintf(slope, sizeof slope, "slope_us_per_%s", subjects[o->of].unit);
    snprintf(per_unit, sizeof per_unit, "us_per_%s", subjects[o->of].unit);
    for (int i = 0; i < o->count; i++) {
        diverged = diverged || o->runs[i].diverged;
        deterministic = deterministic && o->runs[i].deterministic;
    }
    json_begin_object(json, key);
    json_string(json, "scene", "scaling");
    json_string(json, "of", subjects[o->of].name);
    json_string(json, "solver", "subadmm");
    json_machine(json);
    json_integer(json, "iterations", o->iterations);
    json_integer(json, "threads", o->threads);
    json_integer(json, "settle", o->settle);
    json_integer(json, "steps", o->steps);
    json_integer(json, "repeats", o->repeats);
    json_number(json, "r_squared", o->line.r_squared);
    json_number(json, slope, 1e6 * o->line.b);
    json_number(json, "intercept_ms", 1e3 * o->line.a);
    json_number(json, "time_exponent", o->time.b);
    json_number(json, "time_exponent_r_squared", o->time.r_squared);
    json_number(json, "memory_exponent", o->memory.b);
    json_number(json, "memory_exponent_r_squared", o->memory.r_squared);
    json_bool(json, "diverged", diverged);
    json_bool(json, "deterministic", deterministic);
    json_begin_array(json, "runs");
    for (int i = 0; i < o->count; i++) {
        const Measure *m = &o->runs[i];
        json_begin_object(json, NULL);
        json_number(json, subjects[o->of].units, o->sizes[i]);
        json_integer(json, "dof", m->dof);
        json_integer(json, "subsystems", m->subsystems);
        json_number(json, "contacts_mean", m->contacts_mean);
        json_times(json, m);
        json_number(json, per_unit, 1e6 * m->times.total / o->sizes[i]);
        json_number(json, "us_per_iteration", us_per_iteration(m));
        json_number(json, "ns_per_contact_iteration", ns_per_contact_iteration(m));
        json_number(json, "aac", m->aac);
        json_number(json, "aal", m->aal);
        json_number(json, "penetration_max_m", m->max_penetration);
        json_number(json, "memory_mb", 1e-6 * (double)m->memory);
        json_bool(json, "diverged", m->diverged);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

void scaling_write_json(FILE *out, const Scaling *scaling)
{
    Json json = json_to(out);
    if (scaling->count == 1) {
        json_run(&json, NULL, &scaling->runs[0]);
        return;
    }
    json_begin_object(&json, NULL);
    for (int i = 0; i < scaling->count; i++)
        json_run(&json, subjects[scaling->runs[i].of].name, &scaling->runs[i]);
    json_end(&json);
}
