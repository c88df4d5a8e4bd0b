/* integrate.c: q and v from v̂, for what is awake, beside the old state; and how the new state
 * replaces it, once it is as it should be (accept.c): the state keeps λ and v̂ for the next step,
 * and what has rested for long enough falls asleep. */
#include <math.h>
#include <string.h>

#include "../base/select.h"
#include "../model/thresholds.h"
#include "../subsystem/kind.h"
#include "../world/mocap.h"
#include "../world/sleep.h"

static bool makes_sense(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= TN_BEYOND_SENSE)) return false; /* NaN included */
    return true;
}

static void advance_range(void *context, int begin_index, int end_index)
{
    TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        int s = step->awake[i];
        const TnSubsystem *sub = &step->model->subsystems[s];
        tn_kind_of(step->model, s)->advance(step, s);
        if (!makes_sense(world->next_qpos + sub->qpos_start, sub->qpos_count) ||
            !makes_sense(world->next_qvel + sub->dof_start, sub->dof_count))
            atomic_store_explicit(&step->fault.failed, true, memory_order_relaxed);
    }
}

/* Frames and twists of the new state. */
static void place_range(void *context, int begin_index, int end_index)
{
    const TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        tn_kinematics_all(step->model, world->next_qpos, world->next_qvel, sub->link_start,
                          sub->link_count, world->next_frames, world->next_twists);
    }
}

/* Those of what moves with others are where these are. */
static void place_followers(TnWorld *world)
{
    tn_followers_place(world->model, world->division, world->next_qpos, world->next_qvel,
                       world->next_frames, world->next_twists);
    tn_soft_place_held(world->model, world->division, world->next_frames,
                       (const double(*)[6])world->next_twists, world->next_qpos, world->next_qvel);
}

bool tn_step_move(TnStep *step)
{
    tn_pool_run(step->world->team, step->awake_count, TN_MOVE_GRAIN, advance_range, step);
    if (atomic_load_explicit(&step->fault.failed, memory_order_relaxed)) return false;
    tn_pool_run(step->world->team, step->awake_count, TN_MOVE_GRAIN, place_range, step);
    place_followers(step->world);
    return true;
}

bool tn_step_move_freely(TnStep *step)
{
    tn_step_full_ways(step);
    return tn_step_move(step);
}

static void swap(double *a, double *b, int count)
{
    for (int k = 0; k < count; k++) {
        double t = a[k];
        a[k] = b[k];
        b[k] = t;
    }
}

/* What they began with stays in next_qpos and next_qvel. */
static void take_over(void *context, int begin_index, int end_index)
{
    const TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        size_t links = (size_t)sub->link_count;
        if (step->balance.after) { /* there was an account */
            world->energies[step->awake[i]] = step->balance.after[step->awake[i]];
            world->state.owed[step->awake[i]] = step->balance.owed[step->awake[i]];
            if (step->balance.losses)
                world->state.losses[step->awake[i]] += step->balance.losses[step->awake[i]];
        }
        memcpy(world->state.vhat + sub->dof_start, step->found.vhat + sub->dof_start,
               sizeof(double) * (size_t)sub->dof_count);
        swap(world->state.qpos + sub->qpos_start, world->next_qpos + sub->qpos_start,
             sub->qpos_count);
        swap(world->state.qvel + sub->dof_start, world->next_qvel + sub->dof_start, sub->dof_count);
        if (!links) continue;
        memcpy(world->frames + sub->link_start, world->next_frames + sub->link_start,
               sizeof(TnLinkFrame) * links);
        memcpy(world->twists + sub->link_start, world->next_twists + sub->link_start,
               sizeof(double[6]) * links);
    }
}

bool tn_step_stop_slip(const TnStep *step)
{
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    if (!tn_wheels_stop_slip(model, &world->state, world->next_qpos, world->next_qvel,
                             world->next_frames, &world->arena))
        return false;
    for (int i = 0; i < model->wheel_count; i++) {
        const TnSubsystem *sub = tn_part_of_link(model, model->bodies[model->wheels[i].body].link);
        tn_kinematics_twists(model, world->next_qpos, world->next_qvel, world->next_frames,
                             sub->link_start, sub->link_count, world->next_twists);
    }
    if (model->wheel_count) place_followers(world);
    return true;
}

bool tn_step_stop_drift(const TnStep *step)
{
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    bool *changed = TN_ARENA_ZERO(&world->arena, bool, model->subsystem_count), any = false;
    if (!changed ||
        !tn_equalities_stop_drift(model, &world->state, world->next_qpos, world->next_qvel,
                                  world->next_frames, &world->arena, changed))
        return false;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (!changed[s]) continue;
        any = true;
        tn_kinematics_twists(model, world->next_qpos, world->next_qvel, world->next_frames,
                             sub->link_start, sub->link_count, world->next_twists);
    }
    if (any) place_followers(world);
    return true;
}

/* But of sleepers. */
static void take_activations(const TnStep *step)
{
    const TnModel *model = step->model;
    TnState *state = &step->world->state;
    for (int i = 0; i < model->actuator_count && model->act_count; i++) {
        const TnActuator *a = &model->actuators[i];
        if (a->act < 0 || tn_subsystem_asleep(state, tn_actuator_subsystem(model, i))) continue;
        memcpy(state->act + a->act, step->next_act + a->act,
               sizeof(double) * (size_t)tn_activation_count(a->activation, &a->pid));
    }
}

static bool makes_no_sense(const void *context, int index)
{
    const TnStep *step = context;
    const TnSubsystem *sub = &step->model->subsystems[step->awake[index]];
    return !makes_sense(step->world->next_qpos + sub->qpos_start, sub->qpos_count) ||
           !makes_sense(step->world->next_qvel + sub->dof_start, sub->dof_count);
}

bool tn_step_makes_sense(TnStep *step)
{
    return !tn_any(step->world->team, step->awake_count, makes_no_sense, step);
}

/* What is carried goes where balancing has put its carriers. True: the energies that are known are
 * not to the last bit those of the state, which a restored one has. */
static bool follow_balance(TnStep *step)
{
    TnWorld *world = step->world;
    bool shifted = atomic_load_explicit(&step->balance.shifted, memory_order_relaxed),
         changed = atomic_load_explicit(&step->balance.changed, memory_order_relaxed);
    if (shifted || changed) place_followers(world);
    return shifted ||
           (changed && (world->division->follower_count > 0 || world->model->hold_count > 0));
}

bool tn_step_integrate_outside(TnStep *step)
{
    TnWorld *world = step->world;
    if (!tn_step_move_freely(step) || !tn_step_stop_drift(step)) return false;
    if (!tn_step_makes_sense(step) || world->arena.lacked) return false;
    take_over(step, 0, step->awake_count);
    world->energies_known = false;
    tn_mocap_finish(world);
    tn_constraint_keep(&step->constraint, &world->set, &world->state);
    take_activations(step);
    world->state.time += step->t;
    return true;
}

bool tn_step_accept(TnStep *step)
{
    TnStepReport *report = step->report;
    TnWorld *world = step->world;
    /* what did without memory came to other bits than it should */
    if (!tn_sleep_reserve(step)) world->arena.lacked = true;
    if (world->arena.lacked) return false;
    bool stale = follow_balance(step);
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, take_over, step);
    if (stale) world->energies_known = false;
    tn_mocap_finish(world);
    tn_constraint_keep(&step->constraint, &world->set, &world->state);
    tn_step_keep_guess(step);
    take_activations(step);
    world->state.time += step->t;
    tn_sleep_commit(world);
    if (world->touched) report->energy.step += tn_sleep_settle(step, report->converged);
    world->has_problem = true;
    world->start_qpos = step->hits.since ? step->hits.real_qpos : world->next_qpos;
    world->start_qvel = step->hits.since ? step->hits.real_qvel : world->next_qvel;
    return true;
}
