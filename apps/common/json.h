/* json.h: writes one JSON value to a stream, with commas, indents and escapes taken care of.
 *
 * Inside an object every call names its key; inside an array the key is NULL. Numbers are written
 * with as few digits as read back to the same bits; NaN and infinities, which JSON has not, become
 * null. */
#ifndef TENON_JSON_H
#define TENON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 8 };

typedef struct Json {
    FILE *out;
    int depth;
    bool compact; /* all in one line, without blanks; may be set before the first value */
    bool filled[JSON_MAX_DEPTH + 1]; /* this level has a value already */
    char closing[JSON_MAX_DEPTH + 1];
} Json;

Json json_to(FILE *out);
void json_begin_object(Json *json, const char *key);
void json_begin_array(Json *json, const char *key);
void json_end(Json *json); /* of the innermost object or array; a newline after the outermost */
void json_number(Json *json, const char *key, double value);
void json_single(Json *json, const char *key, float value);
void json_integer(Json *json, const char *key, int64_t value);
void json_bool(Json *json, const char *key, bool value);
void json_string(Json *json, const char *key, const char *value);
void json_hash(Json *json, const char *key, uint64_t hash); /* as text: numbers have 53 bits */
void json_numbers(Json *json, const char *key, const double *values, int count);

#endif
