/* equality.c: connect, weld and joint equalities, C(q) = 0, as rows.
 *
 * C is linearized about the step's predicted motion q ⊕ t v̂₀, not at its start, where the rows
 * would push the constrained points outwards in every step and at θ = ½ feed energy into the
 * motion:
 *
 *     J v̂ + [(C(q ⊕ t v̂₀) - C(q))/t - J v̂₀] - γ J₀ v + θ s C(q)/t = 0,   s = option.stabilization.
 *
 * The bracket is zero for a C that is linear in q. J₀ v, with J at the start, is the part of the
 * start velocity that violates the constraint. At θ = ½ half of it goes into v̂, or it would ring
 * for ever (v⁺ = 2v̂ - v); from θ = ⅔ on the θ rule itself halves it in every step: γ = max(0, 2 -
 * 3θ).
 *
 * Where J is taken matters little for C, and is chosen such that free bodies keep their angular
 * momentum exactly. Over a step with force f at a point x, that of a body about the origin grows by
 * t x × f when its arm is x - (c + (1-θ) t v), c its centre of mass. Both bodies of an equality use
 * the same x. Trees have their axes in the middle of the predicted motion. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

static const double axes3[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double zero3[3] = {0, 0, 0};

/* e of the row from C at the start and where the prediction leads, J v̂₀ and J₀ v. */
static void close_row(const TnRowWriter *w, TnRow *row, double C, double C_end, double violation)
{
    double theta = w->in->theta, t = w->in->t, gamma = fmax(0.0, 2.0 - 3.0 * theta);
    row->e = (C_end - C) / t - w->rate - gamma * violation +
             theta * w->in->model->option.stabilization * C / t;
}

/* ---- the predicted motion ---- */

typedef struct Motion {
    TnLinkFrame *middle, *end; /* middle: of a free body only com is set, to c + (1-θ) t v */
    TnTreeAxes *axes;          /* in the middle */
    double (*twists)[6];       /* of free bodies: v̂₀ */
    double *qvel, *qpos;       /* of trees: v̂₀, and where it leads */
    bool *done;                /* per subsystem */
} Motion;

static bool alloc_motion(const TnConstraintInput *in, Motion *m)
{
    const TnModel *model = in->model;
    m->middle = TN_ARENA_NEW(in->arena, TnLinkFrame, model->link_count);
    m->end = TN_ARENA_NEW(in->arena, TnLinkFrame, model->link_count);
    m->axes = TN_ARENA_ZERO(in->arena, TnTreeAxes, model->tree_count);
    m->twists = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)model->link_count);
    m->qvel = TN_ARENA_NEW(in->arena, double, model->dof_count);
    m->qpos = TN_ARENA_NEW(in->arena, double, model->qpos_count);
    m->done = TN_ARENA_ZERO(in->arena, bool, model->subsystem_count);
    if (!m->middle || !m->end || !m->axes || !m->twists || !m->qvel || !m->qpos || !m->done)
        return false;
    m->middle[0] = m->end[0] = in->frames[0];
    return true;
}

static void move_rigid(const TnConstraintInput *in, int link, Motion *m)
{
    const TnLink *l = &in->model->links[link];
    const double *v = in->twists[link], *last = in->state->vhat + l->dof_start;
    double *vhat = m->twists[link], turn[3], arm[3];
    tn_predict_velocity(3, v, last, vhat);
    tn_predict_velocity(3, v + 3, last + 3, vhat + 3);
    v3_copy(m->middle[link].com, in->frames[link].com);
    v3_add_scaled(m->middle[link].com, v, (1.0 - in->theta) * in->t);
    TnLinkFrame *end = &m->end[link];
    *end = in->frames[link];
    v3_add_scaled(end->com, vhat, in->t);
    v3_scale(turn, vhat + 3, in->t);
    quat_cayley_world(end->quat, turn);
    quat_to_m3(end->rot, end->quat);
    m3_mul_v(arm, end->rot, l->com);
    v3_sub(end->pos, end->com, arm);
}

static bool move_tree(const TnConstraintInput *in, const TnSubsystem *sub, Motion *m)
{
    const TnModel *model = in->model;
    TnTreeAxes *axes = &m->axes[sub->kind_index];
    axes->S = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)sub->dof_count);
    if (!axes->S) return false;
    for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count; d++)
        tn_predict_velocity(1, in->state->qvel + d, in->state->vhat + d, m->qvel + d);
    tn_integrate_qpos(model, sub, in->state->qpos, m->qvel, 0.5 * in->t, m->qpos);
    tn_kinematics(model, m->qpos, sub->link_start, sub->link_count, m->middle);
    v3_copy(axes->origin, m->middle[sub->link_start].com);
    tn_tree_axes(model, sub, m->qpos, m->middle, axes->origin, axes->S);
    tn_integrate_qpos(model, sub, in->state->qpos, m->qvel, in->t, m->qpos);
    tn_kinematics(model, m->qpos, sub->link_start, sub->link_count, m->end);
    return true;
}

/* Moves the subsystem that carries a body. False: no memory. */
static bool move_body(const TnConstraintInput *in, int body, Motion *m)
{
    int link = in->model->bodies[body].link, s = in->model->links[link].subsystem;
    if (s < 0 || m->done[s]) return true;
    m->done[s] = true;
    const TnSubsystem *sub = &in->model->subsystems[s];
    if (sub->kind == TN_SUBSYSTEM_TREE) return move_tree(in, sub, m);
    move_rigid(in, link, m);
    return true;
}

/* ---- connect and weld ---- */

static void place_anchor(const TnModel *model, const TnLinkFrame *frames, int body,
                         const double local[3], double point[3])
{
    double pos[3], quat[4];
    tn_body_pose(model, frames, body, pos, quat);
    quat_rotate(point, quat, local);
    v3_add(point, point, pos);
}

static void point_velocity(const TnConstraintInput *in, int link, const double point[3],
                           double v[3])
{
    double arm[3];
    v3_sub(arm, point, in->frames[link].com);
    v3_cross(v, in->twists[link] + 3, arm);
    v3_add(v, v, in->twists[link]);
}

static void add_connect(TnRowWriter *w, const Motion *m, int index, const TnEquality *equality)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnPlace middle = {m->middle, m->axes, (const double(*)[6])m->twists, m->qvel};
    int link1 = model->bodies[equality->body1].link, link2 = model->bodies[equality->body2].link;
    double start1[3], start2[3], end1[3], end2[3], v1[3], v2[3], x[3];
    place_anchor(model, in->frames, equality->body1, equality->anchor1, start1);
    place_anchor(model, in->frames, equality->body2, equality->anchor2, start2);
    place_anchor(model, m->end, equality->body1, equality->anchor1, end1);
    place_anchor(model, m->end, equality->body2, equality->anchor2, end2);
    point_velocity(in, link1, start1, v1);
    point_velocity(in, link2, start2, v2);
    for (int k = 0; k < 3; k++) x[k] = 0.25 * (start1[k] + start2[k] + end1[k] + end2[k]);
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, k));
        tn_row_add_link(w, row, &middle, link2, x, axes3[k], zero3, 1.0);
        tn_row_add_link(w, row, &middle, link1, x, axes3[k], zero3, -1.0);
        close_row(w, row, start2[k] - start1[k], end2[k] - end1[k], v2[k] - v1[k]);
        tn_row_drop_if_empty(w, row);
    }
}

/* Orientation of body2 against the one that body1 prescribes, as a rotation vector in the world. */
static void turn_error(const TnModel *model, const TnLinkFrame *frames, const TnEquality *equality,
                       double error[3])
{
    double pos[3], quat1[4], quat2[4], target[4], difference[4];
    tn_body_pose(model, frames, equality->body1, pos, quat1);
    tn_body_pose(model, frames, equality->body2, pos, quat2);
    quat_mul(target, quat1, equality->relquat);
    quat_conjugate(target, target);
    quat_mul(difference, quat2, target);
    quat_to_rotvec(error, difference);
}

/* The rotation of a weld. Its velocity is ω₂ - ω₁ up to the error itself. */
static void add_turn(TnRowWriter *w, const Motion *m, int index, const TnEquality *equality)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnPlace middle = {m->middle, m->axes, (const double(*)[6])m->twists, m->qvel};
    int link1 = model->bodies[equality->body1].link, link2 = model->bodies[equality->body2].link;
    double start[3], end[3];
    turn_error(model, in->frames, equality, start);
    turn_error(model, m->end, equality, end);
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 3 + k));
        tn_row_add_link(w, row, &middle, link2, zero3, zero3, axes3[k], 1.0);
        tn_row_add_link(w, row, &middle, link1, zero3, zero3, axes3[k], -1.0);
        close_row(w, row, start[k], end[k], in->twists[link2][3 + k] - in->twists[link1][3 + k]);
        tn_row_drop_if_empty(w, row);
    }
}

/* ---- joints ---- */

static double polynomial(const double c[5], double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}

static double polynomial_slope(const double c[5], double x)
{
    return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
}

/* C = x1 - p(x2), or x1 - c0 where there is no second joint. */
static void add_joints(TnRowWriter *w, int index, const TnEquality *equality)
{
    const TnModel *model = w->in->model;
    const TnState *state = w->in->state;
    const double *c = equality->polycoef;
    const double t = w->in->t;
    const TnJoint *j1 = &model->joints[equality->joint1];
    double vhat[2], x1 = state->qpos[j1->qpos_start] - j1->ref, v1 = state->qvel[j1->dof_start];
    tn_predict_velocity(1, &v1, &state->vhat[j1->dof_start], &vhat[0]);
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 0));
    tn_row_add_dof(w, row, tn_subsystem_of_joint(model, j1), j1->dof_start, 1.0, vhat[0]);
    if (equality->joint2 < 0) {
        close_row(w, row, x1 - c[0], x1 + t * vhat[0] - c[0], v1);
        return;
    }
    const TnJoint *j2 = &model->joints[equality->joint2];
    double x2 = state->qpos[j2->qpos_start] - j2->ref, v2 = state->qvel[j2->dof_start];
    tn_predict_velocity(1, &v2, &state->vhat[j2->dof_start], &vhat[1]);
    tn_row_add_dof(w, row, tn_subsystem_of_joint(model, j2), j2->dof_start,
                   -polynomial_slope(c, x2 + 0.5 * t * vhat[1]), vhat[1]);
    close_row(w, row, x1 - polynomial(c, x2), x1 + t * vhat[0] - polynomial(c, x2 + t * vhat[1]),
              v1 - polynomial_slope(c, x2) * v2);
}

bool tn_constraint_add_equalities(TnRowWriter *w)
{
    const TnModel *model = w->in->model;
    Motion motion = {0};
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *equality = &model->equalities[i];
        if (!equality->active) continue;
        if (equality->type == TN_EQUALITY_JOINT) {
            add_joints(w, i, equality);
            continue;
        }
        if (!motion.done && !alloc_motion(w->in, &motion)) return false;
        if (!move_body(w->in, equality->body1, &motion) ||
            !move_body(w->in, equality->body2, &motion))
            return false;
        add_connect(w, &motion, i, equality);
        if (equality->type == TN_EQUALITY_WELD) add_turn(w, &motion, i, equality);
    }
    return true;
}
