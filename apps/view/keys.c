/* keys.c: the table of keys. The same rows are obeyed, shown by F1, printed by --help and make the
 * menus.
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
    /* of what can be on: it has a check mark in the menus */
    bool (*is_on)(const Viewer *viewer, const struct KeyRow *row, int place);
    size_t option;    /* offset in DrawOptions or in Viewer, or a mode */
    const char *name; /* of that in events */
    /* of a range: the place's own name, or NULL: there is none */
    const char *(*place_name)(const Viewer *viewer, int place, char *buffer, size_t size);
    void (*more)(Viewer *viewer); /* of a heading: what else is in its menu */
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

static bool loop_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)row, (void)place;
    return viewer->playback->loop;
}

static void toggle_loop(Viewer *viewer, const KeyRow *row, int place)
{
    viewer->playback->loop = !loop_is_on(viewer, row, place);
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

static bool option_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    return *(const bool *)((const char *)&viewer->draw + row->option);
}

static void toggle_option(Viewer *viewer, const KeyRow *row, int place)
{
    if (row->option == offsetof(DrawOptions, inertia) ||
        row->option == offsetof(DrawOptions, mass_centers)) {
        if (!viewer->draw.masses) {
            viewer_say(viewer, "a recording has no masses");
            return;
        }
    }
    bool on = !option_is_on(viewer, row, place);
    *(bool *)((char *)&viewer->draw + row->option) = on;
    tell_option(viewer, row->name, row->help, on);
}

static bool color_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    return (size_t)viewer->draw.color == row->option;
}

static void toggle_color(Viewer *viewer, const KeyRow *row, int place)
{
    bool on = !color_is_on(viewer, row, place);
    if (row->option == COLOR_STRESS && viewer->scene->surface_count == 0) {
        viewer_say(viewer, "there are no soft bodies");
        return;
    }
    viewer->draw.color = on ? (ColorMode)row->option : COLOR_MODEL;
    if (viewer->simulation)
        simulation_command(viewer->simulation, COMMAND_STRESS,
                           viewer->draw.color == COLOR_STRESS ? 1 : 0);
    tell_option(viewer, row->name, row->help, on);
}

static const char *group_name(const Viewer *viewer, int place, char *buffer, size_t size)
{
    (void)viewer;
    snprintf(buffer, size, "group %d", place);
    return buffer;
}

static bool group_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)row;
    return (viewer->draw.group_mask >> place) & 1u;
}

static void toggle_group(Viewer *viewer, const KeyRow *row, int place)
{
    char name[16];
    viewer->draw.group_mask ^= 1u << place;
    group_name(viewer, place, name, sizeof name);
    tell_option(viewer, name, name, group_is_on(viewer, row, place));
}

/* ---- window ---- */

/* A panel that is there or not; offset in Viewer. */
static bool panel_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)place;
    return *(const bool *)((const char *)viewer + row->option);
}

static void toggle_panel(Viewer *viewer, const KeyRow *row, int place)
{
    bool *shown = (bool *)((char *)viewer + row->option);
    const char *missing = NULL;
    if (shown == &viewer->signals.shown && viewer->signals.row_count == 0)
        missing = viewer->playback ? "the recording has no signals"
                                   : "the model has no joints, sensors or actuators";
    if (shown == &viewer->shows_physics && (!viewer->simulation || viewer->def.follow))
        missing = viewer->playback ? "a recording has no physics to change"
                                   : "a program runs this world; the window watches";
    if (missing) {
        viewer_say(viewer, "%s", missing);
        return;
    }
    *shown = !panel_is_on(viewer, row, place);
    viewer->hint_until = 0;
    event_begin(viewer->def.events, "option");
    event_text(viewer->def.events, "name", row->name);
    event_bool(viewer->def.events, "value", *shown);
    event_end(viewer->def.events);
}

static bool film_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)row, (void)place;
    return viewer->reel.film != NULL;
}

static void toggle_film(Viewer *viewer, const KeyRow *row, int place)
{
    (void)row, (void)place;
    film_toggle(viewer);
}

static bool pad_is_on(const Viewer *viewer, const KeyRow *row, int place)
{
    (void)row, (void)place;
    return viewer->pad.on;
}

static void toggle_pad(Viewer *viewer, const KeyRow *row, int place)
{
    (void)row, (void)place;
    pad_toggle(viewer);
}

static const char *keyframe_name(const Viewer *viewer, int place, char *buffer, size_t size)
{
    TnModelInfo info = tn_model_info(viewer->model);
    if (place >= info.key_count) return NULL;
    snprintf(buffer, size, "keyframe %d %s", place + 1,
             tn_model_key_name(viewer->model, place + 1));
    return buffer;
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
#define RANGE(FIRST, LAST, MODS, MODES, LABEL, HELP, ACTION, IS_ON, PLACE_NAME)                    \
    {                                                                                              \
        .key = (FIRST), .last_key = (LAST), .modifiers = (MODS), .modes = (MODES),                 \
        .label = (LABEL), .help = (HELP), .choice = (ACTION), .is_on = (IS_ON),                    \
        .place_name = (PLACE_NAME)                                                                 \
    }
#define ARROW(KEY, LABEL, HELP, ACTION)                                                            \
    {                                                                                              \
        .key = (KEY), .modifiers = MODS_ANY /* Ctrl is held while a body is pulled */,             \
        .modes = IN_BOTH, .repeats = true, .label = (LABEL), .help = (HELP), .action = (ACTION)    \
    }
#define SWITCH(KEY, MODES, LABEL, NAME, HELP, ACTION, IS_ON, OPTION)                               \
    {                                                                                              \
        .key = (KEY), .modes = (MODES), .label = (LABEL), .help = (HELP), .choice = (ACTION),      \
        .is_on = (IS_ON), .option = (OPTION), .name = (NAME)                                       \
    }
#define OPTION(KEY, LABEL, FIELD, HELP)                                                            \
    SWITCH(KEY, IN_BOTH, LABEL, #FIELD, HELP, toggle_option, option_is_on,                         \
           offsetof(DrawOptions, FIELD))
#define PANEL(KEY, LABEL, NAME, FIELD, HELP)                                                       \
    SWITCH(KEY, IN_BOTH, LABEL, NAME, HELP, toggle_panel, panel_is_on, offsetof(Viewer, FIELD))

static const KeyRow table[] = {
    {.modes = IN_BOTH, .label = "File", .more = recent_menu},
    ROW(GLFW_KEY_F5, MODS_NONE, IN_WORLD, "F5", "load the model again", reload),
    ROW(GLFW_KEY_M, MODS_NONE, IN_WORLD, "M", "save as keyframe", save_keyframe),
    ROW2(GLFW_KEY_P, GLFW_KEY_F12, MODS_NONE, IN_BOTH, "P, F12", "save a picture (PNG)",
         screenshot),
    SWITCH(GLFW_KEY_F7, IN_BOTH, "F7", "film", "record a film", toggle_film, film_is_on, 0),
    ROW(GLFW_KEY_Q, MODS_ANY, IN_BOTH, "Q, Ctrl+Q", "quit", quit),

    HEADING(IN_BOTH, "Time"),
    ROW(GLFW_KEY_SPACE, MODS_ANY, IN_BOTH, "Space", "pause, run", toggle_pause),
    ARROW(GLFW_KEY_RIGHT, "Right", "one step", step_forward),
    ARROW(GLFW_KEY_LEFT, "Left", "one step back", step_back),
    ROW2(GLFW_KEY_EQUAL, GLFW_KEY_KP_ADD, MODS_ANY, IN_BOTH, "+", "double the speed", faster),
    ROW2(GLFW_KEY_MINUS, GLFW_KEY_KP_SUBTRACT, MODS_ANY, IN_BOTH, "-", "halve the speed", slower),
    ROW(GLFW_KEY_BACKSPACE, MODS_NONE, IN_WORLD, "Backspace", "restart", reset),
    RANGE(GLFW_KEY_1, GLFW_KEY_9, MODS_NONE, IN_WORLD, "1 ... 9", "start from a keyframe",
          choose_key, NULL, keyframe_name),
    ROW(GLFW_KEY_PAGE_UP, MODS_NONE, IN_WORLD, "Page Up", "previous keyframe", key_before),
    ROW(GLFW_KEY_PAGE_DOWN, MODS_NONE, IN_WORLD, "Page Down", "next keyframe", key_after),
    ROW(GLFW_KEY_HOME, MODS_NONE, IN_RECORDING, "Home", "first frame", first_frame),
    ROW(GLFW_KEY_END, MODS_NONE, IN_RECORDING, "End", "last frame", last_frame),
    SWITCH(GLFW_KEY_R, IN_RECORDING, "R", "loop", "repeat at the end", toggle_loop, loop_is_on, 0),
    SWITCH(GLFW_KEY_F8, IN_WORLD, "F8", "gamepad", "gamepad moves actuators", toggle_pad, pad_is_on,
           0),

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
    OPTION(GLFW_KEY_I, "I", inertia, "inertia boxes"),
    OPTION(GLFW_KEY_N, "N", mass_centers, "centres of mass"),
    OPTION(GLFW_KEY_H, "H", hulls, "convex hulls"),
    OPTION(GLFW_KEY_T, "T", transparent, "transparent"),
    OPTION(GLFW_KEY_W, "W", wireframe, "wireframe"),
    SWITCH(GLFW_KEY_U, IN_BOTH, "U", "subsystem_colors", "colour by subsystem", toggle_color,
           color_is_on, COLOR_SUBSYSTEM),
    SWITCH(GLFW_KEY_X, IN_BOTH, "X", "stress_colors", "colour soft bodies by stress", toggle_color,
           color_is_on, COLOR_STRESS),
    OPTION(GLFW_KEY_L, "L", labels, "body names"),
    OPTION(GLFW_KEY_V, "V", tendons, "tendons"),
    OPTION(GLFW_KEY_S, "S", shadows, "shadows"),
    OPTION(GLFW_KEY_G, "G", ground_grid, "ground grid"),
    OPTION(GLFW_KEY_K, "K", sky, "sky"),
    OPTION(GLFW_KEY_O, "O", fog, "fog"),
    RANGE(GLFW_KEY_0, GLFW_KEY_5, MODS_SHIFT, IN_BOTH, "Shift+0 ... 5", "a group of shapes",
          toggle_group, group_is_on, group_name),

    HEADING(IN_BOTH, "Window"),
    PANEL(GLFW_KEY_F1, "F1", "help", shows_help, "this help"),
    PANEL(GLFW_KEY_F2, "F2", "info", shows_info, "figures and plots"),
    PANEL(GLFW_KEY_F3, "F3", "signals", signals.shown, "sensors, sliders, curves"),
    PANEL(GLFW_KEY_F4, "F4", "profiler", shows_profile, "profiler"),
    PANEL(GLFW_KEY_F6, "F6", "physics", shows_physics, "physics, actuators"),
    PANEL(GLFW_KEY_F10, "F10", "menus", shows_menus, "menus"),
    ROW(GLFW_KEY_F11, MODS_NONE, IN_BOTH, "F11", "full screen", full_screen),
    {.modes = IN_BOTH, .label = "Tab, Enter", .help = "go through the panels"},
};
enum { ROW_COUNT = sizeof table / sizeof table[0] };

static const HelpRow mouse_rows[] = {
    {"Left drag", "rotate the view"},    {"Right drag", "move the view"},
    {"Wheel, middle", "zoom"},           {"Double click", "select a body"},
    {"Right double", "centre the view"}, {"Click a name", "its curve (F3)"},
};
static const HelpRow world_mouse_rows[] = {
    {"Ctrl+right drag", "pull a body"},
    {"  with Shift", "in a horizontal plane"},
    {"Ctrl+left drag", "rotate a rigid body"},
    {"Drop a file", "show it instead"},
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

/* What a row does; `place` in its range. */
static void obey(Viewer *viewer, const KeyRow *row, int place)
{
    event_begin(viewer->def.events, "key");
    event_text(viewer->def.events, "key", row->label);
    event_end(viewer->def.events);
    if (row->choice)
        row->choice(viewer, row, place);
    else
        row->action(viewer);
    viewer->redraw = true;
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
        if (!repeated || row->repeats) obey(viewer, row, key - row->key);
        return;
    }
}

/* ---- menus ---- */

static void menu_item(Viewer *viewer, const KeyRow *row, int place, const char *label,
                      const char *hint)
{
    bool pressed = row->is_on ? ui_check(&viewer->ui, label, hint, row->is_on(viewer, row, place))
                              : ui_item(&viewer->ui, label, hint);
    if (pressed) obey(viewer, row, place);
}

static void menu_row(Viewer *viewer, const KeyRow *row)
{
    char name[64], hint[16];
    if (!row->place_name && (row->action || row->choice))
        menu_item(viewer, row, 0, row->help, row->label);
    for (int place = 0; row->place_name && place <= row->last_key - row->key; place++) {
        snprintf(hint, sizeof hint, "%s%c", row->modifiers == MODS_SHIFT ? "Shift+" : "",
                 (char)(row->key + place));
        if (row->place_name(viewer, place, name, sizeof name))
            menu_item(viewer, row, place, name, hint);
    }
}

void keys_menus(Viewer *viewer)
{
    enum { LETTERS = 44 };
    unsigned mode = viewer->playback ? IN_RECORDING : IN_WORLD;
    const KeyRow *heading = NULL; /* of the menu that is open */
    for (int i = 0; i <= ROW_COUNT; i++) {
        const KeyRow *row = i < ROW_COUNT ? &table[i] : NULL;
        if (row && row->help) {
            if (heading && row->modes & mode) menu_row(viewer, row);
            continue;
        }
        if (heading && heading->more) heading->more(viewer);
        if (heading) ui_menu_end(&viewer->ui);
        heading = row && ui_menu_begin(&viewer->ui, row->label, LETTERS) ? row : NULL;
    }
}
