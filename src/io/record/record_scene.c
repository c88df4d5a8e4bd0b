/* record_scene.c: a whole scene as bytes and back.
 *
 * Fields stand in the order of the structs in tenon/scene.h, lists with their count in front. What
 * a later minor version adds comes at the end, where an older reader does not look. A reader may
 * trust what it gets: every index is in its range. */
#include "record_format.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

void tn_record_put_f64s(TnRecordOut *out, const double *values, int count)
{
    for (int k = 0; k < count; k++) tn_record_put_f64(out, values[k]);
}

void tn_record_put_f32s(TnRecordOut *out, const float *values, size_t count)
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
        tn_record_put_f32s(out, mesh->vertices, 3 * (size_t)mesh->vertex_count);
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
        tn_record_put_f64s(out, shape->pos, 3);
        tn_record_put_f64s(out, shape->quat, 4);
        tn_record_put_f64s(out, shape->size, 3);
        tn_record_put_f32s(out, shape->rgba, 4);
    }
    tn_record_put_u32(out, (uint32_t)scene->joint_count);
    for (int i = 0; i < scene->joint_count; i++) {
        const TnSceneJoint *joint = &scene->joints[i];
        tn_record_put_text(out, joint->name);
        tn_record_put_u32(out, (uint32_t)joint->type);
        tn_record_put_u32(out, (uint32_t)joint->body);
        tn_record_put_f64s(out, joint->pos, 3);
        tn_record_put_f64s(out, joint->axis, 3);
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
        tn_record_put_f32s(out, tube->rgba, 4);
    }
    tn_record_put_u32(out, (uint32_t)scene->surface_count);
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        tn_record_put_u32(out, (uint32_t)surface->point_start);
        tn_record_put_u32(out, (uint32_t)surface->point_count);
        put_indices(out, surface->triangles, surface->triangle_count, 3);
        put_indices(out, surface->tetrahedra, surface->tetrahedron_count, 4);
        tn_record_put_f32s(out, surface->rgba, 4);
    }
}

static void put_cameras(TnRecordOut *out, const TnScene *scene)
{
    tn_record_put_u32(out, (uint32_t)scene->camera_count);
    for (int i = 0; i < scene->camera_count; i++) {
        const TnCameraInfo *camera = &scene->cameras[i];
        tn_record_put_text(out, camera->name);
        tn_record_put_u32(out, (uint32_t)camera->body);
        tn_record_put_f64s(out, camera->pos, 3);
        tn_record_put_f64s(out, camera->quat, 4);
        tn_record_put_f64(out, camera->fovy);
        tn_record_put_u32(out, (uint32_t)camera->mode);
        tn_record_put_u32(out, (uint32_t)camera->target);
    }
    const TnView *view = &scene->view;
    uint32_t given =
        (view->has_center ? 1u : 0) | (view->has_extent ? 2u : 0) | (view->has_angles ? 4u : 0);
    tn_record_put_u32(out, given);
    tn_record_put_f64s(out, view->center, 3);
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
        tn_record_put_f32s(out, surface->rest, 3 * (size_t)points);
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

bool tn_record_put_scene(TnRecordOut *out, const TnScene *scene, int64_t texture_bytes)
{
    tn_record_put_f64(out, tn_record_resolution(scene));
    tn_record_put_text(out, scene->name);
    tn_record_put_f64(out, scene->timestep);
    put_parts(out, scene);
    put_soft_parts(out, scene);
    put_cameras(out, scene);
    put_surface_details(out, scene);
    put_signals(out, scene);
    return tn_record_put_looks(out, scene, texture_bytes);
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

void tn_record_get_f64s(TnRecordReader *r, double *values, int count)
{
    for (int k = 0; k < count; k++) values[k] = tn_record_get_f64(r->in);
}

void tn_record_get_f32s(TnRecordReader *r, float *values, size_t count)
{
    for (size_t k = 0; k < count; k++) values[k] = tn_record_get_f32(r->in);
}

/* A number within [lower, upper]. */
int tn_record_get_int(TnRecordReader *r, int lower, int upper)
{
    int value = (int)(int32_t)tn_record_get_u32(r->in);
    if (value >= lower && value <= upper) return value;
    r->in->failed = true;
    return lower;
}

/* A list of `count` things of `size` bytes. NULL where there is none or no memory. */
void *tn_record_new_list(TnRecordReader *r, int count, size_t size)
{
    return count && !r->in->failed ? tn_io_alloc(r->pool, (size_t)count * size) : NULL;
}

/* Tuples of indices within [lower, upper]. */
static const int32_t *get_indices(TnRecordReader *r, int *tuples, int size, int lower, int upper)
{
    *tuples = tn_record_get_count(r->in, 4 * (size_t)size);
    size_t count = (size_t)*tuples * (size_t)size;
    int32_t *values = tn_record_new_list(r, *tuples, (size_t)size * sizeof *values);
    for (size_t k = 0; values && k < count; k++) values[k] = tn_record_get_int(r, lower, upper);
    return values;
}

static void get_bodies(TnRecordReader *r, TnScene *scene)
{
    scene->body_count = tn_record_get_count(r->in, 8);
    TnSceneBody *bodies = tn_record_new_list(r, scene->body_count, sizeof *bodies);
    for (int i = 0; bodies && i < scene->body_count; i++) {
        bodies[i].name = tn_record_get_text(r->in, r->pool);
        bodies[i].subsystem = tn_record_get_int(r, 0, INT32_MAX);
    }
    scene->bodies = bodies;
}

static void get_meshes(TnRecordReader *r, TnScene *scene)
{
    scene->mesh_count = tn_record_get_count(r->in, 12);
    TnSceneMesh *meshes = tn_record_new_list(r, scene->mesh_count, sizeof *meshes);
    for (int i = 0; meshes && i < scene->mesh_count && !r->in->failed; i++) {
        TnSceneMesh *mesh = &meshes[i];
        mesh->vertex_count = tn_record_get_count(r->in, 12);
        float *vertices = tn_record_new_list(r, mesh->vertex_count, 3 * sizeof *vertices);
        if (vertices) tn_record_get_f32s(r, vertices, 3 * (size_t)mesh->vertex_count);
        mesh->vertices = vertices;
        int last = mesh->vertex_count - 1;
        mesh->triangles = get_indices(r, &mesh->triangle_count, 3, 0, last);
        mesh->hull_triangles = get_indices(r, &mesh->hull_triangle_count, 3, 0, last);
    }
    scene->meshes = meshes;
}

static void get_shapes(TnRecordReader *r, TnScene *scene)
{
    scene->shape_count = tn_record_get_count(r->in, 112);
    TnSceneShape *shapes = tn_record_new_list(r, scene->shape_count, sizeof *shapes);
    for (int i = 0; shapes && i < scene->shape_count && !r->in->failed; i++) {
        TnSceneShape *shape = &shapes[i];
        shape->type = (TnGeomType)tn_record_get_int(r, 0, TN_GEOM_SOFT);
        shape->body = tn_record_get_int(r, 1, scene->body_count);
        shape->mesh = tn_record_get_int(r, -1, scene->mesh_count - 1);
        shape->group = tn_record_get_int(r, INT32_MIN, INT32_MAX);
        tn_record_get_f64s(r, shape->pos, 3);
        tn_record_get_f64s(r, shape->quat, 4);
        tn_record_get_f64s(r, shape->size, 3);
        tn_record_get_f32s(r, shape->rgba, 4);
    }
    scene->shapes = shapes;
}

static void get_joints(TnRecordReader *r, TnScene *scene)
{
    scene->joint_count = tn_record_get_count(r->in, 60);
    TnSceneJoint *joints = tn_record_new_list(r, scene->joint_count, sizeof *joints);
    for (int i = 0; joints && i < scene->joint_count && !r->in->failed; i++) {
        TnSceneJoint *joint = &joints[i];
        joint->name = tn_record_get_text(r->in, r->pool);
        joint->type = (TnJointType)tn_record_get_int(r, 0, TN_JOINT_HINGE);
        joint->body = tn_record_get_int(r, 1, scene->body_count);
        tn_record_get_f64s(r, joint->pos, 3);
        tn_record_get_f64s(r, joint->axis, 3);
    }
    scene->joints = joints;
}

/* A range of the scene's points. */
static void get_range(TnRecordReader *r, const TnScene *scene, int *start, int *count)
{
    *start = tn_record_get_int(r, 0, scene->point_count);
    *count = tn_record_get_int(r, 0, scene->point_count - *start);
}

static void get_soft_parts(TnRecordReader *r, TnScene *scene)
{
    scene->point_subsystems = get_indices(r, &scene->point_count, 1, 0, INT32_MAX);
    scene->tube_count = tn_record_get_count(r->in, 36);
    TnSceneTube *tubes = tn_record_new_list(r, scene->tube_count, sizeof *tubes);
    for (int i = 0; tubes && i < scene->tube_count && !r->in->failed; i++) {
        tubes[i].kind = (TnTubeKind)tn_record_get_int(r, 0, TN_TUBE_TENDON);
        get_range(r, scene, &tubes[i].point_start, &tubes[i].point_count);
        tubes[i].radius = tn_record_get_f64(r->in);
        tn_record_get_f32s(r, tubes[i].rgba, 4);
    }
    scene->tubes = tubes;
    scene->surface_count = tn_record_get_count(r->in, 32);
    TnSceneSurface *surfaces = tn_record_new_list(r, scene->surface_count, sizeof *surfaces);
    for (int i = 0; surfaces && i < scene->surface_count && !r->in->failed; i++) {
        TnSceneSurface *surface = &surfaces[i];
        get_range(r, scene, &surface->point_start, &surface->point_count);
        int last = surface->point_count - 1;
        surface->triangles = get_indices(r, &surface->triangle_count, 3, 0, last);
        surface->tetrahedra = get_indices(r, &surface->tetrahedron_count, 4, 0, last);
        tn_record_get_f32s(r, surface->rgba, 4);
    }
    scene->surfaces = surfaces;
}

static void get_cameras(TnRecordReader *r, TnScene *scene)
{
    scene->camera_count = tn_record_get_count(r->in, 80);
    TnCameraInfo *cameras = tn_record_new_list(r, scene->camera_count, sizeof *cameras);
    for (int i = 0; cameras && i < scene->camera_count && !r->in->failed; i++) {
        TnCameraInfo *camera = &cameras[i];
        camera->name = tn_record_get_text(r->in, r->pool);
        camera->body = tn_record_get_int(r, 1, scene->body_count);
        tn_record_get_f64s(r, camera->pos, 3);
        tn_record_get_f64s(r, camera->quat, 4);
        camera->fovy = tn_record_get_f64(r->in);
        camera->mode = (TnCameraMode)tn_record_get_int(r, 0, TN_CAMERA_TARGET);
        /* a camera that looks at a body must have one */
        camera->target = tn_record_get_int(r, camera->mode == TN_CAMERA_TARGET, scene->body_count);
    }
    scene->cameras = cameras;
    uint32_t given = tn_record_get_u32(r->in);
    TnView *view = &scene->view;
    view->has_center = given & 1;
    view->has_extent = given & 2;
    view->has_angles = given & 4;
    tn_record_get_f64s(r, view->center, 3);
    view->extent = tn_record_get_f64(r->in);
    view->azimuth = tn_record_get_f64(r->in);
    view->elevation = tn_record_get_f64(r->in);
    view->fovy = tn_record_get_f64(r->in);
}

/* A list of `count` subsystems, or NULL where it is empty. */
static const int32_t *get_subsystems(TnRecordReader *r, int count)
{
    int there;
    const int32_t *list = get_indices(r, &there, 1, 0, INT32_MAX);
    if (there != 0 && there != count) r->in->failed = true;
    return there ? list : NULL;
}

static void get_surface_details(TnRecordReader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return; /* version 1.0 */
    for (int i = 0; i < scene->surface_count && !r->in->failed && !r->pool->failed; i++) {
        TnSceneSurface *surface = (TnSceneSurface *)&scene->surfaces[i];
        surface->name = tn_record_get_text(r->in, r->pool);
        surface->triangle_subsystems = get_subsystems(r, surface->triangle_count);
        surface->tetrahedron_subsystems = get_subsystems(r, surface->tetrahedron_count);
        int points = tn_record_get_count(r->in, 12);
        if (points != 0 && points != surface->point_count) r->in->failed = true;
        float *rest =
            points && !r->in->failed ? tn_record_new_list(r, points, 3 * sizeof *rest) : NULL;
        if (rest) tn_record_get_f32s(r, rest, 3 * (size_t)points);
        surface->rest = rest;
    }
}

static void get_signals(TnRecordReader *r, TnScene *scene)
{
    if (r->in->at == r->in->size) return; /* version 1.2 and before */
    int count = tn_record_get_count(r->in, 8);
    TnSignal *signals = tn_record_new_list(r, count, sizeof *signals);
    for (int i = 0; signals && i < count && !r->in->failed; i++) {
        signals[i].name = tn_record_get_text(r->in, r->pool);
        signals[i].kind = (TnSignalKind)tn_record_get_int(r, 0, TN_SIGNAL_COUNT - 1);
    }
    scene->signals = signals;
    scene->signal_count = signals ? count : 0;
}

TnScene *tn_record_get_scene(TnRecordIn *in, TnIoPool *pool, double *resolution)
{
    TnRecordReader r = {.in = in, .pool = pool};
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
    tn_record_get_looks(&r, scene);
    if (!(*resolution > 0) || !isfinite(*resolution)) in->failed = true;
    /* a list that got no memory leaves its bytes unread and looks like damage: memory is the cause
     */
    if (pool->failed) in->failed = false;
    return in->failed || pool->failed ? NULL : scene;
}
