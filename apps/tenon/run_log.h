/* run_log.h: the numbers of `tenon run --csv` and `--npz`: one row per step, with a name for each
 * column.
 *
 * Columns come in groups. A CSV file has `time` and all chosen groups side by side, with 17
 * significant digits. An NPZ file has an array of each group and one of its columns' names; its
 * rows wait in a file without a name until the run ends, so that memory does not grow. A run that
 * may be resumed has them in FILE.rows, which stays beside it. */
#ifndef TENON_RUN_LOG_H
#define TENON_RUN_LOG_H

#include <stdio.h>
#include <tenon/tenon.h>

typedef enum LogGroup {
    LOG_JOINTS,    /* joints: NAME.q0, NAME.v0; free bodies: pose and velocity */
    LOG_ENERGY,    /* J: after the step, and the step's account */
    LOG_SOLVER,    /* what the solver did; only with a tolerance */
    LOG_FORCES,    /* of joints and equalities */
    LOG_SENSORS,   /* NAME.s0 … */
    LOG_CTRL,      /* NAME.ctrl */
    LOG_ACTUATORS, /* NAME.force, NAME.act */
    LOG_BODIES,    /* pose and velocity of the bodies that LOG_JOINTS does not have */
    LOG_GROUP_COUNT
} LogGroup;

typedef struct LogOptions {
    const char *csv, *npz;    /* NULL: none; csv "-": stdout */
    const char *groups;       /* "joints,sensors", "all"; NULL: as usual */
    bool forces, sensors;     /* these, too */
    int every;                /* a row after every so many steps */
    bool on[LOG_GROUP_COUNT]; /* by log_options_finish */
} LogOptions;

/* Which groups are asked for, and what the files may not be; false and a message. */
bool log_options_finish(LogOptions *options, const char *model_path);
bool log_to_stdout(const LogOptions *options);

typedef struct RunLog RunLog;

/* How much of a log there is. */
typedef struct LogPlace {
    int64_t steps, rows; /* so far */
    int64_t csv_bytes;   /* of the CSV file; 0: none, or not one that can be cut */
} LogPlace;

typedef struct LogStart {
    bool solver;     /* columns of what it did */
    bool named_rows; /* the run may be resumed */
    LogPlace from;   /* where it goes on; zeros: at its beginning. A file that is not there is
                        begun anew */
} LogStart;

/* Makes missing folders, opens the files and writes the header. NULL and a message where that
 * fails. The options must outlive the log. */
RunLog *log_open(const LogOptions *options, TnWorld *world, const LogStart *start);
/* Brings all rows to the disk and tells how many there are. False and a message where that failed.
 * NULL is fine. */
bool log_mark(RunLog *log, LogPlace *place);
/* After a step. False and a message where a row could not be written. */
bool log_step(RunLog *log, TnWorld *world, const TnStepReport *report);
/* Finishes the files; false and a message where anything was not written. NULL is fine. After a
 * failure of log_step: `whole` false leaves out the NPZ file. */
bool log_close(RunLog *log, bool whole);

#endif
