/* constraint_error.c: see constraint_error.h. */
#include "constraint_error.h"

#include <math.h>

#include "../math/vec3.h"

static double fischer_burmeister(double a, double b) { return a + b - hypot(a, b); }

double tn_contact_law_error(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt)
{
    double lt[3], align[3];
    for (int k = 0; k < 3; k++) lt[k] = Dt * lambda.t[k];
    double slip = v3_norm(u.t), bound = Dt * mu * lambda.n, friction = v3_norm(lt);
    double opening = fischer_burmeister(u.n, Dn * lambda.n);
    double sticking = fischer_burmeister(slip, bound - friction);
    for (int k = 0; k < 3; k++) align[k] = slip * lt[k] + bound * u.t[k];
    double sum = slip + fabs(bound);
    double direction = sum > 0.0 ? v3_norm(align) / sum : 0.0;
    return opening * opening + sticking * sticking + direction * direction;
}

double tn_contact_law_map(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt)
{
    double tn = Dn > 0.0 ? fmax(0.0, lambda.n - u.n / Dn) : 0.0, tt[3];
    double normal = Dn * (lambda.n - tn);
    if (!(Dt > 0.0)) return normal * normal;
    for (int k = 0; k < 3; k++) tt[k] = lambda.t[k] - u.t[k] / Dt;
    double length = v3_norm(tt), share = length > mu * tn ? mu * tn / length : 1.0, sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = Dt * (lambda.t[k] - share * tt[k]);
        sum += d * d;
    }
    return normal * normal + sum;
}

double tn_disc_law_map(int count, double bound, double D, const double *u, const double *lambda)
{
    double t[2] = {0}, sum = 0.0;
    if (!(D > 0.0)) return 0.0;
    for (int k = 0; k < count; k++) t[k] = lambda[k] - u[k] / D;
    double length = hypot(t[0], t[1]), share = length > bound ? bound / length : 1.0;
    for (int k = 0; k < count; k++) {
        double d = D * (lambda[k] - share * t[k]);
        sum += d * d;
    }
    return sum;
}

double tn_bound_law_map(double lower, double upper, double D, double u, double lambda)
{
    /* D (λ - Π(λ - u/D)) without a difference of large numbers where no bound is met; fmin and fmax
     * skip the NaN that D = 0 makes of infinite bounds */
    return fmax(fmin(u, D * (lambda - lower)), D * (lambda - upper));
}

double tn_soft_law_error(double k, double alpha, double e, double v, double lambda)
{
    return v + e / alpha + lambda / (k * alpha);
}

double tn_soft_law_map(double k, double alpha, double e, double D, double v, double lambda)
{
    /* λ - Π(t) with Π(t) = k (α D t + (α - 1) e) / (1 + D α k) and t = λ - (v + e) / D */
    return D > 0.0 ? D * (lambda + k * (e + alpha * v)) / (1.0 + D * alpha * k) : 0.0;
}
