/* viewer.h: the window: watches a running simulation or a recording. */
#ifndef TENON_VIEW_VIEWER_H
#define TENON_VIEW_VIEWER_H

#include "../render/renderer.h"
#include "follow.h"
#include <stdio.h>
#include <tenon/record.h>

typedef struct ViewerDef {
    const char *title;
    int width, height; /* of the window, screen coordinates */
    bool fullscreen;
    bool vsync;       /* drawing waits for the screen; default true */
    double fps_limit; /* pictures per second at most; 0: the screen's rate */
    double speed;     /* simulated seconds per second; 1: real time */
    bool paused;      /* at the start */
    DrawOptions draw; /* at the start */
    int camera;       /* index of the scene's camera to start from; -1: free */
    Orbit orbit;      /* of the free camera */
    const char *screenshot_folder;
    const char *curves; /* names of signals to draw from the start, "a.q0,b.s0"; NULL: none */
    FILE *events;       /* one JSON object per line for what happens; NULL: none */
    /* a simulation's */
    TnKeyId key;        /* where it starts and what a reset goes back to; 0: the reference pose */
    int64_t step_limit; /* the window closes after so many steps; 0: never */
    /* Loads the model again, or that of another file (path not NULL): another world and scene,
     * which live as long as the old ones. False where it has errors, which it has said: the old
     * ones stay. NULL: cannot. */
    bool (*reload)(void *context, const char *path, TnWorld **world, const TnScene **scene);
    void *context;
    const char *file;          /* of the model, for the list of recent ones; NULL: none */
    const TnSolverDef *solver; /* of the world, to change it; NULL: cannot */
    Follow *follow; /* the world is run by another thread, whose frames are shown; NULL: here */
    /* a recording's */
    bool loop;
    double duration; /* s by the wall after which the window closes; 0: never */
} ViewerDef;

ViewerDef viewer_def(void);
/* All return an exit code of the program and print what is wrong on stderr. The scene is that of
 * the world's model, for a recording its own. */
int viewer_run_world(const ViewerDef *def, TnWorld *world, const TnScene *scene);
int viewer_run_recording(const ViewerDef *def, TnRecording *recording);
/* Mouse and keys on stdout, for --help. */
void viewer_print_help(bool recording);

#endif
