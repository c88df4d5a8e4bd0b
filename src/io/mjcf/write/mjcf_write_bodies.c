/* mjcf_write_bodies.c: the tree of bodies with their joints, geoms, sites, cameras and lights.
 *
 * Bodies are written depth first, children in the order in which they were added; so a model that
 * was read from a file keeps the order of its coordinates. Segments of rods are left to <tenon>. */
#include "../../../base/base.h"
#include "mjcf_write.h"

#include <math.h>
#include <string.h>

#define DEGREE (M_PI / 180)

/* ---- parts by body ---- */

static int *new_list(TnWriter *w, int count)
{
    int *list = tn_io_alloc(&w->pool, ((size_t)count + 1) * sizeof *list);
    for (int i = 0; list && i <= count; i++) list[i] = -1;
    return list;
}

/* Chains part i to its body; parts come last first, so that lists are in their order. */
static void chain(const TnWriter *w, int body_id, int i, int *first, int *next)
{
    if (body_id < 1 || body_id > w->d.body_count) return; /* compile would refuse it */
    next[i] = first[body_id - 1];
    first[body_id - 1] = i;
}

static void mark_rods(TnWriter *w)
{
    for (int r = 0; r < w->d.rod_count; r++) {
        const TnRodEntry *rod = &w->d.rods[r];
        for (int i = 0; i < rod->def.segment_count && rod->parts.body; i++) {
            w->rod_of_body[rod->parts.body - 1 + i] = r;
            w->rod_of_joint[rod->parts.joint - 1 + i] = r;
            w->rod_of_geom[rod->parts.geom - 1 + i] = r;
        }
    }
    for (int i = 1, plain = 0; i < w->d.body_count; i++) {
        int r = w->rod_of_body[i];
        if (r < 0)
            plain++;
        else if (w->d.rods[r].parts.body == i + 1)
            w->rod_place[r] = plain;
    }
}

/* Depth first. */
static void order_bodies(TnWriter *w)
{
    int count = 0;
    int *stack = tn_io_alloc(&w->pool, ((size_t)w->d.body_count + 1) * sizeof *stack), top = 0;
    if (!stack || !w->body_order) return;
    stack[top++] = 0;
    while (top > 0) {
        int body = stack[--top];
        w->body_order[count++] = body;
        int children = 0;
        for (int c = w->first_child[body]; c >= 0; c = w->next_sibling[c]) children++;
        int at = top + children;
        for (int c = w->first_child[body]; c >= 0; c = w->next_sibling[c]) stack[--at] = c;
        top += children;
    }
}

bool tn_write_index(TnWriter *w)
{
    const TnDefinitions *d = &w->d;
    int **lists[] = {&w->body_joint,   &w->next_joint,   &w->body_geom,   &w->next_geom,
                     &w->body_site,    &w->next_site,    &w->body_camera, &w->next_camera,
                     &w->first_child,  &w->next_sibling, &w->rod_of_body, &w->rod_of_geom,
                     &w->rod_of_joint, &w->body_order,   &w->rod_place};
    const int counts[] = {d->body_count,  d->joint_count, d->body_count, d->geom_count,
                          d->body_count,  d->site_count,  d->body_count, d->camera_count,
                          d->body_count,  d->body_count,  d->body_count, d->geom_count,
                          d->joint_count, d->body_count,  d->rod_count};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (!(*lists[i] = new_list(w, counts[i]))) return false;
    for (int i = d->joint_count - 1; i >= 0; i--)
        chain(w, d->joints[i].body, i, w->body_joint, w->next_joint);
    for (int i = d->geom_count - 1; i >= 0; i--)
        chain(w, d->geoms[i].body, i, w->body_geom, w->next_geom);
    for (int i = d->site_count - 1; i >= 0; i--)
        chain(w, d->sites[i].body, i, w->body_site, w->next_site);
    for (int i = d->camera_count - 1; i >= 0; i--)
        chain(w, d->cameras[i].body, i, w->body_camera, w->next_camera);
    mark_rods(w);
    for (int i = d->body_count - 1; i > 0; i--)
        if (w->rod_of_body[i] < 0)
            chain(w, d->bodies[i].parent, i, w->first_child, w->next_sibling);
    order_bodies(w);
    return !w->pool.failed;
}

/* ---- parts ---- */

/* <freejoint> has this and nothing else. */
static void write_aligned(TnWriter *w, int i)
{
    const TnJointDef *joint = &w->d.joints[i];
    if (joint->stiffness != 0 || joint->damping != 0 || joint->armature != 0 ||
        joint->damping_poly[0] != 0 || joint->damping_poly[1] != 0 || joint->friction_loss != 0 ||
        joint->spring_time != 0)
        tn_write_error(w, "joint", joint->name, i + 1, joint->source,
                       "a free joint of MJCF that aligns its body has no stiffness, damping, "
                       "armature or friction");
    tn_write_open(w, "freejoint");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_JOINT, i + 1));
    tn_write_text(w, "align", "true");
    tn_write_close(w);
}

/* All three where there are higher ones; the first is then done. */
static void write_powers(TnWriter *w, const char *attr, double *first, const double others[2])
{
    if (others[0] == 0 && others[1] == 0) return;
    tn_write_reals(w, attr, (double[3]){*first, others[0], others[1]}, 3);
    *first = 0;
}

static void write_joint(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_WORDS(TnJointDef, "type", type, "free ball slide hinge"),
        TN_REALS(TnJointDef, "pos", pos, 3),
        TN_REALS(TnJointDef, "axis", axis, 3),
        TN_REAL(TnJointDef, "ref", ref),
        TN_REAL(TnJointDef, "stiffness", stiffness),
        TN_REAL(TnJointDef, "springref", spring_ref),
        TN_REAL(TnJointDef, "damping", damping),
        TN_REAL(TnJointDef, "armature", armature),
        TN_REAL(TnJointDef, "frictionloss", friction_loss),
        TN_BOOL(TnJointDef, "actuatorgravcomp", actuator_gravity),
    };
    TnJointDef joint = w->d.joints[i], usual = tn_joint_def();
    if (joint.type == TN_JOINT_FREE && joint.align) {
        write_aligned(w, i);
        return;
    }
    if (joint.type == TN_JOINT_FREE) { /* has no place of its own */
        memcpy(joint.pos, usual.pos, sizeof joint.pos);
        memcpy(joint.axis, usual.axis, sizeof joint.axis);
    }
    tn_write_open(w, "joint");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_JOINT, i + 1));
    write_powers(w, "stiffness", &joint.stiffness, joint.stiffness_poly);
    write_powers(w, "damping", &joint.damping, joint.damping_poly);
    TN_WRITE_FIELDS(w, fields, &joint, &usual);
    if (joint.spring_time != 0 || joint.spring_ratio != 0)
        tn_write_reals(w, "springdamper", (double[2]){joint.spring_time, joint.spring_ratio}, 2);
    tn_write_limit(w, "limited", "range", joint.limited, joint.range);
    tn_write_limit(w, "actuatorfrclimited", "actuatorfrcrange", joint.actuator_limited,
                   joint.actuator_range);
    tn_write_close(w);
}

/* Numbers of `size` that mean something. */
static int size_count(TnGeomType type)
{
    switch (type) {
    case TN_GEOM_SPHERE:
        return 1;
    case TN_GEOM_CAPSULE:
    case TN_GEOM_CYLINDER:
        return 2;
    case TN_GEOM_MESH:
        return 0;
    default:
        return 3;
    }
}

static void write_geom(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_WORDS(TnGeomDef, "type", type, "plane ? sphere capsule ellipsoid cylinder box mesh"),
        TN_REALS(TnGeomDef, "pos", pos, 3),
        TN_REALS(TnGeomDef, "quat", quat, 4),
        TN_REAL(TnGeomDef, "density", density),
        TN_BOOL(TnGeomDef, "shellinertia", shell),
        TN_INT(TnGeomDef, "contype", contact_type),
        TN_INT(TnGeomDef, "conaffinity", contact_affinity),
        TN_INT(TnGeomDef, "condim", contact_dim),
        TN_INT(TnGeomDef, "priority", priority),
        TN_REALS(TnGeomDef, "friction", friction, 3),
        TN_REAL(TnGeomDef, "margin", margin),
        TN_INT(TnGeomDef, "group", group),
        TN_REALS(TnGeomDef, "rgba", rgba, 4),
        TN_REALS(TnGeomDef, "fluidcoef", fluid_coef, 5),
    };
    const TnGeomDef *geom = &w->d.geoms[i], usual = tn_geom_def();
    if (geom->type == TN_GEOM_SOFT || w->rod_of_geom[i] >= 0) return;
    if (geom->type == TN_GEOM_HEIGHT_FIELD || geom->type > TN_GEOM_MESH)
        tn_write_error(w, "geom", geom->name, i + 1, geom->source,
                       "geoms of type %d are not written yet", (int)geom->type);
    tn_write_open(w, "geom");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_GEOM, i + 1));
    TN_WRITE_FIELDS(w, fields, geom, &usual);
    if (size_count(geom->type)) tn_write_reals(w, "size", geom->size, size_count(geom->type));
    if (geom->mass >= 0) tn_write_real(w, "mass", geom->mass);
    if (geom->fluid_ellipsoid) tn_write_text(w, "fluidshape", "ellipsoid");
    if (geom->type == TN_GEOM_MESH)
        tn_write_text(w, "mesh", tn_write_name(w, TN_WRITTEN_MESH, geom->mesh));
    if (geom->material)
        tn_write_text(w, "material", tn_write_name(w, TN_WRITTEN_MATERIAL, geom->material));
    tn_write_close(w);
}

static void write_site(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REALS(TnSiteDef, "pos", pos, 3),
        TN_REALS(TnSiteDef, "quat", quat, 4),
        TN_WORDS(TnSiteDef, "type", type, "? ? sphere capsule ellipsoid cylinder box"),
        TN_REALS(TnSiteDef, "size", size, 3),
    };
    const TnSiteDef *site = &w->d.sites[i], usual = tn_site_def();
    if (site->at_center_of_mass || site->at_geom) return; /* a sensor's, which names the part */
    tn_write_open(w, "site");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_SITE, i + 1));
    TN_WRITE_FIELDS(w, fields, site, &usual);
    tn_write_close(w);
}

double tn_write_degrees(double angle)
{
    double degrees = angle / DEGREE, low = degrees, high = degrees;
    for (int i = 0; i < 4; i++) {
        if (low * DEGREE == angle) return low;
        if (high * DEGREE == angle) return high;
        low = nextafter(low, -INFINITY);
        high = nextafter(high, INFINITY);
    }
    return degrees;
}

static void write_camera(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REALS(TnCameraDef, "pos", pos, 3),
        TN_REALS(TnCameraDef, "quat", quat, 4),
        TN_WORDS(TnCameraDef, "mode", mode, "fixed track targetbody"),
    };
    const TnCameraDef *camera = &w->d.cameras[i], usual = tn_camera_def();
    tn_write_open(w, "camera");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_CAMERA, i + 1));
    TN_WRITE_FIELDS(w, fields, camera, &usual);
    tn_write_real(w, "fovy", tn_write_degrees(camera->fovy));
    if (memcmp(camera->resolution, usual.resolution, sizeof usual.resolution) != 0)
        tn_write_ints(w, "resolution", camera->resolution, 2);
    if (camera->target)
        tn_write_text(w, "target", tn_write_name(w, TN_WRITTEN_BODY, camera->target));
    tn_write_close(w);
}

void tn_write_parts(TnWriter *w, int body)
{
    for (int i = w->body_geom[body]; i >= 0; i = w->next_geom[i]) write_geom(w, i);
    for (int i = w->body_site[body]; i >= 0; i = w->next_site[i]) write_site(w, i);
    for (int i = w->body_camera[body]; i >= 0; i = w->next_camera[i]) write_camera(w, i);
    for (int i = 0; i < w->d.light_count; i++)
        if (w->d.lights[i].body == body + 1) tn_write_light(w, i);
}

/* ---- bodies ---- */

static void write_inertial(TnWriter *w, const TnBodyDef *body)
{
    const double straight[4] = {1, 0, 0, 0};
    tn_write_open(w, "inertial");
    tn_write_reals(w, "pos", body->inertia_pos, 3);
    tn_write_real(w, "mass", body->mass);
    if (body->use_inertia_full) {
        tn_write_reals(w, "fullinertia", body->inertia_full, 6);
    } else {
        if (memcmp(body->inertia_quat, straight, sizeof straight) != 0)
            tn_write_reals(w, "quat", body->inertia_quat, 4);
        tn_write_reals(w, "diaginertia", body->inertia, 3);
    }
    tn_write_close(w);
}

static void open_body(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REALS(TnBodyDef, "pos", pos, 3),
        TN_REALS(TnBodyDef, "quat", quat, 4),
        TN_REAL(TnBodyDef, "gravcomp", gravity_compensation),
        TN_BOOL(TnBodyDef, "mocap", mocap),
    };
    const TnBodyDef *body = &w->d.bodies[i], usual = tn_body_def();
    tn_write_open(w, "body");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_BODY, i + 1));
    TN_WRITE_FIELDS(w, fields, body, &usual);
    tn_write_inner(w);
    if (body->has_inertia) write_inertial(w, body);
    for (int k = w->body_joint[i]; k >= 0; k = w->next_joint[k]) write_joint(w, k);
    tn_write_parts(w, i);
}

static int depth_of(const TnWriter *w, int body)
{
    int depth = 0;
    for (; body > 0; body = w->d.bodies[body].parent - 1) depth++;
    return depth;
}

void tn_write_bodies(TnWriter *w)
{
    tn_write_open(w, "worldbody");
    tn_write_inner(w);
    tn_write_parts(w, 0);
    int open = 0; /* bodies */
    for (int k = 1; k < w->d.body_count && w->body_order[k] >= 0; k++) {
        int body = w->body_order[k], depth = depth_of(w, body);
        for (; open >= depth; open--) tn_write_end(w, "body");
        open_body(w, body);
        open = depth;
    }
    for (; open > 0; open--) tn_write_end(w, "body");
    tn_write_end(w, "worldbody");
}
