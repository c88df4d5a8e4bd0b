/* html_scene.c: see html_scene.h. */
#include "html_scene.h"

#include "../render/renderer.h"
#include "html_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void html_plans_free(SurfacePlan *plans, int count)
{
    for (int i = 0; plans && i < count; i++) surface_plan_free(&plans[i]);
    free(plans);
}

SurfacePlan *html_plans_make(const TnScene *scene)
{
    SurfacePlan *plans = calloc((size_t)scene->surface_count + 1, sizeof *plans);
    for (int i = 0; plans && i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        if (surface_plan(&plans[i], surface, scene->point_subsystems + surface->point_start))
            continue;
        html_plans_free(plans, i);
        return NULL;
    }
    return plans;
}

/* Soft bodies stand in the world's axes and move: twice as far as any began. */
static double soft_reach(const TnScene *scene)
{
    double farthest = 0;
    for (int i = 0; i < scene->surface_count; i++) {
        const float *rest = scene->surfaces[i].rest;
        for (int k = 0; rest && k < scene->surfaces[i].point_count; k++, rest += 3)
            farthest =
                fmax(farthest, hypot(hypot((double)rest[0], (double)rest[1]), (double)rest[2]));
    }
    return 2 * farthest;
}

double shape_reach(const TnScene *scene, int index)
{
    const TnSceneShape *shape = &scene->shapes[index];
    const double *size = shape->size;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        return size[0];
    case TN_GEOM_CAPSULE:
        return size[0] + size[1];
    case TN_GEOM_CYLINDER:
        return hypot(size[0], size[1]);
    case TN_GEOM_ELLIPSOID:
        return fmax(size[0], fmax(size[1], size[2]));
    case TN_GEOM_BOX:
        return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    case TN_GEOM_MESH: {
        double farthest = 0;
        const TnSceneMesh *mesh = shape->mesh >= 0 ? &scene->meshes[shape->mesh] : NULL;
        for (int k = 0; mesh && k < mesh->vertex_count; k++) {
            const float *v = mesh->vertices + 3 * k;
            farthest = fmax(farthest, hypot(hypot((double)v[0], (double)v[1]), (double)v[2]));
        }
        return farthest;
    }
    case TN_GEOM_SOFT:
        return soft_reach(scene);
    default:
        return INFINITY;
    }
}

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
 * more of them than things; numbers beyond get the last colour. */
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
    /* what the model does not say is fitted by the player, which has the picture's shape */
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

void html_scene_add(Sections *sections, const TnScene *scene, const SurfacePlan *plans, bool stress)
{
    add_shapes(sections, scene);
    html_looks_add(sections, scene);
    add_subsystems(sections, scene);
    add_triangles(sections, scene, plans);
    add_vertices(sections, scene, plans);
    if (stress) add_stress_colors(sections);
}

void html_scene_write(Json *json, const TnScene *scene, const SurfacePlan *plans, bool signals)
{
    json_string(json, "scene", scene->name);
    json_number(json, "timestep", scene->timestep);
    json_integer(json, "groups", default_groups(scene));
    write_parts(json, scene);
    if (signals) write_signals(json, scene);
    write_soft_parts(json, scene, plans);
    write_cameras(json, scene);
    html_looks_write(json, scene);
}
