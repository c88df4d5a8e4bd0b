/* stack_problem.h: one step of boxes at rest on each other: a tower whose solution is known, v = 0 and the weight
 * above in every interface. */
#ifndef TN_TESTS_STACK_PROBLEM_H
#define TN_TESTS_STACK_PROBLEM_H

#include "random_problem.h"

#define STACK_T 0.01 /* s */
#define STACK_G 9.81
#define STACK_HALF 0.05 /* m */

/* Masses from below; jitter: how far (m) each box stands off the axis, at random. Four contacts below each
 * box, at the corners of where the two faces overlap. */
static inline bool stack_problem(TnProblem *p, TnArena *arena, int count, const double *masses,
                                 double jitter, double mu, uint64_t seed)
{
    Random r = {seed * 31 + 5};
    const double zero[6] = {0}, up[3] = {0, 0, 1}, h = STACK_HALF;
    double x = 0.0, y = 0.0;
    if (!tn_problem_init(p, arena, (TnProblemSize){.twists = count, .contacts = 4 * count}))
        return false;
    for (int i = 0; i < count; i++) {
        double m = masses[i], a = m / STACK_T, s = a * 2.0 / 3.0 * h * h;
        const double S[9] = {s, 0, 0, 0, s, 0, 0, 0, s}, b[6] = {0, 0, -m * STACK_G, 0, 0, 0};
        double px = x, py = y;
        x = jitter * uniform(&r);
        y = jitter * uniform(&r);
        if (i == 0) px = x, py = y;
        tn_problem_set_twist(p, i, a, S, b, zero);
        for (int k = 0; k < 4; k++) {
            double cx = k & 1 ? fmin(x, px) + h : fmax(x, px) - h;
            double cy = k & 2 ? fmin(y, py) + h : fmax(y, py) - h;
            const double arm_a[3] = {cx - px, cy - py, h}, arm_b[3] = {cx - x, cy - y, -h};
            tn_problem_set_contact(p, 4 * i + k, i, i + 1, i ? arm_a : zero, arm_b, up, zero, mu,
                                   zero);
        }
    }
    return true;
}

/* Largest relative difference between an interface's normal force and the weight on it. */
static inline double stack_force_error(const TnProblem *p, const double *masses)
{
    double weight = 0.0, worst = 0.0;
    for (int i = p->twist_count - 1; i >= 0; i--) {
        double force = 0.0;
        weight += masses[i] * STACK_G;
        for (int k = 0; k < 4; k++) force += p->lambda[4 * i + k][2];
        worst = fmax(worst, fabs(force / weight - 1.0));
    }
    return worst;
}

#endif
