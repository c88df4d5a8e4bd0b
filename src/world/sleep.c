/* sleep.c: what falls asleep, and what wakes.
 *
 * An island is what the constraints of a step connect: subsystems that equalities, holds, ties or a
 * common block of the division join for good (groups.h), and groups that a listed contact
 * joins now; the fixed world joins nothing. It falls asleep where all of its subsystems
 *
 *   - were slower than sleep_speed at every point, |v| + |ω| r with r the radius about the centre
 *     of mass, for sleep_time without a break;
 *   - do not get faster: the largest speed of the last complete half of sleep_time is not above
 *     that of the half before it. Speeds below STILL · sleep_speed are rounding and what a solver
 *     leaves;
 *   - have no actuators, where the world lets passive islands sleep only, and none whose
 *     activation still changes;
 *
 * where the step's constraints were solved, and where something of it stands on the fixed world or
 * hangs from it. What floats never sleeps.
 *
 * Falling asleep sets its velocity to zero and takes its contacts out of the list that is searched
 * in every step; they and λ of its rows stay in the state, so that it wakes with the forces it had.
 * All of it is in TnState. */
#include "sleep.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/disjoint_sets.h"
#include "../subsystem/kind.h"

#define STILL 0.01 /* of a speed: less is rounding, and no growth */
#define ISLAND 2   /* in `touched`: all of the island with this number wakes */

/* ---- waking ---- */

static bool is_of_sleeper(const TnModel *model, const TnState *state, const TnWarmContact *contact)
{
    return tn_subsystem_asleep(state, tn_geom_subsystem(model, contact->geom1));
}

/* Contacts of what woke leave the list of sleepers' ones. */
static void drop_awake(const TnModel *model, TnState *state)
{
    int kept = 0;
    for (int i = 0; i < state->sleeping_count; i++)
        if (is_of_sleeper(model, state, &state->sleeping_contacts[i]))
            state->sleeping_contacts[kept++] = state->sleeping_contacts[i];
    state->sleeping_count = kept;
}

/* They go back behind the others; groups of a geom stay together. There is room for them since they
 * fell asleep (reserve_contacts). In a step both lists have them until it is taken. */
static void return_contacts(TnWorld *world)
{
    TnState *state = &world->state;
    if (world->undo.open) state->contact_count = world->undo.contact_count;
    for (int i = 0; i < state->sleeping_count; i++) {
        if (is_of_sleeper(world->model, state, &state->sleeping_contacts[i])) continue;
        TN_ASSERT(state->contact_count < state->contact_capacity);
        state->contacts[state->contact_count++] = state->sleeping_contacts[i];
    }
    if (!world->undo.open) drop_awake(world->model, state);
}

static void rouse(TnState *state, int subsystem)
{
    state->asleep_count -= state->asleep[subsystem] != 0;
    state->asleep[subsystem] = 0;
    state->rest[subsystem] = (TnRest){0};
}

void tn_sleep_wake(TnWorld *world, int subsystem)
{
    TnState *state = &world->state;
    if (subsystem < 0) return;
    int32_t island = state->asleep[subsystem];
    tn_undo_note_sleep(&world->undo, world->model, state);
    rouse(state, subsystem);
    if (!island) return;
    for (int s = 0; s < world->model->subsystem_count; s++)
        if (state->asleep[s] == island) rouse(state, s);
    return_contacts(world);
    world->has_problem = false; /* they had no part in it */
}

void tn_sleep_wake_all(TnWorld *world)
{
    tn_undo_note_sleep(&world->undo, world->model, &world->state);
    for (int s = 0; s < world->model->subsystem_count; s++) rouse(&world->state, s);
    return_contacts(world);
    world->has_problem = false;
}

void tn_sleep_forget_touches(TnWorld *world)
{
    for (int s = 0; world->state.asleep_count && s < world->model->subsystem_count; s++)
        atomic_store_explicit(&world->touched[s], 0, memory_order_relaxed);
}

bool tn_sleep_wake_touched(TnWorld *world)
{
    TnState *state = &world->state;
    bool any = false;
    if (!state->asleep_count) return false;
    atomic_uchar *touched = world->touched;
    int count = world->model->subsystem_count;
    for (int s = 0; s < count; s++) { /* an island is known by its lowest subsystem */
        if (!state->asleep[s] || !atomic_load_explicit(&touched[s], memory_order_relaxed)) continue;
        atomic_store_explicit(&touched[state->asleep[s] - 1], ISLAND, memory_order_relaxed);
        any = true;
    }
    if (!any) return false;
    tn_undo_note_sleep(&world->undo, world->model, state);
    for (int s = 0; s < count; s++)
        if (state->asleep[s] &&
            atomic_load_explicit(&touched[state->asleep[s] - 1], memory_order_relaxed) == ISLAND)
            rouse(state, s);
    for (int s = 0; s < count; s++) atomic_store_explicit(&touched[s], 0, memory_order_relaxed);
    return_contacts(world);
    return true;
}

void tn_sleep_set_ctrl(TnWorld *world, const double *ctrl)
{
    const TnModel *model = world->model;
    tn_undo_note_ctrl(&world->undo, model, &world->state);
    for (int i = 0; i < model->actuator_count; i++) {
        if (memcmp(&world->state.ctrl[i], &ctrl[i], sizeof(double)) == 0) continue;
        world->state.ctrl[i] = ctrl[i];
        tn_sleep_wake(world, tn_actuator_subsystem(model, i));
    }
}

void tn_sleep_set_act(TnWorld *world, const double *act)
{
    const TnModel *model = world->model;
    for (int i = 0; i < model->actuator_count; i++) {
        const TnActuator *a = &model->actuators[i];
        size_t bytes = sizeof(double) * (size_t)tn_activation_count(a->activation, &a->pid);
        if (a->act < 0 || memcmp(world->state.act + a->act, act + a->act, bytes) == 0) continue;
        memcpy(world->state.act + a->act, act + a->act, bytes);
        tn_sleep_wake(world, tn_actuator_subsystem(model, i));
    }
}

/* ---- falling asleep ---- */

/* Some activation of the subsystem is still on its way; asleep it would stand still. */
static bool is_stirring(const TnStep *step, int subsystem)
{
    const TnModel *model = step->model;
    const TnState *state = &step->world->state;
    for (int i = 0; i < model->actuator_count && model->act_count; i++) {
        const TnActuator *a = &model->actuators[i];
        if (a->act < 0 || tn_actuator_subsystem(model, i) != subsystem) continue;
        const TnDrive drive = {state->time, step->t,     state->ctrl,
                               state->act,  state->qpos, step->world->frames};
        const double *act = state->act + a->act;
        double next[2];
        tn_actuator_input(model, i, &drive, next);
        for (int k = 0; k < tn_activation_count(a->activation, &a->pid); k++)
            if (fabs(next[k] - act[k]) > TN_SAME * (1.0 + fabs(act[k]))) return true;
    }
    return false;
}

/* Follows a subsystem through its windows; true where it could sleep. */
static bool watch(TnRest *rest, double speed, double limit, int half)
{
    if (!(speed < limit)) {
        *rest = (TnRest){0};
        return false;
    }
    rest->late = fmax(rest->late, speed);
    if (++rest->steps % half == 0) {
        bool second = rest->steps > half;
        rest->grows =
            second && rest->late > STILL * limit && rest->late > (1.0 + STILL) * rest->early;
        rest->early = rest->late;
        rest->late = 0.0;
        if (rest->steps >= 3 * half) rest->steps = 2 * half; /* enough; halves go on */
    }
    return rest->steps >= 2 * half && !rest->grows;
}

static double put_to_bed(TnWorld *world, int subsystem, int island)
{
    TnState *state = &world->state;
    const TnSubsystem *sub = &world->model->subsystems[subsystem];
    size_t bytes = sizeof(double) * (size_t)sub->dof_count;
    state->asleep[subsystem] = 1 + island;
    state->asleep_count++;
    memset(state->qvel + sub->dof_start, 0, bytes);
    memset(state->vhat + sub->dof_start, 0, bytes);
    if (sub->link_count)
        memset(world->twists[sub->link_start], 0, sizeof(double[6]) * (size_t)sub->link_count);
    double lost = world->energies[subsystem].kinetic;
    state->losses[subsystem] += lost;
    world->energies[subsystem].kinetic = 0.0;
    return lost;
}

/* Contacts of sleepers leave the list of those that are looked up in every step. */
static void retire_contacts(const TnModel *model, TnState *state)
{
    int kept = 0;
    for (int i = 0; i < state->contact_count; i++) {
        TnWarmContact contact = state->contacts[i];
        if (is_of_sleeper(model, state, &contact))
            state->sleeping_contacts[state->sleeping_count++] = contact;
        else
            state->contacts[kept++] = contact;
    }
    state->contact_count = kept;
}

/* What falls asleep or wakes takes contacts from one list to the other: each has room for all of
 * them, so that no force is lost for want of memory. */
static bool reserve_contacts(TnState *state, int count, bool sleeps)
{
    int all = count + (sleeps ? state->sleeping_count : 0);
    return tn_state_reserve_contacts(state, all) &&
           (!sleeps || tn_state_reserve_sleeping(state, all));
}

bool tn_sleep_reserve(TnStep *step)
{
    TnWorld *world = step->world;
    int n = step->model->subsystem_count;
    if (!reserve_contacts(&world->state, world->contacts.count, world->touched)) return false;
    if (!world->touched) return true;
    step->sleep.awake = TN_ARENA_ZERO(&world->arena, bool, n);
    step->sleep.anchored = TN_ARENA_ZERO(&world->arena, bool, n);
    step->sleep.parent = TN_ARENA_NEW(&world->arena, int, n);
    return step->sleep.awake && step->sleep.anchored && step->sleep.parent;
}

void tn_sleep_commit(TnWorld *world)
{
    if (world->undo.has_sleep) drop_awake(world->model, &world->state);
}

/* Joins islands by the contacts of the step, and marks those that a contact presses against the
 * world. */
static void join_contacts(const TnStep *step, int *parent, bool *anchored)
{
    const TnWorld *world = step->world;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        int a = tn_geom_subsystem(step->model, c->geom1),
            b = tn_geom_subsystem(step->model, c->geom2);
        if (a >= 0 && b >= 0) tn_set_join(parent, a, b);
        if (b < 0 && tn_contact_normal_force(&world->set.problem, i) > 0.0) anchored[a] = true;
    }
}

bool tn_sleep_is_solved(const TnWorld *world, int block)
{
    const TnIslands *islands = &world->solution.islands;
    int island = islands->count ? islands->island_of[block] : -1;
    return island < 0 || world->solution.results[island].report.converged;
}

bool tn_sleep_is_large_solved(const TnWorld *world, int block)
{
    return tn_sleep_is_solved(world, world->set.problem.twist_count + block);
}

double tn_sleep_settle(TnStep *step, bool converged)
{
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    const TnGroups *groups = world->groups;
    TnState *state = &world->state;
    const TnWorldDef *def = &world->def;
    int half = (int)fmin(5e8, fmax(1.0, ceil(0.5 * def->sleep_time / step->t - 1e-9)));
    bool any = false, *awake = step->sleep.awake, *anchored = step->sleep.anchored;
    int *parent = step->sleep.parent;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        const TnKind *kind = tn_kind_of(model, s);
        double speed = kind->speed(world, s);
        awake[s] = !watch(&state->rest[s], speed, def->sleep_speed, half);
        if (awake[s]) continue;
        awake[s] = !(world->by_islands ? kind->is_solved(world, s) : converged) ||
                   (def->sleep == TN_SLEEP_PASSIVE && groups->actuated[groups->of[s]]) ||
                   is_stirring(step, s);
        any = any || !awake[s];
    }
    if (!any) return 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        parent[s] = groups->of[s]; /* awake as well, as a group sleeps together */
        anchored[s] = groups->anchored[groups->of[s]];
    }
    join_contacts(step, parent, anchored);
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i], root = tn_set_root(parent, s);
        awake[root] = awake[root] || awake[s];
        anchored[root] = anchored[root] || anchored[s];
    }
    int before = state->asleep_count;
    double lost = 0.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i], root = tn_set_root(parent, s);
        if (!awake[root] && anchored[root]) lost += put_to_bed(world, s, root);
    }
    if (state->asleep_count > before) retire_contacts(model, state);
    return lost;
}

/* ---- what a user asks ---- */

bool tn_world_body_asleep(const TnWorld *world, TnBodyId body)
{
    if (!tn_world_has_body(world, body)) return false;
    return tn_link_asleep(&world->state, world->model, world->model->bodies[body - 1].link);
}

void tn_world_wake(TnWorld *world, TnBodyId body)
{
    if (world && body == 0)
        tn_sleep_wake_all(world);
    else if (tn_world_has_body(world, body))
        tn_sleep_wake(world, world->model->links[world->model->bodies[body - 1].link].subsystem);
}
