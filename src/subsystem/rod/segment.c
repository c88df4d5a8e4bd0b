/* segment.c: one segment alone over a step: the equations of rigid/rigid.c for a body of revolution
 * about z through its own origin, I = I_t 1 + (I_a - I_t) z zᵀ.
 *
 * Its gyroscopic term (I_a - I_t) (ω̂·z) ω̂ × z is linear once ω̂·z is known, which no such term
 * changes: with p the ω̂ without it and κ = θt (I_t - I_a) (p·z) / I_t, ω̂ = z (z·p) + (p' + κ p' ×
 * z) / (1 + κ²),   p' = p - z (z·p). Segments of any other kind go to rigid.c. */
#include "../../math/vec3.h"
#include "rod.h"

static bool is_round(const TnLink *link)
{
    const double *I = link->inertia, *c = link->com;
    return I[0] == I[4] && I[1] == 0.0 && I[2] == 0.0 && I[5] == 0.0 && c[0] == 0.0 &&
           c[1] == 0.0 && c[2] == 0.0;
}

/* y = x / I_t + (1/I_a - 1/I_t) z (z·x) */
static void divide(double y[3], const TnLink *link, const double z[3], const double x[3])
{
    double t = 1.0 / link->inertia[0], more = (1.0 / link->inertia[8] - t) * v3_dot(z, x);
    for (int k = 0; k < 3; k++) y[k] = t * x[k] + more * z[k];
}

void tn_rod_segment_assemble(const TnDynamicsInput *in, int link_index, const TnLinkFrame *frame,
                             TnRigidSystem *out)
{
    const TnLink *link = &in->model->links[link_index];
    if (!is_round(link)) {
        tn_rigid_assemble(in, link_index, frame, out);
        return;
    }
    const double *qvel = in->qvel + link->dof_start, *gravity = in->model->option.gravity;
    const double *wrench = in->wrench ? in->wrench[link_index] : NULL;
    double h = in->theta * in->t, across = link->inertia[0], along = link->inertia[8];
    double z[3] = {frame->rot[2], frame->rot[5], frame->rot[8]}, plain[3], cross[3];
    v3_copy(out->v, qvel);
    m3_mul_v(out->v + 3, frame->rot, qvel + 3);
    v3_copy(out->v_free, out->v);
    v3_add_scaled(out->v_free, gravity, h);
    v3_copy(plain, out->v + 3);
    if (wrench) {
        double turn[3];
        v3_add_scaled(out->v_free, wrench, h / link->mass);
        divide(turn, link, z, wrench + 3);
        v3_add_scaled(plain, turn, h);
    }
    double spin = v3_dot(z, plain), kappa = h * (across - along) * spin / across;
    double shrink = 1.0 / (1.0 + kappa * kappa);
    v3_add_scaled(plain, z, -spin);
    v3_cross(cross, plain, z);
    for (int k = 0; k < 3; k++)
        out->v_free[3 + k] = spin * z[k] + shrink * (plain[k] + kappa * cross[k]);

    double per_h = 1.0 / h, rate = across * per_h, more = (along - across) * per_h;
    out->mass_rate = link->mass * per_h;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->inertia_rate[3 * i + j] = (i == j ? rate : 0.0) + more * (z[i] * z[j]);
}

void tn_rod_segment_advance(const TnDynamicsInput *in, int link_index, const TnLinkFrame *frame,
                            const TnRigidSystem *system, const double vhat[6], double w,
                            double reach, double *qpos, double *qvel)
{
    const TnLink *link = &in->model->links[link_index];
    if (!is_round(link)) {
        double way[6];
        tn_rigid_way(in, system->v, vhat, w, reach, way);
        tn_rigid_advance(in, link_index, frame, system, vhat, way, qpos, qvel);
        return;
    }
    const double *wrench = in->wrench ? in->wrench[link_index] : NULL;
    double *q = qpos + in->model->joints[link->joint_start].qpos_start, *v = qvel + link->dof_start;
    double end[6], move[6], weighed[3], L[3], R[9], omega[3];
    for (int k = 0; k < 6; k++) {
        end[k] = system->v[k] + (vhat[k] - system->v[k]) / in->theta;
        move[k] = reach * in->t * ((1.0 - w) * vhat[k] + w * end[k]);
    }
    for (int k = 0; k < 3; k++)
        weighed[k] = in->t * (in->theta * system->v[3 + k] + (vhat[3 + k] - system->v_free[3 + k]));
    m3_mul_v(L, system->inertia_rate, weighed);
    if (wrench) v3_add_scaled(L, wrench + 3, in->t);
    v3_add(q, frame->com, move);
    quat_copy(q + 3, frame->quat);
    quat_cayley_world(q + 3, move + 3);
    quat_to_m3(R, q + 3);
    double z[3] = {R[2], R[5], R[8]};
    divide(omega, link, z, L);
    v3_copy(v, end);
    m3_tmul_v(v + 3, R, omega);
}
