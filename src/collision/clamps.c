/* clamps.c: fixed geoms that a rod comes out of.
 *
 * A segment that is welded to the world is held by the fixed geoms that contain its axis, such as a
 * post with the cable's end in it. What holds it does not collide with it, nor with the segments
 * next to it that lie within the same geom in the reference pose, nor with those near where the rod
 * comes out. What only lies on the ground is not held by it. Neither of them ever moves, so this is
 * found once. */
#include "collider.h"

#include "../math/vec3.h"

static const TnRod *rod_of(const TnModel *m, int link)
{
    return &m->rods[m->subsystems[m->links[link].subsystem].kind_index];
}

/* Is the axis of a segment within a fixed geom? */
static bool is_within(const TnCollider *collider, int fixed, int segment)
{
    const TnModel *m = collider->model;
    const TnLink *link = &m->links[segment];
    const TnRod *rod = rod_of(m, segment);
    const double *pos = link->held ? link->hold_pos : link->ref_pos;
    double half = 0.5 * rod->lengths[segment - rod->link_start], apart[3];
    TnShape axis = {.type = TN_GEOM_CAPSULE, .size = {TN_TOUCHING * rod->radius, half}};
    TnTransform at;
    TnManifold touch;
    v3_sub(apart, pos, collider->place[fixed].pos);
    double reach = half + axis.size[0] + collider->locals[fixed].bounding_radius;
    if (collider->shape[fixed].type != TN_GEOM_PLANE && v3_dot(apart, apart) > reach * reach)
        return false;
    v3_copy(at.pos, pos);
    quat_to_m3(at.rot, link->held ? link->hold_quat : link->ref_quat);
    return tn_collide(&axis, &at, &collider->shape[fixed], &collider->place[fixed], 0.0, &touch) &&
           touch.count > 0;
}

/* The last segment in a direction that a geom which holds one does not collide with. */
static int end_of_run(const TnCollider *collider, int fixed, int held, int way)
{
    const TnRod *rod = rod_of(collider->model, held);
    int first = rod->link_start, last = first + rod->segment_count - 1, i = held;
    while (i + way >= first && i + way <= last && is_within(collider, fixed, i + way)) i += way;
    i += way * (rod->near - 1);
    return i < first ? first : i > last ? last : i;
}

static void add(TnClamp *clamp, int fixed)
{
    for (int k = 0; k < clamp->count && k < TN_CLAMPS_LISTED; k++)
        if (clamp->fixed[k] == fixed) return;
    if (clamp->count < TN_CLAMPS_LISTED) clamp->fixed[clamp->count] = fixed;
    clamp->count++;
}

void tn_clamps_init(TnCollider *collider)
{
    const TnModel *m = collider->model;
    for (int l = 0; m->rod_count && l < m->link_count; l++)
        for (int fixed = collider->fixed_start; m->links[l].held && fixed < collider->count;
             fixed++) {
            if (!is_within(collider, fixed, l)) continue;
            int end = end_of_run(collider, fixed, l, 1);
            for (int i = end_of_run(collider, fixed, l, -1); i <= end; i++)
                add(&collider->clamps[i], fixed);
        }
}

/* For segments that more geoms hold than are listed. */
static bool is_held_by(const TnCollider *collider, int fixed, int segment)
{
    const TnModel *m = collider->model;
    const TnRod *rod = rod_of(m, segment);
    for (int l = rod->link_start; l < rod->link_start + rod->segment_count; l++)
        if (m->links[l].held && is_within(collider, fixed, l) &&
            segment >= end_of_run(collider, fixed, l, -1) &&
            segment <= end_of_run(collider, fixed, l, 1))
            return true;
    return false;
}

bool tn_is_clamped(const TnCollider *collider, int fixed, int link)
{
    if (!collider->model->rod_count) return false;
    const TnClamp *clamp = &collider->clamps[link];
    if (clamp->count > TN_CLAMPS_LISTED) return is_held_by(collider, fixed, link);
    for (int k = 0; k < clamp->count; k++)
        if (clamp->fixed[k] == fixed) return true;
    return false;
}
