/* lift.c: gravity compensation. Each body that has it is carried by a force -k m g at its centre of
 * mass. Of a link, with m = Σ k m and h = Σ k m c over the bodies fixed to it, this is the force
 * -m g and the torque -(h - m O) × g about O. On dof d acts S_d · Σ of all links behind it. */
#include "tree.h"

/* About the origin of the axes S. */
static void wrench_of(const TnLink *link, const TnLinkFrame *frame, const double gravity[3],
                      const double origin[3], double W[6])
{
    double arm[3], h[3];
    m3_mul_v(h, frame->rot, link->lift_moment);
    v3_sub(arm, frame->pos, origin);
    v3_add_scaled(h, arm, link->lift);
    v3_cross(W + 3, gravity, h);
    v3_scale(W, gravity, -link->lift);
}

void tn_tree_lift(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames,
                  const double origin[3], const double (*S)[6], double *lift)
{
    memset(lift, 0, sizeof(double) * (size_t)sub->dof_count);
    for (int i = 0; i < sub->link_count; i++) {
        const TnLink *link = &model->links[sub->link_start + i];
        double W[6];
        if (link->lift == 0.0) continue;
        wrench_of(link, &frames[i], model->option.gravity, origin, W);
        for (int d = link->dof_start + link->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
            const double *s = S[d - sub->dof_start];
            for (int k = 0; k < 6; k++) lift[d - sub->dof_start] += s[k] * W[k];
        }
    }
}
