/* batch_step.h: steps of one world by one block, from its row to its row. */
#ifndef TN_GPU_BATCH_STEP_H
#define TN_GPU_BATCH_STEP_H

#include "batch_narrow.h"
#include "batch_solve.h"

namespace tn
{

/* What stays the same for all worlds of a block. */
template <class R>
TN_DEVICE void open_block(const Block &block, const Worlds &b, World<R> &s, char *scratch,
                          char *fast)
{
    block.once([&] {
        Cursor large = {scratch, 0}, small = {fast, 0};
        lay_out(b, s, large);
        lay_out_fast(b, s, small);
        *s.model = *b.model;
        *s.collider = *b.collider;
        s.collider->model = s.model;
        s.collider->slots = s.slots;
        s.collider->place = s.place;
        s.collider->bounds = s.bounds;
        TnDetection d{};
        d.collider = s.collider;
        d.frames = s.frames;
        d.twists = s.end_twists;
        d.alone = true;
        d.touching = TN_TOUCHING;
        d.far = TN_FAR;
        *s.detection = d;
        TnDynamicsInput in{};
        in.model = s.model;
        in.theta = b.theta;
        *s.dynamics = in;
        TnLinkFrame world{};
        world.quat[0] = world.rot[0] = world.rot[4] = world.rot[8] = 1.0;
        for (int l = 0; l < b.link_count; l++)
            if (b.link_body[l] < 0) {
                s.frames[l] = world;
                for (int k = 0; k < 6; k++) s.twists[l][k] = s.end_twists[l][k] = 0.0;
            }
    });
    block.each(b.slot_count, [&](int i) {
        s.slots[i] = b.collider->slots[i];
        s.place[i] = b.collider->place[i];
    });
}

TN_DEVICE inline void open_world(const Block &block, const Worlds &b, WorldBase &s, int w)
{
    block.once([&] {
        size_t i = (size_t)w;
        const double *g = b.gravity + 3 * i;
        s.index = w;
        s.t = b.t[i];
        double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        s.gravity_size = size > 0.0 ? size : 9.81;
        for (int k = 0; k < 3; k++) s.model->option.gravity[k] = g[k];
        if (b.own_links) s.model->links = b.own_links + i * (size_t)b.link_count;
        s.collider->surfaces =
            (TnSurface *)(b.own_surfaces ? b.own_surfaces + i * (size_t)b.geom_count : b.surfaces);
        s.detection->t = s.dynamics->t = s.t;
        s.detection->slack = s.gravity_size * s.t * s.t;
        s.dynamics->qpos = b.qpos + i * (size_t)b.qpos_count;
        s.dynamics->qvel = b.qvel + i * (size_t)b.dof_count;
    });
}

/* q⁺ and v⁺ beside the state. */
TN_DEVICE inline void advance_body(const Worlds &b, WorldBase &s, int i)
{
    int l = b.body_link[i];
    const double *vhat = s.v_end + 6 * i;
    double way[6];
    tn_rigid_way(s.dynamics, s.systems[i].v, vhat, s.pushed[i] ? 1.0 : 0.0, 1.0, way);
    tn_rigid_advance(s.dynamics, l, &s.frames[l], &s.systems[i], vhat, way, s.next_qpos,
                     s.next_qvel);
    const TnLink *link = &s.model->links[l];
    const double *qp = s.next_qpos + s.model->joints[link->joint_start].qpos_start;
    const double *qv = s.next_qvel + link->dof_start;
    for (int k = 0; k < 7; k++)
        if (!(fabs(qp[k]) < 1e10) || (k < 6 && !(fabs(qv[k]) < 1e10))) s.bad = true;
}

/* The new state and the forces that it came by become those of the world. */
template <class R> TN_DEVICE void take_over(const Block &block, const Worlds &b, World<R> &s)
{
    size_t w = (size_t)s.index, row = w * (size_t)b.geom_count, base = w * (size_t)b.contact_room;
    double *qpos = b.qpos + w * (size_t)b.qpos_count, *qvel = b.qvel + w * (size_t)b.dof_count;
    block.each(b.qpos_count, [&](int i) { qpos[i] = s.next_qpos[i]; });
    block.each(b.dof_count, [&](int i) { qvel[i] = s.next_qvel[i]; });
    block.each(b.geom_count, [&](int i) { b.old_count[row + (size_t)i] = 0; });
    block.each(s.contact_count, [&](int i) {
        const TnContactPoint *c = &s.points[s.point_of[i]];
        typename Vec4<R>::type l = s.lambda[i];
        size_t at = base + (size_t)i, geom = row + (size_t)c->geom1;
        b.old_key[at] = warm_key(c);
        b.old_lambda[3 * at] = l.x;
        b.old_lambda[3 * at + 1] = l.y;
        b.old_lambda[3 * at + 2] = l.z;
        atomic_add(&b.old_count[geom], 1);
        if (i == 0 || s.points[s.point_of[i - 1]].geom1 != c->geom1) b.old_first[geom] = i;
    });
}

TN_DEVICE inline void report_world(const Worlds &b, const WorldBase &s, int iterations)
{
    double unit = s.gravity_size * s.t;
    WorldReport r{};
    r.contact_count = s.contact_count;
    r.iterations = iterations;
    r.error = sqrt(double_from(s.worst)) / unit;
    r.rigid_error = sqrt(double_from(s.worst_rigid)) / unit;
    r.max_penetration = double_from(s.deepest);
    r.mean_penetration = s.deep ? TN_DEPTH_UNIT * (double)s.depths / s.deep : 0.0;
    b.reports[s.index] = r;
}

#if defined(TN_GPU_LAPS) && defined(__CUDACC__) /* for who looks where the time goes */
__device__ unsigned long long batch_laps[8];
#define LAP(k)                                                                                     \
    if (block.rank == 0) {                                                                         \
        long long now = clock64();                                                                 \
        atomicAdd(&batch_laps[k], (unsigned long long)(now - lap));                                \
        lap = now;                                                                                 \
    }
#define LAP_START long long lap = clock64();
#else
#define LAP(k)
#define LAP_START
#endif

/* False: memory for pairs or contacts is too small, and nothing has changed. */
template <class R> TN_DEVICE bool step_world(const Block &block, const Worlds &b, World<R> &s)
{
    block.once([&] {
        s.bad = s.stuck = false;
        s.kept = 0;
        s.ratio = b.ratio;
    });
    LAP_START
    block.each(b.body_count, [&](int i) { assemble_body(b, s, i); });
    LAP(0)
    list_pairs(block, b, s);
    if (s.stuck) return false;
    LAP(1)
    list_points(block, b, s);
    if (s.stuck) return false;
    LAP(2)
    write_world(block, b, s, false);
    LAP(3)
    int iterations = solve_world(block, b, s);
    LAP(4)
    block.each(b.body_count, [&](int i) { advance_body(b, s, i); });
    block.once([&] {
        report_world(b, s, iterations);
        if (s.bad)
            b.diverged[s.index] = 1;
        else
            b.time[s.index] += s.t;
    });
    if (!s.bad) take_over(block, b, s);
    LAP(5)
    return true;
}

template <class R> TN_DEVICE void run_world(const Block &block, const Worlds &b, World<R> &s, int w)
{
    bool rests = (b.mask && !b.mask[w]) || b.diverged[w];
    int left = rests ? 0 : b.left[w];
    if (left > 0) open_world(block, b, s, w);
    for (; left > 0; left--) {
        if (!step_world(block, b, s)) break;
        if (s.bad) left = 1;
    }
    block.once([&] {
        b.left[w] = left;
        if (left > 0) atomic_add(&b.summary->left, 1);
    });
}

} // namespace tn
#endif
