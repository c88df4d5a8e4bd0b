/* soft_ports.c: mesh blocks, and the points of soft bodies that contacts touch as their ports.
 *
 * A point's velocity is Σ weight · v of its nodes: of a node with unknowns of its own directly, of
 * a carried one through the T of its tree's link, of a pinned one not at all. Where nothing is left
 * the point is the world's. */
#include "rows.h"

#include <string.h>

#include "../math/vec3.h"

int tn_soft_piece_node(const TnSoftPiece *piece, int node)
{
    int low = 0, high = piece->node_count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (piece->nodes[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const TnSoftPiece *piece_of(const TnConstraintInput *in, const TnSoftPoint *point)
{
    const TnDivision *d = in->division;
    if (point->triangle < 0) return &d->pieces[d->node_piece[point->soft][point->node[0]]];
    int tet = in->model->softs[point->soft].triangle_tets[point->triangle];
    return &d->pieces[d->tet_piece[point->soft][tet]];
}

static bool is_fixed(const TnConstraintInput *in, const TnSoftPoint *point)
{
    for (int k = 0; k < point->count; k++)
        if (!in->model->softs[point->soft].pinned[point->node[k]]) return false;
    return true;
}

void tn_constraint_soft_rows(const TnConstraintInput *in, int port_row, int *cursor, int *row)
{
    for (int i = 0; i < in->contacts->soft_point_count; i++) {
        const TnSoftPoint *point = &in->contacts->soft_points[i];
        bool fixed = is_fixed(in, point);
        int *next = &cursor[piece_of(in, point)->block];
        if (row) row[i] = fixed ? 0 : port_row + *next;
        *next += !fixed;
    }
}

/* Entries of one port while it is put together. */
typedef struct Entries {
    int count, *nodes;
    double (*M)[9];
} Entries;

/* M of a block's node += weight · (its columns of T, or 1) */
static void add_entry(Entries *e, int node, double weight, const double *T, int dofs, int column)
{
    int k = 0;
    while (k < e->count && e->nodes[k] != node) k++;
    if (k == e->count) {
        e->nodes[e->count++] = node;
        memset(e->M[k], 0, sizeof e->M[k]);
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            double value = T ? (column + c < dofs ? T[r * dofs + column + c] : 0.0) : r == c;
            e->M[k][3 * r + c] += weight * value;
        }
}

static int dofs_of_hold(const TnConstraintInput *in, const TnSoftPiece *piece, int hold,
                        int *tree_node)
{
    const TnSoftHold *h = &in->model->softs[piece->soft].holds[hold];
    const TnSubsystem *sub = tn_part_of_link(in->model, h->link);
    *tree_node = in->division->tree_node[sub->kind_index];
    return sub->dof_count;
}

static bool fill_point(const TnConstraintInput *in, TnProblem *p, const TnSoftPoint *point,
                       int port)
{
    const TnSoftPiece *piece = piece_of(in, point);
    int place[3], most = 0, first;
    for (int k = 0; k < point->count; k++) {
        place[k] = tn_soft_piece_node(piece, point->node[k]);
        int hold = piece->hold[place[k]];
        most += hold >= 0 ? (dofs_of_hold(in, piece, hold, &first) + 2) / 3 : 1;
    }
    Entries e = {0, TN_ARENA_NEW(in->arena, int, most),
                 tn_arena_alloc(in->arena, sizeof(double[9]) * (size_t)most)};
    if (!e.nodes || !e.M) return false;
    for (int k = 0; k < point->count; k++) {
        int hold = piece->hold[place[k]], node = piece->block_node[place[k]];
        if (node >= 0) add_entry(&e, node, point->weight[k], NULL, 0, 0);
        if (hold < 0) continue;
        int dofs = dofs_of_hold(in, piece, hold, &first);
        for (int c = 0; c < dofs; c += 3)
            add_entry(&e, first + c / 3, point->weight[k],
                      in->systems->softs[piece->soft].holds[hold].T, dofs, c);
    }
    tn_problem_set_point_port(p, port, piece->block, e.count, e.nodes, (const double(*)[9])e.M);
    return true;
}

bool tn_constraint_fill_meshes(const TnConstraintInput *in, TnConstraintSet *set,
                               const int *first_port)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    for (int i = 0; i < d->mesh_count; i++) {
        const TnMeshBlock *mesh = &d->meshes[i];
        int block = d->dense_count + d->chain_count + i;
        int soft = d->pieces[mesh->piece_start].soft;
        if (in->state->asleep[in->model->softs[soft].subsystem]) {
            if (!tn_constraint_fill_sleeper(set, block, first_port)) return false;
            continue;
        }
        TnMeshMatrix matrix = {mesh->pattern, (const double(*)[9])in->systems->meshes[i].blocks,
                               in->systems->meshes[i].b, in->mesh_memory[i]};
        if (!tn_problem_set_mesh(p, block, mesh->node_count, matrix, first_port[block],
                                 first_port[block + 1] - first_port[block]))
            return false;
        for (int k = mesh->piece_start; k < mesh->piece_start + mesh->piece_count; k++) {
            const TnSoftPiece *piece = &d->pieces[k];
            const double *expected = in->systems->softs[piece->soft].expected;
            for (int n = 0; n < piece->node_count; n++)
                if (piece->block_node[n] >= 0)
                    v3_copy(p->large[block].v + 3L * piece->block_node[n],
                            expected + 3L * piece->nodes[n]);
        }
    }
    for (int i = 0; i < in->contacts->soft_point_count; i++) {
        int port = set->soft_row[i] - p->port_row;
        if (port >= 0 && !fill_point(in, p, &in->contacts->soft_points[i], port)) return false;
    }
    return true;
}

void tn_soft_point_velocity(const TnModel *model, const TnSoftPoint *point, const double *qvel,
                            double v[3])
{
    const double *nodes = qvel + model->softs[point->soft].dof_start;
    v3_zero(v);
    for (int k = 0; k < point->count; k++)
        v3_add_scaled(v, nodes + 3L * point->node[k], point->weight[k]);
}
