/* kind_tree.c: articulated trees over a step (kind.h). */
#include "../kind.h"

#include <math.h>
#include <string.h>

#include "../../math/vec3.h"
#include "../../model/joint_law.h"
#include "../../model/joint_motion.h"
#include "../../world/sleep.h"

static bool is_anchored(const TnModel *model, int s)
{
    int joint = model->links[model->subsystems[s].link_start].joint_start;
    return model->joints[joint].type != TN_JOINT_FREE;
}

/* Through its free joint. */
static bool is_pulled(const TnModel *model, int s)
{
    const TnSubsystem *sub = &model->subsystems[s];
    const TnLink *root = &model->links[sub->link_start];
    const TnJoint *joint = &model->joints[root->joint_start];
    if (model->drags || root->joint_count > 1 || joint->stiffness != 0.0 ||
        tn_joint_has_damper(joint) || joint->armature != 0.0)
        return true;
    for (int i = model->actuator_first[s]; i >= 0; i = model->actuator_next[i])
        for (int k = 0; k < model->actuators[i].moment_count; k++) {
            int dof = model->actuators[i].moments[k].dof;
            if (dof >= joint->dof_start && dof < joint->dof_start + 6) return true;
        }
    return false;
}

static double kinetic(const TnModel *model, int s, const TnInstant *now)
{
    return tn_energy_of_links(model, &model->subsystems[s], now, true);
}

/* ---- springs ---- */

static double rotation_squared(const double reference[4], const double quat[4])
{
    double back[4], turn[4], r[3];
    tn_unit_quat(back, reference);
    quat_conjugate(back, back);
    tn_unit_quat(turn, quat);
    quat_mul(turn, back, turn);
    quat_to_rotvec(r, turn);
    return v3_dot(r, r);
}

static double stretch_squared(const TnModel *model, const TnJoint *joint, const double *qpos)
{
    const double *q = qpos + joint->qpos_start, *reference = model->qpos0 + joint->qpos_start;
    double d[3];
    switch (joint->type) {
    case TN_JOINT_BALL:
        return rotation_squared(reference, q);
    case TN_JOINT_FREE:
        v3_sub(d, q, reference);
        return v3_dot(d, d) + rotation_squared(reference + 3, q + 3);
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        break;
    }
    return (q[0] - joint->spring_ref) * (q[0] - joint->spring_ref);
}

static double elastic(const TnModel *model, int s, const TnSoftElements *elements,
                      const TnInstant *now)
{
    const TnSubsystem *sub = &model->subsystems[s];
    double sum = 0.0;
    (void)elements;
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        const TnLink *link = &model->links[i];
        for (int k = 0; k < link->joint_count; k++) {
            const TnJoint *joint = &model->joints[link->joint_start + k];
            if (tn_joint_is_curved(joint)) {
                double x = now->qpos[joint->qpos_start] - joint->spring_ref;
                sum += x * x * tn_joint_energy(joint, x);
            } else if (joint->stiffness != 0.0)
                sum += 0.5 * joint->stiffness * stretch_squared(model, joint, now->qpos);
        }
    }
    for (int k = model->tendon_first[s]; k >= 0; k = model->tendon_next[k]) {
        const TnTendon *tendon = &model->tendons[k];
        if (tendon->stiffness == 0.0) continue;
        double stretch = tn_moment_length(tendon->moments, tendon->moment_count, now->qpos) -
                         tendon->spring_length;
        sum += 0.5 * tendon->stiffness * stretch * stretch;
    }
    return sum;
}

/* ---- the problem ---- */

double *tn_tree_unknowns(const TnWorld *world, const TnProblem *problem, int tree)
{
    const TnDivision *d = world->division;
    int block = d->tree_block[tree];
    return problem->large[block].v + tn_division_start(d, block, d->tree_node[tree]);
}

static const double *start_velocity(const TnWorld *world, int s)
{
    return world->state.qvel + world->model->subsystems[s].dof_start;
}

static void start(const TnWorld *world, int s, TnProblem *problem)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    memcpy(tn_tree_unknowns(world, problem, sub->kind_index), start_velocity(world, s),
           sizeof(double) * (size_t)sub->dof_count);
}

static void gather(const TnStep *step, int s, double *vhat)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    memcpy(vhat, tn_tree_unknowns(step->world, &step->world->set.problem, sub->kind_index),
           sizeof(double) * (size_t)sub->dof_count);
}

static void velocity(const TnWorld *world, int s, double *qvel)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    memcpy(qvel + sub->dof_start, tn_tree_unknowns(world, &world->set.problem, sub->kind_index),
           sizeof(double) * (size_t)sub->dof_count);
}

static bool is_solved(const TnWorld *world, int s)
{
    int tree = world->model->subsystems[s].kind_index;
    return tn_sleep_is_large_solved(world, world->division->tree_block[tree]);
}

/* ---- the step ---- */

static void find_way(const TnStep *step, int s, double p, double r)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    const TnWorld *world = step->world;
    for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count; d++)
        step->found.moved_qvel[d] = p * step->found.vhat[d] - r * world->state.qvel[d];
    tn_kinematics_twists_at(step->model, world->state.qpos, step->found.moved_qvel, world->frames,
                            step->free.places, sub->link_start, sub->link_count, step->found.moved);
}

static void advance(const TnStep *step, int s)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    tn_tree_advance(&step->dynamics, sub, &step->systems->trees[sub->kind_index],
                    step->found.vhat + sub->dof_start, step->plan.blend[s],
                    tn_step_left(step, s) * step->way.reach[s], step->world->next_qpos,
                    step->world->next_qvel);
}

static TnJointWork work(const TnStep *step, int s)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    return tn_tree_work(&step->dynamics, sub, &step->systems->trees[sub->kind_index],
                        step->found.vhat + sub->dof_start, step->plan.blend[s],
                        tn_step_left(step, s) * step->way.reach[s]);
}

static void change(const TnWorld *world, int s, const TnChange *c, double *v)
{
    const TnSubsystem *sub = &world->model->subsystems[s];
    bool floats = c->from || c->to;
    for (int d = floats ? 6 : 0; d < sub->dof_count; d++) v[d] *= c->scale;
    if (floats) tn_change_free(c, &world->next_frames[sub->link_start], v);
}

const TnKind tn_kind_tree = {.is_anchored = is_anchored,
                             .is_pulled = is_pulled,
                             .mass = tn_links_mass,
                             .kinetic = kinetic,
                             .gravity = tn_links_gravity,
                             .fall = tn_links_fall,
                             .elastic = elastic,
                             .add_masses = tn_links_add_masses,
                             .speed = tn_links_speed,
                             .start_velocity = start_velocity,
                             .start = start,
                             .gather = gather,
                             .velocity = velocity,
                             .is_solved = is_solved,
                             .reassemble = tn_step_reassemble_tree,
                             .find_way = find_way,
                             .advance = advance,
                             .work = work,
                             .change = change,
                             .shift = tn_links_shift};
