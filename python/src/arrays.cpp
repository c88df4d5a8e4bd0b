/* arrays.cpp: the arrays of a lone world, each compared before a call and copied after it only as
 * long as someone has it. Arrays of a batch are tn_batch's affair. */
#include "common.h"

#include <cstring>

struct Part {
    double *row; /* what Python sees */
    const double *own;
    int count;
};

static Part part_of(const TnBatchView &view, const TnStateView &state, unsigned bit)
{
    switch (bit) {
    case ARRAY_QPOS:
        return {view.qpos, state.qpos, view.qpos_count};
    case ARRAY_QVEL:
        return {view.qvel, state.qvel, view.dof_count};
    case ARRAY_CTRL:
        return {view.ctrl, state.ctrl, view.ctrl_count};
    default:
        return {view.act, state.act, view.act_count};
    }
}

void copy_arrays(BatchData &data, unsigned which)
{
    TnStateView state = tn_world_state(tn_batch_world(data.batch, 0));
    for (unsigned bit = 1; bit < ARRAY_ALL; bit *= 2) {
        Part part = part_of(data.view, state, bit);
        if ((which & bit) && part.count > 0)
            memcpy(part.row, part.own, sizeof(double) * (size_t)part.count);
    }
}

/* The row, if it differs from what the world has; else NULL. */
static const double *written(const BatchData &data, const TnStateView &state, unsigned which,
                             unsigned bit)
{
    if (!(which & bit)) return nullptr;
    Part part = part_of(data.view, state, bit);
    size_t size = sizeof(double) * (size_t)part.count;
    return size > 0 && memcmp(part.row, part.own, size) != 0 ? part.row : nullptr;
}

TnStatus set_written(BatchData &data, unsigned which, TnError *err)
{
    TnWorld *world = tn_batch_world(data.batch, 0);
    TnStateView state = tn_world_state(world);
    const double *qpos = written(data, state, which, ARRAY_QPOS),
                 *qvel = written(data, state, which, ARRAY_QVEL),
                 *ctrl = written(data, state, which, ARRAY_CTRL),
                 *act = written(data, state, which, ARRAY_ACT);
    if (!qpos && !qvel && !ctrl && !act) return TN_OK;
    TnStatus status = TN_OK;
    if (qpos || qvel) {
        status = tn_world_set_state(world, qpos, qvel, err);
        if (status == TN_OK) data.view.diverged[0] = 0;
    }
    if (status == TN_OK && ctrl) status = tn_world_set_ctrl(world, ctrl, err);
    if (status == TN_OK && act) status = tn_world_set_act(world, act, err);
    copy_arrays(data, which); /* quaternions were normalized, or the numbers refused */
    return status;
}
