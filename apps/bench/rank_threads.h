/* rank_threads.h: ranks (tenon/ranks.h) that are threads of this process. Whoever waits sleeps, so
 * that the processor time of a thread is that of its rank's work. */
#ifndef TENON_BENCH_RANK_THREADS_H
#define TENON_BENCH_RANK_THREADS_H

#include <tenon/tenon.h>

enum { MOST_RANKS = 64 };

/* Runs a function on each of `count` ranks at once. False: no memory or no threads. */
bool rank_threads_run(int count, void (*run)(void *context, const TnRanks *ranks), void *context);

#endif
