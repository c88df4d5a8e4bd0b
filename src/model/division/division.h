/* division.h: which parts of a model are solved together.
 *
 * The model's parts (TnSubsystem: free bodies, trees, rods) become the solver's blocks:
 *   - each free body a twist block;
 *   - a tree that holds no rod, or holds it by an iterated weld, a dense block;
 *   - rods, whole or in groups of segments, with the trees that hold them: chains (math/chain.h).
 *     Nodes are the trees' dofs first and then the segments' twists in the order of the links.
 *
 * A weld of a segment to a tree's link makes the segment *follow* that link: place and velocity are
 * the link's, v̂ = T q̇̂ over the step (subsystem/assembled.h). Where both are in one chain it is
 * *carried*: v̂ is put in, and it has no node. Where the robots are apart, v̂ = T q̇̂ is iterated as a
 * bond; converged, that is the same. It needs parts that form no cycle: a weld that closes one, one
 * to a free body and one between segments are bonds of another kind, which bring back what drifts
 * (equality.c). Springs of rods between two blocks are cut out of them and iterated as bonds as
 * well.
 *
 * Soft bodies, whole or in pieces, with the trees that carry their nodes, are mesh blocks: nodes of
 * three unknowns each on a graph. A node held by a tree's link follows it as a segment does, and is
 * carried where the body is whole, unless that tree carries a rod already; elsewhere v̂ = T q̇̂ is
 * iterated. Holds by other moving links, and the ties that keep the copies of a node together where
 * pieces meet, are rows as well.
 *
 * Order of the bonds: cut springs by rod and joint, then followers that are not carried, then the
 * other welds by equality. */
#ifndef TN_MODEL_DIVISION_H
#define TN_MODEL_DIVISION_H

#include "../../math/chain.h"
#include "../../math/sparse/sparse_cholesky.h"
#include "../model.h"

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

/* Elements of a soft body in one block: all of them, unless it is divided. A node where pieces meet
 * belongs to each of them. */
typedef struct TnSoftPiece {
    int soft, block; /* large block */
    int tet_count, node_count;
    int *tets;       /* of the soft body's, ascending */
    int *nodes;      /* of the soft body's, ascending */
    int *block_node; /* per node: its node in the block; -1: pinned or carried */
    int *hold;       /* per node: index in soft->holds where it is carried; -1: is not */
    int *follow;     /* the same where it follows a tree's link, carried or not */
} TnSoftPiece;

/* A large block of pieces and of the trees that carry them. Nodes: each tree's dofs in threes (the
 * last node is filled up with unknowns that do nothing: 1 on the diagonal), then each piece's in
 * its order. */
typedef struct TnMeshBlock {
    int node_count, edge_count;
    int (*edges)[2]; /* nodes of the block, the higher one first; each once */
    TnSparsePattern *pattern;
    int tree_start, tree_count;   /* in mesh_trees */
    int piece_start, piece_count; /* in pieces */
} TnMeshBlock;

/* Two copies of a node of a soft body: node_a and node_b of two pieces, a < b. */
typedef struct TnPieceTie {
    int piece_a, node_a, piece_b, node_b;
} TnPieceTie;

typedef struct TnDivision {
    TnDivisionDef def; /* as asked for */
    int dense_count, chain_count, mesh_count;
    TnChain *chains;     /* of the large blocks from dense_count on */
    TnMeshBlock *meshes; /* of those behind the chains */
    int *mesh_trees;     /* trees of the mesh blocks */
    TnSoftPiece *pieces; /* by mesh block */
    int piece_count, soft_count;
    int *soft_piece, *soft_piece_count; /* per soft body: its pieces, which lie together */
    int **node_piece;                   /* per soft body and node: the first piece that has it, */
    int **node_place;                   /* and its node there */
    int **tet_piece;                    /* per soft body and tet */
    TnPieceTie *piece_ties;
    int piece_tie_count;

    int *tree_block, *tree_node; /* per tree: large block, and node of a chain or mesh (else 0) */
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
    char reason[1024];
} TnDivision;

/* NULL: no memory. */
TnDivision *tn_division_create(const TnModel *model, TnDivisionDef def);
void tn_division_destroy(TnDivision *division);

static inline int tn_division_blocks(const TnDivision *d)
{
    return d->dense_count + d->chain_count + d->mesh_count;
}

/* First unknown of a tree or a segment in its large block; of a mesh block's node. */
static inline int tn_division_start(const TnDivision *d, int block, int node)
{
    if (block >= d->dense_count + d->chain_count) return 3 * node;
    return block < d->dense_count ? 0 : d->chains[block - d->dense_count].nodes[node].start;
}

#endif
