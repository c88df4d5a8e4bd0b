/* events.h: one JSON object per line for what happens in the window, for scripts and tests. Each
 * line is written out at once. docs/viewer.md lists them. */
#ifndef TENON_VIEW_EVENTS_H
#define TENON_VIEW_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All do nothing where `out` is NULL. Between begin and end: one call per field. */
void event_begin(FILE *out, const char *name);
void event_text(FILE *out, const char *key, const char *value);
void event_number(FILE *out, const char *key, double value);
void event_integer(FILE *out, const char *key, int64_t value);
void event_bool(FILE *out, const char *key, bool value);
void event_vector(FILE *out, const char *key, const double value[3]);
void event_hash(FILE *out, const char *key, uint64_t value);
void event_end(FILE *out);

#endif
