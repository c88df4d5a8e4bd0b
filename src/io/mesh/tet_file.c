/* tet_file.c: places, numbers, and the lists of a tetrahedral mesh file. */
#include "tet_file.h"

#include "../../base/base.h"
#include "../../base/platform/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

int64_t tn_tet_place(const TnTetFile *f) { return f->by_byte ? (int64_t)f->at : f->line; }

static void complain(TnTetFile *f, int64_t place, const char *format, va_list args)
{
    char what[400];
    vsnprintf(what, sizeof what, format, args);
    tn_error_add(f->err, TN_ERROR_MODEL, f->by_byte ? "%.500s: byte %lld: %s" : "%.500s:%lld: %s",
                 f->path, (long long)place, what);
}

bool tn_tet_fault(TnTetFile *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(f, tn_tet_place(f), format, args);
    va_end(args);
    return false;
}

bool tn_tet_fault_at(TnTetFile *f, int64_t place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain(f, place, format, args);
    va_end(args);
    return false;
}

bool tn_tet_no_memory(TnTetFile *f)
{
    tn_error_add(f->err, TN_ERROR_MEMORY, "%.500s: no memory for the mesh", f->path);
    return false;
}

static bool ends(TnTetFile *f, const char *what)
{
    return tn_tet_fault(f, "the file ends where %s should stand; is it complete?", what);
}

/* ---- text ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

const char *tn_tet_word(TnTetFile *f, size_t *length)
{
    for (; f->at < f->size && is_blank(f->text[f->at]); f->at++) f->line += f->text[f->at] == '\n';
    size_t start = f->at;
    while (f->at < f->size && !is_blank(f->text[f->at])) f->at++;
    *length = f->at - start;
    return *length ? f->text + start : NULL;
}

bool tn_tet_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && tn_text_begins(word, text);
}

const char *tn_tet_line(TnTetFile *f, size_t *length)
{
    if (f->at >= f->size) return NULL;
    const char *start = f->text + f->at, *end = memchr(start, '\n', f->size - f->at);
    *length = end ? (size_t)(end - start) : f->size - f->at;
    f->at += *length + (end ? 1 : 0);
    f->line += end ? 1 : 0;
    return start;
}

bool tn_tet_parse_int(const char *word, size_t length, int64_t *out)
{
    size_t i = length > 0 && (word[0] == '-' || word[0] == '+');
    int64_t value = 0;
    if (i == length) return false;
    for (; i < length; i++) {
        if (word[i] < '0' || word[i] > '9' || value > INT64_MAX / 10 - 1) return false;
        value = 10 * value + (word[i] - '0');
    }
    *out = word[0] == '-' ? -value : value;
    return true;
}

static bool no_number(TnTetFile *f, const char *word, size_t length, const char *kind,
                      const char *what)
{
    char shown[32]; /* whatever bytes the file has, the message stays text */
    size_t n = length < sizeof shown - 1 ? length : sizeof shown - 1;
    for (size_t i = 0; i < n; i++) shown[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    shown[n] = 0;
    return tn_tet_fault(f, "%s must be a %s number; '%s' is none", what, kind, shown);
}

bool tn_tet_text_int(TnTetFile *f, const char *what, int64_t *out)
{
    size_t length;
    const char *word = tn_tet_word(f, &length);
    if (!word) return ends(f, what);
    return tn_tet_parse_int(word, length, out) || no_number(f, word, length, "whole", what);
}

/* ---- numbers, text or binary ---- */

static bool read_bits(TnTetFile *f, int bytes, const char *what, uint64_t *out)
{
    if (f->size - f->at < (size_t)bytes) return ends(f, what);
    const unsigned char *b = (const unsigned char *)f->text + f->at;
    uint64_t bits = 0;
    for (int k = 0; k < bytes; k++)
        bits |= (uint64_t)b[k] << (f->big_endian ? 8 * (bytes - 1 - k) : 8 * k);
    f->at += (size_t)bytes;
    *out = bits;
    return true;
}

bool tn_tet_int(TnTetFile *f, int bytes, const char *what, int64_t *out)
{
    if (!f->binary) return tn_tet_text_int(f, what, out);
    uint64_t bits = 0;
    if (!read_bits(f, bytes, what, &bits)) return false;
    *out = bytes == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
    return true;
}

bool tn_tet_real(TnTetFile *f, int bytes, const char *what, double *out)
{
    if (!f->binary) {
        size_t length;
        const char *word = tn_tet_word(f, &length);
        if (!word) return ends(f, what);
        return tn_mesh_number(word, length, out) || no_number(f, word, length, "finite", what);
    }
    uint64_t bits = 0;
    if (!read_bits(f, bytes, what, &bits)) return false;
    if (bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        *out = (double)value;
    } else {
        memcpy(out, &bits, sizeof *out);
    }
    if (isfinite(*out)) return true;
    f->at -= (size_t)bytes;
    return tn_tet_fault(f, "%s is not finite", what);
}

bool tn_tet_skip(TnTetFile *f, uint64_t count, uint64_t bytes_each, const char *what)
{
    if (f->binary) {
        if (bytes_each && count > (f->size - f->at) / bytes_each) return ends(f, what);
        f->at += (size_t)(count * bytes_each);
        return true;
    }
    size_t length;
    for (uint64_t i = 0; i < count; i++)
        if (!tn_tet_word(f, &length)) return ends(f, what);
    return true;
}

/* In text a number takes a digit and a blank at least, so bytes_each is taken as that many bytes in
 * either form; the last of a text may lack its blank. */
bool tn_tet_count(TnTetFile *f, int64_t count, int bytes_each, const char *what)
{
    if (count >= 0 && count <= ((int64_t)(f->size - f->at) + 1) / bytes_each) return true;
    if (count < 0) return tn_tet_fault(f, "the number of %s is negative", what);
    return tn_tet_fault(f,
                        "%lld %s are announced, but the file has %zu bytes left; is it complete?",
                        (long long)count, what, f->size - f->at);
}

/* ---- lists ---- */

bool tn_tet_add_node(TnTetFile *f, int64_t number, const double x[3])
{
    TnTetFileNode node = {number, {x[0], x[1], x[2]}};
    return tn_mesh_list_add(&f->nodes, sizeof node, &node) || tn_tet_no_memory(f);
}

bool tn_tet_add_tet(TnTetFile *f, const int64_t nodes[4], int64_t place)
{
    TnTetFileTet tet = {{nodes[0], nodes[1], nodes[2], nodes[3]}, place};
    return tn_mesh_list_add(&f->tets, sizeof tet, &tet) || tn_tet_no_memory(f);
}

bool tn_tet_add_triangle(TnTetFile *f, const int64_t nodes[3], int64_t place)
{
    TnTetFileTet triangle = {{nodes[0], nodes[1], nodes[2], nodes[2]}, place};
    return tn_mesh_list_add(&f->triangles, sizeof triangle, &triangle) || tn_tet_no_memory(f);
}

static int compare_nodes(const void *first, const void *second)
{
    int64_t a = ((const TnTetFileNode *)first)->number, b = ((const TnTetFileNode *)second)->number;
    return (a > b) - (a < b);
}

/* Nodes are sorted by the file's numbers; most files have them so already. */
static bool sort_nodes(TnTetFile *f)
{
    TnTetFileNode *nodes = f->nodes.data;
    bool sorted = true;
    for (size_t i = 1; i < f->nodes.count; i++) sorted &= nodes[i - 1].number < nodes[i].number;
    if (sorted) return true;
    qsort(nodes, f->nodes.count, sizeof *nodes, compare_nodes);
    for (size_t i = 1; i < f->nodes.count; i++)
        if (nodes[i - 1].number == nodes[i].number) {
            tn_error_add(f->err, TN_ERROR_MODEL,
                         "%.500s: node %lld appears twice; renumber the "
                         "nodes",
                         f->path, (long long)nodes[i].number);
            return false;
        }
    return true;
}

static int64_t find_node(const TnTetFile *f, int64_t number)
{
    const TnTetFileNode *nodes = f->nodes.data;
    size_t low = 0, high = f->nodes.count;
    if (high == 0 || number < nodes[0].number) return -1;
    uint64_t direct = (uint64_t)number - (uint64_t)nodes[0].number; /* without gaps */
    if (direct < high && nodes[direct].number == number) return (int64_t)direct;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (nodes[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->nodes.count && nodes[low].number == number ? (int64_t)low : -1;
}

static bool fill(TnTetFile *f, int32_t *place, TnTetMesh *out)
{
    const TnTetFileNode *nodes = f->nodes.data;
    const TnTetFileTet *tets = f->tets.data;
    for (size_t i = 0; i < f->nodes.count; i++) place[i] = -1;
    for (size_t i = 0; i < f->tets.count; i++)
        for (size_t k = 0; k < 4; k++) {
            int64_t at = find_node(f, tets[i].nodes[k]);
            if (at < 0)
                return tn_tet_fault_at(
                    f, tets[i].place,
                    "a tetrahedron names node %lld, which the file does not "
                    "have; its nodes are %lld to %lld",
                    (long long)tets[i].nodes[k], (long long)(f->nodes.count ? nodes[0].number : 0),
                    (long long)(f->nodes.count ? nodes[f->nodes.count - 1].number : -1));
            out->tets[4 * i + k] = (int32_t)at;
            place[at] = 0;
        }
    for (size_t i = 0; i < f->nodes.count; i++) {
        if (place[i] < 0) continue;
        memcpy(out->nodes + 3 * (size_t)out->node_count, nodes[i].x, sizeof nodes[i].x);
        place[i] = out->node_count++;
    }
    for (size_t i = 0; i < 4 * f->tets.count; i++) out->tets[i] = place[out->tets[i]];
    out->tet_count = (int)f->tets.count;
    return true;
}

bool tn_tet_file_finish(TnTetFile *f, TnTetMesh *out)
{
    if (f->tets.count == 0) {
        tn_error_add(f->err, TN_ERROR_MODEL,
                     "%.500s: no tetrahedra; mesh the volume, not only its surface", f->path);
        return false;
    }
    if (f->nodes.count > INT_MAX / 3 || f->tets.count > INT_MAX / 4) {
        tn_error_add(f->err, TN_ERROR_MODEL, "%.500s: the mesh is too large", f->path);
        return false;
    }
    if (!sort_nodes(f)) return false;
    int32_t *place = tn_calloc(f->nodes.count, sizeof *place);
    out->nodes = tn_calloc(3 * f->nodes.count, sizeof *out->nodes);
    out->tets = tn_calloc(4 * f->tets.count, sizeof *out->tets);
    bool good = (place && out->nodes && out->tets) || tn_tet_no_memory(f);
    good = good && fill(f, place, out);
    tn_free(place);
    if (!good) tn_tet_mesh_free(out);
    return good;
}
