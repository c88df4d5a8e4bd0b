/* recording_info.h: what `tenon info` tells of a recording. */
#ifndef TENON_RECORDING_INFO_H
#define TENON_RECORDING_INFO_H

#include <stdbool.h>

/* The file begins as recordings do. */
bool is_recording(const char *path);
/* Prints as text or JSON; an exit code. */
int print_recording_info(const char *path, bool as_json);

#endif
