/* unilateral.h: the law of one inequality: a contact's normal, or a joint's limit. */
#ifndef TN_CONSTRAINT_UNILATERAL_H
#define TN_CONSTRAINT_UNILATERAL_H

#include <stdbool.h>

/* How an inequality came about; decides how the pushed subsystems move (blend.c). */
typedef struct TnUnilateralLaw {
    double e_normal; /* along the normal, the shift included */
    bool resting;    /* touching before, and no approach: a limit that hits nothing */
    double blend;    /* share of v⁺ in the displacement while it pushes, 1 - ε for a hit */
    double out;      /* m/s: at which it is to undo an overlap */
} TnUnilateralLaw;

/* Along the normal of a contact, or along a joint's coordinate. */
typedef struct TnUnilateral {
    double gap;
    double v;          /* J v, v of the step's start, J as in the row */
    double approach;   /* the same with J of the start: how fast the gap opens then, */
    double v_free_end; /* and would at the end, without constraints */
    double restitution;
    bool resolved; /* as TnContactPoint.resolved */
    double blend;  /* share of v⁺ in the displacement, as planned; 0 where the solution decides */
    double slow;   /* what approaches more slowly, over a gap that this closes in a step, touched */
    double t, theta, stabilization;
    double gravity; /* sets the scale of "at rest", and how fast overlaps are undone */
    double leave;   /* gaps up to this (either way) count as none */
    double size;    /* of the smaller body: how fast that is without gravity */
} TnUnilateral;
TnUnilateralLaw tn_unilateral_law(const TnUnilateral *in);
/* Speed at which a depth is undone: a share of it per step, and for deep ones no more than lets a
 * body come out calmly, whatever the step. */
double tn_way_out(double depth, double gravity, double size, double t, double share);

#endif
