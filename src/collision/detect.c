/* detect.c: the collision phase of a step: bounds, grids, then each chunk of moving geoms finds its
 * neighbours and their contacts; of few geoms all pairs are listed (pairs.c), and are one chunk.
 *
 * A chunk writes to its own part of one list; the parts are closed up afterwards. Parts are sized
 * by what the chunk needed before; where that is too little, everything is done again with the
 * right sizes, so a warm step never is. */
#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/vec3.h"
#include "collider.h"

#define SLOTS 48           /* whose bounds a thread updates at a time, at least */
#define WORTH_COPYING 4096 /* points */

typedef struct Copy {
    const TnDetection *from;
    TnContactPoint *points; /* to here, */
    int *start;             /* per chunk at this point */
} Copy;

static void update_range(void *context, int begin, int end)
{
    tn_bounds_update(context, begin, end);
}

static void add_planes(const TnDetection *d, const TnBounds *box, TnCandidates *out)
{
    const TnCollider *c = d->collider;
    for (int k = c->finite_count; k < c->count; k++)
        if (tn_box_meets_plane(d, box, k)) tn_candidates_add(out, box->slot, k);
}

static void detect_chunk(const TnDetection *d, int chunk, TnEmitter *emitter)
{
    const TnCollider *c = d->collider;
    TnCandidates candidates;
    candidates.count = 0;
    candidates.flush = tn_emit_pairs;
    candidates.context = emitter;
    int end = (chunk + 1) * c->chunk < c->item_count ? (chunk + 1) * c->chunk : c->item_count;
    for (int item = chunk * c->chunk; item < end; item++) {
        const TnBounds *box = c->items[item];
        if (item + 4 < end) tn_slot_fetch(&c->slots[c->items[item + 4]->slot]);
        for (int g = 0; g < c->grid_count; g++) tn_grid_query(c, &c->grids[g], box, &candidates);
        for (int i = 0; i < c->few_count; i++)
            if ((c->few[i].slot > box->slot || c->sleeping[c->few[i].slot]) &&
                tn_bounds_meet(&c->few[i], box))
                tn_candidates_add(&candidates, box->slot, c->few[i].slot);
        add_planes(d, box, &candidates);
    }
    tn_candidates_flush(&candidates);
    if (!c->along_count || !tn_rods_apart(c)) return;
    emitter->own = true;
    if (!c->in_parts)
        tn_rods_query(c, chunk, c->chunk_count, &candidates);
    else if (chunk + 1 == c->chunk_count) /* chunks are not those of others */
        tn_rods_query(c, 0, 1, &candidates);
    tn_candidates_flush(&candidates);
}

static void detect_chunks(void *context, int begin, int end)
{
    const TnDetection *d = context;
    TnCollider *c = d->collider;
    for (int chunk = begin; chunk < end; chunk++) {
        TnEmitter emitter = {
            .detection = d, .capacity = c->chunk_capacity[chunk], .surface1 = -1, .surface2 = -1};
        emitter.points = d->points + c->chunk_start[chunk];
        if (c->list)
            tn_pairs_detect(d, &emitter);
        else
            detect_chunk(d, chunk, &emitter);
        c->chunk_used[chunk] = emitter.count;
    }
}

/* Sizes of the parts; true where every chunk had room in the last pass. */
static bool fits(TnCollider *c)
{
    bool all = true;
    for (int k = 0; k < c->chunk_count; k++) {
        if (c->chunk_used[k] <= c->chunk_capacity[k]) continue;
        c->chunk_capacity[k] = c->chunk_used[k] + c->chunk_used[k] / 4;
        all = false;
    }
    return all;
}

static size_t lay_out(TnCollider *c)
{
    size_t total = 0;
    for (int k = 0; k < c->chunk_count; k++) {
        c->chunk_start[k] = total;
        total += (size_t)c->chunk_capacity[k];
    }
    return total;
}

static void copy_chunks(void *context, int begin, int end)
{
    const Copy *copy = context;
    const TnCollider *c = copy->from->collider;
    for (int k = begin; k < end; k++)
        memcpy(copy->points + copy->start[k], copy->from->points + c->chunk_start[k],
               sizeof copy->points[0] * (size_t)c->chunk_used[k]);
}

/* The parts into a list without gaps: where they are, or on several threads elsewhere. */
static bool close_up(const TnDetection *d, TnArena *arena, TnPool *pool, TnContactList *out)
{
    const TnCollider *c = d->collider;
    Copy copy = {d, d->points, TN_ARENA_NEW(arena, int, c->chunk_count)};
    if (!copy.start) return false;
    for (int k = 0; k < c->chunk_count; k++) {
        copy.start[k] = out->count;
        out->count += c->chunk_used[k];
    }
    if (tn_pool_threads(pool) > 1 && out->count > WORTH_COPYING) {
        copy.points =
            TN_ARENA_NEW(arena, TnContactPoint, (size_t)out->count + tn_soft_capacity(d->collider));
        if (!copy.points) return false;
        tn_pool_run(pool, c->chunk_count, 1, copy_chunks, &copy);
    } else {
        for (int k = 0; k < c->chunk_count; k++)
            if ((size_t)copy.start[k] != c->chunk_start[k])
                memmove(d->points + copy.start[k], d->points + c->chunk_start[k],
                        sizeof d->points[0] * (size_t)c->chunk_used[k]);
    }
    out->points = copy.points;
    return true;
}

bool tn_collision_detect(TnCollider *collider, const TnMotionInput *in, TnArena *arena,
                         TnPool *pool, TnContactList *out)
{
    TnDetection d = {.collider = collider,
                     .frames = in->frames,
                     .twists = in->twists,
                     .t = in->t,
                     .slack = in->slack,
                     .held = in->held,
                     .alone = in->alone,
                     .only = in->only,
                     .moved = in->moved,
                     .expected = in->expected,
                     .surprise = in->surprise,
                     .far = in->exact ? 0.0 : TN_FAR,
                     .touching = in->exact ? TN_ROOM : TN_TOUCHING};
    *out = (TnContactList){0};
    if (!collider->list) tn_bounds_sleep(&d, pool);
    if (!collider->list && (collider->stale || collider->in_parts)) {
        tn_pool_run(pool, collider->count, SLOTS, update_range, &d);
        if (!tn_grid_build(collider, arena, pool)) return false;
    }
    size_t mark = tn_arena_mark(arena);
    for (;;) {
        d.points =
            TN_ARENA_NEW(arena, TnContactPoint, lay_out(collider) + tn_soft_capacity(collider));
        if (!d.points) return false;
        tn_pool_run(pool, collider->chunk_count, 1, detect_chunks, &d);
        if (fits(collider)) break;
        tn_arena_release(arena, mark);
    }
    if (!close_up(&d, arena, pool, out)) return false;
    if (!collider->softs || tn_soft_detect(&d, in->qpos, in->qvel, arena, pool, out)) return true;
    *out = (TnContactList){0};
    return false;
}
