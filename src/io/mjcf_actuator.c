/* mjcf_actuator.c: general, motor, position and velocity actuators on hinge and slide joints and on
 * tendons.
 *
 * force = gain · ctrl + bias0 + bias1 · length + bias2 · velocity. All kinds share one record of
 * defaults, and each short form writes its gains into it:
 *
 *   motor     gain 1,  no bias
 *   position  gain kp, bias (0, -kp, -kv); a damping ratio stands in the place of -kv, and its sign
 *             tells it
 *   velocity  gain kv, bias (0, 0, -kv)
 *
 * kp and kv that an element leaves open come from the nearest class whose record was last written
 * by the same kind or by `general`; another short form's gains mean something else. */
#include "mjcf.h"

#include <string.h>

#define ALL_KINDS                                                                                  \
    "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor pid "     \
    "orientation"

typedef enum Kind { KIND_GENERAL, KIND_MOTOR, KIND_POSITION, KIND_VELOCITY, KIND_OTHER } Kind;

typedef struct Gains {
    Kind kind; /* who wrote last */
    double gain, bias[3];
    bool affine;
} Gains;

static const Gains start = {KIND_GENERAL, 1, {0, 0, 0}, false};

static Kind kind_of(const TnXmlElement *e)
{
    int index = tn_mjcf_word_index("general motor position velocity", e->name);
    return index >= 0 ? (Kind)index : KIND_OTHER;
}

/* What one element writes onto a record. */
static Gains apply(TnMjcf *m, const TnXmlElement *e, Gains g)
{
    TnMjcfView own = tn_mjcf_plain_view(e);
    g.kind = kind_of(e);
    switch (g.kind) {
    case KIND_GENERAL:
        tn_mjcf_reals(m, &own, "gainprm", &g.gain, 1);
        tn_mjcf_reals(m, &own, "biasprm", g.bias, 3);
        g.affine = tn_mjcf_word(&own, "biastype", "none affine muscle user", g.affine) == 1;
        break;
    case KIND_MOTOR:
        g = (Gains){KIND_MOTOR, 1, {0, 0, 0}, false};
        break;
    case KIND_POSITION:
        g.gain = tn_mjcf_real(m, &own, "kp", g.gain);
        g.bias[0] = 0;
        g.bias[1] = -g.gain;
        g.bias[2] = -tn_mjcf_real(m, &own, "kv", -g.bias[2]);
        if (tn_xml_attr(e, "dampratio")) g.bias[2] = tn_mjcf_real(m, &own, "dampratio", 0);
        g.affine = true;
        break;
    case KIND_VELOCITY:
        g.gain = tn_mjcf_real(m, &own, "kv", g.gain);
        g.bias[0] = g.bias[1] = 0;
        g.bias[2] = -g.gain;
        g.affine = true;
        break;
    case KIND_OTHER:
        break;
    }
    return g;
}

static Gains base_for(TnMjcf *m, Kind kind, const TnMjcfClass *c);

static bool fits(Kind written_by, Kind reader)
{
    return reader == KIND_GENERAL || written_by == KIND_GENERAL || written_by == reader;
}

static Gains class_gains(TnMjcf *m, const TnMjcfClass *c)
{
    Gains g = c->parent ? class_gains(m, c->parent) : start;
    for (const TnMjcfSection *s = c->sections; s; s = s->next)
        for (const TnXmlElement *e = s->element->first; e; e = e->next) {
            if (tn_mjcf_word_index(ALL_KINDS, e->name) < 0) continue;
            Kind kind = kind_of(e);
            g = apply(m, e, fits(g.kind, kind) ? g : base_for(m, kind, c->parent));
        }
    return g;
}

static Gains base_for(TnMjcf *m, Kind kind, const TnMjcfClass *c)
{
    for (; c; c = c->parent) {
        Gains g = class_gains(m, c);
        if (fits(g.kind, kind)) return g;
    }
    return start;
}

static void read_joint(TnMjcf *m, const TnXmlElement *e, const char *attr, TnActuatorDef *actuator,
                       const double **range)
{
    const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_JOINT, e, attr);
    const TnJointDef *joint = name ? name->data : NULL;
    if (!joint) return;
    if (joint->type != TN_JOINT_HINGE && joint->type != TN_JOINT_SLIDE) {
        tn_mjcf_error_attr(m, e, attr, "actuators on free and ball joints are not supported yet");
        return;
    }
    actuator->joint = name->id;
    *range = joint->range;
}

/* The joint or tendon it acts on, and that one's range. False after an error. */
static bool read_target(TnMjcf *m, const TnXmlElement *e, TnActuatorDef *actuator,
                        const double **range)
{
    static const char *const targets[] = {"joint", "jointinparent", "tendon",
                                          "site",  "body",          "cranksite"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (!tn_xml_attr(e, targets[i])) continue;
        if (first) {
            tn_mjcf_error_attr(m, e, targets[i], "%s and %s cannot both be given", first,
                               targets[i]);
            return false;
        }
        first = targets[i];
    }
    if (!first) {
        tn_mjcf_error(m, e, "attribute 'joint' or 'tendon' is missing");
        return false;
    }
    if (strcmp(first, "tendon") == 0) {
        const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_TENDON, e, "tendon");
        const TnTendonDef *tendon = name ? name->data : NULL;
        actuator->tendon = name ? name->id : 0;
        if (tendon) *range = tendon->range;
    } else if (strncmp(first, "joint", 5) == 0) {
        read_joint(m, e, first, actuator, range);
    } /* the others are refused by the rule; nothing more need be said */
    return actuator->joint || actuator->tendon;
}

/* The control range as the joint's or tendon's range, scaled about its middle. */
static void inherit_range(TnMjcf *m, const TnMjcfView *view, const double *range,
                          TnActuatorDef *actuator)
{
    double scale = tn_mjcf_real(m, view, "inheritrange", 0);
    if (scale == 0) return;
    if (tn_mjcf_has(view, "ctrlrange")) {
        tn_mjcf_error_attr(m, view->element, "inheritrange",
                           "ctrlrange and inheritrange cannot both be given");
        return;
    }
    if (!range || !(range[0] < range[1])) {
        if (range)
            tn_mjcf_error_attr(m, view->element, "inheritrange",
                               "inheritrange needs a joint or tendon with a range");
        return;
    }
    double middle = 0.5 * (range[0] + range[1]);
    double half = 0.5 * (range[1] - range[0]) * scale;
    actuator->ctrl_range[0] = middle - half;
    actuator->ctrl_range[1] = middle + half;
    actuator->ctrl_limited =
        tn_mjcf_word(view, "ctrllimited", "false true auto", TN_TRI_AUTO) != TN_TRI_FALSE;
}

static void read_gear(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator)
{
    double gear[6] = {1, 0, 0, 0, 0, 0};
    tn_mjcf_reals(m, view, "gear", gear, 6);
    actuator->gear = gear[0];
    for (int i = 1; i < 6; i++)
        if (gear[i] != 0) {
            tn_mjcf_error_attr(
                m, view->element, "gear",
                "gear: only the first number may differ from 0 on a hinge, slide or tendon");
            return;
        }
}

static void read_gains(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator)
{
    const TnXmlElement *e = view->element;
    Gains g = apply(m, e, base_for(m, kind_of(e), view->class_));
    int bias_type = tn_mjcf_word(view, "biastype", "none affine muscle user", 0);
    if (g.kind == KIND_GENERAL && bias_type > 1)
        tn_mjcf_error_attr(m, e, "biastype", "only biastype none and affine are supported");
    if (tn_xml_attr(e, "kv") && tn_xml_attr(e, "dampratio"))
        tn_mjcf_error_attr(m, e, "dampratio", "kv and dampratio cannot both be given");
    actuator->gain = g.gain;
    for (int i = 0; i < 3; i++) actuator->bias[i] = g.affine ? g.bias[i] : 0;
    /* As in MuJoCo, a positive velocity bias of whatever looks like a position servo is a damping
     * ratio. */
    if (actuator->bias[1] == -g.gain && actuator->bias[2] > 0) {
        actuator->damping_ratio = actuator->bias[2];
        actuator->bias[2] = 0;
    }
}

/* Off by the flag, or with its group: it takes a control and gives no force. */
static bool is_off(TnMjcf *m, const TnMjcfView *view)
{
    int group = tn_mjcf_int(m, view, "group", 0);
    bool listed = group >= 0 && group <= 30 && (m->settings.disabled_groups >> group & 1);
    return !m->settings.actuation || listed;
}

static void read_actuator(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_ACTUATOR, e)) return;
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, ALL_KINDS);
    TnActuatorDef actuator = tn_actuator_def();
    actuator.source = tn_xml_place(e);
    actuator.name = tn_mjcf_text(&view, "name");
    const double *range = NULL;
    bool good = read_target(m, e, &actuator, &range);
    if (good) read_gear(m, &view, &actuator);
    read_gains(m, &view, &actuator);
    actuator.ctrl_limited =
        tn_mjcf_limited(m, &view, "ctrllimited", "ctrlrange", actuator.ctrl_range);
    actuator.force_limited =
        tn_mjcf_limited(m, &view, "forcelimited", "forcerange", actuator.force_range);
    inherit_range(m, &view, range, &actuator);
    if (is_off(m, &view)) {
        actuator.gain = actuator.damping_ratio = 0;
        memset(actuator.bias, 0, sizeof actuator.bias);
    }
    if (!m->settings.clamp_ctrl) actuator.ctrl_limited = false;
    TnActuatorId id = good ? tn_builder_add_actuator(m->builder, &actuator) : 0;
    tn_mjcf_name_add(m, TN_NAMED_ACTUATOR, e, actuator.name, id, NULL);
    m->actuator_count++;
}

void tn_mjcf_read_actuators(TnMjcf *m) { tn_mjcf_each_child(m, "actuator", read_actuator); }
