/* numbers.c: pictures with numbers in place of colours: which thing each pixel shows, and how far
 * away it is along the viewing direction. Picking draws one pixel of it. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Numbers {
    Renderer *renderer;
    NumbersTarget target;
    int width, height;
    uint32_t *rows; /* as OpenGL hands them out: pairs, from the bottom */
};

bool numbers_target(Renderer *r, NumbersTarget *target, int width, int height)
{
    const Gl *gl = &r->gl;
    gl->GenFramebuffers(1, &target->frame);
    gl->GenRenderbuffers(1, &target->color);
    gl->GenRenderbuffers(1, &target->depth);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->frame);
    gl->BindRenderbuffer(GL_RENDERBUFFER, target->color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RG32UI, width, height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                target->color);
    gl->BindRenderbuffer(GL_RENDERBUFFER, target->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                target->depth);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void numbers_target_free(Renderer *r, NumbersTarget *target)
{
    r->gl.DeleteFramebuffers(1, &target->frame); /* 0 is passed over */
    r->gl.DeleteRenderbuffers(1, &target->color);
    r->gl.DeleteRenderbuffers(1, &target->depth);
    *target = (NumbersTarget){0};
}

static void start(Renderer *r, const NumbersTarget *target, int width, int height)
{
    const Gl *gl = &r->gl;
    const GLuint nothing[4] = {0, 0, 0, 0};
    const float far[1] = {1};
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->frame);
    gl->Viewport(0, 0, width, height);
    gl->Disable(GL_SCISSOR_TEST);
    gl->Disable(GL_BLEND);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->DepthMask(GL_TRUE);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    gl->ClearBufferuiv(GL_COLOR, 0, nothing);
    gl->ClearBufferfv(GL_DEPTH, 0, far);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(GL_CCW);
}

void numbers_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  const float clip[16], const NumbersTarget *target, int width, int height,
                  bool seen_only)
{
    const Gl *gl = &r->gl;
    const Program *programs[2] = {&r->shape_pick, &r->soft_pick};
    start(r, target, width, height);
    for (int soft = 0; soft < 2; soft++) {
        gl->UseProgram(programs[soft]->id);
        gl->UniformMatrix4fv(programs[soft]->clip, 1, GL_FALSE, clip);
        gl->Uniform3f(programs[soft]->forward, (float)scope->forward[0], (float)scope->forward[1],
                      (float)scope->forward[2]);
        gl->Uniform1f(programs[soft]->least_alpha, seen_only ? 0.5f / 65535 : 0);
        if (!soft) list_draw(r, &r->opaque, NULL);
        if (soft) gl->Disable(GL_CULL_FACE);
        if (soft) soft_draw(r, 0, r->soft.index_count);
    }
    planes_pick(r, frame, options, scope, clip, seen_only);
    gl->Disable(GL_DEPTH_TEST);
    gl->BindVertexArray(0);
    gl->UseProgram(0);
}

IdKind id_kind(uint32_t id, int *index)
{
    IdKind kind = !id                ? ID_IS_NOTHING
                  : id >= ID_SURFACE ? ID_IS_SURFACE
                  : id >= ID_TUBE    ? ID_IS_TUBE
                                     : ID_IS_SHAPE;
    const uint32_t starts[] = {0, 1, ID_SURFACE, ID_TUBE};
    *index = (int)(id - starts[kind]);
    return kind;
}

Numbers *numbers_create(Renderer *renderer, int width, int height, char *error, size_t error_size)
{
    Numbers *numbers = calloc(1, sizeof *numbers);
    uint32_t *rows = malloc((size_t)width * (size_t)height * 2 * sizeof *rows);
    if (!numbers || !rows) {
        free(numbers);
        free(rows);
        snprintf(error, error_size, "no memory for a picture of %d × %d pixels", width, height);
        return NULL;
    }
    *numbers = (Numbers){.renderer = renderer, .width = width, .height = height, .rows = rows};
    if (numbers_target(renderer, &numbers->target, width, height)) return numbers;
    snprintf(error, error_size, "the OpenGL driver has no room for a picture of %d × %d pixels",
             width, height);
    numbers_destroy(numbers);
    return NULL;
}

void numbers_destroy(Numbers *numbers)
{
    if (!numbers) return;
    numbers_target_free(numbers->renderer, &numbers->target);
    free(numbers->rows);
    free(numbers);
}

void numbers_read(Numbers *numbers, const TnFrame *frame, const View *view,
                  const DrawOptions *options, uint32_t *ids, float *depth)
{
    Renderer *r = numbers->renderer;
    size_t width = (size_t)numbers->width, height = (size_t)numbers->height;
    DrawStats stats = r->stats; /* of the last picture: kept */
    Scope scope = scope_of(view, numbers->width, numbers->height);
    Lens sides;
    float clip[16];
    renderer_prepare(r, frame, options, &scope, &sides);
    /* Rounding of outlines that the eye does not see counts in a depth: finer triangles. */
    Lens fine = sides;
    fine.pixels *= 32;
    sides.detail = &fine;
    scope_clip_matrix(&scope, clip);
    list_build(r, &r->opaque, &r->shapes, &sides, LIST_ALL);
    soft_upload(r);
    renderer_fill_rays(r, &scope);
    renderer_send_block(r);
    numbers_draw(r, frame, options, &scope, clip, &numbers->target, numbers->width, numbers->height,
                 true);
    r->gl.PixelStorei(GL_PACK_ALIGNMENT, 4);
    r->gl.ReadPixels(0, 0, numbers->width, numbers->height, GL_RG_INTEGER, GL_UNSIGNED_INT,
                     numbers->rows);
    r->gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    r->stats = stats;
    for (size_t y = 0; y < height; y++) {
        const uint32_t *from = numbers->rows + (height - 1 - y) * width * 2;
        for (size_t x = 0; x < width; x++) {
            if (ids) ids[y * width + x] = from[2 * x];
            if (depth && from[2 * x])
                memcpy(&depth[y * width + x], &from[2 * x + 1], sizeof *depth);
            else if (depth)
                depth[y * width + x] = INFINITY;
        }
    }
}
