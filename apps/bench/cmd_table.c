/* tenon-bench table: the paper's table. Time and accuracy of its five solvers and of the automatic
 * method on the same steps of the same runs, as the paper divides and weights them and with tenon's
 * defaults. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/output_file.h"
#include "../common/progress.h"
#include "commands.h"
#include "scene_report.h"
#include "table_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCENES = 8 };

typedef struct TableOptions {
    const char *scenes[MAX_SCENES];
    int scene_count;
    int samples, repeats, threads, least_contacts;
    double duration, limit_ms;
    bool quick, quiet, columns_only;
    const char *csv, *json, *plot;
} TableOptions;

static int option_table(Option *table, TableOptions *o)
{
    int n = 0;
    table[n++] = option_int("--samples", &o->samples, "N", 1, 1000,
                            "measured steps of each scene, 1 ... 1000; default 10");
    table[n++] = option_int("--repeats", &o->repeats, "N", 1, 1000,
                            "timed runs of each step, 1 ... 1000; default 3");
    table[n++] =
        option_int("--threads", &o->threads, "N", 1, 64, "number of threads, 1 ... 64; default 1");
    table[n++] = option_real("--limit", &o->limit_ms, "MS", 0, 1e6, ENDS_LOWER_OPEN,
                             "maximum solver time per step on the way to AAv 6, in ms; default 50");
    table[n++] = option_real("--duration", &o->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                             "simulated time in seconds; default 5, cable: 11, beam: 8");
    table[n++] = option_int("--least-contacts", &o->least_contacts, "N", 0, 1000000,
                            "ignore steps with fewer contacts; default 0, cable: 101, beam: 10");
    table[n++] = option_set("--columns-only", &o->columns_only,
                            "print the table only, not the times to AAv 3 ... 6");
    table[n++] = option_set("--quick", &o->quick,
                            "2 steps, 1 repeat and a limit of 5 ms, as a check that it runs");
    table[n++] = option_text("--csv", &o->csv, "FILE", "write all runs to a CSV file");
    table[n++] = option_output("--json", &o->json, "FILE.json",
                               "print one JSON object instead of the table, or write it to a file");
    table[n++] =
        option_text("--plot", &o->plot, "FILE.svg", "plot AAv against time, a panel per scene");
    table[n++] = option_set("--quiet", &o->quiet, "print no progress line");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon-bench table [SCENE ...] [OPTIONS]\n\n"
        "Repeats the table of the paper: PGS, PJ, FADMM and SubADMM with 30, 60 and 90 "
        "iterations,\n"
        "NNewton with 3, 6 and 9, and the automatic method with tolerances of 1e-2, 1e-4 and 1e-6\n"
        "and with its defaults (1e-6, at most 60 iterations), on the scenes stir, cable and beam\n"
        "(default) or on model files.\n\n"
        "Each scene is simulated once with the defaults. Then every solver solves --samples of "
        "its\n"
        "steps from the same saved states and warm starts: once as in the paper (its division of\n"
        "cables and soft bodies; SubADMM with its weights, without over-relaxation and\n"
        "acceleration), once with tenon's defaults. Then each solver gets more and more\n"
        "iterations, the automatic method smaller and smaller tolerances, to find the shortest\n"
        "solver time with a mean AAv of 3, 4, 5 and 6; '>' if --limit or 20000 iterations is not\n"
        "enough.\n");
    options_help(table, count);
    printf(
        "\nColumns: AT is factorization and iterations, step the whole step. AAc and AA\u03bb are "
        "the\n"
        "mean of -log10 of the RMS constraint error of the velocities and of the forces, AAv of "
        "the\n"
        "distance from the converged velocities v*; AAc is nearest to the paper's AA. '-': a step\n"
        "would not have been finite.\n"
        "\nExamples:\n"
        "  tenon-bench table\n"
        "  tenon-bench table stir --samples 20 --repeats 5\n"
        "  tenon-bench table cable beam --json --quiet\n"
        "  tenon-bench table --csv out/table.csv --json out/table.json --plot out/table.svg\n"
        "  tenon-bench table my/scene.xml --duration 2\n");
}

/* ---- measuring ---- */

static bool keep_steps(TablePart *part, TableScene *scene, const Replay *replay)
{
    size_t count = (size_t)scene->step_count;
    part->hashes = calloc(count, sizeof *part->hashes);
    part->converged = calloc(count, sizeof *part->converged);
    if (!part->hashes || !part->converged) return false;
    part->subsystems = tn_world_subsystem_count(replay->world);
    part->bonds = tn_world_bond_count(replay->world);
    part->states = replay_states_hash(replay);
    for (int i = 0; i < scene->step_count; i++) {
        const ReplayStep *step = &replay->steps[i];
        part->hashes[i] = step->hash;
        part->converged[i] = step->converged;
        part->contacts += step->contacts / (double)scene->step_count;
        part->rows += step->rows / (double)scene->step_count;
        part->v_star_count += step->converged;
        if (step->converged) part->v_star_error = fmax(part->v_star_error, step->v_star_error);
    }
    return true;
}

/* Where nothing is to be divided, only SubADMM's settings differ. */
static bool is_same_in_both(const TableScene *scene, Configuration c, int solver)
{
    return c != CONFIG_PAPER && !scene->divisible && solver < PAPER_SOLVERS &&
           solver != PAPER_SUBADMM;
}

static TnStatus no_memory(TnError *err)
{
    *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1, .message = "no memory"};
    return err->code;
}

static TnStatus measure_part(const TableOptions *o, TableScene *scene, Replay *replay,
                             Configuration c, TnError *err)
{
    TablePart *part = &scene->parts[c];
    CurvePlan plan = {
        .configuration = c, .repeats = o->repeats, .limit_ms = o->limit_ms, .enough_aav = 6.5};
    TnStatus status = keep_steps(part, scene, replay) ? TN_OK : no_memory(err);
    Progress progress = progress_start(1, o->quiet);
    for (int s = 0; s < CURVE_COUNT && status == TN_OK; s++) {
        if (s == CURVE_AUTO && c == CONFIG_PAPER) continue;
        part->measured[s] = true;
        if (is_same_in_both(scene, c, s)) {
            part->curves[s] = scene->parts[CONFIG_PAPER].curves[s];
            continue;
        }
        if (progress.shown)
            fprintf(stderr, "\r%s, %s: %s\033[K", scene->name, configuration_name(c),
                    curve_label(s));
        /* of divided scenes, where others take seconds, only SubADMM is of interest in between */
        plan.columns_only =
            o->columns_only || (c == CONFIG_PAPER && scene->divisible && s != PAPER_SUBADMM);
        status = curve_measure(replay, s, &plan, &part->curves[s], err);
    }
    progress_end(&progress);
    return status;
}

/* The steps in a world of the configuration's division, with their v*. */
static TnStatus make_replay(const TableOptions *o, const TableScene *scene,
                            const Recording *recording, Configuration c, Replay *replay,
                            TnError *err)
{
    TnWorldDef def = recording->def;
    def.division = configuration_division(c);
    Progress progress = progress_start(1, o->quiet);
    if (progress.shown)
        fprintf(stderr, "\r%s, %s: converged velocities\033[K", scene->name, configuration_name(c));
    TnStatus status = replay_make(replay, recording, &def, err);
    progress_end(&progress);
    return status;
}

static TnStatus measure_parts(const TableOptions *o, TableScene *scene, const Recording *recording,
                              TnError *err)
{
    Replay replay = {0};
    TnStatus status = TN_OK;
    for (int c = 0; c < CONFIG_COUNT && status == TN_OK; c++) {
        if (c == 0 || scene->divisible) {
            replay_free(&replay);
            status = make_replay(o, scene, recording, (Configuration)c, &replay, err);
        }
        if (status == TN_OK) status = measure_part(o, scene, &replay, (Configuration)c, err);
    }
    replay_free(&replay);
    return status;
}

static TnStatus measure_scene(const TableOptions *o, const TnModel *model, TableScene *scene,
                              TnError *err)
{
    Recording recording;
    TnWorldDef def = tn_world_def();
    def.thread_count = o->threads;
    def.substeps = 1; /* a step is one problem, */
    def.halvings = 0;
    def.solver.contact_ratio = 0; /* the same for all solvers */
    RecordingPlan plan = {.duration = isnan(o->duration) ? scene->known->duration : o->duration,
                          .least_contacts = o->least_contacts < 0 ? scene->known->least_contacts
                                                                  : o->least_contacts,
                          .samples = o->samples,
                          .step = -1,
                          .quiet = o->quiet};
    TnStatus status = recording_make(&recording, model, &def, &plan, err);
    scene->dof = tn_model_info(model).dof_count;
    scene->timestep = tn_model_info(model).option.timestep;
    scene->divisible = is_divisible(model);
    scene->step_count = recording.count;
    scene->ran = recording.ran;
    scene->counted = recording.counted;
    scene->steps = calloc((size_t)recording.count + 1, sizeof *scene->steps);
    for (int i = 0; scene->steps && i < recording.count; i++)
        scene->steps[i] = recording.steps[i].step + 1;
    if (status == TN_OK && !scene->steps) status = no_memory(err);
    if (status == TN_OK) status = measure_parts(o, scene, &recording, err);
    recording_free(&recording);
    return status;
}

static int add_scene(const TableOptions *o, TableScene *scene)
{
    char path[PATH_MAX];
    int code = EXIT_IO;
    TnError err = {0};
    if (!find_scene("table", scene->name, path)) return EXIT_IO;
    if (!output_is_fine("table", "--csv", o->csv, path) ||
        !output_is_fine("table", "--json", o->json, path) ||
        !output_is_fine("table", "--plot", o->plot, path))
        return EXIT_USAGE;
    TnModel *model = load_model("table", path, NULL, &code);
    if (!model) return code;
    TnStatus status = measure_scene(o, model, scene, &err);
    if (status != TN_OK) say("table", "%s: %s", scene->name, err.message);
    tn_model_destroy(model);
    return status == TN_OK ? EXIT_FINE : code_of(&err);
}

/* ---- results ---- */

static void write_csv(FILE *out, const void *table) { table_write_csv(out, table); }
static void write_json(FILE *out, const void *table) { table_write_json(out, table); }

static int report(const TableOptions *o, const Table *table)
{
    if (!is_stdout(o->json) && !is_stdout(o->csv)) table_print(table);
    int csv = write_output("table", o->csv, write_csv, table);
    int json = write_output("table", o->json, write_json, table);
    int plot = o->plot ? table_plot(o->plot, table, true) : EXIT_FINE;
    return csv ? csv : json ? json : plot;
}

static void free_scene(TableScene *scene)
{
    free(scene->steps);
    for (int c = 0; c < CONFIG_COUNT; c++) {
        free(scene->parts[c].hashes);
        free(scene->parts[c].converged);
    }
}

static int check_and_measure(TableOptions *o)
{
    static const char *const default_scenes[] = {"stir", "cable", "beam"};
    if (is_stdout(o->plot) || (is_stdout(o->csv) && is_stdout(o->json))) {
        say("table", "--csv and --json cannot both go to stdout, and --plot needs a file");
        return EXIT_USAGE;
    }
    if (!o->scene_count)
        while (o->scene_count < 3) {
            o->scenes[o->scene_count] = default_scenes[o->scene_count];
            o->scene_count++;
        }
    if (o->quick) {
        o->samples = 2;
        o->repeats = 1;
        o->limit_ms = 5;
    }
    Table table = {.scene_count = o->scene_count,
                   .threads = o->threads,
                   .repeats = o->repeats,
                   .reference = tn_solver_def()};
    table.scenes = calloc((size_t)o->scene_count, sizeof *table.scenes);
    int code = table.scenes ? EXIT_FINE : EXIT_IO;
    for (int i = 0; i < o->scene_count && code == EXIT_FINE; i++) {
        table.scenes[i].name = o->scenes[i];
        table.scenes[i].known = known_scene(o->scenes[i]);
        code = add_scene(o, &table.scenes[i]);
    }
    if (code == EXIT_FINE) code = report(o, &table);
    for (int i = 0; table.scenes && i < o->scene_count; i++) free_scene(&table.scenes[i]);
    free(table.scenes);
    return code;
}

int cmd_table(int argc, char **argv)
{
    TableOptions o = {.samples = 10,
                      .repeats = 3,
                      .threads = 1,
                      .least_contacts = -1,
                      .duration = NAN,
                      .limit_ms = 50};
    Option table[16];
    int count = option_table(table, &o), code = EXIT_USAGE;
    if (!options_parse_many("table", table, count, print_help, NULL, o.scenes, MAX_SCENES,
                            &o.scene_count, argc, argv, &code))
        return code;
    return check_and_measure(&o);
}
