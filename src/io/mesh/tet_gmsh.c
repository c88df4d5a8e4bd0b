/* tet_gmsh.c: gmsh's files, versions 2.x and 4.1, as text and as binary (lowest byte first).
 *
 *   $MeshFormat   version, 0 text or 1 binary, bytes of a long number; binary: the int 1
 *   $Nodes        2.x: count, then number x y z each
 *                 4.1: blocks, nodes, lowest, highest; each block: dimension, entity, parametric,
 *                 count, then all numbers, then x y z (and u v w as the dimension says)
 *   $Elements     2.x: count, then number, type, tags, nodes each; binary: in groups of one type
 *                 4.1: blocks, elements, lowest, highest; each block: dimension, entity, type,
 *                 count, then number and nodes each
 *
 * In binary, 2.x has the counts behind $Nodes and $Elements as text and all else as int and double;
 * 4.1 has 8-byte numbers for counts, nodes and elements and int for the rest. Other sections, and
 * elements that are neither tetrahedra nor triangles, are passed over. */
#include "tet_file.h"

#include "../../base/base.h"
#include "../../base/platform/text.h"

#include <stdio.h>
#include <string.h>

typedef struct Reader {
    TnTetFile *f;
    bool binary, blocks; /* blocks: 4.1 */
    int long_bytes;      /* of node and element numbers in binary */
} Reader;

/* Nodes of an element that is passed over or read; 0: refused. */
static int nodes_of(int64_t type)
{
    static const int8_t flat[29] = {0, 2, 3, 4, 4, 0, 0,  0,  3,  6,  9,  0, 0, 0, 0,
                                    1, 8, 0, 0, 0, 9, 10, 12, 15, 15, 21, 4, 5, 6};
    return type >= 0 && type < 29 ? flat[type] : 0;
}

static bool check_type(Reader *r, int64_t type, int *nodes)
{
    *nodes = nodes_of(type);
    if (*nodes) return true;
    if (type == 11 || (type >= 29 && type <= 31))
        return tn_tet_fault(r->f,
                            "tetrahedra of higher order (type %lld); save the mesh with "
                            "Mesh.ElementOrder = 1",
                            (long long)type);
    return tn_tet_fault(r->f,
                        "elements of type %lld are not supported; mesh the volume with 4-node "
                        "tetrahedra alone",
                        (long long)type);
}

/* ---- sections ---- */

/* Binary numbers begin behind the line's end. */
static bool begin_binary(Reader *r)
{
    size_t length;
    if (!r->binary) return true;
    if (!tn_tet_line(r->f, &length)) return tn_tet_fault(r->f, "the file ends within a section");
    r->f->binary = r->f->by_byte = true;
    return true;
}

static bool end_section(Reader *r, const char *end)
{
    TnTetFile *f = r->f;
    size_t length;
    const char *word = tn_tet_word(f, &length);
    if (word && tn_tet_is(word, length, end)) {
        f->binary = false;
        return true;
    }
    return tn_tet_fault(f, "%s should stand here; is the file complete and its counts right?", end);
}

static bool skip_section(Reader *r, const char *name, size_t length)
{
    TnTetFile *f = r->f;
    char end[64];
    if (length > sizeof end - 8) return tn_tet_fault(f, "no name of a section");
    int size = snprintf(end, sizeof end, "\n$End%.*s", (int)length - 1, name + 1);
    const char *from = f->text + f->at, *to = tn_text_find(from, f->size - f->at, end);
    if (!to) return tn_tet_fault(f, "%s is missing; is the file complete?", end + 1);
    for (to += size; from < to; from++, f->at++) f->line += *from == '\n';
    return true;
}

static bool read_format(Reader *r)
{
    TnTetFile *f = r->f;
    size_t length, version_length;
    int64_t binary, bytes, one;
    tn_tet_word(f, &length); /* $MeshFormat, as the loader saw */
    const char *version = tn_tet_word(f, &version_length);
    if (!version) return tn_tet_fault(f, "the file ends where its version should stand");
    r->blocks = tn_tet_is(version, version_length, "4.1");
    if (!r->blocks && !(version[0] == '2' && (version_length == 1 || version[1] == '.')))
        return tn_tet_fault(f,
                            "version %.*s is not supported; save as 4.1 or 2.2 "
                            "(gmsh -format msh41)",
                            (int)(version_length < 20 ? version_length : 20), version);
    if (!tn_tet_text_int(f, "the file type", &binary) ||
        !tn_tet_text_int(f, "the size of numbers", &bytes))
        return false;
    if (binary != 0 && binary != 1)
        return tn_tet_fault(f, "the file type must be 0 (text) or 1 (binary)");
    if (bytes != 8)
        return tn_tet_fault(f, "numbers of %lld bytes are not supported; save as text",
                            (long long)bytes);
    r->binary = binary == 1;
    r->long_bytes = r->blocks ? 8 : 4;
    if (r->binary) {
        if (!begin_binary(r) || !tn_tet_int(f, 4, "the number 1", &one)) return false;
        if (one == 0x01000000)
            return tn_tet_fault(f, "binary files with the highest byte first are not supported; "
                                   "save as text (Mesh.Binary = 0)");
        if (one != 1) return tn_tet_fault(f, "the number 1 should stand before this");
    }
    return end_section(r, "$EndMeshFormat");
}

/* ---- nodes ---- */

static bool read_coordinates(Reader *r, double x[3])
{
    for (int k = 0; k < 3; k++)
        if (!tn_tet_real(r->f, 8, "a node's coordinate", &x[k])) return false;
    return true;
}

static bool read_node_block(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t dimension, entity, parametric, count;
    if (!tn_tet_int(f, 4, "a block's dimension", &dimension) ||
        !tn_tet_int(f, 4, "a block's entity", &entity) ||
        !tn_tet_int(f, 4, "a block's parametric", &parametric) ||
        !tn_tet_int(f, 8, "a block's count", &count) ||
        !tn_tet_count(f, count, f->binary ? 32 : 8, "nodes"))
        return false;
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1)
        return tn_tet_fault(f,
                            "a block of nodes has dimension %lld and parametric %lld; these "
                            "must be 0 to 3 and 0 or 1",
                            (long long)dimension, (long long)parametric);
    size_t first = f->nodes.count;
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        if (!tn_tet_int(f, 8, "a node's number", &number) ||
            !tn_tet_add_node(f, number, (const double[3]){0}))
            return false;
    }
    uint64_t parameters = parametric ? (uint64_t)dimension : 0;
    for (size_t i = first; i < f->nodes.count; i++)
        if (!read_coordinates(r, ((TnTetFileNode *)f->nodes.data)[i].x) ||
            !tn_tet_skip(f, parameters, 8, "a node's parameters"))
            return false;
    return true;
}

/* The four counts that open a section of 4.1. */
static bool read_totals(Reader *r, int64_t *blocks)
{
    int64_t rest;
    if (!tn_tet_int(r->f, 8, "the number of blocks", blocks)) return false;
    for (int k = 0; k < 3; k++)
        if (!tn_tet_int(r->f, 8, "a section's count", &rest)) return false;
    return tn_tet_count(r->f, *blocks, r->f->binary ? 20 : 8, "blocks");
}

static bool read_nodes(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t count;
    if (r->blocks) {
        if (!begin_binary(r) || !read_totals(r, &count)) return false;
        for (int64_t i = 0; i < count; i++)
            if (!read_node_block(r)) return false;
        return end_section(r, "$EndNodes");
    }
    if (!tn_tet_text_int(f, "the number of nodes", &count) || !begin_binary(r) ||
        !tn_tet_count(f, count, f->binary ? 28 : 8, "nodes"))
        return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t number;
        double x[3];
        if (!tn_tet_int(f, 4, "a node's number", &number) || !read_coordinates(r, x) ||
            !tn_tet_add_node(f, number, x))
            return false;
    }
    return end_section(r, "$EndNodes");
}

/* ---- elements ---- */

/* Number, tags, nodes; `tags` is 0 in 4.1. */
static bool read_element(Reader *r, int64_t type, int nodes, int64_t tags)
{
    TnTetFile *f = r->f;
    int64_t corner[4];
    if (!tn_tet_skip(f, (uint64_t)tags, 4, "an element's tags")) return false;
    if (type != 4 && type != 2)
        return tn_tet_skip(f, (uint64_t)nodes, (uint64_t)r->long_bytes, "a node");
    int64_t place = tn_tet_place(f);
    for (int k = 0; k < nodes; k++)
        if (!tn_tet_int(f, r->long_bytes, type == 2 ? "a triangle's node" : "a tetrahedron's node",
                        &corner[k]))
            return false;
    return (type == 2 ? tn_tet_add_triangle : tn_tet_add_tet)(f, corner, place);
}

/* 4.1: a block; 2.x binary: a group. *done counts what was read. */
static bool read_group(Reader *r, int64_t left, int64_t *done)
{
    TnTetFile *f = r->f;
    int64_t entity, type, count, tags = 0, number;
    int nodes;
    bool good = r->blocks ? tn_tet_int(f, 4, "a block's dimension", &entity) &&
                                tn_tet_int(f, 4, "a block's entity", &entity) &&
                                tn_tet_int(f, 4, "a block's type", &type) &&
                                tn_tet_int(f, 8, "a block's count", &count)
                          : tn_tet_int(f, 4, "a group's type", &type) &&
                                tn_tet_int(f, 4, "a group's count", &count) &&
                                tn_tet_int(f, 4, "a group's number of tags", &tags);
    if (!good || !check_type(r, type, &nodes)) return false;
    if (!tn_tet_count(f, count, f->binary ? r->long_bytes * (1 + nodes) : 2 * (1 + nodes),
                      "elements") ||
        !tn_tet_count(f, tags, 4, "tags"))
        return false;
    if (!r->blocks && (count == 0 || count > left))
        return tn_tet_fault(f, "a group of %lld elements where %lld are left", (long long)count,
                            (long long)left);
    for (int64_t i = 0; i < count; i++)
        if (!tn_tet_int(f, r->long_bytes, "an element's number", &number) ||
            !read_element(r, type, nodes, tags))
            return false;
    *done += count;
    return true;
}

static bool read_text_element(Reader *r)
{
    int64_t number, type, tags;
    int nodes;
    return tn_tet_text_int(r->f, "an element's number", &number) &&
           tn_tet_text_int(r->f, "an element's type", &type) && check_type(r, type, &nodes) &&
           tn_tet_text_int(r->f, "an element's number of tags", &tags) &&
           tn_tet_count(r->f, tags, 2, "tags") && read_element(r, type, nodes, tags);
}

static bool read_elements(Reader *r)
{
    TnTetFile *f = r->f;
    int64_t count, done = 0;
    if (r->blocks) {
        if (!begin_binary(r) || !read_totals(r, &count)) return false;
        for (int64_t i = 0; i < count; i++)
            if (!read_group(r, 0, &done)) return false;
        return end_section(r, "$EndElements");
    }
    if (!tn_tet_text_int(f, "the number of elements", &count) || !begin_binary(r) ||
        !tn_tet_count(f, count, 8, "elements"))
        return false;
    while (done < count) {
        if (!(f->binary ? read_group(r, count - done, &done) : read_text_element(r))) return false;
        done += f->binary ? 0 : 1;
    }
    return end_section(r, "$EndElements");
}

bool tn_tet_read_gmsh(TnTetFile *f)
{
    Reader r = {.f = f};
    bool nodes = false, elements = false;
    size_t length;
    if (!read_format(&r)) return false;
    for (const char *word; (word = tn_tet_word(f, &length));) {
        bool *seen = tn_tet_is(word, length, "$Nodes")      ? &nodes
                     : tn_tet_is(word, length, "$Elements") ? &elements
                                                            : NULL;
        if (word[0] != '$') return tn_tet_fault(f, "a section ($...) should begin here");
        if (tn_tet_is(word, length, "$ParametricNodes"))
            return tn_tet_fault(f, "$ParametricNodes are not supported; save with "
                                   "Mesh.SaveParametric = 0 or as 4.1");
        if (!seen) {
            if (!skip_section(&r, word, length)) return false;
            continue;
        }
        if (*seen) return tn_tet_fault(f, "a second section of this name; only one is supported");
        *seen = true;
        if (!(seen == &nodes ? read_nodes(&r) : read_elements(&r))) return false;
    }
    if (nodes && elements) return true;
    return tn_tet_fault(f, "%s is missing; is the file complete?", nodes ? "$Elements" : "$Nodes");
}
