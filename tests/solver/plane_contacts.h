/* plane_contacts.h: few contacts in a plane, whose classes can all be tried. Random and uniform
 * come from the including test's own generator. */
#ifndef TN_TESTS_PLANE_CONTACTS_H
#define TN_TESTS_PLANE_CONTACTS_H

#include <math.h>
#include <string.h>

#include "../gauss.h"

/* Bodies in the plane z = 0, three unknowns each, and contacts in it: by symmetry nothing leaves
 * the plane, a contact is open, sticks, or slips one way or the other, and each of the 4ⁿ choices
 * is a linear system. */
enum { BODIES = 3, MOST = 4 };
typedef struct Plane {
    double mass[BODIES], inertia[BODIES], b[BODIES][3];
    int count, a[MOST], c[MOST]; /* bodies, 0: the world */
    double arm_a[MOST][2], arm_c[MOST][2], n[MOST][2], e[MOST][2], mu[MOST];
} Plane;

static inline void random_plane(Random *r, Plane *s, int count)
{
    *s = (Plane){.count = count};
    for (int i = 0; i < BODIES; i++) {
        s->mass[i] = 1.5 + uniform(r);
        s->inertia[i] = 1.5 + uniform(r);
        for (int k = 0; k < 3; k++) s->b[i][k] = 2.0 * uniform(r);
    }
    for (int j = 0; j < count; j++) {
        double angle = 3.14159 * uniform(r);
        s->c[j] = 1 + (int)(fabs(uniform(r)) * BODIES);
        do s->a[j] = (int)(fabs(uniform(r)) * (BODIES + 1));
        while (s->a[j] == s->c[j]);
        s->n[j][0] = cos(angle);
        s->n[j][1] = sin(angle);
        s->mu[j] = fabs(uniform(r));
        for (int k = 0; k < 2; k++) {
            s->arm_a[j][k] = uniform(r);
            s->arm_c[j][k] = uniform(r);
            s->e[j][k] = 0.3 * uniform(r);
        }
    }
}

/* u_n or u_t of contact j per unknown of the bodies: 3 each, x y angle. */
static inline void plane_row(const Plane *s, int j, bool tangent, double J[3 * BODIES])
{
    double d[2] = {s->n[j][0], s->n[j][1]};
    if (tangent) d[0] = -s->n[j][1], d[1] = s->n[j][0];
    memset(J, 0, sizeof(double) * 3 * BODIES);
    for (int side = 0; side < 2; side++) {
        int body = side ? s->c[j] : s->a[j];
        const double *arm = side ? s->arm_c[j] : s->arm_a[j];
        double sign = side ? 1.0 : -1.0, *at = J + 3 * (body - 1);
        if (!body) continue;
        at[0] += sign * d[0];
        at[1] += sign * d[1];
        at[2] += sign * (arm[0] * d[1] - arm[1] * d[0]);
    }
}

/* The velocities for one choice (0 open, 1 sticks, 2 and 3 slips with λ_t = ± μ λ_n), and whether
 * all laws hold. */
static inline bool try_choice(const Plane *s, const int *choice, double v[3 * BODIES])
{
    enum { N = 3 * BODIES };
    double J[2 * MOST][N], way[2 * MOST][N], rest[2 * MOST], M[4 * MOST * MOST], x[2 * MOST];
    double inverse[N];
    int n = 0;
    for (int i = 0; i < N; i++) inverse[i] = 1.0 / (i % 3 < 2 ? s->mass[i / 3] : s->inertia[i / 3]);
    for (int j = 0; j < s->count; j++) {
        double normal[N], tangent[N], et = s->n[j][0] * s->e[j][1] - s->n[j][1] * s->e[j][0],
                                      en = s->n[j][0] * s->e[j][0] + s->n[j][1] * s->e[j][1];
        if (!choice[j]) continue;
        plane_row(s, j, false, normal);
        plane_row(s, j, true, tangent);
        double friction = choice[j] == 2 ? s->mu[j] : choice[j] == 3 ? -s->mu[j] : 0.0;
        for (int i = 0; i < N; i++) {
            J[n][i] = normal[i];
            way[n][i] = normal[i] + friction * tangent[i];
            J[n + 1][i] = way[n + 1][i] = tangent[i];
        }
        rest[n] = en;
        rest[n + 1] = et;
        n += choice[j] == 1 ? 2 : 1;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -rest[i];
        for (int k = 0; k < N; k++) x[i] -= J[i][k] * inverse[k] * s->b[k / 3][k % 3];
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0.0;
            for (int k = 0; k < N; k++) M[i * n + j] += J[i][k] * inverse[k] * way[j][k];
        }
    }
    if (!gauss(n, M, x, 1e-10)) return false;
    for (int k = 0; k < N; k++) {
        v[k] = s->b[k / 3][k % 3];
        for (int i = 0; i < n; i++) v[k] += way[i][k] * x[i];
        v[k] *= inverse[k];
    }
    for (int j = 0, at = 0; j < s->count; j++) {
        double normal[N], tangent[N], et = s->n[j][0] * s->e[j][1] - s->n[j][1] * s->e[j][0],
                                      en = s->n[j][0] * s->e[j][0] + s->n[j][1] * s->e[j][1];
        plane_row(s, j, false, normal);
        plane_row(s, j, true, tangent);
        for (int k = 0; k < N; k++) en += normal[k] * v[k], et += tangent[k] * v[k];
        if (!choice[j]) {
            if (en < 0.0) return false;
            continue;
        }
        if (x[at] < 0.0) return false;
        if (choice[j] == 1 && fabs(x[at + 1]) > s->mu[j] * x[at]) return false;
        if (choice[j] == 2 && et > 0.0) return false;
        if (choice[j] == 3 && et < 0.0) return false;
        at += choice[j] == 1 ? 2 : 1;
    }
    return true;
}

#endif
