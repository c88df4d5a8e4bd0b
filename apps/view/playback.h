/* playback.h: a recording's own clock: plays, stops, steps, jumps, and gives the frame of any
 * moment between two recorded ones. No thread: a recording is read faster than it is drawn. */
#ifndef TENON_VIEW_PLAYBACK_H
#define TENON_VIEW_PLAYBACK_H

#include <tenon/record.h>

typedef struct Playback {
    TnRecording *recording; /* borrowed */
    TnRecordingInfo info;
    bool paused, loop;
    bool ended; /* stopped by itself at the last frame */
    double speed;
    double time; /* s, of the recording */
    TnFrame *before, *after, *shown;
    int before_index, after_index; /* in `before` and `after`; -1: nothing read */
} Playback;

/* False and an error: no memory, no frame, or the first one cannot be read. */
bool playback_create(Playback *playback, TnRecording *recording, TnError *err);
void playback_free(Playback *playback);
/* Seconds by the wall that have passed. True where the playback stopped at the end or started anew.
 */
bool playback_advance(Playback *playback, double seconds);
void playback_pause(Playback *playback, bool paused); /* running again from the end starts anew */
void playback_step(Playback *playback,
                   int frames); /* to a recorded frame, back where < 0; pauses */
void playback_seek(Playback *playback, double time);
/* The recorded frame at or before the time. */
int playback_index(const Playback *playback);
/* The frame at the time. NULL and an error where the file cannot be read. */
const TnFrame *playback_frame(Playback *playback, TnError *err);

#endif
