/* arcsin.h (internal): (arcsin(s)/s - 1)/s² for s² up to 0.01, where the first term that the series
 * leaves out is below 1e-18. */
#ifndef TN_DYNAMICS_ROD_ARCSIN_H
#define TN_DYNAMICS_ROD_ARCSIN_H

/* A macro, for numbers and for vectors of them. */
#define TN_ARCSIN_SERIES(S2)                                                                       \
    (1.0 / 6.0 + (S2) * (3.0 / 40.0 +                                                              \
                         (S2) * (5.0 / 112.0 +                                                     \
                                 (S2) * (35.0 / 1152.0 +                                           \
                                         (S2) * (63.0 / 2816.0 +                                   \
                                                 (S2) * (231.0 / 13312.0 +                         \
                                                         (S2) * (143.0 / 10240.0 +                 \
                                                                 (S2) * (6435.0 / 557056.0))))))))

#endif
