/* batch.c: many worlds of one model.
 *
 * Each world is a whole TnWorld. A row of the batch's arrays is compared with the state of its
 * world before a step, byte by byte; only what differs is set. Threads take whole worlds, so what a
 * world computes cannot depend on their number. */
#include <tenon/batch.h>

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/pool.h"

#define MAX_COUNT 1000000

struct TnBatch {
    TnWorld **worlds;
    TnPool *pool;
    TnBatchView view;
    double *time;
    TnStepReport *reports;
    uint8_t *refused; /* per world: its row, in the push that runs */
};

TnBatchDef tn_batch_def(void)
{
    return (TnBatchDef){.count = 1, .thread_count = 1, .world = tn_world_def()};
}

TnRollout tn_rollout(void) { return (TnRollout){.repeat = 1}; }

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

TnBatch *tn_batch_create(const TnBatchDef *def, const TnModel *model, TnError *err)
{
    if (!check_def(def, model, err)) return NULL;
    TnModelInfo info = tn_model_info(model);
    TnBatch *batch = tn_calloc(1, sizeof *batch);
    bool ok = batch && create_arrays(batch, def->count, &info);
    if (ok) ok = (batch->pool = tn_pool_create(def->thread_count)) != NULL;
    if (!ok) tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory or no threads");
    for (int i = 0; ok && i < def->count; i++) {
        ok = (batch->worlds[i] = tn_world_create(&def->world, model, err)) != NULL;
        if (ok) tn_batch_pull(batch, i);
    }
    if (ok) return batch;
    tn_batch_destroy(batch);
    return NULL;
}

void tn_batch_destroy(TnBatch *batch)
{
    if (!batch) return;
    TnBatchView *view = &batch->view;
    for (int i = 0; batch->worlds && i < view->count; i++) tn_world_destroy(batch->worlds[i]);
    tn_pool_destroy(batch->pool);
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

static bool has(const TnBatch *batch, int index)
{
    return batch && index >= 0 && index < batch->view.count;
}

TnWorld *tn_batch_world(const TnBatch *batch, int index)
{
    return has(batch, index) ? batch->worlds[index] : NULL;
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
    if (!has(batch, index)) return;
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
    if (!has(batch, index)) {
        tn_error_add(err, TN_ERROR_USAGE, "batch: there is no world %d", index);
        return TN_ERROR_USAGE;
    }
    TnStatus status = set_what_differs(batch, index, err);
    tn_batch_pull(batch, index);
    return status;
}

typedef struct Task {
    TnBatch *batch;
    const uint8_t *mask;
    const TnRollout *rollout;
    double *data;
} Task;

static bool rests(const Task *task, int i)
{
    return (task->mask && !task->mask[i]) || task->batch->view.diverged[i];
}

static void push_range(void *context, int begin, int end)
{
    const Task *task = context;
    for (int i = begin; i < end; i++)
        task->batch->refused[i] = set_what_differs(task->batch, i, NULL) != TN_OK;
}

/* Rows that were refused are asked for their reasons one after the other, in order. */
static TnStatus push_all(const Task *task, TnError *err)
{
    TnBatch *batch = task->batch;
    TnStatus status = TN_OK;
    tn_pool_run(batch->pool, batch->view.count, 1, push_range, (void *)task);
    for (int i = 0; i < batch->view.count; i++) {
        if (!batch->refused[i]) continue;
        TnError why = {0};
        status = tn_batch_push(batch, i, &why);
        tn_error_add(err, status, "batch: world %d: %s", i, why.message);
    }
    return status;
}

static void step_row(TnBatch *batch, int index)
{
    batch->reports[index] = tn_world_step(batch->worlds[index]);
    batch->view.diverged[index] = batch->reports[index].diverged;
}

static void step_range(void *context, int begin, int end)
{
    const Task *task = context;
    for (int i = begin; i < end; i++) {
        if (!rests(task, i)) step_row(task->batch, i);
        tn_batch_pull(task->batch, i);
    }
}

static TnStatus refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "batch: %s", why);
    return TN_ERROR_USAGE;
}

TnStatus tn_batch_step(TnBatch *batch, const uint8_t *mask, TnError *err)
{
    if (!batch) return refuse(err, "no batch");
    Task task = {.batch = batch, .mask = mask};
    TnStatus status = push_all(&task, err);
    if (status == TN_OK) tn_pool_run(batch->pool, batch->view.count, 1, step_range, &task);
    return status;
}

TnStatus tn_batch_step_world(TnBatch *batch, int index, TnError *err)
{
    if (!has(batch, index)) return refuse(err, "there is no such world");
    TnStatus status = set_what_differs(batch, index, err);
    if (status == TN_OK) step_row(batch, index);
    tn_batch_pull(batch, index);
    return status;
}

void tn_batch_step_bare(TnBatch *batch, int index)
{
    if (!has(batch, index)) return;
    step_row(batch, index);
    batch->time[index] = tn_world_state(batch->worlds[index]).time;
}

static void reset_row(TnBatch *batch, int index, TnKeyId key)
{
    tn_world_reset(batch->worlds[index], key);
    batch->view.diverged[index] = 0;
    batch->reports[index] = (TnStepReport){0};
    tn_batch_pull(batch, index);
}

void tn_batch_reset(TnBatch *batch, const uint8_t *mask, TnKeyId key)
{
    if (!batch || key < 0 || key > tn_model_info(tn_world_model(batch->worlds[0])).key_count)
        return;
    for (int i = 0; i < batch->view.count; i++)
        if (!mask || mask[i]) reset_row(batch, i, key);
}

static void sensors_range(void *context, int begin, int end)
{
    const Task *task = context;
    for (int i = begin; i < end; i++)
        task->batch->refused[i] =
            tn_world_sensors(task->batch->worlds[i],
                             row(task->data, i, task->batch->view.sensor_data_count),
                             NULL) != TN_OK;
}

TnStatus tn_batch_sensors(TnBatch *batch, double *data, TnError *err)
{
    if (!batch || !data) return refuse(err, "batch and data must be given");
    Task task = {.batch = batch, .data = data};
    TnStatus status = push_all(&task, err);
    if (status != TN_OK) return status;
    for (int i = 0; i < batch->view.count; i++) tn_batch_pull(batch, i);
    tn_pool_run(batch->pool, batch->view.count, 1, sensors_range, &task);
    for (int i = 0; i < batch->view.count; i++)
        if (batch->refused[i])
            status = tn_world_sensors(batch->worlds[i], row(data, i, batch->view.sensor_data_count),
                                      err);
    return status;
}

/* What a rollout says after control k. */
static bool note(const Task *task, int index, int k)
{
    const TnBatchView *view = &task->batch->view;
    const TnRollout *out = task->rollout;
    TnWorld *world = task->batch->worlds[index];
    TnStateView state = tn_world_state(world);
    size_t place = (size_t)index * (size_t)out->length + (size_t)k;
    if (out->time) out->time[place] = state.time;
    if (out->qpos) copy(out->qpos + place * (size_t)view->qpos_count, state.qpos, view->qpos_count);
    if (out->qvel) copy(out->qvel + place * (size_t)view->dof_count, state.qvel, view->dof_count);
    if (out->act) copy(out->act + place * (size_t)view->act_count, state.act, view->act_count);
    return !out->sensors ||
           tn_world_sensors(world, out->sensors + place * (size_t)view->sensor_data_count, NULL) ==
               TN_OK;
}

static void rollout_world(const Task *task, int index)
{
    TnBatch *batch = task->batch;
    const TnRollout *rollout = task->rollout;
    int width = batch->view.ctrl_count;
    for (int k = rollout->begin; k < rollout->end; k++) {
        if (rollout->ctrl && width > 0 && !batch->view.diverged[index])
            tn_world_set_ctrl(batch->worlds[index],
                              rollout->ctrl +
                                  ((size_t)index * (size_t)rollout->length + (size_t)k) *
                                      (size_t)width,
                              NULL);
        for (int s = 0; s < rollout->repeat && !batch->view.diverged[index]; s++)
            step_row(batch, index);
        if (!note(task, index, k)) batch->refused[index] = 1;
    }
}

static void rollout_range(void *context, int begin, int end)
{
    const Task *task = context;
    for (int i = begin; i < end; i++) {
        if (!task->mask || task->mask[i]) rollout_world(task, i);
        tn_batch_pull(task->batch, i);
    }
}

static TnStatus check_rollout(const TnBatch *batch, const TnRollout *rollout, TnError *err)
{
    int length = rollout->length, width = batch->view.ctrl_count;
    if (length < 1 || rollout->repeat < 1)
        return refuse(err, "length and repeat of a rollout must be 1 or more");
    if (rollout->begin < 0 || rollout->end < rollout->begin || rollout->end > length)
        return refuse(err, "a rollout must begin and end within its length");
    for (int i = 0; rollout->ctrl && i < batch->view.count; i++) {
        if (rollout->mask && !rollout->mask[i]) continue;
        const double *ctrl = rollout->ctrl + (size_t)i * (size_t)length * (size_t)width;
        for (int k = rollout->begin * width; k < rollout->end * width; k++)
            if (!isfinite(ctrl[k])) {
                tn_error_add(err, TN_ERROR_USAGE, "batch: ctrl[%d, %d, %d] is not finite", i,
                             k / width, k % width);
                return TN_ERROR_USAGE;
            }
    }
    return TN_OK;
}

TnStatus tn_batch_rollout(TnBatch *batch, const TnRollout *rollout, TnError *err)
{
    if (!batch || !rollout) return refuse(err, "batch and rollout must be given");
    TnRollout whole = *rollout;
    if (whole.end == 0) whole.end = whole.length;
    TnStatus status = check_rollout(batch, &whole, err);
    if (status != TN_OK) return status;
    Task task = {.batch = batch, .mask = whole.mask, .rollout = &whole};
    status = push_all(&task, err);
    if (status != TN_OK) return status;
    tn_pool_run(batch->pool, batch->view.count, 1, rollout_range, &task);
    for (int i = 0; i < batch->view.count; i++)
        if (batch->refused[i]) return refuse(err, "no memory for the sensors");
    return TN_OK;
}
