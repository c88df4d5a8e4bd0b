/* due.h (internal): what a group's motion has to give for energy that a step made, or gets for what
 * it lost.
 *
 * In smooth motion, where nothing struck, nothing is lost: what a step of second order makes here
 * it loses there. So both are put right, a little at a time, and what is left is owed to later
 * steps: also where motion turns back, and there is too little speed. In rough motion only what was
 * made is taken, at once.
 *
 * Work of forces that undo overlaps (`put`) is not taken beyond a share of the motion that does not
 * come of it: bodies at rest that overlap must come apart. Smooth motion owes it, as far as it may
 * owe: it sank in by itself, and was paid for that. */
#ifndef TN_ACCOUNT_DUE_H
#define TN_ACCOUNT_DUE_H

#include <math.h>
#include <stdbool.h>

#include "../model/thresholds.h"

/* All in J, of a group. */
typedef struct TnDueInput {
    bool smooth;
    double made, put;               /* by this step; of it by undoing overlaps */
    double hits;                    /* that knocks took of it at most */
    double owed;                    /* by earlier steps */
    double kinetic, kinetic_before; /* at the end of the step, and at its start */
    double moving;                  /* of the first, what may be scaled */
    double noise;                   /* less is left alone */
} TnDueInput;

typedef struct TnDue {
    double take;   /* off the motion; below zero it is given */
    double owed;   /* by later steps */
    double beyond; /* that smooth motion lost, where it is more than is put right */
} TnDue;

static inline TnDue tn_due(const TnDueInput *in)
{
    double kinetic = fmax(in->kinetic, in->kinetic_before), most = TN_SMOOTH_SHARE * in->moving,
           bound = TN_SMOOTH_SHARE * kinetic, debt = TN_OWED_SHARE * kinetic;
    double other = fmax(0.0, in->moving - in->put), made = in->made,
           kept = fmin(fmax(0.0, in->put - TN_PUT_OUT_SHARE * other), fmax(0.0, made)),
           later = in->smooth ? fmin(kept, debt) : 0.0;
    made -= kept;
    if (made < 0.0) made = fmin(0.0, made + in->hits);
    made += in->owed;
    TnDue due = {.owed = in->smooth ? later : fmax(0.0, made)};
    if (made <= in->noise && (made >= -in->noise || !in->smooth)) return due;
    due.take = fmin(fmax(0.0, made), in->moving);
    if (in->smooth && made <= bound) due.take = fmin(fmax(made, -most), most);
    /* debts stay where motion turns back; what a rough step lost is lost */
    due.owed = later + fmax(made - due.take, in->smooth ? fmin(in->owed, -debt) : 0.0);
    if (in->smooth && made < -bound) due.beyond = -made;
    return due;
}

#endif
