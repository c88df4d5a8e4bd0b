/* bench.h: measuring a simulation.
 *
 * Timings are the mean over the steps of the shortest time that each step took in several repeats:
 * a simulation is deterministic, so repeats do the same work, and what else runs on the machine can
 * only lengthen it. Accuracy is measured in a pass of its own that is not timed. */
#ifndef TENON_BENCH_H
#define TENON_BENCH_H

#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"

#include <tenon/tenon.h>

enum { BENCH_MAX_RUNS = 32 };

typedef struct Measure {
    TnWorldDef def;       /* in: solver, threads, key */
    int64_t settle;       /* in: steps before the measured ones */
    int64_t steps;        /* in: measured steps */
    int repeats;          /* in */
    int least_contacts;   /* in: steps with fewer contacts do not count */
    int aav_samples;      /* in: steps whose AAv is computed, of those that count */
    int aav_iterations;   /* in: at most so many towards the converged velocities */
    bool quiet;           /* in: no progress line */
    const char *label;    /* in: for the progress line */
    size_t memory_before; /* in: heap_in_use() before the model was made; `memory` is what came
                             since */

    int subsystems, bonds;
    int dof;
    size_t memory;    /* bytes of model and world after the first pass; 0 where it is not known */
    int64_t ran;      /* steps; fewer after a divergence */
    int64_t measured; /* of them, those that count */
    int aav_count;
    double iterations_mean, contacts_mean, rows_mean;
    TnStepTimes times;    /* s, means of the shortest */
    double aac, aal, aav; /* NaN where there is none */
    double aav_residual;  /* m/s, the largest residual at which v* was taken for converged */
    double mean_penetration, max_penetration; /* m */
    /* with a tolerance */
    double error;        /* largest of the steps that count */
    int64_t unconverged; /* steps that missed the tolerance */
    double islands_mean, asleep_mean;
    double islands_by_method[TN_METHOD_COUNT]; /* sums, by TnIslandReport.method */
    bool diverged, deterministic;
} Measure;

/* TN_OK, or an error in *err. */
TnStatus measure(const TnModel *model, Measure *m, TnError *err);

size_t heap_in_use(void); /* bytes, 0 where the C library does not tell */

bool has_tolerance(const Measure *m);
double solver_ms(const Measure *m);            /* factor and iterate, per step */
void json_times(Json *json, const Measure *m); /* the step's and its phases' */
double us_per_iteration(const Measure *m);
double ns_per_contact_iteration(const Measure *m); /* NaN without contacts */

/* Options that `scene` and `scaling` share. */
typedef struct BenchCommon {
    int repeats;
    const char *plot; /* NULL: no figure */
    bool json, quiet;
} BenchCommon;

/* Appends them; returns the new count. */
int bench_option_table(Option *table, int count, BenchCommon *common, const char *repeats_help);
/* False and a message for --plot -. */
bool bench_plot_is_file(const char *command, const BenchCommon *common);
/* The values of a list that was not given; false without memory. */
bool number_list_default(NumberList *list, const double *values, int count);

#endif
