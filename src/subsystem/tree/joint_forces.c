/* joint_forces.c: see joint_forces.h for the laws. */
#include "joint_forces.h"

#include "../../model/joint_law.h"
#include "../../model/thresholds.h"

static const TnJoint *joint_of(const TnJointForces *forces, int d)
{
    const TnModel *model = forces->tree->model;
    return &model->joints[model->dof_joint[forces->tree->sub->dof_start + d]];
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Stiffness and damping that an actuator gives its coordinate; the destabilizing kind counts as
 * none. */
static double servo_stiffness(const TnServo *s)
{
    return fmax(0.0, -s->actuator->gear * s->actuator->gear * s->law.by_length);
}
static double servo_damping(const TnServo *s)
{
    return fmax(0.0, -s->actuator->gear * s->actuator->gear * s->law.by_velocity);
}

/* cᵀv of a coordinate, v counting from the subsystem's first dof. */
static double rate_along(const TnJointForces *forces, const TnMoment *moments, int count,
                         const double *v)
{
    int first = forces->tree->sub->dof_start;
    double rate = 0.0;
    for (int i = 0; i < count; i++) rate += moments[i].coef * v[moments[i].dof - first];
    return rate;
}

/* A += slope c cᵀ, b += force c. */
static void add_along(const TnJointForces *forces, const TnMoment *moments, int count, double force,
                      double slope, double *A, double *b)
{
    int n = forces->tree->n, first = forces->tree->sub->dof_start;
    for (int i = 0; i < count; i++) {
        int d = moments[i].dof - first;
        double coef = moments[i].coef;
        b[d] += coef * force;
        for (int j = 0; j < count; j++)
            A[d * n + moments[j].dof - first] += slope * coef * moments[j].coef;
    }
}

static double servo_rate(const TnJointForces *forces, const TnServo *servo, const double *v)
{
    return rate_along(forces, servo->actuator->moments, servo->actuator->moment_count, v);
}

static bool is_our_tendon(const TnJointForces *forces, const TnTendon *tendon)
{
    return tendon->direct &&
           tendon->subsystem == forces->tree->sub - forces->tree->model->subsystems;
}

static void scaled_range(double scale, const double range[2], double *low, double *high)
{
    double x = scale * range[0], y = scale * range[1];
    *low = fmin(x, y);
    *high = fmax(x, y);
}

static void set_own_limits(TnServo *servo)
{
    const TnActuator *actuator = servo->actuator;
    servo->low = servo->total_low = -INFINITY;
    servo->high = servo->total_high = INFINITY;
    if (actuator->force_limited)
        scaled_range(actuator->gear, actuator->force_range, &servo->low, &servo->high);
}

/* Bounds of the sum of forces along a servo's line; false: there are none. */
static bool total_limits(const TnJointForces *forces, const TnServo *servo, double *low,
                         double *high)
{
    int n = forces->tree->n;
    if (servo->line < n) {
        const TnJoint *joint = joint_of(forces, servo->line);
        if (!joint->actuator_limited) return false;
        double shift = forces->lift && joint->actuator_gravity ? forces->lift[servo->line] : 0.0;
        *low = joint->actuator_range[0] - shift;
        *high = joint->actuator_range[1] - shift;
        return true;
    }
    const TnTendon *tendon = &forces->tree->model->tendons[servo->line - n];
    if (tendon->actuator_limited)
        scaled_range(servo->actuator->gear, tendon->actuator_range, low, high);
    return tendon->actuator_limited;
}

/* One that is alone along its line is clamped twice: on a joint by its own bounds first, on a
 * tendon last. */
static void share_limits(TnJointForces *forces, int index)
{
    TnServo *servo = &forces->servos[index];
    double low, high;
    servo->leader = index;
    if (!total_limits(forces, servo, &low, &high)) return;
    servo->leader = forces->first_servo[servo->line];
    if (forces->servos_along[servo->line] > 1) {
        servo->total_low = low;
        servo->total_high = high;
    } else if (servo->line < forces->tree->n) {
        servo->low = clamp(servo->low, low, high);
        servo->high = clamp(servo->high, low, high);
    } else {
        double own_low = servo->low, own_high = servo->high;
        servo->low = clamp(low, own_low, own_high);
        servo->high = clamp(high, own_low, own_high);
    }
}

/* Whose line is whose. False: no memory. */
static bool count_along(TnJointForces *forces, int lines, TnArena *scratch)
{
    forces->first_servo = TN_ARENA_NEW(scratch, int, lines);
    forces->servos_along = TN_ARENA_ZERO(scratch, int, lines);
    if (!forces->first_servo || !forces->servos_along) return false;
    for (int k = 0; k < forces->servo_count; k++) {
        int line = forces->servos[k].line;
        if (forces->servos_along[line]++ == 0) forces->first_servo[line] = k;
    }
    return true;
}

static TnAffineForce law_of(const TnDynamicsInput *in, int actuator)
{
    const TnActuator *a = &in->model->actuators[actuator];
    double length = 0.0, velocity = 0.0;
    if (a->muscles) {
        const TnDriven at = {.qpos = in->qpos, .qvel = in->qvel}; /* it is direct */
        length = tn_actuator_length(in->model, actuator, &at);
        velocity = tn_actuator_velocity(in->model, actuator, &at);
    }
    return tn_actuator_affine(a, in->inputs ? in->inputs[actuator] : 0.0, length, velocity);
}

bool tn_joint_forces_init(TnJointForces *forces, const TnDynamicsInput *in, const TnTree *tree,
                          TnArena *scratch)
{
    const TnModel *model = tree->model;
    int lines = tree->n + model->tendon_count;
    double w = in->blend ? in->blend[tree->sub - model->subsystems] : 0.0;
    *forces = (TnJointForces){.in = in, .tree = tree, .w = w, .reach = tn_reach(in, w)};
    int first = model->actuator_first[tree->sub - model->subsystems];
    for (int a = first; a >= 0; a = model->actuator_next[a]) forces->servo_count++;
    forces->theta_damping = TN_ARENA_NEW(scratch, double, lines);
    forces->servo_lead = TN_ARENA_NEW(scratch, double, lines);
    forces->spring_share = TN_ARENA_NEW(scratch, double, lines);
    forces->stopping = TN_ARENA_NEW(scratch, double, lines);
    forces->damping = TN_ARENA_ZERO(scratch, double, tree->n);
    forces->servos = TN_ARENA_NEW(scratch, TnServo, forces->servo_count);
    if (!forces->theta_damping || !forces->servo_lead || !forces->spring_share ||
        !forces->stopping || !forces->damping || !forces->servos)
        return false;
    TnServo *servo = forces->servos;
    for (int a = first; a >= 0; a = model->actuator_next[a]) {
        const TnActuator *actuator = &model->actuators[a];
        *servo = (TnServo){.actuator = actuator,
                           .law = law_of(in, a),
                           .line = actuator->tendon >= 0
                                       ? tree->n + actuator->tendon
                                       : actuator->moments[0].dof - tree->sub->dof_start};
        set_own_limits(servo);
        servo++;
    }
    if (model->has_lift) {
        forces->lift = TN_ARENA_ZERO(scratch, double, tree->n);
        if (!forces->lift) return false;
    }
    if (!count_along(forces, lines, scratch)) return false;
    for (int k = 0; k < forces->servo_count; k++) share_limits(forces, k);
    return tn_drag_forces_init(&forces->drag, tree, scratch);
}

/* θ_d and s of one line from its sums of damping and stiffness, which they replace; w where damping
 * stops it. */
static void weigh_line(TnJointForces *forces, int line, double compliance)
{
    const TnDynamicsInput *in = forces->in;
    double *damping = &forces->theta_damping[line], *servo = &forces->servo_lead[line];
    double x = *damping * in->t * compliance, z = *servo * in->t * in->t * compliance,
           stops = forces->stopping[line] * in->t * compliance;
    *damping = x > 1.0 ? fmax(in->theta, 1.0 - 1.0 / x) : in->theta;
    *servo = z > TN_UNRESOLVED ? 0.125 - 2.0 / z : 0.0;
    if (stops > 2.0) forces->damped = fmax(forces->damped, 1.0 - 2.0 / stops);
}

/* β of one line from its stiffness, which it replaces. */
static void share_line(const TnJointForces *forces, int line, double compliance)
{
    const TnDynamicsInput *in = forces->in;
    double y = forces->spring_share[line] * in->t * in->t * compliance;
    double late = fmin(fmax((y - TN_RESOLVED) / (TN_UNRESOLVED - TN_RESOLVED), 0.0), 1.0);
    forces->spring_share[line] = (1.0 - forces->w) * in->theta + forces->w * 0.5 * (1.0 + late);
}

/* cᵀM⁻¹c of a dof, or of a tendon where it is the tree's. */
static double compliance_of(const TnJointForces *forces, int line, const double *M_factor,
                            double *y)
{
    const TnTree *tree = forces->tree;
    if (line < tree->n) return tn_tree_compliance(tree, M_factor, line, y);
    const TnTendon *tendon = &tree->model->tendons[line - tree->n];
    if (!is_our_tendon(forces, tendon)) return 0.0;
    return tn_tree_compliance_along(tree, M_factor, tendon->moments, tendon->moment_count, y);
}

/* No compliance that a line can have changes what weigh_line makes of it: it is no more than 1/a
 * for an armature a, which is part of M. */
static bool turns_lightly(const TnJointForces *forces, int line)
{
    const TnDynamicsInput *in = forces->in;
    double damping = forces->theta_damping[line], servo = forces->servo_lead[line];
    if (!(damping > 0.0) && !(servo > 0.0)) return true;
    if (line >= forces->tree->n) return false;
    double armature = joint_of(forces, line)->armature;
    return damping * in->t <= armature && servo * in->t * in->t <= TN_UNRESOLVED * armature &&
           forces->stopping[line] * in->t <= 2.0 * armature;
}

static bool is_light(const TnJointForces *forces, int line)
{
    bool springs = forces->w > 0.0 && forces->spring_share[line] > 0.0;
    return !springs && turns_lightly(forces, line);
}

/* The slope of a curved spring's force. */
static double stiffness_at_start(const TnJointForces *forces, const TnJoint *joint)
{
    double x = forces->in->qpos[joint->qpos_start] - joint->spring_ref;
    return joint->stiffness +
           x * (2.0 * joint->stiffness_poly[0] + 3.0 * x * joint->stiffness_poly[1]);
}

bool tn_joint_forces_sum(TnJointForces *forces)
{
    const TnTree *tree = forces->tree;
    const TnModel *model = tree->model;
    double *damping = forces->theta_damping, *servo = forces->servo_lead,
           *spring = forces->spring_share;
    int n = tree->n, lines = n + model->tendon_count;
    for (int d = 0; d < n; d++) {
        const TnJoint *joint = joint_of(forces, d);
        damping[d] = tn_joint_damping(joint, forces->in->qvel[tree->sub->dof_start + d]);
        spring[d] =
            tn_joint_is_curved(joint) ? stiffness_at_start(forces, joint) : joint->stiffness;
    }
    for (int k = 0; k < model->tendon_count; k++) {
        bool direct = model->tendons[k].direct;
        damping[n + k] = direct ? model->tendons[k].damping : 0.0;
        spring[n + k] = direct ? model->tendons[k].stiffness : 0.0;
    }
    memset(servo, 0, sizeof(double) * (size_t)lines);
    memcpy(forces->stopping, damping, sizeof(double) * (size_t)lines);
    for (int k = 0; k < forces->servo_count; k++) {
        const TnServo *s = &forces->servos[k];
        damping[s->line] += servo_damping(s);
        if (s->high == INFINITY && s->total_high == INFINITY)
            forces->stopping[s->line] += servo_damping(s);
        servo[s->line] += servo_stiffness(s);
    }
    for (int k = 0; k < lines; k++)
        if (!is_light(forces, k)) return true;
    return false;
}

void tn_joint_forces_weigh(TnJointForces *forces, const double *M_factor, double *y)
{
    const double *spring = forces->spring_share;
    int lines = forces->tree->n + forces->tree->model->tendon_count;
    for (int k = 0; k < lines; k++)
        weigh_line(forces, k,
                   M_factor && !turns_lightly(forces, k) ? compliance_of(forces, k, M_factor, y)
                                                         : 0.0);
    forces->damped = fmax(forces->damped, forces->drag.damped);
    forces->w = fmax(forces->w, forces->damped);
    forces->reach = tn_reach(forces->in, forces->w);
    for (int k = 0; k < lines; k++)
        share_line(forces, k,
                   M_factor && forces->w > 0.0 && spring[k] > 0.0
                       ? compliance_of(forces, k, M_factor, y)
                       : 0.0);
}

static void add_spring(const TnJointForces *forces, const TnJoint *joint, const double *q_eval,
                       const double *v_eval, double h, double *A, double *b)
{
    const TnTree *tree = forces->tree;
    int n = tree->n, d = joint->dof_start - tree->sub->dof_start;
    double K = joint->stiffness;
    const double *v = forces->in->qvel + joint->dof_start;
    const double *q = q_eval + (joint->qpos_start - tree->sub->qpos_start);
    double stretch[6];
    int dofs = tn_joint_dofs(joint->type);
    tn_joint_stretch(tree->model, joint, q, stretch);
    /* the stretch at q_eval, and from there to where v̂ leads */
    for (int k = 0; k < dofs; k++) {
        double share = forces->spring_share[d + k];
        A[(d + k) * n + d + k] += K * share * forces->reach.p;
        b[d + k] += K * (h * v_eval[d + k] + share * forces->reach.r * v[k] - stretch[k]);
    }
}

/* The force is the mean over the stretches from x to x + e, e = 2 β t u̇: of a straight spring the
 * same as above. At β = ½ its work is the change of energy, and with more, as the energy is convex,
 * no less. Linear in v̂ about the pass's prediction. */
static void add_curved_spring(const TnJointForces *forces, const TnJoint *joint,
                              const double *v_eval, double *A, double *b)
{
    const TnTree *tree = forces->tree;
    int n = tree->n, d = joint->dof_start - tree->sub->dof_start;
    double k = joint->stiffness, a = joint->stiffness_poly[0], c = joint->stiffness_poly[1];
    double x = forces->in->qpos[joint->qpos_start] - joint->spring_ref,
           twice = 2.0 * forces->spring_share[d],
           e = twice *
               (forces->reach.p * v_eval[d] - forces->reach.r * forces->in->qvel[joint->dof_start]);
    double mean = k * (x + e / 2.0) + a * (x * x + x * e + e * e / 3.0) +
                  c * (x * x * x + 1.5 * x * x * e + x * e * e + e * e * e / 4.0);
    double slope =
        k / 2.0 + a * (x + e * (2.0 / 3.0)) + c * (1.5 * x * x + 2.0 * x * e + 0.75 * e * e);
    slope = fmax(slope, 0.0) * twice * forces->reach.p; /* rounding may make it negative */
    A[d * n + d] += slope;
    b[d] += slope * v_eval[d] - mean;
}

/* A tendon's length is linear in q, so its spring needs no pass. */
static void add_tendon(const TnJointForces *forces, int index, double *A, double *b)
{
    const TnDynamicsInput *in = forces->in;
    const TnTendon *tendon = &forces->tree->model->tendons[index];
    const TnMoment *moments = tendon->moments;
    int count = tendon->moment_count, line = forces->tree->n + index;
    double rate = tn_moment_rate(moments, count, in->qvel);
    if (tendon->stiffness != 0.0) {
        double K = tendon->stiffness, share = forces->spring_share[line];
        double stretch = tn_moment_length(moments, count, in->qpos) - tendon->spring_length;
        add_along(forces, moments, count, K * (share * forces->reach.r * rate - stretch),
                  K * share * forces->reach.p, A, b);
    }
    if (tendon->damping != 0.0) {
        double D = tendon->damping, share = forces->theta_damping[line] / in->theta;
        add_along(forces, moments, count, D * (share - 1.0) * rate, D * share, A, b);
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
        if (tn_joint_is_curved(joint))
            add_curved_spring(forces, joint, v_eval, A, b);
        else if (joint->stiffness != 0.0)
            add_spring(forces, joint, q_eval, v_eval, h, A, b);
        for (int k = d; k < d + dofs && tn_joint_has_damper(joint); k++) {
            double share = forces->theta_damping[k] / forces->in->theta;
            double D = tn_joint_damping(joint, share * v_eval[k] - (share - 1.0) * v[k]);
            forces->damping[k] = D;
            A[k * n + k] += D * share;
            b[k] += D * (share - 1.0) * v[k];
        }
        d += dofs;
    }
    const TnModel *model = tree->model;
    int first = model->tendon_first[tree->sub - model->subsystems];
    for (int k = first; k >= 0; k = model->tendon_next[k]) add_tendon(forces, k, A, b);
    for (int d = 0; forces->lift && d < n; d++) b[d] += forces->lift[d];
    tn_drag_forces_add(&forces->drag, n, A, b);
}

void tn_joint_forces_lift(TnJointForces *forces, const TnLinkFrame *frames, const double (*S)[6])
{
    const TnTree *tree = forces->tree;
    if (!forces->lift) return;
    tn_tree_lift(tree->model, tree->sub, frames, tree->origin, S, forces->lift);
    for (int k = 0; k < forces->servo_count; k++) set_own_limits(&forces->servos[k]);
    for (int k = 0; k < forces->servo_count; k++) share_limits(forces, k);
}

void tn_joint_forces_servos(TnJointForces *forces, const double *v_eval, double h)
{
    const TnDynamicsInput *in = forces->in;
    const double *v_start = in->qvel + forces->tree->sub->dof_start;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        const TnActuator *a = servo->actuator;
        double x = tn_moment_length(a->moments, a->moment_count, in->qpos),
               v = servo_rate(forces, servo, v_start), mid = servo_rate(forces, servo, v_eval);
        double gear2 = a->gear * a->gear, K = servo_stiffness(servo), D = servo_damping(servo);
        double s = forces->servo_lead[servo->line],
               share = forces->theta_damping[servo->line] / in->theta;
        double force = a->gear * servo->law.constant, slope = 0.0;
        if (K > 0.0) {
            double late = s * in->t / in->theta;
            force += K * (((1.0 - s) * forces->reach.r + late * (1.0 - in->theta)) * v - x);
            slope += K * ((1.0 - s) * forces->reach.p + late);
        } else {
            force += gear2 * servo->law.by_length * (x + h * mid);
        }
        if (D > 0.0) {
            force += D * (share - 1.0) * v;
            slope += D * share;
        } else {
            force += gear2 * servo->law.by_velocity * mid;
        }
        servo->force = force;
        servo->slope = slope;
        if (slope == 0.0) servo->force = clamp(force, servo->low, servo->high);
    }
}

void tn_joint_forces_apply_servos(TnJointForces *forces, double *A, double *b)
{
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        TnServo *leader = &forces->servos[servo->leader];
        servo->applied = servo->held;
        servo->total_applied = servo->total_held;
        if (leader->total_held) { /* it does for all of them */
            if (servo == leader)
                add_along(forces, servo->actuator->moments, servo->actuator->moment_count,
                          servo->total_held < 0 ? servo->total_low : servo->total_high, 0.0, A, b);
            continue;
        }
        double force = servo->held < 0 ? servo->low : servo->held > 0 ? servo->high : servo->force;
        add_along(forces, servo->actuator->moments, servo->actuator->moment_count, force,
                  servo->held ? 0.0 : servo->slope, A, b);
    }
}

static int side_of(double x, double low, double high) { return x < low ? -1 : x > high ? 1 : 0; }

/* Sum of those that a leader leads, each within its own bounds. */
static double total_at(const TnJointForces *forces, int leader, const double *v)
{
    double sum = 0.0;
    for (int k = leader; k < forces->servo_count; k++) {
        const TnServo *servo = &forces->servos[k];
        if (servo->leader == leader)
            sum += clamp(servo->force - servo->slope * servo_rate(forces, servo, v), servo->low,
                         servo->high);
    }
    return sum;
}

bool tn_joint_forces_hold(TnJointForces *forces, const double *vhat)
{
    bool changed = false;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        if (servo->slope == 0.0) continue;
        double force = servo->force - servo->slope * servo_rate(forces, servo, vhat);
        servo->held = side_of(force, servo->low, servo->high);
        changed |= servo->held != servo->applied;
    }
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        if (servo->leader != k || servo->total_high == INFINITY) continue;
        servo->total_held = side_of(total_at(forces, k, vhat), servo->total_low, servo->total_high);
        changed |= servo->total_held != servo->total_applied;
    }
    return changed;
}

bool tn_joint_forces_are_linear(const TnJointForces *forces)
{
    if (forces->lift || forces->drag.slope) return false; /* levers turn */
    for (int k = 0; k < forces->servo_count; k++) {
        const TnAffineForce *law = &forces->servos[k].law;
        if (law->by_length > 0.0 || law->by_velocity > 0.0) return false; /* taken explicitly */
    }
    for (int d = 0; d < forces->tree->n; d++) {
        const TnJoint *joint = joint_of(forces, d);
        if (joint->stiffness != 0.0 && tn_joint_dofs(joint->type) > 1) return false;
        if (tn_joint_is_curved(joint) || tn_joint_drags(joint)) return false;
    }
    return true;
}

/* The same for a sum that is held, or that its bounds cut at v: the leader takes all of it. */
static bool total_secant(TnJointForces *forces, int leader, const double *v_start,
                         const double *v_free, double *A, double *b)
{
    TnServo *first = &forces->servos[leader];
    double at_v = total_at(forces, leader, v_start),
           limited = clamp(at_v, first->total_low, first->total_high);
    if (!first->total_applied && limited == at_v) return false;
    double at_free = first->total_applied < 0   ? first->total_low
                     : first->total_applied > 0 ? first->total_high
                                                : total_at(forces, leader, v_free);
    double present = 0.0, most = 0.0;
    for (int k = leader; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        if (servo->leader != leader) continue;
        most += servo->slope;
        if (!first->total_applied && !servo->applied) present += servo->slope;
        servo->force = servo->slope = 0.0;
    }
    double v = servo_rate(forces, first, v_start), free = servo_rate(forces, first, v_free);
    double secant = free != v ? (limited - at_free) / (free - v) : present;
    first->slope = clamp(secant, 0.0, most);
    first->force = at_free + first->slope * free;
    double more = first->slope - present;
    add_along(forces, first->actuator->moments, first->actuator->moment_count, more * free, more, A,
              b);
    return true;
}

void tn_joint_forces_secant(TnJointForces *forces, const double *v_free, double *A, double *b)
{
    const double *v_start = forces->in->qvel + forces->tree->sub->dof_start;
    for (int k = 0; k < forces->servo_count; k++) {
        TnServo *servo = &forces->servos[k];
        if (servo->leader == k && servo->total_high < INFINITY)
            servo->total_settled = total_secant(forces, k, v_start, v_free, A, b);
        if (servo->slope == 0.0 || forces->servos[servo->leader].total_settled) continue;
        double v = servo_rate(forces, servo, v_start), free = servo_rate(forces, servo, v_free);
        double at_v = servo->force - servo->slope * v,
               limited = clamp(at_v, servo->low, servo->high);
        if (!servo->applied && limited == at_v) continue;
        double at_free = servo->applied < 0   ? servo->low
                         : servo->applied > 0 ? servo->high
                                              : servo->force - servo->slope * free;
        double present = servo->applied ? 0.0 : servo->slope, change = free - v;
        double secant = change != 0.0 ? (limited - at_free) / change : present;
        double slope = clamp(secant, 0.0, servo->slope); /* rounding may leave the interval */
        double more = slope - present;
        add_along(forces, servo->actuator->moments, servo->actuator->moment_count, more * free,
                  more, A, b);
        servo->force = at_free + slope * free;
        servo->slope = slope;
    }
}

void tn_joint_forces_record(const TnJointForces *forces, TnTreeSystem *out)
{
    int lines = forces->tree->n + forces->tree->model->tendon_count;
    memcpy(out->theta_damping, forces->theta_damping, sizeof(double) * (size_t)lines);
    memcpy(out->damping, forces->damping, sizeof(double) * (size_t)forces->tree->n);
    out->w = forces->w;
    out->damped = forces->damped;
    tn_drag_forces_record(&forces->drag, forces->tree, out);
    for (int k = 0; k < forces->servo_count; k++) {
        out->servo_force[k] = forces->servos[k].force;
        out->servo_slope[k] = forces->servos[k].slope;
    }
}
