/* detect.c: the collision phase of a step: bounds, grids, then each chunk of moving geoms finds its neighbours and their contacts.
 *
 * A chunk writes to its own part of one list; the parts are closed up afterwards. Parts are sized by what the chunk needed before;
 * where that is too little, everything is done again with the right sizes, so a warm step never is. */
#include "../base/base.h"
#include "../math/vec3.h"
#include "collider.h"

static void update_chunks(void *context, int begin, int end, int thread)
{
    const TnDetection *d = context;
    (void)thread;
    int last = end * TN_CHUNK;
    tn_bounds_update(d, begin * TN_CHUNK, last < d->collider->count ? last : d->collider->count);
}

/* Planes are tested by height: the box's reach along the plane's normal. */
static void add_planes(const TnDetection *d, const TnBounds *box, int begin, int end, TnCandidates *out)
{
    const TnCollider *c = d->collider;
    for (int slot = begin; slot < end; slot++) {
        const TnTransform *place = &c->place[slot];
        double reach = 0.5 * d->slack + c->bound_margin[slot], height = 0.0;
        if (slot < c->moving_count) {
            /* as fast as its link turns it out there */
            const double *w = d->twists[c->filter[slot].link] + 3, *com = d->frames[c->filter[slot].link].com;
            const double *v = d->twists[c->filter[slot].link], *p = c->place[box->slot].pos;
            double arm[3], speed[3];
            v3_sub(arm, p, com);
            v3_cross(speed, w, arm);
            v3_add(speed, speed, v);
            reach += d->t * (v3_norm(speed) + v3_norm(w) * c->model->geoms[c->geom[box->slot]].bounding_radius);
        }
        bool round = c->shape[box->slot].type == TN_GEOM_SPHERE;
        for (int i = 0; i < 3; i++) {
            double n = place->rot[3 * i + 2];
            height += n * (c->place[box->slot].pos[i] - place->pos[i]);
            if (!round) reach += fabs(n) * (double)box->h[i];
        }
        if (round) reach += (double)box->h[0];
        if (height <= reach) tn_candidates_add(out, box->slot, slot);
    }
}

/* A moving plane against the fixed geoms, whose slots are above its own. */
static void add_fixed_of_plane(const TnDetection *d, int plane, TnCandidates *out)
{
    const TnCollider *c = d->collider;
    for (int slot = c->moving_count; slot < c->moving_count + c->fixed_finite; slot++) tn_candidates_add(out, plane, slot);
}

static void detect_chunk(const TnDetection *d, int chunk, TnEmitter *emitter)
{
    const TnCollider *c = d->collider;
    TnCandidates candidates;
    candidates.count = 0;
    candidates.flush = tn_emit_pairs;
    candidates.context = emitter;
    int end = (chunk + 1) * TN_CHUNK < c->item_count ? (chunk + 1) * TN_CHUNK : c->item_count;
    for (int item = chunk * TN_CHUNK; item < end; item++) {
        int slot = c->items[item];
        if (slot >= c->moving_finite) {
            add_fixed_of_plane(d, slot, &candidates);
            continue;
        }
        const TnBounds *box = &c->bounds[slot];
        for (int g = 0; g < c->grid_count; g++) tn_grid_query(c, &c->grids[g], box, &candidates);
        for (int i = 0; i < c->few_count; i++)
            if (c->few[i].slot > slot && tn_bounds_meet(&c->few[i], box)) tn_candidates_add(&candidates, slot, c->few[i].slot);
        add_planes(d, box, c->moving_finite, c->moving_count, &candidates);
        add_planes(d, box, c->moving_count + c->fixed_finite, c->count, &candidates);
    }
    tn_candidates_flush(&candidates);
}

static void detect_chunks(void *context, int begin, int end, int thread)
{
    const TnDetection *d = context;
    TnCollider *c = d->collider;
    (void)thread;
    for (int chunk = begin; chunk < end; chunk++) {
        TnEmitter emitter = {.detection = d, .capacity = c->chunk_capacity[chunk]};
        emitter.points = d->points + c->chunk_start[chunk];
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

static int close_up(const TnCollider *c, TnContactPoint *points)
{
    int count = 0;
    for (int k = 0; k < c->chunk_count; k++) {
        if ((size_t)count != c->chunk_start[k])
            memmove(points + count, points + c->chunk_start[k], sizeof points[0] * (size_t)c->chunk_used[k]);
        count += c->chunk_used[k];
    }
    return count;
}

bool tn_collision_detect(TnCollider *collider, const TnLinkFrame *frames, const double (*twists)[6], double t, double slack,
                         TnArena *arena, TnPool *pool, TnContactList *out)
{
    TnDetection d = {.collider = collider, .frames = frames, .twists = twists, .t = t, .slack = slack};
    *out = (TnContactList){NULL, 0};
    int update_count = (collider->count + TN_CHUNK - 1) / TN_CHUNK;
    tn_pool_run(pool, update_count, 1, update_chunks, &d);
    tn_grid_build(collider);
    size_t mark = tn_arena_mark(arena);
    for (;;) {
        d.points = TN_ARENA_NEW(arena, TnContactPoint, lay_out(collider));
        if (!d.points) return false;
        tn_pool_run(pool, collider->chunk_count, 1, detect_chunks, &d);
        if (fits(collider)) break;
        tn_arena_release(arena, mark);
    }
    out->points = d.points;
    out->count = close_up(collider, d.points);
    return true;
}
