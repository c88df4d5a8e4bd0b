/* tenon view: a window on a running simulation. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/totals.h"
#include "commands.h"
#include "window_options.h"

#include <string.h>

typedef struct ViewOptions {
    SimOptions sim;
    WindowOptions window;
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
           "  tenon view scenes/stir.xml --duration 2 --events events.jsonl\n");
}

static int view_scene(ViewOptions *view, TnWorld *world, const TnScene *scene)
{
    TnError err = {0};
    TnFrame *frame = tn_frame_create(scene, &err);
    int code = EXIT_IO;
    if (!frame || tn_frame_capture(frame, world, NULL, false, &err) != TN_OK)
        say("view", "%s", err.message);
    else
        code = window_open("view", &view->window, scene, frame, NULL);
    tn_frame_destroy(frame);
    return code == EXIT_FINE ? viewer_run_world(&view->window.viewer, world, scene) : code;
}

static int view_world(ViewOptions *view, TnWorld *world)
{
    TnError err = {0};
    TnScene *scene = tn_scene_create_of(world, &err);
    int code = EXIT_IO;
    if (scene)
        code = view_scene(view, world, scene);
    else
        say("view", "%s", err.message);
    tn_scene_destroy(scene);
    return code;
}

static int view_model(ViewOptions *view, const TnModel *model)
{
    TnError err = {0};
    TnWorldDef def = sim_world_def(&view->sim);
    if (!find_key("view", model, view->sim.key, &def.key)) return EXIT_USAGE;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) {
        say("view", "%s", err.message);
        return code_of(&err);
    }
    view->window.viewer.key = def.key;
    if (view->sim.duration > 0)
        view->window.viewer.step_limit =
            steps_of(view->sim.duration, tn_model_info(model).option.timestep);
    int code = view_world(view, world);
    if (code == EXIT_DIVERGED) say("view", "the simulation diverged; the last good state was kept");
    tn_world_destroy(world);
    return code;
}

static int view_file(ViewOptions *view)
{
    int code = EXIT_FINE;
    TnModel *model = load_model("view", view->window.input, NULL, &code);
    if (model) code = view_model(view, model);
    tn_model_destroy(model);
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
