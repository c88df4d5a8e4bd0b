/* rank_threads.h: ranks (tenon/ranks.h) that are threads of this process. A rank that waits for
 * another rank spins if each rank has a processor, and sleeps otherwise; how long it waits is
 * counted. */
#ifndef TENON_BENCH_RANK_THREADS_H
#define TENON_BENCH_RANK_THREADS_H

#include <tenon/tenon.h>

enum { MOST_RANKS = 64 };

/* Seconds that a rank waited. */
typedef struct RankWaits {
    double exchange;  /* for neighbours, on the clock, */
    double share;     /* for all, on the clock, */
    double processor; /* and both of the processor */
} RankWaits;

/* Runs a function on each of `count` ranks at once. False: no memory or no threads. */
bool rank_threads_run(int count, void (*run)(void *context, const TnRanks *ranks), void *context);

/* Of this rank, so far. */
RankWaits rank_threads_waits(const TnRanks *ranks);

#endif
