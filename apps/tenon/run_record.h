/* run_record.h: the recording of `tenon run --record`: frames of a running simulation at a fixed
 * rate. */
#ifndef TENON_RUN_RECORD_H
#define TENON_RUN_RECORD_H

#include <tenon/tenon.h>

typedef struct RecordOptions {
    const char *path; /* NULL: no recording */
    double fps;       /* 0: not given, RECORD_DEFAULT_FPS */
    bool state, contacts, append;
    double texture_megabytes;    /* negative: as tn_recorder_def */
    bool signals, small_signals; /* record them always; where they are few */
} RecordOptions;

#define RECORD_DEFAULT_FPS 50.0
enum { RECORD_FEW_SIGNALS = 512 };

/* How much of a recording there is, and how it goes on. */
typedef struct RecordPlace {
    int64_t file_frames; /* in the file, also of runs that it was appended to; 0: no recording */
    int64_t frame_count; /* of this run, by all processes */
    int64_t next;        /* index of the next frame that is due */
    double start;        /* s, time of the world at the start */
    double time_shift;   /* s, of an appended run: its frames follow the old ones */
    TnEnergyAccount account_shift; /* J: the old ones' sums */
    int64_t step_shift;
} RecordPlace;

typedef struct RunRecord {
    const RecordOptions *options;
    TnScene *scene;
    TnFrame *frame;
    TnRecorder *recorder;
    bool signals;
    RecordPlace at;
    bool alone;      /* one process writes all frames; */
    bool follows;    /* this one asks for them with it, and writes nothing */
    double timestep; /* s */
    int group_frames;
    /* of a world on a device: frames are captured and written in a thread, while it steps on */
    struct Beside *beside; /* NULL: at once */
    TnWorld *shadow;       /* what the next frame shows, */
    TnStepReport report;   /* and the step that led there */
    bool has_report, failed;
    TnError err;
} RunRecord;

/* Makes missing folders, opens and writes the world as it is; or goes on behind `from`, where that
 * has frames and the file is there. `in_parts`: only one process of a team has the whole world. An
 * exit code; on failure it has said why. */
int run_record_open(RunRecord *record, const RecordOptions *options, bool in_parts, TnWorld *world,
                    const RecordPlace *from);
/* Brings all frames to the disk and tells how many there are. False and a message where that
 * failed. */
bool run_record_mark(RunRecord *record, RecordPlace *place);
/* After a step: writes a frame where one is due. False and a message where that failed. */
bool run_record_step(RunRecord *record, TnWorld *world, const TnStepReport *report);
/* False and a message where the last frames could not be written. Fine on one never opened. */
bool run_record_close(RunRecord *record);

#endif
