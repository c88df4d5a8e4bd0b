/* draw_options.h: the options of drawing that `render`, `view` and `replay` share: what is shown,
 * how large, and from where.
 *
 *   --color model|subsystem|stress   --stress-max PA
 *   --contacts --forces --frames --joints --hulls --wireframe
 *   --transparent                --no-shadows --no-grid --no-sky
 *   --groups 0,1,2               --force-scale M         --samples N
 *   --size WxH                   --camera NAME|free
 *   --azimuth D --elevation D    degrees                 --distance M       --look-at X Y Z
 *
 * In this order: picture_options, picture_option_table, options_parse, picture_options_finish,
 * then picture_scene and picture_orbit with the box of what is shown, at the end
 * picture_options_free. */
#ifndef TENON_DRAW_OPTIONS_H
#define TENON_DRAW_OPTIONS_H

#include "../common/options.h"
#include "../render/renderer.h"

enum { PICTURE_OPTION_COUNT = 21, PICTURE_MAX_SIZE = 16384 };

typedef struct PictureOptions {
    DrawOptions draw;   /* complete after picture_options_finish */
    int width, height;  /* pixels; likewise */
    const char *camera; /* a camera's name; NULL: free (also after "free") */
    /* Of the free camera; what is not given comes from the model, or is fitted to the scene. */
    double azimuth, elevation; /* degrees, NaN: not given */
    double distance;           /* m, NaN: not given */
    NumberList look_at;        /* three numbers in m where `given` */
    /* as read, before picture_options_finish */
    int color;
    const char *size;
    NumberList groups;
} PictureOptions;

/* The defaults, with a size in pixels. */
PictureOptions picture_options(int width, int height);
/* Appends PICTURE_OPTION_COUNT options; returns the new count. */
int picture_option_table(Option *table, int count, PictureOptions *picture);
/* Reads sizes and lists; false and a message where one is wrong (EXIT_USAGE). */
bool picture_options_finish(const char *command, PictureOptions *picture);
void picture_options_free(PictureOptions *picture);

/* What depends on the scene: the groups where none were given, and the chosen camera's index, -1
 * for the free one; false and a message that lists the cameras where there is none of that name
 * (EXIT_USAGE). */
bool picture_scene(const char *command, PictureOptions *picture, const TnScene *scene, int *camera);
/* Where the free camera starts: orbit_fit_box with what the options say. */
Orbit picture_orbit(const PictureOptions *picture, const TnScene *scene, const double low[3],
                    const double high[3], double aspect);
/* Neither the model nor the options place the free camera: it is fitted to what is shown. */
bool picture_is_fitted(const PictureOptions *picture, const TnScene *scene);

#endif
