/* A solver at several counts or tolerances; see solver_curve.h. */
#include "solver_curve.h"

#include "../common/output_file.h"
#include "own_solvers.h"

#include <math.h>

/* 30, 60 and 90 are the paper's; its nonsmooth Newton has 3, 6 and 9. */
static const int counts[] = {1,  2,   3,   5,   7,   10,  14,   20,   30,   45,    60,
                             90, 130, 200, 300, 450, 700, 1000, 2000, 5000, 10000, 20000};
static const int newton_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 22, 30, 45, 60, 90};
/* The automatic method: tolerances, and how many iterations of SubADMM at most. The last one is how
 * it comes. */
static const struct {
    double tolerance;
    int most, column;
} efforts[] = {{100, 60, -1},     {10, 60, -1},      {1, 60, -1},       {0.3, 60, -1},
               {0.1, 60, -1},     {3e-2, 60, -1},    {1e-2, 90, 0},     {3e-3, 130, -1},
               {1e-3, 200, -1},   {3e-4, 300, -1},   {1e-4, 700, 1},    {3e-5, 1000, -1},
               {1e-5, 2000, -1},  {3e-6, 3500, -1},  {1e-6, 5000, 2},   {3e-7, 7000, -1},
               {1e-7, 10000, -1}, {1e-8, 20000, -1}, {1e-9, 20000, -1}, {0, 0, CURVE_AS_IT_COMES}};
#define LENGTH(array) (int)(sizeof(array) / sizeof((array)[0]))

const char *configuration_name(Configuration configuration)
{
    return configuration == CONFIG_PAPER ? "paper" : "defaults";
}

TnDivisionDef configuration_division(Configuration configuration)
{
    return (TnDivisionDef){.kind = configuration == CONFIG_PAPER ? TN_DIVISION_PAPER
                                                                 : TN_DIVISION_AUTO};
}

const char *curve_label(int solver)
{
    static const char *const labels[CURVE_COUNT] = {"PGS",     "PJ",      "FADMM",
                                                    "NNewton", "SubADMM", "auto"};
    return labels[solver];
}

const char *curve_name(int solver)
{
    static const char *const names[CURVE_COUNT] = {"pgs",     "pj",      "fadmm",
                                                   "nnewton", "subadmm", "auto"};
    return names[solver];
}

static void choose_method(int solver, TnSolverDef *def)
{
    static const TnMethod methods[CURVE_COUNT] = {TN_METHOD_PGS,       TN_METHOD_OWN,
                                                  TN_METHOD_ASSEMBLED, TN_METHOD_OWN,
                                                  TN_METHOD_SUBADMM,   TN_METHOD_AUTO};
    def->method = methods[solver];
    if (solver == PAPER_PJ) def->own = &tn_own_pj;
    if (solver == PAPER_NNEWTON) def->own = &tn_own_nnewton;
}

static int rung_count(int solver)
{
    return solver == CURVE_AUTO      ? LENGTH(efforts)
           : solver == PAPER_NNEWTON ? LENGTH(newton_counts)
                                     : LENGTH(counts);
}

/* What a rung of the ladder is solved with, and the table's column that it belongs to. */
static TnSolverDef rung_solver(int solver, Configuration configuration, int rung, int *column)
{
    TnSolverDef def = tn_solver_def();
    choose_method(solver, &def);
    *column = -1;
    if (solver == CURVE_AUTO) {
        *column = efforts[rung].column;
        if (*column == CURVE_AS_IT_COMES) return def;
        def.tolerance = efforts[rung].tolerance;
        def.iterations = efforts[rung].most;
        return def;
    }
    def.tolerance = 0;
    def.iterations = solver == PAPER_NNEWTON ? newton_counts[rung] : counts[rung];
    for (int c = 0; c < PAPER_COUNTS; c++)
        if (def.iterations == paper_iterations(solver, c)) *column = c;
    if (solver == PAPER_SUBADMM && configuration == CONFIG_PAPER) {
        use_form_and_weights(&def, FORM_REDUCED, WEIGHTS_PAPER);
        def.over_relaxation = 1;
        def.anderson = 0;
    }
    return def;
}

/* More iterations contain fewer of them: what took longer than a longer run was held up by others.
 */
static void shorten(SolverCurve *curve)
{
    double solver_ms = INFINITY, step_ms = INFINITY;
    for (int i = curve->count - 1; i >= 0; i--) {
        ReplayFigures *point = &curve->points[i];
        if (point->refused) continue;
        solver_ms = point->solver_ms = fmin(point->solver_ms, solver_ms);
        step_ms = point->step_ms = fmin(point->step_ms, step_ms);
    }
}

TnStatus curve_measure(Replay *replay, int solver, const CurvePlan *plan, SolverCurve *curve,
                       TnError *err)
{
    bool ended = plan->columns_only;
    curve->count = 0;
    for (int rung = 0; rung < rung_count(solver); rung++) {
        int column;
        TnSolverDef def = rung_solver(solver, plan->configuration, rung, &column);
        if (ended && column < 0) continue;
        ReplayFigures *point = &curve->points[curve->count];
        TnStatus status = replay_measure(replay, &def, plan->repeats, point, err);
        if (status != TN_OK) return status;
        curve->column[curve->count++] = column;
        double more_ms = point->solver_ms - curve->points[0].solver_ms;
        ended =
            ended || point->refused || more_ms > plan->limit_ms || point->aav > plan->enough_aav;
    }
    if (solver != CURVE_AUTO) shorten(curve);
    return TN_OK;
}

const ReplayFigures *curve_first(const SolverCurve *curve, double aav)
{
    const ReplayFigures *best = NULL;
    for (int i = 0; i < curve->count; i++) {
        const ReplayFigures *point = &curve->points[i];
        if (point->aav >= aav && (!best || point->solver_ms < best->solver_ms)) best = point;
    }
    return best;
}

double curve_best_aav(const SolverCurve *curve)
{
    double best = NAN;
    for (int i = 0; i < curve->count; i++) best = fmax(best, curve->points[i].aav);
    return best;
}

const ReplayFigures *curve_column(const SolverCurve *curve, int column)
{
    for (int i = 0; i < curve->count; i++)
        if (curve->column[i] == column) return &curve->points[i];
    return NULL;
}

void csv_figures(FILE *out, const ReplayFigures *figures)
{
    csv_field(out, figures->solver_ms);
    csv_field(out, figures->step_ms);
    csv_field(out, figures->aac);
    csv_field(out, figures->aal);
    csv_field(out, figures->aav);
}

void json_figures(Json *json, const ReplayFigures *figures)
{
    json_number(json, "solver_ms", figures->solver_ms);
    json_number(json, "step_ms", figures->step_ms);
    json_number(json, "aac", figures->aac);
    json_number(json, "aal", figures->aal);
    json_number(json, "aav", figures->aav);
}
