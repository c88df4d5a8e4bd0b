/* bench_plot.h: the figures of `tenon bench --plot`. Both return the exit code. */
#ifndef TENON_BENCH_PLOT_H
#define TENON_BENCH_PLOT_H

#include "bench.h"

/* Time per step by phase, and accuracy against iterations. */
int plot_scene(const char *path, const char *scene, const Measure *runs, int run_count);
/* Time per step and time per unit (a sphere, a segment) against their number. */
int plot_scaling(const char *path, const char *unit, const double *sizes, const Measure *runs,
                 int run_count);

#endif
