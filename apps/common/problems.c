/* Lines of problems by their causes; see problems.h. */
#include "problems.h"

#include "app.h"

#include <stdlib.h>
#include <string.h>

enum { SINGLE_LINES = 3, PLACES = 8 };

typedef struct Line {
    const char *text;
    size_t length;
    size_t start; /* of the message, behind file:line:column */
    int number;   /* line of the file; 0: none */
    int cause;    /* index of the first line with this cause */
    int same;     /* of a first line: how many have its cause */
} Line;

typedef struct Lines {
    Line *list;
    int count;
} Lines;

/* Where the message starts: behind "FILE:LINE:COLUMN: ". */
static void find_start(Line *line)
{
    for (size_t i = 0; i + 1 < line->length; i++) {
        char *end;
        if (line->text[i] != ':' || line->text[i + 1] < '0' || line->text[i + 1] > '9') continue;
        long number = strtol(line->text + i + 1, &end, 10);
        if (*end != ':' || end[1] < '0' || end[1] > '9') continue;
        strtol(end + 1, &end, 10);
        if (end[0] != ':' || end[1] != ' ') continue;
        line->number = (int)number;
        line->start = (size_t)(end + 2 - line->text);
        return;
    }
}

/* Alike but for what stands in single quotes. */
static bool is_same_cause(const Line *a, const Line *b)
{
    const char *s = a->text + a->start, *t = b->text + b->start;
    const char *s_end = a->text + a->length, *t_end = b->text + b->length;
    while (s < s_end && t < t_end && *s == *t) {
        bool quote = *s == '\'';
        s++;
        t++;
        if (!quote) continue;
        while (s < s_end && *s != '\'') s++;
        while (t < t_end && *t != '\'') t++;
    }
    return s == s_end && t == t_end;
}

static Lines split(const char *text)
{
    Lines lines = {.list = calloc((size_t)count_lines(text) + 1, sizeof *lines.list)};
    while (lines.list && *text) {
        size_t length = strcspn(text, "\n");
        if (length) {
            Line *line = &lines.list[lines.count];
            *line = (Line){.text = text, .length = length, .cause = lines.count};
            find_start(line);
            for (int i = 0; i < lines.count && line->cause == lines.count; i++)
                if (lines.list[i].cause == i && is_same_cause(&lines.list[i], line))
                    line->cause = i;
            lines.list[line->cause].same++;
            lines.count++;
        }
        text += length;
        if (*text) text++;
    }
    return lines;
}

/* What helps against a cause; NULL: nothing to say. */
static const char *hint_of(const Line *line)
{
    static const struct {
        const char *part, *hint;
    } hints[] = {
        {"no such file", "files are looked for beside the model, or in meshdir, texturedir or "
                         "assetdir of <compiler>"},
        {"unknown element", "remove it; docs/mjcf.md lists what is read"},
        {"unknown attribute", "remove it; docs/mjcf.md lists what is read"},
        {"not supported", "docs/mjcf.md says what there is instead"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        size_t length = strlen(hints[i].part);
        for (size_t at = line->start; at + length <= line->length; at++)
            if (!strncmp(line->text + at, hints[i].part, length)) return hints[i].hint;
    }
    return NULL;
}

static bool is_of_one_file(const Line *a, const Line *b)
{
    const char *end_a = memchr(a->text, ':', a->length), *end_b = memchr(b->text, ':', b->length);
    return a->number && b->number && end_a && end_b && end_a - a->text == end_b - b->text &&
           !strncmp(a->text, b->text, (size_t)(end_a - a->text));
}

/* "; 15 more like this: lines 46, 47, 48 ..." */
static void print_places(FILE *out, const Lines *lines, int first)
{
    const Line *line = &lines->list[first];
    int told = 0;
    fprintf(out, "; %d more like this", line->same - 1);
    for (int i = first + 1; i < lines->count && told <= PLACES; i++) {
        const Line *other = &lines->list[i];
        if (other->cause != first || !is_of_one_file(line, other)) continue;
        if (told == PLACES)
            fputs(" ...", out);
        else
            fprintf(out, "%s %d", told ? "," : ": lines", other->number);
        told++;
    }
}

void problems_print(FILE *out, const char *kind, const char *text, int count)
{
    Lines lines = split(text);
    if (!lines.list) fprintf(out, "%s\n", text);
    for (int i = 0; i < lines.count; i++) {
        const Line *line = &lines.list[i], *first = &lines.list[line->cause];
        bool many = first->same > SINGLE_LINES;
        if (many && line != first) continue;
        fprintf(out, "%s%.*s", kind, (int)line->length, line->text);
        if (many) print_places(out, &lines, i);
        fputc('\n', out);
        const char *hint = hint_of(line);
        if (many && hint) fprintf(out, "%s  hint: %s\n", kind, hint);
    }
    if (lines.list && count > lines.count)
        fprintf(out, "%sand %d more, which do not fit this list\n", kind, count - lines.count);
    free(lines.list);
}

static void json_text(Json *json, const char *key, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (copy) json_string(json, key, copy);
    free(copy);
}

void problems_json(Json *json, const char *key, const char *text, int count)
{
    Lines lines = split(text);
    json_begin_array(json, key);
    for (int i = 0; i < lines.count; i++) {
        const Line *line = &lines.list[i];
        if (line->cause != i) continue;
        json_begin_object(json, NULL);
        json_text(json, "message", line->text + line->start, line->length - line->start);
        json_integer(json, "count", line->same);
        json_begin_array(json, "lines");
        for (int k = i; k < lines.count; k++)
            if (lines.list[k].cause == i) json_integer(json, NULL, lines.list[k].number);
        json_end(json);
        const char *hint = hint_of(line);
        if (hint) json_string(json, "hint", hint);
        json_end(json);
    }
    if (lines.list && count > lines.count) {
        json_begin_object(json, NULL);
        json_string(json, "message", "more, which do not fit this list");
        json_integer(json, "count", count - lines.count);
        json_end(json);
    }
    json_end(json);
    free(lines.list);
}
