/* finite.h: are these numbers? */
#ifndef TN_MATH_FINITE_H
#define TN_MATH_FINITE_H

#include <stdbool.h>
#include <stddef.h>

static inline bool tn_all_finite(const double *x, size_t count)
{
    double sum = 0.0; /* one NaN or infinity makes 0·x NaN, and the sum with it */
    for (size_t i = 0; i < count; i++) sum += 0.0 * x[i];
    return sum == 0.0;
}

#endif
