/* A program made of commands; see program.h. */
#include "program.h"

#include "app.h"
#include "options.h"
#include "platform/process.h"

#include <string.h>

enum { MOST_COMMANDS = 64 };

static const Command *find_command(const char *name)
{
    for (int i = 0; i < program.command_count; i++)
        if (!strcmp(name, program.commands[i].name)) return &program.commands[i];
    return NULL;
}

static void print_help(void)
{
    printf("%s %s %s\nUsage: %s COMMAND [ARGUMENTS]\n\nCommands:\n", program.name, tn_version(),
           program.what_it_is, program.name);
    for (int i = 0; i < program.command_count; i++)
        printf("  %-11s %s\n", program.commands[i].name, program.commands[i].help);
    printf("\n'%s COMMAND --help' lists the options of a command, with examples.\n%s", program.name,
           program.more);
}

static int unknown_command(const char *name)
{
    const char *names[MOST_COMMANDS];
    int count = program.command_count < MOST_COMMANDS ? program.command_count : MOST_COMMANDS;
    for (int i = 0; i < count; i++) names[i] = program.commands[i].name;
    const char *near = nearest_name(name, names, count);
    fprintf(stderr, "%s: unknown %s '%s'", program.name, name[0] == '-' ? "option" : "command",
            name);
    if (near) fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry '%s --help'.\n", program.name);
    return EXIT_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "%s: a command is missing\nTry '%s --help'.\n", program.name, program.name);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "help") && argc > 2) {
        /* `tenon help run` is `tenon run --help` */
        char help[] = "--help";
        char *only_help[] = {help};
        const Command *command = find_command(argv[2]);
        return command ? command->run(1, only_help) : unknown_command(argv[2]);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help();
        return EXIT_FINE;
    }
    if (!strcmp(name, "--version")) {
        printf("%s %s\n", program.name, tn_version());
        return EXIT_FINE;
    }
    const Command *command = find_command(name);
    return command ? command->run(argc - 2, argv + 2) : unknown_command(name);
}

int program_main(int argc, char **argv)
{
    tn_process_goes_on_at_limits(); /* an error to tell, not the end */
    int code = dispatch(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fprintf(stderr, "%s: the results cannot be written: %s\n", program.name,
            strerror(stream_error(stdout)));
    return code == EXIT_FINE ? EXIT_IO : code;
}
