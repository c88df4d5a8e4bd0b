/* grid_parts.c: grids of a scene that ranks have in parts.
 *
 * Cells are those of one grid over the bodies of all ranks, and a rank's table has those of them
 * that its bodies are in, a box of cells. Tables do not go round, so cells come in one order
 * everywhere: what a rank lists is a part of what one rank alone would list, in the same order. */
#include "../base/ranks.h"
#include "collider.h"

static const TnLevelTotal nothing = {
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {0.0f, 0.0f, 0.0f}, 0, 1};

void tn_level_join(TnLevelTotal *level, const TnLevelTotal *other)
{
    for (int i = 0; i < 3; i++) {
        if (other->low[i] < level->low[i]) level->low[i] = other->low[i];
        if (other->high[i] > level->high[i]) level->high[i] = other->high[i];
        if (other->reach[i] > level->reach[i]) level->reach[i] = other->reach[i];
    }
    level->count += other->count;
    level->round &= other->round;
}

/* What is fixed is on every rank, and counts on the first. */
static bool counts(const TnCollider *c, int slot)
{
    int link = c->slots[slot].link;
    if (!link) return !c->part.ranks || c->part.ranks->rank == 0;
    return !c->part.counts || c->part.counts[link];
}

static void find_here(const TnCollider *c, TnLevelTotal *out)
{
    for (int k = 0; k < TN_LEVEL_MAX; k++) out[k] = nothing;
    for (int slot = 0; slot < c->finite_count; slot++) {
        const TnBounds *b = &c->bounds[slot];
        TnLevelTotal one = {{b->c[0], b->c[1], b->c[2]},
                            {b->c[0], b->c[1], b->c[2]},
                            {b->h[0], b->h[1], b->h[2]},
                            counts(c, slot),
                            b->r <= b->h[0] && b->r <= b->h[1] && b->r <= b->h[2]};
        tn_level_join(&out[c->level[slot]], &one);
    }
}

bool tn_grid_total(const TnCollider *c, TnArena *arena, TnLevelTotal *out)
{
    const TnRanks *ranks = c->part.ranks;
    int n = tn_ranks_count(ranks);
    if (n == 1) {
        find_here(c, out);
        return true;
    }
    size_t *start = TN_ARENA_NEW(arena, size_t, n + 1);
    TnLevelTotal *all = TN_ARENA_ZERO(arena, TnLevelTotal, n * TN_LEVEL_MAX);
    if (!start || !all) return false;
    for (int r = 0; r <= n; r++) start[r] = sizeof *all * TN_LEVEL_MAX * (size_t)r;
    find_here(c, all + (long)ranks->rank * TN_LEVEL_MAX);
    tn_ranks_share(ranks, all, start);
    for (int k = 0; k < TN_LEVEL_MAX; k++) {
        out[k] = nothing;
        for (int r = 0; r < n; r++) tn_level_join(&out[k], &all[r * TN_LEVEL_MAX + k]);
    }
    return true;
}

/* Cells along the axes; they get larger where there would be too many of them. */
static void size_cells(TnGrid *g, const TnLevelTotal *all, double cell)
{
    double limit = (double)TN_CELLS_PER_MEMBER * all->count + TN_CELLS_MORE, cells;
    do {
        cells = 1.0;
        g->per_cell = 1.0 / cell;
        for (int i = 0; i < 3; i++) {
            double n = floor(((double)all->high[i] - (double)all->low[i]) * g->per_cell) + 1.0;
            g->origin[i] = (double)all->low[i];
            g->true_dims[i] = n < INT32_MAX ? (int)n : INT32_MAX;
            cells *= n;
        }
        cell *= 2.0;
    } while (cells > limit);
}

int tn_grid_size_part(TnGrid *g, const TnLevelTotal *all, const float low[3], const float high[3],
                      double cell, TnArena *arena)
{
    size_cells(g, all, cell);
    g->round = all->round;
    g->rod = 0;
    for (int i = 0; i < 3; i++) {
        g->reach[i] = all->reach[i];
        g->first[i] = g->count ? tn_cell_along(g, i, (double)low[i]) : 0;
        g->dims[i] = g->count ? tn_cell_along(g, i, (double)high[i]) - g->first[i] + 1 : 1;
    }
    int cells = g->dims[0] * g->dims[1] * g->dims[2];
    g->start = TN_ARENA_ZERO(arena, int32_t, cells + 1);
    return g->start ? cells : -1;
}
