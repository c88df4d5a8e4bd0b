/* compile_tie.c: ties between soft bodies: which point of soft2 the node lies in, reference pose.
 *
 * Inside, that is a point of a tetrahedron, by its barycentric coordinates; else the nearest point
 * of the surface. A node that is far outside is a mistake in the scene: the tie would pull the
 * bodies together. */
#include "../../base/rounding.h"
#include "../builder.h"

#include "../../math/vec3.h"

#include <string.h>

/* Of the bounding box's diagonal of soft2. */
#define FARTHEST 0.05

static const double *rest(const TnSoft *soft, int32_t node)
{
    return soft->rest + 3 * (size_t)node;
}

static double triple(const double a[3], const double b[3], const double c[3])
{
    double n[3];
    v3_cross(n, b, c);
    return v3_dot(a, n);
}

/* Barycentric coordinates; returns the smallest. */
static double coordinates(const TnSoft *soft, const int32_t *tet, const double p[3], double w[4])
{
    double e[3][3], d[3];
    for (int k = 0; k < 3; k++) v3_sub(e[k], rest(soft, tet[k + 1]), rest(soft, tet[0]));
    v3_sub(d, p, rest(soft, tet[0]));
    double volume = triple(e[0], e[1], e[2]);
    w[1] = triple(d, e[1], e[2]) / volume;
    w[2] = triple(e[0], d, e[2]) / volume;
    w[3] = triple(e[0], e[1], d) / volume;
    w[0] = 1.0 - w[1] - w[2] - w[3];
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static bool in_box(const TnSoft *soft, const int32_t *tet, const double p[3], double slack)
{
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int a = 0; a < 4; a++) {
            low = fmin(low, rest(soft, tet[a])[k]);
            high = fmax(high, rest(soft, tet[a])[k]);
        }
        if (!(p[k] >= low - slack && p[k] <= high + slack)) return false;
    }
    return true;
}

/* The element that p lies deepest in; -1: outside. */
static int find_tet(const TnSoft *soft, const double p[3], double size, double weight[4])
{
    int found = -1;
    /* a node on a face lies in either element */
    double deepest = -TN_ROOM;
    for (int e = 0; e < soft->tet_count; e++) {
        const int32_t *tet = soft->tets + 4 * (size_t)e;
        double w[4];
        if (!in_box(soft, tet, p, TN_ROOM * size)) continue;
        double depth = coordinates(soft, tet, p, w);
        if (!(depth > deepest)) continue;
        deepest = depth;
        found = e;
        memcpy(weight, w, sizeof w);
    }
    return found;
}

/* The share of b in the point of the line a b nearest to p. */
static double along(const double a[3], const double b[3], const double p[3])
{
    double ab[3], ap[3];
    v3_sub(ab, b, a);
    v3_sub(ap, p, a);
    double t = v3_dot(ap, ab) / v3_dot(ab, ab);
    return t > 0.0 ? fmin(t, 1.0) : 0.0; /* a NaN becomes 0 */
}

static double distance_at(const double *const x[3], const double w[3], const double p[3])
{
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k] - p[k];
    return v3_norm(at);
}

/* Weights of the point of a triangle nearest to p; returns the distance. */
static double nearest_in_triangle(const double *const x[3], const double p[3], double w[3])
{
    double ab[3], ac[3], ap[3], n[3];
    v3_sub(ab, x[1], x[0]);
    v3_sub(ac, x[2], x[0]);
    v3_sub(ap, p, x[0]);
    v3_cross(n, ab, ac);
    w[1] = triple(n, ap, ac) / v3_dot(n, n);
    w[2] = triple(n, ab, ap) / v3_dot(n, n);
    w[0] = 1.0 - w[1] - w[2];
    if (w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) return distance_at(x, w, p);
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double on_edge[3] = {0.0}, t = along(x[k], x[next], p);
        on_edge[k] = 1.0 - t;
        on_edge[next] = t;
        double distance = distance_at(x, on_edge, p);
        if (!(distance < best)) continue;
        best = distance;
        v3_copy(w, on_edge);
    }
    return best;
}

/* The element behind the nearest point of the surface, and how far that is. */
static int find_surface(const TnSoft *soft, const double p[3], double weight[4], double *distance)
{
    int found = 0;
    *distance = INFINITY;
    for (int i = 0; i < soft->triangle_count; i++) {
        const int32_t *corner = soft->triangles + 3 * (size_t)i;
        const double *const x[3] = {rest(soft, corner[0]), rest(soft, corner[1]),
                                    rest(soft, corner[2])};
        double w[3], d = nearest_in_triangle(x, p, w);
        if (!(d < *distance)) continue;
        *distance = d;
        found = soft->triangle_tets[i];
        for (int a = 0; a < 4; a++) {
            weight[a] = 0.0;
            for (int k = 0; k < 3; k++)
                if (soft->tets[4 * (size_t)found + (size_t)a] == corner[k]) weight[a] = w[k];
        }
        if (soft->thickness > 0.0) weight[3] = 0.0; /* the third corner again */
    }
    return found;
}

static double diagonal(const TnSoft *soft)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           d[3];
    for (int i = 0; i < soft->node_count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], rest(soft, i)[k]);
            high[k] = fmax(high[k], rest(soft, i)[k]);
        }
    v3_sub(d, high, low);
    return v3_norm(d);
}

void tn_compile_ties(TnCompile *c)
{
    const TnModel *m = c->model;
    int measured = -1; /* consecutive ties mostly join the same two */
    double size = 0.0;
    for (int i = 0; i < m->tie_count; i++) {
        const TnTieDef *def = &c->builder->ties[i];
        TnTie *tie = &m->ties[i];
        *tie = (TnTie){.soft1 = def->soft1 - 1, .node1 = def->node, .soft2 = def->soft2 - 1};
        const TnSoft *soft = &m->softs[tie->soft2];
        const double *p = rest(&m->softs[tie->soft1], tie->node1);
        if (measured != tie->soft2) size = diagonal(soft);
        measured = tie->soft2;
        double distance = 0.0;
        int tet = soft->thickness > 0.0 ? -1 : find_tet(soft, p, size, tie->weight);
        if (tet < 0) tet = find_surface(soft, p, tie->weight, &distance);
        for (int k = 0; k < 4; k++) tie->node2[k] = soft->tets[4 * (size_t)tet + (size_t)k];
        if (!(distance <= FARTHEST * size))
            tn_problem(c, TN_ELEMENT("tie", def, i),
                       "node %d lies %g m outside of soft2, more than %g of its size (%g m): place "
                       "the two where they touch",
                       def->node, distance, FARTHEST, size);
    }
}
