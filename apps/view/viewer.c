/* viewer.c: makes the window, and goes round: events, the newest frame, a picture.
 *
 * A picture is drawn when there is something new to see, and at most at the screen's rate: without
 * that, a driver that does not wait for the screen would take the processor from the simulation. */
#include "../common/app.h"
#include "../render/system.h"
#include "window.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double hint_seconds = 8, idle_seconds = 0.25;

/* Set by Ctrl-C; the one thing a signal handler may do. */
static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

ViewerDef viewer_def(void)
{
    return (ViewerDef){.title = "tenon",
                       .width = 1280,
                       .height = 720,
                       .vsync = true,
                       .speed = 1,
                       .draw = draw_options(),
                       .camera = -1,
                       .screenshot_folder = "."};
}

/* ---- the window's own events ---- */

static Viewer *viewer_of(GLFWwindow *window) { return glfw.GetWindowUserPointer(window); }

static UiKey panel_key(int key, int modifiers)
{
    switch (key) {
    case GLFW_KEY_ENTER:
    case GLFW_KEY_KP_ENTER:
        return UI_KEY_ENTER;
    case GLFW_KEY_ESCAPE:
        return UI_KEY_ESCAPE;
    case GLFW_KEY_TAB:
        return modifiers & GLFW_MOD_SHIFT ? UI_KEY_BACK_TAB : UI_KEY_TAB;
    case GLFW_KEY_LEFT:
        return UI_KEY_LEFT;
    case GLFW_KEY_RIGHT:
        return UI_KEY_RIGHT;
    case GLFW_KEY_BACKSPACE:
        return UI_KEY_BACKSPACE;
    default:
        return UI_KEY_OTHER;
    }
}

static void on_key(GLFWwindow *window, int key, int scancode, int action, int modifiers)
{
    if (action == GLFW_RELEASE) return;
    UiEvent event = {.kind = UI_KEY, .key = panel_key(key, modifiers)};
    if (panels_event(viewer_of(window), event)) return;
    keys_press(viewer_of(window), key, scancode, modifiers, action == GLFW_REPEAT);
}

static void on_button(GLFWwindow *window, int button, int action, int modifiers)
{
    mouse_button(viewer_of(window), button, action == GLFW_PRESS, modifiers);
}

static void on_cursor(GLFWwindow *window, double x, double y)
{
    Viewer *viewer = viewer_of(window);
    mouse_move(viewer, x * viewer->pixels_per_unit[0], y * viewer->pixels_per_unit[1]);
}

static void on_wheel(GLFWwindow *window, double right, double up)
{
    (void)right;
    mouse_wheel(viewer_of(window), up);
}

static void on_letter(GLFWwindow *window, unsigned letter)
{
    panels_event(viewer_of(window), (UiEvent){.kind = UI_LETTER, .letter = letter});
}

static void on_drop(GLFWwindow *window, int count, const char **paths)
{
    if (count > 0) viewer_open(viewer_of(window), paths[0]);
}

static void on_refresh(GLFWwindow *window) { viewer_of(window)->redraw = true; }

static void measure_window(Viewer *viewer)
{
    int width, height, units_x, units_y;
    float scale_x = 1, scale_y = 1;
    glfw.GetFramebufferSize(viewer->window, &width, &height);
    glfw.GetWindowSize(viewer->window, &units_x, &units_y);
    glfw.GetWindowContentScale(viewer->window, &scale_x, &scale_y);
    if (width > 0 && height > 0) { /* else it is minimized: the last size stays */
        viewer->width = width;
        viewer->height = height;
    }
    viewer->pixels_per_unit[0] = units_x > 0 ? (double)viewer->width / units_x : 1;
    viewer->pixels_per_unit[1] = units_y > 0 ? (double)viewer->height / units_y : 1;
    viewer->scale = fmaxf(scale_x, 0.5f);
}

static void on_size(GLFWwindow *window, int width, int height)
{
    Viewer *viewer = viewer_of(window);
    if (width < 1 || height < 1) return;
    measure_window(viewer);
    viewer->redraw = true;
    event_begin(viewer->def.events, "resize");
    event_integer(viewer->def.events, "width", viewer->width);
    event_integer(viewer->def.events, "height", viewer->height);
    event_end(viewer->def.events);
}

static void on_scale(GLFWwindow *window, float x, float y)
{
    (void)x;
    (void)y;
    measure_window(viewer_of(window));
}

static void wake(void) { glfw.PostEmptyEvent(); }

/* ---- from the simulation ---- */

static const char *notice_name(NoticeKind kind)
{
    switch (kind) {
    case NOTICE_PAUSED:
        return "paused";
    case NOTICE_RUNNING:
        return "running";
    case NOTICE_STEP:
        return "step";
    case NOTICE_BACK:
        return "back";
    case NOTICE_NO_BACK:
        return "no_back";
    case NOTICE_SPEED:
        return "speed";
    case NOTICE_RESET:
        return "reset";
    case NOTICE_DIVERGED:
        return "diverged";
    case NOTICE_FINISHED:
        return "finished";
    case NOTICE_SET:
        return "set";
    case NOTICE_KEYFRAME:
        return "state";
    case NOTICE_PHYSICS:
        return "physics";
    case NOTICE_REFUSED:
        return "refused";
    }
    return "";
}

static void read_notice(Viewer *viewer, const Notice *notice)
{
    FILE *out = viewer->def.events;
    event_begin(out, notice_name(notice->kind));
    event_number(out, "time", notice->time);
    event_integer(out, "step", notice->step);
    event_hash(out, "hash", notice->hash);
    if (notice->kind == NOTICE_SPEED) event_number(out, "speed", notice->speed);
    if (notice->kind == NOTICE_RESET) event_integer(out, "key", notice->key);
    if (notice->kind == NOTICE_REFUSED) event_text(out, "why", notice->text);
    event_end(out);
    viewer->redraw = true;
    if (notice->kind == NOTICE_STEP && notice->pulling)
        mouse_tell_pull(viewer, notice->pull_force, notice->pull_torque, notice->pull_at,
                        notice->time);
    if (notice->kind == NOTICE_NO_BACK) viewer_say(viewer, "no earlier state is stored");
    if (notice->kind == NOTICE_DIVERGED) viewer->ever_diverged = true;
    if (notice->kind == NOTICE_FINISHED) viewer->quit = true;
    if (notice->kind == NOTICE_REFUSED) viewer_complain(viewer, "%s", notice->text);
    if (notice->kind == NOTICE_KEYFRAME) viewer_save_keyframe(viewer);
    if (notice->kind == NOTICE_RESET) {
        if (notice->key)
            viewer_say(viewer, "start from keyframe %d '%s'", (int)notice->key,
                       tn_model_key_name(viewer->model, notice->key));
        else
            viewer_say(viewer, "start from the reference pose");
    }
}

/* Takes what is new; false where the recording cannot be read. */
static bool take_news(Viewer *viewer, double seconds)
{
    if (viewer->playback) {
        TnError err = {0};
        bool moves = !viewer->playback->paused;
        if (playback_advance(viewer->playback, seconds))
            viewer_tell_playback(viewer, viewer->playback->paused ? "ended" : "looped");
        viewer->redraw |= moves;
        if (!viewer->redraw) return true;
        const TnFrame *frame = playback_frame(viewer->playback, &err);
        if (!frame) {
            say("replay", "%s", err.message);
            return false;
        }
        viewer->frame = frame;
        if (moves) panels_sample(viewer);
        return true;
    }
    if (viewer->def.follow && follow_state(viewer->def.follow) >= FOLLOW_ENDING)
        viewer->quit = true;
    Notice notice;
    while (simulation_notice(viewer->simulation, &notice)) read_notice(viewer, &notice);
    if (simulation_take(viewer->simulation, &viewer->frame, &viewer->status)) {
        viewer->redraw = true;
        panels_sample(viewer);
        curves_sample(&viewer->signals, viewer->frame);
    }
    double now = glfw.GetTime();
    if (viewer->status.pulling && !viewer->status.paused && now - viewer->mouse.told_time > 0.1) {
        const SimulationStatus *s = &viewer->status;
        viewer->mouse.told_time = now;
        if (viewer->mouse.pull.kind != PULL_NONE)
            mouse_tell_pull(viewer, s->pull_force, s->pull_torque, s->pull_at, viewer->frame->time);
    }
    return true;
}

/* ---- another model ---- */

static bool start_simulation(Viewer *viewer, TnWorld *world, bool paused)
{
    TnError err = {0};
    SimulationDef sim = simulation_def();
    sim.key = viewer->key;
    sim.speed = viewer->speed;
    sim.paused = paused;
    sim.step_limit = viewer->def.step_limit;
    sim.stress = viewer->draw.color == COLOR_STRESS;
    sim.wake = wake;
    sim.follow = viewer->def.follow;
    sim.solver = viewer->def.solver;
    viewer->world = world;
    viewer->model = tn_world_model(world);
    viewer->simulation = simulation_start(&sim, world, viewer->scene, &err);
    if (viewer->simulation)
        simulation_take(viewer->simulation, &viewer->frame, &viewer->status);
    else
        say("view", "%s", err.message);
    return viewer->simulation != NULL;
}

static void start_curves(Viewer *viewer)
{
    const char *names = viewer->def.curves ? viewer->def.curves : "";
    while (*names) {
        size_t length = strcspn(names, ",");
        int signal = signals_find(viewer->scene, names, length);
        if (signal >= 0) signals_toggle_curve(viewer, signal);
        names += length + (names[length] == ',');
    }
}

/* What was drawn of the old model has its curves by name in the new one. */
static bool take_scene(Viewer *viewer, const TnScene *scene, char *error, size_t size)
{
    Renderer *renderer = renderer_create(scene, glfw.GetProcAddress, error, size);
    Signals signals;
    if (!renderer) return false;
    if (!signals_create(&signals, scene, viewer->model)) {
        snprintf(error, size, "no memory");
        signals_free(&signals);
        renderer_destroy(renderer);
        return false;
    }
    for (int i = 0; i < viewer->signals.curve_count; i++) {
        const char *name = viewer->scene->signals[viewer->signals.curves[i].signal].name;
        int signal = signals_find(scene, name, strlen(name));
        if (signal >= 0) curves_toggle(&signals, signal, NULL);
    }
    signals.shown = viewer->signals.shown;
    signals_free(&viewer->signals);
    renderer_destroy(viewer->renderer);
    viewer->signals = signals;
    viewer->renderer = renderer;
    viewer->scene = scene;
    if (viewer->camera >= scene->camera_count) viewer->camera = -1;
    return true;
}

/* The masses of the model; where there is no memory they are not shown. */
static void take_masses(Viewer *viewer)
{
    free(viewer->masses);
    viewer->masses = viewer->model ? mass_boxes(viewer->model) : NULL;
    viewer->draw.masses = viewer->masses;
}

/* The window shows another model: its name, all of it, from the reference pose. */
static void begin_file(Viewer *viewer, const char *path)
{
    char title[300];
    const char *name = viewer->scene->name;
    snprintf(title, sizeof title, "tenon: %.250s", name[0] ? name : tn_path_name(path));
    glfw.SetWindowTitle(viewer->window, title);
    viewer->key = 0;
    viewer->camera = -1;
    viewer->draw.group_mask = default_groups(viewer->scene);
    viewer->orbit = orbit_fit(viewer->scene, viewer->frame, viewer->draw.group_mask,
                              (double)viewer->width / viewer->height);
    recent_add(&viewer->recent, path);
}

/* Loads the model again, or another one; the window and the options stay. False where nothing is
 * left to show. */
static bool reload(Viewer *viewer)
{
    TnWorld *world = viewer->world;
    const TnScene *scene = viewer->scene;
    const char *path = viewer->wanted_file[0] ? viewer->wanted_file : NULL;
    bool paused = viewer->status.paused;
    char error[512] = "";
    viewer->wants_reload = false;
    mouse_let_go(viewer);
    if (!viewer->def.reload) return true;
    film_end(viewer);
    simulation_stop(viewer->simulation);
    viewer->simulation = NULL;
    bool loaded = viewer->def.reload(viewer->def.context, path, &world, &scene);
    if (loaded) {
        viewer->selected = viewer->draw.selected = 0;
        viewer->key =
            tn_model_info(tn_world_model(world)).key_count >= viewer->key ? viewer->key : 0;
        viewer->model = tn_world_model(world);
        viewer->residuals.count = viewer->contacts.count = viewer->factors.count = 0;
        viewer->profile.count = 0;
        if (!take_scene(viewer, scene, error, sizeof error)) {
            say("view", "%s", error);
            return false;
        }
        take_masses(viewer);
    }
    if (loaded && path) viewer->key = 0;
    if (!start_simulation(viewer, world, paused)) return false;
    if (loaded && path) begin_file(viewer, path);
    if (loaded)
        viewer_say(viewer, path ? "%s" : "the model was loaded again", path);
    else
        viewer_complain(viewer, "the %s has errors, see the terminal; the old one stays",
                        path ? "file" : "model");
    event_begin(viewer->def.events, path ? "open" : "reload");
    if (path) event_text(viewer->def.events, "path", path);
    event_bool(viewer->def.events, "value", loaded);
    event_end(viewer->def.events);
    viewer->wanted_file[0] = '\0';
    return true;
}

/* ---- the round ---- */

static void draw_window(Viewer *viewer)
{
    View view = viewer_view(viewer);
    DrawOptions draw = viewer_options(viewer);
    renderer_draw(viewer->renderer, viewer->frame, &view, &draw, 0, viewer->width, viewer->height);
    panels_draw(viewer, &view, PANELS_ALL, 0);
    glfw.SwapBuffers(viewer->window);
    viewer->drawn++;
    viewer->redraw = false;
}

static double picture_interval(const Viewer *viewer)
{
    if (viewer->def.fps_limit > 0) return 1 / viewer->def.fps_limit;
    GLFWmonitor *monitor = glfw.GetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfw.GetVideoMode(monitor) : NULL;
    int rate = mode && mode->refreshRate > 0 ? mode->refreshRate : 60;
    /* a little faster than the screen, so that the screen sets the pace where it can */
    return 1.0 / (rate + 1);
}

static void tell_frames(Viewer *viewer, double seconds, int64_t drawn)
{
    FILE *out = viewer->def.events;
    viewer->fps = (double)drawn / seconds;
    event_begin(out, "frames");
    event_integer(out, "drawn", viewer->drawn);
    event_number(out, "per_second", viewer->fps);
    event_number(out, "time", viewer->frame->time);
    if (viewer->simulation) {
        event_number(out, "real_time_factor", viewer->status.real_time_factor);
        event_integer(out, "step", viewer->status.step);
    }
    event_end(out);
}

static bool go_round(Viewer *viewer)
{
    double start = glfw.GetTime(), last = start, due = start, second = start, last_draw = -1;
    int64_t drawn = 0;
    double interval = picture_interval(viewer);
    viewer->redraw = true;
    while (!viewer->quit && !interrupted && !glfw.WindowShouldClose(viewer->window)) {
        double now = glfw.GetTime();
        pad_update(viewer, now - last);
        pad_update(viewer, now - last);
        if (!take_news(viewer, now - last)) return false;
        last = now;
        if (viewer->wants_screenshot) viewer_screenshot(viewer);
        film_sample(viewer);
        if (viewer->wants_reload && !reload(viewer)) return false;
        if (viewer->playback && viewer->def.duration > 0 && now - start >= viewer->def.duration)
            break;
        if (now - last_draw > idle_seconds) viewer->redraw = true; /* messages fade */
        if (viewer->redraw && now >= due) {
            draw_window(viewer);
            last_draw = now;
            due = fmax(due + interval, glfw.GetTime()); /* late pictures are not made up for */
        }
        now = glfw.GetTime();
        if (now - second >= 1) {
            tell_frames(viewer, now - second, viewer->drawn - drawn);
            second = now;
            drawn = viewer->drawn;
        }
        bool moves = viewer->redraw || (viewer->playback && !viewer->playback->paused) ||
                     viewer->pad.on || viewer->reel.film;
        double wait = viewer->redraw || (moves && due > now) ? due - now
                      : moves                                ? interval
                                                             : idle_seconds;
        viewer->poll_time = now;
        if (wait > 1e-4)
            glfw.WaitEventsTimeout(wait);
        else
            glfw.PollEvents();
    }
    return true;
}

/* ---- beginning and end ---- */

static bool open_window(Viewer *viewer, const char *command)
{
    const ViewerDef *def = &viewer->def;
    char why[256];
    viewer->window = glfw_window(def->width, def->height, def->title, true, why, sizeof why);
    if (!viewer->window) {
        say(command, "cannot open a window with OpenGL 3.3: %s; 'tenon render' needs no window",
            why);
        return false;
    }
    GLFWwindow *window = viewer->window;
    glfw.MakeContextCurrent(window);
    glfw.SwapInterval(def->vsync);
    glfw.SetWindowUserPointer(window, viewer);
    measure_window(viewer);
    glfw.SetKeyCallback(window, on_key);
    glfw.SetCharCallback(window, on_letter);
    glfw.SetDropCallback(window, on_drop);
    glfw.SetMouseButtonCallback(window, on_button);
    glfw.SetCursorPosCallback(window, on_cursor);
    glfw.SetScrollCallback(window, on_wheel);
    glfw.SetWindowRefreshCallback(window, on_refresh);
    glfw.SetFramebufferSizeCallback(window, on_size);
    glfw.SetWindowContentScaleCallback(window, on_scale);
    if (def->fullscreen) viewer_fullscreen(viewer);
    return true;
}

static bool prepare(Viewer *viewer, const char *command)
{
    char error[512] = "";
    if (!glfw_load(error, sizeof error)) {
        say(command, "no window: %s; 'tenon render' and 'tenon export' need none", error);
        return false;
    }
    viewer->has_glfw = glfw_begin(error, sizeof error);
    if (!viewer->has_glfw) {
        say(command, "no display: set DISPLAY, or use 'tenon render', which needs no display");
        say(command, "%s", error);
        return false;
    }
    if (!open_window(viewer, command)) return false;
    viewer->renderer = renderer_create(viewer->scene, glfw.GetProcAddress, error, sizeof error);
    if (viewer->renderer)
        viewer->overlay = overlay_create(glfw.GetProcAddress, error, sizeof error);
    if (!viewer->overlay) say(command, "%s", error);
    bool fine = viewer->overlay != NULL;
    if (fine && !signals_create(&viewer->signals, viewer->scene, viewer->model)) {
        say(command, "no memory for the signals");
        fine = false;
    }
    take_masses(viewer);
    recent_load(&viewer->recent);
    if (viewer->def.file) recent_add(&viewer->recent, viewer->def.file);
    return fine;
}

static void put_away(Viewer *viewer)
{
    film_end(viewer);
    free(viewer->masses);
    signals_free(&viewer->signals);
    overlay_destroy(viewer->overlay);
    renderer_destroy(viewer->renderer);
    if (viewer->window) glfw.DestroyWindow(viewer->window);
    if (viewer->has_glfw) glfw_end();
}

static Viewer start_viewer(const ViewerDef *def, const TnScene *scene)
{
    Viewer viewer = {.def = *def,
                     .scene = scene,
                     .speed = def->speed,
                     .key = def->key,
                     .draw = def->draw,
                     .orbit = def->orbit,
                     .camera = def->camera,
                     .shows_menus = true,
                     .scale = 1};
    viewer.mouse.click_time = -10;
    viewer.mouse.click_button = -1;
    return viewer;
}

static void tell_started(Viewer *viewer)
{
    FILE *out = viewer->def.events;
    viewer->hint_until = glfw.GetTime() + hint_seconds;
    event_begin(out, "started");
    event_text(out, "name", viewer->scene->name);
    event_text(out, "driver", renderer_driver(viewer->renderer));
    event_integer(out, "width", viewer->width);
    event_integer(out, "height", viewer->height);
    event_number(out, "time", viewer->frame->time);
    event_bool(out, "paused", viewer->def.paused);
    if (viewer->playback) {
        event_integer(out, "frames", viewer->playback->info.frame_count);
        event_number(out, "end", viewer->playback->info.end);
        event_bool(out, "cut_off", viewer->playback->info.cut_off);
    }
    event_end(out);
}

/* Until the window is closed; then what was there before is right again. */
static bool go_round_until_interrupt(Viewer *viewer)
{
    bool watches =
        viewer->def.follow != NULL; /* then Ctrl-C is for the thread that runs the world */
    interrupted = 0;
    if (watches)
        follow_set(viewer->def.follow, FOLLOW_OPEN);
    else
        system_catch_interrupt(on_interrupt);
    tell_started(viewer);
    start_curves(viewer);
    bool fine = go_round(viewer);
    if (!watches) system_release_interrupt();
    return fine;
}

int viewer_run_world(const ViewerDef *def, TnWorld *world, const TnScene *scene)
{
    Viewer viewer = start_viewer(def, scene);
    viewer.model = tn_world_model(world);
    bool fine = prepare(&viewer, "view") && start_simulation(&viewer, world, def->paused);
    if (fine) fine = go_round_until_interrupt(&viewer);
    bool has_run = viewer.simulation != NULL && !def->follow;
    simulation_stop(viewer.simulation);
    if (has_run) {
        event_begin(def->events, "quit");
        event_number(def->events, "time", tn_world_state(viewer.world).time);
        event_hash(def->events, "hash", tn_world_hash(viewer.world));
        event_bool(def->events, "diverged", viewer.ever_diverged);
        event_end(def->events);
    }
    put_away(&viewer);
    return !fine                  ? EXIT_IO
           : viewer.ever_diverged ? EXIT_DIVERGED
           : interrupted          ? EXIT_INTERRUPTED
                                  : EXIT_FINE;
}

int viewer_run_recording(const ViewerDef *def, TnRecording *recording)
{
    Viewer viewer = start_viewer(def, tn_recording_scene(recording));
    Playback playback;
    TnError err = {0};
    if (!playback_create(&playback, recording, &err)) {
        say("replay", "%s", err.message);
        return EXIT_IO;
    }
    playback.speed = def->speed;
    playback.paused = def->paused;
    playback.loop = def->loop;
    viewer.playback = &playback;
    viewer.frame = playback.before;
    bool fine = prepare(&viewer, "replay");
    if (fine) {
        fine = go_round_until_interrupt(&viewer);
        event_begin(def->events, "quit");
        event_number(def->events, "time", playback.time);
        event_end(def->events);
    }
    put_away(&viewer);
    playback_free(&playback);
    return !fine ? EXIT_IO : interrupted ? EXIT_INTERRUPTED : EXIT_FINE;
}
