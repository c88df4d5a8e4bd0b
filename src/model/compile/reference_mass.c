/* reference_mass.c: M = Σ over links of m Jᵀ_v J_v + Jᵀ_ω I J_ω, plus armature of joints and
 * tendons, in the reference pose. Plain sums over each link's way to the root: compile has no
 * kinematics of its own, and needs this once. */
#include "reference_mass.h"

#include "../../math/cholesky.h"
#include "../../math/vec3.h"

#include <math.h>
#include <string.h>

/* Motion of the joint's k-th dof at a point: linear, angular; world axes. */
static void joint_column(const TnCompile *c, const TnJoint *joint, int k, const double point[3],
                         double linear[3], double angular[3])
{
    const TnBodyScratch *body = &c->bodies[joint->body];
    double anchor[3], arm[3], unit[3] = {0.0, 0.0, 0.0};
    v3_zero(angular);
    if (joint->type == TN_JOINT_SLIDE) {
        quat_rotate(linear, body->quat, joint->axis);
        return;
    }
    if (joint->type == TN_JOINT_FREE && k < 3) {
        v3_zero(linear);
        linear[k] = 1.0;
        return;
    }
    unit[k % 3] = 1.0;
    quat_rotate(angular, body->quat, joint->type == TN_JOINT_HINGE ? joint->axis : unit);
    quat_rotate(anchor, body->quat, joint->pos);
    v3_add(anchor, anchor, body->pos);
    v3_sub(arm, point, anchor);
    v3_cross(linear, angular, arm);
}

/* Adds one link's part. columns: 9 numbers per dof of the subsystem. */
static void add_link(const TnCompile *c, const TnSubsystem *sub, const TnLink *link,
                     double *columns, double *M)
{
    const TnModel *m = c->model;
    const TnBodyScratch *body = &c->bodies[link->body];
    int n = sub->dof_count, first = sub->dof_start;
    int last = link->dof_start + link->dof_count - 1;
    double com[3], inverse[4];
    quat_rotate(com, body->quat, link->com);
    v3_add(com, com, body->pos);
    quat_conjugate(inverse, body->quat);
    for (int d = last; d >= 0; d = m->dof_parent[d]) {
        const TnJoint *joint = &m->joints[m->dof_joint[d]];
        double angular[3], *linear = columns + 9 * (d - first), *turn = linear + 3,
                           *spin = linear + 6;
        joint_column(c, joint, d - joint->dof_start, com, linear, angular);
        quat_rotate(turn, inverse, angular); /* in the link's axes, where its inertia is given */
        m3_mul_v(spin, link->inertia, turn);
    }
    for (int d = last; d >= 0; d = m->dof_parent[d])
        for (int e = last; e >= 0; e = m->dof_parent[e]) {
            const double *a = columns + 9 * (d - first), *b = columns + 9 * (e - first);
            M[(d - first) * n + e - first] += link->mass * v3_dot(a, b) + v3_dot(a + 3, b + 6);
        }
}

/* From the definition: springs are compiled before tendons. One over several trees is a row. */
static void add_tendon(const TnCompile *c, const TnSubsystem *sub, int index, double *M)
{
    const TnModel *m = c->model;
    const TnTendonDef *def = &c->builder->tendons[index];
    double armature = tn_rotor_armature(c, index + 1);
    int n = sub->dof_count;
    for (int i = 0; i < def->joint_count; i++) {
        int dof = m->joints[c->lookup->joint_index[def->joints[i].joint - 1]].dof_start;
        if (dof < sub->dof_start || dof >= sub->dof_start + n) return;
    }
    for (int i = 0; armature > 0.0 && i < def->joint_count; i++)
        for (int k = 0; k < def->joint_count; k++) {
            int a = m->joints[c->lookup->joint_index[def->joints[i].joint - 1]].dof_start -
                    sub->dof_start,
                b = m->joints[c->lookup->joint_index[def->joints[k].joint - 1]].dof_start -
                    sub->dof_start;
            M[a * n + b] += armature * def->joints[i].coef * def->joints[k].coef;
        }
}

static bool factor(const TnCompile *c, TnReferenceMass *reference, int subsystem)
{
    const TnModel *m = c->model;
    const TnSubsystem *sub = &m->subsystems[subsystem];
    size_t n = (size_t)sub->dof_count;
    tn_reference_mass_free(reference);
    reference->factor = tn_calloc(n * n + 9 * n, sizeof(double));
    if (!reference->factor) return false;
    reference->work = reference->factor + n * n;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        add_link(c, sub, &m->links[l], reference->work, reference->factor);
    for (size_t d = 0; d < n; d++)
        reference->factor[d * (n + 1)] += m->joints[m->dof_joint[sub->dof_start + (int)d]].armature;
    for (int k = 0; k < m->tendon_count; k++) add_tendon(c, sub, k, reference->factor);
    reference->subsystem = subsystem;
    reference->regular = tn_cholesky(reference->factor, (int)n);
    return true;
}

/* M⁻¹ c in reference->work; false: no memory. */
static bool solve_along(const TnCompile *c, TnReferenceMass *reference, int subsystem,
                        const TnMoment *moments, int count)
{
    if (reference->subsystem != subsystem && !factor(c, reference, subsystem)) return false;
    const TnSubsystem *sub = &c->model->subsystems[subsystem];
    double *x = reference->work;
    if (!reference->regular) return true;
    memset(x, 0, sizeof(double) * (size_t)sub->dof_count);
    for (int i = 0; i < count; i++) x[moments[i].dof - sub->dof_start] = moments[i].coef;
    tn_cholesky_solve(reference->factor, sub->dof_count, x);
    return true;
}

bool tn_reference_acceleration(const TnCompile *c, TnReferenceMass *reference, int subsystem,
                               const TnMoment *moments, int count, double *acceleration)
{
    double sum = 0.0;
    if (!solve_along(c, reference, subsystem, moments, count)) return false;
    for (int d = 0; reference->regular && d < c->model->subsystems[subsystem].dof_count; d++)
        sum += reference->work[d] * reference->work[d];
    *acceleration = sqrt(sum);
    return true;
}

bool tn_reference_mass_along(const TnCompile *c, TnReferenceMass *reference, int subsystem,
                             const TnMoment *moments, int count, double *mass)
{
    if (!solve_along(c, reference, subsystem, moments, count)) return false;
    const TnSubsystem *sub = &c->model->subsystems[subsystem];
    double *x = reference->work, sum = 0.0;
    *mass = NAN;
    if (!reference->regular) return true;
    for (int i = 0; i < count; i++) sum += moments[i].coef * x[moments[i].dof - sub->dof_start];
    *mass = 1.0 / sum;
    return true;
}

void tn_reference_mass_free(TnReferenceMass *reference)
{
    tn_free(reference->factor);
    *reference = (TnReferenceMass){.subsystem = -1};
}
