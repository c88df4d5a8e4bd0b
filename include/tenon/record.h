/* tenon/record.h: recordings (.tnr): a scene and its frames in one file that needs no model to be
 * shown. docs/recordings.md has the format.
 *
 * Frames are written in small groups, each compressed and with its own checksum. A file that was
 * cut off, or whose writer died, is read up to the last whole group. Poses and points are kept on a
 * fine grid (see TnRecordingInfo.resolution), stress to 16 bits, an exact state bit for bit. */
#ifndef TENON_RECORD_H
#define TENON_RECORD_H

#include <tenon/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnRecorder TnRecorder;
typedef struct TnRecording TnRecording;

typedef struct TnRecorderDef {
    bool contacts;    /* keep contact points and forces; default true */
    bool append;      /* go on with a recording of the same scene where the file exists; default
                         false: start anew */
    int group_frames; /* frames per group, 1 … 256; default 16 */
} TnRecorderDef;

TN_API TnRecorderDef tn_recorder_def(void);
/* Creates the file with the scene in it. NULL and an error where that fails; a file that was there
 * is only replaced once the new one can be written. */
TN_API TnRecorder *tn_recorder_create(const TnRecorderDef *def, const char *path,
                                      const TnScene *scene, TnError *err);
/* An error (a full disk) leaves all groups before readable; later calls fail at once. */
TN_API TnStatus tn_recorder_write(TnRecorder *recorder, const TnFrame *frame, TnError *err);
/* Writes what is left of the last group and closes. NULL is fine. */
TN_API TnStatus tn_recorder_close(TnRecorder *recorder, TnError *err);

typedef struct TnRecordingInfo {
    int frame_count;
    double start, end; /* s, times of the first and last frame */
    bool cut_off; /* the file ends within a group, or a checksum is wrong: what is before is read */
    bool has_contacts, has_state, has_stress;
    bool has_account; /* elastic energy and the account of energy; since format 1.2 */
    double resolution; /* m, grid of positions */
    int64_t bytes;     /* of the file, as far as it is readable */
} TnRecordingInfo;

TN_API TnRecording *tn_recording_open(const char *path, TnError *err);
TN_API void tn_recording_close(TnRecording *recording);                 /* NULL is fine */
TN_API const TnScene *tn_recording_scene(const TnRecording *recording); /* borrowed */
TN_API TnRecordingInfo tn_recording_info(const TnRecording *recording);
/* The time of a frame, without reading it. */
TN_API double tn_recording_time(const TnRecording *recording, int index);
/* Reads frame `index` (from 0); forwards in order is fastest, any order works. */
TN_API TnStatus tn_recording_frame(TnRecording *recording, int index, TnFrame *frame, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
