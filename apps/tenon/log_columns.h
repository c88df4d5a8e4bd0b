/* log_columns.h: names and numbers of the columns that `tenon run` logs. */
#ifndef TENON_LOG_COLUMNS_H
#define TENON_LOG_COLUMNS_H

#include "run_log.h"

typedef struct LogColumns {
    const LogOptions *options;
    bool solver;                      /* has a tolerance */
    TnFrame *frame;                   /* for the signals */
    const TnSignalKind *signal_kinds; /* owned */
    bool *is_free;                    /* of each body, by id; owned */
    char **names;                     /* owned */
    double *row;                      /* of the last step */
    int count, room;
    int first[LOG_GROUP_COUNT + 1]; /* columns of a group: from first[g] to first[g + 1] */
    bool failed;                    /* no memory */
} LogColumns;

/* False: no memory. log_columns_free is due all the same. */
bool log_columns_create(LogColumns *columns, const LogOptions *options, TnWorld *world,
                        bool solver);
/* Fills the row; false and an error where there is no memory. */
bool log_columns_fill(LogColumns *columns, TnWorld *world, const TnStepReport *report,
                      TnError *err);
void log_columns_free(LogColumns *columns);

#endif
