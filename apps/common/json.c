/* JSON writer; see json.h. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

Json json_to(FILE *out) { return (Json){.out = out}; }

/* Length of the valid UTF-8 sequence at s, 0 where there is none (overlong forms and surrogates
 * included). */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] < 0x80   ? 1
                 : s[0] < 0xC2 ? 0
                 : s[0] < 0xE0 ? 2
                 : s[0] < 0xF0 ? 3
                 : s[0] < 0xF5 ? 4
                               : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return length;
}

static void write_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    while (*s) {
        int length = utf8_length(s);
        if (length == 0) {
            fputs("\\ufffd", out); /* a path may hold any bytes; JSON may not */
            s++;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s++);
        } else if (*s == '\n' || *s == '\t') {
            fputs(*s++ == '\n' ? "\\n" : "\\t", out);
        } else if (*s < 0x20 || *s == 0x7F) {
            fprintf(out, "\\u%04x", *s++);
        } else {
            fwrite(s, 1, (size_t)length, out);
            s += length;
        }
    }
    fputc('"', out);
}

static void write_number(FILE *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

/* Comma, new line, indent and key in front of a value. */
static void lead_in(Json *json, const char *key)
{
    if (json->compact) {
        if (json->depth > 0 && json->filled[json->depth]) fputc(',', json->out);
    } else if (json->depth > 0) {
        fputs(json->filled[json->depth] ? ",\n" : "\n", json->out);
        fprintf(json->out, "%*s", 2 * json->depth, "");
    }
    json->filled[json->depth] = true;
    if (!key) return;
    write_string(json->out, key);
    fputs(json->compact ? ":" : ": ", json->out);
}

static void begin(Json *json, const char *key, char opening, char closing)
{
    lead_in(json, key);
    fputc(opening, json->out);
    json->depth++;
    json->filled[json->depth] = false;
    json->closing[json->depth] = closing;
}

void json_begin_object(Json *json, const char *key) { begin(json, key, '{', '}'); }
void json_begin_array(Json *json, const char *key) { begin(json, key, '[', ']'); }

void json_end(Json *json)
{
    bool filled = json->filled[json->depth];
    char closing = json->closing[json->depth];
    json->depth--;
    if (filled && !json->compact) fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(closing, json->out);
    if (json->depth == 0 && !json->compact) fputc('\n', json->out);
}

void json_number(Json *json, const char *key, double value)
{
    lead_in(json, key);
    write_number(json->out, value);
}

/* Nine digits give single precision back. */
void json_single(Json *json, const char *key, float value)
{
    lead_in(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.9g", (double)value);
    else
        fputs("null", json->out);
}

void json_integer(Json *json, const char *key, int64_t value)
{
    lead_in(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_bool(Json *json, const char *key, bool value)
{
    lead_in(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_string(Json *json, const char *key, const char *value)
{
    lead_in(json, key);
    write_string(json->out, value);
}

void json_numbers(Json *json, const char *key, const double *values, int count)
{
    lead_in(json, key);
    fputc('[', json->out);
    for (int i = 0; i < count; i++) {
        if (i) fputs(", ", json->out);
        write_number(json->out, values[i]);
    }
    fputc(']', json->out);
}

void json_hash(Json *json, const char *key, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_string(json, key, text);
}
