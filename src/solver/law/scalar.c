/* scalar.c: the laws of scalar rows; law.h has Π. */
#include "law.h"

/* D (λ - Π(λ - u/D)) on an interval, without a difference of large numbers where no bound is met.
 * fmin and fmax skip the NaN that D = 0 makes of infinite bounds, and no other. */
static double interval_map(TnInterval at, double D, double u, double lambda)
{
    if (isnan(u) || isnan(lambda)) return NAN;
    return fmax(fmin(u, D * (lambda - at.lower)), D * (lambda - at.upper));
}

/* D (λ - Π(t)) with Π(t) = k (α w t + (α - 1) e) / (1 + w α k), w = D and t = λ - u/D */
static double soft_map(const TnRow *row, double D, double u, double lambda)
{
    return D * (lambda - tn_soft_force(row, u)) / (1.0 + D * tn_soft_gain(row));
}

double tn_row_map(const TnRow *row, double D, double radius, const double *u, const double *lambda)
{
    if (!(D > 0.0)) return 0.0;
    if (tn_row_group(row) > 1) return tn_disc_map(radius, D, u, lambda);
    double x = tn_row_is_soft(row) ? soft_map(row, D, u[0], lambda[0])
                                   : interval_map(tn_row_interval(row, radius), D, u[0], lambda[0]);
    return x * x;
}

double tn_row_error(const TnRow *row, double D, double radius, const double *u,
                    const double *lambda)
{
    if (tn_row_is_disc(row)) return tn_row_map(row, D, radius, u, lambda);
    bool linear = tn_row_is_soft(row) && tn_soft_gain(row) > 0.0;
    if (tn_row_is_soft(row) && !linear) return tn_row_map(row, D, radius, u, lambda);
    double x = linear ? u[0] - row->e + row->e / row->alpha + lambda[0] / tn_soft_gain(row)
                      : interval_map(tn_row_interval(row, radius), D, u[0], lambda[0]);
    return x * x;
}

double tn_row_weight(const TnRow *row, double D, double scale, double equality)
{
    if (tn_row_is_soft(row)) return tn_soft_gain(row);
    return tn_weight(D, row->set == TN_ROW_EQUALITY ? scale * equality : scale);
}

static void try_at(int count, const TnRowSoftening *soft, const double *centre, const double *u,
                   double *t)
{
    for (int i = 0; i < count; i++) t[i] = centre[i] - soft->reach * u[i] / soft->D;
}

void tn_row_force(const TnRow *row, const TnRowSoftening *soft, const double *centre,
                  const double *u, double *force)
{
    double t[2];
    if (tn_row_is_soft(row)) {
        force[0] = tn_soft_force(row, u[0]);
    } else if (soft->D > 0.0) {
        try_at(tn_row_group(row), soft, centre, u, t);
        tn_row_project(row, soft->D, soft->radius, t, force);
    }
}

bool tn_row_line(const TnRow *row, const TnRowSoftening *soft, const double *centre,
                 const double *u, double *force, double *a, double *G, unsigned char *state)
{
    int count = tn_row_group(row);
    double t[2];
    bool moved = false;
    for (int i = 0; i < count; i++) force[i] = a[i] = G[i] = 0.0;
    if (tn_row_is_soft(row)) {
        force[0] = tn_soft_force(row, u[0]);
        a[0] = tn_soft_force(row, 0.0);
        G[0] = tn_soft_gain(row);
    }
    if (tn_row_is_soft(row) || !(soft->D > 0.0)) return false;
    try_at(count, soft, centre, u, t);
    tn_row_project(row, soft->D, soft->radius, t, force);
    for (int i = 0; i < count; i++) {
        bool held = force[i] == t[i];
        int now = held ? TN_STATE_HELD : t[i] < force[i] ? TN_STATE_OPEN : TN_STATE_SLIPS;
        moved = moved || now != state[i] || (!held && tn_row_is_disc(row));
        state[i] = (unsigned char)now;
        a[i] = held ? centre[i] : force[i];
        G[i] = held ? soft->R / soft->D : 0.0;
    }
    return moved;
}

/* Rolling friction: a pair of torques on the disc of what a contact's normal force allows. */
double tn_disc_map(double radius, double D, const double u[2], const double lambda[2])
{
    double t[2], sum = 0.0;
    for (int k = 0; k < 2; k++) t[k] = lambda[k] - u[k] / D;
    double share = tn_disc_share(hypot(t[0], t[1]), radius);
    for (int k = 0; k < 2; k++) {
        double d = D * (lambda[k] - share * t[k]);
        sum += d * d;
    }
    return sum;
}
