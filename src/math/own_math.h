/* own_math.h: functions of <math.h> whose last bits differ between C libraries and processors.
 * These here have the same bits everywhere (docs/determinism.md): IEEE 754 gives +, -, ·, / and
 * sqrt, and products are not fused (-ffp-contract=off).
 *
 * The build includes this header before every file of the library (CMakeLists.txt), and the macros
 * below put these functions in place of those of libm: nothing can forget them. What is exact in
 * every libm (sqrt, fabs, floor, fmod, ldexp, …) stays. tests/install looks that nothing else does.
 *
 * Errors, in units in the last place: sin, cos, exp, log, log1p and cbrt below 1; expm1, hypot 1.5;
 * atan2, atan, asin, acos 2; tan 2.5; pow 2 + 2 |y log x|, and whole exponents multiply. Beyond
 * 2^53, where neighbouring numbers are more than a radian apart, sin and cos take the rest of a
 * division by the number nearest to 2π. */
#ifndef TN_MATH_OWN_MATH_H
#define TN_MATH_OWN_MATH_H

#include <math.h>

/* The result depends on the arguments alone: a compiler may ask once for all turns of a loop. */
#define TN_OF_ITS_ARGUMENTS __attribute__((const))

TN_OF_ITS_ARGUMENTS double tn_sin(double x);
TN_OF_ITS_ARGUMENTS double tn_cos(double x);
void tn_sine_cosine(double x, double *s, double *c); /* the same bits */
TN_OF_ITS_ARGUMENTS double tn_tan(double x);
TN_OF_ITS_ARGUMENTS double tn_asin(double x);
TN_OF_ITS_ARGUMENTS double tn_acos(double x);
TN_OF_ITS_ARGUMENTS double tn_atan(double x);
TN_OF_ITS_ARGUMENTS double tn_atan2(double y, double x);
TN_OF_ITS_ARGUMENTS double tn_log(double x);
TN_OF_ITS_ARGUMENTS double tn_log1p(double x);
TN_OF_ITS_ARGUMENTS double tn_exp(double x);
TN_OF_ITS_ARGUMENTS double tn_expm1(double x);
TN_OF_ITS_ARGUMENTS double tn_power(double x, double y);
TN_OF_ITS_ARGUMENTS double tn_cbrt(double x);
TN_OF_ITS_ARGUMENTS double tn_hypot_far(double a, double b); /* of any size */

/* a where b is no number, and the reverse; b of two zeros */
static inline double tn_fmax(double a, double b)
{
    double most = a > b ? a : b;
    return b != b ? a : most;
}

static inline double tn_fmin(double a, double b)
{
    double least = a < b ? a : b;
    return b != b ? a : least;
}

static inline double tn_hypot(double a, double b)
{
    double sum = a * a + b * b; /* neither too large nor too small a number: the root is exact */
    return sum > 0x1p-900 && sum < 0x1p1000 ? sqrt(sum) : tn_hypot_far(a, b);
}

static inline double tn_pow(double x, double y) { return y == 2.0 ? x * x : tn_power(x, y); }

#define sin(x) tn_sin(x)
#define cos(x) tn_cos(x)
#define tan(x) tn_tan(x)
#define asin(x) tn_asin(x)
#define acos(x) tn_acos(x)
#define atan(x) tn_atan(x)
#define atan2(y, x) tn_atan2(y, x)
#define log10(x) (0x1.bcb7b1526e50ep-2 * tn_log(x))
#define log1p(x) tn_log1p(x)
#define expm1(x) tn_expm1(x)
#define pow(x, y) tn_pow(x, y)
#define cbrt(x) tn_cbrt(x)
#define hypot(a, b) tn_hypot(a, b)
#define fmax(a, b) tn_fmax(a, b)
#define fmin(a, b) tn_fmin(a, b)
/* log is also the name of a field, exp of a variable: what needs them calls tn_log, tn_exp. */

#endif
