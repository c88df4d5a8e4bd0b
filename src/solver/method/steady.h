/* steady.h: what a solve near rest should leave to the next one as a starting guess.
 *
 * A stack at rest is held by forces λ*. A guess off by a little, λ* + δ, is let pass while the
 * velocity that it leaves, more from step to step, is below the tolerance. The forces that are
 * found when it no longer is take all of that velocity back at once, so they are off by many δ to
 * the other side, and as a guess for the next step they would leave as much. Every second step
 * would be solved for good.
 *
 * At rest the next step's forces are those that accelerate nothing. Between the guess, which would
 * change u = J v + e by u_guess - u_start, and what was found, which changed it by u - u_start,
 * these are at
 *
 *     η = (u_guess - u_start)·(u_guess - u) / |u_guess - u|²
 *
 * of the way (a secant, angular velocities times their levers), with u_start from the velocities
 * that the solve started with, the last step's. */
#ifndef TN_SOLVER_STEADY_H
#define TN_SOLVER_STEADY_H

#include "../op/assembly.h"

static inline bool tn_is_near_rest(double error, double tolerance, double velocity_scale)
{
    return error < TN_NEARLY * tolerance && error < TN_UNSOLVED * velocity_scale;
}

typedef struct TnSteady {
    const TnProblem *problem;
    TnPerConstraint start, guess; /* u; none: count 0 */
} TnSteady;
/* The problem's v is still the starting guess, and u that of v_λ there. False: no memory. */
bool tn_steady_start(const TnProblem *problem, const TnPerConstraint *u, TnSteady *out);
/* η in [0, 1] of the two products. */
static inline double tn_steady_clamp(double along, double length)
{
    double share = length > 0.0 ? along / length : 1.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}
/* η; 1 where nothing was noted. */
double tn_steady_share(const TnSteady *steady, const TnPerConstraint *u);

#endif
