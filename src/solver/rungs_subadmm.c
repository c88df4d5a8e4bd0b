/* rungs_subadmm.c: SubADMM as a rung of choose.c, looked at while it runs. Beside a second method
 * it gives up early where it makes no progress, and goes on where it is about to arrive. Of large
 * islands the contacts yield (compliant.h). */
#include "rungs.h"

#include "../math/own_math.h"
#include "block/block.h"
#include "compliant.h"
#include "method/steady.h"
#include "solve.h"

/* SubADMM with a second method behind it gives up after so many looks in a row that gain little. */
#define STUCK_LOOKS 4
/* Iterations beside a second method: after SOON SubADMM is to be about to arrive, LATEST is the
 * limit, for the second method costs more than that. With more than WIDE unknowns (a cloth that
 * lies on things) it costs thousands of iterations: SubADMM has more of them then, and does not
 * give up within. */
#define SOON 60
#define LATEST 180
#define WIDE 250
#define SOON_WIDE 600
#define LATEST_WIDE 1800
#define MARKS_APART 30 /* iterations by which its progress is judged, at least */
/* Forces that nothing tells apart can wander long after the laws hold: look from here on anyway. */
#define LATE_LOOK 100
/* Compliant contacts: the law is known to 1/R only, so more of its error is let pass. Counts grow
 * with R, and where over-relaxation makes a cycle it is taken back. */
#define COMPLIANT_LOOK 40
#define COMPLIANT_PATIENCE 160 /* iterations that should halve the error */
#define COMPLIANT_RETREAT 3.0  /* R by this on a miss, once */

/* What the full matrices that elimination left take at least. */
static double joined_flops(const TnProblem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->large_count; i++) sum += pow(p->large[i].joined, 3.0) / 6.0;
    return sum;
}

static void keep_mark(TnIslandSolve *s, const TnSolveResult *so_far)
{
    if (so_far->iterations - s->looks.last.iteration < MARKS_APART) return;
    s->looks.older = s->looks.last;
    s->looks.last = (TnMark){so_far->iterations, so_far->residual};
}

/* Whether iterations that go on as they did lately arrive in time. */
static bool will_arrive(const TnIslandSolve *s, const TnSolveResult *so_far)
{
    double gain = tn_log(s->looks.older.residual / so_far->residual),
           left = tn_log(so_far->residual / s->looks.stop);
    int took = so_far->iterations - s->looks.older.iteration;
    return gain > 0.0 && left / gain * took <= s->looks.latest - so_far->iterations;
}

/* Compliant contacts: looks are regular, and over-relaxation is taken back where they gain little.
 */
static void relax_less(TnIslandSolve *s, int iterations)
{
    if (!s->problem->give) return;
    s->looks.look = iterations + COMPLIANT_LOOK;
    if (s->best.error <= s->looks.half) {
        s->looks.half = 0.5 * s->best.error;
        s->looks.patience = iterations + COMPLIANT_PATIENCE;
    } else if (iterations >= s->looks.patience) {
        s->looks.patience = iterations + COMPLIANT_PATIENCE;
        s->looks.def->over_relaxation = s->looks.def->over_relaxation > 1.3 ? 1.3 : 1.0;
    }
}

static bool enough(void *context, const TnSolveResult *so_far)
{
    TnIslandSolve *s = context;
    keep_mark(s, so_far);
    s->looks.stuck = so_far->residual > TN_LITTLE_GAIN * s->looks.residual ? s->looks.stuck + 1 : 0;
    s->looks.residual = so_far->residual;
    bool late = so_far->iterations >= s->looks.budget,
         may_give_up = s->looks.may_give_up && (late || !s->looks.patient);
    if (may_give_up && s->looks.stuck >= STUCK_LOOKS && !will_arrive(s, so_far)) return true;
    if (so_far->residual >= s->looks.stop && so_far->iterations < s->looks.look)
        return late && !will_arrive(s, so_far);
    if (tn_rung_judge(s, TN_METHOD_SUBADMM)) return true;
    if (so_far->iterations >= s->looks.look) s->looks.look += s->looks.look / 4;
    relax_less(s, so_far->iterations);
    double share = s->best.tolerance / s->best.map.largest;
    s->looks.stop = so_far->residual * fmin(0.9, fmax(0.1, share));
    return late && !will_arrive(s, so_far);
}

static size_t joined_unknowns(const TnProblem *p)
{
    size_t n = 0;
    for (int i = 0; i < p->large_count; i++) n += (size_t)p->large[i].joined;
    return n;
}

/* Newton's matrices are asked for before it is known whether they are needed, so that the first
 * time they are finds an arena that has grown before. */
static void expect_newton(const TnProblem *p)
{
    size_t n = joined_unknowns(p), mark = tn_arena_mark(p->arena);
    (void)TN_ARENA_NEW(p->arena, double, 3 * n * n);
    tn_arena_release(p->arena, mark);
}

static int more(int a, int b) { return a > b ? a : b; }

bool tn_rung_subadmm(TnIslandSolve *s, int most)
{
    TnProblem *p = s->problem;
    TnSolverDef def = *s->def;
    def.tolerance = 0.0;
    bool second = s->def->method == TN_METHOD_AUTO && tn_has_large_factors(p) &&
                  tn_has_few_blocks(p) && !s->is_assembled && tn_is_cheap(p, joined_flops(p));
    s->looks.stop = s->best.tolerance;
    s->looks.look = p->give ? COMPLIANT_LOOK : LATE_LOOK;
    s->looks.stuck = 0;
    s->looks.residual = INFINITY;
    s->looks.may_give_up = second;
    s->looks.patient = second && joined_unknowns(p) > WIDE;
    s->looks.budget = more(s->looks.patient ? SOON_WIDE : second ? SOON : most, most);
    s->looks.latest = more(s->looks.patient ? LATEST_WIDE : second ? LATEST : most, most);
    s->looks.last = s->looks.older = (TnMark){0, INFINITY};
    def.iterations = s->looks.latest;
    s->report.iteration_limit += def.iterations;
    s->looks.def = &def;
    s->looks.patience = COMPLIANT_PATIENCE;
    s->looks.half = INFINITY;
    if (second) expect_newton(p);
    tn_problem_start_at_lambda(p);
    if (!tn_problem_prepare_H(p, &def, s->pool)) return false;
    s->split = true;
    TnSolveResult result = tn_subadmm_watched(p, &def, (TnWatch){enough, s}, s->pool);
    s->report.subadmm_iterations += result.iterations;
    if (!tn_rung_done(s) || s->report.method != TN_METHOD_SUBADMM)
        tn_rung_judge(s, TN_METHOD_SUBADMM);
    return true;
}

/* The guess, by the law of contacts that yield by D/R. True: it is good enough. */
static bool yield(TnIslandSolve *s, double R, double tolerance)
{
    double stiffness = R / s->def->contact_ratio * s->def->contact_stiffness;
    s->report.contact_ratio = tn_contacts_yield(s->problem, &s->best.D, R, stiffness);
    s->failed = s->report.contact_ratio == 0.0;
    return !s->failed && tn_best_again(&s->best, tolerance);
}

bool tn_rung_compliant(TnIslandSolve *s, int most)
{
    double R = s->def->contact_ratio,
           tolerance = fmax(s->best.tolerance, TN_FINE * s->def->velocity_scale);
    if (yield(s, R, tolerance) && s->best.map.largest < TN_STILL * tolerance) {
        s->best_method = s->report.method = TN_METHOD_AUTO;
        return true;
    }
    if (s->failed || !tn_rung_subadmm(s, most)) return false;
    if (tn_rung_done(s)) return true;
    tn_rung_go_back(s);
    s->report.why = "compliant contacts did not converge, softer ones may";
    yield(s, R / COMPLIANT_RETREAT, tolerance);
    return !s->failed && tn_rung_subadmm(s, most);
}

/* From the starting guess: if constraints contradict each other, Newton's forces would grow from
 * step to step. */
bool tn_rung_subadmm_from_guess(TnIslandSolve *s, int most)
{
    tn_lambda_put(s->problem, &s->guess);
    return tn_rung_subadmm(s, most);
}
