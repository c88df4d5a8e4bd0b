/* near_movers.c: how far robots, cables and soft bodies get in a world that ranks step in parts;
 * see near.h.
 *
 * Ranks that have one have all free bodies near it. What is near was found for balls about links
 * and nodes that get no farther than their room. So before collision is asked, the free motion is
 * compared with that; where it leads farther on some rank, all reject the step, and neighbours are
 * found anew (spread.c). What the solution runs into is looked for as far as
 * balls have room: a little farther than the free motion leads. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "near.h"

/* Linear at the centre of mass, angular. */
static double speed_of(const TnWorld *world, int link, const double twist[6])
{
    return v3_norm(twist) + v3_norm(twist + 3) * world->groups->radius[link];
}

static double gone(const TnWorld *world, const TnNearBall *ball)
{
    double way[3];
    v3_sub(way, ball->link ? world->frames[ball->link].com : world->state.qpos + ball->qpos,
           ball->start);
    return v3_norm(way);
}

double tn_near_ball_way(const TnWorld *world, const TnNearBall *ball)
{
    double speed = ball->link ? speed_of(world, ball->link, world->twists[ball->link])
                              : v3_norm(world->state.qvel + ball->dof);
    return gone(world, ball) + TN_SWEPT * world->t * speed + tn_near_surprise(world->near);
}

static double free_speed(const TnStep *step, const TnNearBall *ball)
{
    const TnWorld *world = step->world;
    if (!ball->link)
        return fmax(v3_norm(world->state.qvel + ball->dof), v3_norm(step->free.qvel + ball->dof));
    return fmax(speed_of(world, ball->link, world->twists[ball->link]),
                speed_of(world, ball->link, step->free.twists[ball->link]));
}

/* m: how far a free body gets from where it was. After hits the state is not a real one. */
static double body_way(const TnStep *step, int s)
{
    const TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    int l = sub->link_start;
    const double *now = world->twists[l], *end = step->free.twists[l],
                 *before = step->hits.since ? step->hits.real_twists[l] : now;
    double lever = tn_near_lever(world, l), way[3], speed = 0.0;
    const double *const twists[] = {before, now, end};
    for (int k = 0; k < 3; k++)
        speed = fmax(speed, v3_norm(twists[k]) + lever * v3_norm(twists[k] + 3));
    v3_sub(way, (step->hits.since ? step->hits.real_qpos : world->state.qpos) + sub->qpos_start,
           world->near->start[s]);
    return v3_norm(way) + TN_SWEPT * step->t * speed + tn_near_surprise(world->near);
}

/* The free motion leads no farther than they have room. */
static bool has_room(TnStep *step)
{
    const TnNear *near = step->world->near;
    double lacked = 0.0;
    for (int s = 0; near->watches && s < step->model->subsystem_count; s++)
        if (near->own[s] && !(near->mover && near->mover[s]))
            lacked = fmax(lacked, body_way(step, s) - near->room[s]);
    for (int i = 0; i < near->ball_count; i++) {
        const TnNearBall *ball = &near->balls[i];
        double way = gone(step->world, ball) + TN_SWEPT * step->t * free_speed(step, ball) +
                     tn_near_surprise(near);
        lacked = fmax(lacked, way - ball->room);
    }
    *near->lacked = lacked;
    return lacked <= 0.0;
}

/* Free motion of others' bodies: what adhesion does to them is known where the body is that pulls.
 */
static bool tell_free_motion(TnStep *step)
{
    TnNearExchange told;
    if (!step->model->adhesion_count) return true;
    if (!tn_near_open(step, 6, &told)) return false;
    tn_near_tell_links(&told, (double *)step->free.twists);
    tn_near_close(&told);
    return true;
}

bool tn_near_may_go_on(TnStep *step, bool ok)
{
    const TnNear *near = step->world->near;
    bool asks = near->together || near->watches, stop = !ok || !has_room(step);
    if (asks && !tn_near_any(step, stop, &stop)) return false;
    *near->stopped = stop && asks;
    return !stop && tell_free_motion(step);
}

bool tn_near_tell_replanned(TnStep *step, bool *replanned)
{
    return !step->world->near || !step->world->near->together ||
           tn_near_any(step, *replanned, replanned);
}

double tn_near_most_speed(const TnStep *step, int link)
{
    TnNearBall ball = {.link = link};
    return free_speed(step, &ball) + tn_near_surprise(step->world->near) / step->t;
}

const double *tn_near_node_ways(TnStep *step)
{
    const TnModel *model = step->model;
    size_t bytes = sizeof(double) * (size_t)model->dof_count;
    if (!model->soft_count) return step->found.moved_qvel;
    double *u = tn_arena_alloc(&step->world->arena, bytes);
    if (!u) return NULL;
    memcpy(u, step->found.moved_qvel, bytes);
    for (int s = 0; s < model->soft_count; s++)
        for (int i = 0; i < model->softs[s].node_count; i++) {
            TnNearBall ball = {.dof = model->softs[s].dof_start + 3 * i};
            double most = free_speed(step, &ball) + tn_near_surprise(step->world->near) / step->t,
                   speed = v3_norm(u + ball.dof);
            if (speed > most) v3_scale(u + ball.dof, u + ball.dof, most / speed);
        }
    return u;
}
