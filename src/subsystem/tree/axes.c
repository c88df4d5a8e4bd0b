/* axes.c: motion axes of a tree in world axes about one common point, and the Jacobians read off
 * from them. */
#include "tree.h"

void tn_tree_axes(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                  const TnLinkFrame *frames, const double origin[3], double (*S)[6])
{
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        const TnLink *link = &model->links[i];
        tn_link_axes(model, link, &frames[link->parent], &frames[i], qpos, 0, origin,
                     S + (link->dof_start - sub->dof_start));
    }
}

void tn_tree_jacobian(const TnModel *model, const TnSubsystem *sub, const double origin[3],
                      const double (*S)[6], int link, const double point[3], double *J)
{
    int n = sub->dof_count;
    memset(J, 0, sizeof(double) * 6 * (size_t)n);
    if (link == 0) return;
    const TnLink *l = &model->links[link];
    double arm[3];
    v3_sub(arm, point, origin);
    /* only the dofs between the link and the root move it */
    for (int dof = l->dof_start + l->dof_count - 1; dof >= sub->dof_start;
         dof = model->dof_parent[dof]) {
        int d = dof - sub->dof_start;
        double turn[3];
        v3_cross(turn, S[d] + 3, arm);
        for (int r = 0; r < 3; r++) {
            J[r * n + d] = S[d][r] + turn[r];
            J[(r + 3) * n + d] = S[d][r + 3];
        }
    }
}
