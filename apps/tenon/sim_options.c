/* Options that all commands share which simulate: the solver and its tuning. */
#include "options.h"

#include "app.h"

#include <math.h>

static const char *const method_names[] = {"auto", "subadmm", "assembled", "newton", "pgs",
                                           "pj",   "fadmm",   "nnewton",   NULL}; /* of TnMethod */
static const char *const sleep_names[] = {"off", "passive", "all", NULL}; /* order of TnSleep */
static const char *const form_names[] = {"reduced", "paper", NULL};       /* order of TnAdmmForm */
static const char *const weight_names[] = {"compliance", "paper", NULL};  /* order of TnWeights */

const char *sleep_name(TnSleep sleep) { return sleep_names[sleep]; }
const char *weights_name(TnWeights weights) { return weight_names[weights]; }
const char *form_name(TnAdmmForm form) { return form_names[form]; }

SimOptions sim_options(void)
{
    SimOptions sim = {
        .duration = 5, .solver = tn_solver_def(), .method = -1, .tolerance = NAN, .threads = 1};
    sim.sleep = (int)tn_world_def().sleep;
    sim.form = (int)sim.solver.form;
    sim.weights = (int)sim.solver.weights;
    sim.relinearize = tn_world_def().relinearize;
    return sim;
}

int sim_option_table(Option *table, int count, SimOptions *sim)
{
    table[count++] = option_int("--iterations", &sim->iterations, "N", 1, 1000000,
                                "exactly N per step, 1 ... 1000000; with --tolerance: at most; "
                                "default 60");
    table[count++] = option_real("--duration", &sim->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                                 "simulated time in seconds, 0 < S <= 1e6; default 5");
    table[count++] = option_choice(
        "--solver", &sim->method, "NAME", method_names,
        "auto (default: chosen for each island and step), subadmm, assembled, newton, or one of "
        "the paper's others: pgs, pj, fadmm, nnewton");
    table[count++] = option_choice("--method", &sim->method, "NAME", method_names, "as --solver");
    table[count++] = option_real("--tolerance", &sim->tolerance, "T", 0, 1e6, ENDS_CLOSED,
                                 "error of every constraint, in shares of gravity x timestep, that "
                                 "a step has or reports; default 1e-6; 0: exactly --iterations");
    table[count++] = option_choice("--sleep", &sim->sleep, "WHAT", sleep_names,
                                   "islands at rest are left out of steps: off (default), passive "
                                   "(those without actuators) or all");
    table[count++] = option_int("--threads", &sim->threads, "N", 1, 64,
                                "1 ... 64; default 1; the result does not depend on it");
    table[count++] =
        option_text("--key", &sim->key, "NAME", "start from this keyframe of the model");
    table[count++] = option_division(&sim->division);
    table[count++] = option_pieces(&sim->division);
    table[count++] = option_choice(
        "--admm-form", &sim->form, "FORM", form_names,
        "reduced (default: only v and lambda are kept) or paper (z and u as printed)");
    table[count++] =
        option_real("--over-relaxation", &sim->solver.over_relaxation, "A", 1, 2, ENDS_UPPER_OPEN,
                    "1 <= A < 2; default 1.7; the paper's form uses 1");
    table[count++] =
        option_real("--weight-scale", &sim->solver.weight_scale, "W", 0, 1e6, ENDS_LOWER_OPEN,
                    "scale of the compliance weights, 0 < W <= 1e6; default 2.5");
    table[count++] =
        option_real("--warm-start", &sim->solver.warm_start, "W", 0, 1, ENDS_CLOSED,
                    "share of the last step's forces to start from, 0 <= W <= 1; default 1");
    table[count++] =
        option_int("--anderson", &sim->solver.anderson, "N", -1, 16,
                   "differences that Anderson acceleration combines, 0 ... 16, 0: off; default -1: "
                   "10 where soft bodies or undivided cables are touched, else off");
    table[count++] =
        option_int("--relinearize", &sim->relinearize, "N", 1, 100,
                   "passes of a step, 1 ... 100, each linear about what the last one found (but "
                   "for soft bodies, spin and rolling friction); default 1");
    return count;
}

bool sim_options_finish(const char *command, SimOptions *sim)
{
    TnSolverDef *solver = &sim->solver;
    bool fixed = sim->iterations > 0 || sim->form == TN_ADMM_PAPER ||
                 sim->weights == TN_WEIGHTS_PAPER;
    bool counts =
        sim->method < 0 || sim->method == TN_METHOD_SUBADMM || sim->method >= TN_METHOD_PGS;
    if (!isnan(sim->tolerance))
        solver->tolerance = sim->tolerance;
    else if (counts && fixed)
        solver->tolerance = 0;
    if (sim->method >= 0) solver->method = (TnMethod)sim->method;
    if (sim->iterations > 0) solver->iterations = sim->iterations;
    solver->form = (TnAdmmForm)sim->form;
    solver->weights = (TnWeights)sim->weights;
    solver->thread_count = sim->threads;
    if (solver->tolerance > 0 ||
        (solver->method != TN_METHOD_ASSEMBLED && solver->method != TN_METHOD_NEWTON))
        return true;
    say(command,
        "--solver %s works towards a tolerance: add one above 0, as --tolerance 1e-6; a fixed "
        "number of iterations is --solver subadmm",
        method_names[solver->method]);
    return false;
}

TnWorldDef sim_world_def(const SimOptions *sim)
{
    TnWorldDef def = tn_world_def();
    def.thread_count = sim->threads;
    def.solver = sim->solver;
    def.sleep = (TnSleep)sim->sleep;
    def.relinearize = sim->relinearize;
    def.division = sim->division;
    return def;
}

const char *division_name(const TnModel *model, TnDivisionDef asked,
                          char buffer[DIVISION_NAME_SIZE])
{
    static const char *const names[] = {"auto", "whole", "paper"}; /* order of TnDivisionKind */
    int pieces = asked.pieces;
    if (asked.kind == TN_DIVISION_AUTO && model) asked = tn_model_info(model).option.division;
    if (asked.kind != TN_DIVISION_GROUPS && pieces == 0) return names[asked.kind];
    int used = asked.kind == TN_DIVISION_GROUPS
                   ? snprintf(buffer, DIVISION_NAME_SIZE, "%d", asked.group_size)
                   : snprintf(buffer, DIVISION_NAME_SIZE, "%s", names[asked.kind]);
    if (pieces > 0)
        snprintf(buffer + used, DIVISION_NAME_SIZE - (size_t)used, ", %d piece%s", pieces,
                 pieces == 1 ? "" : "s");
    return buffer;
}
