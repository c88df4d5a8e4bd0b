/* grain_search.h: where the spheres of a world are, which of them may meet, and which do. */
#ifndef TN_GPU_GRAIN_SEARCH_H
#define TN_GPU_GRAIN_SEARCH_H

#include "batch_contacts.h"
#include "batch_narrow.h"
#include "grain_data.h"

namespace tn
{

/* A body as it is at the step's start. */
TN_DEVICE inline void read_frame(const WorldBase &s, int l, TnLinkFrame *frame)
{
    const TnLink *link = &s.model->links[l];
    const TnJoint *joint = &s.model->joints[link->joint_start];
    TnLinkWalk walk{};
    tn_link_walk_joint(&walk, joint, s.dynamics->qpos + joint->qpos_start);
    tn_link_frame_from_walk(frame, link, &walk);
}

TN_DEVICE inline void assemble_grain(const Worlds &b, ChipWorld &s, const Grains &c, int i)
{
    TnLinkFrame frame;
    TnRigidSystem system;
    double inertia[6], A[7];
    read_frame(s, b.body_link[i], &frame);
    tn_rigid_assemble(s.dynamics, b.body_link[i], &frame, &system);
    invert_sym3(system.inertia_rate, inertia);
    pack_inertia(&system, A);
    for (int k = 0; k < 6; k++) {
        c.v[6 * i + k] = system.v[k];
        c.v_free[6 * i + k] = system.v_free[k];
        c.inverse[7 * i + 1 + k] = (float)inertia[k];
    }
    c.inverse[7 * i] = (float)(1.0 / system.mass_rate);
    for (int k = 0; k < 7; k++) s.inertia[k * b.body_count + i] = (float)A[k];
}

/* Of a body, at the end of the step without forces. */
TN_DEVICE inline void end_twist(const ChipWorld &s, const Grains &c, int body, double out[6])
{
    const double *v = c.v + 6 * body, *v_free = c.v_free + 6 * body;
    for (int k = 0; k < 6; k++) out[k] = v[k] + (v_free[k] - v[k]) * s.per_theta;
}

/* The velocity of a sphere's centre then. */
TN_DEVICE inline void centre_velocity(const Grains &c, int slot, const double twist[6],
                                      double out[3])
{
    const float *o = c.offset + 3 * slot;
    const double arm[3] = {o[0], o[1], o[2]};
    point_velocity(out, twist, arm);
}

/* Its place, and the ball that holds it over the step: as tn_bounds_place and tn_bounds_sweep. */
TN_DEVICE inline void place_grain(const Worlds &b, const ChipWorld &s, const Grains &c, int slot)
{
    const TnSlot *own = &s.slots[slot];
    const TnSlotLocal *local = &b.collider->locals[slot];
    int body = b.link_body[own->link];
    TnLinkFrame frame;
    double pos[3], twist[6], velocity[3];
    read_frame(s, own->link, &frame);
    m3_mul_v(pos, frame.rot, local->pos);
    v3_add(pos, pos, frame.pos);
    v3_copy(c.pos + 3 * slot, pos);
    for (int k = 0; k < 3; k++) c.offset[3 * slot + k] = (float)(pos[k] - frame.com[k]);
    c.radius[slot] = own->radius;
    c.body[slot] = (uint16_t)body;
    end_twist(s, c, body, twist);
    centre_velocity(c, slot, twist, velocity);
    double rounding = 1.2e-7 * (fabs(pos[0]) + fabs(pos[1]) + fabs(pos[2])),
           grow = 0.5 * s.detection->slack + local->bound_margin + s.t * v3_norm(velocity);
    c.balls[slot] = float4{(float)pos[0], (float)pos[1], (float)pos[2],
                           (float)((own->radius + grow + rounding) * (1.0 + 1e-6))};
}

/* As partners, of a sphere. */
TN_DEVICE inline uint32_t partners_of_ball(const Worlds &b, const ChipWorld &s, const Grains &c,
                                           int slot, int first)
{
    uint32_t mask = 0, may = b.may_meet[slot * b.segments + first / 32];
    int end = first + 32 < b.slot_count ? first + 32 : b.slot_count,
        spheres = end < b.moving_count ? end : b.moving_count,
        boxes = end < b.finite_count ? end : b.finite_count;
    if (!may) return 0;
    const float4 own = c.balls[slot];
    int k = first;
    for (; k < spheres; k += 8) { /* there is room for 32 */
        TN_UNROLL
        for (int j = 0; j < 8; j++) {
            float4 o = c.balls[k + j];
            float x = o.x - own.x, y = o.y - own.y, z = o.z - own.z, reach = o.w + own.w;
            if (x * x + y * y + z * z <= reach * reach) mask |= 1u << (k + j - first);
        }
    }
    k = first > b.moving_count ? first : b.moving_count;
    const TnBounds box = {{own.x, own.y, own.z}, slot, {own.w, own.w, own.w}, own.w};
    for (; k < boxes; k++)
        if (tn_bounds_meet(&c.bounds[k], &box)) mask |= 1u << (k - first);
    for (; k < end; k++) {
        const TnTransform *plane = &b.collider->place[k];
        double n[3], away[3];
        m3_column(n, plane->rot, 2);
        v3_sub(away, c.pos + 3 * slot, plane->pos);
        if (v3_dot(n, away) <=
            0.5 * s.detection->slack + b.collider->locals[k].bound_margin + (double)own.w)
            mask |= 1u << (k - first);
    }
    return mask & may;
}

TN_DEVICE inline bool is_alike(const Worlds &b, const ChipWorld &s, Two16 slots)
{
    if (slots.b < b.moving_count) return true;
    TnGeomType type = s.slots[slots.b].shape_type;
    return type == TN_GEOM_SPHERE || type == TN_GEOM_PLANE;
}

/* Writes down one of those that are unlike, too. */
TN_DEVICE inline void list_pair(const Worlds &b, const ChipWorld &s, const Grains &c, Two16 *list,
                                int at, Two16 slots)
{
    list[at] = slots;
    if (!is_alike(b, s, slots)) c.unlike[atomic_add(c.unlike_count, 1)] = (uint16_t)at;
}

/* f of each of a list, true: of one that is unlike. Those come first: other threads need not wait
 * for them. */
template <class F>
TN_DEVICE inline void each_pair(const Block &block, const Worlds &b, const ChipWorld &s,
                                const Grains &c, const Two16 *list, int count, F f)
{
    int unlike = *c.unlike_count;
    block.each(unlike + count, [&](int k) {
        if (k < unlike)
            f(c.unlike[k], true);
        else if (is_alike(b, s, list[k - unlike]))
            f(k - unlike, false);
    });
}

/* Pairs whose balls and boxes meet, in the order of their first slots. */
TN_DEVICE inline void pair_grains(const Block &block, const Worlds &b, ChipWorld &s,
                                  const Grains &c)
{
    block.each(b.moving_count, [&](int slot) { place_grain(b, s, c, slot); });
    block.each(b.finite_count - b.moving_count, [&](int i) {
        double h[3];
        tn_bounds_place(s.detection, b.moving_count + i, h);
        tn_bounds_sweep(s.detection, b.moving_count + i, h);
    });
    int rows = b.moving_count * b.segments;
    block.each(rows, [&](int i) { /* neighbours in a warp look at the same 32 */
                                  int slot = i % b.moving_count, segment = i / b.moving_count,
                                      at = slot * b.segments + segment;
                                  uint32_t mask = partners_of_ball(b, s, c, slot, 32 * segment);
                                  c.masks[at] = mask;
                                  c.mask_start[at] = bit_count(mask);
    });
    block.scan(c.mask_start, rows);
    block.once([&] {
        s.pair_count = c.mask_start[rows];
        *c.unlike_count = 0;
        if (s.pair_count > s.pair_room) s.stuck = true;
    });
    if (s.stuck) return;
    block.each(rows, [&](int i) {
        int slot = i / b.segments, first = 32 * (i % b.segments), at = c.mask_start[i];
        for (uint32_t left = c.masks[i]; left; left &= left - 1)
            list_pair(
                b, s, c, c.pairs, at++,
                Two16{(uint16_t)slot, (uint16_t)(first + bit_count((left & (0u - left)) - 1u))});
    });
}

/* A sphere and another slot as the engine sees a collider, a detection and a list of points. Each a
 * variable of its own: so the compiler finds out that none needs memory. */
#define TN_COUPLE                                                                                  \
    TnSlot two[2];                                                                                 \
    TnLinkFrame frames[2]; /* only com */                                                          \
    double twists[2][6];                                                                           \
    TnSlotPair pair{};                                                                             \
    TnCollider collider;                                                                           \
    TnDetection d;                                                                                 \
    TnEmitter e{};                                                                                 \
    take_grain(s, c, slots.a, 0, &two[0], frames[0].com, twists[0]);                               \
    if (slots.b < b.moving_count)                                                                  \
        take_grain(s, c, slots.b, 1, &two[1], frames[1].com, twists[1]);                           \
    else                                                                                           \
        take_led(b, s, slots.b, &two[1], frames[1].com, twists[1]);                                \
    pair.slot2 = 1;                                                                                \
    pair.explicit_pair = -1;                                                                       \
    pair.margin = two[0].margin + two[1].margin;                                                   \
    pair.least = -INFINITY;                                                                        \
    pair.together = INFINITY;                                                                      \
    collider.slots = two;                                                                          \
    collider.fixed_start = slots.b < b.collider->fixed_start ? 2 : 1;                              \
    collider.surfaces = s.collider->surfaces;                                                      \
    d.collider = &collider;                                                                        \
    d.frames = frames;                                                                             \
    d.twists = twists;                                                                             \
    d.t = s.t;                                                                                     \
    d.slack = s.detection->slack;                                                                  \
    d.alone = true;                                                                                \
    d.touching = TN_TOUCHING;                                                                      \
    d.far = TN_FAR;                                                                                \
    e.detection = &d;                                                                              \
    e.surface1 = e.surface2 = -1;                                                                  \
    e.points = point;                                                                              \
    e.capacity = room;

TN_DEVICE inline void take_grain(const ChipWorld &s, const Grains &c, int slot, int at, TnSlot *to,
                                 double com[3], double twist[6])
{
    const TnSlot *from = &s.slots[slot];
    end_twist(s, c, c.body[slot], twist);
    v3_copy(to->pos, c.pos + 3 * slot);
    to->radius = c.radius[slot];
    centre_velocity(c, slot, twist, to->velocity);
    to->speed = INFINITY; /* their balls meet already */
    to->link = at;
    to->geom = from->geom;
    to->surface = from->surface;
    to->piece = from->piece;
    to->margin = from->margin;
    for (int k = 0; k < 3; k++) com[k] = to->pos[k] - (double)c.offset[3 * slot + k];
}

/* What does not move freely. */
TN_DEVICE inline void take_led(const Worlds &b, const ChipWorld &s, int slot, TnSlot *to,
                               double com[3], double twist[6])
{
    const TnSlot *from = &s.slots[slot];
    int link = from->link;
    v3_copy(to->pos, from->pos);
    to->radius = from->radius;
    v3_copy(to->velocity, from->velocity);
    to->speed = from->speed;
    to->link = 1;
    to->geom = from->geom;
    to->surface = from->surface;
    to->piece = from->piece;
    to->margin = from->margin;
    if (slot >= b.collider->fixed_start) return;
    v3_copy(com, s.frames[link].com);
    for (int k = 0; k < 6; k++) twist[k] = s.end_twists[link][k];
}

/* Writes the point of a sphere with another one or with a plane; returns whether there is one. */
TN_DEVICE inline int look_at_alike(const Worlds &b, const ChipWorld &s, const Grains &c,
                                   Two16 slots, TnContactPoint *point, int room)
{
    TN_COUPLE
    if (slots.b < b.finite_count) {
        tn_emit_spheres(&e, &pair);
    } else {
        collider.place = (TnTransform *)b.collider->place + (slots.b - 1);
        tn_emit_sphere_plane(&e, &pair);
    }
    return e.count;
}

/* Of a sphere with anything else. */
TN_DEVICE inline int look_at_unlike(const Worlds &b, const ChipWorld &s, const Grains &c,
                                    Two16 slots, TnContactPoint *point, int room)
{
    TN_COUPLE
    const TnShape shapes[2] = {b.collider->shape[slots.a], b.collider->shape[slots.b]};
    TnTransform places[2];
    two[0].speed = v3_norm(two[0].velocity);
    v3_copy(places[0].pos, two[0].pos);
    places[1] = s.place[slots.b];
    collider.shape = (TnShape *)shapes;
    collider.place = places;
    emit_shapes<WITH_SPHERE>(&e, &pair);
    return e.count;
}

/* The pairs that have a contact, in their order. A sphere touches anything at one point. */
TN_DEVICE inline void list_touching(const Block &block, const Worlds &b, ChipWorld &s,
                                    const Grains &c)
{
    each_pair(block, b, s, c, c.pairs, s.pair_count, [&](int i, bool unlike) {
        c.pair_at[i] = unlike ? look_at_unlike(b, s, c, c.pairs[i], nullptr, 0)
                              : look_at_alike(b, s, c, c.pairs[i], nullptr, 0);
    });
    block.scan(c.pair_at, s.pair_count);
    block.once([&] {
        s.contact_count = c.pair_at[s.pair_count];
        *c.unlike_count = 0;
        if (s.contact_count > s.contact_room) s.stuck = true;
    });
    if (s.stuck) return;
    block.each(s.pair_count, [&](int i) {
        if (c.pair_at[i + 1] > c.pair_at[i])
            list_pair(b, s, c, c.touching, c.pair_at[i], c.pairs[i]);
    });
}

} // namespace tn
#endif
