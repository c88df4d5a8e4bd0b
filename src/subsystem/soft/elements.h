/* elements.h: what soft bodies keep from step to step: the elements of each piece, and where their
 * numbers go in the mesh blocks. Internal to subsystem/.
 *
 * The array of a mesh block has its nodes' blocks, its edges', and behind them those of pairs with
 * a carried node (`pairs` of its pieces), which T takes to the trees' nodes afterwards (carried.c).
 */
#ifndef TN_DYNAMICS_SOFT_ELEMENTS_H
#define TN_DYNAMICS_SOFT_ELEMENTS_H

#include "../systems.h"
#include "fem/bending.h"
#include "fem/kernels/fem_kernels.h"

/* What one thread works on at a time: batches, or as many patches, or nodes. */
enum { TN_SOFT_CHUNK = 32, TN_SOFT_PATCHES = 48, TN_SOFT_NODES = 128 };

typedef struct TnPieceElements {
    const TnSoftPiece *piece;
    TnFemMesh *mesh; /* nodes are the piece's; corners in ascending order */
    int (*targets)[TN_FEM_PAIRS]
                  [TN_FEM_LANES];    /* into the block's array, as fem_kernels.h has them */
    int *patch_targets, *patch_pair; /* and where those of each patch begin */
    int *patch_first, *patch_tets;   /* elements of patch p: patch_tets[patch_first[p] …] */
    TnBending *bending;              /* of a sheet that bends; NULL: none */
    int *bend_targets;               /* per number of it, likewise */
    double *mass;                    /* kg per node, of the piece's elements */
    int pair_count, pair_start;      /* in the block's array */
    int (*pairs)[2]; /* nodes of the piece, the higher one first; the rows are its */
    /* scratch */
    double (*x)[4], (*y)[4], (*f)[4], (*lead)[4]; /* per node; one behind the other */
    double (*growth)[4];                          /* per node of each patch */
    double *patch_dilatation, *patch_rate;
    TnFemTurn *turns;
    TnFemPlace *places;
    double *patches;
    double *parts; /* a number per TN_SOFT_CHUNK batches */
} TnPieceElements;

/* Edges of a mesh block by node, for those of trees. */
typedef struct TnBlockEdges {
    int *start;      /* node_count + 1 */
    int (*lower)[2]; /* lower node, edge; by lower node */
    int array_count; /* blocks in the array, pairs and those that are never read included */
} TnBlockEdges;

/* Squares of frequencies of an element's corners, each with a quarter of its mass [1/s²]. */
typedef struct TnSoftRate {
    double mean, largest; /* by volume */
} TnSoftRate;

/* Batches, patches or nodes of a piece that one thread works on. Those of one colour have no node
 * in common. */
typedef struct TnSoftChunk {
    int piece, first, last, colour;
} TnSoftChunk;

typedef struct TnSoftChunks {
    int count;
    TnSoftChunk *list; /* by colour */
} TnSoftChunks;

struct TnSoftElements {
    int piece_count, mesh_count, soft_count;
    bool has_bending;
    TnPieceElements *pieces; /* as the division's */
    TnBlockEdges *edges;     /* per mesh block */
    TnSoftRate *rates;       /* per soft body */
    TnSoftChunks batches, patches, nodes;
    const TnFemKernels *kernels;
};

/* chunks.c; false: no memory. */
bool tn_soft_make_chunks(TnSoftElements *elements);

/* Edge between two nodes, a > b, or -1. */
int tn_block_edge(const TnBlockEdges *edges, int a, int b);

/* Weights of a step (weights.c): with x⁺ = x + p v̂ - r v and Q the body's turn,
 *     force = (1-share) f(x) + share f(x_e) - (τK + αM) v_d,   x_e = x⁺ + late (v⁺ - Q v) */
typedef struct TnSoftWeights {
    double p, r, late, share;
    double lead;                          /* s: dx_e/dv̂ */
    double stiffness;                     /* s: factor of K in A */
    double inertia;                       /* 1/s: of M (v̂ - start) */
    double drag, drag_start;              /* 1/s: -M (drag v̂ + drag_start v) */
    double damping_turned, damping_start; /* s: -K (... Q v + ... v) */
    double damping_whole, damping_way; /* s: K (... (ω × r at the end) + ... ½t ω × (ω × r)) */
    double way_velocity;               /* as tn_soft_way_velocity has it */
} TnSoftWeights;
/* 0 where the step resolves its elements, 1 where their forces count at its end. */
double tn_soft_unresolved(double t, TnSoftRate rate, bool smooth);
TnSoftWeights tn_soft_weights(const TnDynamicsInput *in, const TnSoft *soft, TnSoftRate rate,
                              double w, double late);

/* v⁺ of a body that only turns is off by ½t ω × (ω × r) times this. */
double tn_soft_way_velocity(const TnDynamicsInput *in, double w);

/* Of one body over the step. */
typedef struct TnSoftStep {
    TnSoftWeights weights;
    double centre[3], mean[3], omega[3]; /* of the body as a whole, as it is expected */
    double turn[9];                      /* Q */
    bool rolls;           /* it turns while it is pushed: its torque is balanced beforehand */
    bool flies;           /* nothing touches it: its angular momentum is kept beforehand */
    double end_centre[3]; /* then: of where the elements are taken */
    double balance[3];    /* angular acceleration that does it */
} TnSoftStep;
/* Weights and turn, and of the system `end`; `expected` may change (expect.c). */
void tn_soft_prepare(const TnSoftInput *input, int soft, TnSoftSystem *system, TnSoftStep *step);

/* The motion as a whole along `way`, with the same momenta half way (expect.c). */
void tn_soft_whole_motion(const TnSoft *soft, const double *x, const double *way, double t,
                          TnSoftStep *out);
/* Velocity of a node that moves with the body as a whole: v half way, ω × r there, and v ± turn, ½t
 * ω × v, at the ends. */
void tn_soft_whole_velocity(const TnSoftStep *step, const double x[3], const double way[3],
                            double t, double v[3], double turn[3]);

/* I⁻¹ y, I symmetric; false: singular. */
bool tn_soft_solve3(const double I[9], const double y[3], double x[3]);

/* Elastic energy of a piece at x, J. */
double tn_piece_energy(const TnSoftElements *all, const TnPieceElements *p, const double (*x)[4]);

/* out += scale · M v, over the piece's nodes. */
void tn_piece_add_mass(const TnPieceElements *elements, bool consistent, double scale,
                       const double (*v)[4], double (*out)[4]);

/* carried.c: adds trees and the pairs with carried nodes; `loads`: b of carried nodes, 3 per node,
 * per piece. */
void tn_mesh_add_trees(const TnSoftInput *input, int mesh, TnMeshSystem *system);
void tn_mesh_add_carried(const TnSoftInput *input, int mesh, TnMeshSystem *system);
/* Motion of the carried nodes over the step; False: no memory. */
bool tn_soft_hold_motion(const TnSoftInput *input);

#endif
