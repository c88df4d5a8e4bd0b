/* compile_spring.c: springs of joints that are given by a time constant T and a damping ratio z.
 *
 * m x'' + b x' + k x = 0 with k = m / (T z)^2 and b = 2 m / T. The inertia m is what the joint
 * moves in the reference pose with all other joints free: over the dofs of the joint, the harmonic
 * mean of 1 / (M^-1)_dd. This is MuJoCo's rule. */
#include "reference_mass.h"

#include <math.h>

/* NAN where the mass matrix is singular; false: no memory. */
static bool inertia_moved(const TnCompile *c, TnReferenceMass *reference, const TnJoint *joint,
                          double *inertia)
{
    int n = tn_joint_dof_count(joint->type);
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        TnMoment moment = {.dof = joint->dof_start + k, .coef = 1.0};
        double mass;
        if (!tn_reference_mass_along(c, reference, c->model->links[joint->link].subsystem, &moment,
                                     1, &mass))
            return false;
        sum += 1.0 / mass;
    }
    *inertia = n / sum;
    return true;
}

static bool set_spring(TnCompile *c, TnReferenceMass *reference, int index)
{
    int id = c->lookup->joint_id[index];
    const TnJointDef *def = &c->builder->joints[id - 1];
    TnJoint *joint = &c->model->joints[index];
    double time = def->spring_time, ratio = def->spring_ratio, inertia;
    if (!(time > 0.0)) return true;
    if (!inertia_moved(c, reference, joint, &inertia)) return false;
    joint->stiffness = inertia / (time * ratio * time * ratio);
    joint->damping = 2.0 * inertia / time + tn_rotor_damping(c, id, 0);
    if (!isfinite(joint->stiffness))
        tn_problem(
            c, TN_ELEMENT("joint", def, id - 1),
            "spring_time: the mass matrix is singular in the reference pose, so the joint has "
            "no inertia to go by");
    return true;
}

void tn_compile_springs(TnCompile *c)
{
    TnReferenceMass reference = {.subsystem = -1};
    bool good = true;
    for (int j = 0; j < c->model->joint_count && good && !c->problem_count; j++)
        good = set_spring(c, &reference, j);
    tn_reference_mass_free(&reference);
    if (good) return;
    tn_error_add(c->err, TN_ERROR_MEMORY, "no memory for the model");
    c->problem_count++;
}
