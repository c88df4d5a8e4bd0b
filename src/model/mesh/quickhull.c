/* quickhull.c: convex hull of points in space [Barber, Dobkin, Huhdanpaa 1996], without tolerances.
 *
 * Points are first rounded to whole numbers of at most 2^39 about the middle of their box, which
 * moves them by less than a millionth of a millionth of the box. On whole numbers the question
 * "on which side of this plane is that point?" has an exact answer: a determinant that fits into
 * 128 bits, computed in floating point first, which settles it nearly always. With exact answers
 * the textbook algorithm needs no repair: points in a plane, on a line or on top of each other
 * are never outside of a face, so the surface stays closed and convex and no triangle has zero
 * area. The order of all choices is fixed, so the same points give the same triangles.
 *
 * A face keeps the points that lie outside of it in a chain, the farthest first. A step takes
 * such a point, removes all faces that it sees, and puts new ones between it and their rim. */
#include "hull.h"

#include "../../base/base.h"
#include "../../base/rounding.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define HALF_RANGE 0x1p39

__extension__ typedef __int128 Int128;

typedef struct Face {
    int32_t v[3];
    int32_t across[3]; /* the face on the other side of the edge from v[i] to v[i + 1] */
    int32_t outside;   /* first of its chain of outside points, -1 */
    int32_t next;      /* of the stack of faces to look at, or of the free ones */
    int32_t seen_from; /* point that sees it */
    bool alive, stacked;
    double normal[3], offset, distance; /* of the first point of the chain, not a unit */
} Face;

typedef struct Work {
    int count;
    int64_t (*p)[3];
    int32_t *chain; /* next point of the same chain */
    int32_t *rim;   /* by vertex: the new face whose rim edge starts there */
    Face *faces;
    int face_count, face_room, free_face, stack;
    int32_t *visible, *made; /* faces of one step */
    int visible_room, made_room;
} Work;

/* ---- exact side of a plane ---- */

/* Sign of (b - a) × (c - a) · (d - a): positive where d is on the side from which a, b, c run
 * counter-clockwise. Differences are at most 2^40, the determinant is below 2^123. */
static int exact_side(const int64_t *a, const int64_t *b, const int64_t *c, const int64_t *d)
{
    Int128 u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    Int128 det = (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
                 (u[0] * v[1] - u[1] * v[0]) * w[2];
    return (det > 0) - (det < 0);
}

/* > 0: the point lies outside of the face. */
static int side(const Work *w, const Face *f, int point, double *distance)
{
    const int64_t *p = w->p[point];
    double x = (double)p[0], y = (double)p[1], z = (double)p[2];
    double a = f->normal[0] * x, b = f->normal[1] * y, c = f->normal[2] * z;
    *distance = a + b + c - f->offset;
    /* The normal's numbers are below 2^81 and off by at most 2^29, the terms of the sums below
     * 2^120: all roundings together stay below 2^73. */
    if (fabs(*distance) > 0x1p74) return *distance > 0.0 ? 1 : -1;
    return exact_side(w->p[f->v[0]], w->p[f->v[1]], w->p[f->v[2]], p);
}

/* ---- faces ---- */

/* -1: no memory. */
static int32_t new_face(Work *w, int32_t a, int32_t b, int32_t c)
{
    int32_t index = w->free_face;
    if (index >= 0) {
        w->free_face = w->faces[index].next;
    } else {
        if (w->face_count == w->face_room) {
            int room = 2 * w->face_room;
            Face *more = w->face_room <= INT_MAX / 4
                             ? tn_realloc(w->faces, (size_t)room * sizeof *more)
                             : NULL;
            if (!more) return -1;
            w->faces = more;
            w->face_room = room;
        }
        index = w->face_count++;
    }
    Face *f = &w->faces[index];
    *f = (Face){.v = {a, b, c}, .outside = -1, .next = -1, .seen_from = -1, .alive = true};
    const int64_t *p = w->p[a], *q = w->p[b], *r = w->p[c];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)(q[k] - p[k]);
        v[k] = (double)(r[k] - p[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        f->normal[k] = u[i] * v[j] - u[j] * v[i];
    }
    for (int k = 0; k < 3; k++) f->offset += f->normal[k] * (double)p[k];
    return index;
}

/* Chains the point to the face; the farthest stays in front. */
static void give(Work *w, int32_t face, int32_t point, double distance)
{
    Face *f = &w->faces[face];
    if (f->outside < 0 || distance > f->distance) {
        w->chain[point] = f->outside;
        f->outside = point;
        f->distance = distance;
    } else {
        w->chain[point] = w->chain[f->outside];
        w->chain[f->outside] = point;
    }
    if (f->stacked) return;
    f->stacked = true;
    f->next = w->stack;
    w->stack = face;
}

/* To the first of these faces that has the point outside; a point of none lies in the hull. */
static void place(Work *w, const int32_t *faces, int face_count, int32_t point)
{
    double distance;
    for (int i = 0; i < face_count; i++)
        if (side(w, &w->faces[faces[i]], point, &distance) > 0) {
            give(w, faces[i], point, distance);
            return;
        }
}

static bool append(int32_t **list, int *room, int count, int32_t value)
{
    if (count == *room) {
        int more = 2 * *room;
        int32_t *p = *room <= INT_MAX / 4 ? tn_realloc(*list, (size_t)more * sizeof *p) : NULL;
        if (!p) return false;
        *list = p;
        *room = more;
    }
    (*list)[count] = value;
    return true;
}

/* All faces that the point sees, starting from one of them; 0: no memory. */
static int find_visible(Work *w, int32_t start, int32_t point)
{
    int count = 0;
    w->faces[start].seen_from = point;
    if (!append(&w->visible, &w->visible_room, count++, start)) return 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int32_t other = w->faces[w->visible[i]].across[k];
            Face *f = &w->faces[other];
            double distance;
            if (f->seen_from == point || side(w, f, point, &distance) <= 0) continue;
            f->seen_from = point;
            if (!append(&w->visible, &w->visible_room, count++, other)) return 0;
        }
    return count;
}

/* New faces from the rim of the visible ones to the point, linked all round; 0: no memory. */
static int make_cone(Work *w, int visible_count, int32_t point)
{
    int count = 0;
    for (int i = 0; i < visible_count; i++)
        for (int k = 0; k < 3; k++) {
            const Face *f = &w->faces[w->visible[i]];
            int32_t other = f->across[k], a = f->v[k], b = f->v[(k + 1) % 3];
            if (w->faces[other].seen_from == point) continue;
            int32_t made = new_face(w, a, b, point);
            if (made < 0 || !append(&w->made, &w->made_room, count++, made)) return 0;
            w->faces[made].across[0] = other;
            for (int e = 0; e < 3; e++)
                if (w->faces[other].v[e] == b && w->faces[other].v[(e + 1) % 3] == a)
                    w->faces[other].across[e] = made;
            w->rim[a] = made;
        }
    for (int i = 0; i < count; i++) {
        int32_t next = w->rim[w->faces[w->made[i]].v[1]];
        w->faces[w->made[i]].across[1] = next;
        w->faces[next].across[2] = w->made[i];
    }
    return count;
}

static bool add_point(Work *w, int32_t face)
{
    int32_t point = w->faces[face].outside;
    int visible = find_visible(w, face, point);
    int made = visible ? make_cone(w, visible, point) : 0;
    if (!made) return false;
    for (int i = 0; i < visible; i++) {
        Face *f = &w->faces[w->visible[i]];
        f->alive = false;
        for (int32_t p = f->outside, next; p >= 0; p = next) {
            next = w->chain[p];
            if (p != point) place(w, w->made, made, p);
        }
        f->outside = -1;
        /* one that waits on the stack is freed when its turn comes */
        if (f->stacked) continue;
        f->next = w->free_face;
        w->free_face = w->visible[i];
    }
    return true;
}

/* ---- the first four points ---- */

static double squared(const double v[3]) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; }

static void difference(const Work *w, int i, int j, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = (double)(w->p[i][k] - w->p[j][k]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Along an axis; the others break ties, so that the ends are true corners of the hull. */
static bool comes_before(const Work *w, int i, int j, int axis)
{
    for (int k = 0; k < 3; k++) {
        int64_t a = w->p[i][(axis + k) % 3], b = w->p[j][(axis + k) % 3];
        if (a != b) return a < b;
    }
    return false;
}

/* Far apart, so that their tetrahedron tells thin from flat. */
static TnHullStatus first_four(const Work *w, int32_t v[4])
{
    double best = 0.0, d[3], e[3], n[3] = {0.0, 0.0, 0.0}, c[3];
    for (int axis = 0; axis < 3; axis++) {
        int low = 0, high = 0;
        for (int i = 1; i < w->count; i++) {
            if (comes_before(w, i, low, axis)) low = i;
            if (comes_before(w, high, i, axis)) high = i;
        }
        double length = (double)(w->p[high][axis] - w->p[low][axis]);
        if (length <= best) continue;
        best = length;
        v[0] = low;
        v[1] = high;
    }
    if (!(best > 0.0)) return TN_HULL_FEW;
    double extent = best;
    difference(w, v[1], v[0], d);
    best = 0.0;
    for (int i = 0; i < w->count; i++) {
        difference(w, i, v[0], e);
        cross(d, e, c);
        if (squared(c) <= best) continue;
        best = squared(c);
        v[2] = i;
        memcpy(n, c, sizeof n);
    }
    if (!(sqrt(best) > TN_SAME * extent * sqrt(squared(d)))) return TN_HULL_FLAT;
    double length = sqrt(best);
    best = 0.0;
    for (int i = 0; i < w->count; i++) {
        difference(w, i, v[0], e);
        double height = fabs(n[0] * e[0] + n[1] * e[1] + n[2] * e[2]) / length;
        if (height <= best) continue;
        best = height;
        v[3] = i;
    }
    return best > TN_SAME * extent ? TN_HULL_GOOD : TN_HULL_FLAT;
}

static bool start(Work *w, int32_t v[4])
{
    if (exact_side(w->p[v[0]], w->p[v[1]], w->p[v[2]], w->p[v[3]]) > 0) {
        int32_t swap = v[0];
        v[0] = v[1];
        v[1] = swap;
    }
    /* faces look away from the vertex that they lack */
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int32_t all[4];
    for (int f = 0; f < 4; f++) {
        all[f] = new_face(w, v[corners[f][0]], v[corners[f][1]], v[corners[f][2]]);
        if (all[f] < 0) return false;
    }
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++) w->faces[all[f]].across[k] = all[across[f][k]];
    for (int32_t i = 0; i < w->count; i++) place(w, all, 4, i);
    return true;
}

/* ---- whole ---- */

static void round_points(Work *w, const double *points)
{
    double low[3], high[3], extent = 0.0;
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = points[k];
        for (int i = 1; i < w->count; i++) {
            low[k] = fmin(low[k], points[3 * (size_t)i + (size_t)k]);
            high[k] = fmax(high[k], points[3 * (size_t)i + (size_t)k]);
        }
        extent = fmax(extent, 0.5 * high[k] - 0.5 * low[k]);
    }
    for (int k = 0; k < 3; k++) {
        double middle = 0.5 * low[k] + 0.5 * high[k];
        for (int i = 0; i < w->count; i++) {
            double from = points[3 * (size_t)i + (size_t)k] - middle;
            w->p[i][k] = extent > 0.0 ? llrint(from / extent * HALF_RANGE) : 0;
        }
    }
}

static bool grow_hull(Work *w)
{
    while (w->stack >= 0) {
        int32_t face = w->stack;
        Face *f = &w->faces[face];
        w->stack = f->next;
        f->stacked = false;
        if (!f->alive) {
            f->next = w->free_face;
            w->free_face = face;
        } else if (f->outside >= 0 && !add_point(w, face)) {
            return false;
        }
    }
    return true;
}

/* The faces that are left, renumbered in their order. */
static bool collect(Work *w, TnHullTriangles *out)
{
    int count = 0;
    for (int i = 0; i < w->face_count; i++)
        if (w->faces[i].alive) w->faces[i].next = count++;
    out->corners = tn_malloc(6 * (size_t)count * sizeof *out->corners);
    if (!out->corners) return false;
    out->across = out->corners + 3 * (size_t)count;
    out->count = count;
    for (int i = 0; i < w->face_count; i++) {
        const Face *f = &w->faces[i];
        if (!f->alive) continue;
        size_t at = 3 * (size_t)f->next;
        memcpy(out->corners + at, f->v, sizeof f->v);
        for (int k = 0; k < 3; k++) out->across[at + (size_t)k] = w->faces[f->across[k]].next;
    }
    return true;
}

TnHullStatus tn_quickhull(const double *points, int count, TnHullTriangles *out)
{
    *out = (TnHullTriangles){0};
    if (count < 4) return TN_HULL_FEW;
    Work w = {.count = count, .free_face = -1, .stack = -1};
    w.face_room = w.visible_room = w.made_room = 64;
    w.p = tn_malloc((size_t)count * sizeof *w.p);
    w.chain = tn_malloc((size_t)count * sizeof *w.chain);
    w.rim = tn_malloc((size_t)count * sizeof *w.rim);
    w.faces = tn_malloc((size_t)w.face_room * sizeof *w.faces);
    w.visible = tn_malloc((size_t)w.visible_room * sizeof *w.visible);
    w.made = tn_malloc((size_t)w.made_room * sizeof *w.made);
    TnHullStatus status = TN_HULL_MEMORY;
    if (w.p && w.chain && w.rim && w.faces && w.visible && w.made) {
        int32_t v[4] = {0, 0, 0, 0};
        round_points(&w, points);
        status = first_four(&w, v);
        if (status == TN_HULL_GOOD && !(start(&w, v) && grow_hull(&w) && collect(&w, out)))
            status = TN_HULL_MEMORY;
    }
    tn_free(w.p);
    tn_free(w.chain);
    tn_free(w.rim);
    tn_free(w.faces);
    tn_free(w.visible);
    tn_free(w.made);
    return status;
}
