/* spread_movers.c: robots, cables, soft bodies, and whatever equalities, tendons or actuators act
 * on, in a world that ranks step in parts; see spread.h.
 *
 * Each rank has all of these movers, with all free bodies near them. A contact of a mover is then
 * listed by all ranks, at the same place among its contacts, and the velocity of a free body in it
 * is told to all in each iteration, as that of any ghost. So all ranks find the same forces on a
 * mover and move it by the same bits; nothing of it is ever sent.
 *
 * Near a mover is whoever's reach meets a ball about one of its links, or about a node of its
 * surface: no point of a triangle is farther from its next corner than 1/√3 of its longest edge. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

#define BLOCK 16           /* balls in a box */
#define SHARE_OF_EDGE 0.58 /* 1/√3 */

/* ---- which ---- */

static void mark_link(const TnModel *m, int link, bool *mover)
{
    if (m->links[link].subsystem >= 0) mover[m->links[link].subsystem] = true;
}

bool tn_spread_find_movers(TnWorld *world)
{
    const TnModel *m = world->model;
    TnSpread *spread = world->spread;
    size_t n = (size_t)m->subsystem_count + 1,
           kept = (size_t)(m->act_count + m->actuator_count) + 13 * (size_t)m->mocap_count;
    if (!spread->mover) spread->mover = tn_calloc(n, sizeof(bool));
    if (!spread->movers) spread->movers = tn_calloc(n, sizeof(int));
    if (!spread->kept) spread->kept = tn_calloc(kept + 1, sizeof(double));
    if (!spread->mover || !spread->movers || !spread->kept) return false;
    for (int s = 0; s < m->subsystem_count; s++)
        spread->mover[s] =
            m->subsystems[s].kind != TN_SUBSYSTEM_RIGID || world->tied[s] || world->minds[s];
    for (int i = 0; i < m->tendon_count; i++)
        if (m->tendons[i].subsystem >= 0) spread->mover[m->tendons[i].subsystem] = true;
    for (int i = 0; i < m->actuator_count; i++)
        if (tn_actuator_subsystem(m, i) >= 0) spread->mover[tn_actuator_subsystem(m, i)] = true;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++)
            mark_link(m, m->paths[i].links[k], spread->mover);
    for (int i = 0; i < m->equality_count; i++) { /* those that may be switched on, too */
        const TnEquality *e = &m->equalities[i];
        if (e->type >= TN_EQUALITY_JOINT) continue;
        mark_link(m, m->bodies[e->body1].link, spread->mover);
        mark_link(m, m->bodies[e->body2].link, spread->mover);
    }
    spread->mover_count = 0;
    for (int s = 0; s < m->subsystem_count; s++)
        if (spread->mover[s]) spread->movers[spread->mover_count++] = s;
    return true;
}

/* ---- balls ---- */

static void add_ball(TnWorld *world, int s, int index, const double center[3], double radius,
                     double speed)
{
    TnSpread *spread = world->spread;
    TnBall *ball = &spread->balls[spread->ball_count++];
    double slack = tn_world_solver(world).velocity_scale * world->t;
    *ball = (TnBall){.s = s, .index = index, .radius = radius + spread->contact_margin};
    v3_copy(ball->center, center);
    ball->room = tn_spread_room(world, speed) + spread->more_room;
    ball->reach = ball->radius + ball->room + 0.5 * slack;
}

static void add_links(TnWorld *world, int s)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    const int *geom_start = world->spread->index.geom_start;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const double *twist = world->twists[l];
        double radius = world->groups->radius[l];
        if (geom_start[l] == geom_start[l + 1]) continue;
        add_ball(world, s, l - sub->link_start, world->frames[l].com, radius,
                 v3_norm(twist) + v3_norm(twist + 3) * radius);
    }
}

/* Of each node of a surface, the longest edge. */
static void find_edges(const TnWorld *world, const TnSoft *soft, double *longest)
{
    const double *x = world->state.qpos + soft->qpos_start;
    for (int i = 0; i < soft->node_count; i++) longest[i] = 0.0;
    for (int t = 0; t < soft->triangle_count; t++) {
        const int32_t *corner = soft->triangles + 3L * t;
        double most = 0.0, d[3];
        for (int k = 0; k < 3; k++) {
            v3_sub(d, x + 3L * corner[k], x + 3L * corner[(k + 1) % 3]);
            most = fmax(most, v3_norm(d));
        }
        for (int k = 0; k < 3; k++) longest[corner[k]] = fmax(longest[corner[k]], most);
    }
}

static bool add_nodes(TnWorld *world, int s)
{
    const TnSoft *soft = &world->model->softs[world->model->subsystems[s].kind_index];
    double *longest = tn_malloc(sizeof(double) * (size_t)(soft->node_count + 1));
    if (!longest) return false;
    find_edges(world, soft, longest);
    for (int i = 0; i < soft->surface_node_count; i++) {
        int node = soft->surface_nodes[i];
        add_ball(world, s, node, world->state.qpos + soft->qpos_start + 3L * node,
                 SHARE_OF_EDGE * longest[node] + soft->radius,
                 v3_norm(world->state.qvel + soft->dof_start + 3L * node));
    }
    tn_free(longest);
    return true;
}

bool tn_spread_place_balls(TnWorld *world)
{
    const TnModel *m = world->model;
    TnSpread *spread = world->spread;
    size_t most = (size_t)m->link_count + 1;
    spread->ball_count = 0;
    spread->more_room =
        spread->lacked > 0.0 ? spread->more_room + 1.5 * spread->lacked : 0.5 * spread->more_room;
    /* nobody else has something that these may meet */
    if (tn_ranks_count(world->def.ranks) == 1 || spread->mover_count == m->subsystem_count)
        return true;
    for (int i = 0; i < m->soft_count; i++) most += (size_t)m->softs[i].surface_node_count;
    if (!spread->balls) spread->balls = tn_malloc(sizeof *spread->balls * most);
    bool ok = spread->balls;
    for (int i = 0; ok && i < spread->mover_count; i++) {
        if (m->subsystems[spread->movers[i]].kind == TN_SUBSYSTEM_SOFT)
            ok = add_nodes(world, spread->movers[i]);
        else
            add_links(world, spread->movers[i]);
    }
    return ok;
}

/* ---- who is near them ---- */

typedef struct Box {
    double low[3], high[3]; /* of what some balls reach */
} Box;

static Box box_of(const TnSpread *spread, int first)
{
    Box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = first; k < first + BLOCK && k < spread->ball_count; k++)
        for (int i = 0; i < 3; i++) {
            const TnBall *ball = &spread->balls[k];
            box.low[i] = fmin(box.low[i], ball->center[i] - ball->reach);
            box.high[i] = fmax(box.high[i], ball->center[i] + ball->reach);
        }
    return box;
}

/* m: no ball of the box reaches nearer. */
static double gap_to(const Box *box, const double x[3])
{
    double gap = -INFINITY;
    for (int i = 0; i < 3; i++) gap = fmax(gap, fmax(box->low[i] - x[i], x[i] - box->high[i]));
    return gap;
}

void tn_spread_mark_near_movers(const TnWorld *world, TnOwned *own, double size, double *most)
{
    const TnSpread *spread = world->spread;
    for (int i = 0; i < own->count; i++) {
        own->bodies[i].everywhere = 0;
        most[i] = INFINITY;
    }
    for (int first = 0; first < spread->ball_count; first += BLOCK) {
        Box box = box_of(spread, first);
        for (int i = 0; i < own->count; i++) {
            TnSpreadBody *body = &own->bodies[i];
            double gap = gap_to(&box, body->numbers);
            if (gap > body->reach) {
                most[i] = fmin(most[i], gap - size);
                continue;
            }
            for (int k = first; k < first + BLOCK && k < spread->ball_count; k++) {
                double d[3], apart;
                v3_sub(d, body->numbers, spread->balls[k].center);
                apart = v3_norm(d) - spread->balls[k].reach;
                if (apart <= body->reach) body->everywhere = 1;
                most[i] = fmin(most[i], apart - size);
            }
        }
    }
    for (int i = 0; i < own->count; i++)
        if (own->bodies[i].everywhere) most[i] = INFINITY;
}

double tn_spread_movers_gone(const TnSpread *spread)
{
    double most = 0.0;
    for (int i = 0; i < spread->near.ball_count; i++) {
        const TnNearBall *ball = &spread->near.balls[i];
        most = fmax(most, tn_near_ball_way(spread->world, ball) / ball->room);
    }
    return most;
}

/* The part's balls. */
static bool hand_over_balls(TnSpread *spread)
{
    const TnModel *m = spread->model;
    TnNear *near = &spread->near;
    near->ball_count = spread->ball_count;
    near->balls = tn_calloc((size_t)spread->ball_count + 1, sizeof *near->balls);
    for (int i = 0; near->balls && i < spread->ball_count; i++) {
        const TnBall *ball = &spread->balls[i];
        const TnSubsystem *sub = &m->subsystems[spread->local[ball->s]];
        TnNearBall *to = &near->balls[i];
        *to = (TnNearBall){.room = ball->room};
        v3_copy(to->start, ball->center);
        if (sub->kind == TN_SUBSYSTEM_SOFT) {
            to->qpos = sub->qpos_start + 3 * ball->index;
            to->dof = sub->dof_start + 3 * ball->index;
        } else {
            to->link = sub->link_start + ball->index;
        }
    }
    return near->balls;
}

/* ---- their state ---- */

static void copy(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

/* Forces of rows, which have the same order in both models. */
static void copy_rows(TnState *to, const TnModel *to_model, const TnState *from,
                      const TnModel *from_model, const TnSubsystem *to_sub,
                      const TnSubsystem *from_sub)
{
    for (int l = 0; l < to_sub->link_count; l++) {
        const TnLink *a = &to_model->links[to_sub->link_start + l],
                     *b = &from_model->links[from_sub->link_start + l];
        copy(to->row_lambda + tn_row_slot_joint(to_model, a->joint_start, 0),
             from->row_lambda + tn_row_slot_joint(from_model, b->joint_start, 0),
             3 * a->joint_count);
    }
}

/* From one world to the other, of which one is the part. */
static void copy_movers(const TnWorld *from, TnWorld *to, const int *from_sub, const int *to_sub,
                        const int *list, int count)
{
    const TnModel *m = from->model, *n = to->model;
    const TnState *a = &from->state;
    TnState *b = &to->state;
    for (int i = 0; i < count; i++) {
        const TnSubsystem *x = &m->subsystems[from_sub ? from_sub[list[i]] : list[i]],
                          *y = &n->subsystems[to_sub ? to_sub[list[i]] : list[i]];
        copy(b->qpos + y->qpos_start, a->qpos + x->qpos_start, x->qpos_count);
        copy(b->qvel + y->dof_start, a->qvel + x->dof_start, x->dof_count);
        copy(b->vhat + y->dof_start, a->vhat + x->dof_start, x->dof_count);
        copy_rows(b, n, a, m, y, x);
    }
    copy(b->row_lambda, a->row_lambda, 6 * m->equality_count);
    copy(b->row_lambda + tn_row_slot_tendon(n, 0, 0), a->row_lambda + tn_row_slot_tendon(m, 0, 0),
         tn_row_slot_count(m) - tn_row_slot_tendon(m, 0, 0));
    if (a->tie_count == b->tie_count) copy(b->tie_lambda, a->tie_lambda, 3 * a->tie_count);
    copy(b->act, a->act, m->act_count);
    if (!b->ctrl_by_user) copy(b->ctrl, a->ctrl, m->actuator_count);
    copy(b->mocap, a->mocap, 7 * m->mocap_count);
    copy(b->mocap_twist, a->mocap_twist, 6 * m->mocap_count);
}

bool tn_spread_put_movers(TnWorld *world)
{
    TnSpread *spread = world->spread;
    copy_movers(world, spread->world, NULL, spread->local, spread->movers, spread->mover_count);
    return hand_over_balls(spread);
}

void tn_spread_get_movers(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    copy_movers(spread->world, world, spread->local, NULL, spread->movers, spread->mover_count);
    world->team = world->pool;
    tn_world_update_frames(world, spread->movers, spread->mover_count);
}

void tn_spread_drive_movers(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    const TnModel *m = world->model;
    TnWorld *part = spread->world;
    part->state.ctrl_by_user = world->state.ctrl_by_user;
    copy(part->state.ctrl, world->state.ctrl, m->actuator_count);
    copy(part->state.mocap_target, world->state.mocap_target, 7 * m->mocap_count);
    part->node_force_set = world->node_force_set;
    for (int i = 0; world->node_force_set && i < m->soft_count; i++)
        copy(part->node_force + spread->model->softs[i].dof_start,
             world->node_force + m->softs[i].dof_start, 3 * m->softs[i].node_count);
    if (spread->mover_count) part->energies_known = false;
}

/* What is found beside the state is not among it (take_back in spread.c). */
static void keep(TnSpread *spread, bool back)
{
    const TnModel *m = spread->model;
    TnState *state = &spread->world->state;
    double *const parts[] = {state->act, state->ctrl, state->mocap, state->mocap_twist};
    const int counts[] = {m->act_count, m->actuator_count, 7 * m->mocap_count, 6 * m->mocap_count};
    double *kept = spread->kept;
    for (int i = 0; i < 4; kept += counts[i++])
        copy(back ? parts[i] : kept, back ? kept : parts[i], counts[i]);
}

void tn_spread_keep_movers(TnSpread *spread) { keep(spread, false); }

void tn_spread_take_back_movers(TnSpread *spread) { keep(spread, true); }

/* ---- contacts ---- */

bool tn_spread_tells(const TnWorld *world, int geom1, int geom2)
{
    const TnSpread *spread = world->spread;
    int s = tn_geom_subsystem(spread->model, geom1);
    if (s < 0) s = tn_geom_subsystem(spread->model, geom2);
    if (s >= 0 && !(spread->near.mover && spread->near.mover[s])) return spread->near.own[s];
    return !world->def.ranks || world->def.ranks->rank == 0; /* that all have */
}
