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

#include "../../math/vec3.h"

#define SCAN_MAX 24 /* so many vertices are quicker to search than to climb: measured */
#define MARKED_MAX 32768

int tn_hull_climb(const TnHull *hull, int at, const double d[3])
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
    if (hull->vertex_count > SCAN_MAX) return tn_hull_climb(hull, hull->starts[tn_hull_cell(d)], d);
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
