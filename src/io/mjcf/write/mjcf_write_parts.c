/* mjcf_write_parts.c: sections that refer to bodies and their parts: contact, equality, tendon,
 * actuator. */
#include "mjcf_write.h"

#include <math.h>
#include <string.h>

/* ---- contact ---- */

static void write_pair(TnWriter *w, int i)
{
    const TnPairDef *pair = &w->d.pairs[i];
    double larger = 0; /* the reader takes the larger restitution of the two geoms */
    const TnGeomId geoms[2] = {pair->geom1, pair->geom2};
    for (int k = 0; k < 2; k++)
        if (geoms[k] >= 1 && geoms[k] <= w->d.geom_count)
            larger = fmax(larger, w->d.geoms[geoms[k] - 1].restitution);
    if (larger != pair->restitution)
        tn_write_error(w, "pair", NULL, i + 1, pair->source,
                       "MJCF has no restitution of a pair of its own; its geoms must have it");
    const double *across = pair->friction_across;
    const double friction[5] = {pair->friction[0], across[0] < 0 ? pair->friction[0] : across[0],
                                pair->friction[1], pair->friction[2],
                                across[1] < 0 ? pair->friction[2] : across[1]};
    tn_write_open(w, "pair");
    tn_write_text(w, "geom1", tn_write_name(w, TN_WRITTEN_GEOM, pair->geom1));
    tn_write_text(w, "geom2", tn_write_name(w, TN_WRITTEN_GEOM, pair->geom2));
    tn_write_int(w, "condim", pair->contact_dim);
    tn_write_reals(w, "friction", friction, 5);
    if (pair->margin != 0) tn_write_real(w, "margin", pair->margin);
    tn_write_close(w);
}

void tn_write_contacts(TnWriter *w)
{
    if (w->d.pair_count + w->d.exclude_count == 0) return;
    tn_write_open(w, "contact");
    tn_write_inner(w);
    for (int i = 0; i < w->d.pair_count; i++) write_pair(w, i);
    for (int i = 0; i < w->d.exclude_count; i++) {
        tn_write_open(w, "exclude");
        tn_write_text(w, "body1", tn_write_name(w, TN_WRITTEN_BODY, w->d.excludes[i].body1));
        tn_write_text(w, "body2", tn_write_name(w, TN_WRITTEN_BODY, w->d.excludes[i].body2));
        tn_write_close(w);
    }
    tn_write_end(w, "contact");
}

/* ---- equality ---- */

static void write_equality(TnWriter *w, int i)
{
    static const char *const elements[] = {"connect", "weld", "joint",
                                           "tendon"}; /* of TnEqualityType */
    static const TnField fields[] = {
        TN_BOOL(TnEqualityDef, "active", active),
    };
    const TnEqualityDef *e = &w->d.equalities[i], usual = tn_equality_def();
    if ((size_t)e->type >= sizeof elements / sizeof elements[0]) {
        tn_write_error(w, "equality", e->name, i + 1, e->source,
                       "equalities of type %d are not written yet", (int)e->type);
        return;
    }
    tn_write_open(w, elements[e->type]);
    tn_write_text(w, "name", e->name);
    if (e->type == TN_EQUALITY_JOINT) {
        tn_write_text(w, "joint1", tn_write_name(w, TN_WRITTEN_JOINT, e->joint1));
        tn_write_text(w, "joint2", tn_write_name(w, TN_WRITTEN_JOINT, e->joint2));
        tn_write_reals(w, "polycoef", e->polycoef, 5);
    } else if (e->type == TN_EQUALITY_TENDON) {
        tn_write_text(w, "tendon1", tn_write_name(w, TN_WRITTEN_TENDON, e->tendon1));
        tn_write_text(w, "tendon2", tn_write_name(w, TN_WRITTEN_TENDON, e->tendon2));
        tn_write_reals(w, "polycoef", e->polycoef, 5);
    } else if (e->site1) {
        tn_write_text(w, "site1", tn_write_name(w, TN_WRITTEN_SITE, e->site1));
        tn_write_text(w, "site2", tn_write_name(w, TN_WRITTEN_SITE, e->site2));
    } else {
        tn_write_text(w, "body1", tn_write_name(w, TN_WRITTEN_BODY, e->body1));
        tn_write_text(w, "body2", tn_write_name(w, TN_WRITTEN_BODY, e->body2));
        tn_write_reals(w, "anchor", e->anchor, 3);
    }
    if (e->type == TN_EQUALITY_WELD && e->has_relpose && !e->site1) {
        double pose[7];
        memcpy(pose, e->relpos, sizeof e->relpos);
        memcpy(pose + 3, e->relquat, sizeof e->relquat);
        tn_write_reals(w, "relpose", pose, 7);
    }
    TN_WRITE_FIELDS(w, fields, e, &usual);
    tn_write_close(w);
}

void tn_write_equalities(TnWriter *w)
{
    if (w->d.equality_count == 0) return;
    tn_write_open(w, "equality");
    tn_write_inner(w);
    for (int i = 0; i < w->d.equality_count; i++) write_equality(w, i);
    tn_write_end(w, "equality");
}

/* ---- tendon ---- */

static void write_point(TnWriter *w, const TnTendonPoint *point)
{
    static const char *const elements[] = {"site", "geom", "pulley"}; /* of TnTendonPointType */
    tn_write_open(w, elements[point->type]);
    if (point->type == TN_TENDON_SITE)
        tn_write_text(w, "site", tn_write_name(w, TN_WRITTEN_SITE, point->site));
    if (point->type == TN_TENDON_GEOM) {
        tn_write_text(w, "geom", tn_write_name(w, TN_WRITTEN_GEOM, point->geom));
        tn_write_text(w, "sidesite", tn_write_name(w, TN_WRITTEN_SITE, point->side));
    }
    if (point->type == TN_TENDON_PULLEY) tn_write_real(w, "divisor", point->divisor);
    tn_write_close(w);
}

static void write_tendon(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REAL(TnTendonDef, "stiffness", stiffness),
        TN_REAL(TnTendonDef, "damping", damping),
        TN_REAL(TnTendonDef, "frictionloss", friction_loss),
        TN_REAL(TnTendonDef, "armature", armature),
        TN_REAL(TnTendonDef, "width", width),
    };
    const TnTendonDef *tendon = &w->d.tendons[i], usual = tn_tendon_def();
    const char *element = tendon->point_count ? "spatial" : "fixed";
    tn_write_open(w, element);
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_TENDON, i + 1));
    TN_WRITE_FIELDS(w, fields, tendon, &usual);
    tn_write_limit(w, "limited", "range", tendon->limited, tendon->range);
    tn_write_limit(w, "actuatorfrclimited", "actuatorfrcrange", tendon->actuator_limited,
                   tendon->actuator_range);
    if (tendon->has_spring_length) {
        const double band[2] = {tendon->spring_length, tendon->spring_length + tendon->dead_band};
        tn_write_reals(w, "springlength", band, tendon->dead_band > 0 ? 2 : 1);
        if (tendon->spring_length == -1 && tendon->dead_band == 0)
            tn_write_error(w, "tendon", tendon->name, i + 1, tendon->source,
                           "a springlength of -1 means none in MJCF");
    }
    if (memcmp(tendon->rgba, usual.rgba, sizeof usual.rgba) != 0)
        tn_write_reals(w, "rgba", tendon->rgba, 4);
    tn_write_inner(w);
    for (int k = 0; k < tendon->joint_count; k++) {
        tn_write_open(w, "joint");
        tn_write_text(w, "joint", tn_write_name(w, TN_WRITTEN_JOINT, tendon->joints[k].joint));
        tn_write_real(w, "coef", tendon->joints[k].coef);
        tn_write_close(w);
    }
    for (int k = 0; k < tendon->point_count; k++) write_point(w, &tendon->points[k]);
    tn_write_end(w, element);
}

void tn_write_tendons(TnWriter *w)
{
    if (w->d.tendon_count == 0) return;
    tn_write_open(w, "tendon");
    tn_write_inner(w);
    for (int i = 0; i < w->d.tendon_count; i++) write_tendon(w, i);
    tn_write_end(w, "tendon");
}

/* ---- actuator ---- */

/* On a site, or a free or ball joint. */
static bool uses_wrench(const TnWriter *w, const TnActuatorDef *a)
{
    if (a->joint < 1 || a->joint > w->d.joint_count) return a->site != 0;
    TnJointType type = w->d.joints[a->joint - 1].type;
    return type == TN_JOINT_FREE || type == TN_JOINT_BALL;
}

static void write_muscle(TnWriter *w, const char *attr, const TnMuscle *m)
{
    tn_write_reals(w, attr,
                   (double[9]){m->range[0], m->range[1], m->force, m->scale, m->lmin, m->lmax,
                               m->vmax, m->fpmax, m->fvmax},
                   9);
}

static void write_gain(TnWriter *w, const TnActuatorDef *a)
{
    const double gain[3] = {a->gain, a->gain_length, a->gain_velocity};
    bool affine = gain[1] != 0 || gain[2] != 0;
    if (a->muscle_gain) {
        tn_write_text(w, "gaintype", "muscle");
        write_muscle(w, "gainprm", &a->muscle);
    } else if (affine) {
        tn_write_text(w, "gaintype", "affine");
        tn_write_reals(w, "gainprm", gain, 3);
    } else if (gain[0] != 1) {
        tn_write_real(w, "gainprm", gain[0]);
    }
}

/* The sign of a velocity bias tells a damping ratio from a damping, as in MuJoCo. */
static void write_bias(TnWriter *w, const TnActuatorDef *a, int i)
{
    bool ratio = a->damping_ratio > 0;
    const double bias[3] = {a->bias[0], a->bias[1], ratio ? a->damping_ratio : a->bias[2]};
    bool fixed = !a->muscle_gain && a->gain_length == 0 && a->gain_velocity == 0;
    bool taken_so = fixed && !a->muscle_bias && bias[1] == -a->gain && bias[2] > 0;
    if (ratio != taken_so)
        tn_write_error(w, "actuator", a->name, i + 1, a->source,
                       "MJCF takes a positive velocity bias of a position servo for a damping "
                       "ratio, and has no other damping ratio");
    if (a->muscle_bias) {
        tn_write_text(w, "biastype", "muscle");
        write_muscle(w, "biasprm", &a->passive);
    } else if (bias[0] != 0 || bias[1] != 0 || bias[2] != 0) {
        tn_write_text(w, "biastype", "affine");
        tn_write_reals(w, "biasprm", bias, 3);
    }
}

static void write_target(TnWriter *w, const TnActuatorDef *a, int i)
{
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_ACTUATOR, i + 1));
    tn_write_text(w, a->in_parent ? "jointinparent" : "joint",
                  tn_write_name(w, TN_WRITTEN_JOINT, a->joint));
    tn_write_text(w, "tendon", tn_write_name(w, TN_WRITTEN_TENDON, a->tendon));
    tn_write_text(w, "body", tn_write_name(w, TN_WRITTEN_BODY, a->body));
    tn_write_text(w, "site", tn_write_name(w, TN_WRITTEN_SITE, a->site));
    tn_write_text(w, "refsite", tn_write_name(w, TN_WRITTEN_SITE, a->ref_site));
    tn_write_text(w, "cranksite", tn_write_name(w, TN_WRITTEN_SITE, a->crank_site));
    tn_write_text(w, "slidersite", tn_write_name(w, TN_WRITTEN_SITE, a->slider_site));
    if (a->crank_length != 0) tn_write_real(w, "cranklength", a->crank_length);
    if (uses_wrench(w, a))
        tn_write_reals(w, "gear", a->wrench, 6);
    else if (a->gear != 1)
        tn_write_real(w, "gear", a->gear);
    if (a->damping_poly[0] != 0 || a->damping_poly[1] != 0)
        tn_write_reals(w, "damping",
                       (double[3]){a->damping, a->damping_poly[0], a->damping_poly[1]}, 3);
    else if (a->damping != 0)
        tn_write_real(w, "damping", a->damping);
    if (a->armature != 0) tn_write_real(w, "armature", a->armature);
}

static void write_config(TnWriter *w, const char *key, double value)
{
    if (value == 0) return;
    tn_write_open(w, "config");
    tn_write_text(w, "key", key);
    tn_write_real(w, "value", value);
    tn_write_close(w);
}

/* A controller is a plugin in MJCF. */
static void write_pid(TnWriter *w, const TnActuatorDef *a, int i)
{
    int acts = (a->pid.ki > 0) + (a->pid.slew_max > 0);
    tn_write_open(w, "plugin");
    write_target(w, a, i);
    tn_write_text(w, "plugin", "mujoco.pid");
    if (acts) tn_write_real(w, "actdim", acts);
    if (a->activation_early) tn_write_text(w, "actearly", "true");
    tn_write_limit(w, "ctrllimited", "ctrlrange", a->ctrl_limited, a->ctrl_range);
    tn_write_limit(w, "forcelimited", "forcerange", a->force_limited, a->force_range);
    tn_write_inner(w);
    write_config(w, "kp", a->pid.kp);
    write_config(w, "ki", a->pid.ki);
    write_config(w, "kd", a->pid.kd);
    write_config(w, "imax", a->pid.integral_max);
    write_config(w, "slewmax", a->pid.slew_max);
    tn_write_end(w, "plugin");
}

static void write_actuator(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_WORDS(TnActuatorDef, "dyntype", activation, "none integrator filter filterexact muscle"),
        TN_REALS(TnActuatorDef, "dynprm", time_constants, 3),
        TN_BOOL(TnActuatorDef, "actearly", activation_early),
        TN_REALS(TnActuatorDef, "lengthrange", length_range, 2),
    };
    const TnActuatorDef *a = &w->d.actuators[i], usual = tn_actuator_def();
    if (a->activation == TN_ACTIVATION_PID) {
        write_pid(w, a, i);
        return;
    }
    tn_write_open(w, "general");
    write_target(w, a, i);
    TN_WRITE_FIELDS(w, fields, a, &usual);
    write_gain(w, a);
    write_bias(w, a, i);
    tn_write_limit(w, "ctrllimited", "ctrlrange", a->ctrl_limited, a->ctrl_range);
    tn_write_limit(w, "forcelimited", "forcerange", a->force_limited, a->force_range);
    tn_write_limit(w, "actlimited", "actrange", a->activation_limited, a->activation_range);
    tn_write_close(w);
}

void tn_write_actuators(TnWriter *w)
{
    bool controllers = false;
    if (w->d.actuator_count == 0) return;
    for (int i = 0; i < w->d.actuator_count; i++)
        controllers |= w->d.actuators[i].activation == TN_ACTIVATION_PID;
    if (controllers) {
        tn_write_open(w, "extension");
        tn_write_inner(w);
        tn_write_open(w, "plugin");
        tn_write_text(w, "plugin", "mujoco.pid");
        tn_write_close(w);
        tn_write_end(w, "extension");
    }
    tn_write_open(w, "actuator");
    tn_write_inner(w);
    for (int i = 0; i < w->d.actuator_count; i++) write_actuator(w, i);
    tn_write_end(w, "actuator");
}
