/* work.c: the work of a tree's actuators and dampers over a step, for the account of energy.
 *
 * A force F = F0 - k ẋ̂ along x = cᵀq does t F cᵀu over the displacement t u, u = (1-w) v̂ + w v⁺. */
#include "joint_forces.h"

/* v̂ and u along a coordinate, per dof of the tree. */
typedef struct Rates {
    const TnDynamicsInput *in;
    const TnSubsystem *sub;
    const double *vhat;
    TnReach reach;
} Rates;

static double rate_of(const Rates *r, const TnMoment *moments, int count)
{
    double rate = 0.0;
    for (int i = 0; i < count; i++)
        rate += moments[i].coef * r->vhat[moments[i].dof - r->sub->dof_start];
    return rate;
}

/* Displacement along the coordinate. */
static double path_of(const Rates *r, const TnMoment *moments, int count)
{
    return r->reach.p * rate_of(r, moments, count) -
           r->reach.r * tn_moment_rate(moments, count, r->in->qvel);
}

/* Taken away by damping D at (1-θ_d) v + θ_d v⁺. */
static double damped(const Rates *r, const TnMoment *moments, int count, double D, double theta_d)
{
    double share = theta_d / r->in->theta, v = tn_moment_rate(moments, count, r->in->qvel);
    double loss =
        D * (share * rate_of(r, moments, count) - (share - 1.0) * v) * path_of(r, moments, count);
    return loss > 0.0
               ? loss
               : 0.0; /* a damper has nothing to give: what it seems to give is from nowhere */
}

/* Taken away by a medium. Still, it has nothing to give. */
static double dragged(const Rates *r, const TnTreeSystem *system)
{
    int n = r->sub->dof_count;
    const double *v = r->in->qvel + r->sub->dof_start;
    double work = 0.0;
    for (int i = 0; i < n; i++) {
        double force = system->drag_force[i];
        for (int k = 0; k < n; k++) force -= system->drag_slope[i * n + k] * r->vhat[k];
        work += force * (r->reach.p * r->vhat[i] - r->reach.r * v[i]);
    }
    return tn_is_zero(r->in->model->option.wind) ? fmax(0.0, -work) : -work;
}

static TnJointWork linear_work(const Rates *r, const TnTreeSystem *system)
{
    const TnModel *model = r->in->model;
    const TnSubsystem *sub = r->sub;
    TnJointWork work = {0.0, 0.0};
    for (int d = 0; d < sub->dof_count; d++) {
        int dof = sub->dof_start + d;
        double D = system->damping[d];
        const TnMoment own = {.dof = dof, .coef = 1.0};
        if (D != 0.0) work.damping += damped(r, &own, 1, D, system->theta_damping[d]);
    }
    int s = (int)(sub - model->subsystems);
    for (int k = model->tendon_first[s]; k >= 0; k = model->tendon_next[k]) {
        const TnTendon *tendon = &model->tendons[k];
        if (tendon->damping == 0.0) continue;
        work.damping += damped(r, tendon->moments, tendon->moment_count, tendon->damping,
                               system->theta_damping[sub->dof_count + k]);
    }
    if (system->drag_slope) work.damping += dragged(r, system);
    for (int a = model->actuator_first[s], k = 0; a >= 0; a = model->actuator_next[a]) {
        const TnActuator *actuator = &model->actuators[a];
        double rate = rate_of(r, actuator->moments, actuator->moment_count);
        work.actuators += (system->servo_force[k] - system->servo_slope[k] * rate) *
                          path_of(r, actuator->moments, actuator->moment_count);
        k++;
    }
    return work;
}

TnJointWork tn_tree_work(const TnDynamicsInput *in, const TnSubsystem *sub,
                         const TnTreeSystem *system, const double *vhat, double w, double reach)
{
    TnReach way = tn_reach(in, w);
    Rates r = {in, sub, vhat, {reach * way.p, reach * way.r}};
    TnJointWork work = linear_work(&r, system);
    if (!system->free_end || reach < 1.0) return work;
    /* the free motion's own, and what constraints change of it */
    Rates free = {in, sub, system->v_free, tn_reach(in, 0.0)};
    TnJointWork instead = linear_work(&free, system);
    work.actuators += system->free_work.actuators - instead.actuators;
    work.damping += system->free_work.damping - instead.damping;
    return work;
}
