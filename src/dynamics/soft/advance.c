/* advance.c: the nodes' new state from v̂. Each node takes the impulse that the linear system gave it. The elements' forces
 * balance where they were taken, at the expected end, which leaves a torque of second order on the body as a whole;
 * step/balance.c takes it off. */
#include "elements.h"

#include <string.h>

#include "../../math/vec3.h"

/* Copies of a node count by their masses, so that what keeps them together takes no momentum. */
static void piece_velocity(const TnSoftInput *input, const TnSoftSystem *s,
                           const TnSoftPiece *piece, const double *x, int a, double v[3])
{
    const TnModel *model = input->in->model;
    v3_set(v, 0.0, 0.0, 0.0);
    if (piece->block_node[a] >= 0) {
        v3_copy(v, x + 3 * (size_t)piece->block_node[a]);
    } else if (piece->hold[a] >= 0) {
        const TnSoftHold *hold = &model->softs[piece->soft].holds[piece->hold[a]];
        const TnSubsystem *sub = tn_part_of_link(model, hold->link);
        const double *T = s->holds[piece->hold[a]].T;
        const double *u = x + 3 * (size_t)input->division->tree_node[sub->kind_index];
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < sub->dof_count; d++) v[k] += T[k * sub->dof_count + d] * u[d];
    }
}

void tn_soft_velocity(const TnSoftInput *input, const TnSoftSystem *softs, int soft,
                      double *const *block_v, double *vhat)
{
    const TnDivision *d = input->division;
    const TnSoft *body = &input->in->model->softs[soft];
    bool whole = d->soft_piece_count[soft] == 1;
    memset(vhat, 0, sizeof(double[3]) * (size_t)body->node_count);
    for (int i = d->soft_piece[soft]; i < d->soft_piece[soft] + d->soft_piece_count[soft]; i++) {
        const TnSoftPiece *piece = &d->pieces[i];
        for (int a = 0; a < piece->node_count; a++) {
            double v[3], *to = vhat + 3 * (size_t)piece->nodes[a];
            piece_velocity(input, &softs[soft], piece, block_v[piece->block], a, v);
            if (whole)
                v3_copy(to, v);
            else
                v3_add_scaled(to, v,
                              input->elements->pieces[i].mass[a] / body->masses[piece->nodes[a]]);
        }
    }
}

/* v⁺ of a body that is moved by v⁺ and turns is the mean over its way: what that lacks of the velocity at its end is a
 * spurious stretching, which stiff elements would fight in the next step. */
static void turn_on(const TnSoftInput *input, const TnSoftSystem *s, const TnSoft *body,
                    const double *vhat, double *v_end)
{
    const double *x = input->in->qpos + body->qpos_start, *v = input->in->qvel + body->dof_start;
    double share = tn_soft_way_velocity(input->in, s->w), t = input->in->t;
    TnReach way = tn_reach(input->in, s->w);
    TnSoftStep step;
    if (share == 0.0) return;
    for (int k = 0; k < 3 * body->node_count; k++) s->way[k] = (way.p * vhat[k] - way.r * v[k]) / t;
    tn_soft_whole_motion(body, x, s->way, t, &step);
    for (int n = 0; n < body->node_count; n++) {
        double whole[3], turn[3];
        tn_soft_whole_velocity(&step, x + 3 * n, s->way + 3 * n, t, whole, turn);
        if (!body->pinned[n]) v3_add_scaled(v_end + 3 * n, turn, -share);
    }
}

void tn_soft_advance(const TnSoftInput *input, const TnSoftSystem *softs, int soft,
                     const double *vhat, double reach, double *qpos, double *qvel)
{
    const TnDynamicsInput *in = input->in;
    const TnSoft *body = &in->model->softs[soft];
    const double *x = in->qpos + body->qpos_start, *v = in->qvel + body->dof_start;
    double *x_end = qpos + body->qpos_start, *v_end = qvel + body->dof_start;
    TnReach way = tn_reach(in, softs[soft].w);
    for (int k = 0; k < 3 * body->node_count; k++) {
        bool pinned = body->pinned[k / 3];
        v_end[k] = pinned ? 0.0 : v[k] + (vhat[k] - v[k]) / in->theta;
        x_end[k] = pinned ? x[k] : x[k] + reach * (way.p * vhat[k] - way.r * v[k]);
    }
    turn_on(input, &softs[soft], body, vhat, v_end);
}
