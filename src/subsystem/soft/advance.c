/* advance.c: the nodes' new state from v̂. Each node takes the impulse that the linear system gave
 * it. The elements' forces balance where they were taken, at the expected end, which leaves a
 * torque of second order on the body as a whole; account/balance.c takes it off. */
#include "elements.h"

#include <math.h>
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
        const double *u = x + 3 * (size_t)input->systems->division->tree_node[sub->kind_index];
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < sub->dof_count; d++) v[k] += T[k * sub->dof_count + d] * u[d];
    }
}

void tn_soft_velocity(const TnSoftInput *input, int soft, double *const *block_v, double *vhat)
{
    const TnDivision *d = input->systems->division;
    const TnSoft *body = &input->in->model->softs[soft];
    bool whole = d->soft_piece_count[soft] == 1;
    memset(vhat, 0, sizeof(double[3]) * (size_t)body->node_count);
    for (int i = d->soft_piece[soft]; i < d->soft_piece[soft] + d->soft_piece_count[soft]; i++) {
        const TnSoftPiece *piece = &d->pieces[i];
        for (int a = 0; a < piece->node_count; a++) {
            double v[3], *to = vhat + 3 * (size_t)piece->nodes[a];
            piece_velocity(input, &input->systems->softs[soft], piece, block_v[piece->block], a, v);
            if (whole)
                v3_copy(to, v);
            else
                v3_add_scaled(to, v,
                              input->elements->pieces[i].mass[a] / body->masses[piece->nodes[a]]);
        }
    }
}

/* v⁺ of a body that is moved by v⁺ and turns is the mean over its way: what that lacks of the
 * velocity at its end is a spurious stretching, which stiff elements would fight in the next step.
 */
static void turn_on(const TnSoftInput *input, const TnSoftSystem *s, const TnSoft *body,
                    double *v_end)
{
    const double *x = input->in->qpos + body->qpos_start;
    double share = tn_soft_way_velocity(input->in, s->w), t = input->in->t;
    TnSoftStep step;
    if (share == 0.0) return;
    tn_soft_whole_motion(body, x, s->way, t, &step);
    for (int n = 0; n < body->node_count; n++) {
        double whole[3], turn[3];
        tn_soft_whole_velocity(&step, x + 3 * n, s->way + 3 * n, t, whole, turn);
        if (!body->pinned[n]) v3_add_scaled(v_end + 3 * n, turn, -share);
    }
}

/* A part of the way: the body as a whole goes and turns by `reach`, and in its own axes each node
 * goes by reach · strain of what is left. On straight ways a body that turns would be squeezed. */
static void go_part_of_the_way(const TnSoft *body, const double *x, const double *way, double t,
                               double reach, double strain, double *x_end)
{
    TnSoftStep step;
    double Q[9], centre[3], start[3];
    tn_soft_whole_motion(body, x, way, t, &step);
    v3_copy(start, step.centre);
    v3_add_scaled(start, step.mean, -0.5 * t);
    v3_copy(centre, start);
    v3_add_scaled(centre, step.mean, reach * t);
    double half = 0.5 * t * v3_norm(step.omega), quat[4] = {1.0, 0.0, 0.0, 0.0}, axis[3];
    if (half > 0.0) {
        v3_scale(axis, step.omega, 0.5 * t / half);
        quat_from_axis_angle(quat, axis, 2.0 * reach * atan(half));
    }
    quat_to_m3(Q, quat);
    for (int n = 0; n < body->node_count; n++) {
        double arm[3], end[3], own[3];
        if (body->pinned[n]) continue;
        v3_sub(arm, x + 3 * n, start);
        for (int k = 0; k < 3; k++) end[k] = arm[k] + t * (way[3 * n + k] - step.mean[k]);
        m3_tmul_v(own, step.turn, end);
        for (int k = 0; k < 3; k++) own[k] = arm[k] + reach * strain * (own[k] - arm[k]);
        m3_mul_v(end, Q, own);
        v3_add(x_end + 3 * n, centre, end);
    }
}

void tn_soft_advance(const TnSoftInput *input, int soft, const double *vhat, double reach,
                     double strain, double *qpos, double *qvel)
{
    const TnDynamicsInput *in = input->in;
    const TnSoft *body = &in->model->softs[soft];
    const double *x = in->qpos + body->qpos_start, *v = in->qvel + body->dof_start;
    double *x_end = qpos + body->qpos_start, *v_end = qvel + body->dof_start;
    const TnSoftSystem *s = &input->systems->softs[soft];
    TnReach way = tn_reach(in, s->w);
    for (int k = 0; k < 3 * body->node_count; k++) {
        bool pinned = body->pinned[k / 3];
        s->way[k] = pinned ? 0.0 : (way.p * vhat[k] - way.r * v[k]) / in->t;
        v_end[k] = pinned ? 0.0 : v[k] + (vhat[k] - v[k]) / in->theta;
        x_end[k] = x[k] + in->t * s->way[k];
    }
    if (reach < 1.0 || strain < 1.0)
        go_part_of_the_way(body, x, s->way, in->t, reach, strain, x_end);
    turn_on(input, s, body, v_end);
}
