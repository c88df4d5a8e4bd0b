/* tenon/solver.h: the solver alone, for programs with their own dynamics.
 *
 * It solves, for blocks i with symmetric positive definite A_i and constraints j,
 *     A_i v_i = b_i + Σ_j J_ijᵀ λ_j,      (Σ_i J_ij v_i + e_j, λ_j) ∈ set_j
 * to a tolerance. An island is a set of blocks that constraints connect. Each island is solved by
 * the method that suits it: subsystem-based ADMM (each block solves its own small system, each
 * constraint has a closed-form update) or Newton's method on the whole island. docs/solver.md and
 * docs/newton.md describe them. */
#ifndef TENON_SOLVER_H
#define TENON_SOLVER_H

#include <tenon/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Method per island. With tolerance 0 it applies to the whole problem; NEWTON is then not allowed.
 */
typedef enum TnMethod {
    /* Chosen by predicted cost, error and progress in this solve (default). With tolerance 0:
     * SubADMM. */
    TN_METHOD_AUTO,
    TN_METHOD_SUBADMM,   /* the paper's method: each block is factored separately */
    TN_METHOD_ASSEMBLED, /* ADMM with the matrix of the whole island, adaptive weights (FADMM) */
    /* Newton's steps, interior points and an augmented Lagrangian with that matrix. */
    TN_METHOD_NEWTON,
    TN_METHOD_PGS, /* projected Gauss-Seidel, accelerated by conjugate directions */
    /* Only in reports, for `auto` and `newton`. They cannot be requested. */
    TN_METHOD_INTERIOR, /* interior points on the contact cones */
    TN_METHOD_PROXIMAL, /* augmented Lagrangian with a line search */
    TN_METHOD_SMALL,    /* a small island as one full matrix: Newton's steps and sweeps */
    TN_METHOD_OWN       /* TnSolverDef.own */
} TnMethod;
#define TN_METHOD_COUNT 9
#define TN_METHOD_CHOICES 5 /* the first ones, which can be requested by name */
/* "auto", "subadmm", "assembled", "newton", "pgs", "interior", "proximal", "small", "own" */
TN_API const char *tn_method_name(TnMethod method);

/* A method that is not part of the library; see bench/baselines. */
typedef struct TnOwnMethod TnOwnMethod;

typedef struct TnSolverDef {
    TnMethod method;
    const TnOwnMethod *own; /* for TN_METHOD_OWN, otherwise ignored; borrowed */
    /* Maximum number for the requested method, and for SubADMM where AUTO has nothing else to go on
     * with, 1 … 1e6; default 60. Beside a second method SubADMM has at least 60, and what else AUTO
     * does has limits of its own (docs/newton.md): TnIslandReport.iteration_limit tells SubADMM's.
     */
    int iterations;
    /* Maximum natural-map error of any constraint, as a fraction of velocity_scale, >= 0; default
     * 1e-6. 0: exactly `iterations` iterations without a test of the error (the paper's mode). */
    double tolerance;
    double velocity_scale;  /* m/s, > 0; default 1; a world sets gravity × timestep */
    double weight_scale;    /* s in β = s / compliance, > 0; default 2.5 */
    double over_relaxation; /* α_r in [1, 2); default 1.7 */
    /* Fraction of the previous λ to start from, [0, 1]; 0: cold start. Default -1: 1. */
    double warm_start;
    /* Depth of Anderson acceleration of SubADMM, 1 … 16; 0: off. Default -1: 10 if soft bodies or
     * undivided cables are touched, otherwise off. */
    int anderson;
    /* With method AUTO and a tolerance, contacts of islands that are too large for Newton's method
     * yield by their local compliance / contact_ratio about the forces of the step before
     * (docs/solver.md), >= 0. Such islands are solved to 1e-4, or to the tolerance where that is
     * larger, and have a limit of iterations of their own: TnIslandReport has both. 0: contacts are
     * rigid. Default 0, of a world 60. */
    double contact_ratio;
    double contact_stiffness; /* N per m/s; a world sets it from TnOption.contact_stiffness */
    int thread_count;         /* default 1; for a solver used alone: a world has its own threads */
} TnSolverDef;

TN_API TnSolverDef tn_solver_def(void);
/* TN_OK, or TN_ERROR_USAGE and a message that names the field out of range. */
TN_API TnStatus tn_solver_def_check(const TnSolverDef *def, TnError *err);

typedef struct TnSolver TnSolver;
typedef int32_t TnBlockId;      /* from 1 */
typedef int32_t TnConstraintId; /* from 1 */

typedef enum TnSet {
    TN_SET_EQUALITY,   /* J v + e = 0 */
    TN_SET_INEQUALITY, /* 0 <= λ ⟂ J v + e >= 0 */
    TN_SET_SOFT,       /* λ = -k (e + α J v) */
    /* λ in [lower, upper]. J v + e = 0 inside; it may be > 0 at the lower bound and < 0 at the
     * upper bound. */
    TN_SET_BOX,
    TN_SET_FRICTION, /* Signorini–Coulomb; three rows: normal, two tangents */
    TN_SET_SPIN,     /* |λ| <= mu · normal force of `contact`, opposing J v + e; one row */
    TN_SET_ROLL      /* the same on a disc; two rows */
} TnSet;

/* Compressed sparse rows; both triangles. */
typedef struct TnSparseMatrix {
    const int *row_start; /* dim + 1 */
    const int *column;    /* from 0, increasing within a row */
    const double *value;
} TnSparseMatrix;

/* A block that is given by callbacks instead of a matrix. */
typedef struct TnBlockFunctions {
    void *context;
    /* Called once by tn_solver_prepare; false: A is not positive definite. May be NULL. */
    bool (*factor)(void *context);
    /* x ← A⁻¹ x for `count` vectors of dim numbers, one after the other; called after factor. */
    void (*solve)(void *context, double *x, int count);
    /* y = A x; NULL: the error of the dynamics is measured with solve instead. */
    void (*multiply)(void *context, const double *x, double *y);
} TnBlockFunctions;

/* A is symmetric positive definite and given in exactly one of five ways. Everything is copied,
 * except the context of functions. */
typedef struct TnBlockDef {
    int dim;         /* > 0 */
    const double *A; /* dim × dim, row-major */
    /* (bandwidth + 1) × dim: A_banded[k · dim + i] is A at (i + k, i), 0 beyond the end */
    const double *A_banded;
    int bandwidth;
    const TnSparseMatrix *A_sparse;
    /* A⁻¹, dim × dim, positive semidefinite; directions in its null space do not move */
    const double *A_inverse;
    const TnBlockFunctions *functions;
    const double *b; /* used if tn_solver_solve gets no b; NULL: zero */
} TnBlockDef;

#define TN_MAX_SIDES 4
typedef struct TnConstraintDef {
    TnSet set;
    TnBlockId block[TN_MAX_SIDES]; /* 0 ends the list; an empty list is an error */
    const double *J[TN_MAX_SIDES]; /* rows × dim of that block, row-major; rows is 3 for friction,
                                      2 for roll, otherwise 1; copied */
    /* The columns of the block that J has, if not all: J is then rows × column_count. NULL: all */
    const int *column[TN_MAX_SIDES];
    int column_count[TN_MAX_SIDES];
    double e[3];            /* one number per row, m/s (rad/s); soft: m (rad) */
    double mu;              /* friction, >= 0; spin and roll: m */
    TnConstraintId contact; /* spin and roll: a friction constraint added before */
    double k, alpha;        /* soft: N/m (N m) and s, > 0 */
    double lower, upper;    /* box: N (N m), lower <= upper; may be infinite */
    /* Lever arm that converts the error of J v (rad/s) to m/s, >= 0; 0: 1; not for friction */
    double lever;
} TnConstraintDef;

/* One island: blocks that constraints connect, solved together. */
typedef struct TnIslandReport {
    int blocks, contacts, rows; /* rows: scalar ones, and six per bond */
    /* The method that found the solution. TN_METHOD_AUTO: the starting guess was good enough. */
    TnMethod method;
    const char *why; /* the reason why it was chosen, a string constant */
    bool converged;  /* error < tolerance */
    /* That of TnSolverDef, as a fraction of velocity_scale, or of contacts that yield. */
    double tolerance;
    double error; /* largest natural-map error at A⁻¹(b + Jᵀλ), as a fraction of velocity_scale */
    /* The same by the laws of rigid contacts; differs from error if contacts yield. */
    double rigid_error;
    /* m/s: what constraints contradict each other by. No force mends that, so it is not in `error`,
     * which is that of the closest problem that has a solution. 0: this one has. */
    double contradiction;
    double contact_ratio; /* smallest of the contacts, if they yield; 0: they are rigid */
    int subadmm_iterations;
    int iteration_limit; /* of SubADMM, all of its tries together; 0: it has not run */
    int sweeps;          /* of Gauss-Seidel, for another method to start from */
    int own_iterations;  /* of PGS, of assembled ADMM if requested, of TnSolverDef.own */
    int newton_steps;    /* includes steps of interior points and of the augmented Lagrangian */
    int factorizations;  /* of the island's matrix */
} TnIslandReport;

typedef struct TnSolveReport {
    TnStatus status;
    bool converged;   /* with a tolerance: every island converged */
    int iterations;   /* of SubADMM or the requested method, maximum over the islands */
    const char *form; /* which form of PGS, assembled ADMM or an own method ran; otherwise NULL */
    /* m/s: RMS change of constraint velocities in the last iteration; with a tolerance, the
     * largest natural-map error. */
    double residual;
    double aac, aal; /* -log10 of the RMS constraint error at v and at A⁻¹(b + Jᵀλ) */
    /* The following need a tolerance; otherwise error is NaN and there are no islands. */
    double error; /* largest natural-map error, as a fraction of velocity_scale */
    int island_count;
    int islands_by_method[TN_METHOD_COUNT]; /* number of islands by TnIslandReport.method */
} TnSolveReport;

TN_API TnSolver *tn_solver_create(const TnSolverDef *def, TnError *err);
TN_API void tn_solver_destroy(TnSolver *solver);
TN_API TnBlockId tn_solver_add_block(TnSolver *solver, const TnBlockDef *def);
TN_API TnConstraintId tn_solver_add_constraint(TnSolver *solver, const TnConstraintDef *def);
/* Checks and factors the problem, and reports the errors of all blocks and constraints added. */
TN_API TnStatus tn_solver_prepare(TnSolver *solver, TnError *err);
/* b and v: the numbers of all blocks in order. b may be NULL: then each block uses its own. lambda:
 * the numbers of all constraints in order (3 for friction, 2 for roll, otherwise 1); may be NULL.
 * Further solves are warm-started. If numbers overflow, the result is zeros, an infinite error and
 * not converged. */
TN_API TnSolveReport tn_solver_solve(TnSolver *solver, const double *b, double *v, double *lambda);
/* Changes method or tolerance between solves of the same problem. thread_count does not change. */
TN_API TnStatus tn_solver_set(TnSolver *solver, const TnSolverDef *def, TnError *err);
/* Sets the start of the next solve; NULL: zero. Needs tn_solver_prepare. */
TN_API void tn_solver_start(TnSolver *solver, const double *v, const double *lambda);
/* The last solution, or the start that was set; either may be NULL. Needs tn_solver_prepare. */
TN_API void tn_solver_solution(const TnSolver *solver, double *v, double *lambda);

/* The blocks and constraints that were added. The pointers belong to the solver. */
TN_API int tn_solver_block_count(const TnSolver *solver);
TN_API int tn_solver_constraint_count(const TnSolver *solver);
TN_API int tn_solver_unknown_count(const TnSolver *solver);
TN_API int tn_solver_lambda_count(const TnSolver *solver);
TN_API TnBlockDef tn_solver_block(const TnSolver *solver, TnBlockId id);
TN_API TnConstraintDef tn_solver_constraint(const TnSolver *solver, TnConstraintId id);

/* The accuracy of a solution, recomputed from the problem alone, independently of the methods. The
 * indices are explained in docs/accuracy.md. */
typedef struct TnJudgement {
    double aac;           /* -log10 of the RMS constraint error at v, m/s */
    double aal;           /* the same at v_λ = A⁻¹(b + Jᵀλ) */
    double aav;           /* -log10 of the distance from v_star in the norm of A; NaN without one */
    double natural_map;   /* m/s: largest of any constraint at v_λ; the tolerance limits this */
    TnConstraintId worst; /* its constraint; 0: there are none */
    /* The error used in the frictional contact literature, of friction constraints with their spin
     * and roll, at v; other constraints are ignored: sqrt(Σ |λ - P_K(λ - û)|²) /
     * max(|e + J v_free|, |λ|, |u|) */
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
