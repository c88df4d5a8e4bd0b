/* eval.c: the model at a state, without a world: poses, mass matrix, bias, actuator forces,
 * sensors. */
#include <math.h>
#include <tenon/world.h>

#include "../base/base.h"
#include "../dynamics/dynamics.h"
#include "../math/vec3.h"

/* Lumped masses of a soft body's nodes on the diagonal, their weight as bias. */
static void eval_soft(const TnModel *model, const TnSoft *soft, TnEval *out)
{
    for (int i = 0; i < 3 * soft->node_count; i++) {
        size_t dof = (size_t)(soft->dof_start + i);
        if (out->mass_matrix)
            out->mass_matrix[dof * (size_t)model->dof_count + dof] = soft->masses[i / 3];
        if (out->bias) out->bias[dof] = -soft->masses[i / 3] * model->option.gravity[i % 3];
    }
}

/* Mass matrix and bias, one diagonal block per subsystem. */
static bool eval_dynamics(const TnModel *model, const double *qpos, const double *qvel,
                          const TnLinkFrame *frames, TnArena *arena, TnEval *out)
{
    int total = model->dof_count;
    if (out->mass_matrix)
        memset(out->mass_matrix, 0, sizeof(double) * (size_t)total * (size_t)total);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_SOFT) {
            eval_soft(model, &model->softs[sub->kind_index], out);
            continue;
        }
        const double *origin = frames[sub->link_start].com;
        int n = sub->dof_count;
        size_t mark = tn_arena_mark(arena);
        double(*S)[6] = tn_arena_alloc(arena, sizeof *S * (size_t)n);
        double *M = TN_ARENA_NEW(arena, double, n *n), *bias = TN_ARENA_NEW(arena, double, n);
        if (!S || !M || !bias) return false;
        tn_tree_axes(model, sub, qpos, frames, origin, S);
        tn_tree_mass_matrix(model, sub, frames, origin, (const double(*)[6])S, arena, M);
        tn_tree_bias(model, sub, frames, origin, (const double(*)[6])S, qvel, arena, bias);
        if (out->mass_matrix)
            for (int i = 0; i < n; i++)
                memcpy(out->mass_matrix + (size_t)(sub->dof_start + i) * (size_t)total +
                           sub->dof_start,
                       M + i * n, sizeof(double) * (size_t)n);
        if (out->bias) memcpy(out->bias + sub->dof_start, bias, sizeof(double) * (size_t)n);
        tn_arena_release(arena, mark);
    }
    return true;
}

/* Velocity of a site (linear or angular), in its own axes. */
static void site_velocity(const TnModel *model, const TnSite *site, bool angular,
                          const TnLinkFrame *frames, const double (*twists)[6], double *data)
{
    double pos[3], quat[4], arm[3], velocity[3];
    int link = model->bodies[site->body].link;
    const double *twist = twists[link];
    tn_body_pose(model, frames, site->body, pos, quat);
    if (angular) {
        v3_copy(velocity, twist + 3);
    } else {
        quat_rotate(arm, quat, site->pos);
        v3_add(arm, arm, pos);
        v3_sub(arm, arm, frames[link].com);
        v3_cross(velocity, twist + 3, arm);
        v3_add(velocity, velocity, twist);
    }
    quat_mul(quat, quat, site->quat);
    quat_conjugate(quat, quat);
    quat_rotate(data, quat, velocity);
}

static void eval_sensor(const TnModel *model, const TnSensor *sensor, const double *qpos,
                        const double *qvel, const double *ctrl, const TnLinkFrame *frames,
                        const double (*twists)[6], double *data)
{
    double pos[3], quat[4];
    const TnTendon *tendon;
    switch (sensor->type) {
    case TN_SENSOR_JOINT_POS:
        data[0] = qpos[model->joints[sensor->object].qpos_start];
        return;
    case TN_SENSOR_JOINT_VEL:
        data[0] = qvel[model->joints[sensor->object].dof_start];
        return;
    case TN_SENSOR_BODY_POS:
        tn_body_pose(model, frames, sensor->object, pos, quat);
        v3_copy(data, pos);
        return;
    case TN_SENSOR_BODY_QUAT:
        tn_body_pose(model, frames, sensor->object, pos, quat);
        quat_copy(data, quat);
        return;
    case TN_SENSOR_TENDON_POS:
        tendon = &model->tendons[sensor->object];
        data[0] = tn_moment_length(tendon->moments, tendon->moment_count, qpos);
        return;
    case TN_SENSOR_TENDON_VEL:
        tendon = &model->tendons[sensor->object];
        data[0] = tn_moment_rate(tendon->moments, tendon->moment_count, qvel);
        return;
    case TN_SENSOR_ACTUATOR_POS:
        data[0] = tn_actuator_length(model, sensor->object, qpos);
        return;
    case TN_SENSOR_ACTUATOR_VEL:
        data[0] = tn_actuator_velocity(model, sensor->object, qvel);
        return;
    case TN_SENSOR_GYRO:
    case TN_SENSOR_VELOCIMETER:
        site_velocity(model, &model->sites[sensor->object], sensor->type == TN_SENSOR_GYRO, frames,
                      twists, data);
        return;
    case TN_SENSOR_FORCE:
    case TN_SENSOR_TORQUE:
        v3_set(data, NAN, NAN, NAN); /* they need a step (reaction.c) */
        return;
    case TN_SENSOR_ACTUATOR_FORCE:
        data[0] = tn_actuator_force(model, sensor->object, qpos, qvel, ctrl);
        return;
    case TN_SENSOR_JOINT_ACTUATOR_FORCE:
        data[0] =
            tn_actuator_force_on(model, model->joints[sensor->object].dof_start, qpos, qvel, ctrl);
        return;
    case TN_SENSOR_SITE_POS:
    case TN_SENSOR_SITE_QUAT:
        break;
    }
    const TnSite *site = &model->sites[sensor->object];
    tn_body_pose(model, frames, site->body, pos, quat);
    if (sensor->type == TN_SENSOR_SITE_POS) {
        quat_rotate(data, quat, site->pos);
        v3_add(data, data, pos);
    } else {
        quat_mul(data, quat, site->quat);
    }
}

static bool eval(const TnModel *model, const double *qpos, const double *qvel, const double *ctrl,
                 TnArena *arena, TnEval *out)
{
    TnLinkFrame *frames = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count);
    if (!frames) return false;
    if (!qvel) {
        qvel = TN_ARENA_ZERO(arena, double, model->dof_count);
        if (!qvel) return false;
    }
    tn_kinematics(model, qpos, 0, model->link_count, frames);
    if (out->body_poses)
        for (int b = 0; b < model->body_count; b++)
            tn_body_pose(model, frames, b, out->body_poses + 7 * b, out->body_poses + 7 * b + 3);
    if ((out->mass_matrix || out->bias) && !eval_dynamics(model, qpos, qvel, frames, arena, out))
        return false;
    if (out->actuator_force)
        for (int a = 0; a < model->actuator_count; a++)
            out->actuator_force[a] = tn_actuator_force(model, a, qpos, qvel, ctrl);
    if (out->sensors) {
        double(*twists)[6] = tn_arena_alloc(arena, sizeof *twists * (size_t)model->link_count);
        if (!twists) return false;
        tn_kinematics_twists(model, qpos, qvel, frames, 0, model->link_count, twists);
        for (int s = 0; s < model->sensor_count; s++)
            eval_sensor(model, &model->sensors[s], qpos, qvel, ctrl, frames,
                        (const double(*)[6])twists, out->sensors + model->sensors[s].data_start);
    }
    return true;
}

static size_t scratch_size(const TnModel *model)
{
    size_t dofs = 0, links = (size_t)model->link_count;
    for (int s = 0; s < model->subsystem_count; s++) {
        size_t n = (size_t)model->subsystems[s].dof_count;
        if (model->subsystems[s].kind == TN_SUBSYSTEM_SOFT) continue;
        if (n > dofs) dofs = n;
    }
    /* frames; the largest subsystem's axes, matrix and bias; inertias and recursion (about 30
     * numbers a link); twists; rounding up */
    return links * (sizeof(TnLinkFrame) + 36 * sizeof(double)) +
           (dofs * dofs + 7 * dofs + (size_t)model->dof_count) * sizeof(double) +
           16 * TN_ARENA_ALIGN;
}

TnStatus tn_model_eval(const TnModel *model, const double *qpos, const double *qvel,
                       const double *ctrl, TnEval *out, TnError *err)
{
    if (!model || !out || (!qpos && model->qpos_count > 0)) {
        tn_error_add(err, TN_ERROR_USAGE, "tn_model_eval: model, qpos and out must be given");
        return TN_ERROR_USAGE;
    }
    TnArena arena;
    bool ok = tn_arena_init(&arena, "eval", scratch_size(model));
    if (ok) {
        ok = eval(model, qpos, qvel, ctrl, &arena, out);
        tn_arena_free(&arena);
    }
    if (!ok) {
        tn_error_add(err, TN_ERROR_MEMORY, "tn_model_eval: no memory");
        return TN_ERROR_MEMORY;
    }
    return TN_OK;
}
