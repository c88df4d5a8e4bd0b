/* scaling_report.h: what `tenon-bench scaling` measured, and how it is told. */
#ifndef TENON_SCALING_REPORT_H
#define TENON_SCALING_REPORT_H

#include "../plot/plot.h"
#include "bench.h"

typedef enum Subject { SPHERES, CABLE, BEAM, SUBJECT_COUNT } Subject;

/* What is measured: `units` is what there is more and more of (the cable's with its bars). Steps
 * are those of the command line's defaults; a large beam takes seconds for one. */
typedef struct SubjectInfo {
    const char *name, *unit, *units, *title;
    TnModel *(*model)(int size, TnError *err);
    int least, settle, steps;
    int size_count;
    double sizes[8];
} SubjectInfo;
extern const SubjectInfo subjects[SUBJECT_COUNT];

typedef struct ScalingRun {
    Subject of;
    int iterations, threads, settle, steps, repeats;
    int count;
    double sizes[BENCH_MAX_RUNS]; /* what the models have */
    Measure runs[BENCH_MAX_RUNS];
    /* powers y = a x^b of time and memory, and the straight line through time */
    PlotFitResult line, time, memory;
} ScalingRun;

/* One subject, or several. */
typedef struct Scaling {
    ScalingRun *runs;
    int count;
} Scaling;

void scaling_fit(ScalingRun *run);
void scaling_print(const Scaling *scaling);
void scaling_write_csv(FILE *out, const Scaling *scaling);
/* Of one subject its object; of several an object with one per subject, by its name. */
void scaling_write_json(FILE *out, const Scaling *scaling);
int scaling_plot(const char *path, const Scaling *scaling); /* exit code */

#endif
