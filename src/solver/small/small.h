/* small.h: islands of a few bodies and robots with some tens of contacts, as one full matrix,
 *
 *     u = Y z + q,   z = Yᵀ λ,   Y = J L⁻¹ with A = Lᵀ L,   q = J A⁻¹ b + e
 *
 * a row per constraint, a column per unknown: Y Yᵀ = J A⁻¹ Jᵀ. No graph, no plan and no list of
 * nodes is made. A product with Y is as cheap as looking at the laws, and Newton's matrix is made
 * of its rows.
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
    double D[2]; /* own compliance: normal and tangent; of rows the first */
    /* contact: its own part of Y Yᵀ and the inverse, made for the first sweep */
    double W[9], inverse[9];
    bool has_own, regular;
} TnSmallGroup;

/* A block of the problem, and A = Lᵀ L of it (small_factor.c). */
typedef struct TnSmallBlock {
    int block, dim;
    int first;               /* of its unknowns in z */
    int *start, *end;        /* per row of L: its numbers left of the diagonal … */
    int *column;             /* … where they are … */
    double *value, *inverse; /* … and what; the diagonal's inverse */
} TnSmallBlock;

typedef struct TnSmall {
    TnProblem *problem;
    const TnSmallKernels *kernels;
    int n;       /* numbers of constraints */
    int dim, ld; /* unknowns of all blocks, and up to a multiple of eight */
    int group_count, block_count;
    TnSmallGroup *groups;
    TnSmallBlock *blocks;
    double *Y;      /* n × ld */
    double *z_free; /* ld: L⁻ᵀ b */
    double *q;      /* from here on one per number, padded to eights */
    double *own;    /* its own part of Y Yᵀ */
    double *lever;  /* m/s per unit of u */
    double *lambda, *u;
    double *z;           /* scratch, ld */
    const double *none;  /* zeros, one per number and per unknown */
    double *limit;       /* what `bound` may point to */
    double *left;        /* scratch of tn_small_left */
    double *forgiven;    /* what q was changed by, so that the laws have a solution */
    const double *bound; /* of friction, per number of its normal force; NULL: μ times that force */
    double (*terms)[2];  /* per row of the twist table: see small_build.c */
    /* Newton */
    double *change, *next, *next_u, *x;
    struct TnSmallUnknown *unknowns;
    int unknown_count; /* of the last step */
    int *unknown_of;   /* per number: a normal force's unknown; -1: none */
} TnSmall;

/* Whether this path is for the island. */
bool tn_small_fits(const TnProblem *problem);
/* ---- small_factor.c ---- */
/* False: no memory, or not positive definite. */
bool tn_small_factor(const TnProblem *problem, TnSmallBlock *block);
void tn_small_solve_up(const TnSmallBlock *block, double *y); /* y ← L⁻ᵀ y */
void tn_small_solve_three_up(const TnSmallBlock *block, double *p, double *q, double *r);
void tn_small_solve_down(const TnSmallBlock *block, double *x);                /* x ← L⁻¹ x */
void tn_small_multiply(const TnSmallBlock *block, const double *x, double *y); /* y = L x */
/* ---- small_build.c ---- */
/* Y and q, and λ of the problem. Memory from the problem's arena. False: no memory, or A not
 * positive definite. */
bool tn_small_build(TnProblem *problem, TnSmall *out);
/* λ into the problem. */
void tn_small_put(const TnSmall *small);
/* v = A⁻¹(b + Jᵀλ) of all blocks, and twists of their ports. */
void tn_small_finish(const TnSmall *small);
/* u = J v + e of the problem's velocities. */
void tn_small_velocities(const TnSmall *small, double *u);
/* z += Yᵀ λ; false: λ is zero. */
bool tn_small_add(const TnSmall *small, const double *lambda, double *z);
/* u = Y Yᵀ λ + q */
void tn_small_apply(const TnSmall *small, const double *lambda, const double *q, double *u);

/* ---- small_told.c ---- */
/* q of equalities that others tell becomes what the others tell, where it would take more than
 * forces D λ of `most`, m/s, to change it. False: no memory. */
bool tn_small_agree(TnSmall *small, double most);

/* ---- small_laws.c ---- */
/* The natural map at λ and u, natural_map.h. */
TnNaturalMap tn_small_map(const TnSmall *small, const double *lambda, const double *u);
/* Largest D λ, m/s: rounding of such forces is as much of a velocity. */
double tn_small_force(const TnSmall *small, const double *lambda);
/* What friction may be at most, at a trial normal force. */
static inline double tn_small_radius(const TnSmall *small, const TnSmallGroup *g, double normal)
{
    int at = g->normal < 0 ? g->at : g->normal;
    return g->mu * (small->bound ? small->bound[at] : normal > 0.0 ? normal : 0.0);
}
/* Projected Gauss-Seidel, so many times. */
void tn_small_sweep(TnSmall *small, int count);

/* ---- small_newton.c ---- */
bool tn_small_reserve_steps(TnSmall *small); /* false: no memory */
/* next and next_u: a step from λ and u with laws that hold softened by 1/R about λ. False:
 * singular.
 */
bool tn_small_step(TnSmall *small, double R);
/* u⁺ of what the last step held, which its proximal term has left, else 0; returns forces times
 * that, Σ D/R (λ⁺ - λ)². */
double tn_small_left(const TnSmall *small, double *left);
/* What its forces move, |Yᵀ(λ⁺ - λ)|². */
double tn_small_moved(const TnSmall *small);

/* ---- small.c ---- */
/* As tn_solve_island, but without preparation, which would cost as much. */
bool tn_small_solve(TnProblem *problem, const TnSolverDef *def, TnIslandResult *out);
/* Whether forces are so large that only contradictions ask for them. False: no memory. */
bool tn_small_runs_away(TnProblem *problem, const TnSolverDef *def, bool *runs_away);

#endif
