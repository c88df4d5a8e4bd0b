/* urdf_joint.c: joints of URDF.
 *
 *   revolute, continuous   a hinge           planar    two slides across the axis, a hinge about it
 *   prismatic              a slide           floating  a free joint below what is fixed, else three
 *                                                      slides and a ball
 * The joints of planar and floating ones are named as in MuJoCo: name_TX, name_TY, name_RZ.
 * mimic: q = multiplier · q_other + offset is an equality of two joints. */
#include "urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_scalar(const TnUrdfJoint *joint)
{
    return joint->type == TN_URDF_REVOLUTE || joint->type == TN_URDF_CONTINUOUS ||
           joint->type == TN_URDF_PRISMATIC;
}

static void read_axis(TnUrdf *u, const TnXmlElement *e, double axis[3])
{
    const double x[3] = {1, 0, 0};
    memcpy(axis, x, sizeof x);
    const TnXmlElement *child = tn_urdf_child(e, "axis");
    if (!child || !tn_urdf_need(u, child, "xyz", axis, 3)) return;
    tn_urdf_expect(u, child, "xyz", "");
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (length > 1e-14) {
        for (int i = 0; i < 3; i++) axis[i] /= length;
        return;
    }
    tn_mjcf_error_attr(u->m, child, "xyz", "axis has length zero");
}

static void read_limit(TnUrdf *u, const TnUrdfJoint *joint, TnJointDef *def)
{
    const TnXmlElement *e = tn_urdf_child(joint->element, "limit");
    if (!e) return;
    tn_urdf_expect(u, e, "lower upper effort velocity acceleration deceleration jerk", "");
    tn_urdf_number(u, e, "lower", &def->range[0]);
    tn_urdf_number(u, e, "upper", &def->range[1]);
    bool ranged = joint->type != TN_URDF_CONTINUOUS;
    def->limited = ranged && def->range[0] < def->range[1];
    if (ranged && !def->limited)
        tn_mjcf_remark(u->m, TN_REMARK_URDF_LIMIT, tn_xml_place(e), e->name);
    if (!def->limited) def->range[0] = def->range[1] = 0;
    double effort = 0;
    tn_urdf_number(u, e, "effort", &effort);
    def->actuator_limited = effort != 0;
    def->actuator_range[0] = -fabs(effort);
    def->actuator_range[1] = fabs(effort);
    if (effort == 0) def->actuator_range[0] = 0;
    if (tn_xml_attr(e, "velocity"))
        tn_mjcf_remark(u->m, TN_REMARK_URDF_VELOCITY, tn_xml_place(e), e->name);
}

static void read_dynamics(TnUrdf *u, const TnUrdfJoint *joint, TnJointDef *def)
{
    const TnXmlElement *e = tn_urdf_child(joint->element, "dynamics");
    if (!e) return;
    tn_urdf_expect(u, e, "damping friction", "");
    tn_urdf_number(u, e, "damping", &def->damping);
    tn_urdf_number(u, e, "friction", &def->friction_loss);
}

/* Its axis in the body's axes. */
static void set_axis(const TnMjcfPose *frame, const double axis[3], TnJointDef *def)
{
    tn_mjcf_rotate(frame->quat, axis, def->axis);
}

static void add_scalar(TnUrdf *u, TnUrdfJoint *joint, const TnMjcfPose *frame, TnJointDef *def)
{
    double axis[3];
    read_axis(u, joint->element, axis);
    set_axis(frame, axis, def);
    read_limit(u, joint, def);
    read_dynamics(u, joint, def);
    def->name = joint->name;
    def->type = joint->type == TN_URDF_PRISMATIC ? TN_JOINT_SLIDE : TN_JOINT_HINGE;
    joint->id = tn_builder_add_joint(u->m->builder, def);
}

static void add_part(TnUrdf *u, const TnUrdfJoint *joint, const TnMjcfPose *frame, TnJointDef *def,
                     TnJointType type, const double axis[3], const char *ending)
{
    char name[512];
    snprintf(name, sizeof name, "%.400s%s", joint->name, ending);
    def->name = name;
    def->type = type;
    set_axis(frame, axis, def);
    tn_builder_add_joint(u->m->builder, def);
}

/* The axes of the plane come from x and y by the shortest turn of z onto the normal. */
static void add_planar(TnUrdf *u, const TnUrdfJoint *joint, const TnMjcfPose *frame,
                       TnJointDef *def)
{
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    double normal[3], turn[4], axes[2][3];
    read_axis(u, joint->element, normal);
    tn_mjcf_quat_from_z(normal, turn);
    tn_mjcf_rotate(turn, x, axes[0]);
    tn_mjcf_rotate(turn, y, axes[1]);
    read_dynamics(u, joint, def);
    add_part(u, joint, frame, def, TN_JOINT_SLIDE, axes[0], "_TX");
    add_part(u, joint, frame, def, TN_JOINT_SLIDE, axes[1], "_TY");
    add_part(u, joint, frame, def, TN_JOINT_HINGE, normal, "_RZ");
}

static void add_floating(TnUrdf *u, TnUrdfJoint *joint, const TnMjcfPose *frame, TnJointDef *def)
{
    if (!joint->parent->moves) {
        def->name = joint->name;
        def->type = TN_JOINT_FREE;
        tn_builder_add_joint(u->m->builder, def);
        return;
    }
    const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    add_part(u, joint, frame, def, TN_JOINT_SLIDE, axes[0], "_TX");
    add_part(u, joint, frame, def, TN_JOINT_SLIDE, axes[1], "_TY");
    add_part(u, joint, frame, def, TN_JOINT_SLIDE, axes[2], "_TZ");
    add_part(u, joint, frame, def, TN_JOINT_BALL, axes[2], "_R");
}

static void add_ball(TnUrdf *u, const TnUrdfJoint *joint, TnJointDef *def)
{
    read_dynamics(u, joint, def);
    def->name = joint->name;
    def->type = TN_JOINT_BALL;
    tn_builder_add_joint(u->m->builder, def);
}

void tn_urdf_add_joint(TnUrdf *u, TnUrdfJoint *joint, TnBodyId body, const TnMjcfPose *frame)
{
    static const char *const others[] = {"safety_controller", "calibration"};
    for (int i = 0; i < 2; i++) {
        const TnXmlElement *e = tn_urdf_child(joint->element, others[i]);
        if (e) tn_mjcf_remark_named(u->m, TN_REMARK_URDF_OTHER, tn_xml_place(e), e->name);
    }
    TnJointDef def = tn_joint_def();
    def.body = body;
    memcpy(def.pos, frame->pos, sizeof def.pos);
    def.source = tn_xml_place(joint->element);
    if (is_scalar(joint))
        add_scalar(u, joint, frame, &def);
    else if (joint->type == TN_URDF_PLANAR)
        add_planar(u, joint, frame, &def);
    else if (joint->type == TN_URDF_FLOATING)
        add_floating(u, joint, frame, &def);
    else if (joint->type == TN_URDF_SPHERICAL)
        add_ball(u, joint, &def);
}

/* ---- mimic ---- */

static void add_mimic(TnUrdf *u, const TnUrdfJoint *joint, const TnXmlElement *e)
{
    tn_urdf_expect(u, e, "joint multiplier offset", "");
    if (!tn_xml_attr(e, "joint")) {
        tn_mjcf_error(u->m, e, "attribute 'joint' is missing: the joint to follow");
        return;
    }
    const TnMjcfName *name = tn_mjcf_refer(u->m, TN_NAMED_JOINT, e, "joint");
    const TnUrdfJoint *other = name ? name->data : NULL;
    if (!other) return;
    if (joint->type == TN_URDF_FIXED) return; /* it cannot move, so it follows no joint */
    if (!is_scalar(joint) || !is_scalar(other)) {
        tn_mjcf_error(u->m, e,
                      "only revolute, continuous and prismatic joints can follow each other");
        return;
    }
    TnEqualityDef equality = tn_equality_def();
    equality.type = TN_EQUALITY_JOINT;
    equality.joint1 = joint->id;
    equality.joint2 = other->id;
    equality.polycoef[0] = 0;
    equality.polycoef[1] = 1;
    tn_urdf_number(u, e, "offset", &equality.polycoef[0]);
    tn_urdf_number(u, e, "multiplier", &equality.polycoef[1]);
    equality.source = tn_xml_place(e);
    if (joint->id && other->id) tn_builder_add_equality(u->m->builder, &equality);
}

void tn_urdf_add_mimics(TnUrdf *u)
{
    for (const TnUrdfJoint *j = u->joints; j; j = j->next) {
        const TnXmlElement *e = tn_urdf_child(j->element, "mimic");
        if (e) add_mimic(u, j, e);
    }
}
