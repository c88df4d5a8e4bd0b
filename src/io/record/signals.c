/* signals.c: the numbers of joints, sensors and actuators at one time, in the order of a scene's
 * list (scene.c). */
#include "../../base/base.h"
#include <tenon/scene.h>

#include <string.h>

const char *tn_signal_kind_name(TnSignalKind kind)
{
    static const char *const names[TN_SIGNAL_COUNT] = {"position", "velocity", "sensor",
                                                       "ctrl",     "force",    "activation"};
    return kind >= 0 && kind < TN_SIGNAL_COUNT ? names[kind] : "";
}

static TnStatus refuse(TnError *err)
{
    tn_error_add(err, TN_ERROR_USAGE, "a frame and a world must be given");
    return TN_ERROR_USAGE;
}

TnStatus tn_frame_reserve_signals(TnFrame *frame, int count, TnError *err)
{
    if (!frame || count < 0) return refuse(err);
    frame->signal_count = 0;
    if (count > frame->signal_room) {
        double *signals = tn_malloc((size_t)count * sizeof *signals);
        if (!signals) {
            tn_error_add(err, TN_ERROR_MEMORY, "no memory for the signals of a frame");
            return TN_ERROR_MEMORY;
        }
        tn_free(frame->signals);
        frame->signals = signals;
        frame->signal_room = count;
    }
    frame->signal_count = count;
    return TN_OK;
}

static int joint_signals(const TnModel *model, int joint_count)
{
    int count = 0;
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type != TN_JOINT_FREE) count += joint.qpos_count + joint.dof_count;
    }
    return count;
}

static double *capture_joints(double *to, const TnModel *model, int joint_count,
                              const TnStateView *state)
{
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type == TN_JOINT_FREE) continue;
        for (int i = 0; i < joint.qpos_count; i++) *to++ = state->qpos[joint.qpos_start + i];
        for (int i = 0; i < joint.dof_count; i++) *to++ = state->qvel[joint.dof_start + i];
    }
    return to;
}

TnStatus tn_frame_capture_signals(TnFrame *frame, TnWorld *world, TnError *err)
{
    if (!frame || !world) return refuse(err);
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    TnStateView state = tn_world_state(world);
    size_t actuators = (size_t)info.actuator_count;
    int count = joint_signals(model, info.joint_count) + info.sensor_data_count +
                2 * info.actuator_count + info.act_count;
    TnStatus status = tn_frame_reserve_signals(frame, count, err);
    if (status != TN_OK || count == 0) return status;
    double *to = capture_joints(frame->signals, model, info.joint_count, &state);
    if (info.sensor_data_count) status = tn_world_sensors(world, to, err);
    to += info.sensor_data_count;
    if (status != TN_OK || actuators == 0) return status;
    memcpy(to, state.ctrl, actuators * sizeof *to);
    TnEval eval = {.actuator_force = to + actuators, .act = state.act};
    if (state.act_count)
        memcpy(to + 2 * actuators, state.act, (size_t)state.act_count * sizeof *to);
    return tn_model_eval(model, state.qpos, state.qvel, state.ctrl, &eval, err);
}
