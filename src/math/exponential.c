/* exponential.c: log, log1p, expm1 and powers with the same bits everywhere.
 *
 * log(2^k m) = k log 2 + log m with √½ <= m < √2. With f = m - 1 and s = f / (2 + f), log m is
 * 2 artanh(s) = f - (f²/2 - s (f²/2 + R)), R = 2 (s²/3 + s⁴/5 + …): the large parts are exact.
 * exp(k log 2 + r), |r| <= ½ log 2, is 2^k times its series. */
#include "own_math.h"

#include <float.h>

#define LOG_2_HIGH 0x1.62e42feep-1 /* 32 bits: k times it is exact */
#define LOG_2_LOW 0x1.a39ef35793c76p-33
#define ONE_OVER_LOG_2 0x1.71547652b82fep+0
#define ROOT_2 0x1.6a09e667f3bcdp+0
#define ROUNDS 0x1.8p52 /* what is added to it becomes whole */

/* log((1 + f) · 2^k) + rest */
static double log_near(double f, double k, double rest)
{
    double s = f / (2.0 + f), z = s * s, zz = z * z, half = 0.5 * f * f;
    double low = (2.0 / 3 + z * (2.0 / 5)) + zz * (2.0 / 7 + z * (2.0 / 9));
    double high = (2.0 / 11 + z * (2.0 / 13)) +
                  zz * ((2.0 / 15 + z * (2.0 / 17)) + zz * (2.0 / 19 + z * (2.0 / 21)));
    double R = z * (low + zz * zz * high);
    return k * LOG_2_HIGH - ((half - (s * (half + R) + (k * LOG_2_LOW + rest))) - f);
}

double tn_log(double x)
{
    int k;
    if (!(x > 0.0)) return x == 0.0 ? -HUGE_VAL : x - x + NAN;
    if (x > DBL_MAX) return x;
    double m = 2.0 * frexp(x, &k);
    if (m >= ROOT_2)
        m *= 0.5;
    else
        k--;
    return log_near(m - 1.0, k, 0.0);
}

double tn_log1p(double x)
{
    int k;
    if (x >= 0.5 * ROOT_2 - 1.0 && x < ROOT_2 - 1.0)
        return fabs(x) < DBL_MIN ? x : log_near(x, 0.0, 0.0);
    double sum = 1.0 + x;
    if (!(sum > 0.0) || sum > 0x1p60) return tn_log(sum);
    double lost = sum > 1.0 && x > 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0);
    double m = 2.0 * frexp(sum, &k);
    if (m >= ROOT_2)
        m *= 0.5;
    else
        k--;
    return log_near(m - 1.0, k, lost / sum);
}

/* exp(r + rest) - 1 */
static double series(double r, double rest)
{
    double z = r * r, zz = z * z;
    double low = (1.0 / 6 + r * (1.0 / 24)) + z * (1.0 / 120 + r * (1.0 / 720));
    double middle = (1.0 / 5040 + r * (1.0 / 40320)) + z * (1.0 / 362880 + r * (1.0 / 3628800));
    double high =
        (1.0 / 39916800 + r * (1.0 / 479001600)) + z * (1.0 / 6227020800 + r * (1.0 / 87178291200));
    double p = low + zz * (middle + zz * high);
    return r + (0.5 * z + (r * z * p + (rest + r * rest)));
}

/* x = k log 2 + r + rest */
static double reduce(double x, double *r, double *rest)
{
    double k = (x * ONE_OVER_LOG_2 + ROUNDS) - ROUNDS, near = x - k * LOG_2_HIGH,
           less = k * LOG_2_LOW;
    *r = near - less;
    *rest = (near - *r) - less;
    return k;
}

double tn_expm1(double x)
{
    double r, rest;
    if (!(x < 710.0)) return x + HUGE_VAL;
    if (x < -40.0) return -1.0;
    double k = reduce(x, &r, &rest), p = series(r, rest);
    if (k == 0.0) return fabs(x) < DBL_MIN ? x : p;
    if (k > 60.0) return ldexp(1.0 + p, (int)k);
    double scale = ldexp(1.0, (int)k);
    return scale * p + (scale - 1.0);
}

double tn_exp(double x)
{
    double r, rest;
    if (!(x < 710.0)) return x + HUGE_VAL;
    if (x < -746.0) return 0.0;
    double k = reduce(x, &r, &rest);
    return ldexp(1.0 + series(r, rest), (int)k);
}

double tn_power(double x, double y)
{
    if (fabs(y) <= 64.0 && y == floor(y)) {
        double whole = 1.0;
        for (int left = (int)fabs(y); left > 0; left /= 2, x *= x)
            if (left & 1) whole *= x;
        return y < 0.0 ? 1.0 / whole : whole;
    }
    if (x == 0.0 && y == y) return y > 0.0 ? 0.0 : HUGE_VAL;
    return tn_exp(y * tn_log(x));
}
