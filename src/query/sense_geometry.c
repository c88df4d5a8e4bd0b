/* sense_geometry.c: sensors that look at geometry: rays, distances, images, volumes, limits. */
#include <math.h>
#include <string.h>

#include "../collision/ray.h"
#include "../math/vec3.h"
#include "../model/path.h"
#include "queries.h"
#include "sensors.h"

static TnPlaces places_of(const TnSensing *at)
{
    return (TnPlaces){at->model, at->frames, at->qpos};
}

/* ---- rays ---- */

static void sense_range(const TnSensing *at, const TnSensor *sensor, double *data)
{
    const TnSite *site = &at->model->sites[sensor->object];
    const TnPlaces places = places_of(at);
    static const double z[3] = {0.0, 0.0, 1.0};
    double quat[4], point[3] = {0.0};
    TnRay ray;
    tn_site_pose(at->model, site, at->frames, ray.origin, quat);
    quat_rotate(ray.direction, quat, z);
    TnRayHit hit = tn_ray_cast(&places, &ray, &(TnRayFilter){.exclude = site->body + 1});
    bool met = hit.distance >= 0.0;
    for (int k = 0; met && k < 3; k++) point[k] = ray.origin[k] + hit.distance * ray.direction[k];
    if (!met) v3_zero(ray.direction);
    const double *const fields[6] = {&hit.distance, ray.direction, ray.origin,
                                     point,         hit.normal,    &hit.distance};
    static const int sizes[6] = {1, 3, 3, 3, 3, 1};
    for (int f = 0; f < 6; f++) {
        if (!(sensor->fields >> f & 1u)) continue;
        memcpy(data, fields[f], sizeof(double) * (size_t)sizes[f]);
        data += sizes[f];
    }
}

/* ---- distances ---- */

static bool is_picked(const TnModel *model, const TnPick *pick, int geom)
{
    if (model->geoms[geom].type == TN_GEOM_SOFT) return false;
    return pick->kind == TN_PICK_GEOM ? geom == pick->id : model->geoms[geom].body == pick->id;
}

static TnDistance least_distance(const TnSensing *at, const TnSensor *sensor)
{
    const TnModel *model = at->model;
    const TnPlaces places = places_of(at);
    TnDistance best = {.distance = sensor->cutoff};
    for (int a = 0; a < model->geom_count; a++) {
        if (!is_picked(model, &sensor->pick1, a)) continue;
        for (int b = 0; b < model->geom_count; b++) {
            if (a == b || !is_picked(model, &sensor->pick2, b)) continue;
            TnDistance d = tn_geoms_distance(&places, a, b, sensor->cutoff);
            if (d.known && (!best.known || d.distance < best.distance)) best = d;
        }
    }
    return best;
}

static void sense_distance(const TnSensing *at, const TnSensor *sensor, double *data)
{
    TnDistance d = least_distance(at, sensor);
    if (sensor->type == TN_SENSOR_DISTANCE) {
        data[0] = d.distance;
    } else if (sensor->type == TN_SENSOR_DISTANCE_NORMAL) {
        /* from surface to surface: backwards of what is in each other */
        v3_scale(data, d.normal, d.distance < 0.0 ? -1.0 : 1.0);
    } else {
        v3_copy(data, d.point1);
        v3_copy(data + 3, d.point2);
    }
}

/* ---- volumes and images ---- */

/* A point in the site's axes. */
void tn_in_site_axes(const TnSensing *at, const TnSite *site, const double point[3], double out[3])
{
    double pos[3], quat[4];
    tn_site_pose(at->model, site, at->frames, pos, quat);
    v3_sub(out, point, pos);
    quat_conjugate(quat, quat);
    quat_rotate(out, quat, out);
}

bool tn_in_site_volume(const TnSite *site, const double x[3])
{
    const double *s = site->size;
    double across = x[0] * x[0] + x[1] * x[1], z;
    switch (site->type) {
    case TN_GEOM_CAPSULE:
        z = fmax(0.0, fabs(x[2]) - s[1]);
        return across + z * z < s[0] * s[0];
    case TN_GEOM_ELLIPSOID:
        return x[0] * x[0] / (s[0] * s[0]) + x[1] * x[1] / (s[1] * s[1]) +
                   x[2] * x[2] / (s[2] * s[2]) <
               1.0;
    case TN_GEOM_CYLINDER:
        return fabs(x[2]) < s[1] && across < s[0] * s[0];
    case TN_GEOM_BOX:
        return fabs(x[0]) < s[0] && fabs(x[1]) < s[1] && fabs(x[2]) < s[2];
    default:
        return v3_dot(x, x) < s[0] * s[0];
    }
}

static double sense_inside(const TnSensing *at, const TnSensor *sensor)
{
    const TnSite *zone = &at->model->sites[sensor->zone];
    double pos[3], quat[4], x[3];
    tn_site_pose(at->model, &at->model->sites[sensor->object], at->frames, pos, quat);
    tn_in_site_axes(at, zone, pos, x);
    return tn_in_site_volume(zone, x) ? 1.0 : 0.0;
}

/* The image is upright, with square pixels; cameras look along -z. */
static void sense_projection(const TnSensing *at, const TnSensor *sensor, double data[2])
{
    const TnCamera *camera = &at->model->cameras[sensor->camera];
    TnSite frame = {.body = camera->body};
    double pos[3], quat[4], x[3];
    v3_copy(frame.pos, camera->pos);
    quat_copy(frame.quat, camera->quat);
    tn_site_pose(at->model, &at->model->sites[sensor->object], at->frames, pos, quat);
    tn_in_site_axes(at, &frame, pos, x);
    double focal = 0.5 * camera->resolution[1] / tan(0.5 * camera->fovy);
    data[0] = 0.5 * camera->resolution[0] - focal * x[0] / x[2];
    data[1] = 0.5 * camera->resolution[1] + focal * x[1] / x[2];
}

/* ---- limits ---- */

/* How far a number is beyond its range, below zero, and its rate outwards; zeros within. */
static double beyond(double x, double rate, const double range[2], bool velocity)
{
    if (x - range[0] < 0.0) return velocity ? rate : x - range[0];
    if (range[1] - x < 0.0) return velocity ? -rate : range[1] - x;
    return 0.0;
}

static double sense_joint_limit(const TnSensing *at, const TnSensor *sensor)
{
    const TnJoint *joint = &at->model->joints[sensor->object];
    bool velocity = sensor->type == TN_SENSOR_JOINT_LIMIT_VEL;
    if (!joint->limited || joint->type == TN_JOINT_FREE) return 0.0;
    double x = at->qpos[joint->qpos_start], rate = at->qvel[joint->dof_start];
    double range[2] = {joint->range[0], joint->range[1]};
    if (joint->type == TN_JOINT_BALL) {
        double axis[3];
        quat_to_rotvec(axis, at->qpos + joint->qpos_start);
        x = v3_normalize(axis);
        rate = v3_dot(axis, at->qvel + joint->dof_start);
        range[0] = -1.0;
    }
    return beyond(x, rate, range, velocity);
}

static double sense_tendon_limit(const TnSensing *at, const TnSensor *sensor)
{
    const TnTendon *tendon = &at->model->tendons[sensor->object];
    if (!tendon->limited) return 0.0;
    double rate;
    double length = tn_path_rate(at->model, &at->model->paths[tendon->path], at->qpos, at->qvel,
                                 at->frames, at->twists, &rate);
    return beyond(length, rate, tendon->range, sensor->type == TN_SENSOR_TENDON_LIMIT_VEL);
}

/* ---- all ---- */

bool tn_sense_geometry(const TnSensing *at, const TnSensor *sensor, double *data)
{
    switch (sensor->type) {
    case TN_SENSOR_RANGEFINDER:
        sense_range(at, sensor, data);
        return true;
    case TN_SENSOR_DISTANCE:
    case TN_SENSOR_DISTANCE_NORMAL:
    case TN_SENSOR_DISTANCE_POINTS:
        sense_distance(at, sensor, data);
        return true;
    case TN_SENSOR_INSIDE_SITE:
        data[0] = sense_inside(at, sensor);
        return true;
    case TN_SENSOR_PROJECTION:
        sense_projection(at, sensor, data);
        return true;
    case TN_SENSOR_JOINT_LIMIT_POS:
    case TN_SENSOR_JOINT_LIMIT_VEL:
        data[0] = sense_joint_limit(at, sensor);
        return true;
    case TN_SENSOR_TENDON_LIMIT_POS:
    case TN_SENSOR_TENDON_LIMIT_VEL:
        data[0] = sense_tendon_limit(at, sensor);
        return true;
    default:
        return false;
    }
}
