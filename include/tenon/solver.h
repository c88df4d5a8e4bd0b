/* tenon/solver.h: the solver alone, for people who bring their own dynamics.
 *
 * It solves, for blocks i with symmetric positive definite A_i and constraints j,
 *     A_i v_i = b_i + Σ_j J_ijᵀ λ_j,      (Σ_i J_ij v_i + e_j, λ_j) ∈ set_j
 * to a tolerance: blocks that constraints connect are an island, and each island is solved by the
 * method that suits it, subsystem-based ADMM (each block solves its own small system, each
 * constraint has a closed-form update) or Newton's on all of it. docs/solver.md and docs/newton.md
 * say how. */
#ifndef TENON_SOLVER_H
#define TENON_SOLVER_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of an island; without a tolerance (not assembled, newton), of everything at once. */
typedef enum TnMethod {
    /* By predicted cost, error and progress in this solve (default); SubADMM without a tolerance. */
    TN_METHOD_AUTO,
    TN_METHOD_SUBADMM,   /* the paper's: each block alone, agreeing through constraints */
    TN_METHOD_ASSEMBLED, /* ADMM with the matrix of the whole island */
    /* Newton's steps, interior points and an augmented Lagrangian with that matrix, started and
     * rescued by assembled ADMM. */
    TN_METHOD_NEWTON,
    /* The four that the paper compares with, over the same blocks and rows; docs/baselines.md.
     * Without a tolerance: exactly `iterations` of theirs on everything at once. */
    TN_METHOD_PGS,    /* projected Gauss-Seidel, accelerated by conjugate directions */
    TN_METHOD_PJ,     /* projected Jacobi */
    TN_METHOD_FADMM,  /* ADMM with one factor of the whole system, adaptive weights */
    TN_METHOD_NNEWTON, /* nonsmooth Newton with line search */
    /* Only reported: `auto` and `newton` call them. */
    TN_METHOD_INTERIOR, /* interior points on the contact cones */
    TN_METHOD_PROXIMAL  /* augmented Lagrangian with a line search */
} TnMethod;
#define TN_METHOD_COUNT 10
#define TN_METHOD_CHOICES 8 /* the first ones, which can be asked for */
/* "auto", "subadmm", "assembled", "newton", "pgs", "pj", "fadmm", "nnewton", "interior",
 * "proximal" */
TN_API const char *tn_method_name(TnMethod method);

typedef enum TnAdmmForm {
    TN_ADMM_REDUCED, /* only λ and v are kept, over-relaxed (default) */
    TN_ADMM_PAPER    /* z and u kept on every side, as printed in the paper */
} TnAdmmForm;

typedef enum TnWeights {
    TN_WEIGHTS_COMPLIANCE, /* inverse of each row's local compliance (default) */
    TN_WEIGHTS_PAPER       /* one per block: tr A_i / tr J_iᵀJ_i */
} TnWeights;

typedef struct TnSolverDef {
    TnMethod method;
    TnAdmmForm form;
    TnWeights weights;
    int iterations; /* of SubADMM or of a baseline, largest number, 1 … 1e6; default 60 */
    /* Of the natural-map error of every constraint, in shares of velocity_scale, >= 0; default
     * 1e-6. 0: exactly `iterations` iterations, whatever comes out (the paper's mode).
     * With TN_ADMM_PAPER: of the RMS change of constraint velocities, m/s. */
    double tolerance;
    double velocity_scale;  /* m/s, > 0; default 1; a world sets gravity × timestep */
    double weight_scale;    /* s in β = s / compliance, > 0; default 2.5 */
    double over_relaxation; /* α_r in [1, 2); default 1.7; the paper's form uses 1 */
    /* Scale of the previous λ, [0, 1]; 0 starts cold. Default -1: 1. */
    double warm_start;
    /* Differences that Anderson acceleration of SubADMM combines, 1 … 16; 0: off. Default -1: 10
     * where soft bodies or undivided cables are touched, else off. The paper's form has
     * none. */
    int anderson;
    int thread_count; /* default 1; used by a solver on its own, a world has its own */
} TnSolverDef;

TN_API TnSolverDef tn_solver_def(void);
/* TN_OK, or TN_ERROR_USAGE and which field is out of range. */
TN_API TnStatus tn_solver_def_check(const TnSolverDef *def, TnError *err);

typedef struct TnSolver TnSolver;
typedef int32_t TnBlockId;      /* from 1 */
typedef int32_t TnConstraintId; /* from 1 */

typedef enum TnSet {
    TN_SET_EQUALITY,   /* J v + e = 0 */
    TN_SET_INEQUALITY, /* 0 <= λ ⟂ J v + e >= 0 */
    TN_SET_SOFT,       /* λ = -k (e + α J v) */
    TN_SET_BOX, /* λ within [lower, upper], J v + e = 0 inside, > 0 only at the lower, < 0 only at
                   the upper bound */
    TN_SET_FRICTION, /* Signorini–Coulomb; three rows: normal, two tangents */
    TN_SET_SPIN,     /* |λ| <= mu · normal force of `contact`, opposing J v + e; one row */
    TN_SET_ROLL      /* the same on a disc; two rows */
} TnSet;

/* Rows one after the other; both triangles. */
typedef struct TnSparseMatrix {
    const int *row_start; /* dim + 1 */
    const int *column;    /* from 0, rising within a row */
    const double *value;
} TnSparseMatrix;

/* A block that only its owner knows. */
typedef struct TnBlockFunctions {
    void *context;
    /* Called once by tn_solver_prepare; false: A is not positive definite. May be NULL. */
    bool (*factor)(void *context);
    /* x ← A⁻¹ x for `count` vectors of dim numbers, one after the other; called after factor. */
    void (*solve)(void *context, double *x, int count);
    /* y = A x; NULL: the dynamics are judged by solve instead. */
    void (*multiply)(void *context, const double *x, double *y);
} TnBlockFunctions;

/* A is given in one of five ways, and symmetric positive definite; everything is copied but for
 * what functions refer to. */
typedef struct TnBlockDef {
    int dim;         /* > 0 */
    const double *A; /* dim × dim, row-major */
    /* (bandwidth + 1) × dim: A_banded[k · dim + i] is A at (i + k, i), 0 beyond the end */
    const double *A_banded;
    int bandwidth;
    const TnSparseMatrix *A_sparse;
    /* A⁻¹, dim × dim, positive semidefinite: what it does not allow does not move */
    const double *A_inverse;
    const TnBlockFunctions *functions;
    const double *b; /* used where tn_solver_solve gets none; NULL: zero */
} TnBlockDef;

#define TN_MAX_SIDES 4
typedef struct TnConstraintDef {
    TnSet set;
    TnBlockId block[TN_MAX_SIDES]; /* 0 ends the list; none at all is an error */
    const double *J[TN_MAX_SIDES]; /* rows × dim of that block, row-major; rows is 3 for friction,
                                      2 for roll, else 1; copied */
    /* J may have some columns of the block only: rows × column_count, and which ones; NULL: all */
    const int *column[TN_MAX_SIDES];
    int column_count[TN_MAX_SIDES];
    double e[3];            /* one number per row, m/s (rad/s); soft: m (rad) */
    double mu;              /* friction, >= 0; spin and roll: m */
    TnConstraintId contact; /* spin and roll: a friction constraint added before */
    double k, alpha;        /* soft: N/m (N m) and s, > 0 */
    double lower, upper;    /* box: N (N m), lower <= upper; may be infinite */
    double lever;           /* m/s per unit of J v, to judge rad/s by, >= 0; 0: 1; not friction */
} TnConstraintDef;

/* One island: blocks that constraints connect, solved together. */
typedef struct TnIslandReport {
    int blocks, contacts, rows; /* rows: scalar ones, and six per bond */
    /* That had the last word; TN_METHOD_AUTO: none, the starting guess was good enough. */
    TnMethod method;
    const char *why; /* it was chosen: some words, a string constant */
    bool converged;  /* error < tolerance */
    double error; /* largest natural-map error at A⁻¹(b + Jᵀλ), in shares of velocity_scale */
    int subadmm_iterations, assembled_iterations, baseline_iterations;
    int newton_steps;   /* those of interior points and of the augmented Lagrangian too */
    int factorizations; /* of the island's matrix */
} TnIslandReport;

typedef struct TnSolveReport {
    TnStatus status;
    bool converged;   /* with a tolerance: every island */
    int iterations;   /* of SubADMM or of a baseline, most in one island */
    const char *form; /* of a baseline: which of its forms ran; else NULL */
    /* m/s: RMS change of constraint velocities in the last iteration; with a tolerance the largest
     * natural-map error. */
    double residual;
    double aac, aal; /* -log10 of the RMS constraint error at v and at A⁻¹(b + Jᵀλ) */
    /* with a tolerance; otherwise error is NaN and there are no islands */
    double error; /* largest natural-map error, in shares of velocity_scale */
    int island_count;
    int islands_by_method[TN_METHOD_COUNT]; /* how many with that TnIslandReport.method */
} TnSolveReport;

TN_API TnSolver *tn_solver_create(const TnSolverDef *def, TnError *err);
TN_API void tn_solver_destroy(TnSolver *solver);
TN_API TnBlockId tn_solver_add_block(TnSolver *solver, const TnBlockDef *def);
TN_API TnConstraintId tn_solver_add_constraint(TnSolver *solver, const TnConstraintDef *def);
/* Checks, lays out, factors. What was added wrongly is reported here. */
TN_API TnStatus tn_solver_prepare(TnSolver *solver, TnError *err);
/* b, v: all blocks one after the other, b may be NULL: that of the blocks; lambda: all constraints
 * one after the other (3 numbers for friction, 2 for roll, else 1), may be NULL. Again with a new b:
 * warm-started. Numbers that leave double's range end as zeros, an infinite error and not converged. */
TN_API TnSolveReport tn_solver_solve(TnSolver *solver, const double *b, double *v, double *lambda);
/* Between solves: another method or tolerance for the same problem. thread_count stays. */
TN_API TnStatus tn_solver_set(TnSolver *solver, const TnSolverDef *def, TnError *err);
/* Where the next solve starts; NULL: zero. Needs tn_solver_prepare. */
TN_API void tn_solver_start(TnSolver *solver, const double *v, const double *lambda);
/* The last solution, or what was set to start from; NULL skips one. Needs tn_solver_prepare. */
TN_API void tn_solver_solution(const TnSolver *solver, double *v, double *lambda);

/* What was added; pointers are the solver's and borrowed. */
TN_API int tn_solver_block_count(const TnSolver *solver);
TN_API int tn_solver_constraint_count(const TnSolver *solver);
TN_API int tn_solver_unknown_count(const TnSolver *solver);
TN_API int tn_solver_lambda_count(const TnSolver *solver);
TN_API TnBlockDef tn_solver_block(const TnSolver *solver, TnBlockId id);
TN_API TnConstraintDef tn_solver_constraint(const TnSolver *solver, TnConstraintId id);

/* How good a solution is, recomputed from what was added and from nothing that a method knows. The
 * indices are explained in docs/accuracy.md. */
typedef struct TnJudgement {
    double aac;           /* -log10 of the RMS constraint error at v, m/s */
    double aal;           /* the same at v_λ = A⁻¹(b + Jᵀλ) */
    double aav;           /* -log10 of the distance from v_star in the norm of A; NaN without one */
    double natural_map;   /* m/s: largest of any constraint at v_λ, what a tolerance is about */
    TnConstraintId worst; /* of which; 0: there are none */
    /* of friction constraints with their spins and rolls, and as if there were no others: the error
     * of the frictional contact community, sqrt(Σ |λ - P_K(λ - û)|²) / max(|e + J v_free|, |λ|,
     * |u|), at v */
    double cone_error;
    double dynamics; /* |A v - b - Jᵀλ| / max(|b|, |A v|, |Jᵀλ|) */
} TnJudgement;
/* b, v_star may be NULL. Needs tn_solver_prepare. */
TN_API TnStatus tn_solver_judge(TnSolver *solver, const double *b, const double *v,
                                const double *lambda, const double *v_star, TnJudgement *out,
                                TnError *err);

#ifdef __cplusplus
}
#endif
#endif
