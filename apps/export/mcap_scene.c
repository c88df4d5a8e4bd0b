/* mcap_scene.c: shapes, cables and soft bodies as primitives of Foxglove's 3D panel.
 *
 * An entity per body stands in the frame of that name, so it moves with the transforms and is sent
 * once. What deforms is an entity in the world's frame that each message replaces. Foxglove knows
 * boxes, ellipsoids, cylinders, lines and triangles: a capsule is a cylinder and two spheres. */
#include "mcap_scene.h"

#include "../render/renderer.h"
#include "../render/vec.h"
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS(...) "{\"type\":\"object\",\"properties\":{" __VA_ARGS__ "}}"
#define NUMBER(name) "\"" name "\":{\"type\":\"number\"}"
#define XYZ NUMBERS(NUMBER("x") "," NUMBER("y") "," NUMBER("z"))
#define POSE                                                                                       \
    "\"pose\":{\"type\":\"object\",\"properties\":{\"position\":" XYZ                              \
    ",\"orientation\":" NUMBERS(NUMBER("x") "," NUMBER("y") "," NUMBER("z") "," NUMBER("w")) "}}"
#define COLOR "\"color\":" NUMBERS(NUMBER("r") "," NUMBER("g") "," NUMBER("b") "," NUMBER("a"))
#define TIME(name)                                                                                 \
    "\"" name "\":{\"type\":\"object\",\"title\":\"time\",\"properties\":{\"sec\":{\"type\":"      \
    "\"integer\"},\"nsec\":{\"type\":\"integer\"}}}"
#define LIST(name, ...)                                                                            \
    "\"" name "\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{" __VA_ARGS__ \
    "}}}"
#define XYZ_LIST(name) "\"" name "\":{\"type\":\"array\",\"items\":" XYZ "}"
#define INDEX_LIST(name) "\"" name "\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}"
#define SIZED POSE ",\"size\":" XYZ "," COLOR

/* clang-format off */
const char mcap_scene_schema[] =
    "{\"title\":\"foxglove.SceneUpdate\",\"type\":\"object\",\"properties\":{"
    "\"deletions\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
    LIST("entities",
         TIME("timestamp") ",\"frame_id\":{\"type\":\"string\"},\"id\":{\"type\":\"string\"},"
         TIME("lifetime") ",\"frame_locked\":{\"type\":\"boolean\"},"
         LIST("cubes", SIZED) ","
         LIST("spheres", SIZED) ","
         LIST("cylinders", SIZED "," NUMBER("bottom_scale") "," NUMBER("top_scale")) ","
         LIST("lines", "\"type\":{\"type\":\"integer\"}," POSE "," NUMBER("thickness")
              ",\"scale_invariant\":{\"type\":\"boolean\"}," XYZ_LIST("points") "," COLOR) ","
         LIST("triangles", POSE "," XYZ_LIST("points") "," COLOR "," INDEX_LIST("indices")))
    "}}";
/* clang-format on */

void mcap_time(Json *json, const char *key, uint64_t time)
{
    json_begin_object(json, key);
    json_integer(json, "sec", (int64_t)(time / 1000000000u));
    json_integer(json, "nsec", (int64_t)(time % 1000000000u));
    json_end(json);
}

static void write_xyz(Json *json, const char *key, double x, double y, double z)
{
    json_begin_object(json, key);
    json_number(json, "x", x);
    json_number(json, "y", y);
    json_number(json, "z", z);
    json_end(json);
}

static void write_point(Json *json, const float p[3])
{
    json_begin_object(json, NULL);
    json_single(json, "x", p[0]);
    json_single(json, "y", p[1]);
    json_single(json, "z", p[2]);
    json_end(json);
}

static void write_pose(Json *json, const double pos[3], const double quat[4])
{
    json_begin_object(json, "pose");
    write_xyz(json, "position", pos[0], pos[1], pos[2]);
    json_begin_object(json, "orientation");
    json_number(json, "x", quat[1]);
    json_number(json, "y", quat[2]);
    json_number(json, "z", quat[3]);
    json_number(json, "w", quat[0]);
    json_end(json);
    json_end(json);
}

static void write_color(Json *json, const float rgba[4])
{
    static const char *const names[] = {"r", "g", "b", "a"};
    json_begin_object(json, "color");
    for (int k = 0; k < 4; k++) json_single(json, names[k], rgba[k]);
    json_end(json);
}

static void begin_entity(Json *json, const char *id, const char *frame, uint64_t time)
{
    json_begin_object(json, NULL);
    mcap_time(json, "timestamp", time);
    json_string(json, "frame_id", frame);
    json_string(json, "id", id);
    mcap_time(json, "lifetime", 0); /* until it is replaced */
    json_bool(json, "frame_locked", true);
}

/* ---- rigid shapes ---- */

typedef enum Kind { CUBES, SPHERES, CYLINDERS, TRIANGLES, KIND_COUNT } Kind;
static const char *const kind_names[] = {"cubes", "spheres", "cylinders", "triangles"};

/* What a shape is drawn as; a capsule as cylinder and spheres. */
static bool is_made_of(const TnSceneShape *shape, Kind kind)
{
    switch (shape->type) {
    case TN_GEOM_BOX:
        return kind == CUBES;
    case TN_GEOM_SPHERE:
    case TN_GEOM_ELLIPSOID:
        return kind == SPHERES;
    case TN_GEOM_CYLINDER:
        return kind == CYLINDERS;
    case TN_GEOM_CAPSULE:
        return kind == CYLINDERS || kind == SPHERES;
    case TN_GEOM_PLANE:
    case TN_GEOM_MESH:
        return kind == TRIANGLES;
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_SOFT:
        break;
    }
    return false;
}

static void write_sized(Json *json, const TnSceneShape *shape, const double pos[3], double x,
                        double y, double z, bool cylinder)
{
    json_begin_object(json, NULL);
    write_pose(json, pos, shape->quat);
    write_xyz(json, "size", x, y, z);
    if (cylinder) {
        json_integer(json, "bottom_scale", 1);
        json_integer(json, "top_scale", 1);
    }
    write_color(json, shape->rgba);
    json_end(json);
}

/* The two ends of a capsule. */
static void write_ends(Json *json, const TnSceneShape *shape)
{
    double d = 2 * shape->size[0];
    for (int side = -1; side <= 1; side += 2) {
        double along[3] = {0, 0, side * shape->size[1]}, pos[3];
        quat_rotate(pos, shape->quat, along);
        for (int k = 0; k < 3; k++) pos[k] += shape->pos[k];
        write_sized(json, shape, pos, d, d, d, false);
    }
}

static void write_plane(Json *json, const McapScene *s, const TnSceneShape *shape)
{
    static const int corners[6] = {0, 1, 2, 0, 2, 3};
    double half[2];
    for (int k = 0; k < 2; k++) half[k] = shape->size[k] > 0 ? shape->size[k] : s->extent;
    json_begin_object(json, NULL);
    write_pose(json, shape->pos, shape->quat);
    json_begin_array(json, "points");
    for (int i = 0; i < 4; i++)
        write_xyz(json, NULL, (i == 0 || i == 3) ? -half[0] : half[0], i < 2 ? -half[1] : half[1],
                  0);
    json_end(json);
    write_color(json, shape->rgba);
    json_begin_array(json, "indices");
    for (int i = 0; i < 6; i++) json_integer(json, NULL, corners[i]);
    json_end(json);
    json_end(json);
}

static void write_mesh(Json *json, const TnScene *scene, const TnSceneShape *shape)
{
    if (shape->mesh < 0 || shape->mesh >= scene->mesh_count) return;
    const TnSceneMesh *mesh = &scene->meshes[shape->mesh];
    json_begin_object(json, NULL);
    write_pose(json, shape->pos, shape->quat);
    json_begin_array(json, "points");
    for (int i = 0; i < mesh->vertex_count; i++) write_point(json, mesh->vertices + 3 * i);
    json_end(json);
    write_color(json, shape->rgba);
    json_begin_array(json, "indices");
    for (int i = 0; i < 3 * mesh->triangle_count; i++) json_integer(json, NULL, mesh->triangles[i]);
    json_end(json);
    json_end(json);
}

static void write_shape(Json *json, const McapScene *s, const TnSceneShape *shape, Kind kind)
{
    const double *size = shape->size;
    switch (shape->type) {
    case TN_GEOM_BOX:
    case TN_GEOM_ELLIPSOID:
        write_sized(json, shape, shape->pos, 2 * size[0], 2 * size[1], 2 * size[2], false);
        break;
    case TN_GEOM_SPHERE:
        write_sized(json, shape, shape->pos, 2 * size[0], 2 * size[0], 2 * size[0], false);
        break;
    case TN_GEOM_CAPSULE:
    case TN_GEOM_CYLINDER:
        if (kind == SPHERES)
            write_ends(json, shape);
        else
            write_sized(json, shape, shape->pos, 2 * size[0], 2 * size[0], 2 * size[1], true);
        break;
    case TN_GEOM_PLANE:
        write_plane(json, s, shape);
        break;
    default:
        write_mesh(json, s->scene, shape);
        break;
    }
}

static bool is_seen(const TnSceneShape *shape, unsigned groups, int body)
{
    return shape->body == body && shape_in_groups(shape, groups) && shape->rgba[3] > 0;
}

void mcap_write_bodies(Json *json, const McapScene *s, uint64_t time)
{
    const TnScene *scene = s->scene;
    unsigned groups = default_groups(scene);
    char buffer[64];
    json_begin_object(json, NULL);
    json_begin_array(json, "deletions");
    json_end(json);
    json_begin_array(json, "entities");
    for (int body = 1; body <= scene->body_count; body++) {
        const char *name = export_body_name(scene, body - 1, buffer, sizeof buffer);
        bool any = false;
        for (int i = 0; i < scene->shape_count && !any; i++)
            any = is_seen(&scene->shapes[i], groups, body);
        if (!any) continue;
        begin_entity(json, name, name, time);
        for (int kind = 0; kind < KIND_COUNT; kind++) {
            json_begin_array(json, kind_names[kind]);
            for (int i = 0; i < scene->shape_count; i++)
                if (is_seen(&scene->shapes[i], groups, body) &&
                    is_made_of(&scene->shapes[i], (Kind)kind))
                    write_shape(json, s, &scene->shapes[i], (Kind)kind);
            json_end(json);
        }
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

/* ---- what deforms ---- */

static const double origin[3] = {0, 0, 0}, upright[4] = {1, 0, 0, 0};

static void write_tube(Json *json, const TnSceneTube *tube, const TnFrame *frame)
{
    json_begin_array(json, "lines");
    json_begin_object(json, NULL);
    json_integer(json, "type", 0); /* a strip */
    write_pose(json, origin, upright);
    json_number(json, "thickness", 2 * tube->radius);
    json_bool(json, "scale_invariant", false);
    json_begin_array(json, "points");
    for (int i = 0; i < tube->point_count; i++)
        write_point(json, frame->points + 3 * (tube->point_start + i));
    json_end(json);
    write_color(json, tube->rgba);
    json_end(json);
    json_end(json);
}

static void write_surface(Json *json, const TnSceneSurface *surface, const SurfacePlan *plan,
                          const TnFrame *frame)
{
    json_begin_array(json, "triangles");
    json_begin_object(json, NULL);
    write_pose(json, origin, upright);
    json_begin_array(json, "points");
    for (int i = 0; i < plan->vertex_count; i++)
        write_point(json, frame->points + 3 * (surface->point_start + plan->points[i]));
    json_end(json);
    write_color(json, surface->rgba);
    json_begin_array(json, "indices");
    for (int i = 0; i < plan->index_count; i++) json_integer(json, NULL, plan->indices[i]);
    json_end(json);
    json_end(json);
    json_end(json);
}

void mcap_write_deforming(Json *json, const McapScene *s, const TnFrame *frame, uint64_t time)
{
    char name[64];
    int numbers[2] = {0, 0};
    json_begin_object(json, NULL);
    json_begin_array(json, "deletions");
    json_end(json);
    json_begin_array(json, "entities");
    for (int i = 0; i < s->scene->tube_count; i++) {
        const TnSceneTube *tube = &s->scene->tubes[i];
        bool cable = tube->kind == TN_TUBE_CABLE;
        snprintf(name, sizeof name, "%s%d", cable ? "cable" : "tendon", ++numbers[cable]);
        if (!(tube->rgba[3] > 0)) continue;
        begin_entity(json, name, "world", time);
        write_tube(json, tube, frame);
        json_end(json);
    }
    for (int i = 0; i < s->scene->surface_count; i++) {
        const TnSceneSurface *surface = &s->scene->surfaces[i];
        if (!(surface->rgba[3] > 0)) continue;
        begin_entity(json, export_surface_name(s->scene, i, name, sizeof name), "world", time);
        write_surface(json, surface, &s->plans[i], frame);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}
