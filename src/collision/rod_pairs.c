/* rod_pairs.c: pairs of segments of one rod.
 *
 * A swept segment meets many of its neighbours along the rod, which never touch it, and grids would
 * find them all again in every step. Here segments stand in their order along the rod: eight in a
 * row have one box, and so have eight of these. Only groups that are far enough apart along the rod
 * and whose boxes meet are looked at segment by segment, if a detection looks at any of them. While
 * a subsystem sleeps, grids find these pairs like all others. */
#include "collider.h"

enum { GROUP = 8, BLOCK = 64 }; /* segments */

int tn_rods_room(const TnModel *m)
{
    int room = 0;
    for (int r = 0; r < m->rod_count; r++)
        room += (m->rods[r].segment_count + BLOCK - 1) / BLOCK * BLOCK;
    return room;
}

void tn_rods_init(TnCollider *c)
{
    const TnModel *m = c->model;
    int at = 0;
    for (int r = 0; r < m->rod_count; r++) {
        const TnRod *rod = &m->rods[r];
        TnRodRun *run = &c->runs[r];
        *run = (TnRodRun){.begin = at, .near = rod->near};
        at += (rod->segment_count + BLOCK - 1) / BLOCK * BLOCK;
        if (!rod->self_contact || m->pair_count) continue;
        for (int k = 0; k < rod->segment_count; k++) {
            int slot = c->slot_of[rod->geom_start + k];
            if (slot >= 0) c->order[run->begin + run->count++] = slot;
        }
        /* with gaps, places are no measure of what lies between; emit.c asks again */
        if (run->count < rod->segment_count) run->near = 1;
    }
    c->along_count = at;
}

/* The box of boxes, with, in place of a slot, whether any counts; float sums are rounded, so it is
 * a little larger. */
static void join(const TnBounds *boxes, int count, TnBounds *out)
{
    for (int i = 0; i < 3; i++) {
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < count; k++) {
            float from = boxes[k].c[i] - boxes[k].h[i], to = boxes[k].c[i] + boxes[k].h[i];
            low = from < low ? from : low;
            high = to > high ? to : high;
        }
        out->c[i] = 0.5f * (low + high);
        out->h[i] = 0.5f * (high - low) + 4e-7f * (fabsf(low) + fabsf(high));
    }
    out->slot = 0;
    for (int k = 0; k < count; k++) out->slot |= boxes[k].slot;
}

static int least(int a, int b) { return a < b ? a : b; }

void tn_rods_place(TnCollider *c)
{
    for (int r = 0; r < c->model->rod_count; r++) {
        const TnRodRun *run = &c->runs[r];
        int end = run->begin + run->count;
        for (int k = run->begin; k < end; k++) c->along[k] = c->bounds[c->order[k]];
        for (int k = run->begin; k < end; k += GROUP) {
            TnBounds *group = &c->groups[k / GROUP];
            join(c->along + k, least(GROUP, end - k), group);
            group->slot = 0;
            for (int i = k; i < least(k + GROUP, end); i++)
                group->slot |= !c->sleeping[c->along[i].slot];
        }
        for (int k = run->begin; k < end; k += BLOCK)
            join(c->groups + k / GROUP, (least(BLOCK, end - k) + GROUP - 1) / GROUP,
                 &c->blocks[k / BLOCK]);
    }
}

static inline int boxes_meet(const TnBounds *a, const TnBounds *b)
{
    return (fabsf(a->c[0] - b->c[0]) <= a->h[0] + b->h[0]) &
           (fabsf(a->c[1] - b->c[1]) <= a->h[1] + b->h[1]) &
           (fabsf(a->c[2] - b->c[2]) <= a->h[2] + b->h[2]);
}

/* Segments of two groups, which may be one. */
static void pair_up(const TnCollider *c, const TnRodRun *run, int first, int second,
                    TnCandidates *out)
{
    int end = run->begin + run->count, i_end = least(first + GROUP, end),
        j_end = least(second + GROUP, end);
    for (int i = first; i < i_end; i++) {
        const TnBounds *box = &c->along[i];
        int j = second > i + run->near ? second : i + run->near;
        if (j >= j_end || !boxes_meet(box, &c->groups[second / GROUP])) continue;
        if (out->count > TN_CANDIDATES - GROUP) tn_candidates_flush(out);
        int kept = out->count;
        for (; j < j_end; j++) { /* every one is written, and stays there where it counts */
            out->slot1[kept] = box->slot;
            out->slot2[kept] = c->along[j].slot;
            kept += tn_bounds_meet(&c->along[j], box) &
                    !(c->sleeping[box->slot] & c->sleeping[c->along[j].slot]);
        }
        out->count = kept;
    }
}

/* Of a group with itself and those that come after it. */
static void ask(const TnCollider *c, const TnRodRun *run, int first, TnCandidates *out)
{
    const TnBounds *box = &c->groups[first / GROUP];
    int end = run->begin + run->count, far = first + run->near - (GROUP - 1);
    for (int b = (far > first ? far : first) / BLOCK * BLOCK; b < end; b += BLOCK) {
        const TnBounds *block = &c->blocks[b / BLOCK];
        if (!(box->slot | block->slot) || !boxes_meet(box, block)) continue;
        for (int k = b; k < least(b + BLOCK, end); k += GROUP)
            if (k >= first && k + GROUP - 1 >= first + run->near &&
                (box->slot | c->groups[k / GROUP].slot) && boxes_meet(box, &c->groups[k / GROUP]))
                pair_up(c, run, first, k, out);
    }
}

void tn_rods_query(const TnCollider *c, int share, int shares, TnCandidates *out)
{
    int groups = c->along_count / GROUP;
    int begin = (int)((int64_t)groups * share / shares) * GROUP;
    int end = (int)((int64_t)groups * (share + 1) / shares) * GROUP;
    for (int r = 0; r < c->model->rod_count; r++) {
        const TnRodRun *run = &c->runs[r];
        int from = begin > run->begin ? begin : run->begin;
        for (int k = from; k < least(end, run->begin + run->count); k += GROUP) ask(c, run, k, out);
    }
}
