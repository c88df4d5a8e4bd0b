/* again.h (internal): phases of a step, and what is checked behind each. */
#ifndef TN_STEP_AGAIN_H
#define TN_STEP_AGAIN_H

#include "step.h"

/* A set of phases. */
#define TN_PHASE(phase) (1U << (phase))
#define TN_ALL_PHASES (TN_PHASE(TN_PHASE_COUNT) - 1U)
/* Without what is not foreseen. */
#define TN_FORESEEN_PHASES (TN_ALL_PHASES & ~(TN_PHASE(TN_PHASE_LOOK) | TN_PHASE(TN_PHASE_COMPARE)))
/* From a solution to the new state. */
#define TN_LAST_PHASES (TN_ALL_PHASES - (TN_PHASE(TN_PHASE_LIMIT) - 1U))

static inline bool tn_step_has_run(const TnStep *step, TnPhase phase)
{
    return step->loop.done & TN_PHASE(phase);
}

static inline bool tn_step_will_run(const TnStep *step, TnPhase phase)
{
    return step->loop.todo & TN_PHASE(phase);
}

/* Its share of the budget is not spent. */
bool tn_step_may_repeat(const TnStep *step, TnPass pass);
/* All checks that are made behind a phase; *again: the phases that they ask for. False: no memory,
 * or the step is refused. */
bool tn_step_check(TnStep *step, TnPhase phase, unsigned *again);

#endif
