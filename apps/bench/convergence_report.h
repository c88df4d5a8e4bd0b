/* convergence_report.h: what `tenon-bench convergence` measured, and how it is told. */
#ifndef TENON_CONVERGENCE_REPORT_H
#define TENON_CONVERGENCE_REPORT_H

#include "solver_curve.h"

#include <stdio.h>

typedef enum ErrorKind { ERROR_NATURAL, ERROR_AAC, ERROR_AAL, ERROR_AAV, ERROR_COUNT } ErrorKind;
extern const char *const error_names[ERROR_COUNT + 1]; /* as --show takes them; ends with NULL */

typedef struct Convergence {
    const char *scene, *division;
    int64_t step;
    double time; /* s */
    int contacts, rows, threads, repeats;
    ErrorKind show;
    uint64_t state;
    bool v_star_converged;
    double v_star_error; /* m/s */
    SolverCurve curves[CURVE_COUNT];
} Convergence;

void convergence_print(const Convergence *c);
void convergence_write_csv(FILE *out, const Convergence *c);
void convergence_write_json(FILE *out, const Convergence *c);
int convergence_plot(const char *path, const Convergence *c, bool quiet); /* exit code */

#endif
