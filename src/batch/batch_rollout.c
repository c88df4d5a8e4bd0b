/* batch_rollout.c: many steps of each world with controls known before. A thread takes a world
 * through all of its steps, so threads wait for each other only once. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../world/world.h"
#include "batch_device.h"

TnRollout tn_rollout(void) { return (TnRollout){.repeat = 1}; }

typedef struct Task {
    TnBatch *batch;
    TnRollout rollout;
} Task;

/* What there is after control k of this world: its place in an array of `width` numbers. */
static double *place(const Task *task, double *array, int index, int k, int width)
{
    return array + ((size_t)index * (size_t)task->rollout.length + (size_t)k) * (size_t)width;
}

static void write_numbers(const Task *task, double *array, int index, int k, const double *from,
                          int width)
{
    if (array && width > 0)
        memcpy(place(task, array, index, k, width), from, sizeof(double) * (size_t)width);
}

/* False: no memory for the sensors. */
static bool note(const Task *task, int index, int k)
{
    const TnBatchView *view = &task->batch->view;
    const TnRollout *out = &task->rollout;
    TnWorld *world = task->batch->worlds[index];
    TnStateView state = tn_world_state(world);
    write_numbers(task, out->time, index, k, &state.time, 1);
    write_numbers(task, out->qpos, index, k, state.qpos, view->qpos_count);
    write_numbers(task, out->qvel, index, k, state.qvel, view->dof_count);
    write_numbers(task, out->act, index, k, state.act, view->act_count);
    if (out->diverged)
        out->diverged[(size_t)index * (size_t)out->length + (size_t)k] = view->diverged[index];
    return !out->sensors || view->sensor_data_count == 0 ||
           tn_world_sensors(world, place(task, out->sensors, index, k, view->sensor_data_count),
                            NULL) == TN_OK;
}

static void take_control(const Task *task, int index, int k)
{
    TnBatch *batch = task->batch;
    const TnRollout *rollout = &task->rollout;
    int width = batch->view.ctrl_count;
    if (rollout->ctrl && width > 0 && !batch->view.diverged[index])
        tn_world_set_ctrl(batch->worlds[index],
                          place(task, (double *)rollout->ctrl, index, k, width), NULL);
    for (int s = 0; s < rollout->repeat && !batch->view.diverged[index]; s++) {
        /* only the last report is seen; reading clocks is some percent of a robot's step */
        batch->worlds[index]->untimed = s + 1 < rollout->repeat || k + 1 < rollout->end;
        tn_batch_step_row(batch, index);
    }
}

static void push_phase(void *context, int index)
{
    const Task *task = context;
    tn_batch_push_row(task->batch, index);
}

static void rollout_phase(void *context, int index)
{
    const Task *task = context;
    bool rests = task->rollout.mask && !task->rollout.mask[index];
    for (int k = task->rollout.begin; !rests && k < task->rollout.end; k++) {
        take_control(task, index, k);
        if (!note(task, index, k)) task->batch->refused[index] = 1;
    }
    task->batch->worlds[index]->untimed = false;
    tn_batch_pull(task->batch, index);
}

static TnStatus check_rollout(const TnBatch *batch, const TnRollout *rollout, TnError *err)
{
    int length = rollout->length, width = batch->view.ctrl_count;
    if (length < 1 || rollout->repeat < 1)
        return tn_batch_refuse(err, "length and repeat of a rollout must be 1 or more");
    if (rollout->begin < 0 || rollout->end < rollout->begin || rollout->end > length)
        return tn_batch_refuse(err, "a rollout must begin and end within its length");
    for (int i = 0; rollout->ctrl && i < batch->view.count; i++) {
        if (rollout->mask && !rollout->mask[i]) continue;
        const double *ctrl = rollout->ctrl + (size_t)i * (size_t)length * (size_t)width;
        for (long k = (long)rollout->begin * width; k < (long)rollout->end * width; k++)
            if (!isfinite(ctrl[k])) {
                tn_error_add(err, TN_ERROR_USAGE, "batch: ctrl[%d, %d, %d] is not finite", i,
                             (int)(k / width), (int)(k % width));
                return TN_ERROR_USAGE;
            }
    }
    return TN_OK;
}

TnStatus tn_batch_rollout(TnBatch *batch, const TnRollout *rollout, TnError *err)
{
    if (!batch || !rollout) return tn_batch_refuse(err, "batch and rollout must be given");
    Task task = {batch, *rollout};
    if (task.rollout.end == 0) task.rollout.end = task.rollout.length;
    TnStatus status = check_rollout(batch, &task.rollout, err);
    if (status != TN_OK) return status;
    if (batch->device) return tn_batch_device_rollout(batch, &task.rollout, err);
    tn_batch_share(batch, (TnBatchWork){{push_phase, NULL}, NULL, &task});
    status = tn_batch_rows_error(batch, err);
    if (status != TN_OK) return status;
    tn_batch_share(batch, (TnBatchWork){{rollout_phase, NULL}, NULL, &task});
    if (tn_batch_rows_fit(batch)) return TN_OK;
    tn_error_add(err, TN_ERROR_MEMORY, "batch: no memory for the sensors");
    return TN_ERROR_MEMORY;
}
