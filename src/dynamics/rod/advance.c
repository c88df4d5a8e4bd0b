/* advance.c: the segments' new state from v̂, and the rod's elastic energy.
 *
 * Each segment takes the impulse that the linear system gave it, so linear momentum is balanced to
 * rounding. The joints' forces act at levers of the predicted midpoint, while the orbital momentum
 * Σ x × m v of a step changes by
 *     Σ (x + c t v̂) × m (v⁺ - v),   c = (1-θ)(1-w),
 * so a torque Σ τ + (x + c t v̂) × f of the joints' wrenches (f, τ) is left that no joint can have.
 * It is of second order in the change of velocity, and is given back as a rigid turn of the rod about its
 * centre of mass: v⁺ += ω × (x⁺ - c), ω⁺ += ω. That keeps linear momentum, makes angular momentum
 * exact and excites no short waves, which a correction joint by joint would. */
#include "rod.h"

#include "../../math/vec3.h"

/* Share of the kinetic energy that the correction may have. Beyond it the step is too coarse for its
 * momentum to mean much, and stability comes first. */
#define CORRECTION_SHARE 1e-2

/* The joints' torque on the whole rod at the levers x + c t v̂. What a segment got beyond its own free
 * motion, A_rigid (v̂ - v_rigid), is what its joints did to it. About the first segment: forces add up
 * to nothing, and the numbers stay small far from the origin. */
static void left_torque(const TnLinkFrame *frames, const TnRodSystem *system, const double *vhat,
                        double ct, double torque[3])
{
    v3_set(torque, 0.0, 0.0, 0.0);
    for (int i = 0; i < system->count; i++) {
        const TnRigidSystem *rigid = &system->segments[i];
        double change[6], couple[3], lever[3], x[3];
        for (int k = 0; k < 6; k++) change[k] = vhat[6 * i + k] - rigid->v_free[k];
        v3_sub(lever, frames[i].com, frames[0].com);
        v3_add_scaled(lever, vhat + 6 * i, ct);
        v3_cross(x, lever, change);
        m3_mul_v(couple, rigid->inertia_rate, change + 3);
        v3_add_scaled(torque, x, rigid->mass_rate);
        v3_add(torque, torque, couple);
    }
}

/* Centre of mass, inertia about it, and twice the kinetic energy, of the new state. */
static void whole(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                  const double *qvel, double centre[3], double I[9], double *energy)
{
    double mass = 0.0, first[9], R[9], weighed[3];
    v3_set(centre, 0.0, 0.0, 0.0);
    memset(I, 0, 9 * sizeof(double));
    *energy = 0.0;
    for (int i = 0; i < sub->link_count; i++) {
        const TnLink *link = &model->links[sub->link_start + i];
        v3_add_scaled(centre, qpos + sub->qpos_start + 7 * i, link->mass);
        mass += link->mass;
    }
    v3_scale(centre, centre, 1.0 / mass);
    for (int i = 0; i < sub->link_count; i++) {
        const TnLink *link = &model->links[sub->link_start + i];
        const double *q = qpos + sub->qpos_start + 7 * i, *v = qvel + sub->dof_start + 6 * i;
        double r[3], Rt[9];
        v3_sub(r, q, centre);
        double r2 = v3_dot(r, r);
        quat_to_m3(R, q + 3);
        m3_mul(first, R, link->inertia);
        m3_transpose(Rt, R);
        m3_mul(first, first, Rt);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                I[3 * a + b] += first[3 * a + b] + link->mass * ((a == b ? r2 : 0.0) - r[a] * r[b]);
        m3_mul_v(weighed, link->inertia, v + 3);
        *energy += link->mass * v3_dot(v, v) + v3_dot(v + 3, weighed);
    }
}

/* x = I⁻¹ y for a symmetric positive definite I, by cofactors. */
static bool solve3(const double I[9], const double y[3], double x[3])
{
    double c0[3], c1[3], c2[3];
    v3_cross(c0, I + 3, I + 6);
    v3_cross(c1, I + 6, I);
    v3_cross(c2, I, I + 3);
    double det = v3_dot(I, c0);
    if (!(det > 0.0)) return false;
    for (int i = 0; i < 3; i++) x[i] = (c0[i] * y[0] + c1[i] * y[1] + c2[i] * y[2]) / det;
    return true;
}

static void turn_back(const TnModel *model, const TnSubsystem *sub, const double impulse[3],
                      const double *qpos, double *qvel)
{
    double centre[3], I[9], energy, omega[3];
    whole(model, sub, qpos, qvel, centre, I, &energy);
    if (!solve3(I, impulse, omega)) return;
    double added = v3_dot(omega, impulse);
    if (!(added <= CORRECTION_SHARE * energy)) return;
    for (int i = 0; i < sub->link_count; i++) {
        const double *q = qpos + sub->qpos_start + 7 * i;
        double *v = qvel + sub->dof_start + 6 * i, r[3], x[3], back[4];
        v3_sub(r, q, centre);
        v3_cross(x, omega, r);
        v3_add(v, v, x);
        quat_conjugate(back, q + 3);
        quat_rotate(x, back, omega);
        v3_add(v + 3, v + 3, x);
    }
}

void tn_rod_advance(const TnDynamicsInput *in, const TnSubsystem *sub, const TnLinkFrame *frames,
                    const TnRodSystem *system, const double *vhat, double *qpos, double *qvel)
{
    const TnLinkFrame *own = frames + sub->link_start;
    for (int i = 0; i < system->count; i++)
        tn_rod_segment_advance(in, sub->link_start + i, &own[i], &system->segments[i], vhat + 6 * i,
                               system->w, qpos, qvel);
    if (!system->alone)
        return; /* others take momentum anyway, and what is held must not be turned */
    double impulse[3];
    left_torque(own, system, vhat, (1.0 - in->theta) * (1.0 - system->w) * in->t, impulse);
    v3_scale(impulse, impulse, -in->t);
    turn_back(in->model, sub, impulse, qpos, qvel);
}

double tn_rod_energy(const TnModel *model, const TnSubsystem *sub, const TnLinkFrame *frames)
{
    const TnRod *rod = &model->rods[sub->kind_index];
    const TnLinkFrame *f = frames + sub->link_start;
    double energy = 0.0;
    for (int j = 0; j + 1 < sub->link_count; j++) {
        TnRodStrain strain;
        tn_rod_strain_place(f[j].com, f[j].quat, f[j + 1].com, f[j + 1].quat, &strain);
        tn_rod_strain_measure(&rod->joints[j], v3_norm(rod->joints[j].rest), &strain);
        for (int k = 0; k < 7; k++) {
            double stiffness = rod->joints[j].k[k < 6 ? k : 2];
            energy += 0.5 * stiffness * strain.g[k] * strain.g[k];
        }
    }
    return energy;
}
