/* world_change.c: parameters of a world that are set between steps. The model stays as it is
 * (own.h). */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "../model/mesh/inertia.h"
#include "../model/names.h"
#include "../ranks/spread.h"
#include "own.h"
#include "sleep.h"

static TnStatus no_memory(TnError *err)
{
    tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
    return TN_ERROR_MEMORY;
}

static bool are_finite(const double *x, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

/* Ranks that have no model would not hear of it. */
static bool is_fixed(const TnWorld *world, TnError *err)
{
    if (!world || !tn_spread_is_fixed(world)) return false;
    tn_world_refuse(err, "it is in parts, of which some ranks have no model: its parameters cannot "
                         "be changed");
    return true;
}

/* Behind a change of numbers that steps read as they are. */
static TnStatus renewed(TnWorld *world, bool shapes, TnError *err)
{
    world->changed = true;
    tn_sleep_wake_all(world);
    return tn_world_renew(world, shapes) ? TN_OK : no_memory(err);
}

/* ---- the whole world ---- */

TnStatus tn_world_set_gravity(TnWorld *world, const double gravity[3], TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!world || !gravity || !are_finite(gravity, 3))
        return tn_world_refuse(err, "gravity must be three finite numbers");
    v3_copy(world->own.option.gravity, gravity);
    return renewed(world, false, err);
}

TnStatus tn_world_set_timestep(TnWorld *world, double timestep, TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!world || !(timestep > 0.0 && isfinite(timestep)))
        return tn_world_refuse(err, "the timestep must be positive");
    world->own.option.timestep = timestep;
    world->t = timestep / world->substeps;
    return renewed(world, false, err);
}

/* ---- geoms ---- */

static bool has_geom(const TnWorld *world, TnGeomId id)
{
    return world && id >= 1 && id <= world->model->geom_count;
}

TnStatus tn_world_set_geom_friction(TnWorld *world, TnGeomId id, const double friction[3],
                                    TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!has_geom(world, id)) return tn_world_refuse(err, "there is no such geom");
    if (!friction || !are_finite(friction, 3) ||
        !(friction[0] >= 0.0 && friction[1] >= 0.0 && friction[2] >= 0.0))
        return tn_world_refuse(err, "friction must be three numbers that are not negative");
    if (!tn_world_own(world, TN_OWN_GEOMS)) return no_memory(err);
    v3_copy(world->own.geoms[id - 1].friction, friction);
    return renewed(world, true, err);
}

TnStatus tn_world_set_geom_size(TnWorld *world, TnGeomId id, const double size[3], TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!has_geom(world, id)) return tn_world_refuse(err, "there is no such geom");
    const TnModel *model = world->model;
    int count = tn_geom_size_count(model->geoms[id - 1].type), s = tn_geom_subsystem(model, id - 1);
    if (!count || (s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_ROD))
        return tn_world_refuse(err, "sizes of planes, meshes, soft bodies and cables are fixed");
    for (int k = 0; k < count; k++)
        if (!size || !(size[k] > 0.0 && isfinite(size[k])))
            return tn_world_refuse(err, "sizes must be positive");
    if (!tn_world_own(world, TN_OWN_GEOMS)) return no_memory(err);
    TnGeom *geom = &world->own.geoms[id - 1];
    for (int k = 0; k < count; k++) geom->size[k] = size[k];
    tn_geom_bound(model, geom);
    return renewed(world, true, err);
}

/* pos and quat where they are given, the quaternion with length 1; false: they are no pose. */
static bool take_pose(const double *from_pos, const double *from_quat, double pos[3],
                      double quat[4])
{
    if (from_pos && !are_finite(from_pos, 3)) return false;
    if (from_quat && !are_finite(from_quat, 4)) return false;
    if (from_pos) v3_copy(pos, from_pos);
    if (from_quat) quat_copy(quat, from_quat);
    return !from_quat || quat_normalize(quat) > 0.0;
}

TnStatus tn_world_set_geom_local_pose(TnWorld *world, TnGeomId id, const double pos[3],
                                      const double quat[4], TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!has_geom(world, id)) return tn_world_refuse(err, "there is no such geom");
    const TnModel *model = world->model;
    int s = tn_geom_subsystem(model, id - 1);
    TnGeom wanted = model->geoms[id - 1];
    if (wanted.type == TN_GEOM_SOFT || (s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_ROD))
        return tn_world_refuse(err, "geoms of soft bodies and cables cannot be moved");
    if (!take_pose(pos, quat, wanted.pos, wanted.quat))
        return tn_world_refuse(err, "a pose must be finite, its quaternion not zero");
    if (!tn_world_own(world, TN_OWN_GEOMS)) return no_memory(err);
    const TnBody *body = &model->bodies[wanted.body];
    quat_rotate(wanted.link_pos, body->link_quat, wanted.pos);
    v3_add(wanted.link_pos, wanted.link_pos, body->link_pos);
    quat_mul(wanted.link_quat, body->link_quat, wanted.quat);
    quat_to_m3(wanted.link_rot, wanted.link_quat);
    world->own.geoms[id - 1] = wanted;
    return renewed(world, true, err);
}

TnStatus tn_world_set_site_local_pose(TnWorld *world, TnSiteId id, const double pos[3],
                                      const double quat[4], TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!world || id < 1 || id > world->model->site_count)
        return tn_world_refuse(err, "there is no such site");
    TnSite wanted = world->model->sites[id - 1];
    if (!take_pose(pos, quat, wanted.pos, wanted.quat))
        return tn_world_refuse(err, "a pose must be finite, its quaternion not zero");
    if (!tn_world_own(world, TN_OWN_SITES)) return no_memory(err);
    world->own.sites[id - 1] = wanted;
    return renewed(world, false, err);
}

/* ---- actuators and joints ---- */

TnStatus tn_world_set_actuator(TnWorld *world, TnActuatorId id, double gain, const double bias[3],
                               TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!world || id < 1 || id > world->model->actuator_count)
        return tn_world_refuse(err, "there is no such actuator");
    if (!isfinite(gain) || (bias && !are_finite(bias, 3)))
        return tn_world_refuse(err, "gain and bias must be finite");
    if (!tn_world_own(world, TN_OWN_ACTUATORS)) return no_memory(err);
    TnActuator *actuator = &world->own.actuators[id - 1];
    actuator->gain = gain;
    if (bias) v3_copy(actuator->bias, bias);
    return renewed(world, false, err);
}

/* Index of a joint; -1: there is none. */
static int joint_of(const TnWorld *world, TnJointId id)
{
    if (!world || id < 1 || id > world->model->joint_count) return -1;
    return world->model->lookup->joint_index[id - 1];
}

TnJointForces tn_world_joint_forces(const TnWorld *world, TnJointId id)
{
    int index = joint_of(world, id);
    if (index < 0) return (TnJointForces){0};
    const TnJoint *j = &world->model->joints[index];
    return (TnJointForces){.stiffness = j->stiffness,
                           .spring_ref = j->spring_ref,
                           .damping = j->damping,
                           .armature = j->armature,
                           .friction_loss = j->friction_loss};
}

TnStatus tn_world_set_joint_forces(TnWorld *world, TnJointId id, const TnJointForces *forces,
                                   TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    int index = joint_of(world, id);
    if (index < 0) return tn_world_refuse(err, "there is no such joint");
    const TnJoint *old = &world->model->joints[index];
    if (tn_part_of_link(world->model, old->link)->kind != TN_SUBSYSTEM_TREE)
        return tn_world_refuse(err, "a free body's joint has no spring, damper or rotor");
    if (!forces ||
        !(forces->stiffness >= 0.0 && forces->damping >= 0.0 && forces->armature >= 0.0 &&
          forces->friction_loss >= 0.0) ||
        !isfinite(forces->stiffness + forces->damping + forces->armature + forces->friction_loss +
                  forces->spring_ref))
        return tn_world_refuse(err, "forces of a joint must be finite and not negative");
    if ((old->type == TN_JOINT_FREE || old->type == TN_JOINT_BALL) && forces->friction_loss > 0.0)
        return tn_world_refuse(err, "friction loss is for hinges and slides only");
    if (!tn_world_own(world, TN_OWN_JOINTS)) return no_memory(err);
    TnJoint *joint = &world->own.joints[index];
    joint->stiffness = forces->stiffness;
    joint->spring_ref = forces->spring_ref;
    joint->damping = forces->damping;
    joint->armature = forces->armature;
    joint->friction_loss = forces->friction_loss;
    return renewed(world, false, err);
}

/* ---- masses ---- */

/* A link's mass from those of the bodies that it carries. */
static void sum_link(TnModel *m, int l)
{
    TnMassProperties sum = {.mass = 0.0};
    TnLink *link = &m->links[l];
    for (int b = 1; b < m->body_count; b++) {
        if (m->bodies[b].link != l || m->body_masses[b].mass == 0.0) continue;
        TnMassProperties part = {.mass = m->body_masses[b].mass};
        v3_copy(part.com, m->body_masses[b].com);
        memcpy(part.inertia, m->body_masses[b].inertia, sizeof part.inertia);
        tn_mass_add(&sum, &part);
    }
    m->total_mass += sum.mass - link->mass;
    link->mass = sum.mass;
    v3_copy(link->com, sum.com);
    memcpy(link->inertia, sum.inertia, sizeof link->inertia);
    tn_principal_axes(link->inertia, link->inertia_principal, link->inertia_axes);
}

/* The inertia, xx yy zz xy xz yz, or the present one scaled; false: not of a body. */
static bool set_mass(TnBodyMass *out, const TnBody *body, double mass, const double *com,
                     const double *inertia)
{
    double scale = out->mass > 0.0 ? mass / out->mass : 0.0, moments[3], quat[4];
    if (inertia) {
        const double *f = inertia;
        TnMassProperties own = {.mass = mass,
                                .inertia = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]}};
        tn_mass_transform(&own, body->link_pos, body->link_quat);
        memcpy(out->inertia, own.inertia, sizeof out->inertia);
    } else {
        for (int k = 0; k < 9; k++) out->inertia[k] *= scale;
    }
    out->mass = mass;
    if (com) {
        quat_rotate(out->com, body->link_quat, com);
        v3_add(out->com, out->com, body->link_pos);
    }
    tn_principal_axes(out->inertia, moments, quat);
    return fmin(moments[0], fmin(moments[1], moments[2])) > 0.0 && tn_moments_possible(moments);
}

TnStatus tn_world_set_body_mass(TnWorld *world, TnBodyId id, double mass, const double com[3],
                                const double inertia[6], TnError *err)
{
    if (is_fixed(world, err)) return TN_ERROR_USAGE;
    if (!tn_world_has_body(world, id)) return tn_world_refuse(err, "there is no such body");
    const TnModel *model = world->model;
    int s = tn_part_of_body(model, id - 1), l = model->bodies[id - 1].link;
    if (s < 0 || model->subsystems[s].kind == TN_SUBSYSTEM_ROD || model->links[l].lift != 0.0)
        return tn_world_refuse(err, "only bodies that move have a mass to set; not cables, and not "
                                    "bodies with gravity compensation");
    if (!(mass > 0.0 && isfinite(mass)) || (com && !are_finite(com, 3)) ||
        (inertia && !are_finite(inertia, 6)))
        return tn_world_refuse(err, "mass must be positive, centre and inertia finite");
    TnBodyMass wanted = model->body_masses[id - 1];
    if (!set_mass(&wanted, &model->bodies[id - 1], mass, com, inertia))
        return tn_world_refuse(err, "no body has this inertia");
    if (!tn_world_own(world, TN_OWN_BODY_MASSES) || !tn_world_own(world, TN_OWN_LINKS))
        return no_memory(err);
    world->own.body_masses[id - 1] = wanted;
    sum_link(&world->own, l);
    return renewed(world, false, err);
}
