/* near_impact.c: hits with restitution in a world that ranks step in parts.
 *
 * impact.c resolves hits one after the other, and hits of one moment together, which can lead from
 * rank to rank. Here only those hits are resolved within the step whose two bodies meet no third
 * one in it: what they do depends on the two alone, so both their ranks find the same. (One of the
 * two may be fixed.) Neighbours are told which bodies hit each other, and what became of those that
 * were hit. All other hits the solver treats as it does those of cables: u_n⁺ >= -ε u_n⁻ at the end
 * of the step.
 */
#include <math.h>
#include <string.h>

#include "../collision/collider.h"
#include "../impact/impact_parts.h"
#include "../math/vec3.h"
#include "near.h"

/* What a body hits: its number, or */
enum { FIXED = -1, NO_BODY = -2, SEVERAL = -3 };

/* What neighbours are told of a body that was hit. */
enum { HIT, SINCE, TURNED, V, SHIFT = V + 6, QUAT = SHIFT + 6, NUMBERS = QUAT + 4 };

typedef struct NearHits {
    TnImpacts x;
    TnHitPaths paths;
    double *partner; /* per subsystem */
    int *first,
        (*next)[2]; /* hits of a subsystem, and behind each side of one the next; -1: none */
    int *pair;      /* scratch: hits of one pair */
} NearHits;

/* ---- which bodies hit each other ---- */

/* Something that closes in the step, or touches already. */
static bool counts(const TnImpacts *x, const TnHit *h)
{
    const TnGeom *geoms = x->step->model->geoms;
    double size = fmin(geoms[h->c->geom1].bounding_radius, geoms[h->c->geom2].bounding_radius);
    return h->time < INFINITY || tn_hit_gap(h, 0.0) <= TN_TOUCHING * size;
}

static void find_partners(const NearHits *n)
{
    const TnImpacts *x = &n->x;
    const TnNear *near = x->step->world->near;
    for (int s = 0; s < x->step->model->subsystem_count; s++)
        n->partner[s] = x->blocked[s] < INFINITY ? SEVERAL : NO_BODY;
    for (int i = 0; i < x->count; i++) {
        const TnHit *h = &x->hits[i];
        if (!counts(x, h)) continue;
        for (int k = 0; k < 2; k++) {
            const TnHitBody *b = h->side[k].body, *other = h->side[!k].body;
            if (!b) continue;
            double *partner = &n->partner[b->subsystem],
                   number = other ? near->number[other->subsystem] : FIXED;
            if (*partner == NO_BODY)
                *partner = number;
            else if (*partner != number)
                *partner = SEVERAL;
        }
    }
}

/* Neither of the two meets a third body. */
static bool is_alone(const NearHits *n, const TnHit *h)
{
    const TnNear *near = n->x.step->world->near;
    for (int k = 0; k < 2; k++) {
        const TnHitBody *b = h->side[k].body, *other = h->side[!k].body;
        if (b && n->partner[b->subsystem] != (other ? near->number[other->subsystem] : FIXED))
            return false;
    }
    return true;
}

static bool list_hits(NearHits *n)
{
    TnImpacts *x = &n->x;
    TnArena *arena = x->arena;
    int subsystems = x->step->model->subsystem_count;
    n->first = TN_ARENA_NEW(arena, int, subsystems + 1);
    n->next = tn_arena_alloc(arena, sizeof *n->next * (size_t)(x->count + 1));
    n->pair = TN_ARENA_NEW(arena, int, x->count + 1);
    if (!n->first || !n->next || !n->pair) return false;
    for (int s = 0; s < subsystems; s++) n->first[s] = -1;
    for (int i = x->count - 1; i >= 0; i--)
        for (int k = 0; k < 2; k++) {
            const TnHitBody *b = x->hits[i].side[k].body;
            if (!b) continue;
            n->next[i][k] = n->first[b->subsystem];
            n->first[b->subsystem] = i;
        }
    return true;
}

static int next_of(const NearHits *n, int hit, const TnHitBody *b)
{
    return n->next[hit][n->x.hits[hit].side[1].body == b];
}

/* Of the same two bodies, in their order; returns the one that comes first, restitution or not. */
static int list_pair(NearHits *n, int hit)
{
    TnImpacts *x = &n->x;
    const TnHitSide *side = x->hits[hit].side;
    const TnHitBody *b = side[0].body ? side[0].body : side[1].body,
                    *other = side[0].body ? side[1].body : NULL;
    int first = hit;
    x->among = n->pair;
    x->among_count = 0;
    for (int i = n->first[b->subsystem]; i >= 0; i = next_of(n, i, b)) {
        const TnHitSide *its = x->hits[i].side;
        if ((its[0].body == b ? its[1].body : its[0].body) != other) continue;
        n->pair[x->among_count++] = i;
        if (x->hits[i].time < x->hits[first].time) first = i;
    }
    return first;
}

/* False: no memory. */
static bool resolve(NearHits *n)
{
    TnImpacts *x = &n->x;
    if (!list_hits(n)) return false;
    for (int i = 0; i < x->count; i++) {
        const TnHit *h = &x->hits[i];
        if (h->passive || !(h->time < INFINITY) || tn_hit_is_fresh(h) || !is_alone(n, h)) continue;
        if (!tn_hit_resolve(x, list_pair(n, i))) return false;
    }
    return true;
}

/* ---- between ranks ---- */

/* A number per subsystem. */
static bool tell(TnStep *step, int stride, double *values)
{
    TnNearExchange told;
    if (!tn_near_open(step, stride, &told)) return false;
    tn_near_tell(&told, values);
    tn_near_close(&told);
    return true;
}

/* What rests on something: others' bodies are told by their ranks. */
static bool tell_carried(NearHits *n)
{
    TnStep *step = n->x.step;
    int count = step->model->subsystem_count;
    double *carried = TN_ARENA_NEW(&step->world->arena, double, count + 1);
    if (!carried) return false;
    for (int s = 0; s < count; s++) carried[s] = n->x.carried[s];
    if (!tell(step, 1, carried)) return false;
    for (int s = 0; s < count; s++) n->x.carried[s] = carried[s] != 0.0;
    return true;
}

static void pack(const TnHitBody *b, double out[NUMBERS])
{
    out[HIT] = 1.0;
    out[SINCE] = b->since;
    out[TURNED] = b->turned;
    memcpy(out + V, b->v, sizeof(double[6]));
    memcpy(out + SHIFT, b->shift, sizeof(double[6]));
    quat_copy(out + QUAT, b->quat);
}

static void unpack(TnHitBody *b, const double in[NUMBERS])
{
    b->hit = true;
    b->since = in[SINCE];
    b->turned = in[TURNED];
    memcpy(b->v, in + V, sizeof(double[6]));
    memcpy(b->shift, in + SHIFT, sizeof(double[6]));
    quat_copy(b->quat, in + QUAT);
}

/* What became of others' bodies. */
static bool tell_hits(NearHits *n)
{
    TnImpacts *x = &n->x;
    TnStep *step = x->step;
    const TnNear *near = step->world->near;
    int count = step->model->subsystem_count,
        ghosts = near->count ? near->receive_start[near->count] : 0;
    double *numbers = TN_ARENA_ZERO(&step->world->arena, double, NUMBERS *(count + 1));
    if (!numbers) return false;
    for (int s = 0; s < count; s++)
        if (x->bodies[s] && x->bodies[s]->hit) pack(x->bodies[s], numbers + (long)NUMBERS * s);
    if (!tell(step, NUMBERS, numbers)) return false;
    for (int k = 0; k < ghosts; k++) {
        int s = near->receive[k];
        const double *told = numbers + (long)NUMBERS * s;
        if (told[HIT] == 0.0) continue;
        TnHitBody *b = tn_hit_body(x, s);
        if (!b) return false;
        unpack(b, told);
    }
    return true;
}

/* ---- together ---- */

bool tn_near_impacts(TnStep *step)
{
    NearHits n;
    bool any;
    n.partner = TN_ARENA_NEW(&step->world->arena, double, step->model->subsystem_count + 1);
    if (!n.partner || !tn_hits_open(step, &n.x, &n.paths) || !tell_carried(&n)) return false;
    if (!tn_hits_find(&n.x, &n.paths, NULL)) return false;
    tn_hits_find_times(&n.x);
    find_partners(&n);
    if (!tell(step, 1, n.partner) || !resolve(&n) || !tn_near_any(step, n.x.any, &any))
        return false;
    /* where a body was hit, all look for contacts in the same way */
    return !any || (tell_hits(&n) && tn_hits_take_over(&n.x, &n.paths));
}

bool tn_near_rests(const TnWorld *world, const TnContactPoint *c, double slow)
{
    double apart = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *twist = world->twists[world->model->geom_link[k ? c->geom2 : c->geom1]];
        double v[3];
        v3_cross(v, twist + 3, k ? c->arm2 : c->arm1);
        v3_add(v, v, twist);
        apart += (k ? 1.0 : -1.0) * v3_dot(v, c->normal);
    }
    return apart >= -slow;
}
