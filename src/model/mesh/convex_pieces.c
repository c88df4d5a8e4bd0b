/* convex_pieces.c: cuts a mesh into parts that are nearly convex.
 *
 * A part is a set of triangles, and stands for the hull of their corners. How far it is from convex
 * is the largest way from a triangle outwards to the hull, its dent. The worst part is cut in two
 * by a plane at its deepest triangle: along it or one that it meets, or across an axis at its
 * corners; or across an axis in the middle. Of these planes that one is taken whose two hulls have
 * the least volume together. Triangles that a plane crosses are cut, so the hulls of both sides
 * meet in it. */
#include "convex_pieces.h"

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/vec3.h"
#include "hull.h"

#include <math.h>
#include <string.h>

/* Of the mesh's size: parts are convex that are dented less. */
#define DENT 0.01
/* Of the mesh's size: no part is thinner than this across its cut. */
#define THINNEST 2e-3
/* Samples that dents and volumes are measured with. */
#define SAMPLES 3000
#define MOST_PLANES 32

typedef struct Part {
    double (*triangles)[9];
    int count, room;
    double dent; /* m */
    int deepest; /* the triangle that is */
    bool done;   /* no plane makes it better */
} Part;

typedef struct Plane {
    double n[3], offset;
} Plane;

/* ---- parts ---- */

static bool add_triangle(Part *p, const double *a, const double *b, const double *c)
{
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : 64;
        double(*more)[9] = tn_realloc(p->triangles, sizeof *more * (size_t)room);
        if (!more) return false;
        p->triangles = more;
        p->room = room;
    }
    double *t = p->triangles[p->count++];
    v3_copy(t, a);
    v3_copy(t + 3, b);
    v3_copy(t + 6, c);
    return true;
}

/* The part of a triangle on the plane's upper (sign 1) or lower side. */
static bool add_side(Part *out, const double *t, const Plane *plane, double sign, double tiny)
{
    double corners[5][3], height[3];
    int count = 0;
    bool any = false;
    for (int k = 0; k < 3; k++) {
        height[k] = sign * (v3_dot(plane->n, t + 3 * k) - plane->offset);
        if (fabs(height[k]) <= tiny) height[k] = 0.0;
        any |= height[k] > 0.0;
    }
    if (!any) return true;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        if (height[k] >= 0.0) v3_copy(corners[count++], t + 3 * k);
        if (!(height[k] * height[next] < 0.0)) continue;
        double s = height[k] / (height[k] - height[next]);
        for (int i = 0; i < 3; i++)
            corners[count][i] = t[3 * k + i] + s * (t[3 * next + i] - t[3 * k + i]);
        count++;
    }
    for (int k = 1; k + 1 < count; k++)
        if (!add_triangle(out, corners[0], corners[k], corners[k + 1])) return false;
    return true;
}

static bool split(const Part *p, const Plane *plane, double tiny, Part out[2])
{
    out[0] = out[1] = (Part){0};
    for (int i = 0; i < p->count; i++)
        for (int side = 0; side < 2; side++)
            if (!add_side(&out[side], p->triangles[i], plane, side ? 1.0 : -1.0, tiny))
                return false;
    return true;
}

/* ---- measures ---- */

/* The hull of (some of) a part's corners. */
static TnHullStatus hull_of(const Part *p, int most, TnHullTriangles *hull, double **points)
{
    int step = p->count > most / 3 ? 1 + 3 * p->count / most : 1, count = 0;
    double *list = tn_malloc(sizeof *list * (9 * (size_t)p->count + 1));
    *hull = (TnHullTriangles){0};
    *points = list;
    if (!list) return TN_HULL_MEMORY;
    for (int i = 0; i < p->count; i += step, count += 3)
        memcpy(list + 3 * (size_t)count, p->triangles[i], sizeof p->triangles[i]);
    if (count < 4) return TN_HULL_FEW;
    return tn_quickhull(list, count, hull);
}

static void free_hull(TnHullTriangles *hull, double *points)
{
    tn_free(hull->corners);
    tn_free(points);
}

static double volume_of(const TnHullTriangles *hull, const double *points)
{
    double sum = 0.0;
    const double *origin = points;
    for (int i = 0; i < hull->count; i++) {
        const int32_t *t = hull->corners + 3 * (size_t)i;
        double a[3], b[3], c[3], n[3];
        v3_sub(a, points + 3 * (size_t)t[0], origin);
        v3_sub(b, points + 3 * (size_t)t[1], origin);
        v3_sub(c, points + 3 * (size_t)t[2], origin);
        v3_cross(n, a, b);
        sum += v3_dot(n, c) / 6.0;
    }
    return sum;
}

/* False where it has no area. */
static bool normal_of(const double t[9], double n[3])
{
    double u[3], v[3];
    v3_sub(u, t + 3, t);
    v3_sub(v, t + 6, t);
    v3_cross(n, u, v);
    double size = v3_norm(n);
    if (!(size > 0.0)) return false;
    v3_scale(n, n, 1.0 / size);
    return true;
}

/* How far it is from a point to the hull along n. */
static double way_out(const double p[3], const double n[3], const double (*faces)[4], int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        double along = v3_dot(faces[i], n);
        if (along > 1e-6) least = fmin(least, (faces[i][3] - v3_dot(faces[i], p)) / along);
    }
    return least < INFINITY ? least : 0.0;
}

/* Planes of a hull's faces: unit normal and offset. */
static int face_planes(const TnHullTriangles *hull, const double *points, double (*faces)[4])
{
    int count = 0;
    for (int i = 0; i < hull->count; i++) {
        double t[9];
        for (int k = 0; k < 3; k++)
            v3_copy(t + 3 * k, points + 3 * (size_t)hull->corners[3 * (size_t)i + (size_t)k]);
        if (normal_of(t, faces[count])) {
            faces[count][3] = v3_dot(faces[count], t);
            count++;
        }
    }
    return count;
}

/* `outward`: 1, or -1 where the mesh's triangles look inward. False: no memory. A part without
 * thickness has no dent. */
static bool measure(Part *p, double outward)
{
    TnHullTriangles hull;
    double *points;
    TnHullStatus status = hull_of(p, 3 * SAMPLES, &hull, &points);
    double(*faces)[4] = tn_malloc(sizeof *faces * ((size_t)hull.count + 1));
    int face_count = status == TN_HULL_GOOD && faces ? face_planes(&hull, points, faces) : 0;
    p->dent = 0.0;
    int step = p->count > SAMPLES ? 1 + p->count / SAMPLES : 1;
    for (int i = 0; face_count && i < p->count; i += step) {
        double middle[3] = {0.0, 0.0, 0.0}, n[3];
        for (int k = 0; k < 3; k++) v3_add_scaled(middle, p->triangles[i] + 3 * k, 1.0 / 3.0);
        if (!normal_of(p->triangles[i], n)) continue;
        v3_scale(n, n, outward);
        double dent = way_out(middle, n, (const double(*)[4])faces, face_count);
        if (!(dent > p->dent)) continue;
        p->dent = dent;
        p->deepest = i;
    }
    bool good = status != TN_HULL_MEMORY && faces;
    tn_free(faces);
    free_hull(&hull, points);
    return good;
}

/* ---- planes ---- */

static void add_plane(Plane *planes, int *count, const double n[3], const double through[3],
                      double size)
{
    double offset = v3_dot(n, through);
    for (int i = 0; i < *count; i++) {
        double along = v3_dot(planes[i].n, n);
        if (fabs(along) > 1.0 - 1e-9 && fabs(planes[i].offset - along * offset) < 1e-6 * size)
            return;
    }
    if (*count == MOST_PLANES) return;
    v3_copy(planes[*count].n, n);
    planes[(*count)++].offset = offset;
}

static bool share_corner(const double *t, const double *other, double size)
{
    for (int i = 0; i < 9; i++) {
        double d[3];
        v3_sub(d, t + 3 * (i / 3), other + 3 * (i % 3));
        if (v3_norm(d) < 1e-6 * size) return true;
    }
    return false;
}

static int find_planes(const Part *p, double size, Plane planes[MOST_PLANES])
{
    const double *deepest = p->triangles[p->deepest];
    int count = 0;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double middle[3], n[3];
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 9; k++) {
            low[k % 3] = fmin(low[k % 3], p->triangles[i][k]);
            high[k % 3] = fmax(high[k % 3], p->triangles[i][k]);
        }
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (low[k] + high[k]);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = 1.0;
        for (int corner = 0; corner < 3; corner++)
            add_plane(planes, &count, axis, deepest + 3 * corner, size);
    }
    if (normal_of(deepest, n)) add_plane(planes, &count, n, deepest, size);
    for (int i = 0; i < p->count; i++)
        if (share_corner(p->triangles[i], deepest, size) && normal_of(p->triangles[i], n))
            add_plane(planes, &count, n, p->triangles[i], size);
    if (count > MOST_PLANES - 3) count = MOST_PLANES - 3;
    for (int k = 0; k < 3; k++) { /* last, so that of equal ones the others are taken */
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = 1.0;
        add_plane(planes, &count, axis, middle, size);
    }
    return count;
}

static double width(const Part *p, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) {
            double x = v3_dot(n, p->triangles[i] + 3 * k);
            low = fmin(low, x);
            high = fmax(high, x);
        }
    return high - low;
}

/* Volume of both hulls; infinite where one side is no solid. False: no memory. */
static bool cost_of(const Part *p, const Plane *plane, double size, double *cost)
{
    Part sides[2];
    bool good = split(p, plane, TN_ROOM * size, sides);
    *cost = 0.0;
    for (int side = 0; side < 2 && good; side++) {
        TnHullTriangles hull;
        double *points;
        TnHullStatus status = hull_of(&sides[side], SAMPLES, &hull, &points);
        good = status != TN_HULL_MEMORY;
        bool solid = status == TN_HULL_GOOD && width(&sides[side], plane->n) > THINNEST * size;
        *cost += solid ? volume_of(&hull, points) : INFINITY;
        free_hull(&hull, points);
    }
    for (int side = 0; side < 2; side++) tn_free(sides[side].triangles);
    return good;
}

/* Cuts a part in two; it is done where there is no good plane. False: no memory. */
static bool cut(Part *parts, int *count, int which, double size, double outward)
{
    Plane planes[MOST_PLANES], best = {{0.0, 0.0, 0.0}, 0.0};
    Part sides[2];
    double least = INFINITY;
    int plane_count = find_planes(&parts[which], size, planes);
    for (int i = 0; i < plane_count; i++) {
        double cost;
        if (!cost_of(&parts[which], &planes[i], size, &cost)) return false;
        if (cost < least * (1.0 - 1e-9)) {
            least = cost;
            best = planes[i];
        }
    }
    parts[which].done = least == INFINITY;
    if (parts[which].done) return true;
    bool good = split(&parts[which], &best, TN_ROOM * size, sides) && measure(&sides[0], outward) &&
                measure(&sides[1], outward);
    if (!good) {
        tn_free(sides[0].triangles);
        tn_free(sides[1].triangles);
        return false;
    }
    tn_free(parts[which].triangles);
    parts[which] = sides[0];
    parts[(*count)++] = sides[1];
    return true;
}

static bool cut_all(Part *parts, int *count, double size, double outward)
{
    while (*count < TN_MOST_PIECES) {
        int worst = -1;
        for (int i = 0; i < *count; i++)
            if (!parts[i].done && parts[i].dent > DENT * size &&
                (worst < 0 || parts[i].dent > parts[worst].dent))
                worst = i;
        if (worst < 0) return true;
        if (!cut(parts, count, worst, size, outward)) return false;
    }
    return true;
}

/* Corners of the hull alone; flat parts have none. False: no memory. */
static bool keep(const Part *p, TnPiece *out)
{
    TnHullTriangles hull;
    double *points;
    TnHullStatus status = hull_of(p, 9 * p->count + 1, &hull, &points);
    *out = (TnPiece){0};
    bool good = status != TN_HULL_MEMORY;
    if (status == TN_HULL_GOOD) {
        int corners = 3 * hull.count;
        out->points = tn_malloc(sizeof *out->points * 3 * (size_t)corners);
        good = out->points != NULL;
        uint8_t *used = tn_calloc(3 * (size_t)p->count + 1, 1);
        good = good && used;
        for (int i = 0; good && i < corners; i++) {
            int32_t vertex = hull.corners[i];
            if (used[vertex]) continue;
            used[vertex] = 1;
            v3_copy(out->points + 3 * (size_t)out->count++, points + 3 * (size_t)vertex);
        }
        tn_free(used);
    }
    free_hull(&hull, points);
    return good;
}

/* Negative where triangles look inward. */
static double volume_within(const Part *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->count; i++) {
        const double *t = p->triangles[i];
        double a[3], b[3], c[3], n[3];
        v3_sub(a, t, p->triangles[0]);
        v3_sub(b, t + 3, p->triangles[0]);
        v3_sub(c, t + 6, p->triangles[0]);
        v3_cross(n, a, b);
        sum += v3_dot(n, c);
    }
    return sum;
}

int tn_convex_pieces(const double *vertices, const int32_t *triangles, int triangle_count,
                     TnPiece out[TN_MOST_PIECES])
{
    Part parts[TN_MOST_PIECES] = {{0}};
    int count = 1, pieces = 0;
    bool good = true;
    double size = 0.0;
    for (int i = 0; good && i < triangle_count; i++) {
        const int32_t *t = triangles + 3 * (size_t)i;
        good = add_triangle(&parts[0], vertices + 3 * (size_t)t[0], vertices + 3 * (size_t)t[1],
                            vertices + 3 * (size_t)t[2]);
    }
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = 1.0;
        if (triangle_count > 0 && good) size = fmax(size, width(&parts[0], axis));
    }
    double outward = volume_within(&parts[0]) < 0.0 ? -1.0 : 1.0;
    good = good && measure(&parts[0], outward) && cut_all(parts, &count, size, outward);
    for (int i = 0; good && i < count; i++) {
        good = keep(&parts[i], &out[pieces]);
        pieces += out[pieces].points != NULL;
    }
    for (int i = 0; i < count; i++) tn_free(parts[i].triangles);
    if (good) return pieces;
    tn_pieces_free(out, pieces);
    return -1;
}

void tn_pieces_free(TnPiece *pieces, int count)
{
    for (int i = 0; i < count; i++) tn_free(pieces[i].points);
}
