/* graph_slabs.h: an order of elimination for slender graphs that several threads can share.
 *
 * Towards a root level, layer by layer, takes fewest operations, but is one chain on either side.
 * Here some levels separate slabs of a few levels each: slabs are eliminated independently of each
 * other, by least degree, then the separators one after the other towards the root. The ends
 * stay layers: nothing holds their far side, so these are cheap, and an end is as long as the
 * separators leave time for. A bar of 6 × 6 × 44 nodes takes 1.26 times the operations of layers
 * so, and 0.4 times as many come one after the other. */
#ifndef TN_MATH_GRAPH_SLABS_H
#define TN_MATH_GRAPH_SLABS_H

#include "../../base/arena.h"
#include "graph_order.h"

typedef struct TnSlabs {
    int level_count, spacing; /* every spacing-th level may separate */
    const int *level, *ends;  /* per node; all nodes, by layers from both ends to the middle */
    int *first, *by_level;    /* nodes of each level: by_level[first[l] … first[l + 1]) */
    int *slab_first, *inside; /* the same of each slab, as they are eliminated */
} TnSlabs;

/* False: no memory. */
bool tn_slabs_make(const TnGraph *graph, const int *level, const int *ends, TnSlabs *slabs,
                   TnArena *arena);
/* Too short to be cut otherwise. */
bool tn_slabs_are_many(const TnSlabs *slabs);
/* The level that may separate and is nearest to this one: roots are such levels. */
int tn_slabs_root(const TnSlabs *slabs, int level);
/* All nodes, the root level behind all others. */
void tn_slabs_order(const TnSlabs *slabs, int root, int *order);

#endif
