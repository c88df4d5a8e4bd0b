/* batch_worlds.cu: memory of all worlds, and the launches that step them. */
#include "../../collision/verdict.h"
#include "../any_batch.h"
#include "batch_step.h"
#include "../chip/chip.h"
#include "../memory.h"
#include "../robot/robot_model.h"

namespace tn
{

#define TN_SCRATCH_MAX (2ll << 30) /* bytes for worlds that are stepped at a time */

#define TN_REPEATS 2 /* as REPEATS of step/step.c */
#define TN_SHARED_CONTACTS 16
#define TN_START_THREADS 32
#define TN_START_BLOCKS 24
#define TN_ROBOT_THREADS 32
#define TN_ROBOT_BLOCKS 16
#define TN_ROBOT_LANES 16         /* threads of a warp that have a robot */
#define TN_ROBOT_SMALL (6 * 1024) /* bytes: arenas that threads have themselves */
#define TN_ROBOT_LARGE (24 * 1024)

#ifdef __CUDACC__

/* Parts of a step have kernels of their own: the first and the last wait for memory, which many
 * threads hide; the middle one needs registers and shared memory. */
#define TN_BLOCK                                                                                   \
    __shared__ World<R> s;                                                                         \
    __shared__ int sums[TN_BLOCK_MAX / 32];                                                        \
    Block block = {(int)threadIdx.x, (int)blockDim.x, sums};                                       \
    int w = b.first + (int)blockIdx.x;

/* Of worlds with robots. */
template <class R>
__global__ void __launch_bounds__(TN_START_THREADS, TN_START_BLOCKS)
    start_steps(const __grid_constant__ Worlds b)
{
    TN_BLOCK
    if (!is_on(b, w)) return;
    start_step(block, b, s, w);
    copy_words(block, kept_world<R>(b, w), &s, 1);
}

/* Each robot is in the hands of one thread; those of a warp have robots of different worlds, which
 * mostly do the same. */
template <class R, size_t room>
__global__ void __launch_bounds__(TN_ROBOT_THREADS, TN_ROBOT_BLOCKS)
    begin_robots(const __grid_constant__ Worlds b)
{
    int i = (int)blockIdx.x * TN_ROBOT_LANES + (int)threadIdx.x, w = b.first + i / b.robots.count;
    if ((int)threadIdx.x >= TN_ROBOT_LANES || i >= b.at_once * b.robots.count || !is_on(b, w))
        return;
    begin_robot<room>(b, *kept_world<R>(b, w), i % b.robots.count);
}

template <class R>
__global__ void __launch_bounds__(TN_EDGE_THREADS, TN_EDGE_BLOCKS)
    begin_steps(const __grid_constant__ Worlds b)
{
    TN_BLOCK
    if (!is_on(b, w)) return;
    if (b.robots.count)
        copy_words(block, &s, kept_world<R>(b, w), 1);
    else
        start_step(block, b, s, w);
    begin_step(block, b, s, w);
}

template <class R>
__device__ void copy_levers(const Block &block, int dofs, int contacts, const Levers<R> &to,
                            const Levers<R> &from)
{
    int count = from.start[contacts];
    copy_words(block, to.lever, from.lever, count);
    block.each(contacts + 1, [&](int i) { to.start[i] = from.start[i]; });
    block.each(dofs + 1, [&](int i) { to.dof_start[i] = from.dof_start[i]; });
    block.each(count, [&](int i) {
        to.dof[i] = from.dof[i];
        to.contact[i] = from.contact[i];
        to.list[i] = from.list[i];
    });
}

template <class R>
__global__ void __launch_bounds__(TN_BLOCK_MAX, TN_BLOCKS_AT_LEAST)
    solve_steps(const __grid_constant__ Worlds b, bool repeats)
{
    TN_BLOCK
    if (!is_on(b, w)) return;
    World<R> *kept = kept_world<R>(b, w);
    if (kept->stuck || kept->bad || (repeats && !kept->robot.again)) return;
    copy_words(block, &s, kept, 1);
    const Fast<R> there = *kept_world<R>(b, w);
    int n = s.contact_count;
    bool fits = b.fast_is_shared && n <= b.shared_contacts &&
                (!b.robots.count || there.fast_robot.levers.start[n] <= b.shared_levers);
    if (fits) {
        block.sync(); /* all have seen how many contacts there are */
        block.once([&] {
            Cursor small = {fast_memory, 0};
            lay_out_fast<R>(b, b.shared_contacts, b.shared_levers, s, small);
            s.is_shared = true;
        });
        copy_words(block, (uint64_t *)fast_memory, (const uint64_t *)there.fast_robot.dofs,
                   (int)(b.fast_robots / 8));
        if (b.robots.count)
            copy_levers(block, b.robots.dof_count, n, s.fast_robot.levers, there.fast_robot.levers);
        copy_words(block, s.v, there.v, b.free_count);
        copy_words(block, s.spin, there.spin, b.free_count);
        copy_words(block, s.arm_a, there.arm_a, n);
        copy_words(block, s.arm_b, there.arm_b, n);
        copy_words(block, s.normal, there.normal, n);
        copy_words(block, s.total, there.total, n);
        copy_words(block, s.trial, there.trial, n);
        copy_words(block, s.lambda, there.lambda, n);
        block.each(n, [&](int i) { s.ends[i] = there.ends[i]; });
        block.each(b.body_count + 1, [&](int i) { s.side_start[i] = there.side_start[i]; });
        block.each(s.side_start[b.body_count], [&](int i) { s.sides[i] = there.sides[i]; });
    }
    int iterations = solve_world(block, b, s);
    block.once([&] {
        s.iterations = iterations + (repeats ? s.iterations : 0);
        *kept_world<R>(b, w) = s;
        *(Fast<R> *)kept_world<R>(b, w) = there;
        kept_world<R>(b, w)->is_shared = false;
    });
    if (!fits) return;
    copy_words(block, there.lambda, s.lambda, s.contact_count);
    block.each(b.robots.row_count,
               [&](int i) { there.fast_robot.row_lambda[i] = s.fast_robot.row_lambda[i]; });
}

template <class R>
__global__ void __launch_bounds__(TN_EDGE_THREADS, TN_EDGE_BLOCKS)
    look_again_at_steps(const __grid_constant__ Worlds b)
{
    TN_BLOCK
    if (!is_on(b, w)) return;
    copy_words(block, &s, kept_world<R>(b, w), 1);
    if (s.stuck) return;
    look_again(block, b, s);
    copy_words(block, kept_world<R>(b, w), &s, 1);
}

template <class R>
__global__ void __launch_bounds__(TN_EDGE_THREADS, TN_EDGE_BLOCKS)
    end_steps(const __grid_constant__ Worlds b)
{
    TN_BLOCK
    if (!is_on(b, w)) return;
    copy_words(block, &s, kept_world<R>(b, w), 1);
    if (s.stuck) return;
    check_plan(block, b, s);
    end_step(block, b, s);
}

#endif

#if defined(TN_GPU_LAPS) && defined(__CUDACC__) /* shows where the time goes */
static void lap(Queue &q, int part)
{
    static const char *const names[] = {"", "begin", "solve", "end"};
    static cudaEvent_t events[4];
    static double sums[4];
    static int count;
    if (!events[part]) cudaEventCreate(&events[part]);
    cudaEventRecord(events[part], q.stream);
    if (part < 3) return;
    cudaEventSynchronize(events[3]);
    for (int k = 1; k < 4; k++) {
        float ms = 0.0f;
        cudaEventElapsedTime(&ms, events[k - 1], events[k]);
        sums[k] += (double)ms;
    }
    if (++count % 100) return;
    for (int k = 1; k < 4; k++)
        fprintf(stderr, "%s %.3f ms ", names[k], sums[k] / 100), sums[k] = 0;
    fprintf(stderr, "per launch\n");
}
#define LAP(part) lap(q, part)
#else
#define LAP(part)
#endif

template <class R> struct Batch : AnyBatch {
    Worlds b{};
    Memory own, of_links, of_surfaces, of_robots, of_contacts, of_blocks;
    const TnModel *model_here = nullptr;
    RobotsHere robots_here;
    uint8_t *mask_there = nullptr;
    double *row_qpos = nullptr, *row_qvel = nullptr, *row_ctrl = nullptr, *first_mocap = nullptr;
    Summary *summary = nullptr; /* the host's copy */
    int threads = 32, edge_threads = 32;
    Chips chips;

    Batch(const TnModel *m, const TnCollider *c, const TnGpuDef &d, int count, size_t limit);
    ~Batch() override;
    void step(int steps, const uint8_t *mask, bool there) override;
    void parameters(const TnGpuParameters &p) override;
    void reset(const uint8_t *mask, bool there, const double *qpos, const double *qvel,
               const double *ctrl) override;
    void forget(int first, int many) override;
    TnGpuRows rows() const override
    {
        return {b.time, b.qpos, b.qvel, b.diverged, b.mocap_target, b.robots.ctrl};
    }
    void reports(TnGpuReport *out) override;

    /* its own */
    void copy_model(const TnModel *m, const TnCollider *c);
    void copy_partners(TnCollider &out, const TnCollider *c);
    void copy_slots(const TnModel *m, const std::vector<TnSlot> &slots,
                    const std::vector<int> &body_link, const std::vector<int> &link_body);
    void take_worlds();
    void take_contacts(int room);
    void take_blocks();
    bool grow();
    void launch();
    const uint8_t *place_mask(const uint8_t *mask, bool there);
};

/* ---- memory ---- */

/* Which geoms may collide, and how deep those may be in each other that overlap by design: the
 * host's own answers. */
template <class R> void Batch<R>::copy_partners(TnCollider &out, const TnCollider *c)
{
    size_t words = ((size_t)c->count + 31) / 32;
    std::vector<uint32_t> may_meet((size_t)c->moving_count * words);
    std::vector<TnOverlap> overlaps;
    b.only_with_spheres = b.only_plain = true;
    for (int i = 0; i < c->moving_count; i++) {
        bool round = c->slots[i].shape_type == TN_GEOM_SPHERE;
        for (int k = i + 1; k < c->count; k++) {
            double least;
            TnGeomType other = c->slots[k].shape_type;
            if (!tn_filter_verdict(c, i, k, &least)) continue;
            bool both = round && other == TN_GEOM_SPHERE, moves = k < c->moving_count;
            b.only_with_spheres &= both ? moves : round || other == TN_GEOM_SPHERE;
            b.only_plain &= both ? moves : round && other == TN_GEOM_PLANE;
            may_meet[(size_t)i * words + (size_t)k / 32] |= 1u << (k % 32);
            if (least > -INFINITY) overlaps.push_back(TnOverlap{i, k, least});
        }
    }
    b.may_meet = own.copy(q, may_meet.data(), may_meet.size());
    out.overlaps = own.copy(q, overlaps.data(), overlaps.size());
    out.overlap_count = (int)overlaps.size();
}

/* Bodies of slots; and of free bodies, where they are in the rows, and their slots. */
template <class R>
void Batch<R>::copy_slots(const TnModel *m, const std::vector<TnSlot> &slots,
                          const std::vector<int> &body_link, const std::vector<int> &link_body)
{
    std::vector<uint16_t> slot_body;
    std::vector<int> qpos, dof, first, list;
    for (const TnSlot &slot : slots) {
        int body = link_body[(size_t)slot.link];
        slot_body.push_back((uint16_t)(body < 0 ? b.body_count : body));
    }
    for (int l : body_link) {
        qpos.push_back(m->joints[m->links[l].joint_start].qpos_start);
        dof.push_back(m->links[l].dof_start);
        first.push_back((int)list.size());
        for (size_t k = 0; k < slots.size(); k++)
            if (slots[k].link == l) list.push_back((int)k);
    }
    first.push_back((int)list.size());
    b.slot_body = own.copy(q, slot_body.data(), slot_body.size());
    b.body_qpos = own.copy(q, qpos.data(), qpos.size());
    b.body_dof = own.copy(q, dof.data(), dof.size());
    b.body_slot = own.copy(q, first.data(), first.size());
    b.slot_list = own.copy(q, list.data(), list.size());
}

/* What steps read of the model and its collider. */
template <class R> void Batch<R>::copy_model(const TnModel *m, const TnCollider *c)
{
    TnModel model = *m;
    TnCollider collider = *c;
    collider.verdicts = nullptr; /* nothing needs a look at the model */
    size_t n = (size_t)c->count;
    model.links = own.copy(q, m->links, (size_t)m->link_count);
    model.joints = own.copy(q, m->joints, (size_t)m->joint_count);
    model.geoms = own.copy(q, m->geoms, (size_t)m->geom_count);
    model.geom_link = own.copy(q, m->geom_link, (size_t)m->geom_count);
    copy_robots(q, own, m, model, robots_here, b.robots);
    b.model = own.copy(q, &model, 1);
    first_mocap = own.copy(q, m->mocap0, 7 * (size_t)m->mocap_count);
    std::vector<TnSlot> slots(c->slots, c->slots + n);
    std::vector<TnSurface> surfaces((size_t)m->geom_count);
    for (TnSlot &slot : slots) {
        surfaces[(size_t)slot.geom] = c->surfaces[slot.surface];
        slot.surface = slot.geom;
    }
    collider.slots = own.copy(q, slots.data(), n);
    collider.locals = own.copy(q, c->locals, n);
    collider.shape = own.copy(q, c->shape, n);
    collider.thinness = own.copy(q, c->thinness, n);
    collider.place = own.copy(q, c->place, n);
    copy_partners(collider, c);
    collider.asleep = nullptr;
    b.collider = own.copy(q, &collider, 1);
    b.surfaces = own.copy(q, surfaces.data(), surfaces.size());
    std::vector<int> body_link, link_body((size_t)m->link_count, -1);
    for (int i = 0; i < m->subsystem_count; i++) {
        if (m->subsystems[i].kind != TN_SUBSYSTEM_RIGID) continue;
        link_body[(size_t)m->subsystems[i].link_start] = (int)body_link.size();
        body_link.push_back(m->subsystems[i].link_start);
    }
    b.free_count = b.robots.first_body = (int)body_link.size();
    b.body_count = b.free_count + b.robots.link_count;
    for (int i = 0, body = b.free_count; i < m->subsystem_count; i++) {
        const TnSubsystem &sub = m->subsystems[i];
        for (int l = 0; sub.kind == TN_SUBSYSTEM_TREE && l < sub.link_count; l++)
            link_body[(size_t)(sub.link_start + l)] = body++;
    }
    copy_slots(m, slots, body_link, link_body);
    b.links = model.links;
    b.slots = collider.slots;
    b.locals = collider.locals;
    b.shapes = collider.shape;
    b.places = collider.place;
    b.fixed_start = c->fixed_start;
    b.body_link = own.copy(q, body_link.data(), body_link.size());
    b.link_body = own.copy(q, link_body.data(), link_body.size());
    b.subsystem_count = m->subsystem_count;
    b.link_count = m->link_count;
    b.geom_count = m->geom_count;
    b.slot_count = c->count;
    b.finite_count = c->finite_count;
    b.moving_count = c->moving_count;
    b.segments = (c->count + 31) / 32;
    b.qpos_count = m->qpos_count;
    b.dof_count = m->dof_count;
    b.mocap_count = m->mocap_count;
}

template <class R> void Batch<R>::take_worlds()
{
    size_t n = (size_t)b.count, geoms = n * (size_t)b.geom_count;
    b.time = own.take<double>(q, n);
    b.qpos = own.take<double>(q, n * (size_t)b.qpos_count);
    b.qvel = own.take<double>(q, n * (size_t)b.dof_count);
    b.mocap = own.take<double>(q, 7 * n * (size_t)b.mocap_count);
    b.mocap_target = own.take<double>(q, 7 * n * (size_t)b.mocap_count);
    b.diverged = own.take<uint8_t>(q, n);
    b.left = own.take<int>(q, n);
    b.gravity = own.take<double>(q, 3 * n);
    b.t = own.take<double>(q, n);
    b.reports = own.take<WorldReport>(q, n);
    b.old_first = own.take<int>(q, geoms);
    b.old_end = own.take<int>(q, geoms);
    b.summary = own.take<Summary>(q, 1);
    take_robots(q, own, n, b.dof_count, b.robots);
    mask_there = own.take<uint8_t>(q, n);
    row_qpos = own.take<double>(q, (size_t)b.qpos_count);
    row_qvel = own.take<double>(q, (size_t)b.dof_count);
    row_ctrl = own.take<double>(q, (size_t)b.robots.actuator_count);
}

/* The last forces stay. */
template <class R> void Batch<R>::take_contacts(int room)
{
    Memory before;
    std::swap(before.blocks, of_contacts.blocks);
    const uint64_t *key = b.old_key;
    const double *lambda = b.old_lambda;
    size_t n = (size_t)b.count, was = (size_t)b.contact_room, now = (size_t)room;
    b.old_key = of_contacts.take<uint64_t>(q, n * now);
    b.old_lambda = of_contacts.take<double>(q, 3 * n * now);
    b.contact_room = room;
    uint64_t *to_key = b.old_key;
    double *to_lambda = b.old_lambda;
    if (key)
        each(q, b.count, nullptr, [=] TN_DEVICE(int w) {
            for (size_t k = 0; k < was; k++) {
                size_t to = (size_t)w * now + k, from = (size_t)w * was + k;
                to_key[to] = key[from];
                for (int j = 0; j < 3; j++) to_lambda[3 * to + j] = lambda[3 * from + j];
            }
        });
    wait(q);
}

/* Memory for a part of the worlds at a time. What each iteration reads is copied to shared memory
 * if it fits. */
template <class R> void Batch<R>::take_blocks()
{
    World<R> places;
    char *anywhere = (char *)&places; /* only how much they take is asked for */
    Cursor large = {anywhere, sizeof places}, small = {anywhere, 0};
    of_blocks.release();
    lay_out(b, places, large);
    lay_out_fast_robots<R>(b.robots, places.fast_robot, small);
    b.fast_robots = small.used;
    small.used = 0;
    lay_out_fast<R>(b, b.contact_room, lever_room(b), places, small);
    b.fast_size = (small.used + 127) / 128 * 128;
    /* few worlds with robots have many contacts, and more worlds fit on a multiprocessor */
    b.shared_contacts = b.robots.count ? TN_SHARED_CONTACTS + 4 * b.free_count : b.contact_room;
    if (b.shared_contacts > b.contact_room) b.shared_contacts = b.contact_room;
    b.shared_levers = b.shared_contacts * b.robots.chain_most;
    small.used = 0;
    lay_out_fast<R>(b, b.shared_contacts, b.shared_levers, places, small);
    b.shared_size = small.used;
    b.scratch_size = (large.used + 127) / 128 * 128 + b.fast_size;
    size_t most = (size_t)TN_SCRATCH_MAX / b.scratch_size;
    b.at_once = most < 1 ? 1 : most < (size_t)b.count ? (int)most : b.count;
#ifdef __CUDACC__
    b.fast_is_shared = b.shared_size + sizeof places + 1024 <= TN_SHARED_MAX;
    /* a body needs a thread, and contacts are some times as many */
    int wanted = b.body_count > 2 * b.slot_count ? b.body_count : 2 * b.slot_count;
    if (b.robots.count) /* they have few contacts, and n threads at most are of use */
        wanted = b.robots.dof_count > b.slot_count ? b.robots.dof_count : b.slot_count;
    wanted = wanted < 32 ? 32 : (wanted + 31) / 32 * 32;
    threads = wanted < TN_BLOCK_MAX ? wanted : TN_BLOCK_MAX;
    edge_threads = wanted < TN_EDGE_THREADS ? wanted : TN_EDGE_THREADS;
    if (b.fast_is_shared)
        q.check(cudaFuncSetAttribute(solve_steps<R>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)b.shared_size),
                "using the device");
#endif
    b.scratch = of_blocks.take<char>(q, (size_t)b.at_once * b.scratch_size);
}

template <class R>
Batch<R>::Batch(const TnModel *m, const TnCollider *c, const TnGpuDef &d, int count, size_t limit)
{
    q.limit = limit;
    model_here = m;
#ifdef __CUDACC__
    q.check(cudaStreamCreate(&q.stream), "using the device");
#endif
    this->count = b.count = count;
    qpos_count = m->qpos_count;
    dof_count = m->dof_count;
    mocap_count = m->mocap_count;
    actuator_count = m->actuator_count;
    b.theta = d.theta;
    b.per_theta = 1.0 / d.theta;
    b.stabilization = d.stabilization;
    b.weight_scale = d.weight_scale;
    b.alpha = d.over_relaxation;
    b.ratio = d.contact_ratio;
    b.warm_start = d.warm_start;
    b.tolerance = d.tolerance;
    b.iterations = d.iterations;
    b.passes = m->option.tree_passes;
    copy_model(m, c);
    take_worlds();
    b.pair_room = 16 * b.moving_count + 64;
    if (!d.float64 && !b.robots.count) chips.take(q, b);
    int room = b.robots.count ? 2 * b.moving_count + 16 : 4 * b.moving_count + 64;
    take_contacts(room > b.chip_contacts ? room : b.chip_contacts);
    if (!chips.at_once) take_blocks();
    summary = (Summary *)host_new(q, sizeof *summary);
    wait(q);
}

template <class R> Batch<R>::~Batch()
{
    wait(q);
    host_delete(summary);
#ifdef __CUDACC__
    if (q.stream) cudaStreamDestroy(q.stream);
#endif
}

/* True: something did not fit, and the memory is larger now. */
template <class R> bool Batch<R>::grow()
{
    auto larger = [](int need) { return need + need / 4 + 64; };
    bool pairs = summary->pairs_needed > b.pair_room,
         contacts = summary->contacts_needed > b.contact_room;
    if (pairs) b.pair_room = larger(summary->pairs_needed);
    if (contacts) take_contacts(larger(summary->contacts_needed));
    if ((pairs || contacts) && b.scratch) take_blocks();
    return (pairs || contacts) && !q.failed;
}

/* ---- steps ---- */

template <class R> void Batch<R>::launch()
{
    /* each robot learns once that it is pushed */
    int looks = !b.robots.minds ? 0 : b.robots.count < TN_REPEATS ? b.robots.count : TN_REPEATS;
    for (b.first = 0; b.first < b.count && !q.failed; b.first += b.at_once) {
#ifdef __CUDACC__
        LAP(0);
        if (b.robots.count) {
            int robots = b.at_once * b.robots.count,
                blocks = (robots + TN_ROBOT_LANES - 1) / TN_ROBOT_LANES;
            auto begin = b.robots.arena <= TN_ROBOT_SMALL   ? begin_robots<R, TN_ROBOT_SMALL>
                         : b.robots.arena <= TN_ROBOT_LARGE ? begin_robots<R, TN_ROBOT_LARGE>
                                                            : begin_robots<R, 0>;
            start_steps<R><<<b.at_once, TN_START_THREADS, 0, q.stream>>>(b);
            begin<<<blocks, TN_ROBOT_THREADS, 0, q.stream>>>(b);
        }
        begin_steps<R><<<b.at_once, edge_threads, 0, q.stream>>>(b);
        LAP(1);
        for (int k = 0; k <= looks; k++) {
            if (k) look_again_at_steps<R><<<b.at_once, edge_threads, 0, q.stream>>>(b);
            solve_steps<R>
                <<<b.at_once, threads, b.fast_is_shared ? b.shared_size : 0, q.stream>>>(b, k > 0);
        }
        LAP(2);
        end_steps<R><<<b.at_once, edge_threads, 0, q.stream>>>(b);
        LAP(3);
        q.check(cudaGetLastError(), "starting the worlds");
#else
        for (int w = b.first; w < b.first + b.at_once; w++) {
            World<R> s;
            Block block;
            if (!is_on(b, w)) continue;
            start_step(block, b, s, w);
            for (int k = 0; k < b.robots.count; k++)
                b.robots.arena <= TN_ROBOT_LARGE ? begin_robot<TN_ROBOT_LARGE>(b, s, k)
                                                 : begin_robot<0>(b, s, k);
            begin_step(block, b, s, w);
            if (s.stuck) continue;
            if (!s.bad) s.iterations = solve_world(block, b, s);
            for (int k = 0; k < looks && !s.bad; k++) {
                look_again(block, b, s);
                if (s.robot.again && !s.bad) s.iterations += solve_world(block, b, s);
            }
            check_plan(block, b, s);
            end_step(block, b, s);
        }
#endif
    }
}

template <class R> const uint8_t *Batch<R>::place_mask(const uint8_t *mask, bool there)
{
    if (mask && !there) {
        copy_bytes(q, mask_there, mask, (size_t)b.count);
        mask = mask_there;
    }
    return mask;
}

template <class R> void Batch<R>::step(int steps, const uint8_t *mask, bool there)
{
    int *left = b.left;
    b.mask = place_mask(mask, there);
    each(q, b.count, nullptr, [=] TN_DEVICE(int w) { left[w] = steps; });
    bool again = false; /* worlds that do not fit on the chip take a step the other way */
    for (int go = steps; go > 0 && !q.failed; go = summary->left, again = true) {
        device_clear(q, b.summary, sizeof *b.summary);
        if (chips.at_once && again && !b.scratch) take_blocks();
        for (int k = 0; k < (chips.at_once ? again : go); k++) launch();
        if (chips.at_once) chips.run(q, b, go);
        const Worlds worlds = b;
        each(q, b.count, nullptr, [=] TN_DEVICE(int w) {
            if (is_on(worlds, w)) atomic_max(&worlds.summary->left, worlds.left[w]);
        });
        copy_bytes(q, summary, b.summary, sizeof *summary);
        wait(q);
        if (!q.failed && summary->left && !grow() && !chips.at_once) break;
    }
}

template <class R> void Batch<R>::parameters(const TnGpuParameters &p)
{
    size_t n = (size_t)b.count;
    copy_bytes(q, b.gravity, p.gravity, 3 * n * sizeof(double));
    copy_bytes(q, b.t, p.timestep, n * sizeof(double));
    of_links.release();
    of_surfaces.release();
    b.own_links = p.links ? of_links.copy(q, p.links, n * (size_t)b.link_count) : nullptr;
    b.own_surfaces =
        p.surfaces ? of_surfaces.copy(q, p.surfaces, n * (size_t)b.geom_count) : nullptr;
    of_robots.release();
    copy_own_robots(q, of_robots, *model_here, p, n, robots_here, b.robots);
    wait(q);
}

template <class R>
void Batch<R>::reset(const uint8_t *mask, bool there, const double *qpos, const double *qvel,
                     const double *ctrl)
{
    const Worlds &worlds = b;
    copy_bytes(q, row_qpos, qpos, sizeof(double) * (size_t)b.qpos_count);
    copy_bytes(q, row_qvel, qvel, sizeof(double) * (size_t)b.dof_count);
    copy_bytes(q, row_ctrl, ctrl, sizeof(double) * (size_t)b.robots.actuator_count);
    const uint8_t *chosen = place_mask(mask, there);
    const double *qp = row_qpos, *qv = row_qvel, *mocap0 = first_mocap, *ctrl0 = row_ctrl;
    each(q, b.count, nullptr, [=] TN_DEVICE(int w) {
        if (chosen && !chosen[w]) return;
        size_t i = (size_t)w;
        for (int k = 0; k < worlds.qpos_count; k++)
            worlds.qpos[i * (size_t)worlds.qpos_count + (size_t)k] = qp[k];
        for (int k = 0; k < worlds.dof_count; k++)
            worlds.qvel[i * (size_t)worlds.dof_count + (size_t)k] = qv[k];
        for (int k = 0; k < worlds.geom_count; k++)
            worlds.old_first[i * (size_t)worlds.geom_count + (size_t)k] =
                worlds.old_end[i * (size_t)worlds.geom_count + (size_t)k] = 0;
        reset_robots(worlds, i, qv, ctrl0);
        for (int k = 0; k < 7 * worlds.mocap_count; k++) {
            size_t at = 7 * i * (size_t)worlds.mocap_count + (size_t)k;
            worlds.mocap[at] = worlds.mocap_target[at] = mocap0[k];
        }
        worlds.time[i] = 0.0;
        worlds.diverged[i] = 0;
        worlds.reports[i] = WorldReport{};
    });
    wait(q);
}

/* Of rows that were written: robots start cold, as tn_world_set_state has it. */
template <class R> void Batch<R>::forget(int first, int many)
{
    const Worlds &worlds = b;
    if (!b.robots.count) return;
    each(q, many, nullptr, [=] TN_DEVICE(int k) {
        size_t i = (size_t)(first + k);
        reset_robots(worlds, i, worlds.qvel + i * (size_t)worlds.dof_count, nullptr);
    });
}

template <class R> void Batch<R>::reports(TnGpuReport *out)
{
    std::vector<WorldReport> here((size_t)b.count);
    copy_bytes(q, here.data(), b.reports, here.size() * sizeof here[0]);
    wait(q);
    for (const WorldReport &r : here) {
        TnGpuReport report{};
        report.contact_count = r.contact_count;
        report.iterations = r.iterations;
        report.passes = 1;
        report.error = r.error;
        report.rigid_error = r.rigid_error;
        report.mean_penetration = r.mean_penetration;
        report.max_penetration = r.max_penetration;
        report.finite = true;
        *out++ = report;
    }
}

#ifdef TN_BATCH_DOUBLE
AnyBatch *make_double_batch(const TnModel *model, const TnCollider *collider, const TnGpuDef *def,
                            int count, size_t limit)
{
    return new Batch<double>(model, collider, *def, count, limit);
}
#else
AnyBatch *make_batch(const TnModel *model, const TnCollider *collider, const TnGpuDef *def,
                     int count, size_t limit)
{
    if (def->float64) return make_double_batch(model, collider, def, count, limit);
    return new Batch<float>(model, collider, *def, count, limit);
}
#endif

} // namespace tn
