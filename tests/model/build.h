/* build.h: short ways to say the models of these tests. */
#ifndef TN_TESTS_MODEL_BUILD_H
#define TN_TESTS_MODEL_BUILD_H

#include "../check.h"

#include "base/base.h"
#include "math/vec3.h"
#include "model/model.h"

static inline TnBodyId add_body(TnModelBuilder *b, const char *name, TnBodyId parent, double x,
                                double y, double z)
{
    TnBodyDef def = tn_body_def();
    def.name = name;
    def.parent = parent;
    v3_set(def.pos, x, y, z);
    return tn_builder_add_body(b, &def);
}

static inline TnJointId add_joint(TnModelBuilder *b, const char *name, TnBodyId body,
                                  TnJointType type)
{
    TnJointDef def = tn_joint_def();
    def.name = name;
    def.body = body;
    def.type = type;
    return tn_builder_add_joint(b, &def);
}

static inline TnGeomId add_ball(TnModelBuilder *b, const char *name, TnBodyId body, double radius)
{
    TnGeomDef def = tn_geom_def();
    def.name = name;
    def.body = body;
    def.size[0] = radius;
    return tn_builder_add_geom(b, &def);
}

/* A mesh without triangles: the convex hull of the points. */
static inline TnMeshId add_points(TnModelBuilder *b, const char *name, const double *points,
                                  int count)
{
    TnMeshDef def = tn_mesh_def();
    def.name = name;
    def.vertices = points;
    def.vertex_count = count;
    return tn_builder_add_mesh(b, &def);
}

/* A body with one joint and a ball of 0.1 m. */
static inline TnBodyId add_link(TnModelBuilder *b, const char *name, TnBodyId parent,
                                TnJointType type)
{
    TnBodyId body = add_body(b, name, parent, 0.0, 0.0, 1.0);
    add_joint(b, NULL, body, type);
    add_ball(b, NULL, body, 0.1);
    return body;
}

/* Compiles and gives the builder back. Prints the problems where there are any. */
static inline TnModel *compile(TnModelBuilder *b)
{
    TnError err = {0};
    TnModel *model = tn_builder_compile(b, &err);
    if (!model) printf("    %s\n", err.message);
    tn_builder_destroy(b);
    return model;
}

/* The compile must fail, with this text in the message and nothing else wrong. */
#define CHECK_REFUSED(BUILDER, TEXT)                                                               \
    do {                                                                                           \
        TnError err_ = {0};                                                                        \
        TnModel *model_ = tn_builder_compile((BUILDER), &err_);                                    \
        CHECK(!model_);                                                                            \
        CHECK(err_.code == TN_ERROR_MODEL);                                                        \
        CHECK_STR(err_.message, TEXT);                                                             \
        if (err_.count != 1)                                                                       \
            test_fail(__FILE__, __LINE__, "%d problems: %s", err_.count, err_.message);            \
        tn_model_destroy(model_);                                                                  \
        tn_builder_destroy(BUILDER);                                                               \
    } while (0)

#endif
