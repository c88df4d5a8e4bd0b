/* labels.c: names beside the bodies. */
#include "window.h"

#include <math.h>

/* Where a point is in the picture, in pixels; false where it is behind the camera or outside. */
static bool project(const Viewer *viewer, const View *view, const double point[3], float *x,
                    float *y)
{
    const double *f = view->forward, *u = view->up;
    const double right[3] = {f[1] * u[2] - f[2] * u[1], f[2] * u[0] - f[0] * u[2],
                             f[0] * u[1] - f[1] * u[0]};
    double across = 0, upwards = 0, depth = 0;
    for (int k = 0; k < 3; k++) {
        double offset = point[k] - view->eye[k];
        across += offset * right[k];
        upwards += offset * u[k];
        depth += offset * f[k];
    }
    if (depth <= 1e-9) return false;
    double unit = 0.5 * viewer->height / (depth * tan(view->fovy / 2));
    *x = (float)(0.5 * viewer->width + unit * across);
    *y = (float)(0.5 * viewer->height - unit * upwards);
    return *x >= 0 && *y >= 0 && *x < (float)viewer->width && *y < (float)viewer->height;
}

/* Takes the cells of a raster under a text, where all are free. */
enum { CELLS = 64 };
static bool take_cells(const Viewer *viewer, bool cells[CELLS][CELLS], float x, float y,
                       float width, float height)
{
    int left = (int)(x / (float)viewer->width * CELLS),
        top = (int)(y / (float)viewer->height * CELLS);
    int right = (int)((x + width) / (float)viewer->width * CELLS);
    int bottom = (int)((y + height) / (float)viewer->height * CELLS);
    right = right < CELLS ? right : CELLS - 1;
    bottom = bottom < CELLS ? bottom : CELLS - 1;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++)
            if (cells[r][c]) return false;
    for (int r = top; r <= bottom; r++)
        for (int c = left; c <= right; c++) cells[r][c] = true;
    return true;
}

/* Names beside the bodies; one that would lie over another is left out, the selected one never. */
void labels_draw(const Viewer *viewer, const View *view)
{
    bool cells[CELLS][CELLS] = {{false}};
    float x, y, line = overlay_line_height(viewer->overlay);
    for (int i = 1; i <= viewer->scene->body_count; i++) {
        /* the selected body first */
        TnBodyId body = i > 1 ? i : viewer->selected;
        if (body == 0 || (i > 1 && body == viewer->selected)) continue;
        if (!project(viewer, view, viewer->frame->poses + 7 * (body - 1), &x, &y)) continue;
        char name[32];
        const char *text = viewer_body_name(viewer, body, name);
        if (!take_cells(viewer, cells, x, y, overlay_text_width(viewer->overlay, text), line))
            continue;
        overlay_text(viewer->overlay, x + viewer->scale, y + viewer->scale,
                     (OverlayColor){0, 0, 0, 0.8f}, text);
        overlay_text(viewer->overlay, x, y, body == viewer->selected ? ui_amber : ui_white, text);
    }
}
