/* mjcf_track.c: a control track from a CSV file.
 *
 *   time,shoulder,elbow        header: `time`, then every actuator once, in any order
 *   0,0.1,-0.2                 rows of numbers, times ascending
 * Blanks around fields are fine; empty lines are passed over. */
#include "../../base/base.h"
#include "../io_file.h"
#include "../suggest.h"
#include "mjcf.h"

#include <string.h>

typedef struct Csv {
    TnMjcf *m;
    const char *file;
    const char *line_start;
    int line;
    int column_count;
    int *target; /* of each column: -1 time, else the actuator's index */
} Csv;

static TnSource place(const Csv *csv, const char *at)
{
    return (TnSource){csv->file, csv->line, (int)(at - csv->line_start) + 1};
}

static const char *skip_blanks(const char *s) { return s + strspn(s, " \t\r"); }

static bool at_line_end(const char *s) { return *s == '\n' || *s == '\0'; }

static void next_line(Csv *csv, const char **s)
{
    *s += strcspn(*s, "\n");
    if (**s) (*s)++;
    csv->line++;
    csv->line_start = *s;
}

/* One name of the header; the column's target or -2 after an error. */
static int find_target(const Csv *csv, const char *field, size_t length, bool first)
{
    TnMjcf *m = csv->m;
    char *name = tn_io_copy(&m->pool, field, length);
    if (!name) return -2;
    if (first) {
        if (strcmp(name, "time") == 0) return -1;
        tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, field), "track",
                    "the first column must be 'time', not '%.60s'", name);
        return -2;
    }
    const TnMjcfName *actuator = tn_mjcf_name_find(m, TN_NAMED_ACTUATOR, name);
    if (actuator)
        return actuator->id > 0 ? actuator->id - 1 : -2; /* a refused one was reported before */
    char text[TN_SUGGEST_TEXT];
    TnSuggestion near = tn_suggest_begin(name);
    for (const TnMjcfName *n = m->names.first; n; n = n->later)
        if (n->kind == TN_NAMED_ACTUATOR) tn_suggest_offer(&near, n->name, strlen(n->name));
    tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, field), "track",
                "there is no actuator named '%.60s'%s", name, tn_suggest_text(&near, text));
    return -2;
}

static bool read_header(Csv *csv, const char **text)
{
    TnMjcf *m = csv->m;
    int actuators = m->actuator_count, count = 0;
    csv->target = tn_io_alloc(&m->pool, sizeof(int) * ((size_t)actuators + 1));
    bool *seen = tn_io_alloc(&m->pool, (size_t)actuators + 1);
    if (!csv->target || !seen) return false;
    const char *s = *text;
    bool good = true;
    for (;;) {
        s = skip_blanks(s);
        size_t length = strcspn(s, ",\n");
        size_t trimmed = length;
        while (trimmed && strchr(" \t\r", s[trimmed - 1])) trimmed--;
        int target = find_target(csv, s, trimmed, count == 0);
        if (target < -1) {
            good = false;
        } else if (target >= 0 && (target >= actuators || seen[target])) {
            tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, s), "track",
                        "column '%.*s' appears twice", (int)(trimmed < 60 ? trimmed : 60), s);
            good = false;
        } else if (target >= 0) {
            seen[target] = true;
        }
        if (good && count <= actuators) csv->target[count] = target;
        count++;
        s += length;
        if (*s != ',') break;
        s++;
    }
    if (good && count != actuators + 1) {
        tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, *text), "track",
                    "the track has %d actuators and the model %d; the track must have all of them",
                    count - 1, actuators);
        good = false;
    }
    csv->column_count = count;
    *text = s;
    next_line(csv, text);
    return good;
}

static bool read_row(Csv *csv, const char *s, double *time, double *ctrl)
{
    TnMjcf *m = csv->m;
    for (int c = 0; c < csv->column_count; c++) {
        const char *field = skip_blanks(s);
        double value = 0;
        s = field;
        TnNumberFault fault = tn_mjcf_number(&s, ',', &value);
        if (fault != TN_NUMBER_GOOD) {
            size_t length = strcspn(field, ",\r\n");
            tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, field), "track",
                        "'%.*s' is not a %snumber", (int)(length < 40 ? length : 40), field,
                        fault == TN_NUMBER_NOT_FINITE ? "finite " : "");
            return false;
        }
        if (csv->target[c] < 0)
            *time = value;
        else
            ctrl[csv->target[c]] = value;
        s = skip_blanks(s);
        bool last = c + 1 == csv->column_count;
        if (last ? at_line_end(s) : *s == ',') {
            s++;
            continue;
        }
        tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, s), "track", "the row must have %d numbers",
                    csv->column_count);
        return false;
    }
    return true;
}

static int count_rows(const char *text)
{
    int rows = 0;
    while (*text) {
        rows += !at_line_end(skip_blanks(text));
        text += strcspn(text, "\n");
        if (*text) text++;
    }
    return rows;
}

static bool read_rows(Csv *csv, const char *text, TnTrackDef *out)
{
    TnMjcf *m = csv->m;
    size_t rows = (size_t)count_rows(text), width = (size_t)m->actuator_count;
    double *times = tn_io_alloc(&m->pool, (rows + 1) * sizeof *times);
    double *ctrl = tn_io_alloc(&m->pool, (rows * width + 1) * sizeof *ctrl);
    if (!times || !ctrl) return false;
    int before = m->err.count, row = 0;
    for (; *text; next_line(csv, &text)) {
        if (at_line_end(skip_blanks(text))) continue;
        if (!read_row(csv, text, &times[row], ctrl + (size_t)row * width)) {
            if (m->err.count - before >= 20) return false; /* a wrong file altogether */
        } else if (row > 0 && !(times[row] > times[row - 1])) {
            tn_error_at(&m->err, TN_ERROR_MODEL, place(csv, text), "track",
                        "times must increase: %g comes after %g", times[row], times[row - 1]);
        }
        row++;
    }
    if (row == 0)
        tn_error_at(&m->err, TN_ERROR_MODEL, (TnSource){csv->file, 1, 1}, "track",
                    "the track has no rows");
    out->row_count = row;
    out->times = times;
    out->ctrl = ctrl;
    return m->err.count == before;
}

bool tn_mjcf_read_track(TnMjcf *m, const TnXmlElement *element, const char *path, TnTrackDef *out)
{
    const TnXmlAttr *attr = tn_xml_attr(element, "file");
    TnIoFile file;
    if (!tn_io_read_file(m->load, path,
                         attr ? tn_xml_attr_place(element, attr) : tn_xml_place(element), "track",
                         &file, &m->err))
        return false;
    Csv csv = {.m = m, .file = path, .line_start = file.text, .line = 1};
    const char *text = file.text;
    bool good = false;
    if (strlen(file.text) != file.size)
        tn_error_at(&m->err, TN_ERROR_MODEL, (TnSource){path, 1, 1}, "track",
                    "the file is not a text file");
    else
        good = read_header(&csv, &text) && read_rows(&csv, text, out);
    tn_free(file.text);
    return good;
}
