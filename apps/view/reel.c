/* reel.c: a film of the window: what is seen, thirty pictures a second by the wall.
 *
 * Where pictures take longer than that, the last one is repeated, so that the film has the speed of
 * what was seen. */
#include "platform/files.h"
#include "window.h"

#include <stdio.h>

static const double rate = 30, patience = 0.5; /* 1/s; s: what was missed beyond is left out */

static void tell(Viewer *viewer, bool recording)
{
    event_begin(viewer->def.events, "film");
    event_text(viewer->def.events, "path", viewer->reel.path);
    event_bool(viewer->def.events, "value", recording);
    event_integer(viewer->def.events, "pictures", viewer->reel.pictures);
    event_end(viewer->def.events);
}

/* The first name that nothing in the folder has. */
static void choose_path(Viewer *viewer)
{
    TnFileInfo info;
    Reel *reel = &viewer->reel;
    int number = 0;
    do {
        snprintf(reel->path, sizeof reel->path, "%.480s/tenon-%04d%s",
                 viewer->def.screenshot_folder, ++number, film_has_ffmpeg() ? ".mp4" : "-film");
    } while (tn_file_info(reel->path, &info) == 0 && number < 9999);
}

static void put_away(Reel *reel)
{
    canvas_destroy(reel->canvas);
    image_free(&reel->image);
    reel->canvas = NULL;
}

static void begin(Viewer *viewer)
{
    Reel *reel = &viewer->reel;
    char error[256] = "no memory";
    int width = viewer->width & ~1, height = viewer->height & ~1; /* as MP4 needs it */
    choose_path(viewer);
    reel->pictures = 0;
    reel->canvas = canvas_create(viewer->renderer, width, height, error, sizeof error);
    if (reel->canvas && image_create(&reel->image, width, height))
        reel->film = film_create(reel->path, width, height, rate, error, sizeof error);
    if (!reel->film) {
        viewer_complain(viewer, "no film: %s", error);
        put_away(reel);
        return;
    }
    reel->due = glfw.GetTime();
    tell(viewer, true);
    viewer_say(viewer, "films to %s; F7 ends it", reel->path);
}

void film_end(Viewer *viewer)
{
    Reel *reel = &viewer->reel;
    char error[256] = "";
    if (!reel->film) return;
    bool whole = film_close(reel->film, error, sizeof error);
    reel->film = NULL;
    put_away(reel);
    if (whole)
        viewer_say(viewer, "film: %s, %d pictures", reel->path, reel->pictures);
    else
        viewer_complain(viewer, "no film: %s", error);
    tell(viewer, false);
}

void film_toggle(Viewer *viewer)
{
    if (viewer->reel.film)
        film_end(viewer);
    else
        begin(viewer);
}

void film_sample(Viewer *viewer)
{
    Reel *reel = &viewer->reel;
    char error[256];
    double now = glfw.GetTime();
    if (!reel->film || now < reel->due) return;
    if (now > reel->due + patience) reel->due = now;
    View view = viewer_view(viewer);
    DrawOptions draw = viewer_options(viewer);
    renderer_draw(viewer->renderer, viewer->frame, &view, &draw, canvas_target(reel->canvas),
                  reel->image.width, reel->image.height);
    canvas_read(reel->canvas, reel->image.rgb);
    for (; reel->due <= now; reel->due += 1 / rate, reel->pictures++)
        if (!film_add(reel->film, &reel->image, error, sizeof error)) {
            viewer_complain(viewer, "%s", error);
            film_end(viewer);
            return;
        }
}
