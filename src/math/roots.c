/* roots.c: cbrt, and hypot of numbers whose squares are too large or too small. */
#include "own_math.h"

#include <float.h>

/* Newton's method squares the error: 0.05, 2e-3, 5e-6, 3e-11, 1e-21. */
double tn_cbrt(double x)
{
    enum { TIMES = 4 };
    int k;
    double m = frexp(fabs(x), &k);
    if (!(m > 0.0) || m > 1.0) return x; /* zero, infinite or no number */
    for (; k % 3 != 0; k++) m *= 0.5;    /* 1/8 <= m < 1 */
    double y = 0.39 + m * (1.0 - 0.4 * m);
    for (int i = 0; i < TIMES; i++) y -= (y - m / (y * y)) / 3.0;
    return copysign(ldexp(y, k / 3), x);
}

double tn_hypot_far(double a, double b)
{
    double most = fmax(fabs(a), fabs(b));
    if (fabs(a) > DBL_MAX || fabs(b) > DBL_MAX) return HUGE_VAL;
    if (!(most > 0.0)) return a + b; /* zero or no number */
    if (a != a || b != b) return a + b;
    int k = -ilogb(most);
    if (k > 1000) k = 1000;
    a = ldexp(a, k);
    b = ldexp(b, k);
    return ldexp(sqrt(a * a + b * b), -k);
}
