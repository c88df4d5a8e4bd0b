/* pick.c: what is under a pixel. That pixel alone is drawn, as one pixel large, with numbers in
 * place of colours (numbers.c). */
#include "internal.h"
#include "vec.h"

#include <math.h>
#include <string.h>

/* Stretches the pixel at (x, y) of the clip space over all of it, and keeps what lies in it. */
static void narrow(const Scope *scope, double x, double y, float clip[16], Lens *lens)
{
    for (int column = 0; column < 4; column++) {
        float *c = clip + 4 * column;
        c[0] = (float)(scope->width * (c[0] - x * c[3]));
        c[1] = (float)(scope->height * (c[1] - y * c[3]));
    }
    lens->plane_count = 4;
    for (int i = 0; i < 4; i++) {
        double side = i % 2 ? -1 : 1, plane[3];
        for (int k = 0; k < 3; k++) plane[k] = clip[4 * k + 3] + side * clip[4 * k + i / 2];
        normalize3(plane);
        for (int k = 0; k < 3; k++) lens->planes[i][k] = (float)plane[k];
        lens->planes[i][3] = 0;
    }
}

/* How far a point is from a triangle, squared, about; the weights of the corners for a point of it.
 */
static double distance_to(const double p[3], const float *a, const float *b, const float *c,
                          double weights[3])
{
    double u[3], v[3], w[3], normal[3], rest = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
        w[k] = p[k] - (double)a[k];
    }
    double uu = dot3(u, u), uv = dot3(u, v), vv = dot3(v, v), wu = dot3(w, u), wv = dot3(w, v);
    double area = uu * vv - uv * uv;
    if (!(area > 0)) return 1e300;
    double s = fmax(0, fmin(1, (vv * wu - uv * wv) / area));
    double t = fmax(0, fmin(1 - s, (uu * wv - uv * wu) / area));
    weights[0] = 1 - s - t;
    weights[1] = s;
    weights[2] = t;
    for (int k = 0; k < 3; k++) {
        normal[k] = w[k] - s * u[k] - t * v[k];
        rest += normal[k] * normal[k];
    }
    return rest;
}

static void find_triangle(const TnSceneSurface *surface, const float *points, Pick *pick)
{
    double nearest = INFINITY, weights[3] = {0, 0, 0};
    for (int t = 0; t < surface->triangle_count; t++) {
        const int32_t *corner = surface->triangles + 3 * t;
        double far = distance_to(pick->point, points + 3 * corner[0], points + 3 * corner[1],
                                 points + 3 * corner[2], weights);
        if (far >= nearest) continue;
        nearest = far;
        pick->triangle = t;
        memcpy(pick->weights, weights, sizeof weights);
    }
}

Pick renderer_pick(Renderer *r, const TnFrame *frame, const View *view, const DrawOptions *options,
                   int width, int height, int x, int y)
{
    Pick pick = {.shape = -1, .surface = -1, .triangle = -1};
    DrawStats stats = r->stats; /* of the last picture: kept */
    if (width < 1 || height < 1) return pick;
    if (!r->pick.frame && !numbers_target(r, &r->pick, 1, 1)) return pick;
    Scope scope = scope_of(view, width, height);
    Lens lens;
    float clip[16];
    double at_x = (2 * x + 1.0) / width - 1, at_y = 1 - (2 * y + 1.0) / height, ray[3];
    for (int k = 0; k < 3; k++)
        ray[k] = scope.forward[k] + at_x * scope.tan_x * scope.right[k] +
                 at_y * scope.tan_y * scope.up[k];
    renderer_prepare(r, frame, options, &scope, &lens);
    scope_clip_matrix(&scope, clip);
    narrow(&scope, at_x, at_y, clip, &lens);
    list_build(r, &r->opaque, &r->shapes, &lens, LIST_ALL);
    soft_upload(r);
    for (int k = 0; k < 3; k++) {
        r->block.ray_base[k] = (float)ray[k];
        r->block.ray_x[k] = r->block.ray_y[k] = 0;
    }
    renderer_send_block(r);
    numbers_draw(r, frame, options, &scope, clip, &r->pick, 1, 1, false);

    uint32_t found[2] = {0, 0};
    float depth;
    r->gl.ReadPixels(0, 0, 1, 1, GL_RG_INTEGER, GL_UNSIGNED_INT, found);
    r->gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    memcpy(&depth, &found[1], sizeof depth);
    r->stats = stats;
    if (!found[0]) return pick;
    for (int k = 0; k < 3; k++) pick.point[k] = scope.eye[k] + (double)depth * ray[k];
    int index;
    IdKind kind = id_kind(found[0], &index);
    if (kind == ID_IS_SHAPE) {
        pick.shape = index;
        pick.body = r->scene->shapes[index].body;
    } else if (kind == ID_IS_SURFACE) {
        pick.surface = index;
        pick.body = TN_BODY_WORLD;
        const TnSceneSurface *surface = &r->scene->surfaces[pick.surface];
        find_triangle(surface, frame->points + 3 * surface->point_start, &pick);
    }
    return pick;
}
