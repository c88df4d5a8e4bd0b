/* motion.h: the smooth motion of free bodies, by the engine's own dynamics/rigid. */
#ifndef TN_GPU_MOTION_H
#define TN_GPU_MOTION_H

#include "balance.h"
#include "broad.h"
#include "rows.h"

namespace tn
{

/* Place, swept box and cell of the one geom of a body, as bounds.c has them. */
TN_DEVICE inline void place_geom(const Base &s, int index, const TnLinkFrame &frame,
                                 const double twist[6], bool whole)
{
    typedef Numbers<8> Head; /* of a slot: what a step changes */
    static_assert(sizeof(Head) == offsetof(TnSlot, type_mask), "the rest is constant");
    const TnCollider *c = s.collider;
    TnSlot slot = load_row(&c->slots[index], whole);
    const TnSlotLocal local = load_row(&c->locals[index], whole);
    Head head;
    TnTransform place;
    Box bounds;
    double h[3];
    place_on_of_bounds(c, &slot, &local, &frame, &place);
    half_box_of_bounds(&c->shape[index], place.rot, local.half_extent, h);
    set_velocity_of_bounds(&slot, &local, frame.com, twist);
    double grow = 0.5 * s.slack + local.bound_margin + s.t * slot.speed;
    sweep_by_of_bounds(&slot, &local, index, h, grow, &bounds);
    if (s.some_hard) { /* else nobody asks */
        if (slot.shape_type == TN_GEOM_SPHERE)
            v3_copy(c->place[index].pos, place.pos);
        else
            c->place[index] = place;
    }
    memcpy(&head, &slot, sizeof head);
    store_row((Head *)&c->slots[index], head, whole);
    store_row((Box *)&c->bounds[index], bounds, whole);
    enter_cell(s, index, bounds);
}

typedef Numbers<6> Twist;
typedef Numbers8<7> Place; /* in qpos */
typedef Numbers8<6> Rate;  /* in qvel */

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
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        bool whole = is_warp_whole(i, s.body_count);
        int l = s.body_link[i];
        const TnLink link = link_of(s, i);
        const Place q = load_row((const Place *)(s.qpos + s.body_qpos[i]), whole);
        const Rate rate = load_row((const Rate *)(s.qvel + s.body_qvel[i]), whole);
        const Twist wrench = load_row((const Twist *)s.wrench[l], whole);
        TnLinkWalk walk;
        TnLinkFrame frame;
        TnRigidSystem system;
        Twist v, end;
        v3_copy(walk.pos, q.x);
        tn_unit_quat(walk.quat, q.x + 3);
        tn_link_frame_from_walk(&frame, &link, &walk);
        assemble_link_of_rigid(s.dynamics, &link, rate.x, wrench.x, &frame, &system);
        for (int k = 0; k < 6; k++) {
            v.x[k] = system.v[k];
            end.x[k] = system.v[k] + (system.v_free[k] - system.v[k]) / s.theta;
        }
        store_row(&s.frames[l], frame, whole);
        store_row(&s.systems[i], system, whole);
        store_row((Twist *)s.twists[l], v, whole);
        store_row((Twist *)s.end_twists[l], end, whole);
        if (s.one_each) place_geom(s, s.first_slot[i], frame, end.x, whole);
    });
}

/* How far a link gets from where it was expected: from the twists between rest and what it would
 * have without contacts, since pairs are listed for whatever stops one of the two. In two ways, as
 * in step/missed.c: the second is seen from between what falls and what rests. */
TN_DEVICE inline double surprise_of(const Base &s, int l, double fallen)
{
    const double *expected = s.end_twists[l];
    double moved[3], linear[3], angular[3], radius = s.radius[l], r2 = radius * radius;
    v3_copy(moved, s.moved[l]);
    v3_add_scaled(moved, s.gravity, fallen * s.t);
    double size = v3_dot(expected, expected) + r2 * v3_dot(expected + 3, expected + 3);
    double along = v3_dot(moved, expected) + r2 * v3_dot(s.moved[l] + 3, expected + 3);
    double share = !(along > 0.0) ? 0.0 : along < size ? along / size : 1.0;
    v3_copy(linear, moved);
    v3_copy(angular, s.moved[l] + 3);
    v3_add_scaled(linear, expected, -share);
    v3_add_scaled(angular, expected + 3, -share);
    return s.t * (v3_norm(linear) + v3_norm(angular) * radius);
}

TN_DEVICE inline void note_surprise(const Base &s, int l)
{
    const double share = 0.55; /* of the way ahead that contacts are listed for, as there */
    const double *moved = s.moved[l];
    int marks = 0;
    for (int k = 0; k < 2; k++)
        if (surprise_of(s, l, 0.5 * k) > share * s.slack) {
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
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int r) {
        int i = s.body_at[r], l = s.body_link[i];
        const double *vhat = s.v_end + 6 * r;
        const TnRigidSystem system = s.systems[i];
        const TnLinkFrame frame = s.frames[l];
        double way[6];
        tn_rigid_way(s.dynamics, system.v, vhat, s.pushed[r] ? 1.0 : 0.0, 1.0, way);
        double *qp = s.next_qpos + s.body_qpos[i], *qv = s.next_qvel + s.body_qvel[i];
        const TnLink link = link_of(s, i);
        advance_link_of_rigid(s.dynamics, &link, s.wrench[l], &frame, &system, vhat, way, qp, qv);
        for (int k = 0; k < 6; k++) s.moved[l][k] = way[k] / s.t;
        note_surprise(s, l);
        open_account(s, r, link, system, s.wrench[l], way, qp, qv);
        for (int k = 0; k < 7; k++)
            if (!(fabs(qp[k]) < 1e10) || (k < 6 && !(fabs(qv[k]) < 1e10)))
                s.outcome->judged.bad = 1;
    });
}

} // namespace tn
#endif
