/* narrow.cu: from pairs to contact points, by the engine's own collision/emit_….
 *
 * Pairs are sorted out: spheres with spheres and planes are done in place, boxes in registers
 * (boxes.h), those with a closed form by that (plain.h, quick.h), and all others by the general
 * way, which needs much memory per thread.
 * Each pair is looked at once; points of the latter two go to any free place, and from there to
 * their place in the order of the pairs, which is known when all are counted. */
#include "boxes.h"
#include "in_order.h"
#include "quick.h"
#include "round.h"
#include "rows.h"

namespace tn
{

#define KEPT 8 /* points of a pair that are kept until then; with more it is looked at again */
/* Instead of a place among those that are kept: */
#define IN_PLACE (-1) /* none, it is quick to look at them again */
#define AGAIN (-2)    /* none was left */
#define MANY 65536    /* threads that take turns at what is seldom, or bound by memory */


/* No point of one moves faster against the other: piles that fall as one are not followed. */
TN_DEVICE static double speed_together(const TnSlot *a, const TnSlot *b)
{
    double v[3];
    v3_sub(v, a->velocity, b->velocity);
    return v3_norm(v) + (a->speed - v3_norm(a->velocity)) + (b->speed - v3_norm(b->velocity));
}

/* ---- pairs of all kinds ---- */

TN_DEVICE static void look_at_shapes(TnEmitter *e, const TnDetection *d, int slot1, int slot2)
{
    const TnSlot *a = &d->collider->slots[slot1], *b = &d->collider->slots[slot2];
    TnSlotPair pair;
    e->detection = d;
    e->surface1 = e->surface2 = -1;
    if (!tn_filter_pair(d->collider, slot1, slot2, &pair)) return;
    pair.together = d->t * speed_together(a, b);
    tn_emit_shapes(e, &pair, d->t * (a->speed + b->speed), nullptr);
}

/* Places for so many points: AGAIN where there are none. */
TN_DEVICE static int take_places(const Base &s, int *taken, int count)
{
    if (!count) return IN_PLACE;
    if (count > KEPT) return AGAIN;
    int at = atomic_add(taken, count);
    return at + count > s.contact_room ? AGAIN : at;
}

TN_DEVICE static bool is_missed(const Base &s, const TnContactPoint *c);

/* The general way for listed pairs, one kernel for all that need it: they are looked at, looked at
 * again, or looked at for what was missed. */
struct LookAtPairs {
    Base s;
    TnDetection *detection[2];
    const int *list; /* of pairs; NULL: all */
    const int *slot1, *slot2;
    int *points, *kept, *taken;
    const int *again_start; /* where the points of a pair go that is looked at again */
    bool missed;
    TN_DEVICE void operator()(int k) const
    {
        int i = list ? list[k] : k;
        TnContactPoint own[KEPT];
        TnEmitter e{};
        e.points = again_start ? s.points + again_start[i] : own;
        e.capacity = again_start ? points[i] : KEPT;
        const TnSlot *slots = s.collider->slots;
        if (is_round(&slots[slot1[i]], &slots[slot2[i]]))
            look_at_round(&e, detection[0], slot1[i], slot2[i]);
        else
            look_at_shapes(&e, detection[1], slot1[i], slot2[i]);
        if (again_start) return;
        int count = e.count;
        if (missed) {
            count = 0;
            for (int j = 0; j < e.count && j < KEPT; j++)
                if (is_missed(s, &own[j])) own[count++] = own[j];
        }
        int at = take_places(s, taken, count);
        for (int j = 0; j < count && at >= 0; j++) s.kept[at + j] = own[j];
        points[i] = count;
        kept[i] = at;
    }
};

/* ---- boxes ---- */

TN_DEVICE static void leave_to_general(const Base &s, int i)
{
    s.hard[atomic_add(&s.outcome->lists.hard_count, 1)] = i;
}

/* False: they do not meet. */
TN_DEVICE static bool open_boxes(BoxPair *p, const TnDetection *d, int slot1, int slot2)
{
    const TnCollider *c = d->collider;
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    p->d = d;
    if (!tn_filter_pair(c, slot1, slot2, &p->pair)) return false;
    p->pair.together = d->t * speed_together(a, b);
    double way = d->t * (a->speed + b->speed);
    p->allowed = p->pair.margin + d->slack;
    p->reach = p->allowed + way;
    p->swapped = !in_order_of_collide(&c->shape[slot1], &c->place[slot1], &c->shape[slot2],
                                      &c->place[slot2]);
    int first = p->swapped ? slot2 : slot1, second = p->swapped ? slot1 : slot2;
    p->a = TnPlaced{&c->shape[first], &c->place[first]};
    p->b = TnPlaced{&c->shape[second], &c->place[second]};
    p->extent = fmin(v3_norm(p->a.shape->size), v3_norm(p->b.shape->size));
    return find_box_axis(p);
}

/* They stay about where they are, and neither may graze the other (emit_shapes.c). */
TN_DEVICE static bool stays_there(const BoxPair &p)
{
    const TnDetection *d = p.d;
    const TnCollider *c = d->collider;
    double way = p.reach - p.allowed, moves = way < p.pair.together ? way : p.pair.together;
    double t1 = c->thinness[p.pair.slot1], t2 = c->thinness[p.pair.slot2];
    return !(moves > d->far * (t1 < t2 ? t1 : t2)) && p.pair.slot2 < c->fixed_start &&
           p.pair.least == -INFINITY;
}

/* Most pairs end here. The others are listed again, so that whole warps go on. */
TN_DEVICE static void find_near_boxes(const Base &s, int i)
{
    BoxPair p;
    s.pair_points[i] = 0;
    s.pair_kept[i] = IN_PLACE;
    if (!open_boxes(&p, s.detection[1], s.pair1[i], s.pair2[i])) return;
    if (p.pair.slot2 < s.collider->fixed_start && stays_apart(p)) return;
    if (stays_there(p))
        s.near_boxes[atomic_add(&s.outcome->lists.near_count, 1)] = i;
    else
        s.far[atomic_add(&s.outcome->lists.far_count, 1)] = i;
}

TN_DEVICE static void look_at_boxes(const Base &s, int i)
{
    BoxPair p;
    BoxClip clip;
    uint32_t chosen;
    (void)open_boxes(&p, s.detection[1], s.pair1[i], s.pair2[i]);
    if (!choose_points(&p, &clip, &chosen)) {
        leave_to_general(s, i);
        return;
    }
    int count = 0;
    for (uint32_t left = chosen; left; left &= left - 1) count++;
    int at = take_places(s, &s.outcome->lists.kept, count);
    if (at == AGAIN) {
        leave_to_general(s, i);
        return;
    }
    s.pair_points[i] = count;
    s.pair_kept[i] = at;
    TnEmitter e{};
    e.detection = p.d;
    e.surface1 = e.surface2 = -1;
    e.points = s.kept + at;
    e.capacity = count;
    for (int k = 0; chosen; k++, chosen >>= 1) {
        if (!(chosen & 1u)) continue;
        double alpha, beta, gap = p.axis.gap, pos[3] = {p.witness[0], p.witness[1], p.witness[2]};
        bool inside;
        if (k != TN_BOX_WITNESS) {
            (void)box_corner(clip, k, &alpha, &beta, &inside);
            gap = place_of_corner(p, clip, alpha, beta, pos);
        }
        emit_box_point(p, &e, pos, gap, name_of_corner(clip, k));
    }
}

/* ---- closed forms ---- */

/* `far`: those that do not stay where they are, boxes too; else they are listed for that. */
TN_DEVICE static void look_at_closed_form(const Base &s, int i, bool far)
{
    const TnDetection *d = s.detection[1];
    const TnSlot *a = &d->collider->slots[s.pair1[i]], *b = &d->collider->slots[s.pair2[i]];
    double way = d->t * (a->speed + b->speed);
    TnContactPoint own[KEPT];
    TnEmitter e{};
    TnSlotPair pair;
    e.detection = d;
    e.surface1 = e.surface2 = -1;
    e.points = own;
    e.capacity = KEPT;
    s.pair_kept[i] = IN_PLACE;
    if (!tn_filter_pair(d->collider, s.pair1[i], s.pair2[i], &pair)) return;
    pair.together = d->t * speed_together(a, b);
    if (far) {
        tn_emit_shapes_quick(&e, &pair, way, nullptr);
        if (e.count > KEPT) {
            leave_to_general(s, i);
            return;
        }
    } else if (!look_at_plain(&e, pair, way)) {
        s.far[atomic_add(&s.outcome->lists.far_count, 1)] = i;
        return;
    }
    int at = take_places(s, &s.outcome->lists.kept, e.count);
    for (int j = 0; j < e.count && at >= 0; j++) s.kept[at + j] = own[j];
    s.pair_points[i] = e.count;
    s.pair_kept[i] = at;
}

/* ---- all pairs ---- */

/* Spheres are counted; the others go to their lists. */
static void sort_out_pairs(Queue &q, const Base &s, int likely)
{
    each(
        q, s.pair_room, &s.outcome->lists.pair_count,
        [=] TN_DEVICE(int i) {
            int slot1 = s.pair1[i], slot2 = s.pair2[i];
            const TnSlot *a = &s.collider->slots[slot1], *b = &s.collider->slots[slot2];
            if (is_round(a, b)) {
                TnEmitter e{};
                look_at_round(&e, s.detection[0], slot1, slot2);
                s.pair_points[i] = e.count;
                s.pair_kept[i] = IN_PLACE;
            } else if (a->shape_type == TN_GEOM_BOX && b->shape_type == TN_GEOM_BOX) {
                s.boxes[atomic_add(&s.outcome->lists.box_count, 1)] = i;
            } else if (is_plain(a->shape_type, b->shape_type)) {
                s.closed[atomic_add(&s.outcome->lists.closed_count, 1)] = i;
            } else {
                leave_to_general(s, i);
            }
        },
        128, likely);
}

TN_DEVICE static void set_contact_count(const Base &s, int needed)
{
    Lists *lists = &s.outcome->lists;
    int total = needed <= s.contact_room ? needed : 0;
    lists->contacts_needed = needed;
    lists->base_count = lists->contact_count = total;
    lists->second_start = lists->solved = total;
}

static void put_points_in_order(Queue &q, const Base &s, int likely)
{
    sum_in_order(q, s.order, s.pair_points, s.pair_start, s.pair_room + 1);
    each(
        q, s.pair_room, &s.outcome->lists.pair_count,
        [=] TN_DEVICE(int i) {
            int needed = s.pair_start[s.pair_room];
            if (i == 0) set_contact_count(s, needed);
            int count = s.pair_points[i], from = s.pair_kept[i];
            if (!count || needed > s.contact_room) return;
            TnContactPoint *to = s.points + s.pair_start[i];
            if (from == IN_PLACE) {
                TnContactPoint own;
                TnEmitter e{};
                e.points = &own;
                e.capacity = 1;
                look_at_round(&e, s.detection[0], s.pair1[i], s.pair2[i]);
                to[0] = own;
            } else if (from == AGAIN) {
                s.again[atomic_add(&s.outcome->lists.again_count, 1)] = i;
            } else {
                for (int k = 0; k < count; k++) to[k] = s.kept[from + k];
            }
        },
        128, likely);
}

/* Of scenes of spheres and planes. */
static void find_round_points(Queue &q, const Base &s, int likely)
{
    struct Made {
        int count;
    };
    each_in_order(
        q, s.pair_room, &s.outcome->lists.pair_count, s.order,
        [=] TN_DEVICE(int i) {
            TnEmitter e{};
            e.points = own_row<TnContactPoint>();
            e.capacity = 1;
            if (i >= 0) look_at_round(&e, s.detection[0], s.pair1[i], s.pair2[i]);
            return Made{e.count};
        },
        [=] TN_DEVICE(int, Made made, int at) {
            store_own_row(made.count && at < s.contact_room ? s.points + at : nullptr);
        },
        [=] TN_DEVICE(int sum) { set_contact_count(s, sum); }, likely);
}

void find_points(Queue &q, const Base &s, int likely_pairs, int likely_hard)
{
    if (!s.some_hard) {
        find_round_points(q, s, likely_pairs);
        return;
    }
    Lists *lists = &s.outcome->lists;
    LookAtPairs general{s,           {s.detection[0], s.detection[1]},
                        s.hard,      s.pair1,
                        s.pair2,     s.pair_points,
                        s.pair_kept, &lists->kept,
                        nullptr,     false};
    sort_out_pairs(q, s, likely_pairs);
    if (s.some_boxes) {
        each(
            q, s.pair_room, &lists->box_count,
            [=] TN_DEVICE(int k) { find_near_boxes(s, s.boxes[k]); }, 128, likely_pairs);
        each(
            q, s.pair_room, &lists->near_count,
            [=] TN_DEVICE(int k) { look_at_boxes(s, s.near_boxes[k]); }, 128, likely_pairs / 4);
    }
    if (s.some_hard) {
        each(
            q, s.pair_room, &lists->closed_count,
            [=] TN_DEVICE(int k) { look_at_closed_form(s, s.closed[k], false); }, 64, likely_pairs);
        each(
            q, s.pair_room, &lists->far_count,
            [=] TN_DEVICE(int k) { look_at_closed_form(s, s.far[k], true); }, 64, likely_hard);
        each(q, s.pair_room, &lists->hard_count, general, 64, likely_hard);
    }
    put_points_in_order(q, s, likely_pairs);
    general.list = s.again;
    general.again_start = s.pair_start;
    if (s.some_hard) each(q, s.pair_room, &lists->again_count, general, 64, MANY);
}

/* ---- those that were missed ---- */

TN_DEVICE static bool is_same(const TnContactPoint *p, const TnContactPoint *c, bool swapped,
                              double near)
{
    double d[3], along = v3_dot(p->normal, c->normal);
    v3_sub(d, p->arm1, swapped ? c->arm2 : c->arm1);
    return (swapped ? -along : along) > TN_SAME_NORMAL && v3_dot(d, d) < near * near;
}

TN_DEVICE static bool is_listed(const Base &s, const TnContactPoint *c, double near)
{
    for (int k = 0; k < 2 * TN_PARTS; k++) { /* as it is or swapped */
        bool swapped = k & 1;
        int geom1 = swapped ? c->geom2 : c->geom1, geom2 = swapped ? c->geom1 : c->geom2;
        int row = geom1 + (k >> 1) * s.geom_count, count = s.new_count[row];
        int first = count ? s.new_first[row] : 0;
        for (int i = first; i < first + count; i++)
            if (s.points[i].geom2 == geom2 && is_same(&s.points[i], c, swapped, near)) return true;
    }
    return false;
}

/* Not listed, and the motion that was found closes it. */
TN_DEVICE static bool is_missed(const Base &s, const TnContactPoint *c)
{
    const TnModel *m = s.model;
    double size = INFINITY, v1[3], v2[3];
    const int geoms[2] = {c->geom1, c->geom2};
    for (int k = 0; k < 2; k++) {
        double radius = m->geoms[geoms[k]].bounding_radius;
        if (radius > 0.0 && radius < size) size = radius;
    }
    point_velocity(v1, s.moved[m->geom_link[c->geom1]], c->arm1);
    point_velocity(v2, s.moved[m->geom_link[c->geom2]], c->arm2);
    v3_sub(v2, v2, v1);
    double end = c->gap + s.t * v3_dot(c->normal, v2);
    return end < -(TN_MISSED * s.slack + TN_MISSED_SIZE * size) &&
           !is_listed(s, c, TN_SAME_PLACE * size);
}

void find_missed_points(Queue &q, const Base &s)
{
    const int *pairs = &s.outcome->look.pair_count;
    LookAtPairs general{
        s,           {s.found[0], s.found[1]}, nullptr, s.look1, s.look2, s.look_points,
        s.look_kept, &s.outcome->look.kept,    nullptr, true};
    device_clear(q, s.look_points, sizeof(int) * (size_t)(s.look_room + 1));
    each(q, s.look_room, pairs, general, 64, MANY);
    sum_in_order(q, s.order, s.look_points, s.look_start, s.look_room + 1);
    each(q, 1, nullptr, [=] TN_DEVICE(int) {
        Look *look = &s.outcome->look;
        int total = s.look_start[s.look_room];
        look->contacts_needed = s.outcome->lists.contact_count + total;
        look->missed = look->contacts_needed <= s.contact_room ? total : 0;
    });
    each(q, s.look_room, pairs, [=] TN_DEVICE(int i) {
        TnContactPoint *to = s.points + s.outcome->lists.contact_count + s.look_start[i];
        int count = s.outcome->look.missed ? s.look_points[i] : 0;
        for (int k = 0; k < count; k++) to[k] = s.kept[s.look_kept[i] + k];
    });
}

} // namespace tn
