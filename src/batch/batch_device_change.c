/* batch_device_change.c: parameters and states of worlds on a device. The one world here checks
 * each row as a lone world would; what comes of it is kept per world, and handed over before the
 * next step. */
#include <string.h>

#include "../base/base.h"
#include "../collision/collider.h"
#include "../model/names.h"
#include "batch_device.h"

static bool keep_links(TnBatchDevice *d, int count)
{
    size_t n = (size_t)d->world->model->link_count;
    if (d->links) return true;
    d->links = tn_malloc(sizeof *d->links * n * (size_t)count);
    for (int i = 0; d->links && i < count; i++)
        memcpy(d->links + n * (size_t)i, d->world->model->links, sizeof *d->links * n);
    return d->links != NULL;
}

/* Of a geom that collides. */
static const TnSurface *surface_of(const TnWorld *world, int geom)
{
    const TnCollider *c = world->collider;
    int slot = c->slot_of[geom];
    return slot < 0 ? NULL : &c->surfaces[c->slots[slot].surface];
}

static bool keep_surfaces(TnBatchDevice *d, int count)
{
    size_t n = (size_t)d->world->model->geom_count;
    if (d->surfaces) return true;
    d->surfaces = tn_calloc(n * (size_t)count + 1, sizeof *d->surfaces);
    for (size_t i = 0; d->surfaces && i < n * (size_t)count; i++) {
        const TnSurface *surface = surface_of(d->world, (int)(i % n));
        if (surface) d->surfaces[i] = *surface;
    }
    return d->surfaces != NULL;
}

static TnStatus no_memory(TnError *err)
{
    tn_error_add(err, TN_ERROR_MEMORY, "no memory");
    return TN_ERROR_MEMORY;
}

static TnStatus set_friction(TnBatchDevice *d, int index, const TnBatchChange *change, TnError *err)
{
    TnWorld *world = d->world;
    const double *wanted = change->numbers[0] + 3 * (size_t)index;
    if (change->id < 1 || change->id > world->model->geom_count)
        return tn_world_refuse(err, "there is no such geom");
    int geom = change->id - 1;
    double before[3];
    memcpy(before, world->model->geoms[geom].friction, sizeof before);
    TnStatus status = tn_world_set_geom_friction(world, change->id, wanted, err);
    if (status != TN_OK) return status;
    const TnSurface *surface = surface_of(world, geom);
    if (surface)
        d->surfaces[(size_t)index * (size_t)world->model->geom_count + (size_t)geom] = *surface;
    return tn_world_set_geom_friction(world, change->id, before, err);
}

/* A body's mass is that of its link only if nothing else is fixed to it. */
static bool is_alone(const TnModel *m, int body)
{
    for (int i = 1; i < m->body_count; i++)
        if (i != body && m->bodies[i].link == m->bodies[body].link) return false;
    return true;
}

static TnStatus set_mass(TnBatchDevice *d, int index, const TnBatchChange *change, TnError *err)
{
    TnWorld *world = d->world;
    size_t i = (size_t)index;
    if (!tn_world_has_body(world, change->id)) return tn_world_refuse(err, "there is no such body");
    int body = change->id - 1, link = world->model->bodies[body].link;
    if (!is_alone(world->model, body))
        return tn_world_refuse(err, "on a device the mass of a body can be set that has no other "
                                    "bodies fixed to it; use device cpu");
    const double *com = change->numbers[1], *inertia = change->numbers[2];
    TnBodyMass mass_before = world->model->body_masses[body];
    TnLink before = world->model->links[link];
    TnStatus status =
        tn_world_set_body_mass(world, change->id, change->numbers[0][i], com ? com + 3 * i : NULL,
                               inertia ? inertia + 6 * i : NULL, err);
    if (status != TN_OK) return status;
    d->links[i * (size_t)world->model->link_count + (size_t)link] = world->model->links[link];
    world->own.body_masses[body] = mass_before; /* it has its own by now */
    world->own.links[link] = before;
    return TN_OK;
}

static bool keep_actuators(TnBatchDevice *d, int count)
{
    size_t n = (size_t)d->world->model->actuator_count;
    if (d->actuators) return true;
    d->actuators = tn_malloc(sizeof *d->actuators * (n * (size_t)count + 1));
    for (int i = 0; d->actuators && i < count; i++)
        memcpy(d->actuators + n * (size_t)i, d->world->model->actuators, sizeof *d->actuators * n);
    return d->actuators != NULL;
}

static TnStatus set_actuator(TnBatchDevice *d, int index, const TnBatchChange *change, TnError *err)
{
    TnWorld *world = d->world;
    size_t i = (size_t)index, n = (size_t)world->model->actuator_count;
    const double *bias = change->numbers[1];
    if (change->id < 1 || change->id > world->model->actuator_count)
        return tn_world_refuse(err, "there is no such actuator");
    TnActuator before = world->model->actuators[change->id - 1];
    TnStatus status = tn_world_set_actuator(world, change->id, change->numbers[0][i],
                                            bias ? bias + 3 * i : NULL, err);
    if (status != TN_OK) return status;
    TnActuator *own = &d->actuators[i * n + (size_t)(change->id - 1)];
    own->gain = world->own.actuators[change->id - 1].gain;
    if (bias) memcpy(own->bias, bias + 3 * i, sizeof own->bias);
    world->own.actuators[change->id - 1] = before;
    return TN_OK;
}

static bool keep_joints(TnBatchDevice *d, int count)
{
    size_t n = (size_t)d->world->model->joint_count;
    if (d->joints) return true;
    d->joints = tn_malloc(sizeof *d->joints * (n * (size_t)count + 1));
    for (int i = 0; d->joints && i < count; i++)
        memcpy(d->joints + n * (size_t)i, d->world->model->joints, sizeof *d->joints * n);
    return d->joints != NULL;
}

/* Memory for dry friction is taken for the joints that the model gives some. */
static TnStatus set_joint(TnBatchDevice *d, int index, const TnBatchChange *change, TnError *err)
{
    TnWorld *world = d->world;
    size_t i = (size_t)index, n = (size_t)world->model->joint_count;
    if (change->id < 1 || change->id > world->model->joint_count)
        return tn_world_refuse(err, "there is no such joint");
    int j = world->model->lookup->joint_index[change->id - 1];
    TnJoint before = world->model->joints[j];
    if (!(before.friction_loss > 0.0) && change->forces[i].friction_loss > 0.0)
        return tn_world_refuse(err, "on a device only joints that have a friction loss in the "
                                    "model can be given one; use device cpu");
    TnStatus status = tn_world_set_joint_forces(world, change->id, &change->forces[i], err);
    if (status != TN_OK) return status;
    d->joints[i * n + (size_t)j] = world->own.joints[j];
    world->own.joints[j] = before;
    return TN_OK;
}

static TnStatus set_state(TnBatch *batch, int index, const TnBatchChange *change, TnError *err)
{
    TnBatchDevice *d = batch->device;
    const TnBatchView *view = &batch->view;
    TnStatus status = tn_world_restore(d->world, change->states[index], change->sizes[index], err);
    if (status != TN_OK) return status;
    TnStateView state = tn_world_state(d->world);
    size_t i = (size_t)index, q = (size_t)view->qpos_count, v = (size_t)view->dof_count;
    memcpy(view->qpos + i * q, state.qpos, sizeof(double) * q);
    memcpy(view->qvel + i * v, state.qvel, sizeof(double) * v);
    batch->time[index] = state.time;
    view->diverged[index] = 0;
    TnGpuRows from = {
        .time = batch->time, .qpos = view->qpos, .qvel = view->qvel, .diverged = view->diverged};
    return tn_gpu_batch_put(d->gpu, index, 1, &from, err) ? TN_OK : TN_ERROR_DEVICE;
}

static TnStatus set_mocap(TnBatchDevice *d, int index, const TnBatchChange *change, TnError *err)
{
    size_t i = (size_t)index, m = (size_t)d->world->model->mocap_count;
    const double *pos = change->numbers[0] + 3 * i,
                 *quat = change->numbers[1] ? change->numbers[1] + 4 * i : NULL;
    double *row = d->mocap + 7 * i * m, *target = d->world->state.mocap_target;
    memcpy(target, row, sizeof(double) * 7 * m);
    TnStatus status = tn_world_set_mocap(d->world, change->id, pos, quat, err);
    if (status == TN_OK) memcpy(row, target, sizeof(double) * 7 * m);
    return status;
}

static TnStatus change_world(TnBatch *batch, int index, const TnBatchChange *change, TnError *err)
{
    TnBatchDevice *d = batch->device;
    size_t i = (size_t)index;
    TnStatus status = TN_OK;
    switch (change->what) {
    case TN_BATCH_GRAVITY:
        status = tn_world_set_gravity(d->world, change->numbers[0] + 3 * i, err);
        if (status == TN_OK)
            memcpy(d->gravity + 3 * i, change->numbers[0] + 3 * i, sizeof(double[3]));
        return status;
    case TN_BATCH_TIMESTEP:
        status = tn_world_set_timestep(d->world, change->numbers[0][i], err);
        if (status == TN_OK) d->timestep[i] = change->numbers[0][i];
        return status;
    case TN_BATCH_FRICTION:
        return keep_surfaces(d, batch->view.count) ? set_friction(d, index, change, err)
                                                   : no_memory(err);
    case TN_BATCH_MASS:
        return keep_links(d, batch->view.count) ? set_mass(d, index, change, err) : no_memory(err);
    case TN_BATCH_ACTUATOR:
        return keep_actuators(d, batch->view.count) ? set_actuator(d, index, change, err)
                                                    : no_memory(err);
    case TN_BATCH_JOINT:
        return keep_joints(d, batch->view.count) ? set_joint(d, index, change, err)
                                                 : no_memory(err);
    case TN_BATCH_MOCAP:
        return set_mocap(d, index, change, err);
    default:
        return set_state(batch, index, change, err);
    }
}

TnStatus tn_batch_device_change(TnBatch *batch, const uint8_t *mask, const TnBatchChange *change,
                                TnError *err)
{
    TnStatus status = TN_OK;
    TnBatchDevice *d = batch->device;
    TnGpuRows poses = {.mocap = d->mocap};
    /* the others keep theirs, which may have been written there */
    if (change->what == TN_BATCH_MOCAP && !tn_gpu_batch_get(d->gpu, &poses, err))
        return TN_ERROR_DEVICE;
    for (int i = 0; i < batch->view.count; i++) {
        TnError why = {0};
        if (mask && !mask[i]) continue;
        TnStatus now = change_world(batch, i, change, &why);
        if (now == TN_OK) continue;
        status = now;
        tn_error_add(err, now, "batch: world %d: %s", i, why.message);
    }
    if (change->what == TN_BATCH_MOCAP) {
        if (!tn_gpu_batch_put(d->gpu, 0, batch->view.count, &poses, err)) return TN_ERROR_DEVICE;
    } else {
        d->changed |= change->what != TN_BATCH_STATE;
    }
    return status;
}
