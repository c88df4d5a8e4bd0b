/* kept.c: what was kept out of what, by limit.c and verify.c. Forces could have done it, so they
 * share their energy as if they had (joined.c). */
#include "../math/disjoint_sets.h"
#include "../step/step.h"

typedef struct Pairs {
    const TnStep *step;
    const int32_t (*pairs)[2];
    const int *which;
} Pairs;

/* False: no memory. */
static bool open(TnStep *step)
{
    TnArena *arena = &step->world->arena;
    int n = step->model->subsystem_count;
    if (step->way.kept) return true;
    step->way.kept_by = TN_ARENA_ZERO(arena, uint8_t, n);
    step->way.kept = TN_ARENA_NEW(arena, int, n);
    if (!step->way.kept || !step->way.kept_by) return false;
    for (int s = 0; s < n; s++) step->way.kept[s] = s;
    return true;
}

/* By several threads at once: sets and marks are the same in any order. */
static void keep_range(void *context, int begin, int end)
{
    const Pairs *p = context;
    const TnStep *step = p->step;
    for (int i = begin; i < end; i++) {
        const int32_t *sides = p->pairs[p->which[i]];
        for (int k = 0; k < 2; k++) {
            uint8_t by = sides[!k] < 0 ? TN_KEPT | TN_KEPT_BY_WORLD : TN_KEPT;
            if (sides[k] >= 0)
                __atomic_fetch_or(&step->way.kept_by[sides[k]], by, __ATOMIC_RELAXED);
        }
        if (sides[0] >= 0 && sides[1] >= 0) tn_set_join_shared(step->way.kept, sides[0], sides[1]);
    }
}

bool tn_step_keep_pairs(TnStep *step, const int32_t (*pairs)[2], const int *which, int count)
{
    if (count == 0) return true;
    if (!open(step)) return false;
    tn_pool_run(step->world->team, count, 1024, keep_range, &(Pairs){step, pairs, which});
    return true;
}

bool tn_step_keep_apart(TnStep *step, int s1, int s2)
{
    return tn_step_keep_pairs(step, &(const int32_t[2]){s1, s2}, &(const int){0}, 1);
}
