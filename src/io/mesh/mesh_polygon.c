/* mesh_polygon.c: a polygon of an OBJ file cut into triangles in the way of MuJoCo's reader, so
 * that inertias and drawn edges are the same.
 *
 * Four corners are cut along the shorter diagonal. More lose their ears one by one, in the two axes
 * in which the first bent corner is widest. An ear is cut where its turn has the same sign as x₀ y₁
 * - y₀ x₁ of its first two corners, and none of the other corners lies in it. That sign is about
 * the file's origin and not about the polygon, so which ears are found first depends on where the
 * polygon lies; so it is there. All of it is in single precision. What has no ear left is dropped.
 */
#include "mesh_file.h"

#include "../../base/base.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct Polygon {
    const double *vertices;
    int32_t *corners; /* those that are left */
    int count;
    int axes[2];
} Polygon;

static float coordinate(const double *vertices, int32_t vertex, int axis)
{
    return (float)vertices[3 * (size_t)vertex + (size_t)axis];
}

static float distance2(const double *vertices, int32_t a, int32_t b)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float d = coordinate(vertices, b, k) - coordinate(vertices, a, k);
        sum += d * d;
    }
    return sum;
}

static bool add_triangle(TnMeshList *out, int32_t a, int32_t b, int32_t c)
{
    const int32_t corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
        if (!tn_mesh_list_add(out, sizeof corners[k], &corners[k])) return false;
    return true;
}

static bool cut_quad(const double *vertices, const int32_t c[4], TnMeshList *out)
{
    if (distance2(vertices, c[0], c[2]) < distance2(vertices, c[1], c[3]))
        return add_triangle(out, c[0], c[1], c[2]) && add_triangle(out, c[0], c[2], c[3]);
    return add_triangle(out, c[0], c[1], c[3]) && add_triangle(out, c[1], c[2], c[3]);
}

/* Leaves out the axis along which the first bent corner is seen best. */
static void choose_axes(Polygon *p)
{
    p->axes[0] = 1, p->axes[1] = 2;
    for (int i = 0; i < p->count; i++) {
        float e[3], f[3], n[3];
        for (int k = 0; k < 3; k++) {
            float middle = coordinate(p->vertices, p->corners[(i + 1) % p->count], k);
            e[k] = middle - coordinate(p->vertices, p->corners[i], k);
            f[k] = coordinate(p->vertices, p->corners[(i + 2) % p->count], k) - middle;
        }
        for (int k = 0; k < 3; k++)
            n[k] = fabsf(e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3]);
        if (!(n[0] > FLT_EPSILON || n[1] > FLT_EPSILON || n[2] > FLT_EPSILON)) continue;
        if (n[0] > n[1] && n[0] > n[2]) return;
        p->axes[0] = 0;
        if (n[2] > n[0] && n[2] > n[1]) p->axes[1] = 1;
        return;
    }
}

static void place_of(const Polygon *p, int corner, float out[2])
{
    for (int k = 0; k < 2; k++)
        out[k] = coordinate(p->vertices, p->corners[corner % p->count], p->axes[k]);
}

/* How often a ray along the first axis leaves the triangle: odd means inside. */
static bool is_inside(float t[3][2], const float x[2])
{
    bool inside = false;
    for (int i = 0, j = 2; i < 3; j = i++)
        if ((t[i][1] > x[1]) != (t[j][1] > x[1]) &&
            x[0] < (t[j][0] - t[i][0]) * (x[1] - t[i][1]) / (t[j][1] - t[i][1]) + t[i][0])
            inside = !inside;
    return inside;
}

static bool is_ear(const Polygon *p, int first)
{
    float t[3][2];
    for (int k = 0; k < 3; k++) place_of(p, first + k, t[k]);
    float turn =
        (t[1][0] - t[0][0]) * (t[2][1] - t[1][1]) - (t[1][1] - t[0][1]) * (t[2][0] - t[1][0]);
    float side = (t[0][0] * t[1][1] - t[0][1] * t[1][0]) * 0.5f;
    if (turn * side < 0.0f) return false;
    for (int other = 3; other < p->count; other++) {
        float x[2];
        place_of(p, first + other, x);
        if (is_inside(t, x)) return false;
    }
    return true;
}

static bool cut_ears(Polygon *p, TnMeshList *out)
{
    int first = 0, before = p->count, tries = p->count;
    while (p->count > 3 && tries > 0) {
        if (first >= p->count) first -= p->count;
        tries = before != p->count ? p->count : tries - 1;
        before = p->count;
        if (!is_ear(p, first)) {
            first++;
            continue;
        }
        int middle = (first + 1) % p->count;
        if (!add_triangle(out, p->corners[first], p->corners[middle],
                          p->corners[(first + 2) % p->count]))
            return false;
        p->count--;
        memmove(p->corners + middle, p->corners + middle + 1,
                sizeof *p->corners * (size_t)(p->count - middle));
    }
    return p->count != 3 || add_triangle(out, p->corners[0], p->corners[1], p->corners[2]);
}

bool tn_mesh_cut_polygon(const double *vertices, const int32_t *corners, int count, TnMeshList *out)
{
    if (count == 3) return add_triangle(out, corners[0], corners[1], corners[2]);
    if (count == 4) return cut_quad(vertices, corners, out);
    Polygon p = {.vertices = vertices, .count = count};
    p.corners = tn_malloc(sizeof *p.corners * (size_t)count);
    if (!p.corners) return false;
    memcpy(p.corners, corners, sizeof *p.corners * (size_t)count);
    choose_axes(&p);
    bool good = cut_ears(&p, out);
    tn_free(p.corners);
    return good;
}
