/* hull_make.c: from the triangles of a convex hull to its vertices, edges, flat faces and starts.
 */
#include "hull.h"

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/vec3.h"

#include <stdlib.h>

static void fill_starts(TnHull *hull)
{
    int at = 0, cell = 0;
    for (int side = 0; side < 6; side++)
        for (int u = 0; u < TN_HULL_CELLS; u++)
            for (int v = 0; v < TN_HULL_CELLS; v++) {
                double d[3];
                d[side % 3] = side < 3 ? 1.0 : -1.0;
                d[(side + 1) % 3] = (2.0 * u + 1.0) / TN_HULL_CELLS - 1.0;
                d[(side + 2) % 3] = (2.0 * v + 1.0) / TN_HULL_CELLS - 1.0;
                at = tn_hull_climb(hull, at, d);
                hull->starts[cell++] = at;
            }
}

typedef struct Ranked {
    double area;
    int32_t triangle;
} Ranked;

typedef struct Corner {
    int32_t vertex, face;
} Corner;

typedef struct Scratch {
    int32_t *vertex_of; /* of a point, -1 inside */
    int32_t *face_of;   /* of a triangle */
    int32_t *queue;     /* triangles of the face that grows */
    double *normals;    /* of triangles, as long as twice their area */
    Ranked *ranked;
    Corner *corners;
} Scratch;

static int largest_first(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->area != y->area) return x->area > y->area ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static int by_vertex(const void *a, const void *b)
{
    const Corner *x = a, *y = b;
    if (x->vertex != y->vertex) return x->vertex < y->vertex ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

/* Points on the hull in their own order, moved to be about the middle of their box. */
static void take_vertices(TnHull *hull, const double *points, int count, const Scratch *s)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3 && s->vertex_of[i] >= 0; k++) {
            low[k] = fmin(low[k], points[3 * (size_t)i + (size_t)k]);
            high[k] = fmax(high[k], points[3 * (size_t)i + (size_t)k]);
        }
    for (int k = 0; k < 3; k++) hull->center[k] = 0.5 * low[k] + 0.5 * high[k];
    hull->radius = 0.0;
    v3_zero(hull->half_extent);
    for (int i = 0; i < count; i++) {
        if (s->vertex_of[i] < 0) continue;
        double *v = hull->vertices + 3 * (size_t)s->vertex_of[i];
        v3_sub(v, points + 3 * (size_t)i, hull->center);
        hull->radius = fmax(hull->radius, v3_norm(v));
        for (int k = 0; k < 3; k++) hull->half_extent[k] = fmax(hull->half_extent[k], fabs(v[k]));
    }
}

static void take_edges(TnHull *hull, const TnHullTriangles *t, const Scratch *s)
{
    int32_t *start = hull->edge_start;
    memset(start, 0, ((size_t)hull->vertex_count + 1) * sizeof *start);
    for (size_t i = 0; i < 3 * (size_t)t->count; i++) start[s->vertex_of[t->corners[i]] + 1]++;
    for (int v = 0; v < hull->vertex_count; v++) start[v + 1] += start[v];
    /* Each edge leaves a vertex once, in one of its two triangles. Filling moves each start to the
     * next one's place; one shift back at the end. */
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t from = s->vertex_of[t->corners[3 * (size_t)i + (size_t)k]];
            int32_t to = s->vertex_of[t->corners[3 * (size_t)i + (size_t)((k + 1) % 3)]];
            hull->edges[start[from]++] = to;
        }
    memmove(start + 1, start, (size_t)hull->vertex_count * sizeof *start);
    start[0] = 0;
}

static void take_normals(const double *points, const TnHullTriangles *t, Scratch *s)
{
    for (int i = 0; i < t->count; i++) {
        const int32_t *c = t->corners + 3 * (size_t)i;
        double u[3], v[3], *n = s->normals + 3 * (size_t)i;
        v3_sub(u, points + 3 * (size_t)c[1], points + 3 * (size_t)c[0]);
        v3_sub(v, points + 3 * (size_t)c[2], points + 3 * (size_t)c[0]);
        v3_cross(n, u, v);
        s->ranked[i] = (Ranked){v3_norm(n), i};
        s->face_of[i] = -1;
    }
    qsort(s->ranked, (size_t)t->count, sizeof *s->ranked, largest_first);
}

/* From the largest triangle on over neighbours whose corners lie in its plane. The normal of a
 * sliver is mere rounding, so it is not asked for. */
static void grow_face(TnHull *hull, const double *points, const TnHullTriangles *t, Scratch *s,
                      int32_t seed)
{
    double plane[3], sum[3],
        tolerance = 0.5 * TN_SAME * hull->radius; /* less than hulls are thick */
    v3_copy(sum, s->normals + 3 * (size_t)seed);
    v3_copy(plane, sum);
    v3_normalize(plane);
    const double *origin = points + 3 * (size_t)t->corners[3 * (size_t)seed];
    int count = 0;
    s->queue[count++] = seed;
    s->face_of[seed] = hull->face_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t other = t->across[3 * (size_t)s->queue[i] + (size_t)k];
            const double *normal = s->normals + 3 * (size_t)other;
            bool flat = s->face_of[other] < 0;
            for (int c = 0; c < 3 && flat; c++) {
                double from[3];
                v3_sub(from, points + 3 * (size_t)t->corners[3 * (size_t)other + (size_t)c],
                       origin);
                flat = fabs(v3_dot(from, plane)) <= tolerance;
            }
            if (!flat) continue;
            s->face_of[other] = hull->face_count;
            s->queue[count++] = other;
            v3_add(sum, sum, normal);
        }
    v3_normalize(sum);
    v3_copy(hull->normals + 3 * (size_t)hull->face_count++, sum);
}

static void list_faces(TnHull *hull, const TnHullTriangles *t, Scratch *s)
{
    size_t count = 3 * (size_t)t->count;
    for (size_t i = 0; i < count; i++)
        s->corners[i] = (Corner){s->vertex_of[t->corners[i]], s->face_of[i / 3]};
    qsort(s->corners, count, sizeof *s->corners, by_vertex);
    int32_t used = 0, vertex = 0;
    hull->face_start[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const Corner *c = &s->corners[i];
        if (i > 0 && c->vertex == c[-1].vertex && c->face == c[-1].face) continue;
        while (vertex < c->vertex) hull->face_start[++vertex] = used;
        hull->faces[used++] = c->face;
    }
    while (vertex < hull->vertex_count) hull->face_start[++vertex] = used;
}

static void make(TnHull *hull, const double *points, int count, const TnHullTriangles *t,
                 Scratch *s)
{
    take_vertices(hull, points, count, s);
    take_edges(hull, t, s);
    take_normals(points, t, s);
    for (int i = 0; i < t->count; i++)
        if (s->face_of[s->ranked[i].triangle] < 0)
            grow_face(hull, points, t, s, s->ranked[i].triangle);
    list_faces(hull, t, s);
    fill_starts(hull);
}

bool tn_hull_create(const double *points, int count, const TnHullTriangles *t, TnHull *out)
{
    size_t n = (size_t)t->count, corners = 3 * n;
    Scratch s = {.vertex_of = tn_malloc((size_t)count * sizeof *s.vertex_of),
                 .face_of = tn_malloc(n * sizeof *s.face_of),
                 .queue = tn_malloc(n * sizeof *s.queue),
                 .normals = tn_malloc(corners * sizeof *s.normals),
                 .ranked = tn_malloc(n * sizeof *s.ranked),
                 .corners = tn_malloc(corners * sizeof *s.corners)};
    *out = (TnHull){0};
    bool good = s.vertex_of && s.face_of && s.queue && s.normals && s.ranked && s.corners;
    if (good) {
        for (int i = 0; i < count; i++) s.vertex_of[i] = -1;
        for (size_t i = 0; i < corners; i++) s.vertex_of[t->corners[i]] = 0;
        for (int i = 0; i < count; i++)
            if (s.vertex_of[i] == 0) s.vertex_of[i] = out->vertex_count++;
        size_t vertices = (size_t)out->vertex_count;
        /* doubles first: vertices, at most one normal per triangle; then the lists */
        double *block =
            tn_malloc((3 * vertices + corners) * sizeof(double) +
                      (2 * (vertices + 1) + 2 * corners + TN_HULL_STARTS) * sizeof(int32_t));
        good = block != NULL;
        if (good) {
            out->vertices = block;
            out->normals = block + 3 * vertices;
            out->edge_start = (int32_t *)(out->normals + corners);
            out->edges = out->edge_start + vertices + 1;
            out->face_start = out->edges + corners;
            out->faces = out->face_start + vertices + 1;
            out->starts = out->faces + corners;
            make(out, points, count, t, &s);
        }
    }
    tn_free(s.vertex_of);
    tn_free(s.face_of);
    tn_free(s.queue);
    tn_free(s.normals);
    tn_free(s.ranked);
    tn_free(s.corners);
    return good;
}

void tn_hull_free(TnHull *hull)
{
    tn_free(hull->vertices);
    *hull = (TnHull){0};
}
