/* jacobian.c: Jacobians of points that move with bodies, in the coordinates of qvel. */
#include "jacobian.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../device/device.h"
#include "../math/vec3.h"
#include "../model/joint_motion.h"

void tn_link_jacobian(const TnModel *model, const double *qpos, const TnLinkFrame *frames, int link,
                      const double point[3], double *J)
{
    size_t n = (size_t)model->dof_count;
    memset(J, 0, sizeof(double) * 6 * n);
    for (int l = link; model->links[l].subsystem >= 0; l = model->links[l].parent) {
        const TnLink *at = &model->links[l];
        double S[6][6]; /* a link has six dofs at most */
        tn_link_axes(model, at, &frames[at->parent], &frames[l], qpos, 0, point, S);
        for (int d = 0; d < at->dof_count; d++)
            for (int r = 0; r < 6; r++) J[(size_t)r * n + (size_t)(at->dof_start + d)] = S[d][r];
    }
}

static TnStatus refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "jacobian: %s", why);
    return TN_ERROR_USAGE;
}

static bool is_finite(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

TnStatus tn_world_jacobian(const TnWorld *world, TnBodyId body, const double point[3],
                           double *jacobian, TnError *err)
{
    if (!tn_world_has_body(world, body) || !point || !jacobian || !is_finite(point))
        return refuse(err, "a body, a point and room for the result must be given");
    tn_world_fetch(world);
    const TnModel *model = world->model;
    tn_link_jacobian(model, world->state.qpos, world->frames, model->bodies[body - 1].link, point,
                     jacobian);
    return TN_OK;
}

TnStatus tn_model_jacobian(const TnModel *model, const double *qpos, TnBodyId body,
                           const double point[3], double *jacobian, TnError *err)
{
    if (!model || body < 1 || body > model->body_count || !point || !jacobian ||
        (!qpos && model->qpos_count) || !is_finite(point))
        return refuse(err, "a body, qpos, a point and room for the result must be given");
    TnLinkFrame *frames = tn_malloc(sizeof *frames * (size_t)model->link_count);
    if (!frames) {
        tn_error_add(err, TN_ERROR_MEMORY, "jacobian: no memory");
        return TN_ERROR_MEMORY;
    }
    double pos[3], quat[4], at[3];
    tn_kinematics(model, qpos, 0, model->link_count, frames);
    tn_body_pose(model, frames, body - 1, pos, quat);
    quat_rotate(at, quat, point);
    v3_add(at, at, pos);
    tn_link_jacobian(model, qpos, frames, model->bodies[body - 1].link, at, jacobian);
    tn_free(frames);
    return TN_OK;
}
