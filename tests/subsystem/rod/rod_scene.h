/* rod_scene.h: one rod in a world, by the public calls only, for the tests of a rod's physics.
 *
 * A rod of n segments has n - 1 joints, which lie half way between the segments' centres. Where a
 * formula speaks of a length, it is that between the centres of the segments that are held or
 * loaded; an end segment that is held clamps the rod at its outer end. */
#ifndef TN_TESTS_STEP_ROD_SCENE_H
#define TN_TESTS_STEP_ROD_SCENE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "../../step/tolerance.h"

#define PI 3.14159265358979323846

typedef struct RodScene {
    TnModelBuilder *builder;
    TnRodDef rod;
    TnBodyId first; /* body of segment 0 */
    TnModel *model;
    TnWorld *world;
} RodScene;

static inline double rod_area(const TnRodDef *rod) { return PI * rod->radius * rod->radius; }

/* E I */
static inline double rod_bend(const TnRodDef *rod)
{
    double E = rod->bend_modulus < 0 ? rod->youngs_modulus : rod->bend_modulus;
    return E * PI * pow(rod->radius, 4) / 4;
}

/* G J */
static inline double rod_twist(const TnRodDef *rod)
{
    double G = rod->twist_modulus < 0 ? rod->youngs_modulus / (2 * (1 + rod->poisson_ratio))
                                      : rod->twist_modulus;
    return G * PI * pow(rod->radius, 4) / 2;
}

/* κ G A of a round bar */
static inline double rod_shear(const TnRodDef *rod)
{
    return 3 * rod->youngs_modulus / (7 + 6 * rod->poisson_ratio) * rod_area(rod);
}

/* The world that the rod will be in; theta 1 for statics. */
static inline RodScene rod_begin(double timestep, double theta, double gravity)
{
    RodScene scene = {.builder = tn_builder_create(), .rod = tn_rod_def()};
    TnOption option = tn_option();
    option.timestep = timestep;
    option.theta = theta;
    option.gravity[2] = -gravity;
    tn_builder_set_option(scene.builder, &option, (TnSource){0});
    return scene;
}

static inline void rod_add(RodScene *scene)
{
    TnRodId id = tn_builder_add_rod(scene->builder, &scene->rod);
    scene->first = tn_builder_rod_parts(scene->builder, id).body;
}

/* Holds a segment where it was built. */
static inline void rod_hold(RodScene *scene, int segment)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = scene->first + segment;
    tn_builder_add_equality(scene->builder, &weld);
}

static inline bool rod_finish(RodScene *scene, const TnSolverDef *solver)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = physics_tolerance();
    if (solver) def.solver = *solver;
    scene->model = tn_builder_compile(scene->builder, &err);
    tn_builder_destroy(scene->builder);
    scene->world = tn_world_create(&def, scene->model, &err);
    if (!scene->world) printf("    %s\n", err.message);
    return scene->world != NULL;
}

static inline void rod_end(RodScene *scene)
{
    tn_world_destroy(scene->world);
    tn_model_destroy(scene->model);
}

static inline void rod_pos(const RodScene *scene, int segment, double pos[3])
{
    double quat[4];
    tn_world_body_pose(scene->world, scene->first + segment, pos, quat);
}

static inline void rod_quat(const RodScene *scene, int segment, double quat[4])
{
    double pos[3];
    tn_world_body_pose(scene->world, scene->first + segment, pos, quat);
}

/* Unit vector along a segment. */
static inline void rod_direction(const RodScene *scene, int segment, double along[3])
{
    double q[4];
    rod_quat(scene, segment, q);
    along[0] = 2 * (q[1] * q[3] + q[0] * q[2]);
    along[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
    along[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

/* Marches with a constant wrench on one segment; false where a step was refused. */
static inline bool rod_march(const RodScene *scene, int steps, int segment, const double force[3],
                             const double torque[3])
{
    for (int k = 0; k < steps; k++) {
        tn_world_apply_wrench(scene->world, scene->first + segment, force, torque);
        if (tn_world_step(scene->world).diverged) return false;
    }
    return true;
}

/* Largest speed of any segment, m/s. */
static inline double rod_speed(const RodScene *scene)
{
    double most = 0, linear[3], angular[3];
    for (int i = 0; i < scene->rod.segment_count; i++) {
        tn_world_body_velocity(scene->world, scene->first + i, linear, angular);
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(linear[k]));
    }
    return most;
}

#endif
