/* sleep.h: islands at rest are left out of steps until something wakes them (sleep.c). */
#ifndef TN_WORLD_SLEEP_H
#define TN_WORLD_SLEEP_H

#include "../step/step.h"

/* Wakes the island of a subsystem; one that is awake has moved just now. -1, the world: nothing
 * happens. */
void tn_sleep_wake(TnWorld *world, int subsystem);
void tn_sleep_wake_all(TnWorld *world);
/* What the last step may have noted does not outlive it: a restored state has none of it. */
void tn_sleep_forget_touches(TnWorld *world);
/* Wakes what collision found touched by something awake. True: something woke. */
bool tn_sleep_wake_touched(TnWorld *world);
/* Takes new controls over; actuators whose control changes wake what they drive. */
void tn_sleep_set_ctrl(TnWorld *world, const double *ctrl);
void tn_sleep_set_act(TnWorld *world, const double *act);
/* Memory for the contacts that the step leaves and for what follows, before the step is taken.
 * False: there is none. */
bool tn_sleep_reserve(TnStep *step);
/* The step is taken: what woke in it is awake. */
void tn_sleep_commit(TnWorld *world);
/* After a step: islands that were at rest for long enough fall asleep, with velocity zero.
 * `converged`: as the step's report says. Returns the energy that they lose by it, J. */
double tn_sleep_settle(TnStep *step, bool converged);
/* The constraints on a block were solved: twists first, then large ones; or counted among these. */
bool tn_sleep_is_solved(const TnWorld *world, int block);
bool tn_sleep_is_large_solved(const TnWorld *world, int block);

#endif
