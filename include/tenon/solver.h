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

/* Of an island. Without a tolerance there is only SubADMM, on everything at once. */
typedef enum TnMethod {
    TN_METHOD_AUTO,      /* by predicted cost, error and progress in this solve (default) */
    TN_METHOD_SUBADMM,   /* the paper's: each block alone, agreeing through constraints */
    TN_METHOD_ASSEMBLED, /* ADMM with the matrix of the whole island */
    /* Newton's steps, interior points and an augmented Lagrangian with that matrix, started and
     * rescued by assembled ADMM. */
    TN_METHOD_NEWTON
} TnMethod;
#define TN_METHOD_COUNT 4

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
    int iterations; /* of SubADMM, largest number, 1 … 1e6; default 60 */
    /* Of the natural-map error of every constraint, in shares of velocity_scale, >= 0; default
     * 1e-6. 0: exactly `iterations` iterations of SubADMM, whatever comes out (the paper's mode).
     * With TN_ADMM_PAPER: of the RMS change of constraint velocities, m/s. */
    double tolerance;
    double velocity_scale;  /* m/s, > 0; default 1; a world sets gravity × timestep */
    double weight_scale;    /* s in β = s / compliance, > 0; default 2.5 */
    double over_relaxation; /* α_r in [1, 2); default 1.7; the paper's form uses 1 */
    /* Scale of the previous λ, [0, 1]; 0 starts cold. Default -1: 1 where there is a tolerance, so
     * that what rests needs no iterations, else 0.95. */
    double warm_start;
    /* Differences that Anderson acceleration of SubADMM combines, 1 … 16; 0: off. Default -1: 10
     * where soft bodies are touched, 3 for islands with cables, else off. The paper's form has
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
    TN_SET_FRICTION /* Signorini–Coulomb; three rows: normal, two tangents */
} TnSet;

typedef struct TnBlockDef {
    int dim;         /* > 0 */
    const double *A; /* dim × dim, row-major, symmetric positive definite; copied */
} TnBlockDef;

#define TN_MAX_SIDES 4
typedef struct TnConstraintDef {
    TnSet set;
    TnBlockId block[TN_MAX_SIDES]; /* 0 ends the list; none at all is an error */
    const double *J[TN_MAX_SIDES]; /* rows × dim of that block, row-major; rows is 3 for friction,
                                      else 1; copied */
    double e[3];                   /* one number per row */
    double mu;                     /* friction */
    double k, alpha;               /* soft */
    double lower, upper;           /* box */
} TnConstraintDef;

/* One island: blocks that constraints connect, solved together. */
typedef struct TnIslandReport {
    int blocks, contacts, rows; /* rows: scalar ones, and six per bond */
    /* That had the last word; TN_METHOD_AUTO: none, the starting guess was good enough. */
    TnMethod method;
    const char *why; /* it was chosen: some words, a string constant */
    bool converged;  /* error < tolerance */
    double error; /* largest natural-map error at A⁻¹(b + Jᵀλ), in shares of velocity_scale */
    int subadmm_iterations, assembled_iterations;
    int newton_steps;   /* those of interior points and of the augmented Lagrangian too */
    int factorizations; /* of the island's matrix */
} TnIslandReport;

typedef struct TnSolveReport {
    TnStatus status;
    bool converged; /* with a tolerance: every island */
    int iterations; /* of SubADMM, most in one island */
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
/* b, v: all blocks one after the other; lambda: all constraints one after the other (3 numbers for
 * friction, else 1), may be NULL. Again with a new b: warm-started. */
TN_API TnSolveReport tn_solver_solve(TnSolver *solver, const double *b, double *v, double *lambda);

#ifdef __cplusplus
}
#endif
#endif
