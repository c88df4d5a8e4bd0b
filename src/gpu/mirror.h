/* mirror.h: the model and its collider on the device. */
#ifndef TN_GPU_MIRROR_H
#define TN_GPU_MIRROR_H

#include "../collision/verdict.h"
#include "scene.h"

namespace tn
{

/* As TN_FAR, of shapes that are no spheres: pairs that move by more of the thinner one are followed
 * to where they meet. That is slow on a device. */
#define TN_FAR_ON_DEVICE 0.25

inline TnHull *copy_hull(Queue &q, Memory &memory, const TnHull *from)
{
    TnHull hull = *from;
    size_t n = (size_t)hull.vertex_count;
    size_t edges = (size_t)hull.edge_start[n], faces = (size_t)hull.face_start[n];
    hull.vertices = memory.copy(q, hull.vertices, 3 * n);
    hull.edges = memory.copy(q, hull.edges, edges);
    hull.edge_start = memory.copy(q, hull.edge_start, n + 1);
    hull.faces = memory.copy(q, hull.faces, faces);
    hull.face_start = memory.copy(q, hull.face_start, n + 1);
    hull.normals = memory.copy(q, hull.normals, 3 * (size_t)hull.face_count);
    hull.starts = memory.copy(q, hull.starts, TN_HULL_STARTS);
    return memory.copy(q, &hull, 1);
}

/* Geoms of one mesh share its hull. */
inline TnShape *copy_shapes(Queue &q, Memory &memory, const TnCollider *c)
{
    std::vector<TnShape> shapes(c->shape, c->shape + c->count);
    std::vector<std::pair<const TnHull *, TnShape>> done;
    for (TnShape &shape : shapes) {
        if (!shape.hull) continue;
        size_t k = 0;
        while (k < done.size() && done[k].first != shape.hull) k++;
        if (k == done.size()) {
            TnShape copied{};
            TnHull *hull = copy_hull(q, memory, shape.hull);
            copied.hull = hull;
            TnHull on_host;
            memset(&on_host, 0, sizeof on_host);
            copy_bytes(q, &on_host, hull, sizeof on_host);
            wait(q);
            copied.mesh_vertices = on_host.vertices;
            done.push_back({shape.hull, copied});
        }
        shape.hull = done[k].second.hull;
        shape.mesh_vertices = done[k].second.mesh_vertices;
    }
    return memory.copy(q, shapes.data(), shapes.size());
}

inline TnTriMesh *copy_tri_mesh(Queue &q, Memory &memory, const TnTriMesh *from)
{
    TnTriMesh mesh = *from;
    size_t n = (size_t)mesh.vertex_count, edges = (size_t)mesh.edge_start[n];
    mesh.triangles = memory.copy(q, mesh.triangles, (size_t)mesh.triangle_count);
    mesh.nodes = memory.copy(q, mesh.nodes, (size_t)mesh.node_count);
    mesh.edge_start = memory.copy(q, mesh.edge_start, n + 1);
    mesh.edges = memory.copy(q, mesh.edges, edges);
    mesh.points = (double(*)[3])memory.copy(q, mesh.points[0], 3 * n);
    return memory.copy(q, &mesh, 1);
}

/* Those that collide as their triangles. */
inline TnTriMesh **copy_tri_meshes(Queue &q, Memory &memory, const TnCollider *c)
{
    std::vector<TnTriMesh *> meshes((size_t)c->count, nullptr);
    std::vector<std::pair<const TnTriMesh *, TnTriMesh *>> done;
    for (size_t i = 0; i < meshes.size(); i++) {
        const TnTriMesh *own = c->tri_meshes[i];
        for (size_t k = 0; own && k < done.size(); k++)
            if (done[k].first == own) meshes[i] = done[k].second;
        if (!own || meshes[i]) continue;
        meshes[i] = copy_tri_mesh(q, memory, own);
        done.push_back({own, meshes[i]});
    }
    return memory.copy(q, meshes.data(), meshes.size());
}

/* Slots by size: grids with cells that hold the boxes of their level at rest, a factor of four per
 * level, from the smallest on. What is left of few is in the list. */
inline void sort_out_levels(Queue &q, Memory &memory, Base &s, const TnCollider *c)
{
    int n = c->finite_count;
    std::vector<int> level((size_t)c->count, -1), few;
    std::vector<double> side((size_t)n);
    for (int i = 0; i < n; i++)
        side[(size_t)i] =
            2.0 * (c->slots[i].shape_type == TN_GEOM_SPHERE ? c->slots[i].radius
                                                            : c->locals[i].bounding_radius);
    for (int pass = 0; pass < TN_LEVELS; pass++) {
        double least = INFINITY, largest = 0.0;
        int left = 0;
        for (size_t i = 0; i < side.size(); i++)
            if (level[i] < 0) {
                left++;
                if (side[i] < least) least = side[i];
            }
        if (!left || (pass > 0 && left <= TN_FEW_MAX)) break;
        bool last = pass == TN_LEVELS - 1;
        s.last_slot[pass] = -1;
        for (size_t i = 0; i < side.size(); i++)
            if (level[i] < 0 && (side[i] <= 4.0 * least || last)) {
                level[i] = pass;
                if (side[i] > largest) largest = side[i];
                s.last_slot[pass] = (int)i;
            }
        s.per_cell[pass] = (float)(1.0 / (1.25 * largest));
        s.level_count = pass + 1;
    }
    for (int i = 0; i < n; i++)
        if (level[(size_t)i] < 0) few.push_back(i);
    s.level = memory.copy(q, level.data(), level.size());
    s.few = memory.copy(q, few.data(), few.size());
    s.few_count = (int)few.size();
}

/* What pairs there may be. */
inline void note_shapes(Base &s, const TnCollider *c)
{
    for (int i = 0; i < c->count; i++) {
        TnGeomType type = c->slots[i].shape_type;
        bool moves = i < c->moving_count;
        s.some_boxes |= moves && type == TN_GEOM_BOX;
        s.some_hard |= type != TN_GEOM_SPHERE && (moves || type != TN_GEOM_PLANE);
    }
}

/* Whether nothing but balls moves (balls.h). */
inline bool are_balls(const Base &s, const TnModel *m, const TnCollider *c)
{
    if (!s.one_each || s.some_hard || s.all_count > s.body_count) return false;
    for (int i = 0; i < c->moving_count; i++) {
        const TnLink *link = &m->links[c->slots[i].link];
        const double *I = link->inertia_principal, *at = c->locals[i].pos;
        double off = 0.0;
        for (int k = 0; k < 3; k++) off = fmax(off, fabs(at[k] - link->com[k]));
        if (off > 1e-14 * c->slots[i].radius || I[0] != I[1] || I[1] != I[2]) return false;
    }
    return true;
}

/* Which parts of robots and cables collide, and explicit pairs: a table over slots that need a look
 * at the model, and how deep in each other those may be that overlap by design. */
inline void copy_filter(Queue &q, Memory &memory, TnCollider &out, const TnCollider *c)
{
    std::vector<int32_t> place((size_t)c->count + 1, -1), slots;
    for (int i = 0; i < c->count; i++)
        if (c->slots[i].special) {
            place[(size_t)i] = (int)slots.size();
            slots.push_back(i);
        }
    size_t n = slots.size();
    std::vector<int32_t> table(n * n + 1, 0);
    std::vector<TnOverlap> overlaps;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n && slots[i] < c->moving_count; k++) {
            double least;
            table[i * n + k] = tn_filter_verdict(c, slots[i], slots[k], &least);
            if (table[i * n + k] && least > -INFINITY)
                overlaps.push_back(TnOverlap{slots[i], slots[k], least});
        }
    place[(size_t)c->count] = (int)n;
    out.verdict_row = memory.copy(q, place.data(), place.size());
    out.verdicts = memory.copy(q, table.data(), table.size());
    out.overlaps = memory.copy(q, overlaps.data(), overlaps.size());
    out.overlap_count = (int)overlaps.size();
}

inline void copy_collider(Queue &q, Memory &memory, Base &s, const TnCollider *c)
{
    TnCollider collider = *c;
    size_t n = (size_t)c->count;
    collider.slots = memory.copy(q, c->slots, n);
    collider.locals = memory.copy(q, c->locals, n);
    collider.shape = copy_shapes(q, memory, c);
    collider.thinness = memory.copy(q, c->thinness, n);
    collider.tri_meshes = copy_tri_meshes(q, memory, c);
    collider.surfaces = memory.copy(q, c->surfaces, (size_t)c->surface_count);
    collider.place = memory.copy(q, c->place, n);
    collider.bounds = memory.copy(q, c->bounds, n);
    copy_filter(q, memory, collider, c);
    collider.beyond = nullptr;
    collider.asleep = nullptr;
    collider.model = s.model;
    s.collider = memory.copy(q, &collider, 1);
}

/* Which link is which body. Bodies without geoms are behind all others along the curve, and behind
 * them the links of robots and cables. */
inline void number_bodies(Queue &q, Memory &memory, Base &s, const TnModel *m, const TnCollider *c,
                          const TnGpuCarried *carried)
{
    s.port_room = carried ? carried->port_room : 0;
    std::vector<int> body_link, link_body((size_t)(m->link_count + s.port_room), -1);
    for (int i = 0; i < m->subsystem_count; i++) {
        if (m->subsystems[i].kind != TN_SUBSYSTEM_RIGID) continue;
        link_body[(size_t)m->subsystems[i].link_start] = (int)body_link.size();
        body_link.push_back(m->subsystems[i].link_start);
    }
    s.carried_count = carried ? carried->link_count : 0;
    s.mocap_count = carried ? carried->mocap_count : 0;
    s.group_count = carried ? carried->group_count : 0;
    s.body_count = (int)body_link.size();
    s.all_count = s.body_count + s.carried_count + s.port_room;
    std::vector<int> first_slot((size_t)s.all_count, -1), rank((size_t)s.all_count + 1, 0),
        body_at(body_link.size() + 1, 0), slot_body((size_t)c->count);
    for (int k = 0; k < c->count; k++) slot_body[(size_t)k] = link_body[(size_t)c->slots[k].link];
    for (int k = c->moving_count - 1; k >= 0; k--)
        if (slot_body[(size_t)k] >= 0) first_slot[(size_t)slot_body[(size_t)k]] = k;
    for (int k = 0; k < s.carried_count; k++) {
        link_body[(size_t)carried->links[k].link] = s.body_count + k;
        rank[(size_t)(s.body_count + k)] = s.body_count + k;
    }
    for (int k = 0, at = s.body_count + s.carried_count; k < s.port_room; k++, at++)
        link_body[(size_t)(m->link_count + k)] = rank[(size_t)at] = at;
    int behind = 0;
    for (int slot : first_slot) behind += slot >= 0;
    s.one_each = behind == (int)body_link.size() && behind == c->finite_count;
    for (size_t i = 0; i < body_link.size(); i++)
        if (first_slot[i] < 0) {
            body_at[(size_t)behind] = (int)i;
            rank[i] = behind++;
        }
    std::vector<int> qpos_at, qvel_at;
    std::vector<double> mass(11 * body_link.size());
    for (size_t i = 0, n = body_link.size(); i < n; i++) {
        const TnLink *link = &m->links[body_link[i]];
        qpos_at.push_back(m->joints[link->joint_start].qpos_start);
        qvel_at.push_back(link->dof_start);
        mass[i] = link->mass;
        s.mean_mass += link->mass / (double)n;
        for (size_t k = 0; k < 3; k++) mass[(1 + k) * n + i] = link->com[k];
        for (size_t k = 0; k < 3; k++) mass[(4 + k) * n + i] = link->inertia_principal[k];
        for (size_t k = 0; k < 4; k++) mass[(7 + k) * n + i] = link->inertia_axes[k];
    }
    s.body_mass = memory.copy(q, mass.data(), mass.size());
    s.body_qpos = memory.copy(q, qpos_at.data(), qpos_at.size());
    s.body_qvel = memory.copy(q, qvel_at.data(), qvel_at.size());
    s.body_link = memory.copy(q, body_link.data(), body_link.size());
    s.link_body = memory.copy(q, link_body.data(), link_body.size());
    s.first_slot = memory.copy(q, first_slot.data(), first_slot.size());
    s.rank = memory.copy(q, rank.data(), rank.size());
    s.body_at = memory.copy(q, body_at.data(), body_at.size());
    s.slot_body = memory.copy(q, slot_body.data(), slot_body.size());
}

inline void write_inputs(Queue &q, Memory &memory, Base &s)
{
    TnDetection d{};
    d.collider = s.collider;
    d.frames = s.frames;
    d.t = s.t;
    d.slack = s.slack;
    d.alone = true; /* whatever stops one of a pair: missed contacts are rarer and cost a solve */
    d.touching = TN_TOUCHING;
    for (int k = 0; k < 2; k++) {
        d.far = k ? TN_FAR_ON_DEVICE : TN_FAR;
        d.twists = s.end_twists;
        d.held = s.twists;
        s.detection[k] = memory.copy(q, &d, 1);
        d.twists = d.held = s.moved;
        s.found[k] = memory.copy(q, &d, 1);
    }
    TnDynamicsInput in{};
    in.model = s.model;
    in.t = s.t;
    in.theta = s.theta;
    in.wrench = s.wrench;
    in.qpos = s.qpos;
    in.qvel = s.qvel;
    s.dynamics = memory.copy(q, &in, 1);
    in.qpos = s.next_qpos;
    in.qvel = s.next_qvel;
    s.next_dynamics = memory.copy(q, &in, 1);
}

inline void mirror_model(Queue &q, Memory &memory, Base &s, const TnModel *m, const TnCollider *c,
                         const TnGpuDef &def)
{
    TnModel model = *m;
    size_t own = (size_t)m->link_count, ports = def.carried ? (size_t)def.carried->port_room : 0,
           links = own + ports;
    model.links = memory.take<TnLink>(q, links);
    copy_bytes(q, model.links, m->links, own * sizeof *m->links);
    wait(q);
    model.joints = memory.copy(q, m->joints, (size_t)m->joint_count);
    model.geoms = memory.copy(q, m->geoms, (size_t)m->geom_count);
    model.pairs = memory.copy(q, m->pairs, (size_t)m->pair_count);
    model.geom_link = memory.copy(q, m->geom_link, (size_t)m->geom_count);
    s.model = memory.copy(q, &model, 1);
    s.link_count = m->link_count;
    s.geom_count = m->geom_count;
    s.slot_count = c->count;
    s.finite_count = c->finite_count;
    s.moving_count = c->moving_count;
    s.radius = memory.copy(q, def.radius, own);
    copy_collider(q, memory, s, c);
    note_shapes(s, c);
    sort_out_levels(q, memory, s, c);
    number_bodies(q, memory, s, m, c, def.carried);
    s.balls = are_balls(s, m, c);
    s.frames = memory.take<TnLinkFrame>(q, links);
    TnLinkFrame world{};
    world.quat[0] = world.rot[0] = world.rot[4] = world.rot[8] = 1.0;
    copy_bytes(q, s.frames, &world, sizeof world);
    s.twists = (double(*)[6])memory.take<double>(q, 6 * links);
    s.end_twists = (double(*)[6])memory.take<double>(q, 6 * links);
    s.moved = (double(*)[6])memory.take<double>(q, 6 * links);
    s.wrench = (double(*)[6])memory.take<double>(q, 6 * links);
    s.marks = memory.take<uint8_t>(q, links);
    s.qpos = memory.take<double>(q, (size_t)m->qpos_count);
    s.qvel = memory.take<double>(q, (size_t)m->dof_count);
    s.next_qpos = memory.take<double>(q, (size_t)m->qpos_count);
    s.next_qvel = memory.take<double>(q, (size_t)m->dof_count);
    write_inputs(q, memory, s);
}

} // namespace tn
#endif
