/* curves.c: signals over time; see signals.h. */
#include "signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append(Curve *curve, double time, double value)
{
    if (curve->count == CURVE_ROOM) {
        memmove(curve->times, curve->times + 1, (CURVE_ROOM - 1) * sizeof *curve->times);
        memmove(curve->values, curve->values + 1, (CURVE_ROOM - 1) * sizeof *curve->values);
        curve->count--;
    }
    curve->times[curve->count] = time;
    curve->values[curve->count++] = (float)value;
}

/* All of a recording, thinned out to the room that there is. */
static void load(Curve *curve, TnRecording *recording)
{
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), NULL);
    int total = tn_recording_info(recording).frame_count;
    int stride = (total + CURVE_ROOM - 2) / (CURVE_ROOM - 1);
    for (int i = 0; frame && i < total; i++) {
        if (i % stride != 0 && i + 1 < total) continue;
        if (tn_recording_frame(recording, i, frame, NULL) != TN_OK) break;
        append(curve, frame->time,
               curve->signal < frame->signal_count ? frame->signals[curve->signal] : (double)NAN);
    }
    tn_frame_destroy(frame);
}

static void drop(Signals *signals, int index)
{
    signals->curve_count--;
    memmove(&signals->curves[index], &signals->curves[index + 1],
            (size_t)(signals->curve_count - index) * sizeof *signals->curves);
}

bool curves_toggle(Signals *signals, int signal, TnRecording *recording)
{
    for (int i = 0; i < signals->curve_count; i++)
        if (signals->curves[i].signal == signal) {
            drop(signals, i);
            return false;
        }
    if (signals->curve_count == CURVE_COUNT) drop(signals, 0);
    Curve *curve = &signals->curves[signals->curve_count++];
    *curve = (Curve){.signal = signal};
    if (recording) load(curve, recording);
    return true;
}

void curves_sample(Signals *signals, const TnFrame *frame)
{
    for (int i = 0; i < signals->curve_count; i++) {
        Curve *curve = &signals->curves[i];
        while (curve->count && curve->times[curve->count - 1] >= frame->time) curve->count--;
        if (curve->signal < frame->signal_count)
            append(curve, frame->time, frame->signals[curve->signal]);
    }
}

int signals_find(const TnScene *scene, const char *name, size_t length)
{
    for (int i = 0; i < scene->signal_count; i++)
        if (strlen(scene->signals[i].name) == length &&
            !strncmp(scene->signals[i].name, name, length))
            return i;
    return -1;
}

/* ---- the list ---- */

/* Which joint or actuator each signal belongs to: the order is that of a scene's list. */
static void find_owners(SignalRow *of_signals, const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    const double pi = 3.14159265358979323846;
    int signal = 0;
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type == TN_JOINT_FREE) continue;
        if (joint.qpos_count == 1) {
            SignalRow *row = &of_signals[signal];
            double usual = joint.type == TN_JOINT_HINGE ? pi : 1;
            row->joint = id;
            row->low = joint.limited ? joint.range[0] : -usual;
            row->high = joint.limited ? joint.range[1] : usual;
        }
        signal += joint.qpos_count + joint.dof_count;
    }
    signal += info.sensor_data_count;
    for (TnActuatorId id = 1; id <= info.actuator_count; id++, signal++) {
        TnActuatorInfo actuator = tn_model_actuator_info(model, id);
        of_signals[signal].actuator = id - 1;
        of_signals[signal].low = actuator.ctrl_limited ? actuator.ctrl_range[0] : -1;
        of_signals[signal].high = actuator.ctrl_limited ? actuator.ctrl_range[1] : 1;
    }
}

bool signals_create(Signals *signals, const TnScene *scene, const TnModel *model)
{
    static const TnSignalKind order[] = {TN_SIGNAL_CTRL,   TN_SIGNAL_POSITION,
                                         TN_SIGNAL_SENSOR, TN_SIGNAL_VELOCITY,
                                         TN_SIGNAL_FORCE,  TN_SIGNAL_ACTIVATION};
    size_t count = (size_t)scene->signal_count;
    *signals = (Signals){0};
    SignalRow *of_signals = calloc(count + 1, sizeof *of_signals);
    signals->rows = calloc(count + 1, sizeof *signals->rows);
    signals->curves = calloc(CURVE_COUNT + 1, sizeof *signals->curves);
    bool fine = of_signals && signals->rows && signals->curves;
    for (size_t i = 0; fine && i < count; i++)
        of_signals[i] = (SignalRow){.signal = (int)i, .actuator = -1};
    if (fine && model) find_owners(of_signals, model);
    for (int k = 0; fine && k < TN_SIGNAL_COUNT; k++)
        for (size_t i = 0; i < count; i++)
            if (scene->signals[i].kind == order[k])
                signals->rows[signals->row_count++] = of_signals[i];
    free(of_signals);
    return fine;
}

void signals_free(Signals *signals)
{
    free(signals->rows);
    free(signals->curves);
    *signals = (Signals){0};
}
