/* pairs.c: broad phase of a scene of few geoms, such as one robot.
 *
 * Which pairs can ever collide follows from the model, so they are listed once, by geom1 and then
 * geom2, with what the filter says of them. Geoms of a link keep their places on it and form a
 * group with one box and one ball; each fixed geom is a group by itself. A detection moves these,
 * and only where those of two groups meet are their geoms placed and looked at. Pairs whose boxes
 * meet are marked in a set of bits, and so come out in the order of the list.
 *
 * Two balls that are apart stay so until both have gone half of the way, and are not looked at
 * before. As with the directions in which shapes were apart (TnSlotPair), what is remembered from
 * one detection to the next can only show sooner what is so anyway. */
#include <stdlib.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/vec3.h"
#include "collider.h"

/* More pairs, or more geoms, are for the grids. */
#define MOST_PAIRS 4096
#define MOST_BALL_PAIRS 2048
#define MOST_SLOTS 512

/* Geoms of one link, or a fixed one. */
typedef struct Group {
    int32_t link;
    int32_t first, count; /* in TnPairList.slots */
    bool plane, lone;     /* a plane; a single sphere: turning does not move it */
    double center[3];     /* of ball and box, in the link's axes */
    double radius;        /* of the ball, margins of geoms included, */
    double half[3];       /* and of the box in the link's axes */
    double reach;         /* of the ball, from the link's centre of mass */
    double slack;         /* that its geoms' boxes have, where it is fixed */
    TnLinkFrame at;       /* where its geoms are placed */
} Group;

/* A group over the step. */
typedef struct Place {
    double c[3], h[3], r; /* centre, half box, ball; */
    double way;           /* half box and ball grow by this as it moves */
    double gone[3];       /* of the centre, since the detection before */
} Place;

/* Two groups with pairs between them. */
typedef struct Meeting {
    int16_t a, b;
    bool fixed;           /* b is */
    int32_t first, count; /* in TnPairList.order */
} Meeting;

typedef struct TnPairList {
    int group_count, pair_count, meeting_count;
    int moving_groups; /* come first */
    void *memory;      /* holds all of: */
    Group *groups;
    int16_t *slots; /* of the groups, one after the other */
    Meeting *meetings;
    int16_t *order; /* their pairs, as indices in `pairs` */
    TnSlotPair *pairs;
    double (*halves)[3]; /* per slot: half of its box, as long as its group stays where it is */
    double *apart_until; /* per meeting: the balls do not meet before TnPairList.gone is this */
    /* no group's centre has gone farther in all detections together: against the mean of those that
     * move, for meetings of these, and at all, for meetings with what is fixed */
    double gone[2];
    /* meetings that may come up before gone is `alert`: only these are looked through */
    int16_t *near;
    int near_count;
    double alert[2];
    double growth; /* of the last detection: the largest way */
    int looks;     /* detections that were not about surprises */
    /* per detection */
    Place *places;   /* per group */
    uint8_t *active; /* per group: it moves, and is not left out */
    uint8_t *placed; /* per group: its geoms are */
    uint64_t *met;   /* per pair a bit */
} TnPairList;

/* ---- making ---- */

/* False: too many. */
static bool count_pairs(const TnCollider *c, int *pairs)
{
    TnSlotPair pair;
    *pairs = 0;
    if (c->count > MOST_SLOTS || c->model->soft_count) return false;
    for (int i = 0; i < c->moving_count; i++)
        for (int j = i + 1; j < c->count; j++) {
            *pairs += tn_filter_pair(c, i, j, &pair);
            if (*pairs > MOST_PAIRS) return false;
        }
    return true;
}

/* Half of a geom's box in the axes of its link. */
static void half_on_link(const TnCollider *c, int slot, double h[3])
{
    const double *R = c->model->geoms[c->slots[slot].geom].link_rot;
    const double *half = c->locals[slot].half_extent;
    for (int k = 0; k < 3; k++)
        h[k] =
            fabs(R[3 * k]) * half[0] + fabs(R[3 * k + 1]) * half[1] + fabs(R[3 * k + 2]) * half[2];
}

/* A box about the geoms' boxes, and a ball about their balls. */
static void size_group(const TnCollider *c, const int16_t *slots, Group *g)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double margin = 0.0;
    for (int i = 0; i < g->count; i++) {
        const TnSlotLocal *local = &c->locals[slots[i]];
        double h[3];
        half_on_link(c, slots[i], h);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], local->pos[k] - h[k]);
            high[k] = fmax(high[k], local->pos[k] + h[k]);
        }
        margin = fmax(margin, local->bound_margin);
    }
    for (int k = 0; k < 3; k++) {
        g->center[k] = 0.5 * (low[k] + high[k]);
        g->half[k] = 0.5 * (high[k] - low[k]) + margin;
    }
    for (int i = 0; i < g->count; i++) {
        const TnSlotLocal *local = &c->locals[slots[i]];
        double d[3];
        v3_sub(d, local->pos, g->center);
        g->radius = fmax(g->radius, v3_norm(d) + local->bounding_radius);
    }
    g->radius += margin;
    double arm[3];
    v3_sub(arm, g->center, c->model->links[g->link].com);
    g->reach = v3_norm(arm) + g->radius;
    g->lone = g->count == 1 && c->slots[slots[0]].shape_type == TN_GEOM_SPHERE;
}

/* Moving slots by link, then each fixed one. `of`: the group of each slot. */
static void make_groups(const TnCollider *c, TnPairList *list, int16_t *of)
{
    int placed = 0;
    for (int slot = 0; slot < c->count; slot++) of[slot] = -1;
    for (int slot = 0; slot < c->count; slot++) {
        if (of[slot] >= 0) continue;
        Group *g = &list->groups[list->group_count];
        bool moves = slot < c->fixed_start;
        *g = (Group){.link = c->slots[slot].link,
                     .first = placed,
                     .slack = NAN,
                     .plane = c->slots[slot].shape_type == TN_GEOM_PLANE};
        for (int other = slot; other < (moves ? c->fixed_start : slot + 1); other++) {
            if (c->slots[other].link != g->link) continue;
            of[other] = (int16_t)list->group_count;
            list->slots[placed++] = (int16_t)other;
            g->count++;
        }
        if (!g->plane) size_group(c, list->slots + g->first, g);
        list->group_count++;
        list->moving_groups += moves;
    }
}

static void fill_pairs(const TnCollider *c, TnPairList *list)
{
    for (int i = 0; i < c->moving_count; i++)
        for (int j = i + 1; j < c->count; j++)
            list->pair_count += tn_filter_pair(c, i, j, &list->pairs[list->pair_count]);
}

/* A pair, and the groups of its geoms. */
typedef struct Keyed {
    int32_t key, pair;
} Keyed;

static int compare_keys(const void *x, const void *y)
{
    const Keyed *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1) : a->pair - b->pair;
}

/* Groups with a pair between them; false: too many. */
static bool meet_groups(TnPairList *list, const int16_t *of, Keyed *keyed)
{
    for (int k = 0; k < list->pair_count; k++) {
        int x = of[list->pairs[k].slot1], y = of[list->pairs[k].slot2];
        keyed[k] = (Keyed){x < y ? x * MOST_SLOTS + y : y * MOST_SLOTS + x, k};
    }
    if (list->pair_count) qsort(keyed, (size_t)list->pair_count, sizeof *keyed, compare_keys);
    for (int k = 0; k < list->pair_count; k++) {
        if (k == 0 || keyed[k].key != keyed[k - 1].key) {
            if (list->meeting_count == MOST_BALL_PAIRS) return false;
            int a = keyed[k].key / MOST_SLOTS, b = keyed[k].key % MOST_SLOTS;
            list->meetings[list->meeting_count++] = (Meeting){
                .a = (int16_t)a, .b = (int16_t)b, .fixed = b >= list->moving_groups, .first = k};
        }
        list->meetings[list->meeting_count - 1].count++;
        list->order[k] = (int16_t)keyed[k].pair;
    }
    return true;
}

/* Parts of one block, or, of a base that is NULL, only their size. */
static size_t lay_out(TnPairList *list, char *base, int slots, int pairs)
{
    size_t used = 0, n = (size_t)slots, m = (size_t)pairs;
    const struct {
        void *at;
        size_t bytes;
    } parts[] = {{&list->groups, sizeof(Group) * n},
                 {&list->slots, sizeof(int16_t) * n},
                 {&list->meetings, sizeof(Meeting) * (m < MOST_BALL_PAIRS ? m : MOST_BALL_PAIRS)},
                 {&list->order, sizeof(int16_t) * m},
                 {&list->pairs, sizeof(TnSlotPair) * m},
                 {&list->halves, sizeof(double[3]) * n},
                 {&list->apart_until, sizeof(double) * (m < MOST_BALL_PAIRS ? m : MOST_BALL_PAIRS)},
                 {&list->near, sizeof(int16_t) * (m < MOST_BALL_PAIRS ? m : MOST_BALL_PAIRS)},
                 {&list->places, sizeof(Place) * n},
                 {&list->active, n},
                 {&list->placed, n},
                 {&list->met, sizeof(uint64_t) * (m / 64 + 1)}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        void *start = base ? base + used : NULL;
        memcpy(parts[k].at, &start, sizeof start);
        used += (parts[k].bytes + 63) / 64 * 64;
    }
    return used;
}

bool tn_pairs_create(TnCollider *c)
{
    int pairs;
    TnPairList list = {0};
    c->list = NULL;
    if (!count_pairs(c, &pairs)) return true;
    size_t bytes = lay_out(&list, NULL, c->count, pairs);
    TnPairList *out = tn_calloc(1, sizeof *out);
    char *memory = tn_calloc(1, bytes + 1);
    int16_t *of = tn_malloc(sizeof *of * (size_t)(c->count + 1));
    Keyed *keyed = tn_malloc(sizeof *keyed * (size_t)(pairs + 1));
    bool ok = out && memory && of && keyed, few = false;
    if (ok) {
        lay_out(&list, memory, c->count, pairs);
        list.memory = memory;
        make_groups(c, &list, of);
        fill_pairs(c, &list);
        few = meet_groups(&list, of, keyed);
        *out = list;
    }
    tn_free(of);
    tn_free(keyed);
    if (few) {
        c->list = out;
        return true;
    }
    tn_free(memory);
    tn_free(out);
    return ok;
}

void tn_pairs_destroy(TnPairList *list)
{
    if (!list) return;
    tn_free(list->memory);
    tn_free(list);
}

/* ---- a detection ---- */

/* fmax without its care for NaN, which costs a call. */
static inline double larger(double a, double b) { return a > b ? a : b; }

static void move_group(const TnDetection *d, const Group *g, Place *p)
{
    const TnLinkFrame *f = &d->frames[g->link];
    const double *twist = d->twists[g->link];
    double arm[3], v[3];
    m3_mul_v(p->c, f->rot, g->center);
    v3_add(p->c, p->c, f->pos);
    v3_sub(arm, p->c, f->com);
    v3_cross(v, twist + 3, arm);
    v3_add(v, v, twist);
    p->way += d->t * (v3_norm(v) + (g->lone ? 0.0 : v3_norm(twist + 3) * g->radius));
    for (int i = 0; i < 3; i++) {
        const double *row = f->rot + 3 * i;
        p->h[i] = fabs(row[0]) * g->half[0] + fabs(row[1]) * g->half[1] + fabs(row[2]) * g->half[2];
    }
}

/* How far centres went, adding to what they had gone before. */
static void add_ways(TnPairList *list)
{
    double mean[3] = {0.0}, most[2] = {0.0, 0.0};
    for (int k = 0; k < list->moving_groups; k++)
        v3_add_scaled(mean, list->places[k].gone, 1.0 / list->moving_groups);
    for (int k = 0; k < list->moving_groups; k++) {
        const double *gone = list->places[k].gone;
        double off[3];
        v3_sub(off, gone, mean);
        most[0] = larger(most[0], v3_dot(off, off));
        most[1] = larger(most[1], v3_dot(gone, gone));
    }
    for (int i = 0; i < 2; i++) list->gone[i] += (1.0 + TN_ROOM) * sqrt(most[i]);
}

/* No point of a geom leaves box and ball of its group, which grow by half of what is listed ahead.
 * Returns the largest growth. */
static double move_groups(const TnDetection *d, TnPairList *list)
{
    const TnCollider *c = d->collider;
    double growth = 0.0;
    for (int k = 0; k < list->group_count; k++) {
        const Group *g = &list->groups[k];
        Place *p = &list->places[k];
        list->active[k] = list->placed[k] = 0;
        if (g->plane) continue;
        p->r = g->radius;
        p->way = 0.5 * d->slack;
        if (g->link == 0) {
            v3_copy(p->c, g->center);
            v3_copy(p->h, g->half);
            list->placed[k] = g->slack == d->slack;
        } else {
            double was[3];
            v3_copy(was, p->c);
            move_group(d, g, p);
            v3_sub(p->gone, p->c, was);
            list->active[k] = !tn_link_is_mocap(c->model, g->link) &&
                              !tn_slot_sleeps(c, list->slots[g->first]) &&
                              (!d->only || d->only[g->link]);
        }
        growth = larger(growth, p->way);
    }
    add_ways(list);
    return growth;
}

/* Whether the groups meet; if not, until when, counted from `gone`. */
static bool places_meet(const Place *a, const Place *b, double gone, double *until)
{
    double d[3], way = a->way + b->way, r = a->r + b->r;
    v3_sub(d, a->c, b->c);
    double distance2 = v3_dot(d, d), reach = (1.0 + TN_ROOM) * (r + way);
    if (distance2 > reach * reach) {
        *until = gone + 0.5 * (sqrt(distance2) - (1.0 + TN_ROOM) * r);
        return false;
    }
    bool meet = true;
    for (int i = 0; i < 3; i++) meet &= fabs(d[i]) <= (1.0 + TN_ROOM) * (a->h[i] + b->h[i] + way);
    return meet;
}

static bool place_meets_plane(const TnDetection *d, const Place *p, int plane, double gone,
                              double *until)
{
    const TnTransform *at = &d->collider->place[plane];
    double height = 0.0, half = 0.0, margin = d->collider->locals[plane].bound_margin;
    for (int i = 0; i < 3; i++) {
        double n = at->rot[3 * i + 2];
        height += n * (p->c[i] - at->pos[i]);
        half += fabs(n) * p->h[i];
    }
    double room = TN_ROOM * (fabs(height) + p->r);
    *until = gone + 0.5 * (height - p->r - margin - room);
    return height <= fmin(p->r, half) + p->way + 0.5 * d->slack + margin + room;
}

static void place_group(const TnDetection *d, TnPairList *list, int k)
{
    Group *g = &list->groups[k];
    const TnLinkFrame *frame = &d->frames[g->link];
    if (list->placed[k] || g->plane) return;
    bool stays = g->link != 0 && !memcmp(frame, &g->at, sizeof *frame);
    for (int i = g->first; i < g->first + g->count; i++) {
        int slot = list->slots[i];
        if (!stays) tn_bounds_place(d, slot, list->halves[slot]);
        tn_bounds_sweep(d, slot, list->halves[slot]);
    }
    list->placed[k] = 1;
    g->slack = d->slack;
    if (!stays && g->link) g->at = *frame;
}

/* How a link gets elsewhere than expected: at x, and turning. */
static void add_surprise(const TnDetection *d, int link, double sign, const double x[3],
                         double linear[3], double angular[3])
{
    double turned[3], arm[3], v[3];
    if (!link) return;
    const double *u = d->twists[link], *expected = d->expected[link];
    v3_sub(turned, u + 3, expected + 3);
    v3_sub(arm, x, d->frames[link].com);
    v3_cross(v, turned, arm);
    for (int i = 0; i < 3; i++) v[i] += u[i] - expected[i];
    v3_add_scaled(linear, v, sign);
    v3_add_scaled(angular, turned, sign);
}

static double speed_of(const TnDetection *d, int link)
{
    return link ? v3_norm(d->twists[link]) : 0.0;
}

/* Whether link 1 gets no nearer to link 2 than expected, but for the surprise: along n, or where
 * that is zero anywhere. It counts for points as near to x as `radius`, and as far beyond as a gap
 * that the motion closes. It asks for nothing that a detection may have left out. */
static bool go_as_expected(const TnDetection *d, int link1, int link2, const double x[3],
                           double radius, const double n[3])
{
    double linear[3] = {0.0}, angular[3] = {0.0}, across[3];
    add_surprise(d, link1, 1.0, x, linear, angular);
    add_surprise(d, link2, -1.0, x, linear, angular);
    radius += d->slack + d->t * (speed_of(d, link1) + speed_of(d, link2));
    if (v3_dot(n, n) == 0.0)
        return d->t * (v3_norm(linear) + radius * v3_norm(angular)) <= d->surprise;
    v3_cross(across, n, angular);
    return d->t * (v3_dot(n, linear) + radius * v3_norm(across)) <= d->surprise;
}

static void towards_plane(const TnDetection *d, int plane, double n[3])
{
    m3_column(n, d->collider->place[plane].rot, 2);
    v3_scale(n, n, -1.0);
}

/* Contact points are within the smaller ball, but for half of their gap. */
static bool groups_go_as_expected(const TnDetection *d, const TnPairList *list, const Meeting *m)
{
    const Group *a = &list->groups[m->a], *b = &list->groups[m->b];
    const Place *at = &list->places[!b->plane && b->radius < a->radius ? m->b : m->a];
    double n[3] = {0.0};
    if (b->plane) towards_plane(d, list->slots[b->first], n);
    return go_as_expected(d, a->link, b->link, at->c, at->r, n);
}

static bool geoms_go_as_expected(const TnDetection *d, const TnSlotPair *pair, bool seen)
{
    const TnCollider *c = d->collider;
    const TnSlot *a = &c->slots[pair->slot1], *b = &c->slots[pair->slot2];
    bool plane = b->shape_type == TN_GEOM_PLANE,
         second = !plane &&
                  c->locals[pair->slot2].bounding_radius < c->locals[pair->slot1].bounding_radius;
    double radius = c->locals[second ? pair->slot2 : pair->slot1].bounding_radius;
    double n[3] = {0.0};
    if (plane)
        towards_plane(d, pair->slot2, n);
    else if (seen)
        v3_copy(n, pair->normal);
    return go_as_expected(d, a->link, b->link, second ? b->pos : a->pos, radius, n);
}

/* Marks those of their pairs whose boxes meet. */
static void meet_geoms(const TnDetection *d, TnPairList *list, const Meeting *m)
{
    const TnCollider *c = d->collider;
    bool plane = list->groups[m->b].plane;
    if (d->expected && groups_go_as_expected(d, list, m)) return;
    place_group(d, list, m->a);
    place_group(d, list, m->b);
    for (int k = m->first; k < m->first + m->count; k++) {
        int index = list->order[k];
        TnSlotPair *pair = &list->pairs[index];
        const TnBounds *a = &c->bounds[pair->slot1];
        bool meet = plane ? tn_box_meets_plane(d, a, pair->slot2)
                          : tn_bounds_meet(a, &c->bounds[pair->slot2]);
        if (!meet) continue;
        if (d->expected && geoms_go_as_expected(d, pair, pair->seen == list->looks)) continue;
        list->met[index / 64] |= UINT64_C(1) << index % 64;
        pair->seen = list->looks;
        v3_zero(pair->normal);
    }
}

static bool groups_meet(const TnDetection *d, const TnPairList *list, int meeting)
{
    const Meeting *m = &list->meetings[meeting];
    const Place *a = &list->places[m->a];
    double gone = list->gone[m->fixed], *until = &list->apart_until[meeting];
    if (list->groups[m->b].plane)
        return place_meets_plane(d, a, list->slots[list->groups[m->b].first], gone, until);
    return places_meet(a, &list->places[m->b], gone, until);
}

static void emit_met(TnPairList *list, TnEmitter *emitter)
{
    for (int word = 0; word <= list->pair_count / 64; word++)
        for (uint64_t bits = list->met[word]; bits; bits &= bits - 1)
            tn_emit_listed(emitter, &list->pairs[64 * word + __builtin_ctzll(bits)]);
}

/* Meetings that come up while groups go on for so many steps as now. */
#define AHEAD 16.0
static void find_near(TnPairList *list, double growth)
{
    for (int i = 0; i < 2; i++) list->alert[i] = list->gone[i] + AHEAD * growth;
    list->near_count = 0;
    for (int k = 0; k < list->meeting_count; k++)
        if (!(list->apart_until[k] > list->alert[list->meetings[k].fixed]))
            list->near[list->near_count++] = (int16_t)k;
}

/* How much farther than expected any point of a group gets. */
static double most_surprise(const TnDetection *d, const TnPairList *list)
{
    double most = 0.0;
    for (int k = 0; k < list->moving_groups; k++) {
        const Group *g = &list->groups[k];
        const double *u = d->twists[g->link], *expected = d->expected[g->link];
        double linear[3], angular[3];
        v3_sub(linear, u, expected);
        v3_sub(angular, u + 3, expected + 3);
        most = larger(most, d->t * (v3_norm(linear) + v3_norm(angular) * g->reach));
    }
    return most;
}

/* Swept boxes of the last detection, larger by `more` each. */
static bool boxes_stay_apart(const TnBounds *a, const TnBounds *b, double more)
{
    bool apart = false;
    for (int i = 0; i < 3; i++)
        apart |= (double)fabsf(a->c[i] - b->c[i]) > (double)(a->h[i] + b->h[i]) + 2.0 * more;
    return apart;
}

/* The same of two groups. */
static bool groups_stay_apart(const Place *a, const Place *b, double more)
{
    double way = a->way + b->way + 2.0 * more;
    bool apart = false;
    for (int i = 0; i < 3; i++)
        apart |= fabs(a->c[i] - b->c[i]) > (1.0 + TN_ROOM) * (a->h[i] + b->h[i] + way);
    return apart;
}

static bool meeting_goes_as_expected(const TnDetection *d, const TnPairList *list, const Meeting *m,
                                     double more)
{
    const TnBounds *bounds = d->collider->bounds;
    bool plane = list->groups[m->b].plane;
    if (!plane && groups_stay_apart(&list->places[m->a], &list->places[m->b], more)) return true;
    if (groups_go_as_expected(d, list, m)) return true;
    if (!list->placed[m->a] || !(plane || list->placed[m->b])) return false;
    for (int k = m->first; k < m->first + m->count; k++) {
        const TnSlotPair *pair = &list->pairs[list->order[k]];
        if (!plane && boxes_stay_apart(&bounds[pair->slot1], &bounds[pair->slot2], more)) continue;
        if (!geoms_go_as_expected(d, pair, pair->seen == list->looks)) return false;
    }
    return true;
}

/* No pair closes more than the detection before has listed. */
static bool all_go_as_expected(const TnDetection *d, const TnPairList *list)
{
    double more = most_surprise(d, list), growth = (1.0 + TN_ROOM) * (list->growth + more);
    const double gone[2] = {list->gone[0] + growth, list->gone[1] + growth};
    if (!(gone[0] < list->alert[0] && gone[1] < list->alert[1])) return false;
    for (int i = 0; i < list->near_count; i++) {
        const Meeting *m = &list->meetings[list->near[i]];
        if (list->apart_until[list->near[i]] > gone[m->fixed]) continue;
        if (d->only && !d->only[list->groups[m->a].link] && !d->only[list->groups[m->b].link])
            continue;
        if (!meeting_goes_as_expected(d, list, m, more)) return false;
    }
    return true;
}

void tn_pairs_detect(const TnDetection *d, TnEmitter *emitter)
{
    TnPairList *list = d->collider->list;
    if (d->expected && all_go_as_expected(d, list)) return;
    list->looks += !d->expected;
    double growth = list->growth = move_groups(d, list);
    const double gone[2] = {list->gone[0] + growth, list->gone[1] + growth};
    if (!(gone[0] < list->alert[0] && gone[1] < list->alert[1])) find_near(list, growth);
    memset(list->met, 0, sizeof list->met[0] * (size_t)(list->pair_count / 64 + 1));
    for (int i = 0; i < list->near_count; i++) {
        int k = list->near[i];
        const Meeting *m = &list->meetings[k];
        if (list->apart_until[k] > gone[m->fixed]) continue;
        if ((list->active[m->a] | list->active[m->b]) && groups_meet(d, list, k))
            meet_geoms(d, list, m);
    }
    emit_met(list, emitter);
}
