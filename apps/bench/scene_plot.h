/* scene_plot.h: the figures of `tenon-bench scene --plot`. Returns the exit code. */
#ifndef TENON_SCENE_PLOT_H
#define TENON_SCENE_PLOT_H

#include "bench.h"

/* Time per step by phase, and accuracy against iterations. */
int plot_scene(const char *path, const char *scene, const Measure *runs, int run_count);

#endif
