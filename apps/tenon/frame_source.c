/* Frames at any time; see frame_source.h. */
#include "frame_source.h"

#include <math.h>

/* A time that is a whole number of steps but for rounding is taken for one. */
static const double near_step = 1e-6;

bool source_open(FrameSource *source, const TnScene *scene, TnWorld *world, TnRecording *recording,
                 bool stress, TnError *err)
{
    *source = (FrameSource){.scene = scene, .world = world, .recording = recording};
    source->before = tn_frame_create(scene, err);
    source->after = source->before ? tn_frame_create(scene, err) : NULL;
    source->blended = source->after ? tn_frame_create(scene, err) : NULL;
    bool fine = source->blended != NULL;
    if (fine && world) {
        source->timestep = tn_model_info(tn_world_model(world)).option.timestep;
        fine = (!stress || tn_frame_reserve_stress(source->after, 0, err) == TN_OK) &&
               tn_frame_capture(source->after, world, NULL, false, err) == TN_OK &&
               tn_frame_copy(source->before, source->after, err) == TN_OK;
    } else if (fine) {
        source->steps = -1; /* `before` holds no frame of the recording yet */
        fine = tn_recording_frame(recording, 0, source->after, err) == TN_OK;
    }
    if (!fine) source_close(source);
    return fine;
}

void source_close(FrameSource *source)
{
    tn_frame_destroy(source->before);
    tn_frame_destroy(source->after);
    tn_frame_destroy(source->blended);
    *source = (FrameSource){0};
}

bool source_advance(FrameSource *source, double time, TnError *err)
{
    if (!source->world || source->diverged) return false;
    if ((double)source->steps >= time / source->timestep - near_step) return false;
    TnStepReport report = tn_world_step(source->world);
    source->diverged = report.diverged;
    if (report.diverged) return false;
    TnFrame *oldest = source->before;
    source->before = source->after;
    source->after = oldest;
    source->steps++;
    return tn_frame_capture(source->after, source->world, &report, false, err) == TN_OK;
}

/* Loads the two frames around the time; the share of the later one, or -1 and an error. */
static double load_around(FrameSource *source, double time, TnError *err)
{
    TnRecording *recording = source->recording;
    int last = tn_recording_info(recording).frame_count - 1;
    double absolute = tn_recording_time(recording, 0) + time;
    int low = 0, high = last; /* the last frame that is not later */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (tn_recording_time(recording, middle) <= absolute)
            low = middle;
        else
            high = middle - 1;
    }
    int next = low < last ? low + 1 : low;
    if (source->steps != low) {
        bool step_on = source->steps >= 0 && source->steps + 1 == low;
        if (step_on) {
            TnFrame *oldest = source->before;
            source->before = source->after;
            source->after = oldest;
        } else if (tn_recording_frame(recording, low, source->before, err) != TN_OK) {
            return -1;
        }
        if (tn_recording_frame(recording, next, source->after, err) != TN_OK) return -1;
        source->steps = low;
    }
    double start = tn_recording_time(recording, low), end = tn_recording_time(recording, next);
    return end > start ? fmin(fmax((absolute - start) / (end - start), 0), 1) : 0;
}

const TnFrame *source_frame(FrameSource *source, double time, TnError *err)
{
    double share;
    if (source->recording) {
        share = load_around(source, time, err);
        if (share < 0) return NULL;
    } else {
        share = 1 - ((double)source->steps - time / source->timestep);
        if (source->steps == 0 || source->diverged) share = 1;
    }
    if (share <= near_step) return source->before;
    if (share >= 1 - near_step) return source->after;
    TnStatus status = tn_frame_blend(source->blended, source->before, source->after, share, err);
    return status == TN_OK ? source->blended : NULL;
}
