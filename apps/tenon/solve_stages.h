/* solve_stages.h: solves the problem of a file until its error is small enough.
 *
 * A solver's tolerance is about the natural map of single constraints; a file is judged by a
 * measure of its own: a Siconos file by the error of Siconos (with the matrix made symmetric),
 * another by the largest natural map in shares of the velocity scale. So a solve goes in stages,
 * each from where the last one ended: the solver's tolerance is tightened until the measure is met.
 */
#ifndef TENON_SOLVE_STAGES_H
#define TENON_SOLVE_STAGES_H

#include <tenon/tenon.h>

typedef struct SolveLimits {
    double tolerance;  /* of the measure */
    int iterations;    /* of all stages together; 0: 1000000 */
    double time_limit; /* s, looked at between stages */
    int anderson;      /* of SubADMM: TnSolverDef.anderson */
    int threads;
} SolveLimits;

typedef struct SolveOutcome {
    TnMethod method;
    bool reached;
    const char *end; /* why it ended, in words */
    const char *form;
    int iterations, stages;
    double prepare_seconds, solve_seconds;
    double velocity_scale;     /* m/s: natural map of doing nothing, λ = 0 */
    double solver_tolerance;   /* of the last stage, in shares of that */
    double measure;            /* what the tolerance is about */
    TnJudgement judgement;     /* of the best stage, by the measure */
    double as_read, symmetric; /* error of Siconos; NaN for other files */
} SolveOutcome;

/* False: the problem cannot be solved at all, see err. */
bool solve_in_stages(const TnProblemFile *file, TnMethod method, const SolveLimits *limits,
                     SolveOutcome *out, TnError *err);

#endif
