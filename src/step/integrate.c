/* integrate.c: the last stage of a step, q and v from v̂, for those who are awake. The new state is
 * computed and balanced beside the old one, and taken over only when it makes sense; then the state
 * keeps λ and v̂ for the next step, and whoever has rested for long enough falls asleep. */
#include <math.h>
#include <string.h>

#include "../base/select.h"
#include "kind.h"
#include "mocap.h"
#include "near.h"
#include "sleep.h"

/* m, m/s, rad/s: a state with larger numbers means nothing any more. */
#define BEYOND_SENSE 1e10
/* Of ways to where somebody cannot afford to be. */
#define MOST_CUTS 10

static bool makes_sense(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= BEYOND_SENSE)) return false; /* NaN included */
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
            atomic_store_explicit(&step->failed, true, memory_order_relaxed);
    }
}

/* Frames and twists of the new state. */
static void place_range(void *context, int begin_index, int end_index)
{
    const TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        tn_kinematics(step->model, world->next_qpos, sub->link_start, sub->link_count,
                      world->next_frames);
        tn_kinematics_twists(step->model, world->next_qpos, world->next_qvel, world->next_frames,
                             sub->link_start, sub->link_count, world->next_twists);
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
    if (atomic_load_explicit(&step->failed, memory_order_relaxed)) return false;
    tn_pool_run(step->world->team, step->awake_count, TN_MOVE_GRAIN, place_range, step);
    place_followers(step->world);
    return true;
}

static bool is_cut(const void *context, int index)
{
    const TnStep *step = context;
    return step->reach[step->awake[index]] < 1.0;
}

static bool ways_are_cut(const TnStep *step)
{
    return step->has_extra || tn_any(step->world->team, step->awake_count, is_cut, step);
}

bool tn_step_advance(TnStep *step, bool limited)
{
    tn_step_full_ways(step);
    if (limited && !tn_step_limit(step)) return false;
    if (!tn_step_move(step)) return false;
    if (!limited) return true;
    if (!tn_step_verify(step)) return false;
    if (ways_are_cut(step)) tn_step_find_ways(step);
    return true;
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
        if (step->after) { /* there was an account */
            world->energies[step->awake[i]] = step->after[step->awake[i]];
            world->state.owed[step->awake[i]] = step->owed[step->awake[i]];
            if (step->losses) world->state.losses[step->awake[i]] += step->losses[step->awake[i]];
        }
        memcpy(world->state.vhat + sub->dof_start, step->vhat + sub->dof_start,
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

/* Wheels of the new state do not slip. */
static bool stop_slip(const TnStep *step)
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

/* Nor do curved equalities drift. */
static bool stop_drift(const TnStep *step)
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

/* What is carried goes where balancing has put its carriers. True: the energies that are known are
 * not to the last bit those of the state, which a restored one has. */
static bool follow_balance(TnStep *step)
{
    TnWorld *world = step->world;
    bool shifted = atomic_load_explicit(&step->shifted, memory_order_relaxed),
         changed = atomic_load_explicit(&step->changed, memory_order_relaxed);
    if (shifted || changed) place_followers(world);
    return shifted ||
           (changed && (world->division->follower_count > 0 || world->model->hold_count > 0));
}

bool tn_step_integrate_outside(TnStep *step)
{
    TnWorld *world = step->world;
    if (!tn_step_advance(step, false) || !stop_drift(step)) return false;
    if (tn_any(world->team, step->awake_count, makes_no_sense, step) || world->arena.lacked)
        return false;
    take_over(step, 0, step->awake_count);
    world->energies_known = false;
    tn_mocap_finish(world);
    tn_constraint_keep(&step->constraint, &world->set, &world->state);
    take_activations(step);
    world->state.time += step->t;
    return true;
}

/* The same in a world that ranks step in parts. */
static bool integrate_part(TnStep *step)
{
    bool cut;
    if (!tn_near_limit(step, &cut)) return false;
    bool ok = tn_step_move(step) &&
              (!tn_near_has_movers(step->world) || (stop_slip(step) && stop_drift(step)));
    return tn_near_balance(step, ok, cut);
}

bool tn_step_integrate(TnStep *step)
{
    TnStepReport *report = step->report;
    TnWorld *world = step->world;
    bool cut = false;
    if (world->near ? !integrate_part(step) : !tn_step_advance(step, true)) return false;
    for (int k = 0; (k == 0 && !world->near) || cut; k++) {
        if (k > 0 && !tn_step_move(step)) return false;
        if (k > 0) tn_step_find_ways(step);
        if (!stop_slip(step) || !stop_drift(step) ||
            !tn_step_balance(step, k < MOST_CUTS, report, &cut))
            return false;
    }
    if (tn_any(world->team, step->awake_count, makes_no_sense, step)) return false;
    step->too_long = tn_step_is_too_long(step);
    if (step->too_long) return false;
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
    return true;
}
