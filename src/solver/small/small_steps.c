/* small_steps.c: Newton's steps on the natural map of a small island, each of them held near the
 * forces before by a proximal term 1/R. R is chosen as Levenberg and Marquardt choose theirs: a
 * step that gains makes it larger, one that loses much is not taken and makes it smaller. A small R
 * gets past every kink of the laws, for it hardly moves; a large one arrives at once, and
 * multiplies what contradicts. The first steps are bold, and most solves need no more.
 *
 * What a step leaves of laws that it holds, although its forces move next to nothing, is what these
 * contradict each other by: two flat feet whose corners are not quite in one plane, a loop that is
 * closed twice. It is a contradiction in least squares, shared by all that takes part. No force
 * mends it, so it is forgiven: q becomes what has a solution, and the step is made anew. */
#include "small_steps.h"

#include "../law/law.h"
#include "../method/steady.h"

#include <float.h>
#include <math.h>

#define SWEEPS 20 /* cost about as much as two steps */
#define STIFFER 10.0
#define SOFTER (1.0 / 3.0)
#define LOOSEST 1.0  /* softer steps are taken whatever they do: they hardly move */
#define NO_LOSS 20.0 /* times the error before: beyond a kink, it is met in the next step */
/* Where contacts are about to slip, a step leaves half of the error instead of next to nothing, and
 * friction of that error pulls sideways: so much less is asked for then. */
#define QUICK 0.1
#define FINE 1e-4
/* A stiff step from no forces leaves 1/R of them: errors of one sign must not add up to a
 * tolerance. */
#define ENOUGH 0.3
/* A step leaves about 1/R of the error, and moves forces by R times what contradicts. So it is no
 * stiffer than it takes to arrive, with some room for constraints that nearly depend on each other.
 * Of an exact problem nothing that contradicts is forgiven, and where a light body carries a heavy
 * one a step leaves more: it is as stiff as may be. */
#define ROOM 30.0
#define SOFTEST_NEAR 3e3
#define MADE_ANEW 1 /* a step that finds what contradicts */
#define POLISH 1    /* steps beyond the tolerance, which may gain nothing */
/* What forces move beside what they were asked for, in squares, is R times the share of itself that
 * a direction yields. Where it is less than this, and the share less than TN_DEAD, no force mends
 * what is left. */
#define NOTHING 0.1

static void copy(const TnSmall *w, const double *from, double *to)
{
    memcpy(to, from, sizeof(double) * (size_t)w->n);
}

/* Forces so large that rounding exceeds the tolerance are never the best. */
static void look(TnSmallSolve *s, TnNaturalMap map)
{
    TnSmall *w = &s->small;
    s->map = map;
    if (!(map.largest < s->best) || !(DBL_EPSILON * tn_small_force(w, w->lambda) < s->tolerance))
        return;
    s->best = map.largest;
    copy(w, w->lambda, s->best_lambda);
}

void tn_small_look_again(TnSmallSolve *s)
{
    TnSmall *w = &s->small;
    tn_small_apply(w, w->lambda, w->q, w->u);
    s->best = INFINITY;
    look(s, tn_small_map(w, w->lambda, w->u));
}

void tn_small_clear(TnSmallSolve *s)
{
    memset(s->small.lambda, 0, sizeof(double) * (size_t)s->small.n);
    tn_small_look_again(s);
}

void tn_small_go_back(TnSmallSolve *s)
{
    TnSmall *w = &s->small;
    if (!(s->best < s->map.largest)) return;
    copy(w, s->best_lambda, w->lambda);
    tn_small_apply(w, w->lambda, w->q, w->u);
    s->map = tn_small_map(w, w->lambda, w->u);
}

static void sweep(TnSmallSolve *s)
{
    tn_small_sweep(&s->small, SWEEPS);
    s->report->sweeps += SWEEPS;
    look(s, tn_small_map(&s->small, s->small.lambda, s->small.u));
}

/* ---- what contradicts ---- */

/* All but equalities, and contacts and limits that close. */
static bool can_give_way(const TnSmall *w, const TnSmallGroup *g, int k)
{
    if (g->row >= 0 && w->problem->rows[g->row].set == TN_ROW_EQUALITY) return false;
    bool one_sided = g->row < 0 ? k == 0 : tn_row_is_one_sided(&w->problem->rows[g->row]);
    return !one_sided || w->left[g->at] > 0.0;
}

/* Whether the last step leaves what is to be forgiven. */
static bool contradicts(const TnSmallSolve *s)
{
    const TnSmall *w = &s->small;
    double most = 0.0, asked = tn_small_left(w, w->left);
    for (int i = 0; i < w->group_count; i++)
        for (int k = 0, at = w->groups[i].at; k < w->groups[i].count; k++, at++) {
            double size = w->lever[at] * fabs(w->left[at]),
                   total = w->lever[at] * fabs(w->left[at] + w->forgiven[at]);
            most = fmax(most, size);
            if (size > 0.0 && total > TN_OFF * s->scale && can_give_way(w, &w->groups[i], k))
                return false;
        }
    return most > TN_STILL * s->tolerance &&
           tn_small_moved(w) < fmin(NOTHING, TN_DEAD * s->R) * asked;
}

/* True: q is what has a solution, and the step is to be made anew. */
static bool forgive(TnSmallSolve *s)
{
    TnSmall *w = &s->small;
    if (w->problem->exact || !contradicts(s)) return false;
    for (int i = 0; i < w->n; i++) {
        w->q[i] -= w->left[i];
        w->forgiven[i] += w->left[i];
    }
    if (tn_small_force(w, w->lambda) > TN_SMALL_RUN_AWAY * s->scale)
        tn_small_clear(s);
    else
        tn_small_look_again(s);
    return true;
}

/* ---- the steps ---- */

static bool step(TnSmallSolve *s)
{
    s->report->newton_steps++;
    s->report->factorizations++;
    return tn_small_step(&s->small, s->R);
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

static void take(TnSmallSolve *s, TnNaturalMap map)
{
    bool quick = map.rms < QUICK * s->map.rms;
    swap(&s->small.lambda, &s->small.next);
    swap(&s->small.u, &s->small.next_u);
    look(s, map);
    if (!s->rests) s->wanted = (quick ? ENOUGH : FINE) * s->tolerance;
}

/* Forces that are far off tell less of what opens, sticks and slips than sweeps do, which cost as
 * much as one step. But sweeps share by their order what others could bear alike, so they come only
 * where stiff steps do not arrive. */
static void be_careful(TnSmallSolve *s)
{
    s->R = TN_SMALL_CAREFUL;
    if (s->map.largest > TN_OFF * s->scale) sweep(s);
}

static void advance(TnSmallSolve *s)
{
    if (!s->small.problem->exact)
        s->R = fmin(s->R, fmax(SOFTEST_NEAR, ROOM * s->map.largest / (ENOUGH * s->tolerance)));
    bool ok = step(s);
    if (ok && forgive(s)) ok = step(s);
    TnNaturalMap next = {.rms = INFINITY};
    if (ok) next = tn_small_map(&s->small, s->small.next, s->small.next_u);
    bool gains = next.rms < s->map.rms,
         takes = gains || (!s->bold && next.rms < NO_LOSS * s->map.rms) || (ok && s->R <= LOOSEST);
    if (takes) take(s, next);
    if (gains)
        s->R = fmin(STIFFER * s->R, TN_MOST_STIFFNESS);
    else if (s->bold)
        be_careful(s);
    else if (!takes)
        s->R *= SOFTER;
    s->gains = gains;
    s->bold = s->bold && gains;
}

bool tn_small_arrive(TnSmallSolve *s, double R, int steps)
{
    if (R > 0.0) {
        s->R = R;
        s->bold = R >= TN_MOST_STIFFNESS;
        s->gains = true;
    }
    int polish = POLISH;
    while (steps-- && !(tn_small_done(s) && polish-- == 0) &&
           s->report->factorizations + MADE_ANEW < TN_SMALL_MOST_FACTORS &&
           !(s->best < s->wanted) && (s->gains || !tn_small_done(s)))
        advance(s);
    return tn_small_done(s);
}
