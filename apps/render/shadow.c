/* shadow.c: the shadow map of one light, the sun or a lamp.
 *
 * The sun's map covers what both lies in the sun's way of something (the bounds of all finite
 * things) and can be seen (the camera's frustum, cut off behind the last finite thing), so that its
 * texels are as small as they can be in one map. Its size is rounded up in steps and its corner to
 * whole texels: a moving camera does not make the edges of shadows crawl. A lamp's map covers its
 * cone, or what of it has things in it. */
#include "internal.h"
#include "vec.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

bool shadow_create(Renderer *r, char *error, size_t error_size)
{
    const Gl *gl = &r->gl;
    gl->GenTextures(1, &r->shadow_map);
    gl->BindTexture(GL_TEXTURE_2D, r->shadow_map);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, SHADOW_TEXELS, SHADOW_TEXELS, 0,
                   GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    gl->GenFramebuffers(1, &r->shadow_frame);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->shadow_frame);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r->shadow_map, 0);
    gl->DrawBuffer(GL_NONE);
    gl->ReadBuffer(GL_NONE);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return true;
    snprintf(error, error_size, "the OpenGL driver cannot draw shadows of %d × %d texels",
             SHADOW_TEXELS, SHADOW_TEXELS);
    return false;
}

typedef struct Range {
    double low[3], high[3]; /* along the light's axes */
} Range;

static void range_add(Range *range, double axes[3][3], const double point[3])
{
    for (int k = 0; k < 3; k++) {
        double value = dot3(axes[k], point);
        range->low[k] = fmin(range->low[k], value);
        range->high[k] = fmax(range->high[k], value);
    }
}

static Range range_empty(void)
{
    return (Range){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
}

/* A box around what the map must hold; false where it is empty. axes[2] points away from the sun.
 */
static bool fit(const Renderer *r, const Scope *scope, double axes[3][3], Range *out)
{
    Range things = range_empty(), seen = range_empty();
    double depth = 0, origin[3] = {0, 0, 0};
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? r->bounds.high[k] : r->bounds.low[k];
        range_add(&things, axes, p);
        depth = fmax(depth, dot3(p, scope->forward));
    }
    range_add(&seen, axes, origin);
    for (int corner = 0; corner < 4; corner++) {
        double p[3], x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1;
        for (int k = 0; k < 3; k++)
            p[k] = depth * (scope->forward[k] + x * scope->tan_x * scope->right[k] +
                            y * scope->tan_y * scope->up[k]);
        range_add(&seen, axes, p);
    }
    *out = things;
    for (int k = 0; k < 2; k++) {
        out->low[k] = fmax(things.low[k], seen.low[k]);
        out->high[k] = fmin(things.high[k], seen.high[k]);
        if (!(out->low[k] < out->high[k])) return false;
    }
    return true;
}

/* Rounded up to the next of eight steps to the power of two. */
static double round_up(double size) { return exp2(ceil(8 * log2(size)) / 8); }

typedef struct Map {
    double axes[3][3];         /* right, up, away from the light */
    double start[3], scale[3]; /* of x, y, z along the axes, or of x/z, y/z, z */
    double from[3];            /* the light's place; 0: parallel */
    double texel;              /* m, or at a distance of 1 m */
} Map;

static bool fit_parallel(const Renderer *r, const Scope *scope, Map *map)
{
    Range range;
    double axes[3][3];
    for (int k = 0; k < 3; k++) axes[2][k] = -r->caster.to[k];
    perpendicular3(axes[0], axes[2]);
    cross3(axes[1], axes[0], axes[2]); /* as OpenGL looks at it */
    memcpy(map->axes, axes, sizeof axes);
    if (!fit(r, scope, axes, &range)) return false;
    for (int k = 0; k < 3; k++) {
        double size = range.high[k] - range.low[k];
        if (k == 2) {
            double margin = 0.02 * size + 4 * map->texel;
            map->start[k] = range.low[k] - margin;
            map->scale[k] = 1 / (size + 2 * margin);
            continue;
        }
        size = round_up(size * (1 + 8.0 / SHADOW_TEXELS) + 1e-12);
        double step = size / SHADOW_TEXELS, eye = dot3(map->axes[k], scope->eye);
        map->start[k] = floor((range.low[k] + eye) / step - 3) * step - eye;
        map->scale[k] = 1 / size;
        map->texel = fmax(map->texel, step);
    }
    return true;
}

/* A wide cone is cut to this half angle, towards the middle of everything: a wider map would have
 * no texels left. */
#define WIDEST (65 * 3.14159265358979323846 / 180)

/* The light's cone, less what nothing is in. */
static bool fit_cone(const Renderer *r, Map *map)
{
    const Caster *caster = &r->caster;
    double middle[3], extent = 0, near = DBL_MAX, far = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = (r->bounds.low[k] + r->bounds.high[k]) / 2 - caster->from[k];
        extent = fmax(extent, r->bounds.high[k] - r->bounds.low[k]);
    }
    bool wide = caster->cutoff > WIDEST;
    memcpy(map->axes[2], wide ? middle : caster->axis, sizeof middle);
    if (normalize3(map->axes[2]) <= 0) return false;
    perpendicular3(map->axes[0], map->axes[2]);
    cross3(map->axes[1], map->axes[0], map->axes[2]);
    memcpy(map->from, caster->from, sizeof map->from);
    double tangent = tan(wide ? WIDEST : caster->cutoff), most = 0;
    for (int corner = 0; corner < 8; corner++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = (corner >> k & 1 ? r->bounds.high[k] : r->bounds.low[k]) - caster->from[k];
        double x = dot3(map->axes[0], p), y = dot3(map->axes[1], p), z = dot3(map->axes[2], p);
        near = fmin(near, z);
        far = fmax(far, z);
        most = fmax(most, z > 0 ? fmax(fabs(x), fabs(y)) / z : tangent);
    }
    if (!(far > 0)) return false;
    tangent = fmin(tangent, round_up(1.01 * most));
    near = fmax(near, 0.01 * extent); /* things at the lamp itself throw no shadow */
    far = 1.02 * fmax(far, 1.01 * near);
    for (int k = 0; k < 2; k++) {
        map->start[k] = -tangent;
        map->scale[k] = 1 / (2 * tangent);
    }
    map->start[2] = 0.98 * near;
    map->scale[2] = far;
    map->texel = 2 * tangent / SHADOW_TEXELS;
    return true;
}

/* Rows of the matrix from a place, seen from the eye, to x, y, depth (0 to 1) times w, and w. */
static void fill_rows(const Map *map, bool parallel, double rows[4][4])
{
    double near = map->start[2], far = map->scale[2];
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++) rows[row][k] = 0;
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) {
            if (parallel)
                rows[row][k] = map->axes[row][k] * map->scale[row];
            else if (row < 2)
                rows[row][k] =
                    (map->axes[row][k] - map->start[row] * map->axes[2][k]) * map->scale[row];
            else
                rows[row][k] = far / (far - near) * map->axes[2][k];
        }
    for (int k = 0; k < 3 && !parallel; k++) rows[3][k] = map->axes[2][k];
    for (int row = 0; row < 4; row++) {
        double constant = parallel ? -map->start[row < 3 ? row : 0] * map->scale[row < 3 ? row : 0]
                          : row == 2 ? -far * near / (far - near)
                                     : 0;
        rows[row][3] = row == 3 && parallel ? 1 : constant - dot3(rows[row], map->from);
    }
}

/* What throws a shadow into the map: within its four sides. */
static Lens lens_of(const Map *map, bool parallel, const double rows[4][4])
{
    Lens lens = {.plane_count = 4,
                 .parallel = parallel,
                 .shadow = true,
                 .pixels = (float)(0.3 / map->texel)};
    for (int k = 0; k < 3; k++) {
        lens.forward[k] = (float)map->axes[2][k];
        lens.eye[k] = (float)map->from[k];
    }
    for (int i = 0; i < 4; i++) { /* row >= 0 and row <= w */
        double plane[4], length;
        for (int k = 0; k < 4; k++) plane[k] = i % 2 ? rows[3][k] - rows[i / 2][k] : rows[i / 2][k];
        length = length3(plane);
        for (int k = 0; k < 4; k++) lens.planes[i][k] = (float)(plane[k] / length);
    }
    return lens;
}

bool shadow_draw(Renderer *r, const Scope *scope)
{
    const Gl *gl = &r->gl;
    Map map = {.texel = 0};
    bool parallel = r->caster.parallel;
    if (r->bounds.low[0] > r->bounds.high[0] ||
        !(parallel ? fit_parallel(r, scope, &map) : fit_cone(r, &map)))
        return false;
    double rows[4][4];
    float clip[16];
    fill_rows(&map, parallel, rows);
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++) {
            r->block.light_rows[row][k] = (float)rows[row][k];
            clip[4 * k + row] = (float)(row < 3 ? 2 * rows[row][k] - rows[3][k] : rows[3][k]);
        }
    r->block.sizes[0] = (float)map.texel;

    /* Things throw their shadow with the very mesh that the camera sees: a finer one would stick
     * out of it and spot it with shadow. */
    Lens camera = scope_sides(scope), lens = lens_of(&map, parallel, (const double(*)[4])rows);
    lens.detail = &camera;
    list_build(r, &r->casters, &r->shapes, &lens, LIST_OPAQUE);

    gl->BindFramebuffer(GL_FRAMEBUFFER, r->shadow_frame);
    gl->Viewport(0, 0, SHADOW_TEXELS, SHADOW_TEXELS);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->Enable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(1.2f, 2.0f);
    gl->Enable(GL_CULL_FACE);
    gl->UseProgram(r->shape_depth.id);
    gl->UniformMatrix4fv(r->shape_depth.clip, 1, GL_FALSE, clip);
    list_draw(r, &r->casters, NULL);
    if (r->soft_clear_start > 0) {
        gl->Disable(GL_CULL_FACE);
        gl->UseProgram(r->soft_depth.id);
        gl->UniformMatrix4fv(r->soft_depth.clip, 1, GL_FALSE, clip);
        soft_draw(r, 0, r->soft_clear_start);
    }
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    return true;
}
