/* mjcf_tendon.c: fixed and spatial tendons. Lengths of fixed ones are sums of joint coordinates in
 * radians and metres, so the compiler's unit of angle does not touch them. */
#include "mjcf.h"

#include <string.h>

static int read_joints(TnMjcf *m, const TnXmlElement *tendon, TnTendonJoint *out)
{
    int count = 0;
    for (const TnXmlElement *e = tendon->first; e; e = e->next) {
        if (!tn_mjcf_check_leaf(m, TN_GROUP_FIXED, e)) continue;
        TnMjcfView view = tn_mjcf_plain_view(e);
        const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_JOINT, e, "joint");
        const TnJointDef *joint = name ? name->data : NULL;
        if (!joint) continue;
        if (joint->type != TN_JOINT_HINGE && joint->type != TN_JOINT_SLIDE) {
            tn_mjcf_error_attr(m, e, "joint", "only hinge and slide joints can be in a tendon");
            continue;
        }
        out[count++] = (TnTendonJoint){name->id, tn_mjcf_real(m, &view, "coef", 0)};
    }
    return count;
}

static int read_points(TnMjcf *m, const TnXmlElement *tendon, TnTendonPoint *out)
{
    int count = 0;
    for (const TnXmlElement *e = tendon->first; e; e = e->next) {
        if (!tn_mjcf_check_leaf(m, TN_GROUP_SPATIAL, e)) continue;
        TnMjcfView view = tn_mjcf_plain_view(e);
        TnTendonPoint point = {.type = TN_TENDON_PULLEY,
                               .divisor = tn_mjcf_real(m, &view, "divisor", 1)};
        const TnMjcfName *site = tn_mjcf_refer(m, TN_NAMED_SITE, e, "site"),
                         *geom = tn_mjcf_refer(m, TN_NAMED_GEOM, e, "geom"),
                         *side = tn_mjcf_refer(m, TN_NAMED_SITE, e, "sidesite");
        if (strcmp(e->name, "site") == 0) point.type = TN_TENDON_SITE;
        if (strcmp(e->name, "geom") == 0) point.type = TN_TENDON_GEOM;
        point.site = site ? site->id : 0;
        point.geom = geom ? geom->id : 0;
        point.side = side ? side->id : 0;
        out[count++] = point;
    }
    return count;
}

/* "-1" and "-1 -1", the default, stand for the length at the joints' springref. */
static void read_spring_length(TnMjcf *m, const TnMjcfView *view, TnTendonDef *tendon)
{
    double length[2] = {-1, -1};
    if (tn_mjcf_reals(m, view, "springlength", length, 2) == 1) length[1] = length[0];
    tendon->has_spring_length = length[0] != -1 || length[1] != -1;
    tendon->spring_length = length[0];
    if (length[0] > length[1])
        tn_mjcf_error_attr(m, view->element, "springlength",
                           "the first number of springlength "
                           "must not exceed the second");
    else
        tendon->dead_band = length[1] - length[0];
}

static void read_tendon(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check(m, TN_GROUP_TENDON, e)) return;
    bool spatial = strcmp(e->name, "spatial") == 0;
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "tendon");
    TnTendonDef tendon = tn_tendon_def();
    size_t children = 0;
    for (const TnXmlElement *child = e->first; child; child = child->next) children++;
    TnTendonJoint *joints = tn_io_alloc(&m->pool, (children + 1) * sizeof *joints);
    TnTendonPoint *points = tn_io_alloc(&m->pool, (children + 1) * sizeof *points);
    TnTendonDef *kept = TN_IO_NEW(&m->pool, TnTendonDef); /* actuators ask for the range */
    if (!joints || !points || !kept) return;
    tendon.source = tn_xml_place(e);
    tendon.name = tn_mjcf_text(&view, "name");
    tendon.joints = joints;
    tendon.points = points;
    int before = m->err.count;
    if (spatial)
        tendon.point_count = read_points(m, e, points);
    else
        tendon.joint_count = read_joints(m, e, joints);
    if (!children)
        tn_mjcf_error(m, e, "a %s tendon needs at least %s", e->name,
                      spatial ? "two <site>s" : "one <joint>");
    bool good = m->err.count == before;
    tendon.width = tn_mjcf_real(m, &view, "width", tendon.width);
    tn_mjcf_reals(m, &view, "rgba", tendon.rgba, 4);
    tendon.limited = tn_mjcf_limited(m, &view, "limited", "range", tendon.range);
    if (!m->settings.limit) tendon.limited = false;
    tendon.stiffness = m->settings.spring ? tn_mjcf_real(m, &view, "stiffness", 0) : 0;
    tendon.damping = m->settings.damper ? tn_mjcf_real(m, &view, "damping", 0) : 0;
    tendon.friction_loss =
        m->settings.friction_loss ? tn_mjcf_real(m, &view, "frictionloss", 0) : 0;
    tendon.armature = tn_mjcf_real(m, &view, "armature", 0);
    read_spring_length(m, &view, &tendon);
    tendon.actuator_limited =
        tn_mjcf_limited(m, &view, "actuatorfrclimited", "actuatorfrcrange", tendon.actuator_range);
    *kept = tendon;
    TnTendonId id = good ? tn_builder_add_tendon(m->builder, &tendon) : 0;
    tn_mjcf_name_add(m, TN_NAMED_TENDON, e, tendon.name, id, kept);
}

void tn_mjcf_read_tendons(TnMjcf *m) { tn_mjcf_each_child(m, "tendon", read_tendon); }
