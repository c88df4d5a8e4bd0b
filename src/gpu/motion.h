/* motion.h: the smooth motion of free bodies, by the engine's own subsystem/free. */
#ifndef TN_GPU_MOTION_H
#define TN_GPU_MOTION_H

#include "balance.h"
#include "broad.h"
#include "rows.h"

namespace tn
{

#define TN_BODY_REGISTERS 128 /* of a thread that moves a body */
#define TN_BODY_THREADS 64    /* of a block of such */

typedef Numbers<6> Twist;
typedef Numbers8<7> Place; /* in qpos */
typedef Numbers8<6> Rate;  /* in qvel */

/* Place, swept box and cell of the one geom of a body, as bounds.c has them. */
TN_DEVICE inline void place_geom(const Base &s, int index, TnSlot slot, const TnSlotLocal &local,
                                 const TnLinkFrame &frame, const double twist[6], bool whole,
                                 char *room)
{
    typedef Numbers<8> Head; /* of a slot: what a step changes */
    static_assert(sizeof(Head) == offsetof(TnSlot, type_mask), "the rest is constant");
    const TnCollider *c = s.collider;
    Head head;
    TnTransform place;
    Box bounds;
    double h[3];
    place_on_of_bounds(c, &slot, &local, &frame, &place);
    half_box_of_bounds(&c->shape[index], place.rot, local.half_extent, h);
    set_velocity_of_bounds(&slot, &local, frame.com, twist);
    double grow = 0.5 * s.slack + local.bound_margin + s.t * slot.speed;
    sweep_by_of_bounds(&slot, &local, index, h, grow, &bounds);
    if (s.some_hard) { /* else not needed */
        if (slot.shape_type == TN_GEOM_SPHERE)
            v3_copy(c->place[index].pos, place.pos);
        else
            c->place[index] = place;
    }
    memcpy(&head, &slot, sizeof head);
    store_row((Head *)&c->slots[index], head, whole, room);
    store_row((Box *)&c->bounds[index], bounds, whole, room);
    enter_cell(s, index, bounds);
}

/* What the smooth motion of a body asks for of its link. */
TN_DEVICE inline TnLink link_of(const Base &s, int i)
{
    TnLink link;
    int n = s.body_count;
    const double *from = s.body_mass + i;
    link.mass = from[0];
    for (int k = 0; k < 3; k++) link.com[k] = from[(1 + k) * n];
    for (int k = 0; k < 3; k++) link.inertia_principal[k] = from[(4 + k) * n];
    for (int k = 0; k < 4; k++) link.inertia_axes[k] = from[(7 + k) * n];
    return link;
}

/* Frames, A and v_free of each body. */
inline void assemble(Queue &q, const Base &s)
{
    constexpr int stay = row_bytes<TnSlot>() + row_bytes<TnSlotLocal>(), pass = TN_ROW_BYTES;
    static_assert(row_bytes<Place>() + row_bytes<Rate>() + row_bytes<Twist>() <= pass, "they fit");
    each<TN_BODY_REGISTERS>(
        q, s.body_count, nullptr,
        [=] TN_DEVICE(int i) {
            bool whole = is_warp_whole(i, s.body_count);
            int l = s.body_link[i], index = s.one_each ? s.first_slot[i] : 0;
            RowLoads rows(row_room<stay + pass, TN_BODY_THREADS>(), whole);
            const TnSlot *slot = nullptr;
            const TnSlotLocal *local = nullptr;
            if (s.one_each) {
                slot = rows.fetch(&s.collider->slots[index]);
                local = rows.fetch(&s.collider->locals[index]);
            }
            char *room = rows.room; /* of what is read at once; then of what is stored */
            const Place *at = rows.fetch((const Place *)(s.qpos + s.body_qpos[i]));
            const Rate *moves = rows.fetch((const Rate *)(s.qvel + s.body_qvel[i]));
            const Twist *pushes = rows.fetch((const Twist *)s.wrench[l]);
            const TnLink link = link_of(s, i);
            rows.wait();
            const Place q = *at;
            const Rate rate = *moves;
            const Twist wrench = *pushes;
            all_of_warp(whole);
            TnLinkWalk walk;
            TnLinkFrame frame;
            TnRigidSystem system;
            Twist v, end;
            v3_copy(walk.pos, q.x);
            tn_unit_quat(walk.quat, q.x + 3);
            tn_link_frame_from_walk(&frame, &link, &walk);
            store_row(&s.frames[l], frame, whole, room);
            assemble_link_of_rigid(s.dynamics, &link, rate.x, nullptr, wrench.x, &frame, &system);
            for (int k = 0; k < 6; k++) {
                v.x[k] = system.v[k];
                end.x[k] = system.v[k] + (system.v_free[k] - system.v[k]) / s.theta;
            }
            store_row(&s.systems[i], system, whole, room);
            store_row((Twist *)s.twists[l], v, whole, room);
            store_row((Twist *)s.end_twists[l], end, whole, room);
            if (s.one_each) place_geom(s, index, *slot, *local, frame, end.x, whole, room);
        },
        TN_BODY_THREADS);
}

/* How far a link gets from where it was expected: from the twists between rest and what it would
 * have without contacts, since pairs are listed for whatever stops one of the two. In two ways, as
 * in step/missed.c: the second is seen from between what falls and what rests. */
TN_DEVICE inline double surprise_of(const Base &s, int l, const double twist[6], double fallen)
{
    const double *expected = s.end_twists[l];
    double moved[3], linear[3], angular[3], radius = s.radius[l], r2 = radius * radius;
    v3_copy(moved, twist);
    v3_add_scaled(moved, s.gravity, fallen * s.t);
    double size = v3_dot(expected, expected) + r2 * v3_dot(expected + 3, expected + 3);
    double along = v3_dot(moved, expected) + r2 * v3_dot(twist + 3, expected + 3);
    double share = !(along > 0.0) ? 0.0 : along < size ? along / size : 1.0;
    v3_copy(linear, moved);
    v3_copy(angular, twist + 3);
    v3_add_scaled(linear, expected, -share);
    v3_add_scaled(angular, expected + 3, -share);
    return s.t * (v3_norm(linear) + v3_norm(angular) * radius);
}

TN_DEVICE inline void note_surprise(const Base &s, int l, const double moved[6])
{
    const double share = 0.55; /* of the way ahead that contacts are listed for, as there */
    int marks = 0;
    for (int k = 0; k < 2; k++)
        if (surprise_of(s, l, moved, 0.5 * k) > share * s.slack) {
            marks |= 1 << k;
            atomic_add(&s.outcome->judged.surprised[k], 1);
        }
    s.marks[l] = (uint8_t)marks;
    if (s.t * (v3_norm(moved) + v3_norm(moved + 3) * s.radius[l]) > share * s.slack)
        s.outcome->judged.moves = 1;
}

/* q⁺ and v⁺ beside the present state. */
template <class R> void advance(Queue &q, const View<R> &s)
{
    constexpr int read = row_bytes<TnRigidSystem>() + row_bytes<TnLinkFrame>() +
                         2 * row_bytes<Twist>(),
                  written = row_bytes<Place>();
    each<TN_BODY_REGISTERS>(
        q, s.body_count, nullptr,
        [=] TN_DEVICE(int r) {
            bool whole = is_warp_whole(r, s.body_count);
            int i = s.body_at[r], l = s.body_link[i];
            RowLoads rows(row_room<read + written, TN_BODY_THREADS>(), whole);
            const TnRigidSystem &system = *rows.fetch(&s.systems[i]);
            const TnLinkFrame &frame = *rows.fetch(&s.frames[l]);
            const double *wrench = rows.fetch((const Twist *)s.wrench[l])->x;
            const double *vhat = rows.fetch((const Twist *)(s.v_end + 6 * r))->x;
            const TnLink link = link_of(s, i);
            rows.wait();
            double way[6];
            Place qp;
            Rate qv;
            Twist moved;
            tn_rigid_way(s.dynamics, system.v, vhat, s.pushed[r] ? 1.0 : 0.0, 1.0, way);
            advance_link_of_rigid(s.dynamics, &link, wrench, &frame, &system, vhat, way, qp.x,
                                  qv.x);
            for (int k = 0; k < 6; k++) moved.x[k] = way[k] / s.t;
            store_row((Place *)(s.next_qpos + s.body_qpos[i]), qp, whole, rows.room);
            store_row((Rate *)(s.next_qvel + s.body_qvel[i]), qv, whole, rows.room);
            store_row((Twist *)s.moved[l], moved, whole, rows.room);
            note_surprise(s, l, moved.x);
            open_account(s, r, link, system, wrench, way, qp.x, qv.x);
            for (int k = 0; k < 7; k++)
                if (!(fabs(qp.x[k]) < 1e10) || (k < 6 && !(fabs(qv.x[k]) < 1e10)))
                    s.outcome->judged.bad = 1;
        },
        TN_BODY_THREADS);
}

} // namespace tn
#endif
