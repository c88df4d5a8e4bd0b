/* batch_change.c: parameters and saved states of many worlds at once. Each world gets its row by
 * the same call as a lone world (world_change.c), on the batch's threads. */
#include "../base/base.h"
#include "batch_device.h"

typedef struct Change Change;
struct Change {
    TnBatch *batch;
    const uint8_t *mask;
    TnStatus (*set)(const Change *change, TnWorld *world, int index, TnError *err);
    int id;                   /* of a geom, a joint, … */
    const double *numbers[3]; /* with one row per world */
    const TnJointForces *forces;
    const void *const *states;
    const size_t *sizes;
    TnBatchParameter there; /* what it is on a device */
};

static const double *row(const double *numbers, int index, int width)
{
    return numbers ? numbers + (size_t)index * (size_t)width : NULL;
}

static void change_phase(void *context, int index)
{
    const Change *change = context;
    TnBatch *batch = change->batch;
    bool left_out = change->mask && !change->mask[index];
    batch->refused[index] =
        !left_out && change->set(change, batch->worlds[index], index, NULL) != TN_OK;
}

/* The same on a device. */
static TnStatus change_there(const Change *c, TnError *err)
{
    const TnBatchChange change = {.what = c->there,
                                  .id = c->id,
                                  .numbers = {c->numbers[0], c->numbers[1], c->numbers[2]},
                                  .forces = c->forces,
                                  .states = c->states,
                                  .sizes = c->sizes};
    if (c->there == TN_BATCH_NOT_THERE)
        return tn_batch_refuse(err, "this cannot be changed on a device; use device cpu");
    return tn_batch_device_change(c->batch, c->mask, &change, err);
}

/* Worlds that refused are asked for their reasons one after the other, in order. */
static TnStatus change_all(Change change, TnError *err)
{
    TnBatch *batch = change.batch;
    TnStatus status = TN_OK;
    if (batch->device) return change_there(&change, err);
    tn_batch_share(batch, (TnBatchWork){{change_phase, NULL}, NULL, &change});
    for (int i = 0; i < batch->view.count; i++) {
        if (!batch->refused[i]) continue;
        TnError why = {0};
        TnStatus now = change.set(&change, batch->worlds[i], i, &why);
        if (now == TN_OK) continue; /* there was no memory before, and now there is */
        status = now;
        tn_error_add(err, status, "batch: world %d: %s", i, why.message);
    }
    return status;
}

static TnStatus no_array(TnError *err)
{
    return tn_batch_refuse(err, "the batch and an array with one row per world must be given");
}

static TnStatus set_gravity(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_gravity(world, row(c->numbers[0], index, 3), err);
}

TnStatus tn_batch_set_gravity(TnBatch *batch, const uint8_t *mask, const double *gravity,
                              TnError *err)
{
    if (!batch || !gravity) return no_array(err);
    return change_all(
        (Change){batch, mask, set_gravity, .there = TN_BATCH_GRAVITY, .numbers = {gravity}}, err);
}

static TnStatus set_timestep(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_timestep(world, c->numbers[0][index], err);
}

TnStatus tn_batch_set_timestep(TnBatch *batch, const uint8_t *mask, const double *timestep,
                               TnError *err)
{
    if (!batch || !timestep) return no_array(err);
    return change_all(
        (Change){batch, mask, set_timestep, .there = TN_BATCH_TIMESTEP, .numbers = {timestep}},
        err);
}

static TnStatus set_geom_friction(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_geom_friction(world, c->id, row(c->numbers[0], index, 3), err);
}

TnStatus tn_batch_set_geom_friction(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                    const double *friction, TnError *err)
{
    if (!batch || !friction) return no_array(err);
    return change_all((Change){batch, mask, set_geom_friction, .there = TN_BATCH_FRICTION,
                               .id = geom, .numbers = {friction}},
                      err);
}

static TnStatus set_geom_size(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_geom_size(world, c->id, row(c->numbers[0], index, 3), err);
}

TnStatus tn_batch_set_geom_size(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                const double *size, TnError *err)
{
    if (!batch || !size) return no_array(err);
    return change_all((Change){batch, mask, set_geom_size, .id = geom, .numbers = {size}}, err);
}

static TnStatus set_geom_local_pose(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_geom_local_pose(world, c->id, row(c->numbers[0], index, 3),
                                        row(c->numbers[1], index, 4), err);
}

TnStatus tn_batch_set_geom_local_pose(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                      const double *pos, const double *quat, TnError *err)
{
    if (!batch || (!pos && !quat)) return no_array(err);
    return change_all(
        (Change){batch, mask, set_geom_local_pose, .id = geom, .numbers = {pos, quat}}, err);
}

static TnStatus set_site_local_pose(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_site_local_pose(world, c->id, row(c->numbers[0], index, 3),
                                        row(c->numbers[1], index, 4), err);
}

TnStatus tn_batch_set_site_local_pose(TnBatch *batch, const uint8_t *mask, TnSiteId site,
                                      const double *pos, const double *quat, TnError *err)
{
    if (!batch || (!pos && !quat)) return no_array(err);
    return change_all(
        (Change){batch, mask, set_site_local_pose, .id = site, .numbers = {pos, quat}}, err);
}

static TnStatus set_actuator(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_actuator(world, c->id, c->numbers[0][index], row(c->numbers[1], index, 3),
                                 err);
}

TnStatus tn_batch_set_actuator(TnBatch *batch, const uint8_t *mask, TnActuatorId actuator,
                               const double *gain, const double *bias, TnError *err)
{
    if (!batch || !gain) return no_array(err);
    return change_all((Change){batch, mask, set_actuator, .there = TN_BATCH_ACTUATOR,
                               .id = actuator, .numbers = {gain, bias}},
                      err);
}

static TnStatus set_joint_forces(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_joint_forces(world, c->id, &c->forces[index], err);
}

TnStatus tn_batch_set_joint_forces(TnBatch *batch, const uint8_t *mask, TnJointId joint,
                                   const TnJointForces *forces, TnError *err)
{
    if (!batch || !forces) return no_array(err);
    return change_all((Change){batch, mask, set_joint_forces, .there = TN_BATCH_JOINT, .id = joint,
                               .forces = forces},
                      err);
}

static TnStatus set_body_mass(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_body_mass(world, c->id, c->numbers[0][index], row(c->numbers[1], index, 3),
                                  row(c->numbers[2], index, 6), err);
}

TnStatus tn_batch_set_body_mass(TnBatch *batch, const uint8_t *mask, TnBodyId body,
                                const double *mass, const double *com, const double *inertia,
                                TnError *err)
{
    if (!batch || !mass) return no_array(err);
    return change_all((Change){batch, mask, set_body_mass, .there = TN_BATCH_MASS, .id = body,
                               .numbers = {mass, com, inertia}},
                      err);
}

static TnStatus set_mocap(const Change *c, TnWorld *world, int index, TnError *err)
{
    return tn_world_set_mocap(world, c->id, row(c->numbers[0], index, 3),
                              row(c->numbers[1], index, 4), err);
}

TnStatus tn_batch_set_mocap(TnBatch *batch, const uint8_t *mask, TnBodyId body, const double *pos,
                            const double *quat, TnError *err)
{
    if (!batch || !pos) return no_array(err);
    return change_all((Change){batch, mask, set_mocap, .there = TN_BATCH_MOCAP, .id = body,
                               .numbers = {pos, quat}},
                      err);
}

static TnStatus restore(const Change *c, TnWorld *world, int index, TnError *err)
{
    TnStatus status = tn_world_restore(world, c->states[index], c->sizes[index], err);
    if (status != TN_OK) return status;
    c->batch->view.diverged[index] = 0;
    tn_batch_pull(c->batch, index);
    return TN_OK;
}

TnStatus tn_batch_restore(TnBatch *batch, const uint8_t *mask, const void *const *states,
                          const size_t *sizes, TnError *err)
{
    if (!batch || !states || !sizes) return no_array(err);
    return change_all(
        (Change){batch, mask, restore, .there = TN_BATCH_STATE, .states = states, .sizes = sizes},
        err);
}
