/* sleep_scene.h: what the tests of sleeping share: stacks, balls, and who is asleep. */
#ifndef TN_TESTS_STEP_SLEEP_SCENE_H
#define TN_TESTS_STEP_SLEEP_SCENE_H

#include <stdlib.h>

#include "../step/scene.h"

#define HALF 0.05 /* of the boxes, m */
#define TIMESTEP 0.01

static inline TnWorld *make(const TnModel *model, TnSleep sleep, double tolerance)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = sleep;
    def.solver.iterations = 60;
    def.solver.tolerance = tolerance;
    def.solver.anderson = 0; /* with a fixed count it is one for all, down to rounding */
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

static inline TnStepReport steps(TnWorld *world, double seconds)
{
    TnStepReport report = {0};
    int count = (int)(seconds / TIMESTEP + 0.5);
    for (int k = 0; k < count; k++) report = tn_world_step(world);
    return report;
}

/* A stack of boxes; the lowest one's id. */
static inline TnBodyId stack(Scene *scene, double x, double y, int high)
{
    TnBodyId first = 0;
    for (int k = 0; k < high; k++) {
        TnBodyId id = scene_free(scene, TN_GEOM_BOX, (double[3]){HALF, HALF, HALF}, 1.0,
                                 (double[3]){x, y, HALF + 2 * HALF * k}, 0.6, 0.0);
        if (k == 0) first = id;
    }
    return first;
}

static inline TnBodyId ball(Scene *scene, double x, double y, double z, double friction)
{
    return scene_free(scene, TN_GEOM_SPHERE, (double[3]){0.04, 0, 0}, 0.5, (double[3]){x, y, z},
                      friction, 0.0);
}

static inline bool any_asleep(const TnWorld *world, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++)
        if (tn_world_body_asleep(world, first + k)) return true;
    return false;
}

static inline bool all_asleep(const TnWorld *world, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++)
        if (!tn_world_body_asleep(world, first + k)) return false;
    return true;
}

static inline double *copy(const double *values, int count)
{
    double *out = malloc(sizeof *out * (size_t)(count + 1));
    memcpy(out, values, sizeof *out * (size_t)count);
    return out;
}

/* A pole on a hinge, upwards or hanging, turned by `angle`. */
static inline TnModel *pole(double length, double angle, double damping, bool servo, bool track)
{
    Scene scene = scene_begin();
    TnBodyDef body = tn_body_def();
    TnBodyId id = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.axis[1] = 1.0;
    joint.axis[2] = 0.0;
    joint.damping = damping;
    TnJointId hinge = tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.type = TN_GEOM_CAPSULE;
    geom.pos[2] = 0.5 * length;
    geom.size[0] = 0.01;
    geom.size[1] = 0.5 * fabs(length);
    geom.mass = 1.0;
    tn_builder_add_geom(scene.builder, &geom);
    TnKeyDef key = tn_key_def();
    key.qpos = &angle;
    key.qpos_count = 1;
    tn_builder_add_key(scene.builder, &key);
    if (servo) {
        TnActuatorDef actuator = tn_actuator_def();
        actuator.joint = hinge;
        actuator.gain = 50.0;
        actuator.bias[1] = -50.0;
        actuator.bias[2] = -10.0;
        tn_builder_add_actuator(scene.builder, &actuator);
    }
    if (track) {
        TnTrackDef def = tn_track_def();
        def.row_count = 3;
        def.times = (const double[3]){0.0, 4.0, 5.0};
        def.ctrl = (const double[3]){0.0, 0.0, 0.2};
        tn_builder_set_track(scene.builder, &def);
    }
    return scene_compile(&scene);
}

/* Positions and velocities of the bodies from `first` on. */
static inline bool same_bits(const TnWorld *a, const TnWorld *b, TnBodyId first, int count)
{
    for (int k = 0; k < count; k++) {
        double pa[3], qa[4], pb[3], qb[4], va[3], wa[3], vb[3], wb[3];
        tn_world_body_pose(a, first + k, pa, qa);
        tn_world_body_pose(b, first + k, pb, qb);
        tn_world_body_velocity(a, first + k, va, wa);
        tn_world_body_velocity(b, first + k, vb, wb);
        if (memcmp(pa, pb, sizeof pa) || memcmp(qa, qb, sizeof qa) || memcmp(va, vb, sizeof va) ||
            memcmp(wa, wb, sizeof wa))
            return false;
    }
    return true;
}

#endif
