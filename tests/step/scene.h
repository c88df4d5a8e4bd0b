/* scene.h: small scenes by C calls, shared by the tests of whole steps. */
#ifndef TN_TESTS_STEP_SCENE_H
#define TN_TESTS_STEP_SCENE_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

#include "tolerance.h"

typedef struct Scene {
    TnModelBuilder *builder;
    TnOption option;
} Scene;

static inline Scene scene_begin(void) { return (Scene){tn_builder_create(), tn_option()}; }

static inline TnGeomId scene_plane(Scene *scene, double friction)
{
    TnGeomDef geom = tn_geom_def();
    geom.name = "ground";
    geom.body = TN_BODY_WORLD;
    geom.type = TN_GEOM_PLANE;
    geom.friction[0] = friction;
    return tn_builder_add_geom(scene->builder, &geom);
}

/* A body with one geom, friction and mass as given, and no joint yet. */
static inline TnBodyId scene_body(Scene *scene, TnGeomType type, const double size[3], double mass,
                                  const double pos[3], double friction, double restitution)
{
    TnBodyDef body = tn_body_def();
    memcpy(body.pos, pos, sizeof body.pos);
    TnBodyId id = tn_builder_add_body(scene->builder, &body);
    TnGeomDef geom = tn_geom_def();
    geom.body = id;
    geom.type = type;
    memcpy(geom.size, size, sizeof geom.size);
    geom.mass = mass;
    geom.friction[0] = friction;
    geom.restitution = restitution;
    tn_builder_add_geom(scene->builder, &geom);
    return id;
}

static inline TnBodyId scene_free(Scene *scene, TnGeomType type, const double size[3], double mass,
                                  const double pos[3], double friction, double restitution)
{
    TnBodyId id = scene_body(scene, type, size, mass, pos, friction, restitution);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(scene->builder, &joint);
    return id;
}

static inline TnModel *scene_compile(Scene *scene)
{
    TnError err = {0};
    tn_builder_set_option(scene->builder, &scene->option, (TnSource){0});
    TnModel *model = tn_builder_compile(scene->builder, &err);
    if (!model) printf("    %s\n", err.message);
    tn_builder_destroy(scene->builder);
    return model;
}

static inline TnWorld *scene_world_of(const TnModel *model, int iterations, double tolerance)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.iterations = iterations;
    def.solver.tolerance = tolerance;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

static inline TnWorld *scene_world(const TnModel *model, int iterations)
{
    return scene_world_of(model, iterations, physics_tolerance());
}

/* Sum of the contact forces on geom2 of all contacts (force on the other side's negative). */
static inline void scene_contact_force(const TnWorld *world, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        for (int k = 0; k < 3; k++) sum[k] += c.force[k];
    }
}

#endif
