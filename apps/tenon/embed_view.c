/* The window on a world, for another program; see embed.h. */
#include "embed.h"

#include "../common/app.h"
#include "window_options.h"

bool tenon_has_window(void) { return true; }

static int show(TenonWindow *wanted, WindowOptions *window, TnWorld *world, const TnScene *scene,
                TnError *err)
{
    TnFrame *frame = tn_frame_create(scene, err);
    if (!frame) return EXIT_IO;
    int code = tn_frame_capture(frame, world, NULL, false, err) == TN_OK ? EXIT_FINE : EXIT_IO;
    if (code == EXIT_FINE) code = window_open("view", window, scene, frame, NULL);
    tn_frame_destroy(frame);
    if (wanted->title) window->viewer.title = wanted->title;
    return code == EXIT_FINE ? viewer_run_world(&window->viewer, world, scene) : code;
}

TnStatus tenon_view_world(TenonWindow *wanted, TnWorld *world, TnError *err)
{
    WindowOptions window = window_options();
    window.input = "tenon";
    window.picture.width = wanted->width;
    window.picture.height = wanted->height;
    window.viewer.speed = wanted->speed;
    window.viewer.paused = wanted->paused;
    window.viewer.step_limit = wanted->step_limit;
    TnScene *scene = tn_scene_create_of(world, err);
    if (!scene) return err->code;
    say_into(err);
    int code = picture_options_finish("view", &window.picture)
                   ? show(wanted, &window, world, scene, err)
                   : EXIT_USAGE;
    say_into(NULL);
    window_close(&window);
    tn_scene_destroy(scene);
    wanted->interrupted = code == EXIT_INTERRUPTED;
    bool fine = code == EXIT_FINE || code == EXIT_INTERRUPTED || code == EXIT_DIVERGED;
    return fine ? TN_OK : heard(err, TN_ERROR_IO);
}
