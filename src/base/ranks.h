/* ranks.h: shorthands for tenon/ranks.h. */
#ifndef TN_BASE_RANKS_H
#define TN_BASE_RANKS_H

#include <tenon/ranks.h>

#include "base.h"

/* 1 for NULL */
static inline int tn_ranks_count(const TnRanks *ranks) { return ranks ? ranks->count : 1; }

/* So much work (in contacts) is worth telling others of. */
static inline bool tn_ranks_worth(const TnRanks *ranks, double work)
{
    return tn_ranks_count(ranks) > 1 && work >= ranks->least_work * ranks->count;
}

/* Since when a rank waits. */
typedef struct TnWait {
    double clock, processor;
} TnWait;

static inline TnWait tn_wait_begin(const TnRanks *ranks)
{
    if (!ranks->traffic) return (TnWait){0.0, 0.0};
    return (TnWait){tn_clock(), tn_processor_clock()};
}

static inline void tn_wait_end(const TnRanks *ranks, TnWait begun)
{
    if (!ranks->traffic) return;
    ranks->traffic->waited += tn_clock() - begun.clock;
    ranks->traffic->waited_processor += tn_processor_clock() - begun.processor;
}

static inline void tn_ranks_share(const TnRanks *ranks, void *data, const size_t *start)
{
    if (ranks->traffic) {
        ranks->traffic->shares++;
        ranks->traffic->shared += (int64_t)(start[ranks->rank + 1] - start[ranks->rank]);
    }
    TnWait begun = tn_wait_begin(ranks);
    ranks->share(ranks->context, data, start);
    tn_wait_end(ranks, begun);
}

static inline void tn_ranks_finish(const TnRanks *ranks, void *exchange)
{
    TnWait begun = tn_wait_begin(ranks);
    ranks->finish(exchange);
    tn_wait_end(ranks, begun);
}

#endif
