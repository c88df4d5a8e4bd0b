/* record_scene.c: a whole scene as bytes and back.
 *
 * Fields stand in the order of the structs in tenon/scene.h, lists with their count in front. What
 * a later minor version adds comes at the end, where an older reader does not look. A reader may
 * trust what it gets: every index is in its range. */
#include "picture.h"
#include "record_format.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

static void put_f64s(TnRecordOut *out, const double *values, int count)
{
    for (int k = 0; k < count; k++) tn_record_put_f64(out, values[k]);
}

static void put_f32s(TnRecordOut *out, const float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) tn_record_put_f32(out, values[k]);
}

static void put_indices(TnRecordOut *out, const int32_t *values, int tuples, int size)
{
    tn_record_put_u32(out, (uint32_t)tuples);
    size_t count = (size_t)tuples * (size_t)size;
    for (size_t k = 0; k < count; k++) tn_record_put_u32(out, (uint32_t)values[k]);
}

static void put_parts(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->body_count);
    for (int i = 0; i < scene->body_count; i++) {
        tn_record_put_text(out, scene->bodies[i].name);
        tn_record_put_u32(out, (uint32_t)scene->bodies[i].subsystem);
    }
    tn_record_put_u32(out, (uint32_t)scene->mesh_count);
    for (int i = 0; i < scene->mesh_count; i++) {
        const TnSceneMesh *mesh = &scene->meshes[i];
        tn_record_put_u32(out, (uint32_t)mesh->vertex_count);
        put_f32s(out, mesh->vertices, 3 * (size_t)mesh->vertex_count);
        put_indices(out, mesh->triangles, mesh->triangle_count, 3);
        put_indices(out, mesh->hull_triangles, mesh->hull_triangle_count, 3);
    }
    tn_record_put_u32(out, (uint32_t)scene->shape_count);
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        tn_record_put_u32(out, (uint32_t)shape->type);
        tn_record_put_u32(out, (uint32_t)shape->body);
        tn_record_put_u32(out, (uint32_t)shape->mesh);
        tn_record_put_u32(out, (uint32_t)shape->group);
        put_f64s(out, shape->pos, 3);
        put_f64s(out, shape->quat, 4);
        put_f64s(out, shape->size, 3);
        put_f32s(out, shape->rgba, 4);
    }
    tn_record_put_u32(out, (uint32_t)scene->joint_count);
    for (int i = 0; i < scene->joint_count; i++) {
        const TnSceneJoint *joint = &scene->joints[i];
        tn_record_put_text(out, joint->name);
        tn_record_put_u32(out, (uint32_t)joint->type);
        tn_record_put_u32(out, (uint32_t)joint->body);
        put_f64s(out, joint->pos, 3);
        put_f64s(out, joint->axis, 3);
    }
}

static void put_soft_parts(TnRecordOut *out, const TnScene *scene)
{
    put_indices(out, scene->point_subsystems, scene->point_count, 1);
    tn_record_put_u32(out, (uint32_t)scene->tube_count);
    for (int i = 0; i < scene->tube_count; i++) {
        const TnSceneTube *tube = &scene->tubes[i];
        tn_record_put_u32(out, (uint32_t)tube->kind);
        tn_record_put_u32(out, (uint32_t)tube->point_start);
        tn_record_put_u32(out, (uint32_t)tube->point_count);
        tn_record_put_f64(out, tube->radius);
        put_f32s(out, tube->rgba, 4);
    }
    tn_record_put_u32(out, (uint32_t)scene->surface_count);
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        tn_record_put_u32(out, (uint32_t)surface->point_start);
        tn_record_put_u32(out, (uint32_t)surface->point_count);
        put_indices(out, surface->triangles, surface->triangle_count, 3);
        put_indices(out, surface->tetrahedra, surface->tetrahedron_count, 4);
        put_f32s(out, surface->rgba, 4);
    }
}

static void put_cameras(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->camera_count);
    for (int i = 0; i < scene->camera_count; i++) {
        const TnCameraInfo *camera = &scene->cameras[i];
        tn_record_put_text(out, camera->name);
        tn_record_put_u32(out, (uint32_t)camera->body);
        put_f64s(out, camera->pos, 3);
        put_f64s(out, camera->quat, 4);
        tn_record_put_f64(out, camera->fovy);
        tn_record_put_u32(out, (uint32_t)camera->mode);
        tn_record_put_u32(out, (uint32_t)camera->target);
    }
    const TnView *view = &scene->view;
    uint32_t given =
        (view->has_center ? 1u : 0) | (view->has_extent ? 2u : 0) | (view->has_angles ? 4u : 0);
    tn_record_put_u32(out, given);
    put_f64s(out, view->center, 3);
    tn_record_put_f64(out, view->extent);
    tn_record_put_f64(out, view->azimuth);
    tn_record_put_f64(out, view->elevation);
    tn_record_put_f64(out, view->fovy);
}

/* Since version 1.1; a list that is not there has the count 0. */
static void put_surface_details(TnRecordOut *out, const TnScene *scene)
{
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        tn_record_put_text(out, surface->name ? surface->name : "");
        put_indices(out, surface->triangle_subsystems,
                    surface->triangle_subsystems ? surface->triangle_count : 0, 1);
        put_indices(out, surface->tetrahedron_subsystems,
                    surface->tetrahedron_subsystems ? surface->tetrahedron_count : 0, 1);
        int points = surface->rest ? surface->point_count : 0;
        tn_record_put_u32(out, (uint32_t)points);
        put_f32s(out, surface->rest, 3 * (size_t)points);
    }
}

/* Since version 1.3. */
static void put_signals(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->signal_count);
    for (int i = 0; i < scene->signal_count; i++) {
        tn_record_put_text(out, scene->signals[i].name);
        tn_record_put_u32(out, (uint32_t)scene->signals[i].kind);
    }
}

/* Since version 1.5. Textures of a scene are reduced first: tn_record_fit_textures. */
static void put_looks(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->texture_count);
    for (int i = 0; i < scene->texture_count; i++) {
        const TnSceneTexture *t = &scene->textures[i];
        tn_record_put_u32(out, (uint32_t)t->type);
        tn_record_put_u32(out, (uint32_t)t->width);
        tn_record_put_u32(out, (uint32_t)t->height);
        tn_record_put_bytes(out, t->rgb, tn_texture_bytes(t));
    }
    tn_record_put_u32(out, (uint32_t)scene->material_count);
    for (int i = 0; i < scene->material_count; i++) {
        const TnSceneMaterial *m = &scene->materials[i];
        const float values[7] = {m->texture_repeat[0], m->texture_repeat[1], m->emission,
                                 m->specular,          m->shininess,         m->reflectance,
                                 m->metallic};
        tn_record_put_u32(out, (uint32_t)m->texture);
        tn_record_put_u32(out, m->texture_uniform);
        put_f32s(out, values, 7);
    }
    for (int i = 0; i < scene->shape_count; i++)
        tn_record_put_u32(out, (uint32_t)scene->shapes[i].material);
    for (int i = 0; i < scene->mesh_count; i++) {
        const TnSceneMesh *mesh = &scene->meshes[i];
        size_t count = mesh->texcoords ? 6 * (size_t)mesh->triangle_count : 0;
        tn_record_put_u32(out, count != 0);
        put_f32s(out, mesh->texcoords, count);
    }
}

static void put_lights(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->light_count);
    for (int i = 0; i < scene->light_count; i++) {
        const TnSceneLight *light = &scene->lights[i];
        tn_record_put_u32(out, (uint32_t)light->type);
        tn_record_put_u32(out, (uint32_t)light->body);
        tn_record_put_u32(out, (uint32_t)light->target);
        tn_record_put_u32(out, (uint32_t)light->mode);
        tn_record_put_u32(out, light->cast_shadow);
        put_f32s(out, light->pos, 3);
        put_f32s(out, light->dir, 3);
        put_f32s(out, light->ambient, 3);
        put_f32s(out, light->diffuse, 3);
        put_f32s(out, light->specular, 3);
        put_f32s(out, light->attenuation, 3);
        tn_record_put_f32(out, light->cutoff);
        tn_record_put_f32(out, light->exponent);
    }
    const TnView *view = &scene->view;
    tn_record_put_u32(out, (view->has_headlight ? 1u : 0) | (view->no_headlight ? 2u : 0) |
                               (view->has_haze ? 4u : 0));
    put_f64s(out, view->headlight_ambient, 3);
    put_f64s(out, view->headlight_diffuse, 3);
    put_f64s(out, view->headlight_specular, 3);
    put_f64s(out, view->haze, 3);
}

void tn_record_put_scene(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_f64(out, tn_record_resolution(scene));
    tn_record_put_text(out, scene->name);
    tn_record_put_f64(out, scene->timestep);
    put_parts(out, scene);
    put_soft_parts(out, scene);
    put_cameras(out, scene);
    put_surface_details(out, scene);
    put_signals(out, scene);
    put_looks(out, scene);
    put_lights(out, scene);
}

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/* How far a shape reaches from its body's origin, roughly. Planes reach anywhere and tell nothing.
 */
static double reach_of(const TnScene *scene, const TnSceneShape *shape)
{
    double reach = 0;
    if (shape->type == TN_GEOM_PLANE) return 0;
    if (shape->type == TN_GEOM_MESH && shape->mesh >= 0) {
        const TnSceneMesh *mesh = &scene->meshes[shape->mesh];
        for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
            reach = fmax(reach, fabs((double)mesh->vertices[k]));
    } else {
        for (int k = 0; k < 3; k++) reach = fmax(reach, fabs(shape->size[k]));
    }
    return reach + length_of(shape->pos);
}

/* A millionth of what there is to see: the view's extent where the model gives one, else the
 * largest shape or joint offset. Never coarser than 2^-20 m, a micrometre. */
/* Half the longest side of the box around a soft body. */
static double surface_reach(const TnSceneSurface *surface)
{
    double reach = 0;
    for (int k = 0; surface->rest && k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < surface->point_count; i++) {
            low = fmin(low, (double)surface->rest[3 * i + k]);
            high = fmax(high, (double)surface->rest[3 * i + k]);
        }
        reach = fmax(reach, (high - low) / 2);
    }
    return reach;
}

double tn_record_resolution(const TnScene *scene)
{
    double extent = scene->view.has_extent ? scene->view.extent : 0;
    if (!(extent > 0)) {
        for (int i = 0; i < scene->shape_count; i++)
            extent = fmax(extent, reach_of(scene, &scene->shapes[i]));
        for (int i = 0; i < scene->surface_count; i++)
            extent = fmax(extent, surface_reach(&scene->surfaces[i]));
    }
    if (!(extent > 0) || !isfinite(extent)) extent = 1;
    int exponent = ilogb(extent) - 20;
    if (exponent > -20) exponent = -20;
    if (exponent < -40) exponent = -40;
    return ldexp(1, exponent);
}

/* ---- reading ---- */

typedef struct Reader {
    TnRecordIn *in;
    TnIoPool *pool;
} Reader;

static void get_f64s(Reader *r, double *values, int count)
{
    for (int k = 0; k < count; k++) values[k] = tn_record_get_f64(r->in);
}

static void get_f32s(Reader *r, float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = tn_record_get_f32(r->in);
}

/* A number within [lower, upper]. */
static int get_int(Reader *r, int lower, int upper)
{
    int value = (int)(int32_t)tn_record_get_u32(r->in);
    if (value >= lower && value <= upper) return value;
    r->in->failed = true;
    return lower;
}

/* A list of `count` things of `size` bytes. NULL where there is none or no memory. */
static void *new_list(Reader *r, int count, size_t size)
{
    return count && !r->in->failed ? tn_io_alloc(r->pool, (size_t)count * size) : NULL;
}

/* Tuples of indices within [lower, upper]. */
static const int32_t *get_indices(Reader *r, int *tuples, int size, int lower, int upper)
{
    *tuples = tn_record_get_count(r->in, 4 * (size_t)size);
    size_t count = (size_t)*tuples * (size_t)size;
    int32_t *values = new_list(r, *tuples, (size_t)size * sizeof *values);
    for (size_t k = 0; values && k < count; k++) values[k] = get_int(r, lower, upper);
    return values;
}

static void get_bodies(Reader *r, TnScene *scene)
{
    scene->body_count = tn_record_get_count(r->in, 8);
    TnSceneBody *bodies = new_list(r, scene->body_count, sizeof *bodies);
    for (int i = 0; bodies && i < scene->body_count; i++) {
        bodies[i].name = tn_record_get_text(r->in, r->pool);
        bodies[i].subsystem = get_int(r, 0, INT32_MAX);
    }
    scene->bodies = bodies;
}

static void get_meshes(Reader *r, TnScene *scene)
{
    scene->mesh_count = tn_record_get_count(r->in, 12);
    TnSceneMesh *meshes = new_list(r, scene->mesh_count, sizeof *meshes);
    for (int i = 0; meshes && i < scene->mesh_count && !r->in->failed; i++) {
        TnSceneMesh *mesh = &meshes[i];
        mesh->vertex_count = tn_record_get_count(r->in, 12);
        float *vertices = new_list(r, mesh->vertex_count, 3 * sizeof *vertices);
        if (vertices) get_f32s(r, vertices, 3 * (size_t)mesh->vertex_count);
        mesh->vertices = vertices;
        int last = mesh->vertex_count - 1;
        mesh->triangles = get_indices(r, &mesh->triangle_count, 3, 0, last);
        mesh->hull_triangles = get_indices(r, &mesh->hull_triangle_count, 3, 0, last);
    }
    scene->meshes = meshes;
}

static void get_shapes(Reader *r, TnScene *scene)
{
    scene->shape_count = tn_record_get_count(r->in, 112);
    TnSceneShape *shapes = new_list(r, scene->shape_count, sizeof *shapes);
    for (int i = 0; shapes && i < scene->shape_count && !r->in->failed; i++) {
        TnSceneShape *shape = &shapes[i];
        shape->type = (TnGeomType)get_int(r, 0, TN_GEOM_SOFT);
        shape->body = get_int(r, 1, scene->body_count);
        shape->mesh = get_int(r, -1, scene->mesh_count - 1);
        shape->group = get_int(r, INT32_MIN, INT32_MAX);
        get_f64s(r, shape->pos, 3);
        get_f64s(r, shape->quat, 4);
        get_f64s(r, shape->size, 3);
        get_f32s(r, shape->rgba, 4);
    }
    scene->shapes = shapes;
}

static void get_joints(Reader *r, TnScene *scene)
{
    scene->joint_count = tn_record_get_count(r->in, 60);
    TnSceneJoint *joints = new_list(r, scene->joint_count, sizeof *joints);
    for (int i = 0; joints && i < scene->joint_count && !r->in->failed; i++) {
        TnSceneJoint *joint = &joints[i];
        joint->name = tn_record_get_text(r->in, r->pool);
        joint->type = (TnJointType)get_int(r, 0, TN_JOINT_HINGE);
        joint->body = get_int(r, 1, scene->body_count);
        get_f64s(r, joint->pos, 3);
        get_f64s(r, joint->axis, 3);
    }
    scene->joints = joints;
}

/* A range of the scene's points. */
static void get_range(Reader *r, const TnScene *scene, int *start, int *count)
{
    *start = get_int(r, 0, scene->point_count);
    *count = get_int(r, 0, scene->point_count - *start);
}

static void get_soft_parts(Reader *r, TnScene *scene)
{
    scene->point_subsystems = get_indices(r, &scene->point_count, 1, 0, INT32_MAX);
    scene->tube_count = tn_record_get_count(r->in, 36);
    TnSceneTube *tubes = new_list(r, scene->tube_count, sizeof *tubes);
    for (int i = 0; tubes && i < scene->tube_count && !r->in->failed; i++) {
        tubes[i].kind = (TnTubeKind)get_int(r, 0, TN_TUBE_TENDON);
        get_range(r, scene, &tubes[i].point_start, &tubes[i].point_count);
        tubes[i].radius = tn_record_get_f64(r->in);
        get_f32s(r, tubes[i].rgba, 4);
    }
    scene->tubes = tubes;
    scene->surface_count = tn_record_get_count(r->in, 32);
    TnSceneSurface *surfaces = new_list(r, scene->surface_count, sizeof *surfaces);
    for (int i = 0; surfaces && i < scene->surface_count && !r->in->failed; i++) {
        TnSceneSurface *surface = &surfaces[i];
        get_range(r, scene, &surface->point_start, &surface->point_count);
        int last = surface->point_count - 1;
        surface->triangles = get_indices(r, &surface->triangle_count, 3, 0, last);
        surface->tetrahedra = get_indices(r, &surface->tetrahedron_count, 4, 0, last);
        get_f32s(r, surface->rgba, 4);
    }
    scene->surfaces = surfaces;
}

static void get_cameras(Reader *r, TnScene *scene)
{
    scene->camera_count = tn_record_get_count(r->in, 80);
    TnCameraInfo *cameras = new_list(r, scene->camera_count, sizeof *cameras);
    for (int i = 0; cameras && i < scene->camera_count && !r->in->failed; i++) {
        TnCameraInfo *camera = &cameras[i];
        camera->name = tn_record_get_text(r->in, r->pool);
        camera->body = get_int(r, 1, scene->body_count);
        get_f64s(r, camera->pos, 3);
        get_f64s(r, camera->quat, 4);
        camera->fovy = tn_record_get_f64(r->in);
        camera->mode = (TnCameraMode)get_int(r, 0, TN_CAMERA_TARGET);
        /* who looks at a body must have one */
        camera->target = get_int(r, camera->mode == TN_CAMERA_TARGET, scene->body_count);
    }
    scene->cameras = cameras;
    uint32_t given = tn_record_get_u32(r->in);
    TnView *view = &scene->view;
    view->has_center = given & 1;
    view->has_extent = given & 2;
    view->has_angles = given & 4;
    get_f64s(r, view->center, 3);
    view->extent = tn_record_get_f64(r->in);
    view->azimuth = tn_record_get_f64(r->in);
    view->elevation = tn_record_get_f64(r->in);
    view->fovy = tn_record_get_f64(r->in);
}

/* A list of `count` subsystems, or NULL where it is empty. */
static const int32_t *get_subsystems(Reader *r, int count)
{
    int there;
    const int32_t *list = get_indices(r, &there, 1, 0, INT32_MAX);
    if (there != 0 && there != count) r->in->failed = true;
    return there ? list : NULL;
}

static void get_surface_details(Reader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return; /* version 1.0 */
    for (int i = 0; i < scene->surface_count && !r->in->failed && !r->pool->failed; i++) {
        TnSceneSurface *surface = (TnSceneSurface *)&scene->surfaces[i];
        surface->name = tn_record_get_text(r->in, r->pool);
        surface->triangle_subsystems = get_subsystems(r, surface->triangle_count);
        surface->tetrahedron_subsystems = get_subsystems(r, surface->tetrahedron_count);
        int points = tn_record_get_count(r->in, 12);
        if (points != 0 && points != surface->point_count) r->in->failed = true;
        float *rest = points && !r->in->failed ? new_list(r, points, 3 * sizeof *rest) : NULL;
        if (rest) get_f32s(r, rest, 3 * (size_t)points);
        surface->rest = rest;
    }
}

static void get_signals(Reader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return; /* version 1.2 and before */
    int count = tn_record_get_count(r->in, 8);
    TnSignal *signals = new_list(r, count, sizeof *signals);
    for (int i = 0; signals && i < count && !r->in->failed; i++) {
        signals[i].name = tn_record_get_text(r->in, r->pool);
        signals[i].kind = (TnSignalKind)get_int(r, 0, TN_SIGNAL_COUNT - 1);
    }
    scene->signals = signals;
    scene->signal_count = signals ? count : 0;
}

static const TnSceneTexture *get_textures(Reader *r, int *count)
{
    *count = tn_record_get_count(r->in, 12);
    TnSceneTexture *textures = new_list(r, *count, sizeof *textures);
    for (int i = 0; textures && i < *count && !r->in->failed; i++) {
        TnSceneTexture *t = &textures[i];
        t->type = (TnTextureType)get_int(r, 0, TN_TEXTURE_SKYBOX);
        t->width = get_int(r, 1, TN_MOST_TEXTURE_SIDE);
        t->height = get_int(r, 1, TN_MOST_TEXTURE_SIDE);
        if (t->type != TN_TEXTURE_2D && t->width != t->height) r->in->failed = true;
        size_t bytes = tn_texture_bytes(t);
        const uint8_t *from = tn_record_get_bytes(r->in, bytes);
        uint8_t *rgb = from ? new_list(r, 1, bytes) : NULL;
        if (rgb) memcpy(rgb, from, bytes);
        t->rgb = rgb;
    }
    return textures;
}

static void get_looks(Reader *r, TnScene *scene)
{
    TnSceneShape *shapes = (TnSceneShape *)scene->shapes;
    for (int i = 0; shapes && i < scene->shape_count; i++) shapes[i].material = -1;
    if (r->in->at == r->in->size) return; /* version 1.4 and before */
    scene->textures = get_textures(r, &scene->texture_count);
    scene->material_count = tn_record_get_count(r->in, 36);
    TnSceneMaterial *materials = new_list(r, scene->material_count, sizeof *materials);
    for (int i = 0; materials && i < scene->material_count && !r->in->failed; i++) {
        TnSceneMaterial *m = &materials[i];
        float values[7];
        m->texture = get_int(r, -1, scene->texture_count - 1);
        m->texture_uniform = get_int(r, 0, 1);
        get_f32s(r, values, 7);
        memcpy(m->texture_repeat, values, sizeof m->texture_repeat);
        m->emission = values[2];
        m->specular = values[3];
        m->shininess = values[4];
        m->reflectance = values[5];
        m->metallic = values[6];
    }
    scene->materials = materials;
    for (int i = 0; shapes && i < scene->shape_count; i++)
        shapes[i].material = get_int(r, -1, scene->material_count - 1);
    TnSceneMesh *meshes = (TnSceneMesh *)scene->meshes;
    for (int i = 0; meshes && i < scene->mesh_count && !r->in->failed; i++) {
        if (!get_int(r, 0, 1)) continue;
        size_t count = 6 * (size_t)meshes[i].triangle_count;
        if (count > (r->in->size - r->in->at) / 4) r->in->failed = true;
        float *places = new_list(r, meshes[i].triangle_count, 6 * sizeof *places);
        if (places) get_f32s(r, places, count);
        meshes[i].texcoords = places;
    }
}

static void get_lights(Reader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return;
    scene->light_count = tn_record_get_count(r->in, 100);
    TnSceneLight *lights = new_list(r, scene->light_count, sizeof *lights);
    for (int i = 0; lights && i < scene->light_count && !r->in->failed; i++) {
        TnSceneLight *light = &lights[i];
        light->type = (TnLightType)get_int(r, 0, TN_LIGHT_POINT);
        light->body = get_int(r, 1, scene->body_count);
        light->target = get_int(r, 0, scene->body_count);
        light->mode = (TnCameraMode)get_int(r, 0, TN_CAMERA_TARGET);
        if (light->mode == TN_CAMERA_TARGET && !light->target) r->in->failed = true;
        light->cast_shadow = get_int(r, 0, 1);
        get_f32s(r, light->pos, 3);
        get_f32s(r, light->dir, 3);
        get_f32s(r, light->ambient, 3);
        get_f32s(r, light->diffuse, 3);
        get_f32s(r, light->specular, 3);
        get_f32s(r, light->attenuation, 3);
        light->cutoff = tn_record_get_f32(r->in);
        light->exponent = tn_record_get_f32(r->in);
    }
    scene->lights = lights;
    TnView *view = &scene->view;
    uint32_t given = tn_record_get_u32(r->in);
    view->has_headlight = given & 1;
    view->no_headlight = given & 2;
    view->has_haze = given & 4;
    get_f64s(r, view->headlight_ambient, 3);
    get_f64s(r, view->headlight_diffuse, 3);
    get_f64s(r, view->headlight_specular, 3);
    get_f64s(r, view->haze, 3);
}

TnScene *tn_record_get_scene(TnRecordIn *in, TnIoPool *pool, double *resolution)
{
    Reader r = {.in = in, .pool = pool};
    TnScene *scene = TN_IO_NEW(pool, TnScene);
    if (!scene) return NULL;
    *resolution = tn_record_get_f64(in);
    scene->name = tn_record_get_text(in, pool);
    scene->timestep = tn_record_get_f64(in);
    get_bodies(&r, scene);
    get_meshes(&r, scene);
    get_shapes(&r, scene);
    get_joints(&r, scene);
    get_soft_parts(&r, scene);
    get_cameras(&r, scene);
    get_surface_details(&r, scene);
    get_signals(&r, scene);
    get_looks(&r, scene);
    get_lights(&r, scene);
    if (!(*resolution > 0) || !isfinite(*resolution)) in->failed = true;
    /* a list that got no memory leaves its bytes unread and looks like damage: memory is the cause
     */
    if (pool->failed) in->failed = false;
    return in->failed || pool->failed ? NULL : scene;
}
