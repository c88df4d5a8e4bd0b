/* totals.h: the figures of a run, gathered from the reports of its steps. */
#ifndef TENON_TOTALS_H
#define TENON_TOTALS_H

#include "json.h"

#include <tenon/tenon.h>

enum { WORST_SIZE = 192, MOST_REASONS = 16 };
typedef struct Totals {
    int64_t steps;
    double iterations, contacts, rows; /* sums over the steps */
    double aac, aal;                   /* sums of the finite ones */
    int64_t aac_count, aal_count;      /* steps that had one; a step without constraints has none */
    double mean_penetration;           /* m, sum of the steps' means */
    double max_penetration;            /* m, largest of all */
    TnStepTimes times;                 /* s, sums */
    int64_t unconverged;               /* steps that missed a tolerance */
    int64_t rough;                     /* those that missed gravity × timestep */
    int64_t halved;                    /* that were too long, and were taken in halves */
    int64_t parts;                     /* that steps were taken in */
    double shortest;                   /* s, of them */
    double time_error;                 /* m/s, sum of those that are known */
    double time_error_max;             /* the largest of them */
    int64_t time_errors, inaccurate;   /* steps that have one, and that miss what was asked for */
    TnPassReport passes[TN_PASS_COUNT]; /* sums, and the worst of all steps */
    double error;                       /* largest of all steps; 0 where none was measured */
    double rigid_error;                 /* the same by the laws of rigid contacts */
    double contradiction;               /* largest, m/s */
    int64_t worst_step;                 /* that had it, from 1; 0: none */
    char worst[WORST_SIZE];             /* its worst constraint in words, */
    const char *help;                   /* and what usually helps; NULL: it was good enough */
    double islands, asleep;             /* sums over the steps */
    double islands_by_method[TN_METHOD_COUNT]; /* sums, by TnIslandReport.method */
    struct {
        const char *why; /* TnIslandReport.why */
        double islands;  /* sum */
    } reasons[MOST_REASONS];
    int reason_count;
    const char *form; /* TnStepReport.form of the last step that has one; else NULL */
    bool diverged;
    TnTrouble rejected; /* then: why the last step was, and where */
} Totals;

/* The report of the world's last step. */
void totals_add(Totals *totals, const TnWorld *world, const TnStepReport *report);
/* Which methods had the last word on how many islands, in words: "80 % as they started, 20 %
 * Newton"; and in JSON. */
enum { WHAT_RAN_SIZE = 256 };
const char *what_ran(const double islands_by_method[TN_METHOD_COUNT], char text[WHAT_RAN_SIZE]);
/* Why: "59 % the starting guess was good enough, …". */
enum { REASONS_SIZE = 512 };
const char *why_they_ran(const Totals *totals, char text[REASONS_SIZE]);
void json_islands(Json *json, double mean, const double islands_by_method[TN_METHOD_COUNT],
                  double asleep_mean);
/* Mean over the steps, NaN where there was none. */
double totals_mean(double sum, int64_t count);
/* Adds times phase by phase, scaled. */
void times_add(TnStepTimes *sum, const TnStepTimes *times, double scale);
/* Phase by phase the smaller of both. */
void times_least(TnStepTimes *least, const TnStepTimes *times);

/* Steps of a simulation of that length; at least one. */
int64_t steps_of(double duration, double timestep);

#endif
