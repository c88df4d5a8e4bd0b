/* scene_report.h: what `tenon-bench scene` prints. */
#ifndef TENON_SCENE_REPORT_H
#define TENON_SCENE_REPORT_H

#include "bench.h"
#include "known_scenes.h"

typedef struct BenchReport {
    const TnModel *model;
    const char *scene, *path;
    const KnownScene *paper; /* NULL: not in the paper */
    int run_count, main_run; /* the one whose figures stand at the top of the JSON */
    const Measure *runs;
} BenchReport;

/* It has cables or soft bodies, which the paper divides into groups or pieces. */
bool is_divisible(const TnModel *model);
void bench_print_table(const BenchReport *report);
void bench_print_json(const BenchReport *report);

#endif
