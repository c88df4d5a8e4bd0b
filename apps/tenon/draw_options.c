/* Options of drawing; see draw_options.h. */
#include "draw_options.h"

#include "../common/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const color_names[] = {"model", "subsystem", "stress",
                                          NULL}; /* order of ColorMode */
static const double degree = 3.14159265358979323846 / 180;

PictureOptions picture_options(int width, int height)
{
    return (PictureOptions){.draw = draw_options(),
                            .width = width,
                            .height = height,
                            .azimuth = NAN,
                            .elevation = NAN,
                            .distance = NAN};
}

int picture_option_table(Option *table, int count, PictureOptions *picture)
{
    DrawOptions *draw = &picture->draw;
    Option *t = table + count;
    *t++ = option_choice("--color", &picture->color, "MODE", color_names,
                         "colours: model (default), subsystem (one for each subsystem) or stress "
                         "(soft "
                         "bodies by von Mises stress)");
    *t++ = option_real("--stress-max", &draw->stress_max, "PA", 0, 1e15, ENDS_LOWER_OPEN,
                       "stress in Pa at the upper end of the colour scale; default: fitted");
    *t++ = option_set("--contacts", &draw->contact_points, "show contact points");
    *t++ = option_set("--forces", &draw->contact_forces, "show contact forces as arrows");
    *t++ = option_real("--force-scale", &draw->force_scale, "M", 0, 1e6, ENDS_LOWER_OPEN,
                       "length of force arrows in m per N; default: fitted to the scene");
    *t++ = option_set("--frames", &draw->frames, "show the axes of the bodies");
    *t++ = option_set("--joints", &draw->joint_axes, "show the axes of the joints");
    *t++ = option_set("--hulls", &draw->hulls, "show the convex hulls that meshes collide with");
    *t++ = option_set("--wireframe", &draw->wireframe, "show edges only");
    *t++ = option_set("--transparent", &draw->transparent, "draw bodies transparent");
    *t++ = option_clear("--no-shadows", &draw->shadows, "draw no shadows");
    *t++ = option_clear("--no-grid", &draw->ground_grid, "draw no grid on planes");
    *t++ = option_clear("--no-sky", &draw->sky, "draw a plain background");
    *t++ = option_ints(
        "--groups", &picture->groups, "LIST", 0, 5,
        "groups of geoms to show, such as 0,1,3; default 0,1,2, or all if these contain less "
        "than half of what moves");
    *t++ = option_int("--samples", &draw->samples, "N", 1, 16,
                      "samples per pixel (anti-aliasing), 1 ... 16; default 4, or 1 in a window "
                      "without "
                      "a graphics card");
    *t++ = option_text("--size", &picture->size, "WxH", "width and height in pixels");
    *t++ = option_text("--camera", &picture->camera, "NAME",
                       "a camera of the model, or free (default)");
    *t++ = option_real("--azimuth", &picture->azimuth, "D", -720, 720, ENDS_CLOSED,
                       "free camera: viewing direction in the ground plane, in degrees from x");
    *t++ = option_real("--elevation", &picture->elevation, "D", -89, 89, ENDS_CLOSED,
                       "free camera: viewing direction above the horizon, in degrees; negative: "
                       "from above");
    *t++ = option_real("--distance", &picture->distance, "M", 0, 1e6, ENDS_LOWER_OPEN,
                       "free camera: distance in m from the point it looks at");
    *t++ = option_reals("--look-at", &picture->look_at, "X Y Z",
                        "free camera: the point it looks at, in m");
    return (int)(t - table);
}

/* "640x480" with an x or a ×. */
static bool read_size(const char *text, int *width, int *height)
{
    char *end;
    long w = strtol(text, &end, 10);
    if (end == text) return false;
    size_t cross = *end == 'x' || *end == 'X' ? 1 : strncmp(end, "\u00d7", 2) == 0 ? 2 : 0;
    if (!cross) return false;
    const char *rest = end + cross;
    long h = strtol(rest, &end, 10);
    if (end == rest || *end) return false;
    if (w < 1 || h < 1 || w > PICTURE_MAX_SIZE || h > PICTURE_MAX_SIZE) return false;
    *width = (int)w;
    *height = (int)h;
    return true;
}

bool picture_options_finish(const char *command, PictureOptions *picture)
{
    picture->draw.color = (ColorMode)picture->color;
    if (picture->size && !read_size(picture->size, &picture->width, &picture->height)) {
        say(command, "--size: '%s' is not WIDTHxHEIGHT with 1 to %d pixels each, such as 1280x720",
            picture->size, PICTURE_MAX_SIZE);
        return false;
    }
    if (picture->groups.given) {
        picture->draw.group_mask = 0;
        for (int i = 0; i < picture->groups.count; i++)
            picture->draw.group_mask |= 1u << (int)picture->groups.values[i];
    }
    if (picture->look_at.given && picture->look_at.count != 3) {
        say(command, "--look-at takes three numbers, x y z; %d are given", picture->look_at.count);
        return false;
    }
    if (picture->camera && strcmp(picture->camera, "free") == 0) picture->camera = NULL;
    return true;
}

void picture_options_free(PictureOptions *picture)
{
    number_list_free(&picture->groups);
    number_list_free(&picture->look_at);
}

bool picture_scene(const char *command, PictureOptions *picture, const TnScene *scene, int *camera)
{
    if (!picture->groups.given) picture->draw.group_mask = default_groups(scene);
    *camera = -1;
    if (!picture->camera) return true;
    for (int i = 0; i < scene->camera_count; i++)
        if (strcmp(scene->cameras[i].name, picture->camera) == 0) {
            *camera = i;
            return true;
        }
    fprintf(stderr, "tenon %s: there is no camera '%s', only 'free'", command, picture->camera);
    for (int i = 0; i < scene->camera_count; i++)
        if (scene->cameras[i].name[0]) fprintf(stderr, ", '%s'", scene->cameras[i].name);
    fputc('\n', stderr);
    return false;
}

bool picture_is_fitted(const PictureOptions *picture, const TnScene *scene)
{
    bool has_center = scene->view.has_center || picture->look_at.given;
    bool has_distance = scene->view.has_extent || !isnan(picture->distance);
    return !picture->camera && !(has_center && has_distance);
}

Orbit picture_orbit(const PictureOptions *picture, const TnScene *scene, const double low[3],
                    const double high[3], double aspect)
{
    /* Angles first: what fits into the picture depends on them. */
    TnScene asked = *scene;
    if (!isnan(picture->azimuth) || !isnan(picture->elevation)) {
        Orbit usual = orbit_fit_box(scene, low, high, aspect);
        asked.view.has_angles = true;
        asked.view.azimuth = isnan(picture->azimuth) ? usual.azimuth : picture->azimuth * degree;
        asked.view.elevation =
            isnan(picture->elevation) ? usual.elevation : picture->elevation * degree;
    }
    if (picture->look_at.given) {
        asked.view.has_center = true;
        memcpy(asked.view.center, picture->look_at.values, sizeof asked.view.center);
    }
    Orbit orbit = orbit_fit_box(&asked, low, high, aspect);
    if (!isnan(picture->distance)) orbit.distance = picture->distance;
    return orbit;
}
