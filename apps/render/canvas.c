/* canvas.c: an off-screen picture of 8 bits per colour, and its way back into memory. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

struct Canvas {
    Renderer *renderer;
    GLuint frame, color;
    int width, height;
    uint8_t *rows; /* as OpenGL hands them out: RGBA, from the bottom */
};

Canvas *canvas_create(Renderer *renderer, int width, int height, char *error, size_t error_size)
{
    const Gl *gl = &renderer->gl;
    GLint limit = 0, limit_view[2] = {0, 0};
    gl->GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, limit_view);
    if (width < 1 || height < 1 || width > limit || height > limit || width > limit_view[0] ||
        height > limit_view[1]) {
        snprintf(error, error_size, "a picture of %d × %d pixels: the OpenGL driver draws up to %d",
                 width, height, limit);
        return NULL;
    }
    Canvas *canvas = calloc(1, sizeof *canvas);
    uint8_t *rows = malloc((size_t)width * (size_t)height * 4);
    if (!canvas || !rows) {
        free(canvas);
        free(rows);
        snprintf(error, error_size, "no memory for a picture of %d × %d pixels", width, height);
        return NULL;
    }
    *canvas = (Canvas){.renderer = renderer, .width = width, .height = height, .rows = rows};
    gl->GenRenderbuffers(1, &canvas->color);
    gl->BindRenderbuffer(GL_RENDERBUFFER, canvas->color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    gl->GenFramebuffers(1, &canvas->frame);
    gl->BindFramebuffer(GL_FRAMEBUFFER, canvas->frame);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                canvas->color);
    if (gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return canvas;
    snprintf(error, error_size, "the OpenGL driver has no room for a picture of %d × %d pixels",
             width, height);
    canvas_destroy(canvas);
    return NULL;
}

void canvas_destroy(Canvas *canvas)
{
    if (!canvas) return;
    canvas->renderer->gl.DeleteFramebuffers(1, &canvas->frame);
    canvas->renderer->gl.DeleteRenderbuffers(1, &canvas->color);
    free(canvas->rows);
    free(canvas);
}

unsigned canvas_target(const Canvas *canvas) { return canvas->frame; }

void canvas_read(Canvas *canvas, uint8_t *rgb)
{
    const Gl *gl = &canvas->renderer->gl;
    size_t width = (size_t)canvas->width, height = (size_t)canvas->height;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, canvas->frame);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, canvas->width, canvas->height, GL_RGBA, GL_UNSIGNED_BYTE, canvas->rows);
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = canvas->rows + (height - 1 - y) * width * 4;
        uint8_t *to = rgb + y * width * 3;
        for (size_t x = 0; x < width; x++) {
            to[3 * x] = from[4 * x];
            to[3 * x + 1] = from[4 * x + 1];
            to[3 * x + 2] = from[4 * x + 2];
        }
    }
}
