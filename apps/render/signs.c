/* signs.c: what explains a scene: contact points and forces, axes of bodies and joints, the pull of
 * a mouse. All are built of unit meshes, and none gets too thin to be seen. */
#include "internal.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pen {
    Renderer *r;
    const Scope *scope;
    const Lens *sides;
} Pen;

static const float contact_rgb[3] = {0.98f, 0.78f, 0.10f}, force_rgb[3] = {0.90f, 0.16f, 0.16f},
                   joint_rgb[3] = {0.10f, 0.65f, 0.85f}, inertia_rgb[3] = {0.75f, 0.35f, 0.95f},
                   mass_rgb[3] = {0.95f, 0.25f, 0.75f}, pull_rgb[3] = {0.98f, 0.45f, 0.05f};

/* At least so many pixels wide where it stands. */
static double visible(const Pen *pen, const double at[3], double radius, double pixels)
{
    double depth = dot3(pen->scope->forward, at);
    return fmax(radius, pixels * fmax(depth, pen->scope->near) / (double)pen->sides->pixels);
}

static void add_part(const Pen *pen, int family, const double at[3], const double z[3],
                     double radius, double height, const float rgb[3])
{
    Instance *instance = items_add(&pen->r->signs, family, radius + height);
    double quat[4];
    if (!instance) return;
    quat_from_z(quat, z);
    for (int k = 0; k < 3; k++) instance->pos[k] = (float)at[k];
    for (int k = 0; k < 4; k++) instance->quat[k] = (float)quat[k];
    instance->scale[0] = instance->scale[1] = (float)radius;
    instance->scale[2] = (float)height;
    instance->lift = 0;
    instance->id = 0;
    color_linear(rgb, 1, instance->color);
}

/* Points are seen from the eye; `heads` 1: at the end, 2: at both. */
static void add_arrow(const Pen *pen, const double from[3], const double direction[3],
                      double length, double radius, int heads, const float rgb[3])
{
    double end[3], middle[3], back[3], head_at[3];
    for (int k = 0; k < 3; k++) middle[k] = from[k] + length / 2 * direction[k];
    radius = visible(pen, middle, radius, 0.9);
    double head = fmin(5.5 * radius, (heads == 2 ? 0.4 : 0.6) * length);
    double shaft = length - heads * head;
    for (int k = 0; k < 3; k++) {
        end[k] = from[k] + (length - head) * direction[k];
        head_at[k] = from[k] + head * direction[k];
        middle[k] = end[k] - shaft / 2 * direction[k];
        back[k] = -direction[k];
    }
    add_part(pen, FAMILY_CYLINDER, middle, direction, radius, shaft / 2, rgb);
    add_part(pen, FAMILY_CONE, end, direction, 2.4 * radius, head, rgb);
    if (heads == 2) add_part(pen, FAMILY_CONE, head_at, back, 2.4 * radius, head, rgb);
}

/* The value that `place` others are not above, by narrowing down (Hoare's way). */
static float value_at(float *values, int count, int place)
{
    int low = 0, high = count - 1;
    while (low < high) {
        float pivot = values[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (values[i] < pivot) i++;
            while (values[j] > pivot) j--;
            if (i > j) break;
            float swap = values[i];
            values[i++] = values[j];
            values[j--] = swap;
        }
        if (place <= j)
            high = j;
        else if (place >= i)
            low = i;
        else
            break;
    }
    return values[place];
}

/* m per N. The scale is a power of two and is kept while it is roughly right, so that arrows do not
 * breathe in a film. */
static double fit_forces(Renderer *r, const TnFrame *frame)
{
    if (frame->contact_count > r->force_room) {
        int room = frame->contact_count + frame->contact_count / 2;
        float *forces = realloc(r->forces, (size_t)room * sizeof *forces);
        if (!forces) return r->force_length;
        r->forces = forces;
        r->force_room = room;
    }
    int count = 0;
    for (int i = 0; i < frame->contact_count; i++) {
        float size = (float)length3(frame->contacts[i].force);
        if (size > 0 && isfinite(size)) r->forces[count++] = size;
    }
    if (!count) return r->force_length;
    /* a usual force is easy to see, and a large one does not hide everything */
    double usual = (double)value_at(r->forces, count, count / 2);
    double large = (double)value_at(r->forces, count, count - 1 - count / 20);
    double wish = r->typical * fmin(1.5 / usual, 6 / large);
    if (!(r->force_length > 0.4 * wish && r->force_length < 2.5 * wish))
        r->force_length = exp2(round(log2(wish)));
    return r->force_length;
}

static void seen_from(const Pen *pen, const double world[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = world[k] - pen->scope->eye[k];
}

/* Half the size of the smaller of two things that touch. */
static double contact_size(const Renderer *r, const TnContact *contact)
{
    double least = 0;
    for (int side = 0; side < 2; side++) {
        TnGeomId geom = side ? contact->geom2 : contact->geom1;
        if (geom < 1 || geom > r->scene->shape_count) continue;
        double size = shape_size(r, &r->scene->shapes[geom - 1]);
        if (size > 0 && (!(least > 0) || size < least)) least = size;
    }
    return least > 0 ? least : r->typical;
}

/* The force on what moves is the one to see: a floor would be pushed down by all. */
static bool fixed_geom(const TnScene *scene, TnGeomId geom)
{
    if (geom < 1 || geom > scene->shape_count) return false;
    TnBodyId body = scene->shapes[geom - 1].body;
    return body >= 1 && body <= scene->body_count && scene->bodies[body - 1].subsystem == 0;
}

static void add_contacts(const Pen *pen, const TnFrame *frame, const DrawOptions *options)
{
    double typical = pen->r->typical, scale = options->force_scale;
    if (options->contact_forces && !(scale > 0)) scale = fit_forces(pen->r, frame);
    for (int i = 0; i < frame->contact_count; i++) {
        const TnContact *contact = &frame->contacts[i];
        double at[3], direction[3], size = contact_size(pen->r, contact);
        seen_from(pen, contact->pos, at);
        if (!isfinite(at[0] + at[1] + at[2])) continue;
        if (options->contact_points) {
            double radius = visible(pen, at, 0.16 * size, 2.2);
            memcpy(direction, contact->normal, sizeof direction);
            if (normalize3(direction) <= 0) direction[2] = 1;
            add_part(pen, FAMILY_CYLINDER, at, direction, radius, 0.18 * radius, contact_rgb);
        }
        if (!options->contact_forces) continue;
        double sign = fixed_geom(pen->r->scene, contact->geom2) ? -1 : 1;
        for (int k = 0; k < 3; k++) direction[k] = sign * contact->force[k];
        double length = scale * normalize3(direction);
        if (length > 0.02 * typical)
            add_arrow(pen, at, direction, length, 0.05 * size, 1, force_rgb);
    }
}

static void add_frames(const Pen *pen, const TnFrame *frame, const DrawOptions *options)
{
    static const float rgb[3][3] = {
        {0.88f, 0.18f, 0.18f}, {0.20f, 0.70f, 0.25f}, {0.20f, 0.38f, 0.92f}};
    for (int body = 0; body < frame->body_count; body++) {
        const double *pose = frame->poses + 7 * body;
        double at[3], size = options->frame_size;
        if (!(size > 0)) size = 1.8 * (body ? pen->r->body_sizes[body] : pen->r->typical);
        seen_from(pen, pose, at);
        if (!isfinite(at[0] + at[1] + at[2])) continue;
        for (int k = 0; k < 3; k++) {
            double unit[3] = {k == 0, k == 1, k == 2}, axis[3];
            quat_rotate(axis, pose + 3, unit);
            add_arrow(pen, at, axis, size, 0.028 * size, 1, rgb[k]);
        }
    }
}

static void add_joints(const Pen *pen, const TnFrame *frame)
{
    const TnScene *scene = pen->r->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        const TnSceneJoint *joint = &scene->joints[i];
        if (joint->type == TN_JOINT_FREE || joint->body < 1 || joint->body > frame->body_count)
            continue;
        const double *pose = frame->poses + 7 * (joint->body - 1);
        double at[3], axis[3], up[3] = {0, 0, 1}, start[3];
        double typical = pen->r->body_sizes[joint->body - 1], length = 3.5 * typical;
        quat_rotate(at, pose + 3, joint->pos);
        quat_rotate(axis, pose + 3, joint->axis);
        for (int k = 0; k < 3; k++) at[k] += pose[k] - pen->scope->eye[k];
        if (!isfinite(at[0] + at[1] + at[2])) continue;
        if (joint->type == TN_JOINT_BALL) {
            double radius = visible(pen, at, 0.3 * typical, 3);
            add_part(pen, FAMILY_SPHERE, at, up, radius, radius, joint_rgb);
            continue;
        }
        if (normalize3(axis) <= 0) continue;
        for (int k = 0; k < 3; k++) start[k] = at[k] - length / 2 * axis[k];
        bool slide = joint->type == TN_JOINT_SLIDE;
        add_arrow(pen, start, axis, length, 0.07 * typical, slide ? 2 : 1, joint_rgb);
        if (!slide) /* a hub, so that the place of the joint is seen, too */
            add_part(pen, FAMILY_CYLINDER, at, axis, visible(pen, at, 0.25 * typical, 2.5),
                     visible(pen, at, 0.12 * typical, 1.2), joint_rgb);
    }
}

/* The box of even density with a body's inertia, by its edges. */
static void add_box(const Pen *pen, const double at[3], const double quat[4], const MassBox *box)
{
    double edges[3][3];
    for (int k = 0; k < 3; k++) quat_rotate(edges[k], quat, box->edges[k]);
    for (int k = 0; k < 12; k++) { /* along axis k / 4, at each corner of the other two */
        const double *along = edges[k / 4], *a = edges[(k / 4 + 1) % 3],
                     *b = edges[(k / 4 + 2) % 3];
        double middle[3], direction[3];
        for (int i = 0; i < 3; i++) {
            middle[i] = at[i] + (k & 1 ? a[i] : -a[i]) + (k & 2 ? b[i] : -b[i]);
            direction[i] = along[i];
        }
        double half = normalize3(direction);
        if (half > 0)
            add_part(pen, FAMILY_CYLINDER, middle, direction, visible(pen, middle, 0, 0.8), half,
                     inertia_rgb);
    }
}

static void add_masses(const Pen *pen, const TnFrame *frame, const DrawOptions *options)
{
    const double up[3] = {0, 0, 1};
    for (int body = 1; body < frame->body_count; body++) { /* without the world */
        const MassBox *box = &options->masses[body];
        const double *pose = frame->poses + 7 * body;
        double at[3];
        if (!(box->mass > 0)) continue;
        quat_rotate(at, pose + 3, box->com);
        for (int k = 0; k < 3; k++) at[k] += pose[k] - pen->scope->eye[k];
        if (!isfinite(at[0] + at[1] + at[2])) continue;
        if (options->inertia) add_box(pen, at, pose + 3, box);
        if (!options->mass_centers) continue;
        double radius = visible(pen, at, 0.12 * pen->r->body_sizes[body], 3);
        add_part(pen, FAMILY_SPHERE, at, up, radius, radius, mass_rgb);
    }
}

void place_signs(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const Lens *sides)
{
    const Pen pen = {r, scope, sides};
    r->signs.count = 0;
    if (options->contact_points || options->contact_forces) add_contacts(&pen, frame, options);
    if (options->frames) add_frames(&pen, frame, options);
    if (options->joint_axes) add_joints(&pen, frame);
    if (options->masses && (options->inertia || options->mass_centers))
        add_masses(&pen, frame, options);
    if (options->has_pull) {
        double from[3], to[3], direction[3], up[3] = {0, 0, 1};
        seen_from(&pen, options->pull_from, from);
        seen_from(&pen, options->pull_to, to);
        for (int k = 0; k < 3; k++) direction[k] = to[k] - from[k];
        double length = normalize3(direction), ball = visible(&pen, from, 0, 4);
        add_part(&pen, FAMILY_SPHERE, from, up, ball, ball, pull_rgb);
        if (length > 0)
            add_arrow(&pen, from, direction, length, visible(&pen, from, 0, 1.8), 1, pull_rgb);
    }
}
