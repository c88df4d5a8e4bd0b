/* sdf_read.c: values of SDF, which stand as text in elements. */
#include "sdf.h"

#include <math.h>
#include <string.h>

static const double degree = 0.017453292519943295; /* rad */

/* Without the blanks around it; NULL: none. */
static const char *trimmed(TnSdf *s, const TnXmlElement *e)
{
    static const char blanks[] = " \t\r\n";
    const char *text = e->text ? e->text + strspn(e->text, blanks) : "";
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1])) length--;
    return length > 0 ? tn_io_copy(&s->m->pool, text, length) : NULL;
}

const char *tn_sdf_text(TnSdf *s, const TnXmlElement *e, const char *name)
{
    const TnXmlElement *child = tn_urdf_child(e, name);
    return child ? trimmed(s, child) : NULL;
}

bool tn_sdf_own_numbers(TnSdf *s, const TnXmlElement *e, double *out, int count)
{
    const char *at = e->text ? e->text : "";
    int found = 0;
    TnNumberFault fault = TN_NUMBER_GOOD;
    while (at[strspn(at, " \t\r\n")]) {
        double value = 0;
        at += strspn(at, " \t\r\n");
        fault = tn_mjcf_number(&at, ' ', &value);
        if (fault != TN_NUMBER_GOOD) break;
        if (found < count) out[found] = value;
        found++;
    }
    if (fault == TN_NUMBER_GOOD && found == count) return true;
    tn_mjcf_error(s->m, e, "<%.60s> needs %d finite number%s; it is '%.60s'", e->name, count,
                  count == 1 ? "" : "s", e->text ? e->text : "");
    return false;
}

bool tn_sdf_numbers(TnSdf *s, const TnXmlElement *e, const char *name, double *out, int count)
{
    const TnXmlElement *child = tn_urdf_child(e, name);
    return child && tn_sdf_own_numbers(s, child, out, count);
}

bool tn_sdf_need(TnSdf *s, const TnXmlElement *e, const char *name, double *out, int count)
{
    if (tn_urdf_child(e, name)) return tn_sdf_numbers(s, e, name, out, count);
    tn_mjcf_error(s->m, e, "a <%.60s> needs <%s>", e->name, name);
    return false;
}

static bool read_flag(TnSdf *s, const TnXmlElement *e, const char *text, bool otherwise)
{
    int index = tn_mjcf_word_index("0 1 false true", text);
    if (index < 0)
        tn_mjcf_error(s->m, e, "<%.60s> must have true or false, not '%.60s'", e->name, text);
    return index < 0 ? otherwise : index % 2 == 1;
}

bool tn_sdf_flag(TnSdf *s, const TnXmlElement *e, const char *name, bool otherwise)
{
    const TnXmlElement *child = tn_urdf_child(e, name);
    const char *text = child ? trimmed(s, child) : NULL;
    return child ? read_flag(s, child, text ? text : "", otherwise) : otherwise;
}

/* Place and orientation: turns about x, y, z in this order, or a quaternion. */
TnMjcfPose tn_sdf_pose(TnSdf *s, const TnXmlElement *e)
{
    TnMjcfPose pose = tn_mjcf_identity();
    double values[7];
    if (!e || !e->text || !e->text[strspn(e->text, " \t\r\n")]) return pose;
    const char *format = tn_urdf_text(e, "rotation_format");
    const char *degrees = tn_urdf_text(e, "degrees");
    int index = format ? tn_mjcf_word_index("euler_rpy quat_xyzw", format) : 0;
    if (index < 0) {
        tn_mjcf_error_attr(s->m, e, "rotation_format",
                           "rotation_format must be euler_rpy or quat_xyzw; it is '%.60s'", format);
        return pose;
    }
    if (!tn_sdf_own_numbers(s, e, values, index ? 7 : 6)) return pose;
    memcpy(pose.pos, values, sizeof pose.pos);
    if (index) {
        const double quat[4] = {values[6], values[3], values[4], values[5]};
        memcpy(pose.quat, quat, sizeof quat);
        if (!tn_mjcf_normalize_quat(pose.quat))
            tn_mjcf_error(s->m, e, "a quaternion of length zero gives no orientation");
        return pose;
    }
    double unit = degrees && read_flag(s, e, degrees, false) ? degree : 1;
    for (int i = 0; i < 3; i++) values[3 + i] *= unit;
    tn_urdf_quat_from_rpy(values + 3, pose.quat);
    return pose;
}

/* What SDF has for simulators, sensors and windows. */
static const char for_others[] =
    "plugin sensor light gui scene audio wind atmosphere spherical_coordinates state road "
    "population actor projector battery particle_emitter gripper physics magnetic_field "
    "allow_auto_disable enable_wind must_be_base_link velocity_decay kinematic "
    "enable_orientation_sensors audio_source audio_sink max_contacts laser_retro cast_shadows "
    "visibility_flags meta lighting shader render_order script pbr specular emissive shininess "
    "double_sided contact bounce soft_contact torsional bullet slip fdir1 mu2 patch_radius";

void tn_sdf_expect(TnSdf *s, const TnXmlElement *e, const char *children)
{
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        if (tn_mjcf_word_index(children, c->name) >= 0 || strchr(c->name, ':')) continue;
        bool known = tn_mjcf_word_index(for_others, c->name) >= 0;
        tn_mjcf_remark_named(s->m, known ? TN_REMARK_URDF_OTHER : TN_REMARK_URDF_ELEMENT,
                             tn_xml_place(c), c->name);
    }
}
