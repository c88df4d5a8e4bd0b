/* Steps from recorded states; see replay_states.h. */
#include "replay_states.h"

#include "../common/app.h"
#include "../common/progress.h"
#include "../common/totals.h"
#include "own_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 0.1        /* s: no more timed runs of a step that took so long */
#define V_STAR_GOOD 1e-10 /* m/s: natural-map error with which v* counts */
#define V_STAR_START 1000 /* iterations in which it becomes clear which contacts there are */
#define V_STAR_MOST 100000

static TnStatus no_memory(TnError *err)
{
    *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
    snprintf(err->message, sizeof err->message, "no memory for recorded states");
    return err->code;
}

static TnStatus refuse(TnError *err, const char *message)
{
    *err = (TnError){.code = TN_ERROR_USAGE, .count = 1};
    snprintf(err->message, sizeof err->message, "%s", message);
    return err->code;
}

static TnStatus save(const TnWorld *world, SavedState *state, TnError *err)
{
    size_t size = tn_world_save_size(world);
    if (size > state->room) {
        void *grown = realloc(state->bytes, size);
        if (!grown) return no_memory(err);
        state->bytes = grown;
        state->room = size;
    }
    state->size = size;
    return tn_world_save(world, state->bytes, size, err);
}

static TnStatus restore(TnWorld *world, const SavedState *state, TnError *err)
{
    return tn_world_restore(world, state->bytes, state->size, err);
}

/* ---- recording ---- */

/* Every stride-th of the steps that count is kept; where there is no more room every second one
 * of them goes, and the stride doubles. */
typedef struct Sieve {
    int room;
    int64_t stride;
} Sieve;

static TnStatus keep(Recording *r, Sieve *sieve, const SavedState *before, int64_t step,
                     double time, TnError *err)
{
    if (r->counted++ % sieve->stride) return TN_OK;
    if (r->count == sieve->room) {
        for (int i = 1; i < r->count; i += 2) free(r->steps[i].before.bytes);
        for (int i = 0; 2 * i < r->count; i++) r->steps[i] = r->steps[2 * i];
        r->count = (r->count + 1) / 2;
        sieve->stride *= 2;
        if ((r->counted - 1) % sieve->stride) return TN_OK;
    }
    RecordedStep *kept = &r->steps[r->count];
    *kept = (RecordedStep){.step = step, .time = time, .before = {.size = before->size}};
    kept->before.bytes = malloc(before->size);
    if (!kept->before.bytes) return no_memory(err);
    kept->before.room = before->size;
    memcpy(kept->before.bytes, before->bytes, before->size);
    r->count++;
    return TN_OK;
}

/* Down to the wanted number, from the middle of as many stretches. */
static void thin(Recording *r, int wanted)
{
    int count = r->count;
    if (count <= wanted) return;
    int next = 0;
    for (int i = 0; i < wanted; i++) {
        int chosen = (int)(((2LL * i + 1) * count) / (2LL * wanted));
        while (next < chosen) free(r->steps[next++].before.bytes);
        r->steps[i] = r->steps[next++];
    }
    while (next < count) free(r->steps[next++].before.bytes);
    r->count = wanted;
}

static TnStatus record(Recording *r, TnWorld *world, const RecordingPlan *plan, TnError *err)
{
    SavedState last = {0}, now = {0};
    Sieve sieve = {4 * plan->samples, 1};
    double timestep = tn_model_info(r->model).option.timestep;
    int64_t steps = plan->step >= 0 ? plan->step + 1 : steps_of(plan->duration, timestep);
    TnStatus status = TN_OK;
    Progress progress = progress_start((double)steps * timestep, plan->quiet);
    for (int64_t k = 0; k < steps && status == TN_OK; k++) {
        SavedState swap = last;
        last = now;
        now = swap;
        status = save(world, &now, err);
        if (status != TN_OK) break;
        double time = tn_world_state(world).time;
        TnStepReport report = tn_world_step(world);
        if (report.diverged) {
            status = refuse(err, "the run that solvers are compared on diverged");
            break;
        }
        r->ran++;
        progress_update(&progress, (double)(k + 1) * timestep);
        bool counts = plan->step >= 0 ? k == plan->step
                                      : report.contact_count >= plan->least_contacts &&
                                            report.contact_count + report.row_count > 0;
        if (k > 0 && counts) status = keep(r, &sieve, &last, k, time, err);
    }
    progress_end(&progress);
    free(last.bytes);
    free(now.bytes);
    if (status == TN_OK && !r->count)
        status =
            refuse(err, "no step of the run has contacts enough to count, or other constraints");
    thin(r, plan->samples);
    return status;
}

TnStatus recording_make(Recording *r, const TnModel *model, const TnWorldDef *def,
                        const RecordingPlan *plan, TnError *err)
{
    *r = (Recording){.model = model, .def = *def};
    r->steps = calloc(4 * (size_t)plan->samples, sizeof *r->steps);
    if (!r->steps) return no_memory(err);
    TnWorld *world = tn_world_create(def, model, err);
    TnStatus status = world ? record(r, world, plan, err) : err->code;
    tn_world_destroy(world);
    return status;
}

void recording_free(Recording *r)
{
    for (int i = 0; i < r->count; i++) free(r->steps[i].before.bytes);
    free(r->steps);
    *r = (Recording){0};
}

/* ---- replay ---- */

static TnStatus step_from(TnWorld *world, const SavedState *start, const TnSolverDef *solver,
                          TnStepReport *report, TnError *err)
{
    TnStatus status = restore(world, start, err);
    if (status == TN_OK) status = tn_world_set_solver(world, solver, err);
    if (status == TN_OK) *report = tn_world_step(world);
    return status;
}

/* v* of the sampled step, from where some iterations of SubADMM on the undivided scene end. */
static TnStatus converge(TnWorld *whole, ReplayStep *step, TnError *err)
{
    TnStepReport report;
    TnSolverDef solver = tn_solver_def();
    solver.method = TN_METHOD_SUBADMM;
    solver.tolerance = 0; /* which leaves no gaps uncorrected */
    solver.iterations = V_STAR_START;
    TnStatus status = step_from(whole, &step->start, &solver, &report, err);
    step->v_star_error = NAN;
    if (status != TN_OK || report.diverged) return status;
    step->contacts = report.contact_count;
    step->converged =
        tn_converged_velocity(whole, &solver, V_STAR_MOST, step->v_star, &step->v_star_error) &&
        step->v_star_error <= V_STAR_GOOD;
    return status;
}

static TnStatus prepare_step(Replay *replay, TnWorld *whole, int index, TnError *err)
{
    const Recording *recording = replay->recording;
    ReplayStep *step = &replay->steps[index];
    TnStepReport report;
    TnStatus status = step_from(replay->world, &recording->steps[index].before,
                                &recording->def.solver, &report, err);
    if (status == TN_OK && report.diverged)
        return refuse(err, "a recorded step diverges in this division");
    if (status == TN_OK) status = save(replay->world, &step->start, err);
    if (status != TN_OK) return status;
    step->hash = tn_world_hash(replay->world);
    step->rows = report.row_count;
    return converge(whole, step, err);
}

TnStatus replay_make(Replay *replay, const Recording *recording, const TnWorldDef *def,
                     TnError *err)
{
    TnWorldDef own = *def;
    TnStatus status = TN_OK;
    own.measure_accuracy = true; /* after a step's times are taken */
    *replay = (Replay){.recording = recording, .dof = tn_model_info(recording->model).dof_count};
    size_t vector = (size_t)replay->dof * sizeof(double) + 1;
    replay->steps = calloc((size_t)recording->count, sizeof *replay->steps);
    replay->velocity = malloc(vector);
    if (!replay->steps || !replay->velocity) return no_memory(err);
    for (int i = 0; i < recording->count; i++)
        if (!(replay->steps[i].v_star = malloc(vector))) return no_memory(err);
    replay->world = tn_world_create(&own, recording->model, err);
    TnWorld *whole = replay->world ? tn_world_create(&recording->def, recording->model, err) : NULL;
    if (!whole) return err->code;
    for (int i = 0; i < recording->count && status == TN_OK; i++)
        status = prepare_step(replay, whole, i, err);
    tn_world_destroy(whole);
    return status;
}

void replay_free(Replay *replay)
{
    for (int i = 0; replay->steps && i < replay->recording->count; i++) {
        free(replay->steps[i].start.bytes);
        free(replay->steps[i].v_star);
    }
    free(replay->steps);
    free(replay->velocity);
    tn_world_destroy(replay->world);
    *replay = (Replay){0};
}

/* ---- measuring ---- */

static uint64_t mix(uint64_t hash, uint64_t next) { return (hash ^ next) * 0x100000001b3u; }

uint64_t replay_states_hash(const Replay *replay)
{
    uint64_t hash = 0;
    for (int i = 0; i < replay->recording->count; i++) hash = mix(hash, replay->steps[i].hash);
    return hash;
}

/* m/s: of the last step, recomputed from its raw data; NaN: no memory. */
static double natural_map(TnWorld *world)
{
    TnError err = {0};
    TnJudgement judgement = {.natural_map = NAN};
    TnSolverDef def = tn_solver_def();
    TnSolver *problem = tn_world_problem(world, &def, &err);
    if (!problem) return NAN;
    size_t unknowns = (size_t)tn_solver_unknown_count(problem),
           lambdas = (size_t)tn_solver_lambda_count(problem);
    double *v = malloc((unknowns + lambdas + 1) * sizeof *v);
    if (v) {
        tn_solver_solution(problem, v, v + unknowns);
        tn_solver_judge(problem, NULL, v, v + unknowns, NULL, &judgement, &err);
    }
    free(v);
    tn_solver_destroy(problem);
    return judgement.natural_map;
}

/* What the last step did, into the sums. */
static void add_step(Replay *replay, const ReplayStep *step, const TnStepReport *report,
                     ReplayFigures *sum)
{
    sum->aac += report->aac;
    sum->aal += report->aal;
    sum->iterations += report->iterations;
    sum->missed += sum->solver.tolerance > 0 && !report->converged;
    if (sum->solver.tolerance > 0)
        sum->natural_map = fmax(sum->natural_map, report->residual);
    else if (replay->judges)
        sum->natural_map = fmax(sum->natural_map, natural_map(replay->world));
    sum->other_contacts += report->contact_count != step->contacts;
    sum->form = report->form;
    if (!step->converged || !tn_world_last_velocity(replay->world, replay->velocity)) return;
    double d = tn_world_velocity_distance(replay->world, replay->velocity, step->v_star);
    sum->aav += -log10(fmax(d, 1e-16));
    sum->aav_count++;
}

static TnStatus measure_step(Replay *replay, const ReplayStep *step, int repeats,
                             ReplayFigures *sum, TnError *err)
{
    TnStepTimes least = {0};
    uint64_t end = 0;
    double spent = 0;
    for (int pass = 0; pass <= repeats && spent < ENOUGH; pass++) {
        TnStepReport report;
        TnStatus status = restore(replay->world, &step->start, err);
        if (status == TN_OK) status = tn_world_set_solver(replay->world, &sum->solver, err);
        if (status != TN_OK) return status;
        uint64_t start = tn_world_hash(replay->world);
        report = tn_world_step(replay->world);
        if (report.diverged) {
            sum->refused++;
            return TN_OK;
        }
        if (pass == 0) {
            sum->states = mix(sum->states, start);
            add_step(replay, step, &report, sum);
            end = tn_world_hash(replay->world);
        }
        if (end != tn_world_hash(replay->world)) sum->deterministic = false;
        if (pass > 0) spent += report.times.total;
        if (pass == 1)
            least = report.times;
        else if (pass > 1)
            times_least(&least, &report.times);
    }
    sum->solver_ms += 1e3 * (least.factor + least.iterate);
    sum->step_ms += 1e3 * least.total;
    return TN_OK;
}

TnStatus replay_measure(Replay *replay, const TnSolverDef *solver, int repeats, ReplayFigures *out,
                        TnError *err)
{
    int count = replay->recording->count;
    ReplayFigures sum = {.solver = *solver, .deterministic = true, .natural_map = NAN};
    for (int i = 0; i < count; i++) {
        TnStatus status = measure_step(replay, &replay->steps[i], repeats, &sum, err);
        if (status != TN_OK) return status;
    }
    double share = sum.refused ? NAN : 1.0 / count; /* no mean over what is left */
    sum.solver_ms *= share;
    sum.step_ms *= share;
    sum.iterations *= share;
    sum.aac *= share;
    sum.aal *= share;
    sum.aav = sum.refused ? NAN : totals_mean(sum.aav, sum.aav_count);
    *out = sum;
    return TN_OK;
}
