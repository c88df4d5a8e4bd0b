/* whole_sum.h: sums that do not depend on the order.
 *
 * A number is taken in whole units, as three digits, and digits are added up by themselves. 2^31
 * numbers of up to 2^94 units have one sum, in whatever order they are added. */
#ifndef TN_MATH_WHOLE_SUM_H
#define TN_MATH_WHOLE_SUM_H

#include <math.h>
#include <stdint.h>

typedef struct TnWholeSum {
    int64_t digits[3]; /* of units, of 2^32 and of 2^64 units */
} TnWholeSum;

#define TN_WHOLE_DIGIT 0x1p32
/* 2^94 units: larger numbers count as so many, and so does one that is none. */
#define TN_WHOLE_MOST (0x1p30 * TN_WHOLE_DIGIT * TN_WHOLE_DIGIT)

static inline void tn_whole_add(TnWholeSum *sum, double x, double unit)
{
    double units = fmin(fmax(nearbyint(x / unit), -TN_WHOLE_MOST), TN_WHOLE_MOST);
    for (int k = 0; k < 2; k++) {
        double rest = floor(units / TN_WHOLE_DIGIT);
        sum->digits[k] += (int64_t)(units - rest * TN_WHOLE_DIGIT);
        units = rest;
    }
    sum->digits[2] += (int64_t)units;
}

static inline void tn_whole_join(TnWholeSum *sum, const TnWholeSum *other)
{
    for (int k = 0; k < 3; k++) sum->digits[k] += other->digits[k];
}

static inline double tn_whole_value(const TnWholeSum *sum, double unit)
{
    double high = (double)sum->digits[2] * TN_WHOLE_DIGIT + (double)sum->digits[1];
    return unit * (high * TN_WHOLE_DIGIT + (double)sum->digits[0]);
}

#endif
