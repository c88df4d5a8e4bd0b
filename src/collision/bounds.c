/* bounds.c: where each geom is and the box that holds it over the step.
 *
 * A box grows by t times the fastest point's speed, half the slack and its margin on every side:
 * two geoms whose boxes do not meet are farther apart than margin + t · approach speed + slack. */
#include "../base/shared.h"
#include "../math/vec3.h"
#include "collider.h"

/* Half box of a shape in world axes. */
static void half_box(const TnShape *shape, const double rot[9], const double half_extent[3],
                     double h[3])
{
    const double *s = shape->size;
    if (shape->type == TN_GEOM_CAPSULE) { /* rods have most of them */
        for (int i = 0; i < 3; i++) h[i] = s[0] + s[1] * fabs(rot[3 * i + 2]);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double *row = rot + 3 * i;
        switch (shape->type) {
        case TN_GEOM_SPHERE:
            h[i] = s[0];
            break;
        case TN_GEOM_CYLINDER:
            h[i] = s[1] * fabs(row[2]) + s[0] * sqrt(fmax(0.0, 1.0 - row[2] * row[2]));
            break;
        case TN_GEOM_ELLIPSOID: {
            double e[3] = {s[0] * row[0], s[1] * row[1], s[2] * row[2]};
            h[i] = v3_norm(e);
            break;
        }
        default:
            h[i] = half_extent[0] * fabs(row[0]) + half_extent[1] * fabs(row[1]) +
                   half_extent[2] * fabs(row[2]);
        }
    }
}

/* Outwards to float: the centre's rounding is added to box and ball, a little more for the rounding
 * in the tests themselves. */
static void set_bounds(TnBounds *b, int slot, const double c[3], const double h[3], double radius,
                       double grow)
{
    const double more = 1.0 + 1e-6;
    double rounding = 1.2e-7 * (fabs(c[0]) + fabs(c[1]) + fabs(c[2]));
    b->slot = slot;
    for (int i = 0; i < 3; i++) {
        b->c[i] = (float)c[i];
        b->h[i] = (float)((h[i] + grow + rounding) * more);
    }
    b->r = (float)((radius + grow + rounding) * more);
}

/* Level k holds boxes with sides up to cell · 2^k. */
static int8_t level_of(const TnBounds *b, double cell)
{
    float h = b->h[0] > b->h[1] ? b->h[0] : b->h[1];
    double side = 2.0 * (double)(h > b->h[2] ? h : b->h[2]) / cell;
    int k = 0;
    if (side >= 0.5 && side < 1.0) return TN_LEVEL_MAX / 2;
    if (!(side < INFINITY)) return TN_LEVEL_MAX - 1;
    (void)frexp(side, &k);
    k += TN_LEVEL_MAX / 2;
    return (int8_t)(k < 0 ? 0 : k > TN_LEVEL_MAX - 1 ? TN_LEVEL_MAX - 1 : k);
}

/* Of a slot whose link moves so. */
static void set_velocity(TnSlot *slot, const TnSlotLocal *local, const double com[3],
                         const double twist[6])
{
    double arm[3];
    v3_sub(arm, slot->pos, com);
    v3_cross(slot->velocity, twist + 3, arm);
    v3_add(slot->velocity, slot->velocity, twist);
    slot->speed = v3_norm(slot->velocity);
    if (slot->shape_type != TN_GEOM_SPHERE) /* turning moves the surface of all but a sphere */
        slot->speed += v3_norm(twist + 3) * local->bounding_radius;
}

static void update_velocity(const TnDetection *d, int index)
{
    TnSlot *slot = &d->collider->slots[index];
    set_velocity(slot, &d->collider->locals[index], d->frames[slot->link].com,
                 d->twists[slot->link]);
}

/* On a link that is there; of round ones the axes are nowhere asked for. */
static void place_on(const TnCollider *c, TnSlot *slot, const TnSlotLocal *local,
                     const TnLinkFrame *f, TnTransform *place)
{
    m3_mul_v(slot->pos, f->rot, local->pos);
    v3_add(slot->pos, slot->pos, f->pos);
    v3_copy(place->pos, slot->pos);
    if (slot->aligned)
        memcpy(place->rot, f->rot, sizeof place->rot);
    else if (slot->shape_type != TN_GEOM_SPHERE)
        m3_mul(place->rot, f->rot, c->model->geoms[slot->geom].link_rot);
}

void tn_bounds_place(const TnDetection *d, int index, double h[3])
{
    TnCollider *c = d->collider;
    TnSlot *slot = &c->slots[index];
    const TnSlotLocal *local = &c->locals[index];
    if (index < c->fixed_start) /* a fixed one keeps its place */
        place_on(c, slot, local, &d->frames[slot->link], &c->place[index]);
    half_box(&c->shape[index], c->place[index].rot, local->half_extent, h);
}

/* Of a slot with half box h that grows by so much. */
static void sweep_by(const TnSlot *slot, const TnSlotLocal *local, int index, const double h[3],
                     double grow, TnBounds *bounds)
{
    set_bounds(bounds, index, slot->pos, h,
               slot->shape_type == TN_GEOM_SPHERE ? slot->radius : local->bounding_radius, grow);
}

void tn_bounds_sweep(const TnDetection *d, int index, const double h[3])
{
    TnCollider *c = d->collider;
    const TnSlot *slot = &c->slots[index];
    const TnSlotLocal *local = &c->locals[index];
    double grow = 0.5 * d->slack + local->bound_margin;
    if (index < c->fixed_start) {
        update_velocity(d, index);
        grow += d->t * slot->speed;
    }
    sweep_by(slot, local, index, h, grow, &c->bounds[index]);
}

void tn_bounds_update(const TnDetection *d, int begin, int end)
{
    TnCollider *c = d->collider;
    for (int slot = begin; slot < end; slot++) {
        if (c->placed[slot]) continue;
        if (slot < c->finite_count) {
            double h[3];
            tn_bounds_place(d, slot, h);
            tn_bounds_sweep(d, slot, h);
            c->level[slot] = level_of(&c->bounds[slot], c->cell);
        }
        c->placed[slot] = slot >= c->fixed_start || c->sleeping[slot];
    }
}

/* Those that sleep or are left out, of moving slots [begin, end). */
static void sleep_range(void *context, int begin, int end)
{
    const TnDetection *d = (const TnDetection *)context; /* C++ reads this, too: src/gpu */
    TnCollider *c = d->collider;
    bool any_sleeping = false, any_asleep = false, awake = false, stale = false;
    for (int slot = begin; slot < end; slot++) {
        bool sleeps = c->asleep && c->asleep[c->subsystems[slot]];
        if (d->only && !sleeps &&
            !d->only[c->slots[slot].link]) { /* where the detection before had it, or not */
            if (!d->moved) update_velocity(d, slot);
            c->sleeping[slot] = 1;
            c->placed[slot] = !d->moved;
            any_sleeping = true;
            stale |= d->moved;
            continue;
        }
        c->sleeping[slot] = sleeps;
        if (!sleeps) c->placed[slot] = 0;
        any_sleeping |= sleeps;
        any_asleep |= sleeps;
        awake |= !sleeps;
        stale |= !c->placed[slot];
    }
    if (any_sleeping) tn_shared_set(&c->any_sleeping);
    if (any_asleep) tn_shared_set(&c->any_asleep);
    if (awake) tn_shared_set(&c->awake);
    if (stale) tn_shared_set(&c->stale);
}

void tn_bounds_sleep(TnDetection *d, TnPool *pool)
{
    TnCollider *c = d->collider;
    if (d->slack != c->slack) tn_collider_forget(c);
    c->slack = d->slack;
    c->any_sleeping = c->any_asleep = c->awake = c->stale = false;
    tn_pool_run(pool, c->moving_count, 256, sleep_range, d);
    for (int slot = c->moving_count; slot < c->fixed_start; slot++) {
        bool left_out = d->only && !d->moved;
        if (left_out) update_velocity(d, slot);
        c->placed[slot] = left_out;
    }
    for (int slot = c->moving_count; slot < c->count && !c->stale; slot++)
        c->stale = !c->placed[slot];
}
