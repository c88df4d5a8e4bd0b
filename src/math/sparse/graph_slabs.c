/* graph_slabs.c: where slabs begin and end, and the order that this makes. */
#include "graph_slabs.h"

#include <math.h>

#include "../block_plan.h"

/* Levels from one separator to the next: of slabs of 1 to 7 levels those of 3 took fewest
 * operations in bars of 6 × 6 to 15 × 15 nodes, or nearly so. */
#define SPACING 4
/* A separator that joins the one before takes as long as so many layers of an end. */
#define SEPARATOR_LAYERS 1.6

bool tn_slabs_make(const TnGraph *graph, const int *level, const int *ends, TnSlabs *slabs,
                   TnArena *arena)
{
    int n = graph->node_count, levels = 0;
    for (int i = 0; i < n; i++) levels = level[i] >= levels ? level[i] + 1 : levels;
    *slabs = (TnSlabs){.level_count = levels, .level = level, .ends = ends};
    slabs->spacing = SPACING;
    slabs->first = TN_ARENA_ZERO(arena, int, levels + 2);
    slabs->by_level = TN_ARENA_NEW(arena, int, n);
    slabs->slab_first = TN_ARENA_ZERO(arena, int, levels / slabs->spacing + 3);
    slabs->inside = TN_ARENA_NEW(arena, int, n);
    size_t mark = tn_arena_mark(arena);
    bool *separates = TN_ARENA_NEW(arena, bool, n);
    int *order = TN_ARENA_NEW(arena, int, n), *dims = TN_ARENA_NEW(arena, int, n), separators = 0;
    if (!slabs->first || !slabs->by_level || !slabs->slab_first || !slabs->inside || !separates ||
        !order || !dims)
        return false;
    for (int i = 0; i < n; i++) {
        slabs->first[level[i] + 2]++;
        separates[i] = level[i] % slabs->spacing == 0;
        separators += separates[i];
        dims[i] = 1;
        if (!separates[i]) slabs->slab_first[level[i] / slabs->spacing + 2]++;
    }
    for (int l = 2; l <= levels; l++) slabs->first[l] += slabs->first[l - 1];
    for (int i = 0; i < n; i++) slabs->by_level[slabs->first[level[i] + 1]++] = i;
    if (!tn_block_order(n, dims, graph->first, graph->neighbour, separates, order, arena))
        return false;
    for (int s = 2; s <= levels / slabs->spacing + 1; s++)
        slabs->slab_first[s] += slabs->slab_first[s - 1];
    for (int k = 0; k < n - separators; k++) {
        int i = order[k];
        slabs->inside[slabs->slab_first[level[i] / slabs->spacing + 1]++] = i;
    }
    tn_arena_release(arena, mark);
    return true;
}

bool tn_slabs_are_many(const TnSlabs *slabs) { return slabs->level_count >= 6 * slabs->spacing; }

/* One side of the root. */
typedef struct Side {
    int root, sign, length; /* levels root + sign … root + sign · length */
    int separators;         /* that are used */
} Side;

/* The k-th separator from the root on, 1 the nearest. */
static int separator(const TnSlabs *s, const Side *side, int k)
{
    return side->root + side->sign * k * s->spacing; /* the root is one, too */
}

/* Levels of the end behind k separators; negative where there are not as many. */
static int end_length(const TnSlabs *s, const Side *side, int k)
{
    return k == 0 ? side->length : side->length - side->sign * (separator(s, side, k) - side->root);
}

/* What is one after the other, in layers of an end. */
static double duration(const TnSlabs *s, const Side *side, int k)
{
    return end_length(s, side, k) + SEPARATOR_LAYERS * k;
}

/* An end takes as long as a slab at least: nothing would be gained by a shorter one. */
static double shortest(const TnSlabs *s, const Side *side)
{
    double least = side->length;
    for (int k = 1; end_length(s, side, k) >= (s->spacing + 2); k++)
        least = fmin(least, duration(s, side, k));
    return least;
}

int tn_slabs_root(const TnSlabs *s, int level)
{
    int root = (level + s->spacing / 2) / s->spacing * s->spacing;
    return root < s->level_count ? root : root - s->spacing;
}

static void put_level(const TnSlabs *s, int level, int *order, int *count)
{
    for (int k = s->first[level]; k < s->first[level + 1]; k++) order[(*count)++] = s->by_level[k];
}

/* What is between a separator and the next one, or the root, towards it. */
static void put_slab(const TnSlabs *s, const Side *side, int separator, int *order, int *count)
{
    int slab = separator / s->spacing - (side->sign > 0);
    for (int k = s->slab_first[slab]; k < s->slab_first[slab + 1]; k++)
        order[(*count)++] = s->inside[k];
}

void tn_slabs_order(const TnSlabs *s, int root, int *order)
{
    int n = s->first[s->level_count], count = 0;
    Side sides[2] = {{root, -1, root, 0}, {root, 1, s->level_count - 1 - root, 0}};
    double most = fmax(shortest(s, &sides[0]), shortest(s, &sides[1]));
    for (int k = 0; k < 2; k++) {
        Side *side = &sides[k];
        while (duration(s, side, side->separators) > most) side->separators++;
        int from = side->separators ? separator(s, side, side->separators) : root;
        for (int j = 0; j < n; j++) {
            int i = s->ends[j];
            if (side->sign * (s->level[i] - from) > 0) order[count++] = i;
        }
        /* A slab right before its separator: its numbers are still in a cache. */
        for (int l = side->separators; l > 0; l--) {
            put_slab(s, side, separator(s, side, l), order, &count);
            put_level(s, separator(s, side, l), order, &count);
        }
    }
    put_level(s, root, order, &count);
}
