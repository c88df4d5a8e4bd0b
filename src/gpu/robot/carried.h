/* carried.h: robots, cables and soft bodies on the device: memory, and places of their links.
 *
 * Each of their links is a body behind the free ones: contacts use its frame and twist and sum up
 * wrenches on it as on any other. Its velocity is T v of its group's unknowns (carried_solve.h).
 * The host writes into pinned copies of what a step needs: places before collision, equations while
 * that runs. */
#ifndef TN_GPU_CARRIED_H
#define TN_GPU_CARRIED_H

#include "../data.h"
#include "../memory.h"
#include "../motion.h"
#include "../team.h"
#include "carried_solve.h"

namespace tn
{

#define TN_NEAR_ROOM 65536 /* free bodies near soft ones, at first */

/* A block of memory that is laid out twice, on the host and on the device, in one order. */
struct Twin {
    char *host = nullptr, *device = nullptr;
    size_t used = 0;
    template <class T> size_t reserve(size_t count)
    {
        size_t at = used;
        used += (count * sizeof(T) + 15) / 16 * 16;
        return at;
    }
    template <class T> T *on_host(size_t at) const { return (T *)(host + at); }
    template <class T> T *on_device(size_t at) const { return (T *)(device + at); }
    void take(Queue &q, Memory &memory)
    {
        host = (char *)host_new(q, used ? used : 16);
        device = memory.take<char>(q, used ? used : 16);
    }
    void upload(Queue &q) { copy_bytes(q, device, host, used); }
    void upload(Queue &q, size_t at, size_t bytes) { copy_bytes(q, device + at, host + at, bytes); }
    void download(Queue &q) { copy_bytes(q, host, device, used); }
};

/* The host's copies and those of the device. */
struct CarriedMemory {
    Twin places, equations, ways, found, seen;
    Group *groups = nullptr;       /* the host's */
    int fixed_unknowns = 0;        /* of the largest robot or cable */
    std::vector<int *> row_counts; /* of the host, per group */
    std::vector<double *> vhat, lambda;
    /* of soft bodies: what is in contact, what is near, and S per group */
    Twin soft, near;
    std::vector<Twin> matrices;
    size_t head = 0, user_start = 0, users = 0, ports = 0, given = 0;
    const int *near_count = nullptr;
    ~CarriedMemory()
    {
        for (Twin *t : {&places, &equations, &ways, &found, &seen, &soft, &near})
            host_delete(t->host);
        for (Twin &t : matrices) host_delete(t.host);
    }
};

/* Memory of soft bodies. */
inline void take_softs(Queue &q, Memory &memory, CarriedMemory &m, Base &s, TnGpuCarried *c)
{
    size_t ports = (size_t)c->port_room, given = (size_t)c->given_room, nodes = 0;
    m.matrices.resize((size_t)c->group_count);
    for (int g = 0; g < c->group_count; g++) {
        size_t n = c->groups[g].soft ? (size_t)c->groups[g].dim : 0;
        nodes += n / 3;
        m.matrices[(size_t)g].reserve<double>(n * n);
        if (n) m.matrices[(size_t)g].take(q, memory);
    }
    m.head = m.soft.reserve<SoftHead>(1);
    m.user_start = m.soft.reserve<int>(nodes + 1);
    m.users = m.soft.reserve<int>(3 * ports);
    m.ports = m.soft.reserve<TnGpuPort>(ports);
    m.given = m.soft.reserve<TnContactPoint>(given);
    m.soft.take(q, memory);
    s.near_room = s.body_count < TN_NEAR_ROOM ? s.body_count : TN_NEAR_ROOM;
    m.near.reserve<TnGpuNear>((size_t)s.near_room);
    m.near.take(q, memory);
    s.port_weights = memory.take<double>(q, 6 * ports);
    if (q.failed) return;
    s.soft_count = c->soft_count;
    s.given_room = c->given_room;
    s.soft_head = m.soft.on_device<SoftHead>(m.head);
    s.user_start = m.soft.on_device<int>(m.user_start);
    s.users = m.soft.on_device<int>(m.users);
    s.ports = m.soft.on_device<TnGpuPort>(m.ports);
    s.given = m.soft.on_device<TnContactPoint>(m.given);
    s.near = m.near.on_device<TnGpuNear>(0);
    c->ports = m.soft.on_host<TnGpuPort>(m.ports);
    c->given = m.soft.on_host<TnContactPoint>(m.given);
    c->near = m.near.on_host<TnGpuNear>(0);
}

/* S of each soft body, and what is in contact in this step; `again`: the same as before. Nodes have
 * their ports. */
inline void upload_softs(Queue &q, CarriedMemory &m, const TnGpuCarried *c, bool again)
{
    int *start = m.soft.on_host<int>(m.user_start), *users = m.soft.on_host<int>(m.users),
        nodes = 0;
    for (int g = 0; g < c->group_count; g++) {
        Group &to = m.groups[g];
        const TnGpuGroup &from = c->groups[g];
        if (!from.soft) continue;
        to.dim = from.used;
        to.first_node = nodes;
        nodes += from.used / 3;
        m.matrices[(size_t)g].upload(q, 0, sizeof(double) * (size_t)to.dim * (size_t)to.dim);
    }
    if (again) return;
    auto each_user = [&](auto f) {
        for (int p = 0; p < c->port_count; p++)
            for (int k = 0; k < c->ports[p].count; k++)
                f(m.groups[c->ports[p].group].first_node + c->ports[p].node[k], 4 * p + k);
    };
    memset(start, 0, sizeof(int) * (size_t)(nodes + 1));
    each_user([&](int node, int) { start[node + 1]++; });
    for (int i = 0; i < nodes; i++) start[i + 1] += start[i];
    each_user([&](int node, int user) { users[start[node]++] = user; });
    for (int i = nodes; i > 0; i--) start[i] = start[i - 1];
    start[0] = 0;
    *m.soft.on_host<SoftHead>(m.head) = SoftHead{c->port_count, c->given_count};
    m.soft.upload(q, m.head, sizeof(SoftHead));
    m.soft.upload(q, m.user_start, sizeof(int) * (size_t)(nodes + 1));
    m.soft.upload(q, m.users, sizeof(int) * 3 * (size_t)c->port_count);
    m.soft.upload(q, m.ports, sizeof(TnGpuPort) * (size_t)c->port_count);
    m.soft.upload(q, m.given, sizeof(TnContactPoint) * (size_t)c->given_count);
}

/* Gives `c` its memory, and the device the same. */
inline void take_carried(Queue &q, Memory &memory, CarriedMemory &m, Base &s, TnGpuCarried *c)
{
    size_t links = (size_t)c->link_count, all = links + (size_t)c->mocap_count;
    size_t group_count = (size_t)c->group_count;
    std::vector<CarriedLink> carried(all);
    struct Offsets {
        size_t A, v_free, v, J, rows, row_count, vhat, lambda;
    };
    std::vector<Offsets> at(group_count);
    std::vector<size_t> T(links);
    size_t frames = m.places.reserve<double>(TN_GPU_FRAME * all),
           twists = m.places.reserve<double>(6 * all), ends = m.places.reserve<double>(6 * all),
           boxes = m.places.reserve<double>(6 * (size_t)c->soft_count),
           moved = m.ways.reserve<double>(6 * links), seen = m.seen.reserve<int>(links),
           near_count = m.seen.reserve<int>(1), pushed = m.found.reserve<int>(links),
           soft_pushed = m.found.reserve<int>(group_count),
           group_place = m.equations.reserve<Group>(group_count);
    for (size_t g = 0; g < group_count; g++) {
        const TnGpuGroup &from = c->groups[g];
        size_t n = (size_t)from.dim, rows = (size_t)from.row_room;
        at[g] = {m.equations.reserve<double>(from.soft ? 0 : n * n),
                 m.equations.reserve<double>(n),
                 m.equations.reserve<double>(n),
                 m.equations.reserve<double>(rows * n),
                 m.equations.reserve<TnGpuRow>(rows),
                 m.equations.reserve<int>(1),
                 m.found.reserve<double>(n),
                 m.found.reserve<double>(rows)};
        for (int l = from.first_link; l < from.first_link + from.link_count; l++)
            T[(size_t)l] = m.equations.reserve<double>(6 * (size_t)c->links[l].count);
    }
    for (Twin *t : {&m.places, &m.equations, &m.ways, &m.found, &m.seen}) t->take(q, memory);
    if (c->soft_count) take_softs(q, memory, m, s, c);
    if (q.failed) return;
    m.groups = m.equations.on_host<Group>(group_place);
    for (size_t g = 0; g < group_count; g++) {
        TnGpuGroup &from = c->groups[g];
        Group &to = m.groups[g];
        to = Group{};
        size_t n = (size_t)from.dim, rows = (size_t)from.row_room;
        from.A =
            from.soft ? m.matrices[g].on_host<double>(0) : m.equations.on_host<double>(at[g].A);
        from.v_free = m.equations.on_host<double>(at[g].v_free);
        from.v = m.equations.on_host<double>(at[g].v);
        from.J = m.equations.on_host<double>(at[g].J);
        from.rows = m.equations.on_host<TnGpuRow>(at[g].rows);
        to.dim = from.dim;
        to.first_link = from.first_link;
        to.link_count = from.link_count;
        to.row_room = from.row_room;
        to.soft = from.soft;
        if (!from.soft && from.dim > m.fixed_unknowns) m.fixed_unknowns = from.dim;
        to.row_count = m.equations.on_device<int>(at[g].row_count);
        to.A =
            from.soft ? m.matrices[g].on_device<double>(0) : m.equations.on_device<double>(at[g].A);
        to.b = m.equations.on_device<double>(at[g].v_free);
        to.free = memory.take<double>(q, from.soft ? n : 0);
        to.v_free = from.soft ? to.free : to.b;
        to.start = m.equations.on_device<double>(at[g].v);
        to.J = m.equations.on_device<double>(at[g].J);
        to.rows = m.equations.on_device<TnGpuRow>(at[g].rows);
        to.vhat = m.found.on_device<double>(at[g].vhat);
        to.lambda = m.found.on_device<double>(at[g].lambda);
        to.A_inverse = memory.take<double>(q, n * n);
        to.H_inverse = memory.take<double>(q, n * n);
        for (double **p : {&to.g, &to.v, &to.x, &to.y}) *p = memory.take<double>(q, n);
        for (double **p : {&to.weight, &to.yield, &to.shift}) *p = memory.take<double>(q, rows);
        to.trial = memory.take<double>(q, 2 * rows);
        to.tally = memory.take<double>(q, 7 * (size_t)from.link_count);
        to.twists = memory.take<double>(q, 6 * (size_t)from.link_count);
        bool by_parts = from.soft || from.dim > TN_LARGE_GROUP;
        to.products = memory.take<double>(q, by_parts ? TN_PRODUCTS * n : 0);
        to.panel = memory.take<double>(q, by_parts ? 2 * TN_PIVOT * n : 0);
        to.F = memory.take<double>(q, 6 * (size_t)from.link_count);
        to.K = memory.take<double>(q, TN_SIDE_SUMS * (size_t)from.link_count);
        to.KT = memory.take<double>(q, 6 * n);
        to.sums = memory.take<double>(q, TN_SIDE_SUMS * (size_t)(TN_TEAM + from.link_count));
        for (int l = from.first_link; l < from.first_link + from.link_count; l++) {
            c->links[l].T = m.equations.on_host<double>(T[(size_t)l]);
            carried[(size_t)l].T = m.equations.on_device<double>(T[(size_t)l]);
            carried[(size_t)l].group = (int)g;
        }
    }
    for (size_t l = 0; l < all; l++) {
        carried[l].link = c->links[l].link;
        carried[l].start = c->links[l].start;
        carried[l].count = c->links[l].count;
    }
    c->frames = (double(*)[TN_GPU_FRAME])m.places.on_host<double>(frames);
    c->twists = (double(*)[6])m.places.on_host<double>(twists);
    c->end_twists = (double(*)[6])m.places.on_host<double>(ends);
    c->moved = (double(*)[6])m.ways.on_host<double>(moved);
    c->seen = m.seen.on_host<int>(seen);
    c->pushed = m.found.on_host<int>(pushed);
    m.row_counts.clear();
    for (const Offsets &o : at) m.row_counts.push_back(m.equations.on_host<int>(o.row_count));
    m.vhat.clear();
    m.lambda.clear();
    for (const Offsets &o : at) {
        m.vhat.push_back(m.found.on_host<double>(o.vhat));
        m.lambda.push_back(m.found.on_host<double>(o.lambda));
    }
    s.placed_frames = m.places.on_device<double>(frames);
    s.placed_twists = m.places.on_device<double>(twists);
    s.placed_ends = m.places.on_device<double>(ends);
    s.carried_ways = m.ways.on_device<double>(moved);
    s.carried_seen = m.seen.on_device<int>(seen);
    s.carried_pushed = m.found.on_device<int>(pushed);
    s.carried = memory.copy(q, carried.data(), carried.size());
    s.groups = m.equations.on_device<Group>(group_place);
    s.most_unknowns = m.fixed_unknowns;
    s.port_compliance = memory.take<double>(q, 36 * (links + (size_t)c->port_room));
    s.soft_boxes = m.places.on_device<double>(boxes);
    s.near_count = m.seen.on_device<int>(near_count);
    s.soft_pushed = m.found.on_device<int>(soft_pushed);
    c->boxes = (double(*)[6])m.places.on_host<double>(boxes);
    c->soft_pushed = m.found.on_host<int>(soft_pushed);
    m.near_count = m.seen.on_host<int>(near_count);
}

/* Frames and twists of links that the host places. */
inline void place_carried(Queue &q, const Base &s)
{
    each(q, s.carried_count + s.mocap_count, nullptr, [=] TN_DEVICE(int i) {
        int l = s.carried[i].link;
        const double *from = s.placed_frames + TN_GPU_FRAME * i;
        TnLinkFrame *frame = &s.frames[l];
        for (int k = 0; k < 3; k++) frame->pos[k] = from[k], frame->com[k] = from[16 + k];
        for (int k = 0; k < 4; k++) frame->quat[k] = from[3 + k];
        for (int k = 0; k < 9; k++) frame->rot[k] = from[7 + k];
        for (int k = 0; k < 6; k++) {
            s.twists[l][k] = s.placed_twists[6 * i + k];
            s.end_twists[l][k] = s.moved[l][k] = s.placed_ends[6 * i + k];
        }
        if (i < s.carried_count) s.carried_seen[i] = 0;
    });
}

/* Which of them have contacts, and contacts that the free motion closes. */
inline void note_seen(Queue &q, const Base &s, int likely)
{
    each(
        q, s.contact_room, &s.outcome->lists.contact_count,
        [=] TN_DEVICE(int i) {
            const TnContactPoint *c = &s.points[i];
            const int links[2] = {s.model->geom_link[c->geom1], s.model->geom_link[c->geom2]};
            int first = s.link_body[links[0]] - s.body_count,
                second = s.link_body[links[1]] - s.body_count;
            if (first < 0 && second < 0) return;
            double v1[3], v2[3];
            point_velocity(v1, s.end_twists[links[0]], c->arm1);
            point_velocity(v2, s.end_twists[links[1]], c->arm2);
            v3_sub(v2, v2, v1);
            bool closes = c->gap + s.t * v3_dot(c->normal, v2) < 0.0;
            int seen = TN_GPU_LISTED | (closes ? TN_GPU_CLOSES : 0);
            if (first >= 0) atomic_max(&s.carried_seen[first], seen);
            if (second >= 0) atomic_max(&s.carried_seen[second], seen);
        },
        128, likely);
}

/* How they move, for the search for missed contacts. */
inline void note_ways(Queue &q, const Base &s)
{
    each(q, s.carried_count, nullptr, [=] TN_DEVICE(int i) {
        int l = s.carried[i].link;
        for (int k = 0; k < 6; k++) s.moved[l][k] = s.carried_ways[6 * i + k];
        note_surprise(s, l, s.moved[l]);
    });
}

} // namespace tn
#endif
