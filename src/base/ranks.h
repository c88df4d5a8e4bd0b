/* ranks.h: shorthands for tenon/ranks.h. */
#ifndef TN_BASE_RANKS_H
#define TN_BASE_RANKS_H

#include <tenon/ranks.h>

/* 1 for NULL */
static inline int tn_ranks_count(const TnRanks *ranks) { return ranks ? ranks->count : 1; }

/* So much work (in contacts) is worth telling others of. */
static inline bool tn_ranks_worth(const TnRanks *ranks, double work)
{
    return tn_ranks_count(ranks) > 1 && work >= ranks->least_work * ranks->count;
}

static inline void tn_ranks_share(const TnRanks *ranks, void *data, const size_t *start)
{
    if (ranks->traffic) {
        ranks->traffic->shares++;
        ranks->traffic->shared += (int64_t)(start[ranks->rank + 1] - start[ranks->rank]);
    }
    ranks->share(ranks->context, data, start);
}

#endif
