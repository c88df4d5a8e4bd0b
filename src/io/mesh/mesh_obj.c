/* mesh_obj.c: Wavefront OBJ files.
 *
 * Read are `v` (position), `vt` (texture coordinates; v upwards there) and `f` (polygon, cut into
 * triangles by mesh_polygon.c; of a/b/c the first two numbers count; negative ones count back from
 * the last one so far). As in MuJoCo, only the
 * faces of the first group (`o`, `g`) that has any are taken, and vertices that no face names are
 * left out. Everything else is about looks. */
#include "mesh_file.h"

#include "../../base/base.h"

#include <limits.h>
#include <string.h>

typedef struct Reader {
    TnMeshFile *out;
    TnMeshList vertices, corners; /* double, int32_t */
    TnMeshList face;              /* int32_t: corners of the one that is read */
    TnMeshList places, uvs; /* float: two for each vt; int32_t: index of one for each corner */
    TnMeshList face_uvs;    /* int32_t, as face; -1: none */
    bool textured;          /* some corner has coordinates */
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

/* Looks alone: what is wrong with it is no error of the mesh. */
static bool read_place(Reader *r, const char *at)
{
    float place[2] = {0.0f, 1.0f};
    for (int k = 0; k < 2; k++) {
        size_t length;
        double value;
        const char *word = tn_mesh_word(&at, &length);
        if (!word || !tn_mesh_number(word, length, &value) || !(value < 1e6) || !(value > -1e6))
            break;
        place[k] = (float)(k ? 1.0 - value : value);
    }
    return tn_mesh_list_add(&r->places, sizeof place, place);
}

/* A number up to a slash or the end, and what is behind it; from 0, -1 where there is none of
 * `count`. False: it is no number. */
static bool read_index(const char **word, const char *end, int64_t count, int64_t *value,
                       int64_t *index)
{
    const char *at = *word;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *first = at;
    for (*value = 0; at < end && *at >= '0' && *at <= '9' && *value <= INT32_MAX; at++)
        *value = 10 * *value + (*at - '0');
    if (at == first || (at < end && *at != '/')) return false;
    *index = negative ? count - *value : *value - 1;
    if (negative) *value = -*value;
    if (*index < 0 || *index >= count) *index = -1;
    *word = at < end ? at + 1 : at;
    return true;
}

/* a, a/b, a/b/c or a//c. */
static bool read_corner(Reader *r, const char *word, size_t length, int32_t out[2])
{
    int64_t count = (int64_t)(r->vertices.count / 3), value, index, place = -1;
    const char *at = word, *end = word + length;
    if (!read_index(&at, end, count, &value, &index))
        return tn_mesh_fault(r->out, "line %d: '%.*s' is no corner of a face", r->line,
                             (int)(length < 30 ? length : 30), word);
    if (index < 0)
        return tn_mesh_fault(r->out, "line %d: a face names vertex %lld; there are %lld so far",
                             r->line, (long long)value, (long long)count);
    if (!read_index(&at, end, (int64_t)r->places.count, &value, &place)) place = -1;
    out[0] = (int32_t)index;
    out[1] = (int32_t)place;
    return true;
}

/* Corners of the triangles that a polygon was cut into keep their places in the texture. */
static bool add_uvs(Reader *r, size_t first)
{
    const int32_t *corners = r->corners.data, *face = r->face.data, *uvs = r->face_uvs.data;
    for (size_t i = first; i < r->corners.count; i++) {
        size_t at = 0;
        while (at + 1 < r->face.count && face[at] != corners[i]) at++;
        if (!tn_mesh_list_add(&r->uvs, sizeof *uvs, &uvs[at])) return false;
        r->textured |= uvs[at] >= 0;
    }
    return true;
}

static bool read_face(Reader *r, const char *at)
{
    size_t length, first = r->corners.count;
    r->face.count = r->face_uvs.count = 0;
    for (const char *word; (word = tn_mesh_word(&at, &length));) {
        int32_t corner[2];
        if (!read_corner(r, word, length, corner) ||
            !tn_mesh_list_add(&r->face, sizeof *corner, &corner[0]) ||
            !tn_mesh_list_add(&r->face_uvs, sizeof *corner, &corner[1]))
            return false;
    }
    if (r->face.count < 3)
        return tn_mesh_fault(r->out, "line %d: a face needs at least three corners", r->line);
    return tn_mesh_cut_polygon(r->vertices.data, r->face.data, (int)r->face.count, &r->corners) &&
           add_uvs(r, first);
}

static bool read_line(Reader *r, const char *at)
{
    size_t length;
    const char *word = tn_mesh_word(&at, &length);
    if (!word) return true;
    if (length == 1 && word[0] == 'v') return read_vertex(r, at);
    if (length == 2 && word[0] == 'v' && word[1] == 't') return read_place(r, at);
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

static bool spread_uvs(Reader *r)
{
    if (!r->textured) return true;
    const int32_t *uvs = r->uvs.data;
    const float *places = r->places.data;
    float *to = r->out->texcoords = tn_calloc(2 * r->uvs.count + 1, sizeof *to);
    for (size_t i = 0; to && i < r->uvs.count; i++)
        if (uvs[i] >= 0) memcpy(to + 2 * i, places + 2 * (size_t)uvs[i], 2 * sizeof *to);
    return to != NULL;
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
    good = good && compact(&r) && spread_uvs(&r);
    tn_free(r.vertices.data);
    tn_free(r.corners.data);
    tn_free(r.face.data);
    tn_free(r.places.data);
    tn_free(r.uvs.data);
    tn_free(r.face_uvs.data);
    return good;
}
