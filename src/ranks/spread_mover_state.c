/* spread_mover_state.c: states of robots, cables and soft bodies of a world that ranks step in
 * parts; see spread.h. `common` has what owners last told of them. */
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "../math/vec3.h"
#include "spread.h"

/* The part's balls. */
static bool hand_over_balls(TnSpread *spread)
{
    const TnModel *m = spread->part.model;
    TnNear *near = &spread->near;
    near->ball_count = 0;
    near->balls = tn_calloc((size_t)spread->ball_count + 1, sizeof *near->balls);
    for (int i = 0; near->balls && i < spread->ball_count; i++) {
        const TnBall *ball = &spread->balls[i];
        int k = spread->place[ball->s];
        if (k < 0) continue;
        const TnSubsystem *sub = &m->subsystems[k];
        TnNearBall *to = &near->balls[near->ball_count++];
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

static void copy(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, sizeof(double) * (size_t)count);
}

/* ---- between the whole, `common` and the part ---- */

static bool is_here(const TnSpread *spread, int mover) { return spread->place[mover] >= 0; }

/* A subsystem that an equality acts on; -1: none. */
static int equality_side(const TnModel *m, const TnEquality *e)
{
    if (e->type == TN_EQUALITY_JOINT) return m->links[m->joints[e->joint1].link].subsystem;
    if (e->type == TN_EQUALITY_TENDON) return m->tendons[e->tendon1].subsystem;
    int s = m->links[m->bodies[e->body1].link].subsystem;
    return s >= 0 ? s : m->links[m->bodies[e->body2].link].subsystem;
}

typedef struct Side {
    const TnModel *model;
    TnState *state;
} Side;

/* Subsystem `a` of the one, `b` of the other. */
static void copy_subsystem(Side to, Side from, int a, int b)
{
    const TnSubsystem *y = &to.model->subsystems[a], *x = &from.model->subsystems[b];
    to.state->owed[a] = from.state->owed[b];
    copy(to.state->qpos + y->qpos_start, from.state->qpos + x->qpos_start, x->qpos_count);
    copy(to.state->qvel + y->dof_start, from.state->qvel + x->dof_start, x->dof_count);
    copy(to.state->vhat + y->dof_start, from.state->vhat + x->dof_start, x->dof_count);
    for (int l = 0; l < y->link_count; l++) {
        const TnLink *link = &to.model->links[y->link_start + l],
                     *other = &from.model->links[x->link_start + l];
        copy(to.state->row_lambda + tn_row_slot_joint(to.model, link->joint_start, 0),
             from.state->row_lambda + tn_row_slot_joint(from.model, other->joint_start, 0),
             3 * link->joint_count);
    }
    if (y->kind != TN_SUBSYSTEM_SOFT) return;
    copy(to.state->row_lambda + tn_row_slot_hold(to.model, y->kind_index, 0, 0),
         from.state->row_lambda + tn_row_slot_hold(from.model, x->kind_index, 0, 0),
         3 * to.model->softs[y->kind_index].hold_count);
}

/* Of what is in one list for all movers, and is the same on all ranks where that list is not empty.
 */
static void copy_common(Side to, Side from)
{
    const TnModel *m = from.model;
    copy(to.state->row_lambda + tn_row_slot_tendon(to.model, 0, 0),
         from.state->row_lambda + tn_row_slot_tendon(m, 0, 0),
         3 * (m->tendon_count + m->wheel_count));
    copy(to.state->row_lambda + tn_row_slot_tie(to.model, 0, 0),
         from.state->row_lambda + tn_row_slot_tie(m, 0, 0), 3 * m->tie_count + m->force_count);
    if (to.state->tie_count == from.state->tie_count)
        copy(to.state->tie_lambda, from.state->tie_lambda, 3 * from.state->tie_count);
    copy(to.state->mocap, from.state->mocap, 7 * m->mocap_count);
    copy(to.state->mocap_twist, from.state->mocap_twist, 6 * m->mocap_count);
}

/* Of what keeps its number everywhere. */
static void copy_numbered(Side to, Side from)
{
    copy(to.state->row_lambda, from.state->row_lambda, 6 * from.model->equality_count);
    copy(to.state->act, from.state->act, from.model->act_count);
    copy(to.state->ctrl, from.state->ctrl, from.model->actuator_count);
}

static Side side_of(TnWorld *world) { return (Side){world->model, &world->state}; }

bool tn_spread_put_movers(TnWorld *world)
{
    TnSpread *spread = world->spread;
    Side to = side_of(spread->world), from = side_of(spread->common);
    for (int i = 0; i < spread->here_count; i++)
        copy_subsystem(to, from, spread->place[spread->here[i]], spread->here[i]);
    copy_numbered(to, from);
    copy_common(to, from);
    return hand_over_balls(spread);
}

/* What this rank has. */
static void take(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    Side to = side_of(spread->common), from = side_of(spread->world);
    const TnModel *m = to.model;
    for (int i = 0; i < spread->here_count; i++)
        copy_subsystem(to, from, spread->here[i], spread->place[spread->here[i]]);
    for (int i = 0; i < m->equality_count; i++) {
        int s = equality_side(m, &m->equalities[i]);
        if (s >= 0 && is_here(spread, s))
            copy(to.state->row_lambda + 6L * i, from.state->row_lambda + 6L * i, 6);
    }
    for (int i = 0; i < m->actuator_count; i++) {
        const TnActuator *a = &m->actuators[i];
        int s = tn_actuator_subsystem(m, i);
        if (a->act >= 0 && (s < 0 || is_here(spread, s)))
            copy(to.state->act + a->act, from.state->act + a->act,
                 tn_activation_count(a->activation, &a->pid));
    }
    if (!to.state->ctrl_by_user) copy(to.state->ctrl, from.state->ctrl, m->actuator_count);
    copy_common(to, from);
}

void tn_spread_movers_from_whole(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    Side to = side_of(spread->common), from = side_of(world);
    for (int i = 0; i < tn_spread_mover_count(spread); i++)
        copy_subsystem(to, from, i, spread->base.subsystem[i]);
    copy_numbered(to, from);
    copy_common(to, from);
    copy(to.state->mocap_target, from.state->mocap_target, 7 * from.model->mocap_count);
    copy(to.state->equalities, from.state->equalities,
         TN_EQUALITY_NUMBERS * from.model->equality_count);
    to.state->ctrl_by_user = from.state->ctrl_by_user;
    to.state->time = from.state->time;
}

void tn_spread_movers_to_whole(TnWorld *world)
{
    const TnSpread *spread = world->spread;
    Side to = side_of(world), from = side_of(spread->common);
    for (int i = 0; i < tn_spread_mover_count(spread); i++)
        copy_subsystem(to, from, spread->base.subsystem[i], i);
    copy(to.state->row_lambda, from.state->row_lambda, 6 * from.model->equality_count);
    copy(to.state->act, from.state->act, from.model->act_count);
    if (!to.state->ctrl_by_user) copy(to.state->ctrl, from.state->ctrl, from.model->actuator_count);
    copy_common(to, from);
}

/* ---- between ranks ---- */

enum { COUNT, PACK, UNPACK };

/* Numbers of the state of `common`, one after the other. */
typedef struct Walk {
    int what;
    double *at;
    size_t count;
} Walk;

static void visit(Walk *walk, double *numbers, int count)
{
    if (walk->what == PACK) copy(walk->at + walk->count, numbers, count);
    if (walk->what == UNPACK) copy(numbers, walk->at + walk->count, count);
    walk->count += (size_t)count;
}

/* Those that a rank tells of, in one order on all ranks. */
static void walk_through(TnWorld *world, int rank, Walk *walk)
{
    const TnSpread *spread = world->spread;
    const TnModel *m = spread->common->model;
    TnState *state = &spread->common->state;
    for (int i = 0; i < m->subsystem_count; i++) {
        const TnSubsystem *sub = &m->subsystems[i];
        if (tn_spread_mover_owner(spread, i) != rank) continue;
        visit(walk, state->owed + i, 1);
        visit(walk, state->qpos + sub->qpos_start, sub->qpos_count);
        visit(walk, state->qvel + sub->dof_start, sub->dof_count);
        visit(walk, state->vhat + sub->dof_start, sub->dof_count);
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            visit(walk, state->row_lambda + tn_row_slot_joint(m, m->links[l].joint_start, 0),
                  3 * m->links[l].joint_count);
        if (sub->kind == TN_SUBSYSTEM_SOFT)
            visit(walk, state->row_lambda + tn_row_slot_hold(m, sub->kind_index, 0, 0),
                  3 * m->softs[sub->kind_index].hold_count);
    }
    for (int i = 0; i < m->equality_count; i++) {
        int s = equality_side(m, &m->equalities[i]);
        if (s >= 0 && tn_spread_mover_owner(spread, s) == rank)
            visit(walk, state->row_lambda + 6L * i, 6);
    }
    for (int i = 0; i < m->actuator_count; i++) {
        const TnActuator *a = &m->actuators[i];
        int s = tn_actuator_subsystem(m, i);
        if (a->act >= 0 && s >= 0 && tn_spread_mover_owner(spread, s) == rank)
            visit(walk, state->act + a->act, tn_activation_count(a->activation, &a->pid));
    }
}

/* False: no memory. */
static bool tell(TnWorld *world)
{
    const TnRanks *ranks = world->def.ranks;
    int n = tn_ranks_count(ranks);
    size_t *start = tn_calloc((size_t)n + 1, sizeof *start);
    if (!start) return false;
    for (int r = 0; r < n; r++) {
        Walk walk = {.what = COUNT};
        walk_through(world, r, &walk);
        start[r + 1] = start[r] + sizeof(double) * walk.count;
    }
    double *all = tn_malloc(start[n] + 1);
    bool ok = all;
    if (ok) {
        Walk mine = {.what = PACK, .at = all + start[ranks->rank] / sizeof(double)};
        walk_through(world, ranks->rank, &mine);
        tn_ranks_share(ranks, all, start);
        for (int r = 0; r < n; r++) {
            Walk walk = {.what = UNPACK, .at = all + start[r] / sizeof(double)};
            walk_through(world, r, &walk);
        }
    }
    tn_free(all);
    tn_free(start);
    return ok;
}

bool tn_spread_get_movers(TnWorld *world)
{
    TnWorld *common = world->spread->common;
    take(world);
    if (tn_spread_mover_count(world->spread) && tn_ranks_count(world->def.ranks) > 1 &&
        !tell(world))
        return false;
    common->state.time = world->spread->world->state.time;
    common->team = common->pool;
    tn_world_update_frames(common, NULL, 0);
    return true;
}

/* ---- for a step ---- */

/* What is found beside the state is not among it (take_back in spread.c). */
static void keep(TnSpread *spread, bool back)
{
    const TnModel *m = spread->part.model;
    TnState *state = &spread->world->state;
    double *const parts[] = {state->act, state->ctrl, state->mocap, state->mocap_twist};
    const int counts[] = {m->act_count, m->actuator_count, 7 * m->mocap_count, 6 * m->mocap_count};
    double *kept = spread->kept;
    for (int i = 0; i < 4; kept += counts[i++])
        copy(back ? parts[i] : kept, back ? kept : parts[i], counts[i]);
}

void tn_spread_keep_movers(TnSpread *spread) { keep(spread, false); }

void tn_spread_take_back_movers(TnSpread *spread) { keep(spread, true); }
