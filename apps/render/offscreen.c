/* offscreen.c: tenon/render.h: a world, or a frame of a recording, seen by a camera, as arrays. */
#include <tenon/render.h>

#include "headless.h"
#include "internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct TnRenderer {
    TnRendererDef def;
    TnModelInfo counts; /* of the model that it was made for */
    TnScene *made;      /* owns what the scene points to; NULL: the scene is the caller's */
    TnScene scene;      /* with shapes of its own: a world may change their sizes */
    TnSceneShape *shapes;
    TnFrame *frame; /* of a world; NULL: frames are the caller's */
    Headless *headless;
    Renderer *renderer;
    Canvas *canvas;
    Numbers *numbers;
    DrawOptions options;
};

__attribute__((format(printf, 3, 4))) static TnStatus refuse(TnError *err, TnStatus code,
                                                             const char *format, ...)
{
    if (!err) return code;
    *err = (TnError){.code = code, .count = 1};
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

TnRendererDef tn_renderer_def(void)
{
    return (TnRendererDef){.width = 640, .height = 480, .samples = 4, .shadows = true, .sky = true};
}

static bool make_scene(TnRenderer *r, const TnWorld *world, TnError *err)
{
    r->counts = tn_model_info(tn_world_model(world));
    r->made = tn_scene_create_of(world, err);
    r->frame = r->made ? tn_frame_create(r->made, err) : NULL;
    if (!r->frame) return false;
    r->scene = *r->made;
    size_t size = (size_t)r->scene.shape_count * sizeof *r->shapes;
    r->shapes = malloc(size + 1);
    if (!r->shapes) {
        refuse(err, TN_ERROR_MEMORY, "no memory for the scene");
        return false;
    }
    if (size) memcpy(r->shapes, r->made->shapes, size);
    r->scene.shapes = r->shapes;
    return true;
}

static bool make_pictures(TnRenderer *r, TnError *err)
{
    char error[512] = "";
    int width = r->def.width, height = r->def.height;
    r->headless = headless_create(error, sizeof error);
    if (r->headless)
        r->renderer = renderer_create(&r->scene, headless_loader(r->headless), error, sizeof error);
    if (r->renderer) r->canvas = canvas_create(r->renderer, width, height, error, sizeof error);
    if (r->canvas) r->numbers = numbers_create(r->renderer, width, height, error, sizeof error);
    bool fine = r->numbers != NULL;
    if (!fine) refuse(err, TN_ERROR_IO, "no pictures: %s", error);
    if (r->headless) headless_leave(r->headless);
    return fine;
}

/* Of a world, or, where that is NULL, of a scene. */
static TnRenderer *create(const TnRendererDef *def, const TnWorld *world, const TnScene *scene,
                          TnError *err)
{
    if (err) *err = (TnError){0};
    const char *wrong = !def || (!world && !scene) ? "no definition, world or scene was given"
                        : def->width < 1 || def->height < 1
                            ? "width and height of a picture must be positive"
                        : def->samples < 1 || def->samples > 8 ? "samples must be 1, 2, 4 or 8"
                                                               : NULL;
    if (wrong) {
        refuse(err, TN_ERROR_USAGE, "%s", wrong);
        return NULL;
    }
    TnRenderer *r = calloc(1, sizeof *r);
    if (!r) {
        refuse(err, TN_ERROR_MEMORY, "no memory for a renderer");
        return NULL;
    }
    r->def = *def;
    if (!world) r->scene = *scene;
    if ((world && !make_scene(r, world, err)) || !make_pictures(r, err)) {
        tn_renderer_destroy(r);
        return NULL;
    }
    r->options = draw_options();
    r->options.group_mask = def->groups ? def->groups : default_groups(&r->scene);
    r->options.shadows = def->shadows;
    r->options.sky = def->sky;
    r->options.samples = def->samples;
    return r;
}

TnRenderer *tn_renderer_create(const TnRendererDef *def, const TnWorld *world, TnError *err)
{
    return create(def, world, NULL, err);
}

TnRenderer *tn_renderer_create_of(const TnRendererDef *def, const TnScene *scene, TnError *err)
{
    return create(def, NULL, scene, err);
}

void tn_renderer_destroy(TnRenderer *r)
{
    if (!r) return;
    if (r->headless) {
        headless_enter(r->headless);
        numbers_destroy(r->numbers);
        canvas_destroy(r->canvas);
        renderer_destroy(r->renderer);
        headless_destroy(r->headless);
    }
    tn_frame_destroy(r->frame);
    tn_scene_destroy(r->made);
    free(r->shapes);
    free(r);
}

static bool same_counts(const TnModelInfo *a, const TnModelInfo *b)
{
    return a->body_count == b->body_count && a->geom_count == b->geom_count &&
           a->qpos_count == b->qpos_count && a->soft_count == b->soft_count &&
           a->rod_count == b->rod_count && a->tendon_count == b->tendon_count &&
           a->camera_count == b->camera_count;
}

/* Poses, points, and places and sizes of geoms as they are in the world now. */
static TnStatus take_world(TnRenderer *r, const TnWorld *world, TnError *err)
{
    const TnModel *model = tn_world_model(world);
    TnModelInfo counts = tn_model_info(model);
    if (!r->frame || !same_counts(&counts, &r->counts))
        return refuse(err, TN_ERROR_USAGE, "the renderer was made for another model");
    for (int i = 0; i < r->scene.shape_count; i++) {
        TnGeomInfo geom = tn_model_geom_info(model, i + 1);
        memcpy(r->shapes[i].pos, geom.pos, sizeof geom.pos);
        memcpy(r->shapes[i].quat, geom.quat, sizeof geom.quat);
        if (!tn_geom_size_count(r->shapes[i].type)) continue;
        memcpy(r->shapes[i].size, geom.size, sizeof geom.size);
    }
    return tn_frame_capture(r->frame, world, NULL, false, err);
}

static bool is_of_scene(const TnRenderer *r, const TnFrame *frame)
{
    return frame->body_count == r->scene.body_count && frame->point_count == r->scene.point_count;
}

static TnRenderCamera fitted(const TnRenderer *r, const TnFrame *frame)
{
    Orbit orbit =
        orbit_fit(&r->scene, frame, r->options.group_mask, (double)r->def.width / r->def.height);
    View view = orbit_view(&orbit);
    TnRenderCamera camera = {.fovy = view.fovy};
    memcpy(camera.eye, view.eye, sizeof camera.eye);
    memcpy(camera.target, orbit.center, sizeof camera.target);
    memcpy(camera.up, view.up, sizeof camera.up);
    return camera;
}

TnRenderCamera tn_renderer_fit(TnRenderer *r, const TnWorld *world)
{
    if (!r || !world || take_world(r, world, NULL) != TN_OK) return (TnRenderCamera){0};
    return fitted(r, r->frame);
}

TnRenderCamera tn_renderer_fit_frame(TnRenderer *r, const TnFrame *frame)
{
    if (!r || !frame || !is_of_scene(r, frame)) return (TnRenderCamera){0};
    return fitted(r, frame);
}

static bool view_of(const TnRenderer *r, const TnFrame *frame, const TnRenderCamera *camera,
                    View *view)
{
    if (camera->camera != 0) {
        if (camera->camera < 0 || camera->camera > r->scene.camera_count) return false;
        *view = camera_view(&r->scene, frame, camera->camera - 1);
        return true;
    }
    return view_towards(camera->eye, camera->target, camera->up, camera->fovy, view);
}

/* Ids of the picture to those of the model, in place. Without a model, a scene does not have the
 * geoms of its surfaces and tubes. */
static void name_geoms(const TnModel *model, uint32_t *ids, int32_t *segments, size_t count)
{
    int rods = model ? tn_model_info(model).rod_count : 0;
    for (size_t i = 0; i < count; i++) {
        int index;
        switch (id_kind(ids[i], &index)) {
        case ID_IS_NOTHING:
            segments[i] = TN_SEGMENT_NOTHING;
            break;
        case ID_IS_SHAPE:
            segments[i] = index + 1;
            break;
        case ID_IS_SURFACE:
            segments[i] = model ? tn_model_soft_info(model, index + 1).geom : TN_SEGMENT_OTHER;
            break;
        case ID_IS_TUBE: /* first the rods, then the tendons */
            segments[i] =
                index < rods ? tn_model_rod_info(model, index + 1).geom : TN_SEGMENT_OTHER;
            break;
        }
    }
}

static TnStatus draw(TnRenderer *r, const TnFrame *frame, const View *view,
                     const TnRenderBuffers *out, TnError *err)
{
    if (!headless_enter(r->headless))
        return refuse(err, TN_ERROR_IO, "the OpenGL context cannot be made current");
    bool fine = true;
    if (out->rgb) {
        renderer_draw(r->renderer, frame, view, &r->options, canvas_target(r->canvas), r->def.width,
                      r->def.height);
        fine = r->renderer->target.draw != 0;
        if (fine) canvas_read(r->canvas, out->rgb);
    }
    if (fine && (out->depth || out->segments))
        numbers_read(r->numbers, frame, view, &r->options, (uint32_t *)out->segments, out->depth);
    headless_leave(r->headless);
    return fine ? TN_OK
                : refuse(err, TN_ERROR_MEMORY, "the OpenGL driver has no room for the picture");
}

/* model NULL: of a recording */
static TnStatus draw_seen(TnRenderer *r, const TnFrame *frame, const TnModel *model,
                          const TnRenderCamera *camera, const TnRenderBuffers *out, TnError *err)
{
    TnRenderCamera whole = camera ? *camera : fitted(r, frame);
    View view;
    if (!view_of(r, frame, &whole, &view))
        return whole.camera
                   ? refuse(err, TN_ERROR_USAGE, "there is no camera %d in the model", whole.camera)
                   : refuse(err, TN_ERROR_USAGE,
                            "a camera needs eye and target apart and fovy between 0 and π");
    TnStatus status = draw(r, frame, &view, out, err);
    if (status == TN_OK && out->segments)
        name_geoms(model, (uint32_t *)out->segments, out->segments,
                   (size_t)r->def.width * (size_t)r->def.height);
    return status;
}

TnStatus tn_renderer_draw(TnRenderer *r, const TnWorld *world, const TnRenderCamera *camera,
                          const TnRenderBuffers *out, TnError *err)
{
    if (err) *err = (TnError){0};
    if (!r || !world || !out)
        return refuse(err, TN_ERROR_USAGE, "no renderer, world or buffers were given");
    TnStatus status = take_world(r, world, err);
    if (status != TN_OK) return status;
    return draw_seen(r, r->frame, tn_world_model(world), camera, out, err);
}

TnStatus tn_renderer_draw_frame(TnRenderer *r, const TnFrame *frame, const TnRenderCamera *camera,
                                const TnRenderBuffers *out, TnError *err)
{
    if (err) *err = (TnError){0};
    if (!r || !frame || !out)
        return refuse(err, TN_ERROR_USAGE, "no renderer, frame or buffers were given");
    if (!is_of_scene(r, frame))
        return refuse(err, TN_ERROR_USAGE, "the renderer was made for another scene");
    return draw_seen(r, frame, NULL, camera, out, err);
}
