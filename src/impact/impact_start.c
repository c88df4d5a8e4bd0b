/* impact_start.c: what a step with hits starts from.
 *
 * A body that changes its velocity by Δv at s is afterwards where free flight from x - s Δv with v
 * + Δv leads to. That becomes the state that the step starts from. Up to s the path from there is
 * not real: `since` tells collision to look from then on only. */
#include "impact_parts.h"

#include <math.h>
#include <string.h>

#include "../account/energy.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"

/* x - shift + v time + ½ a time², as a displacement of the subsystem's unknowns. */
static void way_to(const TnHitBody *b, double time, double *way)
{
    for (int i = 0; i < b->n; i++) way[i] = time * (b->v[i] + 0.5 * time * b->a[i]) - b->shift[i];
}

/* As collision has it, at a constant angular velocity. Its angular momentum is kept. */
void tn_hit_turn(const TnStep *step, TnHitBody *b, double time)
{
    const TnSubsystem *sub = &step->model->subsystems[b->subsystem];
    const TnLink *link = &step->model->links[sub->link_start];
    double turn[3], d[4], R[9], x[3], *omega = b->v + 3;
    if (sub->kind != TN_SUBSYSTEM_RIGID) return;
    v3_scale(turn, omega, time - b->turned);
    b->turned = time;
    double angle = v3_normalize(turn);
    if (angle == 0.0) return;
    quat_to_m3(R, b->quat);
    m3_tmul_v(x, R, omega);
    m3_mul_v(x, link->inertia, x);
    m3_mul_v(x, R, x);
    quat_from_axis_angle(d, turn, angle);
    quat_mul(b->quat, d, b->quat);
    quat_normalize(b->quat);
    v3_add_scaled(b->shift + 3, omega, -time);
    tn_rigid_divide_by_inertia(link, b->quat, x, omega);
    v3_add_scaled(b->shift + 3, omega, time);
}

/* A free body at `way` from where the step starts, and turned as at its last hit: its own entries
 * of qpos and qvel. */
static void place_rigid(const TnStep *step, const TnHitBody *b, const double way[3], double *qpos,
                        double *qvel)
{
    const TnSubsystem *sub = &step->model->subsystems[b->subsystem];
    int link = sub->link_start;
    double *q = qpos + sub->qpos_start, *v = qvel + sub->dof_start;
    double arm[3], x[3], back[4], R[9];
    quat_copy(q + 3, b->quat);
    quat_to_m3(R, b->quat);
    m3_mul_v(arm, R, step->model->links[link].com);
    for (int k = 0; k < 3; k++) q[k] = step->world->frames[link].com[k] + way[k] - arm[k];
    v3_cross(x, b->v + 3, arm);
    v3_sub(v, b->v, x);
    quat_conjugate(back, b->quat);
    quat_rotate(v + 3, back, b->v + 3);
}

/* Where a subsystem is at its last hit, and its velocity then less t a. */
void tn_hit_place(const TnStep *step, const TnHitBody *b, double *qpos, double *qvel)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        way_to(b, b->since, qvel + sub->dof_start);
        tn_integrate_qpos(model, sub, step->world->state.qpos, qvel, 1.0, qpos);
        memcpy(qvel + sub->dof_start, b->v, sizeof(double) * (size_t)b->n);
        return;
    }
    double way[6];
    way_to(b, b->since, way);
    place_rigid(step, b, way, qpos, qvel);
}

static bool goes_straight(const TnStep *step, const TnHitBody *b)
{
    const TnSubsystem *sub = &step->model->subsystems[b->subsystem];
    if (sub->kind != TN_SUBSYSTEM_TREE) return false;
    double lever = step->model->links[sub->link_start].lever;
    for (int i = 0; i < b->n; i++) {
        double way = fabs(b->since * b->v[i]);
        bool turns = tn_dof_turns(step->model, sub->dof_start + i);
        if ((turns ? way : way / lever) > TN_STRAIGHT) return false;
    }
    return true;
}

/* What the step starts from, (x', v'). Translation of a free body, and joints that do not move far,
 * go on from x - shift over the whole step. Turning of a free body and other joints, whose paths
 * are not straight, go on from where they are at the hit, for what is left of the step
 * (tn_step_left); what gravity does to joints meanwhile counts. */
static void new_start(const TnStep *step, const TnHitBody *b, double *qpos, double *qvel)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        double *way = qvel + sub->dof_start, behind = 0.5 * b->since * (step->t - b->since);
        bool straight = goes_straight(step, b);
        way_to(b, straight ? 0.0 : b->since, way);
        for (int i = 0; i < b->n && !straight; i++) way[i] += behind * b->a[i];
        tn_integrate_qpos(model, sub, step->world->state.qpos, qvel, 1.0, qpos);
        memcpy(way, b->v, sizeof(double) * (size_t)b->n);
        return;
    }
    double way[6];
    way_to(b, 0.0, way);
    place_rigid(step, b, way, qpos, qvel);
}

void tn_hit_add_fall(const TnSubsystem *sub, const TnHitBody *b, double time, double *qvel)
{
    int n = sub->kind == TN_SUBSYSTEM_TREE ? b->n : 3;
    for (int i = 0; i < n; i++) qvel[sub->dof_start + i] += time * b->a[i];
}

/* Keeps the state as it was. False: no memory. */
static bool keep_true_state(TnImpacts *x)
{
    TnStep *step = x->step;
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    size_t q = sizeof(double) * (size_t)model->qpos_count,
           v = sizeof(double) * (size_t)model->dof_count, links = (size_t)model->link_count;
    step->hits.real_qpos = tn_arena_alloc(x->arena, q);
    step->hits.real_qvel = tn_arena_alloc(x->arena, v);
    step->hits.real_frames = TN_ARENA_NEW(x->arena, TnLinkFrame, links);
    step->hits.real_twists = tn_arena_alloc(x->arena, sizeof(double[6]) * links);
    step->hits.frames = TN_ARENA_NEW(x->arena, TnLinkFrame, links);
    step->hits.ways = tn_arena_calloc(x->arena, sizeof(double[6]) * links);
    if (!step->hits.real_qpos || !step->hits.real_qvel || !step->hits.real_frames ||
        !step->hits.real_twists || !step->hits.frames || !step->hits.ways)
        return false;
    memcpy(step->hits.real_qpos, world->state.qpos, q);
    memcpy(step->hits.real_qvel, world->state.qvel, v);
    memcpy(step->hits.real_frames, world->frames, sizeof(TnLinkFrame) * links);
    memcpy(step->hits.real_twists, world->twists, sizeof(double[6]) * links);
    /* the world, which trees stand on, and mocap bodies */
    memcpy(step->hits.frames, world->frames,
           sizeof(TnLinkFrame) * (size_t)(1 + model->mocap_count));
    return true;
}

/* Of a subsystem: where it is at its last hit, and (x', v') as the state. p: scratch. */
static void start_anew(TnStep *step, const TnHitBody *b, const TnHitPaths *p)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    int first = sub->link_start, count = sub->link_count;
    tn_hit_place(step, b, p->qpos, p->qvel);
    tn_kinematics(model, p->qpos, first, count, step->hits.frames);
    new_start(step, b, world->state.qpos, world->state.qvel);
    tn_kinematics(model, world->state.qpos, first, count, world->frames);
    tn_kinematics_twists(model, world->state.qpos, world->state.qvel, world->frames, first, count,
                         world->twists);
    memcpy(p->qvel + sub->dof_start, world->state.qvel + sub->dof_start,
           sizeof(double) * (size_t)sub->dof_count);
    tn_hit_add_fall(sub, b, 0.5 * b->since, p->qvel);
    tn_kinematics_twists(model, world->state.qpos, p->qvel, world->frames, first, count,
                         step->hits.ways);
    for (int l = first; l < first + count; l++)
        for (int k = 0; k < 6; k++) step->hits.ways[l][k] *= b->since;
}

/* Makes (x', v') the state, and keeps the old one. False: no memory. */
bool tn_hits_take_over(TnImpacts *x, const TnHitPaths *p)
{
    TnStep *step = x->step;
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    double *since = TN_ARENA_ZERO(x->arena, double, model->link_count);
    double *left = TN_ARENA_NEW(x->arena, double, model->subsystem_count);
    step->hits.losses = TN_ARENA_ZERO(x->arena, double, model->subsystem_count);
    if (!since || !left || !step->hits.losses || !keep_true_state(x)) return false;
    step->hits.since = since;
    step->hits.left = left;
    for (int s = 0; s < model->subsystem_count; s++) left[s] = 1.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        const TnSubsystem *sub = &model->subsystems[s];
        const TnHitBody *b = x->bodies[s];
        if (!b || !b->hit) continue;
        double before = world->energies[s].kinetic + world->energies[s].potential;
        start_anew(step, b, p);
        const TnInstant now = tn_world_now(world);
        TnEnergy after = tn_subsystem_energy(model, s, world->elements, &now);
        step->hits.losses[s] = before - after.kinetic - after.potential;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            since[l] = b->since;
        if (!goes_straight(step, b)) left[s] = 1.0 - b->since / step->t;
    }
    return true;
}

void tn_impacts_undo(TnStep *step)
{
    TnWorld *world = step->world;
    if (!step->hits.since) return;
    memcpy(world->state.qpos, step->hits.real_qpos,
           sizeof(double) * (size_t)step->model->qpos_count);
    memcpy(world->state.qvel, step->hits.real_qvel,
           sizeof(double) * (size_t)step->model->dof_count);
    memcpy(world->frames, step->hits.real_frames,
           sizeof(TnLinkFrame) * (size_t)step->model->link_count);
    memcpy(world->twists, step->hits.real_twists,
           sizeof(double[6]) * (size_t)step->model->link_count);
    world->impact_count = 0;
    step->hits.since = NULL;
    step->hits.losses = NULL;
}
