/* tenon solve: the solver alone on problems from files, one solver or several on one file or many,
 * all judged by the same measures. */
#include "../common/app.h"
#include "../common/options.h"
#include "commands.h"
#include "platform/files.h"
#include "solve_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SolveOptions {
    SolveLimits limits;
    const char *solvers, *csv_path;
    bool all, json;
    TnMethod methods[TN_METHOD_CHOICES];
    int method_count;
} SolveOptions;

static int option_table(Option *table, SolveOptions *o)
{
    int n = 0;
    table[n++] = option_text("--solver", &o->solvers, "NAME",
                             "auto (default), subadmm, assembled (or fadmm), newton, pgs; or "
                             "several, as subadmm,pgs");
    table[n++] = option_set("--all", &o->all, "run every solver in turn, each from the same start");
    table[n++] = option_real("--tolerance", &o->limits.tolerance, "T", 0, 1e6, ENDS_LOWER_OPEN,
                             "error to reach, 0 < T <= 1e6; default 1e-8");
    table[n++] = option_int("--iterations", &o->limits.iterations, "N", 1, 1000000,
                            "maximum number of iterations, 1 ... 1000000; default 1000000");
    table[n++] =
        option_real("--time-limit", &o->limits.time_limit, "S", 0, 1e6, ENDS_LOWER_OPEN,
                    "seconds per file and solver, 0 < S <= 1e6; default 60; checked between "
                    "stages, so a run may take a little longer");
    table[n++] = option_int("--anderson", &o->limits.anderson, "N", -1, 16,
                            "depth of Anderson acceleration in SubADMM, 0 ... 16; 0: off; -1: as "
                            "in "
                            "tenon run; default 10");
    table[n++] = option_int("--threads", &o->limits.threads, "N", 1, 64,
                            "number of threads, 1 ... 64; default 1; the result is the same for "
                            "any "
                            "number");
    table[n++] =
        option_text("--csv", &o->csv_path, "FILE", "write a row per file and solver to a CSV file");
    table[n++] = option_set("--json", &o->json, "print one JSON object instead of the table");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon solve FILE ... [OPTIONS]\n\n"
        "Runs the solver alone on problems from files: blocks A v = b + J' lambda with contacts,\n"
        "joints and limits between them. A FILE is a step of a simulation ('tenon run MODEL\n"
        "--dump-problem K'), a file of your own in that format, or a frictional contact problem "
        "of\n"
        "Siconos (local, global or rolling). The format is detected; see docs/problem-files.md.\n");
    options_help(table, count);
    printf(
        "\nA problem is solved if it reaches the tolerance T, by the same rule for all solvers:\n"
        "  Siconos files   Siconos's error, computed from the symmetrized matrices of the file, "
        "is\n"
        "                  at most T: sqrt(sum |r - P(r - u)|^2) / max(|q|, |r|, |u|)\n"
        "  other files     the largest natural-map error of any constraint is at most T, as a\n"
        "                  fraction of the velocity scale: the natural-map error at lambda = 0,\n"
        "                  which is gravity x timestep for bodies at rest\n"
        "The solver's own tolerance is tightened in stages until that holds or a limit is "
        "reached.\n"
        "\nThe report has the accuracies AAc and AA\u03bb (-log10 of the RMS constraint error in "
        "m/s,\n"
        "at v and at the velocities that lambda implies), the natural-map error, the cone error,\n"
        "and the residual of A v = b + J' lambda.\n"
        "\nExit codes: 0 at least one solver reached the tolerance on every file; 1 not; 2 wrong\n"
        "usage; 3 a file is invalid; 4 a file cannot be read.\n"
        "\nExamples:\n"
        "  tenon run scenes/stir.xml --duration 1 --dump-problem 20\n"
        "  tenon solve stir-step20.tnp --solver subadmm --tolerance 1e-8 --json\n"
        "  tenon solve Capsules-i100-889.dat --all\n"
        "  tenon solve problems/*.dat --solver subadmm,pgs,assembled --csv out/solved.csv\n");
}

/* ---- which solvers ---- */

static bool add_solver(SolveOptions *o, const char *name, size_t length)
{
    const char *names[TN_METHOD_CHOICES];
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)(length < 31 ? length : 31), name);
    if (!strcmp(text, "fadmm")) snprintf(text, sizeof text, "assembled"); /* the paper's name */
    if (!strcmp(text, "pj") || !strcmp(text, "nnewton")) {
        say("solve", "--solver: '%s' is a solver of tenon-bench scene", text);
        return false;
    }
    for (int m = 0; m < TN_METHOD_CHOICES; m++) {
        names[m] = tn_method_name((TnMethod)m);
        if (strcmp(names[m], text)) continue;
        for (int i = 0; i < o->method_count; i++)
            if (o->methods[i] == (TnMethod)m) return true;
        o->methods[o->method_count++] = (TnMethod)m;
        return true;
    }
    const char *near = nearest_name(text, names, TN_METHOD_CHOICES);
    say("solve", "--solver: there is no '%s'%s%s%s", text, near ? "; did you mean '" : "",
        near ? near : "", near ? "'?" : "");
    return false;
}

static bool choose_solvers(SolveOptions *o)
{
    if (o->all && o->solvers) {
        say("solve", "--all runs every solver; remove --solver");
        return false;
    }
    if (o->all) {
        for (int m = 0; m < TN_METHOD_CHOICES; m++) o->methods[o->method_count++] = (TnMethod)m;
        return true;
    }
    for (const char *at = o->solvers ? o->solvers : "auto"; at;) {
        const char *comma = strchr(at, ',');
        if (!add_solver(o, at, comma ? (size_t)(comma - at) : strlen(at))) return false;
        at = comma ? comma + 1 : NULL;
    }
    return true;
}

/* ---- files ---- */

typedef struct Run {
    const SolveOptions *options;
    bool table; /* several rows */
    Json json;
    FILE *csv;
    int code; /* the first that went wrong */
    int files, solved_by_any;
    int solved[TN_METHOD_CHOICES]; /* files */
} Run;

static void tell(Run *run, const char *path, const TnProblemFileInfo *info,
                 const SolveOutcome *outcome)
{
    double tolerance = run->options->limits.tolerance;
    if (run->csv) solve_csv_row(run->csv, path, info, outcome);
    if (run->options->json) {
        json_begin_object(&run->json, NULL);
        solve_json(&run->json, path, info, tolerance, outcome);
        json_end(&run->json);
    } else if (run->table) {
        solve_print_row(path, outcome);
    } else {
        solve_print(path, info, tolerance, outcome);
    }
}

static void failed(Run *run, const char *path, const TnError *err)
{
    bool placed = !strncmp(err->message, path, strlen(path));
    fprintf(stderr, "%s%s%s\n", placed ? "" : path, placed ? "" : ": ",
            err->message[0] ? err->message : "no memory");
    if (run->code == EXIT_FINE || run->code == EXIT_DIVERGED)
        run->code = err->code == TN_ERROR_IO || err->code == TN_ERROR_MEMORY ? EXIT_IO : EXIT_MODEL;
}

static void solve_file(Run *run, const char *path)
{
    const SolveOptions *o = run->options;
    TnError err = {0};
    TnProblemFile *file = tn_problem_read(path, &err);
    if (!file) {
        failed(run, path, &err);
        return;
    }
    TnProblemFileInfo info = tn_problem_file_info(file);
    bool any = false;
    run->files++;
    for (int i = 0; i < o->method_count; i++) {
        SolveOutcome outcome;
        err = (TnError){0};
        if (!solve_in_stages(file, o->methods[i], &o->limits, &outcome, &err)) {
            failed(run, path, &err);
            break; /* the next solver would fail in the same way */
        }
        tell(run, path, &info, &outcome);
        run->solved[o->methods[i]] += outcome.reached;
        any |= outcome.reached;
    }
    run->solved_by_any += any;
    if (!any && run->code == EXIT_FINE) run->code = EXIT_DIVERGED;
    tn_problem_file_destroy(file);
}

/* How many files each solver brought to the tolerance. */
static void print_counts(Run *run)
{
    const SolveOptions *o = run->options;
    if (o->json) {
        json_begin_object(&run->json, "solved");
        for (int i = 0; i < o->method_count; i++)
            json_integer(&run->json, tn_method_name(o->methods[i]), run->solved[o->methods[i]]);
        json_integer(&run->json, "any", run->solved_by_any);
        json_end(&run->json);
        return;
    }
    printf("\nsolved to %g:", o->limits.tolerance);
    for (int i = 0; i < o->method_count; i++)
        printf(" %s %d%s", tn_method_name(o->methods[i]), run->solved[o->methods[i]],
               i + 1 < o->method_count ? "," : "");
    if (o->method_count > 1) printf("; any of them %d", run->solved_by_any);
    printf("; of %d file%s\n", run->files, run->files == 1 ? "" : "s");
}

static int solve_files(const SolveOptions *o, const char **paths, int path_count)
{
    Run run = {.options = o, .table = path_count * o->method_count > 1, .json = json_to(stdout)};
    if (o->csv_path) {
        errno = 0;
        if (!make_parent_folders(o->csv_path) || !(run.csv = tn_stream_open(o->csv_path, "w"))) {
            say("solve", "%s: cannot be written: %s", o->csv_path, strerror(errno ? errno : EIO));
            return EXIT_IO;
        }
        solve_csv_heading(run.csv);
    }
    if (o->json && run.table) {
        json_begin_object(&run.json, NULL);
        json_number(&run.json, "tolerance", o->limits.tolerance);
        json_begin_array(&run.json, "rows");
    } else if (run.table) {
        solve_print_heading();
    }
    for (int i = 0; i < path_count; i++) solve_file(&run, paths[i]);
    if (o->json && run.table) json_end(&run.json);
    if (run.table) print_counts(&run);
    if (o->json && run.table) json_end(&run.json);
    if (run.csv) {
        bool written = !ferror(run.csv);
        if (fclose(run.csv) != 0 || !written) {
            say("solve", "%s: cannot be written: %s", o->csv_path, strerror(errno ? errno : EIO));
            if (run.code == EXIT_FINE) run.code = EXIT_IO;
        }
    }
    return run.code;
}

int cmd_solve(int argc, char **argv)
{
    SolveOptions o = {
        .limits = {.tolerance = 1e-8, .time_limit = 60, .anderson = 10, .threads = 1}};
    Option table[16];
    int count = option_table(table, &o), path_count, code = EXIT_FINE;
    const char **paths = calloc((size_t)argc + 1, sizeof *paths);
    if (!paths) return EXIT_IO;
    if (options_parse_many("solve", table, count, print_help, "FILE", paths, argc, &path_count,
                           argc, argv, &code)) {
        code = choose_solvers(&o) ? EXIT_FINE : EXIT_USAGE;
        for (int i = 0; o.csv_path && i < path_count; i++)
            if (is_same_file(o.csv_path, paths[i])) {
                say("solve", "--csv: %s is one of the problem files", o.csv_path);
                code = EXIT_USAGE;
            }
        if (code == EXIT_FINE) code = solve_files(&o, paths, path_count);
    }
    free(paths);
    return code;
}
