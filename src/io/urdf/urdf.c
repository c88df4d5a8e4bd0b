/* urdf.c: a URDF file: its settings, links and joints.
 *
 * MuJoCo's extension <mujoco><compiler meshdir="…" …/><option …/></mujoco> is read, too. */
#include "urdf.h"

#include <string.h>

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* An unexpanded macro would be read as nonsense. False after an error. */
static bool is_expanded(TnUrdf *u, const TnXmlElement *e)
{
    bool macro = strncmp(e->name, "xacro:", 6) == 0;
    for (int i = 0; i < e->attr_count && !macro; i++)
        macro = strstr(e->attrs[i].value, "${") || strstr(e->attrs[i].value, "$(");
    if (macro) {
        tn_mjcf_error(u->m, e,
                      "this is a xacro file; run xacro first: xacro robot.urdf.xacro > robot.urdf");
        return false;
    }
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (!is_expanded(u, c)) return false;
    return true;
}

/* ---- settings ---- */

static bool flag(TnUrdf *u, const TnXmlElement *e, const char *name, bool otherwise)
{
    const TnXmlAttr *attr = tn_xml_attr(e, name);
    if (!attr) return otherwise;
    int index = tn_mjcf_word_index("false true", attr->value);
    if (index < 0)
        tn_mjcf_error_attr(u->m, e, name, "%s must be true or false; it is '%.60s'", name,
                           attr->value);
    return index < 0 ? otherwise : index == 1;
}

static void read_compiler(TnUrdf *u, const TnXmlElement *e)
{
    tn_urdf_expect(u, e,
                   "meshdir assetdir strippath balanceinertia boundmass boundinertia discardvisual "
                   "fusestatic angle autolimits inertiafromgeom texturedir",
                   "");
    const char *folder = tn_urdf_text(e, "meshdir");
    if (!folder) folder = tn_urdf_text(e, "assetdir");
    if (folder) u->mesh_folder = folder;
    u->strip_path = flag(u, e, "strippath", u->strip_path);
    u->discard_visual = flag(u, e, "discardvisual", u->discard_visual);
    u->balance_inertia = flag(u, e, "balanceinertia", u->balance_inertia);
    if (flag(u, e, "fusestatic", false))
        tn_mjcf_remark(u->m, TN_REMARK_URDF_FUSE, tn_xml_place(e), e->name);
    tn_urdf_number(u, e, "boundmass", &u->bound_mass);
    tn_urdf_number(u, e, "boundinertia", &u->bound_inertia);
    const TnXmlAttr *from_geom = tn_xml_attr(e, "inertiafromgeom");
    if (from_geom && strcmp(from_geom->value, "auto") != 0)
        tn_mjcf_error_attr(u->m, e, "inertiafromgeom",
                           "inertiafromgeom is not supported in a URDF file; convert the file to "
                           "MJCF and change it there");
}

static void read_mujoco(TnUrdf *u, const TnXmlElement *e)
{
    tn_urdf_expect(u, e, "", "compiler option");
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        if (is(c, "compiler")) read_compiler(u, c);
        if (!is(c, "option")) continue;
        tn_urdf_expect(u, c, "timestep gravity magnetic", "");
        tn_urdf_number(u, c, "timestep", &u->m->option.timestep);
        tn_urdf_numbers(u, c, "gravity", u->m->option.gravity, 3);
        tn_urdf_numbers(u, c, "magnetic", u->m->option.magnetic, 3);
        u->m->option_place = tn_xml_place(c);
    }
}

/* ---- links and joints ---- */

static const char *need_name(TnUrdf *u, const TnXmlElement *e)
{
    const char *name = tn_urdf_text(e, "name");
    if (!name) tn_mjcf_error(u->m, e, "attribute 'name' is missing");
    return name;
}

static void read_link(TnUrdf *u, const TnXmlElement *e)
{
    tn_urdf_expect(u, e, "name type", "inertial visual collision contact self_collision_checking");
    TnUrdfLink *link = TN_IO_NEW(&u->m->pool, TnUrdfLink);
    const char *name = need_name(u, e);
    if (!link || !name || !tn_mjcf_name_add(u->m, TN_NAMED_LINK, e, name, 0, link)) return;
    *link = (TnUrdfLink){.element = e, .name = name};
    if (u->last_link)
        u->last_link->next = link;
    else
        u->links = link;
    u->last_link = link;
}

static void read_joint(TnUrdf *u, const TnXmlElement *e)
{
    tn_urdf_expect(u, e, "name type",
                   "parent child origin axis limit dynamics mimic calibration safety_controller");
    TnUrdfJoint *joint = TN_IO_NEW(&u->m->pool, TnUrdfJoint);
    const char *name = need_name(u, e), *type = tn_urdf_text(e, "type");
    if (!joint || !name || !tn_mjcf_name_add(u->m, TN_NAMED_JOINT, e, name, 0, joint)) return;
    static const char *const words = "fixed revolute continuous prismatic planar floating "
                                     "spherical";
    int index = type ? tn_mjcf_word_index(words, type) : -1;
    if (!type)
        tn_mjcf_error(u->m, e, "attribute 'type' is missing: one of %s", words);
    else if (index < 0)
        tn_mjcf_error_attr(u->m, e, "type", "type must be one of: %s; it is '%.60s'", words, type);
    *joint = (TnUrdfJoint){.element = e,
                           .name = name,
                           .type = index < 0 ? TN_URDF_FIXED : (TnUrdfJointType)index,
                           .origin = tn_urdf_origin(u, e)};
    if (u->last_joint)
        u->last_joint->next = joint;
    else
        u->joints = joint;
    u->last_joint = joint;
}

/* What the file has beside links, joints and materials, for simulators and controllers. */
static void read_other(TnUrdf *u, const TnXmlElement *e)
{
    static const char *const known = "link joint material mujoco";
    if (tn_mjcf_word_index(known, e->name) >= 0) return;
    bool expected = tn_mjcf_word_index("gazebo transmission ros2_control sensor", e->name) >= 0;
    tn_mjcf_remark_named(u->m, expected ? TN_REMARK_URDF_OTHER : TN_REMARK_URDF_ELEMENT,
                         tn_xml_place(e), e->name);
}

void tn_urdf_interpret(TnMjcf *m, const TnLoadDef *load)
{
    TnUrdf u = {.m = m, .load = load, .strip_path = true};
    const TnXmlElement *root = m->root;
    if (!is_expanded(&u, root)) return;
    m->option = tn_option();
    m->option.timestep = 0.002; /* MuJoCo's, as for MJCF */
    m->option_place = tn_xml_place(root);
    tn_mjcf_start_view(m);
    const char *name = tn_urdf_text(root, "name");
    if (name) tn_builder_set_name(m->builder, name);
    for (const TnXmlElement *e = root->first; e; e = e->next) {
        if (is(e, "mujoco")) read_mujoco(&u, e);
        if (is(e, "link")) read_link(&u, e);
        if (is(e, "joint")) read_joint(&u, e);
        read_other(&u, e);
    }
    tn_urdf_read_materials(&u);
    tn_urdf_connect(&u);
    if (m->err.count == 0) tn_urdf_add_links(&u);
    tn_urdf_add_mimics(&u);
    tn_builder_set_option(m->builder, &m->option, m->option_place);
    tn_builder_set_view(m->builder, &m->view);
}
