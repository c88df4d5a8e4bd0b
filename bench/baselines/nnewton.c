/* nnewton.c: the nonsmooth Newton method, the paper's baseline (Macklin et al. 2019; Andrews,
 * Erleben and Ferguson 2022): the laws as a system of equations F(u, λ) = 0 (nnewton_law.c), solved
 * together with dynamics by Newton's steps,
 *
 *     (A + JᵀGJ) dx = Jᵀa,   du = J dx,   dλ = a - G du
 *
 * Dynamics are linear and hold exactly in every iterate, so F is all there is to judge by: the
 * merit is its RMS. A factorization per step, Cholesky where no contact slips, else LU.
 *
 * A full step is taken where the merit is no more than the largest of the last few (nonmonotone
 * line search), else half of it, and so on. R, what a constraint that holds may answer to a
 * velocity, is the Levenberg parameter's inverse: it grows tenfold where a full step gained what
 * the linear model had promised, and shrinks where it did not or no step was found. Some problems
 * cannot be had with small steps at all (heavy things on light ones), so from its lowest it goes to
 * the top again.
 *
 * It stands alone: no interior points, no splitting, no other method that starts or rescues it. */
#include <math.h>

#include "baselines.h"
#include "nnewton.h"
#include "solver/method/newton_law.h"

#define FIRST_R 10.0
#define LEAST_R 1.0
#define MOST_R 1e7
#define LARGER_R 10.0
#define SOFTER 0.1
#define PROMISE_KEPT 0.7 /* of what the linear model promised */
#define POOR_GAIN 0.25
#define MERIT_WINDOW 5 /* steps whose largest merit counts */
#define TRIALS 6
#define SUFFICIENT 1e-4
#define STEPS_WITHOUT_BEST 16 /* before it walks */
#define WALK 8                /* steps out of a minimum of the merit */
/* With the end of a fixed count so near, merits beyond so many times the best are not worth it. */
#define LAST_STEPS 10
#define LAST_RISE 1.2
#define ROUNDINGS 100.0 /* times the natural map's: gains below that say nothing */

typedef struct Newton {
    const TnOwnInput *in;
    TnProblem *p;
    TnAssembly assembly;
    TnNewtonLines lines;
    TnPerConstraint u, lambda, du, dlambda, best;
    TnPerConstraint trial_u, trial_lambda;
    TnVelocities v;
    double *values, *x;
    double R, least; /* least: the best merit so far */
    int since;       /* steps since then, or since the last walk */
    int walking;     /* steps left that are taken whatever the merit */
    int walks;
    double merits[MERIT_WINDOW];
    TnNaturalMap map;
} Newton;

/* u = J v_λ + e, afresh, so that rounding of large steps leaves nothing behind; and the map. */
static void look(Newton *n)
{
    tn_lambda_put(n->p, &n->lambda);
    tn_velocities_touched(n->p, &n->v);
    tn_constraint_velocities(n->p, &n->v, &n->u);
    n->map = tn_natural_map(n->p, n->in->D, &n->u, &n->lambda);
}

static bool start(Newton *n)
{
    TnProblem *p = n->p;
    TnPerConstraint *all[] = {&n->u,    &n->lambda,  &n->du,           &n->dlambda,
                              &n->best, &n->trial_u, &n->trial_lambda, &n->lines.a};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    if (!tn_assembly_build(p, n->in->plans, &n->assembly) || !tn_gains_alloc(p, &n->lines.G) ||
        !tn_velocities_alloc(p, &n->v))
        return false;
    n->values = TN_ARENA_NEW(p->arena, double, 2 * n->assembly.plan->size);
    n->x = TN_ARENA_NEW(p->arena, double, n->assembly.dim);
    if (!n->values || !n->x) return false;
    tn_lambda_take(p, &n->lambda);
    tn_nnewton_clean(p, n->in->D, &n->lambda);
    tn_per_constraint_copy(&n->best, &n->lambda);
    look(n);
    n->R = FIRST_R;
    n->least = n->map.rms;
    for (int i = 0; i < MERIT_WINDOW; i++) n->merits[i] = n->map.rms;
    return true;
}

/* du and dλ. False: no factor. */
static bool direction(Newton *n)
{
    const TnAssembly *a = &n->assembly;
    tn_nnewton_lines(n->p, n->in->D, &n->u, &n->lambda, n->R, &n->lines);
    if (!tn_assembly_factor(a, &n->lines.G, n->values)) return false;
    tn_assembly_gather(a, &n->lines.a, n->x);
    tn_assembly_solve(a, n->lines.G.symmetric, n->values, n->x);
    tn_assembly_apply(a, n->x, &n->du);
    tn_lines_force(n->p, &n->lines.a, &n->lines.G, &n->du, &n->dlambda);
    return true;
}

static void add_share(const TnPerConstraint *x, double share, const TnPerConstraint *d,
                      TnPerConstraint *out)
{
    for (size_t i = 0; i < x->count; i++) out->all[i] = x->all[i] + share * d->all[i];
}

/* The share of the step to take; 0: none. */
static double search(Newton *n, int steps_left)
{
    double most = 0.0, share = 1.0;
    for (int i = 0; i < MERIT_WINDOW; i++) most = fmax(most, n->merits[i]);
    if (n->walking) most = INFINITY;
    if (!n->in->watch.enough && steps_left < LAST_STEPS) most = fmin(most, LAST_RISE * n->least);
    for (int k = 0; k < TRIALS; k++, share *= 0.5) {
        add_share(&n->u, share, &n->du, &n->trial_u);
        add_share(&n->lambda, share, &n->dlambda, &n->trial_lambda);
        TnNaturalMap map = tn_natural_map(n->p, n->in->D, &n->trial_u, &n->trial_lambda);
        if (map.rms <= (1.0 - SUFFICIENT * share) * most) return share;
    }
    return 0.0;
}

static void soften(Newton *n) { n->R = n->R > LEAST_R ? fmax(LEAST_R, SOFTER * n->R) : MOST_R; }

static void go(Newton *n, double share, int step)
{
    double before = n->map.rms, left = tn_nnewton_left(n->p, n->in->D, &n->dlambda, n->R);
    tn_per_constraint_swap(&n->lambda, &n->trial_lambda);
    look(n);
    n->merits[step % MERIT_WINDOW] = n->map.rms;
    if (n->walking) {
        if (!--n->walking)
            for (int i = 0; i < MERIT_WINDOW; i++) n->merits[i] = n->map.rms;
        return;
    }
    double gain = (before - n->map.rms) / (before - fmin(0.99 * before, left));
    if (share == 1.0 && gain > PROMISE_KEPT)
        n->R = fmin(MOST_R, LARGER_R * n->R);
    else if (!(gain >= POOR_GAIN) &&
             n->map.rms > ROUNDINGS * tn_natural_map_rounding(n->p, n->in->D, &n->lambda))
        soften(n);
}

/* The merit has minima where the laws do not hold. Out of them: some full steps, whatever the
 * merit, each time with another R. Not towards the end of a fixed count. */
static void watch_for_minima(Newton *n, int steps_left)
{
    static const double stiffness[] = {1.0, 10.0, 100.0, 3.0, 30.0};
    if (n->walking || ++n->since < STEPS_WITHOUT_BEST) return;
    if (!n->in->watch.enough && steps_left < STEPS_WITHOUT_BEST + WALK) return;
    n->since = 0;
    n->walking = WALK;
    n->R = stiffness[n->walks++ % 5];
}

/* Asked where the error has halved since it was asked last, or seems to do. */
static bool is_enough(const Newton *n, double *asked, const TnOwnResult *so_far)
{
    const TnWatch *watch = &n->in->watch;
    TnSolveResult result = {.iterations = so_far->iterations, .residual = n->map.rms};
    double wanted = n->in->def->tolerance * n->in->def->velocity_scale;
    if (!watch->enough || !(n->map.largest < fmax(0.5 * *asked, wanted))) return false;
    *asked = n->map.largest;
    return watch->enough(watch->context, &result);
}

bool tn_nnewton(const TnOwnInput *in, TnOwnResult *out)
{
    Newton n = {.in = in, .p = in->problem};
    double asked = INFINITY;
    *out = (TnOwnResult){.form = "minimum map, adaptive regularisation"};
    if (!start(&n)) return false;
    for (int step = 0; step < in->def->iterations; step++) {
        watch_for_minima(&n, in->def->iterations - step - 1);
        out->iterations++;
        out->factorizations++;
        double share = direction(&n) ? search(&n, in->def->iterations - step - 1) : 0.0;
        if (share == 0.0) {
            soften(&n);
            continue;
        }
        go(&n, share, step);
        if (!(n.map.rms < n.least)) continue;
        n.least = n.map.rms;
        n.since = 0;
        tn_per_constraint_copy(&n.best, &n.lambda);
        if (is_enough(&n, &asked, out)) break;
    }
    tn_lambda_put(in->problem, &n.best);
    out->residual = n.least;
    return true;
}

const TnOwnMethod tn_own_nnewton = {.name = "nnewton", .run = tn_nnewton};
