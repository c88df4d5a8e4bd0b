/* tenon/record.h: recordings (.tnr): a scene and its frames in one file, which can be shown without
 * the model. docs/recordings.md describes the format.
 *
 * Frames are written in small groups, each compressed and with its own checksum. A truncated file
 * is read up to the last complete group, also if the writer was killed. Poses and points are
 * rounded to a fine grid (see TnRecordingInfo.resolution), stress to 16 bits, signals to single
 * precision; an exact state keeps all bits. */
#ifndef TENON_RECORD_H
#define TENON_RECORD_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnRecorder TnRecorder;
typedef struct TnRecording TnRecording;

typedef struct TnRecorderDef {
    bool contacts;    /* record contact points and forces; default true */
    bool append;      /* continue an existing recording of the same scene; default false:
                         overwrite it */
    int keep_frames;  /* with append: only so many frames of it, the rest is cut off; a group must
                         end there (tn_recorder_flush). 0 (default): all of them */
    int group_frames; /* frames per group, 1 … 256; default 16 */
    /* Bytes of all textures together, unpacked (3 per pixel); default 16 MiB. If the scene has
     * more, the largest one is recorded at half its width and height, and so on until they fit. */
    int64_t texture_bytes;
    /* A recording in parts, which several processes write and readers see as one: parts > 1 files,
     * of which this recorder writes number `part`, from 0. Part 0 is the path itself, part k is
     * PATH.k. `set` is the same number for all parts, and another one for each recording. A process
     * writes some of the frames; readers put them in the order of their times. */
    int part, parts;
    uint64_t set;
} TnRecorderDef;

TN_API TnRecorderDef tn_recorder_def(void);
/* Creates the file and writes the scene. Returns NULL and an error on failure. An existing file is
 * replaced only after the new one could be written. */
TN_API TnRecorder *tn_recorder_create(const TnRecorderDef *def, const char *path,
                                      const TnScene *scene, TnError *err);
/* After an error (a full disk) all earlier groups stay readable, and later calls fail at once. */
TN_API TnStatus tn_recorder_write(TnRecorder *recorder, const TnFrame *frame, TnError *err);
/* Ends the group: what was written so far is on the disk, and readable whatever happens next. */
TN_API TnStatus tn_recorder_flush(TnRecorder *recorder, TnError *err);
/* Writes the rest of the last group and closes. NULL is allowed. */
TN_API TnStatus tn_recorder_close(TnRecorder *recorder, TnError *err);

typedef struct TnRecordingInfo {
    int frame_count;
    double start, end; /* s, times of the first and last frame */
    bool cut_off; /* the file ends within a group or a checksum is wrong; earlier groups are read */
    bool has_contacts, has_state, has_stress;
    bool has_signals;  /* joints, sensors, controls, forces of actuators; since format 1.3 */
    bool has_account;  /* elastic energy and the energy balance; since format 1.2 */
    double resolution; /* m, grid of positions */
    int64_t bytes;     /* of the file, as far as it is readable; of all parts */
    int parts;         /* files that it is made of */
} TnRecordingInfo;

/* Of a recording in parts, path is the first one; all must be there. */
TN_API TnRecording *tn_recording_open(const char *path, TnError *err);
TN_API void tn_recording_close(TnRecording *recording); /* NULL is allowed */
TN_API const TnScene *
tn_recording_scene(const TnRecording *recording); /* belongs to the recording */
TN_API TnRecordingInfo tn_recording_info(const TnRecording *recording);
/* The time of a frame, without reading it. */
TN_API double tn_recording_time(const TnRecording *recording, int index);
/* Reads frame `index` (from 0). Ascending order is fastest. */
TN_API TnStatus tn_recording_frame(TnRecording *recording, int index, TnFrame *frame, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
