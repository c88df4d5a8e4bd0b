/* found.c: what a solve found: v̂ of every dof, and the displacement of every link, t u with
 * u = (1-w) v̂ + w v⁺. Contacts that were not listed, further passes and the account of energy look
 * at it. */
#include <math.h>

#include "../math/vec3.h"
#include "../subsystem/kind.h"
#include "../world/mocap.h"

static void find_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    for (int i = begin; i < end; i++) {
        int s = step->awake[i];
        TnReach reach = tn_reach(&step->dynamics, step->plan.blend[s]);
        double p = step->way.reach[s] * reach.p / step->t,
               r = step->way.reach[s] * reach.r / step->t;
        tn_kind_of(step->model, s)->find_way(step, s, p, r);
    }
}

static void gather_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    for (int i = begin; i < end; i++) {
        int s = step->awake[i];
        tn_kind_of(step->model, s)
            ->gather(step, s, step->found.vhat + step->model->subsystems[s].dof_start);
    }
}

void tn_step_find_ways(TnStep *step)
{
    const TnConstraintSet *set = &step->world->set;
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, find_range, step);
    for (int p = 0; p < set->problem.port_count; p++)
        if (set->port_middle[p])
            tn_port_twist(set->port_middle[p], step->found.moved_qvel, set->port_middle[p]->moved);
}

static void full_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    for (int s = begin; s < end; s++) step->way.reach[s] = step->way.strain[s] = 1.0;
}

void tn_step_full_ways(TnStep *step)
{
    tn_pool_run(step->world->team, step->model->subsystem_count, 2048, full_range, step);
    step->way.has_extra = false;
}

bool tn_step_find(TnStep *step)
{
    const TnModel *model = step->model;
    TnArena *arena = &step->world->arena;
    if (!step->found.vhat) {
        size_t dofs = sizeof(double) * (size_t)model->dof_count,
               links = sizeof(double[6]) * (size_t)model->link_count;
        step->found.vhat = tn_arena_alloc(arena, dofs);
        step->found.moved = tn_arena_alloc(arena, links);
        step->found.moved_qvel = tn_arena_alloc(arena, dofs);
        if (!step->found.vhat || !step->found.moved || !step->found.moved_qvel) return false;
        tn_pool_clear(step->world->team, step->found.vhat, dofs);
        tn_pool_clear(step->world->team, step->found.moved, links);
        tn_pool_clear(step->world->team, step->found.moved_qvel, dofs);
        tn_mocap_copy_twists(step->world, step->found.moved);
    }
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, gather_range, step);
    tn_step_full_ways(step);
    tn_step_find_ways(step);
    return true;
}

void tn_step_point_moved(const TnStep *step, const TnContactPoint *c, int side, double v[3])
{
    const double *twist = step->found.moved[step->model->geom_link[side ? c->geom2 : c->geom1]];
    v3_cross(v, twist + 3, side ? c->arm2 : c->arm1);
    v3_add(v, v, twist);
}

double tn_step_moved_apart(const TnStep *step, const TnContactPoint *c)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        double v[3];
        tn_step_point_moved(step, c, side, v);
        sum += (side ? 1.0 : -1.0) * v3_dot(v, c->normal);
    }
    return sum;
}

double tn_step_contact_size(const TnStep *step, const TnContactPoint *c)
{
    const TnModel *model = step->model;
    const int geoms[2] = {c->geom1, c->geom2};
    double size = INFINITY;
    for (int k = 0; k < 2; k++) {
        double radius = model->geoms[geoms[k]].bounding_radius;
        if (radius > 0.0 && radius < size) size = radius;
    }
    for (int s = 0; (c->soft1 >= 0 || c->soft2 >= 0) && s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (soft->geom == c->geom1 || soft->geom == c->geom2)
            size = fmin(size, tn_soft_element_size(soft));
    }
    return size;
}

const TnPathRow *tn_step_path_row(const TnStep *step, int row)
{
    const TnConstraintSet *set = &step->world->set;
    for (int i = 0; i < set->path_row_count; i++)
        if (set->path_rows[i].row == row) return &set->path_rows[i];
    return NULL;
}

bool tn_step_is_path_row(const TnStep *step, int row)
{
    return tn_step_path_row(step, row) != NULL;
}

double tn_step_row_rate(const TnStep *step, int slot, const double *qvel, int *subsystem)
{
    const TnModel *model = step->model;
    int index = (slot - tn_row_slot_joint(model, 0, 0)) / 3;
    if (index < model->joint_count) {
        const TnJoint *joint = &model->joints[index];
        *subsystem = model->links[joint->link].subsystem;
        return qvel[joint->dof_start];
    }
    const TnTendon *tendon = &model->tendons[index - model->joint_count];
    *subsystem = tendon->subsystem;
    return tn_moment_rate(tendon->moments, tendon->moment_count, qvel);
}
