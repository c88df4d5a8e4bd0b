/* app.h: what the commands of both programs share.
 *
 * Results go to stdout, everything else to stderr. A command returns one of the exit codes below.
 */
#ifndef TENON_APP_H
#define TENON_APP_H

#include <stdio.h>
#include <tenon/tenon.h>

enum {
    EXIT_FINE = 0,
    EXIT_DIVERGED =
        1, /* the simulation diverged, a tolerance was not reached, or energy was created */
    EXIT_USAGE = 2,        /* an option is unknown or out of its range */
    EXIT_MODEL = 3,        /* the model is wrong */
    EXIT_IO = 4,           /* a file cannot be read or written, or there is no memory */
    EXIT_INTERRUPTED = 130 /* SIGINT, as shells report it */
};

/* "PROGRAM COMMAND: message" on stderr. */
void say(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What this thread says goes into the error from now on, line by line; NULL: to stderr again. */
void say_into(TnError *err);
/* Makes what was said the text of an error with this code, and returns the code. */
TnStatus heard(TnError *err, TnStatus code);

/* How models are read; options set it (option_package_path, option_free_base, option_limit_factor).
 * Its reach is what load_reach() has at the call. */
TnLoadDef *load_def(void);
int *load_reach(void); /* a TnFileReach (option_files) */
/* Loads the definitions of a model; on failure as load_model. */
TnModelBuilder *load_builder(const char *command, const char *path, TnRemarks *remarks, int *code);
/* Loads a model; on failure prints why and sets *code to the exit code. `remarks` may be NULL. */
TnModel *load_model(const char *command, const char *path, TnRemarks *remarks, int *code);
void print_errors(const TnError *err); /* its lines on stderr, and how many did not fit */
int count_lines(const char *text);     /* an end of line at the very end starts no new one */
/* Exit code of a library call that failed. */
int code_of(const TnError *err);
/* Opens for reading and closes again: false with errno set where the file cannot be read. */
bool file_is_readable(const char *path);
/* Makes every missing folder on the way to `path`; false with errno set. */
bool make_parent_folders(const char *path);
/* Both are there and are one and the same, by whatever path. */
bool is_same_file(const char *a, const char *b);

/* The id of a named keyframe, 0 for a NULL name; false and a message that lists the keys where
 * there is none. */
bool find_key(const char *command, const TnModel *model, const char *name, TnKeyId *key);

/* A text for people: without control characters, and cut where it is longer than 200 bytes. */
#define SHOWN_SIZE 256
const char *shown(const char *text, char buffer[SHOWN_SIZE]);

/* A joint's or body's name, or `joint3`, `body5` by id where it has none. */
#define NAME_SIZE 256
const char *joint_label(const TnModel *model, TnJointId id, char buffer[NAME_SIZE]);
const char *body_label(const TnModel *model, TnBodyId id, char buffer[NAME_SIZE]);
const char *equality_label(const TnModel *model, TnEqualityId id, char buffer[NAME_SIZE]);
const char *sensor_label(const TnModel *model, TnSensorId id, char buffer[NAME_SIZE]);
const char *rod_label(const TnModel *model, TnRodId id, char buffer[NAME_SIZE]);
const char *soft_label(const TnModel *model, TnSoftId id, char buffer[NAME_SIZE]);

/* Why writes to a stream fail, as errno says it. Which write did is long past: another one tells.
 */
int stream_error(FILE *out);

double clock_seconds(void); /* monotonic */

#endif
