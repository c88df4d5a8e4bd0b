/* passive.c: forces of springs and dampers of joints and tendons at a state. */
#include "../model/joint_law.h"
#include "../model/joint_motion.h"
#include "../model/path.h"
#include "dynamics.h"

/* ---- tendons ---- */

/* A force along a path, on dofs. */
typedef struct Pulled {
    const TnModel *model;
    const TnDriven *at;
    double force, *out;
} Pulled;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    const Pulled *pulled = context;
    const TnModel *model = pulled->model;
    for (int l = link; model->links[l].subsystem >= 0; l = model->links[l].parent) {
        const TnLink *at = &model->links[l];
        double S[6][6]; /* a link has six dofs at most; at the point */
        tn_link_axes(model, at, &pulled->at->frames[at->parent], &pulled->at->frames[l],
                     pulled->at->qpos, 0, point, S);
        for (int d = 0; d < at->dof_count; d++)
            pulled->out[at->dof_start + d] +=
                pulled->force * (v3_dot(linear, S[d]) + v3_dot(angular, S[d] + 3));
    }
}

static void add_moment(void *context, int dof, double coef)
{
    const Pulled *pulled = context;
    pulled->out[dof] += coef * pulled->force;
}

static void add_tendon(const TnModel *model, const TnTendon *tendon, const TnDriven *at,
                       double *force)
{
    const TnPath *path = &model->paths[tendon->path];
    double rate;
    double over = tn_path_rate(model, path, at->qpos, at->qvel, at->frames, at->twists, &rate) -
                  tendon->spring_length;
    double stretch = over > tendon->dead_band ? over - tendon->dead_band : over < 0.0 ? over : 0.0;
    Pulled pulled = {model, at, -tendon->stiffness * stretch - tendon->damping * rate, force};
    if (pulled.force == 0.0) return;
    tn_path_walk(model, path, at->qpos, at->frames,
                 &(TnPathVisitor){add_pull, add_moment, &pulled});
}

void tn_springs_and_dampers(const TnModel *model, const TnDriven *at, double *force)
{
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        double stretch[6] = {0.0};
        if (tn_joint_has_spring(joint))
            tn_joint_stretch(model, joint, at->qpos + joint->qpos_start, stretch);
        for (int k = 0; k < tn_joint_dofs(joint->type); k++) {
            double rate = at->qvel[joint->dof_start + k];
            force[joint->dof_start + k] -= tn_joint_stiffness(joint, stretch[k]) * stretch[k] +
                                           tn_joint_damping(joint, rate) * rate;
        }
    }
    for (int t = 0; t < model->tendon_count; t++) add_tendon(model, &model->tendons[t], at, force);
}
