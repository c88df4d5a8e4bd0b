/* run_dump.h: the problems of `tenon run --dump-problem`: what single steps asked of the solver, in
 * files that `tenon solve` reads. */
#ifndef TENON_RUN_DUMP_H
#define TENON_RUN_DUMP_H

#include "../common/options.h"

typedef struct DumpOptions {
    NumberList steps; /* from 1 */
    const char *path; /* NULL: MODEL-stepK.tnp */
} DumpOptions;

/* Options that do not go together, or a step beyond the run; false and a message. */
bool run_dump_check(const DumpOptions *options, int64_t steps, double duration);
/* After step `step`: writes its problem where that was asked for, to start from zero. False and a
 * message where that failed. */
bool run_dump_step(const DumpOptions *options, const char *model_path, const TnWorld *world,
                   int64_t step);
/* A run that ended after `steps` steps: says what was not written. */
void run_dump_end(const DumpOptions *options, int64_t steps);

#endif
