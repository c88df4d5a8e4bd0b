/* actuation.c: the force of an actuator at a state,
 *     F = clamp(gain · input + bias),  gain and bias affine in length and velocity, or a muscle's,
 * with length = gear · Σ coef · q over the joints it moves: one, or those of its tendon; or gear ·
 * the length of its path. Where the sum of forces on a tendon is bounded, all of them are scaled
 * before their own clamp, as in MuJoCo. */
#include "../model/joint_motion.h"
#include "../model/path.h"
#include "dynamics.h"

static double clamp(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

double tn_actuator_length(const TnModel *model, int actuator, const TnDriven *at)
{
    const TnActuator *a = &model->actuators[actuator];
    if (a->path >= 0)
        return a->gear * tn_path_walk(model, &model->paths[a->path], at->qpos, at->frames, NULL);
    return a->gear * tn_moment_length(a->moments, a->moment_count, at->qpos);
}

double tn_actuator_velocity(const TnModel *model, int actuator, const TnDriven *at)
{
    const TnActuator *a = &model->actuators[actuator];
    double rate;
    if (a->path < 0) return a->gear * tn_moment_rate(a->moments, a->moment_count, at->qvel);
    tn_path_rate(model, &model->paths[a->path], at->qpos, at->qvel, at->frames, at->twists, &rate);
    return a->gear * rate;
}

/* Before any limit of force. */
static double raw_force(const TnModel *model, int actuator, const TnDriven *at)
{
    const TnActuator *a = &model->actuators[actuator];
    double length = tn_actuator_length(model, actuator, at),
           velocity = tn_actuator_velocity(model, actuator, at);
    TnAffineForce f =
        tn_actuator_affine(a, at->inputs ? at->inputs[actuator] : 0.0, length, velocity);
    return f.constant + f.by_length * length + f.by_velocity * velocity;
}

/* What a bound on the sum of a tendon's forces leaves of each. */
static double tendon_share(const TnModel *model, int tendon, const TnDriven *at)
{
    double sum = 0.0;
    for (int a = 0; a < model->actuator_count; a++)
        if (model->actuators[a].tendon == tendon) sum += raw_force(model, a, at);
    double limited = clamp(sum, model->tendons[tendon].actuator_range);
    return limited != sum ? limited / sum : 1.0;
}

double tn_actuator_force(const TnModel *model, int actuator, const TnDriven *at)
{
    const TnActuator *a = &model->actuators[actuator];
    double force = raw_force(model, actuator, at);
    if (a->tendon >= 0 && model->tendons[a->tendon].actuator_limited)
        force *= tendon_share(model, a->tendon, at);
    return a->force_limited ? clamp(force, a->force_range) : force;
}

/* The share of one dof in a path's gradient. */
typedef struct DofShare {
    const TnModel *model;
    int dof;
    double S[6]; /* its motion axis, at the world's origin */
    double sum;
} DofShare;

static void share_pull(void *context, int link, const double point[3], const double linear[3],
                       const double angular[3])
{
    DofShare *share = context;
    const TnLink *l = &share->model->links[link];
    int d = l->dof_start + l->dof_count - 1;
    while (d > share->dof) d = share->model->dof_parent[d];
    if (d != share->dof) return;
    double v[3];
    v3_cross(v, share->S + 3, point);
    v3_add(v, v, share->S);
    share->sum += v3_dot(linear, v) + v3_dot(angular, share->S + 3);
}

static void share_moment(void *context, int dof, double coef)
{
    DofShare *share = context;
    if (dof == share->dof) share->sum += coef;
}

static double share_in_path(const TnModel *model, int dof, const TnPath *path, const TnDriven *at)
{
    static const double origin[3] = {0, 0, 0};
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    const TnLink *link = &model->links[joint->link];
    TnLinkWalk walk = tn_link_walk_start(link, &at->frames[link->parent]);
    for (int k = link->joint_start; k <= joint - model->joints; k++)
        tn_link_walk_joint(&walk, &model->joints[k], at->qpos + model->joints[k].qpos_start);
    TnJointPlace place;
    double S[6][6];
    tn_joint_place_from_walk(&place, joint, &walk);
    tn_joint_axes(joint, &place, origin, S);
    DofShare share = {.model = model, .dof = dof};
    memcpy(share.S, S[dof - joint->dof_start], sizeof share.S);
    tn_path_walk(model, path, at->qpos, at->frames,
                 &(TnPathVisitor){share_pull, share_moment, &share});
    return share.sum;
}

double tn_actuator_force_on(const TnModel *model, int dof, const TnDriven *at, double lift)
{
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    double sum = joint->actuator_gravity ? lift : 0.0;
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        for (int i = 0; i < actuator->moment_count; i++)
            if (actuator->moments[i].dof == dof)
                sum += actuator->moments[i].coef * actuator->gear * tn_actuator_force(model, a, at);
        if (actuator->path >= 0)
            sum += share_in_path(model, dof, &model->paths[actuator->path], at) * actuator->gear *
                   tn_actuator_force(model, a, at);
    }
    return joint->actuator_limited ? clamp(sum, joint->actuator_range) : sum;
}
