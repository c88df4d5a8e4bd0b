/* check_drive.c: are the definitions of what drives joints, tendons and actuators, sensible? */
#include "../builder.h"

#include <math.h>

bool tn_check_scalar_joint(TnCompile *c, const TnElement *element, const char *what, TnJointId id)
{
    if (!tn_check_id(c, element, what, id, c->builder->joint_count)) return false;
    TnJointType type = c->builder->joints[id - 1].type;
    if (type != TN_JOINT_HINGE && type != TN_JOINT_SLIDE)
        tn_problem(c, element, "%s must be a hinge or a slide", what);
    return true;
}

static bool check_geom_point(TnCompile *c, const TnElement *element, const TnTendonPoint *point)
{
    const TnModelBuilder *b = c->builder;
    if (!tn_check_id(c, element, "geom", point->geom, b->geom_count)) return false;
    TnGeomType type = b->geoms[point->geom - 1].type;
    if (type != TN_GEOM_SPHERE && type != TN_GEOM_CYLINDER)
        tn_problem(c, element, "it can wrap around spheres and cylinders only");
    return !point->side || tn_check_id(c, element, "side", point->side, b->site_count);
}

static bool is_site(const TnTendonDef *def, int k)
{
    return k >= 0 && k < def->point_count && def->points[k].type == TN_TENDON_SITE;
}

/* Every branch begins and ends at a site and has two at least; every geom is between two. */
static void check_order(TnCompile *c, const TnElement *element, const TnTendonDef *def)
{
    int sites = 0;
    for (int k = 0; k <= def->point_count; k++) {
        bool end = k == def->point_count || def->points[k].type == TN_TENDON_PULLEY;
        if (end && k > 0 && (sites < 2 || !is_site(def, k - 1))) {
            tn_problem(c, element, "every branch needs two sites or more, and ends at one");
            return;
        }
        sites = end ? 0 : sites + is_site(def, k);
        if (end || is_site(def, k) || (is_site(def, k - 1) && is_site(def, k + 1))) continue;
        tn_problem(c, element, "a geom must be between two sites");
        return;
    }
}

static bool check_tendon_points(TnCompile *c, const TnElement *element, const TnTendonDef *def)
{
    bool stands = true;
    if (def->joint_count) tn_problem(c, element, "it has both joints and points");
    for (int k = 0; k < def->point_count; k++) {
        const TnTendonPoint *point = &def->points[k];
        switch (point->type) {
        case TN_TENDON_SITE:
            if (!tn_check_id(c, element, "site", point->site, c->builder->site_count))
                stands = false;
            break;
        case TN_TENDON_GEOM:
            if (!check_geom_point(c, element, point)) stands = false;
            break;
        case TN_TENDON_PULLEY:
            if (!(point->divisor > 0.0 && isfinite(point->divisor)))
                tn_problem(c, element, "the divisor of a pulley must be positive (%g)",
                           point->divisor);
            break;
        default:
            tn_problem(c, element, "point type %d does not exist", (int)point->type);
        }
    }
    check_order(c, element, def);
    return stands;
}

static bool check_tendon_joints(TnCompile *c, const TnElement *element, const TnTendonDef *def)
{
    bool stands = true;
    if (def->joint_count == 0) tn_problem(c, element, "it has no joints");
    for (int k = 0; k < def->joint_count; k++) {
        const TnTendonJoint *part = &def->joints[k];
        if (!tn_check_scalar_joint(c, element, "joint", part->joint)) stands = false;
        tn_check_numbers(c, element, "coef", &part->coef, 1);
        bool again = false;
        for (int j = 0; j < k; j++) again |= def->joints[j].joint == part->joint;
        if (again) tn_problem(c, element, "joint %d comes twice", part->joint);
    }
    return stands;
}

static bool check_tendons(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->tendon_count; i++) {
        const TnTendonDef *def = &c->builder->tendons[i];
        const TnElement *element = TN_ELEMENT("tendon", def, i);
        bool spatial = def->point_count > 0;
        if (!(spatial ? check_tendon_points : check_tendon_joints)(c, element, def)) stands = false;
        if (def->limited) tn_check_range(c, element, "range", def->range);
        if (def->actuator_limited)
            tn_check_range(c, element, "actuator range", def->actuator_range);
        tn_check_positive(c, element, "stiffness", def->stiffness);
        tn_check_positive(c, element, "damping", def->damping);
        tn_check_positive(c, element, "friction_loss", def->friction_loss);
        tn_check_positive(c, element, "armature", def->armature);
        tn_check_numbers(c, element, "spring_length", &def->spring_length, 1);
        tn_check_positive(c, element, "dead_band", def->dead_band);
    }
    return stands;
}

static bool check_target(TnCompile *c, const TnElement *element, const TnActuatorDef *def)
{
    const TnModelBuilder *b = c->builder;
    int targets = !!def->joint + !!def->tendon + !!def->site + !!def->crank_site + !!def->body;
    if (targets > 1)
        tn_problem(c, element,
                   "it acts on more than one of joint, tendon, site, crank_site and body");
    tn_check_numbers(c, element, "wrench", def->wrench, 6);
    if (def->body) {
        if (def->muscle_gain || def->muscle_bias)
            tn_problem(c, element, "a muscle needs a joint or tendon");
        return tn_check_id(c, element, "body", def->body, b->body_count);
    }
    if (def->tendon) return tn_check_id(c, element, "tendon", def->tendon, b->tendon_count);
    if (def->crank_site) {
        if (!(def->crank_length > 0.0 && isfinite(def->crank_length)))
            tn_problem(c, element, "crank_length must be positive (%g)", def->crank_length);
        return tn_check_id(c, element, "crank_site", def->crank_site, b->site_count) &&
               tn_check_id(c, element, "slider_site", def->slider_site, b->site_count);
    }
    if (def->site)
        return tn_check_id(c, element, "site", def->site, b->site_count) &&
               (!def->ref_site ||
                tn_check_id(c, element, "ref_site", def->ref_site, b->site_count));
    return tn_check_id(c, element, "joint", def->joint, b->joint_count);
}

static void check_damping_ratio(TnCompile *c, const TnElement *element, const TnActuatorDef *def)
{
    if (!tn_check_positive(c, element, "damping_ratio", def->damping_ratio)) return;
    if (def->damping_ratio == 0.0) return;
    if (def->gain < 0.0 || def->bias[1] != -def->gain || def->bias[2] != 0.0)
        tn_problem(c, element,
                   "damping_ratio is for position servos, with gain kp and bias (0, -kp, 0)");
}

static void check_muscle(TnCompile *c, const TnElement *element, const TnMuscle *muscle)
{
    const double numbers[] = {muscle->range[0], muscle->range[1], muscle->force,
                              muscle->scale,    muscle->lmin,     muscle->lmax,
                              muscle->vmax,     muscle->fpmax,    muscle->fvmax};
    if (!tn_check_numbers(c, element, "muscle", numbers, sizeof numbers / sizeof *numbers)) return;
    tn_check_range(c, element, "muscle range", muscle->range);
    if (!(muscle->lmin < 1.0 && muscle->lmax > 1.0))
        tn_problem(c, element, "a muscle needs lmin < 1 < lmax");
    if (!(muscle->vmax > 0.0 && muscle->fpmax > 0.0 && muscle->fvmax > 1.0 && muscle->scale > 0.0))
        tn_problem(c, element, "a muscle needs scale, vmax and fpmax above 0 and fvmax above 1");
}

static void check_activation(TnCompile *c, const TnElement *element, const TnActuatorDef *def)
{
    for (int k = 0; k < 3; k++)
        tn_check_positive(c, element, "time constant", def->time_constants[k]);
    if (def->activation == TN_ACTIVATION_PID) {
        const double *p[] = {&def->pid.kp, &def->pid.ki, &def->pid.kd, &def->pid.integral_max,
                             &def->pid.slew_max};
        static const char *const names[] = {"kp", "ki", "kd", "integral_max", "slew_max"};
        for (int k = 0; k < 5; k++) tn_check_positive(c, element, names[k], *p[k]);
        if (def->muscle_gain || def->muscle_bias || def->activation_limited || def->body)
            tn_problem(c, element,
                       "a controller is no muscle, has no activation range and acts on no body");
    }
    if (def->activation_limited && def->activation == TN_ACTIVATION_NONE)
        tn_problem(c, element, "an activation range is for actuators with activation");
    else if (def->activation_limited)
        tn_check_range(c, element, "activation range", def->activation_range);
    if (def->muscle_gain) check_muscle(c, element, &def->muscle);
    if (def->muscle_bias) check_muscle(c, element, &def->passive);
    bool given = def->length_range[0] != 0.0 || def->length_range[1] != 0.0;
    if (given && (def->muscle_gain || def->muscle_bias))
        tn_check_range(c, element, "length range", def->length_range);
}

static void check_rotor(TnCompile *c, const TnElement *element, const TnActuatorDef *def)
{
    bool good = tn_check_positive(c, element, "armature", def->armature);
    good &= tn_check_positive(c, element, "damping", def->damping);
    for (int k = 0; k < 2; k++)
        good &= tn_check_positive(c, element, "damping_poly", def->damping_poly[k]);
    bool drags = def->damping_poly[0] > 0.0 || def->damping_poly[1] > 0.0;
    if (good && (def->armature > 0.0 || def->damping > 0.0 || drags) && !def->joint && !def->tendon)
        tn_problem(c, element, "armature and damping are for actuators on joints and tendons");
    else if (good && drags && !def->joint)
        tn_problem(c, element,
                   "damping with coefficients of higher powers is not supported yet on tendons; "
                   "give one number");
}

static bool check_actuators(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->actuator_count; i++) {
        const TnActuatorDef *def = &c->builder->actuators[i];
        const TnElement *element = TN_ELEMENT("actuator", def, i);
        if (!check_target(c, element, def)) stands = false;
        tn_check_numbers(c, element, "gear", &def->gear, 1);
        tn_check_numbers(c, element, "gain", &def->gain, 1);
        tn_check_numbers(c, element, "bias", def->bias, 3);
        tn_check_numbers(c, element, "gain_length", &def->gain_length, 1);
        tn_check_numbers(c, element, "gain_velocity", &def->gain_velocity, 1);
        check_damping_ratio(c, element, def);
        check_rotor(c, element, def);
        check_activation(c, element, def);
        if (def->ctrl_limited) tn_check_range(c, element, "control range", def->ctrl_range);
        if (def->force_limited) tn_check_range(c, element, "force range", def->force_range);
    }
    return stands;
}

bool tn_check_drive(TnCompile *c)
{
    bool tendons = check_tendons(c), actuators = check_actuators(c);
    return tendons && actuators;
}
