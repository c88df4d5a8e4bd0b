/* quick_sweep.h: when two capsules or two boxes first touch within a step: the conservative
 * advancement of sweep.c with all numbers in registers. The gap of two boxes is that of the
 * separating axis test, along its axis: they are apart by no less, so an advance is as safe, and
 * they touch where it is nothing. */
#ifndef TN_GPU_QUICK_SWEEP_H
#define TN_GPU_QUICK_SWEEP_H

#include "data.h"

namespace tn
{

#define TN_SWEEP_ADVANCES 512

/* The motion of a shape: it turns about its link's centre of mass. */
struct Turning {
    double com[3], arm[3], velocity[3], axis[3], speed; /* of turning */
    TN_DEVICE Turning(const TnMover &m)
    {
        v3_copy(com, m.com);
        v3_sub(arm, m.start->pos, m.com);
        v3_copy(velocity, m.twist);
        speed = v3_norm(m.twist + 3);
        v3_scale(axis, m.twist + 3, speed > 0.0 ? 1.0 / speed : 0.0);
    }
};

/* The turning up to a time. */
struct Turned {
    const Turning &of;
    double time, sine, rest; /* sin and 1 - cos of the angle */
    TN_DEVICE Turned(const Turning &turning, double t) : of(turning), time(t)
    {
        double cosine;
        sincos(turning.speed * t, &sine, &cosine);
        rest = 1.0 - cosine;
    }
    TN_DEVICE void turn(const double x[3], double out[3]) const
    {
        double across[3], twice[3];
        v3_cross(across, of.axis, x);
        v3_cross(twice, of.axis, across);
        for (int k = 0; k < 3; k++) out[k] = x[k] + sine * across[k] + rest * twice[k];
    }
    TN_DEVICE void place(double out[3]) const
    {
        turn(of.arm, out);
        v3_add(out, out, of.com);
        v3_add_scaled(out, of.velocity, time);
    }
};

/* Gap and normal, from the first to the second, at a time. */
struct CapsuleGap {
    Turning a, b;
    double axis_a[3], axis_b[3], half_a, half_b, radii;
    TN_DEVICE CapsuleGap(const TnMover &x, const TnMover &y) : a(x), b(y)
    {
        m3_column(axis_a, x.start->rot, 2);
        m3_column(axis_b, y.start->rot, 2);
        half_a = x.shape->size[1], half_b = y.shape->size[1];
        radii = x.shape->size[0] + y.shape->size[0];
    }
    TN_DEVICE double operator()(double time, double n[3]) const
    {
        Turned first(a, time), second(b, time);
        Segment_of_capsule one, other;
        double s, t, p[3];
        first.place(one.centre);
        first.turn(axis_a, one.axis);
        one.half = half_a;
        second.place(other.centre);
        second.turn(axis_b, other.axis);
        other.half = half_b;
        nearest_of_capsule(&one, &other, &s, &t);
        point_at_of_capsule(&one, s, p);
        point_at_of_capsule(&other, t, n);
        v3_sub(n, n, p);
        double distance = v3_norm(n);
        v3_scale(n, n, distance > 0.0 ? 1.0 / distance : 0.0);
        return distance - radii;
    }
};

struct BoxGap {
    Turning a, b;
    const TnMover &x, &y;
    TN_DEVICE BoxGap(const TnMover &m, const TnMover &other) : a(m), b(other), x(m), y(other) {}
    TN_DEVICE static void place(const TnMover &m, const Turning &turning, double time,
                                TnTransform *out)
    {
        Turned turned(turning, time);
        turned.place(out->pos);
        TN_UNROLL
        for (int k = 0; k < 3; k++) {
            double was[3], column[3];
            m3_column(was, m.start->rot, k);
            turned.turn(was, column);
            for (int i = 0; i < 3; i++) out->rot[3 * i + k] = column[i];
        }
    }
    TN_DEVICE double operator()(double time, double n[3]) const
    {
        TnTransform at_a, at_b;
        Pair_of_box_box pair;
        Axis_of_box_box axis;
        place(x, a, time, &at_a);
        place(y, b, time, &at_b);
        TnPlaced placed_a = {x.shape, &at_a}, placed_b = {y.shape, &at_b};
        set_pair_of_box_box(&placed_a, &placed_b, &pair);
        axis.gap = -INFINITY;
        try_faces_of_box_box(&pair, &axis);
        TN_UNROLL
        for (int k = 0; k < 9; k++) try_edges_of_box_box(&pair, k / 3, k % 3, &axis);
        v3_copy(n, axis.n);
        return axis.gap;
    }
};

/* How fast turning can close a gap along n: by the farthest that the shape reaches. tn_sweep has a
 * closer bound, by the shape itself, which would take registers here. */
TN_DEVICE inline double widest_swing(const TnMover &m, const double n[3])
{
    double d[3];
    v3_cross(d, n, m.twist + 3);
    return v3_norm(d) * m.reach;
}

/* As tn_sweep, without the places where they meet. */
template <class G>
TN_DEVICE inline TnPassing sweep_with(const G &gap_at, const TnMover &a, const TnMover &b, double t,
                                      double near, bool look_on, double *time)
{
    double now = 0.0, touch = TN_TOUCHING * fmin(a.thinness, b.thinness), n[3], v[3];
    TnPassing passing = TN_STAYS_APART;
    v3_sub(v, a.twist, b.twist);
    near = fmax(near, touch);
    for (int k = 0; k < TN_SWEEP_ADVANCES; k++) {
        double gap = gap_at(now, n);
        double closing = v3_dot(n, v) + widest_swing(a, n) + widest_swing(b, n);
        if (gap <= near) passing = TN_PASSES_BY;
        if (gap <= touch) {
            double next =
                closing > 0.0 ? fmin(t, now + (gap + TN_SWEEP_LOOK_ON * touch) / closing) : t;
            *time = now;
            if (!look_on || gap_at(next, n) <= -touch) return TN_MEETS;
            now = next;
            if (now < t) continue;
            *time = t; /* it touches then, or has passed along */
            return closing > 0.0 ? TN_MEETS : TN_PASSES_BY;
        }
        double wanted = passing == TN_PASSES_BY ? touch : near;
        if (!(closing * (t - now) > gap - wanted)) return passing;
        now += fmax(gap - wanted + 0.5 * touch, 0.0) / closing;
    }
    *time = now; /* nearly: what is left of the gap is small beside the way */
    return TN_MEETS;
}

} // namespace tn

/* As tn_sweep; other pairs go that way. */
__device__ __noinline__ inline TnPassing tn_quick_sweep(const TnMover *a, const TnMover *b,
                                                        double t, double near, bool look_on,
                                                        const TnManifold *start, double *time,
                                                        TnTransform at[2])
{
    TnPassing passing;
    TnGeomType type = a->shape->type;
    bool same = type == b->shape->type;
    if (same && type == TN_GEOM_CAPSULE)
        passing = tn::sweep_with(tn::CapsuleGap(*a, *b), *a, *b, t, near, look_on, time);
    else if (same && type == TN_GEOM_BOX)
        passing = tn::sweep_with(tn::BoxGap(*a, *b), *a, *b, t, near, look_on, time);
    else
        return tn_sweep(a, b, t, near, look_on, start, time, at);
    if (passing == TN_MEETS) {
        tn_mover_at(a, *time, &at[0]);
        tn_mover_at(b, *time, &at[1]);
    }
    return passing;
}

#endif
