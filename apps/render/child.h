/* child.h: another program that runs beside this one and reads what it is given. */
#ifndef TENON_RENDER_CHILD_H
#define TENON_RENDER_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The program's place in the folders of PATH, to be freed; NULL where it is in none of them. */
char *child_find(const char *name);

typedef struct Child Child;
/* Starts a program without a shell. Its input is a pipe, what it prints goes to the file `output`.
 * `arguments` begin with its name and end with NULL. NULL with errno. */
Child *child_start(const char *program, const char *const *arguments, FILE *output);
/* False with errno: it does not read any more. */
bool child_write(Child *child, const void *bytes, size_t size);
/* Closes the pipe, waits until the program ends, and frees. Its exit status, -1 where a signal
 * ended it. */
int child_end(Child *child);

/* A file without a name, which ends with its stream. NULL with errno. */
FILE *child_paper(void);

#endif
