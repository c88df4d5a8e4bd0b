/* tenon/fit.h: parameters of a model from logs of runs (docs/identification.md).
 *
 * Least squares: Σ ((simulated - measured) / sigma)² over all measurements, plus what priors add,
 * becomes least, by Gauss-Newton steps within a trust region. A run is simulated from its start to
 * its end. */
#ifndef TENON_FIT_H
#define TENON_FIT_H

#include <tenon/derivatives.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the unknown is counted within the fit. LOG: a step changes it by a factor, and it stays above
 * 0. */
typedef enum TnFitScale {
    TN_FIT_AUTO, /* LOG where no negative values are allowed, else LINEAR */
    TN_FIT_LINEAR,
    TN_FIT_LOG
} TnFitScale;

typedef struct TnFitParameter {
    TnParameter parameter;
    TnFitScale scale;
    double start;       /* NaN (default): that of the model */
    double low, high;   /* bounds; default none, of what cannot be negative 0 */
    double prior;       /* what is known before, NaN (default): start; and how well: the standard */
    double prior_sigma; /* deviation, with LOG that of the logarithm. 0 (default): no prior */
} TnFitParameter;
TN_API TnFitParameter tn_fit_parameter(TnParameterKind kind, int32_t id, int index);

typedef enum TnFitChannelKind {
    TN_FIT_QPOS,   /* index: in qpos; angles as they are, without turns taken off */
    TN_FIT_QVEL,   /* index: in qvel */
    TN_FIT_SENSOR, /* index: in the sensor data */
    TN_FIT_SITE,   /* id: site, index: 0 … 2, its position, m, world axes */
    TN_FIT_CHANNEL_KIND_COUNT
} TnFitChannelKind;
/* A number that all runs measure. */
typedef struct TnFitChannel {
    TnFitChannelKind kind;
    int32_t id;
    int index;
    double sigma; /* standard deviation of the noise, > 0 */
} TnFitChannel;

/* A log. Arrays are copied. */
typedef struct TnFitRun {
    int sample_count;    /* rows, >= 2 */
    const double *times; /* s; equally spaced, by a whole number of steps. Rows without measurements
                            are NaN in `measured` */
    const double *ctrl; /* sample_count × ctrl_count; a row holds until the next. NULL: the model's
                           control track, or zeros */
    const double *qpos, *qvel, *act; /* at the first time; NULL: the reference pose, at rest */
    /* 2 dof_count + act_count: how well the start is known, in tangent coordinates
     * (tenon/derivatives.h). 0: exactly; infinite: not at all, what is given is a guess. NULL: all
     * of it exactly */
    const double *start_sigma;
    const double *measured; /* sample_count × channel_count; NaN: missing */
} TnFitRun;

typedef enum TnFitMethod {
    TN_FIT_DIFFERENCES, /* a simulation of all runs for each parameter */
    /* S ← A S + P along one simulation, with derivatives of steps. Not for sensors */
    TN_FIT_IMPLICIT,
    TN_FIT_METHOD_COUNT
} TnFitMethod;

/* Directions (products of powers of parameters, where these are LOG) that the data do not show. */
typedef enum TnFitUnseen {
    TN_FIT_KEEP,       /* parameters stay where they are along them (default) */
    TN_FIT_REFUSE,     /* an error names them */
    TN_FIT_REGULARIZE, /* parameters without a prior get one of `known` about their start */
    TN_FIT_UNSEEN_COUNT
} TnFitUnseen;

typedef struct TnFitDef {
    TnWorldDef world; /* of the simulations; thread_count is not used */
    const TnFitParameter *parameters;
    int parameter_count;
    const TnFitChannel *channels;
    int channel_count;
    const TnFitRun *runs;
    int run_count;
    TnFitMethod method;
    TnFitUnseen unseen;
    double known; /* a direction is shown if the data tell it with a smaller standard deviation,
                     LOG: of the logarithm, LINEAR: in tn_fit_unit. Default 1 */
    /* Fits of the first part of each run come before that of all of it, each twice as long as the
     * one before: a run that is far off at its end says little about parameters. 1 … 16, default 4
     */
    int stages;
    int max_iterations; /* of all stages together; default 100 */
    double step; /* of differences at last, in units as above; 1e-9 … 1e-2, default 1e-6. They begin
                    with 1e-2, over which kinks of friction count for less */
    int thread_count; /* that share the simulations, 1 … 64; default 1. Results have the same
                         bits */
} TnFitDef;
TN_API TnFitDef tn_fit_def(void);

typedef enum TnFitEnd {
    TN_FIT_NOT_SOLVED,
    TN_FIT_CONVERGED,      /* a further step would change nothing */
    TN_FIT_NO_PROGRESS,    /* no step makes the sum smaller: a switch of contacts, or rounding */
    TN_FIT_MAX_ITERATIONS, /* it could go on */
    TN_FIT_NOTHING_SHOWN,  /* the data show none of the parameters */
    TN_FIT_END_COUNT
} TnFitEnd;
TN_API const char *tn_fit_end_name(TnFitEnd end); /* "no progress" */

/* Pointers are valid until the next call. n: parameter_count. */
typedef struct TnFitView {
    int parameter_count, channel_count, run_count;
    TnFitEnd end;
    const double *values; /* n */
    /* n: standard errors, in the parameters' own units, as the channels' sigmas have them; infinite
     * where a direction that is not shown has a part in it */
    const double *sigma;
    const double *covariance; /* n × n, of what is shown, in the parameters' own units */
    const uint8_t *at_bound;  /* n: 1: at its lower or upper bound, which the data would cross */
    /* n, largest first: of the Jacobian of all measurements over their sigmas, starts that are free
     * taken out. The standard deviation along a direction is 1 over it */
    const double *singular_values;
    const double *directions; /* n × n, a row per singular value: unit vectors over the parameters,
                                 in units as TnFitDef.known has them */
    const uint8_t *shown;     /* n: 1: the data show this direction */
    int shown_count;
    const double *rms; /* channel_count: of what is left, in the channel's units; NaN: no data */
    double chi2;       /* the sum; with right sigmas about measurement_count - unknown_count */
    double start_chi2; /* with the values to start with; infinite: that simulation broke off */
    int measurement_count;
    int unknown_count; /* that are fitted: shown directions, and numbers of free starts */
    int iterations;
    int64_t steps;   /* that were simulated, a column of derivatives counted as one per side */
    double rollouts; /* the same as simulations of all runs */
} TnFitView;

/* NULL and an error that names what is wrong: a gap in a log, times that are no multiples of the
 * timestep, a parameter that the model does not have or let be set, fewer data than unknowns. */
typedef struct TnFit TnFit;
TN_API TnFit *tn_fit_create(const TnModel *model, const TnFitDef *def, TnError *err);
TN_API void tn_fit_destroy(TnFit *fit); /* NULL is allowed */
/* From the start values. TN_ERROR_USAGE if the simulations break off there, or if directions are
 * not shown and REFUSE is asked for: the view then has the state at the end. */
TN_API TnStatus tn_fit_solve(TnFit *fit, TnError *err);
TN_API TnFitView tn_fit_view(const TnFit *fit);
/* Of a run, simulated with the values: sample_count × channel_count; and its start, as fitted. NULL
 * skips one. */
TN_API TnStatus tn_fit_simulated(const TnFit *fit, int run, double *simulated, double *qpos,
                                 double *qvel, double *act, TnError *err);
/* Sets the values in a world of the model. */
TN_API TnStatus tn_fit_apply(const TnFit *fit, TnWorld *world, TnError *err);
/* Direction k in words: "0.71 mass:box - 0.71 stiffness:slide". Cut at size - 1 bytes. */
TN_API void tn_fit_direction_text(const TnFit *fit, int k, char *text, size_t size);
/* What the standard deviations of a linear parameter are multiples of, in its own unit; 1 of one
 * that is LOG; 0: there is none. */
TN_API double tn_fit_unit(const TnFit *fit, int parameter);

/* "mass:box", "com:box:2", "gravity:2": of a parameter; without a name the id counts ("mass:#3").
 * Cut at size - 1 bytes. And back; false and an error: there is none. */
TN_API void tn_parameter_text(const TnModel *model, const TnParameter *parameter, char *text,
                              size_t size);
TN_API bool tn_parameter_from_text(const TnModel *model, const char *text, TnParameter *parameter,
                                   TnError *err);
/* Its value in a model; 0: there is none. */
TN_API double tn_model_parameter(const TnModel *model, const TnParameter *parameter);

#ifdef __cplusplus
}
#endif
#endif
