/* own_solvers.h: the solvers of bench/baselines beside those of the library. */
#ifndef TENON_OWN_SOLVERS_H
#define TENON_OWN_SOLVERS_H

#include "../../bench/baselines/baselines.h"
#include "../common/options.h"

/* sim_options() with the names pj and nnewton. */
SimOptions bench_sim_options(void);

enum { FORM_REDUCED, FORM_PAPER };
enum { WEIGHTS_COMPLIANCE, WEIGHTS_PAPER };
/* SubADMM in this form and with these weights; as it is where both are the library's. */
void use_form_and_weights(TnSolverDef *solver, int form, int weights);
bool has_paper_form(const TnSolverDef *solver);
bool has_paper_weights(const TnSolverDef *solver);
const char *form_name(const TnSolverDef *solver);    /* "reduced", "paper" */
const char *weights_name(const TnSolverDef *solver); /* "compliance", "paper" */
const char *solver_name(const TnSolverDef *solver);  /* "auto" … "pj", "nnewton" */

#endif
