/* tenon run: simulates a model, prints a table of what it took and how accurate it was, records the
 * motion. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/progress.h"
#include "../common/table.h"
#include "../common/team.h"
#include "../common/team_model.h"
#include "../common/totals.h"
#include "commands.h"
#include "platform/files.h"
#include "platform/process.h"
#include "run_checkpoint.h"
#include "run_dump.h"
#include "run_energy.h"
#include "run_log.h"
#include "run_overlaps.h"
#include "run_record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct RunOptions {
    SimOptions sim;
    const char *model_path;
    LogOptions log;
    RecordOptions record;
    DumpOptions dump;
    CheckpointOptions checkpoint;
    bool json, quiet, accuracy, strict_energy;
    /* what the process that writes has, and others have not */
    bool logs, saves;
} RunOptions;

static int option_table(Option *table, RunOptions *run)
{
    int n = 0;
    n = sim_option_table(table, n, &run->sim);
    table[n++] = option_text("--csv", &run->log.csv, "FILE",
                             "write a row of numbers after every step to a CSV file; -: stdout");
    table[n++] =
        option_text("--npz", &run->log.npz, "FILE", "write the same numbers as arrays for NumPy");
    table[n++] =
        option_text("--log", &run->log.groups, "WHAT,...",
                    "what these contain: joints, bodies, sensors, ctrl, actuators, forces, "
                    "energy, solver or all; default: all but bodies and forces");
    table[n++] = option_int("--log-every", &run->log.every, "N", 1, 1000000000,
                            "write a row after every N-th step; default 1");
    table[n++] = option_set("--forces", &run->log.forces,
                            "log forces and torques of joints and equalities, too");
    table[n++] = option_set("--sensors", &run->log.sensors, "log sensor readings, too");
    table[n++] = option_text("--record", &run->record.path, "FILE",
                             "record the motion to a .tnr file, to replay, render or export it");
    table[n++] =
        option_real("--record-fps", &run->record.fps, "F", 0, 1e6, ENDS_LOWER_OPEN,
                    "frames per second of the recording, at most one per step; default 50");
    table[n++] = option_set("--record-state", &run->record.state,
                            "also record the exact qpos, qvel and ctrl");
    table[n++] = option_clear("--no-record-contacts", &run->record.contacts,
                              "leave out contact points and forces; the file is smaller");
    table[n++] = option_set("--record-signals", &run->record.signals,
                            "record joints, sensors, controls and forces of actuators even if they "
                            "are more than 512 numbers");
    table[n++] =
        option_clear("--no-record-signals", &run->record.small_signals, "never record them");
    table[n++] = option_real("--record-textures", &run->record.texture_megabytes, "MB", 0, 1000, 0,
                             "room for textures, unpacked; larger ones are recorded smaller; "
                             "default 16.8");
    table[n++] = option_set("--append", &run->record.append,
                            "append to an existing recording of the same model");
    table[n++] = option_ints("--dump-problem", &run->dump.steps, "K,...", 1, 1000000000,
                             "write the problem that the solver gets in step K (from 1) to "
                             "MODEL-stepK.tnp, for tenon solve");
    table[n++] = option_text("--dump-to", &run->dump.path, "FILE",
                             "write that problem to this file instead");
    table[n++] = option_text("--checkpoint", &run->checkpoint.path, "FILE",
                             "write the state to this file now and then, and at the end");
    table[n++] = option_real("--every", &run->checkpoint.every, "S", 0, 1e6, ENDS_LOWER_OPEN,
                             "simulated seconds from one checkpoint to the next; default 1");
    table[n++] = option_text("--resume", &run->checkpoint.resume, "FILE",
                             "go on from a checkpoint with the same bits, in the same log and "
                             "recording; --duration counts from the start of the first run");
    table[n++] = option_set("--strict-energy", &run->strict_energy,
                            "exit with code 1 if a step creates more than 1 % of the energy "
                            "involved");
    table[n++] = option_set("--json", &run->json, "print one JSON object instead of the table");
    table[n++] = option_set("--quiet", &run->quiet, "print no progress line and no table");
    table[n++] = option_clear("--no-accuracy", &run->accuracy,
                              "do not measure the accuracy of each step; saves about a tenth of "
                              "the time of scenes/stir.xml, and a third of scenes/beam.xml");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon run MODEL [OPTIONS]\n\n"
           "Simulates a model file (MJCF) from its reference pose or a keyframe, follows the\n"
           "model's control track if it has one, and prints timing, accuracy and energy. If a "
           "step\n"
           "would produce numbers that are not finite, it is refused and the run ends with exit\n"
           "code 1. Ctrl-C or SIGTERM ends the run after the current step, writes the checkpoint\n"
           "if there is one, and prints the table so far.\n");
    options_help(table, count);
    printf(
        "\nAccuracy: AAc and AA\u03bb are means of -log10 of the RMS constraint error in m/s, of "
        "the\n"
        "velocities and of the forces; 3 means a millimetre per second.\n"
        "\nTolerance: the table has the largest error of any constraint in any step, as a "
        "fraction\n"
        "of gravity x timestep, the number of steps that missed the tolerance, and the worst\n"
        "constraint. A run with such steps still ends with exit code 0.\n"
        "\nEnergy: the table has the work of actuators and applied forces, the losses by "
        "friction,\n"
        "damping, impacts and the time step, and the energy created from nowhere. If a step\n"
        "creates more than 1 %% of the energy of the bodies involved, a line on stderr names the\n"
        "body; with --strict-energy the exit code is 1.\n"
        "\nCSV: one line per step. joints: NAME.q0 ... and NAME.v0 ... of each joint; NAME.x ...\n"
        "NAME.qz, velocity NAME.vx ... NAME.vz of the centre of mass and angular velocity NAME.wx\n"
        "... NAME.wz of each free body. bodies: the same of all other bodies. sensors: NAME.s0 "
        "...\n"
        "ctrl: NAME.ctrl. actuators: NAME.force, NAME.act. energy: in J. solver: with a tolerance, "
        "what it\n"
        "did. forces: docs/reactions.md. Unnamed ones are called joint3, body5. With --csv - the\n"
        "table goes to stderr. NPZ: time, and of each group an array with its NAME_names.\n"
        "\nRecording: the scene and its frames, the first one before the first step. If the run "
        "is\n"
        "cut off, the file is readable up to its last complete group of frames.\n"
        "\nCheckpoints: FILE is whole at any time. After a crash, give the same command with\n"
        "--resume FILE: what the log and the recording have beyond the checkpoint is cut off and\n"
        "written again, so that they end as those of one run.\n"
        "\nExit codes: 0 success; 1 the simulation diverged (or --strict-energy); 2 wrong usage;\n"
        "3 the model is invalid; 4 a file cannot be read or written; 130 interrupted (143 by\n"
        "SIGTERM).\n"
        "\nExamples:\n"
        "  tenon run scenes/stir.xml --duration 5\n"
        "  tenon run scenes/stir.xml --iterations 30 --threads 2 --json\n"
        "  tenon run scenes/stir.xml --tolerance 1e-4\n"
        "  tenon run robot.xml --key home --duration 2 --csv out/robot.csv --quiet\n"
        "  tenon run robot.xml --npz out/robot.npz --log joints,sensors,ctrl\n"
        "  tenon run robot.xml --csv - --log joints --quiet | tenon plot - --y elbow.q0 -o q.svg\n"
        "  tenon run scenes/stir.xml --duration 10 --record out/stir.tnr\n"
        "  tenon run scenes/stir.xml --duration 3 --dump-problem 200\n"
        "  tenon run scenes/stir.xml --duration 60 --checkpoint out/stir.tnc --every 2\n"
        "  tenon run scenes/stir.xml --duration 60 --checkpoint out/stir.tnc --resume "
        "out/stir.tnc\n");
}

/* The signal that ends the run; to note it is the one thing a handler may do. */
static volatile int interrupted;
static void on_interrupt(int which) { interrupted = which; }

static void catch_interrupt(void)
{
    /* a second one ends the program at once */
    tn_process_on_interrupt(on_interrupt);
    tn_process_on_request_to_end(on_interrupt);
    tn_process_goes_on_unread(); /* a reader that is gone is an error to tell; files end whole */
}

typedef struct RunResult {
    Totals totals;
    RunEnergy energy;
    double simulated, wall; /* s */
    uint64_t hash;
    int64_t recorded; /* frames */
    int64_t resumed;  /* steps that earlier runs have taken */
} RunResult;

typedef struct Outputs {
    RunLog *log; /* NULL: none */
    RunRecord record;
    int checkpoint; /* its file, open and locked; -1: not yet */
    bool log_failed, record_failed, dump_failed,
        checkpoint_failed; /* said already; any ends the run */
} Outputs;

/* One of them ends the run. */
static bool has_failed(const Outputs *out)
{
    return out->log_failed || out->record_failed || out->dump_failed || out->checkpoint_failed;
}

/* Only the process that writes has the model: the others have parts of it. */
static bool is_in_parts(const RunOptions *run) { return run->sim.spread && team_ranks(); }

/* The process that writes asks for the state after this step, and in a world in parts all
 * processes must. */
static bool is_asked(const RunOptions *run, double timestep, int64_t step)
{
    double every = run->checkpoint.every > 0 ? run->checkpoint.every : CHECKPOINT_DEFAULT_EVERY;
    int64_t steps = llround(every / timestep);
    if (!is_in_parts(run)) return false;
    return run->logs || (run->saves && step % (steps > 0 ? steps : 1) == 0);
}

/* A checkpoint of all that there is after `step` steps. */
static bool save(const TnWorld *world, const RunOptions *run, int64_t step, Outputs *out)
{
    RunPlace place = {.step = step};
    TnWorldDef def = sim_world_def(&run->sim);
    if (!log_mark(out->log, &place.log)) out->log_failed = true;
    if (!run_record_mark(&out->record, &place.record)) out->record_failed = true;
    return has_failed(out) ||
           checkpoint_write(&run->checkpoint, &def, world, &place, &out->checkpoint);
}

/* `done`: steps that an earlier run has taken. */
static void simulate(TnWorld *world, const RunOptions *run, int64_t done, Outputs *out,
                     RunResult *result)
{
    double timestep = tn_model_info(tn_world_model(world)).option.timestep;
    int64_t steps = steps_of(run->sim.duration, timestep);
    double start_time = tn_world_state(world).time;
    double left = steps > done ? (double)(steps - done) * timestep : timestep;
    if (done > steps)
        say("run",
            "--resume: the checkpoint is at step %" PRId64 ", beyond the %" PRId64
            " steps of --duration %g; give a longer duration to go on",
            done, steps, run->sim.duration);
    Progress progress = progress_start(left, run->quiet);
    run_energy_start(&result->energy, world, run->sim.spread);
    double start = clock_seconds();
    int64_t k = done, saved = done;
    if (run->checkpoint.path) out->checkpoint_failed = !save(world, run, done, out);
    for (; k < steps && !team_any(interrupted || has_failed(out)); k++) {
        TnStepReport report = tn_world_step(world);
        totals_add(&result->totals, world, &report);
        if (report.diverged) break;
        if (is_asked(run, timestep, k + 1)) tn_world_state(world);
        run_energy_add(&result->energy, world, &report);
        if (out->log) out->log_failed = !log_step(out->log, world, &report);
        out->record_failed = !run_record_step(&out->record, world, &report);
        out->dump_failed = !run_dump_step(&run->dump, run->model_path, world, k + 1);
        if (checkpoint_is_due(&run->checkpoint, world, k + 1) && !has_failed(out)) {
            out->checkpoint_failed = !save(world, run, k + 1, out);
            saved = k + 1;
        }
        progress_update(&progress, (double)(k + 1 - done) * timestep);
    }
    if (run->checkpoint.path && k > saved && !result->totals.diverged && !has_failed(out))
        out->checkpoint_failed = !save(world, run, k, out);
    result->resumed = done;
    result->wall = clock_seconds() - start;
    result->simulated = tn_world_state(world).time - start_time;
    result->hash = tn_world_hash(world);
    run_energy_end(&result->energy, world);
    progress_end(&progress);
}

/* Finishes the files. */
static void close_outputs(Outputs *out)
{
    if (!log_close(out->log, !out->log_failed)) out->log_failed = true;
    if (!run_record_close(&out->record)) out->record_failed = true;
    if (out->checkpoint >= 0) tn_file_close(out->checkpoint);
}

/* Simulated seconds per second spent in steps; recording does not count. */
static double real_time_factor(const RunResult *result)
{
    return result->simulated / result->totals.times.total;
}

static bool has_tolerance(const RunOptions *run) { return run->sim.solver.tolerance > 0; }

/* "3 of 500, worst 4.2e-05 at step 17: contact of geom 'a' with geom 'b'" */
enum { MISSED_SIZE = WORST_SIZE + 96 };
static const char *missed_steps(const Totals *t, char text[MISSED_SIZE])
{
    int used = snprintf(text, MISSED_SIZE, "%" PRId64 " of %" PRId64, t->unconverged, t->steps);
    if (t->unconverged && t->worst_step)
        snprintf(text + used, MISSED_SIZE - (size_t)used, ", worst %.2g at step %" PRId64 "%s%s",
                 t->error, t->worst_step, t->worst[0] ? ": " : "", t->worst);
    return text;
}

static void print_solver_lines(FILE *out, const RunOptions *run, const Totals *t)
{
    char text[WHAT_RAN_SIZE], missed[MISSED_SIZE], why[REASONS_SIZE];
    table_line(out, "mean islands", "%.1f", totals_mean(t->islands, t->steps));
    table_line(out, "solved by", "%s", what_ran(t->islands_by_method, text));
    table_line(out, "because", "%s", why_they_ran(t, why));
    if (run->sim.sleep != TN_SLEEP_OFF)
        table_line(out, "mean asleep", "%.1f subsystems", totals_mean(t->asleep, t->steps));
    table_line(out, "largest error", "%.2g of gravity x timestep, tolerance %g", t->error,
               run->sim.solver.tolerance);
    if (t->rigid_error > t->error)
        table_line(out, "  by rigid contacts",
                   "%.2g; contacts of large islands yield, their tolerance is %g", t->rigid_error,
                   100 * run->sim.solver.tolerance);
    if (t->contradiction > 0.0)
        table_line(out, "largest contradiction", "%.2g m/s between constraints", t->contradiction);
    table_line(out, "steps not converged", "%s", missed_steps(t, missed));
    if (t->unconverged && t->help) table_line(out, "  what may help", "%s", t->help);
}

/* Why phases of steps were done again. */
static void print_passes(FILE *out, const Totals *t)
{
    bool any = false;
    for (int k = 0; k < TN_PASS_COUNT; k++) {
        const TnPassReport *pass = &t->passes[k];
        char name[64], worst[64] = "";
        if (!pass->asked) continue;
        if (!any) table_line(out, "done again", "%s", "because of");
        any = true;
        snprintf(name, sizeof name, "  %s", tn_pass_name((TnPass)k));
        if (tn_pass_unit((TnPass)k)[0])
            snprintf(worst, sizeof worst, ", at worst %.2g %s", pass->worst,
                     tn_pass_unit((TnPass)k));
        table_line(out, name, "%d of %d times%s", pass->repeated, pass->asked, worst);
    }
}

static void json_passes(Json *json, const Totals *t)
{
    json_begin_object(json, "passes");
    for (int k = 0; k < TN_PASS_COUNT; k++) {
        if (!t->passes[k].asked) continue;
        json_begin_object(json, tn_pass_name((TnPass)k));
        json_integer(json, "asked", t->passes[k].asked);
        json_integer(json, "repeated", t->passes[k].repeated);
        json_number(json, "worst", t->passes[k].worst);
        json_end(json);
    }
    json_end(json);
}

/* To stderr where the log has stdout. */
/* Where an accuracy was asked for. */
static void print_time_error(FILE *out, const Totals *t)
{
    if (!t->time_errors) return;
    table_line(out, "  parts of each, mean", "%.1f, the shortest of %.3g s",
               totals_mean((double)t->parts, t->steps), t->shortest);
    table_line(out, "  error in time", "%.2g m/s in the mean, %.2g m/s at most (estimated)",
               totals_mean(t->time_error, t->time_errors), t->time_error_max);
    if (t->inaccurate) table_line(out, "  less accurate than asked for", "%" PRId64, t->inaccurate);
}

static void print_table(const TnWorld *world, const RunOptions *run, const RunResult *result)
{
    FILE *out = log_to_stdout(&run->log) ? stderr : stdout;
    const Totals *t = &result->totals;
    TnModelInfo info = tn_model_info(tn_world_model(world));
    double ms = 1e3 / (double)(t->steps ? t->steps : 1);
    char buffer[SHOWN_SIZE];
    fprintf(out, "%s\n", info.name[0] ? shown(info.name, buffer) : run->model_path);
    table_line(out, "bodies", "%d", info.body_count - 1);
    table_line(out, "degrees of freedom", "%d", info.dof_count);
    table_line(out, "subsystems", "%d (%d free bodies, %d trees, %d cables)",
               tn_world_subsystem_count(world), info.free_body_count, info.tree_count,
               info.rod_count);
    int substeps = tn_world_substeps(world);
    table_line(out, "steps", "%" PRId64 " of %g s", t->steps, info.option.timestep);
    if (result->resumed)
        table_line(out, "  resumed after", "%" PRId64 " earlier ones; figures are of the rest",
                   result->resumed);
    if (t->steps == 0) return; /* no means of nothing */
    if (substeps > 1) table_line(out, "  sub-steps of each", "%d", substeps);
    if (t->halved) table_line(out, "  taken in halves", "%" PRId64, t->halved);
    print_time_error(out, t);
    print_passes(out, t);
    table_line(out, "mean iterations", "%.1f", totals_mean(t->iterations, t->steps));
    if (t->form)
        table_line(out, "solver", "%s, %s", tn_method_name(run->sim.solver.method), t->form);
    table_line(out, "mean contacts", "%.1f", totals_mean(t->contacts, t->steps));
    if (has_tolerance(run)) print_solver_lines(out, run, t);
    table_line(out, "mean step", "%.4f ms", ms * t->times.total);
    table_line(out, "  dynamics", "%.4f ms", ms * t->times.dynamics);
    table_line(out, "  collision", "%.4f ms", ms * t->times.collision);
    table_line(out, "  constraint", "%.4f ms", ms * t->times.constraint);
    table_line(out, "  factor", "%.4f ms", ms * t->times.factor);
    table_line(out, "  iterate", "%.4f ms", ms * t->times.iterate);
    table_line(out, "  integrate", "%.4f ms", ms * t->times.integrate);
    table_line(out, "real-time factor", "%.2f", real_time_factor(result));
    if (t->aac_count)
        table_line(out, "mean accuracy AAc", "%.3f", totals_mean(t->aac, t->aac_count));
    if (t->aal_count)
        table_line(out, "mean accuracy AA\u03bb", "%.3f", totals_mean(t->aal, t->aal_count));
    table_line(out, "mean penetration", "%.3g mm",
               1e3 * totals_mean(t->mean_penetration, t->steps));
    table_line(out, "max penetration", "%.3g mm", 1e3 * t->max_penetration);
    run_energy_print(out, &result->energy, tn_world_model(world));
    if (run->record.path) table_line(out, "recorded", "%" PRId64 " frames", result->recorded);
    if (t->diverged)
        table_line(out, "diverged", "yes, at %g s%s%s", result->simulated,
                   t->rejected.where[0] ? ": " : "", t->rejected.where);
    else
        table_line(out, "diverged", "no");
}

/* null where there is none */
static void json_text(Json *json, const char *name, const char *text)
{
    if (text)
        json_string(json, name, text);
    else
        json_number(json, name, NAN);
}

/* Of runs with a tolerance; null otherwise. */
static void json_solver(Json *json, const RunOptions *run, const Totals *t)
{
    bool measured = has_tolerance(run);
    json_number(json, "error_max", measured ? t->error : NAN);
    json_number(json, "rigid_error_max", measured ? t->rigid_error : NAN);
    json_number(json, "contradiction_max", measured ? t->contradiction : NAN);
    json_integer(json, "unconverged_steps", t->unconverged);
    json_integer(json, "rough_steps", t->rough);
    json_integer(json, "halved_steps", t->halved);
    json_number(json, "parts_mean", totals_mean((double)t->parts, t->steps));
    json_number(json, "shortest_part_s", t->parts ? t->shortest : NAN);
    json_number(json, "time_error_mean", totals_mean(t->time_error, t->time_errors));
    json_number(json, "time_error_max", t->time_errors ? t->time_error_max : NAN);
    json_integer(json, "inaccurate_steps", t->inaccurate);
    json_passes(json, t);
    json_number(json, "worst_step", measured && t->worst_step ? (double)t->worst_step : NAN);
    if (measured && t->worst_step)
        json_string(json, "worst_constraint", t->worst);
    else
        json_number(json, "worst_constraint", NAN); /* null */
    json_text(json, "worst_help", t->unconverged || t->rough ? t->help : NULL);
    json_islands(json, measured ? totals_mean(t->islands, t->steps) : NAN, t->islands_by_method,
                 totals_mean(t->asleep, t->steps));
    json_begin_object(json, "islands_by_reason");
    for (int i = 0; i < t->reason_count; i++)
        json_number(json, t->reasons[i].why, t->reasons[i].islands);
    json_end(json);
}

static void print_json(const TnWorld *world, const RunOptions *run, const RunResult *result)
{
    const Totals *t = &result->totals;
    TnModelInfo info = tn_model_info(tn_world_model(world));
    double ms = 1e3 / (double)(t->steps ? t->steps : 1);
    char hash[17], division[DIVISION_NAME_SIZE];
    Json json = json_to(stdout);
    snprintf(hash, sizeof hash, "%016" PRIx64, result->hash);
    json_begin_object(&json, NULL);
    json_string(&json, "model", run->model_path);
    json_string(&json, "name", info.name);
    json_string(&json, "solver", tn_method_name(run->sim.solver.method));
    json_string(&json, "method", tn_method_name(run->sim.solver.method));
    if (t->form) json_string(&json, "form", t->form);
    json_integer(&json, "iterations", run->sim.solver.iterations);
    json_number(&json, "tolerance", run->sim.solver.tolerance);
    json_string(&json, "sleep", sleep_name((TnSleep)run->sim.sleep));
    json_integer(&json, "threads", run->sim.threads);
    json_string(&json, "instruction_set", tn_instruction_set_name(tn_instruction_set()));
    if (team_ranks()) json_integer(&json, "processes", team_ranks()->count);
    json_integer(&json, "bodies", info.body_count - 1);
    json_integer(&json, "dof", info.dof_count);
    json_string(&json, "division",
                division_name(tn_world_model(world), run->sim.division, division));
    json_integer(&json, "subsystems", tn_world_subsystem_count(world));
    json_integer(&json, "steps", t->steps);
    json_integer(&json, "resumed_after_steps", result->resumed);
    json_number(&json, "timestep", info.option.timestep);
    json_integer(&json, "substeps", tn_world_substeps(world));
    json_number(&json, "simulated_s", result->simulated);
    json_number(&json, "wall_s", result->wall);
    json_number(&json, "iterations_mean", totals_mean(t->iterations, t->steps));
    json_number(&json, "contacts_mean", totals_mean(t->contacts, t->steps));
    json_number(&json, "step_ms_mean", ms * t->times.total);
    json_number(&json, "dynamics_ms_mean", ms * t->times.dynamics);
    json_number(&json, "collision_ms_mean", ms * t->times.collision);
    json_number(&json, "constraint_ms_mean", ms * t->times.constraint);
    json_number(&json, "factor_ms_mean", ms * t->times.factor);
    json_number(&json, "iterate_ms_mean", ms * t->times.iterate);
    json_number(&json, "integrate_ms_mean", ms * t->times.integrate);
    json_number(&json, "real_time_factor", real_time_factor(result));
    json_number(&json, "aac", totals_mean(t->aac, t->aac_count));
    json_number(&json, "aal", totals_mean(t->aal, t->aal_count));
    json_number(&json, "penetration_mean_m", totals_mean(t->mean_penetration, t->steps));
    json_number(&json, "penetration_max_m", t->max_penetration);
    json_solver(&json, run, t);
    run_energy_json(&json, &result->energy, tn_world_model(world));
    if (run->record.path) json_integer(&json, "recorded_frames", result->recorded);
    json_bool(&json, "diverged", t->diverged);
    json_text(&json, "diverged_at", t->diverged ? t->rejected.where : NULL);
    json_text(&json, "diverged_why", t->diverged ? t->rejected.what : NULL);
    json_text(&json, "diverged_help", t->diverged ? t->rejected.help : NULL);
    json_bool(&json, "interrupted", interrupted != 0);
    json_string(&json, "state_hash", hash);
    json_end(&json);
}

/* The recording after the CSV: by now that one exists, so that both under one name are found out.
 */
static int open_record(Outputs *out, const RunOptions *run, TnWorld *world, const RecordPlace *from)
{
    const char *csv = run->log.csv;
    if (run->record.path && csv && is_same_file(run->record.path, csv)) {
        say("run", "--record: %s is the CSV file", run->record.path);
        return EXIT_USAGE;
    }
    return run_record_open(&out->record, &run->record, is_in_parts(run), world, from);
}

static void tell_warning(void *user, TnLogLevel level, const char *message)
{
    (void)user, (void)level;
    say("run", "%s", message);
}

static void tell_rejected(const RunResult *result)
{
    const TnTrouble *t = &result->totals.rejected;
    say("run",
        "the simulation diverged at %g s%s%s: %s; the last good state is kept. What usually helps: "
        "%s",
        result->simulated, t->where[0] ? ", at " : "", t->where, t->what, t->help);
}

/* What the model must have for these options. An exit code. */
static int check_model(const TnModel *model, const RunOptions *run, TnKeyId *key)
{
    int64_t steps = steps_of(run->sim.duration, tn_model_info(model).option.timestep);
    bool fine = find_key("run", model, run->sim.key, key) &&
                run_dump_check(&run->dump, steps, run->sim.duration);
    return fine ? EXIT_FINE : EXIT_USAGE;
}

/* The state that the run goes on from. An exit code. */
static int resume(const RunOptions *run, const TnWorldDef *def, TnWorld *world, RunPlace *from)
{
    int code = EXIT_FINE;
    *from = (RunPlace){0};
    if (!is_in_parts(run)) return checkpoint_read(&run->checkpoint, def, world, from);
    if (team_writes()) code = checkpoint_read(&run->checkpoint, def, world, from);
    team_follow(&code, sizeof code);
    team_follow(from, sizeof *from);
    if (!team_writes() && run->checkpoint.resume) tn_world_restore(world, NULL, 0, NULL);
    return code;
}

/* Everything that can fail comes before files are opened, so that a failure leaves none. `model`:
 * NULL where another process of the team has it. */
static int run_model(const TnModel *model, const RunOptions *run)
{
    TnError err = {0};
    TnWorldDef def = sim_world_def(&run->sim);
    def.measure_accuracy = run->accuracy;
    if (def.device != TN_DEVICE_CPU) def.log = tell_warning; /* of a device that fails */
    int code = model ? check_model(model, run, &def.key) : EXIT_FINE;
    if (is_in_parts(run)) team_follow(&code, sizeof code);
    if (code != EXIT_FINE) return code;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) {
        say("run", "%s", err.message);
        return code_of(&err);
    }
    if (!run->quiet) run_tell_overlaps(world);
    Outputs out = {.checkpoint = -1};
    RunResult result = {0};
    RunPlace from;
    code = resume(run, &def, world, &from);
    if (code != EXIT_FINE) {
        tn_world_destroy(world);
        return code;
    }
    bool logs = run->log.csv || run->log.npz;
    LogStart log_start = {.solver = def.solver.tolerance > 0,
                          .named_rows = run->checkpoint.path || run->checkpoint.resume,
                          .from = from.log};
    if (logs) out.log = log_open(&run->log, world, &log_start);
    out.log_failed = logs && !out.log;
    if (!out.log_failed) code = open_record(&out, run, world, &from.record);
    bool started = !team_any(out.log_failed || code != EXIT_FINE);
    if (started) {
        catch_interrupt();
        simulate(world, run, from.step, &out, &result);
        result.recorded = out.record.at.frame_count;
        if (!out.dump_failed) run_dump_end(&run->dump, result.totals.steps);
    }
    close_outputs(&out);
    /* a recording that broke off leaves the figures of the run true */
    if (started && !out.log_failed && run->json)
        print_json(world, run, &result);
    else if (started && !out.log_failed && !run->quiet)
        print_table(world, run, &result);
    if (started && run->quiet && !run->json && result.totals.unconverged && has_tolerance(run)) {
        char text[MISSED_SIZE];
        say("run", "steps not converged: %s", missed_steps(&result.totals, text));
    }
    if (result.totals.rough)
        say("run",
            "do not trust this run: %" PRId64 " of %" PRId64
            " steps have an error, or a contradiction between constraints, above gravity x "
            "timestep%s%s; what usually helps: %s",
            result.totals.rough, result.totals.steps,
            result.totals.worst[0] ? ", the worst at " : "", result.totals.worst,
            result.totals.help);
    run_energy_warn(&result.energy, tn_world_model(world));
    if (result.totals.diverged) tell_rejected(&result);
    tn_world_destroy(world);
    bool wrong = result.totals.diverged || (run->strict_energy && result.energy.wrong > 0);
    bool failed = has_failed(&out);
    return code != EXIT_FINE ? code
           : failed          ? EXIT_IO
           : wrong           ? EXIT_DIVERGED
           : interrupted     ? EXIT_INTERRUPTED + interrupted - TN_INTERRUPT
                             : EXIT_FINE;
}

/* Leaves out what a world in parts does not have; false and a message where it was asked for. */
static bool check_parts(RunOptions *run)
{
    bool *on = run->log.on;
    const char *lost = run->strict_energy                  ? "--strict-energy"
                       : run->dump.steps.count             ? "--dump-problem"
                       : on[LOG_FORCES]                    ? "--log forces"
                       : on[LOG_ENERGY] && run->log.groups ? "--log energy"
                                                           : NULL;
    if (!run->sim.spread) return true;
    if (lost)
        say("run",
            "%s: a world in parts (--decompose) does not have this; without --decompose it does",
            lost);
    on[LOG_ENERGY] = run->record.contacts = false;
    return !lost;
}

/* What the files may not be, and options that need others; false and a message. */
static bool check_paths(RunOptions *run)
{
    const RecordOptions *record = &run->record;
    if (!log_options_finish(&run->log, run->model_path) ||
        !checkpoint_check(&run->checkpoint, run->model_path))
        return false;
    if (log_to_stdout(&run->log) && run->json) {
        say("run", "--csv - and --json would both write to stdout; give --csv a file");
        return false;
    }
    if (!record->path) {
        const char *lost = record->append                   ? "--append"
                           : record->state                  ? "--record-state"
                           : !record->contacts              ? "--no-record-contacts"
                           : record->signals                ? "--record-signals"
                           : !record->small_signals         ? "--no-record-signals"
                           : record->fps > 0                ? "--record-fps"
                           : record->texture_megabytes >= 0 ? "--record-textures"
                                                            : NULL;
        if (lost) say("run", "%s needs --record FILE", lost);
        return !lost;
    }
    if (is_same_file(record->path, run->model_path)) {
        say("run", "--record: %s is the model itself", record->path);
        return false;
    }
    const char *logs[] = {run->log.csv, run->log.npz};
    for (int i = 0; i < 2; i++)
        if (logs[i] && (!strcmp(record->path, logs[i]) || is_same_file(record->path, logs[i]))) {
            say("run", "--record: %s is the %s file", record->path, i ? "NPZ" : "CSV");
            return false;
        }
    return true;
}

/* Another process of the team does; recordings are in parts, which all of them write. */
static void write_nothing(RunOptions *run)
{
    run->log = (LogOptions){.every = 1};
    run->dump.steps.count = 0;
    run->checkpoint.path = NULL;
}

int cmd_run(int argc, char **argv)
{
    RunOptions run = {.sim = sim_options(),
                      .accuracy = true,
                      .log = {.every = 1},
                      .record = {.contacts = true, .small_signals = true, .texture_megabytes = -1}};
    Option table[26 + SIM_OPTION_COUNT];
    int count = option_table(table, &run), code = EXIT_FINE;
    if (options_parse("run", table, count, print_help, "MODEL", &run.model_path, argc, argv,
                      &code)) {
        if (!sim_options_finish("run", &run.sim) || !check_paths(&run) || !check_parts(&run)) {
            code = EXIT_USAGE;
        } else {
            run.logs = run.log.csv || run.log.npz || run.dump.steps.count;
            run.saves = run.checkpoint.path;
            if (!team_writes()) write_nothing(&run);
            TnModel *model = is_in_parts(&run) ? team_load_first("run", run.model_path, &code)
                                               : team_load_model("run", run.model_path, &code);
            if (code == EXIT_FINE) code = run_model(model, &run);
            tn_model_destroy(model);
        }
    }
    number_list_free(&run.dump.steps);
    return code;
}
