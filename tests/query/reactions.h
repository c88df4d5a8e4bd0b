/* reactions.h: what the tests of forces in joints, equalities and cables share. */
#ifndef TN_TESTS_STEP_REACTIONS_H
#define TN_TESTS_STEP_REACTIONS_H

#include "../check.h"

#include "../constraint/parts.h"

static const double G = 9.81;

static inline void check_vector(const char *what, const double a[3], double x, double y, double z,
                                double tolerance)
{
    const double b[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        if (!(fabs(a[k] - b[k]) <= tolerance))
            test_fail(__FILE__, __LINE__, "%s: %.12g %.12g %.12g, expected %.12g %.12g %.12g to %g",
                      what, a[0], a[1], a[2], x, y, z, tolerance);
}

/* A body on a hinge about y at the world's origin, its centre at l below it. */
static inline TnJointId add_pendulum(Scene *scene, double mass, double length, double inertia)
{
    TnBodyId rod = part_body(scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, mass,
                             (double[3]){0, 0, -length}, inertia);
    TnJointDef joint = part_joint(rod, TN_JOINT_HINGE, 0, 1, 0);
    return tn_builder_add_joint(scene->builder, &joint);
}

#endif
