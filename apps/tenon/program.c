/* The program `tenon`: its commands; ../common/program.h finds the one that is asked for and runs
 * it. */
#include "../common/program.h"
#include "../common/app.h"
#include "commands.h"
#include "embed.h"

#include <string.h>

static const Command commands[] = {
    {"run", cmd_run, "simulate a model; print timing, accuracy and energy; record the motion"},
    {"view", cmd_view, "open a window on a running simulation and pull on things"},
    {"render", cmd_render, "draw a picture or a film of a model or a recording; needs no display"},
    {"replay", cmd_replay, "play a recording in a window"},
    {"export", cmd_export, "convert a recording to a web page, NPZ, CSV or VTU"},
    {"plot", cmd_plot, "plot columns of a CSV file as SVG"},
    {"info", cmd_info, "list what a model contains and how it is divided into subsystems"},
    {"validate", cmd_validate, "check a model file; list errors and unsupported features"},
    {"convert", cmd_convert, "write a model (URDF, SDF, MJCF) as one plain MJCF file"},
    {"plan", cmd_plan, "control a model over a horizon so that costs become small"},
    {"eval", cmd_eval, "compute poses, mass matrix, bias forces and sensors at one state"},
    {"solve", cmd_solve, "run the contact solver alone on problems stored in files"},
    {"verify", cmd_verify, "compare simulations with closed forms and published results"},
};

const Program program = {
    .name = "tenon",
    .what_it_is =
        "simulates rigid bodies, robots, cables and soft bodies in frictional contact.\n"
        "\n"
        "Models are MJCF files, the XML format of MuJoCo, URDF or SDF files. A simulation can be\n"
        "watched in a window or recorded; a recording becomes pictures, films, web pages and "
        "data.\n",
    .more =
        "\n"
        "Examples:\n"
        "  tenon view scenes/stir.xml                            watch a robot stir 216 spheres\n"
        "  tenon run scenes/cable.xml --record out/cable.tnr     two robots wind up a cable\n"
        "  tenon export out/cable.tnr -o out/cable.html          the recording as a web page\n"
        "  tenon render scenes/beam.xml --time 2 -o out/beam.png a soft beam meets a narrow gap\n"
        "  tenon info my_robot.xml                               what tenon reads from your model\n"
        "\n"
        "Exit codes: 0 success; 1 the simulation diverged, `solve` missed its tolerance, or a\n"
        "row of `verify` failed; 2 wrong usage; 3 the model or problem is invalid; 4 a file "
        "cannot\n"
        "be read or written; 130 interrupted. Results go to stdout, messages to stderr.\n"
        "Benchmarks are a program of their own: 'tenon-bench --help'.\n",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
};

/* Commands that became a program of their own: what was typed, and what to type now. */
typedef struct Moved {
    const char *command, *argument; /* NULL: any argument, or none */
    const char *was, *now;
} Moved;

static const Moved moved[] = {
    {"bench", "hard", "tenon bench hard", "tenon-bench hard"},
    {"bench", "simbench", "tenon bench simbench", "tenon-bench simbench"},
    {"bench", "scaling", "tenon bench scaling", "tenon-bench scaling --of spheres"},
    {"bench", NULL, "tenon bench SCENE", "tenon-bench scene SCENE"},
    {"table", NULL, "tenon table", "tenon-bench table"},
    {"scaling", NULL, "tenon scaling", "tenon-bench scaling"},
    {"convergence", NULL, "tenon convergence", "tenon-bench convergence"},
};

static const Moved *find_moved(int argc, char **argv)
{
    bool asks_help = argc > 1 && !strcmp(argv[1], "help");
    const char *command = argc > 1 + asks_help ? argv[1 + asks_help] : "";
    const char *argument = argc > 2 + asks_help ? argv[2 + asks_help] : "";
    for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
        if (!strcmp(command, moved[i].command) &&
            (!moved[i].argument || !strcmp(argument, moved[i].argument)))
            return &moved[i];
    return NULL;
}

int tenon_main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "sweep")) {
        fprintf(stderr, "tenon: 'sweep' is a command of the Python package: "
                        "'python3 -m tenon.sweep --help'\n");
        return EXIT_USAGE;
    }
    if (argc > 1 && !strcmp(argv[1], "fit")) {
        fprintf(stderr, "tenon: 'fit' is a command of the Python package: "
                        "'python3 -m tenon fit --help'\n");
        return EXIT_USAGE;
    }
    const Moved *old = find_moved(argc, argv);
    if (!old) return program_main(argc, argv);
    fprintf(stderr, "tenon: '%s' was replaced by '%s'\n", old->was, old->now);
    return EXIT_USAGE;
}
