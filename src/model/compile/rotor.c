/* rotor.c: damping and armature of actuators. A rotor turns gear times as fast as what it moves, so
 * its inertia and its damping count there gear² times. On free and ball joints all dofs have them,
 * with the first number of the gear. This is MuJoCo's rule. */
#include "../builder.h"

static double gear_squared(const TnCompile *c, const TnActuatorDef *def)
{
    double gear = def->gear;
    if (def->joint) {
        TnJointType type = c->builder->joints[def->joint - 1].type;
        if (type == TN_JOINT_FREE || type == TN_JOINT_BALL) gear = def->wrench[0];
    }
    return gear * gear;
}

void tn_compile_rotors(TnCompile *c)
{
    for (int i = 0; i < c->builder->actuator_count; i++) {
        const TnActuatorDef *def = &c->builder->actuators[i];
        if (!def->joint) continue;
        TnJoint *joint = &c->model->joints[c->lookup->joint_index[def->joint - 1]];
        joint->armature += gear_squared(c, def) * def->armature;
        joint->damping += gear_squared(c, def) * def->damping;
        for (int k = 0; k < 2; k++)
            joint->damping_poly[k] += gear_squared(c, def) * def->damping_poly[k];
    }
}

double tn_rotor_damping(const TnCompile *c, TnJointId joint, TnTendonId tendon)
{
    double sum = 0.0;
    for (int i = 0; i < c->builder->actuator_count; i++) {
        const TnActuatorDef *def = &c->builder->actuators[i];
        if (def->joint == joint && def->tendon == tendon && def->damping != 0.0)
            sum += gear_squared(c, def) * def->damping;
    }
    return sum;
}

double tn_rotor_armature(const TnCompile *c, TnTendonId tendon)
{
    double sum = c->builder->tendons[tendon - 1].armature;
    for (int i = 0; i < c->builder->actuator_count; i++) {
        const TnActuatorDef *def = &c->builder->actuators[i];
        if (def->tendon == tendon && def->armature != 0.0)
            sum += gear_squared(c, def) * def->armature;
    }
    return sum;
}
