/* pace.c: keeps a simulation in time with the clock.
 *
 * At `anchor_wall` the world stood at `anchor_time`; a step is due when
 *
 *   time of the world + h/2 <= anchor_time + speed (now - anchor_wall)
 *
 * A simulation that is behind by more than `max_debt` moves the anchor up to now and forgets the
 * rest: what cannot be caught up would only make every later moment late, too. */
#include "pace.h"

#include <math.h>

static const double max_debt = 0.1;       /* s by the wall */
static const double measure_period = 0.5; /* s by the wall */

void pace_restart(Pace *pace, double wall, double time)
{
    pace->anchor_wall = pace->measure_wall = wall;
    pace->anchor_time = pace->measure_time = time;
    pace->real_time_factor = 0;
    pace->late = false;
}

double pace_ahead(Pace *pace, double wall, double time)
{
    double due = (time + 0.5 * pace->timestep - pace->anchor_time) / pace->speed;
    double ahead = due - (wall - pace->anchor_wall);
    if (ahead >= -max_debt) return ahead;
    pace->anchor_wall = wall;
    pace->anchor_time = time;
    pace->late = true;
    return 0;
}

void pace_measure(Pace *pace, double wall, double time)
{
    double span = wall - pace->measure_wall;
    /* in slow motion a period must hold several steps */
    if (span < fmax(measure_period, 8 * pace->timestep / pace->speed)) return;
    pace->real_time_factor = (time - pace->measure_time) / span;
    pace->measure_wall = wall;
    pace->measure_time = time;
    /* the debt was dropped some time ago and nothing is missing since */
    if (pace->real_time_factor > 0.98 * pace->speed) pace->late = false;
}
