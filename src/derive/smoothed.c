/* smoothed.c: forces of smoothed laws about a solution. */
#include "trial.h"

#include "../base/rounding.h"

#include <math.h>
#include <string.h>

/* Forces are found by so many Newton steps that are halved where they do not gain, from laws that
 * are 4 times as smooth if need be, so often. */
#define MOST_NEWTON 40
#define MOST_LEVELS 5

double tn_linear_largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = isfinite(x[i]) ? fmax(most, fabs(x[i])) : INFINITY;
    return most;
}

/* From forces λ0 a share of the way -M⁻¹ F, and F there. */
static void go(TnTrial *t, const double *from, const double *way, double share, double *F)
{
    for (int i = 0; i < t->linear->law_count; i++) {
        const TnLinearLaw *law = &t->linear->laws[i];
        double *force = tn_trial_force(t, law->kind, law->index);
        for (int k = 0; k < law->count; k++)
            force[k] = from[law->first + k] - share * way[law->first + k] / law->scale;
    }
    tn_trial_respond(t);
    tn_trial_residual(t, F);
}

/* Newton steps with halving to the forces of smoothed laws. False: no memory. */
static bool settle(TnLinear *linear, TnTrial *t, bool *found)
{
    int n = linear->n;
    TnArena *arena = t->p->arena;
    double *F = TN_ARENA_NEW(arena, double, n), *way = TN_ARENA_NEW(arena, double, n),
           *from = TN_ARENA_NEW(arena, double, n), *scratch = TN_ARENA_NEW(arena, double, n);
    if (!F || !way || !from || !scratch) return false;
    tn_trial_residual(t, F);
    *found = false;
    for (int k = 0; k < MOST_NEWTON && !linear->why[0] && !*found; k++) {
        double before = tn_linear_largest(n, F), share = 1.0;
        *found = before < TN_ROOM * linear->smooth.slow;
        if (*found) break;
        size_t mark = tn_arena_mark(arena);
        if (!tn_linear_note_matrix(linear, t)) return false;
        tn_arena_release(arena, mark);
        memcpy(way, F, sizeof(double) * (size_t)n);
        tn_linear_solve(linear, way, scratch);
        for (int i = 0; i < linear->law_count; i++)
            memcpy(from + linear->laws[i].first,
                   tn_trial_force(t, linear->laws[i].kind, linear->laws[i].index),
                   sizeof(double) * (size_t)linear->laws[i].count);
        do {
            go(t, from, way, share, F);
            share *= 0.5;
        } while (!(tn_linear_largest(n, F) < before) && share > TN_SAME);
    }
    return true;
}

/* Forces, and what their laws are off by where constraints contradict each other. */
bool tn_linear_note_solution(TnLinear *linear, const TnTrial *t)
{
    double *F = TN_ARENA_NEW(t->p->arena, double, linear->n);
    if (!F) return false;
    for (int i = 0; i < linear->law_count; i++)
        memset(linear->laws[i].left, 0, sizeof linear->laws[i].left);
    tn_trial_residual(t, F);
    for (int i = 0; i < linear->law_count; i++) {
        TnLinearLaw *law = &linear->laws[i];
        size_t bytes = sizeof(double) * (size_t)law->count;
        memcpy(law->lambda, tn_trial_force(t, law->kind, law->index), bytes);
        memcpy(law->left, F + law->first, bytes);
    }
    return true;
}

/* From the exact forces, or by way of smoother laws. False: no memory. */
bool tn_linear_find_smoothed(TnLinear *linear, TnTrial *t)
{
    if (!tn_linear_note_solution(linear, t)) return false;
    for (int i = 0; i < linear->law_count; i++)
        if (linear->laws[i].class == TN_CLASS_SMOOTH)
            memset(linear->laws[i].left, 0, sizeof linear->laws[i].left);
    TnSmoothing wanted = linear->smooth;
    bool found = false;
    for (int level = 0; level < MOST_LEVELS && !found; level++) {
        for (int k = level; k >= 0; k--) { /* from the smoothest on */
            double more = pow(4.0, k);
            linear->smooth.slow = more * wanted.slow;
            linear->smooth.near = more * wanted.near;
            if (!settle(linear, t, &found)) return false;
        }
    }
    linear->smooth = wanted;
    if (!found && !linear->why[0]) linear->why = "forces of the smoothed laws were not found";
    return true;
}
