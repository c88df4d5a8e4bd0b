/* narrow.cu: from pairs to contact points, by the engine's own collision/emit_….
 *
 * Each pair is looked at once. Its points go to any free place, and from there to their place in
 * the order of the pairs, which is known when all are counted. */
#include "data.h"

namespace tn
{

#define KEPT 8 /* points of a pair that are kept until then; with more it is looked at again */

/* As in step/missed.c. */
#define LET_PASS 0.05
#define LET_PASS_SIZE 1e-4
#define SAME_NORMAL 0.95
#define SAME_PLACE 0.1

/* No point of one moves faster against the other: piles that fall as one are not followed. */
TN_DEVICE static double speed_together(const TnSlot *a, const TnSlot *b)
{
    double v[3];
    v3_sub(v, a->velocity, b->velocity);
    return v3_norm(v) + (a->speed - v3_norm(a->velocity)) + (b->speed - v3_norm(b->velocity));
}

TN_DEVICE static void look_at_pair(TnEmitter *e, TnDetection *const detection[2], int slot1,
                                   int slot2)
{
    const TnCollider *c = detection[0]->collider;
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    TnSlotPair pair;
    e->detection = detection[0];
    e->surface1 = e->surface2 = -1;
    if (!tn_filter_pair(c, slot1, slot2, &pair)) return;
    if (a->shape_type == TN_GEOM_SPHERE && b->shape_type == TN_GEOM_SPHERE) {
        tn_emit_spheres(e, &pair);
    } else if (a->shape_type == TN_GEOM_SPHERE && b->shape_type == TN_GEOM_PLANE) {
        tn_emit_sphere_plane(e, &pair);
    } else {
        e->detection = detection[1];
        pair.together = detection[1]->t * speed_together(a, b);
        tn_emit_shapes(e, &pair, detection[1]->t * (a->speed + b->speed), nullptr);
    }
}

/* Places for so many points: -1 where there are none. */
TN_DEVICE static int keep(const Base &s, int *taken, const TnContactPoint *points, int count)
{
    if (!count || count > KEPT) return -1;
    int at = atomic_add(taken, count);
    if (at + count > s.contact_room) return -1;
    for (int k = 0; k < count; k++) s.kept[at + k] = points[k];
    return at;
}

void find_points(Queue &q, const Base &s, int likely_pairs)
{
    const int *pairs = &s.outcome->lists.pair_count;
    device_clear(q, s.pair_points, sizeof(int) * (size_t)(s.pair_room + 1));
    each(
        q, s.pair_room, pairs,
        [=] TN_DEVICE(int i) {
            TnContactPoint points[KEPT];
            TnEmitter e{};
            e.points = points;
            e.capacity = KEPT;
            look_at_pair(&e, s.detection, s.pair1[i], s.pair2[i]);
            s.pair_points[i] = e.count;
            s.pair_kept[i] = keep(s, &s.outcome->lists.kept, points, e.count);
        },
        64, likely_pairs);
    scan(q, s.pair_points, s.pair_start, s.pair_room + 1);
    each(q, 1, nullptr, [=] TN_DEVICE(int) {
        Lists *lists = &s.outcome->lists;
        int total = s.pair_start[s.pair_room];
        lists->contacts_needed = total;
        lists->base_count = lists->contact_count = total <= s.contact_room ? total : 0;
        lists->second_start = lists->solved = lists->base_count;
    });
    each(
        q, s.pair_room, pairs,
        [=] TN_DEVICE(int i) {
            int count = s.outcome->lists.contact_count ? s.pair_points[i] : 0;
            if (!count) return;
            TnContactPoint *to = s.points + s.pair_start[i];
            if (s.pair_kept[i] >= 0) {
                for (int k = 0; k < count; k++) to[k] = s.kept[s.pair_kept[i] + k];
                return;
            }
            TnEmitter e{};
            e.points = to;
            e.capacity = count;
            look_at_pair(&e, s.detection, s.pair1[i], s.pair2[i]);
        },
        128, likely_pairs);
}

/* ---- those that were missed ---- */

TN_DEVICE static bool is_same(const TnContactPoint *p, const TnContactPoint *c, bool swapped,
                              double near)
{
    double d[3], along = v3_dot(p->normal, c->normal);
    v3_sub(d, p->arm1, swapped ? c->arm2 : c->arm1);
    return (swapped ? -along : along) > SAME_NORMAL && v3_dot(d, d) < near * near;
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
    return end < -(LET_PASS * s.slack + LET_PASS_SIZE * size) &&
           !is_listed(s, c, SAME_PLACE * size);
}

void find_missed_points(Queue &q, const Base &s)
{
    const int *pairs = &s.outcome->look.pair_count;
    device_clear(q, s.look_points, sizeof(int) * (size_t)(s.look_room + 1));
    each(
        q, s.look_room, pairs,
        [=] TN_DEVICE(int i) {
            TnContactPoint points[KEPT];
            TnEmitter e{};
            e.points = points;
            e.capacity = KEPT;
            look_at_pair(&e, s.found, s.look1[i], s.look2[i]);
            int count = 0;
            for (int k = 0; k < e.count && k < KEPT; k++)
                if (is_missed(s, &points[k])) points[count++] = points[k];
            s.look_points[i] = count;
            s.look_kept[i] = keep(s, &s.outcome->look.kept, points, count);
        },
        64);
    scan(q, s.look_points, s.look_start, s.look_room + 1);
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
