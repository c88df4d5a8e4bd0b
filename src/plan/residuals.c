/* residuals.c: how far a state is from the goals of the costs, and how that follows the state. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "plan.h"

/* m, rad and their speeds: of differences of sensors. */
#define NUDGE 1e-6

static void pose_of(const TnWorld *world, TnSiteId site, TnBodyId body, double pos[3])
{
    double quat[4];
    if (site)
        tn_world_site_pose(world, site, pos, quat);
    else
        tn_world_body_pose(world, body, pos, quat);
}

static void point_residual(const TnPlanCost *c, const TnWorld *world, double *r)
{
    double to[3];
    pose_of(world, c->site, c->body, r);
    for (int k = 0; k < 3; k++) r[k] -= c->goal[k];
    if (!c->to_site && !c->to_body) return;
    pose_of(world, c->to_site, c->to_body, to);
    v3_sub(r, r, to);
}

/* tangent: x ⊖ goal */
static void tail_residual(const TnPlan *p, const TnPlanCost *c, const TnStateView *state,
                          double *tangent, double *r)
{
    tn_model_difference(p->model, c->goal, state->qpos, tangent);
    memcpy(tangent + p->nv, state->qvel, sizeof(double) * (size_t)p->nv);
    if (p->na) memcpy(tangent + 2 * p->nv, state->act, sizeof(double) * (size_t)p->na);
    for (int k = 0; k < p->ns; k++) {
        r[k] = 0.0;
        for (int i = 0; i < p->ns; i++) r[k] += p->tail.F[k * p->ns + i] * tangent[i];
    }
}

/* sensors: all data. */
static void residual(const TnPlan *p, const TnCost *cost, const TnWorld *world, const double *ctrl,
                     const double *sensors, double *tangent, double *r)
{
    const TnPlanCost *c = &cost->def;
    TnStateView state = tn_world_state(world);
    switch (c->kind) {
    case TN_COST_POSITION:
        tn_model_difference(p->model, c->goal, state.qpos, tangent);
        memcpy(r, tangent + cost->first, sizeof(double) * (size_t)cost->rows);
        return;
    case TN_COST_VELOCITY:
        for (int k = 0; k < cost->rows; k++) r[k] = state.qvel[cost->first + k] - c->goal[k];
        return;
    case TN_COST_POINT:
        point_residual(c, world, r);
        return;
    case TN_COST_SENSOR:
        for (int k = 0; k < cost->rows; k++) r[k] = sensors[cost->first + k] - c->goal[k];
        return;
    case TN_COST_CTRL:
        for (int k = 0; k < cost->rows; k++) r[k] = ctrl[cost->first + k] - c->goal[k];
        return;
    case TN_COST_TAIL:
        tail_residual(p, c, &state, tangent, r);
        return;
    case TN_COST_KIND_COUNT:
        return;
    }
}

static double weight_of(const TnPlanCost *c, bool is_last)
{
    return c->running + (is_last ? c->terminal : 0.0);
}

/* Sensors are only asked where a cost needs them. */
static bool read_sensors(const TnPlan *p, TnWorld *world, double *out)
{
    for (int i = 0; i < p->def.cost_count; i++)
        if (p->costs[i].def.kind == TN_COST_SENSOR)
            return tn_world_sensors(world, out, NULL) == TN_OK;
    return true;
}

bool tn_costs_add(const TnPlan *p, TnPlanWorker *w, const TnWorld *world, const double *ctrl,
                  bool is_last, double *costs)
{
    if (!read_sensors(p, (TnWorld *)world, w->sensors)) return false;
    for (int i = 0; i < p->def.cost_count; i++) {
        const TnCost *cost = &p->costs[i];
        double sum = 0.0, weight = weight_of(&cost->def, is_last);
        if (weight == 0.0) continue;
        residual(p, cost, world, ctrl, w->sensors, w->tangent, w->residual);
        for (int k = 0; k < cost->rows; k++)
            sum += cost->def.weights[k] * w->residual[k] * w->residual[k];
        costs[i] += weight * sum;
    }
    return true;
}

double tn_plan_off(const TnPlan *p, TnWorld *world, int index)
{
    if (!p || !world || index < 0 || index >= p->def.cost_count) return NAN;
    if (!tn_plan_has_model_of(p, world)) return NAN;
    TnPlanWorker *w = &p->workers[0];
    const TnCost *cost = &p->costs[index];
    double sum = 0.0;
    if (cost->def.kind == TN_COST_TAIL && p->tail.stale) return NAN;
    if (!read_sensors(p, world, w->sensors)) return NAN;
    residual(p, cost, world, tn_world_state(world).ctrl, w->sensors, w->tangent, w->residual);
    for (int k = 0; k < cost->rows; k++) sum += w->residual[k] * w->residual[k];
    return sqrt(sum);
}

/* ---- derivatives ---- */

/* d log(exp φ exp δ)/dδ at δ = 0: how a turn from the goal follows a turn in body axes. */
static void turn_slope(const double phi[3], double out[9])
{
    double angle2 = v3_dot(phi, phi), angle = sqrt(angle2), half = 0.5 * angle;
    /* 1/θ² - (1 + cos θ)/(2 θ sin θ) = (1 - θ/2 cot(θ/2))/θ²; by its series where that cancels */
    double c = angle < 1e-2 ? 1.0 / 12.0 + angle2 / 720.0
                            : (1.0 - half * cos(half) / fmax(sin(half), 1e-9)) / angle2;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = c * phi[i] * phi[k] + (i == k ? 1.0 - c * angle2 : 0.0);
    const int next[3] = {1, 2, 0};
    for (int i = 0; i < 3; i++) { /* + [φ]×/2 */
        int k = next[i], l = next[k];
        out[3 * k + l] -= 0.5 * phi[i];
        out[3 * l + k] += 0.5 * phi[i];
    }
}

static void position_slope(const TnPlan *p, const TnCost *cost, const double *difference,
                           double *slope)
{
    size_t n = (size_t)p->ns;
    for (int k = 0; k < cost->rows; k++) slope[(size_t)k * n + (size_t)(cost->first + k)] = 1.0;
    for (TnJointId j = 1; j <= p->info.joint_count; j++) {
        TnJointInfo joint = tn_model_joint_info(p->model, j);
        if (joint.type != TN_JOINT_FREE && joint.type != TN_JOINT_BALL) continue;
        int dof = joint.dof_start + (joint.type == TN_JOINT_FREE ? 3 : 0), row = dof - cost->first;
        if (row < 0 || row >= cost->rows) continue;
        double turn[9];
        turn_slope(difference + dof, turn);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                slope[(size_t)(row + i) * n + (size_t)(dof + k)] = turn[3 * i + k];
    }
}

/* F times the slope of x ⊖ goal. */
static void tail_slope(const TnPlan *p, const double *difference, double *slope)
{
    int n = p->ns;
    memcpy(slope, p->tail.F, sizeof(double) * (size_t)n * (size_t)n);
    for (TnJointId j = 1; j <= p->info.joint_count; j++) {
        TnJointInfo joint = tn_model_joint_info(p->model, j);
        if (joint.type != TN_JOINT_FREE && joint.type != TN_JOINT_BALL) continue;
        int dof = joint.dof_start + (joint.type == TN_JOINT_FREE ? 3 : 0);
        double turn[9];
        turn_slope(difference + dof, turn);
        for (int r = 0; r < n; r++)
            for (int k = 0; k < 3; k++) {
                const double *F = p->tail.F + r * n + dof;
                slope[r * n + dof + k] = F[0] * turn[k] + F[1] * turn[3 + k] + F[2] * turn[6 + k];
            }
    }
}

static void add_point_slope(const TnPlan *p, TnPlanWorker *w, const TnWorld *world, TnSiteId site,
                            TnBodyId body, double sign)
{
    double at[3];
    pose_of(world, site, body, at);
    if (site) body = tn_model_site_info(p->model, site).body;
    if (tn_world_jacobian(world, body, at, w->jacobian, NULL) != TN_OK) return;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < p->nv; k++)
            w->slope[(size_t)r * (size_t)p->ns + (size_t)k] +=
                sign * w->jacobian[(size_t)r * (size_t)p->nv + (size_t)k];
}

/* By differences, coordinate by coordinate. w->place has the state. */
static bool sensor_slope(const TnPlan *p, TnPlanWorker *w, TnWorld *world, const TnCost *cost)
{
    double *q = w->place, *v = q + p->nq, *act = v + p->nv;
    double *moved = act + p->na; /* of qpos */
    bool ok = true;
    for (int k = 0; k < p->ns && ok; k++) {
        double *number = k < p->nv ? NULL : k < 2 * p->nv ? &v[k - p->nv] : &act[k - 2 * p->nv];
        double was = number ? *number : 0.0;
        if (number) {
            *number += NUDGE;
        } else {
            memset(w->tangent2, 0, sizeof(double) * (size_t)p->ns);
            w->tangent2[k] = NUDGE;
            tn_model_displace(p->model, q, w->tangent2, moved);
        }
        ok = tn_world_set_state(world, number ? q : moved, v, NULL) == TN_OK &&
             (!p->na || tn_world_set_act(world, act, NULL) == TN_OK) &&
             tn_world_sensors(world, w->sensors2, NULL) == TN_OK;
        if (number) *number = was;
        for (int r = 0; r < cost->rows && ok; r++) {
            double d = (w->sensors2[cost->first + r] - w->sensors[cost->first + r]) / NUDGE;
            w->slope[(size_t)r * (size_t)p->ns + (size_t)k] = isfinite(d) ? d : 0.0;
        }
    }
    return tn_world_set_state(world, q, v, NULL) == TN_OK &&
           (!p->na || tn_world_set_act(world, act, NULL) == TN_OK) && ok;
}

static bool slope_of(const TnPlan *p, TnPlanWorker *w, TnWorld *world, const TnCost *cost)
{
    const TnPlanCost *c = &cost->def;
    memset(w->slope, 0, sizeof(double) * (size_t)cost->rows * (size_t)p->ns);
    if (c->kind == TN_COST_POSITION) position_slope(p, cost, w->tangent, w->slope);
    if (c->kind == TN_COST_TAIL) tail_slope(p, w->tangent, w->slope);
    for (int k = 0; c->kind == TN_COST_VELOCITY && k < cost->rows; k++)
        w->slope[(size_t)k * (size_t)p->ns + (size_t)(p->nv + cost->first + k)] = 1.0;
    if (c->kind == TN_COST_POINT) {
        add_point_slope(p, w, world, c->site, c->body, 1.0);
        if (c->to_site || c->to_body) add_point_slope(p, w, world, c->to_site, c->to_body, -1.0);
    }
    return c->kind != TN_COST_SENSOR || sensor_slope(p, w, world, cost);
}

/* Of J = w Σ W r²: 2 w JᵀWr and 2 w JᵀWJ. `along` gets a row of JᵀW that no goal can make zero. */
static void add_square(const TnPlan *p, const TnPlanWorker *w, const TnCost *cost, double weight,
                       TnKnot *knot, double *along)
{
    size_t n = (size_t)p->ns;
    for (int r = 0; r < cost->rows; r++) {
        const double *row = w->slope + (size_t)r * n;
        double W = 2.0 * weight * cost->def.weights[r], seed = W * (1.0 + 0.1 * sin(1.0 + r));
        if (W == 0.0) continue;
        for (size_t i = 0; i < n; i++) {
            if (row[i] == 0.0) continue;
            knot->lx[i] += W * row[i] * w->residual[r];
            along[i] += seed * row[i];
            for (size_t k = 0; k < n; k++) knot->lxx[i * n + k] += W * row[i] * row[k];
        }
    }
}

bool tn_costs_derive(const TnPlan *p, TnPlanWorker *w, TnWorld *world, const double *ctrl,
                     bool is_last, TnKnot *knot)
{
    size_t n = (size_t)p->ns, m = (size_t)p->nu;
    memset(knot->lx, 0, sizeof(double) * n);
    memset(knot->lxx, 0, sizeof(double) * n * n);
    memset(knot->lu, 0, sizeof(double) * m);
    memset(knot->luu, 0, sizeof(double) * m);
    memset(knot->along, 0, sizeof(double) * n * (size_t)p->def.cost_count);
    if (!read_sensors(p, world, w->sensors)) return false;
    for (int i = 0; i < p->def.cost_count; i++) {
        const TnCost *cost = &p->costs[i];
        double weight = weight_of(&cost->def, is_last);
        if (weight == 0.0) continue;
        residual(p, cost, world, ctrl, w->sensors, w->tangent, w->residual);
        if (cost->def.kind == TN_COST_CTRL) {
            for (int k = 0; k < cost->rows; k++) {
                double W = 2.0 * weight * cost->def.weights[k];
                knot->lu[cost->first + k] += W * w->residual[k];
                knot->luu[cost->first + k] += W;
            }
            continue;
        }
        if (!slope_of(p, w, world, cost)) return false;
        add_square(p, w, cost, weight, knot, knot->along + (size_t)i * n);
    }
    return true;
}
