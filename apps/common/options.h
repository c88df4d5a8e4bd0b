/* options.h: a small table-driven parser of command-line options.
 *
 * A command fills a table of Option (what it is called, where its value goes, its range, one line
 * of help) and the parser does the rest: `--name value`, `--name=value`, `--` before arguments that
 * start with a dash, `--help`, ranges, and a suggestion where a name is unknown. The same table
 * prints the help. */
#ifndef TENON_OPTIONS_H
#define TENON_OPTIONS_H

#include <stdbool.h>
#include <tenon/tenon.h>

typedef enum OptionKind {
    OPTION_SET,      /* bool: becomes true */
    OPTION_CLEAR,    /* bool: becomes false */
    OPTION_INT,      /* int within [lower, upper] */
    OPTION_REAL,     /* double within [lower, upper] less the open ends */
    OPTION_TEXT,     /* const char *, not empty */
    OPTION_CHOICE,   /* int: index in `choices` */
    OPTION_DIVISION, /* TnDivisionDef: auto, whole, paper or a number of segments */
    OPTION_INTS,     /* NumberList of integers within [lower, upper] */
    OPTION_REALS,    /* NumberList of finite numbers */
    OPTION_OUTPUT    /* const char *: a file, "-" where none follows whose name ends as `value` */
} OptionKind;

typedef enum OptionEnds { ENDS_CLOSED, ENDS_LOWER_OPEN, ENDS_UPPER_OPEN } OptionEnds;

typedef struct NumberList {
    double *values; /* owned: number_list_free */
    int count;
    bool given;
} NumberList;

typedef struct Option {
    const char *name; /* with its two dashes */
    OptionKind kind;
    void *target;
    const char *value; /* what the help calls the value; NULL for set and clear */
    const char *help;
    double lower, upper;
    OptionEnds ends;
    const char *const *choices; /* NULL-terminated */
} Option;

Option option_set(const char *name, bool *target, const char *help);
Option option_clear(const char *name, bool *target, const char *help);
Option option_int(const char *name, int *target, const char *value, int lower, int upper,
                  const char *help);
Option option_real(const char *name, double *target, const char *value, double lower, double upper,
                   OptionEnds ends, const char *help);
Option option_text(const char *name, const char **target, const char *value, const char *help);
/* `value`: "FILE.json"; the next argument is taken where it ends so, or is "-". */
Option option_output(const char *name, const char **target, const char *value, const char *help);
Option option_choice(const char *name, int *target, const char *value, const char *const *choices,
                     const char *help);
Option option_division(TnDivisionDef *target);
Option option_pieces(TnDivisionDef *target);
Option option_ints(const char *name, NumberList *target, const char *value, int lower, int upper,
                   const char *help);
Option option_reals(const char *name, NumberList *target, const char *value, const char *help);

/* Of models: into load_def(). */
Option option_package_path(void);
Option option_free_base(void);
Option option_files(void);
Option option_limit_factor(void);

typedef void (*PrintHelp)(const Option *options, int option_count);

/* The arguments after the command's name. Exactly one positional argument, called `positional` in
 * messages, goes to *argument. With `positional` NULL there is none. False where the command is
 * done already, with its exit code: the help was asked for and printed, or something is wrong and
 * was said. */
bool options_parse(const char *command, const Option *options, int option_count,
                   PrintHelp print_help, const char *positional, const char **argument, int argc,
                   char **argv, int *code);
/* The same with one positional argument or several (with `positional` NULL: none or several), at
 * most `most`, *count of them. */
bool options_parse_many(const char *command, const Option *options, int option_count,
                        PrintHelp print_help, const char *positional, const char **arguments,
                        int most, int *count, int argc, char **argv, int *code);
void options_help(const Option *options, int option_count);
void number_list_free(NumberList *list);

/* The nearest of the candidates if it is near enough to be a slip of the keyboard, or NULL. */
const char *nearest_name(const char *name, const char *const *candidates, int count);

/* Options that all commands share which simulate. */
typedef struct SimOptions {
    double duration;
    TnSolverDef solver; /* finished by sim_options_finish */
    int method;         /* of the names of --solver; -1: not given */
    /* pj and nnewton, which tenon-bench has; NULL: --solver says that they are there */
    const TnOwnMethod *const *others;
    int iterations;   /* 0: not given */
    double tolerance; /* NaN: not given */
    int sleep;        /* TnSleep */
    int device;       /* TnDevice */
    int set;          /* TnInstructionSet */
    int threads;
    bool spread;
    int passes;
    bool old_spread; /* --decompose by its old name, --spread */
    int old_passes;  /* by its old name, --relinearize; -1: not given */
    int substeps;    /* 0: as the model says */
    int halvings;    /* of a step that is too long */
    double accuracy; /* m/s, in time; 0: as the model says */
    TnDivisionDef division;
    const char *key;
} SimOptions;

enum { OTHER_SOLVERS = 2 };
SimOptions sim_options(void);
/* Appends --iterations first, then --solver, --tolerance, --threads and the ADMM's own options;
 * returns the new count. */
enum { SIM_OPTION_COUNT = 32 }; /* at most */
int sim_option_table(Option *table, int count, SimOptions *sim);
/* What was chosen into sim->solver. Iterations without a tolerance mean the paper's mode: a fixed
 * number of iterations, of methods that have one. False and a message where a method needs a
 * tolerance, or is not there. */
bool sim_options_finish(const char *command, SimOptions *sim);
/* What a world is made with; the key is the caller's. */
TnWorldDef sim_world_def(const SimOptions *sim);
const char *sleep_name(TnSleep sleep);
/* How a world is divided that was asked for so: in words as --division takes them, with the pieces
 * where these were asked for; without a model, `auto` stays. */
enum { DIVISION_NAME_SIZE = 48 };
const char *division_name(const TnModel *model, TnDivisionDef asked,
                          char buffer[DIVISION_NAME_SIZE]);

#endif
