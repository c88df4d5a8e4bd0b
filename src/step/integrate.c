/* integrate.c: the last stage of a step, q and v from v̂, for those who are awake. The new state is
 * computed beside the old one and taken over only when it is finite; then the state keeps λ and v̂
 * for the next step, and whoever has rested for long enough falls asleep. */
#include <string.h>

#include "sleep.h"

static void integrate_range(void *context, int begin_index, int end_index)
{
    TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        int s = step->awake[i];
        const TnSubsystem *sub = &step->model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            double vhat[6];
            tn_problem_twist(&world->set.problem, world->set.link_row[sub->link_start] - 1, vhat);
            tn_rigid_advance(&step->dynamics, sub->link_start, &world->frames[sub->link_start],
                             &step->rigid[sub->kind_index], vhat, step->blend[s], world->next_qpos,
                             world->next_qvel);
        } else if (sub->kind == TN_SUBSYSTEM_ROD) {
            tn_rod_advance(&step->dynamics, sub, world->frames, &step->rods[sub->kind_index],
                           world->set.rod_vhat[sub->kind_index], world->next_qpos,
                           world->next_qvel);
        } else if (sub->kind == TN_SUBSYSTEM_SOFT) {
            tn_soft_advance(&step->soft_input, step->softs, sub->kind_index,
                            world->set.soft_vhat[sub->kind_index], world->next_qpos,
                            world->next_qvel);
        } else {
            const TnDivision *d = world->division;
            int block = d->tree_block[sub->kind_index];
            tn_tree_advance(&step->dynamics, sub,
                            world->set.problem.large[block].v +
                                tn_division_start(d, block, d->tree_node[sub->kind_index]),
                            step->blend[s], world->next_qpos, world->next_qvel);
        }
        if (!tn_all_finite(world->next_qpos + sub->qpos_start, sub->qpos_count) ||
            !tn_all_finite(world->next_qvel + sub->dof_start, sub->dof_count))
            atomic_store_explicit(&step->failed, true, memory_order_relaxed);
    }
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
    const TnWorld *world = step->world;
    for (int i = begin_index; i < end_index; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        swap(world->state.qpos + sub->qpos_start, world->next_qpos + sub->qpos_start,
             sub->qpos_count);
        swap(world->state.qvel + sub->dof_start, world->next_qvel + sub->dof_start, sub->dof_count);
    }
}

bool tn_step_advance(TnStep *step)
{
    TnWorld *world = step->world;
    if (!tn_step_gather_rods(step) || !tn_step_gather_softs(step)) return false;
    tn_constraint_blend(&step->constraint, &world->set, step->blend);
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, integrate_range, step);
    return !atomic_load_explicit(&step->failed, memory_order_relaxed);
}

bool tn_step_integrate(TnStep *step, bool converged)
{
    TnWorld *world = step->world;
    if (!tn_step_advance(step)) return false;
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, take_over, step);
    if (tn_constraint_keep(&step->constraint, &world->set, &world->state)) tn_step_keep_guess(step);
    world->state.time += step->t;
    bool ok = tn_wheels_stop_slip(step->model, world->state.qpos, world->state.qvel, world->frames,
                                  &world->arena);
    tn_world_update_frames(world, step->awake, step->awake_count);
    return ok && (!world->sleep || tn_sleep_settle(step, converged));
}
