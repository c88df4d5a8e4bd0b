/* block_kind.h: the seam between the ADMM loop and the kinds of blocks. A kind handles its blocks
 * in ranges of `units` (a batch of twist blocks, one large block), so that threads share them. To
 * add a kind, fill this table and name it in tn_block_kinds (problem.c). */
#ifndef TN_SOLVER_BLOCK_KIND_H
#define TN_SOLVER_BLOCK_KIND_H

#include "problem.h"

typedef struct TnBlockKind {
    const char *name;
    int grain; /* units that are worth a thread of their own */
    int (*unit_count)(const TnProblem *problem);
    /* Before weights: inverses and factors of A alone. False: not positive definite. NULL: the kind
     * shares threads in its own way (tn_meshes_factor_A). */
    bool (*factor_A)(TnProblem *problem, int begin, int end);
    /* After weights: H = A + JᵀWJ factored; g = (H - A) v⁰ - Jᵀλ⁰ for the starting guess. */
    bool (*factor_H)(TnProblem *problem, int begin, int end);
    /* v ← H⁻¹(b + g + 2F), g ← g + α(b + F - A v), F = Jᵀλ. */
    void (*update)(TnProblem *problem, int begin, int end, double alpha);
} TnBlockKind;

extern const TnBlockKind tn_block_twist, tn_block_dense, tn_block_chain, tn_block_mesh;
enum { TN_BLOCK_KIND_COUNT = 4 };
extern const TnBlockKind *const tn_block_kinds[TN_BLOCK_KIND_COUNT];

#endif
