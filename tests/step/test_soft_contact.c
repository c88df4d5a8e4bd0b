/* Soft bodies that meet rigid ones, each other and the ground. */
#include "soft_touch.h"

TEST(momentum)
{
    for (int kind = 0; kind < 2; kind++)
    for (int dt = 0; dt < 3; dt++)
    for (int var = 0; var < 6; var++) { int pieces=0; double V = var==1||var==4?0.1:1, damp=var==2||var==3||var==4?0:0.001, mu = var==5||var==3?0:0.5;
    if (kind==2 && pieces) continue;
    double t = dt==0 ? 0.01 : dt == 1 ? 0.002 : 0.0005;
    Touch touch = touch_begin(t);
    touch.option.gravity[2] = 0; touch.def.solver.iterations = 5000; touch.def.solver.tolerance = 1e-11;
    const double half[3] = {0.1, 0.06, 0.05}, half2[3] = {0.07, 0.08, 0.05};
    const int cells[3] = {4, 3, 2}, cells2[3] = {3, 3, 2};
    if (kind != 1) touch_box(&touch, TN_JOINT_FREE, half2, 1, (const double[3]){0.03, 0.02, -0.102});
    TnSoftDef soft = touch_block(half, cells, 0);
    soft.friction[0] = mu; soft.damping_stiffness=damp; soft.youngs_modulus = 2e5; soft.pieces = pieces ? 4 : 0;
    touch_add(&touch, &soft);
    if (kind == 1) {
    soft = touch_block(half2, cells2, -0.102);
    soft.pos[0] = 0.03; soft.pos[1] = 0.02;
    soft.friction[0] = mu; soft.damping_stiffness=damp; soft.youngs_modulus = 1e5;
    touch_add(&touch, &soft);
    }
    if (!touch_finish(&touch)) return;
    TnStateView s = tn_world_state(touch.world);
    double *qvel = calloc((size_t)s.dof_count, sizeof *qvel);
    TnError err = {0};
    TnSoftInfo info = tn_model_soft_info(touch.model, 1);
    for (int i = 0; i < info.node_count; i++) qvel[info.dof_start + 3*i] = 0.3*V, qvel[info.dof_start+3*i+2] = -V;
    tn_world_set_state(touch.world, s.qpos, qvel, &err);
    free(qvel);
    int bad=0,its=0;double p0[3], l0[3], p[3], l[3], dp = 0, dl = 0, dl_c=0, dl_f=0; int n = 0;
    TnEnergy e0 = tn_world_energy(touch.world), e; double most = 0, lp[3];
    tn_world_momentum(touch.world, p0, l0); memcpy(lp,l0,sizeof lp);
    for (int k = 0; k < 0.2/V / t; k++) {
        TnStepReport r = touch_step(&touch);
        if (r.contact_count) n++; bad+=!r.converged; its+=r.iterations; if (0) printf("%d %.1e not converged\n", k, r.residual);
        tn_world_momentum(touch.world, p, l);
        double step=0;
        for (int a = 0; a < 3; a++) dp = fmax(dp, fabs(p[a]-p0[a])), dl = fmax(dl, fabs(l[a]-l0[a])), step=fmax(step,fabs(l[a]-lp[a]));
        memcpy(lp,l,sizeof lp);
        if (r.contact_count) dl_c = fmax(dl_c, step); else dl_f=fmax(dl_f,step);
        e = tn_world_energy(touch.world);
        most = fmax(most, e.kinetic+e.potential);
    }
    e = tn_world_energy(touch.world);
    printf("V %g damp %g mu %g: kind %d t %g pieces %d: dp %.1e of %.3f, dl %.1e of %.3f (step contact %.1e free %.1e), steps with contact %d, energy %.5f -> %.5f most %.5f; bad %d its %d\n", V,damp,mu,kind, t, pieces, dp, -p0[2], dl, l0[1], dl_c, dl_f, n, e0.kinetic+e0.potential, e.kinetic+e.potential, most,bad,its);
    touch_end(&touch);
    }
}
