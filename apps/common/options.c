/* Table-driven option parser; see options.h. */
#include "options.h"

#include "app.h"
#include "option_values.h"
#include "program.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Edit distance by rows; names longer than the buffer are simply far away. */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    size_t na = strlen(a), nb = strlen(b);
    if (na >= MAX || nb >= MAX) return INT_MAX;
    int row[MAX];
    for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *nearest_name(const char *name, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_distance = INT_MAX;
    size_t length = strlen(name);
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(name, candidates[i]);
        /* the beginning of a name is near whatever its length */
        if (length >= 3 && strncmp(candidates[i], name, length) == 0) distance = 1;
        if (distance < best_distance) {
            best_distance = distance;
            best = candidates[i];
        }
    }
    int allowed = length <= 4 ? 1 : length <= 8 ? 2 : 3;
    return best_distance <= allowed ? best : NULL;
}

Option option_set(const char *name, bool *target, const char *help)
{
    return (Option){.name = name, .kind = OPTION_SET, .target = target, .help = help};
}

Option option_clear(const char *name, bool *target, const char *help)
{
    return (Option){.name = name, .kind = OPTION_CLEAR, .target = target, .help = help};
}

Option option_int(const char *name, int *target, const char *value, int lower, int upper,
                  const char *help)
{
    return (Option){.name = name,
                    .kind = OPTION_INT,
                    .target = target,
                    .value = value,
                    .help = help,
                    .lower = lower,
                    .upper = upper};
}

Option option_real(const char *name, double *target, const char *value, double lower, double upper,
                   OptionEnds ends, const char *help)
{
    return (Option){.name = name,
                    .kind = OPTION_REAL,
                    .target = target,
                    .value = value,
                    .help = help,
                    .lower = lower,
                    .upper = upper,
                    .ends = ends};
}

Option option_text(const char *name, const char **target, const char *value, const char *help)
{
    return (Option){
        .name = name, .kind = OPTION_TEXT, .target = target, .value = value, .help = help};
}

Option option_output(const char *name, const char **target, const char *value, const char *help)
{
    Option option = option_text(name, target, value, help);
    option.kind = OPTION_OUTPUT;
    return option;
}

Option option_choice(const char *name, int *target, const char *value, const char *const *choices,
                     const char *help)
{
    return (Option){.name = name,
                    .kind = OPTION_CHOICE,
                    .target = target,
                    .value = value,
                    .help = help,
                    .choices = choices};
}

Option option_division(TnDivisionDef *target)
{
    return (Option){.name = "--division",
                    .kind = OPTION_DIVISION,
                    .target = target,
                    .value = "HOW",
                    .help =
                        "how cables and soft bodies are split into subsystems: auto (default: as "
                        "the model says), whole, paper, or N segments of a cable each",
                    .lower = 1,
                    .upper = 1000000};
}

Option option_pieces(TnDivisionDef *target)
{
    return option_int("--pieces", &target->pieces, "N", 1, 1000000,
                      "split each soft body into N subsystems; default: as --division says");
}

Option option_ints(const char *name, NumberList *target, const char *value, int lower, int upper,
                   const char *help)
{
    return (Option){.name = name,
                    .kind = OPTION_INTS,
                    .target = target,
                    .value = value,
                    .help = help,
                    .lower = lower,
                    .upper = upper};
}

Option option_reals(const char *name, NumberList *target, const char *value, const char *help)
{
    return (Option){.name = name,
                    .kind = OPTION_REALS,
                    .target = target,
                    .value = value,
                    .help = help,
                    .lower = -DBL_MAX,
                    .upper = DBL_MAX};
}

static const Option *find_option(const Option *options, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static void unknown_option(const char *command, const Option *options, int count, const char *name,
                           size_t length)
{
    enum { MAX = 64 };
    const char *names[MAX] = {"--help"};
    char given[MAX];
    int n = 1;
    for (int i = 0; i < count && n < MAX; i++) names[n++] = options[i].name;
    snprintf(given, sizeof given, "%.*s", (int)(length < MAX ? length : MAX - 1), name);
    const char *near = nearest_name(given, names, n);
    if (!strcmp(given, "--admm-form") || !strcmp(given, "--weights"))
        say(command, "'%s' is an option of tenon-bench scene", given);
    else if (near)
        say(command, "unknown option '%s'; did you mean '%s'?", given, near);
    else
        say(command, "unknown option '%s'", given);
}

/* Of an option whose value may be left out: whether this is it. */
static bool is_output(const Option *option, const char *text)
{
    const char *ending = strrchr(option->value, '.');
    size_t length = strlen(text), least = strlen(ending);
    return !strcmp(text, "-") || (length > least && !strcmp(text + length - least, ending));
}

static bool takes_value(const Option *option)
{
    return option->kind != OPTION_SET && option->kind != OPTION_CLEAR;
}

/* Reads the option at argv[*i] and moves *i to its last argument. */
static bool read_option(const char *command, const Option *options, int option_count, int argc,
                        char **argv, int *i)
{
    const char *text = argv[*i];
    size_t length = strcspn(text, "=");
    const Option *option = find_option(options, option_count, text, length);
    if (!option) {
        unknown_option(command, options, option_count, text, length);
        return false;
    }
    if (!takes_value(option)) {
        if (text[length]) {
            say(command, "%s takes no value", option->name);
            return false;
        }
        return option_read(command, option, "");
    }
    if (text[length]) return option_read(command, option, text + length + 1);
    if (option->kind == OPTION_OUTPUT && (*i + 1 >= argc || !is_output(option, argv[*i + 1])))
        return option_read(command, option, "-");
    if (*i + 1 >= argc) {
        say(command, "%s needs a value: %s %s", option->name, option->name, option->value);
        return false;
    }
    if (!option_read(command, option, argv[++*i])) return false;
    /* a list may go on in the next arguments: --qpos 0 1 2 */
    if (option->kind == OPTION_REALS || option->kind == OPTION_INTS)
        while (*i + 1 < argc && option_append(option, argv[*i + 1], option->target)) ++*i;
    return true;
}

bool options_parse_many(const char *command, const Option *options, int option_count,
                        PrintHelp print_help, const char *positional, const char **arguments,
                        int most, int *count, int argc, char **argv, int *code)
{
    bool only_arguments = false;
    *count = 0;
    /* help wins over everything else on the line */
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            print_help(options, option_count);
            *code = EXIT_FINE;
            return false;
        }
    for (int i = 0; i < argc; i++) {
        const char *text = argv[i];
        if (!only_arguments && !strcmp(text, "--")) {
            only_arguments = true;
        } else if (!only_arguments && text[0] == '-' && text[1]) {
            if (!read_option(command, options, option_count, argc, argv, &i)) goto error;
        } else if (*count >= most) {
            say(command, "unexpected argument '%s'", text);
            goto error;
        } else {
            arguments[(*count)++] = text;
        }
    }
    if (!positional || *count) return true;
    say(command, "%s is missing", positional);
error:
    fprintf(stderr, "Try '%s %s --help'.\n", program.name, command);
    *code = EXIT_USAGE;
    return false;
}

bool options_parse(const char *command, const Option *options, int option_count,
                   PrintHelp print_help, const char *positional, const char **argument, int argc,
                   char **argv, int *code)
{
    int count;
    if (argument) *argument = NULL;
    return options_parse_many(command, options, option_count, print_help, positional, argument,
                              positional ? 1 : 0, &count, argc, argv, code);
}

/* A help text from column HELP_COLUMN on, in lines of HELP_WIDTH at most. */
enum { HELP_COLUMN = 27, HELP_WIDTH = 100 };
static void print_wrapped(const char *text)
{
    size_t room = HELP_WIDTH - HELP_COLUMN, length = strlen(text);
    while (length > room) {
        size_t end = room;
        while (end > 0 && text[end] != ' ') end--;
        if (end == 0) break; /* one long word */
        printf("%.*s\n%*s", (int)end, text, HELP_COLUMN, "");
        text += end + 1;
        length -= end + 1;
    }
    printf("%s\n", text);
}

Option option_package_path(void)
{
    return option_text("--package-path", &load_def()->package_path, "FOLDER",
                       "URDF, SDF: where packages of package:// and model:// are, several "
                       "separated by ':'; default: "
                       "ROS_PACKAGE_PATH, and the folders above the model");
}

Option option_free_base(void)
{
    return option_set("--free-base", &load_def()->free_base,
                      "URDF: the root link moves freely; default: it is fixed to the world");
}

Option option_files(void)
{
    static const char *const reaches[] = {"near", "folder", "any", NULL};
    return option_choice(
        "--files", load_reach(), "WHERE", reaches,
        "files that a model may name: near (default: its folder, and the one above "
        "it but for hidden files), folder (its own only) or any");
}

Option option_limit_factor(void)
{
    return option_real("--limit-factor", &load_def()->limit_factor, "F", 1, 1000, ENDS_CLOSED,
                       "a file may ask for F times as much as usual: 256 MB, 5e6 elements, 2e6 "
                       "nodes of a soft body, 1e6 segments of a cable; 1 ... 1000; default 1");
}

void options_help(const Option *options, int option_count)
{
    printf("\nOptions:\n");
    for (int i = 0; i < option_count; i++) {
        char left[64];
        bool optional = options[i].kind == OPTION_OUTPUT;
        snprintf(left, sizeof left, "%s%s%s%s", options[i].name,
                 optional           ? " ["
                 : options[i].value ? " "
                                    : "",
                 options[i].value ? options[i].value : "", optional ? "]" : "");
        printf("  %-*s ", HELP_COLUMN - 3, left);
        print_wrapped(options[i].help);
    }
    printf("  %-*s print this help\n", HELP_COLUMN - 3, "--help");
}
