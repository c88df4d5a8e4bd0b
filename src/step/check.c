/* check.c: is a step too long?
 *
 * What a step does beyond its linearization is of third order in t: half as long, it is wrong by an
 * eighth in all. So before its new state is taken over, a step is checked, and each check says by
 * how many times its limit it is exceeded:
 *
 *     depth      how much deeper than before something ends up, over what is let pass   verify.c
 *     energy     what the step made, or lost of motion that nothing struck, over what
 *                is left alone                                                         balance.c
 *
 * A step that exceeds some limit is refused and taken in two halves (substeps.c), as long as halves
 * help: a quarter that exceeds by more than TN_NO_HELP of what the whole did is taken as it is. (A
 * half tells too little: what is hit late in the whole is hit as deep in its second half.)
 *
 * Forces that were not found to the tolerance are no reason. They mostly were not found because
 * constraints contradict each other or bodies jam, at any length: halved for that, welds that
 * contradict each other lost 3 % of a momentum (tests/subsystem/rod/test_rods_carried.c). */
#include "step.h"
#include "thresholds.h"

const char *tn_check_name(TnCheck check)
{
    static const char *const names[TN_CHECK_COUNT] = {"none", "depth", "energy"};
    return check > 0 && check < TN_CHECK_COUNT ? names[check] : names[0];
}

void tn_step_exceeds(TnStep *step, TnCheck check, double times)
{
    if (!(times > step->check.exceeds)) return;
    step->check.exceeds = times;
    step->check.which = check;
}

bool tn_step_is_too_long(TnStep *step)
{
    TnHalving *halving = &step->world->halving;
    if (halving->left == 0 || !(step->check.exceeds > 1.0) ||
        step->check.exceeds > TN_NO_HELP * halving->whole)
        return false;
    halving->exceeds = step->check.exceeds;
    halving->check = step->check.which;
    return true;
}
