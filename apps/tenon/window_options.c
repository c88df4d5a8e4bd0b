/* The options of the window, and its start. */
#include "window_options.h"

#include "../common/app.h"

#include <errno.h>
#include <string.h>

WindowOptions window_options(void)
{
    WindowOptions window = {.viewer = viewer_def()};
    window.picture = picture_options(window.viewer.width, window.viewer.height);
    return window;
}

int window_option_table(Option *table, int count, WindowOptions *window)
{
    ViewerDef *viewer = &window->viewer;
    table[count++] = option_set("--paused", &viewer->paused, "start paused; Space runs");
    table[count++] = option_set("--fullscreen", &viewer->fullscreen, "open in full screen");
    table[count++] = option_text(
        "--screenshots", &viewer->screenshot_folder, "FOLDER",
        "folder for pictures (key P), films (F7) and keyframes (M); default: the current "
        "folder");
    table[count++] =
        option_text("--curves", &viewer->curves, "NAME,...",
                    "draw these signals over time: NAME.q0, NAME.v0 of joints, NAME.s0 "
                    "of sensors, NAME.ctrl, NAME.force of actuators");
    table[count++] = option_text("--events", &window->events_path, "FILE",
                                 "log events as lines of JSON; - for stdout");
    table[count++] = option_real("--fps-limit", &viewer->fps_limit, "N", 0, 1000, ENDS_CLOSED,
                                 "maximum frames per second; default 0: the screen's rate");
    table[count++] = option_clear("--no-vsync", &viewer->vsync,
                                  "do not wait for the vertical sync of the screen");
    return picture_option_table(table, count, &window->picture);
}

/* False and a message where a signal is not there. */
static bool check_curves(const char *command, const char *names, const TnScene *scene)
{
    while (names && *names) {
        size_t length = strcspn(names, ",");
        int i = 0;
        while (i < scene->signal_count && (strlen(scene->signals[i].name) != length ||
                                           strncmp(scene->signals[i].name, names, length) != 0))
            i++;
        if (i == scene->signal_count) {
            say(command, "--curves: there is no signal '%.*s'%s%s", (int)length, names,
                scene->signal_count ? "; the first is " : "; there are none",
                scene->signal_count ? scene->signals[0].name : "");
            return false;
        }
        names += length + (names[length] == ',');
    }
    return true;
}

static int open_events(const char *command, WindowOptions *window)
{
    const char *path = window->events_path;
    if (!path) return EXIT_FINE;
    if (is_same_file(path, window->input)) {
        say(command, "--events: %s is the input itself", path);
        return EXIT_USAGE;
    }
    window->viewer.events = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (window->viewer.events) return EXIT_FINE;
    say(command, "%s: cannot be written: %s", path, strerror(errno));
    return EXIT_IO;
}

int window_open(const char *command, WindowOptions *window, const TnScene *scene,
                const TnFrame *frame, TnRecording *recording)
{
    ViewerDef *viewer = &window->viewer;
    PictureOptions *picture = &window->picture;
    if (!picture_scene(command, picture, scene, &viewer->camera)) return EXIT_USAGE;
    if (!check_curves(command, viewer->curves, scene)) return EXIT_USAGE;
    viewer->draw = picture->draw;
    viewer->width = picture->width;
    viewer->height = picture->height;
    Motion motion = {0};
    double low[3], high[3];
    bool any = recording && picture_is_fitted(picture, scene) &&
               motion_of_recording(&motion, recording, NULL, 0, viewer->draw.group_mask) &&
               motion_bounds(&motion, low, high);
    if (!any) any = scene_bounds(scene, frame, viewer->draw.group_mask, low, high);
    motion_free(&motion);
    viewer->orbit = picture_orbit(picture, scene, any ? low : NULL, high,
                                  (double)picture->width / picture->height);
    snprintf(window->title, sizeof window->title, "tenon: %.250s",
             scene->name[0] ? scene->name : window->input);
    viewer->title = window->title;
    return open_events(command, window);
}

void window_close(WindowOptions *window)
{
    FILE *events = window->viewer.events;
    if (events && events != stdout) fclose(events);
    window->viewer.events = NULL;
    picture_options_free(&window->picture);
}
