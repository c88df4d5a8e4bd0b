/* weights.c: at which time of the step a soft body's elements count. As for rods (rod/law.c), with
 * z = t² (stiffness / mass of an element's corners):
 *   - resolved, z <= 4: the mean of the forces at both ends of the step, which keeps energy; z <= 1
 * for a body that does not go on as it did: what was hit or let go rings in its fastest modes;
 *   - unresolved, z >= 16: the force at the end alone, which damps what can only ring, and for
 * large z a little beyond the end, where the two roots of an oscillator would part. That is a mass
 * more on v⁺ - Q v, and damps nothing slow;
 *   - in between, in between.
 * One z for the body, that of its mean element, so that one thin element does not damp all; what
 * must hold for every element takes the largest. A body that moves too fast for the step counts as
 * unresolved. */
#include "../../model/thresholds.h"
#include "elements.h"

#include <math.h>

/* v⁺ of a body that turns is no rigid motion where it is part of the way that was moved: with c
 * half way and c ± h at the ends, u = c, it is c + (1-w)(1-θ)/((1-w)θ + w) h. */
double tn_soft_way_velocity(const TnDynamicsInput *in, double w)
{
    double theta = in->theta;
    return (1.0 - w) * (1.0 - theta) / ((1.0 - w) * theta + w) - 1.0;
}

double tn_soft_unresolved(double t, TnSoftRate rate, bool smooth)
{
    double resolved = smooth ? TN_RESOLVED : 1.0;
    return fmin(fmax((t * t * rate.mean - resolved) / (TN_UNRESOLVED - resolved), 0.0), 1.0);
}

TnSoftWeights tn_soft_weights(const TnDynamicsInput *in, const TnSoft *soft, TnSoftRate rate,
                              double w, double late)
{
    double t = in->t, theta = in->theta, alpha = soft->damping_mass, tau = soft->damping_stiffness;
    double most = t * t * rate.largest;
    double beta = theta + (1.0 - theta) * late, s = 0.0;
    if (most > TN_UNRESOLVED) {
        double e = 2.0 * beta - 1.0;
        s = e * e / (4.0 * (3.0 - 3.0 * beta + 2.0 * beta * beta)) * (1.0 - TN_UNRESOLVED / most);
    }
    TnSoftWeights out = {.p = t * (1.0 - w + w / theta),
                         .r = t * w * (1.0 - theta) / theta,
                         .late = s * (1.0 - w) * (1.0 - theta) * t,
                         .share = beta,
                         .inertia = 1.0 / (theta * t)};
    out.lead = out.p + out.late / theta;
    /* damping at (1-θ_d) v + θ_d v⁺, later than θ where v⁺ would cross zero */
    double strong = tau * most / t,
           theta_d = strong > 1.0 ? fmax(theta, 1.0 - 1.0 / strong) : theta;
    out.stiffness = beta * out.lead + tau * theta_d / theta;
    out.damping_turned = tau * (1.0 - theta_d);
    out.damping_start = -tau * theta_d * (1.0 - theta) / theta;
    out.way_velocity = tn_soft_way_velocity(in, w); /* must not be damped */
    out.damping_whole = tau; /* the body as a whole turns undamped, whatever stress does to K */
    out.damping_way = tau * theta_d * out.way_velocity;
    double x = alpha * t, theta_m = x > 1.0 ? fmax(theta, 1.0 - 1.0 / x) : theta;
    out.drag = alpha * theta_m / theta;
    out.drag_start = alpha * (1.0 - theta_m / theta);
    return out;
}
