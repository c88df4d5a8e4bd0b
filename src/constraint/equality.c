/* equality.c: connect, weld and joint equalities, C(q) = 0, as rows.
 *
 * A subsystem moves by t u, u = (1-η) v + η v⁺: u is v̂ and η = θ where nothing pushes it, u is v⁺
 * and η = 1 where contacts do (blend.c). C is
 * linearized about the predicted motion q ⊕ t u₀, not at its start, where the rows would push the
 * constrained points outwards in every step and at θ = ½ feed energy into the motion:
 *
 *     J u + [(C(q ⊕ t u₀) - C(q))/t - J u₀] - γ J₀ v + η r(C) = 0,
 *
 * with r = s C/t, s = option.stabilization, for large C less (tn_way_out).
 *
 * The bracket is zero for a C that is linear in q. J₀ v, with J at the start, is the part of the
 * start velocity that violates the constraint. At η = ½ half of it goes into u, or it would ring
 * for ever (v⁺ = 2v̂ - v); from η = ⅔ on the rule itself halves it in every step. So
 * γ = max(0, 2 - 3η). The row is written for v̂, with u = κ v̂ + (1-κ) v, κ = η/θ.
 *
 * Curved equalities of joints and tendons (exact) are closed in full at the step's end instead,
 *
 *     J u + [(C(q ⊕ t u₀) - C(q))/t - J u₀] + C/t = 0,
 *
 * and what is left of J v there is taken out afterwards (equality_drift.c): J₀ v of smooth motion
 * is t² J̇ v̇/2, which the rule above would let open them by.
 *
 * Where J is taken matters little for C. It is taken at q ⊕ (1-η) t u₀, for then free bodies keep
 * their angular momentum exactly: over a step with a force f at a point x, that of a body about the
 * origin grows by t x × f when its arm is x - (c + (1-η) t v), c its centre of mass. Both bodies of
 * an equality use the same x. (η = 1 is then the SHAKE scheme.) */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

static const double axes3[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double zero3[3] = {0, 0, 0};

/* e of a row whose J v, v at the step's start, is `shift`. size: of what it joins; lever: m per
 * unit of C. *closes: what of J u undoes C. */
static double close_law(const TnConstraintInput *in, double shift, double eta, double size,
                        double lever, TnViolation x, double *closes)
{
    const TnOption *option = &in->model->option;
    double t = in->t, kappa = eta / in->theta, gamma = fmax(0.0, 2.0 - 3.0 * eta);
    double length = x.length > 0.0 ? x.length : fabs(x.C);
    double out = tn_way_out(length, v3_norm(option->gravity) / lever, size / lever, t,
                            x.exact ? 1.0 : option->stabilization);
    out = length > 0.0 ? out * (x.C / length) : 0.0; /* straight back */
    double curve = (x.C_end - x.C) / t - x.rate;
    double e = x.exact ? curve + out : curve - gamma * x.start_rate + eta * out;
    *closes = x.exact ? -out : -eta * out;
    return (e + (1.0 - kappa) * shift) / kappa;
}

void tn_row_close_equality(const TnRowWriter *w, TnRow *row, double eta, TnViolation x)
{
    double *closes = &w->set->row_close[row - w->set->problem.rows];
    row->e = close_law(w->in, w->shift, eta, fmin(w->lever, 1e30), tn_row_lever(row), x, closes) +
             w->drive;
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

/* Velocity at the step's start. That of a mocap body is the mean of the steps before and behind:
 * what follows its path is not late. */
static void start_twist(const TnConstraintInput *in, int link, double out[6])
{
    memcpy(out, in->twists[link], sizeof(double[6]));
    if (!tn_link_is_mocap(in->model, link)) return;
    const double *last = in->state->mocap_twist + 6 * (link - 1);
    for (int k = 0; k < 6; k++) out[k] = 0.5 * (out[k] + last[k]);
}

static void point_velocity(const TnConstraintInput *in, int link, const double point[3],
                           double v[3])
{
    double arm[3], twist[6];
    start_twist(in, link, twist);
    v3_sub(arm, point, in->frames[link].com);
    v3_cross(v, twist + 3, arm);
    v3_add(v, v, twist);
}

/* Where its force acts. Between links of one tree it is where the anchors are, with J of the same
 * place: of links that a joint there joins anyway, nothing is left of J. */
static void acts_at(const TnConstraintInput *in, const TnMotion *m, double eta, const TnEquality *e,
                    const double start[2][3], const double end[2][3], double x[3])
{
    const TnModel *model = in->model;
    int s = model->links[model->bodies[e->body1].link].subsystem,
        other = model->links[model->bodies[e->body2].link].subsystem;
    double middle[2][3];
    for (int k = 0; k < 3; k++)
        x[k] = 0.5 * (eta * (start[0][k] + start[1][k]) + (1.0 - eta) * (end[0][k] + end[1][k]));
    if (s != other || s < 0 || model->subsystems[s].kind != TN_SUBSYSTEM_TREE) return;
    place_anchor(model, m->at, e->body1, e->anchor1, middle[0]);
    place_anchor(model, m->at, e->body2, e->anchor2, middle[1]);
    for (int k = 0; k < 3; k++) x[k] = 0.5 * (middle[0][k] + middle[1][k]);
}

static void add_connect(TnRowWriter *w, const TnMotion *m, double eta, int index,
                        const TnEquality *equality)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnPlace place = {m->at, m->axes, (const double(*)[6])m->twists, m->qvel};
    int link1 = model->bodies[equality->body1].link, link2 = model->bodies[equality->body2].link;
    double start[2][3], end[2][3], v1[3], v2[3], x[3];
    place_anchor(model, in->frames, equality->body1, equality->anchor1, start[0]);
    place_anchor(model, in->frames, equality->body2, equality->anchor2, start[1]);
    place_anchor(model, m->end, equality->body1, equality->anchor1, end[0]);
    place_anchor(model, m->end, equality->body2, equality->anchor2, end[1]);
    point_velocity(in, link1, start[0], v1);
    point_velocity(in, link2, start[1], v2);
    acts_at(in, m, eta, equality, (const double(*)[3])start, (const double(*)[3])end, x);
    double length = v3_distance(start[0], start[1]);
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, k));
        tn_row_add_link(w, row, &place, link2, x, axes3[k], zero3, 1.0);
        tn_row_add_link(w, row, &place, link1, x, axes3[k], zero3, -1.0);
        tn_row_close_equality(w, row, eta,
                              (TnViolation){start[1][k] - start[0][k], end[1][k] - end[0][k],
                                            w->rate, v2[k] - v1[k], length, false});
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
static void add_turn(TnRowWriter *w, const TnMotion *m, double eta, int index,
                     const TnEquality *equality)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnPlace place = {m->at, m->axes, (const double(*)[6])m->twists, m->qvel};
    int link1 = model->bodies[equality->body1].link, link2 = model->bodies[equality->body2].link;
    double start[3], end[3], v1[6], v2[6];
    start_twist(in, link1, v1);
    start_twist(in, link2, v2);
    turn_error(model, in->frames, equality, start);
    turn_error(model, m->end, equality, end);
    for (int k = 0; k < 3; k++) {
        TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 3 + k));
        tn_row_add_link(w, row, &place, link2, zero3, zero3, axes3[k], 1.0);
        tn_row_add_link(w, row, &place, link1, zero3, zero3, axes3[k], -1.0);
        double start_rate = v2[3 + k] - v1[3 + k];
        tn_row_set_lever(w, row);
        tn_row_close_equality(
            w, row, eta,
            (TnViolation){start[k], end[k], w->rate, start_rate, v3_norm(start), false});
        tn_row_drop_if_empty(w, row);
    }
}

/* ---- welds of segments that are iterated ---- */

/* The predicted velocity of a link: of a tree from its dofs. */
static void predicted_twist(const TnConstraintInput *in, const TnMotion *m, int link, double out[6])
{
    const TnModel *model = in->model;
    const TnSubsystem *sub = &model->subsystems[model->links[link].subsystem];
    if (sub->kind != TN_SUBSYSTEM_TREE) {
        memcpy(out, m->twists[link], sizeof(double[6]));
        return;
    }
    const TnTreeAxes *axes = &m->axes[sub->kind_index];
    const TnLink *l = &model->links[link];
    double arm[3], x[3];
    memset(out, 0, sizeof(double[6]));
    v3_sub(arm, m->at[link].com, axes->origin);
    for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
        const double *S = axes->S[d - sub->dof_start];
        v3_cross(x, S + 3, arm);
        v3_add_scaled(out, x, m->qvel[d]);
        for (int k = 0; k < 6; k++) out[k] += S[k] * m->qvel[d];
    }
}

/* Place and turn of the segment against where its holder puts it. */
static void hold_error(const TnEquality *weld, const TnLinkFrame *frames, double error[6])
{
    const TnLinkFrame *segment = &frames[weld->segment];
    double target[4], difference[4], pos[3];
    tn_held_frame(weld, &frames[weld->holder], pos, target);
    v3_sub(error, segment->com, pos);
    quat_conjugate(target, target);
    quat_mul(difference, segment->quat, target);
    quat_to_rotvec(error + 3, difference);
}

static void add_hold(const TnRowWriter *w, const TnMotion *m, double eta, int index)
{
    const TnConstraintInput *in = w->in;
    const TnEquality *weld = &in->model->equalities[index];
    const int links[2] = {in->division->carrier[weld->holder],
                          in->division->carrier[weld->segment]};
    TnBond *bond = tn_constraint_add_weld(in, w->set, index, m->at);
    double start[6], end[6], u[12];
    hold_error(weld, in->frames, start);
    hold_error(weld, m->end, end);
    for (int side = 0; side < 2; side++) predicted_twist(in, m, links[side], u + 6 * side);
    for (int k = 0; k < 6; k++) {
        double rate = 0.0, shift = 0.0, closes;
        for (int i = 0; i < 12; i++) {
            rate += bond->J[12 * k + i] * u[i];
            shift += bond->J[12 * k + i] * in->twists[links[i / 6]][i % 6];
        }
        bond->e[k] = close_law(
            in, shift, eta, bond->lever, k < 3 ? 1.0 : bond->lever,
            (TnViolation){start[k], end[k], rate, shift, v3_norm(start + k / 3 * 3), false},
            &closes);
    }
}

/* ---- joints ---- */

/* close_law by C and by J v, where the bracket is zero. */
static void straighten(const TnRowWriter *w, const TnRow *row, double eta, double C)
{
    const TnConstraintInput *in = w->in;
    const TnOption *option = &in->model->option;
    double kappa = eta / in->theta, gamma = fmax(0.0, 2.0 - 3.0 * eta), lever = tn_row_lever(row),
           full = option->stabilization / in->t, size = fmin(w->lever, 1e30) / lever,
           out = tn_way_out(fabs(C), v3_norm(option->gravity) / lever, size, in->t,
                            option->stabilization);
    double by_C = out < full * fabs(C) ? 0.5 * out / fabs(C) : full; /* it goes by the root */
    /* η = (1-w) θ + w */
    double by_eta =
        in->theta * w->shift * ((gamma > 0.0 ? 3.0 : 0.0) / eta - (1.0 - gamma) / (eta * eta));
    tn_row_is_straight(w, row, eta * by_C / kappa, (1.0 - kappa - gamma) / kappa,
                       (1.0 - in->theta) * by_eta);
}

/* C = x1 - p(x2), or x1 - c0 where there is no second joint. */
static void add_joints(TnRowWriter *w, const TnMotion *m, int index, const TnEquality *equality)
{
    const TnModel *model = w->in->model;
    const TnState *state = w->in->state;
    const double *c = equality->polycoef;
    const TnJoint *j1 = &model->joints[equality->joint1];
    const TnSubsystem *sub1 = tn_subsystem_of_joint(model, j1);
    double t = w->in->t, eta = m->eta[sub1 - model->subsystems], u1, u2;
    double x1 = state->qpos[j1->qpos_start] - j1->ref, v1 = state->qvel[j1->dof_start];
    tn_motion_predict(w->in, eta, 1, &v1, &state->vhat[j1->dof_start], &u1);
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 0));
    tn_row_add_dof(w, row, sub1, j1->dof_start, 1.0);
    TnViolation violation = {x1 - c[0], x1 + t * u1 - c[0], u1, v1, 0.0, false};
    if (equality->joint2 >= 0) {
        const TnJoint *j2 = &model->joints[equality->joint2];
        double x2 = state->qpos[j2->qpos_start] - j2->ref, v2 = state->qvel[j2->dof_start];
        tn_motion_predict(w->in, eta, 1, &v2, &state->vhat[j2->dof_start], &u2);
        double slope = tn_polynomial_slope(c, x2 + (1.0 - eta) * t * u2);
        tn_row_add_dof(w, row, tn_subsystem_of_joint(model, j2), j2->dof_start, -slope);
        violation = (TnViolation){x1 - tn_polynomial(c, x2),
                                  x1 + t * u1 - tn_polynomial(c, x2 + t * u2),
                                  u1 - slope * u2,
                                  v1 - tn_polynomial_slope(c, x2) * v2,
                                  0.0,
                                  equality->curved};
    }
    tn_row_set_lever(w, row);
    tn_row_close_equality(w, row, eta, violation);
    if (!violation.exact) straighten(w, row, eta, violation.C);
}

bool tn_constraint_add_equalities(TnRowWriter *w)
{
    const TnModel *model = w->in->model;
    TnMotion motion = {0};
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *equality = &model->equalities[i];
        if (!equality->active || equality->type == TN_EQUALITY_TENDON ||
            (equality->segment && !w->in->division->iterated[i]) ||
            tn_equality_asleep(w->in->state, model, i))
            continue;
        if (!motion.eta && !tn_motion_init(w->in, &motion)) return false;
        if (equality->type == TN_EQUALITY_JOINT) {
            add_joints(w, &motion, i, equality);
            continue;
        }
        double eta = w->in->theta; /* the same for both bodies, unless one is the world */
        if (!tn_motion_of_body(w->in, equality->body1, &motion, &eta) ||
            !tn_motion_of_body(w->in, equality->body2, &motion, &eta))
            return false;
        if (equality->segment) {
            add_hold(w, &motion, eta, i);
            continue;
        }
        add_connect(w, &motion, eta, i, equality);
        if (equality->type == TN_EQUALITY_WELD) add_turn(w, &motion, eta, i, equality);
    }
    return true;
}
