/* steady.c: see steady.h. */
#include "steady.h"

#include "natural_map.h"

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
    return true;
}

double tn_steady_share(const TnSteady *steady, const TnPerConstraint *u)
{
    const double *start = steady->start.all, *guess = steady->guess.all, *end = u->all;
    double along = 0.0, length = 0.0;
    for (size_t i = 0; i < steady->guess.count; i++) {
        along += (guess[i] - start[i]) * (guess[i] - end[i]);
        length += (guess[i] - end[i]) * (guess[i] - end[i]);
    }
    double share = length > 0.0 ? along / length : 1.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}
