/* soft_pair.c: a surface against another one, or against itself.
 *
 * Nodes: of this surface against the triangles of the other one (the other one's turn comes when it
 * is this one), on the triangle's outer side or not deeper below it than its share of the body, and
 * looking at it. A node has one contact with a surface, with the nearest such triangle, and its
 * feature is the node: λ stays while it slides from triangle to triangle. Edges: where two ridges
 * cross, each leaving its body towards the other. What is flat is left to the nodes: two faces on
 * each other would else be listed at every crossing of their edges. The surface with the lower
 * number lists them.
 *
 * A sheet touches on both sides: on the one where the other thing is. Its folds are ridges either
 * way, and so is its border.
 *
 * Parts of one surface that lie near each other at rest do not touch: nearer than what would be
 * listed there, or than an edge is long. */
#include "../../math/vec3.h"
#include "soft_surface.h"

typedef struct Walk {
    TnSoftEmitter *e;
    TnSoftSurface *s;
    const TnSoftSurface *other;
    double reach; /* m: no larger gap is listed */
    double radii;
    double share; /* of a triangle's depth that counts */
    bool self, edges;
    int touched; /* nodes, in s->found */
} Walk;

static const double *rest_of(const TnSoftSurface *s, int node)
{
    return s->soft->rest + 3 * (size_t)s->nodes[node];
}

static double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* Squared distance of segments, and where it is attained. */
static double segments(const double *a0, const double *a1, const double *b0, const double *b1,
                       double *s, double *t)
{
    double u[3], v[3], r[3];
    v3_sub(u, a1, a0);
    v3_sub(v, b1, b0);
    v3_sub(r, a0, b0);
    double uu = v3_dot(u, u), vv = v3_dot(v, v), uv = v3_dot(u, v), ur = v3_dot(u, r),
           vr = v3_dot(v, r), det = uu * vv - uv * uv;
    *s = det > 1e-12 * uu * vv ? clamp01((uv * vr - ur * vv) / det) : 0.0;
    *t = (uv * *s + vr) / vv;
    if (*t < 0.0 || *t > 1.0) {
        *t = clamp01(*t);
        *s = clamp01((uv * *t - ur) / uu);
    }
    v3_add_scaled(r, u, *s);
    v3_add_scaled(r, v, -*t);
    return v3_dot(r, r);
}

/* Boxes of two segments are farther apart along some axis. */
static bool far_apart(const double *a, const double *b, const double *c, const double *d,
                      double far)
{
    bool apart = false;
    for (int k = 0; k < 3; k++) {
        apart |= fmin(a[k], b[k]) > fmax(c[k], d[k]) + far;
        apart |= fmin(c[k], d[k]) > fmax(a[k], b[k]) + far;
    }
    return apart;
}

static bool tied(const Walk *w, int node, const int32_t *corners, int count)
{
    bool yes = node >= 0 && w->s->ties[node] == 1 + w->other->index;
    for (int k = 0; k < count; k++) yes |= w->other->ties[corners[k]] == 1 + w->s->index;
    return yes && !w->self;
}

/* The square of the distance at rest below which parts of a surface do not touch; counts through a
 * thin body too. Of a sheet what is flat is beside itself, not in front, and may be listed; its own
 * thickness must have room. */
static double near_at_rest(const Walk *w, int triangle)
{
    if (w->s->sheet) {
        double along = fmax(w->radii, w->s->sizes[triangle]);
        return along * along;
    }
    double along = fmax(w->reach + w->radii, w->s->sizes[triangle]),
           through = 2.0 * w->s->depths[triangle];
    return along * along + through * through;
}

/* ---- nodes ---- */

/* The point of a triangle that is nearest to p, n its normal; returns the square of the distance.
 */
static double nearest_point(const double *const x[3], const double n[3], const double p[3],
                            double weight[3])
{
    double best = INFINITY, d[3];
    if (tn_soft_project(x, n, p, weight)) {
        v3_sub(d, p, x[0]);
        double height = v3_dot(n, d);
        return height * height;
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double e[3];
        v3_sub(e, x[next], x[k]);
        v3_sub(d, p, x[k]);
        double t = clamp01(v3_dot(d, e) / v3_dot(e, e));
        v3_add_scaled(d, e, -t);
        double square = v3_dot(d, d);
        if (!(square < best)) continue;
        best = square;
        weight[k] = 1.0 - t;
        weight[next] = t;
        weight[(k + 2) % 3] = 0.0;
    }
    return best;
}

/* The nearest one so far, of a sheet's node on each of its two sides: it may lie between two
 * others. */
static TnSoftNearest *best_of(Walk *w, int node, const double n[3])
{
    TnSoftSurface *s = w->s;
    if (s->probes[node].query != s->query) {
        s->found[w->touched++] = node;
        s->probes[node].query = s->query;
        for (int side = 0; side <= s->sheet; side++)
            s->nearest[node + side * s->node_count].triangle = -1;
    }
    bool behind = s->sheet && v3_dot(s->looks[node], n) > 0.0;
    return &s->nearest[node + (behind ? s->node_count : 0)];
}

static void keep_nearest(Walk *w, int node, int triangle, double height, const double weight[3],
                         const double n[3])
{
    const TnSoftSurface *s = w->s, *o = w->other;
    const int32_t *corner = o->triangles[triangle];
    TnSoftNearest *best = &w->s->nearest[node];
    bool known = s->probes[node].query == s->query;
    if (s->sheet && known) best = best_of(w, node, n);
    if (known && best->triangle >= 0 && fabs(best->height) <= fabs(height)) return;
    if (w->self) {
        const double *rest[3];
        for (int k = 0; k < 3; k++) rest[k] = rest_of(o, corner[k]);
        if (tn_soft_point_triangle(rest_of(s, node), rest) <= near_at_rest(w, triangle)) return;
    }
    best = best_of(w, node, n);
    best->height = height;
    best->triangle = triangle;
    v3_copy(best->weight, weight);
    v3_copy(best->n, n);
}

/* Against a sheet: it is round where it ends and where it is sharp, by its radius. */
static void node_sheet(Walk *w, int node, int triangle)
{
    const TnSoftSurface *s = w->s, *o = w->other;
    const int32_t *corner = o->triangles[triangle];
    const double *x[3] = {o->x[corner[0]], o->x[corner[1]], o->x[corner[2]]};
    const double *normal = o->normals[triangle];
    double d[3], n[3], weight[3], far = w->reach + w->radii;
    if (w->self && (corner[0] == node || corner[1] == node || corner[2] == node)) return;
    v3_sub(d, s->x[node], x[0]);
    double height = v3_dot(normal, d);
    if (fabs(height) > far) return;
    double square = nearest_point(x, normal, s->x[node], weight);
    if (!(square <= far * far) || tied(w, node, corner, 3)) return;
    v3_copy(n, s->x[node]);
    for (int k = 0; k < 3; k++) v3_add_scaled(n, x[k], -weight[k]);
    if (v3_normalize(n) < 1e-3 * o->sizes[triangle]) v3_scale(n, normal, height < 0.0 ? -1.0 : 1.0);
    if (!s->sheet && v3_dot(s->looks[node], n) > 0.0) return;
    keep_nearest(w, node, triangle, sqrt(square), weight, n);
}

static void node_triangle(Walk *w, int node, int triangle)
{
    const TnSoftSurface *s = w->s, *o = w->other;
    if (o->sheet) {
        node_sheet(w, node, triangle);
        return;
    }
    const int32_t *corner = o->triangles[triangle];
    const double *x[3] = {o->x[corner[0]], o->x[corner[1]], o->x[corner[2]]};
    const double *n = o->normals[triangle];
    double d[3], weight[3];
    if (!s->sheet && v3_dot(s->looks[node], n) > 0.0) return;
    if (w->self && (corner[0] == node || corner[1] == node || corner[2] == node)) return;
    v3_sub(d, s->x[node], x[0]);
    double height = v3_dot(n, d), gap = height - w->radii;
    if (gap > w->reach || gap < -w->share * o->depths[triangle]) return;
    if (!tn_soft_project(x, n, s->x[node], weight) || tied(w, node, corner, 3)) return;
    keep_nearest(w, node, triangle, height, weight, n);
}

/* Second sides of a sheet's nodes: a bit above all numbers of nodes. */
#define SECOND_SIDE (1u << 29)

static void emit_nodes(const Walk *w)
{
    const TnSoftSurface *s = w->s;
    uint32_t kind = s->index <= w->other->index ? TN_SOFT_NODE : TN_SOFT_OTHER_NODE;
    for (int i = 0; i < w->touched * (1 + s->sheet); i++) {
        int node = s->found[i % w->touched], side = i / w->touched;
        const TnSoftNearest *best = &s->nearest[node + side * s->node_count];
        if (best->triangle < 0) continue;
        TnSoftPlace a = {.s = s, .count = 1, .node = {node}, .triangle = -1, .weight = {1.0}};
        TnSoftPlace b = {.s = w->other, .count = 3, .triangle = best->triangle};
        double n[3];
        for (int k = 0; k < 3; k++) {
            b.node[k] = w->other->triangles[best->triangle][k];
            b.weight[k] = best->weight[k];
        }
        v3_scale(n, best->n, -1.0);
        tn_soft_emit(w->e, &a, &b, n, best->height - w->radii,
                     kind | (side ? SECOND_SIDE : 0u) | (uint32_t)s->nodes[node]);
    }
}

/* ---- edges ---- */

/* n, across two edges, must lead out of the first body: against its sheet, as the two lie. */
static bool leads_back(const Walk *w, int edge1, int edge2, double p, double q, const double n[3])
{
    const TnSoftSurface *s = w->s, *o = w->other;
    const int32_t *a = s->edges[edge1], *b = o->edges[edge2], *two = s->edge_triangles[edge1],
                  *far = o->edge_triangles[edge2];
    double d[3];
    if (!s->sheet) return v3_dot(n, s->normals[two[0]]) + v3_dot(n, s->normals[two[1]]) < 0.0;
    if (!o->sheet) return v3_dot(n, o->normals[far[0]]) + v3_dot(n, o->normals[far[1]]) > 0.0;
    for (int k = 0; k < 3; k++)
        d[k] = (1.0 - q) * o->x[b[0]][k] + q * o->x[b[1]][k] - (1.0 - p) * s->x[a[0]][k] -
               p * s->x[a[1]][k];
    return v3_dot(n, d) < 0.0;
}

static void edge_edge(Walk *w, int edge1, int edge2)
{
    const TnSoftSurface *s = w->s, *o = w->other;
    const int32_t *a = s->edges[edge1], *b = o->edges[edge2];
    double p, q, u[3], v[3], n[3], d[3];
    if (w->self && (edge1 >= edge2 || a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]))
        return;
    int owner1 = s->edge_triangles[edge1][0], owner2 = o->edge_triangles[edge2][0];
    double deepest = w->share * fmin(s->depths[owner1], o->depths[owner2]),
           far = fmax(w->reach, deepest) + w->radii;
    if (s->sheet && o->sheet && far_apart(s->x[a[0]], s->x[a[1]], o->x[b[0]], o->x[b[1]], far))
        return;
    if (!(segments(s->x[a[0]], s->x[a[1]], o->x[b[0]], o->x[b[1]], &p, &q) <= far * far)) return;
    if (p < TN_SOFT_NEAR_END || p > 1.0 - TN_SOFT_NEAR_END || q < TN_SOFT_NEAR_END ||
        q > 1.0 - TN_SOFT_NEAR_END)
        return;
    if (tied(w, a[0], b, 2) || tied(w, a[1], b, 2)) return;
    v3_sub(u, s->x[a[1]], s->x[a[0]]);
    v3_sub(v, o->x[b[1]], o->x[b[0]]);
    v3_normalize(u);
    v3_normalize(v);
    v3_cross(n, u, v);
    if (v3_normalize(n) < TN_SOFT_LEAN) return;
    if (leads_back(w, edge1, edge2, p, q, n)) v3_scale(n, n, -1.0);
    double back[3] = {-n[0], -n[1], -n[2]};
    if (!tn_soft_edge_outside(s, edge1, u, n, TN_SOFT_LEAN) ||
        !tn_soft_edge_outside(o, edge2, v, back, TN_SOFT_LEAN))
        return;
    TnSoftPlace one = {.s = s,
                       .count = 2,
                       .node = {a[0], a[1]},
                       .triangle = owner1,
                       .weight = {1.0 - p, p}},
                two = {.s = o,
                       .count = 2,
                       .node = {b[0], b[1]},
                       .triangle = owner2,
                       .weight = {1.0 - q, q}};
    double x[3], y[3];
    tn_soft_place_at(&one, x, NULL);
    tn_soft_place_at(&two, y, NULL);
    v3_sub(d, y, x);
    double gap = v3_dot(n, d) - w->radii;
    if (gap < -deepest) return;
    if (w->self) {
        double near = fmax(near_at_rest(w, owner1), near_at_rest(w, owner2)), i, j;
        if (segments(rest_of(s, a[0]), rest_of(s, a[1]), rest_of(s, b[0]), rest_of(s, b[1]), &i,
                     &j) <= near)
            return;
    }
    uint32_t hash = (uint32_t)edge1 * 0x9e3779b1u ^ (uint32_t)edge2 * 0x85ebca6bu;
    tn_soft_emit(w->e, &one, &two, n, gap, TN_SOFT_EDGE | ((hash ^ hash >> 15) & 0x3fffffffu));
}

/* ---- both trees ---- */

static bool segment_near(const double *x, const double *y, const TnSoftCone *cone, double more)
{
    bool near = true;
    for (int k = 0; k < 3; k++) {
        double low = x[k] < y[k] ? x[k] : y[k], high = x[k] < y[k] ? y[k] : x[k];
        near &= (low <= cone->high[k] + more) & (cone->low[k] <= high + more);
    }
    return near;
}

/* All of one leaf against all of the other; what they own themselves. `more`: how far a point may
 * be from the other leaf's box. */
static void leaves(Walk *w, const TnSoftBox *a, const TnSoftBox *b, const TnSoftCone *cone,
                   double more)
{
    const TnSoftSurface *s = w->s, *o = w->other;
    for (int i = a->first; i < a->first + a->count; i++)
        for (int k = 0; k < 3; k++) {
            int node = s->triangles[i][k], edge = s->sides[i][k];
            const double *x = s->x[node], *y = s->x[s->triangles[i][(k + 1) % 3]];
            if (s->node_owners[node] == i && segment_near(x, x, cone, more))
                for (int j = b->first; j < b->first + b->count; j++) node_triangle(w, node, j);
            if (!w->edges || !s->ridges[edge] || s->edge_triangles[edge][0] != i ||
                !segment_near(x, y, cone, more))
                continue;
            for (int j = 3 * b->first; j < 3 * (b->first + b->count); j++) {
                int edge2 = o->sides[j / 3][j % 3];
                if (o->ridges[edge2] && o->edge_triangles[edge2][0] == j / 3)
                    edge_edge(w, edge, edge2);
            }
        }
}

/* Parts whose normals agree need not be compared: sides of solids; of a sheet only what lies side
 * by side at rest, and so is one piece that is nowhere folded over. */
static bool faces_alike(const Walk *w, int i, int j)
{
    if (!w->s->sheet && !w->other->sheet) return true;
    if (!w->self) return false;
    const double *a = w->s->at_rest[i], *b = w->s->at_rest[j];
    return i == j || tn_soft_boxes_meet(a, a + 3, b, b + 3, 1e-9 * w->s->sizes[0]);
}

void tn_soft_emit_pair(TnSoftEmitter *e, TnSoftSurface *s, const TnSoftSurface *other)
{
    const TnDetection *d = e->detection;
    double most = d->t * tn_soft_cones_speed(&s->cones[0], &other->cones[0]);
    Walk w = {.e = e,
              .s = s,
              .other = other,
              .reach = e->margin + d->slack + most,
              .radii = s->radius + other->radius,
              .share = s == other ? 0.5 : 1.0, /* its other side is no enemy */
              .self = s == other,
              .edges = s->index <= other->index};
    s->query++;
    int stack[2 * TN_SOFT_DEPTH][2], depth = 0;
    stack[depth][0] = stack[depth][1] = 0;
    depth++;
    while (depth > 0) {
        depth--;
        int i = stack[depth][0], j = stack[depth][1];
        const TnSoftBox *a = &s->boxes[i], *b = &other->boxes[j];
        const TnSoftCone *cone = &other->cones[j];
        if (!tn_soft_boxes_meet(a->low, a->high, cone->low, cone->high, most) ||
            (faces_alike(&w, i, j) && tn_soft_cones_agree(&s->cones[i], cone)))
            continue;
        double motion = most;
        if (most > 0.0) {
            motion = d->t * tn_soft_cones_speed(&s->cones[i], cone);
            if (!tn_soft_boxes_meet(a->low, a->high, cone->low, cone->high, motion)) continue;
        }
        if (!a->second && !b->second) {
            if (s->sheet && other->sheet) w.reach = e->margin + d->slack + motion;
            leaves(&w, a, b, cone, s->grow + motion);
            continue;
        }
        /* the one with more triangles is opened */
        bool open = a->second && (!b->second || a->count >= b->count);
        stack[depth][0] = open ? a->second : i;
        stack[depth][1] = open ? j : b->second;
        depth++;
        stack[depth][0] = open ? i + 1 : i;
        stack[depth][1] = open ? j : j + 1;
        depth++;
    }
    emit_nodes(&w);
}
