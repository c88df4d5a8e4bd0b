/* solver_curve.h: one solver at ever more iterations, or ever smaller tolerances, on the same
 * steps. */
#ifndef TENON_SOLVER_CURVE_H
#define TENON_SOLVER_CURVE_H

#include "../common/json.h"
#include "known_scenes.h"
#include "replay_states.h"

/* The paper's five in its order, then the automatic method. */
enum { CURVE_AUTO = PAPER_SOLVERS, CURVE_COUNT, CURVE_MAX_POINTS = 24 };
/* Columns of the table: the paper's three, and of the automatic method its default. */
enum { CURVE_AS_IT_COMES = PAPER_COUNTS, CURVE_COLUMNS };

typedef enum Configuration {
    CONFIG_PAPER,    /* cables and soft bodies divided, SubADMM weighted as in the paper */
    CONFIG_DEFAULTS, /* tenon's own division and settings */
    CONFIG_COUNT
} Configuration;
const char *configuration_name(Configuration configuration); /* "paper", "defaults" */
TnDivisionDef configuration_division(Configuration configuration);
const char *curve_label(int solver); /* "PGS" … "auto" */
const char *curve_name(int solver);  /* "pgs" … "auto" */

typedef struct SolverCurve {
    int count;
    ReplayFigures points[CURVE_MAX_POINTS];
    int column[CURVE_MAX_POINTS]; /* of the table, from 0; -1: between them */
} SolverCurve;

typedef struct CurvePlan {
    Configuration configuration;
    int repeats;
    bool columns_only; /* nothing between the table's columns */
    double limit_ms; /* more than the first point takes: no further, but for the table's columns */
    double enough_aav; /* no further either */
} CurvePlan;

/* `solver`: PAPER_PGS … CURVE_AUTO. */
TnStatus curve_measure(Replay *replay, int solver, const CurvePlan *plan, SolverCurve *curve,
                       TnError *err);
/* The point with the least solver time whose mean AAv is that; NULL: none. */
const ReplayFigures *curve_first(const SolverCurve *curve, double aav);
double curve_best_aav(const SolverCurve *curve);                         /* NaN: none */
const ReplayFigures *curve_column(const SolverCurve *curve, int column); /* NULL: not measured */

/* Times and accuracies of a point: five fields. */
void csv_figures(FILE *out, const ReplayFigures *figures);
void json_figures(Json *json, const ReplayFigures *figures);

#endif
