/* pgs.c: projected Gauss-Seidel, accelerated by nonsmooth nonlinear conjugate gradients.
 *
 * A sweep goes through the groups of delassus.h in order; each takes u = W μ + q as it is by then
 * and moves its own μ to where its law holds, all others being fixed (pgs_laws.c). With s = (μ, x)
 * the whole state, which is linear in μ, and S(s) a sweep,
 *
 *     s_k ← S(s),   Δ = s_k - s,   β = |Δ|²/|Δ_last|²,   s ← s_k + β p,   p ← β p + Δ
 *
 * after Fletcher and Reeves, |Δ|² = Σ D Δμ² (D the diagonal of W); where β > 1 the direction is
 * forgotten: p = 0, s ← s_k (a little above one it counts as one). So |Δ|² never grows by more than
 * TN_GROWTH other than by plain sweeps. Where the solve is watched and that has not done after
 * FIRST_TURN sweeps, Anderson's method (anderson.c) with r = √D Δ and this take turns, each twice
 * as long as the one before: either creeps where the other does not. A result is always what a
 * sweep left. */
#include "pgs.h"

#include <math.h>
#include <string.h>

#include "anderson_mix.h"

/* x follows μ by additions; so many sweeps leave too little rounding to matter. */
#define REFRESH 200
/* Iterations before the watcher's first look, and between two when the own residual is already
 * small. */
#define FIRST_LOOK 3
#define LOOK_GAIN 0.7
/* |Δ|² may grow a little without an end of the direction: by so much in a sweep. */
#define MAY_GROW 1.1
#define FIRST_TURN 500
#define ANDERSON_MEMORY 5

typedef struct Loop {
    TnDelassus *w;
    TnPgsChoice choice;
    double *last, *p; /* state before the sweep; direction */
    double squared;   /* |Δ|² of the last sweep */
    double least;     /* of all so far */
    TnMix mix;
    double *r;     /* √D Δμ; NULL: without Anderson's method */
    bool anderson; /* whose turn it is, */
    int turn, end; /* its sweeps and the last of them */
} Loop;

/* |Δ|² and the RMS of D Δμ, m/s; in four sums each, which a compiler may take together. */
static double measure(const Loop *loop, double *residual)
{
    const TnDelassus *w = loop->w;
    const double *restrict mu = w->mu, *restrict last = loop->last, *restrict D = w->D,
                           *restrict lever = w->lever;
    double sum[4] = {0}, velocity[4] = {0};
    for (int i = 0; i < w->row_count; i += 4) /* there are zeros behind the last */
        for (int k = 0; k < 4; k++) {
            double d = mu[i + k] - last[i + k], v = D[i + k] * d;
            sum[k] += v * d;
            velocity[k] += lever[i + k] * lever[i + k] * v * v;
        }
    double all = (velocity[0] + velocity[1]) + (velocity[2] + velocity[3]);
    *residual = w->row_count ? sqrt(all / w->row_count) : 0.0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* From what a sweep left to where the next one begins. */
static void extrapolate(Loop *loop, double squared)
{
    size_t n = loop->w->state_count;
    double *restrict s = loop->w->state, *restrict last = loop->last, *restrict p = loop->p;
    double beta = loop->squared > 0.0 ? squared / loop->squared : 0.0;
    loop->squared = squared;
    if (!loop->choice.accelerated) return;
    if (beta > 1.0 && beta < MAY_GROW && squared < TN_GROWTH * loop->least) beta = 1.0;
    loop->least = fmin(loop->least, squared);
    if (!(beta <= 1.0)) beta = 0.0;
    for (size_t i = 0; i < n; i++) {
        double step = beta * p[i], d = s[i] - last[i];
        s[i] += step;
        p[i] = step + d;
    }
}

static bool prepare_anderson(Loop *loop)
{
    TnArena *arena = loop->w->problem->arena;
    long n = (long)loop->w->state_count, m = tn_padded(loop->w->row_count);
    loop->turn = loop->end = FIRST_TURN;
    loop->r = TN_ARENA_NEW(arena, double, m);
    return loop->r && tn_mix_alloc(&loop->mix, arena, ANDERSON_MEMORY, n, m);
}

static void change_turns(Loop *loop)
{
    loop->anderson = !loop->anderson;
    if (!loop->anderson) loop->turn *= 2;
    loop->end += loop->turn;
    loop->squared = 0.0; /* the old direction is of no use */
    loop->least = INFINITY;
    tn_mix_start(&loop->mix);
}

/* Anderson's combination instead. */
static void combine(Loop *loop)
{
    const TnDelassus *w = loop->w;
    long n = (long)w->state_count, m = tn_padded(w->row_count);
    double sums[TN_MIX_SUMS];
    tn_mix_begin(&loop->mix);
    for (long k = 0; k < m; k++) loop->r[k] = sqrt(w->D[k]) * (w->state[k] - loop->last[k]);
    tn_mix_take(&loop->mix, 0, n, w->state, m, loop->r, sums);
    if (tn_mix_combine(&loop->mix, sums)) tn_mix_put(&loop->mix, 0, n, w->state);
}

static bool ask(const TnOwnInput *in, const TnDelassus *w, const TnOwnResult *so_far)
{
    TnSolveResult result = {so_far->iterations, false, so_far->residual, so_far->form};
    tn_delassus_put(w);
    return in->watch.enough(in->watch.context, &result);
}

bool tn_pgs_with(const TnOwnInput *in, TnPgsChoice choice, TnOwnResult *out)
{
    TnProblem *p = in->problem;
    size_t mark = tn_arena_mark(p->arena);
    TnDelassus w;
    *out = (TnOwnResult){0};
    if (!tn_delassus_build(p, in->D, choice.form, in->def->iterations, in->pool, &w)) return false;
    Loop loop = {.w = &w,
                 .choice = choice,
                 .last = TN_ARENA_NEW(p->arena, double, w.state_count),
                 .p = TN_ARENA_ZERO(p->arena, double, w.state_count),
                 .least = INFINITY};
    if (!loop.last || !loop.p) return false;
    if (in->watch.enough && choice.accelerated && in->def->iterations > FIRST_TURN &&
        !prepare_anderson(&loop))
        return false;
    double seen = INFINITY; /* residual at the last look */
    out->form = tn_delassus_form(&w);
    while (out->iterations < in->def->iterations) {
        if (out->iterations && out->iterations % REFRESH == 0) tn_delassus_refresh(&w);
        memcpy(loop.last, w.state, sizeof(double) * w.state_count);
        tn_pgs_sweep(&w);
        out->iterations++;
        double squared = measure(&loop, &out->residual);
        if (in->watch.enough && out->iterations >= FIRST_LOOK && out->residual < LOOK_GAIN * seen) {
            seen = out->residual;
            if (ask(in, &w, out)) break;
        }
        if (out->iterations == in->def->iterations) break;
        if (loop.r && out->iterations >= loop.end) change_turns(&loop);
        if (loop.anderson)
            combine(&loop);
        else
            extrapolate(&loop, squared);
    }
    tn_delassus_put(&w);
    tn_arena_release(p->arena, mark);
    return true;
}

bool tn_pgs(const TnOwnInput *in, TnOwnResult *out)
{
    return tn_pgs_with(in, (TnPgsChoice){.accelerated = true}, out);
}
