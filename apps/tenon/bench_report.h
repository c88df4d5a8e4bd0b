/* bench_report.h: what `tenon bench SCENE` prints. */
#ifndef TENON_BENCH_REPORT_H
#define TENON_BENCH_REPORT_H

#include "bench.h"

/* A scene that comes with tenon. */
typedef struct BenchScene {
    const char *name;
    double duration;    /* s */
    int least_contacts; /* steps with fewer do not count */
    bool has_paper;
    double paper_ms[3], paper_index[3]; /* at 30, 60 and 90 iterations */
} BenchScene;

typedef struct BenchReport {
    const TnModel *model;
    const char *scene, *path;
    const BenchScene *paper; /* NULL: not in the paper */
    int run_count, main_run; /* the one whose figures stand at the top of the JSON */
    const Measure *runs;
} BenchReport;

/* It has cables or soft bodies, which the paper divides into groups or pieces. */
bool is_divisible(const TnModel *model);
void bench_print_table(const BenchReport *report);
void bench_print_json(const BenchReport *report);

#endif
