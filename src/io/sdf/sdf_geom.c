/* sdf_geom.c: collisions and visuals, with groups as for URDF: visuals do not collide and have no
 * mass, collisions of a link that has visuals are in group 3. */
#include "sdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLLISION_GROUP = 3, VISUAL_GROUP = 1 };

static bool is(const TnXmlElement *e, const char *name) { return strcmp(e->name, name) == 0; }

static bool read_round(TnSdf *s, const TnXmlElement *e, TnGeomType type, TnGeomDef *geom)
{
    double length = 0;
    tn_sdf_expect(s, e, "radius length");
    geom->type = type;
    bool good = tn_sdf_need(s, e, "radius", &geom->size[0], 1);
    if (type != TN_GEOM_SPHERE) good = tn_sdf_need(s, e, "length", &length, 1) && good;
    geom->size[1] = 0.5 * length;
    return good;
}

static bool read_box(TnSdf *s, const TnXmlElement *e, TnGeomDef *geom)
{
    geom->type = TN_GEOM_BOX;
    if (!tn_sdf_need(s, e, "size", geom->size, 3)) return false;
    for (int i = 0; i < 3; i++) geom->size[i] *= 0.5;
    return true;
}

/* Its normal becomes the geom's z by the shortest turn. The size is for drawing. */
static bool read_plane(TnSdf *s, const TnXmlElement *e, TnGeomDef *geom)
{
    double normal[3] = {0, 0, 1}, size[2] = {0, 0}, turn[4];
    tn_sdf_expect(s, e, "normal size");
    tn_sdf_numbers(s, e, "normal", normal, 3);
    tn_sdf_numbers(s, e, "size", size, 2);
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(length > 1e-14)) {
        tn_mjcf_error(s->m, e, "the normal of a plane has length zero");
        return false;
    }
    for (int i = 0; i < 3; i++) normal[i] /= length;
    tn_mjcf_quat_from_z(normal, turn);
    TnMjcfPose pose, own = tn_mjcf_identity();
    memcpy(pose.pos, geom->pos, sizeof pose.pos);
    memcpy(pose.quat, geom->quat, sizeof pose.quat);
    memcpy(own.quat, turn, sizeof own.quat);
    pose = tn_mjcf_compose(&pose, &own);
    memcpy(geom->quat, pose.quat, sizeof geom->quat);
    geom->type = TN_GEOM_PLANE;
    for (int i = 0; i < 2; i++) geom->size[i] = 0.5 * size[i];
    geom->size[2] = 1;
    return true;
}

static bool read_mesh(TnSdf *s, const TnXmlElement *e, bool visual, bool colored, TnGeomDef *geom)
{
    double scale[3] = {1, 1, 1};
    const char *uri = tn_sdf_text(s, e, "uri");
    const TnXmlElement *part = tn_urdf_child(e, "submesh");
    tn_sdf_expect(s, e, "uri scale submesh convex_decomposition");
    if (!uri) {
        tn_mjcf_error(s->m, e, "a <mesh> needs <uri>");
        return false;
    }
    if (part && !visual) {
        tn_mjcf_error(s->m, part,
                      "submesh is not supported: write the part into a file of its own");
        return false;
    }
    if (part) {
        tn_mjcf_remark_named(s->m, TN_REMARK_DRAWING, tn_xml_place(part), part->name);
        return false;
    }
    tn_sdf_numbers(s, e, "scale", scale, 3);
    tn_sdf_stand_in(s, e);
    const TnXmlElement *place = tn_urdf_child(e, "uri");
    const TnUrdfMesh *mesh = tn_urdf_mesh_file(&s->urdf, place, uri, scale, visual);
    if (!mesh) return false;
    geom->type = TN_GEOM_MESH;
    geom->mesh = mesh->id;
    if (visual && !colored && mesh->has_color) memcpy(geom->rgba, mesh->rgba, sizeof geom->rgba);
    return true;
}

static bool read_shape(TnSdf *s, const TnXmlElement *part, bool visual, bool colored,
                       TnGeomDef *geom)
{
    const TnXmlElement *e = tn_urdf_child(part, "geometry");
    e = e ? e->first : NULL;
    if (!e) {
        tn_mjcf_error(s->m, part, "a <%s> needs <geometry> with one shape", part->name);
        return false;
    }
    memset(geom->size, 0, sizeof geom->size);
    if (is(e, "empty")) return false;
    if (is(e, "box")) return read_box(s, e, geom);
    if (is(e, "sphere")) return read_round(s, e, TN_GEOM_SPHERE, geom);
    if (is(e, "cylinder")) return read_round(s, e, TN_GEOM_CYLINDER, geom);
    if (is(e, "capsule")) return read_round(s, e, TN_GEOM_CAPSULE, geom);
    if (is(e, "plane")) return read_plane(s, e, geom);
    if (is(e, "mesh")) return read_mesh(s, e, visual, colored, geom);
    if (is(e, "ellipsoid")) {
        geom->type = TN_GEOM_ELLIPSOID;
        return tn_sdf_need(s, e, "radii", geom->size, 3);
    }
    if (visual)
        tn_mjcf_remark_named(s->m, TN_REMARK_DRAWING, tn_xml_place(e), e->name);
    else
        tn_mjcf_error(s->m, e,
                      "shapes are box, sphere, cylinder, capsule, ellipsoid, plane and mesh, not "
                      "<%.60s>",
                      e->name);
    return false;
}

/* What is lit: the diffuse colour, else the ambient one. */
static bool read_color(TnSdf *s, const TnXmlElement *visual, double rgba[4])
{
    const TnXmlElement *e = tn_urdf_child(visual, "material");
    double clear = 0;
    bool colored = false;
    if (e) {
        tn_sdf_expect(s, e, "diffuse ambient");
        const TnXmlElement *color = tn_urdf_child(e, "diffuse");
        if (!color) color = tn_urdf_child(e, "ambient");
        double values[4] = {1, 1, 1, 1};
        int count = color && color->text && strlen(color->text) > 0 ? 4 : 0;
        colored = count && tn_sdf_own_numbers(s, color, values, 4);
        if (colored) memcpy(rgba, values, sizeof values);
    }
    if (tn_sdf_numbers(s, visual, "transparency", &clear, 1))
        rgba[3] *= fmax(0, fmin(1, 1 - clear));
    return colored;
}

static void read_surface(TnSdf *s, const TnXmlElement *collision, TnGeomDef *geom)
{
    const TnXmlElement *e = tn_urdf_child(collision, "surface");
    if (!e) return;
    tn_sdf_expect(s, e, "friction bounce");
    const TnXmlElement *friction = tn_urdf_child(e, "friction"),
                       *bounce = tn_urdf_child(e, "bounce");
    const TnXmlElement *ode = friction ? tn_urdf_child(friction, "ode") : NULL;
    if (friction) tn_sdf_expect(s, friction, "ode");
    if (ode) {
        tn_sdf_numbers(s, ode, "mu", &geom->friction[0], 1);
        double other = geom->friction[0]; /* friction is the same in all directions */
        tn_sdf_numbers(s, ode, "mu2", &other, 1);
        tn_sdf_expect(s, ode, other == geom->friction[0] ? "mu mu2" : "mu");
    }
    if (bounce) tn_sdf_numbers(s, bounce, "restitution_coefficient", &geom->restitution, 1);
}

static const char *free_name(TnSdf *s, const TnSdfLink *link, const TnXmlElement *part)
{
    const char *name = tn_urdf_text(part, "name"), *prefix = link->frame.scope->prefix;
    size_t room = strlen(prefix) + (name ? strlen(name) : 0) + 1;
    char *full = name ? tn_io_alloc(&s->m->pool, room) : NULL;
    if (!full) return NULL;
    snprintf(full, room, "%s%s", prefix, name);
    if (tn_mjcf_name_find(s->m, TN_NAMED_GEOM, full)) return NULL;
    tn_mjcf_name_add(s->m, TN_NAMED_GEOM, part, full, 0, NULL);
    return full;
}

static void add_geom(TnSdf *s, TnSdfLink *link, const TnXmlElement *part, bool hidden)
{
    bool visual = is(part, "visual"), colored = false;
    TnGeomDef geom = tn_geom_def();
    tn_sdf_expect(s, part,
                  visual ? "pose geometry material transparency"
                         : "pose geometry surface density auto_inertia_params");
    TnMjcfPose own = tn_sdf_world(s, &link->frame), back = tn_mjcf_inverse(&own);
    TnMjcfPose pose =
        tn_sdf_pose_in_world(s, link->frame.scope, tn_urdf_child(part, "pose"), &link->frame);
    pose = tn_mjcf_compose(&back, &pose);
    memcpy(geom.pos, pose.pos, sizeof geom.pos);
    memcpy(geom.quat, pose.quat, sizeof geom.quat);
    geom.body = link->body;
    geom.group = visual ? VISUAL_GROUP : hidden ? COLLISION_GROUP : 0;
    geom.source = tn_xml_place(part);
    if (visual) {
        geom.mass = 0;
        geom.contact_type = geom.contact_affinity = 0;
        colored = read_color(s, part, geom.rgba);
    } else {
        read_surface(s, part, &geom);
        const TnXmlElement *inertial = tn_urdf_child(link->frame.element, "inertial");
        if (inertial) tn_sdf_numbers(s, inertial, "density", &geom.density, 1);
        tn_sdf_numbers(s, part, "density", &geom.density, 1);
    }
    if (!read_shape(s, part, visual, colored, &geom)) return;
    geom.name = free_name(s, link, part);
    tn_builder_add_geom(s->m->builder, &geom);
}

void tn_sdf_add_geoms(TnSdf *s, TnSdfLink *link)
{
    bool drawn = tn_urdf_child(link->frame.element, "visual") != NULL;
    for (const TnXmlElement *e = link->frame.element->first; e; e = e->next)
        if (is(e, "collision") || is(e, "visual")) add_geom(s, link, e, drawn);
}
