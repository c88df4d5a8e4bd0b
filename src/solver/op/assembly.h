/* assembly.h: a problem as one linear system, for methods that look at all blocks at once
 * (newton.c, interior.c, proximal.c, assembled_admm.c), and lists of a number per constraint.
 *
 *     A x = Jᵀλ,   u = J x + e',   x = v - v_free,   e' = e + J v_free,   v_free = A⁻¹ b
 *
 * Unknowns are those that constraints reach, in nodes: a twist block (6), a dense block (its dim),
 * each node that a chain is iterated on (block/chain_nodes.c; A is its Schur complement there), the
 * kept nodes of a mesh together (block/mesh_nodes.c; dense). Edges are those of the chains and
 * whatever contacts, rows and bonds join. Needs tn_problem_prepare_A, and must be built before
 * tn_problem_prepare_H, which overwrites the matrices of meshes. */
#ifndef TN_SOLVER_ASSEMBLY_H
#define TN_SOLVER_ASSEMBLY_H

#include <string.h>

#include "../../math/block_sparse.h"
#include "../problem.h"

/* One number, vector or matrix per constraint. A contact's three are in world axes, a bond's twelve
 * are those of its two rows of the twist table. Used for forces, velocities and laws alike. */
typedef struct TnPerConstraint {
    double (*contact)[3];
    double *row;
    double (*bond)[12];
    double *all;  /* these three lie together; unused numbers are zero */
    size_t count; /* of all, a multiple of eight */
} TnPerConstraint;
/* Cleared; false: no memory. */
bool tn_per_constraint_alloc(const TnProblem *problem, TnPerConstraint *out);
/* λ from the problem, and back. */
void tn_lambda_take(const TnProblem *problem, TnPerConstraint *out);
void tn_lambda_put(TnProblem *problem, const TnPerConstraint *from);
static inline void tn_per_constraint_copy(TnPerConstraint *to, const TnPerConstraint *from)
{
    memcpy(to->all, from->all, sizeof(double) * from->count);
}
static inline void tn_per_constraint_add(TnPerConstraint *to, const TnPerConstraint *x)
{
    for (size_t i = 0; i < to->count; i++) to->all[i] += x->all[i];
}
static inline void tn_per_constraint_swap(TnPerConstraint *a, TnPerConstraint *b)
{
    TnPerConstraint t = *a;
    *a = *b;
    *b = t;
}

/* G in λ = a - G (J x + e'); row-major. Of a bond it is symmetric. */
typedef struct TnGains {
    double (*contact)[9][TN_LANES]; /* per batch */
    double *row;
    double (*bond)[144];
    bool symmetric; /* all of contact[] are */
} TnGains;
bool tn_gains_alloc(const TnProblem *problem, TnGains *out); /* not cleared */

/* Plans by graph; outlives steps, shared by the threads that solve islands. */
typedef struct TnPlanCache TnPlanCache;
TnPlanCache *tn_plan_cache_create(void); /* NULL: no memory */
void tn_plan_cache_destroy(TnPlanCache *cache);
/* The plan for a graph, made if need be; stays valid until tn_plan_cache_trim. NULL: no memory. */
const TnBlockPlan *tn_plan_cache_get(TnPlanCache *cache, const TnBlockGraph *graph,
                                     TnArena *scratch);
/* Between steps: forgets old plans, so that there is room for those of a step. Returns how often
 * the heap had to help since the last call. */
int tn_plan_cache_trim(TnPlanCache *cache);
/* A plan could not be had for want of memory since the last call. */
bool tn_plan_cache_lacked(TnPlanCache *cache);
size_t tn_plan_cache_bytes(const TnPlanCache *cache); /* memory of all plans */

typedef struct TnAssembly {
    const TnProblem *problem;
    const TnBlockPlan *plan;
    int dim;
    double *A;         /* plan->size numbers, symmetric */
    double *free;      /* v_free, dim numbers */
    TnPerConstraint e; /* e' of contacts and rows; of bonds only z = J v_free */
    /* per table row */
    int *row_node; /* node of a row's block (for mesh ports, the mesh's node); -1: the world */
    struct TnPair *pairs; /* rows of the table that contacts or bonds join; private */
    int pair_count;
    double (*table)[8];          /* scratch: twists of the table's rows */
    struct TnAssemblyMaps *maps; /* private */
} TnAssembly;

/* All memory from the problem's arena but for the plan. False: no memory. */
bool tn_assembly_build(const TnProblem *problem, TnPlanCache *cache, TnAssembly *out);
/* u = J x (e' is not added). */
void tn_assembly_apply(const TnAssembly *assembly, const double *x, const TnPerConstraint *u);
/* y = Jᵀ f */
void tn_assembly_gather(const TnAssembly *assembly, const TnPerConstraint *f, double *y);
/* values = A + JᵀGJ, both parts unless G is symmetric; values has 2 · plan->size numbers. */
void tn_assembly_matrix(const TnAssembly *assembly, const TnGains *G, double *values);
/* tn_assembly_matrix, then factored. */
bool tn_assembly_factor(const TnAssembly *assembly, const TnGains *G, double *values);
void tn_assembly_solve(const TnAssembly *assembly, bool symmetric, const double *values, double *x);

#endif
