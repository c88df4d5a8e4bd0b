/* mjcf_actuator.c: actuators on joints, tendons, sites and slider-cranks: what they act on, and
 * their ranges. Their laws are in mjcf_gains.c. */
#include "mjcf.h"

#include <string.h>

static void read_joint(TnMjcf *m, const TnXmlElement *e, const char *attr, TnActuatorDef *actuator,
                       const double **range)
{
    const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_JOINT, e, attr);
    const TnJointDef *joint = name ? name->data : NULL;
    if (!joint) return;
    actuator->joint = name->id;
    actuator->in_parent = strcmp(attr, "jointinparent") == 0;
    *range = joint->range;
}

static void read_sites(TnMjcf *m, const TnXmlElement *e, TnActuatorDef *actuator)
{
    const TnMjcfName *site = tn_mjcf_refer(m, TN_NAMED_SITE, e, "site"),
                     *ref = tn_mjcf_refer(m, TN_NAMED_SITE, e, "refsite"),
                     *crank = tn_mjcf_refer(m, TN_NAMED_SITE, e, "cranksite"),
                     *slider = tn_mjcf_refer(m, TN_NAMED_SITE, e, "slidersite");
    if (tn_xml_attr(e, "refsite") && (!ref || !site)) return;
    actuator->site = site ? site->id : 0;
    actuator->ref_site = ref ? ref->id : 0;
    if (tn_xml_attr(e, "cranksite") && !tn_xml_attr(e, "slidersite"))
        tn_mjcf_error(m, e, "attribute 'slidersite' is missing");
    if (!crank || !slider) return;
    actuator->crank_site = crank->id;
    actuator->slider_site = slider->id;
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
        tn_mjcf_error(m, e, "attribute 'joint', 'tendon', 'site' or 'cranksite' is missing");
        return false;
    }
    if (strcmp(first, "body") == 0) {
        const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body");
        if (strcmp(e->name, "general") != 0 && strcmp(e->name, "adhesion") != 0) {
            tn_mjcf_error_attr(m, e, "body", "only adhesion and general act on bodies");
            return false;
        }
        actuator->body = name ? name->id : 0;
        return name != NULL;
    }
    if (strcmp(first, "tendon") == 0) {
        const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_TENDON, e, "tendon");
        const TnTendonDef *tendon = name ? name->data : NULL;
        actuator->tendon = name ? name->id : 0;
        if (tendon) *range = tendon->range;
    } else if (strncmp(first, "joint", 5) == 0) {
        read_joint(m, e, first, actuator, range);
    } else {
        read_sites(m, e, actuator);
    }
    return actuator->joint || actuator->tendon || actuator->site || actuator->crank_site;
}

/* Six numbers on sites, free and ball joints; elsewhere the first counts. */
static void read_gear(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator)
{
    actuator->wrench[0] = 1;
    tn_mjcf_reals(m, view, "gear", actuator->wrench, 6);
    actuator->gear = actuator->wrench[0];
    actuator->crank_length = tn_mjcf_real(m, view, "cranklength", 0);
    if (actuator->crank_site && !(actuator->crank_length > 0))
        tn_mjcf_error_attr(m, view->element, "cranklength", "cranklength must be positive");
}

/* Off by the flag, or with its group: it takes a control and gives no force. */
static bool is_off(TnMjcf *m, const TnMjcfView *view)
{
    int group = tn_mjcf_int(m, view, "group", 0);
    bool listed = group >= 0 && group <= 30 && (m->settings.disabled_groups >> group & 1);
    return !m->settings.actuation || listed;
}

/* Coefficients of the first power and the next two. */
static void read_damping(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator)
{
    double numbers[3] = {0, 0, 0};
    tn_mjcf_reals(m, view, "damping", numbers, 3);
    if (numbers[0] < 0)
        tn_mjcf_error_attr(m, view->element, "damping", "damping: it must not be negative");
    if (!m->settings.damper) return;
    actuator->damping = numbers[0];
    memcpy(actuator->damping_poly, numbers + 1, sizeof actuator->damping_poly);
}

static void read_actuator(TnMjcf *m, const TnXmlElement *e)
{
    bool plugin = strcmp(e->name, "plugin") == 0; /* has children */
    if (!(plugin ? tn_mjcf_check : tn_mjcf_check_leaf)(m, TN_GROUP_ACTUATOR, e)) return;
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, TN_MJCF_ACTUATORS);
    TnActuatorDef actuator = tn_actuator_def();
    actuator.source = tn_xml_place(e);
    actuator.name = tn_mjcf_text(&view, "name");
    const double *range = NULL;
    bool good = read_target(m, e, &actuator, &range);
    if (good) read_gear(m, &view, &actuator);
    if (plugin)
        tn_mjcf_read_pid(m, &view, &actuator);
    else
        tn_mjcf_read_gains(m, &view, range, &actuator);
    actuator.force_limited =
        tn_mjcf_limited(m, &view, "forcelimited", "forcerange", actuator.force_range);
    read_damping(m, &view, &actuator);
    actuator.armature = tn_mjcf_real(m, &view, "armature", 0);
    if (is_off(m, &view)) {
        actuator.gain = actuator.gain_length = actuator.gain_velocity = actuator.damping_ratio = 0;
        actuator.muscle_gain = actuator.muscle_bias = false;
        memset(actuator.bias, 0, sizeof actuator.bias);
    }
    TnActuatorId id = good ? tn_builder_add_actuator(m->builder, &actuator) : 0;
    tn_mjcf_name_add(m, TN_NAMED_ACTUATOR, e, actuator.name, id, NULL);
    m->actuator_count++;
    m->act_count += actuator.activation == TN_ACTIVATION_PID
                        ? (actuator.pid.ki > 0) + (actuator.pid.slew_max > 0)
                        : actuator.activation != TN_ACTIVATION_NONE;
}

void tn_mjcf_read_actuators(TnMjcf *m) { tn_mjcf_each_child(m, "actuator", read_actuator); }
