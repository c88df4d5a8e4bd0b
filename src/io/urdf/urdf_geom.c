/* urdf_geom.c: collisions, visuals and materials.
 *
 * A visual is a geom that does not collide and has no mass. Collisions of a link that has visuals
 * are in group 3, which is not drawn by default. */
#include "urdf.h"

#include <string.h>

enum { COLLISION_GROUP = 3, VISUAL_GROUP = 1 };

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* ---- materials ---- */

/* With a colour: known by name from now on. The first of a name counts. */
static void read_material(TnUrdf *u, const TnXmlElement *e)
{
    const char *name = tn_urdf_text(e, "name");
    const TnXmlElement *color = tn_urdf_child(e, "color");
    tn_urdf_expect(u, e, "name", "color texture");
    const TnXmlElement *texture = tn_urdf_child(e, "texture");
    if (texture)
        tn_mjcf_remark_named(u->m, TN_REMARK_DRAWING, tn_xml_place(texture), texture->name);
    if (!name || !color || tn_mjcf_name_find(u->m, TN_NAMED_MATERIAL, name)) return;
    double *rgba = tn_io_alloc(&u->m->pool, 4 * sizeof *rgba);
    if (rgba && tn_urdf_need(u, color, "rgba", rgba, 4))
        tn_mjcf_name_add(u->m, TN_NAMED_MATERIAL, e, name, 0, rgba);
}

void tn_urdf_read_materials(TnUrdf *u)
{
    for (const TnXmlElement *e = u->m->root->first; e; e = e->next)
        if (is(e, "material")) read_material(u, e);
    for (const TnUrdfLink *link = u->links; link; link = link->next)
        for (const TnXmlElement *e = link->element->first; e; e = e->next) {
            const TnXmlElement *material = is(e, "visual") ? tn_urdf_child(e, "material") : NULL;
            if (material) read_material(u, material);
        }
}

/* Its own colour, or that of its name; false: none, as ROS allows. */
static bool find_color(TnUrdf *u, const TnXmlElement *visual, double rgba[4])
{
    const TnXmlElement *e = tn_urdf_child(visual, "material");
    if (!e) return false;
    const TnXmlElement *color = tn_urdf_child(e, "color");
    if (color && tn_urdf_numbers(u, color, "rgba", rgba, 4)) return true;
    const char *name = tn_urdf_text(e, "name");
    const TnMjcfName *known = name ? tn_mjcf_name_find(u->m, TN_NAMED_MATERIAL, name) : NULL;
    if (!known) return false;
    memcpy(rgba, known->data, 4 * sizeof *rgba);
    return true;
}

/* ---- shapes ---- */

static bool read_round(TnUrdf *u, const TnXmlElement *e, TnGeomType type, TnGeomDef *geom)
{
    tn_urdf_expect(u, e, "radius length", "");
    double length = 0;
    geom->type = type;
    bool good = tn_urdf_need(u, e, "radius", &geom->size[0], 1);
    if (type != TN_GEOM_SPHERE) good = tn_urdf_need(u, e, "length", &length, 1) && good;
    geom->size[1] = 0.5 * length;
    return good;
}

static bool read_box(TnUrdf *u, const TnXmlElement *e, TnGeomDef *geom)
{
    double size[3];
    geom->type = TN_GEOM_BOX;
    if (!tn_urdf_need(u, e, "size", size, 3)) return false;
    for (int i = 0; i < 3; i++) geom->size[i] = 0.5 * size[i];
    return true;
}

static bool read_mesh(TnUrdf *u, const TnXmlElement *e, bool visual, bool has_color,
                      TnGeomDef *geom)
{
    const TnUrdfMesh *mesh = tn_urdf_mesh(u, e, visual);
    if (!mesh) return false;
    geom->type = TN_GEOM_MESH;
    geom->mesh = mesh->id;
    if (visual && !has_color && mesh->has_color) memcpy(geom->rgba, mesh->rgba, sizeof geom->rgba);
    return true;
}

static bool read_shape(TnUrdf *u, const TnXmlElement *part, bool visual, bool has_color,
                       TnGeomDef *geom)
{
    const TnXmlElement *e = tn_urdf_child(part, "geometry");
    e = e ? e->first : NULL;
    if (!e) {
        tn_mjcf_error(u->m, part, "a <%s> needs <geometry> with one shape", part->name);
        return false;
    }
    memset(geom->size, 0, sizeof geom->size);
    if (is(e, "box")) return read_box(u, e, geom);
    if (is(e, "sphere")) return read_round(u, e, TN_GEOM_SPHERE, geom);
    if (is(e, "cylinder")) return read_round(u, e, TN_GEOM_CYLINDER, geom);
    if (is(e, "capsule")) return read_round(u, e, TN_GEOM_CAPSULE, geom);
    if (is(e, "mesh")) return read_mesh(u, e, visual, has_color, geom);
    tn_mjcf_error(u->m, e, "shapes are box, sphere, cylinder, capsule and mesh, not <%.60s>",
                  e->name);
    return false;
}

/* Files repeat names of collisions and visuals, which mean little there: the first keeps it. */
static const char *free_name(TnUrdf *u, const TnXmlElement *part)
{
    const char *name = tn_urdf_text(part, "name");
    if (!name || tn_mjcf_name_find(u->m, TN_NAMED_GEOM, name)) return NULL;
    tn_mjcf_name_add(u->m, TN_NAMED_GEOM, part, name, 0, NULL);
    return name;
}

static void add_geom(TnUrdf *u, const TnUrdfLink *link, const TnXmlElement *part, bool hidden)
{
    bool visual = is(part, "visual");
    tn_urdf_expect(u, part, "name",
                   visual ? "origin geometry material meshes_opacity"
                          : "origin geometry material verbose");
    TnGeomDef geom = tn_geom_def();
    TnMjcfPose pose = tn_urdf_origin(u, part);
    bool has_color = visual && find_color(u, part, geom.rgba);
    geom.body = link->body;
    memcpy(geom.pos, pose.pos, sizeof geom.pos);
    memcpy(geom.quat, pose.quat, sizeof geom.quat);
    geom.group = visual ? VISUAL_GROUP : hidden ? COLLISION_GROUP : 0;
    geom.source = tn_xml_place(part);
    if (visual) {
        geom.mass = 0;
        geom.contact_type = geom.contact_affinity = 0;
    }
    if (!read_shape(u, part, visual, has_color, &geom)) return;
    geom.name = free_name(u, part);
    tn_builder_add_geom(u->m->builder, &geom);
}

void tn_urdf_add_geoms(TnUrdf *u, const TnUrdfLink *link)
{
    bool drawn = !u->discard_visual && tn_urdf_child(link->element, "visual");
    for (const TnXmlElement *e = link->element->first; e; e = e->next) {
        if (is(e, "collision")) add_geom(u, link, e, drawn);
        if (is(e, "visual") && !u->discard_visual) add_geom(u, link, e, false);
    }
}
