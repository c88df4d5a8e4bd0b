/* tenon replay: a window on a recording. */
#include "../common/app.h"
#include "../common/options.h"
#include "../export/export.h"
#include "commands.h"
#include "window_options.h"

enum { OWN_OPTIONS = 4 };

static int option_table(Option *table, WindowOptions *window)
{
    ViewerDef *viewer = &window->viewer;
    int n = 0;
    table[n++] = option_real("--speed", &viewer->speed, "X", 1.0 / 1024, 1024, ENDS_CLOSED,
                             "recorded seconds per second; default 1");
    table[n++] =
        option_set("--loop", &viewer->loop, "repeat from the start when the end is reached");
    table[n++] = option_real("--duration", &viewer->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                             "close the window after S seconds; default: never");
    return window_option_table(table, n, window);
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon replay RUN.tnr [OPTIONS]\n\n"
           "Plays a recording ('tenon run --record') in a window. No model file is needed. If the\n"
           "recording was cut off, its complete frames are shown.\n");
    viewer_print_help(true);
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon replay out/stir.tnr\n"
           "  tenon replay out/stir.tnr --loop --speed 0.5 --color subsystem\n");
}

static int replay_recording(WindowOptions *window, TnRecording *recording)
{
    TnError err = {0};
    const TnScene *scene = tn_recording_scene(recording);
    TnRecordingInfo info = tn_recording_info(recording);
    if (info.frame_count < 1) {
        say("replay", "%s: contains no complete frame", window->input);
        return EXIT_IO;
    }
    TnFrame *frame = tn_frame_create(scene, &err);
    int code = EXIT_IO;
    if (!frame || tn_recording_frame(recording, 0, frame, &err) != TN_OK)
        say("replay", "%s: %s", window->input, err.message);
    else
        code = window_open("replay", window, scene, frame, recording);
    tn_frame_destroy(frame);
    if (code != EXIT_FINE) return code;
    /* one range for all of it */
    if (info.has_stress && !(window->viewer.draw.stress_max > 0))
        window->viewer.draw.stress_max = stress_top(export_largest_stress(recording, NULL, 0));
    if (info.cut_off)
        say("replay", "%s: is cut off; showing %d complete frames up to %g s", window->input,
            info.frame_count, info.end);
    return viewer_run_recording(&window->viewer, recording);
}

static int replay_file(WindowOptions *window)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(window->input, &err);
    if (!recording) {
        say("replay", "%s", err.message);
        return EXIT_IO;
    }
    int code = replay_recording(window, recording);
    tn_recording_close(recording);
    return code;
}

int cmd_replay(int argc, char **argv)
{
    WindowOptions window = window_options();
    Option table[OWN_OPTIONS + WINDOW_OPTION_COUNT];
    int count = option_table(table, &window), code = EXIT_USAGE;
    if (options_parse("replay", table, count, print_help, "RUN.tnr", &window.input, argc, argv,
                      &code) &&
        picture_options_finish("replay", &window.picture))
        code = replay_file(&window);
    window_close(&window);
    return code;
}
