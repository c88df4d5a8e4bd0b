/* path_laws.c: see path_laws.h. A spring is taken at L0 + β (L(end) - L0), so at β = ½ it keeps
 * energy; a position servo at the end. Where bounds cut a servo's force, or its control moves away
 * from rest, the force is that at the prediction, and its slope that of the secant from the
 * start. */
#include "path_laws.h"

#include <math.h>

#include "../model/thresholds.h"
#include "../subsystem/dynamics.h"

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* J v̂ of the prediction. */
double tn_path_predicted_rate(const TnPathSetting *at)
{
    return (at->predicted - (1.0 - at->kappa) * at->shift) / at->kappa;
}

/* -K x, x = shift + share · (L(end) - L1) */
static TnPathLine stiff_line(const TnPathSetting *at, double K, double x, double share)
{
    double t = at->t * share;
    return (TnPathLine){-K * (x + t * ((1.0 - at->kappa) * at->shift - at->predicted)),
                        K * t * at->kappa};
}

/* -D ((1-θ_d) J v + θ_d J v⁺) */
double tn_path_damping_share(const TnPathSetting *at, double D)
{
    double y = D * at->t * at->compliance;
    return (y > 1.0 ? fmax(at->theta, 1.0 - 1.0 / y) : at->theta) / at->theta;
}

void tn_path_add_damping(const TnPathSetting *at, double D, double share, TnPathLine *line)
{
    line->force += D * (share - 1.0) * at->shift;
    line->slope += D * share;
}

/* d/dt (J v) = J (v⁺ - v) / t + dJ/dt v, and J in the middle, less that at the start, is half a
 * step's change. v⁺ - v = (v̂ - v) / θ. */
void tn_path_add_inertia(const TnPathSetting *at, double inertia, TnPathLine *line)
{
    double slope = inertia / (at->theta * at->t);
    double turn = 2.0 * (at->shift + at->drive - at->course->rate) / at->t;
    line->force += slope * at->shift - inertia * turn;
    line->slope += slope;
}

static double stretch_of(const TnTendon *tendon, double length)
{
    double over = length - tendon->spring_length;
    return over > tendon->dead_band ? over - tendon->dead_band : over < 0.0 ? over : 0.0;
}

TnPathLine tn_path_spring_line(const TnPathSetting *at, const TnTendon *tendon)
{
    double K = tendon->stiffness, z = K * at->t * at->t * at->compliance;
    double late = fmin(fmax((z - TN_RESOLVED) / (TN_UNRESOLVED - TN_RESOLVED), 0.0), 1.0);
    double beta = (1.0 - at->w) * at->theta + at->w * 0.5 * (1.0 + late);
    const TnPathCourse *c = at->course;
    double stretch = stretch_of(tendon, c->start + beta * (c->end - c->start));
    if (tendon->dead_band > 0.0 && stretch == 0.0) return (TnPathLine){0.0, 0.0};
    return stiff_line(at, K, stretch, beta);
}

static void scaled_range(double scale, const double range[2], double *low, double *high)
{
    *low = fmin(scale * range[0], scale * range[1]);
    *high = fmax(scale * range[0], scale * range[1]);
}

/* Along the path, the bounds of the tendon first. */
void tn_path_bounds(const TnModel *model, const TnActuator *a, double *low, double *high)
{
    double own_low = -INFINITY, own_high = INFINITY;
    *low = -INFINITY;
    *high = INFINITY;
    if (a->tendon >= 0 && model->tendons[a->tendon].actuator_limited)
        scaled_range(a->gear, model->tendons[a->tendon].actuator_range, low, high);
    if (a->force_limited) scaled_range(a->gear, a->force_range, &own_low, &own_high);
    *low = clamp(*low, own_low, own_high);
    *high = clamp(*high, own_low, own_high);
}

TnPathLine tn_path_servo_line(const TnPathSetting *at, const TnActuator *a, double input)
{
    const TnPathCourse *c = at->course;
    TnAffineForce law = tn_actuator_affine(a, input, a->gear * c->start, a->gear * c->rate);
    double gear2 = a->gear * a->gear, K = fmax(0.0, -gear2 * law.by_length),
           D = fmax(0.0, -gear2 * law.by_velocity), z = K * at->t * at->t * at->compliance;
    TnPathLine line = {a->gear * law.constant, 0.0};
    if (K > 0.0) {
        double s = z > TN_UNRESOLVED ? 0.125 - 2.0 / z : 0.0, late = s * at->t / at->theta;
        TnPathLine spring = stiff_line(at, K, (1.0 - s) * c->end + s * c->start, 1.0 - s);
        line.force += spring.force + K * late * (1.0 - at->theta) * at->shift;
        line.slope += spring.slope + K * late;
    } else {
        line.force += gear2 * law.by_length * 0.5 * (c->start + c->end);
    }
    if (D > 0.0)
        tn_path_add_damping(at, D, tn_path_damping_share(at, D), &line);
    else
        line.force += gear2 * law.by_velocity * at->predicted;
    return line;
}

/* Within bounds: through the force at the prediction, towards that at the start. */
TnPathLine tn_path_bound_line(const TnPathSetting *at, TnPathLine line, double low, double high)
{
    double there = tn_path_predicted_rate(at), change = there - at->shift;
    double free_there = line.force - line.slope * there,
           free_start = line.force - line.slope * at->shift;
    double force = clamp(free_there, low, high), start = clamp(free_start, low, high);
    if (force == free_there && start == free_start) return line;
    double secant = change != 0.0 ? (start - force) / change : 0.0;
    double slope = clamp(secant, 0.0, line.slope);
    return (TnPathLine){force + slope * there, slope};
}
