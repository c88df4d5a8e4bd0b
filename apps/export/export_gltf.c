/* export_gltf.c: a recording as an animated glTF document, .glb or .gltf; gltf_scene.h says how. */
#include "../common/app.h"
#include "gltf_scene.h"
#include "platform/text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void frames_free(GltfFrames *frames)
{
    free(frames->times);
    free(frames->poses);
    free(frames->points);
}

/* Whether all numbers are finite; the farthest place from the origin into *extent. */
static bool check_frame(const TnFrame *frame, double *extent)
{
    for (int i = 0; i < 7 * frame->body_count; i++) {
        if (!isfinite(frame->poses[i]) || fabs(frame->poses[i]) > (double)FLT_MAX) return false;
        if (i % 7 < 3) *extent = fmax(*extent, fabs(frame->poses[i]));
    }
    for (int i = 0; i < 3 * frame->point_count; i++) {
        if (!isfinite(frame->points[i])) return false;
        *extent = fmax(*extent, fabs((double)frame->points[i]));
    }
    return true;
}

/* Times of an animation grow in single precision: a frame that would not is left out. */
static bool gather(GltfFrames *frames, TnRecording *recording, const ExportOptions *options)
{
    const TnScene *scene = tn_recording_scene(recording);
    size_t most = (size_t)options->frame_count, poses = 7 * (size_t)scene->body_count,
           points = 3 * (size_t)scene->point_count;
    TnError err = {0};
    TnFrame *frame = tn_frame_create(scene, &err);
    frames->times = malloc(most * sizeof *frames->times);
    frames->poses = malloc(most * poses * sizeof *frames->poses + 1);
    frames->points = malloc(most * points * sizeof *frames->points + 1);
    bool fine = frame && frames->times && frames->poses && frames->points;
    if (!fine) say("export", "no memory for %d frames", options->frame_count);
    float last = -1;
    for (int k = 0; fine && k < options->frame_count; k++) {
        fine = export_read_frame(recording, options->frames[k], frame);
        if (fine && !check_frame(frame, &frames->extent)) {
            say("export", "frame %d at %g s has a place that is not finite, which glTF cannot hold",
                options->frames[k], frame->time);
            fine = false;
        }
        if (!fine) break;
        size_t at = (size_t)frames->count;
        float time = (float)(frame->time - (at ? frames->times[0] : frame->time));
        if (!(time > last)) continue;
        last = time;
        frames->times[at] = frame->time;
        memcpy(frames->poses + at * poses, frame->poses, poses * sizeof(double));
        if (points) memcpy(frames->points + at * points, frame->points, points * sizeof(float));
        frames->count++;
    }
    tn_frame_destroy(frame);
    return fine;
}

/* Meshes and sizes reach beyond their bodies; 1 m where all is a point. */
static void widen(GltfFrames *frames, const TnScene *scene)
{
    double reach = 0;
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        for (int k = 0; k < 3 && shape->type != TN_GEOM_PLANE; k++)
            reach = fmax(reach, fabs(shape->pos[k]) + shape->size[k]);
    }
    frames->extent = 2 * (frames->extent + reach);
    if (!(frames->extent > 0)) frames->extent = 1;
}

/* Node 0: z up becomes y up. */
static void add_root(GltfScene *g, const char *title)
{
    static const double origin[3] = {0, 0, 0};
    const double half = sqrt(0.5), quat[4] = {half, -half, 0, 0};
    gltf_place(&g->gltf, gltf_node(&g->gltf, title, -1), origin, quat);
}

static void remark(const GltfScene *g, const char *path)
{
    if (g->endless_planes)
        say("export", "%s: planes without end became squares of %.3g m", path,
            2 * g->frames->extent);
    if (g->cube_textures)
        say("export",
            "%s: %d %s a cube's texture, which glTF does not have: the mean colour is "
            "kept",
            path, g->cube_textures, g->cube_textures == 1 ? "thing has" : "things have");
    if (g->no_shapes)
        say("export", "%s: %d %s left out, they have no triangles", path, g->no_shapes,
            g->no_shapes == 1 ? "shape is" : "shapes are");
    if (g->target_frames)
        say("export",
            "%s: soft bodies have %d of the %d frames, and move linearly between; --fps, "
            "--from and --to choose fewer frames",
            path, g->target_frames, g->frames->count);
}

static int write_document(const GltfScene *g, const char *path, const char *title)
{
    ExportFile file = {0};
    size_t length = strlen(path);
    bool binary = length > 4 && tn_text_same(path + length - 4, ".glb");
    if (!export_file_open(&file, path)) return EXIT_IO;
    GltfAbout about = {title, g->frames->times[0]};
    const char *why = gltf_write(file.out, &g->gltf, &about, binary);
    if (why) {
        say("export", "%s: %s", path, why);
        export_file_drop(&file);
        return EXIT_IO;
    }
    if (!export_file_close(&file)) return EXIT_IO;
    remark(g, path);
    return EXIT_FINE;
}

int export_gltf(const char *path, TnRecording *recording, const ExportOptions *options)
{
    GltfFrames frames = {.tolerance = tn_recording_info(recording).resolution};
    const TnScene *scene = tn_recording_scene(recording);
    GltfScene g = {.scene = scene, .frames = &frames, .times = -1};
    const char *title = options->title && options->title[0] ? options->title : "tenon";
    int code = EXIT_IO;
    if (gather(&frames, recording, options)) {
        widen(&frames, scene);
        g.image_of = calloc((size_t)scene->texture_count + 1, sizeof *g.image_of);
        if (!g.image_of) g.gltf.failed = true;
        add_root(&g, title);
        gltf_add_bodies(&g);
        gltf_add_motion(&g);
        gltf_add_tubes(&g);
        gltf_add_surfaces(&g);
        if (g.gltf.failed)
            say("export", "no memory for the document");
        else
            code = write_document(&g, path, title);
    }
    gltf_free(&g.gltf);
    free(g.image_of);
    frames_free(&frames);
    return code;
}
