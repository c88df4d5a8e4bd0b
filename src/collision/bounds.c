/* bounds.c: where each geom is and the box that holds it over the step.
 *
 * A box grows by t times the fastest point's speed, half the slack and its margin on every side: two geoms whose boxes do not meet
 * are farther apart than margin + t · approach speed + slack. */
#include "../math/vec3.h"
#include "collider.h"

/* Half box of a shape in world axes. */
static void half_box(const TnShape *shape, const double rot[9], const double half_extent[3], double h[3])
{
    const double *s = shape->size;
    for (int i = 0; i < 3; i++) {
        const double *row = rot + 3 * i;
        switch (shape->type) {
        case TN_GEOM_SPHERE: h[i] = s[0]; break;
        case TN_GEOM_CAPSULE: h[i] = s[0] + s[1] * fabs(row[2]); break;
        case TN_GEOM_CYLINDER: h[i] = s[1] * fabs(row[2]) + s[0] * sqrt(fmax(0.0, 1.0 - row[2] * row[2])); break;
        case TN_GEOM_ELLIPSOID: {
            double e[3] = {s[0] * row[0], s[1] * row[1], s[2] * row[2]};
            h[i] = v3_norm(e);
            break;
        }
        default: h[i] = half_extent[0] * fabs(row[0]) + half_extent[1] * fabs(row[1]) + half_extent[2] * fabs(row[2]);
        }
    }
}

/* Outwards to float: the centre's rounding is added to the half box. */
static void set_bounds(TnBounds *b, int slot, const double c[3], const double h[3], double grow)
{
    b->slot = slot;
    b->pad = 0.0f;
    for (int i = 0; i < 3; i++) {
        b->c[i] = (float)c[i];
        b->h[i] = (float)((h[i] + grow + 2.4e-7 * fabs(c[i])) * (1.0 + 3e-7));
    }
}

/* Level k holds boxes with sides up to cell · 2^k. */
static int8_t level_of(const TnBounds *b, double cell)
{
    float h = b->h[0] > b->h[1] ? b->h[0] : b->h[1];
    double side = 2.0 * (double)(h > b->h[2] ? h : b->h[2]) / cell;
    int k = 0;
    if (!(side < INFINITY)) return TN_LEVEL_MAX - 1;
    (void)frexp(side, &k);
    k += TN_LEVEL_MAX / 2;
    return (int8_t)(k < 0 ? 0 : k > TN_LEVEL_MAX - 1 ? TN_LEVEL_MAX - 1 : k);
}

static void update_moving(const TnDetection *d, int slot)
{
    TnCollider *c = d->collider;
    const TnGeom *g = &c->model->geoms[c->geom[slot]];
    const TnLinkFrame *f = &d->frames[g->link];
    const double *twist = d->twists[g->link];
    TnTransform *place = &c->place[slot];
    TnSlotMotion *motion = &c->motion[slot];
    bool round = g->type == TN_GEOM_SPHERE, plane = g->type == TN_GEOM_PLANE;

    m3_mul_v(place->pos, f->rot, g->link_pos);
    v3_add(place->pos, place->pos, f->pos);
    if (!round) m3_mul(place->rot, f->rot, g->link_rot);

    double arm[3];
    v3_sub(arm, place->pos, f->com);
    v3_cross(motion->velocity, twist + 3, arm);
    v3_add(motion->velocity, motion->velocity, twist);
    motion->speed = v3_norm(motion->velocity);
    if (!round && !plane) motion->speed += v3_norm(twist + 3) * g->bounding_radius;
    if (plane) return;

    double h[3];
    half_box(&c->shape[slot], place->rot, g->half_extent, h);
    set_bounds(&c->bounds[slot], slot, place->pos, h, d->t * motion->speed + 0.5 * d->slack + c->bound_margin[slot]);
    c->level[slot] = level_of(&c->bounds[slot], c->cell);
}

/* A fixed geom keeps its place; only the slack can change. */
static void update_fixed(const TnDetection *d, int slot)
{
    TnCollider *c = d->collider;
    const TnGeom *g = &c->model->geoms[c->geom[slot]];
    double h[3];
    if (g->type == TN_GEOM_PLANE) return;
    half_box(&c->shape[slot], c->place[slot].rot, g->half_extent, h);
    set_bounds(&c->bounds[slot], slot, c->place[slot].pos, h, 0.5 * d->slack + c->bound_margin[slot]);
    c->level[slot] = level_of(&c->bounds[slot], c->cell);
}

void tn_bounds_update(const TnDetection *d, int begin, int end)
{
    for (int slot = begin; slot < end; slot++) {
        if (slot < d->collider->moving_count) update_moving(d, slot);
        else update_fixed(d, slot);
    }
}
