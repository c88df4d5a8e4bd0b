/* robot_assemble.h: the smooth motion of robots over a step, by the engine's own code
 * (subsystem/tree/), a thread for each robot; and how it will move, as step/plan.c plans. */
#ifndef TN_GPU_ROBOT_ASSEMBLE_H
#define TN_GPU_ROBOT_ASSEMBLE_H

#include "../batch/batch_data.h"

namespace tn
{

TN_DEVICE inline const TnSubsystem *part_of(const WorldBase &s, const Robot &robot)
{
    return &s.model->subsystems[robot.subsystem];
}

TN_DEVICE inline int robot_of_link(const Worlds &b, int link)
{
    int carried = b.link_body[link] - b.robots.first_body;
    return b.robots.count && carried >= 0 ? b.robots.link_robot[carried] : -1;
}

/* Of actuators without activations. */
TN_DEVICE inline void find_inputs(const Worlds &b, WorldBase &s, int i)
{
    const TnActuator *a = &s.model->actuators[i];
    double u = b.robots.ctrl[(size_t)s.index * (size_t)b.robots.actuator_count + (size_t)i];
    if (a->ctrl_limited)
        u = u < a->ctrl_range[0] ? a->ctrl_range[0] : u > a->ctrl_range[1] ? a->ctrl_range[1] : u;
    s.robot.inputs[i] = u;
}

/* A, b and v_free in this arena; as step/smooth.c does it. */
TN_DEVICE __noinline__ inline void assemble_robot_in(const Worlds &b, WorldBase &s, int k,
                                                     TnArena &arena, TnTreeSystem *tree)
{
    const Robot &robot = b.robots.robots[k];
    const TnSubsystem *sub = part_of(s, robot);
    TnDynamicsInput in = *s.dynamics;
    double *w = &s.robot.blend[robot.subsystem];
    const double *v = in.qvel + sub->dof_start;
    bool ok = tn_tree_reserve(s.model, sub, &arena, tree);
    if (*w > 0.0) {
        tn_predict_velocity(sub->dof_count, v, in.last + sub->dof_start,
                            s.robot.expected + sub->dof_start);
        in.expected = s.robot.expected;
    }
    ok = ok && tn_tree_assemble(&in, sub, s.frames, &arena, tree);
    if (!ok) {
        s.bad = true;
        return;
    }
    if (tree->w > *w) *w = tree->w;
    for (int d = 0; d < sub->dof_count; d++)
        s.robot.end_qvel[sub->dof_start + d] = v[d] + (tree->v_free[d] - v[d]) / b.theta;
    tn_kinematics_twists(s.model, in.qpos, s.robot.end_qvel, s.frames, sub->link_start,
                         sub->link_count, s.end_twists);
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        for (int j = 0; j < 6; j++) {
            TnRigidSystem *system = &s.systems[b.link_body[l]];
            system->v[j] = s.twists[l][j];
            system->v_free[j] = s.twists[l][j] + b.theta * (s.end_twists[l][j] - s.twists[l][j]);
        }
}

TN_DEVICE inline char *arena_of_robot(const Worlds &b, const WorldBase &s, int k)
{
    return s.robot.arenas + (size_t)k * b.robots.arena;
}

TN_DEVICE inline void assemble_robot(const Worlds &b, WorldBase &s, int k)
{
    TnArena arena{};
    arena.base = arena_of_robot(b, s, k);
    arena.capacity = b.robots.arena;
    assemble_robot_in(b, s, k, arena, &s.robot.trees[k]);
}

/* The same in memory of the thread itself, where threads of a warp that do the same find what they
 * read side by side. What it leaves is copied to the robot's arena. */
template <size_t room>
TN_DEVICE inline void assemble_robot_apart(const Worlds &b, WorldBase &s, int k)
{
    alignas(TN_ARENA_ALIGN) char here[room];
    TnTreeSystem tree;
    TnArena arena{};
    arena.base = here;
    arena.capacity = room;
    assemble_robot_in(b, s, k, arena, &tree);
    char *there = arena_of_robot(b, s, k);
    for (size_t i = 0; i < arena.used / sizeof(double); i++)
        ((double *)there)[i] = ((const double *)here)[i];
    auto move = [&](double *&p) {
        if (p) p = (double *)(there + ((char *)p - here));
    };
    move(tree.A);
    move(tree.b);
    move(tree.v_free);
    move(tree.free_end);
    move(tree.theta_damping);
    move(tree.damping);
    move(tree.servo_force);
    move(tree.servo_slope);
    s.robot.trees[k] = tree;
}

/* Frames, twists and axes at the step's start, and the first plan: what was pushed will be. `room`:
 * no robot's arena is larger; 0: they are where they are. */
template <size_t room> TN_DEVICE inline void begin_robot(const Worlds &b, WorldBase &s, int k)
{
    const Robot &robot = b.robots.robots[k];
    const TnSubsystem *sub = part_of(s, robot);
    const double *qpos = s.dynamics->qpos;
    bool pushed = b.robots.pushed[(size_t)s.index * (size_t)b.robots.count + (size_t)k];
    tn_kinematics(s.model, qpos, sub->link_start, sub->link_count, s.frames);
    tn_kinematics_twists(s.model, qpos, s.dynamics->qvel, s.frames, sub->link_start,
                         sub->link_count, s.twists);
    v3_copy(s.robot.origin[k], s.frames[sub->link_start].com);
    tn_tree_axes(s.model, sub, qpos, s.frames, s.robot.origin[k], s.robot.S + robot.dof);
    s.robot.blend[robot.subsystem] = pushed ? 1.0 : 0.0;
    s.robot.replanned[k] = 0;
    if constexpr (room > 0)
        assemble_robot_apart<room>(b, s, k);
    else
        assemble_robot(b, s, k);
}

/* Those that a contact is about to push. */
TN_DEVICE inline void plan_contacts(const Block &block, const Worlds &b, WorldBase &s)
{
    if (!b.robots.count) return;
    block.each(s.contact_count, [&](int i) {
        const TnContactPoint *c = &s.points[i];
        int links[2] = {s.model->geom_link[c->geom1], s.model->geom_link[c->geom2]};
        double v1[3], v2[3];
        point_velocity(v1, s.end_twists[links[0]], c->arm1);
        point_velocity(v2, s.end_twists[links[1]], c->arm2);
        v3_sub(v2, v2, v1);
        if (!(c->gap + s.t * v3_dot(v2, c->normal) < 0.0)) return;
        for (int side = 0; side < 2; side++) {
            int k = robot_of_link(b, links[side]);
            if (k < 0) continue;
            const Robot &robot = b.robots.robots[k];
            if (robot.minds && s.robot.blend[robot.subsystem] < 1.0) s.robot.replanned[k] = 1;
        }
    });
    block.each(b.robots.count, [&](int k) {
        if (!s.robot.replanned[k]) return;
        s.robot.replanned[k] = 0;
        s.robot.blend[b.robots.robots[k].subsystem] = 1.0;
        assemble_robot(b, s, k);
    });
}

/* ---- once the step is solved ---- */

/* ½ vᵀ M v, and the mass. */
TN_DEVICE inline double kinetic_energy(const WorldBase &s, const TnSubsystem *sub, double *mass)
{
    double sum = 0.0;
    *mass = 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &s.model->links[l];
        const double *v = s.twists[l];
        double spin[3], turned[3];
        m3_tmul_v(spin, s.frames[l].rot, v + 3);
        m3_mul_v(turned, link->inertia, spin);
        sum += 0.5 * (link->mass * v3_dot(v, v) + v3_dot(spin, turned));
        *mass += link->mass;
        for (int j = link->joint_start; j < link->joint_start + link->joint_count; j++) {
            const TnJoint *joint = &s.model->joints[j];
            const double *rate = s.dynamics->qvel + joint->dof_start;
            for (int d = 0; d < tn_joint_dofs(joint->type); d++)
                sum += 0.5 * joint->armature * rate[d] * rate[d];
        }
    }
    return sum;
}

/* Friction of a joint that moved holds it now, in a robot that moves. */
template <class R>
TN_DEVICE bool friction_stops(const Worlds &b, const World<R> &s, const RobotRow &row, int r)
{
    R l = s.fast_robot.row_lambda[r];
    double slow = TN_KNOCK * s.gravity_size * s.t, mass,
           rate = fabs(s.dynamics->qvel[s.model->joints[row.joint].dof_start]);
    if (row.kind != 2 || !(l > s.fast_robot.row_low[r] && l < s.fast_robot.row_high[r]) ||
        !(rate * s.robot.row_lever[r] > TN_STOPPED * slow))
        return false;
    double moving = kinetic_energy(s, part_of(s, b.robots.robots[row.robot]), &mass);
    return moving > mass * slow * slow;
}

/* Robots that the forces that were found push; those whose plan this changes are to be assembled
 * again, `again` says whether there are any. */
template <class R> TN_DEVICE void check_plan(const Block &block, const Worlds &b, World<R> &s)
{
    if (!b.robots.count) return;
    block.once([&] { s.robot.again = false; });
    block.each(b.robots.count, [&](int k) { s.robot.wanted[k] = 0; });
    block.each(s.contact_count, [&](int i) {
        const TnContactPoint *c = &s.points[i];
        typename Vec4<R>::type l = s.lambda[i];
        const double *n = c->normal;
        if (!(l.x * n[0] + l.y * n[1] + l.z * n[2] > 0.0)) return;
        int k1 = robot_of_link(b, s.model->geom_link[c->geom1]),
            k2 = robot_of_link(b, s.model->geom_link[c->geom2]);
        if (k1 >= 0) s.robot.wanted[k1] = 1;
        if (k2 >= 0) s.robot.wanted[k2] = 1;
    });
    block.each(b.robots.row_count, [&](int r) {
        const RobotRow &row = b.robots.rows[r];
        if (!(s.robot.row_D[r] > 0.0)) return;
        bool hit = row.kind < 2 && !s.robot.row_rests[r] && s.fast_robot.row_lambda[r] > 0;
        if (hit || friction_stops(b, s, row, r)) s.robot.wanted[row.robot] = 1;
    });
    block.each(b.robots.count, [&](int k) {
        const Robot &robot = b.robots.robots[k];
        double *w = &s.robot.blend[robot.subsystem], wanted = s.robot.wanted[k];
        if (!robot.minds)
            *w = fmax(wanted, s.robot.trees[k].damped);
        else if (wanted > *w) {
            *w = wanted;
            s.robot.replanned[k] = 1;
            s.robot.again = true;
        }
    });
}

TN_DEVICE inline void assemble_again(const Block &block, const Worlds &b, WorldBase &s)
{
    block.each(b.robots.count, [&](int k) {
        if (!s.robot.replanned[k]) return;
        s.robot.replanned[k] = 0;
        assemble_robot(b, s, k);
    });
}

} // namespace tn
#endif
