/* joint_law.h: the springs and dampers of joints. */
#ifndef TN_MODEL_JOINT_LAW_H
#define TN_MODEL_JOINT_LAW_H

#include "model.h"

#include <math.h>

/* The spring has powers beyond the first. */
static inline bool tn_joint_is_curved(const TnJoint *joint)
{
    return joint->stiffness_poly[0] != 0.0 || joint->stiffness_poly[1] != 0.0;
}

static inline bool tn_joint_has_spring(const TnJoint *joint)
{
    return joint->stiffness != 0.0 || tn_joint_is_curved(joint);
}

/* The damper has powers beyond the first. */
static inline bool tn_joint_drags(const TnJoint *joint)
{
    return joint->damping_poly[0] != 0.0 || joint->damping_poly[1] != 0.0;
}

static inline bool tn_joint_has_damper(const TnJoint *joint)
{
    return joint->damping != 0.0 || tn_joint_drags(joint);
}

/* Force of the spring over its stretch x. */
static inline double tn_joint_stiffness(const TnJoint *joint, double x)
{
    return joint->stiffness + x * (joint->stiffness_poly[0] + x * joint->stiffness_poly[1]);
}

/* Force of the damper over the velocity v. */
static inline double tn_joint_damping(const TnJoint *joint, double v)
{
    double speed = fabs(v);
    return joint->damping + speed * (joint->damping_poly[0] + speed * joint->damping_poly[1]);
}

/* Energy of the spring of a hinge or slide over x². */
static inline double tn_joint_energy(const TnJoint *joint, double x)
{
    return 0.5 * joint->stiffness +
           x * (joint->stiffness_poly[0] / 3.0 + 0.25 * x * joint->stiffness_poly[1]);
}

#endif
