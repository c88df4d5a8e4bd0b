/* batch_device.c: see batch_device.h. */
#include "batch_device.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../collision/collider.h"
#include "../device/device.h"
#include "../step/time_control.h"

#define TAKES                                                                                      \
    "on a device a batch takes free bodies and robots of spheres, capsules, cylinders and boxes, " \
    "without contacts of cylinders with each other and with boxes; use device cpu"

/* ---- what cannot run there ---- */

static void refuse(TnError *err, const char *what, const char *name)
{
    tn_error_add(err, TN_ERROR_USAGE, "batch: the model has %s%s%s%s; " TAKES, what,
                 name ? " ('" : "", name ? name : "", name ? "')" : "");
}

static void check_bodies(const TnModel *m, TnError *err)
{
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *sub = &m->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID || sub->kind == TN_SUBSYSTEM_TREE) continue;
        if (sub->kind == TN_SUBSYSTEM_SOFT)
            refuse(err, "a soft body", m->soft_names[0]);
        else
            refuse(err, "a cable", m->body_names[m->links[sub->link_start].body]);
        return;
    }
}

/* All of a world's: numbers of dofs and links have 7 bits there. */
#define MOST_OF_ROBOTS 128
static void check_robots(const TnModel *m, TnError *err)
{
    int dofs = 0, links = 0;
    for (int s = 0; s < m->subsystem_count; s++)
        if (m->subsystems[s].kind == TN_SUBSYSTEM_TREE) {
            dofs += m->subsystems[s].dof_count;
            links += m->subsystems[s].link_count;
        }
    if (dofs > MOST_OF_ROBOTS || links > MOST_OF_ROBOTS)
        refuse(err, "robots with more than 128 dofs or links", NULL);
}

/* Those on joints, without a state of their own. */
static void check_actuators(const TnModel *m, TnError *err)
{
    for (int i = 0; i < m->actuator_count; i++) {
        const TnActuator *a = &m->actuators[i];
        const char *what = a->muscles     ? "a muscle"
                           : a->act >= 0  ? "an actuator with an activation"
                           : a->body >= 0 ? "an actuator that makes a body stick"
                           : a->path >= 0 || a->tendon >= 0 || a->activation != TN_ACTIVATION_NONE
                               ? "an actuator that is not on a joint"
                               : NULL;
        if (!what) continue;
        refuse(err, what, m->actuator_names[i]);
        return;
    }
}

static bool has_edges(const TnSlot *slot)
{
    return slot->shape_type == TN_GEOM_CYLINDER || slot->shape_type == TN_GEOM_BOX;
}

/* A cylinder that may touch another one or a box: the first of the two, or -1. */
static int find_cylinder_pair(const TnCollider *c)
{
    for (int i = 0; i < c->moving_count; i++)
        for (int k = i + 1; has_edges(&c->slots[i]) && k < c->count; k++) {
            const TnSlot *a = &c->slots[i], *b = &c->slots[k];
            bool boxes = a->shape_type == TN_GEOM_BOX && b->shape_type == TN_GEOM_BOX;
            TnSlotPair pair;
            if (has_edges(b) && !boxes && tn_filter_pair(c, i, k, &pair)) return i;
        }
    return -1;
}

static void check_geoms(const TnWorld *world, TnError *err)
{
    const TnModel *m = world->model;
    const TnCollider *c = world->collider;
    for (int i = 0; i < c->count; i++) {
        const TnSurface *surface = &c->surfaces[c->slots[i].surface];
        TnGeomType type = c->slots[i].shape_type;
        bool known = type == TN_GEOM_PLANE || type == TN_GEOM_SPHERE || type == TN_GEOM_CAPSULE ||
                     type == TN_GEOM_CYLINDER || type == TN_GEOM_BOX;
        const char *what = surface->restitution > 0.0   ? "restitution"
                           : surface->dim > 3           ? "torsional or rolling friction"
                           : c->tri_meshes[i] || !known ? "a shape of another kind"
                                                        : NULL;
        if (!what) continue;
        refuse(err, what, m->geom_names[c->slots[i].geom]);
        return;
    }
    int first = find_cylinder_pair(c);
    if (first >= 0)
        refuse(err, "a cylinder that may touch another one or a box",
               m->geom_names[c->slots[first].geom]);
}

static void check_counts(const TnWorld *world, TnError *err)
{
    const TnModel *m = world->model;
    const TnWorldDef *def = &world->def;
    const struct {
        bool there;
        const char *what;
    } parts[] = {
        {m->equality_count > 0, "an equality"},          {m->tendon_count > 0, "a tendon"},
        {m->track_count > 0, "a track of controls"},     {m->wheel_count > 0, "a wheel"},
        {m->pair_count > 0, "an explicit contact pair"}, {m->drags != NULL, "a medium"},
        {m->has_lift, "gravity compensation"},           {m->sensor_count > 0, "a sensor"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].there) refuse(err, parts[i].what, NULL);
    const struct {
        bool there;
        const char *what;
    } options[] = {{def->sleep != TN_SLEEP_OFF, "sleeping"},
                   {def->substeps > 1, "sub-steps"},
                   {tn_accuracy_of(def, m) > 0.0, "an accuracy in time"},
                   {def->passes > 1, "a number of passes"},
                   {def->ranks != NULL, "several processes"},
                   {def->solver.anderson > 0, "Anderson acceleration"},
                   {def->solver.method != TN_METHOD_AUTO && def->solver.method != TN_METHOD_SUBADMM,
                    "a solver other than auto and subadmm"}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].there)
            tn_error_add(err, TN_ERROR_USAGE,
                         "batch: the options have %s, which a batch on a device does not take; use "
                         "device cpu",
                         options[i].what);
}

static bool check(const TnWorld *world, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    check_bodies(world->model, err);
    check_robots(world->model, err);
    check_actuators(world->model, err);
    check_geoms(world, err);
    check_counts(world, err);
    return err->count == before;
}

/* ---- making and ending ---- */

static double *rows(const TnBatch *batch, int width)
{
    return tn_calloc((size_t)batch->view.count * (size_t)width + 1, sizeof(double));
}

static bool take_memory(TnBatch *batch)
{
    TnBatchDevice *d = batch->device;
    const TnModel *m = d->world->model;
    size_t n = (size_t)batch->view.count;
    d->qpos = rows(batch, m->qpos_count);
    d->qvel = rows(batch, m->dof_count);
    d->ctrl = rows(batch, m->actuator_count);
    d->time = rows(batch, 1);
    d->gravity = rows(batch, 3);
    d->timestep = rows(batch, 1);
    d->mocap = rows(batch, 7 * m->mocap_count);
    d->diverged = tn_calloc(n, 1);
    d->reports = tn_calloc(n, sizeof *d->reports);
    if (!d->qpos || !d->qvel || !d->ctrl || !d->time || !d->gravity || !d->timestep || !d->mocap ||
        !d->diverged || !d->reports)
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(d->gravity + 3 * i, m->option.gravity, sizeof(double[3]));
        d->timestep[i] = m->option.timestep;
    }
    d->changed = true;
    return true;
}

bool tn_batch_device_create(TnBatch *batch, const TnWorldDef *def, const TnModel *model,
                            TnError *err)
{
    TnGpuInfo info;
    TnWorldDef here = *def;
    here.device = TN_DEVICE_CPU;
    here.thread_count = 1;
    if (!tn_gpu_info(&info, err)) return false;
    TnBatchDevice *d = batch->device = tn_calloc(1, sizeof *d);
    if (d) d->world = tn_world_create(&here, model, err);
    if (d && !d->world) return false;
    if (!d || !take_memory(batch)) {
        tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory for %d worlds", batch->view.count);
        return false;
    }
    if (!check(d->world, err)) return false;
    TnGpuDef options = tn_device_def(d->world);
    options.float64 = def->device == TN_DEVICE_CUDA64;
    d->gpu =
        tn_gpu_batch_create(d->world->model, d->world->collider, &options, batch->view.count, err);
    if (!d->gpu) return false;
    tn_batch_device_restart(batch, NULL, def->key);
    return tn_batch_fetch(batch, err) == TN_OK;
}

void tn_batch_device_destroy(TnBatch *batch)
{
    TnBatchDevice *d = batch->device;
    if (!d) return;
    tn_gpu_batch_destroy(d->gpu);
    tn_world_destroy(d->world);
    tn_free(d->qpos);
    tn_free(d->qvel);
    tn_free(d->ctrl);
    tn_free(d->time);
    tn_free(d->gravity);
    tn_free(d->timestep);
    tn_free(d->mocap);
    tn_free(d->diverged);
    tn_free(d->reports);
    tn_free(d->links);
    tn_free(d->surfaces);
    tn_free(d->joints);
    tn_free(d->actuators);
    tn_free(d);
}

/* ---- rows there and back ---- */

/* The arrays as the caller sees them. */
static TnGpuRows host_rows(const TnBatch *batch)
{
    const TnBatchView *view = &batch->view;
    return (TnGpuRows){.time = batch->time,
                       .qpos = view->qpos,
                       .qvel = view->qvel,
                       .diverged = view->diverged,
                       .ctrl = view->ctrl};
}

static void copy(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, sizeof(double) * count);
}

/* What the caller sees is what was copied. */
static void note_copies(TnBatch *batch)
{
    const TnBatchView *view = &batch->view;
    TnBatchDevice *d = batch->device;
    size_t n = (size_t)view->count;
    copy(d->qpos, view->qpos, n * (size_t)view->qpos_count);
    copy(d->qvel, view->qvel, n * (size_t)view->dof_count);
    copy(d->ctrl, view->ctrl, n * (size_t)view->ctrl_count);
    memcpy(d->diverged, view->diverged, n);
}

static void write_reports(TnBatch *batch)
{
    TnBatchDevice *d = batch->device;
    double tolerance = tn_device_def(d->world).tolerance;
    for (int i = 0; i < batch->view.count; i++) {
        const TnGpuReport *from = &d->reports[i];
        bool diverged = batch->view.diverged[i];
        batch->reports[i] =
            (TnStepReport){.iterations = from->iterations,
                           .contact_count = from->contact_count,
                           .error = from->error,
                           .rigid_error = from->rigid_error,
                           .rough = from->error > 1.0,
                           .mean_penetration = from->mean_penetration,
                           .max_penetration = from->max_penetration,
                           .converged = !diverged && (tolerance == 0.0 || from->error < tolerance),
                           .diverged = diverged};
        batch->reports[i].residual = from->error * tn_world_velocity_scale(d->world);
    }
}

TnStatus tn_batch_fetch(TnBatch *batch, TnError *err)
{
    TnGpuRows here;
    if (!batch) return tn_batch_refuse(err, "no batch");
    if (!batch->device) return TN_OK;
    here = host_rows(batch);
    if (!tn_gpu_batch_get(batch->device->gpu, &here, err) ||
        !tn_gpu_batch_reports(batch->device->gpu, batch->device->reports, err))
        return TN_ERROR_DEVICE;
    note_copies(batch);
    write_reports(batch);
    return TN_OK;
}

static bool row_differs(const TnBatch *batch, int index)
{
    const TnBatchView *view = &batch->view;
    const TnBatchDevice *d = batch->device;
    size_t i = (size_t)index, q = (size_t)view->qpos_count, v = (size_t)view->dof_count;
    return memcmp(view->qpos + i * q, d->qpos + i * q, sizeof(double) * q) != 0 ||
           memcmp(view->qvel + i * v, d->qvel + i * v, sizeof(double) * v) != 0;
}

/* The row as a world has it; false: it is refused, and gets back what was copied last. */
static bool check_row(TnBatch *batch, int index, TnError *err)
{
    const TnBatchView *view = &batch->view;
    TnBatchDevice *d = batch->device;
    size_t i = (size_t)index, q = (size_t)view->qpos_count, v = (size_t)view->dof_count;
    TnError why = {0};
    if (tn_world_set_state(d->world, view->qpos + i * q, view->qvel + i * v, &why) != TN_OK) {
        tn_error_add(err, TN_ERROR_USAGE, "batch: world %d: %s", index, why.message);
        copy(view->qpos + i * q, d->qpos + i * q, q);
        copy(view->qvel + i * v, d->qvel + i * v, v);
        return false;
    }
    TnStateView state = tn_world_state(d->world);
    copy(view->qpos + i * q, state.qpos, q);
    copy(view->qvel + i * v, state.qvel, v);
    view->diverged[index] = 0;
    return true;
}

/* Controls that were written since; NaN is refused, and the row gets back what was copied last. */
static TnStatus push_controls(TnBatch *batch, TnError *err)
{
    const TnBatchView *view = &batch->view;
    TnBatchDevice *d = batch->device;
    size_t n = (size_t)view->ctrl_count, bytes = sizeof(double) * n;
    bool changed = false, fits = true;
    for (int i = 0; n && i < view->count; i++) {
        double *row = view->ctrl + (size_t)i * n, *last = d->ctrl + (size_t)i * n;
        TnError why = {0};
        if (memcmp(row, last, bytes) == 0) continue;
        if (tn_world_set_ctrl(d->world, row, &why) == TN_OK) {
            changed = true;
            continue;
        }
        fits = false;
        tn_error_add(err, TN_ERROR_USAGE, "batch: world %d: %s", i, why.message);
        memcpy(row, last, bytes);
    }
    if (!fits) return TN_ERROR_USAGE;
    for (int i = 0; changed && i < view->count;) { /* runs of rows that were written */
        int end = i;
        while (end < view->count &&
               memcmp(view->ctrl + (size_t)end * n, d->ctrl + (size_t)end * n, bytes) != 0)
            end++;
        TnGpuRows from = {.ctrl = view->ctrl};
        if (end > i && !tn_gpu_batch_put(d->gpu, i, end - i, &from, err)) return TN_ERROR_DEVICE;
        i = end > i ? end : i + 1;
    }
    return TN_OK;
}

/* Parameters that were set since. */
static TnStatus push_parameters(TnBatch *batch, TnError *err)
{
    TnBatchDevice *d = batch->device;
    const TnGpuParameters all = {.gravity = d->gravity,
                                 .timestep = d->timestep,
                                 .links = d->links,
                                 .surfaces = d->surfaces,
                                 .joints = d->joints,
                                 .actuators = d->actuators};
    if (d->changed && !tn_gpu_batch_parameters(d->gpu, &all, err)) return TN_ERROR_DEVICE;
    d->changed = false;
    return TN_OK;
}

TnStatus tn_batch_device_push(TnBatch *batch, TnError *err)
{
    const TnBatchView *view = &batch->view;
    TnBatchDevice *d = batch->device;
    bool fits = true;
    TnStatus status = push_parameters(batch, err);
    if (status == TN_OK) status = push_controls(batch, err);
    if (status != TN_OK) return status;
    for (int i = 0; i < view->count; i++) {
        batch->refused[i] = row_differs(batch, i) ? 1 : 0;
        if (batch->refused[i] && !check_row(batch, i, err)) fits = false;
        if (view->diverged[i] != d->diverged[i]) batch->refused[i] = 1;
    }
    if (!fits) return TN_ERROR_USAGE;
    for (int i = 0; i < view->count;) { /* runs of rows that were written */
        int end = i;
        while (end < view->count && batch->refused[end]) end++;
        TnGpuRows from = host_rows(batch);
        from.time = from.ctrl = NULL;
        if (end > i && !tn_gpu_batch_put(d->gpu, i, end - i, &from, err)) return TN_ERROR_DEVICE;
        i = end > i ? end : i + 1;
    }
    memset(batch->refused, 0, (size_t)view->count);
    note_copies(batch);
    return TN_OK;
}

/* ---- steps ---- */

TnStatus tn_batch_device_advance(TnBatch *batch, int steps, const uint8_t *mask, TnError *err)
{
    TnStatus status = tn_batch_device_push(batch, err);
    if (status != TN_OK) return status;
    if (!tn_gpu_batch_step(batch->device->gpu, steps, mask, false, err)) return TN_ERROR_DEVICE;
    return tn_batch_fetch(batch, err);
}

void tn_batch_device_restart(TnBatch *batch, const uint8_t *mask, TnKeyId key)
{
    TnBatchDevice *d = batch->device;
    tn_world_reset(d->world, key);
    TnStateView state = tn_world_state(d->world);
    if (tn_gpu_batch_reset(d->gpu, mask, false, state.qpos, state.qvel, state.ctrl, NULL))
        (void)tn_batch_fetch(batch, NULL);
}

/* The k-th controls of a rollout. */
static void set_controls(TnBatch *batch, const TnRollout *rollout, int k)
{
    const TnBatchView *view = &batch->view;
    size_t n = (size_t)view->ctrl_count;
    for (int i = 0; i < view->count; i++) {
        size_t w = (size_t)i, at = w * (size_t)rollout->length + (size_t)k;
        if ((rollout->mask && !rollout->mask[i]) || view->diverged[i]) continue;
        copy(view->ctrl + w * n, rollout->ctrl + at * n, n);
    }
}

TnStatus tn_batch_device_rollout(TnBatch *batch, const TnRollout *rollout, TnError *err)
{
    const TnBatchView *view = &batch->view;
    size_t q = (size_t)view->qpos_count, v = (size_t)view->dof_count;
    bool looks = rollout->time || rollout->qpos || rollout->qvel || rollout->diverged;
    bool drives = rollout->ctrl && view->ctrl_count > 0;
    if (!looks && !drives) /* all steps in one go */
        return tn_batch_device_advance(batch, (rollout->end - rollout->begin) * rollout->repeat,
                                       rollout->mask, err);
    TnStatus status = TN_OK;
    for (int k = rollout->begin; k < rollout->end && status == TN_OK; k++) {
        if (drives) set_controls(batch, rollout, k);
        status = tn_batch_device_advance(batch, rollout->repeat, rollout->mask, err);
        for (int i = 0; i < view->count && status == TN_OK; i++) {
            size_t w = (size_t)i, at = w * (size_t)rollout->length + (size_t)k;
            if (rollout->mask && !rollout->mask[i]) continue;
            if (rollout->time) rollout->time[at] = view->time[i];
            if (rollout->qpos) copy(rollout->qpos + at * q, view->qpos + w * q, q);
            if (rollout->qvel) copy(rollout->qvel + at * v, view->qvel + w * v, v);
            if (rollout->diverged) rollout->diverged[at] = view->diverged[i];
        }
    }
    return status;
}

/* ---- for code on the device ---- */

TnBatchDeviceView tn_batch_device_view(const TnBatch *batch)
{
    if (!batch || !batch->device) return (TnBatchDeviceView){0};
    TnGpuRows rows_there = tn_gpu_batch_rows(batch->device->gpu);
    return (TnBatchDeviceView){.memory = tn_gpu_batch_memory(),
                               .time = rows_there.time,
                               .qpos = rows_there.qpos,
                               .qvel = rows_there.qvel,
                               .diverged = rows_there.diverged,
                               .mocap = rows_there.mocap,
                               .ctrl = rows_there.ctrl};
}

TnStatus tn_batch_device_step(TnBatch *batch, int steps, const uint8_t *mask, TnError *err)
{
    if (!batch || !batch->device) return tn_batch_refuse(err, "the batch is not on a device");
    if (steps < 0) return tn_batch_refuse(err, "steps must be 0 or more");
    TnStatus status = push_parameters(batch, err);
    if (status != TN_OK) return status;
    return tn_gpu_batch_step(batch->device->gpu, steps, mask, true, err) ? TN_OK : TN_ERROR_DEVICE;
}

TnStatus tn_batch_device_reset(TnBatch *batch, const uint8_t *mask, TnKeyId key, TnError *err)
{
    if (!batch || !batch->device) return tn_batch_refuse(err, "the batch is not on a device");
    TnBatchDevice *d = batch->device;
    if (key < 0 || key > d->world->model->key_count)
        return tn_batch_refuse(err, "there is no such key");
    tn_world_reset(d->world, key);
    TnStateView state = tn_world_state(d->world);
    return tn_gpu_batch_reset(d->gpu, mask, true, state.qpos, state.qvel, state.ctrl, err)
               ? TN_OK
               : TN_ERROR_DEVICE;
}
