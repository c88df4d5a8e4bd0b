/* robot_model.h: what steps of robots read of the model, made on the host and copied once. */
#ifndef TN_GPU_ROBOT_MODEL_H
#define TN_GPU_ROBOT_MODEL_H

#include "../batch/batch.h"
#include "../batch/batch_data.h"
#include "../memory.h"

namespace tn
{

/* Lists of a world's robots. */
struct RobotLists {
    std::vector<Robot> robots;
    std::vector<RobotRow> rows;
    std::vector<int> dof_robot, link_robot, chain_start, chain, behind_start, behind, dof_row,
        dof_row_end;
    size_t arena = 0;
    int numbers = 0, fast_numbers = 0, x = 0, chain_most = 0;
};

/* What the host keeps of them. */
struct RobotsHere {
    std::vector<Robot> robots;
    std::vector<const TnMoment *> moments; /* per actuator, on the device */
};

/* Bytes that tn_tree_reserve and tn_tree_assemble take, rounded up. */
inline size_t arena_of(const TnModel *m, const TnSubsystem *sub)
{
    size_t n = (size_t)sub->dof_count, links = (size_t)sub->link_count,
           servos = (size_t)m->actuator_count;
    size_t numbers = 3 * n * n + 40 * n + 3 * (size_t)m->qpos_count + (size_t)m->dof_count +
                     30 * links + 2 * servos;
    size_t bytes = numbers * sizeof(double) + links * sizeof(TnLinkFrame) +
                   servos * sizeof(TnServo) + 40 * TN_ARENA_ALIGN;
    return (bytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
}

inline bool joint_has_spring(const TnJoint *j)
{
    return j->stiffness != 0.0 || j->stiffness_poly[0] != 0.0 || j->stiffness_poly[1] != 0.0;
}

/* As tn_plan_minds. */
inline bool minds(const TnModel *m, int s, const TnJoint *joints, const TnActuator *actuators)
{
    const TnSubsystem *sub = &m->subsystems[s];
    for (int j = 0; j < m->joint_count; j++) {
        int link = m->joints[j].link;
        if (link >= sub->link_start && link < sub->link_start + sub->link_count &&
            joint_has_spring(&joints[j]))
            return true;
    }
    for (int a = m->actuator_first[s]; a >= 0; a = m->actuator_next[a])
        if (actuators[a].bias[1] != 0.0 || actuators[a].gain_rate[0] != 0.0) return true;
    return false;
}

inline void list_rows(const TnModel *m, const TnLink *link, int robot, const Robot &r,
                      RobotLists &out)
{
    for (int j = link->joint_start; j < link->joint_start + link->joint_count; j++) {
        const TnJoint *joint = &m->joints[j];
        int dofs = joint->type == TN_JOINT_FREE   ? 6
                   : joint->type == TN_JOINT_BALL ? 3
                                                  : 1,
            first = (int)out.rows.size(), dof = r.dof + joint->dof_start - r.model_dof;
        if (joint->limited && dofs == 1) out.rows.push_back({j, robot, dof, 1, 0});
        if (joint->limited && dofs < 6) out.rows.push_back({j, robot, dof, dofs, 1});
        if (joint->friction_loss > 0.0 && dofs < 6) out.rows.push_back({j, robot, dof, 1, 2});
        for (int d = 0; d < dofs; d++) {
            out.dof_row.push_back(first);
            out.dof_row_end.push_back((int)out.rows.size());
        }
    }
}

inline void list_robot(const TnModel *m, int s, RobotLists &out)
{
    const TnSubsystem *sub = &m->subsystems[s];
    int robot = (int)out.robots.size(), n = sub->dof_count;
    Robot r = {s,
               (int)out.dof_robot.size(),
               n,
               sub->dof_start,
               (int)out.link_robot.size(),
               sub->link_count,
               sub->link_start,
               out.numbers,
               out.fast_numbers,
               out.x,
               minds(m, s, m->joints, m->actuators)};
    std::vector<bool> has_geom((size_t)m->link_count, false);
    for (int g = 0; g < m->geom_count; g++) has_geom[(size_t)m->geom_link[g]] = true;
    std::vector<std::vector<int>> behind((size_t)n);
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &m->links[l];
        int carried = (int)out.link_robot.size();
        out.link_robot.push_back(robot);
        for (int d = link->dof_start + link->dof_count - 1; d >= 0; d = m->dof_parent[d]) {
            out.chain.push_back(r.dof + d - r.model_dof);
            if (has_geom[(size_t)l]) behind[(size_t)(d - r.model_dof)].push_back(carried);
        }
        int length = (int)out.chain.size() - out.chain_start.back();
        out.chain_most = length > out.chain_most ? length : out.chain_most;
        out.chain_start.push_back((int)out.chain.size());
        list_rows(m, link, robot, r, out);
    }
    for (const std::vector<int> &links : behind) {
        out.behind.insert(out.behind.end(), links.begin(), links.end());
        out.behind_start.push_back((int)out.behind.size());
        out.dof_robot.push_back(robot);
    }
    out.robots.push_back(r);
    out.numbers += n * n;
    out.fast_numbers += matrix_numbers(n);
    out.x += (n + 3) / 4 * 4;
    size_t arena = arena_of(m, sub);
    if (arena > out.arena) out.arena = arena;
}

template <class T> const T *copy_list(Queue &q, Memory &memory, const std::vector<T> &list)
{
    return memory.copy(q, list.data(), list.size());
}

/* Also what the engine's code of trees reads of the model: `there`, whose pointers are the
 * device's. */
inline void copy_robots(Queue &q, Memory &memory, const TnModel *m, TnModel &there,
                        RobotsHere &here, Robots &r)
{
    RobotLists lists;
    lists.chain_start.push_back(0);
    lists.behind_start.push_back(0);
    for (int s = 0; s < m->subsystem_count; s++)
        if (m->subsystems[s].kind == TN_SUBSYSTEM_TREE) list_robot(m, s, lists);
    r.count = (int)lists.robots.size();
    r.dof_count = (int)lists.dof_robot.size();
    r.link_count = (int)lists.link_robot.size();
    r.row_count = (int)lists.rows.size();
    r.actuator_count = m->actuator_count;
    r.joint_count = m->joint_count;
    r.numbers = lists.numbers;
    r.fast_numbers = lists.fast_numbers;
    r.chain_most = lists.chain_most;
    r.arena = lists.arena;
    for (const Robot &robot : lists.robots) r.minds |= robot.minds;
    if (!r.count) return;
    here.robots = lists.robots;
    r.robots = memory.copy(q, lists.robots.data(), lists.robots.size());
    r.dof_robot = copy_list(q, memory, lists.dof_robot);
    r.link_robot = copy_list(q, memory, lists.link_robot);
    r.chain_start = copy_list(q, memory, lists.chain_start);
    r.chain = copy_list(q, memory, lists.chain);
    r.behind_start = copy_list(q, memory, lists.behind_start);
    r.behind = copy_list(q, memory, lists.behind);
    r.rows = copy_list(q, memory, lists.rows);
    r.dof_row = copy_list(q, memory, lists.dof_row);
    r.dof_row_end = copy_list(q, memory, lists.dof_row_end);
    size_t dofs = (size_t)m->dof_count, parts = (size_t)m->subsystem_count;
    there.subsystems = memory.copy(q, m->subsystems, parts);
    there.link_subsystem = memory.copy(q, m->link_subsystem, (size_t)m->link_count);
    there.dof_joint = memory.copy(q, m->dof_joint, dofs);
    there.dof_parent = memory.copy(q, m->dof_parent, dofs);
    there.dof_couple = memory.copy(q, m->dof_couple, dofs);
    there.qpos0 = memory.copy(q, m->qpos0, (size_t)m->qpos_count);
    there.tendon_first = memory.copy(q, m->tendon_first, parts);
    there.actuator_first = memory.copy(q, m->actuator_first, parts);
    there.actuator_next = memory.copy(q, m->actuator_next, (size_t)m->actuator_count);
    std::vector<TnActuator> actuators(m->actuators, m->actuators + m->actuator_count);
    for (TnActuator &a : actuators) {
        a.moments = memory.copy(q, a.moments, (size_t)a.moment_count);
        here.moments.push_back(a.moments);
    }
    there.actuators = memory.copy(q, actuators.data(), actuators.size());
}

/* Joints and actuators of each world. A robot minds if it does in one of them. */
inline void copy_own_robots(Queue &q, Memory &memory, const TnModel &m, const TnGpuParameters &p,
                            size_t worlds, RobotsHere &here, Robots &r)
{
    size_t joints = (size_t)m.joint_count, count = (size_t)m.actuator_count;
    r.own_joints = p.joints ? memory.copy(q, p.joints, worlds * joints) : nullptr;
    r.own_actuators = nullptr;
    if (p.actuators) {
        std::vector<TnActuator> all(p.actuators, p.actuators + worlds * count);
        for (size_t i = 0; i < all.size(); i++) all[i].moments = here.moments[i % count];
        r.own_actuators = memory.copy(q, all.data(), all.size());
    }
    for (Robot &robot : here.robots) {
        bool some = minds(&m, robot.subsystem, m.joints, m.actuators);
        for (size_t w = 0; w < worlds && !some && (p.joints || p.actuators); w++)
            some = minds(&m, robot.subsystem, p.joints ? p.joints + w * joints : m.joints,
                         p.actuators ? p.actuators + w * count : m.actuators);
        robot.minds = some;
        r.minds |= some;
    }
    copy_bytes(q, r.robots, here.robots.data(), here.robots.size() * sizeof(Robot));
    wait(q);
}

/* Rows per world. */
inline void take_robots(Queue &q, Memory &memory, size_t worlds, int model_dofs, Robots &r)
{
    r.ctrl = memory.take<double>(q, worlds * (size_t)r.actuator_count);
    r.vhat = memory.take<double>(q, worlds * (size_t)model_dofs);
    r.old_row = memory.take<double>(q, worlds * (size_t)r.row_count);
    r.pushed = memory.take<uint8_t>(q, worlds * (size_t)r.count);
}

} // namespace tn
#endif
