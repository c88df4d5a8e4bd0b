/* camera.c: from where the scene is seen.
 *
 * A free camera without a given place is fitted to the box around the scene. In the camera's own
 * axes (x right, y up, z into the picture) a corner c is inside the picture of an eye e when
 *
 *     |c.x - e.x| <= tx (c.z - e.z)   and   |c.y - e.y| <= ty (c.z - e.z)
 *
 * with the tangents tx, ty of half the angles of view. Each of the four sides bounds one sum of
 * the eye's numbers, so that the depth of the nearest eye that sees all eight corners follows in
 * closed form. */
#include "camera.h"
#include "turn.h"

#include "bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
/* Three quarters from the front of something that faces +x, slightly from above. */
static const double default_azimuth = 125, default_elevation = -22, default_fovy = 45; /* degrees */
/* Share of the picture that the box may fill in each direction. */
static const double filled_share = 0.9;
/* rad short of straight up or down, where turning would flip the picture */
static const double pole_distance = 1e-3;

static void cross(double out[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static bool normalize(double v[3])
{
    double length = sqrt(dot(v, v));
    if (!(length > 1e-12)) return false;
    for (int k = 0; k < 3; k++) v[k] /= length;
    return true;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Right, up and into the picture. */
static void orbit_axes(const Orbit *orbit, double right[3], double up[3], double forward[3])
{
    double ca = cos(orbit->azimuth), sa = sin(orbit->azimuth);
    double ce = cos(orbit->elevation), se = sin(orbit->elevation);
    memcpy(forward, (double[3]){ca * ce, sa * ce, se}, 3 * sizeof *forward);
    memcpy(up, (double[3]){-ca * se, -sa * se, ce}, 3 * sizeof *up);
    memcpy(right, (double[3]){sa, -ca, 0}, 3 * sizeof *right);
}

/* The box's corners in the camera's axes; `axes` are right, up, forward. */
static void corners_in(double corners[8][3], double axes[3][3], const double low[3],
                       const double high[3])
{
    for (int i = 0; i < 8; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = i >> k & 1 ? high[k] : low[k];
        for (int k = 0; k < 3; k++) corners[i][k] = dot(axes[k], p);
    }
}

/* By how much the box lies to the right of (or above) the middle of the picture. */
static double off_middle(double corners[8][3], int k, double eye, double eye_depth)
{
    double least = DBL_MAX, most = -DBL_MAX;
    for (int i = 0; i < 8; i++) {
        double slope = (corners[i][k] - eye) / (corners[i][2] - eye_depth);
        least = fmin(least, slope);
        most = fmax(most, slope);
    }
    return least + most;
}

/* The nearest eye that sees the box, with the box in the middle of the picture. */
static void fit_eye(Orbit *orbit, double axes[3][3], double corners[8][3], const double tangent[2],
                    const double middle[3])
{
    double above[2], below[2], eye[3] = {0, 0, DBL_MAX}, depth = dot(axes[2], middle);
    for (int k = 0; k < 2; k++) {
        double t = tangent[k];
        above[k] = below[k] = -DBL_MAX;
        for (int i = 0; i < 8; i++) {
            above[k] = fmax(above[k], corners[i][k] - t * corners[i][2]);
            below[k] = fmax(below[k], -corners[i][k] - t * corners[i][2]);
        }
        eye[2] = fmin(eye[2], -(above[k] + below[k]) / (2 * t));
    }
    for (int k = 0; k < 2; k++) {
        /* one direction is tight; in the other there is room, halved until both sides are even */
        double low = above[k] + tangent[k] * eye[2], high = -(below[k] + tangent[k] * eye[2]);
        for (int i = 0; i < 50; i++) {
            eye[k] = (low + high) / 2;
            if (off_middle(corners, k, eye[k], eye[2]) > 0)
                low = eye[k];
            else
                high = eye[k];
        }
    }
    orbit->distance = depth - eye[2];
    for (int k = 0; k < 3; k++)
        orbit->center[k] = axes[0][k] * eye[0] + axes[1][k] * eye[1] + axes[2][k] * depth;
}

/* How far from a given centre the eye must be to see the box. */
static double fit_distance(const Orbit *orbit, double axes[3][3], double corners[8][3],
                           const double tangent[2])
{
    double depth = dot(axes[2], orbit->center), distance = 0;
    for (int k = 0; k < 2; k++) {
        double middle = dot(axes[k], orbit->center);
        for (int i = 0; i < 8; i++)
            distance =
                fmax(distance, fabs(corners[i][k] - middle) / tangent[k] - (corners[i][2] - depth));
    }
    return distance;
}

Orbit orbit_fit(const TnScene *scene, const TnFrame *frame, unsigned group_mask, double aspect)
{
    double low[3], high[3];
    bool any = scene_bounds(scene, frame, group_mask, low, high);
    return orbit_fit_box(scene, any ? low : NULL, high, aspect);
}

Orbit orbit_fit_box(const TnScene *scene, const double box_low[3], const double box_high[3],
                    double aspect)
{
    const TnView *view = &scene->view;
    Orbit orbit = {.azimuth = view->has_angles ? view->azimuth : default_azimuth * pi / 180,
                   .elevation = view->has_angles ? view->elevation : default_elevation * pi / 180,
                   .fovy = scene->view.fovy > 0 ? scene->view.fovy : default_fovy * pi / 180};
    orbit_turn(&orbit, 0, 0);
    double low[3], high[3], middle[3], diagonal = 0;
    for (int k = 0; k < 3; k++) {
        low[k] = box_low ? box_low[k] : 0;
        high[k] = box_low ? box_high[k] : 0;
    }
    for (int k = 0; k < 3; k++) diagonal += (high[k] - low[k]) * (high[k] - low[k]);
    for (int k = 0; k < 3; k++) {
        if (diagonal < 1e-12) { /* nothing, or a point: some room around it */
            low[k] -= 0.5;
            high[k] += 0.5;
        }
        middle[k] = (low[k] + high[k]) / 2;
    }

    double axes[3][3], corners[8][3];
    orbit_axes(&orbit, axes[0], axes[1], axes[2]);
    corners_in(corners, axes, low, high);
    double half = tan(orbit.fovy / 2);
    double tangent[2] = {half * aspect * filled_share, half * filled_share};
    memcpy(orbit.center, view->has_center ? view->center : middle, sizeof orbit.center);
    if (view->has_extent) {
        orbit.distance = 1.5 * view->extent / fmin(1, aspect); /* MuJoCo's distance */
    } else if (view->has_center) {
        orbit.distance = fit_distance(&orbit, axes, corners, tangent);
    } else {
        fit_eye(&orbit, axes, corners, tangent, middle);
    }
    orbit_zoom(&orbit, 1);
    return orbit;
}

View orbit_view(const Orbit *orbit)
{
    View view = {.fovy = orbit->fovy};
    double right[3];
    orbit_axes(orbit, right, view.up, view.forward);
    for (int k = 0; k < 3; k++) view.eye[k] = orbit->center[k] - orbit->distance * view.forward[k];
    return view;
}

void orbit_turn(Orbit *orbit, double azimuth, double elevation)
{
    orbit->azimuth = remainder(orbit->azimuth + azimuth, 2 * pi);
    double steepest = pi / 2 - pole_distance;
    orbit->elevation = clamp(orbit->elevation + elevation, -steepest, steepest);
}

/* The camera moves right and up, so that the scene moves left and down in the picture. */
void orbit_pan(Orbit *orbit, double right_share, double up_share)
{
    double right[3], up[3], forward[3];
    double height =
        2 * orbit->distance * tan(orbit->fovy / 2); /* m, of the picture at the centre */
    orbit_axes(orbit, right, up, forward);
    for (int k = 0; k < 3; k++)
        orbit->center[k] += height * (right_share * right[k] + up_share * up[k]);
}

/* A factor of 2 halves the distance. */
void orbit_zoom(Orbit *orbit, double factor)
{
    if (factor > 0) orbit->distance /= factor;
    orbit->distance = clamp(orbit->distance, 1e-4, 1e7);
}

/* Turns to a direction, with one of two directions as well upwards as it can be. */
static void face(View *view, const double forward[3], const double up[3], const double instead[3])
{
    double right[3];
    cross(right, forward, up);
    if (!normalize(right)) cross(right, forward, instead); /* straight up or down */
    if (!normalize(right)) cross(right, forward, (double[3]){0, 1, 0});
    normalize(right);
    memcpy(view->forward, forward, sizeof view->forward);
    cross(view->up, right, forward);
}

bool view_towards(const double eye[3], const double target[3], const double up[3], double fovy,
                  View *view)
{
    double forward[3], sum = 0;
    for (int k = 0; k < 3; k++) {
        forward[k] = target[k] - eye[k];
        sum += fabs(eye[k]) + fabs(target[k]) + fabs(up[k]);
    }
    if (!isfinite(sum) || !(fovy > 0 && fovy < pi) || !normalize(forward)) return false;
    *view = (View){.fovy = fovy};
    memcpy(view->eye, eye, sizeof view->eye);
    face(view, forward, up, (double[3]){1, 0, 0});
    return true;
}

/* A camera that tracks takes its place and direction for the world's axes, as they are in a
 * reference pose in which the body is not turned. */
View camera_view(const TnScene *scene, const TnFrame *frame, int camera)
{
    const TnCameraInfo *info = &scene->cameras[camera];
    const double *pose = frame->poses + 7 * (info->body - 1);
    double body[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, own[9];
    View view = {.fovy = info->fovy};
    if (info->mode != TN_CAMERA_TRACK) matrix_of(body, pose + 3);
    matrix_of(own, info->quat);
    turn(view.eye, body, info->pos);
    for (int k = 0; k < 3; k++) {
        view.eye[k] += pose[k];
        view.forward[k] = -own[3 * k + 2];
        view.up[k] = own[3 * k + 1];
    }
    turn(view.forward, body, view.forward);
    turn(view.up, body, view.up);
    if (info->mode == TN_CAMERA_TARGET && info->target > 0) {
        const double *target = frame->poses + 7 * (info->target - 1);
        double forward[3];
        for (int k = 0; k < 3; k++) forward[k] = target[k] - view.eye[k];
        if (normalize(forward)) face(&view, forward, (double[3]){0, 0, 1}, view.up);
    }
    return view;
}

void view_ray(const View *view, double aspect, double x, double y, double origin[3],
              double direction[3])
{
    double right[3], half = tan(view->fovy / 2);
    cross(right, view->forward, view->up);
    memcpy(origin, view->eye, sizeof view->eye);
    for (int k = 0; k < 3; k++)
        direction[k] = view->forward[k] + (2 * x - 1) * half * aspect * right[k] +
                       (1 - 2 * y) * half * view->up[k];
    normalize(direction);
}
