/* run_checkpoint.h: a run of `tenon run` in a file, from which another one goes on with the same
 * bits, in the same log and recording.
 *
 *     head    magic, version, model, settings, step, places in the log and the recording, checksum
 *     state   as tn_world_save writes it, with a checksum of its own
 *
 * in the byte order of the machine. A new one is written beside the old one, brought to the disk
 * and renamed, so that a whole one is there at any time. */
#ifndef TENON_RUN_CHECKPOINT_H
#define TENON_RUN_CHECKPOINT_H

#include "run_log.h"
#include "run_record.h"

typedef struct CheckpointOptions {
    const char *path;   /* written now and then; NULL: not */
    const char *resume; /* read before the first step; NULL: none */
    double every;       /* s of simulated time; 0: not given, CHECKPOINT_DEFAULT_EVERY */
} CheckpointOptions;

#define CHECKPOINT_DEFAULT_EVERY 1.0

/* How far a run is. */
typedef struct RunPlace {
    int64_t step; /* taken since its very start */
    LogPlace log;
    RecordPlace record;
} RunPlace;

/* What the file may not be, and options that need others; false and a message. */
bool checkpoint_check(const CheckpointOptions *options, const char *model_path);
/* Reads the state and how far the run was. An exit code; on failure it has said why. `def` is what
 * the world was made with. */
int checkpoint_read(const CheckpointOptions *options, const TnWorldDef *def, TnWorld *world,
                    RunPlace *place);
/* One is wanted after so many steps. */
bool checkpoint_is_due(const CheckpointOptions *options, const TnWorld *world, int64_t step);
/* What `place` tells of must be on the disk already. False and a message where it failed. `held` is
 * the file of the last one, so that no other run writes there: replace_file.h. */
bool checkpoint_write(const CheckpointOptions *options, const TnWorldDef *def, const TnWorld *world,
                      const RunPlace *place, int *held);

#endif
