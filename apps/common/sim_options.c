/* Options that all commands share which simulate: the solver and its tuning. */
#include "app.h"
#include "options.h"
#include "team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Those of TnMethod, another name of one of them, and solvers that tenon-bench has. */
enum { NAME_FADMM = TN_METHOD_CHOICES, NAME_PJ };
static const char *const method_names[] = {"auto",  "subadmm", "assembled", "newton", "pgs",
                                           "fadmm", "pj",      "nnewton",   NULL};
static const char *const device_names[] = {"cpu", "cuda", "cuda64", NULL}; /* order of TnDevice */
static const char *const sleep_names[] = {"off", "passive", "all", NULL};  /* order of TnSleep */

static const char *const set_names[] = {"best", "portable", "avx2", "avx512",
                                        NULL}; /* order of TnInstructionSet */

const char *sleep_name(TnSleep sleep) { return sleep_names[sleep]; }

SimOptions sim_options(void)
{
    SimOptions sim = {.duration = 5,
                      .solver = tn_world_def().solver,
                      .method = -1,
                      .tolerance = NAN,
                      .threads = 1};
    sim.sleep = (int)tn_world_def().sleep;
    sim.passes = tn_world_def().passes;
    sim.old_passes = -1;
    sim.substeps = tn_world_def().substeps;
    sim.halvings = tn_world_def().halvings;
    return sim;
}

int sim_option_table(Option *table, int count, SimOptions *sim)
{
    table[count++] = option_int("--iterations", &sim->iterations, "N", 1, 1000000,
                                "iterations per step, 1 ... 1000000; with --tolerance the maximum; "
                                "default 60");
    table[count++] = option_real("--duration", &sim->duration, "S", 0, 1e6, ENDS_LOWER_OPEN,
                                 "simulated time in seconds, 0 < S <= 1e6; default 5");
    table[count++] = option_choice(
        "--solver", &sim->method, "NAME", method_names,
        "auto (default) chooses for each island and step; or subadmm, assembled (or fadmm), "
        "newton, pgs; tenon-bench has pj and nnewton");
    table[count++] =
        option_choice("--method", &sim->method, "NAME", method_names, "same as --solver");
    table[count++] = option_real(
        "--tolerance", &sim->tolerance, "T", 0, 1e6, ENDS_CLOSED,
        "maximum constraint error per step, as a fraction of gravity x timestep; steps that miss "
        "it are reported; default 1e-6; 0: no tolerance, exactly --iterations");
    table[count++] = option_choice("--sleep", &sim->sleep, "WHAT", sleep_names,
                                   "skip islands at rest: off (default), passive (islands without "
                                   "actuators) or all");
    table[count++] =
        option_int("--threads", &sim->threads, "N", 1, 64,
                   "number of threads, 1 ... 64; default 1; the result is the same for any number");
    table[count++] =
        option_set("--decompose", &sim->spread,
                   "domain decomposition: step the scene in parts, one per process of tenon-mpi; "
                   "for many free bodies; another result than without, the same for any number");
    table[count++] = option_set("--spread", &sim->old_spread,
                                "old name of --decompose; goes with the next version");
    table[count++] = option_choice(
        "--device", &sim->device, "NAME", device_names,
        "where steps run: cpu (default), cuda or, in double precision, cuda64; 'tenon info "
        "--devices' lists them");
    table[count++] = option_choice(
        "--isa", &sim->set, "NAME", set_names,
        "instruction set: best (default: the widest that this processor has), avx512, avx2, or "
        "portable: slower, with the same result on every processor; also TENON_ISA=NAME");
    table[count++] =
        option_text("--key", &sim->key, "NAME", "start from this keyframe of the model");
    table[count++] = option_division(&sim->division);
    table[count++] = option_pieces(&sim->division);
    table[count++] =
        option_real("--over-relaxation", &sim->solver.over_relaxation, "A", 1, 2, ENDS_UPPER_OPEN,
                    "over-relaxation of SubADMM, 1 <= A < 2; default 1.7; the paper uses 1");
    table[count++] =
        option_real("--weight-scale", &sim->solver.weight_scale, "W", 0, 1e6, ENDS_LOWER_OPEN,
                    "scale of the compliance weights, 0 < W <= 1e6; default 2.5");
    table[count++] =
        option_real("--warm-start", &sim->solver.warm_start, "W", 0, 1, ENDS_CLOSED,
                    "fraction of the last step's forces to start from, 0 <= W <= 1; default 1");
    table[count++] = option_int("--anderson", &sim->solver.anderson, "N", -1, 16,
                                "depth of Anderson acceleration, 0 ... 16; 0: off; default -1: 10 "
                                "if soft bodies or undivided cables are touched, otherwise off");
    table[count++] = option_real(
        "--contact-ratio", &sim->solver.contact_ratio, "R", 0, 1e9, ENDS_CLOSED,
        "contacts of islands too large for Newton's method yield by 1/R of their bodies' local "
        "compliance, R >= 0; 0: rigid; default 60");
    table[count++] = option_int("--passes", &sim->passes, "N", 0, 100,
                                "passes per step, 0 ... 100, each linearized at the result of the "
                                "last; default 0: as many as needed");
    table[count++] = option_int("--relinearize", &sim->old_passes, "N", 0, 100,
                                "old name of --passes; goes with the next version");
    table[count++] = option_int("--substeps", &sim->substeps, "N", 0, 100,
                                "take each step in N parts of equal length, 1 ... 100; default 0: "
                                "as the model says");
    table[count++] = option_int("--halvings", &sim->halvings, "N", 0, 16,
                                "take a step again in two halves where something ends up too deep "
                                "or energy is lost or made, and these likewise, up to N times, "
                                "0 ... 16; default 4; 0: never");
    table[count++] = option_real("--accuracy", &sim->accuracy, "A", 0, 1e6, ENDS_CLOSED,
                                 "take each step in as many parts as an error in time of A metres "
                                 "per simulated second takes; default 0: as the model says");
    table[count++] = option_package_path();
    table[count++] = option_free_base();
    table[count++] = option_files();
    table[count++] = option_limit_factor();
    return count;
}

static bool choose_method(const char *command, SimOptions *sim)
{
    TnSolverDef *solver = &sim->solver;
    if (sim->method < 0) return true;
    if (sim->method < NAME_PJ) {
        solver->method = sim->method == NAME_FADMM ? TN_METHOD_ASSEMBLED : (TnMethod)sim->method;
        return true;
    }
    if (!sim->others) {
        say(command, "--solver: '%s' is a solver of tenon-bench scene", method_names[sim->method]);
        return false;
    }
    solver->method = TN_METHOD_OWN;
    solver->own = sim->others[sim->method - NAME_PJ];
    return true;
}

static bool choose_set(const char *command, const SimOptions *sim)
{
    const char *wish = getenv("TENON_ISA");
    bool known = !wish || !*wish;
    for (int i = 0; set_names[i] && !known; i++) known = strcmp(wish, set_names[i]) == 0;
    if (!known) {
        say(command, "TENON_ISA is '%s'; expected best, portable, avx2 or avx512", wish);
        return false;
    }
    if (sim->set == TN_SET_BEST || tn_use_instruction_set((TnInstructionSet)sim->set)) return true;
    say(command, "--isa %s: this processor does not have it; --isa portable runs everywhere",
        set_names[sim->set]);
    return false;
}

bool sim_options_finish(const char *command, SimOptions *sim)
{
    TnSolverDef *solver = &sim->solver;
    bool counts = sim->method != TN_METHOD_AUTO && sim->method != TN_METHOD_NEWTON;
    if (!choose_set(command, sim) || !choose_method(command, sim)) return false;
    if (sim->old_passes >= 0) {
        say(command, "--relinearize is now --passes; the old name goes with the next version");
        sim->passes = sim->old_passes;
    }
    if (!isnan(sim->tolerance))
        solver->tolerance = sim->tolerance;
    else if (counts && sim->iterations > 0)
        solver->tolerance = 0;
    if (sim->old_spread) {
        say(command, "--spread is now --decompose; the old name goes with the next version");
        sim->spread = true;
    }
    if (sim->iterations > 0) solver->iterations = sim->iterations;
    solver->thread_count = sim->threads;
    if (solver->tolerance > 0 || solver->method != TN_METHOD_NEWTON) return true;
    say(command, "--solver newton needs a tolerance above 0, such as --tolerance 1e-6; for a fixed "
                 "number of iterations use --solver subadmm");
    return false;
}

TnWorldDef sim_world_def(const SimOptions *sim)
{
    TnWorldDef def = tn_world_def();
    def.thread_count = sim->threads;
    def.solver = sim->solver;
    def.sleep = (TnSleep)sim->sleep;
    def.passes = sim->passes;
    def.substeps = sim->substeps;
    def.halvings = sim->halvings;
    def.accuracy = sim->accuracy;
    def.division = sim->division;
    def.device = (TnDevice)sim->device;
    def.spread = sim->spread;
    def.ranks = team_ranks();
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
