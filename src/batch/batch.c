/* batch.c: many worlds of one model.
 *
 * Each world is a whole TnWorld. A row of the batch's arrays is compared with the state of its
 * world before a step, byte by byte; only what differs is set. Threads take whole worlds, so what a
 * world computes cannot depend on their number. */
#include "batch.h"

#include <string.h>

#include "../base/base.h"
#include "batch_device.h"

#define MAX_COUNT 1000000

TnBatchDef tn_batch_def(void)
{
    return (TnBatchDef){.count = 1, .thread_count = 1, .world = tn_world_def()};
}

static bool check_def(const TnBatchDef *def, const TnModel *model, TnError *err)
{
    TnError local = {0};
    if (!err) err = &local;
    int before = err->count;
    if (!model) {
        if (err->count == 0) tn_error_add(err, TN_ERROR_USAGE, "batch: no model");
        return false;
    }
    if (!def) {
        tn_error_add(err, TN_ERROR_USAGE, "batch: no definition");
        return false;
    }
    if (def->count < 1 || def->count > MAX_COUNT)
        tn_error_add(err, TN_ERROR_USAGE, "batch: count is %d, must be 1 to %d", def->count,
                     MAX_COUNT);
    if (def->thread_count < 1 || def->thread_count > 64)
        tn_error_add(err, TN_ERROR_USAGE, "batch: thread_count is %d, must be 1 to 64",
                     def->thread_count);
    else if (def->thread_count > 1 && def->world.thread_count > 1)
        tn_error_add(err, TN_ERROR_USAGE,
                     "batch: either the batch or its worlds may have several threads");
    return err->count == before;
}

static double *rows(int count, int width)
{
    return tn_calloc((size_t)count * (size_t)width + 1, sizeof(double));
}

static bool create_arrays(TnBatch *batch, int count, const TnModelInfo *info)
{
    TnBatchView *view = &batch->view;
    *view = (TnBatchView){.count = count,
                          .qpos_count = info->qpos_count,
                          .dof_count = info->dof_count,
                          .ctrl_count = info->actuator_count,
                          .act_count = info->act_count,
                          .sensor_data_count = info->sensor_data_count};
    view->time = batch->time = rows(count, 1);
    view->qpos = rows(count, view->qpos_count);
    view->qvel = rows(count, view->dof_count);
    view->ctrl = rows(count, view->ctrl_count);
    view->act = rows(count, view->act_count);
    view->diverged = tn_calloc((size_t)count, 1);
    view->reports = batch->reports = tn_calloc((size_t)count, sizeof(TnStepReport));
    batch->refused = tn_calloc((size_t)count, 1);
    batch->worlds = tn_calloc((size_t)count, sizeof(TnWorld *));
    return view->time && view->qpos && view->qvel && view->ctrl && view->act && view->diverged &&
           view->reports && batch->refused && batch->worlds;
}

/* What makes the other worlds: each is touched first by the thread that steps it. */
typedef struct Making {
    TnBatch *batch;
    const TnWorldDef *def;
    const TnModel *model;
} Making;

static void make_world(void *context, int index)
{
    const Making *making = context;
    TnBatch *batch = making->batch;
    if (!batch->worlds[index])
        batch->worlds[index] = tn_world_create(making->def, making->model, NULL);
    batch->refused[index] = !batch->worlds[index];
    if (batch->worlds[index]) tn_batch_pull(batch, index);
}

/* The first world tells whether the definition is all right. */
static bool create_worlds(TnBatch *batch, const TnWorldDef *def, const TnModel *model, TnError *err)
{
    Making making = {batch, def, model};
    batch->worlds[0] = tn_world_create(def, model, err);
    if (!batch->worlds[0]) return false;
    tn_batch_share(batch, (TnBatchWork){{make_world, NULL}, NULL, &making});
    if (tn_batch_rows_fit(batch)) return true;
    tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory for %d worlds", batch->view.count);
    return false;
}

TnBatch *tn_batch_create(const TnBatchDef *def, const TnModel *model, TnError *err)
{
    if (!check_def(def, model, err)) return NULL;
    TnModelInfo info = tn_model_info(model);
    TnBatch *batch = tn_calloc(1, sizeof *batch);
    if (batch) batch->alive = TN_ALIVE;
    bool ok = batch && create_arrays(batch, def->count, &info) &&
              tn_batch_share_init(batch, def->thread_count);
    if (!ok) tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory");
    bool there = def->world.device != TN_DEVICE_CPU && def->count > 1; /* one may be large */
    if (ok && (there ? tn_batch_device_create(batch, &def->world, model, err)
                     : create_worlds(batch, &def->world, model, err)))
        return batch;
    tn_batch_destroy(batch);
    return NULL;
}

void tn_batch_destroy(TnBatch *batch)
{
    TN_ASSERT_ALIVE(batch);
    if (!batch) return;
    TnBatchView *view = &batch->view;
    for (int i = 0; batch->worlds && i < view->count; i++) tn_world_destroy(batch->worlds[i]);
    tn_batch_device_destroy(batch);
    tn_batch_share_free(batch);
    tn_free(batch->worlds);
    tn_free(batch->time);
    tn_free(view->qpos);
    tn_free(view->qvel);
    tn_free(view->ctrl);
    tn_free(view->act);
    tn_free(view->diverged);
    tn_free(batch->reports);
    tn_free(batch->refused);
    tn_free(batch);
}

TnBatchView tn_batch_view(const TnBatch *batch) { return batch ? batch->view : (TnBatchView){0}; }

TnWorld *tn_batch_world(const TnBatch *batch, int index)
{
    return tn_batch_has(batch, index) ? batch->worlds[index] : NULL;
}

static double *row(double *array, int index, int width)
{
    return array + (size_t)index * (size_t)width;
}

static bool differ(const double *a, const double *b, int count)
{
    return count > 0 && memcmp(a, b, sizeof(double) * (size_t)count) != 0;
}

static void copy(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

void tn_batch_pull(TnBatch *batch, int index)
{
    if (!tn_batch_has(batch, index)) return;
    if (batch->device) {
        (void)tn_batch_fetch(batch, NULL);
        return;
    }
    const TnBatchView *view = &batch->view;
    TnStateView state = tn_world_state(batch->worlds[index]);
    batch->time[index] = state.time;
    copy(row(view->qpos, index, view->qpos_count), state.qpos, view->qpos_count);
    copy(row(view->qvel, index, view->dof_count), state.qvel, view->dof_count);
    copy(row(view->ctrl, index, view->ctrl_count), state.ctrl, view->ctrl_count);
    copy(row(view->act, index, view->act_count), state.act, view->act_count);
}

static TnStatus set_what_differs(TnBatch *batch, int index, TnError *err)
{
    const TnBatchView *view = &batch->view;
    TnWorld *world = batch->worlds[index];
    TnStateView state = tn_world_state(world);
    const double *qpos = row(view->qpos, index, view->qpos_count),
                 *qvel = row(view->qvel, index, view->dof_count),
                 *ctrl = row(view->ctrl, index, view->ctrl_count),
                 *act = row(view->act, index, view->act_count);
    bool moved = differ(qpos, state.qpos, view->qpos_count),
         pushed = differ(qvel, state.qvel, view->dof_count);
    TnStatus status = TN_OK;
    if (moved || pushed) {
        status = tn_world_set_state(world, moved ? qpos : NULL, pushed ? qvel : NULL, err);
        if (status == TN_OK) view->diverged[index] = 0;
    }
    if (status == TN_OK && differ(ctrl, state.ctrl, view->ctrl_count))
        status = tn_world_set_ctrl(world, ctrl, err);
    if (status == TN_OK && differ(act, state.act, view->act_count))
        status = tn_world_set_act(world, act, err);
    return status;
}

TnStatus tn_batch_push(TnBatch *batch, int index, TnError *err)
{
    if (!tn_batch_has(batch, index)) {
        tn_error_add(err, TN_ERROR_USAGE, "batch: there is no world %d", index);
        return TN_ERROR_USAGE;
    }
    if (batch->device) return tn_batch_device_push(batch, err);
    TnStatus status = set_what_differs(batch, index, err);
    tn_batch_pull(batch, index);
    return status;
}

TnStatus tn_batch_refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "batch: %s", why);
    return TN_ERROR_USAGE;
}

/* ---- rows ---- */

void tn_batch_push_row(TnBatch *batch, int index)
{
    batch->refused[index] = set_what_differs(batch, index, NULL) != TN_OK;
}

bool tn_batch_rows_fit(const TnBatch *batch)
{
    return !memchr(batch->refused, 1, (size_t)batch->view.count);
}

/* They are asked for their reasons one after the other, in order. */
TnStatus tn_batch_rows_error(TnBatch *batch, TnError *err)
{
    TnStatus status = TN_OK;
    for (int i = 0; i < batch->view.count; i++) {
        if (!batch->refused[i]) continue;
        TnError why = {0};
        status = tn_batch_push(batch, i, &why);
        tn_error_add(err, status, "batch: world %d: %s", i, why.message);
    }
    return status;
}

/* ---- steps ---- */

typedef struct Task {
    TnBatch *batch;
    const uint8_t *mask;
    TnKeyId key;
} Task;

static void push_phase(void *context, int index)
{
    tn_batch_push_row(((const Task *)context)->batch, index);
}

static bool rows_fit(void *context) { return tn_batch_rows_fit(((const Task *)context)->batch); }

void tn_batch_step_row(TnBatch *batch, int index)
{
    batch->reports[index] = tn_world_step(batch->worlds[index]);
    batch->view.diverged[index] = batch->reports[index].diverged;
}

static void step_phase(void *context, int index)
{
    const Task *task = context;
    TnBatch *batch = task->batch;
    bool rests = (task->mask && !task->mask[index]) || batch->view.diverged[index];
    if (!rests) tn_batch_step_row(batch, index);
    tn_batch_pull(batch, index);
}

TnStatus tn_batch_step(TnBatch *batch, const uint8_t *mask, TnError *err)
{
    TN_ASSERT_ALIVE(batch);
    if (!batch) return tn_batch_refuse(err, "no batch");
    if (batch->device) return tn_batch_device_advance(batch, 1, mask, err);
    Task task = {.batch = batch, .mask = mask};
    tn_batch_share(batch, (TnBatchWork){{push_phase, step_phase}, rows_fit, &task});
    return tn_batch_rows_error(batch, err);
}

/* Of worlds on a device. */
static TnStatus step_row_there(TnBatch *batch, int index, TnError *err)
{
    uint8_t *mask = tn_calloc((size_t)batch->view.count, 1);
    if (!mask) {
        tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory");
        return TN_ERROR_MEMORY;
    }
    mask[index] = 1;
    batch->view.diverged[index] = 0;
    TnStatus status = tn_batch_device_advance(batch, 1, mask, err);
    tn_free(mask);
    return status;
}

TnStatus tn_batch_step_world(TnBatch *batch, int index, TnError *err)
{
    if (!tn_batch_has(batch, index)) return tn_batch_refuse(err, "there is no such world");
    if (batch->device) return step_row_there(batch, index, err);
    TnStatus status = set_what_differs(batch, index, err);
    if (status == TN_OK) tn_batch_step_row(batch, index);
    tn_batch_pull(batch, index);
    return status;
}

void tn_batch_step_bare(TnBatch *batch, int index)
{
    if (!tn_batch_has(batch, index)) return;
    if (batch->device) {
        (void)step_row_there(batch, index, NULL);
        return;
    }
    tn_batch_step_row(batch, index);
    batch->time[index] = tn_world_state(batch->worlds[index]).time;
}

/* ---- resets ---- */

static void reset_phase(void *context, int index)
{
    const Task *task = context;
    TnBatch *batch = task->batch;
    if (task->mask && !task->mask[index]) return;
    tn_world_reset(batch->worlds[index], task->key);
    batch->view.diverged[index] = 0;
    batch->reports[index] = (TnStepReport){0};
    tn_batch_pull(batch, index);
}

void tn_batch_reset(TnBatch *batch, const uint8_t *mask, TnKeyId key)
{
    if (!batch) return;
    const TnWorld *first = batch->device ? batch->device->world : batch->worlds[0];
    if (key < 0 || key > tn_model_info(tn_world_model(first)).key_count) return;
    if (batch->device) {
        tn_batch_device_restart(batch, mask, key);
        return;
    }
    Task task = {.batch = batch, .mask = mask, .key = key};
    tn_batch_share(batch, (TnBatchWork){{reset_phase, NULL}, NULL, &task});
}
