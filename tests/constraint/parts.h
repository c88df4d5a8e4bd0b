/* parts.h: jointed bodies and readings for the tests of constraints in whole steps. */
#ifndef TN_TESTS_CONSTRAINT_PARTS_H
#define TN_TESTS_CONSTRAINT_PARTS_H

#include "../step/scene.h"

#include "math/vec3.h"

static const double TWO_THETAS[2] = {0.5, 1.0};

/* A body with given mass properties and no geom; inertia about its centre, which lies at `com`. */
static inline TnBodyId part_body(Scene *scene, TnBodyId parent, const double pos[3], double mass,
                                 const double com[3], double inertia)
{
    TnBodyDef body = tn_body_def();
    body.parent = parent;
    memcpy(body.pos, pos, sizeof body.pos);
    body.has_inertia = true;
    body.mass = mass;
    memcpy(body.inertia_pos, com, sizeof body.inertia_pos);
    for (int k = 0; k < 3; k++) body.inertia[k] = inertia;
    return tn_builder_add_body(scene->builder, &body);
}

static inline TnJointDef part_joint(TnBodyId body, TnJointType type, double x, double y, double z)
{
    TnJointDef joint = tn_joint_def();
    joint.body = body;
    joint.type = type;
    joint.axis[0] = x;
    joint.axis[1] = y;
    joint.axis[2] = z;
    return joint;
}

/* A body of one kilogram on a slide along an axis of the world. */
static inline TnBodyId part_slider(Scene *scene, double mass, int axis, const TnJointDef *more,
                                   TnJointId *joint)
{
    TnBodyId body =
        part_body(scene, TN_BODY_WORLD, (double[3]){0, 0, 0}, mass, (double[3]){0, 0, 0}, 0.1);
    TnJointDef def = more ? *more : tn_joint_def();
    def.body = body;
    def.type = TN_JOINT_SLIDE;
    for (int k = 0; k < 3; k++) def.axis[k] = k == axis ? 1.0 : 0.0;
    TnJointId id = tn_builder_add_joint(scene->builder, &def);
    if (joint) *joint = id;
    return body;
}

static inline double part_q(const TnWorld *world, int index)
{
    return tn_world_state(world).qpos[index];
}
static inline double part_v(const TnWorld *world, int index)
{
    return tn_world_state(world).qvel[index];
}

static inline void part_push(TnWorld *world, TnBodyId body, double x, double y, double z)
{
    tn_world_apply_wrench(world, body, (double[3]){x, y, z}, (double[3]){0, 0, 0});
}

typedef struct Run {
    TnModel *model;
    TnWorld *world;
} Run;

static inline Run run_start(Scene *scene, int iterations)
{
    Run run = {scene_compile(scene), NULL};
    if (run.model) run.world = scene_world(run.model, iterations);
    return run;
}

static inline void run_end(Run *run)
{
    tn_world_destroy(run->world);
    tn_model_destroy(run->model);
}

static inline double total_energy(const TnWorld *world)
{
    TnEnergy e = tn_world_energy(world);
    return e.kinetic + e.potential;
}

/* Where a point given in body axes is. */
static inline void point_of(const TnWorld *world, TnBodyId body, const double local[3],
                            double point[3])
{
    double pos[3], quat[4];
    tn_world_body_pose(world, body, pos, quat);
    quat_rotate(point, quat, local);
    v3_add(point, point, pos);
}

static inline double distance(const double a[3], const double b[3])
{
    double d[3];
    v3_sub(d, a, b);
    return v3_norm(d);
}

#endif
