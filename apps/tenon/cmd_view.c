/* tenon view: a window on a running simulation. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/totals.h"
#include "commands.h"
#include "platform/paths.h"
#include "window_options.h"

#include <string.h>

/* A model and what is made of it. */
typedef struct Shown {
    TnModel *model;
    TnWorld *world;
    TnScene *scene;
} Shown;

typedef struct ViewOptions {
    SimOptions sim;
    WindowOptions window;
    Shown now, before; /* before: what the window showed until the model was loaded again */
    TnSolverDef solver;
    char path[TN_PATH]; /* of a model that the window opened */
} ViewOptions;

enum { OWN_OPTIONS = 32 };

static int option_table(Option *table, ViewOptions *view)
{
    int n = 0;
    table[n++] = option_real("--speed", &view->window.viewer.speed, "X", 1.0 / 1024, 1024,
                             ENDS_CLOSED, "simulated seconds per second; default 1 (real time)");
    n = window_option_table(table, n, &view->window);
    int first = n;
    n = sim_option_table(table, n, &view->sim);
    for (int i = first; i < n; i++)
        if (!strcmp(table[i].name, "--duration"))
            table[i].help = "close the window after S simulated seconds; default: never";
    return n;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon view MODEL [OPTIONS]\n\n"
           "Simulates a model file (MJCF) and draws it live in a window. The simulation runs in\n"
           "real time if the machine is fast enough; otherwise the window shows how far behind it\n"
           "is. Watching does not change the simulation; pulling on bodies does.\n");
    viewer_print_help(false);
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon view scenes/stir.xml\n"
           "  tenon view robot.xml --key home --speed 0.25 --paused\n"
           "  tenon view robot.xml --color subsystem --contacts --forces\n"
           "  tenon view robot.xml --curves elbow.q0,elbow.ctrl\n"
           "  tenon view scenes/stir.xml --duration 2 --events events.jsonl\n");
}

static void shown_free(Shown *shown)
{
    tn_scene_destroy(shown->scene);
    if (shown->world) tn_world_destroy(shown->world);
    tn_model_destroy(shown->model);
    *shown = (Shown){0};
}

/* False, a message and an exit code where that fails; then there is nothing to free. */
static bool shown_load(const ViewOptions *view, Shown *shown, TnKeyId *key, int *code)
{
    TnError err = {0};
    TnWorldDef def = sim_world_def(&view->sim);
    *shown = (Shown){.model = load_model("view", view->window.input, NULL, code)};
    if (!shown->model) return false;
    *code = EXIT_USAGE;
    bool fine = find_key("view", shown->model, view->sim.key, &def.key);
    if (fine) {
        shown->world = tn_world_create(&def, shown->model, &err);
        if (shown->world) shown->scene = tn_scene_create_of(shown->world, &err);
        fine = shown->scene != NULL;
        *code = code_of(&err);
        if (!fine) say("view", "%s", err.message);
    }
    *key = def.key;
    if (!fine) shown_free(shown);
    return fine;
}

/* For the window. The old model lives until the next one: the window may still look at it. */
static bool load_again(void *context, const char *path, TnWorld **world, const TnScene **scene)
{
    ViewOptions *view = context, other = *view;
    Shown fresh;
    TnKeyId key;
    int code;
    if (path) { /* keyframes are those of the first model */
        other.window.input = path;
        other.sim.key = NULL;
    }
    if (!shown_load(&other, &fresh, &key, &code)) return false;
    if (path) {
        view->sim.key = NULL;
        snprintf(view->path, sizeof view->path, "%s", path);
        view->window.input = view->path;
    }
    shown_free(&view->before);
    view->before = view->now;
    view->now = fresh;
    *world = fresh.world;
    *scene = fresh.scene;
    return true;
}

static int view_scene(ViewOptions *view)
{
    TnError err = {0};
    const TnScene *scene = view->now.scene;
    TnFrame *frame = tn_frame_create(scene, &err);
    int code = EXIT_IO;
    if (!frame || tn_frame_capture(frame, view->now.world, NULL, false, &err) != TN_OK)
        say("view", "%s", err.message);
    else
        code = window_open("view", &view->window, scene, frame, NULL);
    tn_frame_destroy(frame);
    if (code != EXIT_FINE) return code;
    return viewer_run_world(&view->window.viewer, view->now.world, scene);
}

static int view_file(ViewOptions *view)
{
    int code = EXIT_FINE;
    ViewerDef *viewer = &view->window.viewer;
    if (!shown_load(view, &view->now, &viewer->key, &code)) return code;
    viewer->reload = load_again;
    viewer->context = view;
    viewer->file = view->window.input;
    view->solver = sim_world_def(&view->sim).solver;
    viewer->solver = &view->solver;
    if (view->sim.duration > 0)
        viewer->step_limit =
            steps_of(view->sim.duration, tn_model_info(view->now.model).option.timestep);
    code = view_scene(view);
    if (code == EXIT_DIVERGED) say("view", "the simulation diverged; the last good state was kept");
    shown_free(&view->before);
    shown_free(&view->now);
    return code;
}

int cmd_view(int argc, char **argv)
{
    ViewOptions view = {.sim = sim_options(), .window = window_options()};
    view.sim.duration = 0; /* until the window is closed */
    Option table[OWN_OPTIONS + WINDOW_OPTION_COUNT];
    int count = option_table(table, &view), code = EXIT_USAGE;
    if (options_parse("view", table, count, print_help, "MODEL", &view.window.input, argc, argv,
                      &code) &&
        picture_options_finish("view", &view.window.picture) &&
        sim_options_finish("view", &view.sim))
        code = view_file(&view);
    window_close(&view.window);
    return code;
}
