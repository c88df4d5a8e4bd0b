/* mjcf_joint.c: joints and free joints. Angles of hinges and balls are in the compiler's unit,
 * those of slides are lengths. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

static void add(TnMjcf *m, const TnXmlElement *element, const TnJointDef *joint)
{
    static const int qpos_size[] = {
        [TN_JOINT_FREE] = 7, [TN_JOINT_BALL] = 4, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};
    static const int dof_size[] = {
        [TN_JOINT_FREE] = 6, [TN_JOINT_BALL] = 3, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};
    TnJointId id = tn_builder_add_joint(m->builder, joint);
    tn_mjcf_set_carrier(m, joint->body, joint->body);
    TnJointDef *kept = /* actuators and sensors ask for type and range */
        joint->name ? TN_IO_NEW(&m->pool, TnJointDef) : NULL;
    if (kept) {
        *kept = *joint;
        tn_mjcf_name_add(m, TN_NAMED_JOINT, element, joint->name, id, kept);
    }
    m->qpos_count += qpos_size[joint->type];
    m->dof_count += dof_size[joint->type];
}

static void read_limit(TnMjcf *m, const TnMjcfView *view, TnJointDef *joint)
{
    joint->limited = tn_mjcf_limited(m, view, "limited", "range", joint->range);
    if (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_BALL)
        for (int i = 0; i < 2; i++) joint->range[i] *= m->settings.angle;
    if (joint->type == TN_JOINT_FREE) joint->limited = false; /* as in MuJoCo */
    if (joint->type == TN_JOINT_BALL && joint->limited && joint->range[0] != 0)
        tn_mjcf_error_attr(m, view->element, "range",
                           "range of a ball joint must be 0 and the largest angle");
    if (!m->settings.limit) joint->limited = false;
}

static void read_axis(TnMjcf *m, const TnMjcfView *view, TnJointDef *joint)
{
    double axis[3] = {0, 0, 1};
    tn_mjcf_reals(m, view, "axis", axis, 3);
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    bool needed = joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE;
    if (fabs(length - 1) < 1e-14) length = 1; /* a written one keeps its bits */
    if (length > 1e-14) {
        for (int i = 0; i < 3; i++) joint->axis[i] = axis[i] / length;
    } else if (needed) {
        const TnXmlElement *holder = view->element;
        tn_mjcf_find(view, "axis", &holder);
        tn_mjcf_error_attr(m, holder, "axis", "axis has length zero");
    }
}

/* Coefficients of the first power, which stands in `first`, and the next two. */
static void read_powers(TnMjcf *m, const TnMjcfView *view, const char *name, bool on, double *first,
                        double others[2])
{
    double numbers[3] = {0, 0, 0};
    tn_mjcf_reals(m, view, name, numbers, 3);
    if (numbers[0] < 0)
        tn_mjcf_error_attr(m, view->element, name, "%s: it must not be negative", name);
    if (!on) return;
    *first = numbers[0];
    others[0] = numbers[1];
    others[1] = numbers[2];
}

/* A time constant and a damping ratio, in place of stiffness and damping. */
static void read_spring_damper(TnMjcf *m, const TnMjcfView *view, TnJointDef *joint)
{
    double numbers[2] = {0, 0};
    tn_mjcf_reals(m, view, "springdamper", numbers, 2);
    if (numbers[0] == 0 && numbers[1] == 0) return;
    if (numbers[0] == 0 || numbers[1] == 0)
        tn_mjcf_error_attr(m, view->element, "springdamper",
                           "springdamper needs two positive numbers, or two zeros");
    else if (m->settings.spring && m->settings.damper) {
        joint->spring_time = numbers[0];
        joint->spring_ratio = numbers[1];
    } else if (m->settings.spring || m->settings.damper) {
        tn_mjcf_error_attr(m, view->element, "springdamper",
                           "springdamper with only one of the flags spring and damper enabled is "
                           "not supported; set stiffness and damping");
    }
}

static bool is_aligned(const TnMjcf *m, const TnMjcfView *view)
{
    int align = tn_mjcf_word(view, "align", "false true auto", TN_TRI_AUTO);
    return align == TN_TRI_TRUE || (align == TN_TRI_AUTO && m->settings.align_free);
}

static void read_joint(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                       const TnMjcfPose *frame, TnBodyId body)
{
    TnMjcfView view = tn_mjcf_view(m, element, class_, "joint");
    TnJointDef joint = tn_joint_def();
    joint.source = tn_xml_place(element);
    joint.name = tn_mjcf_text(&view, "name");
    joint.body = body;
    joint.type = (TnJointType)tn_mjcf_word(&view, "type", "free ball slide hinge", TN_JOINT_HINGE);
    read_axis(m, &view, &joint);
    read_limit(m, &view, &joint);
    double pos[3] = {0, 0, 0}, axis[3];
    if (joint.type != TN_JOINT_FREE) {
        tn_mjcf_reals(m, &view, "pos", pos, 3);
        tn_mjcf_rotate(frame->quat, pos, joint.pos);
        for (int i = 0; i < 3; i++) joint.pos[i] += frame->pos[i];
    }
    memcpy(axis, joint.axis, sizeof axis);
    tn_mjcf_rotate(frame->quat, axis, joint.axis);
    double unit = joint.type == TN_JOINT_HINGE ? m->settings.angle : 1;
    bool scalar = joint.type == TN_JOINT_HINGE || joint.type == TN_JOINT_SLIDE;
    joint.ref = scalar ? unit * tn_mjcf_real(m, &view, "ref", 0) : 0;
    joint.spring_ref = scalar ? unit * tn_mjcf_real(m, &view, "springref", 0) : 0;
    read_powers(m, &view, "stiffness", m->settings.spring, &joint.stiffness, joint.stiffness_poly);
    read_powers(m, &view, "damping", m->settings.damper, &joint.damping, joint.damping_poly);
    read_spring_damper(m, &view, &joint);
    joint.armature = tn_mjcf_real(m, &view, "armature", 0);
    joint.friction_loss = m->settings.friction_loss ? tn_mjcf_real(m, &view, "frictionloss", 0) : 0;
    joint.align = joint.type == TN_JOINT_FREE && is_aligned(m, &view);
    joint.actuator_gravity = tn_mjcf_bool(&view, "actuatorgravcomp", false);
    joint.actuator_limited =
        tn_mjcf_limited(m, &view, "actuatorfrclimited", "actuatorfrcrange", joint.actuator_range);
    add(m, element, &joint);
}

void tn_mjcf_joint(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                   const TnMjcfPose *frame, TnBodyId body)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, element)) return;
    if (strcmp(element->name, "joint") == 0) {
        read_joint(m, element, class_, frame, body);
        return;
    }
    /* freejoint takes nothing from default classes: that is what it is for */
    TnMjcfView view = tn_mjcf_plain_view(element);
    TnJointDef joint = tn_joint_def();
    joint.source = tn_xml_place(element);
    joint.name = tn_mjcf_text(&view, "name");
    joint.body = body;
    joint.type = TN_JOINT_FREE;
    joint.align = is_aligned(m, &view);
    add(m, element, &joint);
}
