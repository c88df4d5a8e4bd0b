/* tenon/problem_file.h: reads and writes solver problems as files. docs/problem-files.md describes
 * the formats: tenon's own, and the frictional contact problems of Siconos. */
#ifndef TENON_PROBLEM_FILE_H
#define TENON_PROBLEM_FILE_H

#include <tenon/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TnProblemFormat {
    TN_PROBLEM_TENON,          /* blocks and constraints */
    TN_PROBLEM_SICONOS_LOCAL,  /* W, q, mu; mu_r with rolling friction */
    TN_PROBLEM_SICONOS_GLOBAL, /* M, H, q, b, mu */
} TnProblemFormat;

/* The content of a problem file. */
typedef struct TnProblemFile TnProblemFile;

typedef struct TnProblemFileInfo {
    TnProblemFormat format;
    int dimension;    /* of a contact: 2, 3, or 5 with rolling; 0 for tenon's format */
    int contacts;     /* friction constraints */
    int rows;         /* numbers in lambda */
    int unknowns;     /* numbers in v */
    double asymmetry; /* largest |W - Wᵀ| over the largest |W| (global problem: of M) */
} TnProblemFileInfo;

/* The content determines the format. Returns NULL on errors; err has the line. */
TN_API TnProblemFile *tn_problem_read(const char *path, TnError *err);
TN_API void tn_problem_file_destroy(TnProblemFile *file);
TN_API TnProblemFileInfo tn_problem_file_info(const TnProblemFile *file);
/* The problem, ready for tn_solver_prepare; the caller destroys it. W and M are symmetrized. */
TN_API TnSolver *tn_problem_solver(const TnProblemFile *file, const TnSolverDef *def, TnError *err);
/* If a local file has few digits, its W may be slightly indefinite, but solvers need a semidefinite
 * matrix. The shift s is then > 0. The problem with W + sI and q - sλ instead of W and q has the
 * same solution if that solution is λ. Solve it repeatedly from the last λ (NULL: zero) to converge
 * to the solution of the file. If s is 0, tn_problem_solver_near is tn_problem_solver. */
TN_API double tn_problem_shift(const TnProblemFile *file);
TN_API TnSolver *tn_problem_solver_near(const TnProblemFile *file, const TnSolverDef *def,
                                        const double *lambda, TnError *err);
/* Sets the start of a prepared solver to that of the file, or to zero if the file has none. */
TN_API void tn_problem_start(const TnProblemFile *file, TnSolver *solver);
/* Siconos' error of a solution, with the matrices of the file as read and symmetrized. NaN for
 * tenon's format. */
TN_API void tn_problem_file_error(const TnProblemFile *file, const double *v, const double *lambda,
                                  double *as_read, double *symmetric);
/* Writes all added data and the starting v and λ in tenon's format. Blocks given by functions
 * cannot be written. Needs tn_solver_prepare. */
TN_API TnStatus tn_problem_write(const TnSolver *solver, const char *path, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
