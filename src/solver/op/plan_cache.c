/* plan_cache.c: plans of block_sparse.h by graph. A plan is a pure function of its graph, so that
 * which thread made it, when, and whether it was still there makes no difference to any result.
 *
 * Plans lie in two generations, each an arena and a hash table with chains. New ones go into the
 * young generation. Between steps, where that could not take another step's plans any more, the old
 * one is emptied and becomes the young one; so plans come and go without the heap, and one that was
 * not asked for anew is forgotten after one to two generations. With S the most bytes that plans
 * made in one step took, a generation has 128 KiB or, where that is less than 1.25 S, up to 2.5 S,
 * and the heap helps only in steps that take a quarter more than any before. */
#include <string.h>

#include "../../base/base.h"
#include "../../base/platform/threads.h"
#include "assembly.h"

#define FEW_BYTES ((size_t)128 << 10)
enum { BUCKETS = 512 }; /* a power of two */

typedef struct Entry {
    const TnBlockPlan *plan;
    struct Entry *next;
} Entry;

typedef struct Generation {
    TnArena arena; /* entries and plans */
    Entry *buckets[BUCKETS];
} Generation;

struct TnPlanCache {
    TnMutex mutex;
    Generation generations[2];
    int young;
    size_t before; /* bytes of the young one when the step began */
    size_t most;   /* taken in one step */
};

static void forget(Generation *generation)
{
    memset(generation->buckets, 0, sizeof generation->buckets);
    tn_arena_reset(&generation->arena);
}

/* All is forgotten, and both generations have so many bytes; false: or none, as there is no memory.
 */
static bool start_anew(TnPlanCache *cache, size_t bytes)
{
    bool ok = true;
    for (int g = 0; g < 2; g++) {
        Generation *generation = &cache->generations[g];
        tn_arena_free(&generation->arena);
        ok = tn_arena_init(&generation->arena, "plans", bytes) && ok;
        forget(generation);
    }
    cache->before = 0;
    return ok;
}

TnPlanCache *tn_plan_cache_create(void)
{
    TnPlanCache *cache = tn_calloc(1, sizeof *cache);
    if (!cache) return NULL;
    if (!tn_mutex_init(&cache->mutex)) {
        tn_free(cache);
        return NULL;
    }
    if (start_anew(cache, FEW_BYTES)) return cache;
    tn_plan_cache_destroy(cache);
    return NULL;
}

void tn_plan_cache_destroy(TnPlanCache *cache)
{
    if (!cache) return;
    for (int g = 0; g < 2; g++) tn_arena_free(&cache->generations[g].arena);
    tn_mutex_destroy(&cache->mutex);
    tn_free(cache);
}

static size_t bytes_used(const TnArena *arena) { return arena->used + arena->overflow_bytes; }

size_t tn_plan_cache_bytes(const TnPlanCache *cache)
{
    size_t bytes = 0;
    for (int g = 0; g < 2; g++)
        bytes += cache->generations[g].arena.capacity + cache->generations[g].arena.overflow_bytes;
    return bytes;
}

static const TnBlockPlan *find(const TnPlanCache *cache, const TnBlockGraph *graph, uint64_t hash)
{
    for (int g = 0; g < 2; g++)
        for (const Entry *entry = cache->generations[g ^ cache->young].buckets[hash % BUCKETS];
             entry; entry = entry->next)
            if (entry->plan->hash == hash && tn_block_plan_fits(entry->plan, graph))
                return entry->plan;
    return NULL;
}

static const TnBlockPlan *add(TnPlanCache *cache, const TnBlockAnalysis *analysis, uint64_t hash)
{
    Generation *young = &cache->generations[cache->young];
    Entry *entry = TN_ARENA_NEW(&young->arena, Entry, 1);
    void *memory = tn_arena_alloc(&young->arena, tn_block_plan_bytes(analysis));
    if (!entry || !memory) return NULL;
    *entry = (Entry){tn_block_plan_write(analysis, memory), young->buckets[hash % BUCKETS]};
    young->buckets[hash % BUCKETS] = entry;
    return entry->plan;
}

const TnBlockPlan *tn_plan_cache_get(TnPlanCache *cache, const TnBlockGraph *graph,
                                     TnArena *scratch)
{
    uint64_t hash = tn_block_graph_hash(graph);
    tn_mutex_lock(&cache->mutex);
    const TnBlockPlan *plan = find(cache, graph, hash);
    tn_mutex_unlock(&cache->mutex);
    if (plan) return plan;

    /* Analysed without the lock: others need not wait. Two may do the same; the first one's stays.
     */
    size_t mark = tn_arena_mark(scratch);
    const TnBlockAnalysis *analysis = tn_block_analyse(graph, scratch);
    if (analysis) {
        tn_mutex_lock(&cache->mutex);
        plan = find(cache, graph, hash);
        if (!plan) plan = add(cache, analysis, hash);
        tn_mutex_unlock(&cache->mutex);
    }
    tn_arena_release(scratch, mark);
    return plan;
}

bool tn_plan_cache_lacked(TnPlanCache *cache)
{
    bool lacked = false;
    for (int g = 0; g < 2; g++) {
        lacked = lacked || cache->generations[g].arena.lacked;
        cache->generations[g].arena.lacked = false;
    }
    return lacked;
}

int tn_plan_cache_trim(TnPlanCache *cache)
{
    TnArena *arena = &cache->generations[cache->young].arena;
    int helps = arena->overflow_count;
    size_t taken = bytes_used(arena) - cache->before;
    if (taken > cache->most) cache->most = taken;
    size_t next = cache->most + cache->most / 4; /* may a step take */
    cache->before = arena->used;
    if (helps || next > arena->capacity) {
        start_anew(cache, 2 * next > FEW_BYTES ? 2 * next : FEW_BYTES);
    } else if (next > arena->capacity - arena->used) {
        cache->young ^= 1;
        forget(&cache->generations[cache->young]);
        cache->before = 0;
    }
    return helps;
}
