/* soft_facets.c: what nodes do not see: a corner, a small sphere or a rod against the inside of a
 * triangle, an edge across an edge.
 *
 * φ, the signed distance to a convex geom, is convex. What the nodes' own contacts keep at a point
 * y = Σ w_i x_i of the surface is Σ w_i φ(x_i); a point is worth a contact of its own where
 *
 *     D = Σ w_i φ(x_i) - φ(y) > S = share · (length of the edges).
 *
 * Where the geom is round against the mesh, the gradients ∇φ_i at nodes near it agree and the
 * surface may sag by SHARE between them. Across the geom's edges and corners, and on what is small
 * against the mesh, they do not, and the share goes down to TN_TOUCHING. Such a contact must not
 * appear deep. At D = S the point may be as deep as its nodes' contacts let it, S below theirs, and
 * that much is forgiven; from D = 2 S on nothing is:
 *
 *     gap = φ(y) + max(0, 2 S - D), which is Σ w_i φ(x_i) at D = S.
 *
 * The tangent at one corner is a lower bound of φ, and what it leaves is linear, so
 * max_j [φ_j - φ_i - ∇φ_i · (x_j - x_i)] bounds the left side: along flat faces and on shapes that
 * are large against the mesh a triangle is done with that.
 *
 * Faces: points of the geom that look against the triangle's normal (corners, ends, the support
 * point of a round shape) and stand above or below its inside; the normal is the triangle's. A
 * point below that is much nearer to another part of the surface came in there: what grazes a side
 * of a bar has not come through its end. Edges: as thin capsules, where the way to the geom leaves
 * both triangles (within `lean`), so that there is nothing nearer beside the edge. Deeper than a
 * triangle's share of the body nothing counts: it is on another side. */
#include "../../math/vec3.h"
#include "soft_surface.h"

#define SHARE 0.05
#define AGREE 0.9   /* cosine between the nodes' gradients: all of SHARE */
#define DIFFER 0.7  /* TN_TOUCHING */
#define NEAR_BY 0.5 /* of an edge's length */
#define NEARER                                                                                     \
    0.5 /* of a point's depth below a triangle: nearer to another one it is not this one's */
#define OPPOSITE (-0.5) /* cosine: triangles that look the other way do not take a point */
#define FACES_MAX 64    /* points that are compared with each other; more are listed as they are */
#define PARALLEL                                                                                   \
    0.9 /* cosine: the same corner on two triangles is one contact below this angle                \
         */

typedef struct FacePoint {
    uint32_t id;
    int triangle;
    double weight[3], n[3], gap;
} FacePoint;

typedef struct Facets {
    TnSoftEmitter *e;
    TnSoftSurface *s;
    TnPlaced geom;
    double reach; /* m: no larger gap is listed */
    double core;  /* m: radius of the geom's core */
    double lean;
    int found; /* triangles near the geom */
    int face_count;
    FacePoint faces[FACES_MAX];
} Facets;

static double corner_distance(const Facets *f, int node) { return f->s->probes[node].distance; }

/* How far φ may lie below what its corners say, by the tangent at the best corner; a lower bound of
 * φ; and what is not worth a contact, m. From afar all gradients agree, so that counts near the
 * geom only. */
static void bound(const Facets *f, const int32_t *corner, int count, double size, double *below,
                  double *lowest, double *share)
{
    const TnSoftSurface *s = f->s;
    *below = INFINITY;
    *lowest = -INFINITY;
    double agree = 1.0, nearest = INFINITY;
    for (int i = 0; i < count; i++) {
        const TnSoftProbe *p = &s->probes[corner[i]];
        double most = 0.0, low = p->distance;
        nearest = fmin(nearest, p->distance);
        for (int j = 0; j < count; j++) {
            double d[3];
            if (j == i) continue;
            v3_sub(d, s->x[corner[j]], s->x[corner[i]]);
            double tangent = p->distance + v3_dot(p->out, d),
                   left = corner_distance(f, corner[j]) - tangent;
            agree = fmin(agree, v3_dot(p->out, s->probes[corner[j]].out));
            most = left > most ? left : most;
            low = tangent < low ? tangent : low;
        }
        *below = most < *below ? most : *below;
        *lowest = low > *lowest ? low : *lowest;
    }
    double full = fmax(0.0, fmin(1.0, (agree - DIFFER) / (AGREE - DIFFER))),
           near = fmax(0.0, fmin(1.0, 1.0 - nearest / (NEAR_BY * size)));
    *share = (TN_TOUCHING + (SHARE - TN_TOUCHING) * full * near) * size;
}

/* Of a point at `distance` whose nodes say `kept`; false: their contacts do. */
static bool forgive(double kept, double distance, double share, double *gap)
{
    double below = kept - distance;
    if (below < 2.0 * share) *gap += 2.0 * share - below;
    return below > share;
}

/* ---- faces ---- */

static void emit_face(const Facets *f, const FacePoint *p, uint32_t ordinal)
{
    TnSoftPlace place = {.s = f->s, .count = 3, .triangle = p->triangle};
    for (int k = 0; k < 3; k++) {
        place.node[k] = f->s->triangles[p->triangle][k];
        place.weight[k] = p->weight[k];
    }
    tn_soft_emit(f->e, &place, NULL, p->n, p->gap, TN_SOFT_FACE | ordinal << 16 | p->id);
}

static void keep_face(Facets *f, const FacePoint *p)
{
    for (int i = 0; i < f->face_count; i++) {
        FacePoint *q = &f->faces[i];
        if (q->id != p->id || v3_dot(q->n, p->n) < PARALLEL) continue;
        if (p->gap < q->gap) *q = *p;
        return;
    }
    if (f->face_count < FACES_MAX)
        f->faces[f->face_count++] = *p;
    else
        emit_face(f, p, (uint32_t)p->triangle & 0x3fffu);
}

bool tn_soft_project(const double *const x[3], const double n[3], const double q[3], double w[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double a[3], b[3], c[3];
        v3_sub(a, x[(k + 1) % 3], q);
        v3_sub(b, x[(k + 2) % 3], q);
        v3_cross(c, a, b);
        w[k] = v3_dot(c, n);
        sum += w[k];
    }
    if (!(sum > 0.0)) return false;
    for (int k = 0; k < 3; k++) {
        if (w[k] < -1e-9 * sum) return false;
        w[k] = w[k] > 0.0 ? w[k] / sum : 0.0;
    }
    return true;
}

/* The same with the normal of either side. */
static bool project(const TnSoftSurface *s, const double *const x[3], const double n[3],
                    const double q[3], double w[3])
{
    double back[3] = {-n[0], -n[1], -n[2]};
    return tn_soft_project(x, n, q, w) || (s->sheet && tn_soft_project(x, back, q, w));
}

double tn_soft_point_triangle(const double p[3], const double *const x[3])
{
    double e[3], f[3], n[3], d[3], w[3], best = INFINITY;
    v3_sub(e, x[1], x[0]);
    v3_sub(f, x[2], x[0]);
    v3_cross(n, e, f);
    if (tn_soft_project(x, n, p, w)) {
        v3_sub(d, p, x[0]);
        double height = v3_dot(n, d);
        return height * height / v3_dot(n, n);
    }
    for (int k = 0; k < 3; k++) {
        v3_sub(e, x[(k + 1) % 3], x[k]);
        v3_sub(d, p, x[k]);
        v3_add_scaled(d, e, -fmin(1.0, fmax(0.0, v3_dot(d, e) / v3_dot(e, e))));
        best = fmin(best, v3_dot(d, d));
    }
    return best;
}

/* A point below a triangle with normal n is nearer to another part of the surface. */
static bool came_elsewhere(const Facets *f, int triangle, const double n[3], const double p[3],
                           double depth)
{
    const TnSoftSurface *s = f->s;
    double near = NEARER * depth;
    for (int i = 0; i < f->found; i++) {
        int other = s->found[i];
        const int32_t *c = s->triangles[other];
        const double *x[3] = {s->x[c[0]], s->x[c[1]], s->x[c[2]]};
        double m[3];
        if (other == triangle || tn_soft_point_triangle(p, x) > near * near) continue;
        tn_soft_triangle_normal(s, other, m);
        if (v3_dot(n, m) > OPPOSITE) return true;
    }
    return false;
}

/* `share`: m. */
static void face(Facets *f, int triangle, double share)
{
    const TnSoftSurface *s = f->s;
    const int32_t *corner = s->triangles[triangle];
    const double *x[3] = {s->x[corner[0]], s->x[corner[1]], s->x[corner[2]]};
    FacePoint p = {.triangle = triangle};
    TnFace points;
    double back[3], deepest = s->depths[triangle] + f->core;
    tn_soft_triangle_normal(s, triangle, p.n);
    if (s->sheet) { /* the side that the geom is on */
        double d[3];
        v3_sub(d, f->geom.at->pos, x[0]);
        if (v3_dot(d, p.n) < 0.0) v3_scale(p.n, p.n, -1.0);
    }
    v3_scale(back, p.n, -1.0);
    tn_face_loose(&f->geom, back, f->reach > 0.0 ? f->reach : 0.0, &points);
    for (int i = 0; i < points.count; i++) {
        double d[3], kept = 0.0;
        v3_sub(d, points.p[i], x[0]);
        double distance = v3_dot(p.n, d);
        p.gap = distance - s->radius;
        if (p.gap > f->reach || p.gap < -deepest || !project(s, x, p.n, points.p[i], p.weight))
            continue;
        for (int k = 0; k < 3; k++) kept += p.weight[k] * corner_distance(f, corner[k]);
        if (!forgive(kept, distance, share, &p.gap)) continue;
        if (distance < 0.0 && !s->sheet && came_elsewhere(f, triangle, p.n, points.p[i], -distance))
            continue;
        p.id = points.id[i] & 0xffffu;
        keep_face(f, &p);
    }
}

/* ---- edges ---- */

/* The unit direction from the edge into a triangle, across the edge's unit direction u. */
static void inward(const TnSoftSurface *s, int triangle, const int32_t edge[2], const double u[3],
                   double m[3])
{
    const int32_t *c = s->triangles[triangle];
    int third = c[0] != edge[0] && c[0] != edge[1]   ? c[0]
                : c[1] != edge[0] && c[1] != edge[1] ? c[1]
                                                     : c[2];
    v3_sub(m, s->x[third], s->x[edge[0]]);
    v3_add_scaled(m, u, -v3_dot(u, m));
    v3_normalize(m);
}

bool tn_soft_edge_outside(const TnSoftSurface *s, int edge, const double u[3], const double n[3],
                          double lean)
{
    double outward[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        double m[3], normal[3];
        int triangle = s->edge_triangles[edge][k];
        inward(s, triangle, s->edges[edge], u, m);
        if (v3_dot(n, m) > lean) return false;
        tn_soft_triangle_normal(s, triangle, normal);
        v3_add(outward, outward, normal);
    }
    return s->sheet || v3_dot(n, outward) > 0.0;
}

static void edge_contact(Facets *f, int edge)
{
    const TnSoftSurface *s = f->s;
    const int32_t *ends = s->edges[edge];
    double u[3], side[3], up[3], below, lowest, share;
    v3_sub(u, s->x[ends[1]], s->x[ends[0]]);
    double length = v3_normalize(u);
    bound(f, ends, 2, length, &below, &lowest, &share);
    if (!(below > share) || lowest - s->radius > f->reach) return;
    v3_tangents(u, side, up);
    TnShape shape = {.type = TN_GEOM_CAPSULE, .size = {s->radius, 0.5 * length, 0.0}};
    TnTransform at;
    for (int k = 0; k < 3; k++) {
        at.pos[k] = 0.5 * (s->x[ends[0]][k] + s->x[ends[1]][k]);
        at.rot[3 * k] = side[k];
        at.rot[3 * k + 1] = up[k];
        at.rot[3 * k + 2] = u[k];
    }
    TnManifold m;
    if (!tn_collide(&shape, &at, f->geom.shape, f->geom.at, f->reach, &m)) return;
    double best = INFINITY, along = 0.0;
    for (int i = 0; i < m.count; i++) {
        double d[3];
        v3_sub(d, m.points[i].pos, s->x[ends[0]]);
        double w = v3_dot(d, u) / length;
        if (m.points[i].gap >= best || w < TN_SOFT_NEAR_END || w > 1.0 - TN_SOFT_NEAR_END) continue;
        best = m.points[i].gap;
        along = w;
    }
    int owner = s->edge_triangles[edge][0];
    double kept = (1.0 - along) * corner_distance(f, ends[0]) + along * corner_distance(f, ends[1]);
    if (best == INFINITY || best < -(s->depths[owner] + f->core)) return;
    if (!forgive(kept, best + s->radius, share, &best)) return;
    if (!tn_soft_edge_outside(s, edge, u, m.normal, f->lean)) return;
    TnSoftPlace place = {.s = s,
                         .count = 2,
                         .node = {ends[0], ends[1]},
                         .triangle = owner,
                         .weight = {1.0 - along, along}};
    tn_soft_emit(f->e, &place, NULL, m.normal, best, TN_SOFT_EDGE | (uint32_t)edge);
}

void tn_soft_emit_facets(TnSoftEmitter *e, TnSoftSurface *s, int link, int found)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    Facets f = {.e = e,
                .s = s,
                .geom = {&c->shape[e->slot], &c->place[e->slot]},
                .found = found,
                .reach = e->margin + d->slack + d->t * (s->speed + c->slots[e->slot].speed)};
    bool round = f.geom.shape->type == TN_GEOM_SPHERE || f.geom.shape->type == TN_GEOM_ELLIPSOID;
    f.core = tn_core_radius(f.geom.shape);
    f.lean = round ? 1e-9 : TN_SOFT_LEAN;
    for (int i = 0; i < found; i++) {
        int triangle = s->found[i];
        const int32_t *corner = s->triangles[triangle];
        double below, lowest, share;
        bool held = false;
        for (int k = 0; k < 3; k++) held |= s->holders[corner[k]] == link;
        bound(&f, corner, 3, s->sizes[triangle], &below, &lowest, &share);
        if (!(below > share) || lowest - s->radius > f.reach) continue;
        if (!held) face(&f, triangle, share);
        for (int k = 0; k < 3; k++) {
            int edge = s->sides[triangle][k];
            const int32_t *ends = s->edges[edge];
            if (s->edge_done[edge] == s->query || s->holders[ends[0]] == link ||
                s->holders[ends[1]] == link)
                continue;
            s->edge_done[edge] = s->query;
            edge_contact(&f, edge);
        }
    }
    for (int i = 0; i < f.face_count; i++) {
        uint32_t ordinal = 0;
        for (int j = 0; j < i; j++) ordinal += f.faces[j].id == f.faces[i].id;
        emit_face(&f, &f.faces[i], ordinal);
    }
}
