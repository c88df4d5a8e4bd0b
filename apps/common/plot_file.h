/* plot_file.h: a figure of apps/plot as a file, for the commands that draw one. */
#ifndef TENON_PLOT_FILE_H
#define TENON_PLOT_FILE_H

#include "../plot/plot.h"

/* Writes the figure to a file, whose folder is made if missing, or to stdout for "-". Says on
 * stderr what was left out or thinned unless `quiet`. Returns the exit code; where there is nothing
 * to draw, no file is touched. */
int save_plot(const char *command, const char *path, const PlotFigure *figure, bool quiet);

#endif
