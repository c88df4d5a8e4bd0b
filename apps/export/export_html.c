/* export_html.c: a recording as one page that plays it.
 *
 * The page is the player (web/dist/player.html, part of this program) with two scripts put in where
 * it says so: a JSON head with names and what happens seldom, and the numbers (html_codec.h).
 * docs/replay.md has the format. */
#include "../common/app.h"
#include "../plot/svg.h"
#include "../render/bounds.h"
#include "../render/renderer.h"
#include "html_frames.h"
#include "html_looks.h"
#include "platform/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char player_html[];
extern const size_t player_html_size;

static const char title_mark[] = "<title>tenon replay</title>";
static const char data_mark[] = "<!-- tenon-data -->";

enum { SHAPE_INTEGERS = 4, SHAPE_NUMBERS = 14 }; /* of each shape: see add_shapes */

static void add_shapes(Sections *sections, const TnScene *scene)
{
    size_t count = (size_t)scene->shape_count;
    int32_t *integers = malloc((count * SHAPE_INTEGERS + 1) * sizeof *integers);
    float *numbers = malloc((count * SHAPE_NUMBERS + 1) * sizeof *numbers);
    float *reach = malloc((count + 1) * sizeof *reach);
    if (integers && numbers && reach) {
        for (size_t i = 0; i < count; i++) {
            const TnSceneShape *s = &scene->shapes[i];
            const int32_t row[SHAPE_INTEGERS] = {(int32_t)s->type, s->body - 1, s->mesh, s->group};
            const double values[SHAPE_NUMBERS - 4] = {
                s->pos[0],  s->pos[1],  s->pos[2],  s->quat[0], s->quat[1],
                s->quat[2], s->quat[3], s->size[0], s->size[1], s->size[2]};
            memcpy(integers + i * SHAPE_INTEGERS, row, sizeof row);
            for (size_t k = 0; k < SHAPE_NUMBERS - 4; k++)
                numbers[i * SHAPE_NUMBERS + k] = (float)values[k];
            memcpy(numbers + i * SHAPE_NUMBERS + SHAPE_NUMBERS - 4, s->rgba, sizeof s->rgba);
            double far = shape_reach(scene, (int)i);
            reach[i] = isfinite(far) ? (float)far : 0;
        }
        sections_add(sections, "shape_kinds", SECTION_I32, integers, count * SHAPE_INTEGERS);
        sections_add(sections, "shapes", SECTION_F32, numbers, count * SHAPE_NUMBERS);
        sections_add(sections, "shape_reach", SECTION_F32, reach, count);
    } else {
        sections->failed = true;
    }
    free(integers);
    free(numbers);
    free(reach);
}

/* Which subsystem each body and point belongs to, and the colour of each subsystem. There are no
 * more of them than things; whoever numbers them beyond gets the last colour. */
static void add_subsystems(Sections *sections, const TnScene *scene)
{
    size_t bodies = (size_t)scene->body_count;
    int32_t *of_body = malloc((bodies + 1) * sizeof *of_body);
    int64_t most = (int64_t)scene->body_count + scene->point_count;
    int32_t last = 0;
    for (size_t i = 0; of_body && i < bodies; i++) {
        of_body[i] = scene->bodies[i].subsystem;
        if (of_body[i] > last) last = of_body[i];
    }
    for (int i = 0; i < scene->point_count; i++)
        if (scene->point_subsystems[i] > last) last = scene->point_subsystems[i];
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        most += surface->triangle_count;
        for (int t = 0; surface->triangle_subsystems && t < surface->triangle_count; t++)
            if (surface->triangle_subsystems[t] > last) last = surface->triangle_subsystems[t];
    }
    if (last > most) last = (int32_t)most;
    unsigned char *colors = malloc(((size_t)last + 1) * 3);
    if (of_body && colors) {
        for (int i = 0; i <= last; i++) {
            float rgb[3];
            subsystem_color(i, rgb);
            for (int k = 0; k < 3; k++) colors[3 * i + k] = (unsigned char)lrintf(rgb[k] * 255);
        }
        sections_add(sections, "body_subsystem", SECTION_I32, of_body, bodies);
        sections_add(sections, "subsystem_colors", SECTION_U8, colors, ((size_t)last + 1) * 3);
        if (scene->point_count)
            sections_add(sections, "point_subsystem", SECTION_I32, scene->point_subsystems,
                         (size_t)scene->point_count);
    } else {
        sections->failed = true;
    }
    free(of_body);
    free(colors);
}

/* The vertices that surfaces are drawn with, as in pictures: point, whose normal, subsystem. A
 * surface whose plan found no memory leaves `failed`. */
static void add_vertices(Sections *sections, const TnScene *scene, const SurfacePlan *plans)
{
    size_t count = 0;
    for (int i = 0; i < scene->surface_count; i++) count += (size_t)plans[i].vertex_count;
    int32_t *rows = malloc((3 * count + 1) * sizeof *rows), *row = rows;
    for (int i = 0; rows && i < scene->surface_count; i++)
        for (int v = 0; v < plans[i].vertex_count; v++, row += 3) {
            row[0] = scene->surfaces[i].point_start + plans[i].points[v];
            row[1] = plans[i].smooth[v];
            row[2] = plans[i].parts[v];
        }
    if (!rows) sections->failed = true;
    if (rows && count) sections_add(sections, "surface_vertices", SECTION_I32, rows, 3 * count);
    free(rows);
}

/* The colours of 256 levels of stress. */
static void add_stress_colors(Sections *sections)
{
    unsigned char colors[256 * 3];
    for (int i = 0; i < 256; i++) {
        float rgb[3];
        stress_color(i / 255.0, rgb);
        for (int k = 0; k < 3; k++) colors[3 * i + k] = (unsigned char)lrintf(rgb[k] * 255);
    }
    sections_add(sections, "stress_colors", SECTION_U8, colors, sizeof colors);
}

/* All triangles of meshes and surfaces in one list; the head says which belong to whom. Those of
 * surfaces name vertices of surface_vertices. */
static void add_triangles(Sections *sections, const TnScene *scene, const SurfacePlan *plans)
{
    size_t vertices = 0, triangles = 0;
    for (int i = 0; i < scene->mesh_count; i++) {
        vertices += (size_t)scene->meshes[i].vertex_count;
        triangles += (size_t)scene->meshes[i].triangle_count;
    }
    for (int i = 0; i < scene->surface_count; i++) triangles += (size_t)plans[i].index_count / 3;
    float *places = malloc((vertices * 3 + 1) * sizeof *places);
    int32_t *corners = malloc((triangles * 3 + 1) * sizeof *corners);
    if (places && corners) {
        float *place = places;
        int32_t *corner = corners;
        for (int i = 0; i < scene->mesh_count; i++) {
            const TnSceneMesh *mesh = &scene->meshes[i];
            for (int k = 0; k < 3 * mesh->vertex_count; k++) *place++ = mesh->vertices[k];
            for (int k = 0; k < 3 * mesh->triangle_count; k++) *corner++ = mesh->triangles[k];
        }
        for (int i = 0; i < scene->surface_count; i++) {
            for (int k = 0; k < plans[i].index_count; k++) *corner++ = (int32_t)plans[i].indices[k];
        }
        if (vertices) sections_add(sections, "mesh_vertices", SECTION_F32, places, vertices * 3);
        if (triangles) sections_add(sections, "triangles", SECTION_I32, corners, triangles * 3);
    } else {
        sections->failed = true;
    }
    free(places);
    free(corners);
}

static void write_color(Json *json, const float rgba[4])
{
    const double values[4] = {(double)rgba[0], (double)rgba[1], (double)rgba[2], (double)rgba[3]};
    json_numbers(json, "rgba", values, 4);
}

static void write_parts(Json *json, const TnScene *scene)
{
    json_begin_array(json, "bodies");
    for (int i = 0; i < scene->body_count; i++) json_string(json, NULL, scene->bodies[i].name);
    json_end(json);
    json_begin_array(json, "joints");
    for (int i = 0; i < scene->joint_count; i++) {
        const TnSceneJoint *joint = &scene->joints[i];
        json_begin_object(json, NULL);
        json_string(json, "name", joint->name);
        json_integer(json, "type", joint->type);
        json_integer(json, "body", joint->body - 1);
        json_numbers(json, "pos", joint->pos, 3);
        json_numbers(json, "axis", joint->axis, 3);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "meshes");
    for (int i = 0; i < scene->mesh_count; i++) {
        json_begin_object(json, NULL);
        json_integer(json, "vertices", scene->meshes[i].vertex_count);
        json_integer(json, "triangles", scene->meshes[i].triangle_count);
        if (scene->meshes[i].texcoords) json_bool(json, "textured", true);
        json_end(json);
    }
    json_end(json);
}

static void write_soft_parts(Json *json, const TnScene *scene, const SurfacePlan *plans)
{
    json_begin_array(json, "tubes");
    for (int i = 0; i < scene->tube_count; i++) {
        const TnSceneTube *tube = &scene->tubes[i];
        json_begin_object(json, NULL);
        json_bool(json, "smooth", tube->kind == TN_TUBE_CABLE);
        json_integer(json, "start", tube->point_start);
        json_integer(json, "count", tube->point_count);
        json_number(json, "radius", tube->radius);
        write_color(json, tube->rgba);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "surfaces");
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        json_begin_object(json, NULL);
        json_integer(json, "start", surface->point_start);
        json_integer(json, "count", surface->point_count);
        json_integer(json, "vertices", plans[i].vertex_count);
        json_integer(json, "triangles", plans[i].index_count / 3);
        write_color(json, surface->rgba);
        json_end(json);
    }
    json_end(json);
}

static void write_cameras(Json *json, const TnScene *scene)
{
    static const char *const modes[] = {
        [TN_CAMERA_FIXED] = "fixed", [TN_CAMERA_TRACK] = "track", [TN_CAMERA_TARGET] = "target"};
    json_begin_array(json, "cameras");
    for (int i = 0; i < scene->camera_count; i++) {
        const TnCameraInfo *camera = &scene->cameras[i];
        json_begin_object(json, NULL);
        json_string(json, "name", camera->name);
        json_integer(json, "body", camera->body - 1);
        json_numbers(json, "pos", camera->pos, 3);
        json_numbers(json, "quat", camera->quat, 4);
        json_number(json, "fovy", camera->fovy);
        json_string(json, "mode", modes[camera->mode]);
        if (camera->mode == TN_CAMERA_TARGET) json_integer(json, "target", camera->target - 1);
        json_end(json);
    }
    json_end(json);
    /* what the model does not say is fitted by the player, which knows the picture's shape */
    json_begin_object(json, "view");
    if (scene->view.has_center) json_numbers(json, "center", scene->view.center, 3);
    if (scene->view.has_extent) json_number(json, "extent", scene->view.extent);
    if (scene->view.fovy > 0) json_number(json, "fovy", scene->view.fovy);
    if (scene->view.has_angles) {
        json_number(json, "azimuth", scene->view.azimuth);
        json_number(json, "elevation", scene->view.elevation);
    }
    json_end(json);
}

/* Names of the rows of the section `signals`. */
static void write_signals(Json *json, const TnScene *scene)
{
    json_begin_array(json, "signals");
    for (int i = 0; i < scene->signal_count; i++) {
        json_begin_object(json, NULL);
        json_string(json, "name", scene->signals[i].name);
        json_string(json, "kind", tn_signal_kind_name(scene->signals[i].kind));
        json_end(json);
    }
    json_end(json);
}

/* The box of the whole motion, to which the player fits its camera. */
static void write_box(Json *json, TnRecording *recording, const ExportOptions *options)
{
    Motion motion = {0};
    double box[6];
    const TnScene *scene = tn_recording_scene(recording);
    if (motion_of_recording(&motion, recording, options->frames, options->frame_count,
                            default_groups(scene)) &&
        motion_bounds(&motion, box, box + 3))
        json_numbers(json, "box", box, 6);
    motion_free(&motion);
}

static void write_head(FILE *out, TnRecording *recording, const ExportOptions *options,
                       const HtmlFrames *frames, const Sections *sections)
{
    const TnScene *scene = tn_recording_scene(recording);
    TnRecordingInfo info = tn_recording_info(recording);
    Json json = json_to(out);
    char maker[64];
    json_begin_object(&json, NULL);
    json_integer(&json, "format", 1);
    snprintf(maker, sizeof maker, "tenon %s", tn_version());
    json_string(&json, "made_by", maker);
    json_string(&json, "title", options->title ? options->title : scene->name);
    json_string(&json, "scene", scene->name);
    json_number(&json, "timestep", scene->timestep);
    json_integer(&json, "frames", options->frame_count);
    json_bool(&json, "cut_off", info.cut_off);
    json_bool(&json, "has_contacts", info.has_contacts);
    json_bool(&json, "contacts_short", frames->contacts_short);
    json_number(&json, "point_step", frames->point_step);
    json_integer(&json, "groups", default_groups(scene));
    json_string(&json, "color", options->color);
    json_number(&json, "stress_step", frames->stress_step);
    json_number(&json, "stress_max",
                options->stress_max > 0 ? options->stress_max : stress_top(frames->stress_max));
    json_number(&json, "force_max", frames->force_max);
    write_box(&json, recording, options);
    write_parts(&json, scene);
    if (info.has_signals) write_signals(&json, scene);
    write_soft_parts(&json, scene, frames->plans);
    write_cameras(&json, scene);
    html_looks_write(&json, scene);
    sections_describe(sections, &json);
    json_end(&json);
}

/* The head as text in which no "<" could end the script that it stands in. */
static char *head_text(TnRecording *recording, const ExportOptions *options,
                       const HtmlFrames *frames, const Sections *sections)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    write_head(out, recording, options, frames, sections);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}

static void write_script_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    }
}

static bool write_page(FILE *out, const char *title, const char *head, const Sections *sections)
{
    const char *page = (const char *)player_html;
    const char *title_at = strstr(page, title_mark);
    const char *data_at = title_at ? strstr(title_at, data_mark) : NULL;
    if (!data_at) {
        say("export", "internal error: the embedded player has no place for the data");
        return false;
    }
    fwrite(page, 1, (size_t)(title_at - page), out);
    fputs("<title>", out);
    svg_escaped(out, title);
    fputs("</title>", out);
    const char *after_title = title_at + strlen(title_mark);
    fwrite(after_title, 1, (size_t)(data_at - after_title), out);
    fputs("<script type=\"application/json\" id=\"tenon-head\">", out);
    write_script_text(out, head);
    fputs("</script>\n<script type=\"application/octet-stream;base64\" id=\"tenon-data\">", out);
    sections_write_base64(sections, out);
    fputs("</script>\n", out);
    const char *after_data = data_at + strlen(data_mark);
    fwrite(after_data, 1, player_html_size - (size_t)(after_data - page), out);
    return true;
}

static int write_file(const char *path, TnRecording *recording, const ExportOptions *options,
                      const HtmlFrames *frames, const Sections *sections)
{
    const char *name = options->title ? options->title : tn_recording_scene(recording)->name;
    char *head = head_text(recording, options, frames, sections);
    if (!head) {
        say("export", "no memory for the replay's header");
        return EXIT_IO;
    }
    ExportFile file = {0};
    long size = 0;
    bool fine = export_file_open(&file, path);
    if (fine && !write_page(file.out, name[0] ? name : "tenon replay", head, sections)) {
        export_file_drop(&file);
        fine = false;
    }
    if (fine) size = ftell(file.out);
    fine = fine && export_file_close(&file);
    if (fine && size > 0)
        say("export", "%s: %.2f MB, %d %s", path, (double)size / 1e6, options->frame_count,
            options->frame_count == 1 ? "frame" : "frames");
    free(head);
    return fine ? EXIT_FINE : EXIT_IO;
}

static void free_plans(SurfacePlan *plans, int count)
{
    for (int i = 0; plans && i < count; i++) surface_plan_free(&plans[i]);
    free(plans);
}

/* NULL where there is no memory. */
static SurfacePlan *make_plans(const TnScene *scene)
{
    SurfacePlan *plans = calloc((size_t)scene->surface_count + 1, sizeof *plans);
    for (int i = 0; plans && i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        if (surface_plan(&plans[i], surface, scene->point_subsystems + surface->point_start))
            continue;
        free_plans(plans, i);
        return NULL;
    }
    return plans;
}

int export_html(const char *path, TnRecording *recording, const ExportOptions *options)
{
    Sections sections = {0};
    const TnScene *scene = tn_recording_scene(recording);
    SurfacePlan *plans = make_plans(scene);
    HtmlFrames frames = {.plans = plans};
    if (!plans) {
        say("export", "no memory for the replay's scene");
        return EXIT_IO;
    }
    int code = html_frames_add(&sections, &frames, recording, options);
    if (code == EXIT_FINE) {
        add_shapes(&sections, scene);
        html_looks_add(&sections, scene);
        add_subsystems(&sections, scene);
        add_triangles(&sections, scene, plans);
        add_vertices(&sections, scene, plans);
        if (frames.stress_step > 0) add_stress_colors(&sections);
        if (sections.failed) {
            say("export", "no memory for the replay's scene");
            code = EXIT_IO;
        }
    }
    if (code == EXIT_FINE) code = write_file(path, recording, options, &frames, &sections);
    sections_free(&sections);
    free_plans(plans, scene->surface_count);
    return code;
}
