/* shadow.c: the sun's shadow map.
 *
 * The map covers what both lies in the sun's way of something (the bounds of all finite things) and
 * can be seen (the camera's frustum, cut off behind the last finite thing), so that its texels are
 * as small as they can be in one map. Its size is rounded up in steps and its corner to whole
 * texels: a moving camera does not make the edges of shadows crawl. */
#include "internal.h"
#include "vec.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

const double sun_direction[3] = {-0.37139068, -0.55708601, 0.74278135}; /* length 1 */

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

bool shadow_draw(Renderer *r, const Scope *scope)
{
    const Gl *gl = &r->gl;
    double axes[3][3], scale[3], start[3], texel = 0;
    for (int k = 0; k < 3; k++) axes[2][k] = -sun_direction[k];
    perpendicular3(axes[0], axes[2]);
    cross3(axes[1], axes[0], axes[2]); /* x right, y up, z away: as OpenGL looks at it */
    Range range;
    if (r->bounds.low[0] > r->bounds.high[0] || !fit(r, scope, axes, &range)) return false;
    for (int k = 0; k < 3; k++) {
        double size = range.high[k] - range.low[k];
        if (k == 2) {
            double margin = 0.02 * size + 4 * texel;
            start[k] = range.low[k] - margin;
            scale[k] = 1 / (size + 2 * margin);
            continue;
        }
        size = round_up(size * (1 + 8.0 / SHADOW_TEXELS) + 1e-12);
        double step = size / SHADOW_TEXELS, eye = dot3(axes[k], scope->eye);
        start[k] = floor((range.low[k] + eye) / step - 3) * step - eye;
        scale[k] = 1 / size;
        texel = fmax(texel, step);
    }
    float clip[16] = {0};
    clip[15] = 1;
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k < 3; k++) {
            double value = axes[row][k] * scale[row];
            r->block.light_rows[row][k] = (float)value;
            clip[4 * k + row] = (float)(2 * value);
        }
        r->block.light_rows[row][3] = (float)(-start[row] * scale[row]);
        clip[12 + row] = (float)(-2 * start[row] * scale[row] - 1);
    }
    r->block.sizes[0] = (float)texel;

    /* Things throw their shadow with the very mesh that the camera sees: a finer one would stick
     * out of it and spot it with shadow. */
    Lens camera = scope_sides(scope);
    Lens lens = {
        .plane_count = 4, .parallel = true, .pixels = (float)(0.3 / texel), .detail = &camera};
    for (int k = 0; k < 3; k++) lens.forward[k] = (float)axes[2][k];
    for (int i = 0; i < 4; i++) {
        int k = i / 2;
        double side = i % 2 ? -1 : 1;
        for (int j = 0; j < 3; j++) lens.planes[i][j] = (float)(side * axes[k][j]);
        lens.planes[i][3] = (float)(side > 0 ? -start[k] : start[k] + 1 / scale[k]);
    }
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
    list_draw(r, &r->casters);
    if (r->soft_clear_start > 0) {
        gl->Disable(GL_CULL_FACE);
        gl->UseProgram(r->soft_depth.id);
        gl->UniformMatrix4fv(r->soft_depth.clip, 1, GL_FALSE, clip);
        soft_draw(r, 0, r->soft_clear_start);
    }
    gl->Disable(GL_POLYGON_OFFSET_FILL);
    return true;
}
