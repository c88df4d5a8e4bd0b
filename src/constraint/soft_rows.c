/* soft_rows.c: what holds nodes of soft bodies by iteration, three equality rows each along the
 * world's axes:
 *   - followers of a tree's link that are not carried: v̂ = T q̇̂, the same as if they were;
 *   - holds by other links and ties of soft bodies to each other, which bring back what drifts as
 * equality.c does;
 *   - ties of the copies of a node where the pieces of one body meet. They are one node in the
 * state and cannot drift. */
#include "rows.h"

#include <string.h>

#include "../math/vec3.h"

static const double axes3[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double zero3[3] = {0, 0, 0};

bool tn_soft_hold_carried(const TnDivision *d, int soft, const TnSoftHold *hold)
{
    return d->pieces[d->node_piece[soft][hold->node]].hold[d->node_place[soft][hold->node]] >= 0;
}

/* Entries that a node may have. */
static int node_entries(const TnConstraintInput *in, int soft, int node)
{
    const TnDivision *d = in->division;
    const TnSoftPiece *piece = &d->pieces[d->node_piece[soft][node]];
    int hold = piece->hold[d->node_place[soft][node]];
    if (hold < 0) return 3;
    return tn_part_of_link(in->model, in->model->softs[soft].holds[hold].link)->dof_count;
}

static bool is_asleep(const TnConstraintInput *in, int soft)
{
    return in->state->asleep[in->model->softs[soft].subsystem] != 0;
}

void tn_constraint_count_softs(const TnConstraintInput *in, TnRowCounts *n)
{
    const TnModel *model = in->model;
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++) {
            const TnSoftHold *hold = &model->softs[s].holds[h];
            if (is_asleep(in, s) || tn_soft_hold_carried(in->division, s, hold)) continue;
            n->rows += 3;
            n->sides += 6;
            n->entries += 3 * (3 + tn_dim_of_link(in, hold->link));
        }
    for (int i = 0; i < model->tie_count; i++) {
        const TnTie *tie = &model->ties[i];
        if (is_asleep(in, tie->soft1)) continue;
        int entries = node_entries(in, tie->soft1, tie->node1);
        for (int k = 0; k < 4; k++) entries += node_entries(in, tie->soft2, tie->node2[k]);
        n->rows += 3;
        n->sides += 6;
        n->entries += 3 * entries;
    }
    n->rows += 3 * in->division->piece_tie_count;
    n->sides += 6 * in->division->piece_tie_count;
    n->entries += 18 * in->division->piece_tie_count;
}

/* ---- sides ---- */

/* Scale of the weights of rows on soft bodies; those between the pieces of one have a scale of 1
 * (docs/solver.md, meshes). */
#define SOFT_ROW_SCALE 0.2

static TnRowSide *open_side(TnRowWriter *w, TnRow *row, int block)
{
    row->scale = SOFT_ROW_SCALE;
    TnRowSide *side = &w->set->problem.sides[w->side++];
    *side = (TnRowSide){.block = w->set->problem.twist_count + block, .start = w->entry};
    row->side_count++;
    return side;
}

static void add_entry(TnRowWriter *w, TnRowSide *side, int unknown, double coefficient)
{
    TnProblem *p = &w->set->problem;
    for (int e = side->start; e < side->start + side->count; e++)
        if (p->index[e] == unknown) {
            p->coefficient[e] += coefficient;
            return;
        }
    p->index[w->entry] = unknown;
    p->coefficient[w->entry++] = coefficient;
    side->count++;
}

/* sign · weight · component `axis` of the velocity of a piece's node */
static void add_node(TnRowWriter *w, TnRowSide *side, const TnSoftPiece *piece, int place, int axis,
                     double weight)
{
    const TnConstraintInput *in = w->in;
    const TnSoft *soft = &in->model->softs[piece->soft];
    const TnSoftSystem *system = &in->systems->softs[piece->soft];
    int node = piece->nodes[place], hold = piece->hold[place];
    double x = in->state->qpos[soft->qpos_start + 3 * node + axis];
    w->shift += weight * in->state->qvel[soft->dof_start + 3 * node + axis];
    w->rate += weight * (system->end[3 * node + axis] - x) / in->t;
    w->size += weight * weight;
    if (piece->block_node[place] >= 0)
        add_entry(w, side, 3 * piece->block_node[place] + axis, weight);
    if (hold < 0) return;
    const TnSubsystem *sub = tn_part_of_link(in->model, soft->holds[hold].link);
    const double *T = system->holds[hold].T + (long)axis * sub->dof_count;
    int first = 3 * in->division->tree_node[sub->kind_index];
    for (int k = 0; k < sub->dof_count; k++) add_entry(w, side, first + k, weight * T[k]);
}

static void close_side(TnRowWriter *w, TnRow *row, const TnRowSide *side)
{
    if (side->count) return;
    row->side_count--; /* all of it pinned */
    w->side--;
}

/* The first piece that has all of the nodes, which are corners of one tetrahedron. */
static const TnSoftPiece *piece_with(const TnDivision *d, int soft, int count, const int *nodes)
{
    const TnSoftPiece *piece = &d->pieces[d->node_piece[soft][nodes[0]]];
    for (int k = 0; k < count; k++) {
        if (piece->nodes[tn_soft_piece_node(piece, nodes[k])] == nodes[k]) continue;
        piece++;
        k = -1;
    }
    return piece;
}

static void add_soft_side(TnRowWriter *w, TnRow *row, int soft, int count, const int *nodes,
                          const double *weights, int axis, double sign)
{
    const TnSoftPiece *piece = piece_with(w->in->division, soft, count, nodes);
    TnRowSide *side = open_side(w, row, piece->block);
    for (int k = 0; k < count; k++)
        add_node(w, side, piece, tn_soft_piece_node(piece, nodes[k]), axis, sign * weights[k]);
    close_side(w, row, side);
}

/* ---- rows ---- */

static const double *place_of(const double *x, int node) { return x + 3L * node; }

static void add_hold(TnRowWriter *w, const TnMotion *m, double eta, int soft_index, int hold_index)
{
    const TnConstraintInput *in = w->in;
    const TnSoft *soft = &in->model->softs[soft_index];
    const TnSoftHold *hold = &soft->holds[hold_index];
    const TnPlace place = {m->at, m->axes, (const double(*)[6])m->twists, m->qvel};
    const double *x = place_of(in->state->qpos + soft->qpos_start, hold->node),
                 *x_end = place_of(in->systems->softs[soft_index].end, hold->node),
                 *v = place_of(in->state->qvel + soft->dof_start, hold->node);
    double start[3], end[3], point[3], velocity[3], arm[3], one = 1.0;
    const TnLinkFrame *frame = &in->frames[hold->link], *after = &m->end[hold->link];
    m3_mul_v(start, frame->rot, hold->pos);
    v3_add(start, start, frame->pos);
    m3_mul_v(end, after->rot, hold->pos);
    v3_add(end, end, after->pos);
    v3_sub(arm, start, frame->com);
    v3_cross(velocity, in->twists[hold->link] + 3, arm);
    v3_add(velocity, velocity, in->twists[hold->link]);
    for (int k = 0; k < 3; k++)
        point[k] = 0.5 * (eta * (start[k] + x[k]) + (1.0 - eta) * (end[k] + x_end[k]));
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY,
                                  tn_row_slot_hold(in->model, soft_index, hold_index, k));
        tn_row_add_link(w, row, &place, hold->link, point, axes3[k], zero3, -1.0);
        add_soft_side(w, row, soft_index, 1, &hold->node, &one, k, 1.0);
        tn_row_close_equality(w, row, eta,
                              (TnViolation){x[k] - start[k], x_end[k] - end[k], w->rate,
                                            v[k] - velocity[k], v3_distance(x, start), false});
        tn_row_drop_if_empty(w, row);
    }
}

/* v̂ of a node - T q̇̂ = 0: nothing to bring back, since followers are put where their links are. */
static void add_follower(TnRowWriter *w, int soft_index, int hold_index)
{
    const TnConstraintInput *in = w->in;
    const TnSoftHold *hold = &in->model->softs[soft_index].holds[hold_index];
    const TnSubsystem *sub = tn_part_of_link(in->model, hold->link);
    const double *T = in->systems->softs[soft_index].holds[hold_index].T, one = 1.0;
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY,
                                  tn_row_slot_hold(in->model, soft_index, hold_index, k));
        for (int d = 0; d < sub->dof_count; d++)
            tn_row_add_dof(w, row, sub, sub->dof_start + d, -T[k * sub->dof_count + d]);
        add_soft_side(w, row, soft_index, 1, &hold->node, &one, k, 1.0);
    }
}

static void add_tie(TnRowWriter *w, double eta, int index)
{
    const TnConstraintInput *in = w->in;
    const TnTie *tie = &in->model->ties[index];
    const TnSoft *soft1 = &in->model->softs[tie->soft1], *soft2 = &in->model->softs[tie->soft2];
    const double *x1 = place_of(in->state->qpos + soft1->qpos_start, tie->node1),
                 *e1 = place_of(in->systems->softs[tie->soft1].end, tie->node1);
    double one = 1.0, x2[3] = {0}, e2[3] = {0};
    for (int k = 0; k < 4; k++) {
        v3_add_scaled(x2, place_of(in->state->qpos + soft2->qpos_start, tie->node2[k]),
                      tie->weight[k]);
        v3_add_scaled(e2, place_of(in->systems->softs[tie->soft2].end, tie->node2[k]),
                      tie->weight[k]);
    }
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_tie(in->model, index, k));
        add_soft_side(w, row, tie->soft1, 1, &tie->node1, &one, k, 1.0);
        add_soft_side(w, row, tie->soft2, 4, tie->node2, tie->weight, k, -1.0);
        tn_row_close_equality(w, row, eta,
                              (TnViolation){x1[k] - x2[k], e1[k] - e2[k], w->rate, w->shift,
                                            v3_distance(x1, x2), false});
        tn_row_drop_if_empty(w, row);
    }
}

static void add_piece_tie(TnRowWriter *w, int index)
{
    const TnConstraintInput *in = w->in;
    const TnPieceTie *tie = &in->division->piece_ties[index];
    const TnSoftPiece *a = &in->division->pieces[tie->piece_a],
                      *b = &in->division->pieces[tie->piece_b];
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, in->state->row_lambda_count + 3 * index + k);
        add_node(w, open_side(w, row, a->block), a, tie->node_a, k, 1.0);
        add_node(w, open_side(w, row, b->block), b, tie->node_b, k, -1.0);
        row->scale = 1.0;
    }
}

bool tn_constraint_add_softs(TnRowWriter *w)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    TnMotion motion = {0};
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++) {
            const TnSoftHold *hold = &model->softs[s].holds[h];
            double eta = in->theta;
            if (is_asleep(in, s) || tn_soft_hold_carried(in->division, s, hold)) continue;
            if (in->systems->softs[s].holds[h].T) {
                add_follower(w, s, h);
                continue;
            }
            if (!motion.eta && !tn_motion_init(in, &motion)) return false;
            if (!tn_motion_of_body(in, model->links[hold->link].body, &motion, &eta)) return false;
            add_hold(w, &motion, motion.eta[model->softs[s].subsystem], s, h);
        }
    for (int i = 0; i < model->tie_count; i++) {
        if (is_asleep(in, model->ties[i].soft1)) continue;
        if (!motion.eta && !tn_motion_init(in, &motion)) return false;
        add_tie(w, motion.eta[model->softs[model->ties[i].soft1].subsystem], i);
    }
    for (int i = 0; i < in->division->piece_tie_count; i++)
        if (!tn_piece_tie_asleep(in, i)) add_piece_tie(w, i);
    return true;
}

/* Subsystems that a hold or a tie joins share the larger number; true where something changed. */
static bool share(double *blend, int a, int b)
{
    if (blend[a] == blend[b]) return false;
    blend[a] = blend[b] = blend[a] > blend[b] ? blend[a] : blend[b];
    return true;
}

bool tn_constraint_share_softs(const TnModel *model, double *blend)
{
    bool changed = false;
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++)
            changed |= share(blend, model->softs[s].subsystem,
                             model->links[model->softs[s].holds[h].link].subsystem);
    for (int i = 0; i < model->tie_count; i++)
        changed |= share(blend, model->softs[model->ties[i].soft1].subsystem,
                         model->softs[model->ties[i].soft2].subsystem);
    return changed;
}
