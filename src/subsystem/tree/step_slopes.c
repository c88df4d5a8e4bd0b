/* step_slopes.c: derivatives of what assemble.c makes of a tree,
 *
 *     r = τ(q ⊕ h e, e, (v̂ - v)/(θt)) - joint forces(q, v, v̂) = A v̂ - b,   h = θt,
 *
 * τ inverse dynamics, e what the last pass was evaluated at: v̂ itself, once passes have settled, or
 * as it was foretold, where constraints act. */
#include "step_slopes.h"

#include <math.h>
#include <string.h>

#include "../../base/rounding.h"
#include "../../model/joint_law.h"
#include "../../model/thresholds.h"
#include "joint_forces.h"
#include "slopes.h"

/* What a line's θ_d, s and β do when the compliance along it changes, times that change: by q and
 * v, 2 n numbers. */
typedef struct Weights {
    double damping, lead, spring; /* dθ_d, ds and dβ per unit of compliance */
    double *change;               /* of the compliance; NULL: all three are zero */
} Weights;

typedef struct Slopes {
    const TnDynamicsInput *in;
    TnTree tree;
    TnTreeSlopes memory;
    TnJointForces forces;
    TnArena *arena;
    TnLinkFrame *frames;
    double (*S)[6], *q, *guess, carry, h;
    Weights *weights; /* per line */
    double damped;    /* w that its dampers ask for */
    const double *vhat, *v_free;
    double *delta; /* v̂ - v_free; NULL: it is zero */
    TnTreeStepSlopes *out;
    const TnNumber *numbers;
    int number_count;
    double *R, *E;  /* n × columns, n × n: of r, v̂ fixed; by e */
    double *turned; /* n × n: of A (v̂ - v_free) by e */
} Slopes;

static const TnJoint *joint_at(const TnTree *tree, int d)
{
    return &tree->model->joints[tree->model->dof_joint[tree->sub->dof_start + d]];
}

void tn_cayley_slopes(const double w[3], TnTurned *out)
{
    double quat[4] = {1.0, 0.0, 0.0, 0.0}, R[9], size = 1.0 + 0.25 * v3_dot(w, w);
    quat_cayley_body(quat, w);
    quat_to_m3(R, quat);
    m3_transpose(out->turn, R);
    const double skew[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    for (int k = 0; k < 9; k++) out->change[k] = ((k % 4 ? 0.0 : 1.0) - 0.5 * skew[k]) / size;
}

/* ---- what is not in closed form ---- */

static bool is_straight(const Slopes *s, const TnMoment *moments, int count)
{
    for (int i = 0; i < count; i++)
        if (tn_joint_dofs(joint_at(&s->tree, moments[i].dof - s->tree.sub->dof_start)->type) > 1)
            return false;
    return true;
}

static const char *refuse_joints(const Slopes *s)
{
    for (int d = 0; d < s->tree.n; d++) {
        const TnJoint *joint = joint_at(&s->tree, d);
        bool many = tn_joint_dofs(joint->type) > 1;
        if (tn_joint_is_curved(joint) || tn_joint_drags(joint)) return "a joint's force is curved";
        if (many && joint->stiffness != 0.0) return "a spring of a ball joint";
    }
    return NULL;
}

static const char *refuse(const Slopes *s, const TnTreeSystem *system)
{
    const TnModel *model = s->tree.model;
    if (system->bounded || system->free_end) return "a tree is too fast for the step";
    if (s->in->passes == 1 && !system->foretold) return "trees have one pass";
    if (s->in->wrench) return "forces are applied to a tree";
    if (s->forces.lift || s->forces.drag.slope) return "gravity compensation or a medium";
    for (int k = 0; k < s->forces.servo_count; k++) {
        const TnActuator *a = s->forces.servos[k].actuator;
        if (a->muscles) return "a muscle";
        if (a->gain_rate[0] != 0.0 || a->gain_rate[1] != 0.0) return "a gain that is not constant";
        if (!is_straight(s, a->moments, a->moment_count)) return "an actuator of a ball joint";
    }
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *t = &model->tendons[k];
        if (t->subsystem != s->tree.sub - model->subsystems) continue;
        if (!t->direct || !is_straight(s, t->moments, t->moment_count)) return "a path";
    }
    return refuse_joints(s);
}

static double rate(const Slopes *s, const TnMoment *moments, int count, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += moments[i].coef * v[moments[i].dof - s->tree.sub->dof_start];
    return sum;
}

/* It acts by its law at v̂ and v, as at its start. */
static bool is_within(const TnServo *servo, double force, double slope, double x)
{
    double f = force - slope * x;
    return f >= servo->low && f <= servo->high;
}

static const char *refuse_held(const Slopes *s, const TnTreeSystem *system)
{
    const double *v = s->in->qvel + s->tree.sub->dof_start;
    for (int k = 0; k < s->forces.servo_count; k++) {
        const TnServo *servo = &s->forces.servos[k];
        const TnActuator *a = servo->actuator;
        if (servo->total_high < INFINITY) return "actuators share a limit";
        if (servo->slope == 0.0) continue;
        if (!is_within(servo, servo->force, servo->slope,
                       rate(s, a->moments, a->moment_count, system->v_free)) ||
            !is_within(servo, servo->force, servo->slope, rate(s, a->moments, a->moment_count, v)))
            return "an actuator is at its limit";
    }
    return NULL;
}

/* ---- places ---- */

static void place(Slopes *s, const double *v)
{
    tn_tree_move(s->tree.model, s->tree.sub, s->in->qpos + s->tree.sub->qpos_start, v, s->h, s->q);
    tn_tree_forward(&s->tree, s->q, s->frames, s->S);
}

/* A row of slopes at q ⊕ h e becomes one by q, and one by e. */
static void bring_back(const Slopes *s, const double *e, double *by_q, double *by_e)
{
    for (int d = 0; d < s->tree.n;) {
        const TnJoint *joint = joint_at(&s->tree, d);
        int dofs = tn_joint_dofs(joint->type), turns = dofs > 1 ? 3 : 0;
        for (int k = 0; k < dofs - turns; k++) by_e[d + k] = s->h * by_q[d + k];
        d += dofs - turns;
        if (!turns) continue;
        double way[3], row[3];
        TnTurned turned;
        v3_scale(way, e + d, s->h);
        tn_cayley_slopes(way, &turned);
        v3_copy(row, by_q + d);
        m3_tmul_v(by_q + d, turned.turn, row);
        m3_tmul_v(by_e + d, turned.change, row);
        v3_scale(by_e + d, by_e + d, s->h);
        d += 3;
    }
}

/* ---- θ_d, s and β ---- */

static double line_damping(const Slopes *s, int line, double *lead)
{
    const TnTree *tree = &s->tree;
    double damping = line < tree->n ? joint_at(tree, line)->damping
                                    : tree->model->tendons[line - tree->n].damping;
    *lead = 0.0;
    for (int k = 0; k < s->forces.servo_count; k++) {
        const TnServo *servo = &s->forces.servos[k];
        double gear2 = servo->actuator->gear * servo->actuator->gear;
        if (servo->line != line) continue;
        damping += fmax(0.0, -gear2 * servo->law.by_velocity);
        *lead += fmax(0.0, -gear2 * servo->law.by_length);
    }
    return damping;
}

/* What stops a joint within the step has it move by w = 1 - 2/y of v⁺, y = stops t κ. */
static bool stops(const Slopes *s, double stopping, double kappa)
{
    double y = stopping * s->in->t * kappa;
    return y > 2.0 && fabs(1.0 - 2.0 / y - s->forces.w) <= TN_ROUND_OFF;
}

/* Damping that no limit of force bounds. */
static double line_stopping(const Slopes *s, int line)
{
    const TnTree *tree = &s->tree;
    double sum = line < tree->n ? joint_at(tree, line)->damping
                                : tree->model->tendons[line - tree->n].damping;
    for (int k = 0; k < s->forces.servo_count; k++) {
        const TnServo *servo = &s->forces.servos[k];
        double gear2 = servo->actuator->gear * servo->actuator->gear;
        if (servo->line == line && servo->high == INFINITY && servo->total_high == INFINITY)
            sum += fmax(0.0, -gear2 * servo->law.by_velocity);
    }
    return sum;
}

/* κ = cᵀM⁻¹c of a line at the guess, and how it follows that; M is known by its factor. */
static bool follow_compliance(Slopes *s, const double *L, int line, double *y, double *kappa,
                              double **change)
{
    const TnTree *tree = &s->tree;
    int n = tree->n, first = tree->sub->dof_start;
    const TnTendon *tendon = line < n ? NULL : &tree->model->tendons[line - n];
    double *by_q = TN_ARENA_NEW(s->arena, double, 2 * n);
    if (!by_q) return false;
    memset(y, 0, sizeof(double) * (size_t)n);
    if (!tendon) y[line] = 1.0;
    for (int i = 0; tendon && i < tendon->moment_count; i++)
        y[tendon->moments[i].dof - first] += tendon->moments[i].coef;
    tn_tree_solve(tree, L, y);
    *kappa = tendon ? rate(s, tendon->moments, tendon->moment_count, y) : y[line];
    /* dκ = -yᵀ dM y, and yᵀ M y is twice a kinetic energy */
    tn_tree_kinetic_slopes(tree, &s->memory, y, by_q, by_q + n);
    for (int d = 0; d < n; d++) by_q[d] *= -2.0;
    bring_back(s, s->guess, by_q, by_q + n);
    for (int d = 0; d < n; d++) by_q[n + d] *= 1.0 + s->carry;
    *change = by_q;
    return true;
}

static bool find_weights(Slopes *s, const double *L, double *y)
{
    const TnDynamicsInput *in = s->in;
    const TnModel *model = s->tree.model;
    int lines = s->tree.n + model->tendon_count;
    s->weights = TN_ARENA_ZERO(s->arena, Weights, lines);
    if (!s->weights) return false;
    for (int line = 0; L && line < lines; line++) {
        const TnTendon *t = line < s->tree.n ? NULL : &model->tendons[line - s->tree.n];
        if (t && (!t->direct || t->subsystem != s->tree.sub - model->subsystems)) continue;
        double lead, damping = line_damping(s, line, &lead), kappa,
                     spring = t ? t->stiffness : joint_at(&s->tree, line)->stiffness;
        Weights *w = &s->weights[line];
        bool theta = s->forces.theta_damping[line] > in->theta,
             late = s->forces.servo_lead[line] > 0.0, beta = s->forces.w > 0.0 && spring > 0.0;
        if (!theta && !late && !beta) continue;
        if (!follow_compliance(s, L, line, y, &kappa, &w->change)) return false;
        double x = damping * in->t * kappa, z = lead * in->t * in->t * kappa,
               per = spring * in->t * in->t, p = per * kappa;
        if (theta) w->damping = damping * in->t / (x * x);
        if (late) w->lead = 2.0 * lead * in->t * in->t / (z * z);
        if (beta && p > TN_RESOLVED && p < TN_UNRESOLVED)
            w->spring = s->forces.w * 0.5 * per / (TN_UNRESOLVED - TN_RESOLVED);
        double y_of = line_stopping(s, line);
        if (s->out->w || !(s->damped > 0.0) || !stops(s, y_of, kappa)) continue;
        s->out->w = TN_ARENA_NEW(s->arena, double, 2 * s->tree.n);
        if (!s->out->w) return false;
        for (int k = 0; k < 2 * s->tree.n; k++)
            s->out->w[k] = 2.0 / (y_of * in->t * kappa * kappa) * w->change[k];
    }
    return true;
}

/* ---- r of joint forces ---- */

/* r += by · change of the line's compliance, along a coordinate. */
static void add_weight(Slopes *s, double *out, const TnMoment *moments, int count,
                       const Weights *weights, double by)
{
    int n = s->tree.n, columns = s->out->columns;
    if (!weights->change || by == 0.0) return;
    for (int i = 0; i < count; i++) {
        double *row = out + (size_t)(moments[i].dof - s->tree.sub->dof_start) * (size_t)columns;
        for (int k = 0; k < 2 * n; k++) row[k] += moments[i].coef * by * weights->change[k];
    }
}

/* r += by · dw, along a coordinate. */
static void add_share(const Slopes *s, double *out, const TnMoment *moments, int count, double by)
{
    int n = s->tree.n, columns = s->out->columns;
    if (!s->out->w || by == 0.0) return;
    for (int i = 0; i < count; i++) {
        double *row = out + (size_t)(moments[i].dof - s->tree.sub->dof_start) * (size_t)columns;
        for (int k = 0; k < 2 * n; k++) row[k] += moments[i].coef * by * s->out->w[k];
    }
}

/* dp/dw and dr/dw of p v̂ - r v */
static double way_by_w(const TnDynamicsInput *in) { return in->t * (1.0 - in->theta) / in->theta; }

/* out += x c cᵀ in the columns from `at` on. */
static void add_square(const Slopes *s, double *out, int stride, int at, const TnMoment *moments,
                       int count, double x)
{
    int first = s->tree.sub->dof_start;
    for (int i = 0; i < count && x != 0.0; i++)
        for (int k = 0; k < count; k++)
            out[(size_t)(moments[i].dof - first) * (size_t)stride +
                (size_t)(at + moments[k].dof - first)] += x * moments[i].coef * moments[k].coef;
}

/* β = (1-w)θ + w β' */
static double spring_by_w(const Slopes *s, int line)
{
    double w = s->forces.w;
    return w > 0.0 ? (s->forces.spring_share[line] - s->in->theta) / w : 0.0;
}

/* A spring K and a damper D along a coordinate, of joint or tendon. */
static void add_line(Slopes *s, int line, const TnMoment *moments, int count, double K, double D)
{
    const TnJointForces *f = &s->forces;
    const Weights *w = &s->weights[line];
    const double *v_start = s->in->qvel + s->tree.sub->dof_start;
    double v = rate(s, moments, count, v_start), x = rate(s, moments, count, s->v_free),
           theta = s->in->theta, share = f->theta_damping[line] / theta, by_spring = K * w->spring,
           by_damper = D * w->damping / theta;
    int n = s->tree.n, columns = s->out->columns;
    add_square(s, s->R, columns, 0, moments, count, K);
    add_square(s, s->R, columns, n, moments, count,
               -K * f->spring_share[line] * f->reach.r - D * (share - 1.0));
    add_weight(s, s->R, moments, count, w,
               by_spring * (f->reach.p * x - f->reach.r * v) + by_damper * (x - v));
    double way = K * f->spring_share[line] * way_by_w(s->in), by_w = K * spring_by_w(s, line);
    add_share(s, s->R, moments, count, way * (x - v) + by_w * (f->reach.p * x - f->reach.r * v));
    if (!s->delta) return;
    double delta = rate(s, moments, count, s->delta);
    add_weight(s, s->out->A, moments, count, w, (by_spring * f->reach.p + by_damper) * delta);
    add_share(s, s->out->A, moments, count, (way + by_w * f->reach.p) * delta);
}

static void add_servo(Slopes *s, int k)
{
    const TnDynamicsInput *in = s->in;
    const TnServo *servo = &s->forces.servos[k];
    const TnActuator *a = servo->actuator;
    const TnMoment *moments = a->moments;
    const Weights *w = &s->weights[servo->line];
    const TnReach reach = s->forces.reach;
    int n = s->tree.n, columns = s->out->columns, count = a->moment_count,
        first = s->tree.sub->dof_start;
    double gear2 = a->gear * a->gear, K = fmax(0.0, -gear2 * servo->law.by_length),
           D = fmax(0.0, -gear2 * servo->law.by_velocity), lead = s->forces.servo_lead[servo->line],
           share = s->forces.theta_damping[servo->line] / in->theta, per = in->t / in->theta,
           v = rate(s, moments, count, in->qvel + first), x = rate(s, moments, count, s->v_free);
    if (servo->slope == 0.0 && (servo->force <= servo->low || servo->force >= servo->high)) return;
    for (int i = 0; i < count; i++)
        s->R[(size_t)(moments[i].dof - first) * (size_t)columns + (size_t)(2 * n + k)] -=
            moments[i].coef * a->gear * a->gain;
    /* what pushes away from rest is taken where the pass is */
    double late = lead * per, explicit_K = K > 0.0 ? 0.0 : gear2 * servo->law.by_length,
           explicit_D = D > 0.0 ? 0.0 : gear2 * servo->law.by_velocity;
    add_square(s, s->R, columns, 0, moments, count, K - explicit_K);
    add_square(s, s->R, columns, n, moments, count,
               -K * ((1.0 - lead) * reach.r + late * (1.0 - in->theta)) - D * (share - 1.0));
    add_square(s, s->E, n, 0, moments, count, -explicit_K * s->h - explicit_D);
    double by_lead = K * w->lead, by_damper = D * w->damping / in->theta;
    add_weight(s, s->R, moments, count, w,
               by_lead * ((reach.r - per * (1.0 - in->theta)) * v + (per - reach.p) * x) +
                   by_damper * (x - v));
    double way = K * (1.0 - lead) * way_by_w(in);
    add_share(s, s->R, moments, count, way * (x - v));
    if (!s->delta) return;
    double delta = rate(s, moments, count, s->delta);
    add_weight(s, s->out->A, moments, count, w, (by_lead * (per - reach.p) + by_damper) * delta);
    add_share(s, s->out->A, moments, count, way * delta);
}

static void add_joint_forces(Slopes *s)
{
    const TnModel *model = s->tree.model;
    int n = s->tree.n, first = s->tree.sub->dof_start;
    for (int d = 0; d < n; d++) {
        const TnJoint *joint = joint_at(&s->tree, d);
        const TnMoment own = {.dof = first + d, .coef = 1.0};
        if (joint->stiffness != 0.0 || joint->damping != 0.0)
            add_line(s, d, &own, 1, joint->stiffness, joint->damping);
    }
    for (int k = model->tendon_first[s->tree.sub - model->subsystems]; k >= 0;
         k = model->tendon_next[k]) {
        const TnTendon *t = &model->tendons[k];
        add_line(s, n + k, t->moments, t->moment_count, t->stiffness, t->damping);
    }
    for (int k = 0; k < s->forces.servo_count; k++) add_servo(s, k);
}

/* ---- numbers of the model ---- */

/* A change of a link's inertia about the tree's origin, world axes. */
static TnSpatialInertia inertia_of(const TnTree *tree, const TnNumber *x)
{
    const TnLinkFrame *frame = &tree->frames[x->index - tree->sub->link_start];
    const double *I = x->second, own[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]},
                 m = x->mass;
    double r[3], s[3], T[9], Rt[9], W[9];
    TnSpatialInertia out = {.m = m};
    v3_sub(r, frame->pos, tree->origin);
    m3_mul_v(s, frame->rot, x->first);
    m3_mul(T, frame->rot, own);
    m3_transpose(Rt, frame->rot);
    m3_mul(W, T, Rt);
    v3_copy(out.h, s);
    v3_add_scaled(out.h, r, m);
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; k++) {
        int i = at[k][0], j = at[k][1];
        out.I[k] = W[3 * i + j] - m * r[i] * r[j] - r[i] * s[j] - s[i] * r[j];
        if (i == j) out.I[k] += m * v3_dot(r, r) + 2.0 * v3_dot(r, s);
    }
    return out;
}

static bool is_here(const TnModel *model, const TnSubsystem *sub, const TnNumber *x)
{
    int s = (int)(sub - model->subsystems);
    switch (x->kind) {
    case TN_CHANGE_GRAVITY:
        return true;
    case TN_CHANGE_LINK:
        return model->link_subsystem[x->index] == s;
    case TN_CHANGE_ARMATURE:
    case TN_CHANGE_STIFFNESS:
    case TN_CHANGE_SPRING_REF:
    case TN_CHANGE_DAMPING:
        return model->link_subsystem[model->joints[x->index].link] == s;
    case TN_CHANGE_GAIN:
    case TN_CHANGE_BIAS:
        return model->actuators[x->index].subsystem == s;
    default:
        return false;
    }
}

bool tn_tree_has(const TnModel *model, const TnSubsystem *sub, const TnTreeStepSlopes *slopes,
                 const TnNumber *x)
{
    bool spring = x->kind == TN_CHANGE_STIFFNESS || x->kind == TN_CHANGE_SPRING_REF;
    if (!is_here(model, sub, x)) return true;
    if (spring && tn_joint_dofs(model->joints[x->index].type) > 1) return false;
    return !slopes->weighs || x->kind < TN_CHANGE_LINK || x->kind > TN_CHANGE_DAMPING ||
           x->kind == TN_CHANGE_SPRING_REF;
}

static double *cell(const Slopes *s, double *matrix, int d, int k)
{
    return matrix + (size_t)d * (size_t)s->out->columns +
           (size_t)(2 * s->tree.n + s->forces.servo_count + k);
}

/* Of inverse dynamics at the accelerations a, to `out`; gravity: it acts. */
static void add_inertias(const Slopes *s, double *out, const double *a, bool gravity)
{
    const TnTree *tree = &s->tree;
    for (int k = 0; k < s->number_count; k++) {
        const TnNumber *x = &s->numbers[k];
        if (!is_here(tree->model, tree->sub, x)) continue;
        if (x->kind == TN_CHANGE_LINK) {
            TnSpatialInertia change = inertia_of(tree, x);
            tn_tree_link_wrench(tree, &s->memory, x->index - tree->sub->link_start, &change,
                                cell(s, out, 0, k), s->out->columns);
        }
        for (int d = 0; x->kind == TN_CHANGE_GRAVITY && gravity && d < tree->n; d++)
            *cell(s, out, d, k) -= s->memory.dofs[d].U[x->index];
        for (int d = 0; x->kind == TN_CHANGE_ARMATURE && d < tree->n; d++)
            if (joint_at(tree, d) == &tree->model->joints[x->index]) *cell(s, out, d, k) += a[d];
    }
}

static void add_joint_number(const Slopes *s, int k)
{
    const TnNumber *x = &s->numbers[k];
    const TnModel *model = s->tree.model;
    const TnJoint *joint = &model->joints[x->index];
    const TnReach reach = s->forces.reach;
    int first = s->tree.sub->dof_start;
    for (int d = joint->dof_start - first;
         d < joint->dof_start - first + tn_joint_dofs(joint->type); d++) {
        double v = s->in->qvel[first + d], beta = s->forces.spring_share[d],
               share = s->forces.theta_damping[d] / s->in->theta,
               delta = s->delta ? s->delta[d] : 0.0;
        TnReach way =
            tn_reach(s->in, s->in->blend ? s->in->blend[s->tree.sub - model->subsystems] : 0.0);
        double rate = share * s->vhat[d] - (share - 1.0) * v, path = way.p * s->vhat[d] - way.r * v,
               by = 0.0, by_delta = 0.0;
        if (x->kind == TN_CHANGE_STIFFNESS) {
            by = s->in->qpos[joint->qpos_start] - joint->spring_ref +
                 beta * (reach.p * s->v_free[d] - reach.r * v);
            by_delta = beta * reach.p * delta;
        } else if (x->kind == TN_CHANGE_SPRING_REF) {
            by = -joint->stiffness;
        } else if (x->kind == TN_CHANGE_DAMPING) {
            by = share * s->v_free[d] - (share - 1.0) * v;
            by_delta = share * delta;
            s->out->work[2 * s->tree.n + s->forces.servo_count + k] -= fmax(0.0, rate * path);
        }
        *cell(s, s->R, d, k) += by;
        if (s->delta) *cell(s, s->out->A, d, k) += by_delta;
    }
}

static void add_actuator_number(const Slopes *s, int k)
{
    const TnNumber *x = &s->numbers[k];
    for (int i = 0; i < s->forces.servo_count; i++) {
        const TnServo *servo = &s->forces.servos[i];
        const TnActuator *a = servo->actuator;
        bool held =
            servo->slope == 0.0 && (servo->force <= servo->low || servo->force >= servo->high);
        if (a != &s->tree.model->actuators[x->index] || held) continue;
        double by = a->gear * (x->kind == TN_CHANGE_GAIN ? s->in->inputs[x->index] : 1.0),
               path = 0.0;
        TnReach way = tn_reach(
            s->in, s->in->blend ? s->in->blend[s->tree.sub - s->tree.model->subsystems] : 0.0);
        for (int j = 0; j < a->moment_count; j++) {
            int d = a->moments[j].dof - s->tree.sub->dof_start;
            *cell(s, s->R, d, k) -= a->moments[j].coef * by;
            path +=
                a->moments[j].coef * (way.p * s->vhat[d] - way.r * s->in->qvel[a->moments[j].dof]);
        }
        s->out->work[2 * s->tree.n + s->forces.servo_count + k] += by * path;
    }
}

/* After the work of all else was found. */
static void add_numbers(const Slopes *s)
{
    for (int k = 0; k < s->number_count; k++) {
        const TnNumber *x = &s->numbers[k];
        if (!is_here(s->tree.model, s->tree.sub, x)) continue;
        if (x->kind == TN_CHANGE_GAIN || x->kind == TN_CHANGE_BIAS)
            add_actuator_number(s, k);
        else if (x->kind > TN_CHANGE_ARMATURE)
            add_joint_number(s, k);
    }
}

bool tn_tree_number_energy(const TnModel *model, const TnSubsystem *sub, const TnNumber *x,
                           const double *qpos, const double *qvel, const double origin[3],
                           TnArena *arena, double *energy, double *kinetic)
{
    int n = sub->dof_count;
    *energy = *kinetic = 0.0;
    if (!is_here(model, sub, x)) return true;
    if (x->kind >= TN_CHANGE_ARMATURE) {
        const TnJoint *joint = &model->joints[x->index];
        double over = qpos[joint->qpos_start] - joint->spring_ref;
        if (x->kind == TN_CHANGE_STIFFNESS) *energy = 0.5 * over * over;
        if (x->kind == TN_CHANGE_SPRING_REF) *energy = -joint->stiffness * over;
        for (int k = 0; x->kind == TN_CHANGE_ARMATURE && k < tn_joint_dofs(joint->type); k++)
            *kinetic += 0.5 * qvel[joint->dof_start + k] * qvel[joint->dof_start + k];
        *energy += *kinetic;
        return true;
    }
    TnTree tree = tn_tree(model, sub, NULL, origin, NULL);
    TnTreeSlopes memory;
    double(*S)[6] = TN_ARENA_NEW(arena, TnAxis, n), *rest = TN_ARENA_NEW(arena, double, 2 * n);
    TnLinkFrame *frames = TN_ARENA_NEW(arena, TnLinkFrame, sub->link_count);
    if (!S || !frames || !rest || !tn_tree_slopes_reserve(&tree, arena, &memory)) return false;
    tree.frames = frames;
    tree.S = (const double(*)[6])S;
    tn_tree_forward(&tree, qpos + sub->qpos_start, frames, S);
    tn_tree_inertias(&tree, memory.inertia);
    if (x->kind == TN_CHANGE_GRAVITY) {
        for (int i = 0; i < sub->link_count; i++)
            *energy -= memory.inertia[i].m * frames[i].com[x->index];
        return true;
    }
    TnSpatialInertia change = inertia_of(&tree, x);
    double above[3];
    tn_tree_kinetic_slopes(&tree, &memory, qvel + sub->dof_start, rest, rest + n);
    *kinetic = tn_tree_link_kinetic(&memory, x->index - sub->link_start, &change);
    v3_copy(above, change.h);
    v3_add_scaled(above, origin, change.m);
    *energy = *kinetic - v3_dot(model->option.gravity, above);
    return true;
}

/* ---- the pass ---- */

/* R and E of inverse dynamics, where the last pass was; `M`: mass matrix there. */
static bool add_dynamics(Slopes *s, const double *e, const double *M)
{
    int n = s->tree.n, columns = s->out->columns;
    size_t squared = (size_t)n * (size_t)n;
    const double *v = s->in->qvel + s->tree.sub->dof_start;
    double rates = 1.0 / (s->in->theta * s->in->t),
           *work = TN_ARENA_NEW(s->arena, double, 2 * squared + 3 * (size_t)n);
    if (!work) return false;
    double *by_q = work, *by_v = by_q + squared, *a = by_v + squared, *force = a + n,
           *by_e = force + n;
    for (int i = 0; i < n; i++) a[i] = (s->v_free[i] - v[i]) * rates;
    tn_tree_slopes(&s->tree, &s->memory, e, a, true, force, by_q, by_v);
    for (int i = 0; i < n; i++) {
        bring_back(s, e, by_q + i * n, by_e);
        for (int k = 0; k < n; k++) {
            s->R[i * columns + k] += by_q[i * n + k];
            s->R[i * columns + n + k] -= M[i * n + k] * rates;
            s->E[i * n + k] += by_e[k] + by_v[i * n + k];
        }
    }
    add_inertias(s, s->R, a, true);
    if (!s->delta) return true;
    /* A that was moved, times a vector: no velocity, no gravity */
    memset(by_v, 0, sizeof(double) * (size_t)n);
    for (int i = 0; i < n; i++) a[i] = s->delta[i] * rates;
    tn_tree_slopes(&s->tree, &s->memory, by_v, a, false, force, by_q, NULL);
    add_inertias(s, s->out->A, a, false);
    for (int i = 0; i < n; i++) {
        bring_back(s, e, by_q + i * n, by_e);
        for (int k = 0; k < n; k++) s->out->A[i * columns + k] += by_q[i * n + k];
        memcpy(s->turned + i * n, by_e, sizeof(double) * (size_t)n);
    }
    return true;
}

void tn_tree_step_divide(const TnModel *model, const TnSubsystem *sub,
                         const TnTreeStepSlopes *slopes, double *x)
{
    TnTree tree = tn_tree(model, sub, NULL, NULL, NULL);
    tree.run = slopes->run;
    tn_tree_solve(&tree, slopes->L, x);
}

/* Y ← A⁻¹ E */
static void find_feedback(const Slopes *s, double *x, double *Y)
{
    int n = s->tree.n;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) x[i] = s->E[i * n + k];
        tn_tree_solve(&s->tree, s->out->L, x);
        for (int i = 0; i < n; i++) Y[i * n + k] = x[i];
    }
}

/* (1 + Y)⁻¹ by elimination, Y is small. False: it has no inverse. */
static bool invert_plus_one(int n, double *Y, double *inverse)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) inverse[i * n + k] = i == k ? 1.0 : 0.0;
    for (int i = 0; i < n; i++) Y[i * n + i] += 1.0;
    for (int p = 0; p < n; p++) {
        double pivot = Y[p * n + p];
        if (!(fabs(pivot) > TN_SAME)) return false;
        for (int i = 0; i < n; i++) {
            double by = Y[i * n + p] / pivot;
            if (i == p || by == 0.0) continue;
            for (int k = p + 1; k < n; k++) Y[i * n + k] -= by * Y[p * n + k];
            for (int k = 0; k < n; k++) inverse[i * n + k] -= by * inverse[p * n + k];
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) inverse[i * n + k] /= Y[i * n + i];
    return true;
}

/* Columns of v̂, and of what its last pass was about, which is v̂ itself unless it was foretold. */
static bool follow_passes(Slopes *s, const TnTreeSystem *system)
{
    int n = s->tree.n, columns = s->out->columns;
    size_t squared = (size_t)n * (size_t)n;
    double *x = TN_ARENA_NEW(s->arena, double, 2 * squared + 2 * (size_t)n), *V = s->out->v_free;
    if (!x) return false;
    double *e = x + n, *Y = e + n, *inverse = Y + squared;
    if (!system->foretold) {
        find_feedback(s, x, Y);
        if (!invert_plus_one(n, Y, inverse)) return false;
    }
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < n; i++) x[i] = -s->R[i * columns + c];
        if (system->foretold && c >= n && c < 2 * n)
            for (int i = 0; i < n; i++) x[i] -= s->E[i * n + c - n] * (1.0 + s->carry);
        tn_tree_solve(&s->tree, s->out->L, x);
        memset(e, 0, sizeof(double) * (size_t)n);
        if (system->foretold && c >= n && c < 2 * n) e[c - n] = 1.0 + s->carry;
        for (int i = 0; !system->foretold && i < n; i++)
            for (int k = 0; k < n; k++) e[i] += inverse[i * n + k] * x[k];
        const double *found = system->foretold ? x : e;
        for (int i = 0; i < n; i++) V[i * columns + c] = found[i];
        for (int i = 0; s->delta && i < n; i++)
            for (int k = 0; k < n; k++) s->out->A[i * columns + c] += s->turned[i * n + k] * e[k];
    }
    return true;
}

/* ---- work ---- */

/* The work of a force f - slope · ẋ̂ along a coordinate, times `sign`: by q (K), v (by_start), an
 * input (`input`, `by_input`; -1: none), the compliance, and v̂. */
typedef struct LineWork {
    double force, slope;
    double by_q, by_start, by_weight, slope_by_weight, by_w, slope_by_w, by_input;
    int input;
} LineWork;
static void add_work(const Slopes *s, const TnMoment *moments, int count, const Weights *w,
                     TnReach way, const LineWork *x, double sign)
{
    int n = s->tree.n, first = s->tree.sub->dof_start;
    double v = rate(s, moments, count, s->in->qvel + first),
           vhat = rate(s, moments, count, s->vhat), path = way.p * vhat - way.r * v,
           f = x->force - x->slope * vhat;
    double *work = s->out->work;
    for (int i = 0; i < count; i++) {
        int d = moments[i].dof - first;
        double c = sign * moments[i].coef;
        work[d] += c * x->by_q * path;
        work[n + d] += c * (x->by_start * path - way.r * f);
        s->out->work_by_v[d] += c * (way.p * f - x->slope * path);
    }
    if (x->input >= 0) work[2 * n + x->input] += sign * x->by_input * path;
    for (int k = 0; w->change && k < 2 * n; k++)
        work[k] += sign * (x->by_weight - x->slope_by_weight * vhat) * path * w->change[k];
    double by_w = (x->by_w - x->slope_by_w * vhat) * path +
                  (s->out->follows ? f * way_by_w(s->in) * (vhat - v) : 0.0);
    for (int k = 0; s->out->w && k < 2 * n; k++) work[k] += sign * by_w * s->out->w[k];
}

static void add_damper_work(const Slopes *s, int line, const TnMoment *moments, int count, double D,
                            TnReach way)
{
    const Weights *w = &s->weights[line];
    double theta = s->in->theta, share = s->forces.theta_damping[line] / theta,
           v = rate(s, moments, count, s->in->qvel + s->tree.sub->dof_start),
           vhat = rate(s, moments, count, s->vhat);
    double loss = D * (share * vhat - (share - 1.0) * v) * (way.p * vhat - way.r * v);
    LineWork x = {.force = D * (share - 1.0) * v,
                  .slope = D * share,
                  .by_start = D * (share - 1.0),
                  .by_weight = D * w->damping / theta * v,
                  .slope_by_weight = D * w->damping / theta,
                  .input = -1};
    if (loss > 0.0) add_work(s, moments, count, w, way, &x, 1.0);
}

static void add_servo_work(const Slopes *s, int k, TnReach way)
{
    const TnDynamicsInput *in = s->in;
    const TnServo *servo = &s->forces.servos[k];
    const TnActuator *a = servo->actuator;
    const Weights *w = &s->weights[servo->line];
    const TnReach reach = s->forces.reach;
    double gear2 = a->gear * a->gear, K = fmax(0.0, -gear2 * servo->law.by_length),
           D = fmax(0.0, -gear2 * servo->law.by_velocity), lead = s->forces.servo_lead[servo->line],
           share = s->forces.theta_damping[servo->line] / in->theta, per = in->t / in->theta,
           v = rate(s, a->moments, a->moment_count, in->qvel + s->tree.sub->dof_start);
    LineWork x = {.force = servo->force, .slope = servo->slope, .input = k};
    if (servo->slope != 0.0 || (servo->force > servo->low && servo->force < servo->high)) {
        x.by_input = a->gear * a->gain;
        x.by_q = -K;
        x.by_start =
            K * ((1.0 - lead) * reach.r + lead * per * (1.0 - in->theta)) + D * (share - 1.0);
        x.by_weight =
            K * w->lead * (per * (1.0 - in->theta) - reach.r) * v + D * w->damping / in->theta * v;
        x.slope_by_weight = K * w->lead * (per - reach.p) + D * w->damping / in->theta;
        x.slope_by_w = K * (1.0 - lead) * way_by_w(in);
        x.by_w = x.slope_by_w * v;
    }
    add_work(s, a->moments, a->moment_count, w, way, &x, 1.0);
}

static void find_work(Slopes *s)
{
    const TnModel *model = s->tree.model;
    const TnReach way =
        tn_reach(s->in, s->in->blend ? s->in->blend[s->tree.sub - model->subsystems] : 0.0);
    int n = s->tree.n;
    memset(s->out->work, 0, sizeof(double) * (size_t)s->out->columns);
    memset(s->out->work_by_v, 0, sizeof(double) * (size_t)n);
    for (int d = 0; d < n; d++) {
        const TnMoment own = {.dof = s->tree.sub->dof_start + d, .coef = 1.0};
        double D = joint_at(&s->tree, d)->damping;
        if (D != 0.0) add_damper_work(s, d, &own, 1, D, way);
    }
    for (int k = model->tendon_first[s->tree.sub - model->subsystems]; k >= 0;
         k = model->tendon_next[k]) {
        const TnTendon *t = &model->tendons[k];
        if (t->damping != 0.0)
            add_damper_work(s, n + k, t->moments, t->moment_count, t->damping, way);
    }
    for (int k = 0; k < s->forces.servo_count; k++) add_servo_work(s, k, way);
}

/* ---- all of it ---- */

static bool reserve(Slopes *s, bool pulled)
{
    TnTreeStepSlopes *out = s->out;
    size_t n = (size_t)s->tree.n, columns = (size_t)out->columns, all = n * columns;
    double *x = TN_ARENA_ZERO(s->arena, double, 3 * all + 3 * n * n + columns + 4 * n);
    s->S = TN_ARENA_NEW(s->arena, TnAxis, n);
    s->frames = TN_ARENA_NEW(s->arena, TnLinkFrame, s->tree.link_count);
    s->q = TN_ARENA_NEW(s->arena, double, s->tree.sub->qpos_count);
    int *run = TN_ARENA_NEW(s->arena, int, n);
    if (!x || !s->S || !s->frames || !s->q || !run) return false;
    s->tree.frames = s->frames;
    s->tree.S = (const double(*)[6])s->S;
    tn_tree_runs(&s->tree, run);
    s->tree.run = out->run = run;
    out->v_free = x;
    s->R = x + all;
    out->A = pulled ? x + 2 * all : NULL;
    out->L = x + 3 * all;
    s->E = out->L + n * n;
    s->turned = s->E + n * n;
    out->work = s->turned + n * n;
    out->work_by_v = out->work + columns;
    s->guess = out->work_by_v + n;
    s->delta = pulled ? s->guess + n : NULL;
    return tn_tree_slopes_reserve(&s->tree, s->arena, &s->memory);
}

/* What the first pass was about. */
static void find_guess(Slopes *s)
{
    int n = s->tree.n, first = s->tree.sub->dof_start;
    const double *v = s->in->qvel + first;
    s->carry = 0.0;
    memcpy(s->guess, v, sizeof(double) * (size_t)n);
    if (s->in->last && tn_predict_velocity(n, v, s->in->last + first, s->guess)) s->carry = 1.0;
}

static bool weigh(Slopes *s, double *M, double *y)
{
    double *L = NULL;
    place(s, s->guess);
    tn_tree_inertias(&s->tree, s->memory.inertia);
    tn_tree_compose(&s->tree, s->memory.inertia, M);
    if (tn_joint_forces_sum(&s->forces)) {
        L = TN_ARENA_NEW(s->arena, double, (size_t)s->tree.n *(size_t)s->tree.n);
        if (!L) return false;
        tn_tree_copy(&s->tree, M, L);
        if (!tn_tree_factor(&s->tree, L)) return false;
    }
    tn_joint_forces_weigh(&s->forces, L, y);
    tn_tree_inertias(&s->tree, s->memory.inertia); /* they were added up */
    return find_weights(s, L, y);
}

bool tn_tree_step_slopes(const TnDynamicsInput *in, const TnSubsystem *sub,
                         const TnLinkFrame *frames, const TnTreeSystem *system, const double *vhat,
                         const TnNumber *numbers, int count, TnArena *arena, TnTreeStepSlopes *out,
                         const char **why)
{
    size_t n = (size_t)sub->dof_count;
    Slopes s = {.in = in,
                .tree = tn_tree(in->model, sub, NULL, frames[sub->link_start].com, NULL),
                .arena = arena,
                .h = in->theta * in->t,
                .vhat = vhat,
                .v_free = system->v_free,
                .damped = system->damped,
                .numbers = numbers,
                .number_count = count,
                .out = out};
    bool pulled = memcmp(vhat, system->v_free, sizeof(double) * n) != 0;
    if (!tn_joint_forces_init(&s.forces, in, &s.tree, arena)) return false;
    /* what it was assembled with: a solution that is not planned for may move it otherwise */
    s.forces.w = system->w;
    s.forces.reach = tn_reach(in, system->w);
    *out = (TnTreeStepSlopes){.n = (int)n, .columns = 2 * (int)n + s.forces.servo_count + count};
    out->follows =
        in->blend && fabs(in->blend[sub - in->model->subsystems] - system->w) <= TN_ROUND_OFF;
    *why = refuse(&s, system);
    if (*why) return true;
    double *M = TN_ARENA_NEW(arena, double, n *n), *y = TN_ARENA_NEW(arena, double, n);
    if (!M || !y || !reserve(&s, pulled)) return false;
    for (size_t i = 0; pulled && i < n; i++) s.delta[i] = vhat[i] - system->v_free[i];
    find_guess(&s);
    if (!weigh(&s, M, y)) return false;
    for (int k = 0; k < s.tree.n + s.tree.model->tendon_count; k++)
        out->weighs |= s.weights[k].change != NULL;
    const double *e = system->foretold ? s.guess : system->v_free;
    tn_joint_forces_servos(&s.forces, e, s.h);
    *why = refuse_held(&s, system);
    if (*why) return true;
    if (!system->foretold) {
        place(&s, e);
        tn_tree_inertias(&s.tree, s.memory.inertia);
        tn_tree_compose(&s.tree, s.memory.inertia, M);
    }
    tn_tree_copy(&s.tree, system->A, out->L);
    if (!tn_tree_factor(&s.tree, out->L) || !add_dynamics(&s, e, M)) return false;
    add_joint_forces(&s);
    find_work(&s);
    add_numbers(&s);
    return follow_passes(&s, system);
}

bool tn_tree_state_slopes(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                          const double *qvel, const double origin[3], TnArena *arena, double *by_q,
                          double *by_v, double *kinetic_by_q)
{
    int n = sub->dof_count;
    TnTree tree = tn_tree(model, sub, NULL, origin, NULL);
    TnTreeSlopes memory;
    double(*S)[6] = TN_ARENA_NEW(arena, TnAxis, n);
    TnLinkFrame *frames = TN_ARENA_NEW(arena, TnLinkFrame, sub->link_count);
    if (!S || !frames || !tn_tree_slopes_reserve(&tree, arena, &memory)) return false;
    tree.frames = frames;
    tree.S = (const double(*)[6])S;
    tn_tree_forward(&tree, qpos + sub->qpos_start, frames, S);
    tn_tree_inertias(&tree, memory.inertia);
    tn_tree_kinetic_slopes(&tree, &memory, qvel + sub->dof_start, kinetic_by_q, by_v);
    tn_tree_height_slopes(&tree, &memory, by_q);
    for (int d = 0; d < n; d++) by_q[d] += kinetic_by_q[d];
    for (int d = 0; d < n; d++) {
        const TnJoint *joint = joint_at(&tree, d);
        if (joint->stiffness != 0.0)
            by_q[d] += joint->stiffness * (qpos[joint->qpos_start] - joint->spring_ref);
    }
    for (int k = model->tendon_first[sub - model->subsystems]; k >= 0; k = model->tendon_next[k]) {
        const TnTendon *t = &model->tendons[k];
        double over = tn_moment_length(t->moments, t->moment_count, qpos) - t->spring_length;
        for (int i = 0; i < t->moment_count && t->stiffness != 0.0; i++)
            by_q[t->moments[i].dof - sub->dof_start] += t->stiffness * over * t->moments[i].coef;
    }
    return true;
}
