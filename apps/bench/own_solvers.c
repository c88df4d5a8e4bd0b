/* Solvers of bench/baselines; see own_solvers.h. */
#include "own_solvers.h"

static const TnOwnMethod *const named[OTHER_SOLVERS] = {&tn_own_pj, &tn_own_nnewton};

SimOptions bench_sim_options(void)
{
    SimOptions sim = sim_options();
    sim.others = named;
    return sim;
}

void use_form_and_weights(TnSolverDef *solver, int form, int weights)
{
    if (form == FORM_REDUCED && weights == WEIGHTS_COMPLIANCE) return;
    solver->method = TN_METHOD_OWN;
    solver->own = form == FORM_REDUCED            ? &tn_own_paper_weights
                  : weights == WEIGHTS_COMPLIANCE ? &tn_own_paper_form
                                                  : &tn_own_paper;
}

static bool runs(const TnSolverDef *solver, const TnOwnMethod *own)
{
    return solver->method == TN_METHOD_OWN && solver->own == own;
}

bool has_paper_form(const TnSolverDef *solver)
{
    return runs(solver, &tn_own_paper_form) || runs(solver, &tn_own_paper);
}

bool has_paper_weights(const TnSolverDef *solver)
{
    return runs(solver, &tn_own_paper_weights) || runs(solver, &tn_own_paper);
}

const char *form_name(const TnSolverDef *solver)
{
    return has_paper_form(solver) ? "paper" : "reduced";
}

const char *weights_name(const TnSolverDef *solver)
{
    return has_paper_weights(solver) ? "paper" : "compliance";
}

const char *solver_name(const TnSolverDef *solver)
{
    return solver->method == TN_METHOD_OWN ? tn_own_name(solver->own)
                                           : tn_method_name(solver->method);
}
