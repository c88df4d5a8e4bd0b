/* mirror.c: the reflection in the first plane that reflects (a material's reflectance): opaque
 * things are drawn as the eye's mirror image sees them, and the plane's shader looks them up at the
 * same pixel. With M p = p - 2 (n·p - d) n the picture's matrix becomes clip × M, and a plane of
 * the frustum (m, o) becomes (M m, o + 2 d n·m). */
#include "internal.h"
#include "vec.h"

void mirror_destroy(Renderer *r)
{
    r->gl.DeleteFramebuffers(1, &r->mirror.draw);
    r->gl.DeleteRenderbuffers(1, &r->mirror.draw_depth);
    r->gl.DeleteTextures(1, &r->mirror.picture);
    r->mirror = (Target){0};
}

static bool prepare(Renderer *r, int width, int height)
{
    const Gl *gl = &r->gl;
    Target *t = &r->mirror;
    if (t->draw && t->width == width && t->height == height) return true;
    mirror_destroy(r);
    gl->GenTextures(1, &t->picture);
    gl->BindTexture(GL_TEXTURE_2D, t->picture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, width, height, 0, GL_RGBA, GL_FLOAT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->GenFramebuffers(1, &t->draw);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->draw);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t->picture, 0);
    gl->GenRenderbuffers(1, &t->draw_depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, t->draw_depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                t->draw_depth);
    t->width = width;
    t->height = height;
    bool fine = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    if (!fine) mirror_destroy(r);
    return fine;
}

static Lens mirror_lens(const Lens *sides, const double n[3], double d)
{
    Lens lens = *sides;
    for (int i = 0; i < sides->plane_count; i++) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += n[k] * (double)sides->planes[i][k];
        for (int k = 0; k < 3; k++) lens.planes[i][k] -= (float)(2 * along * n[k]);
        lens.planes[i][3] += (float)(2 * d * along);
    }
    for (int k = 0; k < 3; k++) lens.eye[k] = (float)(2 * d * n[k]);
    lens.detail = sides;
    return lens;
}

static void mirror_clip(const float clip[16], const double n[3], double d, float out[16])
{
    for (int row = 0; row < 4; row++) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += (double)clip[4 * k + row] * n[k];
        for (int k = 0; k < 3; k++)
            out[4 * k + row] = (float)((double)clip[4 * k + row] - 2 * along * n[k]);
        out[12 + row] = (float)((double)clip[12 + row] + 2 * d * along);
    }
}

bool mirror_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const Lens *sides, const float clip[16])
{
    const Gl *gl = &r->gl;
    double n[3], d;
    float reflected[16];
    if (options->wireframe || planes_mirror(r, frame, options, scope, n, &d) < 0 ||
        !prepare(r, scope->width, scope->height))
        return false;
    Lens lens = mirror_lens(sides, n, d);
    mirror_clip(clip, n, d, reflected);
    list_build(r, &r->mirrored, &r->shapes, &lens, LIST_OPAQUE);
    const float nothing[4] = {0, 0, 0, 0};
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->mirror.draw);
    gl->Viewport(0, 0, scope->width, scope->height);
    gl->ClearBufferfv(GL_COLOR, 0, nothing);
    gl->DepthMask(GL_TRUE);
    gl->Clear(GL_DEPTH_BUFFER_BIT);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->Enable(GL_CULL_FACE);
    gl->FrontFace(GL_CW);
    looks_bind(r);
    for (int soft = 0; soft < 2; soft++) {
        const Program *program = soft ? &r->soft_lit : &r->shape;
        use_lit(r, program, reflected, 0, 1);
        gl->Uniform4f(program->cut, (float)n[0], (float)n[1], (float)n[2], (float)d);
        if (soft) gl->Disable(GL_CULL_FACE);
        if (soft)
            soft_draw(r, 0, r->soft_clear_start);
        else
            list_draw(r, &r->mirrored, program);
    }
    gl->FrontFace(GL_CCW);
    looks_bind(r);
    return true;
}
