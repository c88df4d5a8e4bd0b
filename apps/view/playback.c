/* Playing a recording; see playback.h. */
#include "playback.h"

#include <math.h>

bool playback_create(Playback *playback, TnRecording *recording, TnError *err)
{
    *playback = (Playback){.recording = recording,
                           .info = tn_recording_info(recording),
                           .speed = 1,
                           .before_index = -1,
                           .after_index = -1};
    const TnScene *scene = tn_recording_scene(recording);
    if (playback->info.frame_count < 1) {
        *err = (TnError){TN_ERROR_IO, 1, "the recording holds no whole frame"};
        return false;
    }
    playback->before = tn_frame_create(scene, err);
    playback->after = tn_frame_create(scene, err);
    playback->shown = tn_frame_create(scene, err);
    playback->time = playback->info.start;
    if (playback->before && playback->after && playback->shown && playback_frame(playback, err))
        return true;
    playback_free(playback);
    return false;
}

void playback_free(Playback *playback)
{
    tn_frame_destroy(playback->before);
    tn_frame_destroy(playback->after);
    tn_frame_destroy(playback->shown);
    *playback = (Playback){0};
}

bool playback_advance(Playback *playback, double seconds)
{
    double start = playback->info.start, end = playback->info.end;
    if (playback->paused) return false;
    playback->time += playback->speed * seconds;
    if (playback->time < end) return false;
    if (playback->loop && end > start) {
        playback->time = start + fmod(playback->time - start, end - start);
    } else {
        playback->time = end;
        playback->paused = playback->ended = true;
    }
    return true;
}

void playback_pause(Playback *playback, bool paused)
{
    if (!paused && playback->time >= playback->info.end) playback->time = playback->info.start;
    playback->paused = paused;
    playback->ended = false;
}

void playback_seek(Playback *playback, double time)
{
    playback->time = fmin(fmax(time, playback->info.start), playback->info.end);
    playback->ended = false;
}

int playback_index(const Playback *playback)
{
    int low = 0, high = playback->info.frame_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (tn_recording_time(playback->recording, middle) <= playback->time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void playback_step(Playback *playback, int frames)
{
    int index = playback_index(playback);
    /* one step back from between two frames goes to the earlier one */
    if (frames < 0 && tn_recording_time(playback->recording, index) < playback->time) frames++;
    index += frames;
    if (index < 0) index = 0;
    if (index >= playback->info.frame_count) index = playback->info.frame_count - 1;
    playback->paused = true;
    playback_seek(playback, tn_recording_time(playback->recording, index));
}

static bool read_frame(Playback *playback, int index, TnFrame *frame, int *held, TnError *err)
{
    if (*held == index) return true;
    *held = -1;
    if (tn_recording_frame(playback->recording, index, frame, err) != TN_OK) return false;
    *held = index;
    return true;
}

const TnFrame *playback_frame(Playback *playback, TnError *err)
{
    int index = playback_index(playback), last = playback->info.frame_count - 1;
    int next = index < last ? index + 1 : last;
    if (playback->after_index == index && playback->before_index != index) {
        /* went on by one: what was after is before now */
        TnFrame *frame = playback->before;
        playback->before = playback->after;
        playback->after = frame;
        playback->after_index = playback->before_index;
        playback->before_index = index;
    }
    if (!read_frame(playback, index, playback->before, &playback->before_index, err)) return NULL;
    double start = tn_recording_time(playback->recording, index);
    double span = tn_recording_time(playback->recording, next) - start;
    double share = span > 0 ? (playback->time - start) / span : 0;
    if (!(share > 0)) return playback->before;
    if (!read_frame(playback, next, playback->after, &playback->after_index, err)) return NULL;
    if (tn_frame_blend(playback->shown, playback->before, playback->after, fmin(share, 1), err) !=
        TN_OK)
        return NULL;
    return playback->shown;
}
