/* scope.c: the camera's numbers: axes, projection, what it sees.
 *
 * The projection has a near end and no far one: a ground that reaches to the horizon needs no end,
 * and the depth buffer loses next to nothing by it. */
#include "internal.h"
#include "vec.h"

#include <string.h>

Scope scope_of(const View *view, int width, int height)
{
    Scope scope = {.width = width, .height = height};
    memcpy(scope.eye, view->eye, sizeof scope.eye);
    memcpy(scope.forward, view->forward, sizeof scope.forward);
    normalize3(scope.forward);
    cross3(scope.right, scope.forward, view->up);
    if (normalize3(scope.right) < 1e-9) perpendicular3(scope.right, scope.forward);
    cross3(scope.up, scope.right, scope.forward);
    scope.tan_y = tan(view->fovy / 2);
    scope.tan_x = scope.tan_y * width / height;
    scope.near = 1e-3;
    return scope;
}

Lens scope_sides(const Scope *scope)
{
    Lens lens = {.plane_count = 4, .pixels = (float)(scope->height / (2 * scope->tan_y))};
    for (int i = 0; i < 4; i++) {
        const double *axis = i < 2 ? scope->right : scope->up;
        double slope = i < 2 ? scope->tan_x : scope->tan_y, side = i % 2 ? -1 : 1;
        double scale = 1 / sqrt(1 + slope * slope);
        for (int k = 0; k < 3; k++)
            lens.planes[i][k] = (float)(scale * (slope * scope->forward[k] + side * axis[k]));
        lens.planes[i][3] = 0;
    }
    for (int k = 0; k < 3; k++) lens.forward[k] = (float)scope->forward[k];
    return lens;
}

/* Column by column, as OpenGL reads it. */
void scope_clip_matrix(const Scope *scope, float out[16])
{
    for (int k = 0; k < 3; k++) {
        out[4 * k + 0] = (float)(scope->right[k] / scope->tan_x);
        out[4 * k + 1] = (float)(scope->up[k] / scope->tan_y);
        /* a hair nearer than the far end, so that the horizon is not lost to rounding */
        out[4 * k + 2] = (float)((1 - 0x1p-20) * scope->forward[k]);
        out[4 * k + 3] = (float)scope->forward[k];
    }
    out[12] = out[13] = out[15] = 0;
    out[14] = (float)(-2 * scope->near);
}

bool lens_sees(const Lens *lens, const float pos[3], float radius)
{
    for (int i = 0; i < lens->plane_count; i++) {
        const float *plane = lens->planes[i];
        if (plane[0] * pos[0] + plane[1] * pos[1] + plane[2] * pos[2] + plane[3] < -radius)
            return false;
    }
    return true;
}

float lens_pixels(const Lens *lens, const float pos[3], float radius)
{
    if (lens->parallel) return radius * lens->pixels;
    float depth = lens->forward[0] * pos[0] + lens->forward[1] * pos[1] + lens->forward[2] * pos[2];
    return radius * lens->pixels / (depth > radius ? depth : radius);
}
