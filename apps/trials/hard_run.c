/* Runs a hard scene and sums up what its steps reported; see hard.h. */
#include "../common/app.h"
#include "../common/progress.h"
#include "hard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One pass through a scene. */
typedef struct Pass {
    const HardModel *m;
    const HardOptions *options;
    double noise, timestep;
    double settled; /* s: the first second, or half of a run below two */
    int64_t steps;
    double *times;  /* s, per step: the least so far */
    double *errors; /* per step */
    double contact_sum;
    bool first;
} Pass;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int64_t count)
{
    if (!count) return NAN;
    qsort(values, (size_t)count, sizeof *values, compare);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static void add_report(Pass *pass, const TnWorld *world, const TnStepReport *report, HardRun *run)
{
    if (run->steps == 0) run->start_penetration = report->max_penetration;
    pass->errors[run->steps] = report->error;
    run->error_max = fmax(run->error_max, report->error);
    run->not_converged += !report->converged;
    pass->contact_sum += report->contact_count;
    for (int i = 0; i < TN_METHOD_COUNT; i++) run->islands[i] += report->islands_by_method[i];
    for (int i = 0; i < report->island_count; i++)
        run->newton_total += tn_world_island(world, i).newton_steps;
}

/* A ball's speed if it were at the lowest point, with the sign of its motion along x. */
static double lowest_speed(const TnWorld *world, const HardModel *m, int ball, double lowest)
{
    double pos[3], quat[4], v[3], w[3];
    double g = -tn_model_info(m->model).option.gravity[2];
    tn_world_body_pose(world, m->bodies[ball].id, pos, quat);
    tn_world_body_velocity(world, m->bodies[ball].id, v, w);
    double square = v[0] * v[0] + v[2] * v[2] + 2 * g * (pos[2] - lowest);
    return copysign(sqrt(fmax(square, 0)), v[0]);
}

/* A cradle is judged 20 ms after the first ball was slowed down. */
typedef struct Cradle {
    double arriving, lowest, judged_at;
} Cradle;

static void watch_cradle(Cradle *cradle, const TnWorld *world, const HardModel *m, HardRun *run)
{
    double time = tn_world_state(world).time, pos[3], quat[4];
    if (time < cradle->judged_at) return;
    if (cradle->arriving == 0) {
        tn_world_body_pose(world, m->bodies[1].id, pos, quat);
        cradle->lowest = pos[2];
    }
    double speed = lowest_speed(world, m, 0, cradle->lowest);
    if (isfinite(cradle->judged_at)) {
        for (int i = 0; i < 5 && i < m->body_count; i++)
            run->speeds[i] = lowest_speed(world, m, i, cradle->lowest) / cradle->arriving;
        cradle->judged_at = INFINITY;
    } else if (cradle->judged_at < 0) {
        if (speed < 0.5 * cradle->arriving)
            cradle->judged_at = time + 0.02;
        else
            cradle->arriving = speed;
    }
}

static void run_pass(Pass *pass, TnWorld *world, HardMeasure *measure, uint64_t seed, HardRun *run)
{
    double end = (double)pass->steps * pass->timestep;
    uint64_t random =
        hard_seed(seed ^ UINT64_C(0x6E6F697365)); /* another sequence than the start's */
    Cradle cradle = {.judged_at = -INFINITY};
    Progress progress = progress_start(end, pass->options->quiet);
    run->steps = 0;
    for (int64_t k = 0; k < pass->steps; k++) {
        if (pass->noise > 0) hard_measure_push(measure, world, pass->noise, &random);
        TnStepReport report = tn_world_step(world);
        if (report.diverged) {
            run->diverged = true;
            break;
        }
        double seconds = report.times.total;
        pass->times[k] = pass->first ? seconds : fmin(seconds, pass->times[k]);
        double time = tn_world_state(world).time;
        if (pass->first) {
            add_report(pass, world, &report, run);
            if (pass->m->is_cradle) watch_cradle(&cradle, world, pass->m, run);
        }
        run->steps++;
        /* sleepers have no contacts to read forces from */
        bool forces = pass->first && time > end - pass->settled && pass->noise < 0.1 &&
                      report.asleep_count == 0;
        run->asleep = report.asleep_count;
        bool stands = hard_measure_step(measure, world, forces);
        progress_update(&progress, time);
        if (stands) continue;
        run->fell_at = time;
        break;
    }
    progress_end(&progress);
}

static void judge(const HardModel *m, HardRun *run)
{
    const HardScene *scene = run->scene;
    if (run->diverged)
        snprintf(run->verdict, sizeof run->verdict, "diverged");
    else if (m->is_cradle) {
        int leaving = 0;
        double sum = 0;
        for (int i = 1; i < m->body_count; i++)
            if (run->speeds[i] > 0.1) leaving++, sum += run->speeds[i];
        if (leaving)
            snprintf(run->verdict, sizeof run->verdict, "%d at %.2f, first %.2f", leaving,
                     sum / leaving, run->speeds[0]);
        else
            snprintf(run->verdict, sizeof run->verdict, "none leaves");
    } else if (isfinite(run->fell_at))
        snprintf(run->verdict, sizeof run->verdict, "%s at %.2f s",
                 scene->holds ? "dropped" : "fell", run->fell_at);
    else
        snprintf(run->verdict, sizeof run->verdict, "%s", scene->holds ? "holds" : "stands");
}

static void finish(Pass *pass, HardRun *run)
{
    double sum = 0;
    int64_t from = (int64_t)ceil(pass->settled / pass->timestep - 1e-9);
    if (from >= run->steps) from = 0; /* it has fallen before */
    for (int64_t k = from; k < run->steps; k++) sum += pass->times[k];
    run->step_us = run->steps ? 1e6 * sum / (double)(run->steps - from) : NAN;
    run->contacts_mean = run->steps ? pass->contact_sum / (double)run->steps : NAN;
    run->error_median = median(pass->errors, run->steps);
    if (pass->options->def.solver.tolerance <= 0) run->error_max = run->error_median = NAN;
    run->fallen_count = isfinite(run->fell_at) || run->diverged;
    judge(pass->m, run);
}

static TnStatus run_passes(Pass *pass, uint64_t seed, HardRun *run, TnError *err)
{
    for (int i = 0; i < pass->options->repeats; i++) {
        TnWorldDef def = pass->options->def;
        if (run->scene->sleep != TN_SLEEP_OFF) def.sleep = run->scene->sleep;
        TnWorld *world = tn_world_create(&def, pass->m->model, err);
        if (!world) return err->code;
        HardMeasure *measure = hard_measure_start(pass->m, world, pass->settled);
        if (!measure) {
            tn_world_destroy(world);
            *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
            snprintf(err->message, sizeof err->message, "no memory for watching %d bodies",
                     pass->m->body_count);
            return err->code;
        }
        pass->first = i == 0;
        run_pass(pass, world, measure, seed, run);
        if (pass->first) hard_measure_finish(measure, run);
        hard_measure_free(measure);
        tn_world_destroy(world);
    }
    return TN_OK;
}

TnStatus hard_run(const HardScene *scene, const HardOptions *options, uint64_t seed, HardRun *run,
                  TnError *err)
{
    HardModel m;
    *run = (HardRun){.scene = scene, .seed = seed, .seed_count = 1, .fell_at = NAN};
    if (hard_build(&m, scene, seed, err) != TN_OK) return err->code;
    double timestep = tn_model_info(m.model).option.timestep;
    double duration = isnan(options->duration) ? scene->duration : options->duration;
    Pass pass = {.m = &m,
                 .options = options,
                 .noise = isnan(options->noise) || scene->noise > 0 ? scene->noise : options->noise,
                 .timestep = timestep,
                 .steps = (int64_t)fmax(1, ceil(duration / timestep - 1e-9))};
    pass.settled = fmin(1, 0.5 * timestep * (double)pass.steps);
    pass.times = calloc((size_t)pass.steps, sizeof *pass.times);
    pass.errors = calloc((size_t)pass.steps, sizeof *pass.errors);
    TnStatus status = TN_ERROR_MEMORY;
    if (pass.times && pass.errors)
        status = run_passes(&pass, seed, run, err);
    else
        snprintf(err->message, sizeof err->message, "no memory for %lld steps",
                 (long long)pass.steps);
    err->code = status;
    if (status == TN_OK) finish(&pass, run);
    free(pass.times);
    free(pass.errors);
    hard_free(&m);
    return status;
}

HardRun hard_worst(const HardRun *runs, int count)
{
    HardRun worst = runs[0];
    if (count == 1) return worst;
    double n = count;
    worst.seed = 0;
    worst.seed_count = count;
    worst.contacts_mean = worst.step_us = worst.error_median = 0;
    for (int i = 0; i < count; i++) {
        const HardRun *run = &runs[i];
        worst.contacts_mean += run->contacts_mean / n;
        worst.step_us += run->step_us / n;
        worst.error_median += run->error_median / n;
        if (i == 0) continue;
        worst.steps += run->steps;
        worst.start_penetration = fmax(worst.start_penetration, run->start_penetration);
        worst.error_max = fmax(worst.error_max, run->error_max);
        worst.not_converged += run->not_converged;
        worst.force_error = fmax(worst.force_error, run->force_error);
        worst.sink = fmax(worst.sink, run->sink);
        worst.move = fmax(worst.move, run->move);
        worst.tilt = fmax(worst.tilt, run->tilt);
        worst.creep = fmax(worst.creep, run->creep);
        worst.fell_at = fmin(worst.fell_at, run->fell_at);
        worst.fallen_count += run->fallen_count;
        worst.diverged = worst.diverged || run->diverged;
        for (int k = 0; k < TN_METHOD_COUNT; k++) worst.islands[k] += run->islands[k];
        worst.newton_total += run->newton_total;
    }
    const char *words = worst.scene->holds ? "dropped" : "fell";
    if (worst.fallen_count && !worst.diverged)
        snprintf(worst.verdict, sizeof worst.verdict, "%d of %d %s", worst.fallen_count, count,
                 words);
    return worst;
}
