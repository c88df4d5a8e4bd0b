/* joint_forces.c: see joint_forces.h for the laws. */
#include "joint_forces.h"

static const TnJoint *joint_of(const TnJointForces *forces, int d)
{
    const TnModel *model = forces->tree->model;
    return &model->joints[model->dof_joint[forces->tree->sub->dof_start + d]];
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Stiffness and damping that an actuator gives its joint; the destabilizing kind counts as none. */
static double servo_stiffness(const TnActuator *a)
{
    return fmax(0.0, -a->gear * a->gear * a->bias[1]);
}
static double servo_damping(const TnActuator *a)
{
    return fmax(0.0, -a->gear * a->gear * a->bias[2]);
}

bool tn_joint_forces_init(TnJointForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                          TnArena *scratch)
{
    const TnModel *model = tree->model;
    const TnSubsystem *sub = tree->sub;
    *forces = (TnJointForces){.in = in, .tree = tree};
    for (int a = 0; a < model->actuator_count; a++) {
        int dof = model->joints[model->actuators[a].joint].dof_start - sub->dof_start;
        if (dof >= 0 && dof < sub->dof_count) forces->servo_count++;
    }
    forces->theta_damping = TN_ARENA_NEW(scratch, double, sub->dof_count);
    forces->servo_lead = TN_ARENA_NEW(scratch, double, sub->dof_count);
    forces->servos = TN_ARENA_NEW(scratch, TnServo, forces->servo_count);
    if (!forces->theta_damping || !forces->servo_lead || !forces->servos) return false;
    TnServo *servo = forces->servos;
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        int dof = model->joints[actuator->joint].dof_start - sub->dof_start;
        if (dof < 0 || dof >= sub->dof_count) continue;
        *servo = (TnServo){.actuator = a, .dof = dof, .low = -INFINITY, .high = INFINITY};
        if (actuator->force_limited) {
            double x = actuator->gear * actuator->force_range[0],
                   y = actuator->gear * actuator->force_range[1];
            servo->low = fmin(x, y);
            servo->high = fmax(x, y);
        }
        servo++;
    }
    return true;
}

void tn_joint_forces_weigh(TnJointForces *forces, const double *M_factor, double *y)
{
    double t = forces->in->t, theta = forces->in->theta;
    double *damping = forces->theta_damping,
           *stiffness = forces->servo_lead; /* turned into θ_d and s below */
    int n = forces->tree->n;
    for (int d = 0; d < n; d++) {
        damping[d] = joint_of(forces, d)->damping;
        stiffness[d] = 0.0;
    }
    for (int k = 0; k < forces->servo_count; k++) {
        const TnServo *servo = &forces->servos[k];
        const TnActuator *a = &forces->tree->model->actuators[servo->actuator];
        damping[servo->dof] += servo_damping(a);
        stiffness[servo->dof] += servo_stiffness(a);
    }
    for (int d = 0; d < n; d++) {
        double D = damping[d], K = stiffness[d];
        damping[d] = theta;
        stiffness[d] = 0.0;
        if (D <= 0.0 && K <= 0.0) continue;
        double compliance = tn_tree_compliance(forces->tree, M_factor, d, y);
        double x = D * t * compliance, z = K * t * t * compliance;
        if (x > 1.0) damping[d] = fmax(theta, 1.0 - 1.0 / x);
        if (z > 16.0) stiffness[d] = 0.125 - 2.0 / z;
    }
}

/* Rotation vector from the reference orientation, in body axes. */
static void rotation_from(double r[3], const double reference[4], const double quat[4])
{
    double unit[4], back[4];
    tn_unit_quat(back, reference);
    quat_conjugate(back, back);
    tn_unit_quat(unit, quat);
    quat_mul(unit, back, unit);
    quat_to_rotvec(r, unit);
}

static void add_spring(const TnJointForces *forces, const TnJoint *joint, const double *q_eval,
                       const double *v_eval, double h, double *A, double *b)
{
    const TnTree *tree = forces->tree;
    int n = tree->n, d = joint->dof_start - tree->sub->dof_start;
    double K = joint->stiffness, implicit = forces->in->theta * forces->in->t * K;
    const double *q = q_eval + (joint->qpos_start - tree->sub->qpos_start);
    const double *reference = tree->model->qpos0 + joint->qpos_start;
    double stretch[6];
    int dofs = tn_joint_dofs(joint->type);
    switch (joint->type) {
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        stretch[0] = q[0] - joint->spring_ref;
        break;
    case TN_JOINT_BALL:
        rotation_from(stretch, reference, q);
        break;
    case TN_JOINT_FREE:
        v3_sub(stretch, q, reference);
        rotation_from(stretch + 3, reference + 3, q + 3);
        break;
    }
    /* the stretch at q_eval, and from there to the midpoint that v̂ leads to */
    for (int k = 0; k < dofs; k++) {
        A[(d + k) * n + d + k] += implicit;
        b[d + k] += K * (h * v_eval[d + k] - stretch[k]);
    }
}

void tn_joint_forces_passive(const TnJointForces *forces, const double *q_eval,
                             const double *v_eval, double h, double *A, double *b)
{
    const TnTree *tree = forces->tree;
    int n = tree->n;
    const double *v = forces->in->qvel + tree->sub->dof_start;
    for (int d = 0; d < n;) {
        const TnJoint *joint = joint_of(forces, d);
        int dofs = tn_joint_dofs(joint->type);
        if (joint->stiffness != 0.0) add_spring(forces, joint, q_eval, v_eval, h, A, b);
        if (joint->damping != 0.0) {
            for (int k = d; k < d + dofs; k++) {
                double share = forces->theta_damping[k] / forces->in->theta;
                A[k * n + k] += joint->damping * share;
                b[k] += joint->damping * (share - 1.0) * v[k];
            }
        }
        d += dofs;
    }
}

void tn_joint_forces_servos(TnJointForces *forces, const double *v_eval, double h)
{
    const TnDynamicsInput *in = forces->in;
    const TnModel *model = forces->tree->model;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        const TnActuator *a = &model->actuators[servo->actuator];
        int d = servo->dof;
        double q = in->qpos[model->joints[a->joint].qpos_start],
               v = in->qvel[forces->tree->sub->dof_start + d];
        double u = in->ctrl ? in->ctrl[servo->actuator] : 0.0;
        if (a->ctrl_limited) u = clamp(u, a->ctrl_range[0], a->ctrl_range[1]);
        double gear2 = a->gear * a->gear, K = servo_stiffness(a), D = servo_damping(a);
        double s = forces->servo_lead[d], share = forces->theta_damping[d] / in->theta;
        double force = a->gear * (a->gain * u + a->bias[0]), slope = 0.0;
        if (K > 0.0) {
            force += K * (in->t * s * (1.0 - in->theta) / in->theta * v - q);
            slope += K * in->t * (1.0 - s + s / in->theta);
        } else {
            force += gear2 * a->bias[1] * (q + h * v_eval[d]);
        }
        if (D > 0.0) {
            force += D * (share - 1.0) * v;
            slope += D * share;
        } else {
            force += gear2 * a->bias[2] * v_eval[d];
        }
        servo->force = force;
        servo->slope = slope;
        if (slope == 0.0) servo->force = clamp(force, servo->low, servo->high);
    }
}

void tn_joint_forces_apply_servos(TnJointForces *forces, double *A, double *b)
{
    int n = forces->tree->n;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        servo->applied = servo->held;
        b[servo->dof] += servo->held < 0   ? servo->low
                         : servo->held > 0 ? servo->high
                                           : servo->force;
        if (!servo->held) A[servo->dof * (n + 1)] += servo->slope;
    }
}

bool tn_joint_forces_hold(TnJointForces *forces, const double *vhat)
{
    bool changed = false;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        if (servo->slope == 0.0) continue;
        double force = servo->force - servo->slope * vhat[servo->dof];
        servo->held = force < servo->low ? -1 : force > servo->high ? 1 : 0;
        changed |= servo->held != servo->applied;
    }
    return changed;
}

void tn_joint_forces_secant(const TnJointForces *forces, const double *v_free, double *A, double *b)
{
    int n = forces->tree->n;
    const double *v = forces->in->qvel + forces->tree->sub->dof_start;
    for (int k = 0; k < forces->servo_count; k++) {
        const TnServo *servo = &forces->servos[k];
        int d = servo->dof;
        if (servo->slope == 0.0) continue;
        double at_v = servo->force - servo->slope * v[d],
               limited = clamp(at_v, servo->low, servo->high);
        if (!servo->applied && limited == at_v) continue;
        double at_free = servo->applied < 0   ? servo->low
                         : servo->applied > 0 ? servo->high
                                              : servo->force - servo->slope * v_free[d];
        double present = servo->applied ? 0.0 : servo->slope, change = v_free[d] - v[d];
        double secant = change != 0.0 ? (limited - at_free) / change : present;
        double more =
            clamp(secant, 0.0, servo->slope) - present; /* rounding may leave the interval */
        A[d * (n + 1)] += more;
        b[d] += more * v_free[d];
    }
}
