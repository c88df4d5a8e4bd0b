/* steady.c: see steady.h. */
#include "steady.h"

#include <math.h>

#include "../natural_map.h"

bool tn_steady_start(const TnProblem *p, const TnPerConstraint *u, TnSteady *out)
{
    TnVelocities v;
    if (!tn_per_constraint_alloc(p, &out->start) || !tn_per_constraint_alloc(p, &out->guess) ||
        !tn_velocities_alloc(p, &v))
        return false;
    tn_velocities_copy(p, &v);
    /* ports' rows of the table are written by solves only */
    for (int i = 0; i < p->large_count; i++)
        tn_ports_spread(p, &p->large[i], p->large[i].v, v.twist);
    tn_constraint_velocities(p, &v, &out->start);
    tn_per_constraint_copy(&out->guess, u);
    out->problem = p;
    return true;
}

/* (a - b)·(a - c) of `count` numbers */
static double product(const double *a, const double *b, const double *c, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - c[i]);
    return sum;
}

/* The same of all constraints, (m/s)². */
static double total(const TnProblem *p, const TnPerConstraint *a, const TnPerConstraint *b,
                    const TnPerConstraint *c)
{
    double sum = product(a->contact[0], b->contact[0], c->contact[0], 3 * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++)
        sum += pow(tn_row_lever(&p->rows[r]), 2.0) * product(a->row + r, b->row + r, c->row + r, 1);
    for (int i = 0; i < p->bond_count; i++) {
        double lever = tn_bond_lever(&p->bonds[i]);
        for (int k = 0; k < 12; k += 3)
            sum += (k % 6 ? lever * lever : 1.0) *
                   product(a->bond[i] + k, b->bond[i] + k, c->bond[i] + k, 3);
    }
    return sum;
}

double tn_steady_share(const TnSteady *steady, const TnPerConstraint *u)
{
    if (!steady->problem) return 1.0;
    double along = total(steady->problem, &steady->guess, &steady->start, u);
    double length = total(steady->problem, &steady->guess, u, u);
    return tn_steady_clamp(along, length);
}
