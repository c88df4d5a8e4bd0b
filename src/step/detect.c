/* detect.c: the step's collision: contacts over a motion, which after hits is looked at from their
 * times on. */
#include <string.h>

#include "../impact/impact_parts.h"
#include "../math/vec3.h"
#include "../ranks/near.h"

double tn_step_slack(const TnStep *step) { return tn_world_velocity_scale(step->world) * step->t; }

bool tn_step_collide(TnStep *step, const TnMotionInput *motion, TnContactList *out)
{
    TnWorld *world = step->world;
    return tn_collision_detect(world->collider, motion, &world->arena, world->team, out);
}

bool tn_step_detect_end(TnStep *step, const TnLinkFrame *frames, TnContactList *out)
{
    const TnWorld *world = step->world;
    TnMotionInput motion = {.frames = frames,
                            .twists = (const double(*)[6])world->next_twists,
                            .qpos = world->next_qpos,
                            .qvel = world->next_qvel,
                            .slack = tn_step_slack(step)};
    return tn_step_collide(step, &motion, out);
}

/* Of what was hit, the place at that time and the way from there, as a velocity over the whole
 * step.
 */
static bool set_paths(TnStep *step, const double (*u)[6], TnLinkFrame **frames,
                      double (**twists)[6])
{
    TnWorld *world = step->world;
    size_t n = (size_t)step->model->link_count;
    *frames = TN_ARENA_NEW(&world->arena, TnLinkFrame, n);
    *twists = tn_arena_alloc(&world->arena, sizeof(double[6]) * n);
    if (!*frames || !*twists) return false;
    memcpy(*frames, world->frames, sizeof **frames * n);
    memcpy(*twists, u, sizeof **twists * n);
    for (size_t l = 0; l < n; l++) {
        if (step->hits.since[l] == 0.0) continue;
        (*frames)[l] = step->hits.frames[l];
        for (int k = 0; k < 6; k++) (*twists)[l][k] -= step->hits.ways[l][k] / step->t;
    }
    return true;
}

/* Gaps from the times of hits back to the step's start. */
static void move_gaps(const TnStep *step, TnContactList *list)
{
    for (int i = 0; i < list->count; i++) {
        TnContactPoint *c = &list->points[i];
        for (int side = 0; side < 2; side++) {
            int link = step->model->geom_link[side ? c->geom2 : c->geom1];
            const double *hit = step->hits.ways[link];
            double way[3];
            if (step->hits.since[link] == 0.0 || (side ? c->soft2 : c->soft1) >= 0) continue;
            v3_cross(way, hit + 3, side ? c->arm2 : c->arm1);
            v3_add(way, way, hit);
            c->gap += (side ? -1.0 : 1.0) * v3_dot(c->normal, way);
        }
    }
}

/* Restitution of these is dealt with. */
static void drop_restitution(const TnStep *step, TnContactList *list)
{
    const TnWorld *world = step->world;
    for (int i = 0; i < list->count; i++) {
        TnContactPoint *c = &list->points[i];
        if (!(c->restitution > 0.0) || !tn_impact_takes(world, c->geom1, c->geom2)) continue;
        if (world->near && !tn_near_rests(world, c, tn_hits_rest(step))) continue;
        c->restitution = 0.0;
        c->resolved = true;
    }
}

static bool detect(TnStep *step, const double (*u)[6], const double *u_nodes, double slack,
                   bool alone, double surprise, const uint8_t *only, TnContactList *out)
{
    TnWorld *world = step->world;
    /* the list is of this step's places if collision looked at these */
    bool foreseen = step->free.placed && surprise > 0.0;
    TnMotionInput motion = {.frames = world->frames,
                            .twists = u,
                            .held = u == (const double(*)[6])step->free.twists
                                        ? (const double(*)[6])step->free.held
                                        : u,
                            .qpos = world->state.qpos,
                            .qvel = u_nodes,
                            .t = step->t,
                            .slack = slack,
                            .alone = alone,
                            .only = only,
                            .moved = !step->free.placed,
                            .expected = foreseen ? (const double(*)[6])step->free.twists : NULL,
                            .surprise = surprise};
    step->free.placed = true;
    if (step->hits.since) {
        TnLinkFrame *frames;
        double(*twists)[6];
        if (!set_paths(step, u, &frames, &twists)) return false;
        motion.frames = frames;
        motion.twists = (const double(*)[6])twists;
        motion.held = motion.expected = NULL;
    }
    if (!tn_step_collide(step, &motion, out)) return false;
    if (step->hits.since) move_gaps(step, out);
    if (world->bounces) drop_restitution(step, out);
    return true;
}

bool tn_step_detect(TnStep *step, const double (*u)[6], const double *u_nodes, bool alone,
                    double surprise, const uint8_t *only, TnContactList *out)
{
    return detect(step, u, u_nodes, tn_step_slack(step), alone, surprise, only, out);
}

bool tn_step_detect_free(TnStep *step, double slack, const uint8_t *only, TnContactList *out)
{
    return detect(step, (const double(*)[6])step->free.twists, step->free.qvel, slack, false, 0.0,
                  only, out);
}

static void hold_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    const TnModel *model = step->model;
    for (int l = begin; l < end; l++) {
        int s = model->links[l].subsystem;
        bool goes_on = s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_RIGID &&
                       !tn_left_out(&step->dynamics, s);
        memcpy(step->free.held[l], goes_on ? step->world->twists[l] : step->free.twists[l],
               sizeof(double[6]));
    }
}

/* Free bodies may be borne: then they go on as they did. */
static bool find_held(TnStep *step)
{
    const TnModel *model = step->model;
    step->free.held =
        tn_arena_alloc(&step->world->arena, sizeof(double[6]) * (size_t)model->link_count);
    if (!step->free.held) return false;
    tn_pool_run(step->world->team, model->link_count, 1024, hold_range, step);
    return true;
}

bool tn_step_detect_contacts(TnStep *step)
{
    TnWorld *world = step->world;
    if (!find_held(step)) return false;
    return tn_step_detect_free(step, tn_step_slack(step), NULL, &world->contacts);
}
