/* prepare.c: memory and inputs of a step, before its first phase, and what is left of them behind
 * its last. */
#include <string.h>

#include "../base/select.h"
#include "../query/reaction.h"
#include "../ranks/near.h"
#include "../world/mocap.h"
#include "../world/sleep.h"

/* A scene with fewer contacts (in its last step), parts, or groups of cables and bonds in contacts'
 * cost, than this stays on one thread: waking others costs more. The second is for few threads, the
 * third for those that have to share processors. */
#define WORTH_SHARING 250
#define WORTH_SHARING_BY_FEW 400
#define WORTH_SHARING_CROWDED 1000
#define FEW_THREADS 3
#define CONTACTS_PER_GROUP 24
#define CONTACTS_PER_NODE 5

static int soft_nodes(const TnModel *model)
{
    int count = 0;
    for (int s = 0; s < model->soft_count; s++) count += model->softs[s].node_count;
    return count;
}

static bool list_awake(TnStep *step)
{
    step->awake = TN_ARENA_NEW(&step->world->arena, int, step->model->subsystem_count);
    if (!step->awake) return false;
    const int32_t *asleep = step->world->state.asleep;
    for (int s = 0; s < step->model->subsystem_count; s++)
        if (!asleep[s]) step->awake[step->awake_count++] = s;
    return true;
}

/* False: no memory. */
static bool follow_track(TnWorld *world)
{
    const TnModel *model = world->model;
    /* controls hold for the whole step */
    if (world->state.ctrl_by_user || !model->track_count || world->begun) return true;
    double *ctrl = TN_ARENA_NEW(&world->arena, double, model->actuator_count);
    if (!ctrl) return false;
    memcpy(ctrl, world->state.ctrl, sizeof(double) * (size_t)model->actuator_count);
    tn_model_track(model, world->state.time, ctrl);
    tn_sleep_set_ctrl(world, ctrl);
    return true;
}

static void find_energies(TnWorld *world)
{
    const TnInstant now = tn_world_now(world);
    for (int s = 0; s < world->model->subsystem_count; s++)
        world->energies[s] = tn_subsystem_energy(world->model, s, world->elements, &now);
    world->energies_known = true;
}

static bool is_large(const TnStep *step)
{
    const TnWorld *world = step->world;
    int least = tn_pool_is_crowded(world->pool)               ? WORTH_SHARING_CROWDED
                : tn_pool_threads(world->pool) <= FEW_THREADS ? WORTH_SHARING_BY_FEW
                                                              : WORTH_SHARING;
    return world->contacts.count >= least || step->awake_count >= least ||
           CONTACTS_PER_GROUP * world->division->bond_count >= least ||
           CONTACTS_PER_NODE * soft_nodes(step->model) >= least;
}

/* The last step's results are none of this one's. */
static void forget_last(TnWorld *world)
{
    world->has_problem = false;
    tn_reactions_forget(world->reactions);
    world->solution.islands.count = 0;
    world->contacts = (TnContactList){0};
}

static bool reserve_motion(TnStep *step)
{
    const TnModel *model = step->model;
    TnArena *arena = &step->world->arena;
    step->plan.softs_hit = TN_ARENA_ZERO(arena, bool, model->soft_count);
    size_t links = sizeof(double[6]) * (size_t)model->link_count,
           dofs = sizeof(double) * (size_t)model->dof_count;
    step->free.twists = tn_arena_alloc(arena, links);
    step->free.qvel = tn_arena_alloc(arena, dofs);
    if (step->free.twists) tn_pool_clear(step->world->team, step->free.twists, links);
    if (step->free.qvel) tn_pool_clear(step->world->team, step->free.qvel, dofs);
    step->plan.blend = TN_ARENA_ZERO(arena, double, model->subsystem_count);
    step->plan.pressed = TN_ARENA_ZERO(arena, double, model->subsystem_count);
    step->plan.again = TN_ARENA_ZERO(arena, bool, model->subsystem_count);
    step->way.reach = TN_ARENA_NEW(arena, double, model->subsystem_count);
    step->way.strain = TN_ARENA_NEW(arena, double, model->subsystem_count);
    if (step->free.twists) tn_mocap_copy_twists(step->world, step->free.twists);
    return step->plan.softs_hit && step->free.twists && step->free.qvel && step->plan.blend &&
           step->plan.pressed && step->plan.again && step->way.reach && step->way.strain;
}

/* False: no memory. */
static bool set_inputs(TnStep *step)
{
    TnWorld *world = step->world;
    const TnState *state = &world->state;
    double *inputs = TN_ARENA_NEW(&world->arena, double, step->model->actuator_count);
    step->next_act = TN_ARENA_NEW(&world->arena, double, step->model->act_count);
    if (!inputs || !step->next_act) return false;
    const TnDrive drive = {state->time, step->t,     state->ctrl,
                           state->act,  state->qpos, world->frames};
    tn_actuator_inputs(step->model, &drive, inputs, step->next_act);
    step->dynamics =
        (TnDynamicsInput){.model = step->model,
                          .t = step->t,
                          .theta = step->model->option.theta,
                          .passes = step->model->option.tree_passes,
                          .settles = world->settles,
                          .measured = world->time_memory != NULL,
                          .qpos = state->qpos,
                          .qvel = state->qvel,
                          .inputs = inputs,
                          .last = state->vhat,
                          .blend = step->plan.blend,
                          .pressed = world->at_start ? NULL : step->plan.pressed,
                          .wrench = world->wrench_set ? (const double(*)[6])world->wrench : NULL,
                          .asleep = state->asleep_count ? state->asleep : NULL};
    step->soft_input = (TnSoftInput){.in = &step->dynamics,
                                     .systems = step->systems,
                                     .elements = world->elements,
                                     .last = state->vhat,
                                     .forces = world->node_force_set ? world->node_force : NULL,
                                     .arena = &world->arena,
                                     .pool = world->team};
    return true;
}

/* Share of a joint's range: what limits leave, even after hard hits, is less. */
#define FAR_BEYOND 0.05

static bool is_far_beyond(const void *context, int index)
{
    const TnStep *step = context;
    const TnJoint *joint = &step->model->joints[index];
    if (!joint->limited || joint->type == TN_JOINT_BALL || joint->type == TN_JOINT_FREE)
        return false;
    const double *qpos = step->world->state.qpos;
    double q = qpos[joint->qpos_start], room = FAR_BEYOND * (joint->range[1] - joint->range[0]);
    return q < joint->range[0] - room || q > joint->range[1] + room;
}

/* Links whose joint is far beyond its limits: collision/overlaps.c. */
static bool find_beyond(TnStep *step)
{
    const TnModel *model = step->model;
    uint8_t *beyond = NULL;
    if (tn_any(step->world->team, model->joint_count, is_far_beyond, step)) {
        beyond = TN_ARENA_ZERO(&step->world->arena, uint8_t, model->link_count);
        if (!beyond) return false;
        for (int j = 0; j < model->joint_count; j++)
            if (is_far_beyond(step, j)) beyond[model->joints[j].link] = 1;
    }
    tn_collider_beyond(step->world->collider, beyond);
    return true;
}

bool tn_step_is_idle(const TnStep *step)
{
    return step->awake_count == 0 && step->world->state.asleep_count > 0;
}

bool tn_step_prepare(TnStep *step)
{
    TnWorld *world = step->world;
    tn_arena_reset(&world->arena);
    *step = (TnStep){.world = world,
                     .model = world->model,
                     .systems = &world->systems,
                     .report = step->report,
                     .clock = step->clock,
                     .t = world->t,
                     .fault = {.blamed = -1}};
    tn_mocap_begin(world);
    if (!follow_track(world) || !list_awake(step)) return false;
    world->team = is_large(step) ? world->pool : NULL;
    forget_last(world);
    if (tn_step_is_idle(step)) return true;
    if (!world->energies_known) find_energies(world);
    if (!tn_systems_reserve(world->model, world->division, &world->arena, &world->systems) ||
        !reserve_motion(step) || !set_inputs(step) || !find_beyond(step) || !tn_step_adhere(step))
        return false;
    tn_plan_begin(step);
    return !world->near || tn_near_tell_pressed(step);
}

/* They were for this step only. */
static void spend_wrenches(TnWorld *world)
{
    double(*applied)[6] = world->applied;
    world->applied = world->last_applied;
    world->last_applied = applied;
    memset(world->wrench, 0, sizeof(double[6]) * (size_t)world->model->link_count);
    memset(world->applied, 0, sizeof(double[6]) * (size_t)world->model->body_count);
    world->wrench_set = false;
}

void tn_step_spend_inputs(TnWorld *world)
{
    world->was_applied = world->wrench_set;
    if (world->wrench_set) spend_wrenches(world);
    if (!world->node_force_set) return;
    memset(world->node_force, 0, sizeof(double) * (size_t)world->model->dof_count);
    world->node_force_set = false;
}
