/* advance.c: the segments' new state from v̂, and the rod's elastic energy. Each segment takes the
 * impulse that the linear system gave it. The joints' forces act at levers of the predicted
 * midpoint, which leaves a torque of second order on the rod as a whole; account/balance.c takes it
 * off. */
#include "rod.h"

#include "../../math/vec3.h"

void tn_rod_advance(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                    const TnRodSystem *system, const double *vhat, double reach, double *qpos,
                    double *qvel)
{
    for (int i = 0; i < system->count; i++) {
        int link = sub->link_start + i;
        tn_rod_segment_advance(in, link, &frames[link], &system->segments[i], vhat + 6 * i,
                               system->w, reach, qpos, qvel);
    }
}

double tn_rod_energy(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames)
{
    const TnRod *rod = &model->rods[sub->kind_index];
    const TnLinkFrame *f = frames + sub->link_start;
    double energy = 0.0;
    for (int j = 0; j + 1 < sub->link_count; j++) {
        TnRodStrain strain;
        double x_a[3], x_b[3];
        tn_rod_arm(f[j].quat, rod->joints[j].from, x_a);
        tn_rod_arm(f[j + 1].quat, rod->joints[j].to, x_b);
        v3_add(x_a, x_a, f[j].com);
        v3_add(x_b, x_b, f[j + 1].com);
        tn_rod_strain_place(x_a, f[j].quat, x_b, f[j + 1].quat, rod->joints[j].kink, &strain);
        tn_rod_strain_measure(&rod->joints[j], v3_norm(rod->joints[j].rest), &strain);
        for (int k = 0; k < 7; k++) {
            double stiffness = rod->joints[j].k[k < 6 ? k : 2];
            energy += 0.5 * stiffness * strain.g[k] * strain.g[k];
        }
    }
    return energy;
}
