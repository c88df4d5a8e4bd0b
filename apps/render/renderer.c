/* renderer.c: a picture from start to end.
 *
 *   place shapes, tubes, surfaces, signs (place.c, signs.c)
 *   lights (lights.c), shadow map (shadow.c), reflection (mirror.c)
 *   opaque things, planes, sky, clear things from back to front, signs (lists.c, planes.c)
 *   mean of the samples (target.c), sRGB into the caller's target */
#include "internal.h"
#include "vec.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

DrawOptions draw_options(void)
{
    return (DrawOptions){.group_mask = 7,
                         .shadows = true,
                         .ground_grid = true,
                         .sky = true,
                         .fog = true,
                         .tendons = true};
}

const char *renderer_driver(const Renderer *renderer) { return renderer->driver; }
StressScale renderer_stress(const Renderer *renderer) { return renderer->stress; }
DrawStats renderer_stats(const Renderer *renderer) { return renderer->stats; }

void soft_upload(Renderer *r)
{
    const Gl *gl = &r->gl;
    if (!r->soft.index_count) return;
    size_t vertex_bytes = (size_t)r->soft.vertex_count * sizeof *r->soft.vertices;
    size_t index_bytes = (size_t)r->soft.index_count * sizeof *r->soft.indices;
    gl->BindVertexArray(r->soft_array);
    void *vertices =
        stream_begin(r, GL_ARRAY_BUFFER, r->soft_vertices, &r->soft_vertex_room, vertex_bytes);
    if (vertices) memcpy(vertices, r->soft.vertices, vertex_bytes);
    if (vertices) gl->UnmapBuffer(GL_ARRAY_BUFFER);
    void *indices =
        stream_begin(r, GL_ELEMENT_ARRAY_BUFFER, r->soft_indices, &r->soft_index_room, index_bytes);
    if (indices) memcpy(indices, r->soft.indices, index_bytes);
    if (indices) gl->UnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
    if (vertices && indices) return;
    soft_clear(&r->soft);
    r->soft_clear_start = 0;
}

void soft_draw(Renderer *r, int first, int count)
{
    if (count <= 0) return;
    r->gl.BindVertexArray(r->soft_array);
    r->gl.DrawElements(GL_TRIANGLES, count, GL_UNSIGNED_INT,
                       buffer_place((size_t)first * sizeof(uint32_t)));
    r->stats.draw_calls++;
    r->stats.triangles += count / 3;
}

/* The largest of 1, 2, 5, 10, … that is not above a size. */
static double nice_below(double size)
{
    double power = pow(10, floor(log10(size)));
    return power * (size / power >= 5 ? 5 : size / power >= 2 ? 2 : 1);
}

static double half_diagonal(const Bounds *bounds)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (bounds->high[k] - bounds->low[k]) * (bounds->high[k] - bounds->low[k]);
    return bounds->low[0] <= bounds->high[0] ? sqrt(sum) / 2 : 0;
}

void renderer_prepare(Renderer *r, const TnFrame *frame, const DrawOptions *options, Scope *scope,
                      Lens *sides)
{
    *sides = scope_sides(scope);
    place_shapes(r, frame, options, scope, sides);
    place_soft(r, frame, options, scope, sides);
    double normal[3] = {0, 0, 1}, height = 0, extent = half_diagonal(&r->bounds);
    bool ground = planes_ground(r, frame, options, scope, normal, &height);
    if (!(extent > 0)) extent = ground ? height : 1;
    double nearest = fmin(r->nearest, planes_nearest(r, frame, options, scope));
    if (options->has_pull) {
        for (int end = 0; end < 2; end++) {
            const double *point = end ? options->pull_to : options->pull_from;
            double from[3];
            for (int k = 0; k < 3; k++) from[k] = point[k] - scope->eye[k];
            nearest = fmin(nearest, dot3(from, scope->forward));
        }
    }
    scope->near = fmin(fmax(0.5 * nearest, 5e-4 * extent), 1e9 * extent);
    if (!(r->cell > 0)) {
        double size =
            r->scene->view.has_extent && r->scene->view.extent > 0 ? r->scene->view.extent : extent;
        r->cell = nice_below(size / 3);
    }
    SceneBlock *block = &r->block;
    block->sizes[1] = ground ? (float)(0.8 * r->typical) : 0;
    for (int k = 0; k < 3; k++) block->ground[k] = (float)normal[k];
    block->ground[3] = (float)height;
}

void renderer_fill_rays(Renderer *r, const Scope *scope)
{
    SceneBlock *block = &r->block;
    for (int k = 0; k < 3; k++) {
        block->ray_base[k] = (float)(scope->forward[k] - scope->tan_x * scope->right[k] -
                                     scope->tan_y * scope->up[k]);
        block->ray_x[k] = (float)(2 * scope->tan_x / scope->width * scope->right[k]);
        block->ray_y[k] = (float)(2 * scope->tan_y / scope->height * scope->up[k]);
    }
}

static void fill_block(Renderer *r, const DrawOptions *options, const Scope *scope)
{
    static const float horizon[3] = {0.76f, 0.83f, 0.90f}, zenith[3] = {0.35f, 0.40f, 0.68f},
                       below[3] = {0.30f, 0.32f, 0.35f}, blank[3] = {1, 1, 1};
    SceneBlock *block = &r->block;
    double center[3] = {0, 0, 0}, fill[3], extent = half_diagonal(&r->bounds);
    for (int k = 0; k < 3; k++)
        if (extent > 0) center[k] = (r->bounds.low[k] + r->bounds.high[k]) / 2;
    double reach = 10 * fmax(length3(center), fmax(2 * extent, (double)block->ground[3]));
    for (int k = 0; k < 3; k++) {
        const float *end = r->sky_box ? r->sky_horizon : horizon;
        block->fog[k] = !options->sky             ? blank[k]
                        : r->scene->view.has_haze ? (float)pow(fmax(r->scene->view.haze[k], 0), 2.2)
                                                  : end[k];
        block->zenith[k] = zenith[k];
        block->below[k] = below[k];
        fill[k] = -scope->forward[k] - 0.5 * scope->right[k] + 0.3 * scope->up[k];
    }
    renderer_fill_rays(r, scope);
    normalize3(fill);
    for (int k = 0; k < 3; k++) block->fill[k] = (float)fill[k];
    block->fog[3] = options->fog && reach > 0 ? (float)(1 / reach) : 0;
    block->zenith[3] = !options->sky ? 0 : r->sky_box ? 2 : 1;
}

void renderer_send_block(Renderer *r)
{
    r->gl.BindBuffer(GL_UNIFORM_BUFFER, r->scene_block);
    r->gl.BufferData(GL_UNIFORM_BUFFER, (GLsizeiptr)sizeof r->block, &r->block, GL_STREAM_DRAW);
    r->gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, r->scene_block);
}

void use_lit(Renderer *r, const Program *program, const float clip[16], float plain, float veil)
{
    r->gl.UseProgram(program->id);
    r->gl.UniformMatrix4fv(program->clip, 1, GL_FALSE, clip);
    r->gl.Uniform1f(program->plain, plain);
    r->gl.Uniform1f(program->veil, veil);
    r->gl.Uniform4f(program->cut, 0, 0, 0, 0);
    look_send(r, program, 0, -1);
}

static void draw_sky(Renderer *r)
{
    r->gl.DepthFunc(GL_LEQUAL);
    r->gl.UseProgram(r->sky.id);
    r->gl.BindVertexArray(r->empty_array);
    r->gl.DrawArrays(GL_TRIANGLES, 0, 3);
    r->stats.draw_calls++;
    r->gl.DepthFunc(GL_LESS);
}

static void draw_world(Renderer *r, const TnFrame *frame, const DrawOptions *options,
                       const Scope *scope, const float clip[16])
{
    const Gl *gl = &r->gl;
    gl->Enable(GL_CULL_FACE);
    gl->PolygonMode(GL_FRONT_AND_BACK, options->wireframe ? GL_LINE : GL_FILL);
    use_lit(r, &r->shape, clip, 0, 1);
    list_draw(r, &r->opaque, &r->shape);
    gl->Disable(GL_CULL_FACE); /* surfaces have two sides */
    use_lit(r, &r->soft_lit, clip, 0, 1);
    soft_draw(r, 0, r->soft_clear_start);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    planes_draw(r, frame, options, scope, clip, false);
    draw_sky(r);

    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthMask(GL_FALSE);
    planes_draw(r, frame, options, scope, clip, true);
    gl->PolygonMode(GL_FRONT_AND_BACK, options->wireframe ? GL_LINE : GL_FILL);
    use_lit(r, &r->soft_lit, clip, 0, 1);
    soft_draw(r, r->soft_clear_start, r->soft.index_count - r->soft_clear_start);
    gl->Enable(GL_CULL_FACE);
    use_lit(r, &r->shape, clip, 0, 1);
    list_draw(r, &r->clear, &r->shape);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);

    if (r->marks.count) { /* what is hidden of them shines through faintly */
        gl->DepthFunc(GL_GREATER);
        use_lit(r, &r->shape, clip, 1, 0.35f);
        list_draw(r, &r->marks, &r->shape);
        gl->DepthFunc(GL_LESS);
        gl->DepthMask(GL_TRUE);
        use_lit(r, &r->shape, clip, 1, 1);
        list_draw(r, &r->marks, &r->shape);
    }
}

static void draw_final(Renderer *r, unsigned target, int width, int height)
{
    const Gl *gl = &r->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->Viewport(0, 0, width, height);
    gl->Disable(GL_DEPTH_TEST);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->DepthMask(GL_TRUE);
    gl->UseProgram(r->final.id);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, r->target.picture);
    gl->BindVertexArray(r->empty_array);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->BindTexture(GL_TEXTURE_2D, 0);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
    r->stats.draw_calls++;
}

void renderer_draw(Renderer *r, const TnFrame *frame, const View *view, const DrawOptions *options,
                   unsigned target, int width, int height)
{
    const Gl *gl = &r->gl;
    r->stats = (DrawStats){0};
    if (width < 1 || height < 1) return;
    Scope scope = scope_of(view, width, height);
    Lens sides;
    float clip[16];
    renderer_prepare(r, frame, options, &scope, &sides);
    place_signs(r, frame, options, &scope, &sides);
    soft_upload(r);
    fill_block(r, options, &scope);
    lights_place(r, frame, &scope);
    list_build(r, &r->opaque, &r->shapes, &sides, LIST_OPAQUE);
    list_build(r, &r->clear, &r->shapes, &sides, LIST_CLEAR);
    list_build(r, &r->marks, &r->signs, &sides, LIST_ALL);
    r->stats.instances = r->opaque.count + r->clear.count + r->marks.count;

    gl->Disable(GL_SCISSOR_TEST);
    gl->Disable(GL_STENCIL_TEST);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_FRAMEBUFFER_SRGB);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    gl->FrontFace(GL_CCW);
    gl->CullFace(GL_BACK);
    bool shadows =
        options->shadows && !options->wireframe && r->caster.there && shadow_draw(r, &scope);
    r->block.sun[3] = shadows ? 1 : 0;
    renderer_send_block(r);

    int samples = options->samples > 0 ? options->samples : target == 0 && r->software ? 1 : 4;
    if (!target_prepare(r, width, height, samples)) return;
    scope_clip_matrix(&scope, clip);
    looks_bind(r);
    r->mirrors = mirror_draw(r, frame, options, &scope, &sides, clip);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->target.draw);
    gl->Viewport(0, 0, width, height);
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_MULTISAMPLE);
    gl->DepthFunc(GL_LESS);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT); /* every pixel gets a colour from the sky */
    draw_world(r, frame, options, &scope, clip);
    target_resolve(r);
    draw_final(r, target, width, height);
}
