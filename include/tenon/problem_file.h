/* tenon/problem_file.h: problems for the solver alone, from files and into them. docs/problem-files.md
 * has the formats: tenon's own, and the frictional contact problems of Siconos. */
#ifndef TENON_PROBLEM_FILE_H
#define TENON_PROBLEM_FILE_H

#include <tenon/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TnProblemFormat {
    TN_PROBLEM_TENON,          /* blocks and constraints */
    TN_PROBLEM_SICONOS_LOCAL,  /* W, q, mu; with mu_r where contacts roll */
    TN_PROBLEM_SICONOS_GLOBAL, /* M, H, q, b, mu */
} TnProblemFormat;

/* A problem as a file has it. */
typedef struct TnProblemFile TnProblemFile;

typedef struct TnProblemFileInfo {
    TnProblemFormat format;
    int dimension;    /* of a contact: 2, 3, or 5 with rolling; 0 for tenon's own */
    int contacts;     /* friction constraints */
    int rows;         /* numbers in lambda */
    int unknowns;     /* numbers in v */
    double asymmetry; /* largest |W - Wᵀ| (of a global problem M) by the largest |W| */
} TnProblemFileInfo;

/* The format is told by the content. NULL: see err, which has the line. */
TN_API TnProblemFile *tn_problem_read(const char *path, TnError *err);
TN_API void tn_problem_file_destroy(TnProblemFile *file);
TN_API TnProblemFileInfo tn_problem_file_info(const TnProblemFile *file);
/* The problem, ready for tn_solver_prepare; the caller's. W and M are made symmetric. */
TN_API TnSolver *tn_problem_solver(const TnProblemFile *file, const TnSolverDef *def, TnError *err);
/* Digits that a local file lacks may leave its W a little indefinite, and solvers take only what is
 * semidefinite. Then the shift s is above 0, and the problem with W + sI instead of W and q - sλ
 * instead of q has the same solution if that is λ: solved again and again from the last λ (NULL:
 * zero), it leads to the file's. Without a shift it is tn_problem_solver. */
TN_API double tn_problem_shift(const TnProblemFile *file);
TN_API TnSolver *tn_problem_solver_near(const TnProblemFile *file, const TnSolverDef *def,
                                        const double *lambda, TnError *err);
/* Sets the solver, once prepared, to start from what the file has; zero where it has nothing. */
TN_API void tn_problem_start(const TnProblemFile *file, TnSolver *solver);
/* The error of Siconos of such a solution: with the matrices as they stand in the file, and made
 * symmetric. NaN for tenon's own format. */
TN_API void tn_problem_file_error(const TnProblemFile *file, const double *v, const double *lambda,
                                  double *as_read, double *symmetric);
/* In tenon's own format: everything that was added, and v and λ that a solve starts from. Blocks of
 * functions cannot be written. Needs tn_solver_prepare. */
TN_API TnStatus tn_problem_write(const TnSolver *solver, const char *path, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
