/* system.h: what drawing needs of the system: libraries that are opened at run time, files and
 * folders, whose paths are UTF-8, and Ctrl-C. */
#ifndef TENON_RENDER_SYSTEM_H
#define TENON_RENDER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* NULL where there is none, with a reason in `error`. It is never closed: drivers leave threads and
 * handlers behind that must find their code. */
void *system_library(const char *name, char *error, size_t error_size);
void *system_symbol(void *library, const char *name);

/* As fopen, remove and rename, which takes the place of what is there. */
FILE *system_open(const char *path, const char *mode);
bool system_remove(const char *path);
bool system_replace(const char *path, const char *with);

int64_t system_size(FILE *file); /* -1: not known */
bool system_seek(FILE *file, int64_t place);

/* A folder, or those on the way to a path; what is there stays. Else errno says why. */
bool system_make_folder(const char *path);
bool system_make_parents(const char *path);
bool system_is_folder(const char *path);

/* Ctrl-C calls `handler` once; the next one ends the program. Release puts back what was before. */
void system_catch_interrupt(void (*handler)(int number));
void system_release_interrupt(void);

#endif
