/* tet_tetgen.c: TetGen's pairs of text files.
 *
 *   .node   count 3 attributes markers     then: number x y z [attributes] [marker]
 *   .ele    count 4 attributes             then: number, four nodes [attributes]
 *
 * One entry per line; `#` begins a comment. Nodes are numbered from 0 or 1 without gaps, as the
 * first line says, and elements name them by these numbers. */
#include "tet_file.h"

#include <string.h>

/* A line with something on it, up to its comment. */
typedef struct Line {
    const char *at, *end;
    int64_t number;
} Line;

static bool next_line(TnTetFile *f, Line *line)
{
    size_t length;
    for (const char *text; (text = tn_tet_line(f, &length));) {
        const char *comment = memchr(text, '#', length);
        *line = (Line){text, comment ? comment : text + length, 0};
        /* tn_tet_line has passed the end, where there is one */
        line->number = f->line - (text[length] == '\n' ? 1 : 0);
        for (; line->at < line->end; line->at++)
            if (!strchr(" \t\r\v\f", *line->at) || *line->at == 0) return true;
    }
    return false;
}

/* The next word of the line; NULL: none. */
static const char *next_word(Line *line, size_t *length)
{
    while (line->at < line->end && *line->at && strchr(" \t\r\v\f", *line->at)) line->at++;
    const char *start = line->at;
    while (line->at < line->end && !(*line->at && strchr(" \t\r\v\f", *line->at))) line->at++;
    *length = (size_t)(line->at - start);
    return *length ? start : NULL;
}

static bool next_int(Line *line, int64_t *out)
{
    size_t length;
    const char *word = next_word(line, &length);
    return word && tn_tet_parse_int(word, length, out);
}

static bool next_real(Line *line, double *out)
{
    size_t length;
    const char *word = next_word(line, &length);
    return word && tn_mesh_number(word, length, out);
}

static bool read_head(TnTetFile *f, const char *what, int64_t wanted, const char *help,
                      int64_t *count, int64_t *extra)
{
    Line line;
    int64_t size, more;
    if (!next_line(f, &line)) return tn_tet_fault(f, "the file has no first line with its counts");
    if (!next_int(&line, count) || !next_int(&line, &size))
        return tn_tet_fault_at(f, line.number, "the first line must have the number of %s and %lld",
                               what, (long long)wanted);
    if (size != wanted)
        return tn_tet_fault_at(f, line.number, "the second number must be %lld, not %lld: %s",
                               (long long)wanted, (long long)size, help);
    *extra = 0;
    for (int k = 0; k < 2 && next_int(&line, &more); k++) {
        if (!tn_tet_count(f, more, 1, "attributes and markers")) return false;
        *extra += more;
    }
    return tn_tet_count(f, *count, 8, what);
}

/* What is announced must be there: that is all by which a file cut short at its last line is seen.
 */
static bool skip_extra(TnTetFile *f, Line *line, int64_t extra)
{
    size_t length;
    for (int64_t k = 0; k < extra; k++)
        if (!next_word(line, &length))
            return tn_tet_fault_at(f, line->number,
                                   "%lld attributes and markers are announced, but %lld are here",
                                   (long long)extra, (long long)k);
    return true;
}

static bool read_entry(TnTetFile *f, Line *line, int64_t i, int64_t count, const char *what)
{
    if (next_line(f, line)) return true;
    return tn_tet_fault(f, "the file ends after %lld of %lld %s; is it complete?", (long long)i,
                        (long long)count, what);
}

static bool read_end(TnTetFile *f, int64_t count, const char *what)
{
    Line line;
    if (!next_line(f, &line)) return true;
    return tn_tet_fault_at(f, line.number, "a line more than the %lld %s of the first line",
                           (long long)count, what);
}

bool tn_tet_read_tetgen_nodes(TnTetFile *f)
{
    int64_t count, extra, number, first = 0;
    if (!read_head(f, "nodes", 3, "nodes have three coordinates", &count, &extra)) return false;
    for (int64_t i = 0; i < count; i++) {
        Line line;
        double x[3];
        if (!read_entry(f, &line, i, count, "nodes")) return false;
        if (!next_int(&line, &number) || !next_real(&line, &x[0]) || !next_real(&line, &x[1]) ||
            !next_real(&line, &x[2]))
            return tn_tet_fault_at(f, line.number,
                                   "a node needs its number and three finite coordinates");
        if (i == 0) first = number;
        if (first < 0 || first > 1 || number != first + i)
            return tn_tet_fault_at(f, line.number,
                                   "node %lld; they must be numbered from 0 or 1 without gaps",
                                   (long long)number);
        if (!skip_extra(f, &line, extra) || !tn_tet_add_node(f, number, x)) return false;
    }
    return read_end(f, count, "nodes");
}

bool tn_tet_read_tetgen_elements(TnTetFile *f)
{
    int64_t count, extra, number;
    if (!read_head(f, "tetrahedra", 4, "make tetrahedra of first order (tetgen without -o2)",
                   &count, &extra))
        return false;
    for (int64_t i = 0; i < count; i++) {
        Line line;
        int64_t corner[4];
        if (!read_entry(f, &line, i, count, "tetrahedra")) return false;
        bool good = next_int(&line, &number);
        for (int k = 0; good && k < 4; k++) good = next_int(&line, &corner[k]);
        if (!good)
            return tn_tet_fault_at(f, line.number, "a tetrahedron needs its number and four nodes");
        if (!skip_extra(f, &line, extra) || !tn_tet_add_tet(f, corner, line.number)) return false;
    }
    return read_end(f, count, "tetrahedra");
}
