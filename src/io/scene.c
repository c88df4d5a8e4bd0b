/* scene.c: what a model has to show, as one block of memory: the scene, its arrays and its names.
 */
#include "../base/base.h"
#include "scene_looks.h"
#include <tenon/scene.h>

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Hands out pieces of one block; with `base` NULL it only counts how large the block must be. */
typedef struct Layout {
    char *base;
    size_t used;
} Layout;

static void *take(Layout *layout, size_t bytes)
{
    size_t start = (layout->used + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    layout->used = start + bytes;
    return layout->base ? layout->base + start : NULL;
}

static const char *take_text(Layout *layout, const char *text)
{
    char *copy = take(layout, strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

static const void *take_copy(Layout *layout, const void *from, size_t bytes)
{
    void *copy = take(layout, bytes);
    if (copy && bytes) memcpy(copy, from, bytes);
    return copy;
}

/* What the scene is made of; the world may be NULL. */
typedef struct Source {
    const TnModel *model;
    const TnWorld *world;
    const TnSceneTextures *textures;
} Source;

static int subsystem_of(const Source *from, TnBodyId body)
{
    return from->world ? tn_world_body_subsystem(from->world, body) + 1
                       : tn_model_body_subsystem(from->model, body);
}

static void lay_bodies(Layout *layout, TnScene *scene, const Source *from)
{
    TnSceneBody *bodies = take(layout, (size_t)scene->body_count * sizeof *bodies);
    for (TnBodyId id = 1; id <= scene->body_count; id++) {
        TnSceneBody body = {.name = take_text(layout, tn_model_body_name(from->model, id)),
                            .subsystem = subsystem_of(from, id)};
        if (bodies) bodies[id - 1] = body;
    }
    scene->bodies = bodies;
}

/* A geom whose file says nothing of colour has MuJoCo's grey, which is gloomy: it is shown lighter.
 */
static void color_of(const double rgba[4], float out[4])
{
    static const double plain[4] = {0.5, 0.5, 0.5, 1};
    static const float lighter[4] = {0.78f, 0.79f, 0.81f, 1};
    bool is_plain = memcmp(rgba, plain, sizeof plain) == 0;
    for (int k = 0; k < 4; k++) out[k] = is_plain ? lighter[k] : (float)rgba[k];
}

/* … except floors: things that stand on them are lighter. */
static void floor_color(const double rgba[4], float out[4])
{
    static const double plain[4] = {0.5, 0.5, 0.5, 1};
    static const float grey[4] = {0.56f, 0.58f, 0.60f, 1};
    if (memcmp(rgba, plain, sizeof plain) == 0) memcpy(out, grey, sizeof grey);
}

static TnSceneShape shape_of(const TnModel *model, TnGeomId id)
{
    TnGeomInfo geom = tn_model_geom_info(model, id);
    TnSceneShape shape = {.type = geom.type,
                          .body = geom.body,
                          .group = geom.group,
                          .mesh = geom.mesh - 1,
                          .material = geom.material};
    memcpy(shape.pos, geom.pos, sizeof shape.pos);
    memcpy(shape.quat, geom.quat, sizeof shape.quat);
    memcpy(shape.size, geom.size, sizeof shape.size);
    color_of(geom.rgba, shape.rgba);
    if (geom.type == TN_GEOM_PLANE) floor_color(geom.rgba, shape.rgba);
    if (geom.type == TN_GEOM_SOFT) shape.rgba[3] = 0; /* its surface is drawn: lay_surfaces */
    return shape;
}

static void lay_shapes(Layout *layout, TnScene *scene, const TnModel *model)
{
    TnSceneShape *shapes = take(layout, (size_t)scene->shape_count * sizeof *shapes);
    for (TnGeomId id = 1; shapes && id <= scene->shape_count; id++)
        shapes[id - 1] = shape_of(model, id);
    scene->shapes = shapes;
}

/* A tube per branch of a spatial tendon, and per rod, its points the ends of the segments (frame.c
 * fills them). The segments' capsules remain, so that shape i is geom i + 1 and can be pointed at,
 * but are clear: drawn once (lay_point_subsystems). */
static void lay_tubes(Layout *layout, TnScene *scene, const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    TnSceneTube *tubes = take(layout, (size_t)scene->tube_count * sizeof *tubes), *next = tubes;
    for (TnRodId id = 1; id <= info.rod_count; id++) {
        TnRodInfo rod = tn_model_rod_info(model, id);
        TnSceneTube tube = {.kind = TN_TUBE_CABLE,
                            .point_start = scene->point_count,
                            .point_count = rod.segment_count + 1,
                            .radius = rod.radius};
        color_of(rod.rgba, tube.rgba);
        if (next) *next++ = tube;
        scene->point_count += tube.point_count;
    }
    for (TnTendonId id = 1; id <= info.tendon_count; id++) {
        TnTendonInfo tendon = tn_model_tendon_info(model, id);
        for (int branch = 0; branch < tendon.branch_count; branch++) {
            TnSceneTube tube = {.kind = TN_TUBE_TENDON,
                                .point_start = scene->point_count,
                                .point_count = tn_model_tendon_points(model, id, branch),
                                .radius = tendon.width};
            color_of(tendon.rgba, tube.rgba);
            if (next) *next++ = tube;
            scene->point_count += tube.point_count;
        }
    }
    scene->tubes = tubes;
}

static int count_tubes(const TnModel *model, const TnModelInfo *info)
{
    int count = info->rod_count;
    for (TnTendonId id = 1; id <= info->tendon_count; id++)
        count += tn_model_tendon_info(model, id).branch_count;
    return count;
}

/* The tetrahedron behind a triangle of the surface: the one that has all three of its nodes. */
static bool is_behind(const int32_t tet[4], const int32_t triangle[3])
{
    int shared = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) shared += tet[i] == triangle[k];
    return shared == 3;
}

/* Triangles come in the order of their tetrahedra, so that one walk finds all; where they do not,
 * it starts again. */
static void color_triangles(const TnSoftInfo *soft, const int32_t *of_tets, int32_t *of_triangles)
{
    int tet = 0;
    for (int t = 0; t < soft->triangle_count; t++) {
        int tried = 0;
        while (tried < soft->tet_count &&
               !is_behind(soft->tets + 4 * tet, soft->triangles + 3 * t)) {
            tet = tet + 1 < soft->tet_count ? tet + 1 : 0;
            tried++;
        }
        of_triangles[t] = of_tets[tet];
    }
}

/* Of its elements: tetrahedra, or triangles of a sheet. */
static void find_subsystems(const Source *from, TnSoftId id, const TnSoftInfo *soft, int count,
                            int32_t *of_elements)
{
    if (from->world) tn_world_soft_subsystems(from->world, id, of_elements);
    for (int i = 0; i < count; i++)
        of_elements[i] = from->world ? of_elements[i] + 1 : soft->subsystem;
}

/* A surface per soft body: all nodes are its points, as the tetrahedra need them. */
static TnSceneSurface surface_of(Layout *layout, const Source *from, TnSoftId id, int point_start)
{
    TnSoftInfo soft = tn_model_soft_info(from->model, id);
    size_t triangles = (size_t)soft.triangle_count, tets = (size_t)soft.tet_count;
    int32_t *of_triangles = take(layout, triangles * sizeof *of_triangles);
    int32_t *of_tets = take(layout, tets * sizeof *of_tets);
    size_t numbers = 3 * (size_t)soft.node_count;
    float *rest = take(layout, numbers * sizeof *rest);
    for (size_t k = 0; rest && k < numbers; k++) rest[k] = (float)soft.rest[k];
    if (of_triangles && soft.thickness > 0)
        find_subsystems(from, id, &soft, soft.triangle_count, of_triangles);
    else if (of_tets) {
        find_subsystems(from, id, &soft, soft.tet_count, of_tets);
        color_triangles(&soft, of_tets, of_triangles);
    }
    TnSceneSurface surface = {
        .point_start = point_start,
        .point_count = soft.node_count,
        .triangles = take_copy(layout, soft.triangles, triangles * 3 * sizeof *soft.triangles),
        .triangle_count = soft.triangle_count,
        .tetrahedra = take_copy(layout, soft.tets, tets * 4 * sizeof *soft.tets),
        .tetrahedron_count = soft.tet_count,
        .name = take_text(layout, soft.name),
        .triangle_subsystems = of_triangles,
        .tetrahedron_subsystems = of_tets,
        .rest = rest};
    color_of(soft.rgba, surface.rgba);
    return surface;
}

static void lay_surfaces(Layout *layout, TnScene *scene, const Source *from)
{
    TnSceneSurface *surfaces = take(layout, (size_t)scene->surface_count * sizeof *surfaces);
    for (TnSoftId id = 1; id <= scene->surface_count; id++) {
        TnSceneSurface surface = surface_of(layout, from, id, scene->point_count);
        if (surfaces) surfaces[id - 1] = surface;
        scene->point_count += surface.point_count;
    }
    scene->surfaces = surfaces;
}

static void lay_point_subsystems(Layout *layout, TnScene *scene, const Source *from)
{
    int32_t *subsystems = take(layout, (size_t)scene->point_count * sizeof *subsystems);
    TnModelInfo info = tn_model_info(from->model);
    int at = info.rod_count; /* the first tube of a tendon */
    for (TnTendonId id = 1; subsystems && id <= info.tendon_count; id++) {
        TnTendonInfo tendon = tn_model_tendon_info(from->model, id);
        for (int branch = 0; branch < tendon.branch_count; branch++, at++)
            for (int i = 0; i < scene->tubes[at].point_count; i++)
                subsystems[scene->tubes[at].point_start + i] =
                    tendon.body ? subsystem_of(from, tendon.body) : 0;
    }
    for (TnRodId id = 1; subsystems && id <= info.rod_count; id++) {
        TnRodInfo rod = tn_model_rod_info(from->model, id);
        int32_t *to = subsystems + scene->tubes[id - 1].point_start;
        TnSceneShape *shapes = (TnSceneShape *)scene->shapes;
        for (int i = 0; i < rod.segment_count; i++) {
            to[i] = to[i + 1] = subsystem_of(from, rod.body + i);
            shapes[rod.geom - 1 + i].rgba[3] = 0;
        }
    }
    for (int i = 0; subsystems && i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        bool sheet = surface->tetrahedron_count == 0;
        int count = sheet ? surface->triangle_count : surface->tetrahedron_count;
        int corners = sheet ? 3 : 4;
        const int32_t *nodes = sheet ? surface->triangles : surface->tetrahedra;
        const int32_t *of = sheet ? surface->triangle_subsystems : surface->tetrahedron_subsystems;
        /* of the nodes that pieces share, the first piece's: from the last element on */
        for (int t = count - 1; t >= 0; t--)
            for (int k = 0; k < corners; k++)
                subsystems[surface->point_start + nodes[corners * t + k]] = of[t];
    }
    scene->point_subsystems = subsystems;
}

static void lay_joints(Layout *layout, TnScene *scene, const TnModel *model)
{
    TnSceneJoint *joints = take(layout, (size_t)scene->joint_count * sizeof *joints);
    for (TnJointId id = 1; id <= scene->joint_count; id++) {
        TnJointInfo info = tn_model_joint_info(model, id);
        TnSceneJoint joint = {.name = take_text(layout, tn_model_joint_name(model, id)),
                              .type = info.type,
                              .body = info.body};
        memcpy(joint.pos, info.pos, sizeof joint.pos);
        memcpy(joint.axis, info.axis, sizeof joint.axis);
        if (joints) joints[id - 1] = joint;
    }
    scene->joints = joints;
}

static void lay_meshes(Layout *layout, TnScene *scene, const TnModel *model)
{
    TnSceneMesh *meshes = take(layout, (size_t)scene->mesh_count * sizeof *meshes);
    for (TnMeshId id = 1; id <= scene->mesh_count; id++) {
        TnMeshInfo info = tn_model_mesh_info(model, id);
        size_t numbers = 3 * (size_t)info.vertex_count;
        float *vertices = take(layout, numbers * sizeof *vertices);
        for (size_t k = 0; vertices && k < numbers; k++) vertices[k] = (float)info.vertices[k];
        size_t triangle = 3 * sizeof *info.triangles;
        TnSceneMesh mesh = {
            .vertices = vertices,
            .vertex_count = info.vertex_count,
            .triangles = take_copy(layout, info.triangles, (size_t)info.triangle_count * triangle),
            .triangle_count = info.triangle_count,
            .hull_triangles =
                take_copy(layout, info.hull_triangles, (size_t)info.hull_triangle_count * triangle),
            .hull_triangle_count = info.hull_triangle_count};
        if (info.texcoords)
            mesh.texcoords = take_copy(layout, info.texcoords,
                                       6 * (size_t)info.triangle_count * sizeof *info.texcoords);
        if (meshes) meshes[id - 1] = mesh;
    }
    scene->meshes = meshes;
}

static void lay_cameras(Layout *layout, TnScene *scene, const TnModel *model)
{
    TnCameraInfo *cameras = take(layout, (size_t)scene->camera_count * sizeof *cameras);
    for (TnCameraId id = 1; id <= scene->camera_count; id++) {
        TnCameraInfo camera = tn_model_camera_info(model, id);
        camera.name = take_text(layout, camera.name);
        if (cameras) cameras[id - 1] = camera;
    }
    scene->cameras = cameras;
}

/* NAME.SUFFIX, with an index unless that is negative; `kind` and id where there is no name. */
static void lay_signal(Layout *layout, TnScene *scene, TnSignalKind kind, const char *name,
                       const char *what, int id, const char *suffix, int index)
{
    char label[64], number[16] = "";
    if (!name[0]) snprintf(label, sizeof label, "%s%d", what, id);
    if (!name[0]) name = label;
    if (index >= 0) snprintf(number, sizeof number, "%d", index);
    size_t size = strlen(name) + strlen(suffix) + strlen(number) + 2;
    char *text = take(layout, size);
    if (text) {
        snprintf(text, size, "%s.%s%s", name, suffix, number);
        ((TnSignal *)scene->signals)[scene->signal_count] = (TnSignal){text, kind};
    }
    scene->signal_count++;
}

static int count_signals(const TnModel *model, const TnModelInfo *info)
{
    int count = info->sensor_data_count + 2 * info->actuator_count + info->act_count;
    for (TnJointId id = 1; id <= info->joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type != TN_JOINT_FREE) count += joint.qpos_count + joint.dof_count;
    }
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        count += tn_model_actuator_info(model, id).act >= 0;
    return count;
}

/* In the order in which tn_frame_capture_signals writes them. */
static void lay_signals(Layout *layout, TnScene *scene, const TnModel *model,
                        const TnModelInfo *info)
{
    scene->signals = take(layout, (size_t)count_signals(model, info) * sizeof *scene->signals);
    for (TnJointId id = 1; id <= info->joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        const char *name = tn_model_joint_name(model, id);
        if (joint.type == TN_JOINT_FREE) continue;
        for (int i = 0; i < joint.qpos_count; i++)
            lay_signal(layout, scene, TN_SIGNAL_POSITION, name, "joint", id, "q", i);
        for (int i = 0; i < joint.dof_count; i++)
            lay_signal(layout, scene, TN_SIGNAL_VELOCITY, name, "joint", id, "v", i);
    }
    for (TnSensorId id = 1; id <= info->sensor_count; id++)
        for (int i = 0; i < tn_model_sensor_info(model, id).data_count; i++)
            lay_signal(layout, scene, TN_SIGNAL_SENSOR, tn_model_sensor_name(model, id), "sensor",
                       id, "s", i);
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        lay_signal(layout, scene, TN_SIGNAL_CTRL, tn_model_actuator_name(model, id), "actuator", id,
                   "ctrl", -1);
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        lay_signal(layout, scene, TN_SIGNAL_FORCE, tn_model_actuator_name(model, id), "actuator",
                   id, "force", -1);
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        for (int i = 0, count = tn_model_actuator_acts(model, id, NULL); i < count; i++)
            lay_signal(layout, scene, TN_SIGNAL_ACTIVATION, tn_model_actuator_name(model, id),
                       "actuator", id, "act", count > 1 ? i : -1);
}

static void lay_looks(Layout *layout, TnScene *scene, const Source *from)
{
    const TnSceneTextures *textures = from->textures;
    TnSceneMaterial *materials = take(layout, (size_t)scene->material_count * sizeof *materials);
    for (TnMaterialId id = 1; materials && id <= scene->material_count; id++) {
        TnMaterialDef def = tn_model_material_info(from->model, id);
        materials[id - 1] = tn_scene_material(&def, textures);
    }
    scene->materials = materials;
    int light_count = tn_model_info(from->model).light_count;
    TnSceneLight *lights = take(layout, (size_t)light_count * sizeof *lights);
    for (TnLightId id = 1; id <= light_count; id++) {
        TnLightDef def = tn_model_light_info(from->model, id);
        if (!tn_light_shines(&def)) continue;
        if (lights) lights[scene->light_count] = tn_scene_light(&def);
        scene->light_count++;
    }
    scene->lights = lights;
    scene->textures =
        take_copy(layout, textures->list, (size_t)textures->count * sizeof *textures->list);
    scene->texture_memory = textures->memory;
}

/* MuJoCo's light at the camera, where the model does not say. */
static void usual_headlight(TnView *view)
{
    if (view->has_headlight) return;
    for (int k = 0; k < 3; k++) {
        view->headlight_ambient[k] = 0.1;
        view->headlight_diffuse[k] = 0.4;
        view->headlight_specular[k] = 0.5;
    }
}

static TnScene *lay_scene(Layout *layout, const Source *from)
{
    const TnModel *model = from->model;
    TnModelInfo info = tn_model_info(model);
    TnScene scene = {.timestep = info.option.timestep,
                     .body_count = info.body_count,
                     .shape_count = info.geom_count,
                     .mesh_count = info.mesh_count,
                     .joint_count = info.joint_count,
                     .camera_count = info.camera_count,
                     .tube_count = count_tubes(model, &info),
                     .surface_count = info.soft_count,
                     .view = info.view,
                     .material_count = info.material_count,
                     .texture_count = from->textures->count,
                     .memory = layout->base};
    TnScene *place = take(layout, sizeof scene);
    usual_headlight(&scene.view);
    scene.name = take_text(layout, info.name);
    lay_bodies(layout, &scene, from);
    lay_shapes(layout, &scene, model);
    lay_tubes(layout, &scene, model);
    lay_surfaces(layout, &scene, from);
    lay_point_subsystems(layout, &scene, from);
    lay_joints(layout, &scene, model);
    lay_meshes(layout, &scene, model);
    lay_cameras(layout, &scene, model);
    lay_signals(layout, &scene, model, &info);
    lay_looks(layout, &scene, from);
    if (place) *place = scene;
    return place;
}

static TnScene *create(Source *from, TnError *err)
{
    TnSceneTextures textures = {0};
    Layout count = {0}, layout = {0};
    bool good = tn_scene_textures_make(from->model, &textures);
    from->textures = &textures;
    if (good) lay_scene(&count, from);
    if (good) layout.base = tn_malloc(count.used);
    TnScene *scene = layout.base ? lay_scene(&layout, from) : NULL;
    if (!scene) tn_error_add(err, TN_ERROR_MEMORY, "no memory for the scene");
    tn_scene_textures_free(&textures, !scene);
    return scene;
}

static TnScene *no_object(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "%s", why);
    return NULL;
}

TnScene *tn_scene_create(const TnModel *model, TnError *err)
{
    if (!model) return no_object(err, "no model was given");
    return create(&(Source){.model = model}, err);
}

TnScene *tn_scene_create_of(const TnWorld *world, TnError *err)
{
    if (!world) return no_object(err, "no world was given");
    return create(&(Source){.model = tn_world_model(world), .world = world}, err);
}

void tn_scene_destroy(TnScene *scene)
{
    if (!scene) return;
    void **memory = scene->texture_memory;
    for (int i = 0; memory && memory[i]; i++) tn_free(memory[i]);
    tn_free(memory);
    tn_free(scene->memory);
}
