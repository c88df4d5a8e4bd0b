/* compile_drive.c: tendons and actuators, the way they couple dofs, and damping ratios. Those over
 * joints of one tree are direct, in its own equations; others are rows, along paths
 * (compile_path.c).
 *
 * A force along a tendon with coefficients c puts k c cᵀ into a tree's matrix A. Where its joints
 * lie on different branches, that fills entries which the tree's own pattern has not. dof_couple is
 * the elimination tree of the pattern with tendons: the factor (subsystem/tree/factor.c)
 * walks it instead of dof_parent and so finds all entries. */
#include "reference_mass.h"

#include "../../math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static TnMoment moment_of(const TnCompile *c, TnJointId id, double coef)
{
    const TnJoint *joint = &c->model->joints[c->lookup->joint_index[id - 1]];
    return (TnMoment){joint->qpos_start, joint->dof_start, coef};
}

static int subsystem_of(const TnCompile *c, TnJointId id)
{
    const TnModel *m = c->model;
    return m->links[m->joints[c->lookup->joint_index[id - 1]].link].subsystem;
}

/* ---- tendons ---- */

static int compare_moments(const void *a, const void *b)
{
    int x = ((const TnMoment *)a)->dof, y = ((const TnMoment *)b)->dof;
    return (x > y) - (x < y);
}

/* Merges the ways from two dofs to the root into one: each keeps all that was above it. */
static void merge_ways(int *parent, int a, int b)
{
    while (a >= 0 && b >= 0 && a != b) {
        int low = a > b ? b : a, high = a > b ? a : b;
        if (parent[high] < low) { /* low goes between, and what was above high is met further on */
            a = parent[high];
            parent[high] = low;
            b = low;
        } else {
            a = parent[high];
            b = low;
        }
    }
}

/* The length where the springs of its joints are at rest, as in MuJoCo. */
static double rest_length(const TnCompile *c, const TnTendonDef *def)
{
    double length = 0.0;
    for (int k = 0; k < def->joint_count; k++)
        length += def->joints[k].coef * c->builder->joints[def->joints[k].joint - 1].spring_ref;
    return length;
}

/* A fixed tendon over one tree. */
static bool is_of_one_tree(const TnCompile *c, const TnTendonDef *def)
{
    if (!def->joint_count || def->point_count) return false;
    for (int k = 1; k < def->joint_count; k++)
        if (subsystem_of(c, def->joints[k].joint) != subsystem_of(c, def->joints[0].joint))
            return false;
    return true;
}

/* Its spring is linear. */
static bool is_direct(const TnCompile *c, const TnTendonDef *def)
{
    return is_of_one_tree(c, def) && !(def->stiffness > 0.0 && def->dead_band > 0.0);
}

/* Joins its dofs in the pattern of the tree's matrices. */
static void couple(TnModel *m, const TnTendon *tendon)
{
    for (int k = 1; k < tendon->moment_count; k++)
        merge_ways(m->dof_couple, tendon->moments[k - 1].dof, tendon->moments[k].dof);
}

static void compile_armature(TnCompile *c, const TnTendonDef *def, int index)
{
    TnTendon *tendon = &c->model->tendons[index];
    double armature = tn_rotor_armature(c, index + 1);
    if (is_of_one_tree(c, def))
        tendon->armature = armature;
    else
        tendon->inertia = armature;
}

/* The tendon has forces of its own, or limits. */
static bool tendon_acts(const TnTendon *tendon)
{
    return tendon->limited || tendon->stiffness > 0.0 || tendon->damping > 0.0 ||
           tendon->friction_loss > 0.0 || tendon->inertia > 0.0;
}

static void compile_tendon(TnCompile *c, int index)
{
    const TnTendonDef *def = &c->builder->tendons[index];
    TnModel *m = c->model;
    TnTendon *tendon = &m->tendons[index];
    TnMoment *moments = c->moments;
    c->moments += def->joint_count;
    *tendon = (TnTendon){.direct = is_direct(c, def),
                         .force = -1,
                         .moment_count = def->joint_count,
                         .moments = moments,
                         .limited = def->limited,
                         .stiffness = def->stiffness,
                         .damping = def->damping + tn_rotor_damping(c, 0, index + 1),
                         .friction_loss = def->friction_loss,
                         .spring_length = def->spring_length,
                         .dead_band = def->has_spring_length ? def->dead_band : 0.0,
                         .actuator_limited = def->actuator_limited,
                         .width = def->width};
    memcpy(tendon->range, def->range, sizeof tendon->range);
    memcpy(tendon->actuator_range, def->actuator_range, sizeof tendon->actuator_range);
    memcpy(tendon->rgba, def->rgba, sizeof tendon->rgba);
    for (int k = 0; k < def->joint_count; k++)
        moments[k] = moment_of(c, def->joints[k].joint, def->joints[k].coef);
    if (def->joint_count)
        qsort(moments, (size_t)def->joint_count, sizeof *moments, compare_moments);
    tendon->path = tn_compile_tendon_path(c, index);
    TnPath *path = &m->paths[tendon->path];
    tendon->subsystem = tn_path_subsystem(m, path);
    compile_armature(c, def, index);
    if (tendon->direct || tendon->armature > 0.0) couple(m, tendon);
    if (!tendon->direct) {
        path->acts = path->link_count && tendon_acts(tendon);
        if (path->acts &&
            (tendon->stiffness > 0.0 || tendon->damping > 0.0 || tendon->inertia > 0.0))
            tendon->force = m->force_count++;
        return;
    }
    if (!def->has_spring_length) tendon->spring_length = rest_length(c, def);
}

/* ---- damping ratios ---- */

/* Of a unit force along what it acts on, in the reference pose; false: no memory. */
static bool moved_by(TnCompile *c, TnReferenceMass *reference, const TnActuator *actuator,
                     double *mass, double *acceleration)
{
    if (actuator->path >= 0) {
        double inertia = actuator->tendon >= 0 ? c->model->tendons[actuator->tendon].inertia : 0.0;
        if (!tn_path_reference(c, reference, &c->model->paths[actuator->path], mass, acceleration))
            return false;
        if (inertia == 0.0) return true;
        *acceleration *= *mass / (*mass + inertia); /* (M + a Jᵀ J)⁻¹ Jᵀ */
        *mass += inertia;
        return true;
    }
    return tn_reference_mass_along(c, reference, actuator->subsystem, actuator->moments,
                                   actuator->moment_count, mass) &&
           tn_reference_acceleration(c, reference, actuator->subsystem, actuator->moments,
                                     actuator->moment_count, acceleration);
}

/* MuJoCo's rule: ratio 1 is critical damping of the mass that the actuator moves in the reference
 * pose, all joints free. */
static void set_damping(TnCompile *c, TnReferenceMass *reference, int index)
{
    const TnActuatorDef *def = &c->builder->actuators[index];
    TnActuator *actuator = &c->model->actuators[index];
    double mass, acceleration, gear = actuator->gear;
    if (def->damping_ratio <= 0.0 || def->body || c->problem_count) return;
    if (!moved_by(c, reference, actuator, &mass, &acceleration)) {
        tn_error_add(c->err, TN_ERROR_MEMORY, "no memory for the model");
        c->problem_count++;
        return;
    }
    double damping = 2.0 * def->damping_ratio * sqrt(def->gain * mass) / fabs(gear);
    if (isfinite(damping))
        actuator->bias[2] = -damping;
    else
        tn_problem(c, TN_ELEMENT("actuator", def, index),
                   "damping_ratio: it moves no mass in the reference pose");
}

/* ---- muscles ---- */

/* MuJoCo's rule for a force that is not given: scale over the acceleration (the norm over all dofs)
 * that a unit force makes in the reference pose. */
static void set_strength(TnCompile *c, TnReferenceMass *reference, int index)
{
    const TnActuatorDef *def = &c->builder->actuators[index];
    const TnActuator *actuator = &c->model->actuators[index];
    TnMuscles *muscles = NULL;
    double mass, acceleration;
    if (!actuator->muscles || c->problem_count) return;
    muscles = &c->model->muscles[actuator->muscles - c->model->muscles];
    if (muscles->gain.force >= 0.0 && muscles->bias.force >= 0.0) return;
    if (!moved_by(c, reference, actuator, &mass, &acceleration)) {
        tn_error_add(c->err, TN_ERROR_MEMORY, "no memory for the model");
        c->problem_count++;
        return;
    }
    acceleration *= fabs(actuator->gear);
    if (!(acceleration > 0.0)) {
        tn_problem(c, TN_ELEMENT("actuator", def, index),
                   "its force: it moves no mass in the reference pose");
        return;
    }
    if (muscles->gain.force < 0.0) muscles->gain.force = muscles->gain.scale / acceleration;
    if (muscles->bias.force < 0.0) muscles->bias.force = muscles->bias.scale / acceleration;
}

/* ---- actuators ---- */

/* On a hinge or slide, or on a direct tendon. */
static bool acts_directly(const TnCompile *c, const TnActuatorDef *def)
{
    if (def->tendon) return c->model->tendons[def->tendon - 1].direct;
    if (!def->joint) return false;
    TnJointType type = c->builder->joints[def->joint - 1].type;
    return type == TN_JOINT_HINGE || type == TN_JOINT_SLIDE;
}

static bool uses_wrench(const TnPath *path)
{
    return path->kind == TN_PATH_SITE || path->kind == TN_PATH_ROTATION;
}

static void compile_indirect(TnCompile *c, int index)
{
    TnModel *m = c->model;
    TnActuator *actuator = &m->actuators[index];
    actuator->path = actuator->tendon >= 0 ? m->tendons[actuator->tendon].path
                                           : tn_compile_actuator_path(c, index);
    TnPath *path = &m->paths[actuator->path];
    if (uses_wrench(path)) actuator->gear = 1.0; /* the wrench has it */
    actuator->subsystem = tn_path_subsystem(m, path);
    if (!path->link_count) return;
    path->acts = true;
    actuator->force = m->force_count++;
}

static void compile_muscle(TnCompile *c, const TnActuatorDef *def, TnActuator *actuator)
{
    if (!def->muscle_gain && !def->muscle_bias) return;
    *c->muscles = (TnMuscles){.has_gain = def->muscle_gain,
                              .has_bias = def->muscle_bias,
                              .gain = def->muscle,
                              .bias = def->passive};
    memcpy(c->muscles->length_range, def->length_range, sizeof def->length_range);
    if (def->muscle_gain) actuator->gain = 0.0;
    actuator->muscles = c->muscles++;
}

static void compile_actuator(TnCompile *c, int index)
{
    const TnActuatorDef *def = &c->builder->actuators[index];
    TnActuator *actuator = &c->model->actuators[index];
    *actuator = (TnActuator){.tendon = def->tendon - 1,
                             .body = def->body - 1,
                             .path = -1,
                             .force = -1,
                             .gear = def->gear,
                             .gain = def->gain,
                             .gain_rate = {def->gain_length, def->gain_velocity},
                             .activation = def->activation,
                             .act = -1,
                             .act_limited = def->activation_limited,
                             .act_early = def->activation_early,
                             .ctrl_limited = def->ctrl_limited,
                             .force_limited = def->force_limited};
    if (def->body) {
        actuator->subsystem = -1;
        c->model->adhesion_count++;
    } else if (!acts_directly(c, def)) {
        compile_indirect(c, index);
    } else if (def->tendon) {
        const TnTendon *tendon = &c->model->tendons[def->tendon - 1];
        actuator->subsystem = tendon->subsystem;
        actuator->moments = tendon->moments;
        actuator->moment_count = tendon->moment_count;
    } else {
        *c->moments = moment_of(c, def->joint, 1.0);
        actuator->subsystem = subsystem_of(c, def->joint);
        actuator->moments = c->moments++;
        actuator->moment_count = 1;
    }
    v3_copy(actuator->bias, def->bias);
    memcpy(actuator->ctrl_range, def->ctrl_range, sizeof actuator->ctrl_range);
    memcpy(actuator->force_range, def->force_range, sizeof actuator->force_range);
    memcpy(actuator->act_range, def->activation_range, sizeof actuator->act_range);
    memcpy(actuator->time_constants, def->time_constants, sizeof actuator->time_constants);
    int acts = tn_activation_count(def->activation, &def->pid);
    if (acts) actuator->act = c->act_count;
    c->act_count += acts;
    if (def->activation == TN_ACTIVATION_PID) { /* its input is a force already (activation.c) */
        const double bias[3] = {0.0, -def->pid.kp, -def->pid.kd};
        actuator->pid = def->pid;
        actuator->gain = 1.0;
        v3_copy(actuator->bias, bias);
    }
    compile_muscle(c, def, actuator);
}

/* A joint that the path moves bounds the sum of its actuators' forces. */
static void check_bounded_joints(TnCompile *c, const TnPath *path, const TnElement *element)
{
    const TnModel *m = c->model;
    for (int i = 0; i < path->link_count; i++) {
        const TnLink *link = &m->links[path->links[i]];
        for (int d = link->dof_start + link->dof_count - 1; d >= 0; d = m->dof_parent[d]) {
            if (!m->joints[m->dof_joint[d]].actuator_limited) continue;
            tn_problem(c, element,
                       "it moves a joint that bounds the sum of its actuators' forces, which is "
                       "not supported yet; bound the actuator instead");
            return;
        }
    }
}

/* Bounds of a sum of forces are kept along one line, so all that is in the sum has to act along it
 * alone. */
static void check_shared_limits(TnCompile *c, int index)
{
    const TnModel *m = c->model;
    const TnActuator *actuator = &m->actuators[index];
    const TnElement *element = TN_ELEMENT("actuator", &c->builder->actuators[index], index);
    if (actuator->path >= 0) check_bounded_joints(c, &m->paths[actuator->path], element);
    if (actuator->tendon < 0) return;
    for (int i = 0; i < actuator->moment_count; i++)
        if (m->joints[m->dof_joint[actuator->moments[i].dof]].actuator_limited) {
            tn_problem(c, element,
                       "its tendon moves a joint that bounds the sum of its actuators' forces, "
                       "which is not supported yet; bound the tendon or the actuator instead");
            return;
        }
    if (!m->tendons[actuator->tendon].actuator_limited) return;
    for (int i = 0; i < m->actuator_count; i++) {
        const TnActuator *other = &m->actuators[i];
        if (i == index || other->tendon != actuator->tendon) continue;
        if (actuator->path >= 0) {
            tn_problem(c, element,
                       "bounds on the sum of several actuators' forces are not supported yet on "
                       "spatial tendons and tendons over several trees");
            return;
        }
        if (actuator->force_limited || other->gear != actuator->gear) {
            tn_problem(c, element,
                       "actuators that share a tendon with bounds on the sum of their forces need "
                       "the same gear and no bounds of their own");
            return;
        }
    }
}

/* Bounds of a sum shift those of the actuators in it; without one there is nothing to shift. */
static void check_compensated(TnCompile *c, int index)
{
    const TnModel *m = c->model;
    const TnJoint *joint = &m->joints[index];
    bool driven = false;
    if (!m->has_lift || !joint->actuator_gravity || !joint->actuator_limited) return;
    for (int a = 0; a < m->actuator_count; a++)
        driven |= m->actuators[a].tendon < 0 && m->actuators[a].moment_count &&
                  m->actuators[a].moments[0].dof == joint->dof_start;
    int id = c->lookup->joint_id[index];
    if (!driven)
        tn_problem(c, TN_ELEMENT("joint", &c->builder->joints[id - 1], id - 1),
                   "gravity compensation within the bounds of its actuators' forces needs an "
                   "actuator on the joint");
}

/* Each of many robots has few, so a list per subsystem saves the search of all. */
static void list_by_subsystem(TnModel *m)
{
    for (int s = 0; s < m->subsystem_count; s++) m->actuator_first[s] = m->tendon_first[s] = -1;
    for (int i = m->actuator_count - 1; i >= 0; i--) {
        int s = m->actuators[i].path < 0 ? m->actuators[i].subsystem : -1;
        m->actuator_next[i] = s < 0 ? -1 : m->actuator_first[s];
        if (s >= 0) m->actuator_first[s] = i;
    }
    for (int i = m->tendon_count - 1; i >= 0; i--) {
        int s = m->tendons[i].direct ? m->tendons[i].subsystem : -1;
        m->tendon_next[i] = s < 0 ? -1 : m->tendon_first[s];
        if (s >= 0) m->tendon_first[s] = i;
    }
}

void tn_compile_drive(TnCompile *c)
{
    TnModel *m = c->model;
    if (m->dof_count)
        memcpy(m->dof_couple, m->dof_parent, sizeof *m->dof_parent * (size_t)m->dof_count);
    for (int i = 0; i < m->tendon_count; i++) compile_tendon(c, i);
    for (int i = 0; i < m->actuator_count; i++) compile_actuator(c, i);
    list_by_subsystem(m);
    tn_compile_lengths(c);
    for (int i = 0; i < m->actuator_count && !c->problem_count; i++) check_shared_limits(c, i);
    for (int i = 0; i < m->joint_count && !c->problem_count; i++) check_compensated(c, i);
    TnReferenceMass reference = {.subsystem = -1};
    for (int i = 0; i < m->actuator_count; i++) set_damping(c, &reference, i);
    for (int i = 0; i < m->actuator_count; i++) tn_find_length_range(c, &reference, i);
    for (int i = 0; i < m->actuator_count; i++) set_strength(c, &reference, i);
    tn_reference_mass_free(&reference);
}
