/* tenon replay: a window on a recording. */
#include "app.h"
#include "options.h"

#ifdef TENON_HAS_VIEW

#include "../view/viewer.h"
#include "draw_options.h"

#include <errno.h>
#include <string.h>

typedef struct ReplayOptions {
    PictureOptions picture;
    ViewerDef viewer;
    const char *path, *events_path;
} ReplayOptions;

enum { OWN_OPTIONS = 16 };

static int option_table(Option *table, ReplayOptions *replay)
{
    ViewerDef *viewer = &replay->viewer;
    int n = 0;
    table[n++] = option_real("--speed", &viewer->speed, "X", 1.0 / 1024, 1024, ENDS_CLOSED,
                             "recorded seconds per second; default 1");
    table[n++] = option_set("--paused", &viewer->paused, "do not play before Space is pressed");
    table[n++] = option_set("--loop", &viewer->loop, "start again at the end");
    table[n++] = option_real("--duration", &viewer->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                             "close the window after so many seconds; default: never");
    table[n++] = option_set("--fullscreen", &viewer->fullscreen, "take the whole screen");
    table[n++] = option_text("--screenshots", &viewer->screenshot_folder, "FOLDER",
                             "where P puts its pictures; default: here");
    table[n++] = option_text("--events", &replay->events_path, "FILE",
                             "write what happens as lines of JSON; -: to stdout");
    table[n++] = option_real("--fps-limit", &viewer->fps_limit, "N", 0, 1000, ENDS_CLOSED,
                             "pictures per second at most; default 0: the screen's rate");
    table[n++] = option_clear("--no-vsync", &viewer->vsync, "do not wait for the screen");
    return picture_option_table(table, n, &replay->picture);
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon replay RUN.tnr [OPTIONS]\n\n"
           "Opens a window on a recording ('tenon run --record'). It needs no model file. A\n"
           "recording that was cut off is shown as far as it is whole.\n");
    viewer_print_help(true);
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon replay out/stir.tnr\n"
           "  tenon replay out/stir.tnr --loop --speed 0.5 --color subsystem\n");
}

static int choose_view(ReplayOptions *replay, TnRecording *recording)
{
    TnError err = {0};
    ViewerDef *viewer = &replay->viewer;
    const TnScene *scene = tn_recording_scene(recording);
    if (tn_recording_info(recording).frame_count < 1) {
        say("replay", "%s: holds no whole frame", replay->path);
        return EXIT_IO;
    }
    TnFrame *frame = tn_frame_create(scene, &err);
    int code = EXIT_FINE;
    if (!frame || tn_recording_frame(recording, 0, frame, &err) != TN_OK) {
        say("replay", "%s: %s", replay->path, err.message);
        code = EXIT_IO;
    } else if (!picture_camera("replay", &replay->picture, scene, &viewer->camera)) {
        code = EXIT_USAGE;
    } else {
        viewer->orbit =
            picture_orbit(&replay->picture, scene, frame, (double)viewer->width / viewer->height);
    }
    tn_frame_destroy(frame);
    return code;
}

static int replay_recording(ReplayOptions *replay, TnRecording *recording)
{
    ViewerDef *viewer = &replay->viewer;
    const TnScene *scene = tn_recording_scene(recording);
    char title[300];
    snprintf(title, sizeof title, "tenon: %s", scene->name[0] ? scene->name : replay->path);
    viewer->title = title;
    int code = choose_view(replay, recording);
    if (code == EXIT_FINE && replay->events_path) {
        viewer->events =
            !strcmp(replay->events_path, "-") ? stdout : fopen(replay->events_path, "w");
        if (!viewer->events) {
            say("replay", "%s: cannot be written: %s", replay->events_path, strerror(errno));
            code = EXIT_IO;
        }
    }
    if (code == EXIT_FINE) {
        TnRecordingInfo info = tn_recording_info(recording);
        if (info.cut_off)
            say("replay", "%s: was cut off; %d whole frames up to %g s are shown", replay->path,
                info.frame_count, info.end);
        code = viewer_run_recording(viewer, recording);
    }
    if (viewer->events && viewer->events != stdout) fclose(viewer->events);
    return code;
}

static int replay_file(ReplayOptions *replay)
{
    TnError err = {0};
    if (replay->events_path && is_same_file(replay->events_path, replay->path)) {
        say("replay", "--events: %s is the recording itself", replay->events_path);
        return EXIT_USAGE;
    }
    replay->viewer.draw = replay->picture.draw;
    replay->viewer.width = replay->picture.width;
    replay->viewer.height = replay->picture.height;
    TnRecording *recording = tn_recording_open(replay->path, &err);
    if (!recording) {
        say("replay", "%s", err.message);
        return EXIT_IO;
    }
    int code = replay_recording(replay, recording);
    tn_recording_close(recording);
    return code;
}

int cmd_replay(int argc, char **argv)
{
    ReplayOptions replay = {.viewer = viewer_def()};
    replay.picture = picture_options(replay.viewer.width, replay.viewer.height);
    Option table[OWN_OPTIONS + PICTURE_OPTION_COUNT];
    int count = option_table(table, &replay), code = EXIT_USAGE;
    switch (options_parse("replay", table, count, "RUN.tnr", &replay.path, argc, argv)) {
    case PARSE_HELP:
        print_help(table, count);
        code = EXIT_FINE;
        break;
    case PARSE_ERROR:
        break;
    case PARSE_OK:
        if (picture_options_finish("replay", &replay.picture)) code = replay_file(&replay);
        break;
    }
    picture_options_free(&replay.picture);
    return code;
}

#else

int cmd_replay(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    say("replay", "this tenon was built without windows: install GLFW (libglfw3-dev) and build "
                  "again; 'tenon render' works without");
    return EXIT_IO;
}

#endif
