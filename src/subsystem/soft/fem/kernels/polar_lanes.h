/* polar_lanes.h: singular values by one-sided Jacobi rotations (Hestenes), without a branch per
 * lane.
 *
 * Starting with B = F and V = 1, pairs of columns of B are made orthogonal by rotations from the
 * right, which V collects: B = F V = U diag(s). FᵀF is never formed, so nothing is squared away: R
 * is exact to some roundings times s_0 / (s_1 + s_2), which is what F itself determines.
 * Convergence is quadratic: three to five sweeps of three rotations. A lane whose pair is
 * orthogonal is left as it is, so it does not matter to a lane how many sweeps its neighbours need.
 * Compiled per instruction set. */
#ifndef TN_FEM_POLAR_LANES_H
#define TN_FEM_POLAR_LANES_H

#include "../polar.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LANES = TN_FEM_LANES, SWEEPS = 16 };

/* Columns whose cosine (or the turn that it asks for) is below this count as orthogonal: rounding
 * of the three products in it. */
static const double ORTHOGONAL = 4.5e-16;
/* A column shorter than this times the longest one has no direction of its own. */
static const double FLAT = 1e-15;

/* Makes columns p and q orthogonal; returns whether any lane turned. */
static inline bool rotate_pair(TnFemMatrix B, TnFemMatrix V, int p, int q)
{
    double c[LANES], s[LANES], turned[LANES], any = 0.0;
    for (int l = 0; l < LANES; l++) {
        double a = B[p][l] * B[p][l] + B[3 + p][l] * B[3 + p][l] + B[6 + p][l] * B[6 + p][l];
        double b = B[q][l] * B[q][l] + B[3 + q][l] * B[3 + q][l] + B[6 + q][l] * B[6 + q][l];
        double g = B[p][l] * B[q][l] + B[3 + p][l] * B[3 + q][l] + B[6 + p][l] * B[6 + q][l];
        double larger = a > b ? a : b;
        bool turn = fabs(g) > ORTHOGONAL * larger;
        /* tangent of the smaller angle: t² + 2 t (b - a)/(2 g) - 1 = 0 */
        double d = b - a, root = sqrt(d * d + 4.0 * g * g);
        double t = 2.0 * g / (d < 0.0 ? d - root : d + root + 1e-300);
        t = turn ? t : 0.0;
        c[l] = 1.0 / sqrt(1.0 + t * t);
        s[l] = c[l] * t;
        turned[l] = turn ? 1.0 : 0.0;
    }
    for (int l = 0; l < LANES; l++) any += turned[l];
    if (any == 0.0) return false;
    for (int i = 0; i < 9; i += 3)
        for (int l = 0; l < LANES; l++) {
            double x = B[i + p][l], y = B[i + q][l], v = V[i + p][l], w = V[i + q][l];
            B[i + p][l] = c[l] * x - s[l] * y;
            B[i + q][l] = s[l] * x + c[l] * y;
            V[i + p][l] = c[l] * v - s[l] * w;
            V[i + q][l] = s[l] * v + c[l] * w;
        }
    return true;
}

/* Puts the longer of columns p and q first; the sign keeps V a rotation. */
static inline void sort_pair(TnFemMatrix B, TnFemMatrix V, int p, int q)
{
    for (int l = 0; l < LANES; l++) {
        double a = B[p][l] * B[p][l] + B[3 + p][l] * B[3 + p][l] + B[6 + p][l] * B[6 + p][l];
        double b = B[q][l] * B[q][l] + B[3 + q][l] * B[3 + q][l] + B[6 + q][l] * B[6 + q][l];
        bool swap = b > a;
        for (int i = 0; i < 9; i += 3) {
            double x = B[i + p][l], y = B[i + q][l], v = V[i + p][l], w = V[i + q][l];
            B[i + p][l] = swap ? y : x;
            B[i + q][l] = swap ? -x : y;
            V[i + p][l] = swap ? w : v;
            V[i + q][l] = swap ? -v : w;
        }
    }
}

/* u = a without its part along the unit vector n, of length 1; false where little is left. */
static inline bool direction_beside(const double a[3], const double n[3], double u[3])
{
    double along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2], left = 0.0, whole = 0.0;
    for (int i = 0; i < 3; i++) {
        u[i] = a[i] - along * n[i];
        left += u[i] * u[i];
        whole += a[i] * a[i];
    }
    bool enough = left > 0.25 * whole && whole > 0.0;
    double scale = 1.0 / sqrt(enough ? left : 1.0);
    for (int i = 0; i < 3; i++) u[i] *= scale;
    return enough;
}

/* Columns of U from those of B. Where a column has no direction, that of V: R turns no more than it
 * must. */
static void complete(TnFemMatrix B, TnPolar *out, int l, double size)
{
    double b[3][3], v[3][3], u[3][3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            b[j][i] = B[3 * i + j][l];
            v[j][i] = out->V[3 * i + j][l];
        }
    double first = sqrt(b[0][0] * b[0][0] + b[0][1] * b[0][1] + b[0][2] * b[0][2]);
    double second = sqrt(b[1][0] * b[1][0] + b[1][1] * b[1][1] + b[1][2] * b[1][2]);
    for (int i = 0; i < 3; i++) u[0][i] = first > 0.0 ? b[0][i] / first : v[0][i];
    if (second <= FLAT * first || !direction_beside(b[1], u[0], u[1]))
        if (!direction_beside(v[1], u[0], u[1])) direction_beside(v[2], u[0], u[1]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u[2][i] = u[0][j] * u[1][k] - u[0][k] * u[1][j];
    }
    out->s[0][l] = first * size;
    out->s[1][l] = second * size;
    out->s[2][l] = (u[2][0] * b[2][0] + u[2][1] * b[2][1] + u[2][2] * b[2][2]) * size;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) out->U[3 * i + j][l] = u[j][i];
}

static void polar_of(TnFemMatrix F, TnPolar *out)
{
    TnFemMatrix B, V;
    double size[LANES], inverse[LANES];
    for (int l = 0; l < LANES; l++) size[l] = 0.0;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < LANES; l++) {
            double a = fabs(F[i][l]);
            size[l] = a > size[l] ? a : size[l];
        }
    /* to entries of at most 1, that squares neither overflow nor vanish; below the smallest normal
     * numbers F is taken for zero */
    for (int l = 0; l < LANES; l++) inverse[l] = size[l] > 1e-300 ? 1.0 / size[l] : 0.0;
    for (int i = 0; i < 9; i++)
        for (int l = 0; l < LANES; l++) {
            B[i][l] = F[i][l] * inverse[l];
            V[i][l] = i % 4 ? 0.0 : 1.0;
        }
    bool turned = true;
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = rotate_pair(B, V, 0, 1);
        turned |= rotate_pair(B, V, 0, 2);
        turned |= rotate_pair(B, V, 1, 2);
    }
    sort_pair(B, V, 0, 1);
    sort_pair(B, V, 1, 2);
    sort_pair(B, V, 0, 1);
    memcpy(out->V, V, sizeof V);
    for (int l = 0; l < LANES; l++) complete(B, out, l, size[l]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int l = 0; l < LANES; l++)
                out->R[3 * i + j][l] = out->U[3 * i][l] * V[3 * j][l] +
                                       out->U[3 * i + 1][l] * V[3 * j + 1][l] +
                                       out->U[3 * i + 2][l] * V[3 * j + 2][l];
}

#endif
