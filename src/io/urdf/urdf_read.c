/* urdf_read.c: values of URDF's attributes. */
#include "urdf.h"

#include <math.h>
#include <string.h>

bool tn_urdf_numbers(TnUrdf *u, const TnXmlElement *e, const char *name, double *out, int count)
{
    const TnXmlAttr *attr = tn_xml_attr(e, name);
    if (!attr) return false;
    const char *at = attr->value;
    int found = 0;
    TnNumberFault fault = TN_NUMBER_GOOD;
    while (at[strspn(at, " \t")]) {
        double value = 0;
        fault = tn_mjcf_number(&at, ' ', &value);
        if (fault != TN_NUMBER_GOOD) break;
        if (found < count) out[found] = value;
        found++;
    }
    if (fault == TN_NUMBER_GOOD && found == count) return true;
    tn_mjcf_error_attr(u->m, e, name, "%s needs %d finite number%s; it is '%.60s'", name, count,
                       count == 1 ? "" : "s", attr->value);
    return false;
}

bool tn_urdf_number(TnUrdf *u, const TnXmlElement *e, const char *name, double *out)
{
    return tn_urdf_numbers(u, e, name, out, 1);
}

bool tn_urdf_need(TnUrdf *u, const TnXmlElement *e, const char *name, double *out, int count)
{
    if (tn_xml_attr(e, name)) return tn_urdf_numbers(u, e, name, out, count);
    tn_mjcf_error(u->m, e, "attribute '%s' is missing", name);
    return false;
}

const TnXmlElement *tn_urdf_child(const TnXmlElement *e, const char *name)
{
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

const char *tn_urdf_text(const TnXmlElement *e, const char *name)
{
    const TnXmlAttr *attr = tn_xml_attr(e, name);
    return attr && attr->value[0] ? attr->value : NULL;
}

/* Turns about the parent's x, then y, then z: q = q_z q_y q_x. */
void tn_urdf_quat_from_rpy(const double rpy[3], double quat[4])
{
    double c[3], s[3];
    for (int i = 0; i < 3; i++) {
        c[i] = cos(0.5 * rpy[i]);
        s[i] = sin(0.5 * rpy[i]);
    }
    quat[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
    quat[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
    quat[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
    quat[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

TnMjcfPose tn_urdf_origin(TnUrdf *u, const TnXmlElement *e)
{
    TnMjcfPose pose = tn_mjcf_identity();
    const TnXmlElement *origin = tn_urdf_child(e, "origin");
    if (!origin) return pose;
    tn_urdf_expect(u, origin, "xyz rpy quat_xyzw", "");
    double rpy[3], xyzw[4];
    tn_urdf_numbers(u, origin, "xyz", pose.pos, 3);
    if (tn_urdf_numbers(u, origin, "rpy", rpy, 3)) tn_urdf_quat_from_rpy(rpy, pose.quat);
    if (tn_urdf_numbers(u, origin, "quat_xyzw", xyzw, 4)) {
        const double quat[4] = {xyzw[3], xyzw[0], xyzw[1], xyzw[2]};
        memcpy(pose.quat, quat, sizeof quat);
        if (!tn_mjcf_normalize_quat(pose.quat))
            tn_mjcf_error_attr(u->m, origin, "quat_xyzw",
                               "a quaternion of length zero gives no orientation");
    }
    return pose;
}

void tn_urdf_expect(TnUrdf *u, const TnXmlElement *e, const char *attrs, const char *children)
{
    for (int i = 0; i < e->attr_count; i++)
        if (tn_mjcf_word_index(attrs, e->attrs[i].name) < 0 && !strchr(e->attrs[i].name, ':'))
            tn_mjcf_remark_named(u->m, TN_REMARK_URDF_ATTR, tn_xml_attr_place(e, &e->attrs[i]),
                                 e->attrs[i].name);
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (tn_mjcf_word_index(children, c->name) < 0)
            tn_mjcf_remark_named(u->m, TN_REMARK_URDF_ELEMENT, tn_xml_place(c), c->name);
}
