/* run_checkpoint.h: the state of `tenon run` in a file, from which another run goes on with the
 * same bits. */
#ifndef TENON_RUN_CHECKPOINT_H
#define TENON_RUN_CHECKPOINT_H

#include <tenon/tenon.h>

typedef struct CheckpointOptions {
    const char *path;    /* written now and then; NULL: not */
    const char *restart; /* read before the first step; NULL: none */
    double every;        /* s of simulated time; 0: not given, CHECKPOINT_DEFAULT_EVERY */
} CheckpointOptions;

#define CHECKPOINT_DEFAULT_EVERY 1.0

/* Reads the state; `done` is how many steps it has behind it. An exit code; on failure it has said
 * why. */
int checkpoint_read(const CheckpointOptions *options, TnWorld *world, int64_t *done);
/* After step `step` of `steps`: writes where that is due. The file is always a whole one: the last
 * one is replaced when the next is complete. False and a message where that failed. */
bool checkpoint_step(const CheckpointOptions *options, const TnWorld *world, int64_t step,
                     int64_t steps);

#endif
