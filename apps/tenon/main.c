/* tenon: the command-line program. Finds the command, runs it, and makes sure that its results were
 * really written. */
#include "app.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} Command;

static const Command commands[] = {
    {"run", cmd_run, "simulate a model, print what it took, record the motion"},
    {"info", cmd_info, "what is in a model"},
    {"eval", cmd_eval, "poses, mass matrix, bias forces and sensors at one state"},
    {"validate", cmd_validate, "check a model file and list what is wrong or approximated"},
    {"solve", cmd_solve, "the solver alone, on problems from files"},
    {"view", cmd_view, "watch and pull: a window on a running simulation"},
    {"render", cmd_render, "pictures and films of a model or a recording, without a display"},
    {"replay", cmd_replay, "a window on a recording"},
    {"export", cmd_export, "a recording as HTML, NPZ, CSV or VTU"},
    {"plot", cmd_plot, "a CSV file as an SVG plot"},
    {"bench", cmd_bench, "measure time and accuracy of a scene, or of growing piles"},
    {"table", cmd_table,
     "the paper's table: five solvers and the automatic method on the same steps"},
    {"scaling", cmd_scaling, "time per step of growing piles and cables"},
    {"convergence", cmd_convergence, "error of one step against iterations and time, all solvers"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    printf("tenon %s simulates rigid bodies and robots with contact.\n\n"
           "Usage: tenon COMMAND [ARGUMENTS]\n\nCommands:\n",
           tn_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  %-11s %s\n", commands[i].name, commands[i].help);
    printf("\n"
           "  tenon COMMAND --help     options and examples of a command\n"
           "  tenon --version\n"
           "\n"
           "Start with:\n"
           "  tenon info scenes/stir.xml\n"
           "  tenon run scenes/stir.xml --duration 5 --csv out/stir.csv\n"
           "  tenon bench stir\n"
           "\n"
           "Exit codes: 0 fine, 1 the simulation diverged (solve: the tolerance was not reached),\n"
           "2 wrong usage, 3 the model or problem is wrong,\n"
           "4 a file cannot be read or written, 130 interrupted.\n"
           "Results go to stdout, messages to stderr.\n");
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
    const char *near = nearest_name(name, names, COMMAND_COUNT);
    fprintf(stderr, "tenon: unknown %s '%s'", name[0] == '-' ? "option" : "command", name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry 'tenon --help'.\n");
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "tenon: a command is missing\nTry 'tenon --help'.\n");
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "help") && argc > 2) {
        /* `tenon help run` is `tenon run --help` */
        char help[] = "--help";
        char *only_help[] = {help};
        for (int i = 0; i < COMMAND_COUNT; i++)
            if (!strcmp(argv[2], commands[i].name)) return commands[i].run(1, only_help);
        return unknown_command(argv[2]);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help();
        return EXIT_FINE;
    }
    if (!strcmp(name, "--version")) {
        printf("tenon %s\n", tn_version());
        return EXIT_FINE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(name, commands[i].name)) return commands[i].run(argc - 2, argv + 2);
    return unknown_command(name);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file beyond its limit is an error to tell, not the end */
    int code = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "tenon: the results cannot be written: %s\n", strerror(errno ? errno : EIO));
    return code == EXIT_FINE ? EXIT_IO : code;
}
