/* chip_touch.h: contacts of the pairs that chip_find.h found, as records of the iteration. */
#ifndef TN_GPU_CHIP_TOUCH_H
#define TN_GPU_CHIP_TOUCH_H

#include "chip_find.h"

namespace tn
{

/* Two slots as the engine sees a collider, a detection and a list of points. */
#define TN_COUPLE(slots, list, room)                                                               \
    TnSlot two[2];                                                                                 \
    TnTransform places[2];                                                                         \
    TnLinkFrame frames[2]; /* only com */                                                          \
    double twists[2][6];                                                                           \
    TnSlotPair pair{};                                                                             \
    TnCollider collider;                                                                           \
    TnDetection d;                                                                                 \
    TnEmitter e{};                                                                                 \
    take_slot<all>(b, s, near.movers, slots.a, 0, &two[0], &places[0], &frames[0], twists[0]);     \
    take_slot<all>(b, s, near.movers, slots.b, 1, &two[1], &places[1], &frames[1], twists[1]);     \
    pair.slot2 = 1;                                                                                \
    pair.explicit_pair = -1;                                                                       \
    pair.margin = two[0].margin + two[1].margin;                                                   \
    pair.least = -INFINITY;                                                                        \
    pair.together = INFINITY;                                                                      \
    collider.slots = two;                                                                          \
    collider.place = places;                                                                       \
    collider.fixed_start = slots.b < b.fixed_start ? 2 : 1;                                        \
    collider.surfaces = surfaces_of(b, s.index);                                                   \
    d.collider = &collider;                                                                        \
    d.frames = frames;                                                                             \
    d.twists = twists;                                                                             \
    d.t = s.t;                                                                                     \
    d.slack = slack_of(s);                                                                         \
    d.alone = true;                                                                                \
    d.touching = TN_TOUCHING;                                                                      \
    d.far = TN_FAR;                                                                                \
    e.detection = &d;                                                                              \
    e.surface1 = e.surface2 = -1;                                                                  \
    e.points = list;                                                                               \
    e.capacity = room;

/* What the contacts of a world read of it, in shared memory or where it lies. */
struct Near {
    Movers movers;
    const int *old_first, *old_end; /* as in Worlds */
};

TN_DEVICE inline Near near_where_it_lies(const Worlds &b, const WorldHead &s, const Chip &c)
{
    size_t row = (size_t)s.index * (size_t)b.geom_count;
    return Near{c.movers, b.old_first + row, b.old_end + row};
}

/* Number i of so many planes. */
template <int N, class T>
TN_DEVICE inline void take_planes(double out[N], const T *in, int apart, int i)
{
    TN_UNROLL
    for (int k = 0; k < N; k++) out[k] = (double)in[k * apart + i];
}

/* The motion of a body at a point of it: v of the step's start, and v_free less v. */
struct BodyMotion {
    double v[6], gain[6];
};

TN_DEVICE inline BodyMotion motion_of_body(const Worlds &b, const Movers &m, int body)
{
    BodyMotion out;
    take_planes<6>(out.v, m.v, b.body_count, body);
    take_planes<6>(out.gain, m.gain, b.body_count, body);
    return out;
}

/* At the end of the step without forces. */
TN_DEVICE inline void end_of(const Worlds &b, const BodyMotion &motion, double twist[6])
{
    for (int k = 0; k < 6; k++) twist[k] = motion.v[k] + motion.gain[k] * b.per_theta;
}

/* A sphere that moves freely is where chip_find.h left it. `all`: the other slot may be anything.
 */
template <bool all>
TN_DEVICE inline void take_slot(const Worlds &b, const WorldHead &s, const Movers &m, int slot,
                                int at, TnSlot *to, TnTransform *place, TnLinkFrame *frame,
                                double twist[6])
{
    const TnSlot *from = &b.slots[slot];
    int body = b.slot_body[slot];
    if (slot >= b.finite_count) {
        *place = b.places[slot];
    } else if (!all || (slot < b.moving_count && from->shape_type == TN_GEOM_SPHERE)) {
        double arm[3];
        end_of(b, motion_of_body(b, m, body), twist);
        take_planes<3>(to->pos, m.pos, b.moving_count, slot);
        take_planes<3>(frame->com, m.com, b.body_count, body);
        v3_sub(arm, to->pos, frame->com);
        point_velocity(to->velocity, twist, arm);
        to->speed = all ? v3_norm(to->velocity) : INFINITY; /* two balls meet already */
        to->radius = from->radius;
        if (all) v3_copy(place->pos, to->pos);
    } else {
        TnBounds bounds;
        if (body < b.body_count) {
            read_frame(link_of(b, s, body), qpos_of(b, s, body), frame);
            end_of(b, motion_of_body(b, m, body), twist);
        } else if (slot < b.fixed_start) {
            place_fixed(b, s, from->link, frame, twist);
        }
        see_slot(b, s, slot, frame, twist, to, place, &bounds);
    }
    to->geom = from->geom;
    to->surface = from->surface;
    to->piece = from->piece;
    to->margin = from->margin;
    to->link = at;
}

TN_DEVICE inline TnSurface *surfaces_of(const Worlds &b, int w)
{
    return (TnSurface *)(b.own_surfaces ? b.own_surfaces + (size_t)w * (size_t)b.geom_count
                                        : b.surfaces);
}

/* Adds the motion of a body at a contact. */
TN_DEVICE inline void add_motion(const Worlds &b, const Movers &m, int body, const double arm[3],
                                 double sign, double v[3], double gain[3])
{
    const BodyMotion motion = motion_of_body(b, m, body);
    double own[3];
    point_velocity(own, motion.v, arm);
    v3_add_scaled(v, own, sign);
    point_velocity(own, motion.gain, arm);
    v3_add_scaled(gain, own, sign);
}

TN_DEVICE inline void touch_compliance(const Worlds &b, const Movers &m, int body,
                                       const double arm[3], const double n[3], float out[2])
{
    const float p[3] = {(float)arm[0], (float)arm[1], (float)arm[2]},
                axis[3] = {(float)n[0], (float)n[1], (float)n[2]};
    float inverse[7];
    TN_UNROLL
    for (int k = 0; k < 7; k++) inverse[k] = m.inverse[k * b.body_count + body];
    compliance<float>(inverse, p, axis, out);
}

/* A contact as a record; led: the motion of what carries the second slot, if it is led. */
TN_DEVICE inline void write_touch(const Worlds &b, const WorldHead &s, const Chip &c,
                                  const Near &near, int i, Two16 slots, const TnContactPoint &p,
                                  const double led[6])
{
    const Movers &m = near.movers;
    const double *n = p.normal, *pa = p.arm1, *pb = p.arm2;
    int first = b.slot_body[slots.a], second = b.slot_body[slots.b];
    bool both = second < b.body_count;
    double v[3] = {0.0, 0.0, 0.0}, gain[3] = {0.0, 0.0, 0.0}, v_end[3], e[3], last[3], give[3];
    float Ca[2], Cb[2] = {0.0f, 0.0f};
    if (!both && slots.b < b.fixed_start) point_velocity(v, led, pb);
    add_motion(b, m, first, pa, -1.0, v, gain);
    touch_compliance(b, m, first, pa, n, Ca);
    if (both) {
        add_motion(b, m, second, pb, 1.0, v, gain);
        touch_compliance(b, m, second, pb, n, Cb);
    }
    StepLaw law = {s.t,     b.theta, b.stabilization, s.gravity_size,
                   nullptr, nullptr, nullptr,         nullptr};
    for (int k = 0; k < 3; k++) v_end[k] = v[k] + gain[k] * b.per_theta;
    shift_at_speed(law, p.gap, n, v, v_end, 0.0, e); /* only without gravity a size matters */
    force_before(b, s, &p, near.old_first[p.geom1], near.old_end[p.geom1], last);
    const Weights<float> w = weights_of<float>(b, s.ratio, both, Ca, Cb);
    give_of(s.ratio, w.D, n, last, give);
    for (int k = 0; k < 3; k++) e[k] += give[k] + v[k] + gain[k];
    float share = (float)b.warm_start, mu = p.dim == 1 ? 0.0f : (float)p.friction[0];
    c.arm_a[i] = float4{(float)pa[0], (float)pa[1], (float)pa[2], w.B[0]};
    c.arm_b[i] = float4{(float)pb[0], (float)pb[1], (float)pb[2], w.B[1]};
    c.normal[i] = float4{(float)n[0], (float)n[1], (float)n[2], mu};
    c.total[i] = float4{(float)e[0], (float)e[1], (float)e[2], (float)-fmax(p.gap, p.clearance)};
    c.lambda[i] =
        float4{share * (float)last[0], share * (float)last[1], share * (float)last[2], 0.0f};
    c.beta[i] = float4{w.beta[0], w.beta[1], w.beta[2], w.beta[3]};
    c.key[i] = warm_key(&p);
    c.key_geom[i] = p.geom1;
    if (s.ratio > 0.0) c.given[i] = float4{(float)give[0], (float)give[1], (float)give[2], 0.0f};
}

/* The records of a pair, if there is room. */
TN_DEVICE inline void write_touches(const Worlds &b, ChipHead &s, const Chip &c, const Near &near,
                                    int pair, Two16 slots, const TnContactPoint *points, int count,
                                    const double led[6])
{
    int first = count ? atomic_add(&s.record_count, count) : 0;
    c.touches[pair] = Two16{(uint16_t)first, (uint16_t)count};
    if (first + count > b.chip_contacts) return;
    for (int k = 0; k < count; k++) write_touch(b, s, c, near, first + k, slots, points[k], led);
}

/* A plain pair touches at one point. */
TN_DEVICE inline void touch_plain(const Worlds &b, ChipHead &s, const Chip &c, const Near &near,
                                  int i)
{
    const bool all = false;
    const Two16 slots = c.pairs[i];
    TnContactPoint point;
    if (!is_plain_pair(b, slots)) return;
    TN_COUPLE(slots, &point, 1)
    if (slots.b < b.finite_count)
        tn_emit_spheres(&e, &pair);
    else
        tn_emit_sphere_plane(&e, &pair);
    write_touches(b, s, c, near, i, slots, &point, e.count, nullptr); /* none is led */
}

template <PairsOf of>
TN_DEVICE inline void touch_others(const Worlds &b, ChipHead &s, const Chip &c, const Near &near,
                                   int i)
{
    const bool all = true;
    const int room = of == WITH_SPHERE ? 1 : TN_MANIFOLD_MAX; /* a sphere touches once */
    const Two16 slots = c.pairs[i];
    TnContactPoint points[room];
    TN_COUPLE(slots, points, room)
    const TnShape shapes[2] = {b.shapes[slots.a], b.shapes[slots.b]};
    collider.shape = (TnShape *)shapes;
    if (of == ANY && shapes[0].type == TN_GEOM_SPHERE && shapes[1].type == TN_GEOM_SPHERE)
        tn_emit_spheres(&e, &pair); /* the second one is led or fixed */
    else
        emit_shapes<of>(&e, &pair);
    write_touches(b, s, c, near, i, slots, points, e.count < room ? e.count : room, twists[1]);
}

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_near(const Worlds &b, Near &near, char *pool)
{
    int *first, *end;
    Cursor c = {pool, lay_out_movers(b, near.movers, pool)};
    c.take(first, (size_t)b.geom_count);
    c.take(end, (size_t)b.geom_count);
    near.old_first = first;
    near.old_end = end;
    return c.used;
}

/* All pairs of spheres and planes. */
TN_DEVICE inline void touch_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                 char *pool)
{
    Near near;
    lay_out_near(b, near, pool);
    const Near from = near_where_it_lies(b, s, c);
    const float4 *movers = (const float4 *)c.movers.com;
    int fours = (int)(((const char *)near.old_first - pool) / (int)sizeof(float4));
    block.each(fours, [&](int i) { ((float4 *)pool)[i] = movers[i]; });
    block.each(b.geom_count, [&](int i) {
        ((int *)near.old_first)[i] = from.old_first[i];
        ((int *)near.old_end)[i] = from.old_end[i];
    });
    block.each(s.pair_count, [&](int i) { touch_plain(b, s, c, near, i); });
}

} // namespace tn
#endif
