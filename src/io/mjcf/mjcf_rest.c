/* mjcf_rest.c: what else is wrong with a model that has errors in its file.
 *
 * Elements with errors are left out or read without the bad value, and the rest is compiled. Most
 * that the compiler then finds is true, but some only follows from what is missing: a body without
 * mass, because its geom had an error. A problem is told if nothing that its element depends on has
 * an error:
 *
 *     settings, classes ──► assets ──► bodies ──► tendons, contacts ──► equalities, actuators
 *                                                                  ──► sensors ──► keys
 *
 * nothing in the sections before its own, nothing in its element and in those around it, and of a
 * body or its parts nothing in the body and all that hangs on it. Places tie messages to elements.
 * Where one cannot be found (attached models, files beside the model) nothing more is told. */
#include "../../base/base.h"
#include "mjcf.h"

#include <stdio.h>
#include <string.h>

typedef enum Rank { RANK_ALL, RANK_ASSET, RANK_BODY, RANK_TENDON, RANK_KEY = 6, RANK_ALONE } Rank;

static Rank rank_of(const TnXmlElement *section)
{
    static const char *const ranks[] = {
        [RANK_ALL] = "",           [RANK_ASSET] = "asset",
        [RANK_BODY] = "worldbody", [RANK_TENDON] = "tendon contact",
        [4] = "equality actuator", [5] = "sensor",
        [RANK_KEY] = "keyframe",   [RANK_ALONE] = "option visual statistic custom size"};
    for (int i = RANK_ASSET; i <= RANK_ALONE; i++)
        if (tn_mjcf_word_index(ranks[i], section->name) >= 0) return (Rank)i;
    return RANK_ALL; /* settings and classes speak for everything; so may what is not known */
}

/* A line of an error, `file:line:column: element: text`. */
typedef struct Line {
    const char *start;
    size_t length, file_length;
    int line, column;
    const char *element; /* after the place */
} Line;

static bool read_line(const char *start, Line *out)
{
    size_t length = strcspn(start, "\n");
    *out = (Line){.start = start, .length = length};
    for (size_t i = 0; i < length; i++) {
        int end = 0;
        if (start[i] != ':' ||
            sscanf(start + i, ":%9d:%9d: %n", &out->line, &out->column, &end) != 2 || !end)
            continue;
        out->file_length = i;
        out->element = start + i + end;
        return true;
    }
    return false;
}

static const char *next_line(const Line *line)
{
    return line->start + line->length + (line->start[line->length] == '\n');
}

/* In the order of the file; NULL after the last. */
static TnXmlElement *next_element(TnXmlElement *e)
{
    if (e->first) return e->first;
    while (e && !e->next) e = e->parent;
    return e ? e->next : NULL;
}

static bool in_file(const TnXmlElement *e, const Line *line)
{
    return e->file && strlen(e->file) == line->file_length &&
           memcmp(e->file, line->start, line->file_length) == 0;
}

/* The last element that starts at the place or before it. */
static TnXmlElement *find(const TnMjcf *m, const Line *line)
{
    TnXmlElement *best = NULL;
    for (TnXmlElement *e = m->root; e; e = next_element(e)) {
        bool before = e->line < line->line || (e->line == line->line && e->column <= line->column);
        if (!before || !in_file(e, line)) continue;
        if (!best || e->line > best->line || (e->line == best->line && e->column >= best->column))
            best = e;
    }
    return best;
}

static bool has_name(const Line *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line->element, name, length) == 0 && line->element[length] == ':';
}

/* Marks the elements of all errors, and their ancestors; the least rank among them. RANK_ALL also
 * where an error's element is not known. */
static Rank mark_errors(TnMjcf *m)
{
    Rank least = RANK_ALONE;
    int count = 0;
    Line line;
    for (const char *at = m->err.message; *at; at = next_line(&line), count++) {
        TnXmlElement *e = read_line(at, &line) ? find(m, &line) : NULL;
        if (!e || e == m->root || !has_name(&line, e->name)) return RANK_ALL;
        e->has_error = true;
        for (; e != m->root; e = e->parent) {
            e->holds_error = true;
            if (e->parent == m->root && rank_of(e) < least) least = rank_of(e);
        }
    }
    return count == m->err.count ? least : RANK_ALL; /* some did not fit */
}

static bool may_follow(const TnMjcf *m, const TnXmlElement *e, Rank least)
{
    if (e == m->root) return true;
    bool hit = e->holds_error;
    const TnXmlElement *section = e, *body = NULL;
    for (; section->parent != m->root; section = section->parent) {
        hit = hit || section->has_error; /* its class, too, may come from above */
        if (!body && strcmp(section->name, "body") == 0) body = section;
    }
    Rank rank = rank_of(section);
    if (rank == RANK_BODY && body) hit = hit || body->holds_error;
    if (rank == RANK_KEY && least == RANK_KEY) return true; /* the reader names the first alone */
    return hit || (rank > least && rank != RANK_ALONE);
}

void tn_mjcf_check_rest(TnMjcf *m)
{
    if (m->err.count == 0 || m->scope_count > 1) return;
    Rank least = mark_errors(m);
    TnError *found = least == RANK_ALL ? NULL : tn_calloc(1, sizeof *found);
    if (!found) return;
    tn_model_destroy(tn_builder_compile(m->builder, found));
    Line line;
    for (const char *at = found->message; *at; at = next_line(&line)) {
        const TnXmlElement *e = read_line(at, &line) ? find(m, &line) : NULL;
        if (e && e->line == line.line && e->column == line.column && !may_follow(m, e, least))
            tn_error_add(&m->err, TN_ERROR_MODEL, "%.*s", (int)line.length, line.start);
    }
    tn_free(found);
}
