/* stage.h: everything that `tenon render` draws with: a context without a display, the renderer,
 * the text on top, and the film. */
#ifndef TENON_STAGE_H
#define TENON_STAGE_H

#include "../render/film.h"
#include "../render/headless.h"
#include "../render/overlay.h"
#include "draw_options.h"

typedef struct StageDef {
    const PictureOptions *picture;
    const TnScene *scene;
    const char *output;
    bool is_film;      /* else `output` is one PNG file */
    double fps;        /* of a film */
    const char *title; /* NULL: none */
    bool stats;        /* time, contacts and energy in a corner */
} StageDef;

typedef struct Stage {
    StageDef def;
    Headless *headless;
    Renderer *renderer;
    Canvas *canvas;
    Overlay *overlay; /* NULL where no text was asked for */
    Film *film;       /* NULL for a single picture */
    Image image;
    int camera; /* index in the scene; -1: free */
    Orbit orbit;
    int frames;     /* drawn and written */
    double drawing; /* s spent */
} Stage;

/* `camera` and `orbit` are set by the caller. False and a line in `error`; stage_close is due all
 * the same. */
bool stage_open(Stage *stage, const StageDef *def, char *error, size_t error_size);
/* Draws a frame and writes the picture, or adds it to the film. */
bool stage_draw(Stage *stage, const TnFrame *frame, char *error, size_t error_size);
/* Ends the film; false and a line where it is not whole. Fine without one. */
bool stage_end_film(Stage *stage, char *error, size_t error_size);
void stage_close(Stage *stage);

#endif
