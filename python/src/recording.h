/* recording.h: an open recording, which its renderers keep alive. */
#pragma once

#include "common.h"

#include <tenon/record.h>

struct RecordingData {
    TnRecording *recording = nullptr;
    TnFrame *frame = nullptr; /* the one read last */
    std::atomic<bool> busy{false};
    ~RecordingData()
    {
        tn_frame_destroy(frame);
        tn_recording_close(recording);
    }
};

/* Nobody else reads as long as this lives. */
class Reading
{
    RecordingData &data;

  public:
    const TnScene *scene;
    explicit Reading(const std::shared_ptr<RecordingData> &of);
    ~Reading() { data.busy.store(false, std::memory_order_release); }
    Reading(const Reading &) = delete;
    /* Frame `index`, from 0. It stays until the next one is read. */
    const TnFrame &frame(int index);
};

struct Recording {
    std::shared_ptr<RecordingData> data;
};
