/* chip_find.h: the first part of a step: the free motion of a world's bodies, where its slots are,
 * and which of them may meet.
 *
 * The engine's routines see a model with one body, or a collider with one or two slots. Each of
 * these is a variable of its own, in the function that calls the engine: so the compiler finds out
 * that most of it needs no memory. */
#ifndef TN_GPU_CHIP_FIND_H
#define TN_GPU_CHIP_FIND_H

#include "../batch/batch_contacts.h"
#include "../batch/batch_narrow.h"
#include "../batch/batch_step.h"
#include "chip_data.h"

namespace tn
{

/* ---- bodies ---- */

/* A free body as the only one of a model, with its rows. */
#define TN_ONE_BODY(i)                                                                             \
    TnModel model{};                                                                               \
    TnLink link;                                                                                   \
    TnJoint joint{};                                                                               \
    TnDynamicsInput in{};                                                                          \
    TnLinkFrame frame;                                                                             \
    TnRigidSystem system;                                                                          \
    take_body(b, s, i, &link, &in);                                                                \
    joint.type = TN_JOINT_FREE;                                                                    \
    model.links = &link;                                                                           \
    model.joints = &joint;                                                                         \
    for (int k = 0; k < 3; k++) model.option.gravity[k] = b.gravity[3 * (size_t)s.index + k];      \
    in.model = &model;                                                                             \
    read_frame(&link, in.qpos, &frame);                                                            \
    tn_rigid_assemble(&in, 0, &frame, &system);

TN_DEVICE inline const TnLink *link_of(const Worlds &b, const WorldHead &s, int body)
{
    return (b.own_links ? b.own_links + (size_t)s.index * (size_t)b.link_count : b.links) +
           b.body_link[body];
}

TN_DEVICE inline double *qpos_of(const Worlds &b, const WorldHead &s, int body)
{
    return b.qpos + (size_t)s.index * (size_t)b.qpos_count + b.body_qpos[body];
}

TN_DEVICE inline double *qvel_of(const Worlds &b, const WorldHead &s, int body)
{
    return b.qvel + (size_t)s.index * (size_t)b.dof_count + b.body_dof[body];
}

TN_DEVICE inline void take_body(const Worlds &b, const WorldHead &s, int i, TnLink *link,
                                TnDynamicsInput *in)
{
    *link = *link_of(b, s, i);
    in->t = s.t;
    in->theta = b.theta;
    in->qpos = qpos_of(b, s, i);
    in->qvel = qvel_of(b, s, i);
    link->joint_start = link->dof_start = 0;
}

TN_DEVICE inline void read_frame(const TnLink *link, const double *qpos, TnLinkFrame *frame)
{
    TnJoint joint{};
    TnLinkWalk walk{};
    joint.type = TN_JOINT_FREE;
    tn_link_walk_joint(&walk, &joint, qpos);
    tn_link_frame_from_walk(frame, link, &walk);
}

/* ---- slots ---- */

/* Of a body, at the end of the step without forces. */
TN_DEVICE inline void end_twist(const Worlds &b, const double v[6], const double v_free[6],
                                double out[6])
{
    for (int k = 0; k < 6; k++) out[k] = v[k] + (v_free[k] - v[k]) * b.per_theta;
}

/* A slot that is not a plane, on a link that is there and moves so; and its bounds over the step.
 */
TN_DEVICE inline void see_slot(const Worlds &b, const WorldHead &s, int slot,
                               const TnLinkFrame *frame, const double twist[6], TnSlot *own,
                               TnTransform *place, TnBounds *bounds)
{
    TnCollider collider;
    TnDetection d;
    double h[3];
    *own = b.slots[slot];
    own->link = 0;
    if (slot >= b.fixed_start) *place = b.places[slot];
    collider.model = b.model;
    collider.fixed_start = slot < b.fixed_start;
    collider.slots = own;
    collider.locals = (TnSlotLocal *)b.locals + slot;
    collider.shape = (TnShape *)b.shapes + slot;
    collider.place = place;
    collider.bounds = bounds;
    d.collider = &collider;
    d.frames = frame;
    d.twists = (const double(*)[6])twist;
    d.t = s.t;
    d.slack = slack_of(s);
    tn_bounds_place(&d, 0, h);
    tn_bounds_sweep(&d, 0, h);
}

TN_DEVICE inline void write_slot(const Worlds &b, const WorldHead &s, const Chip &c, int slot,
                                 const TnLinkFrame *frame, const double twist[6])
{
    TnSlot own;
    TnTransform place;
    TnBounds bounds;
    see_slot(b, s, slot, frame, twist, &own, &place, &bounds);
    c.balls[slot] = float4{bounds.c[0], bounds.c[1], bounds.c[2], bounds.r};
    c.boxes[slot] = float4{bounds.h[0], bounds.h[1], bounds.h[2],
                           own.shape_type == TN_GEOM_SPHERE ? 1.0f : 0.0f};
    if (slot < b.moving_count)
        for (int k = 0; k < 3; k++) c.movers.pos[k * b.moving_count + slot] = own.pos[k];
}

/* A body and its slots: most have one. */
TN_DEVICE inline void start_body(const Worlds &b, const WorldHead &s, const Chip &c, int i)
{
    TN_ONE_BODY(i)
    double inverse[7], A[7], twist[6];
    const Movers &out = c.movers;
    int n = b.body_count;
    inverse[0] = 1.0 / system.mass_rate;
    invert_sym3(system.inertia_rate, inverse + 1);
    pack_inertia(&system, A);
    for (int k = 0; k < 3; k++) out.com[k * n + i] = frame.com[k];
    for (int k = 0; k < 6; k++) {
        out.v[k * n + i] = (float)system.v[k];
        out.gain[k * n + i] = (float)(system.v_free[k] - system.v[k]);
    }
    for (int k = 0; k < 7; k++) {
        out.inverse[k * n + i] = (float)inverse[k];
        c.inertia[k * n + i] = (float)A[k];
    }
    end_twist(b, system.v, system.v_free, twist);
    for (int k = b.body_slot[i]; k < b.body_slot[i + 1]; k++)
        write_slot(b, s, c, b.slot_list[k], &frame, twist);
}

/* One that is led or fixed. */
TN_DEVICE inline void start_slot(const Worlds &b, const WorldHead &s, const Chip &c, int slot)
{
    TnLinkFrame frame;
    double twist[6];
    place_fixed(b, s, b.slots[slot].link, &frame, twist);
    write_slot(b, s, c, slot, &frame, twist);
}

/* Bodies, and slots that are led or fixed. */
TN_DEVICE_AND_HOST inline int started(const Worlds &b)
{
    return b.body_count + b.finite_count - b.moving_count;
}

/* Where all is. */
TN_DEVICE inline void start_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                 int w)
{
    block.once([&] {
        open_head(b, s, w);
        s.record_count = 0;
        s.softened = false;
    });
    block.each(started(b), [&](int i) {
        if (i < b.body_count)
            start_body(b, s, c, i);
        else
            start_slot(b, s, c, b.moving_count + i - b.body_count);
    });
}

/* ---- pairs ---- */

/* Places in shared memory. */
struct Search {
    float4 *balls, *boxes;
    uint32_t *masks; /* per moving slot and segment: what may meet it */
    int *mask_start; /* their pairs */
};

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_search(const Worlds &b, Search &f, char *pool)
{
    size_t slots = 32 * (size_t)b.segments, rows = (size_t)(b.moving_count * b.segments);
    Cursor c = {pool, 0};
    c.take(f.balls, slots);
    c.take(f.boxes, slots);
    c.take(f.masks, rows);
    c.take(f.mask_start, rows + 1);
    return c.used;
}

TN_DEVICE inline bool meets_plane(const Worlds &b, const WorldHead &s, const Chip &c,
                                  const Search &f, int slot, int plane)
{
    const TnTransform *place = &b.places[plane];
    const float4 h = f.boxes[slot];
    double n[3], away[3];
    m3_column(n, place->rot, 2);
    for (int k = 0; k < 3; k++) away[k] = c.movers.pos[k * b.moving_count + slot] - place->pos[k];
    double box = fabs(n[0]) * (double)h.x + fabs(n[1]) * (double)h.y + fabs(n[2]) * (double)h.z,
           ball = (double)f.balls[slot].w;
    return v3_dot(n, away) <=
           0.5 * slack_of(s) + b.locals[plane].bound_margin + (box < ball ? box : ball);
}

/* Which of the 32 slots from `first` on may meet this one. */
TN_DEVICE inline uint32_t find_partners(const Worlds &b, const WorldHead &s, const Chip &c,
                                        const Search &f, int slot, int first)
{
    uint32_t mask = 0, may = b.may_meet[slot * b.segments + first / 32];
    int end = first + 32 < b.slot_count ? first + 32 : b.slot_count;
    if (!may) return 0;
    const float4 own = f.balls[slot], h = f.boxes[slot];
    for (int k = first; k < end; k += 8) { /* there is room for 32 */
        TN_UNROLL
        for (int j = 0; j < 8; j++) {
            float4 o = f.balls[k + j];
            float x = o.x - own.x, y = o.y - own.y, z = o.z - own.z, reach = o.w + own.w;
            if (x * x + y * y + z * z <= reach * reach) mask |= 1u << (k + j - first);
        }
    }
    if (end > b.finite_count) { /* planes are no balls */
        int begin = b.finite_count > first ? b.finite_count - first : 0;
        mask &= (1u << begin) - 1u;
        for (int k = begin; k < end - first; k++)
            if (may >> k & 1 && meets_plane(b, s, c, f, slot, first + k)) mask |= 1u << k;
        end = b.finite_count;
    }
    mask &= may;
    for (uint32_t left = mask; left; left &= left - 1) { /* of spheres the ball is all */
        int k = first + bit_count((left & (0u - left)) - 1u);
        if (k >= end) break;
        float4 o = f.balls[k], g = f.boxes[k];
        bool round = h.w > 0.0f && g.w > 0.0f;
        if (!round && !(fabsf(o.x - own.x) <= g.x + h.x && fabsf(o.y - own.y) <= g.y + h.y &&
                        fabsf(o.z - own.z) <= g.z + h.z))
            mask &= ~(left & (0u - left));
    }
    return mask;
}

/* Of spheres that move freely, or of one and a plane. */
TN_DEVICE inline bool is_plain_pair(const Worlds &b, Two16 slots)
{
    bool moves = slots.b < b.moving_count;
    return b.slots[slots.a].shape_type == TN_GEOM_SPHERE &&
           (slots.b >= b.finite_count || (moves && b.slots[slots.b].shape_type == TN_GEOM_SPHERE));
}

/* In the order of their first slots. */
TN_DEVICE inline void find_pairs(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                 const Search &f)
{
    int rows = b.moving_count * b.segments;
    block.each(rows, [&](int i) { /* neighbours in a warp look at the same 32 */
                                  int slot = i % b.moving_count, segment = i / b.moving_count,
                                      at = slot * b.segments + segment;
                                  uint32_t mask = find_partners(b, s, c, f, slot, 32 * segment);
                                  f.masks[at] = mask;
                                  f.mask_start[at] = bit_count(mask);
    });
    block.scan(f.mask_start, rows);
    block.once([&] {
        s.pair_count = f.mask_start[rows];
        s.other_count = 0;
        if (s.pair_count > b.chip_pairs) s.stuck = true;
    });
    if (s.stuck) return;
    block.each(rows, [&](int i) {
        int slot = i / b.segments, first = 32 * (i % b.segments), at = f.mask_start[i];
        for (uint32_t left = f.masks[i]; left; left &= left - 1, at++) {
            int k = first + bit_count((left & (0u - left)) - 1u);
            c.pairs[at] = Two16{(uint16_t)slot, (uint16_t)k};
            if (!is_plain_pair(b, c.pairs[at]))
                c.others[atomic_add(&s.other_count, 1)] = (uint16_t)at;
        }
    });
}

/* A world that does not fit is stuck, here or later: nothing changes. */
TN_DEVICE inline void find_part(const Block &block, const Worlds &b, ChipHead &s, const Chip &c,
                                char *pool)
{
    Search f;
    lay_out_search(b, f, pool);
    block.each(b.finite_count, [&](int slot) {
        f.balls[slot] = c.balls[slot];
        f.boxes[slot] = c.boxes[slot];
    });
    find_pairs(block, b, s, c, f);
}

} // namespace tn
#endif
