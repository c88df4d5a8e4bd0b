/* tet_vtk.c: VTK's legacy files with an unstructured grid, as text and as binary (highest byte
 * first).
 *
 *   # vtk DataFile Version 3.0     any title     ASCII or BINARY     DATASET UNSTRUCTURED_GRID
 *   POINTS n type                  x y z each
 *   CELLS n size                   number of nodes, nodes each
 *   CELLS n size (version 5)       OFFSETS type: n numbers, the last is size; CONNECTIVITY type
 *   CELL_TYPES n                   10: tetrahedron
 *
 * Vertices, lines and faces are passed over, other solids refused. METADATA and FIELD are skipped;
 * data of points and cells end the reading. */
#include "tet_file.h"

#include "../../base/base.h"

#include <string.h>

/* A whole number of CELLS or CELL_TYPES with its place. */
typedef struct Entry {
    int64_t value, place;
} Entry;

typedef struct Reader {
    TnTetFile *f;
    bool binary;
    bool points;
    TnMeshList starts; /* Entry: where each cell begins in `nodes`, and the end of the last */
    TnMeshList nodes;  /* Entry */
    TnMeshList types;  /* Entry */
} Reader;

static const Entry *entry(const TnMeshList *list, size_t i)
{
    return (const Entry *)list->data + i;
}

/* Bytes of a type of numbers; 0: unknown. */
static int bytes_of(const char *word, size_t length, bool *real)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"float", 4},          {"double", 8},        {"int", 4},
                 {"unsigned_int", 4},   {"long", 8},          {"unsigned_long", 8},
                 {"vtktypeint64", 8},   {"vtktypeuint64", 8}, {"vtktypeint32", 4},
                 {"char", 1},           {"unsigned_char", 1}, {"short", 2},
                 {"unsigned_short", 2}, {"vtkidtype", 4}}; /* VTK writes ids as int */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tn_tet_is(word, length, types[i].name)) {
            *real = i < 2;
            return types[i].bytes;
        }
    return 0;
}

static bool read_type(Reader *r, const char *of, int *bytes, bool *real)
{
    size_t length;
    const char *word = tn_tet_word(r->f, &length);
    if (!word) return tn_tet_fault(r->f, "the file ends where the type of %s should stand", of);
    *bytes = bytes_of(word, length, real);
    if (*bytes) return true;
    return tn_tet_fault(r->f, "'%.*s' is no supported type of numbers",
                        (int)(length < 20 ? length : 20), word);
}

/* Numbers begin behind the line's end. */
static bool begin_numbers(Reader *r)
{
    size_t length;
    if (!r->binary) return true;
    if (!tn_tet_line(r->f, &length)) return tn_tet_fault(r->f, "the file ends before its numbers");
    r->f->binary = r->f->by_byte = true;
    return true;
}

static bool read_whole_type(Reader *r, const char *of, int *bytes)
{
    bool real;
    if (!read_type(r, of, bytes, &real)) return false;
    if (real || *bytes < 4) return tn_tet_fault(r->f, "%s must be int or vtktypeint64", of);
    return true;
}

static bool read_entries(Reader *r, int64_t count, int bytes, const char *what, TnMeshList *list)
{
    TnTetFile *f = r->f;
    if (!begin_numbers(r) || !tn_tet_count(f, count, f->binary ? bytes : 2, what)) return false;
    for (int64_t i = 0; i < count; i++) {
        Entry e = {.place = tn_tet_place(f)};
        if (!tn_tet_int(f, bytes, what, &e.value)) return false;
        if (!f->by_byte) e.place = f->line; /* of the number, not of the end of the one before */
        if (!tn_mesh_list_add(list, sizeof e, &e)) return tn_tet_no_memory(f);
    }
    f->binary = false;
    return true;
}

/* ---- sections ---- */

static bool read_points(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t count;
    int bytes;
    bool real;
    if (r->points) return tn_tet_fault(f, "POINTS comes twice");
    r->points = true;
    if (!tn_tet_text_int(f, "the number of points", &count) ||
        !read_type(r, "the points", &bytes, &real))
        return false;
    if (!real) return tn_tet_fault(f, "points must be float or double");
    if (!begin_numbers(r) || !tn_tet_count(f, count, f->binary ? 3 * bytes : 6, "points"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        double x[3];
        for (int k = 0; k < 3; k++)
            if (!tn_tet_real(f, bytes, "a point's coordinate", &x[k])) return false;
        if (!tn_tet_add_node(f, i, x)) return false;
    }
    f->binary = false;
    return true;
}

/* Before version 5: each cell's number of nodes stands before them. */
static bool read_old_cells(Reader *r, int64_t count, int64_t size)
{
    TnTetFile *f = r->f;
    TnMeshList all = {0};
    bool good = read_entries(r, size, 4, "cells", &all);
    size_t at = 0;
    for (int64_t i = 0; good && i < count; i++) {
        if (at >= all.count) {
            good = tn_tet_fault(f, "CELLS ends at cell %lld of %lld; its size is wrong",
                                (long long)i, (long long)count);
            break;
        }
        Entry head = *entry(&all, at++), start = {(int64_t)r->nodes.count, head.place};
        if (head.value < 0 || (uint64_t)head.value > all.count - at) {
            good = tn_tet_fault_at(f, head.place, "a cell of %lld nodes, but CELLS has %zu left",
                                   (long long)head.value, all.count - at);
            break;
        }
        good = tn_mesh_list_add(&r->starts, sizeof start, &start) || tn_tet_no_memory(f);
        for (int64_t k = 0; good && k < head.value; k++)
            good = tn_mesh_list_add(&r->nodes, sizeof(Entry), entry(&all, at++)) ||
                   tn_tet_no_memory(f);
    }
    if (good && at != all.count)
        good = tn_tet_fault(f, "CELLS has %zu numbers more than its cells", all.count - at);
    Entry end = {(int64_t)r->nodes.count, tn_tet_place(f)};
    if (good && !tn_mesh_list_add(&r->starts, sizeof end, &end)) good = tn_tet_no_memory(f);
    tn_free(all.data);
    return good;
}

/* Version 5; the word OFFSETS has been read. */
static bool read_new_cells(Reader *r, int64_t offsets, int64_t size)
{
    TnTetFile *f = r->f;
    int bytes;
    size_t length;
    if (!read_whole_type(r, "OFFSETS", &bytes) ||
        !read_entries(r, offsets, bytes, "offsets", &r->starts))
        return false;
    const char *word = tn_tet_word(f, &length);
    if (!word || !tn_tet_is(word, length, "CONNECTIVITY"))
        return tn_tet_fault(f, "CONNECTIVITY should stand here");
    if (!read_whole_type(r, "CONNECTIVITY", &bytes) ||
        !read_entries(r, size, bytes, "connectivity", &r->nodes))
        return false;
    for (size_t i = 0; i < r->starts.count; i++) {
        const Entry *e = entry(&r->starts, i);
        int64_t before = i ? entry(&r->starts, i - 1)->value : 0;
        if (e->value < before || e->value > size || (i == 0 && e->value != 0))
            return tn_tet_fault_at(f, e->place, "offset %lld; they rise from 0 to %lld",
                                   (long long)e->value, (long long)size);
    }
    if (r->starts.count && entry(&r->starts, r->starts.count - 1)->value != size)
        return tn_tet_fault(f, "the last offset must be %lld", (long long)size);
    return true;
}

static bool read_cells(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t count, size, line;
    size_t length, at;
    if (r->starts.count) return tn_tet_fault(f, "CELLS comes twice");
    if (!tn_tet_text_int(f, "the number of cells", &count) ||
        !tn_tet_text_int(f, "the size of CELLS", &size) || !tn_tet_count(f, count, 2, "cells"))
        return false;
    at = f->at;
    line = f->line;
    const char *word = tn_tet_word(f, &length);
    if (word && tn_tet_is(word, length, "OFFSETS")) return read_new_cells(r, count, size);
    f->at = at;
    f->line = line;
    return read_old_cells(r, count, size);
}

static bool skip_field(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t arrays, components, tuples;
    size_t length;
    tn_tet_word(f, &length); /* its name */
    if (!tn_tet_text_int(f, "the number of arrays", &arrays)) return false;
    for (int64_t i = 0; i < arrays; i++) {
        int bytes;
        bool real;
        tn_tet_word(f, &length);
        if (!tn_tet_text_int(f, "the number of components", &components) ||
            !tn_tet_text_int(f, "the number of tuples", &tuples) ||
            !read_type(r, "an array", &bytes, &real) || !begin_numbers(r) ||
            !tn_tet_count(f, components, 1, "components") ||
            !tn_tet_count(f, tuples, 1, "tuples") || /* both small: no overflow */
            !tn_tet_skip(f, (uint64_t)components * (uint64_t)tuples, (uint64_t)bytes, "an array"))
            return false;
        f->binary = false;
    }
    return true;
}

/* Ends with an empty line. */
static void skip_metadata(Reader *r)
{
    size_t length;
    const char *line = tn_tet_line(r->f, &length);
    while (line && (line = tn_tet_line(r->f, &length)))
        if (length == 0 || (length == 1 && line[0] == '\r')) return;
}

/* ---- the file ---- */

static bool read_head(Reader *r)
{
    TnTetFile *f = r->f;
    size_t length;
    tn_tet_line(f, &length); /* # vtk DataFile, as the loader saw */
    tn_tet_line(f, &length); /* title */
    const char *word = tn_tet_word(f, &length);
    r->binary = word && tn_tet_is(word, length, "BINARY");
    if (!word || (!r->binary && !tn_tet_is(word, length, "ASCII")))
        return tn_tet_fault(f, "ASCII or BINARY should stand here, behind the title's line");
    f->big_endian = true;
    word = tn_tet_word(f, &length);
    if (!word || !tn_tet_is(word, length, "DATASET"))
        return tn_tet_fault(f, "DATASET should stand here");
    word = tn_tet_word(f, &length);
    if (!word || !tn_tet_is(word, length, "UNSTRUCTURED_GRID"))
        return tn_tet_fault(f, "the data set must be an UNSTRUCTURED_GRID");
    return true;
}

/* Nodes of a cell that is passed over or read: 0 any number, -1: refused. */
static int nodes_of(int64_t type)
{
    static const int8_t nodes[11] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};
    if (type >= 0 && type <= 10) return nodes[type];
    bool flat = (type >= 21 && type <= 23) || type == 28 || type == 30 ||
                (type >= 34 && type <= 36); /* curved lines and faces */
    return flat ? 0 : -1;
}

static bool take_cells(Reader *r)
{
    TnTetFile *f = r->f;
    size_t cells = r->starts.count ? r->starts.count - 1 : 0;
    if (!r->points) return tn_tet_fault(f, "POINTS is missing; is the file complete?");
    if (r->types.count != cells)
        return tn_tet_fault(f, "%zu cells, but %zu CELL_TYPES; is the file complete?", cells,
                            r->types.count);
    for (size_t i = 0; i < cells; i++) {
        const Entry *type = entry(&r->types, i), *start = entry(&r->starts, i);
        int64_t count = entry(&r->starts, i + 1)->value - start->value;
        int wanted = nodes_of(type->value);
        if (wanted < 0)
            return tn_tet_fault_at(f, type->place,
                                   "cell %zu (from 0) is of type %lld; only tetrahedra of 4 nodes "
                                   "(10) are supported as solids: mesh the volume with these",
                                   i, (long long)type->value);
        if (wanted && count != wanted)
            return tn_tet_fault_at(f, start->place,
                                   "cell %zu (from 0), type %lld, has %lld nodes; "
                                   "it needs %d",
                                   i, (long long)type->value, (long long)count, wanted);
        if (type->value != 10) continue;
        int64_t corner[4];
        const Entry *first = entry(&r->nodes, (size_t)start->value);
        for (int k = 0; k < 4; k++) corner[k] = first[k].value;
        if (!tn_tet_add_tet(f, corner, first->place)) return false;
    }
    return true;
}

static bool read_sections(Reader *r)
{
    TnTetFile *f = r->f;
    size_t length;
    int64_t count;
    for (const char *word; (word = tn_tet_word(f, &length));) {
        bool good = true;
        if (tn_tet_is(word, length, "POINT_DATA") || tn_tet_is(word, length, "CELL_DATA")) break;
        if (tn_tet_is(word, length, "POINTS"))
            good = read_points(r);
        else if (tn_tet_is(word, length, "CELLS"))
            good = read_cells(r);
        else if (tn_tet_is(word, length, "CELL_TYPES"))
            good = tn_tet_text_int(f, "the number of cell types", &count) &&
                   read_entries(r, count, 4, "cell types", &r->types);
        else if (tn_tet_is(word, length, "FIELD"))
            good = skip_field(r);
        else if (tn_tet_is(word, length, "METADATA"))
            skip_metadata(r);
        else
            good = tn_tet_fault(f, "POINTS, CELLS or CELL_TYPES should stand here; are the counts "
                                   "before it right?");
        if (!good) return false;
    }
    return true;
}

bool tn_tet_read_vtk(TnTetFile *f)
{
    Reader r = {.f = f};
    bool good = read_head(&r) && read_sections(&r) && take_cells(&r);
    tn_free(r.starts.data);
    tn_free(r.nodes.data);
    tn_free(r.types.data);
    return good;
}
