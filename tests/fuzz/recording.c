/* recording.c: recordings, and what is exported from them.
 *
 * Checksums and deflate would stop a search at once, so the bytes are what chunks hold before both:
 * each chunk is a type byte, a length in two bytes, and so many bytes. The target packs them and
 * writes the checksums. */
#include "../../apps/common/app.h"
#include "../../apps/export/export.h"
#include "fuzz.h"
#include "io/record/record_format.h"

#include <string.h>

enum { SCENE, FRAMES, PART, RAW, KIND_COUNT };

/* Before the deflated part of a group: count, flags, three sizes, times. */
static size_t front_of_group(const uint8_t *data, size_t size)
{
    size_t frames = size > 0 ? data[0] : 0, front = 20 + 8 * (frames <= 256 ? frames : 0);
    return front < size ? front : size;
}

static void put_chunk(TnRecordOut *out, int kind, const uint8_t *data, size_t size)
{
    static const char *const types[KIND_COUNT] = {TN_RECORD_SCENE, TN_RECORD_FRAMES, TN_RECORD_PART,
                                                  "junk"};
    size_t start = tn_record_begin_chunk(out, types[kind]);
    size_t plain = kind == SCENE ? 0 : kind == FRAMES ? front_of_group(data, size) : size;
    tn_record_put_bytes(out, data, plain);
    if (kind == SCENE || kind == FRAMES)
        tn_record_put_packed(out, data + plain, size - plain, false);
    tn_record_end_chunk(out, start);
}

static void read_frames(TnRecording *recording)
{
    TnError err = {0};
    TnRecordingInfo info = tn_recording_info(recording);
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), &err);
    FUZZ_CHECK(frame);
    for (int i = 0; i < info.frame_count && i < 64; i++) {
        tn_recording_time(recording, i);
        if (tn_recording_frame(recording, i, frame, &err) != TN_OK) FUZZ_CHECK(err.count > 0);
    }
    tn_frame_destroy(frame);
}

/* What the program says on stderr is of no interest. */
static void export_all(TnRecording *recording)
{
    int frames[4], count = 0;
    TnRecordingInfo info = tn_recording_info(recording);
    while (count < 4 && count < info.frame_count) frames[count] = count, count++;
    if (!count) return;
    ExportOptions options = {
        .frames = frames, .frame_count = count, .title = "fuzz", .color = "model"};
    FuzzFile file = fuzz_file("", 0);
    export_html(file.path, recording, &options);
    export_csv(file.path, recording, &options);
    export_npz(file.path, recording, &options);
    export_gltf(file.path, recording, &options);
    export_mcap(file.path, recording, &options);
    fuzz_file_close(&file);
}

void fuzz_recording(const uint8_t *data, size_t size)
{
    TnRecordOut out = {0};
    TnError err = {0};
    tn_record_put_header(&out);
    while (size >= 3) {
        size_t length = data[1] + 256u * data[2];
        if (length > size - 3) length = size - 3;
        put_chunk(&out, data[0] % KIND_COUNT, data + 3, length);
        data += 3 + length;
        size -= 3 + length;
    }
    FUZZ_CHECK(!out.failed);
    FuzzFile file = fuzz_file(out.bytes, out.size);
    TnRecording *recording = tn_recording_open(file.path, &err);
    FUZZ_CHECK(recording || err.count > 0);
    if (recording) {
        say_into(&err);
        read_frames(recording);
        export_all(recording);
        say_into(NULL);
    }
    tn_recording_close(recording);
    fuzz_file_close(&file);
    tn_record_out_free(&out);
}
