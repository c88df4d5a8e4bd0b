/* tolerance.h: how the tests of physics have their steps solved. What they claim is the physics of
 * the steps, not of the solver, so they ask for solutions that are exact to rounding; with
 * TENON_TESTS_FIXED in the environment they run with the fixed number of iterations that they name.
 * CTest runs them both ways. */
#ifndef TN_TESTS_TOLERANCE_H
#define TN_TESTS_TOLERANCE_H

#include <stdlib.h>

static inline double physics_tolerance(void) { return getenv("TENON_TESTS_FIXED") ? 0.0 : 1e-11; }

#endif
