/* mjcf_write_parts.c: sections that refer to bodies and their parts: contact, equality, tendon,
 * actuator. Sensors: mjcf_write_sensors.c. */
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
    const double friction[5] = {pair->friction[0], pair->friction[0], pair->friction[1],
                                pair->friction[2], pair->friction[2]};
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
    static const char *const elements[] = {"connect", "weld", "joint"}; /* of TnEqualityType */
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
    } else {
        tn_write_text(w, "body1", tn_write_name(w, TN_WRITTEN_BODY, e->body1));
        tn_write_text(w, "body2", tn_write_name(w, TN_WRITTEN_BODY, e->body2));
        tn_write_reals(w, "anchor", e->anchor, 3);
    }
    if (e->type == TN_EQUALITY_WELD && e->has_relpose) {
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

static void write_tendon(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REAL(TnTendonDef, "stiffness", stiffness),
        TN_REAL(TnTendonDef, "damping", damping),
        TN_REAL(TnTendonDef, "frictionloss", friction_loss),
    };
    const TnTendonDef *tendon = &w->d.tendons[i], usual = tn_tendon_def();
    tn_write_open(w, "fixed");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_TENDON, i + 1));
    TN_WRITE_FIELDS(w, fields, tendon, &usual);
    tn_write_limit(w, "limited", "range", tendon->limited, tendon->range);
    tn_write_limit(w, "actuatorfrclimited", "actuatorfrcrange", tendon->actuator_limited,
                   tendon->actuator_range);
    if (tendon->has_spring_length) {
        tn_write_real(w, "springlength", tendon->spring_length);
        if (tendon->spring_length == -1)
            tn_write_error(w, "tendon", tendon->name, i + 1, tendon->source,
                           "a springlength of -1 means none in MJCF");
    }
    tn_write_inner(w);
    for (int k = 0; k < tendon->joint_count; k++) {
        tn_write_open(w, "joint");
        tn_write_text(w, "joint", tn_write_name(w, TN_WRITTEN_JOINT, tendon->joints[k].joint));
        tn_write_real(w, "coef", tendon->joints[k].coef);
        tn_write_close(w);
    }
    tn_write_end(w, "fixed");
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

static void write_actuator(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REAL(TnActuatorDef, "gear", gear),
        TN_REAL(TnActuatorDef, "gainprm", gain),
    };
    const TnActuatorDef *a = &w->d.actuators[i], usual = tn_actuator_def();
    double bias[3] = {a->bias[0], a->bias[1], a->bias[2]};
    if (a->damping_ratio > 0) bias[2] = a->damping_ratio; /* its sign tells it, as in MuJoCo */
    if ((a->damping_ratio > 0) != (bias[1] == -a->gain && bias[2] > 0))
        tn_write_error(w, "actuator", a->name, i + 1, a->source,
                       "MJCF takes a positive velocity bias of a position servo for a damping "
                       "ratio, and no other damping ratio");
    tn_write_open(w, "general");
    tn_write_text(w, "name", tn_write_own_name(w, TN_WRITTEN_ACTUATOR, i + 1));
    tn_write_text(w, "joint", tn_write_name(w, TN_WRITTEN_JOINT, a->joint));
    tn_write_text(w, "tendon", tn_write_name(w, TN_WRITTEN_TENDON, a->tendon));
    TN_WRITE_FIELDS(w, fields, a, &usual);
    if (bias[0] != 0 || bias[1] != 0 || bias[2] != 0) {
        tn_write_text(w, "biastype", "affine");
        tn_write_reals(w, "biasprm", bias, 3);
    }
    tn_write_limit(w, "ctrllimited", "ctrlrange", a->ctrl_limited, a->ctrl_range);
    tn_write_limit(w, "forcelimited", "forcerange", a->force_limited, a->force_range);
    tn_write_close(w);
}

void tn_write_actuators(TnWriter *w)
{
    if (w->d.actuator_count == 0) return;
    tn_write_open(w, "actuator");
    tn_write_inner(w);
    for (int i = 0; i < w->d.actuator_count; i++) write_actuator(w, i);
    tn_write_end(w, "actuator");
}
