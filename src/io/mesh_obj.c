/* mesh_obj.c: Wavefront OBJ files.
 *
 * Read are `v` (position) and `f` (polygon, cut into triangles by mesh_polygon.c; of a/b/c only the
 * first number counts; negative ones count back from the last vertex). As in MuJoCo, only the
 * faces of the first group (`o`, `g`) that has any are taken, and vertices that no face names are
 * left out. Everything else is about looks. */
#include "mesh_file.h"

#include "../base/base.h"

#include <limits.h>
#include <string.h>

typedef struct Reader {
    TnMeshFile *out;
    TnMeshList vertices, corners; /* double, int32_t */
    TnMeshList face;              /* int32_t: corners of the one that is read */
    int line;
    bool closed; /* a further group has begun */
} Reader;

static bool read_vertex(Reader *r, const char *at)
{
    for (int k = 0; k < 3; k++) {
        size_t length;
        double value;
        const char *word = tn_mesh_word(&at, &length);
        if (!word || !tn_mesh_number(word, length, &value))
            return tn_mesh_fault(r->out, "line %d: a vertex needs three finite numbers", r->line);
        if (!tn_mesh_list_add(&r->vertices, sizeof value, &value)) return false;
    }
    return true;
}

/* The vertex number in front of the first slash, from 0. */
static bool read_corner(Reader *r, const char *word, size_t length, int32_t *out)
{
    int64_t count = (int64_t)(r->vertices.count / 3), value = 0;
    size_t i = 0;
    bool negative = word[0] == '-';
    if (word[0] == '-' || word[0] == '+') i++;
    size_t first = i;
    for (; i < length && word[i] >= '0' && word[i] <= '9'; i++) {
        value = 10 * value + (word[i] - '0');
        if (value > INT32_MAX) break;
    }
    if (i == first || (i < length && word[i] != '/'))
        return tn_mesh_fault(r->out, "line %d: '%.*s' is no corner of a face", r->line,
                             (int)(length < 30 ? length : 30), word);
    int64_t index = negative ? count - value : value - 1;
    if (index < 0 || index >= count)
        return tn_mesh_fault(r->out, "line %d: a face names vertex %s%lld; there are %lld so far",
                             r->line, negative ? "-" : "", (long long)value, (long long)count);
    *out = (int32_t)index;
    return true;
}

static bool read_face(Reader *r, const char *at)
{
    size_t length;
    r->face.count = 0;
    for (const char *word; (word = tn_mesh_word(&at, &length));) {
        int32_t corner;
        if (!read_corner(r, word, length, &corner) ||
            !tn_mesh_list_add(&r->face, sizeof corner, &corner))
            return false;
    }
    if (r->face.count < 3)
        return tn_mesh_fault(r->out, "line %d: a face needs at least three corners", r->line);
    return tn_mesh_cut_polygon(r->vertices.data, r->face.data, (int)r->face.count, &r->corners);
}

static bool read_line(Reader *r, const char *at)
{
    size_t length;
    const char *word = tn_mesh_word(&at, &length);
    if (!word) return true;
    if (length == 1 && word[0] == 'v') return read_vertex(r, at);
    if (length == 1 && (word[0] == 'o' || word[0] == 'g') && r->corners.count > 0) r->closed = true;
    if (length == 1 && word[0] == 'f') {
        if (!r->closed) return read_face(r, at);
        r->out->left_out = true;
    }
    const char *end = at + strcspn(at, "\n");
    while (end > at && (end[-1] == '\r' || end[-1] == ' ')) end--;
    if (word[0] != '#' && end > word && end[-1] == '\\')
        return tn_mesh_fault(r->out, "line %d: lines that go on with '\\' are not supported",
                             r->line);
    return true;
}

/* Keeps the vertices that faces name, in their order. */
static bool compact(Reader *r)
{
    TnMeshFile *out = r->out;
    size_t count = r->vertices.count / 3;
    const double *vertices = r->vertices.data;
    int32_t *corners = r->corners.data, *place = tn_malloc((count + 1) * sizeof *place);
    out->vertices = tn_malloc(3 * (count + 1) * sizeof *out->vertices);
    if (!place || !out->vertices) {
        tn_free(place);
        return false;
    }
    bool all = r->corners.count == 0; /* no faces: the hull of all */
    for (size_t i = 0; i < count; i++) place[i] = all ? 0 : -1;
    for (size_t i = 0; i < r->corners.count; i++) place[corners[i]] = 0;
    for (size_t i = 0; i < count; i++) {
        if (place[i] < 0) continue;
        memcpy(out->vertices + 3 * (size_t)out->vertex_count, vertices + 3 * i,
               3 * sizeof *vertices);
        place[i] = out->vertex_count++;
    }
    for (size_t i = 0; i < r->corners.count; i++) corners[i] = place[corners[i]];
    tn_free(place);
    out->triangles = corners;
    out->triangle_count = (int)(r->corners.count / 3);
    r->corners.data = NULL;
    return true;
}

bool tn_mesh_read_obj(const char *text, size_t size, TnMeshFile *out)
{
    *out = (TnMeshFile){0};
    Reader r = {.out = out};
    bool good = true;
    if (memchr(text, 0, size)) good = tn_mesh_fault(out, "it has zero bytes, so it is no OBJ file");
    for (const char *at = text; good && *at; at += *at == '\n') {
        r.line++;
        good = read_line(&r, at);
        at += strcspn(at, "\n");
    }
    if (good && r.vertices.count == 0) good = tn_mesh_fault(out, "it has no vertices");
    if (good && (r.vertices.count > INT_MAX || r.corners.count > INT_MAX))
        good = tn_mesh_fault(out, "it is too large");
    good = good && compact(&r);
    tn_free(r.vertices.data);
    tn_free(r.corners.data);
    tn_free(r.face.data);
    return good;
}
