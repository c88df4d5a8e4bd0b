/* parts.h (internal): fits of parameters to logs.
 *
 * Unknowns u of the fit: log(value) or value / unit, per parameter; and of each run the numbers of
 * its start that are not known exactly, as displacements from the start that was given.
 * Residuals r = (simulated - measured) / sigma. */
#ifndef TN_FIT_PARTS_H
#define TN_FIT_PARTS_H

#include <tenon/fit.h>

#include "../base/base.h"
#include "../base/pool.h"
#include "../derive/derive.h"

typedef struct TnFitLog {
    int samples, every;        /* rows; steps from one to the next */
    double *ctrl;              /* NULL: none */
    double *qpos, *qvel, *act; /* start as given */
    int free_count, *free_at;  /* numbers of the start that are fitted: tangent coordinates, */
    double *free_sigma;        /* infinite: no prior, */
    double *offset, *trial, *change; /* where they are, and are tried */
    double *measured;                /* samples × channels */
    double *simulated;               /* the same, with the values as they are; */
    double *tried;                   /* with those that are tried; */
    double *slopes; /* by free numbers, then parameters: samples × channels × … */
    double *left;   /* rows of the least-squares problem, then its triangle */
    int *pivots, rows;
    int count;    /* of measurements in the window; */
    int window;   /* samples that count */
    int finished; /* samples that the last simulation came to */
} TnFitLog;

/* A world that simulates; any of them gives the same bits. */
typedef struct TnFitWorker {
    TnCopy copy;
    TnDerivatives *derivatives;
    int64_t steps;
    double *sensors;            /* of the world */
    double *start;              /* qpos, qvel, act */
    double *tangent, *jacobian; /* of a site */
    double *S, *next;           /* state × columns */
    double *column, *moved;
    double *outputs; /* samples × channels */
    TnError err;
    bool failed; /* a simulation broke off */
    bool broken; /* no memory */
} TnFitWorker;

struct TnFit {
    const TnModel *model;
    TnFitDef def;
    TnFitParameter *parameters; /* with all that was left open filled in */
    TnFitChannel *channels;
    TnFitLog *logs;
    TnFitWorker *workers;
    TnPool *pool;
    TnParameter *list;
    int np, nc, nx, most_free, most_samples;
    bool reads_sensors;
    double *unit;             /* of linear parameters */
    double *u, *trial, *most; /* np: unknowns, those that are tried; lowest and highest */
    double *least;
    /* the problem of a step: (np + 1) rows per run and np of priors; and its triangle */
    double *stack;
    int *stack_pivots;
    double *R;               /* columns of the triangle, np × rows; becomes U S */
    double *V, *s, *c, *way; /* np × np, np … */
    bool *frozen;            /* at a bound that the step would cross */
    double cost;
    double level,
        *reach; /* what slopes are taken over: now, and of each parameter and all starts */
    int64_t steps;
    /* results */
    TnFitEnd end;
    int iterations, shown_count, measurement_count;
    double start_cost;
    double *values, *sigma, *covariance, *directions, *rms;
    uint8_t *at_bound, *shown;
};

/* ---- check.c ---- */
TnStatus tn_fit_refuse(TnError *err, const char *format, ...) TN_PRINTF(2, 3);
/* All that is wrong with a definition, as far as it shows before a simulation. */
TnStatus tn_fit_check(const TnModel *model, const TnFitDef *def, TnError *err);
/* Steps between rows; 0 and an error: there is no such number. */
int tn_fit_steps_between(const TnModel *model, const TnFitRun *run, int index, TnError *err);
bool tn_fit_is_log(const TnFitParameter *p);

/* ---- simulate.c ---- */
double tn_fit_value(const TnFit *fit, int parameter, double u);
/* Sets all parameters of a worker's world. */
TnStatus tn_fit_set(const TnFit *fit, TnWorld *world, const double *u, TnError *err);
/* A run within its window, from the start that is `offset` away. False: it broke off after
 * *finished samples (may be NULL), or a value was refused (worker->err). */
bool tn_fit_simulate(const TnFit *fit, TnFitWorker *worker, const TnFitLog *log, const double *u,
                     const double *offset, double *outputs, int *finished);
/* The start of a run into worker->start; sets the world's state. */
bool tn_fit_begin(const TnFit *fit, TnFitWorker *worker, const TnFitLog *log, const double *u,
                  const double *offset);
bool tn_fit_sample(const TnFit *fit, TnFitWorker *worker, double *out);
/* All runs with unknowns u (trial false: as they are); the sum of squares with all priors.
 * Infinite: one broke off. */
double tn_fit_cost(TnFit *fit, bool trial);

/* ---- slopes.c ---- */
/* log->slopes of all runs, over fit->level; noticeable: over distances at which the data begin to
 * notice a change, by the last linearization. False: a simulation broke off. */
bool tn_fit_slopes(TnFit *fit, bool noticeable);

/* ---- implicit.c ---- */
/* The same of a run by S ← A S + P. */
bool tn_fit_slopes_along(const TnFit *fit, TnFitWorker *worker, TnFitLog *log);

/* ---- triangle.c ---- */
/* A (m × n, row-major) becomes its row echelon form by reflections; pivots[j]: the row of column j,
 * or -1: it depends on columns before it. Returns the rows that are not zero. */
int tn_fit_triangle(double *A, int m, int n, int *pivots, double *scratch);
/* Columns of B (n, of m numbers each, one after the other) are turned until they are orthogonal:
 * B V = U S. s falls. */
void tn_fit_singular(double *B, int m, int n, double *V, double *s);

/* ---- step.c ---- */
/* The least-squares problem at the present unknowns: singular values, directions and what is left
 * along them. Slopes must be there. bounded: parameters at bounds that a step would cross rest. */
void tn_fit_linearize(TnFit *fit, bool bounded);
/* By how much the sum of squares would fall at most, without bounds. */
double tn_fit_most_fall(const TnFit *fit);
/* The best step within the radius (0: no limit): fit->way, and changes of starts, these times
 * `share`. Returns by how much the sum of squares would fall. */
double tn_fit_best_step(TnFit *fit, double radius, double share);
bool tn_fit_is_shown(const TnFit *fit, int direction);

#endif
