/* small.c: a small island solved: Newton's steps from the last forces, and where these do not sort
 * out what opens, sticks and slips, sweeps of Gauss-Seidel between them, which cost next to nothing
 * here. The best forces by the natural map win. */
#include "small.h"

#include "../method/newton_law.h"
#include "../method/steady.h"

#include <math.h>

#define DISAGREE 0.1 /* velocity_scale: more than linearizing leaves */
#define ROUGHLY 1.1  /* times the error before: no gain, but no loss */
#define LOST 1e3     /* times the error: redundant forces shot up, so try again less stiff */
#define ROUNDS 8
#define WORTHY_GAIN 0.5 /* of a step of Newton: patience begins anew */
#define PATIENCE 8      /* steps of Newton without gain in the first round, */
#define LESS_PATIENCE 6 /* and in the others */
#define HALVES 5        /* of a step, in all rounds but the first and */
#define BOLD_ROUND 3
#define FIRST_SWEEPS 3
/* velocity_scale: forces so far off tell less than sweeps do, and so do any of rolling friction. */
#define FAR 0.3
#define SWEEPS 8 /* in the first round, then twice as many each time */
/* Newton's last step leaves next to nothing of an error, a sweep half of it, and so does Newton
 * where contacts are about to slip; what they have reached has to be better than what was asked
 * for, if that is to be had. */
#define FINE 1e-4
#define QUICK 0.1
#define FINE_ROUNDS 2 /* in which it is tried */

typedef struct Solve {
    TnSmall small;
    double tolerance; /* m/s */
    double wanted;    /* the same, or less of it */
    double far;       /* m/s */
    TnNaturalMap map; /* of small.lambda */
    double best, *best_lambda;
    bool cautious; /* steps that do not gain are shortened */
    TnIslandReport *report;
} Solve;

static bool done(const Solve *s) { return s->best < s->wanted; }

/* Looks at λ and u; forces so large that rounding exceeds the tolerance are never the best. */
static void look(Solve *s)
{
    TnSmall *w = &s->small;
    s->map = tn_small_map(w, w->lambda, w->u);
    if (!(s->map.largest < s->best) || !(tn_small_rounding(w, w->lambda) < s->tolerance)) return;
    s->best = s->map.largest;
    memcpy(s->best_lambda, w->lambda, sizeof(double) * (size_t)w->n);
}

static void go_back(Solve *s)
{
    TnSmall *w = &s->small;
    memcpy(w->lambda, s->best_lambda, sizeof(double) * (size_t)w->n);
    tn_small_apply(w, w->lambda, w->q, w->u);
    s->map = tn_small_map(w, w->lambda, w->u);
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

/* Shorter and shorter parts of the last step, until one gains. */
static void shorten(Solve *s, double before)
{
    TnSmall *w = &s->small;
    for (int k = 0; k < HALVES && !(s->map.rms < before); k++) {
        for (int i = 0; i < w->n; i++) {
            w->lambda[i] = 0.5 * (w->lambda[i] + w->next[i]);
            w->u[i] = 0.5 * (w->u[i] + w->next_u[i]);
        }
        look(s);
    }
}

/* One step; false: it led away, and was taken back. */
static bool step(Solve *s, double R, double fade, double lost)
{
    TnSmall *w = &s->small;
    double before = s->map.rms;
    s->report->newton_steps++;
    s->report->factorizations++;
    if (!tn_small_step(w, R, fade)) return false;
    swap(&w->lambda, &w->next);
    swap(&w->u, &w->next_u);
    look(s);
    if (s->cautious) shorten(s, before);
    if (s->map.rms < lost * before) return true;
    go_back(s);
    return false;
}

static void newton(Solve *s, double fade, int patience)
{
    double R = TN_MOST_STIFFNESS, best = s->best;
    for (int i = 0; i < patience && R >= TN_LEAST_STIFFNESS && !done(s); i++, fade = 0.0) {
        double before = s->map.rms;
        if (!step(s, R, fade, LOST)) R /= TN_LESS_STIFF;
        s->wanted = s->map.rms < QUICK * before ? s->tolerance : FINE * s->tolerance;
        if (s->best < WORTHY_GAIN * best) i = 0;
        best = fmin(best, s->best);
    }
}

/* Near rest forces should stay what they are, so with little stiffness first: laws that contradict
 * each other by less than the tolerance (a limit that still closes, and friction that holds the
 * same joint) would throw forces about, for nothing. Done where the next step's guess will do. */
static void come_to_rest(Solve *s)
{
    bool gains = true;
    s->wanted = TN_STILL * s->tolerance;
    for (double R = TN_LEAST_STIFFNESS; R <= TN_MOST_STIFFNESS && gains && !done(s);
         R *= TN_LESS_STIFF) {
        double before = s->map.rms;
        gains = step(s, R, R < TN_MOST_STIFFNESS ? 0.0 : TN_FADE_NEAR_REST, LOST);
        /* beyond a bound, it is met in the next step */
        if (gains && !(s->map.rms < ROUGHLY * before))
            gains = step(s, R, 0.0, ROUGHLY * before / s->map.rms);
    }
    s->wanted = s->tolerance;
}

static void sweep(Solve *s, int count)
{
    tn_small_sweep(&s->small, count);
    s->report->sweeps += count;
    look(s);
}

static void rounds(Solve *s, double fade)
{
    for (int round = 0; round < ROUNDS && !done(s); round++, fade = 0.0) {
        if (round > FINE_ROUNDS && s->best < s->tolerance) break;
        s->cautious = round > 0 && round != BOLD_ROUND;
        newton(s, fade, round ? LESS_PATIENCE : PATIENCE);
        if (done(s)) break;
        go_back(s);
        s->wanted = FINE * s->tolerance;
        sweep(s, SWEEPS << round);
    }
}

static bool rolls(const TnSmall *w)
{
    for (int i = 0; i < w->group_count; i++)
        if (w->groups[i].law == TN_SMALL_DISC) return true;
    return false;
}

/* True: Newton arrived, or sweeps at much less than the tolerance. */
static bool solve(Solve *s)
{
    if (s->map.largest < TN_NEARLY * s->tolerance)
        come_to_rest(s);
    else if (s->map.largest > s->far || rolls(&s->small))
        sweep(s, FIRST_SWEEPS); /* which tell better what opens, sticks and slips */
    rounds(s, TN_FADE);
    bool arrived = done(s);
    s->wanted = s->tolerance;
    return arrived;
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

static bool start(Solve *s, TnProblem *p, const TnSolverDef *def, TnIslandReport *report)
{
    double tolerance = def->tolerance * def->velocity_scale;
    *s = (Solve){.tolerance = tolerance,
                 .wanted = tolerance,
                 .far = FAR * def->velocity_scale,
                 .best = INFINITY,
                 .report = report};
    if (!tn_small_build(p, &s->small)) return false;
    if (!p->exact &&
        !tn_small_drop_told(&s->small, TN_STILL * tolerance, DISAGREE * def->velocity_scale))
        return false;
    tn_small_apply(&s->small, s->small.lambda, s->small.q, s->small.u);
    s->best_lambda = TN_ARENA_ZERO(p->arena, double, 3 * s->small.n);
    if (!s->best_lambda) return false;
    look(s);
    return true;
}

static void end(Solve *s)
{
    if (s->best < INFINITY && s->best < s->map.largest) go_back(s);
}

bool tn_small_forces(TnProblem *p, const TnSolverDef *def, TnIslandReport *report)
{
    Solve s;
    size_t mark = tn_arena_mark(p->arena);
    if (!start(&s, p, def, report)) return false;
    if (solve(&s)) {
        end(&s);
        tn_small_put(&s.small);
    }
    tn_arena_release(p->arena, mark);
    return true;
}

bool tn_small_solve(TnProblem *p, const TnSolverDef *def, TnIslandResult *out, bool *solved)
{
    TnIslandReport report = {.blocks = p->twist_count + p->large_count,
                             .contacts = p->contact_count,
                             .rows = p->row_count,
                             .method = TN_METHOD_AUTO,
                             .why = "the starting guess was good enough"};
    Solve s;
    double *before = NULL, *guess = NULL;
    if (!start(&s, p, def, &report)) return false;
    TnSmall *w = &s.small;
    if (!(s.map.largest < TN_STILL * s.tolerance)) {
        if (tn_is_near_rest(s.map.largest, s.tolerance, def->velocity_scale)) {
            before = s.best_lambda + w->n;
            guess = before + w->n;
            tn_small_velocities(w, before);
            memcpy(guess, w->u, sizeof(double) * (size_t)w->n);
        }
        report.method = TN_METHOD_SMALL;
        report.why = "a small island";
        solve(&s);
    }
    end(&s);
    /* all other methods would ask for what nobody can mend */
    *solved = done(&s) || (w->dropped && s.best < TN_RESTING * def->velocity_scale);
    if (*solved) {
        tn_small_put(w);
        tn_small_finish(w);
    }
    report.converged = done(&s);
    report.error = report.rigid_error = s.map.largest / def->velocity_scale;
    *out = (TnIslandResult){.report = report,
                            .keep = before ? share_to_keep(w, before, guess) : 1.0,
                            .worst = s.map.worst,
                            .worst_index = s.map.worst_index};
    return true;
}
