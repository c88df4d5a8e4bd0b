/* rod_shape.c: a rod's definition becomes bodies, free joints and capsules.
 *
 * Segment i lies between points i and i + 1 of the centre line. Its frame has its origin in the
 * middle and z along it; the first frame is the world's, turned the shortest way, and each
 * further one the frame before, turned the shortest way: parallel transport, so that the frames
 * follow the rod's curvature and never twist about it. Mass and inertia are a cylinder's of the
 * segment's length, so that neighbours do not count the rounded ends of their capsules twice. */
#include "../builder.h"

#include "../../base/base.h"
#include "../../math/vec3.h"

#include <stdio.h>

#define MOST_SEGMENTS 10000000 /* ids stay far from overflow */

/* The shortest turn from one unit vector to another; about any normal where they are opposite. */
static void turn_between(double quat[4], const double from[3], const double to[3])
{
    double other[3];
    quat[0] = 1.0 + v3_dot(from, to);
    v3_cross(quat + 1, from, to);
    if (quat[0] < 1e-12) v3_tangents(from, quat + 1, other), quat[0] = 0.0;
    quat_normalize(quat);
}

/* Turns a frame about its z axis until x points as far towards `normal` as it can. */
static void aim_x(double quat[4], const double z[3], const double normal[3])
{
    static const double ahead[3] = {1.0, 0.0, 0.0};
    double x[3], y[3], turn[4];
    quat_rotate(x, quat, ahead);
    v3_cross(y, z, x);
    double along_x = v3_dot(normal, x), along_y = v3_dot(normal, y), size = v3_norm(normal);
    if (!(fabs(along_x) + fabs(along_y) > 1e-9 * size)) return;
    quat_from_axis_angle(turn, z, atan2(along_y, along_x));
    quat_mul(quat, turn, quat);
}

static void point_at(const TnRodDef *def, int i, double point[3])
{
    double share = (double)i / def->segment_count;
    for (int k = 0; k < 3; k++)
        point[k] = def->points ? def->points[3 * i + k]
                               : (1.0 - share) * def->start[k] + share * def->end[k];
}

double tn_rod_segment(const TnRodDef *def, int i, const double before[4], double pos[3],
                      double quat[4])
{
    static const double up[3] = {0.0, 0.0, 1.0};
    double a[3], b[3], z[3], was[3], turn[4];
    point_at(def, i, a);
    point_at(def, i + 1, b);
    for (int k = 0; k < 3; k++) pos[k] = 0.5 * (a[k] + b[k]);
    v3_sub(z, b, a);
    double length = v3_normalize(z);
    if (!before) {
        turn_between(quat, up, z);
        aim_x(quat, z, def->normal);
        return length;
    }
    quat_rotate(was, before, up);
    turn_between(turn, was, z);
    quat_mul(quat, turn, before);
    quat_normalize(quat);
    return length;
}

static const char *segment_name(const TnRodDef *def, const char *const *names, int i, char *text,
                                size_t size)
{
    if (names) return names[i];
    if (!def->name || !def->name[0]) return NULL;
    snprintf(text, size, "%s_%d", def->name, i);
    return text;
}

static void add_segment(TnModelBuilder *builder, const TnRodDef *def, const char *body_name,
                        const char *geom_name, const double pos[3], const double quat[4],
                        double length)
{
    double r = def->radius, mass = def->density * TN_PI * r * r * length;
    double across = mass * (3.0 * r * r + length * length) / 12.0;
    TnBodyDef body = tn_body_def();
    body.name = body_name;
    body.has_inertia = true;
    body.mass = mass;
    v3_copy(body.pos, pos);
    quat_copy(body.quat, quat);
    v3_set(body.inertia, across, across, 0.5 * mass * r * r);
    body.source = def->source;
    TnBodyId id = tn_builder_add_body(builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.name = body_name;
    joint.body = id;
    joint.type = TN_JOINT_FREE;
    joint.source = def->source;
    tn_builder_add_joint(builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.name = geom_name;
    geom.body = id;
    geom.type = TN_GEOM_CAPSULE;
    v3_set(geom.size, r, 0.5 * length, 0.0);
    geom.mass = 0.0;
    geom.contact_type = def->contact_type;
    geom.contact_affinity = def->contact_affinity;
    geom.contact_dim = def->contact_dim;
    geom.priority = def->priority;
    v3_copy(geom.friction, def->friction);
    geom.restitution = def->restitution;
    geom.margin = def->margin;
    geom.group = def->group;
    for (int k = 0; k < 4; k++) geom.rgba[k] = def->rgba[k];
    geom.source = def->source;
    tn_builder_add_geom(builder, &geom);
}

/* A refused rod gets segments all the same, harmless ones: ids that others refer to exist, and
 * compile says what is wrong once, not once per segment. */
void tn_rod_add_segments(TnModelBuilder *builder, const TnRodDef *def, TnRodParts *parts)
{
    if (def->segment_count < 1 || def->segment_count > MOST_SEGMENTS) return;
    TnRodDef shape = *def;
    if (!tn_rod_sound(def)) {
        shape = tn_rod_def();
        shape.segment_count = def->segment_count;
        shape.end[0] = def->segment_count;
        shape.name = def->name;
        shape.body_names = def->body_names;
        shape.geom_names = def->geom_names;
        shape.source = def->source;
    }
    *parts =
        (TnRodParts){builder->body_count + 1, builder->joint_count + 1, builder->geom_count + 1};
    char body_text[256], geom_text[256];
    double before[4], pos[3], quat[4], last = 0.0;
    for (int i = 0; i < shape.segment_count && !builder->out_of_memory; i++) {
        double length = tn_rod_segment(&shape, i, i > 0 ? before : NULL, pos, quat);
        /* what rounding of the points makes of equal lengths: alike segments are cheaper */
        if (fabs(length - last) <= 1e-9 * last) length = last;
        last = length;
        add_segment(builder, &shape,
                    segment_name(&shape, shape.body_names, i, body_text, sizeof body_text),
                    segment_name(&shape, shape.geom_names, i, geom_text, sizeof geom_text), pos,
                    quat, length);
        quat_copy(before, quat);
    }
}
