/* masses.c: the box of even density that a body's inertia stands for; see masses.h.
 *
 * A box with half lengths h and mass m has the moments I_i = m/3 (h_j² + h_k²), so
 * h_i² = 3/(2m) (I_j + I_k - I_i). The principal axes come from Jacobi's rotations. */
#include "masses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 30 }; /* at most; the rotations converge quadratically, in about five */

/* Turns axes p and q of the symmetric a so that a[p][q] = 0, and the columns of v with them. */
static void turn_pair(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

static MassBox box_of(const TnBodyInfo *body)
{
    const double *i = body->own_inertia;
    double a[3][3] = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    MassBox box = {0};
    if (!(body->own_mass > 0)) return box;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) turn_pair(a, v, p, q);
    box.mass = body->own_mass;
    memcpy(box.com, body->own_com, sizeof box.com);
    double sum = a[0][0] + a[1][1] + a[2][2];
    for (int k = 0; k < 3; k++) {
        double half = sqrt(fmax(1.5 / box.mass * (sum - 2 * a[k][k]), 0));
        for (int row = 0; row < 3; row++) box.edges[k][row] = half * v[row][k];
    }
    return box;
}

MassBox *mass_boxes(const TnModel *model)
{
    int count = tn_model_info(model).body_count;
    MassBox *boxes = calloc((size_t)count + 1, sizeof *boxes);
    for (TnBodyId id = 1; boxes && id <= count; id++) {
        TnBodyInfo body = tn_model_body_info(model, id);
        boxes[id - 1] = box_of(&body);
    }
    return boxes;
}
