/* plan_cache.c: plans of block_sparse.h by graph, in a hash table with chains. A plan is a pure function
 * of its graph, so that who made it, and when, makes no difference to any result. */
#include <pthread.h>

#include "../base/base.h"
#include "assembly.h"

/* Up to so many plans nothing is forgotten; beyond, those unused for so many steps. */
#define FEW_PLANS 64
#define LONG_UNUSED 100

enum { FIRST_BUCKETS = 64 }; /* a power of two, as all their numbers */

typedef struct Entry {
    TnBlockPlan *plan;
    long used; /* step */
    struct Entry *next;
} Entry;

struct TnPlanCache {
    pthread_mutex_t mutex;
    Entry **buckets;
    size_t bucket_count, count;
    long step;
};

TnPlanCache *tn_plan_cache_create(void)
{
    TnPlanCache *cache = tn_calloc(1, sizeof *cache);
    if (!cache) return NULL;
    cache->bucket_count = FIRST_BUCKETS;
    cache->buckets = tn_calloc(cache->bucket_count, sizeof(Entry *));
    if (!cache->buckets || pthread_mutex_init(&cache->mutex, NULL) != 0) {
        tn_free(cache->buckets);
        tn_free(cache);
        return NULL;
    }
    return cache;
}

static void destroy_entry(Entry *entry)
{
    tn_block_plan_destroy(entry->plan);
    tn_free(entry);
}

void tn_plan_cache_destroy(TnPlanCache *cache)
{
    if (!cache) return;
    for (size_t i = 0; i < cache->bucket_count; i++)
        for (Entry *entry = cache->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            destroy_entry(entry);
        }
    pthread_mutex_destroy(&cache->mutex);
    tn_free(cache->buckets);
    tn_free(cache);
}

static Entry **bucket_of(const TnPlanCache *cache, uint64_t hash)
{
    return &cache->buckets[hash & (cache->bucket_count - 1)];
}

static const TnBlockPlan *find(TnPlanCache *cache, const TnBlockGraph *graph, uint64_t hash)
{
    for (Entry *entry = *bucket_of(cache, hash); entry; entry = entry->next)
        if (entry->plan->hash == hash && tn_block_plan_fits(entry->plan, graph)) {
            entry->used = cache->step;
            return entry->plan;
        }
    return NULL;
}

/* Where there is no memory for more buckets, chains just grow. */
static void grow(TnPlanCache *cache)
{
    size_t old_count = cache->bucket_count;
    Entry **old = cache->buckets, **buckets = tn_calloc(2 * old_count, sizeof(Entry *));
    if (!buckets) return;
    cache->buckets = buckets;
    cache->bucket_count = 2 * old_count;
    for (size_t i = 0; i < old_count; i++)
        for (Entry *entry = old[i], *next; entry; entry = next) {
            Entry **bucket = bucket_of(cache, entry->plan->hash);
            next = entry->next;
            entry->next = *bucket;
            *bucket = entry;
        }
    tn_free(old);
}

const TnBlockPlan *tn_plan_cache_get(TnPlanCache *cache, const TnBlockGraph *graph)
{
    uint64_t hash = tn_block_graph_hash(graph);
    pthread_mutex_lock(&cache->mutex);
    const TnBlockPlan *plan = find(cache, graph, hash);
    pthread_mutex_unlock(&cache->mutex);
    if (plan) return plan;

    /* Made without the lock: others need not wait. Two may make the same one; the first stays. */
    Entry *entry = tn_malloc(sizeof *entry);
    if (!entry) return NULL;
    *entry = (Entry){.plan = tn_block_plan_create(graph)};
    if (!entry->plan) {
        tn_free(entry);
        return NULL;
    }
    pthread_mutex_lock(&cache->mutex);
    plan = find(cache, graph, hash);
    if (!plan) {
        if (cache->count >= cache->bucket_count) grow(cache);
        Entry **bucket = bucket_of(cache, hash);
        entry->used = cache->step;
        entry->next = *bucket;
        *bucket = entry;
        cache->count++;
        plan = entry->plan;
        entry = NULL;
    }
    pthread_mutex_unlock(&cache->mutex);
    if (entry) destroy_entry(entry);
    return plan;
}

void tn_plan_cache_trim(TnPlanCache *cache)
{
    cache->step++;
    if (cache->count <= FEW_PLANS) return;
    for (size_t i = 0; i < cache->bucket_count; i++)
        for (Entry **link = &cache->buckets[i]; *link;) {
            Entry *entry = *link;
            if (cache->step - entry->used <= LONG_UNUSED) {
                link = &entry->next;
                continue;
            }
            *link = entry->next;
            cache->count--;
            destroy_entry(entry);
        }
}
