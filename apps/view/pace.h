/* pace.h: when the next step is due. Has no clock of its own: all times are given. */
#ifndef TENON_VIEW_PACE_H
#define TENON_VIEW_PACE_H

#include <stdbool.h>

typedef struct Pace {
    double timestep;                   /* s */
    double speed;                      /* simulated seconds per second */
    bool late;                         /* the speed is out of reach */
    double real_time_factor;           /* as measured; 0: not yet */
    double anchor_wall, anchor_time;   /* s: the world stood at this time then */
    double measure_wall, measure_time; /* s: where the present measurement began */
} Pace;

/* From here on; `wall` is the clock, `time` that of the world. */
void pace_restart(Pace *pace, double wall, double time);
/* Seconds by the wall until the next step is due; 0 or less: now. */
double pace_ahead(Pace *pace, double wall, double time);
/* After a step. */
void pace_measure(Pace *pace, double wall, double time);

#endif
