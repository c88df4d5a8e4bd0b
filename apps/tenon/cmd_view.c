/* tenon view: a window on a running simulation. */
#include "app.h"
#include "options.h"

#ifdef TENON_HAS_VIEW

#include "../view/viewer.h"
#include "draw_options.h"
#include "totals.h"

#include <errno.h>
#include <string.h>

typedef struct ViewOptions {
    SimOptions sim;
    PictureOptions picture;
    ViewerDef viewer;
    const char *model_path, *events_path;
} ViewOptions;

enum { OWN_OPTIONS = 32 };

static int option_table(Option *table, ViewOptions *view)
{
    int n = 0;
    table[n++] = option_real("--speed", &view->viewer.speed, "X", 1.0 / 1024, 1024, ENDS_CLOSED,
                             "simulated seconds per second; default 1: real time");
    table[n++] = option_set("--paused", &view->viewer.paused, "do not run before Space is pressed");
    table[n++] = option_set("--fullscreen", &view->viewer.fullscreen, "take the whole screen");
    table[n++] = option_text("--screenshots", &view->viewer.screenshot_folder, "FOLDER",
                             "where P puts its pictures; default: here");
    table[n++] = option_text("--events", &view->events_path, "FILE",
                             "write what happens as lines of JSON; -: to stdout");
    table[n++] = option_real("--fps-limit", &view->viewer.fps_limit, "N", 0, 1000, ENDS_CLOSED,
                             "pictures per second at most; default 0: the screen's rate");
    table[n++] = option_clear("--no-vsync", &view->viewer.vsync, "do not wait for the screen");
    table[n++] = option_int("--iterations", &view->sim.solver.iterations, "N", 1, 1000000,
                            "solver iterations per step, 1 ... 1000000; default 60");
    int first = n;
    n = sim_option_table(table, n, &view->sim);
    for (int i = first; i < n; i++)
        if (!strcmp(table[i].name, "--duration"))
            table[i].help = "close the window after so many simulated seconds; default: never";
    return picture_option_table(table, n, &view->picture);
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon view MODEL [OPTIONS]\n\n"
           "Opens a window on a running simulation of a model file (MJCF). It keeps real time\n"
           "where the machine is fast enough, and says how far it is behind where it is not.\n"
           "Watching never changes the simulation: only pulling does.\n");
    viewer_print_help(false);
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon view scenes/stir.xml\n"
           "  tenon view robot.xml --key home --speed 0.25 --paused\n"
           "  tenon view robot.xml --color subsystem --contacts --forces\n"
           "  tenon view scenes/stir.xml --duration 2 --events events.jsonl\n");
}

/* The camera to start from; everything is there to look at now. */
static int choose_view(ViewOptions *view, const TnWorld *world, const TnScene *scene)
{
    TnError err = {0};
    ViewerDef *viewer = &view->viewer;
    TnFrame *frame = tn_frame_create(scene, &err);
    int code = EXIT_FINE;
    if (!frame || tn_frame_capture(frame, world, NULL, false, &err) != TN_OK) {
        say("view", "%s", err.message);
        code = EXIT_IO;
    } else if (!picture_camera("view", &view->picture, scene, &viewer->camera)) {
        code = EXIT_USAGE;
    } else {
        viewer->orbit =
            picture_orbit(&view->picture, scene, frame, (double)viewer->width / viewer->height);
    }
    tn_frame_destroy(frame);
    return code;
}

static int view_world(ViewOptions *view, TnWorld *world, const TnModel *model)
{
    TnError err = {0};
    char title[300];
    TnScene *scene = tn_scene_create(model, &err);
    if (!scene) {
        say("view", "%s", err.message);
        return code_of(&err);
    }
    snprintf(title, sizeof title, "tenon: %s", scene->name[0] ? scene->name : view->model_path);
    view->viewer.title = title;
    int code = choose_view(view, world, scene);
    if (code == EXIT_FINE && view->events_path) {
        bool to_stdout = !strcmp(view->events_path, "-");
        view->viewer.events = to_stdout ? stdout : fopen(view->events_path, "w");
        if (!view->viewer.events) {
            say("view", "%s: cannot be written: %s", view->events_path, strerror(errno));
            code = EXIT_IO;
        }
    }
    if (code == EXIT_FINE) code = viewer_run_world(&view->viewer, world, scene);
    if (view->viewer.events && view->viewer.events != stdout) fclose(view->viewer.events);
    tn_scene_destroy(scene);
    return code;
}

static int view_model(ViewOptions *view, const TnModel *model)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.thread_count = view->sim.threads;
    def.solver = view->sim.solver;
    if (!find_key("view", model, view->sim.key, &def.key)) return EXIT_USAGE;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) {
        say("view", "%s", err.message);
        return code_of(&err);
    }
    view->viewer.key = def.key;
    if (view->sim.duration > 0)
        view->viewer.step_limit =
            steps_of(view->sim.duration, tn_model_info(model).option.timestep);
    int code = view_world(view, world, model);
    if (code == EXIT_DIVERGED) say("view", "the simulation diverged; the last good state was kept");
    tn_world_destroy(world);
    return code;
}

static int view_file(ViewOptions *view)
{
    int code = EXIT_FINE;
    if (view->events_path && is_same_file(view->events_path, view->model_path)) {
        say("view", "--events: %s is the model itself", view->events_path);
        return EXIT_USAGE;
    }
    sim_options_finish(&view->sim);
    view->viewer.draw = view->picture.draw;
    view->viewer.width = view->picture.width;
    view->viewer.height = view->picture.height;
    TnModel *model = load_model("view", view->model_path, NULL, &code);
    if (model) code = view_model(view, model);
    tn_model_destroy(model);
    return code;
}

int cmd_view(int argc, char **argv)
{
    ViewOptions view = {.sim = sim_options(), .viewer = viewer_def()};
    view.picture = picture_options(view.viewer.width, view.viewer.height);
    view.sim.duration = 0; /* until the window is closed */
    Option table[OWN_OPTIONS + PICTURE_OPTION_COUNT];
    int count = option_table(table, &view), code = EXIT_USAGE;
    switch (options_parse("view", table, count, "MODEL", &view.model_path, argc, argv)) {
    case PARSE_HELP:
        print_help(table, count);
        code = EXIT_FINE;
        break;
    case PARSE_ERROR:
        break;
    case PARSE_OK:
        if (picture_options_finish("view", &view.picture)) code = view_file(&view);
        break;
    }
    picture_options_free(&view.picture);
    return code;
}

#else

int cmd_view(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    say("view",
        "this tenon was built without windows: install GLFW (libglfw3-dev) and build again; "
        "'tenon render' works without");
    return EXIT_IO;
}

#endif
