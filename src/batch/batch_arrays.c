/* batch_arrays.c: questions to all worlds at once, into arrays with one row per world. Each world
 * is asked by the same functions as a lone one, on the batch's threads. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "batch.h"

typedef struct Question Question;
struct Question {
    TnBatch *batch;
    const uint8_t *mask;
    TnStatus (*ask)(const Question *question, TnWorld *world, size_t index, TnError *err);
    const TnBatchArrays *arrays;
    int id;               /* of a body or site */
    const double *points; /* of Jacobians */
    double *jacobians;
    const TnRay *rays;
    int each;
    const TnRayFilter *filter;
    TnRayHit *hits;
};

static void push_phase(void *context, int index)
{
    tn_batch_push_row(((const Question *)context)->batch, index);
}

static void ask_phase(void *context, int index)
{
    const Question *q = context;
    TnBatch *batch = q->batch;
    tn_batch_pull(batch, index);
    bool left_out = q->mask && !q->mask[index];
    batch->refused[index] =
        !left_out && q->ask(q, batch->worlds[index], (size_t)index, NULL) != TN_OK;
}

/* Worlds that refused are asked for their reasons one after the other, in order. */
static TnStatus ask_all(Question question, TnError *err)
{
    TnBatch *batch = question.batch;
    if (batch->device)
        return tn_batch_refuse(err, "worlds on a device are not asked; use device cpu");
    tn_batch_share(batch, (TnBatchWork){{push_phase, NULL}, NULL, &question});
    TnStatus status = tn_batch_rows_error(batch, err);
    if (status != TN_OK) return status;
    tn_batch_share(batch, (TnBatchWork){{ask_phase, NULL}, NULL, &question});
    for (int i = 0; i < batch->view.count; i++) {
        if (!batch->refused[i]) continue;
        TnError why = {0};
        TnStatus now = question.ask(&question, batch->worlds[i], (size_t)i, &why);
        if (now == TN_OK) continue; /* there was no memory before, and now there is */
        status = now;
        tn_error_add(err, status, "batch: world %d: %s", i, why.message);
    }
    return status;
}

/* ---- poses, velocities, forces ---- */

typedef void (*PoseFn)(const TnWorld *world, int32_t id, double pos[3], double quat[4]);
typedef void (*VelocityFn)(const TnWorld *world, int32_t id, double linear[3], double angular[3]);

static void write_poses(const TnWorld *world, size_t index, int things, PoseFn pose, double *array)
{
    double *row = array ? array + 7 * index * (size_t)things : NULL;
    for (int k = 0; row && k < things; k++, row += 7) pose(world, k + 1, row, row + 3);
}

static void write_velocities(const TnWorld *world, size_t index, int things, VelocityFn velocity,
                             double *array)
{
    double *row = array ? array + 6 * index * (size_t)things : NULL;
    for (int k = 0; row && k < things; k++, row += 6) velocity(world, k + 1, row, row + 3);
}

static void write_reactions(TnWorld *world, size_t index, int bodies, double *array)
{
    double *row = array ? array + 6 * index * (size_t)bodies : NULL;
    for (int k = 0; row && k < bodies; k++, row += 6) {
        TnReaction r = tn_world_body_reaction(world, k + 1);
        memcpy(row, r.force, sizeof r.force);
        memcpy(row + 3, r.torque, sizeof r.torque);
    }
}

/* ---- contacts ---- */

static double strength(const TnContact *c)
{
    return sqrt(c->force[0] * c->force[0] + c->force[1] * c->force[1] + c->force[2] * c->force[2]);
}

/* The body of a geom; 0: a soft body's surface. */
static TnBodyId body_of(const TnModel *model, TnGeomId geom)
{
    TnGeomInfo info = tn_model_geom_info(model, geom);
    return info.type == TN_GEOM_SOFT ? 0 : info.body;
}

/* The strongest first: each goes before those that are weaker, if there is room. */
static void write_contacts(const TnWorld *world, size_t index, const TnBatchArrays *out)
{
    int count = tn_world_contact_count(world), used = 0, room = out->contact_room;
    if (out->contact_counts) out->contact_counts[index] = count;
    if (!out->contacts) return;
    TnBatchContact *row = out->contacts + index * (size_t)room;
    memset(row, 0, sizeof *row * (size_t)room);
    for (int i = 0; i < count; i++) {
        TnContact c = tn_world_contact(world, i);
        double force = strength(&c);
        int k = used;
        while (k > 0 && strength(&row[k - 1].contact) < force) k--;
        if (k == room) continue;
        if (used < room) used++;
        memmove(row + k + 1, row + k, sizeof *row * (size_t)(used - 1 - k));
        row[k].contact = c;
    }
    for (int k = 0; k < used; k++) {
        row[k].body1 = body_of(tn_world_model(world), row[k].contact.geom1);
        row[k].body2 = body_of(tn_world_model(world), row[k].contact.geom2);
    }
}

/* ---- all of them ---- */

static TnStatus ask_arrays(const Question *q, TnWorld *world, size_t index, TnError *err)
{
    const TnBatchArrays *out = q->arrays;
    const TnBatchView *view = &q->batch->view;
    const TnModelInfo info = tn_model_info(tn_world_model(world));
    write_poses(world, index, info.body_count, tn_world_body_pose, out->body_poses);
    write_poses(world, index, info.site_count, tn_world_site_pose, out->site_poses);
    write_poses(world, index, info.geom_count, tn_world_geom_pose, out->geom_poses);
    write_velocities(world, index, info.body_count, tn_world_body_velocity, out->body_velocities);
    write_velocities(world, index, info.site_count, tn_world_site_velocity, out->site_velocities);
    write_velocities(world, index, info.geom_count, tn_world_geom_velocity, out->geom_velocities);
    write_reactions(world, index, info.body_count, out->body_reactions);
    if (out->contact_wrenches)
        tn_world_contact_wrenches(world,
                                  out->contact_wrenches + 6 * index * (size_t)info.body_count);
    if (out->contacts || out->contact_counts) write_contacts(world, index, out);
    TnStatus status = TN_OK;
    if (out->actuator_forces && view->ctrl_count > 0)
        status = tn_world_actuator_forces(
            world, out->actuator_forces + index * (size_t)view->ctrl_count, err);
    if (status == TN_OK && out->sensors && view->sensor_data_count > 0)
        status =
            tn_world_sensors(world, out->sensors + index * (size_t)view->sensor_data_count, err);
    return status;
}

TnStatus tn_batch_arrays(TnBatch *batch, const TnBatchArrays *arrays, TnError *err)
{
    if (!batch || !arrays) return tn_batch_refuse(err, "batch and arrays must be given");
    if (arrays->contacts && arrays->contact_room < 1)
        return tn_batch_refuse(err, "contact_room must be 1 or more");
    return ask_all(
        (Question){.batch = batch, .mask = arrays->mask, .ask = ask_arrays, .arrays = arrays}, err);
}

TnStatus tn_batch_sensors(TnBatch *batch, double *data, TnError *err)
{
    if (!batch || !data) return tn_batch_refuse(err, "batch and data must be given");
    if (batch->device) return TN_OK; /* models with sensors stay here */
    return tn_batch_arrays(batch, &(TnBatchArrays){.sensors = data}, err);
}

/* ---- Jacobians ---- */

static TnStatus ask_jacobian(const Question *q, TnWorld *world, size_t index, TnError *err)
{
    double point[3];
    if (q->points)
        memcpy(point, q->points + 3 * index, sizeof point);
    else
        tn_world_body_pose(world, q->id, point, NULL);
    return tn_world_jacobian(world, q->id, point,
                             q->jacobians + 6 * index * (size_t)q->batch->view.dof_count, err);
}

TnStatus tn_batch_jacobian(TnBatch *batch, TnBodyId body, const double *points, double *jacobians,
                           TnError *err)
{
    if (!batch || !jacobians)
        return tn_batch_refuse(err, "the batch and room for Jacobians must be given");
    return ask_all((Question){.batch = batch,
                              .ask = ask_jacobian,
                              .id = body,
                              .points = points,
                              .jacobians = jacobians},
                   err);
}

static TnStatus ask_site_jacobian(const Question *q, TnWorld *world, size_t index, TnError *err)
{
    double point[3];
    tn_world_site_pose(world, q->id, point, NULL);
    return tn_world_jacobian(world, tn_model_site_info(tn_world_model(world), q->id).body, point,
                             q->jacobians + 6 * index * (size_t)q->batch->view.dof_count, err);
}

TnStatus tn_batch_site_jacobian(TnBatch *batch, TnSiteId site, double *jacobians, TnError *err)
{
    if (!batch || !jacobians)
        return tn_batch_refuse(err, "the batch and room for Jacobians must be given");
    return ask_all(
        (Question){.batch = batch, .ask = ask_site_jacobian, .id = site, .jacobians = jacobians},
        err);
}

/* ---- rays ---- */

static TnStatus ask_rays(const Question *q, TnWorld *world, size_t index, TnError *err)
{
    size_t first = index * (size_t)q->each;
    return tn_world_cast_rays(world, q->rays + first, q->each, q->filter, q->hits + first, err);
}

TnStatus tn_batch_cast_rays(TnBatch *batch, const TnRay *rays, int each, const TnRayFilter *filter,
                            TnRayHit *hits, TnError *err)
{
    if (!batch || each < 0 || (each > 0 && (!rays || !hits)))
        return tn_batch_refuse(err, "the batch, rays and room for hits must be given");
    return ask_all((Question){.batch = batch,
                              .ask = ask_rays,
                              .rays = rays,
                              .each = each,
                              .filter = filter,
                              .hits = hits},
                   err);
}
