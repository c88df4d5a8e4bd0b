/* scene.cu: a step of one large scene of free bodies on the device.
 *
 *     assemble   frames, A and v_free of each body                  (dynamics/rigid)
 *     broad      swept boxes, sorted by cell along a Morton curve   (collision/bounds)
 *     narrow     pairs, then points                                 (collision/emit_…)
 *     contacts   arms, e, last forces; sides of each body
 *     weights    β, H⁻¹, g
 *     iterate    SubADMM, two kernels per iteration
 *     judge      v_λ = A⁻¹ (b + Jᵀλ), natural map, in double
 *     advance    q⁺, v⁺                                             (dynamics/rigid)
 *
 * Each number is computed by one thread in a fixed order, so two runs have the same bits. Bodies and contacts
 * are numbered along the curve in each step: neighbours in memory are neighbours in space. */
#include "shared.h"

#include "gpu.h"

#include <vector>

using namespace tn;

namespace {

#define LEVELS_MAX 4    /* grids of different cells; what is larger is tested by everybody */
#define FEW_MAX 64      /* those */
#define EMPTY 0xffffffffu
/* As TN_FAR: pairs that move by more of the thinner one are followed to where they meet. Looking for that is slow here. */
#define FAR_ON_DEVICE 0.25
#define PARTNERS 16 /* of one geom that are kept from counting to listing */

/* What judge and counters leave for the host. */
struct Outcome {
    int pair_count, contact_count;
    int side_total;
    int overflow; /* 1: pairs, 2: contacts */
    int bad;      /* a number that is not finite */
    unsigned long long worst_map, deepest; /* as bits of doubles >= 0 */
};

template <class R> struct Vec4;
template <> struct Vec4<float> {
    typedef float4 type;
};
template <> struct Vec4<double> {
    struct alignas(16) type {
        double x, y, z, w;
    };
};

/* A contact while SubADMM runs. λ acts on b, -λ on a; b < 0: the world. */
struct Ends {
    int a, b;
};

template <class R> struct View {
    typedef typename Vec4<R>::type V;
    TnModel *model;
    TnCollider *collider;
    TnDetection *detection, *coarse; /* the second: of shapes that are no spheres */
    TnDynamicsInput *dynamics, *next_dynamics;
    int body_count, slot_count, finite_count, moving_count, fixed_start;
    int pair_room, contact_room, table_size;
    double t, theta, gravity_size, slack, weight_scale, alpha, ratio, warm_start;
    int level_count, few_count;
    float per_cell[LEVELS_MAX];
    const int *few;        /* slots in no grid */
    const int *level;      /* per slot; -1: in no grid */
    const int *body_link;  /* per body */
    const int *link_body;  /* per link; -1: none */
    const int *first_slot; /* per body: the slot that tells where it is; -1: none */
    double *qpos, *qvel, *next_qpos, *next_qvel;
    TnLinkFrame *frames;
    double (*twists)[6], (*end_twists)[6];
    TnRigidSystem *systems;
    /* broad phase */
    uint32_t *keys, *sorted_keys;
    int *slots_in, *sorted_slots;
    TnBounds *members;
    int *reach; /* [LEVELS_MAX][3], bits of floats */
    uint32_t *table_key;
    int *table_start;
    int *item_pairs, *item_start; /* per member */
    int *partners;                /* PARTNERS planes of members */
    int *pair1, *pair2;
    int *pair_points, *pair_start;
    int *is_first, *rank_start, *rank; /* bodies along the curve */
    /* contacts */
    TnContactPoint *points;
    int *old_first, *old_count; /* per slot: contacts of the last step */
    int *new_first, *new_count;
    uint64_t *old_key, *new_key; /* geom2, feature */
    double *old_lambda, *new_lambda;
    Ends *ends;
    V *arm_a, *arm_b, *normal, *shift; /* with Bn, Bt, μ behind the first three */
    V *trial, *lambda;
    double *yield; /* D normal, tangent per contact */
    /* sides: contact · 2 + (1: as b) */
    int *side_count, *side_start, *side_fill, *sides;
    V *side_arm;
    /* bodies along the curve */
    double *inverse; /* 1/a, S⁻¹: 7 each */
    double *start_beta; /* βn, βt of side a, of side b */
    R *Hinv, *A, *b, *g; /* planes of body_count: 21, 7, 6, 6 */
    V *v;                /* linear, angular */
    double *v_end;       /* v_λ, 6 each */
    Outcome *outcome;
};

TN_DEVICE inline unsigned long long double_bits(double x)
{
    unsigned long long b;
    memcpy(&b, &x, 8);
    return b;
}

/* A number of a side, kept in the unused place of its arm. */
template <class R> TN_DEVICE inline R with_bits(int i);
template <> TN_DEVICE inline float with_bits<float>(int i) { return float_of(i); }
template <> TN_DEVICE inline double with_bits<double>(int i) { return (double)i; }
TN_DEVICE inline int bits_in(float x) { return bits_of(x); }
TN_DEVICE inline int bits_in(double x) { return (int)x; }

TN_DEVICE inline uint32_t spread(uint32_t x)
{
    x &= 1023;
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

TN_DEVICE inline int cell_of(float x, float per_cell) { return (int)floorf(x * per_cell); }

/* Cells beyond 1024 share keys: whoever looks compares the cell as well. */
TN_DEVICE inline uint32_t cell_key(int level, int x, int y, int z)
{
    return (uint32_t)level << 30 | spread((uint32_t)x) | spread((uint32_t)y) << 1 | spread((uint32_t)z) << 2;
}

TN_DEVICE inline uint32_t hash_key(uint32_t key)
{
    key ^= key >> 15;
    key *= 0x2c1b3c6du;
    return key ^ key >> 12;
}

template <class R> TN_DEVICE inline bool in_cell(const View<R> &s, const TnBounds &m, int level, int x, int y, int z)
{
    float cell = s.per_cell[level];
    return cell_of(m.c[0], cell) == x && cell_of(m.c[1], cell) == y && cell_of(m.c[2], cell) == z;
}

/* Whether item and member are a pair to look at. */
TN_DEVICE inline bool is_pair(const TnCollider *c, const TnBounds &box, const TnBounds &m)
{
    if (m.slot <= box.slot || !tn_bounds_meet(&m, &box)) return false;
    const TnSlot *a = &c->slots[box.slot], *b = &c->slots[m.slot];
    return !tn_never_meet(a, b) && ((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask)) != 0;
}

/* take(slot) for each partner of a member, always in the same order. */
template <class R, class F> TN_DEVICE inline void each_partner(const View<R> &s, int item, F take)
{
    const TnBounds box = s.members[item];
    if (box.slot >= s.moving_count) return;
    const TnCollider *c = s.collider;
    for (int level = 0; level < s.level_count; level++) {
        int low[3], high[3];
        for (int k = 0; k < 3; k++) {
            /* a little more, for rounding */
            float reach = 1.000001f * (box.h[k] + float_of(s.reach[3 * level + k])) + 1e-6f * fabsf(box.c[k]);
            low[k] = cell_of(box.c[k] - reach, s.per_cell[level]);
            high[k] = cell_of(box.c[k] + reach, s.per_cell[level]);
        }
        for (int z = low[2]; z <= high[2]; z++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++) {
                    uint32_t key = cell_key(level, x, y, z), mask = (uint32_t)s.table_size - 1, at = hash_key(key) & mask;
                    while (s.table_key[at] != key && s.table_key[at] != EMPTY) at = (at + 1) & mask;
                    if (s.table_key[at] == EMPTY) continue;
                    for (int m = s.table_start[at]; m < s.finite_count && s.sorted_keys[m] == key; m++) {
                        const TnBounds &other = s.members[m];
                        if (is_pair(c, box, other) && in_cell(s, other, level, x, y, z)) take(other.slot);
                    }
                }
    }
    for (int i = 0; i < s.few_count; i++)
        if (is_pair(c, box, c->bounds[s.few[i]])) take(s.few[i]);
    for (int k = s.finite_count; k < s.slot_count; k++) {
        const TnSlot *a = &c->slots[box.slot], *b = &c->slots[k];
        if (((a->type_mask & b->affinity_mask) | (b->type_mask & a->affinity_mask)) && tn_box_meets_plane(s.detection, &box, k)) take(k);
    }
}

TN_DEVICE inline void emit_one(TnEmitter *e, const TnDetection *coarse, int slot1, int slot2)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    const TnSlot *a = &c->slots[slot1], *b = &c->slots[slot2];
    TnSlotPair pair;
    if (!tn_filter_pair(c, slot1, slot2, &pair)) return;
    if (a->shape_type == TN_GEOM_SPHERE && b->shape_type == TN_GEOM_SPHERE)
        tn_emit_spheres(e, &pair);
    else if (a->shape_type == TN_GEOM_SPHERE && b->shape_type == TN_GEOM_PLANE)
        tn_emit_sphere_plane(e, &pair);
    else {
        e->detection = coarse;
        tn_emit_shapes(e, &pair, d->t * (a->speed + b->speed), nullptr);
    }
}

TN_DEVICE inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The normal and mean tangential part of J A⁻¹ Jᵀ at an arm (solver/weights.c). */
TN_DEVICE inline void compliance(const double *inverse, const double *r, const double *n, double out[2])
{
    double m[3], xx = inverse[1], xy = inverse[2], xz = inverse[3], yy = inverse[4], yz = inverse[5], zz = inverse[6];
    v3_cross(m, r, n);
    double spin = m[0] * (xx * m[0] + 2.0 * (xy * m[1] + xz * m[2])) + m[1] * (yy * m[1] + 2.0 * yz * m[2]) + zz * m[2] * m[2];
    double quadratic = r[0] * (xx * r[0] + 2.0 * (xy * r[1] + xz * r[2])) + r[1] * (yy * r[1] + 2.0 * yz * r[2]) + zz * r[2] * r[2];
    double trace = dot3(r, r) * (xx + yy + zz) - quadratic;
    out[0] = inverse[0] + spin;
    out[1] = inverse[0] + 0.5 * (trace - spin);
}

TN_DEVICE inline void invert_sym3(const double S[9], double out[6])
{
    double a = S[0], b = S[1], c = S[2], d = S[4], e = S[5], f = S[8];
    double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d, det = a * A + b * B + c * C, i = 1.0 / det;
    out[0] = A * i;
    out[1] = B * i;
    out[2] = C * i;
    out[3] = (a * f - c * c) * i;
    out[4] = (b * c - a * e) * i;
    out[5] = (a * d - b * b) * i;
}

TN_DEVICE inline int sym6(int i, int j) { return i * 6 - i * (i - 1) / 2 + (j - i); }

/* H⁻¹ of a symmetric positive definite 6 × 6, upper triangle by rows, in place. */
TN_DEVICE inline void invert_sym6(double H[21])
{
    double L[21], X[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) {
            double x = H[sym6(i, j)];
            for (int k = 0; k < i; k++) x -= L[sym6(k, i)] * L[sym6(k, j)];
            L[sym6(i, j)] = i == j ? sqrt(x) : x / L[sym6(i, i)];
        }
    /* columns of L⁻¹ (upper factor U = Lᵀ): U X = I */
    for (int c = 0; c < 6; c++)
        for (int i = 5; i >= 0; i--) {
            double x = i == c ? 1.0 : 0.0;
            for (int k = i + 1; k < 6; k++) x -= L[sym6(i, k)] * X[k][c];
            X[i][c] = x / L[sym6(i, i)];
        }
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) {
            double x = 0.0;
            for (int k = 0; k < 6; k++) x += X[i][k] * X[j][k];
            H[sym6(i, j)] = x;
        }
}

template <class R> struct Scene {
    typedef typename Vec4<R>::type V;
    Queue q;
    View<R> s{};
    TnGpuDef def{};
    TnModel model{};
    TnCollider collider{};
    TnDetection detection{};
    TnDynamicsInput dynamics{};
    int qpos_count = 0, dof_count = 0, link_count = 0;
    std::vector<void *> owned;
    Outcome last{};
    int likely_pairs = 0, likely_contacts = 0;

    template <class T> T *room(size_t n)
    {
        T *p = (T *)device_new(q, n * sizeof(T));
        owned.push_back(p);
        device_clear(q, p, n * sizeof(T));
        return p;
    }
    template <class T> T *copy(const T *from, size_t n)
    {
        T *p = (T *)device_new(q, (n ? n : 1) * sizeof(T));
        owned.push_back(p);
        to_device(q, p, from, n * sizeof(T));
        wait(q);
        return p;
    }
    ~Scene()
    {
        for (void *p : owned) device_delete(p);
        host_delete(outcome_on_host);
#ifdef __CUDACC__
        forget_graphs();
#endif
        if (q.scratch) device_delete(q.scratch);
#ifdef __CUDACC__
        if (q.stream) cudaStreamDestroy(q.stream);
#endif
    }

    void mirror(const TnModel *m, const TnCollider *c);
    void sort_out_levels(const TnModel *m, const TnCollider *c);
    void take_memory(int pairs, int contacts);
    void assemble();
    void broad();
    void narrow();
    void contacts();
    void weights();
    void iterate();
    void judge();
    void advance();
    void enqueue();
    void swap_buffers();
    bool step(TnGpuReport *report);

    static const int PHASES = 8;
    int turn = 0;
    bool profile = false;
    Outcome *outcome_on_host = nullptr;
#ifdef __CUDACC__
    cudaGraphExec_t graph[2] = {nullptr, nullptr};
    cudaEvent_t laps[PHASES + 1] = {};
    void forget_graphs()
    {
        for (cudaGraphExec_t &g : graph) {
            if (g) cudaGraphExecDestroy(g);
            g = nullptr;
        }
    }
    void lap(int k)
    {
        if (!profile) return;
        if (!laps[k + 1]) cudaEventCreate(&laps[k + 1]);
        cudaEventRecord(laps[k + 1], q.stream);
    }
#else
    void lap(int) {}
#endif
};

template <class R> void Scene<R>::mirror(const TnModel *m, const TnCollider *c)
{
    model = *m;
    model.links = copy(m->links, m->link_count);
    model.joints = copy(m->joints, m->joint_count);
    model.geoms = copy(m->geoms, m->geom_count);
    model.geom_link = copy(m->geom_link, m->geom_count);
    collider = *c;
    collider.slots = copy(c->slots, c->count);
    collider.locals = copy(c->locals, c->count);
    std::vector<TnShape> shapes(c->shape, c->shape + c->count);
    const TnHull *last_hull = nullptr;
    TnShape last_shape{};
    for (TnShape &shape : shapes) {
        if (!shape.hull) continue;
        if (shape.hull != last_hull) {
            TnHull hull = *shape.hull;
            int edges = hull.edge_start[hull.vertex_count], faces = hull.face_start[hull.vertex_count];
            hull.vertices = copy(hull.vertices, 3 * (size_t)hull.vertex_count);
            hull.edges = copy(hull.edges, edges);
            hull.edge_start = copy(hull.edge_start, hull.vertex_count + 1);
            hull.faces = copy(hull.faces, faces);
            hull.face_start = copy(hull.face_start, hull.vertex_count + 1);
            hull.normals = copy(hull.normals, 3 * (size_t)hull.face_count);
            hull.starts = copy(hull.starts, TN_HULL_STARTS);
            last_hull = shape.hull;
            last_shape.hull = copy(&hull, 1);
            last_shape.mesh_vertices = hull.vertices;
        }
        shape.hull = last_shape.hull;
        shape.mesh_vertices = last_shape.mesh_vertices;
    }
    collider.shape = copy(shapes.data(), shapes.size());
    collider.thinness = copy(c->thinness, c->count);
    collider.tri_meshes = room<struct TnTriMesh *>(c->count);
    collider.surfaces = copy(c->surfaces, c->surface_count);
    collider.place = copy(c->place, c->count);
    collider.bounds = copy(c->bounds, c->count);
    collider.beyond = nullptr;
    collider.asleep = nullptr;
    s.model = copy(&model, 1);
    collider.model = s.model;
    s.collider = copy(&collider, 1);
    s.frames = room<TnLinkFrame>(m->link_count);
    TnLinkFrame world{};
    world.quat[0] = world.rot[0] = world.rot[4] = world.rot[8] = 1.0;
    to_device(q, s.frames, &world, sizeof world);
    s.twists = (double(*)[6])room<double>(6 * (size_t)m->link_count);
    s.end_twists = (double(*)[6])room<double>(6 * (size_t)m->link_count);
    detection.collider = s.collider;
    detection.frames = s.frames;
    detection.twists = s.end_twists;
    detection.held = s.twists;
    detection.t = def.t;
    detection.slack = s.slack;
    detection.far = TN_FAR;
    detection.touching = TN_TOUCHING;
    s.detection = copy(&detection, 1);
    detection.far = FAR_ON_DEVICE;
    s.coarse = copy(&detection, 1);
    s.qpos = room<double>(m->qpos_count);
    s.qvel = room<double>(m->dof_count);
    s.next_qpos = room<double>(m->qpos_count);
    s.next_qvel = room<double>(m->dof_count);
    dynamics.model = s.model;
    dynamics.t = def.t;
    dynamics.theta = def.theta;
    dynamics.qpos = s.qpos;
    dynamics.qvel = s.qvel;
    s.dynamics = copy(&dynamics, 1);
    dynamics.qpos = s.next_qpos;
    dynamics.qvel = s.next_qvel;
    s.next_dynamics = copy(&dynamics, 1);
}

/* Slots by size: up to LEVELS_MAX grids with cells that hold the boxes of their level at rest, from the
 * smallest on; what does not fit is in the list. */
template <class R> void Scene<R>::sort_out_levels(const TnModel *m, const TnCollider *c)
{
    std::vector<int> level(c->count, -1), few;
    std::vector<double> side(c->finite_count);
    for (int i = 0; i < c->finite_count; i++) {
        const double *h = c->locals[i].half_extent;
        double largest = h[0] > h[1] ? h[0] : h[1];
        largest = h[2] > largest ? h[2] : largest;
        side[i] = 2.0 * (c->slots[i].shape_type == TN_GEOM_SPHERE ? largest : c->locals[i].bounding_radius);
    }
    std::vector<double> cells;
    for (int pass = 0; pass < LEVELS_MAX; pass++) {
        double least = INFINITY;
        for (int i = 0; i < c->finite_count; i++)
            if (level[i] < 0 && side[i] < least) least = side[i];
        if (!(least < INFINITY)) break;
        /* a factor of four per level: cells of the largest */
        double largest = 0.0;
        for (int i = 0; i < c->finite_count; i++)
            if (level[i] < 0 && side[i] <= 4.0 * least && side[i] > largest) largest = side[i];
        int left = 0;
        for (int i = 0; i < c->finite_count; i++)
            if (level[i] < 0) left++;
        if (pass > 0 && left <= FEW_MAX) break;
        for (int i = 0; i < c->finite_count; i++)
            if (level[i] < 0 && (side[i] <= 4.0 * least || pass == LEVELS_MAX - 1)) level[i] = pass;
        cells.push_back(1.25 * largest);
    }
    for (int i = 0; i < c->finite_count; i++)
        if (level[i] < 0) few.push_back(i);
    (void)m;
    s.level_count = (int)cells.size();
    for (int i = 0; i < s.level_count; i++) s.per_cell[i] = (float)(1.0 / cells[i]);
    s.level = copy(level.data(), level.size());
    s.few = copy(few.data(), few.size());
    s.few_count = (int)few.size();
}

template <class R> void Scene<R>::take_memory(int pairs, int contacts)
{
    int n = s.body_count;
    s.pair_room = pairs;
    s.contact_room = contacts;
    s.pair1 = room<int>(pairs);
    s.pair2 = room<int>(pairs);
    s.pair_points = room<int>(pairs + 1);
    s.pair_start = room<int>(pairs + 1);
    s.points = room<TnContactPoint>(contacts);
    s.ends = room<Ends>(contacts);
    for (V **p : {&s.arm_a, &s.arm_b, &s.normal, &s.shift, &s.trial, &s.lambda}) *p = room<V>(contacts);
    s.yield = room<double>(2 * (size_t)contacts);
    s.start_beta = room<double>(4 * (size_t)contacts);
    s.sides = room<int>(2 * (size_t)contacts);
    s.side_arm = room<V>(2 * (size_t)contacts);
    (void)n;
    s.old_key = room<uint64_t>(contacts);
    s.new_key = room<uint64_t>(contacts);
    s.old_lambda = room<double>(3 * (size_t)contacts);
    s.new_lambda = room<double>(3 * (size_t)contacts);
}

template <class R> void Scene<R>::assemble()
{
    View<R> s = this->s;
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        int l = s.body_link[i];
        const TnLink *link = &s.model->links[l];
        TnLinkWalk walk;
        tn_link_walk_joint(&walk, &s.model->joints[link->joint_start], s.qpos + s.model->joints[link->joint_start].qpos_start);
        tn_link_frame_from_walk(&s.frames[l], link, &walk);
        TnRigidSystem system;
        tn_rigid_assemble(s.dynamics, l, &s.frames[l], &system);
        s.systems[i] = system;
        for (int k = 0; k < 6; k++) {
            s.twists[l][k] = system.v[k];
            s.end_twists[l][k] = system.v[k] + (system.v_free[k] - system.v[k]) / s.theta;
        }
    });
}

template <class R> void Scene<R>::broad()
{
    View<R> s = this->s;
    int n = s.finite_count;
    device_clear(q, s.reach, sizeof(int) * 3 * LEVELS_MAX);
    device_clear(q, s.outcome, sizeof(Outcome));
    each(q, n, nullptr, [=] TN_DEVICE(int slot) {
        double h[3];
        tn_bounds_place(s.detection, slot, h);
        tn_bounds_sweep(s.detection, slot, h);
        const TnBounds b = s.collider->bounds[slot];
        int level = s.level[slot];
        s.slots_in[slot] = slot;
        s.keys[slot] = EMPTY;
        if (level < 0) return;
        for (int k = 0; k < 3; k++) atomic_max(&s.reach[3 * level + k], bits_of(b.h[k]));
        float cell = s.per_cell[level];
        s.keys[slot] = cell_key(level, cell_of(b.c[0], cell), cell_of(b.c[1], cell), cell_of(b.c[2], cell));
    });
    sort(q, s.keys, s.sorted_keys, s.slots_in, s.sorted_slots, n);
    each(q, s.table_size, nullptr, [=] TN_DEVICE(int i) { s.table_key[i] = EMPTY; });
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int slot = s.sorted_slots[i];
        s.members[i] = s.collider->bounds[slot];
        int link = s.collider->slots[slot].link, body = s.link_body[link];
        s.is_first[i] = body >= 0 && s.first_slot[body] == slot;
        uint32_t key = s.sorted_keys[i];
        if (key == EMPTY || (i > 0 && s.sorted_keys[i - 1] == key)) return;
        uint32_t mask = (uint32_t)s.table_size - 1, at = hash_key(key) & mask;
        while (atomic_swap_if(&s.table_key[at], EMPTY, key) != EMPTY) at = (at + 1) & mask;
        s.table_start[at] = i;
    });
    scan(q, s.is_first, s.rank_start, n);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        if (!s.is_first[i]) return;
        s.rank[s.link_body[s.collider->slots[s.sorted_slots[i]].link]] = s.rank_start[i];
    });
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int count = 0;
        each_partner(s, i, [&](int other) {
            if (count < PARTNERS) s.partners[count * n + i] = other;
            count++;
        });
        s.item_pairs[i] = count;
    });
    scan(q, s.item_pairs, s.item_start, n);
    each(q, n, nullptr, [=] TN_DEVICE(int i) {
        int at = s.item_start[i], slot = s.members[i].slot, count = s.item_pairs[i];
        auto list = [&](int other) {
            if (at < s.pair_room) s.pair1[at] = slot, s.pair2[at] = other;
            at++;
        };
        if (count <= PARTNERS)
            for (int k = 0; k < count; k++) list(s.partners[k * n + i]);
        else
            each_partner(s, i, list);
        if (i == n - 1) {
            s.outcome->pair_count = at;
            if (at > s.pair_room) s.outcome->overflow |= 1;
        }
    });
}

template <class R> void Scene<R>::narrow()
{
    View<R> s = this->s;
    device_clear(q, s.pair_points, sizeof(int) * (size_t)(s.pair_room + 1));
    const int *pairs = &s.outcome->pair_count;
    each(q, s.pair_room, pairs, [=] TN_DEVICE(int i) {
        TnEmitter e{};
        e.detection = s.detection;
        e.surface1 = e.surface2 = -1;
        emit_one(&e, s.coarse, s.pair1[i], s.pair2[i]);
        s.pair_points[i] = e.count;
    }, 64, likely_pairs);
    scan(q, s.pair_points, s.pair_start, s.pair_room + 1);
    each(q, s.pair_room, pairs, [=] TN_DEVICE(int i) {
        int start = s.pair_start[i], count = s.pair_points[i];
        if (start + count > s.contact_room) {
            s.outcome->overflow |= 2;
            count = 0;
        }
        if (i == *pairs - 1 || i == s.pair_room - 1) s.outcome->contact_count = s.pair_start[s.pair_room];
        if (!count) return;
        TnEmitter e{};
        e.detection = s.detection;
        e.surface1 = e.surface2 = -1;
        e.points = s.points + start;
        e.capacity = count;
        emit_one(&e, s.coarse, s.pair1[i], s.pair2[i]);
    }, 64, likely_pairs);
}

TN_DEVICE inline uint64_t warm_key(const TnContactPoint *c) { return (uint64_t)(uint32_t)c->geom2 << 32 | c->feature; }

TN_DEVICE inline void point_velocity(double out[3], const double twist[6], const double r[3])
{
    v3_cross(out, twist + 3, r);
    v3_add(out, out, twist);
}

template <class R> void Scene<R>::contacts()
{
    View<R> s = this->s;
    const int *count = &s.outcome->contact_count;
    device_clear(q, s.side_count, sizeof(int) * (size_t)(s.body_count + 1));
    device_clear(q, s.side_fill, sizeof(int) * (size_t)(s.body_count + 1));
    device_clear(q, s.new_count, sizeof(int) * (size_t)s.slot_count);
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        const TnRigidSystem *system = &s.systems[i];
        int r = s.rank[i], n = s.body_count;
        double S[6], a = system->mass_rate;
        s.inverse[7 * r] = 1.0 / a;
        invert_sym3(system->inertia_rate, S);
        for (int k = 0; k < 6; k++) s.inverse[7 * r + 1 + k] = S[k];
        const double *I = system->inertia_rate, packed[6] = {I[0], I[1], I[2], I[4], I[5], I[8]};
        s.A[r] = (R)a;
        for (int k = 0; k < 6; k++) s.A[(k + 1) * n + r] = (R)packed[k];
        double turned[3];
        m3_mul_v(turned, I, system->v_free + 3);
        for (int k = 0; k < 3; k++) {
            s.b[k * n + r] = (R)(a * system->v_free[k]);
            s.b[(k + 3) * n + r] = (R)turned[k];
        }
        const double *v = system->v;
        s.v[2 * r] = V{(R)v[0], (R)v[1], (R)v[2], 0};
        s.v[2 * r + 1] = V{(R)v[3], (R)v[4], (R)v[5], 0};
    });
    each(q, s.contact_room, count, [=] TN_DEVICE(int i) {
        const TnContactPoint *c = &s.points[i];
        int la = s.model->geom_link[c->geom1], lb = s.model->geom_link[c->geom2];
        int ba = s.link_body[la], bb = s.link_body[lb], ra = s.rank[ba], rb = bb >= 0 ? s.rank[bb] : -1;
        double v1[3], v2[3], end1[3], end2[3], v[3], v_end[3];
        const double *n = c->normal;
        point_velocity(v1, s.twists[la], c->arm1);
        point_velocity(v2, s.twists[lb], c->arm2);
        point_velocity(end1, s.end_twists[la], c->arm1);
        point_velocity(end2, s.end_twists[lb], c->arm2);
        v3_sub(v, v2, v1);
        v3_sub(v_end, end2, end1);
        double vn = v3_dot(n, v), size = s.model->links[la].lever;
        if (bb >= 0 && s.model->links[lb].lever < size) size = s.model->links[lb].lever;
        TnUnilateral u{};
        u.gap = c->gap;
        u.v = vn;
        u.v_free_end = v3_dot(n, v_end);
        u.t = s.t;
        u.theta = s.theta;
        u.stabilization = s.model->option.stabilization;
        u.gravity = s.gravity_size;
        u.size = size;
        TnUnilateralLaw law = tn_unilateral_law(&u);
        /* what the last step had here */
        double warm[3] = {0.0, 0.0, 0.0};
        int first = s.old_first[c->geom1], many = s.old_count[c->geom1];
        uint64_t key = warm_key(c);
        for (int k = 0; k < many; k++)
            if (s.old_key[first + k] == key) {
                for (int j = 0; j < 3; j++) warm[j] = s.old_lambda[3 * (first + k) + j];
                break;
            }
        s.new_key[i] = key;
        /* contacts of one geom follow each other */
        atomic_add(&s.new_count[c->geom1], 1);
        if (i == 0 || s.points[i - 1].geom1 != c->geom1) s.new_first[c->geom1] = i;
        /* compliance of both sides */
        double Ca[2], Cb[2] = {0.0, 0.0}, B[2], D[2];
        compliance(s.inverse + 7 * ra, c->arm1, n, Ca);
        if (rb >= 0) compliance(s.inverse + 7 * rb, c->arm2, n, Cb);
        double give[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 2; k++) {
            D[k] = Ca[k] + Cb[k];
            double fa = Ca[k] > 1e-6 * D[k] ? Ca[k] : 1e-6 * D[k], fb = Cb[k] > 1e-6 * D[k] ? Cb[k] : 1e-6 * D[k];
            double w = (fa + (rb >= 0 ? fb : 0.0)) / s.weight_scale;
            s.start_beta[4 * i + k] = s.weight_scale / fa;
            s.start_beta[4 * i + 2 + k] = rb >= 0 ? s.weight_scale / fb : 0.0;
            B[k] = 1.0 / (w + (s.ratio > 0.0 ? D[k] / s.ratio : 0.0));
            s.yield[2 * i + k] = D[k];
        }
        if (s.ratio > 0.0) {
            double wn = v3_dot(n, warm);
            for (int k = 0; k < 3; k++) give[k] = -(D[1] * warm[k] + (D[0] - D[1]) * wn * n[k]) / s.ratio;
        }
        double e[3], shift = -(1.0 - s.theta);
        for (int k = 0; k < 3; k++) {
            e[k] = shift * (v[k] - vn * n[k]) + law.e_normal * n[k];
            warm[k] *= s.warm_start;
        }
        Ends ends = {ra, rb};
        s.ends[i] = ends;
        double mu = c->dim == 1 ? 0.0 : c->friction[0];
        s.arm_a[i] = V{(R)c->arm1[0], (R)c->arm1[1], (R)c->arm1[2], (R)B[0]};
        s.arm_b[i] = V{(R)c->arm2[0], (R)c->arm2[1], (R)c->arm2[2], (R)B[1]};
        s.normal[i] = V{(R)n[0], (R)n[1], (R)n[2], (R)mu};
        s.shift[i] = V{(R)(e[0] + give[0]), (R)(e[1] + give[1]), (R)(e[2] + give[2]), 0};
        s.lambda[i] = V{(R)warm[0], (R)warm[1], (R)warm[2], 0};
        s.trial[i] = s.lambda[i];
        /* for the judge: e without what the contact yields */
        for (int k = 0; k < 3; k++) s.new_lambda[3 * i + k] = e[k];
        atomic_add(&s.side_count[ra], 1);
        if (rb >= 0) atomic_add(&s.side_count[rb], 1);
    }, 128, likely_contacts);
    scan(q, s.side_count, s.side_start, s.body_count + 1);
    each(q, s.contact_room, count, [=] TN_DEVICE(int i) {
        Ends e = s.ends[i];
        s.sides[s.side_start[e.a] + atomic_add(&s.side_fill[e.a], 1)] = 2 * i;
        if (e.b >= 0) s.sides[s.side_start[e.b] + atomic_add(&s.side_fill[e.b], 1)] = 2 * i + 1;
    }, 128, likely_contacts);
}

template <class R> void Scene<R>::weights()
{
    View<R> s = this->s;
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int r) {
        int begin = s.side_start[r], end = s.side_start[r + 1], n = s.body_count;
        for (int i = begin + 1; i < end; i++) { /* the order in which they were counted depends on the run */
            int x = s.sides[i], k = i;
            for (; k > begin && s.sides[k - 1] > x; k--) s.sides[k] = s.sides[k - 1];
            s.sides[k] = x;
        }
        double H[21] = {0}, g[6] = {0};
        double v[6] = {s.v[2 * r].x, s.v[2 * r].y, s.v[2 * r].z, s.v[2 * r + 1].x, s.v[2 * r + 1].y, s.v[2 * r + 1].z};
        for (int i = begin; i < end; i++) {
            int c = s.sides[i] >> 1, as_b = s.sides[i] & 1;
            V arm = as_b ? s.arm_b[c] : s.arm_a[c], nv = s.normal[c], l = s.lambda[c];
            double rr[3] = {arm.x, arm.y, arm.z}, nn[3] = {nv.x, nv.y, nv.z};
            double bn = s.start_beta[4 * c + 2 * as_b], bt = s.start_beta[4 * c + 2 * as_b + 1];
            s.side_arm[i] = V{arm.x, arm.y, arm.z, with_bits<R>(s.sides[i])};
            /* rows of Jᵀ: force f at r: (f, r × f). W = bt I + (bn - bt) n nᵀ */
            double J[3][6];
            for (int a = 0; a < 3; a++) {
                double unit[3] = {0.0, 0.0, 0.0}, m[3];
                unit[a] = 1.0;
                v3_cross(m, rr, unit);
                for (int k = 0; k < 3; k++) J[a][k] = unit[k], J[a][k + 3] = m[k];
            }
            double N[6], m[3], u[3], un = 0.0;
            v3_cross(m, rr, nn);
            for (int k = 0; k < 3; k++) N[k] = nn[k], N[k + 3] = m[k];
            for (int a = 0; a < 3; a++) {
                u[a] = 0.0;
                for (int k = 0; k < 6; k++) u[a] += J[a][k] * v[k];
                un += u[a] * nn[a];
            }
            for (int a = 0; a < 6; a++)
                for (int b = a; b < 6; b++)
                    H[sym6(a, b)] += bt * (J[0][a] * J[0][b] + J[1][a] * J[1][b] + J[2][a] * J[2][b]) + (bn - bt) * N[a] * N[b];
            double sign = as_b ? 1.0 : -1.0, f[3] = {bt * u[0] + (bn - bt) * un * nn[0] - sign * l.x,
                                                      bt * u[1] + (bn - bt) * un * nn[1] - sign * l.y,
                                                      bt * u[2] + (bn - bt) * un * nn[2] - sign * l.z};
            for (int k = 0; k < 6; k++) g[k] += J[0][k] * f[0] + J[1][k] * f[1] + J[2][k] * f[2];
        }
        double a = s.A[r];
        for (int k = 0; k < 3; k++) H[sym6(k, k)] += a;
        for (int i = 3, p = 1; i < 6; i++)
            for (int j = i; j < 6; j++) H[sym6(i, j)] += s.A[p++ * n + r];
        invert_sym6(H);
        for (int k = 0; k < 21; k++) s.Hinv[k * n + r] = (R)H[k];
        for (int k = 0; k < 6; k++) s.g[k * n + r] = (R)g[k];
    }, 64);
}

template <class R> TN_DEVICE inline typename Vec4<R>::type project(typename Vec4<R>::type t, typename Vec4<R>::type n)
{
    R tn = t.x * n.x + t.y * n.y + t.z * n.z, ln = tn > 0 ? tn : 0;
    R x = t.x - tn * n.x, y = t.y - tn * n.y, z = t.z - tn * n.z, size = sqrt(x * x + y * y + z * z), most = n.w * ln;
    R k = size > most ? most / size : (R)1;
    return {ln * n.x + k * x, ln * n.y + k * y, ln * n.z + k * z, 0};
}

/* t ← (1-α) t + α (share λ - B (J v + e)),  λ ← Π(t) */
template <class R> struct UpdateContacts {
    typedef typename Vec4<R>::type V;
    View<R> s;
    R alpha, share;
    TN_DEVICE void operator()(int i) const
    {
        Ends e = s.ends[i];
        V p = s.arm_a[i], o = s.arm_b[i], n = s.normal[i], h = s.shift[i], t = s.trial[i];
        V va = s.v[2 * e.a], wa = s.v[2 * e.a + 1];
        R ux = h.x - (va.x + wa.y * p.z - wa.z * p.y), uy = h.y - (va.y + wa.z * p.x - wa.x * p.z),
          uz = h.z - (va.z + wa.x * p.y - wa.y * p.x);
        if (e.b >= 0) {
            V vb = s.v[2 * e.b], wb = s.v[2 * e.b + 1];
            ux += vb.x + wb.y * o.z - wb.z * o.y;
            uy += vb.y + wb.z * o.x - wb.x * o.z;
            uz += vb.z + wb.x * o.y - wb.y * o.x;
        }
        V l = project<R>(t, n);
        R un = (p.w - o.w) * (ux * n.x + uy * n.y + uz * n.z), Bt = o.w;
        V next = {(1 - alpha) * t.x + alpha * (share * l.x - Bt * ux - un * n.x),
                  (1 - alpha) * t.y + alpha * (share * l.y - Bt * uy - un * n.y),
                  (1 - alpha) * t.z + alpha * (share * l.z - Bt * uz - un * n.z), 0};
        s.trial[i] = next;
        s.lambda[i] = project<R>(next, n);
    }
};

/* F = Jᵀλ,  v ← H⁻¹ (b + g + 2F),  g ← g + α (b + F - A v) */
template <class R> struct UpdateBodies {
    typedef typename Vec4<R>::type V;
    View<R> s;
    R alpha;
    TN_DEVICE void operator()(int r) const
    {
        int n = s.body_count, end = s.side_start[r + 1];
        R F[6] = {0}, x[6], b[6], g[6], v[6];
        for (int i = s.side_start[r]; i < end; i++) {
            V arm = s.side_arm[i];
            int side = bits_in(arm.w);
            V l = s.lambda[side >> 1];
            R sign = side & 1 ? (R)1 : (R)-1;
            l.x *= sign, l.y *= sign, l.z *= sign;
            F[0] += l.x, F[1] += l.y, F[2] += l.z;
            F[3] += arm.y * l.z - arm.z * l.y;
            F[4] += arm.z * l.x - arm.x * l.z;
            F[5] += arm.x * l.y - arm.y * l.x;
        }
        for (int k = 0; k < 6; k++) {
            b[k] = s.b[k * n + r], g[k] = s.g[k * n + r];
            x[k] = b[k] + g[k] + 2 * F[k];
            v[k] = 0;
        }
        for (int i = 0, p = 0; i < 6; i++)
            for (int j = i; j < 6; j++, p++) {
                R h = s.Hinv[p * n + r];
                v[i] += h * x[j];
                if (j > i) v[j] += h * x[i];
            }
        s.v[2 * r] = V{v[0], v[1], v[2], 0};
        s.v[2 * r + 1] = V{v[3], v[4], v[5], 0};
        R a = s.A[r], xx = s.A[n + r], xy = s.A[2 * n + r], xz = s.A[3 * n + r], yy = s.A[4 * n + r], yz = s.A[5 * n + r],
          zz = s.A[6 * n + r];
        R Av[6] = {a * v[0], a * v[1], a * v[2], xx * v[3] + xy * v[4] + xz * v[5], xy * v[3] + yy * v[4] + yz * v[5],
                   xz * v[3] + yz * v[4] + zz * v[5]};
        for (int k = 0; k < 6; k++) s.g[k * n + r] = g[k] + alpha * (b[k] + F[k] - Av[k]);
    }
};

template <class R> void Scene<R>::iterate()
{
    View<R> s = this->s;
    const int *count = &s.outcome->contact_count;
    /* C = D/R and w = D/s: 1 - B C */
    R share = s.ratio > 0.0 ? (R)((1.0 / s.weight_scale) / (1.0 / s.weight_scale + 1.0 / s.ratio)) : (R)1;
    for (int k = 0; k < def.iterations; k++) {
        each(q, s.contact_room, count, UpdateContacts<R>{s, k ? (R)s.alpha : (R)1, share}, 128, likely_contacts);
        each(q, s.body_count, nullptr, UpdateBodies<R>{s, (R)s.alpha});
    }
}

template <class R> void Scene<R>::judge()
{
    View<R> s = this->s;
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        int r = s.rank[i];
        double F[6] = {0};
        for (int k = s.side_start[r]; k < s.side_start[r + 1]; k++) {
            int side = s.sides[k], c = side >> 1;
            V l = s.lambda[c];
            double sign = side & 1 ? 1.0 : -1.0, f[3] = {sign * l.x, sign * l.y, sign * l.z}, m[3];
            const TnContactPoint *p = &s.points[c];
            v3_cross(m, side & 1 ? p->arm2 : p->arm1, f);
            for (int j = 0; j < 3; j++) F[j] += f[j], F[j + 3] += m[j];
        }
        const double *inverse = s.inverse + 7 * r, *free = s.systems[i].v_free;
        double *v = s.v_end + 6 * r;
        for (int j = 0; j < 3; j++) v[j] = free[j] + inverse[0] * F[j];
        v[3] = free[3] + inverse[1] * F[3] + inverse[2] * F[4] + inverse[3] * F[5];
        v[4] = free[4] + inverse[2] * F[3] + inverse[4] * F[4] + inverse[5] * F[5];
        v[5] = free[5] + inverse[3] * F[3] + inverse[5] * F[4] + inverse[6] * F[5];
    });
    each(q, s.contact_room, &s.outcome->contact_count, [=] TN_DEVICE(int i) {
        const TnContactPoint *c = &s.points[i];
        Ends e = s.ends[i];
        double ua[3], ub[3] = {0.0, 0.0, 0.0}, u[3], l[3] = {s.lambda[i].x, s.lambda[i].y, s.lambda[i].z};
        const double *n = c->normal, *D = s.yield + 2 * i;
        point_velocity(ua, s.v_end + 6 * e.a, c->arm1);
        if (e.b >= 0) point_velocity(ub, s.v_end + 6 * e.b, c->arm2);
        for (int k = 0; k < 3; k++) u[k] = ub[k] - ua[k] + s.new_lambda[3 * i + k];
        double un = v3_dot(u, n), ln = v3_dot(l, n), tn = ln - un / D[0], t[3], lt[3], size = 0.0, map = 0.0;
        double mu = c->dim == 1 ? 0.0 : c->friction[0], most = mu * (tn > 0.0 ? tn : 0.0);
        for (int k = 0; k < 3; k++) {
            lt[k] = l[k] - ln * n[k];
            t[k] = lt[k] - (u[k] - un * n[k]) / D[1];
            size += t[k] * t[k];
        }
        size = sqrt(size);
        double share = size > most ? most / size : 1.0, dn = D[0] * (ln - (tn > 0.0 ? tn : 0.0));
        map = dn * dn;
        for (int k = 0; k < 3; k++) {
            double d = D[1] * (lt[k] - share * t[k]);
            map += d * d;
        }
        map = sqrt(map);
        if (!(map < INFINITY)) s.outcome->bad = 1;
        atomic_max(&s.outcome->worst_map, double_bits(map));
        if (c->gap < 0.0) atomic_max(&s.outcome->deepest, double_bits(-c->gap));
        for (int k = 0; k < 3; k++) s.new_lambda[3 * i + k] = l[k];
    }, 128, likely_contacts);
}

template <class R> void Scene<R>::advance()
{
    View<R> s = this->s;
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int i) {
        int l = s.body_link[i], r = s.rank[i];
        bool pushed = false;
        for (int k = s.side_start[r]; k < s.side_start[r + 1]; k++) {
            V f = s.lambda[s.sides[k] >> 1];
            pushed |= f.x != 0 || f.y != 0 || f.z != 0;
        }
        const double *vhat = s.v_end + 6 * r;
        double way[6];
        tn_rigid_way(s.dynamics, s.systems[i].v, vhat, pushed ? 1.0 : 0.0, 1.0, way);
        tn_rigid_advance(s.dynamics, l, &s.frames[l], &s.systems[i], vhat, way, s.next_qpos, s.next_qvel);
        const TnLink *link = &s.model->links[l];
        const double *qp = s.next_qpos + s.model->joints[link->joint_start].qpos_start, *qv = s.next_qvel + link->dof_start;
        for (int k = 0; k < 7; k++)
            if (!(fabs(qp[k]) < 1e10) || (k < 6 && !(fabs(qv[k]) < 1e10))) s.outcome->bad = 1;
    });
}

template <class R> void Scene<R>::enqueue()
{
    void (Scene::*const phases[PHASES])() = {&Scene::assemble, &Scene::broad,   &Scene::narrow, &Scene::contacts,
                                             &Scene::weights,  &Scene::iterate, &Scene::judge,  &Scene::advance};
    lap(-1);
    for (int k = 0; k < PHASES; k++) {
        (this->*phases[k])();
        lap(k);
    }
    to_host(q, outcome_on_host, s.outcome, sizeof(Outcome));
}

template <class R> void Scene<R>::swap_buffers()
{
    std::swap(s.qpos, s.next_qpos);
    std::swap(s.qvel, s.next_qvel);
    std::swap(s.old_first, s.new_first);
    std::swap(s.old_count, s.new_count);
    std::swap(s.old_key, s.new_key);
    std::swap(s.old_lambda, s.new_lambda);
    std::swap(s.dynamics, s.next_dynamics);
    turn ^= 1;
}

template <class R> bool Scene<R>::step(TnGpuReport *report)
{
#ifdef __CUDACC__
    /* the same work in each step is recorded once, for each of the two sets of buffers */
    bool fits = last.pair_count <= likely_pairs && last.contact_count <= likely_contacts && likely_contacts < 2 * last.contact_count + 8192;
    if (!fits) {
        likely_pairs = last.pair_count + last.pair_count / 4 + 1024;
        likely_contacts = last.contact_count + last.contact_count / 4 + 1024;
        forget_graphs();
        enqueue();
    } else if (profile) {
        enqueue();
    } else {
        if (!graph[turn]) {
            cudaGraph_t recorded;
            q.check(cudaStreamBeginCapture(q.stream, cudaStreamCaptureModeThreadLocal), "recording a step");
            enqueue();
            q.check(cudaStreamEndCapture(q.stream, &recorded), "recording a step");
            if (!q.failed) q.check(cudaGraphInstantiate(&graph[turn], recorded, 0), "recording a step");
            if (!q.failed) cudaGraphDestroy(recorded);
        }
        if (!q.failed) q.check(cudaGraphLaunch(graph[turn], q.stream), "starting a step");
    }
#else
    enqueue();
#endif
    wait(q);
    if (q.failed) return false;
#ifdef __CUDACC__
    if (profile) {
        static const char *const names[PHASES] = {"assemble", "broad", "narrow", "contacts", "weights", "iterate", "judge", "advance"};
        for (int k = 0; k < PHASES; k++) {
            float ms;
            cudaEventElapsedTime(&ms, laps[k], laps[k + 1]);
            printf("%s %.0f us  ", names[k], 1e3 * ms);
        }
        printf("\n");
    }
#endif
    last = *outcome_on_host;
    *report = TnGpuReport{};
    report->pair_count = last.pair_count;
    report->contact_count = last.contact_count;
    double map, deep;
    memcpy(&map, &last.worst_map, 8);
    memcpy(&deep, &last.deepest, 8);
    report->error = map / (s.gravity_size * s.t);
    report->max_penetration = deep;
    report->finite = !last.bad && !last.overflow;
    if (!report->finite) return false;
    swap_buffers();
    return true;
}

} // namespace

struct TnGpuScene {
    Scene<float> *single;
    Scene<double> *twice;
};

template <class R> static Scene<R> *make(const TnModel *m, const TnCollider *c, const TnGpuDef *def)
{
    Scene<R> *scene = new Scene<R>;
    scene->def = *def;
    View<R> &s = scene->s;
#ifdef __CUDACC__
    scene->q.check(cudaStreamCreate(&scene->q.stream), "using the device");
#endif
    double g2 = 0.0;
    for (double x : m->option.gravity) g2 += x * x;
    s.gravity_size = g2 > 0.0 ? sqrt(g2) : 9.81;
    s.t = def->t;
    s.theta = def->theta;
    s.slack = s.gravity_size * def->t * def->t;
    s.weight_scale = def->weight_scale;
    s.alpha = def->over_relaxation;
    s.ratio = def->contact_ratio;
    s.warm_start = def->warm_start;
    s.slot_count = c->count;
    s.finite_count = c->finite_count;
    s.moving_count = c->moving_count;
    s.fixed_start = c->fixed_start;
    scene->qpos_count = m->qpos_count;
    scene->dof_count = m->dof_count;
    scene->mirror(m, c);
    scene->sort_out_levels(m, c);
    std::vector<int> body_link, link_body(m->link_count, -1), first_slot;
    for (int i = 0; i < m->subsystem_count; i++) {
        link_body[m->subsystems[i].link_start] = (int)body_link.size();
        body_link.push_back(m->subsystems[i].link_start);
    }
    int n = s.body_count = (int)body_link.size();
    first_slot.assign(n, -1);
    for (int k = c->moving_count - 1; k >= 0; k--) first_slot[link_body[c->slots[k].link]] = k;
    s.body_link = scene->copy(body_link.data(), body_link.size());
    s.link_body = scene->copy(link_body.data(), link_body.size());
    s.first_slot = scene->copy(first_slot.data(), first_slot.size());
    s.systems = scene->template room<TnRigidSystem>(n);
    int f = s.finite_count;
    s.table_size = 16;
    while (s.table_size < 2 * f) s.table_size *= 2;
    s.keys = scene->template room<uint32_t>(f);
    s.sorted_keys = scene->template room<uint32_t>(f);
    s.slots_in = scene->template room<int>(f);
    s.sorted_slots = scene->template room<int>(f);
    s.members = scene->template room<TnBounds>(f);
    s.reach = scene->template room<int>(3 * LEVELS_MAX);
    s.table_key = scene->template room<uint32_t>(s.table_size);
    s.table_start = scene->template room<int>(s.table_size);
    s.item_pairs = scene->template room<int>(f + 1);
    s.item_start = scene->template room<int>(f + 1);
    s.partners = scene->template room<int>(PARTNERS * (size_t)f);
    s.is_first = scene->template room<int>(f + 1);
    s.rank_start = scene->template room<int>(f + 1);
    s.rank = scene->template room<int>(n + 1);
    s.old_first = scene->template room<int>(m->geom_count);
    s.old_count = scene->template room<int>(m->geom_count);
    s.new_first = scene->template room<int>(m->geom_count);
    s.new_count = scene->template room<int>(m->geom_count);
    s.side_count = scene->template room<int>(n + 1);
    s.side_start = scene->template room<int>(n + 1);
    s.side_fill = scene->template room<int>(n + 1);
    s.inverse = scene->template room<double>(7 * (size_t)n);
    s.Hinv = scene->template room<R>(21 * (size_t)n);
    s.A = scene->template room<R>(7 * (size_t)n);
    s.b = scene->template room<R>(6 * (size_t)n);
    s.g = scene->template room<R>(6 * (size_t)n);
    s.v = scene->template room<typename Vec4<R>::type>(2 * (size_t)n);
    s.v_end = scene->template room<double>(6 * (size_t)n);
    s.outcome = scene->template room<Outcome>(1);
    scene->outcome_on_host = (Outcome *)host_new(scene->q, sizeof(Outcome));
    scene->profile = getenv("TN_GPU_PROFILE") != nullptr;
    scene->take_memory(12 * f + 1024, 12 * f + 1024);
    wait(scene->q);
    return scene;
}

extern "C" TnGpuScene *tn_gpu_create(const TnModel *m, const TnCollider *c, const TnGpuDef *def, TnError *)
{
    TnGpuScene *scene = new TnGpuScene{};
    if (def->float64)
        scene->twice = make<double>(m, c, def);
    else
        scene->single = make<float>(m, c, def);
    if (scene->twice ? scene->twice->q.failed : scene->single->q.failed) {
        fprintf(stderr, "%s\n", scene->twice ? scene->twice->q.message : scene->single->q.message);
        tn_gpu_destroy(scene);
        return nullptr;
    }
    return scene;
}

extern "C" void tn_gpu_destroy(TnGpuScene *scene)
{
    if (!scene) return;
    delete scene->single;
    delete scene->twice;
    delete scene;
}

template <class R> static bool put(Scene<R> *s, const double *qpos, const double *qvel)
{
    to_device(s->q, s->s.qpos, qpos, sizeof(double) * (size_t)s->qpos_count);
    to_device(s->q, s->s.qvel, qvel, sizeof(double) * (size_t)s->dof_count);
    wait(s->q);
    return !s->q.failed;
}
extern "C" bool tn_gpu_put(TnGpuScene *scene, const double *qpos, const double *qvel, TnError *)
{
    return scene->twice ? put(scene->twice, qpos, qvel) : put(scene->single, qpos, qvel);
}

template <class R> static bool get(Scene<R> *s, double *qpos, double *qvel)
{
    to_host(s->q, qpos, s->s.qpos, sizeof(double) * (size_t)s->qpos_count);
    to_host(s->q, qvel, s->s.qvel, sizeof(double) * (size_t)s->dof_count);
    wait(s->q);
    return !s->q.failed;
}
extern "C" bool tn_gpu_get(TnGpuScene *scene, double *qpos, double *qvel, TnError *)
{
    return scene->twice ? get(scene->twice, qpos, qvel) : get(scene->single, qpos, qvel);
}

extern "C" bool tn_gpu_step(TnGpuScene *scene, TnGpuReport *report, TnError *)
{
    bool ok = scene->twice ? scene->twice->step(report) : scene->single->step(report);
    const Queue &q = scene->twice ? scene->twice->q : scene->single->q;
    if (q.failed) fprintf(stderr, "%s\n", q.message);
    return ok;
}
