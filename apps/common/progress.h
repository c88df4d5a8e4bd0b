/* progress.h: one line on a terminal that tells how far a simulation is, when it ends and how it
 * compares with real time. */
#ifndef TENON_PROGRESS_H
#define TENON_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
    bool shown;        /* stderr is a terminal, and no --quiet */
    double start;      /* s, clock */
    double last_drawn; /* s, clock */
    double duration;   /* s, simulated */
} Progress;

Progress progress_start(double duration, bool quiet);
void progress_update(Progress *progress, double simulated);
void progress_end(Progress *progress); /* wipes the line */

#endif
