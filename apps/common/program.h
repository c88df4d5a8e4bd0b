/* program.h: a command-line program made of commands: finding the command, --help, --version, and
 * the check that its results were really written. */
#ifndef TENON_PROGRAM_H
#define TENON_PROGRAM_H

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv); /* the arguments after its name; returns an exit code */
    const char *help;                  /* one line */
} Command;

typedef struct Program {
    const char *name;       /* as users type it; starts every message */
    const char *what_it_is; /* what stands above the commands in --help */
    const char *more;       /* what stands below them: examples, exit codes */
    const Command *commands;
    int command_count;
} Program;

/* Every program defines its own. */
extern const Program program;

/* What main returns. */
int program_main(int argc, char **argv);

#endif
