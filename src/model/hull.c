/* hull.c: a convex hull as collision walks over it.
 *
 * The farthest vertex along a direction is found by climbing from neighbour to neighbour: on a
 * convex surface a vertex that is above all of its neighbours is above all others. The climb
 * starts at a vertex that was best for a direction nearby, from a table over all directions, so it
 * takes a few steps and depends on nothing but the direction. A small hull is searched whole.
 *
 * Flat faces are the triangles that lie in one plane to within half a millionth of the hull's size,
 * slivers along its edges included; their normals are what a flat side of the mesh says about the
 * direction of a contact. */
#include "hull.h"

#include "../base/base.h"
#include "../math/vec3.h"

#include <stdlib.h>

#define SCAN_MAX 24 /* so many vertices are quicker to search than to climb: measured */
#define FLAT 5e-7   /* of the radius: less than the thickness of any hull */
#define MARKED_MAX 32768

/* ---- support ---- */

static int climb(const TnHull *hull, int at, const double d[3])
{
    const double *v = hull->vertices;
    double top = v3_dot(v + 3 * (size_t)at, d);
    for (;;) {
        int best = at;
        for (int32_t e = hull->edge_start[at]; e < hull->edge_start[at + 1]; e++) {
            double height = v3_dot(v + 3 * (size_t)hull->edges[e], d);
            if (height > top) {
                top = height;
                best = hull->edges[e];
            }
        }
        if (best == at) return at;
        at = best;
    }
}

int tn_hull_support(const TnHull *hull, const double d[3])
{
    if (hull->vertex_count > SCAN_MAX) return climb(hull, hull->starts[tn_hull_cell(d)], d);
    const double *v = hull->vertices;
    int best = 0;
    double top = v3_dot(v, d);
    for (int i = 1; i < hull->vertex_count; i++) {
        double height = v3_dot(v + 3 * (size_t)i, d);
        if (height > top) {
            top = height;
            best = i;
        }
    }
    return best;
}

/* What lies above a plane is connected by edges, so it is found from the farthest vertex on. */
int tn_hull_above(const TnHull *hull, const double d[3], double band, int32_t *list, int max)
{
    uint64_t known[MARKED_MAX / 64];
    if (hull->vertex_count > MARKED_MAX || max < 1) return -1;
    memset(known, 0, ((size_t)hull->vertex_count + 63) / 64 * sizeof known[0]);
    int count = 0, top = tn_hull_support(hull, d);
    const double *v = hull->vertices;
    double low = v3_dot(v + 3 * (size_t)top, d) - band;
    list[count++] = top;
    known[top / 64] |= (uint64_t)1 << top % 64;
    for (int i = 0; i < count; i++)
        for (int32_t e = hull->edge_start[list[i]]; e < hull->edge_start[list[i] + 1]; e++) {
            int32_t other = hull->edges[e];
            if (known[other / 64] >> other % 64 & 1) continue;
            known[other / 64] |= (uint64_t)1 << other % 64;
            if (!(v3_dot(v + 3 * (size_t)other, d) >= low)) continue;
            if (count == max) return -1;
            list[count++] = other;
        }
    for (int i = 1; i < count; i++) { /* a few, nearly always */
        int32_t one = list[i];
        int k = i;
        for (; k > 0 && list[k - 1] > one; k--) list[k] = list[k - 1];
        list[k] = one;
    }
    return count;
}

const double *tn_hull_face_normal(const TnHull *hull, const double d[3])
{
    int top = tn_hull_support(hull, d);
    const double *best = NULL;
    double most = -INFINITY;
    for (int32_t f = hull->face_start[top]; f < hull->face_start[top + 1]; f++) {
        const double *normal = hull->normals + 3 * (size_t)hull->faces[f];
        double along = v3_dot(normal, d);
        if (along > most) {
            most = along;
            best = normal;
        }
    }
    return best;
}

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
                at = climb(hull, at, d);
                hull->starts[cell++] = at;
            }
}

/* ---- making ---- */

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
    double plane[3], sum[3], tolerance = FLAT * hull->radius;
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
