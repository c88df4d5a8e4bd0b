/* muscle.c: a muscle's force by length and velocity, as in MuJoCo. With L the length scaled so that
 * the actuator's range becomes the muscle's, and V the velocity over vmax in the same units,
 *
 *     active   -force · FL(L) · FV(V) per unit of activation,      passive   -force · FP(L).
 *
 * FL is a bump of four half parabolas: 0 at lmin and lmax, 1 at L = 1. FV is 0 up to V = -1, 1 at
 * rest, fvmax from V = fvmax - 1 on, two parabolas between. FP is 0 up to L = 1, a parabola to half
 * of the way to lmax, and a line behind it. */
#include "../model/thresholds.h"
#include "dynamics.h"

#include <math.h>

typedef struct Curve {
    double y, slope;
} Curve;

static double divide(double x, double by) { return x / fmax(TN_TINY, by); }

/* ½ x² rising from `from` at 0 to `to` at x = 1; one falls where the other rises. */
static Curve rising(double L, double from, double to)
{
    double x = divide(L - from, to - from);
    return (Curve){0.5 * x * x, divide(x, to - from)};
}

static Curve topping(double L, double from, double to)
{
    double x = divide(to - L, to - from);
    return (Curve){1.0 - 0.5 * x * x, divide(x, to - from)};
}

static Curve mirrored(Curve c) { return (Curve){c.y, -c.slope}; }

static Curve by_length(const TnMuscle *m, double L)
{
    double a = 0.5 * (m->lmin + 1.0), b = 0.5 * (1.0 + m->lmax);
    if (L < m->lmin || L > m->lmax) return (Curve){0.0, 0.0};
    if (L <= a) return rising(L, m->lmin, a);
    if (L <= 1.0) return topping(L, a, 1.0);
    if (L <= b) return mirrored(topping(-L, -b, -1.0));
    return mirrored(rising(-L, -m->lmax, -b));
}

static Curve by_velocity(const TnMuscle *m, double V)
{
    double y = m->fvmax - 1.0;
    if (V <= -1.0) return (Curve){0.0, 0.0};
    if (V <= 0.0) return (Curve){(V + 1.0) * (V + 1.0), 2.0 * (V + 1.0)};
    if (V <= y) return (Curve){m->fvmax - divide((y - V) * (y - V), y), divide(2.0 * (y - V), y)};
    return (Curve){m->fvmax, 0.0};
}

static Curve at_rest(const TnMuscle *m, double L)
{
    double b = 0.5 * (1.0 + m->lmax), x;
    if (L <= 1.0) return (Curve){0.0, 0.0};
    if (L <= b) {
        x = divide(L - 1.0, b - 1.0);
        return (Curve){m->fpmax * 0.5 * x * x, divide(m->fpmax * x, b - 1.0)};
    }
    x = divide(L - b, b - 1.0);
    return (Curve){m->fpmax * (0.5 + x), divide(m->fpmax, b - 1.0)};
}

/* Actuator length per unit of L. */
static double unit_of(const TnMuscle *m, const double range[2])
{
    return divide(range[1] - range[0], m->range[1] - m->range[0]);
}

void tn_muscle_active(const TnMuscles *muscles, double length, double velocity, double out[3])
{
    const TnMuscle *m = &muscles->gain;
    double unit = unit_of(m, muscles->length_range);
    Curve l = by_length(m, m->range[0] + divide(length - muscles->length_range[0], unit));
    Curve v = by_velocity(m, divide(velocity, unit * m->vmax));
    out[0] = -m->force * l.y * v.y;
    out[1] = -m->force * divide(l.slope, unit) * v.y;
    out[2] = -m->force * l.y * divide(v.slope, unit * m->vmax);
}

void tn_muscle_passive(const TnMuscles *muscles, double length, double out[2])
{
    const TnMuscle *m = &muscles->bias;
    double unit = unit_of(m, muscles->length_range);
    Curve l = at_rest(m, m->range[0] + divide(length - muscles->length_range[0], unit));
    out[0] = -m->force * l.y;
    out[1] = -m->force * divide(l.slope, unit);
}
