/* boxes.h: contact points of two boxes.
 *
 * The axis is that of box_box.c. What manifold.c gets by clipping polygons in memory, a thread
 * finds here in registers: the incident face is p + α e + β f with α, β in [0, 1], the reference
 * face is |s| <= S, |t| <= T in two coordinates across the normal, and the corners of their
 * intersection are corners of the first (4), crossings of two sides (16), or corners of the second
 * (4). Of boxes that are nearest at edges or corners, the nearest points are those of two edges.
 * Pairs that move far are left to the general way. */
#ifndef TN_GPU_BOXES_H
#define TN_GPU_BOXES_H

#include "data.h"

namespace tn
{

#define TN_BOX_CORNERS 24
#define TN_BOX_WITNESS 24 /* one more: where the boxes are nearest */
#define TN_BOX_PLAY 1e-4  /* of the smaller extent, as in manifold.c */

typedef Axis_of_box_box BoxAxis;

/* Two faces against each other, or two parallel edges: then e is nothing, s is not asked for, and
 * the reference is an edge of a. */
struct BoxClip {
    bool reference_is_a;
    uint32_t candidates;     /* corners that there may be, a bit each */
    double p[3], e[3], f[3]; /* incident */
    uint32_t id, id_e, id_f; /* its corner p, and the bits of the others */
    double s, s_e, s_f, S;   /* first coordinate at p, along e and f */
    double t, t_e, t_f, T;
    double h, h_e, h_f;         /* height over the reference */
    uint32_t ref, ref_s, ref_t; /* its corner at -S, -T, and the bits of the others */
    double play, play_e, play_f;
};

TN_DEVICE inline double at_place(double x, double x_e, double x_f, double alpha, double beta)
{
    return x + alpha * x_e + beta * x_f;
}

/* The box's face that looks along a direction of the world: its axis, and its corners' bits. */
TN_DEVICE inline int face_towards(const TnPlaced &box, const double d[3], uint32_t *top,
                                  double *along)
{
    double local[3];
    m3_tmul_v(local, box.at->rot, d);
    int high = fabs(local[1]) > fabs(local[0]) ? 1 : 0;
    if (fabs(local[2]) > (high ? fabs(local[1]) : fabs(local[0]))) high = 2;
    *top = (local[0] >= 0.0 ? 1u : 0u) | (local[1] >= 0.0 ? 2u : 0u) | (local[2] >= 0.0 ? 4u : 0u);
    *along = high == 0 ? local[0] : high == 1 ? local[1] : local[2];
    return high;
}

TN_DEVICE inline bool is_tight(double along)
{
    return sqrt(fmax(0.0, 1.0 - along * along)) < TN_TIGHT;
}

/* A corner of a face across axis `high`, both other bits off; the face's sides. */
TN_DEVICE inline void corner_of_face(const TnPlaced &box, int high, uint32_t top, double p[3],
                                     double x[3], double y[3])
{
    const double *size = box.shape->size;
    int i = (high + 1) % 3, j = (high + 2) % 3;
    double z[3], up = top >> high & 1u ? size[high] : -size[high];
    m3_column(x, box.at->rot, i);
    m3_column(y, box.at->rot, j);
    m3_column(z, box.at->rot, high);
    for (int k = 0; k < 3; k++) p[k] = box.at->pos[k] + up * z[k] - size[i] * x[k] - size[j] * y[k];
}

/* One coordinate across n, that of side x: m is across the other side y and n. */
TN_DEVICE inline void coordinate(const BoxClip &c, const double centre[3], const double x[3],
                                 const double y[3], const double n[3], double half, double *at,
                                 double *along_e, double *along_f, double *limit)
{
    double m[3], d[3];
    v3_cross(m, y, n);
    v3_normalize(m);
    double side = v3_dot(m, x), sign = side < 0.0 ? -1.0 : 1.0;
    v3_sub(d, c.p, centre);
    *at = sign * v3_dot(m, d);
    *along_e = sign * v3_dot(m, c.e);
    *along_f = sign * v3_dot(m, c.f);
    *limit = half * fabs(side);
}

TN_DEVICE inline BoxClip clip_of(const TnPlaced &reference, const TnPlaced &incident,
                                 bool reference_is_a, const double n[3], double extent)
{
    BoxClip c;
    uint32_t top;
    double along, out[3], x[3], y[3], z[3], centre[3];
    c.reference_is_a = reference_is_a;
    c.candidates = (1u << TN_BOX_CORNERS) - 1;
    c.play = TN_BOX_PLAY * extent;
    v3_scale(out, n, reference_is_a ? -1.0 : 1.0);
    int high = face_towards(incident, out, &top, &along), i = (high + 1) % 3, j = (high + 2) % 3;
    corner_of_face(incident, high, top, c.p, c.e, c.f);
    double length_e = 2.0 * incident.shape->size[i], length_f = 2.0 * incident.shape->size[j];
    v3_scale(c.e, c.e, length_e);
    v3_scale(c.f, c.f, length_f);
    c.play_e = c.play / length_e;
    c.play_f = c.play / length_f;
    c.id_e = 1u << i;
    c.id_f = 1u << j;
    c.id = top & ~(c.id_e | c.id_f);

    v3_scale(out, n, reference_is_a ? 1.0 : -1.0);
    high = face_towards(reference, out, &top, &along);
    i = (high + 1) % 3;
    j = (high + 2) % 3;
    double half_x = reference.shape->size[i], half_y = reference.shape->size[j];
    corner_of_face(reference, high, top, centre, x, y);
    v3_add_scaled(centre, x, half_x);
    v3_add_scaled(centre, y, half_y);
    coordinate(c, centre, x, y, n, half_x, &c.s, &c.s_e, &c.s_f, &c.S);
    coordinate(c, centre, y, x, n, half_y, &c.t, &c.t_e, &c.t_f, &c.T);
    c.ref_s = 1u << i;
    c.ref_t = 1u << j;
    c.ref = top & ~(c.ref_s | c.ref_t);
    m3_column(z, reference.at->rot, high);
    double per = (reference_is_a ? 1.0 : -1.0) / v3_dot(z, n);
    v3_sub(x, c.p, centre);
    c.h = per * v3_dot(x, z);
    c.h_e = per * v3_dot(c.e, z);
    c.h_f = per * v3_dot(c.f, z);
    return c;
}

/* The box's edge that looks along a direction, if one is across it: its axis, else -1; *id: its
 * corner with the axis's bit off. */
TN_DEVICE inline int edge_towards(const TnPlaced &box, const double d[3], uint32_t *id)
{
    double local[3];
    m3_tmul_v(local, box.at->rot, d);
    int low = fabs(local[1]) <= fabs(local[0]) ? 1 : 0;
    double least = low ? fabs(local[1]) : fabs(local[0]);
    if (fabs(local[2]) <= least) low = 2, least = fabs(local[2]);
    *id = (local[0] >= 0.0 ? 1u : 0u) | (local[1] >= 0.0 ? 2u : 0u) | (local[2] >= 0.0 ? 4u : 0u);
    *id &= ~(1u << low);
    return least < TN_TIGHT ? low : -1;
}

/* An edge's middle, and half of it. */
TN_DEVICE inline double edge_of(const TnPlaced &box, int axis, uint32_t id, double p[3],
                                double u[3])
{
    const double *size = box.shape->size;
    double x = axis == 0 ? 0.0
               : id & 1u ? size[0]
                         : -size[0],
           y = axis == 1 ? 0.0
               : id & 2u ? size[1]
                         : -size[1],
           z = axis == 2 ? 0.0
               : id & 4u ? size[2]
                         : -size[2];
    const double local[3] = {x, y, z};
    m3_mul_v(p, box.at->rot, local);
    v3_add(p, p, box.at->pos);
    m3_column(u, box.at->rot, axis);
    return size[axis];
}

/* Edges of both that are parallel; without candidates where there are none. */
TN_DEVICE inline BoxClip clip_of_edges(const TnPlaced &a, const TnPlaced &b, const double n[3],
                                       double extent)
{
    BoxClip c{};
    double back[3], middle[3], u[3], m[3], across[3];
    v3_scale(back, n, -1.0);
    c.reference_is_a = true;
    c.play = TN_BOX_PLAY * extent;
    int i = edge_towards(a, n, &c.ref), j = edge_towards(b, back, &c.id);
    if (i < 0 || j < 0) return c;
    double half_a = edge_of(a, i, c.ref, middle, u), half_b = edge_of(b, j, c.id, c.p, c.f);
    v3_cross(m, u, c.f);
    if (v3_norm(m) > TN_TIGHT) return c;
    c.candidates = 1u << 0 | 1u << 2 | 1u << (4 + 9) | 1u << (4 + 11);
    v3_add_scaled(c.p, c.f, -half_b);
    v3_scale(c.f, c.f, 2.0 * half_b);
    c.id_f = 1u << j;
    c.ref_t = 1u << i;
    c.S = INFINITY;
    c.T = half_a;
    v3_sub(m, c.p, middle);
    c.t = v3_dot(u, m);
    c.t_f = v3_dot(u, c.f);
    v3_copy(across, n);
    v3_add_scaled(across, u, -v3_dot(n, u));
    double per = 1.0 / v3_dot(across, n);
    c.h = per * v3_dot(across, m);
    c.h_f = per * v3_dot(across, c.f);
    return c;
}

/* Where a side of the incident face crosses a side of the reference; bits as in box_corner. False:
 * it does not. */
TN_DEVICE inline bool side_crosses(const BoxClip &c, int bits, double *alpha, double *beta)
{
    bool of_t = bits & 1, along_f = bits & 8;
    double sign = bits & 2 ? 1.0 : -1.0, fixed = bits & 4 ? 1.0 : 0.0;
    double a0 = along_f ? fixed : 0.0, b0 = along_f ? 0.0 : fixed, a1 = along_f ? fixed : 1.0,
           b1 = along_f ? 1.0 : fixed;
    double x = of_t ? c.t : c.s, x_e = of_t ? c.t_e : c.s_e, x_f = of_t ? c.t_f : c.s_f,
           limit = of_t ? c.T : c.S;
    double d0 = sign * at_place(x, x_e, x_f, a0, b0) - limit,
           d1 = sign * at_place(x, x_e, x_f, a1, b1) - limit;
    bool in0 = d0 <= c.play, in1 = d1 <= c.play;
    if (in0 == in1 || (in0 ? d0 : d1) > -c.play) return false; /* an end may be the crossing */
    double share = d0 / (d0 - d1);
    *alpha = a0 + share * (a1 - a0);
    *beta = b0 + share * (b1 - b0);
    return true;
}

/* Corner k of the intersection: where it is on the incident face. False: there is none. *inside:
 * it is over the reference without play. */
TN_DEVICE inline bool box_corner(const BoxClip &c, int k, double *alpha, double *beta, bool *inside)
{
    *inside = true;
    if (k < 4) {
        *alpha = k & 1 ? 1.0 : 0.0;
        *beta = k & 2 ? 1.0 : 0.0;
        double s = fabs(at_place(c.s, c.s_e, c.s_f, *alpha, *beta)),
               t = fabs(at_place(c.t, c.t_e, c.t_f, *alpha, *beta));
        *inside = s <= c.S && t <= c.T;
        return s <= c.S + c.play && t <= c.T + c.play;
    }
    if (k < 20) { /* bits: which coordinate, its sign, which side, along e or f */
        int bits = k - 4;
        if (!side_crosses(c, bits, alpha, beta)) return false;
        if (!(bits & 1)) return fabs(at_place(c.t, c.t_e, c.t_f, *alpha, *beta)) <= c.T + c.play;
        double s = at_place(c.s, c.s_e, c.s_f, *alpha, *beta), x, y;
        if (fabs(s) <= c.S - c.play) return true;
        /* one at the reference's corner counts once */
        return fabs(s) <= c.S + c.play &&
               !(side_crosses(c, (bits & 12) | (s > 0.0 ? 2 : 0), &x, &y) &&
                 fabs(at_place(c.t, c.t_e, c.t_f, x, y)) <= c.T + c.play);
    }
    double s = (k & 1 ? c.S : -c.S) - c.s, t = (k & 2 ? c.T : -c.T) - c.t,
           det = c.s_e * c.t_f - c.s_f * c.t_e;
    *alpha = (s * c.t_f - t * c.s_f) / det;
    *beta = (c.s_e * t - c.t_e * s) / det;
    return *alpha > c.play_e && *alpha<1.0 - c.play_e && * beta> c.play_f && *beta < 1.0 - c.play_f;
}

/* The features that make corner k, as manifold.c names them. */
TN_DEVICE inline uint32_t name_of_corner(const BoxClip &c, int k)
{
    uint32_t mine = TN_FEATURE_NONE, theirs = TN_FEATURE_NONE;
    if (k == TN_BOX_WITNESS) return tn_feature(TN_FEATURE_WITNESS, TN_FEATURE_WITNESS);
    if (k < 4) {
        mine = tn_feature_vertex(c.id | (k & 1 ? c.id_e : 0u) | (k & 2 ? c.id_f : 0u));
    } else if (k < 20) {
        int bits = k - 4;
        uint32_t along = bits & 8 ? c.id_f : c.id_e, across = bits & 8 ? c.id_e : c.id_f;
        uint32_t start = c.id | (bits & 4 ? across : 0u);
        mine = tn_feature_edge(start, start | along);
        uint32_t fixed = bits & 1 ? c.ref_t : c.ref_s, other = bits & 1 ? c.ref_s : c.ref_t;
        start = c.ref | (bits & 2 ? fixed : 0u);
        theirs = other ? tn_feature_edge(start, start | other) : tn_feature_vertex(start);
    } else {
        theirs = tn_feature_vertex(c.ref | (k & 1 ? c.ref_s : 0u) | (k & 2 ? c.ref_t : 0u));
    }
    return c.reference_is_a ? tn_feature(theirs, mine) : tn_feature(mine, theirs);
}

/* A pair and the axis between its boxes, in the order of collide.c. */
struct BoxPair {
    const TnDetection *d;
    TnSlotPair pair;
    TnPlaced a, b;
    bool swapped;
    BoxAxis axis;
    double witness[3];      /* halfway between the nearest points */
    int facing_a, facing_b; /* axes along which they are apart the most; -1: along none */
    double allowed, reach, extent;
};

/* What is as near along n as it moves there is listed, as in emit_shapes.c. */
TN_DEVICE inline bool is_near(const BoxPair &p, const double pos[3], double gap)
{
    double n[3];
    if (!(gap <= p.reach)) return false;
    if (gap <= p.allowed) return true;
    v3_scale(n, p.axis.n, p.swapped ? -1.0 : 1.0);
    TnWhen start = {0.0, p.d->twists};
    return gap <= p.allowed + p.d->t * tn_closing_at(p.d, &p.pair, pos, n, start).most;
}

TN_DEVICE inline void emit_box_point(const BoxPair &p, TnEmitter *e, const double pos[3],
                                     double gap, uint32_t feature)
{
    double n[3];
    v3_scale(n, p.axis.n, p.swapped ? -1.0 : 1.0);
    if (p.swapped) feature = feature << 16 | feature >> 16;
    TnWhen start = {0.0, p.d->twists};
    tn_emit_point(e, &p.pair, pos, n, gap, gap, start, feature);
}

TN_DEVICE inline double place_of_corner(const BoxPair &p, const BoxClip &c, double alpha,
                                        double beta, double pos[3])
{
    double gap = fmax(p.axis.gap, at_place(c.h, c.h_e, c.h_f, alpha, beta));
    for (int i = 0; i < 3; i++)
        pos[i] = c.p[i] + alpha * c.e[i] + beta * c.f[i] -
                 0.5 * (c.reference_is_a ? gap : -gap) * p.axis.n[i];
    return gap;
}

/* Which corners count, a bit each. */
TN_DEVICE inline void choose_corners(const BoxPair &p, const BoxClip &c, uint32_t *chosen)
{
    double deepest = INFINITY, gap = p.axis.gap;
    for (int k = 0; k < TN_BOX_CORNERS; k++) {
        double alpha, beta, pos[3];
        bool inside;
        if (!(c.candidates >> k & 1u) || !box_corner(c, k, &alpha, &beta, &inside)) continue;
        double here = place_of_corner(p, c, alpha, beta, pos);
        deepest = fmin(deepest, here);
        if (is_near(p, pos, here)) *chosen |= 1u << k;
    }
    if (deepest > gap + 1e-6 * p.extent && is_near(p, p.witness, gap))
        *chosen |= 1u << TN_BOX_WITNESS;
}

/* The axis's own nearest points. False: they are farther apart than the axis says. */
TN_DEVICE inline bool find_witness(BoxPair *p)
{
    TnWitness w;
    double way[3];
    axis_witness_of_box_box(&p->a, &p->b, &p->axis, &w);
    v3_sub(way, w.b, w.a);
    for (int i = 0; i < 3; i++) p->witness[i] = 0.5 * (w.a[i] + w.b[i]);
    return p->axis.edge_a >= 0 && v3_norm(way) <= w.gap * (1.0 + 1e-6) + 1e-9 * p->extent;
}

/* The nearest points of two segments p + s u and q + t v, |s| <= half_a, |t| <= half_b. */
TN_DEVICE inline double segments_nearest(const double p[3], const double u[3], double half_a,
                                         const double q[3], const double v[3], double half_b,
                                         double *s, double *t)
{
    double r[3], d[3], uv = v3_dot(u, v), det = 1.0 - uv * uv;
    v3_sub(r, p, q);
    double ur = v3_dot(u, r), vr = v3_dot(v, r);
    auto clamp = [](double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; };
    *s = det > 1e-12 ? clamp((uv * vr - ur) / det, half_a) : 0.0;
    *t = clamp(vr + *s * uv, half_b);
    *s = clamp(*t * uv - ur, half_a);
    *t = clamp(vr + *s * uv, half_b);
    for (int k = 0; k < 3; k++) d[k] = q[k] + *t * v[k] - p[k] - *s * u[k];
    return v3_norm(d);
}

/* Edge `side` of 4 of the face across `axis`, of the side that is on in `top`. */
TN_DEVICE inline double edge_of_face(const TnPlaced &box, int axis, uint32_t top, int side,
                                     double p[3], double u[3])
{
    int along = (axis + 1 + (side & 1)) % 3, across = (axis + 2 - (side & 1)) % 3;
    return edge_of(box, along, (top & 1u << axis) | (side & 2 ? 1u << across : 0u), p, u);
}

/* Of boxes that are apart along an axis of each: the nearest points of their edges. The axis and
 * its gap become those where they are farther apart than it says. False: not known. */
TN_DEVICE inline bool find_nearest_edges(BoxPair *p)
{
    double d[3], local[3], best = INFINITY, from[3] = {0}, to[3] = {0};
    if (p->facing_a < 0 || p->facing_b < 0) return false;
    uint32_t top_a = 0, top_b = 0;
    v3_sub(d, p->b.at->pos, p->a.at->pos);
    m3_tmul_v(local, p->a.at->rot, d);
    for (int i = 0; i < 3; i++) top_a |= (local[i] >= 0.0 ? 1u : 0u) << i;
    m3_tmul_v(local, p->b.at->rot, d);
    for (int i = 0; i < 3; i++) top_b |= (local[i] >= 0.0 ? 0u : 1u) << i;
    for (int k = 0; k < 16; k++) {
        double x[3], u[3], y[3], v[3], s, t;
        double half_a = edge_of_face(p->a, p->facing_a, top_a, k & 3, x, u),
               half_b = edge_of_face(p->b, p->facing_b, top_b, k >> 2, y, v);
        double distance = segments_nearest(x, u, half_a, y, v, half_b, &s, &t);
        if (distance >= best) continue;
        best = distance;
        for (int i = 0; i < 3; i++) from[i] = x[i] + s * u[i], to[i] = y[i] + t * v[i];
    }
    if (!(best > p->axis.gap * (1.0 + 1e-6) + 1e-9 * p->extent)) return true;
    v3_sub(d, to, from);
    v3_scale(p->axis.n, d, 1.0 / best);
    p->axis.gap = best;
    for (int i = 0; i < 3; i++) p->witness[i] = 0.5 * (from[i] + to[i]);
    return true;
}

TN_DEVICE inline int largest_above_zero(double x, double y, double z)
{
    int best = x > 0.0 ? 0 : -1;
    double most = x > 0.0 ? x : 0.0;
    if (y > most) best = 1, most = y;
    return z > most ? 2 : best;
}

/* False: they are too far apart. */
TN_DEVICE inline bool find_box_axis(BoxPair *p)
{
    Pair_of_box_box pair;
    set_pair_of_box_box(&p->a, &p->b, &pair);
    p->axis.gap = -INFINITY;
    p->axis.edge_a = p->axis.edge_b = -1;
    try_faces_of_box_box(&pair, &p->axis);
    TN_UNROLL
    for (int k = 0; k < 9; k++) try_edges_of_box_box(&pair, k / 3, k % 3, &p->axis);
    double a[3], b[3];
    TN_UNROLL
    for (int i = 0; i < 3; i++) {
        a[i] = fabs(pair.da[i]) - pair.ha[i] - v3_dot(pair.hb, pair.size[i]);
        b[i] = fabs(pair.db[i]) - pair.hb[i] - pair.ha[0] * pair.size[0][i] -
               pair.ha[1] * pair.size[1][i] - pair.ha[2] * pair.size[2][i];
    }
    p->facing_a = largest_above_zero(a[0], a[1], a[2]);
    p->facing_b = largest_above_zero(b[0], b[1], b[2]);
    return p->axis.gap <= p->reach;
}

/* What is between the boxes across the axis. */
TN_DEVICE inline BoxClip clip_across(const BoxPair &p)
{
    double back[3], along_a, along_b;
    uint32_t top;
    v3_scale(back, p.axis.n, -1.0);
    (void)face_towards(p.a, p.axis.n, &top, &along_a);
    (void)face_towards(p.b, back, &top, &along_b);
    if (is_tight(along_a)) return clip_of(p.a, p.b, true, p.axis.n, p.extent);
    if (is_tight(along_b)) return clip_of(p.b, p.a, false, p.axis.n, p.extent);
    return clip_of_edges(p.a, p.b, p.axis.n, p.extent);
}

/* Whether the gap along the axis is that of the boxes: some point of one face is over the other, as
 * near as the axis says. Edges prove nothing. */
TN_DEVICE inline bool is_exact(const BoxPair &p, const BoxClip &c)
{
    for (int k = 0; k < TN_BOX_CORNERS && c.S < INFINITY; k++) {
        double alpha, beta, pos[3];
        bool inside;
        if (box_corner(c, k, &alpha, &beta, &inside) && inside &&
            place_of_corner(p, c, alpha, beta, pos) <= p.axis.gap * (1.0 + 1e-6) + 1e-9 * p.extent)
            return true;
    }
    return false;
}

/* No point of the box gets farther along n in the step, m. */
TN_DEVICE inline double farthest(const BoxPair &p, int slot, const double n[3])
{
    const TnSlot *at = &p.d->collider->slots[slot];
    double along = v3_dot(n, at->velocity) + (at->speed - v3_norm(at->velocity));
    return along > 0.0 ? p.d->t * along : 0.0;
}

/* They cannot come together along the axis, which is that of the smallest gap. */
TN_DEVICE inline bool stays_apart(const BoxPair &p)
{
    double n[3], back[3];
    v3_scale(n, p.axis.n, p.swapped ? -1.0 : 1.0);
    v3_scale(back, n, -1.0);
    return p.axis.gap > p.allowed + farthest(p, p.pair.slot1, n) + farthest(p, p.pair.slot2, back);
}

/* False: this is not the way. */
TN_DEVICE inline bool choose_points(BoxPair *p, BoxClip *clip, uint32_t *chosen)
{
    *chosen = 0;
    bool exact = find_witness(p) || p->axis.gap <= 0.0;
    *clip = clip_across(*p);
    if (!exact && !is_exact(*p, *clip)) {
        double was = p->axis.gap;
        if (!find_nearest_edges(p)) return false;
        if (p->axis.gap != was) *clip = clip_across(*p);
    }
    if (stays_apart(*p)) return true;
    choose_corners(*p, *clip, chosen);
    return true;
}

} // namespace tn
#endif
