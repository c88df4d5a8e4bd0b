/* The window on a world, for another program; see embed.h. */
#include "embed.h"

#include "../common/app.h"
#include "platform/threads.h"
#include "window_options.h"

#include <stdlib.h>

bool tenon_has_window(void) { return true; }

static WindowOptions options_of(const TenonWindow *wanted)
{
    WindowOptions window = window_options();
    window.input = "tenon";
    window.picture.width = wanted->width;
    window.picture.height = wanted->height;
    return window;
}

static int show(const TenonWindow *wanted, WindowOptions *window, TnWorld *world,
                const TnScene *scene, TnError *err)
{
    if (!picture_options_finish("view", &window->picture)) return EXIT_USAGE;
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
    WindowOptions window = options_of(wanted);
    window.viewer.speed = wanted->speed;
    window.viewer.paused = wanted->paused;
    window.viewer.step_limit = wanted->step_limit;
    TnScene *scene = tn_scene_create_of(world, err);
    if (!scene) return err->code;
    say_into(err);
    int code = show(wanted, &window, world, scene, err);
    say_into(NULL);
    window_close(&window);
    tn_scene_destroy(scene);
    wanted->interrupted = code == EXIT_INTERRUPTED;
    bool fine = code == EXIT_FINE || code == EXIT_INTERRUPTED || code == EXIT_DIVERGED;
    return fine ? TN_OK : heard(err, TN_ERROR_IO);
}

/* ---- a window that watches ---- */

struct TenonWatcher {
    TenonWindow wanted;
    TnWorld *world; /* looked at until the window is open */
    TnScene *scene;
    TnFrame *frame;
    Follow *follow;
    TnThread thread;
    TnError err; /* why there is no window */
};

static void watch_main(void *argument)
{
    TenonWatcher *watcher = argument;
    WindowOptions window = options_of(&watcher->wanted);
    window.viewer.follow = watcher->follow;
    say_into(&watcher->err);
    show(&watcher->wanted, &window, watcher->world, watcher->scene, &watcher->err);
    window_close(&window);
    follow_set(watcher->follow, FOLLOW_CLOSED);
}

static void free_watcher(TenonWatcher *watcher)
{
    if (!watcher) return;
    follow_destroy(watcher->follow);
    tn_frame_destroy(watcher->frame);
    tn_scene_destroy(watcher->scene);
    free(watcher);
}

static TenonWatcher *make_watcher(const TenonWindow *window, TnWorld *world, TnError *err)
{
    TenonWatcher *watcher = calloc(1, sizeof *watcher);
    if (watcher) {
        watcher->wanted = *window;
        watcher->world = world;
        watcher->scene = tn_scene_create_of(world, err);
    }
    if (watcher && watcher->scene) watcher->frame = tn_frame_create(watcher->scene, err);
    if (watcher && watcher->frame) watcher->follow = follow_create(watcher->scene, err);
    if (watcher && watcher->follow &&
        (!watcher->scene->surface_count ||
         tn_frame_reserve_stress(watcher->frame, 0, err) == TN_OK))
        return watcher;
    free_watcher(watcher);
    return NULL;
}

TenonWatcher *tenon_watch(const TenonWindow *window, TnWorld *world, TnError *err)
{
    TenonWatcher *watcher = make_watcher(window, world, err);
    if (!watcher || !tn_thread_start(&watcher->thread, watch_main, watcher)) {
        free_watcher(watcher);
        *err = (TnError){TN_ERROR_MEMORY, 1, "no memory or thread for a window"};
        return NULL;
    }
    if (follow_wait(watcher->follow) == FOLLOW_OPEN) return watcher;
    tn_thread_join(&watcher->thread);
    *err = watcher->err;
    heard(err, TN_ERROR_IO);
    free_watcher(watcher);
    return NULL;
}

TnStatus tenon_watch_show(TenonWatcher *watcher, TnWorld *world, const TnStepReport *report,
                          TnError *err)
{
    TnStatus status = tn_frame_capture(watcher->frame, world, report, false, err);
    if (status == TN_OK) status = tn_frame_capture_signals(watcher->frame, world, err);
    return status == TN_OK ? follow_give(watcher->follow, watcher->frame, err) : status;
}

bool tenon_watch_is_open(TenonWatcher *watcher)
{
    return follow_state(watcher->follow) == FOLLOW_OPEN;
}

void tenon_watch_close(TenonWatcher *watcher)
{
    if (!watcher) return;
    follow_set(watcher->follow, FOLLOW_ENDING);
    tn_thread_join(&watcher->thread);
    free_watcher(watcher);
}
