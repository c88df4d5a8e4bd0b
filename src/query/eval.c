/* eval.c: the model at a state, without a world: poses, mass matrix, bias, actuator forces,
 * sensors. */
#include <tenon/world.h>

#include "../base/base.h"
#include "../subsystem/dynamics.h"
#include "eval_paths.h"
#include "sensors.h"

/* Lumped masses of a soft body's nodes on the diagonal, their weight as bias. */
static void eval_soft(const TnModel *model, const TnSoft *soft, TnEval *out)
{
    for (int i = 0; i < 3 * soft->node_count; i++) {
        size_t dof = (size_t)(soft->dof_start + i);
        if (out->mass_matrix)
            out->mass_matrix[dof * (size_t)model->dof_count + dof] = soft->masses[i / 3];
        double weight = -soft->masses[i / 3] * model->option.gravity[i % 3];
        if (out->bias) out->bias[dof] = weight;
        if (out->inverse)
            out->inverse[dof] = weight + (out->qacc ? soft->masses[i / 3] * out->qacc[dof] : 0.0);
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
        for (int i = 0; out->inverse && i < n; i++) {
            double sum = bias[i];
            for (int k = 0; out->qacc && k < n; k++)
                sum += M[i * n + k] * out->qacc[sub->dof_start + k];
            out->inverse[sub->dof_start + i] = sum;
        }
        tn_arena_release(arena, mark);
    }
    return true;
}

/* What springs, dampers, gravity compensation that is no actuator's, and a medium do. */
static bool eval_passive(const TnModel *model, const TnDriven *at, const double *lift,
                         TnArena *arena, double *out)
{
    const double *qpos = at->qpos, *qvel = at->qvel;
    const TnLinkFrame *frames = at->frames;
    memset(out, 0, sizeof(double) * (size_t)model->dof_count);
    tn_springs_and_dampers(model, at, out);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        for (int d = sub->dof_start; lift && d < sub->dof_start + sub->dof_count; d++)
            if (!model->joints[model->dof_joint[d]].actuator_gravity) out[d] += lift[d];
        if (!model->drags) continue;
        const double *origin = frames[sub->link_start].com;
        size_t mark = tn_arena_mark(arena);
        double(*S)[6] = tn_arena_alloc(arena, sizeof *S * (size_t)sub->dof_count);
        if (!S) return false;
        tn_tree_axes(model, sub, qpos, frames, origin, S);
        if (!tn_tree_drag(model, sub, frames + sub->link_start, origin, (const double(*)[6])S,
                          qvel + sub->dof_start, arena, out + sub->dof_start))
            return false;
        tn_arena_release(arena, mark);
    }
    return true;
}

static void eval_poses(const TnModel *model, const TnLinkFrame *frames, TnEval *out)
{
    for (int i = 0; out->site_poses && i < model->site_count; i++)
        tn_site_pose(model, &model->sites[i], frames, out->site_poses + 7 * i,
                     out->site_poses + 7 * i + 3);
    for (int i = 0; out->geom_poses && i < model->geom_count; i++) {
        const TnGeom *geom = &model->geoms[i];
        TnSite frame = {.body = geom->body};
        double *pose = out->geom_poses + 7 * i;
        memset(pose, 0, sizeof(double[7]));
        if (geom->type == TN_GEOM_SOFT) continue;
        memcpy(frame.pos, geom->pos, sizeof frame.pos);
        memcpy(frame.quat, geom->quat, sizeof frame.quat);
        tn_site_pose(model, &frame, frames, pose, pose + 3);
    }
}

/* Gravity compensation of all dofs, in the arena. */
static bool eval_lift(const TnModel *model, const double *qpos, const TnLinkFrame *frames,
                      TnArena *arena, double **out)
{
    double *lift = *out = TN_ARENA_ZERO(arena, double, model->dof_count);
    if (!lift) return false;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        const double *origin = frames[sub->link_start].com;
        size_t mark = tn_arena_mark(arena);
        double(*S)[6] = tn_arena_alloc(arena, sizeof *S * (size_t)sub->dof_count);
        if (!S) return false;
        tn_tree_axes(model, sub, qpos, frames, origin, S);
        tn_tree_lift(model, sub, frames + sub->link_start, origin, (const double(*)[6])S,
                     lift + sub->dof_start);
        tn_arena_release(arena, mark);
    }
    return true;
}

/* Frames at qpos, with mocap bodies where they were put; NULL: no memory. */
static const TnLinkFrame *eval_frames(const TnModel *model, const double *qpos, TnArena *arena,
                                      const TnEval *out)
{
    TnLinkFrame *frames = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count);
    if (!frames) return NULL;
    tn_kinematics(model, qpos, 0, model->link_count, frames);
    for (int l = 1; out->mocap && l <= model->mocap_count; l++)
        tn_mocap_frame(out->mocap + 7 * (l - 1), &frames[l]);
    return frames;
}

static const double (*eval_twists(const TnModel *model, const double *qpos, const double *qvel,
                                  const TnLinkFrame *frames, TnArena *arena))[6]
{
    double(*twists)[6] = tn_arena_alloc(arena, sizeof *twists * (size_t)model->link_count);
    if (twists) tn_kinematics_twists(model, qpos, qvel, frames, 0, model->link_count, twists);
    return (const double(*)[6])twists;
}

bool tn_model_eval_in(const TnModel *model, const double *qpos, const double *qvel,
                      const double *ctrl, const TnInstant *known, TnArena *arena, TnEval *out)
{
    const TnLinkFrame *frames = known ? known->frames : eval_frames(model, qpos, arena, out);
    if (!frames) return false;
    if (!qvel) {
        qvel = TN_ARENA_ZERO(arena, double, model->dof_count);
        if (!qvel) return false;
    }
    double *inputs = TN_ARENA_NEW(arena, double, model->actuator_count);
    if (!inputs) return false;
    const TnDrive drive = {0.0, model->option.timestep, ctrl, out->act, qpos, frames};
    tn_actuator_inputs(model, &drive, inputs, NULL);
    if (out->body_poses)
        for (int b = 0; b < model->body_count; b++)
            tn_body_pose(model, frames, b, out->body_poses + 7 * b, out->body_poses + 7 * b + 3);
    eval_poses(model, frames, out);
    if ((out->mass_matrix || out->bias || out->inverse) &&
        (!eval_dynamics(model, qpos, qvel, frames, arena, out) ||
         !tn_eval_paths(model, qpos, qvel, frames, arena, out)))
        return false;
    if (!out->actuator_force && !out->sensors && !out->passive) return true;
    const double(*twists)[6] =
        known ? known->twists : eval_twists(model, qpos, qvel, frames, arena);
    if (!twists) return false;
    const TnDriven state = {qpos, qvel, inputs, frames, twists};
    for (int a = 0; out->actuator_force && a < model->actuator_count; a++)
        out->actuator_force[a] = tn_actuator_force(model, a, &state);
    double *lift = NULL;
    if ((out->sensors || out->passive) && model->has_lift &&
        !eval_lift(model, qpos, frames, arena, &lift))
        return false;
    if (out->passive && !eval_passive(model, &state, lift, arena, out->passive)) return false;
    if (out->sensors) {
        TnSensing at = {model, qpos, qvel, inputs, frames, twists, lift};
        tn_sensors_eval(&at, out->sensors);
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
    return tn_eval_paths_size(model) +
           links * (sizeof(TnLinkFrame) + (model->drags ? 96 : 36) * sizeof(double)) +
           (dofs * dofs + 7 * dofs + 2 * (size_t)model->dof_count + (size_t)model->actuator_count) *
               sizeof(double) +
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
        ok = tn_model_eval_in(model, qpos, qvel, ctrl, NULL, &arena, out);
        tn_arena_free(&arena);
    }
    if (!ok) {
        tn_error_add(err, TN_ERROR_MEMORY, "tn_model_eval: no memory");
        return TN_ERROR_MEMORY;
    }
    return TN_OK;
}
