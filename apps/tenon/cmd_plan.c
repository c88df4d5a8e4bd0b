/* tenon plan: receding-horizon control of a task, in closed loop. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/plan_task.h"
#include "commands.h"
#include "run_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct PlanOptions {
    const char *path;
    double duration, limit;
    int every, threads, method, horizon, iterations, seed;
    bool json;
    RecordOptions record;
} PlanOptions;

/* Of all plans of a run. */
typedef struct PlanRun {
    int plans, late, rough, remarked;
    long steps;
    double seconds, longest, first_cost, cost;
    bool diverged;
    char remark[256];
} PlanRun;

static const char *const method_names[] = {"ddp", "mppi", "cem", NULL};

static void note(PlanRun *run, const TnPlanView *view)
{
    if (run->plans == 0) run->first_cost = view->cost;
    run->plans++;
    run->late += view->late;
    run->rough += view->rough > 0;
    run->steps += view->steps + view->derivative_steps;
    run->seconds += view->seconds;
    run->longest = fmax(run->longest, view->seconds);
    run->cost = view->cost;
    if (!view->remark[0]) return;
    snprintf(run->remark, sizeof run->remark, "%s", view->remark);
    run->remarked++;
}

/* The first knots' controls. False: the recording failed; a step that diverged ends the run. */
static bool carry_out(int every, const TnPlanView *view, TnWorld *world, RunRecord *record,
                      PlanRun *run)
{
    for (int k = 0; k < every && k < view->horizon; k++) {
        tn_world_set_ctrl(world, view->ctrl + (size_t)k * (size_t)view->ctrl_count, NULL);
        for (int s = 0; s < view->repeat; s++) {
            TnStepReport report = tn_world_step(world);
            run->diverged = report.diverged;
            if (run->diverged) return true;
            if (!run_record_step(record, world, &report)) return false;
        }
    }
    return true;
}

static int drive(double duration, int every, TnPlan *plan, TnWorld *world, RunRecord *record,
                 PlanRun *run)
{
    TnError err = {0};
    double end = tn_world_time(world) + duration;
    while (tn_world_time(world) < end - 1e-9 && !run->diverged) {
        if (tn_plan_solve(plan, world, &err) != TN_OK) {
            say("plan", "%s", err.message);
            return code_of(&err);
        }
        TnPlanView view = tn_plan_view(plan);
        note(run, &view);
        if (!carry_out(every, &view, world, record, run)) return EXIT_IO;
        tn_plan_shift(plan, every, NULL);
    }
    return EXIT_FINE;
}

static void print_text(const PlanTask *task, const TnPlan *plan, TnWorld *world, const PlanRun *run)
{
    TnPlanView view = tn_plan_view(plan);
    printf("task    %d knots of %g s, %s\n", view.horizon, view.knot,
           tn_plan_method_name(task->def.method));
    printf("plans   %d; %.3g per second, the longest took %.3g s; %ld steps each\n", run->plans,
           run->plans / run->seconds, run->longest, run->plans ? run->steps / run->plans : 0);
    printf("cost    %.6g at first, %.6g at last\n", run->first_cost, run->cost);
    if (run->late) printf("late    %d plans ended by their limit\n", run->late);
    if (run->rough) printf("rough   %d plans have steps that are not to be trusted\n", run->rough);
    if (run->diverged) printf("stopped a step diverged at %g s\n", tn_world_time(world));
    for (int c = 0; c < view.cost_count; c++) {
        double off = tn_plan_off(plan, world, c);
        printf("  %-24s cost %-12.6g off by %.4g", tn_plan_cost_name(plan, c), view.costs[c], off);
        if (isfinite(task->within[c]))
            printf(", asked for %g: %s", task->within[c], off <= task->within[c] ? "yes" : "no");
        printf("\n");
    }
    if (run->remarked) printf("remark  %s (of %d plans)\n", run->remark, run->remarked);
}

static void print_json(const PlanTask *task, const TnPlan *plan, TnWorld *world, const PlanRun *run,
                       bool done)
{
    TnPlanView view = tn_plan_view(plan);
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "method", tn_plan_method_name(task->def.method));
    json_integer(&json, "horizon", view.horizon);
    json_number(&json, "knot", view.knot);
    json_integer(&json, "plans", run->plans);
    json_number(&json, "plans_per_second", run->plans / run->seconds);
    json_number(&json, "longest", run->longest);
    json_integer(&json, "steps_per_plan", run->plans ? run->steps / run->plans : 0);
    json_number(&json, "first_cost", run->first_cost);
    json_number(&json, "cost", run->cost);
    json_hash(&json, "state_hash", tn_world_hash(world));
    json_integer(&json, "late", run->late);
    json_bool(&json, "diverged", run->diverged);
    json_bool(&json, "done", done);
    json_string(&json, "remark", run->remark);
    json_integer(&json, "remarked", run->remarked);
    json_begin_array(&json, "costs");
    for (int c = 0; c < view.cost_count; c++) {
        json_begin_object(&json, NULL);
        json_string(&json, "name", tn_plan_cost_name(plan, c));
        json_number(&json, "cost", view.costs[c]);
        json_number(&json, "off", tn_plan_off(plan, world, c));
        if (isfinite(task->within[c])) json_number(&json, "within", task->within[c]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static bool is_done(const PlanTask *task, const TnPlan *plan, TnWorld *world)
{
    for (int c = 0; c < task->def.cost_count; c++)
        if (isfinite(task->within[c]) && !(tn_plan_off(plan, world, c) <= task->within[c]))
            return false;
    return true;
}

static int run_task(const PlanOptions *options, PlanTask *task)
{
    TnError err = {0};
    PlanRun run = {0};
    RunRecord record = {0};
    if (options->method >= 0) task->def.method = (TnPlanMethod)options->method;
    if (options->horizon) task->def.horizon = options->horizon;
    if (options->iterations) task->def.iterations = options->iterations;
    if (options->every) task->every = options->every;
    task->def.thread_count = options->threads;
    task->def.seconds = options->limit;
    task->def.seed = (uint64_t)options->seed;
    TnPlan *plan = tn_plan_create(&task->def, task->model, &err);
    TnWorldDef def = tn_world_def();
    def.key = task->key;
    TnWorld *world = plan ? tn_world_create(&def, task->model, &err) : NULL;
    int code = EXIT_FINE;
    if (!world) {
        say("plan", "%s", err.message);
        code = err.code == TN_ERROR_USAGE ? EXIT_MODEL : code_of(&err);
    }
    if (code == EXIT_FINE)
        code = run_record_open(&record, &options->record, false, world, &(RecordPlace){0});
    if (code == EXIT_FINE) code = drive(options->duration, task->every, plan, world, &record, &run);
    if (!run_record_close(&record) && code == EXIT_FINE) code = EXIT_IO;
    if (code == EXIT_FINE) {
        bool done = !run.diverged && is_done(task, plan, world);
        if (options->json)
            print_json(task, plan, world, &run, done);
        else
            print_text(task, plan, world, &run);
        if (!done) code = EXIT_DIVERGED;
    }
    tn_world_destroy(world);
    tn_plan_destroy(plan);
    return code;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon plan TASK [OPTIONS]\n\n"
        "Controls a model so that costs become small: plans over a horizon, carries out the "
        "first\n"
        "knots, plans again from where the model then is. Prints how many plans there are per\n"
        "second, what they cost, and how far each cost's goal is off at the end. Exit code 1: a\n"
        "step diverged, or a cost is not within what was asked for.\n\n"
        "A task is a text file, one thing per line; '#' begins a comment. Keys and defaults:\n"
        "  model FILE            beside the task; must come first\n"
        "  key NAME              keyframe to start from\n"
        "  horizon 20            knots, each of `repeat 1` steps; `every 1` carried out per plan\n"
        "  method ddp            or mppi, cem; iterations 3\n"
        "  smoothing 1, compliance 0.0167, derivative_every 1, tolerance 0,\n"
        "  seeds 0                                                              of ddp\n"
        "  samples 64, nodes 0, noise 0.3, temperature 0.1                      of mppi, cem\n"
        "  cost KIND OBJECT [running W] [terminal W] [goal X ...] [weights W ...]\n"
        "                   [to OBJECT] [name NAME] [within X]\n"
        "KIND and OBJECT are `position` or `velocity` of a joint, `point` of a site or body, "
        "`sensor`\n"
        "of a sensor, `ctrl` of an actuator; or `all` joints or actuators. `within` asks for a "
        "goal\n"
        "that is so near at the end (m, rad, ...). `cost tail terminal 1` is what the running "
        "costs\n"
        "come to after the horizon.\n");
    options_help(table, count);
    printf("\nExample, push.txt:\n"
           "  model push.xml\n"
           "  cost point box running 100 terminal 300 goal 0.3 0 0.05 within 0.03\n"
           "  cost point finger to box running 10 goal -0.07 0 0\n"
           "  cost velocity all running 0.1\n"
           "  cost ctrl all running 0.001\n"
           "\n"
           "  tenon plan push.txt --duration 3 --every 2 --record push.tnr\n");
}

/* Where a task's model is kept. */
typedef struct TaskModel {
    TnModel *model;
    int code; /* of what was said */
} TaskModel;

static const TnModel *load_task_model(void *user, const char *path, TnError *err)
{
    TaskModel *kept = user;
    (void)err;
    return kept->model = load_model("plan", path, NULL, &kept->code);
}

int cmd_plan(int argc, char **argv)
{
    PlanOptions options = {.duration = 5.0, .threads = 1, .method = -1};
    options.record.texture_megabytes = -1.0;
    const Option table[] = {
        option_real("--duration", &options.duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                    "seconds; default 5"),
        option_int("--every", &options.every, "N", 1, 10000,
                   "knots that are carried out before the next plan, in place of the task's"),
        option_real("--limit", &options.limit, "S", 0, 1e6, ENDS_CLOSED,
                    "seconds after which a plan begins no further iteration; default 0: none"),
        option_choice("--method", &options.method, "NAME", method_names, "in place of the task's"),
        option_int("--horizon", &options.horizon, "N", 1, 10000, "in place of the task's"),
        option_int("--iterations", &options.iterations, "N", 1, 100000, "in place of the task's"),
        option_int("--seed", &options.seed, "N", 0, 1000000000, "of random controls; default 0"),
        option_int("--threads", &options.threads, "N", 1, 64,
                   "threads, which do not change the result; default 1"),
        option_text("--record", &options.record.path, "FILE", "record the motion"),
        option_set("--json", &options.json, "print one JSON object"),
    };
    const int count = sizeof table / sizeof table[0];
    int code = EXIT_USAGE;
    if (!options_parse("plan", table, count, print_help, "TASK", &options.path, argc, argv, &code))
        return code;
    PlanTask *task = malloc(sizeof *task);
    if (!task) {
        say("plan", "no memory");
        return EXIT_IO;
    }
    TnError err = {0};
    TaskModel kept = {.code = EXIT_MODEL};
    TnStatus status = plan_task_read(task, options.path, load_task_model, &kept, &err);
    if (err.count) say("plan", "%s", err.message);
    code = status == TN_OK ? run_task(&options, task) : status == TN_ERROR_IO ? EXIT_IO : kept.code;
    tn_model_destroy(kept.model);
    free(task);
    return code;
}
