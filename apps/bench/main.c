/* tenon-bench: measures the engine; ../common/program.h finds the command and runs it. */
#include "../common/program.h"
#include "commands.h"
#include "platform/process.h"

static const Command commands[] = {
    {"scene", cmd_scene, "time and accuracy of one scene at several iteration counts"},
    {"hard", cmd_hard, "stacks, mass ratios, arches, grasps and impacts: what stands, what falls"},
    {"simbench", cmd_simbench, "the scenes of SimBenchmark with its error measures"},
    {"table", cmd_table, "the paper's table: five solvers and the automatic method, same steps"},
    {"convergence", cmd_convergence, "error of one step against iterations and time, all solvers"},
    {"scaling", cmd_scaling, "time per step of growing piles, longer cables and finer soft beams"},
    {"threads", cmd_threads, "the same steps on 1, 2, 4, ... threads, phase by phase"},
    {"ranks", cmd_ranks, "the work of each rank that steps a part of a pile"},
    {"piles", cmd_piles, "piles: motion against a reference, missed tolerances, time"},
    {"batch", cmd_batch, "many worlds of a scene that threads share: steps per second"},
    {"lasting", cmd_lasting, "motion that conservative scenes with lasting contacts keep"},
    {"gpu", cmd_gpu, "time per step of large piles on a device"},
    {"gpu_batch", cmd_gpu_batch, "steps per second of many small worlds on a device"},
};

const Program program = {
    .name = "tenon-bench",
    .what_it_is =
        "measures how fast and how accurate tenon is.\n"
        "\n"
        "A SCENE is a model file, or the name of a scene that comes with tenon: stir, cable, "
        "beam.\n"
        "Simulations are deterministic, so each step is timed in several identical passes and\n"
        "counts with its shortest time. Measure on an otherwise idle machine.\n",
    .more =
        "\n"
        "Examples:\n"
        "  tenon-bench scene stir                          30, 60 and 90 iterations, one thread\n"
        "  tenon-bench scene my_robot.xml --tolerance 1e-6 the automatic method on your own model\n"
        "  tenon-bench hard --only tower50                 does a tower of 50 boxes stand?\n"
        "  tenon-bench table stir --quick                  compare solvers on the same steps\n"
        "  tenon-bench scaling --of cable --json           time against length, as JSON\n"
        "\n"
        "Exit codes: 0 success; 1 a simulation diverged; 2 wrong usage; 3 the model is invalid;\n"
        "4 a file cannot be read or written. Results go to stdout, messages to stderr.\n",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};

int main(int argc, char **argv)
{
    tn_process_begin(&argc, &argv);
    return program_main(argc, argv);
}
