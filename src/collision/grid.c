/* grid.c: broad phase for many bodies of similar size and a few of any size.
 *
 * Boxes are sorted by size into levels (powers of two). Each level with more than a few members
 * becomes a uniform grid with a cell that just holds its largest box; thin levels join the next
 * larger one; what remains at the top goes into a short list that everyone is tested against.
 * Members are sorted by cell with one counting sort, stable in the slot, so the result depends on
 * nothing else. */
#include "../math/vec3.h"
#include "collider.h"

#define DIM_MAX 2000000 /* cells along one axis; farther out they share the last one */

static int cell_along(const TnGrid *g, int axis, double x)
{
    double k = (x - g->origin[axis]) * g->per_cell, top = g->true_dims[axis] - 1;
    return (int)(k < top ? (k > 0.0 ? k : 0.0) : top);
}

/* Of those in grids. Where nothing moves but one rod, nobody looks for its segments there. */
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

/* Sorts the slots of levels [first, last] into the grid's part of `members`. Returns the cells
 * used. */
static int fill_grid(TnCollider *c, TnGrid *g, int first, int last, double cell, int32_t *table)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    g->round = true;
    g->rod = -1;
    for (int i = 0; i < 3; i++) g->reach[i] = 0.0f;
    for (int slot = first_member(c); slot < c->finite_count; slot++) {
        const TnBounds *b = &c->bounds[slot];
        if (c->level[slot] < first || c->level[slot] > last) continue;
        g->rod = g->rod < 0 || g->rod == c->slots[slot].rod ? c->slots[slot].rod : 0;
        for (int i = 0; i < 3; i++) {
            low[i] = b->c[i] < low[i] ? b->c[i] : low[i];
            high[i] = b->c[i] > high[i] ? b->c[i] : high[i];
            g->reach[i] = b->h[i] > g->reach[i] ? b->h[i] : g->reach[i];
        }
        g->round &=
            b->r <= b->h[0] && b->r <= b->h[1] && b->r <= b->h[2]; /* true for spheres alone */
    }
    size_table(g, low, high, cell);
    int cells = g->dims[0] * g->dims[1] * g->dims[2];
    g->start = table;
    memset(table, 0, sizeof table[0] * (size_t)(cells + 1));
    for (int slot = first_member(c); slot < c->finite_count; slot++) {
        if (c->level[slot] < first || c->level[slot] > last) continue;
        int k[3];
        for (int i = 0; i < 3; i++)
            k[i] = wrap(cell_along(g, i, (double)c->bounds[slot].c[i]), g->dims[i]);
        c->cell_of[slot] = (k[2] * g->dims[1] + k[1]) * g->dims[0] + k[0];
        table[c->cell_of[slot] + 1]++;
    }
    for (int k = 0; k < cells; k++) table[k + 1] += table[k];
    /* fill: start[k] walks to the cell's end, which is the next cell's start; put back afterwards
     */
    for (int slot = first_member(c); slot < c->finite_count; slot++) {
        if (c->level[slot] < first || c->level[slot] > last) continue;
        c->members[g->begin + table[c->cell_of[slot]]++] = c->bounds[slot];
    }
    memmove(table + 1, table, sizeof table[0] * (size_t)cells);
    table[0] = 0;
    return cells + 1;
}

static void list_items(TnCollider *c)
{
    c->item_count = 0;
    for (int slot = 0; slot < first_member(c); slot++)
        if (!c->sleeping[slot]) c->items[c->item_count++] = &c->bounds[slot];
    for (int i = 0; i < c->few_count; i++)
        if (c->few[i].slot < c->moving_count && !c->sleeping[c->few[i].slot])
            c->items[c->item_count++] = &c->few[i];
    for (int g = 0; g < c->grid_count; g++) {
        const TnBounds *m = c->members + c->grids[g].begin, *end = m + c->grids[g].count;
        for (; m < end; m++)
            if (m->slot < c->moving_count && !c->sleeping[m->slot]) c->items[c->item_count++] = m;
    }
}

void tn_grid_build(TnCollider *c)
{
    int members_of[TN_LEVEL_MAX] = {0}, waiting = 0, first = 0, placed = 0;
    int32_t *table = c->cells;
    for (int slot = first_member(c); slot < c->finite_count; slot++) members_of[c->level[slot]]++;
    c->grid_count = 0;
    for (int level = 0; level < TN_LEVEL_MAX; level++) {
        waiting += members_of[level];
        if (waiting <= TN_FEW || members_of[level] == 0) continue;
        TnGrid *g = &c->grids[c->grid_count++];
        g->begin = placed;
        g->count = waiting;
        table += fill_grid(c, g, first, level, ldexp(c->cell, level - TN_LEVEL_MAX / 2), table);
        placed += waiting;
        waiting = 0;
        first = level + 1;
    }
    c->few_count = 0;
    for (int slot = first_member(c); waiting > 0 && slot < c->finite_count; slot++)
        if (c->level[slot] >= first) c->few[c->few_count++] = c->bounds[slot];
    list_items(c);
    if (tn_rods_apart(c)) tn_rods_place(c);
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
        low[i] = cell_along(g, i, (double)box->c[i] - reach);
        span[i] = cell_along(g, i, (double)box->c[i] + reach) - low[i] + 1;
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
