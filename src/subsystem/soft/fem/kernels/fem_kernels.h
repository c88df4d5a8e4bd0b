/* fem_kernels.h: elements of a mesh into a linear system, eight at a time: the inner loops of soft
 * bodies.
 *
 * portable/, avx2/ and avx512/ share fem_lanes.h and differ in how they gather and scatter. Here
 * node vectors have four numbers per node, the last one zero, and start at a multiple of 32 bytes.
 * Corners of an element are in ascending order of the nodes, so that block (b, a) with b >= a is
 * always the half that is kept; pairs (b, a) are counted 00 10 11 20 21 22 30 31 32 33. */
#ifndef TN_DYNAMICS_FEM_KERNELS_H
#define TN_DYNAMICS_FEM_KERNELS_H

#include "../fem.h"

enum { TN_FEM_PAIRS = 10 };

/* Where a batch's elements are. */
typedef struct TnFemTurn {
    _Alignas(64) TnFemMatrix R;
    double dilatation[TN_FEM_LANES]; /* tr RᵀF - 3 */
    double rate[TN_FEM_LANES];       /* tr RᵀG, G the gradient of y */
} TnFemTurn;

/* Adds to f:       share · force(x) + K(x) y
 *      to blocks:  stiffness · K(x), 9 numbers each; NULL: none
 * The blocks' array has one more behind that is never read, for pairs that are left out. */
typedef struct TnFemStep {
    const TnFemMesh *mesh;
    const double (*x)[4], (*y)[4];
    double share, stiffness;
    const double (*lead)[4]; /* y without its damping; NULL: taut elements do not count */
    double lead_scale;       /* likewise of stiffness */
    const int (*targets)[TN_FEM_PAIRS][TN_FEM_LANES]; /* per batch */
    double (*f)[4];
    double *blocks;
    TnFemTurn *turns; /* per batch; written by `turn` */
    /* with mean dilatation, per patch: that of its elements, and λ times its rate with y */
    double *patch_dilatation, *patch_rate;
    double (*patch_growth)[4]; /* per node of each patch: Σ V R g, added to by `add` */
    /* n (n + 1) / 2 per patch of n nodes: pairs (0,0) (1,0) (1,1) ...; of the first that is added
     */
    const int *patch_targets;
} TnFemStep;

typedef struct TnFemKernels {
    const char *name;
    /* Batches first..last - 1. */
    void (*turn)(const TnFemStep *step, int first, int last);
    void (*add)(const TnFemStep *step, int first, int last);
    void (*add_neo_hookean)(const TnFemStep *step, int first, int last); /* needs no `turn` */
    /* Stiffness of patches first..last - 1, once `add` has run for all their elements. */
    void (*add_patches)(const TnFemStep *step, int first, int last);
    /* Largest square of the gradient (Frobenius) of a velocity over the elements at rest [1/s²], of
     * batches first..last - 1. */
    double (*fastest)(const TnFemMesh *mesh, const double (*v)[4], int first, int last);
    /* Elastic energy of batches first..last - 1 at x [J], without the volumetric part of patches,
     * for which it writes the elements' dilatation. */
    double (*energy)(const TnFemMesh *mesh, const double (*x)[4], int first, int last,
                     TnFemTurn *turns);
    void (*add_membrane)(const TnFemStep *step, int first, int last); /* needs no `turn` */
} TnFemKernels;

const TnFemKernels *tn_fem_kernels(void);          /* of the instruction set in use */
const TnFemKernels *tn_fem_kernels_portable(void); /* the same bits everywhere, */
const TnFemKernels *tn_fem_kernels_plain(void);    /* and as compiled for any processor */
const TnFemKernels *tn_fem_kernels_avx2(void);     /* NULL where not built in or not supported */
const TnFemKernels *tn_fem_kernels_avx512(void);

#endif
