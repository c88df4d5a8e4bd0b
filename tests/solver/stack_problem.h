/* stack_problem.h: boxes on each other, each four contacts with the one below, at rest in a step of
 * 10 ms. */
#ifndef TN_TESTS_STACK_PROBLEM_H
#define TN_TESTS_STACK_PROBLEM_H

#include "solver/problem.h"

typedef struct StackChoice {
    int count;
    double first, growth; /* mass of the lowest, and of each against the one below */
    double shift;         /* of every second one along x and y, m */
    double push;          /* share of its weight along x */
} StackChoice;

static const double stack_step = 0.01, stack_gravity = 9.81;

static inline bool stack_problem(TnProblem *p, TnArena *arena, StackChoice c)
{
    const double half = 0.05, zero[6] = {0};
    TnProblemSize size = {.twists = c.count, .contacts = 4 * c.count};
    if (!tn_problem_init(p, arena, size)) return false;
    double mass = c.first;
    for (int i = 0; i < c.count; i++, mass *= c.growth) {
        double a = mass / stack_step, s = a * 2.0 / 3.0 * half * half;
        const double S[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
        const double b[6] = {c.push * mass * stack_gravity, 0, -mass * stack_gravity, 0, 0, 0};
        tn_problem_set_twist(p, i, a, S, b, zero);
        for (int k = 0; k < 4; k++) {
            double at = half - (i ? c.shift : 0.0), x = k % 2 ? at : -at, y = k / 2 ? at : -at;
            /* the corner in the middle between both boxes, seen from each */
            double off = i % 2 ? 0.5 * c.shift : -0.5 * c.shift;
            const double arm_b[3] = {x - off, y - off, -half}, normal[3] = {0, 0, 1};
            const double arm_a[3] = {x + off, y + off, half};
            tn_problem_set_contact(p, 4 * i + k, i, i + 1, i ? arm_a : zero, arm_b, normal, zero,
                                   0.5, zero);
        }
    }
    return true;
}

#endif
