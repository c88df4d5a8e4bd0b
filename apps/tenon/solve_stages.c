/* Solving in stages; see solve_stages.h. */
#include "solve_stages.h"

#include "../common/app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stages {
    const TnProblemFile *file;
    const SolveLimits *limits;
    SolveOutcome *out;
    TnSolver *solver;
    TnSolverDef def;
    int left;           /* iterations */
    double *v, *lambda; /* of the stage */
} Stages;

/* Where W is shifted, the shift's share of the error goes with a new solver from where the last one
 * ended. */
static bool recenter(Stages *s, TnError *err)
{
    double start = clock_seconds();
    tn_solver_destroy(s->solver);
    s->solver = tn_problem_solver_near(s->file, &s->def, s->lambda, err);
    if (!s->solver || tn_solver_prepare(s->solver, err) != TN_OK) return false;
    tn_solver_start(s->solver, s->v, s->lambda);
    s->out->prepare_seconds += clock_seconds() - start;
    return true;
}

/* The judge's opinion and the measure of v and λ; false: see err. */
static bool judge(Stages *s, TnJudgement *judgement, double errors[2], double *measure,
                  TnError *err)
{
    if (tn_solver_judge(s->solver, NULL, s->v, s->lambda, NULL, judgement, err) != TN_OK)
        return false;
    tn_problem_file_error(s->file, s->v, s->lambda, &errors[0], &errors[1]);
    bool own = tn_problem_file_info(s->file).format == TN_PROBLEM_TENON;
    *measure = own ? judgement->natural_map / s->out->velocity_scale : errors[1];
    return true;
}

/* What the natural map of λ = 0 says: how fast the worst constraint is broken when nothing pushes.
 */
static bool find_velocity_scale(Stages *s, TnError *err)
{
    TnJudgement judgement;
    if (tn_solver_judge(s->solver, NULL, s->v, s->lambda, NULL, &judgement, err) != TN_OK)
        return false;
    double scale = judgement.natural_map;
    s->out->velocity_scale = s->def.velocity_scale = scale > 0 && isfinite(scale) ? scale : 1.0;
    return true;
}

/* Iterations of the next stage: twice as many as in the last one, and no more than the time left
 * allows by what they took so far. */
static int next_count(const Stages *s, int last)
{
    const SolveOutcome *out = s->out;
    double count = 2.0 * last,
           left = s->limits->time_limit - out->prepare_seconds - out->solve_seconds;
    if (out->iterations && out->solve_seconds > 0)
        count = fmin(count, left * out->iterations / out->solve_seconds);
    return (int)fmax(1.0, fmin(count, s->left));
}

/* One stage; keeps what is best so far. */
static bool run_stage(Stages *s, bool *converged, bool *idle, TnError *err)
{
    SolveOutcome *out = s->out;
    TnJudgement judgement;
    double errors[2], measure, start = clock_seconds();
    if (tn_solver_set(s->solver, &s->def, err) != TN_OK) return false;
    TnSolveReport report = tn_solver_solve(s->solver, NULL, s->v, s->lambda);
    out->solve_seconds += clock_seconds() - start;
    if (report.status != TN_OK) {
        err->code = report.status;
        snprintf(err->message, sizeof err->message, "%s",
                 report.status == TN_ERROR_MEMORY ? "no memory" : "the problem cannot be solved");
        return false;
    }
    int used = report.iterations > 0 ? report.iterations : 1;
    out->stages++;
    out->iterations += used;
    out->form = report.form;
    out->solver_tolerance = s->def.tolerance;
    s->left -= used;
    *converged = report.converged;
    *idle = report.iterations == 0 && !report.converged;
    if (!judge(s, &judgement, errors, &measure, err)) return false;
    if (out->stages > 1 && !(measure < out->measure)) return true;
    out->measure = measure;
    out->judgement = judgement;
    out->as_read = errors[0];
    out->symmetric = errors[1];
    return true;
}

/* Newton's method and the automatic choice do all they can in one solve; that they do it again
 * from where they ended helps at times. */
static bool does_all_at_once(TnMethod method)
{
    return method == TN_METHOD_AUTO || method == TN_METHOD_NEWTON;
}

enum { FIRST_COUNT = 1000 }; /* iterations of the first stage */

static bool run_stages(Stages *s, TnError *err)
{
    SolveOutcome *out = s->out;
    const SolveLimits *limits = s->limits;
    int in_vain = 0;
    s->def.iterations = s->left < FIRST_COUNT ? s->left : FIRST_COUNT;
    for (;;) {
        bool converged, idle;
        double before = out->stages ? out->measure : INFINITY;
        if (!run_stage(s, &converged, &idle, err)) return false;
        out->reached = out->measure <= limits->tolerance;
        in_vain = out->measure < 0.5 * before ? 0 : in_vain + 1;
        out->end = out->reached   ? "tolerance reached"
                   : s->left <= 0 ? "out of iterations"
                   : out->prepare_seconds + out->solve_seconds >= limits->time_limit ? "out of time"
                   : converged && s->def.tolerance <= 1e-17 ? "rounding errors"
                   : !converged && (idle || does_all_at_once(out->method)) && in_vain >= 3
                       ? "no progress"
                       : NULL;
        if (out->end) return true;
        if (converged) {
            double share = 0.1 * limits->tolerance / out->measure;
            s->def.tolerance *= fmax(1e-3, fmin(0.1, share));
            if (tn_problem_shift(s->file) > 0 && !recenter(s, err)) return false;
        }
        s->def.iterations = next_count(s, s->def.iterations);
    }
}

bool solve_in_stages(const TnProblemFile *file, TnMethod method, const SolveLimits *limits,
                     SolveOutcome *out, TnError *err)
{
    TnProblemFileInfo info = tn_problem_file_info(file);
    *out = (SolveOutcome){.method = method, .velocity_scale = 1.0};
    Stages s = {.file = file, .limits = limits, .out = out, .def = tn_solver_def()};
    s.def.method = method;
    s.def.tolerance = limits->tolerance;
    s.def.anderson = limits->anderson;
    s.def.thread_count = limits->threads;
    s.left = limits->iterations ? limits->iterations : 1000000;
    s.v = calloc((size_t)info.unknowns + 1, sizeof(double));
    s.lambda = calloc((size_t)info.rows + 1, sizeof(double));
    double start = clock_seconds();
    bool good = s.v && s.lambda && (s.solver = tn_problem_solver_near(file, &s.def, NULL, err)) &&
                tn_solver_prepare(s.solver, err) == TN_OK && find_velocity_scale(&s, err);
    out->prepare_seconds = clock_seconds() - start;
    if (good) {
        tn_problem_start(file, s.solver);
        good = run_stages(&s, err);
    }
    if (!good && err->code == TN_OK) err->code = TN_ERROR_MEMORY;
    tn_solver_destroy(s.solver);
    free(s.v);
    free(s.lambda);
    return good;
}
