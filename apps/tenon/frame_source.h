/* frame_source.h: frames at any time, in ascending order, out of a simulation that runs along or
 * out of a recording. Between two steps or recorded frames the poses are blended, so that a film of
 * any rate moves smoothly. */
#ifndef TENON_FRAME_SOURCE_H
#define TENON_FRAME_SOURCE_H

#include <tenon/tenon.h>

typedef struct FrameSource {
    const TnScene *scene;    /* borrowed */
    TnWorld *world;          /* borrowed; NULL: a recording */
    TnRecording *recording;  /* borrowed; NULL: a world */
    double timestep;         /* s, of the world */
    int64_t steps;           /* done by the world, or index of `before` in the recording */
    TnFrame *before, *after; /* around the last time asked for */
    TnFrame *blended;
    bool diverged; /* the world refused a step: time stands still */
} FrameSource;

/* False and an error where there is no memory or the recording cannot be read. Afterwards `after`
 * holds the first frame. `stress`: frames of a world have it; a recording's have what it holds. */
bool source_open(FrameSource *source, const TnScene *scene, TnWorld *world, TnRecording *recording,
                 bool stress, TnError *err);
void source_close(FrameSource *source);
/* Simulates to `time` (s since the start) or so far as it goes, one step per call: false when there
 * is nothing left to do. A recording has nothing to do. */
bool source_advance(FrameSource *source, double time, TnError *err);
/* The frame at `time`, after source_advance has returned false; NULL and an error. */
const TnFrame *source_frame(FrameSource *source, double time, TnError *err);

#endif
