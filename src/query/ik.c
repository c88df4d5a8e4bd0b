/* ik.c: inverse kinematics by damped least squares (Levenberg and Marquardt).
 *
 * With e the errors of all targets, positions in m and rotation vectors in rad times a lever, and J
 * their Jacobian, a step is
 *
 *     Δq = -(JᵀJ + μ I)⁻¹ Jᵀ e   over the dofs that are free.
 *
 * A joint at a limit that the step would leave is no longer free, and the step is found again. A
 * step that makes |e|² smaller is taken and μ falls, another one is not and μ grows. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "../model/names.h"
#include "../world/world.h"
#include "jacobian.h"
#include "sensors.h"

/* Of the largest diagonal of JᵀJ: where μ starts, and where it ends. */
#define START_DAMPING 1e-3
#define MOST_DAMPING 1e6
/* rad or m: farther than this no linear model leads. */
#define LONGEST_STEP 0.5

TnIkTarget tn_ik_target(void)
{
    return (TnIkTarget){
        .use_pos = true, .use_quat = true, .quat = {1.0}, .weight = 1.0, .lever = 0.1};
}

TnIkDef tn_ik_def(void) { return (TnIkDef){.max_iterations = 200, .tolerance = 1e-6}; }

typedef struct Ik {
    const TnModel *model;
    const TnIkDef *def;
    int n, rows; /* dofs, and numbers in e */
    double *qpos, *trial, *step, *e, *J, *H, *rhs, *row;
    int *joint_of;  /* per dof: its joint, -1: it may not move */
    bool *fixed;    /* per dof, in this iteration */
    int *free_dofs; /* those that are not */
    TnLinkFrame *frames;
} Ik;

/* What a target aims with, as a site. */
static TnSite aim_of(const TnModel *model, const TnIkTarget *t)
{
    if (t->site > 0) return model->sites[t->site - 1];
    TnSite site = {.body = t->body - 1, .quat = {1.0}};
    v3_copy(site.pos, t->point);
    return site;
}

/* ---- errors ---- */

/* e of all targets, and the largest errors; J where it is asked for. Returns |e|². */
static double look(Ik *k, const double *qpos, bool jacobian, TnIkResult *out)
{
    const TnModel *model = k->model;
    size_t n = (size_t)k->n;
    double sum = 0.0;
    int row = 0;
    tn_kinematics(model, qpos, 0, model->link_count, k->frames);
    out->pos_error = out->quat_error = 0.0;
    for (int i = 0; i < k->def->target_count; i++) {
        const TnIkTarget *t = &k->def->targets[i];
        const TnSite site = aim_of(model, t);
        double pos[3], quat[4], want[4], turn[4], d[3], r[3];
        tn_site_pose(model, &site, k->frames, pos, quat);
        if (jacobian)
            tn_link_jacobian(model, qpos, k->frames, model->bodies[site.body].link, pos, k->row);
        v3_sub(d, pos, t->pos);
        quat_copy(want, t->quat);
        quat_normalize(want);
        quat_conjugate(want, want);
        quat_mul(turn, quat, want);
        quat_to_rotvec(r, turn);
        if (t->use_pos) out->pos_error = fmax(out->pos_error, v3_norm(d));
        if (t->use_quat) out->quat_error = fmax(out->quat_error, v3_norm(r));
        for (int half = 0; half < 2; half++) {
            if (!(half ? t->use_quat : t->use_pos)) continue;
            double scale = t->weight * (half ? t->lever : 1.0);
            for (int c = 0; c < 3; c++, row++) {
                k->e[row] = scale * (half ? r[c] : d[c]);
                sum += k->e[row] * k->e[row];
                for (size_t j = 0; jacobian && j < n; j++)
                    k->J[(size_t)row * n + j] = scale * k->row[(size_t)(3 * half + c) * n + j];
            }
        }
    }
    return sum;
}

static bool is_good(const Ik *k, const TnIkResult *r)
{
    double worst = r->pos_error;
    for (int i = 0; i < k->def->target_count; i++)
        if (k->def->targets[i].use_quat)
            worst = fmax(worst, k->def->targets[i].lever * r->quat_error);
    return worst <= k->def->tolerance;
}

/* ---- a step ---- */

/* -1 or 1: at this end of its range; 0: within, or without limits. */
static int end_of_range(const Ik *k, int dof, const double *qpos)
{
    const TnJoint *joint = &k->model->joints[k->model->dof_joint[dof]];
    if (!joint->limited || (joint->type != TN_JOINT_HINGE && joint->type != TN_JOINT_SLIDE))
        return 0;
    double q = qpos[joint->qpos_start];
    return q <= joint->range[0] ? -1 : q >= joint->range[1] ? 1 : 0;
}

/* Step of the dofs that are free. False: not positive definite. */
static bool solve(Ik *k, double damping)
{
    int m = 0;
    size_t n = (size_t)k->n;
    for (int d = 0; d < k->n; d++)
        if (!k->fixed[d]) k->free_dofs[m++] = d;
    memset(k->step, 0, sizeof(double) * n);
    for (int a = 0; a < m; a++) {
        for (int b = 0; b <= a; b++) {
            double sum = a == b ? damping : 0.0;
            for (int r = 0; r < k->rows; r++)
                sum += k->J[(size_t)r * n + (size_t)k->free_dofs[a]] *
                       k->J[(size_t)r * n + (size_t)k->free_dofs[b]];
            k->H[a * m + b] = sum;
        }
        k->rhs[a] = 0.0;
        for (int r = 0; r < k->rows; r++)
            k->rhs[a] -= k->J[(size_t)r * n + (size_t)k->free_dofs[a]] * k->e[r];
    }
    if (m && !tn_cholesky(k->H, m)) return false;
    if (m) tn_cholesky_solve(k->H, m, k->rhs);
    for (int a = 0; a < m; a++) k->step[k->free_dofs[a]] = k->rhs[a];
    return true;
}

static bool find_step(Ik *k, double damping)
{
    bool again = true;
    for (int d = 0; d < k->n; d++) k->fixed[d] = k->joint_of[d] < 0;
    while (again) {
        if (!solve(k, damping)) return false;
        again = false;
        for (int d = 0; d < k->n; d++) {
            if (k->fixed[d] || !(end_of_range(k, d, k->qpos) * k->step[d] > 0.0)) continue;
            k->fixed[d] = again = true;
        }
    }
    double most = 0.0;
    for (int d = 0; d < k->n; d++) most = fmax(most, fabs(k->step[d]));
    for (int d = 0; most > LONGEST_STEP && d < k->n; d++) k->step[d] *= LONGEST_STEP / most;
    return true;
}

/* Where the step leads, within limits. */
static void try_step(Ik *k)
{
    const TnModel *model = k->model;
    memcpy(k->trial, k->qpos, sizeof(double) * (size_t)model->qpos_count);
    for (int s = 0; s < model->subsystem_count; s++)
        if (model->subsystems[s].kind != TN_SUBSYSTEM_SOFT)
            tn_integrate_qpos(model, &model->subsystems[s], k->qpos, k->step, 1.0, k->trial);
    for (int d = 0; d < k->n; d++) {
        const TnJoint *joint = &model->joints[model->dof_joint[d] < 0 ? 0 : model->dof_joint[d]];
        if (k->joint_of[d] < 0 || end_of_range(k, d, k->trial) == 0) continue;
        double *q = &k->trial[joint->qpos_start];
        *q = fmin(fmax(*q, joint->range[0]), joint->range[1]);
    }
}

static double largest_diagonal(const Ik *k)
{
    double most = 0.0;
    for (int d = 0; d < k->n; d++) {
        double sum = 0.0;
        for (int r = 0; r < k->rows; r++) {
            double x = k->J[(size_t)r * (size_t)k->n + (size_t)d];
            sum += x * x;
        }
        most = fmax(most, sum);
    }
    return most;
}

static void run(Ik *k, TnIkResult *out)
{
    double damping = START_DAMPING, before = look(k, k->qpos, true, out);
    for (out->iterations = 0; out->iterations < k->def->max_iterations; out->iterations++) {
        TnIkResult there = *out;
        double scale = largest_diagonal(k);
        out->converged = is_good(k, out);
        if (out->converged || !(scale > 0.0) || damping > MOST_DAMPING) return;
        if (!find_step(k, damping * scale)) {
            damping *= 4.0;
            continue;
        }
        try_step(k);
        double after = look(k, k->trial, false, &there);
        if (!(after < before)) {
            damping *= 4.0;
            look(k, k->qpos, false, out);
            continue;
        }
        damping = fmax(0.25 * damping, TN_ROUND_OFF);
        memcpy(k->qpos, k->trial, sizeof(double) * (size_t)k->model->qpos_count);
        int iterations = out->iterations;
        before = look(k, k->qpos, true, out);
        out->iterations = iterations;
    }
    out->converged = is_good(k, out);
}

/* ---- asking ---- */

static bool check(const TnModel *model, const TnIkDef *def, const double *qpos, TnError *err)
{
    const char *why = NULL;
    if (!model || !def || !qpos || def->target_count < 1 || !def->targets)
        why = "model, targets and qpos must be given";
    for (int i = 0; !why && i < model->qpos_count; i++)
        if (!isfinite(qpos[i])) why = "qpos is not finite";
    for (int i = 0; !why && i < def->target_count; i++) {
        const TnIkTarget *t = &def->targets[i];
        double q[4];
        quat_copy(q, t->quat);
        if (t->site < 0 || t->site > model->site_count)
            why = "there is no such site";
        else if (t->site == 0 && (t->body < 1 || t->body > model->body_count))
            why = "there is no such body";
        else if (!isfinite(v3_norm(t->pos) + v3_norm(t->point) + t->weight + t->lever))
            why = "a target is not finite";
        else if (t->use_quat && !(quat_normalize(q) > 1e-10))
            why = "a target has no orientation";
    }
    for (int i = 0; !why && def->joints && i < def->joint_count; i++)
        if (def->joints[i] < 1 || def->joints[i] > model->joint_count)
            why = "there is no such joint";
    if (why) tn_error_add(err, TN_ERROR_USAGE, "inverse kinematics: %s", why);
    return !why;
}

/* What may move: all joints, or those that were named; at their limits at most. */
static void choose_joints(Ik *k)
{
    const TnModel *model = k->model;
    for (int d = 0; d < k->n; d++) k->joint_of[d] = k->def->joints ? -1 : model->dof_joint[d];
    for (int i = 0; k->def->joints && i < k->def->joint_count; i++) {
        int j = model->lookup->joint_index[k->def->joints[i] - 1];
        for (int d = 0; d < k->n; d++)
            if (model->dof_joint[d] == j) k->joint_of[d] = j;
    }
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        double *q = &k->qpos[joint->qpos_start];
        if (joint->limited && (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE) &&
            k->joint_of[joint->dof_start] >= 0)
            *q = fmin(fmax(*q, joint->range[0]), joint->range[1]);
    }
}

TnStatus tn_model_ik(const TnModel *model, const TnIkDef *def, double *qpos, TnIkResult *result,
                     TnError *err)
{
    TnIkResult none;
    if (!result) result = &none;
    *result = (TnIkResult){0};
    if (!check(model, def, qpos, err)) return TN_ERROR_USAGE;
    size_t n = (size_t)model->dof_count, rows = 6 * (size_t)def->target_count;
    Ik k = {.model = model, .def = def, .n = model->dof_count, .qpos = qpos};
    for (int i = 0; i < def->target_count; i++)
        k.rows += 3 * (def->targets[i].use_pos + def->targets[i].use_quat);
    double *numbers =
        tn_calloc((size_t)model->qpos_count + 8 * n + rows + rows * n + n * n + 1, sizeof(double));
    int *indices = tn_calloc(2 * n + 1, sizeof(int));
    k.fixed = tn_calloc(n + 1, sizeof(bool));
    k.frames = tn_malloc(sizeof(TnLinkFrame) * (size_t)model->link_count);
    bool ok = numbers && indices && k.fixed && k.frames;
    if (ok) {
        k.trial = numbers;
        k.step = k.trial + model->qpos_count;
        k.rhs = k.step + n;
        k.row = k.rhs + n;
        k.e = k.row + 6 * n;
        k.J = k.e + rows;
        k.H = k.J + rows * n;
        k.joint_of = indices;
        k.free_dofs = indices + n;
        choose_joints(&k);
        run(&k, result);
    } else {
        tn_error_add(err, TN_ERROR_MEMORY, "inverse kinematics: no memory");
    }
    tn_free(numbers);
    tn_free(indices);
    tn_free(k.fixed);
    tn_free(k.frames);
    return ok ? TN_OK : TN_ERROR_MEMORY;
}
