/* small.c: a small island solved, by Newton's steps from the last forces (small_steps.c), and what
 * is to be reported of it. Where these do not arrive, friction is bounded by given forces for some
 * rounds. The best forces by the natural map win. */
#include "small_steps.h"

#include "../law/law.h"
#include "../method/steady.h"

#include <float.h>
#include <math.h>

/* 95 of 100 solves of robots take no more than 7; then it is asked how far off they are. */
#define FIRST_STEPS 10
#define MORE_STEPS 20
/* Rounds of bounded friction mostly need one or two steps each, from the round before. */
#define ROUNDS 4
#define ROUND_STEPS 5
#define WORSE 10.0 /* times the error of no forces: those of the last step do not help */

/* From no forces where those of the last step are much worse, or so large that rounding shows. */
static void begin(TnSmallSolve *s)
{
    TnSmall *w = &s->small;
    if (!(s->map.largest > TN_OFF * s->scale)) return;
    memset(w->next, 0, sizeof(double) * (size_t)w->n);
    double none = tn_small_map(w, w->next, w->q).largest;
    if (s->map.largest > WORSE * none ||
        !(DBL_EPSILON * tn_small_force(w, w->lambda) < s->tolerance))
        tn_small_clear(s);
}

/* Friction bounded by the normal forces of the round before, none in the first: each round is a
 * convex problem, and where normal forces do not change from one to the next, Coulomb's law holds.
 * They grow from round to round where friction presses what it should brake (Painlevé). Then there
 * may be no solution, and the contact yields: friction stays what the first bound leaves, and the
 * error tells. */
static bool bound_friction(TnSmallSolve *s)
{
    TnSmall *w = &s->small;
    double *first = s->best_lambda + w->n;
    memset(w->limit, 0, sizeof(double) * (size_t)w->n);
    memset(w->lambda, 0, sizeof(double) * (size_t)w->n);
    for (int round = 0; round < ROUNDS; round++) {
        w->bound = w->limit;
        tn_small_look_again(s);
        tn_small_arrive(s, round ? TN_SMALL_CAREFUL : TN_MOST_STIFFNESS,
                        round ? ROUND_STEPS : FIRST_STEPS);
        tn_small_go_back(s);
        w->bound = NULL;
        if (round == 1) memcpy(first, w->lambda, sizeof(double) * (size_t)w->n);
        for (int i = 0; i < w->n; i++) w->limit[i] = fmax(0.0, w->lambda[i]);
        tn_small_look_again(s);
        if (tn_small_done(s)) return true;
    }
    if (tn_small_arrive(s, TN_SMALL_CAREFUL, FIRST_STEPS)) return true;
    if (s->best < TN_OFF * s->scale) return false;
    memcpy(w->lambda, first, sizeof(double) * (size_t)w->n);
    tn_small_look_again(s);
    return tn_small_done(s);
}

static bool solve(TnSmallSolve *s)
{
    begin(s);
    s->rests = s->map.largest < TN_NEARLY * s->tolerance;
    if (s->rests) s->wanted = TN_STILL * s->tolerance;
    tn_small_arrive(s, TN_MOST_STIFFNESS, FIRST_STEPS);
    bool near = s->best < TN_OFF * s->scale;
    return (near && tn_small_arrive(s, 0.0, MORE_STEPS)) || bound_friction(s);
}

/* ---- what the next step should start with: method/steady.h ---- */

static double product(const TnSmall *w, const double *a, const double *b, const double *c)
{
    double sum = 0.0;
    for (int i = 0; i < w->n; i++) sum += w->lever[i] * w->lever[i] * (a[i] - b[i]) * (a[i] - c[i]);
    return sum;
}

static double share_to_keep(const TnSmall *w, const double *start, const double *guess)
{
    return tn_steady_clamp(product(w, guess, start, w->u), product(w, guess, w->u, w->u));
}

/* ---- before and after ---- */

static bool start(TnSmallSolve *s, TnProblem *p, const TnSolverDef *def, TnIslandReport *report)
{
    double tolerance = def->tolerance * def->velocity_scale;
    *s = (TnSmallSolve){.tolerance = tolerance, .scale = def->velocity_scale, .report = report};
    if (!tn_small_build(p, &s->small)) return false;
    if (!p->exact && !tn_small_agree(&s->small, TN_SMALL_RUN_AWAY * s->scale)) return false;
    s->best_lambda = TN_ARENA_ZERO(p->arena, double, 4 * s->small.n);
    if (!s->best_lambda) return false;
    tn_small_look_again(s);
    return true;
}

/* Largest, m/s; it is the worst constraint where it exceeds the error. */
static double contradiction(TnSmallSolve *s)
{
    const TnSmall *w = &s->small;
    double most = 0.0;
    for (int i = 0; i < w->group_count; i++)
        for (int k = 0; k < w->groups[i].count; k++) {
            const TnSmallGroup *g = &w->groups[i];
            double size = w->lever[g->at + k] * fabs(w->forgiven[g->at + k]);
            if (!(size > most)) continue;
            most = size;
            if (most <= s->map.largest) continue;
            s->map.worst = g->row >= 0 ? TN_A_ROW : TN_A_CONTACT;
            s->map.worst_index = g->row >= 0 ? g->row : g->at / 3;
        }
    return most;
}

/* u by the laws as they were given. */
static void add_forgiven(const TnSmall *w, double *u)
{
    for (int i = 0; i < w->n; i++) u[i] += w->forgiven[i];
}

bool tn_small_runs_away(TnProblem *p, const TnSolverDef *def, bool *runs_away)
{
    TnSmall w;
    size_t mark = tn_arena_mark(p->arena);
    if (!tn_small_build(p, &w)) return false;
    *runs_away = tn_small_force(&w, w.lambda) > TN_SMALL_RUN_AWAY * def->velocity_scale;
    tn_arena_release(p->arena, mark);
    return true;
}

bool tn_small_solve(TnProblem *p, const TnSolverDef *def, TnIslandResult *out)
{
    TnIslandReport report = {.blocks = p->twist_count + p->large_count,
                             .contacts = p->contact_count,
                             .rows = p->row_count,
                             .method = TN_METHOD_AUTO,
                             .why = "the starting guess was good enough"};
    TnSmallSolve s;
    double *before = NULL, *guess = NULL;
    if (!start(&s, p, def, &report)) return false;
    TnSmall *w = &s.small;
    if (!(s.map.largest < TN_STILL * s.tolerance)) {
        if (tn_is_near_rest(s.map.largest, s.tolerance, def->velocity_scale)) {
            before = s.best_lambda + 2 * w->n;
            guess = before + w->n;
            tn_small_velocities(w, before);
            memcpy(guess, w->u, sizeof(double) * (size_t)w->n);
            add_forgiven(w, before);
            add_forgiven(w, guess);
        }
        report.method = TN_METHOD_SMALL;
        report.why = "a small island";
        solve(&s);
        tn_small_go_back(&s);
    }
    report.converged = tn_small_done(&s);
    report.error = report.rigid_error = s.map.largest / def->velocity_scale;
    report.contradiction = contradiction(&s);
    add_forgiven(w, w->u);
    tn_small_put(w);
    tn_small_finish(w);
    *out = (TnIslandResult){.report = report,
                            .keep = before ? share_to_keep(w, before, guess) : 1.0,
                            .worst = s.map.worst,
                            .worst_index = s.map.worst_index};
    return true;
}
