/* near.h: a world that has one rank's own free bodies and those of other ranks that are near them.
 *
 * It is stepped as any world is, but that
 *   - contacts are listed that an own body has (collision/grid_parts.c),
 *   - ranks solve together: each iteration has the velocities of bodies that own ones touch
 *     (solver/parts_near.c),
 *   - what needs all bodies at once is left out: contacts that the solution runs into are not
 *     looked for (missed.c), nobody's way is cut (limit.c, verify.c), momentum and energy of groups
 *     are not put right (balance.c).
 * What others' bodies do is then known from their ranks (spread.c). */
#ifndef TN_STEP_NEAR_H
#define TN_STEP_NEAR_H

#include "step.h"

/* Lists are by subsystem of the world, ascending. */
typedef struct TnNear {
    const TnRanks *ranks;         /* NULL: alone */
    bool *own;                    /* per subsystem */
    uint8_t *foreign;             /* per link: of another rank's */
    int count, *rank;             /* neighbours, ascending */
    int *send_start, *send;       /* per neighbour: own ones that it has, */
    int *receive_start, *receive; /* and its that are here */
} TnNear;

/* As tn_fixed_prepare and tn_fixed_iterate, by all ranks. False: no memory, or no factor. */
bool tn_near_solve(TnStep *step, const TnSolverDef *def, TnSolveResult *result);
/* From the solution to the new state, without balance. */
void tn_near_settle(TnStep *step);

#endif
