/* batch_step.h: steps of one world by one block, from its row to its row. */
#ifndef TN_GPU_BATCH_STEP_H
#define TN_GPU_BATCH_STEP_H

#include "batch_narrow.h"
#include "batch_solve.h"

namespace tn
{

/* By all threads. */
template <class T> TN_DEVICE void copy_words(const Block &block, T *to, const T *from, int count)
{
    static_assert(sizeof(T) % 8 == 0, "whole words");
    typedef uint64_t __attribute__((may_alias)) Word;
    const Word *in = (const Word *)from;
    Word *out = (Word *)to;
    block.each((int)(sizeof(T) / 8) * count, [&](int i) { out[i] = in[i]; });
}

/* A link without unknowns: the world, or a mocap body on its way to its target (world/mocap.c). */
TN_DEVICE inline void place_fixed(const Worlds &b, const WorldHead &s, int l, TnLinkFrame *out,
                                  double twist[6])
{
    TnLinkFrame frame{};
    for (int k = 0; k < 6; k++) twist[k] = 0.0;
    frame.quat[0] = 1.0;
    if (l >= 1 && l <= b.mocap_count) {
        size_t at = 7 * ((size_t)s.index * (size_t)b.mocap_count + (size_t)(l - 1));
        const double *from = b.mocap + at, *to = b.mocap_target + at;
        double back[4], turn[4];
        v3_copy(frame.pos, from);
        v3_copy(frame.com, from);
        quat_copy(frame.quat, from + 3);
        v3_sub(twist, to, from);
        quat_conjugate(back, from + 3);
        quat_mul(turn, to + 3, back);
        quat_to_rotvec(twist + 3, turn);
        bool turns = to[3] != from[3] || to[4] != from[4] || to[5] != from[5] || to[6] != from[6];
        for (int k = 0; k < 6; k++) twist[k] = k < 3 || turns ? twist[k] / s.t : 0.0;
    }
    quat_to_m3(frame.rot, frame.quat);
    *out = frame;
}

/* What worlds share, to where steps write into it. */
TN_DEVICE inline void copy_shared(const Block &block, const Worlds &b, WorldBase &s)
{
    copy_words(block, s.model, b.model, 1);
    copy_words(block, s.collider, b.collider, 1);
    copy_words(block, s.slots, b.collider->slots, b.slot_count);
    copy_words(block, s.place, b.collider->place, b.slot_count);
}

/* Of a world that begins a step. */
TN_DEVICE inline void open_head(const Worlds &b, WorldHead &s, int w)
{
    const double *g = b.gravity + 3 * (size_t)w;
    double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    s.index = w;
    s.t = b.t[w];
    s.gravity_size = size > 0.0 ? size : 9.81;
    s.ratio = b.ratio;
    s.bad = s.stuck = false;
    s.iterations = 0;
}

/* As TnDetection. */
TN_DEVICE inline double slack_of(const WorldHead &s) { return s.gravity_size * s.t * s.t; }

/* And the model as it has it, and links that are led. */
TN_DEVICE inline void open_world(const Block &block, const Worlds &b, WorldBase &s, int w)
{
    block.once([&] {
        size_t i = (size_t)w;
        const double *g = b.gravity + 3 * i;
        open_head(b, s, w);
        TnDetection d{};
        d.collider = s.collider;
        d.frames = s.frames;
        d.twists = s.end_twists;
        d.t = s.t;
        d.slack = slack_of(s);
        d.alone = true;
        d.touching = TN_TOUCHING;
        d.far = TN_FAR;
        *s.detection = d;
        TnDynamicsInput in{};
        in.model = s.model;
        in.theta = b.theta;
        in.t = s.t;
        in.qpos = b.qpos + i * (size_t)b.qpos_count;
        in.qvel = b.qvel + i * (size_t)b.dof_count;
        if (b.robots.count) {
            in.passes = b.passes;
            in.inputs = s.robot.inputs;
            in.last = b.robots.vhat + i * (size_t)b.dof_count;
            in.blend = s.robot.blend;
        }
        *s.dynamics = in;
        for (int k = 0; k < 3; k++) s.model->option.gravity[k] = g[k];
        s.model->links = b.own_links ? b.own_links + i * (size_t)b.link_count : b.model->links;
        own_parts_of_robots(b.robots, i, s.model);
        s.collider->model = s.model;
        s.collider->slots = s.slots;
        s.collider->place = s.place;
        s.collider->bounds = s.bounds;
        s.collider->surfaces =
            (TnSurface *)(b.own_surfaces ? b.own_surfaces + i * (size_t)b.geom_count : b.surfaces);
    });
    block.each(b.link_count, [&](int l) {
        if (b.link_body[l] >= 0) return;
        place_fixed(b, s, l, &s.frames[l], s.twists[l]);
        for (int k = 0; k < 6; k++) s.end_twists[l][k] = s.twists[l][k];
    });
}

/* The places of a world in its memory. */
template <class R>
TN_DEVICE void open_memory(const Block &block, const Worlds &b, World<R> &s, int w)
{
    block.once([&] {
        char *scratch = b.scratch + (size_t)(w - b.first) * b.scratch_size;
        Cursor large = {scratch, sizeof(World<R>)},
               small = {scratch + b.scratch_size - b.fast_size, 0};
        lay_out(b, s, large);
        lay_out_fast<R>(b, b.contact_room, lever_room(b), s, small);
        s.is_shared = false;
        s.pair_room = b.pair_room;
        s.contact_room = b.contact_room;
    });
    copy_shared(block, b, s);
}

/* Between the parts of a step a world is kept at the start of its memory. */
template <class R> TN_DEVICE World<R> *kept_world(const Worlds &b, int w)
{
    return (World<R> *)(b.scratch + (size_t)(w - b.first) * b.scratch_size);
}

/* q⁺ and v⁺ of a free body beside the state. */
TN_DEVICE inline void advance_body(const Worlds &b, WorldBase &s, int i)
{
    int l = b.body_link[i];
    const TnRigidSystem *system = &s.systems[i];
    const double *vhat = s.v_end + 6 * i;
    double way[6];
    tn_rigid_way(s.dynamics, system->v, vhat, s.pushed[i] ? 1.0 : 0.0, 1.0, way);
    tn_rigid_advance(s.dynamics, l, &s.frames[l], system, vhat, way, s.next_qpos, s.next_qvel);
    const TnLink *link = &s.model->links[l];
    const double *qp = s.next_qpos + s.model->joints[link->joint_start].qpos_start;
    const double *qv = s.next_qvel + link->dof_start;
    for (int k = 0; k < 7; k++)
        if (!(fabs(qp[k]) < 1e10) || (k < 6 && !(fabs(qv[k]) < 1e10))) s.bad = true;
}

/* Mocap bodies are where they were led to. */
TN_DEVICE inline void take_mocap(const Block &block, const Worlds &b, const WorldHead &s)
{
    block.each(7 * b.mocap_count, [&](int i) {
        size_t at = 7 * (size_t)s.index * (size_t)b.mocap_count + (size_t)i;
        b.mocap[at] = b.mocap_target[at];
    });
}

/* The new state becomes that of the world. */
TN_DEVICE inline void take_state(const Block &block, const Worlds &b, const WorldBase &s)
{
    size_t w = (size_t)s.index;
    double *qpos = b.qpos + w * (size_t)b.qpos_count, *qvel = b.qvel + w * (size_t)b.dof_count;
    block.each(b.qpos_count, [&](int i) { qpos[i] = s.next_qpos[i]; });
    block.each(b.dof_count, [&](int i) { qvel[i] = s.next_qvel[i]; });
    take_mocap(block, b, s);
}

/* And the forces that it came by. Contacts of one geom1 follow each other; is_first, is_last: of
 * those. */
template <class V>
TN_DEVICE void keep_force(const Worlds &b, const WorldHead &s, int i, uint64_t key, int geom1,
                          bool is_first, bool is_last, V force)
{
    size_t w = (size_t)s.index, at = w * (size_t)b.contact_room + (size_t)i,
           geom = w * (size_t)b.geom_count + (size_t)geom1;
    b.old_key[at] = key;
    b.old_lambda[3 * at] = force.x;
    b.old_lambda[3 * at + 1] = force.y;
    b.old_lambda[3 * at + 2] = force.z;
    if (is_first) b.old_first[geom] = i;
    if (is_last) b.old_end[geom] = i + 1;
}

TN_DEVICE inline void forget_forces(const Block &block, const Worlds &b, const WorldHead &s)
{
    size_t row = (size_t)s.index * (size_t)b.geom_count;
    block.each(b.geom_count, [&](int i) { b.old_first[row + i] = b.old_end[row + i] = 0; });
}

TN_DEVICE inline void report_world(const Worlds &b, const WorldHead &s, int iterations)
{
    double unit = s.gravity_size * s.t;
    WorldReport r{};
    r.contact_count = s.contact_count;
    r.iterations = iterations;
    r.error = sqrt(double_from(s.worst)) / unit;
    r.rigid_error = sqrt(double_from(s.worst_rigid)) / unit;
    r.max_penetration = double_from(s.deepest);
    r.mean_penetration = s.deep ? TN_DEPTH_UNIT * (double)s.depths / (double)s.deep : 0.0;
    b.reports[s.index] = r;
}

/* ---- the parts of a step ---- */

/* The free motion, but for that of robots: begin_robot. */
template <class R>
TN_DEVICE void start_step(const Block &block, const Worlds &b, World<R> &s, int w)
{
    open_memory(block, b, s, w);
    open_world(block, b, s, w);
    block.each(b.free_count, [&](int i) { assemble_body(b, s, i); });
    block.each(b.robots.actuator_count, [&](int i) { find_inputs(b, s, i); });
}

/* Up to the contacts as the iteration reads them. One whose memory for pairs or contacts is too
 * small is stuck: nothing changes. */
template <class R>
TN_DEVICE void begin_step(const Block &block, const Worlds &b, World<R> &s, int w)
{
    list_pairs(block, b, s);
    if (!s.stuck) list_points(block, b, s);
    if (!s.stuck) plan_contacts(block, b, s);
    if (!s.stuck) write_world(block, b, s, false);
    copy_words(block, kept_world<R>(b, w), &s, 1);
}

/* Once it is solved: robots that are pushed and were assembled as if they were not are assembled
 * again, and the step is to be solved again. */
template <class R> TN_DEVICE void look_again(const Block &block, const Worlds &b, World<R> &s)
{
    check_plan(block, b, s);
    if (!s.robot.again || s.bad) return;
    assemble_again(block, b, s);
    write_world(block, b, s, true);
}

/* A step that is done, or rejected. */
TN_DEVICE inline void close_step(const Worlds &b, const WorldHead &s)
{
    report_world(b, s, s.iterations);
    b.left[s.index]--;
    if (s.bad)
        b.diverged[s.index] = 1;
    else
        b.time[s.index] += s.t;
}

template <class R> TN_DEVICE void end_step(const Block &block, const Worlds &b, World<R> &s)
{
    if (!(b.tolerance > 0.0)) judge_world(block, b, s);
    block.each(b.free_count, [&](int i) { advance_body(b, s, i); });
    block.each(s.bad ? 0 : b.robots.count, [&](int k) { advance_robot(b, s, k); });
    block.once([&] { close_step(b, s); });
    if (s.bad) return;
    take_state(block, b, s);
    keep_robots(block, b, s);
    forget_forces(block, b, s);
    int count = s.contact_count;
    block.each(count, [&](int i) {
        const TnContactPoint *c = &s.points[i];
        keep_force(b, s, i, warm_key(c), c->geom1, i == 0 || c[-1].geom1 != c->geom1,
                   i == count - 1 || c[1].geom1 != c->geom1, s.lambda[i]);
    });
}

} // namespace tn
#endif
