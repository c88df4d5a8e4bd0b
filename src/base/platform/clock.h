/* clock.h: time, in s. */
#ifndef TN_PLATFORM_CLOCK_H
#define TN_PLATFORM_CLOCK_H

#include <stdint.h>

double tn_clock_now(void);       /* monotonic */
double tn_clock_of_thread(void); /* of a processor, for this thread; of the clock where not known */
uint64_t tn_clock_nanoseconds(void); /* since 1970: another one for every start of a program */

#endif
