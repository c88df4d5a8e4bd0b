/* system.h: what drawing needs of the system: libraries that are opened at run time, folders, and
 * Ctrl-C. */
#ifndef TENON_RENDER_SYSTEM_H
#define TENON_RENDER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

/* NULL where there is none, with a reason in `error`. It is never closed: drivers leave threads and
 * handlers behind that must find their code. */
void *system_library(const char *name, char *error, size_t error_size);
void *system_symbol(void *library, const char *name);

bool system_make_folder(
    const char *path); /* true as well where something is; else errno says why */
bool system_is_folder(const char *path);

/* Ctrl-C calls `handler` once; the next one ends the program. Release puts back what was before. */
void system_catch_interrupt(void (*handler)(int number));
void system_release_interrupt(void);

#endif
