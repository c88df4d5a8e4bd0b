/* Problems of single steps; see run_dump.h. */
#include "run_dump.h"

#include "../common/app.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool run_dump_check(const DumpOptions *options, int64_t steps, double duration)
{
    const NumberList *list = &options->steps;
    if (options->path && list->count != 1) {
        say("run",
            list->count ? "--dump-to names one file, but --dump-problem has %d steps; remove "
                          "--dump-to to write one file per step"
                        : "--dump-to needs --dump-problem K",
            list->count);
        return false;
    }
    for (int i = 0; i < list->count; i++)
        if (list->values[i] > (double)steps) {
            say("run",
                "--dump-problem %.0f: the run has %" PRId64
                " steps, in %g s; make --duration longer",
                list->values[i], steps, duration);
            return false;
        }
    return true;
}

/* "scenes/stir.xml" → "stir-step200.tnp", here */
static void name_file(const char *model_path, int64_t step, char *out, size_t size)
{
    const char *slash = strrchr(model_path, '/');
    const char *name = slash ? slash + 1 : model_path, *dot = strrchr(name, '.');
    int length = (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
    snprintf(out, size, "%.*s-step%" PRId64 ".tnp", length, name, step);
}

static bool dump(const char *path, const TnWorld *world)
{
    TnError err = {0};
    TnSolverDef def = tn_solver_def();
    TnSolver *problem = tn_world_problem(world, &def, &err);
    bool written = false;
    if (problem && !make_parent_folders(path)) {
        say("run", "%s: cannot be written: %s", path, strerror(errno));
    } else if (problem) {
        tn_solver_start(problem, NULL, NULL); /* solvers are compared from nothing */
        written = tn_problem_write(problem, path, &err) == TN_OK;
        if (!written) say("run", "%s", err.message);
    } else {
        say("run", "--dump-problem: %s", err.message[0] ? err.message : "no memory");
    }
    tn_solver_destroy(problem);
    return written;
}

bool run_dump_step(const DumpOptions *options, const char *model_path, const TnWorld *world,
                   int64_t step)
{
    for (int i = 0; i < options->steps.count; i++) {
        char name[512];
        if (options->steps.values[i] != (double)step) continue;
        if (!options->path) name_file(model_path, step, name, sizeof name);
        return dump(options->path ? options->path : name, world);
    }
    return true;
}

void run_dump_end(const DumpOptions *options, int64_t steps)
{
    for (int i = 0; i < options->steps.count; i++)
        if (options->steps.values[i] > (double)steps)
            say("run", "--dump-problem %.0f: the run ended after %" PRId64 " steps; not written",
                options->steps.values[i], steps);
}
