/* carried.c: nodes that follow a link of a tree, v = T q̇. Of those in one block with it, with v = S
 * u, S = T for them and 1 for the others, A ← Sᵀ A_elements S + A_trees,   b ← Sᵀ b_elements +
 * b_trees, as assembled.h has it for rods; a tree's dofs are nodes of three in the block. */
#include "elements.h"

#include <string.h>

#include "../../math/vec3.h"
#include "../tour.h"

/* ---- how they move ---- */

static const TnSubsystem *subsystem_of_tree(const TnModel *model, int tree)
{
    for (int i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].kind == TN_SUBSYSTEM_TREE &&
            model->subsystems[i].kind_index == tree)
            return &model->subsystems[i];
    return NULL;
}

/* One tree and one carried node on it. */
typedef struct Visit {
    const TnModel *model;
    const TnTour *tour;
    const double (*S)[6];
    double *J, *T; /* 6 × dofs of scratch; 3 × dofs */
} Visit;

static void held_point(const TnTour *tour, const TnSoftHold *hold, double pos[3],
                       double velocity[3])
{
    const TnLinkFrame *link = &tour->frames[hold->link];
    m3_mul_v(pos, link->rot, hold->pos);
    v3_add(pos, pos, link->pos);
    tn_velocity_at(link, tour->twists[hold->link], pos, velocity);
}

/* T in the middle of the motion, and what is left of `start`. */
static void at_middle(const Visit *v, const TnSoftHold *hold, TnSoftHoldMotion *out)
{
    const TnSubsystem *sub = v->tour->sub;
    int n = sub->dof_count;
    double pos[3], velocity[3];
    held_point(v->tour, hold, pos, velocity);
    tn_tree_jacobian(v->model, sub, v->tour->frames[sub->link_start].com, v->S, hold->link, pos,
                     v->J);
    memcpy(v->T, v->J, sizeof(double[3]) * (size_t)n); /* its linear rows come first */
    out->T = v->T;
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < n; d++)
            out->start[k] += v->T[k * n + d] * v->tour->in->qvel[sub->dof_start + d];
}

/* v̂ that the tree is expected to give the node. */
static void expect(const TnTour *tour, const TnSoftHoldMotion *motion, double v[3])
{
    int n = tour->sub->dof_count;
    for (int k = 0; k < 3; k++) {
        v[k] = 0.0;
        for (int d = 0; d < n; d++)
            v[k] += motion->T[k * n + d] * tour->u[tour->sub->dof_start + d];
    }
}

typedef enum Stop { BEFORE, AFTER, MIDDLE } Stop;

static bool visit_holds(const TnSoftInput *input, Visit *visit, Stop stop)
{
    const TnModel *model = input->in->model;
    const TnTour *tour = visit->tour;
    double theta = input->in->theta, pos[3], velocity[3];
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        TnSoftSystem *system = &input->systems->softs[s];
        for (int h = 0; h < soft->hold_count; h++) {
            const TnSoftHold *hold = &soft->holds[h];
            TnSoftHoldMotion *out = &system->holds[h];
            if (tn_part_of_link(model, hold->link) != tour->sub) continue;
            if (stop == MIDDLE) {
                visit->T = TN_ARENA_NEW(input->arena, double, 3 * tour->sub->dof_count);
                if (!visit->T) return false;
                at_middle(visit, hold, out);
                expect(tour, out, system->expected + 3 * (size_t)hold->node);
                continue;
            }
            held_point(tour, hold, pos, velocity);
            if (stop == BEFORE)
                v3_scale(out->start, velocity, theta);
            else
                v3_add_scaled(out->start, velocity, -theta);
        }
    }
    return true;
}

/* A tree that nodes follow. */
static bool holds_nodes(const TnModel *model, const TnSubsystem *sub)
{
    if (sub->kind != TN_SUBSYSTEM_TREE || sub->dof_count > TN_MAX_CARRIER) return false;
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++)
            if (tn_part_of_link(model, model->softs[s].holds[h].link) == sub) return true;
    return false;
}

bool tn_soft_hold_motion(const TnSoftInput *input)
{
    const TnModel *model = input->in->model;
    TnTour tour;
    bool ready = false;
    for (int i = 0; i < model->subsystem_count; i++) {
        const TnSubsystem *sub = &model->subsystems[i];
        size_t n = (size_t)sub->dof_count;
        if (tn_left_out(input->in, i) || !holds_nodes(model, sub)) continue;
        if (!ready && !tn_tour_begin(input->in, input->arena, &tour)) return false;
        ready = true;
        double(*S)[6] = tn_arena_alloc(input->arena, sizeof(double[6]) * n);
        double *J = TN_ARENA_NEW(input->arena, double, 6 * n);
        if (!S || !J) return false;
        Visit visit = {.model = model, .tour = &tour, .S = (const double(*)[6])S, .J = J};
        tn_tour_choose(&tour, sub, input->last);
        tn_tour_go(&tour, 0.0);
        visit_holds(input, &visit, BEFORE);
        tn_tour_go(&tour, input->in->t);
        visit_holds(input, &visit, AFTER);
        tn_tour_go(&tour, 0.5 * input->in->t);
        tn_tree_axes(model, sub, tour.qpos, tour.frames, tour.frames[sub->link_start].com, S);
        if (!visit_holds(input, &visit, MIDDLE)) return false;
    }
    return true;
}

/* ---- trees in the block ---- */

/* Adds the 3 × 3 part (row node a, column node b) of a matrix to the block's array, which keeps the
 * half with the higher node first. */
static void add_part(const TnBlockEdges *edges, int node_count, int a, int b, const double M[9],
                     double (*blocks)[9])
{
    if (a == b) {
        for (int k = 0; k < 9; k++) blocks[a][k] += M[k];
        return;
    }
    int edge = a > b ? tn_block_edge(edges, a, b) : tn_block_edge(edges, b, a);
    TN_ASSERT(edge >= 0);
    double *to = blocks[node_count + edge];
    for (int k = 0; k < 9; k++) to[k] += a > b ? M[k] : M[3 * (k % 3) + k / 3];
}

/* rows × columns numbers of M, `stride` apart, from row r and column c on, as 3 × 3 filled up with
 * zeros. */
static void cut_out(const double *M, int rows, int columns, int r, int c, double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = r + i < rows && c + j < columns ? M[(r + i) * columns + c + j] : 0.0;
}

void tn_mesh_add_trees(const TnSoftInput *input, int mesh, TnMeshSystem *system)
{
    const TnDivision *d = input->systems->division;
    const TnMeshBlock *block = &d->meshes[mesh];
    const TnBlockEdges *edges = &input->elements->edges[mesh];
    for (int i = block->tree_start; i < block->tree_start + block->tree_count; i++) {
        int tree = d->mesh_trees[i], first = d->tree_node[tree];
        int n = subsystem_of_tree(input->in->model, tree)->dof_count;
        double part[9];
        for (int r = 0; r < n; r += 3)
            for (int c = 0; c <= r; c += 3) {
                cut_out(input->systems->trees[tree].A, n, n, r, c, part);
                for (int k = 0; r == c && k < 3; k++)
                    if (r + k >= n) part[4 * k] = 1.0; /* an unknown that does nothing */
                add_part(edges, block->node_count, first + r / 3, first + c / 3, part,
                         system->blocks);
            }
        for (int k = 0; k < n; k++) system->b[3 * first + k] += input->systems->trees[tree].b[k];
    }
}

/* ---- pairs with a carried node ---- */

typedef struct Place {
    int node, dim;   /* in the block; unknowns */
    const double *T; /* NULL: its own */
} Place;

static Place place_of(const TnSoftInput *input, const TnSoftSystem *system,
                      const TnSoftPiece *piece, int a)
{
    const TnModel *model = input->in->model;
    if (piece->hold[a] < 0) return (Place){piece->block_node[a], 3, NULL};
    const TnSoftHold *hold = &model->softs[piece->soft].holds[piece->hold[a]];
    const TnSubsystem *sub = tn_part_of_link(model, hold->link);
    return (Place){input->systems->division->tree_node[sub->kind_index], sub->dof_count,
                   system->holds[piece->hold[a]].T};
}

/* Rows r..r+2 of Tᵀ M (M 3 × columns), or of M itself. */
static void rows_of(const Place *place, const double *M, int columns, int r, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0.0;
            if (!place->T)
                sum = M[i * columns + j];
            else if (r + i < place->dim)
                for (int k = 0; k < 3; k++)
                    sum += place->T[k * place->dim + r + i] * M[k * columns + j];
            out[i * columns + j] = sum;
        }
}

static void add_pair(const TnBlockEdges *edges, int node_count, const Place *a, const Place *b,
                     const double E[9], bool diagonal, double (*blocks)[9])
{
    double ET[3 * TN_MAX_CARRIER], G[3 * TN_MAX_CARRIER], part[9], both[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < b->dim; j++) {
            double sum = b->T ? 0.0 : E[3 * i + j];
            for (int k = 0; k < 3 && b->T; k++) sum += E[3 * i + k] * b->T[k * b->dim + j];
            ET[i * b->dim + j] = sum;
        }
    for (int r = 0; r < a->dim; r += 3) {
        rows_of(a, ET, b->dim, r, G);
        for (int c = 0; c < b->dim; c += 3) {
            int row = a->node + r / 3, column = b->node + c / 3;
            cut_out(G, 3, b->dim, 0, c, part);
            if (diagonal && row < column) continue; /* the same numbers again */
            if (!diagonal && row == column)         /* both on one tree: A_ab and A_ba */
                for (int k = 0; k < 9; k++) both[k] = part[k] + part[3 * (k % 3) + k / 3];
            else
                memcpy(both, part, sizeof both);
            add_part(edges, node_count, row, column, both, blocks);
        }
    }
}

void tn_mesh_add_carried(const TnSoftInput *input, int mesh, TnMeshSystem *system)
{
    const TnMeshBlock *block = &input->systems->division->meshes[mesh];
    const TnBlockEdges *edges = &input->elements->edges[mesh];
    for (int i = block->piece_start; i < block->piece_start + block->piece_count; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        const TnSoftSystem *soft = &input->systems->softs[p->piece->soft];
        for (int k = 0; k < p->pair_count; k++) {
            Place a = place_of(input, soft, p->piece, p->pairs[k][0]);
            Place b = place_of(input, soft, p->piece, p->pairs[k][1]);
            add_pair(edges, block->node_count, &a, &b, system->blocks[p->pair_start + k],
                     p->pairs[k][0] == p->pairs[k][1], system->blocks);
        }
        for (int a = 0; a < p->piece->node_count; a++) {
            if (p->piece->hold[a] < 0) continue;
            Place place = place_of(input, soft, p->piece, a);
            for (int j = 0; j < place.dim; j++)
                for (int c = 0; c < 3; c++)
                    system->b[3 * place.node + j] += place.T[c * place.dim + j] * p->f[a][c];
        }
    }
}

/* ---- what holds them ---- */

/* y += E x, or Eᵀ x */
static void add_product(const double E[9], bool transposed, const double *x, double *y)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) y[i] += E[transposed ? 3 * j + i : 3 * i + j] * x[j];
}

/* A v̂ - b of a piece's nodes that are carried. */
static void add_lack(const TnPieceElements *p, const TnMeshSystem *system, const double *vhat,
                     double *forces)
{
    const TnSoftPiece *piece = p->piece;
    for (int a = 0; a < piece->node_count; a++)
        for (int c = 0; c < 3 && piece->hold[a] >= 0; c++)
            forces[3L * piece->hold[a] + c] -= p->f[a][c];
    for (int k = 0; k < p->pair_count; k++) {
        const double *E = system->blocks[p->pair_start + k];
        int a = p->pairs[k][0], b = p->pairs[k][1];
        if (piece->hold[a] >= 0)
            add_product(E, false, vhat + 3L * piece->nodes[b], forces + 3L * piece->hold[a]);
        if (a != b && piece->hold[b] >= 0)
            add_product(E, true, vhat + 3L * piece->nodes[a], forces + 3L * piece->hold[b]);
    }
}

void tn_soft_hold_forces(const TnSoftElements *elements, const TnSystems *systems, int soft,
                         const double *vhat, const double *outside, double *forces)
{
    const TnDivision *d = systems->division;
    for (int i = d->soft_piece[soft]; i < d->soft_piece[soft] + d->soft_piece_count[soft]; i++) {
        const TnSoftPiece *piece = &d->pieces[i];
        for (int a = 0; a < piece->node_count; a++)
            if (piece->hold[a] >= 0)
                v3_scale(forces + 3L * piece->hold[a], outside + 3L * piece->nodes[a], -1.0);
        int mesh = piece->block - d->dense_count - d->chain_count;
        add_lack(&elements->pieces[i], &systems->meshes[mesh], vhat, forces);
    }
}
