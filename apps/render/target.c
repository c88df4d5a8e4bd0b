/* target.c: where a picture is drawn before it goes to the window: linear light in 16-bit floats
 * with several samples per pixel, then their mean. */
#include "internal.h"

void target_destroy(Renderer *r)
{
    const Gl *gl = &r->gl;
    Target *target = &r->target;
    gl->DeleteFramebuffers(1, &target->draw); /* 0 is passed over */
    gl->DeleteFramebuffers(1, &target->resolve);
    gl->DeleteRenderbuffers(1, &target->draw_color);
    gl->DeleteRenderbuffers(1, &target->draw_depth);
    gl->DeleteTextures(1, &target->picture);
    *target = (Target){0};
}

static void attach(const Gl *gl, GLenum place, GLuint *buffer, GLenum format, int samples,
                   int width, int height)
{
    gl->GenRenderbuffers(1, buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, *buffer);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, samples > 1 ? samples : 0, format, width,
                                       height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, *buffer);
}

static bool create(Renderer *r, int width, int height, int samples)
{
    const Gl *gl = &r->gl;
    Target *target = &r->target;
    gl->GenTextures(1, &target->picture);
    gl->BindTexture(GL_TEXTURE_2D, target->picture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->GenFramebuffers(1, &target->resolve);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->resolve);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->picture,
                             0);
    bool fine = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    gl->GenFramebuffers(1, &target->draw);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->draw);
    if (samples > 1)
        attach(gl, GL_COLOR_ATTACHMENT0, &target->draw_color, GL_RGBA16F, samples, width, height);
    else
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                                 target->picture, 0);
    attach(gl, GL_DEPTH_ATTACHMENT, &target->draw_depth, GL_DEPTH_COMPONENT24, samples, width,
           height);
    return fine && gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

bool target_prepare(Renderer *r, int width, int height, int samples)
{
    Target *target = &r->target;
    int wanted = samples < 1 ? 1 : samples;
    while (wanted > r->max_samples && wanted > 1) wanted /= 2;
    if (target->draw && target->width == width && target->height == height &&
        target->samples == wanted)
        return true;
    for (int tried = wanted; tried >= 1; tried /= 2) {
        target_destroy(r);
        if (create(r, width, height, tried)) {
            target->width = width;
            target->height = height;
            target->samples = wanted; /* what was asked for, so that it is not tried again */
            return true;
        }
    }
    target_destroy(r);
    return false;
}

void target_resolve(Renderer *r)
{
    const Gl *gl = &r->gl;
    const Target *target = &r->target;
    if (!target->draw_color) return; /* drawn into the picture itself */
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target->draw);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, target->resolve);
    gl->BlitFramebuffer(0, 0, target->width, target->height, 0, 0, target->width, target->height,
                        GL_COLOR_BUFFER_BIT, GL_NEAREST);
}
