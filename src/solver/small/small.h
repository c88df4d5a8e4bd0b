/* small.h: islands of a few bodies and robots with some tens of contacts, as one full matrix over
 * the constraints,
 *
 *     u = W λ + q,   W = J A⁻¹ Jᵀ,   q = J A⁻¹ b + e
 *
 * No graph, no plan and no list of nodes is made. W has a hundred rows at most, so a product with
 * it is as cheap as looking at the laws, and Newton's matrix is a part of it.
 *
 * Numbers of constraints: a contact has three (normal and two tangents), then one per scalar row.
 * Everything here is in these axes. */
#ifndef TN_SOLVER_SMALL_H
#define TN_SOLVER_SMALL_H

#include "../../math/kernels/small_kernels.h"
#include "../solve.h"

typedef enum TnSmallLaw {
    TN_SMALL_DEAD,     /* nothing yields: no force */
    TN_SMALL_CONTACT,  /* Coulomb */
    TN_SMALL_SMOOTH,   /* a contact without friction: its normal alone */
    TN_SMALL_INTERVAL, /* a scalar row: λ in [lower, upper] */
    TN_SMALL_SOFT,     /* λ linear in u */
    TN_SMALL_DISC      /* spin or rolling: |λ| <= mu · normal force */
} TnSmallLaw;

typedef struct TnSmallGroup {
    TnSmallLaw law;
    int at, count; /* its numbers */
    int normal;    /* disc: the number of the normal force; -1: none */
    int row;       /* of the problem; -1: a contact */
    double mu;
    double D[2];       /* own compliance: normal and tangent; of rows the first */
    double inverse[9]; /* contact: of its own part of W; [0] = 0: there is none, or not yet made */
} TnSmallGroup;

/* A block of the problem with the constraints that touch it. */
typedef struct TnSmallBlock {
    int block, dim;
    int count, *numbers; /* constraints, rising; NULL: all of them */
    int ld;              /* of the panel */
    double *panel; /* columns: A, then J, then bᵀ; after factoring L, J L⁻ᵀ, (L⁻¹b)ᵀ */
} TnSmallBlock;

typedef struct TnSmall {
    TnProblem *problem;
    const TnSmallKernels *kernels;
    int n, ld; /* numbers; ld: a multiple of eight */
    int group_count, block_count;
    TnSmallGroup *groups;
    TnSmallBlock *blocks;
    double *W, *q; /* n × ld; ld */
    double *lever; /* m/s per unit of u */
    double *lambda, *u;
    /* Newton */
    double *M, *x, *change, *next, *next_u;
} TnSmall;

/* Whether this path is for the island. */
bool tn_small_fits(const TnProblem *problem);
/* ---- small_build.c ---- */
/* W and q, and λ of the problem. Memory from the problem's arena. False: no memory, or A not
 * positive definite. */
bool tn_small_build(TnProblem *problem, TnSmall *out);
/* λ into the problem. */
void tn_small_put(const TnSmall *small);
/* v = A⁻¹(b + Jᵀλ) of all blocks, and twists of their ports. */
void tn_small_finish(const TnSmall *small);
/* u = J v + e of the problem's velocities. */
void tn_small_velocities(const TnSmall *small, double *u);

/* ---- small_laws.c ---- */
/* The natural map at λ and u, natural_map.h. */
TnNaturalMap tn_small_map(const TnSmall *small, const double *lambda, const double *u);
/* What rounding of such forces makes of velocities, m/s. */
double tn_small_rounding(const TnSmall *small, const double *lambda);
/* Projected Gauss-Seidel: λ and u move together. */
void tn_small_sweep(TnSmall *small);

/* ---- small_newton.c ---- */
/* next and next_u: a step from λ and u with laws that hold softened by 1/R about (1 - fade) λ.
 * False: singular. */
bool tn_small_step(TnSmall *small, double R, double fade);

/* ---- small.c ---- */
/* As tn_solve_island, but without preparation: for islands with full blocks, of which already the
 * preparation costs as much. *solved: to the tolerance; if not, the problem is as it was. */
bool tn_small_solve(TnProblem *problem, const TnSolverDef *def, TnIslandResult *out, bool *solved);
/* Forces alone, into the problem, and the counts of the report. False: no memory, or A not positive
 * definite. */
bool tn_small_forces(TnProblem *problem, const TnSolverDef *def, TnIslandReport *report);

#endif
