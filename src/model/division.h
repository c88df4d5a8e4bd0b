/* division.h: which parts of a model are solved together.
 *
 * The model's parts (TnSubsystem: free bodies, trees, rods) become the solver's blocks:
 *   - each free body a twist block;
 *   - a tree that holds no rod, or holds it by an iterated weld, a dense block;
 *   - rods, whole or in groups of segments, with the trees that hold them: chains (math/chain.h).
 *     Nodes are the trees' dofs first and then the segments' twists in the order of the links.
 *
 * A weld of a segment to a tree's link makes the segment *follow* that link: place and velocity are the
 * link's, v̂ = T q̇̂ over the step (dynamics/assembled.h). Where both are in one chain it is *carried*: v̂ is put
 * in, and it has no node. Where the robots are apart, v̂ = T q̇̂ is iterated as a bond; converged, that is the
 * same. It needs parts that form no cycle: a weld that closes one, one to a free body and one between
 * segments are bonds of another kind, which bring back what drifts (equality.c).
 * Springs of rods between two blocks are cut out of them and iterated as bonds as well.
 *
 * Order of the bonds: cut springs by rod and joint, then followers that are not carried, then the other
 * welds by equality. */
#ifndef TN_MODEL_DIVISION_H
#define TN_MODEL_DIVISION_H

#include "../math/chain.h"
#include "model.h"

/* Dofs of the largest tree that may carry a segment. */
#define TN_MAX_CARRIER 256

/* A segment that follows a tree's link by a weld (TnEquality). */
typedef struct TnFollower {
    int equality, segment, holder; /* links */
    bool carried;
} TnFollower;

/* Consecutive segments of a rod in one chain. */
typedef struct TnRun {
    int rod, first, count;
} TnRun;

typedef struct TnRodCuts {
    int count, *joints; /* ascending */
    TnChain whole;      /* the rod's segments in a row, where it has cuts */
} TnRodCuts;

typedef struct TnDivision {
    TnDivisionDef def; /* as asked for */
    int dense_count, chain_count;
    TnChain *chains;             /* of the large blocks from dense_count on */
    int *tree_block, *tree_node; /* per tree: large block, and node of a chain (else 0) */
    int *link_block, *link_node; /* per link of a tree or rod, a carried one's are its holder's */
    int *carrier;                /* per link: the link it moves with, itself unless carried */
    TnFollower *followers;
    int follower_count;
    /* by chain; starts per chain, and one past the last */
    TnRun *runs;
    int *run_start, *trees, *tree_start;
    int rod_count;
    TnRodCuts *cuts; /* per rod */
    bool *iterated;  /* per equality: a weld of a segment that nothing follows by */
    int bond_count;
    char reason[640];
} TnDivision;

/* NULL: no memory. */
TnDivision *tn_division_create(const TnModel *model, TnDivisionDef def);
void tn_division_destroy(TnDivision *division);

/* First unknown of a tree or a segment in its large block. */
static inline int tn_division_start(const TnDivision *d, int block, int node)
{
    return block < d->dense_count ? 0 : d->chains[block - d->dense_count].nodes[node].start;
}

#endif
