/* window_options.h: what `view` and `replay` share: the options of the window, and its start. */
#ifndef TENON_WINDOW_OPTIONS_H
#define TENON_WINDOW_OPTIONS_H

#include "../view/viewer.h"
#include "draw_options.h"

typedef struct WindowOptions {
    PictureOptions picture;
    ViewerDef viewer;
    const char *input;       /* the model or recording */
    const char *events_path; /* NULL: none */
    char title[300];
} WindowOptions;

enum { WINDOW_OPTION_COUNT = 7 + PICTURE_OPTION_COUNT };

WindowOptions window_options(void);
/* Appends WINDOW_OPTION_COUNT options; returns the new count. */
int window_option_table(Option *table, int count, WindowOptions *window);
/* Size, camera, title and events, when the scene and its first frame are known. An exit code;
 * window_close is due all the same. */
int window_open(const char *command, WindowOptions *window, const TnScene *scene,
                const TnFrame *frame, TnRecording *recording);
void window_close(WindowOptions *window);

#endif
