/* rigid.c: one free body over a step.
 *
 * Linear motion at the centre of mass: m(v̂ - v)/(θt) = f. Angular motion by Euler's equations at
 * the midpoint, body axes: I(ω̂ - ω)/(θt) + ω̂ × I ω̂ = τ, solved by Newton's method. The end state
 * balances spatial angular momentum exactly: R⁺ = cay(t ω̂) R,   L⁺ = L + tτ + constraint impulses,
 * ω⁺ = (R⁺ I R⁺ᵀ)⁻¹ L⁺. At θ = ½ without torque the last line gives the same ω⁺ as 2ω̂ - ω does, so
 * that energy is kept as well (docs/time-stepping.md). */
#include "../../model/joint_motion.h"
#include "../dynamics.h"

/* Axes of the principal inertia in the world. */
static void principal_rotation(double P[9], const TnLink *link, const double quat[4])
{
    double q[4];
    quat_mul(q, quat, link->inertia_axes);
    quat_normalize(q);
    quat_to_m3(P, q);
}

/* Three equal moments: no gyroscopic term, and any axes are principal axes. */
static bool isotropic(const double I[3]) { return I[0] == I[1] && I[1] == I[2]; }

/* x ← J⁻¹ x by cofactors; false where J is singular. */
static bool solve3(const double J[9], double x[3])
{
    double c0[3], c1[3], c2[3];
    v3_cross(c0, J + 3, J + 6);
    v3_cross(c1, J + 6, J);
    v3_cross(c2, J, J + 3);
    double det = v3_dot(J, c0);
    if (!(fabs(det) > 0.0)) return false;
    double r[3];
    for (int i = 0; i < 3; i++) r[i] = (c0[i] * x[0] + c1[i] * x[1] + c2[i] * x[2]) / det;
    v3_copy(x, r);
    return true;
}

/* ω̂ in principal axes: I(ω̂ - ω) + h(ω̂ × I ω̂ - τ) = 0 with h = θt. False: Newton did not get there,
 * ω̂ is without the gyroscopic term, which the balance of momentum at the end of the step makes up
 * for. */
static bool midpoint_rate(const double I[3], const double omega[3], const double torque[3],
                          double h, double hat[3])
{
    double plain[3], size = 0.0;
    for (int k = 0; k < 3; k++) {
        plain[k] = omega[k] + h * torque[k] / I[k];
        size += I[k] * (fabs(omega[k]) + fabs(plain[k]));
    }
    v3_copy(hat, plain);
    for (int iteration = 0; iteration < 10; iteration++) {
        const double *w = hat;
        double a = I[2] - I[1], b = I[0] - I[2], c = I[1] - I[0];
        double r[3] = {I[0] * (w[0] - plain[0]) + h * a * w[1] * w[2],
                       I[1] * (w[1] - plain[1]) + h * b * w[2] * w[0],
                       I[2] * (w[2] - plain[2]) + h * c * w[0] * w[1]};
        double residual = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        double J[9] = {I[0],         h * a * w[2], h * a * w[1], h * b * w[2], I[1],
                       h * b * w[0], h * c * w[1], h * c * w[0], I[2]};
        if (!isfinite(residual) || !solve3(J, r)) break;
        v3_sub(hat, hat, r);
        /* one more step after 1e-10 squares the error away */
        if (residual <= 1e-10 * size) return true;
    }
    v3_copy(hat, plain);
    return false;
}

/* A body that contacts press: L⁺ = I⁺ω⁺ with the inertia I⁺ where it is expected to end, so that
 * contacts' impulses change ω⁺ as they will when momentum is balanced. omega: in principal axes P;
 * last: v̂ of the last step. */
static void assemble_pressed(const TnDynamicsInput *in, const TnLink *link, const double P[9],
                             const double omega[3], const double last[6], const double *wrench,
                             const TnLinkFrame *frame, TnRigidSystem *out)
{
    const double *I = link->inertia_principal;
    double hat[3], quat[4], L[3], Q[9], end[3], h = in->theta * in->t;
    tn_predict_velocity(3, out->v + 3, last + 3, hat);
    v3_scale(hat, hat, in->t);
    quat_copy(quat, frame->quat);
    quat_cayley_world(quat, hat);
    principal_rotation(Q, link, quat);
    m3_rotate_diag(out->inertia_rate, Q, I);
    for (int k = 0; k < 9; k++) out->inertia_rate[k] /= h;
    for (int k = 0; k < 3; k++) hat[k] = I[k] * omega[k];
    m3_mul_v(L, P, hat);
    if (wrench) v3_add_scaled(L, wrench + 3, in->t);
    m3_tmul_v(hat, Q, L);
    for (int k = 0; k < 3; k++) hat[k] /= I[k];
    m3_mul_v(end, Q, hat);
    for (int k = 0; k < 3; k++)
        out->v_free[3 + k] = (1.0 - in->theta) * out->v[3 + k] + in->theta * end[k];
}

/* qvel: of this link; wrench: on it, or NULL; last: see TnDynamicsInput.pressed. */
static void assemble_link(const TnDynamicsInput *in, const TnLink *link, const double *qvel,
                          const double *last, const double *wrench, const TnLinkFrame *frame,
                          TnRigidSystem *out)
{
    const double *I = link->inertia_principal;
    double h = in->theta * in->t, arm[3], turn[3];
    out->mass_rate = link->mass / h;

    m3_mul_v(out->v + 3, frame->rot, qvel + 3);
    v3_sub(arm, frame->com, frame->pos);
    v3_cross(turn, out->v + 3, arm);
    v3_add(out->v, qvel, turn);

    for (int k = 0; k < 3; k++) {
        double acceleration =
            in->model->option.gravity[k] + (wrench ? wrench[k] / link->mass : 0.0);
        out->v_free[k] = out->v[k] + h * acceleration;
    }
    if (isotropic(I)) {
        for (int k = 0; k < 9; k++) out->inertia_rate[k] = k % 4 == 0 ? I[0] / h : 0.0;
        v3_copy(out->v_free + 3, out->v + 3);
        if (wrench) v3_add_scaled(out->v_free + 3, wrench + 3, h / I[0]);
        return;
    }
    double P[9], omega[3], torque[3] = {0.0, 0.0, 0.0}, hat[3];
    principal_rotation(P, link, frame->quat);
    m3_tmul_v(omega, P, out->v + 3);
    if (last) {
        assemble_pressed(in, link, P, omega, last, wrench, frame, out);
        return;
    }
    m3_rotate_diag(out->inertia_rate, P, I);
    for (int k = 0; k < 9; k++) out->inertia_rate[k] /= h;
    if (wrench) m3_tmul_v(torque, P, wrench + 3);
    midpoint_rate(I, omega, torque, h, hat);
    m3_mul_v(out->v_free + 3, P, hat);
}

void tn_rigid_assemble(const TnDynamicsInput *in, int link_index, const TnLinkFrame *frame,
                       TnRigidSystem *out)
{
    const TnLink *link = &in->model->links[link_index];
    const double *wrench = in->wrench ? in->wrench[link_index] : NULL;
    bool pressed = in->pressed && in->pressed[link->subsystem] > 0.0;
    assemble_link(in, link, in->qvel + link->dof_start, pressed ? in->last + link->dof_start : NULL,
                  wrench, frame, out);
}

/* L⁺ = L + tτ + impulses, where the solver's change of ω̂ carries the impulses: I_w(ω̂ - ω̂_free)/θ,
 * I_w that of the system. */
static void end_momentum(const TnDynamicsInput *in, const TnLink *link, const TnLinkFrame *frame,
                         const TnRigidSystem *system, const double *wrench, const double vhat[6],
                         double L[3])
{
    const double *I = link->inertia_principal;
    double change[3], P[9], own[3];
    v3_sub(change, vhat + 3, system->v_free + 3);
    m3_mul_v(L, system->inertia_rate, change); /* inertia_rate = I_w/(θt) */
    v3_scale(L, L, in->t);
    if (isotropic(I)) {
        v3_add_scaled(L, system->v + 3, I[0]);
    } else {
        principal_rotation(P, link, frame->quat);
        m3_tmul_v(own, P, system->v + 3);
        for (int k = 0; k < 3; k++) own[k] *= I[k];
        m3_mul_v(change, P, own);
        v3_add(L, L, change);
    }
    if (wrench) v3_add_scaled(L, wrench + 3, in->t);
}

/* q and v: of this link. */
static void advance_link(const TnDynamicsInput *in, const TnLink *link, const double *wrench,
                         const TnLinkFrame *frame, const TnRigidSystem *system,
                         const double vhat[6], const double way[6], double *q, double *v)
{
    const double *I = link->inertia_principal;
    double end[6], L[3], quat[4], com[3], arm[3];
    for (int k = 0; k < 6; k++) end[k] = system->v[k] + (vhat[k] - system->v[k]) / in->theta;
    end_momentum(in, link, frame, system, wrench, vhat, L);

    v3_add(com, frame->com, way);
    quat_copy(quat, frame->quat);
    quat_cayley_world(quat, way + 3);
    if (isotropic(I)) {
        v3_scale(end + 3, L, 1.0 / I[0]);
    } else {
        double P[9], rate[3];
        principal_rotation(P, link, quat);
        m3_tmul_v(rate, P, L);
        for (int k = 0; k < 3; k++) rate[k] /= I[k];
        m3_mul_v(end + 3, P, rate);
    }

    double back[4], turn[3];
    quat_rotate(arm, quat, link->com);
    v3_cross(turn, end + 3, arm);
    v3_sub(q, com, arm);
    quat_copy(q + 3, quat);
    v3_sub(v, end, turn);
    quat_conjugate(back, quat);
    quat_rotate(v + 3, back, end + 3);
}

void tn_rigid_advance(const TnDynamicsInput *in, int link_index, const TnLinkFrame *frame,
                      const TnRigidSystem *system, const double vhat[6], const double way[6],
                      double *qpos, double *qvel)
{
    const TnLink *link = &in->model->links[link_index];
    const double *wrench = in->wrench ? in->wrench[link_index] : NULL;
    double *q = qpos + in->model->joints[link->joint_start].qpos_start;
    advance_link(in, link, wrench, frame, system, vhat, way, q, qvel + link->dof_start);
}

void tn_rigid_divide_by_inertia(const TnLink *link, const double quat[4], const double x[3],
                                double out[3])
{
    const double *I = link->inertia_principal;
    if (I[0] == I[1] && I[1] == I[2]) {
        v3_scale(out, x, 1.0 / I[0]);
        return;
    }
    double axes[4], P[9], y[3];
    quat_mul(axes, quat, link->inertia_axes);
    quat_normalize(axes);
    quat_to_m3(P, axes);
    m3_tmul_v(y, P, x);
    for (int k = 0; k < 3; k++) y[k] /= I[k];
    m3_mul_v(out, P, y);
}
