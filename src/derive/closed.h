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
    bool *open;         /* per column by q and v: it is not */
    TnNumber *numbers;  /* per parameter: what it is for trees, */
    bool *known;        /* and its column is there; */
    bool *may_be_known; /* it may be */
};

TnClosed *tn_closed_create(const TnModel *model, int parameters); /* NULL: no memory */
void tn_closed_destroy(TnClosed *closed);
/* What the parameters are for trees, once copies are the world's. */
void tn_closed_note_parameters(TnDerivatives *d, TnCopy *copy);
/* The step that the copy takes next, linear about the solution, will be noted. */
void tn_closed_watch(TnDerivatives *d, TnCopy *copy);
/* After it: A, B, and those of P that are known; or closed->why. False: no memory. */
bool tn_closed_find(TnDerivatives *d, TnCopy *copy);

#endif
