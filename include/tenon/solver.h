/* tenon/solver.h: the solver alone, for people who bring their own dynamics.
 *
 * It solves, for blocks i with symmetric positive definite A_i and constraints j,
 *     A_i v_i = b_i + Σ_j J_ijᵀ λ_j,      (Σ_i J_ij v_i + e_j, λ_j) ∈ set_j
 * by subsystem-based ADMM: each block solves its own small system, each constraint has a
 * closed-form update. */
#ifndef TENON_SOLVER_H
#define TENON_SOLVER_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TnMethod {
    TN_METHOD_AUTO,    /* per island and step, by predicted cost, error and progress (default) */
    TN_METHOD_SUBADMM, /* the paper's: each block alone, agreeing through constraints */
    TN_METHOD_ASSEMBLED, /* ADMM with the matrix of the whole island */
    TN_METHOD_NEWTON     /* Newton on the island's matrix, started and rescued by assembled ADMM */
} TnMethod;

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
    int iterations;   /* of SubADMM, largest number, 1 … 1e6; default 60 */
    double tolerance; /* of the natural-map error of every constraint, in shares of velocity_scale; 0:
                         exactly `iterations` iterations of SubADMM, whatever comes out (the paper's mode).
                         With TN_ADMM_PAPER: of the RMS change of constraint velocities, m/s */
    double velocity_scale;  /* m/s, > 0; a world sets gravity × timestep; default 1 */
    double weight_scale;    /* s in β = s / compliance, > 0; default 2.5 */
    double over_relaxation; /* α_r in [1, 2); default 1.7; the paper's form uses 1 */
    double warm_start; /* scale of the previous λ, [0, 1]; 0 starts cold; default -1: 1 where there is a
                          tolerance, so that what rests needs no iterations, else 0.95 */
    int anderson;     /* differences that Anderson acceleration combines, 1 … 16; 0: off; default -1:
                         10 where soft bodies are touched, else off; the paper's form has none */
    int thread_count; /* used by a solver on its own; a world sets it */
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
    TnMethod method;            /* that had the last word; TN_METHOD_AUTO: the starting guess was good enough */
    const char *why;            /* it was chosen: some words */
    bool converged;             /* error < tolerance */
    double error; /* largest natural-map error at v = A⁻¹(b + Jᵀλ), in shares of velocity_scale */
    int subadmm_iterations, assembled_iterations, newton_steps, factorizations;
} TnIslandReport;

typedef struct TnSolveReport {
    TnStatus status;
    bool converged;  /* with a tolerance: every island */
    int iterations;  /* of SubADMM, most in one island */
    double residual; /* RMS change of constraint velocities in the last one; with a tolerance the largest
                        natural-map error, not divided by velocity_scale */
    double aac, aal; /* -log10 of the RMS constraint error at v and at A⁻¹(b + Jᵀλ) */
    double error;    /* largest natural-map error, in shares of velocity_scale; NaN without a tolerance */
    int island_count, islands_by_method[4]; /* by TnIslandReport.method; with a tolerance */
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
