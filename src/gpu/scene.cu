/* scene.cu: see scene.h. */
#include "scene.h"

#include "mirror.h"
#include "robot/scene_robots.h"

namespace tn
{

/* ---- memory ---- */

template <class R>
Scene<R>::Scene(const TnModel *m, const TnCollider *c, const TnGpuDef &d, size_t limit)
{
    def = d;
    q.limit = limit;
#ifdef __CUDACC__
    q.check(cudaStreamCreate(&q.stream), "using the device");
#endif
    double g = 0.0;
    for (int k = 0; k < 3; k++) {
        s.gravity[k] = m->option.gravity[k];
        g += s.gravity[k] * s.gravity[k];
    }
    g = sqrt(g);
    s.gravity_size = g > 0.0 ? g : 9.81;
    s.t = d.t;
    s.theta = d.theta;
    s.stabilization = d.stabilization;
    s.slack = s.gravity_size * d.t * d.t;
    s.weight_scale = d.weight_scale;
    s.alpha = d.over_relaxation;
    s.ratio = d.contact_ratio;
    s.warm_start = d.warm_start;
    s.tolerance = d.tolerance;
    qpos_count = m->qpos_count;
    dof_count = m->dof_count;
    mirror_model(q, own, s, m, c, d);
    room = resident_room(q, s);
    s.piece_count = room.pieces;
    take_bodies();
    if (d.carried) take_carried(q, own, carried, s, d.carried);
    take_pairs(8 * s.finite_count + 1024);
    take_contacts(6 * s.finite_count + 1024);
    take_look(s.finite_count / 2 + 1024);
    outcome = (Outcome *)host_new(q, sizeof *outcome);
    wait(q);
}

template <class R> Scene<R>::~Scene()
{
    wait(q);
    forget_graphs();
    host_delete(outcome);
    if (q.scratch) device_delete(q.scratch);
#ifdef __CUDACC__
    if (q.stream) cudaStreamDestroy(q.stream);
#endif
}

template <class R> void Scene<R>::take_bodies()
{
    typedef typename Vec4<R>::type V;
    size_t n = (size_t)s.body_count, all = (size_t)s.all_count, f = (size_t)s.finite_count,
           g = TN_PARTS * (size_t)s.geom_count;
    s.lanes = s.finite_count < TN_MANY_GEOMS ? 8 : 2;
    while (s.cell_bits < TN_CELL_BITS && (size_t)1 << 3 * s.cell_bits < 2 * f) s.cell_bits++;
    s.cell_count = (s.level_count << 3 * s.cell_bits) + 2;
    s.systems = own.take<TnRigidSystem>(q, all);
    for (int **p : {&s.cell_members, &s.cell_start}) *p = own.take<int>(q, (size_t)s.cell_count);
    for (int **p : {&s.keys, &s.nth, &s.slots_in, &s.sorted_slots, &s.is_first, &s.rank_start})
        *p = own.take<int>(q, f + 1);
    s.members = own.take<Box>(q, f);
    s.reach = own.take<int>(q, 3 * TN_LEVELS);
    s.partners = own.take<int>(q, TN_PARTNERS * (size_t)s.lanes * f);
    for (int **p : {&s.old_first, &s.old_count, &s.new_first, &s.new_count})
        *p = own.take<int>(q, g);
    for (int **p : {&s.side_count, &s.side_start, &s.side_fill, &s.pushed})
        *p = own.take<int>(q, all + 1);
    s.inverse = own.take<double>(q, 7 * n);
    s.energies = own.take<EnergyAccount>(q, n);
    for (uint32_t **p : {&s.group_of, &s.group_root}) *p = own.take<uint32_t>(q, n);
    s.bound = own.take<uint8_t>(q, n);
    s.driven = own.take<uint8_t>(q, n);
    s.energy_sums = own.take<long long>(q, TN_ENERGY_SUMS * n);
    s.owed = own.take<double>(q, n);
    s.next_owed = own.take<double>(q, n);
    s.v_end = own.take<double>(q, 6 * all);
    s.Hinv = own.take<R>(q, 21 * n);
    s.A = own.take<R>(q, 7 * n);
    s.g = own.take<R>(q, 6 * n);
    for (V **p : {&s.v, &s.v_other}) *p = own.take<V>(q, 2 * all);
    s.outcome = own.take<Outcome>(q, 1);
    s.arrived = own.take<int>(q, TN_ARRIVED_COUNT);
    s.piece_start = own.take<int>(q, (size_t)s.piece_count + 1);
    take_order((size_t)s.lanes * f);
    take_order((size_t)s.cell_count);
    take_order(all + 1);
}

/* For sums over so many. */
template <class R> void Scene<R>::take_order(size_t n)
{
    if (n <= order_room) return;
    of_order.release();
    order_room = n;
    s.order = (Order *)of_order.take<char>(q, order_bytes(n));
}

template <class R> void Scene<R>::take_pairs(int room)
{
    of_pairs.release();
    s.pair_room = room;
    for (int **p : {&s.pair1, &s.pair2, &s.pair_points, &s.pair_start, &s.pair_kept, &s.boxes,
                    &s.near_boxes, &s.closed, &s.far, &s.hard, &s.again})
        *p = of_pairs.take<int>(q, (size_t)room + 1);
    take_order((size_t)room + 1);
}

template <class R> void Scene<R>::take_look(int room)
{
    of_look.release();
    s.look_room = room;
    for (int **p : {&s.look1, &s.look2, &s.look_points, &s.look_start, &s.look_kept, &s.raw1,
                    &s.raw2, &s.raw_order, &s.look_order})
        *p = of_look.take<int>(q, (size_t)room + 1);
    for (uint32_t **p : {&s.raw_keys, &s.look_keys}) *p = of_look.take<uint32_t>(q, (size_t)room);
    reserve_scratch(q, room + 1);
    take_order((size_t)room + 1);
}

/* The last step's forces stay. */
template <class R> void Scene<R>::take_contacts(int room)
{
    typedef typename Vec4<R>::type V;
    Memory before;
    std::swap(before.blocks, of_contacts.blocks);
    const uint64_t *key = s.old_key;
    const double *lambda = s.old_lambda;
    size_t n = (size_t)room, kept = key ? (size_t)contact_count : 0;
    s.contact_room = room;
    for (uint64_t **p : {&s.old_key, &s.new_key}) *p = of_contacts.take<uint64_t>(q, n);
    for (double **p : {&s.old_lambda, &s.new_lambda, &s.shift, &s.give})
        *p = of_contacts.take<double>(q, 3 * n);
    copy_bytes(q, s.old_key, key, kept * sizeof *key);
    copy_bytes(q, s.old_lambda, lambda, 3 * kept * sizeof *lambda);
    wait(q);
    before.release();
    for (TnContactPoint **p : {&s.points, &s.kept}) *p = of_contacts.take<TnContactPoint>(q, n);
    s.ends = of_contacts.take<Ends>(q, n);
    for (V **p : {&s.arm_a, &s.arm_b, &s.normal, &s.total, &s.trial, &s.lambda})
        *p = of_contacts.take<V>(q, n);
    s.yield = of_contacts.take<double>(q, 2 * n);
    s.start_beta = of_contacts.take<double>(q, 4 * n);
    s.sides = of_contacts.take<int>(q, 2 * n);
    s.place_in_piece = of_contacts.take<int>(q, n);
    s.side_arm = of_contacts.take<V>(q, 2 * n);
}

/* True: something did not fit, and the memory is larger now. */
template <class R> bool Scene<R>::grow()
{
    auto larger = [](int need) { return need + need / 4 + 1024; };
    const Lists &lists = outcome->lists;
    const Look &look = outcome->look;
    int contacts =
        lists.contacts_needed > look.contacts_needed ? lists.contacts_needed : look.contacts_needed;
    bool grown = false;
    if (lists.pairs_needed > s.pair_room) {
        take_pairs(larger(lists.pairs_needed));
        grown = true;
    }
    if (contacts > s.contact_room) {
        take_contacts(larger(contacts));
        grown = true;
    }
    if (look.pairs_needed > s.look_room) {
        take_look(larger(look.pairs_needed));
        grown = true;
    }
    if (grown) {
        forget_graphs();
        wait(q);
    }
    return grown && !q.failed;
}

/* ---- parts of a step ---- */

#if defined(TN_GPU_LAPS) && defined(__CUDACC__) /* shows where the time goes */
static void lap(Queue &q, const char *what, cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0.0f;
    cudaEventRecord(end, q.stream);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    fprintf(stderr, "%6.0f us %.24s\n", 1e3 * (double)ms, what);
}
#define LAP(call)                                                                                  \
    do {                                                                                           \
        static cudaEvent_t begin, end;                                                             \
        if (!begin) cudaEventCreate(&begin), cudaEventCreate(&end);                                \
        cudaEventRecord(begin, q.stream);                                                          \
        call;                                                                                      \
        lap(q, #call, begin, end);                                                                 \
    } while (0)
#else
#define LAP(call) call
#endif

template <class R> View<R> Scene<R>::view_of(Way way) const
{
    View<R> view = s;
    const double less[TN_RELAXATIONS] = {s.alpha, s.alpha < 1.3 ? s.alpha : 1.3, 1.0};
    view.alpha = less[way.relaxation];
    view.balls = s.balls && !fits(room, s, likely_contacts);
    if (way.soft) view.ratio /= TN_RETREAT;
    return view;
}

/* Iterations between two looks at the error. */
template <class R> int Scene<R>::chunk() const
{
    bool looks = def.tolerance > 0.0 && def.iterations > TN_CHUNK_OF_ITERATIONS;
    return looks ? TN_CHUNK_OF_ITERATIONS : def.iterations;
}

template <class R> void Scene<R>::solve_part(const View<R> &view, bool first, bool fresh)
{
    if (s.group_count)
        iterate_with_groups(q, view, chunk(), first, likely_contacts);
    else if (fits(room, view, likely_contacts))
        iterate_on_chip(q, room, view, chunk(), first, fresh);
    else
        iterate(q, view, chunk(), first, likely_contacts);
}

template <class R> void Scene<R>::enqueue(Part part, Way way, bool more)
{
    View<R> view = view_of(way);
    view.remembers = part == REMEMBER;
    switch (part) {
    case WHOLE:
        for (Part p : {HEAD, FIRST, TAIL}) enqueue(p, way, p != TAIL);
        return;
    case HEAD:
        LAP(begin_step(q, view));
        LAP(assemble(q, view));
        LAP(find_pairs(q, view));
        LAP(find_points(q, view, likely_pairs, likely_hard));
        LAP(write_bodies(q, view));
        LAP(write_contacts(q, view, false, likely_contacts));
        LAP(factor(q, view));
        break;
    case COLLIDE:
        LAP(begin_step(q, view));
        LAP(assemble(q, view));
        LAP(place_carried(q, view));
        LAP(find_pairs(q, view));
        LAP(find_points(q, view, likely_pairs, likely_hard));
        LAP(note_seen(q, view, likely_contacts));
        if (s.soft_count) LAP(find_near(q, view));
        carried.seen.download(q);
        LAP(write_bodies(q, view));
        break;
    case WRITE:
        LAP(open_groups(q, view));
        if (s.soft_count) LAP(add_given(q, view));
        LAP(write_contacts(q, view, false, likely_contacts));
        LAP(factor(q, view));
        LAP(factor_groups(q, view));
        break;
    case FIRST:
    case MORE:
        /* with a tail to come, they are parts of a whole */
        LAP(solve_part(view, part == FIRST, more));
        LAP(judge(q, view, likely_contacts, more));
        if (s.group_count) carried.found.download(q);
        break;
    case TAIL:
        LAP(advance(q, view));
        LAP(balance(q, view, likely_contacts));
        if (s.group_count) LAP(note_ways(q, view));
        break;
    case LOOK:
        LAP(find_missed(q, view));
        break;
    default: /* AGAIN, SOFTER, REMEMBER */
        if (part == AGAIN) add_missed(q, view);
        if (s.group_count) open_groups(q, view);
        write_contacts(q, view, true, likely_contacts);
        factor(q, view);
        if (s.group_count) factor_groups(q, view);
    }
    if (!more) copy_bytes(q, outcome, s.outcome, sizeof *outcome);
}

#ifdef __CUDACC__

template <class R> void Scene<R>::forget_graphs()
{
    cudaGraphExec_t *all = &graphs[0][0][0][0];
    for (size_t i = 0; i < sizeof graphs / sizeof *all; i++) {
        if (all[i]) cudaGraphExecDestroy(all[i]);
        all[i] = nullptr;
    }
}

template <class R> void Scene<R>::play(Part part, Way way)
{
#ifdef TN_GPU_LAPS
    enqueue(part, way);
    return;
#endif
    cudaGraphExec_t &graph = graphs[part][way.relaxation][way.soft][turn];
    if (!graph && !q.failed) {
        cudaGraph_t recorded = nullptr;
        q.check(cudaStreamBeginCapture(q.stream, cudaStreamCaptureModeThreadLocal),
                "recording a step");
        if (q.failed) return;
        enqueue(part, way);
        cudaError_t end = cudaStreamEndCapture(q.stream, &recorded);
        q.check(end, "recording a step");
        if (!q.failed) q.check(cudaGraphInstantiate(&graph, recorded, 0), "recording a step");
        if (recorded) cudaGraphDestroy(recorded);
    }
    if (!q.failed) q.check(cudaGraphLaunch(graph, q.stream), "starting a step");
}

#else

template <class R> void Scene<R>::forget_graphs() {}
template <class R> void Scene<R>::play(Part part, Way way) { enqueue(part, way); }

#endif

/* Launches are as large as the last step needed, and a quarter more. */
template <class R> void Scene<R>::set_likely()
{
    const Lists &lists = outcome->lists;
    int pairs = lists.pairs_needed, contacts = lists.contact_count;
    int hard = lists.hard_count > lists.far_count ? lists.hard_count : lists.far_count;
    auto more = [](int count) { return count + count / 4 + 1024; };
    if (pairs <= likely_pairs && contacts <= likely_contacts && hard <= likely_hard &&
        likely_contacts < 2 * contacts + 8192)
        return;
    likely_pairs = more(pairs);
    likely_contacts = more(contacts);
    likely_hard = more(hard);
    forget_graphs();
}

/* ---- a step ---- */

static double mean_depth(const Judged &judged)
{
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < TN_SUMS; i++) {
        sum += TN_DEPTH_UNIT * (double)judged.depths[i];
        count += (double)judged.deep[i];
    }
    return count > 0.0 ? sum / count : 0.0;
}

template <class R> double Scene<R>::error_of(unsigned long long worst) const
{
    return sqrt(double_of_bits(worst)) / (s.gravity_size * s.t);
}

/* Contacts, of another kind, from what was found. */
template <class R> void Scene<R>::write_again(Part part, Way way)
{
    if (def.carried) write_equations(true);
    play(part, way);
}

/* Chunks of iterations until the tolerance or the limit is reached; true: the tolerance is.
 * Contacts that yield are helped as in solver/choose.c: less over-relaxation, then softer contacts.
 */
template <class R> bool Scene<R>::solve_as_it_yields(Way *way, TnGpuReport *report)
{
    int done = 0, patience = TN_PATIENCE;
    double half = INFINITY;
    for (;;) {
        play(done ? MORE : FIRST, *way);
        wait(q);
        done += chunk();
        report->iterations += chunk();
        if (q.failed || outcome->judged.bad) return false;
        if (error() < def.tolerance) return true;
        if (error() <= half) {
            half = 0.5 * error();
            patience = done + TN_PATIENCE;
        } else if (s.ratio > 0.0 && done >= patience && way->relaxation + 1 < TN_RELAXATIONS) {
            way->relaxation++;
            patience = done + TN_PATIENCE;
        }
        if (done < def.iterations) continue;
        if (way->soft || !(s.ratio > 0.0)) return false;
        *way = Way{0, true};
        write_again(SOFTER, *way);
        done = 0;
        patience = TN_PATIENCE;
        half = INFINITY;
    }
}

/* What yields sinks, by as much as its force is new. In a first step all forces are, and a stack
 * would sink before it stands. Without a warm start no step has the last one's, and forces stay new.
 */
template <class R> void Scene<R>::solve(TnGpuReport *report)
{
    Way way;
    bool arrived = solve_as_it_yields(&way, report);
    if (!cold || !(s.ratio > 0.0) || !(s.warm_start > 0.0)) return;
    device_clear(q, s.old_lambda, sizeof(double) * 3 * (size_t)s.contact_room);
    for (int k = 0; arrived && k < TN_MEMORIES && rigid_error() > def.tolerance; k++) {
        write_again(REMEMBER, way);
        arrived = solve_as_it_yields(&way, report);
    }
}

/* Contacts that the found motion closes join the list, and it is solved again. False: some memory
 * was too small. */
template <class R> bool Scene<R>::look_for_missed(TnGpuReport *report)
{
    bool few = def.tolerance > 0.0 || outcome->lists.contact_count <= TN_FEW_CONTACTS;
    for (int pass = 0; few && pass < TN_REPEATS; pass++) {
        const Judged &judged = outcome->judged;
        bool surprised = judged.surprised[0] && judged.surprised[1] && judged.moves;
        if (!surprised || judged.bad || q.failed) return true;
        play(LOOK);
        wait(q);
        if (q.failed) return true;
        if (outcome->look.pairs_needed > s.look_room ||
            outcome->look.contacts_needed > s.contact_room)
            return false;
        if (!outcome->look.missed) return true;
        report->missed += outcome->look.missed;
        report->passes++;
        if (def.carried) {
            write_again(AGAIN);
            solve_with_host(report);
            if (refused) return true;
            continue;
        }
        play(AGAIN);
        solve(report);
        play(TAIL);
        wait(q);
    }
    return true;
}

template <class R> void Scene<R>::swap_buffers()
{
    std::swap(s.qpos, s.next_qpos);
    std::swap(s.qvel, s.next_qvel);
    std::swap(s.dynamics, s.next_dynamics);
    std::swap(s.old_first, s.new_first);
    std::swap(s.old_count, s.new_count);
    std::swap(s.old_key, s.new_key);
    std::swap(s.old_lambda, s.new_lambda);
    std::swap(s.owed, s.next_owed);
    turn ^= 1;
}

template <class R> void Scene<R>::step(TnGpuReport *report)
{
    do {
        *report = TnGpuReport{};
        report->passes = 1;
        outcome->look = Look{};
        if (def.carried) {
            step_with_host(report);
        } else if (def.tolerance > 0.0) {
            play(HEAD);
            solve(report);
            play(TAIL);
        } else {
            play(WHOLE);
            report->iterations = def.iterations;
        }
        wait(q);
        if (q.failed) return;
        if (refused) break;
    } while (grow() || (!q.failed && !look_for_missed(report) && grow()));
    if (q.failed) return;
    report->pair_count = outcome->lists.pair_count;
    report->contact_count = outcome->lists.contact_count;
    report->error = error();
    report->rigid_error = rigid_error();
    report->max_penetration = double_of_bits(outcome->judged.deepest);
    report->mean_penetration = mean_depth(outcome->judged);
    report->finite = !outcome->judged.bad && !refused;
    if (report->finite && def.carried) report->finite = def.carried->end(def.carried->user);
    if (!report->finite) return;
    contact_count = report->contact_count;
    cold = false;
    swap_buffers();
    set_likely();
}

template <class R> void Scene<R>::put(const double *qpos, const double *qvel, bool forget)
{
    if (forget) {
        cold = true;
        device_clear(q, s.old_count, sizeof(int) * TN_PARTS * (size_t)s.geom_count);
        device_clear(q, s.owed, sizeof(double) * (size_t)s.body_count);
    }
    copy_bytes(q, s.qpos, qpos, sizeof(double) * (size_t)qpos_count);
    copy_bytes(q, s.qvel, qvel, sizeof(double) * (size_t)dof_count);
    wait(q);
}

template <class R> void Scene<R>::get(double *qpos, double *qvel)
{
    bool failed = q.failed;
    q.failed = failed && !q.no_memory; /* without memory for a step the state is still there */
    copy_bytes(q, qpos, s.qpos, sizeof(double) * (size_t)qpos_count);
    copy_bytes(q, qvel, s.qvel, sizeof(double) * (size_t)dof_count);
    wait(q);
}

template <class R> void Scene<R>::put_wrench(const double (*wrench)[6])
{
    size_t bytes = sizeof(double[6]) * (size_t)s.link_count;
    if (!wrench && !wrench_set) return;
    if (wrench)
        copy_bytes(q, s.wrench, wrench, bytes);
    else
        device_clear(q, s.wrench, bytes);
    wrench_set = wrench != nullptr;
    wait(q);
}

template <class R> void Scene<R>::contacts(TnContactPoint *points, double *force)
{
    size_t n = (size_t)contact_count;
    copy_bytes(q, points, s.points, sizeof *points * n);
    copy_bytes(q, force, s.old_lambda, sizeof(double) * 3 * n);
    wait(q);
}

AnyScene *make_scene(const TnModel *m, const TnCollider *c, const TnGpuDef *def, size_t limit)
{
    if (def->float64) return new Scene<double>(m, c, *def, limit);
    return new Scene<float>(m, c, *def, limit);
}

} // namespace tn
