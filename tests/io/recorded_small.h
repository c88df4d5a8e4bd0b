/* recorded_small.h: a small recording of several groups, where its chunks end, and reading it
 * whole. */
#ifndef TN_TESTS_IO_RECORDED_SMALL_H
#define TN_TESTS_IO_RECORDED_SMALL_H

#include "io/record/record_format.h"
#include "recorded.h"

enum { GROUP = 3, FRAMES = 9 };

/* Ends of the header, the scene and the groups in a recording of whole chunks. */
typedef struct Ends {
    size_t at[16];
    int count;
} Ends;

static inline Ends find_ends(Bytes file)
{
    Ends ends = {.at = {TN_RECORD_HEADER_BYTES}, .count = 1};
    size_t at = TN_RECORD_HEADER_BYTES;
    while (at < file.size && ends.count < 16) {
        TnRecordIn in = {.bytes = file.data + at + 4, .size = 4};
        at += TN_RECORD_CHUNK_BYTES + tn_record_get_u32(&in);
        ends.at[ends.count++] = at;
    }
    return ends;
}

static inline Bytes small_recording(const Place *place)
{
    TnError err = {0};
    CHECK(recorded_write(place->path, recorded_def(GROUP, false), 0, FRAMES, true, &err) == TN_OK);
    return recorded_read(place->path);
}

/* Reads all frames; -1 where one cannot be read. */
static inline int read_all(TnRecording *recording)
{
    TnError err = {0};
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), &err);
    int count = tn_recording_info(recording).frame_count;
    for (int i = 0; i < count && frame; i++) {
        if (tn_recording_frame(recording, i, frame, &err) != TN_OK || frame->time != 0.02 * i) {
            count = -1;
            break;
        }
    }
    tn_frame_destroy(frame);
    return count;
}

#endif
