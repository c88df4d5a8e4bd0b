/* Events as lines of JSON; see events.h. */
#include "events.h"

#include <inttypes.h>
#include <math.h>

/* Control characters and bytes that are no ASCII letter of their own: UTF-8 passes as it is. */
static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7F)
            fprintf(out, "\\u%04x", *s);
        else
            fputc(*s, out);
    }
    fputc('"', out);
}

static void write_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.17g", value);
    else
        fputs("null", out); /* JSON has no other word for it */
}

static void write_key(FILE *out, const char *key)
{
    fputs(", ", out);
    write_text(out, key);
    fputs(": ", out);
}

void event_begin(FILE *out, const char *name)
{
    if (!out) return;
    fputs("{\"event\": ", out);
    write_text(out, name);
}

void event_text(FILE *out, const char *key, const char *value)
{
    if (!out) return;
    write_key(out, key);
    write_text(out, value);
}

void event_number(FILE *out, const char *key, double value)
{
    if (!out) return;
    write_key(out, key);
    write_number(out, value);
}

void event_integer(FILE *out, const char *key, int64_t value)
{
    if (!out) return;
    write_key(out, key);
    fprintf(out, "%" PRId64, value);
}

void event_bool(FILE *out, const char *key, bool value)
{
    if (!out) return;
    write_key(out, key);
    fputs(value ? "true" : "false", out);
}

void event_vector(FILE *out, const char *key, const double value[3])
{
    if (!out) return;
    write_key(out, key);
    for (int k = 0; k < 3; k++) {
        fputs(k ? ", " : "[", out);
        write_number(out, value[k]);
    }
    fputc(']', out);
}

void event_hash(FILE *out, const char *key, uint64_t value)
{
    if (!out) return;
    write_key(out, key);
    fprintf(out, "\"%016" PRIx64 "\"", value);
}

void event_end(FILE *out)
{
    if (!out) return;
    fputs("}\n", out);
    fflush(out);
}
