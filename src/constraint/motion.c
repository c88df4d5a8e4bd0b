/* motion.c: where a step is expected to lead, subsystem by subsystem: from v and the last v̂, or
 * where a pass before found it to lead. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

static bool alloc_motion(const TnConstraintInput *in, TnMotion *m)
{
    const TnModel *model = in->model;
    m->eta = TN_ARENA_ZERO(in->arena, double, model->subsystem_count);
    m->done = TN_ARENA_ZERO(in->arena, bool, model->subsystem_count);
    m->at = TN_ARENA_NEW(in->arena, TnLinkFrame, model->link_count);
    m->axes = TN_ARENA_ZERO(in->arena, TnTreeAxes, model->tree_count);
    m->end = TN_ARENA_NEW(in->arena, TnLinkFrame, model->link_count);
    m->twists = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)model->link_count);
    m->qvel = TN_ARENA_NEW(in->arena, double, model->dof_count);
    m->qpos = TN_ARENA_NEW(in->arena, double, model->qpos_count);
    if (!m->eta || !m->done || !m->at || !m->axes || !m->end || !m->twists || !m->qvel || !m->qpos)
        return false;
    m->at[0] = m->end[0] = in->frames[0];
    for (int l = 1; l <= model->mocap_count; l++) {
        tn_mocap_carry(&in->frames[l], in->twists[l], 0.5 * in->t, &m->at[l]);
        tn_mocap_carry(&in->frames[l], in->twists[l], in->t, &m->end[l]);
        memcpy(m->twists[l], in->twists[l], sizeof m->twists[l]);
    }
    return true;
}

bool tn_motion_init(const TnConstraintInput *in, TnMotion *m)
{
    if (!alloc_motion(in, m)) return false;
    for (int s = 0; s < in->model->subsystem_count; s++)
        m->eta[s] = (1.0 - in->blend[s]) * in->theta + in->blend[s];
    return true;
}

void tn_velocity_expected(const TnConstraintInput *in, int n, const double *v, const double *last,
                          double *out)
{
    if (in->found)
        memcpy(out, in->found + (last - in->state->vhat), sizeof(double) * (size_t)n);
    else
        tn_predict_velocity(n, v, last, out);
}

void tn_motion_predict(const TnConstraintInput *in, double eta, int n, const double *v,
                       const double *last, double *u)
{
    double kappa = eta / in->theta;
    tn_velocity_expected(in, n, v, last, u);
    for (int k = 0; k < n; k++) u[k] = kappa * u[k] + (1.0 - kappa) * v[k];
}

void tn_twist_expected(const double now[6], const double last[6], double end[6])
{
    for (int g = 0; g < 6; g += 3) {
        double before[3], share = 1.0;
        for (int k = 0; k < 3; k++) before[k] = 2.0 * last[g + k] - now[g + k];
        double size = v3_norm(now + g), was = v3_norm(before);
        if (fabs(size - was) < 0.5 * size) share += (size - was) / size;
        v3_scale(end + g, now + g, share);
    }
}

/* A free body moved by time · u. */
static void carry(const TnConstraintInput *in, int link, const double u[6], double time,
                  TnLinkFrame *frame)
{
    double turn[3], arm[3];
    *frame = in->frames[link];
    v3_add_scaled(frame->com, u, time);
    v3_scale(turn, u + 3, time);
    quat_cayley_world(frame->quat, turn);
    quat_to_m3(frame->rot, frame->quat);
    m3_mul_v(arm, frame->rot, in->model->links[link].com);
    v3_sub(frame->pos, frame->com, arm);
}

static void move_rigid(const TnConstraintInput *in, int link, double eta, TnMotion *m)
{
    const TnLink *l = &in->model->links[link];
    const double *v = in->twists[link], *last = in->state->vhat + l->dof_start;
    double *u = m->twists[link];
    int group = m->middle ? 6 : 3;
    for (int k = 0; k < 6; k += group) tn_motion_predict(in, eta, group, v + k, last + k, u + k);
    carry(in, link, u, in->t, &m->end[link]);
    if (m->middle) {
        carry(in, link, u, 0.5 * in->t, &m->at[link]);
        return;
    }
    v3_copy(m->at[link].com, in->frames[link].com);
    v3_add_scaled(m->at[link].com, v, (1.0 - eta) * in->t);
}

static bool move_tree(const TnConstraintInput *in, const TnSubsystem *sub, double eta, TnMotion *m)
{
    const TnModel *model = in->model;
    const double *qpos = in->state->qpos, *qvel = in->state->qvel, *last = in->state->vhat;
    TnTreeAxes *axes = &m->axes[sub->kind_index];
    axes->S = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)sub->dof_count);
    if (!axes->S) return false;
    int group = m->middle ? sub->dof_count : 1;
    for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count; d += group)
        tn_motion_predict(in, eta, group, qvel + d, last + d, m->qvel + d);
    double share = m->middle ? 0.5 : 1.0 - eta;
    tn_integrate_qpos(model, sub, qpos, m->qvel, share * in->t, m->qpos);
    tn_kinematics(model, m->qpos, sub->link_start, sub->link_count, m->at);
    v3_copy(axes->origin, m->at[sub->link_start].com);
    tn_tree_axes(model, sub, m->qpos, m->at, axes->origin, axes->S);
    tn_integrate_qpos(model, sub, qpos, m->qvel, in->t, m->qpos);
    tn_kinematics(model, m->qpos, sub->link_start, sub->link_count, m->end);
    return true;
}

/* A segment that a robot carries is where the robot's link takes it. */
static void place_carried(const TnConstraintInput *in, const TnFollower *f, TnLinkFrame *frames)
{
    TnLinkFrame *frame = &frames[f->segment];
    tn_held_frame(&in->model->equalities[f->equality], &frames[f->holder], frame->pos, frame->quat);
    quat_to_m3(frame->rot, frame->quat);
    v3_copy(frame->com, frame->pos);
}

static void move_carried(const TnConstraintInput *in, const TnSubsystem *tree, TnMotion *m)
{
    for (int i = 0; i < in->division->follower_count; i++) {
        const TnFollower *f = &in->division->followers[i];
        if (!f->carried || tn_part_of_link(in->model, f->holder) != tree) continue;
        place_carried(in, f, m->at);
        place_carried(in, f, m->end);
    }
}

bool tn_motion_of_body(const TnConstraintInput *in, int body, TnMotion *m, double *eta)
{
    const int *carrier = in->division->carrier;
    int s = in->model->links[carrier[in->model->bodies[body].link]].subsystem;
    if (s < 0) return true;
    *eta = m->eta[s];
    if (m->done[s]) return true;
    m->done[s] = true;
    const TnSubsystem *sub = &in->model->subsystems[s];
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        if (!move_tree(in, sub, *eta, m)) return false;
        move_carried(in, sub, m);
        return true;
    }
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++)
        if (carrier[i] == i) move_rigid(in, i, *eta, m);
    return true;
}
