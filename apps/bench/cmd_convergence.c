/* tenon-bench convergence SCENE: the error of one step against iterations and against time, for all
 * solvers from the same state. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/output_file.h"
#include "../common/progress.h"
#include "commands.h"
#include "convergence_report.h"

#include <math.h>

typedef struct ConvergenceOptions {
    const char *scene;
    int step, repeats, threads, show;
    double time, limit_ms;
    TnDivisionDef division;
    bool quiet;
    const char *csv, *json, *plot;
} ConvergenceOptions;

static int option_table(Option *table, ConvergenceOptions *o)
{
    int n = 0;
    table[n++] = option_int("--step", &o->step, "K", 2, 100000000,
                            "step to solve, from 2 (the first has no step before it to start "
                            "from); "
                            "default: the middle of those that count, see table");
    table[n++] = option_real("--time", &o->time, "S", 0, 1e6, ENDS_LOWER_OPEN,
                             "solve the step that begins at this simulated time");
    table[n++] = option_division(&o->division);
    table[n++] = option_int("--repeats", &o->repeats, "N", 1, 1000,
                            "timed runs, 1 ... 1000; default 3; the shortest counts");
    table[n++] =
        option_int("--threads", &o->threads, "N", 1, 64, "number of threads, 1 ... 64; default 1");
    table[n++] = option_real("--limit", &o->limit_ms, "MS", 0, 1e6, ENDS_LOWER_OPEN,
                             "stop adding iterations beyond this solver time; default 100");
    table[n++] = option_choice("--show", &o->show, "ERROR", error_names,
                               "error to plot: natural (default), aac, aal or aav");
    table[n++] = option_text("--csv", &o->csv, "FILE", "write all runs to a CSV file");
    table[n++] = option_output("--json", &o->json, "FILE.json",
                               "print one JSON object instead of the table, or write it to a file");
    table[n++] = option_text("--plot", &o->plot, "FILE.svg",
                             "plot the error against iterations and against time");
    table[n++] = option_set("--quiet", &o->quiet, "print no progress line");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench convergence SCENE [OPTIONS]\n\n"
        "Shows how fast each solver converges on one step. The scene (a name or a file, as in\n"
        "scene) is simulated with the defaults up to the step. From its state there, with its "
        "warm\n"
        "start, each solver runs 1, 2, 3, 5, ... 20000 iterations, and the automatic method runs\n"
        "with smaller and smaller tolerances. The same measures apply to all: the RMS constraint\n"
        "error of velocities and of forces and the distance to the converged velocities (AAc,\n"
        "AA\u03bb, AAv: -log10 of them), and the largest natural-map error.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon-bench convergence stir --time 2.5\n"
           "  tenon-bench convergence cable --plot out/cable.svg --show aav\n"
           "  tenon-bench convergence beam --step 400 --csv out/beam.csv --json out/beam.json\n");
}

static TnStatus measure_all(const ConvergenceOptions *o, const Recording *recording,
                            Convergence *result, TnError *err)
{
    Replay replay;
    TnWorldDef def = recording->def;
    CurvePlan plan = {CONFIG_DEFAULTS, o->repeats, false, o->limit_ms, INFINITY};
    def.division = o->division;
    Progress progress = progress_start(1, o->quiet);
    TnStatus status = replay_make(&replay, recording, &def, err);
    replay.judges = true;
    if (status == TN_OK) {
        result->contacts = replay.steps[0].contacts;
        result->rows = replay.steps[0].rows;
        result->state = replay_states_hash(&replay);
        result->v_star_converged = replay.steps[0].converged;
        result->v_star_error = replay.steps[0].v_star_error;
    }
    for (int s = 0; s < CURVE_COUNT && status == TN_OK; s++) {
        if (progress.shown) fprintf(stderr, "\r%s: %s\033[K", o->scene, curve_label(s));
        status = curve_measure(&replay, s, &plan, &result->curves[s], err);
    }
    progress_end(&progress);
    replay_free(&replay);
    return status;
}

static void write_csv(FILE *out, const void *result) { convergence_write_csv(out, result); }
static void write_json(FILE *out, const void *result) { convergence_write_json(out, result); }

static int report(const ConvergenceOptions *o, const Convergence *result)
{
    if (!is_stdout(o->json) && !is_stdout(o->csv)) convergence_print(result);
    int csv = write_output("convergence", o->csv, write_csv, result);
    int json = write_output("convergence", o->json, write_json, result);
    int plot = o->plot ? convergence_plot(o->plot, result, o->quiet) : EXIT_FINE;
    return csv ? csv : json ? json : plot;
}

static int measure_model(const ConvergenceOptions *o, const TnModel *model)
{
    TnError err = {0};
    Recording recording;
    Convergence result = {.scene = o->scene,
                          .threads = o->threads,
                          .repeats = o->repeats,
                          .show = (ErrorKind)o->show};
    char division[DIVISION_NAME_SIZE];
    const KnownScene *known = known_scene(o->scene);
    TnWorldDef def = tn_world_def();
    def.thread_count = o->threads;
    def.substeps = 1; /* a step is one problem, */
    def.halvings = 0;
    def.solver.contact_ratio = 0; /* the same for all solvers */
    RecordingPlan plan = {.duration = known->duration,
                          .least_contacts = known->least_contacts,
                          .samples = 1,
                          .step = o->step - 1,
                          .quiet = o->quiet};
    double timestep = tn_model_info(model).option.timestep;
    if (!isnan(o->time)) plan.step = (int64_t)fmax(1, round(o->time / timestep));
    TnStatus status = recording_make(&recording, model, &def, &plan, &err);
    if (status == TN_OK) {
        result.step = recording.steps[0].step + 1;
        result.time = recording.steps[0].time;
        result.division = division_name(model, o->division, division);
        status = measure_all(o, &recording, &result, &err);
    }
    recording_free(&recording);
    if (status == TN_OK) return report(o, &result);
    say("convergence", "%s: %s", o->scene, err.message);
    return code_of(&err);
}

static int check_and_measure(const ConvergenceOptions *o)
{
    char path[PATH_MAX];
    int code = EXIT_USAGE;
    if (o->step && !isnan(o->time)) {
        say("convergence", "use --step or --time, not both");
        return EXIT_USAGE;
    }
    if (is_stdout(o->plot) || (is_stdout(o->csv) && is_stdout(o->json))) {
        say("convergence", "--csv and --json cannot both go to stdout, and --plot needs a file");
        return EXIT_USAGE;
    }
    if (!find_scene("convergence", o->scene, path)) return EXIT_IO;
    if (!output_is_fine("convergence", "--csv", o->csv, path) ||
        !output_is_fine("convergence", "--json", o->json, path) ||
        !output_is_fine("convergence", "--plot", o->plot, path))
        return EXIT_USAGE;
    TnModel *model = load_model("convergence", path, NULL, &code);
    if (model) code = measure_model(o, model);
    tn_model_destroy(model);
    return code;
}

int cmd_convergence(int argc, char **argv)
{
    ConvergenceOptions o = {.time = NAN, .repeats = 3, .threads = 1, .limit_ms = 100};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (options_parse("convergence", table, count, print_help, "SCENE", &o.scene, argc, argv,
                      &code))
        code = check_and_measure(&o);
    return code;
}
