/* mesh_problem.h: random problems with mesh blocks, or the same with full matrices in their place.
 * Large block 0 is dense; the meshes follow. Contacts, bonds and rows of all kinds act between
 * everything. */
#ifndef TN_TESTS_MESH_PROBLEM_H
#define TN_TESTS_MESH_PROBLEM_H

#include "../math/box_graph.h"
#include "random_problem.h"

enum { MESHES = 3, FIXED_PORTS = 7, MESH_TWISTS = 4, MESH_ROWS = 42 };

typedef struct MeshRig {
    BoxGraph graph;
    TnSparsePattern *pattern;
    TnMeshMemory *memory;
} MeshRig;

static inline bool mesh_rigs_create(MeshRig rigs[MESHES], bool large)
{
    const int n = large ? 5 : 3, sizes[MESHES][3] = {{n, n, 3}, {6, 2, 2}, {2, 2, 1}};
    bool ok = true;
    for (int i = 0; i < MESHES; i++) {
        MeshRig *rig = &rigs[i];
        rig->graph = box_graph(sizes[i][0], sizes[i][1], sizes[i][2], NULL);
        rig->pattern = tn_sparse_pattern_create(rig->graph.node_count, rig->graph.edge_count,
                                                (const int(*)[2])rig->graph.edges, NULL);
        rig->memory = tn_mesh_memory_create();
        ok = ok && rig->graph.edges && rig->pattern && rig->memory;
    }
    return ok;
}

static inline void mesh_rigs_destroy(MeshRig rigs[MESHES])
{
    for (int i = 0; i < MESHES; i++) {
        free(rigs[i].graph.edges);
        tn_sparse_pattern_free(rigs[i].pattern);
        tn_mesh_memory_destroy(rigs[i].memory);
    }
}

/* FEW: seven ports and some rows; ALL: a port on every node, too; NOTHING: no mesh is touched. */
typedef enum MeshTouch { NOTHING, FEW, ALL, TOUCHES } MeshTouch;

typedef struct MeshChoice {
    MeshTouch touch;
    bool full;
    double stiffness; /* of the springs between nodes; masses are 1 */
    int shift;        /* which nodes are touched */
    bool large;       /* the first mesh has 75 nodes instead of 27 */
} MeshChoice;

static inline int mesh_ports(const MeshRig *rig, MeshTouch touch)
{
    return touch == NOTHING ? 0 : FIXED_PORTS + (touch == ALL ? rig->graph.node_count : 0);
}

/* Σ M_i v_i over `count` nodes from `first` on, every third one. */
static inline bool random_point_port(Random *r, TnProblem *p, int port, int block, int first,
                                     int count, bool full)
{
    int n = p->large[block].dim, nodes_in_all = n / 3;
    int *nodes = TN_ARENA_NEW(p->arena, int, count);
    double(*M)[9] = tn_arena_alloc(p->arena, sizeof(double[9]) * (size_t)count);
    if (!nodes || !M) return false;
    if (count > nodes_in_all) count = nodes_in_all;
    for (int i = 0; i < count; i++) {
        nodes[i] = (first + (nodes_in_all % 3 ? 3 : 1) * (count - 1 - i)) % nodes_in_all;
        for (int k = 0; k < 9; k++) M[i][k] = uniform(r);
    }
    if (!full) {
        tn_problem_set_point_port(p, port, block, count, nodes, (const double(*)[9])M);
        return true;
    }
    if (!tn_problem_set_port(p, port, block)) return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 9; k++) p->ports[port].T[k / 3 * n + 3 * nodes[i] + k % 3] = M[i][k];
    return true;
}

static inline bool random_span_port(Random *r, TnProblem *p, int port, int block, int start,
                                    int count, bool full)
{
    int n = p->large[block].dim;
    double *T = TN_ARENA_NEW(p->arena, double, 6 * count);
    if (!T) return false;
    for (int k = 0; k < 6 * count; k++) T[k] = uniform(r);
    if (!full) {
        tn_problem_set_span_port(p, port, block, start, count, T);
        return true;
    }
    if (!tn_problem_set_port(p, port, block)) return false;
    for (int k = 0; k < 6; k++)
        memcpy(p->ports[port].T + k * n + start, T + k * count, sizeof(double) * (size_t)count);
    return true;
}

/* A of the box, as blocks and as a full matrix. */
static inline bool random_mesh(TnProblem *p, int block, const MeshRig *rig, MeshChoice c, int port)
{
    BoxGraph g = rig->graph;
    size_t bytes = sizeof(double[9]) * (size_t)(g.node_count + g.edge_count);
    double(*drawn)[9] = box_blocks(g, 77 + (uint64_t)block);
    double(*blocks)[9] = tn_arena_alloc(p->arena, bytes);
    double *b = TN_ARENA_NEW(p->arena, double, 3 * g.node_count);
    if (!drawn || !blocks || !b) return false;
    memcpy(blocks, drawn, bytes);
    free(drawn);
    for (int k = 0; k < g.node_count + g.edge_count; k++)
        for (int i = 0; i < 9; i++) {
            double one = k < g.node_count && i % 4 == 0;
            blocks[k][i] = one + c.stiffness * (blocks[k][i] - one);
        }
    int ports = mesh_ports(rig, c.touch), n = 3 * g.node_count;
    if (!c.full)
        return tn_problem_set_mesh(
            p, block, g.node_count,
            (TnMeshMatrix){rig->pattern, (const double(*)[9])blocks, b, rig->memory}, port, ports);
    if (!tn_problem_set_dense(p, block, n, port, ports)) return false;
    double *A = tn_problem_dense_A(p, block);
    for (int k = 0; k < g.node_count; k++)
        for (int i = 0; i < 9; i++) A[(3 * k + i / 3) * n + 3 * k + i % 3] = blocks[k][i];
    for (int e = 0; e < g.edge_count; e++)
        for (int i = 0; i < 9; i++) {
            int row = 3 * g.edges[e][0] + i / 3, column = 3 * g.edges[e][1] + i % 3;
            A[row * n + column] += blocks[g.node_count + e][i];
            A[column * n + row] += blocks[g.node_count + e][i];
        }
    return true;
}

static inline bool random_mesh_ports(Random *r, TnProblem *p, int block, const MeshRig *rig,
                                     MeshChoice c, int port)
{
    int nodes = rig->graph.node_count, at = c.shift;
    if (c.touch == NOTHING) return true;
    for (int k = 0; k < 5; k++, at += 2)
        if (!random_point_port(r, p, port++, block, at % nodes, k < 4 ? k + 1 : 1, c.full))
            return false;
    if (!random_span_port(r, p, port++, block, 0, 7, c.full)) return false;
    if (!random_span_port(r, p, port++, block, 3, 6, c.full)) return false;
    for (int k = 0; c.touch == ALL && k < nodes; k++)
        if (!random_point_port(r, p, port++, block, k, 1, c.full)) return false;
    return true;
}

static inline void random_mesh_bonds(Random *r, TnProblem *p)
{
    for (int i = 0; i < p->bond_count; i++) {
        TnBond *bond = &p->bonds[i];
        bond->row_a = p->port_row + 2 + i;
        bond->row_b = i == 0 ? 0 : i == 1 ? 1 : p->port_row + 2 + FIXED_PORTS + 4;
        bond->hard = i == 1 ? 3 : 0;
        for (int k = 0; k < 72; k++) bond->J[k] = uniform(r);
        for (int k = 0; k < 12; k++) bond->f[k] = uniform(r);
        for (int k = 0; k < 6; k++) bond->e[k] = 0.3 * uniform(r);
        for (int n = 0; n < 6; n++) {
            double x[12];
            for (int k = 0; k < 12; k++) x[k] = uniform(r);
            for (int k = 0; k < 144; k++) bond->K[k] += x[k / 12] * x[k % 12];
        }
    }
}

/* One, two or five unknowns of a mesh, spread over its nodes; all different. */
static inline void random_mesh_side(Random *r, TnProblem *p, int *side, int *entry, int mesh,
                                    int shift)
{
    static const int counts[] = {1, 2, 5};
    int block = 1 + mesh, n = p->large[block].dim, count = counts[p->row_count % 3];
    p->sides[*side] = (TnRowSide){.block = p->twist_count + block, .start = *entry, .count = count};
    for (int k = 0; k < count; k++, (*entry)++) {
        p->index[*entry] = (p->row_count / 7 + shift + 5 * (count - k)) % n;
        p->coefficient[*entry] = uniform(r);
    }
    p->rows[p->row_count].side_count++;
    (*side)++;
}

static inline bool random_mesh_problem(TnProblem *p, TnArena *arena, uint64_t seed,
                                       const MeshRig rigs[MESHES], MeshChoice c)
{
    Random r = {seed * 15485863 + 5};
    int ports = 2, rows = c.touch == NOTHING ? 0 : MESH_ROWS;
    for (int i = 0; i < MESHES; i++) ports += mesh_ports(&rigs[i], c.touch);
    int contacts = c.touch == NOTHING ? 6 : 3 * ports;
    TnProblemSize size = {.twists = MESH_TWISTS,
                          .larges = 1 + MESHES,
                          .ports = ports,
                          .contacts = contacts,
                          .rows = rows,
                          .sides = 2 * rows,
                          .entries = 12 * rows,
                          .bonds = c.touch == NOTHING ? 0 : 3};
    if (!tn_problem_init(p, arena, size)) return false;
    for (int i = 0; i < MESH_TWISTS; i++) {
        double S[9], b[6], v[6];
        random_spd(&r, S, 3);
        for (int k = 0; k < 6; k++) b[k] = 3.0 * uniform(&r), v[k] = uniform(&r);
        tn_problem_set_twist(p, i, 1.5 + uniform(&r), S, b, v);
    }
    if (!tn_problem_set_dense(p, 0, DENSE_DIM, 0, 2)) return false;
    random_spd(&r, tn_problem_dense_A(p, 0), DENSE_DIM);
    for (int k = 0; k < 2; k++) {
        if (!tn_problem_set_port(p, k, 0)) return false;
        for (int j = 0; j < 6 * DENSE_DIM; j++) p->ports[k].T[j] = uniform(&r);
    }
    int port = 2;
    for (int i = 0; i < MESHES; i++) {
        if (!random_mesh(p, 1 + i, &rigs[i], c, port)) return false;
        if (!random_mesh_ports(&r, p, 1 + i, &rigs[i], c, port)) return false;
        port += mesh_ports(&rigs[i], c.touch);
    }
    for (int i = 0; i <= MESHES; i++)
        for (int k = 0; k < p->large[i].dim; k++)
            p->large[i].b[k] = 3.0 * uniform(&r), p->large[i].v[k] = uniform(&r);
    for (int i = 0; i < contacts; i++) {
        double arm_a[3], arm_b[3], n[3], e[3], lambda[3];
        int b = p->port_row + i % ports, a = b;
        while (a == b) {
            int pick = (int)(fabs(uniform(&r)) * 2 * ports);
            a = pick < ports ? p->port_row + pick : (pick - ports) % (MESH_TWISTS + 1);
        }
        for (int k = 0; k < 3; k++) {
            arm_a[k] = uniform(&r), arm_b[k] = uniform(&r), n[k] = uniform(&r),
            e[k] = 0.3 * uniform(&r), lambda[k] = 0.2 * uniform(&r);
        }
        v3_normalize(n);
        tn_problem_set_contact(p, i, a, b, arm_a, arm_b, n, e, 0.5, lambda);
    }
    random_mesh_bonds(&r, p);
    int side = 0, entry = 0, other = 0;
    static const TnRowSet sets[] = {TN_ROW_EQUALITY,    TN_ROW_INEQUALITY, TN_ROW_SOFT,
                                    TN_ROW_BOX,         TN_ROW_SPIN,       TN_ROW_ROLL,
                                    TN_ROW_ROLL_PARTNER};
    for (p->row_count = 0; p->row_count < rows; p->row_count++) {
        int mesh = p->row_count / 7 % MESHES;
        TnRow *row = &p->rows[p->row_count];
        *row = (TnRow){.set = sets[p->row_count % 7],
                       .side_start = side,
                       .contact = p->row_count % contacts,
                       .e = 0.3 * uniform(&r),
                       .k = 2.0,
                       .alpha = 0.7,
                       .lower = -0.4,
                       .upper = 0.3,
                       .mu = 0.2,
                       .scale = p->row_count % 5 == 0 ? 3.0 : 0.0};
        if (row->set == TN_ROW_ROLL_PARTNER)
            row->contact = row[-1].contact;
        else /* a twist, the dense block, the next mesh, none */
            other = (int)(fabs(uniform(&r)) * (MESH_TWISTS + 3));
        random_mesh_side(&r, p, &side, &entry, mesh, c.shift);
        if (other <= MESH_TWISTS) random_side(&r, p, &side, &entry, other);
        if (other == MESH_TWISTS + 1)
            random_mesh_side(&r, p, &side, &entry, (mesh + 1) % MESHES, c.shift);
        row->t = row->lambda = 0.1 * uniform(&r);
    }
    p->side_count = side;
    p->entry_count = entry;
    return true;
}

#endif
