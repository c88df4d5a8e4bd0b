/* disc.c: rolling friction: a pair of torques on the disc of what a contact's normal force allows.
 * Spin, one torque on the interval, is an interval's law like others (scalar.c). */
#include "law.h"

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
