/* bounds.c: see bounds.h. */
#include "bounds.h"
#include "renderer.h"
#include "turn.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/record.h>

static const MotionBox empty = {{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};

static bool is_empty(const MotionBox *bounds) { return bounds->low[0] > bounds->high[0]; }

static void bounds_join(MotionBox *bounds, const MotionBox *other)
{
    for (int k = 0; k < 3; k++) {
        bounds->low[k] = fmin(bounds->low[k], other->low[k]);
        bounds->high[k] = fmax(bounds->high[k], other->high[k]);
    }
}

/* The box of half lengths `half` about a point; what is not finite stays out. */
static void bounds_add(MotionBox *bounds, const double center[3], const double half[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(center[k]) || !isfinite(half[k])) return;
    for (int k = 0; k < 3; k++) {
        bounds->low[k] = fmin(bounds->low[k], center[k] - half[k]);
        bounds->high[k] = fmax(bounds->high[k], center[k] + half[k]);
    }
}

/* How far a shape reaches from its middle along the world's axis whose row of the rotation matrix
 * is `row`. */
static double reach(const TnSceneShape *shape, const double row[3])
{
    const double *s = shape->size;
    double across = sqrt(row[0] * row[0] + row[1] * row[1]), along = fabs(row[2]);
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        return s[0];
    case TN_GEOM_CAPSULE:
        return s[0] + s[1] * along;
    case TN_GEOM_CYLINDER:
        return s[0] * across + s[1] * along;
    case TN_GEOM_ELLIPSOID:
        return sqrt(s[0] * s[0] * row[0] * row[0] + s[1] * s[1] * row[1] * row[1] +
                    s[2] * s[2] * row[2] * row[2]);
    case TN_GEOM_BOX:
        return s[0] * fabs(row[0]) + s[1] * fabs(row[1]) + s[2] * fabs(row[2]);
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_MESH:
        break;
    }
    return 0;
}

static void add_shape(MotionBox *bounds, const TnScene *scene, const TnFrame *frame,
                      const TnSceneShape *shape)
{
    static const double none[3] = {0, 0, 0};
    const double *pose = frame->poses + 7 * (shape->body - 1);
    double body[9], local[9], m[9], center[3], half[3];
    matrix_of(body, pose + 3);
    matrix_of(local, shape->quat);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            m[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) m[3 * i + j] += body[3 * i + k] * local[3 * k + j];
        }
    turn(center, body, shape->pos);
    for (int k = 0; k < 3; k++) center[k] += pose[k];
    if (shape->type == TN_GEOM_MESH) {
        if (shape->mesh < 0) return;
        const TnSceneMesh *mesh = &scene->meshes[shape->mesh];
        for (int i = 0; i < mesh->vertex_count; i++) {
            const float *vertex = mesh->vertices + 3 * i;
            double p[3] = {(double)vertex[0], (double)vertex[1], (double)vertex[2]};
            turn(p, m, p);
            for (int k = 0; k < 3; k++) p[k] += center[k];
            bounds_add(bounds, p, none);
        }
        return;
    }
    for (int k = 0; k < 3; k++) half[k] = reach(shape, m + 3 * k);
    bounds_add(bounds, center, half);
}

static void add_points(MotionBox *bounds, const TnFrame *frame, int start, int count, double radius)
{
    double half[3] = {radius, radius, radius};
    for (int i = start; i < start + count; i++) {
        const float *point = frame->points + 3 * i;
        double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
        bounds_add(bounds, p, half);
    }
}

/* Shapes into the box of their body, tubes and surfaces into `points`. */
static void add_frame(const TnScene *scene, const TnFrame *frame, unsigned group_mask,
                      MotionBox *bodies, bool one_box, MotionBox *points)
{
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        /* endless, or known by its points */
        bool unbound = shape->type == TN_GEOM_PLANE || shape->type == TN_GEOM_HEIGHT_FIELD ||
                       shape->type == TN_GEOM_SOFT;
        if (!unbound && shape_in_groups(shape, group_mask))
            add_shape(one_box ? bodies : &bodies[shape->body - 1], scene, frame, shape);
    }
    for (int i = 0; i < scene->tube_count; i++) {
        const TnSceneTube *tube = &scene->tubes[i];
        add_points(points, frame, tube->point_start, tube->point_count, tube->radius);
    }
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        add_points(points, frame, surface->point_start, surface->point_count, 0);
    }
}

static bool give(const MotionBox *bounds, double low[3], double high[3])
{
    memcpy(low, bounds->low, sizeof bounds->low);
    memcpy(high, bounds->high, sizeof bounds->high);
    return !is_empty(bounds);
}

bool scene_bounds(const TnScene *scene, const TnFrame *frame, unsigned group_mask, double low[3],
                  double high[3])
{
    MotionBox bounds = empty;
    add_frame(scene, frame, group_mask, &bounds, true, &bounds);
    return give(&bounds, low, high);
}

/* ---- over time ---- */

enum { MOTION_FRAMES = 200 };
static const double kept_share = 0.95, far_factor = 3;

bool motion_start(Motion *motion, const TnScene *scene, unsigned group_mask)
{
    *motion = (Motion){.scene = scene, .group_mask = group_mask, .points = empty};
    motion->bodies = malloc((size_t)scene->body_count * sizeof *motion->bodies);
    for (int i = 0; motion->bodies && i < scene->body_count; i++) motion->bodies[i] = empty;
    return motion->bodies != NULL;
}

void motion_free(Motion *motion)
{
    free(motion->bodies);
    motion->bodies = NULL;
}

static MotionBox all_of(const Motion *motion)
{
    MotionBox all = motion->points;
    for (int i = 0; i < motion->scene->body_count; i++) bounds_join(&all, &motion->bodies[i]);
    return all;
}

void motion_add(Motion *motion, const TnFrame *frame)
{
    add_frame(motion->scene, frame, motion->group_mask, motion->bodies, false, &motion->points);
    if (motion->frames++ > 0) return;
    MotionBox first = all_of(motion);
    for (int k = 0; k < 3; k++)
        motion->middle[k] = is_empty(&first) ? 0 : (first.low[k] + first.high[k]) / 2;
}

static double distance_of(const Motion *motion, const MotionBox *bounds)
{
    double far[3];
    for (int k = 0; k < 3; k++)
        far[k] = fmax(fabs(bounds->low[k] - motion->middle[k]),
                      fabs(bounds->high[k] - motion->middle[k]));
    return sqrt(dot(far, far));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Bodies farther away than this do not count. */
static double farthest_of(const Motion *motion)
{
    int count = 0;
    double *distances = malloc((size_t)motion->scene->body_count * sizeof *distances);
    for (int i = 0; distances && i < motion->scene->body_count; i++)
        if (!is_empty(&motion->bodies[i]))
            distances[count++] = distance_of(motion, &motion->bodies[i]);
    double farthest = DBL_MAX;
    if (count) {
        qsort(distances, (size_t)count, sizeof *distances, by_size);
        double most = distances[(int)ceil(kept_share * count) - 1];
        if (!is_empty(&motion->points)) most = fmax(most, distance_of(motion, &motion->points));
        farthest = far_factor * most;
    }
    free(distances);
    return farthest;
}

bool motion_bounds(const Motion *motion, double low[3], double high[3])
{
    MotionBox all = motion->points;
    double farthest = farthest_of(motion);
    for (int i = 0; i < motion->scene->body_count; i++)
        if (!is_empty(&motion->bodies[i]) && distance_of(motion, &motion->bodies[i]) <= farthest)
            bounds_join(&all, &motion->bodies[i]);
    return give(&all, low, high);
}

int64_t motion_stride(int64_t frame_count)
{
    return frame_count > MOTION_FRAMES ? (frame_count + MOTION_FRAMES - 1) / MOTION_FRAMES : 1;
}

bool motion_of_recording(Motion *motion, TnRecording *recording, const int *frames, int frame_count,
                         unsigned group_mask)
{
    const TnScene *scene = tn_recording_scene(recording);
    TnFrame *frame = tn_frame_create(scene, NULL);
    bool fine = motion_start(motion, scene, group_mask) && frame;
    if (!frames) frame_count = tn_recording_info(recording).frame_count;
    int stride = (int)motion_stride(frame_count);
    for (int i = 0; fine && i < frame_count; i++) {
        if (i % stride != 0 && i + 1 < frame_count) continue;
        if (tn_recording_frame(recording, frames ? frames[i] : i, frame, NULL) != TN_OK) break;
        motion_add(motion, frame);
    }
    tn_frame_destroy(frame);
    return fine;
}
