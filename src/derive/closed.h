/* closed.h (internal): columns of state and controls in closed form, where all of the step is. */
#ifndef TN_DERIVE_CLOSED_H
#define TN_DERIVE_CLOSED_H

#include "../subsystem/tree/step_slopes.h"
#include "trial.h"

struct TnClosed {
    const char *why; /* columns are not in closed form; "": they are */
    bool has_step;
    TnStep step; /* that columns are about; its memory is the copy's */
    TnScaled *scaled;
    double *ctrl, *acts;
};

TnClosed *tn_closed_create(const TnModel *model); /* NULL: no memory */
void tn_closed_destroy(TnClosed *closed);
/* The step that the copy takes next, linear about the solution, will be noted. */
void tn_closed_watch(TnDerivatives *d, TnCopy *copy);
/* After it: A and B; or closed->why. False: no memory. */
bool tn_closed_find(TnDerivatives *d, TnCopy *copy);

#endif
