/* ride.c: contacts of a sub-step from those that were listed at an earlier one of the same step.
 *
 * Contacts are listed so far ahead that the whole step is covered: the slack is Σ = g T² of the
 * step, not σ = g t² of the sub-step. With W_i the farthest that a point of link i has got since,
 * and P_i the farthest that its free motion takes it in the sub-step, a pair that
 *
 *     W_1 + W_2 + P_1 + P_2 + σ <= Σ
 *
 * holds for is in that list if it has to be in the sub-step's own. So contacts of links with W + P
 * <= (Σ - σ)/2 ride with them, and collision looks for those of the others only.
 *
 * Contacts ride exactly with spheres and on planes (ride_move.c). All others ride only where hardly
 * anything moves: W_1 + W_2 <= AT_REST of the thinner one. A lever is wrong by no more than that
 * then, and a gap by no more than twice that.
 *
 * Where more than a few links move that much, looking for all contacts costs no more, and every
 * sub-step does so; likewise with soft bodies, sleepers and hits with restitution, whose lists are
 * of another kind. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "step.h"

#define AT_REST 1e-4
/* Of the links: if contacts of more than this share are looked for, looking for all
 * costs no more. */
#define MOST_ANEW 0.1
#define GRAIN 512

/* ---- memory ---- */

/* All geoms of a link are one sphere about its centre of mass: turning does nothing to it. */
static void find_round(const TnModel *model, bool *round)
{
    for (int l = 0; l < model->link_count; l++) round[l] = l > 0;
    for (int g = 0; g < model->geom_count; g++) {
        const TnGeom *geom = &model->geoms[g];
        double arm[3];
        v3_sub(arm, geom->link_pos, model->links[geom->link].com);
        if (geom->type != TN_GEOM_SPHERE || v3_norm(arm) > 1e-12 * geom->size[0])
            round[geom->link] = false;
    }
}

bool tn_listed_create(const TnModel *model, TnListed *listed)
{
    listed->frames = tn_calloc((size_t)model->link_count, sizeof(TnLinkFrame));
    listed->round = tn_calloc((size_t)model->link_count, sizeof(bool));
    if (!listed->frames || !listed->round) return false;
    find_round(model, listed->round);
    return true;
}

void tn_listed_destroy(TnListed *listed)
{
    tn_free(listed->points);
    tn_free(listed->frames);
    tn_free(listed->round);
}

/* False: no memory. */
static bool keep_list(TnWorld *world, const TnContactList *list)
{
    TnListed *listed = &world->listed;
    if (list->count > listed->capacity) {
        int capacity = list->count + list->count / 2;
        TnContactPoint *points = tn_malloc(sizeof *points * (size_t)capacity);
        if (!points) return false;
        tn_free(listed->points);
        listed->points = points;
        listed->capacity = capacity;
    }
    listed->count = list->count;
    if (list->count)
        memcpy(listed->points, list->points, sizeof *list->points * (size_t)list->count);
    memcpy(listed->frames, world->frames, sizeof(TnLinkFrame) * (size_t)world->model->link_count);
    listed->known = true;
    return true;
}

/* ---- what has moved ---- */

typedef struct Ride {
    TnStep *step;
    const TnListed *listed;
    double *way, *ahead;   /* m, per link: W, P */
    uint8_t *anew;         /* per link: its contacts are looked for */
    TnContactPoint *moved; /* per listed contact */
    bool *counts;          /* per listed contact: it is in the sub-step's list */
} Ride;

/* m: Σ. */
static double whole_slack(const TnStep *step)
{
    double n = step->world->substeps;
    return n * n * tn_step_slack(step);
}

/* m: links with W + P up to this ride. */
static double most_way(const TnStep *step)
{
    return 0.5 * (whole_slack(step) - tn_step_slack(step));
}

/* rad: between two orientations. */
static double turned_by(const double a[4], const double b[4])
{
    double inverse[4], between[4];
    quat_conjugate(inverse, a);
    quat_mul(between, b, inverse);
    return 2.0 * asin(fmin(1.0, v3_norm(between + 1)));
}

static void find_ways(const Ride *r)
{
    const TnStep *step = r->step;
    const TnWorld *world = step->world;
    double most = most_way(step);
    for (int l = 1; l < step->model->link_count; l++) {
        const TnLinkFrame *then = &r->listed->frames[l], *now = &world->frames[l];
        const double *u = step->end_twists[l];
        double d[3], radius = r->listed->round[l] ? 0.0 : world->groups->radius[l];
        v3_sub(d, now->com, then->com);
        r->way[l] = v3_norm(d);
        if (radius > 0.0) r->way[l] += radius * turned_by(then->quat, now->quat);
        r->ahead[l] = step->t * (v3_norm(u) + radius * v3_norm(u + 3));
        r->anew[l] = (uint8_t) !(r->way[l] + r->ahead[l] <= most);
    }
}

/* ---- contacts ---- */

/* Not if it is to be, or was, listed as it will be where paths meet. */
static bool may_ride(const Ride *r, const TnContactPoint *c)
{
    const TnCollider *collider = r->step->world->collider;
    int a = r->step->model->geom_link[c->geom1], b = r->step->model->geom_link[c->geom2];
    double way = r->way[a] + r->way[b];
    if (c->time > 0.0 || c->clearance != c->gap ||
        tn_collider_flies(collider, c->geom1, c->geom2, c->gap + way, r->ahead[a] + r->ahead[b]))
        return false;
    if (tn_contact_rides_far(r->step->model, c)) return true;
    return way <= AT_REST * tn_collider_thinness(collider, c->geom1, c->geom2);
}

/* Of the two links of contacts that may not ride, the one that moved more. */
static void mark_links(const Ride *r)
{
    const int *link = r->step->model->geom_link;
    for (int i = 0; i < r->listed->count; i++) {
        const TnContactPoint *c = &r->listed->points[i];
        int a = link[c->geom1], b = link[c->geom2];
        if (r->anew[a] || r->anew[b] || may_ride(r, c)) continue;
        r->anew[b > 0 && r->way[b] > r->way[a] ? b : a] = 1;
    }
}

/* How far the free motion takes a side along the normal. */
static double side_way(const TnStep *step, const TnContactPoint *c, int side)
{
    const double *u = step->end_twists[step->model->geom_link[side ? c->geom2 : c->geom1]];
    double v[3];
    v3_cross(v, u + 3, side ? c->arm2 : c->arm1);
    v3_add(v, v, u);
    return step->t * v3_dot(c->normal, v);
}

/* The rule of collision.h, for the sub-step. */
static bool is_near(const TnStep *step, const TnContactPoint *c)
{
    double near = tn_step_slack(step);
    if (c->time > 0.0 || c->clearance <= near) return true;
    return c->clearance <= near + side_way(step, c, 0) - side_way(step, c, 1);
}

static void move_range(void *context, int begin, int end)
{
    const Ride *r = context;
    const int *link = r->step->model->geom_link;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &r->listed->points[i];
        r->counts[i] = !r->anew[link[c->geom1]] && !r->anew[link[c->geom2]];
        if (!r->counts[i]) continue;
        tn_contact_ride(r->step, c, &r->moved[i]);
        r->counts[i] = is_near(r->step, &r->moved[i]);
    }
}

/* ---- lists ---- */

/* Found contacts of each first geom, which need not stand together. */
typedef struct Groups {
    int *first, *next; /* per geom and per contact: index + 1; 0: none */
} Groups;

/* False: no memory. */
static bool group(const Ride *r, const TnContactList *found, Groups *out)
{
    TnArena *arena = &r->step->world->arena;
    out->first = TN_ARENA_ZERO(arena, int, r->step->model->geom_count);
    out->next = TN_ARENA_NEW(arena, int, found->count);
    if (!out->first || !out->next) return false;
    for (int i = found->count - 1; i >= 0; i--) {
        int *first = &out->first[found->points[i].geom1];
        out->next[i] = *first;
        *first = i + 1;
    }
    return true;
}

static void append_group(Groups *groups, int geom, const TnContactList *found, TnContactList *out)
{
    for (int i = groups->first[geom]; i; i = groups->next[i - 1])
        out->points[out->count++] = found->points[i - 1];
    groups->first[geom] = 0;
}

/* Those that ride and those that were found, of each first geom together. False: no memory. */
static bool join_lists(const Ride *r, const TnContactList *found)
{
    TnWorld *world = r->step->world;
    const TnListed *listed = r->listed;
    TnContactList *out = &world->contacts;
    Groups groups;
    out->points = TN_ARENA_NEW(&world->arena, TnContactPoint, listed->count + found->count);
    if (!out->points || !group(r, found, &groups)) return false;
    for (int i = 0; i < listed->count; i++) {
        int geom = listed->points[i].geom1;
        if (r->counts[i]) out->points[out->count++] = r->moved[i];
        if (i + 1 == listed->count || listed->points[i + 1].geom1 != geom)
            append_group(&groups, geom, found, out);
    }
    for (int i = 0; i < found->count; i++)
        append_group(&groups, found->points[i].geom1, found, out);
    return true;
}

/* Most links move so little over the whole step that their contacts will ride. */
static bool is_quiet(const TnStep *step)
{
    const TnWorld *world = step->world;
    double most = most_way(step), whole = world->substeps * step->t;
    int fast = 0;
    for (int l = 1; l < step->model->link_count; l++) {
        const double *v = world->twists[l];
        double radius = world->groups->radius[l];
        fast += world->listed.round[l]
                    ? whole * v3_norm(v) > most
                    : whole * (v3_norm(v) + radius * v3_norm(v + 3)) > fmin(most, AT_REST * radius);
    }
    return fast <= MOST_ANEW * step->model->link_count;
}

bool tn_step_may_ride(const TnStep *step)
{
    const TnWorld *world = step->world;
    if (world->substeps == 1 || world->anew || step->model->soft_count || world->bounces ||
        world->state.asleep_count || world->mocap_moves)
        return false;
    return world->substep > 0 ? world->listed.known : is_quiet(step);
}

/* For the whole step; the sub-step takes those of its own. */
static bool list_ahead(TnStep *step)
{
    TnWorld *world = step->world;
    TnContactList *list = &world->contacts;
    if (!tn_step_detect_free(step, whole_slack(step), NULL, list)) return false;
    if (!keep_list(world, list)) return false;
    int count = 0;
    for (int i = 0; i < list->count; i++)
        if (is_near(step, &list->points[i])) list->points[count++] = list->points[i];
    list->count = count;
    return true;
}

static int count_anew(const Ride *r)
{
    int count = 0;
    for (int l = 1; l < r->step->model->link_count; l++) count += r->anew[l];
    return count;
}

bool tn_step_ride(TnStep *step)
{
    TnWorld *world = step->world;
    TnArena *arena = &world->arena;
    TnListed *listed = &world->listed;
    TnContactList found = {0};
    if (world->substep == 0) return list_ahead(step);
    Ride r = {.step = step,
              .listed = listed,
              .way = TN_ARENA_ZERO(arena, double, step->model->link_count),
              .ahead = TN_ARENA_ZERO(arena, double, step->model->link_count),
              .anew = TN_ARENA_ZERO(arena, uint8_t, step->model->link_count),
              .moved = TN_ARENA_NEW(arena, TnContactPoint, listed->count),
              .counts = TN_ARENA_NEW(arena, bool, listed->count)};
    if (!r.way || !r.ahead || !r.anew || !r.moved || !r.counts) return false;
    find_ways(&r);
    mark_links(&r);
    int anew = count_anew(&r);
    if (anew > MOST_ANEW * step->model->link_count) {
        listed->known = false;
        return tn_step_detect_free(step, tn_step_slack(step), NULL, &world->contacts);
    }
    tn_pool_run(world->team, listed->count, GRAIN, move_range, &r);
    if (anew && !tn_step_detect_free(step, tn_step_slack(step), r.anew, &found)) return false;
    return join_lists(&r, &found);
}
