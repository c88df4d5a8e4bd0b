/* embed.h: the program as a part of another one, the Python package: all of it, the page that plays
 * a recording, and the window on a world. Nothing here writes to stderr but tenon_main. */
#ifndef TENON_EMBED_H
#define TENON_EMBED_H

#include <tenon/record.h>
#include <tenon/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program with all its commands; argv[0] is its name. Returns its exit code. */
int tenon_main(int argc, char **argv);

/* One HTML file that plays frames of a recording in a browser. Frames are ascending, at least one.
 * color: "model", "subsystem" or "stress". title NULL: the scene's name. */
TnStatus tenon_write_page(const char *path, TnRecording *recording, const int *frames,
                          int frame_count, const char *title, const char *color, TnError *err);

/* Frames of a recording, ascending, at least one, as a file whose ending chooses the format (.npz,
 * .csv, .pvd, .glb, .gltf, .mcap, .html). fps: at most so many frames per second, 0: all, < 0: as
 * the format has it. title NULL: the scene's name; formats without a title refuse one. */
TnStatus tenon_export(const char *path, TnRecording *recording, const int *frames, int frame_count,
                      double fps, const char *title, TnError *err);

/* One HTML file that simulates a model in a browser (docs/live.md). engine: the path of tenon.wasm.
 */
TnStatus tenon_write_live_page(const char *path, const TnModelBuilder *builder, const char *title,
                               const char *engine, TnError *err);

/* False where this program was built without windows. */
bool tenon_has_window(void);

typedef struct TenonWindow {
    const char *title; /* NULL: the scene's name */
    double speed;      /* simulated seconds per second, 1/1024 … 1024 */
    bool paused;       /* at the start */
    int width, height;
    int64_t step_limit; /* the window closes after so many steps; 0: never */
    bool interrupted;   /* out: Ctrl-C closed it */
} TenonWindow;
/* Shows the world in a window, where it goes on from its present state as the user wishes, until
 * the window is closed. An error where there is no display or no GLFW. */
TnStatus tenon_view_world(TenonWindow *window, TnWorld *world, TnError *err);

/* A window in a thread of its own, which watches a world that the caller runs. Its speed, paused
 * and step_limit mean nothing. NULL and an error where there is no display or no GLFW. */
typedef struct TenonWatcher TenonWatcher;
TenonWatcher *tenon_watch(const TenonWindow *window, TnWorld *world, TnError *err);
/* Shows the world as it is now; report: of its last step, may be NULL. */
TnStatus tenon_watch_show(TenonWatcher *watcher, TnWorld *world, const TnStepReport *report,
                          TnError *err);
bool tenon_watch_is_open(TenonWatcher *watcher); /* false: the user has closed the window */
void tenon_watch_close(TenonWatcher *watcher);   /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
