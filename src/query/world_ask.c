/* world_ask.c: what a world is asked between steps: poses and velocities, contacts, energy,
 * momentum. */
#include <math.h>
#include <string.h>

#include "../device/device.h"
#include "../impact/impact.h"
#include "../math/vec3.h"
#include "../model/path.h"
#include "sensors.h"

static void clear(double *x, int count)
{
    if (x) memset(x, 0, sizeof(double) * (size_t)count);
}

/* ---- frames ---- */

/* A pose that is not asked for, or of something that does not exist. */
static void give_pose(const double from_pos[3], const double from_quat[4], double *pos,
                      double *quat)
{
    if (pos) v3_copy(pos, from_pos);
    if (quat) quat_copy(quat, from_quat);
}

void tn_world_body_pose(const TnWorld *world, TnBodyId body, double pos[3], double quat[4])
{
    double p[3] = {0.0}, q[4] = {0.0};
    tn_world_fetch(world);
    if (tn_world_has_body(world, body)) tn_body_pose(world->model, world->frames, body - 1, p, q);
    give_pose(p, q, pos, quat);
}

void tn_world_tendon_way(const TnWorld *world, TnTendonId tendon, double *points)
{
    if (!world || !points || tendon < 1 || tendon > world->model->tendon_count) return;
    tn_world_fetch(world);
    const TnModel *model = world->model;
    tn_path_trace(model, &model->paths[model->tendons[tendon - 1].path], world->frames,
                  (double(*)[3])points);
}

void tn_world_body_velocity(const TnWorld *world, TnBodyId body, double linear_com[3],
                            double angular[3])
{
    clear(linear_com, 3);
    clear(angular, 3);
    if (!tn_world_has_body(world, body)) return;
    tn_world_fetch(world);
    const double *twist = world->twists[world->model->bodies[body - 1].link];
    if (linear_com) v3_copy(linear_com, twist);
    if (angular) v3_copy(angular, twist + 3);
}

/* A frame that is fixed to a body, as a site has it. */
static void frame_pose(const TnWorld *world, const TnSite *frame, double *pos, double *quat)
{
    double p[3], q[4];
    tn_world_fetch(world);
    tn_site_pose(world->model, frame, world->frames, p, q);
    give_pose(p, q, pos, quat);
}

static void frame_velocity(const TnWorld *world, const TnSite *frame, double *linear,
                           double *angular)
{
    double twist[6];
    tn_world_fetch(world);
    tn_site_twist(world->model, frame, world->frames, (const double(*)[6])world->twists, twist);
    if (linear) v3_copy(linear, twist);
    if (angular) v3_copy(angular, twist + 3);
}

static bool site_frame(const TnWorld *world, TnSiteId site, TnSite *out)
{
    if (!world || site < 1 || site > world->model->site_count) return false;
    *out = world->model->sites[site - 1];
    return true;
}

/* A soft body's surface has no frame of its own. */
static bool geom_frame(const TnWorld *world, TnGeomId geom, TnSite *out)
{
    if (!world || geom < 1 || geom > world->model->geom_count) return false;
    const TnGeom *g = &world->model->geoms[geom - 1];
    *out = (TnSite){.body = g->body};
    v3_copy(out->pos, g->pos);
    quat_copy(out->quat, g->quat);
    return g->type != TN_GEOM_SOFT;
}

void tn_world_site_pose(const TnWorld *world, TnSiteId site, double pos[3], double quat[4])
{
    TnSite frame;
    clear(pos, 3);
    clear(quat, 4);
    if (site_frame(world, site, &frame)) frame_pose(world, &frame, pos, quat);
}

void tn_world_site_velocity(const TnWorld *world, TnSiteId site, double linear[3],
                            double angular[3])
{
    TnSite frame;
    clear(linear, 3);
    clear(angular, 3);
    if (site_frame(world, site, &frame)) frame_velocity(world, &frame, linear, angular);
}

void tn_world_geom_pose(const TnWorld *world, TnGeomId geom, double pos[3], double quat[4])
{
    TnSite frame;
    clear(pos, 3);
    clear(quat, 4);
    if (geom_frame(world, geom, &frame)) frame_pose(world, &frame, pos, quat);
}

void tn_world_geom_velocity(const TnWorld *world, TnGeomId geom, double linear[3],
                            double angular[3])
{
    TnSite frame;
    clear(linear, 3);
    clear(angular, 3);
    if (geom_frame(world, geom, &frame)) frame_velocity(world, &frame, linear, angular);
}

/* ---- contacts ---- */

int tn_world_contact_count(const TnWorld *world)
{
    if (world && world->device) return world->device->contact_count;
    return world ? world->contacts.count + world->impact_count : 0;
}

TnContact tn_world_contact(const TnWorld *world, int index)
{
    if (index < 0 || index >= tn_world_contact_count(world)) return (TnContact){0};
    if (world->device) {
        tn_device_fetch_contacts((TnWorld *)world);
        if (index >= world->contacts.count) return (TnContact){0};
    } else if (index >= world->contacts.count) {
        const TnImpact *hit = &world->impacts[index - world->contacts.count];
        TnContact out = {.geom1 = hit->geom1 + 1, .geom2 = hit->geom2 + 1};
        v3_copy(out.pos, hit->pos);
        v3_copy(out.normal, hit->normal);
        v3_scale(out.force, hit->impulse, 1.0 / world->t);
        return out;
    }
    const TnContactPoint *c = &world->contacts.points[index];
    TnContact out = {
        .geom1 = c->geom1 + 1, .geom2 = c->geom2 + 1, .gap = fmax(c->gap, c->clearance)};
    v3_copy(out.pos, c->pos);
    v3_copy(out.normal, c->normal);
    if (world->device) {
        v3_copy(out.force, world->device->force[index]);
        return out;
    }
    tn_problem_contact_lambda(&world->set.problem, index, out.force);
    tn_oval_force(world->model, &world->set, world->contacts.points, index, out.force);
    return out;
}

/* The force acts on a body at a place. */
static void add_wrench(const TnWorld *world, int geom, const double pos[3], const double force[3],
                       double sign, double *wrenches)
{
    const TnGeom *g = &world->model->geoms[geom];
    if (g->type == TN_GEOM_SOFT || g->body < 0) return;
    double origin[3], quat[4], lever[3], torque[3];
    tn_body_pose(world->model, world->frames, g->body, origin, quat);
    v3_sub(lever, pos, origin);
    v3_cross(torque, lever, force);
    for (int k = 0; k < 3; k++) {
        wrenches[6 * g->body + k] += sign * force[k];
        wrenches[6 * g->body + 3 + k] += sign * torque[k];
    }
}

void tn_world_contact_wrenches(const TnWorld *world, double *wrenches)
{
    if (!world || !wrenches) return;
    tn_world_fetch(world);
    memset(wrenches, 0, sizeof(double) * 6 * (size_t)world->model->body_count);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        const TnContact c = tn_world_contact(world, i);
        if (!c.geom1 || !c.geom2) continue; /* not known: no memory on the way from a device */
        add_wrench(world, c.geom1 - 1, c.pos, c.force, -1.0, wrenches);
        add_wrench(world, c.geom2 - 1, c.pos, c.force, 1.0, wrenches);
    }
}

/* ---- sums ---- */

TnEnergy tn_world_energy(const TnWorld *world)
{
    TnEnergy sum = {0.0, 0.0, 0.0};
    if (!world) return sum;
    tn_world_fetch(world);
    const TnInstant now = tn_world_now(world);
    for (int s = 0; s < world->model->subsystem_count; s++) {
        TnEnergy e = tn_subsystem_energy(world->model, s, world->elements, &now);
        sum.kinetic += e.kinetic;
        sum.potential += e.potential;
        sum.elastic += e.elastic;
    }
    return sum;
}

TnEnergyAccount tn_world_energy_account(const TnWorld *world)
{
    TnEnergyAccount sum = {0};
    if (world) memcpy(&sum, world->state.account, sizeof sum);
    return sum;
}

double tn_world_body_loss(const TnWorld *world, TnBodyId body)
{
    if (!tn_world_has_body(world, body)) return 0.0;
    int s = tn_part_of_body(world->model, body - 1);
    return s < 0 ? 0.0 : world->state.losses[s];
}

double tn_world_soft_loss(const TnWorld *world, TnSoftId soft)
{
    if (!world || soft < 1 || soft > world->model->soft_count) return 0.0;
    return world->state.losses[world->model->softs[soft - 1].subsystem];
}

TnStepLoss tn_world_largest_loss(const TnWorld *world)
{
    TnStepLoss out = {0};
    int most = -1;
    for (int s = 0; world && s < world->model->subsystem_count; s++) {
        if (!(world->state.losses[s] > out.loss)) continue;
        out.loss = world->state.losses[s];
        most = s;
    }
    if (most >= 0) tn_subsystem_name(world->model, most, &out.body, &out.soft);
    return out;
}

void tn_world_momentum(const TnWorld *world, double linear[3], double angular[3])
{
    double p[3] = {0.0}, l[3] = {0.0};
    tn_world_fetch(world);
    if (world)
        tn_model_momentum(world->model, world->state.qpos, world->state.qvel, world->frames, p, l);
    if (linear) v3_copy(linear, p);
    if (angular) v3_copy(angular, l);
}
