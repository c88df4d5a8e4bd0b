/* advance.c: the nodes' new state from v̂.
 *
 * Each node takes the impulse that the linear system gave it, so linear momentum is balanced to rounding. As
 * for rods (rod/advance.c), the angular momentum Σ x × M v of a step changes by
 *     Σ (x + c t v̂) × M (v⁺ - v),   c = (1-θ)(1-w),
 * while the elements' forces balance where they were taken, at the expected end. The torque that is left, of second
 * order in the change of velocity, is given back in free flight as a rigid turn of the body about its centre of mass:
 * v⁺ += ω × (x⁺ - c). That keeps linear momentum and makes angular momentum exact; what it adds is the spin that the
 * body had before the step, whatever it is, so it needs no bound. */
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

/* out = M v of the whole body. */
static void momentum(const TnSoftInput *input, int soft, const double *v, double *out)
{
    const TnDivision *d = input->division;
    const TnSoft *body = &input->in->model->softs[soft];
    size_t n = 3 * (size_t)body->node_count;
    if (!body->consistent_mass) {
        for (size_t k = 0; k < n; k++) out[k] = body->masses[k / 3] * v[k];
        return;
    }
    memset(out, 0, sizeof(double) * n);
    for (int i = d->soft_piece[soft]; i < d->soft_piece[soft] + d->soft_piece_count[soft]; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++)
            v3_copy(p->x[a], v + 3 * (size_t)p->piece->nodes[a]);
        memset(p->y, 0, sizeof *p->y * (size_t)p->piece->node_count);
        tn_piece_add_mass(p, true, 1.0, (const double(*)[4])p->x, p->y);
        for (int a = 0; a < p->piece->node_count; a++) {
            double *to = out + 3 * (size_t)p->piece->nodes[a];
            v3_add(to, to, p->y[a]);
        }
    }
}

/* Two vectors, for a body in free flight. */
typedef struct Scratch {
    double *a, *b;
} Scratch;

/* What the elements did to the body as a whole in a step: t times their force, which is rounding, and t times their
 * torque about `at`, which is where the first node was half way: the numbers stay small far from the origin. */
typedef struct Left {
    double force[3], torque[3], at[3];
} Left;

/* What the nodes got beyond given forces, at the levers x + c t v̂. */
static void what_is_left(const TnSoftInput *input, const TnSoftSystem *s, int soft,
                         const double *vhat, const double *v_end, Scratch work, Left *left)
{
    const TnDynamicsInput *in = input->in;
    const TnSoft *body = &in->model->softs[soft];
    const double *x = in->qpos + body->qpos_start, *v = in->qvel + body->dof_start;
    const double *g = in->model->option.gravity;
    double t = in->t, ct = (1.0 - in->theta) * (1.0 - s->w) * t;
    TnSoftWeights w = tn_soft_weights(in, body, input->elements->rates[soft], s->w, 0.0);
    for (int k = 0; k < 3 * body->node_count; k++)
        work.a[k] = v_end[k] - v[k] + t * (w.drag * vhat[k] + w.drag_start * v[k] - g[k % 3]);
    momentum(input, soft, work.a, work.b);
    *left = (Left){.at = {x[0] + ct * vhat[0], x[1] + ct * vhat[1], x[2] + ct * vhat[2]}};
    for (int n = 0; n < body->node_count; n++) {
        double lever[3], part[3], f[3];
        for (int k = 0; k < 3; k++) {
            lever[k] = x[3 * n + k] - x[k] + ct * (vhat[3 * n + k] - vhat[k]);
            f[k] = work.b[3 * n + k];
            if (input->forces) f[k] -= t * input->forces[body->dof_start + 3 * n + k];
        }
        v3_cross(part, lever, f);
        v3_add(left->force, left->force, f);
        v3_add(left->torque, left->torque, part);
    }
}

/* Takes it from the body: a push at its centre of mass, and a turn. */
static void give_back(const TnSoftInput *input, int soft, const Left *left, const double *x,
                      double *v, Scratch work)
{
    const TnSoft *body = &input->in->model->softs[soft];
    double centre[3] = {0.0}, second[9] = {0.0}, I[9], omega[3], arm[3], torque[3];
    for (int n = 0; n < body->node_count; n++)
        v3_add_scaled(centre, x + 3 * n, body->masses[n] / body->mass);
    for (int n = 0; n < body->node_count; n++) {
        v3_add_scaled(v + 3 * n, left->force, -1.0 / body->mass);
        v3_sub(work.a + 3 * n, x + 3 * n, centre);
    }
    v3_sub(arm, centre, left->at);
    v3_cross(torque, arm, left->force); /* what the push took along */
    v3_sub(torque, torque, left->torque);
    momentum(input, soft, work.a, work.b);
    for (int n = 0; n < body->node_count; n++)
        for (int k = 0; k < 9; k++) second[k] += work.a[3 * n + k / 3] * work.b[3 * n + k % 3];
    double trace = second[0] + second[4] + second[8];
    for (int k = 0; k < 9; k++) I[k] = (k % 4 ? 0.0 : trace) - second[k];
    if (!tn_soft_solve3(I, torque, omega)) return;
    for (int n = 0; n < body->node_count; n++) {
        double add[3];
        v3_cross(add, omega, work.a + 3 * n);
        v3_add(v + 3 * n, v + 3 * n, add);
    }
}

void tn_soft_advance(const TnSoftInput *input, const TnSoftSystem *softs, int soft,
                     const double *vhat, double *qpos, double *qvel)
{
    const TnDynamicsInput *in = input->in;
    const TnSoft *body = &in->model->softs[soft];
    const TnSoftSystem *s = &softs[soft];
    const double *x = in->qpos + body->qpos_start, *v = in->qvel + body->dof_start;
    double *x_end = qpos + body->qpos_start, *v_end = qvel + body->dof_start;
    double p = in->t * (1.0 - s->w + s->w / in->theta),
           r = in->t * s->w * (1.0 - in->theta) / in->theta;
    for (int k = 0; k < 3 * body->node_count; k++) {
        bool pinned = body->pinned[k / 3];
        double start = v[k]; /* v_end may be v */
        v_end[k] = pinned ? 0.0 : start + (vhat[k] - start) / in->theta;
        x_end[k] = pinned ? x[k] : x[k] + p * vhat[k] - r * start;
    }
    if (!s->alone) return; /* others take momentum anyway, and what is held must not be turned */
    Left left;
    Scratch work = {s->expected, s->end}; /* done with */
    what_is_left(input, s, soft, vhat, v_end, work, &left);
    give_back(input, soft, &left, x_end, v_end, work);
}
