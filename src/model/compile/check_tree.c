/* check_tree.c: are the definitions of bodies, joints and geoms sensible, each on its own and
 * within its body?
 *
 * Each check says what is wrong in words a user can act on, and goes on, so that one compile lists
 * all problems. */
#include "../../base/rounding.h"
#include "../builder.h"

#include "../../math/vec3.h"

/* ---- shared ---- */

bool tn_check_numbers(TnCompile *c, const TnElement *element, const char *what,
                      const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            tn_problem(c, element, "%s is not finite (%g)", what, values[i]);
            return false;
        }
    return true;
}

bool tn_check_quat(TnCompile *c, const TnElement *element, const char *what, const double quat[4])
{
    if (!tn_check_numbers(c, element, what, quat, 4)) return false;
    double copy[4], length;
    quat_copy(copy, quat);
    length = quat_normalize(copy);
    if (length >= TN_ROOM && isfinite(length)) return true;
    tn_problem(c, element, "%s has length %g: it gives no orientation", what, length);
    return false;
}

bool tn_check_positive(TnCompile *c, const TnElement *element, const char *what, double value)
{
    if (!tn_check_numbers(c, element, what, &value, 1)) return false;
    if (value >= 0.0) return true;
    tn_problem(c, element, "%s must not be negative (%g)", what, value);
    return false;
}

bool tn_check_range(TnCompile *c, const TnElement *element, const char *what, const double range[2])
{
    if (!tn_check_numbers(c, element, what, range, 2)) return false;
    if (range[0] < range[1]) return true;
    tn_problem(c, element, "%s must increase (%g, %g)", what, range[0], range[1]);
    return false;
}

bool tn_check_id(TnCompile *c, const TnElement *element, const char *what, int id, int count)
{
    if (id >= 1 && id <= count) return true;
    if (id == 0)
        tn_problem(c, element, "%s is not given", what);
    else
        tn_problem(c, element, "%s %d does not exist", what, id);
    return false;
}

bool tn_check_contact(TnCompile *c, const TnElement *element, int dim, const double friction[3],
                      double restitution, double margin)
{
    static const char *const names[3] = {"friction (sliding)", "friction (torsional)",
                                         "friction (rolling)"};
    int before = c->problem_count;
    for (int k = 0; k < 3; k++) tn_check_positive(c, element, names[k], friction[k]);
    if (!(restitution >= 0.0 && restitution <= 1.0))
        tn_problem(c, element, "restitution must lie in [0, 1] (%g)", restitution);
    tn_check_positive(c, element, "margin", margin);
    if (dim != 1 && dim != 3 && dim != 4 && dim != 6)
        tn_problem(c, element, "contact dimension must be 1, 3, 4 or 6 (%d)", dim);
    return c->problem_count == before;
}

/* ---- bodies ---- */

static bool check_not_negative(TnCompile *c, const TnElement *element, const double moments[3])
{
    for (int k = 0; k < 3; k++)
        if (moments[k] < 0.0) {
            tn_problem(c, element,
                       "its inertia is not positive definite (principal moments %g %g %g kg m^2)",
                       moments[0], moments[1], moments[2]);
            return false;
        }
    return true;
}

bool tn_check_moments(TnCompile *c, const TnElement *element, const double moments[3])
{
    if (!check_not_negative(c, element, moments)) return false;
    if (tn_moments_possible(moments)) return true;
    tn_problem(c, element,
               "principal moments %g %g %g kg m^2 are impossible: the sum of any two must be at "
               "least the third",
               moments[0], moments[1], moments[2]);
    return false;
}

/* Moments of an inertial. Where they are corrected, what comes out is checked (link_mass.c). */
static bool check_given_moments(TnCompile *c, const TnElement *element, const TnBodyDef *def,
                                const double moments[3])
{
    bool corrected = def->min_inertia > 0.0 || def->balance_inertia;
    return corrected ? check_not_negative(c, element, moments)
                     : tn_check_moments(c, element, moments);
}

static bool check_inertial(TnCompile *c, const TnElement *element, const TnBodyDef *def)
{
    bool ok = tn_check_positive(c, element, "mass", def->mass);
    if (!tn_check_numbers(c, element, "inertia pos", def->inertia_pos, 3)) ok = false;
    if (def->use_inertia_full) {
        const double *f = def->inertia_full;
        if (!tn_check_numbers(c, element, "full inertia", f, 6)) return false;
        double full[9] = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]}, moments[3],
               axes[4];
        tn_principal_axes(full, moments, axes);
        /* A singular matrix may come out a rounding error below zero: left to the check of the
         * whole link. */
        double slack = 1e-12 * (fabs(f[0]) + fabs(f[1]) + fabs(f[2]));
        for (int k = 0; k < 3; k++)
            if (moments[k] < 0.0 && moments[k] >= -slack) moments[k] = 0.0;
        return check_given_moments(c, element, def, moments) && ok;
    }
    if (!tn_check_quat(c, element, "inertia quat", def->inertia_quat)) ok = false;
    if (!tn_check_numbers(c, element, "inertia", def->inertia, 3)) return false;
    return check_given_moments(c, element, def, def->inertia) && ok;
}

static bool check_bodies(TnCompile *c)
{
    bool stands = true;
    for (int i = 1; i < c->builder->body_count; i++) {
        const TnBodyDef *def = &c->builder->bodies[i];
        const TnElement *element = TN_ELEMENT("body", def, i);
        if (!tn_check_id(c, element, "parent body", def->parent, c->builder->body_count))
            stands = false;
        else if (def->parent > i) {
            tn_problem(c, element, "parent body %d must be added before it", def->parent);
            stands = false;
        }
        tn_check_numbers(c, element, "pos", def->pos, 3);
        tn_check_quat(c, element, "quat", def->quat);
        tn_check_numbers(c, element, "gravity_compensation", &def->gravity_compensation, 1);
        bool bounds = tn_check_positive(c, element, "min_mass", def->min_mass);
        bounds = tn_check_positive(c, element, "min_inertia", def->min_inertia) && bounds;
        if (!bounds || (def->has_inertia && !check_inertial(c, element, def)))
            c->bodies[i].bad_mass = true;
    }
    return stands;
}

/* ---- joints ---- */

/* The force grows with the stretch everywhere, so a step cannot make energy of it. */
static void check_curved_spring(TnCompile *c, const TnElement *element, const TnJointDef *def)
{
    const double *poly = def->stiffness_poly;
    if (!tn_check_numbers(c, element, "stiffness_poly", poly, 2)) return;
    if (poly[0] == 0.0 && poly[1] == 0.0) return;
    if (def->type != TN_JOINT_HINGE && def->type != TN_JOINT_SLIDE)
        tn_problem(c, element,
                   "stiffness with coefficients of higher powers is for hinges and slides");
    else if (def->spring_time > 0.0)
        tn_problem(c, element,
                   "stiffness with coefficients of higher powers has no time constant; give the "
                   "first number, too");
    else if (poly[1] < 0.0 || poly[0] * poly[0] > 3.0 * def->stiffness * poly[1])
        tn_problem(c, element,
                   "stiffness k, a, b: a spring that yields is not supported; it needs b >= 0 and "
                   "a² <= 3 k b");
}

static void check_joint_numbers(TnCompile *c, const TnElement *element, const TnJointDef *def)
{
    bool turns_about_axis = def->type == TN_JOINT_HINGE || def->type == TN_JOINT_SLIDE;
    tn_check_numbers(c, element, "pos", def->pos, 3);
    if (tn_check_numbers(c, element, "axis", def->axis, 3) && turns_about_axis) {
        double length = v3_norm(def->axis);
        if (!(length >= TN_ROOM && isfinite(length)))
            tn_problem(c, element, "axis has length %g: it gives no direction", length);
    }
    tn_check_numbers(c, element, "ref", &def->ref, 1);
    tn_check_numbers(c, element, "spring ref", &def->spring_ref, 1);
    tn_check_positive(c, element, "stiffness", def->stiffness);
    tn_check_positive(c, element, "spring_time", def->spring_time);
    tn_check_positive(c, element, "spring_ratio", def->spring_ratio);
    if ((def->spring_time > 0.0) != (def->spring_ratio > 0.0))
        tn_problem(c, element, "spring_time and spring_ratio must both be positive, or both 0");
    tn_check_positive(c, element, "damping", def->damping);
    for (int k = 0; k < 2; k++) tn_check_positive(c, element, "damping_poly", def->damping_poly[k]);
    check_curved_spring(c, element, def);
    tn_check_positive(c, element, "armature", def->armature);
    tn_check_positive(c, element, "friction loss", def->friction_loss);
    if (def->actuator_limited) tn_check_range(c, element, "actuator range", def->actuator_range);
    if (def->limited && tn_check_range(c, element, "range", def->range) &&
        def->type == TN_JOINT_BALL && def->range[0] != 0.0)
        tn_problem(c, element, "range of a ball joint must start at 0 (%g)", def->range[0]);
}

static void check_joint_type(TnCompile *c, const TnElement *element, const TnJointDef *def)
{
    bool is_free = def->type == TN_JOINT_FREE;
    if (is_free && def->limited) tn_problem(c, element, "a free joint cannot have limits");
    if ((is_free || def->type == TN_JOINT_BALL) && def->friction_loss != 0.0)
        tn_problem(c, element, "friction loss is for hinges and slides only");
}

/* A mocap body stands on the world, and nothing that moves stands on it. */
static bool check_mocap(TnCompile *c, const TnElement *element, int index)
{
    const TnBodyDef *bodies = c->builder->bodies;
    bool has_joints = c->bodies[index].joint_count > 0;
    if (bodies[index].mocap && (has_joints || bodies[index].parent != TN_BODY_WORLD)) {
        tn_problem(c, element, "a mocap body must be a child of the world, without joints");
        return false;
    }
    int above = bodies[index].parent - 1;
    if (!has_joints || above < 0 || above >= index) return true;
    while (above > 0 && !bodies[above].mocap && c->bodies[above].joint_count == 0)
        above = bodies[above].parent - 1;
    if (above <= 0 || !bodies[above].mocap) return true;
    tn_problem(c, element,
               "it has joints and hangs on a mocap body: make it a body of its own and weld it to "
               "the mocap body");
    return false;
}

static bool check_joints(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    bool stands = true;
    for (int i = 0; i < b->joint_count; i++) {
        const TnJointDef *def = &b->joints[i];
        const TnElement *element = TN_ELEMENT("joint", def, i);
        if ((unsigned)def->type > TN_JOINT_HINGE) {
            tn_problem(c, element, "type %d does not exist", (int)def->type);
            stands = false;
            continue;
        }
        check_joint_numbers(c, element, def);
        check_joint_type(c, element, def);
        if (!tn_check_id(c, element, "body", def->body, b->body_count)) {
            stands = false;
            continue;
        }
        if (def->body == TN_BODY_WORLD) {
            tn_problem(c, element, "the world cannot have joints");
            stands = false;
            continue;
        }
        TnBodyScratch *body = &c->bodies[def->body - 1];
        body->joint_count++;
        body->dof_count += tn_joint_dof_count(def->type);
        if (def->type != TN_JOINT_FREE) continue;
        body->has_free = true;
        if (b->bodies[def->body - 1].parent != TN_BODY_WORLD)
            tn_problem(c, element, "a free joint needs a body whose parent is the world");
    }
    for (int i = 1; i < b->body_count; i++) {
        const TnElement *element = TN_ELEMENT("body", &b->bodies[i], i);
        if (!check_mocap(c, element, i)) stands = false;
        if (c->bodies[i].has_free && c->bodies[i].joint_count > 1)
            tn_problem(c, element, "a free joint must be its only joint");
        else if (c->bodies[i].dof_count > 6)
            tn_problem(c, element, "its joints have %d degrees of freedom; the maximum is 6",
                       c->bodies[i].dof_count);
    }
    return stands;
}

/* ---- geoms and sites ---- */

/* Shape and mass: what the body's mass depends on. */
static bool check_geom_shape(TnCompile *c, const TnElement *element, const TnGeomDef *def)
{
    int before = c->problem_count;
    tn_check_numbers(c, element, "pos", def->pos, 3);
    tn_check_quat(c, element, "quat", def->quat);
    if (tn_check_numbers(c, element, "size", def->size, 3))
        for (int k = 0; k < tn_geom_size_count(def->type); k++)
            if (!(def->size[k] > 0.0)) {
                tn_problem(c, element, "size %d must be positive (%g)", k + 1, def->size[k]);
                break;
            }
    if (tn_check_numbers(c, element, "mass", &def->mass, 1) && def->mass < 0.0)
        tn_check_positive(c, element, "density", def->density);
    if (def->type == TN_GEOM_HEIGHT_FIELD)
        tn_problem(c, element, "height fields are meshes: use tn_builder_add_height_field");
    return c->problem_count == before;
}

static bool check_geoms(TnCompile *c)
{
    bool stands = true;
    int soft = 0; /* the next surface comes from this soft body */
    for (int i = 0; i < c->builder->geom_count; i++) {
        const TnGeomDef *def = &c->builder->geoms[i];
        const TnElement *element = TN_ELEMENT("geom", def, i);
        bool body_exists = tn_check_id(c, element, "body", def->body, c->builder->body_count);
        if (!body_exists) stands = false;
        if (def->type == TN_GEOM_SOFT) { /* check_soft.c has looked at those */
            if (soft < c->builder->soft_count && c->builder->softs[soft].geom == i + 1)
                soft++;
            else
                tn_problem(c, element, "surfaces come with soft bodies: use tn_builder_add_soft");
            continue;
        }
        if ((unsigned)def->type > TN_GEOM_MESH) {
            tn_problem(c, element, "type %d does not exist", (int)def->type);
            stands = false;
            continue;
        }
        if (def->type == TN_GEOM_MESH &&
            !tn_check_id(c, element, "mesh", def->mesh, c->builder->mesh_count))
            stands = false;
        if (!check_geom_shape(c, element, def) && body_exists)
            c->bodies[def->body - 1].bad_mass = true;
        tn_check_contact(c, element, def->contact_dim, def->friction, def->restitution,
                         def->margin);
        tn_check_numbers(c, element, "rgba", def->rgba, 4);
        if (def->material)
            tn_check_id(c, element, "material", def->material, c->builder->material_count);
        tn_check_numbers(c, element, "fluid_coef", def->fluid_coef, 5);
        if (def->fluid_ellipsoid && (def->type == TN_GEOM_MESH || def->type == TN_GEOM_PLANE))
            tn_problem(c, element,
                       "meshes and planes are no ellipsoids in a medium; use a geom of another "
                       "type without contacts");
    }
    return stands;
}

static bool check_sites(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->site_count; i++) {
        const TnSiteDef *def = &c->builder->sites[i];
        const TnElement *element = TN_ELEMENT("site", def, i);
        if (!tn_check_id(c, element, "body", def->body, c->builder->body_count)) stands = false;
        tn_check_numbers(c, element, "pos", def->pos, 3);
        tn_check_quat(c, element, "quat", def->quat);
        tn_check_numbers(c, element, "size", def->size, 3);
        if (def->at_geom &&
            !tn_check_id(c, element, "at_geom", def->at_geom, c->builder->geom_count))
            stands = false;
        if (def->type < TN_GEOM_SPHERE || def->type > TN_GEOM_BOX)
            tn_problem(c, element, "a site is a sphere, capsule, ellipsoid, cylinder or box");
    }
    return stands;
}

bool tn_check_tree(TnCompile *c)
{
    bool bodies = check_bodies(c), joints = check_joints(c), geoms = check_geoms(c),
         sites = check_sites(c);
    return bodies && joints && geoms && sites;
}
