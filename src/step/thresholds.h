/* thresholds.h (internal): numbers that decide something in more than one stage of a step. What the
 * CPU, ranks and devices share is in model/thresholds.h. */
#ifndef TN_STEP_THRESHOLDS_H
#define TN_STEP_THRESHOLDS_H

/* Of what a whole step is off by: a half that leaves more has not been helped by being shorter.
 * Third order leaves an eighth, first order and a contact that is missed a half; what cannot be
 * cured and a hit leave all. */
#define TN_NO_HELP 0.8
/* Of what is let pass: what moves or bows by less cannot exceed it and is not examined. */
#define TN_SMALL_PART 0.25

#endif
