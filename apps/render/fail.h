/* fail.h: puts a line into the caller's room for errors. */
#ifndef TENON_RENDER_FAIL_H
#define TENON_RENDER_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Always false, for `return fail(...)`. */
__attribute__((format(printf, 3, 4))) static inline bool fail(char *error, size_t error_size,
                                                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (error_size) vsnprintf(error, error_size, format, args);
    va_end(args);
    return false;
}

#endif
