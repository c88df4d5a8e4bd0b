/* small.c: a small island solved. Newton's steps on the natural map, each of them held near the
 * forces before by a proximal term 1/R, which is chosen as Levenberg and Marquardt choose theirs: a
 * step that gains makes R larger, one that loses much is not taken and makes R smaller. A small R
 * gets past every kink of the laws; a large one arrives at once.
 *
 * What the proximal term leaves of equalities and of friction that sticks is what these contradict
 * each other by (two flat feet whose corners are not quite in one plane), in least squares. No
 * force mends it, so it is forgiven: q becomes what has a solution, and the report tells by how
 * much. Larger contradictions, of limits and contacts too, are found by the same steps without
 * friction (small_closest.c). */
#include "small.h"

#include "../law/law.h"
#include "../method/steady.h"

#include <float.h>
#include <math.h>

/* Steps from anywhere to a solution, where there is one: 99 of 100 problems of robots take fewer.
 */
#define FINE 1e-4
#define QUICK 0.1
#define MOST 60
#define FIRST_STEPS 10
#define STEPS 20
#define LAG_ROUNDS 4
#define LAG_STEPS 5
#define STIFFEST 1e7  /* beyond, rounding is multiplied by more than Newton gains */
#define CAREFUL 300.0 /* after a stiff step that gained little */
#define AT_REST 1e3   /* forces should stay what they are there */
#define LOOSEST 1.0   /* softer steps are taken whatever they do: they hardly move */
#define STIFFER 10.0
#define SOFTER (1.0 / 3.0)
#define BOLD_GAIN 0.3 /* what a stiff step has to leave of the error at most */
#define NO_LOSS 10.0  /* times the error before: beyond a kink, it is met in the next step */
/* velocity_scale: forces so far off tell less than sweeps do, which cost as much as one step. */
#define FAR 0.1
#define SWEEPS 10
#define WORSE 10.0 /* times the error of no forces at all */
/* Forces that move so little, squared, beside what they were asked for: no force mends that. */
#define NOTHING 0.1
#define RUN_AWAY 1e4 /* velocity_scale: D λ that contradictions have made */
#define DISAGREE 0.1 /* velocity_scale: more than linearizing leaves */

typedef struct Solve {
    TnSmall small;
    double tolerance, scale; /* m/s */
    TnNaturalMap map;        /* of small.lambda */
    double wanted;           /* the tolerance, or less */
    double best, *best_lambda;
    double *yielding; /* forces where friction is what the first bound leaves */
    double R;
    bool rests;
    bool bold; /* a stiff step, which has to gain much */
    TnIslandReport *report;
} Solve;

static bool done(const Solve *s) { return s->best < s->tolerance; }

static void copy(const TnSmall *w, const double *from, double *to)
{
    memcpy(to, from, sizeof(double) * (size_t)w->n);
}

/* Looks at λ and u; forces so large that rounding exceeds the tolerance are never the best. */
static void look(Solve *s)
{
    TnSmall *w = &s->small;
    s->map = tn_small_map(w, w->lambda, w->u);
    if (!(s->map.largest < s->best) || !(DBL_EPSILON * tn_small_force(w, w->lambda) < s->tolerance))
        return;
    s->best = s->map.largest;
    copy(w, w->lambda, s->best_lambda);
}

/* At λ anew, by laws that have changed. */
static void look_again(Solve *s)
{
    TnSmall *w = &s->small;
    tn_small_apply(w, w->lambda, w->q, w->u);
    s->best = INFINITY;
    look(s);
}

static void go_back(Solve *s)
{
    TnSmall *w = &s->small;
    copy(w, s->best_lambda, w->lambda);
    tn_small_apply(w, w->lambda, w->q, w->u);
    s->map = tn_small_map(w, w->lambda, w->u);
}

static void swap(double **a, double **b)
{
    double *t = *a;
    *a = *b;
    *b = t;
}

static void take(Solve *s)
{
    swap(&s->small.lambda, &s->small.next);
    swap(&s->small.u, &s->small.next_u);
    look(s);
}

static bool step(Solve *s)
{
    s->report->newton_steps++;
    s->report->factorizations++;
    return tn_small_step(&s->small, s->R);
}

static void start_from_none(Solve *s)
{
    memset(s->small.lambda, 0, sizeof(double) * (size_t)s->small.n);
    copy(&s->small, s->small.q, s->small.u);
}

/* ---- what contradicts ---- */

/* What could give way instead: all but equalities, and contacts and limits that close. */
static bool can_give_way(const Solve *s, const TnSmallGroup *g, int k)
{
    const TnSmall *w = &s->small;
    if (g->row >= 0 && w->problem->rows[g->row].set == TN_ROW_EQUALITY) return false;
    bool one_sided = g->row < 0 ? k == 0 : tn_row_is_one_sided(&w->problem->rows[g->row]);
    return !one_sided || w->left[g->at] > 0.0;
}

/* Whether the last step leaves contradictions that are to be forgiven: its forces move next to
 * nothing beside them. */
static bool contradicts(const Solve *s)
{
    const TnSmall *w = &s->small;
    double most = 0.0;
    if (!(tn_small_left(w, w->left) < NOTHING)) return false;
    for (int i = 0; i < w->group_count; i++)
        for (int k = 0, at = w->groups[i].at; k < w->groups[i].count; k++, at++) {
            double size = w->lever[at] * fabs(w->left[at]),
                   total = w->lever[at] * fabs(w->left[at] + w->forgiven[at]);
            most = fmax(most, size);
            if (size > 0.0 && total > DISAGREE * s->scale && can_give_way(s, &w->groups[i], k))
                return false;
        }
    return most > TN_STILL * s->tolerance;
}

/* True: q is without what the last step leaves of laws that contradict each other, and the step is
 * to be made anew. */
static bool forgive(Solve *s)
{
    TnSmall *w = &s->small;
    if (w->problem->exact || !contradicts(s)) return false;
    for (int i = 0; i < w->n; i++) {
        w->q[i] -= w->left[i];
        w->u[i] -= w->left[i];
        w->forgiven[i] += w->left[i];
    }
    if (tn_small_force(w, w->lambda) > RUN_AWAY * s->scale) start_from_none(s);
    s->best = INFINITY;
    look(s);
    return true;
}

/* ---- Newton ---- */

/* Up to so many steps more, from where the last ones led. */
static bool arrive(Solve *s, int most)
{
    TnSmall *w = &s->small;
    bool gains = true;
    for (int k = 0; k < most && s->report->factorizations < MOST && !(s->best < s->wanted) &&
                    (gains || !done(s));
         k++) {
        bool ok = step(s), bold = s->bold;
        if (ok && forgive(s)) ok = step(s);
        double before = s->map.rms, after = ok ? tn_small_map(w, w->next, w->next_u).rms : INFINITY;
        gains = after < (bold ? BOLD_GAIN : 1.0) * before;
        bool takes = after < (bold ? 1.0 : NO_LOSS) * before || (s->R <= LOOSEST && ok);
        if (takes) take(s);
        if (!s->rests) s->wanted = after < QUICK * before ? s->tolerance : FINE * s->tolerance;
        if (gains)
            s->R = fmin(STIFFER * s->R, STIFFEST);
        else if (bold)
            s->R = CAREFUL;
        else if (!takes)
            s->R *= SOFTER;
        s->bold = bold && gains;
    }
    return done(s);
}

static void set_off(Solve *s, double R)
{
    s->R = R;
    s->bold = R >= STIFFEST;
}

static void sweep(Solve *s)
{
    tn_small_sweep(&s->small, SWEEPS);
    s->report->sweeps += SWEEPS;
    look(s);
}

/* From no forces where those of the last step are worse, or have run away. */
static void begin(Solve *s)
{
    TnSmall *w = &s->small;
    if (!(s->map.largest > FAR * s->scale)) return;
    memset(w->next, 0, sizeof(double) * (size_t)w->n);
    if (s->map.largest > WORSE * tn_small_map(w, w->next, w->q).largest ||
        !(DBL_EPSILON * tn_small_force(w, w->lambda) < s->tolerance)) {
        swap(&w->lambda, &w->next);
        copy(w, w->q, w->u);
        look(s);
    }
}

/* Friction bounded by the normal forces of the round before: each round is a convex problem, and
 * where normal forces do not change from one to the next, the law holds. They grow from round to
 * round where friction presses what it should brake (Painlevé): then there may be no solution, and
 * the contact yields to what the first bound leaves. */
static bool lag(Solve *s)
{
    TnSmall *w = &s->small;
    memset(w->limit, 0, sizeof(double) * (size_t)w->n);
    memset(w->lambda, 0, sizeof(double) * (size_t)w->n);
    for (int round = 0; round < LAG_ROUNDS; round++) {
        w->bound = w->limit;
        look_again(s);
        if (!round) sweep(s);
        set_off(s, round ? CAREFUL : STIFFEST);
        arrive(s, round ? LAG_STEPS : FIRST_STEPS);
        if (s->best < s->map.largest) go_back(s);
        w->bound = NULL;
        if (round == 1) copy(w, w->lambda, s->yielding);
        for (int i = 0; i < w->n; i++) w->limit[i] = fmax(0.0, w->lambda[i]);
        s->best = INFINITY;
        look(s);
        if (done(s)) return true;
    }
    set_off(s, CAREFUL);
    if (arrive(s, FIRST_STEPS) || s->best < FAR * s->scale) return done(s);
    copy(w, s->yielding, w->lambda);
    look_again(s);
    return done(s);
}

static bool solve(Solve *s)
{
    begin(s);
    if (s->map.largest > FAR * s->scale) sweep(s);
    bool rests = s->map.largest < TN_NEARLY * s->tolerance;
    s->rests = rests;
    if (rests) s->wanted = TN_STILL * s->tolerance;
    set_off(s, rests ? AT_REST : STIFFEST);
    if (arrive(s, FIRST_STEPS) && s->best < s->wanted) return true;
    return (s->best < FAR * s->scale && arrive(s, STEPS)) || lag(s);
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
                 .scale = def->velocity_scale,
                 .best = INFINITY,
                 .report = report};
    if (!tn_small_build(p, &s->small)) return false;
    if (!p->exact && !tn_small_agree(&s->small, RUN_AWAY * s->scale)) return false;
    s->best_lambda = TN_ARENA_ZERO(p->arena, double, 4 * s->small.n);
    if (!s->best_lambda) return false;
    s->yielding = s->best_lambda + 3 * s->small.n;
    look_again(s);
    return true;
}

static void end(Solve *s)
{
    TnSmall *w = &s->small;
    if (s->best < INFINITY && s->best < s->map.largest) go_back(s);
    for (int i = 0; i < w->n; i++) w->u[i] += w->forgiven[i];
}

/* m/s; which of all is the worst constraint then. */
static double contradiction(Solve *s)
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

bool tn_small_solve(TnProblem *p, const TnSolverDef *def, TnIslandResult *out)
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
            for (int i = 0; i < w->n; i++) {
                before[i] += w->forgiven[i];
                guess[i] = w->u[i] + w->forgiven[i];
            }
        }
        report.method = TN_METHOD_SMALL;
        report.why = "a small island";
        solve(&s);
    }
    end(&s);
    if (done(&s) || !p->exact) {
        tn_small_put(w);
        tn_small_finish(w);
    }
    report.converged = done(&s);
    report.error = report.rigid_error = s.map.largest / def->velocity_scale;
    report.contradiction = contradiction(&s);
    *out = (TnIslandResult){.report = report,
                            .keep = before ? share_to_keep(w, before, guess) : 1.0,
                            .worst = s.map.worst,
                            .worst_index = s.map.worst_index};
    return true;
}
