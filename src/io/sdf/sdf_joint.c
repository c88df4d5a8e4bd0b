/* sdf_joint.c: joints of SDF.
 *
 *   revolute, continuous   a hinge          universal, revolute2   two hinges, the second NAME_2
 *   prismatic              a slide          ball                   a ball
 *   fixed                  none
 * An axis stands in the joint's axes, in those of the frame that expressed_in names, or before SDF
 * 1.5 in those of the model. */
#include "sdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ENDLESS 1e15 /* rad or m: what files write for no limit */

/* ---- from the file ---- */

void tn_sdf_read_joint(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e)
{
    static const char words[] = "fixed revolute continuous prismatic ball universal revolute2";
    tn_sdf_expect(s, e, "pose parent child axis axis2");
    TnSdfJoint *joint = TN_IO_NEW(&s->m->pool, TnSdfJoint);
    const char *name = tn_urdf_text(e, "name"), *type = tn_urdf_text(e, "type");
    int index = type ? tn_mjcf_word_index(words, type) : -1;
    if (!joint) return;
    if (!name) tn_mjcf_error(s->m, e, "attribute 'name' is missing");
    if (!type)
        tn_mjcf_error(s->m, e, "attribute 'type' is missing: one of %s", words);
    else if (index < 0)
        tn_mjcf_error_attr(s->m, e, "type", "type must be one of: %s; it is '%.60s'", words, type);
    static const char *const ends[] = {"parent", "child"};
    for (int i = 0; i < 2; i++)
        if (!tn_sdf_text(s, e, ends[i]))
            tn_mjcf_error(s->m, e, "a joint needs <%s> with the name of a link", ends[i]);
    size_t room = strlen(scope->prefix) + (name ? strlen(name) : 0) + 1;
    char *full = tn_io_alloc(&s->m->pool, room);
    if (!name || index < 0 || !full) return;
    snprintf(full, room, "%s%s", scope->prefix, name);
    *joint = (TnSdfJoint){.frame = {.kind = TN_SDF_JOINT,
                                    .element = e,
                                    .name = full,
                                    .scope = scope,
                                    .pose = tn_urdf_child(e, "pose"),
                                    .pose_scope = scope},
                          .type = (TnSdfJointType)index};
    if (!tn_mjcf_name_add(s->m, TN_NAMED_JOINT, e, full, 0, &joint->frame)) return;
    if (s->last_joint)
        s->last_joint->next = joint;
    else
        s->joints = joint;
    s->last_joint = joint;
}

static bool is_scalar(const TnSdfJoint *joint)
{
    return joint->type == TN_SDF_REVOLUTE || joint->type == TN_SDF_CONTINUOUS ||
           joint->type == TN_SDF_PRISMATIC;
}

/* A number, or infinity. */
static double read_end(TnSdf *s, const TnXmlElement *limit, const char *name, double otherwise)
{
    const char *text = tn_sdf_text(s, limit, name);
    double value = otherwise;
    if (!text) return otherwise;
    if (strcmp(text, "inf") == 0 || strcmp(text, "+inf") == 0) return INFINITY;
    if (strcmp(text, "-inf") == 0) return -INFINITY;
    return tn_sdf_numbers(s, limit, name, &value, 1) ? value : otherwise;
}

/* Both limits of a joint are 0, as files lock it. */
static bool is_locked(TnSdf *s, const TnSdfJoint *joint)
{
    const TnXmlElement *axis = tn_urdf_child(joint->frame.element, "axis");
    const TnXmlElement *limit = axis ? tn_urdf_child(axis, "limit") : NULL;
    return is_scalar(joint) && joint->type != TN_SDF_CONTINUOUS && limit &&
           read_end(s, limit, "lower", -INFINITY) == 0 &&
           read_end(s, limit, "upper", INFINITY) == 0;
}

bool tn_sdf_is_fixed(TnSdf *s, const TnSdfJoint *joint)
{
    return joint->type == TN_SDF_FIXED || is_locked(s, joint);
}

/* ---- into the builder ---- */

static void read_axis(TnSdf *s, TnSdfJoint *joint, const TnXmlElement *axis, double out[3])
{
    TnSdfScope *scope = joint->frame.scope;
    TnSdfFrame *frame = &joint->frame;
    double xyz[3] = {0, 0, 1}, turned[3];
    const TnXmlElement *e = tn_urdf_child(axis, "xyz");
    const char *name = e ? tn_urdf_text(e, "expressed_in") : NULL;
    if (e) tn_sdf_own_numbers(s, e, xyz, 3);
    bool of_model = tn_sdf_flag(s, axis, "use_parent_model_frame", scope->version < 1.45);
    if (name) frame = tn_sdf_refer(s, scope, e, name);
    if (!name && of_model) frame = &scope->frame;
    if (!frame) return;
    if (!(xyz[0] * xyz[0] + xyz[1] * xyz[1] + xyz[2] * xyz[2] > 1e-28))
        tn_mjcf_error(s->m, e ? e : axis, "axis has length zero");
    TnMjcfPose from = tn_sdf_world(s, frame), to = tn_sdf_world(s, &joint->child->frame);
    TnMjcfPose back = tn_mjcf_inverse(&to);
    tn_mjcf_rotate(from.quat, xyz, turned);
    tn_mjcf_rotate(back.quat, turned, out);
}

static void read_limit(TnSdf *s, const TnSdfJoint *joint, const TnXmlElement *axis, TnJointDef *def)
{
    const TnXmlElement *e = tn_urdf_child(axis, "limit");
    if (!e) return;
    tn_sdf_expect(s, e, "lower upper effort velocity stiffness dissipation");
    double lower = read_end(s, e, "lower", -INFINITY), upper = read_end(s, e, "upper", INFINITY);
    double effort = read_end(s, e, "effort", INFINITY);
    bool bounded = lower > -ENDLESS || upper < ENDLESS;
    if (joint->type != TN_SDF_CONTINUOUS && bounded) {
        def->limited = lower < upper;
        if (!def->limited) tn_mjcf_remark(s->m, TN_REMARK_URDF_LIMIT, tn_xml_place(e), e->name);
        def->range[0] = def->limited ? fmax(lower, -ENDLESS) : 0;
        def->range[1] = def->limited ? fmin(upper, ENDLESS) : 0;
    }
    if (effort >= 0 && effort < ENDLESS) { /* negative: none */
        def->actuator_limited = true;
        def->actuator_range[0] = effort > 0 ? -effort : 0;
        def->actuator_range[1] = effort;
    }
    double speed = read_end(s, e, "velocity", INFINITY);
    if (speed >= 0 && speed < ENDLESS)
        tn_mjcf_remark(s->m, TN_REMARK_URDF_VELOCITY, tn_xml_place(e), e->name);
}

static void read_dynamics(TnSdf *s, const TnXmlElement *axis, TnJointDef *def)
{
    const TnXmlElement *e = tn_urdf_child(axis, "dynamics");
    if (!e) return;
    tn_sdf_expect(s, e, "damping friction spring_reference spring_stiffness");
    tn_sdf_numbers(s, e, "damping", &def->damping, 1);
    tn_sdf_numbers(s, e, "friction", &def->friction_loss, 1);
    tn_sdf_numbers(s, e, "spring_reference", &def->spring_ref, 1);
    tn_sdf_numbers(s, e, "spring_stiffness", &def->stiffness, 1);
}

static TnJointDef start_def(TnSdf *s, TnSdfJoint *joint)
{
    TnJointDef def = tn_joint_def();
    TnMjcfPose own = tn_sdf_world(s, &joint->child->frame), back = tn_mjcf_inverse(&own);
    TnMjcfPose pose = tn_sdf_world(s, &joint->frame);
    pose = tn_mjcf_compose(&back, &pose);
    def.name = joint->frame.name;
    def.body = joint->child->body;
    memcpy(def.pos, pose.pos, sizeof def.pos);
    def.source = tn_xml_place(joint->frame.element);
    return def;
}

static TnJointId add_axis(TnSdf *s, TnSdfJoint *joint, const char *which, const char *ending)
{
    const TnXmlElement *axis = tn_urdf_child(joint->frame.element, which);
    char name[512];
    TnJointDef def = start_def(s, joint);
    if (!axis) {
        tn_mjcf_error(s->m, joint->frame.element, "joint '%.60s' needs <%s>", joint->frame.name,
                      which);
        return 0;
    }
    tn_sdf_expect(s, axis, "xyz limit dynamics mimic use_parent_model_frame initial_position");
    snprintf(name, sizeof name, "%.400s%s", joint->frame.name, ending);
    def.name = name;
    def.type = joint->type == TN_SDF_PRISMATIC ? TN_JOINT_SLIDE : TN_JOINT_HINGE;
    read_axis(s, joint, axis, def.axis);
    read_limit(s, joint, axis, &def);
    read_dynamics(s, axis, &def);
    return s->m->err.count ? 0 : tn_builder_add_joint(s->m->builder, &def);
}

void tn_sdf_add_joint(TnSdf *s, TnSdfJoint *joint)
{
    if (joint->type == TN_SDF_FIXED) return;
    if (is_locked(s, joint)) {
        tn_mjcf_remark(s->m, TN_REMARK_SDF_LOCKED, tn_xml_place(joint->frame.element), "joint");
        return;
    }
    if (joint->type == TN_SDF_BALL) {
        TnJointDef def = start_def(s, joint);
        const TnXmlElement *axis = tn_urdf_child(joint->frame.element, "axis");
        def.type = TN_JOINT_BALL;
        if (axis) read_dynamics(s, axis, &def);
        joint->ids[0] = tn_builder_add_joint(s->m->builder, &def);
        return;
    }
    joint->ids[0] = add_axis(s, joint, "axis", "");
    if (joint->type == TN_SDF_UNIVERSAL || joint->type == TN_SDF_REVOLUTE2)
        joint->ids[1] = add_axis(s, joint, "axis2", "_2");
}

/* ---- mimic: q = multiplier (q_other - reference) + offset ---- */

static void add_mimic(TnSdf *s, TnSdfJoint *joint, const TnXmlElement *e, TnJointId id)
{
    const char *name = tn_urdf_text(e, "joint"), *axis = tn_urdf_text(e, "axis");
    double multiplier = 1, offset = 0, reference = 0;
    tn_sdf_expect(s, e, "multiplier offset reference");
    TnSdfFrame *frame = name ? tn_sdf_refer(s, joint->frame.scope, e, name) : NULL;
    if (!name) tn_mjcf_error(s->m, e, "attribute 'joint' is missing: the joint to follow");
    if (frame && frame->kind != TN_SDF_JOINT)
        tn_mjcf_error(s->m, e, "'%.60s' is no joint that could be followed", name);
    if (!frame || frame->kind != TN_SDF_JOINT) return;
    const TnSdfJoint *other = (const TnSdfJoint *)frame;
    if (other->type == TN_SDF_BALL) {
        tn_mjcf_error(s->m, e, "a ball joint has no single coordinate that could be followed");
        return;
    }
    TnEqualityDef equality = tn_equality_def();
    equality.type = TN_EQUALITY_JOINT;
    equality.joint1 = id;
    equality.joint2 = other->ids[axis && strcmp(axis, "axis2") == 0];
    tn_sdf_numbers(s, e, "multiplier", &multiplier, 1);
    tn_sdf_numbers(s, e, "offset", &offset, 1);
    tn_sdf_numbers(s, e, "reference", &reference, 1);
    equality.polycoef[0] = offset - multiplier * reference;
    equality.polycoef[1] = multiplier;
    equality.source = tn_xml_place(e);
    if (!equality.joint2)
        tn_mjcf_error(s->m, e, "joint '%.60s' has no such axis that moves", name);
    else
        tn_builder_add_equality(s->m->builder, &equality);
}

void tn_sdf_add_mimics(TnSdf *s)
{
    static const char *const axes[] = {"axis", "axis2"};
    for (TnSdfJoint *j = s->joints; j; j = j->next)
        for (int i = 0; i < 2; i++) {
            const TnXmlElement *axis = tn_urdf_child(j->frame.element, axes[i]);
            const TnXmlElement *mimic = axis ? tn_urdf_child(axis, "mimic") : NULL;
            if (mimic && j->ids[i]) add_mimic(s, j, mimic, j->ids[i]);
        }
}
