/* grid.c: broad phase for many bodies of similar size and a few of any size.
 *
 * Boxes are sorted by size into levels (powers of two). Each level with more than a few members
 * becomes a uniform grid with a cell that just holds its largest box; thin levels join the next
 * larger one; what remains at the top goes into a short list that everyone is tested against.
 * Members are sorted by cell with one counting sort, stable in the slot, so the result depends on
 * nothing else. */
#include "../base/bucket.h"
#include "../math/vec3.h"
#include "collider.h"

#define DIM_MAX 2000000 /* cells along one axis; farther out they share the last one */
#define PART 2048       /* slots that a thread takes at a time */
#define TILE 4          /* cells along an edge of the smallest boxes that items are listed by, */
#define MANY 2048       /* in a grid with so many members; others fit a core's cache */

/* Of what is in some slots. */
typedef struct Extent {
    float low[3], high[3], reach[3];
    int32_t rod; /* as TnGrid's; -1: empty */
    bool round;
} Extent;

/* Of those in grids. Where nothing moves but one rod, its segments are not searched there. */
static int first_member(const TnCollider *c)
{
    bool alone = c->moving_count > 0 && c->one_rod && tn_rods_apart(c);
    return alone ? c->moving_count : 0;
}

static int wrap(int k, int dim) { return k < dim ? k : k % dim; }

static void size_table(TnGrid *g, const float low[3], const float high[3], double cell)
{
    g->per_cell = 1.0 / cell;
    for (int i = 0; i < 3; i++) {
        double n = floor(((double)high[i] - (double)low[i]) * g->per_cell) + 1.0;
        g->origin[i] = (double)low[i];
        g->true_dims[i] = n < DIM_MAX ? (int)n : DIM_MAX;
        g->dims[i] = g->true_dims[i];
    }
    double limit = (double)TN_CELLS_PER_MEMBER * g->count + TN_CELLS_MORE;
    while ((double)g->dims[0] * g->dims[1] * g->dims[2] > limit) {
        int longest = 0;
        for (int i = 1; i < 3; i++)
            if (g->dims[i] > g->dims[longest]) longest = i;
        g->dims[longest] = (g->dims[longest] + 1) / 2;
    }
}

/* A grid's filling; levels [first, last]. Parts of slots are shared by threads. */
typedef struct Filling {
    TnCollider *c;
    TnGrid *grid;
    int first, last;
    Extent *extents; /* per part */
} Filling;

static bool is_member(const Filling *f, int slot)
{
    return f->c->level[slot] >= f->first && f->c->level[slot] <= f->last;
}

static int part_end(const TnCollider *c, int part)
{
    return (part + 1) * PART < c->finite_count ? (part + 1) * PART : c->finite_count;
}

static void find_extents(void *context, int begin, int end)
{
    const Filling *f = context;
    const TnCollider *c = f->c;
    for (int part = begin; part < end; part++) {
        Extent x = {{INFINITY, INFINITY, INFINITY},
                    {-INFINITY, -INFINITY, -INFINITY},
                    {0.0f, 0.0f, 0.0f},
                    -1,
                    true};
        int slot = part * PART > first_member(c) ? part * PART : first_member(c);
        for (; slot < part_end(c, part); slot++) {
            const TnBounds *b = &c->bounds[slot];
            if (!is_member(f, slot)) continue;
            x.rod = x.rod < 0 || x.rod == c->slots[slot].rod ? c->slots[slot].rod : 0;
            for (int i = 0; i < 3; i++) {
                x.low[i] = b->c[i] < x.low[i] ? b->c[i] : x.low[i];
                x.high[i] = b->c[i] > x.high[i] ? b->c[i] : x.high[i];
                x.reach[i] = b->h[i] > x.reach[i] ? b->h[i] : x.reach[i];
            }
            x.round &=
                b->r <= b->h[0] && b->r <= b->h[1] && b->r <= b->h[2]; /* true for spheres alone */
        }
        f->extents[part] = x;
    }
}

static void join_extents(Extent *x, const Extent *y)
{
    if (y->rod >= 0) x->rod = x->rod < 0 || x->rod == y->rod ? y->rod : 0;
    x->round &= y->round;
    for (int i = 0; i < 3; i++) {
        x->low[i] = y->low[i] < x->low[i] ? y->low[i] : x->low[i];
        x->high[i] = y->high[i] > x->high[i] ? y->high[i] : x->high[i];
        x->reach[i] = y->reach[i] > x->reach[i] ? y->reach[i] : x->reach[i];
    }
}

/* Of all slots, -1 for those that are no members. */
static void find_cells(void *context, int begin, int end)
{
    const Filling *f = context;
    const TnGrid *g = f->grid;
    for (int slot = begin; slot < end; slot++) {
        int k[3];
        f->c->cell_of[slot] = -1;
        if (slot < first_member(f->c) || !is_member(f, slot)) continue;
        for (int i = 0; i < 3; i++)
            k[i] = wrap(tn_cell_along(g, i, (double)f->c->bounds[slot].c[i]) - g->first[i],
                        g->dims[i]);
        f->c->cell_of[slot] = (k[2] * g->dims[1] + k[1]) * g->dims[0] + k[0];
    }
}

static void copy_members(void *context, int begin, int end)
{
    const Filling *f = context;
    const TnCollider *c = f->c;
    for (int i = begin; i < end; i++) c->members[f->grid->begin + i] = c->bounds[c->slot_order[i]];
}

/* Sorts the slots of levels [first, last] into the grid's part of `members`. Returns the cells
 * used; negative: no memory. */
static int fill_grid(TnCollider *c, TnGrid *g, int first, int last, double cell, int32_t *table,
                     const TnLevelTotal *totals, TnArena *arena, TnPool *pool)
{
    int parts = (c->finite_count + PART - 1) / PART, cells;
    Filling f = {c, g, first, last, TN_ARENA_NEW(arena, Extent, parts)};
    if (!f.extents) return -1;
    tn_pool_run(pool, parts, 1, find_extents, &f);
    Extent all = parts ? f.extents[0] : (Extent){.rod = -1};
    for (int i = 1; i < parts; i++) join_extents(&all, &f.extents[i]);
    g->round = all.round;
    g->rod = all.rod;
    for (int i = 0; i < 3; i++) g->reach[i] = all.reach[i];
    if (totals) {
        TnLevelTotal total = totals[first];
        for (int k = first + 1; k <= last; k++) tn_level_join(&total, &totals[k]);
        cells = tn_grid_size_part(g, &total, all.low, all.high, cell, arena);
        if (cells < 0) return -1;
        table = g->start;
    } else {
        size_table(g, all.low, all.high, cell);
        cells = g->dims[0] * g->dims[1] * g->dims[2];
        g->start = table;
    }
    size_t mark = tn_arena_mark(arena);
    tn_pool_run(pool, c->finite_count, PART, find_cells, &f);
    if (!tn_buckets_fill(pool, arena, c->cell_of, c->finite_count, cells, table, c->slot_order))
        return -1;
    tn_pool_run(pool, g->count, PART, copy_members, &f);
    tn_arena_release(arena, mark);
    return totals ? 0 : cells + 1;
}

/* Awake boxes that move, to out; NULL: they are counted. How many there are. */
static int add_items(const TnCollider *c, const TnBounds *m, const TnBounds *end,
                     const TnBounds **out)
{
    int count = 0;
    for (; m < end; m++) {
        if (m->slot >= c->moving_count || c->sleeping[m->slot]) continue;
        if (out) out[count] = m;
        count++;
    }
    return count;
}

static int least(int a, int b) { return a < b ? a : b; }

static int most(int a, int b) { return a > b ? a : b; }

/* Members of those of the cells [at, end) that the table has, row by row. */
static int add_box(const TnCollider *c, const TnGrid *g, const int at[3], const int end[3],
                   const TnBounds **out)
{
    int x = most(at[0] - g->first[0], 0), x_end = end[0] - g->first[0], count = 0;
    if (x_end <= x) return 0;
    for (int z = most(at[2] - g->first[2], 0); z < end[2] - g->first[2]; z++)
        for (int y = most(at[1] - g->first[1], 0); y < end[1] - g->first[1]; y++) {
            const int32_t *row = g->start + (z * g->dims[1] + y) * g->dims[0];
            count += add_items(c, c->members + g->begin + row[x],
                               c->members + g->begin + row[x_end], out ? out + count : NULL);
        }
    return count;
}

/* A box of TILE³ smaller ones, one after the other: what stands together in the list is together in
 * space, in whatever stretches threads take it. */
static int add_tiles(const TnCollider *c, const TnGrid *g, const int at[3], const int end[3],
                     const TnBounds **out)
{
    int from[3], to[3], count = 0;
    for (from[2] = at[2]; from[2] < end[2]; from[2] += TILE)
        for (from[1] = at[1]; from[1] < end[1]; from[1] += TILE)
            for (from[0] = at[0]; from[0] < end[0]; from[0] += TILE) {
                for (int i = 0; i < 3; i++) to[i] = least(from[i] + TILE, end[i]);
                count += add_box(c, g, from, to, out ? out + count : NULL);
            }
    return count;
}

/* Boxes of TILE² cells' edge, numbered along x, then y, then z. */
typedef struct Listing {
    const TnCollider *c;
    const TnGrid *g;
    int at[3], boxes[3];
    int *start;           /* per box: how many items it has, then the place of the first; */
    const TnBounds **out; /* NULL: they are counted */
} Listing;

static void list_boxes(void *context, int begin, int end)
{
    const Listing *l = context;
    for (int k = begin; k < end; k++) {
        const int box[3] = {k % l->boxes[0], k / l->boxes[0] % l->boxes[1],
                            k / (l->boxes[0] * l->boxes[1])};
        int from[3], to[3];
        for (int i = 0; i < 3; i++) {
            from[i] = l->at[i] + TILE * TILE * box[i];
            to[i] = least(from[i] + TILE * TILE, l->g->first[i] + l->g->dims[i]);
        }
        int count = add_tiles(l->c, l->g, from, to, l->out ? l->out + l->start[k] : NULL);
        if (!l->out) l->start[k] = count;
    }
}

/* Of a grid with many boxes. False: no memory. */
static bool list_tiled(TnCollider *c, const TnGrid *g, TnArena *arena, TnPool *pool)
{
    Listing l = {.c = c, .g = g};
    for (int i = 0; i < 3; i++) { /* boxes are the same wherever a table begins */
        l.at[i] = g->first[i] / (TILE * TILE) * (TILE * TILE);
        l.boxes[i] = (g->first[i] + g->dims[i] - l.at[i] + TILE * TILE - 1) / (TILE * TILE);
    }
    int boxes = l.boxes[0] * l.boxes[1] * l.boxes[2];
    size_t mark = tn_arena_mark(arena);
    l.start = TN_ARENA_NEW(arena, int, boxes);
    if (!l.start) return false;
    tn_pool_run(pool, boxes, 1, list_boxes, &l);
    for (int k = 0; k < boxes; k++) {
        int count = l.start[k];
        l.start[k] = c->item_count;
        c->item_count += count;
    }
    l.out = c->items;
    tn_pool_run(pool, boxes, 1, list_boxes, &l);
    tn_arena_release(arena, mark);
    return true;
}

/* The items that search neighbours, in the order in which contacts are listed then. False: no
 * memory. */
static bool list_items(TnCollider *c, TnArena *arena, TnPool *pool)
{
    c->item_count = 0;
    for (int slot = 0; slot < first_member(c); slot++)
        if (!c->sleeping[slot]) c->items[c->item_count++] = &c->bounds[slot];
    for (int i = 0; i < c->few_count; i++)
        if (c->few[i].slot < c->moving_count && !c->sleeping[c->few[i].slot])
            c->items[c->item_count++] = &c->few[i];
    for (int k = 0; k < c->grid_count; k++) {
        const TnGrid *g = &c->grids[k];
        const TnBounds *m = c->members + g->begin;
        if (g->total < MANY)
            c->item_count += add_items(c, m, m + g->count, c->items + c->item_count);
        else if (!list_tiled(c, g, arena, pool))
            return false;
    }
    return true;
}

bool tn_grid_build(TnCollider *c, TnArena *arena, TnPool *pool)
{
    int members_of[TN_LEVEL_MAX] = {0}, waiting = 0, all_waiting = 0, first = 0, placed = 0;
    int32_t *table = c->cells;
    TnLevelTotal *totals = NULL;
    if (c->in_parts) {
        totals = TN_ARENA_NEW(arena, TnLevelTotal, TN_LEVEL_MAX);
        if (!totals || !tn_grid_total(c, arena, totals)) return false;
    }
    for (int slot = first_member(c); slot < c->finite_count; slot++) members_of[c->level[slot]]++;
    c->grid_count = 0;
    for (int level = 0; level < TN_LEVEL_MAX; level++) {
        int all = totals ? totals[level].count : members_of[level];
        waiting += members_of[level];
        all_waiting += all;
        if (all_waiting <= TN_FEW || all == 0) continue;
        TnGrid *g = &c->grids[c->grid_count++];
        *g = (TnGrid){.begin = placed, .count = waiting, .total = all_waiting};
        int cells = fill_grid(c, g, first, level, ldexp(c->cell, level - TN_LEVEL_MAX / 2), table,
                              totals, arena, pool);
        if (cells < 0) return false;
        table += cells;
        placed += waiting;
        waiting = all_waiting = 0;
        first = level + 1;
    }
    c->few_count = 0;
    for (int slot = first_member(c); waiting > 0 && slot < c->finite_count; slot++)
        if (c->level[slot] >= first) c->few[c->few_count++] = c->bounds[slot];
    if (!list_items(c, arena, pool)) return false;
    if (tn_rods_apart(c)) tn_rods_place(c);
    return true;
}

/* Every member is written to the buffer, and stays there where it counts. */
static inline __attribute__((always_inline)) void scan(const TnBounds *m, int count,
                                                       const TnBounds *box, bool round,
                                                       const uint8_t *sleeping, TnCandidates *out)
{
    while (count > 0) {
        if (out->count > TN_CANDIDATES / 2) tn_candidates_flush(out);
        int part = count < TN_CANDIDATES / 2 - 1 ? count : TN_CANDIDATES / 2 - 1, kept = out->count;
        for (int i = 0; i < part; i++) {
            out->slot1[kept] = box->slot;
            out->slot2[kept] = m[i].slot;
            kept += ((m[i].slot > box->slot) | (sleeping ? sleeping[m[i].slot] : 0)) &
                    (round ? tn_balls_meet(&m[i], box) : tn_bounds_meet(&m[i], box));
        }
        out->count = kept;
        m += part;
        count -= part;
    }
}

static inline __attribute__((always_inline)) void query(const TnCollider *c, const TnGrid *g,
                                                        const TnBounds *box, bool round,
                                                        const uint8_t *sleeping, TnCandidates *out)
{
    const TnBounds *members = c->members + g->begin;
    int low[3], span[3];
    double rows = 1.0;
    for (int i = 0; i < 3; i++) {
        double reach = (double)box->h[i] + (double)g->reach[i];
        low[i] = tn_cell_along(g, i, (double)box->c[i] - reach) - g->first[i];
        int high = tn_cell_along(g, i, (double)box->c[i] + reach) - g->first[i];
        if (c->in_parts) { /* the table does not go round */
            low[i] = most(low[i], 0);
            high = least(high, g->dims[i] - 1);
            if (high < low[i]) return;
        }
        span[i] = high - low[i] + 1;
        if (span[i] >= g->dims[i]) { /* the whole table along this axis, each cell once */
            low[i] = 0;
            span[i] = g->dims[i];
        }
        if (i > 0) rows *= span[i];
    }
    if (2.0 * rows > g->count) {
        scan(members, g->count, box, round, sleeping, out);
        return;
    }
    int x = wrap(low[0], g->dims[0]), x_end = x + span[0], over = x_end - g->dims[0];
    if (over > 0) x_end = g->dims[0];
    for (int kz = 0; kz < span[2]; kz++) {
        int z = wrap(low[2] + kz, g->dims[2]);
        for (int ky = 0; ky < span[1]; ky++) {
            int y = wrap(low[1] + ky, g->dims[1]);
            const int32_t *row = g->start + (z * g->dims[1] + y) * g->dims[0];
            scan(members + row[x], row[x_end] - row[x], box, round, sleeping, out);
            if (over > 0) scan(members + row[0], row[over] - row[0], box, round, sleeping, out);
        }
    }
}

/* Compiled four times: the test for spheres alone is half as long, and sleepers take a look-up. */
void tn_grid_query(const TnCollider *c, const TnGrid *g, const TnBounds *box, TnCandidates *out)
{
    const TnSlot *slot = &c->slots[box->slot];
    if (g->rod && g->rod == slot->rod && (slot->near == INT32_MAX || tn_rods_apart(c))) return;
    bool round = g->round && slot->shape_type == TN_GEOM_SPHERE;
    if (c->any_sleeping && round)
        query(c, g, box, true, c->sleeping, out);
    else if (c->any_sleeping)
        query(c, g, box, false, c->sleeping, out);
    else if (round)
        query(c, g, box, true, NULL, out);
    else
        query(c, g, box, false, NULL, out);
}
