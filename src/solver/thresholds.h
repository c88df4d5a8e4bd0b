/* thresholds.h (internal): numbers that decide something in a solve and stand in more than one
 * place of solver/. A number of one file is at the top of that file. */
#ifndef TN_SOLVER_THRESHOLDS_H
#define TN_SOLVER_THRESHOLDS_H

/* ---- errors, of velocity_scale, which is gravity × timestep ---- */
/* Forces that are off by more tell less than sweeps do. Linearizing leaves less: constraints that
 * disagree by more contradict each other. */
#define TN_OFF 0.1
/* Below it a step moves with v_λ of its forces where contacts yield. A method that converges slowly
 * hardly ever leaves more; what does contradicts something. */
#define TN_ROUGH 1e-2
/* Forces that are off by more are wrong. By less, a state may be near rest. */
#define TN_UNSOLVED 1e-3
/* Below it a step moves with v_λ of its forces. The law of contacts that yield is known no better.
 */
#define TN_FINE 1e-4

/* ---- errors, in tolerances ---- */
/* Contradictions are below it: where more is lost no other R helps. */
#define TN_BEYOND 1e4
/* Nearly solved: a state may be near rest, and contacts that yield have converged. */
#define TN_NEARLY 100.0
/* A guess is taken as it is only if it leaves next to nothing. */
#define TN_STILL 0.03

/* ---- progress ---- */
/* What leaves more than this of the error has gained nothing worth its time. */
#define TN_LITTLE_GAIN 0.9
/* An accelerated residual may grow to so many times the least one. */
#define TN_GROWTH 2.0

/* ---- R of Newton's steps, D · R being a constraint's stiffness ---- */
/* Beyond, rounding is multiplied by more than Newton gains. */
#define TN_MOST_STIFFNESS 1e7
#define TN_LEAST_STIFFNESS 1e3

#endif
