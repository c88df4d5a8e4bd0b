/* Reading CSV; see csv_read.h. */
#include "csv_read.h"

#include "../common/app.h"
#include "../common/options.h"
#include "platform/files.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The whole stream with a NUL behind it; NULL with errno set. */
static char *read_all(FILE *in, size_t *size)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *size = 0;
    while (text) {
        *size += fread(text + *size, 1, capacity - *size - 1, in);
        if (*size + 1 < capacity) break;
        char *grown = capacity > SIZE_MAX / 2 ? NULL : realloc(text, 2 * capacity);
        if (!grown) {
            free(text);
            errno = ENOMEM;
            return NULL;
        }
        text = grown;
        capacity *= 2;
    }
    if (text && ferror(in)) {
        free(text);
        return NULL;
    }
    if (text) text[*size] = '\0';
    return text;
}

/* Takes the field at *text apart in place: ends it with a NUL, removes its quotes, moves *text
 * behind it. *ended: the row ends with it. */
static char *take_field(char **text, bool *ended, int64_t *lines)
{
    char *field = *text, *in = field, *out = field;
    bool quoted = false;
    if (*in == '"') {
        quoted = true;
        in++;
    }
    while (*in && (quoted || (*in != ',' && *in != '\n'))) {
        if (quoted && *in == '"') {
            if (in[1] != '"') {
                quoted = false;
                in++;
                continue;
            }
            in++;
        }
        *lines += *in == '\n';
        *out++ = *in++;
    }
    *ended = *in != ',';
    if (*in == '\n') ++*lines;
    bool more = *in != '\0';
    /* the CR of a CRLF */
    if (*ended && out > field && out[-1] == '\r') out--;
    *text = in + more;
    *out = '\0';
    return field;
}

static void skip_blank_lines(CsvTable *table)
{
    for (;;) {
        size_t blank = strspn(table->next, " \t\r");
        if (table->next[blank] != '\n') {
            if (!table->next[blank]) table->next += blank;
            return;
        }
        table->next += blank + 1;
        table->next_line++;
    }
}

bool csv_number(const char *field, double *value)
{
    char *end;
    field += strspn(field, " \t");
    *value = NAN;
    if (!*field) return true;
    *value = strtod(field, &end);
    return end != field && !end[strspn(end, " \t")];
}

CsvRow csv_table_next(CsvTable *table, const char *command)
{
    if (table->first_is_row) {
        table->first_is_row = false;
        return CSV_ROW;
    }
    skip_blank_lines(table);
    if (!*table->next) return CSV_END;
    table->line = table->next_line;
    int count = 0;
    for (bool ended = false; !ended; count++) {
        char *field = take_field(&table->next, &ended, &table->next_line);
        if (count < table->column_count) table->fields[count] = field;
    }
    if (count == table->column_count) return CSV_ROW;
    say(command, "%s:%lld: %d fields; the first line has %d", table->path, (long long)table->line,
        count, table->column_count);
    return CSV_BAD;
}

static int count_fields(const char *text)
{
    int count = 1;
    bool quoted = false;
    for (; *text && (quoted || *text != '\n'); text++) {
        if (*text == '"') quoted = !quoted;
        count += !quoted && *text == ',';
    }
    return count;
}

/* The first line as names, or as the first row where all of it is numbers. */
static bool take_header(CsvTable *table, const char *command)
{
    enum { NUMBER_WIDTH = 12 };
    skip_blank_lines(table);
    table->column_count = count_fields(table->next);
    size_t count = (size_t)table->column_count;
    table->fields = calloc(count, sizeof *table->fields);
    table->names = calloc(count, sizeof *table->names);
    table->numbers = calloc(count, NUMBER_WIDTH);
    if (!table->fields || !table->names || !table->numbers) {
        say(command, "%s: no memory", table->path);
        return false;
    }
    if (!*table->next) {
        say(command, "%s: is empty", table->path);
        return false;
    }
    if (csv_table_next(table, command) != CSV_ROW) return false;
    table->first_is_row = true;
    for (size_t i = 0; i < count; i++) {
        double value;
        if (!csv_number(table->fields[i], &value)) table->first_is_row = false;
    }
    for (size_t i = 0; i < count; i++) {
        char *number = table->numbers + i * NUMBER_WIDTH;
        snprintf(number, NUMBER_WIDTH, "%d", (int)i + 1);
        table->names[i] = table->first_is_row || !*table->fields[i] ? number : table->fields[i];
    }
    return true;
}

bool csv_table_read(CsvTable *table, const char *command, const char *path)
{
    bool from_stdin = strcmp(path, "-") == 0;
    size_t size = 0;
    *table = (CsvTable){.path = from_stdin ? "stdin" : path, .next_line = 1};
    errno = 0;
    FILE *in = from_stdin ? stdin : tn_stream_open(path, "r");
    if (in) table->text = read_all(in, &size);
    int trouble = errno;
    if (in && !from_stdin) fclose(in);
    if (!table->text) {
        say(command, "%s: cannot be read: %s", table->path, strerror(trouble ? trouble : EIO));
        return false;
    }
    if (strlen(table->text) != size) {
        say(command, "%s: is not a text file", table->path);
        return false;
    }
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    table->next = table->text + (strncmp(table->text, byte_order_mark, 3) == 0 ? 3 : 0);
    return take_header(table, command);
}

void csv_table_free(CsvTable *table)
{
    free(table->text);
    free(table->names);
    free(table->numbers);
    free(table->fields);
    *table = (CsvTable){0};
}

int csv_table_find(const CsvTable *table, const char *command, const char *option, const char *name)
{
    enum { LISTED = 12 };
    for (int i = 0; i < table->column_count; i++)
        if (strcmp(table->names[i], name) == 0) return i;
    char *end;
    long number = strtol(name, &end, 10);
    if (*name && !*end && number >= 1 && number <= table->column_count) return (int)number - 1;
    const char *near = nearest_name(name, (const char *const *)table->names, table->column_count);
    char buffer[SHOWN_SIZE];
    fprintf(stderr, "tenon %s: %s: there is no column '%s' in %s", command, option, name,
            table->path);
    if (near) fprintf(stderr, "; did you mean '%s'?", shown(near, buffer));
    fprintf(stderr, "\nIts %d columns: ", table->column_count);
    for (int i = 0; i < table->column_count && i < LISTED; i++)
        fprintf(stderr, "%s%s", i ? ", " : "", shown(table->names[i], buffer));
    fprintf(stderr, "%s\n", table->column_count > LISTED ? ", ..." : "");
    return -1;
}
