/* enumeration.h: all solutions of a problem with friction alone, by trying every choice of open,
 * stick and slip.
 *
 * With G = J A⁻¹ Jᵀ and u = G λ + q a choice, and an angle θ for each contact that slips, is a
 * linear system:
 *
 *     open   λ = 0
 *     stick  u = 0
 *     slip   λ = λ_n (1, -μ cos θ, -μ sin θ),  u_n = 0
 *
 * and the angles are those for which u_t lies along (cos θ, sin θ): Newton on their cross products,
 * from a grid of starts. G must be regular. */
#ifndef TN_TESTS_ENUMERATION_H
#define TN_TESTS_ENUMERATION_H

#include "public_problem.h"

enum { FEW_CONTACTS = 4, FEW_ROWS = 3 * FEW_CONTACTS, MOST_SOLUTIONS = 8, ANGLE_STARTS = 5 };
enum { IS_OPEN, IS_STICK, IS_SLIP };

typedef struct Enumeration {
    int contacts, solutions;
    double G[FEW_ROWS][FEW_ROWS], q[FEW_ROWS], mu[FEW_CONTACTS];
    double lambda[MOST_SOLUTIONS][FEW_ROWS];
    int classes[MOST_SOLUTIONS][FEW_CONTACTS];
} Enumeration;

static inline void enumeration_reduce(const Problem *p, Enumeration *s)
{
    double column[MOST_ROWS] = {0}, v[MOST_UNKNOWNS];
    static Problem unloaded;
    unloaded = *p;
    memset(unloaded.b, 0, sizeof unloaded.b);
    s->contacts = p->law_count;
    problem_velocities(p, column, v);
    for (int r = 0; r < p->row_count; r++) s->q[r] = row_velocity(p, &p->laws[r / 3], r % 3, v);
    for (int k = 0; k < p->row_count; k++) {
        column[k] = 1.0;
        problem_velocities(&unloaded, column, v);
        column[k] = 0.0;
        for (int r = 0; r < p->row_count; r++)
            s->G[r][k] = row_velocity(p, &p->laws[r / 3], r % 3, v) - p->laws[r / 3].e[r % 3];
    }
    for (int i = 0; i < s->contacts; i++) s->mu[i] = p->laws[i].mu;
}

/* λ and u for a choice with angles; false: no such forces. */
static inline bool enumeration_forces(const Enumeration *s, const int *choice, const double *angle,
                                      double *lambda, double *u)
{
    int rows = 3 * s->contacts, n = 0, at[FEW_ROWS], contact[FEW_ROWS];
    double way[FEW_ROWS][FEW_ROWS] = {{0}}, M[FEW_ROWS * FEW_ROWS], x[FEW_ROWS];
    for (int i = 0, slips = 0; i < s->contacts; i++) {
        if (choice[i] == IS_SLIP) {
            at[n] = 3 * i;
            contact[n] = i;
            way[n][3 * i] = 1.0;
            way[n][3 * i + 1] = -s->mu[i] * cos(angle[slips]);
            way[n++][3 * i + 2] = -s->mu[i] * sin(angle[slips++]);
        }
        for (int k = 0; choice[i] == IS_STICK && k < 3; k++) {
            at[n] = 3 * i + k;
            contact[n] = i;
            way[n++][3 * i + k] = 1.0;
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = -s->q[at[i]];
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0.0;
            for (int k = 3 * contact[j]; k < 3 * contact[j] + 3; k++)
                M[i * n + j] += s->G[at[i]][k] * way[j][k];
        }
    }
    if (!gauss(n, M, x, 1e-10)) return false;
    for (int r = 0; r < rows; r++) {
        lambda[r] = 0.0;
        for (int j = 0; j < n; j++) lambda[r] += way[j][r] * x[j];
    }
    for (int r = 0; r < rows; r++) {
        u[r] = s->q[r];
        for (int k = 0; k < rows; k++) u[r] += s->G[r][k] * lambda[k];
    }
    return true;
}

/* Of the slipping contacts: u_t × (cos θ, sin θ). */
static inline bool enumeration_misses(const Enumeration *s, const int *choice, const double *angle,
                                      double *lambda, double *u, double *miss)
{
    if (!enumeration_forces(s, choice, angle, lambda, u)) return false;
    for (int i = 0, k = 0; i < s->contacts; i++)
        if (choice[i] == IS_SLIP) {
            miss[k] = u[3 * i + 1] * sin(angle[k]) - u[3 * i + 2] * cos(angle[k]);
            k++;
        }
    return true;
}

/* Whether all that is not an equation holds too. */
static inline bool enumeration_holds(const Enumeration *s, const int *choice, const double *angle,
                                     const double *lambda, const double *u)
{
    for (int i = 0, k = 0; i < s->contacts; i++) {
        const double *l = lambda + 3 * i, *w = u + 3 * i;
        if (choice[i] == IS_OPEN && w[0] < 0.0) return false;
        if (l[0] < 0.0) return false;
        if (choice[i] == IS_STICK && hypot(l[1], l[2]) > s->mu[i] * l[0]) return false;
        if (choice[i] != IS_SLIP) continue;
        if (w[1] * cos(angle[k]) + w[2] * sin(angle[k]) < 0.0) return false;
        k++;
    }
    return true;
}

static inline void enumeration_note(Enumeration *s, const int *choice, const double *lambda)
{
    for (int i = 0; i < s->solutions; i++)
        if (largest_apart(s->lambda[i], lambda, 3 * s->contacts) < 1e-6) return;
    if (s->solutions == MOST_SOLUTIONS) return;
    memcpy(s->lambda[s->solutions], lambda, sizeof(double) * 3 * (size_t)s->contacts);
    memcpy(s->classes[s->solutions++], choice, sizeof(int) * (size_t)s->contacts);
}

static inline void enumeration_newton(Enumeration *s, const int *choice, int slips, double *angle)
{
    double lambda[FEW_ROWS], u[FEW_ROWS], miss[FEW_CONTACTS], M[FEW_CONTACTS * FEW_CONTACTS];
    for (int step = 0; step < 15; step++) {
        double size = 0.0, moved[FEW_CONTACTS], l[FEW_ROWS], w[FEW_ROWS];
        if (!enumeration_misses(s, choice, angle, lambda, u, miss)) return;
        for (int k = 0; k < slips; k++) size = fmax(size, fabs(miss[k]));
        if (size < 1e-11) {
            if (enumeration_holds(s, choice, angle, lambda, u)) enumeration_note(s, choice, lambda);
            return;
        }
        for (int j = 0; j < slips; j++) {
            const double h = 1e-6;
            angle[j] += h;
            bool ok = enumeration_misses(s, choice, angle, l, w, moved);
            angle[j] -= h;
            if (!ok) return;
            for (int k = 0; k < slips; k++) M[k * slips + j] = (moved[k] - miss[k]) / h;
        }
        if (!gauss(slips, M, miss, 1e-12)) return;
        for (int k = 0; k < slips; k++) angle[k] -= clamp(miss[k], -0.8, 0.8);
    }
}

static inline void enumerate(const Problem *p, Enumeration *s)
{
    *s = (Enumeration){0};
    enumeration_reduce(p, s);
    int codes = 1;
    for (int i = 0; i < s->contacts; i++) codes *= 3;
    for (int code = 0; code < codes; code++) {
        int choice[FEW_CONTACTS], slips = 0, starts = 1;
        for (int i = 0, rest = code; i < s->contacts; i++, rest /= 3) {
            choice[i] = rest % 3;
            if (choice[i] == IS_SLIP) slips++, starts *= ANGLE_STARTS;
        }
        for (int start = 0; start < starts; start++) {
            double angle[FEW_CONTACTS] = {0};
            for (int k = 0, rest = start; k < slips; k++, rest /= ANGLE_STARTS)
                angle[k] = 6.2831853 / ANGLE_STARTS * (rest % ANGLE_STARTS) + 0.3;
            enumeration_newton(s, choice, slips, angle);
        }
    }
}

#endif
