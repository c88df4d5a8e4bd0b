/* output_file.h: a result as a file, whose folder is made if missing, or on stdout for "-". */
#ifndef TENON_OUTPUT_FILE_H
#define TENON_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef void (*WriteOutput)(FILE *out, const void *what);

/* Nothing for a NULL path. Returns the exit code; says on stderr what went wrong. */
int write_output(const char *command, const char *path, WriteOutput write, const void *what);
bool is_stdout(const char *path); /* "-", not NULL */
/* ",value", or "," where it is not finite. */
void csv_field(FILE *out, double value);
/* False and a message where the file is the model itself. */
bool output_is_fine(const char *command, const char *option, const char *path, const char *model);

#endif
