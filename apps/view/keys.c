/* keys.c: the table of keys. The same rows are obeyed, shown by F1 and printed by --help.
 *
 * A letter is the one that the keyboard's layout prints; keys whose sign has no meaning here count
 * by their place on a US keyboard. */
#include "window.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { IN_WORLD = 1, IN_RECORDING = 2, IN_BOTH = 3 };
enum { MODS_NONE = 0, MODS_SHIFT = GLFW_MOD_SHIFT, MODS_ANY = -1 };

typedef struct KeyRow {
    int key, last_key; /* a range where last_key > key */
    int other_key;     /* does the same; 0: none */
    int modifiers;     /* MODS_… */
    unsigned modes;
    bool repeats; /* also while it is held down */
    const char *label;
    const char *help;
    void (*action)(Viewer *viewer);
    /* instead, where one function serves several keys; `place` in the range from 0 */
    void (*choice)(Viewer *viewer, const struct KeyRow *row, int place);
    size_t option;    /* offset in DrawOptions, of toggle_option */
    const char *name; /* of that in events */
} KeyRow;

static void send(Viewer *viewer, SimulationCommandKind kind, double value)
{
    if (viewer->def.follow) {
        viewer_say(viewer, "a program runs this world; the window watches");
        return;
    }
    if (!simulation_command(viewer->simulation, kind, value))
        viewer_complain(viewer, "the simulation is busy; the key was ignored");
}

/* ---- time ---- */

static void toggle_pause(Viewer *viewer)
{
    if (viewer->simulation) {
        send(viewer, COMMAND_PAUSE, -1);
    } else {
        playback_pause(viewer->playback, !viewer->playback->paused);
        viewer_tell_playback(viewer, viewer->playback->paused ? "paused" : "running");
    }
}

static void step_forward(Viewer *viewer)
{
    if (viewer->simulation) {
        send(viewer, COMMAND_STEP, 0);
    } else {
        playback_step(viewer->playback, 1);
        viewer_tell_playback(viewer, "step");
    }
}

static void step_back(Viewer *viewer)
{
    if (viewer->simulation) {
        send(viewer, COMMAND_BACK, 0);
    } else {
        playback_step(viewer->playback, -1);
        viewer_tell_playback(viewer, "back");
    }
}

static void faster(Viewer *viewer) { viewer_set_speed(viewer, 2 * viewer->speed); }

static void slower(Viewer *viewer) { viewer_set_speed(viewer, 0.5 * viewer->speed); }

static void reset(Viewer *viewer)
{
    mouse_let_go(viewer);
    send(viewer, COMMAND_RESET, -1);
}

static void go_to_key(Viewer *viewer, int key)
{
    int count = tn_model_info(viewer->model).key_count;
    if (key < 1 || key > count) {
        viewer_complain(
            viewer, count ? "the model has keyframes 1 to %d" : "the model has no keyframe", count);
        return;
    }
    mouse_let_go(viewer);
    viewer->key = key;
    send(viewer, COMMAND_RESET, key);
}

static void choose_key(Viewer *viewer, const KeyRow *row, int place)
{
    (void)row;
    go_to_key(viewer, place + 1);
}

static void key_before(Viewer *viewer)
{
    int count = tn_model_info(viewer->model).key_count;
    go_to_key(viewer, viewer->key > 1 ? viewer->key - 1 : count);
}

static void key_after(Viewer *viewer)
{
    int count = tn_model_info(viewer->model).key_count;
    go_to_key(viewer, viewer->key < count ? viewer->key + 1 : 1);
}

static void first_frame(Viewer *viewer)
{
    playback_seek(viewer->playback, viewer->playback->info.start);
    viewer_tell_playback(viewer, "seek");
}

static void last_frame(Viewer *viewer)
{
    playback_seek(viewer->playback, viewer->playback->info.end);
    viewer_tell_playback(viewer, "seek");
}

static void toggle_loop(Viewer *viewer)
{
    viewer->playback->loop = !viewer->playback->loop;
    viewer_say(viewer, viewer->playback->loop ? "restarts at the end" : "stops at the end");
    event_begin(viewer->def.events, "loop");
    event_bool(viewer->def.events, "value", viewer->playback->loop);
    event_end(viewer->def.events);
}

/* ---- camera ---- */

/* The free camera and the model's in a ring. */
static void turn_cameras(Viewer *viewer, int by)
{
    int ring = viewer->scene->camera_count + 1;
    viewer_set_camera(viewer, (viewer->camera + 1 + by + ring) % ring - 1);
    if (ring == 1) viewer_say(viewer, "the model has no cameras");
}

static void camera_before(Viewer *viewer) { turn_cameras(viewer, -1); }

static void camera_after(Viewer *viewer) { turn_cameras(viewer, 1); }

static void escape(Viewer *viewer)
{
    mouse_let_go(viewer);
    if (viewer->selected) viewer_select(viewer, 0, NULL);
    if (viewer->camera >= 0) viewer_set_camera(viewer, -1);
    viewer->shows_help = false;
}

static void fit(Viewer *viewer)
{
    viewer->orbit = orbit_fit(viewer->scene, viewer->frame, viewer->draw.group_mask,
                              (double)viewer->width / viewer->height);
    viewer_set_camera(viewer, -1);
}

/* ---- drawing ---- */

static void tell_option(Viewer *viewer, const char *name, const char *words, bool value)
{
    viewer_say(viewer, "%s: %s", words, value ? "on" : "off");
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", name);
    event_bool(viewer->def.events, "value", value);
    event_end(viewer->def.events);
}

static void toggle_option(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    bool *option = (bool *)((char *)&viewer->draw + row->option);
    *option = !*option;
    tell_option(viewer, row->name, row->help, *option);
}

static void toggle_color(Viewer *viewer, const KeyRow *row, ColorMode mode)
{
    bool on = viewer->draw.color != mode;
    viewer->draw.color = on ? mode : COLOR_MODEL;
    if (viewer->simulation)
        simulation_command(viewer->simulation, COMMAND_STRESS,
                           viewer->draw.color == COLOR_STRESS ? 1 : 0);
    tell_option(viewer, row->name, row->help, on);
}

static void toggle_subsystems(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    toggle_color(viewer, row, COLOR_SUBSYSTEM);
}

static void toggle_stress(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    if (viewer->scene->surface_count == 0) {
        viewer_say(viewer, "there are no soft bodies");
        return;
    }
    toggle_color(viewer, row, COLOR_STRESS);
}

static void toggle_group(Viewer *viewer, const KeyRow *row, int place)
{
    (void)row;
    char name[16];
    viewer->draw.group_mask ^= 1u << place;
    snprintf(name, sizeof name, "group %d", place);
    tell_option(viewer, name, name, (viewer->draw.group_mask >> place) & 1u);
}

/* ---- window ---- */

static void toggle_help(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    viewer->shows_help = !viewer->shows_help;
    viewer->hint_until = 0;
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", row->name);
    event_bool(viewer->def.events, "value", viewer->shows_help);
    event_end(viewer->def.events);
}

static void toggle_info(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    viewer->shows_info = !viewer->shows_info;
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", row->name);
    event_bool(viewer->def.events, "value", viewer->shows_info);
    event_end(viewer->def.events);
}

static void toggle_signals(Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    if (viewer->signals.row_count == 0) {
        viewer_say(viewer, viewer->playback ? "the recording has no signals"
                                            : "the model has no joints, sensors or actuators");
        return;
    }
    viewer->signals.shown = !viewer->signals.shown;
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", row->name);
    event_bool(viewer->def.events, "value", viewer->signals.shown);
    event_end(viewer->def.events);
    if (viewer->signals.shown) signals_tell_place(viewer);
}

static void reload(Viewer *viewer) { viewer->wants_reload = true; }

static void save_keyframe(Viewer *viewer) { send(viewer, COMMAND_KEYFRAME, 0); }

static void full_screen(Viewer *viewer) { viewer_fullscreen(viewer); }

static void screenshot(Viewer *viewer)
{
    viewer->wants_screenshot = true; /* of the frame that the keys before led to */
}

static void quit(Viewer *viewer) { viewer->quit = true; }

/* ---- the table ---- */

#define HEADING(MODES, TEXT)                                                                       \
    {                                                                                              \
        .modes = (MODES), .label = (TEXT)                                                          \
    }
#define ROW(KEY, MODS, MODES, LABEL, HELP, ACTION)                                                 \
    {                                                                                              \
        .key = (KEY), .modifiers = (MODS), .modes = (MODES), .label = (LABEL), .help = (HELP),     \
        .action = (ACTION)                                                                         \
    }
#define ROW2(KEY, OTHER, MODS, MODES, LABEL, HELP, ACTION)                                         \
    {                                                                                              \
        .key = (KEY), .other_key = (OTHER), .modifiers = (MODS), .modes = (MODES),                 \
        .label = (LABEL), .help = (HELP), .action = (ACTION)                                       \
    }
#define RANGE(FIRST, LAST, MODS, MODES, LABEL, HELP, ACTION)                                       \
    {                                                                                              \
        .key = (FIRST), .last_key = (LAST), .modifiers = (MODS), .modes = (MODES),                 \
        .label = (LABEL), .help = (HELP), .choice = (ACTION)                                       \
    }
#define ARROW(KEY, LABEL, HELP, ACTION)                                                            \
    {                                                                                              \
        .key = (KEY), .modifiers = MODS_ANY /* Ctrl is held while a body is pulled */,             \
        .modes = IN_BOTH, .repeats = true, .label = (LABEL), .help = (HELP), .action = (ACTION)    \
    }
#define OPTION(KEY, LABEL, FIELD, HELP)                                                            \
    {                                                                                              \
        .key = (KEY), .modes = IN_BOTH, .label = (LABEL), .help = (HELP), .choice = toggle_option, \
        .option = offsetof(DrawOptions, FIELD), .name = #FIELD                                     \
    }
#define SWITCH(KEY, LABEL, NAME, HELP, ACTION)                                                     \
    {                                                                                              \
        .key = (KEY), .modes = IN_BOTH, .label = (LABEL), .help = (HELP), .choice = (ACTION),      \
        .name = (NAME)                                                                             \
    }

static const KeyRow table[] = {
    HEADING(IN_BOTH, "Time"),
    ROW(GLFW_KEY_SPACE, MODS_ANY, IN_BOTH, "Space", "pause, run", toggle_pause),
    ARROW(GLFW_KEY_RIGHT, "Right", "one step", step_forward),
    ARROW(GLFW_KEY_LEFT, "Left", "one step back", step_back),
    ROW2(GLFW_KEY_EQUAL, GLFW_KEY_KP_ADD, MODS_ANY, IN_BOTH, "+", "double the speed", faster),
    ROW2(GLFW_KEY_MINUS, GLFW_KEY_KP_SUBTRACT, MODS_ANY, IN_BOTH, "-", "halve the speed", slower),
    ROW(GLFW_KEY_BACKSPACE, MODS_NONE, IN_WORLD, "Backspace", "restart", reset),
    RANGE(GLFW_KEY_1, GLFW_KEY_9, MODS_NONE, IN_WORLD, "1 ... 9", "start from a keyframe",
          choose_key),
    ROW(GLFW_KEY_PAGE_UP, MODS_NONE, IN_WORLD, "Page Up", "previous keyframe", key_before),
    ROW(GLFW_KEY_PAGE_DOWN, MODS_NONE, IN_WORLD, "Page Down", "next keyframe", key_after),
    ROW(GLFW_KEY_HOME, MODS_NONE, IN_RECORDING, "Home", "first frame", first_frame),
    ROW(GLFW_KEY_END, MODS_NONE, IN_RECORDING, "End", "last frame", last_frame),
    ROW(GLFW_KEY_R, MODS_NONE, IN_RECORDING, "R", "repeat at the end", toggle_loop),

    HEADING(IN_BOTH, "Camera"),
    ROW(GLFW_KEY_LEFT_BRACKET, MODS_NONE, IN_BOTH, "[", "previous camera", camera_before),
    ROW(GLFW_KEY_RIGHT_BRACKET, MODS_NONE, IN_BOTH, "]", "next camera", camera_after),
    ROW2(GLFW_KEY_A, GLFW_KEY_HOME, MODS_NONE, IN_WORLD, "A, Home", "show everything", fit),
    ROW(GLFW_KEY_A, MODS_NONE, IN_RECORDING, "A", "show everything", fit),
    ROW(GLFW_KEY_ESCAPE, MODS_NONE, IN_BOTH, "Esc", "free camera, select nothing", escape),

    HEADING(IN_BOTH, "Drawing"),
    OPTION(GLFW_KEY_C, "C", contact_points, "contact points"),
    OPTION(GLFW_KEY_F, "F", contact_forces, "contact forces"),
    OPTION(GLFW_KEY_J, "J", joint_axes, "joint axes"),
    OPTION(GLFW_KEY_B, "B", frames, "body axes"),
    OPTION(GLFW_KEY_H, "H", hulls, "convex hulls"),
    OPTION(GLFW_KEY_T, "T", transparent, "transparent"),
    OPTION(GLFW_KEY_W, "W", wireframe, "wireframe"),
    SWITCH(GLFW_KEY_U, "U", "subsystem_colors", "colour by subsystem", toggle_subsystems),
    SWITCH(GLFW_KEY_X, "X", "stress_colors", "colour soft bodies by stress", toggle_stress),
    OPTION(GLFW_KEY_L, "L", labels, "body names"),
    OPTION(GLFW_KEY_V, "V", tendons, "tendons"),
    OPTION(GLFW_KEY_S, "S", shadows, "shadows"),
    OPTION(GLFW_KEY_G, "G", ground_grid, "ground grid"),
    OPTION(GLFW_KEY_K, "K", sky, "sky"),
    OPTION(GLFW_KEY_O, "O", fog, "fog"),
    RANGE(GLFW_KEY_0, GLFW_KEY_5, MODS_SHIFT, IN_BOTH, "Shift+0 ... 5", "a group of shapes",
          toggle_group),

    HEADING(IN_BOTH, "Window"),
    SWITCH(GLFW_KEY_F1, "F1", "help", "this help", toggle_help),
    SWITCH(GLFW_KEY_F2, "F2", "info", "figures and plots", toggle_info),
    SWITCH(GLFW_KEY_F3, "F3", "signals", "sliders and curves", toggle_signals),
    ROW(GLFW_KEY_F5, MODS_NONE, IN_WORLD, "F5", "load the model again", reload),
    ROW(GLFW_KEY_M, MODS_NONE, IN_WORLD, "M", "save as keyframe", save_keyframe),
    ROW(GLFW_KEY_F11, MODS_NONE, IN_BOTH, "F11", "full screen", full_screen),
    ROW2(GLFW_KEY_P, GLFW_KEY_F12, MODS_NONE, IN_BOTH, "P, F12", "save a picture (PNG)",
         screenshot),
    ROW(GLFW_KEY_Q, MODS_ANY, IN_BOTH, "Q, Ctrl+Q", "quit", quit),
};
enum { ROW_COUNT = sizeof table / sizeof table[0] };

static const HelpRow mouse_rows[] = {
    {"Left drag", "rotate the view"},
    {"Right drag", "move the view"},
    {"Wheel", "zoom"},
    {"Middle drag", "zoom"},
    {"Double click", "select a body"},
    {"Right double", "centre the view"},
    {"Click a name", "its curve (F3)"},
};
static const HelpRow world_mouse_rows[] = {
    {"Ctrl+right drag", "pull a body"},
    {"  with Shift", "in a horizontal plane"},
    {"Ctrl+left drag", "rotate a rigid body"},
    {"Drag a slider", "set a control or joint"},
};
static const HelpRow recording_mouse_rows[] = {
    {"Drag on the bar", "go to a time"},
};

static int add_rows(HelpRow *rows, int count, const HelpRow *more, int more_count)
{
    for (int i = 0; i < more_count && count < HELP_ROOM; i++) rows[count++] = more[i];
    return count;
}

int keys_help(bool recording, HelpRow rows[HELP_ROOM])
{
    int count = 0;
    rows[count++] = (HelpRow){"Mouse", NULL};
    count = add_rows(rows, count, mouse_rows, sizeof mouse_rows / sizeof *mouse_rows);
    if (recording)
        count = add_rows(rows, count, recording_mouse_rows, 1);
    else
        count = add_rows(rows, count, world_mouse_rows,
                         sizeof world_mouse_rows / sizeof *world_mouse_rows);
    for (int i = 0; i < ROW_COUNT && count < HELP_ROOM; i++)
        if (table[i].modes & (recording ? IN_RECORDING : IN_WORLD))
            rows[count++] = (HelpRow){table[i].label, table[i].help};
    return count;
}

void viewer_print_help(bool recording)
{
    HelpRow rows[HELP_ROOM];
    int count = keys_help(recording, rows);
    for (int i = 0; i < count; i++) {
        if (rows[i].text)
            printf("  %-16s %s\n", rows[i].label, rows[i].text);
        else
            printf("\n%s:\n", rows[i].label);
    }
}

/* The key that the layout prints, where its sign means something here. */
static int meant_key(int key, int scancode)
{
    if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_EQUAL) return key;
    const char *sign = glfw.GetKeyName(key, scancode);
    if (!sign || !sign[0] || sign[1]) return key;
    if (sign[0] >= 'a' && sign[0] <= 'z') return GLFW_KEY_A + (sign[0] - 'a');
    static const struct {
        char sign;
        int key;
    } signs[] = {{'+', GLFW_KEY_EQUAL},
                 {'=', GLFW_KEY_EQUAL},
                 {'-', GLFW_KEY_MINUS},
                 {'[', GLFW_KEY_LEFT_BRACKET},
                 {']', GLFW_KEY_RIGHT_BRACKET}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (sign[0] == signs[i].sign) return signs[i].key;
    return key;
}

static bool row_has_key(const KeyRow *row, int key)
{
    if (key == row->key || (row->other_key && key == row->other_key)) return true;
    return row->last_key > row->key && key >= row->key && key <= row->last_key;
}

void keys_press(Viewer *viewer, int key, int scancode, int modifiers, bool repeated)
{
    unsigned mode = viewer->playback ? IN_RECORDING : IN_WORLD;
    key = meant_key(key, scancode);
    modifiers &= GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    for (int i = 0; i < ROW_COUNT; i++) {
        const KeyRow *row = &table[i];
        if ((!row->action && !row->choice) || !(row->modes & mode) || !row_has_key(row, key))
            continue;
        if (row->modifiers != MODS_ANY && row->modifiers != modifiers) continue;
        if (repeated && !row->repeats) return;
        event_begin(viewer->def.events, "key");
        event_text(viewer->def.events, "key", row->label);
        event_end(viewer->def.events);
        if (row->choice)
            row->choice(viewer, row, key - row->key);
        else
            row->action(viewer);
        viewer->redraw = true;
        return;
    }
}
