/* Options that `run` and `bench` share: the solver and its tuning. */
#include "options.h"

#include <stdio.h>

static const char *const method_names[] = {"auto", "subadmm", "assembled", "newton", NULL}; /* order of TnMethod */
static const char *const form_names[] = {"reduced", "paper", NULL};      /* order of TnAdmmForm */
static const char *const weight_names[] = {"compliance", "paper", NULL}; /* order of TnWeights */

const char *weights_name(TnWeights weights) { return weight_names[weights]; }
const char *form_name(TnAdmmForm form) { return form_names[form]; }

SimOptions sim_options(void)
{
    SimOptions sim = {.duration = 5, .solver = tn_solver_def(), .threads = 1};
    sim.method = (int)sim.solver.method;
    sim.form = (int)sim.solver.form;
    sim.weights = (int)sim.solver.weights;
    return sim;
}

int sim_option_table(Option *table, int count, SimOptions *sim)
{
    table[count++] = option_real("--duration", &sim->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                                 "simulated time in seconds, 0 < S <= 1e6; default 5");
    table[count++] =
        option_choice("--method", &sim->method, "NAME", method_names, "auto (default), subadmm, assembled or newton");
    table[count++] =
        option_real("--tolerance", &sim->solver.tolerance, "T", 0, 1e6, ENDS_CLOSED,
                    "stop below this residual in m/s; default 0: always all iterations");
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
                    "share of the last step's forces to start from, 0 <= W <= 1; default 1 "
                    "with a tolerance, else 0.95");
    table[count++] =
        option_int("--anderson", &sim->solver.anderson, "N", -1, 16,
                   "differences that Anderson acceleration combines, 0 ... 16, 0: off; default -1: "
                   "10 where soft bodies are touched, else off");
    return count;
}

void sim_options_finish(SimOptions *sim)
{
    sim->solver.method = (TnMethod)sim->method;
    sim->solver.form = (TnAdmmForm)sim->form;
    sim->solver.weights = (TnWeights)sim->weights;
    sim->solver.thread_count = sim->threads;
}

TnWorldDef sim_world_def(const SimOptions *sim)
{
    TnWorldDef def = tn_world_def();
    def.thread_count = sim->threads;
    def.solver = sim->solver;
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
