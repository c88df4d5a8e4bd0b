/* fast.c: trees whose joints turn far in a step.
 *
 * The midpoint rule errs by (tω)² and its equations become hard to solve: a top of 100 rad/s at 5
 * ms precesses 3 to 20 % too slowly. The free motion of such a tree is found in smaller steps, m of
 * them, of at most TN_STRAIGHT each. What the solver gets is one step again: A of the whole step
 * and b = A v_free with v_free = (1-θ) v + θ v⁺, so that without constraints v⁺ is that of the
 * small steps. With them the displacement goes on from where the free motion ended (advance.c). */
#include "tree.h"

#include "../../model/thresholds.h"

#define MOST_STEPS 32.0

static int step_count(const TnDynamicsInput *in, const TnSubsystem *sub)
{
    const TnModel *model = in->model;
    double most = 0.0;
    for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count;) {
        const TnJoint *joint = &model->joints[model->dof_joint[d]];
        const double *v = in->qvel + d;
        int dofs = tn_joint_dofs(joint->type);
        if (joint->type == TN_JOINT_HINGE) most = fmax(most, fabs(v[0]));
        if (joint->type == TN_JOINT_BALL) most = fmax(most, v3_norm(v));
        if (joint->type == TN_JOINT_FREE) most = fmax(most, v3_norm(v + 3));
        d += dofs;
    }
    double count = ceil(in->t * most / TN_STRAIGHT);
    return count > 1.0 ? (int)fmin(count, MOST_STEPS) : 1;
}

/* The free motion in m steps: to q and v (whole-model arrays, its own entries). */
static bool fine_motion(const TnDynamicsInput *in, const TnSubsystem *sub,
                        const TnLinkFrame *frames, TnArena *arena, int m, TnTreeSystem *system,
                        double *q, double *v)
{
    TnDynamicsInput fine = *in;
    fine.t = in->t / m;
    fine.qpos = q;
    fine.qvel = v;
    fine.blend = NULL;
    fine.last = NULL;
    for (int k = 0; k < m; k++) {
        if (!tn_tree_assemble_once(&fine, sub, frames, arena, system)) return false;
        TnJointWork work = tn_tree_work(&fine, sub, system, system->v_free, system->w, 1.0);
        system->free_work.actuators += work.actuators;
        system->free_work.damping += work.damping;
        tn_tree_advance(&fine, sub, system, system->v_free, system->w, 1.0, q, v);
    }
    return true;
}

bool tn_tree_assemble(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                      TnArena *arena, TnTreeSystem *out)
{
    /* pushed, or linear about what a pass before found: the free motion says too little */
    bool pushed = in->blend && in->blend[sub - in->model->subsystems] > 0.0;
    int n = sub->dof_count, m = in->expected || in->measured || pushed ? 1 : step_count(in, sub);
    out->free_work = (TnJointWork){0.0, 0.0};
    if (m == 1) return tn_tree_assemble_once(in, sub, frames, arena, out);
    double *end = TN_ARENA_NEW(arena, double, sub->qpos_count);
    size_t mark = tn_arena_mark(arena);
    double *q = TN_ARENA_NEW(arena, double, in->model->qpos_count),
           *v = TN_ARENA_NEW(arena, double, in->model->dof_count);
    bool ok = end && q && v;
    if (ok) {
        memcpy(q + sub->qpos_start, in->qpos + sub->qpos_start,
               sizeof(double) * (size_t)sub->qpos_count);
        memcpy(v + sub->dof_start, in->qvel + sub->dof_start, sizeof(double) * (size_t)n);
        ok = fine_motion(in, sub, frames, arena, m, out, q, v);
    }
    if (ok) {
        memcpy(end, q + sub->qpos_start, sizeof(double) * (size_t)sub->qpos_count);
        for (int d = sub->dof_start; d < sub->dof_start + n; d++)
            v[d] = (1.0 - in->theta) * in->qvel[d] + in->theta * v[d];
        TnDynamicsInput whole = *in;
        whole.expected = v;
        ok = tn_tree_assemble_once(&whole, sub, frames, arena, out);
    }
    if (ok) {
        memcpy(out->v_free, v + sub->dof_start, sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) {
            out->b[i] = 0.0;
            for (int k = 0; k < n; k++) out->b[i] += out->A[i * n + k] * out->v_free[k];
        }
        out->free_end = end;
        out->w = out->damped = 0.0;
    }
    tn_arena_release(arena, mark);
    return ok || tn_tree_assemble_once(in, sub, frames, arena, out);
}
